"""Langfuse observations: an export of rows, a trace ``{"trace", "observations"}``, or a list of either.

One row is the last ``GENERATION`` of a trace, or with ``--each-call`` each of them. ``input`` and ``output`` are what
the program passed on, often as JSON text: messages of any API, whole requests, LangChain's objects, OpenTelemetry's
parts. LangChain's callback logs each tool as a message of the role ``tool``; tools are also looked for in the
request, in the answer, in ``toolDefinitions`` and under ``metadata``. Where a generation has no system text or no
tools, those of the observations around it are taken. All other keys stay. Rows are only read.

Lost: answers after the first (``choices``), the joints of several texts (``content_parts``), and the turns before a
request that holds only what is new, if no earlier call of the trace holds them (``earlier_turns``). An earlier call
with an answer that the row does not hold, such as that of another agent, is named (``earlier_calls``). Logs that are
one text, ``"system: … user: …"``, are read as the user's text.

Source: Langfuse API reference, observations; traces in langfuse/langfuse, ``worker/src/__tests__/chatml``.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolconv.core.messages import Row
from toolconv.layouts.logged_calls import LoggedTraces


class Langfuse(LoggedTraces):
    """Observations."""

    name = "langfuse"
    shape = "GENERATION with an 'input'"
    sample = (
        '{"id":"o1","traceId":"t1","type":"GENERATION","startTime":"2026-01-01T10:00:00.000Z","model":"gpt-4o","input":'
        '{"messages":[{"role":"user","content":"Is it up?"}],"tools":[{"type":"function","function":{"name":"ping",'
        '"parameters":{"type":"object"}}}]},"output":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1",'
        '"type":"function","function":{"name":"ping","arguments":"{}"}}]}}'
    )

    asked = "input"
    answered = "output"
    tools_at = (
        ("toolDefinitions",),
        ("metadata", "attributes", "gen_ai.tool.definitions"),
        ("metadata", "attributes", "model_request_parameters", "function_tools"),
        ("metadata", "attributes", "response", "tools"),
        ("metadata", "attributes", "tools"),
        ("metadata", "tools"),
    )
    instructions_at = (
        ("metadata", "attributes", "gen_ai.system_instructions"),
        ("metadata", "attributes", "instructions"),
    )
    used = ("toolDefinitions",)
    containers = frozenset({"trace", "observations"})
    trace = ("traceId", "trace_id")
    parent = ("parentObservationId", "parent_observation_id")
    time = ("startTime", "start_time")

    def records_in(self, document: Row) -> Iterator[Row]:
        if isinstance(document.get("observations"), list):
            yield from self.records(document["observations"])
        elif _is_observation(document):
            yield document

    def is_model_call(self, record: Row) -> bool:
        recorded = record.get("input") is not None or record.get("output") is not None
        return record.get("type") == "GENERATION" and recorded

    def matches(self, row: Row) -> bool:
        return _is_observation(row) and self.is_model_call(row)


def _is_observation(value: Row) -> bool:
    return (
        ("traceId" in value or "trace_id" in value)
        and isinstance(value.get("type"), str)
        and value["type"].isupper()
        and ("input" in value or "startTime" in value)
    )


LAYOUT = Langfuse()
