"""Rows of known layouts with a part in another shape, which their own readers refuse: the same shape everywhere."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.helpers.command import toolconv
from toolconv.layouts.stored_rows import meant_row

Row = dict[str, Any]

ASKED = {"role": "user", "content": "Is the host up?"}
SAID = {"role": "assistant", "content": "It is up."}
CALLED: Row = {"id": "c1", "type": "function", "function": {"name": "ping", "arguments": {"host": "a"}}}
TAU = {"task_id": "t", "termination_reason": "done"}
TAU_CALL = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "c1", "name": "ping", "arguments": {"host": "a"}}],
}
STEP = {"step_number": 1, "observations": "up"}
ATIF = {"schema_version": "ATIF-v1.5", "session_id": "s", "agent": {"name": "n", "version": "1"}}
LINE = {"uuid": "a", "parentUuid": None, "sessionId": "s", "type": "Q", "message": ASKED}
CHUNK = {"model": "m", "message": {"role": "assistant", "content": "It is "}, "done": False}
RUN = {"id": "r", "trace_id": "r", "run_type": "llm", "inputs": {"messages": [ASKED]}}

READ: dict[str, tuple[Row, list[str], int]] = {
    "one turn in a list of its own": ({"messages": [[ASKED]]}, ["user"], 0),
    "one text under the name of its speaker": ({"messages": [{"user": "Is the host up?"}]}, ["user"], 0),
    "results without a role": (
        {**TAU, "messages": [TAU_CALL, {"role": "tool", "tool_messages": [{"id": "c1", "content": "up"}]}]},
        ["assistant", "tool"], 1,
    ),
    "results as a text": (
        {**TAU, "messages": [TAU_CALL, {"role": "tool", "tool_messages": "[{'id': 'c1', 'content': 'up'}]"}]},
        ["assistant", "tool"], 1,
    ),
    "calls under numbers": ({"steps": [{"task": "Up?"}, {**STEP, "tool_calls": {"0": CALLED}}]},
                            ["user", "assistant", "tool"], 1),
    "calls in columns": (
        {"steps": [{"task": "Up?"}, {**STEP, "tool_calls": {key: [value] for key, value in CALLED.items()}}]},
        ["user", "assistant", "tool"], 1,
    ),
    "a step in columns": ({**ATIF, "steps": {"step_id": [1], "source": ["user"], "message": ["Is the host up?"]}},
                          ["user"], 0),
    "the speaker of the only step under another key": (
        {**ATIF, "steps": [{"step_id": 1, "party": "user", "message": "Is the host up?"}]}, ["user"], 0,
    ),
    "another type of a line with a message": (
        {"lines": [LINE, {**LINE, "uuid": "b", "parentUuid": "a", "type": "A", "message": SAID}]},
        ["user", "assistant"], 0,
    ),
    "pieces of an answer under any key": (
        {"zz": [CHUNK, {**CHUNK, "message": {"role": "assistant", "content": "up."}, "done": True}]}, ["assistant"], 0,
    ),
    "a run without a type": (
        {"id": "r", "trace_id": "t", "inputs": {"messages": [ASKED]}, "outputs": {"choices": [{"message": SAID}]}},
        ["user", "assistant"], 0,
    ),
    "the halves of a run without their order": (
        {"post": [RUN], "patch": [{"trace_id": "r", "outputs": {"choices": [{"message": SAID}]}}]},
        ["user", "assistant"], 0,
    ),
    "messages of a question in one more list": (
        {"id": "simple_0", "question": [[[ASKED]]], "function": [{"name": "ping", "parameters": {"type": "dict"}}],
         "ground_truth": [{"ping": {"host": ["a"]}}]},
        ["user", "assistant"], 1,
    ),
    "a result in words after calls in words": (
        {"conversations": 'user: Up?\nassistant: [ping(host="a")]\ntool: up\nassistant: It is up.',
         "tools": [{"name": "ping", "parameters": {"type": "object", "properties": {"host": {"type": "string"}}}}]},
        ["user", "assistant", "tool", "assistant"], 1,
    ),
    "parts of .NET under a key of their own": (
        {"messages": [
            {"role": "user", "contents": [{"$type": "text", "text": "Is the host up?"}]},
            {"role": "assistant", "contents": [{"$type": "functionCall", "callId": "c1", "name": "ping", "arguments": {}}]},
            {"role": "tool", "contents": [{"$type": "functionResult", "callId": "c1", "result": "up"}]},
        ]}, ["user", "assistant", "tool"], 1,
    ),
    "parts whose content is in an object": (
        {"messages": [
            {"role": "user", "parts": [{"type": "text", "data": {"text": "Is the host up?"}}]},
            {"role": "assistant", "parts": [
                {"type": "tool_call", "data": {"id": "c1", "name": "ping", "input": "{}"}},
                {"type": "finish", "data": {"reason": "tool_use"}},
            ]},
            {"role": "tool", "id": "3", "parts": [
                {"type": "tool_result", "data": {"tool_call_id": "c1", "name": "ping", "content": "up"}}]},
        ]}, ["user", "assistant", "tool"], 1,
    ),
    "roles that are objects": (
        {"messages": [{"role": {"type": "role", "value": each["role"]}, "content": each["content"]} for each in (ASKED, SAID)]},
        ["user", "assistant"], 0,
    ),
    "contents of ChatGPT": (
        {"messages": [{**each, "content": {"content_type": "text", "parts": [each["content"]]}} for each in (ASKED, SAID)]},
        ["user", "assistant"], 0,
    ),
    "a call in a part with the keys of another API": (
        {"messages": [ASKED, {"role": "assistant", "content": [
            {"type": "tool-call", "id": "c1", "tool_name": "ping", "args": '{"host": "a"}'}]}]},
        ["user", "assistant"], 1,
    ),
    "what the user says under the key of a record": (
        {"history": [{"source": "user", "action": "message", "args": {"message": "Is the host up?"}}]}, ["user"], 0,
    ),
    "turn tokens in an object": ({"zz": {"text": "<|im_start|>user\nUp?<|im_end|>\n<|im_start|>assistant\nIt is up."
                                                "<|im_end|>\n"}}, ["user", "assistant"], 0),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_a_part_in_another_shape_is_read(name: str) -> None:
    row, roles, calls = READ[name]
    run = toolconv("convert", "--to-layout", "canonical", stdin=json.dumps(row))
    assert run.status == 0 and len(run.rows) == 1, run.err
    messages = run.rows[0]["messages"]
    assert [message["role"] for message in messages] == roles, run.err
    assert sum(len(message.get("tool_calls") or ()) for message in messages) == calls


NOT_READ: dict[str, Row] = {
    "turns of one speaker in lists": {"messages": [[ASKED], [ASKED]]},
    "names that say nothing": {**ATIF, "steps": [{"step_id": 1, "party": "blue", "message": "Is the host up?"}]},
}


@pytest.mark.parametrize("name", NOT_READ)
def test_what_has_no_sure_meaning_is_no_conversation(name: str) -> None:
    run = toolconv("convert", "--to-layout", "canonical", stdin=json.dumps(NOT_READ[name]))
    assert run.status == 1 and not run.rows


@pytest.mark.parametrize(
    ("row", "path"),
    [
        ({"zz": "<|im_start|>user\nUp?<|im_end|>\n<|im_start|>assistant\nIt is up.<|im_end|>\n"}, "zz"),
        ({"zz": {"yy": '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>'}}, "zz.yy"),
    ],
    ids=["turn tokens", "calls"],
)
def test_the_option_for_a_text_under_any_key_is_named(row: Row, path: str) -> None:
    error = toolconv("convert", stdin=json.dumps(row)).err
    assert f"--text-key {path}" in error
    assert toolconv("convert", "--text-key", path, stdin=json.dumps(row)).status == 0


def test_a_list_of_two_lines_is_no_line_of_two_columns() -> None:
    """A line whose cells are lists, as long as there are columns, may be several lines in one more list."""
    columns = ["prompt", "completion"]
    line = meant_row({"columns": columns, "data": [["Up?", "Yes."]]})
    assert line is not None and line.row == {"prompt": "Up?", "completion": "Yes."}
    assert meant_row({"columns": columns, "data": [[["Up?", "Yes."], ["Down?", "No."]]]}) is None
