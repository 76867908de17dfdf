"""Converts one row: line → row → conversation → row → line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Final

from toolconv import dialects, layouts
from toolconv.convert.changes import changes_of
from toolconv.convert.declared_tools import tools_of
from toolconv.convert.detect import COMPLETION, InputFormat, reader_in, reader_of
from toolconv.convert.line_reader import LineReader
from toolconv.convert.options import Options, UsageError
from toolconv.convert.receipt import MAX_PLACES, Place, Receipt
from toolconv.convert.result import Reading, Result
from toolconv.convert.row_checks import Rejected, check_read, check_written
from toolconv.convert.unread.find import find_unread, may_hold_unread
from toolconv.convert.unread.held import layout_of
from toolconv.convert.windows import Measure, Window, WrittenPiece, pieces
from toolconv.core import jsontext
from toolconv.core.answers import conversations_of, on_each_answer
from toolconv.core.conversation import Conversation, Row
from toolconv.core.errors import shortened, too_long
from toolconv.core.marks import LOSS, has_marks, spell_marks
from toolconv.dialects.base import Dialect
from toolconv.dialects.prompts.lifting import lift_prompts
from toolconv.dialects.reasoning_parsers import reasoning_of
from toolconv.dialects.turn_reader import TurnReader
from toolconv.dialects.turns import SYSTEM_ROLES, RenderError, attach_tools, parse_turns, render_turns
from toolconv.layouts.base import Layout, LayoutError
from toolconv.layouts.field_style import LAYOUT_STYLE
from toolconv.layouts.speakers import are_known, count_unknown

if TYPE_CHECKING:
    from toolconv.convert.plans.planner import Planner
    from toolconv.templates.base import Template
    from toolconv.templates.output import TemplateOutput, TextOptions
    from toolconv.trainers.base import Effect, Trainer
    from toolconv.trainers.exact import ExactWriter

STRUCTURED = ("canonical", "openai")
"""Dialects that, as a target, are a layout: rows with structured calls."""


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
        self.line_reader = LineReader(options, layout)
        self.reader = reader_of(options.source, source, infer=options.untyped == "infer")
        self.reasoning = reasoning_of(options.reasoning) if options.reasoning else None
        self.readers: dict[str, TurnReader | None] = {}
        self.strict = options.strict
        self.restyled = options.style != LAYOUT_STYLE
        self.declared = tools_of(options.declared)
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
        self.exact = _exact_writer(options, self.trainer, self.student)
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
        self.planner = self._planner()

    def _planner(self) -> Planner | None:
        """What writes plain rows by plans; ``None`` if the options need more than plans do."""
        reader = self.reader
        if reader is not None and (reader.named or reader.default) is not None:
            return None
        dialect = self.target
        if self.writer is not None:
            template = self.writer.template
            dialect = template.dialect if type(template).__module__.startswith("toolconv.") else None
        if dialect is None or self.layout.name != "openai" or self.trainer is not None:
            return None
        from toolconv.convert.plans.planner import Planner, may_plan

        return Planner(dialect, self._converted, self.options.max_line) if may_plan(self.options) else None

    def _converted(self, line: bytes) -> Result:
        """What the ordinary path makes of a line."""
        result = Result(receipt=Receipt())
        self.one("", 1, line, result)
        return result

    def lines(self, file: str, first_line: int, lines: Iterable[bytes], numbers: Iterable[int] | None = None) -> Result:
        """Convert JSON lines, numbered from ``first_line`` unless ``numbers`` are given; blank ones are skipped."""
        result = Result(receipt=Receipt(full=self.options.account))
        planner = self.planner
        if planner is not None:
            planner.begin()
        rows: list[_PendingRow] = []
        room = BATCH_BYTES
        most = 1 if self.options.on_error == "fail" else BATCH_ROWS  # no row after one that fails is converted
        for number, line in zip(count(first_line) if numbers is None else numbers, lines, strict=False):
            if line and not line.isspace():
                rows.append(_PendingRow(number, line))
                room -= len(line)
                if len(rows) == most or room <= 0:
                    self._convert(file, rows, result, planner)
                    if result.failed:
                        return result
                    rows, room = [], BATCH_BYTES
        self._convert(file, rows, result, planner)
        return result

    def one(self, file: str, number: int, line: bytes, result: Result) -> None:
        """Convert one line, or one raw text, and add the outcome to ``result``."""
        self._convert(file, [_PendingRow(number, line)], result)

    def _convert(self, file: str, rows: list[_PendingRow], result: Result, planner: Planner | None = None) -> None:
        """Convert some rows, by plans or else all of them step by step, and add the outcomes to ``result``.

        While a step repeats, the processor has its code in the cache. That saves a tenth to a third of the time.
        """
        receipt = result.receipt
        stepped = rows
        if planner is not None:
            for row in rows:
                try:
                    row.output = planner.line(file, row.number, row.line, receipt) or b""
                except Exception:  # a bug in plans must not cost rows
                    continue
            stepped = [row for row in rows if not row.output]

        def count(row: _PendingRow) -> None:
            receipt.count_written(row.canonical, row.conversation, file, row.number)

        for step in (self._read_row, self._parse_row, self._write_row, count):
            for row in stepped:
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
            if self.options.only_read:
                result.readings.append(Reading(file, row.number, row.conversation, text=row.line))
            else:
                result.output.append(row.output)

    def _read_row(self, row: _PendingRow) -> None:
        row.conversation = self.line_reader.read(row.line)

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
        if self.options.only_read:
            return
        if self.options.window is None:
            row.output = self._write(row.conversation)
        else:
            row.output = self._write_pieces(row.conversation, self.options.window)

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
        layout = self.layout if _is_read_in(conversation, self.layout) else layout_of(conversation)
        if conversation.answers is not None or may_hold_unread(conversation.row, layout):
            notes.unread = find_unread(conversation, self._reader_of(conversation))
        check_read(notes, options=self.options)

    def _parse_answer(self, conversation: Conversation) -> None:
        """Read the calls in the texts of a conversation with one answer."""
        reader = self._reader_of(conversation)
        if reader is not None and self.reasoning is not None:
            reader = reader._replace(reasoning=self.reasoning)
        declared = self.declared
        if self.options.tools_of is not None:
            declared = self.options.tools_of(conversation) or declared
        if declared:
            known = None if reader is None else reader.named or reader.default
            conversation.notes.given_tools = attach_tools(conversation, declared, known)
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
        if conversation.origin is None:
            return self.reader
        return self._reader_in(conversation.read_as or conversation.origin[0])

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
            if self.exact is not None and conversation.answers is not None:
                raise Rejected("several answers, and exact rows have one: leave out --exact, or all answers but one")
            row = self.writer.row(conversation)
        else:
            row = self.out_layout.write(conversation, self.options.style.apply if self.restyled else None)
        if self.exact is not None:
            row, effects = self.exact.row(row, conversation)
            notes.losses += self._noted(effects, conversation)
        elif self.trainer is not None:
            notes.losses += self._effects(self.trainer, conversation, row)
        check_written(notes, options=self.options)
        if self.options.account and self.writer is None:
            notes.changes = changes_of(conversation.source, row)
        if self.out_layout.name == "raw" and self.writer is None:
            text: str = row["text"]
            return text.encode("utf-8", "surrogatepass") + b"\n"
        return jsontext.dumps_line(row)

    def _write_pieces(self, conversation: Conversation, window: Window) -> bytes:
        """A conversation that fits the window, or its pieces, a line each."""
        notes = conversation.notes
        one = conversation.answers is None and conversation.text_key is None and self.out_layout.name != "raw"
        uncut = jsontext.loads(jsontext.dumps(conversation.row)) if one else {}
        measure = window.measure

        def written(piece: Conversation) -> WrittenPiece:
            line = self._write(piece)
            return WrittenPiece(piece, self._size(line, measure), line)

        whole = written(conversation)
        if whole.size <= window.size:
            return whole.line
        found = [whole]
        if one:
            found = pieces(Conversation(uncut), window.size, whole.size, measure, written)
            marks = sum(piece.conversation.notes.losses.count(LOSS) for piece in found)
            notes.losses += [LOSS] * (marks - notes.losses.count(LOSS))  # earlier turns are trained on again
        too_long = sum(piece.size > window.size for piece in found)
        if too_long and self.strict:
            raise Rejected(f"a turn, with what it answers, is longer than the window of {window.size:,}")
        notes.windows = {"cut": int(len(found) > 1), "pieces": len(found), "too_long": too_long}
        return b"".join(piece.line for piece in found)

    def _size(self, line: bytes, measure: Measure) -> int:
        """How long a written row is: its texts if it is written as text, else the line."""
        if self.writer is None:
            return measure(line.decode("utf-8", "surrogatepass").removesuffix("\n"))
        row = jsontext.loads(line)
        if self.exact is not None:
            return self.exact.size(row, measure)
        return sum(measure(row[key]) for key in ("text", "prompt", "completion") if isinstance(row.get(key), str))

    def _prepare(self, conversation: Conversation) -> None:
        """Change a conversation with one answer into what is written."""
        if self.marks is not None and has_marks(conversation.messages):
            origin = conversation.origin
            if self.trainer is not None or origin is None or origin[0] != self.out_layout.name:
                spell_marks(conversation, self.marks)
        if self.options.tools_for is not None and conversation.tools:
            from toolconv.trainers.tools_for import rewrite_tools

            rewrite_tools(conversation, self.options.tools_for)
        if self.trainer is not None and self.options.trainer is not None and self.exact is None:
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
            return self._noted(trainer.effects(conversation, row, layout, self.student), conversation)
        from toolconv.templates.output import texts_of_answers
        from toolconv.trainers.base import copy_of

        if self.writer is not None:
            rows = [{**row, "completion": text} for text in texts_of_answers(row)]
        else:
            copies = map(copy_of, conversations_of(conversation))
            rows = [self.options.style.apply(self.out_layout.write_one(each)) for each in copies]
        return self._noted(trainer.effects_on_each(conversation, rows, layout, self.student), conversation)

    @staticmethod
    def _noted(effects: Iterable[Effect], conversation: Conversation) -> list[str]:
        """The names of effects; why the trainer will not train on the row is noted."""
        names = []
        for effect in effects:
            names.append(effect.name)
            conversation.notes.reasons.append((effect.name, effect.message))
            if effect.kind == "drops":
                conversation.notes.refused.append(effect.message)
        return names


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


def _exact_writer(options: Options, trainer: Trainer | None, student: Template | None) -> ExactWriter | None:
    """What writes exact rows, if the options ask for them."""
    if not options.exact or trainer is None or trainer.exact is None or student is None:
        return None
    from toolconv.trainers.exact import Encoder, ExactWriter
    from toolconv.trainers.forms import TokenForm

    encoder = None
    if isinstance(trainer.exact, TokenForm) and options.tokenizer is not None:
        encoder = Encoder(options.tokenizer)
    return ExactWriter(trainer.exact, student, encoder)


def _text_writer(options: TextOptions, layout: Layout) -> TemplateOutput:
    from toolconv.derive.files import load_template
    from toolconv.templates.output import TemplateOutput

    if layout.name == "raw":
        raise UsageError("layout 'raw' is one text, but a template needs conversations")
    return TemplateOutput(options, load_template(options))


def _is_read_in(conversation: Conversation, layout: Layout) -> bool:
    """Whether a conversation was read in a layout."""
    return conversation.read_as is None and conversation.origin is not None and conversation.origin[0] == layout.name


def _is_output(conversation: Conversation) -> bool:
    """Whether a conversation is nothing but what one model wrote."""
    return all(message.get("role") in ("assistant", *SYSTEM_ROLES) for message in conversation.messages)


def _add_system(conversation: Conversation, text: str) -> None:
    """Give a conversation without a system turn one."""
    messages = conversation.messages
    if not any(message.get("role") in SYSTEM_ROLES for message in messages):
        conversation.row = {**conversation.row, "messages": [{"role": "system", "content": text}, *messages]}


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
