"""The small parts of the core, both sides of what each decides."""

from __future__ import annotations

import base64
import errno
import hashlib
import io
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import each
from toolconv.core import jsontext, key_words, page, settings
from toolconv.core.answers import on_each_answer
from toolconv.core.call_keys import argument_key, holds_object, is_misspelt, rare_argument_key, unread_key
from toolconv.core.conversation import Answers, Conversation
from toolconv.core.errors import FileError, how_to_add, how_to_install, shortened
from toolconv.core.inner_quotes import read_inner_quotes
from toolconv.core.lenient_json import Unreadable
from toolconv.core.messages import calls_of, only_text_of, text_of
from toolconv.core.notes import Dropped, Notes, Reason, Unread
from toolconv.core.one_slip import Ambiguous, read_one_slip
from toolconv.core.pairing import complete, is_numbered, number_calls
from toolconv.core.row_fields import RowField, Unit
from toolconv.core.schema_types import allows, subschema, types_of
from toolconv.core.settings import ConfigError
from toolconv.core.spill import SpillFile
from toolconv.core.terminal import escaped_json
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex, function_of

# ── texts and calls of messages ──


@each(
    "content, between, found",
    [
        ("a", "", ("a", True)),
        (None, "", ("", True)),
        ({"a": 1}, "", ('{"a": 1}', False)),
        (7, "", ("7", False)),
        ([], "", ("", False)),
        ([{"type": "text", "text": "a"}, "b"], "", ("ab", True)),
        ([{"type": "input_text", "text": "a"}, {"type": "output_text", "text": "b"}], "\n", ("a\nb", True)),
        ([{"text": "a"}, {"type": "image"}], "", ("a", False)),
        ([{"type": "text", "text": None}], "", ("", False)),
        ([{"type": "image", "text": "a"}], "", ("", False)),
    ],
)
def test_the_text_of_a_content(content: Any, between: str, found: tuple[str, bool]) -> None:
    assert text_of(content, between) == found


@each(
    "content, found",
    [
        (None, ("", True)),
        (["a", {"type": "text", "text": "b", "citations": []}], ("ab", True)),
        (["a", {"type": "text", "text": "b", "citations": [1]}], ("ab", False)),
        ([{"type": "image"}], ("", False)),
    ],
)
def test_the_only_text_of_a_content(content: Any, found: tuple[str, bool]) -> None:
    assert only_text_of(content) == found


@each(
    "calls, names",
    [
        (None, []),
        ([], []),
        ({"function": {"name": "a"}}, []),
        ([{"function": {"name": "a"}}, {"function": {"name": "b"}}], ["a", "b"]),
        ([{"function": {"name": "a"}}, 7, {"function": "b"}, {}], ["a"]),
    ],
)
def test_the_calls_of_a_message(calls: Any, names: list[str]) -> None:
    assert [call["function"]["name"] for call in calls_of({"tool_calls": calls})] == names


@each(
    "call, found",
    [
        ({"id": "1", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}, ToolCall("f", {"a": 1}, "1")),
        ({"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}, ToolCall("f", {"a": 1}, "1")),
        ({"id": "1", "type": "function", "function": {"name": "", "arguments": {}}}, "a call without a name"),
        ({"id": None, "type": "function", "function": {"name": "f", "arguments": {}}}, ToolCall("f", {})),
        ({"id": "1", "x": 2, "function": {"name": "f", "arguments": {}}}, ToolCall("f", {}, "1", {"x": 2})),
        ({"id": 7, "type": "function", "function": {"name": "f", "arguments": ""}}, ToolCall("f", {}, None, {"id": 7})),
        ({"name": "f", "arguments": {}, "index": 0}, ToolCall("f", {}, None, {"index": 0})),
        ({"name": "f"}, ToolCall("f", {})),
        ({"name": "f", "params": {"a": 1}}, "no arguments of 'f', but 'params'"),
        ({"name": "f", "description": {"a": 1}}, ToolCall("f", {}, None, {"description": {"a": 1}})),
        ({"name": "f", "arguments": "{"}, "arguments of 'f' are not JSON ("),
        ({"name": "f", "arguments": "[1]"}, "arguments of 'f' are not a JSON object"),
        ({"name": "f", "arguments": [1]}, "arguments of 'f' are not a JSON object"),
        ({"name": 7}, "a call without a name"),
        (SimpleNamespace(id="1", function=SimpleNamespace(name="f", arguments='{"a": 1}')), ToolCall("f", {"a": 1}, "1")),
        (SimpleNamespace(name="f", arguments=None), ToolCall("f", {})),
        (SimpleNamespace(), "a call without a name"),
    ],
)  # fmt: skip
def test_a_call_of_a_client_or_a_row(call: Any, found: ToolCall | str) -> None:
    if isinstance(found, ToolCall):
        assert ToolCall.from_openai(call) == found
        return
    with pytest.raises(ValueError) as raised:
        ToolCall.from_openai(call)
    assert str(raised.value).startswith(found)


def test_a_call_as_rows_have_it() -> None:
    call = ToolCall("f", {"a": "é"}, "1", {"x": 2})
    assert call.to_openai() == {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": "é"}'}}
    assert list(call.to_openai()) == ["id", "type", "function"]
    assert list(call.to_canonical().items())[:2] == [("x", 2), ("id", "1")]
    assert ToolCall("f", {}).to_openai() == {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    assert ToolCall("f", {}).to_canonical() == {
        "id": None,
        "type": "function",
        "function": {"name": "f", "arguments": {}},
    }


# ── keys of calls ──


@each(
    "members, key",
    [
        ({"arguments": {}}, "arguments"),
        ({"arguments": "x", "input": {}}, "input"),
        ({"arguments": "x", "parameters": ' {"a": 1}'}, "parameters"),
        ({"args": 7}, "args"),
        ({"args": 7, "kwargs": {}}, "kwargs"),
        ({"kwargs": 7}, None),
        ({"kwargs": {}, "params": {}}, None),  # which of them?
        ({"argments": {}}, "argments"),
        ({"argments": {}, "parameter_s": {}}, None),
        ({"name": "f"}, None),
    ],
)
def test_the_key_of_arguments(members: dict[str, Any], key: str | None) -> None:
    assert argument_key(members) == key


@each(
    "members, key",
    [
        ({"tool_input": "{"}, "tool_input"),
        ({"tool_input": "x"}, None),
        ({"inputs": {}, "kwargs": 1}, "inputs"),
        ({"argments": "x"}, None),
    ],
)
def test_a_rare_key_of_arguments(members: dict[str, Any], key: str | None) -> None:
    assert rare_argument_key(members) == key


@each(
    "members, key",
    [
        ({"name": "f", "data": {"a": 1}}, "data"),
        ({"name": "f", "data": '{"a": 1}'}, "data"),
        ({"name": "f", "data": {}}, None),
        ({"name": "f", "data": [1]}, None),
        ({"name": "f", "data": {"a": 1}, "arguments": None}, None),
        ({"name": "f", "metadata": {"a": 1}}, None),
        ({"name": "f", "result": {"a": 1}}, None),
    ],
)
def test_a_key_that_may_hold_arguments(members: dict[str, Any], key: str | None) -> None:
    assert unread_key(members) == key


@each(
    "key, misspelt",
    [
        *((key, True) for key in ("argument", "rguments", "argumentss", "xarguments", "argumints", "paramiters", "parameterz", "parameter")),
        *((key, False) for key in ("arguments", "parameters", "argumen", "args", "argumintz", "", "argument_list")),
    ],
)  # fmt: skip
def test_a_usual_key_with_one_wrong_character(key: str, misspelt: bool) -> None:
    assert is_misspelt(key) is misspelt


def test_what_seems_to_be_an_object() -> None:
    assert [holds_object(value) for value in ({}, " {", "x{", [], None)] == [True, True, False, False, False]


@each(
    "key, words",
    [
        ("userInput", {"user", "input"}),
        ("modelOutputJSON", {"model", "output", "json"}),
        ("ground_truth2", {"ground", "truth", "2"}),
        ("HTTPResponse", {"http", "response"}),
        ("tool-calls", {"tool", "calls"}),
        ("ABC", {"abc"}),
        ("", set()),
    ],
)
def test_the_words_of_a_key(key: str, words: set[str]) -> None:
    assert key_words.words_of(key) == words


@each(
    "key, calls",
    [("tool_calls", True), ("modelToolCalls", True), ("raw_function_call", True), ("parallel_tool_calls", True),
     ("model", False), ("tool_call_id", False), ("call_count", False), ("", False)],
)  # fmt: skip
def test_a_key_of_calls(key: str, calls: bool) -> None:
    assert key_words.is_key_of_calls(key) is calls


# ── ids and responses ──


def messages(*turns: Any) -> list[dict[str, Any]]:
    """A turn is a list of calls (a name, an id), or a response (a name, an id)."""
    found: list[dict[str, Any]] = []
    for turn in turns:
        if isinstance(turn, list):
            calls = [{"function": {"name": name}} | ({"id": call_id} if call_id else {}) for name, call_id in turn]
            found.append({"role": "assistant", "tool_calls": calls})
        elif isinstance(turn, tuple):
            name, call_id = turn
            found.append({"role": "tool", "content": ""} | ({"name": name} if name else {}) | ({"tool_call_id": call_id} if call_id else {}))  # fmt: skip
        else:
            found.append({"role": turn})
    return found


@each(
    "turns, ids, answered",
    [
        ([[("f", None), ("g", None)], (None, None), (None, None)], ["call_0", "call_1"], [("f", "call_0"), ("g", "call_1")]),
        ([[("f", None), ("g", None)], ("g", None), (None, None)], ["call_0", "call_1"], [("g", "call_1"), ("f", "call_0")]),
        ([[("f", None), ("f", None)], ("f", None), ("f", None)], ["call_0", "call_1"], [("f", "call_0"), ("f", "call_1")]),
        ([[("f", "call_0"), ("g", None)], (None, "call_0"), (None, None)], ["call_0", "call_1"], [("f", "call_0"), ("g", "call_1")]),
        ([[("f", "a"), ("g", "b")], (None, "b"), (None, "a")], ["a", "b"], [("g", "b"), ("f", "a")]),
        ([[("f", "a")], (None, "x")], ["a"], [(None, "x")]),
        ([[("f", "a")], ("f", "x")], ["a"], [("f", "x")]),
        ([[("f", "a")], ("x", None)], ["a"], [("x", None)]),
        ([[("f", "a")], (None, None), (None, None)], ["a"], [("f", "a"), (None, None)]),
        ([[("f", None)], [("g", None)], (None, None), ("g", None)], ["call_0", "call_1"], [("f", "call_0"), ("g", "call_1")]),
        ([[("f", None)], (None, None), [("f", None)], (None, None)], ["call_0", "call_1"], [("f", "call_0"), ("f", "call_1")]),
        ([[("f", None)], "user", [("g", None)], (None, None)], ["call_0", "call_1"], [("g", "call_1")]),
        ([(None, None)], [], [(None, None)]),
    ],
)  # fmt: skip
def test_ids_and_what_each_response_answers(
    turns: list[Any], ids: list[str], answered: list[tuple[str | None, str | None]]
) -> None:
    found = messages(*turns)
    number_calls(found)
    assert [call["id"] for message in found for call in message.get("tool_calls", ())] == ids
    tied = [(each.get("name"), each.get("tool_call_id")) for each in found if each["role"] == "tool"]
    assert tied == answered


def test_the_keys_of_responses_come_in_order() -> None:
    found = [*messages([("f", None)]), {"content": "x", "role": "tool", "extra": 1}, {"content": "y", "role": "user"}]
    complete(found)
    assert list(found[1].items()) == [("role", "tool"), ("tool_call_id", "call_0"), ("name", "f"), ("content", "x"), ("extra", 1)]  # fmt: skip
    assert list(found[2]) == ["content", "role"]
    assert [is_numbered(word) for word in ("call_0", "call_12", "call_x", "call_1a", "1")] == [
        True,
        True,
        False,
        False,
        False,
    ]


# ── notes, answers ──


def test_notes_of_an_answer_leave_out_those_of_its_prompt() -> None:
    prompt, other, mine = Notes(), Notes(), Notes()
    prompt.losses, other.losses = ["a"], ["a", "a", "b"]
    prompt.repairs, other.repairs = ["r"], ["r"]
    other.reasons = [Reason("a", "Why.")]
    other.text_dialects = ["hermes"]
    prompt.dropped = [Dropped("cut", "x")]
    other.dropped = [Dropped("cut", "x"), Dropped("odd", "y")]
    prompt.assumed, other.assumed = 2, 1
    prompt.untyped, other.untyped = 1, 3
    prompt.not_read_back, other.not_read_back = 1, 3
    mine.add(other, prompt, "/chosen")
    assert (mine.losses, mine.repairs, mine.reasons) == (["a", "b"], [], [Reason("a", "Why.")])
    assert (mine.text_dialects, mine.dropped) == (["hermes"], [Dropped("odd (in /chosen)", "y")])
    assert (mine.assumed, mine.untyped, mine.not_read_back) == (0, 2, 2)
    copy = other.copy()
    assert (copy.dropped, copy.losses, copy.untyped) == (other.dropped, other.losses, 3)
    assert str(Unread("/x", "calls", "2 calls")) == "/x holds 2 calls"
    assert str(Unread("/x", "calls", "2 calls", "--text-key x")) == "/x holds 2 calls; --text-key x reads it"


def test_a_step_runs_on_each_answer_and_notes_the_prompt_once() -> None:
    user = {"role": "user", "content": "Hi."}
    one, two = ({"messages": [dict(user), {"role": "assistant", "content": text}]} for text in "ab")
    first, second = Conversation(one), Conversation(two)
    first.answers = Answers([second], 1, True, ["/chosen", "/rejected"], {})

    def step(conversation: Conversation) -> str:
        conversation.messages[0]["seen"] = True
        conversation.notes.losses += ["prompt"]
        if conversation.messages[-1]["content"] == "b":
            conversation.notes.losses += ["answer"]
            conversation.notes.dropped += [Dropped("cut", "")]
        return str(conversation.messages[-1]["content"])

    assert on_each_answer(first, step) == (["a", "b"], "-")
    assert first.notes.losses == ["prompt", "answer"]
    assert first.notes.dropped == [Dropped("cut (in /rejected)", "")]
    assert first.messages[0] is second.messages[0] and first.messages[0]["seen"]
    alone = Conversation(two)
    assert on_each_answer(alone, step) == (["b"], None)


# ── fields of rows ──


def test_where_the_messages_of_a_field_are() -> None:
    whole = RowField("/text", 2)
    assert whole.pointers() == ["/text", "/text"] and whole.pieces_of(1) == ["/text"]
    each_one = RowField("/m", 2, ["a", "b"])
    assert each_one.pointers() == ["/m/0", "/m/1"] and each_one.pieces_of(1) == ["/m/1"]
    assert each_one.units([{"n": 1}, {"n": 2}]) == [Unit([{"n": 1}], ["a"]), Unit([{"n": 2}], ["b"])]
    shared = RowField("/m", 3, ["a", "b", "c", "d"], [0, 0, 2])
    assert shared.pointers() == ["/m/0", "/m/0", "/m/2"]
    assert [shared.pieces_of(at) for at in range(3)] == [["/m/0", "/m/1"], ["/m/0", "/m/1"], ["/m/2", "/m/3"]]
    assert shared.units([{"n": 1}, {"n": 2}, {"n": 3}]) == [
        Unit([{"n": 1}, {"n": 2}], ["a", "b"]),
        Unit([{"n": 3}], ["c", "d"]),
    ]
    placed = RowField("/m", 2, ["a", "b"], None, ["x/0", "y"])
    assert placed.pointers() == ["/m/x/0", "/m/y"] and placed.pieces_of(0) == ["/m/x/0"]


# ── JSON with a slip ──


def known(value: Any) -> int:
    """A call suits best, any object next, nothing else."""
    return (2 if "name" in value else 1) if isinstance(value, dict) else 0


@each(
    "text, value, repairs",
    [
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}, ["missing_comma"]),
        ('{"a" 1}', {"a": 1}, ["missing_colon"]),
        ('{"a": 1,, "b": 2}', {"a": 1, "b": 2}, ["extra_comma"]),
        ('{"a":: 1}', {"a": 1}, ["extra_colon"]),
        ('{"a": {"b": 1}', {"a": {"b": 1}}, ["missing_bracket"]),
        ('{"a": [1}', None, "extra_bracket or missing_bracket in more than one place"),
        ('{"a": [1, 2}', {"a": [1, 2]}, ["missing_bracket"]),
        ('{"a": 1}}', {"a": 1}, ["extra_bracket"]),
        ('{"a": [1]]}', None, "extra_bracket or missing_bracket in more than one place"),
        ('{"a: 1}', None, "no single character is wrong"),  # it may be cut off
        ('{a": 1}', {"a": 1}, ["missing_quote"]),
        ('{"a": "b}', None, "no single character is wrong"),
        ('{"a": "b, "c": 1}', {"a": "b", "c": 1}, ["missing_quote"]),
        ('{"a": ""b"}', {"a": "b"}, ["extra_quote"]),
        ('{"a": 1}', None, "no single character is wrong"),
        ('{"a": "b', None, "no single character is wrong"),
        ('{"a": x}', None, "no single character is wrong"),
        ("[1 2]", None, "no single character is wrong"),  # what is no object suits nothing
    ],
)
def test_json_with_one_slip(text: str, value: Any, repairs: list[str] | str) -> None:
    if isinstance(repairs, list):
        found = read_one_slip(text, known)
        assert (found.value, found.end, list(found.repairs)) == (value, len(text), repairs)
        return
    with pytest.raises(Unreadable) as raised:
        read_one_slip(text, known)
    assert str(raised.value).startswith(repairs)
    assert isinstance(raised.value, Ambiguous) is ("more than one" in repairs)


def test_a_text_that_may_be_cut_off_lacks_no_character_at_its_end() -> None:
    assert read_one_slip('{"name": [1, 2}', known, ends_here=False).value == {"name": [1, 2]}
    with pytest.raises(Unreadable):
        read_one_slip('{"name": 1', known, ends_here=False)


@each(
    "text, value",
    [
        ('{"a": "say "hi" now"}', {"a": 'say "hi" now'}),
        ('{"a": "say "hi"", "b": 1}', {"a": 'say "hi"', "b": 1}),
        ('{"a": ["x "y" z"]}', None),
        ('{"a": "b"}', None),
        ('{"a": "x "y", "b": "z"}', {"a": 'x "y', "b": "z"}),
        (r'{"a": "x \"y" z"}', {"a": 'x "y" z'}),
        ('{"a": "x', None),
    ],
)
def test_quotes_inside_of_strings(text: str, value: Any) -> None:
    if value is None:
        with pytest.raises(Unreadable):
            read_inner_quotes(text)
        return
    found = read_inner_quotes(text)
    assert (found.value, found.end, list(found.repairs)) == (value, len(text), ["inner_quotes"])


# ── types of schemas ──

ROOT: dict[str, Any] = {
    "$defs": {"n": {"type": "integer"}, "a/b": {"type": "string"}, "loop": {"$ref": "#/$defs/loop"}},
    "type": "object",
    "properties": {"x": {"$ref": "#/$defs/n"}, "y": {}},
}


@each(
    "schema, types",
    [
        ({"type": "string"}, {"string"}),
        ({"type": ["string", "null"]}, {"string", "null"}),
        ({"type": "string", "nullable": True}, {"string", "null"}),
        ({"type": "string", "nullable": False}, {"string"}),
        ({"type": "List[int]"}, {"array"}),
        ({"type": "any"}, None),
        ({"type": "thing"}, {"thing"}),
        ({"type": 7}, None),
        ({}, None),
        (True, None),
        ({"enum": ["a", 1, None]}, {"string", "integer", "null"}),
        ({"const": None}, {"null"}),
        ({"type": "string", "enum": [1]}, {"string"}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"string", "null"}),
        ({"oneOf": [{"type": "integer"}, {}]}, {"integer"}),
        ({"allOf": [{"enum": [True]}]}, {"boolean"}),
        ({"$ref": "#/$defs/n"}, {"integer"}),
        ({"$ref": "#/$defs/a~1b"}, {"string"}),
        ({"$ref": "#/$defs/none"}, None),
        ({"$ref": "other.json"}, None),
        ({"$ref": "#/$defs/loop"}, None),
    ],
)
def test_the_types_that_a_schema_allows(schema: Any, types: set[str] | None) -> None:
    assert types_of(schema, ROOT) == types


@each(
    "value, allowed",
    [
        ({"x": 1}, True),
        ({"x": 1, "y": "any"}, True),
        ({"x": "1"}, False),
        ({"z": 1}, False),
        ({}, True),
        ([], False),
    ],
)
def test_whether_a_schema_allows_a_value(value: Any, allowed: bool) -> None:
    assert allows(ROOT, value) is allowed


def test_lists_numbers_and_no_schema() -> None:
    numbers = {"type": "array", "items": {"type": "number"}}
    assert allows(numbers, [1, 1.5]) and not allows(numbers, [1, "a"]) and not allows(numbers, {})
    assert not allows({"type": "integer"}, 1.5)
    assert not allows({}, 1) and not allows(None, 1)
    assert allows({"type": "object"}, {"a": 1}), "no members are named"
    union = {"anyOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"a": {}, "b": {}}}]}
    assert subschema(union, union, "properties") == {"a": {"type": "string"}, "b": {}}
    assert subschema({"$ref": "#"}, ROOT, "properties") == ROOT["properties"]
    assert subschema([], ROOT, "items") == {}


# ── tools, settings, temporary files, errors ──


def test_tools_by_name() -> None:
    first, second = {"name": "f", "parameters": {"a": 1}}, {"name": "f", "parameters": {"b": 2}}
    index = ToolIndex([{"type": "function", "function": first}, second, {"name": "g", "parameters": 7}, 7])
    assert list(index.functions) == ["f", "g"] and index.parameters("f") == {"a": 1}
    assert index.parameters("g") is index.parameters("h") is None
    assert (bool(index), "g" in index, "h" in index) == (True, True, False)
    assert not ToolIndex() and not ToolIndex([7])
    assert function_of({"type": "function", "function": first}) == first
    assert function_of({"name": "h"}) is not None and function_of({"x": 1}) is function_of(7) is None


@pytest.mark.parametrize("memory", [0, 4, 100])
def test_data_waits_in_memory_or_in_a_file(memory: int) -> None:
    spill = SpillFile(memory)
    assert [spill.add(data) for data in (b"abc", b"", b"de")] == [0, 3, 3]
    assert (spill.read(1, 3), spill.read(3, 99)) == (b"bcd", b"de")
    assert spill.add(b"fgh") == 5
    assert spill.add(b"i") == 8
    assert spill.read(0, 99) == b"abcdefghi"
    assert isinstance(spill._file, io.BytesIO) is (memory == 100)
    spill.close()


def test_a_temporary_file_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    spill = SpillFile(3)
    spill.add(b"abc")
    with pytest.raises(FileError, match=r"^a temporary file( in \S+)?: No space left on device$"):
        spill.add(b"d")


@each(
    "files, table, found",
    [
        ({}, "lint", None),
        ({"toolconv.toml": "[lint]\na = 1"}, "lint", {"a": 1}),
        ({"toolconv.toml": "[lint]\na = 1"}, "input", {}),
        ({"pyproject.toml": "[tool.toolconv.lint]\na = 1"}, "lint", {"a": 1}),
        ({"pyproject.toml": "[tool.other]\na = 1"}, "lint", None),
        ({"pyproject.toml": "[tool.toolconv.lint]\na = 1", "toolconv.toml": ""}, "lint", {}),
        ({"pyproject.toml": "[tool.other]\na = 1", "../toolconv.toml": "[lint]\nb = 2"}, "lint", {"b": 2}),
        ({"toolconv.toml": "[lnt]"}, "lint", "unknown key lnt; did you mean 'lint'?"),
        ({"pyproject.toml": "[tool.toolconv.zzz]"}, "lint", "unknown key tool.toolconv.zzz; known are lint, input"),
        ({"toolconv.toml": "lint = 1"}, "lint", "lint must be a table"),
        ({"pyproject.toml": "tool = 1"}, "lint", "tool must be a table"),
        ({"pyproject.toml": "[tool]\ntoolconv = 1"}, "lint", "tool.toolconv must be a table"),
        ({"toolconv.toml": "["}, "lint", ""),
    ],
)
def test_the_nearest_settings(
    files: Mapping[str, str], table: str, found: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("settings") / "inner"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    if isinstance(found, str):
        with pytest.raises(ConfigError) as raised:
            settings.settings(table, start=folder)
        assert found in str(raised.value)
        return
    read = settings.settings(table, start=folder)
    assert (read.table if read is not None else None) == found


def test_a_settings_file_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.other]")
    read = settings.settings("lint", str(tmp_path / "pyproject.toml"))
    assert read == (tmp_path / "pyproject.toml", {})
    with pytest.raises(ConfigError, match=r"no\.toml: No such file or directory$"):
        settings.settings("lint", str(tmp_path / "no.toml"))


def test_an_integer_has_at_most_as_many_digits_as_python_reads() -> None:
    assert jsontext.loads("9" * 4300) == int("9" * 4300)
    with pytest.raises(ValueError, match="an integer of more than 4,300 digits"):
        jsontext.loads("9" * 4301)


def test_elements_of_a_page() -> None:
    assert page.tag("td", "a", "b", class_="c", id="") == '<td class="c">ab</td>\n'
    assert page.text("<\x07&") == "&lt;\\x07&amp;"
    assert page.drawing("spread", "x") == '<svg class="spread" aria-hidden="true">x</svg>\n'
    assert page.bar(0.25) == page.drawing(
        "bar",
        '<rect class="track" width="100%" height="100%" rx="3"></rect>\n',
        '<rect class="fill" width="25.00%" height="100%" rx="3"></rect>\n',
    )
    plain = page.page("T", "<main></main>")
    assert "<title>T</title>" in plain and "script" not in plain and plain.endswith("<body>\n<main></main></body>\n</html>\n")  # fmt: skip
    scripted = page.page("T", "", "p{}", "go()")
    digest = base64.b64encode(hashlib.sha256(b"go()").digest()).decode()
    assert f"script-src 'sha256-{digest}'" in scripted and "p{}</style>" in scripted
    assert "<script>go()</script>\n</body>" in scripted


@each(
    "prefix, command",
    [
        ("/home/a/.local/pipx/venvs/toolconv", "pipx inject toolconv zstandard"),
        ("/home/a/.local/share/uv/tools/toolconv", "uv pip install --python /home/a/.local/share/uv/tools/toolconv zstandard"),
        ("/home/a/uv/env", "pip install 'toolconv[zstd]'"),
        ("/home/a/tools/env", "pip install 'toolconv[zstd]'"),
    ],
)  # fmt: skip
def test_how_an_extra_is_added(prefix: str, command: str) -> None:
    assert how_to_install("zstd", prefix) == command
    assert how_to_add("x y", "/usr") == "pip install x y"


def test_a_message_has_at_most_five_hundred_characters() -> None:
    assert shortened("a" * 500) == "a" * 500
    assert shortened("a" * 501) == "a" * 450 + "… (51 more characters)"


def test_what_is_nested_deeper_than_sixteen_levels_is_allowed() -> None:
    schema: dict[str, Any] = {"type": "string"}
    value: Any = 7
    for _ in range(15):
        schema, value = {"type": "object", "properties": {"a": schema}}, {"a": value}
    assert not allows(schema, value)
    for _ in range(3):
        schema, value = {"type": "object", "properties": {"a": schema}}, {"a": value}
    assert allows(schema, value)


@each("text, shown", [("\u202ea", "\\u202ea"), ("\U000e0001a", "\\udb40\\udc01a"), ("東\u3000a", "東\u3000a")])
def test_what_a_terminal_obeys_is_escaped_in_json(text: str, shown: str) -> None:
    assert escaped_json(f'["{text}"]'.encode()) == f'["{shown}"]'
