"""``toolconv convert`` and the like of one row, with the options of the command, in this process: that is faster."""

from __future__ import annotations

import copy
from typing import Any

import click

from toolconv import Receipt, convert_rows
from toolconv.cli.convert import NOT_READ, convert, render
from toolconv.cli.convert_options import row_options
from toolconv.cli.messages import log_nothing


def converted(row: dict[str, Any], *arguments: str, command: click.Command = convert) -> Receipt:
    """The account of a row, which is converted as the command with these arguments converts it."""
    given = command.make_context("toolconv", list(arguments)).params
    if command is render:
        given |= NOT_READ
    receipt = Receipt()
    list(convert_rows([copy.deepcopy(row)], row_options(given, log_nothing), receipt=receipt))
    return receipt
