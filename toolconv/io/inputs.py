"""Read files, pipes and compressed data as blocks of lines, each available as soon as it is read."""

from __future__ import annotations

import os
import select
import stat
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple, cast

from toolconv.core.errors import FileError, too_long
from toolconv.io.hashed import HashedStream, sha256_of
from toolconv.io.remote import RemoteFile, is_remote
from toolconv.io.remote import size_of as remote_size_of
from toolconv.io.zstd import ZstdReader

if TYPE_CHECKING:
    from toolconv.io.parquet import ParquetReader

BLOCK_BYTES = 1 << 20
STDIN = "-"

MAX_LINE_BYTES = 1 << 27
"""The default limit for a line, or for an input that is one text; processing takes several times that memory."""


class FileSlice(NamedTuple):
    """A range of a file's bytes, for another process to read.

    Attributes:
        label: the file's name in messages.
        path: a path under which it can be opened.
        start: the offset of the first byte.
        size: the number of bytes.
    """

    label: str
    path: str
    start: int
    size: int

    def read(self) -> bytes:
        """Read the bytes.

        Raises:
            FileError: the file can't be read, or has become shorter.
        """
        try:
            with Path(self.path).open("rb") as file:
                file.seek(self.start)
                data = file.read(self.size)
        except OSError as error:
            raise FileError(f"{self.label}: {error.strerror or error}") from None
        if len(data) < self.size:
            raise _changed(self.label)
        return data


class Block(NamedTuple):
    """Complete lines that were read together.

    Attributes:
        first_line: the number of the first line, from 1.
        last_line: the number of the last line; less than ``first_line`` if there are no lines.
        text: the lines, including blank ones, separated by line ends; or where to read them.
        read: bytes of the file read so far, counted before decompression.
        long: the pieces of a line that is too long to hold in memory; ``text`` is then one blank line.
        cut: the last line has no line end.
        place: where another process can read the text, if that is possible.
        numbers: the numbers of the lines, if they are not consecutive; they never decrease.
    """

    first_line: int
    last_line: int
    text: bytes | FileSlice
    read: int
    long: Iterator[bytes] | None = None
    cut: bool = False
    place: FileSlice | None = None
    numbers: tuple[int, ...] | None = None

    @property
    def lines(self) -> list[bytes]:
        """The lines, without their line ends."""
        text = self.text.read() if isinstance(self.text, FileSlice) else self.text
        return _lines_of(text) if self.last_line >= self.first_line else []

    def sent(self) -> Block:
        """The block to send to another process: without the text if that process can read it itself."""
        return self._replace(text=self.place or self.text, place=None)


class ByteRange(NamedTuple):
    """The lines of a file that start in a range of bytes; line numbers count from the first of these lines.

    Attributes:
        start, stop: the range.
        label: its name in messages, after the file's name.
    """

    start: int
    stop: int
    label: str


class Input:
    """One input, read in blocks.

    Args:
        name: a path, an address, or ``-`` for standard input. ``.gz`` and ``.zst`` are decompressed; ``.parquet`` rows
            are read as JSON lines.
        part: read only these lines of the file.
        max_line: the longest line to hold in memory, in bytes.

    Raises:
        FileError: the input can't be opened.
    """

    def __init__(self, name: str, part: ByteRange | None = None, max_line: int = MAX_LINE_BYTES) -> None:
        self.name = name
        self.max_line = max_line
        self.left_out: Counter[str] = Counter()
        self.label = "<stdin>" if name == STDIN else f"{name}[{part.label}]" if part is not None else name
        self.part = part
        self.size: int | None = None
        self._end: int | None = None
        try:
            self._opened: os.stat_result | None = None
            self._remote: RemoteFile | None = None
            if name == STDIN:
                self._raw: IO[bytes] = sys.stdin.buffer
            elif is_remote(name):
                self._remote = RemoteFile(name)
                self._raw = cast("IO[bytes]", self._remote)
                self._version, self.size = self._remote.version(), self._remote.size
            else:
                self._raw = Path(name).open("rb")  # noqa: SIM115 - closed in close()
                self._opened = os.fstat(self._raw.fileno())
                self.size = self._opened.st_size
            once = not self.is_file and not (self._remote is not None and (part or name.endswith(".parquet")))
            self._hashed = HashedStream(self._raw) if once else None  # of what is read once, from its beginning on
            if part is not None:
                self._end = _line_start(self._raw, part.stop)
                self._raw.seek(_line_start(self._raw, part.start))
            self._stream = _decompressed(self._hashed or self._raw, name)
        except OSError as error:
            raise FileError(f"{name}: {error.strerror or error}") from None
        self._path = _path_of(self._raw) if self.is_file and self._stream is self._raw else None

    def chunks(self) -> Iterator[bytes]:
        """The bytes, as many at a time as are available, at most a block.

        Raises:
            FileError: reading fails, the compressed data is corrupt, or the input is not UTF-8 text.
        """
        try:
            start = self.part.start if self.part is not None else 0
            while chunk := self._chunk():
                if not start and (kind := _other_kind(chunk)) is not None:
                    raise FileError(f"{self.label}: {kind}")
                start += len(chunk)
                yield chunk
        except zlib.error as error:
            raise FileError(f"{self.label}: the compressed data is corrupt ({error})") from None
        except (OSError, EOFError) as error:
            raise FileError(f"{self.label}: {getattr(error, 'strerror', None) or error}") from None

    def _chunk(self) -> bytes:
        read = getattr(self._stream, "read1", self._stream.read)
        room = BLOCK_BYTES if self._end is None else min(BLOCK_BYTES, self._end - self._raw.tell())
        parts: list[bytes] = []
        while room and (part := read(room)):
            parts.append(part)
            room -= len(part)
            if self.is_waiting():
                break
        return b"".join(parts)

    def is_waiting(self) -> bool:
        """True if the pipe is drained but not closed."""
        if self.is_file or self._remote is not None:
            return False
        try:
            return not select.select([self._raw], [], [], 0)[0]
        except (OSError, ValueError):  # on this system, select works on sockets only
            return True

    @property
    def is_file(self) -> bool:
        """Whether the input is a regular file, read in full blocks; a pipe returns whatever is available."""
        return self._opened is not None and stat.S_ISREG(self._opened.st_mode)

    def slice(self, size: int, end: int) -> FileSlice | None:
        """The ``size`` bytes of the file before ``end``; ``None`` if another process can't read them directly."""
        return FileSlice(self.label, self._path, end - size, size) if self._path is not None else None

    def check_unchanged(self) -> None:
        """Check that the file did not change since it was opened.

        Raises:
            FileError: the file was modified or replaced while it was read.
        """
        if self._remote is not None and self._remote.version() != self._version:
            raise _changed(self.label)
        if self._opened is None or not self.is_file:
            return
        was = _identity(self._opened)
        try:
            same = was == _identity(os.fstat(self._raw.fileno())) == _identity(Path(self.name).stat())
        except OSError:
            same = False
        if not same:
            raise _changed(self.label)

    def sha256(self) -> str:
        """The SHA-256 of the file, or of the bytes read from a stream."""
        return self._hashed.hexdigest() if self._hashed is not None else sha256_of(self.name)

    @property
    def changes(self) -> Counter[str]:
        """What JSON lines can't hold of a file of columns: see :class:`toolconv.io.parquet.ArrowRows`.

        Of a document that is read as rows, the keys next to these (``document_keys``).
        """
        return self.columns.changes if self.columns is not None else self.left_out

    @property
    def columns(self) -> ParquetReader | None:
        """The columns of a Parquet file."""
        return self._stream if self.name.endswith(".parquet") else None

    def position(self) -> int:
        """How many bytes of the file were read so far."""
        if self.columns is not None:
            return int(self.columns.done() * (self.size or 0))
        try:
            return self._raw.tell()
        except OSError:
            return 0

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self.name != STDIN:
            self._raw.close()


def _identity(file: os.stat_result) -> tuple[int, ...]:
    return file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns


def _changed(label: str) -> FileError:
    return FileError(f"{label}: changed while it was being read; run again when it is complete")


def size_of(name: str) -> int:
    """The size of a file in bytes.

    Raises:
        FileError: there is no such file.
    """
    try:
        return remote_size_of(name) if is_remote(name) else Path(name).stat().st_size
    except OSError as error:
        raise FileError(f"{name}: {error.strerror or error}") from None


def _path_of(raw: IO[bytes]) -> str | None:
    """A path under which other processes can open this open file even if it is renamed; ``None`` if there is none."""
    path = f"/proc/{os.getpid()}/fd/{raw.fileno()}"
    return path if os.access(path, os.R_OK) else None


def _line_start(raw: IO[bytes], offset: int) -> int:
    """The offset of the first line that starts at or after ``offset``."""
    if offset == 0:
        return 0
    raw.seek(offset - 1)
    while (chunk := raw.read(BLOCK_BYTES)) and b"\n" not in chunk:
        pass
    return raw.tell() - len(chunk) + chunk.find(b"\n") + 1 if chunk else raw.tell()


def blocks(source: Input, chunks: Iterable[bytes], *, own: bool = False) -> Iterator[Block]:
    """Split chunks into blocks of lines. A chunk that ends a line yields a block before the next chunk is read.

    Lines may nearly fill the memory, so this keeps no reference to what it has yielded.

    Args:
        chunks: its bytes, or lines made from them.
        own: the chunks are the bytes of the file, unchanged.
    """
    line = 1
    pending = bytearray()
    stream = iter(chunks)
    while (chunk := next(stream, None)) is not None:
        end = chunk.rfind(b"\n")
        if end >= 0:
            text = b"".join((pending, memoryview(chunk)[:end]))
            pending = bytearray(chunk[end + 1 :])
            read = source.position()
            place = source.slice(len(text), read - len(pending) - 1) if own else None
            block = Block(line, line + _line_ends(text), text, read, place=place)
            del chunk, text
            line = block.last_line + 1
            yield block
            del block
            continue
        pending += chunk
        del chunk
        if len(pending) > source.max_line:
            long = _LongLine([bytes(pending)], stream)
            yield Block(line, line, b"", source.position(), long.pieces)
            line += 1
            stream = chain([long.rest()], stream)
            pending = bytearray()
    if pending:
        yield Block(line, line, bytes(pending), source.position(), cut=True)


def _line_ends(text: bytes) -> int:
    """Count line ends; several times faster than ``bytes.count``, which checks every byte."""
    count, end = 0, text.find(b"\n")
    while end >= 0:
        count += 1
        end = text.find(b"\n", end + 1)
    return count


def _lines_of(text: bytes) -> list[bytes]:
    """The lines of a text, as ``split`` gives them; several times faster, since ``find`` skips what is no line end."""
    lines, start, end = [], 0, text.find(b"\n")
    while end >= 0:
        lines.append(text[start:end])
        start = end + 1
        end = text.find(b"\n", start)
    lines.append(text[start:])
    return lines


def then(start: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """``start``, then ``chunks``, without keeping a reference to what was yielded."""
    pieces = [start]
    del start
    yield pieces.pop()
    yield from chunks


def whole(source: Input, start: bytes, chunks: Iterable[bytes]) -> bytes:
    """All bytes of an input that is one text; ``start`` was read already.

    Raises:
        FileError: the text exceeds the limit on a line.
    """
    parts: list[bytes] = []
    size = 0
    for chunk in chain([start], chunks):
        parts.append(chunk)
        size += len(chunk)
        if size > source.max_line:
            raise FileError(f"{source.label}: {too_long('one text', source.max_line)}")
    return b"".join(parts)


class _LongLine:
    """A line that is too long to hold in memory.

    Args:
        begun: its first pieces.
        chunks: the rest of the line and the data after it.

    Attributes:
        pieces: the whole line with its line end, piece by piece.
    """

    def __init__(self, begun: list[bytes], chunks: Iterator[bytes]) -> None:
        self.pieces = self._read(chain(begun, chunks))
        self._rest = b""

    def _read(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            piece, end, self._rest = chunk.partition(b"\n")
            yield piece
            if end:
                break
        yield b"\n"

    def rest(self) -> bytes:
        """The data after the line in its last chunk."""
        for _ in self.pieces:
            pass
        return self._rest


SIGNATURES: Final = {
    b"\x1f\x8b": "gzip data: give the file the ending .gz, or decompress it with gunzip",
    b"\x28\xb5\x2f\xfd": "Zstandard data: give the file the ending .zst, or decompress it with unzstd",
    b"BZh91AY&SY": "bzip2 data: decompress it with bunzip2",
    b"\xfd7zXZ\0": "XZ data: decompress it with unxz",
    b"PK\x03\x04": "a ZIP archive: extract its files",
    b"PAR1": "a Parquet file: give it the ending .parquet",
    b"ARROW1\0\0": "an Arrow file: save it as Parquet or JSON lines, for example with the package datasets",
}
"""How inputs begin that are not text, each with what it is and what to do."""

ENCODINGS: Final = ("UTF-32LE", "UTF-32BE", "UTF-16LE", "UTF-16BE")
"""Encodings of text that are recognized by a byte order mark, or by the first character of JSON."""


def _other_kind(start: bytes) -> str | None:
    """What an input is that begins so, if its lines can't be read; ``None`` if they can."""
    for signature, kind in SIGNATURES.items():
        if start.startswith(signature):
            return kind
    for encoding in ENCODINGS:
        is_marked = start.startswith("\ufeff".encode(encoding))
        if is_marked or start.startswith(("{".encode(encoding), "[".encode(encoding))):
            name = encoding[:6] if is_marked else encoding
            return f"{name} text: convert it to UTF-8, for example with iconv -f {name} -t UTF-8"
    if b"}\r{" in start and b"\n" not in start:
        return "its lines end with carriage returns alone: convert it, for example with tr '\\r' '\\n'"
    return None


def _decompressed(raw: Any, name: str) -> Any:
    if name.endswith(".gz"):
        import gzip

        return gzip.GzipFile(fileobj=raw)
    if name.endswith(".zst"):
        return ZstdReader(raw)
    if name.endswith(".parquet"):
        from toolconv.io.parquet import ParquetReader

        return ParquetReader(raw)
    return raw
