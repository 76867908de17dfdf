"""Calls without a marker that a text only shows: in a sentence, in code, in a log line, in a JSON document.

Such a call is one where it is the whole turn, whole lines or a whole code block. Text before or after it on its line,
other than markup and the punctuation of lists, means that somebody writes about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.call_keys import ARGUMENT_KEYS, ENVELOPE_KEYS, NAME_KEYS, RARE_ARGUMENT_KEYS, RARE_NAME_KEYS
from toolconv.core.errors import near_name
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing.markers import marked_dialects, openers
from toolconv.dialects.lexing.mentions import end_of_bracket, kind_of
from toolconv.dialects.lexing.surroundings import follows_statement

_OBJECT: Final = lazy_re(r"\{[ \t\r\n]{0,20}\\?[\"']?\w{1,40}\\?[\"']?[ \t]{0,8}:")
"""An object with members."""
_KEYS: Final = "|".join(dict.fromkeys((*NAME_KEYS, *RARE_NAME_KEYS, *ARGUMENT_KEYS, *RARE_ARGUMENT_KEYS)))
_BEGINS_CALL: Final = lazy_re(rf"\{{[ \t\r\n]{{0,20}}\\?[\"']?(?:{_KEYS})\\?[\"']?[ \t]{{0,8}}:")
"""An object that begins with the name or the arguments of a call."""
_VALUE: Final = lazy_re(r"\s*[\"']([^\"'\n]{1,128})[\"']")
_NAME: Final = lazy_re(rf"[{{,\s\"'](?:{'|'.join((*NAME_KEYS, *RARE_NAME_KEYS))})\\?[\"']?[ \t]{{0,8}}:")
_ARGUMENTS: Final = lazy_re(rf"[{{,\s\"'](?:{'|'.join((*ARGUMENT_KEYS, *RARE_ARGUMENT_KEYS))})\\?[\"']?[ \t]{{0,8}}:")
_CALL: Final = lazy_re(r"(?<![\w./])(?<![A-Za-z0-9_]-)([^\W\d](?:[\w.]|\\_){0,127}) ?\(")
_ASCII_END: Final = lazy_re(r"[A-Za-z_][A-Za-z0-9_.]*\Z")
"""The name at the end of a word, in a language that writes no spaces."""
_PUNCTUATION: Final = " \t\r[](){},;`\"'*_"
_OPENING: Final = " \t[({`"
"""What holds the calls of a list together, or stands around a call that is all of its line."""
_MARKUP: Final = ("<", ">", "|", "｜", "✿", "\\n", "[/", "&lt;", "&gt;")
"""What the markup around a call ends and begins with; line breaks of a text that was escaped twice are none."""
_TAG_END: Final = lazy_re(r"(\[/?[A-Za-z_]{4,30}\])[ \t]*\Z")
_CUT_TAG: Final = lazy_re(r"<[^<>\s]{2,60}[ \t]*\Z")
"""The beginning of a tag, just before a call."""
_BETWEEN: Final = lazy_re(r"[ \t\r\n\]\),;]*+")
_GOES_ON: Final = lazy_re(r"[ \t\])}]*(?:[,;][ \t]*)?(?:[{\[]|[^\W\d][\w.]{0,127}\()")
"""Another call, which may be cut."""
_WORDS: Final = lazy_re(r"\A[^\s=+*()]*(?: [^\s=+*()]+){0,4}\Z")
"""What may be a name, even with damage: a few words, and no formula."""
_CODE_LINE: Final = lazy_re(r"\s*[^\s<].*[^\s\[(,]\s*\Z")
"""A line that opens neither a list nor a tag."""
_PROMPT: Final = lazy_re(r"[ \t]*(?:>>>|\.\.\.|[>$]|\d{1,6} ?\||\[?\d{1,2}:\d\d(?::\d\d)?\]?)[ \t]")
"""A prompt of a shell, a quotation mark of Markdown, the number of a line, or the time of a message."""
_SESSION: Final = lazy_re(r"[ \t]*[A-Za-z]{2,12}>[ \t]+\Z")
"""The prompt of a program that reads code."""
_SIGNATURE: Final = lazy_re(
    r"[\w.]{1,128} ?\((?:(?!True\b|False\b|None\b)[A-Za-z_]\w*"
    r"(?:: ?[A-Za-z][\w.]*+(?:\[[\w\[\]., |]{0,40}\])?)?(?:, ?|(?=\))))++\)"
)
"""The parameters of a function, without values."""
_NO_LEAD: Final = lazy_re(
    r"\A[ \t]*\[[^\[\]{}]{0,60}[\d:.\-][^\[\]{}]{0,60}\]|\d:\d\d:\d\d|\w\([^()\n]{0,200}\Z"
    r"|\A[ \t]*[\w.]{1,20}(?::[\w.]{1,40}){0,3}:\s*\Z"
)
"""What words that lead to a call don't have: the source, time or level of a log line, an open bracket of code."""
_KEYWORD: Final = lazy_re(r"(?<![\w.])(?:in|return|yield|await|lambda|not|assert|else)[ \t]+\Z")
"""What precedes a call in code."""
_RESPONDS: Final = lazy_re(r"(?:Observation|Result|Response|Output)\b|(?:user|assistant|tool|system)\s*$", re.MULTILINE)
"""What a model makes up that another role would say."""
_PIPE: Final = lazy_re(r"\|(?:[ \t]|\Z)")
_QUOTED: Final = tuple("=('\"“„«`")
"""What precedes a call that code assigns, passes or quotes."""
MAX_LINE: Final = 4000
"""How much of a line is looked at on each side of a call, in characters."""
MAX_CALLS: Final = 2000
"""How many calls of a text are looked at."""
MAX_UNCLOSED: Final = 16
"""How often the rest of a text is searched for the end of a call that nothing closes."""


def shown_calls(text: str, tools: ToolIndex) -> list[tuple[int, int]]:
    """The places of the calls without a marker that a text only shows, in order.

    Args:
        text: an assistant turn.
        tools: the tools declared to the model.
    """
    if "{" not in text and "(" not in text:
        return []
    bare = text.strip()
    if bare[:1] + bare[-1:] in ("{}", "[]"):
        try:
            value = jsontext.loads(bare)
        except ValueError:
            if end_of_bracket(bare, 0) in (None, len(bare)):
                return []  # a damaged list, or object
            if _are_records(bare, tools):
                return [(0, len(text))]
        else:
            return [(0, len(text))] if is_document(value, tools) else []
    found: list[tuple[int, int]] = []
    between: list[tuple[int, int]] = []
    at_edge = False
    for start, end, python, alone in _runs(text, tools):
        if python:
            shown = _is_shown(text, start, end, python) or _SIGNATURE.fullmatch(text, start, end) is not None
        else:
            shown = (alone and _is_shown(text, start, end, python)) or (
                _BEGINS_CALL.match(text, start) is None and _is_record(text, start, end, tools)
            )
        if shown:
            found.append((start, end))
        elif alone and _is_between_words(text, start, end, tools):
            between.append((start, end))
        else:
            at_edge = True
    return found if at_edge or (between and marked_dialects(text)) else sorted([*found, *between])


def is_document(value: Any, tools: ToolIndex) -> bool:
    """Whether an object or a list that is a whole text is data: calls are deeper in it, or there are none."""
    if isinstance(value, dict):
        return not _may_be_call(value, tools) or (
            not _has_envelope(value) and len(value.keys() - _OWN) > MAX_OTHERS * _is_named(value, tools)
        )
    if any(isinstance(item, int | float) for item in value):
        return True
    return bool(value) and not any(_may_be_call(item, tools) for item in value)


def _is_record(text: str, start: int, end: int, tools: ToolIndex) -> bool:
    """Whether an object among words has several members that no call has, and no name of a tool precedes it."""
    if text[:start].rstrip().endswith(tuple(tools.functions)):
        return False
    try:
        value = jsontext.loads(text[start:end])
    except ValueError:
        return False
    return isinstance(value, dict) and not _has_envelope(value) and len(value.keys() - _OWN) > MAX_OTHERS


def _are_records(text: str, tools: ToolIndex) -> bool:
    """Whether each line of a text is an object, and one of them is data."""
    try:
        values = [jsontext.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError:
        return False
    return all(isinstance(value, dict) for value in values) and any(is_document(value, tools) for value in values)


_OWN: Final = frozenset({*NAME_KEYS, *RARE_NAME_KEYS, *ARGUMENT_KEYS, *RARE_ARGUMENT_KEYS, *ENVELOPE_KEYS})
MAX_OTHERS: Final = 1
"""An object with more members than this that calls don't have is a record."""
_ENVELOPES: Final = frozenset(
    {"tool_calls", "tool_uses", "tool_call", "function_call", "function_calls", "calls", "content", "role", "choices"}
)


def _has_envelope(value: dict[str, Any]) -> bool:
    """Whether a member of an object may hold calls, or a message."""
    if _ENVELOPES.isdisjoint(value):
        return False
    return any(isinstance(value.get(key), dict | list | str) for key in _ENVELOPES)


def _declares(value: dict[str, Any]) -> bool:
    """Whether an object declares a tool."""
    parameters = value.get("parameters", value.get("input_schema"))
    return "description" in value and isinstance(parameters, dict) and not {"type", "properties"}.isdisjoint(parameters)


def _is_named(value: dict[str, Any], tools: ToolIndex) -> bool:
    """Whether an object names a declared tool; the key of the name may be damaged."""
    return any(isinstance(member, str) and member in tools for member in value.values())


def _may_be_call(value: Any, tools: ToolIndex) -> bool:
    """Whether a value is a call, holds calls where an envelope has them, or has the name of a tool as its key."""
    if not isinstance(value, dict):
        return isinstance(value, list) or (isinstance(value, str) and "(" in value)
    inner = value.get("function", value)
    if isinstance(inner, dict) and _declares(inner):
        return False
    if _has_envelope(value) or isinstance(value.get("function"), dict):
        return True
    names = [value.get(key) for key in (*NAME_KEYS, *RARE_NAME_KEYS)]
    name = any(isinstance(each, dict) or (isinstance(each, str) and _WORDS.search(each)) for each in names)
    if name and (not tools or any(_calls(value, value.get(key), tools) for key in value)):
        return True
    if name and any(key in value for key in (*ARGUMENT_KEYS, *RARE_ARGUMENT_KEYS)):
        return True
    if tools and any(isinstance(member, str) and member in tools for member in value.values()):
        return any(isinstance(member, dict) and key not in ENVELOPE_KEYS for key, member in value.items())
    return len(value) == 1 and (not tools or _names_about(next(iter(value)), tools))


def _calls(value: dict[str, Any], name: Any, tools: ToolIndex) -> bool:
    """Whether an object may call the declared tool of a name: not if its other members are none of the arguments."""
    if not isinstance(name, str) or name not in tools:
        return False
    others = [key for key, member in value.items() if member != name]
    known = {*ARGUMENT_KEYS, *RARE_ARGUMENT_KEYS, *((tools.parameters(name) or {}).get("properties") or ())}
    return (
        len(others) < 2
        or not known.isdisjoint(others)
        or any(isinstance(member, dict) and key not in ENVELOPE_KEYS for key, member in value.items())
    )


def _names_about(key: str, tools: ToolIndex) -> bool:
    """Whether a key is the name of a declared tool, or nearly."""
    return key in tools or near_name(key, tools.functions, 0.8) is not None


def _runs(text: str, tools: ToolIndex) -> Iterator[tuple[int, int, bool, bool]]:
    """Where calls stand that only separators separate, whether the first is written in Python, and is the only one."""
    run: tuple[int, int, bool, bool] | None = None
    for start, end, python in _places(text, tools):
        if run is not None and start < run[1]:
            continue  # inside of the one before
        between = _BETWEEN.match(text, run[1]) if run is not None else None
        if run is not None and between is not None and text[between.end() : start].strip("[({ \t`") == "":
            run = run[0], end, run[2], False
            continue
        if run is not None:
            yield run
        run = start, end, python, True
    if run is not None:
        yield run


def _places(text: str, tools: ToolIndex) -> Iterator[tuple[int, int, bool]]:
    """Where calls without a marker stand: objects, and calls in Python of declared tools, or in lists of these."""
    places = [(match.start(), match.start(), False) for match in _OBJECT.finditer(text)] if "{" in text else []
    if "(" in text:
        for match in _CALL.finditer(text):
            name = match[1].replace("\\_", "_")
            place = match.start()
            if name not in tools and not name.isascii() and (tail := _ASCII_END.search(name)) is not None:
                place, name = place + tail.start(), tail[0]
            if name in tools or text[max(0, place - 1) : place] == "[":
                places.append((place, match.end() - 1, True))
    at, left = 0, MAX_UNCLOSED * len(text)
    for start, bracket, python in sorted(places)[:MAX_CALLS]:
        if start < at:
            continue
        end = end_of_bracket(text, bracket)
        if end is None:
            left -= len(text) - bracket
            if left < 0:
                return
            continue
        if python or _may_call(text, start, end, tools):
            yield start, end, python
        elif left > 0:  # what is in it may be one
            left -= end - start
            continue
        at = end


def _may_call(text: str, start: int, end: int, tools: ToolIndex) -> bool:
    """Whether the object ``text[start:end]`` may be a call: it has a name and arguments, or only the name of a tool."""
    named = _NAME.search(text, start, end)
    if named is None:
        return False
    if _ARGUMENTS.search(text, start, end) is None:
        value = _VALUE.match(text, named.end())
        return value is not None and value[1] in tools and text[value.end() : end].strip() == "}"
    if _BEGINS_CALL.match(text, start):
        return True
    if text[max(0, start - 20) : start].rstrip().endswith(":"):
        return False  # a value of a damaged object
    try:
        value = jsontext.loads(text[start:end])
    except ValueError:
        return False
    return not {*NAME_KEYS, *RARE_NAME_KEYS}.isdisjoint(value) and not {*ARGUMENT_KEYS, *RARE_ARGUMENT_KEYS}.isdisjoint(
        value
    )


def _is_shown(text: str, start: int, end: int, python: bool) -> bool:
    """Whether other text stands on the lines of a call, or of several, at ``text[start:end]``."""
    before = text[max(text.rfind("\n", 0, start) + 1, start - MAX_LINE) : start]
    stop = text.find("\n", end, end + MAX_LINE)
    after = text[end : stop if stop >= 0 else end + MAX_LINE]
    if _PROMPT.match(before) or (
        python
        and (_SESSION.fullmatch(before) or _is_indented(text, before, start) or _is_statement(text, before, start))
    ):
        return True
    if _KEYWORD.search(before) or (python and after.lstrip(" \t").startswith("{")):
        return True  # what it defines or selects, or a part of code
    following = after.lstrip(_PUNCTUATION)
    if (following.startswith(_MARKUP) and not _PIPE.match(following)) or _GOES_ON.match(after):
        return False
    lead = before.rstrip(_OPENING)
    if text[max(0, start - MAX_LINE) : start].rstrip(_OPENING + "\r\n").endswith(_MARKUP) and not before.endswith("| "):
        return False
    if _CUT_TAG.search(lead):
        return False
    if lead.strip() and (_ends_in_tag(lead) or before.rstrip().endswith(_words())):
        return False
    if before.lstrip().startswith("[") and before.count("[") > before.count("]"):
        return False  # a damaged list
    if python and after[:1] in (" ", ",") and following[:1].isalpha():
        return True  # a sentence goes on
    listed = before.endswith("[") and text[end:].rstrip().endswith("]")
    if (
        (listed or not python) and not following and not text[end + len(after) :].strip()
    ):  # words lead to the call that ends the turn
        opening = before.rstrip(" \t[{")
        quoted = opening.endswith(_QUOTED) and (opening[-1] not in "\"'" or opening[-1] in text[end:])
        return quoted or _NO_LEAD.search(lead) is not None
    return bool(following) or bool(lead.strip(" \t\r\n*_"))


def _is_between_words(text: str, start: int, end: int, tools: ToolIndex) -> bool:
    """Whether a sentence goes on around the lines of ``text[start:end]``, which then only show it.

    Lines that call a declared tool are a call.
    """
    before = text[max(0, start - MAX_LINE) : start].rstrip(_OPENING + "\r\n")
    after = text[end : end + MAX_LINE].lstrip(_PUNCTUATION + "\n")
    if (
        not before.strip()
        or not after
        or after.startswith(_MARKUP)
        or _GOES_ON.match(text, end)
        or before.endswith((*_MARKUP, *_words()))
    ):
        return False
    fenced = text.count("```", 0, start) % 2 == 1 or _ends_in_tag(before) or _CUT_TAG.search(before)
    if fenced or _RESPONDS.match(after):
        return False
    declared = before.endswith(tuple(tools.functions)) or any(name in text[start:end] for name in tools.functions)
    return after[0].islower() and not declared


def _ends_in_tag(text: str) -> bool:
    """Whether a text ends in a tag of calls in square brackets."""
    tag = _TAG_END.search(text)
    return tag is not None and kind_of(tag[1]) != ""


def _is_statement(text: str, before: str, start: int) -> bool:
    """Whether a line of a program is above a call that begins its line."""
    return not before.strip() and follows_statement(text, start - len(before))


def _is_indented(text: str, before: str, start: int) -> bool:
    """Whether a line is indented below the one before it, which opens no list: it is a line of code."""
    above = text[max(0, start - len(before) - MAX_LINE) : start - len(before)].rstrip("\n").rpartition("\n")[2]
    return len(before) >= 4 and before.isspace() and _CODE_LINE.match(above) is not None


def _words() -> tuple[str, ...]:
    """The markers of all dialects, which may end what precedes a call."""
    return tuple(marker.strip() for marker in openers() if marker.strip() not in ("{", "[", "("))
