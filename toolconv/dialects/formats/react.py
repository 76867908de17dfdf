"""ReAct, as prompted for by Qwen 1, ToolBench, LLaMA-Factory and LangChain: ``Action:`` and ``Action Input:`` lines.

``Thought:`` before an action is the prose of the turn. Before a ``Final Answer:`` it is reasoning, and the answer is
the prose. Several calls are several pairs. The input is JSON, with or without a fence. Plain text is read if the tool
has one parameter that it can be. ``Action: None`` is not a call. A bare ``Observation:`` at the end is a stop word and
cut; the text of an observation that the model invented is kept.

Source: Yao et al. 2022, Qwen 1 prompt examples, ToolBench, LangChain's ReAct output parser, LLaMA-Factory ``default``.
"""

from __future__ import annotations

from toolconv.core import jsontext
from toolconv.core.calls import NotACall, arguments_from, declared_name
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.name_then_json import NameThenJson, plain_arguments
from toolconv.dialects.reading.turn_parser import TurnParser

HEADER = lazy_re(r"[ \t]*(?P<name>[^\s\n][^\n]{0,127}?)[ \t]*\n\s*Action Input[ \t]*:[ \t]*")
JSON = lazy_re(r"\s*(\{|```)")
CUT_HEADER = lazy_re(
    r"[ \t]*[^\s\n][^\n]{0,127}(?:\n\s*(?:A(?:c(?:t(?:i(?:o(?:n(?: (?:I(?:n(?:p(?:u(?:t[ \t]*)?)?)?)?)?)?)?)?)?)?)?)?)?"
)
LONGEST_NAME = 4
"""How many words the name of a tool has at most that a cut text ends with: more are a sentence."""
NO_CALL = lazy_re(r"[ \t]*(?:None|none|N/A)[ \t]*(?:\n[ \t]*Action Input[ \t]*:[^\n]*)?(?=\n|\Z)")
LABEL = lazy_re(r"\n[^\S\n]*+(?:Thought|Action|Observation|Final Answer)[ \t]*+:")
THOUGHT = lazy_re(r"\s*Thought:[ \t]?")
FINAL = lazy_re(r"(?:\A|\n)[ \t]*Final Answer:[ \t]?")
OBSERVATION = lazy_re(r"\s*\nObservation:?\s*\Z")


class React(NameThenJson):
    """Thoughts, calls and answers on labelled lines."""

    @property
    def prose_stoppers(self) -> tuple[str, ...]:
        return (*super().prose_stoppers, "Final Answer:")

    def find_calls(self, parser: TurnParser) -> None:
        start = parser.at
        super().find_calls(parser)
        text = parser.text
        if not parser.calls:
            self._answer(parser, start)
            return
        observation = OBSERVATION.search(text, max(start, parser.at - 1, len(text) - 200))
        if observation is not None:
            parser.accept(observation.start(), len(text))
        cut_labels(parser, start)

    def _answer(self, parser: TurnParser, start: int) -> None:
        """The parts of a turn without calls."""
        final = FINAL.search(parser.text, start)
        if final is None:
            return
        thought = THOUGHT.match(parser.text, start, final.start())
        if thought is not None:
            parser.accept_reasoning(start, final.end(), parser.text[thought.end() : final.start()])
        else:
            parser.accept(final.start(), final.end())

    def read_call(self, parser: TurnParser, start: int, at: int) -> int | None:
        text = parser.text
        nothing = NO_CALL.match(text, at)
        if nothing is not None and not text[text.rfind("\n", 0, start) + 1 : start].strip():
            parser.accept(start, nothing.end())
            return nothing.end()
        match = HEADER.match(text, at)
        if match is None:
            cut = CUT_HEADER.fullmatch(text, at)
            if (
                (start and text[start - 1] != "\n")
                or cut is None
                or len(cut[0].partition("\n")[0].split()) > LONGEST_NAME
            ):
                return None
            parser.reject(start, len(text), "the text ends before the input")
            return len(text)
        name = match["name"]
        if (body := JSON.match(text, match.end())) is not None:
            return self.read_body(parser, start, body.start(1), name)
        end = self._end_of_input(text, match.end())
        if not text[match.end() :].strip():
            parser.reject(start, len(text), "the text ends before the input")
            return len(text)
        repairs: list[str] = []
        try:
            arguments = self._plain(parser, name, text[match.end() : end].strip(), repairs)
        except NotACall as error:
            parser.reject(start, end, str(error))
            return end
        parser.accept(start, end, (ToolCall(declared_name(name, parser.tools, repairs), arguments),))
        parser.repairs.extend(repairs)
        return end

    def _end_of_input(self, text: str, at: int) -> int:
        """Where an input that is not JSON ends."""
        label = LABEL.search(text, at)
        end = len(text)
        if label is not None:  # blank lines before it are not part of the input
            end = text.find("\n", at + len(text[at : label.start()].rstrip()))
        tokens = (text.find(token, at, end) for token in self.turn_tokens)
        return min((place for place in tokens if place >= 0), default=end)

    @staticmethod
    def _plain(parser: TurnParser, name: str, written: str, repairs: list[str]) -> dict[str, object]:
        """The arguments in an input that is not an object."""
        if not written or written in ("None", "none", "null"):
            repairs.append("empty_arguments" if not written else "null_arguments")
            return {}
        try:
            value = jsontext.loads(written)
        except ValueError:
            value = written
        if isinstance(value, str) and value.lstrip().startswith("{"):
            return arguments_from(value, repairs)
        repairs.append("plain_arguments")
        return plain_arguments(name, value if isinstance(value, str) else written, parser.tools)


def cut_labels(parser: TurnParser, start: int) -> None:
    """Cut the labels of the thoughts from ``start`` on, each of which precedes a call: the thoughts are prose."""
    for cut, end in parser.cut_places():
        if (thought := THOUGHT.match(parser.text, start, cut)) is not None:
            parser.accept(start, cut, prose=parser.text[thought.end() : cut].removesuffix("\n"))
        start = end


DIALECT = React(
    name="react",
    models=("Qwen 1", "ToolLLaMA", "models prompted for ReAct"),
    sample='Thought: I need the weather.\nAction: get_weather\nAction Input: {"city": "Tokyo"}',
    calls=CallTemplate("Action: {name}\nAction Input: {args}", between="\n", turn="Thought: {prose}\n{calls}"),
    separator="\n",
    fences=True,
    chat=ChatFormat(
        tools_open="Answer the following questions as best you can. You have access to the following tools:\n\n",
        tools_close="""

Use the following format:

Question: the input question you must answer
Thought: you should always think about what to do
Action: the action to take, should be the name of one of the tools
Action Input: the input to the action, a JSON object
Observation: the result of the action
... (this Thought/Action/Action Input/Observation can be repeated zero or more times)
Thought: I now know the final answer
Final Answer: the final answer to the original input question

Begin!""",
        bare_tools=True,
        response="Observation: {content}",
        one_turn=False,
        response_role="user",
    ),
)
