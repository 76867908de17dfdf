'''Tools as MiniCPM3 declares them: Python stubs whose docstrings list the parameters as Pydantic fields.

    class Unit(Enum):
        enum_0 = "celsius"


    def get_weather(city, unit=None):
        """Weather of a city.

Args:
            city: str = Field(..., description="City name")
            unit: Optional[Unit] = None
        """

Enums, objects with properties, and lists of such objects get a class before the function that has them. A stub holds
names, descriptions, titles, patterns, types, enums, required parameters and the defaults of optional ones, and nothing
else of a schema. A missing type is ``Union[]``, as the template writes it. The template fails on lists without an item
type and on unknown types; here they are ``List[Union[]]`` and ``Any``.

Source: openbmb/MiniCPM3-4B chat template, quoted in BFCL's ``minicpm_fc`` handler.
'''

from __future__ import annotations

import re
from typing import Any, Final

from toolconv.core import jsontext, lenient_json
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Tool
from toolconv.core.tools import function_of
from toolconv.dialects.declarations.schemas import NotAListing, mapping, properties_of, required_of

BASIC: Final = {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "null": "None"}
UNTYPED: Final = "Union[]"
NO_DEFAULT: Final = "None"
FIELD_KEYS: Final = {"description": "description", "pattern": "regex", "title": "title"}
"""Keys of a schema, and the arguments of ``Field`` that hold them."""

# ── writing ──


def write_stub(tool: Tool) -> str:
    """One tool, with the classes of its parameters before it."""
    function = function_of(tool) or {}
    parameters = mapping(function.get("parameters"))
    required = required_of(parameters)
    signature = ", ".join(
        name if name in required else f"{name}={_default(schema)}" for name, schema in properties_of(parameters).items()
    )
    opening = f'\n\ndef {function.get("name")}({signature}):\n    """{function.get("description", "")}'
    opening += "\n\n    Args:\n" if parameters else "\n"
    return f'{_fields(parameters, opening, " " * 8)}    """\n'


def _fields(schema: dict[str, Any], opening: str, indent: str) -> str:
    """The classes that an object's members need, then ``opening`` and a line for each member."""
    required = required_of(schema)
    classes, lines = [], []
    for name, member in properties_of(schema).items():
        classes.append(_class(name, member))
        lines.append(f"{indent}{name}: {_field(name, member, name in required)}\n")
    return "".join([*classes, opening, *lines])


def _class(name: str, schema: dict[str, Any]) -> str:
    """The class of a member, after the classes of its own members; empty if it needs none."""
    if options := _options(schema):
        lines = [f"    enum_{number} = {jsontext.spaced(option)}\n" for number, option in enumerate(options)]
        return f"\n\nclass {_title(name)}(Enum):\n{''.join(lines)}"
    inner = mapping(schema.get("items")) if schema.get("type") == "array" else schema
    if inner.get("type") != "object" or not properties_of(inner):
        return ""
    return _fields(inner, f"\n\nclass {_title(name)}(BaseModel):\n", "    ")


def _field(name: str, schema: dict[str, Any], required: bool) -> str:
    """The type of a member, and its default or ``Field``."""
    kind = _type(name, schema) if required else f"Optional[{_type(name, schema)}]"
    facts = [f"{word}={jsontext.spaced(schema[key])}" for key, word in FIELD_KEYS.items() if schema.get(key)]
    if facts:
        return f"{kind} = Field({', '.join(['...' if required else _default(schema), *facts])})"
    return kind if required else f"{kind} = {_default(schema)}"


def _default(schema: dict[str, Any]) -> str:
    if "default" not in schema:
        return NO_DEFAULT
    default = schema["default"]
    return jsontext.spaced(default) if isinstance(default, str) else str(default)


def _type(name: str, schema: dict[str, Any]) -> str:
    """The type of the member ``name``, which also names its class."""
    kind = schema.get("type")
    if _options(schema):
        return _title(name)
    if kind == "array":
        return f"List[{_type(name, mapping(schema.get('items')))}]"
    if kind == "object":
        if properties_of(schema):
            return _title(name)
        return f"Dict[str, {_type(name, mapping(schema.get('additionalProperties')))}]"
    if isinstance(kind, list):
        return f"Union[{', '.join(_type(name, {'type': one}) for one in kind)}]"
    if "type" not in schema:
        return UNTYPED
    return BASIC.get(kind, "Any") if isinstance(kind, str) else "Any"


def _options(schema: dict[str, Any]) -> list[Any]:
    options = schema.get("enum")
    return options if isinstance(options, list) else []


def _title(name: str) -> str:
    """A name as Jinja's ``title`` filter writes it."""
    words = re.split(r"([-\s({\[<]+)", name)
    return "".join(word[:1].upper() + word[1:].lower() for word in words)


# ── reading ──

_DEFINITION: Final = lazy_re(
    r"\n\nclass (?P<enum>[^\n(]+)\(Enum\):\n(?P<options>(?>(?:    enum_\d+ = [^\n]*\n)*))"
    r"|\n\nclass (?P<model>[^\n(]+)\(BaseModel\):\n(?P<members>(?>(?:    [^\n]+\n)*))"
    r'|\n\ndef (?P<name>[^\n(]+)\([^\n]*\):\n    """(?P<description>.*?)'
    r'(?:\n\n    Args:\n(?P<parameters>(?>(?:        [^\n]+\n)*))|\n)    """\n',
    re.DOTALL,
)
_UNIONS: Final = {word: kind for kind, word in BASIC.items()} | {"List": "array", "Dict": "object"}


def read_stubs(text: str) -> list[Tool]:
    """The tools of consecutive stubs; none if part of ``text`` is not a stub."""
    tools: list[Tool] = []
    classes: dict[str, dict[str, Any]] = {}
    at = 0
    while at < len(text):
        found = _DEFINITION.match(text, at)
        if found is None:
            return []
        try:
            if found["enum"] is not None:
                classes[found["enum"]] = _read_enum(found["options"])
            elif found["model"] is not None:
                classes[found["model"]] = _read_fields(found["members"], classes)
            else:
                tools.append({"type": "function", "function": _read_function(found, classes)})
        except (NotAListing, lenient_json.Unreadable):
            return []
        at = found.end()
    return tools


def _read_function(found: re.Match[str], classes: dict[str, dict[str, Any]]) -> dict[str, Any]:
    function: dict[str, Any] = {"name": found["name"]}
    if found["description"]:
        function["description"] = found["description"]
    if found["parameters"] is not None:
        function["parameters"] = _read_fields(found["parameters"], classes)
    return function


def _read_enum(lines: str) -> dict[str, Any]:
    """The schema of an enum; its type is that of its options."""
    options = [_read_json(line.partition(" = ")[2]) for line in lines.split("\n")[:-1]]
    kinds = {type(option) for option in options}
    typed = {"type": "string"} if kinds == {str} else {"type": "integer"} if kinds == {int} else {}
    return {**typed, "enum": options}


def _read_json(text: str) -> Any:
    """A value that is all of ``text``, as JSON or as Python writes it."""
    return lenient_json.read(f"{text}\n").value  # without more text, a number at the end might continue


def _read_fields(lines: str, classes: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The schema of an object from the lines of its members."""
    properties: dict[str, Any] = {}
    required = []
    for line in lines.split("\n")[:-1]:
        name, _, field = line.strip(" ").partition(": ")
        kind, _, value = field.partition(" = ")
        optional = kind.startswith("Optional[")
        schema = _read_type(kind.removeprefix("Optional[").removesuffix("]") if optional else kind, classes)
        properties[name] = schema | _read_value(value, optional)
        if not optional:
            required.append(name)
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def _read_value(text: str, optional: bool) -> dict[str, Any]:
    """The schema keys that a member's default or ``Field`` holds."""
    inner = text.removeprefix("Field(")
    if inner == text:
        return {} if not optional or text == NO_DEFAULT else {"default": _read_json(text)}
    facts: dict[str, Any] = {}
    missing = NO_DEFAULT if optional else "..."
    at = len(missing)
    if not inner.startswith(missing):
        reading = lenient_json.read(inner)
        facts["default"], at = reading.value, reading.end
    for key, word in FIELD_KEYS.items():
        if inner.startswith(f", {word}=", at):
            reading = lenient_json.read(inner, at + len(f", {word}="))
            facts[key], at = reading.value, reading.end
    if inner[at:] != ")":
        raise NotAListing
    return facts


def _read_type(text: str, classes: dict[str, dict[str, Any]]) -> dict[str, Any]:
    if text in classes:
        return classes[text]
    if text == UNTYPED:
        return {}
    if text in _UNIONS:
        return {"type": _UNIONS[text]}
    outer, _, inner = text.removesuffix("]").partition("[")
    if outer == "List":
        items = _read_type(inner, classes)
        return {"type": "array", "items": items} if items else {"type": "array"}
    if outer == "Dict" and inner.startswith("str, "):
        values = _read_type(inner.removeprefix("str, "), classes)
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}
    if outer == "Union":
        words = inner.replace(f"List[{UNTYPED}]", "List").replace(f"Dict[str, {UNTYPED}]", "Dict").split(", ")
        if all(word in _UNIONS for word in words):
            return {"type": [_UNIONS[word] for word in words]}
    raise NotAListing
