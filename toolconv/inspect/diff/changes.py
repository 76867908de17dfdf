"""Find the differences between two conversations, part by part.

Values differ if their JSON texts differ: ``1`` is not ``1.0`` or ``"1"``. These don't count as differences: the order
of keys, unless requested; the order of tools; absent values, ``null`` and empty texts or lists where they mean the
same; and the ids of calls, which most dialects can't carry. It does count which call a response answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Final, Literal

from toolconv.convert.result import Reading
from toolconv.core import jsontext
from toolconv.core.answers import conversations_of
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, calls_of
from toolconv.core.pairing import number_calls
from toolconv.core.rows import same
from toolconv.core.tools import function_of
from toolconv.core.type_names import type_of

DiffPart = Literal[
    "row", "key", "tool", "message", "role", "text", "prose", "reasoning", "response", "call", "call name", "argument",
    "answered call",
]  # fmt: skip
Change = Literal["missing", "added", "type", "white space", "value", "key order", "unreadable"]

ABSENT: Final = object()
"""The value of a side that has none."""

TEXTS: Final[dict[Any, DiffPart]] = {"assistant": "prose", "tool": "response"}
"""The part name of a message's content by role; for other roles it is ``text``."""

Items = Sequence[dict[str, Any]]
Key = Callable[[dict[str, Any]], Any]
Indexed = tuple[int, dict[str, Any]]
"""The index of a message or call, and the message or call."""

Pairs = Iterator[tuple[Indexed | None, Indexed | None]]
NOTHING: Final[Indexed] = (0, {})


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between two rows.

    Attributes:
        part: what differs.
        change: how it differs; ``missing`` means that the second row lacks it.
        before, after: the two values, or :data:`ABSENT`.
        path: keys and indices inside an argument, a row's or message's key, or a tool (after its name).
        message, call: indices in the first conversation, whose other answers follow its messages; for additions, in the
            second.
    """

    part: DiffPart
    change: Change
    before: Any = ABSENT
    after: Any = ABSENT
    path: tuple[str | int, ...] = ()
    message: int | None = None
    call: int | None = None


def differences(one: Reading | None, other: Reading | None, *, key_order: bool = False) -> Iterator[Difference]:
    """The differences between two rows.

    Args:
        one, other: the rows, or ``None`` if a side has none; calls without an id get one.
        key_order: whether the order of keys counts.
    """
    mine, theirs = (row.conversation if row is not None else None for row in (one, other))
    if mine is not None and theirs is not None:
        yield from _Comparison(key_order).of(mine, theirs)
    elif mine is None and theirs is None:
        yield Difference("row", "unreadable")
    else:
        yield Difference("row", "added" if mine is None else "missing")


class _Comparison:
    def __init__(self, key_order: bool) -> None:
        self._key_order = key_order
        self._partners: dict[str, str] = {}  # call ids of the first row, each with the second row's id

    def of(self, one: Conversation, other: Conversation) -> Iterator[Difference]:
        if same(one.row, other.row) and (one.answers is other.answers or same(one.all_messages, other.all_messages)):
            return  # as for most rows
        for conversation in (*conversations_of(one), *conversations_of(other)):
            number_calls(conversation.messages)
        yield from self._keys(one.row, other.row, ("messages", "tools"))
        yield from self._tools(one.tools, other.tools)
        for a, b in _messages(one.all_messages, other.all_messages):
            if a is None or b is None:
                index, message = a or b or NOTHING
                yield _only("message", message, in_one=b is None, message=index)
                continue
            for difference in self._message(a[1], b[1]):
                yield replace(difference, message=a[0])

    # ── values ──

    def _values(self, part: DiffPart, a: Any, b: Any, path: tuple[str | int, ...] = ()) -> Iterator[Difference]:
        """The differences between two JSON values, found by descending while both have the same structure."""
        if same(a, b):
            return
        deep = len(path) > jsontext.MAX_DEPTH
        if isinstance(a, dict) and isinstance(b, dict) and not deep:
            if self._key_order and [key for key in a if key in b] != [key for key in b if key in a]:
                yield Difference(part, "key order", list(a), list(b), path)
            for key in dict.fromkeys((*a, *b)):
                if key not in a or key not in b:
                    yield _only(part, a.get(key, b.get(key)), in_one=key in a, path=(*path, key))
                else:
                    yield from self._values(part, a[key], b[key], (*path, key))
        elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b) and not deep:
            for index, (mine, theirs) in enumerate(zip(a, b, strict=True)):
                yield from self._values(part, mine, theirs, (*path, index))
        else:
            yield Difference(part, _change(a, b), a, b, path)

    def _texts(self, part: DiffPart, a: Any, b: Any) -> Iterator[Difference]:
        """The differences between two texts; an empty text counts as absent."""
        if a and b:
            yield from self._values(part, a, b)
        elif a or b:
            yield _only(part, a or b, in_one=bool(a))

    def _keys(self, a: dict[str, Any], b: dict[str, Any], known: Sequence[str]) -> Iterator[Difference]:
        """The differences in keys other than the ``known`` ones, which are compared separately."""
        mine, theirs = ({key: value for key, value in each.items() if key not in known} for each in (a, b))
        return self._values("key", mine, theirs)

    # ── parts ──

    def _tools(self, a: Iterable[Any], b: Iterable[Any]) -> Iterator[Difference]:
        mine, theirs = _by_name(a), _by_name(b)
        for name in dict.fromkeys((*mine, *theirs)):
            if name not in mine or name not in theirs:
                yield _only("tool", mine.get(name, theirs.get(name)), in_one=name in mine, path=(name[0],))
            else:
                yield from self._values("tool", mine[name], theirs[name], (name[0],))

    def _message(self, a: Message, b: Message) -> Iterator[Difference]:
        role = a.get("role")
        if role != b.get("role"):
            yield Difference("role", "value", role, b.get("role"))
        yield from self._texts(TEXTS.get(role, "text"), a.get("content"), b.get("content"))
        yield from self._texts("reasoning", a.get("reasoning_content"), b.get("reasoning_content"))
        yield from self._calls(calls_of(a), calls_of(b))
        if role == b.get("role") == "tool":
            yield from self._answer(a, b)
        known = ("role", "content", "reasoning_content", "tool_calls", "tool_call_id")
        yield from self._keys(a, b, known)

    def _calls(self, one: Items, other: Items) -> Iterator[Difference]:
        for a, b in _calls(one, other):
            if a is None or b is None:
                index, call = a or b or NOTHING
                yield _only("call", call["function"], in_one=b is None, call=index)
                continue
            self._partners[str(a[1].get("id"))] = str(b[1].get("id"))
            for difference in self._call(a[1], b[1]):
                yield replace(difference, call=a[0])

    def _call(self, a: dict[str, Any], b: dict[str, Any]) -> Iterator[Difference]:
        mine, theirs = a["function"], b["function"]
        yield from self._values("call name", mine.get("name"), theirs.get("name"))
        yield from self._values("argument", mine.get("arguments"), theirs.get("arguments"))
        yield from self._keys(mine, theirs, ("name", "arguments"))
        yield from self._keys(a, b, ("id", "type", "function"))

    def _answer(self, a: Message, b: Message) -> Iterator[Difference]:
        """A difference if two responses answer different calls."""
        mine, theirs = str(a.get("tool_call_id")), str(b.get("tool_call_id"))
        known = mine in self._partners
        if (known and theirs != self._partners[mine]) or (not known and theirs in self._partners.values()):
            yield Difference("answered call", "value", mine, theirs)


def _change(a: Any, b: Any) -> Change:
    if type_of(a) != type_of(b):
        return "type"
    return "white space" if isinstance(a, str) and "".join(a.split()) == "".join(b.split()) else "value"


def _only(part: DiffPart, value: Any, *, in_one: bool, **place: Any) -> Difference:
    """A difference for something that only one side has."""
    if in_one:
        return Difference(part, "missing", before=value, **place)
    return Difference(part, "added", after=value, **place)


def _by_name(tools: Iterable[Any]) -> dict[tuple[str, int], Any]:
    """Tools by name and, because names can repeat, by their number among tools of that name."""
    seen: Counter[str] = Counter()
    named = {}
    for tool in tools:
        function = function_of(tool)
        name = function["name"] if function else ""
        named[name, seen[name]] = function or tool
        seen[name] += 1
    return named


# ── pairing ─────────────────────────────────────────────────────────────────────────────────────


def _messages(one: Items, other: Items) -> Pairs:
    def exact(message: Message) -> Any:
        functions = [call["function"] for call in calls_of(message)]
        return jsontext.dumps([message.get("role"), message.get("content"), functions])

    return _aligned(one, other, lambda message: str(message.get("role")), exact)


def _calls(one: Items, other: Items) -> Pairs:
    return _aligned(
        one, other, lambda call: str(call["function"].get("name")), lambda call: jsontext.dumps(call["function"])
    )


def _aligned(one: Items, other: Items, loose: Key, exact: Key) -> Pairs:
    """Pair the items of two lists: by index if their loose keys agree throughout; otherwise equal items first, between
    those the items with equal loose keys, and the remaining ones by index.
    """
    mine, theirs = list(enumerate(one)), list(enumerate(other))
    if [loose(item) for item in one] == [loose(item) for item in other]:
        yield from zip(mine, theirs, strict=True)
        return
    for equal, a, b in _runs(mine, theirs, exact):
        for alike, some, others in [(True, a, b)] if equal else _runs(a, b, loose):
            yield from zip(some, others, strict=True) if alike else zip_longest(some, others)


def _runs(
    one: Sequence[Indexed], other: Sequence[Indexed], key: Key
) -> Iterator[tuple[bool, Sequence[Indexed], Sequence[Indexed]]]:
    """Runs of items that are equal by a key, and the runs between them."""
    matcher = SequenceMatcher(None, [key(item) for _, item in one], [key(item) for _, item in other], autojunk=False)
    for tag, start, end, other_start, other_end in matcher.get_opcodes():
        yield tag == "equal", one[start:end], other[other_start:other_end]
