"""ToolBench rows: ``conversations`` of ``system``, ``user``, ``assistant`` and ``function``, calls as ReAct text.

- The training files have ``id`` and ``conversations`` of ``from`` and ``value``. The assistant writes ``Thought:``,
  ``Action:`` and ``Action Input:``, the dialect ``react``. ``Finish`` is a pseudo-tool that ends the task.
- The answer files that these are made from are read too: ``query``, ``function`` (bare functions), ``train_messages``
  with the older ``function_call`` and role ``function``, ``final_answer``. ``train_messages`` is a list of
  conversations, each of which begins the next, one step longer. The last one is read. Those that do not begin it (the
  search tried another way) stay under ``train_messages`` unchanged. The conversation is written in the training form.

Lost: call ids and other keys of calls, which the text can't hold.

Source: OpenBMB/ToolBench, preprocess/preprocess_toolllama_data.py and its data.
"""

from __future__ import annotations

from typing import Any, ClassVar

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Notes
from toolconv.core.pairing import complete
from toolconv.core.row_fields import RowField
from toolconv.core.rows import put_in_place, replace_key, same
from toolconv.layouts.base import Original, listed
from toolconv.layouts.formats.openai import read_message
from toolconv.layouts.tool_schema import read_tools
from toolconv.layouts.turn_list import TurnList


class ToolBench(TurnList):
    """Turns of ``from`` and ``value``, calls as ReAct text."""

    name = "toolbench"
    sample = (
        '{"id":"Step 2: Ping it.","conversations":[{"from":"system","value":"You are AutoGPT."},'
        '{"from":"user","value":"Ping it."},'
        '{"from":"assistant","value":"Thought: \\nAction: ping\\nAction Input: {}"},'
        '{"from":"function","value":"pong"}]}'
    )
    calls_in_text = True
    dialect = "react"
    response_role = "tool"
    names: ClassVar[dict[str, str]] = {"system": "system", "user": "user", "assistant": "assistant", "function": "tool"}
    own: ClassVar[dict[str, str]] = {role: name for name, role in names.items()}

    def matches(self, row: Row) -> bool:
        if steps_in(row) is not None:
            return True
        found = self.find(row)
        return (
            found is not None
            and all(turn["from"] in self.names for turn in found[1])
            and any(
                turn["from"] == "assistant" and isinstance(turn["value"], str) and "Action Input:" in turn["value"]
                for turn in found[1]
            )
        )

    def decode(self, row: Row) -> Conversation:
        steps = steps_in(row)
        if steps is None:
            return super().decode(row)
        notes, last = Notes(), steps[-1]
        messages = [read_message(message, notes) for message in last]
        complete(messages)
        others = [step for step in steps[:-1] if not same(step, last[: len(step)])]
        kept = {"train_messages": others} if others else {}
        canonical = put_in_place(row, "train_messages", {"messages": messages, **kept})
        if "function" in row and "tools" not in row:
            canonical = replace_key(canonical, "function", "tools", read_tools(row["function"], notes))
        field = RowField(f"/train_messages/{len(steps) - 1}", len(last), last)
        return Conversation(canonical, notes, fields=(field,))

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        training = original is not None and steps_in(original.row) is None
        return super().encode(conversation, original if training else None)

    def _turn(self, message: Message, own: dict[str, str], notes: Notes, *, called: bool = False) -> dict[str, Any]:
        turn = super()._turn(message, own, notes, called=called)
        if message.get("role") == "tool" and isinstance(turn["value"], str):
            turn["value"] = turn["value"].removeprefix("Observation: ")  # ReAct writes it, these turns don't
        return turn


def steps_in(row: Row) -> list[list[Message]] | None:
    """The conversations in a row of an answer file."""
    steps: Any = row.get("train_messages")
    if not isinstance(steps, list) or not steps:
        return None
    if not all(listed(step) is not None and all("role" in message for message in step) for step in steps):
        return None
    return steps


LAYOUT = ToolBench()
