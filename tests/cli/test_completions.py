"""Completions, as the real shells give them."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from tests.conftest import ROOT, toolconv
from tests.helpers.command import TIMEOUT
from toolconv import dialects, layouts, templates
from toolconv.cli.group import cli
from toolconv.cli.lazy import NAMES
from toolconv.lint.engine.selection import all_rules

SCRIPTS = ROOT / "completions"

BASH = """
source "$1"
read -ra COMP_WORDS <<< "${2//=/ = }"
[[ $2 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_toolconv
printf '%s\\n' "${COMPREPLY[@]}"
"""
FISH = 'source $argv[1]; complete --do-complete="$argv[2]"'
ZSH = r"""
zmodload zsh/zpty
zpty shell env PS1= TERM=dumb zsh -f -i
zpty -w shell "unsetopt zle_bracketed_paste; stty -echo; cd ${(q)PWD}; fpath=(${(q)1:h} \$fpath)"
zpty -w shell "autoload -Uz compinit && compinit -u -D"
zpty -w shell "zle -C every complete-word _generic; bindkey '^Xa' every"
zpty -w shell "zstyle ':completion:every::::' completer _all_matches _complete"
zpty -w shell "zstyle ':completion:every:*' insert yes"
zpty -w shell "toolconv() { print -rl -- '' BEGIN \"\$@\" END }; print REA''DY"
zpty -r shell output '*READY*'
zpty -w -n shell "$2"$'\C-Xa\n'
zpty -r shell output $'*\nBEGIN*\nEND*'
print -r -- "$output"
"""


def bash(line: str, folder: Path) -> set[str]:
    """Calls the function that bash calls, with the words as bash splits them."""
    return set(run(["bash", "--norc", "-c", BASH, "bash", SCRIPTS / "toolconv.bash", line], folder).split("\n")) - {""}


def fish(line: str, folder: Path) -> set[str]:
    """Asks fish itself; a completion is followed by a tab and what it is."""
    out = run(["fish", "--no-config", "-c", FISH, SCRIPTS / "toolconv.fish", line], folder)
    return {offer.partition("\t")[0] for offer in out.splitlines()}


def zsh(line: str, folder: Path) -> set[str]:
    """Types the line in an interactive zsh, lets it insert all matches, and sees what the command was given."""
    out = run(["zsh", "-f", "-c", ZSH, "zsh", SCRIPTS / "_toolconv", line], folder).replace("\r", "")
    arguments = out.rpartition("\nBEGIN\n")[2].partition("\nEND")[0].split("\n")
    return set(arguments) - set(line.split(" ")[1:-1])


def run(command: list[str | Path], folder: Path) -> str:
    if not shutil.which(str(command[0])):
        pytest.skip(f"{command[0]} is not installed")
    home = {"HOME": str(folder), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, cwd=folder, env=home, capture_output=True, text=True, timeout=TIMEOUT, check=True)
    assert done.stderr == ""
    return done.stdout


SHELLS: dict[str, Callable[[str, Path], set[str]]] = {"bash": bash, "zsh": zsh, "fish": fish}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files of rows and others."""
    folder = tmp_path_factory.mktemp("files")
    for name in ("rows.jsonl", "rows.json", "rows.zst", "rows.parquet", "rows.txt", "notes.txt"):
        (folder / name).write_text("")
    (folder / "rows.jsonl.gz").write_bytes(gzip.compress(b""))
    (folder / "rowsets").mkdir()
    return folder


def begins(prefix: str, words: list[str]) -> set[str]:
    found = {word for word in words if word.startswith(prefix)}
    assert found
    return found


def names(known: list[dialects.Dialect] | list[templates.Template]) -> list[str]:
    return [name for each in known for name in (each.name, *each.aliases)]


DIALECTS = dialects.all_dialects()  # now, before other tests add some
LAYOUTS = [layouts.get(name) for name in layouts.names()]
CASES = {
    "co": {"convert", "completions"},
    "convert --on": {"--on-error"},
    "convert --on-error ": {"keep", "reject", "fail"},
    "convert --to qw": begins("qw", names(DIALECTS)),
    "convert --from aut": {"auto"},
    "convert --to-layout open": begins(
        "open", [name for layout in LAYOUTS if layout.writable for name in (layout.name, *layout.aliases)]
    ),
    "convert --from-layout tou": {"toucan"},
    "render --template glm-4": begins("glm-4", names(templates.all_templates())),
    "lint --target ope": {"openai"},
    "lint --select TC11": begins("TC11", list(all_rules())),
    "lint --select TC101,AL": {"TC101,ALL"},
    "rules TC10": begins("TC10", list(all_rules())),
    "rules undecl": {"undeclared-tool"},
    "layouts anth": {"anthropic"},
    "completions ": {"bash", "zsh", "fish"},
    "convert ro": {"rows.jsonl", "rows.json", "rows.jsonl.gz", "rows.zst", "rows.parquet", "rowsets"},
    "convert no": {"notes.txt"},
    "parse --receipt ro": {
        *("rows.jsonl", "rows.json", "rows.jsonl.gz", "rows.zst", "rows.parquet", "rows.txt", "rowsets"),
    },
}


@pytest.mark.parametrize("line", CASES)
@pytest.mark.parametrize("shell", SHELLS)
def test_what_is_offered(shell: str, line: str, folder: Path) -> None:
    offered = SHELLS[shell](f"toolconv {line}", folder)
    assert {word.rstrip("/") for word in offered} == CASES[line]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_value_behind_an_equals_sign(shell: str, folder: Path) -> None:
    offered = SHELLS[shell]("toolconv convert --to=kimi_k2", folder)
    assert {word.removeprefix("--to=") for word in offered} == {"kimi_k2"}


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_other_names_are_offered_once_a_letter_is_typed(shell: str, folder: Path) -> None:
    assert SHELLS[shell]("toolconv convert --to ", folder) == {dialect.name for dialect in DIALECTS}


@pytest.mark.parametrize("command", NAMES)
@pytest.mark.parametrize("shell", SHELLS)
def test_all_options(shell: str, command: str, folder: Path) -> None:
    context = cli.make_context("toolconv", [], resilient_parsing=True)
    found = cli.get_command(context, command)
    assert found is not None
    params = found.get_params(click.Context(found, parent=context))
    long = {flag for param in params if isinstance(param, click.Option) for flag in param.opts if flag[:2] == "--"}
    assert {word.rstrip("=") for word in SHELLS[shell](f"toolconv {command} --", folder)} == long


@pytest.mark.parametrize("shell", SHELLS)
def test_the_command_prints_the_script(shell: str) -> None:
    file = {"bash": "toolconv.bash", "zsh": "_toolconv", "fish": "toolconv.fish"}[shell]
    assert toolconv("completions", shell).raw == (SCRIPTS / file).read_bytes()
