"""The forms in which rows store calls, other than OpenAI's own. No call is ignored silently: it is read or dropped.

An item of ``tool_calls`` may be flat (``name`` with ``arguments`` or ``args``), or the JSON text of a call. Frameworks
also store calls, often copies, under other keys of a message. Arguments under keys that no framework uses are the
repair ``alternative_key``.
"""

from __future__ import annotations

from typing import Any

from toolconv.core import jsontext
from toolconv.core.call_keys import (
    ARGUMENT_KEYS,
    NAME_KEYS,
    RARE_NAME_KEYS,
    TOOL_NAME_KEYS,
    argument_key,
    holds_object,
    unread_key,
)
from toolconv.core.messages import Row
from toolconv.core.notes import Dropped, Notes
from toolconv.layouts.call_items import call_item, extras
from toolconv.layouts.nested_json import value_of

NAMES = (*NAME_KEYS, *RARE_NAME_KEYS)
FRAMEWORKS_ARGUMENTS = frozenset({*ARGUMENT_KEYS, "tool_kwargs", "kwargs"})
"""The keys of arguments that frameworks write in flat calls."""
IDS = ("id", "tool_call_id", "call_id", "toolCallId")
WRAPPERS = ("functionCall", "function_call", "toolUse", "tool_call", "toolCall")
"""The keys of a call in an object of its own: Gemini's, OpenAI's older one, Bedrock's."""
NOTHING = (None, "", "null")
"""Values that mean that there are no arguments."""


def read_calls(calls: Any, notes: Notes) -> list[dict[str, Any]]:
    """The call items of a list, which may be JSON text. Anything that is not a call counts as dropped."""
    return [item for call in listed_calls(calls) if (item := read_form(call, notes)) is not None]


def listed_calls(calls: Any) -> list[Any]:
    """The items of a list of calls, which may be JSON text, one call, or an object with a number or an id for each."""
    if isinstance(calls, str) and isinstance(value := value_of(calls), dict | list):
        calls = value
    if isinstance(calls, dict) and all(map(str.isdecimal, calls)):
        return list(calls.values())
    if isinstance(calls, dict) and calls and all(map(_is_call_alone, calls.values())):
        return [{"id": key, **call} for key, call in calls.items()]
    if isinstance(calls, dict) or (isinstance(calls, str) and calls):
        return [calls]
    return calls if isinstance(calls, list) else []


def read_form(call: Any, notes: Notes) -> dict[str, Any] | None:
    """A call item in any form; ``None`` if it is dropped."""
    value = value_of(call) if isinstance(call, str) else call
    if isinstance(value, dict):
        wrapper = next((key for key in WRAPPERS if isinstance(value.get(key), dict)), None)
        around = {} if wrapper is None else extras(value, wrapper, "type")
        value = value if wrapper is None else value[wrapper]
        if isinstance(tool := value.get("tool"), dict) and "name" in tool and "function" not in value:
            value = {**extras(value, "tool"), **tool}
        function = value.get("function")
        holder = function if isinstance(function, dict) else value
        name = next((holder[key] for key in NAMES if isinstance(holder.get(key), str) and holder[key]), None)
        key = argument_key(holder)
        if name is not None and (key is not None or unread_key(holder) is None):
            if key is not None and (key != "arguments" if holder is function else key not in FRAMEWORKS_ARGUMENTS):
                notes.repairs.append("alternative_key")
            arguments = None if key is None else holder[key]
            call_id = next((each[key] for each in (value, around) for key in IDS if each.get(key)), None)
            copied = *FRAMEWORKS_ARGUMENTS.difference(each for each in holder if holder[each] != arguments), key or ""
            rest = extras(value, *NAMES, *copied, *IDS, "type")
            if holder is not value:
                rest = {**extras(holder, *NAMES, *copied, *IDS, "type"), **rest}
            rest.update(extras(around, *IDS))
            return call_item(call_id, name, {} if arguments in NOTHING else arguments, filled(rest), notes)
    notes.dropped.append(unknown_call(call))
    return None


PART_CALLS = frozenset({"tool_call", "tool_use", "tool-call", "function_call", "functionCall", "toolUse", "toolCall"})
"""The types of content parts that are calls, or the keys of such parts."""


def drop_unread(keys: Row, notes: Notes) -> None:
    """Count the calls in lists under keys that are not read as dropped."""
    for value in keys.values():
        lists = value.values() if isinstance(value, dict) else (value,)
        for item in (item for each in lists if isinstance(each, list) for item in each):
            if isinstance(item, dict) and looks_like_call(item):
                notes.dropped.append(unknown_call(item))


def looks_like_call(value: Row) -> bool:
    """Whether an object has the name, or the id, and the arguments of a call."""
    function = value.get("function")
    if isinstance(function, dict):
        return "name" in function
    if isinstance(value.get("tool"), dict):
        return "name" in value["tool"] and argument_key(value) is not None
    named = "toolCallId" in value or any(isinstance(value.get(key), str) for key in (*NAME_KEYS, *TOOL_NAME_KEYS))
    return named and argument_key(value) is not None


def flat_call(step: Row) -> tuple[Row, tuple[str, ...]] | None:
    """The call whose name and arguments are among the keys of an object, and these keys; ``None`` without one."""
    name = next((key for key in NAMES if type(step.get(key)) is str and step[key].strip()), None)
    arguments = argument_key(step)
    if name is None or arguments is None or not (holds_object(step[arguments]) or step[arguments] in (None, "")):
        return None
    call_id = next((key for key in reversed(IDS) if type(step.get(key)) is str), None)
    numbered = {} if call_id is None else {"id": step[call_id]}
    function = {"name": step[name], "arguments": step[arguments] or {}}
    used = (name, arguments) if call_id is None else (name, arguments, call_id)
    return {**numbered, "type": "function", "function": function}, used


def _is_call_alone(value: Any) -> bool:
    return isinstance(value, dict) and looks_like_call(value)


def unknown_call(value: Any) -> Dropped:
    """A call that no reader knows."""
    kind = value.get("type") if isinstance(value, dict) else None
    where = f"in a part of type {kind!r}" if isinstance(kind, str) else "in an unknown form"
    return Dropped(f"a call {where}", value if isinstance(value, str) else jsontext.dumps(value).decode())


def filled(keys: Row) -> Row:
    """The keys that hold something: not null, ``""``, ``[]`` or ``{}``."""
    return {key: value for key, value in keys.items() if value is not None and value not in ("", [], {})}
