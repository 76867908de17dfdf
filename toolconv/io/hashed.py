"""SHA-256 of files, and of streams, which can't be read again."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import IO, Any

from toolconv.core.errors import FileError
from toolconv.io.remote import RemoteFile, is_remote


class HashedStream:
    """A binary stream that hashes the bytes which are read from it, or written to it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream: Any = stream
        self._sha256 = new_sha256()

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._stream.read(size)
        self._sha256.update(data)
        return data

    def read1(self, size: int = -1) -> bytes:
        data: bytes = getattr(self._stream, "read1", self._stream.read)(size)
        self._sha256.update(data)
        return data

    def write(self, data: bytes) -> int:
        written: int = self._stream.write(data)
        self._sha256.update(data)
        return written

    def hexdigest(self) -> str:
        """The SHA-256 of the bytes so far, in hexadecimal."""
        return str(self._sha256.hexdigest())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def new_sha256() -> Any:
    """What computes a SHA-256. Its library takes as long to load as a tenth of a short run."""
    import hashlib

    return hashlib.sha256()


def sha256_of(name: str) -> str:
    """The SHA-256 of a file, in hexadecimal.

    Raises:
        FileError: the file can't be read.
    """
    import hashlib

    try:
        with closing(RemoteFile(name)) if is_remote(name) else Path(name).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise FileError(f"{name}: {error.strerror or error}") from None
