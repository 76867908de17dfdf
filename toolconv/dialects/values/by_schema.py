"""Types for values that a dialect writes as text: from the tool's schema, or by their looks where it settles none.

Where the schema settles the type, a value takes the first type it fits of those the schema allows, in the order null,
integer, number, boolean, object, array, string. Numbers, literals and containers may be JSON or Python literals, since
chat templates write both. A string stays as it is whatever it looks like; a value that fits no allowed type stays text,
as the repair ``type_mismatch``.

The schema settles nothing for an undeclared parameter, for one without a type, and for one that may be a string or
something else. Such a text becomes a number, boolean, null or container only if one of that value's canonical spellings
is that very text, so that ``02139``, ``+1415``, ``1.10``, ``1e5`` and ``-0`` stay text. The canonical spellings of a
value are what ``json.dumps`` writes for it, with its default separators or without spaces, with or without ``\\u``
escapes, and what the family's own template writes, such as ``True``. The calls count such values
(:attr:`ToolCall.untyped`); a :class:`ToolIndex` can ask for texts instead.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Final

from toolconv.core import jsontext, lenient_json
from toolconv.core.lazy_re import lazy_re
from toolconv.core.lenient_json import QUOTES
from toolconv.core.remembered import Remembered
from toolconv.core.schema_types import subschema, types_of
from toolconv.core.tools import ToolIndex
from toolconv.core.type_names import TYPES
from toolconv.dialects.values.damaged_containers import mended_container
from toolconv.dialects.values.literals import PYTHON
from toolconv.dialects.values.python_values import Expression, Undecided

_INTEGER = lazy_re(r"\s*[+-]?[0-9]+\s*")
_NUMBER = lazy_re(r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")
_JSON_INTEGER = lazy_re(r"-?[1-9][0-9]*|0")
_JSON_NUMBER = lazy_re(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
MISFIT = object()
"""A text that is not a value of a type."""

ReadText = Callable[[str], Any]
"""Reads a text as a value; :data:`MISFIT` where it is not one of the right type."""


# ── without a type ──


class Looks:
    """Reads texts whose type nothing settles, by their looks.

    Args:
        spell: how the family's template writes a value that is no string.
        more: further ways in which templates of the family write it.
    """

    def __init__(self, spell: Callable[[Any], str], more: Iterable[Callable[[Any], str]] = ()) -> None:
        self._spells = (spell, *more)
        self._words = {"true": True, "false": False, "null": None}
        for word in (True, False, None):
            self._words |= {
                text: word for own in self._spells if (text := _spelled(own, word)) in ("True", "False", "None")
            }
        self._as_python = any(_spelled(own, [""]) == "['']" for own in self._spells)

    def read(self, text: str) -> Any:
        """The value that ``text`` spells, if that is a canonical spelling of the value; otherwise the text."""
        first = text[:1]
        if first not in _STARTS:
            return text
        if first in _LETTERS:
            return self._words.get(text, text)
        if first in "[{":
            value = self._container(text)
            return text if value is MISFIT else value
        return self._number(text)

    @cached_property
    def undeclared(self) -> Shape:
        """The shape of the arguments of an undeclared tool."""
        return Shape(None, None, self.read)

    def _number(self, text: str) -> Any:
        if len(text) < 18 and text.isdigit() and text.isascii():
            return text if text[0] == "0" and len(text) > 1 else int(text)
        if len(text) > jsontext.MAX_INTEGER_DIGITS:
            return text
        if _JSON_INTEGER.fullmatch(text):
            return int(text)
        if _JSON_NUMBER.fullmatch(text) is None:
            return text
        try:
            value = lenient_json.number(text)
        except lenient_json.Unreadable:  # beyond a double
            return text
        return value if text == repr(value) else text

    def _container(self, text: str) -> Any:
        try:
            value = jsontext.loads(text)
        except ValueError:
            value = _tolerant(text) if self._as_python else MISFIT
        if value is MISFIT:
            return MISFIT
        is_canonical = text == jsontext.spaced(value) or text == jsontext.compact(value)
        is_canonical = is_canonical or any(_spelled(own, value) == text for own in self._spells)
        return value if is_canonical or text in _as_json_dumps(value) else MISFIT


def _spelled(spell: Callable[[Any], str], value: Any) -> str:
    try:
        return spell(value)
    except (TypeError, ValueError):  # a spelling for texts only
        return ""


def _as_json_dumps(value: Any) -> Iterable[str]:
    """What the standard library writes for a container, where :mod:`jsontext` writes something else."""
    for ascii_only in (True, False):
        for separators in (None, (",", ":")):
            try:
                yield json.dumps(value, ensure_ascii=ascii_only, separators=separators)
            except (ValueError, RecursionError):
                return


_LETTERS: Final = "tfnTFN"
_STARTS: Final = frozenset("[{-0123456789" + _LETTERS)
"""What a canonical spelling of anything but a string begins with."""


def reader_of_untyped(tools: ToolIndex, looks: Looks) -> ReadText:
    """What reads the texts whose type nothing settles: ``looks``, unless ``tools`` ask for texts."""
    return looks.read if tools.infer else str


# ── with a schema ──


def is_settled(allowed: frozenset[str] | None) -> bool:
    """Whether allowed types settle whether a text is a string."""
    return allowed is not None and ("string" not in allowed or len(allowed) == 1)


def typed_as(text: str, allowed: frozenset[str] | None, untyped: ReadText, repairs: list[str]) -> Any:
    """Give ``text`` the first type it fits of those that are allowed.

    Args:
        text: the value as written.
        allowed: JSON types; ``None`` where nothing restricts them.
        untyped: reads a text whose type that does not settle.
        repairs: ``type_mismatch`` is added to it when no allowed type fits.
    """
    return _fitting(_reader(allowed, untyped)(text), text, repairs, allowed)


def _fitting(value: Any, text: str, repairs: list[str], allowed: frozenset[str] | None) -> Any:
    """A value if there is one, mended if the schema asks for a container; else its text, and a repair."""
    if allowed is None or value is not MISFIT:
        if value is text and not is_settled(allowed) and _LIKE_JSON.fullmatch(text.strip()):
            repairs.append("broken_container")
        return value
    kinds = tuple(kind for name, kind in (("object", dict), ("array", list)) if name in allowed)
    mended = mended_container(text, kinds) if kinds else None
    if mended is not None:
        repairs += mended.repairs
        return mended.value
    repairs.append("type_mismatch")
    return text


_LIKE_JSON: Final = lazy_re(
    rf"[\[{{]\s*+\w*+[\"'{{\[{QUOTES}](?s:.)*[\"'\d\]}}{QUOTES}]|[\"{QUOTES}][^\"{QUOTES}\n]*+[\"{QUOTES}]\s*+(?:[:,](?s:.)*)?[\]}}]"
    r"|\{\s*+[A-Za-z_]\w*+\s*+:[^;{}]*+\}"
)
"""A text that begins, or ends, as a container of JSON or Python does."""


class Shape(dict[str, "Shape"]):
    """What a schema says of a value and, under their keys, of its members, found out when first asked for.

    Args:
        schema: of the value.
        root: the whole schema, for ``$ref``.
        untyped: reads a text whose type the schema does not settle.
        allowed: becomes an attribute, where it is known.

    Attributes:
        allowed: the JSON types it allows; ``None`` where it says nothing about them.
        settled: whether they settle whether a text is a string.
        read: reads a text as such a value.
    """

    __slots__ = ("__dict__", "_root", "_schema", "allowed", "read", "settled", "untyped")

    def __init__(self, schema: Any, root: Any, untyped: ReadText, allowed: frozenset[str] | None = None) -> None:
        self.allowed = types_of(schema, root) if allowed is None else allowed
        self.settled = is_settled(self.allowed)
        self.read = _reader(self.allowed, untyped)
        self.untyped = untyped
        self._schema, self._root = schema, root

    def __missing__(self, key: str) -> Shape:
        if key not in self.properties:
            return self._anything
        self[key] = member = Shape(self.properties[key], self._root, self.untyped)
        return member

    @cached_property
    def properties(self) -> dict[str, Any]:
        """The schemas of the declared members."""
        return subschema(self._schema, self._root, "properties")

    @cached_property
    def _anything(self) -> Shape:
        return Shape(None, None, self.untyped)

    @cached_property
    def item(self) -> Shape:
        """The shape of an item of a list."""
        return Shape(subschema(self._schema, self._root, "items"), self._root, self.untyped)

    @property
    def infers(self) -> bool:
        """Whether texts without a type get one by their looks."""
        return self.untyped is not str

    def typed(self, text: str, repairs: list[str]) -> Any:
        """Give ``text`` the type of such a value, as :func:`typed_as` does."""
        return _fitting(self.read(text), text, repairs, self.allowed)


@dataclass(slots=True, repr=False, eq=False)
class TypingNotes:
    """What happened while values got their types: names of repairs, and how many got theirs by their looks."""

    repairs: list[str] = field(default_factory=list)
    untyped: int = 0

    def typed(self, text: str, shape: Shape) -> Any:
        """Give ``text`` the type of a shape, and note it."""
        value = shape.typed(text, self.repairs)
        self.untyped += not shape.settled and type(value) is not str
        return value


def shape_of(name: str, tools: ToolIndex, looks: Looks) -> Shape:
    """The shape of the arguments of a tool."""
    known = (name, looks) if tools.infer else (name, None)
    shape: Shape | None = tools.readers.get(known)
    if shape is None:
        schema = tools.parameters(name)
        if schema is None:
            return looks.undeclared if tools.infer else _ALL_TEXTS
        shape = tools.readers[known] = _remembered(schema, known[1], reader_of_untyped(tools, looks))
    return shape


_ARGUMENTS: Final = frozenset({"object"})
"""The type of all arguments together."""

_shapes: Remembered[tuple[bytes, Looks | None], Shape] = Remembered(512)
"""The shapes of the arguments of earlier rows' tools, by the JSON of their schemas: most rows share theirs."""


def _remembered(schema: dict[str, Any], looks: Looks | None, untyped: ReadText) -> Shape:
    """The shape of the arguments of a tool with a schema."""
    try:
        text = jsontext.dumps(schema)
    except (TypeError, ValueError):  # a library caller passed something that is not JSON
        return Shape(schema, schema, untyped, _ARGUMENTS)
    if (found := _shapes.get((text, looks))) is not None:
        return found
    return _shapes.add((text, looks), Shape(schema, schema, untyped, _ARGUMENTS), len(text))


@lru_cache(maxsize=256)
def _reader(allowed: frozenset[str] | None, untyped: ReadText) -> ReadText:
    """What reads a value of the allowed types."""
    if allowed is None:
        return untyped
    if is_settled(allowed):
        reads = [_READ[kind] for kind in TYPES if kind in allowed]

        def read(text: str) -> Any:
            return next((value for read in reads if (value := read(text)) is not MISFIT), MISFIT)

        return reads[0] if len(reads) == 1 else read

    def read_by_looks(text: str) -> Any:
        value = untyped(text)
        return value if not allowed.isdisjoint(_types_of_value(value)) else text

    return read_by_looks


def _types_of_value(value: Any) -> tuple[str, ...]:
    """The JSON types that a value has."""
    if type(value) is int:
        return ("integer", "number")
    if isinstance(value, float):
        return ("integer", "number") if value.is_integer() else ("number",)
    return (_TYPE_NAMES[type(value)],)


_TYPE_NAMES: Final = {str: "string", bool: "boolean", type(None): "null", dict: "object", list: "array"}


def _null(text: str) -> Any:
    return None if text.strip() in ("null", "None") else MISFIT


def _integer(text: str) -> Any:
    value = _number(text)
    return MISFIT if isinstance(value, float) and not value.is_integer() else value


def _number(text: str) -> Any:
    if len(text) > jsontext.MAX_INTEGER_DIGITS:
        return MISFIT
    if _INTEGER.fullmatch(text):
        return int(text)
    if not _NUMBER.fullmatch(text):
        return MISFIT
    try:
        return lenient_json.number(text.strip())
    except lenient_json.Unreadable:  # beyond a double
        return MISFIT


def _boolean(text: str) -> Any:
    return word == "true" if (word := text.strip().lower()) in ("true", "false") else MISFIT


def _object(text: str) -> Any:
    return _container(text, ("{",), dict)


def _array(text: str) -> Any:
    return _container(text, ("[", "("), list)


def _container(text: str, brackets: tuple[str, ...], kind: type) -> Any:
    bare = text.strip()
    if not bare.startswith(brackets):
        return MISFIT
    try:
        value = _tolerant(bare) if bare[1:2] == "'" else jsontext.loads(bare)
    except ValueError:
        value = MISFIT if _SLIPPED.search(bare) else _tolerant(bare)
    return value if isinstance(value, kind) else MISFIT


_SLIPPED: Final = lazy_re(r",\s*[\]}]|//|/\*|#")
"""What no template writes in a container; where it is in a string, reading it as damaged JSON finds nothing."""


def _tolerant(text: str) -> Any:
    """A container as Python spells it, or as JSON with small slips."""
    try:
        value, end = PYTHON.value(text, 0)
        if end == len(text):
            return value
    except (ValueError, RecursionError):
        pass
    try:
        reading = lenient_json.read(text)
    except lenient_json.Unreadable:
        return _python(text)
    if reading.end < len(text) or not set(reading.repairs) <= _PYTHON:
        return _python(text)
    return reading.value


def _python(text: str) -> Any:
    """A Python literal whose value is JSON: tuples too, and strings with Python's own escapes."""
    reader = Expression(text)
    try:
        value = reader.value(0, "")
    except (lenient_json.Unreadable, Undecided):
        return MISFIT
    return value if reader.at == len(text) and not reader.repairs else MISFIT


_PYTHON = {"single_quotes", "python_literal", "python_number", "trailing_comma", "unescaped_newline", "unescaped_tab"}
_READ: dict[str, ReadText] = {
    "null": _null,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "object": _object,
    "array": _array,
    "string": str,
}
_ALL_TEXTS = Shape(None, None, str)

READS_BACK: Final[frozenset[tuple[ReadText, type]]] = frozenset(
    {(_null, type(None)), (_integer, int), (_number, int), (_number, float), (_boolean, bool)}
)
"""Readers with the types whose values they read back, however these are written."""

READS_BACK_JSON: Final = READS_BACK | {(str, str), (_object, dict), (_array, list)}
"""Those that read back what is written as JSON, or is a text as it is."""


def spell_json(value: Any) -> str:
    """A value as text: strings as they are, everything else as JSON."""
    return value if isinstance(value, str) else jsontext.spaced(value)


def spell_python(value: Any) -> str:
    """A value as Jinja's ``string`` filter writes it: containers as JSON, ``True``, ``False`` and ``None`` as such."""
    return str(value) if isinstance(value, bool) or value is None else spell_json(value)


def spell_python_all(value: Any) -> str:
    """A value as Python's ``str`` writes it, containers too."""
    return str(value)
