"""The part of a system text that is about tools: their declaration, how to write calls, and example calls.

A target that declares tools in its own words must not keep those of the source. They are found in three steps:

1. What a dialect writes: its words before and after the tools (:class:`ChatFormat`), with the tools between them.
2. Tools as JSON in any words, with the tags or the code fence around them.
3. Sentences: those that a dialect writes, elsewhere or slightly changed; those that ask for calls in some markup; next
   to one of these, the sentence that introduces the tools, and the markup that it shows.

Everything else is the user's own text and stays byte for byte, except for the whitespace around what is taken out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from toolconv.core import lenient_json
from toolconv.core.declarations import declarations
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Tool
from toolconv.core.tools import function_of
from toolconv.dialects.chat import ChatFormat, read_tools
from toolconv.dialects.lexing.mentions import TAG
from toolconv.dialects.prompts.stated_tools import known_chats, may_instruct, may_state_tools, stated_tools
from toolconv.dialects.prompts.words import ABOUT, MARKUP, merged, sentences_of, words_of
from toolconv.dialects.registry import registered

_TRIES: Final = 64
"""How often the beginning and the end of a declaration are looked for."""

_CALL: Final = r"tool.?calls?|function.?calls?|^<function=|^<invoke|toolcall|action.?(?:start|begin)|✿FUNCTION"
_CALL_TAG: Final = lazy_re(
    rf"{_CALL}|tools?\b|functions?\b|plugin|tool_?list|available.tools|tool_?response|function_?response|✿",
    re.IGNORECASE,
)
_TAG_OF_CALLS: Final = lazy_re(_CALL, re.IGNORECASE)
_ASKS: Final = lazy_re(
    r"\b(?:use|using|write|wrap|put|return|respond|reply|output|emit|print|enclose|generate|answer|prefix|insert|"
    r"provided|given|make|invoke|format|formatted|followed|within|inside|between|as follows)\b|格式|返回|请",
    re.IGNORECASE,
)
_WRITES: Final = r"\b(?:return|respond|reply|output|write|emit|generate|print|put|make|answer|format)\b"
_CALLS: Final = r"\b(?:(?:function|tool|api)[ -]calls?|(?:call|invoke) (?:\w+ ){0,3}(?:functions?|tools?|apis?))\b"
_FORM: Final = r"\b(?:json|xml|tags?|python list|(?:following|this|exact) (?:format|schema|syntax)|format)\b"
_CALL_FORMAT: Final = lazy_re(
    rf"{_CALLS}[^,;]{{0,40}}\b(?:must|should|have to|are to|is to)\b[^,;]{{0,60}}{_FORM}|"
    rf"{_WRITES}[^,;]{{0,80}}{_CALLS}[^;]{{0,80}}{_FORM}|"
    rf"{_WRITES}[^,;]{{0,60}}{_FORM}[^,;]{{0,80}}{_CALLS}|"
    rf"\bfor (?:each|every|any|all) (?:\w+ )?(?:function|tool|api)s? calls?\b.{{0,80}}{_FORM}|"
    rf"^(?:to|if you|when you|should you)\b.{{0,40}}{_CALLS}.{{0,40}}{_WRITES}.{{0,80}}{_FORM}|"
    r"格式.{0,20}(?:函数|工具)",
    re.IGNORECASE,
)
_TOOLS: Final = lazy_re(r"\b(?:functions?|tools?|apis?)\b|工具|函数", re.IGNORECASE)
_INTRODUCES: Final = lazy_re(
    r"(?:(?:in this environment )?you (?:also )?(?:(?:are|will be) (?:also )?(?:provided|given|equipped) (?:with )?|"
    r"(?:have|will have|are given) access to )|(?:here|these|below) (?:is|are) |the following are |(?:the )?available )"
    r"(?:[\w-]+ ){0,6}(?:functions?|tools?|apis?)(?: available| below| at your disposal| (?:that )?you (?:can|may) "
    r"(?:use|call|invoke)| to (?:use|call|choose from)| in json(?:schema)?(?: format)?| within .{1,40}| as .{1,40})?"
    r"\s?[.:：-]?|"
    r"you are an? (?:helpful )?(?:ai )?assistant (?:with|who has|that has) access to "
    r"(?:the following )?(?:functions|tools)[.:]?|"
    r"use them (?:if|when) (?:required|needed|necessary)\s?[.:-]?",
    re.IGNORECASE,
)
_HEADING: Final = lazy_re(r"#{1,6} (.*)")


class Prompt(NamedTuple):
    """A text, taken apart.

    Attributes:
        own: the text without what is about tools.
        tools: the tools that were declared in what was taken out.
        declares: ``own`` still declares tools.
        markup: the tags for tools and calls, and the sentences of dialects about them, that ``own`` still has.
        shows_calls: the whole text has a tag for calls.
    """

    own: str
    tools: list[Tool]
    declares: bool = False
    markup: tuple[str, ...] = ()
    shows_calls: bool = False


def without_prompt(text: str, *, is_question: bool = False) -> Prompt | None:
    """Take the part about tools out of a text; ``None`` if there is nothing about tools in any format.

    Args:
        text: a system text, or the first question.
        is_question: only what a dialect writes before a question is taken out.
    """
    if is_question:
        found = stated_tools(text, is_question=True)
        return None if found is None or found.rest is None else Prompt(found.rest, found.tools)
    return _without_prompt(text) if may_instruct(text) else None


@lru_cache(maxsize=64)
def _without_prompt(text: str) -> Prompt | None:
    shows_calls = any(_TAG_OF_CALLS.search(match[0]) for match in TAG.finditer(text))
    stated = stated_tools(text)
    if stated is not None and stated.rest is not None:
        tools, text = stated.tools, stated.rest
        if not any(words in text for words in words_of(registered()).whole):
            return Prompt(text, tools, stated_tools(text) is not None, _markup(text), shows_calls)
    else:
        tools = []
        words = words_of(registered()).whole
        if not may_state_tools(text) and not _markup(text) and not any(each in text for each in words):
            return None
    pieces = _Pieces(text)
    own = _joined(text, pieces.cut) if pieces.cut else text
    markup = (*_markup(own), *pieces.left)
    prompt = Prompt(own, tools + pieces.tools, stated_tools(own) is not None, markup, shows_calls)
    return prompt if tools or pieces.cut or prompt.declares or prompt.markup else None


class _Pieces:
    """The parts of a text that are about tools: ``cut`` has their places, in order, ``tools`` the declared tools."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = words_of(registered())
        self.tools: list[Tool] = []
        self.cut = list(self._declared())
        blocks = merged([*self.cut, *self._shown()])
        self.names = {str((function_of(tool) or {}).get("name")) for tool in self.tools}
        places = sorted([*sentences_of(text, blocks), *((*place, True) for place in blocks)])
        cut = [is_block or self._asks(text[start:end]) for start, end, is_block in places]
        for step in (1, -1):  # what is next to a part, on each side
            for at in range(len(places))[::step]:
                last = at - step
                if not cut[at] and 0 <= last < len(places) and cut[last]:
                    (start, end, _), (first, stop, is_block) = places[at], places[last]
                    cut[at] = self._belongs(text[start:end], text[first:stop], step, is_block)
        self.cut = [(start, end) for (start, end, _), out in zip(places, cut, strict=True) if out]
        others = [text[start:end] for (start, end, _), out in zip(places, cut, strict=True) if not out]
        self.left = tuple(sentence for sentence in others if sentence in self.words.sentences)

    def _declared(self) -> Iterator[tuple[int, int]]:
        """The places of declarations, and of the words that dialects write around tools."""
        text, at = self.text, 0
        places = []
        for chat in known_chats():
            begin = text.find(chat.tools_open, at)
            if begin >= 0 and (found := _known_listing(text, begin, chat)) is not None:
                at = found[0]
                self.tools += found[1]
                places.append((begin, at))
        places += self._listed(at)
        yield from places
        for words in self.words.whole:
            begin = text.find(words)
            if begin >= 0 and (places or any(_CALL_TAG.search(tag) for tag in TAG.findall(words))):
                yield begin, begin + len(words)
        for match in islice(_LIST_TAG.finditer(text), _TRIES if places else 0):
            close = text.find(_closing(match[0]), match.end())
            if any(match.start() < start < close for start, _ in places):
                yield match.start(), close + len(_closing(match[0]))

    def _listed(self, at: int) -> Iterator[tuple[int, int]]:
        """The places of tools as JSON, with what encloses them."""
        text, tries = self.text, _TRIES
        opened = None
        end = at
        while tries and (match := _JSON.search(text, at)) is not None:
            try:
                reading = lenient_json.read(text, match.start())
            except lenient_json.Unreadable:
                at, tries = match.start() + 1, tries - 1
                continue
            found = list(declarations(reading.value))
            if not found or not all(_is_tool(each.tool) for each in found):
                at, tries = (match.start() + 1 if text[match.start()] == "[" else reading.end), tries - 1
                continue
            self.tools += [each.tool for each in found]
            if opened is not None and text[end : match.start()].strip(" \t\r\n,"):
                yield _enclosed(text, opened, end)
                opened = None
            opened = match.start() if opened is None else opened
            at = end = reading.end
        if opened is not None:
            yield _enclosed(text, opened, end)

    def _shown(self) -> Iterator[tuple[int, int]]:
        """The places of markup that shows how a call is written: a tag that begins a line, up to its end."""
        text, declared, tries = self.text, merged(self.cut), _TRIES
        for match in TAG.finditer(text):
            start, end = match.span()
            if text[text.rfind("\n", 0, start) + 1 : start].strip() or not _CALL_TAG.search(match[0]):
                continue
            at = bisect_right(declared, (start, len(text)))
            if match[0].startswith(("</", "[/")) or (at and start < declared[at - 1][1]) or not tries:
                continue
            close = _closing(match[0])
            last = text.find(close, end)
            tries -= last < 0
            if last >= 0 and "\n\n\n" not in text[end:last]:
                last += len(close)
                rest = text[last : text.find("\n", last) if "\n" in text[last:] else len(text)]
                yield start, last + (len(rest) if not rest.strip(" .") else 0)

    def _asks(self, sentence: str) -> bool:
        """Whether a sentence asks for calls in some markup, or is one that a dialect writes.

        A sentence without a tag is only taken for one in a text that declares tools.
        """
        if any(_CALL_TAG.search(tag) for tag in TAG.findall(sentence)):
            return sentence in self.words.sentences or bool(_ASKS.search(sentence) and ABOUT.search(sentence))
        if not self.tools:
            return False
        return sentence in self.words.sentences or _CALL_FORMAT.search(sentence) is not None

    def _belongs(self, sentence: str, neighbour: str, step: int, is_block: bool) -> bool:
        """Whether a sentence goes with its neighbour, which is taken out.

        Args:
            sentence, neighbour: the two.
            step: 1 if the neighbour is before the sentence, -1 if after it.
            is_block: the neighbour is a declaration or the markup of a call.
        """
        if step < 0 and (heading := _HEADING.fullmatch(sentence)):
            return _TOOLS.search(sentence) is not None or heading[1] in self.names
        if step < 0 and is_block and sentence.endswith((":", "：", "-")):
            return True
        if self.tools and _INTRODUCES.fullmatch(sentence):
            return True
        if self.words.resembles(sentence) or sentence in (self.words.after if step > 0 else self.words.before):
            return True
        if step < 0 or not sentence.startswith(MARKUP):
            return False
        return sentence.startswith(("}", "]", "```")) or neighbour.endswith((":", "：", "{", ",", "[", "```json"))


_LIST_TAG: Final = lazy_re(r"<(?:available_?)?(?:tools|functions)>|\[AVAILABLE_TOOLS\]", re.IGNORECASE)
_JSON: Final = lazy_re(r"[\[{](?=\s{0,200}[\[{\"'])")


def _is_tool(tool: object) -> bool:
    """Whether a JSON object declares a tool: it has a name, and a description or a schema."""
    function = function_of(tool) if isinstance(tool, dict) else None
    return (
        function is not None
        and isinstance(function.get("name"), str)
        and not function.keys().isdisjoint({"description", "parameters", "inputSchema", "input_schema"})
    )


def _known_listing(text: str, begin: int, chat: ChatFormat) -> tuple[int, list[Tool]] | None:
    """Where a declaration that begins with a dialect's words ends, and its tools; JSON without end words is left out.

    JSON ends at the first of the words that end it, other notations at the last place before which all can be read.
    """
    start = begin + len(chat.tools_open)
    first = chat.read is read_tools
    closing = chat.tools_close.rstrip() or ("" if first else "\n\n")
    if not closing:
        return None
    ends = [match.start() for match in re.finditer(re.escape(closing), text[start:])][:_TRIES]
    if not chat.tools_close.strip():
        ends += [len(text.rstrip()) - start, len(text) - start]
    for end in ends if first else reversed(ends):
        if tools := chat.read(text[start : start + end]):
            return start + end + len(chat.tools_close.rstrip()), tools
    return None


def _enclosed(text: str, start: int, end: int) -> tuple[int, int]:
    """The place of a declaration, with the tags or the fence around it."""
    while True:
        opening, closing = _OPENING.search(text, max(0, start - 200), start), _CLOSING.match(text, end)
        after = closing.end() if closing else end
        close = _closing(opening[1]) if opening else ""
        if opening is None or not text.startswith(close, after):
            return start, end
        start, end = opening.start(), after + len(close)


_OPENING: Final = lazy_re(
    r"(<[^<>\n]{2,80}>|\[[A-Z_]{5,30}\]|```\w{0,10})[\s\[{,]{0,40}(?:[\"']type[\"']: ?[\"']function[\"'], "
    r"?[\"']function[\"']: ?)?\Z"
)
_CLOSING: Final = lazy_re(r"[\s\]},]{0,40}")


def _closing(tag: str) -> str:
    """The tag that closes one, or the end of a fence."""
    if tag.startswith("```"):
        return "```"
    if tag.startswith("["):
        return f"[/{tag[1:]}"
    name = re.split(r"[\s=]", tag[1:-1] if tag.endswith(">") else tag[1:])[0]
    if tag.startswith(("<|", "<｜")):
        for start, end in (("start", "end"), ("begin", "end")):
            if start in tag:
                return tag.replace(start, end)
    return f"</{name}>"


def _markup(text: str) -> tuple[str, ...]:
    """The tags for tools and calls in a text."""
    return tuple(match[0] for match in TAG.finditer(text) if _CALL_TAG.search(match[0]))


def _joined(text: str, cut: list[tuple[int, int]]) -> str:
    """A text without some parts. Of the whitespace before and after each, the longer is kept; at the ends, none."""
    kept = []
    at = 0
    for start, end in cut:
        if text[at:start].strip() or not at:
            kept.append(text[at:start])
        at = end
    kept.append(text[at:])
    kept = [part for part in kept if part.strip()]
    if not kept:
        return ""
    own = kept[0].lstrip() if cut[0][0] == 0 or not text[: cut[0][0]].strip() else kept[0]
    for part in kept[1:]:
        body = own.rstrip()
        stripped = part.lstrip()
        own = body + max(own[len(body) :], part[: len(part) - len(stripped)], key=len) + stripped
    return own if text[cut[-1][1] :].strip() else own.rstrip()
