"""Counts the rows of files, in this process or in several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial

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
    tokenizer: str | None = None,
    progress: OnProgress | None = None,
    log: Log | None = None,
) -> DatasetCounts:
    """The counts of all rows of some files.

    Args:
        names: inputs; ``-`` is standard input.
        options: how to read them.
        jobs: number of processes; the counts are the same for any.
        tokenizer: the ``tokenizer.json`` that counts tokens; without it, they are not counted.
        progress: called after each block.
        log: takes messages for the user, such as the detected format.

    Raises:
        FileError: an input or the tokenizer can't be read.
    """
    counts = DatasetCounts()
    options = replace(options, shared_tools=True)
    if tokenizer is not None:
        _counter(tokenizer)  # which fails here, if it can't be read
    with Workers(jobs) as workers:
        if jobs == 1:
            fold = partial(_added, counts, tokenizer)
            for _ in read_blocks(names, options, counts.receipt, fold, workers, progress, log):
                pass
            return counts
        for part in read_blocks(names, options, counts.receipt, partial(_counted, tokenizer), workers, progress, log):
            counts.merge(part)
    return counts


@cache
def _counter(tokenizer: str) -> Callable[[str], int]:
    """What counts tokens, loaded once in each process."""
    from toolconv.core.tokenizer import counter

    return counter(tokenizer)


def _added(counts: DatasetCounts, tokenizer: str | None, results: Iterator[Result]) -> Result:
    """The result of a few rows, which are counted."""
    result = next(results)
    _add(counts, tokenizer, result)
    return result


def _counted(tokenizer: str | None, results: Iterator[Result]) -> DatasetCounts:
    """The counts of the rows of a block, which another process reads."""
    counts = DatasetCounts()
    for result in results:
        counts.receipt.add(result.receipt)
        _add(counts, tokenizer, result)
    return counts


def _add(counts: DatasetCounts, tokenizer: str | None, result: Result) -> None:
    """Count the rows of a result; whoever has the receipt of all takes its receipt."""
    count_tokens = None if tokenizer is None else _counter(tokenizer)
    for reading in result.readings:
        counts.add_row(reading, count_tokens)
