"""Read JSON whose strings hold quotes that nothing escapes, as in ``{"command": "echo "hi" > a"}``.

A string is believed to end at the first quote after which the object goes on as JSON does: with the next key, or with
closing brackets.
"""

from __future__ import annotations

from typing import Final

from toolconv.core import lenient_json
from toolconv.core.lazy_re import lazy_re
from toolconv.core.lenient_json import LenientValue, Unreadable

_KEY: Final = lazy_re(r"\s*\"[^\"\\\n]{1,128}\"\s*:\s*")
_END: Final = lazy_re(r"\"(?=\s*(?:,\s*\"[^\"\\\n]{1,128}\"\s*:|(?:[}\]]\s*)+(?:,|\Z)))")


def read_inner_quotes(text: str) -> LenientValue:
    """Read an object in which quotes inside of strings are not escaped.

    Args:
        text: the object, from its first bracket to its last.

    Raises:
        Unreadable: that does not make it JSON.
    """
    pieces: list[str] = []
    at = 0
    while at < len(text):
        key = _KEY.match(text, at)
        if key is None:
            pieces.append(text[at])
            at += 1
            continue
        pieces.append(key[0])
        at = key.end()
        if not text.startswith('"', at):
            continue
        end = _END.search(text, at + 1)
        if end is None:
            break
        pieces += '"', _escaped(text[at + 1 : end.start()]), '"'
        at = end.end()
    mended = "".join(pieces) + text[at:]
    if mended == text:
        raise Unreadable("no quotes inside of strings", 0)
    reading = lenient_json.read(mended)
    if mended[reading.end :].strip():
        raise Unreadable("quotes inside of strings that may also end them", 0)
    return LenientValue(reading.value, len(text), ["inner_quotes", *reading.repairs])


def _escaped(inner: str) -> str:
    """The inside of a string, its quotes escaped."""
    pieces: list[str] = []
    escaped = False
    for char in inner:
        if char == '"' and not escaped:
            pieces.append("\\")
        pieces.append(char)
        escaped = char == "\\" and not escaped
    return "".join(pieces)
