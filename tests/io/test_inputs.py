"""Inputs whose rows are not lines: JSON arrays and recorded streams; through the real command."""

from __future__ import annotations

import bz2
import gzip
import io
import itertools
import json
import lzma
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import any_text, each, exhaustive, toolconv
from toolconv import layouts
from toolconv.core import jsontext
from toolconv.core.errors import FileError
from toolconv.core.rows import Line
from toolconv.io import inputs, json_array
from toolconv.io.inputs import Input, whole
from toolconv.io.zstd import ZstdReader

ROWS: list[dict[str, Any]] = [
    {"id": 1, "messages": [{"role": "user", "content": 'brackets ]} and a quote " in it'}], "tools": []},
    {"id": 2**70, "messages": [{"role": "user", "content": "é \\ \n"}], "tools": [], "x": 1.0},
    {"id": None, "messages": [{"role": "user", "content": ""}], "tools": [], "y": {"a": [1, {"b": []}]}},
]


def lines(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(jsontext.dumps(row) + b"\n" for row in rows)


# ── blocks of bytes ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.whole
@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 100])
def test_the_place_of_a_block_holds_its_text(size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "BLOCK_BYTES", size)
    path = tmp_path / "a.jsonl"
    data = b"one\ntwo 22\n\nthree 33\n\n\nx\nlast"
    path.write_bytes(data)
    source = Input(str(path))
    found, line = [], 1
    for block in inputs.blocks(source, source.chunks(), own=True):
        assert block.place is None or block.place.read() == bytes(block.text)
        assert block.first_line == line
        line = block.last_line + 1
        found += bytes(block.text).split(b"\n")
    source.close()
    assert found == data.split(b"\n")


@pytest.mark.parametrize(("limit", "fits"), [(9, False), (10, True), (11, True)])
def test_one_text_may_have_as_many_bytes_as_a_line(limit: int, fits: bool, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"")
    source = Input(str(tmp_path / "a.txt"), max_line=limit)
    if fits:
        assert whole(source, b"123", [b"4567", b"890"]) == b"1234567890"
    else:
        with pytest.raises(FileError, match=r"a\.txt"):
            whole(source, b"123", [b"4567", b"890"])
    source.close()


# ── arrays ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("indent", [None, 0, 4])
@pytest.mark.parametrize("name", ["rows.json", "rows.jsonl", "rows.json.gz"])
def test_an_array_is_read_as_its_rows(indent: int | None, name: str, tmp_path: Path) -> None:
    text = json.dumps(ROWS, indent=indent).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    run = toolconv("parse", tmp_path / name)
    assert run.status == 0, run.err
    assert run.raw == lines(ROWS)


def test_an_array_on_stdin_with_a_byte_order_mark() -> None:
    run = toolconv("parse", stdin=b"\xef\xbb\xbf \n" + json.dumps(ROWS).encode())
    assert run.raw == lines(ROWS)


def test_arrays_behind_one_another_are_one() -> None:
    assert toolconv("parse", stdin=json.dumps(ROWS[:1]) + "\n" + json.dumps(ROWS[1:])).raw == lines(ROWS)


def test_an_array_is_not_read_at_once() -> None:
    """However long it is, rows come out before it ends."""

    def endless() -> Iterator[bytes]:
        yield b'[{"messages": [{"role": "user", "content": "a'
        yield from itertools.repeat(b'"}]}, {"messages": [{"role": "user", "content": "b')

    start, rows = json_array.rows("<test>", b"", endless(), lambda first: True)
    assert start == b"" and rows is not None
    some = [next(rows) for _ in range(5)]
    assert all(json.loads(line) for chunk in some for line in chunk.splitlines())


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet='ab"\\[]{},: \né'),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(json_values, max_size=5), st.integers(1, 9), st.booleans())
def test_items_are_told_apart_wherever_the_text_is_cut(values: list[Any], size: int, pretty: bool) -> None:
    text = json.dumps(values, indent=2 if pretty else None, ensure_ascii=False).encode()
    splitter = json_array.Splitter()
    items = [item for at in range(0, len(text), size) for item in splitter.add(text[at : at + size])]
    splitter.finish()
    assert [json.loads(item) for item in items if item] == values
    assert not any(b"\n" in item for item in items)


def test_a_bad_item_is_one_reject_and_the_rest_goes_on(tmp_path: Path) -> None:
    good = json.dumps(ROWS[0])
    rejects = tmp_path / "rejects"
    run = toolconv("parse", "--rejects", rejects, stdin=f'[{good},\n {{"messages": nope}},\n 7,\n {good}]')
    assert run.status == 1
    assert run.rows == [ROWS[0], ROWS[0]]
    assert "<stdin>:2: rejected: not JSON" in run.err and "<stdin>:3: rejected: not a JSON object" in run.err
    assert rejects.read_text() == '{"messages": nope}\n7\n'


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("", "the array is not closed: the file is cut off"),
        (', {"messages": [{"role"', "the array is not closed: the file is cut off"),
        ("] and more", "unexpected text after the array"),
        ("]]", "unexpected text after the array"),
    ],
)
def test_a_broken_array_is_an_error_and_leaves_no_file(end: str, words: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    run = toolconv("parse", "-o", out, stdin="[" + json.dumps(ROWS[0]) + end)
    assert run.status == 2
    assert words in run.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        '[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]',
        '[{"name":"f","arguments":{}}]\n',
        "[get_weather(city='Paris'), ping()]",
        "[1] is a footnote [2]",
    ],
)
def test_a_list_that_is_no_array_of_rows_is_raw_text(text: str) -> None:
    run = toolconv("detect", stdin=text)
    assert run.rows[0]["layout"] == "raw"
    kept = toolconv("parse", "--from", "canonical", stdin=text).rows
    assert len(kept) == 1 and kept[0]["messages"][0]["role"] == "assistant"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{\n "unlike": "any row",\n "b": 1\n}', "an object with the keys 'unlike', 'b'"),
        ('[{"unlike": "any row"}]', "a list of objects with the keys 'unlike'"),
        ('[\n "a",\n 1]', "a list whose first item is a text"),
    ],
)
def test_a_document_of_an_unknown_kind_is_a_reject(text: str, shown: str, tmp_path: Path) -> None:
    rejects = tmp_path / "rejects.jsonl"
    run = toolconv("parse", "--rejects", rejects, stdin=text)
    assert run.status == 1 and run.out == ""
    assert f"<stdin>:1: rejected: a JSON document that no layout knows: {shown};" in run.err
    assert json.loads(rejects.read_text()) == json.loads(text)
    assert toolconv("stats", stdin=text).status == toolconv("lint", stdin=text).status == 1
    assert toolconv("detect", stdin=text).rows[0]["layout"] is None
    assert toolconv("parse", "--from-layout", "raw", stdin=text).rows[0]["messages"][0]["content"] == text


SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


@pytest.mark.parametrize(
    "tools",
    [
        [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}, {"name": "g", "parameters": {}}],
        [{"type": "function", "name": "f", "description": None, "parameters": SCHEMA, "strict": True}],
        [{"name": "f", "input_schema": SCHEMA}],
        {"jsonrpc": "2.0", "id": 2, "result": {"tools": [{"name": "f", "inputSchema": SCHEMA}]}},
        [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT", "properties": {}}}]}],
        [{"name": "f", "inputs": {"a": {"type": "integer", "nullable": True}}, "output_type": "integer"}],
    ],
)
def test_a_file_of_tools_is_a_reject_and_no_call(tools: object) -> None:
    run = toolconv("parse", stdin=json.dumps(tools, indent=1))
    assert (run.status, run.out) == (1, "")
    assert "<stdin>:1: rejected: declarations of tools, not rows: --declare gives them to rows" in run.err


def test_a_known_layout_makes_any_array_of_objects_rows() -> None:
    run = toolconv("parse", "--from-layout", "completion", stdin='[{"a": 1}, {"text": "b"}]')
    assert [row["messages"][0]["content"] for row in run.rows] == ["b"]
    assert "<stdin>:1: rejected: no text" in run.err


@pytest.mark.exhaustive
def test_jobs_make_no_difference_to_an_array(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([{**ROWS[0], "id": number} for number in range(5000)], indent=1))
    one, two = (toolconv("parse", "--jobs", jobs, path).raw for jobs in (1, 2))
    assert one == two and one.count(b"\n") == 5000


def test_one_row_printed_over_several_lines() -> None:
    assert toolconv("parse", stdin=json.dumps(ROWS[0], indent=2)).raw == lines(ROWS[:1])


def test_the_line_that_a_program_prints_before_a_row_is_skipped_and_no_other() -> None:
    session = json.dumps(
        {
            "info": {"id": "s"},
            "messages": [{"info": {"role": "user"}, "parts": [{"type": "text", "text": "Hi."}]}],
        },
        indent=1,
    )
    for options in ((), ("--from-layout", "opencode")):
        run = toolconv("parse", *options, stdin=f"Exporting session: s\n{session}")
        assert [row["messages"] for row in run.rows] == [[{"role": "user", "content": "Hi."}]]
    lint = toolconv("lint", "--for", "sft", "--output-format", "concise", stdin=f"Exporting session: s\n{session}")
    assert "<stdin>:2:" in lint.out
    other = f"Here it is:\n{session}"
    assert toolconv("parse", stdin=other).rows[0]["messages"][0]["content"] == other
    rejected = toolconv("parse", "--from-layout", "completion", stdin='garbage\n{"text": "a"}')
    assert len(rejected.rows) == 1 and "<stdin>:1: rejected: not JSON" in rejected.err


# ── streams ─────────────────────────────────────────────────────────────────────────────────────


def chunk(stream: str, delta: dict[str, Any], **rest: Any) -> str:
    choice = {"index": 0, "delta": delta, **rest}
    return json.dumps({"id": stream, "object": "chat.completion.chunk", "model": "m", "choices": [choice]})


def call(index: int, arguments: str, **begins: str) -> dict[str, Any]:
    function = {"arguments": arguments, **({"name": begins["name"]} if "name" in begins else {})}
    return {"tool_calls": [{"index": index, **({"id": begins["id"]} if "id" in begins else {}), "function": function}]}


FIRST = [
    chunk("s1", {"role": "assistant", "content": ""}),
    chunk("s1", {"content": "Both"}),
    chunk("s1", call(0, "", id="a", name="tide")),
    chunk("s1", call(0, '{"port": "Br')),
    chunk("s1", call(1, "{}", id="b", name="wind")),
    chunk("s1", call(0, 'est"}')),
    chunk("s1", {}, finish_reason="tool_calls"),
]
SECOND = [chunk("s2", {"role": "assistant", "content": "No"}), chunk("s2", {"content": "."}, finish_reason="stop")]
CUT = [chunk("s3", {"role": "assistant", "content": "Wait"}), chunk("s3", call(0, '{"port"', id="c", name="tide"))]


def events(*chunks: str, done: bool = True) -> str:
    return "".join(f"data: {data}\n\n" for data in (*chunks, *(["[DONE]"] if done else [])))


def test_the_lines_of_a_stream_are_one_conversation() -> None:
    run = toolconv("parse", stdin=": keep-alive\n\n" + events(*FIRST) + events(*SECOND))
    assert run.status == 0, run.err
    assert [row["id"] for row in run.rows] == ["s1", "s2"]
    message = run.rows[0]["messages"][0]
    assert message["content"] == "Both" and message["finish_reason"] == "tool_calls"
    assert [call["function"] for call in message["tool_calls"]] == [
        {"name": "tide", "arguments": {"port": "Brest"}},
        {"name": "wind", "arguments": {}},
    ]


@pytest.mark.parametrize("prefix", ["data: ", "data:", ""])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_streams_without_done_are_told_apart_by_their_id(prefix: str, end: str) -> None:
    run = toolconv("parse", stdin="".join(prefix + data + end for data in (*FIRST, *SECOND)))
    assert run.status == 0, run.err
    assert [row["messages"][0]["content"] for row in run.rows] == ["Both", "No."]
    assert "stream_cut_off" not in run.err


def test_streams_without_ids_are_told_apart_by_their_ends() -> None:
    chunks = [data.replace('"id": "s1", ', "").replace('"id": "s2", ', "") for data in (*FIRST, *SECOND)]
    run = toolconv("parse", stdin="\n".join(chunks))
    assert [row["messages"][0]["content"] for row in run.rows] == ["Both", "No."]


def test_a_stream_that_was_cut_off_is_marked() -> None:
    run = toolconv("parse", stdin=events(*SECOND) + events(*CUT, done=False))
    assert run.status == 1
    assert "stream_cut_off 1" in run.err and "call dropped" in run.err
    message = run.rows[1]["messages"][0]
    assert message["finish_reason"] is None
    assert message["tool_calls"][0]["function"]["arguments"] == '{"port"'
    strict = toolconv("parse", "--strict", stdin=events(chunk("s", {"content": "Hi"}), done=False))
    assert strict.status == 1 and "needs repairs: stream_cut_off" in strict.err


def test_a_broken_line_rejects_its_stream_under_the_number_of_its_first_line(tmp_path: Path) -> None:
    rejects = tmp_path / "rejects.jsonl"
    text = events(*SECOND) + "data: {broken\n" + events(*CUT) + events(*FIRST)
    run = toolconv("parse", "--rejects", rejects, stdin=text)
    assert run.status == 1
    assert [row["id"] for row in run.rows] == ["s2", "s1"]
    assert "<stdin>:7: rejected: a line of the stream is no JSON: '{broken'" in run.err
    assert json.loads(rejects.read_text())["chunks"][0] == "{broken"


def test_a_stream_comes_out_as_soon_as_it_is_done() -> None:
    asked: list[int] = []

    def given() -> Iterator[Line]:
        for number, line in enumerate(events(*SECOND, *FIRST).encode().splitlines(), 1):
            asked.append(number)
            yield Line(number, line)

    found = next(layouts.get("stream").gather(given()))
    assert found.number == 1 and json.loads(found.text)["done"] is False
    assert asked[-1] == 5, "the line that begins the next stream"


def test_rows_of_chunks_are_read_too_and_any_dialect_is_parsed() -> None:
    text = '<tool_call>{"name": "ping", "arguments": {}}</tool_call>'
    chunks = [json.loads(chunk("s", {"content": part})) for part in (text[:9], text[9:30], text[30:])]
    run = toolconv("parse", stdin=json.dumps({"row": 7, "chunks": chunks, "done": True}))
    assert run.rows[0]["row"] == 7
    assert run.rows[0]["messages"][0]["tool_calls"][0]["function"] == {"name": "ping", "arguments": {}}


def test_text_that_only_looks_like_a_stream_is_raw() -> None:
    for text in ("data: none of it\n", ": a colon\n", "id: 1\n", 'data: {"x":1}\nand that was all\n'):
        assert toolconv("detect", stdin=text).rows[0]["layout"] == "raw", text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('data: {"token": "Hel"}\n\ndata: {"token": "lo"}\n', "the first one has the keys 'token'"),
        ("event: x\ndata: y\n", "the first one is 'y'"),
        (": hi\n\ndata: Hel\n\ndata: lo\n\ndata: [DONE]\n", "the first one is 'Hel'"),
    ],
)
def test_a_stream_that_nobody_knows_is_refused(text: str, words: str) -> None:
    run = toolconv("parse", stdin=text)
    assert run.status == 1 and run.rows == []
    assert f"rejected: server-sent events of no API that toolconv knows: {words}; --from-layout raw" in run.err
    assert toolconv("parse", "--from-layout", "raw", stdin=text).rows[0]["messages"][0]["content"] == text.strip()


def test_an_error_ends_its_stream_alone() -> None:
    error = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
    run = toolconv("parse", stdin=events(*CUT, done=False) + error + events(*SECOND))
    assert run.status == 1 and [row["id"] for row in run.rows] == ["s2"]
    assert "the stream broke off with an error:" in run.err and "Overloaded" in run.err


@exhaustive
def test_streams_with_jobs_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "recorded.txt"
    path.write_text("".join(events(*(data.replace("s1", f"s{n}") for data in FIRST)) for n in range(400)))
    one, two = (toolconv("parse", "--jobs", jobs, path).raw for jobs in (1, 2))
    assert one == two and one.count(b"\n") == 400


# ── files of another kind ──

ROW = b'{"messages": [{"role": "user", "content": "h\xc3\xa9llo"}]}\n'


def zipped(data: bytes) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as members:
        members.writestr(zipfile.ZipInfo("a.jsonl"), data)  # which has a fixed date
    return archive.getvalue()


@each(
    "data, what",
    [
        *(
            (
                (mark + ROW.decode()).encode(encoding),
                f"{name} text: convert it to UTF-8, for example with iconv -f {name} ",
            )
            for encoding in ("UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE")
            for mark, name in (("\ufeff", encoding[:6]), ("", encoding))
        ),
        (gzip.compress(ROW * 3, mtime=0), "gzip data: give the file the ending .gz"),
        (b"\x28\xb5\x2f\xfd\x04\x00\x09", "Zstandard data: give the file the ending .zst"),
        (bz2.compress(ROW), "bzip2 data: decompress it with bunzip2"),
        (lzma.compress(ROW), "XZ data: decompress it with unxz"),
        (zipped(ROW), "a ZIP archive: extract its files"),
        (b"PAR1\x15\x04", "a Parquet file: give it the ending .parquet"),
        (b"ARROW1\0\0\xff\xff\xff\xff", "an Arrow file: save it as Parquet or JSON lines"),
        ((ROW * 3).replace(b"\n", b"\r"), "its lines end with carriage returns alone"),
    ],
)
def test_files_of_another_kind(data: bytes, what: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "kind.jsonl"
    path.write_bytes(data)
    source = Input(str(path))
    with pytest.raises(FileError) as raised:
        list(source.chunks())
    source.close()
    assert str(raised.value).startswith(f"{path}: {what}")


@pytest.mark.parametrize(
    "command", ["lint", "stats", "schema", "detect", "select", "diff a.jsonl", "render --template qwen3"]
)
def test_every_command_refuses_files_of_another_kind(command: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(gzip.compress(ROW))
    run = toolconv(*command.split(), "a.jsonl", cwd=tmp_path)
    assert (run.status, run.err.count("\n")) == (2, 1) and "Error: a.jsonl: gzip data: " in run.err


def test_a_byte_order_mark_between_files_that_were_joined(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes((b"\xef\xbb\xbf" + ROW) * 3)
    run = toolconv("parse", "-q", "a.jsonl", cwd=tmp_path)
    assert run.status == 0 and len(run.rows) == 3


# ── compressed files ────────────────────────────────────────────────────────────────────────────


def compressed(ending: str, *parts: bytes) -> bytes:
    """A file of a frame for each part, with checksums."""
    if ending == "gz":
        return b"".join(map(gzip.compress, parts))
    zstandard = pytest.importorskip("zstandard")
    return b"".join(zstandard.ZstdCompressor(write_checksum=True).compress(part) for part in parts)


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_a_damaged_compressed_file_is_an_error_that_names_it(ending: str, tmp_path: Path) -> None:
    rows = lines(ROWS * 50)
    file = tmp_path / f"rows.jsonl.{ending}"
    file.write_bytes(compressed(ending, rows, b"", rows))
    assert len(toolconv("parse", file).rows) == 300
    whole = compressed(ending, rows)
    for place in (20, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:place])
        run = toolconv("parse", file)
        assert run.status == 2 and run.err.startswith(f"Error: {file}: ")
        assert "internal error" not in run.err
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        run = toolconv("parse", file)
        assert run.status == 2 and run.err.startswith(f"Error: {file}: ")
        assert "internal error" not in run.err


def test_little_compressed_data_that_becomes_much_is_read_in_pieces(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    file = tmp_path / "rows.jsonl.zst"
    with file.open("wb") as raw, zstandard.ZstdCompressor(19).stream_writer(raw) as writer:
        for _ in range(64):
            writer.write(b" " * (1 << 20))
    reader = ZstdReader(file.open("rb"))
    pieces = list(iter(lambda: len(reader.read(1 << 30)), 0))
    assert sum(pieces) == 64 << 20 and max(pieces) <= 4 << 20
