"""The way of a row: line → row → conversation → row → line, for files of any size, in order.

:class:`Converter` takes one line or text; :func:`run` feeds it files, in this process or in several, and keeps account.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import chain
from threading import Thread
from typing import TYPE_CHECKING, Literal, NamedTuple

from toolconv import arrays, dialects, jsontext, layouts, signals, streams
from toolconv.checkpoint import Checkpoint, Keeper
from toolconv.conversation import Conversation, Row
from toolconv.dialects.base import Dialect
from toolconv.files import (
    MAX_LINE_BYTES,
    STDIN,
    Block,
    FileError,
    Input,
    Output,
    Part,
    blocks,
    size_of,
    too_long,
    whole,
)
from toolconv.layouts.base import Layout, LayoutError
from toolconv.receipt import MAX_PLACES, Place, Receipt
from toolconv.sniff import BOM, Shape, beginning, is_raw, is_row, layout_of, shaped, sniff, sniff_raw
from toolconv.spelling import AS_THE_LAYOUT, Spelling
from toolconv.turns import Unspeakable, parse_turns, render_turns

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing.process import BaseProcess

    from toolconv.templates.output import TextOptions, TextWriter

STRUCTURED = ("canonical", "openai")
"""Dialects that, as a target, are a layout: rows with structured calls."""


@dataclass(frozen=True)
class Shard:
    """The ``number``-th of ``count`` parts of the input, by bytes; from 1."""

    number: int
    count: int

    def parts(self, names: Sequence[str]) -> list[Part | None]:
        """What this part takes of each file; ``None`` for all of it.

        Raises:
            UsageError: an input whose bytes are not its lines.
            FileError: a file can't be looked at.
        """
        if self.count == 1:
            return [None] * len(names)
        for name in names:
            if name == STDIN or name.endswith((".gz", ".zst", ".parquet")):
                raise UsageError(f"{name}: --shard takes plain files of one row a line")
        sizes = [size_of(name) for name in names]
        first, last = (sum(sizes) * number // self.count for number in (self.number - 1, self.number))
        parts: list[Part | None] = []
        for size in sizes:
            start, stop = (min(max(place, 0), size) for place in (first, last))
            parts.append(Part(start, stop, f"{self.number}/{self.count}"))
            first, last = first - size, last - size
        return parts


WHOLE = Shard(1, 1)

Watch = Callable[[str, Shape | None, Block], None]
"""Sees lines before they are converted: the input's name, what its rows are, a block of them."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """What to do with each row; the same for all workers.

    Attributes:
        source: dialect of the texts; ``auto`` to look at the first rows, ``None`` to leave texts alone.
        target: dialect to write; ``None`` for structured rows.
        from_layout, to_layout: ``None`` for detected, and for what fits the target.
        text_key: dotted path of the text of a completion row.
        dialect_files: files that describe dialects of their own.
        strict: any repair or loss is an error.
        on_error: what becomes of a row with a call that can't be read.
        text: how conversations become text; ``None`` for rows of a layout.
        spelling: how nested fields of the rows are spelled.
        account: count what only a receipt tells, such as the tools declared.
        only_read: write nothing, keep the conversations; see :func:`conversations`.
        max_line: longest line, or text, that is read.
    """

    source: str | None = "auto"
    target: str | None = None
    from_layout: str | None = None
    to_layout: str | None = None
    text_key: str | None = None
    dialect_files: tuple[str, ...] = ()
    strict: bool = False
    on_error: Literal["keep", "reject", "fail"] = "keep"
    text: TextOptions | None = None
    spelling: Spelling = AS_THE_LAYOUT
    account: bool = False
    only_read: bool = False
    max_line: int = MAX_LINE_BYTES


class UsageError(Exception):
    """Options that don't go together, or that miss something; the message says what to give."""


class Rejected(Exception):
    """A row that is not written; the message says why."""


class WorkerDied(FileError):
    """A process that was to convert rows is gone."""


class Unaccounted(FileError):
    """A fault of ours: rows were read that were neither written nor rejected."""

    def __init__(self, receipt: Receipt) -> None:
        super().__init__(
            f"internal error, please report: {receipt.rows_in:,} rows in, {receipt.rows_out:,} out, "
            f"{receipt.rejects:,} rejected"
        )


class Failed(Exception):
    """The run stops at a row, as ``--on-error fail`` asks."""


class Reading(NamedTuple):
    """A row as it was read.

    Attributes:
        file, line: where it stands.
        conversation: what it holds, its calls as structure; ``None`` for a row that is rejected.
        reason: why it is.
    """

    file: str
    line: int
    conversation: Conversation | None
    reason: str = ""


@dataclass(slots=True)
class Result:
    """What became of some rows: output and rejected lines, both with line ends, and the account.

    With ``only_read`` there is no output, but each row's reading. A rejected line that is too long to be held is
    ``long`` instead.
    """

    output: list[bytes] = field(default_factory=list)
    rejects: list[bytes] = field(default_factory=list)
    long: Iterator[bytes] | None = None
    readings: list[Reading] = field(default_factory=list)
    receipt: Receipt = field(default_factory=Receipt)
    failed: bool = False


class Converter:
    """Converts the rows of one input.

    Args:
        options: what to do.
        layout: the input's layout, for rows that have its shape.
        source: the dialect of its texts, or ``None`` to leave them alone.
    """

    def __init__(self, options: Options, layout: Layout, source: Dialect | None) -> None:
        self.options = options
        self.layout = layout
        self.source = source
        self.strict = options.strict
        self.mixed = options.source == "auto"
        self.respelled = options.spelling != AS_THE_LAYOUT
        target = dialects.get(options.target) if options.target else None
        name = options.to_layout
        if name is None and target is not None:
            structured = target.name in STRUCTURED
            name = target.name if structured else layout.name if layout.name in ("raw", "completion") else "chat"
        self.out_layout = layout if name == layout.name else layouts.get(name or "canonical")
        if not self.out_layout.writable:
            raise UsageError(f"layout {self.out_layout.name!r} is only read: choose another with --to-layout")
        self.target: Dialect | None = None
        self.writer: TextWriter | None = None
        if options.text is not None:
            self.writer = _text_writer(options.text, layout)
        elif self.out_layout.spelled:
            self.target = target or (dialects.get(self.out_layout.dialect) if self.out_layout.dialect else source)
            if self.target is None:
                raise UsageError(f"layout {self.out_layout.name!r} holds calls as text: name their dialect with --to")
        elif target is not None and target.name not in STRUCTURED:
            raise UsageError(
                f"layout {self.out_layout.name!r} holds calls as structure, not in a dialect: "
                f"leave out --to {options.target}, or choose --to-layout chat"
            )

    def lines(self, file: str, first_line: int, lines: Iterable[bytes]) -> Result:
        """Convert JSON lines; blank ones are passed over."""
        result = Result(receipt=Receipt(full=self.options.account))
        for number, line in enumerate(lines, first_line):
            if line and not line.isspace():
                self.one(file, number, line, result)
                if result.failed:
                    break
        return result

    def one(self, file: str, number: int, line: bytes, result: Result) -> None:
        """Convert one line, or one raw text, and add what becomes of it to ``result``."""
        receipt = result.receipt
        receipt.rows_in += 1
        try:
            if len(line) > self.options.max_line:
                raise Rejected(too_long("a line", self.options.max_line))
            if self.layout.name == "raw":
                conversation = self.layout.read({"text": _decoded(line)})
            else:
                conversation = self._read(line, receipt)
            self._parse(conversation, receipt, file, number)
            if self.options.only_read:
                receipt.losses.update(conversation.notes.losses)
                receipt.count(conversation.row)
                result.readings.append(Reading(file, number, conversation))
                receipt.rows_out += 1
                return
            output = self._write(conversation, receipt)
        except (Rejected, LayoutError, Unspeakable, jsontext.BeyondLimit) as error:
            self._reject(file, number, line, str(error), result)
            return
        except Exception as error:  # a fault of ours must cost no other row
            self._reject(file, number, line, f"internal error, please report ({type(error).__name__}: {error})", result)
            return
        receipt.rows_out += 1
        result.output.append(output)

    def too_long(self, file: str, number: int, pieces: Iterator[bytes]) -> Result:
        """Reject a line that comes in pieces, which are only handed on."""
        result = Result(receipt=Receipt(rows_in=1, full=self.options.account))
        self._reject(file, number, b"", too_long("a line", self.options.max_line), result)
        result.rejects, result.long = [], pieces
        return result

    def _reject(self, file: str, number: int, line: bytes, reason: str, result: Result) -> None:
        receipt = result.receipt
        receipt.rejects += 1
        if len(receipt.reject_places) < MAX_PLACES:
            receipt.reject_places.append(Place(file, number, reason))
        if self.options.only_read:
            result.readings.append(Reading(file, number, None, reason))
        else:
            result.rejects.append(line + b"\n")
        result.failed = self.options.on_error == "fail"

    def _read(self, line: bytes, receipt: Receipt) -> Conversation:
        try:
            row, repeated = jsontext.loads_row(line)
        except ValueError as error:
            raise Rejected(why_no_row(error)) from None
        if not isinstance(row, dict):
            raise Rejected("JSON, but no object: a row is an object with keys")
        if repeated:
            if self.options.strict:
                raise Rejected(f"a key twice in one object: {', '.join(map(repr, repeated))}")
            receipt.repairs["duplicate_key"] += len(repeated)
        try:
            return self.layout.read(row)
        except LayoutError as error:
            other = None if self.options.from_layout else layouts.detect(row)
            if other is None or other is self.layout:
                raise Rejected(f"{error} (layout {self.layout.name}; the row has the keys {_keys(row)})") from None
            return other.read(row)

    def _parse(self, conversation: Conversation, receipt: Receipt, file: str, number: int) -> None:
        """Read the calls in the texts, and account for it."""
        if self.source is not None:
            parse_turns(conversation, self.source, strict=self.strict, mixed=self.mixed)
        notes = conversation.notes
        if notes.dropped:
            receipt.dropped_calls += len(notes.dropped)
            if self.options.on_error != "keep":
                raise Rejected(f"unreadable call: {notes.dropped[0].reason}")
            room = MAX_PLACES - len(receipt.dropped_places)
            receipt.dropped_places.extend(Place(file, number, dropped.reason) for dropped in notes.dropped[:room])
        if notes.repairs:
            if self.strict:
                raise Rejected(f"needs repairs: {', '.join(dict.fromkeys(notes.repairs))}")
            receipt.repairs.update(notes.repairs)

    def _write(self, conversation: Conversation, receipt: Receipt) -> bytes:
        structured, notes = conversation.row, conversation.notes
        if self.target is not None:
            render_turns(conversation, self.target, self.out_layout.response_role)
        if self.writer is not None:
            row = self.writer.row(conversation)
        else:
            row = self.out_layout.write(conversation)
        if self.respelled:
            row = self.options.spelling.applied(row)
        if notes.losses:
            if self.strict:
                raise Rejected(f"would be lost: {', '.join(dict.fromkeys(notes.losses))}")
            receipt.losses.update(notes.losses)
        receipt.count(structured)
        if self.out_layout.name == "raw" and self.writer is None:
            text: str = row["text"]
            return text.encode("utf-8", "surrogatepass") + b"\n"
        return jsontext.dumps_line(row)


def _text_writer(options: TextOptions, layout: Layout) -> TextWriter:
    from toolconv.templates.output import TextWriter

    if layout.name in ("raw", "completion"):
        raise UsageError(f"layout {layout.name!r} holds one text: a template writes rows that hold a conversation")
    return TextWriter(options)


def why_no_row(error: ValueError) -> str:
    """What is wrong with a line that :func:`jsontext.loads_row` refuses, and where."""
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 (byte {error.start})"
    if isinstance(error, jsontext.JSONError):
        at = len(error.doc[: error.pos].encode("utf-8", "surrogatepass"))
        what = error.msg[:1].lower() + error.msg[1:].removesuffix(" starting at")
        return f"not JSON ({what} at byte {at})"
    return str(error) if isinstance(error, jsontext.BeyondLimit) else f"not JSON ({error})"


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Rejected(f"not UTF-8 (byte {error.start})") from None


def _keys(row: Row) -> str:
    names = ", ".join(map(repr, list(row)[:12])) or "none"
    return names + (", …" if len(row) > 12 else "")


# ── inputs ──────────────────────────────────────────────────────────────────────────────────────


def run(
    names: Sequence[str],
    options: Options,
    output: Output,
    rejects: Output | None = None,
    *,
    jobs: int = 1,
    progress: Callable[[int, int, int], None] | None = None,
    said: Callable[[str], None] | None = None,
    watch: Watch | None = None,
    keeper: Keeper | None = None,
    start: Checkpoint | None = None,
    shard: Shard = WHOLE,
) -> tuple[Receipt, dict[str, str]]:
    """Convert files into one output.

    Args:
        names: inputs; ``-`` is standard input.
        options: what to do with each row.
        output: where rows go.
        rejects: where rejected lines go, verbatim.
        jobs: processes; with more than one the order stays the same.
        progress: called with the bytes read of the inputs so far, the rows and the rejects.
        said: called with lines for people, such as what was detected.
        watch: sees each block of lines before it is converted, in order; a raw text as ``{"text": …}``.
        keeper: notes how far the run is.
        start: where to go on from, with outputs that end there.
        shard: which part of the input to take.

    Returns:
        The account and, with ``options.account``, the SHA-256 of each input.

    Raises:
        UsageError: the options don't fit the input.
        FileError: an input or output fails.
        Failed: a row stops the run.
    """
    total = start.receipt if start is not None else Receipt()
    digests: dict[str, str] = {}
    done = 0
    parts = shard.parts(names)
    pool = _workers(jobs) if jobs > 1 else None
    thresholds = _rarely_collect()
    try:
        for index, (name, part) in enumerate(zip(names, parts, strict=True)):
            source = Input(name, part, options.max_line)
            passed = start.lines if start is not None and index == start.file else 0
            try:
                if start is None or index >= start.file:
                    for result, line, read in _results(source, options, pool, jobs, said, watch, passed):
                        _put(result, output, rejects, total)
                        if progress is not None:
                            progress(done + read, total.rows_in, total.rejects)
                        if keeper is not None:
                            keeper.reached(index, line, done + read, total)
                    source.check_unchanged()
                    if source.padding:
                        total.repairs["null_padding"] += source.padding
            finally:
                source.close()
            done += source.size or 0
            if options.account:
                digests[source.label] = source.sha256()
    except BrokenExecutor:
        raise WorkerDied("a worker process was killed, perhaps for want of memory: try fewer --jobs") from None
    finally:
        gc.set_threshold(*thresholds)
        if pool is not None:
            pool.shutdown(cancel_futures=True)
    return total, digests


def _put(result: Result, output: Output, rejects: Output | None, total: Receipt) -> None:
    """Write what became of some rows, and add it to the account.

    Raises:
        Failed: one of them stops the run.
        Unaccounted: some of them are missing.
    """
    given = result.receipt
    if given.rows_in != given.rows_out + given.rejects or given.rows_out != len(result.output):
        raise Unaccounted(given)
    total.add(given)
    if rejects is not None:
        for lines in result.long or [b"".join(result.rejects)]:
            rejects.write(lines)
    if result.output:
        output.write(b"".join(result.output))
    if result.failed:
        place = result.receipt.reject_places[-1]
        raise Failed(f"{place.file}:{place.line}: {place.reason}")


def conversations(
    names: Sequence[str],
    options: Options,
    receipt: Receipt,
    *,
    progress: Callable[[int, int, int], None] | None = None,
    said: Callable[[str], None] | None = None,
) -> Iterator[Reading]:
    """Read files as :func:`run` does, and write nothing: the rows, one by one in order.

    Args:
        names, options, progress, said: as for :func:`run`.
        receipt: the account; it is complete when the last row was taken.

    Raises:
        FileError: an input fails.
    """
    options = replace(options, only_read=True)
    done = 0
    for name in names:
        source = Input(name, max_line=options.max_line)
        try:
            for result, _, read in _results(source, options, None, 1, said, None):
                receipt.add(result.receipt)
                yield from result.readings
                if progress is not None:
                    progress(done + read, receipt.rows_in, receipt.rejects)
            if source.padding:
                receipt.repairs["null_padding"] += source.padding
        finally:
            source.close()
        done += source.size or 0


def _workers(jobs: int) -> ProcessPoolExecutor:
    from concurrent.futures import ProcessPoolExecutor

    pool = ProcessPoolExecutor(jobs, initializer=_begin_work)
    with signals.later():  # an exception in the midst of a fork would be lost
        pool.submit(int)  # starts them all
    return pool


def _begin_work() -> None:
    """Set a worker up: it leaves signals to its parent, and ends when its parent does, even if that is killed."""
    signals.as_worker()
    _rarely_collect()
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _rarely_collect() -> tuple[int, int, int]:
    """Make the garbage collector look less often: rows hold no cycles. The thresholds it had."""
    thresholds = gc.get_threshold()
    gc.set_threshold(50_000, 50, 100)
    return thresholds


def _results(
    source: Input,
    options: Options,
    pool: ProcessPoolExecutor | None,
    jobs: int,
    said: Callable[[str], None] | None,
    watch: Watch | None,
    passed: int = 0,
) -> Iterator[tuple[Result, int, int]]:
    """What becomes of an input, block by block in order: with the last line of the block, and the bytes read by then.

    The first ``passed`` lines are read and passed over.
    """
    shape: Shape | None = None
    if source.part is not None:
        shape = _shape_of_whole(source.name, options)
        rows = blocks(source, source.chunks())
    else:
        start, chunks, text = _beginning(source, options.from_layout)
        if text is not None:
            if watch is not None:
                said_text = text.decode("utf-8", "replace")
                line = jsontext.dumps({"text": said_text})
                watch(source.label, sniff_raw(said_text, options.source), Block(1, [line], source.position(), True))
            yield _convert_raw(source, options, text, said), 1, source.position()
            return
        rows = _rows(source, start, chunks, options.from_layout)
    pending: deque[tuple[Future[Result], int, int]] = deque()
    told = False
    for found, block in shaped(rows, partial(_shape_of, options), wait=not source.is_file):
        shape = shape or found
        if not told and found is not None:
            _say(found, source.label, said)
            told = True
        last = block.first_line + len(block.lines) - 1
        if last <= passed:
            continue
        if block.first_line <= passed:
            block = block._replace(first_line=passed + 1, lines=block.lines[passed + 1 - block.first_line :])
        if watch is not None:
            watch(source.label, shape, block)
        if pool is None or block.long is not None:
            yield from _taken(pending, 0)
            yield _convert_block(options, shape, source.label, block), last, block.read
            continue
        pending.append((pool.submit(_convert_block, options, shape, source.label, block), last, block.read))
        yield from _taken(pending, 0 if block.waiting else 2 * jobs)
    yield from _taken(pending, 0)


def _taken(pending: deque[tuple[Future[Result], int, int]], most: int) -> Iterator[tuple[Result, int, int]]:
    """Results as they come, in order, until ``most`` are pending."""
    while len(pending) > most:
        future, last, read = pending.popleft()
        yield future.result(), last, read


def _shape_of(options: Options, lines: Sequence[bytes]) -> Shape | None:
    """What the rows of an input are, by some of them."""
    return sniff(lines, layout=options.from_layout, dialect=options.source, text_key=options.text_key)


def _shape_of_whole(name: str, options: Options) -> Shape | None:
    """What the rows of a file are that only a part is taken of: the same for all parts.

    Raises:
        UsageError: it is no file of one row a line.
    """
    whole = Input(name, max_line=options.max_line)
    try:
        chunks = whole.chunks()
        start = beginning(chunks, options.max_line).removeprefix(BOM)
        if _is_array(start) or is_raw(start, name) or streams.begins(start):
            raise UsageError(f"{name}: --shard takes files of one row a line")
        block = next(blocks(whole, chain([start], chunks)), None)
        return _shape_of(options, block.lines) if block is not None else None
    finally:
        whole.close()


def _beginning(source: Input, layout: str | None) -> tuple[bytes, Iterator[bytes], bytes | None]:
    """The beginning of an input's lines and the rest of them; or, third, the whole of a raw text."""
    chunks = source.chunks()
    start = beginning(chunks, source.max_line).removeprefix(BOM)
    if layout != "raw":
        if _is_array(start):
            known = layout is not None
            start, rows = arrays.rows(source.label, start, chunks, partial(is_row, known=known), source.max_line)
            if rows is not None:
                return b"", rows, None
        if layout is not None or _is_long_object(start, source.max_line) or not is_raw(start, source.name):
            return start, chunks, None
    text = whole(source, start, chunks)
    if layout is None and b"\n" in text.strip() and is_row(text):
        return text.replace(b"\r", b" ").replace(b"\n", b" "), iter(()), None  # one row, printed over several lines
    return b"", iter(()), text.removesuffix(b"\n").removesuffix(b"\r")


def _rows(source: Input, start: bytes, chunks: Iterator[bytes], layout: str | None) -> Iterator[Block]:
    """The rows of an input, in blocks: its lines, or what recorded streams are put together to."""
    lines = blocks(source, chain([start], chunks))
    if layout in (None, "stream") and streams.begins(start):
        return streams.grouped(lines)
    return lines


def shape_of(source: Input) -> Shape | None:
    """Say what an input is, by its beginning; ``None`` when no line is a row of any layout."""
    start, chunks, text = _beginning(source, None)
    if text is not None:
        return sniff_raw(text.decode("utf-8", "replace"))
    shapes = shaped(_rows(source, start, chunks, None), sniff, wait=not source.is_file)
    return next((shape for shape, _ in shapes), None)


def _is_long_object(start: bytes, longest: int) -> bool:
    """Whether an input begins with an object that is too long to be looked at."""
    return len(start) > longest and b"\n" not in start and start.lstrip()[:1] == b"{"


def _is_array(start: bytes) -> bool:
    """Whether an input may be a JSON array, which may be one long line."""
    return start.lstrip()[:1] == b"["


def _convert_block(options: Options, shape: Shape | None, file: str, block: Block) -> Result:
    """Convert the lines of a block; runs in a worker when there are any."""
    converter = converter_for(options, shape or Shape("completion", None))
    if block.long is not None:
        return converter.too_long(file, block.first_line, block.long)
    return converter.lines(file, block.first_line, block.lines)


@lru_cache(maxsize=16)
def converter_for(options: Options, shape: Shape) -> Converter:
    """The converter of inputs of a shape.

    Raises:
        UsageError: the options don't fit the shape.
    """
    for path in options.dialect_files:
        dialects.register_file(path)
    source = dialects.get(shape.dialect) if shape.dialect else None
    return Converter(options, layout_of(shape.layout, options.text_key), source)


def _convert_raw(source: Input, options: Options, text: bytes, said: Callable[[str], None] | None) -> Result:
    """Convert an input that is one text."""
    shape = sniff_raw(text.decode("utf-8", "replace"), options.source)
    _say(shape, source.label, said)
    result = Result(receipt=Receipt(full=options.account))
    converter_for(options, shape).one(source.label, 1, text, result)
    return result


def _say(shape: Shape | None, label: str, said: Callable[[str], None] | None) -> None:
    if said is None or shape is None or shape.detection is None:
        return
    found = shape.detection
    if found.name is None:
        said(f"{label}: layout {shape.layout}, no calls in any text")
    else:
        runner_up = f", next {found.runner_up}" if found.runner_up else ""
        said(f"{label}: layout {shape.layout}, dialect {found.name} (confidence {found.confidence:.2f}{runner_up})")
