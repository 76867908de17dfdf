"""Score outputs: pair them with gold rows, judge them, and list what could not be paired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from toolconv.convert.result import Reading
from toolconv.core.conversation import Row
from toolconv.core.errors import ToolconvError
from toolconv.core.tools import NO_TOOLS
from toolconv.score.calls import Judge
from toolconv.score.expected import ExpectedTurn
from toolconv.score.figures import Figures
from toolconv.score.gold import GoldRow, gold_row
from toolconv.score.levels import NAMES, Levels
from toolconv.score.outputs import OutputRow, key_of, output_row
from toolconv.score.turns import Turns, aligned, is_whole, judge_whole
from toolconv.score.verdicts import Judged, judge_turn

PROMPT: Final = "prompt"
"""The key that stands for the messages before the scored turn."""


class NotPaired(ToolconvError):
    """The rows of two inputs can't be paired."""


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """How outputs are scored.

    Attributes:
        level: ``exact``, ``ast`` or ``lenient``: the level that decides whether a turn is right.
        turns: what an output stands for.
        key: the key of the rows that pairs them; ``prompt`` for the messages before the output. Rows without it are
            paired by position.
        by: the key of the rows for figures by category.
        api_names: whether a ``.`` in the name of a gold call is written ``_``, as several APIs demand.
        ordered: whether the order of calls counts.
        ignored: arguments that are not compared, as ``tool.argument``.
        skip_missing: whether gold rows without output are left out, instead of wrong.
    """

    level: str = "ast"
    turns: Turns = "auto"
    key: str = "id"
    by: str = "category"
    api_names: bool = False
    ordered: bool = False
    ignored: frozenset[str] = frozenset()
    skip_missing: bool = False


class Scored(NamedTuple):
    """A gold turn and what an output made of it.

    Attributes:
        gold: the index of the gold row.
        key: what pairs the rows; the line of the gold row if they are paired by position.
        turn: the number of the turn; ``None`` for a whole row.
        sample: the number of the output among those of the turn, from 0.
        judged: the verdict.
        output: the output; ``None`` if there is none.
        category: the category of the gold row.
        flags: what else is notable, such as ``repaired``.
    """

    gold: int
    key: str
    turn: int | None
    sample: int
    judged: Judged
    output: OutputRow | None
    category: str
    flags: tuple[str, ...]

    def as_json(self) -> Row:
        """The row that ``-o`` writes."""
        head = {"id": self.key, "turn": self.turn, "sample": self.sample}
        return {**head, **self.judged.as_json(), "flags": list(self.flags), "category": self.category}


@dataclass(slots=True)
class Gold:
    """The gold rows, by what pairs them.

    Attributes:
        rows: each with its key and its line; ``None`` for a row without key.
        by_key: the index of the row of each key.
        unscorable: the lines of rows that can't be read, or don't say what is right, with the reason.
        repeated: the keys of rows of which another one comes first.
    """

    rows: list[tuple[str | None, int, GoldRow]] = field(default_factory=list)
    by_key: dict[str, int] = field(default_factory=dict)
    unscorable: list[tuple[int, str]] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)

    @property
    def invalid(self) -> list[tuple[str, str]]:
        """The rows with gold calls that break their tools' schemas: the key and the names of the tools."""
        return [(key or str(line), ", ".join(row.invalid)) for key, line, row in self.rows if row.invalid]

    @classmethod
    def read(cls, readings: Iterable[Reading], options: ScoreOptions) -> Gold:
        """Read all gold rows."""
        gold = cls()
        for reading in readings:
            if reading.conversation is None:
                gold.unscorable.append((reading.line, reading.reason))
                gold.rows.append((None, reading.line, GoldRow(NO_TOOLS, ())))
                continue
            row = gold_row(reading.conversation, options.by)
            if not row.turns:
                gold.unscorable.append((reading.line, "no answer, and no truth that says what is right"))
            if options.key == PROMPT:
                keys = [turn.history.hex() for turn in row.turns]
                key = keys[row.next] if keys else None
            else:
                key = key_of(reading.conversation.row.get(options.key))
                keys = [] if key is None else [key]
            for each in dict.fromkeys(keys):
                if gold.by_key.setdefault(each, len(gold.rows)) != len(gold.rows):
                    gold.repeated.append(each)
            gold.rows.append((key, reading.line, row))
        return gold

    @property
    def has_keys(self) -> bool:
        """Whether all rows that can be scored have a key."""
        return all(key is not None for key, _, row in self.rows if row.turns)


class Scores:
    """The verdicts on the outputs of one model, and their figures.

    Args:
        gold: the gold rows.
        options: how to score.

    Attributes:
        figures: counts over all verdicts so far.
        by_position: whether rows are paired by position; known once the first output was read.
        unpaired: the outputs without gold row: the line, and the key or the reason.
    """

    def __init__(self, gold: Gold, options: ScoreOptions) -> None:
        self.gold = gold
        self.options = options
        self.level = NAMES[options.level]
        self.figures = Figures(self.level)
        self.by_position = not gold.has_keys
        self.unpaired: list[tuple[int, str]] = []
        self.outputs = 0
        self._samples: Counter[tuple[int, int | None]] = Counter()
        self._judges: dict[int, Judge] = {}

    def score(self, readings: Iterable[Reading]) -> Iterator[Scored]:
        """The verdicts on all outputs, in their order; then on gold rows without output.

        Raises:
            NotPaired: rows are paired by position, and there are more or fewer outputs than gold rows.
        """
        for reading in readings:
            output = output_row(reading, self.options.key)
            if self.outputs == 0 and output.key is None and not output.reason:
                self.by_position = True
            index = self.outputs if self.by_position else self.gold.by_key.get(output.key or "")
            self.outputs += 1
            if index is None or index >= len(self.gold.rows):
                self.unpaired.append((output.line, output.key or output.reason or "no key"))
                continue
            yield from self._of_output(index, output)
        if self.by_position and self.outputs != len(self.gold.rows):
            rows = f"{len(self.gold.rows):,} gold rows and {self.outputs:,} outputs"
            raise NotPaired(f"{rows}, and no key to pair them by: give both the same ids, or name their key with --key")
        if not self.options.skip_missing:
            for index in range(len(self.gold.rows)):
                yield from self._missing(index)

    def _of_output(self, index: int, output: OutputRow) -> Iterator[Scored]:
        """The verdicts on an output."""
        row = self.gold.rows[index][2]
        if not row.turns:
            return
        if is_whole(row, output, self.options.turns):
            judged = judge_whole(row, output, self._judge(index), self.level, ordered=self.options.ordered)
            yield self._scored(index, None, judged, output)
            return
        for number, expected, calls in aligned(row, output, self.options.turns):
            if calls is None:
                judged = Judged("no_output", Levels.NONE, expected)
            else:
                judged = judge_turn(expected, calls, self._judge(index), self.level, ordered=self.options.ordered)
            yield self._scored(index, number, judged, output)

    def _scored(self, index: int, turn: int | None, judged: Judged, output: OutputRow | None) -> Scored:
        """A verdict, which is counted. An output that can't be read is wrong, whatever it calls."""
        key, line, row = self.gold.rows[index]
        flags = ["gold_invalid"] if row.invalid else []
        if output is not None:
            if output.reason or output.dropped:
                judged = Judged("unreadable", Levels.NONE, judged.expected, judged.calls)
            flags += [name for name, has in (("dropped_call", output.dropped), ("repaired", output.repairs)) if has]
        sample = self._samples[index, turn]
        self._samples[index, turn] += 1
        self.figures.add(judged, output, row.category, (index, turn))
        shown = str(line) if key is None or self.by_position else key
        return Scored(index, shown, turn, sample, judged, output, row.category, tuple(flags))

    def _missing(self, index: int) -> Iterator[Scored]:
        """The verdicts on the turns of a gold row without output."""
        key, _, row = self.gold.rows[index]
        if not row.turns or (index, None) in self._samples:
            return
        if not self.by_position and self.gold.by_key.get(key or "") != index:
            return  # repeated: the first row of the key was scored
        numbers = range(len(row.turns)) if self.options.turns == "each" else [row.next]
        if self.options.turns == "auto" and any((index, turn.number) in self._samples for turn in row.turns):
            return
        for number in numbers:
            if (index, number) not in self._samples:
                expected: ExpectedTurn = row.turns[number].expected
                yield self._scored(index, number, Judged("no_output", Levels.NONE, expected), None)

    def _judge(self, index: int) -> Judge:
        """The judge of calls of a gold row; rows with the same declarations share it."""
        tools = self.gold.rows[index][2].tools
        judge = self._judges.get(id(tools))
        if judge is None:
            judge = self._judges[id(tools)] = Judge(tools, self.options.api_names, self.options.ignored)
        return judge
