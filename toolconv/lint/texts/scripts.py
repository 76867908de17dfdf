"""The script of a text."""

from __future__ import annotations

from typing import Final

from toolconv.core.lazy_re import lazy_re

MIN_LETTERS: Final = 16
"""How many Latin letters show that a text is written in them; fewer may be names."""

MIN_SIGNS: Final = 5
"""How many letters show that a text is written in another script."""

_SCRIPTS: Final = {
    "Japanese": lazy_re("[\u3040-\u30ff]"),
    "Chinese": lazy_re("[\u3400-\u9fff]"),
    "Korean": lazy_re("[\uac00-\ud7af]"),
    "Cyrillic letters": lazy_re("[\u0400-\u04ff]"),
    "Arabic letters": lazy_re("[\u0600-\u06ff]"),
    "Devanagari": lazy_re("[\u0900-\u097f]"),
    "Thai": lazy_re("[\u0e00-\u0e7f]"),
    "Greek": lazy_re("[\u0370-\u03ff]"),
    "Hebrew": lazy_re("[\u0590-\u05ff]"),
}
LATIN: Final = "Latin letters"

MIXED: Final = frozenset({"Japanese", "Chinese"})
"""Scripts that a short text doesn't tell apart: Japanese may be written in Chinese signs alone."""

_ADDRESS = lazy_re(r"https?://\S+")


def script_of(text: str) -> str | None:
    """The name of the script that a text is written in; ``None`` if it is short, or has as many letters of others."""
    text = _ADDRESS.sub("", text[:2000])
    if text.isascii():
        return LATIN if len(text.translate(_LETTERS_ALONE)) >= MIN_LETTERS else None
    letters = sum(map(str.isalpha, text))
    for name, script in _SCRIPTS.items():
        count = len(script.findall(text))
        if count >= MIN_SIGNS and 4 * count >= letters:
            return name
    is_latin = not any(map(str.isalpha, _BEYOND_LATIN.findall(text)))
    return LATIN if letters >= MIN_LETTERS and is_latin else None


_LETTERS_ALONE: Final = {code: None for code in range(128) if not chr(code).isalpha()}
_BEYOND_LATIN = lazy_re("[^\x00-\u024f]")


def lowered(text: str) -> str:
    """A text with ASCII's letters in lower case: in a text with others, that takes a fourth of the time of all."""
    return (
        text.lower()
        if text.isascii()
        else text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
    )
