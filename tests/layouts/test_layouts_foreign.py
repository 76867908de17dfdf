"""Rows that hold a second conversation, under ``messages`` or beside them: nothing is lost silently."""

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
UNDER_MESSAGES = (
    *("bedrock", "anthropic", "toucan", "smolagents", "llamafactory-v1", "ms-swift", "openai-ft"),
    *("axolotl", "canonical", "openai", "chat"),
)


@pytest.mark.whole
@pytest.mark.parametrize("first", [True, False], ids=["first", "last"])
@pytest.mark.parametrize("name", ELSEWHERE)
def test_messages_beside_the_conversation_are_an_error(name: str, first: bool) -> None:
    layout = layouts.get(name)
    row: dict[str, Any] = json.loads(layout.sample)
    assert "messages" not in row and layout.read(row).messages
    with pytest.raises(LayoutError, match="something under 'messages' beside"):
        layout.read({"messages": FOREIGN, **row} if first else {**row, "messages": FOREIGN})


@pytest.mark.parametrize("first", [True, False], ids=["first", "last"])
@pytest.mark.parametrize("key", ["conversations", "conversation"])
@pytest.mark.parametrize("name", UNDER_MESSAGES)
def test_turns_beside_messages_are_an_error(name: str, key: str, first: bool) -> None:
    layout = layouts.get(name)
    row: dict[str, Any] = json.loads(layout.sample)
    assert layout.read(row).messages
    other = {key: [{"from": "human", "value": "Foreign."}]}
    both = {**other, **row} if first else {**row, **other}
    for reader in (layout, layouts.detect(both)):
        assert reader is not None
        with pytest.raises(LayoutError, match=f"turns under '{key}' beside the conversation under 'messages'"):
            reader.read(both)
    for no_turns in ([], None, "c17", ["c17"], {"id": "c17"}):
        assert layout.read({**row, key: no_turns}).row[key] == no_turns


def test_messages_that_are_a_request_are_part_of_the_conversation() -> None:
    reply = {"choices": [{"message": {"role": "assistant", "content": "Hi."}}]}
    conversation = layouts.get("chat-completion").read({"messages": FOREIGN, **reply})
    assert [message["content"] for message in conversation.messages] == ["Foreign.", "Hi."]
