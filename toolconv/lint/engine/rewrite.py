"""An input with its rows fixed, written as a file or as a diff."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from toolconv.core import jsontext
from toolconv.core.errors import FileError
from toolconv.io.inputs import STDIN, Input
from toolconv.io.outputs import Output, descriptor_of

if TYPE_CHECKING:
    from toolconv.lint.engine.checked import Checked
    from toolconv.lint.model.row import LintRow
    from toolconv.lint.model.source import Segment

BUFFER: Final = 1 << 16
"""How many bytes a buffer collects before it passes them on."""


def line_of(segment: Segment) -> bytes:
    """A row as one line; a raw text unchanged."""
    row = segment.row
    if row is None:
        return b""
    if segment.raw and row.row is not None:
        return str(row.row["text"]).encode("utf-8", "surrogatepass")
    return jsontext.dumps(row.json) if b"\n" in row.raw and row.row is not None else row.raw


class Buffer:
    """Collects text and data and passes them to a stream in larger parts.

    Attributes:
        before: called before something is written, to remove a progress bar from the same terminal.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.before: Callable[[], None] = lambda: None
        self._parts: list[bytes] = []
        self._size = 0

    def text(self, text: str) -> None:
        """Add text."""
        self.data(text.encode("utf-8", "backslashreplace"))

    def data(self, data: bytes) -> None:
        """Add data."""
        self._parts.append(data)
        self._size += len(data)
        if self._size > BUFFER:
            self.flush()

    write = data

    def flush(self) -> None:
        """Pass on everything that was added."""
        if self._parts:
            self.before()
            self._stream.write(b"".join(self._parts))
            self._parts, self._size = [], 0
            flush = getattr(self._stream, "flush", None)
            if flush is not None:
                flush()


class Rewritten:
    """An input with its rows fixed, which replaces the file once it is complete and something changed.

    Args:
        source: the input.
        rows: receives standard input with its rows fixed.

    Attributes:
        replaced: the file was replaced.

    Raises:
        FileError: the input is a pipe or another open stream, which can't be replaced.
    """

    def __init__(self, source: Input, rows: Buffer | None) -> None:
        if source.name != STDIN and (not source.is_file or descriptor_of(source.name) is not None):
            raise FileError(
                f"{source.label}: not a file that can be replaced: give it as standard input, with - as FILE"
            )
        self._output = Output(source.name, replaces=source) if source.name != STDIN else None
        self._sink = rows if self._output is None else Buffer(self._output)
        self._joined = _Joined(self._sink.data if self._sink is not None else _nowhere)
        self.replaced = False

    def add(self, segment: Segment, checked: Checked | None) -> None:
        """The next segment of the input, with the outcome of checking its row."""
        self._joined.add(segment, checked)

    def finish(self) -> None:
        """Replace the file, if something changed.

        Raises:
            FileError: it can't be written, or is no longer what was read.
        """
        if self._output is None or self._sink is None or not self._joined.changed:
            return
        self._sink.flush()
        self._output.finish()
        self.replaced = True

    def abandon(self) -> None:
        """Delete the unfinished file."""
        if self._output is not None:
            self._output.abandon()


class _Joined:
    """Joins the segments of an input, with fixed rows and without dropped ones."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._carried: bytes | None = None
        self._wrote = False
        self.changed = False

    def add(self, segment: Segment, checked: Checked | None) -> None:
        """The next segment of the input, with the outcome of checking its row."""
        if segment.row is None or checked is None:
            if self._wrote or self._carried is None:
                self._write(segment.before)
            elif self._carried.strip():  # an array with no rows left
                self._write(self._carried + segment.before)
            return
        self.changed = self.changed or checked.is_changed
        if checked.dropped:
            self._carried = segment.before if self._carried is None else self._carried
            return
        before = segment.before if self._carried is None else self._carried
        self._carried = None
        self._wrote = True
        self._write(before + _raw(segment, checked))


def _nowhere(_: bytes) -> None:
    pass


def _raw(segment: Segment, checked: Checked) -> bytes:
    row = checked.row
    return str(row.row["text"]).encode("utf-8", "surrogatepass") if segment.raw and row.row else row.raw


class Diff:
    """The changes that fixes would make to an input, as a unified diff."""

    def __init__(self, label: str, write: Callable[[str], None]) -> None:
        self._label = label
        self._write = write
        self._begun = False
        self._gone = 0
        self._old: list[bytes] | None = None
        self._new: list[bytes] = []
        self._joined = _Joined(self._new.append)

    def add(self, segment: Segment, checked: Checked | None) -> None:
        """The next segment of the input, with the outcome of checking its row."""
        row = segment.row
        if self._old is None and row is not None and (segment.before.strip() or segment.raw or b"\n" in row.raw):
            self._old = []
        if self._old is not None:
            self._old.append(segment.before + (line_of(segment) if segment.raw else row.raw if row else b""))
            self._joined.add(segment, checked)
        elif row is not None and checked is not None and checked.is_changed:
            self._row(row, checked)

    def _row(self, row: LintRow, checked: Checked) -> None:
        self._begin()
        after = row.line - self._gone
        end = "\n\\ No newline at end of file\n" if row.cut else "\n"
        new = "" if checked.dropped else f"+{_text(checked.row.raw)}{end}"
        place = f"{after - 1},0" if checked.dropped else f"{after}"
        self._write(f"@@ -{row.line} +{place} @@\n-{_text(row.raw)}{end}{new}")
        self._gone += checked.dropped is not None

    def _begin(self) -> None:
        if not self._begun:
            self._write(f"--- a/{self._label}\n+++ b/{self._label}\n")
            self._begun = True

    def finish(self) -> None:
        """The input is complete."""
        if self._old is None or not self._joined.changed:
            return
        old, new = (_text(b"".join(text)).splitlines(keepends=True) for text in (self._old, self._new))
        names = f"a/{self._label}", f"b/{self._label}"
        from difflib import unified_diff

        for line in unified_diff(old, new, *names, n=0):
            self._write(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
