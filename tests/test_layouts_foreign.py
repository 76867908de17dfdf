"""Rows that have something under ``messages`` while their conversation stands elsewhere: nothing is lost silently."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolconv import layouts
from toolconv.layouts.base import LayoutError

FOREIGN = [{"role": "user", "content": "Foreign."}]
ELSEWHERE = (
    *("gemini", "responses", "bfcl", "toolbench", "hermes", "apigen-mt", "llamafactory", "toolace", "sharegpt"),
    *("xlam", "glaive", "api-bank", "completion"),
)  # whose conversation is under another key


@pytest.mark.parametrize("first", [True, False], ids=["first", "last"])
@pytest.mark.parametrize("name", ELSEWHERE)
def test_messages_beside_the_conversation_are_an_error(name: str, first: bool) -> None:
    layout = layouts.get(name)
    row: dict[str, Any] = json.loads(layout.sample)
    assert "messages" not in row and layout.read(row).messages
    with pytest.raises(LayoutError, match="something under 'messages' beside"):
        layout.read({"messages": FOREIGN, **row} if first else {**row, "messages": FOREIGN})


def test_messages_that_are_a_request_are_part_of_the_conversation() -> None:
    reply = {"choices": [{"message": {"role": "assistant", "content": "Hi."}}]}
    conversation = layouts.get("chat-completion").read({"messages": FOREIGN, **reply})
    assert [message["content"] for message in conversation.messages] == ["Foreign.", "Hi."]
