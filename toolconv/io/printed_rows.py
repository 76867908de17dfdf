"""Objects that are printed over several lines, one after another, as ``jq`` and ``json.dumps(…, indent=2)`` do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolconv.core.errors import FileError, too_long
from toolconv.core.lazy_re import lazy_re
from toolconv.core.rows import Line

BORDER: Final = lazy_re(rb"^\}[ \t]*\r?\n\s*\{", re.MULTILINE)
"""The end of an object at the beginning of a line, and the next object."""


ONLY: Final = lazy_re(rb"\n\}\s*\Z")
"""The end of the only object of an input."""


def begins_printed(start: bytes, *, alone: bool) -> bool:
    """Whether an input begins with an object over several lines that another object follows.

    Args:
        alone: the object may be the only one, as in a file that is named as one of rows.
    """
    if start.lstrip().partition(b"\n")[0].strip() != b"{":
        return False
    return BORDER.search(start) is not None or (alone and ONLY.search(start) is not None)


def printed_rows(lines: Iterator[Line], label: str, longest: int) -> Iterator[Line]:
    """Each object on one line, with the number of its first line.

    Args:
        longest: the longest object to hold, in bytes.

    Raises:
        FileError: an object is longer.
    """
    held: list[bytes] = []
    size = first = 0
    for number, text in lines:
        if not held:
            first = number
        held.append(text.rstrip(b"\r"))
        size += len(text)
        if size > longest:
            raise FileError(f"{label}:{first}: {too_long('a row', longest)}")
        if text[:1] == b"}":
            yield Line(first, b" ".join(held).strip())
            held, size = [], 0
    if held and any(text.strip() for text in held):
        yield Line(first, b" ".join(held).strip())
