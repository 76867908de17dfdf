"""``toolconv`` in the process of a test, which takes a third of the time that a process of its own takes.

It is the program's entry point with its own arguments, folder and environment, and with real pipes as the standard streams
0, 1 and 2. What it changes in the process is put back: these, what signals do, warnings, the limit of open files, the garbage
collector, context variables, and which dialects there are. Caches that may hold what a file said are emptied.

It differs from a process of its own in this: any module may be imported and any other cache filled before, and what a test
patches or registers is there for the command, too. ``tests/project/test_in_process.py`` compares the two.
"""

from __future__ import annotations

import functools
import gc
import os
import resource
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import toolconv.cli
from tests.helpers import pipes
from toolconv.dialects import registry
from toolconv.io.signals import ENDING

STREAMS = ("stdin", "stdout", "stderr")

NO_FILES = tuple(
    f"toolconv.{each}"
    for each in (
        "core.",
        "dialects.",
        "io.garbage",
        "layouts.",
        "lint.engine.prefilter",
        "lint.engine.selection",
        "lint.model.",
        "lint.schema.",
        "lint.texts.",
        "lint.values.",
        "templates.",
    )
)
"""Modules whose caches hold what follows from texts and tables alone, or go by the version of a file."""

NOT_SHOWN = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)
"""Warnings that an interpreter does not show if nothing is set."""


def run(arguments: list[str], stdin: bytes, folder: Path, environment: dict[str, str]) -> tuple[int, bytes, bytes]:
    """Run a command in a folder: its exit status, and what it wrote to standard output and standard error.

    Only in the main thread, since a command handles signals.
    """
    with ThreadPoolExecutor(3) as pool:
        with standard_streams() as (stdin_end, *ends):
            pool.submit(pipes.write, stdin_end, [stdin])
            outputs = [pool.submit(pipes.read, end) for end in ends]
            with place(arguments, folder, environment), interpreter(), dialects():
                status = copy_context().run(ended)
        stdout, stderr = (output.result() for output in outputs)
    for cache in caches_of_files(len(sys.modules)):
        cache.cache_clear()
    return status, stdout, stderr


def ended() -> int:
    """Run the program; the status with which the interpreter would exit."""
    try:
        toolconv.cli.main()
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
            return 1
        return end.code or 0
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


@contextmanager
def standard_streams() -> Iterator[list[int]]:
    """Pipes as standard streams: their other ends. What was written is in the pipes after this context."""
    before = [(name, getattr(sys, name), os.dup(number)) for number, name in enumerate(STREAMS)]
    others = []
    for number, name in enumerate(STREAMS):
        end, other = pipes.standard(number)
        others.append(other)
        os.dup2(end, number)
        os.close(end)
        first: Any = getattr(sys, f"__{name}__")  # the interpreter chose its encoding
        raw: Any = open(number, "wb" if number else "rb", closefd=False)  # noqa: SIM115
        text = TextIOWrapper(raw, first.encoding, first.errors, newline="\n", line_buffering=name == "stderr")
        setattr(sys, name, text)
    try:
        yield others
    finally:
        for number, (name, stream, kept) in enumerate(before):
            if number and not getattr(sys, name).closed:
                getattr(sys, name).flush()
            setattr(sys, name, stream)
            os.dup2(kept, number)
            os.close(kept)


@contextmanager
def place(arguments: list[str], folder: Path, environment: dict[str, str]) -> Iterator[None]:
    """The arguments, the folder and the environment of a command."""
    before = sys.argv, Path.cwd(), dict(os.environ)
    sys.argv = ["toolconv", *arguments]
    os.chdir(folder)
    set_environment(environment)
    try:
        yield
    finally:
        sys.argv = before[0]
        os.chdir(before[1])
        set_environment(before[2])


def set_environment(environment: dict[str, str]) -> None:
    """Have these variables and no others."""
    for name in os.environ.keys() - environment.keys():
        del os.environ[name]
    for name, value in environment.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


@contextmanager
def interpreter() -> Iterator[None]:
    """Signals, garbage and warnings as in a new process, whose end would be the end of all garbage."""
    handlers = [(number, signal.getsignal(number)) for number in ENDING]
    thresholds, limit = gc.get_threshold(), resource.getrlimit(resource.RLIMIT_NOFILE)
    collect_no_more, toolconv.cli.collect_no_more = toolconv.cli.collect_no_more, lambda: None
    try:
        with warnings.catch_warnings():
            warnings.resetwarnings()
            for category in NOT_SHOWN:
                warnings.simplefilter("ignore", category)
            warnings.showwarning = show
            yield
    finally:
        for number, handler in handlers:
            signal.signal(number, handler)
        gc.set_threshold(*thresholds)
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)
        toolconv.cli.collect_no_more = collect_no_more


def show(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: object) -> None:
    """Write a warning to standard error; pytest would keep it for its own report."""
    sys.stderr.write(warnings.formatwarning(message, category, filename, lineno))


@contextmanager
def dialects() -> Iterator[None]:
    """The dialects that there are; those of files that a command names are forgotten."""
    before = registry.registered()
    loaded, added = dict(registry._loaded), list(registry._added)
    try:
        yield
    finally:
        if registry._added != added:
            registry._loaded.clear()
            registry._loaded.update(loaded)
            registry._added[:] = added
            registry._registered = before


@functools.lru_cache(maxsize=1)
def caches_of_files(modules: int) -> list[Any]:
    """The caches of functions of toolconv, but for :data:`NO_FILES`; ``modules`` is how many modules are imported."""
    return [
        value
        for name, module in list(sys.modules.items())
        if name.startswith("toolconv.") and not name.startswith(NO_FILES)
        for value in vars(module).values()
        if hasattr(value, "cache_clear") and value.__module__ == name
    ]
