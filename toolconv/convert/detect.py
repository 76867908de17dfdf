"""Detects the format of an input from its beginning: rows or one text, the rows' layout, the texts' dialect."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from toolconv import dialects, layouts
from toolconv.convert.rendered import rendered_by
from toolconv.core import jsontext
from toolconv.core.calls import is_call
from toolconv.core.facts import Facts
from toolconv.core.messages import Row
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.detection import Detection, detect_all
from toolconv.dialects.turn_reader import TurnReader
from toolconv.io import sse
from toolconv.io.inputs import BLOCK_BYTES, Block
from toolconv.layouts.agent_steps import steps_in
from toolconv.layouts.base import Layout, LayoutError, value_of
from toolconv.layouts.formats.completion import Completion
from toolconv.layouts.turn_shapes import as_row

ROWS = 100
"""How many rows are examined."""

COMPLETION = Completion.name
MESSAGES_COMPLETION, ANY_KEYS, REQUEST_ANSWER = "messages-completion", "any-keys", "request-answer"
"""The layouts that look under the keys which the user names; those that few inputs have are loaded for them alone."""
Records = Literal["lines", "null"]
ROW_FILES = (".jsonl", ".ndjson", ".parquet")
BOM = b"\xef\xbb\xbf"
INDENTS = (b" ", b"\t")
"""The start of a line that may be inside an object which is printed over several lines."""


class InputFormat(NamedTuple):
    """The format of an input.

    Attributes:
        layout: its name.
        dialect: the dialect of its texts; ``None`` if no text has a call.
        detection: how the dialect was detected; ``None`` if it was given.
    """

    layout: str
    dialect: str | None
    detection: Detection | None = None


class Detector(Facts, kw_only=False):
    """Detects the format of inputs, as far as it is not given.

    Attributes:
        layout: layout of the rows; ``None`` to detect it.
        dialect: dialect of the texts; ``auto`` to detect it, ``None`` to leave texts alone.
        text_key: dotted path of the text in a completion row; rows with a string there are completion rows.
        prompt_key: dotted path of the prompt in a completion row; rows with a prompt there are completion rows.
        messages_key, tools_key: dotted paths of the messages and of the tools in a row.
        roles: names of speakers, each with the role that it means.
        records: the input is texts, each one model output: its lines, or what null characters separate.
        infer: whether values whose type nothing settles get one by their looks.
        each_call: of traces, every model call is a row, not only the last one of each trace.
        template: the template of rendered texts, its name or file; ``None`` to detect it.
    """

    layout: str | None = None
    dialect: str | None = "auto"
    text_key: str | None = None
    _: KW_ONLY
    prompt_key: str | None = None
    messages_key: str | None = None
    tools_key: str | None = None
    roles: tuple[tuple[str, str], ...] = ()
    records: Records | None = None
    infer: bool = True
    each_call: bool = False
    template: str | None = None

    def of_rows(self, lines: Iterable[bytes]) -> InputFormat | None:
        """The format of rows, from the first lines; ``None`` if no line is a row of any layout."""
        texts: list[tuple[str, ToolIndex]] = []
        name = self.layout
        for line in lines:
            row = as_row(value_of(line)) if line.strip() else None
            if not isinstance(row, dict):
                continue
            if name is None:
                if (keyed := self.keyed_layout(row)) is not None:
                    name = keyed
                elif (detected := layouts.detect(row)) is not None:
                    name = detected.name
                else:
                    continue
            if self.dialect != "auto" or len(texts) >= ROWS:
                break
            texts.extend(_texts(row, self.layout_of(name)))
        return self._format(name, texts) if name is not None else None

    @property
    def names_layout(self) -> bool:
        """Whether the user names the layout of rows, or the keys of their parts."""
        return self.layout is not None or self.keyed

    @property
    def keyed(self) -> bool:
        """Whether the user says where the parts of a conversation are, so that rows have no other layout."""
        keys = (self.text_key, self.prompt_key, self.messages_key, self.tools_key)
        return bool(self.roles) or any(key is not None for key in keys)

    def keyed_layout(self, row: Row) -> str | None:
        """The layout of a row in which the given keys are; ``None`` if no keys are given, or it has none of them."""
        if not self.keyed:
            return None
        if self.text_key is self.prompt_key is None or self.messages_key is not None:
            return ANY_KEYS
        if rendered_by(None, self.text_key, self.prompt_key).fits(row):
            return "rendered"
        names = (COMPLETION, ANY_KEYS) if self.prompt_key else (MESSAGES_COMPLETION, REQUEST_ANSWER, COMPLETION)
        return next((name for name in names if self.layout_of(name).fits(row)), None)

    def layout_of(self, name: str) -> Layout:
        """The layout of a name, which looks for the text and the prompt of a row under the given keys."""
        if name == "rendered" and not (self.template is self.text_key is self.prompt_key is None and self.infer):
            return rendered_by(self.template, self.text_key, self.prompt_key, infer=self.infer)
        keyed = self.text_key is not None or self.prompt_key is not None or self.tools_key is not None
        if name == COMPLETION and keyed:
            return Completion(self.text_key, self.prompt_key, self.tools_key)
        if name == MESSAGES_COMPLETION and keyed:
            from toolconv.layouts.formats.messages_completion import MessagesCompletion

            return MessagesCompletion(self.text_key, tools_key=self.tools_key)
        if name == REQUEST_ANSWER and (self.text_key is not None or self.roles):
            from toolconv.layouts.formats.request_answer import RequestAnswer

            return RequestAnswer(self.text_key, dict(self.roles))
        if name == ANY_KEYS and self.keyed:
            from toolconv.layouts.formats.any_keys import AnyKeys

            return AnyKeys(self.messages_key, self.tools_key, self.text_key, dict(self.roles), self.prompt_key)
        return layouts.get(name)

    def of_text(self, text: str) -> InputFormat:
        """The format of an input that is one raw text."""
        if self.layout == "rendered" or (self.layout is None and layouts.get("rendered").fits({"text": text})):
            return InputFormat("rendered", None)
        return self._format("raw", [(text, NO_TOOLS)])

    def reads_calls(self, text: str) -> bool:
        """Whether the given dialect reads a call in a text."""
        reader = reader_of(self.dialect, dialects.get(self.dialect) if self.dialect else None)
        return reader is not None and bool(reader.read(text).calls)

    def _format(self, layout: str, texts: Sequence[tuple[str, ToolIndex]]) -> InputFormat:
        if self.dialect != "auto":
            return InputFormat(layout, self.dialect)
        detection = detect_all(texts)
        return InputFormat(layout, detection.name, detection)

    def of_blocks(self, blocks: Iterable[Block], *, wait: bool) -> Iterator[tuple[InputFormat | None, Block]]:
        """The blocks of an input, each with the format of its rows.

        Args:
            blocks: the rows.
            wait: the size of a block is arbitrary, as in a pipe: hold blocks back until a row has a call or
                :data:`ROWS` rows are there, so that the format depends on the rows alone.
        """
        found: InputFormat | None = None
        decided = False
        held: list[Block] = []
        rows: list[bytes] = []
        for block in blocks:
            if decided or not wait:
                if found is None and not wait:
                    found = self.of_rows(block.lines)
                yield found, block
                del block  # before the next one is read
                continue
            held.append(block)
            for line in block.lines:
                if line.strip():
                    rows.append(line)
                    if decided := len(rows) == ROWS or self._has_call(line):
                        break
            if decided:
                found = self.of_rows(rows)
                yield from ((found, each) for each in held)
                held = []
        found = self.of_rows(rows) if held else None
        yield from ((found, each) for each in held)

    def _has_call(self, line: bytes) -> bool:
        """Whether a row has a call, in a text or as structure; any row will do if no dialect is to be detected."""
        found = self.of_rows([line])
        if found is None:
            return False
        if found.detection is None or found.detection.name is not None:
            return True
        row, layout = as_row(value_of(line)), self.layout_of(found.layout)
        try:
            return any(message.get("tool_calls") for message in layout.read(row).messages)
        except LayoutError:
            return False

    def layout_and_reader(self, input_format: InputFormat | None) -> tuple[Layout | None, TurnReader | None]:
        """The layout that the user names for the rows, or that the first ones have; the reader of their texts.

        The dialect of texts that don't show theirs is the one that the first rows show, else the layout's own.
        """
        if input_format is None:
            return None, reader_of(self.dialect, None, infer=self.infer)
        layout = self.layout_of(input_format.layout)
        name = input_format.dialect or (layout.dialect if self.dialect == "auto" else None)
        return layout, reader_of(self.dialect, dialects.get(name) if name else None, infer=self.infer)


def reader_of(source: str | None, default: Dialect | None, *, infer: bool = True) -> TurnReader | None:
    """The reader of the texts of an input; ``None`` to leave them alone.

    Args:
        source: the dialect that the user names; ``auto`` to decide for each text.
        default: the dialect of the input: the named one, or the one that its first rows show.
        infer: whether values whose type nothing settles get one by their looks.
    """
    if source == "auto":
        return TurnReader(default=default, infer=infer)
    return None if default is None else TurnReader(default, infer=infer)


@lru_cache(maxsize=256)
def reader_in(reader: TurnReader | None, layout: Layout) -> TurnReader | None:
    """The reader of the texts of a row in its own layout, by the reader of the input; ``None`` to leave them alone."""
    if reader is None or reader.named is not None:
        return reader
    if layout.only_structure:
        return None
    return reader if layout.dialect is None else reader._replace(default=dialects.get(layout.dialect))


def _texts(row: Row, layout: Layout) -> list[tuple[str, ToolIndex]]:
    """The assistant's texts in a row, from turns without structured calls, each with the declared tools."""
    if layout.only_structure:
        return []
    try:
        conversation = layout.read(row)
    except LayoutError:
        return []
    tools = ToolIndex(conversation.tools)
    return [
        (message["content"], tools)
        for message in conversation.messages
        if message.get("role") == "assistant" and message.get("content") and isinstance(message["content"], str)
        if not message.get("tool_calls")
    ]


# ── rows or text ────────────────────────────────────────────────────────────────────────────────


def beginning(chunks: Iterator[bytes], longest: int) -> bytes:
    """The beginning of an input, long enough to distinguish rows, a stream and a text.

    It is the same however the input is cut into chunks. It ends after the first line that decides, or has more than
    ``longest`` bytes, or is the whole input, or begins an array.
    """
    start = bytearray()
    decided = inside = False
    seen = 0
    for chunk in chunks:
        start += chunk
        while not decided and (end := start.find(b"\n", max(seen, len(start) - len(chunk)))) >= 0:
            line = bytes(memoryview(start)[seen:end])
            decided = not (inside and line[:1] in INDENTS) and _decides(line)
            inside = inside or not line.isspace()
            seen = end + 1
        if decided or len(start) > longest or (seen and len(start) >= BLOCK_BYTES) or begins_array(start[:64]):
            break
    return bytes(start)


def _decides(line: bytes) -> bool:
    """Whether a line decides if an input is rows, a stream or a text.

    A truncated object does not, nor a comment, nor a line that may be inside an object.
    """
    line = line.removeprefix(BOM).strip()
    if line[:1] in (b"{", b"["):
        return isinstance(value_of(line), dict | list)
    return bool(sse.payload(line))


def content_of(start: bytes, name: str, layout: str | None, longest: int) -> Literal["lines", "text"]:
    """The content of an input that begins with ``start`` and is no array of rows: lines, or one text or document.

    Args:
        start: see :func:`beginning`.
        name: the input's name.
        layout: the layout of its rows, if it is given.
        longest: the longest line that is read.
    """
    if layout == "raw":
        return "text"
    if _begins_long_object(start, longest) or not is_raw(start, name):
        return "lines"
    return "text" if layout in (None, "rendered") or _begins_document(start) else "lines"


def begins_array(start: bytes | bytearray) -> bool:
    """Whether an input that begins with ``start`` may be a JSON array."""
    return start.removeprefix(BOM).lstrip()[:1] == b"["


def is_named_rows(name: str) -> bool:
    """Whether the name of an input says that each line is a row."""
    return name.removesuffix(".gz").removesuffix(".zst").endswith(ROW_FILES)


def is_raw(start: bytes, name: str) -> bool:
    """Whether an input that begins with ``start``, and is no stream, is one raw text.

    It is rows if a line of ``start`` is a JSON object other than a bare call; a file named so (``.jsonl``) always is.
    """
    if is_named_rows(name) or not start.strip():
        return False
    if start.lstrip()[:1] not in (b"{", b"["):
        return True
    inside = False
    lines = io.BytesIO(start)
    left = max(BLOCK_BYTES, start.find(b"\n"))
    while line := lines.readline(left):
        left -= len(line)
        if not line.strip() or (inside and line[:1] in INDENTS):
            continue
        inside = True
        value = value_of(line)
        if isinstance(value, dict):
            return _is_bare_call(value)
        if isinstance(value, list):
            break
    return True


def _begins_document(start: bytes) -> bool:
    """Whether an input may be one document, printed over several lines: its first line is not JSON."""
    return value_of(start.lstrip().partition(b"\n")[0]) is None


def _begins_long_object(start: bytes, longest: int) -> bool:
    """Whether an input begins with an object on a line that is too long to be read."""
    begin = len(start) - len(start.lstrip())
    end = start.find(b"\n", begin)
    return (end if end >= 0 else len(start)) - begin > longest and start[begin : begin + 1] == b"{"


def is_array_of_rows(value: Any) -> bool:
    """Whether a JSON value is a list of rows, not of bare calls or anything else."""
    value = [as_row(item) for item in value] if isinstance(value, list) else None
    if not value or not all(isinstance(item, dict) for item in value):
        return False
    return not all(_is_bare_call(item) or layouts.detect(item) is None for item in value)


def is_row(text: bytes, *, known: str | None = None) -> bool:
    """Whether a JSON text is a row: an object of some layout, no bare call.

    If the layout is ``known``, any object is a row, unless that layout takes documents apart and this is not its row.
    """
    value = as_row(value_of(text))
    if not isinstance(value, dict):
        return False
    if known is not None:
        layout = layouts.get(known)
        return type(layout).split is Layout.split or layout.fits(value)
    return not _is_bare_call(value) and layouts.detect(value) is not None


def _is_bare_call(value: Row) -> bool:
    """Whether an object is a call, as a model writes it, without its question and without keys that no call has."""
    if not is_call(value, NO_TOOLS) or steps_in(value) is not None:
        return False
    return bool(TurnReader().read(jsontext.spaced(value)).calls)
