"""Reads calls with one pair of tags around each argument."""

from __future__ import annotations

import re
from typing import Any, Final

from toolconv.core.calls import is_plain_name
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_readers.base import KEY, CallReader
from toolconv.dialects.call_readers.json_calls import header_pattern
from toolconv.dialects.call_template import ATTRIBUTES, JSON_TYPES, CallTemplate, Hole
from toolconv.dialects.values.by_schema import MISFIT, READS_BACK, READS_BACK_JSON, shape_of
from toolconv.dialects.values.stated_types import READ_TYPED

ATTRIBUTE_VALUES: Final[dict[str, tuple[str, ...]]] = {
    "": ("",),
    "is_text": ("true", "false"),
    "type": (*JSON_TYPES.values(), "number"),
}
"""The values that an attribute of an argument may have, by hole."""


def marks_in_values(template: CallTemplate) -> str:
    """The characters that a value must not hold to be read exactly, as the inside of a character class.

    These are the first character of a tag and, where values may hold entities, ``&``.
    """
    first = re.escape(str(template.param_pieces[0]).strip()[0])
    return f"{first}&" if template.spells("value") == ("cdata",) else first


def param_pattern(template: CallTemplate, value: str) -> str:
    """The pattern of one argument and what separates it from the next; its groups are key, attribute and value.

    A key that the closing tag repeats must be the same there.
    """
    attribute = "|".join(ATTRIBUTE_VALUES[template.attribute])
    groups = {
        "key": KEY,
        template.attribute: f"({attribute})",
        "value": f"({value})" if template.attribute else f"()({value})",
    }
    pattern = ""
    for piece in template.param_pieces:
        if isinstance(piece, str):
            pattern += re.escape(piece)
        else:
            pattern += groups[piece.word]
            groups["key"] = r"\1"
    return f"{pattern}(?:{re.escape(template.param_between)}|\\Z)"


JSON_CONTAINERS: Final = (("text",), ("string",))
"""The spellings of values in which texts are as they are, and lists and objects are JSON."""

_CONTAINER: Final = lazy_re(r"\A\s{0,80}[{\[]|[}\]]\s{0,80}\Z")


class TagReader(CallReader):
    """Calls with a pair of tags around each argument.

    Values, keys and names hold no character that a tag begins with, so a pattern splits them.
    """

    checks_values = True

    def __init__(self, template: CallTemplate) -> None:
        self.opening, self.closing, self._joint = template.head, template.tail, template.joint
        self._head = re.compile(header_pattern(template.pieces[1:-2], ""))
        marks = marks_in_values(template)
        self._marks = re.compile(f"[{marks}]")
        self._param = re.compile(param_pattern(template, f"[^{marks}]*"))
        literals = [piece for piece in template.param_pieces if isinstance(piece, str)]
        self._between = template.param_between
        self._length = sum(map(len, literals)) + len(self._between)
        self._keys = template.param_pieces.count(Hole("key", ())) or 1
        self._states_types = bool(template.attribute)
        self._read_typed = READ_TYPED[template.attribute]
        self._settled_by_types = not template.attribute and marks == "<" and template.spells("value") in JSON_CONTAINERS
        self._state = ATTRIBUTES.get(template.attribute, lambda value: "")
        self._spell = template.spelling(Hole("value", template.spells("value")))
        self._looks = template.looks

    def read(self, body: str, tools: ToolIndex) -> list[ToolCall] | None:
        states_types, read_typed = self._states_types, self._read_typed
        length, keys, looks = self._length, self._keys, self._looks
        calls = []
        repairs: list[str] = []
        for item in body.split(self._joint):
            opened = self._head.match(item)
            if opened is None:
                return None
            name, at = opened[1], opened.end()
            arguments: dict[str, Any] = {}
            found = self._param.findall(item, at)
            shape = shape_of(name, tools, looks)
            untyped = 0
            for key, attribute, text in found:
                at += length + keys * len(key) + len(attribute) + len(text)
                member = shape[key]
                value = read_typed(attribute, text, member, repairs) if states_types else member.read(text)
                if value is MISFIT or repairs or (value is text and _CONTAINER.search(text)):
                    return None  # it may be a damaged container
                arguments[key] = value
                if type(value) is not str and not states_types and not member.settled:
                    untyped += 1
            if found:
                at -= len(self._between)
            if at != len(item) or len(arguments) != len(found):
                return None
            calls.append(ToolCall(name, arguments, None, None, untyped))
        return calls

    def certainly_round_trips(self, call: ToolCall, tools: ToolIndex) -> bool:
        if not is_plain_name(call.name):
            return False
        shape = shape_of(call.name, tools, self._looks)
        states_types, find_mark = self._states_types, self._marks.search
        repairs: list[str] = []
        for key, value in call.arguments.items():
            if not is_plain_name(key):
                return False
            kind = type(value)
            if not states_types and (shape[key].read, kind) in READS_BACK:
                continue
            text = value if kind is str else self._spell(value)
            if find_mark(text) is not None:
                return False
            if states_types:
                again = self._read_typed(self._state(value), text, shape[key], repairs)
            else:
                again = shape[key].read(text)
            if repairs:
                return False
            if again is not value and (type(again) is not kind or repr(again) != repr(value)):
                return False
        return True

    def certainly_round_trips_types(self, call: ToolCall, tools: ToolIndex) -> bool:
        if not self._settled_by_types or not is_plain_name(call.name):
            return False
        shape = shape_of(call.name, tools, self._looks)
        for key, value in call.arguments.items():
            if not is_plain_name(key) or (shape[key].read, type(value)) not in READS_BACK_JSON:
                return False
        return True
