"""``help``: list the topics, or explain one."""

from __future__ import annotations

import click

from toolconv.cli import options as cli


@cli.command(
    examples=(
        ("List the topics", "toolconv help"),
        ("Read what happens to bad input", "toolconv help rejects"),
    ),
    see=("toolconv(1)",),
)
@click.argument("topic", required=False, type=cli.TOPIC)
@click.pass_context
def help(context: click.Context, topic: str | None) -> None:
    """List the topics, or explain TOPIC; for a command, print its help."""
    from toolconv import topics
    from toolconv.cli.lazy import NAMES

    if topic is None:
        for name in topics.NAMES:
            click.echo(f"{name:10} {topics.title(name)}")
        click.echo("\n'toolconv help TOPIC' explains one, 'toolconv COMMAND --help' a command.")
    elif topic in NAMES and context.parent is not None:
        command = context.parent.command
        assert isinstance(command, click.Group)
        found = command.get_command(context.parent, topic)
        assert found is not None
        click.echo(found.get_help(click.Context(found, info_name=topic, parent=context.parent)))
    else:
        click.echo(topics.plain(topic), nl=False)
