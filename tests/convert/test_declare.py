"""``--declare``: tools for rows whose log does not hold them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import each, shared, toolconv
from tests.layouts.test_declared_tools import SHAPES
from toolconv.convert.declared_tools import read_declared
from toolconv.core.errors import FileError

WEATHER: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
}
PING: dict[str, Any] = {
    "type": "function",
    "function": {"name": "ping", "description": "Is it up?", "parameters": {"type": "object", "properties": {}}},
}
TYPESCRIPT = """# Tools

## functions

namespace functions {

// Weather of a city.
type get_weather = (_: {
city: string,
days?: number,
}) => any;

// Is it up?
type ping = () => any;

} // namespace functions"""


def called(name: str, arguments: Any, **more: Any) -> dict[str, Any]:
    """A row without tools that calls one."""
    call = {"id": "call_0", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {
        **more,
        "messages": [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_0", "name": name, "content": "Done."},
            {"role": "assistant", "content": "It is done."},
        ],
    }


def jsonl(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def declared(path: Path, content: str) -> str:
    path.write_text(content)
    return str(path)


def parsed(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_file_of_any_maker(tmp_path: Path, shape: str) -> None:
    file = declared(tmp_path / "tools.json", json.dumps(SHAPES[shape]([WEATHER, PING])))
    run = toolconv("parse", "--declare", file, stdin=jsonl(called("ping", {})))
    assert (run.status, [row["tools"] for row in parsed(run.out)]) == (0, [[WEATHER, PING]])
    assert "tools declared for 1 row;" in run.err


def test_json_lines_and_rows(tmp_path: Path) -> None:
    rows = jsonl(called("ping", {}))
    for content in (jsonl(WEATHER["function"], PING), jsonl(called("ping", {}, tools=[WEATHER, PING])),
                    json.dumps({"kwargs": {"tools": [WEATHER, PING]}})):  # fmt: skip
        run = toolconv("parse", "--declare", declared(tmp_path / "tools.jsonl", content), stdin=rows)
        assert (run.status, parsed(run.out)[0]["tools"]) == (0, [WEATHER, PING])


@pytest.mark.parametrize("text", [TYPESCRIPT, TYPESCRIPT.partition("\n\n## functions\n\n")[2]])
def test_a_typescript_namespace(tmp_path: Path, text: str) -> None:
    run = toolconv(
        "parse", "--declare", declared(tmp_path / "tools.ts", text), stdin=jsonl(called("get_weather", {"city": "a"}))
    )
    properties = {"city": {"type": "string"}, "days": {"type": "number"}}
    function = {**WEATHER["function"], "parameters": {**WEATHER["function"]["parameters"], "properties": properties}}
    assert (run.status, parsed(run.out)[0]["tools"]) == (0, [{**WEATHER, "function": function}, PING])


def test_rows_keep_their_own(tmp_path: Path) -> None:
    """A row keeps what it declares, as structure or in a text; only rows that declare nothing get the tools."""
    file = declared(tmp_path / "tools.json", json.dumps([WEATHER]))
    system = {"role": "system", "content": TYPESCRIPT.replace("get_weather", "get_news")}
    stated = called("ping", {})
    stated["messages"] = [system, *stated["messages"]]
    elsewhere = called("ping", {}, kwargs={"tools": [PING]})
    rows = [called("ping", {}, tools=[PING]), stated, elsewhere, called("ping", {}, tools=[]), called("ping", {})]
    names = [["ping"], ["get_news", "ping"], ["ping"], ["get_weather"], ["get_weather"]]
    receipt = tmp_path / "receipt.json"
    run = toolconv("parse", "--declare", file, "--receipt", str(receipt), stdin=jsonl(*rows))
    assert [[tool["function"]["name"] for tool in row["tools"]] for row in parsed(run.out)] == names
    assert json.loads(receipt.read_text())["function_calling"]["rows_given_tools"] == 2
    run = toolconv("render", "--to", "hermes", "--declare", file, stdin=jsonl(*rows[1:3]))  # reads no texts
    assert "get_weather" not in run.out


@each(
    "content, message",
    [
        ("", "an empty file"),
        ("hello", "neither JSON nor a text that declares tools; it begins 'hello'"),
        ('{"name": "left-pad", "version": "1"}', "no tool is declared in an object with the keys 'name', 'version'"),
        ("[]", "no tool is declared in an empty list"),
        ('[{"id": 1}]', "no tool is declared in a list that begins with an object with the keys 'id'"),
        ("[7]", "no tool is declared in a list that begins with the value 7"),
        (json.dumps([WEATHER, 7]), "the value 7 among the tools"),
        (jsonl(called("ping", {})), "no tool is declared in an object with the keys 'messages'"),
    ],
)
def test_a_bad_file(content: str, message: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = declared(tmp_path_factory.mktemp("declared") / "tools.json", content)
    with pytest.raises(FileError) as raised:
        read_declared(file)
    assert str(raised.value).startswith(f"{file}: {message}: it must hold tools in the form of OpenAI")
    assert "toolconv schema --infer" in str(raised.value)


def test_a_bad_file_ends_the_run(tmp_path: Path) -> None:
    file = declared(tmp_path / "tools.json", "[]")
    run = toolconv("parse", "--declare", file, stdin=jsonl(called("ping", {})))
    assert (run.status, run.out) == (2, "") and run.err.startswith(f"Error: {file}: no tool is declared in an empty")


def test_two_that_differ(tmp_path: Path) -> None:
    other = {**PING, "function": {**PING["function"], "description": "Another."}}
    file = declared(tmp_path / "tools.json", json.dumps([PING, PING, other]))
    run = toolconv("parse", "--declare", file, stdin=jsonl(called("ping", {})))
    assert run.err == f"Error: {file}: two declarations of 'ping' that differ: leave one of them out\n"


def test_lint(tmp_path: Path) -> None:
    """Calls are checked against the tools, with any number of processes."""
    file = declared(tmp_path / "tools.json", json.dumps([WEATHER]))
    rows = tmp_path / "rows.jsonl"
    wrong, misnamed = called("get_weather", {"city": 5}), called("get_wether", {"city": "a"})
    rows.write_text(jsonl(called("get_weather", {"city": "a"}), wrong, misnamed, called("ping", {}, tools=[PING])))
    for jobs in ("1", "2"):
        run = toolconv("lint", str(rows), "--declare", file, "--isolated", "--select", "TC101,TC104,TC414", "--jobs", jobs,
                       "--output-format", "concise")  # fmt: skip
        assert [line.split(":")[1:4:2] for line in run.out.splitlines()] == [
            ["2", " TC104 argument-schema-mismatch"], ["3", " TC101 undeclared-tool"]
        ]  # fmt: skip
    run = toolconv("convert", str(rows), "--declare", file, "--lint", "-o", str(tmp_path / "out.jsonl"))
    assert "TC101" in run.err and "TC414" not in run.err


def test_types_come_from_the_file(tmp_path: Path) -> None:
    """Values in texts without types have the declared ones, in parse and in stats."""
    text = "<tool_call>\n<function=get_weather>\n<parameter=city>\n5\n</parameter>\n</function>\n</tool_call>"
    rows = jsonl({"messages": [{"role": "user", "content": "Go."}, {"role": "assistant", "content": text}]})
    file = declared(tmp_path / "tools.json", json.dumps([WEATHER]))
    for options, city in ((["--declare", file], "5"), ([], 5)):
        (row,) = parsed(toolconv("parse", *options, stdin=rows).out)
        assert row["messages"][1]["tool_calls"][0]["function"]["arguments"] == {"city": city}
    stats = json.loads(toolconv("stats", "--json", "--declare", file, stdin=rows).out)
    assert stats["tools"][0]["undeclared_calls"] == 0


@pytest.mark.exhaustive
@given(st.lists(st.sampled_from([WEATHER, PING]), unique_by=str, min_size=1), st.booleans())
def test_the_same_as_in_the_row(tmp_path_factory: pytest.TempPathFactory, tools: list[Any], is_text: bool) -> None:
    """Law: a row with --declare is written like the row that declares these tools itself."""
    arguments: Any = {"city": "a"}
    row = called("get_weather", json.dumps(arguments) if is_text else arguments)
    file = declared(tmp_path_factory.mktemp("declare") / "tools.json", json.dumps(tools))
    for options in (["convert", "--to", "hermes"], ["render", "--template", "qwen3"], ["parse"]):
        with_file = toolconv(*options, "-q", "--declare", file, stdin=jsonl(row))
        own = toolconv(*options, "-q", stdin=jsonl({"tools": tools, **row}))
        assert with_file.out == own.out


def test_real_sessions(tmp_path: Path) -> None:
    session = shared("traces/claude-code/recorded_session.jsonl")
    file = declared(tmp_path / "tools.json", json.dumps([WEATHER]))
    plain = parsed(toolconv("parse", str(session)).out)
    given_tools = parsed(toolconv("parse", str(session), "--declare", file).out)
    assert [{**row, "tools": None} for row in given_tools] == [{**row, "tools": None} for row in plain]
    assert all(row["tools"] == [WEATHER] for row in given_tools)
