"""The core of layouts of traces: many records, of which one, or each, model call is a row.

A model call repeats the conversation so far, so the last one of a trace holds all of it. If it holds only what is new
since the previous call, the calls before it are joined to it, under ``earlier``. Model calls are kept on disk until
the input ends, since the records of several traces may be mixed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import IO, Any, Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.conversation import Row
from toolconv.core.rows import MISSHAPEN, Line
from toolconv.layouts.base import Layout, LayoutError, value_of
from toolconv.layouts.transcript import identifier

MEMORY: Final = 1 << 26
"""Up to this many bytes of rows are kept in memory."""

EARLIER: Final = "earlier"
"""The key of the model calls before the one that is the row."""

EARLIER_TURNS: Final = "earlier_turns"
"""The loss of the turns before a request that refers to them but does not hold them."""


class _Kept(NamedTuple):
    """A model call: its time, its line, and where its text is kept."""

    time: tuple[int, Any]
    number: int
    start: int
    size: int


class Traces(Layout):
    """Records of traces."""

    @abstractmethod
    def records(self, document: Any) -> Iterator[Row]:
        """The records in a document: itself, or those in its lists. Other values have none."""

    @abstractmethod
    def is_model_call(self, record: Row) -> bool:
        """Whether a record is a call of a model, with its messages."""

    @abstractmethod
    def trace_of(self, record: Row) -> Any:
        """The id of the trace; ``None`` if the record is a trace of its own."""

    @abstractmethod
    def time_of(self, record: Row) -> Any:
        """When the call began: a text or a number."""

    def joins(self, document: Any) -> bool:
        return next(self.records(document), None) is not None

    def gather(self, lines: Iterator[Line], *, each_call: bool = False) -> Iterator[Line]:
        import tempfile

        kept: dict[Any, list[_Kept]] = {}
        with tempfile.SpooledTemporaryFile(MEMORY) as texts:
            first: Line | None = None
            for line in lines:
                first = first or line
                records = self._records(value_of(line.text))
                if not records:
                    row = _Kept((0, 0), line.number, texts.seek(0, 2), texts.write(line.text))
                    kept["line", line.number] = [row]
                for at, record in enumerate(records):
                    if not self._is_model_call(record):
                        continue
                    trace = None if each_call else identifier(self.trace_of(record))
                    key = ("call", line.number, at) if trace is None else ("trace", trace)
                    time, text = _order(self.time_of(record)), jsontext.dumps(record)
                    call = _Kept(time, line.number, texts.seek(0, 2), texts.write(text))
                    kept.setdefault(key, []).append(call)
            if not kept and first is not None:  # rejected as a trace without model calls
                yield first
            for calls in kept.values():
                calls.sort(key=lambda call: call.time)
            for calls in sorted(kept.values(), key=lambda calls: calls[-1].number):
                yield Line(calls[-1].number, self._row(calls, texts))

    def _row(self, calls: list[_Kept], texts: IO[bytes]) -> bytes:
        """The last of some calls, with those before it that it needs."""
        read: list[bytes] = []
        for call in reversed(calls):
            texts.seek(call.start)
            read.append(texts.read(call.size))
            if len(calls) == 1 or not self._is_continued(read[-1]):
                break
        if len(read) == 1:
            return read[0]
        earlier = b",".join(reversed(read[1:]))
        return read[0][:-1] + b',"' + EARLIER.encode() + b'":[' + earlier + b"]}"

    def _is_continued(self, text: bytes) -> bool:
        """Whether a call holds only what is new since the one before."""
        try:
            return EARLIER_TURNS in self.read(jsontext.loads(text)).notes.losses
        except LayoutError:
            return False

    def _records(self, document: Any) -> list[Row]:
        try:
            return list(self.records(document))
        except MISSHAPEN:
            return []

    def _is_model_call(self, record: Row) -> bool:
        try:
            return self.is_model_call(record)
        except MISSHAPEN:
            return False


def _order(time: Any) -> tuple[int, Any]:
    """What sorts times; those of one trace have the same form."""
    if isinstance(time, list):  # seconds and nanoseconds
        time = sum(part * 10 ** (9 * (1 - at)) for at, part in enumerate(time[:2]) if isinstance(part, int))
    if isinstance(time, str):
        return (1, (len(time), time)) if time.isdecimal() else (2, time)
    return (0, time if isinstance(time, int | float) else 0)
