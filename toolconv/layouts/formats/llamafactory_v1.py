"""LLaMA-Factory v1 rows: ``messages`` whose ``content`` is a list of ``{"type", "value"}`` parts.

Parts are ``text``, ``reasoning`` and ``tool_call`` (``{"name", "arguments"}`` as JSON text, one part per call). Results
are messages with the role ``tool``. ``tools`` is JSON text of OpenAI envelopes. ``loss_weight`` of a message and parts
of other types (``image_url``) pass through. Preference rows have ``chosen_messages`` and ``rejected_messages``.

Lost: call ids and other keys of calls, responses that answer calls out of order.

Source: LLaMA-Factory, src/llamafactory/v1, data/v1_sft_demo and data/v1_dpo_demo.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolconv.core import jsontext
from toolconv.core.calls import NotACall
from toolconv.core.marks import MarkStyle
from toolconv.core.messages import Message, Row, calls_of
from toolconv.core.notes import Dropped, Notes
from toolconv.core.pairing import in_call_order, results_after
from toolconv.core.row_fields import Unit
from toolconv.layouts.answers import Pair
from toolconv.layouts.bare_calls import call_values, count_pairing, read_calls
from toolconv.layouts.part_forms import LLAMAFACTORY
from toolconv.layouts.speakers import without_developer
from toolconv.layouts.turn_list import TurnList

ROLES = {role: role for role in ("system", "user", "assistant", "tool")}


class LlamaFactoryV1(TurnList):
    """Messages of typed parts."""

    name = "llamafactory-v1"
    mark_style = MarkStyle("loss_weight", scale="loss_weight")
    sample = (
        '{"messages":[{"role":"user","content":[{"type":"text","value":"Ping it."}]},'
        '{"role":"assistant","content":[{"type":"tool_call",'
        '"value":"{\\"name\\": \\"ping\\", \\"arguments\\": {}}"}]}]}'
    )
    columns = ("messages",)
    keys = ("role", "content")
    names = ROLES
    own = ROLES
    bare_tools = False
    answers = (
        Pair(
            prompt=None, answers=("chosen_messages", "rejected_messages"), keys=("role", "content", "user", "assistant")
        ),
    )

    def matches(self, row: Row) -> bool:
        if (pair := self.apart(row)) is not None:
            row = pair[1].rows[0]
        found = self.find(row)
        return found is not None and all(
            isinstance(turn["content"], list)
            and all(isinstance(part, dict) and {"type", "value"} <= part.keys() for part in turn["content"])
            for turn in found[1]
        )

    def read_turns(self, turns: list[dict[str, Any]], notes: Notes) -> tuple[list[Message], list[int]]:
        return [self._read(turn, notes) for turn in turns], list(range(len(turns)))

    def _read(self, turn: dict[str, Any], notes: Notes) -> Message:
        """One message. Parts that have no canonical form stay in a list, in order."""
        parts = turn["content"]
        if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
            return self._message(turn, turn["role"], "" if parts is None else parts)
        reasoning: str | None = None
        calls: list[dict[str, Any]] = []
        rest: list[dict[str, Any]] = []
        for part in parts:
            kind, value = part.get("type"), part.get("value")
            if kind == "reasoning" and reasoning is None and isinstance(value, str) and len(part) == 2:
                reasoning = value
            elif kind == "tool_call" and len(part) == 2:
                try:
                    calls.extend(read_calls(value, notes))
                except NotACall as error:
                    notes.dropped.append(Dropped(str(error), value if isinstance(value, str) else ""))
                    rest.append(part)
            else:
                rest.append(part)
        content: Any = [_openai_part(part) for part in rest]
        if not rest:
            content = ""
        elif len(rest) == 1 and rest[0].keys() == {"type", "value"} and rest[0]["type"] == "text":
            content = content[0]["text"]
        return self._message(turn, turn["role"], content, reasoning, calls)

    def write_units(self, messages: Sequence[Message], own: dict[str, str], notes: Notes) -> list[Unit]:
        ordered: list[Message] = []
        at = 0
        while at < len(messages):
            ordered.append(messages[at])
            if messages[at].get("role") == "tool" and not messages[at].keys().isdisjoint(("tool_call_id", "name")):
                notes.losses.append("response_keys")  # they can't be restored without a call before it
            if calls := calls_of(messages[at]):
                results = results_after(messages, at)
                count_pairing(calls, results, notes)
                ordered.extend(in_call_order(calls, results))
                at += len(results)
            at += 1
        return [Unit([message], [_written(message, notes)]) for message in ordered]


def _openai_part(part: dict[str, Any]) -> dict[str, Any]:
    """A text part, or an image, in OpenAI's form. Other parts stay as they are."""
    text = part.keys() == {"type", "value"} and part["type"] == "text"
    return {"type": "text", "text": part["value"]} if text else LLAMAFACTORY.read(part)


def _written(message: Message, notes: Notes) -> dict[str, Any]:
    content = message.get("content")
    parts: list[Any] = []
    if isinstance(message.get("reasoning_content"), str):
        parts.append({"type": "reasoning", "value": message["reasoning_content"]})
    calls = calls_of(message)
    if isinstance(content, list):
        if not content or (len(content) == 1 and isinstance(content[0], dict) and content[0].get("type") == "text"):
            notes.losses.append("content_parts")  # it is read back as text
        parts += LLAMAFACTORY.write_all(content, notes)
    elif content or not (calls or parts):
        parts.append({"type": "text", "value": content or ""})
    parts.extend({"type": "tool_call", "value": jsontext.spaced(value)} for value in call_values(calls, notes))
    turn: dict[str, Any] = {"role": without_developer(message.get("role"), notes), "content": parts}
    known = {"role", "content", "reasoning_content", "tool_calls"}
    if message.get("role") == "tool":
        known |= {"tool_call_id", "name"}
    return {**turn, **{key: value for key, value in message.items() if key not in known}}


LAYOUT = LlamaFactoryV1()
