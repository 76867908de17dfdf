"""Trajectories, frameworks' messages and evaluation results: real files, and documents that become rows.

The real files are in ``../shared/traces``, each beside the rows that a careful person wants of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.conftest import SHARED, each, shared, toolconv
from toolconv import layouts
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.pairing import number_calls
from toolconv.layouts.base import Layout

Row = dict[str, Any]

LAYOUTS = {
    "atif": "atif",
    "langchain": "langchain",
    "vercel-ai/handmade-uimessages": "ai-sdk-ui",
    "vercel-ai/modelmessages": "ai-sdk",
    "llama-index": "llama-index",
    "pydantic-ai": "pydantic-ai",
    "smolagents": "smolagents-memory",
    "autogen": "autogen",
    "ollama": "ollama",
    "cohere": "cohere",
    "tau2-bench": "tau2-bench",
    "inspect-ai": "inspect-ai",
    "verifiers": "prompt-completion",
    "swe-agent": "swe-agent",
    "openhands/events": "openhands",
    "openhands/output": "openhands",
    "openhands/handmade-llm_completion": "openhands-completion",
    "nemo-gym": "responses",
}
"""The layout of each folder of files, or of files whose names begin so."""

WRITTEN = tuple(name for name in sorted({*LAYOUTS.values()} - {"prompt-completion"}) if layouts.get(name).writable)
"""The layouts whose files come back; the calls of verifiers are JSON texts, and are written as objects."""


def files() -> list[str]:
    """The files of these formats; one name that skips without them."""
    found = sorted(str(path.relative_to(SHARED / "traces")) for path in (SHARED / "traces").glob("*/*"))
    return [name for name in found if layout_name(name) and ".expected" not in name] or ["absent"]


def layout_name(file: str) -> str | None:
    return next((name for start, name in LAYOUTS.items() if file.startswith(start)), None)


def documents(path: Path) -> list[Any]:
    """The JSON documents of a file: one, or one a line."""
    text = path.read_bytes()
    try:
        return [jsontext.loads(text)]
    except ValueError:
        lines = [jsontext.loads(line) for line in text.splitlines() if line.strip()]
        return [lines] if all(line.keys() == {"id", "message"} for line in lines) else lines


def split(document: Any) -> list[Row]:
    """The rows of a document: those that a layout makes of it, or itself. No two layouts want it."""
    found = [rows for name in layouts.names() if (rows := attempt(layouts.get(name), document)) is not None]
    assert len(found) <= 1
    return found[0] if found else [document]


def attempt(layout: Layout, document: Any) -> list[Row] | None:
    try:
        rows = layout.split(document)
    except (TypeError, AttributeError, KeyError, IndexError):
        return None
    return None if rows is None else list(rows)


def rows_of(file: str) -> list[Row]:
    return [row for document in documents(shared("traces", file)) for row in split(document)]


def read(file: str) -> list[Conversation]:
    """The conversations of a file, each read by the layout that is detected."""
    conversations = []
    for row in rows_of(file):
        layout = layouts.detect(row)
        assert layout is not None and layout.name == layout_name(file)
        conversations.append(layout.read(row))
        number_calls(conversations[-1].messages)
    return conversations


# ── what counts of a row ────────────────────────────────────────────────────────────────────────


def squeezed(text: Any) -> str:
    return re.sub(r"\s+", " ", text if isinstance(text, str) else json.dumps(text or "")).strip().strip('"')


def result(content: Any) -> Any:
    """The content of a result; JSON counts as its value."""
    try:
        return json.loads(content)
    except (TypeError, ValueError):
        return squeezed(content)


def arguments(call: Row) -> Any:
    given = call["function"]["arguments"]
    return json.loads(given) if isinstance(given, str) else given


def meaning(row: Row) -> tuple[list[Any], list[Any]]:
    """The messages and tools of a row, without what formats spell differently.

    Neighbouring messages of the user or the system are joined, and ``developer`` is ``system``.
    """
    messages: list[Any] = []
    for message in row["messages"]:
        role = message["role"].replace("developer", "system")
        content = message.get("content")
        if role in ("user", "system") and messages and messages[-1][0] == role:
            messages[-1] = (role, squeezed(f"{messages[-1][1]} {content}"))
        elif role == "tool":
            messages.append((role, result(content), message.get("tool_call_id"), message.get("name")))
        elif role == "assistant":
            calls = [
                (call.get("id"), call["function"]["name"], arguments(call)) for call in message.get("tool_calls") or ()
            ]
            messages.append((role, squeezed(content), squeezed(message.get("reasoning_content")), calls))
        else:
            messages.append((role, squeezed(content)))
    functions = [tool.get("function", tool) for tool in row.get("tools") or ()]
    tools = [(tool["name"], squeezed(tool.get("description")), tool.get("parameters") or None) for tool in functions]
    return messages, tools


# ── real files ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("file", files())
def test_a_real_file_is_read_as_a_careful_person_would(file: str) -> None:
    conversations = read(file)
    assert conversations and all(not conversation.notes.dropped for conversation in conversations)
    path = SHARED / "traces" / f"{file}.expected.json"
    if path.exists():
        expected = json.loads(path.read_bytes())
        assert [meaning(conversation.row) for conversation in conversations] == [meaning(row) for row in expected]


@pytest.mark.parametrize("file", [name for name in files() if layout_name(name) in (*WRITTEN, None)])
def test_a_real_file_comes_back(file: str) -> None:
    for row, conversation in zip(rows_of(file), read(file), strict=True):
        layout = layouts.get(layout_name(file) or "")
        assert jsontext.dumps(layout.write(conversation)) == jsontext.dumps(row)
        canonical = jsontext.dumps(conversation.row)
        again = layout.encode(Conversation(jsontext.loads(canonical)))
        if layout.name == "atif":
            assert again == row
        assert layout.decode(jsontext.loads(jsontext.dumps(again))).row == jsontext.loads(canonical)


@pytest.mark.parametrize("options", [("--template", "qwen3"), ("--to-layout", "trl")], ids=["qwen3", "trl"])
@pytest.mark.parametrize("folder", sorted({name.partition("/")[0] for name in LAYOUTS}))
def test_a_real_file_becomes_training_data(folder: str, options: tuple[str, str], tmp_path: Path) -> None:
    names = [name for name in files() if name.startswith(f"{folder}/")]
    path = tmp_path / "rows.jsonl"
    rows = [row for name in names for row in rows_of(name)] if names else rows_of("absent")
    path.write_bytes(b"".join(jsontext.dumps(row) + b"\n" for row in rows))
    run = toolconv("convert", "-q", *options, path)
    assert len(run.rows) == len(rows)
    unanswered = [
        row
        for row in run.rows
        if all(turn["role"] != "assistant" for turn in row.get("messages", [{"role": "assistant"}]))
    ]
    assert run.status == (1 if unanswered else 0), run.err  # TRL trains on no row without a turn of the assistant


def test_both_dumps_of_an_agents_memory_hold_the_same_calls() -> None:
    steps, messages = (
        [call["function"] for message in read(f"smolagents/library-made-smolagents_{dump}_0.json")[0].messages
         for call in message.get("tool_calls", ())]
        for dump in ("full_steps", "messages")
    )  # fmt: skip
    assert steps == messages
    assert [call["name"] for call in steps] == ["get_weather", "get_weather", "final_answer"]


# ── documents ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "name",
    ["langchain", "pydantic-ai", "autogen", "llama-index", "ai-sdk-ui", "ai-sdk", "smolagents-memory", "openhands"],
)
def test_a_file_that_is_a_list_of_messages_is_one_conversation(name: str, tmp_path: Path) -> None:
    row = json.loads(layouts.get(name).sample)
    (column,) = row
    assert split(row[column]) == [row]
    path = tmp_path / "messages.json"
    path.write_text(json.dumps(row[column]), encoding="utf-8")
    assert toolconv("parse", "-q", path).rows == [json.loads(jsontext.dumps(layouts.get(name).read(row).row))]


def test_messages_on_lines_of_their_own_are_one_conversation() -> None:
    items = json.loads(layouts.get("ai-sdk").sample)["messages"]
    assert split([{"id": at, "message": item} for at, item in enumerate(items)]) == [{"messages": items}]


@pytest.mark.parametrize(
    "wrap", [lambda line: [line], lambda line: {"zz": {"x": [json.dumps(line)]}}, lambda line: {"zz": line, "n": 1}]
)
def test_a_line_that_is_the_only_object_in_lists_and_objects_belongs_to_the_conversation(
    wrap: Callable[[Row], Any], tmp_path: Path
) -> None:
    items = json.loads(layouts.get("ai-sdk").sample)["messages"]
    first, *others = [{"id": at, "message": item} for at, item in enumerate(items)]
    path = tmp_path / "lines.jsonl"
    path.write_text("\n".join(map(json.dumps, [first, *map(wrap, others)])), encoding="utf-8")
    assert toolconv("parse", "-q", path).rows == [layouts.get("ai-sdk").read({"messages": items}).row]


@pytest.mark.parametrize("at", [0, 1])
def test_an_observation_in_an_object_belongs_to_its_trace(at: int) -> None:
    observation = json.loads(layouts.get("langfuse").sample)
    lines = [observation, {**observation, "id": "o2", "startTime": "2026-01-01T10:00:01.000Z"}]
    (row,) = toolconv("parse", "-q", stdin="".join(json.dumps(line) + "\n" for line in lines)).rows
    lines[at] = {"record": lines[at]}
    assert toolconv("parse", "-q", stdin="".join(json.dumps(line) + "\n" for line in lines)).rows == [row]


class Line(NamedTuple):
    """A line, as a layout gathers rows from them."""

    number: int
    text: bytes


def gathered(name: str, lines: list[Any]) -> list[tuple[int, Any]]:
    layout = layouts.get(name)
    given = (Line(number, json.dumps(line).encode()) for number, line in enumerate(lines, 1))
    return [(line.number, json.loads(line.text)) for line in layout.gather(given)]  # type: ignore[attr-defined]


def test_lines_with_a_message_each_become_a_row_and_others_are_passed_on() -> None:
    items = json.loads(layouts.get("ai-sdk").sample)["messages"]
    lines = [{"id": at, "message": item} for at, item in enumerate(items)]
    assert layouts.get("ai-sdk").joins(lines[0])  # type: ignore[attr-defined]
    assert gathered("ai-sdk", [*lines[:2], {"x": 1}, *lines[2:]]) == [(1, {"messages": items}), (3, {"x": 1})]


@pytest.mark.parametrize("name", ["ai-sdk", "ai-sdk-ui"])
def test_a_list_of_messages_is_gathered_as_one_row(name: str) -> None:
    row = json.loads(layouts.get(name).sample)
    assert gathered(name, [row["messages"]]) == [(1, row)]


def test_lines_of_a_stream_become_a_row_for_each_answer() -> None:
    def piece(text: str, done: bool = False) -> Row:
        return {"model": "m", "message": {"role": "assistant", "content": text}, "done": done}

    assert layouts.get("ollama").joins(piece("Hel"))  # type: ignore[attr-defined]
    assert not layouts.get("ollama").joins(piece("Hello", True))  # type: ignore[attr-defined]
    one, two = [piece("Hel"), piece("lo", True)], [piece("By"), piece("e")]
    assert gathered("ollama", [*one, *two]) == [(1, {"chunks": one}), (3, {"chunks": two})]
    assert [layouts.get("ollama").read({"chunks": chunks}).messages[0]["content"] for chunks in (one, two)] == [
        "Hello",
        "Bye",
    ]


def test_a_real_stream_of_lines_is_one_answer() -> None:
    path = shared("traces", "streams", "ollama_streaming_chat.ndjson")
    ((_, row),) = gathered("ollama", [json.loads(line) for line in path.read_bytes().splitlines()])
    (expected,) = json.loads(path.with_name(f"{path.name}.expected.json").read_bytes())
    assert meaning(layouts.get("ollama").read(row).row) == meaning(expected)


def test_subagents_of_a_trajectory_are_rows_of_their_own() -> None:
    steps = [{"step_id": 1, "source": "user", "message": "Hi"}]
    agent = {"name": "n", "version": "1"}
    child = {"schema_version": "ATIF-v1.7", "session_id": "c", "agent": agent, "steps": steps}
    grandchild = {**child, "session_id": "g"}
    root = {**child, "session_id": "r", "subagent_trajectories": [{**child, "subagent_trajectories": [grandchild]}]}
    assert split(root) == [
        {**child, "session_id": "r"},
        {**child, "parent_session_id": "r"},
        {**grandchild, "parent_session_id": "c"},
    ]
    conversation = layouts.get("atif").read(root)
    assert conversation.notes.losses == ["conversations"]
    assert layouts.get("atif").write(conversation) is root


def test_a_simulation_is_a_row_with_its_task_and_the_run() -> None:
    simulation = json.loads(layouts.get("tau2-bench").sample)
    task, info = {"id": "t0", "purpose": "x"}, {"num_trials": 1}
    document = {"info": info, "tasks": [task, {"id": "t1"}], "simulations": [simulation, {**simulation, "trial": 1}]}
    expected = {**simulation, "task": task, "info": info}
    assert split(document) == [expected, {**expected, "trial": 1}]


def test_a_sample_of_a_log_is_a_row_with_its_run() -> None:
    sample = json.loads(layouts.get("inspect-ai").sample)
    run = {"task": "weather", "model": "m", "run_id": "r"}
    document = {"version": 2, "status": "success", "eval": {**run, "config": {}}, "samples": [sample, sample]}
    assert split(document) == [{**sample, **run}] * 2


@each("name", layouts.names())
@each("document", [None, 1, "text", [], {}, [1], [{}], [[]], {"samples": 1}, {"simulations": {}}])
def test_other_documents_are_left_alone(name: str, document: Any) -> None:
    assert attempt(layouts.get(name), document) is None
