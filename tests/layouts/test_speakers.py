"""Names of speakers, wherever a row has texts that might be some."""

from __future__ import annotations

from toolconv.core.conversation import Conversation
from toolconv.layouts.speakers import LONGEST, SPEAKERS, _meaning, meaning_of, settle_roles


def test_a_long_text_is_no_speaker_and_is_not_kept() -> None:
    """A row's image is one text of megabytes, and each distinct one would stay in the cache."""
    kept = _meaning.cache_info()
    assert meaning_of("x" * (LONGEST + 1)) is None
    assert _meaning.cache_info() == kept
    assert all(meaning_of(f"MessageRole.{name.upper()}") == meaning for name, meaning in SPEAKERS.items())
    assert max(map(len, SPEAKERS)) < LONGEST // 4


def test_a_speaker_of_calls_that_has_calls_keeps_them() -> None:
    """Its text may be a call, too, but would take their place."""
    call = {"id": "a", "type": "function", "function": {"name": "ping", "arguments": "{}"}}
    message = {"role": "function_call", "content": '{"name": "pong", "arguments": {}}', "tool_calls": [call]}
    conversation = Conversation({"messages": [message]})
    settle_roles(conversation)
    assert conversation.messages == [message]
