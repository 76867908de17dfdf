"""Results of calls in texts of another role: in the markup of any dialect, or in tags or words that say what they are.

Agents that know no role for results write ``Tool result: …`` or ``Tool NAME returned: …``. Their own instructions may
follow, so the rest counts as a result only if it is one JSON object or list.

Source: histories and loops of agents in public repositories; no other words are common in them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message
from toolconv.dialects.base import Dialect
from toolconv.dialects.registry import registered
from toolconv.dialects.vocabulary import Vocabulary, of_vocabulary

_TAGGED: Final = lazy_re(
    r"\s*+<(?P<tag>(?:tool|function)_(?:call_)?(?:response|result|output)|observation)"
    r"(?: name=\"(?P<name>[^\"<>\n]{1,128})\")?>\n?(?P<content>.*?)\n?</(?P=tag)>\s*+"
    r"|\s*+```tool_output[ \t]*\n(?P<code>[^`]*?)\n?```\s*+",
    re.DOTALL,
)
"""A result in tags, perhaps with the name of its tool, or in a block as Gemma 3 is shown it."""

_WORDED: Final = lazy_re(r"\s*+tool (?:result|(?P<name>[\w.-]{1,128}+) returned):\s*+(?=[{\[])", re.IGNORECASE)
"""The words before a result that is JSON."""

_TELLING: Final = lazy_re(r"[^{(]*[A-Za-z]")
"""The beginning of a turn with results that has words: a bracket alone is no sign of one."""


def responses_in(text: str, dialect: Dialect) -> list[Message] | None:
    """The results that are all of a text, as ``tool`` messages; ``None`` for any other.

    Args:
        text: what follows a turn with calls.
        dialect: that of the calls; its own form comes first.
    """
    if not may_be_responses(text):
        return None
    return _in_tags(text) or _in_words(text) or responses_by_markup(text, dialect)


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
    return text.lstrip().startswith(beginnings_of_responses())


@of_vocabulary
def beginnings_of_responses(vocabulary: Vocabulary) -> tuple[str, ...]:
    """What texts begin with that are results."""
    return (
        *filter(_TELLING.match, vocabulary.results),
        "<tool_",
        "<function_",
        "<observation",
        "```tool_output",
        "Tool ",
        "tool ",
        "TOOL ",
    )


@lru_cache(maxsize=1)
def _telling(registered: tuple[Dialect, ...]) -> list[tuple[str, Dialect]]:
    """How turns with results begin whose markup has words, the longest first."""
    written = [(dialect.chat.results_begin.strip(), dialect) for dialect in registered]
    return sorted([each for each in written if _TELLING.match(each[0])], key=lambda each: -len(each[0]))


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


def _in_words(text: str) -> list[Message]:
    """The result in JSON after words that say so; none for any other text."""
    match = _WORDED.match(text)
    content = "" if match is None else text[match.end() :].strip()
    if match is None or type(jsontext.opened(content)) not in (dict, list):
        return []
    return [{"role": "tool", **({"name": match["name"]} if match["name"] else {}), "content": content}]
