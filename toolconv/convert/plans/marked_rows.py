"""Reads plain rows whose calls are in texts: markup, JSON and prose, each in lines of its own.

The lines of markup, with the empty ones, are part of a row's shape. What they mean is not known here: the ordinary path
reads an example that has the same lines. The dialect says whether calls and prose are certainly read as they are.
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from toolconv.convert.plans.known_tools import ROOM, CheckedTool, are_apart
from toolconv.convert.plans.plain_rows import PlainRows, Reading
from toolconv.convert.plans.plain_values import JsonText, begins_as_prose, is_not_json, read_object
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS
from toolconv.dialects.base import Dialect
from toolconv.dialects.choice.names import needs_names

LONGEST_TAG: Final = 64
"""The longest line of markup, in characters."""
PROSE: Final = ("prose",)
TOOL: Final = ("tool",)
"""In the form of a text, what stands for lines of prose, and for a line with a tool."""
_TOOL_BEGINS: Final = '{"type": "function", "function": {'
_TOOL_IN_LINE: Final = orjson.dumps(_TOOL_BEGINS)[1:-1]
_STATED: Final = "a system text 7071067811"
"""Stands for a system text in a line: it shows that it was cut out where it stood."""
_KEYS: Final = ("role", "content")
_CALL_KEYS: Final = ("name", "arguments")
_NOT_ARGUMENTS: Final = frozenset({"properties", "tool_uses"})
"""Arguments that readers take for declarations, or for calls."""


class MarkedRows(PlainRows):
    """Reads plain rows of a named dialect.

    Args:
        source: the dialect.
        target: the dialect of what is written; ``None`` for structure.
        longest: the longest line of any row, in bytes.
    """

    def __init__(self, source: Dialect, target: Dialect | None, longest: int) -> None:
        super().__init__(source, longest)
        self.dialects = (source,) if target is None or target is source else (source, target)
        self._lines: dict[bytes, CheckedTool | str] = {}
        self._room = ROOM

    def cut(self, line: bytes) -> tuple[bytes, bytes] | None:
        """The list of tools, or else the first system text, if it declares some; both as they stand in the line."""
        if (cut := super().cut(line)) is not None:
            return cut
        start = line.find(b'"role": "system", "content": "') + 30
        end = line.find(b'"}, {"role": "', start)
        if start < 30:
            start = line.find(b'"role":"system","content":"') + 27
            end = line.find(b'"},{"role":"', start) if start >= 27 else -1
        if end < 0 or line.find(_TOOL_IN_LINE, start, end) < 0 or line.find(_STATED.encode()) >= 0:
            return b"", line
        return line[start:end], b"%b%b%b" % (line[:start], _STATED.encode(), line[end:])

    def reading(self, declared: bytes, row: dict[str, Any]) -> Reading | None:
        if "tools" in row:
            tools = self.listed(declared, row)
            return None if tools is None else _MarkedReading(self, tools)
        stated: list[CheckedTool | str] = []
        for raw in declared.split(b"\\n") if declared else ():
            found = self._lines.get(raw)
            if found is None and (found := self._read(raw)) is None:
                return None
            stated.append(found)
        tools = [each for each in stated if type(each) is CheckedTool]
        return _MarkedReading(self, tools, stated) if are_apart(tools) else None

    def _read(self, raw: bytes) -> CheckedTool | str | None:
        """A line of a system text: a tool, or other words; ``None`` if it may be anything else."""
        try:
            text = orjson.loads(b'"%b"' % raw)
        except ValueError:
            return None
        found = text
        if text.startswith(_TOOL_BEGINS):
            found = self.tools.known(text.encode())
            if found is None or not found.is_plain_text or found.envelope.spaced != text.encode():
                return None
        self._room -= 4 * len(raw)
        if self._room < 0:
            self._lines.clear()
            self._room = ROOM
        self._lines[raw] = found
        return found

    def are_certain(self, prose: str, calls: list[ToolCall]) -> bool:
        """Whether a turn is certainly read as it is, and again after it was written."""
        for dialect in self.dialects:
            if not dialect.certainly_round_trips(prose, None, calls, NO_TOOLS):
                return False
        return True


class _MarkedReading(Reading):
    """The reading of one row.

    Args:
        rows: what is known of all rows.
        tools: those that its key, or a system text, declares.
        stated: the lines of that system text, which is to come.
    """

    __slots__ = ("groups", "lines", "stated")

    rows: MarkedRows

    def __init__(
        self, rows: MarkedRows, tools: list[CheckedTool], stated: list[CheckedTool | str] | None = None
    ) -> None:
        super().__init__(rows, tools)
        self.stated = stated or None
        self.lines: set[str] = set()
        self.groups: dict[str, int] = {}

    def is_whole(self) -> bool:
        return self.stated is None and bool(self.turns) and self.turns[-1][1] == "assistant"

    def message(self, message: Any) -> bool:
        if type(message) is not dict or tuple(message) != _KEYS:
            return False
        role, text = message["role"], message["content"]
        if type(text) is not str:
            return False
        if role == "system":
            return self._declaration() if text == _STATED else super().message(message)
        if role == "tool" or (role == "user" and "<" in text):
            return bool(self.names) and self._marked(role, text)
        if role == "user" or (role == "assistant" and "<" not in text):
            return super().message(message) and (role == "user" or self.rows.are_certain(text, []))
        return role == "assistant" and self._marked(role, text)

    def _declaration(self) -> bool:
        """Take the system text that declares the tools: all else of it is part of the shape."""
        if self.stated is None or self.turns:
            return False
        self.values += self.tools
        self.turns.append(("marked", "system", *[each if type(each) is str else TOOL for each in self.stated]))
        self.stated = None
        return True

    def _marked(self, role: str, text: str) -> bool:
        """Read a text of markup, calls or results, and prose."""
        pieces: list[Any] = []
        prose: list[str] = []
        all_prose: list[str] = []
        calls: list[ToolCall] = []
        is_answer = role == "assistant"
        for line in (*text.split("\n"), ""):
            first = line[:1]
            if line and first != "<" and first != "{":
                prose.append(line)
                continue
            if prose:
                run = "\n".join(prose)
                if not begins_as_prose(run) or not is_not_json(run):
                    return False
                prose.clear()
                all_prose.append(run)
                self.values.append(run)
                pieces.append(PROSE)
            if first == "{":
                piece = self._call(line, calls) if is_answer else self._result(line)
                if piece is None:
                    return False
                pieces.append(piece)
            elif not line or (line[-1] == ">" and len(line) <= LONGEST_TAG):
                pieces.append(line)
            else:
                return False
        self.turns.append(("marked", role, *pieces[:-1]))
        if not is_answer:
            self.texts.asked += all_prose
            return True
        self.texts.answers += all_prose
        return self.rows.are_certain("\n".join(all_prose), calls)

    def _call(self, line: str, calls: list[ToolCall]) -> tuple[Any, ...] | None:
        """Read a call as JSON: no other one of the row is equal, and its names need no mending."""
        if line in self.lines or (found := read_object(line)) is None:
            return None
        self.lines.add(line)
        value, read = found
        if tuple(value) != _CALL_KEYS:
            return None
        name, arguments = value["name"], value["arguments"]
        if type(arguments) is not dict or not _NOT_ARGUMENTS.isdisjoint(arguments):
            return None
        if not self.rows.tools.is_plain_name(name) or not self._is_declared(name):
            return None
        call = ToolCall(name, arguments)
        if needs_names(call, NO_TOOLS):
            return None
        calls.append(call)
        self.names.append(name)
        self.texts.data.append(line)
        group = self.groups.setdefault(name, len(self.groups))
        if group == len(self.groups) - 1 and self.names.count(name) == 1:
            self.values.append(name)
        if arguments:
            self.values.append(_inner(read, name))
        return "call", line.encode() == read.spaced, group, bool(arguments)

    def _is_declared(self, name: str) -> bool:
        return not self.tools or any(tool.name == name for tool in self.tools)

    def _result(self, line: str) -> tuple[Any, ...] | None:
        """Read a result that is JSON, and that says nothing of the call that it answers."""
        if (found := read_object(line)) is None or "name" in found[0]:
            return None
        self.texts.data.append(line)
        self.values.append(line)
        return "data", line.encode() == found[1].spaced


def _inner(read: JsonText, name: str) -> JsonText:
    """The arguments in the JSON of a call."""
    return JsonText(
        read.compact[len(name) + len('{"name":"","arguments":') : -1],
        read.spaced[len(name) + len('{"name": "", "arguments": ') : -1],
    )
