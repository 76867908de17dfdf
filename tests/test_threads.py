"""What ``toolconv help python`` promises of threads and processes."""

from __future__ import annotations

import gc
import importlib
import multiprocessing
import os
import pickle
import pkgutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import toolconv
from tests.conftest import FIXTURES, exhaustive, nightly
from tests.helpers.work_in_threads import first_rows, outcome_of_reading, outcomes, refused
from toolconv import Options, Receipt, RowError, StreamReader, TextOptions, dialects, lint_rows, parse, render
from toolconv.convert.receipt import Place
from toolconv.convert.run import Failed
from toolconv.core.errors import MissingExtra, ToolconvError, UnknownName
from toolconv.core.lenient_json import Unreadable
from toolconv.core.one_slip import Ambiguous
from toolconv.dialects import UnknownDialect
from toolconv.lint.model.guards import AnyWord
from toolconv.select.expression import ExpressionError

FEW = [FIXTURES / name for name in ("conversations.jsonl", "teacher.jsonl", "glaive.jsonl")]
ALL = sorted(FIXTURES.rglob("*.jsonl"))
FIRST = 1
"""How many rows of each file count where all files do."""
EVERY = 8
"""Of many files, each of which threads read, new processes read every eighth: they differ in their memory, not in the rows."""
TURNS = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"
ROWS = [
    {"messages": [{"role": "user", "content": f"q{at}"}, {"role": "assistant", "content": f"a{at}"}]}
    for at in range(120)
]


@pytest.fixture
def template(tmp_path: Path) -> Path:
    pytest.importorskip("jinja2")
    path = tmp_path / "turns.jinja"
    path.write_text(TURNS)
    return path


@pytest.fixture
def hurried() -> Iterator[None]:
    """Threads take turns a thousand times as often as usual."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    "files",
    [
        pytest.param(FEW * 2, id="few"),
        pytest.param(ALL[::8], id="some", marks=exhaustive),
        pytest.param(ALL, id="all", marks=nightly),
    ],
)
def test_threads_and_new_processes_get_what_one_thread_gets(files: list[Path], template: Path) -> None:
    many = len(files) > 2 * len(FEW)
    work = [(str(file), str(template), FIRST if many else None) for file in files]
    alone = {each: outcomes(*each) for each in set(work)}
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda each: outcomes(*each), work))
    assert [each for each, got in zip(work, found, strict=True) if got != alone[each]] == []
    new = [*alone][:: EVERY if many else len(FEW)]
    with multiprocessing.get_context("spawn").Pool(2) as processes:
        found = processes.starmap_async(outcomes, new).get(timeout=500)
    assert found == [alone[each] for each in new]


@pytest.mark.usefixtures("hurried")
def test_threads_share_a_search_that_compiles_its_pattern_late() -> None:
    words = frozenset(f"<call_{number}>" for number in range(60))
    texts = [f"a <call_{number}> b" for number in range(10, 40)]
    with ThreadPoolExecutor(8) as pool:
        for search in [AnyWord(words) for _ in range(150)]:
            found = pool.map(lambda search: [search.found_in(text) for text in texts], [search] * 8)
            assert list(found) == [[[text[2:-2]] for text in texts]] * 8


@pytest.mark.exhaustive
@pytest.mark.usefixtures("hurried")
def test_threads_share_a_template_of_a_file(template: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        texts = [done.text for done in pool.map(lambda row: render(row, template), ROWS)]
    assert texts == [f"user: q{at}\nassistant: a{at}\n" for at in range(len(ROWS))]


def test_a_bad_row_is_an_error_of_the_pool_that_converts_it() -> None:
    with multiprocessing.get_context("fork").Pool(2) as pool:
        done = pool.map_async(refused, [{"zz": 1}, *ROWS[:3]])
        with pytest.raises(RowError, match=r"<rows>:1: .*zz") as raised:
            done.get(timeout=60)
    assert raised.value.place[:2] == ("<rows>", 1)


# ── pickling ──

RECEIPT = Receipt(rejects=1, reject_places=[Place("a", 2, "why")])
ERRORS: list[ToolconvError] = [
    RowError(Place("a.jsonl", 3, "why")),
    Failed(RECEIPT),
    MissingExtra("a template", "jinja"),
    UnknownName("a", None, ["b"]),
    UnknownDialect("hermse", "hermes", ["hermes", "mistral"]),
    Unreadable("a comma", 7),
    Ambiguous("a comma", 7),
    ExpressionError("a word", "a b", 2),
]


def every_error() -> list[type[ToolconvError]]:
    """All errors that toolconv raises."""
    for module in pkgutil.walk_packages(toolconv.__path__, "toolconv."):
        if module.name not in ("toolconv.__main__", "toolconv.vllm"):
            importlib.import_module(module.name)
    found, new = set[type[ToolconvError]](), [ToolconvError]
    while new:
        new = [each for kind in new for each in kind.__subclasses__() if each.__module__.startswith("toolconv.")]
        found.update(new)
    return sorted(found, key=lambda kind: kind.__qualname__)


def takes_more(kind: type[ToolconvError]) -> bool:
    """Whether an error takes something else than its message."""
    return any("__init__" in vars(base) for base in kind.__mro__ if base.__module__.startswith("toolconv."))


def test_every_error_survives_pickling() -> None:
    pytest.importorskip("jinja2")
    plain = [kind("what is wrong") for kind in every_error() if not takes_more(kind)]
    assert {type(error) for error in (*ERRORS, *plain)} >= {*every_error()} - {*UnknownName.__subclasses__()}
    for error in (*ERRORS, *plain):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), vars(again), again.args) == (type(error), str(error), vars(error), error.args)


def test_public_values_survive_pickling() -> None:
    conversation = next(toolconv.read([ROWS[0]]))
    finding = next(iter(lint_rows(FIXTURES / "glaive.jsonl")))
    values: list[Any] = [
        parse("<tool_call>{'name': 'ping', 'arguments': {}}</tool_call>"),
        toolconv.ToolCall("ping", {"a": 1}, "id"),
        toolconv.detect(FIXTURES / "teacher.jsonl"),
        finding,
        render(conversation, "qwen3"),
        Options(target="hermes", text=TextOptions(template="qwen3", variables={"a": 1})),
        RECEIPT,
    ]
    for value in values:
        again = pickle.loads(pickle.dumps(value))
        assert type(again) is type(value) and repr(again) == repr(value)
    again = pickle.loads(pickle.dumps(conversation))
    assert (again.row, again.messages) == (conversation.row, conversation.messages)


WEATHER = {"name": "get_weather", "parameters": {"properties": {"city": {"type": ["string", "integer"]}}}}


def check_pickling(conversation: Any) -> None:
    again = pickle.loads(pickle.dumps(conversation))
    assert (again.row, again.all_messages) == (conversation.row, conversation.all_messages)


def test_a_conversation_whose_values_were_read_by_their_types_survives_pickling() -> None:
    for dialect in dialects.all_dialects():
        row = {"tools": [WEATHER], "messages": [{"role": "assistant", "content": dialect.sample}]}
        for conversation in toolconv.read([row], Options(source=dialect.name)):
            check_pickling(conversation)


@pytest.mark.parametrize(("step", "first"), [pytest.param(4, 1, marks=exhaustive), pytest.param(1, 20, marks=nightly)])
def test_every_conversation_survives_pickling(step: int, first: int) -> None:
    for file in ALL[::step]:
        for conversation in outcome_of_reading(first_rows(str(file), first)):
            check_pickling(conversation)


@pytest.mark.parametrize("tools", [None, [WEATHER]], ids=["none", "declared"])
def test_a_stream_reader_goes_on_where_it_was_pickled(tools: list[Any] | None) -> None:
    for dialect in dialects.all_dialects():
        text, at = dialect.sample, len(dialect.sample) - 5
        reader = StreamReader(dialect.name, tools, in_reasoning=False)
        reader.feed(text[:at])
        again = pickle.loads(pickle.dumps(reader))
        assert again.feed(text[at:]) + again.close() == reader.feed(text[at:]) + reader.close(), dialect.name


def test_a_registered_dialect_is_the_same_after_pickling() -> None:
    assert all(pickle.loads(pickle.dumps(dialect)) is dialect for dialect in dialects.all_dialects())


def test_threads_that_load_dialects_at_once_get_the_same_ones() -> None:
    code = (
        "import sys, threading; from toolconv import dialects; sys.setswitchinterval(1e-6); found = []\n"
        "def look(): found.append(dialects.all_dialects())\n"
        "threads = [threading.Thread(target=look) for _ in range(8)]\n"
        "for each in threads: each.start()\n"
        "for each in threads: each.join()\n"
        "names = [[each.name for each in one] for one in found]\n"
        "assert all(one == sorted(set(one)) for one in names) and len(set(map(tuple, found))) == 1\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# ── the process of a template ──

needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for child processes in /proc")


def children() -> set[int]:
    """The child processes of all threads."""
    found = set[int]()
    for thread in Path("/proc/self/task").iterdir():
        found.update(map(int, (thread / "children").read_text().split()))
    return found


@needs_proc
def test_a_child_that_was_killed_is_replaced(template: Path) -> None:
    from toolconv.templates.jinja import load

    before = children()
    loaded = load(str(template))
    (child,) = children() - before
    os.kill(child, signal.SIGKILL)
    program = loaded.usual.program
    assert program.render({"messages": ROWS[0]["messages"]}) == "user: q0\nassistant: a0\n"
    assert child not in children()


@needs_proc
def test_a_child_that_is_killed_twice_is_named(template: Path) -> None:
    from toolconv.dialects.turns import RenderError
    from toolconv.templates.jinja.child import Child, Killed
    from toolconv.templates.jinja.sandbox import Program, Stopped

    child = Child(lambda request: os.kill(os.getpid(), signal.SIGKILL) or "", seconds=2, memory=1 << 28)
    with pytest.raises(Killed, match="killed by signal 9"):
        child.ask(None)
    program = Program(TURNS)
    program._child = child
    with pytest.raises(Stopped, match="was killed by signal 9, and so was a second one") as raised:
        program.render({})
    assert isinstance(raised.value, RenderError)


@exhaustive
@needs_proc
def test_children_end_with_their_template(template: Path) -> None:
    from toolconv.templates.jinja import load

    before, files = children(), len(list(Path("/proc/self/fd").iterdir()))
    loaded = load(str(template))
    assert children() > before
    del loaded
    gc.collect()
    assert children() == before
    assert len(list(Path("/proc/self/fd").iterdir())) <= files


@needs_proc
def test_a_forked_process_has_a_child_of_its_own(template: Path) -> None:
    from toolconv.templates.jinja.sandbox import Program

    program = Program(TURNS)
    started, stop = threading.Event(), threading.Event()

    def busy() -> None:
        while not stop.is_set():
            program.render({"messages": ROWS[1]["messages"]})
            started.set()

    thread = threading.Thread(target=busy)
    thread.start()
    started.wait()
    try:
        pid = os.fork()
        if not pid:
            text = program.render({"messages": ROWS[2]["messages"]})
            program._child.end()
            os._exit(0 if text == "user: q2\nassistant: a2\n" else 1)
        until = time.monotonic() + 60
        while not (ended := os.waitpid(pid, os.WNOHANG))[0] and time.monotonic() < until:
            time.sleep(0.01)
        assert ended == (pid, 0)
    finally:
        stop.set()
        thread.join()
    assert program.render({"messages": ROWS[3]["messages"]}) == "user: q3\nassistant: a3\n"


def test_a_template_that_was_edited_is_read_again(template: Path) -> None:
    assert render(ROWS[0], template).text == "user: q0\nassistant: a0\n"
    options = Options(text=TextOptions(file=str(template)))
    assert next(toolconv.convert_rows(ROWS, options))["text"] == "user: q0\nassistant: a0\n"
    template.write_text(TURNS.replace(":", "="))
    assert render(ROWS[0], template).text == "user= q0\nassistant= a0\n"
    assert next(toolconv.convert_rows(ROWS, options))["text"] == "user= q0\nassistant= a0\n"
