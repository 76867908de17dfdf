"""Checkpoints: how far a run is, saved in a file next to its unfinished output, for ``--resume``.

A checkpoint is saved at fixed places of the input, once all output before it is on disk. A run that was killed at any
moment continues from its last checkpoint and ends with the same bytes as an uninterrupted run. So it continues only as
the same run: with the same inputs, options, contents of the files that options name, date and version of toolconv.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from toolconv.convert.receipt import Receipt
from toolconv.core import jsontext
from toolconv.core.errors import FileError
from toolconv.core.facts import Facts
from toolconv.core.version import __version__
from toolconv.io.outputs import Output, part_of, write_file

DATE: Final = "SOURCE_DATE_EPOCH"
"""The variable that holds the date which chat templates print, in all processes of a run."""

STRIDE = 1 << 23
"""A checkpoint is saved after every so many bytes of input."""


class Checkpoint(Facts, kw_only=False):
    """How far a run is.

    Attributes:
        file: the index of the input.
        lines: how many of its lines are done.
        marks: bytes written to each output.
        receipt: the account so far.
    """

    file: int
    lines: int
    marks: tuple[int, ...]
    receipt: Receipt


class CheckpointWriter:
    """Saves the checkpoints of a run, and loads the last one.

    Args:
        target: the output's name; the checkpoint is saved next to it.
        inputs: names of the inputs.
        identity: what else makes the run this one, by the name that the user knows it by, such as ``--to``.

    Attributes:
        outputs: the outputs of the run.
        rows: rows of input before the last checkpoint; ``None`` if there is no checkpoint.
    """

    def __init__(self, target: str, inputs: Sequence[str], identity: Mapping[str, str]) -> None:
        self._path = _path_of(target)
        stats = [(name, file.st_size, file.st_mtime_ns) for name in inputs for file in [Path(name).stat()]]
        self._identity = {"the inputs": repr(stats), **identity, "the version": __version__}
        self._stride = 0
        self.outputs: Sequence[Output] = ()
        self.rows: int | None = None

    def load(self) -> Checkpoint | None:
        """The checkpoint of an interrupted run; ``None`` if there is none.

        Raises:
            FileError: the run had other inputs or options, or the file is not a checkpoint.
        """
        try:
            note = jsontext.loads(self._path.read_bytes())
            receipt = Receipt.from_state(note["receipt"])
            checkpoint = Checkpoint(note["file"], note["lines"], tuple(note["marks"]), receipt)
            self._stride = note["stride"]
            changed = [name for name in {**self._run, **note["run"]} if self._run.get(name) != note["run"].get(name)]
            changed += [DATE] if note["date"] != os.environ.get(DATE, "") else []
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FileError(f"{self._path}: not a checkpoint ({error}): run without --resume to start over") from None
        if changed:
            raise FileError(
                f"{self._path}: from another run, which differs in {', '.join(changed)}: "
                "run without --resume to start over"
            )
        self.rows = receipt.rows_in
        return checkpoint

    def reached(self, file: int, lines: int, read: int, receipt: Receipt) -> None:
        """Note how far the run is, after each block, and save a checkpoint if one is due.

        Raises:
            FileError: it can't be written.
        """
        stride = read // STRIDE
        if stride == self._stride:
            return
        self._stride = stride
        marks = [output.mark() for output in self.outputs]
        if None in marks:
            return
        note: dict[str, Any] = {
            "run": self._run,
            "date": os.environ.get(DATE, ""),
            "stride": stride,
            "file": file,
            "lines": lines,
            "marks": marks,
        }
        write_file(str(self._path), jsontext.dumps({**note, "receipt": receipt.state()}))
        self.rows = receipt.rows_in

    def forget(self) -> None:
        """Remove the checkpoint: the run is complete, or can't be continued."""
        self._path.unlink(missing_ok=True)
        self.rows = None

    @cached_property
    def _run(self) -> dict[str, str]:
        """A digest of each part of the run's identity, taken where a checkpoint is read or written."""
        import hashlib

        return {
            name: hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]
            for name, value in self._identity.items()
        }

    @property
    def hint(self) -> str:
        """How to continue the run, as the end of an error message; empty if there is no checkpoint."""
        if self.rows is None:
            return ""
        return f"; run the same command with --resume to continue after row {self.rows:,}"


def pin_date(target: str | None) -> None:
    """Have all texts of a run print one date: that of the environment, of the interrupted run, or today.

    Args:
        target: the output whose run is resumed; ``None`` if none is.
    """
    if os.environ.get(DATE, "").isdecimal():
        return
    date = ""
    if target is not None:
        with suppress(OSError, ValueError, KeyError, TypeError):  # load() says what is wrong with it
            date = jsontext.loads(_path_of(target).read_bytes())["date"]
    os.environ[DATE] = date or str(
        int(time.time()) + time.localtime().tm_gmtoff
    )  # the local date, as templates read it


def _path_of(target: str) -> Path:
    return part_of(Path(target)).with_suffix(".resume")
