"""Split a text into turns by its turn tokens alone, where no template reads it.

The header of a turn names its role, and a token ends it: ``<|im_start|>user⏎…<|im_end|>``. Which headers and tokens
there are follows from the built-in templates. The texts of the turns are left as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from toolconv.core.messages import Message
from toolconv.dialects.chat import RESPONSE_ROLES
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.templates.base import USUAL_ROLES, Template

ROLES: Final[Mapping[str, str]] = {
    **{role: role for role in (*USUAL_ROLES, "developer", *RESPONSE_ROLES)},
    "model": "assistant",
    "ai": "assistant",
    "gpt": "assistant",
    "human": "user",
}
"""What texts call their speakers, and their roles."""


INST: Final = "[INST]", "[/INST]"
SYS: Final = "<<SYS>>", "<</SYS>>"
ENDS: Final = ("</s>", "<eos>", "<|end_of_text|>", "<|endoftext|>", "<pad>", "<|pad|>")
"""Tokens that trainers put after whole texts, or after each turn."""


def split_by_headers(text: str, templates: Iterable[Template]) -> list[Message] | None:
    """The turns of a text; ``None`` if it does not begin with a turn of any style.

    A turn that only begins, as generation prompts do, is left out.
    """
    known = _tokens(tuple(templates))
    start = next((len(begin) for begin in known.begins if text.startswith(begin)), 0)
    if text.startswith(INST[0], start):
        return _inst_turns(text[start:])
    header = next((each for each in known.headers if each.match(text, start)), None)
    return None if header is None else _turns(text, header, start, known.stops) or None


def begins_with_system(text: str) -> bool:
    """Whether a text begins with a system text in the tokens of Llama 2, which no built-in template writes."""
    question = text.removeprefix("<s>").lstrip()
    return question.startswith(INST[0]) and question[len(INST[0]) :].lstrip().startswith(SYS[0])


def holds_stop(messages: Iterable[Message], templates: Iterable[Template]) -> bool:
    """Whether a text of somebody else than a tool ends with a token that ends turns: it was read too far."""
    stops = tuple(_tokens(tuple(templates)).stops)
    return any(message["content"].rstrip().endswith(stops) for message in messages if message["role"] != "tool")


def _inst_turns(text: str) -> list[Message] | None:
    """The turns of a text in the tokens of Llama 2, which repeats the token that begins a text."""
    messages: list[Message] = []
    for turn in text.split(INST[0])[1:]:
        question, closed, answer = turn.partition(INST[1])
        if not closed:
            return None
        question, answer = question.strip(), answer.strip().removesuffix("<s>").strip().removesuffix("</s>").strip()
        if not messages and question.startswith(SYS[0]) and SYS[1] in question:
            system, question = question.removeprefix(SYS[0]).split(SYS[1], 1)
            messages.append({"role": "system", "content": system.strip()})
        messages.append({"role": "user", "content": question.strip()})
        if answer:
            messages.append({"role": "assistant", "content": answer})
    return messages or None


def _turns(text: str, header_pattern: re.Pattern[str], start: int, stops: Sequence[str]) -> list[Message]:
    headers = list(header_pattern.finditer(text, start))
    messages: list[Message] = []
    for number, header in enumerate(headers):
        last = number == len(headers) - 1
        turn = text[header.end() : len(text) if last else headers[number + 1].start()]
        content = _without_stop(turn, stops)
        role = ROLES[header["role"].lower()]
        if not (last and role == "assistant" and not turn.strip()):
            messages.append({"role": role, "content": content})
    return messages


def _without_stop(turn: str, stops: Sequence[str]) -> str:
    """The text of a turn without the tokens at its end that end turns and texts."""
    text = turn
    while stop := next((stop for stop in stops if text.rstrip().endswith(stop)), ""):
        text = text.rstrip().removesuffix(stop)
    return text if text != turn else turn.removesuffix("\n")


class _Tokens(NamedTuple):
    """What templates begin texts with, open turns with (with the role as a group), and end turns with."""

    begins: list[str]
    headers: list[re.Pattern[str]]
    stops: list[str]


@cache
def _tokens(templates: tuple[Template, ...]) -> _Tokens:
    """The tokens of the templates whose headers hold the role, the longest first."""
    headers: dict[str, re.Pattern[str]] = {}
    for template in templates:
        if "{role}" not in template.open or not template.stop:
            continue
        names = {name for name in (*ROLES, *template.roles.values()) if name.lower() in ROLES}
        group = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        before, after = (re.escape(part) for part in template.open.rstrip("\n").split("{role}"))
        headers.setdefault(template.open.strip(), re.compile(rf"{before}(?P<role>{group}){after}\n{{0,2}}"))
    stops = {stop for template in templates for stop in template.stops if len(stop) > 1}.union(TURN_TOKENS, ENDS)
    return _Tokens(
        sorted({template.begin for template in templates if template.begin}, key=len, reverse=True),
        sorted(headers.values(), key=lambda header: -len(header.pattern)),
        sorted(stops, key=len, reverse=True),
    )
