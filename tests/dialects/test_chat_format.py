"""How chats declare tools: no family's words by default, and no declaration that asks for what its dialect can't read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import any_text, each, toolconv
from tests.templates.test_templates import written
from toolconv import dialects, templates
from toolconv.core.messages import Tool
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.chat import HERMES_CHAT, PLAIN_CHAT, ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.response_template import from_template

LOOKUP: Tool = {
    "type": "function",
    "function": {
        "name": "lookup",
        "description": "Looks a key up.",
        "parameters": {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]},
    },
}
ROW: dict[str, Any] = {
    "tools": [LOOKUP],
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Go."},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "call_0", "type": "function", "function": {"name": "lookup", "arguments": '{"key": "x"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "call_0", "content": "1"},
        {"role": "assistant", "content": "Done."},
    ],
}

PLACEHOLDERS = (
    (r'\{\{(?="name")', "{"),
    (r'"tool_args\d"\}\}', '{"key": "x"}}'),
    (
        r"<args-json-object>|<args-dict(?:-\d)?>|<?function_arguments_in_json_format>?|tool_call_arguments|\$\{content\}"
        r"|\[function arguments as JSON\]|dictionary of argument name and its value|The input of the tool"
        r"|the input to the action, a JSON object",
        '{"key": "x"}',
    ),
    (r"\[function name\]|(?<=: )<(?:function|tool)-name(?:-\d)?>|(?<=: )function name(?=,)", '"lookup"'),
    (r"<tool-call-id>", "a1b2c3d4e5"),
    (r"\{example-key-name-\d\}", "key"),
    (r"\{example-value-\d\}", "x"),
    (
        r"\{function-name\}|\{example-tool-name\}|(?<=\|>)<tool-name>|<function_name>|function_name(?=\n```json)|tool_call_name(?=[<\"])|\$\{recipient\}"
        r"|\$(?:FUNCTION|TOOL)_NAME2?|func(?:_name)?\d|(?:example_)?function_name|tool-name-\d|tool_name\d?(?=\")"
        r"|(?<=\")<function-name>(?=\")|(?<=[>\"])function-name|no_function|The tool to use|the action to take, should be the name of one of the tools",
        "lookup",
    ),
    (r"\{\{additional_tool_calls\}\}|, \.\.\. \(additional[^)]*\)|(?:,\s*)?\.\.\.", ""),
    (r"params?_name\d?=param(?:s|eter)?_value\d?|param\d=value\d", 'key="x"'),
    (r"\(params\)", "()"),
    (r"function_\d_name", '"lookup"'),
    (r"argument_1_name: argument_1_value, argument_2_name: argument_2_value", '"key": "x"'),
)
"""Placeholders that declarations show in the format of a call, and what a model writes in their places."""

CALL_FORMAT = re.compile(r'"name":|[a-z]\w*\(\w+=')
"""A call in a declaration: JSON with a name, or Python."""

ONLY_MENTIONED = {
    "gorilla": "the prompt opens its list of tools with the marker of a call",
    "granite": "the prompt names the token, and describes the JSON after it in words",
}
"""Dialects whose declarations hold a marker but show no call."""

TEMPLATES_WITHOUT_TOOLS = (
    "deepseek-r1-distill",
    "deepseek-v2.5",
    "deepseek-v3",
    "deepseek-v3.1",
    "deepseek-v3.1-terminus",
)
"""Templates whose originals declare no tools."""


def all_names() -> list[str]:
    return [dialect.name for dialect in dialects.all_dialects()]


def is_distinctive(marker: str) -> bool:
    """Whether a marker can't be taken for prose or JSON."""
    return len(marker) > 4 and not marker.isalnum()


def filled(text: str) -> str:
    """A declaration with a name and arguments in place of its placeholders."""
    for pattern, value in PLACEHOLDERS:
        text = re.sub(pattern, lambda _, value=value: value, text)
    return text


def shown(text: str, dialect: Dialect) -> bool:
    """Whether a declaration shows the format of a call."""
    return any(marker in text for marker in dialect.markers if is_distinctive(marker)) or bool(CALL_FORMAT.search(text))


def foreign_markers(text: str, dialect: Dialect, own: str) -> list[str]:
    """Markers of other dialects in a declaration, without those that are in ``own``: what the dialect writes."""
    others = {marker for other in dialects.all_dialects() for marker in other.markers if is_distinctive(marker)}
    others = {marker for marker in others if not any(marker in mine for mine in dialect.markers)}
    return sorted(marker for marker in others if marker in text and marker not in own)


def calls_in(dialect: Dialect, text: str) -> list[ToolCall]:
    calls = dialect.parse(filled(text), ToolIndex([LOOKUP])).calls
    return [call for call in calls if call.name.rpartition(".")[2] == "lookup"]


# ── laws ──


@pytest.mark.parametrize("name", all_names())
def test_a_declaration_asks_for_calls_that_its_dialect_reads(name: str) -> None:
    dialect = dialects.get(name)
    text = f"{dialect.chat.tools_open}\n{dialect.chat.tools_close}"
    if shown(text, dialect) and name not in ONLY_MENTIONED:
        assert calls_in(dialect, text), text


@each("name", all_names())
def test_a_declaration_holds_no_marker_of_another_dialect(name: str) -> None:
    dialect = dialects.get(name)
    calls = [ToolCall("lookup", {"key": "x"}), ToolCall("lookup", {})]
    own = dialect.sample + dialect.render_turn("Prose.", "Thought.", calls)
    assert foreign_markers(dialect.chat.block([LOOKUP]), dialect, own) == []


@pytest.mark.sweep
@pytest.mark.parametrize("name", templates.names())
def test_the_system_turn_of_a_template_asks_for_calls_that_its_dialect_reads(name: str) -> None:
    template = templates.get(name)
    _, page = written(template, ROW)
    tools = "".join(page.text[span["start"] : span["end"]] for span in page.spans() if span["kind"] == "tools")
    assert bool(tools) != (name in TEMPLATES_WITHOUT_TOOLS)
    calls = "".join(page.text[span["start"] : span["end"]] for span in page.spans() if span["kind"] == "call")
    assert foreign_markers(tools, template.dialect, template.dialect.sample + calls) == []
    declared = template.dialect.chat.write_list([LOOKUP])
    asked = tools.replace(declared, "") if declared in tools else tools
    if shown(asked, template.dialect):
        assert calls_in(template.dialect, asked), asked


@pytest.mark.parametrize("name", ["kimi_k2", "minicpm3", "bfcl_fc", "deepseek_v3", "pythonic"])
def test_the_laws_find_a_declaration_in_words_of_another_family(name: str) -> None:
    dialect = dialects.get(name)
    text = f"{HERMES_CHAT.tools_open}\n{HERMES_CHAT.tools_close}"
    asks = shown(text, dialect) and not calls_in(dialect, text)
    assert asks or foreign_markers(text, dialect, dialect.sample)


# ── no family's words by default ──


@given(
    st.fixed_dictionaries(
        {},
        optional={"tools_apart": st.just("\n"), "tools_first": st.booleans(), "one_turn": st.booleans()},
    )
)
def test_a_format_without_words_has_no_markers(fields: dict[str, Any]) -> None:
    chat = ChatFormat(**fields)
    texts = [chat.declare("", [LOOKUP]), *(turn["content"] for turn in chat.write_responses([ROW["messages"][3]] * 2))]
    markers = {marker for dialect in dialects.all_dialects() for marker in dialect.markers if is_distinctive(marker)}
    assert [marker for marker in markers for text in texts if marker in text] == []
    assert chat.read_declaration(chat.declare("Be brief.", [LOOKUP])) == ("Be brief.", [LOOKUP])


VALUES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text()


@given(st.sampled_from(["hermes", "qwen3_xml", "mistral", "bfcl_fc"]), st.lists(VALUES, min_size=1, max_size=3))
def test_declared_tools_are_read_with_every_value_and_type(name: str, values: list[Any]) -> None:
    tools = [
        {**LOOKUP, "function": {**LOOKUP["function"], "name": f"f{at}", "parameters": {"default": value}}}
        for at, value in enumerate(values)
    ]
    chat = dialects.get(name).chat
    back = chat.read_declaration(chat.declare("Be brief.", tools))
    assert back is None or json.dumps(back[1]) == json.dumps(tools)  # in which 1 and 1.0 differ


@each("spelling", ["1E5", "-0", "1e400", "1.0e0", '"\\u0061"', '1, "default": 2'])
def test_a_declaration_that_is_written_differently_stays_in_the_text(spelling: str) -> None:
    text = HERMES_CHAT.declare("Be brief.", [LOOKUP]).replace('"string"', f'"string", "default": {spelling}')
    assert HERMES_CHAT.read_declaration(text) is None


def test_a_dialect_without_a_chat_format_declares_tools_as_plain_json() -> None:
    dialect = JsonBlocks(name="acme", opens=("<acme>",), closes=("</acme>",))
    assert dialect.chat is PLAIN_CHAT
    assert dialect.chat.declare("Be brief.", [LOOKUP]) == f"Be brief.\n\n# Tools\n\n{json.dumps(LOOKUP)}"
    results = [{"role": "tool", "tool_call_id": "call_0", "name": "lookup", "content": text} for text in ("1", "2")]
    assert dialect.chat.write_responses(results) == [{"role": "tool", "content": text} for text in ("1", "2")]


@each(
    "items, written",
    [
        ({"type": "string"}, "string[]"), ({"type": "integer"}, "number[]"), ({"enum": ["a"]}, "any[]"), ({}, "any[]"),
        (None, "any[]"), ({"type": "array", "items": {"type": "boolean"}}, "boolean[][]"),
    ],
)  # fmt: skip
def test_a_list_in_typescript_says_what_its_items_are(items: Any, written: str) -> None:
    schema = {"type": "object", "properties": {"keys": {"type": "array", "items": items}}, "required": ["keys"]}
    tool = {"type": "function", "function": {"name": "lookup", "parameters": schema}}
    assert f"keys: {written}," in dialects.get("harmony").chat.block([tool])


def test_every_dialect_writes_what_declares_no_tool() -> None:
    """It is a loss, which is counted; no row fails for it."""
    for name in dialects.names():
        for nothing in ({"type": "function", "function": {"description": "x"}}, {"x": 1}):
            written = dialects.get(name).chat.block([nothing, LOOKUP])
            assert "lookup" in written or not dialects.get(name).chat.block([LOOKUP])


def test_a_response_template_says_nothing_about_tools() -> None:
    call = {"open": "<call>", "close": "</call>", "content": "json"}
    dialect = from_template({"fields": {"tool_calls": call}})
    assert dialect.chat is PLAIN_CHAT
    assert dialect.sample == '<call>\n{"name": "get_weather", "arguments": {"city": "Tokyo"}}\n</call>'
    assert dialects.get("hf").chat is HERMES_CHAT


def test_a_response_needs_its_content() -> None:
    with pytest.raises(ValueError, match=r"needs \{content\}"):
        ChatFormat(response="<result></result>")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_plain_declaration_is_told_once(tmp_path: Path, jobs: int) -> None:
    path = tmp_path / "acme.toml"
    path.write_text("""grammar = "name_then_json"\nname = "acme"\ncalls = "<acme {name}>{args}</acme>"\n""")
    words = "acme has no wording for tool declarations: tools are written as plain JSON\n"
    options = ("--dialect-file", path, "--to", "acme", "--jobs", jobs)
    rows = (json.dumps(ROW) + "\n") * 3
    assert toolconv("render", *options, stdin=rows).err.count(words) == 1
    assert words not in toolconv("render", *options, "--quiet", stdin=rows).err
    without = json.dumps({"messages": ROW["messages"]}) + "\n"
    assert words not in toolconv("render", *options, stdin=without).err
    assert words not in toolconv("render", "--to", "hermes", stdin=rows).err
    text = json.dumps({"tools": ROW["tools"], "text": "<think>Hm.</think>Good."}) + "\n"  # no text declares its tools
    assert words not in toolconv("convert", "--from", "hermes", *options, stdin=text).err


@pytest.mark.parametrize(("name", "system"), [("bfcl_fc", "# Tools"), ("minicpm3", "# Functions")])
def test_rendered_rows_hold_no_words_of_hermes(name: str, system: str) -> None:
    run = toolconv("render", "--to", name, "--strict", stdin=json.dumps(ROW) + "\n")
    assert run.status == 0, run.err
    first = run.rows[0]["messages"][0]["content"]
    assert system in first
    assert "<tool_call>" not in first
    back = toolconv("parse", "--from", name, "--strict", stdin=run.out)
    assert back.rows[0]["tools"] == [LOOKUP]
    assert back.rows[0]["messages"][0] == ROW["messages"][0]


def test_a_dialect_file_says_how_tools_are_declared(tmp_path: Path) -> None:
    path = tmp_path / "acme.toml"
    acme = 'grammar = "json_blocks"\nname = "acme"\n'
    acme += """calls = '<acme>{"name": {name|json}, "arguments": {args}}</acme>'\n"""
    chat = """
[chat]
tools_open = "Call these tools in <acme> tags:\\n["
tools_between = ","
tools_close = "]"
tool = "compact_json"
tools_first = true
response_role = "user"
response = "<result>{content}</result>"
one_turn = true
"""
    for text, declaration, result in (
        (acme, f"Be brief.\n\n# Tools\n\n{json.dumps(LOOKUP)}", {"role": "tool", "content": "1"}),
        (
            acme + chat,
            f"Call these tools in <acme> tags:\n[{json.dumps(LOOKUP, separators=(',', ':'))}]\n\nBe brief.",
            {"role": "user", "content": "<result>1</result>"},
        ),
    ):
        path.write_text(text)
        run = toolconv("render", "--dialect-file", path, "--to", "acme", "--strict", stdin=json.dumps(ROW) + "\n")
        messages = run.rows[0]["messages"]
        assert messages[0]["content"] == declaration
        assert messages[3] == result
        back = toolconv("parse", "--dialect-file", path, "--from", "acme", stdin=run.out)
        assert back.rows[0]["tools"] == [LOOKUP]
        assert [one["role"] for one in back.rows[0]["messages"]] == [one["role"] for one in ROW["messages"]]


@pytest.mark.parametrize("target", ["qwen3_xml", "deepseek_v3", "minimax", "hermes", "granite4"])
def test_the_prompt_of_hermes_data_stays_only_where_its_calls_are_written(target: str) -> None:
    prompt = templates.get("hermes-fc").dialect.chat.declare("", [LOOKUP])
    call = '<tool_call>\n{"name": "lookup", "arguments": {"key": "x"}}\n</tool_call>'
    turns = [("system", prompt), ("user", "Go."), ("assistant", call)]
    row = {"messages": [{"role": role, "content": content} for role, content in turns]}
    run = toolconv("convert", "--from", "hermes", "--to", target, "--strict", stdin=json.dumps(row) + "\n")
    system, _, assistant = (message["content"] for message in run.rows[0]["messages"])
    kept = target in ("hermes", "granite4")
    assert system == (prompt if kept else dialects.get(target).chat.declare("", [LOOKUP]))
    assert (assistant == call) == kept


@each(
    "text, results",
    [
        ("<tool_response>\n1\n</tool_response>", ["1"]),
        ("<tool_response>1</tool_response>", ["1"]),
        ("<tool_response>\n1\n</tool_response>\n<tool_response>2</tool_response>", ["1", "2"]),
        ("<tool_response>\n\n1\n</tool_response>", ["\n1"]),
        ("<tool_response>1</tool_response> Thanks.", None),
        ("What is <tool_response>1</tool_response>?", None),
    ],
)
def test_results_need_no_line_breaks_around_them(text: str, results: list[str] | None) -> None:
    found = HERMES_CHAT.read_responses("user", text)
    assert found == (None if results is None else [{"role": "tool", "content": each} for each in results])


def test_declarations_before_a_question_end_where_they_are_no_tools() -> None:
    """A question may begin with an object, too."""
    ping: Tool = {"type": "function", "function": {"name": "ping", "parameters": {"type": "object", "properties": {}}}}
    chat = ChatFormat(tools_open="Tools:\n", tools_close="\nEnd")
    for tools in ([ping], [ping, LOOKUP], [LOOKUP, ping]):
        for question in ("Up?", '{"a": 1} is it?', '{"function": {"name": "x", "parameters": {}}}', '{"name": "x"'):
            assert chat.read_leading(f"{chat.block(tools)}\n\n{question}") == (question, tools)
        assert chat.read_leading(f"Hm.\n{chat.block(tools)}\n\nUp?") is None
        assert chat.read_leading(f"{chat.block(tools)}\nUp?") is None
    assert chat.read_leading("Tools:\n\nEnd\n\nUp?") is None
    bare = ChatFormat(tools_open="Tools:\n", bare_tools=True)
    assert bare.read_leading(f"{bare.block([ping])}\n\nUp?") == ("Up?", [ping])
