"""What only another role says: a tool's response, a user's turn. A model that is not stopped in time writes it, too."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.lexing.mentions import is_mention
from toolconv.dialects.lexing.turn_tokens import TURN_HEADERS, TURN_TOKENS, end_without

_ROLE: Final = r"(?:user|system|developer|tool|ipython|observation|environment)"
_HEADER: Final = (
    rf"<\|(?:im_start|im:start|start|begin|BOT|start_header_id|header_start|start_of_role)\|>{_ROLE}\b|"
    rf"<(?:start_of_turn|\|turn|SPECIAL_1[01])>{_ROLE}\b|<\|im_(?:user|system)\|>|[<\[]\|(?:{_ROLE}|User)\|[>\]]|"
    r"<\|begin_(?:user|system|tool_result)\|>|<｜User｜>|\[INST\]"
)
_WHOLE: Final = lazy_re(
    rf"{_HEADER}|<(?:user|system)>|"
    r"\A\s*(?:<[｜|]begin[▁_]of[▁_](?:sentence|text)[｜|]>|<s>|<bos>|\[gMASK\])",
    re.IGNORECASE,
)
"""What shows that a text is a conversation: the header of another role, or the token that begins texts."""
_RESPONSE: Final = (
    r"<(?P<name>[|｜]?(?![|｜]?/)[\w:▁]{0,24}(?:tool|function)[_▁]?(?:respon|result|output)[\w:▁]{0,24}+)(?P<rest>[^<>\n]{0,80})>|"
    r"\[TOOL_RESULTS\]"
)
_STEP: Final = r"(?=^(?:Thought|Action|Final Answer):)"
"""Where a step of an agent ends the response that is a line of words."""


@lru_cache(maxsize=128)
def _beginnings(words: str) -> re.Pattern[str]:
    own = rf"|^(?P<words>{re.escape(words)})" if words else ""
    return re.compile(rf"(?P<header>{_HEADER})|(?P<response>{_RESPONSE}){own}", re.IGNORECASE | re.MULTILINE)


_ASSISTANT: Final = lazy_re("|".join(map(re.escape, TURN_HEADERS)))
_TURN: Final = lazy_re(rf"(?:{_HEADER})(?:<\|\w+\|>)?\s*", re.IGNORECASE)
_AFTER: Final = (*TURN_TOKENS, *TURN_HEADERS)
_STEPS: Final = lazy_re(_STEP, re.MULTILINE)
_END: Final = lazy_re(r"[_▁:]?(?:start|begin)\b", re.IGNORECASE)


def other_turns(text: str, start: int, end: int, words: str = "") -> list[tuple[int, int]]:
    """Where another role speaks in ``text[start:end]``, which follows a call of the assistant's.

    A response ends with its closing tag, any other turn where the assistant's next one begins; both with the text.

    Args:
        text: a turn.
        start, end: the part of it.
        words: what a response begins with in the dialect of the turn, if these are words at the beginning of a line.
    """
    found: list[tuple[int, int]] = []
    beginnings = _beginnings(words)
    while (match := beginnings.search(text, start, end)) is not None:
        stop = _end_of(text, match, end)
        if not text[match.end() : stop].strip() or is_mention(text, *match.span()):  # it may end the turn
            start = match.end()
            continue
        found.append((match.start(), stop))
        start = stop
    return found


def is_conversation(text: str, end: int) -> bool:
    """Whether another role speaks in ``text[:end]``."""
    return -1 < _first_header(text) < end


@lru_cache(maxsize=4)
def _first_header(text: str) -> int:
    """Where another role first speaks; -1 if none does. Cached per text: many dialects ask."""
    found = _WHOLE.search(text)
    return -1 if found is None else found.start()


def words_of(turn: str) -> str:
    """What another role says, without its header, the tokens that end its turn and the assistant's next header."""
    header = _TURN.match(turn)
    words = turn[header.end() :] if header is not None else turn
    return words[: end_without(_AFTER, words)].strip()


def begins_other_turn(text: str) -> bool:
    """Whether a text begins with the tag of what another role says."""
    return _beginnings("").match(text) is not None


def _end_of(text: str, match: re.Match[str], end: int) -> int:
    """Where the other role's words end that begin with a match."""
    if match["header"]:
        following = _ASSISTANT.search(text, match.end(), end)
        return end if following is None else following.end()
    if match["response"] and match["name"]:
        name = match["name"].lstrip("|｜")
        stopped = re.escape(_END.sub("", name))
        close = re.compile(rf"<[|｜]?(?:/[|｜]?|end_)?{stopped}[_▁:]?(?:end)?\s?[|｜]?>", re.IGNORECASE)
        closings = (each for each in close.finditer(text, match.end(), end) if each[0] != match[0])
        if (closing := next(closings, None)) is not None:
            return closing.end()
        following = _ASSISTANT.search(text, match.end(), end)
        return end if following is None else following.start()
    step = _STEPS.search(text, match.end(), end)
    return end if step is None else step.start()
