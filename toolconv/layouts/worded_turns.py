"""Turns in words: ``### Instruction:`` and ``### Response:``, ``USER:`` and ``ASSISTANT:``, ``Human:`` and such.

Before chat templates, prompts named the speaker in plain words, which any text may hold, too. So a text is only taken
apart if its shape is unambiguous: it begins with the header of a turn, or with a sentence that is known to come before
it; user and assistant take turns; and a prompt ends with the header of the answer. The sentence before becomes the
system turn, and Alpaca's ``### Input:`` a part of the question.

Source: tatsu-lab/stanford_alpaca, ``train.py``; lm-sys/FastChat, ``fastchat/conversation.py`` (``vicuna_v1.1``);
dataset cards of timdettmers/openassistant-guanaco and Anthropic/hh-rlhf.
"""

from __future__ import annotations

import re
from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message

REPAIR: Final = "worded_turns"
"""The repair of a row whose turns are in words."""

ROLES: Final = {
    **dict.fromkeys(("instruction", "human", "user", "question"), "user"),
    **dict.fromkeys(("response", "assistant", "answer", "ai"), "assistant"),
    "input": "input",
    "system": "system",
}
"""What headers call the speakers."""

STYLES: Final = (
    lazy_re(r"(?<!#)### ?(?P<role>System|Instruction|Input|Human|User|Question|Response|Assistant|Answer): ?"),
    lazy_re(r"(?:(?<=\s)|(?<=</s>)|\A)(?P<role>SYSTEM|USER|ASSISTANT):(?=\s|\Z)"),
    lazy_re(r"^(?P<role>System|Human|User|Assistant|AI):(?=\s|\Z)", re.MULTILINE),
)
"""The headers of turns; a text has one style."""

BEFORE: Final = (
    "A chat between ", "Below is an instruction that describes a task", "Below is a conversation between ",
    "The following is a conversation between ",
)  # fmt: skip
"""How the sentences begin that come before the first turn."""

OPENINGS: Final = (
    "### Instruction:", "### Human:", "### User:", "### System:", "### Question:", "###Instruction:", "###Human:",
    "USER: ", "SYSTEM: ", "Human:", "User:", "System:", "\n\nHuman:", *BEFORE,
)  # fmt: skip
"""How texts with turns in words begin."""

ANSWERS: Final = ("Response:", "Assistant:", "ASSISTANT:", "Answer:", "AI:")
"""How prompts with turns in words end."""

ENDS: Final = ("</s>", "<|endoftext|>", "<eos>")


def may_end_in_words(prompt: str) -> bool:
    """Whether a prompt may end with the header of the answer: a cheap check that is true for all that do."""
    return prompt[-20:].rstrip().endswith(ANSWERS)


def worded_turns(text: str, *, is_prompt: bool = False) -> list[Message] | None:
    """The turns of a text in words; ``None`` for any other text.

    Args:
        text: the text.
        is_prompt: it ends with the header of the answer, which is not part of it. Otherwise, a header without a text
            at the end is left out.
    """
    for style in STYLES:
        headers = list(style.finditer(text))
        if headers and (is_prompt or len(headers) > 1):
            return _turns(text, headers, is_prompt)
    return None


def _turns(text: str, headers: list[re.Match[str]], is_prompt: bool) -> list[Message] | None:
    messages: list[Message] = []
    if before := text[: headers[0].start()].strip():
        if not before.startswith(BEFORE):
            return None
        messages.append({"role": "system", "content": before})
    ends = [header.start() for header in headers[1:]] + [len(text)]
    turns = [
        (ROLES[header["role"].lower()], text[header.end() : end]) for header, end in zip(headers, ends, strict=True)
    ]
    if turns[-1][0] == "assistant" and not turns[-1][1].strip():
        turns.pop()
    elif is_prompt:
        return None
    last = "system" if messages else ""
    for role, content in turns:
        content = _without_end(content)
        if not content or role not in _NEXT[last]:
            return None
        if role == "input":
            messages[-1]["content"] += f"\n{content}"
        else:
            messages.append({"role": role, "content": content})
        last = role
    return messages if last in ("user", "input", "assistant") and len(messages) > (not is_prompt) else None


_NEXT: Final = {
    "": ("system", "user"),
    "system": ("user",),
    "user": ("assistant", "input"),
    "input": ("assistant",),
    "assistant": ("user",),
}
"""Who may speak after whom."""


def _without_end(text: str) -> str:
    """The text of a turn without white space around it, and without the token that ends it."""
    text = text.strip()
    while end := next((end for end in ENDS if text.endswith(end)), ""):
        text = text.removesuffix(end).rstrip()
    return text
