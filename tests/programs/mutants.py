"""Mutation testing: what the tests of a folder notice when its code says something else.

    nice python -m tests.programs.mutants [--each N] [--seed N] [AREA...]
    nice python -m tests.programs.mutants --every [--kind KIND] [--seconds N] [AREA or PATH...] [--tests FOLDER...]

An area is a part of the code (``AREAS``). N places of each are taken at random, as many of each kind: comparisons,
conditions, numbers, texts, statements. At each place the code is compiled with both what it says and a mutant, such as
``<=`` for ``<``. A process that is forked once all tests are collected turns one mutant on, and runs the tests of its
folder that reach its place, the quickest first, until one fails: a mutant costs neither a start nor a collection. Only
one in code that runs before the tests do, such as a table's, has a fresh process, with the tests that reach its file.

A mutant gets tests that take ``SECONDS`` together. A command that a test runs is forked from the test's process, so that
it has the mutant, too. One that its folder's tests don't catch gets those that a plain ``python -m pytest`` runs of all
folders: much of ``core`` and ``io`` is tested by what uses it. A mutant that no test reaches is not caught.

``--every`` asks all mutants of an area, or of a folder or file of ``toolconv``, branches too, of one kind or of all: where a
whole mechanism has no case, the survivors stand together. Code that runs before the tests is left out there.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import functools
import gc
import importlib.abc
import importlib.machinery
import json
import os
import random
import resource
import signal
import socket
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Thread
from types import CodeType
from typing import IO, Any, NamedTuple, NoReturn

import pytest

from tests.programs.mutant_kinds import ROOT, Mutant, mutants_of

AREAS = {
    "readers": ["dialects/reading", "dialects/grammars", "dialects/choice", "dialects/lexing"],
    "rules": ["lint/rules", "lint/values"],
    "layouts": ["layouts"],
    "scores": ["score"],
    "schemas": ["schema", "export"],
    "conversion": ["convert", "core"],
    "counts": ["inspect", "select"],
    "files": ["io"],
    "losses": ["core", "dialects", "layouts", "templates", "trainers"],
}
"""Folders of ``toolconv``. Of the last, only the places that count a loss or a dropped call are taken."""
SECONDS = 8.0
"""Unless ``--seconds`` gives another time: the tests that a mutant gets take this much time of the processor in all, so that other work changes nothing."""
LONGEST = 60
"""Tests that take more seconds by the clock are left out."""
MEMORY = 6 << 30
"""Bytes that a process may take, lest a mutant that never ends fill the machine."""
ONLY = "TOOLCONV_MUTANT"
"""The variable that turns a mutant on from the start of a process: the file with it, and with the names of its tests."""
SHOWN = "test_generated_files_are_in_step"
"""The test of the pages that show facts: of the thousands of tests that may notice a change of a fact, not the quickest."""
NOT_STARTED = 127
"""The status of a process that could not begin."""


def mutants_by_kind(area: str) -> dict[str, list[tuple[Path, int]]]:
    """All mutants of an area, a folder or a file, by their kinds: a file, and the number of a mutant in it."""
    kinds: dict[str, list[tuple[Path, int]]] = defaultdict(list)
    for folder in AREAS.get(area, [area]):
        whole = ROOT / "toolconv" / folder
        for path in sorted(whole.rglob("*.py")) if whole.is_dir() else [whole]:
            for number, mutant in enumerate(mutants_of(path, ast.parse(path.read_bytes()))):
                if mutant.counts or area != "losses":
                    kinds[mutant.kind].append((path, number))
    return kinds


def sample(area: str, each: int, choice: random.Random) -> list[tuple[Path, int]]:
    """Mutants of an area, at random, as many of each kind, without branches."""
    kinds = mutants_by_kind(area)
    kinds.pop("branch", None)
    print(f"{area}: {', '.join(f'{len(places)} {kind}s' for kind, places in sorted(kinds.items()))}", flush=True)
    for places in kinds.values():
        choice.shuffle(places)
    chosen: list[tuple[Path, int]] = []
    while len(chosen) < each and any(kinds.values()):
        chosen += [places.pop() for _, places in sorted(kinds.items()) if places]
    return chosen[:each]


@functools.cache
def mutants_in(path: Path) -> list[Mutant]:
    return mutants_of(path, ast.parse(path.read_bytes()))


def mutant_at(path: Path, number: int) -> Mutant:
    """One mutant of a file."""
    return mutants_in(path)[number]


class Importer(importlib.abc.MetaPathFinder):
    """Compiles files with the mutants of a sample, all turned off but one.

    Attributes:
        mutants: what the mutants change, by their number in the sample, as far as their files are loaded.
        reached: the numbers of those whose places ran.
        active: the one that is turned on.
    """

    def __init__(self, chosen: list[tuple[Path, int]], active: int) -> None:
        self.chosen = chosen
        self.active = active
        self.reached: set[int] = set()
        loaded = [name for name in sys.modules if name.startswith("toolconv")]
        assert not loaded, f"compiled already, without mutants: {', '.join(loaded)}"
        builtins.mutant_is_on = self.is_on  # type: ignore[attr-defined]
        sys.meta_path.insert(0, self)

    def file_of(self, number: int) -> int:
        """A number below all mutants that stands for a file: it is reached if any function of the file runs."""
        path, _ = self.chosen[number]
        return -2 - next(at for at, (file, _) in enumerate(self.chosen) if file == path)

    def is_on(self, number: int) -> bool:
        self.reached.add(number)
        return number == self.active

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if not name.startswith("toolconv"):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec and spec.origin and any(str(path) == spec.origin for path, _ in self.chosen):
            spec.loader = Loader(name, spec.origin, self)
        return spec


class Loader(importlib.machinery.SourceFileLoader):
    """Compiles one file with its mutants."""

    def __init__(self, name: str, path: str, importer: Importer) -> None:
        super().__init__(name, path)
        self.importer = importer

    def get_code(self, fullname: str) -> CodeType:
        path = Path(self.path)
        tree = ast.parse(path.read_bytes())
        mutants = mutants_of(path, tree)
        places: dict[int, list[tuple[int, Mutant]]] = defaultdict(list)
        numbers = [at for at, (file, _) in enumerate(self.importer.chosen) if file == path]
        for at in numbers:
            mutant = mutants[self.importer.chosen[at][1]]
            places[id(mutant.node)].append((at, mutant))
        mutated = WithMutants(places, self.importer.file_of(numbers[0])).visit(tree)
        return compile(ast.fix_missing_locations(mutated), self.path, "exec")


class WithMutants(ast.NodeTransformer):
    """Puts mutants beside what a file says, and a mark at the beginning of each function."""

    def __init__(self, places: dict[int, list[tuple[int, Mutant]]], file: int) -> None:
        self.places = places
        self.file = file

    def visit(self, node: ast.AST) -> Any:
        wrapped = self.generic_visit(node)
        if isinstance(wrapped, ast.FunctionDef):
            wrapped.body.insert(ast.get_docstring(wrapped) is not None, ast.Expr(is_on(self.file)))
        for number, mutant in self.places.get(id(node), ()):
            if mutant.instead:
                wrapped = ast.IfExp(is_on(number), mutant.instead, wrapped)  # type: ignore[arg-type]
            else:
                wrapped = ast.If(is_on(number), [ast.Pass()], [wrapped])  # type: ignore[list-item]
            ast.copy_location(wrapped, node)
        return wrapped


def is_on(number: int) -> ast.Call:
    """The question whether a mutant is turned on, as code."""
    return ast.Call(ast.Name("mutant_is_on", ast.Load()), [ast.Constant(number)], [])


class Verdict(NamedTuple):
    """What became of a mutant: ``caught``, ``survived``, ``unreached``, ``reached`` or ``early``, before all tests; how it was caught, and how many tests it got."""

    what: str
    how: str = ""
    tests: int = 0


class Runner:
    """A plugin of pytest that runs the tests of a folder for each of its mutants, in place of running them once.

    Attributes:
        verdicts: by the number of the mutant; filled as mutants are judged.
    """

    def __init__(self, importer: Importer, numbers: list[int], seconds: float = SECONDS, every: bool = False) -> None:
        self.importer = importer
        self.numbers = numbers
        self.seconds = seconds
        self.every = every
        self.verdicts: dict[int, Verdict] = {}
        self.failed: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        from tests.helpers import command

        with tempfile.TemporaryDirectory(prefix="toolconv-") as folder:
            command.ForkServer = lambda _: Forks(self.importer, folder)  # type: ignore[assignment, misc]
            self.judge_all(session)
        return True

    def judge_all(self, session: pytest.Session) -> None:
        """Judge each mutant with the tests that reach its place."""
        early = set(self.importer.reached)
        items = {item.nodeid: item for item in session.items}
        reach: dict[str, tuple[float, list[int]]] = in_child(lambda: self.reach(session.items))[0]
        for number in self.numbers:
            if number in early and self.every:
                early.remove(number)
                if not any(number in places for _, places in reach.values()):
                    self.verdicts[number] = Verdict("early")
                    continue
            wanted = self.importer.file_of(number) if number in early else number
            tests = [(took, test) for test, (took, places) in reach.items() if wanted in places]
            first = ""
            if number in early and not tests:  # a file of facts, which holds no function
                tests = [(took, test) for test, (took, _) in reach.items()]
                first = self.importer.chosen[number][0].stem
            if tests and not self.seconds:
                self.verdicts[number] = Verdict("reached", tests=len(tests))
                continue
            self.verdicts[number] = self.judge(number, within(self.seconds, tests, first), items, number in early)
            print(number, *self.verdicts[number], mutant_at(*self.importer.chosen[number]), flush=True)

    def judge(self, number: int, tests: list[tuple[float, str]], items: dict[str, pytest.Item], early: bool) -> Verdict:
        """Run tests with a mutant."""
        names = [test for _, test in tests]
        seconds = int(2 + self.seconds + 5 * sum(took for took, _ in tests))
        if not tests:
            return Verdict("unreached")
        if early:
            path, at = self.importer.chosen[number]
            program = [sys.executable, "-m", "tests.programs.mutants"]
            with tempfile.NamedTemporaryFile("w", suffix=".json") as asked:
                json.dump([str(path), at, names], asked)
                asked.flush()
                os.environ[ONLY] = asked.name
                status, ended = in_child(lambda: os.spawnv(os.P_WAIT, program[0], program), seconds + 60)
            assert status != NOT_STARTED, program
            failed = f"status {status}" if status not in (0, pytest.ExitCode.NO_TESTS_COLLECTED) else ""
        else:
            self.importer.active = number
            failed, ended = in_child(lambda: self.first_failure([items[name] for name in names]), seconds)
        return Verdict("caught" if ended or failed else "survived", ended or failed, len(tests))

    def reach(self, items: list[pytest.Item]) -> dict[str, tuple[float, list[int]]]:
        """How long each test that passes takes, and the places that it reaches."""
        signal.signal(signal.SIGALRM, too_long)
        found: dict[str, tuple[float, list[int]]] = {}
        caches = [each for each in gc.get_objects() if isinstance(each, functools._lru_cache_wrapper)]
        for item, following in zip(items, [*items[1:], None], strict=True):
            for cache in caches:  # or only the first test would reach what fills them
                cache.cache_clear()
            self.importer.reached.clear()
            self.failed.clear()
            began = processor_time()
            signal.alarm(LONGEST)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            signal.alarm(0)
            if self.importer.reached and not self.failed:
                found[item.nodeid] = (processor_time() - began, sorted(self.importer.reached))
        return found

    def first_failure(self, items: list[pytest.Item]) -> str:
        """The first test that fails, or an empty text."""
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                return self.failed[0]
        return ""


def processor_time() -> float:
    """The seconds of the processor that this process and its children took."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def too_long(*_: object) -> NoReturn:
    """End a test that takes too long, or waits for a process that is none."""
    raise TimeoutError


class Forks:
    """Runs commands in forks of this process, in place of ``tests.helpers.command.ForkServer``.

    Attributes:
        address: where it takes the requests of ``tests.helpers.fork_client``, which a shell runs.
    """

    def __init__(self, importer: Importer, folder: str) -> None:
        from tests.helpers import fork_server

        self.start, self.command = fork_server.start, fork_server.run  # a fork of what imports them would wait for ever
        self.importer = importer
        self.address = f"{folder}/{os.getpid()}"
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(self.address)
        listening.listen()
        Thread(target=self.serve, args=[listening], daemon=True).start()

    def serve(self, listening: socket.socket) -> None:
        """Answer requests. Commands begin one after the other: none may hold the end of another one's pipe."""
        while True:
            connection, _ = listening.accept()
            reached = tempfile.TemporaryFile()  # noqa: SIM115 (the thread that waits for the command closes it)
            if not (child := self.start(connection)):
                self.run_and_exit(reached)
            Thread(target=self.wait, args=[child, connection, reached], daemon=True).start()

    def wait(self, child: int, connection: socket.socket, reached: IO[bytes]) -> None:
        """Wait for a command, and answer its request with its status."""
        from tests.helpers.fork_client import NUMBER

        with connection, reached:
            status = self.status(child, reached)
            with suppress(BrokenPipeError):
                connection.sendall(NUMBER.pack(status))

    def run(self, arguments: list[str], stdin: Iterable[bytes], folder: Path, environment: dict[str, str]) -> Any:
        """Run one command in a folder."""
        from tests.helpers import command

        with ExitStack() as files:
            *streams, reached = (files.enter_context(tempfile.TemporaryFile()) for _ in range(4))
            streams[0].writelines(stdin)
            streams[0].seek(0)
            if not (child := os.fork()):
                for number, stream in enumerate(streams):
                    os.dup2(stream.fileno(), number)
                os.chdir(folder)
                os.environ.clear()
                os.environ.update(environment)
                sys.argv = ["toolconv", *arguments]
                self.run_and_exit(reached)
            status = self.status(child, reached)
            for stream in streams:
                stream.seek(0)
            return command.Run(status, streams[1].read(), streams[2].read())

    def run_and_exit(self, reached: IO[bytes]) -> NoReturn:
        """Run the command that this process is set up for, and write down the places that it reaches."""
        status = self.command()
        sys.stdout.flush()
        sys.stderr.flush()
        reached.write(json.dumps(sorted(self.importer.reached)).encode())
        reached.flush()
        os._exit(status)

    def status(self, child: int, reached: IO[bytes]) -> int:
        """Wait for a command: its exit status. The places that it reached are the test's."""
        _, status = os.waitpid(child, 0)
        reached.seek(0)
        self.importer.reached.update(json.loads(reached.read() or b"[]"))
        return os.waitstatus_to_exitcode(status)


class Chosen:
    """A plugin of pytest that keeps the named tests, in their order."""

    def __init__(self, tests: list[str]) -> None:
        self.order = {test: at for at, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self.order), key=lambda item: self.order[item.nodeid]
        )


def within(seconds: float, tests: Iterable[tuple[float, str]], first: str = "") -> list[tuple[float, str]]:
    """The quickest tests that together take no longer; at least one, if there is one.

    If ``first`` is given, the test that compares all facts with the pages that show them, and those whose names hold
    it, come before others.
    """
    taken: list[tuple[float, str]] = []
    wanted = (SHOWN, first) if first else ()
    for took, test in sorted(tests, key=lambda each: (not any(name in each[1] for name in wanted), each)):
        seconds -= took
        if taken and seconds < 0:
            break
        taken.append((took, test))
    return taken


def in_child(work: Callable[[], Any], seconds: int | None = None) -> tuple[Any, str]:
    """What work gives in a forked process, as JSON; and how the process ended, if it gives nothing.

    Args:
        work: what to do.
        seconds: the time of the processor that it may take. A process that is limited so prints nothing.
    """
    with tempfile.TemporaryFile("w+") as answer:
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            try:
                if seconds:
                    for stream in (1, 2):
                        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
                    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
                    signal.signal(signal.SIGALRM, signal.SIG_DFL)
                    signal.alarm(LONGEST + 6 * seconds)  # one that waits for ever takes no time of the processor
                json.dump(work(), answer)
                answer.flush()
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        answer.seek(0)
        text = answer.read()
    return (json.loads(text), "") if text else (None, f"ended with {status}")


def run(plugin: object, *options: str, sweeps: bool = True) -> int:
    """Run pytest in this process, without the report; sweeps have all their cases, or those of a plain run."""
    wanted = "(sweep or not exhaustive) and not nightly" if sweeps else "not exhaustive and not nightly"
    selected = ["-o", "addopts=", "--strict-markers", "-m", wanted]
    return pytest.main(["-s", "-p", "no:terminal", "-p", "no:cacheprovider", *selected, *options], plugins=[plugin])


def run_one() -> int:
    """Run some tests with one mutant, from the start of a process."""
    path, number, tests = json.loads(Path(os.environ[ONLY]).read_text("utf-8"))
    Importer([(Path(path), number)], active=0)
    return run(Chosen(tests), "-x", *sorted({test.partition("::")[0] for test in tests}))


def judge(
    chosen: list[tuple[Path, int]], numbers: list[int], folders: list[str], seconds: float, every: bool
) -> dict[int, Verdict]:
    """Judge mutants with the tests of some folders, or of all."""
    runner = Runner(Importer(chosen, active=-1), numbers, seconds, every)
    status = run(runner, *(f"tests/{folder}" for folder in folders), sweeps="" not in folders)
    assert status == 0, f"{folders}: pytest ended with {status}"
    return runner.verdicts


def main() -> None:
    """Judge a sample of each area, and print a table and what is not caught."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--each", type=int, default=125, help="mutants of each area (125)")
    parser.add_argument("--seed", type=int, default=40, help="decides which (40)")
    parser.add_argument("--every", action="store_true", help="all mutants, branches too")
    parser.add_argument("--kind", action="append", help="only of this kind, such as branch")
    parser.add_argument("--tests", nargs="+", help="folders of tests to ask, in place of the mutants' own and of all")
    parser.add_argument(
        "--seconds",
        type=float,
        default=SECONDS,
        help=f"of tests for each mutant ({SECONDS}); 0 to list what no test reaches",
    )
    parser.add_argument("areas", nargs="*", metavar="AREA", help=", ".join(AREAS))
    given = parser.parse_args()
    os.chdir(ROOT)
    choice = random.Random(given.seed)
    samples = {
        area: [
            place for kind, found in mutants_by_kind(area).items() if kind in (given.kind or [kind]) for place in found
        ]
        if given.every
        else sample(area, given.each, choice)
        for area in given.areas or AREAS
    }
    chosen = [place for places in samples.values() for place in places]
    folders: dict[str, list[int]] = defaultdict(list)
    for number, (path, _) in enumerate(chosen):
        folders[path.relative_to(ROOT / "toolconv").parts[0]].append(number)
    verdicts: dict[int, Verdict] = {}
    for folder in [None] if given.tests else [*sorted(folders), ""]:
        missed = [number for number, verdict in verdicts.items() if verdict.what in ("survived", "unreached")]
        numbers = list(range(len(chosen))) if folder is None else folders.get(folder) or missed
        asked = (chosen, numbers, given.tests or [folder], given.seconds, given.every)
        found, ended = in_child(lambda asked=asked: judge(*asked))  # type: ignore[misc]
        assert not ended, f"tests/{folder}: {ended}"
        verdicts |= {int(number): Verdict(*found[number]) for number in found}
    start = 0
    for area, places in samples.items():
        counts = Counter(verdicts[number].what for number in range(start, start + len(places)))
        print(
            f"{area:8} {len(places):4} mutants, {', '.join(f'{count} {what}' for what, count in sorted(counts.items()))}"
        )
        start += len(places)
    for number, (what, _, tests) in sorted(verdicts.items()):
        if what not in ("caught", "reached"):
            print(f"{what} {tests} tests: {mutant_at(*chosen[number])}")


if __name__ == "__main__":
    if ONLY in os.environ:
        sys.exit(run_one())
    main()
