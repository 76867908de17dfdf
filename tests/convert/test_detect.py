"""Whether an input is lines of rows, one text or one document, by its beginning and its name."""

from __future__ import annotations

from tests.conftest import each
from toolconv.convert.detect import begins_array, content_of, is_array_of_rows, is_row

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
