"""Rows in memory as JSON lines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation


class MemoryRows:
    """Rows in memory as JSON lines.

    Those of a Hugging Face ``Dataset`` or ``IterableDataset`` are read like the rows of a ``.parquet`` file, without
    the nulls with which Arrow pads structs.

    Args:
        rows: objects of JSON data, or conversations.

    Attributes:
        changes: what JSON lines can't hold, so far: see :class:`toolconv.io.parquet.ArrowRows`.
    """

    def __init__(self, rows: Iterable[Mapping[str, Any] | Conversation]) -> None:
        self._rows: Any = rows
        self.changes: Counter[str] = Counter()

    def __iter__(self) -> Iterator[bytes]:
        if not hasattr(self._rows, "with_format"):
            for number, row in enumerate(self._rows, 1):
                yield _line(row.row if isinstance(row, Conversation) else row, number)
            return
        from toolconv.io import parquet

        for table in self._rows.with_format("arrow").iter(batch_size=parquet.BATCH_ROWS):
            lines = parquet.ArrowRows(table.schema)
            for batch in table.to_batches():
                yield from lines.of(batch)
            self.changes += lines.changes


def _line(row: Any, number: int) -> bytes:
    """A row as a line. With NaN or an infinity it is not JSON, as in a file; orjson would write null.

    One that is nested too deeply is a line that is refused for the same reason.

    Raises:
        TypeError: it is no mapping, or holds other than JSON data.
    """
    if not isinstance(row, Mapping):
        raise TypeError(f"row {number}: a row is a mapping, but this is of type {type(row).__name__}")
    row = dict(row)
    try:
        line = jsontext.dumps(row)
    except jsontext.BeyondLimit:
        return b"[" * (jsontext.MAX_DEPTH + 1) + b"]" * (jsontext.MAX_DEPTH + 1)
    except TypeError as error:
        raise TypeError(f"row {number}: {error}") from None
    return json.dumps(row, default=str).encode() if b"null" in line and _is_infinite(row) else line


def _is_infinite(row: Any) -> bool:
    """Whether JSON data holds NaN or an infinity."""
    values = [row]
    for value in values:
        if isinstance(value, dict):
            values += value.values()
        elif isinstance(value, list | tuple):
            values += value
        elif isinstance(value, float) and value - value != 0:
            return True
    return False
