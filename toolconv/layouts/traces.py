"""The core of layouts of traces: many records, of which one, or each, model call is a row.

A model call repeats the conversation so far, so the last one of a trace holds all of it. If it holds only what is new
since the previous call, the calls before it are joined to it, under ``earlier``. Model calls are kept on disk until
the input ends, since the records of several traces may be mixed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from typing import Any, ClassVar, Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row
from toolconv.core.rows import MISSHAPEN, Line
from toolconv.core.spill import SpillFile
from toolconv.layouts.base import Layout, LayoutError, value_of
from toolconv.layouts.record_values import identifier

MEMORY: Final = 1 << 26
"""Up to this many bytes of rows are kept in memory."""

EARLIER: Final = "earlier"
"""The key of the model calls before the one that is the row."""

CONTEXT: Final = "trace_context"
"""The key of what the spans around a model call say of it: ``instructions`` and ``tools``."""

LOST: Final = "lost_calls"
"""The key of how many model calls have answers that the one which is the row does not hold."""

OTHERS: Final = "other_records"
"""The key of how many records are left out: model calls that the row repeats, and, in the first row, all others."""

GATHERED: Final = (EARLIER, CONTEXT, LOST, OTHERS)
"""The keys that :meth:`Traces.gather` adds to a row."""

LOST_CALLS: Final = "earlier_calls"
"""The loss of such a model call, as of another agent."""

EARLIER_TURNS: Final = "earlier_turns"
"""The loss of the turns before a request that refers to them but does not hold them."""


class _Kept(NamedTuple):
    """A model call: its time, its line, where its text is kept, and its place among the spans of its trace."""

    time: tuple[int, Any]
    number: int
    start: int
    size: int
    span: Any = None


class Traces(Layout):
    """Records of traces.

    Attributes:
        trace, span, parent, time: the keys of the ids of the trace, of the record and of the one around it, and of the
            time when it began, a text or a number; of several, the first that is there. A record without the id of a
            trace is a trace of its own.
        ids_in: the keys of objects of a record that may hold its ids.
    """

    leaves_out = True
    trace: ClassVar[tuple[str, ...]]
    span: ClassVar[tuple[str, ...]] = ("id",)
    parent: ClassVar[tuple[str, ...]]
    time: ClassVar[tuple[str, ...]]
    ids_in: ClassVar[tuple[str, ...]] = ()

    def records(self, document: Any) -> Iterator[Row]:
        """The records in a document: itself, or those in its lists. Other values have none."""
        if isinstance(document, list):
            for item in document:
                yield from self.records(item)
        elif isinstance(document, dict):
            yield from self.records_in(document)

    @abstractmethod
    def records_in(self, document: Row) -> Iterator[Row]:
        """The records in an object: itself, or those in its lists."""

    @abstractmethod
    def is_model_call(self, record: Row) -> bool:
        """Whether a record is a call of a model, with its messages."""

    @abstractmethod
    def lost(self, whole: Conversation, records: Iterable[Row]) -> int:
        """How many model calls answered what a conversation does not hold."""

    def first_of(self, record: Row, keys: tuple[str, ...]) -> Any:
        """What a record has under the first of some keys; ``None`` if it has none of them."""
        holders = (record, *(jsontext.opened(record.get(key)) for key in self.ids_in))
        return next(
            (holder[key] for holder in holders if isinstance(holder, dict) for key in keys if holder.get(key)), None
        )

    def context_of(self, record: Row) -> Row:
        """What a record that is no model call says of the model calls in it: ``instructions`` and ``tools``."""
        return {}

    def unread_keys(self, document: Row) -> int:
        return 0 if any(record is document for record in self._records(document)) else super().unread_keys(document)

    def joins(self, document: Any) -> bool:
        return next(self.records(document), None) is not None

    def gather(self, lines: Iterator[Line], *, each_call: bool = False) -> Iterator[Line]:
        kept: dict[Any, list[_Kept]] = {}
        spans, others = _SpanTree(), 0
        with closing(SpillFile(MEMORY)) as texts:
            first: Line | None = None
            for line in lines:
                first = first or line
                document = value_of(line.text)
                records = self._records(document)
                if type(document) is dict:
                    others += sum(type(document.get(key)) is dict for key in self.containers)
                if not records:
                    row = _Kept((0, 0), line.number, texts.add(line.text), len(line.text))
                    kept["line", line.number] = [row]
                for at, record in enumerate(records):
                    trace, *ids = (
                        identifier(self.first_of(record, keys)) for keys in (self.trace, self.span, self.parent)
                    )
                    span, parent = ((trace, part) for part in ids)
                    is_call = self._is_model_call(record)
                    spans.add(span, parent, {} if is_call else self._context_of(record))
                    others += not is_call
                    if not is_call:
                        continue
                    key = ("call", line.number, at) if each_call or trace is None else ("trace", trace)
                    time, text = _order(self.first_of(record, self.time)), jsontext.dumps(record)
                    call = _Kept(time, line.number, texts.add(text), len(text), span)
                    kept.setdefault(key, []).append(call)
            if not kept and first is not None:  # rejected as a trace without model calls
                yield first
            for calls in kept.values():
                calls.sort(key=lambda call: call.time)
            for (kind, *_), calls in sorted(kept.items(), key=lambda item: item[1][-1].number):
                text = self._row(calls, texts, 0 if kind == "line" else others)
                others = others if kind == "line" else 0
                yield Line(calls[-1].number, with_key(text, CONTEXT, spans.around(calls[-1].span)))

    def _row(self, calls: list[_Kept], texts: SpillFile, others: int) -> bytes:
        """The last of some calls, with those before it that it needs, and how many others it does not hold.

        ``others`` are further records that no row holds.
        """
        read: list[bytes] = []
        for call in reversed(calls):
            read.append(texts.read(call.start, call.size))
            if len(calls) == 1 or not self._is_continued(read[-1]):
                break
        earlier = b"[" + b",".join(reversed(read[1:])) + b"]"
        row = read[0] if len(read) == 1 else with_key(read[0], EARLIER, earlier)
        others += len(calls) - len(read)
        row = with_key(row, OTHERS, str(others).encode()) if others else row
        before = (texts.read(call.start, call.size) for call in calls[: len(calls) - len(read)])
        lost = 0
        if len(read) < len(calls):
            with suppress(LayoutError):
                lost = self.lost(self.read(jsontext.loads(row)), map(jsontext.loads, before))
        return with_key(row, LOST, str(lost).encode()) if lost else row

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

    def _context_of(self, record: Row) -> Row:
        try:
            return {key: value for key, value in self.context_of(record).items() if value}
        except MISSHAPEN:
            return {}

    def _is_model_call(self, record: Row) -> bool:
        try:
            return self.is_model_call(record)
        except MISSHAPEN:
            return False


class _SpanTree:
    """The spans around each other, and what some of them say of the model calls in them."""

    def __init__(self) -> None:
        self._parents: dict[Any, Any] = {}
        self._contexts: dict[Any, bytes] = {}

    def add(self, span: Any, parent: Any, context: Row) -> None:
        """Add a span; ids are of a trace and a span."""
        if span[1] is not None:
            self._parents[span] = parent
            if context:
                self._contexts[span] = jsontext.dumps(context)

    def around(self, span: Any) -> bytes:
        """What the nearest span around another one says, as JSON text; empty for nothing."""
        seen = set()
        while span in self._parents and span not in seen:
            seen.add(span)
            if span in self._contexts:
                return self._contexts[span]
            span = self._parents[span]
        return b""


def with_key(row: bytes, key: str, value: bytes) -> bytes:
    """The JSON text of an object with one more key; without a value, as it is."""
    return row[:-1] + b',"' + key.encode() + b'":' + value + b"}" if value else row


def _order(time: Any) -> tuple[int, Any]:
    """What sorts times; those of one trace have the same form."""
    if isinstance(time, list):  # seconds and nanoseconds
        time = sum(part * 10 ** (9 * (1 - at)) for at, part in enumerate(time[:2]) if isinstance(part, int))
    if isinstance(time, str):
        return (1, (len(time), time)) if time.isdecimal() else (2, time)
    return (0, time if isinstance(time, int | float) else 0)
