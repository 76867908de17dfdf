"""The command line: argument handling and printing, one file per command."""

from __future__ import annotations

import os
import signal
import sys

import click

from toolconv.cli.convert import convert, parse, render
from toolconv.cli.detect import detect
from toolconv.cli.dialects import dialects
from toolconv.cli.layouts import layouts
from toolconv.cli.lint import lint
from toolconv.cli.rules import rules
from toolconv.cli.schema import schema
from toolconv.cli.stats import stats
from toolconv.cli.templates import templates

GUIDE = """\b
Examples:
  printf '<tool_call>{"name":"search","arguments":{"query":"x"}}</tool_call>' | toolconv convert --from hermes --to kimi_k2
  toolconv parse --from hermes teacher.jsonl.gz -o canonical.jsonl --rejects bad.jsonl --receipt receipt.json
  toolconv convert teacher.jsonl --from kimi_k2 --to qwen3_xml > student.jsonl
"""  # noqa: E501 - a command is one line


@click.group(epilog=GUIDE, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(package_name="toolconv")
def cli() -> None:
    """Convert tool calls between model dialects and dataset layouts, without losing any silently."""


for command in (convert, parse, render, lint, stats, schema, detect, dialects, layouts, templates, rules):
    cli.add_command(command)


class Terminated(KeyboardInterrupt):
    """The process is asked to end: the same as Ctrl-C, but for the exit status."""


def _terminate(*_: object) -> None:
    raise Terminated


def main() -> None:
    """Run the command line and exit with its status."""
    signal.signal(signal.SIGTERM, _terminate)
    try:
        with cli.make_context("toolconv", sys.argv[1:]) as context:
            status = cli.invoke(context)
    except click.exceptions.Exit as done:  # of --help, --version
        status = done.exit_code
    except click.ClickException as error:
        error.show()
        status = 2
    except BrokenPipeError:
        status = 0
    except KeyboardInterrupt as ended:
        sys.stderr.flush()
        os._exit(143 if isinstance(ended, Terminated) else 130)  # all is tidied up; a pool of workers may not see that
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nobody reads on: no complaint at exit
    sys.exit(status)
