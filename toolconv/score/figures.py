"""Figures: counts over judged turns, as shares with Wilson's 95 % interval."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolconv.core import jsontext
from toolconv.score.calls import Judge, Mismatch
from toolconv.score.levels import NAMES, Levels
from toolconv.score.outputs import OutputRow
from toolconv.score.statistics import pass_all, pass_at, wilson
from toolconv.score.verdicts import VERDICTS, Judged


@dataclass(slots=True)
class Share:
    """How many of some things are right."""

    right: int = 0
    n: int = 0

    def add(self, right: int, n: int = 1) -> None:
        """Count one more, or ``n`` of which some are right."""
        self.right += right
        self.n += n

    @property
    def rate(self) -> float | None:
        """The share; ``None`` of nothing."""
        return self.right / self.n if self.n else None

    def as_json(self, units: int | None = None) -> dict[str, Any]:
        """The counts, the rate and its interval.

        Args:
            units: how many of the things are independent, if these are fewer: the gold turns of several samples.
        """
        independent = self.n if units is None else min(units, self.n)
        interval = wilson(self.right * independent / self.n, independent) if self.n else None
        return {
            "right": self.right,
            "n": self.n,
            "rate": self.rate,
            "low": None if interval is None else interval.low,
            "high": None if interval is None else interval.high,
        }


@dataclass(slots=True)
class TurnSamples(Share):
    """The samples of a gold turn.

    Attributes:
        verdict: that of the first sample.
        votes: for each answer, how many samples give it, and whether it is right; of a single sample, only that one.
    """

    verdict: str = ""
    votes: dict[int, tuple[int, bool]] = field(default_factory=dict)

    def vote(self, judged: Judged) -> None:
        """Count one more sample."""
        right = judged.verdict == "right"
        self.add(right)
        self.verdict = self.verdict or judged.verdict
        answer = hash(jsontext.dumps_sorted([(call.name, call.arguments) for call in judged.calls]))
        count, known = self.votes.get(answer, (0, right))
        self.votes[answer] = (count + 1, known)

    @property
    def majority(self) -> bool:
        """Whether the answer that most samples give is right; of several such answers, whether all of them are."""
        if self.n == 1:
            return bool(self.right)
        most = max(count for count, _ in self.votes.values())
        return all(right for count, right in self.votes.values() if count == most)


@dataclass(slots=True)
class Figures:
    """Counts over judged turns.

    Args:
        level: the level at which a turn is right in figures that don't name one.
    """

    level: Levels
    reached: list[int] = field(default_factory=lambda: [0] * (Levels.ALL + 1))
    """How many turns are right at each set of levels, by its number."""
    verdicts: Counter[str] = field(default_factory=Counter)
    needed: Counter[str] = field(default_factory=Counter)
    decisions: Counter[tuple[bool, bool]] = field(default_factory=Counter)
    abstain: Share = field(default_factory=Share)
    any_call: Share = field(default_factory=Share)
    parallel: Share = field(default_factory=Share)
    names: Share = field(default_factory=Share)
    calls: Counter[str] = field(default_factory=Counter)
    arguments: Counter[str] = field(default_factory=Counter)
    formats: Counter[str] = field(default_factory=Counter)
    dialects: Counter[str] = field(default_factory=Counter)
    categories: defaultdict[str, Share] = field(default_factory=lambda: defaultdict(Share))
    tools: defaultdict[str, Share] = field(default_factory=lambda: defaultdict(Share))
    wrong_arguments: Counter[str] = field(default_factory=Counter)
    dotted: int = 0
    """Wrong names that differ from the right ones only in ``.`` and ``_``."""
    blurred: int = 0
    """Rows that are right although a text with digits, or a path, differs in a character that BFCL ignores."""
    samples: defaultdict[Any, TurnSamples] = field(default_factory=lambda: defaultdict(TurnSamples))
    """The samples of each gold turn: right ones, and all."""
    unread_abstentions: int = 0
    """Unreadable outputs where no call is right: BFCL counts them as abstentions."""
    valid: Share = field(default_factory=Share)
    """The output's calls that their tools take, whatever is right."""
    sequence: Share = field(default_factory=Share)
    """Whole runs with all gold calls in order, and no other one."""
    prefix: Share = field(default_factory=Share)
    """The gold calls of whole runs before the first difference."""

    @property
    def rows(self) -> dict[str, Share]:
        """How many turns are right at each level."""
        return {
            name: Share(sum(count for levels, count in enumerate(self.reached) if levels & level), sum(self.reached))
            for name, level in NAMES.items()
        }

    def add(self, judged: Judged, output: OutputRow | None, category: str, turn: Any, judge: Judge | None) -> int:
        """Count a turn.

        Args:
            output: the row that it is of; ``None`` for a gold turn without output.
            turn: what tells gold turns apart, so that samples of one are known.
            judge: of its calls; ``None`` without output.

        Returns:
            How many samples of the turn were counted before.
        """
        right = judged.verdict == "right"
        self.reached[judged.levels] += 1
        self.verdicts[judged.verdict] += 1
        if right:
            if judged.differences:
                self.needed.update(judged.needed)
                self.blurred += any(_is_blurred(each.difference) for each in judged.differences)
        else:
            self.dotted += any(_is_dotted(each.difference) for each in judged.differences)
        if category:
            self.categories[category].add(right)
        samples = self.samples[turn]
        samples.vote(judged)
        kind = judged.expected.kind
        called = bool(judged.calls) and judged.verdict != "unreadable"
        if judged.verdict not in ("no_output", "unreadable"):
            self.decisions[kind != "none", called] += 1
        if judge is not None and judge.tools:
            self.valid.add(sum(map(judge.is_valid, judged.calls)), len(judged.calls))
        if judged.prefix is not None:
            gold = len(judged.expected.calls)
            self.sequence.add(judged.prefix == gold == len(judged.calls))
            self.prefix.add(judged.prefix, gold)
        if kind == "none":
            self.abstain.add(right)
            self.unread_abstentions += judged.verdict == "unreadable"
        elif kind == "any":
            self.any_call.add(right)
        elif len(judged.expected.calls) > 1:
            self.parallel.add(right)
        self._add_calls(judged)
        if output is not None:
            self._add_format(output)
        return samples.n - 1

    def _add_calls(self, judged: Judged) -> None:
        """Count the calls of a turn; a turn in which any call is right has no calls to compare."""
        if judged.expected.kind == "any":
            return
        self.calls["gold"] += len(judged.expected.calls)
        self.calls["output"] += len(judged.calls)
        paired = named = 0
        for pair in judged.pairs:
            if pair.gold is None:
                continue
            paired += 1
            gold = judged.expected.calls[pair.gold]
            if pair.match is None:
                self.tools[gold.name].add(False)
                continue
            if not pair.match.differences:
                self.calls["right"] += 1
                self.tools[gold.name].add(True)
                self.arguments["equal"] += len(gold.keys)
                named += 1
                continue
            right = self.level in pair.match.levels
            self.calls["right"] += right
            self.tools[gold.name].add(right)
            wrong = [difference for difference in pair.match.differences if self.level not in difference.levels]
            if any(difference.kind == "name" for difference in wrong):
                continue
            named += 1
            kinds = Counter(_OUTCOMES.get(difference.kind, "wrong") for difference in wrong)
            self.arguments.update(kinds)
            self.arguments["equal"] += max(len(gold.arguments) - kinds["wrong"] - kinds["missing"], 0)
            self.wrong_arguments.update(f"{gold.name}.{difference.path}" for difference in wrong if difference.path)
        self.names.add(named, len(judged.expected.calls))
        if paired < len(judged.expected.calls):
            answered = {pair.gold for pair in judged.pairs}
            for at, gold in enumerate(judged.expected.calls):
                if at not in answered:
                    self.tools[gold.name].add(False)

    def _add_format(self, output: OutputRow) -> None:
        self.formats["rows"] += 1
        if output.reason:
            self.formats["unreadable"] += 1
        elif output.dropped:
            self.formats["dropped_call"] += 1
        elif output.repairs:
            self.formats["repaired"] += 1
        else:
            self.formats["clean"] += 1
        self.formats["calls_in_reasoning"] += output.in_reasoning > 0
        if output.dialects:
            self.dialects["+".join(sorted(output.dialects))] += 1

    def as_json(self, ks: Iterable[int] = ()) -> dict[str, Any]:
        """All figures.

        Args:
            ks: the numbers of samples for pass@k and pass^k.
        """
        units = len(self.samples)
        rates = [share.rate for share in self.categories.values() if share.rate is not None]
        tp, fn = self.decisions[True, True], self.decisions[True, False]
        fp, tn = self.decisions[False, True], self.decisions[False, False]
        return {
            "rows": {name: share.as_json(units) for name, share in self.rows.items()},
            "macro": sum(rates) / len(rates) if rates else None,
            "verdicts": {verdict: self.verdicts[verdict] for verdict in VERDICTS},
            "needed": dict(self.needed.most_common()),
            "call_decision": {
                "called_rightly": tp, "called_wrongly": fp, "abstained_wrongly": fn, "abstained_rightly": tn,
                "precision": _ratio(tp, tp + fp), "recall": _ratio(tp, tp + fn),
            },
            "names": self.names.as_json(),
            "calls": {
                **{name: self.calls[name] for name in ("right", "gold", "output")},
                "precision": _ratio(self.calls["right"], self.calls["output"]),
                "recall": _ratio(self.calls["right"], self.calls["gold"]),
                "f1": _ratio(2 * self.calls["right"], self.calls["gold"] + self.calls["output"]),
            },
            "arguments": {name: self.arguments[name] for name in ("equal", "wrong", "missing", "extra")},
            "wrong_arguments": dict(self.wrong_arguments.most_common(10)),
            "parallel": self.parallel.as_json(),
            "abstain": self.abstain.as_json(),
            "abstain_as_bfcl": Share(self.abstain.right + self.unread_abstentions, self.abstain.n).as_json(),
            "any_call": self.any_call.as_json(),
            "schema": self.valid.as_json(),
            "whole": {"sequence": self.sequence.as_json(), "prefix": self.prefix.as_json()},
            "format": {
                **{
                    name: self.formats[name]
                    for name in ("rows", "clean", "repaired", "dropped_call", "unreadable", "calls_in_reasoning")
                },
                "other_dialect": self.dialects.total() - max(self.dialects.values(), default=0),
                "dialects": dict(self.dialects.most_common()),
            },
            "samples": {
                "turns": units,
                "majority": Share(sum(each.majority for each in self.samples.values()), units).as_json(),
                "pass_at": {str(k): self.pass_at(k) for k in ks},
                "pass_all": {str(k): self.pass_all(k) for k in ks},
            },
        }  # fmt: skip

    def pass_at(self, k: int) -> float | None:
        """pass@k: how likely one of ``k`` samples is right; ``None`` if a gold turn has fewer samples."""
        return self._passed(pass_at, k)

    def pass_all(self, k: int) -> float | None:
        """pass^k: how likely all of ``k`` samples are right; ``None`` if a gold turn has fewer samples."""
        return self._passed(pass_all, k)

    def _passed(self, estimate: Any, k: int) -> float | None:
        """The mean estimate over gold turns; ``None`` if one has fewer than ``k`` samples."""
        found = [estimate(k, samples.n, samples.right) for samples in self.samples.values()]
        return sum(found) / len(found) if found and None not in found else None


_OUTCOMES: Mapping[str, str] = {"required": "missing", "missing": "missing", "extra": "extra", "undeclared": "extra"}


def _is_dotted(difference: Mismatch) -> bool:
    return difference.kind == "name" and difference.gold.replace(".", "_") == difference.output


def _is_blurred(difference: Mismatch) -> bool:
    """Whether a text that is a number, a path or code differs in one of the characters that BFCL ignores."""
    one, other = difference.gold, difference.output
    if not (isinstance(one, str) and isinstance(other, str)) or one.casefold() == other.casefold():
        return False
    return any(char.isdigit() or char in "/_" for char in one + other)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
