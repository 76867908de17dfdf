"""Where markup may begin in a text that is still being written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.lexing.call_signs import unread_calls
from toolconv.dialects.lexing.markers import tokens_in
from toolconv.dialects.lexing.other_turns import begins_other_turn
from toolconv.dialects.lexing.plain_text import holds_tokens
from toolconv.dialects.vocabulary import Vocabulary, vocabulary, vocabulary_of

LOOKAHEAD: Final = 120
"""How many characters settle whether a word begins a call; none is longer."""
CODE_LENGTH: Final = 2000
"""How long inline code may be."""
SIGNS: Final = "<[{✿`"
"""What markup begins with that is not a word."""
_OBJECT: Final = lazy_re(r"\{\s{0,100}(?:[\"'“„‘＂]|\w)")
_LIST: Final = lazy_re(r"\[\s{0,100}[\[{\]\"']")
_TAG: Final = lazy_re(r"(?P<first>[<\[]{1,3}[^<>\[\]\n]{0,100}[>\]]?)(?:(?<![>\]])[<\[\n][^<>\[\]\n]{0,100}[>\]]?)?")
"""A tag, also one that another tag or a line break has got into."""
_CALL_FOLLOWS: Final = lazy_re(r"(?::\d{0,6})?\s{0,5}[\[<{(]")
_MAY_FOLLOW: Final = lazy_re(r"(?::\d{0,6})?\s{0,5}\Z")


@dataclass(frozen=True)
class LiveMarkup:
    """What markup begins with: signs, words that dialects write, and the names of declared tools.

    Attributes:
        stop: finds the first sign or word in a text.
        begun: the beginnings of words and names, in lower case.
        names: the names, the longest first; they begin a call only where an object or a tag follows.
        bare: whether a list of calls may stand without a marker.
    """

    stop: re.Pattern[str]
    begun: frozenset[str]
    names: tuple[str, ...] = ()
    bare: bool = False

    def first_place(self, text: str) -> int:
        """The first place in a text where markup may begin, whole or cut off; the end if there is none."""
        found = self.stop.search(text)
        end = len(text) if found is None else found.start()
        for name in self.names:
            if 0 <= (place := text.find(name, 0, end + len(name))) < end:
                end = place
        for length in range(min(len(text), LOOKAHEAD), len(text) - end, -1):
            if text[-length:].lower() in self.begun:
                return len(text) - length
        return end

    def plain_length(self, text: str) -> int | None:
        """How many characters at a place that was found are plain prose; ``None`` where more text is needed to say.

        0 means that markup may begin there.
        """
        sign, is_short = text[:1], len(text) < LOOKAHEAD
        if sign not in SIGNS:
            return self._plain_name(text)
        if sign == "`":
            return _plain_code(text)
        if not text[1:LOOKAHEAD].strip():
            return None if is_short else 0
        if sign == "{":
            return 0 if _OBJECT.match(text) else 1
        if sign == "[" and (self.bare or _LIST.match(text)):
            return 0
        if (tag := _TAG.match(text)) is None:
            return 0
        if tag.end() == len(text) and text[-1] not in ">]":
            return None
        if _is_markup(tag["first"]) or any(token.damage for token in tokens_in(tag[0]).odd):
            return 0
        return 1

    def _plain_name(self, text: str) -> int | None:
        if self.stop.match(text):
            return 0
        length = next((len(name) for name in self.names if text.startswith(name)), 0)
        if not length:
            return None
        return 0 if _CALL_FOLLOWS.match(text, length) else None if _MAY_FOLLOW.match(text, length) else length


def _is_markup(tag: str) -> bool:
    """Whether a tag is one that any dialect writes, whole or damaged, or looks like one of a call or a turn."""
    return (
        "|" in tag
        or "｜" in tag
        or holds_tokens(tag)
        or bool(unread_calls(tag, NO_TOOLS))
        or begins_other_turn(f"{tag}user")  # a role may follow it
    )


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


def markup_of(dialect: Dialect, tools: ToolIndex) -> LiveMarkup:
    """What markup begins with in turns of a dialect, which may hold calls of any."""
    markup = _markup_of(dialect, vocabulary())
    names = tuple(sorted(filter(None, tools.functions), key=len, reverse=True))
    return LiveMarkup(markup.stop, markup.begun.union(*map(_beginnings, names)), names, markup.bare)


@lru_cache(maxsize=128)
def _markup_of(dialect: Dialect, written: Vocabulary) -> LiveMarkup:
    texts = {text.strip() for each in (written, vocabulary_of([dialect])) for text in each.around_prose}
    words = sorted(text for text in (*texts, "functions.") if len(text) > 2 and text[0] not in SIGNS)
    stop = re.compile("|".join([f"[{re.escape(SIGNS)}]", *map(re.escape, words)]), re.IGNORECASE)
    return LiveMarkup(stop, frozenset().union(*map(_beginnings, words)), bare=getattr(dialect, "bare", "") == "always")


def _beginnings(word: str) -> list[str]:
    """The beginnings of a word, without the word, in lower case."""
    return [word[:length].lower() for length in range(1, len(word))]
