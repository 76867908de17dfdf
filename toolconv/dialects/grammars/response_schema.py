"""Formats that an early ``response_schema`` of Transformers describes: a JSON schema that cuts a turn into its parts.

Each node of the schema gets a text, or a part of a value that a node above has read. ``x-regex`` cuts out a part of a
text (named groups make an object), ``x-regex-iterator`` a list of parts, ``x-regex-key-value`` an object, ``x-parser``
reads JSON; then the properties or the items of the node get the result. An object that is still text passes it to all
of its properties.

Source: Transformers 5.0's guide to response parsing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from toolconv.core.calls import NotACall
from toolconv.core.notes import Dropped
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.grammars.response_content import parsed
from toolconv.dialects.grammars.response_template import REASONING_FIELDS, call_of
from toolconv.dialects.reading.turn_parser import Parsed, TurnParser

DELIMITED: Final = {"unquoted_keys": True, "string_delims": [['<|"|>', '<|"|>']]}
"""How the parser ``gemma4-tool-call`` reads JSON."""


class ResponseSchema(Dialect):
    """The format that a response schema describes; it is only read.

    Attributes:
        schema: the schema of an assistant message.
    """

    schema: dict[str, Any]

    @property
    def markers(self) -> tuple[str, ...]:
        return ()

    def find_calls(self, parser: TurnParser) -> None:
        """Nothing: the schema describes whole turns, which :meth:`parse_own` reads."""

    def parse_own(
        self,
        text: str,
        tools: ToolIndex = NO_TOOLS,
        in_reasoning: bool | None = None,
        *,
        rest: Callable[[TurnParser], None] | None = None,
        mend: bool = True,
    ) -> Parsed:
        """Read a turn. If the schema doesn't fit it, all of it is prose."""
        repairs: list[str] = []
        try:
            message = read(text, self.schema, repairs)
            if not isinstance(message, dict):
                return Parsed(text)
            items = message.get("tool_calls") or []
            calls = [call_of(tools, item, repairs, texts=True) for item in items]
        except (NotACall, TypeError, ValueError) as error:
            return Parsed(text, dropped=[Dropped(str(error), text)])
        texts = {key: member for key, member in message.items() if isinstance(member, str)}
        content = texts.get("content", "")
        reasoning = next((texts[key] for key in REASONING_FIELDS if texts.get(key)), None)
        if not content and not reasoning and not calls:
            return Parsed(text)
        return Parsed(content, reasoning, calls, repairs)


def from_schema(schema: Any, name: str = "hf") -> Dialect:
    """The dialect that a response schema describes.

    Raises:
        ValueError: it isn't a response schema, or one that can't be read here.
    """
    if not isinstance(schema, dict):
        raise ValueError("a response schema must be an object")
    _check(schema)
    return ResponseSchema(name=name, models=("any model whose tokenizer has a response_schema",), schema=schema)


def _check(node: dict[str, Any]) -> None:
    """Check the patterns and the parsers of a schema.

    Raises:
        ValueError: one of them is not one.
    """
    patterns: list[tuple[str, Any]] = [
        (key, node[key]) for key in ("x-regex", "x-regex-iterator", "x-regex-key-value") if key in node
    ]
    patterns += [("x-regex-substitutions", pattern) for pattern, _ in node.get("x-regex-substitutions", ())]
    for key, pattern in patterns:
        try:
            groups = re.compile(pattern).groupindex
        except (re.error, TypeError) as error:
            raise ValueError(f"{key!r} of a response schema is not a valid pattern: {error}") from None
        if key == "x-regex-key-value" and not {"key", "value"} <= groups.keys():
            raise ValueError(f"{key!r} of a response schema needs the groups 'key' and 'value'")
    if node.get("x-parser") not in (None, "json", "gemma4-tool-call"):
        raise ValueError(f"a response schema with the unknown parser {node['x-parser']!r}")
    if "transform" in node.get("x-parser-args", {}):
        _search()
    for child in (*node.get("properties", {}).values(), node.get("items"), node.get("additionalProperties")):
        if isinstance(child, dict):
            _check(child)


def _search() -> Callable[[str, Any], Any]:
    """The function that applies a ``transform``."""
    try:
        import jmespath
    except ImportError:
        raise ValueError(
            "the 'transform' of a response schema needs the package jmespath: pip install jmespath"
        ) from None
    search: Callable[[str, Any], Any] = jmespath.search
    return search


def read(value: Any, node: dict[str, Any], repairs: list[str]) -> Any:
    """The value of a node of the schema; ``None`` if the text has none.

    Args:
        value: the text, or the part of a value, that the node gets.
        node: the node.
        repairs: takes the names of repairs.

    Raises:
        ValueError, TypeError: the value doesn't have the shape that the node wants.
    """
    if "const" in node:
        return node["const"]
    if isinstance(value, str):
        value = _cut(value, node, repairs)
        if isinstance(value, str) and "x-parser" in node:
            value = _json(value, node, repairs)
    if value is None:
        return None
    kind = node.get("type")
    if kind == "object":
        return _object(value, node, repairs)
    if kind == "array":
        items = node.get("items")
        if not isinstance(value, list) or not isinstance(items, dict):
            raise ValueError("no list where the response schema wants one")
        return [read(item, items, repairs) for item in value]
    if kind in ("integer", "number", "boolean") and isinstance(value, str):
        return parsed(value, {"integer": "int", "number": "float", "boolean": "bool"}[kind], {}, repairs)
    return value


def _cut(text: str, node: dict[str, Any], repairs: list[str]) -> Any:
    """What the patterns of a node cut out of a text: a text, an object, a list; ``None`` if they match nothing."""
    for pattern, replacement in node.get("x-regex-substitutions", ()):
        text = re.sub(pattern, replacement, text, flags=re.DOTALL)
    value: Any = text
    if "x-regex" in node:
        match = re.search(node["x-regex"], text, re.DOTALL)
        if match is None:
            return None
        value = _groups(match)
    if "x-regex-iterator" in node:
        return [_groups(match) for match in re.finditer(node["x-regex-iterator"], value, re.DOTALL)] or None
    if "x-regex-key-value" in node:
        matches = [*re.finditer(node["x-regex-key-value"], value, re.DOTALL)]
        members = {match["key"]: match["value"] for match in matches}
        repairs += ["duplicate_key"] * (len(matches) - len(members))
        return members or None
    return value


def _groups(match: re.Match[str]) -> Any:
    """The named groups that matched as an object, or else the only group."""
    named = {name: text for name, text in match.groupdict().items() if text is not None}
    return named or (match[1] if match.re.groups else match[0])


def _json(text: str, node: dict[str, Any], repairs: list[str]) -> Any:
    options = node.get("x-parser-args", {})
    try:
        value = parsed(text, "json", DELIMITED if node["x-parser"] == "gemma4-tool-call" else {}, repairs)
    except NotACall:
        if not options.get("allow_non_json"):
            raise
        value = text
    return _search()(options["transform"], value) if "transform" in options else value


def _object(value: Any, node: dict[str, Any], repairs: list[str]) -> dict[str, Any]:
    properties = node.get("properties", {})
    if isinstance(value, str) and properties:
        value = dict.fromkeys(properties, value)
    if not isinstance(value, dict):
        raise ValueError("no object where the response schema wants one")
    found = {
        key: read(value[key], child, repairs) if key in value else child.get("const", child.get("default"))
        for key, child in properties.items()
    }
    found = {key: member for key, member in found.items() if member is not None or value.get(key, key) is None}
    others = node.get("additionalProperties", {})
    if others is not False:
        child = others if isinstance(others, dict) else {}
        found |= {key: read(member, child, repairs) for key, member in value.items() if key not in properties}
    return found
