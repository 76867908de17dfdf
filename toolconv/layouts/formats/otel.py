"""OpenTelemetry spans and events of model calls: GenAI conventions, OpenInference (Phoenix), AI SDK, OpenLLMetry.

Read are OTLP's JSON (``resourceSpans`` of ``scopeSpans`` of ``spans``, and log records), spans and events one a line
or in a list, with ``attributes`` as an object or as OTLP's list, and the attributes alone. One row is the last model
call of a trace, or with ``--each-call`` each of them; spans of agents, chains and tools are no rows. Messages are
looked for in

- ``gen_ai.input.messages``, ``gen_ai.output.messages``, ``gen_ai.system_instructions``, ``gen_ai.tool.definitions``,
  structured or as JSON text, and in the older ``gen_ai.prompt``, ``gen_ai.completion`` and ``gen_ai.*.message``
  events, which Logfire collects in one attribute, ``events``;
- ``llm.input_messages.N.message.…``, ``llm.output_messages.…`` and ``llm.tools.N.tool.json_schema`` of OpenInference,
  flattened or nested, otherwise ``input.value`` and ``output.value``;
- the same attributes of the event ``gen_ai.client.inference.operation.details``, of a span or as a log record;
- ``mlflow.spanInputs``, ``mlflow.spanOutputs`` and ``mlflow.chat.tools`` of MLflow's traces, as JSON text;
- ``gcp.vertex.agent.llm_request`` and ``gcp.vertex.agent.llm_response`` of Google's ADK, as JSON text;
- ``ai.prompt.messages``, ``ai.prompt.tools``, ``ai.response.text`` and ``ai.response.toolCalls`` of the AI SDK.

Where the span of a model call has no system text or no tools, those of the agent's span around it are taken. All other
attributes stay. Rows are only read.

Lost: answers after the first (``choices``), the joints of several texts (``content_parts``), and the turns before a
request that holds only what is new, if no earlier call of the trace holds them (``earlier_turns``). An earlier call
with an answer that the row does not hold, such as that of another agent, is named (``earlier_calls``). Spans recorded
without content hold no messages.

Source: OpenTelemetry semantic conventions for generative AI; OpenInference, ``spec/semantic_conventions.md``;
vercel/ai. No real file of OTLP, of OpenLLMetry's attributes or of Phoenix's nested export was available; these were
tested with cases made by hand. The rest was tested with recorded spans, and with the examples of the conventions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Row
from toolconv.layouts.any_messages import Logged
from toolconv.layouts.base import LayoutError
from toolconv.layouts.call_items import extras
from toolconv.layouts.logged_calls import LoggedTraces
from toolconv.layouts.tool_places import Place, value_at
from toolconv.layouts.traces import GATHERED

INPUTS: Final = (
    "gen_ai.input.messages", "llm.input_messages", "ai.prompt.messages", "gcp.vertex.agent.llm_request",
    "gen_ai.prompt", "input.value", "mlflow.spanInputs",
)  # fmt: skip
OUTPUTS: Final = (
    "gen_ai.output.messages", "llm.output_messages", "gcp.vertex.agent.llm_response", "gen_ai.completion",
    "output.value", "mlflow.spanOutputs",
)  # fmt: skip
"""Attributes of the messages; of several, the first counts."""

TOOLS: Final = (
    "gen_ai.tool.definitions", "llm.tools", "ai.prompt.tools", "llm.request.functions", "mlflow.chat.tools",
)  # fmt: skip
TOOLS_IN: Final[tuple[Place, ...]] = (("response", "tools"), ("model_request_parameters", "function_tools"))
"""Places of tools in attributes that are objects or JSON text: an answer of Responses, the request of Pydantic AI."""
SYSTEM: Final = "gen_ai.system_instructions"
ANSWER: Final = ("ai.response.text", "ai.response.toolCalls", "ai.response.reasoning")
CONTENT: Final = (*INPUTS, *OUTPUTS, *TOOLS, SYSTEM, *ANSWER)
EVENTS: Final = ("gen_ai.system.message", "gen_ai.user.message", "gen_ai.assistant.message", "gen_ai.tool.message")
CHOICE: Final = "gen_ai.choice"
DETAILS: Final = "gen_ai.client.inference.operation.details"
"""The event whose attributes are those of its span's messages."""
COLLECTED: Final = "events"
"""The attribute in which Logfire collects these events."""
NO_CALLS: Final = ("invoke_agent", "create_agent", "execute_tool", "invoke_workflow", "embeddings")
"""Operations whose spans hold messages, but are no model calls."""

FLATTENED: Final = "context.span_id"
"""A key of spans that are rows of a table, as Phoenix exports them: keys are paths."""
INTEGER: Final = lazy_re(r"-?[0-9]{1,20}")
MARKS: Final = ("gen_ai.", "llm.", "openinference.", "ai.prompt", "gcp.vertex.agent.", "input.value", "mlflow.span",
         "attributes.llm.", "attributes.input.")  # fmt: skip
MODEL_SPANS: Final = ('"CHAT_MODEL"', '"LLM"')
"""The types, as JSON text, of MLflow's spans of model calls."""


class OpenTelemetry(LoggedTraces):
    """Spans with attributes."""

    name = "otel"
    aliases = ("opentelemetry", "otel-genai", "openinference", "phoenix")
    sample = (
        '{"name":"chat gpt-4","traceId":"5b8e","spanId":"eee1","attributes":{"gen_ai.operation.name":"chat",'
        '"gen_ai.tool.definitions":[{"type":"function","name":"ping","parameters":{"type":"object"}}],'
        '"gen_ai.input.messages":[{"role":"user","parts":[{"type":"text","content":"Is it up?"}]}],'
        '"gen_ai.output.messages":[{"role":"assistant","parts":[{"type":"tool_call","id":"call_1","name":"ping",'
        '"arguments":{}}],"finish_reason":"tool_call"}]}}'
    )

    containers = frozenset({"resourceSpans", "resourceLogs", "data", "info"})
    trace = ("traceId", "trace_id", "context.trace_id")
    span = ("spanId", "span_id", FLATTENED)
    parent = ("parentSpanId", "parent_id", "parent_span_id")
    time = ("startTimeUnixNano", "start_time", "startTime", "timeUnixNano", "timestamp")
    ids_in = ("context", "spanContext")

    def records_in(self, document: Row) -> Iterator[Row]:
        if "data" in document and isinstance(document["data"], dict):  # MLflow's
            yield from self.records(document["data"].get("spans"))
        for outer, inner, items in (
            ("resourceSpans", "scopeSpans", "spans"),
            ("resourceLogs", "scopeLogs", "logRecords"),
        ):
            for resource in document.get(outer) or ():
                about = _attributes(resource.get("resource") or {})
                for scope in resource.get(inner) or ():
                    for record in scope.get(items) or ():
                        yield {**record, **({"resource": about} if about else {})}
        if _has_marks(document) or _has_marks(_attributes(document)) or _legacy_events(document):
            yield document

    def is_model_call(self, record: Row) -> bool:
        attributes = _attributes(record)
        if attributes.get("gen_ai.operation.name") in NO_CALLS:
            return False
        if attributes.get("openinference.span.kind", "LLM") != "LLM":
            return False
        if attributes.get("mlflow.spanType", MODEL_SPANS[0]) not in MODEL_SPANS:
            return False
        return _found(attributes, INPUTS) is not None or bool(_legacy_events(record))

    def context_of(self, record: Row) -> Row:
        attributes = _attributes(record)
        tools = next((found for key in TOOLS if (found := _attribute(attributes, key))), None)
        return {"instructions": attributes.get(SYSTEM), "tools": tools}

    def matches(self, row: Row) -> bool:
        return next(self.records_in(row), None) is row and self.is_model_call(row)

    def begin(self, logged: Logged, row: Row) -> None:
        attributes = _attributes(row)
        for key in TOOLS:
            logged.declare(_attribute(attributes, key))
        for place in TOOLS_IN:
            logged.declare(value_at(attributes, place))
        if attributes.get(SYSTEM):
            logged.request({"system": attributes[SYSTEM]})

    def request_of(self, record: Row) -> Any:
        given = _found(_attributes(record), INPUTS)
        if given is None:
            given = [event for name, event in _legacy_events(record) if name in EVENTS] or None
        if given is None:
            raise LayoutError("no messages of a model call in its attributes: content was not recorded")
        return given

    def answer_of(self, record: Row) -> Any:
        attributes = _attributes(record)
        if any(attributes.get(key) for key in ANSWER):
            calls = jsontext.opened(attributes.get("ai.response.toolCalls"))
            return {
                "role": "assistant",
                "content": [attributes.get("ai.response.text") or "", *(calls if isinstance(calls, list) else ())],
                "reasoning_content": attributes.get("ai.response.reasoning"),
            }
        return _found(attributes, OUTPUTS) or [event for name, event in _legacy_events(record) if name == CHOICE]

    def kept(self, row: Row) -> Row:
        keys = {key: value for key, value in extras(row, *GATHERED).items() if not _is_content(key)}
        if "attributes" in row:
            attributes = _attributes(row)
            keys["attributes"] = {
                key: attributes[key] for key in attributes if not _is_content(key) and key != COLLECTED
            }
        return keys


def _attributes(record: Row) -> Row:
    """The attributes of a record, or the record itself if it is attributes alone."""
    attributes = record.get("attributes")
    for event in (record["events"] or ()) if "events" in record else ():
        if isinstance(event, dict) and event.get("event.name", event.get("name")) == DETAILS:
            return {**_attributes(event), **_attributes({"attributes": attributes})}
    if isinstance(attributes, list):
        return {
            str(item["key"]): _value(item.get("value"))
            for item in attributes
            if isinstance(item, dict) and "key" in item
        }
    if isinstance(attributes, dict):
        return {**attributes, **_dotted(attributes)}
    if FLATTENED in record:
        return {key.removeprefix("attributes."): value for key, value in record.items()}
    body = record.get("body")
    return {**body, **record} if isinstance(body, dict) else record


def _dotted(attributes: Row) -> Row:
    """The nested attributes that are looked for, under their dotted names."""
    found: Row = {}
    for key in (*CONTENT, "openinference.span.kind", "gen_ai.operation.name"):
        value: Any = attributes
        for name in key.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        if value is not None:
            found[key] = value
    return found


def _value(value: Any) -> Any:
    """A value of OTLP."""
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("arrayValue"), dict):
        return [_value(item) for item in value["arrayValue"].get("values") or ()]
    if isinstance(value.get("kvlistValue"), dict):
        return {str(item["key"]): _value(item.get("value")) for item in value["kvlistValue"].get("values") or ()}
    if isinstance(value.get("intValue"), str) and INTEGER.fullmatch(value["intValue"]):
        return int(value["intValue"])
    return next(iter(value.values()), None)


def _has_marks(attributes: Row) -> bool:
    for key in attributes:  # noqa: SIM110 - a generator costs a call for each key of each row
        if key.startswith(MARKS):
            return True
    return False


def _is_content(key: str) -> bool:
    key = key.removeprefix("attributes.")
    return key in CONTENT or any(key.startswith(f"{name}.") for name in CONTENT)


def _found(attributes: Row, keys: tuple[str, ...]) -> Any:
    """The first of some attributes that is there."""
    for key in keys:
        value = _attribute(attributes, key)
        if value not in (None, "", []):
            return value
    return None


def _attribute(attributes: Row, name: str) -> Any:
    """An attribute; one that is flattened, ``name.0.key``, as a list of objects."""
    if name in attributes:
        value = attributes[name]
        return [_nested(item, "") for item in value] if FLATTENED in attributes and isinstance(value, list) else value
    return _nested(attributes, f"{name}.") or None


def _nested(flat: Any, prefix: str) -> Any:
    """The object that keys with a prefix, which are paths, lead through."""
    nested: Any = {}
    for key, value in flat.items() if isinstance(flat, dict) else ():
        if key.startswith(prefix):
            holder = nested
            *path, last = key[len(prefix) :].split(".")
            for step in path:
                holder = holder.setdefault(step, {}) if isinstance(holder, dict) else {}
            if isinstance(holder, dict):
                holder[last] = [_nested(item, "") for item in value] if _are_flat(value) else value
    return _listed(nested)


def _are_flat(value: Any) -> bool:
    """Whether a value is a list of objects whose keys are paths."""
    return isinstance(value, list) and all(isinstance(item, dict) and any("." in key for key in item) for item in value)


def _listed(value: Any) -> Any:
    """Objects whose keys are all numbers as lists, in the order of the numbers."""
    if not isinstance(value, dict):
        return value
    if value and all(key.isdecimal() for key in value):
        return [_listed(value[key]) for key in sorted(value, key=int)]
    return {key: _listed(item) for key, item in value.items()}


def _legacy_events(record: Row) -> list[tuple[str, Row]]:
    """The names and contents of older events, each of which is a message."""
    found: list[tuple[str, Row]] = []
    attributes = record.get("attributes")
    collected = jsontext.opened(attributes.get(COLLECTED)) if isinstance(attributes, dict) else None
    for event in (*(record.get("events") or ()), *(collected if isinstance(collected, list) else ())):
        name = event.get("event.name", event.get("name")) if isinstance(event, dict) else None
        if isinstance(name, str) and (name in EVENTS or name == CHOICE):
            content = _attributes({**event, "attributes": jsontext.opened(event.get("attributes"))})
            role = "assistant" if name == CHOICE else name.split(".")[1]
            content = {key: jsontext.opened(value) for key, value in content.items() if key != "event.name"}
            found.append((name, {"role": role, **content}))
    return found


LAYOUT = OpenTelemetry()
