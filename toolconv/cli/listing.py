"""How the commands that list things print a list: readable lines, or one JSON array for scripts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click

from toolconv.cli import options as cli

json_option = cli.option("--json", "as_json", is_flag=True, help="Print the list, or the one that is named, as JSON.")
as_json = cli.section("Output", json_option)
"""The option of these commands."""


def print_json(facts: Iterable[Mapping[str, Any]], name: str | None) -> None:
    """Print the facts of all things as an array, or those of the one that is named as an object."""
    from toolconv.core import jsontext

    found = [dict(each) for each in facts]
    click.echo(jsontext.dumps(found if name is None else found[0]))
