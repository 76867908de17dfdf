"""Writes the receipt of a command to the file that ``--receipt`` names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolconv.convert.receipt import Receipt

OPTION_NAMES = {"source": "from", "target": "to", "filtering": "filter"}
"""Options whose name on the command line differs from the name in the code."""


def write_receipt(given: Mapping[str, Any], names: Sequence[str], receipt: Receipt, digests: Mapping[str, str]) -> None:
    """Write a receipt; ``names`` are the options that affect the output.

    Raises:
        FileError: it can't be written.
    """
    from toolconv import __version__

    write_account(given, receipt.as_json(__version__, options_of(given, names), digests))


def options_of(given: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The options of these names, as they are named on the command line."""
    return {OPTION_NAMES.get(name, name): given.get(name) for name in names}


def write_account(given: Mapping[str, Any], document: Mapping[str, Any]) -> None:
    """Write the account of a run.

    Raises:
        FileError: it can't be written.
    """
    from toolconv.core import jsontext
    from toolconv.io.outputs import write_file

    write_file(given["receipt"], jsontext.dumps_indented(document))
