"""Writes the receipt of a command to the file that ``--receipt`` names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import click

    from toolconv.convert.receipt import Receipt

OPTION_NAMES = {"source": "from", "target": "to", "filtering": "filter"}
"""Options whose name on the command line differs from the name in the code."""


def write_receipt(
    given: Mapping[str, Any],
    names: Sequence[str],
    receipt: Receipt,
    digests: Mapping[str, str],
    outputs: Mapping[str, str] | None = None,
) -> None:
    """Write a receipt.

    Args:
        given: the options.
        names: those that affect the output.
        receipt: the account.
        digests: the SHA-256 of each input and, without ``outputs``, of each output.
        outputs: that of each output.

    Raises:
        FileError: it can't be written.
    """
    from toolconv import __version__

    document = receipt.as_json(__version__, options_of(given, names), digests)
    write_account(given, document, outputs)


def options_of(given: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The options of these names, as they are named on the command line."""
    return {OPTION_NAMES.get(name, name): given.get(name) for name in names}


def write_account(given: Mapping[str, Any], document: Mapping[str, Any], outputs: Mapping[str, str] | None) -> None:
    """Write the account of a run, after what all receipts begin with: command, options and hashes.

    With ``--redact``, no option and no file's name keeps a secret, such as the name of a home directory.

    Args:
        given: the options.
        document: the account, with ``toolconv``, ``options`` and ``files``.
        outputs: the SHA-256 of each output; ``None`` if ``files`` holds them, too.

    Raises:
        FileError: it can't be written.
    """
    from hashlib import sha256

    import click

    from toolconv.core import jsontext
    from toolconv.io.outputs import write_file

    context = click.get_current_context()
    option_files = _option_files(context)
    inputs = document["files"]
    if outputs is None:
        outputs = {name: digest for name, digest in inputs.items() if _is_output(name, given["output"])}
        inputs = {name: digest for name, digest in inputs.items() if name not in outputs}
    if given.get("redact"):
        document, inputs, option_files, outputs = _without_secrets(document, inputs, option_files, outputs)
    head = {
        "toolconv": document["toolconv"],
        "command": context.info_name,
        "options": document["options"],
        "options_sha256": sha256(jsontext.dumps([context.info_name, document["options"]])).hexdigest(),
        "inputs": inputs,
        "option_files": option_files,
        "outputs": outputs,
        "files": {**inputs, **outputs},
    }
    account = {key: value for key, value in document.items() if key not in head}
    write_file(given["receipt"], jsontext.dumps_indented({**head, **account}))


def _without_secrets(document: Mapping[str, Any], *files: Mapping[str, str]) -> list[Any]:
    """A document, and the hashes of files by name, without secrets, such as the name of a home directory."""
    from toolconv.convert.redaction import Redaction
    from toolconv.core import jsontext

    value = Redaction(jsontext.compact([document, *files])).value
    account = value({key: member for key, member in document.items() if key != "files"})  # hashes are no secrets
    return [account, *({value(name): digest for name, digest in each.items()} for each in files)]


def _is_output(name: str, output: str | None) -> bool:
    """Whether a file that a run read or wrote is its output, or in the folder that is."""
    if output is None:
        return name == "<stdout>"
    return name == output or Path(output) in Path(name).parents


def _option_files(context: click.Context) -> dict[str, str]:
    """The SHA-256 of each file that an option names."""
    from toolconv.cli.options import READ
    from toolconv.io.hashed import sha256_of

    found: dict[str, str] = {}
    for param in context.command.params:
        value = context.params.get(param.name or "") if param.type in READ else None
        for name in value if isinstance(value, tuple) else [value]:
            if isinstance(name, str) and Path(name).is_file():
                found[name] = sha256_of(name)
    return found
