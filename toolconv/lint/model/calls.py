"""The calls of a row, and their places in the original row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.call_keys import ARGUMENT_KEYS, argument_key
from toolconv.core.jsontext import opened
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message, Row
from toolconv.lint.model.pointers import MISSING, look

CALL_TYPES: Final = ("tool_use", "server_tool_use", "mcp_tool_use", "function_call", "tool_call")
_WRAPPERS: Final = ("function", "functionCall", "function_call", "toolUse")


class LintCall:
    """A call of a row: structured, or read from a text in the input's dialect.

    Attributes:
        message: index of its message in the conversation.
        index: its place among the message's calls.
        name, arguments: as in the row; ``arguments`` is text if the text is not a JSON object.
        id: its id, which the layout may have generated; or ``None``.
        pointer: the call's place in the row; ``name_pointer`` and ``arguments_pointer`` are those of its parts (deep
            pointers; for a call in a text, the text's).
        written: the arguments as written in the row: an object, or text; ``None`` for a call in a text, and without
            arguments.
        in_text: the call was read from a text.
        placed: it is structured, and its pointers are exact; else they are those of the text or the row.
    """

    __slots__ = (
        "_strict", "arguments", "arguments_pointer", "id", "in_text", "index", "message", "name", "name_pointer",
        "placed", "pointer", "written",
    )  # fmt: skip

    def __init__(
        self,
        message: int,
        index: int,
        name: Any,
        arguments: Any,
        id: Any,
        pointer: str,
        name_pointer: str,
        arguments_pointer: str,
        written: Any,
        in_text: bool = False,
        placed: bool = True,
    ) -> None:
        self.message = message
        self.index = index
        self.name = name
        self.arguments = arguments
        self.id = id
        self.pointer = pointer
        self.name_pointer = name_pointer
        self.arguments_pointer = arguments_pointer
        self.written = written
        self._strict: Any = MISSING
        self.in_text = in_text
        self.placed = placed

    @property
    def members(self) -> dict[str, Any]:
        """The arguments by name; none if they are not an object."""
        return self.arguments if isinstance(self.arguments, dict) else {}

    @property
    def strict(self) -> Any:
        """What :attr:`written`, a text, is as strict JSON; the :class:`ValueError` if it is not. It is read once."""
        if self._strict is MISSING:
            self._strict = strictly(self.written)
        return self._strict

    def place_of(self, pointer: str) -> str:
        """The place in the row of a part of the arguments, given by its pointer in them."""
        return self.arguments_pointer + (pointer if self.placed else "")


def strictly(text: str) -> Any:
    """What a text is as strict JSON; the :class:`ValueError` if it is not JSON."""
    try:
        return jsontext.loads(text)
    except ValueError as error:
        return error


def own_calls(at: int, message: Message, pointer: str) -> list[LintCall]:
    """The calls of a message of :attr:`toolconv.lint.model.row.LintRow.own_messages`, with its index and its place."""
    found = []
    for index, call in enumerate(message["tool_calls"]):
        function, place = call["function"], f"{pointer}/tool_calls/{index}"
        name, written = function["name"], function["arguments"]
        arguments = jsontext.loads(written) if written.__class__ is str else written
        inner = f"{place}/function"
        call_id = call.get("id")
        found.append(
            LintCall(at, index, name, arguments, call_id, place, f"{inner}/name", f"{inner}/arguments", written)
        )
    return found


def structured_calls(row: Row | None, at: int, message: Message, pointer: str) -> Iterator[LintCall]:
    """The structured calls of a message.

    Args:
        row: the original row.
        at: the index of the message.
        message: the canonical message.
        pointer: its place in the row.
    """
    items = message["tool_calls"] if isinstance(message["tool_calls"], list) else []
    places = _places(row, pointer, len(items))
    for index, call in enumerate(items):
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            continue
        name, arguments, call_id = function.get("name"), function.get("arguments"), call.get("id")
        place = places[index] if index < len(places) else ""
        if not place or (place == pointer and not _is_call(row, place)):
            yield LintCall(at, index, name, arguments, call_id, pointer, pointer, pointer, None, placed=False)
            continue
        inner = place
        item = opened(look(row, place))
        if isinstance(item, dict):
            wrapper = next((key for key in _WRAPPERS if isinstance(item.get(key), dict)), None)
            if wrapper is not None:
                inner, item = f"{place}/{wrapper}", item[wrapper]
        members = item if isinstance(item, dict) else {}
        key = argument_key(members) or "arguments"
        where = f"{inner}/{key}"
        yield LintCall(at, index, name, arguments, call_id, place, f"{inner}/name", where, members.get(key))


def move_to_pieces(row: Row | None, calls: Iterable[LintCall], pieces: list[str]) -> None:
    """Point calls without a place of their own at the first piece of their message that contains their name."""
    texts = [(piece, jsontext.dumps(look(row, piece)).decode()) for piece in pieces]
    for call in calls:
        if not call.placed and isinstance(call.name, str):
            piece = next((piece for piece, text in texts if call.name in text), call.pointer)
            call.pointer = call.name_pointer = call.arguments_pointer = piece


def _places(row: Row | None, pointer: str, count: int) -> list[str]:
    """The places of a message's calls; in some layouts each call has its own turn, after one for prose."""
    if not pointer:
        return []
    places = call_places(look(row, pointer), pointer)
    head, _, last = pointer.rpartition("/")
    if not last.isdigit():
        return places
    places = [place for place in places if place != pointer or _is_call(row, place)]
    after = int(last) + 1
    while len(places) < count and after <= int(last) + count:
        turn = f"{head}/{after}"
        more = [place for place in call_places(look(row, turn), turn) if _is_call(row, place)]
        if not more:
            break
        places += more
        after += 1
    return places


def _is_call(row: Row | None, pointer: str) -> bool:
    value = opened(look(row, pointer))
    return isinstance(value, dict) and "name" in value and argument_key(value) is not None


def call_places(message: Any, pointer: str) -> list[str]:
    """Deep pointers of the calls in a message of any layout, in order."""
    message = opened(message)
    if isinstance(message, list):
        return [f"{pointer}/{index}" for index in range(len(message))]
    if not isinstance(message, dict):
        return [pointer]
    if isinstance(opened(message.get("tool_calls")), list):
        return [f"{pointer}/tool_calls/{index}" for index in range(len(opened(message["tool_calls"])))]
    if isinstance(message.get("function_call"), dict):
        return [f"{pointer}/function_call"]
    for key in ("content", "parts"):
        parts = message.get(key)
        if isinstance(parts, list):
            found = []
            for index, part in enumerate(parts):
                if not isinstance(part, dict):
                    continue
                if part.get("type") in CALL_TYPES:
                    text = "/value" if isinstance(part.get("value"), str) else ""
                    found.append(f"{pointer}/{key}/{index}{text}")
                elif any(isinstance(part.get(name), dict) for name in ("functionCall", "function_call", "toolUse")):
                    found.append(f"{pointer}/{key}/{index}")
            if found:
                return found
    for key in ("value", "content"):
        value = opened(message.get(key))
        if value is not message.get(key) and isinstance(value, dict | list):
            inside = f"{pointer}/{key}"
            return [f"{inside}/{index}" for index in range(len(value))] if isinstance(value, list) else [inside]
    return [pointer]


def may_hold_text_arguments(raw: bytes) -> bool:
    """Whether a row may have arguments written as JSON text."""
    if raw.find(b"\\u00") >= 0 and (raw.find(b"\\u006") >= 0 or raw.find(b"\\u007") >= 0):  # an escaped letter
        return True
    for key in _RAW_KEYS:
        at = raw.find(key)
        while at >= 0:
            if _TEXT_VALUE.match(raw, at + len(key)):
                return True
            at = raw.find(key, at + 1)
    return False


def may_hold_object_arguments(values: Iterable[Any]) -> bool:
    """Whether some values of a row may contain arguments written as objects, also inside JSON text."""
    stack = list(values)
    while stack:
        value = stack.pop()
        if type(value) is dict:
            for key, member in value.items():
                kind = type(member)
                if kind is dict:
                    if key in ARGUMENT_KEYS:
                        return True
                    stack.append(member)
                elif kind is list or (kind is str and member[:1] in _OPENINGS):
                    stack.append(member)
        elif type(value) is list:
            stack += value
        elif type(value) is str and value.lstrip()[:1] in ("{", "[") and any(key in value for key in ARGUMENT_KEYS):
            return True
    return False


_RAW_KEYS: Final = tuple(key.encode() for key in ARGUMENT_KEYS)
_TEXT_VALUE = lazy_re(rb'\\*"(?:\s|\\+[nrt])*:(?:\s|\\+[nrt])*\\*"')
_OPENINGS: Final = frozenset("{[ \t\r\n")
