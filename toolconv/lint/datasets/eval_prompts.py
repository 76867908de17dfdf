"""Reads the prompts of evaluation sets, which may be any input: lines, arrays, tables, compressed files, folders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from toolconv.convert.detect import Detector
from toolconv.core.errors import FileError
from toolconv.io.folders import files_in
from toolconv.io.inputs import Input
from toolconv.lint.datasets.duplicates import normalised
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.source import read_blocks
from toolconv.lint.model.turns import text_of

KEYS: Final = ("question", "query", "prompt", "instruction")
"""The keys of a prompt in rows without user turns."""


class EvalPrompt(NamedTuple):
    """A prompt, normalised for comparisons, and its place in the evaluation set.

    Attributes:
        is_first: a conversation begins with it.
    """

    text: str
    place: str
    is_first: bool


def eval_prompts(name: str) -> Iterator[EvalPrompt]:
    """The prompts of an evaluation set.

    Raises:
        FileError: it can't be read, has a line that is not a row, or holds no prompts.
    """
    is_empty = True
    for file, _ in files_in([name]):
        source = Input(file)
        try:
            for block in read_blocks(source, Detector()):
                for row in block.rows():
                    if row.row is None:
                        raise FileError(f"{file}:{row.line}: not a row of an evaluation set: it is no JSON object")
                    for at, text in enumerate(_prompts_of(row)):
                        is_empty = False
                        yield EvalPrompt(text, f"{file}:{row.line}", at == 0)
        finally:
            source.close()
    if is_empty:
        raise FileError(f"{name}: no prompts in it: an evaluation set has user turns, or a key {', '.join(KEYS)}")


def _prompts_of(row: LintRow) -> list[str]:
    turns = (message for message in row.messages if message.get("role") == "user")
    found = [normalised(text_of(turn.get("content"))) for turn in turns]
    if not any(found) and row.row is not None:
        found = [normalised(text) for key in KEYS if isinstance(text := row.row.get(key), str)][:1] or found
    return found
