"""LangChain's structured chat agents: ``Action:`` and a fenced object with ``action`` and ``action_input``.

A ``Thought:`` before an action is the prose of the turn. The action ``Final Answer`` is the answer, and the thought
before it is reasoning. An input that is a text is the one argument that it can be. Results are turns of the user,
after ``Observation:``. Call ids are lost.

Source: ``agents/structured_chat/prompt.py`` and ``output_parser.py`` of langchain-ai/langchain.
"""

from __future__ import annotations

from typing import Any

from toolconv.core import jsontext
from toolconv.core.calls import NotACall, declared_name
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.formats.react import THOUGHT, cut_labels
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.name_then_json import plain_arguments
from toolconv.dialects.reading.turn_parser import TurnParser

FINAL = lazy_re(
    r"(?:\A|\n)(?:Action:\s{0,8})?(?:```(?:json)?\s{0,8})?\{\s{0,20}\"action\":\s{0,20}\"Final Answer\",\s{0,20}"
    r"\"action_input\":\s{0,20}(?P<answer>\"(?:[^\"\\]|\\.)*+\")\s{0,20}\}(?:\s{0,8}```)?\s*+\Z"
)


class StructuredChat(JsonBlocks):
    """Thoughts, and actions as objects, one of which is the answer."""

    def find_calls(self, parser: TurnParser) -> None:
        text, start = parser.text, parser.at
        final = FINAL.search(text, start)
        answer = None if final is None else _text_in(final["answer"])
        if final is not None and answer is not None:
            if (thought := THOUGHT.match(text, start, final.start())) is not None:
                parser.accept_reasoning(start, final.start(), text[thought.end() : final.start()])
            parser.accept(final.start(), final.end(), prose=answer)
            return
        super().find_calls(parser)
        cut_labels(parser, start)

    def call(self, value: Any, tools: ToolIndex, repairs: list[str]) -> list[ToolCall]:
        try:
            return super().call(value, tools, repairs)
        except NotACall:
            if type(value) is not dict or value.keys() != {"action", "action_input"}:
                raise
            name, text = value["action"], value["action_input"]
            if type(name) is not str or type(text) is not str:
                raise
            name = declared_name(name, tools, repairs)
            arguments = plain_arguments(name, text, tools)
            repairs.append("plain_arguments")
            return [ToolCall(name, arguments)]


def _text_in(written: str) -> str | None:
    """The text in a JSON string; ``None`` for any other."""
    try:
        return str(jsontext.loads(written))
    except ValueError:
        return None


DIALECT = StructuredChat(
    name="structured_chat",
    models=("models in LangChain's structured chat agents",),
    sample='Thought: I need the weather.\nAction:\n```\n{\n  "action": "get_weather",\n'
    '  "action_input": {"city": "Tokyo"}\n}\n```',
    calls=CallTemplate(
        'Action:\n```\n{\n  "action": {name|json},\n  "action_input": {args}\n}\n```',
        between="\n",
        turn="Thought: {prose}\n{calls}",
    ),
    separator="\n",
    name_key="action",
    argument_key="action_input",
    opens=("Action:\n```json\n", "Action: ```\n", "Action: ```json\n", "Action:\n{", "Action: {"),
    chat=ChatFormat(response_role="user", response="Observation: {content}"),
)
