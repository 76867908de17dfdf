"""Results of tasks come in order, however the tasks are done."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.conftest import exhaustive, toolconv
from tests.helpers.lint_rows import WRONG_NAME
from toolconv.core.errors import FileError
from toolconv.io.workers import Task, Workers, in_order


def tasks(count: int, log: list[str], *, local: bool = False) -> Iterator[Task[int, int]]:
    """Tasks that note when they are begun and when their result is asked for."""

    def result(number: int) -> int:
        log.append(f"result {number}")
        return number * number

    for number in range(count):
        log.append(f"begin {number}")
        yield Task(number, partial(result, number), local)


def test_results_come_in_order_and_tasks_are_begun_when_there_is_room() -> None:
    log: list[str] = []
    assert list(in_order(tasks(4, log), 2)) == [(0, 0), (1, 1), (2, 4), (3, 9)]
    assert log == ["begin 0", "begin 1", "begin 2", "result 0", "begin 3", "result 1", "result 2", "result 3"]


@pytest.mark.parametrize("local", [True, False])
def test_results_come_before_the_next_task_if_it_is_local_or_the_input_waits(local: bool) -> None:
    log: list[str] = []
    assert next(in_order(tasks(3, log, local=local), 9, lambda: not local)) == (0, 0)
    assert log == ["begin 0", "result 0"]


def test_the_results_before_a_failure_of_the_input_come_first() -> None:
    def failing() -> Iterator[Task[int, int]]:
        yield from tasks(1, [])
        raise FileError("cut off")

    results = in_order(failing(), 9)
    assert next(results) == (0, 0)
    with pytest.raises(FileError, match="cut off"):
        next(results)


def test_work_is_done_by_other_processes() -> None:
    with Workers(2) as workers:
        tasks = (Task(number, workers.start(divmod, number, 3)) for number in range(20))
        found = list(workers.in_order(tasks, bool, per_job=4))
    assert found == [(number, divmod(number, 3)) for number in range(20)]


@exhaustive
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_lint_reports_what_a_pipe_gave_before_it_gives_more(jobs: str) -> None:
    command = [sys.executable, "-m", "toolconv", "lint", "--isolated", "--output-format", "concise", "--jobs", jobs]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(WRONG_NAME).encode() + b"\n")
        process.stdin.flush()
        assert b"undeclared-tool" in process.stdout.readline()
        process.stdin.close()


@pytest.mark.exhaustive
def test_rows_before_a_failure_of_the_input_are_written(tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl.gz"
    lines = b"".join(b'{"text": "%d"}\n' % number for number in range(70_000))
    path.write_bytes(gzip.compress(lines, 1)[:-20])
    one, two = (toolconv("parse", "-q", "--from", "hermes", "--jobs", jobs, path) for jobs in (1, 2))
    assert one.status == two.status == 2 and "cut.jsonl.gz: " in two.err
    assert two.raw == one.raw and one.raw.count(b"\n") > 30_000
