"""How the commands that list things print a list: readable lines, or one JSON array for scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import click

from toolconv.cli import options as cli

json_option = cli.option("--json", "as_json", is_flag=True, help="Print the list, or the one that is named, as JSON.")
as_json = cli.section("Output", json_option)
"""The option of these commands."""


T = TypeVar("T")


def show(
    name: str | None,
    as_json: bool,
    known: Callable[[], Iterable[T]],
    get: Callable[[str], T],
    line: Callable[[T], str],
    facts: Callable[[T], Mapping[str, Any]],
    page: Callable[[T], str],
) -> None:
    """Print all known things, a line each, or the page of the one that is named; as JSON, the facts of these."""
    if as_json:
        from toolconv.core import jsontext

        click.echo(jsontext.dumps([dict(facts(each)) for each in known()] if name is None else dict(facts(get(name)))))
    elif name is None:
        for each in known():
            click.echo(line(each))
    else:
        click.echo(page(get(name)))
