"""LangSmith runs: an export one a line or in a list, or the batches ``{"post", "patch"}`` that its SDK sends.

One row is the last run of a trace with ``run_type`` ``llm``, or with ``--each-call`` each of them. ``inputs`` and
``outputs`` hold messages of any API, or LangChain's objects: ``inputs.messages`` is then a list of lists, and the
answer is ``outputs.generations[0][0].message``. A call is there up to three times, and is read once. The two halves
of a run in a batch are joined. Tools are those of the request, or ``extra.invocation_params.tools``. All other keys
stay. Rows are only read.

Lost: answers after the first (``choices``), the joints of several texts (``content_parts``).

Source: langchain-ai/langsmith-sdk, test data; LangSmith run data format. The batches
were tested with recorded ones. No real export of runs was available; it was tested with one made by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from toolconv.core.conversation import Conversation, Row
from toolconv.layouts.any_messages import Logged
from toolconv.layouts.base import LayoutError
from toolconv.layouts.record_values import identifier
from toolconv.layouts.traces import Traces


class LangSmith(Traces):
    """Runs."""

    name: ClassVar[str] = "langsmith"
    sample: ClassVar[str] = (
        '{"id":"r1","trace_id":"t1","run_type":"llm","start_time":"2026-01-01T10:00:00","inputs":{"messages":[{"role":'
        '"user","content":"Is it up?"}],"tools":[{"type":"function","function":{"name":"ping","parameters":{"type":'
        '"object"}}}]},"outputs":{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{'
        '"id":"call_1","type":"function","function":{"name":"ping","arguments":"{}"}}]}}]}}'
    )

    def records(self, document: Any) -> Iterator[Row]:
        if isinstance(document, list):
            for item in document:
                yield from self.records(item)
        elif isinstance(document, dict):
            if isinstance(document.get("post"), list) or isinstance(document.get("patch"), list):
                yield from _joined([*(document.get("post") or ()), *(document.get("patch") or ())])
            elif isinstance(document.get("run_type"), str) and "inputs" in document:
                yield document

    def is_model_call(self, record: Row) -> bool:
        return record.get("run_type") == "llm"

    def trace_of(self, record: Row) -> Any:
        return record.get("trace_id")

    def time_of(self, record: Row) -> Any:
        return record.get("dotted_order") or record.get("start_time")

    def matches(self, row: Row) -> bool:
        return self.is_model_call(row) and isinstance(row.get("inputs"), dict)

    def decode(self, row: Row) -> Conversation:
        if not self.matches(row):
            raise LayoutError("no run of a model with 'inputs'")
        logged = Logged()
        logged.request(row["inputs"])
        extra = row.get("extra")
        parameters = extra.get("invocation_params") if isinstance(extra, dict) else None
        if isinstance(parameters, dict):
            logged.declare(parameters.get("tools"))
        if row.get("outputs"):
            logged.answer(row["outputs"])
        if not logged.messages:
            raise LayoutError("the run has no messages")
        return logged.conversation(
            logged.keys({key: value for key, value in row.items() if key not in ("inputs", "outputs")})
        )


def _joined(halves: list[Row]) -> list[Row]:
    """The runs of a batch, each from the messages that began and ended it."""
    runs: dict[Any, Row] = {}
    for half in halves:
        key = identifier(half.get("id")) or str(half.get("dotted_order")).rpartition("Z")[2]
        runs[key] = {**runs.get(key, {}), **half}
    return list(runs.values())


LAYOUT = LangSmith()
