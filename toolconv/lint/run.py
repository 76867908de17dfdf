"""A whole run of ``lint``: inputs through the linter, in this process or in several, to a report and rewritten rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Literal

from toolconv.convert.detect import Detector, InputFormat
from toolconv.convert.receipt import MAX_PLACES, Place, Receipt
from toolconv.core.answers import on_each_answer
from toolconv.core.errors import FileError
from toolconv.core.facts import Facts
from toolconv.core.messages import Tool
from toolconv.io.hashed import sha256_of
from toolconv.io.inputs import MAX_LINE_BYTES, STDIN, Block, Input
from toolconv.io.workers import Workers
from toolconv.lint.engine.baseline import Baseline, known_and_gone
from toolconv.lint.engine.checked import Checked
from toolconv.lint.engine.linter import Linter
from toolconv.lint.engine.rewrite import Buffer, Diff, Rewritten, line_of
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.source import RowBlock, Segment, read_blocks
from toolconv.lint.reporters.report import FindingsReport
from toolconv.lint.rule import Firsts

if TYPE_CHECKING:
    from toolconv.lint.engine.distributed import Merger, Outcome
    from toolconv.lint.engine.summary import Summary


class LintRun(Facts):
    """A run.

    Attributes:
        linter: checks the rows, and fixes them if configured to.
        make_linter: creates an equivalent linter in a worker process.
        detector: detects the format of the inputs.
        report: takes the findings.
        mode: ``check`` only; ``fix`` (or mark) files, and write standard input, fixed, to ``rows``; write a ``diff`` of
            the changes to the report; or ``filter``: write the rows without errors to ``rows``.
        rows: takes rows.
        receipt: the account to fill in; ``None`` without one.
        baseline: collects the findings; ``None`` not to.
        jobs: number of processes; the findings are the same for any.
        max_line: longest line to read, in bytes.
        stdin_filename: the name of standard input in findings and for ignores by file; ``None`` for its own.
        digests: SHA-256 of each input, with a receipt.
        replaced: SHA-256 of each file that a fixed one replaced, with a receipt: of the new one.
    """

    linter: Linter
    make_linter: Callable[[], Linter]
    detector: Detector
    report: FindingsReport
    mode: Literal["check", "fix", "diff", "filter"] = "check"
    rows: Buffer | None = None
    receipt: Receipt | None = None
    baseline: Baseline | None = None
    jobs: int = 1
    max_line: int = MAX_LINE_BYTES
    stdin_filename: str | None = None
    digests: dict[str, str] = field(default_factory=dict)
    replaced: dict[str, str] = field(default_factory=dict)

    def check(self, names: Sequence[str], progress: Callable[[int, int], None] | None = None, done: int = 0) -> int:
        """Check the inputs of one dataset.

        Args:
            names: inputs; ``-`` is standard input.
            progress: called with the bytes and rows read so far, after each block.
            done: the bytes of the datasets before it.

        Returns:
            The bytes read.

        Raises:
            FileError: an input or output fails; what was found before is reported.
        """
        with Workers(self.jobs) as workers:
            merger = self._merger(workers) if self.jobs > 1 else None
            finish = (merger or self.linter).finish
            for name in names:
                source = Input(name, max_line=self.max_line)
                if name == STDIN and self.stdin_filename is not None:
                    source.label = self.stdin_filename
                try:
                    for read in self._input(source, workers, merger):
                        self._flush()
                        if progress is not None:
                            progress(done + read, self.report.tally.rows)
                except FileError:
                    self._report(finish(cut=True), None)
                    raise
                finally:
                    self._flush()
                    source.close()
                done += source.size or 0
            last = finish()
        self._report(last, None)
        return done

    def _merger(self, workers: Workers) -> Merger[RowBlock]:
        from toolconv.lint.engine.distributed import Merger

        return Merger(self.linter, self._starter(workers))

    def _starter(self, workers: Workers) -> Callable[[RowBlock, Firsts], Callable[[], Outcome]]:
        import pickle

        make = pickle.dumps(self.make_linter)
        files: dict[str, int] = {}

        def start(block: RowBlock, firsts: Firsts) -> Callable[[], Outcome]:
            files.setdefault(block.file, len(files))
            return workers.start(_check_block, make, block.sent(), dict(files), firsts)

        return start

    def _flush(self) -> None:
        self.report.flush()
        if self.rows is not None:
            self.rows.flush()

    # ── one input ──

    def _input(self, source: Input, workers: Workers, merger: Merger[RowBlock] | None) -> Iterator[int]:
        """Check the rows of an input; after each block, the bytes read so far."""
        rewriter = self._rewriter(source)
        every_row = rewriter is not None or self.mode == "filter" or self.receipt is not None
        before = b""
        try:
            for block, outcome in self._outcomes(source, workers, merger):
                if block.made and rewriter is not None:
                    raise FileError(
                        f"{source.label}: its rows are made from several lines and can't be fixed in place: "
                        "write them as rows first, with toolconv parse"
                    )
                if every_row or not isinstance(block.content, Block):
                    segments = block.segments(before)
                    rows = self._check(segments) if outcome is None else _match(segments, outcome)
                else:
                    rows = self._check_rows(block) if outcome is None else self._hits(block, outcome)
                for segment, checked in rows:
                    if checked is None:
                        before = segment.before
                        continue
                    self._account(segment, checked)
                    if rewriter is not None:
                        rewriter.add(segment, checked)
                yield block.read
                del block  # before the next block is read
            if every_row:
                source.check_unchanged()
            if self.receipt is not None:
                self.receipt.add_changes(source.changes)
                self.digests[source.label] = source.sha256()
            if rewriter is not None:
                rewriter.add(Segment(before, None), None)
                rewriter.finish()
                if self.receipt is not None and isinstance(rewriter, Rewritten) and rewriter.replaced:
                    self.replaced[source.label] = sha256_of(source.name)
        finally:
            if isinstance(rewriter, Rewritten):
                rewriter.abandon()

    def _outcomes(
        self, source: Input, workers: Workers, merger: Merger[RowBlock] | None
    ) -> Iterator[tuple[RowBlock, Outcome | None]]:
        """The blocks of an input, with their outcomes if other processes check them."""
        blocks = read_blocks(source, self.detector)
        if merger is None:
            return ((block, None) for block in blocks)
        return merger.outcomes(blocks, partial(workers.in_order, is_waiting=source.is_waiting, per_job=2))

    def _check(self, segments: Iterator[Segment]) -> Iterator[tuple[Segment, Checked | None]]:
        """Check rows in this process."""
        check = self.linter.check
        for segment in segments:
            yield segment, check(segment.row) if segment.row is not None else None

    def _check_rows(self, block: RowBlock) -> Iterator[tuple[Segment, Checked]]:
        """Check rows in this process; those with findings are returned, the others only counted."""
        tally = self.report.tally
        for checked in self.linter.check_all(block.rows()):
            if checked.findings:
                yield Segment(b"", checked.row), checked
            else:
                tally.rows += 1

    def _hits(self, block: RowBlock, outcome: Outcome) -> Iterator[tuple[Segment, Checked]]:
        """The rows in which another process found something; all rows of the block are counted."""
        self.report.tally.rows += outcome.rows - len(outcome.hits)
        like = LintRow(
            block.file,
            0,
            b"",
            *block.detector.layout_and_reader(block.input_format),
            fixed=block.detector.layout is not None,
        )
        for hit in outcome.hits:
            checked = hit.checked(like)
            yield Segment(b"", checked.row), checked
        if outcome.failure is not None:
            raise outcome.failure

    def _rewriter(self, source: Input) -> Rewritten | Diff | None:
        if self.mode == "fix":
            return Rewritten(source, self.rows)
        return Diff(source.label, self.report.write) if self.mode == "diff" else None

    # ── one row ──

    def _report(self, findings: Sequence[Finding], row: LintRow | None) -> None:
        self.report.add(findings, row)
        if self.baseline is not None:
            for finding in findings:
                self.baseline.add(finding, row.raw if row is not None else None)

    def _account(self, segment: Segment, checked: Checked) -> None:
        tally = self.report.tally
        if checked.fixed:
            tally.fixed.update(checked.fixed)
            self.report.add_fixed(checked)
        if checked.ignored:
            tally.ignored += checked.ignored
            tally.ignoring += 1
        if checked.marked is not None:
            tally.marked = tally.marked.plus(checked.marked)
        if checked.dropped is not None:
            self.report.add_removed(checked.dropped)
        if checked.findings:
            self._report(checked.findings, checked.row)
        tally.rows += 1
        if self.mode == "filter" and self.rows is not None and not checked.has_error:
            self.rows.data(line_of(segment) + b"\n")
        if self.receipt is not None:
            passes = not checked.has_error if self.mode == "filter" else checked.row.conversation is not None
            _count(self.receipt, checked, self.linter.given_tools, passes=passes)


def check_datasets(runs: Sequence[tuple[LintRun, Sequence[str]]], progress: Callable[[int, int], None] | None) -> None:
    """Check datasets one after the other, into the report and receipt that their runs share.

    Args:
        runs: for each dataset, its run and the names of its inputs.
        progress: called with the bytes and rows read so far.

    Raises:
        FileError: an input or output fails; what was found before is reported.
    """
    report = runs[0][0].report
    report.begin()
    done = 0
    summary: Summary | None = None
    for run, names in runs:
        done = run.check(names, progress, done)
        if summary is None:
            summary = run.linter.summary
        elif run.linter.summary is not None:
            summary.merge(run.linter.summary)
    if summary is not None:
        summary.known = known_and_gone(run.linter.baseline for run, _ in runs)
    report.end([name for _, names in runs for name in names], summary)
    report.flush()
    if (receipt := runs[0][0].receipt) is not None:
        receipt.issues = report.tally.codes


def _match(segments: Iterator[Segment], outcome: Outcome) -> Iterator[tuple[Segment, Checked | None]]:
    """The segments of a block with the findings of another process."""
    hits = {hit.place: hit for hit in outcome.hits}
    index = 0
    for segment in segments:
        if segment.row is None:
            yield segment, None
            continue
        hit = hits.get(index)
        yield segment, hit.checked(segment.row) if hit is not None else Checked(segment.row, [])
        index += 1


def _count(receipt: Receipt, checked: Checked, given_tools: Sequence[Tool], *, passes: bool) -> None:
    """Count a row, with its tools and its calls, also those in its texts."""
    from toolconv.dialects.turns import attach_tools, parse_turns

    row = checked.row
    receipt.rows_in += 1
    if passes:
        receipt.rows_out += 1
    else:
        receipt.rejects += 1
        if len(receipt.reject_places) < MAX_PLACES:
            errors = [finding for finding in checked.findings if finding.level == "error"]
            reason = f"{errors[0].code} {errors[0].message}" if errors else "no row of any known layout"
            receipt.reject_places.append(Place(row.file, row.line, reason))
    if row.row is not None and row.conversation is not None and row.read_as is not None:
        conversation = row.read_as.read(row.row)
        if given_tools:
            receipt.rows_given_tools += attach_tools(conversation, list(given_tools), row.dialect)
        if (reader := row.reader) is not None:
            on_each_answer(conversation, lambda each: parse_turns(each, reader))
            receipt.untyped_values += conversation.notes.untyped
        receipt.count({**conversation.row, "messages": conversation.all_messages})


# ── in a worker process ──


def _check_block(make: bytes, block: RowBlock, files: Mapping[str, int], firsts: Firsts) -> Outcome:
    from toolconv.lint.engine.distributed import check_rows

    return check_rows(_linter(make), block.rows(), files, firsts)


@lru_cache(maxsize=1)
def _linter(make: bytes) -> Linter:
    import pickle

    linter: Linter = pickle.loads(make)()
    return linter


# ── with another command ──


class LintWatcher:
    """Checks the rows read by another command: a :class:`toolconv.convert.pipeline.Watcher`.

    Args:
        linter: checks the rows.
        detector: detects their format.
        report: takes the findings.
        log: takes the summary.
        redact: leave secrets out of the findings' messages, as ``--redact`` does with rows.
    """

    def __init__(
        self,
        linter: Linter,
        detector: Detector,
        report: FindingsReport,
        log: Callable[[str], None],
        *,
        redact: bool = False,
    ) -> None:
        self._linter = linter
        self._detector = detector
        self._report = report
        self._log = log
        self._redact = redact

    def see(self, file: str, input_format: InputFormat | None, block: Block) -> None:
        """Check a block of lines."""
        for row in RowBlock(file, block.read, self._detector, input_format, block._replace(cut=False)).rows():
            checked = self._linter.check(row)
            self._report.tally.rows += 1
            self._report.add(self._shown(checked.findings), checked.row)
        self._report.flush()

    def _shown(self, findings: list[Finding]) -> list[Finding]:
        """The findings as they may be reported."""
        if not self._redact:
            return findings
        from toolconv.convert.redaction import redacted_text

        return [replace(each, message=redacted_text(each.message)) for each in findings]

    def finish(self) -> Counter[str]:
        """Report the findings about the dataset; the number of findings of the run, by rule."""
        tally = self._report.tally
        self._report.add(self._shown(self._linter.finish()), None)
        self._report.flush()
        self._log(tally.summary())
        return tally.codes
