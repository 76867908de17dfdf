"""Reads plain rows: OpenAI rows with tools, whose calls are structure, and whose texts are nothing but prose or JSON.

The shape of a row is all of it but the values that a plan fills in. What is not in the shape has no influence on the
rest of the output.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any, Final, NamedTuple

import orjson

from toolconv.convert.plans import ROLES, TEXT_KEYS
from toolconv.convert.plans.known_tools import CheckedTool, KnownTools
from toolconv.convert.plans.plain_values import (
    NO_ARGUMENTS,
    JsonText,
    begins_as_prose,
    is_not_json,
    plain_text,
    read_objects,
)
from toolconv.core.pairing import is_numbered
from toolconv.core.remembered import Remembered
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS
from toolconv.dialects.base import Dialect
from toolconv.dialects.prompts.stated_tools import may_instruct
from toolconv.dialects.responses import beginnings_of_responses

LONGEST: Final = 1 << 20
"""The longest plain row, in bytes."""
SHORTEST_ID: Final = 12
"""The shortest id of a call other than ``call_0``: dialects keep some shorter ones, by their form."""
NUMBERED: Final = "numbered"
"""The form of the ids that toolconv gives."""
LONGEST_CARRIED: Final = 256
"""The longest text, other than an id, that is carried along by a plain row: it is part of the shape."""
"""How many system texts are remembered, and the longest of these."""
_INSTEAD: Final = -7071067811
"""Stands for the tools in a line: it shows that they were cut out where they stood."""
_IN_LINE: Final = str(_INSTEAD).encode()
_CALLS_KEYS: Final = frozenset(
    {("role", "content", "tool_calls"), ("role", "tool_calls", "content"), ("role", "tool_calls")}
)
_RESULT_KEYS: Final = frozenset(
    ("role", *order) for more in ((), ("name",)) for order in permutations(("content", "tool_call_id", *more))
)
_CALL_KEYS: Final = ("id", "type", "function")
_FUNCTION_KEYS: Final = ("name", "arguments")


class RowShape(NamedTuple):
    """What the output of a plain row depends on, other than its values.

    Attributes:
        fields: for each key of the row, what is known of its value.
        turns: for each message, its form.
    """

    fields: tuple[Any, ...]
    turns: tuple[Any, ...]


Value = str | JsonText | CheckedTool


Listed = tuple[dict[str, CheckedTool], str]
"""The tools of a row by name, and how it spells the list: ``spaced`` or ``compact`` JSON text; empty for a list."""


class PlainRows:
    """Reads plain rows.

    Attributes:
        column: the key of their messages.
        longest: the longest line that is read, in bytes.
        roles: what the names of speakers mean.
        tells_empty: whether a shape tells calls without arguments from others: what is written for them may differ.
        beginnings: what results begin with in some dialect; there are no plans with further ones.
        takes_any_name: whether calls may be to tools that aren't declared: in examples, no two are to the same.

    Args:
        dialect: of what is written, or read.
        longest: the longest line of any row, in bytes.
    """

    def __init__(self, dialect: Dialect, longest: int) -> None:
        self.dialect = dialect
        self.tools = KnownTools(dialect)
        self.tells_empty = False
        self.takes_any_name = False
        self.column = "messages"
        self.roles = ROLES
        self.longest = min(longest, LONGEST)
        self.beginnings = beginnings_of_responses()
        self._systems: Remembered[str, None] = Remembered(256)

    def read(self, line: bytes) -> RowReading | None:
        """The plain row in a line, however long; ``None`` for any other row."""
        if (cut := self.cut(line)) is None:
            return None
        declared, rest = cut
        try:
            row = orjson.loads(rest)
        except ValueError:
            return None
        if type(row) is not dict or type(row.get(self.column)) is not list:
            return None
        reading = self.reading(declared, row)
        if reading is None or (text := reading.read(row)) is None:
            return None
        if rest.count(b":") != reading.keys_read + text.count(":") or rest.find(b"\\u003") >= 0:  # maybe a key twice
            return None
        return reading

    def cut(self, line: bytes) -> tuple[bytes, bytes] | None:
        """The list of tools in a line, as it seems, and the line with a number instead; ``None`` if it has none.

        It may be JSON text.
        """
        start = line.find(b'"tools":') + 8
        if start < 8:
            return None
        if line.startswith(b" ", start):
            start += 1
        if line.startswith(b'"[', start):
            end = line.find(b']"', start) + 1  # in a text, a backslash is before each quotation mark
            return line[start : end + 1], line[:start] + _IN_LINE + line[end + 1 :]
        if not line.startswith(b"[", start):
            return None
        end = line.find(b'}}}], "', start) + 3
        if end < 3:
            end = line.find(b'}}}],"', start) + 3
        if end < 3:
            end = line.rfind(b"]")
        return line[start : end + 1], line[:start] + _IN_LINE + line[end + 1 :]

    def reading(self, declared: bytes, row: dict[str, Any]) -> RowReading | None:
        """What reads a row from which a list of tools was cut; ``None`` if they are not plain."""
        listed = self.listed(declared, row)
        return None if listed is None else RowReading(self, *listed)

    def listed(self, declared: bytes, row: dict[str, Any]) -> Listed | None:
        """The tools of the list, or its text, that was cut from a row."""
        if not declared or row.get("tools") != _INSTEAD:
            return None
        if not declared.startswith(b'"'):
            tools = self.tools.declared(declared)
            return None if tools is None else (tools, "")
        try:
            text = orjson.loads(declared).encode()
        except ValueError:
            return None
        if (tools := self.tools.declared(text)) is None:
            return None
        if text == b"[%b]" % b", ".join([tool.envelope.spaced for tool in tools.values()]):
            return tools, "spaced"
        compact = b"[%b]" % b",".join([tool.envelope.compact for tool in tools.values()])
        return (tools, "compact") if text == compact else None

    def is_certain(self, row: dict[str, Any]) -> bool:
        """Whether the texts of an example are certainly read as those of all plain rows of its shape."""
        return True

    def are_certain(self, answers: list[str], calling: list[tuple[str, list[ToolCall]]]) -> bool:
        """Whether the answers, and the turns with calls, of a row are certainly read back."""
        for content, calls in calling:
            if not self.dialect.certainly_round_trips(content, None, calls, NO_TOOLS):
                return False
        return self.is_certain_prose("\0".join(answers))

    def is_certain_prose(self, text: str) -> bool:
        """Whether prose of the assistant's is certainly read as it is."""
        return self.dialect.certainly_round_trips(text, None, (), NO_TOOLS)

    def is_plain_system(self, text: str) -> bool:
        """Whether a system text says nothing about tools; the last ones are remembered."""
        if text in self._systems:
            return True
        if may_instruct(text):
            return False
        self._systems.add(text, None, len(text))
        return True


class RowReading:
    """The reading of one row.

    Attributes:
        tools: those that it declares.
        spelling: how it spells the list of these.
        keys: of a message that is a text.
        keys_read: how many keys its objects have, except those in texts.
        last: the role of the last message, if that is a text.
        turns: the form of each message.
        answers, asked, data: its texts, as :func:`plain_text` takes them: all strings with a colon.
        unread: for each text in JSON where it is.
        calling: the text and the calls of turns with calls.
        first: how many calls are before those of the last of these turns.
        shape: what the output depends on, other than the values; once the row is read.
        values: what a plan fills in, in the order of the row.
        names: those of the called tools.
        row: the row, in which a number stands for the tools.
    """

    __slots__ = (
        "answers", "asked", "calling", "data", "first", "ids", "keys", "keys_read", "last", "names", "row", "rows",
        "shape", "spelling", "tools", "turns", "unread", "values",
    )  # fmt: skip

    shape: RowShape
    row: dict[str, Any]

    def __init__(self, rows: PlainRows, tools: dict[str, CheckedTool], spelling: str) -> None:
        self.rows = rows
        self.tools = tools
        self.spelling = spelling
        self.keys = TEXT_KEYS
        self.keys_read = 0
        self.last = ""
        self.turns: list[Any] = []
        self.values: list[Value] = []
        self.answers: list[str] = []
        self.asked: list[str] = []
        self.data: list[str] = []
        self.unread: list[tuple[Any, ...]] = []
        self.calling: list[tuple[str, list[ToolCall]]] = []
        self.names: list[str] = []
        self.ids: dict[str, int] = {}
        self.first = 0

    def read(self, row: dict[str, Any]) -> str | None:
        """Read the row, in which a number stands for the tools; all texts of a plain one."""
        fields: list[Any] = []
        carried: list[Any] = []
        for key, value in row.items():
            if key == "tools":
                fields.append((key, len(self.tools), self.spelling))
                self.values += self.tools.values()
            elif key == self.rows.column:
                for message in value:
                    if not self.message(message):
                        return None
                fields.append((key, self.keys))
            elif (field := self._carried(key, value)) is None:
                return None
            else:
                fields.append(field)
                carried += field[2:]
        if not self.is_whole() or (carried and not set(carried).isdisjoint(self.values)):
            return None  # a text that stands twice may be one of several answers
        self.keys_read += len(row)
        self.row = row
        self.shape = RowShape(tuple(fields), tuple(self.turns))
        return plain_text(self.answers, self.asked, self.data, self.tools, bool(self.names))

    def is_whole(self) -> bool:
        """Whether the row ends with an answer, its JSON is plain, and its calls are certainly read back."""
        if self.last != "assistant" or (self.unread and not self.read_data()):
            return False
        return self.rows.are_certain(self.answers, self.calling)

    def read_data(self) -> bool:
        """Read the JSON of calls and results, all at once; whether it is plain."""
        if (read := read_objects(self.data)) is None:
            return False
        for (at, call), text, value, compact, is_spaced in zip(self.unread, self.data, *read, strict=True):
            if call is None:
                self.turns[at] = (*self.turns[at], "spaced" if is_spaced else "compact")
            elif value:
                call.arguments = value
                self.values[at] = JsonText(value, compact, text.encode() if is_spaced else None)
            else:
                return False
        return True

    def _carried(self, key: str, value: Any) -> tuple[Any, ...] | None:
        """Read a value that is carried along: all of it is in the shape, unless it is an id."""
        kind = type(value)
        if kind is str:
            if not begins_as_prose(value) or len(value) > LONGEST_CARRIED:
                return None
            self.asked.append(value)
        elif (kind is not int and kind is not bool and value is not None) or value == _INSTEAD:
            return None
        if key == "id" and (kind is str or kind is int):
            self.values.append(str(value))
            return key, kind
        return key, kind, value

    def message(self, message: Any) -> bool:
        """Read a message; whether it is plain."""
        if type(message) is not dict:
            return False
        keys, role, content = tuple(message), message.get("role"), message.get("content")
        self.keys_read += len(keys)
        if keys == TEXT_KEYS:
            return self.prose(role, role, content)
        self.last = ""
        if role == "assistant":
            return keys in _CALLS_KEYS and self._calls(message, keys, content)
        return role == "tool" and keys in _RESULT_KEYS and self._result(message, keys, content)

    def prose(self, role: Any, name: Any, text: Any) -> bool:
        """Read a message that is prose, by a speaker of some name."""
        if not begins_as_prose(text):
            return False
        self.last = role
        self.values.append(text)
        self.turns.append(("text", name))
        if role == "assistant":
            self.answers.append(text)
            return True
        self.asked.append(text)
        if role == "user":
            return not text.startswith(self.rows.beginnings)
        return role == "system" and self.rows.is_plain_system(text)

    def _calls(self, message: dict[str, Any], keys: tuple[str, ...], content: Any) -> bool:
        """Read a turn with calls."""
        if content:
            if not begins_as_prose(content):
                return False
            self.values.append(content)
            self.answers.append(content)
        elif content is not None and content != "":
            return False
        found = message["tool_calls"]
        if type(found) is not list or not found:
            return False
        calls: list[ToolCall] = []
        kinds: list[Any] = []
        self.first = len(self.names)
        for call in found:
            if not self._call(call, calls, kinds):
                return False
        self.turns.append(("calls", keys, "text" if content else content, *kinds))
        self.calling.append((content or "", calls))
        return True

    def _call(self, call: Any, calls: list[ToolCall], kinds: list[Any]) -> bool:
        """Read a call; two ``kinds`` are added, of its id and of its arguments."""
        if type(call) is not dict or tuple(call) != _CALL_KEYS or call["type"] != "function":
            return False
        function, made = call["function"], call["id"]
        if type(function) is not dict or tuple(function) != _FUNCTION_KEYS or type(made) is not str:
            return False
        name, text = function["name"], function["arguments"]
        if type(text) is not str or made in self.ids or not self.rows.tools.is_plain_name(name):
            return False
        if is_numbered(made):
            kinds.append(NUMBERED)
        elif len(made) >= SHORTEST_ID and made.isascii() and made.replace("_", "").replace("-", "").isalnum():
            kinds.append(len(made))  # some dialects give an id a form by its length
        else:
            return False
        self.values.append(made)
        self.ids[made] = len(self.names)
        self.names.append(name)
        self.values.append(name)
        calls.append(ToolCall(name, {}))
        if text != "{}":
            self.data.append(text)
            self.unread.append((len(self.values), calls[-1]))
        self.values.append(NO_ARGUMENTS)
        self.keys_read += len(_CALL_KEYS) + len(_FUNCTION_KEYS)
        kinds.append(text != "{}" if self.rows.tells_empty else None)
        return True

    def _result(self, message: dict[str, Any], keys: tuple[str, ...], content: Any) -> bool:
        """Read the result of a call."""
        made = message["tool_call_id"]
        at = self.ids.get(made) if type(made) is str else None
        if at is None or type(content) is not str or ("name" in message and message["name"] != self.names[at]):
            return False
        self.values.append(content)
        if content[:1] == "{":
            self.data.append(content)
            self.unread.append((len(self.turns), None))
            self.turns.append(("result", keys, at - self.first))
        elif begins_as_prose(content) and is_not_json(content):
            self.asked.append(content)
            self.turns.append(("result", keys, at - self.first, "prose"))
        else:
            return False
        return True
