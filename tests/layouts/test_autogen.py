"""What AutoGen's messages and events mean that come after thoughts."""

from __future__ import annotations

from typing import Any

from toolconv import layouts

USER = {"type": "TextMessage", "source": "user", "content": "Hi"}


def said(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": kind, "source": "bot", "content": content, **more}


def test_thoughts_in_a_row_are_the_reasoning_of_the_message_that_follows() -> None:
    thoughts = [said("ThoughtEvent", "One."), said("ThoughtEvent", "Two.")]
    rest = [
        said("MultiModalMessage", ["Look."]),
        said("StopMessage", "Done."),
        said("HandoffMessage", "To b.", target="b"),
    ]
    read = layouts.get("autogen").read({"messages": [USER, *thoughts, *rest]})
    assert read.messages == [
        {"role": "user", "content": "Hi", "source": "user"},
        {"role": "assistant", "content": "Look.", "reasoning_content": "One.\n\nTwo.", "source": "bot"},
        {"role": "assistant", "content": "Done.", "source": "bot"},
        {"role": "assistant", "content": "To b.", "source": "bot", "target": "b"},
    ]
    assert not read.notes.losses and not read.notes.dropped
