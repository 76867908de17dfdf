"""Parts of the input, for machines that share a run: ``--shard I/N``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolconv.convert.options import UsageError
from toolconv.core.facts import Facts
from toolconv.io.inputs import STDIN, ByteRange, size_of


class Shard(Facts, kw_only=False):
    """Part ``number`` of ``count`` parts of the input, of equal size in bytes; the first is 1."""

    number: int
    count: int

    def parts(self, names: Sequence[str]) -> list[ByteRange | None]:
        """The byte range of each file that belongs to the shard; ``None`` for the whole file.

        Raises:
            UsageError: an input that is compressed, standard input, or not text.
            FileError: a file is not there.
        """
        if self.count == 1:
            return [None] * len(names)
        for name in names:
            if name == STDIN or name.endswith((".gz", ".zst", ".parquet")):
                raise UsageError(f"{name}: --shard needs uncompressed files with one row per line")
        sizes = [size_of(name) for name in names]
        first, last = (sum(sizes) * number // self.count for number in (self.number - 1, self.number))
        parts: list[ByteRange | None] = []
        for size in sizes:
            start, stop = (min(max(place, 0), size) for place in (first, last))
            parts.append(ByteRange(start, stop, f"{self.number}/{self.count}"))
            first, last = first - size, last - size
        return parts


WHOLE: Final = Shard(1, 1)
"""The whole input."""
