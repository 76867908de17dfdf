"""Results of tau2-bench: ``simulations``, each a conversation of an agent with a simulated user.

Each simulation of a file becomes a row, with its task under ``task`` and the run's ``info``. A row may also be a single
simulation. Calls are flat (``id``, ``name``, ``arguments``, ``requestor``), and the ``id`` of a result is that of its
call. ``tool_messages`` holds the results of parallel calls. Tools are ``info.environment_info.tool_defs``, if present.
``policy``, the agent's instructions, is kept in ``info``; ``reward_info`` and ``termination_reason`` are kept as keys
of the row. Rows are only read.

Lost: calls of the simulated user and their results, which the agent never saw (``user_calls``).

Source: sierra-research/tau2-bench, ``data_model/message.py`` and ``data_model/simulation.py``. No real file was
available; the reader was tested with one made by hand from these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from toolconv.core.messages import Row
from toolconv.layouts.base import WITHOUT_TOOLS
from toolconv.layouts.call_forms import filled, listed_calls
from toolconv.layouts.call_items import extras
from toolconv.layouts.message_builder import MessageBuilder
from toolconv.layouts.named_messages import NamedMessages
from toolconv.layouts.nested_json import opened

USER = "user"


class Tau2Bench(NamedMessages):
    """Simulations."""

    name = "tau2-bench"
    run_records: ClassVar[Mapping[str, frozenset[str] | None]] = {
        "requestor": frozenset({"user"}),
        "task": None,  # with the actions that the evaluator expects
        "reward_info": None,  # with those that it found
    }
    lacks = WITHOUT_TOOLS
    aliases = ("tau2",)
    sample = (
        '{"task_id":"t0","reward_info":{"reward":1.0},"termination_reason":"user_stop","messages":[{"role":"user",'
        '"content":"Weather?"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","name":"get_weather",'
        '"arguments":{"city":"Tokyo"},"requestor":"assistant"}]},{"id":"call_1","role":"tool","content":"Sunny",'
        '"requestor":"assistant","error":false}]}'
    )

    tools_at = (("info", "environment_info", "tool_defs"), ("tools",))

    containers = frozenset({"simulations", "tasks", "info", "timestamp"})

    def matches(self, row: Row) -> bool:
        return "task_id" in row and "termination_reason" in row and super().matches(row)

    def split(self, document: Any) -> Iterator[Row] | None:
        if not isinstance(document, dict) or not isinstance(document.get("simulations"), list):
            return None
        if "tasks" not in document and "info" not in document:
            return None
        tasks = {task.get("id"): task for task in document.get("tasks") or ()}
        info = document.get("info")
        return (
            {
                **simulation,
                **({"task": tasks[simulation.get("task_id")]} if simulation.get("task_id") in tasks else {}),
                **({"info": info} if info else {}),
            }
            for simulation in document["simulations"]
        )

    def read_item(self, item: Row, builder: MessageBuilder) -> None:
        for part in opened(item.get("tool_messages")) or ():
            self.read_item({"role": "tool", **part}, builder)
        if "tool_messages" in item:
            return
        role, calls = self.role(item), listed_calls(item.get("tool_calls"))
        if role == "tool":
            if item.get("requestor") == USER:
                builder.notes.losses.append("user_calls")
                return
            keys = filled(extras(item, "id", "role", "content", "requestor", "error"))
            builder.result(
                item.get("id"), None, item.get("content"), {"is_error": True, **keys} if item.get("error") else keys
            )
            return
        theirs = [call for call in calls if call.get("requestor", role) == USER]
        builder.notes.losses.extend(["user_calls"] * len(theirs))
        ours = [extras(call, "requestor") for call in calls if call.get("requestor", role) != USER]
        if not theirs or ours or item.get("content"):
            super().read_item({**item, "tool_calls": ours}, builder)


LAYOUT = Tau2Bench()
