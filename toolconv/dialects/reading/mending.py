"""Mends the markup of a damaged turn in each way that may be meant, and takes the one that reads best."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.lenient_json import SPELLING_REPAIRS
from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing.marker_spelling import MarkerSpelling
from toolconv.dialects.lexing.markers import openers, parts
from toolconv.dialects.lexing.slips import readings_of, slips_of
from toolconv.dialects.reading.parts import moved_back
from toolconv.dialects.reading.turn_parser import Parsed, parts_of

_DOUBLED: Final = lazy_re(r"(<[^<>\n]{3,80}>)\1+")
"""A tag that is written twice in a row."""
_ESCAPE: Final = lazy_re(r"(?:\\u[dD][89abAB][0-9a-fA-F]{2})?\\(?:u[0-9a-fA-F]{4}|.)")
"""An escape of JSON; two for a character outside of the first plane."""
_BARE_QUOTE: Final = lazy_re(r"((?<!\\)(?:\\\\)*)\"")
_CLOSES: Final = lazy_re(r"/|end|close")


Edits = tuple[tuple[int, int, str], ...]
"""The places that were replaced in a text, in order, each with its replacement."""


class Mending(NamedTuple):
    """A turn whose markup is mended.

    Attributes:
        text: the mended turn.
        repairs: names of the repairs, one for each place.
        markers: the markers that were mended. One that is left in what is read is text of the turn, not markup.
        edits: what was replaced, in one text after the other.
        once: whether the repair is left out if the reading names it, too.
    """

    text: str
    repairs: list[str]
    markers: set[str]
    edits: tuple[Edits, ...] = ()
    once: bool = False


def edited(
    turn: Mending, spans: Iterable[tuple[int, int, str]], repairs: list[str], markers: Collection[str] = ()
) -> Mending:
    """A turn in which each of ``spans``, which are in order, is replaced with its text."""
    pieces: list[str] = []
    text, spans, at = turn.text, tuple(spans), 0
    for start, end, right in spans:
        pieces += text[at : max(at, start)], right
        at = max(at, end)
    pieces.append(text[at:])
    return Mending("".join(pieces), [*turn.repairs, *repairs], set(markers), (*turn.edits, spans))


def places_of(length: int, edits: Iterable[Edits]) -> list[int]:
    """For each character of an edited text, and for its end, its place in the text before, which has ``length``."""
    places = list(range(length + 1))
    for spans in edits:
        found: list[int] = []
        at = 0
        for start, end, right in spans:
            start = max(at, start)
            found += places[at:start]
            found += [places[start]] * len(right)
            at = max(at, end)
        places = [*found, *places[at:]]
    return places


class Mendings:
    """What may be damaged in the turns of a dialect.

    Args:
        tags: the tags of calls, which may be misspelt.
        markers: further texts that begin a call.
        tokens: the turn tokens and headers that may leak into a call.
        closers: the closing tags of a call and of its parts, in the order in which they are written.
    """

    def __init__(
        self, tags: Iterable[str], markers: Iterable[str], tokens: Iterable[str], closers: Iterable[str]
    ) -> None:
        tags = tuple(tags)
        self._spelling = MarkerSpelling(tags)
        self._tags = frozenset((*tags, *markers))
        self._swaps = [
            (re.compile(rf"{re.escape(last)}(\s*){re.escape(first)}"), rf"{first}\1{last}")
            for first, last in combinations(dict.fromkeys(closers), 2)
        ]
        longest_first = sorted(set(tokens), key=lambda token: (-len(token), token))
        self._tokens = re.compile("|".join(map(re.escape, longest_first)) or "(?!)")

    def of(self, text: str, parsed: Parsed) -> Iterator[Mending]:
        """The mended turns: spelt as usual; if ``parsed`` lacks something, without tokens, doubled tags and slips."""
        damaged = Mending(text, [], set())
        spellings = self._spelling.misspelt(text)
        if spellings and not (parsed.calls and set(parsed.repairs) == {"marker_spelling"}):
            markers = {marker for *_, marker in spellings}
            yield edited(damaged, spellings, ["marker_spelling"], markers)._replace(once=True)
        if parsed.calls and not parsed.dropped and SPELLING_REPAIRS.issuperset(parsed.repairs):
            return
        if (escapes := _escapes(text, bare=not parsed.calls)) is not None:
            yield edited(damaged, escapes, ["escaped_newline"])
        end = self._end_of_turn(text)
        leaks = [(*token.span(), "") for token in self._tokens.finditer(text, 0, end)]
        bare = edited(damaged, leaks, ["leaked_token"] * len(leaks)) if leaks else damaged
        whole = bare.text
        if leaks:
            yield bare
        if (doubled := _DOUBLED.search(whole)) is not None:
            extra = "extra_close_tag" if _CLOSES.search(doubled[1]) else "extra_open_tag"
            yield edited(bare, [(*match.span(), match[1]) for match in _DOUBLED.finditer(whole)], [extra])
        for swapped, right in self._swaps:
            if swapped.search(whole) is not None:
                swaps = [(*match.span(), match.expand(right)) for match in swapped.finditer(whole)]
                yield edited(bare, swaps, ["swapped_tags"])
        if slips := slips_of(whole, self._tags, _tags_of_all()):
            repairs = ["marker_spelling"] * len(slips)
            markers = {slip.tag for slip in slips}
            for spans in readings_of(slips):
                yield edited(bare, spans, repairs, markers)

    def _end_of_turn(self, text: str) -> int:
        """Where the tokens begin that only white space follows: all grammars cut these."""
        end = len(text)
        for token in reversed(list(self._tokens.finditer(text))):
            if text[token.end() : end].strip():
                break
            end = token.start()
        return end


def best_mended(
    parsed: Parsed, length: int, mendings: Iterable[Mending], tools: ToolIndex, read: Callable[[str], Parsed]
) -> Parsed:
    """The best reading of a turn: ``parsed``, or that of its mended text which is better than all others.

    Where two mended texts read equally well, but not the same, nothing says which is meant.
    """
    best, repairs, clear = parsed, list[str](), True
    taken: Mending | None = None
    for mending in mendings:
        again = read(mending.text)
        written = f"{again.content}{again.reasoning}{again.calls}"
        if any(marker in written for marker in mending.markers) or _unknown(again, tools) > _unknown(parsed, tools):
            continue
        if _other_turns(again) < _other_turns(parsed):
            continue  # what shows that another role speaks was taken for damage
        if not _rank(again)[0] or (again.calls == parsed.calls and len(again.dropped) < len(parsed.dropped)):
            continue  # what showed that a call is lost was taken for damage
        if _rank(again) > _rank(best):
            best, clear = again, True
            taken = mending
            repairs = [] if mending.once and set(mending.repairs) <= set(again.repairs) else mending.repairs
        elif best is not parsed and _rank(again) == _rank(best) and again.calls != best.calls:
            clear = False
    if not clear:
        return parsed
    best.repairs += repairs
    if taken is not None:
        best.parts = moved_back(parts_of(best, taken.text), places_of(length, taken.edits))
    return best


def _escapes(text: str, *, bare: bool) -> list[tuple[int, int, str]] | None:
    """The escapes in a text that was escaped twice, and what each stands for; ``None`` for any other text.

    With ``bare``, quotes in it need no escape.
    """
    if ("\\n" not in text and '\\"' not in text) or "\n" in text:
        return None
    try:
        quoted = _BARE_QUOTE.sub(r"\1\"", text) if bare and '"' in text else text
        if not isinstance(jsontext.loads(f'"{quoted}"'), str):
            return None
    except ValueError:
        return None
    return [(*match.span(), str(jsontext.loads(f'"{match[0]}"'))) for match in _ESCAPE.finditer(text)]


@lru_cache(maxsize=1)
def _tags_of_all() -> frozenset[str]:
    """The tags of all dialects: one that is whole is not the damaged tag of another."""
    return openers() | parts()


def _unknown(parsed: Parsed, tools: ToolIndex) -> int:
    """How many calls name a tool or an argument that is not declared, where any are."""
    unknown = 0
    for call in parsed.calls if tools else ():
        declared = (tools.parameters(call.name) or {}).get("properties")
        is_unknown = isinstance(declared, dict) and declared and not call.arguments.keys() <= declared.keys()
        unknown += call.name not in tools or bool(is_unknown)
    return unknown


def _other_turns(parsed: Parsed) -> int:
    return sum(part.kind == "other_turn" for part in parsed.parts or ())


def _rank(parsed: Parsed) -> tuple[int, ...]:
    """How much a reading makes of its turn: higher is better. Arguments that are not there make no call."""
    guesses = sum(name in ("markup_in_value", "type_mismatch") for name in parsed.repairs)
    empty = parsed.repairs.count("empty_arguments")
    return len(parsed.calls) - empty, -len(parsed.dropped), -len(parsed.repairs) - guesses
