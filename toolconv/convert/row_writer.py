"""Writes a conversation as a line: in a layout, with its calls in a dialect, or as a template's text, for a trainer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolconv import dialects, layouts
from toolconv.convert.changes import changes_of
from toolconv.convert.detect import COMPLETION
from toolconv.convert.options import Options, UsageError
from toolconv.convert.row_checks import Rejected, check_written
from toolconv.core import jsontext
from toolconv.core.answers import conversations_of, on_each_answer
from toolconv.core.conversation import Conversation
from toolconv.core.marks import LOSS, MARK_KEYS, has_marks, idle_marks, spell_marks
from toolconv.core.messages import SYSTEM_ROLES, Row
from toolconv.core.notes import Reason
from toolconv.dialects.base import Dialect
from toolconv.dialects.prompts.lifting import lift_prompts
from toolconv.dialects.turns import paired_in_text, render_turns
from toolconv.layouts.answers import ANSWER_KEYS
from toolconv.layouts.base import Layout, listed
from toolconv.layouts.field_style import LAYOUT_STYLE

if TYPE_CHECKING:
    from toolconv.convert.windows import Measure, Window, WrittenPiece
    from toolconv.templates.base import ChatView, Template
    from toolconv.templates.output import TemplateOutput, TextOptions
    from toolconv.trainers.base import Effect, Trainer
    from toolconv.trainers.exact import ExactWriter

STRUCTURED: Final = ("canonical", "openai")
"""Dialects that, as a target, are a layout: rows with structured calls."""


OWN_TOOLS: Final = frozenset({"canonical", "openai", "openai-ft", "chat", "trl"})
"""The layouts whose tools have a type, and are often written without."""
TYPE_ADDED: Final = "type_added"
"""The repair of tools without their type, since chat templates write the tools unchanged."""
ANSWER_COLUMNS: Final = ("prompt", "messages", "conversations", *sorted(ANSWER_KEYS))
"""The keys of turns in a row with several answers."""


class RowWriter:
    """Writes the conversations of one input.

    Args:
        options: how to write them.
        layout: the input's layout.
        source: the dialect of its texts, which calls are written in again if they are in texts; ``None`` for none.

    Raises:
        UsageError: the options don't fit the layout.
    """

    def __init__(self, options: Options, layout: Layout, source: Dialect | None) -> None:
        self.options = options
        self.restyled = options.style != LAYOUT_STYLE
        target = dialects.get(options.target) if options.target else None
        name = options.to_layout
        if name is None and target is not None:
            structured = target.name in STRUCTURED
            name = target.name if structured else layout.name if layout.name in ("raw", COMPLETION) else "chat"
        self.layout = layout if name == layout.name else layouts.get(name or "canonical")
        if not self.layout.writable:
            raise UsageError(f"layout {self.layout.name!r} can't be written: choose another with --to-layout")
        if options.system is not None and self.layout.name == "raw":
            raise UsageError("--system needs rows to write: one raw text has no system turn; give --to-layout")
        self.trainer = _trainer_of(options, self.layout)
        if self.trainer is not None and self.trainer.answers is not None:
            self.layout = self.layout.with_answers(self.trainer.answers)
        self.student = _student_of(options)
        self.exact = _exact_writer(options, self.trainer, self.student)
        self.marks = self.layout.mark_style if options.text is None else None
        if self.trainer is not None and self.trainer.marks is not None and options.text is None:
            self.marks = self.trainer.marks
        self.template: TemplateOutput | None = None
        self.dialect: Dialect | None = None
        if options.text is not None:
            self.template = _template_output(options.text, layout)
        elif self.layout.calls_in_text:
            self.dialect = target or (dialects.get(self.layout.dialect) if self.layout.dialect else source)
            if self.dialect is None:
                raise UsageError(f"layout {self.layout.name!r} has calls in texts: give their dialect with --to")
        elif target is not None and target.name not in STRUCTURED:
            raise UsageError(
                f"layout {self.layout.name!r} has structured calls, which have no dialect: "
                f"leave out --to {options.target}, or choose --to-layout chat"
            )

    def views(self, conversations: Sequence[Conversation]) -> list[ChatView | Exception | None]:
        """What :meth:`write` takes with each of some conversations, which are written next.

        A template prepares them where nothing else is done to a conversation before.
        """
        options = self.options
        if self.template is None or self.trainer or options.tools_for or options.window:
            return [None] * len(conversations)
        return self.template.views(conversations)

    def write(self, conversation: Conversation, view: ChatView | Exception | None = None) -> bytes:
        """The line of a conversation, or the lines of its pieces, if a window cuts it.

        Raises:
            Rejected: it is not to be written.
            LayoutError, RenderError: it can't be.
        """
        if self.options.window is None:
            return self._line(conversation, view)
        return self._pieces(conversation, self.options.window)

    def _line(self, conversation: Conversation, view: ChatView | Exception | None = None) -> bytes:
        """The line of a whole conversation."""
        notes = conversation.notes
        if conversation.text_key is not None and self.layout.name not in ("raw", COMPLETION):
            for each in conversations_of(conversation):
                each.text_key = None  # it is a conversation now, whose tools are declared in its system turn
        idle = 0
        if conversation.answers is None:
            if self._loses_prompt(conversation):
                _mark_prompt(conversation)
            self._prepare(conversation)
        else:
            if self.marks is not None:
                idle = idle_marks(conversation.messages[: conversation.answers.shared], self.marks)
            on_each_answer(conversation, self._prepare)
        if self.template is not None:
            if conversation.origin is not None and conversation.origin[0] == COMPLETION and _is_output(conversation):
                raise Rejected("no prompt, and a template needs a conversation; --prompt-key names the prompt's key")
            if self.exact is not None and conversation.answers is not None:
                raise Rejected("several answers, and exact rows have one: leave out --exact, or all answers but one")
            row = self.template.row(conversation, view)
        else:
            row = self._written(conversation)
            if "other_answers" not in notes.losses:
                for _ in range(idle):
                    notes.losses.remove(LOSS)
        line: bytes | None = None
        if self.exact is not None:
            row, effects = self.exact.row(row, conversation)
            notes.losses += self._noted(effects, conversation)
        elif self.trainer is not None:
            notes.losses += self._effects(self.trainer, conversation, row)
        elif self.template is not None:
            line = jsontext.dumps_line(row)
            if jsontext.HALF in line and jsontext.holds_half_character(row):
                notes.losses.append("half_character")
        if self.template is not None or self.trainer is not None:
            notes.repairs += [TYPE_ADDED] * _untyped(conversation)
        check_written(notes, options=self.options)
        if self.options.account and self.template is None:
            notes.changes = changes_of(conversation.source, row)
        if self.layout.name == "raw" and self.template is None:
            text: str = row["text"]
            return text.encode("utf-8", "surrogatepass") + b"\n"
        return jsontext.dumps_line(row) if line is None else line

    def _written(self, conversation: Conversation) -> Row:
        """The row of a conversation in the layout, whose turns are a list, though they may have come as JSON text."""
        columns = [field.pointer[1:] for field in conversation.fields if field.pieces is not None]
        apply = self.options.style.apply
        untyped = self.trainer is not None and _untyped(conversation)

        def finish(row: Row) -> Row:
            row = _with_lists(row, columns)
            if untyped and row.get("tools") == conversation.source["tools"]:
                row = {**row, "tools": conversation.tools}  # in a row of the same layout they are unchanged
            return apply(row) if self.restyled else row

        row = self.layout.write(conversation, finish)
        return row if conversation.answers is None else _with_lists(row, ANSWER_COLUMNS)

    def _pieces(self, conversation: Conversation, window: Window) -> bytes:
        """A conversation that fits the window, or its pieces, a line each."""
        from toolconv.convert.windows import WrittenPiece, pieces

        notes = conversation.notes
        one = conversation.answers is None and conversation.text_key is None and self.layout.name != "raw"
        uncut = jsontext.loads(jsontext.dumps(conversation.row)) if one else {}
        measure = window.measure

        def written(piece: Conversation) -> WrittenPiece:
            line = self._line(piece)
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
        if too_long and self.options.strict:
            raise Rejected(f"a turn, with what it answers, is longer than the window of {window.size:,}")
        notes.windows = {"cut": int(len(found) > 1), "pieces": len(found), "too_long": too_long}
        return b"".join(piece.line for piece in found)

    def _size(self, line: bytes, measure: Measure) -> int:
        """How long a written row is: its texts if it is written as text, else the line."""
        if self.template is None:
            return measure(line.decode("utf-8", "surrogatepass").removesuffix("\n"))
        row = jsontext.loads(line)
        if self.exact is not None:
            return self.exact.size(row, measure)
        return sum(measure(row[key]) for key in ("text", "prompt", "completion") if isinstance(row.get(key), str))

    def _loses_prompt(self, conversation: Conversation) -> bool:
        """Whether the row holds its prompt apart from the answer, and what is written does not."""
        if len(conversation.fields) < 2 or not layouts.get(conversation.read_in).prompt_apart:
            return False
        return self.template is not None or not self.layout.keeps_prompt(conversation)

    def _prepare(self, conversation: Conversation) -> None:
        """Change a conversation with one answer into what is written."""
        if self.marks is not None and has_marks(conversation.messages):
            came = conversation.origin is not None and conversation.origin[0] == self.layout.name
            own = self.marks.keys or MARK_KEYS  # those that the row came with stay, where the layout has none
            if self.trainer is not None or not came or has_marks(conversation.messages, own):
                marked = spell_marks(conversation.messages, self.marks, conversation.notes.losses)
                conversation.row = {**conversation.row, "messages": marked}
        if self.options.tools_for is not None and conversation.tools:
            from toolconv.trainers.tools_for import rewrite_tools

            rewrite_tools(conversation, self.options.tools_for)
        if self.student is not None and self.template is None:  # the trainer's text has no ids, though its rows may
            paired = paired_in_text(conversation.messages, self.student.dialect, conversation.notes)
            conversation.row = {**conversation.row, "messages": paired}
        if self.dialect is None and self.template is None:  # before a trainer's repair writes the student's own prompt
            lift_prompts(conversation, keep=self.options.keep_prompt)
        if self.trainer is not None and self.options.trainer is not None:
            self.trainer.repair(conversation, self.student, exact=self.exact is not None)
        if self.dialect is not None:
            role, keep = self.layout.response_role, self.options.keep_prompt
            render_turns(conversation, self.dialect, role, keep_prompt=keep)

    def _effects(self, trainer: Trainer, conversation: Conversation, row: Row) -> list[str]:
        """What the trainer does to the row written, by name."""
        layout = "completion" if self.template is not None else self.layout.name
        if conversation.answers is None or "other_answers" in conversation.notes.losses:
            written = conversation if conversation.answers is None else replace(conversation, answers=None)
            return self._noted(trainer.effects(written, row, layout, self.student), conversation)
        from toolconv.templates.output import texts_of_answers
        from toolconv.trainers.base import copy_of

        if self.template is not None:
            rows = [{**row, "completion": text} for text in texts_of_answers(row)]
        else:
            copies = map(copy_of, conversations_of(conversation))
            rows = [self.options.style.apply(self.layout.write_one(each)) for each in copies]
        return self._noted(trainer.effects_on_each(conversation, rows, layout, self.student), conversation)

    @staticmethod
    def _noted(effects: Iterable[Effect], conversation: Conversation) -> list[str]:
        """The names of effects; why the trainer will not train on the row is noted."""
        names = []
        for effect in effects:
            names.append(effect.name)
            conversation.notes.reasons.append(Reason(effect.name, effect.message, effect.index))
            if effect.kind == "drops":
                conversation.notes.refused.append(effect.message)
        return names


def _mark_prompt(conversation: Conversation) -> None:
    """Mark the assistant's turns in a prompt, since trainers compute the loss on the answer alone."""
    from toolconv.layouts.formats.trl import answer_start

    trained, messages = layouts.get(conversation.read_in).trained, list(conversation.messages)
    pointers = (field.pointer for field in conversation.fields for _ in range(field.size))
    learned = {at for at, pointer in enumerate(pointers) if pointer in trained}
    for at, message in enumerate(messages[: answer_start(conversation)]):
        if message.get("role") == "assistant" and MARK_KEYS.isdisjoint(message) and at not in learned:
            messages[at] = {**message, "weight": 0}
    conversation.row = {**conversation.row, "messages": messages}


def _untyped(conversation: Conversation) -> int:
    """How many tools came without their type, and have one now."""
    if conversation.origin is None or conversation.origin[0] not in OWN_TOOLS:
        return 0
    came, now = conversation.source.get("tools"), conversation.tools
    if not isinstance(came, list) or len(came) != len(now):
        return 0
    return sum(
        isinstance(one, dict) and "type" not in one and isinstance(other, dict) and "type" in other
        for one, other in zip(came, now, strict=True)
    )


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


def _template_output(options: TextOptions, layout: Layout) -> TemplateOutput:
    """What writes texts, in the template that the options name."""
    from toolconv.derive.files import load_template
    from toolconv.templates.output import TemplateOutput

    if layout.name == "raw":
        raise UsageError("layout 'raw' is one text, but a template needs conversations")
    return TemplateOutput(options, load_template(options))


def _with_lists(row: Row, columns: Iterable[str]) -> Row:
    """A row whose turns are lists, where they are JSON text."""
    for column in columns:
        if type(text := row.get(column)) is not str:
            continue
        turns = jsontext.opened(text)
        if listed(turns) is not None and all("role" in turn or "from" in turn for turn in turns):
            row = {**row, column: turns}
    return row


def _is_output(conversation: Conversation) -> bool:
    """Whether a conversation is nothing but what one model wrote."""
    return all(message.get("role") in ("assistant", *SYSTEM_ROLES) for message in conversation.messages)
