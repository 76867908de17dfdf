"""API-Bank dialogues, read only: ``dialogue`` of ``User``, ``AI`` and ``API`` turns.

An ``API`` turn holds a call and its result: ``api_name``, ``param_dict``, ``result``. It is read as an assistant's call
and the response to it, with the whole ``result`` as JSON text. An ``AI`` turn right before it is the prose of the turn
with the call. The tools are not in the row.

Source: AlibabaResearch/DAMO-ConvAI, api-bank.
"""

from __future__ import annotations

from typing import Any, ClassVar

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, Row
from toolconv.core.pairing import complete
from toolconv.core.row_fields import RowField
from toolconv.core.rows import replace_key
from toolconv.layouts.base import Layout, Part, listed

NAMES = {"User": "user", "AI": "assistant", "System": "system"}


class APIBank(Layout):
    """Turns of ``role`` and ``text``, calls with their results."""

    name: ClassVar[str] = "api-bank"
    lacks: ClassVar[frozenset[Part]] = frozenset({"tools"})
    shape: ClassVar[str] = "list of turns with the roles User, AI and API under 'dialogue'"
    sample: ClassVar[str] = (
        '{"id":"1","dialogue":[{"role":"User","text":"Ping it."},'
        '{"role":"API","api_name":"Ping","param_dict":{},"result":{"output":"pong","exception":null}}]}'
    )

    def matches(self, row: Row) -> bool:
        return _turns(row) is not None

    def decode(self, row: Row) -> Conversation:
        turns = _turns(row) or []
        messages: list[Message] = []
        starts: list[int] = []
        last = ""
        for at, turn in enumerate(turns):
            if turn["role"] == "API":
                function = {"name": turn["api_name"], "arguments": turn["param_dict"]}
                call = {"id": None, "type": "function", "function": function}
                if last == "AI":
                    messages[-1]["tool_calls"] = [call]
                else:
                    messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
                    starts.append(at)
                rest = {key: value for key, value in turn.items() if key not in _CALL}
                messages.append({"role": "tool", "content": jsontext.spaced(turn.get("result")), **rest})
            else:
                rest = {key: value for key, value in turn.items() if key not in ("role", "text")}
                messages.append({"role": NAMES[turn["role"]], "content": turn["text"], **rest})
            last = turn["role"]
            starts.append(at)
        complete(messages)
        field = RowField("/dialogue", len(messages), turns, starts)
        return Conversation(replace_key(row, "dialogue", "messages", messages), fields=(field,))


_CALL = frozenset({"role", "api_name", "param_dict", "result"})


def _turns(row: Row) -> list[dict[str, Any]] | None:
    turns = row["dialogue"] if row.get("dialogue") == [] else listed(row.get("dialogue"))
    return turns if turns is not None and all(_is_turn(turn) for turn in turns) else None


def _is_turn(turn: dict[str, Any]) -> bool:
    if turn.get("role") == "API":
        return isinstance(turn.get("api_name"), str) and isinstance(turn.get("param_dict"), dict)
    return turn.get("role") in NAMES and isinstance(turn.get("text"), str)


LAYOUT = APIBank()
