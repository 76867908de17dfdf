"""Compare a call that a model wrote with a call that is right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

from toolconv.core.rows import same
from toolconv.core.schema_types import subschema, types_of
from toolconv.core.tools import ToolIndex
from toolconv.core.type_names import type_of
from toolconv.score.expected import Call, ExpectedCall
from toolconv.score.levels import Levels
from toolconv.score.values import Accepted, kind_of, leniencies, levels_of

DifferenceKind = Literal["name", "missing", "extra", "value", "type", "order", "undeclared", "required"]

ABSENT: Final = object()
"""The value of a side that has none."""

_NAME_MARKS: Final = str.maketrans({".": "_", "-": "_"})


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One difference between a call and the call that is right.

    Attributes:
        kind: ``name``; ``missing`` or ``extra``, an argument; ``value`` or ``type``, of an argument; ``undeclared``, an
            argument that the tool doesn't declare; ``required``, one that it requires and the call leaves out.
        path: the argument; empty for the name, and for arguments that are not an object.
        gold, output: the two values, or :data:`ABSENT`; of several accepted values, the first.
        levels: the levels at which the difference doesn't count.
    """

    kind: DifferenceKind
    path: str = ""
    gold: Any = ABSENT
    output: Any = ABSENT
    levels: Levels = Levels.NONE


@dataclass(frozen=True, slots=True)
class Match:
    """How a call compares with one that is right.

    Attributes:
        levels: the levels at which the call is right.
        differences: what differs, also what is forgiven at some level.
        needed: the names of what is forgiven, for a call that is right at some level.
    """

    levels: Levels
    differences: tuple[Mismatch, ...] = ()
    needed: frozenset[str] = frozenset()

    @property
    def wrong_arguments(self) -> int:
        """How many differences count at the most lenient level."""
        return sum(not difference.levels for difference in self.differences)


RIGHT: Final = Match(Levels.ALL)


class Judge:
    """Compares calls.

    Args:
        tools: the tools that the gold row declares.
        api_names: whether a ``.`` in the name of a gold call is written ``_``, as several APIs demand.
        ignored: the arguments that are not compared, as ``tool.argument``.
    """

    __slots__ = ("_function", "api_names", "ignored", "tools")

    def __init__(self, tools: ToolIndex, api_names: bool = False, ignored: frozenset[str] = frozenset()) -> None:
        self.tools = tools
        self.api_names = api_names
        self.ignored = ignored
        self._function: Callable[[str], _Function] = cache(lambda name: _Function(tools.parameters(name)))

    def is_equal(self, gold: ExpectedCall, output: Call) -> bool:
        """Whether a call is the gold call and its tool takes its arguments, so that :meth:`match` forgives nothing."""
        return (
            output.name == (self._written(gold.name) if self.api_names else gold.name)
            and not gold.listed
            and not self.ignored
            and same(gold.first.arguments, output.arguments)
            and self._function(gold.name).is_complete(output.arguments)
        )

    def match(self, gold: ExpectedCall, output: Call) -> Match:
        """How an output's call compares with one that is right."""
        if self.is_equal(gold, output):
            return RIGHT
        name = self._written(gold.name)
        differences: list[Mismatch] = []
        needed: set[str] = set()
        levels = Levels.ALL
        if output.name != name:
            levels = Levels.LENIENT if _loose(output.name) == _loose(name) else Levels.NONE
            differences.append(Mismatch("name", "", name, output.name, levels))
            needed.add("tool_name")
        for difference, leniency in self._arguments(gold, output.arguments):
            differences.append(difference)
            levels &= difference.levels
            needed |= leniency
        return Match(levels, tuple(differences), frozenset(needed) if levels and levels != Levels.ALL else frozenset())

    def _written(self, name: str) -> str:
        """The name of a gold call as an output should write it."""
        return name.replace(".", "_") if self.api_names else name

    def is_valid(self, call: Call) -> bool:
        """Whether a call is one that its tool takes: declared, with all that is required, and values of its types."""
        return call.name in self.tools and self._function(call.name).takes(call.arguments)

    def _arguments(self, gold: ExpectedCall, given: Any) -> list[tuple[Mismatch, frozenset[str]]]:
        if not isinstance(given, dict):
            if not gold.listed and same(gold.first.arguments, given):
                return []
            return [(Mismatch("type", "", gold.first.arguments, given), frozenset())]
        function = self._function(gold.name)
        found = []
        for key in (*gold.keys, *(key for key in given if key not in gold.keys)):
            if f"{gold.name}.{key}" in self.ignored or (gold.has(key, given) and function.allows(key)):
                continue
            judged = function.argument(key, gold.arguments.get(key), given.get(key, ABSENT), gold.listed)
            if judged is not None:
                found.append(judged)
        for key in function.required:
            if key not in given and key not in gold.keys and f"{gold.name}.{key}" not in self.ignored:
                found.append((Mismatch("required", key), frozenset()))
        return found


class _Function:
    """What a tool declares of its arguments."""

    def __init__(self, schema: dict[str, Any] | None) -> None:
        self.schema: dict[str, Any] = schema or {}
        self.properties: Mapping[str, Any] = subschema(self.schema, self.schema, "properties")
        self._names = self.properties.keys()
        required = self.schema.get("required")
        self.required = [key for key in required if isinstance(key, str)] if isinstance(required, list) else []
        self._needed = frozenset(self.required)
        others = self.schema.get("additionalProperties", False)
        self._fitting: set[tuple[str, type]] = set()
        self._closed = bool(self.properties) and others is False and not self.schema.get("patternProperties")

    def is_complete(self, given: Any) -> bool:
        """Whether arguments have all that is required, and nothing undeclared."""
        if not isinstance(given, dict):
            return False
        keys = given.keys()
        return keys >= self._needed and (not self._closed or keys <= self._names)

    def allows(self, key: str) -> bool:
        """Whether an argument may have this name."""
        return not self._closed or key in self._names

    def takes(self, given: Any) -> bool:
        """Whether arguments are complete, and their values have the declared types."""
        if not self.is_complete(given):
            return False
        for key, value in given.items():
            if key in self._names and (key, type(value)) not in self._fitting:
                types = types_of(self.properties[key], self.schema)
                if types is not None and types.isdisjoint(_json_types(value)):
                    return False
                self._fitting.add((key, type(value)))
        return True

    def argument(
        self, key: str, accepted: Accepted | None, value: Any, listed: bool
    ) -> tuple[Mismatch, frozenset[str]] | None:
        """The difference between an argument and its accepted values, with what is forgiven; ``None`` if none."""
        first = ABSENT if accepted is None else next(iter(accepted.values), ABSENT)
        if value is ABSENT:
            return self._left_out(key, accepted, first)
        if not self.allows(key):
            return Mismatch("undeclared", key, first, value), frozenset()
        if accepted is None:
            return self._not_in_gold(key, value, listed)
        kind = kind_of(self.properties.get(key), self.schema, value)
        levels = levels_of(value, accepted, kind)
        if levels == Levels.ALL:
            return None
        needed = leniencies(value, accepted, kind) if levels else frozenset()
        if not levels and self._is_default(key, first) and value is None and key not in self.required:
            levels, needed = Levels.LENIENT, frozenset({"null"})
        wrong_type = kind.types is not None and kind.types.isdisjoint(_json_types(value))
        return Mismatch("type" if wrong_type else "value", key, first, value, levels), needed

    def _left_out(self, key: str, accepted: Accepted | None, first: Any) -> tuple[Mismatch, frozenset[str]] | None:
        if key in self.required:
            return Mismatch("required", key, first), frozenset()
        if accepted is None or accepted.optional:
            return None
        if self._is_default(key, first):
            levels = Levels.LENIENT if accepted.listed else Levels.AST | Levels.LENIENT
            return Mismatch("missing", key, first, levels=levels), frozenset({"default"})
        if any(value is None for value in accepted.values):
            return Mismatch("missing", key, first, levels=Levels.LENIENT), frozenset({"null"})
        return Mismatch("missing", key, first), frozenset()

    def _not_in_gold(self, key: str, value: Any, listed: bool) -> tuple[Mismatch, frozenset[str]]:
        if self._is_default(key, value):
            levels = Levels.LENIENT if listed else Levels.AST | Levels.LENIENT
            return Mismatch("extra", key, output=value, levels=levels), frozenset({"default"})
        if value is None and key not in self.required:
            return Mismatch("extra", key, output=value, levels=Levels.LENIENT), frozenset({"null"})
        return Mismatch("extra", key, output=value), frozenset()

    def _is_default(self, key: str, value: Any) -> bool:
        declared = self.properties.get(key)
        return isinstance(declared, dict) and "default" in declared and same(declared["default"], value)


def _loose(name: str) -> str:
    """A tool's name without what some models add or change: a prefix, case, the marks between words."""
    return name.removeprefix("functions.").translate(_NAME_MARKS).casefold()


def _json_types(value: Any) -> frozenset[str]:
    """The names in JSON Schema of a value's type; an integer is a number, too."""
    kind = type_of(value)
    return frozenset((kind, "number") if kind == "integer" else (kind,))
