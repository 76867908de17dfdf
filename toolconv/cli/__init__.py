"""The command line: argument handling and printing, one file per command. This one runs it and settles how it ends.

Nothing is imported here that takes time, so that Ctrl-C has the same effect from the start.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from contextlib import suppress
from typing import Final, NoReturn

from toolconv.io.garbage import collect_less, collect_no_more
from toolconv.io.signals import ENDING, HANGUP

ERROR: Final = 2
"""The exit status for anything that goes wrong."""


class Terminated(KeyboardInterrupt):
    """The process received SIGTERM or SIGHUP. Handled like Ctrl-C, with another exit status.

    Args:
        number: the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.status = 128 + number


def main() -> None:
    """Run the command line and exit with its status. Any error is one line, with exit status 2."""
    collect_less()
    try:
        signal.signal(signal.SIGTERM, _terminate)
        if HANGUP and signal.getsignal(HANGUP) != signal.SIG_IGN:  # nohup ignores it
            signal.signal(HANGUP, _terminate)
        try:
            _occupy_closed_streams()
            status = _run(sys.argv[1:])
            try:
                sys.stdout.flush()
            except BrokenPipeError:
                raise
            except OSError:
                if not status:
                    raise
                status = ERROR  # the command has named the reason
                _discard_output()
        except BrokenPipeError:
            status = 0
            _discard_output()
        except Exception as error:
            status = ERROR
            _report(error)
            _discard_output()
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))  # nothing is left to clean up
        for number in ENDING[1:]:
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, lambda number, _: os._exit(128 + number))
        collect_no_more()
    except KeyboardInterrupt as ended:
        _leave(ended.status if isinstance(ended, Terminated) else 130)
    sys.exit(status)


def _terminate(number: int, _: object) -> None:
    raise Terminated(number)


def _leave(status: int) -> NoReturn:
    """Exit at once: cleanup is done, and a worker pool might still block a normal exit."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(status)


def _run(arguments: list[str]) -> int:
    """Run a command; the exit status."""
    import io

    import click

    from toolconv.cli.group import cli
    from toolconv.core.command import COMMAND

    COMMAND.set(" ".join(["toolconv", *map(_quoted, arguments)]))

    try:
        with cli.make_context("toolconv", arguments) as context:
            status: int | None = cli.invoke(context)
    except click.exceptions.Exit as done:  # raised by --help and --version
        return done.exit_code
    except click.ClickException as error:
        from toolconv.core.terminal import escape_lines

        message = io.StringIO()
        error.show(message)
        click.echo(escape_lines(message.getvalue()), err=True, nl=False)
        return ERROR
    return status or 0


def _quoted(word: str) -> str:
    """A word as a shell takes it; ``shlex`` would take a while to load."""
    plain = word and all(char.isalnum() or char in "@%+=:,./-_" for char in word)
    return word if plain else "'" + word.replace("'", "'\"'\"'") + "'"


def _occupy_closed_streams() -> None:
    """Open the standard streams that were closed at the start, so that no file gets their numbers.

    Reading standard input and writing standard output still fail; messages are dropped.
    """
    ways = {"stdin": ("r", os.O_WRONLY), "stdout": ("w", os.O_RDONLY), "stderr": ("w", os.O_RDWR)}
    for number, (name, (mode, flags)) in enumerate(ways.items()):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, flags)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _report(error: Exception) -> None:
    """Write an error that no command handles as one line."""
    from toolconv.core.terminal import escape

    with suppress(OSError):
        sys.stderr.write(f"Error: {escape(_message(error))}\n")
        sys.stderr.flush()


def _message(error: Exception) -> str:
    if isinstance(error, OSError):  # of a standard stream: a file's error names it
        reason = "closed" if error.errno == errno.EBADF else error.strerror or error
        return f"{error.filename or 'standard input or output'}: {reason}"
    if isinstance(error, MemoryError):
        return "not enough memory"
    place, trace = "", error.__traceback__
    while trace is not None:
        if "toolconv" in (file := trace.tb_frame.f_code.co_filename):
            place = f" ({file.rpartition(os.sep)[2]}:{trace.tb_lineno})"
        trace = trace.tb_next
    lines = str(error).splitlines() or [""]
    return f"internal error, please report: {type(error).__name__}: {lines[0][:200]}{place}"


def _discard_output() -> None:
    """Drop what is left to write, which would raise the same error again when the interpreter ends."""
    with suppress(OSError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.close(null)
