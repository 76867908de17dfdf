"""A conversation as people read it: turns, each with its reasoning, words, calls and results, as text and as markup."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from toolconv.core import jsontext
from toolconv.core.messages import Message, calls_of
from toolconv.core.page import tag, text

Kind = Literal["reasoning", "text", "call", "result"]

ONE_LINE: Final = 100
"""Arguments of at most so many characters are shown on one line."""

CSS: Final = """
.turn { border-left: 3px solid var(--line); margin: .5rem 0; padding: .1rem 0 .1rem .8rem; break-inside: avoid; }
.turn > b { font-size: .8rem; color: var(--soft); }
.turn.by-user { border-color: var(--s3); } .turn.by-assistant { border-color: var(--blue); }
.turn.by-tool { border-color: var(--s1); } .turn.by-system { border-color: var(--s4); }
.turn.marked { background: var(--bad-paper); }
.turn pre { margin: .15rem 0; white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; background: none;
  padding: 0; border: 0; max-height: 24rem; overflow: auto; }
.turn .call, .turn .result { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: .85rem; }
.turn .reasoning { color: var(--soft); font-style: italic; }
.note { font-size: .85rem; margin: .15rem 0; overflow-wrap: anywhere; }
@media print { .turn pre { max-height: none; } }
"""
"""The styles of :func:`markup`, in addition to those of all pages."""


class Piece(NamedTuple):
    """A part of a turn.

    Attributes:
        kind: what it is.
        text: its words; of a call, its arguments as JSON.
        name: the tool of a call.
    """

    kind: Kind
    text: str
    name: str = ""


class Turn(NamedTuple):
    """A turn: who speaks, the tool whose result it is, if it is one, and its parts."""

    role: str
    name: str
    pieces: list[Piece]


class Note(NamedTuple):
    """Something to say about a turn or a row: a finding, a repair or a loss.

    Attributes:
        level: ``error``, ``warning`` or ``info``.
        label: the code of a rule, or the name of what is counted.
        text: what was found.
    """

    level: str
    label: str
    text: str


def turns_of(messages: Iterable[Message]) -> list[Turn]:
    """The turns of the messages of a canonical row, one for each."""
    return [_turn(message) for message in messages]


def _turn(message: Message) -> Turn:
    role = str(message.get("role"))
    pieces: list[Piece] = []
    if reasoning := message.get("reasoning_content"):
        pieces.append(Piece("reasoning", _words(reasoning)))
    if (words := _words(message.get("content"))).strip():
        pieces.append(Piece("result" if role == "tool" else "text", words))
    for call in calls_of(message):
        function = call["function"]
        pieces.append(Piece("call", _arguments(function.get("arguments")), str(function.get("name"))))
    return Turn(role, str(message.get("name") or ""), pieces)


def _words(content: Any) -> str:
    """The words of a content; other parts than text are named."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(map(_part, content))
    return "" if content is None else jsontext.spaced(content)


def _part(part: Any) -> str:
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return str(part["text"])
    return f"[{part.get('type', 'part')}]" if isinstance(part, dict) else str(part)


def _arguments(arguments: Any) -> str:
    line = arguments if isinstance(arguments, str) else jsontext.spaced(arguments)
    return line if len(line) <= ONE_LINE or isinstance(arguments, str) else jsontext.pretty(arguments)


def markup(turns: Sequence[Turn], notes: Mapping[int, Sequence[Note]]) -> str:
    """Turns as markup for a page.

    Args:
        turns: the turns.
        notes: what to say about each, by its index.
    """
    return "".join(_turn_markup(turn, notes.get(at, ())) for at, turn in enumerate(turns))


def _turn_markup(turn: Turn, notes: Sequence[Note]) -> str:
    heading = f"{turn.role} {turn.name}".strip()
    parts = [tag("b", text(heading))]
    for piece in turn.pieces:
        name = f"{tag('b', text(piece.name)).strip()} " if piece.kind == "call" else ""
        parts.append(tag("pre", name + _lines(piece.text), class_=piece.kind))
    parts += [note_markup(note) for note in notes]
    known = f"by-{turn.role}" if turn.role in ("system", "user", "assistant", "tool") else ""
    return tag("div", *parts, class_=f"turn {known}{' marked' if notes else ''}".strip())


def note_markup(note: Note) -> str:
    """A note as markup."""
    return tag("p", tag("span", text(note.label), class_=f"level {note.level}"), " ", text(note.text), class_="note")


def _lines(words: str) -> str:
    """Words as markup, with their line breaks."""
    return "\n".join(map(text, words.split("\n")))
