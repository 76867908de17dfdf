"""Problems with the arguments of a call, by its tool's schema; several rules each report some kinds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from toolconv.core import jsontext, lenient_json
from toolconv.core.json_pointer import target_of
from toolconv.core.lazy_re import lazy_re
from toolconv.core.type_names import type_of
from toolconv.lint.names import a, did_you_mean, listed, shown
from toolconv.lint.schema.formats import FORMATS
from toolconv.lint.schema.parameters import Parameters
from toolconv.lint.schema.patterns import Unaffordable, search
from toolconv.lint.schema.schemas import UNCHECKED, SchemaError, ValuePath, properties_of, validator

ProblemKind = Literal[
    "missing", "forbidden", "unknown", "mismatch", "enum", "format", "string", "integral", "null", "unchecked"
]

_INTEGER = lazy_re(r"[+-]?[0-9]{1,18}")
_NUMBER = lazy_re(r"[+-]?[0-9]{1,18}(\.[0-9]{1,15})?([eE][+-]?[0-9]{1,2})?")


class Problem(NamedTuple):
    """A problem with a call's arguments.

    Attributes:
        kind: which rule reports it.
        path: the place of the value in the arguments.
        message: the readable message.
        better: the intended value, for ``string`` and ``integral``.
    """

    kind: ProblemKind
    path: ValuePath
    message: str
    better: Any = None


def argument_problems(name: str, known: Parameters, arguments: dict[str, Any]) -> list[Problem]:
    """The problems with the arguments of a call.

    Args:
        name: the tool's name.
        known: the tool's parameters.
        arguments: the call's arguments.
    """
    if known.fits is not None and known.fits(arguments):
        return []
    schema = known.schema
    found: dict[tuple[ValuePath, str], Problem] = {}
    for error in known.validator.errors(arguments):
        for problem in _from_error(name, schema, error, ()):
            of_value = problem.kind in ("mismatch", "format", "string", "null", "enum")
            found.setdefault((problem.path, "value" if of_value else problem.message), problem)
    return [*found.values(), *_allowed_but_wrong(name, schema, arguments)]


def _from_error(tool: str, root: Any, error: SchemaError, base: ValuePath) -> Iterator[Problem]:
    path = (*base, *error.path)
    value, keyword = error.found, error.keyword
    if keyword == "required":
        where = f" in {_spelled(path)}" if path else ""
        given = listed(value) if value else "nothing"
        yield Problem("missing", path, f"{tool} requires {error.missing!r}{where}; given: {given}")
    elif keyword in ("additionalProperties", "unevaluatedProperties"):
        known = properties_of(error.schema)
        for extra in value:
            if extra not in known and not _by_pattern(error.schema, extra):
                yield _unknown("forbidden", tool, (*path, extra), value[extra], known)
    elif keyword in ("anyOf", "oneOf"):
        yield from _from_branches(tool, root, error, path)
    elif keyword == "type":
        yield _wrong_type(tool, root, path, value, _types(error.expected))
    elif keyword in ("enum", "const"):
        allowed = error.expected if keyword == "enum" else [error.expected]
        if value is None and _optional(root, path):
            yield _null(tool, path, f"one of {listed(allowed)}" if allowed else "nothing, as the enum is empty")
            return
        near = did_you_mean(value, allowed) if isinstance(value, str) else ""
        wanted = f"{'one of ' if len(allowed) > 1 else ''}{listed(allowed)}" or "no value: the enum is empty"
        yield Problem("enum", path, f"{_of(tool, path)} is {shown(value)}, expected {wanted}{near}")
    elif keyword == "format":
        fits, wanted = FORMATS[error.expected]
        if error.expected in ("time", "date-time") and (fits(f"{value}Z") or fits(f"{value}:00Z")):
            return  # a local time, which nearly all tools take
        yield Problem("format", path, f"{_of(tool, path)} is {shown(value)}, expected {wanted}")
    else:
        kind: ProblemKind = "unchecked" if keyword == UNCHECKED else "mismatch"
        yield Problem(kind, path, f"{_of(tool, path)}: {error.message}")


def _from_branches(tool: str, root: Any, error: SchemaError, path: ValuePath) -> Iterator[Problem]:
    """A value that matches none of several schemas: reported for the one that fits its type."""
    branches = [_resolved(root, branch) for branch in error.expected]
    types = {kind for branch in branches for kind in _accepted(branch)}
    if types and not _fits(error.found, types):
        yield _wrong_type(tool, root, path, error.found, sorted(types))
        return
    fitting = [branch for branch in branches if _fits(error.found, set(_accepted(branch)))]
    if len(fitting) == 1 and "$ref" not in jsontext.compact(fitting[0]):
        inner = validator(fitting[0]).errors(error.found)
        for each in inner:
            yield from _from_error(tool, root, each, path)
        if inner:
            return
    words = error.message if error.keyword == "oneOf" else "none of the schemas of anyOf takes it"
    yield Problem("mismatch", path, f"{_of(tool, path)} is {shown(error.found)}: {words}")


def _wrong_type(tool: str, root: Any, path: ValuePath, value: Any, expected: list[str]) -> Problem:
    wanted = " or ".join(a(kind) for kind in expected)
    if value is None and _optional(root, path):
        return _null(tool, path, wanted)
    if isinstance(value, str):
        better = _read(value, expected)
        if better is not None:
            message = f"{_of(tool, path)} is the text {shown(value)}, expected {wanted}"
            return Problem("string", path, message, better)
    found = a(type_of(value))
    message = found if value is None else f"{found} ({shown(value)})"
    return Problem("mismatch", path, f"{_of(tool, path)} is {message}, expected {wanted}")


def _null(tool: str, path: ValuePath, wanted: str) -> Problem:
    message = f"{_of(tool, path)} is null, expected {wanted}, or no such argument: it is optional"
    return Problem("null", path, message)


def _unknown(kind: ProblemKind, tool: str, path: ValuePath, value: Any, known: dict[str, Any]) -> Problem:
    name, where = str(path[-1]), f" in {_spelled(path[:-1])}" if len(path) > 1 else ""
    if value is None:
        message = f"{tool} has no argument {name!r}{where}, and it is null: padding of the union of all arguments"
        return Problem("null", path, message)
    hint = did_you_mean(name, known) or (f"; it has {listed(known)}" if known else "; it has none")
    return Problem(kind, path, f"{tool} has no argument {name!r}{where}{hint}")


# ── what a validator allows ─────────────────────────────────────────────────────────────────────


def _allowed_but_wrong(tool: str, schema: Any, arguments: Any) -> Iterator[Problem]:
    """Arguments that the schema allows but doesn't declare, and ``230.0`` for an integer."""
    stack: list[tuple[ValuePath, Any, Any]] = [((), schema, arguments)]
    while stack:
        path, here, value = stack.pop()
        here = _branch(schema, here, value)
        if not isinstance(here, dict):
            continue
        if isinstance(value, dict):
            known = properties_of(here)
            closed = not ({"additionalProperties", "patternProperties", "$ref", "allOf", "if"} & here.keys())
            for name, member in value.items():
                if name in known:
                    stack.append(((*path, name), known[name], member))
                elif closed and (known or (not path and isinstance(here.get("properties"), dict))):
                    yield _unknown("unknown", tool, (*path, name), member, known)
        elif isinstance(value, list) and isinstance(here.get("items"), dict):
            stack.extend(((*path, index), here["items"], item) for index, item in enumerate(value))
        elif (
            here.get("type") in ("integer", ["integer", "null"])
            and isinstance(value, float)
            and value.is_integer()
            and abs(value) < 2**53
        ):
            message = f"{_of(tool, path)} is {value!r}, expected an integer: {int(value)}"
            yield Problem("integral", path, message, int(value))


def _branch(root: Any, schema: Any, value: Any) -> Any:
    """The most specific schema for a value: follows ``$ref``, and chooses the only matching branch of ``anyOf``."""
    schema = _resolved(root, schema)
    if isinstance(schema, dict) and "properties" not in schema:
        branches = schema.get("anyOf") or schema.get("oneOf")
        if isinstance(branches, list):
            resolved = [_resolved(root, branch) for branch in branches]
            fitting = [branch for branch in resolved if _fits(value, set(_accepted(branch)))]
            return fitting[0] if len(fitting) == 1 else None
    return schema


def _resolved(root: Any, schema: Any) -> Any:
    for _ in range(8):
        reference = schema.get("$ref") if isinstance(schema, dict) else None
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return schema
        schema = target_of(root, reference)
    return None


def _optional(root: Any, path: ValuePath) -> bool:
    """Whether the schema allows the argument at a path to be absent."""
    if not isinstance(path[-1], str):
        return False
    schema: Any = _resolved(root, root)
    for part in path[:-1]:
        if isinstance(schema, dict) and isinstance(schema.get("anyOf"), list):
            objects = [b for b in (_resolved(root, b) for b in schema["anyOf"]) if _fits({}, set(_accepted(b)))]
            schema = objects[0] if len(objects) == 1 else None
        if not isinstance(schema, dict):
            return False
        schema = _resolved(root, schema.get("items") if isinstance(part, int) else properties_of(schema).get(part))
    required = schema.get("required") if isinstance(schema, dict) else ()
    return isinstance(schema, dict) and not (isinstance(required, list) and path[-1] in required)


def _by_pattern(schema: dict[str, Any], name: str) -> bool:
    """Whether ``patternProperties`` match a name."""
    patterns = schema.get("patternProperties")
    if not isinstance(patterns, dict):
        return False
    try:
        return any(search(pattern, name) for pattern in patterns)
    except (re.error, Unaffordable):
        return True


def _types(expected: Any) -> list[str]:
    return [str(kind) for kind in expected] if isinstance(expected, list) else [str(expected)]


def _accepted(schema: Any) -> list[str]:
    """The types that a schema accepts, as far as it names them itself."""
    if not isinstance(schema, dict):
        return []
    if "type" in schema:
        return _types(schema["type"])
    values = schema["enum"] if isinstance(schema.get("enum"), list) else [schema["const"]] if "const" in schema else []
    return [type_of(value) for value in values]


def _fits(value: Any, types: set[str]) -> bool:
    kind = type_of(value)
    return (
        kind in types
        or (kind == "integer" and "number" in types)
        or (kind == "number" and "integer" in types and float(value).is_integer())
    )


def _read(text: str, expected: list[str]) -> Any:
    """The value of an expected type that a text represents; ``None`` if it represents none."""
    stripped = text.strip()
    if "integer" in expected and _INTEGER.fullmatch(stripped):
        return int(stripped)
    if "number" in expected and _NUMBER.fullmatch(stripped):
        return int(stripped) if _INTEGER.fullmatch(stripped) else float(stripped)
    if "boolean" in expected and stripped.lower() in ("true", "false"):
        return stripped.lower() == "true"
    wanted = tuple(kind for name, kind in (("array", list), ("object", dict)) if name in expected)
    if wanted and stripped[:1] in ("[", "{"):
        try:
            value = lenient_json.read(stripped)
        except lenient_json.Unreadable:
            return None
        return value.value if value.end == len(stripped) and isinstance(value.value, wanted) else None
    return None


def _of(tool: str, path: ValuePath) -> str:
    return f"argument {_spelled(path)} of {tool}" if path else f"the arguments of {tool}"


def _spelled(path: ValuePath) -> str:
    """A path in readable form: ``passengers[0].name``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text
