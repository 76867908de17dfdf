"""``toolconv schema``: the schema that calls fit, and structural tags, held against jsonschema and xgrammar."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.conftest import FIXTURES, ROOT, each, exhaustive, shared, shared_files, toolconv
from tests.helpers.lint_rows import TOOL
from toolconv import dialects
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.base import Dialect

ARGUMENT_RULES = "TC101,TC102,TC103,TC104,TC105,TC106,TC108,TC109,TC110,TC111,TC414"
"""What the linter says of calls that their declared tools don't take."""


def tool(name: str, parameters: Any, **more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": "Does it.", "parameters": parameters, **more}}


def lines(*tools: Any) -> str:
    """A row for each list of tools."""
    said = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    return "".join(json.dumps({"tools": each, "messages": said}) + "\n" for each in tools)


def schema_of(*tools: Any) -> dict[str, Any]:
    """The schema of rows with these lists of tools."""
    run = toolconv("schema", stdin=lines(*tools))
    assert run.status == 0, run.err
    schema: dict[str, Any] = json.loads(run.out)
    jsonschema.Draft202012Validator.check_schema(schema)
    return schema


def fits(schema: dict[str, Any], name: str, arguments: Any) -> bool:
    return jsonschema.Draft202012Validator(schema).is_valid({"name": name, "arguments": arguments})


# ── the schema ──

each_dataset = pytest.mark.parametrize(
    "name",
    [
        "fixtures/teacher",
        "fixtures/conversations",
        *(
            pytest.param(f"{folder}/{name}", marks=exhaustive)
            for folder in ("datasets", "containers")
            for name in shared_files(f"real/{folder}")
        ),
    ],
)


def dataset(name: str) -> Path:
    return ROOT / f"{name}.jsonl" if name.startswith("fixtures") else shared("real", f"{name}.jsonl")


@each_dataset
def test_every_clean_call_fits(name: str) -> None:
    path = dataset(name)
    run = toolconv("schema", path)
    if "no row declares a tool" in run.err:
        pytest.skip("declares no tools")
    schema = json.loads(run.out)
    jsonschema.Draft202012Validator.check_schema(schema)
    canonical = toolconv("parse", "-q", path).raw
    found = toolconv("lint", "--isolated", "--select", ARGUMENT_RULES, "--output-format", "jsonl", stdin=canonical)
    unclean = {finding["line"] for finding in found.rows}
    checked = 0
    for number, line in enumerate(canonical.splitlines(), 1):
        row = json.loads(line)
        provided = {tool["type"] for tool in row.get("tools") or () if set(tool) & {"type", "function"} == {"type"}}
        for message in row["messages"] if number not in unclean else ():
            for call in message.get("tool_calls", ()):
                if call["function"]["name"] in provided:
                    continue  # a tool of the provider's own (``{"type": "tool_search"}``) is no function with a schema
                assert fits(schema, call["function"]["name"], call["function"]["arguments"]), call
                checked += 1
    assert checked


def test_the_hash_is_that_of_the_receipt(tmp_path: Path) -> None:
    receipt = tmp_path / "receipt.json"
    source = FIXTURES / "conversations.jsonl"
    assert toolconv("parse", source, "-o", tmp_path / "out.jsonl", "--receipt", receipt).status == 0
    schema = json.loads(toolconv("schema", source).out)
    assert schema["tool_schema_hash"] == json.loads(receipt.read_bytes())["function_calling"]["tool_schema_hash"]


def test_the_order_of_rows_makes_no_difference() -> None:
    first, second = tool("a", {"type": "object"}), tool("b", {"type": "object", "properties": {}})
    assert schema_of([first], [second]) == schema_of([second], [first, second])


def test_references_in_a_tool_resolve() -> None:
    tree = {
        "type": "object",
        "properties": {"root": {"$ref": "#/$defs/node"}, "all": {"$ref": "#"}, "$ref": {"type": "string"}},
        "$defs": {
            "node": {
                "type": "object",
                "properties": {"value": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}},
                "default": {"$ref": "#/$defs/node"},
            }
        },
    }
    schema = schema_of([tool("tree", tree), tool("other", {"type": "object", "$defs": {"node": {"type": "string"}}})])
    assert fits(schema, "tree", {"root": {"value": 1, "next": {"value": 2}}, "all": {"root": {}}, "$ref": "text"})
    assert not fits(schema, "tree", {"root": {"value": 1, "next": {"value": "two"}}})
    assert not fits(schema, "tree", {"all": {"root": {"value": "one"}}})
    assert schema["$defs"]["tree"]["$defs"]["node"]["default"] == {"$ref": "#/$defs/node"}


def test_a_document_of_its_own_keeps_its_references() -> None:
    own = {
        "$id": "https://example.org/q",
        "type": "object",
        "properties": {"n": {"$ref": "#/$defs/n"}},
        "$defs": {"n": {"type": "integer"}},
    }
    schema = schema_of([tool("q", own)])
    assert fits(schema, "q", {"n": 1})
    assert not fits(schema, "q", {"n": "one"})


def test_a_tool_declared_differently_has_a_branch_for_each() -> None:
    old = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}
    schema = schema_of([TOOL], [tool("get_weather", old)], [tool("get_weather", old, strict=True)])
    assert len(schema["anyOf"]) == 2
    assert fits(schema, "get_weather", {"city": "Rome"})
    assert fits(schema, "get_weather", {"place": "Rome"})
    assert not fits(schema, "get_weather", {"town": "Rome"})


def test_names_that_no_reference_can_hold() -> None:
    names = ["a b", "a/b", "a~b", "a%b", "a_b", "größe", "grö e"]
    tools = [tool(name, {"type": "object", "properties": {"n": {"const": at}}}) for at, name in enumerate(names)]
    schema = schema_of(tools)
    for at, name in enumerate(names):
        assert fits(schema, name, {"n": at})
        assert not fits(schema, name, {"n": at + 1})


def test_a_call_is_a_declared_name_and_an_object() -> None:
    schema = schema_of([TOOL, tool("any", None), tool("empty", {})])
    assert not fits(schema, "get_wether", {"city": "Rome"})
    for name in ("any", "empty"):
        assert fits(schema, name, {"x": 1})
        assert not fits(schema, name, "x")
    call = {"name": "get_weather", "arguments": {"city": "Rome"}, "id": "call_0"}
    assert not jsonschema.Draft202012Validator(schema).is_valid(call)


def test_invalid_schemas_are_corrected_with_a_message() -> None:
    run = toolconv("schema", stdin=lines([tool("find", {"q": {"type": "str"}, "n": {"type": "int"}}), TOOL]))
    schema = json.loads(run.out)
    assert run.err == "corrected declarations that are not valid JSON Schema: find\n"
    assert fits(schema, "find", {"q": "x", "n": 1})
    assert not fits(schema, "find", {"q": "x", "n": "one"})


def test_rows_that_cannot_be_read_are_told() -> None:
    run = toolconv("schema", stdin=lines([TOOL]) + "{broken\n")
    assert run.status == 1
    assert run.err.startswith("<stdin>:2: rejected: not JSON")
    assert json.loads(run.out)["anyOf"]


@each(
    "arguments, said",
    [
        ((), "no row declares a tool"),
        (("--to", "hermes"), "--structural-tag and --to must be used together"),
        (("--structural-tag",), "--structural-tag and --to must be used together"),
        (("--structural-tag", "--gbnf", "--to", "hermes"), "use either --structural-tag or --gbnf, not both"),
        (("--structural-tag", "--to", "hermse"), "did you mean 'hermes'"),
        (("--from-layout", "opnai"), "unknown layout"),
        (("absent.jsonl",), "absent.jsonl: No such file"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], said: str) -> None:
    run = toolconv("schema", *arguments, stdin=lines([]))
    assert (run.status, run.out) == (2, "")
    assert said in run.err


# ── structural tags ──

NO_STYLE = {
    # Python calls
    "chatglm3", "gorilla", "lfm2", "llama4_pythonic", "minicpm3", "olmo3", "pythonic", "raven", "toolace",
    # values in an own syntax, tags of an own name
    "beam", "functiongemma", "gemma4", "gigachat35", "k2_horizon", "longcat_tags", "minicpm5", "muse", "muse_glimmer",
    "solar_open2", "step3", "telechat4",
    # JSON in a JSON string
    "bfcl_fc", "openai",
}  # fmt: skip
NO_MARKER = {"functionary_v2", "functionary_v32", "glm4_chat", "inkling"}  # a name, or what begins a message too
FORCED = [dialect for dialect in dialects.all_dialects() if dialect.name not in NO_STYLE | NO_MARKER]

TRIP = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "unit": {"type": "string", "enum": ["c", "f"]},
        "stops": {"type": "array", "items": {"$ref": "#/$defs/stop"}},
    },
    "required": ["city"],
    "additionalProperties": False,
    "$defs": {"stop": {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}},
}
TOOLS = [tool("plan_trip", TRIP), tool("ping", {"type": "object", "properties": {}})]

RIGHT = [
    [ToolCall("plan_trip", {"city": "Tōkyō <b>", "days": 3})],
    [ToolCall("ping", {})],
    [
        ToolCall("plan_trip", {"city": "it's\nRome", "unit": "c"}),
        ToolCall("ping", {}),
        ToolCall("plan_trip", {"city": "Oslo", "stops": [{"at": "Bergen"}, {"at": "Voss"}]}),
    ],
]
WRONG = [
    [ToolCall("plan_trap", {"city": "Rome"})],
    [ToolCall("plan_trip", {"days": 3})],
    [ToolCall("plan_trip", {"city": "Rome", "days": "three"})],
    [ToolCall("plan_trip", {"city": "Rome", "unit": "k"})],
    [ToolCall("plan_trip", {"city": "Rome", "town": "Rome"})],
    [ToolCall("ping", {}), ToolCall("pong", {})],
]


def tag_of(dialect: str, *tools: Any) -> dict[str, Any]:
    run = toolconv("schema", "--structural-tag", "--to", dialect, stdin=lines(*tools))
    assert run.status == 0, run.err
    tag: dict[str, Any] = json.loads(run.out)
    return tag


@pytest.fixture(scope="module")
def xgrammar() -> Any:
    return pytest.importorskip(
        "xgrammar", reason="structural tags are checked with xgrammar (which brings torch)", exc_type=ImportError
    )


@pytest.fixture(scope="module")
def accepts(xgrammar: Any) -> Callable[[Any, str], bool]:
    """Whether the grammar that xgrammar makes of a structural tag takes a text."""
    compiler = xgrammar.GrammarCompiler(xgrammar.TokenizerInfo([]))

    def accepts(tag: Any, text: str) -> bool:
        compiled = compiler.compile_structural_tag(tag if isinstance(tag, xgrammar.StructuralTag) else json.dumps(tag))
        matcher = xgrammar.GrammarMatcher(compiled, terminate_without_stop_token=True)
        return bool(matcher.accept_string(text) and matcher.is_terminated())

    return accepts


@pytest.mark.parametrize("dialect", FORCED, ids=lambda dialect: dialect.name)
def test_the_dialects_own_calls_are_taken_and_wrong_ones_refused(
    dialect: Dialect, accepts: Callable[[Any, str], bool]
) -> None:
    tag = tag_of(dialect.name, TOOLS)
    assert accepts(tag, dialect.render_turn("Only prose.", "Thinking.", []))
    for calls in RIGHT:
        assert accepts(tag, dialect.render_turn("", None, calls)), calls
        assert accepts(tag, dialect.render_turn("Prose.", "Thinking.", calls)), calls
    for calls in WRONG:
        assert not accepts(tag, dialect.render_turn("Prose.", None, calls)), calls


@pytest.mark.parametrize(
    ("dialect", "model"),
    [
        ("deepseek_v3", "deepseek_r1"),
        ("deepseek_v31", "deepseek_v3_1"),
        ("deepseek_v32", "deepseek_v3_2"),
        ("deepseek_v4", "deepseek_v4"),
        ("deepseek_v41", "deepseek_v4_1"),
        ("glm47", "glm_4_7"),
        ("hermes", "qwen_3"),
        ("kimi_k2", "kimi"),
        ("llama3_json", "llama"),
        ("minimax_m3", "minimax_m3"),
    ],
)
def test_takes_what_xgrammars_own_tag_takes(
    dialect: str, model: str, xgrammar: Any, accepts: Callable[[Any, str], bool]
) -> None:
    tag = tag_of(dialect, TOOLS)
    own = xgrammar.get_model_structural_tag(model, TOOLS, reasoning="disabled")
    for calls in RIGHT + WRONG:
        text = dialects.get(dialect).render_turn("Prose.", None, calls)
        assert accepts(tag, text) == accepts(own, text), calls


def test_a_tool_declared_differently_is_called_either_way(accepts: Callable[[Any, str], bool]) -> None:
    old = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}
    for dialect in (dialects.get("hermes"), dialects.get("qwen3_xml")):
        tag = tag_of(dialect.name, [TOOL], [tool("get_weather", old)])
        for arguments, taken in ({"city": "Rome"}, True), ({"place": "Rome"}, True), ({"town": "Rome"}, False):
            text = dialect.render([ToolCall("get_weather", arguments)])
            assert accepts(tag, text) is taken


@each_dataset
def test_real_tools_compile(name: str, xgrammar: Any) -> None:
    run = toolconv("schema", dataset(name), "--structural-tag", "--to", "hermes")
    if "no row declares a tool" in run.err:
        pytest.skip("declares no tools")
    xgrammar.Grammar.from_structural_tag(run.out)


def test_the_tag_of_hermes() -> None:
    parameters = {"type": "object", "properties": {"q": {"type": "string"}}}
    assert tag_of("hermes", [tool("find", parameters)]) == {
        "type": "structural_tag",
        "format": {
            "type": "triggered_tags",
            "triggers": ["<tool_call>"],
            "tags": [
                {
                    "type": "tag",
                    "begin": '<tool_call>\n{"name": "find", "arguments": ',
                    "content": {"type": "json_schema", "json_schema": parameters},
                    "end": "}\n</tool_call>",
                }
            ],
        },
    }


@pytest.mark.parametrize("name", sorted(NO_STYLE | NO_MARKER))
def test_a_dialect_that_cannot_be_forced_says_why(name: str) -> None:
    run = toolconv("schema", "--structural-tag", "--to", name, stdin=lines(TOOLS))
    why = "neither plain JSON nor in parameter tags" if name in NO_STYLE else "its calls begin as its prose may"
    assert (run.status, run.out) == (2, "")
    assert f"no structural tag can force dialect {name!r}: " in run.err
    assert why in run.err
