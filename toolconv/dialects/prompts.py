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
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from os.path import commonprefix
from typing import Final, NamedTuple

from toolconv.core import lenient_json
from toolconv.core.conversation import Conversation, Message, Tool
from toolconv.core.declarations import declarations
from toolconv.core.tools import function_of
from toolconv.dialects.chat import OTHER_WORDINGS, ChatFormat
from toolconv.dialects.stated_tools import LONGEST, known_chats, stated_tools

SYSTEM_ROLES: Final = ("system", "developer")
STATING_ROLES: Final = (*SYSTEM_ROLES, "user")
"""The roles of turns before the first answer, which may declare tools."""

SIGNS: Final = ("{", "<", "[", "tool", "function", "工具", "函数", "✿")
"""A text about tools has one of the first three or the last, and one of the others."""

_KNOWN: Final = 24
"""The shortest sentence, in bytes, that is known to be a dialect's."""

_BETWEEN: Final = re.compile(r"(?<=[.!?:])[ \t]+(?=[A-Z\"'<\[{`(*])|(?<=[。：！？])(?=[^\s])|\n+")
"""Where a sentence ends."""

_TAG: Final = re.compile(r"<[^<>\n]{2,80}>|\[/?[A-Z_]{5,30}\]|✿\w{2,20}✿|<[\w:|｜.\-▁ ]{2,60}=")
_CALL_TAG: Final = re.compile(
    r"tools?\b|tool.?calls?|function.?calls?|functions?\b|^<invoke|toolcall|action.?(?:start|begin)|plugin|tool_?list|"
    r"available.tools|tool_?response|function_?response|✿",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    r"\b(?:use|using|uses|write|wrap|put|return|respond|reply|output|emit|print|enclose|generate|answer|prefix|insert|"
    r"provide|provided|given|make|invoke|format|formatted|followed|within|inside|between|as follows)\b|格式|返回|请",
    re.IGNORECASE,
)
_CALL: Final = re.compile(
    r"\b(?:function|tool|api)[ -]?calls?\b|\b(?:call|invoke)\w* (?:\w+ ){0,3}(?:functions?|tools?|apis?)\b|函数调用|工具调用",
    re.IGNORECASE,
)
_FORM: Final = re.compile(
    r"\bjson\b|\bxml\b|\btags?\b|\bpython(?:ic)?\b|\bin the (?:following )?format\b|\b(?:following|this|exact) "
    r"(?:format|schema|syntax|form)\b|\bmarkup\b|格式",
    re.IGNORECASE,
)
_TOOLS: Final = re.compile(r"\b(?:functions?|tools?|apis?)\b|工具|函数", re.IGNORECASE)
_INTRODUCES: Final = re.compile(
    r"(?:you (?:are|will be) (?:also )?(?:provided|given|equipped) (?:with )?|you (?:have|will have|are given|also have) "
    r"access to|you (?:can|may) (?:also )?(?:call|use|invoke)\b|(?:here|these|below) (?:is|are)\b|the following\b|"
    r"available (?:functions|tools|apis)\b|the available\b|(?:functions|tools|apis)(?: available)?:|"
    r"(?:in this environment )?you have\b|"
    r"you are an? (?:helpful )?(?:ai )?assistant (?:with|who has|that has) access to (?:the following )?(?:functions|tools)\b|"
    r"use them (?:if|when) (?:required|needed|necessary))",
    re.IGNORECASE,
)
_HEADING: Final = re.compile(r"#{1,6} .*\b(?:tools?|functions?)\b.*|#{1,6} .*(?:工具|函数).*", re.IGNORECASE)
_EXAMPLE: Final = re.compile(r"(?:for )?(?:an? )?examples?\b.{0,40}|.*\bformat\b.{0,20}", re.IGNORECASE)
_OPENING_FENCE: Final = re.compile(r"```\w{0,10}\s*\Z")


class Prompt(NamedTuple):
    """A text, taken apart.

    Attributes:
        own: the text without what is about tools.
        tools: the tools that were declared in what was taken out.
        declares: ``own`` still declares tools.
        markup: the tags for tools and calls that ``own`` still has.
    """

    own: str
    tools: list[Tool]
    declares: bool = False
    markup: tuple[str, ...] = ()


def may_instruct(text: str) -> bool:
    """Whether a text may declare tools or ask for calls in some markup: a cheap check that is true for all that do."""
    if "{" not in text and "<" not in text and "[" not in text and "✿" not in text and "call" not in text:
        return False
    return any(sign in text for sign in SIGNS[3:]) or "Tool" in text or "Function" in text or "TOOL" in text


def without_prompt(text: str, *, is_question: bool = False) -> Prompt | None:
    """Take the part about tools out of a text; ``None`` if there is nothing about tools in any format.

    Args:
        text: a system text, or the first question.
        is_question: only what a dialect writes before a question is taken out.
    """
    if is_question:
        found = stated_tools(text, is_question=True)
        return None if found is None or found.rest is None else Prompt(found.rest, found.tools)
    return _without_prompt(text) if len(text) <= LONGEST and may_instruct(text) else None


def lift_prompts(conversation: Conversation, *, keep: bool = False) -> None:
    """Take what the texts before the first answer say about tools out, since the target says it in its own words.

    What stays is counted: declarations as ``tools_declared_twice``, and markup for calls as ``call_format``. A turn
    that says nothing else goes.

    Args:
        conversation: it gets new messages.
        keep: only count.
    """
    tools = conversation.tools
    if not tools or conversation.text_key is not None:
        return
    messages: list[Message] = []
    given = conversation.messages
    changed = False
    for at, message in enumerate(given):
        role, content = message.get("role"), message.get("content")
        if role not in STATING_ROLES:
            messages += given[at:]
            break
        prompt = without_prompt(content, is_question=role == "user") if isinstance(content, str) else None
        if prompt is not None:
            known = all(_is_declared(tool, tools) for tool in prompt.tools)
            lifted = known and not keep and prompt.own != content
            if prompt.declares or (prompt.tools and not lifted):
                conversation.notes.losses.append("tools_declared_twice")
            if prompt.markup or (not prompt.tools and prompt.own != content and not lifted):
                conversation.notes.losses.append("call_format")
            if lifted:
                changed = True
                message = {**message, "content": prompt.own}
        if not (
            prompt is not None and message.get("content") == "" != content and message.keys() == {"role", "content"}
        ):
            messages.append(message)
        if role == "user":
            messages += given[at + 1 :]
            break
    if changed:
        conversation.row = {**conversation.row, "messages": messages}


def _is_declared(tool: Tool, tools: list[Tool]) -> bool:
    """Whether a tool of a text is among the declared ones, in the same words."""
    return tool in tools or any(_facts(tool) == _facts(other) for other in tools)


def _facts(tool: Tool) -> object:
    """A tool without what notations leave out: null and empty members."""
    function = function_of(tool) or tool
    return {key: value for key, value in function.items() if value not in (None, "", {}, []) and key != "type"}


@lru_cache(maxsize=64)
def _without_prompt(text: str) -> Prompt | None:
    stated = stated_tools(text)
    if stated is not None and stated.rest is not None:
        return Prompt(stated.rest, stated.tools, stated_tools(stated.rest) is not None, _markup(stated.rest))
    pieces = _Pieces(text)
    own = _joined(text, pieces.cut) if pieces.cut else text
    prompt = Prompt(own, pieces.tools, stated_tools(own) is not None, _markup(own))
    return prompt if pieces.cut or prompt.declares or prompt.markup else None


class _Pieces:
    """The parts of a text that are about tools: ``cut`` has their places, in order."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tools: list[Tool] = []
        self.cut = list(self._declared())
        shown = [*self.cut, *self._shown()]
        places = sorted([*_sentences(text, shown), *((*place, True) for place in _merged(shown))])
        cut = [declared or _asks(text[start:end]) for start, end, declared in places]
        declares = bool(self.tools)
        for step in (1, -1):  # what is next to a part, on each side
            order = range(len(places)) if step > 0 else range(len(places) - 1, -1, -1)
            for at in order:
                last = at - step
                if cut[at] or not 0 <= last < len(places) or not cut[last]:
                    continue
                start, end, _ = places[at]
                cut[at] = self._belongs(text[start:end], text[places[last][0] : places[last][1]], step, declares)
        self.cut = [(start, end) for (start, end, _), out in zip(places, cut, strict=True) if out]

    def _declared(self) -> Iterator[tuple[int, int]]:
        """The places of declarations."""
        at = 0
        text = self.text
        for chat in known_chats():
            begin = text.find(chat.tools_open)
            if begin >= 0 and (found := _known_listing(text, begin, chat)) is not None:
                self.tools += found[1]
                yield begin, found[0]
                at = found[0]
                break
        yield from self._listed(at)

    def _listed(self, at: int) -> Iterator[tuple[int, int]]:
        """The places of tools as JSON, with what encloses them."""
        text, tries = self.text, 16
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
        text = self.text
        for match in _TAG.finditer(text):
            start, end = match.span()
            if text[text.rfind("\n", 0, start) + 1 : start].strip() or not _CALL_TAG.search(match[0]):
                continue
            if match[0].startswith(("</", "[/")) or any(first <= start < last for first, last in self.cut):
                continue
            close = _closing(match[0])
            last = text.find(close, end) if close else -1
            if last >= 0 and "\n\n\n" not in text[end:last]:
                last += len(close)
                rest = text[last : text.find("\n", last) if "\n" in text[last:] else len(text)]
                yield start, last + (len(rest) if not rest.strip(" .") else 0)

    def _belongs(self, sentence: str, neighbour: str, step: int, declares: bool) -> bool:
        """Whether a sentence goes with what is taken out after it (``step`` -1) or before it."""
        if _HEADING.fullmatch(sentence) and step < 0:
            return True
        if step < 0 and sentence.endswith((":", "：", "-")) and (_EXAMPLE.fullmatch(sentence[:-1]) or declares):
            return not _TAG.search(sentence) or bool(_CALL_TAG.search(sentence))
        if _TOOLS.search(sentence) or "them" in sentence:
            if _INTRODUCES.match(sentence) and declares:
                return True
        if _resembles(sentence):
            return True
        markup = sentence.startswith(("<", "[", "{", "```", "✿", "}", "]"))
        return step > 0 and neighbour.endswith((":", "：")) and markup or sentence in _words()[1]


_JSON: Final = re.compile(r"[\[{](?=\s{0,200}[\[{\"'])")


def _is_tool(tool: object) -> bool:
    """Whether a JSON object declares a tool: it has a name, and a description or a schema."""
    function = function_of(tool) if isinstance(tool, dict) else None
    return (
        function is not None
        and isinstance(function.get("name"), str)
        and not function.keys().isdisjoint({"description", "parameters", "inputSchema", "input_schema"})
    )


def _known_listing(text: str, begin: int, chat: ChatFormat) -> tuple[int, list[Tool]] | None:
    """Where a declaration that begins with a dialect's words ends, and its tools."""
    start = begin + len(chat.tools_open)
    end = text.find(chat.tools_close, start) if chat.tools_close.strip() else -1
    while end >= 0:
        if tools := chat.read(text[start:end]):
            return end + len(chat.tools_close), tools
        end = text.find(chat.tools_close, end + 1)
    return None


def _enclosed(text: str, start: int, end: int) -> tuple[int, int]:
    """The place of a declaration, with the tags or the fence around it."""
    while True:
        before = text[max(0, start - 100) : start].rstrip()
        after = end + len(text[end : end + 100]) - len(text[end : end + 100].lstrip())
        tag = next(iter(re.findall(r"(?:<[^<>\n]{2,80}>|\[[A-Z_]{5,30}\])\Z", before)), "")
        close = _closing(tag) if tag else ""
        if close and text.startswith(close, after):
            start, end = text.rindex(tag, 0, start), after + len(close)
        elif (fence := _OPENING_FENCE.search(before)) and text.startswith("```", after):
            start, end = text.rindex("```", 0, start), after + 3
        else:
            return start, end


def _closing(tag: str) -> str:
    """The tag that closes one."""
    if tag.startswith("["):
        return f"[/{tag[1:]}"
    name = re.split(r"[\s=]", tag[1:-1] if tag.endswith(">") else tag[1:])[0]
    if tag.startswith(("<|", "<｜")):
        for start, end in (("start", "end"), ("begin", "end")):
            if start in tag:
                return tag.replace(start, end)
    return f"</{name}>"


def _sentences(text: str, without: list[tuple[int, int]]) -> Iterator[tuple[int, int, bool]]:
    """The places of the sentences of a text outside some places."""
    at = 0
    for start, end in [*_merged(without), (len(text), len(text))]:
        first = at
        for match in [*_BETWEEN.finditer(text, at, start), None]:
            last = match.start() if match else start
            begin = first + len(text[first:last]) - len(text[first:last].lstrip())
            stop = begin + len(text[begin:last].rstrip())
            if begin < stop:
                yield begin, stop, False
            first = match.end() if match else start
        at = end


def _merged(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _asks(sentence: str) -> bool:
    """Whether a sentence asks for calls in some markup, or is one that a dialect writes."""
    if sentence in _words()[0]:
        return True
    if any(_CALL_TAG.search(tag) for tag in _TAG.findall(sentence)):
        return bool(_ASKS.search(sentence) and (_CALL.search(sentence) or _TOOLS.search(sentence)))
    return bool(_CALL.search(sentence) and _FORM.search(sentence) and _ASKS.search(sentence))


def _markup(text: str) -> tuple[str, ...]:
    """The tags for tools and calls in a text."""
    return tuple(match[0] for match in _TAG.finditer(text) if _CALL_TAG.search(match[0]))


def _joined(text: str, cut: list[tuple[int, int]]) -> str:
    """A text without some parts. Of the whitespace before and after each, the longer is kept; at the ends, none."""
    own = ""
    at = 0
    gap = ""
    for start, end in [*cut, (len(text), len(text))]:
        kept = text[at:start]
        if kept.strip() or (at == 0 and start == len(text)):
            body = kept.lstrip() if at else kept
            before = kept[: len(kept) - len(body)]
            gap = max(gap, before, key=len)
            stop = body.rstrip() if start < len(text) or end < len(text) else body
            own += (gap if own else "") + stop
            gap = body[len(stop) :]
        else:
            gap = max(gap, kept, key=len)
        at = end
    return own


# ── the words of all dialects ──


def _words() -> tuple[frozenset[str], frozenset[str], list[str]]:
    return _words_of(tuple(known_chats()))


@lru_cache(maxsize=1)
def _words_of(chats: tuple[ChatFormat, ...]) -> tuple[frozenset[str], frozenset[str], list[str]]:
    """The sentences that dialects write around tools: those long enough to be known anywhere, the short, both sorted."""
    texts = [text for chat in chats for text in (chat.tools_open, chat.tools_close)]
    found = set[str]()
    for text in [*texts, *OTHER_WORDINGS]:
        found |= {text[start:end] for start, end, _ in _sentences(text, [])}
    known = frozenset(sentence for sentence in found if len(sentence.encode()) >= _KNOWN)
    return known, frozenset(found - known), sorted(known)


def _resembles(sentence: str) -> bool:
    """Whether a sentence begins like one that a dialect writes, for half of it."""
    ordered = _words()[2]
    at = bisect_left(ordered, sentence)
    for known in ordered[max(0, at - 1) : at + 1]:
        if len(commonprefix((known, sentence)).encode()) >= max(_KNOWN, len(known.encode()) // 2):
            return True
    return False
