"""Calls recognisable without a marker or a declared tool, by what only calls have, even damaged.

Each is known by two things at once, such as a word and the arguments after it: JSON or Python may be an answer.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from toolconv.core.call_keys import RARE_ARGUMENT_KEYS
from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.lexing.mentions import Brackets, ends_in_object
from toolconv.dialects.lexing.tag_search import backwards, lowered
from toolconv.dialects.lexing.trie import pattern_of

LONG_KEYS: Final = tuple(key for key in RARE_ARGUMENT_KEYS if "_" in key)
_FIRST_HALVES: Final = ("argu", "param")
_LAST_HALVES: Final = ('ments"', 'eters"')
"""One of these is in each spelling of ``"arguments"`` and ``"parameters"`` that has one character wrong."""
_LONG_KEY: Final = lazy_re(pattern_of(key[key.index("_") :] for key in LONG_KEYS))
_SPACE: Final = r"[ \t\r\n\u00a0]{0,20}"
_ARGUMENTS: Final = lazy_re(
    rf",{_SPACE}[\"']?(?:arguments|parameters)[\"']?{_SPACE}:{_SPACE}[\"']?\{{(?!{_SPACE}[\"'](?:type|properties)[\"'])"
)
_NAME: Final = r"(?=[\d.\-]{0,20}+[^\W\d])[\w.\-]{1,128}+"
_NAME_BEFORE: Final = lazy_re(rf"(?:(?P<quote>[\"'])({_NAME})(?P=quote)?|(?:(?<=:)|(?<=: ))({_NAME})[\"']){_SPACE}\Z")
"""``"get_weather", "arguments": {…``, whatever the key of the name is; no declaration. One quote may be lost."""
_ARGUMENTS_FIRST: Final = lazy_re(
    rf"\{{{_SPACE}[\"'](?:arguments|parameters)[\"']{_SPACE}:{_SPACE}(?=\{{(?!{_SPACE}[\"'](?:type|properties)[\"']))"
)
_NAME_AFTER: Final = lazy_re(
    rf"{_SPACE},{_SPACE}[\"']\w{{2,20}}[\"']{_SPACE}:{_SPACE}[\"'](?P<name>{_NAME})[\"']{_SPACE}(?:\}}|\Z)"
)
"""``{"arguments": {…}, "name": "get_weather"}``, as Hermes 2 Pro writes it."""
MAX_NAME: Final = 160
"""How much before the arguments may be their name, in characters."""
_CALLING: Final = lazy_re(r":(?i:(?<=\bcall:)|(?<=\bcalling:))[ \t]{0,3}(?P<name>[\w.\-]{2,128})\s{0,4}\{")
"""``Calling: get_weather``, and an object."""
_KEYED_BY_NAME: Final = lazy_re(
    rf"\{{{_SPACE}[\"'](?P<name>[\w.\-]{{2,128}})[\"']{_SPACE}:{_SPACE}[\"']\{{{_SPACE}\\[\"']"
)
"""``{"get_weather": "{\\"city\\": …``, where it begins a text or an item."""
_AGENT: Final = lazy_re(
    r"^(?:Action[:：][ \u00a0]?[^\n]{1,200}\n{1,2})?Action Input[:：][ \t\u00a0]{0,3}\S|"
    r"^Action[:：][ \u00a0]?[^\n{]{1,200}?Action Input[:：][ \t\u00a0]{0,3}\{|"
    r"^Action: ?[^\n]{1,200}\n(?:Act[^\n:{]{0,14}|[^\n:{]{0,14}nput):[ \t]{0,3}\{",
    re.MULTILINE,
)
"""A step of an agent; one of its two keys may be damaged, or the line end between them."""
_NEXT_LINE: Final = r"\n(?:\{[\"']\w|[\"']\w|[ `][ `]{1,39}+[a-z]{0,10}+\n\w{1,20}+\(\w{1,64}+=)"
_WORD: Final = rf"([^\W\d][^\s\"'.,:;!?]{{1,127}}+)(?={_NEXT_LINE})"
_ARGUMENTS_LINE: Final = lazy_re(_NEXT_LINE)
_FIRST_LINE: Final = lazy_re(_WORD)
_LATER_LINE: Final = lazy_re(rf"\n{_WORD}")
_AFTER_TAG: Final = lazy_re(rf">{_WORD}")
"""A word on its line, and the beginning of arguments on the next; the end of the text must suit it.

In a damaged fence, two backquotes may have become spaces: what is between them looks like inline code."""
_ENDS: Final = ("}", ")\n```")
_AFTER_BRACKET: Final = lazy_re(r"<(?:<?\w{2,20})?>?[ \t]?([^\W\d][\w.]{1,127})\((?=[^\W\d]\w{0,63}=)")
"""A call in Python after what is left of a tag."""
_NAMED_ARGUMENT: Final = lazy_re(r"=\w{1,64}+\(")
"""The first argument of such a call, backwards: there are fewer of these signs than of brackets."""
_LIST_ENDS: Final = lazy_re(r"\)\][ \t]*$", re.MULTILINE)
_LIST_LINE: Final = lazy_re(
    r"\W{0,3}[^\W\d][\w.]{1,127}+(?!'[a-z]{1,2} )\W{0,2}\w{0,64}[}\s]?[\"'=][^\n]*\)\][ \t]*$", re.MULTILINE
)
"""A line that ends as a list of calls in Python does, and begins much as one."""
_ASSIGNS: Final = lazy_re(r"[\"'=]")
"""What is between the first name and the end of such a line."""
_CODE: Final = lazy_re(r"\A\s*[\w.]+ = \[| for [\w, ]{1,40} in ")
"""What only code has: a list that is assigned, or made of another."""
_FIRST_IN_LIST: Final = lazy_re(r"\W{0,3}([^\W\d][\w.]{0,127})")
_NEXT_IN_LIST: Final = lazy_re(r"\s{0,2},?[^\w\s]?\s{0,2}([^\W\d][\w.]{0,127})(?=\W?\w{0,64}\W?[\"'=(])")
_NESTING: Final = lazy_re(r"\"[^\"\n]*\"|'[^'\n]*'|[()]")


def unmarked_calls(text: str, shown: str) -> list[tuple[int, int]]:
    """The places of the names of such calls in a text, in no order.

    Args:
        text: a turn, or a part of one, without the code in it.
        shown: the same with the code block that it ends in, whose call may be one.
    """
    found: list[tuple[int, int]] = []
    if "{" in text and ":" in text:
        if says_call(text) and ("call:" in lowered(text) or "calling:" in lowered(text)):
            found += [match.span("name") for match in _CALLING.finditer(text)]
        if may_hold_arguments(text):
            named = (
                _NAME_BEFORE.search(text, max(0, match.start() - MAX_NAME), match.start())
                for match in _ARGUMENTS.finditer(text)
            )
            found += [name.span(name.lastindex or 0) for name in named if name is not None]
            brackets = Brackets(text)
            objects = (brackets.end(match.end()) for match in _ARGUMENTS_FIRST.finditer(text))
            later = (_NAME_AFTER.match(text, end) for end in objects if end is not None)
            found += [name.span("name") for name in later if name is not None]
        if "\\" in text and ('\\"' in text or "\\'" in text):
            keyed = _KEYED_BY_NAME.finditer(text)
            found += [match.span("name") for match in keyed if _begins_item(text, match.start())]
    if "A" in text and "Action" in text:
        found += [match.span() for match in _AGENT.finditer(text)]
    ends = shown.rstrip().endswith(_ENDS)
    may_end = ends or "{" in shown
    if may_end and (ends or ends_in_object(shown)) and _ARGUMENTS_LINE.search(shown) is not None:
        first = _FIRST_LINE.match(shown)
        words = {0: first} if first is not None else {}
        for word in (*_LATER_LINE.finditer(shown), *_AFTER_TAG.finditer(shown)):
            words.setdefault(word.end(), word)
        found += [word.span(1) for word in words.values()]
    if "<" in text and "=" in text and "(" in text and _NAMED_ARGUMENT.search(backwards(text)) is not None:
        found += [match.span(1) for match in _AFTER_BRACKET.finditer(text)]
    for end in _LIST_ENDS.finditer(text) if "=" in text and "]" in text and ")]" in text else ():
        if _ASSIGNS.search(text, text.rfind("\n", 0, end.start()) + 1, end.start()) is None:
            continue
        tried = (_LIST_LINE.match(text, start, end.end()) for start in _lines_before(text, end.start()))
        line = next((line for line in tried if line is not None and line.end() == end.end()), None)
        if line is not None and "=" in line[0] and _CODE.search(line[0]) is None:
            found += _in_list(text, *line.span())
    return found


@lru_cache(maxsize=4)
def says_call(text: str) -> bool:
    """Whether a text has the word "call", or one with it. Cached: two ask."""
    return "call" in lowered(text)


@lru_cache(maxsize=4)
def may_hold_arguments(text: str) -> bool:
    """Whether a text may hold the key of the arguments of a call, perhaps misspelt. Cached: two ask."""
    for half in (*_FIRST_HALVES, *_LAST_HALVES) if '"' in text else _FIRST_HALVES:
        if half in text:
            return True
    return _LONG_KEY.search(text) is not None and any(key in text for key in LONG_KEYS)


def _lines_before(text: str, place: int) -> list[int]:
    """Where the line of a place begins, and those before it that may belong to it, in order."""
    starts = [text.rfind("\n", 0, place) + 1]
    while starts[-1] and len(starts) < 4:
        starts.append(text.rfind("\n", max(0, starts[-1] - 210), starts[-1] - 1) + 1)
    return starts[::-1]


def _begins_item(text: str, place: int) -> bool:
    """Whether the beginning of the text, of a list, or a comma precedes ``place``, and white space at most."""
    before = text[max(0, place - 21) : place].rstrip(" \t\r\n")
    return before[-1:] in ("[", ",") if before else place <= 20


def _in_list(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The places of the names in a list of calls in Python: the first word, and those after a call's last bracket."""
    first = _FIRST_IN_LIST.match(text, start)
    found, depth = [] if first is None else [first.span(1)], 0
    for token in _NESTING.finditer(text, start, end):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        depth = max(depth, 0)
        following = _NEXT_IN_LIST.match(text, token.end(), end) if token[0] == ")" and not depth else None
        if following is not None:
            found.append(following.span(1))
    return found
