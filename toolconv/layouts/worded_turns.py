"""Turns in words: ``### Instruction:`` and ``### Response:``, ``USER:`` and ``ASSISTANT:``, ``Human:`` and such.

Before chat templates, prompts named the speaker in plain words, which any text may hold, too. So a text is only taken
apart if its shape is unambiguous: it begins with the header of a turn, or with a sentence that is known to come before
it; user and assistant take turns; and a prompt ends with the header of the answer. Where each turn begins a line, its
header may be any name of a speaker. The sentence before becomes the system turn, and Alpaca's ``### Input:`` a part of
the question.

Source: tatsu-lab/stanford_alpaca, ``train.py``; lm-sys/FastChat, ``fastchat/conversation.py`` (``vicuna_v1.1``);
dataset cards of timdettmers/openassistant-guanaco and Anthropic/hh-rlhf.
"""

from __future__ import annotations

import re
from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message
from toolconv.layouts.speakers import CALL, meaning_of

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

LINE: Final = lazy_re(
    r"^(?:\[[\d:.,T -]{4,24}\] ?)?(?:#{1,6} ?|\*\*)?(?P<role>[^\W\d_][\w -]{0,24})(?:\*\*)?:(?:\*\*)?(?=\s|\Z)"
    r"|^#{1,6} ?(?P<heading>[^\W\d_][\w -]{0,24})$",
    re.MULTILINE,
)
"""A header at the beginning of a line, with any name: ``Customer:``, ``AGENT:``, ``**User**:``, ``[12:01] bot:``, or a
heading of Markdown, ``## User``."""
MARKED: Final = lazy_re(
    r"^(?:\[[\d:.,T -]{4,24}\] ?)?(?:#{1,6} ?|\*\*|[<\[(])?(?P<role>[^\W\d_][\w -]{0,24})(?:[>\])*:]|[ \t]*$)",
    re.MULTILINE,
)
"""What may be such a header, also in other markup."""

BEFORE_TEXT: Final = lazy_re(
    r"\s*(?:(?:\*\*|[<\[(])(?P<marked>[^\W\d_][\w -]{0,24})(?:\*\*|[>\])]):?|(?P<role>[^\W\d_][\w -]{0,24}):)(?:\s+|\Z)"
)
"""A header before a text that is one turn: ``user: ``, ``<user> ``, ``**user**: ``."""

BEFORE: Final = (
    "A chat between ", "Below is an instruction that describes a task", "Below is a conversation between ",
    "The following is a conversation between ",
)  # fmt: skip
"""How the sentences begin that come before the first turn."""

OPENINGS: Final = (
    "### Instruction:", "### Human", "### Question:", "###Instruction:", "###Human:",
    "USER:", "SYSTEM:", "Human:", "User:", "System:", "\n\nHuman:", *BEFORE, "HUMAN:", "CUSTOMER:", "Customer:",
    "Client:", "user:", "human:", "customer:", "**User", "**Human", "**Customer", "# User", "## User", "### User",
    "# Human", "## Human", "# System", "## System", "### System",
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
        is_prompt: it ends with the header of the answer, which is not part of it. Otherwise, a header without a text
            at the end is left out.
    """
    for style in STYLES:
        headers = list(style.finditer(text))
        if headers and (is_prompt or len(headers) > 1):
            turns = _turns(text, headers, is_prompt)
            if is_prompt or (turns is not None and "assistant" in [turn["role"] for turn in turns]):
                return turns
            break
    headers = [] if is_prompt else _lines(text, LINE)
    return _turns(text, headers, is_prompt) if headers and not headers[0].start() else None


def spoken(text: str) -> Message | None:
    """The turn that a text with its speaker's name before it is; ``None`` for any other text."""
    header = BEFORE_TEXT.match(text)
    name = "" if header is None else header["marked"] or header["role"]
    if header is None or meaning_of(name) is None:
        return None
    return {"role": name, "content": text[header.end() :]}


def speakers_in(text: str) -> set[str]:
    """The names of a user and an assistant by whom lines of a text are, if it begins with a speaker, in any markup."""
    first = MARKED.match(text)
    if first is None or meaning_of(first["role"]) is None:
        return set()
    names = {header["role"] for header in _lines(text, MARKED)}
    return names if {"user", "assistant"} <= set(map(meaning_of, names)) else set()


def _lines(text: str, style: re.Pattern[str]) -> list[re.Match[str]]:
    """The headers of turns. A usual name of a call is one, another before JSON, and that of a result after a call.

    The text of an answer is one if it begins as calls in JSON, in Python or in tags do.
    """
    found: list[re.Match[str]] = []
    before: str | None = None
    for header in style.finditer(text):
        meaning = meaning_of(_name(header))
        opens = text[header.end() :].lstrip()[:1]
        calls = meaning == CALL and (opens in ("{", "[") or _name(header) in CALLERS)
        if meaning == "assistant" and opens in ("[", "{", "<"):
            found.append(header)
            before = CALL
        elif meaning in _SPOKEN or calls or (meaning == "tool" and before in (CALL, "tool")):
            found.append(header)
            before = meaning
    return found


_SPOKEN: Final = frozenset({"system", "user", "assistant"})
CALLERS: Final = frozenset({"function_call", "tool_call"})
"""Names of calls that are no words of a sentence."""
_CALLER: Final = "function_call"
"""The role of a turn that is a call, before it is read."""


def _turns(text: str, headers: list[re.Match[str]], is_prompt: bool) -> list[Message] | None:
    messages: list[Message] = []
    if before := text[: headers[0].start()].strip():
        if not before.startswith(BEFORE):
            return None
        messages.append({"role": "system", "content": before})
    ends = [header.start() for header in headers[1:]] + [len(text)]
    turns = [(_role(_name(header)), text[header.end() : end]) for header, end in zip(headers, ends, strict=True)]
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
    return messages if last not in ("", "system") and len(messages) > (not is_prompt) else None


def _name(header: re.Match[str]) -> str:
    """The name in a header, in whichever group it is."""
    return header[header.lastgroup or 0]


def _role(name: str) -> str:
    meaning = meaning_of(name)
    return _CALLER if meaning == CALL else ROLES.get(name.lower()) or str(meaning)


_NEXT: Final = {
    "": ("system", "user"),
    "system": ("user",),
    "user": ("assistant", "input", _CALLER),
    "input": ("assistant",),
    "assistant": ("user", "tool", _CALLER),
    _CALLER: ("tool", _CALLER),
    "tool": ("assistant", "tool", _CALLER),
}
"""Who may speak after whom."""


def _without_end(text: str) -> str:
    """The text of a turn without white space around it, and without the token that ends it."""
    text = text.strip()
    while end := next((end for end in ENDS if text.endswith(end)), ""):
        text = text.removesuffix(end).rstrip()
    return text
