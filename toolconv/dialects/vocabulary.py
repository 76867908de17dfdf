"""The words that dialects write, known without loading the dialects: most texts hold none of them.

``vocabulary.json`` lists those of the built-in dialects; ``python -m toolconv.manual`` writes it. Where there is
another dialect, the words are those of all dialects in the registry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import orjson

from toolconv.dialects.registry import CATCH_ALL, are_built_in, modules, registered

if TYPE_CHECKING:
    from toolconv.dialects.base import Dialect

T = TypeVar("T")

FILE: Final = Path(__file__).with_suffix(".json")


class Vocabulary(NamedTuple):
    """What the dialects write.

    Attributes:
        markers: what begins calls, except in dialects that read what all others write.
        tokens: all that is around calls and prose, and in calls.
        reasoning: what begins and ends reasoning.
        turn_tokens: what begins, ends and fills up turns.
        no_call: the names of the calls that say that no tool fits.
        results: what begins turns with results.
    """

    markers: frozenset[str]
    tokens: frozenset[str]
    reasoning: frozenset[str]
    turn_tokens: frozenset[str]
    no_call: frozenset[str]
    results: frozenset[str]

    @property
    def around_prose(self) -> frozenset[str]:
        """What begins and ends calls, reasoning and turns."""
        return self.tokens | self.reasoning | self.turn_tokens


def vocabulary() -> Vocabulary:
    """The words of the dialects in the registry; the same object until one is added."""
    return (_listed() if are_built_in() else None) or _of(registered())


def of_vocabulary(make: Callable[[Vocabulary], T]) -> Callable[[], T]:
    """What a function makes of the words of all dialects: it is called again only when a dialect is added."""
    made = lru_cache(maxsize=1)(make)
    return lambda: made(vocabulary())


def vocabulary_of(dialects: Iterable[Dialect]) -> Vocabulary:
    """The words of some dialects."""
    found = list(dialects)
    return Vocabulary(
        frozenset(marker for each in found if each.name not in CATCH_ALL for marker in each.markers),
        frozenset(token for each in found for token in _tokens_of(each)),
        frozenset(mark for each in found for mark in (each.reasoning.open, each.reasoning.close)),
        frozenset(token for each in found for token in each.turn_tokens),
        frozenset(each.no_call for each in found if each.no_call is not None),
        frozenset(each.chat.results_begin.strip() for each in found),
    )


def _tokens_of(dialect: Dialect) -> Iterator[str]:
    yield from (*dialect.markers, *dialect.all_markers, *dialect.inner_markers, *dialect.prose_stoppers)
    yield dialect.prose_opening
    yield from dialect.calls.tags if dialect.calls is not None else ()


@lru_cache(maxsize=1)
def _of(dialects: tuple[Dialect, ...]) -> Vocabulary:
    return vocabulary_of(dialects)


@cache
def _listed() -> Vocabulary | None:
    """The words in the file; ``None`` if a dialect has been written since."""
    words = {key: frozenset(listed) for key, listed in orjson.loads(FILE.read_bytes()).items()}
    return Vocabulary(**words) if words.pop("modules") == modules() else None


def file_text() -> str:
    """What ``vocabulary.json`` holds for the dialects in the registry."""
    words = {key: sorted(listed) for key, listed in vocabulary_of(registered())._asdict().items()}
    words["modules"] = sorted(modules())
    return orjson.dumps(words, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
