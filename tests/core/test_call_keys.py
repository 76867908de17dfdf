"""Each spelling of the keys of a call, where it is read, and the words in keys that say that they hold calls."""

from __future__ import annotations

import json
from typing import Any

from tests.conftest import each, words
from toolconv import dialects
from toolconv.core.call_keys import argument_key, rare_argument_key, unread_key
from toolconv.core.key_words import is_key_of_calls, says_arguments
from toolconv.core.tools import ToolIndex

# ── keys of calls ──

PING = {"name": "ping", "parameters": {"type": "object", "properties": {"host": {"type": "string"}}}}
TOOLS = ToolIndex([{"type": "function", "function": PING}])


def names_in(text: str) -> list[Any]:
    """The calls that a text of no known model holds."""
    turn = dialects.get("generic").parse(text, TOOLS)
    return [[call.name, call.arguments] for call in turn.calls]


CALL = ["ping", {"host": "a"}]
ARGUMENTS = (
    "arguments parameters input args params kwargs argument parameter inputs tool_input tool_args tool_arguments tool_kwargs "
    "tool_parameters function_args function_arguments function_parameters action_input"
)


@each("key", ARGUMENTS.split())
def test_a_key_of_arguments(key: str) -> None:
    assert names_in(json.dumps({"name": "ping", key: {"host": "a"}})) == [CALL]
    assert argument_key({"name": "ping", key: {"host": "a"}, "note": {"b": 1}}) == key
    assert argument_key({"name": "ping", key: '{"host": "a"}', "note": {"b": 1}}) == key
    if key not in ("arguments", "parameters", "input", "args"):
        assert rare_argument_key({"name": "ping", key: {"host": "a"}}) == key
        assert rare_argument_key({"name": "ping", key: "a"}) is None


@each("key", words("name tool_name function tool function_name recipient_name toolName func fn action call"))
def test_a_key_of_a_tool_s_name(key: str) -> None:
    assert names_in(json.dumps({key: "ping", "arguments": {"host": "a"}})) == [CALL]


@each(
    "key",
    words("tool_calls tool_uses tool_call function_call function_calls calls toolCalls toolCall functionCall"),
)
def test_a_key_of_calls_of_an_object(key: str) -> None:
    call = {"name": "ping", "arguments": {"host": "a"}}
    assert names_in(json.dumps({key: [call]})) == [CALL]
    assert names_in(json.dumps({"content": "Wait.", key: [call]})) == [CALL]


@each("key", ["tool", "call", "action"])
def test_a_key_of_one_call(key: str) -> None:
    assert names_in(json.dumps({key: {"name": "ping", "arguments": {"host": "a"}}})) == [CALL]


@each("key", ["content", "thought", "thoughts", "reasoning"])
def test_a_key_of_words_beside_a_call(key: str) -> None:
    for beside in ("tool_calls", "function_call"):
        assert names_in(json.dumps({key: "Wait.", beside: [{"name": "ping", "arguments": {"host": "a"}}]})) == [CALL]


# Keys of calls in the APIs of OpenAI, Anthropic, Gemini, LiteLLM and LangChain, none of which holds arguments.
@each(
    "key",
    words(
        "call_id content description error id index output reasoning response result results role status strict thought thoughts "
        "tool_call_id tool_calls type cache_control caller extra_content function metadata provider_specific_fields"
    ),
)
def test_a_key_of_a_call_that_holds_no_arguments(key: str) -> None:
    assert unread_key({"name": "ping", key: {"host": "a"}}) is None
    assert unread_key({"name": "ping", f"my_{key}": {"host": "a"}}) == f"my_{key}"


# ── words of keys ──


@each("word", words("call calls tool tools function functions action actions use uses invoke invocation invocations"))
def test_a_word_for_calls(word: str) -> None:
    assert is_key_of_calls(word) and is_key_of_calls(word.upper())
    for beside in ("api", "model", "assistant", "parallel", "raw", "request", "requests"):
        assert is_key_of_calls(f"{beside}_{word}"), beside
        assert not is_key_of_calls(beside)
    assert not is_key_of_calls(f"{word}_count")


@each("word", words("input inputs args arguments kwargs params parameters"))
def test_a_word_for_arguments(word: str) -> None:
    assert says_arguments(f"tool_{word}") and says_arguments(f"function{word.capitalize()}")
    assert says_arguments(f"{word}_as_json") and says_arguments(f"{word}_json")
    assert not says_arguments(word) and not says_arguments(f"my_{word}")
