"""The ends of the pipes that are a command's standard streams."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress


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
