"""CSV and TSV tables with a header, read as rows: JSON objects whose values are texts.

Source: RFC 4180; Python's ``csv``, which Excel, pandas and ``datasets`` write alike.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Final

from toolconv.core import jsontext
from toolconv.core.errors import FileError
from toolconv.core.lazy_re import lazy_re
from toolconv.core.plural import plural
from toolconv.core.rows import Line

ENDINGS: Final = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
"""Endings of tables, each with its usual delimiter."""

DELIMITERS: Final = ",\t;|"
QUOTED: Final = lazy_re(r'"(?:[^"]|"")*"')
COLUMN: Final = lazy_re(r"[A-Za-z_][\w .\-/#()]{0,39}")
ABSENT: Final = ("", "tools", "functions")
"""Columns whose empty cells are left out: unnamed ones, and those of tools, which are not text."""

EXAMINED: Final = 20
"""How many lines are examined to tell a table from other text."""


def delimiter_of(name: str, header: str) -> str | None:
    """The delimiter of a table, by the name of its file and its header; ``None`` if the name is not that of a table."""
    stem = name.removesuffix(".gz").removesuffix(".zst").lower()
    usual = next((delimiter for ending, delimiter in ENDINGS.items() if stem.endswith(ending)), None)
    return None if usual is None else most_frequent(header, usual)


def named_as_lines(name: str) -> str:
    """The name of a file of JSON lines that is made of a file: another ending for a table, else the same name."""
    packed = next((ending for ending in (".gz", ".zst") if name.endswith(ending)), "")
    stem = name.removesuffix(packed)
    ending = next((ending for ending in ENDINGS if stem.lower().endswith(ending)), "")
    return f"{stem[: -len(ending)]}.jsonl{packed}" if ending else name


def most_frequent(header: str, usual: str = ",") -> str:
    """The delimiter that a header has most often outside of quotes; ``usual`` if it has none or several as often."""
    bare = QUOTED.sub("", header)
    found: str = max([usual, *DELIMITERS], key=bare.count)
    return found


def may_begin(text: str) -> bool:
    """Whether the first line of a text may be the header of a table."""
    header = text.partition("\n")[0].rstrip("\r")

    delimiter = most_frequent(header)
    return delimiter in header and all(COLUMN.fullmatch(cell.strip('"')) for cell in header.split(delimiter))


def columns_of(text: str) -> tuple[str, list[str], list[str]] | None:
    """The delimiter, the columns and the first row of a text that looks like a table; ``None`` for any other text.

    A table has at least two columns with plain names, and as many cells in each of its first lines.
    """
    header, _, rest = text.partition("\n")
    if not may_begin(text) or not rest.strip():
        return None
    import csv

    delimiter = most_frequent(header)
    lines = text.split("\n", EXAMINED)[:EXAMINED]
    found: list[list[str]] = []
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    try:
        found.extend(
            row for row in csv.reader((line + "\n" for line in lines), delimiter=delimiter, strict=True) if row
        )
    except csv.Error as error:
        if "unexpected end" not in str(error):  # the last row may be cut off
            return None
        if len(found) == 1:
            found.append([""] * len(found[0]))
    if len(found) < 2 or len({len(row) for row in found}) > 1 or len(found[0]) < 2:
        return None
    return delimiter, found[0], found[1]


def rows(label: str, lines: Iterable[Line], delimiter: str, longest: int) -> Iterator[Line]:
    """The rows of a table as JSON texts, each with the number of its first line.

    Args:
        label: the input's name, for errors.
        lines: all lines, also blank ones.
        delimiter: what separates cells.
        longest: the longest cell to hold, in characters.

    Raises:
        FileError: this is no table with a header, or a row has more or fewer cells than the header.
    """
    at = 0

    def texts() -> Iterator[str]:
        for line in lines:
            try:
                yield line.text.decode() + "\n"
            except UnicodeDecodeError as error:
                raise FileError(f"{label}:{line.number}: not UTF-8 (byte {error.start})") from None

    import csv

    csv.field_size_limit(min(longest, sys.maxsize >> 32))
    reader = csv.reader(texts(), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    try:
        for cells in reader:
            first, at = at + 1, reader.line_num
            if not any(cells):
                continue
            if header is None:
                header = _checked(label, cells)
            elif len(cells) != len(header):
                raise FileError(f"{label}:{first}: {plural(len(cells), 'cell')}, but the header has {len(header)}")
            else:
                row = {name: cell for name, cell in zip(header, cells, strict=True) if cell or name not in ABSENT}
                yield Line(first, jsontext.dumps(row))
    except csv.Error as error:
        raise FileError(f"{label}:{at + 1}: not CSV ({error})") from None


def _checked(label: str, header: list[str]) -> list[str]:
    header = [name.strip() for name in header]
    twice = [name for at, name in enumerate(header) if name in header[:at]]
    if any(twice):
        raise FileError(f"{label}:1: two columns are named {next(filter(None, twice))!r}")
    return header
