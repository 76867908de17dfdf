"""Canonical call items as readers make them and writers take them apart, and the pairs of calls and responses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolconv.core.call_keys import argument_key, holds_object
from toolconv.core.messages import Message, Row, calls_of
from toolconv.core.notes import Notes
from toolconv.core.pairing import number_calls
from toolconv.layouts.nested_json import LayoutError, read_arguments

CalledNames = list[str | None]
"""For each message that answers a call, the name of that call's tool."""


def call_item(call_id: Any, name: Any, arguments: Any, extra: Row, notes: Notes) -> dict[str, Any]:
    """A canonical call item. Without an id it is numbered later; without arguments, those of the extra keys count."""
    if not arguments and (key := argument_key(extra)) is not None and holds_object(extra[key]):
        arguments, extra = extra[key], extras(extra, key)
        notes.repairs.append("alternative_key")
    function: dict[str, Any] = {"name": name, "arguments": arguments}
    if type(arguments) is not dict:
        read_arguments(function, notes)
    item: dict[str, Any] = {} if call_id is None else {"id": call_id}
    item["type"] = "function"
    item["function"] = function
    item.update(extra)
    return item


def extras(value: Row, *known: str | None) -> Row:
    """The keys of an object that are not ``known``; ``None`` stands for a key that it does not have."""
    return {key: value[key] for key in value if key not in known}


def call_extras(call: dict[str, Any]) -> Row:
    """The keys of a call item other than id, name and arguments."""
    return {**extras(call["function"], "name", "arguments"), **extras(call, "id", "type", "function")}


def checked(call: Any) -> dict[str, Any]:
    """A copy of a call item, which must have a name and an object of arguments.

    Raises:
        LayoutError: it does not.
    """
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise LayoutError("an item of tool_calls is no function call")
    if not isinstance(function.get("arguments"), dict):
        raise LayoutError(f"the arguments of a call of {function['name']!r} are no object")
    return dict(call)


def numbered(messages: Iterable[Message]) -> tuple[list[Message], CalledNames]:
    """Copies of messages in which every call has an id and every response is paired with a call.

    Returns:
        The copies, and for each message that answers a call the name of that call's tool.
    """
    copies = [
        {**message, "tool_calls": [dict(call) if isinstance(call, dict) else call for call in message["tool_calls"]]}
        if isinstance(message.get("tool_calls"), list)
        else dict(message)
        for message in messages
    ]
    number_calls(copies)
    called: dict[str, str] = {}
    names: CalledNames = []
    for message in copies:
        called.update((str(call["id"]), call["function"].get("name")) for call in calls_of(message))
        names.append(called.get(str(message.get("tool_call_id"))) if message.get("role") == "tool" else None)
    return copies, names
