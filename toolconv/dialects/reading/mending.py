"""Mends the markup of a damaged turn in each way that may be meant, and takes the one that reads best."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.lenient_json import SPELLING_REPAIRS
from toolconv.core.tools import ToolIndex
from toolconv.dialects.reading.marker_spelling import MarkerSpelling
from toolconv.dialects.reading.slips import mended, slips_of
from toolconv.dialects.reading.turn_parser import Parsed

_DOUBLED: Final = lazy_re(r"(<[^<>\n]{3,80}>)\1+")
"""A tag that is written twice in a row."""
_CLOSES: Final = lazy_re(r"/|end|close")


class Mending(NamedTuple):
    """A turn whose markup is mended.

    Attributes:
        text: the mended turn.
        repairs: names of the repairs, one for each place.
        markers: the markers that were mended. One that is left in what is read is text of the turn, not markup.
        once: whether the repair is left out if the reading names it, too.
    """

    text: str
    repairs: list[str]
    markers: set[str]
    once: bool = False


class Mendings:
    """What may be damaged in the turns of a dialect.

    Args:
        tags: the tags of calls, which may be misspelt.
        markers: what begins a call, besides.
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
        spelled, spellings = self._spelling.mend(text)
        if spellings and not (parsed.calls and set(parsed.repairs) == {"marker_spelling"}):
            yield Mending(spelled, ["marker_spelling"], spellings, once=True)
        if parsed.calls and not parsed.dropped and SPELLING_REPAIRS.issuperset(parsed.repairs):
            return
        if (plain := _unescaped(text)) is not None:
            yield Mending(plain, ["escaped_newline"], set())
        end = self._end_of_turn(text)
        whole, count = self._tokens.subn("", text[:end])
        whole += text[end:]
        tokens = ["leaked_token"] * count
        if count:
            yield Mending(whole, tokens, set())
        if (doubled := _DOUBLED.search(whole)) is not None:
            extra = "extra_close_tag" if _CLOSES.search(doubled[1]) else "extra_open_tag"
            yield Mending(_DOUBLED.sub(r"\1", whole), [*tokens, extra], set())
        for swapped, right in self._swaps:
            if swapped.search(whole) is not None:
                yield Mending(swapped.sub(right, whole), [*tokens, "swapped_tags"], set())
        if slips := slips_of(whole, self._tags, _tags_of_all()):
            repairs = [*tokens, *["marker_spelling"] * len(slips)]
            yield from (Mending(each, repairs, {slip.tag for slip in slips}) for each in mended(whole, slips))

    def _end_of_turn(self, text: str) -> int:
        """Where the tokens begin that only white space follows: all grammars cut these."""
        end = len(text)
        for token in reversed(list(self._tokens.finditer(text))):
            if text[token.end() : end].strip():
                break
            end = token.start()
        return end


def best_mended(parsed: Parsed, mendings: Iterable[Mending], tools: ToolIndex, read: Callable[[str], Parsed]) -> Parsed:
    """The best reading of a turn: ``parsed``, or that of its mended text which is better than all others.

    Where two mended texts read equally well, but not the same, nothing says which is meant.
    """
    best, repairs, clear = parsed, list[str](), True
    for mending in mendings:
        again = read(mending.text)
        written = f"{again.content}{again.reasoning}{again.calls}"
        if any(marker in written for marker in mending.markers) or _unknown(again, tools) > _unknown(parsed, tools):
            continue
        if not _rank(again)[0] or (again.calls == parsed.calls and len(again.dropped) < len(parsed.dropped)):
            continue  # what showed that a call is lost was taken for damage
        if _rank(again) > _rank(best):
            best, clear = again, True
            repairs = [] if mending.once and set(mending.repairs) <= set(again.repairs) else mending.repairs
        elif best is not parsed and _rank(again) == _rank(best) and again.calls != best.calls:
            clear = False
    if not clear:
        return parsed
    best.repairs += repairs
    return best


def _unescaped(text: str) -> str | None:
    """A text that was escaped twice, as it was before; ``None`` for any other."""
    if ("\\n" not in text and '\\"' not in text) or "\n" in text:
        return None
    try:
        plain = jsontext.loads(f'"{text}"')
    except ValueError:
        return None
    return plain if isinstance(plain, str) else None


@lru_cache(maxsize=1)
def _tags_of_all() -> frozenset[str]:
    """The tags of all dialects: one that is whole is not the damaged tag of another."""
    from toolconv.dialects.markers import openers, parts

    return openers() | parts()


def _unknown(parsed: Parsed, tools: ToolIndex) -> int:
    """How many calls name a tool or an argument that is not declared, where any are."""
    unknown = 0
    for call in parsed.calls if tools else ():
        declared = (tools.parameters(call.name) or {}).get("properties")
        is_unknown = isinstance(declared, dict) and declared and not call.arguments.keys() <= declared.keys()
        unknown += call.name not in tools or bool(is_unknown)
    return unknown


def _rank(parsed: Parsed) -> tuple[int, ...]:
    """How much a reading makes of its turn: higher is better. Arguments that are not there make no call."""
    guesses = sum(name in ("markup_in_value", "type_mismatch") for name in parsed.repairs)
    empty = parsed.repairs.count("empty_arguments")
    return len(parsed.calls) - empty, -len(parsed.dropped), -len(parsed.repairs) - guesses
