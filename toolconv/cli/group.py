"""``toolconv`` itself: the group of all commands."""

from __future__ import annotations

import click

from toolconv import __version__
from toolconv.cli.lazy import LazyGroup

EXAMPLES = (
    (
        "Convert the output of one model to another model's format",
        """printf '<tool_call>{"name":"search","arguments":{"query":"x"}}</tool_call>' | """
        "toolconv convert --to kimi_k2",
    ),
    (
        "Check rows for problems",
        """echo '{"messages":[{"role":"user","content":"Hi"}],"tools":[{"name":"ping"}]}' | toolconv lint""",
    ),
    ("Look up a name that a run printed", "toolconv help trailing_comma"),
)


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog="Run 'toolconv COMMAND --help' for help on a command, or 'toolconv help' for the topics.",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Convert tool calls between model dialects and dataset layouts. Nothing is lost silently.

    \f
    Each model family writes tool calls in its own text format, its *dialect*. Datasets store conversations in rows of
    many formats, their *layout*. **toolconv** reads both, converts conversations to *canonical* rows (the OpenAI chat
    row with ``arguments`` as objects and ``content`` always text), and writes them in any dialect, in most layouts, and
    as the text that a student model's chat template produces.

    Input is read strictly if possible and tolerantly where models deviate from their format. Every change that makes
    malformed text readable is a named *repair*; a call that can't be read keeps its text and is counted; anything that
    a format can't express is a named *loss*. The *receipt* of a run (``--receipt``) accounts for all of these.

    Commands read the given files, or standard input, line by line, and write to standard output or to ``-o FILE``.
    ``.gz`` files, and with extras ``.zst`` and ``.parquet`` files, are recognised by their ending. An output file
    appears only when it is complete. Messages go to standard error.
    """
    if context.invoked_subcommand is None:
        click.echo("toolconv reads the tool calls of one model family and writes them the way another model family,")
        click.echo("trainer or chat template expects them.\n")
        for what, line in EXAMPLES:
            click.echo(f"{what}:\n  {line}\n")
        click.echo("Run 'toolconv --help' for the commands, 'toolconv COMMAND --help' for one command,")
        click.echo("'toolconv help' for the topics, or 'man toolconv' for the manual.")
