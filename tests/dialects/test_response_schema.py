"""Dialects that an early ``response_schema`` of Transformers describes."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import each
from tests.helpers.command import toolconv
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.grammars.response_schema import from_schema
from toolconv.dialects.turn_reader import TurnReader

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
NAME = {"type": "string", "x-regex": r"^(\w+)"}
JSON = {"type": "object", "x-regex": r"\{.*\}", "x-parser": "json"}
PAIRS = {"type": "object", "x-regex-key-value": r"<(?P<key>\w+)(?: (?P<value>[^>]*))?>"}


def cut(arguments: Any, **others: Any) -> dict[str, Any]:
    """A schema of calls between brackets, whose names come first."""
    item = {"type": "object", "properties": {"name": NAME, "arguments": arguments}}
    calls = {"type": "array", "x-regex-iterator": r"\[(.*?)\]\]", "items": item}
    content = {"type": "string", "x-regex": "^[^[]*"}
    return {"type": "object", "properties": {"content": content, "tool_calls": calls, **others}}


def read(schema: dict[str, Any], text: str, tools: ToolIndex = NO_TOOLS) -> list[Any]:
    """The calls, content, reasoning, repairs of a text, and the reasons why it is dropped."""
    parsed = from_schema(schema).parse(text, tools)
    calls = [[call.name, call.arguments, *([call.id] if call.id else [])] for call in parsed.calls]
    assert all(drop.text == text for drop in parsed.dropped)
    return [calls, parsed.content, parsed.reasoning, parsed.repairs, [drop.reason for drop in parsed.dropped]]


def prose(text: str, *reasons: str) -> list[Any]:
    return [[], text, None, [], [*reasons]]


def arguments(given: dict[str, Any], *repairs: str) -> list[Any]:
    """A call of ``f`` with these arguments."""
    return [[["f", given]], "", None, [*repairs], []]


CITY = {"city": "Oslo"}
WHOLE = {
    "type": "object",
    "properties": {"tool_calls": {"type": "array", "x-parser": "json", "items": {"type": "object"}}},
}
VALUE = {"type": "object", "x-regex": r"=(?P<v>[^\]]*)$"}
DECLARED = {
    "x-regex": r"\{.*\}",
    "x-parser": "json",
    "properties": {"city": {"type": "string"}, "at": {"const": 1}, "to": {"default": "now"}},
}

TURNS: dict[str, tuple[dict[str, Any], str, list[Any]]] = {
    "a name and elements": (
        TAGS,
        "<think>\nHm.\n</think>\n\nLook:\n<call>get_w<p n=city>02139</p><p n=days>3</p></call><call>ping</call>",
        [[["get_w", {"city": "02139", "days": 3}], ["ping", {}]], "Look:", "Hm.", ["missing_arguments"], []],
    ),
    "prose": (TAGS, "Only prose.", prose("Only prose.")),
    "a name and JSON in channels": (
        CHANNELS,
        '<|analysis|>Hm.<|end|><|to|>get_w<|json|>{"city": "Oslo", "days": 2}<|call|>',
        [[["get_w", {"city": "Oslo", "days": 2}]], "", "Hm.", [], []],
    ),
    "reasoning alone": (CHANNELS, "<|analysis|>Hm.<|end|>", [[], "", "Hm.", [], []]),
    "content in a channel": (CHANNELS, "<|final|>Done.<|end|>", prose("Done.")),
    "nothing that a pattern finds": (CHANNELS, "Hello.", prose("Hello.")),
    "a pattern of the whole that does not match": ({"x-regex": "^<a>", **CHANNELS}, "<|final|>Hi.", prose("<|final|>Hi.")),
    "a schema that makes a text": ({"type": "string"}, "Hello.", prose("Hello.")),
    "content that is no text": (cut(JSON, content={"const": 3}), '[f {"city": "Oslo"}]]', arguments(CITY)),
    "reasoning that is no text": (
        cut(JSON, thinking={"const": 3}, reasoning={"type": "string", "x-regex": r"\((.*?)\)"}),
        '(Hm.)[f {"city": "Oslo"}]]',
        [[["f", CITY]], "(Hm.)", "Hm.", [], []],
    ),
    "empty reasoning": (cut(JSON, thinking={"const": ""}), '[f {"city": "Oslo"}]]', arguments(CITY)),
    # what patterns cut out
    "the whole match of a pattern without groups": (cut(JSON), '[f {"city": "Oslo"}]]', arguments(CITY)),
    "groups that match, and defaults": (
        cut({**VALUE, "properties": {"v": {"type": "string"}, "to": {"default": "now"}}}),
        "[f =Oslo]]",
        arguments({"v": "Oslo", "to": "now"}),
    ),
    "a group that does not match": (
        cut({"type": "object", "x-regex": "=(?P<v>[^,]*)(?:,(?P<w>.*))?"}),
        "[f =Oslo]]",
        arguments({"v": "Oslo"}),
    ),
    "pairs after substitutions": (
        cut({**PAIRS, "x-regex-substitutions": [["@", "<"], ["#.", " "]]}),
        "[f @city#.Oslo>]]",
        arguments(CITY),
    ),
    "pairs in a part of the text": (cut({**PAIRS, "x-regex": "<<(.*)>>"}), "[f <a 1> <<<city Oslo>>>]]", arguments(CITY)),
    "the last of two pairs": (cut(PAIRS), "[f <city Rome><city Oslo>]]", arguments(CITY, "duplicate_key")),
    "no pairs": (cut(PAIRS), "[f ]]", arguments({}, "missing_arguments")),
    "a list in a part of the text": (
        {"type": "object", "properties": {"tool_calls": {**cut(JSON)["properties"]["tool_calls"], "x-regex": "!(.*)"}}},
        '[g {}]] ![f {"city": "Oslo"}]]',
        arguments(CITY),
    ),
    "a list in groups": (
        {"type": "object", "properties": {"tool_calls": {**cut(JSON)["properties"]["tool_calls"], "x-regex": "(?P<a>.)"}}},
        "[f {}]]",
        prose("[f {}]]", "expected string or bytes-like object, got 'dict'"),
    ),
    "no calls": (cut(JSON), "Hello.", prose("Hello.")),
    # JSON
    "a list of calls as JSON": (WHOLE, '[{"id": "x1", "name": "f", "arguments": {"city": null}}]', [[["f", {"city": None}, "x1"]], "", None, [], []]),
    "damaged JSON": (cut(JSON), '[f {"city": "Oslo",}]]', arguments(CITY, "trailing_comma")),
    "no JSON": (cut(JSON), "[f {Oslo?}]]", prose("[f {Oslo?}]]", "unreadable arguments: a key without a colon after it")),
    "bare keys": (cut({**JSON, "x-parser": "gemma4-tool-call"}), '[f {city:<|"|>Oslo<|"|>,days:3}]]', arguments({"city": "Oslo", "days": 3})),
    "values that may be JSON": (
        cut({**PAIRS, "additionalProperties": {"x-parser": "json", "x-parser-args": {"allow_non_json": True}}}),
        "[f <city Oslo><days 3>]]",
        arguments({"city": "Oslo", "days": 3}),
    ),
    "a parser for what is no text": (cut({**PAIRS, "x-parser": "json"}), "[f <city Oslo>]]", arguments(CITY)),
    # objects and lists
    "constants and defaults": (cut(DECLARED | {"type": "object"}), '[f {"city": "Oslo", "at": 2}]]', arguments({"city": "Oslo", "at": 1, "to": "now"})),
    "a property without a value": (cut(DECLARED | {"type": "object"}), '[f {"city": null, "to": "then"}]]', arguments({"city": None, "at": 1, "to": "then"})),
    "more members, of a type": (
        cut(DECLARED | {"type": "object", "additionalProperties": {"type": "integer"}}),
        '[f {"city": "Oslo", "days": "3"}]]',
        arguments({"city": "Oslo", "at": 1, "to": "now", "days": 3}),
    ),
    "more members, allowed": (
        cut(DECLARED | {"type": "object", "additionalProperties": True}),
        '[f {"city": "Oslo", "days": "3", "none": null}]]',
        arguments({"city": "Oslo", "at": 1, "to": "now", "days": "3", "none": None}),
    ),
    "no more members": (
        cut(DECLARED | {"type": "object", "additionalProperties": False}),
        '[f {"city": "Oslo", "days": "3"}]]',
        arguments({"city": "Oslo", "at": 1, "to": "now"}),
    ),
    "an object of a text that nothing cuts": (cut({"type": "object"}), "[f {}]]", prose("[f {}]]", "no object where the response schema wants one")),
    "an object of a list": (cut({**JSON, "x-regex": r"\(.*\)"}) | {}, "[f (1)]]", prose("[f (1)]]", "unreadable arguments: '(' where a value should begin")),
    "a list of an object": (
        cut({"type": "object", "x-regex": r"\{.*\}", "x-parser": "json", "properties": {"a": {"type": "array", "items": {}}}}),
        '[f {"a": {}}]]',
        prose('[f {"a": {}}]]', "no list where the response schema wants one"),
    ),
    "a list without a schema of its items": (
        cut({"type": "object", "x-regex": r"\{.*\}", "x-parser": "json", "properties": {"a": {"type": "array"}}}),
        '[f {"a": [1]}]]',
        prose('[f {"a": [1]}]]', "no list where the response schema wants one"),
    ),
    "a list of integers": (
        cut({"type": "object", "x-regex": r"\{.*\}", "x-parser": "json", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}}),
        '[f {"a": [1, "2"]}]]',
        arguments({"a": [1, 2]}),
    ),
    "an item that is no call": (
        {"type": "object", "properties": {"tool_calls": {"type": "array", "x-regex-iterator": r"\[(.*?)\]", "items": JSON}}},
        '[{"name": "f", "arguments": {}}] [no call]',
        prose('[{"name": "f", "arguments": {}}] [no call]', "null where a call object should stand"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("schema", "text", "expected"), TURNS.values(), ids=TURNS)
def test_a_turn_is_cut_into_its_parts(schema: dict[str, Any], text: str, expected: list[Any]) -> None:
    assert read(schema, text, TOOLS) == expected


@each(
    "kind, text, value, repairs",
    [
        ("string", "3", "3", []),
        ("integer", "3", 3, []),
        ("integer", "x", "x", ["type_mismatch"]),
        ("number", "1.5", 1.5, []),
        ("boolean", "true", True, []),
        ("boolean", "0", False, []),
        ("any", "3", "3", []),
    ],
)
def test_a_text_takes_the_type_of_its_node(kind: str, text: str, value: Any, repairs: list[str]) -> None:
    schema = cut({**VALUE, "properties": {"v": {"type": kind}}})
    assert repr(read(schema, f"[f ={text}]]")) == repr(arguments({"v": value}, *repairs))


def test_a_transform_is_applied_by_jmespath(monkeypatch: pytest.MonkeyPatch) -> None:
    search = types.SimpleNamespace(search=lambda path, value: value[path])
    monkeypatch.setitem(sys.modules, "jmespath", search)
    schema = cut({**JSON, "x-parser-args": {"transform": "inner"}})
    assert read(schema, '[f {"inner": {"city": "Oslo"}}]]') == arguments(CITY)


def test_a_transform_needs_jmespath(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jmespath", None)
    with pytest.raises(ValueError, match="needs the package jmespath: pip install jmespath"):
        from_schema(cut({**JSON, "x-parser-args": {"transform": "inner"}}))


@each("schema, message", [
        ({"x-regex": "("}, "'x-regex' of a response schema is not a valid pattern"),
        ({"items": {"x-regex-iterator": 3}}, "'x-regex-iterator' of a response schema is not a valid pattern"),
        ({"additionalProperties": {"x-regex-key-value": "("}}, "'x-regex-key-value' of a response schema is not a valid"),
        ({"x-regex-key-value": "(?P<key>.)"}, "'x-regex-key-value' of a response schema needs the groups 'key' and 'value'"),
        ({"x-regex-substitutions": [["a", "b"], ["(", ""]]}, "'x-regex-substitutions' of a response schema is not a valid"),
        ({"properties": {"a": {"x-parser": "yaml"}}}, "unknown parser 'yaml'"),
        ([], "must be an object"),
    ])  # fmt: skip
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


def test_what_a_schema_leaves_is_read_by_the_dialects_that_it_shows() -> None:
    call = '<tool_call>\n{"name": "get_w", "arguments": {"city": "Oslo"}}\n</tool_call>'
    for text, calls, dropped in (
        (f"Look:\n{call}", [["get_w", {"city": "Oslo"}]], 0),
        (f"Look:\n{call[:-20]}", [], 1),
        ("Look: (a) `x` and {b}.", [], 0),
    ):
        parsed = TurnReader(from_schema(TAGS)).read(text, TOOLS)
        assert [[each.name, each.arguments] for each in parsed.calls] == calls
        assert len(parsed.dropped) == dropped and parsed.reasoning is None
        assert parsed.content == ("Look:" if calls else text)
