"""The ends of the pipes that are a command's standard streams."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any


def write(file: int, pieces: Iterable[bytes]) -> None:
    """Write pieces to a pipe as they come, until nobody reads them, and close it."""
    with suppress(BrokenPipeError), open(file, "wb", buffering=0) as pipe:
        for piece in pieces:
            left = memoryview(piece)
            while left:
                left = left[pipe.write(left) :]


def read(file: int) -> bytes:
    """All that is written to a pipe until its other end is closed."""
    with open(file, "rb") as pipe:
        return pipe.read()


def standard(number: int) -> tuple[int, int]:
    """A new pipe for a standard stream: the command's end, and the other one."""
    read_end, write_end = os.pipe()
    return (write_end, read_end) if number else (read_end, write_end)


def interrupted(process: subprocess.Popen[Any]) -> int:
    """The status of a command that waits for input and is interrupted.

    A signal that comes after Python last looked for one, but before the read begins, is seen when the read ends. So it
    is sent again where the command still waits.
    """
    deadline = time.monotonic() + 600
    while True:
        process.send_signal(signal.SIGINT)
        try:
            return process.wait(10)
        except subprocess.TimeoutExpired:
            assert time.monotonic() < deadline, "the command does not end"
