"""Requests and answers as loggers and tracers record them: messages of any API, recognized by their keys.

A log holds whatever the program passed on: messages of OpenAI, Anthropic or Gemini, Responses items, parts of
OpenTelemetry or of the AI SDK, LangChain's objects, chunks of a stream; content may be the JSON text of parts. Each is
a role with parts, or a content with a list of calls. The names that these APIs have for parts are in
:mod:`~toolconv.layouts.content_parts`.

Source: the API references of these; for the log formats see the layouts that read them.
"""

from __future__ import annotations

from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.messages import SYSTEM_ROLES, Message, Row, calls_of
from toolconv.core.notes import Notes
from toolconv.layouts.call_forms import CALL_IDS
from toolconv.layouts.content_parts import SPOKEN, first_of, is_call, kind_of, opened, plain
from toolconv.layouts.message_builder import MessageBuilder
from toolconv.layouts.speakers import REPAIR, meaning_of, with_role
from toolconv.layouts.tool_schema import read_tools
from toolconv.layouts.turn_shapes import turns_of

ROLES: Final = {
    "human": "user", "ai": "assistant", "model": "assistant", "function": "tool",
    "HumanMessage": "user", "AIMessage": "assistant", "SystemMessage": "system", "ToolMessage": "tool",
    "FunctionMessage": "tool", "HumanMessageChunk": "user", "AIMessageChunk": "assistant",
    "SystemMessageChunk": "system", "ToolMessageChunk": "tool",
}  # fmt: skip
"""Names of roles, where they are not the canonical ones; LangChain's are types or class names."""

KNOWN_ROLES: Final = {"system", "developer", "user", "assistant", "tool", *ROLES}
REASONING_KEYS: Final = ("reasoning_content", "reasoning", "thinking", "tool_plan")
MESSAGES: Final = ("messages", "contents", "input", "prompt", "args")
"""Keys of the messages of a request; ``args`` are the arguments of a function that was traced."""
INSTRUCTIONS: Final = ("system", "instructions", "systemInstruction", "system_instruction")


class Logged(MessageBuilder):
    """A conversation put together from a logged request and its answer.

    Attributes:
        tools: the declared tools; ``None`` if none were logged.
    """

    def __init__(self) -> None:
        super().__init__(recorded=True)
        self.tools: Any = None

    def declare(self, tools: Any) -> None:
        """Tools, in any form; the first that are given count."""
        tools = jsontext.opened(tools)
        if isinstance(tools, list):
            tools = [_declaration(tool) for tool in tools]
        if tools and not self.tools:
            self.tools = read_tools(tools, self.notes)

    def instruct(self, text: Any) -> None:
        """The system text, recorded elsewhere than with the messages; it counts if they hold none."""
        self.end()
        if text and not any(message["role"] in SYSTEM_ROLES for message in self.messages):
            messages, starts = self.messages, self.starts
            self.messages, self.starts = [], []
            self.say("system", _texts(text))
            self.messages += messages
            self.starts += starts

    def supplement(self, context: Any) -> None:
        """The system text and the tools that the span around a model call has, if the call itself has none."""
        if isinstance(context, dict):
            self.instruct(context.get("instructions"))
            self.declare(context.get("tools"))

    def keys(self, row: Row) -> Row:
        """The keys of a row, with the tools."""
        return {**row, "tools": self.tools} if self.tools else row

    # ── a request ──

    def request(self, value: Any) -> None:
        """What was sent: messages, a request with messages, a text; possibly JSON text of these."""
        value = jsontext.opened(value)
        if isinstance(value, dict) and not _is_message(value):
            for key in ("config", "generation_config"):
                if isinstance(value.get(key), dict):
                    value = {**value[key], **value}
            for key in INSTRUCTIONS:
                if value.get(key):
                    self.say("system", _texts(value[key]))
            self.declare(value.get("tools"))
            value = next((_asked(value[key], key) for key in MESSAGES if value.get(key)), None)
        if (turns := turns_of(value, "messages")) is not None:
            value = [turn.item for turn in turns]
        elif isinstance(value, list) and value and isinstance(value[0], list):  # LangChain: a list of requests
            value = value[0]
        if isinstance(value, dict):
            value = [value]
        if isinstance(value, str) and value:
            self.say("user", value)
        elif isinstance(value, list):
            self.end()
            if value and self.messages and _is_same(self.messages[-1], value[0]):
                value = value[1:]
            for message in value:
                self.message(message)

    def continues(self) -> bool:
        """Whether the request so far begins in the middle of a conversation, with the result of a call."""
        self.end()
        first = next((message for message in self.messages if message["role"] not in SYSTEM_ROLES), {})
        return first.get("role") == "tool" or bool(calls_of(first))

    # ── a message ──

    def message(self, value: Any) -> None:
        """A message of any kind, or an item of Responses."""
        if isinstance(value, str):
            self.say("user", value)
            return
        value = _unwrapped(value)
        if _is_roleless(value):
            value = with_role(value, self.notes)
        role = _role(value)
        parts = opened(next((value[key] for key in ("parts", "contents", "content") if value.get(key)), None))
        if role is None and isinstance(value.get("role"), str):
            role = "tool" if self._calls_tool(value["role"]) else value["role"]
            if meaning_of(role) == "assistant":  # in other words: its parts are those of one message
                role = "assistant"
                self.notes.repairs.append(REPAIR)
        if role is None:
            self.part(value, "assistant")
        elif role == "assistant":
            self._answered(value, parts)
        elif role == "tool":
            self._response(value, parts)
        else:
            self.end()
            rest = self._apart(parts, role)
            if rest or not self.messages or not isinstance(parts, list):
                self.say(role, rest)

    def _calls_tool(self, name: str) -> bool:
        """Whether a tool of this name was called: some tracers give its results its name as their role."""
        self.end()
        return any(call["function"].get("name") == name for message in self.messages for call in calls_of(message))

    def _answered(self, value: Row, parts: Any) -> None:
        item = value.get("type") == "message"  # of Responses: reasoning and calls are items of their own
        if not item:
            self.end()
        for key in REASONING_KEYS:
            holder = value if isinstance(value.get(key), str) else value.get("additional_kwargs")
            if isinstance(holder, dict) and isinstance(holder.get(key), str) and holder[key]:
                self.reason(holder[key])
                break
        calls = _calls(value)
        for part in _reasoning_first(_listed(parts)):
            if not (calls and kind_of(part) == "call"):  # the same call once more
                self.part(part, "assistant")
        self.calls(calls)
        if not item:
            self.end()

    def _response(self, value: Row, parts: Any) -> None:
        if isinstance(parts, dict) and parts.get("type") == "function" and "function" in parts:
            self.tools = [*(self.tools or ()), *read_tools([parts], self.notes)]
            return
        rest = self._apart(parts, "tool")
        if rest or not isinstance(parts, list):
            content = rest if isinstance(parts, list) else parts
            self.result(first_of(value, CALL_IDS), value.get("name"), content)
            self.end()

    def _apart(self, parts: Any, role: str) -> list[Any]:
        """The texts and media among parts; the calls, results and reasoning among them are added."""
        rest = []
        for part in _listed(parts):
            if kind_of(part) in SPOKEN or is_call(part):
                self.part(part, role)
            else:
                rest.append(plain(part))
        return rest


def _unwrapped(value: Row) -> Row:
    """LangChain's constructors and ``type``/``data``, and messages in an envelope, as the message itself."""
    if value.get("lc") and isinstance(value.get("kwargs"), dict):
        return {**value["kwargs"], "type": (value.get("id") or [""])[-1]}
    if isinstance(value.get("data"), dict) and value.get("type") in ROLES:
        return {**value["data"], "type": value["type"]}
    if isinstance(value.get("message"), dict):
        return _unwrapped(value["message"])
    return value


def _role(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    name = value.get("role") or value.get("type")
    return ROLES.get(name, name) if isinstance(name, str) and name in KNOWN_ROLES else None


def _is_roleless(value: Any) -> bool:
    """Whether a message of a request does not say who speaks: neither by a role, nor as a part of a known kind."""
    if not isinstance(value, dict) or "type" in value or "lc" in value or kind_of(value) is not None:
        return False
    if isinstance(value.get("role"), str) and value["role"]:
        return False
    return not {"content", "contents"}.isdisjoint(value)


def _is_message(value: Row) -> bool:
    return _role(_unwrapped(value)) is not None or kind_of(value) in SPOKEN


def _calls(message: Row) -> list[Row]:
    """The calls of a message that are not parts of its content."""
    extra = message.get("additional_kwargs")
    for holder in (message, extra if isinstance(extra, dict) else {}):
        calls = holder.get("tool_calls")
        if isinstance(calls, list) and calls:
            inner = [call.get("tool_call", call) for call in calls if isinstance(call, dict)]
            return [call for call in inner if isinstance(call, dict)]
        if isinstance(older := holder.get("function_call"), dict) and older.get("name"):
            return [older]
    return []


def _texts(value: Any) -> Any:
    value = jsontext.opened(value)
    if isinstance(value, dict):
        value = value.get("parts", [value])
    return [plain(part) for part in value] if isinstance(value, list) else value


def _listed(parts: Any) -> list[Any]:
    return parts if isinstance(parts, list) else [parts] if parts not in (None, "") else []


def _asked(value: Any, key: str) -> Any:
    """The messages under a key of a request; of the arguments of a function, the first text."""
    value = jsontext.opened(value)
    if key == "args":
        return next((each for each in value if isinstance(each, str)), None)
    return value


def _reasoning_first(parts: list[Any]) -> list[Any]:
    """The parts of one message, with reasoning that comes after a call before the calls: it led to them."""
    kinds = [kind_of(part) for part in parts]
    if "call" not in kinds or "reasoning" not in kinds:
        return parts
    first = kinds.index("call")
    late = [part for part, kind in zip(parts[first:], kinds[first:], strict=True) if kind == "reasoning"]
    return [*parts[:first], *late, *(part for part in parts[first:] if not any(part is each for each in late))]


def _declaration(tool: Any) -> Any:
    """A declaration without its envelope: a JSON text, or OpenInference's ``tool.json_schema``."""
    tool = jsontext.opened(tool)
    if isinstance(tool, dict) and isinstance(tool.get("tool"), dict):
        return jsontext.opened(tool["tool"].get("json_schema"))
    return tool


def _is_same(message: Row, value: Any) -> bool:
    """Whether a logged message of the assistant makes the same calls as the message before: it is that one again."""
    calls = calls_of(message)
    if not calls or _role(value) != "assistant":
        return False
    again = Logged()
    again.message(value)
    again.end()
    return len(again.messages) == 1 and [call["function"] for call in calls_of(again.messages[0])] == [
        call["function"] for call in calls
    ]


def assembled(values: list[Any], notes: Notes) -> list[Message] | None:
    """The turns that the chunks of a stream add up to, as the API gives them; ``None`` if a list is something else."""
    from toolconv.layouts.streams import answers_in, streamed_messages

    answers = answers_in(values)
    notes.losses += ["choices"] * (len(answers) - 1)
    return streamed_messages(answers[0]) if answers else None
