"""The real command in a real pipe."""

from __future__ import annotations

import gzip
import json
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT, exhaustive, rows, shared, toolconv
from tests.helpers.command import TIMEOUT
from tests.helpers.pipes import interrupted
from toolconv import dialects

CALL = '<tool_call>{"name":"search","arguments":{"query":"python"}}</tool_call>'
GOOD = {"id": "a", "text": CALL, "tools": [], "score": 0.5}
BAD = {"id": "b", "text": '<tool_call>{"name":"search","arguments":{"query":"py</tool_call>'}


def lines(*values: object) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def search(arguments: object = None) -> dict[str, object]:
    function = {"name": "search", "arguments": arguments or {"query": "python"}}
    return {"id": "call_0", "type": "function", "function": function}


# ── as typed in the issue ──


def test_raw_text_becomes_a_canonical_row() -> None:
    run = toolconv("convert", "--from", "hermes", stdin=CALL)
    assert run.rows == [{"messages": [{"role": "assistant", "content": "", "tool_calls": [search()]}]}]
    assert run.status == 0
    assert run.err == "1 row in, 1 out; 1 call (hermes 1)\n"


def test_raw_text_in_and_a_dialect_out_is_raw_text() -> None:
    run = toolconv("convert", "--from", "hermes", "--to", "kimi_k2", stdin=CALL)
    assert run.out == (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>"
        '{"query": "python"}<|tool_call_end|><|tool_calls_section_end|>\n'
    )


def test_python_spelling_with_prose_around_is_read_and_said() -> None:
    text = "Sure.\n<tool_call>{'name': 'f', 'arguments': {'a': True, 'b': None}}</tool_call>\nDone."
    run = toolconv("convert", "--from", "hermes", stdin=text)
    message = run.rows[0]["messages"][0]
    assert message["content"] == "Sure.\nDone."
    assert message["tool_calls"][0]["function"] == {"name": "f", "arguments": {"a": True, "b": None}}
    assert "single_quotes 1" in run.err
    assert "python_literal 1" in run.err
    assert run.status == 0


@pytest.mark.parametrize("text", ['{"name": "f", "arguments": {}}', '[{"name": "f", "arguments": {}}]'])
def test_a_bare_call_is_no_row(text: str) -> None:
    run = toolconv("convert", stdin=text)
    assert run.rows[0]["messages"][0]["tool_calls"][0]["function"]["name"] == "f"


# ── rows ──


def test_unknown_keys_stay_in_place_and_numbers_stay_whole() -> None:
    line = '{"z":1,"id":18446744073709551617,"x":1.0,"text":"hi","y":1e-7,"s":"\\ud800","p":3.14159265358979323846,"n":null}'
    run = toolconv("parse", "--from", "hermes", stdin=line + "\n")
    assert run.out == line.replace('"text":"hi"', '"messages":[{"role":"assistant","content":"hi"}]') + "\n"


def test_a_completion_row_stays_one_with_its_text_spelled_anew() -> None:
    run = toolconv("convert", "--from", "hermes", "--to", "mistral", stdin=lines(GOOD))
    assert run.rows == [{**GOOD, "text": '[TOOL_CALLS]search[ARGS]{"query": "python"}'}]
    assert list(run.rows[0]) == list(GOOD)


def test_text_key_reaches_into_the_row() -> None:
    row = {"id": 1, "choices": [{"message": {"raw": CALL}, "n": 0}]}
    run = toolconv(
        "convert", "--from", "hermes", "--to", "mistral", "--text-key", "choices.0.message.raw", stdin=lines(row)
    )
    assert run.rows[0]["choices"] == [{"message": {"raw": '[TOOL_CALLS]search[ARGS]{"query": "python"}'}, "n": 0}]


def test_text_key_takes_only_the_answer_from_what_is_around_it() -> None:
    asked = {"messages": [{"role": "user", "content": "Is it up?"}]}
    answers = [{"message": {"role": "assistant", "content": "Yes."}, "score": 7}, "No."]
    row = {"request": asked, "meta": {"answers": answers, "lang": "en"}}
    (read,) = toolconv("parse", "--text-key", "meta.answers.0", stdin=lines(row)).rows
    assert read["messages"] == [*asked["messages"], answers[0]["message"]]
    assert read["meta"] == {"answers": [{"score": 7}, "No."], "lang": "en"}


SPELLED = '[TOOL_CALLS]search[ARGS]{"query": "python"}'


@pytest.mark.parametrize(
    ("row", "options"),
    [
        ({"id": 1, "tools": "[]", "text": CALL, "messages": []}, ()),
        ({"text": CALL, "tools": None, "n": 1.0}, ()),
        ({"out": {"text": CALL}, "tools": "[]", "messages": []}, ("--text-key", "out.text")),
    ],
)
def test_nothing_but_the_text_of_a_completion_row_changes(row: dict[str, object], options: tuple[str, ...]) -> None:
    options = ("--from-layout", "completion", "--from", "hermes", "--to", "mistral", *options)
    run = toolconv("convert", *options, stdin=lines(row))
    assert json.dumps(run.rows[0]) == json.dumps(row).replace(json.dumps(CALL), json.dumps(SPELLED))


def test_tools_in_the_prompt_of_a_completion_row_are_declared_before_its_text() -> None:
    tool = {"type": "function", "function": {"name": "search"}}
    row = {"id": 1, "prompt": f"<tools>\n{json.dumps(tool)}\n</tools>", "text": CALL, "n": 2}
    run = toolconv("convert", "--from", "hermes", "--to", "mistral", stdin=lines(row))
    assert run.rows == [{**row, "tools": [tool], "text": SPELLED}]
    assert list(run.rows[0]) == ["id", "prompt", "tools", "text", "n"]


def test_a_prompt_that_opens_reasoning() -> None:
    row = {"prompt": "<|im_start|>assistant\n<think>\n", "text": f"Let me see.\n</think>\n\n{CALL}"}
    message = toolconv("parse", "--from", "hermes", stdin=lines(row)).rows[0]["messages"][0]
    assert message["reasoning_content"] == "Let me see."
    assert message["tool_calls"] == [search()]


def test_detection_is_said_and_right() -> None:
    run = toolconv("parse", stdin=lines(GOOD, GOOD))
    assert run.rows[0]["messages"][0]["tool_calls"] == [search()]
    assert "layout completion, dialect hermes" in run.err
    assert toolconv("parse", "-q", stdin=lines(GOOD)).err == ""


def test_model_picks_the_dialect() -> None:
    text = dialects.get("qwen3_xml").sample
    run = toolconv("convert", "--model", "Qwen/Qwen3-Coder-30B-A3B-Instruct", stdin=text)
    assert run.rows[0]["messages"][0]["tool_calls"][0]["function"]["name"] == "get_weather"


HERMES_ROW = {
    "id": "h1",
    "conversations": [
        {
            "from": "system",
            "value": "You are helpful.\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are "
            "provided with function signatures within <tools></tools> XML tags:\n<tools>\n"
            '{"type": "function", "function": {"name": "search", "parameters": {"type": "object", "properties": {}}}}\n</tools>\n\n'
            "For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML "
            'tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>',
        },
        {"from": "human", "value": "Find python and rust."},
        {
            "from": "gpt",
            "value": 'Two searches.\n<tool_call>\n{"name": "search", "arguments": {"query": "python"}}\n</tool_call>\n'
            '<tool_call>\n{"name": "search", "arguments": {"query": "rust"}}\n</tool_call>',
        },
        {
            "from": "tool",
            "value": '<tool_response>\n{"hits": 3}\n</tool_response>\n<tool_response>\n\n</tool_response>',
        },
        {"from": "gpt", "value": "Three and none."},
    ],
    "category": "search",
}


def test_a_hermes_conversation_is_structure_and_the_same_text_again() -> None:
    canonical = toolconv("parse", stdin=lines(HERMES_ROW))
    row = canonical.rows[0]
    assert list(row) == ["id", "tools", "messages", "category"]
    assert [tool["function"]["name"] for tool in row["tools"]] == ["search"]
    assert [message["role"] for message in row["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    assert row["messages"][0]["content"] == "You are helpful."
    assert row["messages"][3] == {"role": "tool", "content": '{"hits": 3}', "tool_call_id": "call_0", "name": "search"}
    assert row["messages"][4]["tool_call_id"] == "call_1"
    back = toolconv("render", "--to-layout", "hermes", stdin=canonical.raw)
    assert back.rows == [HERMES_ROW]


def test_tool_responses_in_a_user_turn() -> None:
    row = {"messages": [{"role": "user", "content": "Find it."}, {"role": "assistant", "content": CALL.replace(">{", ">\n{").replace("}<", "}\n<")},
                        {"role": "user", "content": "<tool_response>\nfound\n</tool_response>"}, {"role": "assistant", "content": "Found."}]}  # fmt: skip
    run = toolconv("parse", "--from", "hermes", stdin=lines(row))
    assert run.rows[0]["messages"][2] == {
        "role": "tool",
        "content": "found",
        "tool_call_id": "call_0",
        "name": "search",
    }
    back = toolconv("render", "--to", "hermes", stdin=run.raw)
    assert [message["content"] for message in back.rows[0]["messages"]] == [
        "Find it.",
        '<tool_call>\n{"name": "search", "arguments": {"query": "python"}}\n</tool_call>',
        "<tool_response>\nfound\n</tool_response>",
        "Found.",
    ]


def meaning(row: dict[str, object]) -> object:
    """What must survive any dialect: roles, prose, calls, responses, tools. Ids are not for all of them to carry."""
    return row["tools"], [
        (message["role"], message["content"], [call["function"] for call in message.get("tool_calls", [])])
        for message in row["messages"]  # type: ignore[attr-defined]
    ]


@exhaustive
@pytest.mark.parametrize(
    "name",
    ["hermes", "openai", "canonical", "mistral", "llama3_json", "deepseek_v3", "kimi_k2", "kimi", "qwen3_xml"],
)
def test_a_tau_bench_conversation_in_every_dialect(name: str) -> None:
    path = shared("real", "datasets", "tau-bench-airline-gpt-4o.jsonl")
    canonical = toolconv("parse", "-q", path)
    rendered = toolconv("render", "-q", "--to", name, path)
    again = toolconv("parse", "-q", "--from", name, stdin=rendered.raw)
    assert [meaning(row) for row in again.rows] == [meaning(row) for row in canonical.rows]


def test_openai_rows_come_back_as_they_were() -> None:
    row = {
        "messages": [
            {"content": None, "role": "assistant", "refusal": None,
             "tool_calls": [{"id": "x1", "index": 0, "type": "function", "function": {"arguments": '{"a":1}', "name": "f"}}]},
            {"role": "tool", "tool_call_id": "x1", "content": "1", "name": "f"},
        ],
        "tools": "[]",
    }  # fmt: skip
    run = toolconv("convert", "--to", "openai", stdin=lines(row))
    assert run.rows == [row]
    canonical = toolconv("parse", stdin=lines(row)).rows[0]
    assert canonical["messages"][0]["tool_calls"][0]["function"]["arguments"] == {"a": 1}
    assert canonical["messages"][0]["content"] == ""
    assert canonical["messages"][0]["refusal"] is None


# ── what goes wrong ──


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"id": 1, "text": "x', "not JSON (unterminated string at byte 18)"),
        ('{"text": NaN}', "not JSON"),
        ("[1]", "not a JSON object"),
        ("7", "not a JSON object"),
        ('{"weights": [1], "bias": 2}', "the row has the keys 'weights', 'bias'"),
        (b'{"text": "\xff"}', "not UTF-8"),
    ],
)
def test_a_bad_line_is_one_clear_error_and_the_rest_goes_on(line: str | bytes, reason: str, tmp_path: Path) -> None:
    bad = line if isinstance(line, bytes) else line.encode()
    path = tmp_path / "rows.jsonl"
    path.write_bytes(lines(GOOD).encode() + bad + b"\n" + lines(GOOD).encode())
    rejects = tmp_path / "rejects.jsonl"
    run = toolconv("parse", "--from", "hermes", path, "--rejects", rejects)
    assert len(run.rows) == 2
    assert run.status == 1
    assert f"{path}:2: rejected: " in run.err
    assert reason in run.err
    assert rejects.read_bytes() == bad + b"\n"


def test_on_error(tmp_path: Path) -> None:
    data = lines(GOOD, BAD, GOOD)
    keep = toolconv("parse", "--from", "hermes", stdin=data)
    assert [row["messages"][0]["content"] for row in keep.rows] == ["", BAD["text"], ""]
    assert keep.status == 1
    assert "<stdin>:2: call dropped, its text kept: " in keep.err
    rejects = tmp_path / "r.jsonl"
    reject = toolconv("parse", "--from", "hermes", "--on-error", "reject", "--rejects", rejects, stdin=data)
    assert len(reject.rows) == 2
    assert rows(rejects) == [BAD]
    output = tmp_path / "out.jsonl"
    fail = toolconv("parse", "--from", "hermes", "--on-error", "fail", "-o", output, stdin=data)
    assert fail.status == 1
    assert "<stdin>:2: unreadable call" in fail.err
    assert not list(tmp_path.glob("*out*"))


def test_strict_takes_no_repairs_and_no_losses() -> None:
    row = {"text": "<tool_call>{'name':'f','arguments':{}}</tool_call>"}
    run = toolconv("parse", "--from", "hermes", "--strict", stdin=lines(row))
    assert run.rows[0]["messages"][0]["content"] == row["text"]
    assert "needs repairs: single_quotes" in run.err
    assert run.status == 1
    given = {"messages": [{"role": "assistant", "content": "", "tool_calls": [{**search(), "id": "chatcmpl-7"}]}]}
    loss = toolconv("render", "--to", "hermes", "--strict", stdin=lines(given))
    assert loss.out == ""
    assert "would be lost: call_id" in loss.err


def test_duplicate_keys_are_reported() -> None:
    line = '{"id": 1, "text": "x", "id": 2}\n'
    run = toolconv("parse", "--from", "hermes", stdin=line)
    assert run.rows[0]["id"] == 2
    assert "duplicate_key 1" in run.err
    strict = toolconv("parse", "--from", "hermes", "--strict", stdin=line)
    assert "a key twice in one object: 'id'" in strict.err
    assert strict.status == 1


def test_control_characters_of_the_data_are_escaped() -> None:
    run = toolconv("parse", "--from", "hermes", stdin='{"\\u001b[31mred": 1}\n')
    assert "\x1b" not in run.err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["parse", "--from", "hermse"], ["did you mean 'hermes'", "kimi_k2"]),
        (["parse", "--from-layout", "compleation"], ["did you mean 'completion'", "openai"]),
        *((["convert", option, "nope"], ["'nope'\nknown"]) for option in ("--to", "--to-layout", "--trainer")),
        *(
            (["convert", "--trainer", each, "--template", "qwen3"], ["a template has no part"])
            for each in ("openai", "anthropic", "gemini", "bedrock")
        ),
        (["augment", "--irrelevance", "1", "--replace"], ["--replace is for the kinds that change a row"]),
        (["augment", "--undo", "--replace"], ["--replace is for the kinds that change a row"]),
        (["render"], ["--to"]),
        (["parse", "/nonexistent.jsonl"], ["/nonexistent.jsonl", "No such file"]),
        (["parse", "-o", "/nonexistent/x"], ["/nonexistent/x"]),
        (["convert", "--to", "hermes", "--to-layout", "openai"], ["--to-layout chat"]),
        (["parse", "--model", "x", "--from", "hermes"], ["either --model or --from"]),
    ],
)
def test_wrong_usage_is_status_2_and_says_what_to_do(args: list[str], words: list[str]) -> None:
    run = toolconv(*args, stdin=lines(GOOD))
    assert run.status == 2
    assert all(word in run.err for word in words)
    assert "Traceback" not in run.err


# ── account ──


def test_the_receipt_adds_up(tmp_path: Path) -> None:
    path = tmp_path / "receipt.json"
    tools = [{"type": "function", "function": {"name": "search", "parameters": {}}}]
    two = {"text": f"{CALL}\n{CALL}", "tools": tools}
    data = lines({**GOOD, "tools": tools}, BAD, two, {"text": "No call."}) + "{\n"
    run = toolconv("convert", "--from", "hermes", "--to", "mistral", "--receipt", path, stdin=data)
    receipt = json.loads(path.read_bytes())
    account = receipt["function_calling"]
    assert account["rows_in"] == 5 == account["rows_out"] + account["rejects"]["count"]
    assert len(run.rows) == account["rows_out"] == 4
    assert account["rejects"]["places"][0]["line"] == 5
    assert account["n_tool_calls"] == 3
    assert account["n_tool_calls_by_tool"] == {"search": 3}
    assert account["n_tools_declared"] == 1
    assert account["dropped_calls"]["count"] == 1
    assert account["dropped_calls"]["places"][0]["line"] == 2
    assert account["no_call_ratio"] == 0.5
    assert account["parallel_ratio"] == 0.25
    assert account["template"] == "mistral"
    assert len(account["tool_schema_hash"]) == 64
    assert set(receipt["files"]) == {"<stdin>", "<stdout>"}


# ── files, streams, processes ──


def test_gzip_in_and_out_by_ending(tmp_path: Path) -> None:
    source, target = tmp_path / "in.jsonl.gz", tmp_path / "out.jsonl.gz"
    source.write_bytes(gzip.compress(lines(GOOD, GOOD).encode()))
    run = toolconv("parse", "--from", "hermes", source, "-o", target)
    assert run.status == 0
    assert len(gzip.decompress(target.read_bytes()).splitlines()) == 2
    assert list(tmp_path.iterdir()).__len__() == 2


def test_zstd_with_the_extra(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard", reason="the extra zstd is not installed")
    source, target = tmp_path / "in.jsonl.zst", tmp_path / "out.jsonl.zst"
    source.write_bytes(zstandard.ZstdCompressor().compress(lines(GOOD).encode()))
    assert toolconv("parse", "--from", "hermes", source, "-o", target).status == 0
    with zstandard.open(target, "rb") as stream:
        assert len(stream.read().splitlines()) == 1


def test_a_missing_extra_is_asked_for_by_name(tmp_path: Path) -> None:
    (tmp_path / "zstandard.py").write_text("raise ImportError")
    run = toolconv("parse", "x.jsonl.zst", cwd=_touch(tmp_path, "x.jsonl.zst"), PYTHONPATH=f"{tmp_path}:{ROOT}")
    assert run.status == 2
    assert "pip install 'toolconv[zstd]'" in run.err


def _touch(folder: Path, name: str) -> Path:
    (folder / name).write_bytes(b"x")
    return folder


@pytest.mark.exhaustive
def test_several_files_and_jobs_keep_the_order(tmp_path: Path) -> None:
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    first.write_text(lines(*({**GOOD, "id": number, "pad": "x" * 300} for number in range(3000))))
    second.write_text(lines(BAD, GOOD))
    one = toolconv("parse", "--from", "hermes", first, second)
    many = toolconv("parse", "--from", "hermes", "--jobs", 3, first, second)
    assert [row["id"] for row in one.rows][:3000] == list(range(3000))
    assert many.raw == one.raw
    assert many.status == one.status == 1
    assert f"{second}:1: call dropped" in many.err


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_row_comes_out_as_soon_as_it_was_read(jobs: int) -> None:
    command = [sys.executable, "-m", "toolconv", "parse", "--from", "hermes", "--jobs", str(jobs)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin and process.stdout
        for number in range(3):
            process.stdin.write(lines({**GOOD, "id": number}).encode())
            if not select.select([process.stdout], [], [], 600)[0]:
                process.kill()
                pytest.fail("the row did not come out")
            assert json.loads(process.stdout.readline())["id"] == number
        process.stdin.close()
        assert process.wait(600) == 0


@pytest.mark.exhaustive
def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text(lines(GOOD) * 20_000)
    command = f"{sys.executable} -m toolconv parse --from hermes {path} | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=TIMEOUT, check=False)
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == b""


def test_interrupt_is_status_130_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    command = [sys.executable, "-m", "toolconv", "parse", "--from", "hermes", "-o", str(output)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin
        process.stdin.write(lines(GOOD).encode())
        deadline = time.monotonic() + 600
        while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert interrupted(process) == 130
    assert list(tmp_path.iterdir()) == []


def test_empty_input_is_no_error() -> None:
    run = toolconv("parse")
    assert (run.out, run.status) == ("", 0)


def test_dialects_and_layouts_have_pages() -> None:
    listed = toolconv("dialects").out
    assert all(dialect.name in listed for dialect in dialects.all_dialects())
    page = toolconv("dialects", "qwen").out
    assert "name        hermes" in page
    assert "<tool_call>" in page
    assert "openai" in toolconv("layouts").out
    assert "sample:" in toolconv("layouts", "completion").out


def test_detect_says_what_an_input_is() -> None:
    run = toolconv("detect", stdin=dialects.get("kimi_k2").sample)
    assert run.rows == [
        {"file": "<stdin>", "layout": "raw", "dialect": "kimi_k2", "confidence": 1.0, "runner_up": None}
    ]


def test_rows_with_the_same_reason_are_one_message(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("User prompt,Model output\n" + "q,a\n" * 200)
    run = toolconv("convert", "--template", "qwen3", "own.csv", cwd=tmp_path)
    rejected = [line for line in run.err.splitlines() if ": rejected: " in line]
    assert len(rejected) == 1 and "--prompt-key 'User prompt' --text-key 'Model output'" in rejected[0]
    assert rejected[0].startswith("own.csv:2: ") and rejected[0].endswith(" (also in lines 3, 4, 5, 6, 7, …)")
    assert "… and 100 more rejected; --receipt lists them\n" in run.err
    one = toolconv("parse", stdin='{"messages": [{"role": "user", "content": "Hi"}]}\n1\n2\n')
    assert "(also in line 3)" in one.err
