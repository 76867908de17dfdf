"""Finds the calls that a text only shows: in a sentence, in code, in a log line, in a JSON document.

``surroundings.py`` decides. A JSON document is data, and so is an object with members that no call has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.call_keys import (
    ARGUMENT_KEYS,
    CALL_KEYS,
    CALLS_KEYS,
    ENVELOPE_KEYS,
    NAME_KEYS,
    NO_CONTENT,
    PROSE_KEYS,
    RARE_ARGUMENT_KEYS,
    RARE_NAME_KEYS,
)
from toolconv.core.calls import envelope_of
from toolconv.core.errors import near_name
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing.markers import openers
from toolconv.dialects.lexing.mentions import DISTINCTIVE, TAG, Brackets, kind_of
from toolconv.dialects.lexing.surroundings import MAX_LINE, Form, end_of_markup, is_shown
from toolconv.dialects.lexing.tag_search import backwards
from toolconv.dialects.lexing.trie import WordSet
from toolconv.dialects.vocabulary import Vocabulary, of_vocabulary

_OBJECT: Final = lazy_re(r"\{[ \t\r\n]{0,20}\\?[\"']?\w{1,40}\\?[\"']?[ \t]{0,8}:")
"""An object with members."""
_KEYS: Final = "|".join(dict.fromkeys((*NAME_KEYS, *RARE_NAME_KEYS, *ARGUMENT_KEYS, *RARE_ARGUMENT_KEYS)))
_BEFORE: Final = (
    rf"(?:\\?[\"']?(?:{'|'.join((*sorted(NO_CONTENT), *PROSE_KEYS))})\\?[\"']?[ \t]{{0,8}}:[ \t]{{0,8}}"
    r"(?:\\?\"[^\"\n]{0,400}\"|'[^'\n]{0,400}'|null|None|\d{1,9}),[ \t\r\n]{0,20}){0,6}"
)
"""The members of a call that precede its name, such as ``"type": "function"``."""
_BEGINS_CALL: Final = lazy_re(
    rf"\{{[ \t\r\n]{{0,20}}{_BEFORE}\\?[\"']?(?:{_KEYS}|{'|'.join((*CALLS_KEYS, *CALL_KEYS))})\\?[\"']?[ \t]{{0,8}}:"
)
"""An object that begins with the name or the arguments of a call, or with what holds calls."""
_VALUE: Final = lazy_re(r"\s*[\"']([^\"'\n]{1,128})[\"']")
_NAME: Final = lazy_re(rf"[{{,\s\"'](?:{'|'.join((*NAME_KEYS, *RARE_NAME_KEYS))})\\?[\"']?[ \t]{{0,8}}:")
_ARGUMENTS: Final = lazy_re(rf"[{{,\s\"'](?:{'|'.join((*ARGUMENT_KEYS, *RARE_ARGUMENT_KEYS))})\\?[\"']?[ \t]{{0,8}}:")
_CALL: Final = lazy_re(r"\( ?((?:[\w.]|_\\){0,127}[^\W\d])(?![\w./])(?!-[A-Za-z0-9_])")
"""The bracket of a call in Python, and the name before it, backwards: a bracket is looked at, not each word."""
_ASCII_END: Final = lazy_re(r"[A-Za-z_][A-Za-z0-9_.]*\Z")
"""The name at the end of a word, in a language that writes no spaces."""
_BETWEEN: Final = lazy_re(r"[ \t\r\n\]\),;]*+")
_BORDER: Final = lazy_re(r"[.!?:\n。！？：]")
"""What ends a sentence, or announces a call. A sentence that shows one call shows all that are in it."""
_WORDS: Final = lazy_re(r"\A[^\s=+*()]*(?: [^\s=+*()]+){0,4}\Z")
"""What may be a name, even with damage: a few words, and no formula."""
_SIGNATURE: Final = lazy_re(
    r"[\w.]{1,128} ?\((?>(?:(?!True\b|False\b|None\b)[A-Za-z_]\w*"
    r"(?:: ?[A-Za-z][\w.]*+(?:\[[\w\[\]., |]{0,40}\])?)?(?:, ?|(?=\))))+)\)"
)
"""The parameters of a function, without values."""
MAX_BLANKS: Final = 20
"""How much may be between a call and the end of its list, in characters."""
MAX_CALLS: Final = 2000
"""How many calls of a text are looked at."""


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
            if Brackets(bare).end(0) in (None, len(bare)):
                return []  # a damaged list, or object
            if _are_records(bare, tools):
                return [(0, len(text))]
        else:
            return [(0, len(text))] if is_document(value, tools) else []
    found: list[tuple[int, int]] = []
    for start, end, python in _runs(text, tools):
        listed = text[max(0, start - 1) : start] == "[" and text[end : end + MAX_BLANKS].lstrip().startswith("]")
        form = Form.PYTHON if python and not listed else Form.JSON
        shown = is_shown(form, text, start, end)
        if python:
            shown = shown or _SIGNATURE.fullmatch(text, start, end) is not None
        elif not shown and _BEGINS_CALL.match(text, start) is None:
            shown = _is_record(text, start, end, tools)
        if shown:
            found.append((start, end))
    return found


def calls_in_sentences(text: str) -> list[tuple[int, int]]:
    """The places of the calls with markers that a text only shows, in order."""
    found: list[tuple[int, int]] = []
    brackets = Brackets(text)
    at = 0
    for start, stop in openings(text):
        if start < at or text[max(0, start - 1) : start] in ("", "\n"):
            continue
        end = end_of_markup(brackets, start, stop)
        goes_on = bool(found) and _BORDER.search(text, found[-1][1], start) is None
        if goes_on or is_shown(Form.MARKED, text, start, end):
            found.append((start, end))
            at = end
        else:  # a line that makes a call shows none
            while found and start - found[-1][1] < MAX_LINE and "\n" not in text[found[-1][1] : start]:
                found.pop()
    return found


def openings(text: str) -> list[tuple[int, int]]:
    """The places of what begins calls in a text, in order: tags, and markers that are no tags."""
    known = openers()
    places = {tag.start(): tag.end() for tag in TAG.finditer(text) if kind_of(tag[0]) == "open" or tag[0] in known}
    for marker in _others().found_in(text):
        place = text.find(marker)
        while place >= 0:
            places[place] = max(place + len(marker), places.get(place, 0))
            place = text.find(marker, place + len(marker))
    return sorted(places.items())


@of_vocabulary
def _others(_: Vocabulary) -> WordSet:
    """The markers that are no tags, but more than words; one that ends in a letter may be the head of another tag."""
    found = (each for each in openers() if DISTINCTIVE.search(each) and "\n" not in each and not each[-1].isalpha())
    return WordSet(each for each in found if not TAG.fullmatch(each))


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


_NAME_KEYS: Final = frozenset({*NAME_KEYS, *RARE_NAME_KEYS})
_ARGUMENT_KEYS: Final = frozenset({*ARGUMENT_KEYS, *RARE_ARGUMENT_KEYS})
_OWN: Final = _NAME_KEYS | _ARGUMENT_KEYS | ENVELOPE_KEYS
MAX_OTHERS: Final = 1
"""An object with more members than this that calls don't have is a record."""
_ENVELOPES: Final = frozenset({*CALLS_KEYS, "content", "choices"})


def _has_envelope(value: dict[str, Any]) -> bool:
    """Whether a member of an object may hold calls, or a message."""
    if envelope_of(value) is not None:
        return True
    if _ENVELOPES.isdisjoint(value):
        return False
    return any(isinstance(value.get(key), dict | list | str) for key in _ENVELOPES)


def _declares(value: dict[str, Any]) -> bool:
    """Whether an object declares a tool."""
    parameters = value.get("parameters", value.get("input_schema"))
    return "description" in value and isinstance(parameters, dict) and not {"type", "properties"}.isdisjoint(parameters)


def _is_named(value: dict[str, Any], tools: ToolIndex) -> bool:
    """Whether an object names a declared tool, under any key, or as one."""
    return any(isinstance(name, str) and name in tools for each in value.items() for name in each)


def _may_be_call(value: Any, tools: ToolIndex) -> bool:
    """Whether a value is a call, holds calls where an envelope has them, or has the name of a tool as its key."""
    if not isinstance(value, dict):
        return isinstance(value, list) or (isinstance(value, str) and "(" in value)
    inner = value.get("function", value)
    if isinstance(inner, dict) and _declares(inner):
        return False
    if _has_envelope(value) or isinstance(value.get("function"), dict):
        return True
    if value.get("type") == "function" and any(_has_name_and_arguments(member) for member in value.values()):
        return True
    names = [value.get(key) for key in (*NAME_KEYS, *RARE_NAME_KEYS)]
    name = any(isinstance(each, dict) or (isinstance(each, str) and _WORDS.search(each)) for each in names)
    if name and (not tools or any(_calls(value, value.get(key), tools) for key in value)):
        return True
    if name and not _ARGUMENT_KEYS.isdisjoint(value):
        return True
    if tools and any(isinstance(member, str) and member in tools for member in value.values()):
        return any(isinstance(member, dict) and key not in ENVELOPE_KEYS for key, member in value.items())
    return len(value) == 1 and (not tools or _names_about(next(iter(value)), tools))


def _has_name_and_arguments(value: Any) -> bool:
    """Whether an object has the two members of a call."""
    return isinstance(value, dict) and not (_NAME_KEYS.isdisjoint(value) or _ARGUMENT_KEYS.isdisjoint(value))


def _calls(value: dict[str, Any], name: Any, tools: ToolIndex) -> bool:
    """Whether an object may call the declared tool of a name: not if its other members are none of the arguments."""
    if not isinstance(name, str) or name not in tools:
        return False
    others = [key for key, member in value.items() if member != name]
    known = {*ARGUMENT_KEYS, *RARE_ARGUMENT_KEYS, *(tools.properties(name) or ())}
    return (
        len(others) < 2
        or not known.isdisjoint(others)
        or any(isinstance(member, dict) and key not in ENVELOPE_KEYS for key, member in value.items())
    )


def _names_about(key: str, tools: ToolIndex) -> bool:
    """Whether a key is the name of a declared tool, or nearly."""
    return key in tools or near_name(key, tools.functions, 0.8) is not None


def _runs(text: str, tools: ToolIndex) -> Iterator[tuple[int, int, bool]]:
    """Where calls stand that only separators separate, and whether the first is written in Python."""
    run: tuple[int, int, bool] | None = None
    for start, end, python in _places(text, tools):
        between = _BETWEEN.match(text, run[1]) if run is not None else None
        if run is not None and between is not None and text[between.end() : start].strip("[({ \t`") == "":
            run = run[0], end, run[2]
            continue
        if run is not None:
            yield run
        run = start, end, python
    if run is not None:
        yield run


def _places(text: str, tools: ToolIndex) -> Iterator[tuple[int, int, bool]]:
    """Where calls without a marker stand: objects, and calls in Python of declared tools, or in lists of these."""
    places = [(match.start(), match.start(), False) for match in _OBJECT.finditer(text)] if "{" in text else []
    if "(" in text:
        for match in _CALL.finditer(backwards(text)):
            name = match[1][::-1].replace("\\_", "_")
            place, bracket = len(text) - match.end(), len(text) - match.start() - 1
            if name not in tools and not name.isascii() and (tail := _ASCII_END.search(name)) is not None:
                place, name = place + tail.start(), tail[0]
            if name in tools or text[max(0, place - 1) : place] == "[":
                places.append((place, bracket, True))
    brackets = Brackets(text)
    at = 0
    for start, bracket, python in sorted(places)[:MAX_CALLS]:
        if start < at:
            continue
        end = brackets.end(bracket)
        if end is None:
            continue
        if python or _may_call(text, start, end, tools):
            yield start, end, python
            at = end  # else what is in it may be one


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
    return _has_name_and_arguments(value)
