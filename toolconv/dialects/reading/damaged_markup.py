"""What is left of a call whose markup is damaged: a tag with a typing error, or arguments after a tool's name.

Damage is one wrong, missing or additional stretch, such as a character that was lost or a turn token that leaked in.
Everything here searches what no dialect could read, for the count of dropped calls; nothing is read by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import takewhile
from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import TURN_TOKENS
from toolconv.dialects.reading.mentions import spaces

INSERTED: Final = 12
"""How many additional characters a damaged tag or name may hold: a turn token is the longest."""

MIN_REST: Final = 3
"""How much follows more than one additional character."""

MIN_TAG: Final = 9
"""The length of the shortest tag that is known despite damage."""
TELLING: Final = ("|", "｜", "✿", "##", "<<")
"""What a tag has, and ordinary HTML and XML tags do not. Others say what they are by their words."""

_KEY: Final = lazy_re(
    r"(?<![\w.\-])(?=[^\W\d])([\w.\-]{1,64})"
    r"(?:\\{0,3}[\"']\s{0,8}+:|\s{0,3}+=(?!=)|:(?=\S)|\\?[\"']?\s?/?>|</|<\||<[a-z]{1,5}_|\\?[\"'] \w{1,12}=)"
)
"""What may be the key of an argument: it is followed by a colon, an equals sign or the end of a tag."""
_NOT_SPELT: Final = lazy_re(r"[\W_]+")
_SPELT: Final = lazy_re(r"[^\W_]")
_SENTENCE: Final = lazy_re(r"[ \t]+(?!\w{1,12}[{<])\w|[,;!?](?!\s?[\"'{])|\.(?:\s|\w|$)|(?!\w{1,12}[{<])[^\WA-Z]\w")
"""What follows a name in a sentence, and never in a call. A capital begins the word after a line end that is lost."""
_DECLARES: Final = lazy_re(r"[\"'](?:description|properties|type)\\?[\"']\s{0,8}:")
"""What is between a name and a parameter in a declaration."""
_PYTHON_CALL: Final = lazy_re(r"(?:^|[\[,>\n])[ \t]{0,8}([^\W\d][\w.]{0,127})\((?=[^\W\d]\w{0,63}=|\))")
_TOKEN: Final = lazy_re("|".join(map(re.escape, TURN_TOKENS)))
BEHIND: Final = 200
"""How far after its name the first argument of a call begins."""
TRIES: Final = 2000
"""How many keys of one text are looked at."""


def damaged_tags(text: str, tags: frozenset[str]) -> list[tuple[int, int]]:
    """The places in a text where one of ``tags`` is, with damage in one place, in order.

    Tags that ordinary markup could be are left out.
    """
    return _damaged(text, _telling_halves(tags))


def literals_left(text: str, literals: frozenset[str]) -> list[tuple[int, int]]:
    """The places in a text where one of ``literals`` is, whole or with damage in one place, in order.

    Args:
        text: what is left of a turn.
        literals: what a call template writes around names and arguments.
    """
    halves = [half for half in _halves(literals) if half[0] in text]
    whole = [place for _, first, literal in halves if first for place in _places(text, literal)]
    return sorted(dict([*_damaged(text, halves), *whole]).items()) if halves else []


def _places(text: str, word: str) -> list[tuple[int, int]]:
    """The places in a text where a word is, without overlaps, in order."""
    found = []
    place = text.find(word)
    while place >= 0:
        found.append((place, place + len(word)))
        place = text.find(word, place + len(word))
    return found


def _damaged(text: str, halves: Iterable[tuple[str, bool, str]]) -> list[tuple[int, int]]:
    found: dict[int, int] = {}
    for half, first, tag in halves:
        place = text.find(half)
        while place >= 0:
            span = _whole_tag(text, place, half, tag, first=first)
            if span is not None and found.get(span[0], 0) < span[1]:
                found[span[0]] = span[1]
            place = text.find(half, place + 1)
    return sorted(found.items())


def _whole_tag(text: str, place: int, half: str, tag: str, *, first: bool) -> tuple[int, int] | None:
    """The damaged ``tag`` of which ``half`` is at ``place``; ``None`` if the other half is not there."""
    if first:
        start, end = place, place + len(half)
        other = tag[len(half) :]
        if text.startswith(other, end):
            return None
        length = _slipped(text[end : end + len(other) + INSERTED], other)
        return None if length is None else (start, end + length)
    other = tag[: -len(half)]
    if text.endswith(other, 0, place):
        return None
    length = _slipped(text[max(0, place - len(other) - INSERTED) : place][::-1], other[::-1])
    return None if length is None else (place - length, place + len(half))


def _slipped(text: str, word: str) -> int | None:
    """How long ``word`` is at the start of ``text``, where it has damage in one place."""
    same = 0
    while same < len(word) and same < len(text) and text[same] == word[same]:
        same += 1
    for missing in (1, 0):
        rest = word[same + missing :]
        most = INSERTED if not missing and len(rest) >= MIN_REST else 1
        place = text.find(rest, same, same + len(rest) + most) if rest else -1
        if place >= 0:
            return place + len(rest)
    return same if same >= len(word) - 1 else None


@lru_cache(maxsize=4)
def _telling_halves(tags: frozenset[str]) -> tuple[tuple[str, bool, str], ...]:
    """The halves of the tags that ordinary markup does not have."""
    return _halves(frozenset(tag for tag in tags if len(tag) >= MIN_TAG and any(sign in tag for sign in TELLING)))


@lru_cache(maxsize=128)
def _halves(tags: frozenset[str]) -> tuple[tuple[str, bool, str], ...]:
    """The halves of texts, each with whether it is the first, and the whole: damage in one place leaves one of them."""
    found = []
    for tag in sorted(tags):
        middle = len(tag) // 2
        found += [(tag[:middle], True, tag), (tag[middle:], False, tag)]
    return tuple(found)


def calls_by_arguments(text: str, tools: ToolIndex) -> list[tuple[int, int]]:
    """The places where the name of a declared tool is, damaged or not, with one of its parameters after it."""
    owners = _owners(tools)
    if not any(key in text for key in owners):
        return []
    found: list[tuple[int, int]] = []
    at, tries = 0, TRIES
    for match in _KEY.finditer(text):
        names, key = owners.get(match[1]), match.start()
        if names is None and (joined := _joined(match[1], owners)) is not None:
            names, key = owners[joined], match.end(1) - len(joined)
        if names is None or match.start() < at:
            continue
        tries -= 1
        if tries < 0:
            break
        start = max(at, key - BEHIND)
        span = _named_before(text, start, key, names)
        if span is not None:
            found.append(span)
            at = match.end()
    return found


def _joined(word: str, owners: dict[str, list[str]]) -> str | None:
    """The parameter that a word ends with which begins with the name of its tool.

    The markup between them is lost, or one character is in its place.
    """
    for key, names in owners.items():
        if word.endswith(key) and ((name := word[: -len(key)]) in names or name[:-1] in names):
            return key
    return None


def calls_by_lines(text: str, tools: ToolIndex) -> list[tuple[int, int]]:
    """The places where the name of a declared tool ends a line, and lines of parameters with values follow.

    Servers that skip special tokens leave ``get_weather⏎cityParis⏎days3`` of a call whose parts are between tokens. One
    line that goes on in lower case, such as ``citywide``, is a word.
    """
    found: list[tuple[int, int]] = []
    for name in tools.functions:
        place = text.find(f"{name}\n")
        while place >= 0:
            end = place + len(name)
            keys = (tools.parameters(name) or {}).get("properties")
            is_word = place > 0 and (text[place - 1].isalnum() or text[place - 1] == "_")
            if not is_word and isinstance(keys, dict):
                lines = text[end + 1 : end + 1 + BEHIND].split("\n")
                values = list(takewhile(bool, (_value(line, list(keys)) for line in lines)))
                if len(values) > 1 or (values and not values[0][0].islower()):
                    found.append((place, end))
            place = text.find(f"{name}\n", end)
    return sorted(found)


def _value(line: str, keys: list[str]) -> str:
    """The value that follows one of ``keys`` at the beginning of a line; empty if there is none."""
    values = (line.removeprefix(key) for key in keys if key and line.startswith(key) and line not in keys)
    return next((value for value in values if value[:1].isalnum() or value[:1] in tuple('"[{-')), "")


def python_calls(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The places in ``text[start:end]`` where calls in Python begin; only for text that is known to hold calls."""
    return [match.span(1) for match in _PYTHON_CALL.finditer(text, start, end)]


def _owners(tools: ToolIndex) -> dict[str, list[str]]:
    """The names of the declared tools that have a parameter, by parameter."""
    known = tools.readers.get(_owners)
    if known is None:
        known = tools.readers[_owners] = {}
        for name in tools.functions:
            properties = (tools.parameters(name) or {}).get("properties")
            for key in properties if isinstance(properties, dict) else ():
                known.setdefault(key, []).append(name)
    return known


def _named_before(text: str, start: int, end: int, names: list[str]) -> tuple[int, int] | None:
    """The last place in ``text[start:end]`` where one of ``names`` is, damaged or not, and no sentence goes on."""
    window = text[start:end]
    bare = _TOKEN.sub(spaces, window)
    folded = _folded(bare)
    for name in names:
        span = _last_name(folded, _folded(name))
        if span is None:
            continue
        places = [match.start() for match in _SPELT.finditer(bare)]
        first, last = places[span[0]], places[span[1] - 1] + 1
        if _SENTENCE.match(window, last) or _DECLARES.search(window, last):
            continue
        before = window[max(0, first - 2) : first]
        in_sentence = before.endswith(" ") and (before[0].isalnum() or before[0] == "=")
        if not (in_sentence and window.startswith("(", last)):
            return start + first, start + last
    return None


def _folded(text: str) -> str:
    """A text in lower case without all that is no letter or digit."""
    spelt = _NOT_SPELT.sub("", text)
    lower = spelt.lower()
    return lower if len(lower) == len(spelt) else spelt  # a dotted capital I becomes two characters


def _last_name(text: str, name: str) -> tuple[int, int] | None:
    """The last place of a name in a folded text, whole or with damage in one place."""
    place = text.rfind(name)
    if place >= 0 and len(name) > 1:
        return place, place + len(name)
    if len(name) < 6:
        return None
    middle = len(name) // 2
    first, second = name[:middle], name[middle:]
    place = text.rfind(first)
    if place >= 0 and (length := _slipped(text[place + middle :], second)) is not None:
        return place, min(len(text), place + middle + length)
    place = text.rfind(second)
    if place >= 0 and (length := _slipped(text[:place][::-1], first[::-1])) is not None:
        return place - length, place + len(second)
    return None
