"""Write pipes and files, compressed by their ending; a file appears under its name only when it is complete.

Every file that toolconv writes is written here, in one way: as a hidden file beside it, which is synced to disk, takes
the mode and the owner of the file that it replaces, and is renamed.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final, cast

from toolconv.core.errors import FileError, MissingExtra
from toolconv.io.hashed import HashedStream, new_sha256, sha256_of
from toolconv.io.inputs import STDIN, Input
from toolconv.io.remote import RemoteFile, is_remote
from toolconv.io.tables import ENDINGS as TABLES
from toolconv.io.zstd import zstandard_module

STDOUT: Final = "-"
LONGEST_NAME: Final = 240
"""How many bytes a file's name may have so that its hidden files have names that every file system takes."""

UNWRITTEN: Final = (".arrow", ".avro", ".bz2", ".feather", ".orc", ".xlsx", ".xz", ".zip")
"""Endings of files that toolconv does not write: packed files, and tables in a binary form."""

SPARE_FILES = 200
"""How many files are open apart from the outputs, at most."""


class Output:
    """One output: standard output, or a file that appears under its name only when it is complete.

    Until then the data is in a hidden file ``.NAME.part`` in the same folder, which a later run can continue. Other
    kinds of files, such as ``/dev/null`` or a named pipe, and open streams, such as ``/dev/stderr``, are written
    directly.

    A file at an address appears there when it is complete, too.

    Args:
        name: a path or an address; ``None``, ``-`` or ``/dev/stdout`` for standard output. ``.gz`` and ``.zst`` are
            compressed; ``.parquet`` takes rows.
        start: continue an unfinished file after its first ``start`` bytes.
        replaces: the input that the file replaces; it must still be what was read when the file is complete.
        digest: :meth:`sha256` will be called, also for a stream.

    Raises:
        FileError: the file can't be created, another run is writing it, or its ending says another kind of file.
    """

    def __init__(
        self, name: str | None, start: int = 0, replaces: Input | None = None, *, digest: bool = False
    ) -> None:
        stream = descriptor_of(name)
        self.name = name = None if stream == 1 else name
        self._marked: int | None = start
        self._replaces = replaces
        self._part: Path | None = None
        self._remote: RemoteFile | None = None
        self._hashed: HashedStream | None = None
        self.notices: list[str] = []
        """What a user wants to know about the finished file."""
        if name is None:
            self._raw: IO[bytes] = sys.stdout.buffer
            self._hashed = HashedStream(self._raw) if digest else None
            self._stream: Any = self._hashed or self._raw
            return
        if replaces is None:
            _check_ending(name)
        self._path = Path(os.path.realpath(name))
        try:
            if is_remote(name):
                self._remote = RemoteFile(name, write=True)
                self._raw = cast("IO[bytes]", self._remote)
            elif stream is not None:
                self._raw = os.fdopen(os.dup(stream), "wb")
            elif self._path.is_dir():
                raise FileError(f"{name}: is a directory")
            elif (given := Path(name)).exists() and not given.is_file():  # a pipe can't be replaced by a part file
                self._raw = given.open("wb")
            else:
                self._part = part_of(self._path)
                self._raw = _opened_alone(self._part, start, private=self._path.exists())
        except OSError as error:
            raise FileError(f"{name}: {error.strerror or error}") from None
        self._hashed = HashedStream(self._raw) if digest and self._part is None else None
        try:
            self._stream = self._compressed(name)
        except MissingExtra:
            self.abandon()
            raise
        except OSError as error:  # of a temporary file
            self.abandon()
            raise self._failed(error) from None

    def _compressed(self, name: str) -> Any:
        raw: Any = self._hashed or self._raw
        if name.endswith(".gz"):
            import gzip

            return gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0)  # reproducible bytes
        if name.endswith(".zst"):
            return zstandard_module().ZstdCompressor().stream_writer(raw, closefd=False)
        if name.endswith(".parquet"):
            replaced = self._replaces.columns if self._replaces is not None else None
            folder = None if self._remote is not None else Path(name).parent
            from toolconv.io.parquet import ParquetWriter

            return ParquetWriter(raw, folder, replaced)
        return raw

    def write(self, data: bytes) -> None:
        """Write ``data``; standard output is flushed at once.

        Raises:
            FileError: the data can't be written, for example because the disk is full.
            BrokenPipeError: the reader closed the pipe.
        """
        self._marked = None
        try:
            self._stream.write(data)
            if self._part is None and self._remote is None:
                self._stream.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise self._failed(error) from None

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
        """The SHA-256 of the finished file, or of the bytes written to a stream."""
        return self._hashed.hexdigest() if self._hashed is not None else sha256_of(self.name or "")

    def finish(self) -> None:
        """Complete the file and rename it to its final name. A power cut leaves the old file or the new one, whole.

        Raises:
            FileError: the data can't be written, or the input that it replaces has changed.
        """
        if self.name is None:
            return
        try:
            if self._stream is not self._raw:
                self._stream.close()
                if columns := getattr(self._stream, "json_columns", ()):
                    why = "as no other type of column holds all values"
                    self.notices.append(f"{self.name}: written as JSON text, {why}: {', '.join(columns)}")
            if self._part is not None:
                self._raw.flush()
                _inherit(self._raw.fileno(), self._path)
                os.fsync(self._raw.fileno())
                if self._replaces is not None:
                    self._replaces.check_unchanged()
                self._part.replace(self._path)
                self._part = None
                _sync_folder(self._path.parent)
            if self._remote is not None:
                if self._replaces is not None:
                    self._replaces.check_unchanged()
                self._remote.commit()
                self._remote = None
            self._raw.close()
        except OSError as error:
            raise self._failed(error) from None

    def abandon(self, *, keep: bool = False) -> None:
        """Close the unfinished file, and delete it unless ``keep`` is set. Does nothing after :meth:`finish`."""
        if self._part is not None and not keep:
            self._part.unlink(missing_ok=True)
        self._part = None
        if self._remote is not None:
            with suppress(OSError):
                self._remote.discard()
            self._remote = None
        if self.name is not None:
            with suppress(OSError):  # a device that is full fails again
                self._raw.close()

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
    name = os.fsencode(path.name)
    if len(name) <= LONGEST_NAME:
        return path.with_name(f".{path.name}.part")
    digest = new_sha256()
    digest.update(name)
    return path.with_name(f".{digest.hexdigest()}.part")


def _check_ending(name: str) -> None:
    """Refuse a name that says that the file holds something else than what would be written.

    Raises:
        FileError: it does.
    """
    lower = name.lower()
    stem = lower.removesuffix(".gz").removesuffix(".zst")
    if stem.endswith(tuple(TABLES)):
        raise FileError(f"{name}: toolconv reads tables, but writes none: name a .jsonl or .parquet file")
    if stem.endswith(".parquet") and not name.endswith(".parquet"):
        raise FileError(f"{name}: a Parquet file has the ending .parquet, and is compressed inside")
    if lower.endswith(UNWRITTEN):
        ending = lower[lower.rindex(".") :]
        raise FileError(
            f"{name}: toolconv writes no {ending} files: name a .jsonl, .jsonl.gz, .jsonl.zst or .parquet file"
        )


def descriptor_of(name: str | None) -> int | None:
    """The open file that a name such as ``-``, ``/dev/stdout`` or ``/dev/fd/3`` stands for; ``None`` for any other.

    Such a file may be a regular one, as in ``>> all.log``; it is written on, and never replaced.
    """
    if name is None or name == STDOUT:
        return 1
    folders = {"/dev/fd", os.path.realpath("/dev/fd"), "/proc/self/fd", os.path.realpath("/proc/self/fd")}
    path = name
    for _ in range(40):  # as many links as Linux follows
        folder, last = os.path.split(path)
        if last.isdecimal() and (folder in folders or os.path.realpath(folder) in folders):
            return int(last)
        try:
            path = str(Path(folder, Path(path).readlink()))
        except OSError:
            return None
    return None


def check_roles(written: Mapping[str, str], read: Iterable[str]) -> None:
    """Check that no file has two roles in a run. Standard output, if it goes to a file, is one of the files written.

    Args:
        written: the outputs, by the option that names them.
        read: the inputs and the files that options name; ``-`` is standard input.

    Raises:
        FileError: a file is written twice, or read and written; or a stream is read twice.
    """
    read = list(read)
    streams = [stream for name in read if (stream := _stream(name)) is not None]
    if twice := [stream for stream in streams if streams.count(stream) > 1]:
        raise FileError(f"{twice[0]} can be read only once, and is named twice")
    taken = {place: f"the input {name}" for name in read if (place := _place(name, 0)) is not None}
    if (place := _place(None, 1)) is not None and not any(descriptor_of(name) == 1 for name in written.values()):
        if place in taken:
            raise FileError(f"standard output and {taken[place]} are the same file")
        taken[place] = "standard output"
    for option, name in written.items():
        if (place := _place(name, 1)) is None:
            continue
        if place in taken:
            raise FileError(f"{option} {name} and {taken[place]} are the same file")
        taken[place] = f"{option} {name}"


def _stream(name: str) -> str | None:
    """Which stream an input is that can be read only once; ``None`` for a file."""
    if name == STDIN:
        return "standard input"
    number = descriptor_of(name)
    try:
        mode = (os.fstat(number) if number is not None else Path(name).stat()).st_mode
    except OSError:
        return None
    if not stat.S_ISFIFO(mode):
        return None
    return "standard input" if number == 0 else os.path.realpath(name)


def check_place(name: str) -> None:
    """Check that a file can be written later: a run that takes hours must not fail at its end.

    Raises:
        FileError: it can't.
    """
    if is_remote(name):
        return
    path = Path(name)
    folder = path.parent
    if path.is_dir():
        raise FileError(f"{name}: is a directory")
    if not folder.is_dir():
        raise FileError(f"{name}: there is no folder {folder}")
    if descriptor_of(name) is None and (path.is_file() or not path.exists()) and not os.access(folder, os.W_OK):
        raise FileError(f"{name}: {os.strerror(errno.EACCES)}")


def _place(name: str | None, standard: int) -> str | None:
    """What tells files apart: the path after all links. ``None`` for what several can use, such as /dev/null.

    Args:
        name: a path, or ``-`` or ``None`` for a standard stream.
        standard: the number of that stream.
    """
    number = standard if name is None or name == STDOUT else descriptor_of(name)
    try:
        kind = (os.fstat(number) if number is not None else Path(name or "").stat()).st_mode
    except OSError:
        return os.path.realpath(name) if name and number is None else None
    if stat.S_ISREG(kind):
        return os.path.realpath(f"/dev/fd/{number}" if number is not None else name or "")
    return f"stream {number}" if number is not None and name is not None else None


def _inherit(file: int, path: Path) -> None:
    """Give an open file the owner and the mode of the file at ``path``, if there is one."""
    try:
        old = path.stat()
    except FileNotFoundError:
        return
    new = os.fstat(file)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with suppress(PermissionError):  # only root gives files away
            os.fchown(file, old.st_uid, old.st_gid)
    os.fchmod(file, stat.S_IMODE(old.st_mode))


def _sync_folder(folder: Path) -> None:
    """Sync the names in a folder to disk, on systems and file systems that can."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _opened_alone(path: Path, start: int, *, private: bool) -> IO[bytes]:
    """Open a file for this run alone, truncated to its first ``start`` bytes.

    Args:
        path: of the file, which is not followed if it is a link.
        start: how much of it to keep.
        private: nobody else may read it if it is new; it takes the mode of the file that it replaces later.

    Raises:
        OSError: another run is writing the file, or it can't be opened.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    raw = os.fdopen(os.open(path, flags, 0o600 if private else 0o666), "ab")
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
