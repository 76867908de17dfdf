"""What rules need to know about a tool's parameters, computed once for each distinct declaration of a run."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.type_names import TYPES
from toolconv.layouts.tool_schema import unpadded
from toolconv.lint.schema.made_once import MadeOnce
from toolconv.lint.schema.metaschema import DESCRIBED, is_certainly_valid
from toolconv.lint.schema.schema_check import Check, compile_check
from toolconv.lint.schema.schemas import SchemaError, Validator, ValuePath, properties_of, subschemas, validator
from toolconv.lint.schema.typenames import is_flat, mended, schema_of

EMPTY: Final[dict[str, Any]] = {"type": "object", "properties": {}}

SIGNATURE_BYTES: Final = 8

_WORDS = frozenset({"description", "title", "examples", "default", "format", "additionalProperties", "$schema"})
_PARTIAL = frozenset({"allOf", "anyOf", "oneOf", "then", "else", "not", "if"})
"""Keywords with which a schema need not declare the properties that it requires."""

_NO_SIBLINGS = ("$ref", "allOf", "anyOf", "oneOf", "patternProperties", "if", "dependentSchemas")


_BEGINS: Final = rb'"description":"(?:\s|\\[ntr])*[(\[]?(?:an? |the |some )?'
_UNIT: Final = (
    rb"(?:s|sec|min|hour|hr|day|month|year|yr|mill|cent|kilo|met|gram|perc|euro|dollar|usd|mm|cm|km|mg|kg|m\b|g\b|%"
    rb"|mile|inch|f[eo]et|foot|ounce|pound|lit|cubic)"
)
_SAYING_FIRST = re.compile(
    _BEGINS
    + rb"(?:optional|required|mandatory|obligato|erforder"
    + rb"|list of|array of|whether|if true|true if|bool|flag|integer|number of|amount of|how many|dict|json)"
)
_SAYING: Final = (b"yyyy-mm-dd", b"hh:mm", b'"pattern"')
_ASIDE = re.compile(rb"[(](?:optional|may be|can be|not required|(?:in (?:whole )?)?" + _UNIT + rb")")
_IN_UNIT = re.compile(rb"in (?<=[ \"]in )(?:whole )?" + _UNIT)
_SAYING_SIGNS = re.compile("列表|数组|是否|可选|必[填需须]|单位|可不填|可省略|次数|个数|份数".encode())
"""What descriptions have that say more than what a parameter is, in the JSON of parameters in lower case.

A pattern that begins with a certain character is tried only where that is.
"""

_CONTRASTING: Final = (
    b"between", b"choices", b"default", b"e.g", b"eg ", b"example", b"either", b"from", b"one of", b"options",
    b"such as", b"values", b" or ", b"~",
)  # fmt: skip
_CONTRASTING_RANGE = re.compile(rb"[(\[](?:range:?.)?-?\d")
_CONTRASTING_SIGNS = re.compile("到|至|默认|例如|比如|可选|取值|必须是".encode())
"""What descriptions have that say examples, choices, defaults or ranges, which may be others than the schema's."""

_ASKING = re.compile(
    rb"yyyy|jjjj|aaaa|\bmm[/.-]dd|dd[/.-]mm|hh:mm|digits|\bas `?[a-z]+[/:@][a-z]"
    rb"|\biso\b|letter|char|alpha-?[23]|iata|\d\)? ?(?:and|to|-|~) ?\d"
    rb"|one of|either|(?:value|option|choice)s|, [\w-]+,? or |at (?:most|least)|more than|less than|up to|max|min"
    rb"|older|above|higher|e\.?164|hex|#rrggbb|uuid|ipv4|comma[- ]separated|mail|case|latitude|longitude|"
    + "之间|可选|取值|必须是|最多|不超过|最大|最少|至少|不少于|最小|邮箱|纬度|经度".encode(),
)
"""What descriptions say that ask for a form, in the JSON of parameters in lower case."""

_STAND_IN = re.compile(_BEGINS + rb"(?:todo|tbd|fixme|n/?a\W|xx|[.-]|param|arg|desc)")
_STAND_IN_SIGNS: Final = tuple(f'"{word}'.encode() for word in ("参数", "描述", "说明", "字段"))
"""Beginnings of descriptions that may say nothing."""


class Parameters:
    """A tool's parameters as declared.

    Args:
        value: the JSON value; normally a schema.
        text: the same as JSON text.

    Attributes:
        size: how many bytes the text has.
        flat: they lack an enclosing schema.
        is_sound: they are a schema that is certainly valid, without null padding.
        is_odd: they are not, or have references, or an object does not declare all properties that it requires.
    """

    def __init__(self, value: Any, text: bytes) -> None:
        self.value = value
        self._text = text
        self.size = len(text)
        self.flat = is_flat(value)
        self.is_sound = (
            isinstance(value, dict) and not self.flat and text.find(b":null") < 0 and is_certainly_valid(value)
        )
        self.is_odd = not self.is_sound or text.find(b'"$ref"') >= 0 or not _declares_required(value, text)
        if self.is_sound:
            self.__dict__["clean"] = self.__dict__["schema"] = value

    @property
    def is_clean(self) -> bool:
        """Whether :func:`toolconv.lint.schema.schemas.clean` certainly leaves the schema as it is."""
        return self.is_sound and self._text.find(b'"nullable"') < 0

    @property
    def has_examples(self) -> bool:
        """Whether a default or an example may be in them."""
        return self._text.find(b'"default"') >= 0 or self._text.find(b'"example') >= 0

    @property
    def has_limits(self) -> bool:
        """Whether an enum or two bounds may be in them."""
        find = self._text.find
        return find(b'"enum"') >= 0 or find(b'"max') >= 0 or find(b'"exclusiveM') >= 0

    @property
    def may_say_more(self) -> bool:
        """Whether a description may say a type, a form, a unit, a default, an example, or what is optional."""
        text = self._lowered
        return (
            _holds(text, _SAYING)
            or _SAYING_FIRST.search(text) is not None
            or (text.find(b"(") >= 0 and _ASIDE.search(text) is not None)
            or _IN_UNIT.search(text) is not None
            or (not text.isascii() and _SAYING_SIGNS.search(text) is not None)
            or ((self.has_limits or self.has_examples) and _may_contrast(text))
        )

    @property
    def may_ask(self) -> bool:
        """Whether a description may ask for a form of values."""
        return _ASKING.search(self._lowered) is not None

    @property
    def has_stand_ins(self) -> bool:
        """Whether a description may be a word that says nothing, such as ``TODO``."""
        text = self._lowered
        return _STAND_IN.search(text) is not None or (not text.isascii() and _holds(text, _STAND_IN_SIGNS))

    @cached_property
    def _lowered(self) -> bytes:
        """The text in lower case, in which patterns are found in a fraction of the time."""
        return self._text.lower()

    @cached_property
    def marks_optional(self) -> bool:
        """Whether flat parameters say which ones are required, by any usual mark of required or optional ones."""
        parts = self.value.values() if isinstance(self.value, dict) else ()
        return any(
            isinstance(part, list)
            or (isinstance(part, dict) and (not {"required", "default"}.isdisjoint(part) or _is_marked(part)))
            for part in parts
        )

    @cached_property
    def clean(self) -> Any:
        """The value without null padding; the same object if there is none."""
        return unpadded(self.value) if isinstance(self.value, dict) else self.value

    @cached_property
    def schema(self) -> Any:
        """The schema that calls are validated against."""
        return schema_of(self.clean)

    @property
    def properties(self) -> dict[str, Any]:
        """The properties in that schema, by name."""
        return properties_of(self.schema)

    @cached_property
    def validator(self) -> Validator:
        """The validator of that schema."""
        return validator(self.schema)

    @cached_property
    def fits(self) -> Check | None:
        """A check that arguments certainly match that schema and are declared in it; ``None`` for a complex schema."""
        if (check := compile_check(self.schema)) is not None:
            return check
        shape = compile_check(self.schema, assertions=False)
        valid = self.validator.valid
        return None if shape is None else lambda arguments: valid(arguments) and shape(arguments)

    @cached_property
    def problems(self) -> list[SchemaError]:
        """Violations of the metaschema, except null padding and type names."""
        return validator(mended(self.clean)).problems if self.is_odd else []

    @cached_property
    def wrong_types(self) -> dict[str, ValuePath]:
        """Type names that are not JSON Schema's, each with its first place."""
        if self.is_sound or not isinstance(self.value, dict):
            return {}
        parts: list[tuple[ValuePath, Any]] = [((), self.value)]
        if self.flat:
            parts = [((name,), part) for name, part in self.value.items()]
        wrong: dict[str, ValuePath] = {}
        for path, part in parts:
            for inner, schema in subschemas(part, path):
                kind = schema.get("type")
                for name in kind if isinstance(kind, list) else [kind]:
                    if isinstance(name, str) and name not in TYPES:
                        wrong.setdefault(name, (*inner, "type"))
        return wrong

    @cached_property
    def absent(self) -> list[tuple[ValuePath, list[str], list[str]]]:
        """Required arguments that are not properties: the place, their names, and the properties."""
        found: list[tuple[ValuePath, list[str], list[str]]] = []
        if not isinstance(self.value, dict) or self.flat or not self.is_odd:
            return found
        for path, schema in subschemas(self.clean):
            required, properties = schema.get("required"), schema.get("properties", {} if not path else None)
            if not isinstance(required, list) or not isinstance(properties, dict):
                continue
            if any(key in schema for key in _NO_SIBLINGS) or _PARTIAL.intersection(path):
                continue
            absent = [name for name in required if isinstance(name, str) and name not in properties]
            if absent:
                found.append(((*path, "required"), absent, list(properties)))
        return found

    @property
    def signature(self) -> bytes:
        """Eight bytes that are equal for declarations that accept the same calls; descriptions don't count."""
        schema = self.schema if isinstance(self.value, dict) else None
        return hashlib.sha256(jsontext.dumps_sorted(_signature(schema or EMPTY))).digest()[:SIGNATURE_BYTES]

    @property
    def words(self) -> str:
        """The parameters in short: ``city: string, days?: integer``."""
        if not (properties := self.properties):
            return "no properties"
        required = self.schema.get("required")
        needed = required if isinstance(required, list) else ()
        parts = []
        for name, part in islice(properties.items(), 6):
            kind = part.get("type", "any") if type(part) is dict else "any"
            kind = kind if type(kind) is str else jsontext.compact(kind)
            parts.append(f"{name}: {kind}" if name in needed else f"{name}?: {kind}")
        return ", ".join(parts) + (", …" if len(properties) > 6 else "")


def _holds(text: bytes, words: Sequence[bytes]) -> bool:
    """Whether a text holds one of some words; ``in`` is much slower on bytes, and so is :func:`any`."""
    for word in words:  # noqa: SIM110
        if text.find(word) >= 0:
            return True
    return False


def _may_contrast(text: bytes) -> bool:
    """Whether a description may say examples, choices, defaults or ranges, in the JSON of parameters in lower case."""
    text = text.replace(b'"default":', b"")
    return (
        _holds(text, _CONTRASTING)
        or _CONTRASTING_RANGE.search(text) is not None
        or (not text.isascii() and _CONTRASTING_SIGNS.search(text) is not None)
    )


def _is_marked(part: dict[str, Any]) -> bool:
    """Whether the type of a flat parameter has the word ``optional`` or ``required``."""
    kind = part.get("type")
    return isinstance(kind, str) and ("optional" in kind.lower() or "required" in kind.lower())


def _signature(schema: Any) -> Any:
    """What matters for a call: names, types and required arguments."""
    if type(schema) is dict:
        kept: dict[str, Any] = {}
        for key, value in schema.items():
            kind = type(value)
            if kind is dict:
                if value.keys() == DESCRIBED and type(value["type"]) is str:
                    kept[key] = {"type": value["type"]}  # most parameters: no call for each
                else:
                    kept[key] = _signature(value)
            elif key in _WORDS:
                continue
            elif key == "required":
                if value:
                    kept[key] = sorted(map(str, value)) if kind is list else value
            else:
                kept[key] = _signature(value) if kind is list else value
        return kept
    return [_signature(item) for item in schema] if type(schema) is list else schema


def _declares_required(schema: dict[str, Any], text: bytes) -> bool:
    """Whether each object in a valid schema, and in its data, declares all properties that it requires."""
    lists = text.count(b'"required":[') - text.count(b'"required":[]')
    if not lists:
        return True
    if lists == 1 and schema.get("required"):
        return _declares_own(schema)
    return _all_declare(schema)


def _declares_own(schema: dict[str, Any]) -> bool:
    """Whether a schema declares all properties that it requires itself."""
    required = schema.get("required")
    if type(required) is not list or not required:
        return True
    properties = schema.get("properties")
    return type(properties) is dict and all(type(name) is str and name in properties for name in required)


def _all_declare(value: Any) -> bool:
    if type(value) is dict:
        if not _declares_own(value):
            return False
        value = value.values()
    for part in value:  # noqa: SIM110 - faster than all()
        if (type(part) is dict or type(part) is list) and not _all_declare(part):
            return False
    return True


parameters_of: Final = MadeOnce(Parameters).of
"""The knowledge about some parameters; the same object for equal ones."""
