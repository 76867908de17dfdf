"""Texts of chat templates are found by outlines exactly as by marks, and rendered together exactly as one by one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.conftest import FIXTURES, exhaustive, nightly, rows
from tests.helpers.plan_rows import random_row
from toolconv import layouts
from toolconv.convert.converter import Converter
from toolconv.convert.options import Options
from toolconv.convert.receipt import Receipt
from toolconv.core import jsontext
from toolconv.templates.jinja import child, sandbox
from toolconv.templates.jinja.outlines import Outline
from toolconv.templates.output import TextOptions

BENCHMARK = Path(__file__).parents[1] / "benchmarks" / "qwen3.jinja"
XML = """{% for t in tools or [] %}<tool>{{ t.function.name }}: {{ t.function.description }}
{% endfor %}{% for m in messages %}<{{ m.role }}>{{ m.content | trim if m.content }}
{%- for c in m.tool_calls or [] %}
<call {{ c.function.name }} {{ c.id }}>
{%- for key, value in c.function.arguments.items() %}
<{{ key }}>{{ value if value is string else value | tojson }}</{{ key }}>
{%- endfor %}
</call>
{%- endfor %}{{ ' of ' + m.tool_call_id if m.tool_call_id }}</s>
{% endfor %}"""
CONDITIONAL = """{% for m in messages %}[{{ m.role }}]
{%- if m.content and 'a' in m.content and not m.tool_calls %}{{ m.content }}{% endif %}
{%- for c in m.tool_calls or [] %}{{ c.function.name }}({{ c.function.arguments | tojson }})
{%- endfor %}
{%- if m.role == 'tool' %}{{ m.content | length }}{% endif %};{% endfor %}"""
"""Leaves texts out by what they say."""
GENERATION = """{{ tools | tojson if tools }}
{% for m in messages %}<{{ m.role }}>
{%- if m.role == 'assistant' %}{% generation %}{{ m.content or '' }}{% for c in m.tool_calls or [] %}
<tool_call>{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}</tool_call>{% endfor %}</s>
{%- endgeneration %}
{% else %}{{ m.content or '' }}</s>
{% endif %}{% endfor %}"""
SOURCES = {
    **{
        path.stem: path.read_text("utf-8")
        for path in (BENCHMARK, *sorted((FIXTURES / "chat_templates").glob("*.jinja")))
    },
    "xml": XML,
    "conditional": CONDITIONAL,
    "generation": GENERATION,
}
VARIABLES = {"bos_token": "<s>", "eos_token": "</s>"}


def lines(count: int) -> list[bytes]:
    """Rows of few forms, in an order that mixes them."""
    random = Random(5)
    written = [jsontext.dumps(random_row(random)) for _ in range(count)]
    written += [jsontext.dumps(row) for row in rows(FIXTURES / "conversations.jsonl")]
    return random.sample(written * 2, 2 * len(written))


def long_lines(count: int) -> list[bytes]:
    """Rows of many turns, hardly two of which have the same form; the exchanges in them have few."""
    random = Random(7)
    found = []
    few = [random_row(random) for _ in range(5)]
    for _ in range(count):
        row: dict[str, Any] = {"messages": [], "tools": []}
        for at in range(random.randint(3, 9)):
            more = random.choice(few)
            row["tools"] = more["tools"]
            messages = [message for message in more["messages"] if not at or message["role"] != "system"]
            text = jsontext.spaced(messages).replace("call_", f"call_{at}_")
            row["messages"] += jsontext.loads_plain(text.encode())
        found.append(jsontext.dumps(row))
    return found


def outcome(path: Path, some: Sequence[bytes], *, spans: bool) -> tuple[list[bytes], list[bytes], Receipt]:
    options = Options(on_error="reject", text=TextOptions(file=str(path), variables=VARIABLES, spans=spans))
    result = Converter(options, layouts.get("openai"), None).lines("f", 1, some)
    return result.output, result.rejects, result.receipt


def check(path: Path, some: Sequence[bytes], monkeypatch: pytest.MonkeyPatch) -> int:
    """Texts, spans and accounts are those of marks alone, and rendered one by one; how many outlines found."""
    read, found = Outline.read, 0

    def counted(outline: Outline, text: str, said: Sequence[Any]) -> Any:
        nonlocal found
        located = read(outline, text, said)
        found += located is not None
        return located

    for spans in (False, True):
        with monkeypatch.context() as patched:
            patched.setattr(Outline, "read", counted)
            ours = outcome(path, some, spans=spans)
            patched.setattr(Outline, "read", lambda *given: None)
            patched.setattr(sandbox.Program, "render_ahead", lambda *given: [])
            assert outcome(path, some, spans=spans) == ours
    return found


def written(tmp_path: Path, name: str) -> Path:
    path = tmp_path / f"{name}.jinja"
    path.write_text(SOURCES[name], "utf-8")
    return path


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=nightly if at % 3 else exhaustive) for at, name in enumerate(SOURCES)]
)
def test_outlines_find_what_marks_find(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert check(written(tmp_path, name), lines(16), monkeypatch) > 1


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=nightly if at % 3 else exhaustive) for at, name in enumerate(SOURCES)]
)
def test_what_turns_show_is_what_marks_find(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = check(written(tmp_path, name), long_lines(24), monkeypatch)
    assert found > 16 or name in ("conditional", "strict", "xml")  # texts left out, rejects, odd values


# ── rendered ahead ──

SLOW = """{% for m in messages %}{{ m.content }}
{%- if m.content == 'go' %}{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}{% endif %}
{%- if m.content == 'fail' %}{{ raise_exception('no') }}{% endif %};{% endfor %}"""


@exhaustive
def test_a_text_that_takes_too_long_costs_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "SECONDS", 0.2)
    path = tmp_path / "slow.jinja"
    path.write_text(SLOW)
    some = [
        jsontext.dumps({"messages": [{"role": "user", "content": text}, {"role": "assistant", "content": "b"}]})
        for text in ("one", "fail", "two", "go", "three", "fail")
    ]
    output, rejects, receipt = outcome(path, some, spans=False)
    assert [jsontext.loads(line)["text"] for line in output] == ["one;b;", "two;b;", "three;b;"]
    assert rejects == [some[at] + b"\n" for at in (1, 3, 5)]
    stopped = "the chat template is stopped: it takes more than 0.2 seconds of processor time"
    assert [place.reason for place in receipt.reject_places] == [
        "the chat template raises: no",
        stopped,
        "the chat template raises: no",
    ]


def test_answers_that_are_too_large_are_not_given_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "TOGETHER", 5)
    program = sandbox.Program("{{ text }}")
    given = [{"text": text} for text in ("abc", "def", "ghi")]
    assert [program.take(each) for each in program.render_ahead(given)] == ["abc"]
    assert program.render(given[1]) == "def"


def test_what_is_rendered_ahead_takes_its_time_when_it_is_used() -> None:
    program = sandbox.Program("{% for a in range(times) %}{{ a }}{% endfor %}")
    (ahead,) = program.render_ahead([{"times": 2}])
    with program.within_limit():
        assert program.take(ahead._replace(taken=sandbox.SECONDS)) == "01"
        with pytest.raises(sandbox.Stopped):  # in the millisecond that is left
            program.render({"times": 99_999})


# ── attributes of dicts ──

NAMES = ("key", "items", "get", "absent", "__class__", "pop", "clear", "é")
HELD: tuple[dict[str, Any], ...] = ({}, {"key": 1, "items": 2, "é": 3, "__class__": 4}, {"pop": None, "get": "x"})


@pytest.mark.whole
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("held", HELD)
def test_attributes_of_dicts_are_those_of_jinja(name: str, held: dict[str, Any]) -> None:
    environment = sandbox._Environment()
    ours, theirs = environment.getattr(held, name), super(sandbox._Environment, environment).getattr(held, name)
    assert type(ours) is type(theirs)
    if type(ours).__name__ == "Undefined":
        assert (ours._undefined_name, ours._undefined_obj) == (theirs._undefined_name, theirs._undefined_obj)
    else:
        assert ours == theirs
