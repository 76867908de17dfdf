"""ShareGPT rows: ``conversations`` of turns, each a speaker and a text, in the variants in use.

- Turns are ``{"from": …, "value": …}`` under ``conversations`` or ``conversation``: ``human`` or ``user``, ``gpt``
  (``assistant``, ``chatgpt``, ``bard``, ``bing``, ``bot``, ``model``), ``system``, ``function_call`` (``tool_call``)
  and ``observation`` (``tool``, ``function``, ``function_response``, ``tool_response``).
- A ``function_call`` turn holds ``{"name", "arguments"}`` as JSON text, or a list of them for parallel calls. A ``gpt``
  turn right before it is the prose next to the call. ``<think>`` at the beginning of a text is reasoning.
- ``conversations`` of ``role`` and ``content`` are OpenAI messages under another key.
- ``{"human": …, "assistant": …}`` pairs, as in ms-swift, are read. If they change, they are written as turns.
- ``tools`` is JSON text, mostly of functions without OpenAI's envelope.

Rows are written with the names and the key that they had, otherwise with ``human``, ``gpt``, ``function_call`` and
``observation``. Lost: call ids and other keys of calls, and responses that answer calls out of order.

Source: vicuna's ShareGPT dumps; LLaMA-Factory and ms-swift, custom datasets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Notes
from toolconv.core.row_fields import Unit
from toolconv.layouts.base import Original
from toolconv.layouts.formats.openai import read_message, write_message
from toolconv.layouts.speakers import CALL, meaning_of
from toolconv.layouts.turn_list import TurnList

NAMES = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "assistant", "chatgpt", "bard", "bing", "bot", "model"), "assistant"),
    **dict.fromkeys(("function_call", "tool_call"), CALL),
    **dict.fromkeys(("observation", "tool", "function", "function_response", "tool_response", "ipython"), "tool"),
    "system": "system",
}
OWN = {"user": "human", "assistant": "gpt", "system": "system", CALL: "function_call", "tool": "observation"}
MESSAGE_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


class SpeakerTurns(TurnList):
    """Turns of ``from`` and ``value``, calls and results in separate turns."""

    name = "sharegpt"
    sample = (
        '{"conversations":[{"from":"human","value":"Ping it."},'
        '{"from":"function_call","value":"{\\"name\\": \\"ping\\", \\"arguments\\": {}}"},'
        '{"from":"observation","value":"pong"},{"from":"gpt","value":"It answers."}]}'
    )
    columns = ("conversations", "conversation")
    names = NAMES
    own = OWN


class RoleTurns(SpeakerTurns):
    """Turns of ``role`` and ``content`` with ShareGPT's names."""

    keys = ("role", "content")


class MessageTurns(RoleTurns):
    """OpenAI messages under ``conversations``."""

    def find(self, row: Row) -> tuple[str, list[dict[str, Any]]] | None:
        found = super().find(row)
        if found is None:
            return None
        roles = [turn["role"] for turn in found[1]]
        if any("tool_calls" in turn for turn in found[1]):
            roles = [meaning_of(role) or role for role in roles]
        return found if all(role in MESSAGE_ROLES for role in roles) else None

    def read_turns(self, turns: list[dict[str, Any]], notes: Notes) -> tuple[list[Message], list[int]]:
        return [read_message(turn, notes) for turn in turns], list(range(len(turns)))

    def write_units(self, messages: Sequence[Message], own: dict[str, str], notes: Notes) -> list[Unit]:
        return [Unit([message], [write_message(message)]) for message in messages]


class PairTurns(SpeakerTurns):
    """Turns of ``human`` and ``assistant``."""

    keys = ("human", "assistant")
    system_column = True

    def read_turns(self, turns: list[dict[str, Any]], notes: Notes) -> tuple[list[Message], list[int]]:
        roles = dict(zip(self.keys, ("user", "assistant"), strict=True))
        found = [(at, key) for at, turn in enumerate(turns) for key in turn if key in roles]
        return [{"role": roles[key], "content": turns[at][key] or ""} for at, key in found], [at for at, _ in found]

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        return VARIANTS[0].encode(conversation)


VARIANTS = (SpeakerTurns(), MessageTurns(), RoleTurns(), PairTurns())


class ShareGPT(SpeakerTurns):
    """Any of the variants; each row is read and written in its own."""

    answers = (SpeakerTurns.pair(), RoleTurns.pair())

    def variant(self, row: Row) -> TurnList:
        """The variant of a row; the usual one if it has none."""
        return next((variant for variant in VARIANTS if variant.find(row) is not None), VARIANTS[0])

    def matches(self, row: Row) -> bool:
        return self.variant(row).matches(row)

    def decode(self, row: Row) -> Conversation:
        for variant in VARIANTS:
            if (found := variant.find(row)) is not None:
                return variant.conversation(row, *found)
        return VARIANTS[0].decode(row)  # which says what is missing

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        variant = VARIANTS[0] if original is None else self.variant(original.row)
        return variant.encode(conversation, original)


LAYOUT = ShareGPT()
