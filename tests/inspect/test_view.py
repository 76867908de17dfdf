"""``toolconv view``: rows as conversations, with findings at the turns that they are about."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import ROOT, exhaustive, toolconv

GLAIVE = "fixtures/glaive.jsonl"
CALL = {"function": {"name": "ping", "arguments": '{"host": "a"}'}}
TOOL = {"type": "function", "function": {"name": "ping", "description": "Ping a host.", "parameters": {}}}
ROWS = [
    {"id": "x7", "messages": [{"role": "user", "content": "Up?"}, {"role": "assistant", "tool_calls": [CALL]}]},
    {"id": 8, "messages": [{"role": "user", "content": "Hi\x1b[2J"}, {"role": "assistant", "content": "Hello."}]},
]
LINES = "".join(json.dumps({**row, "tools": [TOOL]}) + "\n" for row in ROWS)


def test_turns_calls_and_findings() -> None:
    out = toolconv("view", GLAIVE, cwd=ROOT).out.split("\n\n")
    assert len(out) == 6
    assert out[1].split("\n") == [
        f"── {GLAIVE}:2 layout llamafactory; 1 tool: calculate_discount",
        "user",
        "  A jacket for 200, 15% off?",
        "assistant",
        '  → calculate_discont {"price": 200, "percent": 15}',
        "  ! TC101: 'calculate_discont' is not declared; did you mean 'calculate_discount'?",
        "tool calculate_discont",
        '  ← {"price": 170}',
        "assistant",
        "  170.",
    ]


def test_the_account_of_a_row() -> None:
    text = "<think>Look.</think>\n<tool_call>{'name': 'ping', 'arguments': {}}</tool_call><tool_call>{\"name\": \"pi"
    out = toolconv("view", "--no-lint", stdin=json.dumps({"prompt": "Up?", "completion": text})).out
    assert "  ~ Look.\n" in out and "  → ping {}\n" in out
    assert "! dropped: a string that is never closed\n" in out and "· repair: single_quotes\n" in out
    lost = {"messages": [{"role": "user", "content": "Up?"}, {"role": "narrator", "content": "Silence."}]}
    assert "· loss: unknown_role\n" in toolconv("view", "--no-lint", stdin=json.dumps(lost)).out
    head = toolconv("view", "--no-lint", stdin=LINES).out.splitlines()[0]
    assert head == "── <stdin>:1 id x7; layout openai; 1 tool: ping"
    unread = {"messages": [{"role": "user", "content": "Is it up today?"}], "verdict_text": "The host is up today."}
    assert "unread: /verdict_text holds an answer" in toolconv("view", "--no-lint", stdin=json.dumps(unread)).out


@pytest.mark.parametrize("options, lines", [
    (["--id", "x7"], [1]), (["--id", "8"], [2]), (["--where", "calls = ping"], [1]), (["--where", "line = 2"], [2]),
    (["--limit", "1"], [1]), (["--where", "calls = 0", "--id", "x7"], []),
])  # fmt: skip
def test_rows_are_found(options: list[str], lines: list[int]) -> None:
    run = toolconv("view", *options, stdin=LINES)
    assert [line.split()[1] for line in run.out.splitlines() if line.startswith("── ")] == [
        f"<stdin>:{at}" for at in lines
    ]
    assert run.status == (0 if lines else 1)
    assert run.err == ("" if lines else "none of the 2 rows is shown\n")


def test_control_characters_are_escaped_and_colours_are_ours() -> None:
    plain = toolconv("view", stdin=LINES)
    assert "Hi\\x1b[2J" in plain.out and "\x1b" not in plain.out
    coloured = toolconv("view", "--color", "always", stdin=LINES).out
    assert "\x1b[36m  → ping" in coloured and "\x1b[2J" not in coloured


def test_rejects_and_wrong_names(tmp_path: Path) -> None:
    run = toolconv("view", stdin=LINES + "oops\n")
    assert run.status == 1 and "<stdin>:3: rejected: not JSON" in run.err
    assert toolconv("view", "none.jsonl", cwd=tmp_path).status == 2
    assert toolconv("view", "--where", "calls >", stdin=LINES).status == 2
    missing = toolconv("view", "--where", "reward > 1", stdin=LINES)
    assert "none of the 2 rows has the key 'reward'" in missing.err and missing.status == 1


def test_the_page(tmp_path: Path) -> None:
    hostile = {"id": "<b>", "messages": [{"role": "user", "content": "<script>alert(1)</script>"}]}
    run = toolconv("view", "--html", "page.html", stdin=LINES + json.dumps(hostile), cwd=tmp_path)
    assert (run.status, run.out) == (0, "")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script" not in page and "default-src 'none'" in page
    tree = ElementTree.fromstring(page.partition("\n")[2])
    assert [len(list(section.iterfind("div"))) for section in tree.iterfind(".//section")] == [2, 2, 1]
    assert [pre.text for pre in tree.iterfind(".//pre[@class='text']")][-1] == "<script>alert(1)</script>"


def test_the_page_says_what_it_leaves_out(tmp_path: Path) -> None:
    run = toolconv("view", "--no-lint", "--html", "page.html", stdin=LINES * 251, cwd=tmp_path)
    assert run.err == "the page has the first 500 rows; --limit shows more, --where chooses others\n"
    assert (tmp_path / "page.html").read_text(encoding="utf-8").count("<section>") == 500


@exhaustive
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_gets_the_pager(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(LINES)
    leader, follower = pty.openpty()
    env = {**os.environ, "PAGER": "tee paged", "TERM": "xterm", "PYTHONPATH": str(ROOT)}
    env.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "toolconv", "view", "rows.jsonl"]
    done = subprocess.run(command, cwd=tmp_path, env=env, stdin=follower, stdout=follower, timeout=60, check=False)
    os.close(follower)
    os.close(leader)
    assert done.returncode == 0
    assert (tmp_path / "paged").read_text().count("── ") == 2
