"""Parquet in and out, through the real command."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.conftest import each, exhaustive, shared, toolconv
from tests.io.test_inputs import ROWS, json_values, lines
from toolconv.core import jsontext
from toolconv.io import parquet
from toolconv.io.outputs import Output

pa = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
pq = pytest.importorskip("pyarrow.parquet")

AWKWARD: list[dict[str, Any]] = [
    {"id": 1, "n": 1.0, "messages": [{"role": "user", "content": "a"}], "maybe": None, "mixed": 1, "big": 2**63},
    {"id": 2, "n": 1e-7, "messages": [{"role": "user", "content": "b", "weight": 0}], "mixed": "1", "big": 1},
    {"id": 3, "n": 2.5, "messages": [{"role": "user", "content": "\ud800"}], "maybe": "x", "mixed": None, "big": None},
    {"id": 4, "n": -0.0, "messages": [], "mixed": [1, {"b": 1, "a": None}], "big": 3},
]
PLAIN: list[dict[str, Any]] = [
    {"messages": [{"role": "user", "content": "a"}], "label": True, "note": {"k": [1, 2]}},
    {"messages": [{"role": "user", "content": None, "weight": 1}], "label": False, "note": {"k": []}},
]


def to_parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    """Rows in a Parquet file as they are, past every layout."""
    from toolconv.io.outputs import Output

    output = Output(str(path))
    output.write(lines(rows))
    output.finish()


def from_parquet(path: Path) -> bytes:
    from toolconv.io.inputs import Input

    return b"".join(Input(str(path)).chunks())


@pytest.mark.parametrize("rows", [AWKWARD, PLAIN, [], [{"a": {}}, {}], [{"a": []}, {"a": [None]}]])
def test_rows_come_back_from_parquet_byte_by_byte(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    to_parquet(path, rows)
    assert from_parquet(path) == lines(rows)


objects = st.dictionaries(st.sampled_from("abc"), json_values | st.floats(allow_nan=False, allow_infinity=False))


@given(st.lists(objects.map(lambda row: dict(sorted(row.items()))), max_size=4))
def test_any_rows_come_back_from_parquet(tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]) -> None:
    path = tmp_path_factory.mktemp("parquet") / "rows.parquet"
    assume(any(rows) or not rows)
    to_parquet(path, rows)
    back = [dict(sorted(jsontext.loads(line).items())) for line in from_parquet(path).splitlines()]
    assert lines(back) == lines(rows)  # the keys of a row itself come in the order of the columns


@given(st.lists(objects, max_size=6), st.integers(0, 6))
def test_shapes_of_parts_add_up_to_columns_that_hold_all_rows(rows: list[dict[str, Any]], cut: int) -> None:
    assume(any(rows))
    whole = parquet.ColumnType()
    for part in (rows[:cut], rows[cut:]):
        shape = parquet.ColumnType()
        for row in part:
            shape.see_members(row)
        whole.add(shape)
    columns = parquet.Columns(whole, len(rows))
    tables = [columns.table([dict(row) for row in part]) for part in (rows[:cut], rows[cut:])]
    back = [jsontext.loads(line) for table in tables for line in parquet.ArrowRows(table.schema).of(table)]
    assert lines(dict(sorted(row.items())) for row in back) == lines(dict(sorted(row.items())) for row in rows)


def test_columns_are_structs_where_nothing_has_to_be_padded_below_the_messages(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    to_parquet(path, PLAIN)
    schema = pq.read_schema(path)
    message = schema.field("messages").type.value_type
    assert [field.name for field in message] == ["role", "content", "weight"]
    assert schema.field("label").type == pa.bool_() and pa.types.is_struct(schema.field("note").type)
    to_parquet(path, [{"tools": [{"parameters": {"a": 1}}, {"parameters": {"b": 1}}]}])
    assert pq.read_schema(path).field("tools").type == pa.string()


@pytest.mark.parametrize(
    "name",
    [
        "toolset-vaultManager",
        *(pytest.param(name, marks=exhaustive) for name in ("tau-bench-airline-gpt-4o", "glaive-toolcall-zh")),
    ],
)
def test_real_rows_through_parquet(name: str, tmp_path: Path) -> None:
    source, path = shared("real", "datasets", f"{name}.jsonl"), tmp_path / "rows.parquet"
    direct = toolconv("parse", source)
    assert toolconv("parse", source, "-o", path).status == direct.status
    back = toolconv("render", path, "--to-layout", "canonical")
    assert back.raw == direct.raw
    assert "null_padding" not in back.err


def test_structs_of_others_lose_their_padding_and_it_is_counted(tmp_path: Path) -> None:
    path, receipt = tmp_path / "rows.parquet", tmp_path / "receipt.json"
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}
    other = {"id": "d", "type": "function", "function": {"name": "g", "arguments": {"b": "x"}}}
    rows = [
        {"messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "", "tool_calls": [call, other]}],
         "tools": '[{"type": "function", "function": {"name": "f"}}]', "split": None},
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows), path)
    run = toolconv("parse", path, "--receipt", receipt)
    assert run.status == 0, run.err
    messages = run.rows[0]["messages"]
    assert messages[0] == {"role": "user", "content": "?"}
    assert [call["function"]["arguments"] for call in messages[1]["tool_calls"]] == [{"a": 1}, {"b": "x"}]
    assert run.rows[0]["tools"] == [{"type": "function", "function": {"name": "f"}}]
    assert run.rows[0]["split"] is None, "the null of a column stays"
    account = json.loads(receipt.read_text())["function_calling"]
    assert account["repairs"] == {"null_padding": 3} and account["n_tool_calls"] == 2


def test_types_that_json_does_not_have(tmp_path: Path) -> None:
    from decimal import Decimal

    path = tmp_path / "rows.parquet"
    columns = {
        "text": pa.array(["a"]).dictionary_encode(),
        "large": pa.array(["b"], pa.large_string()),
        "bytes": pa.array([b"\xff"]),
        "utf8": pa.array([b"c"]),
        "time": pa.array([datetime.datetime(2025, 1, 2, 3, 4, 5)]),
        "money": pa.array([Decimal("1.50")]),
        "nan": pa.array([float("nan")]),
        "map": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
        "list": pa.array([[datetime.date(2025, 1, 2), None]]),
    }
    pq.write_table(pa.table(columns), path)
    run = toolconv("select", path, "--receipt", tmp_path / "receipt.json")
    assert run.err.endswith("; losses: column_type 5, not_finite 1\n")
    assert json.loads((tmp_path / "receipt.json").read_text())["selection"]["losses"] == {
        "column_type": 5,
        "not_finite": 1,
    }
    assert json.loads(from_parquet(path)) == {
        "text": "a", "large": "b", "bytes": "/w==", "utf8": "c", "time": "2025-01-02T03:04:05", "money": "1.50",
        "nan": None, "map": {"k": 1}, "list": ["2025-01-02", None],
    }  # fmt: skip


def test_names_and_keys_that_are_there_twice_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    columns = {
        "map": pa.array([[("k", 1), ("k", 2)]], pa.map_(pa.string(), pa.int64())),
        "numbered": pa.array([[(1, "a")]], pa.map_(pa.int64(), pa.string())),
        "view": pa.array([["a", "b"]], pa.list_view(pa.string())),
    }
    arrays = [*columns.values(), pa.array(["b"]), pa.array(["c"]), pa.array([ROW["messages"]])]
    pq.write_table(pa.Table.from_arrays(arrays, [*columns, "text", "text", "messages"]), path)
    run = toolconv("parse", path, "--receipt", tmp_path / "receipt.json")
    assert "3 repairs (duplicate_key 2, null_padding 1); 1 loss (column_type 1)" in run.err
    assert run.rows == [{"map": {"k": 2}, "numbered": {"1": "a"}, "view": ["a", "b"], "text": "c", **ROW}]


ROW = {"messages": [{"role": "user", "content": "Hello there."}, {"role": "assistant", "content": "Hi.", "name": "a"}]}


def test_fix_keeps_the_columns_of_others(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    table = pa.Table.from_pylist([ROW, ROW])
    for name, values in {
        "small": pa.array([1, 1], pa.int32()),
        "kind": pa.array(["a", "a"]).dictionary_encode(),
        "large": pa.array(["x", "x"], pa.large_string()),
        "share": pa.array([0.1, 0.1], pa.float32()),
        "nested": pa.array([{"a": 1, "b": None}] * 2, pa.struct([("a", pa.int8()), ("b", pa.string())])),
    }.items():
        table = table.append_column(name, values)
    table = table.replace_schema_metadata({"huggingface": '{"info": {}}'})
    pq.write_table(table, path)
    table = pq.read_table(path)
    run = toolconv("lint", "--isolated", "--select", "TC508", "--fix", path)
    assert run.status == 0 and "Fixed 1." in run.err
    fixed = pq.read_table(path)
    assert fixed.schema.equals(table.schema, check_metadata=True)
    assert fixed.equals(table.slice(0, 1).combine_chunks())


@pytest.mark.parametrize(
    ("column", "why"),
    [
        (pa.array([datetime.datetime(2025, 1, 2)] * 2), "column_type"),
        (pa.array([b"\xff"] * 2), "column_type"),
        (pa.array([float("inf")] * 2), "not_finite"),
    ],
)
def test_fix_refuses_columns_that_it_would_change(column: Any, why: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.Table.from_pylist([ROW, ROW]).append_column("more", column), path)
    before = path.read_bytes()
    run = toolconv("lint", "--isolated", "--select", "TC508", "--fix", path)
    assert run.status == 2 and f"rows.parquet: its rows can't be written back as its columns ({why})" in run.err
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


@exhaustive
def test_fix_changes_values_in_the_columns_of_others(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    arguments = {"city": '{"twice": 1}'}
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": json.dumps(json.dumps(arguments))}}
    row = {"messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "", "tool_calls": [call]}]}
    pq.write_table(pa.Table.from_pylist([row]), path)
    run = toolconv("lint", "--isolated", "--select", "TC110", "--fix", path)
    assert run.status == 0, run.err
    written = json.loads(from_parquet(path))["messages"][1]["tool_calls"][0]["function"]["arguments"]
    assert written == json.dumps(arguments)


@pytest.mark.parametrize("change", [{"more": 1}, {"label": "yes"}, {"label": 1}, {"note": {"k": [1], "new": None}}])
def test_columns_that_are_kept_hold_rows_exactly_or_not_at_all(change: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.Table.from_pylist([{"label": True, "note": {"k": [1]}}]), path)
    with path.open("rb") as file:
        columns = parquet.KeptColumns(parquet.ParquetReader(file))
        assert columns.table([{"label": False, "note": {"k": []}}]).num_rows == 1
        with pytest.raises((OSError, pa.ArrowException)):
            columns.table([{"label": True, "note": {"k": [1]}} | change])


@exhaustive
def test_row_groups_are_read_one_after_another_in_order(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    table = pa.table({"text": [f"{number}" for number in range(2000)]})
    pq.write_table(table, path, row_group_size=300)
    for jobs in (1, 2):
        run = toolconv("parse", "--from", "canonical", "--jobs", jobs, path)
        assert [row["messages"][0]["content"] for row in run.rows] == table["text"].to_pylist()


def test_a_large_output_has_several_row_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolconv.io import parquet

    monkeypatch.setattr(parquet, "GROUP_BYTES", 1000)
    path = tmp_path / "rows.parquet"
    rows = [{"number": number, "text": "x" * 90} for number in range(100)]
    to_parquet(path, rows)
    assert pq.ParquetFile(path).num_row_groups > 5
    assert from_parquet(path) == lines(rows)


def test_no_parquet_file_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    path.write_bytes(b'{"messages": []}\n')
    run = toolconv("parse", path)
    assert run.status == 2 and "not a Parquet file" in run.err and "Traceback" not in run.err


def test_what_is_no_row_does_not_go_into_parquet(tmp_path: Path) -> None:
    run = toolconv("convert", "--from", "hermes", "--to", "kimi_k2", "-o", tmp_path / "out.parquet", stdin="Hello.")
    assert run.status == 2 and "this output is not a row" in run.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"text": "b"}, ""),
        ({"text": 1}, "text"),
        ({"text": "\ud83d"}, "text"),
        ({"text": "b", "more": [{"a": 1}, {"b": 1}]}, ""),
    ],
)
def test_columns_that_become_json_text_are_named(other: dict[str, Any], named: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    output = Output(str(path))
    output.write(lines([{"text": "a"}, other]))
    output.finish()
    said = f"{path}: written as JSON text, as no other type of column holds all values: {named}"
    assert output.notices == ([said] if named else [])


@pytest.mark.parametrize("args", [["parse", "rows.parquet"], ["parse", "rows.jsonl", "-o", "out.parquet"]])
def test_the_missing_extra_is_asked_for_by_name(args: list[str], tmp_path: Path) -> None:
    (tmp_path / "pyarrow.py").write_text("raise ImportError")
    (tmp_path / "rows.parquet").write_bytes(b"PAR1")
    (tmp_path / "rows.jsonl").write_bytes(lines(ROWS))
    run = toolconv(*args, cwd=tmp_path, PYTHONPATH=f"{tmp_path}:{Path.cwd()}")
    assert run.status == 2
    assert "a .parquet file needs an optional package: pip install 'toolconv[parquet]'" in run.err
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix != "") == [
        "pyarrow.py", "rows.jsonl", "rows.parquet",
    ]  # fmt: skip


@each(
    "values, padded, arrow_type",
    [
        ([1, None, 2], False, "int64"), (["a"], False, "string"), ([1.5], False, "double"), ([True], False, "bool"),
        ([None], False, "null"), ([1, "a"], False, None), ([True, 1], False, None), ([1, 1.5], False, None),
        ([[1], [2, 3]], False, "list<item: int64>"), ([[], []], False, "list<item: null>"), ([[1], ["a"]], False, None),
        ([{"a": 1}, None, {"a": 2}], False, "struct<a: int64>"), ([{"a": None}, {"a": 1}], False, "struct<a: int64>"),
        ([{"a": 1}, {"a": 1, "b": 2}], False, None), ([{"a": 1}, {"a": 1, "b": 2}], True, "struct<a: int64, b: int64>"),
        ([{"a": 1, "c": 2}, {"a": 1, "b": 3, "c": 2}], True, "struct<a: int64, b: int64, c: int64>"),
        ([{"b": 1}, {"a": 2, "b": 1}], True, "struct<a: int64, b: int64>"), ([{"a": None}, {}], True, None),
        ([{"a": 1, "b": 2}, {"b": 2, "a": 1}], True, None), ([{}, {}], False, None), ([{"a": 1}, {"a": "1"}], True, None),
    ],
)  # fmt: skip
def test_the_type_of_a_column(values: list[Any], padded: bool, arrow_type: str | None) -> None:
    for cut in range(len(values) + 1):
        shape = parquet.ColumnType()
        for part in (values[:cut], values[cut:]):
            later = parquet.ColumnType()
            for value in part:
                later.see(value)
            shape.add(later)
        found = shape.arrow_type(pa, padded=padded)
        assert (found and str(found)) == arrow_type, cut
