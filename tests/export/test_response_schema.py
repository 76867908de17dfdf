"""Dialects that an early ``response_schema`` of Transformers describes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.command import toolconv
from toolconv.core.tools import ToolIndex
from toolconv.dialects.grammars.response_schema import from_schema

MESSAGE = {"role": {"const": "assistant"}, "content": {"type": "string"}, "thinking": {"type": "string"}}

TAGS = {
    "x-regex": r"^(?:<think>\n?(?P<thinking>.+?)\n?</think>\s*)?(?P<content>.*?)\s*(?P<tool_calls>(?:<call>.*</call>)?)$",
    "type": "object",
    "properties": {
        **MESSAGE,
        "tool_calls": {
            "type": "array",
            "x-regex-iterator": r"<call>(.*?)</call>",
            "items": {
                "type": "object",
                "properties": {
                    "type": {"const": "function"},
                    "function": {
                        "type": "object",
                        "properties": {
                            "name": {"type": "string", "x-regex": r"^(\w+)"},
                            "arguments": {
                                "type": "object",
                                "x-regex-key-value": r"<p n=(?P<key>\w+)>(?P<value>.*?)</p>",
                                "default": {},
                            },
                        },
                    },
                },
            },
        },
    },
}
"""A name and elements, as in Qwen's schema."""

CHANNELS = {
    "type": "object",
    "properties": {
        "role": {"const": "assistant"},
        "content": {"type": "string", "x-regex": r"<\|final\|>(.*?)(?:<\|end\|>|$)"},
        "thinking": {"type": "string", "x-regex": r"<\|analysis\|>(.*?)<\|end\|>"},
        "tool_calls": {
            "type": "array",
            "x-regex-iterator": r"<\|to\|>(.*?)(?:<\|call\|>|$)",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "x-regex": r"^(\w+)"},
                    "arguments": {"type": "object", "x-regex": r"<\|json\|>(.*)", "x-parser": "json"},
                },
            },
        },
    },
}
"""A name and JSON in channels, as in the schema of gpt-oss."""

PROPERTIES = {"city": {"type": "string"}, "days": {"type": "integer"}}
TOOLS = ToolIndex([{"type": "function", "function": {"name": "get_w", "parameters": {"properties": PROPERTIES}}}])


@pytest.mark.parametrize(
    ("schema", "text", "calls", "content", "reasoning"),
    [
        (
            TAGS,
            "<think>\nHm.\n</think>\n\nLook:\n<call>get_w<p n=city>02139</p><p n=days>3</p></call><call>ping</call>",
            [["get_w", {"city": "02139", "days": 3}], ["ping", {}]],
            "Look:",
            "Hm.",
        ),
        (TAGS, "Only prose.", [], "Only prose.", None),
        (
            CHANNELS,
            '<|analysis|>Hm.<|end|><|to|>get_w<|json|>{"city": "Oslo", "days": 2}<|call|>',
            [["get_w", {"city": "Oslo", "days": 2}]],
            "",
            "Hm.",
        ),
        (CHANNELS, "<|final|>Done.<|end|>", [], "Done.", None),
    ],
)
def test_a_turn_is_cut_into_its_parts(
    schema: dict[str, Any], text: str, calls: list[Any], content: str, reasoning: str | None
) -> None:
    parsed = from_schema(schema).parse(text, TOOLS)
    assert [[call.name, call.arguments] for call in parsed.calls] == calls
    assert (parsed.content, parsed.reasoning, parsed.dropped) == (content, reasoning, [])


def test_a_call_that_cannot_be_read_is_dropped_and_its_text_kept() -> None:
    text = "<|to|>get_w<|json|>3<|call|>"
    parsed = from_schema(CHANNELS).parse(text, TOOLS)
    assert (parsed.calls, parsed.content) == ([], text)
    assert len(parsed.dropped) == 1


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"x-regex": "("}, "not a valid pattern"),
        ({"properties": {"a": {"x-parser": "yaml"}}}, "unknown parser 'yaml'"),
        ([], "must be an object"),
    ],
)
def test_what_is_no_response_schema(schema: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_schema(schema)


def test_a_tokenizer_configuration_with_a_schema_is_a_source(tmp_path: Path) -> None:
    config = tmp_path / "tokenizer_config.json"
    config.write_text(json.dumps({"chat_template": "{{ messages }}", "response_schema": TAGS}))
    row = json.dumps({"text": "<call>get_w<p n=city>Oslo</p></call>"}) + "\n"
    run = toolconv("parse", "--from", config, stdin=row)
    assert run.status == 0, run.err
    (call,) = run.rows[0]["messages"][0]["tool_calls"]
    assert call["function"] == {"name": "get_w", "arguments": {"city": "Oslo"}}
