"""Results of calls in texts of another role: in the markup of any dialect, or in tags that say what they are."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message
from toolconv.dialects.base import Dialect
from toolconv.dialects.registry import registered

_TAGGED: Final = lazy_re(
    r"\s*+<(?P<tag>(?:tool|function)_(?:call_)?(?:response|result|output)|observation)"
    r"(?: name=\"(?P<name>[^\"<>\n]{1,128})\")?>\n?(?P<content>.*?)\n?</(?P=tag)>\s*+"
    r"|\s*+```tool_output[ \t]*\n(?P<code>[^`]*?)\n?```\s*+",
    re.DOTALL,
)
"""A result in tags, perhaps with the name of its tool, or in a block as Gemma 3 is shown it."""


def responses_in(text: str, dialect: Dialect) -> list[Message] | None:
    """The results that are all of a text, as ``tool`` messages; ``None`` for any other.

    Args:
        text: what follows a turn with calls.
        dialect: that of the calls; its own form comes first.
    """
    if not may_be_responses(text):
        return None
    return _in_tags(text) or responses_by_markup(text, dialect)


def responses_by_markup(text: str, dialect: Dialect) -> list[Message] | None:
    """The results in a text that only their markup tells, whatever the role; ``None`` if it holds anything else."""
    begun = text.lstrip()
    others = (each for beginning, each in _telling(registered()) if begun.startswith(beginning))
    for each in (dialect, *others):
        found = each.chat.read_responses("assistant", text)
        if found is not None:
            return found
    return None


def may_be_responses(text: str) -> bool:
    """Whether a text begins as results do in some dialect, or in tags."""
    return text.lstrip().startswith(_beginnings(registered()))


@lru_cache(maxsize=1)
def _beginnings(registered: tuple[Dialect, ...]) -> tuple[str, ...]:
    return (
        *(beginning for beginning, _ in _telling(registered)),
        "<tool_",
        "<function_",
        "<observation",
        "```tool_output",
    )


@lru_cache(maxsize=1)
def _telling(registered: tuple[Dialect, ...]) -> list[tuple[str, Dialect]]:
    """How turns with results begin whose markup has words, the longest first: a bracket alone is no sign of one."""
    written = [(dialect.chat.results_begin.strip(), dialect) for dialect in registered]
    telling = [each for each in written if re.match(r"[^{(]*[A-Za-z]", each[0])]
    return sorted(telling, key=lambda each: -len(each[0]))


def _in_tags(text: str) -> list[Message]:
    """The results in tags, or blocks, that are all of a text; none for any other text."""
    found: list[Message] = []
    at = 0
    while at < len(text):
        match = _TAGGED.match(text, at)
        if match is None:
            return []
        message: Message = {"role": "tool"}
        if match["name"]:
            message["name"] = match["name"]
        message["content"] = match["content"] if match["tag"] else match["code"]
        found.append(message)
        at = match.end()
    return found
