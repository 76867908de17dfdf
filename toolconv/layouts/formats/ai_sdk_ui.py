"""UI messages of the Vercel AI SDK: ``parts``, with a call and its result in one part.

- One assistant message holds all model turns up to the next user message. ``step-start`` begins a new turn, and so does
  text after a call.
- A call is a part ``tool-NAME``, or ``dynamic-tool`` with ``toolName``. It has ``input``, then ``output`` or
  ``errorText``, and a ``state``. A call without a result yet is read without one. A call whose input is still streaming
  counts as dropped. If a call was denied, its result is the reason.
- Version 4 has parts ``tool-invocation``. Its ``toolInvocations``, ``content`` and ``reasoning`` repeat the parts, and
  are read only if there are no parts.
- An output that is not text becomes JSON text, with ``output_type`` ``json``. ``errorText`` gives ``is_error``.
- Messages are under ``messages``, or a file is a list of them.

Other parts (files, sources, data) pass through as content parts. Version 5 is written. Messages without an id get
``msg-0``, ``msg-1``, …; these ids are left out when they are read.

Lost: the boundary between several texts of one message (``content_parts``); keys of the second and later turns of a UI
message, and of results (``message_keys``, ``response_keys``); the order of results, where it is not that of the calls
(``response_order``); the ``state`` of a text. A result without its call can't
be written.

Source: vercel/ai, ``packages/ai/src/ui/ui-messages.ts``. No real file was available; the reader was tested with files
made by hand from these types.
"""

from __future__ import annotations

from typing import Any

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Dropped, Notes
from toolconv.layouts.base import LayoutError
from toolconv.layouts.call_items import CalledNames, call_extras, call_item, checked, extras
from toolconv.layouts.content_parts import THINKING, Part, Parts
from toolconv.layouts.formats.ai_sdk import DENIED, OUTPUT_TYPE, AiSdk, content_parts, reasoning_parts
from toolconv.layouts.message_builder import MessageBuilder
from toolconv.layouts.part_forms import AI_SDK_UI
from toolconv.layouts.speakers import without_developer

GIVEN_ID = lazy_re(r"msg-[0-9]+")
KNOWN = (
    "type", "toolCallId", "toolName", "state", "input", "rawInput", "args", "output", "result", "errorText", "step",
)  # fmt: skip


class AiSdkUi(AiSdk):
    """Messages with ``parts``."""

    name = "ai-sdk-ui"
    aliases = ("ui-messages",)
    sample = (
        '{"messages":[{"id":"u1","role":"user","parts":[{"type":"text","text":"Weather?"}]},{"id":"a1","role":'
        '"assistant","parts":[{"type":"step-start"},{"type":"tool-get_weather","toolCallId":"call_1","state":'
        '"output-available","input":{"city":"Tokyo"},"output":"Sunny"},{"type":"step-start"},{"type":"text","text":'
        '"Sunny."}]}]}'
    )
    content_key = "parts"
    own_keys = frozenset({"parts"})
    parts = Parts(
        {
            "text": Part("text", ("text",), ignored=("state",)),
            "reasoning": Part("reasoning", ("text", "reasoning"), ignored=("state", "details")),
            "step-start": Part("step"),
        },
        empty=True,
    )

    form = AI_SDK_UI

    def are_items(self, items: list[Row]) -> bool:
        return all(item.get("role", "tool") != "tool" for item in items) and any(map(self.is_item, items))

    def is_item(self, item: Row) -> bool:
        parts = item.get("parts")
        if not isinstance(parts, list):
            return isinstance(item.get("toolInvocations"), list)
        return bool(parts) and all(isinstance(part.get("type"), str) and "content" not in part for part in parts)

    # ── reading ──

    def joins(self, document: Any) -> bool:
        return False

    def read_item(self, item: Row, builder: MessageBuilder) -> None:
        role = self.role(item)
        old = ("content", "reasoning", "toolInvocations") if "content" in item or "parts" not in item else ()
        keys = extras(item, "role", "parts", *old)
        if isinstance(keys.get("id"), str) and GIVEN_ID.fullmatch(keys["id"]):
            del keys["id"]
        parts = item.get("parts")
        if not isinstance(parts, list) or not parts:
            calls = [{"type": "tool-invocation", "toolInvocation": call} for call in item.get("toolInvocations") or ()]
            reasoning = [{"type": "reasoning", "text": item["reasoning"]}] if item.get("reasoning") else []
            text = [{"type": "text", "text": item["content"]}] if item.get("content") else []
            parts = [*reasoning, *calls, *text]
        builder.begin(role, keys)
        for part in parts:
            self.read_part(part, role, builder)

    def read_part(self, part: Any, role: str, builder: MessageBuilder) -> None:
        kind = str(part.get("type"))
        if kind == "tool-invocation" and isinstance(part.get("toolInvocation"), dict):
            _read_tool(part["toolInvocation"], part["toolInvocation"].get("toolName"), builder)
        elif kind == "dynamic-tool":
            _read_tool(part, part.get("toolName"), builder, dynamic=True)
        elif kind.startswith("tool-") and not {"toolCallId", "state", "input"}.isdisjoint(part):
            _read_tool(part, part.get("toolName") or kind.removeprefix("tool-"), builder)
        else:
            super().read_part(part, role, builder)

    # ── writing ──

    def encode(self, conversation: Conversation, original: Any = None) -> Row:
        row = super().encode(conversation, original)
        items = row["messages"]
        for at, item in enumerate(items if isinstance(items, list) else ()):
            if "id" not in item and original is None:
                items[at] = {"id": f"msg-{at}", **item}
        return row

    def write_items(self, messages: list[Message], names: CalledNames, notes: Notes) -> list[Row]:
        items: list[Row] = []
        waiting: dict[Any, tuple[int, Row]] = {}
        latest = 0
        for message in messages:
            role = without_developer(message.get("role"), notes)
            if role == "tool":
                called = waiting.pop(message.get("tool_call_id"), None)
                if called is None:
                    raise LayoutError("a result that does not follow its call: a UI message holds both; use ai-sdk")
                if called[0] < latest:
                    notes.losses.append("response_order")
                latest = max(latest, called[0])
                _write_result(called[1], message, notes)
                continue
            keys = extras(message, "role", "content", "reasoning_content", "tool_calls", THINKING)
            parts = [*reasoning_parts(message, notes), *content_parts(message.get("content"), self.form, notes)]
            waiting, latest = {}, 0
            for number, call in enumerate(message.get("tool_calls") or ()):
                part = _written_call(checked(call))
                waiting[call.get("id")] = number, part
                parts.append(part)
            if role == "assistant":
                parts = [{"type": "step-start"}, *parts]
            if role == "assistant" and items and items[-1]["role"] == "assistant":
                if any(key not in items[-1] or items[-1][key] != value for key, value in keys.items()):
                    notes.losses.append("message_keys")
                items[-1]["parts"] += parts
            else:
                given = {"id": keys.pop("id")} if "id" in keys else {}
                items.append({**given, "role": role, **keys, "parts": parts})
        return items


def _read_tool(part: Row, name: Any, builder: MessageBuilder, *, dynamic: bool = False) -> None:
    state = part.get("state")
    if state in ("input-streaming", "partial-call"):
        builder.notes.dropped.append(
            Dropped(f"call of {name!r}: its input is incomplete", jsontext.dumps(part).decode())
        )
        return
    given = next((part[key] for key in ("input", "args", "rawInput") if part.get(key) is not None), None)
    rest = extras(part, *KNOWN)
    if dynamic:
        rest["dynamic"] = True
    builder.call(call_item(part.get("toolCallId"), name, given, rest, builder.notes))
    if state in ("output-error", "input-error") or ("errorText" in part and part["errorText"] is not None):
        builder.result(part.get("toolCallId"), name, part.get("errorText"), {"is_error": True})
    elif state == "output-denied":
        reason = (part.get("approval") or {}).get("reason") or DENIED
        builder.result(part.get("toolCallId"), name, reason, {OUTPUT_TYPE: "execution-denied"})
    elif state in ("output-available", "result") or "output" in part or "result" in part:
        output = part.get("output", part.get("result"))
        keys = {} if isinstance(output, str) else {OUTPUT_TYPE: "json"}
        text = output if isinstance(output, str) else jsontext.spaced(output)
        builder.result(part.get("toolCallId"), name, text, keys)


def _written_call(call: Row) -> Row:
    function, rest = call["function"], call_extras(call)
    dynamic = rest.pop("dynamic", None) is True
    named = {"type": "dynamic-tool", "toolName": function["name"]} if dynamic else {"type": f"tool-{function['name']}"}
    tied = {"toolCallId": call["id"], "state": "input-available", "input": function["arguments"]}
    return {**named, **tied, **rest}


def _write_result(part: Row, message: Message, notes: Notes) -> None:
    """Add a result to the part of its call."""
    content, kind = message.get("content"), message.get(OUTPUT_TYPE)
    name = part.get("toolName", part["type"].removeprefix("tool-"))
    if message.get("name", name) != name:
        notes.losses.append("response_keys")
    if extras(message, "role", "content", "tool_call_id", "name", "is_error", OUTPUT_TYPE):
        notes.losses.append("response_keys")
    if message.get("is_error") is True and isinstance(content, str):
        part.update(state="output-error", errorText=content)
        return
    if message.get("is_error") is not None:
        notes.losses.append("response_keys")
    if kind == "execution-denied":
        part["state"] = "output-denied"
        part.setdefault("approval", {"reason": content})
        return
    part["state"] = "output-available"
    part["output"] = content
    if isinstance(content, list):
        notes.losses += ["content_parts", "message_keys"]  # it is read back as JSON text
    elif kind == "json":
        try:
            part["output"] = jsontext.loads(content or "")
        except ValueError:
            notes.losses.append("response_keys")
    elif kind is not None:
        notes.losses.append("response_keys")


LAYOUT = AiSdkUi()
