"""The language of a text: by its script, or by its most common short words."""

from __future__ import annotations

from typing import Final

from toolconv.core.lazy_re import lazy_re

MIN_LETTERS: Final = 16
"""Shorter texts show no language; letters of scripts with a sign per syllable count more."""

NAMES: Final = {
    "zh": "Chinese", "ja": "Japanese", "ko": "Korean", "ru": "Cyrillic letters", "ar": "Arabic letters",
    "hi": "Devanagari", "th": "Thai", "el": "Greek", "he": "Hebrew", "en": "English", "es": "Spanish", "fr": "French",
    "de": "German", "pt": "Portuguese", "it": "Italian", "Latin": "Latin letters",
}  # fmt: skip

_SCRIPTS: Final = {
    "ja": lazy_re("[\u3040-\u30ff]"),
    "zh": lazy_re("[\u3400-\u9fff]"),
    "ko": lazy_re("[\uac00-\ud7af]"),
    "ru": lazy_re("[\u0400-\u04ff]"),
    "ar": lazy_re("[\u0600-\u06ff]"),
    "hi": lazy_re("[\u0900-\u097f]"),
    "th": lazy_re("[\u0e00-\u0e7f]"),
    "el": lazy_re("[\u0370-\u03ff]"),
    "he": lazy_re("[\u0590-\u05ff]"),
}
_WORDS: Final = {
    language: frozenset(words.split())
    for language, words in {
        "en": "the is are was you your and of to in for with what how can please have has this that it i will not",
        "es": "el los las es está son una por para con qué cómo puedo usted su y del al hay tiene muy esta hace",
        "fr": "le les est sont une des pour avec que comment je vous votre et du au il elle dans très fait pas sur",
        "de": "der die das ist sind ein eine und für mit wie ich sie ihr nicht auf zu den dem es im wird hat sehr",
        "pt": "os é são uma para com como você seu sua em está não muito tem ao hoje faz que pelo à isso",
        "it": "il gli è sono una per con come che di la nel del della e ha molto oggi fa non questa",
    }.items()
}
_LANGUAGES: Final = {
    word: [language for language, known in _WORDS.items() if word in known]
    for word in frozenset().union(*_WORDS.values())
}
"""The languages that have a short word."""

_ADDRESS = lazy_re(r"https?://\S+")
_WORD = lazy_re(r"[^\W\d_]+")


def script_of(text: str) -> str | None:
    """``Latin`` for a text in Latin letters alone, ``zh`` for one with hardly a Latin letter; ``None`` for others."""
    letters = [char for char in _ADDRESS.sub("", text[:2000]) if char.isalpha()]
    if len(letters) >= MIN_LETTERS and all(map(str.isascii, letters)):
        return "Latin"
    signs = len(_SCRIPTS["zh"].findall(text[:2000]))
    return "zh" if signs >= MIN_SIGNS and 3 * signs >= 2 * len(letters) else None


MIN_SIGNS: Final = 6
"""How many signs show that a text is Chinese."""


def language_of(text: str) -> str | None:
    """The language of a text, as a key of :data:`NAMES`; ``None`` if it is short or mixed."""
    text = _ADDRESS.sub("", text[:2000])
    letters = sum(map(str.isalpha, text))
    if not text.isascii():
        for language, script in _SCRIPTS.items():
            count = len(script.findall(text))
            if count >= 5 and 4 * count >= letters:
                return language
    if letters < MIN_LETTERS:
        return None
    words = _WORD.findall(text.lower())
    counts = dict.fromkeys(_WORDS, 0)
    for word in filter(_LANGUAGES.__contains__, words):
        for language in _LANGUAGES[word]:
            counts[language] += 1
    (most, language), (next_most, _) = sorted(((count, name) for name, count in counts.items()), reverse=True)[:2]
    return language if most >= 3 and most >= 2 * next_most and 5 * most >= len(words) else None
