"""Help: what the program says of itself is there, and true."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

import toolconv as toolconv_package
from tests.conftest import ROOT, each, exhaustive, toolconv
from tests.helpers.command import TIMEOUT
from tests.helpers.console_blocks import add_programs
from toolconv import topics
from toolconv.cli.group import EXAMPLES, cli
from toolconv.cli.lazy import COMMANDS, NAMES
from toolconv.cli.options import Command

CONTEXT = cli.make_context("toolconv", [], resilient_parsing=True)


def command(name: str) -> Command:
    found = cli.get_command(CONTEXT, name)
    assert isinstance(found, Command)
    return found


EVERY_EXAMPLE = [*EXAMPLES, *(example for name in NAMES for example in command(name).examples)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the fixtures, and ``toolconv`` on the path; it is the home folder, too."""
    folder = tmp_path_factory.mktemp("examples")
    shutil.copytree(ROOT / "fixtures", folder / "fixtures")
    for name in (".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions", "bin"):
        (folder / name).mkdir(parents=True)
    add_programs(folder)
    return folder


@pytest.mark.exhaustive
def test_examples_run_as_typed(folder: Path) -> None:
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "HOME": str(folder)}
    for _, line in EVERY_EXAMPLE:
        done = subprocess.run(
            ["bash", "-c", line], cwd=folder, env=env, capture_output=True, timeout=TIMEOUT, check=False
        )
        assert done.returncode in (0, 1), line
        assert b"Traceback" not in done.stderr, line
        assert done.stdout or done.stderr or ">" in line or " -o " in line, line


def test_toolconv_alone_shows_examples() -> None:
    run = toolconv()
    assert run.status == 0
    assert run.out.count("toolconv", run.out.index("printf")) >= 3
    assert [line for _, line in EXAMPLES] == [line[2:] for line in run.out.splitlines() if line.startswith("  ")]
    assert len(EXAMPLES) == 3
    assert "Usage" not in run.out


def test_the_version() -> None:
    assert toolconv("--version").out == f"toolconv {toolconv_package.__version__}\n"


def test_commands_are_listed_by_sections() -> None:
    out = toolconv("--help").out
    headings = [line for line in out.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == ["Options:", *(f"{title}:" for title in COMMANDS)]
    assert [line.split()[0] for line in out.splitlines() if line[2:].split(" ")[0] in NAMES] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_summary_is_what_the_command_says_first(name: str) -> None:
    (summary,) = (commands[name] for commands in COMMANDS.values() if name in commands)
    first = " ".join((command(name).help or "").split("\n\n")[0].split())
    assert first == summary


@pytest.mark.parametrize("name", NAMES)
def test_help_has_sections_and_examples(name: str) -> None:
    run = toolconv(name, "--help")
    assert run.status == 0
    for title in (*command(name).sections(CONTEXT), "Examples", "Exit status"):
        assert f"\n{title}:\n" in run.out
    for what, line in command(name).examples:
        assert f"  {what}:\n    {line}\n" in run.out
    assert command(name).examples


@pytest.mark.parametrize("name", ["convert", "parse", "render", "lint"])
def test_the_options_of_most_runs_come_first(name: str) -> None:
    sections = command(name).sections(CONTEXT)
    titles = list(sections)
    assert titles[0] == "Main options" and titles[-2:] == ["Rarely needed", "Options"]
    assert len(sections["Main options"]) <= 17
    rare = {flag for option in sections["Rarely needed"] for flag in option.opts}
    examples = [line for _, line in command(name).examples] + (ROOT / "README.md").read_text("utf-8").splitlines()
    assert [line for line in examples if rare & set(line.replace("`", " ").split())] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_option_says_what_it_does(name: str) -> None:
    options = [param for param in command(name).params if isinstance(param, click.Option)]
    assert all(option.help for option in options)


def test_an_unknown_command_is_told_the_nearest() -> None:
    run = toolconv("covnert")
    assert run.status == 2
    assert "No such command 'covnert'. Did you mean 'convert'?" in run.err


WRONG_KINDS = [
    ("convert --to qwen3", "qwen3 is a template: --template qwen3 writes its texts, --from-template qwen3 reads them"),
    ("parse --from qwen3", "qwen3 is a template"),
    ("convert --to sharegpt", "sharegpt is a layout: --to-layout sharegpt writes it, --from-layout sharegpt reads it"),
    ("convert --to axolotl", "axolotl is a layout and a trainer: --to-layout axolotl"),
    ("convert --to-layout qwen3", "qwen3 is a template"),
    ("convert --to-layout kimi_k2", "kimi_k2 is a dialect: --to kimi_k2 writes it, --from kimi_k2 reads it"),
    ("convert --template mistral", "mistral is a trainer and a dialect: --trainer mistral; --to mistral writes it"),
    ("convert --template llama3", "; templates of the family: llama-3.1, llama-3.2"),
    ("convert --trainer qwen3", "qwen3 is a template"),
    (
        "parse --from Qwen/Qwen3-8B",
        "Qwen/Qwen3-8B: no such file; it looks like a model, and the dialect it writes is hermes",
    ),
    ("lint --target trl", "trl is a layout and a trainer"),
    ("lint --from sharegpt", "sharegpt is a layout"),
    ("convert --to Qwen/Qwen3-8B", "Qwen/Qwen3-8B looks like a model, and the dialect it writes is hermes"),
    ("convert --template Qwen/Qwen3-8B", "the template of this family is qwen3"),
    ("convert --to no_such", "unknown dialect 'no_such'\nknown dialects: "),
]


@exhaustive
@each("line, hint", WRONG_KINDS)
def test_a_name_of_another_kind_is_recognised(line: str, hint: str) -> None:
    run = toolconv(*line.split(), stdin='{"messages": []}')
    assert run.status == 2 and hint in run.err and "Traceback" not in run.err


@each("option, file, hint", [("--template", "chat.jinja", "--chat-template"), ("--to", "mine.toml", "--dialect-file")])
def test_a_file_in_place_of_a_name_is_recognised(option: str, file: str, hint: str, tmp_path: Path) -> None:
    (tmp_path / file).touch()
    run = toolconv("convert", option, file, cwd=tmp_path)
    assert run.status == 2 and f"{file} is a file: {hint} {file}" in run.err


def test_files_that_are_not_there_are_named_before_any_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"messages": []}\n')
    run = toolconv("convert", "a.jsonl", "b.jsonl", cwd=tmp_path)
    assert (run.status, run.out, run.err) == (2, "", "Error: b.jsonl: No such file or directory; -o names the output\n")
    for arguments in (("lint", "a.jsonl", "b.jsonl"), ("parse", "b.jsonl", "a.jsonl"), ("score", "a.jsonl", "b.jsonl")):
        run = toolconv(*arguments, cwd=tmp_path)
        assert (run.status, run.out) == (2, "") and "b.jsonl: No such file or directory" in run.err


def test_a_model_that_is_not_known_is_named() -> None:
    known, other = (toolconv("parse", "--model", name, stdin="Hi.").err for name in ("Qwen/Qwen3-8B", "Foo/Bar-7B"))
    assert "Foo/Bar-7B: not a model whose dialect is known; its calls are read as the dialect generic" in other
    assert "not a model" not in known


def test_topics() -> None:
    listed = toolconv("help").out
    assert all(f"\n{name} " in f"\n{listed}" for name in topics.NAMES)
    assert toolconv("help", "rejects").out == topics.plain("rejects")
    assert "Usage: toolconv lint [OPTIONS]" in toolconv("help", "lint").out
    unknown = toolconv("help", "rejetcs")
    assert unknown.status == 2 and "nothing is called 'rejetcs'; did you mean 'rejects'" in unknown.err


def test_options_from_the_environment() -> None:
    run = toolconv("parse", stdin="", TOOLCONV_JOBS="none")
    assert run.status == 2
    assert "'--jobs'" in run.err
    shown = " ".join(toolconv("parse", "--help").out.split())
    assert "[env var: TOOLCONV_JOBS; default: 1; 1<=x<=1024]" in shown
    assert "[env var: TOOLCONV_NO_PROGRESS]" in shown


@pytest.mark.parametrize("arguments", [[], ["--help"], ["--version"], ["no-such-command"]])
def test_help_imports_next_to_nothing(arguments: list[str]) -> None:
    code = "import atexit, sys; atexit.register(lambda: print(*sys.modules)); from toolconv.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    loaded = done.stdout.splitlines()[-1].split()
    known = {
        "toolconv",
        "toolconv.cli",
        "toolconv.cli.group",
        "toolconv.cli.lazy",
        "toolconv.core",
        "toolconv.core.command",
        "toolconv.core.terminal",  # for errors
        "toolconv.core.version",
        "toolconv.io",
        "toolconv.io.garbage",
        "toolconv.io.signals",  # which end a run
    }
    assert {name for name in loaded if name.startswith("toolconv")} <= known
    assert not {"orjson", "jsonschema", "tqdm", "asyncio"} & set(loaded)
