"""Data that waits in a temporary file until all of the input was read."""

from __future__ import annotations

import io
from contextlib import suppress
from typing import IO, NoReturn

from toolconv.core.errors import FileError


class SpillFile:
    """Data that is kept in memory, and in a temporary file once there is much of it.

    Args:
        memory: up to this many bytes stay in memory.
    """

    def __init__(self, memory: int = 0) -> None:
        self._memory = memory
        self._file: IO[bytes] = io.BytesIO()
        self._end = 0
        self._at_end = True

    def add(self, data: bytes) -> int:
        """Add data; returns the place where it begins.

        Raises:
            FileError: the temporary file can't be created or written.
        """
        start = self._end
        self._end += len(data)
        try:
            if isinstance(self._file, io.BytesIO) and self._end > self._memory:
                self._move_to_disk(self._file.getvalue())
            if not self._at_end:
                self._file.seek(start)
                self._at_end = True
            self._file.write(data)
        except OSError as error:
            _failed(error)
        return start

    def _move_to_disk(self, kept: bytes) -> None:
        import tempfile  # takes long to load

        self._file = tempfile.TemporaryFile(prefix="toolconv-")  # noqa: SIM115 - closed in close()
        self._file.write(kept)
        self._at_end = True

    def read(self, start: int, size: int) -> bytes:
        """Read ``size`` bytes from a place, or as many as there are.

        Raises:
            FileError: they can't be read, or what was added before can't be written.
        """
        self._at_end = False
        try:
            self._file.seek(start)
            return self._file.read(size)
        except OSError as error:
            _failed(error)

    def close(self) -> None:
        """Delete the temporary file."""
        with suppress(OSError):  # what is left in the buffer may not fit on the disk
            self._file.close()


def _failed(error: OSError) -> NoReturn:
    """Raise an error of the temporary file, with the name of its folder."""
    import tempfile

    folder = f" in {tempfile.tempdir}" if tempfile.tempdir else ""
    raise FileError(f"a temporary file{folder}: {error.strerror or error}") from None
