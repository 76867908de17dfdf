"""Dialects from elsewhere, dialects by model name, and the detection of one by a text."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES, ROOT, each, exhaustive, table, tables, toolconv
from tests.helpers import plan_rows
from toolconv import dialects, layouts, templates, trainers
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects import all_dialects, detection, dialect_file, registry, vocabulary
from toolconv.dialects.base import Dialect, Reasoning
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import PLAIN_CHAT, ChatFormat
from toolconv.dialects.dialect_file import TOOL_NOTATIONS, DialectFileError, load
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.name_then_json import NameThenJson
from toolconv.dialects.lexing.markers import may_show_calls
from toolconv.dialects.lexing.plain_text import may_hold_bare_call

ACME = """
grammar = "json_blocks"
name = "acme"
aliases = ["acme-7b"]
separator = "\\n"
calls.call = '<acme>{"name": {name|json}, "arguments": {args}}</acme>'
calls.between = "\\n"
"""
QUILL = """
grammar = "xml_parameters"
name = "quill"
[calls]
call = "§{name}\\n{params}§end"
"""
QUILL_PARAM = 'param = "<{key}>{value}</{key}>"'


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test registers in a copy, so that no other test sees its dialects."""
    all_dialects()  # loads them, once
    monkeypatch.setattr(registry, "_loaded", dict(registry._loaded))
    monkeypatch.setattr(registry, "_registered", None)
    monkeypatch.setattr(registry, "_added", [])
    yield


def test_a_dialect_added_at_run_time() -> None:
    dialects.register(JsonBlocks(name="acme-run", calls=CallTemplate('<<{"name": {name|json}, "arguments": {args}}>>')))
    parsed = dialects.get("acme_run").parse('<<{"name": "f", "arguments": {}}>>')
    assert [call.name for call in parsed.calls] == ["f"]


def test_the_words_of_the_built_in_dialects_are_up_to_date() -> None:
    assert vocabulary.FILE.read_text("utf-8") == vocabulary.file_text(), "run python -m toolconv.manual"


def test_the_words_of_an_added_dialect_are_known() -> None:
    reasoning = Reasoning("§think", "§end")
    calls = CallTemplate('Do: {"name": {name|json}, "arguments": {args}}')
    assert not may_show_calls("Do: it") and "§think" not in vocabulary.vocabulary().reasoning
    dialects.register(JsonBlocks(name="acme-do", opens=("Do:",), closes=("",), calls=calls, reasoning=reasoning))
    assert may_show_calls("Do: it") and "§think" in vocabulary.vocabulary().reasoning


@pytest.mark.parametrize("package", [templates, trainers])
def test_a_name_finds_the_same_with_its_own_file_loaded_and_with_all(package: Any) -> None:
    """A file that holds a name is asked first, so no other file may hold it."""
    registry = package.get.__self__
    for name, item in registry._find().items():
        assert registry._in_own_file(name) in (None, item)


MODULES = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); from toolconv.cli import main; main()"


def modules_of(command: tuple[str, ...], row: dict[str, Any]) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-c", MODULES, *command], input=json.dumps(row), capture_output=True, text=True
    )
    return run.stderr.splitlines()[-1].split()


def formats_in(modules: list[str]) -> set[str]:
    return {name.rpartition(".")[2] for name in modules if name.startswith("toolconv.dialects.formats.")}


@each(
    "command, formats, templates",
    [
        (("lint", "--isolated"), set(), 0),
        (("stats",), {"hermes"}, 0),
        (("convert", "--to", "qwen3_xml"), {"hermes", "qwen3_xml"}, 0),
        (("parse",), {"hermes"}, 0),
        (("render", "--template", "qwen3"), {"hermes"}, 5),
    ],
)
def test_rows_without_markup_load_no_dialects_but_those_in_use(
    command: tuple[str, ...], formats: set[str], templates: int
) -> None:
    row = {"messages": [{"role": "user", "content": "Is it (still) raining?"}, {"role": "assistant", "content": "No."}]}
    loaded = modules_of(command, row)
    assert formats_in(loaded) == formats
    assert sum(name.startswith("toolconv.templates.") for name in loaded) <= templates or not templates


@each("command", [("convert", "--to", "hermes"), ("render", "--template", "qwen3")])
def test_plain_rows_with_calls_load_no_dialects_but_the_one_in_use(command: tuple[str, ...]) -> None:
    assert formats_in(modules_of(command, plan_rows.PLAIN["call"])) == {"hermes"}


@exhaustive
def test_a_dialect_of_an_installed_package(tmp_path: Path) -> None:
    (tmp_path / "acme_calls.py").write_text(
        "from toolconv.dialects.grammars.json_blocks import JsonBlocks\n"
        "DIALECT = JsonBlocks(name='acme', opens=('<acme>',), closes=('</acme>',), models=('Acme-7B',))\n"
    )
    info = tmp_path / "acme_calls-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-calls\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[toolconv.dialects]\nacme = acme_calls:DIALECT\n")
    path = f"{tmp_path}:{ROOT}"
    assert "acme             Acme-7B" in toolconv("dialects", PYTHONPATH=path).out
    text = '<acme>{"name": "f", "arguments": {"a": 1}}</acme>'
    run = toolconv("convert", "--from", "acme", "--to", "kimi", stdin=text, PYTHONPATH=path)
    assert run.out == '## Calling: f\n{"a":1}\n'


def test_a_dialect_of_a_package_that_cant_be_read_is_left_out_with_its_reason(tmp_path: Path) -> None:
    lines = (
        "from toolconv.dialects.call_template import CallTemplate\n"
        "from toolconv.dialects.grammars.xml_parameters import XmlParameters\n"
        "CALLS = CallTemplate('§{name}\\n{params}§end', param='- {key} :: {value}\\n')\n"
        "DIALECT = XmlParameters(name='quill', calls=CALLS)\n"
    )
    path = installed(tmp_path, "quill_calls", lines, "[toolconv.dialects]", "quill = quill_calls:DIALECT")
    run = toolconv("parse", stdin="A § sign.\n", PYTHONPATH=path)
    assert run.status == 0 and run.rows[0]["messages"][0]["content"] == "A § sign."
    assert "quill_calls:DIALECT is left out: text that is not white space must open and close an argument" in run.err


WITH_IDS = """
grammar = "name_then_json"
name = "acme_ids"
carries_ids = true
calls.call = "<call>{id}<args>{args}</call>"
calls.id = "functions.{name}:{index}"
calls.turn = "Plan: {prose}\\n{calls}"
calls.turn_without_calls = "Answer: {prose}"
"""


def test_ids_and_forms_of_turns_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "acme.toml"
    path.write_text(WITH_IDS)
    dialect = load(str(path))
    calls = [ToolCall("f", {"a": 1}, "functions.f:0"), ToolCall("g", {}, "functions.g:1")]
    text = '<call>functions.f:0<args>{"a": 1}</call><call>functions.g:1<args>{}</call>'
    assert dialect.render_turn("", None, calls) == text
    assert dialect.render_turn("Look.", None, calls) == f"Plan: Look.\n{text}"
    assert dialect.render_turn("Done.", None, []) == "Answer: Done."
    assert dialect.parse(text).calls == dialect.parse_own(text, ToolIndex([])).calls == calls
    malformed = dialect.parse("<call> functions.f:0 <args>\n{'a': 1,}</call>")
    assert (malformed.calls, malformed.repairs) == (calls[:1], ["single_quotes", "trailing_comma"])


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_dialect_given_as_a_file(tmp_path: Path, jobs: int) -> None:
    path = tmp_path / "acme.toml"
    path.write_text(ACME)
    row = {
        "text": 'Yes.\n<acme>{"name": "f", "arguments": {}}</acme>\n<acme>{"name": "g", "arguments": {"a": [1]}}</acme>'
    }
    run = toolconv("parse", "--dialect-file", path, "--from", "acme-7b", "--jobs", jobs, stdin=json.dumps(row) + "\n")
    message = run.rows[0]["messages"][0]
    assert message["content"] == "Yes."
    assert [call["function"]["name"] for call in message["tool_calls"]] == ["f", "g"]
    back = toolconv("render", "--dialect-file", path, "--to", "acme", "--to-layout", "completion", stdin=run.raw)
    assert back.rows == [row]


def test_other_grammars_as_files(tmp_path: Path) -> None:
    tags = tmp_path / "tags.toml"
    tags.write_text(
        'grammar = "xml_parameters"\nname = "tags"\n[calls]\nparam = "<parameter={key}>\\n{value}\\n</parameter>\\n"\n'
        'call = "<call>\\n<function={name}>\\n{params}</function>\\n</call>"\n'
    )
    text = "<call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</call>"
    assert load(str(tags)).parse(text).calls[0].arguments == {"a": 1}
    python = tmp_path / "python.toml"
    python.write_text(
        'grammar = "python_calls"\nname = "py"\n[calls]\ncall = "{name}({params})"\nparam = "{key}={value|python}"\n'
        'param_between = ", "\nbefore = "<py>["\nbetween = ", "\nafter = "]</py>"\n'
    )
    assert load(str(python)).parse("<py>[f(a='x', b=None)]</py>").calls[0].arguments == {"a": "x", "b": None}
    config = tmp_path / "tokenizer_config.json"
    call = {"open": "<c>", "close": "</c>", "content": "json", "repeats": True,
            "transform": {"type": "function", "function": "{content}"}}  # fmt: skip
    config.write_text(
        json.dumps({"response_template": {"start_anchor": "A", "fields": {"tool_calls": call, "content": {}}}})
    )
    assert load(str(config)).parse('Hm.<c>{"name": "f", "arguments": {"a": 2}}</c>').calls[0].arguments == {"a": 2}


TAGS = """
grammar = "xml_parameters"
name = "tags"
losses = ["argument_type"]

[calls]
call = "<call>\\n<function={name}>\\n{params}</function>\\n</call>"
param = "<parameter={key}>\\n{value|str}\\n</parameter>\\n"
between = "\\n"

[json]
opens = ["<call>"]
closes = ["</call>"]
bare = "never"

[reasoning]
open = "<plan>"
close = "</plan>"

[chat]
tools_close = "\\nEnd of tools."
tool = {headed = {spelling = "## {name}\\n{description}\\n{parameters}", json = "compact_json"}}
tools_between = "\\n\\n"
responses_open = "<results>"
responses_close = "</results>"
response = "<result>{content}</result>"
one_turn = true
"""


def test_a_dialect_file_sets_what_a_dialect_can(tmp_path: Path) -> None:
    path = tmp_path / "tags.toml"
    path.write_text(TAGS)
    dialect = load(str(path))
    text = dialect.render_turn("", "Look.", [ToolCall("f", {"a": [1, None]})])
    assert (
        text == "<plan>Look.</plan><call>\n<function=f>\n<parameter=a>\n[1, None]\n</parameter>\n</function>\n</call>"
    )
    assert dialect.parse('<call>{"name": "f", "arguments": {"a": 1}}</call>').calls == [ToolCall("f", {"a": 1})]
    parameters = {"type": "object", "properties": {}}
    tools = [
        {"type": "function", "function": {"name": name, "description": "D", "parameters": parameters}} for name in "fg"
    ]
    declaration = dialect.chat.declare("Be brief.", tools)
    listed = "\n\n".join(f'## {name}\nD\n{{"type":"object","properties":{{}}}}' for name in "fg")
    assert declaration == f"Be brief.\n\n# Tools\n\n{listed}\nEnd of tools."
    assert dialect.chat.read_declaration(declaration) == ("Be brief.", tools)
    results = [{"role": "tool", "content": "1"}, {"role": "tool", "content": "2"}]
    (turn,) = dialect.chat.write_responses(results)
    assert turn == {"role": "tool", "content": "<results><result>1</result>\n<result>2</result></results>"}
    assert dialect.chat.read_responses(turn["role"], turn["content"]) == results


NOTATIONS = [
    *(f'"{name}"' for name in TOOL_NOTATIONS),
    '{headed = {spelling = "## {name}\\n{description}\\n{parameters}"}}',
    '{typescript = {between = "\\n\\n", last = ","}}',
    '{delimited = {delimiter = "|", between = ";"}}',
]


@pytest.mark.parametrize("notation", NOTATIONS)
def test_every_notation_of_tools_by_name(tmp_path: Path, notation: str) -> None:
    path = tmp_path / "acme.toml"
    path.write_text(f"{ACME}\n[chat]\ntool = {notation}\n")
    chat = load(str(path)).chat
    schema = {"type": "object", "properties": {"a": {"type": "string", "description": "An a."}}, "required": ["a"]}
    functions = [{"name": name, "description": f"Does {name}.", "parameters": schema} for name in ("f", "g")]
    tools = [{"type": "function", "function": function} for function in functions]
    assert chat.keeps(tools)
    assert chat.read_declaration(chat.declare("Be brief.", tools)) == ("Be brief.", tools)


def test_the_page_of_dialect_files_names_all_that_a_file_can_hold() -> None:
    fields = {field.name for table in (ChatFormat, CallTemplate) for field in dataclasses.fields(table)}
    names = {*dialect_file.GRAMMARS, *TOOL_NOTATIONS, *dialect_file.TOOL_CLASSES, *fields} - {
        *dialect_file.NOT_IN_FILES
    }
    page = dialect_file.__doc__ or ""
    assert {name for name in names if not re.search(rf"[`{{\" ]{name}\b", page)} == set()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('name = "x"', "'grammar' is missing; it is one of json_blocks, name_then_json, "),
        (ACME.replace("json_blocks", "blocks"), "'grammar' can't be 'blocks'; it is one of json_blocks, "),
        ('grammar = "json_blocks"', "'name' is missing"),
        (ACME + "openers = []", "'openers' is not a field here; the fields are aliases, alone, argument_key, "),
        (ACME + "bare = 'sometimes'", "'bare' can't be 'sometimes'; it is one of always, repair, never"),
        (ACME + "listed = 3", "'listed' can't be 3; it must be true or false"),
        (ACME + "losses = ['call', 'ids']", "'losses' can't have 'ids'; it is a list of call, argument_key, "),
        (ACME.replace("{args}", "{args|yaml}"), "'yaml' is no spelling; there are delimited, text, json, "),
        (
            ACME + "calls.parm = ''",
            "'calls.parm' is not a field here; the fields are after, also_spelled, before, between, call, ",
        ),
        (ACME + "prose_tags = [['<a>']]", "'prose_tags' can't be ['<a>']; it must be a list of 2 texts"),
        (ACME + "[reasoning]\nopen = '<plan>'", "'reasoning.close' is missing"),
        (ACME + "[chat]\nrole = 'user'", "'chat.role' is not a field here; the fields are bare_tools, "),
        (ACME + "[chat]\nresponse = '<r>'", "the response '<r>' needs {content}"),
        (ACME + "[chat]\ntool = 'yaml'", "'chat.tool' can't be 'yaml'; it is one of json, compact_json, "),
        (
            ACME + "[chat]\ntool = {yaml = {}}",
            "'chat.tool' can't be 'yaml'; it is one of headed, typescript, delimited",
        ),
        (ACME + "[chat]\ntool = {headed = {}}", "'chat.tool.headed.spelling' is missing"),
        (
            ACME + "[chat]\ntool = {headed = {spelling = '{name}'}}",
            "'{name}' needs {name}, {description} and {parameters}, in this order",
        ),
        (ACME.replace("{name|json}", '"f"'), "'calls': a call without {name}: "),
        (ACME.replace("json_blocks", "name_then_json"), "'grammar' can't read what 'calls' writes ("),
        (
            'grammar = "name_then_json"\nname = "acme"\ncalls = "{name}: {args}"',
            "'calls' must be a marker, {name} or {id}, then {args}: '{name}: {args}'",
        ),
        (ACME.replace("json_blocks", "python_calls"), "'grammar' can't read what 'calls' writes ("),
        (
            'grammar = "name_then_json"\nname = "acme"\ncalls = "<t>{args}: {name}</t>"',
            "'calls' must be a marker, {name} or {id}, then {args}: '<t>{args}: {name}</t>'",
        ),
        *(
            (f'grammar = "{grammar}"\nname = "acme"', "'calls' is missing")
            for grammar in ("name_then_json", "xml_parameters", "delimited_values", "python_calls")
        ),
        (
            QUILL.replace("§end", "<end>") + "param = '- {key} :: {value} '",
            "text that is not white space must open and close an argument: '- {key} ::  …  '",
        ),
        (QUILL.replace("§{name}", "{name}") + QUILL_PARAM, "must open and close a call"),
        (QUILL.replace("§{name}", "§").replace("§end", "{name}§end") + QUILL_PARAM, "{name} must precede {params}"),
        (QUILL.replace("§end", "") + QUILL_PARAM, "must open and close a call"),
        (QUILL.replace("§end", "</w>").replace("§", "<w><c ") + QUILL_PARAM, "must open and close several calls"),
        *(
            (f'grammar = "delimited_values"\nname = "acme"\ncalls = "{call}"', "must open and close a call")
            for call in ("<t>{name}{args}", "{name}{args}</t>", "<t>{name}{args}\\n")
        ),
        ("grammar = ", "acme.toml"),
    ],
)
def test_a_wrong_dialect_file_says_what_to_mend(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "acme.toml"
    path.write_text(text)
    with pytest.raises(DialectFileError, match=r"acme\.toml") as caught:
        load(str(path))
    assert words in str(caught.value)
    run = toolconv("parse", "--dialect-file", path, stdin="{}")
    assert run.status == 2
    assert words in run.err


# Names that vLLM's ``--tool-call-parser`` takes (0.33), and those of datasets and older models.
VLLM = [
    "apertus",
    "beam",
    "cohere_command3",
    "cohere_command4",
    "deepseek_v3",
    "deepseek_v31",
    "deepseek_v32",
    "deepseek_v4",
    "deepseek_v41",
    "dots",
    "ernie45",
    "functiongemma",
    "gemma4",
    "gigachat3",
    "glm45",
    "glm47",
    "granite",
    "granite-20b-fc",
    "granite4",
    "hermes",
    "hf",
    "hunyuan_a13b",
    "hy_v3",
    "hy_v4",
    "inkling",
    "internlm",
    "jamba",
    "k2_horizon",
    "kimi_k2",
    "kimi_k3",
    "lfm2",
    "ling3",
    "llama3_json",
    "llama4_json",
    "llama4_pythonic",
    "longcat",
    "mimo",
    "minicpm5",
    "minimax_m2",
    "minimax_m3",
    "mistral",
    "muse",
    "muse_glimmer",
    "musespark1x",
    "olmo3",
    "openai",
    "phi4_mini_json",
    "plamo3",
    "poolside_v1",
    "pythonic",
    "qwen3_coder",
    "qwen3_json",
    "qwen3_xml",
    "seed_oss",
    "step3",
    "step3p5",
    "step5",
    "xlam",
    "minimax",
    "harmony",
    "gpt-oss",
    "gptoss",
    "generic",
    "kimi",
    "moonshot",
    "llama3_custom",
    "functionary_v31",
    "functionary_v32",
    "functionary_v2",
    "raven",
    "gorilla",
    "glaive",
    "react",
    "anthropic_xml",
    "firefunction",
    "command_r",
    "toolace",
    "qwen_agent",
    "internlm2_plugin",
    "glm4_chat",
    "chatglm3",
    "minicpm3",
    "nemotron",
    "deepseekv3",
    "qwen25",
    "llama3",
    "glm",
    "interns1",
    "minimax-m2",
    "hunyuan",
]


@each("name", VLLM)
def test_every_name_in_use(name: str) -> None:
    assert dialects.get(name).sample


@each(
    "model, name",
    [
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3_xml"),
        ("Qwen/Qwen3-32B", "hermes"),
        ("NousResearch/Hermes-3-Llama-3.1-8B", "hermes"),
        ("Qwen/Qwen2.5-7B-Instruct", "hermes"),
        ("deepseek-ai/DeepSeek-V3.1", "deepseek_v31"),
        ("deepseek-ai/DeepSeek-R1-0528", "deepseek_v3"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama3_json"),
        ("openai/gpt-oss-120b", "harmony"),
        ("zai-org/GLM-4.6", "glm45"),
        ("zai-org/GLM-4.7-Flash", "glm47"),
        ("THUDM/glm-4-9b-chat", "glm4_chat"),
        ("google/functiongemma-270m-it", "functiongemma"),
        ("moonshotai/Kimi-K2-Instruct", "kimi_k2"),
        ("allenai/OLMoE-1B-7B-0924", "generic"),
        ("ibm-granite/granite-20b-functioncalling", "granite-20b-fc"),
        ("Team-ACE/ToolACE-8B", "toolace"),
        ("someone/unheard-of", "generic"),
    ],
)
def test_a_model_picks_its_dialect(model: str, name: str) -> None:
    assert dialects.for_model(model).name == name


@pytest.mark.exhaustive
def test_detection_names_a_dialect_that_reads_the_text_the_same() -> None:
    tools = ToolIndex(json.loads((FIXTURES / "conformance" / "tools.json").read_bytes()))
    asked = right = 0
    for found in tables("conformance").values():
        for case in [case for case in found if case["calls"] and "malformed" not in case][::4]:
            asked += 1
            found = detection.detect(case["text"], tools).name
            if found is not None:
                read = dialects.get(found).parse(case["text"], tools).calls
                right += [(call.name, call.arguments) for call in read] == [
                    (call["name"], call["arguments"]) for call in case["calls"]
                ]
    assert right >= 0.98 * asked


WORDS = (
    "ping",
    "Action",
    "Call",
    ":",
    "\n",
    " ",
    '"',
    "=",
    ">>>",
    "✿",
    "|",
    "##",
    "```json",
    ",",
    "}",
    "]",
    ")",
    "to=",
    "@",
    "ping(",
    "{",
    '{"name": "ping"',
    '"arguments": {',
    "[",
)


@given(st.lists(st.sampled_from(WORDS), max_size=12).map("".join))
def test_no_dialect_reads_a_call_in_what_is_said_to_hold_none(text: str) -> None:
    everyone = [dialect for dialect in all_dialects() if dialect.name not in detection.CATCH_ALL]
    unmarked = [dialect for dialect in everyone if not any(marker in text for marker in dialect.markers)]
    tools = ToolIndex([{"type": "function", "function": {"name": "ping"}}])
    if not may_hold_bare_call(text, tools):
        assert [dialect.name for dialect in unmarked if dialect.parse_own(text, tools).calls] == []


def test_a_row_in_another_dialect_is_read_by_its_own_markers() -> None:
    texts = [dialects.get("hermes").sample] * 3 + [dialects.get("kimi_k2").sample]
    run = toolconv("parse", stdin="".join(json.dumps({"text": text}) + "\n" for text in texts))
    assert all(row["messages"][0]["tool_calls"] for row in run.rows)
    assert "other_dialect" not in run.err


def installed(folder: Path, module: str, text: str, *entries: str) -> str:
    """A package with a module and entry points, installed in ``folder``; the ``PYTHONPATH`` to find it."""
    (folder / f"{module}.py").write_text(text)
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module.replace('_', '-')}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("".join(f"{entry}\n" for entry in entries))
    return f"{folder}:{ROOT}"


ASKED = '''"""Questions with an answer: ``messages`` and ``asked``, which no other layout has."""
from toolconv.core.conversation import Conversation
from toolconv.core.row_fields import RowField
from toolconv.layouts.base import Layout

class Asked(Layout):
    name = "asked"
    aliases = ("asked-log",)
    sample = '{"asked":"Is it up?","messages":[{"role":"assistant","content":"Yes."}]}'

    def matches(self, row):
        return isinstance(row["asked"], str)

    def decode(self, row):
        messages = [{"role": "user", "content": row["asked"]}, *row["messages"]]
        return Conversation(
            {"messages": messages},
            fields=(RowField("/asked", 1), RowField("/messages", len(messages) - 1, row["messages"])),
        )

    def encode(self, conversation, original=None):
        first, *others = conversation.messages
        return {"asked": first["content"], "messages": others}

LAYOUT = Asked()
'''


@pytest.mark.exhaustive
def test_a_layout_of_an_installed_package(tmp_path: Path) -> None:
    path = installed(tmp_path, "asked_rows", ASKED, "[toolconv.layouts]", "asked = asked_rows:LAYOUT")
    assert "asked            Questions with an answer" in toolconv("layouts", PYTHONPATH=path).out
    row = '{"asked":"Is it up?","messages":[{"role":"assistant","content":"Yes."}]}\n'
    assert toolconv("layouts", "asked-log", PYTHONPATH=path).out.endswith(row)
    run = toolconv("parse", stdin=row, PYTHONPATH=path)
    assert [message["content"] for message in run.rows[0]["messages"]] == ["Is it up?", "Yes."]
    back = toolconv("convert", "--to-layout", "asked", stdin=run.raw, PYTHONPATH=path)
    assert back.out == row


def test_a_layout_added_at_run_time_is_asked_before_the_built_in_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "_added", {})
    monkeypatch.setattr(layouts, "_loaded", dict(layouts._loaded))
    scope: dict[str, Any] = {}
    exec(ASKED, scope)
    row = json.loads(scope["LAYOUT"].sample)
    before = layouts.detect(row)
    assert before is not None and before.name == "chat"
    layouts.register(scope["LAYOUT"])
    assert layouts.detect(row) is layouts.get("asked") is layouts.get("asked-log") is scope["LAYOUT"]
    assert "asked" in layouts.names()
    assert layouts.get("asked").read(row).origin == ("asked", row)


@pytest.mark.exhaustive
def test_a_template_of_an_installed_package(tmp_path: Path) -> None:
    text = (
        '"""Acme\'s chat models: turns of ``<|role|>`` and ``<|done|>``."""\n'
        "from toolconv import dialects\n"
        "from toolconv.templates.base import Template\n"
        "TEMPLATE = Template(name='acme', aliases=('acme-7b',), dialect=dialects.get('hermes'), models=('Acme-7B',),\n"
        "                    open='<|{role}|>', stop='<|done|>')\n"
    )
    path = installed(tmp_path, "acme_chat", text, "[toolconv.templates]", "acme = acme_chat:TEMPLATE")
    assert "acme " in toolconv("templates", PYTHONPATH=path).out
    assert "Acme's chat models" in toolconv("templates", "acme", PYTHONPATH=path).out
    row = '{"messages":[{"role":"user","content":"Is it up?"},{"role":"assistant","content":"Yes."}]}\n'
    run = toolconv("render", "--template", "acme-7b", stdin=row, PYTHONPATH=path)
    assert run.rows[0]["text"] == "<|user|>Is it up?<|done|>\n<|assistant|>Yes.<|done|>\n"


# ── every built-in dialect as a file ──

GRAMMAR_OF = {cls: grammar for grammar, cls in dialect_file.GRAMMARS.items()}
NOTATION_OF = {(notation.write, notation.read): name for name, notation in reversed(TOOL_NOTATIONS.items())}
KIND_OF = {cls: kind for kind, (cls, _) in dialect_file.TOOL_CLASSES.items()}
SPELLING_OF = {spelling: name for name, spelling in dialect_file.SPELLINGS.items()}
TABLES = {CallTemplate, Reasoning, *GRAMMAR_OF, *KIND_OF}

NEED_CODE = {
    "firefunction": "a function that writes tools",
    "granite": "a function that writes tools",
    "internlm": "a function that writes tools",
    "jamba": "a function that writes tools",
    "longcat": "a subclass of ChatFormat",
    "nemotron": "a subclass of ChatFormat",
}
"""Dialects of plain grammars whose ``[chat]`` no file can hold. This list may only shrink."""


class NeedsCode(Exception):
    """A value that a dialect file can't hold."""


def as_toml(value: Any) -> str:
    """A field's value as TOML."""
    if type(value) is ChatFormat:
        return as_toml(chat_fields(value))
    if isinstance(value, Reasoning):  # a file without ``before`` and ``after`` writes ``open`` and ``close``
        return as_toml(dataclasses.asdict(value))
    if type(value) in TABLES:  # the chat of a dialect in another is not used
        return as_toml({key: member for key, member in set_fields(value).items() if key != "chat"})
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {as_toml(member)}" for key, member in value.items()) + "}"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(as_toml, value))}]"
    if callable(value) and value in SPELLING_OF:
        return as_toml(SPELLING_OF[value])
    if isinstance(value, str | bool | int):
        return json.dumps(value, ensure_ascii=False)
    raise NeedsCode(repr(value))


def set_fields(value: Any) -> dict[str, Any]:
    """The fields of a dataclass that differ from their defaults, without those that the registry fills in."""
    found = {}
    for field in dataclasses.fields(value):
        default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        if field.name != "module" and getattr(value, field.name) != default:
            found[field.name] = getattr(value, field.name)
    return found


def chat_fields(chat: ChatFormat) -> dict[str, Any]:
    """The table ``[chat]``: a notation of tools is a name, or a table of its fields."""
    notation = getattr(chat.tool, "__self__", None)
    if type(notation) in KIND_OF and chat.read == notation.read:
        tool: Any = {KIND_OF[type(notation)]: set_fields(notation)}
    elif (chat.tool, chat.read) in NOTATION_OF:
        tool = NOTATION_OF[chat.tool, chat.read]
    else:
        raise NeedsCode(repr(chat.tool))
    written = {key: value for key, value in set_fields(chat).items() if key != "read"}
    return {**written, "tool": tool, "tools_between": chat.tools_between, "bare_tools": chat.bare_tools}


def as_file(dialect: Dialect, grammar: type[Dialect], folder: Path) -> Dialect:
    """A dialect, written to a file and loaded."""
    fields = {name: value for name, value in set_fields(dialect).items() if name in grammar.__dataclass_fields__}
    lines = [f"{name} = {as_toml(value)}\n" for name, value in {"grammar": GRAMMAR_OF[grammar], **fields}.items()]
    path = folder / "dialect.toml"
    path.write_text("".join(lines), encoding="utf-8")
    return load(str(path))


def texts_of(name: str, step: int) -> list[tuple[str, ToolIndex]]:
    """The texts of the cases of a dialect, with the tools they are read with; of the conformance cases, one in ``step``."""
    known = json.loads((FIXTURES / "conformance" / "tools.json").read_bytes())
    given = [(case, case.get("tools", [])) for case in table("dialects", name)]
    given += [(case, case.get("tools", known)) for case in table("conformance", name)[::step]]
    return [(case["text"], ToolIndex(tools)) for case, tools in given]


PLAIN = [dialect for dialect in all_dialects() if type(dialect) in GRAMMAR_OF]
LOOKUP = {
    "type": "function",
    "function": {
        "name": "lookup",
        "description": "Looks a key up.",
        "parameters": {
            "type": "object",
            "properties": {"key": {"type": "string", "description": "A key."}},
            "required": ["key"],
        },
    },
}


@exhaustive
@pytest.mark.sweep
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=exhaustive)])
@pytest.mark.parametrize("dialect", PLAIN, ids=[dialect.name for dialect in PLAIN])
def test_a_file_says_everything_a_built_in_dialect_can(dialect: Dialect, step: int, tmp_path: Path) -> None:
    if dialect.name in NEED_CODE:
        with pytest.raises(NeedsCode):
            as_toml(dialect.chat)
        dialect = dataclasses.replace(dialect, chat=PLAIN_CHAT)
    loaded = as_file(dialect, type(dialect), tmp_path)
    for text, tools in texts_of(dialect.name, step):
        parsed = dialect.parse(text, tools)
        assert loaded.parse(text, tools) == parsed
        assert loaded.parse_own(text, tools) == dialect.parse_own(text, tools)
        turn = parsed.content, parsed.reasoning, parsed.calls
        assert loaded.render_turn(*turn) == dialect.render_turn(*turn)
    assert loaded.markers == dialect.markers
    assert loaded.chat.declare("Be brief.", [LOOKUP]) == dialect.chat.declare("Be brief.", [LOOKUP])
    results = [{"role": "tool", "tool_call_id": "a", "name": "lookup", "content": text} for text in ("1", "2")]
    assert loaded.chat.write_responses(results) == dialect.chat.write_responses(results)


HEADED = ["kimi", "llama3_custom", "kimi_k2", "plamo3", "deepseek_v31"]
"""Dialects whose classes read further headers, of which files read the family's own."""


@pytest.mark.parametrize("name", HEADED)
def test_a_file_reads_the_headers_that_a_family_writes(name: str, tmp_path: Path) -> None:
    dialect = dataclasses.replace(dialects.get(name), chat=PLAIN_CHAT)
    loaded = as_file(dialect, NameThenJson, tmp_path)
    read = 0
    for case in [case for folder in ("dialects", "conformance") for case in table(folder, name)]:
        calls = dialect.parse(case["text"]).calls
        text = dialect.render_turn("", None, calls)
        if calls and case.get("renders", dialect.parse(case["text"]).repairs == []) and case["text"] == text:
            read += 1
            assert loaded.render(calls) == text
            assert loaded.parse_own(text, ToolIndex([])) == dialect.parse_own(text, ToolIndex([]))
    assert read
