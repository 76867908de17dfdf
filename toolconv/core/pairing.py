"""The ids of calls, and which call each tool response answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message, calls_of
from toolconv.core.notes import Notes


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


def results_after(messages: Sequence[Message], at: int) -> list[Message]:
    """The tool responses that follow message ``at``."""
    end = at + 1
    while end < len(messages) and messages[end].get("role") == "tool":
        end += 1
    return list(messages[at + 1 : end])


def in_call_order(calls: Sequence[dict[str, Any]], results: list[Message]) -> list[Message]:
    """Tool responses in the order of the calls they answer; those that answer none come last."""
    order = {call_id: place for place, call in enumerate(calls) if isinstance(call_id := call.get("id"), str | None)}

    def place(result: Message) -> int:
        call_id = result.get("tool_call_id")
        return order.get(call_id, len(calls)) if isinstance(call_id, str | None) else len(calls)

    return sorted(results, key=place)


def without_ids(messages: list[Message], notes: Notes, *, named: bool) -> list[Message]:
    """The messages for a text without ids, in which the order of responses has to say which call each answers.

    Responses are moved into the order of their calls where theirs says another one (``response_order``). Losses are
    also a response that even so seems to answer another call (``response_pairing``), and an id or a name of a response
    that no call before it has (``response_keys``).

    Args:
        messages: those of a conversation.
        notes: they get the losses.
        named: the text holds the name of a response's tool.
    """
    moved: list[Message] | None = None
    calls: list[dict[str, Any]] = []  # of the turn, until responses come
    names: dict[Any, Any] = {}
    apart = True
    at = -1
    while (at := at + 1) < len(messages):
        message = messages[at]
        if message.get("role") != "tool":
            if message.get("tool_calls"):
                if apart:
                    calls, names = [], {}
                calls += (more := calls_of(message))  # one turn may be several messages
                names.update((_hashable(call.get("id")), call["function"].get("name")) for call in more)
            apart = not message.get("tool_calls")
            continue
        results = results_after(messages, at - 1)
        if _mistaken(calls, results, names, named=named):
            ordered = in_call_order(calls, results)
            if any(one is not other for one, other in zip(ordered, results, strict=True)):
                notes.losses.append("response_order")
                moved = list(messages) if moved is None else moved
                moved[at : at + len(results)] = results = ordered
            notes.losses += ["response_pairing"] * _mistaken(calls, results, names, named=named)
        for result in results:
            wanted, name = _hashable(result.get("tool_call_id")), result.get("name")
            if "tool_call_id" in result and wanted not in names:
                notes.losses.append("response_keys")
            if name and not named and names.get(wanted) != name:
                notes.losses.append("response_keys")
        calls, apart = [], True
        at += len(results) - 1
    return messages if moved is None else moved


def _mistaken(calls: list[dict[str, Any]], results: list[Message], names: dict[Any, Any], *, named: bool) -> int:
    """How many responses seem to answer another call than they do, where only names, or nothing but the order, tells.

    Args:
        calls: those of the turn before.
        results: the responses.
        names: the names of the calls, by id.
        named: the text holds the name of a response's tool.
    """
    ids = [call.get("id") for call in calls]
    if [result.get("tool_call_id") for result in results] == ids[: len(results)]:
        return 0
    waiting = _OpenCalls(calls)
    mistaken = 0
    for result in results:
        wanted = result.get("tool_call_id")
        name = result.get("name") or names.get(_hashable(wanted))
        call = waiting.take({"name": name} if named and name else {})
        if wanted is not None and (_hashable(wanted) in names if call is None else call.get("id") != wanted):
            mistaken += 1
    return mistaken


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
