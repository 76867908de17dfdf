"""TC5xx: rows that repeat other rows, or rows of an evaluation set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from toolconv import layouts
from toolconv.core import jsontext
from toolconv.layouts.base import LayoutError
from toolconv.lint.digests import DIGEST_BYTES, Digests, digest_of
from toolconv.lint.duplicates import near_text, normalised, prompt_of
from toolconv.lint.model.finding import Finding, Level, Safety
from toolconv.lint.model.row import LintRow
from toolconv.lint.names import listed
from toolconv.lint.rule import ComparingRule, RowRule

PLACE_BYTES = 8


FILE_BITS = 24
"""Bits of a stored place that hold the number of its file; the others hold its line."""


def digest(value: Any) -> bytes:
    """A hash of a JSON value or text, in 16 bytes."""
    return digest_of(value if isinstance(value, bytes) else jsontext.dumps(value))


class _Digesting(ComparingRule):
    """A rule that stores the place of each row by its digest, with ``more`` extra bytes, in little memory."""

    more: ClassVar[int] = 0

    def store(self) -> Digests:
        return Digests(PLACE_BYTES + self.more)

    def place(self, row: LintRow) -> bytes:
        """A row's place, for :meth:`where`."""
        file = self.files.setdefault(row.file, len(self.files))
        return (row.line << FILE_BITS | file).to_bytes(PLACE_BYTES, "big")

    def where(self, place: bytes, here: str) -> str:
        """A place from :meth:`place`, in readable form, relative to the file ``here``."""
        number = int.from_bytes(place, "big")
        line, file = number >> FILE_BITS, list(self.files)[number & ((1 << FILE_BITS) - 1)]
        return f"line {line}" if file == here else f"{file}:{line}"


class ExactDuplicate(_Digesting):
    """A row that is identical to an earlier row, byte for byte.

    Anti-pattern: concatenated shards that overlap; retries that were all kept.

    Why it hurts: the row has double weight, and may leak from the training split to the test split.

    Best practice: keep one of them.

    Bad: lines 4 and 90 are the same

    Good: one of them

    Source: deduplication in every data pipeline.
    """

    code: ClassVar[str] = "TC508"
    name: ClassVar[str] = "exact-duplicate-row"
    level: ClassVar[Level] = "warning"
    fix: ClassVar[Safety | None] = "safe"

    def find(self, row: LintRow) -> Iterable[Finding]:
        if row.overview is None and row.row is None:
            return ()
        here = self.place(row)
        first = self.firsts.setdefault(digest_of(row.raw.strip()), here)
        if first == here:
            return ()
        message = f"the same row as {self.where(first, row.file)}, byte for byte"
        return (self.finding(row, "", message, drop_row=True),)


class NearDuplicate(_Digesting):
    """A row that differs from an earlier one only in ids, case, whitespace and digits.

    Anti-pattern: templates filled with different numbers.

    Why it hurts: it has the effect of an exact duplicate, but is harder to notice.

    Best practice: keep one of them, or vary more than the numbers.

    Bad: "Weather in Rome for 3 days?" and "weather in Rome for 4 days"

    Good: one of them

    Source: deduplication in every data pipeline.
    """

    code: ClassVar[str] = "TC509"
    name: ClassVar[str] = "near-duplicate-row"
    level: ClassVar[Level] = "info"
    default: ClassVar[bool] = False
    more: ClassVar[int] = DIGEST_BYTES

    def is_alike(self, first: Any, later: Any) -> bool:
        return bool(first[PLACE_BYTES:] == later[PLACE_BYTES:])

    def find(self, row: LintRow) -> Iterator[Finding]:
        if not row.turns:
            return
        key = digest(near_text(row.messages).encode("utf-8", "surrogatepass"))
        exact = digest(row.raw.strip())
        first = self.firsts.setdefault(key, self.place(row) + exact)
        if first[PLACE_BYTES:] != exact:
            where = self.where(first[:PLACE_BYTES], row.file)
            yield self.finding(row, "", f"nearly the same row as {where}: only ids, case, blanks or digits differ")


class EvalContamination(RowRule):
    """A row whose prompt is in the evaluation set.

    Anti-pattern: training on rows made from benchmark questions.

    Why it hurts: the evaluation measures memorisation.

    Best practice: drop the row (option ``eval``: a file, or a list of files).

    Bad: a BFCL question in the training set

    Good: no benchmark questions in the training set

    Source: contamination checks of every benchmark.
    """

    code: ClassVar[str] = "TC510"
    name: ClassVar[str] = "eval-contamination"
    level: ClassVar[Level] = "error"
    default: ClassVar[bool] = False
    options: ClassVar[dict[str, Any]] = {"eval": ()}

    def __init__(self, settings: dict[str, Any] | None = None) -> None:
        super().__init__(settings or {})
        self.prompts: dict[bytes, str] = {}
        files = self.option("eval")
        for file in [files] if isinstance(files, str) else files:
            with Path(file).open("rb") as lines:
                for number, line in enumerate(lines, 1):
                    prompt = _prompt_in(line)
                    if len(prompt) >= 16:
                        self.prompts.setdefault(digest(prompt), f"{file}:{number}")

    def check(self, row: LintRow) -> Iterator[Finding]:
        if not self.prompts:
            return
        for turn in row.turns:
            if turn.role == "user" and (where := self.prompts.get(digest(normalised(turn.text)))):
                yield self.finding(row, turn.pointer, f"the prompt is that of {where}, in the evaluation set")
                return


def _prompt_in(line: bytes) -> str:
    """The normalised prompt of a line of an evaluation set."""
    try:
        row = jsontext.loads(line)
    except ValueError:
        return ""
    layout = layouts.detect(row) if isinstance(row, dict) else None
    try:
        prompt = prompt_of(layout.read(row).messages) if layout is not None else ""
    except LayoutError:
        prompt = ""
    if not prompt and isinstance(row, dict):
        texts = (row[key] for key in ("question", "query", "prompt", "instruction") if isinstance(row.get(key), str))
        prompt = normalised(next(texts, ""))
    return prompt


class LabelConflict(_Digesting):
    """The same prompt and tools as an earlier row, but a different first call.

    Anti-pattern: several samples for one prompt, both right and wrong.

    Why it hurts: the model sees two contradictory answers and learns neither.

    Best practice: keep the correct one.

    Bad: "Weather in Rome?" calls ``get_weather`` in one row, ``search`` in another

    Good: ``get_weather`` in both

    Source: label noise is a general machine learning problem.
    """

    code: ClassVar[str] = "TC511"
    name: ClassVar[str] = "same-prompt-different-call"
    level: ClassVar[Level] = "warning"
    default: ClassVar[bool] = False
    more: ClassVar[int] = DIGEST_BYTES

    def is_alike(self, first: Any, later: Any) -> bool:
        return bool(first[PLACE_BYTES:] == later[PLACE_BYTES:])

    def find(self, row: LintRow) -> Iterator[Finding]:
        before = []
        for turn in row.turns:
            if turn.role == "assistant":
                break
            before.append([turn.role, normalised(turn.text)])
        else:
            return
        if not any(role == "user" and text for role, text in before):
            return
        calls = [[call.name, call.arguments] for call in turn.calls]
        key = digest([before, sorted(row.index.functions)])
        mine = digest(calls)
        first = self.firsts.setdefault(key, self.place(row) + mine)
        if first[PLACE_BYTES:] != mine:
            what = listed(call.name for call in turn.calls) if turn.calls else "nothing"
            where = self.where(first[:PLACE_BYTES], row.file)
            message = f"the prompt and tools of {where}, but it calls {what} instead"
            yield self.finding(row, turn.pointer, message)
