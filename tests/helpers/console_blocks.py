"""Pages that are run: the commands of their console blocks, each with what it prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT
from tests.helpers import fork_client
from tests.helpers.command import TIMEOUT, fork_server


def commands(page: str) -> list[tuple[str, str]]:
    """The commands of the console blocks, each with what it prints."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", page, re.S):
        for part in block.split("$ ")[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def quick_program() -> str:
    """A shell's words for ``toolconv`` that start faster, where there is a fork; all three standard streams must be open."""
    if sys.platform != "linux":
        return f"{sys.executable} -m toolconv"
    return f"{sys.executable} -I -S {fork_client.__file__} {fork_server().address}"


def add_programs(folder: Path, project: Path = ROOT) -> None:
    """Put ``toolconv`` and ``python`` into ``bin``, as they are in a virtual environment of a project."""
    toolconv = quick_program() if project == ROOT else f"{sys.executable} -m toolconv"
    for name, program in (("toolconv", toolconv), ("python", sys.executable)):
        script = folder / "bin" / name
        script.parent.mkdir(exist_ok=True)
        script.write_text(f'#!/bin/sh\nexec {program} "$@"\n')
        script.chmod(0o755)


def printed(command: str, folder: Path, project: Path = ROOT, timeout: int = TIMEOUT, **env: str) -> str:
    """What a command prints in a folder with programs, on both streams; ``project`` is where the modules are."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(project), **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=timeout,
        check=False,
    )
    return done.stdout.decode()
