"""The short way of a row that holds one text, which is exactly what its family's template writes.

Nearly all completion rows are that. Nothing is to be repaired, dropped or lost, so the text goes straight to a message,
or to a text in another dialect, with no conversation in between. Any other row goes the long way, through
:class:`~toolconv.converter.Converter`, which makes the same of these rows too.
"""

from __future__ import annotations

from toolconv.conversation import Message, Row, ToolCall
from toolconv.dialects.base import Dialect
from toolconv.layouts.base import replace_key
from toolconv.layouts.completion import Completion
from toolconv.receipt import Receipt
from toolconv.toolindex import ToolIndex

ELSEWHERE = frozenset({"messages", "prompt"})
"""Keys of rows that say more than their text does."""


class ShortWay:
    """Rewrites completion rows.

    Args:
        layout: the layout of the rows.
        source: the dialect of their texts.
        target: the dialect to write; ``None`` for canonical rows.
    """

    def __init__(self, layout: Completion, source: Dialect, target: Dialect | None) -> None:
        self._layout = layout
        self._source = source
        self._target = target

    def row(self, row: Row, receipt: Receipt) -> Row | None:
        """What becomes of a row, which is counted; ``None`` for one that has to go the long way."""
        key = self._layout.key_of(row)
        if key not in row or not ELSEWHERE.isdisjoint(row):
            return None
        tools = row.get("tools")
        if tools is not None and type(tools) is not list:
            return None
        declared = ToolIndex(tools or ())
        parsed = self._source.parse_written(row[key], declared)
        if parsed is None or parsed.reasoning is not None or parsed.repairs or parsed.dropped:
            return None
        content, calls = parsed.content, parsed.calls
        for place, call in enumerate(calls):
            if call.id is None:
                call.id = f"call_{place}"
            elif self._target is not None or len(calls) > 1:
                return None  # ids may be lost, or be those that others are given
        if self._target is None:
            made = replace_key(row, key, "messages", [_message(content, calls)])
        else:
            text = _spelled(content, calls, self._target, declared)
            if text is None:
                return None
            made = {**row, key: text}
        receipt.count_turn([call.name for call in calls])
        receipt.count_tools(tools)
        return made


def _message(content: str, calls: list[ToolCall]) -> Message:
    return {"role": "assistant", "content": content, "tool_calls": [call.to_canonical() for call in calls]}


def _spelled(content: str, calls: list[ToolCall], target: Dialect, declared: ToolIndex) -> str | None:
    """The turn in another dialect; ``None`` where something would be lost."""
    for place, call in enumerate(calls):
        if call.extra:
            return None
        call.id = target.call_id(call, place)
    return None if target.lost(calls, declared) else target.render_turn(content, None, calls)
