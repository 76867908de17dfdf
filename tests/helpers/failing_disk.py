"""``python -m tests.helpers.failing_disk FOLDER ARGUMENTS…``: run a ``toolconv`` command again and again on a disk that fails.

In one run the k-th call of one of :data:`CALLS` fails with ENOSPC (a write writes half of its bytes first), and each
later one too: a disk that is full stays full. The runs for a call end with the one that makes fewer than k of it. Each
starts with a copy of FOLDER and leaves its own in ``FOLDER.CALL.K``; a line of JSON says how it ended. What fails is
what ``toolconv.io.outputs`` opens, which is all that toolconv writes.
"""

from __future__ import annotations

import errno
import io
import json
import os
import runpy
import shutil
import sys
import traceback
from pathlib import Path
from typing import Any

from tests.helpers.fork_server import import_modules
from toolconv.convert import checkpoint
from toolconv.io import inputs

CALLS = ("write", "fsync", "replace")
BLOCK = 1 << 13
"""How many bytes of input are read at once, and how many there are between two checkpoints: small files have some, too."""


class Disk:
    """Counts the calls that may fail, and fails from one of them on."""

    def __init__(self, call: str, last: int) -> None:
        self.calls = 0
        self._call = call
        self._last = last

    def fails(self, call: str) -> bool:
        """Count a call, and say whether it fails."""
        self.calls += call == self._call
        return call == self._call and self.calls >= self._last

    def put_under(self) -> None:
        """Let what toolconv writes from now on go to this disk."""
        disk, fdopen, fsync, replace = self, os.fdopen, os.fsync, os.replace

        class File(io.FileIO):
            def write(self, data: Any, /) -> int:
                if disk.fails("write"):
                    super().write(bytes(data)[: len(data) // 2])
                    raise full()
                return super().write(data) or 0

        def opened(number: int, mode: str = "r", *args: Any, **options: Any) -> Any:
            if mode not in ("ab", "wb"):
                return fdopen(number, mode, *args, **options)
            return io.BufferedWriter(File(number, mode))

        def synced(number: int) -> None:
            if disk.fails("fsync"):
                raise full()
            fsync(number)

        def replaced(*args: Any, **options: Any) -> None:
            if disk.fails("replace"):
                raise full()
            replace(*args, **options)

        os.fdopen, os.fsync, os.replace = opened, synced, replaced  # type: ignore[assignment]


def full() -> OSError:
    """The error of a full disk."""
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def run(disk: Disk, folder: Path, arguments: list[str], results: int) -> None:
    """Run the command in this process, write to ``results`` how it ended, and end."""
    status: Any = 0
    os.chdir(folder)
    sys.argv = ["toolconv", *arguments]
    with Path(f"{folder}.err").open("w") as errors, Path(os.devnull).open("w") as nothing:
        sys.stdout, sys.stderr = nothing, errors
        checkpoint.STRIDE = inputs.BLOCK_BYTES = BLOCK
        disk.put_under()
        try:
            runpy.run_module("toolconv", run_name="__main__", alter_sys=False)
        except SystemExit as ended:
            status = ended.code or 0
        except BaseException:
            traceback.print_exc()
            status = "traceback"
    os.write(results, json.dumps({"calls": disk.calls, "status": status}).encode())
    os._exit(0)


def main() -> None:
    """Run the command until no call fails, for each of the calls."""
    name, *arguments = sys.argv[1:]
    import_modules()
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
            result = json.loads(os.read(reading, 1000))
            os.close(reading)
            os.waitpid(child, 0)
            failed = result["calls"] >= last
            errors = Path(f"{folder}.err").read_text()
            print(json.dumps({**result, "failed": failed, "folder": str(folder), "errors": errors}))


if __name__ == "__main__":
    main()
