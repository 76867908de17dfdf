"""How a family's chat declares tools in the system turn and feeds results back: data for writing and for reading."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, Final

import orjson

from toolconv.core import jsontext, lenient_json
from toolconv.core.declarations import are_canonical, declarations
from toolconv.core.facts import Facts
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message, Tool, text_of
from toolconv.core.remembered import Remembered
from toolconv.core.tools import function_of

KEPT_TOOLS: Final = 512
LONGEST_KEPT: Final = 1 << 14
"""How many tools that were read or written are remembered, and the longest text of one read, in characters."""

JSON_WRITERS = (jsontext.spaced, jsontext.compact, jsontext.pretty)
ANY_WRITERS = (*JSON_WRITERS, str)
"""What writes any tool; other notations are for functions."""

RESPONSE_ROLES = frozenset({"tool", "function", "ipython", "observation", "environment", "tool_response"})
"""Roles under which plain chats store tool responses."""

_BLANKS = lazy_re(r"\s*+")


_texts: Remembered[tuple[Callable[[Any], str], bytes], str] = Remembered(KEPT_TOOLS)


@lru_cache(maxsize=KEPT_TOOLS)
def _own_tool(text: str, write: Callable[[Any], str]) -> Tool | None:
    """The tool in a text that is to the letter what ``write`` writes for it; ``None`` for any other text."""
    try:
        tool: Tool = orjson.loads(text)
    except ValueError:
        return None
    return tool if are_canonical([tool]) and _text_of_tool(tool, write) == text else None


def _text_of_tool(tool: Tool, write: Callable[[Any], str]) -> str:
    """What ``write`` writes for a tool. The last ones are remembered: rows share tools, and write what they read."""
    key = write, jsontext.dumps(tool)
    text = _texts.get(key)
    return _texts.add(key, written := write(tool), len(written)) if text is None else text


def read_tools(text: str) -> list[Tool]:
    """Read tool declarations: consecutive objects or lists of them, as JSON or as Python writes them."""
    values = _plain_values(text)
    if values is None:
        values = _lenient_values(text)
    if are_canonical(values):
        return values
    found = [each for value in values for each in declarations(value)]
    if any(each.function is None and "type" not in each.tool for each in found):
        return []
    return [each.tool for each in found] if any(each.named for each in found) else []


def _lenient_values(text: str) -> list[Any]:
    """The objects in a text, as JSON or as Python writes them; none if one can't be read."""
    values = []
    at = 0
    while (brace := text.find("{", at)) >= 0:
        try:
            reading = lenient_json.read(text, brace)
        except lenient_json.Unreadable:
            return []
        values.append(reading.value)
        at = reading.end
    return values


def _plain_values(text: str) -> list[Any] | None:
    """The values of a text that is one plain JSON value, or one per line; ``None`` for any other text."""
    body = text.strip()
    if not body.startswith(("[", "{")):
        return None
    try:
        if body.startswith(("[", "{\n")):
            value = jsontext.loads_plain(body)
            values = value if type(value) is list else [value]
        else:
            values = jsontext.loads_each_plain(body.split("\n"))
    except ValueError:
        return None
    openings = body.count("{") + body.count("[")
    deep = openings > lenient_json.MAX_TEXT_DEPTH and jsontext.any_deeper_than(lenient_json.MAX_TEXT_DEPTH, values)
    return None if deep else values


def read_tools_without_nulls(text: str) -> list[Tool]:
    """Like :func:`read_tools`, but drops function keys that are null, which some templates write for missing keys."""
    functions = [function_of(tool) or {} for tool in read_tools(text)]
    present = [{key: value for key, value in function.items() if value is not None} for function in functions]
    return [{"type": "function", "function": function} for function in present]


class ChatFormat(Facts):
    """How a chat declares tools in its system turn, and how it feeds results back.

    The defaults belong to no family: tools as JSON, one per line, under the heading ``# Tools``, without instructions
    on how to call them; each result verbatim, in a separate turn with the role ``tool``.

    Attributes:
        tools_open: the text before the tools.
        tools_close: the text after them.
        tools_between: the text between two tools.
        tools_apart: the text between the tools and the system text.
        tool: writes one tool.
        read: reads the tools back from the text between ``tools_open`` and ``tools_close``.
        tools_first: the tools precede the system text.
        words: what the family's templates write about tools in other places or versions.
        bare_tools: the inner function objects are declared, not the OpenAI envelopes.
        response_role: the role of a turn that feeds a result back.
        response: one result: ``{content}``, with ``{id}`` and ``{name}`` of its call if the family writes them.
        responses_open, responses_close, responses_between: the text around and between the results of one turn.
        one_turn: parallel results share one turn.
        json_results: a result is a JSON value: text as a string, content parts as a list.
    """

    tools_open: str = "# Tools\n\n"
    tools_close: str = ""
    tools_between: str = "\n"
    tools_apart: str = "\n\n"
    tool: Callable[[Any], str] = jsontext.spaced
    read: Callable[[str], list[Tool]] = read_tools
    tools_first: bool = False
    words: tuple[str, ...] = ()
    bare_tools: bool = False
    response_role: str = "tool"
    response: str = "{content}"
    responses_open: str = ""
    responses_close: str = ""
    responses_between: str = "\n"
    one_turn: bool = False
    json_results: bool = False

    def __post_init__(self) -> None:
        if "{content}" not in self.response:
            raise ValueError(f"the response {self.response!r} needs {{content}}")

    # ── tools ──

    def declare(self, system: str, tools: Sequence[Tool]) -> str:
        """The system text of a chat with ``tools``; ``system`` is the text without them, which may be empty."""
        return self.with_declaration(system, self.block(tools))

    def with_declaration(self, system: str, block: str) -> str:
        """A system text, which may be empty, with ``block``, the text that declares the tools."""
        if not system:
            return block
        return self.tools_apart.join((block, system) if self.tools_first else (system, block))

    def block(self, tools: Sequence[Tool]) -> str:
        """The text that declares ``tools``."""
        return self.declaration(tools)[0]

    def keeps(self, tools: Sequence[Tool]) -> bool:
        """Whether the declaration holds all of ``tools``. JSON does; other notations may not."""
        return self.declaration(tools)[1]

    def declaration(self, tools: Sequence[Tool]) -> tuple[str, bool]:
        """:meth:`block` and :meth:`keeps`. What is certain is not read back."""
        if self._is_json and are_canonical(list(tools)):
            listing = self.write_list(tools)
            if tools and listing.count("{") + listing.count("[") <= lenient_json.MAX_TEXT_DEPTH:
                return self.tools_open + listing + self.tools_close, True
        key = jsontext.dumps(tools)
        made = self._declarations.get(key)
        if made is None:
            listing = self._listing(tools)
            made = self.tools_open + listing + self.tools_close, self.read(listing) == list(tools)
            self._declarations.add(key, made, len(listing))
        return made

    @cached_property
    def _declarations(self) -> Remembered[bytes, tuple[str, bool]]:
        """The last declarations that were read back."""
        return Remembered(64)

    @cached_property
    def _is_json(self) -> bool:
        """Whether the list of tools is their JSON, whole."""
        return self.tool in JSON_WRITERS and self.read is read_tools and not self.bare_tools

    def _listing(self, tools: Sequence[Tool]) -> str:
        """The list of those tools that this notation can write."""
        return self.write_list([tool for tool in tools if self.tool in ANY_WRITERS or function_of(tool)])

    def write_list(self, tools: Sequence[Tool]) -> str:
        """The text between ``tools_open`` and ``tools_close``."""
        return self.tools_between.join(map(self._written, tools))

    def _written(self, tool: Tool) -> str:
        """One tool as text."""
        return _text_of_tool((function_of(tool) or tool) if self.bare_tools else tool, self.tool)

    def read_declaration(self, text: str) -> tuple[str, list[Tool]] | None:
        """Undo :meth:`declare`.

        Returns:
            The system text and the tools; ``None`` unless declaring them again gives exactly ``text``.
        """
        start = text.find(self.tools_open)
        if start < 0:
            return None
        begin = start + len(self.tools_open)
        end = text.find(self.tools_close + self.tools_apart, begin) if self.tools_first else -1
        end = len(text) - len(self.tools_close) if end < 0 else end
        if not text.startswith(self.tools_close, end):
            return None
        before, after = text[:start], text[end + len(self.tools_close) :]
        system = after.removeprefix(self.tools_apart) if self.tools_first else before.removesuffix(self.tools_apart)
        listing = text[begin:end]
        if self.with_declaration(system, text[start : end + len(self.tools_close)]) != text:
            return None
        tools = self._read_own(listing)
        if tools is None:
            tools = self.read(listing)
            if not tools or self._listing(tools) != listing:
                return None
        return system, tools

    def _read_own(self, listing: str) -> list[Tool] | None:
        """The tools of a list that is to the letter what is written for them; ``None`` for any other list.

        What is written again as it is needs no further check, such as for a key that is in an object twice.
        """
        if not self._is_json:
            return None
        if "\n" in self.tools_between and "," not in self.tools_between:
            tools: list[Tool] = []
            for text in listing.split(self.tools_between):
                tool = (_own_tool if len(text) <= LONGEST_KEPT else _own_tool.__wrapped__)(text, self.tool)
                if tool is None:
                    return None
                tools.append(tool)
            return tools
        values = listing if "," in self.tools_between else ",".join(listing.split(self.tools_between or "\0"))
        try:
            tools = orjson.loads(f"[{values}]")
        except ValueError:
            return None
        return tools if tools and are_canonical(tools) and self.write_list(tools) == listing else None

    def read_leading(self, text: str) -> tuple[str, list[Tool]] | None:
        """Undo a declaration before another text, such as the first question.

        Returns:
            The other text and the tools; ``None`` unless ``text`` begins with exactly what declares these tools.
        """
        begin = at = len(self.tools_open)
        end, wrapped = begin, None
        while text.startswith(self.tools_open) and text.startswith("{", at):
            try:
                reading = lenient_json.read(text, at)
            except lenient_json.Unreadable:
                break
            alike = wrapped in (None, "function" in reading.value)
            if not alike or "parameters" not in (function_of(reading.value) or {}):
                break  # the question is an object
            wrapped, end = "function" in reading.value, reading.end
            if not text.startswith(self.tools_between, end):
                break
            at = end + len(self.tools_between)
        tools = read_tools(text[begin:end])
        lead = self.block(tools) + self.tools_apart
        return (text[len(lead) :], tools) if tools and text.startswith(lead) else None

    # ── responses ──

    def write_responses(self, responses: Sequence[Message]) -> list[Message]:
        """The turns that feed the results of one assistant turn back, as plain ``role`` and ``content``."""
        written = [self.write_response(message, _text(message)) for message in responses]
        if self.one_turn:
            written = [self.responses_between.join(written)]
        return [
            {"role": self.response_role, "content": self.responses_open + text + self.responses_close}
            for text in written
        ]

    def separates_results(self, responses: Sequence[Message]) -> bool:
        """Whether the text of a turn with several results shows where each one ends."""
        return True

    @property
    def shows_results(self) -> bool:
        """Whether turns with results differ from those of the user: in their role, or in the text around a result."""
        before, _, after = self.response.partition("{content}")
        return self.response_role != "user" or bool(self.responses_open + before + after + self.responses_close)

    def write_response(self, message: Message, text: str) -> str:
        """One result: ``text``, with the id and the name of ``message`` if the family writes them."""
        if self.json_results:
            text = jsontext.spaced(message.get("content") or "")
        before, after, fields = self._response_parts
        for field, key in fields:
            before = before.replace(field, str(message.get(key) or ""))
        return before + text + after

    @cached_property
    def _response_parts(self) -> tuple[str, str, list[tuple[str, str]]]:
        """The text before and after a result, and the fields in it, each with the message key that fills it."""
        before, _, after = self.response.partition("{content}")
        fields = [("{id}", "tool_call_id"), ("{name}", "name")]
        return before, after, [(field, key) for field, key in fields if field in before]

    @cached_property
    def _response_borders(self) -> tuple[str, str, str]:
        """How every turn with results begins, and the text before and after its results, all stripped."""
        opening = self.responses_open.lstrip()
        before = re.split(r"\{(?:id|name)\}", self._response_parts[0])[0]
        return opening + before, opening, self.responses_close.rstrip()

    @property
    def results_begin(self) -> str:
        """How every turn with results begins, up to the first id or name."""
        return self._response_borders[0]

    @cached_property
    def _response_pattern(self) -> re.Pattern[str]:
        """Matches the text before a result, with the id and the name as groups."""
        pattern = re.escape(self.response)
        for field in ("name", "id"):
            pattern = pattern.replace(rf"\{{{field}\}}", rf"(?P<{field}>[^\n]*?)", 1)
            pattern = pattern.replace(rf"\{{{field}\}}", rf"(?P={field})")
        return re.compile(pattern.split(r"\{content\}")[0])

    def read_responses(self, role: str, text: str) -> list[Message] | None:
        """Undo :meth:`write_responses` for one turn: its results as ``tool`` messages; ``None`` if it holds none.

        The line breaks that the family writes around a result may be missing.
        """
        found = self._read_responses(role, text)
        if found is None and self._on_one_line is not None:
            found = self._on_one_line._read_responses(role, text)
            for message in found or ():
                message["content"] = message["content"].removeprefix("\n").removesuffix("\n")
        return found

    @cached_property
    def _on_one_line(self) -> ChatFormat | None:
        """The format without line breaks around a result; ``None`` if it writes none, or nothing else."""
        before, after, _ = self._response_parts
        if not (before.strip() and after.strip()) or not (before.endswith("\n") and after.startswith("\n")):
            return None
        return replace(self, response=f"{before.rstrip()}{{content}}{after.lstrip()}")

    def _read_responses(self, role: str, text: str) -> list[Message] | None:
        if self.json_results and not self.one_turn:
            return self._read_json_result(text) if role in RESPONSE_ROLES else None
        beginning, opening, closing = self._response_borders
        if not beginning and role != self.response_role:  # only the role shows that it is a result
            return None
        body = text.lstrip()
        if not body.startswith(beginning):
            return None
        if closing:
            body = body.rstrip()
        if not body.endswith(closing):
            return None
        body = body[len(opening) : len(body) - len(closing)]
        end = self._response_parts[1]
        found: list[Message] = []
        at = 0
        while at < len(body):
            match = self._response_pattern.match(body, at)
            if match is None or match.end() == at:
                return None
            close = self._close(body, match.end(), end)
            if close is None:
                return None
            message: Message = {"role": "tool"}
            if match.re.groups:
                fields = match.groupdict()
                if fields.get("id"):
                    message["tool_call_id"] = fields["id"]
                if fields.get("name"):
                    message["name"] = fields["name"]
            message["content"] = self._decoded(body[match.end() : close])
            found.append(message)
            at = close + len(end)
            while at < len(body) and body[at] in " \t\r\n":
                at += 1
        return found or None

    def _read_json_result(self, text: str) -> list[Message] | None:
        body, (before, after, _) = text.strip(), self._response_parts
        if not (body.startswith(before) and body.endswith(after)):
            return None
        try:
            content = jsontext.loads(body[len(before) : len(body) - len(after)])
        except ValueError:
            return None
        return [{"role": "tool", "content": content}] if isinstance(content, str) else None

    def _decoded(self, text: str) -> str:
        """The text of one of several results; of a JSON value that is no string, its JSON."""
        if not self.json_results:
            return text
        try:
            content = jsontext.loads(text)
        except ValueError:
            return text
        return content if isinstance(content, str) else text

    def _close(self, body: str, start: int, end: str) -> int | None:
        """Where the result that begins at ``start`` ends: at an ``end`` before another result or at the end."""
        if not end:
            return len(body)
        close = body.find(end, start - 1 if end.startswith("\n") else start)
        while close >= 0:
            after = _BLANKS.match(body, close + len(end)).end()  # type: ignore[union-attr]
            if after == len(body) or self._response_pattern.match(body, after):
                return max(close, start)
            close = body.find(end, max(close, after - len(end)) + 1)  # before that, the same follows
        return None


def _text(message: Message) -> str:
    return text_of(message.get("content"))[0]


PLAIN_CHAT = ChatFormat()
"""The format of dialects whose source doesn't state how tools are declared."""

# ── wordings that several families share ──

QWEN_TOOLS = (
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n"
)
QWEN_CALL_FORMAT = (
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
    '<tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n'
    "</tool_call>"
)
QWEN_RESPONSE = "<tool_response>\n{content}\n</tool_response>"

HERMES_INTRODUCTION = (
    "You may call one or more functions to assist with the user query. Don't make assumptions about what values to "
    "plug into functions."
)
HERMES_CALL_FORMAT = '<tool_call>\n{"name": <function-name>, "arguments": <args-dict>}\n</tool_call>'
HERMES_PRO_WORDING = (
    "You are a function calling AI model. You are provided with function signatures within <tools></tools> "
    f"XML tags. {HERMES_INTRODUCTION} Here are the available tools: <tools> ",
    " </tools>Use the following pydantic model json schema for each tool call you will make: "
    '{"properties": {"name": {"title": "Name", "type": "string"}, "arguments": {"title": "Arguments", "type": '
    '"object"}}, "required": ["name", "arguments"], "title": "FunctionCall", "type": "object"}}\nFor each function '
    "call return a json object with function name and arguments within <tool_call></tool_call> XML tags as follows:\n"
    f"{HERMES_CALL_FORMAT}",
)
"""The text before and after the tools of Hermes 2 Pro. Source: its chat template ``tool_use``."""

HERMES_DATA_WORDING = (
    "You are a function calling AI model. You are provided with function signatures within <tools> </tools> "
    f"XML tags. {HERMES_INTRODUCTION}\n<tools>\n",
    "\n</tools>\nFor each function call return a json object with function name and arguments within "
    f"<tool_call> </tool_call> tags with the following schema:\n{HERMES_CALL_FORMAT}",
)
"""The same in rows of NousResearch/hermes-function-calling-v1."""

HERMES_CHAT = ChatFormat(
    tools_open=QWEN_TOOLS,
    tools_close=QWEN_CALL_FORMAT,
    words=(*HERMES_PRO_WORDING, *HERMES_DATA_WORDING),
    response_role="user",
    response=QWEN_RESPONSE,
    one_turn=True,
)
"""Qwen's format for Hermes calls: tools in ``<tools>``, one per line; results in ``<tool_response>`` in a user turn.

Source: chat template of Qwen/Qwen2.5-7B-Instruct.
"""
