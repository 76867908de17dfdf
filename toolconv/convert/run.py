"""A whole run of ``convert``: inputs to one output or to one each, rejects, checkpoints and the account."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from toolconv.convert.checkpoint import Checkpoint, CheckpointWriter
from toolconv.convert.options import Options, UsageError
from toolconv.convert.pipeline import Log, OnProgress, Watcher, results
from toolconv.convert.receipt import Receipt
from toolconv.convert.result import Result
from toolconv.convert.shards import WHOLE, Shard
from toolconv.core.errors import FileError, ToolconvError
from toolconv.core.facts import Facts
from toolconv.io import signals
from toolconv.io.folders import InputFile
from toolconv.io.inputs import STDIN, Input
from toolconv.io.outputs import Output, allow_open_files, descriptor_of
from toolconv.io.remote import is_remote
from toolconv.io.tables import named_as_lines
from toolconv.io.workers import Workers


class Failed(ToolconvError):
    """A row stops the run, as ``--on-error fail`` asks; the message is the last reject of the run's receipt."""

    def __init__(self, receipt: Receipt) -> None:
        place = receipt.reject_places[-1]
        super().__init__(f"{place.file}:{place.line}: {place.reason}")


class Target(NamedTuple):
    """An output and its inputs; the output ``None`` is standard output."""

    inputs: list[str]
    output: str | None


def targets_of(inputs: Sequence[InputFile], output: str | None) -> list[Target]:
    """One output for all inputs or, if it is a directory, a file in it for each, at the same place as in its folder.

    A table becomes a file of JSON lines, and its name ends so.

    Raises:
        UsageError: two inputs would have the same output, or an output would replace an input.
    """
    if output is None or not (output.endswith(os.sep) or Path(output).is_dir()):
        return [Target([name for name, _ in inputs], output)]
    taken: dict[str, str] = {}
    for name, relative in inputs:
        place = named_as_lines(relative)
        if name == STDIN or place in taken:
            why = f"{taken[place]} has the same name" if place in taken else "standard input has no name"
            raise UsageError(f"-o {output}: {name}: {why}: give -o FILE")
        taken[place] = name
    read = {os.path.realpath(name) for name in taken.values()}
    for place, name in taken.items():
        if os.path.realpath(Path(output) / place) in read:
            raise UsageError(f"-o {output}: {name}: its output would be an input: give another directory")
        (Path(output) / place).parent.mkdir(parents=True, exist_ok=True)
    return [Target([name], str(Path(output) / place)) for place, name in taken.items()]


def checkpoints_of(
    targets: Sequence[Target], output: str | None, identity: Mapping[str, str]
) -> CheckpointWriter | None:
    """Saves the checkpoints of a run; ``None`` if it can't be resumed: not from files, or not to files.

    Args:
        targets: of the run.
        output: the file or directory that the user names for them.
        identity: what else makes the run this one: see :class:`~toolconv.convert.checkpoint.CheckpointWriter`.
    """
    inputs = [name for target in targets for name in target.inputs]
    if descriptor_of(output) is not None or output is None or not all(Path(name).is_file() for name in inputs):
        return None
    for _, name in targets:
        if (
            name is None
            or is_remote(name)
            or name.endswith(".parquet")
            or (Path(name).exists() and not Path(name).is_file())
        ):
            return None
    return CheckpointWriter(output, inputs, identity)


class ConvertRun(Facts):
    """A run.

    Attributes:
        targets: inputs and outputs.
        options: what to do with each row.
        rejects: file for rejected lines.
        shard: the part of the input to convert.
        jobs: number of processes.
        checkpoints: saves how far the run is.
        resume: continue from the last checkpoint.
        log: takes messages for the user.
        watcher: sees the rows before they are converted.
    """

    targets: Sequence[Target]
    options: Options
    rejects: str | None = None
    shard: Shard = WHOLE
    jobs: int = 1
    checkpoints: CheckpointWriter | None = None
    resume: bool = False
    log: Log | None = None
    watcher: Watcher | None = None

    def run(self, progress: OnProgress | None = None) -> tuple[Receipt, dict[str, str]]:
        """Convert all inputs; outputs get their names once all of them are complete.

        Args:
            progress: called after each block.

        Returns:
            The account and, with ``options.account``, the SHA-256 of each input and output.

        Raises:
            UsageError: the options don't fit an input.
            FileError: an input or output fails; the message says how to resume, if that is possible.
            Failed: a row stops the run.
        """
        checkpoints = self.checkpoints
        with ExitStack() as unfinished:
            try:
                return self._run(unfinished, progress)
            except FileError as error:
                if checkpoints is None or not checkpoints.hint:
                    raise
                raise FileError(f"{error}{checkpoints.hint}") from None
            except Failed:
                if checkpoints is not None:
                    checkpoints.forget()
                raise

    def _run(self, unfinished: ExitStack, progress: OnProgress | None) -> tuple[Receipt, dict[str, str]]:
        checkpoints = self.checkpoints
        start = checkpoints.load() if checkpoints is not None and self.resume else None
        marks = iter(start.marks if start is not None else ())
        names = [output for _, output in self.targets]
        outputs: list[Output] = []
        allow_open_files(len(names))
        with signals.later():  # so that no unfinished file is left over
            for name in [*names, self.rejects] if self.rejects else names:
                outputs.append(Output(name, next(marks, 0), digest=self.options.account))
                unfinished.callback(self._abandon, outputs[-1])
        if checkpoints is not None:
            checkpoints.outputs = outputs
        with Workers(self.jobs) as workers:
            receipt, digests = self._convert(outputs, start, workers, progress)
        if self.watcher is not None:
            receipt.issues = self.watcher.finish()
        if self.options.requests:
            from toolconv.convert.requests import requests_in

            receipt.unanswered = requests_in(self.options.requests).without_answer(receipt.answered)
        if checkpoints is not None:
            checkpoints.forget()
        for output in outputs:
            output.finish()
            if self.log is not None:
                for notice in output.notices:
                    self.log(notice)
        if self.options.account:
            digests.update((output.name or "<stdout>", output.sha256()) for output in outputs[: len(names)])
        return receipt, digests

    def _convert(
        self, outputs: list[Output], start: Checkpoint | None, workers: Workers, progress: OnProgress | None
    ) -> tuple[Receipt, dict[str, str]]:
        """Write the outputs; the last one may take the rejects."""
        rejects = outputs[-1] if self.rejects else None
        receipt = start.receipt if start is not None else Receipt()
        digests: dict[str, str] = {}
        done = index = 0
        for (inputs, _), output in zip(self.targets, outputs, strict=False):
            for name, part in zip(inputs, self.shard.parts(inputs), strict=True):
                source = Input(name, part, self.options.max_line)
                skip = start.lines if start is not None and index == start.file else 0
                try:
                    if start is None or index >= start.file:
                        for end, result in results(source, self.options, workers, self.log, self.watcher, skip):
                            _write(result, output, rejects, receipt)
                            if progress is not None:
                                progress(done + end.read, receipt.rows_in, receipt.rejects)
                            if self.checkpoints is not None:
                                self.checkpoints.reached(index, end.line, done + end.read, receipt)
                            del result  # before the next block is read
                        source.check_unchanged()
                        receipt.add_changes(source.changes)
                finally:
                    source.close()
                done += source.size or 0
                index += 1
                if self.options.account:
                    digests[source.label] = source.sha256()
        return receipt, digests

    def _abandon(self, output: Output) -> None:
        output.abandon(keep=self.checkpoints is not None and self.checkpoints.rows is not None)


def _write(result: Result, output: Output, rejects: Output | None, receipt: Receipt) -> None:
    """Write a result and add its account to the receipt.

    Raises:
        Failed: a row stops the run.
    """
    receipt.add(result.receipt)
    if rejects is not None:
        for lines in result.long or result.rejects:
            rejects.write(lines)
    for rows in result.output:
        output.write(rows)
    if result.failed:
        raise Failed(receipt)
