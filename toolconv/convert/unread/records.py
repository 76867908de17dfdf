"""How many records of a run are left out of a conversation: spans, events and lines of a log that are no part of it."""

from __future__ import annotations

from typing import Any, Final

from toolconv.core.conversation import Conversation
from toolconv.layouts.base import Layout
from toolconv.layouts.nested_json import opened
from toolconv.layouts.traces import OTHERS

MISSING: Final = object()


def records_left_out(conversation: Conversation, layout: Layout) -> int:
    """How many records are in the row that a conversation came from, or were in its trace, and are left out.

    They are objects in the lists of the row. Only the calls in them are searched.
    """
    source, known = conversation.source, layout.run_records
    count = source[OTHERS] if layout.leaves_out and type(source.get(OTHERS)) is int else 0
    if not known:
        return count
    for key, value in source.items():
        lists = _lists(opened(value))
        if known.get(key, MISSING) is None:
            count += sum(len(items) for items in lists)
        else:
            count += sum(_is_record(item, layout) for items in lists for item in items)
    return count


def _lists(value: Any) -> list[list[Any]]:
    """A list of objects, or those in an object."""
    found = [value] if type(value) is list else [*value.values()] if type(value) is dict else []
    return [items for items in found if type(items) is list and items and type(items[0]) is dict]


def _is_record(item: Any, layout: Layout) -> bool:
    """Whether an object is a record by one of its keys."""
    if type(item) is not dict:
        return False
    return any(
        values and type(kind := item.get(key)) in (str, bool) and kind in values
        for key, values in layout.run_records.items()
    )
