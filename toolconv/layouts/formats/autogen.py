"""AutoGen messages: those of a model client, and the messages and events of AgentChat.

- Model client: ``SystemMessage``, ``UserMessage``, ``AssistantMessage`` (its content is text or a list of calls; with
  calls, ``thought`` is the text) and ``FunctionExecutionResultMessage``, which holds the results of all calls.
- AgentChat: ``TextMessage`` and other chat messages, ``ThoughtEvent``, ``ToolCallRequestEvent`` and
  ``ToolCallExecutionEvent``. A thought becomes the reasoning of the next message. ``source`` names the speaker:
  ``user`` is the user, any other name is an agent. Several agents are several assistants, distinguished by the key
  ``source``.
- Left out: ``ToolCallSummaryMessage``, which repeats a call and its result, and events of streaming, memory and speaker
  selection.

Messages are under ``messages``, or a file is a list of them. Arguments are JSON text. Rows are only read.

Lost: messages and events of other types (``events``).

Source: microsoft/autogen, ``autogen_core/models/_types.py`` and ``autogen_agentchat/messages.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from toolconv.core.messages import Row
from toolconv.layouts.base import WITHOUT_TOOLS
from toolconv.layouts.call_forms import drop_unread, filled
from toolconv.layouts.call_items import extras
from toolconv.layouts.content_parts import reasoning_text
from toolconv.layouts.message_builder import MessageBuilder, joined
from toolconv.layouts.named_messages import NamedMessages
from toolconv.layouts.speakers import meaning_of

RESULTS = ("FunctionExecutionResultMessage", "ToolCallExecutionEvent")
THOUGHT = "ThoughtEvent"
CHAT = ("TextMessage", "MultiModalMessage", "StopMessage", "HandoffMessage", "StructuredMessage")
LEFT_OUT = (
    "ToolCallSummaryMessage", "ModelClientStreamingChunkEvent", "MemoryQueryEvent", "UserInputRequestedEvent",
    "SelectSpeakerEvent", "CodeGenerationEvent", "CodeExecutionEvent",
)  # fmt: skip
TYPES = {
    "SystemMessage": "system",
    "UserMessage": "user",
    "AssistantMessage": "assistant",
    "ToolCallRequestEvent": "assistant",
    **dict.fromkeys(RESULTS, "tool"),
    **dict.fromkeys((THOUGHT, *CHAT, *LEFT_OUT), "assistant"),
}


class AutoGen(NamedMessages):
    """Messages and events with a ``type``."""

    name = "autogen"
    lacks = WITHOUT_TOOLS
    run_records: ClassVar[Mapping[str, frozenset[str] | None]] = {"type": frozenset(LEFT_OUT)}
    sample = (
        '{"messages":[{"type":"UserMessage","content":"Weather?","source":"user"},{"type":"AssistantMessage","content":['
        '{"id":"call_1","name":"get_weather","arguments":"{\\"city\\": \\"Tokyo\\"}"}],"source":"assistant"},{"type":'
        '"FunctionExecutionResultMessage","content":[{"call_id":"call_1","name":"get_weather","content":"Sunny",'
        '"is_error":false}]}]}'
    )
    role_key = "type"
    roles = TYPES

    def are_items(self, items: list[Row]) -> bool:
        typed = all(isinstance(item.get("type"), str) and "role" not in item for item in items)
        return typed and any(item["type"] in TYPES and "content" in item for item in items)

    def read_items(self, items: Sequence[Row], builder: MessageBuilder) -> None:
        thought: str | None = None
        begun = 0
        for at, item in enumerate(items):
            if item["type"] == THOUGHT:
                begun = at if thought is None else begun
                thought = "\n\n".join(filter(None, (thought, reasoning_text(item["content"]))))
                if at + 1 < len(items) and self._speaker_of(items[at + 1]) == "assistant":
                    continue
                item = {**item, "content": ""}
            builder.place = at if thought is None else begun
            if item["type"] not in TYPES:
                builder.notes.losses.append("events")
                drop_unread(item, builder.notes)
            elif item["type"] not in LEFT_OUT:
                self._read(item, thought, builder)
            builder.end()
            if item["type"] not in LEFT_OUT:
                thought = None
        if items[0]["type"] in CHAT and "user" not in map(self._speaker_of, items):
            first = items[0].get("source")
            if isinstance(first, str) and first and meaning_of(first) is None:  # a user of another name, or an agent
                builder.notes.losses.append("unknown_role")

    def _speaker_of(self, item: Row) -> str:
        """The role of an item, empty for one without: a chat message is the user's where its source says so."""
        is_user = item["type"] in CHAT and meaning_of(str(item.get("source"))) == "user"
        return "user" if is_user else TYPES.get(item["type"], "")

    def _read(self, item: Row, reasoning: str | None, builder: MessageBuilder) -> None:
        kind, content = item["type"], item["content"]
        role = self._speaker_of(item)
        if kind in CHAT and not (isinstance(item.get("source"), str) and item["source"]):
            builder.notes.losses.append("unknown_role")
        thought = item.get("thought")
        keys = filled(extras(item, "type", "content", "thought", "results"))
        if role == "tool":
            for result in content:
                rest = filled(extras(result, "call_id", "name", "content", "is_error"))
                failed = {"is_error": True} if result.get("is_error") else {}
                builder.result(result.get("call_id"), result.get("name"), result.get("content"), {**failed, **rest})
            return
        builder.begin(role, keys)
        if reasoning:
            builder.reasoning(reasoning)
        if role == "assistant" and isinstance(content, list) and kind not in CHAT:
            if thought:
                builder.text(thought)
            builder.calls(content)
            return
        if thought:
            builder.reasoning(thought)
        parts: list[Any] = content if isinstance(content, list) else [content]
        builder.text(joined(parts, builder.notes) if all(isinstance(part, str) for part in parts) else parts, role)


LAYOUT = AutoGen()
