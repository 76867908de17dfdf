"""The dialects that a text may be in, by the markers in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

from toolconv.dialects.lexing.lexer import MIN_TAG, TAG_PUNCTUATION, Lexer, Tokens, folded, halves_of, key_of
from toolconv.dialects.lexing.mentions import TAG
from toolconv.dialects.lexing.tag_search import TagSearch
from toolconv.dialects.lexing.trie import WordSet, pattern_of
from toolconv.dialects.lexing.turn_tokens import TURN_HEADERS, TURN_TOKENS
from toolconv.dialects.registry import CATCH_ALL, PREFERRED, are_built_in, get, rank, registered
from toolconv.dialects.vocabulary import Vocabulary, of_vocabulary

if TYPE_CHECKING:
    from toolconv.dialects.base import Dialect

SIGNS: Final = ("<", "{", "[", "✿")
"""Every telling marker, and every call of a declared tool, holds one of these."""


def marked_dialects(text: str) -> tuple[Dialect, ...]:
    """The dialects that have a marker in a text, in any case: those that frame answers as the text does, by rank."""
    return _marked_dialects(text, registered())


@lru_cache(maxsize=4)
def _marked_dialects(text: str, registered: tuple[Dialect, ...]) -> tuple[Dialect, ...]:
    """Cached per text: callers ask several times."""
    table = _table(registered)
    found = table.words.found_in(folded(text)) | table.plain_words.found_in(text)
    return _dialects_with(frozenset(found), registered) if found else ()


@lru_cache(maxsize=256)
def _dialects_with(markers: frozenset[str], registered: tuple[Dialect, ...]) -> tuple[Dialect, ...]:
    """The dialects that have one of some markers: first those with a frame among these, by rank."""
    marked = [each for each in _table(registered).dialects if not markers.isdisjoint(each.markers)]
    marked.sort(key=lambda each: markers.isdisjoint(each.frames))  # stable
    return tuple(each.dialect for each in marked)


def tokens_in(text: str, dialect: Dialect | None = None) -> Tokens:
    """The tags of all dialects in a text, and those of one that is not registered."""
    known = registered()
    return _tokens_in(text, known if dialect is None or _are_known(dialect, known) else (*known, dialect))


@lru_cache(maxsize=8)
def _tokens_in(text: str, dialects: tuple[Dialect, ...]) -> Tokens:
    """Cached per text: callers ask again."""
    return _lexer(dialects).scan(text)


@lru_cache(maxsize=256)
def _are_known(dialect: Dialect, known: tuple[Dialect, ...]) -> bool:
    """Whether a dialect has no other tags than one of its name: a template's own form has hardly ever."""
    return any(each.name == dialect.name and dialect.all_tags <= each.all_tags for each in known)


@lru_cache(maxsize=8)
def _lexer(dialects: tuple[Dialect, ...]) -> Lexer:
    writers: dict[str, list[str]] = {}
    for dialect in sorted(dialects, key=lambda each: (rank(each.name), each.name)):
        written = dialect.calls.tags if dialect.calls is not None else ()
        for tag in (*written, *sorted(dialect.all_tags.difference(written))):
            if tag in dialect.all_tags:
                writers.setdefault(tag, []).append(dialect.name)
    return Lexer(writers)


def tagged_dialects(text: str) -> list[Dialect]:
    """The dialects that have some tag of a call in a text, by rank."""
    lexer = _lexer(registered())
    names = set().union(*(lexer.writers_of(written) for _, _, written in tokens_in(text).whole))
    return [each.dialect for each in _table(registered()).dialects if each.dialect.name in names]


def may_show_calls(text: str) -> bool:
    """Whether a text may hold a call, with or without a marker. False positives are allowed."""
    for sign in SIGNS:
        if sign in text:
            return True
    if "(" in text:
        return True
    for word in _plain_words():  # noqa: SIM110 - faster than any()
        if word in text:
            return True
    return False


@of_vocabulary
def _plain_words(vocabulary: Vocabulary) -> tuple[str, ...]:
    """The markers without a sign, but those that hold another."""
    plain = [word for word in vocabulary.markers if not _has_sign(word)]
    return tuple(sorted(word for word in plain if not any(other in word for other in plain if other != word)))


def _has_sign(word: str) -> bool:
    return any(sign in word for sign in SIGNS)


@lru_cache(maxsize=4)
def may_hold_markup(text: str) -> bool:
    """Whether a text may hold a tag of any dialect, or what begins one. Cached per text: many ask.

    The last half of a tag is all that is left of it in a damaged text, and tags of no dialect are tags by their words.
    """
    return _markup().are_in(text)


@of_vocabulary
def _markup(vocabulary: Vocabulary) -> TagSearch:
    halves = (half for half, first, _ in halves_of_openers() if first)
    return TagSearch((*tokens()[0], *halves, "<|plugin", "<|action"))


@of_vocabulary
def tokens(vocabulary: Vocabulary) -> tuple[frozenset[str], frozenset[str]]:
    """What dialects write around and in calls, prose and turns, in two sets: tags, and what is only words."""
    texts = {*TURN_HEADERS, *TURN_TOKENS, *vocabulary.tokens, *vocabulary.reasoning}
    found = frozenset(text.strip() for text in texts if len(text.strip()) > 2)
    tags = frozenset(token for token in found if folded(token) != token or folded(token.upper()) != token.upper())
    return tags, found - tags


def markerless_dialects(starts: Collection[str]) -> list[Dialect]:
    """The dialects whose calls may have no marker, of those that begin calls with one of some characters."""
    return [each for each in _table(registered()).markerless if not set(each.bare_starts).isdisjoint(starts)]


@of_vocabulary
def openers(vocabulary: Vocabulary) -> frozenset[str]:
    """The markers of all dialects."""
    return frozenset(marker.strip() for marker in vocabulary.markers)


@of_vocabulary
def telling_openers(_: Vocabulary) -> frozenset[str]:
    """The tags that begin calls, except those that ordinary markup could be when damaged."""
    return frozenset(tag for tag in openers() if len(tag) >= MIN_TAG and any(sign in tag for sign in TAG_PUNCTUATION))


def halves_of_openers() -> tuple[tuple[str, bool, str], ...]:
    """The halves of :func:`telling_openers`, as :func:`~.lexer.halves_of`: a damaged tag has one of them left."""
    return halves_of(frozenset(map(key_of, telling_openers())))


def begins_calls(text: str) -> bool:
    """Whether a text holds a marker that is no word, as its family writes it."""
    return first_marker(text) >= 0


def first_marker(text: str) -> int:
    """The first place of a marker that is no word, as its family writes it; -1 if a text holds none."""
    for sign in SIGNS:
        if sign in text:
            found = _marker_pattern().search(text)
            return -1 if found is None else found.start()
    return -1


@of_vocabulary
def _marker_pattern(_: Vocabulary) -> re.Pattern[str]:
    return re.compile(pattern_of(word for word in openers() if len(word) > 2 and _has_sign(word)))


def parts() -> frozenset[str]:
    """The tags of calls, in lower case, that nothing else in a turn has."""
    return _table(registered()).parts


def reasoning_dialect(text: str) -> Dialect | None:
    """The dialect whose mark of reasoning begins a text, or ends what the prompt began.

    ``None`` for ``<think>``, which belongs to no dialect.
    """
    start = text.lstrip()
    for (opening, close, own_close), dialect in _table(registered()).thinking.items():
        ends = own_close and close in text and opening not in text and bool(text.partition(close)[2].strip())
        if ends or start.startswith(opening):
            return dialect
    return None


def plain_dialect() -> Dialect:
    """The dialect for texts that show none: it splits off ``<think>`` and turn tokens."""
    return get(PREFERRED[0]) if are_built_in() else _table(registered()).dialects[0].dialect


def asked_before(dialect: Dialect, text: str) -> Iterator[Dialect]:
    """The dialects that may have written a text, and are asked before ``dialect``."""
    return takewhile(lambda each: each.name != dialect.name, (*marked_dialects(text), *_table(registered()).markerless))


class _Marked(NamedTuple):
    """A dialect, its markers, and those of them that are also around answers without calls; all folded."""

    dialect: Dialect
    markers: frozenset[str]
    frames: frozenset[str]


class _Table(NamedTuple):
    dialects: tuple[_Marked, ...]
    words: WordSet
    plain_words: WordSet
    markerless: tuple[Dialect, ...]
    parts: frozenset[str]
    thinking: dict[tuple[str, str, bool], Dialect]


@lru_cache(maxsize=1)
def _table(registered: tuple[Dialect, ...]) -> _Table:
    ordered = sorted(registered, key=lambda each: (rank(each.name), each.name))
    dialects = [each for each in ordered if each.name not in CATCH_ALL]
    marked = []
    plain: set[str] = set()
    for dialect in dialects:
        frames = _frames(dialect)
        plain.update(word for word in dialect.markers if not _has_sign(word))
        markers = frozenset(folded(word) for word in (*dialect.markers, *frames))
        if dialect.markers:
            marked.append(_Marked(dialect, markers, frozenset(map(folded, frames))))
    words = frozenset().union(*(each.markers for each in marked)) - plain
    bare = [each for each in dialects if not each.markers or getattr(each, "bare", "") == "always"]
    parts = frozenset(part.lower() for part in _parts(dialects))
    thinking: dict[tuple[str, str, bool], Dialect] = {}
    for each in marked:
        mark = each.dialect.reasoning
        if mark.open not in ("", "<think>"):
            thinking.setdefault((mark.open, mark.close, mark.own_close), each.dialect)
    return _Table(tuple(marked), WordSet(words), WordSet(plain), tuple(bare), parts, thinking)


def _parts(dialects: Iterable[Dialect]) -> Iterator[str]:
    """The tags in the call templates of dialects that nothing else in a turn has."""
    from toolconv.dialects.call_template import ORDINARY_TAGS  # which plain turns do not need

    for dialect in dialects:
        if dialect.calls is not None:
            call = dialect.calls
            others = "".join((call.turn, call.turn_without_calls, call.turn_without_prose, *dialect.turn_tokens))
            text = "\n".join((call.before, call.call, call.param, call.between, call.after))
            yield from (
                tag
                for tag in TAG.findall(text)
                if "{" not in tag and tag not in others and len(tag) > 5 and tag not in ORDINARY_TAGS
            )


def _frames(dialect: Dialect) -> list[str]:
    """The tags around an answer without calls."""
    if dialect.calls is None:
        return []
    before, _, after = dialect.calls.turn_without_calls.partition("{prose}")
    return [text.strip() for text in (before, after) if "<" in text]
