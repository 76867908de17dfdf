"""The memory of a smolagents agent: its steps, or the messages made from them.

- Steps (``agent.memory.get_full_steps()``): ``system_prompt`` and ``task``, then action steps with ``model_output``,
  ``tool_calls``, and ``observations``, one text for all calls. ``plan`` is text of the agent. Without observations,
  ``error`` is the result. Steps are under ``steps``, or a file is a list of them.
- Messages (``write_memory_to_messages()``): ``role`` and a list of texts, under ``messages``, or a file is a list of
  them. Calls are a Python literal in a ``tool-call`` turn; the observation is a ``tool-response`` turn.

The observation of parallel calls can't be divided: it is read as the result of the first call, and each other call is a
loss (``response_pairing``). An observation without a call is user text. The call of a ``CodeAgent`` is
``python_interpreter`` with its code. ``final_answer`` is a call like any other. Rows are only read.

Source: huggingface/smolagents, ``memory.py`` and ``agents.py``.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from toolconv.core.messages import Row
from toolconv.core.notes import Dropped, Notes
from toolconv.layouts.base import WITHOUT_TOOLS, LayoutError
from toolconv.layouts.call_forms import filled, read_calls
from toolconv.layouts.call_items import extras
from toolconv.layouts.content_blocks import is_plain
from toolconv.layouts.message_builder import MessageBuilder, result_text
from toolconv.layouts.named_messages import NamedMessages

CALLING = "Calling tools:"
OBSERVED = "Observation:"
TASK = "New task:"


class SmolagentsMemory(NamedMessages):
    """Steps, or messages with the roles ``tool-call`` and ``tool-response``."""

    name = "smolagents-memory"
    lacks = WITHOUT_TOOLS
    run_records: ClassVar[Mapping[str, frozenset[str] | None]] = {"is_final_answer": None}
    sample = (
        '{"steps":[{"task":"Weather?"},{"step_number":1,"model_output":"I look.","tool_calls":[{"id":"call_1","type":'
        '"function","function":{"name":"get_weather","arguments":{"city":"Tokyo"}}}],"observations":"Sunny"}]}'
    )
    asked_at = (("steps",), ("messages",))

    def matches(self, row: Row) -> bool:
        return "original_question" not in row and super().matches(row)

    def are_items(self, items: list[Row]) -> bool:
        if any("role" in item for item in items):
            return any(item.get("role") in ("tool-call", "tool-response") for item in items)
        return all(map(_is_step, items)) and any("step_number" in step for step in items)

    def read_items(self, items: Sequence[Row], builder: MessageBuilder) -> None:
        open_calls: list[dict[str, Any]] = []
        for builder.place, item in enumerate(items):
            if "role" in item:
                open_calls = _read_message(item, open_calls, builder)
            else:
                _read_step(item, builder)
            builder.end()


def _is_step(step: Row) -> bool:
    return any(key in step for key in ("task", "step_number", "plan", "system_prompt"))


def _calls(value: Any, notes: Notes) -> list[dict[str, Any]]:
    """The calls of a step. That of a ``CodeAgent`` has its code as its arguments."""
    calls = []
    for call in value or ():
        function = call.get("function") or {}
        if isinstance(function.get("arguments"), str) and function.get("name") == "python_interpreter":
            call = {**call, "function": {**function, "arguments": {"code": function["arguments"]}}}
        calls.append(call)
    return read_calls(calls, notes)


def _observe(calls: list[dict[str, Any]], text: Any, keys: Row, builder: MessageBuilder) -> None:
    """Add what an agent observed after some calls, or after none."""
    if not calls:
        builder.begin("user", keys)
        builder.text(result_text(text, builder.notes), "user")
        return
    builder.notes.losses.extend(["response_pairing"] * (len(calls) - 1))
    builder.result(calls[0].get("id"), calls[0]["function"].get("name"), text, keys)


def _read_step(step: Row, builder: MessageBuilder) -> None:
    if isinstance(step.get("system_prompt"), str):
        builder.begin("system")
        builder.text(step["system_prompt"], "system")
    if "task" in step:
        builder.begin("user", filled(extras(step, "task", "system_prompt", "model_input_messages")))
        builder.text(step["task"], "user")
        return
    keys = filled(
        extras(
            step, "system_prompt", "model_output", "plan", "tool_calls", "observations", "model_input_messages",
            "model_output_message", "code_action", "action_output", "is_final_answer", "error",
        )
    )  # fmt: skip
    if "system_prompt" in step and not keys:
        return
    builder.begin("assistant", keys)
    for key in ("plan", "model_output"):
        if step.get(key):
            builder.text(result_text(step[key], builder.notes))
    calls = _calls(step.get("tool_calls"), builder.notes)
    for call in calls:
        builder.call(call)
    error = step.get("error")
    if step.get("observations"):
        _observe(calls, step["observations"], {"error": error} if error else {}, builder)
    elif error:
        text = error.get("message", error) if isinstance(error, dict) else error
        _observe(calls, text, {"is_error": True}, builder)


def _read_message(item: Row, open_calls: list[dict[str, Any]], builder: MessageBuilder) -> list[dict[str, Any]]:
    """Add a message; returns the calls that have no observation yet."""
    role, content = item["role"], item.get("content")
    if not isinstance(role, str):
        raise LayoutError("the role of a message is not text")
    keys = filled(extras(item, "role", "content", "tool_calls", "raw", "token_usage"))
    parts: list[Any] = content if isinstance(content, list) else [content or ""]
    texts = [part["text"] if isinstance(part, dict) and is_plain(part) else part for part in parts]
    first = texts[0] if texts and isinstance(texts[0], str) else ""
    if role == "tool-call" and len(texts) == 1:
        literal = first.strip().removeprefix(CALLING).strip()
        try:
            calls = _calls(ast.literal_eval(literal), builder.notes)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            builder.notes.dropped.append(Dropped("calls that are no Python literal", first))
            builder.begin("assistant", keys)
            builder.text(first)
            return []
        before = builder.messages
        if before and before[-1]["role"] == "assistant" and "tool_calls" not in before[-1] and not keys:
            before[-1]["tool_calls"] = calls  # of the text before them
        else:
            builder.begin("assistant", keys)
            for call in calls:
                builder.call(call)
        return calls
    if role == "tool-response":
        text = first.removeprefix(OBSERVED).removeprefix("\n") if len(texts) == 1 else content
        _observe(open_calls, text, keys, builder)
        return []
    if role == "user" and first.startswith(TASK):
        texts[0] = first.removeprefix(TASK).removeprefix("\n")
    builder.begin(role, keys)
    for text in texts:
        builder.text(text, role)
    builder.calls(item.get("tool_calls"))
    return []


LAYOUT = SmolagentsMemory()
