"""Requests and answers as loggers and tracers record them: messages of any API, recognized by their keys.

A log holds whatever the program passed on: messages of OpenAI, Anthropic or Gemini, Responses items, parts of
OpenTelemetry or of the AI SDK, LangChain's objects. Each is a role with parts, or a content with a list of calls. The
tables here hold the names that these APIs have for the same things.

Source: the API references of these; for the log formats see the layouts that read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolconv.core.call_keys import argument_key
from toolconv.core.conversation import Row
from toolconv.layouts.base import maybe_json
from toolconv.layouts.call_forms import NAMES, read_calls
from toolconv.layouts.message_builder import TEXTS
from toolconv.layouts.tool_schema import read_tools
from toolconv.layouts.transcript import Transcript

ROLES: Final = {
    "human": "user", "ai": "assistant", "model": "assistant", "function": "tool",
    "HumanMessage": "user", "AIMessage": "assistant", "SystemMessage": "system", "ToolMessage": "tool",
    "FunctionMessage": "tool", "HumanMessageChunk": "user", "AIMessageChunk": "assistant",
    "SystemMessageChunk": "system", "ToolMessageChunk": "tool",
}  # fmt: skip
"""Names of roles, where they are not the canonical ones; LangChain's are types or class names."""

KNOWN_ROLES: Final = {"system", "developer", "user", "assistant", "tool", *ROLES}
CALLS: Final = {"tool_call", "tool_use", "tool-call", "function_call", "functionCall", "toolUse"}
RESULTS: Final = {
    "tool_call_response", "tool_result", "tool-result", "function_call_output", "functionResponse", "toolResult",
}  # fmt: skip
REASONING: Final = {"reasoning", "thinking", "redacted_thinking"}

CALL_IDS: Final = ("call_id", "toolCallId", "tool_call_id", "tool_use_id", "toolUseId", "id")
RESPONSES: Final = ("response", "result", "output", "content")
REASONING_KEYS: Final = ("reasoning_content", "reasoning", "thinking", "tool_plan")
MESSAGES: Final = ("messages", "contents", "input", "prompt")
INSTRUCTIONS: Final = ("system", "instructions", "systemInstruction", "system_instruction")


class Logged(Transcript):
    """A conversation put together from a logged request and its answer.

    Attributes:
        tools: the declared tools; ``None`` if none were logged.
    """

    def __init__(self) -> None:
        super().__init__()
        self.tools: Any = None

    def declare(self, tools: Any) -> None:
        """Tools, in any form; the first that are given count."""
        if tools and not self.tools:
            self.tools = read_tools(tools, self.notes)

    def keys(self, row: Row) -> Row:
        """The keys of a row, with the tools."""
        return {**row, "tools": self.tools} if self.tools else row

    # ── a request, an answer ──

    def request(self, value: Any) -> None:
        """What was sent: messages, a request with messages, a text; possibly JSON text of these."""
        value = parsed(value)
        if isinstance(value, dict) and not _is_message(value):
            for key in ("config", "generation_config"):
                if isinstance(value.get(key), dict):
                    value = {**value[key], **value}
            for key in INSTRUCTIONS:
                if value.get(key):
                    self.say("system", _texts(value[key]))
            self.declare(value.get("tools"))
            value = next((parsed(value[key]) for key in MESSAGES if value.get(key)), None)
        if isinstance(value, list) and value and isinstance(value[0], list):  # LangChain: a list of requests
            value = value[0]
        if isinstance(value, dict):
            value = [value]
        if isinstance(value, str) and value:
            self.say("user", value)
        elif isinstance(value, list):
            for message in value:
                self.message(message)

    def answer(self, value: Any) -> None:
        """What came back: a message or several, an answer with ``choices``, ``output`` or ``generations``, a text."""
        value = parsed(value)
        self.end()
        if isinstance(value, str):
            self.write(value)
        elif isinstance(value, list):
            self._alternatives(value)
        elif isinstance(value, dict):
            for key in ("choices", "generations", "candidates", "output"):
                if isinstance(value.get(key), list) and value[key]:
                    self._alternatives(value[key])
                    break
            else:
                if _is_message(value) or "lc" in value:
                    self.message(value)
                elif isinstance(value.get("message") or value.get("content"), dict):
                    self.message(value.get("message") or {"role": "assistant", **value["content"]})
                elif isinstance(value.get("messages"), list):
                    self._alternatives(value["messages"][-1:])
                else:
                    self.write(next((value[key] for key in ("text", "output", "content") if value.get(key)), None))
        self.end()

    def continues(self) -> bool:
        """Whether the request so far begins in the middle of a conversation, with the result of a call."""
        self.end()
        first = next((message for message in self.messages if message["role"] not in ("system", "developer")), {})
        return first.get("role") == "tool"

    def _alternatives(self, values: Sequence[Any]) -> None:
        """The first of several answers, or all items if these are parts of one answer."""
        first = values[0]
        if isinstance(first, list):
            return self._alternatives(first)
        wrapped = isinstance(first, dict) and ("message" in first or not _is_message(first))
        if wrapped or (len(values) > 1 and all(_role(value) == "assistant" and _ended(value) for value in values)):
            self.notes.losses.extend(["choices"] * (len(values) - 1))
            values = values[:1]
        for value in values:
            if isinstance(value, str):
                self.write(value)
            elif wrapped and isinstance(value, dict):
                inner = value.get("message") or value.get("content") or value.get("text")
                self.message({"role": "assistant", **inner} if isinstance(inner, dict) else
                             {"role": "assistant", "content": inner})  # fmt: skip
            else:
                self.message(value)
        return None

    # ── a message ──

    def message(self, value: Any) -> None:
        """A message of any kind, or an item of Responses."""
        if isinstance(value, str):
            self.say("user", value)
            return
        value = _unwrapped(value)
        role = _role(value)
        if role is None:
            self.part(value, "assistant")
            return
        parts = next((value[key] for key in ("parts", "contents", "content") if value.get(key)), None)
        if role == "assistant":
            self._answered(value, parts)
        elif role == "tool":
            self._response(value, parts)
        else:
            self.end()
            rest = [part for part in _listed(parts) if not self.part(part, role)]
            if rest or not self.messages or not isinstance(parts, list):
                self.say(role, [_plain(part) for part in rest])

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
        for part in _listed(parts):
            if not (calls and _kind(part) in CALLS):  # the same call once more
                self.part(part, "assistant")
        for call in read_calls(calls, self.notes):
            self.call(call)
        if not item:
            self.end()

    def _response(self, value: Row, parts: Any) -> None:
        if isinstance(parts, dict) and parts.get("type") == "function" and "function" in parts:
            self.tools = [*(self.tools or ()), *read_tools([parts], self.notes)]
            return
        rest = [part for part in _listed(parts) if not self.part(part, "tool")]
        if rest or not isinstance(parts, list):
            content = [_plain(part) for part in rest] if isinstance(parts, list) else parts
            self.result(_first(value, CALL_IDS), value.get("name"), content)
            self.end()

    def part(self, part: Any, role: str) -> bool:
        """A part of a message; returns whether it was taken, which user's texts and media are not."""
        kind = _kind(part)
        if kind in CALLS:
            inner = part[kind] if isinstance(part.get(kind), dict) else part
            arguments = inner.get(argument_key(inner) or "arguments")
            self.invoke(_first(inner, CALL_IDS), _first(inner, NAMES), arguments or {})
        elif kind in RESULTS:
            inner = part[kind] if isinstance(part.get(kind), dict) else part
            self.result(_first(inner, CALL_IDS), _first(inner, NAMES), _value(_first(inner, RESPONSES)))
            self.end()
        elif kind in REASONING or (isinstance(part, dict) and part.get("thought") is True):
            text = _reasoning(part)
            if text:
                self.reason(text)
            else:
                self.hide()
        elif role == "assistant":
            self.write([_plain(part)])
        else:
            return False
        return True


def parsed(value: Any) -> Any:
    """A value, or the value in a text that is JSON of an object or a list."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return maybe_json(value)
        except ValueError:
            return value
    return value


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


def _is_message(value: Row) -> bool:
    return _role(_unwrapped(value)) is not None or _kind(value) in CALLS | RESULTS | REASONING


def _ended(value: Any) -> bool:
    return isinstance(value, dict) and "finish_reason" in value


def _kind(part: Any) -> str | None:
    """The kind of a part: its type or, of Gemini's and Bedrock's, its key."""
    if not isinstance(part, dict):
        return None
    if isinstance(part.get("type"), str):
        return str(part["type"])
    return next((key for key in part if key in CALLS | RESULTS), None)


def _calls(message: Row) -> list[Row]:
    """The calls of a message that are not parts of its content."""
    extra = message.get("additional_kwargs")
    for holder in (message, extra if isinstance(extra, dict) else {}):
        calls = holder.get("tool_calls")
        if isinstance(calls, list) and calls:
            inner = [call.get("tool_call", call) for call in calls if isinstance(call, dict)]
            return [call for call in inner if isinstance(call, dict)]
    return []


def _reasoning(part: Row) -> str:
    for key in ("content", "thinking", "reasoning", "text", "summary"):
        value = part.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value:
            return "\n\n".join(item["text"] for item in value if isinstance(item, dict) and item.get("text"))
    return ""


def _plain(part: Any) -> Any:
    """A text part as ``{"type": "text", "text": …}``; any other as it is."""
    if not isinstance(part, dict):
        return part
    part = part.get("message_content", part)
    if part.get("type", "text") in TEXTS:
        text = part.get("text", part.get("content"))
        if isinstance(text, str):
            return {"type": "text", "text": text}
    return part


def _value(output: Any) -> Any:
    """The content of a result; the AI SDK has it in an envelope, Gemini as an object."""
    if isinstance(output, dict):
        if output.keys() == {"output"}:
            return output["output"]
        if output.keys() == {"type", "value"}:
            return output["value"]
    return [_plain(part) for part in output] if isinstance(output, list) else output


def _texts(value: Any) -> Any:
    value = parsed(value)
    if isinstance(value, dict):
        value = value.get("parts", [value])
    return [_plain(part) for part in value] if isinstance(value, list) else value


def _listed(parts: Any) -> list[Any]:
    return parts if isinstance(parts, list) else [parts] if parts not in (None, "") else []


def _first(value: Row, keys: Sequence[str]) -> Any:
    return next((value[key] for key in keys if value.get(key) is not None), None)
