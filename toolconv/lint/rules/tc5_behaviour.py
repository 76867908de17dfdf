"""TC5xx: the mix of what the assistant does: calls, questions, refusals, answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from toolconv.lint.datasets.counting import MIN_ROWS, CountingRule, SummingRule
from toolconv.lint.model.markup import no_call_names
from toolconv.lint.model.overview import RowSignature
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import SignatureRule, rule
from toolconv.lint.texts.behaviour import Said, behaviours


@rule("TC501", "low-no-call-ratio", "warning", options={"min-no-call-ratio": 0.05})
class LowNoCallRatio(SignatureRule, SummingRule):
    """Almost every request is answered with a call.

    Anti-pattern: a dataset that contains only calls.

    Why it hurts: the model learns to call a tool for every message, even small talk.

    Best practice: include requests that are answered without a call though tools are declared (option
    ``min-no-call-ratio``, 0.05 of the requests).

    Bad: 1,000 requests, all answered with calls

    Good: 1,000 requests, 200 of them answered without a call

    A request is a user turn in a row that declares tools; the first turn of the assistant after it counts. Rows without
    tools and answers after a response don't count, and a call of ``no_function`` counts as an answer without a call.
    In benchmark rows that hold nothing but calls, so does a request without any. ``toolconv stats`` shows the whole
    mix; TC504 checks its parts.

    Source: xLAM and Hammer papers on irrelevance detection: Hammer adds 7,500 rows without a call to 60,000.
    """

    def start(self) -> None:
        self.called = self.uncalled = 0

    def count_rows(self, signature: RowSignature, line: int, rows: int) -> None:
        self.file = self.file or signature.file
        if signature.has_tools:
            self.called += rows * signature.counts.called
            self.uncalled += rows * (signature.counts.uncalled + _declines(signature))

    def messages(self) -> Iterator[str]:
        least = float(self.option("min-no-call-ratio"))
        requests = self.called + self.uncalled
        if requests >= MIN_ROWS and self.called and self.uncalled / requests < least:
            share = f"{self.uncalled:,} of {requests:,} requests ({self.uncalled / requests:.1%})"
            yield f"{share} with tools declared are answered without a call, expected {least:.0%} at least"


def _declines(signature: RowSignature) -> bool:
    """Whether a row's only request is declined by the absence of calls, in a layout that has nothing but calls."""
    counts = signature.counts
    answered = counts.plain + counts.single + counts.several
    return signature.layout is not None and "answer" in signature.layout.lacks and not answered


_SHARES: Final = {"min-ask": 0.01, "min-decline": 0.05, "min-answer": 0.0}


@rule("TC504", "no-irrelevant-request", "info", default=False, options=_SHARES)
class BehaviourMix(CountingRule):
    """Requests with tools are hardly ever answered by a question, by a refusal, or directly.

    Anti-pattern: every request fits a declared tool and names all its arguments.

    Why it hurts: the model calls the nearest tool when none fits, and makes up arguments that the user did not give.

    Best practice: include requests that lack an argument, that no declared tool can serve, and that need no tool
    (options ``min-ask``, ``min-decline``, ``min-answer``: shares of the requests; 0 turns a check off).

    Bad: every request is answered with a call

    Good: of 100 requests, 80 with a call, 8 with a question, 8 with a refusal, 4 directly

    A request is a user turn in a row that declares tools; the first turn of the assistant after it counts.

    Source: When2Call, whose training data has all four classes; Hammer and BFCL's irrelevance category.
    """

    def start(self) -> None:
        self.mix = Counter[str]()

    def count(self, row: LintRow) -> None:
        if row.index:
            turns = (
                Said(turn.role, turn.text, tuple(call.name for call in turn.calls if isinstance(call.name, str)))
                for turn in row.turns
            )
            found = behaviours(turns, has_tools=True, no_call=no_call_names(), silent=row.lacks("answer"))
            self.mix.update(behaviour for behaviour, is_first in found if is_first)

    def messages(self) -> Iterator[str]:
        requests = self.mix.total()
        if requests < MIN_ROWS:
            return
        lacking = [
            f"{self.mix[name]:,} {words} ({self.mix[name] / requests:.1%}), expected {least:.0%} at least"
            for name, words in (("ask", "ask back"), ("decline", "decline"), ("answer", "are answered directly"))
            if self.mix[name] / requests < (least := float(self.option(f"min-{name}")))
        ]
        if lacking:
            yield f"of {requests:,} requests with tools declared, {'; '.join(lacking)}"
