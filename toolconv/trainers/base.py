"""The contract of a trainer: the rows that it reads, what it does to them, and what toolconv repairs before.

A trainer is data: the layout and the spelling of fields that arrive whole, and named functions. A *check* looks at a
row in the trainer's layout and yields *effects*: what the trainer, or the upload, does to that row other than train on
all of it. A *repair* changes a conversation so that an effect does not occur; a *removal* does so at a loss, mostly by
leaving something out. ``convert --trainer`` removes, repairs, writes, and counts the effects that are left as losses;
``lint --trainer`` reports the effects of rows that the trainer reads, and of all others what converting them loses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Literal

from toolconv import layouts
from toolconv.core import jsontext
from toolconv.core.answers import conversations_of
from toolconv.core.conversation import Conversation
from toolconv.core.facts import Facts
from toolconv.core.marks import (
    DETAILS,
    MARK_KEYS,
    InvalidMark,
    MarkStyle,
    default_weight,
    has_marks,
    weight_of,
)
from toolconv.core.messages import Row
from toolconv.core.notes import Reason
from toolconv.layouts.answers import AnswersForm
from toolconv.layouts.field_style import FieldStyle
from toolconv.templates.base import Template
from toolconv.templates.originals import Part
from toolconv.trainers.forms import Form

EffectKind = Literal["drops", "loses", "alters"]

PARTS: Mapping[Part, str] = {
    "arguments": "arguments",
    "calls": "calls",
    "content_parts": "content parts",
    "prose": "words of the assistant",
    "reasoning": "reasoning",
    "results": "results",
    "system": "system texts",
    "tools": "tools, or a part of their schemas",
    "turns": "turns",
}
"""What a student's chat template leaves out or changes."""

EFFECTS: Mapping[str, tuple[EffectKind, str]] = {
    "turn_order": ("drops", "a turn follows one that it must not follow"),
    "first_turn": ("drops", "the first turn is not the user's"),
    "last_turn": ("drops", "the last turn is not the assistant's"),
    "system_turn_late": ("drops", "a system text stands after other turns"),
    "answers_unread": ("drops", "a row has several answers in a form that the trainer does not read"),
    "no_answer": ("drops", "the assistant has no turn"),
    "empty_turn": ("drops", "a turn has neither text nor calls nor results"),
    "tools_missing": ("drops", "calls or results, and no tools are declared"),
    "empty_answer": ("drops", "a turn of the assistant has neither text nor calls"),
    "prose_with_calls": ("drops", "a turn of the assistant has both text and calls"),
    "reasoning_with_calls": ("drops", "reasoning stands before a call"),
    "call_without_result": ("drops", "a call has no result right after its turn"),
    "result_without_call": ("drops", "a result answers no call of the turn before"),
    "call_not_read": ("drops", "the trainer can't read a call"),
    "tool_type": ("drops", "a tool is not a function"),
    "tool_name": ("drops", "the name of a tool has other characters, or more, than are accepted"),
    "schema_type": ("drops", "the parameters of a tool have a type that the upload doesn't know"),
    "schema_key": ("drops", "the parameters of a tool have a key, or a value, that the upload doesn't know"),
    "key_refused": ("drops", "a row, a message, a call or a tool has a key that is refused, or lacks one"),
    "value_refused": ("drops", "a value is one that the upload refuses, such as a null description"),
    "role_refused": ("drops", "a message has a role that is not accepted"),
    "content_part_refused": ("drops", "a content part is of a type that is not accepted"),
    "number_too_big": ("drops", "an integer is too big for the library that loads the file"),
    "half_character": ("drops", "half of a surrogate pair is no UTF-8: the file, or the tokenizer, fails at it"),
    "not_in_columns": ("drops", "Arrow stops at a row whose values have no one type, or at an empty object"),
    "template_refuses": ("drops", "the student's chat template raises an error"),
    "turn_rewritten": (
        "drops",
        "the student's template writes a turn otherwise when others follow, and the trainer stops",
    ),
    "row_rejected": ("drops", "a row can't be written for the trainer"),
    "nothing_trained": ("drops", "nothing in the row is trained on"),
    "null_removed": ("loses", "a key whose value is null does not arrive"),
    "reasoning_removed": ("loses", "reasoning does not arrive"),
    "answer_untrained": ("loses", "the end token of an empty answer is not trained"),
    "end_untrained": ("loses", "the end of an answer, the token that opens the next turn, is not trained"),
    "thinking_untrained": (
        "loses",
        "the last turn's opening of reasoning, which the model has to write, is not trained",
    ),
    "only_last_trained": ("loses", "only the last of several answers is trained on"),
    "tools_removed": ("loses", "declared tools do not arrive"),
    "null_added": ("alters", "arguments and tools arrive with keys of other rows, as null"),
    "calls_removed": ("loses", "calls do not arrive"),
    "number_changed": ("alters", "a number arrives as another one"),
    "encoded_twice": ("alters", "arguments arrive as JSON text in JSON text"),
    "results_apart": ("alters", "the results of parallel calls arrive as turns of their own"),
    "text_differs": ("alters", "a turn arrives with another text than the student's template writes"),
    "results_as_list": ("alters", "the results of parallel calls arrive as one JSON list"),
    "content_parts": ("alters", "content parts other than text: chat templates for text refuse them or leave them out"),
    "other_template": ("alters", "the trainer's own template isn't known to write the text of the student's"),
    "reasoning_kept": ("alters", "reasoning arrives that the student's own template leaves out"),
    "empty_thinking_added": (
        "alters",
        "an empty <think> block arrives in a turn where the student's template has none",
    ),
    "blank_line_before_tools": ("alters", "an empty line arrives before the tools where there is no system text"),
    "think_trained": ("alters", "the <think> is trained that the generation prompt already holds"),
    "tool_keys_moved": ("alters", "the keys of a tool arrive in another order"),
    "turn_token_in_text": ("alters", "a text in the data is read as a token that separates turns"),
    "tool_wrapped": ("alters", "a tool that isn't a function arrives as one"),
    "text_repeated": ("alters", "a part of an earlier turn arrives twice"),
    "prompt_trained": ("alters", "what precedes an answer is trained, too"),
    "end_added": ("alters", "an end token arrives where the student's template writes none"),
    "turns_joined": ("alters", "two texts arrive as one, with nothing between them"),
    "turn_added": ("alters", "an empty turn of the user arrives before the first turn"),
    "mask_differs": ("alters", "other text is trained than the model writes"),
    "mark_ignored": ("alters", "a training mark is not read, so that other turns are trained on"),
    "bos_twice": ("alters", "the text begins with the token that the tokenizer adds, too"),
    "end_twice": ("alters", "a second end token follows the line break after the first"),
    "end_trained": ("alters", "an end token is trained that the mask leaves out"),
    "token_parted": ("alters", "a token across the border of what is trained is parted there"),
    "text_normalized": ("alters", "the tokenizer changes the text"),
    "placeholder_in_text": ("alters", "a text in the data is read as a placeholder of the trainer's template"),
    **{
        f"template_leaves_out_{part}": ("loses", f"the student's template leaves out {what}")
        for part, what in PARTS.items()
    },
    **{
        f"template_changes_{part}": ("alters", f"the student's template writes {what} otherwise")
        for part, what in PARTS.items()
    },
}
"""The kind and the meaning of each effect. These names are counted as losses."""

AS_WRITTEN: Final = frozenset({
    "turn_order", "first_turn", "last_turn", "system_turn_late", "turn_rewritten", "result_without_call",
    "reasoning_with_calls", "call_not_read", "not_in_columns",
})  # fmt: skip
"""The effects that keep a row from arriving for how the trainer writes it; exact rows have none of them."""

ROW_KEY_REMOVED: Final = "row_key_removed"
"""The removal of keys of a row."""

REMOVALS: Mapping[str, str] = {
    "key_removed": "a key of a call or a message that the upload refuses is left out",
    "unsigned_reasoning_removed": "reasoning without the signature that the API gave it is left out",
    "tool_key_removed": "a key of a function that the upload refuses is left out",
    "header_trained": "two turns of the assistant are one, and the header between them is trained",
    "first_answer_untrained": "a first turn of the assistant is in the system text, and is not trained",
    ROW_KEY_REMOVED: "a key of a row that the trainer refuses, or reads as something else, is left out",
}
"""The meaning of each removal. These names are counted as losses."""

REFUSED: Mapping[str, tuple[str, str]] = {
    "key_removed": ("key_refused", "calls or messages have keys that are refused"),
    ROW_KEY_REMOVED: ("key_refused", "the row has keys that are refused, or read as something else"),
    "text_as_parts": ("content_part_refused", "some contents of the row are texts, and others are lists of parts"),
    "tool_key_removed": ("key_refused", "functions have keys that are refused"),
    "parameters_added": ("key_refused", "functions without parameters"),
    "description_removed": ("value_refused", "the description of a tool is empty"),
    "type_added": ("key_refused", "a call or a tool without its type"),
    "unsigned_reasoning_removed": ("key_refused", "reasoning without the signature that the API gave it"),
    "null_description_removed": ("value_refused", "the description of a tool is null"),
    "description_added": ("key_refused", "functions without a description"),
    "empty_thinking_placed": ("text_differs", "the empty <think> blocks are not those of the student's template"),
    "call_id_format": ("value_refused", "ids of calls must be nine letters and digits"),
}
"""The effect of a row for which a repair or a removal was not made, and why; the checks tell those of all others."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a trainer does to a row.

    Attributes:
        name: a key of :data:`EFFECTS`; any other name is a loss on the way to the trainer's layout.
        message: what happens and why, for users.
        index: the message in the conversation; ``None`` for the row as a whole.
    """

    name: str
    message: str
    index: int | None = None

    @property
    def kind(self) -> EffectKind:
        """The kind of the effect."""
        return EFFECTS[self.name][0] if self.name in EFFECTS else "loses"


@dataclass(repr=False, eq=False)
class TrainerRow:
    """A row as a trainer reads it.

    Attributes:
        trainer: the trainer.
        conversation: what the row means. It is not changed.
        row: the row itself.
        template: the student's chat template; ``None`` if it is not known.
    """

    trainer: Trainer
    conversation: Conversation
    row: Row
    template: Template | None = None


Check = Callable[[TrainerRow], Iterator[Effect]]
Repair = Callable[[Conversation, "Template | None"], int]
"""Changes ``conversation.row``, never the objects in it; returns how many times."""


class Trainer(Facts):
    """A trainer, or an API that takes training data.

    Attributes:
        name: its name for ``--trainer``; ``aliases`` are other names.
        layout: the layout to write; ``reads`` are all layouts that it reads.
        style: how to write nested fields so that they arrive.
        reads_text: it trains on texts that ``--template`` writes, and tokenizes them itself.
        own_models: it trains models of its own, whose chat template nobody else has: ``--template`` has no part in it.
        adds_bos: its tokenizer adds the token for the beginning to such a text.
        adds_end: it adds an end token to a text that does not end with it.
        exact: the form in which it takes a text and its mask as they are, for ``--exact``; ``None`` if it takes none.
        templates: the templates of its own that write a student's text, except for what has a name, by student.
        answers: the forms in which it reads several answers to one prompt; ``None`` if as its layout has them.
        marks: how its rows say what to train on; ``None`` if as its layout says it.
        checks: what happens to a row.
        repairs: what is changed before a row is written, by the name that is counted.
        removals: what is changed at a loss before a row is written, by the name of the loss.
        checked_with: the versions that this was checked with.
        module: the module that defines it; its docstring is its page. Set by the registry.
    """

    name: str
    layout: str
    reads: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    style: FieldStyle = field(default_factory=FieldStyle)
    reads_text: bool = False
    own_models: bool = False
    adds_bos: bool = False
    adds_end: bool = False
    exact: Form | None = None
    templates: Mapping[str, str] = field(default_factory=dict)
    answers: tuple[AnswersForm, ...] | None = None
    marks: MarkStyle | None = None
    checks: tuple[Check, ...] = ()
    repairs: Mapping[str, Repair] = field(default_factory=dict)
    removals: Mapping[str, Repair] = field(default_factory=dict)
    checked_with: str = ""
    module: str = ""

    @property
    def mark_style(self) -> MarkStyle:
        """How its rows say what to train on."""
        return self.marks or layouts.get(self.layout).mark_style

    @property
    def mark_keys(self) -> tuple[str, ...]:
        """The keys of the marks that are written for it."""
        return self.mark_style.keys

    @property
    def answer_forms(self) -> Sequence[AnswersForm]:
        """The forms in which it reads several answers to one prompt."""
        return layouts.get(self.layout).answers if self.answers is None else self.answers

    def repair(self, conversation: Conversation, template: Template | None = None, *, exact: bool = False) -> None:
        """Repair or remove what would keep a conversation from arriving, and record by name what was done.

        Of an ``exact`` row, whose text the trainer does not write, only keys are removed.
        """
        removals = {name: change for name, change in self.removals.items() if not exact or name == ROW_KEY_REMOVED}
        for changes, counted in (
            (removals, conversation.notes.losses),
            ({} if exact else self.repairs, conversation.notes.repairs),
        ):
            for name, change in changes.items():
                done = [name] * change(conversation, template)
                counted += done
                conversation.notes.reasons += [Reason(each, REMOVALS[each]) for each in done if each in REMOVALS]

    def effects(
        self, conversation: Conversation, row: Row, layout: str, template: Template | None = None
    ) -> Iterator[Effect]:
        """What happens to a row in a layout that the trainer reads.

        Args:
            conversation: what it means, with one of its answers; it has ``answers`` if they all arrive.
            row: the row.
            layout: its layout.
            template: the student's chat template.
        """
        yield from self._refused(conversation, template)
        yield from half_characters(row)
        if layout != "completion" and has_marks(conversation.messages):
            yield from self._ignored_marks(conversation)
        seen = TrainerRow(self, conversation, row, template)
        for check in self.checks:
            yield from check(seen)

    def effects_on_each(
        self, conversation: Conversation, rows: Sequence[Row], layout: str, template: Template | None
    ) -> Iterator[Effect]:
        """What happens to a row with several answers; what happens to their prompt, once.

        Args:
            conversation: what it means.
            rows: the row with each of its answers alone.
            layout: their layout.
            template: the student's chat template.
        """
        first: set[Effect] = set()
        shared = conversation.answers.shared if conversation.answers else 0
        for at, (each, row) in enumerate(zip(conversations_of(conversation), rows, strict=True)):
            if at:
                each = copy_of(each)
                each.notes, each.answers = conversation.notes, conversation.answers  # what was repaired in any answer
            for effect in self.effects(each, row, layout, template):
                if not at:
                    first.add(effect)
                    yield effect
                elif (effect.index is not None and effect.index >= shared) or effect not in first:
                    yield effect

    def unread_answers(self, conversation: Conversation) -> Iterator[Effect]:
        """Several answers in a form that the trainer does not read, though it reads the layout."""
        answers = conversation.answers
        if answers is not None and not any(form.apart(answers.row) for form in self.answer_forms):
            yield Effect("answers_unread", f"{self.name} does not read several answers in this form")

    def _ignored_marks(self, conversation: Conversation) -> Iterator[Effect]:
        """The marks that the trainer does not read where they say anything."""
        style = self.mark_style
        prompt = conversation.answers.shared if conversation.answers else 0  # of which nothing is trained
        for index, message in enumerate(conversation.messages):
            unread = MARK_KEYS.intersection(message) - {style.key, style.scale, style.details}
            if not unread:
                continue
            with suppress(InvalidMark):  # which is a finding of its own
                untrained = 0 if index < prompt else default_weight(message)
                if weight_of(message) in (None, default_weight(message), untrained) and unread.isdisjoint(DETAILS):
                    continue
                named = " and ".join(map(repr, sorted(unread)))
                yield Effect("mark_ignored", f"{self.name} doesn't read {named}, so the mark has no effect", index)

    def _refused(self, conversation: Conversation, template: Template | None) -> Iterator[Effect]:
        """The reasons why a row is refused, as far as repairs and removals would end them."""
        for name, change in {**self.repairs, **self.removals}.items():
            if name in REFUSED and change(copy_of(conversation), template):
                yield Effect(*REFUSED[name])


def copy_of(conversation: Conversation) -> Conversation:
    """A conversation that can be changed, with the same messages and tools, and notes of its own."""
    return Conversation(conversation.row, origin=conversation.origin, fields=conversation.fields)


def half_characters(row: Row) -> Iterator[Effect]:
    """A text of a row that is no UTF-8."""
    if jsontext.holds_half_character(row):
        yield Effect("half_character", "the row holds half of a surrogate pair, such as '\\ud83d': delete it")
