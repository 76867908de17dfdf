"""``python -m tests.helpers.fork_server ADDRESS``: run ``toolconv`` commands in processes forked from one that has imported all of it.

A command costs a tenth of what it costs in a fresh interpreter, and is still the real one: a process with its own
standard streams, folder, environment and exit status that runs ``toolconv/__main__.py``. The server knows nothing of
pytest: no patched module or registered format of a test gets into a command.

``ADDRESS`` is the path of a Unix socket. Each connection is a request: its length (8 bytes), sent with three file
descriptors (the standard streams), then JSON: ``[arguments, folder, environment]``. The answers are the process's id, then
its exit status (8 bytes each). Commands run at the same time, as those of a pipeline must. The server ends when its
standard input does.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import pkgutil
import runpy
import selectors
import socket
import sys
import traceback
from contextlib import suppress
from importlib import import_module

from click.testing import CliRunner

import toolconv
from tests.helpers.fork_client import NUMBER, received
from toolconv import dialects
from toolconv.cli.group import cli
from toolconv.templates.reading.recognition import read_text

NOT_IMPORTED = ("toolconv.__main__", "toolconv.manual.__main__", "toolconv.ray")
"""Modules that run a command when they are imported, and one that needs an extra."""

PARAMETERS = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}
ROWS = [
    {
        "tools": [{"type": "function", "function": {"name": "weather", "description": "…", "parameters": PARAMETERS}}],
        "messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": text}],
    }
    for text in (
        '<tool_call>{"name": "weather", "arguments": {"city": "Rome", "days": "2"}}</tool_call>',
        '<think>Or f(x)?</think> {"name": "weather", "arguments": {"city": <tool_call>',
        "Hello.",
    )
]

COMMANDS = [
    "convert --to-layout openai",
    "convert --to-layout sharegpt --to kimi_k2",
    "render --template qwen3",
    "parse --from hermes",
    "lint",
    "lint --select ALL",
    "stats",
]


def import_modules() -> None:
    """Import the modules of toolconv."""
    for module in pkgutil.walk_packages(toolconv.__path__, "toolconv."):
        if module.name not in NOT_IMPORTED:
            import_module(module.name)


def import_all() -> None:
    """Import the modules, and run once what most commands do: patterns, templates and searches are prepared then."""
    import_modules()
    for dialect in dialects.all_dialects():
        dialect.parse(dialect.sample)
        dialect.parse(dialect.sample[:-1])
    read_text("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n")
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    for command in COMMANDS:
        CliRunner().invoke(cli, command.split(), input=lines)


def serve(address: str) -> None:
    """Answer requests until standard input is closed. In a forked process, return when its command is set up."""
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address)
    listening.listen()
    print("listening", flush=True)
    import_all()  # requests wait for it
    gc.freeze()
    waiting = selectors.DefaultSelector()
    waiting.register(listening, selectors.EVENT_READ)
    waiting.register(sys.stdin, selectors.EVENT_READ)
    while True:
        for key, _ in waiting.select():
            if key.fileobj is sys.stdin:
                os._exit(0)
            elif key.fileobj is listening:
                connection, _ = listening.accept()
                pid = start(connection)
                if not pid:
                    waiting.close()
                    listening.close()
                    return
                waiting.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, connection))
            else:
                waiting.unregister(key.fd)
                os.close(key.fd)
                pid, connection = key.data
                _, status = os.waitpid(pid, 0)
                with suppress(BrokenPipeError), connection:
                    connection.sendall(NUMBER.pack(os.waitstatus_to_exitcode(status)))


def start(connection: socket.socket) -> int:
    """Fork a process for a request; its id, or 0 in that process."""
    head, streams, _, _ = socket.recv_fds(connection, NUMBER.size, 3)
    arguments, folder, environment = json.loads(received(connection, *NUMBER.unpack(head)))
    pid = os.fork()
    if pid:
        for stream in streams:
            os.close(stream)
        with suppress(BrokenPipeError):
            connection.sendall(NUMBER.pack(pid))
        return pid
    connection.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["toolconv", *arguments]
    return 0


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
    serve(sys.argv[1])
    status = run()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # without tearing down all that was imported
