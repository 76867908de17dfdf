"""What model families write before and after an assistant turn, which servers sometimes leave in its text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from toolconv.core.lazy_re import lazy_re

TURN_TOKENS: Final = (
    "<|im_end|>",
    "<|im_start|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end_of_text|>",
    "<｜end▁of▁sentence｜>",
    "<|END_OF_TURN_TOKEN|>",
    "<|call|>",
    "<|return|>",
    "</s>",
)  # fmt: skip
"""End-of-turn tokens that servers leave in the text; cut, as the repair ``leaked_token``."""

TURN_TOKEN: Final = lazy_re("|".join(map(re.escape, TURN_TOKENS)))

TURN_HEADERS: Final = (
    "<|start_header_id|>assistant<|end_header_id|>",
    "<|header_start|>assistant<|header_end|>",
    "<|start_of_role|>assistant<|end_of_role|>",
    "<|im_assistant|>assistant<|im_middle|>",
    "<|im_start|>assistant",
    "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
    "<|CHATBOT_TOKEN|>",
    "<start_of_turn>model",
    "<|turn>model",
    "<|assistant|>",
    "<|Assistant|>",
    "<｜Assistant｜>",
)
"""The beginnings of the assistant's turns; cut like turn tokens."""

_ONE: Final = "|".join(re.escape(header) + ("" if header.endswith(">") else r"(?=\n)") for header in TURN_HEADERS)
TURN_HEADER: Final = lazy_re(rf"(?>(?:\s*+(?:{_ONE})\n{{0,2}})+)")
"""Those at the beginning of a text. One that ends in a word ends a line."""


def end_without(tokens: Iterable[str], text: str) -> int:
    """Where the ``tokens`` begin that end a text, with white space between them at most; its end if none does."""
    tokens = tuple(tokens)
    end = stop = len(text)
    while True:
        while stop and text[stop - 1].isspace():
            stop -= 1
        if not text.endswith(tokens, 0, stop):
            return end
        end = stop = stop - max(len(token) for token in tokens if text.endswith(token, 0, stop))
