"""JSON Schema as rules of a GBNF grammar: the values that a schema allows, as JSON.

Kept are types, properties and which of them are required, items, ``enum``, ``const``, unions and local references.
Properties come in the order in which they are declared. A grammar can't hold numbers to bounds, texts to patterns or
formats, and members to conditions: those are left out, so it allows more than the schema does.

Source: llama.cpp, ``grammars/README.md``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.json_pointer import target_of
from toolconv.core.schema_types import types_of
from toolconv.dialects.values.python_values import spell_double, spell_single

PRIMITIVES: Final = {
    "string": r'"\"" char* "\""',
    "integer": r'"-"? ("0" | [1-9] [0-9]{0,15})',
    "number": r'"-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,3})?',
    "boolean": '"true" | "false"',
    "null": '"null"',
}
CHARACTER: Final = r'[^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})'

PYTHON: Final = {"boolean": '"True" | "False"', "null": '"None"'}
"""Values that Python spells otherwise."""
MAX_OPTIONAL: Final = 24
"""Where all of more properties than this are optional, the first of those that are given is one of the first."""


def literal(text: str) -> str:
    """A text as a literal of the grammar."""
    return jsontext.compact(text).replace("\\b", "\\x08").replace("\\f", "\\x0C")


class SchemaRules:
    """Collects the rules for values of schemas.

    Args:
        comma, colon: what is written between members, and between a key and its value.
        quote: for values as Python spells them, what encloses texts; empty for JSON.

    Attributes:
        rules: the rules so far, by name.
    """

    def __init__(self, comma: str = ", ", colon: str = ": ", quote: str = "") -> None:
        self.comma, self.colon = literal(comma), literal(colon)
        self._quote = quote
        self._spell: Callable[[Any], str] = {"'": spell_single, '"': spell_double}.get(quote, jsontext.spaced)
        self.rules: dict[str, str] = {}
        self._named: dict[str, str] = {}

    def add(self, name: str, rule: str) -> str:
        """Add a rule; its name, with a number if another rule has that name."""
        name = re.sub(r"[^a-zA-Z0-9-]+", "-", name).strip("-") or "rule"
        free, number = name, 1
        while free in self.rules and self.rules[free] != rule:
            number += 1
            free = f"{name}-{number}"
        self.rules[free] = rule
        return free

    def value(self, schema: Any, name: str, root: Any = None) -> str:
        """The name of the rule for the values that a schema allows.

        Args:
            schema: the schema.
            name: a name for the rule.
            root: the schema that local references refer to; ``None`` for ``schema`` itself.
        """
        root = schema if root is None else root
        if not isinstance(schema, dict) or not schema:
            return self._any()
        reference = schema.get("$ref")
        if isinstance(reference, str):
            return self._referred(reference, name, root)
        if "const" in schema or isinstance(schema.get("enum"), list):
            values = [schema["const"]] if "const" in schema else schema["enum"]
            return self.add(name, " | ".join(literal(self._spell(value)) for value in values) or '""')
        for union in ("anyOf", "oneOf"):
            if isinstance(schema.get(union), list) and schema[union]:
                names = [self.value(each, f"{name}-{at}", root) for at, each in enumerate(schema[union])]
                return self.add(name, " | ".join(dict.fromkeys(names)))
        kinds = types_of(schema, root)
        if not kinds:
            return self._any()
        names = [self._of_type(kind, schema, name, root) for kind in sorted(kinds) if kind in _KINDS]
        return names[0] if len(names) == 1 else self.add(name, " | ".join(names))

    def _of_type(self, kind: str, schema: dict[str, Any], name: str, root: Any) -> str:
        if kind == "object":
            return self._object(schema, name, root)
        if kind == "array":
            item = self.value(schema.get("items"), f"{name}-item", root)
            return self.add(f"{name}-list", f'"[" ({item} ({self.comma} {item})*)? "]"')
        return self.primitive(kind)

    def primitive(self, kind: str) -> str:
        """The name of the rule for a type without members."""
        rule = PRIMITIVES[kind]
        if kind == "string":
            self.rules["char"] = CHARACTER
        if self._quote:
            rule = PYTHON.get(kind, rule)
            if kind == "string":
                self.rules["char"] = rf'[^{self._quote}\\\x00-\x1F] | "\\" [{self._quote}\\nrt]'
                rule = f"{literal(self._quote)} char* {literal(self._quote)}"
        self.rules[kind] = rule
        return kind

    def _any(self) -> str:
        """The name of the rule for any value."""
        if "value" not in self.rules:
            self.rules["value"] = ""
            member = f"{self.primitive('string')} {self.colon} value"
            self.rules["object"] = f'"{{" ({member} ({self.comma} {member})*)? "}}"'
            self.rules["array"] = f'"[" (value ({self.comma} value)*)? "]"'
            kinds = [self.primitive(kind) for kind in PRIMITIVES]
            self.rules["value"] = " | ".join(["object", "array", *kinds])
        return "value"

    def _referred(self, reference: str, name: str, root: Any) -> str:
        """The name of the rule for a local reference; any value for others."""
        if reference in self._named:
            return self._named[reference]
        target = target_of(root, reference)
        if not isinstance(target, dict):
            return self._any()
        self._named[reference] = rule = self.add(f"{name}-{len(self._named)}-ref", "")
        self.rules[rule] = self.value(target, f"{rule}-value", root)
        return rule

    def _object(self, schema: dict[str, Any], name: str, root: Any) -> str:
        properties = schema.get("properties")
        if not isinstance(properties, dict) or not properties:
            self._any()
            return "object" if schema.get("additionalProperties") is not False else self.add(name, '"{}"')
        members = [
            (
                f"{literal(self._spell(key))} {self.colon} {self.value(child, f'{name}-{key}', root)}",
                key in (schema.get("required") or ()),
            )
            for key, child in properties.items()
        ]
        return self.add(f"{name}-object", f'"{{" {self.in_order(members, self.comma, name)} "}}"')

    def in_order(self, members: list[tuple[str, bool]], between: str, name: str) -> str:
        """Members in order, of which those that aren't required may be left out.

        Args:
            members: each with whether it is required.
            between: what is between two members, as a part of a rule.
            name: a name for the rules of optional members.
        """
        required = [member for member, is_required in members if is_required]
        if required:
            first = [is_required for _, is_required in members].index(True)
            before = " ".join(f"({member} {between})?" for member, _ in members[:first])
            after = " ".join(
                f"{between} {member}" if is_required else f"({between} {member})?"
                for member, is_required in members[first + 1 :]
            )
            return f"{before} {members[first][0]} {after}".strip()
        rest = ""
        for number, (member, _) in reversed(list(enumerate(members[:MAX_OPTIONAL]))):
            following = " ".join(f"({between} {other})?" for other, _ in members[number + 1 :])
            rest += f"{' | ' if rest else ''}{self.add(f'{name}-from-{number}', f'{member} {following}'.strip())}"
        return f"({rest})?"


_KINDS: Final = frozenset({*PRIMITIVES, "object", "array"})
