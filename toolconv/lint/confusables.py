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

_MIXED = lazy_re(rf"[A-Za-z{''.join(LOOKALIKES)}]{{3,}}")
_ANY = lazy_re(f"[{''.join(LOOKALIKES)}]")
_WORD = lazy_re(r"[^\W\d_]+")


def letter_name(char: str) -> str:
    """A character, with its name if it looks like a letter of English."""
    like = LOOKALIKES.get(char)
    return repr(char) if like is None else f"{char!r} ({unicodedata.name(char).lower()}, which looks like {like!r})"


def confusable_in(text: str) -> tuple[str, str] | None:
    """The first word of English letters and one or more that only look so, and the name of that letter."""
    if text.isascii() or _ANY.search(text) is None:
        return None
    for match in _WORD.finditer(text):
        word = match[0]
        if _MIXED.fullmatch(word) is None:
            continue
        like = [char for char in word if char in LOOKALIKES]
        if like and len(word) - len(like) >= 2:
            return word, letter_name(like[0])
    return None
