"""Compare a value that a model wrote with the values that are accepted, at each level.

The rules of the level ``ast`` are those of BFCL's checker, its oddities included: a text is compared without the
characters ``  ,./-_*^`` and without case, types are checked one level deep, an integer is fine where a number is
declared, and a value of the type of the accepted values is fine whatever type is declared (BFCL's "variables").

Source: ShishirPatil/gorilla, berkeley-function-call-leaderboard, ``bfcl_eval/eval_checker/ast_eval/ast_checker.py``.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from toolconv.core.lazy_re import lazy_re
from toolconv.core.rows import same
from toolconv.core.schema_types import subschema, types_of
from toolconv.core.type_names import TYPES, type_of
from toolconv.score.levels import Levels

LEFT_OUT: Final = ""
"""Stands among accepted values for "may be left out"."""

_STANDARD: Final = str.maketrans({**dict.fromkeys(" ,./-_*^"), "'": '"'})


@dataclass(frozen=True, slots=True)
class Accepted:
    """The values that are right for an argument.

    Attributes:
        values: the values; the members of objects, and of the objects in an array, are lists of accepted values
            themselves if the declared type is an object or an array of objects.
        listed: whether a benchmark lists them; otherwise the only value is that of a gold call.
    """

    values: tuple[Any, ...]
    listed: bool = True

    @property
    def optional(self) -> bool:
        """Whether the argument may be left out."""
        return self.listed and LEFT_OUT in self.values

    @classmethod
    def only(cls, value: Any, kind: DeclaredType) -> Accepted:
        """One accepted value, that of a gold call."""
        return cls((_listed(value, kind),), listed=False)


class DeclaredType(NamedTuple):
    """What a schema says of the type of a value.

    Attributes:
        type: JSON Schema's name; ``None`` if it does not say.
        items: the type of the items of an array; ``None`` if it does not say.
        types: all types that the schema allows; ``None`` for any.
    """

    type: str | None
    items: str | None
    types: frozenset[str] | None

    @property
    def has_members(self) -> bool:
        """Whether accepted values hold lists of accepted members."""
        return self.type == "object" or (self.type == "array" and self.items == "object")


def kind_of(schema: Any, root: Any, value: Any) -> DeclaredType:
    """What a schema says of a value's type. Of several types, the value's own counts, else the first by name.

    Args:
        schema: the schema of the value.
        root: the whole schema, for ``$ref``.
        value: the value.
    """
    types = types_of(schema, root)
    kind = _one_of(types, value)
    items = None
    if kind == "array":
        item = value[0] if isinstance(value, list) and value else None
        items = _one_of(types_of(subschema(schema, root, "items"), root), item)
    return DeclaredType(kind, items, types)


def _one_of(types: frozenset[str] | None, value: Any) -> str | None:
    if types is None:
        return None
    own = type_of(value)
    if own == "integer" and own not in types:
        own = "number"
    return own if own in types else min(types - {"null"}, default="null")


def _listed(value: Any, kind: DeclaredType) -> Any:
    """A value with its members as lists of accepted values, where the kind asks for that."""
    if kind.type == "object" and isinstance(value, dict):
        return {key: [member] for key, member in value.items()}
    if kind.type == "array" and kind.items == "object" and isinstance(value, list):
        return [_listed(item, DeclaredType("object", None, None)) for item in value]
    return value


def levels_of(value: Any, accepted: Accepted, kind: DeclaredType) -> Levels:
    """The levels at which a value is right."""
    levels = Levels.NONE
    if any(_is_exact(value, option, kind) for option in _meant(accepted)):
        levels |= Levels.EXACT
    if is_ast(value, accepted.values, kind):
        levels |= Levels.AST | Levels.LENIENT
    elif any(is_lenient(value, option, kind) for option in _meant(accepted)):
        levels |= Levels.LENIENT
    return levels


def leniencies(value: Any, accepted: Accepted, kind: DeclaredType) -> frozenset[str]:
    """The names of what is forgiven in a value that is right at some level but not exactly; the fewest possible."""
    found = []
    for option in _meant(accepted):
        needed: set[str] = set()
        if is_lenient(value, option, kind, needed):
            found.append(frozenset(needed))
    return min(found, key=len, default=frozenset({"bfcl_rule"}))


def _meant(accepted: Accepted) -> Iterable[Any]:
    """The accepted values without the mark for "may be left out"."""
    if not accepted.optional:
        return accepted.values
    return [option for option in accepted.values if option != LEFT_OUT or not isinstance(option, str)]


# ── exact ───────────────────────────────────────────────────────────────────────────────────────


def _is_exact(value: Any, option: Any, kind: DeclaredType) -> bool:
    if kind.has_members:
        return _matches(value, option, kind, lambda one, other: same(one, other))
    return same(value, option)


def _matches(value: Any, option: Any, kind: DeclaredType, equal: Callable[[Any, Any], bool]) -> bool:
    """Whether the members of an object, or of the objects of an array, are among the accepted ones."""
    if kind.type == "array":
        if not isinstance(value, list) or not isinstance(option, list) or len(value) != len(option):
            return False
        one = DeclaredType("object", None, None)
        return all(_matches(*pair, one, equal) for pair in zip(value, option, strict=True))
    if not isinstance(value, dict) or not isinstance(option, dict):
        return equal(value, option)
    return all(
        any(equal(value[key], each) for each in _options(option[key]))
        if key in value
        else LEFT_OUT in _options(option[key])
        for key in option
    ) and all(key in option for key in value)


def _options(accepted: Any) -> Sequence[Any]:
    return accepted if isinstance(accepted, list) else [accepted]


# ── as BFCL ─────────────────────────────────────────────────────────────────────────────────────


def is_ast(value: Any, accepted: Sequence[Any], kind: DeclaredType) -> bool:
    """Whether BFCL's checker accepts a value of an argument.

    Args:
        accepted: the accepted values, with the mark for "may be left out".
        kind: the declared type; a text is expected if there is none.
    """
    expected = _known(kind.type)
    if expected == "number" and type_of(value) == "integer":
        value = float(value) if abs(value) < 2**53 else value
    own, shown = type_of(value), _type_of(accepted)
    if own == expected or (expected == "number" and own == "integer"):
        if expected == "array" and kind.items is not None and not _items_fit(value, accepted, kind.items):
            return False
        variable = shown is not None and shown != expected
    elif own == shown:
        variable = True
    else:
        return False
    if not variable:
        if expected == "object":
            return _is_object(value, accepted)
        if expected == "array" and kind.items == "object":
            return any(_are_objects(value, option) for option in accepted)
        if expected == "string":
            return standardized(value) in [standardized(option) for option in accepted if isinstance(option, str)]
        if expected == "array":
            return any(_equal(_standard_items(value), _standard_items(option)) for option in accepted)
    return any(_equal(value, option) for option in accepted)


def standardized(text: str) -> str:
    """A text as BFCL compares it."""
    return text.translate(_STANDARD).lower()


def _known(name: str | None) -> str:
    """A type that a schema names; a text is expected where it names none, or none that there is."""
    return name if name in TYPES else "string"


def _type_of(accepted: Iterable[Any]) -> str | None:
    """The type of the first accepted value."""
    return next((type_of(option) for option in accepted if not (isinstance(option, str) and option == LEFT_OUT)), None)


def _items_fit(value: list[Any], accepted: Sequence[Any], items: str) -> bool:
    """Whether the items have the declared type, or that of the items of an accepted list."""
    expected = _known(items)
    for option in accepted:
        if not isinstance(option, list):
            return True
        if {type_of(item) for item in value} <= {expected, _type_of(option)}:
            return True
    return False


def _standard_items(items: Any) -> list[Any] | None:
    if not isinstance(items, list | str):
        return None
    return [standardized(item) if isinstance(item, str) else item for item in items]


def _are_objects(value: list[Any], option: Any) -> bool:
    return (
        isinstance(option, list | str)
        and len(value) == len(option)
        and all(_is_object(one, [other]) for one, other in zip(value, option, strict=True))
    )


def _is_object(value: Any, accepted: Sequence[Any]) -> bool:
    return isinstance(value, dict) and any(
        isinstance(option, dict)
        and all(key in option and _is_member(member, _options(option[key])) for key, member in value.items())
        and all(key in value or LEFT_OUT in _options(option[key]) for key in option)
        for option in accepted
    )


def _is_member(value: Any, accepted: Sequence[Any]) -> bool:
    one = standardized(value) if isinstance(value, str) else value
    return any(_equal(one, standardized(option) if isinstance(option, str) else option) for option in accepted)


def _equal(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal; numbers by value, and ``true`` is not ``1``."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(member, other[key]) for key, member in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return bool(one == other)


# ── lenient ─────────────────────────────────────────────────────────────────────────────────────


def is_lenient(value: Any, option: Any, kind: DeclaredType, needed: set[str] | None = None) -> bool:
    """Whether a value differs from an accepted one only in ways that are forgiven at the level ``lenient``.

    Args:
        needed: takes the names of what is forgiven.
    """
    needed = set() if needed is None else needed
    if kind.has_members:
        return _matches(value, option, kind, lambda one, other: _alike(one, other, None, needed))
    return _alike(value, option, kind.types, needed)


def _alike(one: Any, other: Any, types: frozenset[str] | None, needed: set[str]) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return one == other or _alike_texts(one, other, needed)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(one[key], other[key], None, needed) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_alike(*pair, None, needed) for pair in zip(one, other, strict=True))
    if isinstance(one, str) != isinstance(other, str) and types is not None:
        return _is_written(one, other, types, needed) or _is_written(other, one, types, needed)
    if not _equal(one, other):
        return False
    if type(one) is not type(other):
        needed.add("number_form")
    return True


def _is_written(text: Any, value: Any, types: frozenset[str], needed: set[str]) -> bool:
    """Whether a text is a number or a boolean, as written, that the schema declares."""
    if not isinstance(text, str) or isinstance(value, str):
        return False
    if isinstance(value, bool):
        if "boolean" in types and text.strip().lower() == ("true" if value else "false"):
            needed.add("boolean_as_text")
            return True
        return False
    if not isinstance(value, int | float) or not types & {"integer", "number"} or not _NUMBER.fullmatch(text.strip()):
        return False
    if (int(text) if text.strip().lstrip("-").isdigit() else float(text)) != value:
        return False
    needed.add("number_as_text")
    return True


_NUMBER: Final = lazy_re(r"-?\d{1,300}(?:\.\d{1,300})?(?:[eE][-+]?\d{1,3})?")

_FORGIVEN: Final[Mapping[str, Callable[[str], str]]] = {
    "unicode": lambda text: unicodedata.normalize("NFKC", text),
    "case": str.casefold,
    "white_space": lambda text: "".join(text.split()),
    "punctuation": lambda text: "".join(char for char in text if unicodedata.category(char)[0] != "P" and char != "^"),
}
"""What is forgiven in texts, and how a text is written without it. ``^`` is no punctuation, and BFCL ignores it."""


def _alike_texts(one: str, other: str, needed: set[str]) -> bool:
    """Whether two texts are equal apart from what is forgiven; the fewest names are added."""
    if _spelled(one, _FORGIVEN) != _spelled(other, _FORGIVEN):
        return False
    names = dict(_FORGIVEN)
    for name in _FORGIVEN:
        fewer = {other_name: names[other_name] for other_name in names if other_name != name}
        if _spelled(one, fewer) == _spelled(other, fewer):
            names = fewer
    needed.update(names)
    return True


def _spelled(text: str, steps: Mapping[str, Callable[[str], str]]) -> str:
    for step in steps.values():
        text = step(text)
    return text
