"""Reads calls whose values are between delimiters, without quotes or tags."""

from __future__ import annotations

import re
from typing import Any

from toolconv.core.calls import is_plain_name
from toolconv.core.schema_types import types_of
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_readers.base import KEY, NAME, CallReader
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.values.literals import Literals


class DelimitedReader(CallReader):
    """Calls whose strings stand between delimiters."""

    def __init__(self, template: CallTemplate) -> None:
        self.opening, self.closing, self._joint = template.head, template.tail, template.joint
        self._template = template
        mark = re.escape(template.delimiter)
        self._key = re.compile(f"{KEY}:")
        self._name = re.compile(rf"({NAME})\{{")
        self._literals = Literals((f"{mark}(.*?){mark}",), self._key.pattern, canonical=True)

    def read(self, body: str, tools: ToolIndex) -> list[ToolCall] | None:
        calls = []
        for item in body.split(self._joint):
            name = self._name.match(item)
            arguments = None if name is None else self._arguments(name[1], item, name.end(), tools)
            if name is None or arguments is None:
                return None
            calls.append(ToolCall(name[1], arguments))
        return calls

    def _arguments(self, name: str, text: str, at: int, tools: ToolIndex) -> dict[str, Any] | None:
        """The arguments in ``text[at:]``; ``None`` where a string stands for a parameter that takes none."""
        arguments, end = self._literals.members(text, at, self._key, "}")
        schema = tools.parameters(name)
        declared = tools.properties(name) or {}
        for key, value in arguments.items():
            if type(value) is str and "string" not in (types_of(declared.get(key), schema) or ("string",)):
                return None
        return arguments if end == len(text) else None

    def certainly_round_trips(self, call: ToolCall, tools: ToolIndex) -> bool:
        if not is_plain_name(call.name):
            return False
        text = self._template.delimited(call.arguments)
        try:
            again = self._arguments(call.name, text, 1, tools)
        except ValueError:
            return False
        return repr(again) == repr(call.arguments)
