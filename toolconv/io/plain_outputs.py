"""Model outputs as plain text, one a line or separated by null characters, read as rows ``{"text": …}``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from toolconv.core import jsontext
from toolconv.core.rows import Line

SWAPPED: Final = bytes.maketrans(b"\n\0", b"\0\n")
"""Makes lines of texts between null characters, and the other way round."""


def rows(lines: Iterable[Line], *, null: bool = False) -> Iterator[Line]:
    """The rows of texts.

    A text that is not UTF-8 is passed on as it is, so that it is rejected as a row.

    Args:
        lines: the texts; with ``null``, line ends and null characters are swapped in them (:data:`SWAPPED`).
        null: null characters separate the texts, which may hold line ends.
    """
    for number, line in lines:
        text = line.translate(SWAPPED).removesuffix(b"\n") if null else line
        text = text.removesuffix(b"\r")
        if not text or text.isspace():
            continue
        try:
            yield Line(number, jsontext.dumps({"text": text.decode()}))
        except UnicodeDecodeError:
            yield Line(number, text.replace(b"\n", b" "))
