"""``toolconv schema --infer``: declarations worked out of calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import FIXTURES, any_text, each, exhaustive, shared, toolconv
from tests.convert.test_declare import called, jsonl
from toolconv.convert.declared_tools import read_declared
from toolconv.core.conversation import Conversation
from toolconv.schema.forms import FORMS, fits, written
from toolconv.schema.infer import MAX_DEPTH, MAX_LENGTH, MAX_NAMES, MAX_PLACES, MAX_TOOLS, Inference

ARGUMENT_RULES = "TC101,TC102,TC103,TC104,TC105,TC106,TC108,TC109,TC110,TC111,TC414"


def inferred(*arguments: Any, name: str = "f") -> Inference:
    """What calls of one tool with these arguments are worth."""
    inference = Inference()
    for one in arguments:
        inference.add(Conversation(called(name, one)))
    return inference


def parameters(*arguments: Any) -> dict[str, Any]:
    (tool,) = inferred(*arguments).tools()
    assert tool == {"type": "function", "function": {"name": "f", "parameters": tool["function"]["parameters"]}}
    found: dict[str, Any] = tool["function"]["parameters"]
    return found


def of(*values: Any) -> Any:
    """The schema of a parameter with these values."""
    return parameters(*({"x": value} for value in values))["properties"]["x"]


@each("values, schema", [
        (["a b"], {"type": "string"}),
        ([1, 2], {"type": "integer"}),
        ([1, 2.5], {"type": "number"}),
        ([10**30], {"type": "integer"}),
        ([True, False], {"type": "boolean"}),
        ([True, 1], {"type": ["integer", "boolean"]}),
        ([None], {"type": "null"}),
        (["a b", None], {"type": ["string", "null"]}),
        ([[]], {"type": "array", "items": {}}),
        ([["a b", "c d"], []], {"type": "array", "items": {"type": "string"}}),
        ([[1, "a b"]], {"type": "array", "items": {"type": ["string", "integer"]}}),
        ([[[1], [2.5]]], {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}),
        ([{}], {"type": "object"}),
        ([{"a": 1}, {"b": True}], {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "boolean"}}}),
        ([{"a": 1}, "a b"], {"type": ["object", "string"], "properties": {"a": {"type": "integer"}}}),
        (["2026-11-22"] * 99, {"type": "string"}),
    ])  # fmt: skip
def test_types(values: list[Any], schema: Any) -> None:
    assert of(*values) == schema


def test_required() -> None:
    """What each of at least three calls, or objects, gives."""
    assert "required" not in parameters({"a": 1}, {"a": 1})
    assert parameters({"a": 1}, {"a": 1, "b": 2}, {"b": 2, "a": None})["required"] == ["a"]
    assert "required" not in parameters({"a": 1}, {"a": 1}, {})
    assert of({"a": 1, "b": 1}, {"a": 1}, {"a": 2})["required"] == ["a"]
    assert of([{"a": 1}, {"a": 1}], [{"a": 2, "b": 1}])["items"]["required"] == ["a"]


@each(
    "values, enum",
    [
        (["celsius"] * 10 + ["fahrenheit"] * 10, ["celsius", "fahrenheit"]),
        (["celsius"] * 18 + ["fahrenheit"] * 2 + [None], ["celsius", "fahrenheit", None]),
        (["celsius"] * 19 + ["fahrenheit"], None),  # once is no evidence
        (["celsius"] * 10 + ["fahrenheit"] * 9, None),
        (["celsius"] * 99, None),
        (["src/a.py", "src/b.py"] * 50, None),
        ([f"word{number}" for number in range(8)] * 10, [f"word{number}" for number in range(8)]),
        ([f"word{number}" for number in range(9)] * 50, None),
        (["a", "b"] * 50 + [1], None),
    ],
)
def test_enums(values: list[Any], enum: Any) -> None:
    assert of(*values).get("enum") == enum


@exhaustive
def test_bounds() -> None:
    """What is not described allows anything, and is counted."""
    inference = inferred({"headers": {str(number): 1 for number in range(MAX_NAMES + 1)}, "x": 1})
    assert inference.tools()[0]["function"]["parameters"]["properties"] == {
        "headers": {"type": "object", "additionalProperties": True},
        "x": {"type": "integer"},
    }
    assert list(inference.left_out.values()) == [1]
    described = inferred({"headers": {str(number): 1 for number in range(MAX_NAMES)}})
    assert len(described.tools()[0]["function"]["parameters"]["properties"]["headers"]["properties"]) == MAX_NAMES
    nested: Any = 1
    for _ in range(50):
        nested = {"a": [nested]}
    inference = inferred(nested)
    jsonschema.validate(nested, inference.tools()[0]["function"]["parameters"])
    assert inference.left_out
    inference = Inference()
    for number in range(MAX_TOOLS + 5):
        inference.add(Conversation(called(f"f{number}", {f"a{part}": {str(part): 1} for part in range(60)})))
    assert len(inference.tools()) == MAX_TOOLS
    assert MAX_PLACES - 200 < inference._places <= MAX_PLACES
    assert inference.left_out[f"calls of tools beyond the first {MAX_TOOLS:,}"] == 5
    inference = inferred([1], "text")
    assert (inference.calls, inference.left_out) == (0, {"calls whose arguments are no object": 2})


def nested(levels: int) -> dict[str, Any]:
    """Arguments of so many objects, each in the one before it."""
    value: dict[str, Any] = {"x": 1}
    for _ in range(levels - 1):
        value = {"x": value}
    return value


@each(
    "arguments, described",
    [
        ({"n" * MAX_LENGTH: 1}, True), ({"n" * (MAX_LENGTH + 1): 1}, False),
        (nested(MAX_DEPTH), True), (nested(MAX_DEPTH + 1), False),
    ],
)  # fmt: skip
def test_what_is_too_long_or_too_deep_is_not_described(arguments: dict[str, Any], described: bool) -> None:
    assert (not inferred(arguments).left_out) is described


def left_out(inference: Inference) -> dict[str, int]:
    return {" ".join(reason.split()[:2]): count for reason, count in inference.left_out.items()}


@pytest.mark.parametrize(
    ("calls", "parameters", "reasons"),
    [
        ([{"a": 1, "b": 1, "c": 1, "d": 1}], {"a": "integer", "b": "integer", "c": "integer", "d": "integer"}, {}),
        ([{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1}], None, {"objects beyond": 1}),
        ([{"a": [1], "b": [1]}], {"a": ["integer"], "b": ["integer"]}, {}),
        ([{"a": [1], "b": 1, "c": [1]}], {"a": ["integer"], "b": "integer", "c": []}, {"lists more": 1}),
        # What an object held that is described no more is free again: here x, z and y, and here y, its items and x.
        (
            [{"m": {"x": {"z": 1}, "y": 1}}, {"m": {"n" * 129: 1}}, {"a": 1, "b": 1, "c": 1}],
            {"m": "object", "a": "integer", "b": "integer", "c": "integer"},
            {"objects with": 1},
        ),
        (
            [{"m": {"y": [1], "x": 1}}, {"m": {"n" * 129: 1}}, {"a": 1, "b": 1, "c": 1}],
            {"m": "object", "a": "integer", "b": "integer", "c": "integer"},
            {"objects with": 1},
        ),
        (
            [{"m": {"x": 1, "y": 1}}, {"m": {"n" * 129: 1}}, {"a": 1, "b": 1, "c": 1, "d": 1}],
            None,
            {"objects with": 1, "objects beyond": 1},
        ),
    ],
)
def test_at_most_so_many_places_are_described(
    calls: list[Any], parameters: dict[str, Any] | None, reasons: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here four: each member and the items of each list are one."""
    monkeypatch.setattr("toolconv.schema.infer.MAX_PLACES", 4)
    inference = inferred(*calls)
    (tool,) = inference.tools()
    found = tool["function"]["parameters"]["properties"]
    described = {
        name: [items["type"] for items in (schema.get("items"),) if items]
        if schema["type"] == "array"
        else schema["type"]
        for name, schema in found.items()
    }
    assert (described, left_out(inference)) == (parameters or {}, reasons)


@pytest.mark.parametrize(
    ("name", "reasons"),
    [("n" * 128, {}), ("n" * 129, {"calls without": 1}), ("", {"calls without": 1}), (7, {"calls without": 1})],
)
def test_a_call_without_a_name_is_left_out(name: Any, reasons: dict[str, int]) -> None:
    inference = inferred({"a": 1}, name=name)
    assert (len(inference.tools()), inference.calls, left_out(inference)) == (not reasons, not reasons, reasons)


def test_typescript_tells_what_is_required() -> None:
    properties = {"city": {"type": "string"}, "days": {"type": "number"}}
    schema = {"type": "object", "properties": properties, "required": ["city"]}
    text = written([{"type": "function", "function": {"name": "f", "parameters": schema}}], "typescript").decode()
    assert "city: string" in text
    assert "days?: number" in text


KEYS = st.sampled_from(["a", "b", "city", "längre", "x_1"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text(max_size=5)
    | st.sampled_from(["on", "off"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
ARGUMENTS = st.lists(st.dictionaries(KEYS, VALUES, max_size=4), min_size=1, max_size=12)


@given(ARGUMENTS)
def test_every_call_is_valid(tmp_path_factory: pytest.TempPathFactory, arguments: list[Any]) -> None:
    """Law: every call is valid under the declaration, in each form as --declare reads it."""
    tools = inferred(*arguments).tools()
    file = tmp_path_factory.mktemp("infer") / "tools"
    for form in FORMS:
        file.write_bytes(written(tools, form))
        (tool,) = json.loads(read_declared(str(file)))
        if form != "typescript":
            assert tool == tools[0]
        schema = tool["function"]["parameters"]
        jsonschema.Draft202012Validator.check_schema(schema)
        for one in arguments:
            jsonschema.Draft202012Validator(schema).validate(one)


@pytest.mark.parametrize(
    ("name", "parameter", "fit"),
    [("f", "a-b", True), ("f", "é", True), ("f", "a b", False), ("f", "a?", False), ("f b", "a", False)],
)
def test_names_that_typescript_can_hold(name: str, parameter: str, fit: bool) -> None:
    (tool,) = inferred({parameter: 1}, name=name).tools()
    assert fits(tool, "typescript") == fit
    if fit:
        assert f"type {name} = (_: {{\n{parameter}" in written([tool], "typescript").decode()
    run = toolconv(
        "schema", "--infer", "--form", "typescript", stdin=jsonl(called(name, {parameter: 1}), called("ok", {}))
    )
    assert "type ok = () => any" in run.out
    assert (run.status, f"left out: {name!r}, since TypeScript" in run.err) == (0 if fit else 1, not fit)


FORMED: dict[str, Any] = {
    "openai": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
    "anthropic": [{"name": "f", "input_schema": {"type": "object"}}],
    "mcp": {"tools": [{"name": "f", "inputSchema": {"type": "object"}}]},
    "gemini": [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": {"type": "object"}}]}],
}
"""A declaration in each form that is JSON, as its maker documents it."""


@pytest.mark.parametrize("form", FORMED)
def test_forms(form: str) -> None:
    assert json.loads(written(FORMED["openai"], form)) == FORMED[form]
    assert {*FORMS} == {*FORMED, "typescript"}


@pytest.mark.parametrize(("count", "left"), [(2, {}), (3, {"calls of": 1})])
def test_at_most_so_many_tools_are_declared(count: int, left: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolconv.schema.infer.MAX_TOOLS", 2)
    inference = Inference()
    for number in range(count):
        inference.add(Conversation(called(f"f{number}", {"a": 1})))
    inference.add(Conversation(called("f0", {"a": 1})))
    assert [tool["function"]["name"] for tool in inference.tools()] == ["f0", "f1"]
    assert left_out(inference) == left


@settings(max_examples=3 * settings().max_examples)
@given(any_text(min_size=1, max_size=4), any_text(max_size=4))
def test_typescript_holds_the_names_that_fit(
    tmp_path_factory: pytest.TempPathFactory, name: str, parameter: str
) -> None:
    tools = inferred(*[{parameter: 1}] * 3, name=name).tools()
    file = tmp_path_factory.mktemp("infer") / "tools"
    if not fits(tools[0], "typescript"):
        return
    file.write_bytes(written(tools, "typescript"))
    (tool,) = json.loads(read_declared(str(file)))
    assert tool["function"]["name"] == name
    assert tool["function"]["parameters"]["required"] == [parameter]


@pytest.mark.parametrize("form", FORMS)
def test_the_output_is_a_file_for_declare(tmp_path: Path, form: str) -> None:
    """The command's output declares the tools of the same rows, and lint finds every call valid."""
    source = tmp_path / "rows.jsonl"
    source.write_text(jsonl(*(called("search", {"query": f"a {n}", "limit": n, "lang": ["de", "en"][n % 2]})
                              for n in range(20)), called("ping", {})))  # fmt: skip
    run = toolconv("schema", "--infer", "--form", form, str(source))
    assert (run.status, run.err) == (0, "2 tools from 21 calls in 21 rows\n")
    file = tmp_path / "tools"
    file.write_text(run.out)
    run = toolconv("lint", str(source), "--declare", str(file), "--isolated", "--select", ARGUMENT_RULES)
    assert (run.status, run.out) == (0, "")
    run = toolconv("lint", str(source), "--isolated", "--select", ARGUMENT_RULES)
    assert "TC414" in run.out


def test_usage() -> None:
    row = jsonl({"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]})
    for options, message in (
        (["--infer"], "no row calls a tool"),
        (["--form", "mcp"], "--form needs --infer"),
        (["--infer", "--structural-tag", "--to", "hermes"], "leave out --structural-tag and --gbnf"),
    ):
        run = toolconv("schema", *options, stdin=row)
        assert (run.status, run.out) == (2, "") and message in run.err


def test_calls_in_texts() -> None:
    run = toolconv("schema", "--infer", str(FIXTURES / "teacher.jsonl"))
    assert [tool["function"]["name"] for tool in json.loads(run.out)] == ["get_weather"]


@pytest.mark.parametrize(
    "name", ["claude-code/recorded_session.jsonl", "codex/custom_tool.jsonl", "opencode/export_tool.json"]
)
def test_real_sessions(tmp_path: Path, name: str) -> None:
    session = str(shared("traces", name))
    file = tmp_path / "tools.json"
    file.write_text(toolconv("schema", "--infer", session).out)
    run = toolconv("lint", session, "--declare", str(file), "--isolated", "--select", ARGUMENT_RULES)
    assert (run.status, run.out) == (0, "")
    rows = toolconv("render", session, "--declare", str(file), "--template", "qwen3").out.splitlines()
    assert rows and all("<tools>" in json.loads(row)["text"] for row in rows)
