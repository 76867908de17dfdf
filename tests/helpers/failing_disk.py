"""``python -m tests.helpers.failing_disk``: run ``toolconv`` commands again and again on a disk that fails.

Each line of standard input is a command: JSON of ``[FOLDER, ARGUMENTS]``. In one run the k-th call of one of :data:`CALLS` fails with ENOSPC (a write writes half of its bytes first), and each
later one too: a disk that is full stays full. The runs for a call end with the one that makes fewer than k of it. Each
starts with a copy of FOLDER, a pipe with its ``tools.json`` as standard input, and leaves its own folder in
``FOLDER.CALL.K``; a line of JSON says how it ended, and where toolconv opened files to write, temporary ones, too. An
empty line follows the last run of a command.
"""

from __future__ import annotations

import errno
import gc
import io
import json
import os
import runpy
import shutil
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import toolconv
from tests.helpers.fork_server import import_modules
from toolconv.cli.group import cli
from toolconv.convert import checkpoint
from toolconv.io import inputs
from toolconv.layouts import traces

PACKAGE = Path(toolconv.__file__).parent
CALLS = ("create", "write", "fsync", "replace")
BLOCK = 1 << 13
"""How many bytes of input are read at once, and how many there are between two checkpoints: small files have some, too."""


class Disk:
    """Counts the calls that may fail, and fails from one of them on.

    Attributes:
        places: where toolconv opened files to write: ``FILE:LINE``.
    """

    def __init__(self, call: str, last: int) -> None:
        self.calls = 0
        self.places: set[str] = set()
        self._call = call
        self._last = last

    def fails(self, call: str) -> bool:
        """Count a call, and say whether it fails."""
        self.calls += call == self._call
        return call == self._call and self.calls >= self._last

    def put_under(self) -> None:
        """Let what toolconv writes from now on go to this disk."""
        disk, create, fsync, replace = self, os.open, os.fsync, os.replace
        io_open: Any = io.open

        class File(io.FileIO):
            def write(self, data: Any, /) -> int:
                if disk.fails("write"):
                    super().write(bytes(data)[: len(data) // 2])
                    raise full()
                return super().write(data) or 0

        def opened(file: Any, mode: str = "r", *args: Any, opener: Any = None, **options: Any) -> Any:
            if "b" not in mode or mode == "rb":
                return io_open(file, mode, *args, opener=opener, **options)
            disk.places |= {place} if (place := place_in_toolconv()) else set()
            if not isinstance(file, int) and not opener and disk.fails("create"):
                raise full()
            raw = File(file, mode.replace("b", ""), opener=opener)
            return io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)

        def created(path: Any, flags: int, *args: Any, **options: Any) -> int:
            if (flags & os.O_CREAT or flags & os.O_TMPFILE == os.O_TMPFILE) and disk.fails("create"):
                raise full()
            return create(path, flags, *args, **options)

        def synced(number: int) -> None:
            if disk.fails("fsync"):
                raise full()
            fsync(number)

        def replaced(*args: Any, **options: Any) -> None:
            if disk.fails("replace"):
                raise full()
            replace(*args, **options)

        tempfile.gettempdir()  # or a full disk has none
        io.open, os.open, os.fsync, os.replace = opened, created, synced, replaced  # type: ignore[assignment]


def place_in_toolconv() -> str | None:
    """The line of toolconv that is running, unless a test or a library was called from elsewhere."""
    frame = sys._getframe(2)
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(PACKAGE):
            return f"{path.relative_to(PACKAGE)}:{frame.f_lineno}"
        frame = frame.f_back  # type: ignore[assignment]
    return None


def full() -> OSError:
    """The error of a full disk."""
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def begin(folder: Path) -> None:
    """Make the folder the current one, and a pipe with its tools the standard input."""
    os.chdir(folder)
    pipe, entry = os.pipe()
    os.write(entry, Path("tools.json").read_bytes())
    os.close(entry)
    os.dup2(pipe, 0)
    os.close(pipe)


def run(disk: Disk, folder: Path, arguments: list[str], results: int) -> None:
    """Run the command in this process, write to ``results`` how it ended, and end."""
    status: Any = 0
    begin(folder)
    sys.argv = ["toolconv", *arguments]
    with Path(f"{folder}.err").open("w") as errors, Path(os.devnull).open("w") as nothing:
        sys.stdout, sys.stderr = nothing, errors
        checkpoint.STRIDE = inputs.BLOCK_BYTES = traces.MEMORY = BLOCK  # type: ignore[misc]
        disk.put_under()
        try:
            runpy.run_module("toolconv", run_name="__main__", alter_sys=False)
        except SystemExit as ended:
            status = ended.code or 0
        except BaseException:
            traceback.print_exc()
            status = "traceback"
    os.write(results, json.dumps({"calls": disk.calls, "status": status, "places": [*disk.places]}).encode())
    os._exit(0)


def run_again_and_again(name: str, arguments: list[str]) -> None:
    """Run a command until no call fails, for each of the calls."""
    begin(shutil.copytree(name, Path(f"{name}.first"), symlinks=True))
    CliRunner().invoke(cli, arguments)  # so that each run finds prepared what the first one prepares
    gc.freeze()
    for call in CALLS:
        last, failed = 0, True
        while failed:
            last += 1
            folder = Path(f"{name}.{call}.{last}")
            shutil.copytree(name, folder, symlinks=True)
            reading, writing = os.pipe()
            if (child := os.fork()) == 0:
                run(Disk(call, last), folder, arguments, writing)
            os.close(writing)
            result = json.loads(os.read(reading, 1 << 16))
            os.close(reading)
            os.waitpid(child, 0)
            failed = result["calls"] >= last
            errors = Path(f"{folder}.err").read_text()
            print(json.dumps({**result, "failed": failed, "folder": str(folder), "errors": errors}))


def main() -> None:
    """Run each command of standard input in a process forked from this one, which has imported toolconv."""
    import_modules()
    gc.freeze()
    while line := sys.stdin.buffer.readline():
        if (child := os.fork()) == 0:
            run_again_and_again(*json.loads(line))
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(child, 0)
        print(flush=True)


if __name__ == "__main__":
    main()
