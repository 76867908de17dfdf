"""The progress bar."""

from __future__ import annotations

import sys
import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolconv.lint.engine.rewrite import Buffer

LABEL = 30
"""The longest name of a file in front of the bar."""


def flushing(buffers: Sequence[Buffer], progress: Callable[..., None] | None) -> Callable[[int, int, int], None]:
    """What takes the progress of a run: it also writes what its outputs hold, so that a row comes out at once."""

    def step(read: int, rows: int, rejects: int) -> None:
        for buffer in buffers:
            buffer.flush()
        if progress is not None:
            progress(read, rows, rejects)

    return step


class Progress:
    """A progress bar on stderr, if that is a terminal, for work that takes over two seconds.

    It shows the file that is being read, the part of all bytes read, and the rows and rows a second.

    Args:
        names: the inputs; the sum of their sizes is 100 percent.
        hidden: show no bar.

    As a context manager it returns a function that takes the bytes read so far and, if known, the rows and rejects; or
    ``None`` if there is no bar. :meth:`clear` makes room for other output on the terminal; the bar is drawn again with
    the next step.
    """

    def __init__(self, names: list[str], *, hidden: bool) -> None:
        self._names = names
        self._bar: Any = None
        self._is_drawn = False
        self._hidden = hidden or not sys.stderr.isatty()

    def __enter__(self) -> Callable[..., None] | None:
        if self._hidden:
            return None
        from tqdm import tqdm

        sizes = [Path(name).stat().st_size if Path(name).is_file() else None for name in self._names]
        self._ends = [] if None in sizes else list(accumulate(size or 0 for size in sizes))
        total = self._ends[-1] if self._ends else None
        self._bar = tqdm(total=total, unit="B", unit_scale=True, delay=2, leave=False, file=sys.stderr)
        self._began = time.monotonic()
        return self._update

    def _update(self, read: int, rows: int = 0, rejects: int = 0) -> None:
        self._bar.set_description_str(self._file(read), refresh=False)
        if rows:
            rate = rows / max(time.monotonic() - self._began, 1e-9)
            rejected = f", {rejects:,} rejected" if rejects else ""
            self._bar.set_postfix_str(f"{rows:,} rows, {rate:,.0f} rows/s{rejected}", refresh=False)
        self._bar.update(read - self._bar.n)
        self._is_drawn = True

    def _file(self, read: int) -> str:
        """The name of the file that is being read, cut to its end; the number of files, if their sizes are unknown."""
        if self._ends:
            name = self._names[min(bisect_right(self._ends, read), len(self._names) - 1)]
        else:
            name = self._names[0] if len(self._names) == 1 else f"{len(self._names)} inputs"
        name = "<stdin>" if name == "-" else name
        return name if len(name) <= LABEL else f"…{name[1 - LABEL :]}"

    def clear(self) -> None:
        """Remove the bar from the terminal."""
        if self._bar is not None and self._is_drawn:
            self._bar.clear()
            self._is_drawn = False

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
