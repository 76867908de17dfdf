"""Work on the blocks of an input, in this process or in several, with the results in order."""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar

from toolconv.core.errors import FileError
from toolconv.io import signals
from toolconv.io.garbage import collect_less, keep_memory

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing.process import BaseProcess

K = TypeVar("K")
R = TypeVar("R")


class WorkerDied(FileError):
    """A worker process is gone."""


class Task(NamedTuple, Generic[K, R]):
    """Work on a block.

    Attributes:
        key: identifies the block to the caller.
        result: waits for the result, or does the work.
        local: this process does the work, and does it before the next block is read.
    """

    key: K
    result: Callable[[], R]
    local: bool = False


def in_order(tasks: Iterable[Task[K, R]], limit: int, is_waiting: Callable[[], bool] = bool) -> Iterator[tuple[K, R]]:
    """The results of tasks with their keys, in the order of the tasks.

    Args:
        tasks: the tasks; each is started when the iterator comes to it.
        limit: how many tasks may be unfinished.
        is_waiting: whether the input has nothing to read now; then results come before the next task.

    Raises:
        FileError: the input failed; the results of the tasks before that come first.
    """
    pending: deque[Task[K, R]] = deque()
    started = iter(tasks)
    failure: FileError | None = None
    while True:
        try:
            pending.append(next(started))
        except StopIteration:
            break
        except FileError as error:
            failure = error
            break
        room = 0 if pending[-1].local else limit
        while pending and (len(pending) > room or is_waiting()):
            yield _next_result(pending)
    while pending:
        yield _next_result(pending)
    if failure is not None:
        raise failure


def _next_result(pending: deque[Task[K, R]]) -> tuple[K, R]:
    task = pending.popleft()
    return task.key, task.result()


class Workers:
    """Processes that work on blocks; with one job, this process does. A context manager."""

    def __init__(self, jobs: int = 1) -> None:
        self.jobs = jobs
        self._pool: ProcessPoolExecutor | None = None
        self._thresholds = gc.get_threshold()

    def __enter__(self) -> Self:
        _tune_memory()
        if self.jobs > 1:
            from concurrent.futures import ProcessPoolExecutor

            self._pool = ProcessPoolExecutor(self.jobs, initializer=_begin_work)
            with signals.later():  # an exception during a fork would be lost
                self._pool.submit(int)  # starts all processes
        return self

    def __exit__(self, *_: object) -> None:
        gc.set_threshold(*self._thresholds)
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def start(self, work: Callable[..., R], *arguments: Any) -> Callable[[], R]:
        """Start work in one of the processes: what waits for its result."""
        return self._pool.submit(work, *arguments).result if self._pool is not None else partial(work, *arguments)

    def in_order(
        self, tasks: Iterable[Task[K, R]], is_waiting: Callable[[], bool], *, per_job: int
    ) -> Iterator[tuple[K, R]]:
        """The results of tasks: see :func:`in_order`; ``per_job`` tasks may be unfinished for each process.

        Raises:
            WorkerDied: a process is gone.
            FileError: as for :func:`in_order`.
        """
        if self._pool is None:
            yield from in_order(tasks, 0)
            return
        from concurrent.futures import BrokenExecutor

        try:
            yield from in_order(tasks, per_job * self.jobs, is_waiting)
        except BrokenExecutor:
            raise WorkerDied("a worker process was killed, perhaps because memory ran out: try fewer --jobs") from None


def _begin_work() -> None:
    """Set a worker up: its parent handles signals, and it ends when its parent does, even if that is killed."""
    import multiprocessing

    signals.as_worker()
    _tune_memory()
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _tune_memory() -> None:
    """Collect garbage less often, and keep freed memory for the next block."""
    collect_less()
    keep_memory()
