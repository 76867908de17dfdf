"""Which rows are rejected for what was noted of them: unreadable calls, unread parts, and what ``strict`` refuses."""

from __future__ import annotations

from toolconv.convert.options import Options
from toolconv.core.errors import ToolconvError
from toolconv.core.notes import Notes
from toolconv.core.work import TOO_MUCH_WORK


class Rejected(ToolconvError):
    """A row that is not written; the message says why."""


def check_read(notes: Notes, options: Options) -> None:
    """Check a row whose texts have been read.

    Raises:
        Rejected: it is not to be written.
    """
    if notes.dropped:
        if any(dropped.reason == TOO_MUCH_WORK for dropped in notes.dropped):
            raise Rejected(TOO_MUCH_WORK)
        if options.on_error != "keep":
            raise Rejected(f"unreadable call: {notes.dropped[0].reason}")
    for unread in notes.unread:
        if (options.strict and unread.kind != "text") or (unread.kind == "calls" and options.on_error != "keep"):
            raise Rejected(f"unread: {unread}")
    _check_repairs(notes, options)


def check_written(notes: Notes, options: Options) -> None:
    """Check a row that has been written.

    Raises:
        Rejected: its output is not to be used.
    """
    _check_repairs(notes, options)
    if notes.losses and options.strict:
        raise Rejected(f"would be lost: {', '.join(dict.fromkeys(notes.losses))}")


def _check_repairs(notes: Notes, options: Options) -> None:
    if notes.repairs and options.strict:
        raise Rejected(f"needs repairs: {', '.join(dict.fromkeys(notes.repairs))}")
