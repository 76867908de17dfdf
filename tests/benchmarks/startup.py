"""``toolconv --help`` against the same of the least program with click: CPU time of processes, in turn."""

from __future__ import annotations

import resource
import subprocess
import sys

from tests.benchmarks.measure import Figure

BARE = """
import click

@click.group()
def cli():
    "A program."

@cli.command()
@click.option("--from", "source")
def convert(source):
    "A command."

cli()
"""
PROGRAMS = (BARE, "from toolconv.cli import main; main()")


def figures(rounds: int) -> list[Figure]:
    """The ratio of the two."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(10 * rounds):
        for program, taken in zip(PROGRAMS, times, strict=True):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", program, "--help"], stdout=subprocess.DEVNULL, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    bare, ours = map(min, times)
    return [{"what": "--help, to bare click", "ratio": round(ours / bare, 2)}]
