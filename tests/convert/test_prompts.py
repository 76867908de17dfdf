"""Rows of prompts and outputs, tables, plain outputs, folders, and files that are none of these; through the real command."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import FIXTURES, exhaustive, nightly, toolconv
from tests.helpers.command import TIMEOUT
from toolconv.core import jsontext
from toolconv.core.rows import Line
from toolconv.io import tables

CALL = '<tool_call>\n{"name": "ping", "arguments": {"host": "a"}}\n</tool_call>'
ASKED = {"role": "user", "content": "Is it up?"}
CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "call_0", "type": "function", "function": {"name": "ping", "arguments": '{"host": "a"}'}},
    ],
}
CHATML = "<|im_start|>user\nIs it up?<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n" + CALL + "<|im_end|>\n"


def lines(*rows: Any) -> str:
    return "".join(jsontext.dumps(row).decode() + "\n" for row in rows)


# ── rows ────────────────────────────────────────────────────────────────────────────────────────

KINDS: dict[str, dict[str, Any]] = {
    "prompt and response": {"prompt": "Is it up?", "response": CALL},
    "alpaca": {"instruction": "Is it up?", "input": "", "output": CALL},
    "question and answer": {"question": "Is it up?", "answer": CALL},
    "messages as prompt": {"prompt": [ASKED], "completion": CALL},
    "messages as prompt, another key": {"prompt": [ASKED], "output": CALL},
    "messages and response": {"messages": [ASKED], "response": CALL},
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_prompt_is_a_turn_of_every_target(kind: str) -> None:
    row = lines(KINDS[kind])
    assert toolconv("convert", "--to-layout", "openai", stdin=row).rows == [{"messages": [ASKED, CALLED]}]
    assert toolconv("convert", "--template", "qwen3", stdin=row).rows == [{"text": CHATML}]
    prompted = toolconv("convert", "--to", "mistral", "--to-layout", "chat", stdin=row).rows
    assert prompted[0]["messages"] == [ASKED, {"role": "assistant", "content": '[TOOL_CALLS]ping[ARGS]{"host": "a"}'}]


@pytest.mark.parametrize("kind", ["prompt and response", "alpaca", "question and answer"])
def test_a_row_keeps_its_layout_in_another_dialect(kind: str) -> None:
    row = KINDS[kind]
    spelled = lines(row).replace(lines(CALL)[:-1], lines('[TOOL_CALLS]ping[ARGS]{"host": "a"}')[:-1])
    assert toolconv("convert", "--to", "mistral", stdin=lines(row)).out == spelled


def test_keys_of_any_name() -> None:
    row = {"req": {"q": "Is it up?"}, "res": [{"text": CALL}], "id": 3}
    keys = ("--prompt-key", "req.q", "--text-key", "res.0.text")
    run = toolconv("convert", *keys, "--template", "qwen3", stdin=lines(row))
    assert run.rows[0]["text"] == CHATML
    spelled = toolconv("convert", *keys, "--to", "mistral", stdin=lines(row)).rows[0]
    assert spelled == {**row, "res": [{"text": '[TOOL_CALLS]ping[ARGS]{"host": "a"}'}]}
    counts = json.loads(toolconv("stats", "--json", *keys, stdin=lines(row)).out)
    assert counts["layouts"] == {"completion": 1}


PING = {"type": "function", "function": {"name": "ping"}}


@pytest.mark.parametrize("outer", ["request", "log"])
def test_a_prompt_key_takes_the_leaf_and_what_stands_beside_it_is_kept_or_read(outer: str) -> None:
    row = {outer: {"messages": [ASKED], "tools": [PING], "seed": 7}, "out": "Yes."}
    keys = ("--text-key", "out", "--prompt-key", f"{outer}.messages")
    answer = {"role": "assistant", "content": "Yes."}
    found = {outer: {"seed": 7}, "messages": [ASKED, answer], "tools": [PING]}
    assert toolconv("parse", "--strict", *keys, stdin=lines(row)).rows == [found]
    assert toolconv("convert", "--to", "mistral", *keys, stdin=lines(row)).rows == [row]


@pytest.mark.parametrize(
    ("row", "prompt", "text", "rest"),
    [
        (
            {"meta": {"prompt": "Is it up?", "lang": "en", "answers": [{"text": "Yes.", "score": 1}, {"text": "No."}]}},
            "meta.prompt",
            "meta.answers.0.text",
            {"meta": {"lang": "en", "answers": [{"score": 1}, {"text": "No."}]}},
        ),
        (
            {"in": ["Is it up?", "en"], "outputs": ["No.", "Yes."]},
            "in.0",
            "outputs.1",
            {"in": ["en"], "outputs": ["No."]},
        ),
        ({"io": {"in": "Is it up?", "out": [{"text": "Yes."}]}}, "io.in", "io.out.0.text", {}),
        ({"a.b": "Is it up?", "a": {"b": 1, "c": "Yes."}}, "a.b", "a.c", {"a": {"b": 1}}),
    ],
)
def test_keys_with_dots_and_indexes_take_nothing_else(row: Any, prompt: str, text: str, rest: Any) -> None:
    keys = ("--prompt-key", prompt, "--text-key", text)
    found = toolconv("parse", *keys, stdin=lines(row)).rows[0]
    assert [message["content"] for message in found.pop("messages")] == ["Is it up?", "Yes."]
    assert found == rest
    assert toolconv("convert", "--to", "mistral", *keys, stdin=lines(row)).rows == [row]


def test_a_prompt_key_is_not_taken_for_the_output() -> None:
    row = {"text": "Is it up?", "output": CALL, "completion": "no"}
    run = toolconv("parse", "--prompt-key", "text", "--text-key", "output", stdin=lines(row))
    assert [message["role"] for message in run.rows[0]["messages"]] == ["user", "assistant"]
    alone = toolconv("parse", "--prompt-key", "output", stdin=lines({"output": "Is it up?", "text": "Yes."}))
    assert [message["content"] for message in alone.rows[0]["messages"]] == ["Is it up?", "Yes."]


def test_a_system_text_for_rows_without_one() -> None:
    own = {"system": "Be kind.", "prompt": "Hi?", "completion": "Hello."}
    other = {"messages": [ASKED, {"role": "assistant", "content": "Yes."}]}
    run = toolconv("parse", "--system", "Be brief.", stdin=lines(KINDS["alpaca"], own, other))
    assert [row["messages"][0] for row in run.rows] == [
        {"role": "system", "content": text} for text in ("Be brief.", "Be kind.", "Be brief.")
    ]
    kept = toolconv("convert", "--system", "Be brief.", "--to", "hermes", stdin=lines(KINDS["alpaca"], own)).rows
    assert kept == [{"system": "Be brief.", **KINDS["alpaca"]}, own]
    raw = toolconv("convert", "--system", "Be brief.", "--to", "hermes", stdin=CALL)
    assert raw.status == 2 and "--system needs rows" in raw.err


def test_a_row_without_a_prompt_has_no_text_in_a_template() -> None:
    run = toolconv("convert", "--template", "qwen3", stdin=lines({"text": CALL}, KINDS["alpaca"]))
    assert run.status == 1 and len(run.rows) == 1
    assert "<stdin>:1: rejected: no prompt, and a template needs a conversation; --prompt-key names" in run.err


def test_a_conversation_becomes_a_prompt_and_an_output() -> None:
    row = {"messages": [ASKED, {"role": "assistant", "content": CALL}, {"role": "user", "content": "Well?"}]}
    whole = {"messages": [*row["messages"], {"role": "assistant", "content": "Yes."}]}
    run = toolconv("convert", "--to", "hermes", "--to-layout", "completion", stdin=lines(whole, row))
    assert run.rows == [{"prompt": row["messages"], "completion": "Yes."}]
    assert "<stdin>:2: rejected: the conversation does not end with a turn of the assistant" in run.err
    raw = toolconv("convert", "--to", "hermes", "--to-layout", "raw", stdin=lines(whole))
    assert raw.out == "Yes.\n" and "turns_before_completion 3" in raw.err


def test_lint_sees_both_turns() -> None:
    run = toolconv("lint", "--select", "TC101", "--output-format", "concise", stdin=lines(
        {"tools": [{"name": "pong"}], "instruction": "Is it up?", "input": "", "output": CALL}
    ))  # fmt: skip
    assert "<stdin>:1:/output: TC101" in run.out


# ── reasoning ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "reasoning", "content"),
    [
        ("Need weather.</think>Sure.", "Need weather.", "Sure."),
        ("Need weather.\n</think>\n\nSure.", "Need weather.", "Sure."),
        ("想一想。 </think> 好。", "想一想。 ", " 好。"),
        ("Close it with the </think> tag.", None, "Close it with the </think> tag."),
        ("Close it with `</think>`.", None, "Close it with `</think>`."),
        ("<think>Hm.</think>Sure.", "Hm.", "Sure."),
    ],
)
@pytest.mark.parametrize("source", ["auto", "hermes"])
@pytest.mark.parametrize("call", ["", CALL])
def test_reasoning_that_the_prompt_opened(
    text: str, reasoning: str | None, content: str, source: str, call: str
) -> None:
    run = toolconv("parse", "--from", source, stdin=lines({"prompt": "Hi?", "response": text + call}))
    message = run.rows[0]["messages"][1]
    assert (message.get("reasoning_content"), message["content"]) == (reasoning, content)
    assert ("tool_calls" in message) == bool(call)
    assert ("unopened_reasoning 1" in run.err) == (reasoning is not None and not text.startswith("<think>"))


def test_outputs_in_reasoning_by_option() -> None:
    cut, whole = {"prompt": "Hi?", "response": "Still thinking"}, {"prompt": "Hi?", "response": "Hm.</think>Hi."}
    turns = {"messages": [{"role": "assistant", "content": "Hm.</think>A"}, {"role": "assistant", "content": "B"}]}
    run = toolconv("parse", "--in-reasoning", stdin=lines(cut, whole, turns))
    found = [[(each.get("reasoning_content"), each["content"]) for each in row["messages"]] for row in run.rows]
    assert found == [
        [(None, "Hi?"), ("Still thinking", "")],
        [(None, "Hi?"), ("Hm.", "Hi.")],
        [("Hm.", "A"), (None, "B")],
    ]
    assert "unopened_reasoning" not in run.err and "unclosed_reasoning 1" in run.err


# ── tables ──────────────────────────────────────────────────────────────────────────────────────

TABLE = [
    ["prompt", "response", "n"],
    ["Is it up?", CALL, "1"],
    ['Say "yes", or\r\nno', "no", ""],
    ["", "an answer to nothing", "3"],
    ["é \U0001f600", "ok", "4"],
]
READ = [
    {"messages": [ASKED, {**CALLED, "content": ""}], "n": "1"},
    {"messages": [{"role": "user", "content": TABLE[2][0]}, {"role": "assistant", "content": "no"}], "n": ""},
    {"prompt": "", "messages": [{"role": "assistant", "content": "an answer to nothing"}], "n": "3"},
    {"messages": [{"role": "user", "content": TABLE[4][0]}, {"role": "assistant", "content": "ok"}], "n": "4"},
]
READ[0]["messages"][1]["tool_calls"] = [
    {"id": "call_0", "type": "function", "function": {"name": "ping", "arguments": {"host": "a"}}}
]


def table(delimiter: str = ",", rows: list[list[str]] = TABLE, **options: Any) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, **options).writerows(rows)
    return text.getvalue()


@pytest.mark.parametrize("options", [(), ("--jobs", "2")])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", table()),
        ("a.tsv", table("\t")),
        ("a.csv", "\ufeff" + table(";")),
        ("a.csv", table(quoting=csv.QUOTE_ALL, lineterminator="\n").removesuffix("\n")),
        ("a.txt", table()),
        ("-", table()),
        ("-", table("\t")),
    ],
)
def test_a_table_is_read_as_rows(name: str, text: str, options: tuple[str, ...], tmp_path: Path) -> None:
    data = text.encode()
    if name != "-":
        (tmp_path / name).write_bytes(data)
    run = toolconv("parse", *options, name, stdin=data if name == "-" else b"", cwd=tmp_path)
    assert run.rows == READ, run.err


def test_an_error_in_a_row_names_its_line() -> None:
    run = toolconv("lint", "--select", "TC303", "--output-format", "concise", stdin=table())
    assert run.status == 0
    wrong = [TABLE[0], TABLE[2], ["q", "<tool_call>{", "5"]]
    run = toolconv("parse", stdin=table(rows=wrong))
    assert "<stdin>:4: call dropped" in run.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prompt,response\nq\n", "a.csv:2: 1 cell, but the header has 2"),
        ('prompt,response\n"a\nb",c\nq,r,s\n', "a.csv:4: 3 cells, but the header has 2"),
        ('prompt,response\nq,"never closed\n', "a.csv:2: not CSV (unexpected end of data)"),
        ('prompt,response\nq,"a"b\n', "a.csv:2: not CSV"),
        ("prompt,response,prompt\nq,r,s\n", "a.csv:1: two columns are named 'prompt'"),
        ("prompt,response\nq,\udcff\n", "a.csv:2: not UTF-8 (byte 2)"),
    ],
)
def test_a_broken_table_is_an_error(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(text.encode(errors="surrogateescape"))
    for command in ("parse", "lint", "stats"):
        run = toolconv(command, "a.csv", cwd=tmp_path)
        assert run.status == 2 and f"Error: {message}" in run.err


def test_a_table_of_other_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,reply\n1,Yes.\n2,No.\n")
    run = toolconv("parse", "a.csv", cwd=tmp_path)
    assert run.status == 1
    assert "an answer may be under 'reply': --text-key reply (layout completion; the row has the keys" in run.err
    read = toolconv("parse", "--text-key", "reply", stdin=(tmp_path / "a.csv").read_bytes())
    assert [row["messages"][0]["content"] for row in read.rows] == ["Yes.", "No."]
    unread = toolconv("parse", stdin=(tmp_path / "a.csv").read_bytes())
    assert unread.status == 2 and "a table with the columns 'id', 'reply'" in unread.err and "--text-key" in unread.err


def test_cells_of_json_and_long_cells() -> None:
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}]
    messages = [ASKED, {"role": "assistant", "content": "x" * 200_000}]
    run = toolconv(
        "parse", stdin=table(rows=[["tools", "messages"], [json.dumps(tools), json.dumps(messages)], ["", "[]"]])
    )
    assert run.rows[0] == {"tools": tools, "messages": messages}
    assert "tools" not in json.dumps(run.rows[1:])


cells = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


@given(st.lists(st.tuples(cells, cells).filter(any), max_size=6), st.sampled_from([",", "\t", ";", "|"]))
def test_what_csv_writes_is_read_back(rows: list[tuple[str, str]], delimiter: str) -> None:
    text = table(delimiter, [["a", "b"], *map(list, rows)], lineterminator="\n", quoting=csv.QUOTE_ALL)
    content = [Line(number, line) for number, line in enumerate(text.encode().split(b"\n"), 1)]
    found = [jsontext.loads(line.text) for line in tables.rows("t", content, delimiter, 1 << 20)]
    assert found == [{"a": one, "b": other} for one, other in rows]


@pytest.mark.exhaustive
@settings(max_examples=4)
@given(st.integers(1, 40))
def test_a_table_is_the_same_however_it_is_cut(size: int) -> None:
    code = f"""
import os, sys, time
data = sys.stdin.buffer.read()
for at in range(0, len(data), {size}):
    os.write(1, data[at : at + {size}])
"""
    head = table(rows=TABLE[:3]).encode()
    pieces = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert pieces.stdin is not None
    read = subprocess.Popen(
        [sys.executable, "-m", "toolconv", "parse", "-q"], stdin=pieces.stdout, stdout=subprocess.PIPE
    )
    pieces.stdin.write(head)
    pieces.stdin.close()
    out, _ = read.communicate(timeout=TIMEOUT)
    pieces.wait()
    assert [json.loads(line) for line in out.splitlines()] == READ[:2]


# ── plain outputs ───────────────────────────────────────────────────────────────────────────────


def test_one_output_a_line(tmp_path: Path) -> None:
    call = CALL.replace("\n", "")
    (tmp_path / "out.log").write_text(f'{call}\n\nHi.\r\n{{"a": 1}}\n{call}')
    run = toolconv("parse", "--lines", "out.log", cwd=tmp_path)
    assert [row["messages"][0]["content"] for row in run.rows] == ["", "Hi.", '{"a": 1}', ""]
    assert run.err.endswith("4 rows in, 4 out; 2 calls (hermes 2)\n")
    spelled = toolconv("convert", "--lines", "--to", "mistral", "out.log", cwd=tmp_path)
    assert spelled.rows[0] == {"text": '[TOOL_CALLS]ping[ARGS]{"host": "a"}'}
    assert toolconv("stats", "--lines", "--json", "out.log", cwd=tmp_path).out.count('"completion":4') == 1
    assert "in 4 rows" in toolconv("lint", "--lines", "out.log", cwd=tmp_path).err


@pytest.mark.parametrize("option", ["-0", "--null"])
def test_outputs_between_null_characters(option: str) -> None:
    run = toolconv("parse", option, stdin=f"{CALL}\nDone.\n\0Hi\nyou\0\0\n\0".encode() + b"\xff\0end")
    assert [row["messages"][0]["content"] for row in run.rows] == ["Done.", "Hi\nyou", "end"]
    assert "<stdin>:5: rejected: not UTF-8" in run.err


@pytest.mark.parametrize("other", ["--null", "--from-layout=raw", "--text-key=a", "--prompt-key=a"])
def test_plain_outputs_have_no_keys(other: str) -> None:
    run = toolconv("parse", "--lines", other, stdin="a")
    assert run.status == 2 and "can't be used with" in run.err


def test_tables_and_plain_outputs_have_no_shards(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(table())
    assert "one row per line" in toolconv("parse", "a.csv", "--shard", "1/2", cwd=tmp_path).err
    assert "one row per line" in toolconv("parse", "--lines", "a.csv", "--shard", "1/2", cwd=tmp_path).err


# ── what is neither rows nor an output ──────────────────────────────────────────────────────────

LOG = (
    "2026-01-01 10:00:00 INFO start\n2026-01-01 10:00:01 INFO "
    + CALL.replace("\n", "")
    + "\n2026-01-01 10:00:02 INFO end\n"
)
STRANGE = {
    "README.md": (f"# toolconv\n\nModels write\n\n{CALL}\n", "a Markdown document, not rows; --lines"),
    "run.log": ("a\nb\n", "a log, not rows; --lines reads each line as one output, --from-layout raw the whole"),
    "run.txt": (LOG, "a log, not rows; --lines"),
    "config.yaml": ("a: 1\n", "a YAML document"),
    "notes": ("One thing.\nAnother thing.\n", "2 lines of text without a call, not rows; --lines"),
    "cut.json": ('{\n  "messages": [\n', "not JSON: the file is cut off or malformed"),
    "mixed.txt": ("Loading\n" + lines({"messages": [ASKED]}), "line 2 is a row (layout chat)"),
    "data.bin": ("a\0b\0c", "binary data; --null"),
}


@pytest.mark.sweep
@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize("command", ["parse", "convert", "lint", "stats", "schema", "select"])
def test_a_file_that_is_neither_rows_nor_an_output_is_an_error(name: str, command: str, tmp_path: Path) -> None:
    text, message = STRANGE[name]
    (tmp_path / name).write_bytes(text.encode())
    run = toolconv(command, name, cwd=tmp_path)
    assert run.status == 2 and run.out == "" and f"Error: {name}: {message}" in run.err
    found = toolconv("detect", name, cwd=tmp_path)
    assert found.rows[0]["layout"] is None and message in found.err
    if command == "parse" and "\0" not in text:
        assert len(toolconv("parse", "--from-layout", "raw", name, cwd=tmp_path).rows) == 1


def test_a_document_may_be_compressed(tmp_path: Path) -> None:
    (tmp_path / "README.md.gz").write_bytes(gzip.compress(b"# toolconv\n\nModels write\n"))
    run = toolconv("parse", "README.md.gz", cwd=tmp_path)
    assert run.status == 2 and "README.md.gz: a Markdown document, not rows" in run.err


@pytest.mark.parametrize("source", [(), ("--from", "hermes")])
def test_a_json_document_is_no_output_of_any_dialect(source: tuple[str, ...]) -> None:
    run = toolconv("parse", *source, stdin='{\n "name": "package",\n "version": "1"\n}')
    assert run.status == 1 and "a JSON document that no layout knows" in run.err


@pytest.mark.parametrize(
    "text",
    [CALL, f"Sure, yes.\n\n{CALL}\n", "One line.", "Hm.\nHm.\n</think>\n\nHi.", '[TOOL_CALLS][{"name": "f", "argu'],
)
@pytest.mark.parametrize("name", ["-", "answer.txt"])
def test_one_output_is_read_from_a_file_and_from_stdin(text: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text(text)
    run = toolconv("parse", name, stdin=text if name == "-" else "", cwd=tmp_path)
    assert len(run.rows) == 1 and "layout raw" in run.err


def test_prose_on_stdin_is_one_output() -> None:
    text = "# Weather\n\nSunny, warm.\n\n- Oslo, 3\n- Rome, 9\n"
    assert toolconv("parse", stdin=text).rows[0]["messages"][0]["content"] == text.removesuffix("\n")


# ── folders ─────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of rows of several kinds, in folders."""
    for name in ("in/b/a.csv", "in/a/a.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(table())
    (tmp_path / "in" / "c.jsonl").write_text(lines(*KINDS.values()))
    (tmp_path / "in" / "README.md").write_text("# Not rows\n\nNo.\n")
    return tmp_path


@pytest.mark.parametrize(
    "command", ["parse", "convert", "render --to-layout openai", "lint", "stats", "schema", "detect", "select"]
)
def test_every_command_takes_folders(command: str, folder: Path) -> None:
    files = ["in/a/a.csv", "in/b/a.csv", "in/c.jsonl"]
    one, other = (toolconv(*command.split(), *names, cwd=folder) for names in (["in"], files))
    assert (one.out, one.err, one.status) == (other.out, other.err, other.status)
    assert one.status in ((2,) if command == "schema" else (0, 1))


def test_folders_are_compared_as_a_whole(folder: Path) -> None:
    assert toolconv("parse", "-q", "in", "-o", "out/", cwd=folder).status == 0
    run = toolconv("diff", "in", "out", cwd=folder)
    assert run.status == 0 and "14 rows compared, no difference" in run.err


def test_a_folder_of_outputs_has_the_places_of_the_inputs(folder: Path) -> None:
    assert toolconv("parse", "-q", "in", "-o", "out/", cwd=folder).status == 0
    made = sorted(path.relative_to(folder / "out").as_posix() for path in (folder / "out").rglob("*.*"))
    assert made == ["a/a.jsonl", "b/a.jsonl", "c.jsonl"]
    assert (folder / "out/a/a.jsonl").read_bytes() == toolconv("parse", "-q", "in/a/a.csv", cwd=folder).raw
    (folder / "in/a/a.jsonl").write_text("{}")
    run = toolconv("parse", "in", "-o", "other/", cwd=folder)
    assert run.status == 2 and "in/a/a.csv has the same name" in run.err


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", ["jsonl", pytest.param("jsonl.gz", marks=nightly)])
def test_a_folder_of_outputs_is_resumed(ending: str, tmp_path: Path) -> None:
    teacher = (FIXTURES / "teacher.jsonl").read_text().splitlines()
    filler = json.loads(teacher[0])
    (tmp_path / "in/x").mkdir(parents=True)
    for name in ("a", "b", "x/c"):
        noise = random.Random(name)
        texts = (noise.randbytes(2800).hex() + filler["text"] for _ in range(1400 if ending == "jsonl" else 2000))
        rows = "".join(json.dumps({**filler, "text": text}) + "\n" for text in texts)
        (tmp_path / f"in/{name}.jsonl").write_text(rows + "no row\n")
        if ending.endswith("gz"):
            subprocess.run(["gzip", str(tmp_path / f"in/{name}.jsonl")], check=True)
    command = ["parse", "-q", "--from", "hermes", "in", "--rejects", "bad", "--receipt", "receipt.json", "-o"]
    assert toolconv(*command, "whole/", cwd=tmp_path).status == 1
    whole = (tmp_path / "bad").read_bytes(), json.loads((tmp_path / "receipt.json").read_bytes())["function_calling"]
    run = subprocess.Popen([sys.executable, "-m", "toolconv", *command, "out/"], cwd=tmp_path)
    note = tmp_path / ".out.resume"
    while not (note.exists() and json.loads(note.read_bytes())["file"] > 0) and run.poll() is None:
        time.sleep(0.005)
    run.send_signal(signal.SIGKILL)
    run.wait()
    assert note.exists() and not list((tmp_path / "out").rglob(f"[a-z].{ending}"))
    assert toolconv(*command, "out/", "--resume", cwd=tmp_path).status == 1
    assert not note.exists()
    for path in (tmp_path / "whole").rglob("*.*"):
        again = tmp_path / "out" / path.relative_to(tmp_path / "whole")
        assert again.read_bytes() == path.read_bytes()
    assert not [name for _, _, names in os.walk(tmp_path / "out") for name in names if name.startswith(".")]
    now = (tmp_path / "bad").read_bytes(), json.loads((tmp_path / "receipt.json").read_bytes())["function_calling"]
    assert now == whole


@exhaustive
def test_more_outputs_than_files_may_be_open(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(120):
        (tmp_path / f"in/{number}.jsonl").write_text(lines({"text": "Hi."}))
    limited = f"ulimit -Sn 64; exec {sys.executable} -m toolconv parse -q in -o out/"
    subprocess.run(["bash", "-c", limited], cwd=tmp_path, check=True)
    assert len(list((tmp_path / "out").iterdir())) == 120
