"""Tools as Qwen3-Coder, Nemotron 3 and MiMo declare them: tags around each part of a function, one per line.

    <function>
    <name>get_weather</name>
    <description>Weather of a city.</description>
    <parameters>
    <parameter>
    <name>city</name>
    <type>string</type>
    <description>City name</description>
    <minLength>1</minLength>
    </parameter>
    <required>["city"]</required>
    </parameters>
    </function>

Every other key of a schema has a tag with the key's name. Lists and objects are JSON; everything else is text as
Python prints it (Qwen3-Coder-Next: as JSON), without escapes: ``<default>10</default>`` may be a number or a string,
and is read as a number. White space around descriptions is cut. The type of the parameters, an object, is left out.

Source: the chat templates of Qwen/Qwen3-Coder-30B-A3B-Instruct and Qwen3-Coder-Next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Tool
from toolconv.dialects.declarations.schemas import NotAListing, mapping
from toolconv.dialects.values.by_schema import Looks, spell_python, spell_python_all

OPENING = lazy_re(r"<([^<>\n]+)>")
VERBATIM = ("name", "description")
"""Keys whose values are always text."""
LOOKS = Looks(spell_python, [spell_python_all])


# ── writing ──


def write_function(
    function: Mapping[str, Any],
    *,
    early: tuple[str, ...] = (),
    late: tuple[str, ...] = (),
    scalar: Callable[[Any], str] = str,
) -> str:
    """One function object.

    Args:
        function: ``name``, ``description``, ``parameters``, and any other keys.
        early: keys of a parameter that come before its others.
        late: keys of the parameters' schema that come after its others.
        scalar: writes a number, a boolean or null.
    """
    schema = mapping(function.get("parameters"))
    lines = ["<function>", f"<name>{function.get('name', '')}</name>", *_description(function), "<parameters>"]
    for name, parameter in mapping(schema.get("properties")).items():
        fields = mapping(parameter)
        ahead = {key: fields[key] for key in early if key in fields}
        lines += ["<parameter>", f"<name>{name}</name>"]
        if "type" in fields:
            lines.append(f"<type>{fields['type']}</type>")
        lines += [
            *_description(fields),
            *_tags({**ahead, **fields}, but=("name", "type", "description"), scalar=scalar),
            "</parameter>",
        ]
    lines += _tags(schema, but=("type", "properties", *late), scalar=scalar)
    lines += [*_tags({key: schema[key] for key in late if key in schema}, scalar=scalar), "</parameters>"]
    lines += _tags(function, but=("type", "name", "description", "parameters"), scalar=scalar)
    return "\n".join([*lines, "</function>"])


def _description(fields: Mapping[str, Any]) -> Iterator[str]:
    if "description" in fields:
        yield f"<description>{str(fields['description']).strip()}</description>"


def _tags(fields: Mapping[str, Any], but: tuple[str, ...] = (), *, scalar: Callable[[Any], str] = str) -> Iterator[str]:
    """A tag for each key that is not in ``but``."""
    for key, value in fields.items():
        if key not in but:
            write = str if isinstance(value, str) else jsontext.spaced if isinstance(value, (dict, list)) else scalar
            text = write(value)
            yield f"<{key}>{text}</{key}>"


# ── reading ──


def read_functions(text: str) -> list[Tool]:
    """The tools that ``text`` lists; none if part of it can't be read."""
    if not text.lstrip().startswith("<"):
        return []
    try:
        return [{"type": "function", "function": _function(inner)} for inner in _functions(text)]
    except NotAListing:
        return []


def _functions(text: str) -> Iterator[str]:
    """The text inside each ``<function>``."""
    for key, inner in _elements(text.strip()):
        if key != "function":
            raise NotAListing
        yield inner


def _function(text: str) -> dict[str, Any]:
    function = {key: _schema(inner) if key == "parameters" else _value(key, inner) for key, inner in _lines(text)}
    if not function.get("name"):
        raise NotAListing
    return function


def _schema(text: str) -> dict[str, Any]:
    """The schema that the lines in ``<parameters>`` hold: the parameters and further keys."""
    properties: dict[str, Any] = {}
    more: dict[str, Any] = {}
    for key, inner in _lines(text):
        if key == "parameter":
            fields = {name: _value(name, value) for name, value in _lines(inner)}
            properties[fields.pop("name", "")] = fields
        else:
            more[key] = _value(key, inner)
    return {"type": "object", "properties": properties, **more}


def _value(key: str, text: str) -> Any:
    return text if key in VERBATIM else LOOKS.read(text)


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """The elements of a tag whose opening and closing tags are on separate lines."""
    return _elements(text.removeprefix("\n").removesuffix("\n"))


def _elements(text: str) -> Iterator[tuple[str, str]]:
    """Name and inner text of each tag. A tag ends only if another opens on the next line, or the text ends."""
    at = 0
    while at < len(text):
        opening = OPENING.match(text, at)
        if opening is None:
            raise NotAListing
        closing = f"</{opening[1]}>"
        end = after = text.find(closing, opening.end())
        while end >= 0 and not (text.startswith("\n<", after := end + len(closing)) or after == len(text)):
            end = text.find(closing, after)
        if end < 0:
            raise NotAListing
        yield opening[1], text[opening.end() : end]
        at = after + 1
