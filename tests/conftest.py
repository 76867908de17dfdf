from __future__ import annotations

import functools
import gc
import inspect
import json
import os
import re
import signal
import sys
import traceback
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import toolconv.convert.rendered  # layouts know no templates: this lets the layout rendered read
from tests.helpers import command
from tests.helpers.command import ROOT, Run, fork_server, toolconv
from toolconv import layouts
from toolconv.dialects import registry

__all__ = [
    "FIXTURES",
    "NO_SHARED",
    "ROOT",
    "SHARED",
    "Run",
    "any_text",
    "cases",
    "each",
    "each_table",
    "exhaustive",
    "few_examples",
    "json_values",
    "nightly",
    "rows",
    "shared",
    "shared_files",
    "table",
    "tables",
    "toolconv",
    "words",
]

FIXTURES = ROOT / "fixtures"
SHARED = ROOT.parent / "shared"

os.environ["SOURCE_DATE_EPOCH"] = "1795564800"  # 25 November 2026, so that no text depends on the day
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or each command that a test runs compiles toolconv again
sys.dont_write_bytecode = False  # or each run rewrites the assertions of all tests
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell starts background jobs so, and commands inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # and so does nohup
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

gc.set_threshold(50_000, 50, 100)  # as toolconv does; there is little garbage among so many tests and cases

settings.register_profile(
    "quick", max_examples=6, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", parent=settings.get_profile("quick"), max_examples=20)
settings.register_profile("long", parent=settings.get_profile("quick"), max_examples=2_000, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

if settings().max_examples < 1_000 and (providers := sys.modules.get("hypothesis.internal.conjecture.providers")):
    # Or each worker parses all of toolconv, for constants to draw, which takes four seconds.
    providers.is_local_module_file = lambda path: False  # type: ignore[attr-defined]

few_examples = settings(max_examples=max(2, settings().max_examples // 2 - 2))
"""For a law that is checked for each of many dialects or layouts: fewer examples for each."""

exhaustive = pytest.mark.exhaustive
"""A test, or a case of one, that .ci/run includes and a plain ``python -m pytest`` does not."""

nightly = pytest.mark.nightly
"""One that takes minutes: before a release, ``HYPOTHESIS_PROFILE=thorough python -m pytest -n auto -m nightly``."""

any_text = functools.partial(st.text, st.characters(exclude_categories=["Cs"]))
"""Any text but surrogates. What ``st.text()`` gives, too, but after two seconds in a fresh clone: it tries UTF-8."""

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
"""Any JSON value."""


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Keep bytes out of the ids of tests: workers must collect the same ones, and compressed data holds the time."""
    return argname if isinstance(val, bytes) else None


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Start one server of commands for all workers, which takes a second or two."""
    if sys.platform == "linux":
        node.workerinput["commands"] = fork_server().address


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each worker files next to each other, which share fixtures and caches; one that is done takes over tests."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.option.dist == "load" else None


def pytest_configure(config: pytest.Config) -> None:
    """Use that server in a worker."""
    if (address := getattr(config, "workerinput", {}).get("commands")) is not None:
        command.shared = address


def pytest_sessionstart(session: pytest.Session) -> None:
    """Import a part of the test modules in each worker, so that all compile different ones; the others come from the cache."""
    if (worker := getattr(session.config, "workerinput", None)) is not None and runs_all(session.config):
        number, count = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
        for path in sorted((ROOT / "tests").rglob("test_*.py"))[number::count]:
            with suppress(Exception, pytest.skip.Exception):  # collecting it names the reason
                import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


def runs_all(config: pytest.Config) -> bool:
    """Whether no tests are chosen, by their files or with ``-k``."""
    return [Path(arg).name for arg in config.args] == ["tests"] and not config.option.keyword


def pytest_collection_finish() -> None:
    """Keep the garbage collector from looking at all tests and tables of cases again and again."""
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let a plain run take an eighth of the cases of a sweep, CI another, and a nightly run the rest.

    Which eighth it is differs between sweeps, so that each dialect, layout and template has some of the laws. A sweep whose
    cases take long gives a smaller part: with ``sweep(every=24)``, a plain run takes every 24th case. Of any other
    test with more than four cases a run of all of ``tests`` takes every eighth of the others, and the rest are exhaustive,
    unless the test is ``whole``. A run of chosen tests (by their files, or with ``-k``) takes all cases of these.
    """
    chosen = not runs_all(config)
    names = [item.nodeid.partition("[")[0] for item in items]
    counts, seen = Counter(names), Counter[str]()
    for name, item in zip(names, items, strict=True):
        if sweep := item.get_closest_marker("sweep"):
            every = min(sweep.kwargs.get("every", 8), counts[name])
            if place := (seen[name] - zlib.crc32(name.encode())) % every:
                item.add_marker(exhaustive if place == every // 2 else nightly)
        elif not chosen and seen[name] > 4 and seen[name] % 8 and not item.get_closest_marker("whole"):
            item.add_marker(exhaustive)
        seen[name] += 1


@pytest.fixture(autouse=True)
def nothing_registered() -> Iterator[None]:
    """No test leaves a dialect or a layout behind: with one, rows take no plans in the tests after it."""
    before = list(registry._added), dict(layouts._added)
    yield
    assert (registry._added, layouts._added) == before


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say why tests were skipped: a line for each reason, up to its colon."""
    reasons = Counter(reason_to_skip(report) for report in terminalreporter.stats.get("skipped", ()))
    if reasons:
        terminalreporter.section("tests that were skipped")
        for reason, count in reasons.most_common():
            terminalreporter.line(f"{count:5} {reason}")


def reason_to_skip(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why a test was skipped, without what differs between tests with the same reason."""
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    reason = reason.removeprefix("Skipped: ").partition(": ")[0]
    return re.sub(r"^could not import '([\w.]+)'.*", r"the package \1 is not installed", reason, flags=re.S)


NO_SHARED = "third-party data (../shared) is not in the repository"
"""Why tests are skipped that need this data."""


def shared(*parts: str) -> Path:
    """A file of ../shared, which lies beside the project for developers and CI; the test is skipped without it."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{NO_SHARED}: {'/'.join(parts)} is absent")
    return path


def shared_files(folder: str, pattern: str = "*.jsonl") -> list[str]:
    """Names of the files of a folder of ../shared, for parametrize; one name that skips where it is absent."""
    return sorted(path.stem for path in (SHARED / folder).glob(pattern)) or ["absent"]


def rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSON Lines file."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def tables(folder: str) -> dict[str, list[dict[str, Any]]]:
    """The tables of cases ``fixtures/FOLDER/NAME.jsonl``, by their names."""
    return {path.stem: rows(path) for path in sorted((FIXTURES / folder).glob("*.jsonl"))}


def table(folder: str, name: str) -> list[dict[str, Any]]:
    """One of these tables; empty if there is none of the name."""
    path = FIXTURES / folder / f"{name}.jsonl"
    return rows(path) if path.exists() else []


def words(text: str, between: str | None = None) -> list[str]:
    """The words of a text, for tables of many."""
    return text.split(between)


def cases(folder: str) -> list[Any]:
    """Every case of the tables of a folder, for parametrize: the name of its table, and the case."""
    return [
        pytest.param(name, case, id=f"{name}/{case['case']}")
        for name, found in tables(folder).items()
        for case in found
    ]


def each(names: str, cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Like ``parametrize``, but as one test, which checks all cases and names those that fail.

    For hundreds of small cases: pytest takes longer to set up a test than such a case takes.
    """
    parameters = [name.strip() for name in names.split(",")]
    table = [dict(zip(parameters, case if len(parameters) > 1 else [case], strict=True)) for case in cases]
    assert table, f"no cases of {names}"

    def over_all(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def walk(**fixtures: Any) -> None:
            check_all(test, table, fixtures)

        signature = inspect.signature(test)
        rest = [each for name, each in signature.parameters.items() if name not in parameters]
        walk.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
        return walk

    return over_all


def each_table(cases: Iterable[Any]) -> Callable[[Callable[[str, Any], None]], Any]:
    """Like :func:`each`, but as one test for each table, of what ``parametrize`` takes: the name of its table, and the case."""
    found: dict[str, list[Any]] = {}
    for case in cases:
        found.setdefault(case.values[0], []).append(case.values)

    def over_all(test: Callable[[str, Any], None]) -> Any:
        name, value = inspect.signature(test).parameters

        @pytest.mark.whole
        @pytest.mark.parametrize("table", list(found))
        @functools.wraps(test)
        def walk(table: str) -> None:
            check_all(test, [{name: table, value: case} for _, case in found[table]], {})

        walk.__signature__ = inspect.Signature([inspect.Parameter("table", inspect.Parameter.POSITIONAL_OR_KEYWORD)])

        return walk

    return over_all


def check_all(test: Callable[..., None], table: list[dict[str, Any]], fixtures: dict[str, Any]) -> None:
    """Run a test with each case of a table, and fail with the cases that it fails with."""
    failures = []
    for case in table:
        try:
            test(**fixtures, **case)
        except Exception as error:
            shown = ", ".join(f"{name}={value!r:.200}" for name, value in case.items())
            failures.append(f"{shown}\n{''.join(traceback.format_exception(error)[-2:])}")
    assert not failures, f"{len(failures)} of {len(table)} cases fail:\n\n" + "\n".join(failures[:20])
