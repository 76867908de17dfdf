"""Folders as inputs: the files in them that may hold rows, such as the sessions in ``~/.claude/projects``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from toolconv.core.errors import FileError, reason_of
from toolconv.io import opencode_storage
from toolconv.io.inputs import STDIN
from toolconv.io.remote import is_remote

ENDINGS: Final = (".jsonl", ".ndjson", ".json", ".parquet", ".csv", ".tsv", ".sse", ".traj")
"""Endings of files of rows, which may be followed by one of :data:`PACKED`."""

PACKED: Final = (".gz", ".zst")


class InputFile(NamedTuple):
    """A file to read.

    Attributes:
        name: its path, or ``-`` for standard input.
        relative: its path in the folder that was named, or its name.
    """

    name: str
    relative: str


def files_in(names: Iterable[str]) -> list[InputFile]:
    """Inputs with the files of each folder in its place: those of known endings, at any depth, ordered by name.

    Hidden files and folders inside it are left out. Of OpenCode's storage, only the sessions are files to read.

    Raises:
        FileError: a folder holds no such file.
    """
    found: list[InputFile] = []
    for name in names:
        if not Path(name).is_dir():
            found.append(InputFile(name, Path(name).name))
            continue
        inside: list[str] = []
        for folder, folders, files in os.walk(name):
            if opencode_storage.FOLDERS.issubset(folders):
                inside += opencode_storage.sessions_in(folder)
                folders[:] = []
                continue
            folders[:] = [each for each in folders if not each.startswith(".")]
            inside += (str(Path(folder) / file) for file in files if _holds_rows(file))
        if not inside:
            raise FileError(f"{name}: a folder without files of rows ({', '.join(ENDINGS)})")
        found += (InputFile(file, str(Path(file).relative_to(name))) for file in sorted(inside))
    return found


def check_there(names: Sequence[str], hint: str) -> None:
    """Check that files are there, before any of them is read.

    Args:
        names: the files, addresses or ``-``.
        hint: what to add where the last of several is missing, which may be meant as the output.

    Raises:
        FileError: one is not there.
    """
    for at, name in enumerate(names, 1):
        try:
            if name != STDIN and not is_remote(name):
                Path(name).stat()
        except (OSError, ValueError) as error:
            raise FileError(f"{name}: {reason_of(error)}{hint if 1 < at == len(names) else ''}") from None


def _holds_rows(file: str) -> bool:
    stem = file
    for ending in PACKED:
        stem = stem.removesuffix(ending)
    return stem.endswith(ENDINGS) and not file.startswith(".")
