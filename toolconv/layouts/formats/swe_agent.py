"""Trajectories of SWE-agent (``.traj``): ``history``; and rows of SWE-smith with the same messages.

Messages are OpenAI's, with ``agent`` and ``message_type``. A result has a list ``tool_call_ids`` with the id of its
call. ``action`` and ``thought`` repeat the call and the content, and ``trajectory`` repeats the history step by step;
they are left out, except for a ``thought`` that differs from the content. ``info`` (the submission, ``exit_status``,
costs) and other keys are kept. Demonstrations have ``is_demo``. Old trajectories (those of EnIGMA's CTF runs, too) have
no ``message_type``, and their actions as fenced text, which is read as text. Tools are not in the file. Rows of
SWE-smith with calls in text (``<function=…>``) have the layout ``chat``. Rows are only read.

Without a history, the steps of ``trajectory`` are read: each is a ``response`` of the model and the ``observation``
after it, as the user's text. The ``query`` of the first step begins the conversation. An ``action`` that is not in its
response is kept as a key.

Lost: if one result answers several calls, all of these calls but the first (``response_pairing``); the boundary between
several texts of one message (``content_parts``).

Source: SWE-agent/SWE-agent, ``docs/usage/trajectories.md`` and ``types.py``; SWE-bench/SWE-smith.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from toolconv.core.messages import Row
from toolconv.layouts.base import WITHOUT_TOOLS, listed
from toolconv.layouts.call_forms import filled
from toolconv.layouts.call_items import extras
from toolconv.layouts.message_builder import MessageBuilder
from toolconv.layouts.named_messages import NamedMessages

TIED = "tool_call_ids"
STEP = {"action", "observation", "response"}
"""Keys of a step of the trajectory."""
OLD_TURN = {"agent", "thought", "action"}
"""Keys of a turn of the agent before there were kinds of messages."""


class SweAgent(NamedMessages):
    """Histories."""

    name = "swe-agent"
    run_records: ClassVar[Mapping[str, frozenset[str] | None]] = dict.fromkeys(
        ("replay_config", "trajectory", "action")
    )
    lacks = WITHOUT_TOOLS
    aliases = ("traj",)
    sample = (
        '{"history":[{"role":"user","content":"Weather?","agent":"main","message_type":"observation"},{"role":'
        '"assistant","content":"","agent":"main","message_type":"action","tool_calls":[{"id":"call_1","type":"function",'
        '"function":{"name":"get_weather","arguments":"{\\"city\\": \\"Tokyo\\"}"}}]},{"role":"tool","content":"Sunny",'
        '"agent":"main","message_type":"observation","tool_call_ids":["call_1"]}]}'
    )
    asked_at = (("history",), ("messages",), ("trajectory",))
    left_out = ("trajectory",)
    ignored = ("action", TIED)

    def are_items(self, items: list[Row]) -> bool:
        return all(item.keys() >= STEP for item in items) or self._are_messages(items)

    def _are_messages(self, items: list[Row]) -> bool:
        return super().are_items(items) and any(
            "message_type" in item or TIED in item or item.keys() >= OLD_TURN for item in items
        )

    def read_item(self, item: Row, builder: MessageBuilder) -> None:
        if item.keys() >= STEP:
            self._read_step(item, builder)
            return
        if item.get("thought") == item.get("content"):
            item = extras(item, "thought")
        super().read_item(item, builder)

    def _read_step(self, step: Row, builder: MessageBuilder) -> None:
        response, observation = step["response"] or "", step["observation"] or ""
        asked = listed(step.get("query", step.get("messages"))) if builder.place == 0 else []
        read = asked is not None and all("role" in message for message in asked)
        for message in asked or () if read else ():
            self.read_item(message, builder)
        words = {key: step[key] for key in ("thought", "action") if str(step.get(key) or "").strip() not in response}
        repeated = ("query", "messages") if read else ()
        builder.begin("assistant", filled({**words, **extras(step, *STEP, "thought", *repeated)}))
        builder.text(response)
        if observation:
            builder.begin("user")
            builder.text(observation, "user")

    def read_result(self, item: Row, content: Any, keys: Row, builder: MessageBuilder) -> None:
        ids = item.get(TIED)
        if isinstance(ids, list) and ids:
            keys = {**keys, "tool_call_id": ids[0]}
            builder.notes.losses.extend(["response_pairing"] * (len(ids) - 1))
        super().read_result(item, content, keys, builder)


LAYOUT = SweAgent()
