"""A run of ``select``: rows of the inputs, chosen step by step, to one output or one for each part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from toolconv.convert.detect import InputFormat
from toolconv.convert.options import Options
from toolconv.convert.pipeline import Log, OnProgress, conversations
from toolconv.convert.receipt import MAX_PLACES, Place, Receipt
from toolconv.convert.result import Reading
from toolconv.core.conversation import Conversation
from toolconv.core.plural import plural
from toolconv.io import parquet
from toolconv.io.hashed import sha256_of
from toolconv.io.inputs import STDIN, Block
from toolconv.select.expression import MISSING, Condition, Operand
from toolconv.select.facts import FACTS, SeenRow, text_for_lint
from toolconv.select.groups import GroupLimits, groups_of
from toolconv.select.held import holding
from toolconv.select.sampling import BalancedSample, Drawn, Reservoir

if TYPE_CHECKING:
    from toolconv.lint.engine.linter import Linter
    from toolconv.lint.model.row import LintRow

STDIN_LABEL: Final = "<stdin>"
SHOWN: Final = 10
"""How many quotas that were not reached are named."""

Write = Callable[[int, bytes], None]
"""Takes the number of a part and a row with its line end."""


@dataclass(kw_only=True, repr=False, eq=False)
class SelectRun:
    """A run.

    Attributes:
        options: how to read the rows.
        conditions: all of them must hold for a row.
        linter: checks the rows, if a condition asks for findings.
        dedupe: leave out rows that are the same as an earlier one, or nearly.
        weights: of the inputs, to mix them; ``None`` to take all rows of each, in order.
        by: what the groups are, for ``limits``.
        limits: how many rows of each group to take.
        sort: what to sort by, each with whether it is descending; the first counts first.
        count_tokens: counts the tokens of a text, for the fact ``tokens``.
        no_call: the share of rows without calls to arrive at.
        sample: how many rows to draw.
        limit: how many rows to write; reading ends then.
        shares: the share of each part.
        seed: of the sample and the parts.
        log: takes messages for the user.
        rows_in: how many rows were read and looked at.
        rejects: how many of them could not be read.
        places: where, and why; of the first ones.
        left_out: how many rows were left out, by reason, in the order of the steps.
        written: how many rows were written to each part.
        receipt: the account of the reading.
        digests: takes the SHA-256 of each input that was read, of a stream only if it was read to its end; ``None`` not
            to compute them.
    """

    options: Options
    conditions: Sequence[Condition] = ()
    linter: Linter | None = None
    dedupe: Literal["exact", "near"] | None = None
    weights: Sequence[float] | None = None
    by: Operand | None = None
    limits: GroupLimits | None = None
    sort: Sequence[tuple[Operand, bool]] = ()
    count_tokens: Callable[[str], int] | None = None
    no_call: float | None = None
    sample: int | None = None
    limit: int | None = None
    shares: Sequence[float] = (1.0,)
    seed: int = 0
    log: Log | None = None
    rows_in: int = 0
    rejects: int = 0
    places: list[Place] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    written: list[int] = field(default_factory=list)
    receipt: Receipt = field(default_factory=Receipt)
    digests: dict[str, str] | None = None
    _asked: dict[tuple[str, Operand], tuple[int, int]] = field(default_factory=dict)
    """For how many rows a name of an option was looked at, and how many of them had a value."""
    _last_file: str = ""

    def run(self, names: Sequence[str], write: Write, progress: OnProgress | None = None) -> None:
        """Choose rows and write them.

        Args:
            names: inputs; ``-`` is standard input.
            write: takes the chosen rows, in the order of the input.
            progress: called after each block.

        Raises:
            FileError: an input fails.
        """
        self.written = [0] * len(self.shares)
        for condition in self.conditions:
            self.left_out.setdefault(condition.shown, 0)
        rows = self._chosen(names, progress)
        if self.limit == 0:
            return
        for row in rows:
            write(row.part, row.text + b"\n")
            self.written[row.part] += 1
            if sum(self.written) == self.limit:
                break
        if self.digests is not None and Path(self._last_file).is_file():  # --limit may have ended in it
            self.digests.setdefault(self._last_file, sha256_of(self._last_file))

    def _chosen(self, names: Sequence[str], progress: OnProgress | None) -> Iterator[Drawn]:
        """The rows to write; sampled ones come after the last row was read."""
        sources = {STDIN_LABEL if name == STDIN else name: number for number, name in enumerate(names)}
        rows: Iterator[Drawn] = (self._drawn(row, sources) for row in self._unique(self.meeting(names, progress)))
        if self.weights is not None:
            rows = self._mixed(rows, self.weights)
        if self.sort:
            rows = self._sorted(rows)
        if self.limits is not None:
            rows = self._limited(rows, self.limits)
        store: Reservoir | BalancedSample
        if self.no_call is not None:
            reason, store = "to balance", BalancedSample(self.no_call, self.sample, self.seed)
        elif self.sample is not None and self.weights is None:
            reason, store = "not in the sample", Reservoir(self.sample, self.seed)
        else:
            yield from rows
            return
        try:
            count = 0
            for row in rows:
                store.add(row)
                count += 1
            for row in store.rows():
                yield row
                count -= 1
            self.left_out[reason] = count
        finally:
            store.close()

    def meeting(self, names: Sequence[str], progress: OnProgress | None = None) -> Iterator[SeenRow]:
        """The rows for which all conditions hold, in order.

        Raises:
            FileError: an input fails.
        """
        for condition in self.conditions:
            self.left_out.setdefault(condition.shown, 0)
        formats = _Formats()
        options = replace(self.options, shared_tools=True)
        for reading in conversations(
            names, options, self.receipt, progress=progress, log=self.log, watcher=formats, digests=self.digests
        ):
            self.rows_in += 1
            self._last_file = reading.file
            if reading.conversation is None:
                self.rejects += 1
                if len(self.places) < MAX_PLACES:
                    self.places.append(Place(reading.file, reading.line, reading.reason))
                continue
            checked = self._checked(reading, formats.current) if self.linter is not None else None
            findings = self.linter.check(checked).findings if self.linter is not None and checked is not None else ()
            row = SeenRow(reading, reading.conversation, findings, self.count_tokens, checked)
            for condition in self.conditions:
                if not condition.holds(row.look):
                    self.left_out[condition.shown] += 1
                    break
            else:
                yield row

    def _checked(self, reading: Reading, input_format: InputFormat | None) -> LintRow:
        """A row as the linter checks it."""
        from toolconv.lint.model.row import LintRow

        detector = self.options.detector
        layout, reader = detector.layout_and_reader(input_format)
        text = text_for_lint(reading.text, raw=layout is not None and layout.name == "raw")
        fixed = detector.layout is not None
        return LintRow(reading.file, reading.line, text, layout, reader, fixed=fixed)

    def _unique(self, rows: Iterator[SeenRow]) -> Iterator[SeenRow]:
        """The rows without duplicates."""
        if self.dedupe is None:
            yield from rows
            return
        from toolconv.lint.datasets.digests import Digests, digest_of
        from toolconv.lint.datasets.duplicates import near_text

        reason = "duplicates" if self.dedupe == "exact" else "near-duplicates"
        self.left_out[reason] = 0
        known = Digests(0)
        for row in rows:
            messages = row.conversation.messages
            digest = digest_of(
                near_text(messages).encode("utf-8", "surrogatepass")
                if self.dedupe == "near" and messages
                else row.reading.text.strip()
            )
            if digest in known:
                self.left_out[reason] += 1
            else:
                known.setdefault(digest, b"")
                yield row

    def _drawn(self, row: SeenRow, sources: Mapping[str, int]) -> Drawn:
        part = part_of(row.conversation, row.reading.text, self.shares, self.seed) if len(self.shares) > 1 else 0
        groups = () if self.by is None else groups_of(self._value(row, "--by", self.by))
        source = 0 if self.weights is None else sources[row.reading.file]
        keys = tuple(_key(self._value(row, "--sort", name)) for name, _ in self.sort)
        has_calls = self.no_call is not None and row.makes_calls
        return Drawn(row.reading.text, part, has_calls, groups, source, keys)

    def _value(self, row: SeenRow, option: str, name: Operand) -> Any:
        """The value of the name that an option gives, in a row; ``None`` for a key that it doesn't have."""
        value = row.look(name)
        asked, found = self._asked.get((option, name), (0, 0))
        self._asked[option, name] = asked + 1, found + (value is not MISSING)
        return None if value is MISSING else value

    # ── steps that read all rows before they pass the first one on ──

    def _mixed(self, rows: Iterator[Drawn], weights: Sequence[float]) -> Iterator[Drawn]:
        """Rows of all inputs in these proportions, mixed at random."""
        with holding(rows) as held:
            count = 0
            for row in held.rows(held.mixed(weights, self.sample, self.seed)):
                count += 1
                yield row
            self.left_out["to mix"] = len(held) - count

    def _sorted(self, rows: Iterator[Drawn]) -> Iterator[Drawn]:
        with holding(rows) as held:
            yield from held.rows(held.by_keys([descending for _, descending in self.sort]))

    def _limited(self, rows: Iterator[Drawn], limits: GroupLimits) -> Iterator[Drawn]:
        """The rows that the limits of their groups let through: the first ones if they are sorted, else drawn ones."""
        try:
            if self.sort:
                yield from (row for row in rows if limits.takes(row.groups))
                return
            with holding(rows) as held:
                yield from held.rows(sorted(held.taken(held.shuffled(self.seed), limits)))
        finally:
            self.left_out.update({"over the cap": limits.over, "not needed for a quota": limits.unneeded})

    @property
    def rows_out(self) -> int:
        """How many rows were written."""
        return sum(self.written)

    @property
    def losses(self) -> dict[str, int]:
        """What the rows, as lines, don't hold of Parquet files."""
        return {name: self.receipt.losses[name] for name in parquet.LOSSES if self.receipt.losses[name]}

    def account(self, parts: Mapping[str, int]) -> dict[str, object]:
        """The account of the run as JSON data; ``parts`` are the rows written, by output."""
        return {
            "rows_in": self.rows_in,
            "rows_out": self.rows_out,
            "rejects": {"count": self.rejects, "places": [place._asdict() for place in self.places]},
            "left_out": dict(self.left_out),
            "losses": self.losses,
            "outputs": dict(parts),
        } | ({} if self.limits is None else {"groups": self.limits.as_json()})

    def notices(self) -> list[str]:
        """What is odd: keys that no row has, values of another type than the one compared with, parts without rows."""
        found = []
        for condition in self.conditions:
            for comparison in condition.comparisons:
                name = comparison.name
                if name.fact is None and not comparison.found and comparison.asked:
                    found.append(_nowhere(condition.shown, name, comparison.asked))
                elif comparison.other_type:
                    kind = type(comparison.value)
                    wanted = "text" if kind is str else "a boolean" if kind is bool else "a number"
                    found.append(
                        f"{condition.shown}: {name.shown!r} is not {wanted} in {plural(comparison.other_type, 'row')}"
                    )
        for (option, name), (asked, met) in self._asked.items():
            if name.fact is None and not met:
                found.append(_nowhere(f"{option} {name.shown}", name, asked))
        if self.limits is not None and (short := self.limits.short()):
            more = f", and {len(short) - SHOWN:,} more" if len(short) > SHOWN else ""
            found.append(f"fewer rows than the quota: {', '.join(short[:SHOWN])}{more}")
        if self.rows_out and not all(self.written):
            found.append("a part is empty: shares are approximate if there are few rows; another --seed may do")
        return found


def _nowhere(shown: str, name: Operand, asked: int) -> str:
    """That no row has a key."""
    near = get_close_matches(name.shown, FACTS, n=1)
    hint = f"; did you mean the fact {near[0]!r}?" if near else ""
    return f"{shown}: none of the {asked:,} rows has the key {name.shown!r}{hint}"


def _key(value: Any) -> Any:
    """What a row is sorted by: of a list, its length, as in conditions."""
    return len(value) if isinstance(value, list | tuple | dict) else value


def part_of(conversation: Conversation, text: bytes, shares: Sequence[float], seed: int) -> int:
    """The number of the part to which a row belongs.

    It depends on nothing but the row's first prompt, the seed and the shares: rows with the same prompt, and
    near-duplicates, go to the same part, in any order of the rows, also in a later run with more of them.
    """
    from toolconv.lint.datasets.duplicates import group_text

    group = group_text(conversation.messages).encode("utf-8", "surrogatepass") or text
    place = int.from_bytes(sha256(b"%d:%b" % (seed, group)).digest()[:8], "big") / 2**64
    ends = list(accumulate(shares))
    return next((part for part, end in enumerate(ends[:-1]) if place < end), len(ends) - 1)


class _Formats:
    """Knows the format of the rows that are being read: a :class:`toolconv.convert.pipeline.Watcher`."""

    current: InputFormat | None = None

    def see(self, file: str, input_format: InputFormat | None, block: Block) -> None:
        """The next block of an input."""
        self.current = input_format

    def finish(self) -> Counter[str]:
        """All rows were seen; nothing was looked for."""
        return Counter()
