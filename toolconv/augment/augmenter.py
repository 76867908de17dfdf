"""Make augmented rows of a row, each with a record of how it was made, and turn them back into their source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random
from typing import Any

from toolconv.augment import kinds
from toolconv.augment.kinds import UNDO, Change, Unchanged
from toolconv.core import jsontext
from toolconv.core.errors import ToolconvError
from toolconv.core.messages import Row, Tool
from toolconv.core.rows import AUGMENTED


class NotAugmented(ToolconvError):
    """A row's record can't be undone."""


@dataclass(frozen=True, slots=True)
class AugmentOptions:
    """How many rows of each kind to make, as shares of the rows that it can be applied to.

    Attributes:
        shuffle: rows with their tools in another order.
        distractors: how many tools of other rows to add to each row.
        mask: rows whose functions and parameters have names that say nothing.
        rename: rows whose functions and parameters have names in another style.
        drop_descriptions: the share of the descriptions of parameters to leave out.
        irrelevance: rows without the tool that was called, and with an answer that declines.
        declines: these answers.
        seed: another seed makes other choices.
        replace: changed rows stand for their source, instead of following it.
    """

    shuffle: float = 0.0
    distractors: int = 0
    mask: float = 0.0
    rename: float = 0.0
    drop_descriptions: float = 0.0
    irrelevance: float = 0.0
    declines: Sequence[str] = kinds.DECLINES
    seed: int = 0
    replace: bool = False


class Augmenter:
    """Makes augmented rows. What it makes of a row depends on the row, the options and the pool of tools alone.

    Args:
        pool: the tools to add as distractors; it may grow.

    Attributes:
        made: the rows made, by kind.
        unchanged: the rows to which a kind could not be applied, by kind and reason.
    """

    def __init__(self, options: AugmentOptions, pool: Sequence[Tool]) -> None:
        self.options = options
        self.pool = pool
        self.made: Counter[str] = Counter()
        self.unchanged: Counter[tuple[str, str]] = Counter()

    def rows(self, row: Row, source: Row) -> Iterator[Row]:
        """The rows to write for a row.

        Args:
            row: a canonical row; it is not changed.
            source: where it is from: ``file`` and ``line``.
        """
        changed = self._changed(row, source)
        if changed is None or not self.options.replace:
            yield row
        if changed is not None:
            yield changed
        if (irrelevant := self._irrelevant(row, source)) is not None:
            yield irrelevant

    def _changed(self, row: Row, source: Row) -> Row | None:
        """The row with all changes that fall to it; ``None`` if none does."""
        options, pool = self.options, self.pool
        steps: list[tuple[str, float, Callable[[Row, Random], Change]]] = [
            (
                "descriptions",
                float(options.drop_descriptions > 0),
                lambda row, random: kinds.undescribed(row, random, options.drop_descriptions),
            ),
            (
                "distractors",
                float(options.distractors > 0),
                lambda row, random: kinds.with_distractors(row, random, pool, options.distractors),
            ),
            ("shuffled", options.shuffle, kinds.shuffled),
            ("renamed", options.rename, kinds.restyled),
            ("masked", options.mask, kinds.masked),
        ]
        if not any(share for _, share, _ in steps):
            return None
        done: list[str] = []
        undo: list[Any] = []
        digest = _digest(row)
        now = row
        for kind, share, step in steps:
            if (change := self._apply(kind, share, step, now, digest)) is not None:
                now = change.row
                done.append(kind)
                undo.append(change.undo)
        return _recorded(now, row, source, done, undo) if done else None

    def _irrelevant(self, row: Row, source: Row) -> Row | None:
        options, pool = self.options, self.pool
        change = self._apply(
            "irrelevance",
            options.irrelevance,
            lambda row, random: kinds.irrelevant(row, random, pool, options.declines),
            row,
            _digest(row) if options.irrelevance else b"",
        )
        return None if change is None else _recorded(change.row, row, source, ["irrelevance"], [change.undo])

    def _apply(
        self, kind: str, share: float, step: Callable[[Row, Random], Change], row: Row, digest: bytes
    ) -> Change | None:
        """The change of a kind, if it falls to the row and can be made."""
        if not share:
            return None
        seed = int.from_bytes(sha256(b"%d:%b:%b" % (self.options.seed, kind.encode(), digest)).digest()[:16], "big")
        if (seed >> 64) / 2**64 >= share:
            return None
        try:
            if not row.get("tools"):
                raise Unchanged("no tools")
            change = step(row, Random(seed))
        except Unchanged as reason:
            self.unchanged[kind, str(reason)] += 1
            return None
        self.made[kind] += 1
        return change


def _digest(row: Row) -> bytes:
    return sha256(jsontext.dumps(row)).digest()


def _recorded(row: Row, original: Row, source: Row, done: list[str], undo: list[Any]) -> Row:
    """An augmented row with its record.

    What undoes the changes is JSON text, so that the column has one type in all rows, whatever the tools are called.
    """
    record: Row = {"from": {"id": original.get("id"), **source}, "kinds": done}
    before = {AUGMENTED: original[AUGMENTED]} if AUGMENTED in original else {}
    record["undo"] = jsontext.compact([[kind, step] for kind, step in zip(done, undo, strict=True)])
    if before:
        record["before"] = jsontext.compact(before[AUGMENTED])
    found = {**row, AUGMENTED: record}
    if isinstance(original.get("id"), str | int):
        found["id"] = f"{original['id']}-{'irrelevance' if done == ['irrelevance'] else 'augmented'}"
    return found


def restored(row: Row) -> Row:
    """The source of an augmented row; a row without a record as it is.

    Raises:
        NotAugmented: the row does not have what its record says, or the record is not one.
    """
    record = row.get(AUGMENTED)
    if record is None:
        return row
    try:
        now = dict(row)
        if "before" in record:
            now[AUGMENTED] = jsontext.loads(record["before"])
        else:
            del now[AUGMENTED]
        if "id" in now and record["from"]["id"] is not None:
            now["id"] = record["from"]["id"]
        for kind, undo in reversed(jsontext.loads(record["undo"])):
            now = UNDO[kind](now, undo)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise NotAugmented(f"the record of an augmented row doesn't fit it ({type(error).__name__}: {error})") from None
    return now
