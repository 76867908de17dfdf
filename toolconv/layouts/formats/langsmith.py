"""LangSmith runs: an export one a line or in a list, or the batches ``{"post", "patch"}`` that its SDK sends.

One row is the last run of a trace with ``run_type`` ``llm``, or with ``--each-call`` each of them. ``inputs`` and
``outputs`` hold messages of any API, or LangChain's objects: ``inputs.messages`` is then a list of lists, and the
answer is ``outputs.generations[0][0].message``. A call is there up to three times, and is read once. The two halves
of a run in a batch are joined. Tools are those of the request, or ``extra.invocation_params.tools``. All other keys
stay. Rows are only read.

Lost: answers after the first (``choices``), the joints of several texts (``content_parts``),
and earlier calls of a trace with an answer that the row does not hold (``earlier_calls``).

Source: langchain-ai/langsmith-sdk, test data; LangSmith run data format. The batches
were tested with recorded ones. No real export of runs was available; it was tested with one made by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolconv.core.messages import Row
from toolconv.layouts.logged_calls import LoggedTraces
from toolconv.layouts.record_values import identifier

ANSWERS = frozenset({"choices", "generations"})
"""Keys of the output of a model."""


WHOLE = ("inputs", "outputs")
"""Keys of which the second half of a run in a batch has the values again, as a rule the same."""


class LangSmith(LoggedTraces):
    """Runs."""

    name = "langsmith"
    shape = "run of a model with 'inputs'"
    sample = (
        '{"id":"r1","trace_id":"t1","run_type":"llm","start_time":"2026-01-01T10:00:00","inputs":{"messages":[{"role":'
        '"user","content":"Is it up?"}],"tools":[{"type":"function","function":{"name":"ping","parameters":{"type":'
        '"object"}}}]},"outputs":{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{'
        '"id":"call_1","type":"function","function":{"name":"ping","arguments":"{}"}}]}}]}}'
    )

    asked = "inputs"
    answered = "outputs"
    tools_at = (("extra", "invocation_params", "tools"),)
    containers = frozenset({"post", "patch"})
    trace = ("trace_id",)
    parent = ("parent_run_id",)
    time = ("dotted_order", "start_time")

    def records_in(self, document: Row) -> Iterator[Row]:
        if isinstance(document.get("post"), list) or isinstance(document.get("patch"), list):
            yield from _joined([*(document.get("post") or ()), *(document.get("patch") or ())])
        elif (isinstance(document.get("run_type"), str) and "inputs" in document) or self.matches(document):
            yield document

    def is_model_call(self, record: Row) -> bool:
        """Runs of a batch, and exported ones, have a type; without one, a run with an answer in messages is a call."""
        if "run_type" in record:
            return bool(record["run_type"] == "llm")
        answer = record.get("outputs")
        return isinstance(answer, dict) and not ANSWERS.isdisjoint(answer)

    def matches(self, row: Row) -> bool:
        if not self.is_model_call(row):
            return False
        return isinstance(row.get("inputs"), dict) and ("run_type" in row or "trace_id" in row)


def _joined(halves: list[Row]) -> list[Row]:
    """The runs of a batch, each from the messages that began and ended it."""
    runs: dict[Any, Row] = {}
    for half in halves:
        order = half.get("dotted_order")
        named = half.get("trace_id") if order is None else str(order).rpartition("Z")[2]  # that of its first run
        key = identifier(half.get("id")) or identifier(named)
        begun = runs.get(key, {})
        twice = [name for name in WHOLE if begun.get(name) and half.get(name, begun[name]) != begun[name]]
        before = {f"earlier_{name}": begun[name] for name in twice}
        runs[key] = {**begun, **half, **before}
    return list(runs.values())


LAYOUT = LangSmith()
