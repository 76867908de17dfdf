"""Write pipes and files, compressed by their ending; a file appears under its name only when it is complete."""

from __future__ import annotations

import gzip
import hashlib
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from toolconv.core.errors import FileError, MissingExtra
from toolconv.io import parquet
from toolconv.io.inputs import sha256_of, zstandard_module

SPARE_FILES = 200
"""How many files are open apart from the outputs, at most."""


class Output:
    """One output: standard output, or a file that appears under its name only when it is complete.

    Until then the data is in a hidden file ``.NAME.part`` in the same folder, which a later run can continue. Other
    kinds of files, such as ``/dev/null`` or a named pipe, are written directly.

    Args:
        name: a path, or ``None`` for standard output. ``.gz`` and ``.zst`` are compressed; ``.parquet`` takes rows.
        start: continue an unfinished file after its first ``start`` bytes.

    Raises:
        FileError: the file can't be created, or another run is writing it.
    """

    def __init__(self, name: str | None, start: int = 0) -> None:
        self.name = name
        self._marked: int | None = start
        self._digest = hashlib.sha256() if name is None else None
        self._part: Path | None = None
        if name is None:
            self._raw: IO[bytes] = sys.stdout.buffer
            self._stream: Any = self._raw
            return
        self._path = Path(os.path.realpath(name))
        try:
            if self._path.is_dir():
                raise FileError(f"{name}: is a directory")
            if (given := Path(name)).exists() and not given.is_file():  # a pipe can't be replaced by a part file
                self._raw = given.open("wb")
            else:
                self._part = part_of(self._path)
                self._raw = _opened_alone(self._part, start)
        except OSError as error:
            raise FileError(f"{name}: {error.strerror or error}") from None
        try:
            self._stream = self._compressed(name)
        except MissingExtra:
            self.abandon()
            raise

    def _compressed(self, name: str) -> Any:
        if name.endswith(".gz"):
            return gzip.GzipFile(filename="", fileobj=self._raw, mode="wb", mtime=0)  # reproducible bytes
        if name.endswith(".zst"):
            return zstandard_module().ZstdCompressor().stream_writer(self._raw, closefd=False)
        if name.endswith(".parquet"):
            return parquet.ParquetWriter(self._raw, Path(name).parent)
        return self._raw

    def write(self, data: bytes) -> None:
        """Write ``data``; standard output is flushed at once.

        Raises:
            FileError: the data can't be written, for example because the disk is full.
            BrokenPipeError: the reader closed the pipe.
        """
        self._marked = None
        try:
            self._stream.write(data)
            if self._part is None:
                self._stream.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise self._failed(error) from None
        if self._digest is not None:
            self._digest.update(data)

    def mark(self) -> int | None:
        """Sync the unfinished file to disk and return its size in bytes: where another run can continue.

        Returns ``None`` if no run can, which is the case for anything but a regular file. Compression restarts at a
        mark, so two runs write the same bytes only if they mark at the same places.

        Raises:
            FileError: the data can't be written.
        """
        if self._part is None or self.name is None or self.name.endswith(".parquet"):
            return None
        if self._marked is not None:  # nothing was written since
            return self._marked
        try:
            if self._stream is not self._raw:
                self._stream.close()
            self._raw.flush()
            os.fsync(self._raw.fileno())
            place = self._marked = self._raw.tell()
            if self._stream is not self._raw:
                self._stream = self._compressed(self.name)
            return place
        except OSError as error:
            raise self._failed(error) from None

    def sha256(self) -> str:
        """The SHA-256 of the finished file, or of the data written to standard output."""
        return self._digest.hexdigest() if self._digest is not None else sha256_of(self.name or "")

    def finish(self) -> None:
        """Complete the file and rename it to its final name.

        Raises:
            FileError: the data can't be written.
        """
        if self.name is None:
            return
        try:
            if self._stream is not self._raw:
                self._stream.close()
            if self._part is not None:
                self._raw.flush()
                self._part.replace(self._path)
                self._part = None
            self._raw.close()
        except OSError as error:
            raise self._failed(error) from None

    def abandon(self, *, keep: bool = False) -> None:
        """Close the unfinished file, and delete it unless ``keep`` is set. Does nothing after :meth:`finish`."""
        if self._part is not None:
            if not keep:
                self._part.unlink(missing_ok=True)
            with suppress(OSError):
                self._raw.close()
            self._part = None

    def _failed(self, error: OSError) -> FileError:
        return FileError(f"{self.name or '<stdout>'}: {error.strerror or error}")


def allow_open_files(count: int) -> None:
    """Raise the limit of open files, as far as the system allows, if ``count`` outputs may exceed it."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        needed = count + SPARE_FILES
        if soft < needed:
            resource.setrlimit(resource.RLIMIT_NOFILE, (needed if hard < 0 else min(needed, hard), hard))


def part_of(path: Path) -> Path:
    """The path that holds a file until it is complete."""
    return path.with_name(f".{path.name}.part")


def _opened_alone(path: Path, start: int) -> IO[bytes]:
    """Open a file for this run alone, truncated to its first ``start`` bytes.

    Raises:
        OSError: another run is writing the file, or it can't be opened.
    """
    raw = path.open("ab")
    try:
        with suppress(ImportError):  # without fcntl, other runs can't be detected
            import fcntl

            fcntl.flock(raw, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not os.path.samestat(os.fstat(raw.fileno()), path.stat()):
                raise BlockingIOError  # another run finished and renamed it in the meantime
        if raw.tell() < start:
            raise OSError("the unfinished file is shorter than it was")
        raw.truncate(start)
    except (BlockingIOError, FileNotFoundError):
        raw.close()
        raise OSError("another run is writing it") from None
    except OSError:
        raw.close()
        raise
    return raw


def write_file(name: str, data: bytes) -> None:
    """Write a whole file; it appears under its name only when it is complete.

    Raises:
        FileError: the file can't be written.
    """
    output = Output(name)
    try:
        output.write(data)
        output.finish()
    finally:
        output.abandon()
