"""``toolconv derive``: dialects derived from chat templates."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import exhaustive
from tests.helpers.command import toolconv

pytest.importorskip("jinja2")

from toolconv.derive.check import check
from toolconv.derive.samples import samples
from toolconv.derive.turns import TemplateTurns
from toolconv.dialects.dialect_file import load

FIXTURES = Path(__file__).parents[2] / "fixtures" / "derive"
SHAPES = [json.loads(line) for line in (FIXTURES / "shapes.jsonl").read_text("utf-8").splitlines()]

FRAME = """\
{%- for message in messages -%}
{{- '[' + message.role + ']\\n' + (message.content or '') }}
{%- if message.tool_calls %}{{- BETWEEN if message.content }}CALLS{%- endif %}
{{- '[/end]\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '[assistant]\\n' }}{%- endif %}"""
"""A chat template without its calls."""


def template_of(folder: Path, calls: str, *, between: str = "'\\n'", name: str = "acme") -> Path:
    """The file of a chat template that writes calls in a given way."""
    path = folder / f"{name}.jinja"
    path.write_text(FRAME.replace("BETWEEN", between).replace("CALLS", calls), encoding="utf-8")
    return path


def derived(folder: Path, template: Path) -> tuple[dict[str, Any], Path]:
    """The contents of the dialect file that is made of a template, and the file."""
    file = folder / "out.toml"
    run = toolconv("derive", template, "-o", file)
    assert run.status == 0, run.err
    assert file.exists(), run.out
    return tomllib.loads(file.read_text("utf-8")), file


@pytest.mark.parametrize(
    "shape",
    [pytest.param(shape, id=shape["case"], marks=[exhaustive] * (at % 3 > 0)) for at, shape in enumerate(SHAPES)],
)
def test_each_wire_shape_gives_its_call_template(shape: dict[str, Any], tmp_path: Path) -> None:
    template = template_of(tmp_path, shape["calls"])
    contents, file = derived(tmp_path, template)
    assert (contents["grammar"], contents["calls"]) == (shape["grammar"], shape["template"])
    assert [contents["verified"][key] for key in ("conversations", "read", "written")] == [200] * 3
    result = check(load(str(file)), samples(TemplateTurns(str(template)), 40))
    assert result.is_exact, (result.unread, result.differs)
    assert not result.repaired


def test_a_known_dialect_is_named_and_no_file_written(tmp_path: Path) -> None:
    file = tmp_path / "new.toml"
    run = toolconv("derive", FIXTURES / "hermes.jinja", "-o", file)
    assert (run.status, run.out) == (0, "hermes: 200 of 200 read, 200 of 200 written to the byte\n")
    assert not file.exists()
    assert "--from hermes" in run.err


def test_a_whole_template_gives_declarations_results_and_reasoning(tmp_path: Path) -> None:
    contents, _ = derived(tmp_path, FIXTURES / "acme.jinja")
    assert contents["name"] == "out"
    assert contents["calls"] == {
        "call": "@{name} {args}",
        "before": "<calls>\n",
        "between": "\n",
        "after": "\n</calls>",
    }
    assert contents["separator"] == "\n"
    assert contents["reasoning"] == {"open": "<plan>", "close": "</plan>", "after": "</plan>\n"}
    assert contents["chat"] == {
        "tools_open": "Tools you may call:\n- ",
        "tools_between": "\n- ",
        "tools_close": "\n",
        "bare_tools": True,
    }


def test_prose_behind_calls(tmp_path: Path) -> None:
    call = "<call>{{ call.function.name }} {{ call.function.arguments | tojson }}</call>"
    path = tmp_path / "behind.jinja"
    path.write_text(
        "{%- for message in messages -%}{{- '[' + message.role + ']\\n' }}"
        f"{{%- for call in message.tool_calls or [] %}}{call}{{% endfor %}}"
        "{{- message.content or '' }}{{- '[/end]\\n' }}{%- endfor %}",
        encoding="utf-8",
    )
    contents, file = derived(tmp_path, path)
    assert contents["calls"]["turn"] == "{calls}{prose}"
    written = toolconv(
        "render", "--dialect-file", file, "--to", "out",
        stdin='{"messages":[{"role":"assistant","content":"There.","tool_calls":[{"type":"function","function":'
        '{"name":"ping","arguments":{"host":"a"}}}]}]}',
    )  # fmt: skip
    assert '<call>ping {\\"host\\": \\"a\\"}</call>There.' in written.out


def test_results_that_share_a_turn_of_the_user(tmp_path: Path) -> None:
    path = tmp_path / "shared.jinja"
    path.write_text(
        "{%- for message in messages -%}"
        "{%- if message.role == 'tool' -%}"
        "{{- '[user]\\n' if loop.previtem.role != 'tool' }}{{- '<result>' + message.content + '</result>' }}"
        "{{- '\\n' if not loop.last and loop.nextitem.role == 'tool' else '[/end]\\n' }}"
        "{%- else -%}"
        "{{- '[' + message.role + ']\\n' + (message.content or '') }}"
        "{%- for call in message.tool_calls or [] %}<call>{{ call.function.name }} {{ call.function.arguments | tojson }}"
        "</call>{% endfor %}{{- '[/end]\\n' }}"
        "{%- endif -%}{%- endfor %}",
        encoding="utf-8",
    )
    contents, _ = derived(tmp_path, path)
    assert contents["chat"] == {
        "response_role": "user",
        "one_turn": True,
        "response": "<result>{content}</result>",
    }
    assert contents["verified"]["not_described"] == ["declarations"]


BROKEN = {
    "unquoted_strings": (
        "{% for call in message.tool_calls %}{{ call.function.name }}({% for k, v in call.function.arguments.items() %}"
        "{{ k }}={{ v }},{% endfor %}){% endfor %}",
        "neither JSON nor in tags",
    ),
    "a_key_is_lost": (
        "{% for call in message.tool_calls %}<call>{{ call.function.name }} {% if call.function.arguments.days is "
        "defined %}{}{% else %}{{ call.function.arguments | tojson }}{% endif %}</call>{% endfor %}",
        '<call>',
    ),
    "no_calls": ("", "it writes no calls"),
    "calls_are_refused": ("{{ raise_exception('no tools here') }}", "conversation with a call: the chat template raises: "
                          "no tools here"),
    "no_arguments": ("{% for call in message.tool_calls %}<call>{{ call.function.name }}{% endfor %}",
                     "the name of a call without the arguments"),
    "no_marker": (
        "{% for call in message.tool_calls %}{{ call.function.name }} {{ call.function.arguments | tojson }}{% endfor %}",
        "no grammar reads its calls: 'calls' must be a marker",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_not_read_is_refused_with_the_counter_example(case: str, tmp_path: Path) -> None:
    calls, shown = BROKEN[case]
    template, file = template_of(tmp_path, calls), tmp_path / "out.toml"
    run = toolconv("derive", template, "-o", file)
    assert (run.status, run.out) == (1, "")
    assert shown in run.err
    assert not file.exists()
    assert toolconv("parse", "--from", template, stdin="x").status == 2


def test_what_is_written_otherwise_is_counted_and_shown(tmp_path: Path) -> None:
    calls = (
        "{% for call in message.tool_calls %}<call>{{ call.function.name }}{{ ' ' if call.function.arguments.days is "
        "defined }} {{ call.function.arguments | tojson }}</call>{% endfor %}"
    )
    contents, _ = derived(tmp_path, template_of(tmp_path, calls))
    verified = contents["verified"]
    assert verified["read"] == 200 > verified["written"] > 0
    (differs,) = list(verified["differs"].values())[:1]
    assert differs["template"] != differs["dialect"]


@exhaustive
def test_a_folder_and_a_tokenizer_config(tmp_path: Path) -> None:
    folder = tmp_path / "Acme-7B"
    folder.mkdir()
    source = (FIXTURES / "acme.jinja").read_text("utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": source, "eos_token": "[/end]"}))
    for name in (folder, folder / "tokenizer_config.json"):
        run = toolconv("derive", name)
        assert run.status == 0, run.err
        assert tomllib.loads(run.out)["name"] == "acme_7b"
    assert toolconv("derive", tmp_path).status == 2


TEXT = 'Sure.\n<calls>\n@ping {"host": "a"}\n</calls>'
ROW = json.dumps({"completion": TEXT}) + "\n"


@pytest.mark.exhaustive
def test_from_takes_a_chat_template(tmp_path: Path) -> None:
    template = FIXTURES / "acme.jinja"
    parsed = toolconv("parse", "--from", template, stdin=TEXT).rows[0]["messages"][0]
    assert parsed["content"] == "Sure."
    assert parsed["tool_calls"][0]["function"] == {"name": "ping", "arguments": {"host": "a"}}
    converted = toolconv("convert", "--from", template, "--to", "hermes", stdin=TEXT)
    assert converted.out == 'Sure.\n<tool_call>\n{"name": "ping", "arguments": {"host": "a"}}\n</tool_call>\n'
    rows = tmp_path / "rows.jsonl"
    rows.write_text(ROW * 3000, encoding="utf-8")
    many = toolconv("convert", rows, "--from", template, "--to", "hermes", "--jobs", "2")
    assert "3,000 calls" in many.err or "3000 calls" in many.err, many.err
    stats = toolconv("stats", rows, "--from", template)
    assert "ping" in stats.out


@exhaustive
def test_lint_reads_by_a_chat_template(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    tools = [{"type": "function", "function": {"name": "pong", "parameters": {"type": "object", "properties": {}}}}]
    row = {"tools": tools, "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": TEXT}]}
    rows.write_text(json.dumps(row) + "\n", encoding="utf-8")
    found = toolconv("lint", rows, "--from", FIXTURES / "acme.jinja", "--jobs", "2")
    assert "TC101" in found.out, found.out + found.err


@exhaustive
def test_from_takes_a_dialect_file(tmp_path: Path) -> None:
    _, file = derived(tmp_path, FIXTURES / "acme.jinja")
    parsed = toolconv("parse", "--from", file, stdin=TEXT)
    assert parsed.rows[0]["messages"][0]["tool_calls"][0]["function"]["name"] == "ping"


@exhaustive
def test_detect_names_the_dialect_of_a_chat_template() -> None:
    run = toolconv("detect", FIXTURES / "hermes.jinja", FIXTURES / "acme.jinja")
    assert [(row["layout"], row["dialect"], row["confidence"]) for row in run.rows] == [
        (None, "hermes", 1.0),
        (None, None, 0.0),
    ]
    assert "toolconv derive" in run.err


OPENERS = {
    "<|start|>assistant{R<|channel|>analysis<|message|>R}<|end|><|start|>assistant<|channel|>final<|message|>": (
        "<|channel|>analysis<|message|>"
    ),
    "<role>ASSISTANT</role>{R\n<think>\nR}</think>": "\n<think>\n",
    "<|assistant|>{R<think>R}</think>": "<think>",
}
"""What turns write, with what precedes and follows reasoning in braces, and what opens the reasoning."""


@pytest.mark.parametrize("turn", OPENERS)
def test_reasoning_opens_with_whole_tokens(turn: str, tmp_path: Path) -> None:
    head, _, rest = turn.partition("{R")
    before, _, after = rest.partition("R}")
    plain = after if "<|start|>" not in after else after.partition("<|start|>assistant")[2]
    path = tmp_path / "chat_template.jinja"
    path.write_text(
        "{%- for m in messages %}{%- if m.role == 'assistant' %}"
        f"{{{{- {head!r} }}}}{{%- if m.reasoning_content %}}{{{{- {before!r} + m.reasoning_content + {after!r} }}}}"
        f"{{%- else %}}{{{{- {plain if plain != after else ''!r} }}}}{{%- endif %}}"
        "{%- for c in m.tool_calls or [] %}{{- '<call>' + c.function | tojson }}{%- endfor %}"
        "{%- else %}{{- '<|start|>' + m.role + '<|message|>' }}{%- endif %}{{- m.content or '' }}{{- '<|end|>' }}"
        f"{{%- endfor %}}{{%- if add_generation_prompt %}}{{{{- {head!r} }}}}{{%- endif %}}",
        encoding="utf-8",
    )
    found = TemplateTurns(str(path)).reasoning
    assert found is not None and found[0] == OPENERS[turn]
