"""What a command writes to a terminal only: that it waits for input, and how far it is."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import FIXTURES, each, exhaustive
from toolconv.cli.progress import LABEL, Progress

ROW = b'{"messages": [{"role": "user", "content": "Hi."}]}\n'


def on_terminal(*arguments: str) -> tuple[str, str]:
    """A command whose standard input is a terminal, on which a row is typed; what it writes, and its messages."""
    master, terminal = pty.openpty()
    command = [sys.executable, "-m", "toolconv", *arguments]
    with subprocess.Popen(command, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        os.write(master, ROW)
        for _ in range(300):
            try:
                out, err = process.communicate(timeout=0.3)
                break
            except subprocess.TimeoutExpired:
                os.write(master, b"\x04")  # an end that is typed before anybody reads is lost
        else:
            process.kill()
            pytest.fail("the command doesn't end")
    os.close(master)
    os.close(terminal)
    return out.decode(), err.decode()


def test_a_command_says_that_it_waits_for_input() -> None:
    out, err = on_terminal("parse")
    assert out.encode() == ROW.replace(b": ", b":").replace(b", ", b",")
    assert err.startswith("Reading standard input: type or paste rows, then Ctrl-D")


@exhaustive
@each("arguments", [("parse", "-q"), ("lint", str(FIXTURES / "teacher.jsonl")), ("lint", "--show-settings")])
def test_nothing_is_said_where_nothing_is_waited_for(arguments: tuple[str, ...]) -> None:
    assert "Reading standard input" not in on_terminal(*arguments)[1]


class Terminal:
    """Standard error that is a terminal."""

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass


def test_the_bar_names_the_file_and_the_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [str(tmp_path / name) for name in ("first.jsonl", "second.jsonl")]
    for name in names:
        Path(name).write_bytes(b"x" * 1000)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress(names, hidden=False) as update:
        assert update is not None
        update.__self__._bar.delay = update.__self__._bar.mininterval = 0  # type: ignore[attr-defined]
        update(500, 2_000, 3)
        first, terminal.text = terminal.text, ""
        update(1500, 4_000)
    assert "first.jsonl" in first and "25%" in first and "2,000 rows" in first and "rows/s, 3 rejected" in first
    assert "second.jsonl" in terminal.text and "75%" in terminal.text
    assert all(len(part.partition(": ")[0]) <= LABEL + 2 for part in first.split("\r"))
