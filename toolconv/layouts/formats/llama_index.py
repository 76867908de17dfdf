"""LlamaIndex messages: ``role``, ``blocks`` with a ``block_type``, and ``additional_kwargs``.

Messages are under ``messages``, or a file is a list of them. Blocks are ``text``, ``thinking``, ``tool_call``
(``tool_kwargs`` is an object or JSON text) and media, which pass through as content parts. Older versions have
``content`` in place of blocks, and calls in ``additional_kwargs``; these are read if no block is a call. The ids of
results are in ``additional_kwargs``. Rows are only read.

Lost: the boundary between several texts of one message (``content_parts``).

Source: run-llama/llama_index, ``core/base/llms/types.py``.
"""

from __future__ import annotations

from toolconv.core.messages import Row
from toolconv.layouts.base import WITHOUT_TOOLS
from toolconv.layouts.call_forms import filled
from toolconv.layouts.call_items import extras
from toolconv.layouts.content_parts import Part, Parts
from toolconv.layouts.message_builder import MessageBuilder
from toolconv.layouts.named_messages import NamedMessages

ROLES = {"chatbot": "assistant", "model": "assistant", "function": "tool"}


class LlamaIndex(NamedMessages):
    """Messages of blocks."""

    name = "llama-index"
    lacks = WITHOUT_TOOLS
    aliases = ("llamaindex",)
    sample = (
        '{"messages":[{"role":"user","additional_kwargs":{},"blocks":[{"block_type":"text","text":"Weather?"}]},'
        '{"role":"assistant","additional_kwargs":{},"blocks":[{"block_type":"tool_call","tool_call_id":"call_1",'
        '"tool_name":"get_weather","tool_kwargs":{"city":"Tokyo"}}]}]}'
    )
    content_key = "blocks"
    roles = ROLES
    parts = Parts(
        {
            "text": Part("text", ("text",)),
            "thinking": Part("reasoning", ("content",), ignored=("num_tokens",)),
            "tool_call": Part("call", ("tool_kwargs",), id=("tool_call_id",), name=("tool_name",)),
        },
        type_key="block_type",
    )

    def are_items(self, items: list[Row]) -> bool:
        return all(isinstance(item.get("role"), str) and "type" not in item for item in items) and any(
            isinstance(item.get("additional_kwargs"), dict) or _has_blocks(item) for item in items
        )

    def read_item(self, item: Row, builder: MessageBuilder) -> None:
        beside = item.get("additional_kwargs")
        beside = dict(beside) if isinstance(beside, dict) else {}
        copies = beside.pop("tool_calls", None)
        blocks = item.get("blocks")
        if not isinstance(blocks, list):
            blocks = [{"block_type": "text", "text": item["content"]}] if item.get("content") else []
        elif any(self.parts.kind(block) == "call" for block in blocks):
            copies = None
        named = {key: beside.pop(key) for key in ("tool_call_id", "name") if key in beside}
        rest = extras(item, "role", "blocks", "content", "additional_kwargs", "tool_calls")
        rest |= named | {"role": item["role"], "blocks": blocks, **filled({"additional_kwargs": beside})}
        super().read_item(rest, builder)
        builder.calls(item.get("tool_calls") or copies)


def _has_blocks(item: Row) -> bool:
    blocks = item.get("blocks")
    return isinstance(blocks, list) and any("block_type" in block for block in blocks)


LAYOUT = LlamaIndex()
