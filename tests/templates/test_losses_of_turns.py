"""What a template leaves out of a conversation is a loss: each thought by its own count, anything else by some name."""

from __future__ import annotations

import re
from typing import Any

import pytest

import toolconv
from toolconv import templates
from toolconv.core.conversation import Conversation
from toolconv.dialects.base import RenderError
from toolconv.templates.base import ChatView

TOOL = {
    "type": "function",
    "function": {
        "name": "ping",
        "description": "Pings a host.",
        "parameters": {"type": "object", "properties": {"host": {"type": "string", "description": "It."}}, "required": ["host"]},
    },
}  # fmt: skip

TURNS = ("suaua", "uhuh", "uptauh", "urtrth", "uqtauqth", "ubtta", "uhuctauh")
"""Conversations: ``s``, ``u``, ``t`` and ``a`` by role; ``c`` is a turn with a call, ``b`` with two, ``p`` with prose and a
call; ``h``, ``r`` and ``q`` are an answer, a call, and both, with a thought."""


def conversation(turns: str) -> dict[str, Any]:
    """A conversation in which each text is a word of its own."""
    messages: list[dict[str, Any]] = []
    waiting: list[str] = []
    for at, turn in enumerate(turns):
        if turn in "su":
            messages.append({"role": "system" if turn == "s" else "user", "content": f"Said{at}z."})
        elif turn == "t":
            messages.append({"role": "tool", "tool_call_id": waiting.pop(0), "name": "ping", "content": f"Result{at}z"})
        else:
            message: dict[str, Any] = {"role": "assistant", "content": f"Prose{at}z." if turn in "aphq" else ""}
            ids = [f"call{at}{number}abc" for number in range({"a": 0, "h": 0, "b": 2}.get(turn, 1))]
            calls = [{"name": "ping", "arguments": {"host": f"Value{each[4:6]}z"}} for each in ids]
            if ids:
                message["tool_calls"] = [
                    {"id": each, "type": "function", "function": call} for each, call in zip(ids, calls, strict=True)
                ]
                waiting += ids
            if turn in "hrq":
                message["reasoning_content"] = f"Thought{at}z."
            messages.append(message)
    return {"messages": messages, "tools": [TOOL]} if "t" in turns else {"messages": messages}


@pytest.mark.parametrize("name", templates.names())
def test_a_developer_who_is_written_as_the_system_is_a_loss(name: str) -> None:
    row = {"messages": [{"role": "developer", "content": "Be kind."}, {"role": "user", "content": "Up?"}]}
    conversation = Conversation({"messages": [*row["messages"], {"role": "assistant", "content": "Yes."}]})
    template = templates.get(name)
    template.written(ChatView(conversation, template.dialect))
    own = template.roles.get("system") == "developer"
    assert ("role" in conversation.notes.losses) != own


@pytest.mark.whole
@pytest.mark.parametrize("turns", TURNS)
def test_what_no_text_holds_is_lost_by_name(turns: str) -> None:
    row = conversation(turns)
    words = dict.fromkeys(re.findall(r"[A-Z][a-z]+\d+z", str(row["messages"])))
    written = 0
    for name in templates.names():
        try:
            text = toolconv.render(conversation(turns), name)
        except RenderError:
            continue
        written += 1
        missing = [word for word in words if word not in text.text]
        thoughts = [word for word in missing if word.startswith("Thought")]
        assert text.losses.count("reasoning") == len(thoughts), (name, text.losses, thoughts)
        assert text.losses or not missing, (name, missing)
        assert name == "step3" or all(text.text.count(word) <= 1 for word in words), name
    assert written > 90
