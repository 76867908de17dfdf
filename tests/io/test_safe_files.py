"""Files that commands write: replaced whole or not at all, never by mistake; and how errors of streams end."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import FIXTURES, exhaustive, rows, toolconv
from tests.helpers.command import TIMEOUT
from tests.helpers.console_blocks import quick_program
from tests.helpers.lint_rows import TWICE_ENCODED, lines
from toolconv.core.errors import FileError
from toolconv.io.inputs import Input
from toolconv.io.outputs import Output, part_of, write_file

GOOD = (FIXTURES / "teacher.jsonl").read_text().splitlines()[0] + "\n"


# ── one file, one role ──


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ("parse a.jsonl -o b --receipt b", "--receipt b and --output b are the same file"),
        ("parse a.jsonl -o b --rejects ./b", "--rejects ./b and --output b are the same file"),
        ("parse a.jsonl -o b --rejects a.jsonl", "--rejects a.jsonl and the input a.jsonl are the same file"),
        ("parse a.jsonl -o link", "--output link and the input a.jsonl are the same file"),
        ("parse folder -o folder/in.jsonl", "--output folder/in.jsonl and the input folder/in.jsonl are the same file"),
        ("parse folder -o folder", "its output would be an input"),
        ("render a.jsonl --chat-template t.jinja -o t.jinja", "--output t.jinja and the input t.jinja are the same"),
        ("lint a.jsonl --report a.jsonl", "--report a.jsonl and the input a.jsonl are the same file"),
        ("lint a.jsonl --filter -o b --report b", "are the same file"),
        ("stats a.jsonl --html a.jsonl", "--html a.jsonl and the input a.jsonl are the same file"),
    ],
)
def test_no_file_has_two_roles(arguments: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("a.jsonl", "folder/in.jsonl", "t.jinja"):
        (tmp_path / name).write_text(GOOD)
    (tmp_path / "link").symlink_to("a.jsonl")
    run = toolconv(*arguments.split(), cwd=tmp_path)
    assert run.status == 2 and why in run.err and run.err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "folder", "link", "t.jinja"]
    assert (tmp_path / "a.jsonl").read_text() == (tmp_path / "t.jinja").read_text() == GOOD


@pytest.mark.parametrize(
    "arguments",
    [
        "parse a.jsonl -o b --receipt",
        "parse a.jsonl -o b --rejects",
        "lint a.jsonl --filter -o b --report",
        "lint a.jsonl --write-baseline",
        "stats a.jsonl --html",
        "select a.jsonl -o b --receipt",
    ],
)
def test_a_file_that_can_not_be_written_is_an_error_before_the_run(arguments: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(GOOD)
    (tmp_path / "folder").mkdir()
    for name, why in (
        ("none/c", "none/c: "),
        ("folder", "folder: is a directory"),
        ("", "the name of the file is empty"),
    ):
        run = toolconv(*arguments.split(), name, cwd=tmp_path)
        assert run.status == 2 and not run.out and run.err.rpartition("Error: ")[2].find(why) >= 0, run.err
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "folder"]


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell's command line, in which ``toolconv`` is the command."""
    program = f"{sys.executable} -m toolconv" if "&-" in line else quick_program()
    line = line.replace("toolconv", program)
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )


@pytest.mark.parametrize(
    "line",
    [
        "cat a.jsonl | toolconv parse - -",
        "toolconv parse - a.jsonl - < a.jsonl",
        "cat a.jsonl | toolconv lint --declare -",
        "cat a.jsonl | toolconv lint --declare /dev/stdin -",
        "toolconv lint --declare - < a.jsonl",
    ],
)
def test_a_stream_is_not_read_twice(line: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(GOOD)
    run = shell(line, tmp_path)
    assert run.returncode == 2 and "standard input can be read only once, and is named twice" in run.stderr
    os.mkfifo(tmp_path / "pipe")
    assert "pipe can be read only once" in shell("toolconv parse pipe pipe", tmp_path).stderr


def test_devices_have_any_number_of_roles(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(GOOD)
    run = shell("toolconv parse -q a.jsonl -o /dev/null --rejects /dev/null --receipt /dev/null </dev/null", tmp_path)
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize("name", ["/dev/stdout", "-", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_is_written_on_and_never_replaced(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(GOOD)
    (tmp_path / "all.log").write_text("PRECIOUS\n")
    assert shell(f"toolconv parse -q a.jsonl -o {name} >> all.log", tmp_path).returncode == 0
    before, *after = (tmp_path / "all.log").read_text().splitlines()
    assert before == "PRECIOUS" and len(after) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "all.log"]


def test_standard_output_is_no_input(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(GOOD)
    run = shell("toolconv parse -q a.jsonl >> a.jsonl", tmp_path)
    assert run.returncode == 2 and "standard output and the input a.jsonl are the same file" in run.stderr
    assert (tmp_path / "a.jsonl").read_text() == GOOD


# ── replaced whole or not at all ──


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o755])
def test_mode_and_owner_are_kept(mode: int, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.touch()
    if os.geteuid() == 0:
        os.chown(out, 1234, 2345)
    out.chmod(mode)
    owner = out.stat().st_uid, out.stat().st_gid
    output = Output(str(out))
    output.write(b"private")
    assert stat.S_IMODE(part_of(out).stat().st_mode) & 0o077 == 0  # nobody else can read it meanwhile
    output.finish()
    assert stat.S_IMODE(out.stat().st_mode) == mode
    assert (out.stat().st_uid, out.stat().st_gid) == owner and out.read_bytes() == b"private"


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_file(str(tmp_path / "new"), b"")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_file_is_on_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    sync, replace = os.fsync, Path.replace

    def synced(file: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(file).st_mode) else "file")
        sync(file)

    def replaced(self: Path, target: Path) -> Path:
        done.append("rename")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    write_file(str(tmp_path / "a"), b"data")
    assert done == ["file", "rename", "folder"]


@pytest.mark.parametrize("length", [230, 240, 255])
def test_long_names(length: int, tmp_path: Path) -> None:
    name = "n" * length
    (tmp_path / "a.jsonl").write_text(GOOD)
    assert toolconv("parse", "-q", "a.jsonl", "-o", name, cwd=tmp_path).status == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", name]


def append(path: Path) -> None:
    with path.open("a") as file:
        file.write(GOOD)


def replace(path: Path) -> None:
    path.with_name("new").write_text(path.read_text())
    path.with_name("new").replace(path)


def overwrite(path: Path) -> None:
    with path.open("r+") as file:
        file.write(GOOD.swapcase())


CHANGES = [append, replace, overwrite, lambda path: os.truncate(path, 1), Path.unlink]


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changed_meanwhile_is_not_replaced(change: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(GOOD)
    os.utime(path, ns=(0, 0))
    source = Input(str(path))
    output = Output(str(path), replaces=source)
    output.write(b"fixed")
    change(path)
    after = path.read_bytes() if path.exists() else None
    with pytest.raises(FileError, match="changed while it was being read"):
        output.finish()
    output.abandon()
    source.close()
    assert (path.read_bytes() if path.exists() else None) == after
    assert not part_of(path).exists()


@exhaustive
@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=exhaustive)])
@pytest.mark.parametrize("change", [append, replace])
def test_fix_does_not_overwrite_what_another_program_wrote(
    change: Callable[[Path], None], jobs: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(lines(TWICE_ENCODED) * 10)
    os.utime(path, ns=(0, 0))
    code = (
        "from pathlib import Path; from tests.io import test_safe_files; from toolconv.cli import main\n"
        "from toolconv.lint.engine.rewrite import Rewritten\n"
        "finish = Rewritten.finish\n"
        f"Rewritten.finish = lambda self: (test_safe_files.{change.__name__}(Path('a.jsonl')), finish(self))\n"
        "main()"
    )
    command = [sys.executable, "-c", code, "lint", "--fix", "--unsafe-fixes", "--jobs", jobs, "a.jsonl"]
    environment = {**os.environ, "PYTHONPATH": str(FIXTURES.parent)}
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 2 and "a.jsonl: changed while it was being read" in run.stderr
    assert path.read_text() == lines(TWICE_ENCODED) * 10 + (GOOD if change is append else "")
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


# ── streams ──


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    "command", ["parse a", "lint c", "stats a", "diff a b", "schema a", "detect a", "dialects", "--help"]
)
def test_a_full_standard_output_is_an_error(command: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text((FIXTURES / "conversations.jsonl").read_text())
    (tmp_path / "c").write_text((FIXTURES / "cut.jsonl").read_text())
    (tmp_path / "b").write_text(GOOD)
    run = shell(f"toolconv {command} > /dev/full", tmp_path)
    assert run.returncode == 2 and run.stderr.splitlines()[-1].endswith("No space left on device")
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("command", ["parse a", "stats a", "lint c", "parse", "stats", "lint", "--help"])
def test_closed_standard_streams_are_an_error(command: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text((FIXTURES / "conversations.jsonl").read_text())
    (tmp_path / "c").write_text((FIXTURES / "cut.jsonl").read_text())
    run = shell(f"toolconv {command} <&- >&-", tmp_path)
    assert run.returncode == 2 and "Traceback" not in run.stderr
    assert run.stderr.splitlines()[-1].startswith("Error: <std") or run.stderr.splitlines()[-1].endswith(": closed")


def test_streams_that_are_not_used_may_be_closed(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(GOOD)
    assert shell("toolconv parse a -o b <&- >&- 2>&-", tmp_path).returncode == 0
    assert len(rows(tmp_path / "b")) == 1


def test_an_error_that_nobody_expects_is_one_line() -> None:
    code = "import toolconv.cli.dialects as module; module.click.echo = 1; from toolconv.cli import main; main()"
    run = subprocess.run([sys.executable, "-c", code, "dialects"], capture_output=True, text=True, check=False)
    assert run.returncode == 2 and run.stderr.count("\n") == 1
    assert run.stderr.startswith("Error: internal error, please report: TypeError: ")
    assert "(listing.py:" in run.stderr


def test_the_name_of_the_hidden_file_of_an_incomplete_one() -> None:
    folder = Path("folder")
    for name in ("a.jsonl", "a" * 240, "ä" * 120):
        assert part_of(folder / name) == folder / f".{name}.part"
    for name in ("a" * 241, "ä" * 121):
        part = part_of(folder / name)
        assert part.parent == folder and re.fullmatch(r"\.[0-9a-f]{64}\.part", part.name)
        assert part != part_of(folder / f"{name}a")
