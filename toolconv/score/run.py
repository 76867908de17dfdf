"""Score outputs: pair them with gold rows, judge them, and list what could not be paired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b, sha256
from typing import Any, Final, NamedTuple, get_args

from toolconv.convert.options import UsageError
from toolconv.convert.result import Reading
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.errors import ToolconvError
from toolconv.core.messages import Row, Tool
from toolconv.core.plural import plural
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.score.calls import Judge
from toolconv.score.expected import ExpectedTurn
from toolconv.score.figures import Figures
from toolconv.score.gold import GoldRow, gold_row
from toolconv.score.history import Histories
from toolconv.score.levels import NAMES, Levels
from toolconv.score.outputs import OutputRow, OutputTurn, RowPlace, keys_of, output_rows
from toolconv.score.turns import Turns, aligned, is_whole, judge_whole
from toolconv.score.verdicts import Judged, judge_turn

_OTHER_LANGUAGES: Final = ("simple_java", "simple_javascript")
"""BFCL's categories of questions whose values are literals of other languages, which are compared as text."""

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
        dialect: the dialect that outputs should have; ``None`` for any.
        hold: keep the gold conversations, for pairs.
    """

    level: str = "ast"
    turns: Turns = "auto"
    key: str = "id"
    by: str = "category"
    api_names: bool = False
    ordered: bool = False
    ignored: frozenset[str] = frozenset()
    skip_missing: bool = False
    dialect: str | None = None
    hold: bool = False

    def __post_init__(self) -> None:
        for name, choices in (("level", NAMES), ("turns", get_args(Turns))):
            if getattr(self, name) not in choices:
                raise UsageError(f"{name} is {getattr(self, name)!r}: it is one of {', '.join(map(repr, choices))}")


class Unpaired(NamedTuple):
    """An output without gold row: its place, its key, and why it can't be read; a text may be empty."""

    place: RowPlace
    key: str
    reason: str


class Scored(NamedTuple):
    """A gold turn and what an output made of it.

    Attributes:
        gold: the index of the gold row.
        key: what pairs the rows; the place of the gold row if they are paired by position.
        turn: the number of the turn; ``None`` for a whole row.
        sample: the number of the output among those of the turn, from 0.
        judged: the verdict.
        output: the output; ``None`` if there is none.
        own: the turn of the output; ``None`` for a whole row, or if there is none.
        category: the category of the gold row.
        flags: what else is notable, such as ``repaired``.
    """

    gold: int
    key: str
    turn: int | None
    sample: int
    judged: Judged
    output: OutputRow | None
    own: OutputTurn | None
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
        rows: each with its key and its place; ``None`` for a row without key.
        by_key: the index of the row of each key.
        by_prompt: that of each prompt, by its digest; -1 for a prompt of several rows.
        unscorable: the places of rows that can't be read, or don't say what is right, with the reason.
        repeated: the keys of rows of which another one comes first.
        tool_sets: the different lists of tools that rows declare, by the identity of the object.
        has_keys: whether all rows that can be scored have a key.
        has_files: whether the rows are in several files, so that a line alone is no place.
    """

    rows: list[tuple[str | None, RowPlace, GoldRow]] = field(default_factory=list)
    by_key: dict[str, int] = field(default_factory=dict)
    by_prompt: dict[bytes, int] = field(default_factory=dict)
    unscorable: list[tuple[RowPlace, str]] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    tool_sets: dict[int, ToolIndex] = field(default_factory=dict)
    has_keys: bool = True
    has_files: bool = False

    def shown(self, place: RowPlace) -> str:
        """A row's place: its line, and its file if there are several."""
        return str(place) if self.has_files else str(place.line)

    @property
    def invalid(self) -> list[tuple[str, str]]:
        """The rows with gold calls that break their tools' schemas: the key and the names of the tools."""
        return [(key or self.shown(place), ", ".join(row.invalid)) for key, place, row in self.rows if row.invalid]

    @classmethod
    def read(cls, readings: Iterable[Reading], options: ScoreOptions, answers: Mapping[str, Any] | None = None) -> Gold:
        """Read all gold rows.

        Args:
            answers: what is right for rows that don't say so, by id.
        """
        gold = cls()
        judges: dict[bytes, Judge] = {}
        for reading in readings:
            place = RowPlace(reading.file, reading.line)
            gold.has_files = gold.has_files or bool(gold.rows and gold.rows[-1][1].file != place.file)
            if reading.conversation is None:
                gold.unscorable.append((place, reading.reason))
                gold.rows.append((None, place, GoldRow(NO_TOOLS, ())))
                continue
            if answers is not None and (own := answers.get(str(reading.conversation.row.get("id")))) is not None:
                reading.conversation.row["ground_truth"] = own
            text = blake2b(jsontext.dumps(reading.conversation.tools), digest_size=16).digest()
            judge = judges.get(text)
            if judge is None:
                judge = judges[text] = Judge(reading.conversation.declared)
            row = gold_row(reading.conversation, options.by, judge, hold=options.hold)
            index = len(gold.rows)
            if not row.turns:
                gold.unscorable.append((place, "no answer, and no truth that says what is right"))
            key = next(iter(keys_of(reading.conversation.row, options.key)), None)
            if options.key == PROMPT:
                key = row.turns[row.next].history.hex() if row.turns else None
            if key is None and row.turns:
                gold.has_keys = False
            if key is not None and options.key != PROMPT and gold.by_key.setdefault(key, index) != index:
                gold.repeated.append(key)
            for prompt in {turn.history: None for turn in row.turns}:
                if gold.by_prompt.setdefault(prompt, index) != index:
                    gold.by_prompt[prompt] = -1
                    if options.key == PROMPT:
                        gold.repeated.append(prompt.hex())
            gold.rows.append((key, place, row))
        gold.tool_sets = {id(judge.tools): judge.tools for judge in judges.values()}
        return gold

    @property
    def tools_sha256(self) -> str:
        """A hash of the tools that the rows declare, whatever their order."""
        texts = {jsontext.dumps_sorted(tool) for tools in self.tool_sets.values() for tool in tools.functions.values()}
        return sha256(b"\n".join(sorted(texts))).hexdigest()

    def tools_of(self, conversation: Conversation, key: str) -> list[Tool]:
        """The tools of the gold row of an output, which is not read yet: they give its values their types."""
        found = (index for each in keys_of(conversation.row, key) if (index := self.by_key.get(each)) is not None)
        index = next(found, None)
        if index is None:
            messages = conversation.messages
            last = next((at for at, each in enumerate(messages[::-1], 1) if each.get("role") == "assistant"), 0)
            index = self.by_prompt.get(Histories(messages).before(len(messages) - last), -1)
        if index >= 0:
            return list(self.rows[index][2].tools.tools)
        return list(next(iter(self.tool_sets.values())).tools) if len(self.tool_sets) == 1 else []


class Scores:
    """The verdicts on the outputs of one model, and their figures.

    Attributes:
        figures: counts over all verdicts so far.
        pairing: ``key``, ``prompt`` or ``position``: what pairs the rows; known once the first output was read.
        notable: what is odd about the outputs, by name: how many rows are like that.
        unpaired: the outputs without gold row.
        unreadable: the places of outputs with a gold row that can't be read, and so are wrong, with the reason.
    """

    def __init__(self, gold: Gold, options: ScoreOptions) -> None:
        self.gold = gold
        self.options = options
        self.level = NAMES[options.level]
        self.figures = Figures(self.level)
        self.pairing = "key" if gold.has_keys else "position"
        self.notable: Counter[str] = Counter()
        self.unpaired: list[Unpaired] = []
        self.unreadable: list[tuple[RowPlace, str]] = []
        self.outputs = 0
        self._answered: set[int] = set()
        self._judges: dict[int, Judge] = {}

    def score(self, readings: Iterable[Reading]) -> Iterator[Scored]:
        """The verdicts on all outputs, in their order; then on gold rows without output.

        Raises:
            NotPaired: rows are paired by position, and there are more or fewer outputs than gold rows.
        """
        for reading in readings:
            first, *others = output_rows(reading, self.options.key)
            if self.outputs == 0:
                self.pairing = self._pairing(first)
            index = self._index(first)
            self.outputs += 1
            if index is None or not 0 <= index < len(self.gold.rows):
                self.unpaired.append(Unpaired(first.place, first.key, first.reason))
                continue
            if first.reason:
                self.unreadable.append((first.place, first.reason))
            for output in (first, *others):
                yield from self._of_output(index, output)
        if self.pairing == "position" and self.outputs != len(self.gold.rows):
            rows = f"{plural(len(self.gold.rows), 'gold row')} and {plural(self.outputs, 'output')}"
            raise NotPaired(f"{rows}, and no key to pair them by: give both the same ids, or name their key with --key")
        if not self.options.skip_missing:
            for index in range(len(self.gold.rows)):
                if index not in self._answered or self.options.turns == "each":
                    yield from self._missing(index)

    def _pairing(self, first: OutputRow) -> str:
        """What pairs the rows: a key that both files have, else the prompt, else the position."""
        if self.options.key == PROMPT:
            return PROMPT
        if self.gold.has_keys and (first.keys or first.reason):
            return "key"
        prompts = self.gold.by_prompt
        return PROMPT if first.prompt in prompts and -1 not in prompts.values() else "position"

    def _index(self, output: OutputRow) -> int | None:
        """The index of the gold row of an output."""
        if self.pairing == "position":
            return self.outputs
        if self.pairing == PROMPT:
            return self.gold.by_prompt.get(output.prompt)
        found = (index for key in output.keys if (index := self.gold.by_key.get(key)) is not None)
        return next(found, None)

    def _note(self, row: GoldRow, output: OutputRow) -> None:
        """Count what is odd about an output."""
        if output.turns and len(output.histories) == row.size and output.whole == row.whole:
            self.notable["equal"] += 1
        if output.has_truth:
            self.notable["truth"] += 1
        if output.own_tools is not NO_TOOLS and output.own_tools:
            if not row.tools:
                self.notable["own_tools"] += 1
            elif output.own_tools.functions != row.tools.functions:
                self.notable["tools"] += 1
        if row.category in _OTHER_LANGUAGES:
            self.notable["language"] += 1

    def _of_output(self, index: int, output: OutputRow) -> list[Scored]:
        """The verdicts on an output."""
        row = self.gold.rows[index][2]
        if not row.turns:
            return []
        self._answered.add(index)
        self._note(row, output)
        judge = self._judge(row.tools or output.own_tools)
        if is_whole(row, output, self.options.turns):
            judged = judge_whole(row, output, judge, self.level, ordered=self.options.ordered)
            return [self._scored(index, None, judged, output, None, judge)]
        found = []
        for number, expected, own in aligned(row, output, self.options.turns):
            if own is None:
                judged = Judged("no_output", Levels.NONE, expected)
            else:
                judged = judge_turn(expected, own.calls, judge, self.level, ordered=self.options.ordered)
                if judged.verdict == "extra_call" and self._is_early(row, number, judged, judge):
                    judged = replace(judged, flags=(*judged.flags, "early"))
            found.append(self._scored(index, number, judged, output, own, judge))
        return found

    def _is_early(self, row: GoldRow, number: int, judged: Judged, judge: Judge) -> bool:
        """Whether a call that is too much is one of a later turn."""
        later = [call for turn in row.turns[number + 1 :] for call in turn.expected.calls]
        extra = [judged.calls[pair.output] for pair in judged.pairs if pair.gold is None and pair.output is not None]
        return any(self.level in judge.match(call, each).levels for call in later for each in extra)

    def _scored(
        self,
        index: int,
        turn: int | None,
        judged: Judged,
        output: OutputRow | None,
        own: OutputTurn | None = None,
        judge: Judge | None = None,
    ) -> Scored:
        """A verdict, which is counted. An output that can't be read is wrong, whatever it calls."""
        key, place, row = self.gold.rows[index]
        flags = ["gold_invalid"] if row.invalid else []
        if output is not None:
            if output.reason or output.dropped:
                judged = Judged("unreadable", Levels.NONE, judged.expected, judged.calls)
            flags += self._flags(output)
        flags += judged.flags
        sample = self.figures.add(judged, output, row.category, (index, turn), judge)
        shown = self.gold.shown(place) if key is None or self.pairing == "position" else key
        return Scored(index, shown, turn, sample, judged, output, own, row.category, tuple(flags))

    def _flags(self, output: OutputRow) -> list[str]:
        """What is notable about how an output is written."""
        dialect = self.options.dialect
        found = {
            "dropped_call": output.dropped,
            "repaired": output.repairs,
            "other_dialect": output.dialects and dialect is not None and output.dialects != {dialect},
            "calls_in_reasoning": output.in_reasoning,
        }
        return [flag for flag, is_set in found.items() if is_set]

    def _missing(self, index: int) -> Iterator[Scored]:
        """The verdicts on the turns of a gold row without output."""
        key, _, row = self.gold.rows[index]
        scored = self.figures.samples
        if not row.turns or (index, None) in scored:
            return
        if self.pairing == "key" and self.gold.by_key.get(key or "") != index:
            return  # repeated: the first row of the key was scored
        numbers = range(len(row.turns)) if self.options.turns == "each" else [row.next]
        for number in numbers:
            if (index, number) not in scored:
                expected: ExpectedTurn = row.turns[number].expected
                yield self._scored(index, number, Judged("no_output", Levels.NONE, expected), None)

    def _judge(self, tools: ToolIndex) -> Judge:
        """The judge of calls of some tools; rows with the same declarations share it."""
        judge = self._judges.get(id(tools))
        if judge is None:
            judge = Judge(tools, self.options.api_names, self.options.ignored)
            if id(tools) in self.gold.tool_sets:
                self._judges[id(tools)] = judge
        return judge
