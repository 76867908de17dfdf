"""TC5xx: rows that repeat other rows, or rows of an evaluation set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.plural import plural
from toolconv.lint.datasets.digesting import PLACE_BYTES, DigestingRule
from toolconv.lint.datasets.digests import DIGEST_BYTES, digest_of
from toolconv.lint.datasets.duplicates import MIN_PROMPT, essential, is_long, near_text, normalised, units, varying
from toolconv.lint.datasets.ngrams import SLOTS, WORDS, bands, overlap, runs, sketch_of
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.row import LintRow
from toolconv.lint.names import listed
from toolconv.lint.rule import RowRule, rule

if TYPE_CHECKING:
    from toolconv.lint.datasets.eval_prompts import EvalPrompt

EXACT_BYTES = 8


def digest(value: Any) -> bytes:
    """A hash of a JSON value, whose keys may have any order, or of a text, in 16 bytes."""
    return digest_of(value if isinstance(value, bytes) else jsontext.dumps_sorted(value))


@rule("TC508", "exact-duplicate-row", "warning", fix="safe", drops_rows=True)
class ExactDuplicate(DigestingRule):
    """A row that is identical to an earlier row, byte for byte.

    Anti-pattern: concatenated shards that overlap; retries that were all kept.

    Why it hurts: the row has double weight, and may leak from the training split to the test split.

    Best practice: keep one of them.

    Bad: lines 4 and 90 are the same

    Good: one of them

    Fix: removes the later row.

    Source: deduplication in every data pipeline.
    """

    def find(self, row: LintRow) -> Iterable[Finding]:
        if row.overview is None and row.conversation is None:
            return ()
        here = self.place(row)
        first = self.firsts.setdefault(digest_of(row.raw.strip()), here)
        if first == here:
            return ()
        message = f"the same row as {self.where(first, row.file)}, byte for byte"
        return (self.finding(row, "", message, drop_row=True),)


_OVERLAP: Final = {"overlap": 0.8}


@rule(
    "TC509",
    "near-duplicate-row",
    "info",
    default=False,
    fix="unsafe",
    drops_rows=True,
    options=_OVERLAP,
    gaps=("TC511",),
)
class NearDuplicate(DigestingRule):
    """A row whose words are nearly those of an earlier row with the same tools. System texts don't count.

    Anti-pattern: templates filled with different numbers; paraphrases that change a word.

    Why it hurts: it has the effect of an exact duplicate, but is harder to notice.

    Best practice: keep one of them, or vary more than a word (option ``overlap``, 0.8: the share of runs of three words
    that both rows have, without ids, case, whitespace and digits; estimated, with an error of about 0.07). It takes
    about 350 bytes of memory per row. Rows with one request and different calls contradict each other: TC511 reports
    them.

    Bad: "Weather in Rome for 3 days?" and "weather in Rome for 4 days"

    Good: one of them

    Fix: removes the later row if all its words are those of the earlier one. Unsafe, because numbers and ids may
    differ.

    Source: Lee and others, Deduplicating Training Data Makes Language Models Better (2022).
    """

    more: ClassVar[int] = 4 * EXACT_BYTES + SLOTS

    def is_alike(self, first: Any, later: Any) -> bool:
        return self._overlap(first, later) is None

    def _overlap(self, first: bytes, later: bytes) -> float | None:
        """The overlap of two rows, given as stored; ``None`` if they are exact duplicates, or not similar."""
        one, other = _Stored.of(first), _Stored.of(later)
        if one.row == other.row:
            return None  # reported by TC508
        if one.request == other.request and one.calls != other.calls:
            return None  # reported by TC511
        if one.words == other.words:
            return 1.0
        share = min(overlap(one.sketch, other.sketch), 0.99)
        return share if share >= float(self.option("overlap")) else None

    def find(self, row: LintRow) -> Iterator[Finding]:
        if not row.turns:
            return
        tools = sorted((str(tool.name), tool.known.signature) for tool in row.declared or row.stated)
        text = near_text(varying(row.messages if row.conversation is None else row.conversation.all_messages))
        if not text:
            return
        context = b"".join(name.encode("utf-8", "surrogatepass") + kind for name, kind in tools)
        sketch = sketch_of(units(text), context)
        request = [essential(normalised(turn.text)) for turn in row.turns if turn.role == "user"]
        calls = [[call.name, call.arguments] for call in row.calls]
        known = [row.raw.strip(), [text, context.hex()], request, calls]
        here = self.place(row) + b"".join(digest(each)[:EXACT_BYTES] for each in known) + sketch
        found: dict[bytes, float] = {}
        for first in {self.firsts.setdefault(digest(band), here) for band in bands(sketch)} - {here}:
            if (share := self._overlap(first, here)) is not None:
                place = first[:PLACE_BYTES]  # the same for all rows of a line
                found[place] = max(share, found.get(place, 0.0))
        if found:
            place = max(found, key=lambda place: (found[place], -int.from_bytes(place, "big")))
            how = "only ids, case, blanks or digits differ"
            if found[place] < 1:
                how = f"about {found[place]:.0%} of the runs of {WORDS} words are the same"
            message = f"nearly the same row as {self.where(place, row.file)}: {how}"
            is_same = found[place] == 1
            yield self.finding(row, "", message, drop_row=is_same, cause="nearly the same row as an earlier one")


class _Stored(NamedTuple):
    """What is stored of a row: digests of the row, its words, its requests and its calls, and the sketch."""

    row: bytes
    words: bytes
    request: bytes
    calls: bytes
    sketch: bytes

    @classmethod
    def of(cls, stored: bytes) -> _Stored:
        """The parts of what is stored."""
        row, words, request, calls, rest = (PLACE_BYTES + number * EXACT_BYTES for number in range(5))
        return cls(stored[row:words], stored[words:request], stored[request:calls], stored[calls:rest], stored[rest:])


@rule("TC510", "eval-contamination", "error", default=False, options={"eval": (), "overlap": 0.5}, needs=("eval",))
class EvalContamination(RowRule):
    """A row with the prompt of an evaluation set, or most of it.

    Anti-pattern: training on rows made from benchmark questions.

    Why it hurts: the evaluation measures memorisation.

    Best practice: drop the row (options ``eval``: a file, or a list of files; ``overlap``, 0.5: the share of an
    evaluation prompt's runs of eight words that a prompt has). A prompt of eight words or fewer must be the same, in
    any order, or be part of a longer one. In scripts without spaces, each character is a word. A
    prompt of fewer than sixteen characters (six in such scripts) counts only as the first of its conversation.

    Bad: a BFCL question in the training set

    Good: no benchmark questions in the training set

    The latest checks were made with 30 planted cases in English, Chinese and German, of which it finds 30; of 12 others
    that were written afterwards it finds 11.

    Source: contamination checks of every benchmark; GPT-3 and Llama 2 search for runs of 13 and of 8 words or tokens.
    """

    def __init__(self, settings: dict[str, Any] | None = None) -> None:
        super().__init__(settings)
        self.prompts: dict[bytes, int] = {}
        self.places: list[tuple[str, int]] = []  # of each prompt: where it is, and how many runs it has
        self.runs: dict[bytes, list[int]] = {}  # the prompts that have a run
        files = self.option("eval")
        self.short: dict[int, dict[bytes, int]] = {}  # prompts of a few words, by the number of words
        self.wordless = 0
        for file in [files] if isinstance(files, str) else files:
            from toolconv.lint.datasets.eval_prompts import eval_prompts

            for prompt in eval_prompts(file):
                self._add(prompt)

    def notes(self) -> Iterator[str]:
        short = sum(count == 0 for _, count in self.places)
        if self.wordless:
            yield f"{plural(self.wordless, 'prompt')} of the evaluation set without a word, which can't be compared"
        if short:
            how = f"of {EVAL_WORDS} words or fewer, found only if they are the same or contained"
            yield f"{plural(short, 'prompt')} of the evaluation set {how}"

    def _add(self, prompt: EvalPrompt) -> None:
        words = units(prompt.text)
        if not words:
            self.wordless += 1
            return
        key = digest(sorted(words))
        if key in self.prompts or not (prompt.is_first or is_long(prompt.text, MIN_PROMPT)):
            return
        number = self.prompts[key] = len(self.places)
        found = {_short(run) for run in runs(words, EVAL_WORDS)} if len(words) > EVAL_WORDS else set()
        self.places.append((prompt.place, len(found)))
        for run in found:
            self.runs.setdefault(run, []).append(number)
        if not found and len(words) >= CONTAINED_WORDS and is_long(prompt.text, MIN_PROMPT):
            self.short.setdefault(len(words), {})[_short(" ".join(words))] = number

    def check(self, row: LintRow) -> Iterator[Finding]:
        if not self.prompts:
            return
        is_first = True
        for turn in row.turns:
            if turn.role != "user":
                continue
            prompt = normalised(turn.text)
            words = units(prompt)
            comparable = bool(words) and (is_first or is_long(prompt, MIN_PROMPT))
            number = self.prompts.get(digest(sorted(words))) if comparable else None
            is_first = False
            if number is not None:
                yield self.finding(
                    row, turn.pointer, f"the prompt is that of {self.places[number][0]}, in the evaluation set"
                )
                return
            number = next(
                (
                    known[short]
                    for length, known in self.short.items()
                    for run in (runs(words, length) if len(words) > length else ())
                    if (short := _short(run)) in known
                ),
                None,
            )
            if number is not None:
                message = f"the prompt contains that of {self.places[number][0]}, in the evaluation set"
                yield self.finding(row, turn.pointer, message)
                return
            given = {_short(run) for run in runs(words, EVAL_WORDS)}
            common = Counter(number for run in given for number in self.runs.get(run, ()))
            shares = {number: count / self.places[number][1] for number, count in common.items()}
            number = max(shares, key=lambda number: (shares[number], -number), default=None)
            if number is not None and shares[number] >= float(self.option("overlap")):
                where, whole = self.places[number]
                message = f"the prompt has {common[number]} of the {whole} runs of {EVAL_WORDS} words"
                yield self.finding(row, turn.pointer, f"{message} of the one in {where}, in the evaluation set")
                return


EVAL_WORDS = 8
"""How many words a run has that a prompt and an evaluation prompt may share."""

CONTAINED_WORDS = 4
"""A prompt of fewer words may be part of a longer one by chance."""


def _short(run: str) -> bytes:
    return digest(run.encode("utf-8", "surrogatepass"))[:8]


@rule("TC511", "same-prompt-different-call", "warning", default=False)
class LabelConflict(DigestingRule):
    """The same prompt and tools as an earlier row, but a different first call.

    Words that don't change a request (``please``, ``the``, greetings, thanks), case and punctuation don't count.

    Anti-pattern: several samples for one prompt, both right and wrong.

    Why it hurts: the model sees two contradictory answers and learns neither.

    Best practice: keep the correct one.

    Bad: "Weather in Rome?" calls ``get_weather`` in one row, ``search`` in another

    Good: ``get_weather`` in both

    The latest checks were made with 30 planted cases in English, Chinese and German, of which it finds 30; of 12 others
    that were written afterwards it finds 9.

    Source: label noise is a general machine learning problem.
    """

    more: ClassVar[int] = 2 * DIGEST_BYTES

    def is_alike(self, first: Any, later: Any) -> bool:
        return bool(first[PLACE_BYTES:] == later[PLACE_BYTES:])

    def find(self, row: LintRow) -> Iterator[Finding]:
        before = []
        for turn in row.turns:
            if turn.role == "assistant":
                break
            before.append([turn.role, essential(normalised(turn.text))])
        else:
            return
        if not any(role == "user" and words for role, words in before):
            return
        calls = [[call.name, call.arguments] for call in turn.calls]
        tools = sorted(f"{tool.name} {tool.known.signature.hex()}" for tool in row.declared or row.stated)
        key = digest([before, tools or sorted(row.index.functions)])
        mine = digest([name for name, _ in calls]) + digest(calls)
        first = self.firsts.setdefault(key, self.place(row) + mine)
        if first[PLACE_BYTES:] != mine:
            what = listed(call.name for call in turn.calls) if turn.calls else "nothing"
            if first[PLACE_BYTES:-DIGEST_BYTES] == mine[:-DIGEST_BYTES]:
                how = f"calls {what} with other arguments"
            else:
                how = f"calls {what} instead"
            where = self.where(first[:PLACE_BYTES], row.file)
            cause = "the prompt and tools of an earlier row, but other calls"
            yield self.finding(row, turn.pointer, f"the prompt and tools of {where}, but it {how}", cause=cause)
