"""Reads plain rows whose calls are in texts: markup, JSON and prose, each in lines of its own.

The lines of markup, with the empty ones, are part of a row's shape. What they mean is not known here: the ordinary path
reads an example that has the same lines, all of whose turns must be exactly what the dialect writes. The dialect says
whether calls and prose are certainly read as they are; the user names it, or the first rows of the input show it.
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from toolconv.convert.plans import TextLayout
from toolconv.convert.plans.known_tools import MOST_TOOLS, ROOM, CheckedTool, by_name, kinds
from toolconv.convert.plans.plain_rows import PlainRows, RowReading
from toolconv.convert.plans.plain_values import JsonText, begins_as_prose, is_not_json, read_objects
from toolconv.core.lazy_re import lazy_re
from toolconv.core.remembered import Remembered
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS
from toolconv.dialects.base import Dialect
from toolconv.dialects.choice.names import WRAPPERS, needs_names
from toolconv.dialects.turn_reader import TurnReader

MOST_TAGS: Final = 256
LONGEST_MARKUP: Final = 256
"""How many kinds of tags, and texts of them, are known, and the longest of these."""
CALLS: Final = "marked calls"
RESULTS: Final = "marked results"
MARKED: Final = frozenset({CALLS, RESULTS, "marked text"})
"""The forms of texts with markup."""
PROSE: Final = ("prose",)
"""In the form of a text, what stands for lines of prose."""
_TAG: Final = lazy_re(r"</?[A-Za-z_]{1,40}>")
_BEFORE_TOOL: Final = orjson.dumps('\n{"type": "function", "function": {')[1:-1]
"""How a line with a tool begins in the JSON of a system text."""
_AFTER_TOOLS: Final = b"}}}\\n"
"""How the last of these lines ends, and what follows it."""
_STATED: Final = "a system text 7071067811"
"""Stands for a system text in a line: it shows that it was cut out where it stood. No other text is taken for it."""
_CALL_KEYS: Final = ("name", "arguments")
_CALL_VALUES: Final = ("", "", "")
_RESULT_VALUES: Final = ("",)
"""In the place of the values of a call, its id, its name and its arguments, or of a result, until they are read."""
_SPACED: Final = len('{"name": "", "arguments": ')
_COMPACT: Final = len('{"name":"","arguments":')
"""How many characters of a call are before its arguments, without the name."""
KEPT_ARGUMENTS: Final = 64
"""How many arguments a tool remembers."""
_NOT_ARGUMENTS: Final = frozenset({"properties", "tool_uses"})
"""Arguments that readers take for declarations, or for calls."""


class MarkedRows(PlainRows):
    """Reads plain rows in one dialect.

    Attributes:
        messages_keys: the keys that messages may have.
        roles: what the names of speakers mean.
        tags: the lines that are known to be tags, and the text of them all.
        markup: the lines of texts that are nothing but markup, or empty lines.

    Args:
        reader: reads their texts.
        target: the dialect of what is written; ``None`` for structure.
        layout: of the rows.
        longest: the longest line of any row, in bytes.
    """

    def __init__(self, reader: TurnReader, target: Dialect | None, layout: TextLayout, longest: int) -> None:
        super().__init__(reader.dialect, longest)
        self.reader = reader
        self.target = target or reader.dialect
        self.column, self.messages_keys, self.roles = layout
        forms = [('"%s": ', ', "%s": "', '"}, {"%s": "'), ('"%s":', ',"%s":"', '"},{"%s":"')]
        self._systems_in_lines = [
            ((before % name).encode(), (after % text).encode(), (end % name).encode())
            for name, text in self.messages_keys
            for before, after, end in forms
        ]
        template = self.target.calls
        self.write_call = template.write_call if template is not None and template.param else None
        self.tags: tuple[frozenset[str], str] = frozenset(), ""
        self.markup: dict[str, tuple[str, ...]] = {}
        self._stated: Remembered[bytes, CheckedTool] = Remembered(MOST_TOOLS, ROOM)
        self._words: Remembered[bytes, str] = Remembered(MOST_TOOLS, ROOM)

    def cut(self, line: bytes) -> tuple[bytes, bytes] | None:
        """The list of tools, or else the first system text, if it declares some; both as JSON."""
        place, end = line.find(b'"system"'), -1
        start = place + 8
        for before, after, following in self._systems_in_lines if place >= 0 else ():
            if line.startswith(after, start) and line.endswith(before, 0, place):
                start += len(after)
                end = line.find(following, start)
                break
        if end < 0 or line.find(_BEFORE_TOOL, start, end) < 0:
            return super().cut(line) or (b"", line)
        return line[start:end], b"%b%b%b" % (line[:start], _STATED.encode(), line[end:])

    def reading(self, declared: bytes, row: dict[str, Any]) -> RowReading | None:
        messages = row[self.column]
        keys = tuple(messages[0]) if messages and type(messages[0]) is dict else ()
        if keys not in self.messages_keys:
            return None
        if "tools" in row:
            listed = self.listed(declared, row)
            return None if listed is None else _MarkedReading(self, *listed, keys)
        if not declared:
            return _MarkedReading(self, {}, "", keys)
        before, *lines = declared.split(_BEFORE_TOOL)
        last, mark, after = lines[-1].partition(_AFTER_TOOLS)
        lines[-1] = last + mark[:3]
        tools: list[CheckedTool] = []
        for raw in lines:
            if (tool := self._stated.get(raw) or self._read_tool(raw)) is None:
                return None
            tools.append(tool)
        words = [self._words.get(raw) or self._read_words(raw) for raw in (before, mark[3:] + after)]
        named = by_name(tools)
        if None in words or named is None:
            return None
        return _MarkedReading(self, named, "", keys, (words[0], len(tools), words[1]))

    def _read_tool(self, raw: bytes) -> CheckedTool | None:
        """A tool in the JSON of a system text, after :data:`_BEFORE_TOOL`."""
        if (text := _decoded(_BEFORE_TOOL + raw)) is None:
            return None
        spaced = text[1:].encode()
        known = self.tools.known(spaced)
        if known is None or not known.is_plain_text or known.envelope.spaced != spaced:
            return None
        return self._stated.add(raw, known, len(raw))

    def _read_words(self, raw: bytes) -> str | None:
        """Other words in the JSON of a system text; ``None`` if they hold the end of a string."""
        if (text := _decoded(raw)) is not None:
            self._words.add(raw, text, len(raw))
        return text

    def is_certain(self, row: dict[str, Any]) -> bool:
        for message in row[self.column]:
            name, text = message.values()
            if self.roles[name] == "assistant" and self.reader.exact(text) is None:
                return False
        return True

    def is_certain_prose(self, text: str) -> bool:
        """The same, and again after it was written."""
        if self.target is not self.dialect and not self.target.certainly_round_trips(text, None, (), NO_TOOLS):
            return False
        return super().is_certain_prose(text)

    def is_certain_call(self, call: ToolCall, tool: CheckedTool | None) -> bool:
        """The same for a call whose arguments hold no markup, to a tool, which may be undeclared.

        Nor does any reader mend or drop its names. The tool remembers arguments whose name and type show all this.
        """
        arguments = call.arguments
        tools = NO_TOOLS if tool is None else tool.index
        if not _NOT_ARGUMENTS.isdisjoint(arguments) or needs_names(call, tools):
            return False
        dialects = (self.dialect,) if self.target is self.dialect else (self.target, self.dialect)
        if tool is not None and all(each.certainly_round_trips_types(call, tools) for each in dialects):
            if len(tool.arguments) < KEPT_ARGUMENTS and WRAPPERS.isdisjoint(arguments):
                tool.arguments.update(kinds(arguments))
            return True
        return all(each.certainly_round_trips_call(call, tools) for each in dialects)


def _decoded(raw: bytes) -> str | None:
    """A text, from the inside of a JSON string; ``None`` if it holds the end of one."""
    try:
        text: str = orjson.loads(b'"%b"' % raw)
    except ValueError:
        return None
    return text


class _MarkedReading(RowReading):
    """The reading of one row.

    Args:
        rows: what is known of all rows.
        tools: those that its key, or a system text, declares.
        spelling: how it spells the list of these.
        keys: of each message.
        stated: the words of that system text before the tools, how many these are, and the words after them.
    """

    __slots__ = ("stated",)

    rows: MarkedRows

    def __init__(
        self,
        rows: MarkedRows,
        tools: dict[str, CheckedTool],
        spelling: str,
        keys: tuple[str, str],
        stated: tuple[str | None, int, str | None] | None = None,
    ) -> None:
        super().__init__(rows, tools, spelling)
        self.keys = keys
        self.stated = stated

    def is_whole(self) -> bool:
        if self.stated is not None or not super().is_whole():
            return False
        self.turns = [tuple(turn) if type(turn) is list else turn for turn in self.turns]
        return True

    def message(self, message: Any) -> bool:
        if type(message) is not dict or tuple(message) != self.keys:
            return False
        self.keys_read += 2
        name, text = message.values()
        role = self.rows.roles.get(name) if type(name) is str else None
        if type(text) is not str:
            return False
        if "<" in text:
            return (role == "assistant" or role == "user" or role == "tool") and self._marked(role, name, text)
        if role == "system":
            return self._declaration(name) if text == _STATED else self.prose(role, name, text)
        if role == "assistant" and self.rows.reader.named is None and "(" in text:  # it may be a call of any dialect
            return False
        return (role == "assistant" or role == "user") and self.prose(role, name, text)

    def _declaration(self, name: str) -> bool:
        """Take the system text that declares the tools: all else of it is part of the shape."""
        if self.stated is None or self.turns:
            return False
        self.values += self.tools.values()
        self.turns.append(("stated", name, *self.stated))
        self.stated = None
        return True

    def _marked(self, role: str, name: str, text: str) -> bool:
        """Read a text of markup, calls or results, and prose; the JSON is read later, all of a row at once."""
        self.last = role
        is_answer = role == "assistant"
        before = self.turns[-1][0] if self.turns else ""
        beginning, *rest = text.split("\n{")  # before each JSON line
        form = (CALLS if rest else "marked text") if is_answer else RESULTS
        markup, values, turn = self.rows.markup, self.values, [form, name]
        pieces = markup.get(beginning) or self._lines(is_answer, beginning)
        for line in rest:
            if pieces is None:
                return False
            turn += pieces
            line, mark, after = line.partition("\n")
            self.unread.append((turn, len(turn), len(values), is_answer))
            self.data.append("{" + line)
            values += _CALL_VALUES if is_answer else _RESULT_VALUES
            turn.append(line)
            pieces = (markup.get(after) or self._lines(is_answer, after)) if mark else ()
        if pieces is None:
            return False
        turn += pieces
        self.turns.append(turn)
        # otherwise, which call a result answers may depend on turns further away
        return before != form or form != CALLS if is_answer else before in (CALLS, RESULTS)

    def _lines(self, is_answer: bool, text: str) -> tuple[Any, ...] | None:
        """Read lines of markup and prose, of which the form of a text consists; ``None`` if they are not plain.

        Those that are nothing but markup are remembered.
        """
        pieces: list[Any] = []
        prose: list[str] = []
        tags = self.rows.tags[0]
        for line in (*text.split("\n"), ""):
            if line and line[0] != "<":
                prose.append(line)
                continue
            if prose:
                if not self._run(is_answer, "\n".join(prose)):
                    return None
                prose.clear()
                pieces.append(PROSE)
            if line and line not in tags and not self._is_tag(line):
                return None
            pieces.append(line)
        pieces.pop()
        lines = tuple(pieces)
        if PROSE not in lines and len(text) <= LONGEST_MARKUP and len(self.rows.markup) < MOST_TAGS:
            self.rows.markup[text] = lines
        return lines

    def _run(self, is_answer: bool, run: str) -> bool:
        """Read lines of prose; whether they are plain."""
        if not begins_as_prose(run) or not is_not_json(run) or (not is_answer and run.startswith(self.rows.beginnings)):
            return False
        (self.answers if is_answer else self.asked).append(run)
        self.values.append(run)
        return True

    def _is_tag(self, line: str) -> bool:
        """Whether a line is nothing but a tag without attributes; the first few kinds are remembered."""
        tags, text = self.rows.tags
        if _TAG.fullmatch(line) is None or len(tags) >= MOST_TAGS:
            return False
        self.rows.tags = tags | {line}, text + line
        return True

    def read_data(self) -> bool:
        """Read the JSON of all texts, and put its form in its place; whether it is plain."""
        if (read := read_objects(self.data)) is None:
            return False
        rows, values, tags, names = self.rows, self.values, self.rows.tags[1], self.names
        for (turn, at, place, is_call), line, value, short, is_spaced in zip(
            self.unread, self.data, *read, strict=True
        ):
            if not is_call:
                if "name" in value:  # it may tell which call it answers
                    return False
                values[place] = line
                turn[at] = "data", is_spaced
                continue
            if tuple(value) != _CALL_KEYS:
                return False
            name, arguments = value.values()
            if type(name) is not str or type(arguments) is not dict or name in tags:  # which may tell it for a result
                return False
            tool = self.tools.get(name)
            if tool is None and ((self.tools and not rows.takes_any_name) or not rows.tools.is_plain_name(name)):
                return False
            is_known = tool is not None and tool.knows(arguments)
            if not is_known and not rows.is_certain_call(ToolCall(name, arguments), tool):
                return False
            values[place] = f"call_{len(names)}"  # as calls without an id are numbered
            names.append(name)
            values[place + 1] = name
            if rows.write_call is not None:
                values[place + 2] = rows.write_call(ToolCall(name, arguments), 0)
            else:
                start = len(name)
                spaced = line[start + _SPACED : -1].encode() if is_spaced else None
                values[place + 2] = JsonText(arguments, short[start + _COMPACT : -1], spaced)
            turn[at] = "call", is_spaced, bool(arguments) if rows.tells_empty else None
        return True
