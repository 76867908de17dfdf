"""Every layout against its fixtures, against real rows, and against every conversation that another one can hold."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import cases, each, each_table, exhaustive, shared, shared_files, toolconv
from toolconv import Options, Receipt, convert_rows, dialects, layouts
from toolconv.core import jsontext
from toolconv.core.answers import conversations_of
from toolconv.core.conversation import Conversation
from toolconv.core.messages import calls_of, text_of
from toolconv.core.notes import Dropped, Notes
from toolconv.core.pairing import number_calls
from toolconv.dialects.turn_reader import TurnReader
from toolconv.dialects.turns import parse_turns, render_turns
from toolconv.layouts.base import Layout, LayoutError, value_of
from toolconv.layouts.call_forms import read_form
from toolconv.layouts.formats.llamafactory import dataset_info
from toolconv.layouts.formats.xlam import read_flat_tools
from toolconv.layouts.media import media_in
from toolconv.lint.model.pointers import MISSING, look

WRITABLE = [name for name in layouts.names() if layouts.get(name).writable and name not in ("raw", "completion")]
MESSAGE_KEYS = {"role", "content", "reasoning_content", "tool_calls", "tool_call_id", "name"}
COMPARED = {
    "blanks", "call_id", "call_keys", "content_parts", "message_keys", "prose_beside_call", "reasoning",
    "response_keys", "row_keys", "schema_form", "type",
}  # fmt: skip
"""The kinds of loss that a comparison can leave out; others change the messages there are."""

PLACED_ELSEWHERE = ("inspect-ai", "rendered")
"""Texts are among the attachments of the row, or all turns are placed at its completion."""

SPELLED = {"call_id", "empty_system", "content_parts", "envelope"}
"""What text in a dialect does not hold: ids, that there was no system turn before its tools, parts of a result, and
in some dialects the envelope of tools."""

REAL = {
    "alpaca-instruction-hammer2.1": "rendered",
    "alpaca-instruction-masked-names": "completion",
    "anthropic-messages": "anthropic",
    "api-bank-dialogue": "api-bank",
    "bedrock-converse": "bedrock",
    "gemini-contents": "gemini",
    "glaive-toolcall-en": "llamafactory",
    "glaive-toolcall-zh": "llamafactory",
    "glaive-v2-call-texts": "completion",
    "glaive-v2-flat": "glaive",
    "hermes-conversations": "hermes",
    "hermes-few-shot-text": "glaive",
    "kto-conversations-label": "sharegpt",
    "llamafactory-v1-content-parts": "llamafactory-v1",
    "openai-responses": "responses",
    "preference-prompt-chosen-rejected": "trl",
    "query-tools-answers-apibank_l1": "xlam",
    "query-tools-answers-apibank_l2": "xlam",
    "query-tools-answers-sealtool": "xlam",
    "query-tools-answers-toolalpaca": "xlam",
    "tau-bench-airline-gpt-4o": "openai",
    "toolace-sharegpt": "llamafactory",
    "toolbench-function-call-messages": "toolbench",
    "toolset-agentManager": "sharegpt",
    "toolset-contentManager": "sharegpt",
    "toolset-memoryManager": "sharegpt",
    "toolset-vaultLibrarian": "sharegpt",
    "toolset-vaultManager": "sharegpt",
}


def dumped(value: Any) -> str:
    return jsontext.dumps(value).decode()


def shared_start(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def real_files() -> list[str]:
    return [f"{folder}/{name}" for folder in ("containers", "datasets") for name in shared_files(f"real/{folder}")]


def real_rows(file: str) -> list[dict[str, Any]]:
    return [jsontext.loads(line) for line in shared("real", f"{file}.jsonl").read_bytes().splitlines()]


def meaning(canonical: dict[str, Any]) -> Conversation:
    """The conversation that a canonical row of a fixture means; it has several answers if the row has."""
    canonical_layout = layouts.get("canonical")
    if canonical_layout.apart(canonical) is None:
        return Conversation(canonical)
    conversation = canonical_layout.read(canonical)
    for answered in conversations_of(conversation):
        answered.origin = None
    return conversation


# ── fixtures ────────────────────────────────────────────────────────────────────────────────────


@each_table(cases("layouts"))
def test_fixture(name: str, case: dict[str, Any]) -> None:
    layout = layouts.get(name)
    row, canonical = case["row"], case["canonical"]
    before = dumped(row)
    conversation = layout.read(row)
    meant = meaning(canonical)
    assert dumped(conversation.row) == dumped(meant.row)
    assert dumped(conversation.all_messages) == dumped(meant.all_messages)
    assert (conversation.answers is None) == (meant.answers is None)
    assert conversation.notes.repairs == case.get("repairs", [])
    assert len(conversation.notes.dropped) == case.get("dropped", 0)
    assert conversation.notes.losses == case.get("lost", [])
    pointers = layout.pointers(conversation)
    for pointer, message in zip(pointers, conversation.messages, strict=True):
        place, text = look(row, pointer), message.get("content")
        assert place is not MISSING
        if message["role"] in ("system", "user") and type(text) is str and name not in PLACED_ELSEWHERE:
            words = re.findall(r"\w+", text)
            assert not words or any(word in dumped(place) for word in words), pointer
    assert dumped(layout.write(conversation)) == (dumped(case["writes"]) if case.get("rewritten") else before)
    assert dumped(row) == before, "reading changed the row"
    if case.get("detected", True):
        found = layouts.detect(row)
        assert found is not None and found.name == name
    if layout.writable and case.get("encodes", True):
        fresh = meaning(copy.deepcopy(canonical))
        assert dumped(layout.write(fresh)) == dumped(case.get("writes", row))
        assert sorted(fresh.notes.losses) == sorted(case.get("losses", []))
        assert dumped(fresh.row) == dumped(meant.row), "writing changed the conversation"


@pytest.mark.parametrize("name", [name for name in layouts.names() if name != "raw"])
def test_page_and_sample(name: str) -> None:
    layout = layouts.get(name)
    assert layout.name == name
    assert all(layouts.get(alias) is layout for alias in layout.aliases)
    if not layout.sample.startswith("{"):
        pytest.skip("the sample is no row")
    row = json.loads(layout.sample)
    found = layouts.detect(row)
    assert found is not None and found.name == name
    conversation = layout.read(row)
    if layout.writable:
        assert dumped(layout.write(conversation)) == dumped(row)
    else:
        with pytest.raises(LayoutError):
            layout.encode(conversation)


@each("name", [name for name in layouts.names() if name != "raw"])
def test_a_row_of_another_shape_is_refused(name: str) -> None:
    with pytest.raises(LayoutError):
        layouts.get(name).read({"nothing": "of this kind"})


class Watched(dict[str, Any]):
    """An empty row that notes the keys it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.asked.add(key)
        return default

    def __contains__(self, key: object) -> bool:
        self.asked.add(str(key))
        return False

    def __getitem__(self, key: str) -> Any:
        self.asked.add(key)
        raise KeyError(key)


@each("name", [name for name, keys in layouts.KEYS.items() if keys])
def test_a_layout_asks_an_empty_row_for_its_registered_keys_only(name: str) -> None:
    row = Watched()
    layout = layouts.get(name)
    assert not layout.fits(row)
    assert not layout.gathers(row)
    assert row.asked <= layouts.KEYS[name]


def test_no_row_without_a_layouts_keys_is_one_of_its_rows() -> None:
    rows = [case.values[1]["row"] for case in cases("layouts")]
    rows += [row for layout in map(layouts.get, layouts.names()) if (row := value_of(layout.sample.encode()))]
    for row in rows:
        for name, keys in layouts.KEYS.items():
            if keys and keys.isdisjoint(row):
                layout = layouts.get(name)
                assert not layout.fits(row), name
                assert not layout.gathers(row), name


# ── real rows ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("file", real_files())
def test_real_rows_are_detected_and_come_back(file: str) -> None:
    rows = real_rows(file)
    expected = REAL.get(file.partition("/")[2])
    for number, row in enumerate(rows, 1):
        before = dumped(row)
        layout = layouts.detect(row)
        assert layout is not None, f"row {number}"
        assert expected in (None, layout.name), f"row {number}"
        conversation = layout.read(row)
        assert all("role" in message and message.get("content") is not None for message in conversation.messages)
        if layout.writable:
            assert dumped(layout.write(conversation)) == before, f"row {number}"
        assert dumped(row) == before, f"reading changed row {number}"


@pytest.mark.parametrize("file", real_files())
def test_a_change_leaves_the_rest_of_a_real_row_as_it_came(file: str) -> None:
    for number, row in enumerate(real_rows(file), 1):
        layout = layouts.detect(row)
        if layout is None or not layout.writable or "train_messages" in row:  # which are written in the other form
            continue
        conversation = layout.read(row)
        conversation.row = {**conversation.row, "added": 1}
        written = layout.write(conversation)
        assert written.pop("added", 1) == 1
        assert dumped(written) == dumped(row), f"row {number}"


@pytest.mark.parametrize("file", real_files())
def test_a_changed_message_leaves_the_others_of_a_real_row_as_they_came(file: str) -> None:
    for number, row in enumerate(real_rows(file), 1):
        layout = layouts.detect(row)
        if layout is None or not layout.writable or "train_messages" in row:
            continue
        conversation = layout.read(row)
        asked = next((message for message in conversation.messages if message["role"] == "user"), None)
        if asked is None or not isinstance(asked["content"], str):
            continue
        asked["content"] = asked["content"].rstrip() + "CHANGED" + asked["content"][len(asked["content"].rstrip()) :]
        written, came = dumped(layout.write(conversation)), dumped(row)
        start = shared_start(written, came)
        end = shared_start(written[:start:-1], came[:start:-1])
        assert len(written) - start - end <= len(dumped(asked)) + 60, f"row {number}: more than the turn changed"


@pytest.mark.sweep
@pytest.mark.parametrize("file", real_files())
def test_a_message_of_a_real_row_points_at_what_it_came_from(file: str) -> None:
    for row in real_rows(file):
        layout = layouts.detect(row)
        conversation = layout.read(row) if layout else None
        for index in range(len(conversation.messages) if conversation else 0):
            assert layout is not None and conversation is not None
            value: Any = row
            for part in layout.pointers(conversation)[index].split("/")[1:]:
                value = jsontext.loads(value) if isinstance(value, str) else value
                value = value[int(part)] if isinstance(value, list) else value[part]


# ── every conversation through every layout ─────────────────────────────────────────────────────


def conversations() -> list[dict[str, Any]]:
    openai = layouts.get("openai")
    golden = shared("golden", "conversations.jsonl").read_bytes().splitlines()
    found = [openai.decode(jsontext.loads(line)).row for line in golden]
    return found + [openai.decode(row).row for row in real_rows("datasets/tau-bench-airline-gpt-4o")]


def through(layout: Layout, row: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """What comes back of a canonical row that is written in a layout and read, and what was said to be lost."""
    there = Conversation(copy.deepcopy(row))
    dialect = None
    if layout.calls_in_text:
        name = layout.dialect or "hermes"
        if name not in dialects.names():
            pytest.skip(f"the dialect {name} is not there")
        dialect = dialects.get(name)
        render_turns(there, dialect, layout.response_role)
    written = jsontext.loads(jsontext.dumps(layout.encode(there)))
    back = layout.decoded(written)
    if dialect is not None:
        parse_turns(back, TurnReader(dialect))
    assert not back.notes.dropped
    return back.row, there.notes.losses


def reduced(row: dict[str, Any], losses: set[str], parts: set[int]) -> dict[str, Any]:
    """A row without what was said to be lost, and with ids and names where a reader puts them.

    Args:
        row: canonical.
        losses: their kinds.
        parts: the places of messages whose content is a list of parts.
    """
    row = copy.deepcopy(row)
    if "empty_system" in losses and row["messages"][0] == {"role": "system", "content": ""}:
        del row["messages"][0]
    for place, message in enumerate(row["messages"]):
        if isinstance(message.get("content"), list) and text_of(message["content"])[1]:
            message["content"] = text_of(message["content"])[0]  # the parts of a text may be joined
        elif isinstance(message.get("content"), list):
            message["content"] = [held(part) for part in message["content"]]
        if "reasoning" in losses:
            message.pop("reasoning_content", None)
        if "prose_beside_call" in losses and calls_of(message):
            message["content"] = ""
        if "content_parts" in losses and place in parts:
            message["content"] = ""
        if "blanks" in losses and isinstance(message["content"], str):
            message["content"] = message["content"].strip()
        if "message_keys" in losses:
            for key in message.keys() - MESSAGE_KEYS:
                del message[key]
        if "response_keys" in losses and message.get("role") == "tool":
            for key in message.keys() - {"role", "content"}:
                del message[key]
    for tool in row.get("tools") or ():
        if isinstance(tool.get("function"), dict):  # OpenAI's reference: without parameters, it takes no arguments
            tool["function"].setdefault("parameters", {"type": "object", "properties": {}})
    number_calls(row["messages"])
    if "call_id" in losses:
        renumber(row["messages"])
    if "type" in losses:
        for message in row["messages"]:
            for call in calls_of(message):
                call["type"] = "function"
        row["tools"] = [{"type": "function", **tool} if "function" in tool else tool for tool in row.get("tools") or []]
    if "call_keys" in losses:
        for message in row["messages"]:
            for call in calls_of(message):
                for key in call.keys() - {"id", "type", "function"}:
                    del call[key]
    if "schema_form" in losses:
        for tool in row["tools"]:
            parameters = tool["function"].get("parameters") or {"type": "object", "properties": {}}
            tool["function"]["parameters"] = {
                **parameters,
                "type": "object",
                "required": sorted(parameters.get("required", [])),
            }
    tools = row.get("tools") or []
    if "envelope" in losses:
        tools = [tool.get("function", tool) for tool in tools]
    kept = {"messages": row["messages"], "tools": tools}
    return kept if "row_keys" in losses else {**row, **kept}


def held(part: Any) -> Any:
    """A part; of media, what and where they are, which have another form in each API."""
    media = media_in(part)
    return part if media is None else media._replace(media_type="" if media.url else media.media_type)


def renumber(messages: list[dict[str, Any]]) -> None:
    """Number the calls, and give each response the number of its call."""
    count = 0
    ids: dict[str, str] = {}
    for message in messages:
        if "tool_calls" in message:
            ids = {}
        for call in calls_of(message):
            ids[call["id"]] = call["id"] = f"number {count}"
            count += 1
        if "tool_call_id" in message:
            message["tool_call_id"] = ids.get(message["tool_call_id"], message["tool_call_id"])


@pytest.mark.sweep
@pytest.mark.parametrize("name", WRITABLE)
def test_what_a_layout_does_not_say_it_loses_comes_back(name: str) -> None:
    layout = layouts.get(name)
    for row in conversations():
        back, lost = through(layout, row)
        losses = {*lost, *(SPELLED if layout.calls_in_text else ())}
        parts = {place for place, message in enumerate(row["messages"]) if isinstance(message["content"], list)}
        assert reduced(back, losses, parts) == reduced(row, losses, parts), row["id"]


@exhaustive
@pytest.mark.parametrize("file", real_files())
def test_what_is_not_said_to_be_lost_of_real_rows_comes_back(file: str) -> None:
    for number, row in enumerate(real_rows(file), 1):
        layout = layouts.detect(row)
        assert layout is not None
        canonical = layout.read(row).row
        parts = {place for place, message in enumerate(canonical["messages"]) if isinstance(message["content"], list)}
        for name in WRITABLE[number % 8 :: 8]:  # rows of a file are alike: eight of them go to all layouts
            target = layouts.get(name)
            if target.calls_in_text or not canonical["messages"]:
                continue
            there = Conversation(copy.deepcopy(canonical))
            try:
                written = jsontext.loads(jsontext.dumps(target.encode(there)))
            except LayoutError:
                continue  # which the pipeline rejects, and counts
            losses = {*there.notes.losses, "type"}
            if losses <= COMPARED:
                back = target.decoded(written).row
                expected = dict(canonical)
                if target.flat_parameters and "tools" in expected:  # reads parameters that were flat as a schema
                    expected["tools"] = read_flat_tools(expected["tools"], Notes())
                assert reduced(back, losses, parts) == reduced(expected, losses, parts), f"row {number} in {name}"


def test_dataset_info_names_what_llamafactory_writes() -> None:
    stanza = dataset_info("tools", "tools.jsonl")["tools"]
    conversation = layouts.get("llamafactory").read(json.loads(layouts.get("llamafactory").sample))
    row = layouts.get("llamafactory").encode(conversation)
    assert stanza["file_name"] == "tools.jsonl" and stanza["formatting"] == "sharegpt"
    assert set(stanza["columns"].values()) == set(row)
    tags = stanza["tags"]
    assert {turn[tags["role_tag"]] for turn in row[stanza["columns"]["messages"]]} == {
        tags[f"{what}_tag"] for what in ("user", "assistant", "function", "observation")
    }


@pytest.mark.parametrize("empty", ["null", "[]"])
def test_a_text_beside_empty_messages_is_a_completion(empty: str) -> None:
    line = (
        '{"id":1,"messages":'
        + empty
        + ',"text":"<tool_call>{\\"name\\":\\"f\\",\\"arguments\\":{}}</tool_call>","x":2}'
    )
    read = toolconv("parse", "--from-layout", "completion", stdin=line)
    assert list(read.rows[0]) == ["id", "messages", "x"] and read.rows[0]["messages"][0]["tool_calls"]
    again = toolconv("convert", "--from-layout", "completion", "--from", "hermes", "--to", "kimi_k2", stdin=line)
    assert list(again.rows[0]) == ["id", "messages", "text", "x"] and again.rows[0]["messages"] == json.loads(empty)


def test_messages_that_came_as_json_text_are_written_as_json_text() -> None:
    layout = layouts.get("openai")
    text = '[{"role": "user", "content": "Is it up?"}, {"role": "assistant", "content": null}]'
    row = {"messages": text, "tools": []}
    conversation = layout.read(row)
    assert layout.write(conversation) == row
    conversation.messages[0]["content"] = "Is it down?"
    assert layout.write(conversation) == {**row, "messages": text.replace("up", "down")}


SYSTEM = {"role": "system", "content": "Be brief."}
ASKED = {"role": "user", "content": "Up?"}
ANSWERED, CHANGED = ({"role": "assistant", "content": text} for text in ("Yes.", "No."))
DIVIDED: list[Callable[[Any], dict[str, Any]]] = [
    lambda answer: {"prompt": [ASKED], "completion": [answer]},
    lambda answer: {"prompt": "Up?", "completion": [answer], "label": True},
    lambda answer: {"prompt": jsontext.spaced([ASKED]), "completion": jsontext.spaced([answer])},
    lambda answer: {"prompt": [ASKED], "completion": answer["content"]},
    lambda answer: {"completion": [ASKED, answer], "label": False},
]


@each("form", DIVIDED)
def test_an_answer_that_changes_stays_apart_from_its_prompt(form: Callable[[Any], dict[str, Any]]) -> None:
    layout = layouts.get("trl")
    conversation = layout.read(form(ANSWERED))
    conversation.messages[1]["content"] = CHANGED["content"]
    assert jsontext.spaced(layout.write(conversation)) == jsontext.spaced(form(CHANGED))
    conversation.messages.insert(0, SYSTEM)
    assert layout.read(layout.write(conversation)).messages == [SYSTEM, ASKED, CHANGED]


def test_every_layout_writes_what_declares_no_tool_or_refuses_it() -> None:
    for name in WRITABLE:
        for nothing in ({"type": "function", "function": {"description": "nothing"}}, {"nothing": 1}):
            conversation = Conversation({"messages": [ASKED, ANSWERED], "tools": [nothing]})
            try:
                written = layouts.get(name).write(conversation)
            except LayoutError:
                continue
            assert "nothing" in str(written) or conversation.notes.losses, name


@each("part, losses", [({"type": "text", "text": "Hi"}, ["content_parts"]),
                       ({"type": "image_url", "image_url": {"url": "https://a.b/c.png"}}, [])])  # fmt: skip
def test_one_text_in_a_list_of_parts_is_read_back_as_a_text(part: dict[str, Any], losses: list[str]) -> None:
    conversation = Conversation({"messages": [{"role": "user", "content": [part]}, ANSWERED]})
    layouts.get("llamafactory-v1").write(conversation)
    assert conversation.notes.losses == losses


def test_parameters_that_came_as_json_text_are_written_as_json_text() -> None:
    layout = layouts.get("axolotl")
    function = {"name": "ping", "description": "Pings.", "parameters": '{"type": "object", "properties": {}}'}
    row = {"messages": [ASKED, ANSWERED], "tools": [{"type": "function", "function": function}]}
    conversation = layout.read(row)
    conversation.tools[0]["function"]["description"] = "Sends a ping."
    written = layout.write(conversation)
    assert written["tools"][0]["function"] == {**function, "description": "Sends a ping."}


def test_the_output_beside_the_params_of_a_gym_row_stays_there() -> None:
    layout = layouts.get("responses")
    answer = {"type": "message", "role": "assistant", "content": "Yes.", "id": "m1"}
    row = {"responses_create_params": {"input": "Is it up?"}, "output": [answer], "reward": 1}
    conversation = layout.read(row)
    assert layout.pointers(conversation) == ["/responses_create_params/input", "/output/0"]
    conversation.messages[0]["content"] = "Is it down?"
    asked = {"type": "message", "role": "user", "content": "Is it down?"}
    assert layout.write(conversation) == {**row, "responses_create_params": {"input": [asked]}}


def test_calls_are_written_as_the_text_of_toolbench() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "ping", "arguments": '{"host": "db1"}'}}
    asked: list[dict[str, Any]] = [{"role": "user", "content": "Up?"}, {"role": "assistant", "tool_calls": [call]}]
    run = toolconv("convert", "-q", "--to-layout", "toolbench", stdin=json.dumps({"messages": asked}))
    assert run.rows[0]["conversations"][1] == {
        "from": "assistant",
        "value": 'Action: ping\nAction Input: {"host": "db1"}',
    }


def test_a_row_of_xlam_may_have_no_answers_but_none_that_are_no_calls() -> None:
    layout = layouts.get("xlam")
    assert layout.decoded({"query": "Up?"}).messages == [{"role": "user", "content": "Up?"}]
    with pytest.raises(LayoutError, match="no list of calls under 'answers'"):
        layout.decoded({"query": "Up?", "answers": 3})


def test_a_call_without_a_name_stays_a_part() -> None:
    call = {"part_kind": "tool-call", "args": {"host": "db1"}, "tool_call_id": "a"}
    asked = {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Up?"}]}
    answer = {"kind": "response", "parts": [{"part_kind": "text", "content": "On it."}, call]}
    read = layouts.get("pydantic-ai").decoded({"messages": [asked, answer]})
    assert read.messages[1] == {"role": "assistant", "content": [{"type": "text", "text": "On it."}, call]}


def test_what_stands_around_a_wrapped_call_is_kept() -> None:
    wrapped = {"function_call": {"name": "ping", "arguments": {}}, "id": "a", "zz": "w"}
    function = {"name": "ping", "arguments": {}}
    assert read_form(wrapped, Notes()) == {"id": "a", "type": "function", "function": function, "zz": "w"}


def test_simulations_of_tau2_bench_have_their_tasks_or_their_run_beside_them() -> None:
    layout = layouts.get("tau2-bench")
    simulation = {"task_id": "t1", "termination_reason": "user_stop", "messages": [{"role": "user", "content": "Up?"}]}
    document: dict[str, Any] = {"simulations": [simulation]}
    assert layout.split(document) is None
    assert list(layout.split({**document, "tasks": [{"id": "t1"}]}) or ()) == [{**simulation, "task": {"id": "t1"}}]
    assert list(layout.split({**document, "info": {"seed": 1}}) or ()) == [{**simulation, "info": {"seed": 1}}]


@each("key", ["prompt", "instruction", "question", "query", "problem", "inputs", "user", "user_input"])
def test_a_question_beside_its_answer(key: str) -> None:
    (row,) = toolconv("parse", stdin=json.dumps({key: "Is it up?", "response": "Yes."})).rows
    assert [(each["role"], each["content"]) for each in row["messages"]] == [
        ("user", "Is it up?"),
        ("assistant", "Yes."),
    ]


@each("given, written", [("s1", "s1"), ("", "unknown"), (7, "unknown"), (None, "unknown")])
def test_a_trajectory_of_atif_has_a_session(given: Any, written: str) -> None:
    (made,) = convert_rows(
        [{"id": given, "messages": [{"role": "user", "content": "Is it up?"}]}], Options(to_layout="atif")
    )
    assert made["session_id"] == written


def test_the_arguments_of_a_truth_of_bfcl_may_be_a_text() -> None:
    function = [{"name": "ping", "parameters": {"type": "dict", "properties": {"host": {"type": "string"}}}}]
    row = {
        "question": "Up?",
        "function": function,
        "ground_truth": {"ping_1": "{'host': 'a'}", "ping_2": '{"host": "b"}'},
    }
    calls = layouts.get("bfcl").read(row).messages[-1]["tool_calls"]
    assert [call["function"] for call in calls] == [{"name": "ping", "arguments": {"host": host}} for host in "ab"]
    row = {**row, "ground_truth": {"ping_1": "a", "ping_2": ["host"]}}  # ACEBench names what is missing in a list
    assert [dropped.text for dropped in layouts.get("bfcl").read(row).notes.dropped] == ["a"]


@each(
    "truth, found",
    [
        ("f(1, b=2)", {"a": 1, "b": 2}),
        ("[f(1, 2)]", {"a": 1, "b": 2}),
        ("f(a={3, 1})", {"a": [1, 3]}),
        ("f(a=(1, {2: None}))", {"a": [1, {"2": None}]}),
        ("f(1, 2, 3)", "arguments without a name"),
        ("f(**x)", "arguments without a name"),
        ("f(a=x)", "call of 'f': arguments that are no literals"),
        ("f(a=b'x')", "call of 'f': arguments that are no literals"),
        ("f(a=[...])", "call of 'f': arguments that are no literals"),
        ("x", "no Python call"),
        ("[]", "no Python call"),
        ("[f(a=1), 3]", "no Python call"),
        ({"f": {"a": ["", 1], "b": ["x", 2]}}, {"b": 2}),  # one that may be left out; the first value of the type
        ({"f": {"a": [], "b": 5}}, {"b": 5}),
        ({"f": {"a": [{"x": [1, 2]}]}}, {"a": {"x": 1}}),
        ({"f": {"a": [[{"x": [1, 2]}, 3]]}}, {"a": [{"x": 1}, 3]}),
    ],
)
def test_a_truth_of_bfcl_is_calls_in_python_or_accepted_values(truth: Any, found: Any) -> None:
    properties = {"a": {"type": "integer"}, "b": {"type": "integer"}}
    function = [{"name": "f", "parameters": {"type": "dict", "properties": properties}}]
    read = layouts.get("bfcl").read({"id": "1", "question": "x", "function": function, "ground_truth": [truth]})
    made = [call["function"]["arguments"] for message in read.messages for call in calls_of(message)]
    assert made == ([found] if isinstance(found, dict) else [])
    assert read.notes.dropped == ([] if isinstance(found, dict) else [Dropped(found, truth)])


def test_a_truth_of_bfcl_that_is_not_divided_by_turns_is_that_of_the_last_turn() -> None:
    questions = [[{"role": "user", "content": text}] for text in ("Wait.", "Wait more.", "Ping.")]
    tool = {"name": "ping", "description": "Pings.", "parameters": {"type": "dict", "properties": {}}}
    read = layouts.get("bfcl").decoded(
        {"id": "1", "question": questions, "function": [tool], "ground_truth": [{"ping": {}}]}
    )
    assert [message["role"] for message in read.messages] == ["user", "user", "user", "assistant"]
    assert [call["function"]["name"] for call in read.messages[-1]["tool_calls"]] == ["ping"]


def test_the_keys_of_messages_that_one_message_of_the_ai_sdk_joins_are_lost_where_they_differ() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "ping", "arguments": {}}}
    for mood, losses in (("calm", {}), ("glad", {"message_keys": 1})):
        messages = [
            {"role": "user", "content": "Is it up?"},
            {"role": "assistant", "content": "", "tool_calls": [call], "mood": "calm"},
            {"role": "tool", "tool_call_id": "a", "content": "1"},
            {"role": "assistant", "content": "It is.", "mood": mood},
        ]
        receipt = Receipt()
        (made,) = convert_rows([{"messages": messages}], Options(to_layout="ai-sdk-ui"), receipt=receipt)
        assert receipt.losses == losses
        assert [(message["id"], message["role"]) for message in made["messages"]] == [
            ("msg-0", "user"),
            ("msg-1", "assistant"),
        ]


PING: dict[str, Any] = {"id": "a", "type": "function", "function": {"name": "ping", "arguments": {}}}
ASKED, PONG, SAID = (
    {"role": "user", "content": "Up?"},
    {"role": "tool", "tool_call_id": "a", "content": "Pong."},
    {"role": "assistant", "content": "Yes."},
)
NAMELESS = {"role": "assistant", "content": "", "tool_calls": [{**PING, "function": {"arguments": {}}}]}


@each(
    "name, messages, reason",
    [
        ("ai-sdk", [ASKED, PONG, SAID], "a tool response whose call is not there"),
        ("ai-sdk-ui", [ASKED, PONG, SAID], "a result that does not follow its call"),
        ("atif", [PONG, ASKED, SAID], "a tool response before any step"),
        ("gemini", [ASKED, PONG, SAID], "a tool response whose call is not there"),
        ("glaive", [ASKED, {**SAID, "content": "Yes.\n\n\nUSER: No."}], "a turn of role 'assistant' holds a line that"),
        (
            "glaive",
            [{"role": "critic", "content": "x"}, ASKED, SAID],
            "the flat text has no turn for the role 'critic'",
        ),
        ("xlam", [ASKED, NAMELESS], "a call without a name"),
        ("anthropic", [ASKED, NAMELESS], "an item of tool_calls is no function call"),
    ],
)
def test_what_a_layout_has_no_place_for_is_refused(name: str, messages: list[Any], reason: str) -> None:
    with pytest.raises(LayoutError, match=f"^{reason}"):
        layouts.get(name).write(Conversation({"messages": messages}))
