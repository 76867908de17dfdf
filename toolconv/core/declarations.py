"""Tool declarations in the shapes of all makers, read as OpenAI's envelopes.

The canonical declaration is ``{"type": "function", "function": {"name", "description", "parameters"}}``. Others are:

- a function without the envelope, as OpenAI's Responses and many datasets have it,
- MCP's ``inputSchema`` (also a whole ``tools/list`` answer), Anthropic's ``input_schema``,
- Gemini's ``functionDeclarations`` (type names in capitals) and ``parametersJsonSchema``, Bedrock's ``toolSpec``,
- a ``namespace`` of Responses and Codex; each of its tools gets the key ``namespace`` next to ``function``,
- smolagents' ``inputs``, in which ``nullable`` marks what may be left out, and ACEBench's ``arguments``,
- an object of functions by name, or by the question that each answers (ToolHop),
- Letta's ``json_schema``, the whole declaration,
- the JSON text of any of these.

Tools without a function, such as ``web_search`` or one with free text as its input, stay as they are. So do other keys
of a declaration: those of the function object stay in it, others stay next to it.

Source: the API references of OpenAI, Anthropic, Google and AWS; the MCP specification, ``Tool``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.json_pointer import escaped
from toolconv.core.schema_types import SCHEMAS_BY_NAME

SCHEMA_KEYS: Final = ("parameters", "inputSchema", "input_schema", "parametersJsonSchema", "parameters_json_schema")
"""Keys of the schema of a tool's arguments."""

GROUPS: Final = ("functionDeclarations", "function_declarations")
_WRAPPERS: Final = ("function", "toolSpec", "custom", "json_schema")
_OTHER_KEYS: Final = frozenset({*SCHEMA_KEYS[1:], "inputs", "arguments"})
_CAPITALS: Final = frozenset({"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"})
_VALUES: Final = frozenset({"default", "const", "enum", "example", "examples"})
"""Keywords whose values are data."""


class Declaration(NamedTuple):
    """One declaration.

    Attributes:
        tool: the canonical declaration; a provider's own tool, and anything that declares nothing, as it is.
        function: the object with the name and ``parameters``; ``None`` if nothing is declared.
        pointer: the place of that object (a pointer that may continue inside JSON text).
        schema_pointer: the place of its schema, even if there is none.
    """

    tool: Any
    function: dict[str, Any] | None
    pointer: str
    schema_pointer: str

    @property
    def named(self) -> dict[str, Any] | None:
        """:attr:`function` if it has a name."""
        return self.function if self.function is not None and isinstance(self.function.get("name"), str) else None


def are_canonical(tools: list[Any]) -> bool:
    """Whether no declaration of a list needs a conversion; their schemas may still hold anything."""
    for tool in tools:
        try:
            function = tool["function"]
            if tool["type"] != "function" or type(function["name"]) is not str:
                return False
        except (KeyError, TypeError):  # no such key, or no object
            return False
        parameters = function.get("parameters")
        if type(parameters) is dict:
            if parameters.get("type") == "OBJECT":
                return False
        elif parameters is not None or not _OTHER_KEYS.isdisjoint(function):
            return False
    return True


def is_canonical(tool: Any) -> bool:
    """Whether a declaration needs no conversion."""
    return are_canonical([tool])


def is_enveloped(tool: Any) -> bool:
    """Whether an item of a list of tools is one that OpenAI's chat completions accept as it is."""
    function = tool.get("function") if isinstance(tool, dict) else None
    if isinstance(function, dict):
        return tool.get("type", "function") == "function" and _OTHER_KEYS.isdisjoint(function)
    return all(each.tool is tool for each in _unfolded(tool, ""))


def declarations(value: Any, pointer: str = "") -> Iterator[Declaration]:
    """The declarations in a list of tools, in order; an item that declares nothing is given as it is.

    Args:
        value: a list, an object of functions by name, an answer to MCP's ``tools/list``, one declaration, or the JSON
            text of one of these.
        pointer: the place of ``value``.
    """
    value = jsontext.opened(value)
    if isinstance(value, dict):
        for key in ("result", "tools"):
            if isinstance(value.get(key), dict | list):
                value, pointer = value[key], f"{pointer}/{key}"
                break
        if isinstance(value, dict) and isinstance(value.get("tools"), list):
            value, pointer = value["tools"], f"{pointer}/tools"
    if isinstance(value, dict) and _are_by_name(value):
        for name, function in value.items():
            yield from _unfolded({"name": name, **function}, f"{pointer}/{escaped(name)}")
    elif isinstance(value, dict):
        yield from _unfolded(value, pointer)
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _unfolded(item, f"{pointer}/{at}")


def _are_by_name(value: dict[str, Any]) -> bool:
    """Whether each member of an object is a function with a schema, whose name is the key if it has none."""
    return bool(value) and all(
        isinstance(function, dict)
        and isinstance(function.get("name", name), str)
        and any(isinstance(jsontext.opened(function.get(key)), dict) for key in SCHEMA_KEYS)
        for name, function in value.items()
    )


def _unfolded(item: Any, place: str, *, is_gemini: bool = False) -> Iterator[Declaration]:
    """The declarations in one item of a list."""
    given = item
    item = jsontext.opened(item)
    if isinstance(item, list) and item:
        for at, inner in enumerate(item):
            yield from _unfolded(inner, f"{place}/{at}", is_gemini=is_gemini)
        return
    if not isinstance(item, dict):
        yield Declaration(given, None, place, place)
        return
    if isinstance(item.get("function"), str) and isinstance(function := jsontext.opened(item["function"]), dict):
        item = {**item, "function": function}
    group = next((key for key in GROUPS if isinstance(item.get(key), list)), None)
    if group is not None:
        for at, inner in enumerate(item[group]):
            yield from _unfolded(inner, f"{place}/{group}/{at}", is_gemini=True)
        if rest := _without(item, group):
            yield Declaration(rest, None, place, place)
    elif item.get("type") == "namespace" and isinstance(item.get("tools"), list):
        namespace = _without(item, "type", "tools")
        for at, inner in enumerate(item["tools"]):
            for found in _unfolded(inner, f"{place}/tools/{at}"):
                tool = {**found.tool, "namespace": namespace} if isinstance(found.tool, dict) else found.tool
                yield found._replace(tool=tool)
    else:
        found = declared(item, place, is_gemini=is_gemini)
        yield found._replace(tool=given) if found.tool is item and found.named is None else found


def declared(item: dict[str, Any], place: str = "", *, is_gemini: bool = False) -> Declaration:
    """The declaration in an object that is no group of declarations.

    Args:
        item: the object.
        place: its place.
        is_gemini: it is one of Gemini's, whose schemas have type names in capitals.
    """
    wrapper = next((key for key in _WRAPPERS if isinstance(item.get(key), dict)), None)
    inner: dict[str, Any] = item if wrapper is None else item[wrapper]
    pointer = place if wrapper is None else f"{place}/{wrapper}"
    key, steps, schema = _schema(inner)
    schema_pointer = "/".join((pointer, *steps))
    kind = item.get("type")
    if wrapper == "custom" or (kind not in (None, "function") and (wrapper is not None or key is None)):
        function = {"type": kind, **inner} if "name" in inner else None
        return Declaration(item, function, pointer, schema_pointer)
    if wrapper is None and key is None and "name" not in item:
        return Declaration(item, None, pointer, schema_pointer)
    if isinstance(schema, dict) and (is_gemini or schema.get("type") == "OBJECT"):
        schema = _lowered(schema)
    function = _function(inner, key, schema, is_bare=wrapper is None)
    if not isinstance(function.get("name"), str):
        return Declaration(item, function, pointer, schema_pointer)
    if wrapper == "function" and kind == "function":
        tool = item if function is inner else {**item, "function": function}
    else:
        others = {} if wrapper is None else _without(item, "type", wrapper)
        tool = {"type": "function", "function": function, **others}
    return Declaration(tool, function, pointer, schema_pointer)


def _schema(function: dict[str, Any]) -> tuple[str | None, tuple[str, ...], Any]:
    """The key of a function's schema, the path to the schema, and the schema, decoded if it is JSON text."""
    given = [key for key in SCHEMA_KEYS if key in function]
    key = next((key for key in given if function[key] is not None), given[0] if given else None)
    if key is not None:
        schema = jsontext.opened(function[key])
        if key == "inputSchema" and isinstance(schema, dict) and schema.keys() == {"json"}:
            return key, (key, "json"), jsontext.opened(schema["json"])
        return key, (key,), schema
    inputs, arguments = function.get("inputs"), function.get("arguments")
    if isinstance(inputs, dict) and all(isinstance(part, dict) and "type" in part for part in inputs.values()):
        required = [name for name, part in inputs.items() if part.get("nullable") is not True]
        schema = {"type": "object", "properties": inputs, **({"required": required} if required else {})}
        return "inputs", ("inputs",), schema
    if isinstance(arguments, dict) and isinstance(arguments.get("properties"), dict):
        return "arguments", ("arguments",), arguments
    return None, ("parameters",), None


def _function(given: dict[str, Any], key: str | None, schema: Any, *, is_bare: bool) -> dict[str, Any]:
    """A function object with its schema under ``parameters``; the same object if nothing changes."""
    if (key is None or (key == "parameters" and schema is given[key])) and not (is_bare and "type" in given):
        return given
    function = {}
    for name, value in given.items():
        if name == key:
            function["parameters"] = schema
        elif is_bare and name == "type" and value in (None, "function"):
            continue
        elif value is not None or name not in SCHEMA_KEYS:
            function[name] = value
    return function


def _lowered(schema: Any) -> Any:
    """A schema with JSON Schema's names of types."""
    if isinstance(schema, list):
        return [_lowered(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "type" and isinstance(value, str):
            result[key] = value.lower() if value in _CAPITALS else value
        elif key in SCHEMAS_BY_NAME and isinstance(value, dict):
            result[key] = {name: _lowered(part) for name, part in value.items()}
        else:
            result[key] = value if key in _VALUES else _lowered(value)
    return result


def _without(item: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key not in keys}
