"""A command in a test's process does what it does in one of its own, and leaves the test's process as it was."""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import toolconv.cli as program
from tests.conftest import FIXTURES, toolconv
from toolconv import dialects

ACME = (
    'grammar = "json_blocks"\nname = "{}"\ncalls.call = \'<{}>{{"name": {{name|json}}, "arguments": {{args}}}}</{}>\'\n'
)
CUT = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": '<tool_call>{"name": "ping"'}]}
CUT_ROW = json.dumps(CUT) + "\n"
MANY_ROWS = "".join(json.dumps({"text": f"Row {number}"}) + "\n" for number in range(20_000))
TEACHER = FIXTURES / "teacher.jsonl"

COMMANDS: list[tuple[list[object], str]] = [
    (["convert", TEACHER, "--to", "kimi_k2"], ""),
    (["convert", "--strict"], CUT_ROW),
    (["convert", "-o", "out.jsonl", "--receipt", "receipt.json"], CUT_ROW),
    (["convert", "--split", "train=0.5,rest=0.5", "-o", "{split}.jsonl", TEACHER], ""),
    (["convert", "/dev/stdin", "-o", "/dev/stdout"], CUT_ROW),
    (["parse", "-q"], MANY_ROWS),  # more than a pipe holds
    (["parse", "--from", "nobody"], CUT_ROW),
    (["parse", "absent.jsonl"], ""),
    (["render", TEACHER, "--template", "qwen3"], ""),
    (["lint", TEACHER, "--select", "ALL"], ""),
    (["lint"], CUT_ROW),
    (["stats"], CUT_ROW),
    (["view"], CUT_ROW),
    (["schema", TEACHER], ""),
    (["covnert"], ""),
    (["lint", "--selct", "ALL"], ""),
    (["--version"], ""),
    (["help", "trailing_comma"], ""),
    ([], ""),
]


@pytest.mark.parametrize(
    "arguments, stdin", COMMANDS, ids=lambda value: " ".join(map(str, value[:2])) if isinstance(value, list) else ""
)
def test_both_processes_give_the_same(arguments: list[object], stdin: str, tmp_path: Path) -> None:
    results = []
    for own_process in (False, True):
        folder = tmp_path / str(own_process)
        folder.mkdir()
        run = toolconv(*arguments, stdin=stdin, cwd=folder, own_process=own_process, COLUMNS="60")
        results.append((run.status, run.raw, run.err, {path.name: path.read_bytes() for path in folder.iterdir()}))
    assert results[0] == results[1]


def state() -> dict[str, Any]:
    """What a command might change in its process."""
    return {
        "streams": [sys.stdin, sys.stdout, sys.stderr],
        "files": [(os.fstat(number).st_dev, os.fstat(number).st_ino) for number in range(3)],
        "open": len(os.listdir("/proc/self/fd")),  # noqa: PTH208
        "place": [sys.argv, Path.cwd(), dict(os.environ)],
        "signals": [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)],
        "garbage": gc.get_threshold(),
        "limit": resource.getrlimit(resource.RLIMIT_NOFILE),
        "warnings": [warnings.showwarning, list(warnings.filters)],
        "command": toolconv_command(),
        "dialects": dialects.registered(),
    }


def toolconv_command() -> str:
    from toolconv.core.command import COMMAND

    return COMMAND.get()


def fail(error: BaseException) -> Callable[..., Any]:
    def raising(*_: Any) -> int:
        raise error

    return raising


@pytest.mark.parametrize(
    "error, status",
    [(None, 1), (ValueError("odd"), 2), (BrokenPipeError(), 0), (SystemExit("odd"), 1), (GeneratorExit(), 1)],
)
def test_the_process_is_left_as_it_was(
    error: BaseException | None, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "acme.toml").write_text(ACME.format("acme_left", "left", "left"))
    if error is not None:
        monkeypatch.setattr(program, "_run", fail(error))
    toolconv("parse")  # loads what is loaded once
    before, frozen = state(), gc.get_freeze_count()
    arguments = ("parse", "--dialect-file", "acme.toml", "-o", "out.jsonl")
    assert toolconv(*arguments, stdin=CUT_ROW, cwd=tmp_path, ACME="1").status == status
    assert state() == before
    assert gc.get_freeze_count() <= frozen


def test_a_file_that_was_changed_is_read_again(tmp_path: Path) -> None:
    """Its name, its size and the command are the same, as in the folders of two tests."""
    for tag, other in (("aaaa", "bbbb"), ("bbbb", "aaaa")):
        (tmp_path / "acme.toml").write_text(ACME.format("acme", tag, tag))
        text = f'<{tag}>{{"name": "f", "arguments": {{}}}}</{tag}><{other}>'
        run = toolconv(
            "parse",
            "--dialect-file",
            "acme.toml",
            "--from",
            "acme",
            stdin=json.dumps({"text": text}) + "\n",
            cwd=tmp_path,
        )
        assert [call["function"]["name"] for call in run.rows[0]["messages"][0]["tool_calls"]] == ["f"]


def test_requests_that_were_changed_are_read_again(tmp_path: Path) -> None:
    answer = {
        "response": {
            "status_code": 200,
            "body": {"output": [{"type": "message", "role": "assistant", "content": "Yes."}]},
        }
    }
    for name, question in (("a", "Is it up?"), ("b", "Is it on?")):
        asked = {"custom_id": name, "method": "POST", "url": "/v1/responses", "body": {"model": "m", "input": question}}
        (tmp_path / "asked.jsonl").write_text(json.dumps(asked) + "\n")
        line = json.dumps({"custom_id": name, **answer}) + "\n"
        (row,) = toolconv("parse", "--requests", "asked.jsonl", stdin=line, cwd=tmp_path).rows
        assert row["messages"][0]["content"] == question


def test_a_warning_is_seen_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        program, "_run", lambda arguments: warnings.warn("a package is left out", RuntimeWarning, stacklevel=1) or 0
    )
    for _ in range(2):
        assert "RuntimeWarning: a package is left out" in toolconv("parse").err
