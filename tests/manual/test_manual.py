"""The manual pages: in step with the program, free of warnings, and saying what they were given to say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

import toolconv
from tests.conftest import ROOT, exhaustive
from tests.helpers.command import TIMEOUT
from toolconv import dialects
from toolconv.cli.lazy import NAMES
from toolconv.dialects import vocabulary
from toolconv.manual.__main__ import main
from toolconv.manual.roff import ManPage

PAGES = sorted((ROOT / "man").iterdir())
SAMPLES = [(dialect.name, dialect.sample) for dialect in dialects.all_dialects()]  # before other tests add some


READERS = {"man": ["man", "--warnings", "-l"], "mandoc": ["mandoc", "-T", "utf8", "-O", "width=1000"]}


@cache
def is_installed(program: str) -> bool:
    """Whether ``man`` (man-db's; some systems have a stub) or ``mandoc`` is there."""
    if not shutil.which(program):
        return False
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return program != "man" or done.stdout.startswith("man 2")


def run(command: list[str], path: Path, width: int = 1000) -> str:
    """What a command prints of a page, without backspaces; anything on stderr fails the test."""
    if not is_installed(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    env = {"LC_ALL": "C.UTF-8", "MANWIDTH": str(width), "PATH": os.environ["PATH"]}
    done = subprocess.run([*command, str(path)], capture_output=True, env=env, timeout=TIMEOUT, check=False)
    assert done.stderr == b""
    return re.sub(".\b", "", done.stdout.decode())


def test_generated_files_are_in_step(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also the facts that the pages show, of each dialect, layout, template, trainer and rule."""
    monkeypatch.setattr(vocabulary, "FILE", tmp_path / "vocabulary.json")
    main(tmp_path)
    for folder in ("man", "completions"):
        made = {path.name: path.read_text() for path in (tmp_path / folder).iterdir()}
        kept = {path.name: path.read_text() for path in (ROOT / folder).iterdir()}
        differing = [name for name in made.keys() | kept.keys() if made.get(name) != kept.get(name)]
        assert not differing, f"{folder}/ is out of date: run python -m toolconv.manual"


def test_there_is_a_page_for_everything() -> None:
    topics = ("dialects", "layouts", "templates", "trainers", "rules")
    expected = {"toolconv.1", *(f"toolconv-{name}.1" for name in NAMES), *(f"toolconv-{name}.7" for name in topics)}
    expected.add("toolconv-library.3")
    assert {path.name for path in PAGES} == expected, "run python -m toolconv.manual, and delete pages of what is gone"


@pytest.mark.sweep
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
@pytest.mark.parametrize("width", [80, pytest.param(120, marks=exhaustive)])
def test_man_has_no_warnings(path: Path, width: int) -> None:
    assert "SEE ALSO" in run(READERS["man"], path, width)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_mandoc_has_no_complaints(path: Path) -> None:
    """All but those of style: the line under NAME is one line, however long, as whatis(1) wants it."""
    complaints = run(["mandoc", "-T", "lint"], path).splitlines()
    assert [line for line in complaints if "STYLE: input text line longer than 80 bytes" not in line] == []


def test_the_library_page_has_every_public_name() -> None:
    text = (ROOT / "man" / "toolconv-library.3").read_text()
    sections = re.findall(r"^\.SS (.*)$", text, re.M)
    assert {*sections, "Message"} == {*toolconv.__all__}, "Message is an alias and has no docstring"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_are_ascii_and_have_their_sections(path: Path) -> None:
    text = path.read_text()
    assert text.isascii()
    headings = re.findall(r"^\.SH (.*)$", text, re.M)
    assert headings[0] == "NAME"
    assert headings[-1] == "SEE ALSO"
    if path.suffix == ".1":
        fixed = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"]
        assert [heading for heading in headings if heading in fixed] == fixed


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_references_lead_somewhere(path: Path) -> None:
    known = {f"{page.stem}({page.suffix[1:]})" for page in PAGES}
    referred = re.findall(r"\\fB(toolconv[\w\\-]*)\\fR(\(\d\))", path.read_text().rpartition(".SH SEE ALSO")[2])
    assert referred
    assert {name.replace("\\", "") + section for name, section in referred} <= known - {path.name}


@pytest.mark.parametrize("reader", READERS)
def test_samples_are_printed_as_they_are(reader: str) -> None:
    out = run(READERS[reader], ROOT / "man" / "toolconv-dialects.7")
    lines = {line.strip() for line in out.splitlines()}
    for name, sample in SAMPLES:
        missing = [line for line in sample.expandtabs(4).splitlines() if line.strip() not in lines | {""}]
        assert not missing, name


AWKWARD = r"""
``\n`` and ``\u0041`` in *emphasis*, **strong**, C:\path, ~tilde, ^caret, `tick`, "quoted" and can't.

.SH is no request here. ``--option-name`` and --other-name, read-only, 'toolconv rules', é, ｜, 😀.

'quote first.

- A bullet with ``a "b" 'c'``,
  on two lines.
- Another::

    .TH literal
    'and \fB this "too" -x
"""
PLAIN = [
    '\\n and \\u0041 in emphasis, strong, C:\\path, ~tilde, ^caret, `tick`, "quoted" and can\'t.',
    ".SH is no request here. --option-name and --other-name, read-only, toolconv rules, é, ｜, 😀.",
    "'quote first.",
    "A bullet with a \"b\" 'c', on two lines.",
    "Another:",
    ".TH literal",
    '\'and \\fB this "too" -x',
]


@pytest.mark.parametrize("reader", READERS)
def test_awkward_text(reader: str, tmp_path: Path) -> None:
    page = ManPage("awkward", 7, "2026-01-01", "test", "test")
    page.heading("Name")
    page.raw(r"awkward \- text")
    page.heading("Description")
    page.prose(AWKWARD)
    path = tmp_path / "awkward.7"
    path.write_text(str(page))
    out = run(READERS[reader], path).translate(str.maketrans({"‐": "-", "’": "'"}))
    for line in PLAIN:
        assert line in " ".join(out.split())


def test_emphasis_code_and_options_are_set_apart() -> None:
    page = ManPage("x", 7, "2026-01-01", "test", "test")
    page.prose("Some *emphasis*, ``code``, --option-name and *.jsonl files.")
    assert r"Some \fIemphasis\fR, \fBcode\fR, \fB\-\-option\-name\fR and *.jsonl files." in str(page)


def test_the_wheel_installs_all_of_it() -> None:
    """The table in pyproject.toml names each file; hatchling puts it where it says."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    table = project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    pages = {f"man/{path.name}": f"share/man/man{path.suffix[1:]}/{path.name}" for path in PAGES}
    scripts = {
        "completions/toolconv.bash": "share/bash-completion/completions/toolconv",
        "completions/_toolconv": "share/zsh/site-functions/_toolconv",
        "completions/toolconv.fish": "share/fish/vendor_completions.d/toolconv.fish",
    }
    assert table == pages | scripts, "update [tool.hatch.build.targets.wheel.shared-data] in pyproject.toml"
