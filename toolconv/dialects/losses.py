"""What a text can't carry of a conversation: the names of these losses, and how those of calls are found.

Something of a turn is lost if its text, read with the same tools, gives a different turn; the difference is the loss.
A dialect names what its format loses of calls (:attr:`Dialect.losses`); most formats lose nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.tool_call import ToolCall

LOSSES: Final = {
    "call": "a call whose name, keys or texts the markup can't hold is read as none, or as others; or prose that looks "
    "like a call is read as one",
    "argument_key": "a key that the markup can't hold is read as another, or as part of a value",
    "argument_null": "a member that is null is left out",
    "argument_order": "keys are written sorted",
    "argument_type": "a value is read as one of another type: its text says none, so the tool's schema decides, or its "
    "looks where there is no schema",
    "argument_value": "a text that holds the markup is read as a shorter or a longer one",
    "prose": "prose that holds the markup is read as other prose, and prose that a template writes after the results "
    "of its calls as that of another turn",
    "reasoning": "reasoning is left out, or is read as other reasoning",
    "reasoning_becomes_content": "the format has one place for both, so reasoning is read as prose",
    "message_keys": "a key of a message that the text has no place for is left out",
    "content_parts": "parts of a content that are not text are left out",
    "prose_after_call": "words after a call are moved in front of it",
    "other_turn": "what another role says after a call, such as a response that the model made up, is left out",
    "call_in_reasoning": "a call in the reasoning stays there, as text",
    "shown_call": "a call that a text shows or tells of, in code, words or a document, stays there, as text",
    "turns_merged": "a turn that nothing marks off from the one before it is read as a part of that, or as a result",
}
"""Name and meaning of each loss."""


def lost_of(calls: Sequence[ToolCall], read: Sequence[ToolCall], *, null: str) -> list[str]:
    """The names of what ``calls`` lost when they are read back as ``read``, each once a call.

    ``null`` is the name of the loss when members that are null are missing.
    """
    if [call.name for call in calls] != [call.name for call in read]:
        return ["call"]
    pairs = zip(calls, read, strict=True)
    return [name for call, back in pairs for name in sorted(set(_lost(call.arguments, back.arguments, null)))]


def _lost(value: Any, back: Any, null: str) -> Iterator[str]:
    if isinstance(value, dict) and isinstance(back, dict):
        if list(value) != list(back):
            missing = value.keys() - back.keys()
            if back.keys() - value.keys() or any(value[key] is not None for key in missing):
                yield "argument_key"
            else:
                yield null if missing else "argument_order"
        for key in value.keys() & back.keys():
            yield from _lost(value[key], back[key], null)
    elif isinstance(value, list) and isinstance(back, list) and len(value) == len(back):
        for item, other in zip(value, back, strict=True):
            yield from _lost(item, other, null)
    elif _kind(value) is not _kind(back):
        yield "argument_type"
    elif jsontext.dumps(value) != jsontext.dumps(back):
        yield "argument_value"


def _kind(value: Any) -> type:
    return float if isinstance(value, float) else type(value)


def is_sorted(value: Any, by: Callable[[str], str] = str) -> bool:
    """Whether the keys of a value are sorted, at every depth."""
    if isinstance(value, dict):
        keys = list(value)
        return keys == sorted(keys, key=by) and all(is_sorted(member, by) for member in value.values())
    return not isinstance(value, list) or all(is_sorted(item, by) for item in value)
