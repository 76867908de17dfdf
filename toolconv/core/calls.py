"""Read a call from a JSON value. Models use many keys for name and arguments; each unusual one is a named repair."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import Any, Final, NamedTuple

from toolconv.core import jsontext, lenient_json
from toolconv.core.call_keys import (
    ARGUMENT_KEYS,
    CALL_KEYS,
    CALLS_KEYS,
    ENVELOPE_KEYS,
    NAME_KEYS,
    NO_CONTENT,
    PROSE_KEYS,
    RARE_ARGUMENT_KEYS,
    RARE_NAME_KEYS,
    TOOL_NAME_KEYS,
    holds_object,
    rare_argument_key,
)
from toolconv.core.declarations import declarations
from toolconv.core.errors import ToolconvError
from toolconv.core.lazy_re import lazy_re
from toolconv.core.one_slip import read_one_slip
from toolconv.core.schema_types import allows
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS, ToolIndex

INCOMPLETE = frozenset({"missing_arguments", "flat_arguments"})
"""Repairs of calls whose arguments have no object of their own, which shows nothing of what may be missing."""
PLAIN_NAME = lazy_re(r"[^\W\d]\w*(?:[.\-]\w+)*")


class NotACall(ToolconvError, ValueError):
    """The value is not a call; the message says why."""


def is_plain_name(name: str) -> bool:
    """Whether a name is one that every format can hold."""
    return name.isidentifier() or PLAIN_NAME.fullmatch(name) is not None


def is_likely_name(name: str) -> bool:
    """Whether a name that nobody declares is likely that of a tool: a plain one, and no value such as ``null``."""
    return name not in lenient_json.WORDS and is_plain_name(name)


def is_schema(arguments: dict[str, Any], name: str, tools: ToolIndex) -> bool:
    """Whether the arguments of a call are a schema: then its text declares a tool, and does not call it."""
    declared = tools.properties(name)
    if arguments.get("type") not in ("object", "dict", "OBJECT"):
        return declared is not None and _are_types(arguments, declared)
    if type(arguments.get("properties")) is not dict and len(arguments) > 1:
        return False
    return declared is None or not arguments.keys() & {"type", "properties"} <= declared.keys()


def _are_types(arguments: dict[str, Any], declared: dict[str, Any]) -> bool:
    """Whether each argument is the type of its parameter, and not all of these are texts: ``{"days": "integer"}``."""
    types = [schema.get("type") if isinstance(schema := declared.get(key), dict) else None for key in arguments]
    return types == list(arguments.values()) and any(type(each) is str and each != "string" for each in types)


def is_call(value: Any, tools: ToolIndex) -> bool:
    """Whether a value without a marker before it is a call.

    It must name a tool (a declared one, if the conversation declares any) and have a key for the arguments.
    """
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("function"), dict):
        value = value["function"]
    key = next((key for key in NAME_KEYS if isinstance(value.get(key), str)), None) or _rare_name_key(value, tools)
    name = value.get(key) if key else None
    if not name:
        return _tool_as_key(value, tools) is not None
    if not any(key in value for key in ARGUMENT_KEYS) and not rare_argument_key(value):
        return name in tools and (len(value) == 1 or _declares(tools, name, value.keys() - {key, *NAME_KEYS}))
    if any(isinstance(value.get(key), dict) and is_schema(value[key], name, tools) for key in ARGUMENT_KEYS):
        return False
    return not tools or name in tools or name.removeprefix("functions.") in tools


_EMPTY: Final[tuple[Any, ...]] = (None, "", [], {})


class Envelope(NamedTuple):
    """An object around calls, as models write it: ``{"content": "I look.", "tool_calls": […]}``.

    Attributes:
        items: what it holds as calls; at least one.
        prose: the text beside them.
        others: its other members that hold something.
    """

    items: list[Any]
    prose: str
    others: dict[str, Any]


def envelope_of(value: Any) -> Envelope | None:
    """The parts of an object around calls; ``None`` for any other value."""
    if not isinstance(value, dict) or value.get("role", "assistant") != "assistant":
        return None
    key = next((key for key in CALLS_KEYS if value.get(key) and isinstance(value[key], list | dict)), None)
    if key is None:
        key = next((key for key in CALL_KEYS if _is_plain_call(value.get(key))), None)
        if key is None or not value.keys() <= {key, *NO_CONTENT, *PROSE_KEYS}:
            return None
    items = value[key] if isinstance(value[key], list) else [value[key]]
    others = {each: member for each, member in value.items() if each not in {key, *NO_CONTENT} and member not in _EMPTY}
    prose = next((each for each in PROSE_KEYS if isinstance(others.get(each), str)), None)
    return Envelope(items, "" if prose is None else others.pop(prose), others)


def _is_plain_call(value: Any) -> bool:
    """Whether a value is an object with the name and the arguments of a call."""
    return isinstance(value, dict) and isinstance(value.get("name"), str) and any(key in value for key in ARGUMENT_KEYS)


def declares_tools(value: Any) -> bool:
    """Whether a value is a list of tools, or one tool: all have names, and at least one has a schema."""
    functions = [each.named for each in declarations(value)] if isinstance(value, dict | list) else []
    named = [function for function in functions if function is not None]
    schemas = [function["parameters"] for function in named if isinstance(function.get("parameters"), dict)]
    return len(named) == len(functions) and any(
        is_schema(schema, "", NO_TOOLS) or schema.get("type") in ("object", "OBJECT") for schema in schemas
    )


_LISTED: Final = lazy_re(r"\s*(?:```\w*\s*)?(\{.*\}|\[.*\])(?:\s*```)?\s*", re.DOTALL)
_TOOL_KEYS: Final = (*NAME_KEYS, *TOOL_NAME_KEYS)
_BESIDE: Final = frozenset({"id", "type", *PROSE_KEYS})
"""The keys that may be next to the name and the arguments of a call."""
_ANTHROPIC: Final = frozenset({"type", "id", "name", "input"})
"""The keys of a call as Anthropic writes it."""
_WRAPPED: Final = frozenset({"function", "id", "type", "index"})
"""The keys of a call as OpenAI writes it, whose arguments are JSON text."""


def lists_calls(text: str, tools: ToolIndex) -> bool:
    """Whether a whole text, or the code block that it is, is JSON that holds calls only, perhaps slightly damaged.

    All are objects of a name and arguments, or OpenAI's around these, in a list or an object around it. If tools are
    declared, one is named, or a key says "arguments": what has names and parameters may be data.
    """
    if "{" not in text:
        return False
    match = _LISTED.fullmatch(text)
    if match is None:
        return False
    try:
        value = _document(match[1])
    except ValueError:
        return False
    envelope = envelope_of(value)
    items = envelope.items if envelope is not None else value if isinstance(value, list) else [value]
    calls = [
        item["function"] if isinstance(item, dict) and "function" in item and item.keys() <= _WRAPPED else item
        for item in items
    ]
    inner = envelope is not None or calls != items
    if not all(_is_plainly_call(call, tools, inner=inner) for call in calls):
        return False
    return bool(calls) and (
        not tools or any("arguments" in call or call.keys() == _ANTHROPIC or is_call(call, tools) for call in calls)
    )


def _is_plainly_call(value: Any, tools: ToolIndex, *, inner: bool) -> bool:
    """Whether a value is a call of a declared tool, or has just the keys of a call; only ``inner`` ones hold texts."""
    if not isinstance(value, dict):
        return False
    if tools and value.keys().isdisjoint(ARGUMENT_KEYS) and is_call(value, tools):
        return True
    if value.keys() == _ANTHROPIC:
        return bool(value["type"] == "tool_use")
    name = next((key for key in _TOOL_KEYS if isinstance(value.get(key), str)), "")
    key = next((key for key in (*ARGUMENT_KEYS, *RARE_ARGUMENT_KEYS) if key in value), "")
    if not value.keys() <= {name, key, *_BESIDE} or (name == "name" and key == "inputs"):  # of a component, say
        return False
    arguments = value.get(key)
    if isinstance(arguments, str) and inner:
        try:
            arguments = jsontext.loads(arguments)
        except ValueError:
            return False
    return is_likely_name(value.get(name, "")) and isinstance(arguments, dict) and not is_schema(arguments, "", tools)


def _document(text: str) -> Any:
    """The value that a text is in JSON, perhaps with other quotes or a comma too many.

    Raises:
        ValueError: it is not one.
    """
    try:
        return jsontext.loads(text)
    except ValueError:
        reading = lenient_json.read(text, 0)
        if reading.end < len(text) or reading.unclosed:
            raise
        return reading.value


def call_from(
    value: Any,
    argument_key: str,
    tools: ToolIndex,
    repairs: list[str],
    *,
    name_key: str = "name",
    id_key: str = "id",
    variants: Collection[str] = (),
) -> ToolCall:
    """Read a call object.

    Args:
        value: ``{"name", "arguments"}`` under any known keys, bare or in OpenAI's envelope.
        argument_key, name_key: the keys of the format; any other key is a repair.
        variants: further keys that are not a repair.
        id_key: the key of the call's id.
        tools: declared tools; they show whether a prefix such as ``functions.`` belongs to a name.
        repairs: the names of the repairs made are appended to this list.

    Raises:
        NotACall: there is no name, the arguments are not an object, or it is not clear which members they are.
    """
    if not isinstance(value, dict):
        raise NotACall(f"{_kind(value)} where a call object should stand")
    name, arguments, call_id = value.get(name_key), value.get(argument_key), value.get(id_key)
    plain = len(value) == 2 if call_id is None else len(value) == 3 and type(call_id) is str
    if plain and type(name) is str and type(arguments) is dict and name and "type" not in arguments:
        return ToolCall(declared_name(name, tools, repairs) if "." in name else name, arguments, call_id)
    members = dict(value)
    envelope = value.get("function")
    if isinstance(envelope, dict) and not isinstance(value.get("name"), str):
        del members["function"]
        members = {**envelope, **members}
        repairs.append("openai_envelope")
    used, name = _first(members, (name_key, *NAME_KEYS), str)
    if used is None and (used := _rare_name_key(members, tools)) is not None:
        name = members.pop(used)
    if used is None and (used := _tool_as_key(members, tools)) is not None:
        name, members = used, {argument_key: members[used]}
    if used is None:
        raise NotACall("no name")
    own_keys = {name_key, argument_key, *variants}
    if members.get("type") == "function":
        del members["type"]
    key, written = _first(members, (argument_key, *ARGUMENT_KEYS), object)
    if key is None and (key := rare_argument_key(members) or _key_of_parameters(members, name, tools)) is not None:
        written = members.pop(key)
    if key is None:
        arguments = _flat(members, name, id_key, tools, repairs)
    else:
        arguments = arguments_from(written, repairs)
    if is_schema(arguments, name, tools):
        raise NotACall("a declaration of a tool where a call should be")
    if not {used, key or used} <= own_keys:
        repairs.append("alternative_key")
    call_id = _call_id(members, id_key, repairs)
    return ToolCall(declared_name(name, tools, repairs), arguments, call_id, members or None)


def _rare_name_key(members: dict[str, Any], tools: ToolIndex) -> str | None:
    """The one of :data:`RARE_NAME_KEYS` that holds the name of a call; ``None`` if none does."""
    for key in RARE_NAME_KEYS:
        name = members.get(key)
        if isinstance(name, str) and (name in tools or name.removeprefix("functions.") in tools):
            return key
        if isinstance(name, str) and not tools and is_likely_name(name):
            rare, stem = rare_argument_key(members), key.removesuffix("name").rstrip("_") + "_"
            if rare is not None and (key in TOOL_NAME_KEYS or rare.startswith(stem)):
                return key
            if key in TOOL_NAME_KEYS and any(holds_object(members.get(usual)) for usual in ARGUMENT_KEYS):
                return key
    return None


def _tool_as_key(members: dict[str, Any], tools: ToolIndex) -> str | None:
    """The only key of an object, if it names a declared tool and holds arguments of it: ``{"f": {"city": "Oslo"}}``."""
    key = next(iter(members), "")
    if len(members) != 1 or key not in tools or not isinstance(members[key], dict):
        return None
    return key if _declares(tools, key, members[key]) and not is_schema(members[key], key, tools) else None


def _key_of_parameters(members: dict[str, Any], name: str, tools: ToolIndex) -> str | None:
    """The only other key whose value is an object of the tool's parameters; it is not itself a parameter."""
    name = declared_name(name, tools, [])
    found = [
        key for key, value in members.items() if isinstance(value, dict) and value and _declares(tools, name, value)
    ]
    only = found[0] if len(found) == 1 and not members.keys() & {*ARGUMENT_KEYS, *RARE_ARGUMENT_KEYS} else None
    return None if only is None or _declares(tools, name, (only,)) else only


def _declares(tools: ToolIndex, name: str, keys: Collection[str]) -> bool:
    """Whether a declared tool has parameters of all these names."""
    properties = tools.properties(name)
    return properties is not None and all(key in properties for key in keys)


def _flat(members: dict[str, Any], name: str, id_key: str, tools: ToolIndex, repairs: list[str]) -> dict[str, Any]:
    """Take the arguments of a call that has no object for them out of ``members``; there may be none.

    They are the parameters that the tool declares. Without any declared tools they are all members, if none of these is
    a key that calls have for something else.

    Raises:
        NotACall: it is not clear which members are arguments.
    """
    name = declared_name(name, tools, [])
    declared = {key for key in members if _declares(tools, name, (key,))}
    others = members.keys() - declared - {id_key, *NAME_KEYS, *ENVELOPE_KEYS}
    if not declared and not others:
        repairs.append("missing_arguments")
        return {}
    if others and (tools or len(others) < len(members)):
        raise NotACall(f"no arguments, but {', '.join(map(repr, sorted(others)))}")
    repairs.append("flat_arguments")
    return {key: members.pop(key) for key in list(members) if key in declared or key in others}


def cut_off(unclosed: list[Any], made: Collection[str]) -> bool:
    """Whether a call that the end of the text cut off misses anything of its name and arguments.

    Args:
        unclosed: the objects and lists that were still open, the outermost first.
        made: the repairs that were made to read the call.
    """
    wrappers = ("function", *CALLS_KEYS, *CALL_KEYS)
    for outer, inner in pairwise(unclosed):
        if isinstance(outer, dict) and not any(outer.get(key) is inner for key in wrappers):
            return True
    return not INCOMPLETE.isdisjoint(made)


def call_rank(calls: list[ToolCall], made: Collection[str], tools: ToolIndex) -> int:
    """How well calls suit a place where exactly one reading is wanted.

    Returns:
        0 for calls with other members than a name, arguments and an id, 2 for calls that their tools' schemas allow, 1
        for any other.
    """
    if not calls or not INCOMPLETE.isdisjoint(made) or any(call.extra for call in calls):
        return 0
    return 1 + all(allows(tools.parameters(call.name), call.arguments) for call in calls)


def _first(members: dict[str, Any], keys: Iterable[str], kind: type) -> tuple[str | None, Any]:
    """Pop the first of ``keys`` whose value is a ``kind`` from ``members``; empty strings don't count."""
    for key in keys:
        if key in members and isinstance(members[key], kind) and (kind is object or members[key]):
            return key, members.pop(key)
    return None, None


def _call_id(members: dict[str, Any], id_key: str, repairs: list[str]) -> str | None:
    """Pop the call's id from ``members``: a string, or an integer, which is a repair."""
    key = id_key if id_key in members else "id"
    call_id = members.get(key)
    if type(call_id) is int:
        repairs.append("call_id_form")
        call_id = str(call_id)
    if not isinstance(call_id, str):
        return None
    del members[key]
    return call_id


def arguments_from(value: Any, repairs: list[str]) -> dict[str, Any]:
    """Arguments as an object: a JSON string is decoded; null and an empty string become an empty object.

    Raises:
        NotACall: the arguments are anything else.
    """
    for _ in range(3):  # JSON strings encoded twice occur; none encoded more often were seen
        if isinstance(value, dict):
            return value
        if value is None:
            repairs.append("null_arguments")
            return {}
        if not isinstance(value, str):
            raise NotACall(f"arguments are {_kind(value)}, no object")
        if not value or value.isspace():
            repairs.append("empty_arguments")
            return {}
        value = read_text(value, repairs)
        repairs.append("arguments_string")
    raise NotACall("arguments are text, no object")


def read_text(text: str, repairs: list[str]) -> Any:
    """Read a text that is one JSON value, strictly if possible.

    Raises:
        NotACall: the text holds no value, or more than one.
    """
    try:
        return jsontext.loads_plain(text)
    except ValueError:
        pass
    try:
        value = jsontext.loads(text)
    except ValueError:
        try:
            reading = lenient_json.read(text)
        except lenient_json.Unreadable as error:
            try:
                reading = read_one_slip(text, lambda value: isinstance(value, dict | list), ends_here=False)
            except lenient_json.Unreadable:
                raise NotACall(f"unreadable arguments: {error}") from None
        if text[reading.end :].strip():
            raise NotACall("text after the arguments") from None
        repairs.extend(reading.repairs)
        return reading.value
    repairs.extend("duplicate_key" for _ in jsontext.repeated_keys(text, value))
    return value


def declared_name(name: str, tools: ToolIndex, repairs: list[str]) -> str:
    """``name`` without the prefix ``functions.``, unless a declared tool has that prefix."""
    bare = name.removeprefix("functions.")
    if bare is not name and bare in tools and name not in tools:
        repairs.append("name_prefix")
        return bare
    return name


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "text", bool: "a boolean", type(None): "null"}
    return kinds.get(type(value), "a number")
