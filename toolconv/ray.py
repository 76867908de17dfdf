"""Converts and checks Ray datasets, for data too large for one machine, block by block on all of the cluster.

Rows are read like those of a ``.parquet`` file (:mod:`toolconv.io.parquet`), wherever the dataset comes from: lists and
objects may be structs or JSON text, and null padding in structs is removed. Rows have no file: places in receipts and
findings are ``<rows>`` and the number of the row in the dataset, from 1. The results are the same as in one process,
in the same order, which Ray does not keep by default.

Every node needs toolconv, and the files that options name under the same paths.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from toolconv.convert.converter import converter_for
from toolconv.convert.detect import ROWS, Detector, InputFormat
from toolconv.convert.for_trainer import for_trainer
from toolconv.convert.options import Options, UsageError
from toolconv.convert.pipeline import convert_lines, default_format
from toolconv.convert.receipt import PLACES, Receipt
from toolconv.convert.run import Failed
from toolconv.core import jsontext
from toolconv.core.errors import MissingExtra
from toolconv.io import parquet
from toolconv.io.workers import in_order
from toolconv.lint.engine.distributed import Merger, Outcome, check_rows
from toolconv.lint.engine.linter import Linter, linter_of
from toolconv.lint.model.finding import reported_with_row
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import Firsts

if TYPE_CHECKING:
    import pyarrow
    from ray.data import Dataset

    from toolconv.lint.model.finding import Finding

FILE = "<rows>"
"""The name of the file in places."""

__all__ = ["Converted", "Options", "convert", "lint"]


def _ray() -> Any:
    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingExtra("toolconv.ray", "ray") from None
    return ray


# ── converting ──────────────────────────────────────────────────────────────────────────────────


class Converted(NamedTuple):
    """A converted dataset.

    Attributes:
        rows: the rows, in the columns that a ``.parquet`` file would have.
        rejects: the rejected rows, as JSON text in the column ``row``.
        receipt: the account.
    """

    rows: Dataset
    rejects: Dataset
    receipt: Receipt


def convert(dataset: Dataset, options: Options | None = None) -> Converted:
    """Convert the rows of a dataset.

    All rows are converted at once, because the columns depend on all of them. The output waits as JSON text in Ray's
    object store, which spills to disk when the memory of the cluster is full.

    Args:
        dataset: rows of one layout: that of the first rows, unless the options name it.
        options: what to do with each row.

    Raises:
        UsageError: the options don't fit the rows.
        Failed: a row was rejected, and the options ask to stop then.
        MissingExtra: Ray is not installed.
    """
    _ray()
    options = for_trainer(replace(options or Options(), account=True))
    if "raw" in (options.from_layout, options.to_layout):
        raise UsageError("layout 'raw' is a text, and a dataset has rows: choose another")
    with _in_order(dataset):
        head = dataset.limit(ROWS).iter_batches(batch_size=None, batch_format="pyarrow")
        input_format = options.detector.of_rows(chain.from_iterable(map(_lines, head))) or default_format(options)
        converter_for(options, input_format)  # raises an error in the options here, not on the cluster
        done = _mapped(dataset, partial(_convert, options=options, input_format=input_format)).materialize()
    done.context.execution_options.preserve_order = True  # this dataset has its own context
    receipt = Receipt(full=True)
    row = parquet.ColumnType()
    for account in done.select_columns(["account"]).iter_rows():
        result: _Account = pickle.loads(account["account"])
        receipt.add(_placed(result.receipt, receipt.rows_in))
        if result.failed:
            raise Failed(receipt)
        row.add(result.row)
    columns = parquet.Columns(row, receipt.rows_out)
    return Converted(_mapped(done, partial(_rows, columns=columns)), _mapped(done, _rejects), receipt)


class _Account(NamedTuple):
    """The account of a converted block; the places in the receipt count within the block."""

    receipt: Receipt
    row: parquet.ColumnType
    failed: bool


def _convert(table: pyarrow.Table, options: Options, input_format: InputFormat) -> pyarrow.Table:
    """One row for a whole block: its output, its rejects and its account."""
    import pyarrow

    lines = parquet.ArrowRows(table.schema)
    result = convert_lines(options, input_format, FILE, 1, _lines(table, lines))
    result.receipt.add_changes(lines.changes)
    row = parquet.ColumnType()
    for line in chain.from_iterable(map(bytes.splitlines, result.output)):
        row.see_members(jsontext.loads(line))
    account = pickle.dumps(_Account(result.receipt, row, result.failed))
    values = {"rows": b"".join(result.output), "rejects": b"".join(result.rejects), "account": account}
    return pyarrow.table({name: pyarrow.array([value], pyarrow.large_binary()) for name, value in values.items()})


def _rows(done: pyarrow.Table, columns: parquet.Columns) -> pyarrow.Table:
    """The output rows, in columns."""
    return columns.table([jsontext.loads(line) for lines in done["rows"].to_pylist() for line in lines.splitlines()])


def _rejects(done: pyarrow.Table) -> pyarrow.Table:
    """The rejected rows."""
    import pyarrow

    lines = [line.decode() for lines in done["rejects"].to_pylist() for line in lines.splitlines()]
    return pyarrow.table({"row": pyarrow.array(lines, pyarrow.string())})


def _placed(receipt: Receipt, offset: int) -> Receipt:
    """The receipt of a block with places that count from the first row of the dataset, ``offset`` rows before it."""
    for name in PLACES:
        setattr(receipt, name, [place._replace(line=place.line + offset) for place in getattr(receipt, name)])
    return receipt


# ── linting ─────────────────────────────────────────────────────────────────────────────────────


def lint(
    dataset: Dataset,
    *,
    select: Sequence[str] | None = None,
    extend_select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    options: Mapping[str, Mapping[str, Any]] | None = None,
    dialect: str | None = "auto",
    layout: str | None = None,
) -> list[Finding]:
    """Check the rows of a dataset, as :func:`toolconv.lint_rows` does.

    The rows stay in Ray's object store until all blocks are checked: see :mod:`toolconv.lint.engine.distributed`.

    Args:
        dataset: rows; a finding's line is the number of the row, from 1.
        select, extend_select, ignore, options, dialect, layout: as for :func:`toolconv.lint_rows`.

    Returns:
        The findings, in order.

    Raises:
        UnknownRule: a word that is not a rule.
        ConfigError: an option that a rule doesn't have.
        MissingExtra: Ray is not installed.
    """
    ray = _ray()
    head, size, check = map(ray.remote, (_head, _size, _check))
    make = partial(linter_of, select, extend_select, ignore, options)
    linter = make()  # raises an error in the arguments here
    with _in_order(dataset):
        tables = dataset.to_arrow_refs()
    detector = Detector(layout, dialect)
    lines = chain.from_iterable(ray.get(head.remote(table)) for table in tables)
    input_format = detector.of_rows(list(islice(lines, ROWS)))
    offsets = accumulate(ray.get([size.remote(table) for table in tables]), initial=0)

    def start(block: _Block, firsts: Firsts) -> Callable[[], Outcome]:
        return partial(ray.get, check.remote(make, detector, input_format, block.table, block.offset, firsts))

    merger = Merger(linter, start)
    blocks = [_Block(table, offset) for table, offset in zip(tables, offsets, strict=False)]
    outcomes = merger.outcomes(blocks, partial(in_order, limit=len(blocks)))
    found = (finding for _, outcome in outcomes for hit in outcome.hits for finding in hit.findings)
    return [*reported_with_row(found), *merger.finish()]


class _Block(NamedTuple):
    """A block of the dataset, after ``offset`` rows; Ray holds the table."""

    table: Any
    offset: int
    file: str = FILE


def _head(table: pyarrow.Table) -> list[bytes]:
    return list(_lines(table.slice(0, ROWS)))


def _size(table: pyarrow.Table) -> int:
    return int(table.num_rows)


def _check(
    make: Callable[[], Linter],
    detector: Detector,
    input_format: InputFormat | None,
    table: pyarrow.Table,
    offset: int,
    firsts: Firsts,
) -> Outcome:
    """Check a block; the outcome has no texts of rows."""
    layout, reader = detector.layout_and_reader(input_format)
    numbered = enumerate(_lines(table), offset + 1)
    rows = (LintRow(FILE, number, line, layout, reader, fixed=detector.layout is not None) for number, line in numbered)
    outcome = check_rows(make(), rows, {}, firsts)
    return outcome._replace(hits=[hit._replace(raw=b"") for hit in outcome.hits])


# ── blocks ──────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def _in_order(dataset: Dataset) -> Iterator[None]:
    """Keep the blocks of a dataset in order, which costs some speed and is not Ray's default."""
    options = dataset.context.execution_options
    before, options.preserve_order = options.preserve_order, True
    try:
        yield
    finally:
        options.preserve_order = before


def _mapped(dataset: Dataset, function: Callable[[pyarrow.Table], pyarrow.Table]) -> Dataset:
    """A dataset with each block mapped."""
    return dataset.map_batches(function, batch_size=None, batch_format="pyarrow")


def _lines(table: pyarrow.Table, lines: parquet.ArrowRows | None = None) -> Iterator[bytes]:
    """The rows of a block as JSON lines."""
    lines = lines or parquet.ArrowRows(table.schema)
    return chain.from_iterable(map(lines.of, table.to_batches(max_chunksize=parquet.BATCH_ROWS)))
