"""Converts the rows of an input, of any size, block by block and in order, in this process or in several."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from toolconv.convert.converter import Converter, converter_for
from toolconv.convert.detect import InputFormat
from toolconv.convert.options import Options
from toolconv.convert.receipt import Receipt
from toolconv.convert.result import Reading, Result
from toolconv.convert.source import UnknownDocument, format_of_lines, open_rows
from toolconv.core import jsontext
from toolconv.core.errors import FileError
from toolconv.io.inputs import Block, Input, blocks
from toolconv.io.workers import Task, Workers

Log = Callable[[str], None]
"""Takes a message for the user."""

OnProgress = Callable[[int, int, int], None]
"""Takes the bytes of input read so far, the rows and the rejects."""


class End(NamedTuple):
    """The end of a block: its last line, and the bytes read of the input up to there."""

    line: int
    read: int


class Unaccounted(FileError):
    """A bug in toolconv: rows were read that were neither written nor rejected."""


class Accounted(Protocol):
    """A result, or something made of it, with the account of its rows."""

    @property
    def receipt(self) -> Receipt: ...


R = TypeVar("R")
A = TypeVar("A", bound=Accounted)


class Watcher(Protocol):
    """Sees the rows of a run before they are converted."""

    def see(self, file: str, input_format: InputFormat | None, block: Block) -> None:
        """The next block of an input; a raw text is a row ``{"text": …}``."""

    def finish(self) -> Counter[str]:
        """All rows were seen; counts of what was found in them."""


def _only_result(results: Iterator[Result]) -> Result:
    return next(results)


class _InputWork(Generic[R]):
    """What is done with the rows of an input, in any process.

    Args:
        fold: makes something of their results.
        options: how to convert them.
        input_format: their format, if it is known.
        file: the input's name in messages.
    """

    def __init__(
        self, fold: Callable[[Iterator[Result]], R], options: Options, input_format: InputFormat | None, file: str
    ) -> None:
        self.fold = fold
        self.options = options
        self.input_format = input_format
        self.file = file

    @property
    def converter(self) -> Converter:
        return converter_for(self.options, self.input_format or default_format(self.options))

    def of_document(self, document: UnknownDocument) -> R:
        """The rejection of an input that is one document."""
        text = document.text.replace(b"\r", b" ").replace(b"\n", b" ")
        return self._folded(_joined(self.converter.reject(self.file, text, document.reason)))

    def of_text(self, text: bytes) -> R:
        """The result of a raw text."""
        result = Result(receipt=Receipt(full=self.options.account))
        self.converter.one(self.file, 1, text, result)
        return self._folded(_joined(result))

    def of_block(self, block: Block) -> R:
        """The results of the lines of a block."""
        if block.long is not None:
            return self._folded(self.converter.too_long(self.file, block.first_line, block.long))
        if self.options.only_read:
            return self.fold(self._result(*few) for few in _by_few(block))
        return self.of_lines((block.first_line, block.lines, block.numbers))

    def of_lines(self, lines: Lines) -> R:
        """The result of some lines of a block."""
        return self._folded(self._result(*lines))

    def _result(self, first_line: int, lines: Sequence[bytes], numbers: Sequence[int] | None) -> Result:
        return convert_lines(self.options, self.input_format, self.file, first_line, lines, numbers)

    def _folded(self, result: Result) -> R:
        return self.fold(iter([result]))


Lines = tuple[int, Sequence[bytes], Sequence[int] | None]
"""Some lines of a block: the number of the first one, the lines, and all numbers if they are not consecutive."""
READ_ROWS: Final = 32
"""How many rows are read before they are taken: the memory of a few rows stays in the processor's cache."""


def _by_few(block: Block) -> Iterator[Lines]:
    """The lines of a block, a few at a time."""
    lines = block.lines
    for at in range(0, len(lines), READ_ROWS):
        numbers = block.numbers and block.numbers[at : at + READ_ROWS]
        yield block.first_line + at, lines[at : at + READ_ROWS], numbers


def results(
    source: Input,
    options: Options,
    workers: Workers,
    log: Log | None = None,
    watcher: Watcher | None = None,
    skip: int = 0,
) -> Iterator[tuple[End, Result]]:
    """Convert an input, block by block.

    Args:
        source: the input.
        options: what to do with each row.
        workers: the processes that do it.
        log: takes messages for the user, such as the detected format.
        watcher: sees each block before it is converted.
        skip: how many lines to leave out at the beginning.

    Returns:
        The results in order, each with the end of its block.

    Raises:
        UsageError: the options don't fit the input.
        FileError: the input fails.
    """
    return _folded_results(_only_result, source, options, workers, log, watcher, skip)


def _folded_results(
    fold: Callable[[Iterator[Result]], R],
    source: Input,
    options: Options,
    workers: Workers,
    log: Log | None,
    watcher: Watcher | None,
    skip: int = 0,
) -> Iterator[tuple[End, R]]:
    """What ``fold`` makes of the :func:`results`, in the processes that have them."""
    tasks = _tasks(fold, source, options, workers, log, watcher, skip)
    return workers.in_order(tasks, source.is_waiting, per_job=4)


def _tasks(
    fold: Callable[[Iterator[Result]], R],
    source: Input,
    options: Options,
    workers: Workers,
    log: Log | None,
    watcher: Watcher | None,
    skip: int,
) -> Iterator[Task[End, R]]:
    input_format: InputFormat | None = None
    if source.part is not None:
        input_format = format_of_lines(source.name, options.detector, options.max_line)
        rows: Iterable[Block] | bytes | UnknownDocument = blocks(source, source.chunks(), own=True)
    else:
        rows = open_rows(source, options.detector)
    work = _InputWork(fold, options, input_format, source.label)
    if isinstance(rows, UnknownDocument):
        yield Task(End(1, source.position()), partial(work.of_document, rows), local=True)
        return
    if isinstance(rows, bytes):
        text = rows.decode("utf-8", "replace")
        input_format = options.detector.of_text(text)
        row = jsontext.dumps({"text": text})
        if watcher is not None:
            watcher.see(source.label, input_format, Block(1, 1, row, source.position()))
        if input_format.layout != "raw":
            rows = row
        _log_format(input_format, source.label, log)
        work = _InputWork(fold, options, input_format, source.label)
        yield Task(End(1, source.position()), partial(work.of_text, rows), local=True)
        return
    logged, asked = False, bool(options.requests) or options.only_read
    for detected, block in options.detector.of_blocks(rows, wait=not source.is_file):
        work = _InputWork(fold, options, work.input_format or detected, source.label)
        if not logged and detected is not None:
            _log_format(detected, source.label, log)
            logged = True
        if log is not None and not asked:
            _log_questions(block, source.label, log)
            asked = True
        if block.last_line <= skip:
            continue
        if block.first_line <= skip:
            block = _without_first(block, skip)
        if watcher is not None:
            watcher.see(source.label, work.input_format, block)
        end = End(block.last_line, block.read)
        if options.only_read and block.long is None and workers.jobs == 1:
            for few in _by_few(block):
                yield Task(end, partial(work.of_lines, few), local=True)
        elif block.long is not None or workers.jobs == 1:
            yield Task(end, partial(work.of_block, block), local=True)
        else:
            yield Task(end, workers.start(work.of_block, block.sent()))
        del block  # before the next one is read


def conversations(
    names: Sequence[str],
    options: Options,
    receipt: Receipt,
    *,
    progress: OnProgress | None = None,
    log: Log | None = None,
    watcher: Watcher | None = None,
    digests: dict[str, str] | None = None,
) -> Iterator[Reading]:
    """Read the rows of files, one by one in order, and write nothing.

    Args:
        names: inputs; ``-`` is standard input.
        options: how to read them.
        receipt: the account; complete once the last row was taken.
        progress: called after each block.
        log: takes messages for the user, such as the detected format.
        watcher: sees each block before its rows are yielded.
        digests: takes the SHA-256 of each input, by name, once all of it is read.

    Raises:
        FileError: an input fails.
    """
    with Workers() as workers:
        for result in read_blocks(names, options, receipt, _only_result, workers, progress, log, watcher, digests):
            yield from result.readings


def read_blocks(
    names: Sequence[str],
    options: Options,
    receipt: Receipt,
    fold: Callable[[Iterator[Result]], A],
    workers: Workers,
    progress: OnProgress | None = None,
    log: Log | None = None,
    watcher: Watcher | None = None,
    digests: dict[str, str] | None = None,
) -> Iterator[A]:
    """Read the rows of files block by block, and write nothing: what ``fold`` makes of the results of each block.

    ``fold`` runs in the process that reads the block. The other arguments are those of :func:`conversations`.

    Raises:
        FileError: an input fails.
    """
    options = replace(options, only_read=True)
    done = 0
    for name in names:
        source = Input(name, max_line=options.max_line)
        try:
            for end, result in _folded_results(fold, source, options, workers, log, watcher):
                receipt.add(result.receipt)
                yield result
                if progress is not None:
                    progress(done + end.read, receipt.rows_in, receipt.rejects)
            if digests is not None:
                digests[source.label] = source.sha256()
        finally:
            receipt.add_changes(source.changes)
            source.close()
        done += source.size or 0


def _without_first(block: Block, last: int) -> Block:
    """A block without its lines up to line ``last``."""
    if block.numbers is not None:
        done = bisect_right(block.numbers, last)
        numbers = block.numbers[done:]
        return block._replace(first_line=numbers[0], text=b"\n".join(block.lines[done:]), numbers=numbers)
    lines = block.lines[last + 1 - block.first_line :]
    return block._replace(first_line=last + 1, text=b"\n".join(lines), place=None)


def default_format(options: Options) -> InputFormat:
    """The format of rows that fit no known layout."""
    return InputFormat("completion" if options.text is None else "canonical", None)  # a template takes no completions


def convert_lines(
    options: Options,
    input_format: InputFormat | None,
    file: str,
    first_line: int,
    lines: Iterable[bytes],
    numbers: Iterable[int] | None = None,
) -> Result:
    """Convert some lines of an input, in any process: all of its output as one piece, and all rejects as one.

    The lines are numbered from ``first_line``, unless ``numbers`` are given.

    Raises:
        UsageError: the options don't fit the format.
        Unaccounted: some of the rows are missing.
    """
    converter = converter_for(options, input_format or default_format(options))
    return _joined(converter.lines(file, first_line, lines, numbers))


def _joined(result: Result) -> Result:
    """A result with its output, and its rejects, in one piece: that is quick to send and to write.

    Raises:
        Unaccounted: some of the rows are missing.
    """
    given = result.receipt
    made = len(result.output) + sum(reading.conversation is not None for reading in result.readings)
    if given.rows_in != given.rows_out + given.rejects or given.rows_out != made:
        raise Unaccounted(
            f"internal error, please report: {given.rows_in:,} rows in, {given.rows_out:,} out, "
            f"{given.rejects:,} rejected"
        )
    result.output = [b"".join(result.output)] if result.output else []
    result.rejects = [b"".join(result.rejects)] if result.rejects else []
    return result


def _log_questions(block: Block, label: str, log: Log) -> None:
    """Tell whose questions are in another file."""
    row = block.text.partition(b"\n")[0] if isinstance(block.text, bytes) else b""
    if b'"custom_id"' in row or b'"key"' in row:
        from toolconv.convert.requests import lacks_question

        if lacks_question(row):
            log(f"{label}: answers of a batch, without their questions: --requests FILE joins these")


def _log_format(input_format: InputFormat, label: str, log: Log | None) -> None:
    detection = input_format.detection
    if log is None or detection is None:
        return
    if detection.name is None:
        log(f"{label}: layout {input_format.layout}")
    else:
        runner_up = f", next {detection.runner_up}" if detection.runner_up else ""
        log(
            f"{label}: layout {input_format.layout}, dialect {detection.name} "
            f"(confidence {detection.confidence:.2f}{runner_up})"
        )
