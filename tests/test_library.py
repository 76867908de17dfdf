"""The library: what its pages show is true, it does what the commands do, and it streams."""

from __future__ import annotations

import dataclasses
import doctest
import inspect
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import toolconv
from tests.conftest import FIXTURES, ROOT, exhaustive
from tests.helpers import command
from toolconv import Conversation, Options, Receipt, RowError, TextOptions, __version__, api, dataset, layouts, trainers
from toolconv.convert.options import UsageError
from toolconv.core.errors import PACKAGES, how_to_install
from toolconv.dialects.turns import RenderError
from toolconv.score.run import ScoreOptions
from toolconv.templates.base import Template

TEACHER = FIXTURES / "teacher.jsonl"
CALL = '<tool_call>{"name": "ping", "arguments": {}}</tool_call>'


def loaded(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("module", [toolconv, api, dataset], ids=lambda module: module.__name__)
def test_doctests(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = doctest.testmod(module)
    assert result.failed == 0
    assert result.attempted or module is api


class Model:
    """An object as a pydantic model: it has its data as attributes, and gives it."""

    def __init__(self, **data: Any) -> None:
        self.__dict__ |= data

    def model_dump(self) -> dict[str, Any]:
        return vars(self)


@pytest.mark.parametrize("kind", [Model, SimpleNamespace, dict])
def test_answers_of_clients_are_parsed_as_texts_are(kind: Callable[..., Any]) -> None:
    call = kind(id="c1", type="function", function=kind(name="ping", arguments='{"host": "a"}'))
    message = kind(role="assistant", content=None, tool_calls=[call], reasoning_content="Hm.", refusal=None)
    for answer in (message, kind(id="x", choices=[kind(index=0, message=message)], usage=kind(total_tokens=3)), [call]):
        (read,) = toolconv.parse_tool_calls(answer, "openai")
        assert (read.id, read.name, read.arguments) == ("c1", "ping", {"host": "a"})
    assert toolconv.parse(message).reasoning == "Hm."
    assert [call.name for call in toolconv.parse_tool_calls(kind(role="assistant", content=CALL, tool_calls=None))] == [
        "ping"
    ]
    broken = kind(role="assistant", content=None, tool_calls=[kind(function=kind(name="ping", arguments="{bad"))])
    assert toolconv.parse(broken).calls == [] and toolconv.parse(broken).dropped
    for nothing in (None, 5, object()):
        with pytest.raises(TypeError, match="neither a text nor an answer"):
            toolconv.parse(nothing)


def test_every_public_name_is_there() -> None:
    assert set(toolconv.__all__) <= set(dir(toolconv))
    for name in toolconv.__all__:
        assert getattr(toolconv, name) is not None
    assert toolconv.__version__ == __version__
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = toolconv.nothing


def test_importing_it_imports_nothing_else() -> None:
    code = "import sys, toolconv; print([name for name in sys.modules if name.startswith(('toolconv.', 'orjson'))])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == (
        b"['toolconv.core', 'toolconv.core.version']\n"
    )


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        (Options(), []),
        (Options(source="hermes", target="qwen3_xml"), ["--from", "hermes", "--to", "qwen3_xml"]),
        (Options(to_layout="trl"), ["--to-layout", "trl"]),
        (Options(text=TextOptions(template="qwen3", spans=True)), ["--template", "qwen3", "--spans"]),
    ],
)
@pytest.mark.parametrize("name", ["conversations", "glaive", "kimi"])
def test_rows_are_converted_as_by_the_command(name: str, options: Options, arguments: list[str]) -> None:
    file = FIXTURES / f"{name}.jsonl"
    expected = command.toolconv("convert", file, *arguments).rows
    mine, theirs = Receipt(), Receipt()
    assert list(toolconv.convert_rows(file, options, receipt=mine)) == expected != []
    assert list(toolconv.convert_rows(loaded(file), options, receipt=theirs)) == expected
    assert mine.tool_calls == theirs.tool_calls
    assert mine.repairs == theirs.repairs
    assert mine.rows_in == theirs.rows_in == len(loaded(file))


@pytest.mark.sweep
@pytest.mark.parametrize("name", trainers.names())
def test_rows_for_a_trainer_are_those_of_the_command(name: str) -> None:
    path = str(FIXTURES / "conversations.jsonl")
    texts = (None,) if trainers.get(name).own_models else (None, TextOptions(template="qwen3"))
    for text in texts:
        arguments = [] if text is None else ["--template", "qwen3"]
        run = command.toolconv("convert", path, "--trainer", name, *arguments, "-q")
        options, receipt = Options(trainer=name, text=text), Receipt()
        assert list(dataset.convert_rows(path, options, receipt=receipt)) == run.rows
        assert receipt.refused + receipt.rejects == 0 or run.status == 1


def test_options_that_dont_go_together_are_an_error() -> None:
    text = TextOptions(template="qwen3")
    for options in (
        Options(target="hermes", text=text),
        Options(exact=True),
        Options(exact=True, trainer="axolotl"),
        Options(exact=True, trainer="openai", text=text),
        Options(trainer="openai", text=text),
    ):
        with pytest.raises(UsageError):
            list(dataset.convert_rows([], options))
    rows = [{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}]
    (row,) = dataset.convert_rows(rows, Options(exact=True, trainer="axolotl", text=text))
    assert [part["label"] for part in row["segments"]] == [False, True, False]


def test_a_folder_is_read_as_the_files_in_it(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_bytes(TEACHER.read_bytes())
    assert len(list(toolconv.read(tmp_path))) == 2 * len(loaded(TEACHER))
    assert toolconv.detect(tmp_path) == toolconv.detect(TEACHER)


def test_conversations_are_rows_too() -> None:
    conversations = list(toolconv.read(TEACHER))
    assert all(isinstance(each, Conversation) for each in conversations)
    assert list(toolconv.convert_rows(conversations)) == command.toolconv("parse", TEACHER).rows
    assert len(list(toolconv.lint_rows(conversations, select=["TC501"]))) == 0


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (Options(target="mistral"), {"text": "[TOOL_CALLS]ping[ARGS]{}"}),
        (Options(to_layout="raw", target="mistral"), {"text": "[TOOL_CALLS]ping[ARGS]{}"}),
        (
            Options(),
            {"messages": [{"role": "assistant", "content": "", "tool_calls": [
                {"id": "call_0", "type": "function", "function": {"name": "ping", "arguments": {}}}]}]},
        ),
    ],
)  # fmt: skip
def test_a_file_that_is_one_text(options: Options, expected: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "output.txt").write_text(CALL)
    assert list(toolconv.convert_rows(tmp_path / "output.txt", options)) == [expected]


def test_rows_of_a_hugging_face_dataset_lose_their_padding() -> None:
    """With a stand-in of the two methods that ``datasets.Dataset`` 5.2 has for it."""
    pyarrow = pytest.importorskip("pyarrow")

    class Dataset:
        def __init__(self, rows: list[dict[str, Any]]) -> None:
            self.table = pyarrow.Table.from_pylist(rows)

        def with_format(self, kind: str) -> Dataset:
            assert kind == "arrow"
            return self

        def iter(self, batch_size: int) -> Iterator[Any]:
            for start in range(0, len(self.table), 2):
                yield self.table.slice(start, min(2, batch_size))

    rows = [
        {"messages": [{"role": "user", "content": "Hi"}, {"role": "tool", "tool_call_id": "a", "content": "b"}], "n": n}
        for n in range(5)
    ]
    receipt = Receipt()
    assert list(toolconv.convert_rows(Dataset(rows), receipt=receipt)) == list(toolconv.convert_rows(rows))
    assert receipt.repairs == {"null_padding": 5}
    assert list(toolconv.lint_rows(Dataset(rows))) == list(toolconv.lint_rows(rows))
    assert toolconv.detect(Dataset(rows)) == toolconv.detect(rows)


# ── rejects ──


@pytest.mark.parametrize("function", [toolconv.read, toolconv.convert_rows])
def test_a_row_that_cant_be_read_is_an_error_or_in_the_receipt(function: Any) -> None:
    rows = [{"text": CALL}, {"nothing": 1}, {"text": "Hi."}]
    with pytest.raises(RowError, match=r"^<rows>:2: no text under any of") as error:
        list(function(rows))
    assert error.value.place.line == 2
    receipt = Receipt()
    assert len(list(function(rows, receipt=receipt))) == 2
    assert (receipt.rows_in, receipt.rows_out, receipt.rejects) == (3, 2, 1)


def test_on_error_fail_stops_also_with_a_receipt() -> None:
    rows = [{"text": "<tool_call>{broken"}, {"text": "Hi."}]
    with pytest.raises(RowError, match="unreadable call"):
        list(toolconv.convert_rows(rows, Options(source="hermes", on_error="fail"), receipt=Receipt()))
    with pytest.raises(UsageError, match="can't be written"):
        list(toolconv.convert_rows(rows, Options(to_layout="stream")))


# ── streams ──


def endless() -> Iterator[dict[str, Any]]:
    number = 0
    while True:
        yield {"messages": [{"role": "user", "content": f"Ping {number}."}, {"role": "assistant", "content": CALL}]}
        number += 1


@exhaustive
def test_rows_are_taken_as_results_are_asked_for() -> None:
    assert [c.messages[0]["content"] for c in islice(toolconv.read(endless()), 2)] == ["Ping 0.", "Ping 1."]
    assert len(list(islice(toolconv.convert_rows(endless(), Options(to_layout="openai")), 300))) == 300
    findings = islice(toolconv.lint_rows(endless(), select=["undeclared-tool", "TC509"]), 3)
    assert {finding.code for finding in findings} == {"TC509"}


@exhaustive
def test_all_rows_come_in_order() -> None:
    converted = toolconv.convert_rows(islice(endless(), 250))
    assert [row["messages"][0]["content"] for row in converted] == [f"Ping {n}." for n in range(250)]


# ── text, findings, formats ──


@pytest.mark.parametrize("name", ["qwen3", "llama-3.1", "kimi-k2"])
def test_text_is_what_the_command_renders(name: str) -> None:
    file = FIXTURES / "conversations.jsonl"
    expected = command.toolconv("render", file, "--template", name, "--spans").rows
    rows = loaded(file)
    for given in (rows, list(toolconv.read(file))):
        before = json.dumps([each.row if isinstance(each, Conversation) else each for each in given])
        rendered = [toolconv.render(each, name) for each in given]
        assert [(each.text, each.spans) for each in rendered] == [(each["text"], each["spans"]) for each in expected]
        assert json.dumps([each.row if isinstance(each, Conversation) else each for each in given]) == before
        assert all(isinstance(each, dict) or not each.notes.losses for each in given)


def test_text_of_a_template_in_a_file(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    file = tmp_path / "chat_template.jinja"
    file.write_text("{% for m in messages %}{{ greeting }} {{ m.content }};{% endfor %}")
    row = {"messages": [{"role": "user", "content": "Hi"}]}
    assert toolconv.render(row, file, variables={"greeting": "So"}).text == "So Hi;"
    assert toolconv.render(row, file, variables={"greeting": "Oh"}).text == "Oh Hi;"


def test_text_that_cant_be_rendered() -> None:
    with pytest.raises(toolconv.ToolconvError, match="unknown template 'qwen33'; did you mean 'qwen3'"):
        toolconv.render({"messages": [{"role": "user", "content": "Hi"}]}, "qwen33")
    with pytest.raises(RowError):
        toolconv.render({"nothing": 1}, "qwen3")
    assert issubclass(RenderError, toolconv.ToolconvError)


@pytest.mark.parametrize("name", ["glaive", "teacher", "kimi", "conversations"])
def test_findings_are_those_of_the_command(name: str) -> None:
    file = FIXTURES / f"{name}.jsonl"
    expected = command.toolconv("lint", file, "--isolated", "--select", "ALL", "--output-format", "jsonl").rows
    places = [(each["line"], each["pointer"], each["code"], each["message"]) for each in expected]
    for rows in (file, loaded(file)):
        found = toolconv.lint_rows(rows, select=["ALL"])
        assert [(each.line, each.pointer, each.code, each.message) for each in found if each.line] == [
            place for place in places if place[0]
        ]


def test_wrong_rules_are_an_error_at_once() -> None:
    with pytest.raises(toolconv.ToolconvError, match="unknown rule"):
        toolconv.lint_rows([], select=["TC999"])


@pytest.mark.parametrize("name", [name for name in layouts.names() if name not in ("raw", "rendered", "stream")])
def test_layouts_are_detected(name: str, tmp_path: Path) -> None:
    sample = layouts.get(name).sample
    file = tmp_path / "rows.jsonl"
    file.write_text(sample)
    found = toolconv.detect(file)
    assert found is not None
    if len(sample.splitlines()) == 1:
        assert toolconv.detect([json.loads(sample)]) == found
    assert toolconv.detect([{"nothing": 1}]) is None


# ── notebooks ──


def test_options_have_a_signature_and_near_names() -> None:
    parameters = inspect.signature(Options).parameters
    assert list(parameters) == [field.name for field in dataclasses.fields(Options)]
    assert parameters["on_error"].default == "keep" and str(parameters["on_error"].annotation).startswith("Literal[")
    with pytest.raises(TypeError, match="Options has no 'to_layot'; did you mean 'to_layout'\\?"):
        Options(to_layot="openai")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Template needs 'dialect' and 'name'"):
        Template()  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "kind, given, message",
    [
        (Options, {"on_error": "Reject"}, "on_error is 'Reject': it is one of 'keep', 'reject', 'fail'"),
        (Options, {"untyped": "string"}, "untyped is 'string': it is one of 'infer', 'text'"),
        (Options, {"records": "line"}, "records is 'line': it is one of None, 'lines', 'null'"),
        (Options, {"tools_for": "Gemini"}, "tools_for is 'Gemini': it is one of None, 'gemini', "),
        (ScoreOptions, {"level": "AST"}, "level is 'AST': it is one of 'exact', 'ast', 'lenient'"),
        (ScoreOptions, {"turns": "all"}, "turns is 'all': it is one of 'auto', 'each', 'whole'"),
    ],
)
def test_a_value_that_an_option_does_not_have(kind: Callable[..., Any], given: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(message)}"):
        kind(**given)


def test_convert_rows_takes_a_template(tmp_path: Path) -> None:
    row = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
    assert [each["text"] for each in toolconv.convert_rows([row], template="qwen3")] == [
        toolconv.render(row, "qwen3").text
    ]
    with pytest.raises(UsageError, match="either as template= or in Options"):
        list(toolconv.convert_rows([row], Options(text=TextOptions(template="qwen3")), template="qwen3"))


def test_notebooks_show_tables_and_turns() -> None:
    receipt = Receipt()
    row = {"prompt": "<b>Hi</b>", "completion": "<tool_call>{'name': 'ping', 'arguments': {}}</tool_call>"}
    (conversation,) = toolconv.read([row], receipt=receipt)
    shown = conversation._repr_html_()
    assert "&lt;b&gt;Hi&lt;/b&gt;" in shown and "<b>Hi" not in shown and "ping" in shown
    table = receipt._repr_html_()
    assert "<tr><th>repairs</th><td>1</td><td>single_quotes 1</td></tr>" in table and "losses" not in table


@pytest.mark.parametrize("prefix, command", [
    ("/home/me/.local/pipx/venvs/toolconv", "pipx inject toolconv pyarrow"),
    ("/home/me/.local/share/uv/tools/toolconv", "uv pip install --python /home/me/.local/share/uv/tools/toolconv pyarrow"),
    ("/home/me/project/.venv", "pip install 'toolconv[parquet]'"),
])  # fmt: skip
def test_the_hint_fits_the_environment(prefix: str, command: str) -> None:
    assert how_to_install("parquet", prefix) == command


def test_each_extra_has_its_package() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for extra, package in PACKAGES.items():
        assert [re.split(r"[<>=]", each)[0] for each in extras[extra]] == [package.strip("'")]
