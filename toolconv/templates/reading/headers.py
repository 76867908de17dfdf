"""Split a text into turns by its turn tokens alone, where no template reads it.

The header of a turn names its role, and a token ends it: ``<|im_start|>user⏎…<|im_end|>``. Which headers and tokens
there are follows from the built-in templates. The texts of the turns are left as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final, NamedTuple

from toolconv.core.conversation import Message
from toolconv.dialects.base import TURN_TOKENS
from toolconv.dialects.chat import RESPONSE_ROLES
from toolconv.templates.base import USUAL_ROLES, Template

ROLES: Final[Mapping[str, str]] = {
    **{role: role for role in (*USUAL_ROLES, "developer", *RESPONSE_ROLES)},
    "model": "assistant",
    "ai": "assistant",
    "gpt": "assistant",
    "human": "user",
}
"""What texts call their speakers, and their roles."""


class Style(NamedTuple):
    """How turns are written: the header with the role as a group, and the token that ends a turn."""

    header: re.Pattern[str]
    stop: str


def split_by_headers(text: str, templates: Iterable[Template]) -> list[Message] | None:
    """The turns of a text; ``None`` if it does not begin with a turn of any style.

    A turn that only begins, as generation prompts do, is left out.
    """
    start = 0
    for begin in _begins(tuple(templates)):
        if text.startswith(begin):
            start = len(begin)
            break
    for style in _styles(tuple(templates)):
        first = style.header.match(text, start)
        if first is not None and (found := _turns(text, style, start)):
            return found
    return None


def _turns(text: str, style: Style, start: int) -> list[Message]:
    headers = list(style.header.finditer(text, start))
    messages: list[Message] = []
    for number, header in enumerate(headers):
        last = number == len(headers) - 1
        turn = text[header.end() : len(text) if last else headers[number + 1].start()]
        content = _without_stop(turn, style.stop)
        role = ROLES[header["role"].lower()]
        if not (last and role == "assistant" and not turn.strip()):
            messages.append({"role": role, "content": content})
    return messages


def _without_stop(turn: str, stop: str) -> str:
    """The text of a turn: without the token at its end, and the tokens that end whole texts."""
    text = turn
    for token in (*TURN_TOKENS, stop):
        text = text.rstrip().removesuffix(token) if text.rstrip().endswith(token) else text
    return text if text != turn else turn.removesuffix("\n")


@cache
def _styles(templates: tuple[Template, ...]) -> list[Style]:
    """The styles of templates whose headers hold the role, the longest headers first."""
    known = sorted(ROLES, key=len, reverse=True)
    found: dict[str, Style] = {}
    for template in templates:
        if "{role}" not in template.open or not template.stop:
            continue
        names = {name for name in (*known, *template.roles.values()) if name.lower() in ROLES}
        group = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        before, after = (re.escape(part) for part in template.open.rstrip("\n").split("{role}"))
        found.setdefault(template.open.strip(), Style(re.compile(rf"{before}(?P<role>{group}){after}\n{{0,2}}"), template.stop))
    return sorted(found.values(), key=lambda style: -len(style.header.pattern))


@cache
def _begins(templates: tuple[Template, ...]) -> list[str]:
    return sorted({template.begin for template in templates if template.begin}, key=len, reverse=True)
