"""What ``toolconv view`` shows of a row: its turns, with notes about each of them and about the row."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from toolconv.core.plural import plural
from toolconv.core.tools import function_of
from toolconv.core.transcript import Note, Turn, turns_of
from toolconv.lint.reporters.places import message_at
from toolconv.select.facts import SeenRow


class ShownRow(NamedTuple):
    """A row as it is shown.

    Attributes:
        place: its file and line.
        facts: what it is: its id, its layout, its tools.
        turns: its turns; those of all answers, if it has several.
        notes: the findings in each turn, by its index.
        about: findings, losses, repairs and other notes about the whole row.
    """

    place: str
    facts: list[str]
    turns: list[Turn]
    notes: dict[int, list[Note]]
    about: list[Note]


def shown(row: SeenRow) -> ShownRow:
    """A row as it is shown."""
    conversation, notes = row.conversation, row.conversation.notes
    facts = []
    if (identity := conversation.source.get("id")) is not None:
        facts.append(f"id {identity}")
    if conversation.origin is not None:
        facts.append(f"layout {conversation.origin[0]}")
    facts += [f"{name} call" for name in dict.fromkeys(notes.text_dialects)]
    names = [str((function_of(tool) or tool).get("name")) for tool in conversation.tools if isinstance(tool, dict)]
    facts.append(f"{plural(len(names), 'tool')}: {', '.join(names)}" if names else "no tools")
    about = [Note("error", "dropped", each.reason) for each in notes.dropped]
    about += [Note("error" if each.kind == "calls" else "warning", "unread", str(each)) for each in notes.unread]
    about += [_counted("loss", name, count) for name, count in Counter(notes.losses).items()]
    about += [_counted("repair", name, count) for name, count in Counter(notes.repairs).items()]
    of_turns: dict[int, list[Note]] = {}
    for finding in row.findings:
        note = Note(finding.level, finding.code, finding.message)
        at = message_at(row.checked, finding.pointer) if row.checked is not None else None
        (about if at is None else of_turns.setdefault(at, [])).append(note)
    place = f"{row.reading.file}:{row.reading.line}"
    return ShownRow(place, facts, turns_of(conversation.all_messages), of_turns, about)


def _counted(kind: str, name: str, count: int) -> Note:
    times = f" ({count:,} times)" if count > 1 else ""
    return Note("warning" if kind == "loss" else "info", kind, f"{name}{times}")
