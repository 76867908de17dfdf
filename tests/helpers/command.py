"""``toolconv`` for tests, with real pipes: in the test's process, or in one of its own."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from tests.helpers import fork_client, in_process, pipes
from tests.helpers.fork_client import NUMBER, received

ROOT = Path(__file__).parents[2]
TIMEOUT = 600
"""Seconds after which a command is killed: no command takes as long, however busy the machine is."""

TEMPLATE_FILES = (".jinja", "tokenizer_config.json")


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


def toolconv(
    *args: object,
    stdin: bytes | str | Iterable[bytes] = b"",
    cwd: Path | None = None,
    own_process: bool = False,
    **env: str,
) -> Run:
    """Run the command and wait for it. What ``stdin`` yields is written as it comes.

    It runs in this process (see :mod:`tests.helpers.in_process`), which suits a test of output, files and status. It gets
    a process of its own if the test is about processes (``own_process``), or is in a thread; and if the command starts other
    processes, or reads pieces as they come. That one is forked from ``tests.helpers.fork_server``, which saves the start of an
    interpreter. Where variables are given that an interpreter reads when it starts, and where there is no fork, it is fresh.
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
            pool.submit(pipes.write, os.dup(process.stdin.fileno()), pieces)
            process.stdin.close()
            process.stdin = None
            stdout, stderr = process.communicate(timeout=TIMEOUT)
        return Run(process.returncode, stdout, stderr)
    in_thread = threading.current_thread() is not threading.main_thread()
    if own_process or in_thread or not isinstance(data, bytes) or starts_processes(arguments, env):
        return fork_server().run(arguments, pieces, cwd or Path.cwd(), environment)
    return Run(*in_process.run(arguments, data, cwd or Path.cwd(), environment))


def starts_processes(arguments: list[str], env: dict[str, str]) -> bool:
    """Whether a command starts processes, for ``--jobs`` or to run a chat template: a fork of a test's process is slow."""
    return (
        arguments[:1] == ["derive"]
        or "--jobs" in arguments
        or "TOOLCONV_JOBS" in env
        or any(argument.endswith(TEMPLATE_FILES) for argument in arguments)
    )


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
        streams, (stdin_file, *output_files) = zip(*map(pipes.standard, range(3)), strict=True)
        channel = fork_client.request(self.address, arguments, str(folder), environment, streams)
        for stream in streams:
            os.close(stream)
        with channel, ThreadPoolExecutor(3) as pool:
            (pid,) = NUMBER.unpack(received(channel, NUMBER.size))
            pool.submit(pipes.write, stdin_file, stdin)
            outputs = [pool.submit(pipes.read, file) for file in output_files]
            try:
                stdout, stderr = (output.result(TIMEOUT) for output in outputs)
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                raise
            (status,) = NUMBER.unpack(received(channel, NUMBER.size))
        return Run(status, stdout, stderr)
