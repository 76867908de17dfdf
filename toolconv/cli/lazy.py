"""The list of commands. It imports none of them, so help and errors appear without delay."""

from __future__ import annotations

from typing import Final

import click

COMMANDS: Final = {
    "Convert": {
        "convert": "Read calls in one dialect and write them in another.",
        "parse": "Read calls out of texts, into canonical rows.",
        "render": "Write canonical rows, or any rows with structured calls, in a dialect.",
    },
    "Check and count": {
        "lint": "Check function-calling datasets.",
        "stats": "Count rows, turns, calls per tool and the arguments passed.",
        "diff": "Compare the contents of two files of rows, or of two folders of them, in any layouts and dialects.",
        "score": "Compare a model's calls with gold calls, at three levels.",
        "receipts": "Check how runs follow on each other, by their receipts.",
    },
    "Choose and make rows": {
        "select": "Choose rows by their calls, tools, keys and findings, and write them unchanged.",
        "augment": "Make more rows of rows: other tools, other names, requests that no tool fits.",
    },
    "Look into data": {
        "view": "Show rows as conversations, with calls, results, findings and losses.",
        "schema": "Print a JSON Schema for the calls of all declared tools.",
        "detect": "Detect the dialect and layout of each input, with a confidence.",
        "derive": "Work out the dialect that a chat template writes, and prove it.",
    },
    "Look up": {
        "help": "List the topics, or explain NAME: a topic, or any name that toolconv prints or takes.",
        "dialects": "List the dialects, or describe the dialect NAME.",
        "layouts": "List the layouts, or describe the layout NAME.",
        "templates": "List the chat templates for --template, or describe the template NAME.",
        "trainers": "List the trainers and uploads for --trainer, or describe the trainer NAME.",
        "rules": "List the lint rules, or describe RULE, given as a code or a name.",
    },
    "Set up": {
        "completions": "Print the completion script for a shell.",
    },
}
"""The name and summary of each command, by section. A command's module has its name, except for :data:`FILES`."""

FILES: Final = {"parse": "convert", "render": "convert"}
NAMES: Final = [name for section in COMMANDS.values() for name in section]


class LazyGroup(click.Group):
    """The group of :data:`COMMANDS`, which imports a command's module only when the command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The command names, in order."""
        return NAMES

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import and return a command."""
        if name not in NAMES:
            return None
        from importlib import import_module

        command = getattr(import_module(f"toolconv.cli.{FILES.get(name, name)}"), name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command named by the first argument; for an unknown name, the error suggests the closest one."""
        if args[0] not in NAMES and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], NAMES, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by section."""
        for title, commands in COMMANDS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))
