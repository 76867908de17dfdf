"""Where rows come from: lines, arrays, documents and texts; answers of batches; and where a stopped run goes on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import each
from toolconv import layouts
from toolconv.convert import checkpoint as checkpoints
from toolconv.convert.checkpoint import CheckpointWriter, pin_date
from toolconv.convert.detect import Detector
from toolconv.convert.line_reader import LineReader, describe_json_error
from toolconv.convert.options import Options, UsageError
from toolconv.convert.receipt import Receipt
from toolconv.convert.requests import NotJoined, Requests
from toolconv.convert.row_checks import Rejected
from toolconv.convert.source import UnknownDocument, format_of, format_of_lines, open_rows, without_preamble
from toolconv.core import jsontext
from toolconv.core.errors import FileError
from toolconv.io.inputs import Input
from toolconv.io.outputs import Output

ROW = {"messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]}
LINE = json.dumps(ROW).encode()
CALL = b'<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>'


# ── what an input holds ──


@each(
    "name, text, layout, lines",
    [
        ("a.jsonl", LINE + b"\n" + LINE, None, 2),
        ("a.jsonl", b"\xef\xbb\xbf" + LINE, None, 1),
        ("a.json", b"[" + LINE + b",\n" + LINE + b"]", None, 2),
        ("a.json", json.dumps(ROW, indent=1).encode(), None, 1),
        ("a.txt", CALL, None, "text"),
        ("a.txt", CALL + b"\r\n", None, "text"),
        ("a.txt", CALL, "raw", "text"),
        ("a.json", b"[" + LINE + b"]", "raw", "text"),
        ("a.json", b'{\n"a": 1,\n"b": [2]\n}', None, "unknown"),
        ("a.json", b"[1, 2]", None, "unknown"),
    ],
)
def test_what_an_input_holds(
    name: str, text: bytes, layout: str | None, lines: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("inputs") / name
    path.write_bytes(text)
    source = Input(str(path))
    found = open_rows(source, Detector(layout))
    if isinstance(found, UnknownDocument):
        assert lines == "unknown" and found.text == text and found.reason
    elif isinstance(found, bytes):
        assert lines == "text" and found == text.rstrip(b"\r\n")
    else:
        assert [json.loads(line) for block in found for line in block.lines if line] == [ROW] * lines
    source.close()


def test_the_format_of_an_input(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(LINE + b"\n")
    found = format_of(Input(str(path)))
    assert found is not None and found.layout == "chat"
    lines = format_of_lines(str(path), Detector(), 1000)
    assert lines is not None and lines.layout == found.layout
    path.write_bytes(b"")
    assert format_of_lines(str(path), Detector(), 1000) is None
    path.write_bytes(b"[" + LINE + b"]")
    with pytest.raises(UsageError, match=r"--shard needs files with one row per line$"):
        format_of_lines(str(path), Detector(), 1000)


def test_the_line_that_a_program_prints_before_a_row() -> None:
    preamble = next(layout for layout in map(layouts.get, layouts.names()) if layout.preamble)
    sample = preamble.sample.encode()
    assert without_preamble(preamble.preamble.encode() + b"x\n" + sample) == sample
    assert without_preamble(b"Other\n" + sample) is None
    assert without_preamble(preamble.preamble.encode() + b"x\n" + LINE) is None
    assert without_preamble(preamble.preamble.encode() + b"x\n[]") is None


# ── lines ──


def reading(line: bytes, **options: Any) -> Any:
    return LineReader(Options(**options), layouts.get("openai")).read(line)


@each(
    "line, options, reason",
    [
        (LINE, {"max_line": len(LINE)}, None),
        (LINE, {"max_line": len(LINE) - 1}, f"a line of more than {len(LINE) - 1:,} bytes: --max-line-bytes allows more"),
        (b"\xef\xbb\xbf" + LINE, {}, None),
        (b"\xef\xbb\xbf\xef\xbb\xbf" + LINE, {}, "not JSON (expecting value at byte 0)"),
        (b"[1]", {}, "not a JSON object (a row must be an object)"),
        (b"7", {}, "not a JSON object (a row must be an object)"),
        (b"{", {}, "not JSON ("),
        (b'{"a": \xff}', {}, "not UTF-8 (byte 6)"),
        (b'{"a": 1, ' + LINE[1:-1] + b', "a": 2}', {"strict": True}, "a key twice in one object: 'a'"),
        (b'{"a": 1, ' + LINE[1:-1] + b', "a": 2}', {}, None),
    ],
)  # fmt: skip
def test_a_line_that_is_a_row_or_not(line: bytes, options: dict[str, Any], reason: str | None) -> None:
    if reason is None:
        assert reading(line, **options).messages == ROW["messages"]
        return
    with pytest.raises(Rejected) as raised:
        reading(line, **options)
    assert str(raised.value).startswith(reason)


def test_a_key_that_comes_twice_is_a_repair() -> None:
    assert reading(b'{"a": 1, ' + LINE[1:-1] + b', "a": 2}').notes.repairs == ["duplicate_key"]
    assert reading(LINE).notes.repairs == []


def test_a_raw_text_is_utf_8() -> None:
    reader = LineReader(Options(), layouts.get("raw"))
    assert reader.read("é".encode()).messages[-1]["content"] == "é"
    with pytest.raises(Rejected, match=r"^not UTF-8 \(byte 1\)$"):
        reader.read(b"a\xff")


def test_why_json_cant_be_read_in_bytes() -> None:
    for text, reason in (('{"é": x}', "not JSON (expecting value at byte 7)"), ('{"a"', "not JSON (")):
        with pytest.raises(ValueError) as raised:
            jsontext.loads_row(text.encode())
        assert describe_json_error(raised.value).startswith(reason)
    assert describe_json_error(ValueError("odd")) == "not JSON (odd)"
    assert describe_json_error(jsontext.BeyondLimit("nested too deeply")) == "nested too deeply"


# ── answers of batches ──


def requests(folder: Path, *rows: Any) -> Requests:
    path = folder / "requests.jsonl"
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    return Requests(str(path))


ASKED = {"custom_id": "1", "method": "POST", "body": {"model": "m", "messages": []}}


@each(
    "asked, answer, row",
    [
        (
            ASKED,
            {"id": "x", "custom_id": "1", "response": {"status_code": 200, "body": {"choices": [1]}}, "error": None},
            {
                "id": "x", "custom_id": "1", "error": None,
                "request": {"method": "POST", "model": "m", "messages": []},
                "response": {"status_code": 200, "choices": [1]},
            },
        ),
        (
            {"custom_id": "1", "params": {"m": 1}},
            {"custom_id": "1", "result": {"type": "succeeded", "message": {"role": "assistant"}}},
            {"custom_id": "1", "request": {"m": 1}, "response": {"type": "succeeded", "role": "assistant"}},
        ),
        (
            {"key": "1", "request": {"contents": []}},
            {"key": "1", "response": {"candidates": [1]}},
            {"key": "1", "request": {"contents": []}, "response": {"candidates": [1]}},
        ),
        (
            {"custom_id": "1", "body": {"input": "Hi."}},
            {"custom_id": "1", "response": {"body": {"output": []}}},
            {"custom_id": "1", "responses_create_params": {"input": "Hi."}, "response": {"output": []}},
        ),
    ],
)  # fmt: skip
def test_an_answer_is_joined_to_its_request(
    asked: dict[str, Any], answer: dict[str, Any], row: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    known = requests(tmp_path_factory.mktemp("batch"), {"custom_id": "0", "body": {}}, "", asked)
    assert known.joined(answer) == row
    assert known.answered_since() == {"1"} and known.answered_since() == set()
    assert known.without_answer({"1"}) == ["0"]


@each(
    "answer, reason",
    [
        ({"response": {"body": {}}}, "no custom_id, by which --requests finds the question"),
        ({"custom_id": 1}, "no custom_id, by which --requests finds the question"),
        ({"custom_id": "2"}, "no request with the custom_id '2' in "),
        ({"custom_id": "1", "error": {"message": "too late"}, "response": {"body": {"a": 1}}}, "the request failed: too late"),
        ({"custom_id": "1", "error": "x"}, "the request failed: x"),
        ({"custom_id": "1", "response": {"body": {"error": {"message": "m"}}}}, "the request failed: m"),
        ({"custom_id": "1", "result": {"type": "expired"}}, "the request failed: expired"),
        ({"custom_id": "1", "response": None}, "the request failed: no answer"),
        ({"custom_id": "1", "response": "x"}, "the request failed: no answer"),
    ],
)  # fmt: skip
def test_an_answer_without_its_request(
    answer: dict[str, Any], reason: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    known = requests(tmp_path_factory.mktemp("batch"), ASKED)
    with pytest.raises(NotJoined) as raised:
        known.joined(answer)
    assert str(raised.value).startswith(reason)
    assert (known.without_answer(known.answered_since()) == []) is reason.startswith("the request failed")


@each(
    "rows, message",
    [
        ([ASKED, ASKED], ":2: the custom_id '1' a second time"),
        (["{"], ":1: no request of a batch: a custom_id, and what was asked under body, params or request"),
        ([{"custom_id": "1"}], ":1: no request of a batch"),
        (["", {"body": {}}], ":2: no request of a batch"),
        ([{"custom_id": 1, "body": {}}], ":1: no request of a batch"),
    ],
)
def test_a_file_that_is_none_of_requests(
    rows: list[Any], message: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with pytest.raises(FileError) as raised:
        requests(tmp_path_factory.mktemp("batch"), *rows)
    assert message in str(raised.value)


# ── checkpoints ──


def writer(folder: Path, **identity: str) -> CheckpointWriter:
    return CheckpointWriter(str(folder / "out"), [str(folder / "in")], {"--to": "x", **identity})


def test_a_run_goes_on_from_its_last_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "STRIDE", 10)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "5")
    (tmp_path / "in").write_bytes(b"x" * 100)
    first = writer(tmp_path)
    assert first.load() is None and first.hint == ""
    output = Output(str(tmp_path / "out"))
    first.outputs = [output]
    output.write(b"one\n")
    receipt = Receipt(rows_in=3)
    first.reached(0, 1, 9, receipt)
    assert first.rows is None, "none is due"
    first.reached(0, 3, 10, receipt)
    assert first.rows == 3 and first.hint == "; run the same command with --resume to continue after row 3"
    first.reached(0, 4, 19, Receipt(rows_in=4))
    assert first.rows == 3
    output.write(b"two\n")
    output.abandon(keep=True)

    again = writer(tmp_path)
    found = again.load()
    assert found is not None
    assert (found.file, found.lines, found.marks, found.receipt.rows_in, again.rows) == (0, 3, (4,), 3, 3)
    again.outputs = [Output(str(tmp_path / "out"), 4)]
    again.reached(0, 4, 19, Receipt(rows_in=4))
    assert again.rows == 3, "none is due before the next stride"
    again.reached(0, 5, 20, Receipt(rows_in=5))
    assert again.rows == 5
    again.forget()
    assert (again.rows, writer(tmp_path).load()) == (None, None)
    again.forget()
    again.outputs[0].abandon()


def test_another_run_is_not_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "STRIDE", 10)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "5")
    (tmp_path / "in").write_bytes(b"x")
    first = writer(tmp_path)
    first.reached(0, 1, 10, Receipt())
    place = next(tmp_path.glob(".*.resume"))
    for identity, differs in (({"--to": "y"}, "--to"), ({"--more": "z"}, "--more")):
        with pytest.raises(FileError) as raised:
            writer(tmp_path, **identity).load()
        assert str(raised.value) == (
            f"{place}: from another run, which differs in {differs}: run without --resume to start over"
        )
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "6")
    with pytest.raises(FileError, match="which differs in SOURCE_DATE_EPOCH: "):
        writer(tmp_path).load()
    (tmp_path / "in").write_bytes(b"xy")
    with pytest.raises(FileError, match="which differs in the inputs, SOURCE_DATE_EPOCH: "):
        writer(tmp_path).load()
    for text in ("{", "[]", "{}"):
        place.write_text(text)
        with pytest.raises(FileError, match="not a checkpoint "):
            writer(tmp_path).load()


def test_a_stream_has_no_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "STRIDE", 10)
    (tmp_path / "in").write_bytes(b"x")
    first = writer(tmp_path)
    first.outputs = [Output("/dev/null")]
    first.reached(0, 1, 10, Receipt())
    assert first.rows is None and list(tmp_path.glob(".*.resume")) == []


def test_the_date_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = str(tmp_path / "out")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "7")
    pin_date(target)
    assert os.environ["SOURCE_DATE_EPOCH"] == "7"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "")
    (tmp_path / ".out.resume").write_text('{"date": "5"}')
    pin_date(target)
    assert os.environ["SOURCE_DATE_EPOCH"] == "5"
    for text, name in (('{"date": ""}', target), ("{", target), ("", None)):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "x")
        (tmp_path / ".out.resume").write_text(text)
        pin_date(name)
        assert int(os.environ["SOURCE_DATE_EPOCH"]) > 1_700_000_000
