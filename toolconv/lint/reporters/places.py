"""Which message of a conversation a finding is about."""

from __future__ import annotations

from toolconv.lint.model.row import LintRow


def message_at(row: LintRow, pointer: str) -> int | None:
    """The index of the message that a pointer leads into; ``None`` if it leads elsewhere."""
    for at in range(len(row.messages)):
        for place in (row.message_pointer(at), *row.pieces_of(at)):
            if place and (pointer == place or pointer.startswith(f"{place}/")):
                return at
    return None
