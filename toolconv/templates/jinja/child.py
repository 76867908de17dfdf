"""A child process that works within limits on processor time and memory, however hostile its input is.

Both limits hold for work inside one C function, too, and neither depends on what else the machine does.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final, NoReturn

from toolconv.io import signals

LENGTH: Final = struct.Struct("!q")
ANSWER: Final = struct.Struct("!qd")
"""Before an answer: its length in bytes, -1 for want of memory, and the processor time that it took."""
LEAST: Final = 1e-3
"""The processor time, in seconds, that any request gets: less is no limit to the system, but none at all."""


class OutOfTime(Exception):
    """The processor time of a request is used up."""


class OutOfMemory(Exception):
    """A request needs more memory than it may have."""


class Child:
    """A child process, forked at the first request and again after each that did not end.

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
        self._left: float | None = None
        self._parent = self._pid = 0
        self._requests: IO[bytes] | None = None
        self._answers: IO[bytes] | None = None

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let all requests made in this context share the processor time of one; a context within it has its own."""
        before, self._left = self._left, self._seconds
        try:
            yield
        finally:
            self._left = before

    def ask(self, request: Any) -> str:
        """The answer to a request, which may be anything that can be pickled.

        Raises:
            OutOfTime: it takes too much processor time.
            OutOfMemory: it takes too much memory.
        """
        if not hasattr(os, "fork"):
            return self._answer(request)
        if self._parent != os.getpid():  # none yet, or it belongs to the process that this one was forked from
            self._close()
            self._start()
        assert self._requests is not None and self._answers is not None
        try:
            allowed = self._seconds if self._left is None else self._left
            data = pickle.dumps((max(LEAST, allowed), request))
            try:
                self._requests.write(LENGTH.pack(len(data)) + data)
                self._requests.flush()
                head = self._answers.read(ANSWER.size)
            except BrokenPipeError:
                head = b""
            if len(head) < ANSWER.size:
                self._left = None if self._left is None else 0.0
                raise self._ended()
            size, taken = ANSWER.unpack(head)
            if self._left is not None:
                self._left -= taken
            if size < 0:
                raise OutOfMemory
            return self._answers.read(size).decode("utf-8", "surrogatepass")
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """End the child, whatever it does."""
        pid, owner = self._pid, self._parent == os.getpid()
        self._close()
        if pid and owner:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)

    def __del__(self) -> None:
        if getattr(os, "getpid", None) is not None:  # else the interpreter ends, and with its pipes the child
            self.end()

    def _ended(self) -> Exception:
        """Why the child ended."""
        _, status = os.waitpid(self._pid, 0)
        self._pid = 0
        return OutOfTime() if os.waitstatus_to_exitcode(status) == -signal.SIGPROF else OutOfMemory()

    def _close(self) -> None:
        for pipe in (self._requests, self._answers):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._requests = self._answers = None
        self._parent = self._pid = 0

    def _start(self) -> None:
        (requests, asked), (answered, answers) = os.pipe(), os.pipe()
        with signals.later():  # the child settles first how it handles them
            pid = os.fork()
            if not pid:
                self._serve(requests, answers)
        self._parent, self._pid = os.getpid(), pid
        os.close(requests)
        os.close(answers)
        self._requests, self._answers = os.fdopen(asked, "wb"), os.fdopen(answered, "rb")

    def _serve(self, requests: int, answers: int) -> NoReturn:
        """Answer requests until the parent is gone."""
        try:
            signals.as_worker()
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            _keep_only(requests, answers)
            _limit_memory(self._memory)
            with os.fdopen(requests, "rb") as given, os.fdopen(answers, "wb") as taken:
                while head := given.read(LENGTH.size):
                    seconds, request = pickle.loads(given.read(*LENGTH.unpack(head)))
                    began = time.process_time()
                    signal.setitimer(signal.ITIMER_PROF, seconds)
                    try:
                        data = self._answer(request).encode("utf-8", "surrogatepass")
                    except MemoryError:
                        data = None
                    signal.setitimer(signal.ITIMER_PROF, 0)
                    size, data = (-1, b"") if data is None else (len(data), data)
                    taken.write(ANSWER.pack(size, time.process_time() - began) + data)
                    taken.flush()
        finally:
            os._exit(0)


def _keep_only(*files: int) -> None:
    """Close all open files but these: a lock or a pipe must not outlive the parent."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    for name in [path.name for path in Path("/dev/fd").iterdir()]:
        if int(name) > 2 and int(name) not in files:
            with suppress(OSError):
                os.close(int(name))


def _limit_memory(room: int) -> None:
    """Allow this process ``room`` more bytes of memory, on systems that tell what it has (Linux)."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + room, used + room))
