"""Dialects given as files: a TOML file that uses a grammar of toolconv, or a Transformers response template.

.. code-block:: toml

    grammar = "json_blocks"   # or name_then_json, xml_parameters, python_calls, delimited_values
    name = "acme"
    models = ["Acme-7B"]
    calls = '<acme>{"name": {name|json}, "arguments": {args}}</acme>'
    losses = []               # names of toolconv.dialects.losses

    [reasoning]
    open = "<plan>"
    close = "</plan>"

    [chat]
    tools_open = "You may call these tools, in <acme> tags:\\n"
    response = "<result>{content}</result>"

The grammars are ``json_blocks`` (a call is a JSON object), ``name_then_json`` (a marker, a name or an id, and JSON
arguments), ``xml_parameters`` (a tag for each argument), ``python_calls`` (``name(key=value)``) and
``delimited_values`` (bare keys, strings between delimiters).

The keys are the fields of the grammar's class: tuples are lists, and dataclasses are tables. An unknown key is an
error that lists the fields. A grammar that doesn't read what ``calls`` writes is an error, too.

``calls`` is what the model writes for one call, with holes, or a table with all that it writes around calls:

.. code-block:: toml

    [calls]
    call = "<acme>{name}\\n{params}</acme>"
    before = ""                    # before, between and after the calls of a turn
    between = "\\n"
    after = ""
    param = "<arg>{key}={value|json}</arg>\\n"   # one argument, for {params}
    param_between = ""             # between two arguments
    also_spelled = []              # spellings of {value} that other templates of the family use
    odd_param = ""                 # an argument whose key is not a Python keyword
    without_id = ""                # a call that has no id
    id = ""                        # the form of ids, such as "functions.{name}:{index}"
    id_length = 0                  # the length of ids that are cut or filled with zeros
    first_index = 0                # what {index} starts with
    delimiter = ""                 # before and after a string, in the spelling "delimited"
    null = "null"                  # null, in that spelling
    turn = ""                      # a turn with prose and calls, such as "Thought: {prose}\\n{calls}"
    turn_without_prose = "{calls}"
    turn_without_calls = "{prose}"

Holes are ``{name}``, ``{id}``, ``{index}``, ``{args}`` (all arguments as a JSON object), ``{params}`` (one by one),
``{key}``, ``{value}``, ``{type}`` (the value's JSON type) and ``{is_text}`` (``true`` for strings). Other braces are
text. A hole may name spellings: ``{name|json}``, ``{args|compact}``, ``{args|pretty}``, ``{args|compact|json}`` (JSON
text in JSON), ``{args|delimited}``, ``{value|json}``, ``{value|string}`` (as Jinja prints it), ``{value|str}`` and
``{value|python}`` (as Python prints it), ``{value|python_double}``, ``{value|cdata}``, ``{params|sorted}``. With
``python_json_objects`` and ``python_double_json_objects``, a value that is an object is JSON. A dialect whose ``call``
holds ``{id}`` sets ``carries_ids = true``:

.. code-block:: toml

    grammar = "name_then_json"
    name = "acme_ids"
    carries_ids = true
    calls = {call = "<call>{id}<args>{args}</call>", id = "functions.{name}:{index}"}

``[chat]`` says how the system turn declares tools and how results are fed back. Without it, tools are declared as JSON,
one a line, with no word on how to call them. Its fields and their defaults:

.. code-block:: toml

    tools_open = "# Tools\\n\\n"
    tools_close = ""
    tools_between = "\\n"
    tools_apart = "\\n\\n"          # between the tools and the system text
    tools_first = false            # the tools precede the system text
    bare_tools = false             # the inner function objects are declared
    words = []                     # texts about tools that other prompts of the family have
    tool = "json"                  # how a tool is written
    response_role = "tool"         # the role of a turn with results
    response = "{content}"         # one result; {id} and {name} are those of its call
    json_results = false           # results are JSON values
    one_turn = false               # parallel results share a turn
    responses_open = ""
    responses_close = ""
    responses_between = "\\n"

``tool`` is ``json``, ``compact_json``, ``indented_json``, ``python`` (as Python prints it), ``function_tags``
(Qwen3-Coder), ``functionary_typescript``, ``cohere_stubs``, ``seed_stubs``, ``pydantic_stubs`` (MiniCPM3), or a table
for a notation with fields:

.. code-block:: toml

    tool = {headed = {spelling = "## {name}\\n{description}\\n{parameters}"}}
    tool = {typescript = {between = "\\n\\n", last = ","}}
    tool = {delimited = {delimiter = "|", between = ";"}}

``[verified]`` is not read: ``toolconv derive`` records there how it checked the dialect.

A ``.json`` file is a ``response_template``, or a ``tokenizer_config.json`` that holds one: see the dialect ``hf``. The
earlier ``response_schema`` is read, too, but not written.
"""

from __future__ import annotations

import dataclasses
import tomllib
import types
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from toolconv.core import jsontext
from toolconv.core.errors import ToolconvError, reason_of
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS
from toolconv.dialects.base import Dialect
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat, read_tools
from toolconv.dialects.declarations import (
    cohere_stubs,
    function_list,
    functionary_tools,
    pydantic_stubs,
    python_stubs,
)
from toolconv.dialects.declarations.delimited_tools import DelimitedTools
from toolconv.dialects.declarations.headed_tools import HeadedTools
from toolconv.dialects.declarations.typescript_tools import TypeScriptTools
from toolconv.dialects.grammars.delimited_values import DelimitedValues
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.name_then_json import NameThenJson
from toolconv.dialects.grammars.python_calls import PythonCalls
from toolconv.dialects.grammars.response_schema import from_schema
from toolconv.dialects.grammars.response_template import from_template
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.losses import LOSSES
from toolconv.dialects.reading.turn_parser import Reasoning

T = TypeVar("T")

GRAMMARS: Final[dict[str, type[Dialect]]] = {
    "json_blocks": JsonBlocks,
    "name_then_json": NameThenJson,
    "xml_parameters": XmlParameters,
    "python_calls": PythonCalls,
    "delimited_values": DelimitedValues,
}


SPELLINGS: Final = {"json": jsontext.spaced, "compact_json": jsontext.compact, "indented_json": jsontext.pretty}
"""How a notation of tools spells JSON, by the name that a file uses."""


class ToolNotation(NamedTuple):
    """A notation of tools.

    Attributes:
        write: writes a tool.
        read: reads a list of tools.
        bare: ``write`` takes the inner function object.
        between: the text between two tools that ``read`` expects, unless the file sets ``tools_between``.
    """

    write: Callable[[Any], str]
    read: Callable[[str], Any]
    bare: bool = False
    between: str = "\n"


NOT_IN_FILES: Final = ("module", "read", "spellings")
"""Fields that a file can't set: where the dialect is defined, and functions."""

TOOL_NOTATIONS: Final = {
    "json": ToolNotation(jsontext.spaced, read_tools),
    "compact_json": ToolNotation(jsontext.compact, read_tools),
    "indented_json": ToolNotation(jsontext.pretty, read_tools),
    "python": ToolNotation(str, read_tools),
    "function_tags": ToolNotation(function_list.write_function, function_list.read_functions, bare=True),
    "functionary_typescript": ToolNotation(functionary_tools.write_tool, functionary_tools.read_tools, between="\n\n"),
    "cohere_stubs": ToolNotation(cohere_stubs.write_stub, cohere_stubs.read_stubs, between="\n\n"),
    "seed_stubs": ToolNotation(python_stubs.stub, python_stubs.read_stubs, between=f"\n\n{python_stubs.HEAD}"),
    "pydantic_stubs": ToolNotation(pydantic_stubs.write_stub, pydantic_stubs.read_stubs, between=""),
}
"""Notations of tools: ``tool`` of ``[chat]``."""

TOOL_CLASSES: Final[dict[str, tuple[type[Any], bool]]] = {
    "headed": (HeadedTools, True),
    "typescript": (TypeScriptTools, False),
    "delimited": (DelimitedTools, False),
}
"""Notations with fields to set, ``tool = {headed = {spelling = "…"}}``, and whether each takes the bare function."""


class DialectFileError(ToolconvError, ValueError):
    """A file does not describe a dialect. The message names the file and what to fix."""


def load(path: str) -> Dialect:
    """The dialect that a file describes.

    Raises:
        DialectFileError: the file can't be read, or doesn't describe a dialect.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DialectFileError(f"{path}: {reason_of(error)}") from None
    try:
        return _response_template(text) if path.endswith(".json") else from_toml(text)
    except (ValueError, TypeError) as error:
        raise DialectFileError(f"{path}: {error}") from None


def _response_template(text: str) -> Dialect:
    document = jsontext.loads(text)
    if not isinstance(document, dict):
        raise ValueError("not a JSON object")
    if "response_schema" in document and "response_template" not in document:
        return from_schema(document["response_schema"])
    return from_template(document)


def from_toml(text: str) -> Dialect:
    """The dialect that the text of a TOML file describes.

    Raises:
        ValueError: it doesn't describe one; the message says why.
    """
    table = tomllib.loads(text)
    table.pop("verified", None)
    grammar = GRAMMARS[_choice("grammar", table.pop("grammar", None), GRAMMARS)]
    dialect = _instance(grammar, table, "", str(table.get("name", "")))
    if unknown := sorted(set(dialect.losses) - LOSSES.keys()):
        raise ValueError(f"'losses' can't have {unknown[0]!r}; it is a list of {', '.join(LOSSES)}")
    _check_reading(dialect)
    return dialect


def _check_reading(dialect: Dialect) -> None:
    """Check that the grammar reads what ``calls`` writes.

    Raises:
        ValueError: it doesn't.
    """
    if dialect.calls is None:
        return
    first, second = (
        ToolCall("ping", {"host": "a", "note": note}, dialect.calls.id_of(ToolCall("ping", {}, "call00000"), index))
        for index, note in enumerate(("is up", "down\n\nagain"))
    )
    for calls in ([dataclasses.replace(first, arguments={"host": "a"})], [first], [second], [first, second]):
        text = dialect.render(calls)
        read = dialect.parse_own(text, NO_TOOLS).calls
        if [(each.name, each.arguments) for each in read] != [(call.name, call.arguments) for call in calls]:
            raise ValueError(f"'grammar' can't read what 'calls' writes ({text!r}): change one of them")


# ── values by type ──


def _instance(cls: type[T], table: Mapping[str, Any], path: str, name: str) -> T:
    """An instance of a dataclass from a table.

    Args:
        cls: the dataclass.
        table: its fields.
        path: the key of the table in the file, with a dot at its end; empty for the whole file.
        name: the dialect's name, which dialects inside it get, too.

    Raises:
        ValueError: a key is unknown or missing, or a value doesn't fit.
    """
    hints = get_type_hints(cls)
    fields: dict[str, dataclasses.Field[Any]] = {
        field.name: field
        for field in dataclasses.fields(cls)  # type: ignore[arg-type]
        if field.init and field.name not in NOT_IN_FILES
    }
    for key in table:
        if key not in fields:
            raise ValueError(f"{path + key!r} is not a field here; the fields are {', '.join(sorted(fields))}")
    given = {key: _value(path + key, value, hints[key], name) for key, value in table.items()}
    if "name" in fields and path:
        given.setdefault("name", name)
    for key, field in fields.items():
        if key not in given and field.default is field.default_factory is dataclasses.MISSING:
            raise ValueError(f"{path + key!r} is missing")
    try:
        return cls(**given)
    except ValueError as error:
        raise ValueError(f"{path.removesuffix('.')!r}: {error}" if path else str(error)) from None


def _value(key: str, value: Any, wanted: Any, name: str) -> Any:
    """A TOML value as a field of the type ``wanted`` takes it.

    Raises:
        ValueError: it doesn't fit; the message names ``key``.
    """
    origin, arguments = get_origin(wanted), get_args(wanted)
    if origin in (Union, types.UnionType):
        *others, last = (argument for argument in arguments if argument is not types.NoneType)
        for other in others:
            try:
                return _value(key, value, other, name)
            except ValueError:
                continue
        return _value(key, value, last, name)
    if origin is Literal:
        return _choice(key, value, arguments)
    if origin is Callable:
        return SPELLINGS[_choice(key, value, SPELLINGS)]
    if origin is tuple and isinstance(value, list):
        items = arguments[:1] * len(value) if arguments[-1] is ... else arguments
        if len(items) == len(value):
            return tuple(_value(key, item, kind, name) for item, kind in zip(value, items, strict=True))
    if dataclasses.is_dataclass(wanted) and isinstance(wanted, type):
        if isinstance(value, list) and len(value) <= len(fields := dataclasses.fields(wanted)):
            value = {field.name: item for field, item in zip(fields, value, strict=False)}
        if isinstance(value, str) and wanted is CallTemplate:
            value = {"call": value}
        if isinstance(value, dict):
            return _table(key, value, wanted, name)
    if isinstance(wanted, type) and type(value) is wanted:
        return value
    raise ValueError(f"{key!r} can't be {value!r}; it must be {_described(wanted)}")


def _table(key: str, table: dict[str, Any], wanted: type[Any], name: str) -> Any:
    """A table as an instance of the dataclass ``wanted``."""
    if wanted is ChatFormat:
        return _chat(key, table, name)
    if wanted is Reasoning:
        for required, written in (("open", "before"), ("close", "after")):
            if required not in table:
                raise ValueError(f"{f'{key}.{required}'!r} is missing")
            table = {written: table[required], **table}
    return _instance(wanted, table, f"{key}.", name)


def _choice(key: str, value: Any, choices: Collection[T]) -> T:
    """``value`` if it is one of ``choices``.

    Raises:
        ValueError: it isn't.
    """
    if value is None:
        raise ValueError(f"{key!r} is missing; it is one of {', '.join(map(str, choices))}")
    for choice in choices:
        if choice == value and type(choice) is type(value):
            return choice
    raise ValueError(f"{key!r} can't be {value!r}; it is one of {', '.join(map(str, choices))}")


def _described(wanted: Any) -> str:
    """A field's type in the words of TOML."""
    arguments = get_args(wanted)
    if get_origin(wanted) is tuple:
        inner = _described(arguments[0])
        return f"a list of {inner}s" if arguments[-1] is ... else f"a list of {len(arguments)} {inner}s"
    if wanted in (str, bool, int):
        return {str: "text", bool: "true or false", int: "an integer"}[wanted]
    return "a table"


# ── chat ──


def _chat(key: str, table: dict[str, Any], name: str) -> ChatFormat:
    """The chat format that the table ``[chat]`` describes."""
    notation = _notation(f"{key}.tool", table.get("tool", "json"), name)
    others = {field: value for field, value in table.items() if field != "tool"}
    implied = {"tools_between": notation.between, **({"bare_tools": True} if notation.bare else {})}
    chat = _instance(ChatFormat, {**implied, **others}, f"{key}.", name)
    return dataclasses.replace(chat, tool=notation.write, read=notation.read)


def _notation(key: str, value: Any, name: str) -> ToolNotation:
    """The notation of tools that ``tool`` names, or describes in a table."""
    if not isinstance(value, dict):
        return TOOL_NOTATIONS[_choice(key, value, TOOL_NOTATIONS)]
    if len(value) != 1:
        raise ValueError(f"{key!r} must be a table with one key, one of {', '.join(TOOL_CLASSES)}")
    ((kind, table),) = value.items()
    cls, bare = TOOL_CLASSES[_choice(key, kind, TOOL_CLASSES)]
    notation = _value(f"{key}.{kind}", table, cls, name)
    return ToolNotation(notation.write, notation.read, bare, getattr(notation, "between", "\n"))
