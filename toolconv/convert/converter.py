"""Converts one row: line → row → conversation → row → line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from toolconv import dialects, layouts
from toolconv.convert.declared_tools import tools_of
from toolconv.convert.detect import BOM, COMPLETION, Detector, InputFormat, Records, reader_in, reader_of
from toolconv.convert.proposals import better_reason
from toolconv.convert.receipt import MAX_PLACES, Place, Receipt
from toolconv.convert.requests import NotJoined, requests_in
from toolconv.convert.unread import find_unread, may_hold_unread
from toolconv.core import jsontext
from toolconv.core.answers import conversations_of, on_each_answer
from toolconv.core.conversation import Conversation, Row
from toolconv.core.errors import ToolconvError, shortened, too_long
from toolconv.core.facts import FactsByValue
from toolconv.core.marks import has_marks, spell_marks
from toolconv.core.rows import keys_of
from toolconv.core.work import TOO_MUCH_WORK
from toolconv.dialects.base import Dialect
from toolconv.dialects.prompts.lifting import lift_prompts
from toolconv.dialects.turn_reader import TurnReader
from toolconv.dialects.turns import SYSTEM_ROLES, RenderError, attach_tools, parse_turns, render_turns
from toolconv.io.inputs import MAX_LINE_BYTES
from toolconv.layouts.base import Layout, LayoutError
from toolconv.layouts.field_style import LAYOUT_STYLE, FieldStyle
from toolconv.layouts.formats.rendered import LAYOUT as RENDERED
from toolconv.layouts.found_turns import as_row
from toolconv.layouts.speakers import are_known, count_unknown

if TYPE_CHECKING:
    from toolconv.templates.base import Template
    from toolconv.templates.output import TemplateOutput, TextOptions
    from toolconv.trainers.base import Trainer

STRUCTURED = ("canonical", "openai")
"""Dialects that, as a target, are a layout: rows with structured calls."""


class Options(FactsByValue):
    """What to do with each row; the same for all workers.

    Attributes:
        source: dialect of the texts; ``auto`` to detect it for each text, ``None`` to leave texts alone.
        target: dialect to write; ``None`` for structured rows.
        from_layout: layout of the rows; ``None`` to detect it.
        from_template: the template of rendered texts, its name or file; ``None`` to detect it.
        requests: the request file of a batch, whose answers the rows are; empty for other rows.
        each_call: of traces, every model call is a row, not only the last one of each trace.
        to_layout: layout to write; ``None`` for the one that fits the target.
        text_key: dotted path of the text in a completion row.
        prompt_key: dotted path of the prompt in a completion row.
        messages_key, tools_key: dotted paths of the messages and of the tools in a row.
        roles: names of speakers, each with the role that it means.
        records: each line, or each text between null characters, is one model output.
        system: a system text for conversations without one.
        in_reasoning: outputs begin inside a reasoning block, which the prompt opened.
        untyped: what a value in a text becomes whose type nothing settles: what it looks like, or a text.
        dialect_files: files that describe further dialects, also chat templates.
        keep_prompt: what the texts before the first answer say about tools stays.
        declared: tools for rows that declare none, as :func:`toolconv.convert.declared_tools.read_declared` gives them.
        redact: replace secrets by placeholders; see :mod:`toolconv.convert.redaction`.
        strict: any repair or loss is an error.
        on_error: what to do with a row that has an unreadable call: keep its text, reject the row, or stop.
        text: how to write conversations as text; ``None`` for rows of a layout.
        style: how to write nested fields of the rows.
        trainer: what the rows are for: they are repaired for it, and what it would lose is counted.
        student: the chat template of the trained model, by name or as a file, where rows are written for a trainer.
        account: also count what only a receipt shows, such as the declared tools.
        only_read: write nothing, keep the conversations; see :func:`toolconv.convert.pipeline.conversations`.
        max_line: longest line, or text, to read, in bytes.
    """

    source: str | None = "auto"
    target: str | None = None
    from_layout: str | None = None
    from_template: str | None = None
    requests: str = ""
    each_call: bool = False
    to_layout: str | None = None
    text_key: str | None = None
    prompt_key: str | None = None
    messages_key: str | None = None
    tools_key: str | None = None
    roles: tuple[tuple[str, str], ...] = ()
    records: Records | None = None
    system: str | None = None
    in_reasoning: bool = False
    untyped: Literal["infer", "text"] = "infer"
    dialect_files: tuple[str, ...] = ()
    keep_prompt: bool = False
    declared: str = ""
    redact: bool = False
    strict: bool = False
    on_error: Literal["keep", "reject", "fail"] = "keep"
    text: TextOptions | None = None
    style: FieldStyle = LAYOUT_STYLE
    trainer: str | None = None
    student: TextOptions | None = None
    account: bool = False
    only_read: bool = False
    max_line: int = MAX_LINE_BYTES

    @property
    def detector(self) -> Detector:
        """Detects the format of the inputs."""
        infer = self.untyped == "infer"
        return Detector(
            self.from_layout,
            self.source,
            self.text_key,
            prompt_key=self.prompt_key,
            messages_key=self.messages_key,
            tools_key=self.tools_key,
            roles=self.roles,
            records=self.records,
            infer=infer,
            each_call=self.each_call,
            template=self.from_template,
        )


class UsageError(ToolconvError):
    """Options that don't go together, or a missing one; the message says what to give."""


class Rejected(ToolconvError):
    """A row that is not written; the message says why."""


class Reading(NamedTuple):
    """A row that was read.

    Attributes:
        file, line: its place.
        conversation: its content, with structured calls; ``None`` for a rejected row.
        reason: why it was rejected.
        text: its line, or the raw text; empty for a line that is too long to read.
    """

    file: str
    line: int
    conversation: Conversation | None
    reason: str = ""
    text: bytes = b""


@dataclass(slots=True, repr=False, eq=False)
class Result:
    """The result of converting some rows.

    Attributes:
        output: the lines written, with line ends.
        rejects: the rejected lines, with line ends.
        long: instead of ``rejects``, the pieces of a rejected line that is too long to hold in memory.
        readings: with ``only_read``, and instead of lines, the rows.
        receipt: the account of these rows.
        failed: the last of them stops the run, as ``on_error`` asks.
    """

    output: list[bytes] = field(default_factory=list)
    rejects: list[bytes] = field(default_factory=list)
    long: Iterator[bytes] | None = None
    readings: list[Reading] = field(default_factory=list)
    receipt: Receipt = field(default_factory=Receipt)
    failed: bool = False


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
        output: the line to write.
    """

    __slots__ = ("canonical", "conversation", "error", "line", "number", "output")

    conversation: Conversation
    canonical: Row

    def __init__(self, number: int, line: bytes) -> None:
        self.number = number
        self.line = line
        self.error = ""
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
        self.raw = layout.name == "raw"
        self.rendered = options.detector.layout_of(RENDERED.name)
        self.fixed = options.from_layout is not None or options.detector.keyed
        self.reader = reader_of(options.source, source, infer=options.untyped == "infer")
        self.readers: dict[str, TurnReader | None] = {}
        self.strict = options.strict
        self.restyled = options.style != LAYOUT_STYLE
        self.declared = tools_of(options.declared)
        self.requests = requests_in(options.requests) if options.requests else None
        target = dialects.get(options.target) if options.target else None
        name = options.to_layout
        if name is None and target is not None:
            structured = target.name in STRUCTURED
            name = target.name if structured else layout.name if layout.name in ("raw", COMPLETION) else "chat"
        self.out_layout = layout if name == layout.name else layouts.get(name or "canonical")
        if not self.out_layout.writable:
            raise UsageError(f"layout {self.out_layout.name!r} can't be written: choose another with --to-layout")
        self.target: Dialect | None = None
        self.writer: TemplateOutput | None = None
        if options.system is not None and self.out_layout.name == "raw":
            raise UsageError("--system needs rows to write: one raw text has no system turn; give --to-layout")
        self.trainer = _trainer_of(options, self.out_layout)
        self.student = _student_of(options)
        self.marks = self.out_layout.mark_style if options.text is None else None
        if self.trainer is not None and self.trainer.marks is not None and options.text is None:
            self.marks = self.trainer.marks
        if options.text is not None:
            self.writer = _text_writer(options.text, layout)
        elif self.out_layout.calls_in_text:
            self.target = target or (dialects.get(self.out_layout.dialect) if self.out_layout.dialect else source)
            if self.target is None:
                raise UsageError(f"layout {self.out_layout.name!r} has calls in texts: give their dialect with --to")
        elif target is not None and target.name not in STRUCTURED:
            raise UsageError(
                f"layout {self.out_layout.name!r} has structured calls, which have no dialect: "
                f"leave out --to {options.target}, or choose --to-layout chat"
            )

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
                    self._convert(file, rows, result)
                    if result.failed:
                        return result
                    rows, room = [], BATCH_BYTES
        self._convert(file, rows, result)
        return result

    def one(self, file: str, number: int, line: bytes, result: Result) -> None:
        """Convert one line, or one raw text, and add the outcome to ``result``."""
        self._convert(file, [_PendingRow(number, line)], result)

    def _convert(self, file: str, rows: list[_PendingRow], result: Result) -> None:
        """Convert some rows, all of them step by step, and add the outcomes to ``result``.

        While a step repeats, the processor has its code in the cache. That saves a tenth to a third of the time.
        """
        receipt = result.receipt

        def count(row: _PendingRow) -> None:
            receipt.count_written(row.canonical, row.conversation, file, row.number)

        for step in (self._read_row, self._parse_row, self._write_row, count):
            for row in rows:
                if row.error:
                    continue
                try:
                    step(row)
                except (Rejected, LayoutError, RenderError, jsontext.BeyondLimit) as error:
                    row.error = str(error)
                except Exception as error:  # a bug in toolconv must not cost other rows
                    row.error = f"internal error, please report ({type(error).__name__}: {error})"
        for row in rows:
            receipt.rows_in += 1
            if row.error:
                self._reject(file, row.number, row.line, row.error, result)
                continue
            receipt.rows_out += 1
            if self.options.only_read:
                result.readings.append(Reading(file, row.number, row.conversation, text=row.line))
            else:
                result.output.append(row.output)

    def _read_row(self, row: _PendingRow) -> None:
        row.conversation = self._read(row.line)

    def _parse_row(self, row: _PendingRow) -> None:
        self._parse(row.conversation)
        conversation = row.conversation
        if self.options.redact:
            from toolconv.convert.redaction import redact, redacted_text

            redact(conversation, self.out_layout.name)
            notes = conversation.notes
            notes.unread = [
                each._replace(pointer=redacted_text(each.pointer), option=redacted_text(each.option))
                for each in notes.unread
            ]
        row.canonical = conversation.row
        if conversation.answers is not None:
            row.canonical = {**conversation.row, "messages": conversation.all_messages}

    def _write_row(self, row: _PendingRow) -> None:
        if not self.options.only_read:
            row.output = self._write(row.conversation)

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

    def _read(self, line: bytes) -> Conversation:
        """The conversation in a line, or in a raw text."""
        if len(line) > self.options.max_line:
            raise Rejected(too_long("a line", self.options.max_line))
        if self.raw:
            return self.layout.read({"text": _decoded(line)})
        try:
            row, repeated = jsontext.loads_row(line)
        except ValueError as error:
            if line.startswith(BOM) and not line.startswith(BOM + BOM):  # of a file that was appended to another
                return self._read(line.removeprefix(BOM))
            raise Rejected(describe_json_error(error)) from None
        if type(row) is not dict:
            row = as_row(row)
            if type(row) is not dict:
                raise Rejected("not a JSON object (a row must be an object)")
        if self.requests is not None:
            try:
                row = self.requests.joined(row)
            except NotJoined as error:
                raise Rejected(str(error)) from None
        if repeated and self.strict:
            raise Rejected(f"a key twice in one object: {', '.join(map(repr, repeated))}")
        layout = self.layout if self.fixed else layouts.detect(row) or self.layout
        if layout is RENDERED:
            layout = self.rendered
        elif layout is not self.layout and self.layout.decodes_like(layout) and self.layout.fits(row):
            layout = self.layout
        try:
            conversation = layout.read(row)
        except LayoutError as error:
            reason = better_reason(row, str(error), guessed=not self.fixed)
            raise Rejected(f"{reason} (layout {layout.name}; the row has the keys {keys_of(row)})") from None
        if layout is not self.layout:
            conversation = self._in_own_layout(row, conversation)
        if repeated:
            conversation.notes.repairs += ["duplicate_key"] * len(repeated)
        return conversation

    def _in_own_layout(self, row: Row, conversation: Conversation) -> Conversation:
        """The conversation read in the input's layout, if it is the same: then the row is written back unchanged."""
        try:
            own = self.layout.read(row) if self.layout.fits(row) else None
        except LayoutError:
            return conversation
        if own is None or own.row != conversation.row or (own.answers is None) != (conversation.answers is None):
            return conversation
        return own

    def _parse(self, conversation: Conversation) -> None:
        """Read the calls in the texts."""
        if conversation.answers is None:
            self._parse_answer(conversation)
        else:
            on_each_answer(conversation, self._parse_answer)
        notes = conversation.notes
        messages = conversation.all_messages
        if not are_known(messages):
            count_unknown(messages, notes)
        if may_hold_unread(conversation.row):
            notes.unread = find_unread(conversation, self._reader_of(conversation))
        if any(dropped.reason == TOO_MUCH_WORK for dropped in notes.dropped):
            raise Rejected(TOO_MUCH_WORK)
        if notes.dropped and self.options.on_error != "keep":
            raise Rejected(f"unreadable call: {notes.dropped[0].reason}")
        for unread in notes.unread:
            if self.strict or (unread.kind == "calls" and self.options.on_error != "keep"):
                raise Rejected(f"unread: {unread}")
        if notes.repairs and self.strict:
            raise Rejected(f"needs repairs: {', '.join(dict.fromkeys(notes.repairs))}")

    def _parse_answer(self, conversation: Conversation) -> None:
        """Read the calls in the texts of a conversation with one answer."""
        reader = self._reader_of(conversation)
        if self.declared:
            known = None if reader is None else reader.named or reader.default
            conversation.notes.given_tools = attach_tools(conversation, self.declared, known)
        if reader is not None:
            options = self.options
            parse_turns(
                conversation,
                reader,
                strict=self.strict,
                in_reasoning=options.in_reasoning,
                keep_prompt=options.keep_prompt,
            )
        if self.options.system is not None:
            _add_system(conversation, self.options.system)

    def _reader_of(self, conversation: Conversation) -> TurnReader | None:
        """The reader of the texts of a conversation."""
        return self.reader if conversation.origin is None else self._reader_in(conversation.origin[0])

    def _reader_in(self, layout: str) -> TurnReader | None:
        """The reader of texts in rows of a layout."""
        try:
            return self.readers[layout]
        except KeyError:
            return self.readers.setdefault(layout, reader_in(self.reader, layouts.get(layout)))

    def _write(self, conversation: Conversation) -> bytes:
        notes = conversation.notes
        if conversation.text_key is not None and self.out_layout.name not in ("raw", COMPLETION):
            for each in conversations_of(conversation):
                each.text_key = None  # it is a conversation now, whose tools are declared in its system turn
        if conversation.answers is None:
            self._prepare(conversation)
        else:
            on_each_answer(conversation, self._prepare)
        if self.writer is not None:
            if conversation.origin is not None and conversation.origin[0] == COMPLETION and _is_output(conversation):
                raise Rejected("no prompt, and a template needs a conversation; --prompt-key names the prompt's key")
            row = self.writer.row(conversation)
        else:
            row = self.out_layout.write(conversation, self.options.style.apply if self.restyled else None)
        if self.trainer is not None:
            notes.losses += self._effects(self.trainer, conversation, row)
        if notes.repairs and self.strict:
            raise Rejected(f"needs repairs: {', '.join(dict.fromkeys(notes.repairs))}")
        if notes.losses and self.strict:
            raise Rejected(f"would be lost: {', '.join(dict.fromkeys(notes.losses))}")
        if self.out_layout.name == "raw" and self.writer is None:
            text: str = row["text"]
            return text.encode("utf-8", "surrogatepass") + b"\n"
        return jsontext.dumps_line(row)

    def _prepare(self, conversation: Conversation) -> None:
        """Change a conversation with one answer into what is written."""
        if self.marks is not None and has_marks(conversation.messages):
            origin = conversation.origin
            if self.trainer is not None or origin is None or origin[0] != self.out_layout.name:
                spell_marks(conversation, self.marks)
        if self.trainer is not None and self.options.trainer is not None:
            self.trainer.repair(conversation, self.student)
        if self.target is not None:
            role, keep = self.out_layout.response_role, self.options.keep_prompt
            render_turns(conversation, self.target, role, keep_prompt=keep)
        elif self.writer is None:
            lift_prompts(conversation, keep=self.options.keep_prompt)

    def _effects(self, trainer: Trainer, conversation: Conversation, row: Row) -> list[str]:
        """What the trainer does to the row written, by name."""
        layout = "completion" if self.writer is not None else self.out_layout.name
        if conversation.answers is None:
            return [effect.name for effect in trainer.effects(conversation, row, layout, self.student)]
        from toolconv.templates.output import texts_of_answers
        from toolconv.trainers.base import copy_of

        if self.writer is not None:
            rows = [{**row, "completion": text} for text in texts_of_answers(row)]
        else:
            copies = map(copy_of, conversations_of(conversation))
            rows = [self.options.style.apply(self.out_layout.write_one(each)) for each in copies]
        return [effect.name for effect in trainer.effects_on_each(conversation, rows, layout, self.student)]


def _trainer_of(options: Options, written: Layout) -> Trainer | None:
    """The trainer that the rows are for, which a layout may tell, too."""
    name = options.trainer or (options.to_layout is not None and written.trainer)
    if not name:
        return None
    from toolconv import trainers

    return trainers.get(name)


def _student_of(options: Options) -> Template | None:
    """The student's chat template, with the dialect that a template file writes."""
    if options.student is None:
        return None
    from toolconv.derive.files import load_template

    template = load_template(options.student)
    if options.trainer is not None:
        template.check_tokens()
    return template


def _text_writer(options: TextOptions, layout: Layout) -> TemplateOutput:
    from toolconv.derive.files import load_template
    from toolconv.templates.output import TemplateOutput

    if layout.name == "raw":
        raise UsageError("layout 'raw' is one text, but a template needs conversations")
    return TemplateOutput(options, load_template(options))


def _is_output(conversation: Conversation) -> bool:
    """Whether a conversation is nothing but what one model wrote."""
    return all(message.get("role") in ("assistant", *SYSTEM_ROLES) for message in conversation.messages)


def _add_system(conversation: Conversation, text: str) -> None:
    """Give a conversation without a system turn one."""
    messages = conversation.messages
    if not any(message.get("role") in SYSTEM_ROLES for message in messages):
        conversation.row = {**conversation.row, "messages": [{"role": "system", "content": text}, *messages]}


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
