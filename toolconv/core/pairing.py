"""The ids of calls, and which call each tool response answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message, calls_of


def number_calls(messages: Sequence[Message]) -> None:
    """Give calls without an id the ids ``call_0``, ``call_1``, … and pair each tool response with its call.

    A response with the id of a call is left alone. One without an id is paired with the first open call of its name,
    or, without a name, with the first open call. Ids that are already taken are skipped.
    """
    calls: list[dict[str, Any]] = []
    made: list[list[dict[str, Any]]] = []  # by each message that has calls
    answers = False
    for message in messages:
        if "tool_calls" in message:
            made.append(calls_of(message))
            calls += made[-1]
        elif message.get("role") == "tool":
            answers = True
    if not calls:
        return
    count = 0
    taken: set[str] | None = None
    for call in calls:
        if call.get("id") is None:
            if taken is None:
                taken = {each["id"] for each in calls if type(each.get("id")) is str}
            while (call_id := f"call_{count}") in taken:
                count += 1
            call["id"] = call_id
            count += 1
    if answers:
        waiting: _OpenCalls | None = None
        following = iter(made)
        answered = True
        for message in messages:
            if "tool_calls" in message:
                if answered or waiting is None:
                    waiting = _OpenCalls(next(following))
                else:
                    waiting.add(next(following))  # one turn may be several messages
                answered = False
                continue
            answered = True
            if waiting is not None and message.get("role") == "tool":
                _tie(message, waiting)


def complete(messages: Sequence[Message]) -> None:
    """Like :func:`number_calls`, with the keys of tool responses in canonical order: role, id, name, then the others.

    For layouts whose rows have no ids: their readers build messages from scratch and call this at the end.
    """
    number_calls(messages)
    for message in messages:
        if message.get("role") == "tool":
            rest = dict(message)
            message.clear()
            message["role"] = rest.pop("role")
            for key in ("tool_call_id", "name"):
                if key in rest:
                    message[key] = rest.pop(key)
            message.update(rest)


def is_numbered(call_id: str) -> bool:
    """Whether an id is one that :func:`number_calls` gives."""
    return _NUMBERED.fullmatch(call_id) is not None


_NUMBERED = lazy_re(r"call_[0-9]+")


class _OpenCalls:
    """The calls of a turn that have no response yet, in order.

    Args:
        calls: those of its first message.
    """

    __slots__ = ("_by_id", "_by_name", "_calls", "_made", "_next")

    def __init__(self, calls: Iterable[dict[str, Any]]) -> None:
        self._calls = dict(enumerate(calls))
        self._made = len(self._calls)
        self._next = 0
        self._by_id: dict[Any, list[int]] | None = None
        self._by_name: dict[Any, list[int]] | None = None

    def add(self, calls: Iterable[dict[str, Any]]) -> None:
        """Add those of another message of the same turn, before any of its responses."""
        self._calls.update(enumerate(calls, self._made))
        self._made = len(self._calls)

    def take(self, response: Message) -> dict[str, Any] | None:
        """The call that a response answers, which is open no more: by its id or name; without both, the first one."""
        wanted, name = response.get("tool_call_id"), response.get("name")
        calls = self._calls
        while self._next not in calls:
            if not calls:
                return None
            self._next += 1
        first = self._next
        number = None
        if wanted is None and name is None:
            number = first
        if wanted is not None:
            if wanted == calls[first].get("id"):  # responses mostly come in order
                return calls.pop(first)
            if self._by_id is None:
                self._by_id = self._numbers(call.get("id") for call in calls.values())
            number = self._first(self._by_id, wanted)
        if number is None and name is not None:
            if self._by_name is None:
                self._by_name = self._numbers(call["function"].get("name") for call in calls.values())
            number = self._first(self._by_name, name)
        return None if number is None else calls.pop(number)

    def _numbers(self, values: Iterable[Any]) -> dict[Any, list[int]]:
        """The numbers of the calls by a value that each of them has."""
        found: dict[Any, list[int]] = {}
        for number, value in zip(self._calls, values, strict=True):
            found.setdefault(_hashable(value), []).append(number)
        return found

    def _first(self, numbers: dict[Any, list[int]], value: Any) -> int | None:
        found = numbers.get(_hashable(value), [])
        while found and found[0] not in self._calls:
            del found[0]
        return found[0] if found else None


def _hashable(value: Any) -> Any:
    return value if type(value) is str else repr(value)


def _tie(response: Message, waiting: _OpenCalls) -> None:
    """Pair a tool response with the call it answers, which waits no more."""
    call = waiting.take(response)
    if call is None:
        return
    if response.get("tool_call_id") is None:
        response["tool_call_id"] = call["id"]
    if response.get("name") is None and isinstance(call["function"].get("name"), str):
        response["name"] = call["function"]["name"]
