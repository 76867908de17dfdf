"""pydantic-ai messages: ``kind`` (``request``, ``response``) and ``parts`` with a ``part_kind``.

Messages are under ``messages``, or a file is a list of them (``result.all_messages_json()``).

- A request has what the model is given: ``system-prompt``, ``user-prompt``, ``tool-return``, and ``retry-prompt``,
  which is the result of a failed call, or user text if it names no tool. ``instructions`` are a system message, written
  once if they do not change.
- A response has ``text``, ``thinking`` and ``tool-call``; ``args`` are an object or JSON text. Calls that the provider
  ran (``builtin-tool-call``) are read with their results.

Tools are not in the file. Rows are only read.

Lost: the boundary between several texts of one message (``content_parts``); keys that two parts of a message have with
different values, such as ids (``part_keys``).

Source: pydantic/pydantic-ai, ``pydantic_ai/messages.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from toolconv.core.messages import Row
from toolconv.layouts.base import WITHOUT_TOOLS
from toolconv.layouts.call_forms import filled
from toolconv.layouts.call_items import extras
from toolconv.layouts.content_parts import Part, Parts
from toolconv.layouts.message_builder import MessageBuilder
from toolconv.layouts.named_messages import NamedMessages

CALL = Part("call", ("args",), ("tool_call_id",), ("tool_name",))
RESULT = Part("result", ("content",), ("tool_call_id",), ("tool_name",), ignored=("timestamp",))
PLAIN = ("timestamp", "scope", "context_id", "dynamic_ref")


class PydanticAI(NamedMessages):
    """Requests and responses of parts."""

    name = "pydantic-ai"
    lacks = WITHOUT_TOOLS
    run_records: ClassVar[Mapping[str, frozenset[str] | None]] = {"scope": None}
    sample = (
        '{"messages":[{"kind":"request","parts":[{"part_kind":"user-prompt","content":"Weather?"}]},{"kind":"response",'
        '"parts":[{"part_kind":"tool-call","tool_name":"get_weather","args":{"city":"Tokyo"},"tool_call_id":"c1"}]},'
        '{"kind":"request","parts":[{"part_kind":"tool-return","tool_name":"get_weather","content":"Sunny",'
        '"tool_call_id":"c1"}]}]}'
    )
    role_key = "kind"
    roles: ClassVar[dict[str, str]] = {"request": "user", "response": "assistant"}
    parts = Parts(
        {
            "system-prompt": Part("text", ("content",), role="system", ignored=PLAIN),
            "user-prompt": Part("text", ("content",), role="user", ignored=PLAIN),
            "text": Part("text", ("content",)),
            "thinking": Part("reasoning", ("content",), ignored=("provider_name",)),
            "tool-call": CALL,
            "builtin-tool-call": CALL,
            "native-tool-call": CALL,
            "tool-return": RESULT,
            "builtin-tool-return": RESULT,
            "native-tool-return": RESULT,
            "retry-prompt": RESULT,
        },
        type_key="part_kind",
    )

    def is_item(self, item: Row) -> bool:
        parts = item.get("parts")
        return item.get("kind") in self.roles and isinstance(parts, list) and all("part_kind" in part for part in parts)

    def read_items(self, items: Sequence[Row], builder: MessageBuilder) -> None:
        now: Any = None
        kept = []
        for item in items:  # each request repeats the instructions
            instructions = item.get("instructions")
            kept.append({**item, "instructions": None} if instructions == now else item)
            now = instructions or now
        super().read_items(kept, builder)

    def read_item(self, item: Row, builder: MessageBuilder) -> None:
        keys = filled(extras(item, "kind", "parts", "instructions", "state", "usage"))
        usage = {key: value for key, value in filled(item.get("usage") or {}).items() if value != 0}
        if item.get("state") not in (None, "complete"):
            keys["state"] = item["state"]
        if item.get("instructions"):
            builder.begin("system")
            builder.text(item["instructions"], "system")
        role = self.role(item)
        if role == "assistant":
            builder.begin(role, {**keys, **filled({"usage": usage})})
        for part in item["parts"]:
            self.read_part(part, role, builder)

    def read_part(self, part: Any, role: str, builder: MessageBuilder) -> None:
        kind, content = part.get("part_kind"), part.get("content")
        if kind == "user-prompt" and (read := self.parts.read(part)) is not None:
            builder.begin("user", read.rest)
            for piece in content if isinstance(content, list) else filter(None, [content]):
                builder.text(piece, "user")
        elif kind == "retry-prompt" and not part.get("tool_name"):
            builder.begin("user")
            builder.text(content if isinstance(content, str) else part, "user")
        else:
            super().read_part(part, role, builder)


LAYOUT = PydanticAI()
