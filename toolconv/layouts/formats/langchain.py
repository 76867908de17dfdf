"""LangChain messages: ``type`` (``human``, ``ai``, ``tool``) and ``content``, in the library's three dump formats.

- ``messages_to_dict``: ``{"type": "ai", "data": {"content", "tool_calls", …}}``,
- ``dumpd``: ``{"lc": 1, "type": "constructor", "id": […, "AIMessage"], "kwargs": {…}}``,
- ``model_dump``, as in a LangGraph state: ``{"type": "ai", "content", "tool_calls", …}``.

Messages are under ``messages``, or a file is a list of them. Content is text or blocks. LangChain stores up to three
copies of a call: in ``tool_calls``, in ``additional_kwargs`` and as a ``tool_use`` block. The first of these that holds
any calls is read. ``invalid_tool_calls`` are calls whose arguments LangChain could not parse; they are read tolerantly,
after the others. Reasoning is a block, or ``reasoning_content`` in ``additional_kwargs``; signed blocks are kept under
``thinking_blocks``. Rows are only read.

Lost: the boundary between several texts of one message (``content_parts``).

Source: langchain-core, ``messages`` and ``load.dump``.
"""

from __future__ import annotations

from typing import Any, ClassVar

from toolconv.core.messages import Row
from toolconv.layouts.base import WITHOUT_TOOLS
from toolconv.layouts.call_forms import filled, listed_calls
from toolconv.layouts.call_items import extras
from toolconv.layouts.content_parts import Part, Parts
from toolconv.layouts.message_builder import MessageBuilder
from toolconv.layouts.named_messages import NamedMessages


class LangChain(NamedMessages):
    """Messages with a ``type``, bare or in an envelope."""

    name = "langchain"
    lacks = WITHOUT_TOOLS
    aliases = ("langgraph",)
    sample = (
        '{"messages":[{"type":"human","data":{"content":"Weather?"}},{"type":"ai","data":{"content":"","tool_calls":['
        '{"name":"get_weather","args":{"city":"Tokyo"},"id":"call_1","type":"tool_call"}]}},{"type":"tool","data":{'
        '"content":"Sunny","name":"get_weather","tool_call_id":"call_1"}}]}'
    )
    role_key = "type"
    roles: ClassVar[dict[str, str]] = {
        "human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool",
        "developer": "developer",
        **{f"{name}{end}": role for end in ("Message", "MessageChunk") for name, role in {
            "Human": "user", "AI": "assistant", "System": "system", "Tool": "tool", "Function": "tool",
        }.items()},
    }  # fmt: skip
    parts = Parts(
        {
            "text": Part("text", ("text",), ignored=("index", "annotations")),
            "thinking": Part("reasoning", ("thinking",), ignored=("index",)),
            "redacted_thinking": Part("reasoning"),
            "reasoning": Part("reasoning", ("reasoning", "text"), ignored=("index",)),
            "reasoning_content": Part("reasoning", ("reasoning_content",), ignored=("index",)),
            "tool_use": Part("call", ("input",), ignored=("index",)),
            "tool_call": Part("call", ("args",), ignored=("index",)),
            "input_json_delta": Part("skip"),
        }
    )
    ignored = ("tool_call_chunks", "role")

    def is_item(self, item: Row) -> bool:
        kind = item.get("type")
        if item.get("lc") == 1 and kind == "constructor":
            return isinstance(item.get("kwargs"), dict) and _class(item) in self.roles
        if kind in self.roles and isinstance(item.get("data"), dict):
            return "content" in item["data"]
        return kind in self.roles and "content" in item and "role" not in item

    def read_item(self, item: Row, builder: MessageBuilder) -> None:
        if item.get("lc") == 1:
            item = {**item["kwargs"], "type": _class(item)}
        elif isinstance(item.get("data"), dict):
            item = {**item["data"], "type": item["type"]}
        if self.role(item) != "assistant":
            super().read_item(item, builder)
            return
        beside = filled(item.get("additional_kwargs") or {})
        copies, old = beside.pop("tool_calls", None), beside.pop("function_call", None)
        reasoning = beside.pop("reasoning_content", None)
        content = item.get("content")
        blocks = content if isinstance(content, list) else [content]
        calls = [*listed_calls(item.get("tool_calls")), *listed_calls(item.get("invalid_tool_calls"))]
        calls = calls or listed_calls(copies or old)
        keys = extras(item, "type", "content", "tool_calls", "invalid_tool_calls", *self.ignored)
        builder.begin("assistant", filled({**keys, "additional_kwargs": beside}))
        if isinstance(reasoning, str) and not any(self.parts.kind(block) == "reasoning" for block in blocks):
            builder.reasoning(reasoning)
        for block in blocks:
            if block is not None and (self.parts.kind(block) != "call" or not calls):
                self.read_part(block, "assistant", builder)
        builder.calls(calls)


def _class(item: Row) -> Any:
    """The name of the class in a ``dumpd`` constructor."""
    path = item.get("id")
    return path[-1] if isinstance(path, list) and path else None


LAYOUT = LangChain()
