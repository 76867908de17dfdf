"""``toolconv`` for tests: the real command in a process of its own, with real pipes."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from tests.helpers import fork_client
from tests.helpers.fork_client import NUMBER, received

ROOT = Path(__file__).parents[2]
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

    Its process is forked from ``tests.helpers.fork_server``, which saves the start of an interpreter. Where variables are given
    that an interpreter reads when it starts, and where there is no fork, it is a fresh one.
    """
    data = stdin.encode("utf-8", "surrogateescape") if isinstance(stdin, str) else stdin
    pieces = [data] if isinstance(data, bytes) else data
    arguments = [str(arg) for arg in args]
    environment = {**os.environ, **env}
    if sys.platform != "linux" or any(name.startswith(("PYTHON", "LC_", "LANG", "TZ", "TQDM_")) for name in env):
        command = [sys.executable, "-m", "toolconv", *arguments]
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
    return fork_server().run(arguments, pieces, cwd or Path.cwd(), environment)


shared: str | None = None
"""The address of a server that another process started, for all workers of a run."""


@cache
def fork_server() -> ForkServer:
    """The only server of this process, which ends when it does, or the one at :data:`shared`."""
    return ForkServer(shared)


class ForkServer:
    """Sends commands to ``tests.helpers.fork_server``, which it starts if it is not given the address of one."""

    def __init__(self, address: str | None = None) -> None:
        if address is not None:
            self.address = address
            return
        self.folder = tempfile.TemporaryDirectory(prefix="toolconv-")
        self.address = f"{self.folder.name}/commands"
        command = [sys.executable, "-m", "tests.helpers.fork_server", self.address]
        # glibc would keep large blocks on its heap, and each command would copy the pages of those that were freed.
        environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "131072"}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe)
        assert self.process.stdout is not None and self.process.stdout.readline() == b"listening\n"
        atexit.register(self.close)

    def close(self) -> None:
        """End the server."""
        self.process.communicate(timeout=TIMEOUT)
        self.folder.cleanup()

    def run(self, arguments: list[str], stdin: Iterable[bytes], folder: Path, environment: dict[str, str]) -> Run:
        """Run one command in a folder."""
        (stdin_end, stdin_file), (stdout_file, stdout_end), (stderr_file, stderr_end) = (os.pipe() for _ in range(3))
        streams = [stdin_end, stdout_end, stderr_end]
        channel = fork_client.request(self.address, arguments, str(folder), environment, streams)
        for stream in streams:
            os.close(stream)
        with channel, ThreadPoolExecutor(3) as pool:
            (pid,) = NUMBER.unpack(received(channel, NUMBER.size))
            pool.submit(_write, stdin_file, stdin)
            outputs = [pool.submit(_read, file) for file in (stdout_file, stderr_file)]
            try:
                stdout, stderr = (output.result(TIMEOUT) for output in outputs)
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                raise
            (status,) = NUMBER.unpack(received(channel, NUMBER.size))
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
