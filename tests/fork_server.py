"""``python -m tests.fork_server FD``: run ``toolconv`` commands in processes forked from one that has imported all of it.

A command costs a tenth of what it costs in a fresh interpreter, and is still the real one: a process with its own
standard streams, folder, environment and exit status that runs ``toolconv/__main__.py``. The server knows nothing of
pytest: no patched module or registered format of a test gets into a command.

``FD`` is a stream socket. A request is its length (8 bytes), sent with four file descriptors: the standard streams, and
a pipe for the answers; then JSON: ``[arguments, folder, environment]``. The answers are the process's id, then its exit
status (8 bytes each). Each request has a pipe of its own, so that answers which nobody waited for are never taken for
those to the next one.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import pkgutil
import runpy
import socket
import struct
import sys
import traceback
from contextlib import suppress
from importlib import import_module

import toolconv
from toolconv import dialects, validate_dataset

NUMBER = struct.Struct("!q")
NOT_IMPORTED = ("toolconv.__main__", "toolconv.manual.__main__", "toolconv.ray")
"""Modules that run a command when they are imported, and one that needs an extra."""


def import_all() -> None:
    """Import the modules of toolconv, and let the linter and the dialects compile their patterns."""
    for module in pkgutil.walk_packages(toolconv.__path__, "toolconv."):
        if module.name not in NOT_IMPORTED:
            import_module(module.name)
    validate_dataset([{"messages": [{"role": "user", "content": "Hi."}]}], select=["ALL"])
    for dialect in dialects.all_dialects():
        dialect.parse(dialect.sample)
        dialect.parse(dialect.sample[:-1])


def receive(channel: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = channel.recv(size - len(data))
        if not piece:
            raise EOFError("the other end is closed")
        data += piece
    return data


def serve(channel: socket.socket) -> None:
    """Answer requests until the other end is closed. In a forked process, return when its command is set up."""
    while True:
        head, descriptors, _, _ = socket.recv_fds(channel, NUMBER.size, 4)
        if not head:
            sys.exit()
        arguments, folder, environment = json.loads(receive(channel, *NUMBER.unpack(head)))
        pid = os.fork()
        if not pid:
            channel.close()
            for number, descriptor in enumerate(descriptors[:3]):
                os.dup2(descriptor, number)
            for descriptor in descriptors:
                os.close(descriptor)
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            sys.argv = ["toolconv", *arguments]
            return
        *streams, answers = descriptors
        for descriptor in streams:
            os.close(descriptor)
        with suppress(BrokenPipeError), os.fdopen(answers, "wb", buffering=0) as answer:
            answer.write(NUMBER.pack(pid))
            _, status = os.waitpid(pid, 0)
            answer.write(NUMBER.pack(os.waitstatus_to_exitcode(status)))


def run() -> int:
    """Run the command, and give the status that the interpreter would exit with."""
    try:
        runpy.run_module("toolconv", run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        if isinstance(ended.code, str):
            sys.stderr.write(ended.code + "\n")
            return 1
        return ended.code or 0
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    import_all()
    gc.freeze()
    serve(socket.socket(fileno=int(sys.argv[1])))
    status = run()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # without tearing down all that was imported
