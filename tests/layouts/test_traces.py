"""Conversations that are no lines of their own: gathered from lines, and as real sessions and traces hold them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import SHARED, cases, each, shared, toolconv
from toolconv import layouts
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.rows import Line
from toolconv.layouts.any_messages import Logged
from toolconv.layouts.base import Layout, LayoutError
from toolconv.layouts.traces import _order, _SpanTree, with_key

GATHERING = ("claude-code", "codex", "copilot", "gemini-cli", "goose", "kimi-cli", "langfuse", "langsmith", "otel", "pi",
             "stream")  # fmt: skip

TRACES = ("claude-code", "codex", "gemini-cli", "langfuse", "langsmith", "litellm", "opencode", "otel")

FOLDERS = ("claude-code", "codex", "gemini-cli", "langfuse", "langsmith", "litellm", "opencode", "openinference",
           "otel-genai")  # fmt: skip
ALSO = ("vercel-ai/otel_spans_generateText.json",)


def lines_of(case: dict[str, Any]) -> Iterator[Line]:
    for number, value in enumerate(case["lines"], 1):
        yield Line(number, value.encode() if isinstance(value, str) else jsontext.dumps(value))


# ── lines to rows ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("name", "case"), cases("gathered"))
@pytest.mark.parametrize("key", ["rows", "each_call"])
def test_gathered(name: str, case: dict[str, Any], key: str) -> None:
    if key not in case:
        pytest.skip("the case says nothing of --each-call")
    layout = layouts.get(name)
    assert layouts.gathering(case["lines"][0]) is layout
    found = list(layout.gather(lines_of(case), each_call=key == "each_call"))
    assert [line.number for line in found] == [row["line"] for row in case[key]]
    for line, expected in zip(found, case[key], strict=True):
        if "text" in expected:
            assert line.text.decode() == expected["text"]
            continue
        row = jsontext.loads(line.text)
        detected = layouts.detect(row)
        assert detected is layout
        canonical = layout.read(row).row
        assert {name: canonical.get(name) for name in expected if name != "line"} == {
            name: value for name, value in expected.items() if name != "line"
        }


INSPECT = {"id": 1, "epoch": 1, "scores": {}, "messages": [{"role": "user", "content": "Up?"}],
           "events": [{"event": "info", "data": "It began."}, {"event": "state", "changes": []}]}  # fmt: skip
CODEX = [{"type": "session_meta", "payload": {"id": "s", "cwd": "/app"}},
         {"type": "event_msg", "payload": {"type": "agent_message", "message": "It is up, as of now."}},
         {"type": "response_item", "payload": {"type": "message", "role": "user", "content": "Up?"}}]  # fmt: skip
LANGFUSE = [{"id": name, "traceId": "t1", "type": kind, "startTime": name, "input": [{"role": "user", "content": "Up?"}],
             "output": "Yes."} for name, kind in (("1", "GENERATION"), ("2", "SPAN"), ("3", "GENERATION"))]  # fmt: skip


@each("lines, records", [([INSPECT], 2), (CODEX, 1), (LANGFUSE, 2), ([{"trace": {"id": "t1"}, "observations": LANGFUSE}], 3),
                         ([INSPECT, {**INSPECT, "events": []}], 2)])  # fmt: skip
def test_records_left_out_a_conversation_are_counted(lines: list[Any], records: int) -> None:
    run = toolconv("parse", stdin="".join(json.dumps(line) + "\n" for line in lines))
    assert f"; {records} record{'s' if records > 1 else ''} left out" in run.err


@each("name", GATHERING)
def test_hostile_lines_are_passed_on_or_gathered(name: str) -> None:
    """No line makes reading fail: what is no part of a conversation comes out as a row that is rejected."""
    hostile = [b"{", b"7", b"[]", b"null", b"{}", b'"x"', b'{"type":"user","message":7}', b'{"type":"assistant"}',
               b'{"lines":[{}]}', b'{"sessionId":"s","projectHash":1,"messages":[7]}', b'{"resourceSpans":7}',
               b'{"post":[7]}', b'{"observations":[7]}', b'{"traceId":1,"attributes":[7]}']  # fmt: skip
    layout = layouts.get(name)
    found = list(layout.gather(Line(number, text) for number, text in enumerate(hostile, 1)))
    assert [line.number for line in found] == sorted(line.number for line in found)
    if name != "stream":
        assert {line.text for line in found} >= {b"{", b"7", b"[]", b"null"}


ODD = (None, 7, "x", [], {}, [7], [[]], {"a": 1}, '{"a":', "[1]")


def mutated(value: Any) -> Iterator[Any]:
    """A JSON value with each part of it, in turn, replaced by values of other types."""
    text = json.dumps(value)
    for path in paths(value):
        for odd in ODD:
            copy = json.loads(text)
            holder = copy
            for key in path[:-1]:
                holder = holder[key]
            holder[path[-1]] = odd
            yield copy


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield (*path, key)
        yield from paths(value[key], (*path, key))


@pytest.mark.sweep(every=16)
@pytest.mark.parametrize(("name", "case"), cases("gathered"))
def test_values_of_other_types_break_no_gathering(name: str, case: dict[str, Any]) -> None:
    layout = layouts.get(name)
    for lines in mutated(case["lines"]):
        found = list(layout.gather(lines_of({"lines": lines})))
        assert [line.number for line in found] == sorted(line.number for line in found)


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "case"), [case for case in cases("layouts") if case.values[0] in TRACES])
def test_values_of_other_types_are_read_or_refused(name: str, case: dict[str, Any]) -> None:
    layout = layouts.get(name)
    for row in mutated(case["row"]):
        layouts.gathering(row)
        try:
            conversation = layout.read(row)
        except LayoutError:
            continue
        assert all(isinstance(message["role"], str) for message in conversation.messages)
        assert len(layout.pointers(conversation)) == len(conversation.messages)
        jsontext.dumps(conversation.row)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("claude-code", {"type": "summary", "summary": "Older", "leafUuid": "x"}),
        ("codex", {"timestamp": "t", "type": "session_meta", "payload": {"id": "s"}}),
        ("stream", {"choices": [], "usage": {}}),
    ],
)
def test_a_session_is_told_by_its_first_line(name: str, line: dict[str, Any]) -> None:
    assert layouts.gathering(line) is layouts.get(name)


@pytest.mark.parametrize("value", [{"messages": [{"role": "user", "content": "Hi."}]}, {"name": "f", "arguments": {}}])
def test_a_row_is_not_gathered(value: dict[str, Any]) -> None:
    assert layouts.gathering(value) is None and layouts.gathering([value]) is None


class Tests(Layout):
    """Test reports of several conversations in one document, as another package may add them."""

    name: ClassVar[str] = "tests"
    sample: ClassVar[str] = "{}"

    def split(self, document: Any) -> Iterator[dict[str, Any]] | None:
        return iter(document["tests"]) if "tests" in document else None

    def matches(self, row: dict[str, Any]) -> bool:
        return "said" in row

    def decode(self, row: dict[str, Any]) -> Conversation:
        return Conversation({"messages": [{"role": "user", "content": row["said"]}]})


def test_a_layout_needs_only_split_for_documents_of_several_conversations() -> None:
    layout = Tests()
    assert layout.gathers({"tests": []}) and not layout.gathers({"a": 1}) and not layout.gathers(7)
    texts = [b'{"tests":[{"said":"a"},{"said":"b"}]}', b'{"said":"c"}', b"{", b"7", b'{"tests":7}', b'{"tests":[]}']
    found = list(layout.gather(Line(number, text) for number, text in enumerate(texts, 1)))
    assert found == [
        Line(1, b'{"said":"a"}'),
        Line(1, b'{"said":"b"}'),
        *(Line(number, texts[number - 1]) for number in (2, 3, 4, 5)),
    ]


@given(st.permutations(range(4)), st.permutations(range(4)))
def test_parallel_calls_are_one_turn_in_whatever_order_they_are_recorded(calls: list[int], results: list[int]) -> None:
    """A result follows its call; apart from that, lines of calls and of results may be mixed."""
    lines: list[dict[str, Any]] = [session_line("user", "u", None, "All.")]
    last = "u"
    waiting = list(results)
    for call in calls:
        use = {"type": "tool_use", "id": f"t{call}", "name": "f", "input": {"n": call}}
        lines.append(session_line("assistant", f"c{call}", last, [use], "m1"))
        last = f"c{call}"
        while waiting and any(line["uuid"] == f"c{waiting[0]}" for line in lines):
            answer = waiting.pop(0)
            block = {"type": "tool_result", "tool_use_id": f"t{answer}", "content": str(answer)}
            lines.append(session_line("user", f"r{answer}", f"c{answer}", [block]))
            end = f"r{answer}"
    lines.append(session_line("assistant", "z", end, [{"type": "text", "text": "Done."}], "m2"))
    layout = layouts.get("claude-code")
    (row,) = layout.gather(lines_of({"lines": lines}))
    messages = layout.read(jsontext.loads(row.text)).messages
    assert [message["role"] for message in messages] == ["user", "assistant", *["tool"] * 4, "assistant"]
    assert [call["function"]["arguments"]["n"] for call in messages[1]["tool_calls"]] == calls
    assert [message["content"] for message in messages[2:6]] == [str(answer) for answer in results]


def session_line(role: str, uuid: str, parent: str | None, content: Any, message_id: str | None = None) -> Any:
    message = {"role": role, "content": content, **({"id": message_id} if message_id else {})}
    return {"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message}


# ── through the command ─────────────────────────────────────────────────────────────────────────


def gathered_case(name: str, case: str) -> list[Any]:
    with (Path(__file__).parents[2] / "fixtures" / "gathered" / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return next(found["lines"] for found in map(json.loads, lines) if found["case"] == case)


def written(path: Path, lines: list[Any]) -> Path:
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


def test_the_account_is_of_conversations_and_places_are_their_first_lines(tmp_path: Path) -> None:
    session = written(
        tmp_path / "s.jsonl", gathered_case("claude-code", "a_cut_line_is_passed_on_and_a_repeated_one_read_once")
    )
    run = toolconv("parse", session, "--receipt", tmp_path / "receipt.json")
    assert run.status == 1 and len(run.rows) == 1
    assert f"{session}:4: rejected: not JSON" in run.err
    account = json.loads((tmp_path / "receipt.json").read_text())["function_calling"]
    assert (account["rows_in"], account["rows_out"], account["rejects"]["count"]) == (2, 1, 1)


def test_a_session_in_storage_of_opencode_is_read_as_exported(tmp_path: Path) -> None:
    """A session there is in many files; read one by one, they would be rows of one text each."""
    storage = tmp_path / "opencode" / "storage"
    parts = {
        "part/m1/p1": {"type": "text", "text": "List the files."},
        "part/m2/p1": {
            "type": "tool",
            "callID": "c",
            "tool": "bash",
            "state": {"input": {"command": "ls"}, "output": "a"},
        },
        "part/m2/p2": {"type": "text", "text": "There is one."},
    }
    infos = {
        "session/p/s": {"id": "s", "title": "Files", "directory": "/app"},
        "message/s/m1": {"id": "m1", "role": "user"},
        "message/s/m2": {"id": "m2", "role": "assistant", "modelID": "gpt-5.5"},
    }
    for name, value in (infos | parts).items():
        (storage / name).parent.mkdir(parents=True, exist_ok=True)
        (storage / f"{name}.json").write_text(json.dumps(value, indent=1))
    session = storage / "session" / "p" / "s.json"
    messages = [{"info": infos[f"message/s/{m}"], "parts": [parts[p] for p in parts if m in p]} for m in ("m1", "m2")]
    document = json.dumps({"info": infos["session/p/s"], "messages": messages})
    exported = toolconv("parse", stdin=document).rows
    assert [message["role"] for message in exported[0]["messages"]] == ["user", "assistant", "tool", "assistant"]
    for source in (storage.parent, storage, session):
        run = toolconv("parse", str(source))
        assert run.status == 0 and run.rows == exported
    fixed = toolconv("lint", "--fix", session)
    assert fixed.status == 2 and "can't be fixed in place" in fixed.err
    assert toolconv("parse", "--shard", "1/2", session).status == 2
    (storage / "part" / "m2" / "p2.json").write_text("{")
    broken = toolconv("parse", str(storage))
    assert broken.status == 2 and f"Error: {storage}/part/m2/p2.json: not JSON" in broken.err


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_folder_is_its_files_in_order(tmp_path: Path, jobs: int) -> None:
    for folder in ("b", "a", ".hidden"):
        (tmp_path / folder).mkdir()
        written(tmp_path / folder / "s.jsonl", gathered_case("claude-code", "a_compaction_begins_a_row"))
    (tmp_path / "notes.txt").write_text("no rows")
    (tmp_path / "index.json").write_text(json.dumps({"version": 1, "entries": []}, indent=1))
    run = toolconv("parse", "--jobs", jobs, tmp_path)
    assert len(run.rows) == 4
    assert f"{tmp_path}/index.json:1: rejected: a JSON document that no layout knows" in run.err
    counts = toolconv("stats", "--json", tmp_path).rows[0]
    assert (counts["rows_in"], counts["rejects"]["count"]) == (5, 1)


def test_a_folder_without_rows_is_an_error(tmp_path: Path) -> None:
    run = toolconv("parse", tmp_path)
    assert run.status == 2 and "a folder without files of rows" in run.err


def test_a_session_whose_turns_hold_nothing_is_rejected(tmp_path: Path) -> None:
    line = {"type": "user", "uuid": "a", "sessionId": "s1", "message": {"role": "user", "zz": "Is it up?"}}
    run = toolconv("parse", written(tmp_path / "s.jsonl", [line]))
    assert run.status == 1 and not run.rows and "no line of the session is a turn" in run.err


def test_markup_in_a_text_of_claude_code_is_text(tmp_path: Path) -> None:
    text = '<function_calls><invoke name="ls"></invoke></function_calls>'
    session = written(
        tmp_path / "s.jsonl",
        [session_line("user", "a", None, "Hi."), session_line("assistant", "b", "a", [{"type": "text", "text": text}])],
    )
    assert toolconv("parse", session).rows[0]["messages"][1] == {"role": "assistant", "content": text}
    named = toolconv("parse", "--from", "anthropic_xml", session).rows[0]["messages"][1]
    assert named["tool_calls"][0]["function"] == {"name": "ls", "arguments": {}}


def test_each_call(tmp_path: Path) -> None:
    trace = written(tmp_path / "trace.jsonl", gathered_case("otel", "the_last_call_of_each_trace"))
    assert [row["spanId"] for row in toolconv("parse", trace).rows] == ["b", "c"]
    assert [row["spanId"] for row in toolconv("parse", "--each-call", trace).rows] == ["b", "a", "c"]


def test_a_list_of_spans_is_read_as_well(tmp_path: Path) -> None:
    spans = tmp_path / "spans.json"
    spans.write_text(json.dumps(gathered_case("otel", "the_last_call_of_each_trace"), indent=2))
    assert [row["spanId"] for row in toolconv("parse", spans).rows] == ["b", "c"]


def test_lint_tells_the_place_in_the_session_and_changes_no_session(tmp_path: Path) -> None:
    lines = gathered_case("claude-code", "parallel_calls_are_no_fork")
    lines[4]["message"]["content"][0]["tool_use_id"] = "t9"
    session = written(tmp_path / "s.jsonl", lines)
    found = toolconv("lint", session, "--output-format", "concise", "--select", "TC2").out
    assert f"{session}:1:/lines/4: TC" in found
    before = session.read_bytes()
    run = toolconv("lint", "--fix", session)
    assert run.status == 2 and "can't be fixed in place" in run.err
    assert session.read_bytes() == before


@each(
    "earlier, later",
    [
        ([1, 999_999_999], [2, 0]),
        ([1, 5], [1, 6]),
        ("999", "1000"),
        ("2025-01-01T00", "2025-01-01T01"),
        (1.5, 2),
        (None, 1),
    ],
)
def test_the_order_of_times(earlier: Any, later: Any) -> None:
    assert _order(earlier) < _order(later)


def test_spans_in_a_circle_have_nothing_around_them() -> None:
    spans = _SpanTree()
    spans.add(("t", "a"), ("t", "b"), {})
    spans.add(("t", "b"), ("t", "a"), {})
    assert spans.around(("t", "a")) == b""
    spans.add(("t", "b"), ("t", "a"), {"instructions": "Be brief."})
    assert spans.around(("t", "a")) == b'{"instructions":"Be brief."}'


# ── real sessions and traces ────────────────────────────────────────────────────────────────────


def real_traces() -> list[Any]:
    """Files of ../shared/traces with the rows that a careful person wants of them; one that skips without the folder."""
    folder = SHARED / "traces"
    found = [path for name in FOLDERS for path in sorted((folder / name).glob("*.expected.json"))]
    names = [str(path.relative_to(folder)).removesuffix(".expected.json") for path in found]
    return [*names, *ALSO] or ["absent"]


def squeezed(text: str | None) -> str:
    return re.sub(r"\s+", " ", text or "").strip()


def value_or_text(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return squeezed(text)


def compared(row: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """What counts of a row: not blanks, nor the spelling of JSON in results, nor where texts of the user are split."""
    messages: list[Any] = []
    for message in row["messages"]:
        role = {"developer": "system"}.get(message["role"], message["role"])
        content = message.get("content") or ""
        assert isinstance(content, str)
        if role == "assistant":
            calls = [
                (call.get("id"), call["function"]["name"], call["function"]["arguments"])
                for call in message.get("tool_calls") or ()
            ]
            messages.append((role, squeezed(content), squeezed(message.get("reasoning_content")), calls))
        elif role == "tool":
            messages.append((role, value_or_text(content), message.get("tool_call_id"), message.get("name")))
        elif messages and messages[-1][0] == role:
            messages[-1] = (role, squeezed(f"{messages[-1][1]} {content}"))
        else:
            messages.append((role, squeezed(content)))
    functions = [tool["function"] for tool in row.get("tools") or ()]
    tools = [(tool["name"], squeezed(tool.get("description")), tool.get("parameters") or None) for tool in functions]
    return messages, tools


@pytest.mark.parametrize("name", real_traces())
def test_a_real_trace_gives_the_rows_that_a_careful_person_wants(name: str) -> None:
    expected = json.loads(shared("traces", f"{name}.expected.json").read_text())
    run = toolconv("parse", shared("traces", name))
    assert run.status == 0, run.err
    assert [compared(row) for row in run.rows] == [compared(row) for row in expected]


@pytest.mark.sweep
@pytest.mark.parametrize("name", real_traces())
def test_a_real_trace_becomes_training_rows_in_one_command(name: str) -> None:
    path = shared("traces", name)
    rows = len(json.loads(shared("traces", f"{name}.expected.json").read_text()))
    assert len(toolconv("convert", path, "--to-layout", "trl").rows) == rows
    assert len(toolconv("convert", path, "--template", "qwen3").rows) == rows


def test_a_key_is_put_last_in_the_text_of_a_row() -> None:
    assert with_key(b'{"a":1}', "b", b"[2]") == b'{"a":1,"b":[2]}'
    assert with_key(b'{"a":1}', "b", b"") == b'{"a":1}'


@pytest.mark.parametrize(("host", "roles"), [("a", ["assistant", "tool"]), ("b", ["assistant", "assistant", "tool"])])
def test_the_calls_that_a_request_begins_with_are_those_before_it(host: str, roles: list[str]) -> None:
    def calling(name: str) -> dict[str, Any]:
        function = {"name": "ping", "arguments": {"host": name}}
        return {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c", "type": "function", "function": function}],
        }

    log = Logged()
    log.message(calling("a"))
    log.request([calling(host), {"role": "tool", "tool_call_id": "c", "content": "up"}])
    log.end()
    assert [message["role"] for message in log.messages] == roles


CALLED = {"role": "assistant", "content": None, "tool_calls": [
    {"id": "c1", "type": "function", "function": {"name": "ping", "arguments": '{"host": "a"}'}}]}  # fmt: skip
ASKED, RESULT = {"role": "user", "content": "Is a up?"}, {"role": "tool", "tool_call_id": "c1", "content": "pong"}


@pytest.mark.parametrize(
    ("last", "lost"),
    [
        ([ASKED, CALLED, RESULT], 0),
        ([{"role": "user", "content": "Is b up?"}], 1),
        (
            [ASKED, {**CALLED, "tool_calls": [{**CALLED["tool_calls"][0], "id": "other"}]}, RESULT],
            0,
        ),  # its id may change
        ([ASKED], 1),
    ],
)
def test_a_model_call_that_the_last_one_of_a_trace_does_not_hold_is_named(last: list[Any], lost: int) -> None:
    run = {"trace_id": "t1", "run_type": "llm", "outputs": {"choices": [{"index": 0, "message": CALLED}]}}
    answered = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Yes."}}]}
    records = [
        {**run, "id": "r1", "start_time": "2026-01-01T10:00:00", "inputs": {"messages": [ASKED]}},
        {**run, "id": "r2", "start_time": "2026-01-01T10:00:01", "inputs": {"messages": last}, "outputs": answered},
    ]
    layout = layouts.get("langsmith")
    (line,) = layout.gather(lines_of({"lines": records}))
    assert layout.read(jsontext.loads(line.text)).notes.losses == ["earlier_calls"] * lost
    each_call = layout.gather(lines_of({"lines": records}), each_call=True)
    assert [layout.read(jsontext.loads(each.text)).notes.losses for each in each_call] == [[], []]
