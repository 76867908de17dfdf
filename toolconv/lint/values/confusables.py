"""Letters of other alphabets that look like letters of English.

Source: Unicode Technical Standard 39, confusables.txt, for the letters of Cyrillic and Greek that have the same form.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from toolconv.core.lazy_re import lazy_re

LOOKALIKES: Final = dict(
    zip("аеорсухіјѕһАВЕКМНОРСТХІЈЅαορνΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijshABEKMHOPCTXIJSaopvABEZHIKMNOPTYX", strict=True)
)
"""Letters of Cyrillic and Greek, with those of English that they look like."""

ODD: Final = (
    *LOOKALIKES,
    *"\u200b\u2060\ufeff\u00ad",
    *map(chr, [*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B)]),
)
"""All characters that :func:`confusable_in` may report."""

_MIXED = lazy_re(rf"[A-Za-z{''.join(LOOKALIKES)}]{{3,}}")
_ANY = lazy_re(f"[{''.join(LOOKALIKES)}]")
_UNSEEN = lazy_re(
    r"[A-Za-z0-9-]{1,40}(?P<char>[\u200b\u2060\ufeff\u00ad\uff10-\uff19\uff21-\uff3a\uff41-\uff5a])"
    r"[A-Za-z0-9]{0,40}"
)
"""A character without width, or a wide one of Chinese typography, after plain letters or digits."""

_WORD = lazy_re(r"[^\W\d_]+")


def letter_name(char: str) -> str:
    """A character, with its name if it looks like a letter of English."""
    like = LOOKALIKES.get(char)
    return repr(char) if like is None else f"{char!r} ({unicodedata.name(char).lower()}, which looks like {like!r})"


def confusable_in(text: str) -> tuple[str, str] | None:
    """The first word of English letters and one that only looks so, or is not seen, and the name of that one."""
    if text.isascii():
        return None
    if (match := _UNSEEN.search(text)) is not None:
        name = unicodedata.name(match["char"], "").lower()
        kind = "which looks like a plain one" if match["char"] >= "\uff00" else "which nobody sees"
        return match[0], f"{match['char']!r} ({name}, {kind})"
    if _ANY.search(text) is None:
        return None
    for match in _WORD.finditer(text):
        word = match[0]
        if _MIXED.fullmatch(word) is None:
            continue
        like = [char for char in word if char in LOOKALIKES]
        if like and len(word) - len(like) >= 2:
            return word, letter_name(like[0])
    return None
