"""Ray datasets on a cluster of this machine: the results are those of one process."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import FIXTURES, rows
from tests.helpers.lint_rows import row
from tests.lint.test_distributed import POOL
from toolconv.convert.options import Options, UsageError
from toolconv.convert.receipt import Place, Receipt
from toolconv.convert.run import ConvertRun, Failed, Target
from toolconv.core.errors import MissingExtra
from toolconv.dataset import convert_rows, lint_rows
from toolconv.io import parquet
from toolconv.lint.engine.linter import ConfigError, UnknownRule
from toolconv.ray import convert, lint
from toolconv.templates.output import TextOptions

pa = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
pq = pytest.importorskip("pyarrow.parquet")


def traces() -> list[dict[str, Any]]:
    """Rows with calls as structure, with calls in texts, with one that can't be read, and one that is no row."""
    said = [each["text"] for each in rows(FIXTURES / "teacher.jsonl")]
    said.append('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo')
    told = [[{"role": "user", "content": "Well?"}, {"role": "assistant", "content": text}] for text in said]
    tools = row()["tools"]
    return [
        *rows(FIXTURES / "conversations.jsonl"),
        *({"id": f"told-{number}", "tools": tools, "messages": each} for number, each in enumerate(told)),
        {"id": "empty", "tools": None, "messages": []},
    ]


TRACES = traces() * 3


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    for work in (convert, lint):
        with pytest.raises(MissingExtra, match=r"pip install 'toolconv\[ray\]'"):
            work(None)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """A small cluster."""
    ray = pytest.importorskip("ray", reason="the extra ray is not installed")
    pytest.importorskip("ray.data")
    ray.init(
        num_cpus=2, object_store_memory=80 << 20, include_dashboard=False, logging_level="ERROR", log_to_driver=False
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


def table_of(data: list[dict[str, Any]], structs: tuple[str, ...] = ("messages",)) -> Any:
    """Rows as uploads have them: messages as structs, and what differs more as JSON text."""
    columns: dict[str, list[Any]] = {key: [each.get(key) for each in data] for each in data for key in each}
    for key, values in columns.items():
        if key not in structs:
            columns[key] = [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
    return pa.table(columns)


def blocks(ray: Any, table: Any, size: int) -> Any:
    """A dataset of blocks of some rows each."""
    return ray.data.from_arrow([table.slice(start, size) for start in range(0, table.num_rows, size)])


def lines(dataset: Any) -> list[bytes]:
    """The rows of a dataset, as toolconv reads them."""
    found = []
    for table in dataset.iter_batches(batch_size=None, batch_format="pyarrow"):
        found += parquet.ArrowRows(table.schema).of(table)
    return found


def in_one_process(table: Any, options: Options, folder: Path) -> tuple[list[bytes], list[bytes], Receipt, Any]:
    """What comes of the same rows in a file: rows, rejects, the account and the columns."""
    source, target, rejects = (folder / name for name in ("in.parquet", "out.parquet", "rejects.jsonl"))
    pq.write_table(table, source)
    targets = [Target([str(source)], str(target))]
    receipt, _ = ConvertRun(targets=targets, options=replace(options, account=True), rejects=str(rejects)).run()
    written = pq.read_table(target)
    return (
        list(parquet.ArrowRows(written.schema).of(written)),
        rejects.read_bytes().splitlines(),
        receipt,
        written.schema,
    )


def renamed(receipt: Receipt) -> Receipt:
    """A receipt with the places that rows without a file have."""
    for places in (receipt.reject_places, receipt.dropped_places):
        places[:] = [Place("<rows>", place.line, place.reason) for place in places]
    return replace(receipt, full=True)


@pytest.mark.parametrize(
    "options",
    [
        Options(target="qwen3_xml"),
        Options(source="hermes", to_layout="sharegpt", on_error="reject"),
        Options(text=TextOptions(template="qwen3")),
    ],
    ids=["dialect", "layout", "template"],
)
def test_the_rows_of_one_process(options: Options, ray: Any, tmp_path: Path) -> None:
    table = table_of(TRACES)
    dataset = blocks(ray, table, 4)
    done = convert(dataset, options)
    out, rejects, receipt, schema = in_one_process(table, options, tmp_path)
    assert lines(done.rows) == out
    assert done.rows.schema().base_schema == schema
    assert [each["row"].encode() for each in done.rejects.iter_rows()] == rejects
    assert done.receipt == renamed(receipt)
    assert receipt.rejects > 1 and receipt.repairs["null_padding"] > 1 and receipt.tools
    assert (receipt.dropped_calls > 1) == (options.on_error == "keep")
    assert not dataset.context.execution_options.preserve_order, "the dataset is as it was"


def test_columns_that_no_struct_holds_and_rows_from_python(ray: Any) -> None:
    data = [{**row(number=number), "note": note} for number, note in enumerate([1, "x", [2, {"a": None}], None])]
    done = convert(ray.data.from_items(data, override_num_blocks=2), Options(to_layout="openai"))
    assert [json.loads(line)["note"] for line in lines(done.rows)] == [each["note"] for each in data]
    assert done.rows.schema().base_schema.field("note").type == pa.string()
    assert done.receipt.tool_calls == {"get_weather": 4} and done.rejects.count() == 0


def test_rows_that_are_json_text(ray: Any) -> None:
    data = [row(number=number) for number in range(6)]
    table = pa.table({"messages": [json.dumps(each["messages"]) for each in data]})
    options = Options(to_layout="openai")
    texts = [{"messages": text} for text in table["messages"].to_pylist()]
    done = convert(blocks(ray, table, 2), options)
    assert [json.loads(line) for line in lines(done.rows)] == list(convert_rows(texts, options))


def test_rows_that_were_numpy_arrays_in_between(ray: Any) -> None:
    dataset = blocks(ray, table_of(TRACES), 4)
    direct = convert(dataset, Options(source="hermes"))
    done = convert(dataset.map_batches(lambda batch: batch), Options(source="hermes"))
    assert done.receipt.tool_calls == direct.receipt.tool_calls
    ids = [json.loads(line)["id"] for line in lines(done.rows)]
    assert ids == [json.loads(line)["id"] for line in lines(direct.rows)]


def test_what_was_converted_is_read_as_it_was_written(ray: Any) -> None:
    dataset = blocks(ray, table_of(TRACES), 4)
    direct = convert(dataset, Options(target="qwen3_xml"))
    again = convert(convert(dataset).rows, Options(target="qwen3_xml"))
    assert lines(again.rows) == lines(direct.rows)
    assert "null_padding" not in again.receipt.repairs


def test_no_rows(ray: Any) -> None:
    dataset = blocks(ray, table_of(TRACES), 4).filter(lambda each: False)
    done = convert(dataset)
    assert (done.rows.count(), done.rejects.count(), done.receipt.rows_in) == (0, 0, 0)
    assert lint(dataset) == []


def test_failing_says_where(ray: Any) -> None:
    first = TRACES.index({"id": "empty", "tools": None, "messages": []}) + 1
    with pytest.raises(Failed, match=f"<rows>:{first}: "):
        convert(blocks(ray, table_of(TRACES), 2), Options(source=None, on_error="fail"))


def test_what_is_asked_for_wrongly_is_said_at_once(ray: Any) -> None:
    dataset = blocks(ray, table_of(TRACES), 4)
    with pytest.raises(UsageError, match="raw"):
        convert(dataset, Options(to_layout="raw"))
    with pytest.raises(UsageError, match="leave out --to"):
        convert(dataset, Options(to_layout="openai", target="mistral"))
    with pytest.raises(UnknownRule):
        lint(dataset, select=["nope"])
    with pytest.raises(ConfigError):
        lint(dataset, options={"TC501": {"nope": 1}})


@pytest.mark.parametrize(
    "chosen", [{}, {"select": ["ALL"], "ignore": ["TC1"]}, {"select": ["TC4"], "dialect": None, "layout": "openai"}]
)
def test_the_findings_of_one_process(chosen: dict[str, Any], ray: Any) -> None:
    table = table_of([*TRACES, *POOL * 3], structs=())
    dataset = blocks(ray, table, 5)
    found = lint(dataset, **chosen)
    assert found == list(lint_rows(map(json.loads, parquet.ArrowRows(table.schema).of(table)), **chosen))
    assert len(found) > 3


def test_the_script_of_the_readme(
    ray: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "traces", tmp_path / "student"
    source.mkdir()
    for number in range(3):
        pq.write_table(table_of(TRACES[number * 9 :][:9]), source / f"{number}.parquet")
    monkeypatch.setattr(sys, "argv", ["student.py", str(source), str(target)])
    runpy.run_path(str(FIXTURES / "ray" / "student.py"), run_name="__main__")
    said = capsys.readouterr()
    account = json.loads(said.out)["function_calling"]
    assert (account["rows_in"], account["rows_out"], account["rejects"]["count"]) == (27, 24, 3)
    assert "TC1" in said.err
    back = [each for path in sorted((target / "rows").iterdir()) for each in pq.read_table(path).to_pylist()]
    assert [each["id"] for each in back] == [each["id"] for each in TRACES if each["messages"]]
    assert "<function=get_weather>" in str(back[3]["messages"])
