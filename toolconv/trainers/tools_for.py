"""Schemas of tools as an API takes them: ``--tools-for gemini``, ``openai-strict`` or ``anthropic``.

A schema is rewritten so that it accepts the same arguments. Where the API's schemas can't say the same, it accepts
more, or fewer, and that is named.

Source: Gemini API, ``Schema`` (google-genai 3.6, ``types.Schema``); OpenAI, structured outputs, supported schemas;
Anthropic, tool use, ``input_schema``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from toolconv.core.conversation import Conversation
from toolconv.core.json_pointer import target_of
from toolconv.core.notes import Reason
from toolconv.core.schema_types import without_odd_values
from toolconv.core.tools import function_of

Schema = dict[str, Any]

REWRITTEN: Final = "schema_rewritten"
"""The repair of a tool whose schema is written otherwise and accepts the same."""
CHANGES: Final[Mapping[str, str]] = {
    "schema_widened": "the schema of a tool accepts more than before, as the API has no word for a condition",
    "schema_narrowed": "the schema of a tool accepts fewer arguments than before, as the API demands",
}
"""The meaning of each loss."""

ANNOTATIONS: Final = frozenset({
    "$schema", "$id", "$anchor", "$comment", "title", "description", "default", "example", "examples", "deprecated",
    "readOnly", "writeOnly", "contentMediaType", "contentEncoding", "propertyOrdering", "$defs", "definitions",
})  # fmt: skip
"""Keys that decide nothing."""
REST_OF: Final[Mapping[str, str]] = {"prefixItems": "items", "patternProperties": "additionalProperties"}
"""Keys, and the key that holds for what they don't name: without them, it would hold for more."""
CLOSING: Final = frozenset({"additionalProperties", "unevaluatedProperties"})
"""Keys that say which other members an object may have."""
MAX_SCHEMAS: Final = 5_000
"""How many schemas a tool may have once references are written out: each may be referred to many times."""
Open = frozenset[str]
"""The references that are being written out: one that leads to itself has no end."""


class _Rewriter:
    """Rewrites the schema of one tool; ``changes`` are what it then accepts otherwise, each a name and a sentence."""

    keys: frozenset[str]
    """The keys that the API knows."""

    def __init__(self, root: Schema) -> None:
        self.root = root
        self.changes: list[tuple[str, str]] = []
        self.room = MAX_SCHEMAS

    def widen(self, why: str) -> None:
        self.changes.append(("schema_widened", why))

    def narrow(self, why: str) -> None:
        self.changes.append(("schema_narrowed", why))

    def whole(self) -> Schema:
        """The whole schema, rewritten."""
        return self.node(self.root, frozenset())

    def node(self, schema: Any, within: Open) -> Schema:
        """A schema, rewritten."""
        raise NotImplementedError

    def inlined(self, schema: Any, within: Open) -> tuple[Schema, Open] | None:
        """A schema without ``$ref``, and what was written out; ``None`` if it refers to itself, or nowhere."""
        self.room -= 1
        while isinstance(schema, dict) and isinstance(reference := schema.get("$ref"), str):
            target = target_of(self.root, reference)
            if not isinstance(target, dict) or reference in within or self.room < 0:
                return None
            within |= {reference}
            schema = self.merged(target, _without(schema, "$ref"))
        if schema is True:
            return {}, within
        return (schema, within) if isinstance(schema, dict) else None

    def merged(self, one: Schema, other: Schema) -> Schema:
        """A schema that accepts what both do, as far as possible without ``allOf``."""
        if any(
            CLOSING & closed.keys() and _named(open_) - _named(closed) for closed, open_ in ((one, other), (other, one))
        ):
            self.widen("members of one schema that another one closes are accepted")
        result = dict(one)
        for key, value in other.items():
            if key not in result or key in ANNOTATIONS:
                result[key] = value
            elif key == "required" and isinstance(value, list) and isinstance(result[key], list):
                result[key] = list(dict.fromkeys([*result[key], *value]))
            elif key == "properties" and isinstance(value, dict) and isinstance(result[key], dict):
                both = result[key].keys() & value.keys()
                result[key] = {**result[key], **value}
                for name in sorted(name for name in both if one[key][name] != value[name]):
                    self.widen(f"of two schemas for {name!r} the API takes one")
            elif result[key] != value:
                self.widen(f"of two values of {key!r} the API takes one")
                result[key] = value
        return result

    def without_all_of(self, schema: Schema, within: Open) -> tuple[Schema, Open]:
        """A schema whose ``allOf`` is merged into it, and what was written out."""
        parts = schema.get("allOf")
        if not isinstance(parts, list):
            return schema, within
        result = _without(schema, "allOf")
        for part in parts:
            if (found := self.inlined(part, within)) is None:
                self.widen("a part of 'allOf' can't be written")
            else:
                whole, within = self.without_all_of(*found)
                result = self.merged(result, whole)
        return result, within

    def without_one_of(self, schema: Schema) -> Schema:
        """A schema whose ``oneOf`` is ``anyOf``."""
        choices = schema.get("oneOf")
        if not isinstance(choices, list) or "anyOf" in schema:
            return schema
        kinds = [choice.get("type") if isinstance(choice, dict) else None for choice in choices]
        if (
            not all(isinstance(kind, str) for kind in kinds)
            or len(set(kinds)) < len(kinds)
            or {"integer", "number"} <= set(kinds)
        ):
            self.widen("'oneOf' is written as 'anyOf': more than one of them may match")
        return {("anyOf" if key == "oneOf" else key): value for key, value in schema.items()}

    def elements(self, schema: Schema) -> Schema:
        """A schema whose ``items`` are one schema."""
        items = schema.get("items")
        if items is None or isinstance(items, dict):
            return schema
        rest = _without(schema, "items")
        if items is False and "prefixItems" not in schema:
            return {**rest, "maxItems": 0}
        if items is not True:
            self.widen("'items' can only be one schema")
        return rest

    def members(self, schema: Schema, within: Open) -> Schema:
        """A schema with the schemas in it rewritten."""
        result = dict(schema)
        if isinstance(schema.get("properties"), dict):
            result["properties"] = {name: self.node(each, within) for name, each in schema["properties"].items()}
        for key in ("items", "additionalProperties"):
            if isinstance(schema.get(key), dict):
                result[key] = self.node(schema[key], within)
        if isinstance(schema.get("anyOf"), list):
            result["anyOf"] = [self.node(each, within) for each in schema["anyOf"]]
        return result

    def known(self, schema: Schema) -> Schema:
        """A schema without the keys that the API doesn't know, and those that say what holds for the rest."""
        unknown = [key for key in schema if key not in self.keys and key not in ANNOTATIONS]
        for key in unknown:
            self.widen(f"the API has no {key!r}")
        left_out = {REST_OF[key] for key in unknown if key in REST_OF}
        return {key: value for key, value in schema.items() if key in self.keys and key not in left_out}

    def as_object(self) -> Schema:
        """The whole schema as that of an object, without choices or references at its top."""
        found = self._inlined(self.root)
        found |= {key: self.root[key] for key in ("$defs", "definitions") if key in self.root}
        found = self.without_one_of(self.without_all_of(found, frozenset())[0])
        if isinstance(choices := found.get("anyOf"), list):
            rest = _without(found, "anyOf")
            found = self.merged(rest, self._any(choices))
        if "object" not in (found.get("type") or "object"):
            self.widen("arguments are an object, whatever type the schema has")
        if found.get("type") != "object":
            found = {"type": "object", **_without(found, "type")}
        return self._with_references(found)

    def _with_references(self, found: Schema) -> Schema:
        """The whole schema, in which references to what is otherwise at its top now lead to a copy of that."""
        moved = {
            each for each in _references(found) if target_of(self.root, each) not in (None, target_of(found, each))
        }
        if not moved:
            return found
        name = _free_name(self.root.get("$defs") or {})
        places = {each: f"#/$defs/{name}{each[1:]}" for each in moved}
        copied = _without(self.root, "$defs", "definitions")
        definitions = {**(found.get("$defs") or {}), name: copied}
        whole: Schema = _referring({**found, "$defs": definitions}, places)
        return whole

    def _inlined(self, schema: Any) -> Schema:
        found = self.inlined(schema, frozenset())
        return dict(found[0]) if found is not None else {}

    def _any(self, choices: list[Any]) -> Schema:
        """One object in place of several to choose from."""
        self.widen("'anyOf' of whole objects is written as one object with the properties of all")
        members: dict[str, list[Any]] = {}
        needed: set[str] | None = None
        objects = [*map(self._inlined, choices)]
        for choice in objects:
            for name, each in (choice.get("properties") or {}).items():
                if each not in members.setdefault(name, []):
                    members[name].append(each)
            required = set(choice.get("required") or ())
            needed = required if needed is None else needed & required
        properties = {name: each[0] if len(each) == 1 else {"anyOf": each} for name, each in members.items()}
        for name, each in properties.items():
            if each not in ({}, True) and any(_is_open_to(name, choice) for choice in objects):
                self.narrow(f"{name!r} is as one of several objects declares it: another one accepts any value")
        return {"properties": properties, **({"required": sorted(needed)} if needed else {})}


def _named(schema: Schema) -> set[tuple[str, str]]:
    """The members, and the patterns of members, that a schema of an object names."""
    found = ((key, schema.get(key)) for key in ("properties", "patternProperties"))
    return {(key, name) for key, members in found if isinstance(members, dict) for name in members}


class _Gemini(_Rewriter):
    keys = frozenset({
        "additionalProperties", "anyOf", "default", "description", "enum", "example", "format", "items", "maxItems",
        "maxLength", "maxProperties", "maximum", "minItems", "minLength", "minProperties", "minimum", "nullable",
        "pattern", "properties", "propertyOrdering", "required", "title", "type",
    })  # fmt: skip

    def node(self, schema: Any, within: Open) -> Schema:
        if (found := self.inlined(schema, within)) is None:
            self.widen("a schema that refers to itself, or that accepts nothing, can't be written")
            return {}
        schema, within = self.without_all_of(*found)
        schema = self.without_one_of(schema)
        schema = self._null_apart(self._bounds(self._enum(self._const(self.elements(schema)))))
        return self.known(self.members(schema, within))

    def _const(self, schema: Schema) -> Schema:
        if "const" not in schema:
            return schema
        value = schema["const"]
        rest = _without(schema, "const")
        if isinstance(value, str):
            return {**rest, "type": "string", "enum": [value]}
        if value is None:
            return {**rest, "type": "null"}
        if isinstance(value, int | float) and not isinstance(value, bool):
            kind = "integer" if value == int(value) else "number"
            return {**rest, "type": kind, "minimum": value, "maximum": value}
        self.widen("'const' can only be a text or a number")
        return {**rest, "type": "boolean"} if isinstance(value, bool) else rest

    def _enum(self, schema: Schema) -> Schema:
        values = schema.get("enum")
        if not isinstance(values, list) or all(isinstance(value, str) for value in values):
            return schema
        texts = [value for value in values if value is not None]
        if texts and all(isinstance(value, str) for value in texts):
            kinds = schema.get("type", ["string", "null"])
            rest = {**schema, "enum": texts, "type": "string"}
            return {**rest, "nullable": True} if "null" in kinds else rest
        self.widen("'enum' can only hold texts")
        return _without(schema, "enum")

    def _bounds(self, schema: Schema) -> Schema:
        for key, bound, step in (("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)):
            value = schema.get(key)
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            rest = _without(schema, key)
            whole = schema.get("type") == "integer"
            limit = (math.floor(value) + 1 if step > 0 else math.ceil(value) - 1) if whole else value
            if not whole:
                self.widen(f"{key!r} is written as {bound!r}: the bound itself is accepted, too")
            if bound in rest:
                limit = max(limit, rest[bound]) if step > 0 else min(limit, rest[bound])
            schema = {**rest, bound: limit}
        return schema

    def _null_apart(self, schema: Schema) -> Schema:
        """A schema whose types are one, and whose null is ``nullable``."""
        kinds = schema.get("type")
        if isinstance(kinds, list):
            others = [kind for kind in kinds if kind != "null"]
            rest = _without(schema, "type")
            if len(others) == 1:
                return {**rest, "type": others[0], **({"nullable": True} if "null" in kinds else {})}
            if "anyOf" in rest:
                self.widen("a list of types beside 'anyOf' can't be written")
                return rest
            shared = {key: value for key, value in rest.items() if key in ANNOTATIONS}
            own = {key: value for key, value in rest.items() if key not in ANNOTATIONS}
            return {**shared, "anyOf": [{"type": kind, **(own if kind != "null" else {})} for kind in kinds]}
        choices = schema.get("anyOf")
        if isinstance(choices, list) and len(choices) == 2 and {"type": "null"} in choices:
            inner = next((each for each in choices if each != {"type": "null"}), None)
            beside = _without(schema, "anyOf")
            if isinstance(inner, dict) and "$ref" not in inner and "enum" not in inner and beside.keys() <= ANNOTATIONS:
                return self._null_apart({**inner, **beside, "nullable": True})
        return schema


class _OpenAIStrict(_Rewriter):
    keys = frozenset({
        "$ref", "$defs", "definitions", "type", "properties", "required", "additionalProperties", "items", "anyOf",
        "enum", "const", "description", "title", "pattern", "format", "multipleOf", "minimum", "maximum",
        "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems",
    })  # fmt: skip

    def whole(self) -> Schema:
        self.root = self.as_object()
        schema = super().whole()
        for key in ("$defs", "definitions"):
            if isinstance(self.root.get(key), dict):
                schema[key] = {name: self.node(each, frozenset()) for name, each in self.root[key].items()}
        places: dict[str, str] = {}
        while missing := [each for each in dict.fromkeys(_references(schema)) if target_of(schema, each) is None]:
            copies = dict(schema.get("$defs") or {})
            for each in missing:
                name = _free_name(copies)
                copies[name] = self.node(target_of(self.root, each), frozenset())
                places[each] = f"#/$defs/{name}"
            schema = _referring({**schema, "$defs": copies}, places)
        return schema

    def node(self, schema: Any, within: Open) -> Schema:
        if not isinstance(schema, dict):
            if schema is not True:
                self.widen("a schema that accepts nothing can't be written")
            return {}
        if (reference := schema.get("$ref")) is not None:
            if not (isinstance(reference, str) and isinstance(target_of(self.root, reference), dict | bool)):
                self.widen("a reference leads to no schema")
                return {}
            return {key: value for key, value in schema.items() if key in ("$ref", "description")}
        found, within = self.without_all_of(schema, within)
        return self._closed(self.known(self.members(self.elements(self.without_one_of(found)), within)))

    def _closed(self, schema: Schema) -> Schema:
        """An object that has all its properties, and no others."""
        members = schema.get("properties")
        if not isinstance(members, dict) and "object" not in (schema.get("type") or ()):
            return schema
        members = members if isinstance(members, dict) else {}
        if schema.get("additionalProperties") is not False:
            self.narrow("other keys than the declared ones are refused")
        needed = schema.get("required") if isinstance(schema.get("required"), list) else []
        if optional := [name for name in members if name not in (needed or [])]:
            self.narrow(f"{', '.join(map(repr, optional))} must be given: null stands for none")
        properties = {name: _or_null(each) if name in optional else each for name, each in members.items()}
        return {**schema, "properties": properties, "required": [*members], "additionalProperties": False}


def _or_null(schema: Schema) -> Schema:
    """A schema that also accepts null."""
    kind = schema.get("type")
    if "enum" in schema and None not in schema["enum"]:
        schema = {**schema, "enum": [*schema["enum"], None]}
    if isinstance(kind, str) and "const" not in schema and "anyOf" not in schema:
        return {**schema, "type": [kind, "null"]} if kind != "null" else schema
    if isinstance(kind, list) and "const" not in schema and "anyOf" not in schema:
        return {**schema, "type": [*kind, *(() if "null" in kind else ("null",))]}
    if not schema.keys() - ANNOTATIONS:
        return schema
    return {"anyOf": [schema, {"type": "null"}]}


class _Anthropic(_Rewriter):
    keys = frozenset()

    def whole(self) -> Schema:
        return self.as_object()


COPY: Final = "copy"
"""The name of a definition that is a copy of another place in the schema."""
VALUES: Final = frozenset({"const", "enum", "default", "example", "examples"})
"""Keys that hold values, not schemas."""


def _free_name(definitions: Mapping[str, Any]) -> str:
    """A name that no definition has."""
    name = COPY
    while name in definitions:
        name += "_"
    return name


def _references(schema: Any) -> Iterator[str]:
    """The references in a schema."""
    if isinstance(schema, list):
        for each in schema:
            yield from _references(each)
    elif isinstance(schema, dict):
        if isinstance(reference := schema.get("$ref"), str):
            yield reference
        for key, each in schema.items():
            if key not in VALUES:
                yield from _references(each)


def _referring(schema: Any, places: Mapping[str, str]) -> Any:
    """A schema with references that lead to other places."""
    if isinstance(schema, list):
        return [_referring(each, places) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: places.get(each, each)
        if key == "$ref" and isinstance(each, str)
        else each
        if key in VALUES
        else _referring(each, places)
        for key, each in schema.items()
    }


def _is_open_to(name: str, schema: Schema) -> bool:
    """Whether an object accepts a member that it does not declare."""
    closed = schema.get("additionalProperties") is False and "patternProperties" not in schema
    return name not in (schema.get("properties") or {}) and not closed


def _without(schema: Schema, *keys: str) -> Schema:
    return {key: value for key, value in schema.items() if key not in keys}


TARGETS: Final[Mapping[str, Callable[[Schema], _Rewriter]]] = {
    "gemini": _Gemini,
    "openai-strict": _OpenAIStrict,
    "anthropic": _Anthropic,
}
"""What rewrites schemas, by the name of the option."""


def rewritten(schema: Schema, target: str) -> tuple[Schema, list[tuple[str, str]]]:
    """A schema as an API takes it, and what it then accepts otherwise: names of losses, each with a sentence."""
    odd: list[str] = []
    rewriter = TARGETS[target](without_odd_values(schema, odd))
    for key in odd:
        rewriter.widen(f"{key!r} has a value that JSON Schema does not know")
    return rewriter.whole(), rewriter.changes


def rewrite_tools(conversation: Conversation, target: str) -> None:
    """Rewrite the schemas of a conversation's tools, and note what that changes."""
    tools = [*_rewritten_tools(conversation, target)]
    if tools != conversation.tools:
        conversation.row = {**conversation.row, "tools": tools}


def _rewritten_tools(conversation: Conversation, target: str) -> Iterator[Any]:
    notes = conversation.notes
    for tool in conversation.tools:
        function = function_of(tool)
        schema = function.get("parameters") if function is not None else None
        if function is None or not isinstance(schema, dict):
            yield tool
            continue
        found, changes = rewritten(schema, target)
        strict = {"strict": True} if target == "openai-strict" else {}
        if changes:
            name = function.get("name")
            notes.losses += [loss for loss, _ in changes]
            notes.reasons += [Reason(loss, f"{name}: {sentence}") for loss, sentence in changes]
        elif found != schema:
            notes.repairs.append(REWRITTEN)
        written = {**function, "parameters": found, **strict}
        yield {**tool, "function": written} if "function" in tool else written
