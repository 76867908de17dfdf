"""The variables that a chat template from a file writes and nobody gave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import each
from tests.helpers.command import toolconv
from toolconv.core.errors import FileError

pytest.importorskip("jinja2")

from jinja2 import Environment, meta

from toolconv.templates.jinja import load
from toolconv.templates.jinja.missing import missing_variables

TURNS = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{{ eos_token }}{% endfor %}"
ROW = json.dumps({"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}) + "\n"


@each("source, missing, needed", [
        ("{{ eos_token }}", "eos_token", ""),
        ("{{ x + eos_token }}", "eos_token", "eos_token"),
        ("{{ 'a' ~ eos_token }}{{ foo.bar }}", "eos_token foo", "foo"),
        ("{% if eos_token is defined %}{{ eos_token }}{% endif %}", "", ""),
        ("{% if eos_token is defined and eos_token %}{{ x + eos_token }}{% else %}{{ pad_token }}{% endif %}",
         "pad_token", ""),
        ("{% if eos_token %}{{ eos_token }}{% endif %}{{ eos_token }}", "eos_token", ""),
        ("{{ eos_token | default('') }}{{ 'a' if bos_token is undefined else bos_token }}", "", ""),
        ("{% if not day is defined %}{% set day = 'a' %}{% endif %}{{ day }}", "", ""),
        ("{% set eos_token = 'a' %}{{ eos_token }}", "", ""),
        ("{% for y in x %}{% set eos_token = 'a' %}{% endfor %}{{ eos_token }}", "eos_token", ""),
        ("{% macro f(a) %}{{ a }}{{ y }}{{ eos_token }}{% endmacro %}{% set y = 1 %}{{ f(1) }}", "eos_token", ""),
        ("{% set e = eos_token %}{{ e }}", "eos_token", ""),
        ("{% if effort == 'high' %}{{ effort }}{% endif %}", "", ""),
        ("{% if eos_token is not none %}{{ eos_token }}{% endif %}", "eos_token", ""),
    ])  # fmt: skip
def test_variables_are_missing_where_the_template_writes_them(source: str, missing: str, needed: str) -> None:
    tree = Environment(extensions=["jinja2.ext.loopcontrols"]).parse(source)
    found = missing_variables(tree, meta.find_undeclared_variables(tree) - {"x"})
    assert (" ".join(sorted(found.names)), " ".join(sorted(found.needed))) == (missing, needed)


@pytest.mark.parametrize(
    ("options", "status"), [([], 0), (["--spans"], 2), (["--prompt-completion"], 2), (["--trainer", "trl"], 2)]
)
def test_a_missing_token_is_named(options: list[str], status: int, tmp_path: Path) -> None:
    (tmp_path / "t.jinja").write_text(TURNS)
    run = toolconv("render", "--chat-template", "t.jinja", *options, stdin=ROW, cwd=tmp_path)
    assert run.status == status, run.err
    assert "t.jinja: the template writes eos_token, which is not defined" in run.err
    assert "tokenizer_config.json" in run.err and '--template-kwargs \'{"eos_token": "…"}\'' in run.err


def test_a_token_that_is_given_is_not_missing(tmp_path: Path) -> None:
    file = tmp_path / "t.jinja"
    file.write_text(TURNS)
    assert load(str(file), variables={"eos_token": "<E>"}, spans=True).warnings == ()
    for config in ({"eos_token": "<E>"}, {"eos_token": None}):
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
        assert load(str(file), spans=True).warnings == ()


def test_a_token_without_which_no_row_is_written_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "t.jinja"
    file.write_text("{{ messages[0].content + eos_token }}")
    with pytest.raises(FileError, match="writes eos_token, which is not defined"):
        load(str(file))


def test_lint_names_the_missing_variables_of_its_target(tmp_path: Path) -> None:
    (tmp_path / "t.jinja").write_text(TURNS)
    run = toolconv("lint", "--target", "t.jinja", stdin=ROW, cwd=tmp_path)
    assert run.err.count("the template writes eos_token, which is not defined") == 1


@pytest.mark.parametrize("source", ["{{ [1, 2] | random }}", "{{ lipsum() }}", "{{ messages[0].items }}"])
def test_text_that_differs_from_run_to_run_is_refused(source: str, tmp_path: Path) -> None:
    (tmp_path / "t.jinja").write_text(source)
    run = toolconv("render", "--chat-template", "t.jinja", stdin=ROW, cwd=tmp_path)
    assert run.status == 1 and "differs from run to run" in run.err


def test_a_message_of_a_template_is_cut(tmp_path: Path) -> None:
    (tmp_path / "t.jinja").write_text("{{ raise_exception('x' * 400000) }}")
    run = toolconv("render", "--chat-template", "t.jinja", stdin=ROW, cwd=tmp_path)
    assert run.status == 1 and len(run.err) < 2000 and "more characters" in run.err
