"""Pipes in place of the files that options name, as in ``--declare <(…)``: they are read once, however often they are used."""

from __future__ import annotations

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conftest import FIXTURES, toolconv

DIALECT = """
grammar = "json_blocks"
name = "acme"
calls = '<acme>{"name": {name|json}, "arguments": {args}}</acme>'
"""
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {}}}}]
NAME = re.compile(r"\S*/(pipe|file)\b")
COMMANDS = [
    ("parse teacher.jsonl --from PIPE", DIALECT),
    ("convert teacher.jsonl --to acme --dialect-file PIPE --receipt receipt.json", DIALECT),
    ("parse teacher.jsonl --declare PIPE", json.dumps(TOOLS)),
    ("render conversations.jsonl --chat-template PIPE", "{{ messages | length }} {{ tools | length }}"),
    ("lint teacher.jsonl --isolated --declare PIPE", json.dumps(TOOLS)),
    ("lint teacher.jsonl --config PIPE", '[lint]\nselect = ["TC122"]\n'),
    ("lint teacher.jsonl --isolated --baseline PIPE", '{"version": 1, "known": {}}'),
    ("lint conversations.jsonl --isolated --select TC510 --eval PIPE", '{"prompt": "Weather and time in Paris?"}\n'),
]


@pytest.mark.sweep
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(("command", "content"), COMMANDS)
def test_a_pipe_is_read_as_a_file_is(command: str, content: str, jobs: int, tmp_path: Path) -> None:
    for name in ("teacher.jsonl", "conversations.jsonl"):
        (tmp_path / name).symlink_to(FIXTURES / name)
    (tmp_path / "file").write_text(content)
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as pool:
        pool.submit((tmp_path / "pipe").write_text, content)
        piped, expected = (
            toolconv(*command.replace("PIPE", f"./{name}").split(), "--jobs", jobs, cwd=tmp_path)
            for name in ("pipe", "file")
        )
    assert (piped.status, NAME.sub("NAME", piped.out)) == (expected.status, NAME.sub("NAME", expected.out))
    assert expected.status < 2 and expected.out, expected.err
