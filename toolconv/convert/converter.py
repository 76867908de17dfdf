"""Converts one row: line → row → conversation → row → line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import count
from typing import TYPE_CHECKING, Final

from toolconv import dialects, layouts
from toolconv.convert.detect import InputFormat, reader_in
from toolconv.convert.line_reader import LineReader
from toolconv.convert.options import Options
from toolconv.convert.plans import TEXT_LAYOUTS
from toolconv.convert.receipt import MAX_PLACES, Place, Receipt
from toolconv.convert.result import Reading, Result
from toolconv.convert.row_checks import Rejected
from toolconv.convert.row_writer import RowWriter
from toolconv.convert.text_reader import TextReader
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.errors import shortened, too_long
from toolconv.core.messages import Row
from toolconv.dialects.base import Dialect
from toolconv.dialects.lexing.markers import plain_dialect
from toolconv.dialects.turns import RenderError
from toolconv.layouts.base import Layout, LayoutError

if TYPE_CHECKING:
    from toolconv.convert.plans.plain_reader import PlainReader
    from toolconv.convert.plans.planner import Planner
    from toolconv.templates.chat_view import ChatView

BATCH_ROWS: Final = 16
BATCH_BYTES: Final = 50_000
"""How many rows, and bytes of them, go through the steps of a conversion together."""


class _PendingRow:
    """A row on its way through the steps.

    Attributes:
        number, line: its number and its text.
        error: why it is rejected; empty while it is not.
        conversation: its content, once it is read.
        canonical: the canonical row, once its texts are parsed.
        view: what a template sees of it, if that was prepared.
        output: the line to write.
    """

    __slots__ = ("canonical", "conversation", "error", "line", "number", "output", "view")

    conversation: Conversation
    canonical: Row

    def __init__(self, number: int, line: bytes) -> None:
        self.number = number
        self.line = line
        self.error = ""
        self.view: ChatView | Exception | None = None
        self.output = b""


class Converter:
    """Converts the rows of one input.

    Args:
        options: what to do.
        layout: the input's layout; rows that don't fit it are read in the layout that they fit.
        source: the dialect of its texts; ``None`` to leave them alone.

    Raises:
        UsageError: the options don't fit the layout.
    """

    def __init__(self, options: Options, layout: Layout, source: Dialect | None) -> None:
        self.options = options
        self.layout = layout
        self.line_reader = LineReader(options, layout)
        self.text_reader = TextReader(options, layout, source)
        self.writer = RowWriter(options, layout, source)
        self._seen = 0

    @cached_property
    def planner(self) -> Planner | None:
        """What writes plain rows by plans; ``None`` if the options need more than plans do."""
        reader, writer = self.text_reader.reader, self.writer
        dialect = writer.dialect
        if writer.template is not None:
            template = writer.template.template
            dialect = template.dialect if type(template).__module__.startswith("toolconv.") else None
        layout, name, longest = TEXT_LAYOUTS.get(self.layout.name), self.layout.name, self.options.max_line
        if layout is None or writer.trainer is not None:
            return None
        if reader is None or (reader.named or reader.default) is None:
            reader = None
            if dialect is None or name != "openai":
                return None
        elif reader != reader_in(reader, layouts.get("hermes" if name == "sharegpt" else name)):
            return None  # rows of the layout are in another dialect than the first ones of the input
        from toolconv.convert.plans.planner import Planner, may_plan

        if not may_plan(self.options):
            return None
        if reader is not None:
            from toolconv.convert.plans.marked_rows import MarkedRows

            return Planner(MarkedRows(reader, dialect, layout, longest), self._converted)
        assert dialect is not None
        from toolconv.convert.plans.plain_rows import PlainRows

        return Planner(PlainRows(dialect, longest), self._converted)

    @cached_property
    def plain_reader(self) -> PlainReader | None:
        """What reads plain rows as conversations; ``None`` if none are wanted, or texts are in a known dialect."""
        options, reader = self.options, self.text_reader.reader
        if not (options.only_read and options.shared_tools and self.layout.name == "openai"):
            return None
        if reader is None or (reader.named or reader.default) is not None:
            return None
        from toolconv.convert.plans.planner import may_plan

        if not may_plan(replace(options, only_read=False, shared_tools=False)):
            return None
        from toolconv.convert.plans.plain_reader import PlainReader, ReadRows

        return PlainReader(ReadRows(plain_dialect(), options.max_line), self._converted)

    def _converted(self, line: bytes) -> Result:
        """What the ordinary path makes of a line."""
        result = Result(receipt=Receipt())
        self.one("", 1, line, result)
        return result

    def written(self, line: bytes) -> Conversation:
        """The conversation of a line once it is written; its notes say what came of it.

        Raises:
            Rejected, LayoutError, RenderError, BeyondLimit: it can't be written.
        """
        row = _PendingRow(1, line)
        for step in (self._read_row, self._parse_row, self._write_row):
            step(row)
        return row.conversation

    def lines(self, file: str, first_line: int, lines: Iterable[bytes], numbers: Iterable[int] | None = None) -> Result:
        """Convert JSON lines, numbered from ``first_line`` unless ``numbers`` are given; blank ones are skipped."""
        result = Result(receipt=Receipt(full=self.options.account))
        rows: list[_PendingRow] = []
        room = BATCH_BYTES
        most = 1 if self.options.on_error == "fail" else BATCH_ROWS  # no row after one that fails is converted
        for number, line in zip(count(first_line) if numbers is None else numbers, lines, strict=False):
            if line and not line.isspace():
                rows.append(_PendingRow(number, line))
                room -= len(line)
                if len(rows) == most or room <= 0:
                    self._convert(file, rows, result, by_plans=True)
                    if result.failed:
                        return result
                    rows, room = [], BATCH_BYTES
        self._convert(file, rows, result, by_plans=True)
        return result

    def one(self, file: str, number: int, line: bytes, result: Result) -> None:
        """Convert one line, or one raw text, and add the outcome to ``result``."""
        self._convert(file, [_PendingRow(number, line)], result)

    def _convert(self, file: str, rows: list[_PendingRow], result: Result, *, by_plans: bool = False) -> None:
        """Convert some rows, by plans or else all of them step by step, and add the outcomes to ``result``.

        While a step repeats, the processor has its code in the cache. That saves a tenth to a third of the time.
        """
        receipt, only_read = result.receipt, self.options.only_read
        stepped = counted = rows
        if by_plans and rows:
            if self._seen < BATCH_ROWS:  # the first ones load no plans
                self._seen += len(rows)
            elif self.planner is not None:
                stepped = counted = self._write_plain(self.planner, file, rows, receipt)
            elif self.plain_reader is not None:
                stepped = self._read_plain(self.plain_reader, file, rows, receipt)

        def count_row(row: _PendingRow) -> None:
            receipt.count_written(row.canonical, row.conversation, file, row.number)

        steps = [(self._read_row, stepped), (self._parse_row, stepped)]
        steps += [(count_row, counted)] if only_read else [(self._write_row, stepped), (count_row, counted)]
        for step, taken in steps:
            if step == self._write_row:
                read = [row for row in stepped if not row.error]
                for row, view in zip(read, self.writer.views([row.conversation for row in read]), strict=True):
                    row.view = view
            for row in taken:
                if row.error:
                    continue
                try:
                    step(row)
                except (Rejected, LayoutError, RenderError, jsontext.BeyondLimit) as error:
                    row.error = str(error)
                except Exception as error:  # a bug in toolconv must not cost other rows
                    row.error = f"internal error, please report ({type(error).__name__}: {error})"
        if (requests := self.line_reader.requests) is not None:
            receipt.answered.update(requests.answered_since())
        for row in rows:
            receipt.rows_in += 1
            if row.error:
                self._reject(file, row.number, row.line, row.error, result)
                continue
            receipt.rows_out += 1
            if only_read:
                result.readings.append(Reading(file, row.number, row.conversation, text=row.line))
            else:
                result.output.append(row.output)

    @staticmethod
    def _write_plain(planner: Planner, file: str, rows: list[_PendingRow], receipt: Receipt) -> list[_PendingRow]:
        """Write and count the rows that take plans; the other ones."""
        planner.begin()
        for row in rows:
            try:
                row.output = planner.made(file, row.number, row.line, receipt) or b""
            except Exception:  # a bug in plans must not cost rows
                continue
        return [row for row in rows if not row.output]

    @staticmethod
    def _read_plain(reader: PlainReader, file: str, rows: list[_PendingRow], receipt: Receipt) -> list[_PendingRow]:
        """Read the rows whose conversations are known; the other ones."""
        others: list[_PendingRow] = []
        reader.begin()
        for row in rows:
            try:
                read = reader.made(file, row.number, row.line, receipt)
            except Exception:  # a bug in plans must not cost rows
                read = None
            if read is None:
                others.append(row)
            else:
                row.conversation, row.canonical = read, read.row
        return others

    def _read_row(self, row: _PendingRow) -> None:
        row.conversation = self.line_reader.read(row.line)

    def _parse_row(self, row: _PendingRow) -> None:
        self.text_reader.read(row.conversation)
        conversation = row.conversation
        if self.options.redact:
            from toolconv.convert.redaction import redact, redacted_text

            redact(conversation, self.writer.layout.name)
            notes = conversation.notes
            notes.unread = [
                each._replace(pointer=redacted_text(each.pointer), option=redacted_text(each.option))
                for each in notes.unread
            ]
        row.canonical = conversation.row
        if conversation.answers is not None:
            row.canonical = {**conversation.row, "messages": conversation.all_messages}

    def _write_row(self, row: _PendingRow) -> None:
        row.output = self.writer.write(row.conversation, row.view)

    def too_long(self, file: str, number: int, pieces: Iterator[bytes]) -> Result:
        """Reject a line too long to hold in memory; its pieces are passed on unread."""
        result = Result(receipt=Receipt(rows_in=1, full=self.options.account))
        self._reject(file, number, b"", too_long("a line", self.options.max_line), result)
        result.rejects, result.long = [], pieces
        return result

    def reject(self, file: str, document: bytes, reason: str) -> Result:
        """Reject an input that is one document."""
        result = Result(receipt=Receipt(rows_in=1, full=self.options.account))
        self._reject(file, 1, document, reason, result)
        return result

    def _reject(self, file: str, number: int, line: bytes, reason: str, result: Result) -> None:
        if self.options.redact:
            from toolconv.convert.redaction import redacted_text

            reason = redacted_text(reason)
        receipt, reason = result.receipt, shortened(reason)
        receipt.rejects += 1
        if len(receipt.reject_places) < MAX_PLACES:
            receipt.reject_places.append(Place(file, number, reason))
        if self.options.only_read:
            result.readings.append(Reading(file, number, None, reason, line))
        else:
            result.rejects.append(line + b"\n")
        result.failed = self.options.on_error == "fail"


@lru_cache(maxsize=16)
def converter_for(options: Options, input_format: InputFormat) -> Converter:
    """The converter for inputs of a format.

    Raises:
        UsageError: the options don't fit the format.
    """
    if options.dialect_files:
        from toolconv.derive.files import register_file

        for path in options.dialect_files:
            register_file(path)
    source = dialects.get(input_format.dialect) if input_format.dialect else None
    return Converter(options, options.detector.layout_of(input_format.layout), source)
