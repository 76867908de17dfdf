"""What a message carries along under a key that means something else in the layout that is written."""

from __future__ import annotations

from typing import Any

import pytest

from toolconv import convert_rows, layouts
from toolconv.convert.options import Options
from toolconv.convert.receipt import Receipt
from toolconv.core.messages import Message, calls_of, text_of

CALL = {"id": "c1", "type": "function", "function": {"name": "ping", "arguments": '{"host": "a"}'}}
MESSAGES: list[Message] = [
    {"role": "user", "content": "Is the host up?"},
    {"role": "assistant", "content": "I ping it.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "name": "ping", "content": "pong"},
    {"role": "assistant", "content": "It is up."},
]
WRITTEN = [
    "ai-sdk", "ai-sdk-ui", "anthropic", "apigen-mt", "axolotl", "bedrock", "gemini", "llamafactory", "llamafactory-v1",
    "ms-swift", "openai", "openai-ft", "responses", "sharegpt", "trl",
]  # fmt: skip


def keys_in(value: Any) -> set[str]:
    """All keys in a value, but for those that canonical messages have, and those of calls."""
    if isinstance(value, list):
        return set().union(*map(keys_in, value))
    if not isinstance(value, dict):
        return set()
    canonical = {"role", "content", "tool_calls", "tool_call_id", "name", "reasoning_content"}
    return (set(value) - canonical).union(*map(keys_in, value.values()))


def written(messages: list[Message], name: str) -> tuple[dict[str, Any], Receipt]:
    receipt = Receipt()
    (row,) = convert_rows([{"messages": messages}], Options(to_layout=name), receipt=receipt)
    return row, receipt


def read(row: dict[str, Any], name: str) -> list[tuple[Any, ...]]:
    messages = layouts.get(name).read(row).messages
    return [(each["role"], text_of(each.get("content"))[0], len(calls_of(each))) for each in messages]


@pytest.mark.parametrize("name", WRITTEN)
def test_what_a_message_carries_does_not_take_the_place_of_what_it_says(name: str) -> None:
    plain, _ = written(MESSAGES, name)
    want = read(plain, name)
    for key in sorted(keys_in(plain)):
        for at in range(len(MESSAGES)):
            for value in ("a word", {"id": "x"}, [{"text": "x"}]):
                messages = [{**message, key: value} if each == at else message for each, message in enumerate(MESSAGES)]
                row, receipt = written(messages, name)
                assert read(row, name) == want, (key, at, value)
                assert str(value) in str(row) or receipt.losses, (key, at, value)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ({"text": "Up?"}, "Up?"),
        ({"text": "Up?", "lang": "en"}, {"text": "Up?", "lang": "en"}),
        ({"lang": "en", "text": "Up?"}, {"lang": "en", "text": "Up?"}),
        ({"lang": "en"}, {"lang": "en"}),
        ({"text": 7}, {"text": 7}),
    ],
)
def test_an_object_with_nothing_but_a_text_is_that_text(content: dict[str, Any], found: Any) -> None:
    row = {"messages": [{"role": "user", "content": content}, MESSAGES[-1]]}
    receipt = Receipt()
    (written,) = convert_rows([row], Options(), receipt=receipt)
    assert written["messages"][0]["content"] == found
    assert receipt.repairs["text_key"] == (found != content)
