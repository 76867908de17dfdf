"""Mends the markup of a damaged turn in each way that may be meant, and takes the one that reads best."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.lenient_json import SPELLING_REPAIRS
from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing.lexer import MarkupToken, Tokens
from toolconv.dialects.lexing.markers import tokens_in
from toolconv.dialects.lexing.trie import WordSet, pattern_of
from toolconv.dialects.lexing.turn_tokens import end_without
from toolconv.dialects.reading.cost import worth_of
from toolconv.dialects.reading.parts import moved_back
from toolconv.dialects.reading.turn_parser import Parsed, parts_of

_DOUBLED: Final = lazy_re(r"(<[^<>\n]{3,80}>)\1+")
"""A tag that is written twice in a row."""
_ESCAPE: Final = lazy_re(r"(?:\\u[dD][89abAB][0-9a-fA-F]{2})?\\(?:u[0-9a-fA-F]{4}|.)")
"""An escape of JSON; two for a character outside of the first plane."""
_BARE_QUOTE: Final = lazy_re(r"((?<!\\)(?:\\\\)*)\"")
_CLOSES: Final = lazy_re(r"/|end|close|<\|call\|>")
"""What the tags that end something have; gpt-oss ends a call with the last one."""


Edits = tuple[tuple[int, int, str], ...]
"""The places that were replaced in a text, in order, each with its replacement."""


class Mending(NamedTuple):
    """A turn whose markup is mended.

    Attributes:
        text: the mended turn.
        repairs: names of the repairs, one for each place.
        markers: the markers that were mended. One that is left in what is read is text of the turn, not markup.
        edits: what was replaced, in one text after the other.
        once: whether all is another spelling, not damage: then the repair is left out if the reading names it, too.
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
    """What may be damaged in the turns of some dialects.

    Args:
        tags: the tags of calls, which may be spelt otherwise.
        tokens: the turn tokens and headers that may leak into a call.
        closers: the closing tags of a call and of its parts, in the order in which each dialect writes them.
        scan: finds the tags in a text.
    """

    def __init__(
        self,
        tags: Iterable[str],
        tokens: Iterable[str],
        closers: Iterable[Sequence[str]],
        scan: Callable[[str], Tokens] = tokens_in,
    ) -> None:
        self._tags, self._scan = frozenset(tags), scan
        pairs = {pair for each in closers for pair in combinations(dict.fromkeys(each), 2)}
        self._swaps = sorted(pairs)
        self._closers = WordSet({closer for pair in pairs for closer in pair})
        self._tokens = sorted(set(tokens), key=lambda token: (-len(token), token))
        self._any_token = re.compile(pattern_of(self._tokens))

    def spelt(self, text: str) -> Mending | None:
        """The turn with its tags as their families write them; ``None`` if they are, or if two things may be meant."""
        tokens = self._scan(text)
        spelt, slips = tokens.spelt(self._tags), tokens.slips(self._tags)
        if not (spelt or slips) or any(slip.wide != slip[:2] for slip in slips):
            return None
        return _respelt(Mending(text, [], set()), spelt, slips)

    def of(self, text: str, parsed: Parsed) -> Iterator[Mending]:
        """The mended turns: spelt as usual; if ``parsed`` lacks something, without tokens, doubled tags and slips."""
        damaged = Mending(text, [], set())
        spelt = self._scan(text).spelt(self._tags)
        if spelt and not (parsed.calls and set(parsed.repairs) == {"marker_spelling"}):
            yield _respelt(damaged, spelt, [])
        if parsed.calls and not parsed.dropped and SPELLING_REPAIRS.issuperset(parsed.repairs):
            return
        if (escapes := _escapes(text, bare=not parsed.calls or '\\"' not in text)) is not None:
            yield edited(damaged, escapes, ["escaped_newline"])._replace(once=True)
        end = end_without(self._tokens, text)  # all grammars cut these
        leaks = [(*token.span(), "") for token in self._any_token.finditer(text, 0, end)]
        bare = edited(damaged, leaks, ["leaked_token"] * len(leaks)) if leaks else damaged
        whole = bare.text
        if leaks:
            yield bare
        if (doubled := _DOUBLED.search(whole)) is not None:
            extra = "extra_close_tag" if _CLOSES.search(doubled[1]) else "extra_open_tag"
            yield edited(bare, [(*match.span(), match[1]) for match in _DOUBLED.finditer(whole)], [extra])
        closers = self._closers.found_in(whole)
        for first, last in self._swaps if len(closers) > 1 else ():
            if first in closers and last in closers:
                swapped = re.finditer(rf"{re.escape(last)}(\s*){re.escape(first)}", whole)
                if swaps := [(*match.span(), f"{first}{match[1]}{last}") for match in swapped]:
                    yield edited(bare, swaps, ["swapped_tags"])
        tokens = self._scan(whole)
        if slips := tokens.slips(self._tags):
            spelt = tokens.spelt(self._tags)
            yield _respelt(bare, spelt, slips)
            if any(slip.wide != slip[:2] for slip in slips):
                yield _respelt(bare, spelt, [slip._replace(start=slip.wide[0], end=slip.wide[1]) for slip in slips])


def _respelt(turn: Mending, spelt: Sequence[MarkupToken], slips: Sequence[MarkupToken]) -> Mending:
    """A turn in which some tags are as their families write them."""
    tokens = sorted([*spelt, *slips])
    repairs = ["marker_spelling"] * (bool(spelt) + len(slips))
    tags = {token.tag for token in tokens}
    edits = [(token.start, token.end, token.tag) for token in tokens]
    return edited(turn, edits, repairs, tags)._replace(once=not slips)


def best_mended(
    parsed: Parsed, length: int, mendings: Iterable[Mending], tools: ToolIndex, read: Callable[[str], Parsed]
) -> Parsed:
    """The best reading of a turn: ``parsed``, or that of its mended text which is better than all others.

    Where two mended texts read equally well, but not the same, nothing says which is meant.
    """
    if not (mendings := tuple(mendings)):
        return parsed
    own = worth_of(parsed, tools)
    best, best_worth, clear = parsed, (*own, _cost(parsed)), True
    taken: Mending | None = None
    for mending in mendings:
        again = read(mending.text)
        worth = *worth_of(again, tools), _cost(again)
        if not shows_no(mending.markers, again) or worth[2] < own[2]:
            continue
        if _other_turns(again) < _other_turns(parsed):
            continue  # what shows that another role speaks was taken for damage
        hides_loss = again.calls == parsed.calls and len(again.dropped) < len(parsed.dropped)
        if not worth[0] or (hides_loss and not mending.once):
            continue  # what showed that a call is lost was taken for damage
        if worth > best_worth:
            best, best_worth, taken, clear = again, worth, mending, True
        elif best is not parsed and worth == best_worth and again.calls != best.calls:
            clear = False
    if taken is None or not clear:
        return parsed
    named = taken.once and set(taken.repairs) <= set(best.repairs)
    return taken_back(best, length, taken, [] if named else taken.repairs)


def shows_no(markers: Collection[str], parsed: Parsed) -> bool:
    """Whether a reading leaves none of some markers in its words and values."""
    written = f"{parsed.content}{parsed.reasoning}{parsed.calls}"
    return not any(marker in written for marker in markers)


def taken_back(parsed: Parsed, length: int, mending: Mending, repairs: Iterable[str]) -> Parsed:
    """The reading of a mended text as one of the text before, which has ``length``, with further ``repairs``."""
    parsed.repairs += repairs
    parsed.parts = moved_back(parts_of(parsed, mending.text), places_of(length, mending.edits))
    return parsed


def _escapes(text: str, *, bare: bool) -> list[tuple[int, int, str]] | None:
    """The escapes in a text that was escaped twice, and what each stands for; ``None`` for any other text.

    With ``bare``, quotes in it need no escape.
    """
    if ("\\n" not in text and '\\"' not in text) or ("\n" in text and ">\\n<" not in text):
        return None
    try:
        quoted = text.replace("\n", " ")
        quoted = _BARE_QUOTE.sub(r"\1\"", quoted) if bare and '"' in quoted else quoted
        jsontext.loads(f'"{quoted}"')
    except ValueError:
        return None
    return [(*match.span(), str(jsontext.loads(f'"{match[0]}"'))) for match in _ESCAPE.finditer(text)]


def _other_turns(parsed: Parsed) -> int:
    return sum(part.kind == "other_turn" for part in parsed.parts or ())


def _cost(parsed: Parsed) -> int:
    """What the repairs of a reading cost, as a number below zero; a value that may be another one costs twice."""
    return -sum(2 if name in ("markup_in_value", "type_mismatch") else 1 for name in parsed.repairs)
