"""TC4xx: the schemas of declared tools."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar, Final

from toolconv.core import jsontext
from toolconv.core.json_pointer import pointer_to
from toolconv.core.type_names import TYPES, meant, type_of
from toolconv.lint.model.finding import Edit, Finding
from toolconv.lint.model.pointers import MISSING
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.tools import LintTool
from toolconv.lint.names import a, did_you_mean, listed, shown
from toolconv.lint.rule import ToolRule, Visits, rule
from toolconv.lint.schema.parameters import EMPTY
from toolconv.lint.schema.schemas import UNCHECKED, subschemas, validator
from toolconv.lint.schema.typenames import mended
from toolconv.lint.target import PROVIDERS, TargetRule


def place(tool: LintTool, path: tuple[str | int, ...] = ()) -> str:
    """The deep pointer of a part of a tool's parameters."""
    return tool.parameters_pointer + ("" if tool.stated else pointer_to(path))


def path_in_words(path: tuple[str | int, ...]) -> str:
    """What the subschema at a path describes, for messages."""
    return ".".join(str(step) for step in path if step not in ("properties", "items")) or "the parameters"


def replaced(row: LintRow, tool: LintTool, parameters: Any) -> tuple[Edit, ...]:
    """The edit that gives a tool other parameters."""
    if tool.stated:
        return ()
    value = row.look(tool.parameters_pointer)
    if value is not MISSING and jsontext.opened(value) != tool.parameters:
        return ()  # the row has them in another notation
    return (Edit(tool.parameters_pointer, jsontext.spaced(parameters) if isinstance(value, str) else parameters),)


@rule("TC401", "invalid-json-schema", "error")
class InvalidSchema(ToolRule):
    """Parameters that are not valid JSON Schema.

    Anti-pattern: ``required: true`` inside a property, a list of types as ``properties``, parameters without an
    enclosing schema.

    Why it hurts: validators and constrained decoders reject or ignore the schema; the model learns from declarations
    unlike those it will see in use.

    Best practice: write ``{"type": "object", "properties": {…}, "required": […]}`` and check it by the metaschema.

    Bad: ``{"city": {"type": "string", "required": true}}``

    Good: ``{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}``

    Source: JSON Schema 2020-12; ToolAlpaca, API-Bank.
    """

    visits: ClassVar[Visits] = "is_odd"

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        known = tool.known
        parameters = tool.parameters
        if parameters is None or (isinstance(parameters, str) and not parameters.strip()):
            return  # reported by TC409
        if known.flat:
            if not tool.stated and (row.read_as is None or not row.read_as.flat_parameters):
                names = listed(parameters)
                message = f"the parameters of {shown(tool.name)} have no schema around them ({names})"
                message += ', expected {"type": "object", "properties": …}'
                yield self.finding(row, place(tool), message)
            return
        problems = known.problems
        for problem in problems[:3]:
            where = f" at {pointer_to(problem.path)}" if problem.path else ""
            more = f" (and {len(problems) - 3} more)" if len(problems) > 3 and problem is problems[2] else ""
            message = f"the schema of {shown(tool.name)} is no JSON Schema{where}: {problem.message}{more}"
            yield self.finding(row, place(tool, problem.path), message)


@rule("TC402", "null-padded-schema", "error", fix="safe")
class NullPaddedSchema(ToolRule):
    """Nulls in a schema that a converter added.

    Anti-pattern: schemas of different tools in one Arrow column: each gets all keys of the others as nulls.

    Why it hurts: each declaration contains all keys of the dataset, and the model reads properties that don't exist.

    Best practice: store tools as JSON text in columnar formats; remove the nulls.

    Bad: ``{"properties": {"city": {"type": "string"}, "days": null}}``

    Good: ``{"properties": {"city": {"type": "string"}}}``

    Fix: removes the keys with nulls, but not values under ``default``, ``const`` and ``enum``.

    Source: Hugging Face ``datasets`` (struct union).
    """

    visits: ClassVar[Visits] = "is_odd"

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        known = tool.known
        if known.clean is not known.value:
            count = jsontext.compact(known.value).count("null") - jsontext.compact(known.clean).count("null")
            message = f"the schema of {shown(tool.name)} is padded with nulls ({count}), expected no such keys"
            yield self.finding(row, place(tool), message, *replaced(row, tool, known.clean))


@rule("TC403", "not-json-schema-types", "warning", fix="safe")
class TypeNames(ToolRule):
    """Type names that are not JSON Schema's.

    Anti-pattern: Python or Java type names (``str``, ``dict``, ``"List[int], optional"``) under ``type``.

    Why it hurts: validators reject the schema, and templates that switch on the type write nothing; in use, the model
    sees other names.

    Best practice: use ``string``, ``integer``, ``number``, ``boolean``, ``array``, ``object`` and ``null``.

    Bad: ``{"type": "str, optional"}``

    Good: ``{"type": "string"}``

    Fix: writes the types of JSON Schema whose meaning is clear; other names stay.

    Source: xLAM, API-Bank, BFCL's original questions.
    """

    visits: ClassVar[Visits] = "is_odd"

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        known = tool.known
        wrong = known.wrong_types
        if not wrong:
            return
        meanings = {name: meant(name) for name in wrong}
        message = ", ".join(f"{shown(name)} ({_instead(meanings[name], name)})" for name in list(wrong)[:6])
        better = mended({"properties": tool.parameters})["properties"] if known.flat else mended(tool.parameters)
        edits = replaced(row, tool, better) if any(schema is not None for schema in meanings.values()) else ()
        first = next(iter(wrong.values()))
        message = f"{shown(tool.name)} has types that are not JSON Schema's: {message}"
        yield self.finding(row, place(tool, first), message, *edits)


def _instead(schema: dict[str, Any] | None, name: str) -> str:
    if schema is None:
        return "unknown" + did_you_mean(name, TYPES)
    kind = schema.get("type")
    return "any: no type at all" if kind is None else kind if isinstance(kind, str) else " or ".join(kind)


@rule("TC415", "example-breaks-schema", "warning")
class BrokenExample(ToolRule):
    """A default or an example that breaks its own schema.

    Anti-pattern: ``"default": "10"`` for an integer, a default that is not in the enum, an example of another type.

    Why it hurts: the declaration contradicts itself; the model copies the example, and the tool rejects the call.

    Best practice: give defaults and examples that the schema accepts. ``null`` as a default is not reported, and
    neither is the empty text that stands for no default in parameters without an enclosing schema (xLAM).

    Bad: ``{"type": "integer", "default": "10"}``

    Good: ``{"type": "integer", "default": 10}``

    Source: JSON Schema 2020-12, Validation, 9.2 and 9.5: both should be valid against their schema.
    """

    visits: ClassVar[Visits] = "has_examples"

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        known = tool.known
        for path, schema in subschemas(known.schema) if known.has_examples else ():
            if _EXAMPLES.isdisjoint(schema):
                continue
            rule = validator({key: value for key, value in schema.items() if key not in _EXAMPLES})
            for key, steps, value in _examples(schema):
                if value is None or (known.flat and value == ""):
                    continue
                errors = [error for error in rule.errors(value) if error.keyword not in (UNCHECKED, "required")]
                if errors:
                    where = path[1:] if known.flat else path
                    message = f"the {key} of {path_in_words(path)} of {shown(tool.name)} is {shown(value)}"
                    yield self.finding(row, place(tool, (*where, *steps)), f"{message}: {errors[0].message}")


_EXAMPLES = frozenset({"default", "examples", "example"})


def _examples(schema: dict[str, Any]) -> Iterator[tuple[str, tuple[str | int, ...], Any]]:
    """The defaults and examples of a schema: what each is, its place, and its value."""
    if "default" in schema:
        yield "default", ("default",), schema["default"]
    if isinstance(schema.get("examples"), list):
        for at, value in enumerate(schema["examples"]):
            yield "example", ("examples", at), value
    if "example" in schema:  # of OpenAPI
        yield "example", ("example",), schema["example"]


@rule("TC407", "undocumented-parameter", "info", default=False)
class UndocumentedParameter(ToolRule):
    """A parameter without a description.

    Anti-pattern: schemas generated from function signatures alone.

    Why it hurts: the model has to guess formats, units and meanings, and learns to guess.

    Best practice: describe each parameter.

    Bad: ``{"date": {"type": "string"}}``

    Good: ``{"date": {"type": "string", "description": "Day of the flight, YYYY-MM-DD."}}``

    Source: Anthropic's guide on tool definitions.
    """

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        parts = tool.known.properties.items()
        if bare := [name for name, part in parts if isinstance(part, dict) and not part.get("description")]:
            message = f"{shown(tool.name)} has parameters without a description: {listed(bare)}"
            yield self.finding(row, place(tool), message)


@rule("TC408", "required-not-in-properties", "error")
class RequiredNotThere(ToolRule):
    """A required argument that is not in the properties.

    Anti-pattern: a parameter renamed or removed only in ``properties``.

    Why it hurts: every valid call needs an argument that nothing describes.

    Best practice: list only keys of ``properties`` in ``required``.

    Bad: ``{"properties": {"city": {…}}, "required": ["town"]}``

    Good: ``{"properties": {"city": {…}}, "required": ["city"]}``

    Source: OpenAI's strict mode rejects such schemas.
    """

    visits: ClassVar[Visits] = "is_odd"

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        known = tool.known
        for path, absent, properties in known.absent:
            names = listed(properties) or "none"
            message = f"{shown(tool.name)} requires {listed(absent)}, not in its properties ({names})"
            yield self.finding(row, place(tool, path), message + did_you_mean(absent[0], properties))


@rule("TC409", "missing-parameters", "warning", fix="safe")
class MissingParameters(ToolRule):
    """A declaration without parameters.

    Anti-pattern: ``parameters`` missing or null for a tool without parameters.

    Why it hurts: templates fail on them or write null; the model sees two ways to write "no parameters".

    Best practice: write ``{"type": "object", "properties": {}}``.

    Bad: ``{"name": "ping", "description": "Answers with pong."}``

    Good: ``{"name": "ping", "description": "Answers with pong.", "parameters": {"type": "object", "properties": {}}}``

    Fix: writes the schema of an object without properties where there are no parameters; values of other types
    stay, and so does a declaration that has an object under another key.

    Source: vLLM's and llama.cpp's code for reading tools.
    """

    visits: ClassVar[Visits] = "is_odd"

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        if isinstance(tool.parameters, dict) or tool.is_nested:
            return  # Gemini omits them by design
        edits: tuple[Edit, ...] = ()
        other = next((key for key, value in tool.function.items() if isinstance(value, dict) and value), None)
        if tool.parameters:
            message = a(type_of(tool.parameters))
        elif other is not None:
            message = f"under {shown(other)}"
        else:
            message, edits = "none", replaced(row, tool, EMPTY) if tool.parameters in (None, "") else ()
        yield self.finding(
            row, tool.pointer, f"the parameters of {shown(tool.name)} are {message}, expected an object schema", *edits
        )


_BOUNDS = (
    ("minimum", "maximum"), ("exclusiveMinimum", "exclusiveMaximum"), ("minimum", "exclusiveMaximum"),
    ("exclusiveMinimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)  # fmt: skip
_LOWEST = frozenset(low for low, _ in _BOUNDS)
_LIMITING = frozenset({"enum", *(high for _, high in _BOUNDS)})


@rule("TC417", "contradictory-schema", "error")
class ContradictorySchema(ToolRule):
    """A schema that no value fits: bounds the wrong way round, or an enum of another type.

    Anti-pattern: ``minimum`` and ``maximum`` exchanged; the strings ``"1"`` and ``"2"`` as the enum of an integer.

    Why it hurts: every call breaks its schema; constrained decoders refuse the tool, or write nothing.

    An enum none of whose values fits the schema's pattern or bounds counts, too, and so do three choices in one text.

    Best practice: state bounds that some value fits, and enums of the declared type, each value once.

    Bad: ``{"type": "integer", "minimum": 100, "maximum": 0}``

    Good: ``{"type": "integer", "minimum": 0, "maximum": 100}``

    ``null`` in an enum is not reported. In 20,400 rows of 14 sources: 114 findings at 21 parameters, all right.

    Source: JSON Schema 2020-12, Validation, 6.1 to 6.5.
    """

    visits: ClassVar[Visits] = "has_limits"

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        for path, part in subschemas(tool.known.schema):
            if _LIMITING.isdisjoint(part):
                continue
            names = path_in_words(path)
            for what in (_empty_range(part), _foreign_enum(part), _unfit_enum(part)):
                if what:
                    yield self.finding(row, place(tool, path), f"{names} of {shown(tool.name)} has {what}")
            if (joined := _joined(part.get("enum"))) is not None:
                message = f"{names} of {shown(tool.name)} has one choice, {shown(joined)}, expected each by itself"
                yield self.finding(row, place(tool, path), message, level="warning")
            if again := _repeated(part.get("enum")):
                message = f"{names} of {shown(tool.name)} has the enum value {again} twice"
                yield self.finding(row, place(tool, path), message, level="warning")


def _empty_range(part: dict[str, Any]) -> str:
    """The bounds of a schema between which there is nothing, in words; empty if there are none."""
    for low, high in () if _LOWEST.isdisjoint(part) else _BOUNDS:
        least, most = part.get(low), part.get(high)
        if not _is_number(least) or not _is_number(most):
            continue
        if least > most or (least == most and "exclusive" in low + high):  # type: ignore[operator]
            return f"{low} {shown(least)} and {high} {shown(most)}: no value fits"
    return ""


def _foreign_enum(part: dict[str, Any]) -> str:
    """The values of an enum none of which has the schema's type, in words; empty if one has it."""
    values, kind = part.get("enum"), part.get("type")
    if not isinstance(values, list) or kind not in TYPES or any(type_of(value) == kind for value in values):
        return ""
    rule = validator({"type": kind})
    odd = [value for value in values if value is not None]
    return f"the enum {listed(odd)}, where its type is {kind}" if odd and all(map(rule.errors, odd)) else ""


def _unfit_enum(part: dict[str, Any]) -> str:
    """The texts of an enum none of which fits the schema's pattern or its bounds, in words; empty if one does."""
    values, limits = part.get("enum"), {key: part[key] for key in _LIMITS if key in part}
    if not limits or not isinstance(values, list) or not values:
        return ""
    rule = validator(limits)
    if any(not rule.errors(value) for value in values):
        return ""
    rules = " and ".join(f"{key} {shown(limit)}" for key, limit in limits.items())
    return f"the enum {listed(values)}, of which none fits {rules}"


_LIMITS = ("pattern", "minLength", "maxLength", "minimum", "maximum")


def _joined(values: Any) -> str | None:
    """The only text of an enum, if it lists three or more."""
    only = values[0] if isinstance(values, list) and len(values) == 1 else None
    parts = re.split(r"[,，、|;]", only) if isinstance(only, str) else ()
    return only if len(parts) >= MIN_CHOICES and all(map(str.strip, parts)) else None


MIN_CHOICES: Final = 3
"""A text with one comma may be a choice."""


def _repeated(values: Any) -> str:
    """The first text that an enum has twice; empty if it has none."""
    seen: set[str] = set()
    for value in values if isinstance(values, list) else ():
        if isinstance(value, str):
            if value in seen:
                return shown(value)
            seen.add(value)
    return ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@rule("TC410", "unsupported-keyword", "warning")
class UnsupportedKeyword(TargetRule, ToolRule):
    """A JSON Schema keyword that the provider's strict mode rejects.

    Anti-pattern: declarations copied from validation schemas.

    Why it hurts: the provider rejects the request, or the keyword is dropped, so that the tools differ from those in
    training.

    Best practice: state the constraint in the description (option ``target``: ``openai`` or ``anthropic``; the rule
    does nothing without it).

    Bad: ``{"type": "integer", "minimum": 1}``, for Anthropic

    Good: ``{"type": "integer", "description": "Days, at least 1."}``

    Source: OpenAI, Structured model outputs, supported schemas; Claude docs, JSON Schema limitations.
    """

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        refused = PROVIDERS.get(self.target, frozenset())
        for path, schema in subschemas(tool.known.value) if refused else ():
            for keyword in schema:
                if keyword in refused:
                    message = f"{shown(tool.name)}: {self.target}'s strict mode refuses {keyword!r}"
                    yield self.finding(row, place(tool, (*path, keyword)), message)
