"""What is right for questions, in a file of its own, as BFCL keeps it: ``{"id", "ground_truth"}``, one a line."""

from __future__ import annotations

from typing import Any

from toolconv.core import jsontext
from toolconv.core.errors import FileError
from toolconv.io.folders import files_in
from toolconv.io.inputs import Input, whole
from toolconv.score.gold import truth_of


def read_answers(name: str) -> dict[str, Any]:
    """The answers in a file, or in the files of a folder, by the id of their question.

    Raises:
        FileError: a file can't be read, or a line is no such answer.
    """
    found: dict[str, Any] = {}
    for file in files_in([name]):
        _add_answers(file.name, found)
    return found


def _add_answers(name: str, found: dict[str, Any]) -> None:
    """Add the answers in a file to those found before."""
    source = Input(name)
    try:
        text = whole(source, b"", source.chunks())
    finally:
        source.close()
    for number, line in enumerate(text.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = jsontext.loads(line)
        except ValueError:
            row = None
        truth = truth_of(row) if isinstance(row, dict) and "id" in row else None
        if truth is None:
            raise FileError(f"{name}:{number}: no answer: expected an object with id and ground_truth")
        if str(row["id"]) in found:
            raise FileError(f"{name}:{number}: a second answer for {row['id']!r}")
        found[str(row["id"])] = truth
