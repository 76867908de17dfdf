"""Where markup may begin in a text that is still being written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.lexing.call_signs import unread_calls
from toolconv.dialects.lexing.markers import tokens_in
from toolconv.dialects.lexing.other_turns import begins_other_turn
from toolconv.dialects.vocabulary import Vocabulary, vocabulary, vocabulary_of

LOOKAHEAD: Final = 120
"""How many characters settle whether markup begins at a place; no marker is longer."""
CODE_LENGTH: Final = 2000
"""How long inline code may be."""
SIGNS: Final = "<[{✿`"
_OBJECT: Final = lazy_re(r"\{\s{0,100}(?:[\"'“„‘＂]|\w)")
_LIST: Final = lazy_re(r"\[\s{0,100}[\[{\]\"']")
_TAG: Final = lazy_re(r"[<\[][^<>\[\]\n]{0,100}")
_CALL_FOLLOWS: Final = lazy_re(r"(?::\d{0,6})?\s{0,5}[\[<{(]")
_MAY_FOLLOW: Final = lazy_re(r"(?::\d{0,6})?\s{0,5}\Z")
_BLANK: Final = lazy_re(r"[ \t]")


@dataclass(frozen=True)
class LiveMarkup:
    """The texts that markup begins with: the markers of all dialects, or the names of declared tools.

    Attributes:
        stop: finds the first place in a text where a marker may begin.
        begun: the beginnings of those that begin with a letter, in lower case.
        folded: all of them, as :func:`folded` has them.
        begun_folded: the beginnings of these.
        names: instead of markers, names of tools, the longest first; they begin a call only where an object or a tag
            follows.
        bare: whether a list of calls may stand without a marker.
    """

    stop: re.Pattern[str] | None
    begun: frozenset[str]
    folded: frozenset[str]
    begun_folded: frozenset[str]
    names: tuple[str, ...] = ()
    bare: bool = False

    def first_place(self, text: str) -> int:
        """The first place in a text where one may begin; -1 if there is none."""
        if self.stop is None:
            return min((place for name in self.names if (place := text.find(name)) >= 0), default=-1)
        found = self.stop.search(text)
        return -1 if found is None else found.start()

    def shows_marker(self, text: str) -> bool | None:
        """Whether a text begins with a marker; ``None`` where more of it is needed to say."""
        start = folded(text[:LOOKAHEAD])
        if start in self.begun_folded and len(text) < LOOKAHEAD:
            return None
        return any(start[:length] in self.folded for length in range(1, len(start) + 1))

    def plain_length(self, text: str) -> int | None:
        """How many characters at a place that was found are plain prose; ``None`` where more text is needed to say.

        0 means that markup may begin there.
        """
        if self.names:
            return self._plain_name(text)
        known = self.shows_marker(text)
        if known is not False:
            return 0 if known else None
        sign, cut = text[0], len(text) < LOOKAHEAD
        if sign == "`":
            return _plain_code(text)
        if sign == "{":
            if _OBJECT.match(text):
                return 0
            return 1 if text[1:LOOKAHEAD].strip() else None if cut else 0
        if sign not in "<[":
            return 0
        if sign == "[" and (self.bare or _LIST.match(text)):
            return 0
        tag = _TAG.match(text)
        end = tag.end() if tag else 1
        if cut and (end == len(text) or (sign == "[" and not text[1:].strip())):
            return None
        if unread_calls(text[: end + 1], NO_TOOLS) or begins_other_turn(text[: end + 1]):
            return 0
        if "|" in text[:end] or "｜" in text[:end]:
            return 0
        if text[end] not in ">]" and folded(text[:end]) in self.begun_folded:
            leaked = end > 2 or self.shows_marker(text[end:])  # a turn token, or a line break, within a marker
            if leaked is not False:
                return 0 if leaked else None
        if (rest := _TAG.match(text, end)) is not None:  # a bracket that has no place in a tag
            end = rest.end()
            if cut and end == len(text):
                return None
        return 0 if any(token.damage for token in tokens_in(text[: end + 1]).odd) else 1

    def _plain_name(self, text: str) -> int | None:
        length = next((len(name) for name in self.names if text.startswith(name)), 0)
        if not length or _CALL_FOLLOWS.match(text, length):
            return 0
        return None if _MAY_FOLLOW.match(text, length) else length


def _plain_code(text: str) -> int | None:
    """The length of inline code that holds no markup, or of a backquote that is alone in its line."""
    line = text.find("\n", 0, CODE_LENGTH)
    close = text.find("`", 1, line if line >= 0 else CODE_LENGTH)
    if close < 0:
        return 1 if line >= 0 else None if len(text) < CODE_LENGTH else 0
    if close == 1 or any(sign in text[1:close] for sign in SIGNS):
        return 0
    if close + 1 == len(text):
        return None
    return 0 if text[close + 1] == "`" else close + 1


def next_stop(text: str, markup: Iterable[LiveMarkup]) -> tuple[int, LiveMarkup | None]:
    """The first place in a text where markup may begin, and what finds it; ``None`` if it is cut off there.

    The place is the end of the text where none begins.
    """
    end, finder = len(text), None
    for each in markup:
        if 0 <= (place := each.first_place(text)) < end:
            end, finder = place, each
    for length in range(min(len(text), LOOKAHEAD), len(text) - end, -1):
        start = text[-length:].lower()
        if any(start in each.begun for each in markup):
            return len(text) - length, None
    return end, finder


def folded(text: str) -> str:
    """A marker as it is compared: without whitespace, in any case, with one kind of bar and of space."""
    return _BLANK.sub("", text).lower().replace("｜", "|").replace("▁", "_")


@lru_cache(maxsize=128)
def live_markup(dialect: Dialect, written: Vocabulary) -> LiveMarkup:
    """What a dialect and all others write, since a turn may hold calls of any."""
    texts = {text.strip() for each in (written, vocabulary_of([dialect])) for text in each.around_prose}
    markers = sorted(text for text in texts if len(text) > 2)
    words = [text for text in (*markers, "functions.") if text[0] not in SIGNS]
    together = {folded(text) for text in markers}
    return LiveMarkup(
        re.compile("|".join([f"[{re.escape(SIGNS)}]", *map(re.escape, words)]), re.IGNORECASE),
        _beginnings(words),
        frozenset(together),
        _beginnings(together),
        bare=getattr(dialect, "bare", "") == "always",
    )


def markup_of(dialect: Dialect, tools: ToolIndex) -> tuple[LiveMarkup, ...]:
    """All that markup begins with in turns of a dialect."""
    markers = live_markup(dialect, vocabulary())
    names = tuple(sorted(filter(None, tools.functions), key=len, reverse=True))
    if not names:
        return (markers,)
    return markers, LiveMarkup(None, _beginnings(names), frozenset(), frozenset(), names)


def _beginnings(texts: Iterable[str]) -> frozenset[str]:
    """The beginnings of texts, without the texts, in lower case."""
    return frozenset(text[:length].lower() for text in texts for length in range(1, len(text)))
