"""What each kind of file is read as, without a command: its rows, their line numbers, its errors, both sides of limits."""

from __future__ import annotations

import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import each
from toolconv import Receipt, convert_rows
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.errors import FileError
from toolconv.core.rows import Line
from toolconv.io import inputs, json_array, opencode_storage, plain_outputs, printed_rows, sse, tables
from toolconv.io.folders import files_in
from toolconv.io.hashed import HashedStream, sha256_of
from toolconv.io.inputs import Block, ByteRange, FileSlice, Input, size_of
from toolconv.io.memory import MemoryRows


def numbered(text: bytes) -> Iterator[Line]:
    return (Line(number, line) for number, line in enumerate(text.split(b"\n"), 1))


def written(folder: Path, files: dict[str, Any]) -> Path:
    """A folder with files: bytes as they are, other values as JSON."""
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return folder


# ── objects printed over several lines ──


@each(
    "start, follows, alone",
    [
        (b'{\n "a": 1\n}\n{\n "a": 2\n}\n', True, True),
        (b'{\r\n "a": 1\r\n}\r\n\r\n{\r\n', True, True),
        (b' \n{ \n "a": 1\n} \t\n  {', True, True),
        (b'{\n "a": 1\n}\n', False, True),
        (b'{\n "a": 1\n}', False, True),
        (b'{\n "a": 1\n} x', False, False),
        (b'{\n "a": 1', False, False),
        (b'{"a": 1}\n{"a": 2}\n', False, False),  # rows, a line each
        (b'{"a":\n1\n}\n{\n}\n', False, False),  # the first line is the bracket alone
        (b"[\n{\n}\n{\n", False, False),
        (b"{\n {\n }\n {\n }", False, False),  # an object within is no border
        (b"", False, False),
    ],
)
def test_whether_objects_over_several_lines_follow_one_another(start: bytes, follows: bool, alone: bool) -> None:
    assert printed_rows.begins_printed(start, alone=False) is follows
    assert printed_rows.begins_printed(start, alone=True) is alone


@each(
    "text, rows",
    [
        (b'{\n "a": 1\n}\n{\n}', [(1, {"a": 1}), (4, {})]),
        (b'{\r\n "a": 1\r\n}\r\n\r\n{\r\n}', [(1, {"a": 1}), (4, {})]),
        (b'{\n "a": {\n }\n}\n\n', [(1, {"a": {}})]),
        (b"{\n}\n \n", [(1, {})]),
    ],
)
def test_each_object_is_a_row_with_the_number_of_its_first_line(text: bytes, rows: list[tuple[int, Any]]) -> None:
    found = list(printed_rows.printed_rows(numbered(text), "a", 99))
    assert [(line.number, json.loads(line.text)) for line in found] == rows
    assert not any(b"\n" in line.text or b"\r" in line.text or line.text[:1] == b" " for line in found)


def test_an_object_that_is_cut_off_is_a_row_too_and_may_have_so_many_bytes() -> None:
    assert list(printed_rows.printed_rows(numbered(b'{\n}\n{\n "a":'), "a", 99)) == [(1, b"{ }"), (3, b'{  "a":')]
    objects = b'{\n"a":1\n}\n' * 3
    assert len(list(printed_rows.printed_rows(numbered(objects), "x", 7))) == 3  # without the line ends
    with pytest.raises(FileError, match=r"^x:1: a row of more than 6 bytes: --max-line-bytes"):
        list(printed_rows.printed_rows(numbered(objects), "x", 6))
    with pytest.raises(FileError, match=r"^x:3: a row of more"):
        list(printed_rows.printed_rows(numbered(b'{\n}\n{\n"a":1\n}'), "x", 6))


# ── server-sent events ──


@each(
    "line, carried",
    [
        (b"data: {}", b"{}"),
        (b"data:{} \r", b"{}"),
        (b" data: [DONE]\n", sse.DONE),
        (b"event: message", b""),
        (b"id: 1", b""),
        (b"retry: 10", b""),
        (b": a comment", b""),
        (b'{"a": 1}', b'{"a": 1}'),
        (b"database", b"database"),
        (b"", b""),
    ],
)
def test_what_a_line_of_events_carries(line: bytes, carried: bytes) -> None:
    assert sse.payload(line) == carried


@each(
    "text, first",
    [
        (b"data: {}\n\ndata: [DONE]\n", b"{}"),
        (b"data: {}", b"{}"),
        (b"data: [1]", b"[1]"),
        (b"data: hello", None),  # may be anything
        (b"event: x\ndata: hello", b"hello"),
        (b"data: hello\ndata: you", b"hello"),
        (b": comment\n\nid: 7\ndata: {}", b"{}"),
        (b"event: x", None),
        (b"data: {}\nHello.", None),
        (b"Hello.\ndata: {}", None),
        (b"", None),
    ],
)
def test_a_text_is_events_if_all_its_lines_are(text: bytes, first: bytes | None) -> None:
    assert sse.first_payload(text) == first


# ── plain outputs ──


@each(
    "text, rows",
    [
        (b"a\r\nb\n\n \nc", [(1, "a"), (2, "b"), (5, "c")]),
        ("a\0é\0".encode(), [(1, "a\0é\0")]),
        (b"a\r\r", [(1, "a\r")]),
    ],
)
def test_each_line_is_an_output(text: bytes, rows: list[tuple[int, str]]) -> None:
    found = [(line.number, json.loads(line.text)) for line in plain_outputs.rows(numbered(text))]
    assert found == [(number, {"text": value}) for number, value in rows]


def test_outputs_between_null_characters_hold_line_ends() -> None:
    text = b"one\ntwo\n\0three\0\n\0 \0".translate(plain_outputs.SWAPPED)
    found = [(line.number, json.loads(line.text)["text"]) for line in plain_outputs.rows(numbered(text), null=True)]
    assert found == [(1, "one\ntwo"), (2, "three")]
    assert list(plain_outputs.rows([Line(3, b"a\xff")])) == [(3, b"a\xff")]
    assert list(plain_outputs.rows([Line(3, b"a\0\xff")], null=True)) == [(3, b"a \xff")], "one line, to be rejected"


# ── tables ──


@each(
    "name, header, delimiter",
    [
        ("a.csv", "a,b", ","),
        ("a.CSV", "a;b;c,d", ";"),
        ("a.csv", "a", ","),
        ("a.tsv", "a", "\t"),
        ("a.tab", "a b", "\t"),
        ("a.tsv.gz", "a|b", "|"),
        ("a.csv.zst", "a,b;c", ","),  # as often: the usual one
        ("a.csv", '"a;b;c",d', ","),  # within quotes nothing counts
        ("a.csv", '"a""b;;",d', ","),
        ("a.jsonl", "a,b", None),
        ("csv", "a,b", None),
    ],
)
def test_the_delimiter_of_a_table(name: str, header: str, delimiter: str | None) -> None:
    assert tables.delimiter_of(name, header) == delimiter


@each(
    "name, lines",
    [
        ("a.csv", "a.jsonl"),
        ("x/a.TSV.gz", "x/a.jsonl.gz"),
        ("a.tab.zst", "a.jsonl.zst"),
        ("a.json", "a.json"),
        ("a.json.gz", "a.json.gz"),
        ("a.csv.bak", "a.csv.bak"),
    ],
)
def test_the_name_of_lines_that_are_made_of_a_table(name: str, lines: str) -> None:
    assert tables.named_as_lines(name) == lines


@each(
    "text, columns",
    [
        ("a,b\n1,2\n", (",", ["a", "b"], ["1", "2"])),
        ("a,b\r\n1,2\r\n", (",", ["a", "b"], ["1", "2"])),
        ('a;b\n\n"x\ny";2\n', (";", ["a", "b"], ["x\ny", "2"])),
        ('a,b\n1,"cut', (",", ["a", "b"], ["", ""])),  # the first row may be cut off
        ('a,b\n1,2\n3,"cut', (",", ["a", "b"], ["1", "2"])),
        ("a,b\n1,2\n3\n", None),
        ("a\n1\n", None),  # one column
        ("a,b\n", None),
        ("a,b\n \n", None),
        ("Hello, you!\nHow, are you?\n", None),  # not the name of a column
        ("1,2\n3,4\n", None),
        ('"a","b"\n1,2\n', (",", ["a", "b"], ["1", "2"])),
        (f"a,{'b' * 40}\n1,2\n", (",", ["a", "b" * 40], ["1", "2"])),
        (f"a,{'b' * 41}\n1,2\n", None),
        ('a,b\n"1"x,2\n', None),
        ("a,b\n" + "1,2\n" * 19 + "3\n", (",", ["a", "b"], ["1", "2"])),  # the first twenty lines are examined
        ("a,b\n" + "1,2\n" * 18 + "3\n", None),
    ],
)
def test_whether_a_text_is_a_table(text: str, columns: tuple[str, list[str], list[str]] | None) -> None:
    assert tables.columns_of(text) == columns


@each(
    "text, rows",
    [
        (b"a,b\n1,2\n\n3,\n", [(2, {"a": "1", "b": "2"}), (4, {"a": "3", "b": ""})]),
        (b'\n a ,b\n"x\ny",2\n3,4', [(3, {"a": "x\ny", "b": "2"}), (5, {"a": "3", "b": "4"})]),
        (b"a,,tools,functions\n1,,,\n1,x,y,z\n", [(2, {"a": "1"}), (3, {"a": "1", "": "x", "tools": "y", "functions": "z"})]),
        (b"a,b\n,\n", []),
        (b",,a\n,,1\n", [(2, {"a": "1"})]),  # unnamed columns may be several
    ],
)  # fmt: skip
def test_the_rows_of_a_table(text: bytes, rows: list[tuple[int, Any]]) -> None:
    assert [(line.number, json.loads(line.text)) for line in tables.rows("x", numbered(text), ",", 99)] == rows


@each(
    "text, message",
    [
        (b"a,b\n1,2,3\n", "x:2: 3 cells, but the header has 2"),
        (b'a,b\n1,"2\n3"\n1\n', "x:4: 1 cell, but the header has 2"),
        (b"a, a\n1,2\n", "x:1: two columns are named 'a'"),
        (b"a,b\n1,\xff\n", "x:2: not UTF-8 (byte 2)"),
        (b'a,b\n1,2\n1,"2\n', "x:3: not CSV (unexpected end of data)"),
        (b"a,b\n1,1234567\n", "x:2: not CSV (field larger than field limit (6))"),
    ],
)
def test_what_is_no_table(text: bytes, message: str) -> None:
    with pytest.raises(FileError) as raised:
        list(tables.rows("x", numbered(text), ",", 6))
    assert str(raised.value) == message


# ── OpenCode's storage, folders ──


def test_a_session_of_a_storage_folder(tmp_path: Path) -> None:
    written(
        tmp_path,
        {
            "storage/session/p/s1.json": {"id": "s1", "title": "T"},
            "storage/session/p/s2.json": {"id": "s2"},
            "storage/message/s1/m2.json": {"id": "m2"},
            "storage/message/s1/m1.json": {"id": "m1"},
            "storage/part/m1/p2.json": {"id": "p2"},
            "storage/part/m1/p1.json": {"id": "p1"},
            "storage/part/old2.json": {"id": "old2", "messageID": "m2"},
            "storage/part/old1.json": {"id": "old1", "messageID": "m2"},
            "storage/part/old3.json": {"id": "old3", "messageID": "other"},
        },
    )
    sessions = opencode_storage.sessions_in(str(tmp_path / "storage"))
    assert [Path(name).name for name in sessions] == ["s1.json", "s2.json"]
    assert json.loads(opencode_storage.exported(sessions[0])) == {
        "info": {"id": "s1", "title": "T"},
        "messages": [
            {"info": {"id": "m1"}, "parts": [{"id": "p1"}, {"id": "p2"}]},
            {"info": {"id": "m2"}, "parts": [{"id": "old1", "messageID": "m2"}, {"id": "old2", "messageID": "m2"}]},
        ],
    }
    assert json.loads(opencode_storage.exported(sessions[1])) == {"info": {"id": "s2"}, "messages": []}
    assert opencode_storage.is_session(sessions[0])
    for other in ("message/s1/m1.json", "session/p/s1.txt", "session/s1.json", "x.json"):
        assert not opencode_storage.is_session(str(tmp_path / "storage" / other)), other
    written(tmp_path, {"else/session/p/s.json": {}})
    assert not opencode_storage.is_session(str(tmp_path / "else/session/p/s.json")), "there are no messages"
    assert not opencode_storage.is_session("s.json")


@each("text, words", [(b"{", ": not JSON ("), (b"[]", ": not a JSON object"), (None, ": No such file or directory")])
def test_a_file_of_a_session_that_cant_be_read(
    text: bytes | None, words: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("storage")
    if text is not None:
        written(folder, {"session/p/s.json": text})
    with pytest.raises(FileError) as raised:
        opencode_storage.exported(str(folder / "session/p/s.json"))
    assert str(raised.value).startswith(f"{folder / 'session/p/s.json'}{words}")


def test_which_files_of_a_folder_are_read(tmp_path: Path) -> None:
    kinds = ["jsonl", "ndjson", "json", "parquet", "csv", "tsv", "sse", "traj", "jsonl.gz", "json.zst", "csv.gz"]
    rows = {f"deep/er/{n:02}.{kind}": b"" for n, kind in enumerate(kinds)}
    others = ["a.txt", "b.jsonl.bz2", ".c.jsonl", ".hidden/d.jsonl", "deep/.git/e.json", "gz", "jsonl"]
    written(tmp_path, rows | dict.fromkeys(others, b"") | {"top.jsonl": b""})
    storage = {"o/session/p/s.json": {}, "o/message/s/m.json": {}, "o/part/x.json": {}}
    written(tmp_path, storage)
    found = files_in([str(tmp_path), "-", str(tmp_path / "a.txt")])
    assert [file.relative for file in found] == [*rows, "o/session/p/s.json", "top.jsonl", "-", "a.txt"]
    assert [file.name for file in found[:-2]] == [str(tmp_path / file.relative) for file in found[:-2]]
    assert found[-2].name == "-" and found[-1].name == str(tmp_path / "a.txt")
    (tmp_path / "none").mkdir()
    with pytest.raises(FileError, match=r"none: a folder without files of rows \(\.jsonl, \.ndjson, "):
        files_in([str(tmp_path / "none")])


# ── arrays ──


@each(
    "pieces, items, rest",
    [
        ([b'[{"a":1},{"b":\n2}]'], [b'{"a":1}', b'{"b": 2}'], b""),
        ([b'[{"a":"],', b'\\"}"},7', b"]"], [b'{"a":"],\\"}"}', b"7"], b""),
        ([b'["\\', b'"]", ', b"[1,[2]]]\r\n"], [b'"\\"]"', b"[1,[2]]"], b""),
        ([b"[1]\n[2, 3]"], [b"1", b"2", b"3"], b""),  # arrays behind one another
        ([b"[]"], [b""], b""),
        ([b"[1,", b"2"], [b"1"], b"2"),
    ],
)
def test_an_array_is_split_into_its_items(pieces: list[bytes], items: list[bytes], rest: bytes) -> None:
    splitter = json_array.Splitter()
    assert [item for piece in pieces for item in splitter.add(piece)] == items
    assert splitter.rest() == rest
    if rest:
        with pytest.raises(json_array.BrokenArray, match=r"^the array is not closed: the file is cut off$"):
            splitter.finish()
    else:
        splitter.finish()


@each("text", [b"x[1]", b"[1] x, y", b'[1] "a"', b"{", b"[1]]", b"[1], 2"])
def test_text_outside_an_array_is_an_error(text: bytes) -> None:
    splitter = json_array.Splitter()
    with pytest.raises(json_array.BrokenArray, match=r"^unexpected text after the array$"):
        list(splitter.add(text))
        splitter.finish()


def test_an_item_may_have_so_many_bytes() -> None:
    assert list(json_array.Splitter(9).add(b'[{"a": 12},"1234567"]')) == [b'{"a": 12}', b'"1234567"']
    for text in (b'[{"a": 123}]', b'["12345678"]', b"[1234567890,", b"[1234567890", b'["123456789'):
        with pytest.raises(json_array.BrokenArray, match=r"^an item of the array of more than 9 bytes"):
            list(json_array.Splitter(9).add(text))


def test_an_input_that_is_an_array_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_array, "BLOCK_BYTES", 8)
    start, more = b'[{"a": 1}, ', [b'{"b": 2}', b', {"c"', b": 3}]", b""]
    unread, chunks = json_array.rows("x", start, iter(more), lambda item: item == b'{"a": 1}')
    assert unread == b"" and chunks is not None
    assert b"".join(chunks) == b'{"a": 1}\n{"b": 2}\n{"c": 3}\n'
    assert json_array.rows("x", b"[", iter([b"1", b", 2]"]), lambda item: False) == (b"[1, 2]", None)
    with pytest.raises(FileError, match=r"^x: the array is not closed: the file is cut off$"):
        json_array.rows("x", b"[1", iter([]), lambda item: item == b"1")
    assert json_array.rows("x", b"[1", iter([]), lambda item: item != b"1") == (b"[1", None)
    _, cut = json_array.rows("x", b"[1, 2", iter([]), lambda item: True)
    assert cut is not None
    with pytest.raises(FileError, match=r"^x: the array is not closed"):
        list(cut)


# ── hashes, rows in memory ──


def test_a_stream_is_hashed_as_it_is_read_or_written(tmp_path: Path) -> None:
    def digest(data: bytes) -> str:
        return hashlib.sha256(data).hexdigest()

    stream = HashedStream(io.BytesIO(b"abcdef"))
    assert (stream.read(2), stream.read1(2), stream.hexdigest()) == (b"ab", b"cd", digest(b"abcd"))
    assert (stream.read(), stream.hexdigest(), stream.tell()) == (b"ef", digest(b"abcdef"), 6)
    assert HashedStream(io.BytesIO(b"abc")).read1() == b"abc"
    out = io.BytesIO()
    hashed = HashedStream(out)
    assert (hashed.write(b"xyz"), hashed.hexdigest(), out.getvalue()) == (3, digest(b"xyz"), b"xyz")
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    assert sha256_of(str(path)) == digest(b"abc")
    with pytest.raises(FileError, match=r"b: No such file or directory$"):
        sha256_of(str(tmp_path / "b"))


def test_rows_in_memory_are_lines() -> None:
    rows = MemoryRows([{"a": "é"}, Conversation({"b": 1})])
    assert [json.loads(line) for line in rows] == [{"a": "é"}, {"b": 1}]
    assert rows.changes == Counter()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [{"a": float("-inf")}], (float("nan"),)])
def test_rows_in_memory_with_numbers_that_json_lacks_are_no_json(value: object) -> None:
    (line,) = MemoryRows([{"none": None, "a": value}])
    with pytest.raises(ValueError, match="is no JSON value"):
        jsontext.loads(line)


def test_a_row_in_memory_that_is_too_deep_is_refused_as_in_a_file() -> None:
    deep: dict[str, Any] = {"messages": []}
    for _ in range(300):
        deep = {"a": deep}
    receipt = Receipt()
    assert len(list(convert_rows([{"text": "a"}, deep, {"text": "b"}], receipt=receipt))) == 2
    assert [place.reason for place in receipt.reject_places] == ["nested more than 254 deep"]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ({"a": 1}, "row 1: a row is a mapping, but this is of type str"),
        ([{"a": 1}, None], "row 2: a row is a mapping, but this is of type NoneType"),
        ([{"a": 1}, {"a": {1}}], "row 2: Type is not JSON serializable: set"),
        ([{1: "a"}], "row 1: Dict key must be str"),
    ],
)
def test_rows_in_memory_that_are_no_json_data_are_named(rows: object, reason: str) -> None:
    with pytest.raises(TypeError, match=f"^{reason}"):
        list(MemoryRows(rows))  # type: ignore[arg-type]


# ── blocks, slices, limits ──


def test_a_slice_is_read_or_the_file_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"abcdef")
    assert FileSlice("x", str(path), 1, 5).read() == b"bcdef"
    for start, size in ((1, 6), (6, 1)):
        with pytest.raises(FileError, match=r"^x: changed while it was being read; run again when it is complete$"):
            FileSlice("x", str(path), start, size).read()
    with pytest.raises(FileError, match=r"^x: No such file or directory$"):
        FileSlice("x", str(tmp_path / "b"), 0, 1).read()
    assert Block(1, 2, FileSlice("x", str(path), 0, 3), 3).lines == [b"abc"]
    assert Block(1, 3, b"a\n\nb", 4).lines == [b"a", b"", b"b"]
    assert Block(1, 0, b"", 0).lines == []
    place = FileSlice("x", str(path), 0, 3)
    assert Block(1, 1, b"abc", 3, place=place).sent() == Block(1, 1, place, 3)
    assert Block(1, 1, b"abc", 3).sent() == Block(1, 1, b"abc", 3)


def test_the_size_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    assert size_of(str(tmp_path / "a")) == 3
    with pytest.raises(FileError, match=r"b: No such file or directory$"):
        size_of(str(tmp_path / "b"))
    with pytest.raises(FileError, match=r"b: No such file or directory$"):
        Input(str(tmp_path / "b"))


def test_lines_of_a_file_are_numbered_and_have_their_places(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\n\none\n\n\ntwo")
    source = Input(str(tmp_path / "a"))
    chunks = [b"\n\none\n", b"\n\ntwo"]
    assert b"".join(source.chunks()) == b"".join(chunks)
    first, last = inputs.blocks(source, [b"".join(chunks)], own=True)
    assert (first.first_line, first.last_line, first.lines) == (1, 5, [b"", b"", b"one", b"", b""])
    assert (last.first_line, last.last_line, last.cut, last.lines) == (6, 6, True, [b"two"])
    assert first.place is not None and first.place.read() == first.text and first.sent().text == first.place
    assert next(inputs.blocks(source, chunks)).place is None, "what is made of a file is not in it"
    source.close()


LINES = b"one\ntwo\n\nfour\nfive"


@each("cut, block", [(cut, block) for cut in range(len(LINES) + 1) for block in (1, 3, 99)])
def test_ranges_of_a_file_hold_each_line_once(cut: int, block: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "ranges.jsonl"
    path.write_bytes(LINES)
    found = b""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inputs, "BLOCK_BYTES", block)
        for start, stop in ((0, cut), (cut, len(LINES))):
            source = Input(str(path), ByteRange(start, stop, "half"))
            text = b"".join(source.chunks())
            assert (start == 0) or not text or found[-1:] in (b"\n", b"")
            found += text
            assert source.label == f"{path}[half]"
            source.close()
    assert found == LINES


def test_a_line_that_is_too_long_is_given_in_pieces_and_the_next_one_follows(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    source = Input(str(tmp_path / "a"), max_line=4)
    found: list[Any] = []
    for block in inputs.blocks(source, iter([b"ab\n12", b"34", b"5", b"67\ncd", b"\nef"])):
        found.append(
            (block.first_line, block.lines, b"".join(block.long) if block.long is not None else None, block.cut)
        )
    assert found == [
        (1, [b"ab"], None, False),
        (2, [b""], b"1234567\n", False),
        (3, [b"cd"], None, False),
        (4, [b"ef"], None, True),
    ]
    found = [
        (block.first_line, block.lines, block.long)
        for block in inputs.blocks(source, iter([b"12345", b"\nab", b"cd\n"]))
    ]
    assert [(line, lines) for line, lines, _ in found] == [(1, [b""]), (2, [b"abcd"])], "its pieces need not be read"
    whole = list(inputs.blocks(source, iter([b"1234", b"\n"])))
    assert [(block.lines, block.long) for block in whole] == [([b"1234"], None)], "as long as the limit"


@each("start", [b'{"a": 1}\r\n{"a": 2}', b'{"a": "}\r{"}\n', b'\xef\xbb\xbf{"a": 1}', b"PARTY"])
def test_what_is_text(start: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "text.jsonl"
    path.write_bytes(start)
    source = Input(str(path))
    assert b"".join(source.chunks()) == start
    assert (source.position(), source.size, source.label) == (len(start), len(start), str(path))
    assert source.sha256() == hashlib.sha256(start).hexdigest()
    assert (source.changes, source.columns, source.is_file, source.is_waiting()) == (Counter(), None, True, False)
    source.check_unchanged()
    path.write_bytes(start + b" ")
    with pytest.raises(FileError, match="changed while it was being read"):
        source.check_unchanged()
    path.unlink()
    with pytest.raises(FileError, match="changed while it was being read"):
        source.check_unchanged()
    source.close()
