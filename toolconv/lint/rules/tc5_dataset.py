"""TC5xx: properties of the dataset as a whole. The rules keep counters and hashes, never rows."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Self

from toolconv import layouts
from toolconv.core import jsontext
from toolconv.layouts.base import LayoutError
from toolconv.lint.config import ConfigError
from toolconv.lint.digests import DIGEST_BYTES, Digests, digest_of
from toolconv.lint.duplicates import near_text, normalised, prompt_of
from toolconv.lint.model.finding import Finding, Level, Safety
from toolconv.lint.model.overview import RowSignature
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import text_of
from toolconv.lint.names import listed, shown
from toolconv.lint.rule import ComparingRule, DatasetRule, RowRule, SignatureRule
from toolconv.lint.target import TargetRule, written
from toolconv.lint.tokens import counter

MIN_TURNS = 50
"""With fewer assistant turns or calls, nothing can be concluded about a dataset."""

MIN_ROWS = 20

PLACE_BYTES = 8
FILE_BITS = 24
"""Bits of a stored place that hold the number of its file; the others hold its line."""

_ERROR = re.compile(
    r"\b(?:error|errors|exception|failed|failure|invalid|not found|denied|timed? ?out|unavailable|traceback|bad request"
    r"|unauthorized|forbidden)\b|\"?success\"?\s*:\s*false|\b[45]\d\d\b|错误|失败|エラー",
    re.IGNORECASE,
)


def digest(value: Any) -> bytes:
    """A hash of a JSON value or text, in 16 bytes."""
    return digest_of(value if isinstance(value, bytes) else jsontext.dumps(value))


class _Summing(DatasetRule):
    """A rule that counts over the whole dataset and reports at the first file."""

    file: str = ""

    def merge(self, later: Self) -> None:
        self.file = self.file or later.file
        for name, theirs in vars(later).items():
            mine = getattr(self, name)
            if isinstance(mine, Counter | set):
                mine.update(theirs)
            elif isinstance(mine, int):
                setattr(self, name, mine + theirs)

    def finish(self) -> Iterator[Finding]:
        for message in self.messages():
            yield self.finding_in(self.file, message)

    @abstractmethod
    def messages(self) -> Iterator[str]:
        """The problems, if there are any."""


class _Counting(_Summing):
    """A rule that counts in each row."""

    def observe(self, row: LintRow) -> None:
        if not self.file:
            self.file = row.file
        if row.counts.turns:
            self.count(row)

    @abstractmethod
    def count(self, row: LintRow) -> None:
        """Count a readable row."""


class LowNoCallRatio(SignatureRule, _Summing):
    """Almost every assistant turn contains a call.

    Anti-pattern: a dataset that contains only calls.

    Why it hurts: the model learns to call a tool for every message, even small talk.

    Best practice: include plain answers with tools declared (option ``min-no-call-ratio``, 0.05).

    Bad: 1,000 assistant turns, all with calls

    Good: 1,000 assistant turns, 200 of them without a call

    Source: xLAM and Hammer papers on irrelevance detection.
    """

    code: ClassVar[str] = "TC501"
    name: ClassVar[str] = "low-no-call-ratio"
    level: ClassVar[Level] = "warning"
    options: ClassVar[dict[str, Any]] = {"min-no-call-ratio": 0.05}

    def start(self) -> None:
        self.turns = self.plain = 0

    def count_rows(self, signature: RowSignature, line: int, rows: int) -> None:
        self.file = self.file or signature.file
        counts = signature.counts
        self.turns += rows * (counts.plain + counts.single + counts.several)
        self.plain += rows * counts.plain

    def messages(self) -> Iterator[str]:
        least = float(self.option("min-no-call-ratio"))
        if self.turns >= MIN_ROWS and self.plain < self.turns and self.plain / self.turns < least:
            share = f"{self.plain:,} of {self.turns:,} assistant turns ({self.plain / self.turns:.1%})"
            yield f"{share} answer without a call, expected {least:.0%} at least"


class NoParallelCalls(SignatureRule, _Summing):
    """No turn has two or more calls.

    Anti-pattern: datasets generated one call at a time.

    Why it hurts: the model learns to make one call per turn and needs more turns.

    Best practice: include turns with parallel calls if the requests allow it.

    Bad: 1,000 turns with one call each

    Good: 1,000 turns with calls, 150 of them with two or more

    Source: BFCL's parallel categories.
    """

    code: ClassVar[str] = "TC502"
    name: ClassVar[str] = "no-parallel-calls"
    level: ClassVar[Level] = "warning"

    def start(self) -> None:
        self.single = self.several = 0

    def count_rows(self, signature: RowSignature, line: int, rows: int) -> None:
        self.file = self.file or signature.file
        self.single += rows * signature.counts.single
        self.several += rows * signature.counts.several

    def messages(self) -> Iterator[str]:
        if not self.several and self.single >= MIN_TURNS:
            yield f"none of {self.single:,} turns with calls has two or more: nothing teaches parallel calls"


class NoMultiTurn(_Counting):
    """No row has two user turns.

    Anti-pattern: datasets of single requests.

    Why it hurts: the model learns to ignore earlier turns when it makes calls.

    Best practice: include rows with follow-up requests.

    Bad: user, assistant

    Good: user, assistant, user, assistant

    Source: BFCL's multi-turn categories, tau-bench.
    """

    code: ClassVar[str] = "TC503"
    name: ClassVar[str] = "no-multi-turn"
    level: ClassVar[Level] = "info"
    default: ClassVar[bool] = False

    def start(self) -> None:
        self.rows = self.multi = 0

    def count(self, row: LintRow) -> None:
        self.rows += 1
        self.multi += sum(turn.role == "user" for turn in row.turns) > 1

    def messages(self) -> Iterator[str]:
        if not self.multi and self.rows >= MIN_ROWS:
            yield f"none of {self.rows:,} rows has two user turns"


class NoIrrelevantRequest(_Counting):
    """Every row that declares tools calls one of them.

    Anti-pattern: every request fits a declared tool.

    Why it hurts: the model calls the nearest tool when none fits.

    Best practice: include requests that no declared tool can serve, answered without a call.

    Bad: every row with tools has a call

    Good: some rows with tools end without one

    Source: BFCL's irrelevance category; Hammer.
    """

    code: ClassVar[str] = "TC504"
    name: ClassVar[str] = "no-irrelevant-request"
    level: ClassVar[Level] = "info"
    default: ClassVar[bool] = False

    def start(self) -> None:
        self.rows = self.unused = 0

    def count(self, row: LintRow) -> None:
        if row.index:
            self.rows += 1
            self.unused += not row.calls

    def messages(self) -> Iterator[str]:
        if not self.unused and self.rows >= MIN_ROWS:
            yield f"each of {self.rows:,} rows with tools uses one"


class NoErrorRecovery(_Counting):
    """No tool response reports an error.

    Anti-pattern: simulated tools that always succeed.

    Why it hurts: the model treats an error as a result, or repeats the call forever.

    Best practice: include failed responses and suitable reactions to them.

    Bad: 1,000 responses, all successful

    Good: 1,000 responses, 50 of them errors

    Source: tau-bench, ToolBench.
    """

    code: ClassVar[str] = "TC505"
    name: ClassVar[str] = "no-error-recovery"
    level: ClassVar[Level] = "info"
    default: ClassVar[bool] = False

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


class ToolSkew(_Counting):
    """One tool receives most calls.

    Anti-pattern: a search tool in every row.

    Why it hurts: the model learns to call that tool instead of choosing.

    Best practice: spread calls over the tools (option ``max-share``, 0.5).

    Bad: 900 of 1,000 calls are to ``search``

    Good: no tool has more than half of the calls

    Source: class imbalance is a general machine learning problem.
    """

    code: ClassVar[str] = "TC506"
    name: ClassVar[str] = "tool-frequency-skew"
    level: ClassVar[Level] = "info"
    default: ClassVar[bool] = False
    options: ClassVar[dict[str, Any]] = {"max-share": 0.5}

    def start(self) -> None:
        self.calls = Counter[str]()
        self.declared: set[str] = set()

    def count(self, row: LintRow) -> None:
        self.calls.update(call.name for call in row.calls if isinstance(call.name, str))
        if len(self.declared) < 3:
            self.declared.update(row.index.functions)

    def messages(self) -> Iterator[str]:
        total = self.calls.total()
        if total >= MIN_TURNS and max(len(self.declared), len(self.calls)) > 2:
            name, count = self.calls.most_common(1)[0]
            if count / total > float(self.option("max-share")):
                yield f"{shown(name)} takes {count:,} of {total:,} calls ({count / total:.0%})"


class NeverCalled(_Counting):
    """A tool that is declared but never called.

    Anti-pattern: one fixed list of tools in every row, few of which are used.

    Why it hurts: the model learns never to call these tools.

    Best practice: include rows that call the tool, or remove it.

    Bad: ``delete_file`` is declared in all rows and called in none

    Good: every declared tool is called somewhere

    Source: class imbalance is a general machine learning problem.
    """

    code: ClassVar[str] = "TC507"
    name: ClassVar[str] = "never-called-tool"
    level: ClassVar[Level] = "warning"
    default: ClassVar[bool] = False

    def start(self) -> None:
        self.declared = Counter[str]()
        self.called: set[str] = set()

    def count(self, row: LintRow) -> None:
        self.declared.update(list(row.index.functions))
        self.called.update(call.name for call in row.calls if isinstance(call.name, str))

    def messages(self) -> Iterator[str]:
        never = {name: count for name, count in self.declared.items() if name not in self.called}
        if never and self.called:
            names = sorted(never, key=lambda name: (-never[name], name))
            yield f"{len(never):,} of {len(self.declared):,} declared tools are never called: {listed(names)}"


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


class FirstToolBias(_Counting):
    """The called tool is nearly always the first one declared.

    Anti-pattern: the right tool first and distractors after it.

    Why it hurts: the model learns to call the first tool.

    Best practice: shuffle the declarations (option ``max-share``, 0.9).

    Bad: 980 of 1,000 calls are to the first tool

    Good: with five tools, about one call in five is to the first

    Source: position bias in Hammer and ToolACE.
    """

    code: ClassVar[str] = "TC512"
    name: ClassVar[str] = "first-tool-bias"
    level: ClassVar[Level] = "warning"
    default: ClassVar[bool] = False
    options: ClassVar[dict[str, Any]] = {"max-share": 0.9}

    def start(self) -> None:
        self.first = self.total = 0

    def count(self, row: LintRow) -> None:
        names = list(row.index.functions) if row.calls else []
        if len(names) > 2 and row.calls[0].name in row.index:
            self.total += 1
            self.first += row.calls[0].name == names[0]

    def messages(self) -> Iterator[str]:
        if self.total >= MIN_TURNS and self.first / self.total > float(self.option("max-share")):
            yield f"the first call is of the first tool in {self.first:,} of {self.total:,} rows that declare 3 or more"


class SingleTool(_Counting):
    """Most rows declare only one tool.

    Anti-pattern: each row declares only the tool that it calls.

    Why it hurts: the model doesn't learn to choose.

    Best practice: declare distractors (option ``max-share``, 0.5).

    Bad: ``tools`` has one tool in 900 of 1,000 rows

    Good: three to ten tools per row

    Source: BFCL's multiple category.
    """

    code: ClassVar[str] = "TC513"
    name: ClassVar[str] = "single-tool-rows"
    level: ClassVar[Level] = "info"
    default: ClassVar[bool] = False
    options: ClassVar[dict[str, Any]] = {"max-share": 0.5}

    def start(self) -> None:
        self.rows = self.single = 0

    def count(self, row: LintRow) -> None:
        if row.index:
            self.rows += 1
            self.single += len(row.index.functions) == 1

    def messages(self) -> Iterator[str]:
        if self.rows >= MIN_ROWS and self.single / self.rows > float(self.option("max-share")):
            yield f"{self.single:,} of {self.rows:,} rows with tools declare one only: nothing to choose from"


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

    code: ClassVar[str] = "TC514"
    name: ClassVar[str] = "row-too-long"
    level: ClassVar[Level] = "warning"
    options: ClassVar[dict[str, Any]] = {**TargetRule.options, "max-chars": 0, "max-tokens": 0, "tokenizer": ""}

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
