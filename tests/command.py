"""``toolconv`` for tests: the real command in a process of its own, with real pipes."""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from tests.fork_server import NUMBER

ROOT = Path(__file__).parent.parent
TIMEOUT = 600
"""Seconds after which a command is killed: no command takes as long, however busy the machine is."""


class Run:
    """The exit status and the output of a command."""

    def __init__(self, status: int, stdout: bytes, stderr: bytes) -> None:
        self.status = status
        self.raw = stdout
        self.out = stdout.decode("utf-8", "surrogateescape")
        self.err = stderr.decode("utf-8", "replace")

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


def toolconv(*args: object, stdin: bytes | str | Iterable[bytes] = b"", cwd: Path | None = None, **env: str) -> Run:
    """Run the command and wait for it. What ``stdin`` yields is written as it comes.

    Its process is forked from ``tests.fork_server``, which saves the start of an interpreter. Where variables of the
    environment are given (an interpreter reads some of them when it starts), and where there is no fork, it is a fresh one.
    """
    data = stdin.encode("utf-8", "surrogateescape") if isinstance(stdin, str) else stdin
    pieces = [data] if isinstance(data, bytes) else data
    arguments = [str(arg) for arg in args]
    if env or sys.platform != "linux":
        command = [sys.executable, "-m", "toolconv", *arguments]
        environment = {**os.environ, **env}
        pipe = subprocess.PIPE
        with (
            subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=cwd, env=environment) as process,
            ThreadPoolExecutor(1) as pool,
        ):
            assert process.stdin is not None
            pool.submit(_write, os.dup(process.stdin.fileno()), pieces)
            process.stdin.close()
            process.stdin = None
            stdout, stderr = process.communicate(timeout=TIMEOUT)
        return Run(process.returncode, stdout, stderr)
    return fork_server().run(arguments, pieces, cwd or Path.cwd())


@cache
def fork_server() -> ForkServer:
    """The only server of this process; it ends when this process does."""
    return ForkServer()


class ForkServer:
    """Sends commands to ``tests.fork_server``, which it starts."""

    def __init__(self) -> None:
        self.channel, theirs = socket.socketpair()
        command = [sys.executable, "-m", "tests.fork_server", str(theirs.fileno())]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[theirs.fileno()]
        )
        theirs.close()
        self.lock = Lock()
        atexit.register(self.close)

    def close(self) -> None:
        """End the server."""
        self.channel.close()
        self.process.communicate(timeout=TIMEOUT)

    def run(self, arguments: list[str], stdin: Iterable[bytes], folder: Path) -> Run:
        """Run one command in a folder."""
        request = json.dumps([arguments, str(folder), dict(os.environ)]).encode()
        (stdin_end, stdin_file), *outs = (os.pipe() for _ in range(4))
        (stdout_file, stdout_end), (stderr_file, stderr_end), (answer_file, answer_end) = outs
        ends = [stdin_end, stdout_end, stderr_end, answer_end]
        with self.lock:
            socket.send_fds(self.channel, [NUMBER.pack(len(request))], ends)
            self.channel.sendall(request)
        for end in ends:
            os.close(end)
        with os.fdopen(answer_file, "rb") as answers, ThreadPoolExecutor(3) as pool:
            (pid,) = NUMBER.unpack(answers.read(NUMBER.size))
            pool.submit(_write, stdin_file, stdin)
            outputs = [pool.submit(_read, file) for file in (stdout_file, stderr_file)]
            try:
                stdout, stderr = (output.result(TIMEOUT) for output in outputs)
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                raise
            (status,) = NUMBER.unpack(answers.read(NUMBER.size))
        return Run(status, stdout, stderr)


def _write(file: int, pieces: Iterable[bytes]) -> None:
    with suppress(BrokenPipeError), open(file, "wb", buffering=0) as pipe:
        for piece in pieces:
            left = memoryview(piece)
            while left:
                left = left[pipe.write(left) :]


def _read(file: int) -> bytes:
    with open(file, "rb") as pipe:
        return pipe.read()
