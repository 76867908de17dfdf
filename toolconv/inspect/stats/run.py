"""Counts the rows of files, in this process or in several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolconv.convert.options import Options
from toolconv.convert.pipeline import Log, OnProgress, read_blocks
from toolconv.convert.result import Result
from toolconv.inspect.stats.counts import DatasetCounts
from toolconv.io.workers import Workers


def count_rows(
    names: Sequence[str],
    options: Options,
    *,
    jobs: int = 1,
    progress: OnProgress | None = None,
    log: Log | None = None,
) -> DatasetCounts:
    """The counts of all rows of some files.

    Args:
        names: inputs; ``-`` is standard input.
        options: how to read them.
        jobs: number of processes; the counts are the same for any.
        progress: called after each block.
        log: takes messages for the user, such as the detected format.

    Raises:
        FileError: an input fails.
    """
    counts = DatasetCounts()
    with Workers(jobs) as workers:
        for part in read_blocks(names, options, counts.receipt, _counted, workers, progress, log):
            counts.merge(part)
    return counts


def _counted(results: Iterator[Result]) -> DatasetCounts:
    """The counts of the rows of a block."""
    counts = DatasetCounts()
    for result in results:
        counts.receipt.add(result.receipt)
        for reading in result.readings:
            if reading.conversation is not None:
                counts.add(reading.conversation)
    return counts
