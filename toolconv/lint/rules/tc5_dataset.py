"""TC5xx: properties of the dataset as a whole. The rules keep counters and hashes, never rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar, Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.tokenizer import counter
from toolconv.lint.datasets.counting import MIN_ROWS, MIN_TURNS, CountingRule, SummingRule
from toolconv.lint.engine.config import ConfigError
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.overview import RowSignature
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import text_of
from toolconv.lint.rule import RowRule, SignatureRule, rule
from toolconv.lint.target import TargetRule, written

_ERROR = lazy_re(
    r"\b(?:error|errors|exception|failed|failure|invalid|not found|denied|timed? ?out|unavailable|traceback|bad request"
    r"|unauthorized|forbidden)\b|\"?success\"?\s*:\s*false|\b[45]\d\d\b|错误|失败|エラー",
    re.IGNORECASE,
)


@rule("TC502", "no-parallel-calls", "warning")
class NoParallelCalls(SignatureRule, SummingRule):
    """No turn has two or more calls.

    Anti-pattern: datasets generated one call at a time.

    Why it hurts: the model learns to make one call per turn and needs more turns.

    Best practice: include turns with parallel calls if the requests allow it.

    Bad: 1,000 turns with one call each

    Good: 1,000 turns with calls, 150 of them with two or more

    Source: BFCL's parallel categories.
    """

    def start(self) -> None:
        self.single = self.several = 0

    def count_rows(self, signature: RowSignature, line: int, rows: int) -> None:
        self.file = self.file or signature.file
        self.single += rows * signature.counts.single
        self.several += rows * signature.counts.several

    def messages(self) -> Iterator[str]:
        if not self.several and self.single >= MIN_TURNS:
            yield f"none of {self.single:,} turns with calls has two or more: nothing teaches parallel calls"


@rule("TC503", "no-multi-turn", "info", default=False)
class NoMultiTurn(CountingRule):
    """No row has two user turns.

    Anti-pattern: datasets of single requests.

    Why it hurts: the model learns to ignore earlier turns when it makes calls.

    Best practice: include rows with follow-up requests.

    Bad: user, assistant

    Good: user, assistant, user, assistant

    Source: BFCL's multi-turn categories, tau-bench.
    """

    each_answer: ClassVar[bool] = False

    def start(self) -> None:
        self.rows = self.multi = 0

    def count(self, row: LintRow) -> None:
        self.rows += 1
        self.multi += sum(turn.role == "user" for turn in row.turns) > 1

    def messages(self) -> Iterator[str]:
        if not self.multi and self.rows >= MIN_ROWS:
            yield f"none of {self.rows:,} rows has two user turns"


@rule("TC505", "no-error-recovery", "info", default=False)
class NoErrorRecovery(CountingRule):
    """No tool response reports an error.

    Anti-pattern: simulated tools that always succeed.

    Why it hurts: the model treats an error as a result, or repeats the call forever.

    Best practice: include failed responses and suitable reactions to them.

    Bad: 1,000 responses, all successful

    Good: 1,000 responses, 50 of them errors

    Source: tau-bench, ToolBench.
    """

    def start(self) -> None:
        self.responses = self.errors = 0

    def count(self, row: LintRow) -> None:
        for turn in row.turns:
            for response in turn.responses:
                self.responses += 1
                if not self.errors and _ERROR.search(text_of(response.content)[:2000]):
                    self.errors += 1

    def messages(self) -> Iterator[str]:
        if not self.errors and self.responses >= MIN_ROWS:
            yield f"none of {self.responses:,} tool responses reports an error"


_LIMITS: Final = {**TargetRule.options, "max-chars": 0, "max-tokens": 0, "tokenizer": ""}


@rule("TC514", "row-too-long", "warning", options=_LIMITS, needs=("max-chars", "max-tokens"))
class RowTooLong(TargetRule, RowRule):
    """A row longer than the training context.

    Anti-pattern: long tool responses kept in full.

    Why it hurts: trainers truncate the row and lose the answer, or silently drop it.

    Best practice: shorten responses (options ``max-chars``, or ``max-tokens`` with ``tokenizer``, a ``tokenizer.json``;
    the rule does nothing without them). With the option ``target``, the length of the template's text counts.

    Bad: a row of 400,000 characters for a context of 8,192 tokens

    Good: rows that fit

    Source: TRL's ``max_length``, axolotl's ``sequence_len``.
    """

    def __init__(self, settings: dict[str, Any] | None = None) -> None:
        super().__init__(settings)
        self.most = {"characters": int(self.option("max-chars")), "tokens": int(self.option("max-tokens"))}
        if self.most["tokens"] and not self.option("tokenizer"):
            raise ConfigError("max-tokens counts tokens: name a tokenizer.json as tokenizer, too")
        self._tokens = counter(str(self.option("tokenizer"))) if self.most["tokens"] else len

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.row is None or not any(self.most.values()):
            return
        found = written(row, self.template) if self.template is not None else None
        text = found.text if found is not None else row.raw.decode("utf-8", "replace")
        for unit, count in (("characters", len), ("tokens", self._tokens)):
            most = self.most[unit]
            if most and (length := count(text)) > most:
                yield self.finding(row, "", f"{length:,} {unit}, expected {most:,} at most")
