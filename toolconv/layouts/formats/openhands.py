"""OpenHands' event history: actions and observations, in a list, or under ``history`` in ``output.jsonl``.

- An action of the agent has the model's whole answer, its text and all its calls, in
  ``tool_call_metadata.model_response``. Actions with the same answer are parallel calls. An observation with the
  ``tool_call_id`` of a call is its result.
- A ``message`` action is text of the user or the agent. A ``system`` action is the system text, with the tools.
- Events from before function calling have no metadata. Such an action is read as a call of its name (``run``, ``edit``)
  with its arguments, with ``thought`` as the text before it; the next observation is its result. These names are
  OpenHands' own: the file does not hold what the model wrote. These histories may be lists of pairs (action,
  observation).

Other keys of a row (``instance_id``, ``git_patch``, ``metrics``, ``test_result``) are kept. Rows are only read.

Lost: events that are not turns but have content, such as recalled memory (``events``).

Source: OpenHands/OpenHands, ``openhands/events/serialization``. No real file with pairs was available.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row
from toolconv.core.row_fields import RowField
from toolconv.layouts.base import TEXTS, listed
from toolconv.layouts.call_forms import drop_unread, filled
from toolconv.layouts.message_builder import MessageBuilder, joined
from toolconv.layouts.named_messages import NamedMessages
from toolconv.layouts.nested_json import opened
from toolconv.layouts.speakers import meaning_of
from toolconv.layouts.tool_places import Place

METADATA = "tool_call_metadata"
NO_TURNS = (
    "recall", "change_agent_state", "agent_state_changed", "null", "condensation", "condensation_request",
    "user_rejected", "loop_detection",
)  # fmt: skip
NO_ARGUMENTS = frozenset({
    "action", "action_risk", "args", "blocking", "cause", "confirmation_state", "hidden", "id", "images_urls",
    "image_urls", "impl_source", "include_extra", "is_confirmed", "keep_prompt", "kernel_init_code", "message",
    "security_risk", "source", "thought", "timeout", "timestamp", "translated_ipython_code", "wait_for_response",
})  # fmt: skip


class OpenHands(NamedMessages):
    """Actions and observations."""

    name = "openhands"
    run_records: ClassVar[Mapping[str, frozenset[Any] | None]] = {
        **dict.fromkeys(("message", "action", "observation"), TEXTS),
        **dict.fromkeys(
            (
                "extras", "kernel_init_code", "translated_ipython_code", "cause", "total_calls_in_response",
                "wait_for_response", "keep_prompt", "is_confirmed", "exit_code", "command_id", "start", "end",
            )
        ),
    }  # fmt: skip
    sample = (
        '{"history":[{"id":0,"source":"user","action":"message","args":{"content":"Weather?"}},{"id":1,"source":"agent",'
        '"action":"run","args":{"command":"curl wttr.in"},"tool_call_metadata":{"function_name":"execute_bash",'
        '"tool_call_id":"call_1","model_response":{"id":"r1","choices":[{"message":{"role":"assistant","content":null,'
        '"tool_calls":[{"id":"call_1","type":"function","function":{"name":"execute_bash","arguments":'
        '"{\\"command\\": \\"curl wttr.in\\"}"}}]}}]}}},{"id":2,"source":"agent","cause":1,"observation":"run",'
        '"content":"Sunny","tool_call_metadata":{"function_name":"execute_bash","tool_call_id":"call_1"}}]}'
    )
    asked_at = (("history",),)

    def find(self, row: Row) -> tuple[Place, list[Row]] | None:
        value = row.get("history")
        if isinstance(value, dict) and all(map(str.isdecimal, value)):  # by their ids
            events = listed(list(value.values()))
            return (("history",), events) if events is not None else None
        if isinstance(value, list) and value and all(isinstance(pair, list) for pair in value):
            flat = listed([opened(event) for pair in value for event in pair])
            return (("history",), flat) if flat is not None else None
        return super().find(row)

    def is_item(self, item: Row) -> bool:
        return "role" not in item and isinstance(item.get("action", item.get("observation")), str)

    def decode(self, row: Row) -> Conversation:
        conversation = super().decode(row)
        history = row["history"]
        if isinstance(history, dict) or isinstance(history[0], list):  # events in pairs have no index of their own
            conversation.fields = [RowField("/history", len(conversation.messages))]
        return conversation

    def declared(self, row: Row) -> tuple[Any, Place | None]:
        """The tools of the first system event that has any."""
        found = self.find(row)
        events = found[1] if found else ()
        tools = (_args(event).get("tools") for event in events if event.get("action") == "system")
        declared = next(filter(None, tools), None)
        return super().declared(row) if declared is None else (declared, None)

    def read_items(self, items: Sequence[Row], builder: MessageBuilder) -> None:
        answered: Any = None
        for builder.place, event in enumerate(items):
            metadata = event.get(METADATA) or {}
            response = metadata.get("model_response") or {}
            kind = event.get("action", event.get("observation"))
            if "observation" in event and kind not in NO_TURNS:
                failed = {"is_error": True} if kind == "error" else {}
                name = metadata.get("function_name")
                builder.result(metadata.get("tool_call_id"), name, event.get("content") or event.get("message"), failed)
            elif response.get("choices"):
                if response.get("id") is None or response["id"] != answered:
                    _read_answer(response["choices"][0]["message"], builder)
                answered = response.get("id")
            elif kind in ("message", "system"):
                _read_text(event, not builder.messages, builder)
            elif kind in NO_TURNS:
                builder.notes.losses.extend(["events"] if event.get("content") else [])
            else:
                _read_action(event, builder)
            builder.end()


def _args(event: Row) -> Row:
    """The arguments of an action, which in old events are keys of the event."""
    args = event.get("args")
    return args if isinstance(args, dict) else event


def _read_answer(message: Row, builder: MessageBuilder) -> None:
    builder.begin("assistant")
    if message.get("reasoning_content"):
        builder.reasoning(message["reasoning_content"])
    if message.get("content"):
        builder.text(message["content"])
    if not message.get("tool_calls"):
        drop_unread(message, builder.notes)
    builder.calls([_stripped(call) for call in message.get("tool_calls") or ()])


def _stripped(call: Any) -> Any:
    """A call without the place that it had in a stream."""
    return {key: value for key, value in call.items() if key != "index"} if isinstance(call, dict) else call


def _read_text(event: Row, first: bool, builder: MessageBuilder) -> None:
    args = _args(event)
    waits = args.get("wait_for_response") and not first
    source = event.get("source") or ("agent" if waits else "user")
    meaning = meaning_of(source)
    role = "system" if event["action"] == "system" else "assistant" if meaning == "assistant" else "user"
    if meaning is None:
        builder.notes.losses.append("unknown_role")
    images = args.get("image_urls") or args.get("images_urls") or []
    builder.begin(role)
    text = args.get("content") or args.get("message") or ""
    parts = [text, *({"type": "image_url", "image_url": {"url": url}} for url in images)]
    for part in joined(parts, builder.notes) if images else parts:
        builder.text(part, role)


def _read_action(event: Row, builder: MessageBuilder) -> None:
    args = _args(event)
    builder.begin("assistant")
    if args.get("thought"):
        builder.text(args["thought"])
    arguments = filled({key: value for key, value in args.items() if key not in NO_ARGUMENTS})
    called = event.get(METADATA) or {}  # whose answer is left out
    builder.invoke(called.get("tool_call_id"), called.get("function_name") or event["action"], arguments)


LAYOUT = OpenHands()
