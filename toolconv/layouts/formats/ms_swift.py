"""ms-swift agent rows: ``messages`` of ``role`` and ``content``, calls and results in separate messages.

- Roles ``system``, ``user``, ``assistant``, ``tool_call`` and ``tool_response`` (or ``tool``); ``content`` of a
  ``tool_call`` is ``{"name", "arguments"}`` as JSON text.
- Parallel calls are consecutive ``tool_call`` messages, and their results are consecutive ``tool_response`` messages in
  the same order. An ``assistant`` message right before a call is the prose of its turn. Reasoning is in ``<think>`` at
  its beginning.
- ``tools`` is JSON text of OpenAI envelopes. ``loss`` and ``loss_scale`` of a message, ``images``, ``videos``,
  ``audios``, ``chat_template_kwargs``, ``rejected_response``, ``label`` and ``channel`` pass through.

Lost: call ids and other keys of calls, responses that answer calls out of order.

Source: ms-swift, Custom-dataset.md and Agent-support.md.
"""

from __future__ import annotations

from typing import ClassVar

from toolconv.core.conversation import Row
from toolconv.layouts.turn_list import CALL, TurnList


class MsSwift(TurnList):
    """Messages with the roles ``tool_call`` and ``tool_response``."""

    name: ClassVar[str] = "ms-swift"
    trainer: ClassVar[str] = "ms-swift"
    aliases: ClassVar[tuple[str, ...]] = ("swift",)
    sample: ClassVar[str] = (
        '{"tools":"[{\\"type\\": \\"function\\", \\"function\\": {\\"name\\": \\"ping\\", \\"parameters\\": {}}}]",'
        '"messages":[{"role":"user","content":"Ping it."},'
        '{"role":"tool_call","content":"{\\"name\\": \\"ping\\", \\"arguments\\": {}}"},'
        '{"role":"tool_response","content":"pong"},{"role":"assistant","content":"It answers."}]}'
    )
    columns: ClassVar[tuple[str, ...]] = ("messages",)
    keys: ClassVar[tuple[str, str]] = ("role", "content")
    names: ClassVar[dict[str, str]] = {
        "system": "system", "user": "user", "assistant": "assistant",
        "tool_call": CALL, "tool_response": "tool", "tool": "tool",
    }  # fmt: skip
    own: ClassVar[dict[str, str]] = {
        "system": "system", "user": "user", "assistant": "assistant", CALL: "tool_call", "tool": "tool_response",
    }  # fmt: skip
    bare_tools: ClassVar[bool] = False
    one_call: ClassVar[bool] = True

    def matches(self, row: Row) -> bool:
        found = self.find(row)
        return found is not None and any(turn["role"] in ("tool_call", "tool_response") for turn in found[1])


LAYOUT = MsSwift()
