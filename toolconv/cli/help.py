"""``help``: list the topics, or explain one, or any other name that toolconv prints or takes."""

from __future__ import annotations

import click

from toolconv.cli import options as cli


@cli.command(
    examples=(
        ("List the topics", "toolconv help"),
        ("Read what happens to bad input", "toolconv help rejects"),
        ("Look up a name that a run printed", "toolconv help trailing_comma"),
        ("Look up an option, a rule or a trainer", "toolconv help --spans"),
    ),
    see=("toolconv(1)",),
    context_settings={"ignore_unknown_options": True},
)
@click.argument("name", required=False, nargs=-1, type=cli.NAME, metavar="[NAME]")
def help(name: tuple[str, ...]) -> None:
    """List the topics, or explain NAME: a topic, or any name that toolconv prints or takes.

    NAME may be a command, an option, a rule, a dialect, layout, template or trainer, or what a run counts: a repair, a
    loss, an unread part, the reason of a dropped call.
    """
    from toolconv import topics

    if not name:
        for topic in topics.NAMES:
            click.echo(f"{topic:10} {topics.title(topic)}")
        click.echo("\n'toolconv help NAME' explains a topic, a command, an option, or any name that a run prints.")
        return
    from toolconv.cli import lookup

    wanted = " ".join(name)
    found = lookup.pages(wanted)
    if not found:
        near = lookup.nearest(wanted)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise click.ClickException(f"nothing is called {wanted!r}{hint}\n'toolconv help' lists the topics")
    for number, page in enumerate(found):
        if len(found) > 1:
            click.echo(f"{'' if not number else chr(10)}── {wanted}: {page.kind} ──\n")
        click.echo(page.text)
