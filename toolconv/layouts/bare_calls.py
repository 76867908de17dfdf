"""Calls as bare objects of ``name`` and ``arguments``, and results that are paired with them by their order."""

from __future__ import annotations

from typing import Any

from toolconv.core import jsontext
from toolconv.core.calls import NotACall, call_from, read_text
from toolconv.core.messages import Message
from toolconv.core.notes import Notes
from toolconv.core.pairing import in_call_order, is_numbered
from toolconv.core.tools import NO_TOOLS
from toolconv.layouts.nested_json import LayoutError


def read_calls(value: Any, notes: Notes) -> list[dict[str, Any]]:
    """The calls in a turn's text: a JSON object or a list of objects.

    Raises:
        NotACall: it holds something else.
    """
    repairs: list[str] = []
    value = read_text(value, repairs) if isinstance(value, str) else value
    items = value if isinstance(value, list) else [value]
    calls = [call_from(item, "arguments", NO_TOOLS, repairs) for item in items]
    if not calls:
        raise NotACall("an empty list of calls")
    notes.repairs.extend(repairs)
    return [call.to_canonical() for call in calls]


def call_values(calls: list[dict[str, Any]], notes: Notes) -> list[dict[str, Any]]:
    """Canonical calls as ``name`` and ``arguments``. Other keys are losses, and ids unless toolconv gave them.

    Raises:
        LayoutError: a call has no name.
    """
    values = []
    for call in calls:
        function = call["function"]
        if not isinstance(function.get("name"), str):
            raise LayoutError("a call without a name")
        if isinstance(call.get("id"), str) and not is_numbered(call["id"]):
            notes.losses.append("call_id")
        if not call.keys() <= {"id", "type", "function"} or not function.keys() <= {"name", "arguments"}:
            notes.losses.append("call_keys")
        values.append({"name": function["name"], "arguments": function.get("arguments", {})})
    return values


def count_pairing(calls: list[dict[str, Any]], results: list[Message], notes: Notes) -> None:
    """Count the losses of a layout that pairs responses with calls by their order alone."""
    ordered = in_call_order(calls, results)
    if any(one is not other for one, other in zip(ordered, results, strict=True)):
        notes.losses.append("response_order")
    for place, result in enumerate(ordered):
        call = calls[place] if place < len(calls) else None
        if call is None or result.get("tool_call_id", call.get("id")) != call.get("id"):
            notes.losses.append("response_pairing")
        elif result.get("name", call["function"].get("name")) != call["function"].get("name"):
            notes.losses.append("response_keys")


def result_value(content: Any) -> Any:
    """A result inside a list: the JSON value in its text if it would be written back the same, otherwise the text."""
    if not isinstance(content, str):
        return content
    try:
        value = jsontext.loads(content)
    except ValueError:
        return content
    return value if not isinstance(value, str) and jsontext.spaced(value) == content else content


def read_results(text: Any, calls: int) -> list[Any] | None:
    """The results of ``calls`` parallel calls in one text, if it is a JSON list of that length."""
    values = jsontext.opened(text)
    if not isinstance(text, str) or not isinstance(values, list) or len(values) != calls:
        return None
    return [value if isinstance(value, str) else jsontext.spaced(value) for value in values]
