"""A child process that works within limits on processor time and memory, however hostile its input is.

Both limits hold for work inside one C function, too, and neither depends on what else the machine does.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from threading import Lock, local
from typing import Any, Final, NamedTuple, NoReturn

from toolconv.io import signals

ANSWER: Final = struct.Struct("!?dQ")
"""What an answer begins with: whether there was enough memory, the processor time that it took, and its size."""
TOGETHER: Final = 1 << 20
"""The size of answers, in bytes, after which no further request is answered with them."""
LEAST: Final = 1e-3
"""The processor time, in seconds, that any request gets: less is no limit to the system, but none at all."""
OUT_OF_MEMORY: Final = 1
"""The exit status of a child that had no memory left even to say so."""


class OutOfTime(Exception):
    """The processor time of a request is used up."""


class OutOfMemory(Exception):
    """A request needs more memory than it may have."""


class Timed(NamedTuple):
    """An answer, and the processor time that it took."""

    text: str
    taken: float


class Killed(Exception):
    """Something else ended the child; the message says how."""


class Child:
    """A child process, forked at the first request and again after each that did not end.

    The threads of a process share it: one waits for the answer to another. A process forked from this one gets a child
    of its own. A child that something else killed is replaced, once for each request.

    Without ``fork`` (Windows), this process answers, without limits.

    Args:
        answer: answers a request, in the child; it keeps what it learns until the child ends.
        seconds: the processor time that a request may take; within :meth:`together`, all requests.
        memory: how many bytes the child may use in addition to what it has at the start.
    """

    def __init__(self, answer: Callable[[Any], str], seconds: float, memory: int) -> None:
        self._answer = answer
        self._seconds = seconds
        self._memory = memory
        self._time = _Time()
        self._lock = Lock()
        self._running: _Running | None = None
        _children.add(self)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let all requests that this thread makes in this context share the processor time of one.

        A context within it has its own.
        """
        before, self._time.left = self._time.left, self._seconds
        try:
            yield
        finally:
            self._time.left = before

    def ask(self, request: Any) -> str:
        """The answer to a request, which may be anything that can be pickled.

        Raises:
            OutOfTime: it takes too much processor time.
            OutOfMemory: it takes too much memory.
            Killed: something else ended the child, and the one after it.
        """
        if not hasattr(os, "fork"):
            with self._lock:
                return self._answer(request)
        left = self._time.left
        data = pickle.dumps((max(LEAST, self._seconds if left is None else left), [request]))
        answer = Timed("", self._seconds)  # of a request that isn't answered
        try:
            with self._lock:
                try:
                    answers = self._asked(data)
                except Killed:
                    answers = self._asked(data)
            (answer,) = self._read(answers)
        finally:
            self.spend(answer.taken)
        return answer.text

    def ask_ahead(self, requests: Sequence[Any]) -> list[Timed]:
        """The answers to the first of several requests; to none if one of them takes too much.

        The time that they took is not spent until :meth:`spend` is called.
        """
        if not hasattr(os, "fork"):
            return []
        data = pickle.dumps((self._seconds, requests))
        try:
            with self._lock:
                return list(self._read(self._asked(data)))
        except (OutOfTime, OutOfMemory, Killed):
            return []

    def spend(self, seconds: float) -> None:
        """Take processor time from what is left within :meth:`together`."""
        if self._time.left is not None:
            self._time.left -= seconds

    def _read(self, data: bytes) -> Iterator[Timed]:
        """The answers of the child.

        Raises:
            OutOfMemory: it had not enough memory for one.
        """
        at = 0
        while at < len(data):
            has_memory, taken, size = ANSWER.unpack_from(data, at)
            at += ANSWER.size
            if not has_memory:
                self.end()
                raise OutOfMemory
            yield Timed(str(memoryview(data)[at : at + size], "utf-8", "surrogatepass"), taken)
            at += size

    def end(self) -> None:
        """End the child, whatever it does; it also ends with this object, and with the interpreter."""
        running, self._running = self._running, None
        if running is not None:
            running.pipe.close()
            running.kill()

    def after_fork(self) -> None:
        """Forget, in a process that was just forked, the child of its parent and the threads that waited for it."""
        self._lock = Lock()
        running, self._running = self._running, None
        if running is not None:
            running.kill.detach()
            running.pipe.close()

    def _asked(self, data: bytes) -> bytes:
        """The answer to a request, by a child that is started if there is none."""
        try:
            if self._running is None:
                with signals.later():  # the child settles first how it handles them
                    self._running = self._started()
            try:
                self._running.pipe.send_bytes(data)
                return self._running.pipe.recv_bytes()
            except (EOFError, ConnectionError):
                raise _reason(self._running) from None
        except BaseException:  # Ctrl-C, too: the next request must not get this one's answer
            self.end()
            raise

    def _started(self) -> _Running:
        ours, theirs = Pipe()
        try:
            pid = os.fork()
            if not pid:
                self._serve(theirs)
            return _Running(pid, ours, weakref.finalize(self, _kill, pid, os.getpid()))
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()

    def _serve(self, pipe: Connection) -> NoReturn:
        """Answer requests until the parent is gone."""
        status = 0
        try:
            signals.as_worker()
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            _keep_only(pipe.fileno())
            _limit_memory(self._memory)
            while True:
                seconds, requests = pickle.loads(pipe.recv_bytes())
                pipe.send_bytes(self._answered(seconds, requests))
        except MemoryError:
            status = OUT_OF_MEMORY
        finally:
            os._exit(status)

    def _answered(self, seconds: float, requests: Sequence[Any]) -> bytes:
        """The answers to requests, in the child: up to the first one without enough memory, or :data:`TOGETHER`."""
        answers: list[bytes] = []
        size, has_memory = 0, True
        for request in requests:
            began = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, seconds)
            try:
                data = self._answer(request).encode("utf-8", "surrogatepass")
            except MemoryError:
                data, has_memory = b"", False
            signal.setitimer(signal.ITIMER_PROF, 0)
            answers += (ANSWER.pack(has_memory, time.process_time() - began, len(data)), data)
            size += len(data)
            if size > TOGETHER or not has_memory:
                break
        return b"".join(answers)


class _Time(local):
    """The processor time that is left to each thread; ``None`` outside of :meth:`Child.together`."""

    left: float | None = None


class _Running(NamedTuple):
    """A child that runs."""

    pid: int
    pipe: Connection
    kill: weakref.finalize[[int, int], Child]


_children: Final = weakref.WeakSet[Child]()


def _after_fork() -> None:
    for child in list(_children):
        child.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _reason(ended: _Running) -> Exception:
    """Why a child ended."""
    ended.kill.detach()
    try:
        _, status = os.waitpid(ended.pid, 0)
    except ChildProcessError:  # the program that uses toolconv waits for all children
        return Killed("its process ended")
    code = os.waitstatus_to_exitcode(status)
    if code == -signal.SIGPROF:
        return OutOfTime()
    if code == OUT_OF_MEMORY:
        return OutOfMemory()
    return Killed(f"its process was killed by signal {-code}" if code < 0 else f"its process ended with status {code}")


def _kill(child: int, parent: int) -> None:
    """End a child, unless this process was forked from its parent."""
    if os.getpid() == parent:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(child, 0)


def _keep_only(kept: int) -> None:
    """Close all open files but one: a lock or a pipe must not outlive the parent."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    for name in [path.name for path in Path("/dev/fd").iterdir()]:
        if int(name) > 2 and int(name) != kept:
            with suppress(OSError):
                os.close(int(name))


def _limit_memory(room: int) -> None:
    """Allow this process ``room`` more bytes of memory, on systems that tell what it has (Linux)."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + room, used + room))
