"""The k-th file, write, sync or rename fails, for each k: every file is the old or the new one, whole, the status 2."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import click
import pytest

from tests.conftest import FIXTURES, exhaustive, nightly, toolconv
from tests.helpers.command import ROOT
from tests.helpers.failing_disk import CALLS, PACKAGE
from tests.helpers.lint_rows import TWICE_ENCODED, lines
from toolconv.cli.group import cli
from toolconv.cli.options import OUTPUT

pytestmark = [exhaustive, pytest.mark.skipif(sys.platform == "win32", reason="needs fork")]

COMMANDS = [
    "parse a.jsonl -o b.jsonl --receipt r.json --rejects j.jsonl",
    "convert a.jsonl --template qwen3 -o b.jsonl.gz",
    "convert folder --to-layout openai -o made --receipt r.json",
    "convert a.jsonl folder/c.jsonl --to qwen3_xml -o b.jsonl --rejects j.jsonl --jobs 2",
    "convert folder/c.jsonl --to-layout openai -o b.parquet",
    "render chat.jsonl --to kimi_k2 -o b.jsonl --receipt r.json --rejects j.jsonl",
    "lint faulty.jsonl --fix --fixable ALL --receipt r.json -q",
    "lint chat.jsonl --filter -o b.jsonl -q",
    "lint chat.jsonl --report b.html --report s.sarif --write-baseline base.json",
    "select a.jsonl --split train=0.5,eval=0.5 -o made --receipt r.json",
    "stats a.jsonl --html b.html",
    "augment chat.jsonl --mask 1 -o b.jsonl --receipt r.json",
    "score gold.jsonl chat.jsonl --pairs b.jsonl --html s.html -o s.json --receipt r.json",
    "receipts 1.json 2.json -o r.json",
    "view chat.jsonl --html b.html",
    "derive acme.jinja -o acme.toml",
    "convert traces.jsonl --from-layout langfuse --to-layout openai -o b.jsonl",
    "select a.jsonl --sort id -o b.jsonl",
    "parse a.jsonl -o /dev/null --receipt r.json",
    "parse a.jsonl -o /dev/stderr --receipt r.json",
    "lint chat.jsonl --declare /dev/stdin --report b.html",
]
"""Commands that write all kinds of files; ``b.jsonl``, ``b.html`` and ``r.json`` exist before."""
OPENED = {
    "io/outputs.py os.open": "parse a.jsonl -o b.jsonl --receipt r.json --rejects j.jsonl",
    "io/outputs.py os.fdopen(os.open": "parse a.jsonl -o b.jsonl --receipt r.json --rejects j.jsonl",
    "io/outputs.py os.fdopen(os.dup": "parse a.jsonl -o /dev/stderr --receipt r.json",
    "io/outputs.py given.open": "parse a.jsonl -o /dev/null --receipt r.json",
    "io/parquet.py tempfile.TemporaryFile": "convert folder/c.jsonl --to-layout openai -o b.parquet",
    "core/spill.py tempfile.TemporaryFile": "convert traces.jsonl --from-layout langfuse --to-layout openai -o b.jsonl",
    "cli/pipes.py copy.write_bytes": "lint chat.jsonl --declare /dev/stdin --report b.html",
}
"""Each place of toolconv that opens a file to write, and a command that does it there. Addresses have ``test_remote.py``."""
OPENERS = {"open", "fdopen", "write_text", "write_bytes", "touch", "mkstemp"}
MANUAL = "manual/__main__.py"
"""Writes parts of the source."""
TEMPORARY = {"TemporaryFile", "NamedTemporaryFile", "SpooledTemporaryFile"}


Runs: TypeAlias = Callable[[Path, str], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def full_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with inputs, and with files that commands replace."""
    folder = tmp_path_factory.mktemp("full") / "disk"
    (folder / "folder").mkdir(parents=True)
    texts = (FIXTURES / "teacher.jsonl").read_bytes()
    (folder / "a.jsonl").write_bytes(texts * 10 + b"{broken\n")
    for name in ("c", "d"):
        (folder / "folder" / f"{name}.jsonl").write_bytes(texts * 3)
    chat = (FIXTURES / "conversations.jsonl").read_bytes()
    (folder / "chat.jsonl").write_bytes(chat * 2)
    (folder / "gold.jsonl").write_bytes((chat * 2).replace(b"Boston", b"Berlin"))
    traces = (FIXTURES / "gathered" / "langfuse.jsonl").read_text(encoding="utf-8").splitlines()
    lines_of_traces = [json.dumps(line) for trace in traces for line in json.loads(trace)["lines"]]
    (folder / "traces.jsonl").write_text("\n".join(lines_of_traces * 40))
    (folder / "tools.json").write_text(
        json.dumps([{"name": "now", "parameters": {"type": "object", "properties": {}}}])
    )
    (folder / "faulty.jsonl").write_text(lines(*[{**TWICE_ENCODED, "id": number} for number in range(20)]))
    shutil.copy(FIXTURES / "derive" / "acme.jinja", folder)
    for part in ("1", "2"):
        toolconv(
            "parse", "a.jsonl", "--shard", f"{part}/2", "-o", f"p{part}.jsonl", "--receipt", f"{part}.json", cwd=folder
        )
    for name in ("b.jsonl", "b.html", "r.json"):
        (folder / name).write_text("old\n")
    return folder


@pytest.fixture
def disk(full_folder: Path, tmp_path: Path) -> Path:
    """A copy of that folder."""
    return Path(shutil.copytree(full_folder, tmp_path / "disk"))


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder, by their paths in it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_each_option_that_names_a_file_to_write_is_in_a_command() -> None:
    written = {
        (name, option)
        for name in cli.list_commands(click.Context(cli))
        for option in getattr(cli.get_command(click.Context(cli), name), "params", ())
        if option.type is OUTPUT
    }
    assert len(written) > 20
    used = [command.split() for command in COMMANDS]
    absent = [
        (name, option.opts)
        for name, option in written
        if not any(words[0] == name and not {*option.opts}.isdisjoint(words) for words in used)
    ]
    assert not absent


@cache
def opening_places() -> list[tuple[str, str, range]]:
    """Where toolconv opens files to write: a name of the place, its file, and its lines."""
    places = []
    for path in sorted(PACKAGE.rglob("*.py")):
        file = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(ast.Attribute(attr=name) | ast.Name(id=name)) if name in OPENERS | TEMPORARY:
                    text = ast.unparse(node)
                    reads = name == "open" and text.endswith(("'rb')", "os.O_RDONLY)"))
                    if (
                        not reads
                        and "os.devnull" not in text
                        and "self." not in text
                        and "closefd=" not in text
                        and file != MANUAL
                    ):
                        begins = (
                            text[: text.index("(", text.index("(") + 1)] if name == "fdopen" else ast.unparse(node.func)
                        )
                        places.append(
                            (f"{file} {begins}", file, range(node.lineno, (node.end_lineno or node.lineno) + 1))
                        )
    return places


def test_each_place_that_opens_a_file_to_write_is_in_a_command() -> None:
    assert {name for name, _, _ in opening_places()} == set(OPENED)
    assert {*OPENED.values()} <= {*COMMANDS}


@pytest.mark.parametrize("command", COMMANDS)
def test_each_file_is_the_old_one_or_the_new_one(command: str, disk: Path, failing: Runs) -> None:
    runs = failing(disk, command)
    whole = [run for run in runs if not run["failed"]]
    assert len(whole) == len(CALLS) and {run["status"] for run in whole} <= {0, 1}, whole
    reached = {tuple(place.split(":")) for run in whole for place in run["places"]}
    for name, file, lines_of_place in opening_places():
        if OPENED[name] == command:
            assert any(path == file and int(line) in lines_of_place for path, line in reached), (name, reached)
    old, new = contents(disk), contents(Path(whole[0]["folder"]))
    changed = {name for name in {*old, *new} if old.get(name) != new.get(name)}
    assert changed
    for run in runs:
        left = contents(Path(run["folder"]))
        what = f"{run['folder']}: status {run['status']}: {run['errors']}"
        others = {name for name in {*old, *new, *left} if left.get(name) not in (old.get(name), new.get(name))}
        assert others <= kept(left), what
        if run["status"] == 2:
            assert "Error: " in run["errors"] and "No space left on device" in run["errors"], what
            assert "Traceback" not in run["errors"] and "internal error" not in run["errors"], what
        else:  # only a sync of a folder may fail without a word: not all file systems can
            assert run["status"] == whole[0]["status"] and left == new, what


@nightly
def test_a_run_that_a_full_disk_ended_is_continued(disk: Path, failing: Runs) -> None:
    """With ``--resume``, to the bytes of a run that nothing ended, wherever it ended."""
    command = "convert a.jsonl --to qwen3_xml -o b.jsonl --resume"
    *runs, whole = failing(disk, command)
    continued = 0
    for run in runs:
        folder = Path(run["folder"])
        continued += ".b.jsonl.resume" in contents(folder)
        again = toolconv(*command.split(), cwd=folder)
        assert again.status == 1 and contents(folder) == contents(Path(whole["folder"])), run
    assert continued


@pytest.fixture(scope="module")
def failing() -> Iterator[Runs]:
    """Tells how the runs of a command in a folder ended, each with another call that failed."""
    program = [sys.executable, "-m", "tests.helpers.failing_disk"]
    with subprocess.Popen(program, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        stdin, stdout = process.stdin, process.stdout

        def runs(disk: Path, command: str) -> list[dict[str, Any]]:
            print(json.dumps([str(disk), command.split()]), file=stdin, flush=True)
            return [json.loads(line) for line in iter(stdout.readline, "\n")]

        yield runs


def kept(left: dict[str, bytes]) -> set[str]:
    """Files of an interrupted run that another one continues."""
    return {name for name in left if name.rpartition("/")[2].startswith(".") and name.endswith((".part", ".resume"))}
