"""Reads a line of an input, or a raw text: which layout it has, and the conversation in it."""

from __future__ import annotations

from toolconv import layouts
from toolconv.convert.detect import BOM
from toolconv.convert.options import Options
from toolconv.convert.row_checks import Rejected
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.errors import too_long
from toolconv.core.messages import Row
from toolconv.core.notes import DUPLICATE_KEY
from toolconv.core.rows import MISSHAPEN, keys_of
from toolconv.layouts.base import Layout, LayoutError, NoConversation
from toolconv.layouts.formats.any_keys import LAYOUT as ANY_KEYS
from toolconv.layouts.formats.rendered import LAYOUT as RENDERED
from toolconv.layouts.turn_shapes import as_row


class LineReader:
    """Reads the lines of one input.

    Args:
        options: how to read them.
        layout: the input's layout; rows that don't fit it are read in the layout that they fit.
    """

    def __init__(self, options: Options, layout: Layout) -> None:
        self.layout = layout
        self.raw = layout.name == "raw"
        self.rendered = options.detector.layout_of(RENDERED.name)
        self.fixed = options.from_layout is not None or options.detector.keyed
        self.requests = None
        if options.requests:
            from toolconv.convert.requests import requests_in

            self.requests = requests_in(options.requests)
        self.strict = options.strict
        self.max_line = options.max_line

    def read(self, line: bytes) -> Conversation:
        """The conversation in a line, or in a raw text.

        Raises:
            Rejected: there is none.
        """
        if len(line) > self.max_line:
            raise Rejected(too_long("a line", self.max_line))
        if self.raw:
            return self.layout.read({"text": _decoded(line)})
        try:
            row, repeated = jsontext.loads_row(line)
        except ValueError as error:
            if line.startswith(BOM) and not line.startswith(BOM + BOM):  # of a file that was appended to another
                return self.read(line.removeprefix(BOM))
            raise Rejected(describe_json_error(error)) from None
        if type(row) is not dict:
            row = as_row(row)
            if type(row) is not dict:
                raise Rejected("not a JSON object (a row must be an object)")
        if self.requests is not None:
            from toolconv.convert.requests import NotJoined

            try:
                row = self.requests.joined(row)
            except NotJoined as error:
                raise Rejected(str(error)) from None
        if repeated and self.strict:
            raise Rejected(f"a key twice in one object: {', '.join(map(repr, repeated))}")
        conversation = self._in_its_layout(row)
        if repeated:
            conversation.notes.repairs += [DUPLICATE_KEY] * len(repeated)
        return conversation

    def _in_its_layout(self, row: Row) -> Conversation:
        """The conversation in a row, in the layout that it has."""
        layout = self.layout if self.fixed else layouts.detect(row) or self.layout
        if layout is RENDERED:
            layout = self.rendered
        elif layout is not self.layout and self.layout.decodes_like(layout) and self.layout.fits(row):
            layout = self.layout
        try:
            conversation = layout.read(row)
        except LayoutError as error:
            keys = f"(layout {layout.name}; the row has the keys {keys_of(row)})"
            if isinstance(error, NoConversation):
                raise Rejected(f"{error} {keys}") from None
            if not self.fixed and (other := _in_another_shape(row, layout)) is not None:
                return other
            from toolconv.convert.proposals import better_reason  # which few rows need

            reason = better_reason(row, str(error), guessed=not (self.fixed or layout.fits(row)))
            raise Rejected(f"{reason} {keys}") from None
        return conversation if layout is self.layout else self._in_own_layout(row, conversation)

    def _in_own_layout(self, row: Row, conversation: Conversation) -> Conversation:
        """The conversation read in the input's layout, if it is the same: then the row is written back unchanged."""
        try:
            own = self.layout.read(row) if self.layout.fits(row) else None
        except LayoutError:
            return conversation
        if own is None or own.row != conversation.row or (own.answers is None) != (conversation.answers is None):
            return conversation
        return own


def _in_another_shape(row: Row, but: Layout) -> Conversation | None:
    """The conversation in a row that has the keys of a layout, but turns in another shape; ``None`` if it has none."""
    if but is ANY_KEYS:
        return None
    try:
        return ANY_KEYS.read_shaped(row)
    except (LayoutError, *MISSHAPEN):
        return None


def describe_json_error(error: ValueError) -> str:
    """Why :func:`jsontext.loads_row` can't read a line, and at which byte."""
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
