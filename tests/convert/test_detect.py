"""Whether an input is lines of rows, one text or one document, by its beginning and its name."""

from __future__ import annotations

import json
from typing import Any

from tests.conftest import each
from toolconv.convert.detect import ROWS, Detector, begins_array, content_of, is_array_of_rows, is_row
from toolconv.io.inputs import Block

ROW = b'{"messages": [{"role": "user", "content": "Hi"}]}'
CALL = b'{"name": "ping", "arguments": {}}'


@each(
    "start, name, layout, content",
    [
        (ROW + b"\n", "-", None, "lines"), (b"\n" + ROW, "-", None, "lines"), (b"[1]\n", "-", None, "text"),
        (ROW + b"\n", "-", "raw", "text"), (ROW, "a.jsonl", "raw", "text"),
        (b"Hi there.\n", "-", None, "text"), (b"Hi there.\n", "a.txt", None, "text"),
        (b"Hi there.\n", "a.jsonl", None, "lines"), (b"Hi there.\n", "a.ndjson", None, "lines"),
        (b"Hi there.\n", "a.jsonl.gz", None, "lines"), (b"Hi there.\n", "a.jsonl.zst", None, "lines"),
        (b"Hi there.\n", "a.parquet", None, "lines"), (b"Hi there.\n", "a.jsonl.txt", None, "text"),
        (b"Hi there.\n", "-", "rendered", "text"), (b"Hi there.\n", "-", "openai", "text"),
        (b"1\n", "-", "openai", "lines"), (b"1\n", "-", None, "text"),
        (b'{"query": "Is a up?", ' + CALL[1:] + b"\n", "-", None, "lines"),
        (b'{"host": "a", ' + CALL[1:] + b"\n", "-", None, "lines"),
        (CALL, "-", None, "text"), (CALL + b"\n" + ROW, "-", None, "text"), (b"[" + CALL + b"]", "-", None, "text"),
        (b'{\n  "messages": []\n}\n', "-", None, "text"), (b'{\n\t"a": 1\n}\n' + ROW, "-", None, "lines"),
        (b" \n", "-", None, "lines"), (b"", "-", None, "lines"),
        (b'{"text": "' + 90 * b"a", "-", None, "text"), (b'{"text": "' + 91 * b"a", "-", None, "lines"),
        (b' \n{"text": "' + 91 * b"a" + b"\n", "-", None, "lines"), (101 * b"a", "-", None, "text"),
    ],
)  # fmt: skip
def test_lines_or_a_text(start: bytes, name: str, layout: str | None, content: str) -> None:
    assert content_of(start, name, layout, 100) == content


@each("start, array", [(b"[", True), (b" \n[1", True), (b"\xef\xbb\xbf[", True), (b"{", False), (b"", False)])
def test_the_beginning_of_an_array(start: bytes, array: bool) -> None:
    assert begins_array(start) == array


MESSAGES = {"messages": [{"role": "user", "content": "Hi"}]}
PING = {"name": "ping", "arguments": {}}


@each(
    "value, rows",
    [
        ([MESSAGES], True),
        ([PING, MESSAGES], True),
        ([PING], False),
        ([], False),
        ([MESSAGES, 1], False),
        (MESSAGES, False),
    ],
)
def test_an_array_of_rows(value: object, rows: bool) -> None:
    assert is_array_of_rows(value) == rows


@each(
    "text, known, row",
    [(ROW, None, True), (CALL, None, False), (CALL, "openai", True), (b"[]", None, False), (b"{", None, False),
     (b'{"a": 1}', None, False), (b'{"a": 1}', "openai", True)],
)  # fmt: skip
def test_a_row(text: bytes, known: str | None, row: bool) -> None:
    assert is_row(text, known=known) == row


PROSE = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
FUNCTION = {"id": "c", "type": "function", "function": {"name": "ping", "arguments": "{}"}}
CALLED = {"messages": [PROSE["messages"][0], {"role": "assistant", "content": None, "tool_calls": [FUNCTION]}]}
HERMES = {
    "messages": [PROSE["messages"][0], {"role": "assistant", "content": f"<tool_call>{CALL.decode()}</tool_call>"}]
}


@each(
    "rows, dialect, held, detected",
    [
        ([PROSE, HERMES, PROSE], "auto", 2, "hermes"), ([CALLED, HERMES], "auto", 1, None),
        ([PROSE, HERMES], "hermes", 1, "hermes"), ([PROSE, HERMES], None, 1, None), ([PROSE] * 3, "auto", 3, None),
        ([PROSE] * (ROWS + 2), "auto", ROWS, None), ([None, [], HERMES, PROSE], "auto", 3, "hermes"),
    ],
)  # fmt: skip
def test_the_format_of_a_pipe_waits_for_a_call(
    rows: list[Any], dialect: str | None, held: int, detected: str | None
) -> None:
    read = 0

    def blocks() -> Any:
        nonlocal read
        for read, row in enumerate(rows, 1):
            yield Block(read, read, json.dumps(row).encode() + b"\n", 0)

    found = [(read, found) for found, _ in Detector(dialect=dialect).of_blocks(blocks(), wait=True)]
    assert [at for at, _ in found] == [held] * held + [*range(held + 1, len(rows) + 1)]
    assert {each.dialect for _, each in found if each is not None} == {detected}
