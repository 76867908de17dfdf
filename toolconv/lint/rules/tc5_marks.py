"""TC5xx: training marks, which say what messages are trained on."""

from __future__ import annotations

from collections.abc import Iterator

from toolconv.core.marks import MARK_KEYS, InvalidMark, default_weight, weight_of
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import RowRule, rule


@rule("TC516", "nothing-trained", "warning", guards=("marked",))
class NothingTrained(RowRule):
    """A row whose marks leave nothing to train on.

    Anti-pattern: ``weight: 0`` on every turn of the assistant.

    Why it hurts: the row costs time and memory and teaches nothing; in a batch of such rows, the loss is not a number.

    Best practice: leave the row out, or train on one of its turns. Rows without a turn of the assistant are TC211.

    Bad: ``{"role": "assistant", "content": "No.", "weight": 0}`` as the only turn of the assistant

    Good: ``{"role": "assistant", "content": "Yes.", "weight": 1}`` after it

    Source: PyTorch documentation, CrossEntropyLoss: the mean over labels that are all ignored.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if not any(message.get("role") == "assistant" for message in row.messages):
            return
        for message in row.messages:
            try:
                weight = weight_of(message)
            except InvalidMark:
                return
            if default_weight(message) if weight is None else weight:
                return
        yield self.finding(row, "", "the marks leave no turn to train on")


@rule("TC517", "invalid-training-mark", "warning", guards=("marked",))
class InvalidTrainingMark(RowRule):
    """A training mark that is neither a flag nor a weight, or that another one of the same message contradicts.

    Anti-pattern: ``"train": "no"``; ``"weight": 1`` with ``"train": false``.

    Why it hurts: no two trainers agree on it; a text that is not empty counts as true.

    Best practice: one mark a message: ``weight`` with 0, 1 or another number from 0 up, or the key of your trainer.

    Bad: ``{"role": "assistant", "content": "No.", "loss": "false"}``

    Good: ``{"role": "assistant", "content": "No.", "loss": false}``

    Source: axolotl, prompt_strategies/chat_template.py, and ms-swift, loss_scale/base.py, take the value as it is.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for at, message in enumerate(row.messages):
            if MARK_KEYS.isdisjoint(message):
                continue
            try:
                weight_of(message)
            except InvalidMark as error:
                yield self.finding(row, row.message_pointer(at), str(error), cause="an invalid training mark")
