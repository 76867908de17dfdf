"""Dialects in the forms of other programs: response templates, plugins for vLLM, grammars for llama.cpp."""

from __future__ import annotations

import json
import random
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.conftest import exhaustive, nightly
from tests.helpers import in_process
from tests.helpers.command import toolconv
from tests.helpers.gbnf import Grammar
from toolconv import dialects
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.derive.samples import VALUES
from toolconv.dialects.base import Dialect
from toolconv.dialects.grammars.response_template import from_template
from toolconv.export.gbnf import NoGrammar, gbnf
from toolconv.export.response_template import NoResponseTemplate, response_template
from toolconv.schema.tools import Signature
from toolconv.vllm import tool_parser

FIXTURES = Path(__file__).parents[2] / "fixtures" / "derive"
ANCHOR, END = "\x01", "<|end|>"

DESCRIBED = {"hermes", "qwen3_xml", "mistral", "kimi_k2", "glm45", "deepseek_v3", "minimax_m2", "gemma4", "granite4"}
"""Some of the dialects that a response template describes: each kind of call is among them."""

NOT_DESCRIBED = {
    "pythonic": "its values are spelled as python",
    "llama3_json": "nothing marks where a call begins",
    "harmony": "it marks prose",
    "apertus": "its objects have the tool's name as a key, or arguments as text",
}


@dataclass
class Turn:
    """An assistant turn and what should be read in it."""

    text: str
    tools: list[dict[str, Any]]
    message: list[Any]


def turns(dialect: Dialect, count: int) -> Iterator[Turn]:
    """Random turns of a dialect; without values that hold its markup."""
    chance = random.Random(dialect.name)
    for _ in range(count):
        kinds = {key: chance.choice(list(VALUES)) for key in chance.sample(("city", "days", "q"), chance.randint(1, 3))}
        parameters = {"type": "object", "properties": {key: {"type": kind} for key, kind in kinds.items()}}
        tool = {"type": "function", "function": {"name": "get_w", "description": "", "parameters": parameters}}
        calls = [
            ToolCall("get_w", {key: chance.choice(VALUES[kind]) for key, kind in kinds.items()})
            for _ in range(chance.randint(0, 2))
        ]
        for at, call in enumerate(calls):
            call.id = dialect.call_id(ToolCall("get_w", {}, "abcdefgh1"), at)
        prose = chance.choice(("", "Let me look.")) if calls else "Hello."
        reasoning = chance.choice(("", "The user asks."))
        text = dialect.render_turn(prose, reasoning or None, calls) + END
        yield Turn(text, [tool], [[[call.name, call.arguments] for call in calls], prose, reasoning])


def described() -> list[tuple[Dialect, dict[str, Any]]]:
    """The dialects that a response template describes, each with its template."""
    found = []
    for dialect in dialects.all_dialects():
        try:
            found.append((dialect, response_template(dialect, ANCHOR, [END])))
        except NoResponseTemplate as error:
            assert str(error).startswith(f"no response template can describe {dialect.name!r}: ")
    return found


# ── response templates ──


def test_which_dialects_a_response_template_describes() -> None:
    names = {dialect.name for dialect, _ in described()}
    assert names >= DESCRIBED
    for name, why in NOT_DESCRIBED.items():
        with pytest.raises(NoResponseTemplate, match=why):
            response_template(dialects.get(name), ANCHOR, [END])


def test_a_response_template_holds_the_marks_of_reasoning_and_the_ends_of_turns() -> None:
    fields = response_template(dialects.get("hermes"), ANCHOR, [END, END])["fields"]
    assert fields["reasoning_content"] == {"open": "<think>", "close": "</think>", "content": "text"}
    assert fields["content"] == {"content": "text", "repeats": True, "join": "", "close": [END]}
    assert "close" not in response_template(dialects.get("hermes"), ANCHOR, [])["fields"]["content"]


NAME, KEY = r"(?P<name>[A-Za-z_][\w.\-]*)", r"(?P<key>[^<>\"'=\s]+?)"
CALLS: dict[str, dict[str, Any]] = {
    "hermes": {
        "open": "<tool_call>", "close": "</tool_call>", "content": "json", "repeats": True,
        "transform": {
            "type": "function", "function": {"name": "{content.name}", "arguments": "{content.arguments}"},
        },
    },
    "qwen3_xml": {
        "open_pattern": rf"<tool_call>\s*<function={NAME}>", "close_pattern": r"</function>\s*</tool_call>",
        "content": "xml-inline", "repeats": True,
        "content_args": {"tag_pattern": rf"<parameter={KEY}>\s*(?P<value>.*?)\s*</parameter>"},
        "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
    },
    "kimi_k2": {
        "open_pattern": r"(?:<\|tool_calls_section_begin\|>\s*)?<\|tool_call_begin\|>"
        rf"(?P<id>functions\.{NAME}:[0-9]{{1,9}})<\|tool_call_argument_begin\|>(?=\{{)",
        "close_pattern": r"(?:<\|tool_call_end\|>)(?:\s*<\|tool_calls_section_end\|>)?",
        "content": "json", "repeats": True,
        "transform": {
            "id": "{id}", "type": "function", "function": {"name": "{name}", "arguments": "{content}"},
        },
    },
    "mistral": {
        "open_pattern": rf"\[TOOL_CALLS\]{NAME}\[ARGS\](?=\{{)",
        "close_pattern": r"(?=\[TOOL_CALLS\])|(?=<\|end\|>)|\Z", "content": "json", "repeats": True,
        "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
    },
    "gemma4": {
        "open_pattern": rf"<\|tool_call>call:{NAME}(?=\{{)", "close_pattern": r"<tool_call\|>",
        "content": "json", "content_args": {"unquoted_keys": True, "string_delims": [['<|"|>', '<|"|>']]},
        "repeats": True, "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
    },
}  # fmt: skip
"""What a response template says of the calls of a dialect of each kind, in the words of Transformers' guide."""


@pytest.mark.parametrize("name", CALLS)
def test_the_calls_of_a_response_template(name: str) -> None:
    assert response_template(dialects.get(name), ANCHOR, [END])["fields"]["tool_calls"] == CALLS[name]


@pytest.mark.parametrize("count", [1, pytest.param(5, marks=exhaustive), pytest.param(20, marks=nightly)])
def test_toolconv_reads_what_the_dialect_writes_by_its_response_template(count: int) -> None:
    for dialect, template in described():
        reader = from_template(template)
        for turn in turns(dialect, count):
            parsed = reader.parse(turn.text, ToolIndex(turn.tools))
            read = [
                [[call.name, call.arguments] for call in parsed.calls],
                parsed.content.strip(),
                parsed.reasoning or "",
            ]
            assert read == turn.message, (dialect.name, turn.text)


@exhaustive
def test_transformers_reads_what_the_dialect_writes_by_its_response_template() -> None:
    parsing = pytest.importorskip("transformers.utils.chat_parsing")
    for dialect, template in described():
        for turn in turns(dialect, 60):
            message = parsing.parse_response(turn.text, template, prefix=ANCHOR, tools=turn.tools)
            calls = [
                [call["function"]["name"], call["function"]["arguments"]] for call in message.get("tool_calls", ())
            ]
            read = [calls, message.get("content", "").strip(), message.get("reasoning_content", "")]
            assert read == turn.message, (dialect.name, turn.text)


@exhaustive
def test_derive_writes_the_response_template_of_a_template(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    run = toolconv("derive", FIXTURES / "hermes.jinja", "--response-template")
    assert run.status == 0, run.err
    template = json.loads(run.out)["response_template"]
    assert template["start_anchor"] == "<|im_start|>assistant"
    assert template["fields"]["tool_calls"]["open"] == "<tool_call>"
    assert template["fields"]["content"]["close"] == ["<|im_end|>"]
    assert "reasoning_content" not in template["fields"]  # hermes.jinja knows no <think>

    (tmp_path / "python.jinja").write_text(
        "{%- for m in messages -%}[{{ m.role }}]{{ m.content or '' }}{% if m.tool_calls %}{% for c in m.tool_calls %}"
        "{{ '\n>>> ' + c.function.name }}({% for k, v in c.function.arguments.items() %}{{ k }}={{ v | tojson }}"
        "{{ ', ' if not loop.last }}{% endfor %}){% endfor %}{% endif %}[end]{% endfor %}"
    )
    run = toolconv("derive", tmp_path / "python.jinja", "--response-template")
    assert (run.status, run.out) == (1, "")
    assert run.err.count("\n") == 1


# ── vLLM ──


@dataclass
class Data:
    """A stand-in for vLLM's data classes."""

    name: str | None = None
    arguments: str | None = None
    id: str | None = None
    type: str | None = None
    index: int | None = None
    function: Any = None
    content: str | None = None
    tools_called: bool = False
    tool_calls: list[Any] = field(default_factory=list)


class BaseParser:
    """A stand-in for vLLM's ``ToolParser``."""

    def __init__(self, tokenizer: Any, tools: Any = None) -> None:
        self.model_tokenizer = tokenizer
        self.prev_tool_call_arr: list[dict[str, Any]] = []
        self.streamed_args_for_tool: list[str] = []
        self.current_tool_id = -1

    def adjust_request(self, request: Any) -> Any:
        return request


class Manager:
    """A stand-in for vLLM's ``ToolParserManager``."""

    registered: ClassVar[dict[str, type]] = {}

    @classmethod
    def register_module(cls, name: str, module: type) -> None:
        cls.registered[name] = module


class Tool:
    """A tool of a request."""

    def model_dump(self, **_: Any) -> dict[str, Any]:
        parameters = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}
        return {"type": "function", "function": {"name": "get_w", "parameters": parameters}}


REQUEST = types.SimpleNamespace(tools=[Tool()], tool_choice="auto", skip_special_tokens=True)
TOKENIZER = types.SimpleNamespace(eos_token_id=2)


@pytest.fixture(params=["stand-in", "vllm"])
def base(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module that defines vLLM's ``ToolParser``: a stand-in, and the real one where it is installed."""
    if request.param == "vllm":
        return pytest.importorskip("vllm.tool_parsers.abstract_tool_parser")
    names = ("ExtractedToolCallInformation", "DeltaMessage", "DeltaToolCall", "DeltaFunctionCall", "FunctionCall")
    stand_in = types.SimpleNamespace(ToolParser=BaseParser, ToolParserManager=Manager, **dict.fromkeys(names, Data))
    for name in (*names, "ToolCall"):
        monkeypatch.setattr(sys.modules[Data.__module__], name, Data, raising=False)
    return stand_in


def streamed(parser: Any, text: str, size: int) -> tuple[str, list[list[str]]]:
    """The content and the calls that a parser sends for a text that arrives in pieces of a size."""
    content, calls, sent = "", [], ""
    for at in range(0, len(text), size):
        delta = text[at : at + size]
        ids = [2] if at + size >= len(text) else [9]
        message = parser.extract_tool_calls_streaming(sent, sent + delta, delta, [], [], ids, REQUEST)
        sent += delta
        if message is None:
            continue
        content += message.content or ""
        for call in message.tool_calls:
            if call.function.name:
                assert call.id and call.index == len(calls)
                calls.append([call.function.name, ""])
            calls[call.index][1] += call.function.arguments or ""
    return content, calls


@pytest.mark.parametrize("name", ["hermes", "qwen3_xml", "mistral"])
def test_a_vllm_parser_reads_whole_answers_and_streams(name: str, base: Any) -> None:
    calls = [ToolCall("get_w", {"city": "Oslo", "days": 3}), ToolCall("get_w", {"city": "a <b>", "days": 0})]
    text = dialects.get(name).render_turn("Let me look.", None, calls)
    parser = tool_parser(name, base)(TOKENIZER)
    assert parser.adjust_request(REQUEST).skip_special_tokens is False
    whole = parser.extract_tool_calls(text, REQUEST)
    assert whole.tools_called and whole.content == "Let me look."
    assert [(call.function.name, json.loads(call.function.arguments)) for call in whole.tool_calls] == [
        (call.name, call.arguments) for call in calls
    ]
    for size in (1, 7, len(text)):
        content, sent = streamed(tool_parser(name, base)(TOKENIZER), text, size)
        assert content == "Let me look."
        assert [(name, json.loads(arguments)) for name, arguments in sent] == [
            (call.name, call.arguments) for call in calls
        ]


def test_a_vllm_plugin_registers_the_derived_dialect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, base: Any
) -> None:
    pytest.importorskip("jinja2")
    run = toolconv("derive", FIXTURES / "acme.jinja", "--vllm-plugin", "-o", tmp_path / "plugin.py")
    assert run.status == 0, run.err
    if isinstance(base, types.SimpleNamespace):
        package = types.ModuleType("vllm.tool_parsers")
        package.abstract_tool_parser = base  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "vllm", types.ModuleType("vllm"))
        monkeypatch.setitem(sys.modules, "vllm.tool_parsers", package)
    with in_process.dialects():  # the plugin registers one
        exec(compile((tmp_path / "plugin.py").read_text("utf-8"), "plugin.py", "exec"), {})
        registered = base.ToolParserManager.registered if base.ToolParserManager is Manager else None
        parser = registered["acme"] if registered else base.ToolParserManager.get_tool_parser("acme")
        text = '<calls>\n@get_w {"city": "Oslo"}\n</calls>'
        (call,) = parser(TOKENIZER).extract_tool_calls(text, REQUEST).tool_calls
        assert (call.function.name, json.loads(call.function.arguments)) == ("get_w", {"city": "Oslo"})


# ── grammars for llama.cpp ──

NOT_FORCED = {
    "harmony": "it marks prose",
    "gemma4": "its values are spelled as delimited",
    "chatglm3": "nothing marks where a call begins",
}
ARGUMENTS = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "unit": {"enum": ["C", "F"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "exact": {"type": "boolean"},
        "opts": {"$ref": "#/$defs/opts"},
    },
    "required": ["city"],
    "$defs": {"opts": {"type": "object", "properties": {"k": {"type": ["number", "null"]}}}},
}
GOOD = (
    {"city": "Oslo"},
    {"city": "Zürich, it's", "days": -3, "unit": "F"},
    {"city": "a", "tags": ["x", "y z"], "exact": True},
    {"city": "", "tags": [], "opts": {"k": 0.5}},
)
WRONG = ({}, {"days": 3}, {"city": "a", "days": "x"}, {"city": "a", "unit": "K"}, {"city": "a", "other": 1})


def forced() -> list[tuple[Dialect, str]]:
    """The dialects that a grammar can force, each with a grammar for three tools."""
    tools = [
        Signature("get_w", ARGUMENTS),
        Signature("ping", {"type": "object", "properties": {}}),
        Signature("stop", {"type": "object", "properties": {}, "additionalProperties": False}),
    ]
    found = []
    for dialect in dialects.all_dialects():
        try:
            found.append((dialect, gbnf(dialect, tools)))
        except NoGrammar as error:
            assert str(error).startswith(f"no grammar can force dialect {dialect.name!r}: ")
    return found


def test_a_grammar_takes_what_the_dialect_writes_and_nothing_else() -> None:
    names = set()
    for dialect, text in forced():
        names.add(dialect.name)
        grammar = Grammar(text)

        def written(*arguments: dict[str, Any], name: str = "get_w", dialect: Dialect = dialect) -> str:
            calls = [ToolCall(name, dict(each)) for each in arguments]
            for at, call in enumerate(calls):
                call.id = dialect.call_id(ToolCall(name, {}, "abcdefgh1"), at)
            return dialect.render_turn("", None, calls)

        for arguments in GOOD:
            assert grammar.takes(written(arguments)), (dialect.name, written(arguments), text)
        assert grammar.takes("Hello there."), dialect.name
        assert grammar.takes(written(GOOD[0], GOOD[1])), (dialect.name, written(GOOD[0], GOOD[1]))
        for arguments in WRONG:
            assert not grammar.takes(written(arguments)), (dialect.name, written(arguments))
        assert not grammar.takes(written(GOOD[0], name="got_w")), dialect.name
        for name, fits in (
            ("ping", True),
            ("stop", False),
        ):  # a tool that declares no arguments, and one that takes none
            assert grammar.takes(written({}, name=name)), (dialect.name, written({}, name=name))
            for arguments in ({"q": "x"}, {"q": "x", "r": "y"}):
                assert grammar.takes(written(arguments, name=name)) is fits, (
                    dialect.name,
                    written(arguments, name=name),
                )
    assert names >= {"hermes", "qwen3_xml", "mistral", "kimi_k2", "glm45", "pythonic", "llama3_json", "deepseek_v3"}
    for name, why in NOT_FORCED.items():
        with pytest.raises(NoGrammar, match=why):
            gbnf(dialects.get(name), [])


def test_schema_prints_a_grammar_for_the_declared_tools() -> None:
    run = toolconv("schema", FIXTURES.parent / "teacher.jsonl", "--gbnf", "--to", "hermes")
    assert run.status == 0, run.err
    assert Grammar(run.out).takes(
        'Hi.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo", "days": 2}}\n</tool_call>'
    )
    assert not Grammar(run.out).takes(
        '<tool_call>\n{"name": "got_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
    )
    run = toolconv("schema", FIXTURES.parent / "teacher.jsonl", "--gbnf")
    assert (run.status, run.out) == (2, "")
    assert "--gbnf and --to must be used together" in run.err
