"""What looks like a call in a text: the markers of all dialects, tags like them, and the names of declared tools.

Calls that a person shows in inline code or in a code block are not calls, so code is left out of the search.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from toolconv.core import lenient_json
from toolconv.core.conversation import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects import registered
from toolconv.dialects.base import Dialect
from toolconv.dialects.damaged_markup import TELLING, calls_by_arguments, damaged_tags
from toolconv.dialects.detection import CATCH_ALL, rank

SIGNS: Final = ("<", "{", "[", "✿")
"""Every telling marker, and every call of a declared tool, holds one of these."""

# What tags look like, and which words in them, in lower case, begin a call, end one, or do neither.
_TAG: Final = re.compile(r"<[^<>\n]{2,80}+>|<[\w:|｜.\-▁ ]{2,60}+=|\[/?[A-Za-z_]{4,30}+\]|✿\w{2,20}+✿")
_CALL_WORDS: Final = re.compile(r"tool.?call|tool.?use|use.{0,12}tool|function.?call|invoke|mcp.{0,4}tool")
_OPENS: Final = re.compile(
    r"<[|｜]?tool.{0,24}(?:start|begin)|<function[ =]|\[tool|✿function|<\|plugin|<\|action.?start"
)
_NO_CALL: Final = re.compile(
    r"respon|result|output|arg|param|value|sep\b|example|format|declar|definition|list|count|choice"
)
_CLOSES: Final = re.compile(r"^<.?/|^\[/|end|close|stop")
_SPACE: Final = r"[ \t\r\n]"
_NAMED: Final = re.compile(
    r'["\'](?:name|tool_name|tool|function|function_name|action)["\']'
    rf"{_SPACE}{{0,20}}:{_SPACE}{{0,20}}"
    r'["\']([^"\'\n]{1,128})["\']'
)
"""A member of an object that names a tool."""
_UNTAGGED: Final = re.compile(
    rf"(?<![\w.\-])([\w.\-]{{2,128}}+)(?::\d{{1,6}}+)?{_SPACE}{{0,4}}+(?:\[ARGS\]|<[^<>\n]{{1,40}}+>)?{_SPACE}{{0,4}}+\{{"
)
"""A name with an object after it. It begins where a word does, so a long word is looked at once."""
_ARGUMENTS: Final = re.compile(rf'{_SPACE}{{0,20}},{_SPACE}{{0,20}}["\']arguments["\']{_SPACE}{{0,20}}:')
"""The member of a call object that usually follows its name."""
_DECLARES: Final = re.compile(
    rf'{_SPACE}{{0,20}},{_SPACE}{{0,20}}["\'](?:description["\']|parameters["\']{_SPACE}{{0,20}}:{_SPACE}{{0,20}}\{{'
    rf'{_SPACE}{{0,20}}["\'](?:type|properties)["\'])'
)
"""What follows the name in a declaration."""
_PYTHON: Final = re.compile(r"^[ \t]*(?:\[(?:[^\n]{0,2000}?[ ,])??)?([\w.]{2,128})\(", re.MULTILINE)
"""A line that begins with a call, or with a list that holds one."""
_STRUCTURE: Final = re.compile(r"[{}=(\[<]")
_WORD: Final = re.compile(r"\w")
_FENCE: Final = re.compile(r"```[^\n`]{0,40}\n.*?(?:\n[ \t]{0,8}```|\Z)", re.DOTALL)
_INLINE: Final = re.compile(r"``[^\n]{1,2000}?``|`[^`\n]{1,2000}`")


_EMPTY_PAIR: Final = re.compile(r"&lt;[^<>&\s]{1,60}&gt;\s{0,8}&lt;/[^<>&\s]{1,60}&gt;")
"""Escaped tags around a call that was read."""


class CallSign(NamedTuple):
    """A place in a text that looks like a call: ``text[start:end]`` is its marker, or what names its tool."""

    start: int
    end: int


def unread_calls(text: str, tools: ToolIndex) -> list[CallSign]:
    """The places of a text that look like calls, one for each call."""
    for sign in SIGNS:
        if sign in text:
            break
    else:
        if not ("&" in text and "&lt;" in text) and not ("=" in text and tools):
            return []
    if "&" in text and "&lt;" in text:
        text = _EMPTY_PAIR.sub(_spaces, text)
        text = text.replace("&lt;", "   <").replace("&gt;", ">   ").replace("&quot;", '     "')
    if "\\" in text and "\\n" in text and "\n" not in text:  # escaped twice
        text = text.replace("\\n", " \n").replace('\\"', '" ')
    unshown = text
    if "`" in text:
        unshown, text = without_shown(text), without_code(text)
        if unshown == text and "=" not in text and not any(sign in text for sign in SIGNS):
            return []
    hits, closers = [], []
    for match in _TAG.finditer(text):
        kind = _kind_of(match[0])
        if kind == "open" and not _is_mention(text, *match.span()):
            hits.append(CallSign(*match.span()))
        elif kind == "close":
            closers.append(CallSign(*match.span()))
    table = _table(registered())
    if any(sign in text for sign in TELLING):
        known = {
            match.start() for match in _TAG.finditer(text) if _kind_of(match[0]) or match[0].lower() in table.parts
        }
        hits += [CallSign(*span) for span in damaged_tags(text, table.openers) if span[0] not in known]
        hits.sort()
    hits = _grouped(text, hits)
    if not hits:
        closers += [CallSign(*match.span()) for match in _TAG.finditer(text) if match[0].lower() in table.parts]
        hits = [each for each in sorted(closers) if not _is_mention(text, *each)][:1]
    named = _named(text, tools) if "{" in text or (tools and "(" in text) else []
    if tools:
        named += [CallSign(*span) for span in calls_by_arguments(unshown, tools)]
    return _with_named(hits, named) if named else hits


def _named(text: str, tools: ToolIndex) -> list[CallSign]:
    """The places of a text that name a tool to call: members of objects, names before objects, lines of Python."""
    found = []
    for match in _NAMED.finditer(text):
        if _DECLARES.match(text, match.end()):
            continue
        if match[1].removeprefix("functions.") in tools or _ARGUMENTS.match(text, match.end()):
            found.append(CallSign(*match.span()))
    if tools:
        found += [CallSign(*match.span(1)) for match in _UNTAGGED.finditer(text) if _bare(match[1]) in tools]
        found += [CallSign(*match.span(1)) for match in _PYTHON.finditer(text) if match[1] in tools]
    return found


def without_code(text: str) -> str:
    """A text with spaces in place of its inline code and code blocks, so that places stay the same."""
    return _INLINE.sub(_spaces, _FENCE.sub(_spaces, text))


def without_shown(text: str) -> str:
    """A text like :func:`without_code`, with the code blocks of a text that ends in one: these may be calls."""
    if "`" not in text:
        return text
    if "```" in text and not _explains_code(text):
        return _INLINE.sub(_spaces, text)
    return without_code(text)


def _spaces(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _is_mention(text: str, start: int, end: int) -> bool:
    """Whether a sentence only mentions the tag ``text[start:end]``: words go on before and after it on its line."""
    low = max(0, start - 200)
    before = text[max(low, text.rfind("\n", low, start) + 1) : start]
    stop = text.find("\n", end, end + 400)
    after = text[end : stop if stop >= 0 else end + 400]
    if before[-1:] in "\"'“‘«" and after[:1] in "\"'”’»" and before and after:
        return True
    word = before.rstrip()[-1:]
    if (
        not (word.isalnum() or (word and word in ",("))
        or not after
        or not (after[0].isspace() or after[0] in ".,;:)!?")
    ):
        return False
    rest = _TAG.sub("", after).strip()
    return bool(rest) and not _STRUCTURE.search(rest)


# ── markers that are only shown ──

_MASKS: Final = {"<": "\ue001", "[": "\ue002", "✿": "\ue003", "{": "\ue004"}
_UNMASK: Final = {ord(mask): sign for sign, mask in _MASKS.items()}
_MASK: Final = str.maketrans(_MASKS)


def mask_shown(text: str, tools: ToolIndex, *, plain_fences: bool = False) -> str:
    """A text in which placeholders stand for the markup that it only shows; ``text`` itself if there is none.

    Markup is shown in inline code, where a sentence mentions a tag, and in code blocks that prose follows, unless they
    name a declared tool. :func:`unmasked` undoes it.

    Args:
        text: an assistant turn.
        tools: the tools declared to the model.
        plain_fences: code blocks without tags may hold calls, and so show them.
    """
    if not any(sign in text for sign in _MASKS) or any(mask in text for mask in _MASKS.values()):
        return text
    places = [match.span() for match in _TAG.finditer(text) if _kind_of(match[0]) and _is_mention(text, *match.span())]
    if "`" in text:
        spans = [match.span() for match in _INLINE.finditer(_FENCE.sub(_spaces, text))]
        places += [(start, end) for start, end in spans if _is_shown(text, start, end)]
        if "```" in text and _explains_code(text):
            places += _shown_fences(text, tools, plain=plain_fences)
    if not places:
        return text
    pieces: list[str] = []
    at = 0
    for start, end in sorted(places):
        if end > at:
            pieces += text[at : max(at, start)], text[max(at, start) : end].translate(_MASK)
            at = end
    return "".join([*pieces, text[at:]])


def _explains_code(text: str) -> bool:
    """Whether prose follows the last code block of a text: then it may show an example, not a call."""
    return text.count("```") % 2 == 0 and _WORD.search(text, text.rfind("```")) is not None


def _shown_fences(text: str, tools: ToolIndex, *, plain: bool) -> list[tuple[int, int]]:
    """The code blocks that show calls, where prose follows the last one."""
    found = []
    if not marked_dialects(_FENCE.sub(_spaces, text)):  # else the blocks may be parts of calls
        for match in _FENCE.finditer(text):
            tagged = any(_kind_of(tag) for tag in _TAG.findall(match[0]))
            if (tagged or plain) and not any(name in match[0] for name in tools.functions):
                found.append(match.span())
    return found


def _is_shown(text: str, start: int, end: int) -> bool:
    """Whether inline code shows a whole call, or none: a lone backtick before a call does neither."""
    inside = text[start:end].strip("` ")
    return inside.startswith(tuple(_MASKS)) or "{" not in inside


def unmasked(value: Any) -> Any:
    """A text, or JSON value, without the placeholders of :func:`mask_shown`."""
    if isinstance(value, str):
        return value.translate(_UNMASK)
    if isinstance(value, dict):
        return {unmasked(key): unmasked(item) for key, item in value.items()}
    return [unmasked(item) for item in value] if isinstance(value, list) else value


def _bare(name: str) -> str:
    return name.removeprefix("functions.").removeprefix("call:")


@lru_cache(maxsize=1024)
def _kind_of(tag: str) -> str:
    """``open`` for a tag that begins a call, ``close`` for one that ends it, otherwise an empty text."""
    word = tag.lower()
    if _NO_CALL.search(word) or not (_CALL_WORDS.search(word) or _OPENS.match(word)):
        return ""
    return "close" if _CLOSES.search(word) else "open"


def _grouped(text: str, hits: list[CallSign]) -> list[CallSign]:
    """Hits with nothing but white space between them joined: they open the same call."""
    joined: list[CallSign] = []
    for hit in hits:
        if joined and not text[joined[-1].end : hit.start].strip():
            joined[-1] = CallSign(joined[-1].start, hit.end)
        else:
            joined.append(hit)
    return joined


def _with_named(hits: list[CallSign], named: list[CallSign]) -> list[CallSign]:
    """All hits in order; the first name after an opening tag belongs to the tag's call."""
    marked = set(hits)
    result: list[CallSign] = []
    taken = True
    end = 0  # of the last name: two ways to find a name may find the same one
    for hit in sorted({*hits, *named}):
        if hit not in marked:
            if hit.start < end:
                continue
            end = hit.end
        if hit in marked:
            result.append(hit)
            taken = False
        elif result and (not taken or hit.start < result[-1].end):
            taken = True
        else:
            result.append(hit)
    return result


def untagged_calls(text: str, tools: ToolIndex) -> tuple[list[ToolCall], str] | None:
    """The calls of declared tools in a text whose markers were stripped, and the rest of the text.

    Servers that skip special tokens leave ``get_weather{"city": "Paris"}`` or ``functions.get_weather:0{…}``. The name
    must begin a line, and the object must have parameters of the tool only.

    Returns:
        ``None`` if there are none.
    """
    calls: list[ToolCall] = []
    rest, at = "", 0
    budget = 4 * len(text) + 100_000  # characters of objects that can't be read; what is left then counts as unread
    for match in _UNTAGGED.finditer(text):
        name = _bare(match[1])
        if match.start() < at or name not in tools or not _begins_line(text, match.start(), at):
            continue
        if budget <= 0:
            break
        try:
            reading = lenient_json.read(text, match.end() - 1)
        except lenient_json.Unreadable as error:
            budget -= error.at - match.end() + 200
            continue
        known = (tools.parameters(name) or {}).get("properties")
        if reading.repairs or not isinstance(reading.value, dict) or (known and not reading.value.keys() <= set(known)):
            budget -= reading.end - match.end()
            continue
        calls.append(ToolCall(name, reading.value))
        rest, at = rest + text[at : match.start()], reading.end
    return (calls, (rest + text[at:]).strip()) if calls else None


def _begins_line(text: str, place: int, floor: int) -> bool:
    """Whether only whitespace precedes ``place`` on its line, or from ``floor`` on."""
    while place > floor and text[place - 1] != "\n":
        if not text[place - 1].isspace():
            return False
        place -= 1
    return True


# ── dialects by their markers ──


def marked_dialects(text: str) -> list[Dialect]:
    """The dialects that have a marker in a text, in any case: those that frame answers as the text does, by rank."""
    table = _table(registered())
    folded = _folded(text)
    found = {word for word in table.words if word in folded}
    found.update(word for word in table.plain_words if word in text)
    if not found:
        return []
    marked = [each for each in table.dialects if not found.isdisjoint(each.markers)]
    marked.sort(key=lambda each: found.isdisjoint(each.frames))  # stable
    return [each.dialect for each in marked]


def may_show_calls(text: str) -> bool:
    """Whether a text may hold a call, with or without a marker. False positives are allowed."""
    for sign in SIGNS:
        if sign in text:
            return True
    return "(" in text or any(word in text for word in _table(registered()).plain_words)


def markerless_dialects() -> tuple[Dialect, ...]:
    """The dialects whose calls may be in a text without a marker."""
    return _table(registered()).markerless


def reasoning_dialect(text: str) -> Dialect | None:
    """The dialect whose mark of reasoning begins a text; ``None`` for ``<think>``, which is of no family."""
    dialects = (each.dialect for each in _table(registered()).dialects)
    start = text.lstrip()
    return next(
        (
            each
            for each in dialects
            if each.reasoning.open not in ("", "<think>") and start.startswith(each.reasoning.open)
        ),
        None,
    )


def plain_dialect() -> Dialect:
    """The dialect for texts that show none: it splits off ``<think>`` and turn tokens."""
    return _table(registered()).dialects[0].dialect


class _Marked(NamedTuple):
    """A dialect, its markers, and those of them that are also around answers without calls; all folded."""

    dialect: Dialect
    markers: frozenset[str]
    frames: frozenset[str]


class _Table(NamedTuple):
    dialects: tuple[_Marked, ...]
    words: frozenset[str]
    plain_words: tuple[str, ...]
    markerless: tuple[Dialect, ...]
    parts: frozenset[str]
    openers: frozenset[str]


@lru_cache(maxsize=1)
def _table(registered: tuple[Dialect, ...]) -> _Table:
    ordered = sorted(registered, key=lambda each: (rank(each.name), each.name))
    dialects = [each for each in ordered if each.name not in CATCH_ALL]
    marked = []
    plain: set[str] = set()
    for dialect in dialects:
        frames = _frames(dialect)
        plain.update(word for word in dialect.markers if not any(sign in word for sign in SIGNS))
        markers = frozenset(_folded(word) for word in (*dialect.markers, *frames))
        if dialect.markers:
            marked.append(_Marked(dialect, markers, frozenset(map(_folded, frames))))
    words = frozenset().union(*(each.markers for each in marked)) - plain
    bare = [each for each in dialects if not each.markers or getattr(each, "bare", "") == "always"]
    parts = frozenset(part.lower() for part in _parts(dialects))
    openers = frozenset(marker.strip() for dialect in dialects for marker in dialect.markers)
    return _Table(tuple(marked), words, tuple(sorted(plain)), tuple(bare), parts, openers)


def _parts(dialects: Iterable[Dialect]) -> Iterator[str]:
    """The tags in the call templates of dialects that nothing else in a turn has."""
    for dialect in dialects:
        if dialect.calls is not None:
            call = dialect.calls
            others = "".join((call.turn, call.turn_without_calls, call.turn_without_prose, *dialect.turn_tokens))
            text = "\n".join((call.before, call.call, call.param, call.between, call.after))
            yield from (tag for tag in _TAG.findall(text) if "{" not in tag and tag not in others and len(tag) > 5)


def _frames(dialect: Dialect) -> list[str]:
    """The tags around an answer without calls."""
    if dialect.calls is None:
        return []
    before, _, after = dialect.calls.turn_without_calls.partition("{prose}")
    return [text.strip() for text in (before, after) if "<" in text]


def _folded(text: str) -> str:
    """A text as tags are compared: any case, either kind of bar and of space. Words compare as they are."""
    if not any(sign in text for sign in SIGNS):
        return text
    return text.lower().replace("｜", "|").replace("▁", "_")
