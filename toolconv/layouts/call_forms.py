"""The forms in which rows store calls, other than OpenAI's own. No call is ignored silently: it is read or dropped.

An item of ``tool_calls`` may be flat (``name`` with ``arguments`` or ``args``), or the JSON text of a call. Frameworks
also store calls, often copies, under other keys of a message. Arguments under keys that no framework uses are the
repair ``alternative_key``.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

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
from toolconv.core.key_words import ELSEWHERE, is_key_of_calls, says_arguments
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Dropped, Notes
from toolconv.layouts.call_items import call_item, extras
from toolconv.layouts.nested_json import opened

REPAIR: Final = "calls_key"
"""The repair of calls under a key of a message that its layout does not give them."""
NAMES = (*NAME_KEYS, *RARE_NAME_KEYS)
FRAMEWORKS_ARGUMENTS = frozenset({*ARGUMENT_KEYS, "tool_kwargs", "kwargs"})
"""The keys of arguments that frameworks write in flat calls."""
CALL_IDS: Final = ("call_id", "callId", "toolCallId", "tool_call_id", "tool_use_id", "toolUseId", "id")
"""The keys of the id of a call, or of the call that a result answers; the last is also that of what is around it."""
WRAPPERS = ("functionCall", "function_call", "toolUse", "tool_call", "toolCall")
"""The keys of a call in an object of its own: Gemini's, OpenAI's older one, Bedrock's."""
NOTHING = (None, "", "null")
"""Values that mean that there are no arguments."""


def read_calls(calls: Any, notes: Notes) -> list[dict[str, Any]]:
    """The call items of a list, which may be JSON text. Anything that is not a call counts as dropped."""
    return [item for call in listed_calls(calls) if (item := read_form(call, notes)) is not None]


def listed_calls(calls: Any) -> list[Any]:
    """The items of a list of calls, which may be JSON text, one call, or an object with a number or an id for each."""
    calls = opened(calls)
    if isinstance(calls, dict) and all(map(str.isdecimal, calls)):
        return list(calls.values())
    if isinstance(calls, dict) and calls and all(map(_is_call_alone, calls.values())):
        return [{"id": key, **call} for key, call in calls.items()]
    if isinstance(calls, dict) or (isinstance(calls, str) and calls):
        return [calls]
    return calls if isinstance(calls, list) else []


def read_form(call: Any, notes: Notes) -> dict[str, Any] | None:
    """A call item in any form; ``None`` if it is dropped."""
    value = opened(call)
    if isinstance(value, dict):
        wrapper = next((key for key in WRAPPERS if isinstance(value.get(key), dict)), None)
        around = {} if wrapper is None else extras(value, wrapper, "type")
        value = value if wrapper is None else value[wrapper]
        if isinstance(tool := value.get("tool"), dict) and "name" in tool and "function" not in value:
            value = {**extras(value, "tool"), **tool}
        function = opened(value.get("function"))
        holder = function if isinstance(function, dict) else value
        name, key = name_key(holder), argument_key(holder)
        if name is not None and (key is not None or unread_key(holder) is None):
            if key is not None and (key != "arguments" if holder is function else key not in FRAMEWORKS_ARGUMENTS):
                notes.repairs.append("alternative_key")
            arguments = None if key is None else holder[key]
            call_id = next((each[key] for each in (value, around) for key in CALL_IDS if each.get(key)), None)
            copied = *FRAMEWORKS_ARGUMENTS.difference(each for each in holder if holder[each] != arguments), key or ""
            rest = extras(value, *NAMES, *copied, *CALL_IDS, "type")
            if holder is not value:
                rest = {**extras(holder, *NAMES, *copied, *CALL_IDS, "type"), **rest}
            rest.update(extras(around, *CALL_IDS))
            return call_item(call_id, holder[name], {} if arguments in NOTHING else arguments, filled(rest), notes)
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
        return "name" in function or (name_key(function) is not None and argument_key(function) is not None)
    if isinstance(value.get("tool"), dict):
        return "name" in value["tool"] and argument_key(value) is not None
    named = "toolCallId" in value or any(isinstance(value.get(key), str) for key in (*NAME_KEYS, *TOOL_NAME_KEYS))
    return named and argument_key(value) is not None


def with_calls(message: Message, known: Collection[str], notes: Notes) -> Message | None:
    """The assistant's message with the calls that are among its keys, other than known ones; ``None`` without any."""
    found = calls_among({key: value for key, value in message.items() if key not in known})
    if found is None:
        return None
    rest = {key: value for key, value in message.items() if key not in found[1]}
    message = {**rest, "role": "assistant", "tool_calls": read_calls(found[0], notes)}
    notes.repairs.append(REPAIR)
    return message


def calls_among(keys: Row) -> tuple[Any, tuple[str, ...]] | None:
    """The calls among the keys of a turn, a step or an event, and which keys hold them; ``None`` without any.

    They are under the only key that says so, or one has its name and its arguments among these keys.
    """
    found = [key for key, value in keys.items() if _hold_calls(key, value)]
    if len(found) == 1:
        return keys[found[0]], (found[0],)
    call = flat_call(keys)
    return None if call is None else ([call[0]], call[1])


def _hold_calls(key: str, value: Any) -> bool:
    """Whether a key says that it holds calls, and does."""
    if key in ELSEWHERE or not is_key_of_calls(key):
        return False
    items = listed_calls(jsontext.opened(value))
    return bool(items) and all(
        _is_call_alone(item) and "description" not in (item.get("function") or item) for item in items
    )


def flat_call(step: Row) -> tuple[Row, tuple[str, ...]] | None:
    """The call whose name and arguments are among the keys of an object, and these keys; ``None`` without one."""
    name, arguments = name_key(step), argument_key(step)
    if name is None or arguments is None:
        return None
    given = step[arguments]
    is_text = type(given) is str and says_arguments(arguments) and " " not in step[name].strip()
    if given not in NOTHING and not holds_object(given) and not is_text:
        return None
    call_id = next((key for key in CALL_IDS if type(step.get(key)) is str), None)
    numbered = {} if call_id is None else {"id": step[call_id]}
    function = {"name": step[name], "arguments": step[arguments] or {}}
    used = (name, arguments) if call_id is None else (name, arguments, call_id)
    return {**numbered, "type": "function", "function": function}, used


def name_key(members: Row) -> str | None:
    """The key of the name of a call in a row; ``None`` without one. A text that should be an object is no name."""
    names = ((key, name.strip()) for key in NAMES if isinstance(name := members.get(key), str))
    return next((key for key, name in names if name and not name.startswith(("{", '"{'))), None)


def by_tool(names: str, arguments: Row) -> dict[str, Row] | None:
    """The arguments of one or several tools by their names, as Dify logs them; ``None`` for a call of one tool.

    The names of several are joined by ``;``. Source: langgenius/dify, ``core/agent/fc_agent_runner.py``.
    """
    apart = names.split(";")
    if arguments.keys() != set(apart) or not all(type(arguments[name]) is dict for name in apart):
        return None
    return {name: arguments[name] for name in apart}


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
