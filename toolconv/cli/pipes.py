"""Pipes as files that options name, as in ``--declare <(…)``: these are read several times, also by other processes."""

from __future__ import annotations

import stat
from pathlib import Path

import click

from toolconv.core.errors import FileError


def is_pipe(name: str) -> bool:
    """Whether a name is that of a pipe."""
    try:
        return stat.S_ISFIFO(Path(name).stat().st_mode)
    except (OSError, ValueError):
        return False


def copy_of(name: str, ctx: click.Context) -> str:
    """A file with what a pipe holds, and with its name, in a folder that is deleted when the command ends.

    Raises:
        FileError: the pipe can't be read, or the file can't be written.
    """
    from tempfile import TemporaryDirectory  # takes long to load

    folder = ctx.with_resource(TemporaryDirectory(prefix="toolconv-", ignore_cleanup_errors=True))
    copy = Path(folder, Path(name).name)
    try:
        copy.write_bytes(Path(name).read_bytes())
    except OSError as error:
        raise FileError(f"{name}: {error.strerror or error}") from None
    return str(copy)
