"""TC6xx: what a trainer does with the rows, for ``--trainer``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from toolconv.core.conversation import Conversation
from toolconv.lint.model.finding import Finding, Level
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import DatasetRule, RowRule, rule
from toolconv.lint.target import template_of

if TYPE_CHECKING:
    from toolconv.trainers.base import Effect, EffectKind, Trainer


class TrainerRule(RowRule):
    """A rule that depends on the trainer of the dataset; without the option ``trainer`` it does nothing."""

    level: ClassVar[Level] = "warning"
    default: ClassVar[bool] = False
    options: ClassVar[dict[str, Any]] = {"trainer": "", "target": ""}
    needs: ClassVar[tuple[str, ...]] = ("trainer",)
    kind: ClassVar[EffectKind]

    def __init__(self, settings: dict[str, Any] | None = None) -> None:
        super().__init__(settings)
        name = str(self.option("trainer"))
        self.trainer = _trainer(name) if name else None
        self.target = str(self.option("target"))
        self.template = template_of(self.target) if name else None

    def check(self, row: LintRow) -> Iterator[Finding]:
        for effect in self.effects(row):
            if effect.kind == self.kind:
                pointer = "" if effect.index is None else row.message_pointer(effect.index)
                yield self.finding(row, pointer, effect.message)

    def effects(self, row: LintRow) -> list[Effect]:
        """The effects of the trainer on a row, found once for all rules."""
        from toolconv.lint import converted

        trainer = self.trainer
        if trainer is None or row.conversation is None or row.read_as is None or row.row is None:
            return []
        if row.read_as.name not in trainer.reads and row.first is not None:
            return []  # the row is converted with all its answers
        if "effects" not in row.memo:
            if row.read_as.name in trainer.reads:
                row.memo["effects"] = self._of_own(trainer, row.conversation, row.read_as.name, row)
            else:
                row.memo["effects"] = converted.effects(row, trainer, self.target)
        effects: list[Effect] = row.memo["effects"]
        return effects

    def _of_own(self, trainer: Trainer, conversation: Conversation, layout: str, row: LintRow) -> list[Effect]:
        """The effects on a row, with one of its answers, in a layout that the trainer reads."""
        unread = [*trainer.unread_answers(conversation)]
        first = row if row.first is None else row.first
        if first.conversation is not None and conversation.answers is not first.conversation.answers:
            conversation = replace(conversation, answers=first.conversation.answers)
        came = conversation.origin[1] if conversation.origin else row.row or {}  # the row with this answer
        return [*trainer.effects(conversation, came, layout, self.template), *unread]


def _trainer(name: str) -> Trainer:
    from toolconv import trainers

    return trainers.get(name)


@rule("TC601", "not-for-trainer", "info", default=False, options={"trainer": ""}, needs=("trainer",))
class NotForTrainer(DatasetRule):
    """Rows in a layout that the trainer doesn't read: then the other findings are about the converted rows.

    Anti-pattern: rows of one trainer in another.

    Why it hurts: the trainer raises an error, or trains on empty texts.

    Best practice: convert them with ``toolconv convert --trainer NAME`` (option ``trainer``, ``--trainer``; the rule
    does nothing without it). TC602 to TC604 check what that would write.

    Bad: ``{"conversations": [{"from": "human", "value": "Hi"}]}``, for TRL

    Good: ``{"messages": [{"role": "user", "content": "Hi"}]}``

    Source: ``toolconv trainers NAME``.
    """

    each_answer: ClassVar[bool] = False

    def __init__(self, settings: dict[str, Any] | None = None) -> None:
        super().__init__(settings)
        name = str(self.option("trainer"))
        trainer = _trainer(name) if name else None  # not kept: rules go from process to process
        self.trainer = "" if trainer is None else trainer.name
        self.reads = () if trainer is None else trainer.reads

    def start(self) -> None:
        self.unread: dict[str, tuple[str, int, int]] = {}
        """By layout, the file and the line of the first row, and the number of rows."""

    def observe(self, row: LintRow) -> None:
        if self.trainer and row.read_as is not None and row.read_as.name not in self.reads:
            self._count(row.read_as.name, row.file, row.line, 1)

    def _count(self, layout: str, file: str, line: int, rows: int) -> None:
        first, at, before = self.unread.get(layout, (file, line, 0))
        self.unread[layout] = (first, at, before + rows)

    def finish(self) -> Iterator[Finding]:
        name = self.trainer
        for layout, (file, line, rows) in self.unread.items():
            many = "1 row has" if rows == 1 else f"{rows:,} rows have"
            message = (
                f"{many} the layout {layout}, which {name} doesn't read: other findings of TC6 are about what "
                f"toolconv convert --trainer {name} writes"
            )
            yield self.finding_in(file, message, line)

    def merge(self, later: Self) -> None:
        for layout, (file, line, rows) in later.unread.items():
            self._count(layout, file, line, rows)


@rule("TC602", "dropped-by-trainer", "error")
class DroppedByTrainer(TrainerRule):
    """A row that the trainer skips or refuses.

    Anti-pattern: rows that end with a tool's result, for LLaMA-Factory.

    Why it hurts: the row is skipped with a line in a log, or the run or the upload stops.

    Best practice: let ``toolconv convert --trainer NAME`` repair what can be repaired, and drop the rest (option
    ``trainer``, ``--trainer``; the rule does nothing without it).

    Bad: a user's turn right after ``observation``, for LLaMA-Factory

    Good: the assistant's answer after ``observation``

    Source: ``toolconv trainers NAME``.
    """

    kind: ClassVar[EffectKind] = "drops"


@rule("TC603", "lost-in-trainer", "warning")
class LostInTrainer(TrainerRule):
    """A part of a row that the trainer leaves out.

    Anti-pattern: arguments that are null, for axolotl.

    Why it hurts: the training text silently lacks part of the data.

    Best practice: write the rows with ``toolconv convert --trainer NAME`` (option ``trainer``, ``--trainer``; the rule
    does nothing without it).

    Bad: ``"arguments": {"limit": null}``, for axolotl

    Good: ``"arguments": "{\\"limit\\": null}"``

    Source: ``toolconv trainers NAME``.
    """

    kind: ClassVar[EffectKind] = "loses"


@rule("TC604", "altered-by-trainer", "warning")
class AlteredByTrainer(TrainerRule):
    """A part of a row that reaches the model as something else.

    Anti-pattern: 1e-12 as an argument, for TRL.

    Why it hurts: the model learns other numbers, JSON text in JSON text, or a token twice.

    Best practice: write the rows with ``toolconv convert --trainer NAME``; where numbers matter, as texts with
    ``--template`` (option ``trainer``, ``--trainer``; the rule does nothing without it).

    Bad: ``"arguments": {"tolerance": 1e-12}``, for TRL

    Good: ``"arguments": "{\\"tolerance\\": 1e-12}"``, for axolotl

    Source: ``toolconv trainers NAME``.
    """

    kind: ClassVar[EffectKind] = "alters"
