"""A row as rules see it: the line, the JSON in it, the conversation it holds, its calls, responses and tools.

Everything is worked out at most once, when a rule asks for it.

Places are *deep pointers*: JSON pointers that go on through a text that is JSON itself
(``/messages/1/tool_calls/0/function/arguments/days``, where ``arguments`` is text). :meth:`LintRow.place` is the part
of one that stands in the row, :meth:`LintRow.edit` the change to the row that a change there comes to.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from toolconv import jsonlike, jsontext, layouts
from toolconv.conversation import Conversation, Message, Row, Tool
from toolconv.dialects.base import Dialect, Parsed
from toolconv.dialects.chatform import RESPONSE_ROLES, TOOLS_TAGS, tools_in_tags
from toolconv.layouts.base import Layout, LayoutError
from toolconv.lint.outline import Outline, outline_of
from toolconv.lint.rule import Edit
from toolconv.toolindex import ToolIndex, function_of
from toolconv.turns import SYSTEM_ROLES

if TYPE_CHECKING:
    from toolconv.lint.forms import Form

MISSING: Final = object()
"""What :meth:`LintRow.look` gives where there is nothing."""

ARGUMENT_KEYS: Final = ("arguments", "parameters", "input", "args")
SCHEMA_KEYS: Final = ("parameters", "input_schema", "inputSchema", "arguments", "parametersJsonSchema")
TOOL_KEYS: Final = (
    "tools",
    "functions",
    "function",
    "available_tools",
    "tool_defs",
    "toolConfig",
    "config",
    "target_tools",
)
PROMPT_KEYS: Final = ("system", "prompt", "system_prompt", "instruction")
"""Where a row may have a system text beside its messages."""

REASONING_KEYS: Final = ("reasoning_content", "reasoning", "thinking")
CALL_TYPES: Final = ("tool_use", "server_tool_use", "mcp_tool_use", "function_call", "tool_call")
_DECLARES: Final = {*SCHEMA_KEYS, "name", "function", "toolSpec", "functionDeclarations", "function_declarations"}
MAX_STATED: Final = 200_000
"""Longest system text that is searched for declarations without tags."""


@dataclass(frozen=True)
class LintCall:
    """A call of a row: structured, or read from a text in the input's dialect.

    Attributes:
        message: index of its message in the conversation.
        index: its place among the message's calls.
        name, arguments: as they are; ``arguments`` is text where the text is no JSON object.
        id: its id, which the layout may have given it; or ``None``.
        pointer: of the call in the row; ``name_pointer`` and ``arguments_pointer`` of its parts (deep pointers; those
            of a call in a text are the text's).
        written: the arguments as they stand in the row: an object, or text; ``None`` for a call in a text, and where
            there are none.
        in_text: the call was read from a text.
        placed: it stands in the row as structure, at its pointers; else they are those of the text or the row.
    """

    message: int
    index: int
    name: Any
    arguments: Any
    id: Any
    pointer: str
    name_pointer: str
    arguments_pointer: str
    written: Any
    in_text: bool = False
    placed: bool = True


@dataclass(frozen=True)
class LintResponse:
    """A tool response: whose it says it is, and where it stands."""

    id: Any
    name: Any
    content: Any
    pointer: str


@dataclass
class LintTurn:
    """A message: its role (``tool`` for what holds tool responses), its calls and responses.

    Attributes:
        message: index in the conversation.
        role: as the conversation has it.
        pointer: of the message.
        text: its prose; for a turn whose calls were read from its text, without them.
    """

    message: int
    role: str
    pointer: str
    text: str
    calls: list[LintCall] = field(default_factory=list)
    responses: list[LintResponse] = field(default_factory=list)


@dataclass(frozen=True)
class LintTool:
    """A tool declaration as it stands.

    Attributes:
        pointer: of the function object (deep), or of the system text.
        function: the object that has the name.
        name, parameters: of the tool.
        parameters_pointer: where the parameters stand, or would.
        stated: the declaration stands in the system text.
    """

    pointer: str
    function: dict[str, Any]
    name: Any
    parameters: Any
    parameters_pointer: str
    stated: bool = False


class LintRow:
    """One row.

    Args:
        file: name of the input.
        line: its line, from 1.
        raw: the line without its end.
        layout: the layout of the input's rows; ``None`` when it is not known yet.
        dialect: the dialect of the input's texts, if they are in one.
        cut: it is the last line, and no line end comes after it.

    Attributes:
        memo: what rules worked out about the row for each other.
        form: what it has in common with others, if it was taken in at a glance.
    """

    def __init__(
        self, file: str, line: int, raw: bytes, layout: Layout | None, dialect: Dialect | None, cut: bool = False
    ) -> None:
        self.file = file
        self.line = line
        self.raw = raw
        self.layout = layout
        self.dialect = dialect
        self.cut = cut
        self.memo: dict[str, Any] = {}
        self.form: Form | None = None

    # ── the line ──

    @cached_property
    def json(self) -> Any:
        """The JSON value of the line; the :class:`ValueError` itself when there is none."""
        try:
            return jsontext.loads(self.raw)
        except ValueError as error:
            return error

    @property
    def row(self) -> Row | None:
        """The row; ``None`` when the line is no JSON object."""
        value = self.json
        return value if isinstance(value, dict) else None

    @property
    def id(self) -> str | None:
        """The row's own id, as text."""
        value = self.row.get("id") if self.row else None
        return str(value) if isinstance(value, str | int) else None

    # ── places ──

    def at(self, pointer: str) -> Any:
        """The value at a deep pointer; ``None`` when there is none."""
        value = self.look(pointer)
        return None if value is MISSING else value

    def look(self, pointer: str) -> Any:
        """The value at a deep pointer; :data:`MISSING` when there is none."""
        value: Any = self.row
        for part in _parts(pointer):
            value = _step(_opened(value), part)
        return value

    def place(self, pointer: str) -> str:
        """The longest part of a deep pointer that stands in the row as it is: what a finding points to."""
        value: Any = self.row
        parts = _parts(pointer)
        for count, part in enumerate(parts):
            value = _step(value, part)
            if value is MISSING:
                return "".join("/" + _escaped(part) for part in parts[:count])
        return pointer

    def edit(self, pointer: str, value: Any = None, *, remove: bool = False) -> Edit:
        """The edit of the row that changes what is at a deep pointer; a new last key puts a value in."""
        parts = _parts(pointer)
        here: Any = self.row
        for count, part in enumerate(parts):
            if isinstance(here, str):
                inner, text = _opened(here), here
                if inner is here:
                    break
                new = _changed(inner, parts[count:], value, remove)
                return Edit("".join("/" + _escaped(part) for part in parts[:count]), _respelled(text, inner, new))
            here = _step(here, part)
        return Edit(pointer, None if remove else value, remove)

    # ── the conversation ──

    @cached_property
    def conversation(self) -> Conversation | None:
        """What the row holds, as its layout reads it, else the layout it has; ``None`` when that is none."""
        return self._reading[1]

    @cached_property
    def read_as(self) -> Layout | None:
        """The layout that :attr:`conversation` is read in: another than :attr:`layout` where rows are mixed."""
        return self._reading[0]

    @cached_property
    def _reading(self) -> tuple[Layout | None, Conversation | None]:
        row = self.row
        if row is None:
            return None, None
        for layout in (self.layout, None):
            layout = layout or layouts.detect(row)
            if layout is None:
                break
            with suppress(LayoutError):
                return layout, layout.read(row)
        return None, None

    @cached_property
    def messages(self) -> list[Message]:
        """The messages; none when the row can't be read."""
        return self.conversation.messages if self.conversation else []

    @cached_property
    def spelled(self) -> bool:
        """Whether the row's texts spell calls by design, in the input's dialect."""
        return self.conversation is not None and self.read_as is not None and self.read_as.spelled

    def message_pointer(self, index: int) -> str:
        """Where a message stands in the row."""
        return self._pointers[index] if index < len(self._pointers) else ""

    @cached_property
    def _pointers(self) -> list[str]:
        if self.conversation is None or self.read_as is None:
            return []
        return self.read_as.pointers(self.conversation)

    def text_pointer(self, index: int, key: str = "content") -> str:
        """Where the text of a message stands."""
        pointer = self.message_pointer(index)
        if self.conversation is not None and self.conversation.text_key and not pointer:
            return "/" + self.conversation.text_key.replace(".", "/")
        if not pointer:
            return ""
        message = self.look(pointer)
        keys = (key, "value", "text") if key == "content" else (key,)
        return next((f"{pointer}/{name}" for name in keys if isinstance(message, dict) and name in message), pointer)

    # ── tools ──

    @cached_property
    def tools(self) -> list[Tool]:
        """The tools that are declared as structure."""
        found = self.conversation.tools if self.conversation else []
        return found or [tool.function for tool in self.declared if function_of(tool.function)]

    @cached_property
    def declared(self) -> list[LintTool]:
        """The declarations outside the texts, as they stand."""
        row = self.row or {}
        for key in TOOL_KEYS:
            value = _opened(row.get(key))
            if key == "toolConfig" and isinstance(value, dict):
                key, value = "toolConfig/tools", value.get("tools")
            if key == "config" and isinstance(value, dict):
                key, value = "config/tools", value.get("tools")
            if isinstance(value, list) and (found := list(_declarations(value, f"/{key}"))):
                return found
        return []

    @cached_property
    def stated(self) -> list[LintTool]:
        """The declarations in the system text, or the prompt of a completion row."""
        for pointer, text in self._system_texts():
            tools = tools_in_tags(text) or self._told(text)
            if tools:
                return [tool for item in tools for tool in _declarations([item], "", pointer)]
        return []

    def _system_texts(self) -> Iterator[tuple[str, str]]:
        for at, message in enumerate(self.messages):
            if message.get("role") in SYSTEM_ROLES and isinstance(message.get("content"), str):
                yield self.text_pointer(at), message["content"]
        row = self.row or {}
        for key in PROMPT_KEYS:
            if isinstance(row.get(key), str):
                yield f"/{key}", row[key]

    def _told(self, text: str) -> list[Tool]:
        """Tools that a text declares in its dialect's form, or as a list of JSON objects with names and schemas."""
        if self.dialect is not None and (declared := self.dialect.chat.declared(text)) is not None:
            return declared[1]
        if not _names_tools(text):
            return []
        tools: list[Tool] = []
        tries, start = 8, text.find("{")
        while start >= 0 and tries:
            try:
                reading = jsonlike.read(text, start)
            except jsonlike.Unreadable:
                tries -= 1
                start = text.find("{", start + 1)
                continue
            function = function_of(reading.value)
            if function is None or not any(key in function for key in SCHEMA_KEYS) or "description" not in function:
                tries -= 1
            else:
                tools.append(reading.value)
            start = text.find("{", reading.end)
        return tools

    @cached_property
    def index(self) -> ToolIndex:
        """The declared tools by name: those declared as structure, else those of the system text."""
        return ToolIndex(self.tools or [_openai(tool) for tool in self.stated])

    # ── turns ──

    @cached_property
    def parsed(self) -> dict[int, Parsed]:
        """Assistant turns without structured calls, read in the input's dialect: by index of the message."""
        if self.dialect is None:
            return {}
        return {
            at: self.dialect.parse(message["content"], self.index)
            for at, message in enumerate(self.messages)
            if message.get("role") == "assistant" and isinstance(message.get("content"), str) and message["content"]
            if not message.get("tool_calls")
        }

    @cached_property
    def outline(self) -> Outline:
        """Who speaks, and how many calls there are."""
        return outline_of(tuple(len(turn.calls) if turn.role == "assistant" else turn.role for turn in self.turns))

    @cached_property
    def encodings(self) -> set[type]:
        """How arguments are written in the row: ``str`` for JSON text, ``dict`` for objects."""
        return {type(call.written) for call in self.calls if isinstance(call.arguments, dict)} & {str, dict}

    @cached_property
    def calls(self) -> list[LintCall]:
        """The calls, in order: structured ones, and those read from texts."""
        return [call for turn in self.turns for call in turn.calls]

    @cached_property
    def turns(self) -> list[LintTurn]:
        """The messages with their calls and responses."""
        return [self._turn(at, message) for at, message in enumerate(self.messages)]

    def _turn(self, at: int, message: Message) -> LintTurn:
        role, content = message.get("role"), message.get("content")
        pointer = self.message_pointer(at)
        turn = LintTurn(at, role if isinstance(role, str) else "", pointer, text_of(content))
        if role == "assistant":
            parsed = self.parsed.get(at)
            if parsed is not None and parsed.calls:
                place = self.text_pointer(at)
                turn.text = parsed.content
                turn.calls = [
                    LintCall(at, index, call.name, call.arguments, call.id, place, place, place, None, True, False)
                    for index, call in enumerate(parsed.calls)
                ]
            elif message.get("tool_calls"):
                turn.calls = list(self._structured(at, message, pointer))
        elif role == "tool":
            turn.responses = [LintResponse(message.get("tool_call_id"), message.get("name"), content, pointer)]
        if (
            self.dialect is not None
            and isinstance(content, str)
            and (turn.role == "user" or (turn.role in RESPONSE_ROLES and self.spelled))
            and (found := self.dialect.chat.responses(turn.role, content))
        ):
            turn.responses = [
                LintResponse(item.get("tool_call_id"), item.get("name"), item.get("content"), pointer) for item in found
            ]
        if turn.responses:
            turn.role = "tool"
        return turn

    def _structured(self, at: int, message: Message, pointer: str) -> Iterator[LintCall]:
        items = message["tool_calls"] if isinstance(message["tool_calls"], list) else []
        places = self._places(pointer, len(items))
        for index, call in enumerate(items):
            function = call.get("function") if isinstance(call, dict) else None
            if not isinstance(function, dict):
                continue
            place = places[index] if index < len(places) else ""
            if not place or (place == pointer and not self._is_call(place)):
                name, arguments = function.get("name"), function.get("arguments")
                yield LintCall(
                    at, index, name, arguments, call.get("id"), pointer, pointer, pointer, None, placed=False
                )
                continue
            inner = place
            item = _opened(self.look(place))
            if isinstance(item, dict):
                for key in ("function", "functionCall", "function_call", "toolUse"):
                    if isinstance(item.get(key), dict):
                        inner, item = f"{place}/{key}", item[key]
                        break
            members = item if isinstance(item, dict) else {}
            key = next((key for key in ARGUMENT_KEYS if key in members), "arguments")
            arguments = f"{inner}/{key}"
            yield LintCall(
                at,
                index,
                function.get("name"),
                function.get("arguments"),
                call.get("id"),
                place,
                f"{inner}/name",
                arguments,
                self.at(arguments),
            )

    def _places(self, pointer: str, count: int) -> list[str]:
        """Where the calls of a message stand; in some layouts each has a turn of its own, after one for prose."""
        if not pointer:
            return []
        places = call_places(self.look(pointer), pointer)
        head, _, last = pointer.rpartition("/")
        if not last.isdigit():
            return places
        places = [place for place in places if place != pointer or self._is_call(place)]
        after = int(last) + 1
        while len(places) < count and after <= int(last) + count:
            turn = f"{head}/{after}"
            more = [place for place in call_places(self.look(turn), turn) if self._is_call(place)]
            if not more:
                break
            places += more
            after += 1
        return places

    def _is_call(self, pointer: str) -> bool:
        value = _opened(self.look(pointer))
        return isinstance(value, dict) and "name" in value and any(key in value for key in ARGUMENT_KEYS)


def may_state_tools(text: str) -> bool:
    """Whether a system text may declare tools, in a row that has no dialect."""
    return any(opening in text for opening, _ in TOOLS_TAGS) or _names_tools(text)


def _names_tools(text: str) -> bool:
    return '"name"' in text and '"description"' in text and len(text) <= MAX_STATED


# ── helpers ─────────────────────────────────────────────────────────────────────────────────────


def call_places(message: Any, pointer: str) -> list[str]:
    """Deep pointers of the calls that stand in a message of any layout, in order."""
    message = _opened(message)
    if isinstance(message, list):
        return [f"{pointer}/{index}" for index in range(len(message))]
    if not isinstance(message, dict):
        return [pointer]
    if isinstance(_opened(message.get("tool_calls")), list):
        return [f"{pointer}/tool_calls/{index}" for index in range(len(_opened(message["tool_calls"])))]
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
        value = _opened(message.get(key))
        if value is not message.get(key) and isinstance(value, dict | list):
            inside = f"{pointer}/{key}"
            return [f"{inside}/{index}" for index in range(len(value))] if isinstance(value, list) else [inside]
    return [pointer]


def text_of(content: Any) -> str:
    """The text of a message's content: of its text parts where it is a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = (part.get("text") or part.get("value") for part in content if isinstance(part, dict))
        return "\n".join(text for text in texts if isinstance(text, str))
    return ""


def walk(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Every scalar and key of a JSON value, each with its pointer; a key is given with its value's pointer."""
    stack: list[tuple[str, Any]] = [(pointer, value)]
    while stack:
        here, item = stack.pop()
        if isinstance(item, dict):
            for key in item:
                yield f"{here}/{_escaped(key)}", key
            stack.extend((f"{here}/{_escaped(key)}", member) for key, member in reversed(item.items()))
        elif isinstance(item, list):
            stack.extend((f"{here}/{index}", item[index]) for index in range(len(item) - 1, -1, -1))
        else:
            yield here, item


def _declarations(items: list[Any], pointer: str, stated: str | None = None) -> Iterator[LintTool]:
    for index, item in enumerate(items):
        place = f"{pointer}/{index}"
        if not isinstance(item, dict):
            continue
        if not _DECLARES.intersection(item):
            continue
        inner = next((key for key in ("functionDeclarations", "function_declarations") if key in item), "")
        if inner:
            if isinstance(item[inner], list):
                yield from _declarations(item[inner], f"{place}/{inner}", stated)
            continue
        for key in ("function", "toolSpec"):
            if isinstance(item.get(key), dict):
                place, item = f"{place}/{key}", item[key]
        named = next((key for key in SCHEMA_KEYS if key in item), "parameters")
        parameters, where = item.get(named), f"{place}/{named}"
        if named == "inputSchema" and isinstance(parameters, dict) and set(parameters) == {"json"}:
            parameters, where = parameters["json"], f"{where}/json"
        if stated is not None:
            yield LintTool(stated, item, item.get("name"), _opened(parameters), stated, True)
        else:
            yield LintTool(place, item, item.get("name"), _opened(parameters), where)


def _openai(tool: LintTool) -> Tool:
    return {"type": "function", "function": {**tool.function, "parameters": tool.parameters}}


def _opened(value: Any) -> Any:
    """A value, or what its text says where that is a JSON object or list."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return jsontext.loads(value)
        except ValueError:
            return value
    return value


def _parts(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _escaped(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1")


def _step(value: Any, part: str) -> Any:
    if isinstance(value, list) and part.isdigit() and int(part) < len(value):
        return value[int(part)]
    if isinstance(value, dict):
        return value.get(part, MISSING)
    return MISSING


def _changed(value: Any, parts: list[str], new: Any, remove: bool) -> Any:
    """A copy of ``value``, changed at a path; texts that are JSON are gone through."""
    if not parts:
        return new
    if isinstance(value, str):
        inner = _opened(value)
        return value if inner is value else _respelled(value, inner, _changed(inner, parts, new, remove))
    part, rest = parts[0], parts[1:]
    if isinstance(value, dict):
        if remove and not rest:
            return {key: member for key, member in value.items() if key != part}
        return {**value, part: _changed(value.get(part), rest, new, remove)}
    if isinstance(value, list) and part.isdigit() and int(part) < len(value):
        at = int(part)
        middle = [] if remove and not rest else [_changed(value[at], rest, new, remove)]
        return [*value[:at], *middle, *value[at + 1 :]]
    return value


def _respelled(text: str, before: Any, after: Any) -> str:
    """``after`` as JSON text, in the spelling that ``text`` has of ``before``."""
    if jsontext.compact(before) == text:
        return jsontext.compact(after)
    return jsontext.pretty(after) if jsontext.pretty(before) == text else jsontext.spaced(after)
