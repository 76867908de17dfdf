"""Reads plain rows whose calls are in texts: markup, JSON and prose, each in lines of its own.

The lines of markup, with the empty ones, are part of a row's shape. What they mean is not known here: the ordinary path
reads an example that has the same lines. The dialect says whether calls and prose are certainly read as they are.
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from toolconv.convert.plans.known_tools import ROOM, CheckedTool, are_apart
from toolconv.convert.plans.plain_rows import PlainRows, Reading
from toolconv.convert.plans.plain_values import JsonText, begins_as_prose, is_not_json, read_objects
from toolconv.core import jsontext
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
_BEFORE: Final = len('{"name": "", "arguments": ')
"""How many characters of a call are before its arguments, without the name."""
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

    def is_certain_prose(self, text: str) -> bool:
        """Whether prose is certainly read as it is, and again after it was written."""
        return all(dialect.certainly_round_trips(text, None, (), NO_TOOLS) for dialect in self.dialects)

    def is_certain_call(self, call: ToolCall) -> bool:
        """The same for a call whose arguments hold no markup."""
        return all(dialect.certainly_round_trips_call(call, NO_TOOLS) for dialect in self.dialects)


class _MarkedReading(Reading):
    """The reading of one row.

    Args:
        rows: what is known of all rows.
        tools: those that its key, or a system text, declares.
        stated: the lines of that system text, which is to come.
    """

    __slots__ = ("data", "stated", "tags")

    rows: MarkedRows

    def __init__(
        self, rows: MarkedRows, tools: list[CheckedTool], stated: list[CheckedTool | str] | None = None
    ) -> None:
        super().__init__(rows, tools)
        self.stated = stated or None
        self.data: list[tuple[list[Any], int, bool]] = []  # the lines of JSON: where each is, and whether it is a call
        self.tags: set[str] = set()

    def is_whole(self) -> bool:
        if self.stated is not None or not self.turns or self.turns[-1][1] != "assistant" or not self._read_data():
            return False
        self.turns = [turn if turn[0] != "marked" else (*turn[:2], *turn[2]) for turn in self.turns]
        tags = "\n".join(self.tags)
        return not any(name in tags for name in self.names)  # it would tell which call a result answers

    def message(self, message: Any) -> bool:
        if type(message) is not dict or tuple(message) != _KEYS:
            return False
        role, text = message["role"], message["content"]
        if type(text) is not str:
            return False
        if "<" in text:
            if role == "assistant":
                return self._marked(role, text)
            return (role == "user" or role == "tool") and bool(self.data) and self._marked(role, text)
        if role == "assistant":
            return super().message(message) and self.rows.is_certain_prose(text)
        if role == "user":
            return super().message(message) and self.rows.dialect.chat.read_responses(role, text) is None
        return role == "system" and (self._declaration() if text == _STATED else super().message(message))

    def _declaration(self) -> bool:
        """Take the system text that declares the tools: all else of it is part of the shape."""
        if self.stated is None or self.turns:
            return False
        self.values += self.tools
        self.turns.append(("marked", "system", [each if type(each) is str else TOOL for each in self.stated]))
        self.stated = None
        return True

    def _marked(self, role: str, text: str) -> bool:
        """Read a text of markup, calls or results, and prose; the JSON is read later, all of a row at once."""
        is_answer = role == "assistant"
        texts = self.texts.answers if is_answer else self.texts.asked
        pieces: list[Any] = []
        prose: list[str] = []
        for line in (*text.split("\n"), ""):
            first = line[:1]
            if line and first != "<" and first != "{":
                prose.append(line)
                continue
            if prose:
                run = "\n".join(prose)
                if not begins_as_prose(run) or not is_not_json(run):
                    return False
                if is_answer and not self.rows.is_certain_prose(run):
                    return False
                prose.clear()
                texts.append(run)
                self.values.append(run)
                pieces.append(PROSE)
            if first == "{":
                self.data.append((pieces, len(pieces), is_answer))
            elif line:
                if line[-1] != ">" or len(line) > LONGEST_TAG:
                    return False
                self.tags.add(line)
            pieces.append(line)
        pieces.pop()
        self.turns.append(("marked", role, pieces))
        return True

    def _read_data(self) -> bool:
        """Read the JSON of all texts, and put its form in its place; whether it is plain."""
        lines = self.texts.data = [pieces[at] for pieces, at, _ in self.data]
        if (read := read_objects(lines)) is None:
            return False
        calls: set[str] = set()
        groups: dict[str, int] = {}
        for (pieces, at, is_call), line, (value, is_spaced) in zip(self.data, lines, read, strict=True):
            if not is_call:
                if "name" in value:  # it may tell which call it answers
                    return False
                self.values.append(line)
                pieces[at] = "data", is_spaced
                continue
            if line in calls or tuple(value) != _CALL_KEYS:
                return False
            calls.add(line)
            name, arguments = value["name"], value["arguments"]
            if type(arguments) is not dict or not _NOT_ARGUMENTS.isdisjoint(arguments):
                return False
            call = ToolCall(name, arguments)
            if not self._is_known(name) or needs_names(call, NO_TOOLS) or not self.rows.is_certain_call(call):
                return False
            self.names.append(name)
            group = groups.get(name)
            if group is None:
                group = groups[name] = len(groups)
                self.values.append(name)
            if arguments:
                spaced = line[len(name) + _BEFORE : -1] if is_spaced else jsontext.spaced(arguments)
                self.values.append(JsonText(orjson.dumps(arguments), spaced.encode()))
            pieces[at] = "call", is_spaced, group, bool(arguments)
        return True

    def _is_known(self, name: Any) -> bool:
        """Whether a called tool is declared, if any is, and has a plain name."""
        if not self.rows.tools.is_plain_name(name):
            return False
        return not self.tools or name in [tool.name for tool in self.tools]
