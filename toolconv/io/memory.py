"""Rows in memory as JSON lines."""

from __future__ import annotations

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
            for row in self._rows:
                yield jsontext.dumps(row.row if isinstance(row, Conversation) else dict(row))
            return
        from toolconv.io import parquet

        for table in self._rows.with_format("arrow").iter(batch_size=parquet.BATCH_ROWS):
            lines = parquet.ArrowRows(table.schema)
            for batch in table.to_batches():
                yield from lines.of(batch)
            self.changes += lines.changes
