"""Reads calls that are JSON objects, or a name followed by JSON arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.calls import is_plain_name
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_readers.base import ID, INDEX, NAME, SLOT, CallReader
from toolconv.dialects.call_template import CallTemplate, Piece, pieces_of


def json_object(call: str) -> tuple[str, Any, str] | None:
    """The text before the JSON object of a call, the object with :data:`SLOT` in place of holes, and the text after it.

    ``None`` where a call is not a JSON object that holds all the holes.
    """
    marked = re.sub(r"\{(name|id|args)((?:\|[a-z]+)*)\}", rf'"{SLOT}\1\2"', call)
    start = marked.find("{")
    if start < 0 or SLOT in marked[:start]:
        return None
    try:
        value, end = json.JSONDecoder().raw_decode(marked, start)
    except ValueError:
        return None
    return None if SLOT in marked[end:] else (marked[:start], value, marked[end:])


PREFIX: Final = "functions."
"""How models may begin a name, which is not a part of it if a tool without it is declared."""


class JsonObjectReader(CallReader):
    """Calls that are JSON objects: they are compared with the template's object by value."""

    def __init__(self, template: CallTemplate, before: str, shape: Any, after: str) -> None:
        self.opening, self.start, self.closing = template.before + before, "{", after + template.after
        self._listed = template.between.strip() == ","
        self._joint = after + template.between + before
        without_id = json_object(template.without_id) if template.without_id else None
        self._shapes = [shape] if without_id is None else [shape, without_id[1]]
        keys = list(shape.items()) if len(shape) == 2 else []
        slots = {value: key for key, value in keys if type(value) is str}
        self._name_key = slots.get(f"{SLOT}name|json", "")
        self._args_key = next((key for value, key in slots.items() if _is_object_slot(value)), "")

    def read(self, body: str, tools: ToolIndex) -> list[ToolCall] | None:
        if self._listed:
            values = jsontext.loads_plain(f"[{body}]")
        else:
            joint = self._joint
            apart = body.split(joint) if joint else body.replace("}{", "}\n{").split("\n")
            values = jsontext.loads_each_plain(apart)
        name_key, args_key = self._name_key, self._args_key
        calls: list[ToolCall] = []
        for value in values:
            if name_key and args_key:
                if type(value) is not dict or len(value) != 2:
                    return None
                name, arguments, call_id = value.get(name_key), value.get(args_key), None
            else:
                name, arguments, call_id = self._matched(value)
            if type(arguments) is not dict or type(name) is not str or not name or name.startswith(PREFIX):
                return None
            if "properties" in arguments:  # perhaps a declaration
                return None
            calls.append(ToolCall(name, arguments, call_id))
        return calls

    def _matched(self, value: Any) -> tuple[Any, Any, str | None]:
        """Name, arguments and id of a call object; ``None`` for a name where it is not what the template writes."""
        for shape in self._shapes:
            filled: dict[str, Any] = {}
            if _fills(value, shape, filled):
                return filled.get("name"), filled.get("args"), filled.get("id")
        return None, None, None

    def certainly_round_trips(self, call: ToolCall, tools: ToolIndex) -> bool:
        return is_plain_name(call.name) and not call.name.startswith(PREFIX)

    certainly_round_trips_types = certainly_round_trips


def _is_object_slot(slot: str) -> bool:
    """Whether a slot is filled with an object, not with JSON text in a string."""
    return slot.startswith(f"{SLOT}args") and not slot.endswith("|json")


def _fills(value: Any, shape: Any, filled: dict[str, Any]) -> bool:
    """Whether a value is the ``shape`` of a call with filled holes; what fills them is added to ``filled``."""
    if type(shape) is dict:
        if type(value) is not dict or len(value) != len(shape):
            return False
        for key, member in shape.items():
            if key.startswith(SLOT):  # an object whose only key is the tool's name
                (key,) = value
                filled["name"] = key
            if key not in value or not _fills(value[key], member, filled):
                return False
        return True
    if type(shape) is not str or not shape.startswith(SLOT):
        return bool(shape == value)
    word = shape[1:].partition("|")[0]
    if word == "args" and not _is_object_slot(shape):
        value = jsontext.loads_plain(value) if type(value) is str else None
    filled[word] = value
    return type(value) is (dict if word == "args" else str)


# ── a name, then JSON ──


class NamedJsonReader(CallReader):
    """Calls whose name, and id, precede the JSON of the arguments."""

    def __init__(self, template: CallTemplate) -> None:
        self.opening, self.closing = template.head, template.tail
        self._joint = template.joint
        self._template = template
        *header, before_args, _, _ = template.pieces[1:]
        self._before_args = str(before_args)
        self._header = re.compile(header_pattern(header, template.id))
        self._read_header = lru_cache(maxsize=4096)(self._named)  # most texts hold the same few headers

    def read(self, body: str, tools: ToolIndex) -> list[ToolCall] | None:
        calls = []
        for item in body.split(self._joint):
            header, found, text = item.partition(self._before_args)
            named = self._read_header(header) if found and text.startswith("{") else None
            if named is None:
                return None
            calls.append(ToolCall(named[0], jsontext.loads_plain(text), named[1]))
        return calls

    def _named(self, header: str) -> tuple[str, str | None] | None:
        """The name and the id in the text before the arguments."""
        match = self._header.fullmatch(header)
        if match is None or not is_plain_name(match["name"]):
            return None
        call_id = match.groupdict().get("id")
        if call_id is not None and self._template.id_of(ToolCall(match["name"], {}, call_id), 0) != call_id:
            return None
        return match["name"], call_id

    def certainly_round_trips(self, call: ToolCall, tools: ToolIndex) -> bool:
        return is_plain_name(call.name)

    certainly_round_trips_types = certainly_round_trips


def header_pattern(
    pieces: Sequence[Piece], id_form: str, name: str = NAME, literal: Callable[[str], str] = re.escape
) -> str:
    """The pattern of the text before the arguments; its groups are ``name`` and, if it holds one, ``id``.

    Args:
        pieces: the literals and holes of that text.
        id_form: what ids look like, as :attr:`CallTemplate.id`.
        name: the pattern of a name.
        literal: makes the pattern of a literal between holes.
    """
    names = iter((f"(?P<name>{name})", *["(?P=name)"] * len(pieces)))
    pattern = ""
    for piece in pieces:
        if isinstance(piece, str):
            pattern += literal(piece)
            continue
        if piece.word == "id":
            filled = "".join(
                part if isinstance(part, str) else next(names) if part.word == "name" else INDEX
                for part in (re.escape(part) if isinstance(part, str) else part for part in pieces_of(id_form))
            )
            filled = f"(?P<id>{filled or ID})"
        else:
            filled = next(names) if piece.word == "name" else INDEX
        pattern += f'"{filled}"' if piece.spellings == ("json",) else filled
    return pattern
