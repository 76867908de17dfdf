"""Files named by an address, such as ``s3://bucket/rows.jsonl``, read and written through fsspec.

fsspec takes the user's own credentials from where the store's programs do. It and the package of the store are imported
only when an address is opened.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

from toolconv.core.errors import FileError, how_to_add

PACKAGES: Final = {
    "s3": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "hf": "huggingface_hub", "http": "aiohttp", "https": "aiohttp",
    "abfs": "adlfs", "az": "adlfs",
}  # fmt: skip
"""The package with which fsspec opens addresses of a scheme."""

T = TypeVar("T")


def is_remote(name: str) -> bool:
    """Whether a name is an address, and no path."""
    scheme, mark, _ = name.partition("://")
    return bool(mark) and scheme.isalnum() and scheme != "file"


class RemoteFile:
    """A remote file, as a binary file whose errors are :class:`OSError`.

    Args:
        write: create it, or replace it; nothing can be seen of it before :meth:`commit`.

    Raises:
        FileError: fsspec, or the package of the store, is missing.
        OSError: it can't be opened.
    """

    def __init__(self, name: str, *, write: bool = False) -> None:
        self.name = name
        self._system, self._path = _system_of(name)
        self._write = write
        if write:
            self._file: Any = _tried(self._system.open, self._path, "wb", autocommit=False)
        else:
            self._file = _tried(self._system.open, self._path, "rb")

    def version(self) -> Any:
        """What changes with the file, and its size; as far as its store tells."""
        info = _tried(_info, self._system, self._path)
        return [info.get(key) for key in ("size", "ETag", "etag", "md5Hash", "blob_id", "generation", "LastModified")]

    @property
    def size(self) -> int | None:
        """Its size in bytes; ``None`` if its store doesn't tell."""
        size = _tried(_info, self._system, self._path).get("size")
        return size if isinstance(size, int) else None

    def read(self, size: int = -1) -> bytes:
        data: bytes = _tried(self._file.read, size)
        return data

    def readinto(self, buffer: Any) -> int:
        size: int = _tried(self._file.readinto, buffer)
        return size

    def write(self, data: Any) -> int:
        size: int = _tried(self._file.write, data)
        return size

    def seek(self, place: int, whence: int = 0) -> int:
        at: int = _tried(self._file.seek, place, whence)
        return at

    def tell(self) -> int:
        at: int = _tried(self._file.tell)
        return at

    def flush(self) -> None:
        """Do nothing: data is sent in parts of the size that the store demands."""

    def readable(self) -> bool:
        return not self._write

    def writable(self) -> bool:
        return self._write

    def seekable(self) -> bool:
        return not self._write

    @property
    def closed(self) -> bool:
        return bool(self._file.closed)

    def close(self) -> None:
        """Close it; a file that was written is not there before :meth:`commit`."""
        if not self._write:
            _tried(self._file.close)

    def commit(self) -> None:
        """Make the written file visible, whole."""
        _tried(self._file.close)
        if hasattr(self._file, "commit"):
            _tried(self._file.commit)

    def discard(self) -> None:
        """Forget what was written."""
        try:
            if hasattr(self._file, "discard"):
                _tried(self._file.discard)
        finally:
            with suppress(AttributeError):  # of files in memory
                self._file.closed = True  # or fsspec closes it later, which writes it


def size_of(name: str) -> int:
    """The size of a remote file, in bytes.

    Raises:
        FileError: fsspec is missing, or the store does not tell.
        OSError: there is no such file.
    """
    system, path = _system_of(name)
    size = _tried(_info, system, path).get("size")
    if not isinstance(size, int):
        raise FileError(f"{name}: its size is not known")
    return size


def _info(system: Any, path: str) -> dict[str, Any]:
    system.invalidate_cache()
    info: dict[str, Any] = system.info(path)
    return info


def _system_of(name: str) -> tuple[Any, str]:
    """What opens a file, and the file's path for it."""
    scheme = name.partition("://")[0]
    try:
        import fsspec
    except ImportError:
        raise FileError(f"{name}: {_how_to_read(name, 'fsspec')}") from None
    try:
        system, path = fsspec.core.url_to_fs(name)
    except ImportError:
        raise FileError(f"{name}: {_how_to_read(name, '')}") from None
    except ValueError:
        known = ", ".join(f"{each}://" for each in PACKAGES)
        raise FileError(f"{name}: fsspec knows no {scheme}://, but {known} and others") from None
    return system, path


def _how_to_read(name: str, needed: str) -> str:
    """What to do where packages for an address are missing: install them, or get the file without toolconv."""
    scheme, _, rest = name.partition("://")
    packages = " ".join(filter(None, (needed, PACKAGES.get(scheme))))
    fetch = {"s3": f"aws s3 cp {name} .", "gs": f"gcloud storage cp {name} ."}.get(scheme, f"curl -LO {name}")
    if scheme == "hf":
        parts = rest.removeprefix("datasets/").split("/")
        files = f" --include '{'/'.join(parts[2:])}'" if len(parts) > 2 else ""
        fetch = f"hf download {'/'.join(parts[:2])} --repo-type dataset{files} --local-dir ."
    return f"an address needs optional packages: {how_to_add(packages or 'fsspec')}; or first {fetch}"


def _tried(work: Callable[..., T], *given: Any, **more: Any) -> T:
    """What some work of fsspec gives.

    Raises:
        OSError: it fails; the packages of stores raise errors of their own.
    """
    try:
        return work(*given, **more)
    except FileNotFoundError:
        raise OSError("no such file") from None
    except OSError:
        raise
    except Exception as error:
        raise OSError(f"{type(error).__name__}: {error}") from error
