"""Tries an option on a row before it is proposed."""

from __future__ import annotations

from typing import Literal

from toolconv.convert.detect import Detector
from toolconv.core.conversation import Conversation
from toolconv.core.json_pointer import pointer_to
from toolconv.core.messages import Row
from toolconv.layouts.base import LayoutError
from toolconv.layouts.speakers import meaning_of

KeyOption = Literal["text_key", "prompt_key", "messages_key", "tools_key"]
"""An option that names a key, as the program calls it."""


def read_with(row: Row, keys: dict[KeyOption, str]) -> Conversation | None:
    """The conversation in a row that is read with some options; ``None`` if they read none, or nothing but results."""
    detector = Detector(
        text_key=keys.get("text_key"),
        prompt_key=keys.get("prompt_key"),
        messages_key=keys.get("messages_key"),
        tools_key=keys.get("tools_key"),
    )
    name = detector.keyed_layout(row)
    try:
        read = None if name is None else detector.layout_of(name).read(row)
    except LayoutError:
        return None
    return (
        None
        if read is None or all(meaning_of(str(message.get("role"))) == "tool" for message in read.messages)
        else read
    )


def is_read_at(conversation: Conversation, path: tuple[str, ...]) -> bool:
    """Whether the first or the last message of a conversation is from a path in its row."""
    pointers = [pointer for field in conversation.fields for pointer in field.pointers()]
    place = pointer_to(path)
    return any(pointer == place or pointer.startswith(f"{place}/") for pointer in (*pointers[:1], *pointers[-1:]))


def typed(keys: dict[KeyOption, str]) -> str:
    """Options as they are typed in a shell."""
    from shlex import quote  # which few rows need

    return " ".join(f"--{option.replace('_', '-')} {quote(key)}" for option, key in keys.items())
