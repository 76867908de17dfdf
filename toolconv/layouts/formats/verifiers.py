"""Rollouts of verifiers and prime-rl: ``prompt`` and ``completion``, with a ``reward``.

Both are lists of messages. Calls are flat (``id``, ``name``, ``arguments`` as JSON text). In older results, calls are
JSON texts, each an OpenAI call. Tools are ``tool_defs``, or ``oai_tools`` in ``info``. ``reward``, ``metrics``,
``answer`` and other keys are kept. Rows are only read.

Source: PrimeIntellect-ai/verifiers, ``types.py`` and ``utils/save_utils.py``. No real file was available; the reader
was tested with one made by hand from these.
"""

from __future__ import annotations

from typing import Any, ClassVar

from toolconv.core.conversation import Conversation, Message, Notes, Row, RowField, complete
from toolconv.layouts.base import LayoutError, listed, maybe_json
from toolconv.layouts.call_items import extras
from toolconv.layouts.named_messages import NamedMessages

HALVES = ("prompt", "completion")


class Verifiers(NamedMessages):
    """A prompt and its completion."""

    name: ClassVar[str] = "verifiers"
    aliases: ClassVar[tuple[str, ...]] = ("prime-rl",)
    sample: ClassVar[str] = (
        '{"example_id":0,"prompt":[{"role":"user","content":"Weather?"}],"completion":[{"role":"assistant","content":"",'
        '"tool_calls":[{"id":"call_1","name":"get_weather","arguments":"{\\"city\\": \\"Tokyo\\"}"}]},{"role":"tool",'
        '"content":"Sunny","tool_call_id":"call_1"}],"tool_defs":[{"name":"get_weather","parameters":{"type":"object"}}],'
        '"reward":1.0}'
    )
    tools_keys: ClassVar[tuple[str, ...]] = ("tool_defs", "tools")

    def matches(self, row: Row) -> bool:
        halves = [listed(row.get(key)) for key in HALVES]
        if None in halves or "messages" in row:
            return False
        messages = [message for half in halves for message in half or ()]
        calls = [call for message in messages for call in message.get("tool_calls") or ()]
        if not all("role" in message for message in messages):
            return False
        return "example_id" in row or any(isinstance(call, str) or "name" in call for call in calls)

    def decode(self, row: Row) -> Conversation:
        notes = Notes()
        messages: list[Message] = []
        fields: list[RowField] = []
        for key in HALVES:
            items = listed(row.get(key))
            if items is None and row.get(key) != []:
                raise LayoutError(f"no list of messages under {key!r}")
            read, starts = self.read_items(items or [], notes)
            fields.append(RowField(f"/{key}", len(read), items or [], starts))
            messages += read
        complete(messages)
        canonical: Row = {}
        for key, value in row.items():
            if key == HALVES[0]:
                canonical["messages"] = messages
            elif key in self.tools_keys:
                canonical["tools"] = self.read_tools(value, notes)
            elif key == "info" and "tools" not in canonical and (tools := _tools_in(value)):
                canonical["tools"] = self.read_tools(tools, notes)
                canonical[key] = value if isinstance(value, str) else extras(value, "oai_tools")
            elif key != HALVES[1]:
                canonical[key] = value
        return Conversation(canonical, notes, fields=fields)


def _tools_in(info: Any) -> Any:
    """The tools in the ``info`` of a rollout, which may be JSON text."""
    try:
        value = maybe_json(info)
    except LayoutError:
        return None
    return value.get("oai_tools") if isinstance(value, dict) else None


LAYOUT = Verifiers()
