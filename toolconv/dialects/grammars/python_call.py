"""One call in Python: ``get_weather(city='Paris', days=2)``, read from its name to its closing parenthesis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from toolconv.core.calls import declared_name
from toolconv.core.lazy_re import lazy_re
from toolconv.core.lenient_json import Unreadable
from toolconv.core.schema_types import types_of
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.reading.turn_parser import TurnParser
from toolconv.dialects.values.python_values import (
    MAX_READINGS,
    Expression,
    Name,
    PythonArgument,
    Undecided,
)

NEXT_PART_INSIDE = lazy_re(
    r"(?:,|[\"'](?=\s))\s*+[^\W\d]\w*+\s*+=\s*+[\"'\[{\d\-]|\)\s*+[,;\n]\s*+[^\W\d][\w.]*+\((?:[^\W\d]\w*+\s*+=|\s*+\))"
)
"""Another argument, or another call, in what may be a string with quotes in it."""


@dataclass(slots=True, repr=False, eq=False)
class ReadCall:
    """A call that was read: where it ends, what was repaired, and what the strings are that were undecided."""

    call: ToolCall
    end: int
    repairs: list[str]
    undecided: list[str] = field(default_factory=list)


def read_call(parser: TurnParser, text: str, name: str, at: int, stops: tuple[str, ...] = ()) -> ReadCall:
    """Read the call of ``name`` whose arguments begin at ``text[at]``, after the bracket.

    Args:
        parser: what declares the tools, and accounts for the work.
        text: the text, or the value of a string in it.
        name: the name, as written.
        at: where the arguments begin.
        stops: markers at which the call ends at the latest.

    Raises:
        Unreadable: no certain reading.
    """
    repairs: list[str] = []
    name = declared_name(name, parser.tools, repairs)
    reader = Expression(text, stops)
    try:
        arguments = assemble(name, reader.arguments(at), parser.tools, reader.repair, at)
    except Unreadable as error:
        parser.charge(max(error.at, reader.far) - at)
        raise
    except Undecided as undecided:
        parser.charge(reader.far - at)
        read = decide(parser, text, name, at, stops, undecided)
        read.repairs[:0] = repairs
        return read
    if reader.repairs:
        repairs += reader.named_repairs()
    return ReadCall(ToolCall(name, arguments), reader.at, repairs)


def decide(parser: TurnParser, text: str, name: str, at: int, stops: tuple[str, ...], first: Undecided) -> ReadCall:
    """Read a call with unescaped quotes in its strings: every way to end them is tried, and one has to be left.

    No string holds another argument or call.

    Raises:
        Unreadable: none is left, or several are.
    """
    readings: list[ReadCall] = []
    ways = [{first.start: end} for end in reversed(first.ends)]
    for _ in range(MAX_READINGS):
        if not ways:
            break
        quotes = ways.pop()
        reader = Expression(text, stops, quotes)
        try:
            arguments = assemble(name, reader.arguments(at), parser.tools, reader.repair, at)
            if ends_call(text, reader):
                strings = [text[start:end] for start, end in quotes.items()]
                made = [*reader.named_repairs(), *("inner_quotes" for _ in quotes)]
                readings.append(ReadCall(ToolCall(name, arguments), reader.at, made, strings))
        except Unreadable:
            pass
        except Undecided as undecided:
            ways.extend({**quotes, undecided.start: end} for end in reversed(undecided.ends))
        if not parser.charge(reader.far - at):
            break
    readings = [reading for reading in readings if not any(goes_on(string, stops) for string in reading.undecided)]
    if len(readings) != 1 or ways:
        raise Unreadable(str(first), first.start)
    return readings[0]


def goes_on(string: str, stops: tuple[str, ...]) -> bool:
    """Whether an undecided string would hold another argument or call, or a marker."""
    return NEXT_PART_INSIDE.search(string) is not None or any(stop in string for stop in stops)


def ends_call(text: str, reader: Expression) -> bool:
    """Whether the text after a call with undecided strings shows that the call ends there."""
    after = reader.blanks(reader.at)
    return reader.over(after) or text[after] in ",;])`" or "\n" in text[reader.at : after]


def assemble(
    name: str, found: list[PythonArgument], tools: ToolIndex, repair: Callable[[str], None], at: int
) -> dict[str, Any]:
    """The arguments as an object: positional values get the names of the declared parameters, in their order."""
    plain = {argument.key: argument.value for argument in found if argument.key and type(argument.value) is not Name}
    if len(plain) == len(found) and "**" not in plain:
        return plain
    schema = tools.parameters(name)
    known = tools.properties(name) or {}
    positional = [argument.value for argument in found if argument.key is None]
    result: dict[str, Any] = {}
    if positional:
        if any(argument.key is not None for argument in found[: len(positional)]):
            raise Unreadable("a positional value behind a named one", at)
        repair("positional_argument")
        if len(found) == 1 and isinstance(positional[0], dict) and holds_all(positional[0], known, schema):
            return positional[0]
        if len(positional) > len(known):
            raise Unreadable("a positional value for no declared parameter", at)
        result.update(zip(known, positional, strict=False))
    for argument in found[len(positional) :]:
        if argument.key == "**":
            if not isinstance(argument.value, dict):
                raise Unreadable("what is spread out is no object", at)
            members = argument.value
        else:
            members = {str(argument.key): argument.value}
        for key, value in members.items():
            if key in result:
                if positional and key in list(known)[: len(positional)]:
                    raise Unreadable(f"two values for {key!r}", at)
                repair("duplicate_key")
            result[key] = value
    for key, value in result.items():
        if isinstance(value, Name):
            allowed = types_of(known[key], schema) if key in known else frozenset()
            if allowed is not None and allowed.isdisjoint({"string", "array", "object"}):
                raise Unreadable(f"{str(value)[:40]!r} is a name, no value", at)
            repair("unquoted_string")
            if allowed is not None and "string" not in allowed:
                repair("type_mismatch")
            result[key] = str(value)
    return result


def holds_all(value: dict[str, Any], known: dict[str, Any], schema: Any) -> bool:
    """Whether the only, positional, value of a call is an object that holds all arguments."""
    if not known or value.keys() <= known.keys():
        return True
    allowed = types_of(next(iter(known.values())), schema)
    return allowed is not None and "object" not in allowed
