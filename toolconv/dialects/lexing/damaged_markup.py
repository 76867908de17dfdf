"""What is left of a call whose markup is damaged: arguments after a tool's name.

Everything here searches what no dialect could read, for the count of dropped calls; nothing is read by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile
from typing import Final

from toolconv.core import jsontext
from toolconv.core.calls import is_schema
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing.lexer import slipped_length
from toolconv.dialects.lexing.mentions import Brackets, spaced_out
from toolconv.dialects.lexing.turn_tokens import TURN_TOKEN

_KEY: Final = lazy_re(
    r"(?<![\w.\-])(?<!const )(?<!let )(?<!var )(?=[^\W\d])([\w.\-]{1,64})"
    r"(?:\\{0,3}[\"']\s{0,8}+:|\s{0,3}+=(?!=)|:(?=\S)|\\?[\"']?\s?/?>|</|<\||<[a-z]{1,5}_|\\?[\"'] \w{1,12}=)"
)
"""What may be the key of an argument: it is followed by a colon, an equals sign or the end of a tag.

A variable that a program declares is not one."""
_NOT_SPELT: Final = lazy_re(r"[\W_]+")
_NOT_SPELT_ASCII: Final = bytes(code for code in range(128) if not chr(code).isalnum())
_SPELT: Final = lazy_re(r"[^\W_]")
_SENTENCE: Final = lazy_re(
    r"[\"'”»][?!]|', ?'\{|\n[-=~^]{3}|\t[^\n\t]*\t|[\"'],? [a-z]{2,} [\"']?[A-Za-z]|[ \t]+(?!\w{1,12}[{<])\w"
    r"|[,;!?](?!\s?(?:\w{1,20}: ?)?[\"'{])|\.(?:\s|\w|$)|(?!\w{1,12}[{<])[^\WA-Z]\w"
)
"""What follows a name in a sentence, and never in a call. A capital begins the word after a line end that is lost."""
_USAGE: Final = lazy_re(r"[ \t]<[\w\-]+>(?:, | <|\n|\Z)")
"""What follows the name of a command in a summary of its arguments."""
_IN_SENTENCE: Final = lazy_re(r"(?<!:)[^\W_] \Z|= \Z")
"""What precedes a call in Python that a sentence or code mentions; one character after a colon is damage."""
_DECLARES: Final = lazy_re(r"[\"'](?:description|properties|type)\\?[\"']\s{0,8}:|[ ,]\w+=\"[^\"]*\"[,}]")
"""What is between a name and a parameter in a declaration."""
_SETTINGS: Final = lazy_re(r"(?:\n[ \t\-]*\w+:[ \n][^\n]*){2}")
"""Lines of a configuration file."""
_TYPE: Final = lazy_re(r"\s{0,8}[\"'](?:string|integer|number|boolean|array|object)[\"']")
"""The type of a parameter, where its value would be."""
_PYTHON_CALL: Final = lazy_re(
    r"(?:(?:^|[\[,>\n])[ \t]{0,8}|\)[^\s()]{0,14}[ \t]{1,8})([^\W\d][\w.]{0,127})\((?=[^\W\d]\w{0,63}=|\))"
)
"""A call at the beginning of a line or of an item, or after another call and a damaged separator."""
ARGUMENTS_WITHIN: Final = 200
"""How far after its name the first argument of a call begins."""
OBJECT_WITHIN: Final = 80
"""The most characters between the name of a tool and an object of its arguments that a text tells of."""
MAX_KEYS: Final = 2000
"""How many keys of one text are looked at."""


@lru_cache(maxsize=4)
def names_in(text: str, tools: ToolIndex) -> tuple[str, ...]:
    """The names of the declared tools that a text holds. Cached per text: many ask."""
    return tuple(name for name in tools.functions if name and name in text)


def calls_by_arguments(text: str, tools: ToolIndex) -> list[tuple[int, int]]:
    """The places where the name of a declared tool is, damaged or not, with one of its parameters after it."""
    owners = _owners(tools)
    if not any(key in text for key in owners):
        return []
    folded = _folded(spaced_out(TURN_TOKEN, text))
    named = {key: [name for name in names if _may_be_in(folded, name)] for key, names in owners.items()}
    owners = {key: names for key, names in named.items() if names}
    if not owners:
        return []
    found: list[tuple[int, int]] = []
    at, tries = 0, MAX_KEYS
    for match in _KEY.finditer(text):
        names, key = owners.get(match[1]), match.start()
        if names is None and (joined := _joined(match[1], owners)) is not None:
            names, key = owners[joined], match.end(1) - len(joined)
        if names is None or match.start() < at:
            continue
        if match[0].endswith(":") and _TYPE.match(text, match.end()):
            continue  # a declaration
        tries -= 1
        if tries < 0:
            break
        start = max(at, key - ARGUMENTS_WITHIN)
        span = _named_before(text, start, key, names)
        if span is not None:
            found.append(span)
            at = match.end()
    if found and jsontext.is_object(text):  # data, whatever its strings spell
        return [(start, end) for start, end in found if not text.startswith("(", end)]
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

    Servers that skip special tokens leave ``get_weather⏎cityParis⏎days3`` of a call whose parts are between tokens, or
    ``get_weather⏎city⏎Paris``. One line that goes on in lower case, such as ``citywide``, is a word.
    """
    found: list[tuple[int, int]] = []
    for name in names_in(text, tools):
        keys = list(tools.properties(name) or ())
        for place, at in _places_of_word(text, f"{name}\n") if keys else ():
            lines = text[at : at + ARGUMENTS_WITHIN].split("\n")
            values = list(takewhile(bool, (_value(line, keys) for line in lines)))
            alone = len(lines) > 1 and lines[0] in keys and lines[1].strip() and lines[1] not in keys
            if len(values) > 1 or (values and not values[0][0].islower()) or alone:
                found += [(place, at - 1)] * (not _is_in_word(text[place - 1 : place]))
    return sorted(found)


def _places_of_word(text: str, word: str) -> list[tuple[int, int]]:
    """The places in a text where a word is, without overlaps, in order."""
    found = []
    place = text.find(word)
    while place >= 0:
        found.append((place, place + len(word)))
        place = text.find(word, place + len(word))
    return found


def calls_by_object(text: str, tools: ToolIndex) -> list[tuple[int, int]]:
    """The places where the name of a declared tool is, and an object of some of its arguments after it.

    Whatever is between them, the text tells of a call: ``call_tool("get_weather", {"city": "Rome"})``. An object of
    schemas declares the tool.
    """
    found: list[tuple[int, int]] = []
    names = names_in(text, tools) if "{" in text else ()
    brackets = Brackets(text)
    for name in names:
        for place, end in _places_of_word(text, name):
            brace = text.find("{", end, end + OBJECT_WITHIN + 1)
            is_word = not (_is_in_word(text[place - 1 : place]) or _is_in_word(text[end : end + 1]))
            if brace >= 0 and is_word and "}" not in text[end:brace]:
                stop = brackets.end(brace)
                if stop is not None and _are_arguments(text[brace:stop], name, tools):
                    found.append((place, end))
    return sorted(found)


def _is_in_word(char: str) -> bool:
    """Whether a character next to a name makes it a part of another."""
    return char.isalnum() or char == "_"


def _are_arguments(text: str, name: str, tools: ToolIndex) -> bool:
    """Whether a text is an object of arguments that a tool declares, with values."""
    try:
        value = jsontext.loads(text)
    except ValueError:
        return False
    if not isinstance(value, dict) or not value or not value.keys() <= (tools.properties(name) or {}).keys():
        return False
    if is_schema(value, name, tools):
        return False
    return not any(isinstance(each, dict) and {"type", "description"} & each.keys() for each in value.values())


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
            for key in tools.properties(name) or ():
                known.setdefault(key, []).append(name)
    return known


def _named_before(text: str, start: int, end: int, names: list[str]) -> tuple[int, int] | None:
    """The last place in ``text[start:end]`` where one of ``names`` is, damaged or not, and no sentence goes on."""
    window = text[start:end]
    bare = spaced_out(TURN_TOKEN, window)
    folded = _folded(bare)
    for name in names:
        places: list[int] = []
        for begin, stop in _last_name(folded, _folded(name)):
            places = places or [match.start() for match in _SPELT.finditer(bare)]
            first, last = places[begin], places[stop - 1] + 1
            if _SENTENCE.match(window, last) or _USAGE.match(text, start + last):
                continue
            if _DECLARES.search(window, last) or _SETTINGS.search(window, last):
                continue
            if window[max(0, first - 1) : first] == "/" and window[max(0, first - 2) : first] != "</":
                continue  # the end of a path
            in_sentence = _IN_SENTENCE.search(window, max(0, first - 3), first) is not None
            if not (in_sentence and window.startswith(("(", " "), last)):
                return start + first, start + last
    return None


def _folded(text: str) -> str:
    """A text in lower case without all that is no letter or digit."""
    if text.isascii():
        return text.encode().translate(None, _NOT_SPELT_ASCII).lower().decode()
    spelt = _NOT_SPELT.sub("", text)
    lower = spelt.lower()
    return lower if len(lower) == len(spelt) else spelt  # a dotted capital I becomes two characters


def _may_be_in(text: str, name: str) -> bool:
    """Whether a folded text holds a name, or half of it."""
    folded = _folded(name)
    middle = len(folded) // 2
    return folded in text or (len(folded) >= 6 and (folded[:middle] in text or folded[middle:] in text))


def _last_name(text: str, name: str) -> Iterator[tuple[int, int]]:
    """The last place of a name in a folded text, whole or with damage in one place; both that may be meant.

    Where the last character is lost, what follows the name may look like an additional one.
    """
    place = text.rfind(name)
    if place >= 0 and len(name) > 1:
        yield place, place + len(name)
        return
    if len(name) < 6:
        return
    middle = len(name) // 2
    first, second = name[:middle], name[middle:]
    place = text.rfind(first)
    if place >= 0 and (length := slipped_length(text[place + middle :], second)) is not None:
        if text.startswith(second[:-1], place + middle):
            yield place, place + len(name) - 1
        yield place, min(len(text), place + middle + length)
        return
    place = text.rfind(second)
    if place >= 0 and (length := slipped_length(text[:place][::-1], first[::-1])) is not None:
        yield place - length, place + len(second)
