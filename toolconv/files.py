"""Bytes in and out: files, pipes, compression, and lines in blocks that come out as soon as they are read."""

from __future__ import annotations

import gzip
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

from toolconv import parquet

BLOCK_BYTES = 1 << 18
STDIN = "-"


class FileError(Exception):
    """A file that can't be read or written; the message names it and says what to do."""


class MissingExtra(FileError):
    """A package that is not installed, asked for by the extra that brings it."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra: pip install 'toolconv[{extra}]'")


class Block(NamedTuple):
    """Whole lines as they were read in one go.

    Attributes:
        first_line: the number of the first line, from 1.
        lines: without their line ends; blank lines are there too.
        read: bytes read from the file so far, compressed as they are in it.
        waiting: the source had no more at the moment.
    """

    first_line: int
    lines: list[bytes]
    read: int
    waiting: bool


class Input:
    """One input, read in blocks.

    Args:
        name: a path, or ``-`` for standard input. ``.gz`` and ``.zst`` are decompressed, the rows of ``.parquet`` are
            read as JSON lines.

    Raises:
        FileError: it can't be opened.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.label = "<stdin>" if name == STDIN else name
        self._digest = hashlib.sha256() if name == STDIN else None
        self.size: int | None = None
        try:
            if name == STDIN:
                self._raw: IO[bytes] = sys.stdin.buffer
            else:
                self._raw = Path(name).open("rb")  # noqa: SIM115 - closed in close()
                self.size = os.fstat(self._raw.fileno()).st_size
            self._stream = _decompressed(self._raw, name)
        except OSError as error:
            raise FileError(f"{name}: {error.strerror or error}") from None

    def chunks(self) -> Iterator[bytes]:
        """The bytes, as much at a time as there is, at most a block.

        Raises:
            FileError: reading fails, or the compression is broken.
        """
        read = getattr(self._stream, "read1", self._stream.read)
        try:
            while chunk := read(BLOCK_BYTES):
                if self._digest is not None:
                    self._digest.update(chunk)
                yield chunk
        except (OSError, EOFError) as error:
            raise FileError(f"{self.label}: {getattr(error, 'strerror', None) or error}") from None

    def sha256(self) -> str:
        """The SHA-256 of the file, or of what was read from standard input."""
        return self._digest.hexdigest() if self._digest is not None else _sha256(self.name)

    @property
    def padding(self) -> int:
        """Null members of structs that were left out so far, where a format can't tell them from absent ones."""
        return getattr(self._stream, "padding", 0)

    def position(self) -> int:
        """Bytes of the file that were read so far."""
        if isinstance(self._stream, parquet.Reader):
            return int(self._stream.done() * (self.size or 0))
        try:
            return self._raw.tell()
        except OSError:
            return 0

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self.name != STDIN:
            self._raw.close()


def blocks(source: Input, chunks: Iterable[bytes]) -> Iterator[Block]:
    """The lines of ``chunks``, a block for each chunk that ends one, before the next chunk is asked for."""
    line_number = 1
    pending: list[bytes] = []
    for chunk in chunks:
        pending.append(chunk)
        if b"\n" not in chunk:
            continue
        *lines, rest = b"".join(pending).split(b"\n")
        pending = [rest] if rest else []
        yield Block(line_number, lines, source.position(), len(chunk) < BLOCK_BYTES)
        line_number += len(lines)
    last = b"".join(pending)
    if last:
        yield Block(line_number, last.split(b"\n"), source.position(), True)


def _decompressed(raw: IO[bytes], name: str) -> Any:
    if name.endswith(".gz"):
        return gzip.GzipFile(fileobj=raw)
    if name.endswith(".zst"):
        return _zstandard().ZstdDecompressor().stream_reader(raw, read_across_frames=True)
    if name.endswith(".parquet"):
        return parquet.Reader(raw)
    return raw


def _sha256(name: str) -> str:
    try:
        with Path(name).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise FileError(f"{name}: {error.strerror or error}") from None


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError:
        raise MissingExtra("a .zst file", "zstd") from None
    return zstandard


class Output:
    """One output: standard output, or a file that appears under its name only when it is complete.

    Args:
        name: a path, or ``None`` for standard output. ``.gz`` and ``.zst`` are compressed, ``.parquet`` takes rows.

    Raises:
        FileError: the file can't be made.
    """

    def __init__(self, name: str | None) -> None:
        self.name = name
        self._digest = hashlib.sha256() if name is None else None
        self._temporary: Path | None = None
        if name is None:
            self._stream: Any = sys.stdout.buffer
            return
        path = Path(name)
        try:
            if path.is_dir():
                raise FileError(f"{name}: is a directory")
            handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
            self._temporary = Path(temporary)
            self._raw = os.fdopen(handle, "wb")
            umask = os.umask(0)
            os.umask(umask)
            self._temporary.chmod(0o666 & ~umask)
        except OSError as error:
            raise FileError(f"{name}: {error.strerror or error}") from None
        try:
            self._stream = self._compressed(name)
        except MissingExtra:
            self.abandon()
            raise

    def _compressed(self, name: str) -> Any:
        if name.endswith(".gz"):
            return gzip.GzipFile(filename="", fileobj=self._raw, mode="wb", mtime=0)  # the same bytes at any time
        if name.endswith(".zst"):
            return _zstandard().ZstdCompressor().stream_writer(self._raw, closefd=False)
        if name.endswith(".parquet"):
            return parquet.Writer(self._raw, Path(name).parent)
        return self._raw

    def write(self, data: bytes) -> None:
        """Write, and hand on what was written to standard output at once.

        Raises:
            FileError: the disk is full or the like; a closed pipe is a :class:`BrokenPipeError`.
        """
        try:
            self._stream.write(data)
            if self._temporary is None:
                self._stream.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise FileError(f"{self.name or '<stdout>'}: {error.strerror or error}") from None
        if self._digest is not None:
            self._digest.update(data)

    def sha256(self) -> str:
        """The SHA-256 of the finished file, or of what was written to standard output."""
        return self._digest.hexdigest() if self._digest is not None else _sha256(self.name or "")

    def finish(self) -> None:
        """Complete the file and give it its name."""
        if self._temporary is None or self.name is None:
            return
        try:
            if self._stream is not self._raw:
                self._stream.close()
            self._raw.close()
            self._temporary.replace(self.name)
        except OSError as error:
            raise FileError(f"{self.name}: {error.strerror or error}") from None
        self._temporary = None

    def abandon(self) -> None:
        """Remove what was written so far; nothing appears under the file's name. Does nothing after :meth:`finish`."""
        if self._temporary is not None:
            with suppress(OSError):
                self._raw.close()
            self._temporary.unlink(missing_ok=True)
            self._temporary = None


def write_file(name: str, data: bytes) -> None:
    """Write a whole file; it appears under its name only when it is complete.

    Raises:
        FileError: it can't be written.
    """
    output = Output(name)
    try:
        output.write(data)
        output.finish()
    finally:
        output.abandon()
