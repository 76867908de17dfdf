"""axolotl rows for ``type: chat_template``: OpenAI's ``messages`` and ``tools``, made safe for Arrow.

- ``arguments`` of a call and ``parameters`` of a tool may be JSON text, since Arrow can't hold one key with two types.
  Arguments are written as text. Parameters stay objects unless the row had text.
- ``train`` (or ``weight``) and ``train_detail`` on a message select what is trained on. They pass through.
- Preference rows, for ``type: chat_template.default`` of DPO and ORPO, have ``chosen`` and ``rejected`` next to
  ``messages``, one message each.
- A training configuration can name other keys than ``messages``, ``role`` and ``content`` (``field_messages``,
  ``message_property_mappings``, ``field_tools``). Such rows are ``sharegpt``.

Lost: nothing.

Source: axolotl documentation, dataset formats: conversation; src/axolotl/prompt_strategies/dpo/chat_template.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolconv.core.conversation import Conversation
from toolconv.core.marks import MarkStyle
from toolconv.core.messages import Row
from toolconv.core.tools import function_of
from toolconv.layouts.answers import Pair
from toolconv.layouts.base import Original, as_text
from toolconv.layouts.formats.openai import OpenAI, messages_in, part_forms

if TYPE_CHECKING:
    from toolconv.layouts.part_forms import PartForm

MESSAGE_KEYS = ("train", "train_detail", "training")


class Axolotl(OpenAI):
    """OpenAI's messages, with keys that select what to train on."""

    name = "axolotl"
    trainer = "axolotl"
    tools_as_text = True
    mark_style = MarkStyle("train", flag=True, others=True, details="train_detail")
    runs = frozenset()
    sample = (
        '{"tools":[{"type":"function","function":{"name":"ping","parameters":"{\\"type\\": \\"object\\"}"}}],'
        '"messages":[{"role":"user","content":"Ping it."},{"role":"assistant","content":null,'
        '"tool_calls":[{"id":"call_0","type":"function","function":{"name":"ping","arguments":"{}"}}],"train":true}]}'
    )

    answers = (Pair(prompt="messages", single=True),)

    def matches(self, row: Row) -> bool:
        messages = messages_in(row)
        if messages is not None and "rejected" in row:
            return self.apart(row) is not None
        return messages is not None and (
            _text_parameters(row.get("tools")) or any(key in message for message in messages for key in MESSAGE_KEYS)
        )

    def form(self, *, came: bool) -> PartForm | None:
        return None if came else part_forms().TRANSFORMERS

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        row = super().encode(conversation, original)
        if original is not None and _text_parameters(original.row.get("tools")):
            row["tools"] = [_with_text(tool) for tool in conversation.tools]
        return row


def _text_parameters(tools: Any) -> bool:
    """Whether the tools' parameters are JSON text, by the first one."""
    tool = tools[0] if isinstance(tools, list) and tools and isinstance(tools[0], dict) else {}
    function = tool.get("function", tool)
    return isinstance(function, dict) and isinstance(function.get("parameters"), str)


def _with_text(tool: Any) -> Any:
    function = function_of(tool)
    if function is None or "parameters" not in function:
        return tool
    return {**tool, "function": {**function, "parameters": as_text(function["parameters"])}}


LAYOUT = Axolotl()
