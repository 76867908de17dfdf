"""API-Bank dialogues, read only: ``dialogue`` of ``User``, ``AI`` and ``API`` turns.

An ``API`` turn holds a call and its result: ``api_name``, ``param_dict``, ``result``. It is read as an assistant's call
and the response to it, with the whole ``result`` as JSON text. An ``AI`` turn right before it is the prose of the turn
with the call. The tools are not in the row.

Source: AlibabaResearch/DAMO-ConvAI, api-bank.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from toolconv.core import jsontext
from toolconv.core.messages import Row
from toolconv.layouts.base import WITHOUT_TOOLS
from toolconv.layouts.call_items import extras
from toolconv.layouts.message_builder import MessageBuilder
from toolconv.layouts.named_messages import NamedMessages
from toolconv.layouts.tool_places import Place


class APIBank(NamedMessages):
    """Turns of ``role`` and ``text``, calls with their results."""

    name = "api-bank"
    leaves_out = False
    lacks = WITHOUT_TOOLS
    shape = "list of turns with the roles User, AI and API under 'dialogue'"
    sample = (
        '{"id":"1","dialogue":[{"role":"User","text":"Ping it."},'
        '{"role":"API","api_name":"Ping","param_dict":{},"result":{"output":"pong","exception":null}}]}'
    )
    asked_at = (("dialogue",),)
    content_key = "text"
    roles: ClassVar[dict[str, str]] = {"User": "user", "AI": "assistant", "System": "system"}

    def find(self, row: Row) -> tuple[Place, list[Row]] | None:
        return (("dialogue",), []) if row.get("dialogue") == [] else super().find(row)

    def is_item(self, item: Row) -> bool:
        if item.get("role") == "API":
            return isinstance(item.get("api_name"), str) and isinstance(item.get("param_dict"), dict)
        return item.get("role") in self.roles and isinstance(item.get("text"), str)

    def read_items(self, items: Sequence[Row], builder: MessageBuilder) -> None:
        for builder.place, item in enumerate(items):
            if item["role"] != "API":
                self.read_item(item, builder)  # which a call may follow
                continue
            builder.invoke(None, item["api_name"], item["param_dict"])
            rest = extras(item, "role", "api_name", "param_dict", "result")
            builder.result(None, None, jsontext.spaced(item["result"]) if "result" in item else "", rest)
            builder.end()
        builder.end()


LAYOUT = APIBank()
