"""Logs of Inspect AI: ``samples`` with their ``messages``.

Each sample and epoch of a log (``.json``; an ``.eval`` file is a zip archive of such files) becomes a row, with
``task``, ``model`` and ``run_id`` of the log's ``eval``. A row may also be a single sample. ``scores``, ``target``,
``metadata`` and other keys are kept. ``events``, ``transcript``, ``store``, ``attachments`` and ``output`` are left
out: they record the run and repeat the messages. Tools are those of the last model event that declares any.

- The ``function`` of a call is its name. Arguments are an object. ``parse_error`` is kept.
- Content is text, or parts: ``text``, ``reasoning``, images (read as ``image_url``) and others. Signed reasoning is
  kept under ``thinking_blocks``. A ``tool_use`` part is a call that the provider ran, with its result.
- A text ``attachment://…`` is replaced by the attachment of that name.
- A result with an ``error`` gets ``is_error``. If it has no content, its content is the error's message.

Rows are only read.

Lost: the boundary between several texts of one message (``content_parts``), and attachments that the row does not hold
(``missing_attachments``).

Source: UKGovernmentBEIS/inspect_ai, ``log/_log.py`` and ``model/_chat_message.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row
from toolconv.layouts.content_parts import Part, Parts, plain
from toolconv.layouts.message_builder import MessageBuilder
from toolconv.layouts.named_messages import NamedMessages
from toolconv.layouts.tool_places import Place, value_at

RUN = ("task", "model", "run_id")
SAMPLE = frozenset({"target", "attachments", "scores", "events"})
"""Keys of samples, other than their number in a run."""
STORED = ("attachment://", "tc://")


class InspectAi(NamedMessages):
    """Samples."""

    name = "inspect-ai"
    run_records: ClassVar[Mapping[str, frozenset[str] | None]] = {"events": None, "transcript": None}
    references = STORED
    aliases = ("inspect",)
    sample = (
        '{"id":1,"epoch":1,"target":"Sunny","messages":[{"role":"user","content":"Weather?","source":"input"},{"role":'
        '"assistant","content":"","source":"generate","tool_calls":[{"id":"call_1","function":"get_weather","arguments":'
        '{"city":"Tokyo"}}]},{"role":"tool","content":"Sunny","tool_call_id":"call_1","function":"get_weather"}],'
        '"scores":{"match":{"value":"C"}}}'
    )
    parts = Parts(
        {
            "text": Part("text", ("text",), ignored=("refusal", "internal", "citations")),
            "reasoning": Part("reasoning", ("reasoning",), ignored=("internal",)),
            "tool_use": Part("call", ("arguments",), ignored=("internal",), result=("result",), error=("error",)),
        }
    )
    renamed: ClassVar[dict[str, str]] = {"function": "name"}

    left_out = (
        "events", "transcript", "store", "attachments", "output", "timelines", "events_data",
    )  # fmt: skip

    containers = frozenset(
        {"version", "status", "eval", "plan", "results", "stats", "error", "invalidated", "samples", "reductions"}
        | {"location", "etag"}
    )

    def matches(self, row: Row) -> bool:
        return "epoch" in row and not SAMPLE.isdisjoint(row) and super().matches(row)

    def split(self, document: Any) -> Iterator[Row] | None:
        if not isinstance(document, dict) or not isinstance(document.get("eval"), dict):
            return None
        samples = document.get("samples")
        if not isinstance(samples, list) or "status" not in document:
            return None
        run = {key: document["eval"][key] for key in RUN if key in document["eval"]}
        return ({**sample, **run} for sample in samples)

    def decode(self, row: Row) -> Conversation:
        conversation = super().decode(row)
        conversation.notes.losses += ["missing_attachments"] * _references(conversation.messages)
        return conversation

    def find(self, row: Row) -> tuple[Place, list[Row]] | None:
        stored, found = row.get("attachments"), super().find(row)
        if found is None or not isinstance(stored, dict) or not stored:
            return found
        return found[0], _resolved(found[1], stored)

    def declared(self, row: Row) -> tuple[Any, Place | None]:
        """The tools of the last model event that has any."""
        events = row.get("events") or value_at(row, ("transcript", "events"))
        for event in reversed(events if isinstance(events, list) else []):
            if isinstance(event, dict) and event.get("event") == "model" and event.get("tools"):
                return event["tools"], None
        return super().declared(row)

    def read_result(self, item: Row, content: Any, keys: Row, builder: MessageBuilder) -> None:
        if isinstance(content, list):
            content = [plain(part) for part in content]
        error = keys.get("error")
        if error:
            message = error.get("message") if isinstance(error, dict) else error
            content, keys = content or message, {**keys, "is_error": True}
        super().read_result(item, content, keys, builder)

    def read_part(self, part: Any, role: str, builder: MessageBuilder) -> None:
        super().read_part(plain(part) if self.parts.find(part) is None else part, role, builder)


def _resolved(value: Any, stored: Row) -> Any:
    """A value in which references to attachments are replaced by what they refer to."""
    if isinstance(value, str):
        for prefix in STORED:
            if value.startswith(prefix):
                return stored.get(value.removeprefix(prefix), value)
        return value
    if isinstance(value, list):
        return [_resolved(item, stored) for item in value]
    if isinstance(value, dict):
        return {key: _resolved(item, stored) for key, item in value.items()}
    return value


def _references(value: Any) -> int:
    """How many texts in a value still refer to an attachment."""
    if isinstance(value, str):
        return int(value.startswith(STORED))
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(map(_references, members))


LAYOUT = InspectAi()
