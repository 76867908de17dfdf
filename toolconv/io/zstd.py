"""Reads ``.zst`` files in pieces of bounded size, and notices when one ends too early."""

from __future__ import annotations

from typing import IO, Any, Final

from toolconv.core.errors import MissingExtra

OUTPUT: Final = 1 << 20
"""How many bytes a piece of compressed data should become: a few bytes may become megabytes."""
PIECES: Final = 64, 1 << 16
"""The least and the most bytes of compressed data that are decompressed at once."""


def zstandard_module() -> Any:
    """The package for ``.zst`` files.

    Raises:
        MissingExtra: the package is not installed.
    """
    try:
        import zstandard
    except ImportError:
        raise MissingExtra("a .zst file", "zstd") from None
    return zstandard


class ZstdReader:
    """The decompressed bytes of a ``.zst`` file, of one frame or several.

    The package's own reader takes a file that was cut off for one that ends there.

    Raises:
        MissingExtra: the package is not installed.
    """

    def __init__(self, raw: IO[bytes]) -> None:
        self._package = zstandard_module()
        self._raw = raw
        self._frame: Any = None
        self._compressed = b""
        self._ready = b""
        self._growth = OUTPUT / PIECES[0]

    def read(self, size: int) -> bytes:
        """At most ``size`` bytes; none at the end.

        Raises:
            EOFError: the file ends within a frame.
            OSError: the data is corrupt, or can't be read.
        """
        while not self._ready:
            if not self._compressed:
                self._compressed = self._raw.read(PIECES[1])
                if not self._compressed:
                    if self._frame is not None:
                        raise EOFError("the compressed file ends too early: it was cut off")
                    return b""
            self._decompress()
        result, self._ready = self._ready[:size], self._ready[size:]
        return result

    def _decompress(self) -> None:
        """Decompress the next piece."""
        if self._frame is None:
            self._frame = self._package.ZstdDecompressor().decompressobj()
        least, most = PIECES
        length = max(least, min(most, int(OUTPUT / self._growth)))
        piece, self._compressed = self._compressed[:length], self._compressed[length:]
        try:
            self._ready = self._frame.decompress(piece)
        except self._package.ZstdError as error:
            raise OSError(f"the compressed data is corrupt ({error})") from None
        self._growth = max(1.0, self._growth / 2, len(self._ready) / len(piece))
        if self._frame.eof:
            self._compressed = self._frame.unused_data + self._compressed
            self._frame = None
