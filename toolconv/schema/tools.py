"""One JSON Schema for every call of a dataset, built from the tools that its rows declare.

A call is valid if it matches a branch: ``name`` is the tool's name, and ``arguments`` match its parameters. A tool that
rows declare with different parameters has one branch for each. The parameters are those that the linter validates
against: type names such as ``str`` are corrected, and anything that is not a schema is left out.

Parameters are stored under ``$defs``, and every ``$ref`` in them is rewritten to a path of names only, because grammar
compilers such as xgrammar don't follow paths through lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import function_of
from toolconv.lint.schema.parameters import parameters_of
from toolconv.lint.schema.schemas import clean, subschemas

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
_NOT_IN_A_KEY = lazy_re(r"[^A-Za-z0-9_.-]")


class Signature(NamedTuple):
    """A tool's name with one schema of its arguments.

    Attributes:
        name: the tool's name.
        arguments: the self-contained JSON Schema of its arguments.
        corrected: the declaration was not, or not entirely, valid JSON Schema.
    """

    name: str
    arguments: dict[str, Any]
    corrected: bool = False


def signatures(declarations: Iterable[str]) -> list[Signature]:
    """The distinct signatures of the declared tools, sorted by name.

    Args:
        declarations: declarations as JSON texts, as in a receipt; those without a name are ignored.
    """
    found: dict[tuple[str, str], Signature] = {}
    for text in sorted(declarations):
        function = function_of(jsontext.loads(text))
        if function is not None:
            signature = _signature(function["name"], function.get("parameters"))
            found.setdefault((signature.name, jsontext.compact(signature.arguments)), signature)
    return sorted(found.values(), key=lambda signature: signature.name)


def union(tools: Sequence[Signature]) -> dict[str, Any]:
    """The schema that every call, an object with ``name`` and ``arguments``, must match."""
    definitions: dict[str, Any] = {}
    branches = []
    for tool in tools:
        key = _free_key(tool.name, definitions)
        definitions[key] = _moved(tool.arguments, f"#/$defs/{key}")
        branches.append(
            {
                "type": "object",
                "properties": {"name": {"const": tool.name}, "arguments": {"$ref": f"#/$defs/{key}"}},
                "required": ["name", "arguments"],
                "additionalProperties": False,
            }
        )
    return {"$schema": DRAFT, "anyOf": branches, "$defs": definitions}


def _signature(name: str, parameters: Any) -> Signature:
    """Declared parameters as the schema of an object; without parameters, any arguments are valid."""
    if not isinstance(parameters, dict):
        return Signature(name, {"type": "object"}, corrected=parameters is not None)
    declared = {"type": "object", **parameters}
    known = parameters_of(parameters)
    schema = {"type": "object", **(known.schema if known.is_clean else clean(known.schema))}
    corrected = schema != declared
    schema.pop("$schema", None)  # a document has only one, at the top
    return Signature(name, schema, corrected)


def _moved(schema: dict[str, Any], place: str) -> dict[str, Any]:
    """A copy of a schema with its references adjusted to its location ``place``."""
    if "$id" in schema:  # references in it are relative to it
        return schema
    if jsontext.dumps(schema).find(b'"$ref"') < 0:
        return schema
    copy = clean(schema)
    for _, part in subschemas(copy):
        reference = part.get("$ref")
        if isinstance(reference, str) and (reference == "#" or reference.startswith("#/")):
            part["$ref"] = place + reference[1:]
    return dict(copy)


def _free_key(name: str, taken: dict[str, Any]) -> str:
    """An unused key that a reference can contain without escaping."""
    key = bare = _NOT_IN_A_KEY.sub("_", name)
    number = 1
    while key in taken:
        number += 1
        key = f"{bare}_{number}"
    return key
