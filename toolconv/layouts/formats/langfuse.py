"""Langfuse observations: an export of rows, a trace ``{"trace", "observations"}``, or a list of either.

One row is the last ``GENERATION`` of a trace, or with ``--each-call`` each of them. ``input`` and ``output`` are what
the program passed on, often as JSON text: messages of any API, whole requests, LangChain's objects, OpenTelemetry's
parts. LangChain's callback logs each tool as a message of the role ``tool``; tools are also looked for in the
request, in the answer, in ``toolDefinitions`` and under ``metadata``. Where a generation has no system text or no
tools, those of the observations around it are taken. All other keys stay. Rows are only read.

Lost: answers after the first (``choices``), the joints of several texts (``content_parts``), and the turns before a
request that holds only what is new, if no earlier call of the trace holds them (``earlier_turns``). Logs that are one
text, ``"system: … user: …"``, are read as the user's text.

Source: Langfuse API reference, observations; traces in langfuse/langfuse, ``worker/src/__tests__/chatml``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from toolconv.core.conversation import Conversation, Row
from toolconv.layouts.any_messages import INSTRUCTIONS, Logged
from toolconv.layouts.base import LayoutError
from toolconv.layouts.content_parts import parsed
from toolconv.layouts.traces import CONTEXT, EARLIER, EARLIER_TURNS, Traces

USED: Final = ("input", "output", "toolDefinitions", EARLIER, CONTEXT)
"""Keys whose content is in the messages and the tools."""


class Langfuse(Traces):
    """Observations."""

    name: ClassVar[str] = "langfuse"
    sample: ClassVar[str] = (
        '{"id":"o1","traceId":"t1","type":"GENERATION","startTime":"2026-01-01T10:00:00.000Z","model":"gpt-4o","input":'
        '{"messages":[{"role":"user","content":"Is it up?"}],"tools":[{"type":"function","function":{"name":"ping",'
        '"parameters":{"type":"object"}}}]},"output":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1",'
        '"type":"function","function":{"name":"ping","arguments":"{}"}}]}}'
    )

    def records(self, document: Any) -> Iterator[Row]:
        if isinstance(document, list):
            for item in document:
                yield from self.records(item)
        elif isinstance(document, dict):
            if isinstance(document.get("observations"), list):
                yield from self.records(document["observations"])
            elif _is_observation(document):
                yield document

    def is_model_call(self, record: Row) -> bool:
        recorded = record.get("input") is not None or record.get("output") is not None
        return record.get("type") == "GENERATION" and recorded

    def trace_of(self, record: Row) -> Any:
        return record.get("traceId", record.get("trace_id"))

    def time_of(self, record: Row) -> Any:
        return record.get("startTime", record.get("start_time"))

    def span_of(self, record: Row) -> tuple[Any, Any]:
        return record.get("id"), record.get("parentObservationId", record.get("parent_observation_id"))

    def context_of(self, record: Row) -> Row:
        asked = parsed(record.get("input"))
        asked = asked if isinstance(asked, dict) else {}
        instructions = next((asked[key] for key in INSTRUCTIONS if asked.get(key)), None)
        return {"instructions": instructions, "tools": next(filter(None, _recorded_tools(record)), asked.get("tools"))}

    def matches(self, row: Row) -> bool:
        return _is_observation(row) and self.is_model_call(row)

    def decode(self, row: Row) -> Conversation:
        if not self.matches(row):
            raise LayoutError("no GENERATION with an 'input'")
        logged = Logged()
        for call in row.get(EARLIER) or ():
            logged.request(call.get("input"))
            logged.answer(call.get("output"))
        logged.request(row.get("input"))
        if logged.continues():
            logged.notes.losses.append(EARLIER_TURNS)
        if row.get("output") is not None:
            logged.answer(row["output"])
        if not logged.messages:
            raise LayoutError("the generation has neither input nor output")
        for tools in _recorded_tools(row):
            logged.declare(tools)
        logged.supplement(row.get(CONTEXT))
        return logged.conversation(logged.keys({key: value for key, value in row.items() if key not in USED}))


def _is_observation(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and ("traceId" in value or "trace_id" in value)
        and isinstance(value.get("type"), str)
        and value["type"].isupper()
        and ("input" in value or "startTime" in value)
    )


def _recorded_tools(row: Row) -> list[Any]:
    """Tools that are not in the request: of the observation, or of the span that Langfuse received."""
    metadata = parsed(row.get("metadata"))
    metadata = metadata if isinstance(metadata, dict) else {}
    attributes = parsed(metadata.get("attributes"))
    attributes = attributes if isinstance(attributes, dict) else {}
    parameters = parsed(attributes.get("model_request_parameters"))
    return [
        row.get("toolDefinitions"),
        attributes.get("gen_ai.tool.definitions"),
        parameters.get("function_tools") if isinstance(parameters, dict) else None,
        metadata.get("tools"),
    ]


LAYOUT = Langfuse()
