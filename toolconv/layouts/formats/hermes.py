"""Hermes conversations: ``conversations`` of ``from`` and ``value``, with tools, calls and responses in the text.

The shape of NousResearch/hermes-function-calling-v1: ``system``, ``human``, ``gpt`` and ``tool`` turns, tools in
``<tools>``, calls in ``<tool_call>``, results in ``<tool_response>``. hermes_reasoning_tool_use has ``<think>`` before
the calls, and rows of the JSON mode have a ``<schema>`` for the answer. A column ``tools`` with the same declarations
as JSON text is read. If the row had it, it is written unchanged; the system turn has the tools as well.

Lost: call ids and other keys of calls, which the text can't hold.

Source: dataset cards of NousResearch/hermes-function-calling-v1, interstellarninja/hermes_reasoning_tool_use.
"""

from __future__ import annotations

from typing import ClassVar

from toolconv.core.messages import Row
from toolconv.layouts.formats.sharegpt import NAMES
from toolconv.layouts.speakers import CALL
from toolconv.layouts.turn_list import TurnList

MARKS = ("<tools>", "<tool_call>", "<tool_response>", "<schema>")


class Hermes(TurnList):
    """Turns of ``from`` and ``value``, calls in the text."""

    name = "hermes"
    sample = (
        '{"conversations":[{"from":"human","value":"Ping it."},'
        '{"from":"gpt","value":"<tool_call>\\n{\\"name\\": \\"ping\\", \\"arguments\\": {}}\\n</tool_call>"}]}'
    )
    calls_in_text = True
    dialect = "hermes"
    response_role = "tool"
    names: ClassVar[dict[str, str]] = {"human": "user", "gpt": "assistant", "system": "system", "tool": "tool"}
    own: ClassVar[dict[str, str]] = {role: name for name, role in names.items()}

    def matches(self, row: Row) -> bool:
        found = self.find(row)
        if found is None or any(NAMES.get(turn["from"]) == CALL for turn in found[1]):
            return False
        return any(isinstance(turn["value"], str) and any(mark in turn["value"] for mark in MARKS) for turn in found[1])


LAYOUT = Hermes()
