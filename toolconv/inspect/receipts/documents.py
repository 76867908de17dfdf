"""Receipts as they were written, and the sum of those of shards."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from toolconv.convert.receipt import MAX_PLACES, schema_hash
from toolconv.core import jsontext
from toolconv.core.errors import FileError, ToolconvError
from toolconv.core.plural import plural

KEYS: Final = ("toolconv", "command", "options", "inputs", "outputs")
ACCOUNTS: Final = ("option_files", "function_calling", "selection")
"""Keys that some receipts have."""
_PART = re.compile(r"\[\d+/\d+\]$")


class NotShards(ToolconvError):
    """Receipts that can't be added up."""


class Document(NamedTuple):
    """A receipt.

    Attributes:
        name: its file; of shards, all of them.
        content: what is in it.
        shards: how many shards it is the sum of; 0 for the receipt of a whole run.
        missing: the numbers of shards whose receipts are not there.
    """

    name: str
    content: Mapping[str, Any]
    shards: int = 0
    missing: tuple[int, ...] = ()

    @property
    def command(self) -> str:
        """The command of the run."""
        return str(self.content["command"])

    @property
    def inputs(self) -> dict[str, str]:
        """The SHA-256 of each file that was read, by name."""
        return {_PART.sub("", name): digest for name, digest in self.content["inputs"].items()}

    @property
    def outputs(self) -> dict[str, str]:
        """The SHA-256 of each file that was written, by name."""
        return dict(self.content["outputs"])

    @property
    def option_files(self) -> dict[str, str]:
        """The SHA-256 of each file that an option named."""
        return dict(self.content.get("option_files") or {})

    @property
    def tools(self) -> dict[str, list[str]] | None:
        """The SHA-256 of the declarations in the rows, by tool; ``None`` if the receipt doesn't say."""
        account = self.content.get("function_calling")
        return account.get("tools") if isinstance(account, dict) else None

    @property
    def rows(self) -> str:
        """How many rows were read and written, in words."""
        account = self.content.get("function_calling") or self.content.get("selection") or {}
        if "rows_in" not in account:
            return ""
        return f"{plural(account['rows_in'], 'row')} in, {account['rows_out']:,} out"


def read_all(names: Iterable[str]) -> list[Document]:
    """The receipts in files and folders, of which other JSON files are left out.

    Raises:
        FileError: a file is no receipt, or can't be read; a folder holds none.
    """
    found: list[Document] = []
    for name in names:
        if Path(name).is_dir():
            inside = [_document(str(path)) for path in sorted(Path(name).glob("*.json"))]
            found += (taken := [each for each in inside if isinstance(each, Document)])
            if not taken:
                raise FileError(f"{name}: no receipts in this folder")
        else:
            document = _document(name)
            if isinstance(document, str):
                raise FileError(f"{name}: {document}")
            found.append(document)
    return found


def _document(name: str) -> Document | str:
    """A receipt, or why the file is not one."""
    try:
        content = jsontext.loads(Path(name).read_bytes())
    except OSError as error:
        raise FileError(f"{name}: {error.strerror or error}") from None
    except ValueError as error:
        return f"not JSON ({error})"
    if not isinstance(content, dict) or "toolconv" not in content or "options" not in content:
        return "not a receipt: --receipt FILE writes one"
    if absent := [key for key in KEYS if key not in content]:
        return f"the receipt of another version of toolconv: it has no {absent[0]!r}"
    for key in (*KEYS[2:], *ACCOUNTS):
        if not isinstance(content.get(key, {}), dict):
            return f"the receipt is damaged: {key!r} is no object"
    return Document(name, content)


def with_shards_added(documents: Sequence[Document]) -> list[Document]:
    """The receipts, those of the shards of a run added up, in the place of the first.

    Raises:
        NotShards: a shard comes twice.
    """
    shards: dict[bytes, list[Document]] = defaultdict(list)
    for each in documents:
        if each.content["options"].get("shard"):
            shards[_run_of(each)].append(each)
    found: list[Document] = []
    for each in documents:
        if not each.content["options"].get("shard"):
            found.append(each)
        elif (group := shards.pop(_run_of(each), None)) is not None:
            found.append(_added(group))
    return found


def _run_of(document: Document) -> bytes:
    """What the receipts of the shards of one run share."""
    content = document.content
    options = {name: value for name, value in content["options"].items() if name != "shard"}
    count = str(content["options"]["shard"]).partition("/")[2]
    return jsontext.dumps([content["toolconv"], document.command, options, count, document.inputs])


def _added(group: Sequence[Document]) -> Document:
    """The sum of the receipts of shards."""
    by_number: dict[int, Document] = {}
    count = 0
    for each in group:
        number, count = map(int, str(each.content["options"]["shard"]).split("/"))
        if number in by_number:
            raise NotShards(f"{each.name} and {by_number[number].name}: both are of shard {number}/{count}")
        by_number[number] = each
    parts = [by_number[number] for number in sorted(by_number)]
    missing = tuple(number for number in range(1, count + 1) if number not in by_number)
    content = {
        **parts[0].content,
        "options": {**parts[0].content["options"], "shard": None},
        "inputs": parts[0].inputs,
        "outputs": {name: digest for each in parts for name, digest in each.outputs.items()},
    }
    content["files"] = {**content["inputs"], **content["outputs"]}
    accounts = [each.content.get("function_calling") or {} for each in parts]
    account = accounts[0]
    for other in accounts[1:]:
        account = _sum(account, other)
    tools = {digest for digests in account.get("tools", {}).values() for digest in digests}
    turns = account["assistant_turns"]
    content["function_calling"] = {
        **account,
        "n_tools_declared": len(tools),
        "tool_schema_hash": schema_hash(tools),
        "no_call_ratio": round((turns - account["turns_with_calls"]) / turns, 6) if turns else None,
        "parallel_ratio": round(account["turns_with_several"] / turns, 6) if turns else None,
    }
    del content["options_sha256"]  # of the options with the shard
    name = parts[0].name if len(parts) == 1 else f"{parts[0].name} … {parts[-1].name}"
    return Document(name, content, len(parts), missing)


def _sum(one: Any, other: Any) -> Any:
    """The sum of two accounts: numbers are added, lists of places joined, the hashes of declarations united."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {key: _sum(one.get(key), other.get(key)) for key in _keys(one, other)}
    if isinstance(one, list) and isinstance(other, list):
        if all(isinstance(each, str) for each in (*one, *other)):
            return sorted({*one, *other})
        return [*one, *other][:MAX_PLACES]
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one + other
    return other if one is None else one


def _keys(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    new = other.keys() - one.keys()
    return iter(sorted({*one, *new}) if new else one)
