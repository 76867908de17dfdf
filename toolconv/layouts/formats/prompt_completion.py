"""Rows of ``prompt`` and ``completion``, two lists of messages; trainers compute the loss on the completion alone.

Messages are OpenAI's with ``arguments`` as objects. Either part may be JSON text, and one of them plain text. ``tools``
(``tool_defs`` in rows for verifiers and prime-rl) is a list of schemas or JSON text. Rows of two plain texts are the
layout ``completion``.

A row that came like this keeps its boundary. Otherwise the completion is everything after the last user message. Other
layouts can't hold the boundary: there the assistant's turns in the prompt have the weight 0.

Lost: nothing, but a layout without weights loses them (``training_mark``).

Source: TRL documentation, dataset formats; verifiers, datasets.
"""

from __future__ import annotations

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row
from toolconv.layouts.base import Original
from toolconv.layouts.formats.trl import TRL, answer_start, parts_of, split_row


class PromptCompletion(TRL):
    """Messages in a prompt and a completion."""

    name = "prompt-completion"
    aliases = ("verifiers", "prime-rl")
    sample = (
        '{"prompt":[{"role":"user","content":"Ping it."}],"completion":[{"role":"assistant","content":"","tool_calls":'
        '[{"type":"function","function":{"name":"ping","arguments":{}}}]}]}'
    )

    def matches(self, row: Row) -> bool:
        return "prompt" in row and "completion" in row and "messages" not in row and parts_of(row) is not None

    def keeps_prompt(self, conversation: Conversation) -> bool:
        return True

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        if original is None:
            return split_row(conversation, answer_start(conversation))
        return super().encode(conversation, original)


LAYOUT = PromptCompletion()
