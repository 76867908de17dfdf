"""ms-swift agent rows: ``messages`` of ``role`` and ``content``, calls and results in separate messages.

- Roles ``system``, ``user``, ``assistant``, ``tool_call`` and ``tool_response`` (or ``tool``); ``content`` of a
  ``tool_call`` is ``{"name", "arguments"}`` as JSON text.
- Parallel calls are consecutive ``tool_call`` messages, and their results are consecutive ``tool_response`` messages in
  the same order. An ``assistant`` message right before a call is the prose of its turn. Reasoning is in ``<think>`` at
  its beginning.
- ``tools`` is JSON text of OpenAI envelopes. ``loss`` and ``loss_scale`` of a message, ``images``, ``videos``,
  ``audios``, ``chat_template_kwargs``, ``label`` and ``channel`` pass through.
- The rejected answer of a preference row is ``rejected_response``, a text or messages in place of what follows the last
  user message, or ``rejected_messages``, a whole conversation, with ``rejected_tools``. Of a file that has both,
  ms-swift leaves out the rows without ``rejected_response``, so the whole conversation is written.

Lost: call ids and other keys of calls, responses that answer calls out of order.

Source: ms-swift, Custom-dataset.md and Agent-support.md; swift/template/template_inputs.py.
"""

from __future__ import annotations

from typing import Any, ClassVar

from toolconv.core.marks import MarkStyle
from toolconv.core.messages import Row
from toolconv.layouts.answers import AnswersForm, Apart, prompt_in
from toolconv.layouts.speakers import CALL
from toolconv.layouts.turn_list import TurnList

MESSAGES, TOOLS = "rejected_messages", "rejected_tools"
RESPONSE = "rejected_response"


class RejectedMessages(AnswersForm):
    """The rejected answer under a key of its own: what follows the last user turn, or a whole conversation."""

    def apart(self, row: Row) -> Apart | None:
        turns = row.get("messages")
        if not isinstance(turns, list) or not turns:
            return None
        response: Any = row.get(RESPONSE)
        other: Any = row.get(MESSAGES)
        if response is not None:
            asked = _asked(turns)
            answer = [{"role": "assistant", "content": response}] if isinstance(response, str) else response
            other, key = [*turns[:asked], *answer], RESPONSE
        elif isinstance(other, list):
            asked, key = len(prompt_in([turns, other])), MESSAGES
        else:
            return None
        rest = {name: value for name, value in row.items() if name not in (RESPONSE, MESSAGES, TOOLS)}
        rows = [rest, {**rest, "messages": other}]
        if TOOLS in row:
            rows[1]["tools"] = row[TOOLS]
        whole = (True, True, True)
        if key == MESSAGES:
            return Apart(rows, ["/messages", f"/{key}"], True, "/messages", asked, None, whole)
        listed = (True, True, isinstance(response, list))
        return Apart(rows, ["/messages", f"/{key}"], True, "/messages", asked, "/messages", listed, first_goes_on=True)

    def together(self, rows: list[Row], column: str, asked: int, ranked: bool, came: Row | None) -> Row | None:
        if not ranked or len(rows) != 2:
            return None
        first, other = (row[column] for row in rows)
        asked = _asked(first)
        answer = other[asked:]
        whole = first[:asked] != other[:asked] or not answer or any(turn["role"] == "user" for turn in answer)
        if whole or came is None or MESSAGES in came:
            tools = {TOOLS: rows[1]["tools"]} if "tools" in rows[1] and (came is None or TOOLS in came) else {}
            return {**rows[0], MESSAGES: other, **tools}
        plain = len(answer) == 1 and answer[0].keys() == {"role", "content"} and answer[0]["role"] == "assistant"
        return {**rows[0], RESPONSE: answer[0]["content"] if plain and isinstance(came[RESPONSE], str) else answer}


def _asked(turns: list[dict[str, Any]]) -> int:
    """How many turns there are up to the last one of the user."""
    return 1 + max((at for at, turn in enumerate(turns) if turn["role"] == "user"), default=-1)


class MsSwift(TurnList):
    """Messages with the roles ``tool_call`` and ``tool_response``."""

    name = "ms-swift"
    trainer = "ms-swift"
    aliases = ("swift",)
    mark_style = MarkStyle("loss", flag=True, scale="loss_scale")
    sample = (
        '{"tools":"[{\\"type\\": \\"function\\", \\"function\\": {\\"name\\": \\"ping\\", \\"parameters\\": {}}}]",'
        '"messages":[{"role":"user","content":"Ping it."},'
        '{"role":"tool_call","content":"{\\"name\\": \\"ping\\", \\"arguments\\": {}}"},'
        '{"role":"tool_response","content":"pong"},{"role":"assistant","content":"It answers."}]}'
    )
    columns = ("messages",)
    keys = ("role", "content")
    names: ClassVar[dict[str, str]] = {
        "system": "system", "user": "user", "assistant": "assistant",
        "tool_call": CALL, "tool_response": "tool", "tool": "tool",
    }  # fmt: skip
    own: ClassVar[dict[str, str]] = {
        "system": "system", "user": "user", "assistant": "assistant", CALL: "tool_call", "tool": "tool_response",
    }  # fmt: skip
    bare_tools = False
    answers = (RejectedMessages(),)
    one_call = True

    def matches(self, row: Row) -> bool:
        found = self.find(row)
        if found is None:
            return False
        names = ("tool_call", "tool_response")
        return RESPONSE in row or MESSAGES in row or any(turn["role"] in names for turn in found[1])


LAYOUT = MsSwift()
