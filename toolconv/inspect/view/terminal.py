"""A row as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolconv.core.terminal import escape
from toolconv.core.transcript import Note, Piece
from toolconv.inspect.view.rows import ShownRow

RESET: Final = "\x1b[0m"
COLOURS: Final = {
    "place": "\x1b[1m", "soft": "\x1b[2m", "system": "\x1b[35m", "user": "\x1b[1m", "assistant": "\x1b[34m",
    "tool": "\x1b[32m", "reasoning": "\x1b[2;3m", "call": "\x1b[36m", "result": "\x1b[32m",
    "error": "\x1b[31m", "warning": "\x1b[33m", "info": "\x1b[2m",
}  # fmt: skip
"""How the parts of a row are coloured."""

MARKS: Final = {"reasoning": "~ ", "text": "", "call": "→ ", "result": "← "}
"""The marks of the parts of a turn, so that they differ without colours, too."""


def lines(row: ShownRow, *, colour: bool) -> Iterator[str]:
    """The lines of a row, the last one empty."""

    def painted(words: str, kind: str) -> str:
        return f"{COLOURS[kind]}{words}{RESET}" if colour and words and kind in COLOURS else words

    yield f"{painted(f'── {escape(row.place)}', 'place')} {painted(escape('; '.join(row.facts)), 'soft')}"
    for at, turn in enumerate(row.turns):
        yield painted(escape(f"{turn.role} {turn.name}".strip()), turn.role)
        for piece in turn.pieces:
            yield from (painted(line, piece.kind) for line in _indented(piece))
        for note in row.notes.get(at, ()):
            yield painted(_note(note), note.level)
    for note in row.about:
        yield painted(_note(note).lstrip(), note.level)
    yield ""


def _indented(piece: Piece) -> list[str]:
    mark = MARKS[piece.kind]
    words = f"{piece.name} {piece.text}" if piece.kind == "call" else piece.text.strip("\n")
    first, *rest = map(escape, words.split("\n"))
    return [f"  {mark}{first}", *(f"  {' ' * len(mark)}{line}" for line in rest)]


def _note(note: Note) -> str:
    return f"  {'!' if note.level == 'error' else '·'} {escape(note.label)}: {escape(note.text)}"
