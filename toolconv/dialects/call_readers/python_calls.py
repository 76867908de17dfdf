"""Reads calls that are Python expressions."""

from __future__ import annotations

from toolconv.core.calls import is_plain_name
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_readers.base import PYTHON_KEY, PYTHON_NAME, CallReader
from toolconv.dialects.call_template import LOSSLESS, CallTemplate
from toolconv.dialects.values.literals import PYTHON


class PythonCallReader(CallReader):
    """Calls as Python writes them, with strings that hold no escape."""

    def __init__(self, template: CallTemplate) -> None:
        pieces = template.pieces
        self._template = template
        self.opening, self.closing = template.head, template.after
        self._open, self._close = str(pieces[2]), str(pieces[-1])[1:]
        self._between = f"{self._close}{template.between}{pieces[0]}"
        self._lossless = template.spells("value")[-1] in LOSSLESS

    def read(self, body: str, tools: ToolIndex) -> list[ToolCall] | None:
        calls = []
        end = len(body) - len(self._close)
        at = 0
        while (name := PYTHON_NAME.match(body, at)) is not None:
            at = name.end()
            if not body.startswith(self._open, at):
                return None
            arguments, at = PYTHON.members(body, at + len(self._open), PYTHON_KEY, ")")
            calls.append(ToolCall(name[1], arguments))
            if at == end:
                return calls if body.endswith(self._close) else None
            if not body.startswith(self._between, at):
                return None
            at += len(self._between)
        return None

    def certainly_round_trips(self, call: ToolCall, tools: ToolIndex) -> bool:
        if not all(map(str.isidentifier, call.arguments)):
            return False
        if self._lossless or not call.arguments:
            return is_plain_name(call.name)
        text = self._template.write_call(call, 0)
        try:
            again = self.read(text[len(str(self._template.pieces[0])) :], tools)
        except ValueError:
            return False
        return again is not None and repr(again) == repr([ToolCall(call.name, call.arguments)])
