"""The README and the topics of the help are true: every command is run, and what blocks show is compared."""

from __future__ import annotations

import doctest
import json
import re
import runpy
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import FIXTURES, ROOT, each, exhaustive, shared, toolconv
from tests.helpers.console_blocks import add_programs, commands, printed
from toolconv import layouts, templates, topics
from toolconv.cli.group import EXAMPLES
from toolconv.dialects import all_dialects
from toolconv.layouts import get
from toolconv.lint.engine.selection import all_rules

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {"README": README, **{name: topics.text(name) for name in topics.NAMES}}

RECIPES = {
    "xlam_function_calling_60k.json": "xlam",
    "glaive-function-calling-v2.json": "glaive",
    "func-calling-singleturn.json": "hermes",
    "toolace.json": "toolace",
    "apigen-mt_5k.json": "apigen-mt",
    "toucan.parquet": "toucan",
    ".claude/projects/work/session.jsonl": "claude-code",
    "traces.json": "otel",
}
"""The files of the recipes, and the layouts whose samples stand for them."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the commands run, one after the other: a folder with ``fixtures`` in it."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "fixtures").symlink_to(FIXTURES)
    add_programs(folder)
    return folder


@pytest.mark.exhaustive
def test_every_command_prints_what_the_page_says(folder: Path) -> None:
    without = 0
    for page in PAGES.values():
        for command, output in commands(page):
            if "jq " in command and not shutil.which("jq"):
                without += 1
            else:
                assert printed(command, folder) == output, f"update the page, or mend what it shows: {command}"
    if without:
        pytest.skip(f"{without} commands need jq, which is not installed; all others were run")


@pytest.mark.exhaustive
def test_every_row_of_the_decision_table_works(folder: Path) -> None:
    """The commands in the tables of the README, on files of the kinds they name."""
    pytest.importorskip("jinja2")
    conversations = (FIXTURES / "conversations.jsonl").read_text(encoding="utf-8")
    (folder / "data.jsonl").write_text(conversations, encoding="utf-8")
    (folder / "outputs.jsonl").write_text((FIXTURES / "teacher.jsonl").read_text(encoding="utf-8"), encoding="utf-8")
    shutil.copy(FIXTURES / "score" / "gold.jsonl", folder)
    shutil.copy(FIXTURES / "score" / "outputs.jsonl", folder / "answers.jsonl")
    (folder / "outputs.txt").write_text('<tool_call>{"name": "ping", "arguments": {}}</tool_call>\nHi.\n')
    (folder / "prompts.csv").write_text("prompt,response\nHi?,Hello.\n")
    template = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{{ m.tool_calls }}{% endfor %}"
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": template}))
    shutil.copy(FIXTURES / "derive" / "acme.jinja", folder / "chat_template.jinja")
    printed("toolconv render -q data.jsonl --template llama-3.1 -o texts.jsonl", folder)
    table = [
        match
        for line in README.splitlines()
        if line.startswith("|")
        for match in re.findall(r"`(toolconv [^`]+)`", line)
    ]
    assert len(table) >= 20
    for command in table:
        status = printed(f"{command} >out.txt 2>err.txt; echo $?", folder)
        assert status in ("0\n", "1\n" if "lint" in command else "0\n"), command + (folder / "err.txt").read_text()
        if (made := re.search(r" -o (\S+\.jsonl)", command)) is not None:
            assert (folder / made[1]).stat().st_size, command


def test_every_recipe_works(folder: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for name, layout in RECIPES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        sample = get(layout).sample
        if name.endswith(".parquet"):
            parquet.write_table(arrow.Table.from_pylist([json.loads(sample)]), path)
        elif layout == "claude-code":
            lines = json.loads(sample)["lines"]
            path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        else:
            path.write_text(f"[{sample}]", encoding="utf-8")
    (recipes,) = re.findall(r"## Recipes\n\n```sh\n(.*?)```", README, re.S)
    lines = [line for line in recipes.splitlines() if line.startswith("toolconv")]
    assert len(lines) == len(RECIPES) + 2
    for line in lines:
        status = printed(f"{{ {line}; }} >out.txt 2>err.txt; echo $?", folder, HOME=str(folder))
        assert status == "0\n", f"{line}\n{(folder / 'err.txt').read_text()}"
        if (made := re.search(r" -o (\S+)", line)) is not None:
            assert (folder / made[1]).stat().st_size, line


def test_it_counts_right() -> None:
    counts = (
        f"{len(all_dialects())} dialects",
        f"{len(all_rules())} rules",
        f"{len(layouts.names())} row layouts",
        f"{len(templates.names())} families and versions",
    )
    absent = [count for count in counts if count not in " ".join(README.split())]
    assert not absent, "update the counts in README.md"


FOUND = {
    "tau-bench": "tau-bench-airline-gpt-4o",
    "Toolset-Training": "toolset-vaultManager",
    "API-Bank": "query-tools-answers-apibank_l1",
    "Seal-Tools": "query-tools-answers-sealtool",
    "ToolAlpaca": "query-tools-answers-toolalpaca",
    "ACEBench": "acebench-en",
    "Glaive": "glaive-toolcall-en",
    "BFCL": "bfcl-questions-original-types",
}
"""The files in ../shared of the table of public datasets."""


@pytest.mark.exhaustive
def test_public_datasets_have_the_findings_that_the_table_counts() -> None:
    for name, file in FOUND.items():
        (row,) = re.findall(rf"^\| {name}.*: (\d+) \(.*?\) \| (\d+), (\d+) \| (TC\d+)", README, re.M)
        run = toolconv("lint", "--isolated", "--output-format", "json", shared("real", "datasets", f"{file}.jsonl"))
        found = json.loads(run.out)
        levels = [finding["level"] for finding in found]
        rows = re.findall(r"in (\d+) rows", run.err)
        counted = (*rows, str(levels.count("error")), str(levels.count("warning")))
        assert counted == row[:3], f"{name}: update the table in README.md"
        assert row[3] in {finding["code"] for finding in found}, name


def test_the_topics_are_all_there() -> None:
    assert {path.stem for path in (ROOT / "toolconv" / "topics").glob("*.md")} == set(topics.NAMES)
    assert all(f"`{name}`" in README for name in topics.NAMES)


@each("name", topics.NAMES)
def test_a_topic_is_printed_without_fences(name: str) -> None:
    shown = topics.plain(name)
    assert shown.startswith(topics.title(name)) and "```" not in shown
    for command, _ in commands(topics.text(name)):
        assert f"    $ {command}\n" in shown


def test_every_layout_is_listed_with_what_it_loses() -> None:
    table = topics.text("losses")
    assert [name for name in layouts.names() if f"`{name}`" not in table] == []


def test_the_script_for_a_cluster_is_the_one_that_is_tested() -> None:
    script = (FIXTURES / "ray" / "student.py").read_text(encoding="utf-8")
    assert script in topics.text("scale"), "the topic scale shows fixtures/ray/student.py: copy one to the other"


@each("name", ["README.md", "toolconv/topics/python.md"])
def test_library_example(name: str) -> None:
    failures, tests = doctest.testfile(str(ROOT / name), module_relative=False)
    assert tests >= 3
    assert failures == 0


# ── the first screen ──


@exhaustive
def test_the_first_screen_needs_no_file_of_the_repository(tmp_path: Path) -> None:
    add_programs(tmp_path)
    (first,) = re.findall(r"^## Sixty seconds\n(.*?)^## ", README, re.S | re.M)
    shown = commands(first)
    assert len(shown) >= 4
    for command, output in shown:
        if not command.startswith("echo"):
            assert printed(command, tmp_path) == output
        else:
            printed(command, tmp_path)
    for _, line in EXAMPLES:
        assert "fixtures" not in line and "Error" not in printed(line, tmp_path)


def test_the_picture_shows_what_lint_prints() -> None:
    found = runpy.run_path(str(ROOT / ".github" / "picture.py"))
    drawn = found["picture"](found["printed"](), f"toolconv {' '.join(found['COMMAND'][:2])}")
    kept = (ROOT / ".github" / "lint.svg").read_text(encoding="utf-8")
    assert drawn == kept, "run python .github/picture.py"
    assert ElementTree.fromstring(kept).tag.endswith("svg")
