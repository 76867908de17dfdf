"""TC7xx: calls that the system text, or the assistant's own reasoning, speaks against."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import SYSTEM_ROLES
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.overview import Overview
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import REASONING_KEYS, LintTurn
from toolconv.lint.names import listed, shown
from toolconv.lint.rule import RowRule, rule
from toolconv.lint.values.altered import nearly_given
from toolconv.lint.values.amounts import as_float

_FORBIDS = lazy_re(
    r"(?:^|[.!?:;\n]\s?)(?:please )?(?:do not|don['’]t|never) (?:call|use|invoke) (?:any |the )?"
    r"(?-i:[Tt]ools?|TOOLS?|[Ff]unctions?|FUNCTIONS?)"
    r"(?: calls?)?(?= ?(?:[.!\n]|\Z))|(?:不要|禁止|不得)(?:调用|使用)(?:任何)?(?:工具|函数)(?=[。!！\n]|\Z)",
    re.I,
)
_BANS = lazy_re(
    r"\b(?:never|do not|don['’]t|must not) (?:call|use|invoke) (?:the )?"
    r"[`'\"]?(?P<name>[\w-]++(?>(?:\.[\w-]++)*))[`'\"]?(?: tool| function)?\s?(?:[.!\n]|\Z)",
    re.I,
)
"""A sentence that forbids a tool by its name, and says no more."""

_NOT_NEEDED = lazy_re(
    r"\bno (?:tools?|functions?)(?: calls?)? (?:is|are) (?:needed|required|necessary)\b"
    r"|\b(?:don['’]t|do not|doesn['’]t|does not) (?:need|require) (?:to (?:call|use) )?(?:any|a)"
    r" (?:tools?|functions?)\b"
    r"|\bwithout (?:calling|using) (?:any|a) ?(?:thing|tools?|functions?)\b"
    r"|\b(?<!maybe )(?<!perhaps )(?:I|we) (?:should|need to|must|have to|will) (?:first )?"
    r"ask (?:for (?:it|this|that|more|the)|the user|them|him|her)\b"
    r"(?=[^.\n]{0,200}[.\n]?\s{0,20}\Z)(?![^\n]{0,200}\b(?:but|though|after|once)\b)"
    r"|(?:不需要|无需|不必)(?:调用|使用)(?:任何)?(?:工具|函数)",
    re.I,
)
_THOUGHT = lazy_re(r"\s*<think>(.{0,20000}?)</think>", re.DOTALL)

MAX_REASONING: Final = 600
"""Longer reasoning weighs one thing against another, and names tools that it doesn't call."""


def _may_be_against(overview: Overview) -> bool:
    """A guard: there are calls, and reasoning that may speak against them, or the system text."""
    if overview.arguments:
        if overview.reasoning:
            return True
        for text in overview.system:
            if _MAY_FORBID.search(text.lower()):
                return True
    return False


_MAY_FORBID = lazy_re(
    r"never (?:call|use|invoke) |do not (?:call|use|invoke) "
    r"|don['’]t (?:call|use|invoke) |must not (?:call|use|invoke) "
    r"|不要|禁止|不得"
)
"""What a text that forbids calls has, in lower case."""


@rule("TC715", "call-against-words", "warning", guards=(_may_be_against,))
class CallAgainstWords(RowRule):
    """A call that the system text forbids, or that the reasoning before it decides against.

    Anti-pattern: "Do not call any tools." above a call; "no tool is needed", and then a call; reasoning that names one
    tool, and a call of another, from calls that were replaced after the reasoning was written.

    Why it hurts: the model learns that neither instructions nor its own thoughts bind it.

    Best practice: drop the row, or write the reasoning again.

    Bad: reasoning "I will call get_price.", and a call of ``get_weather``

    Good: reasoning "I will call get_weather.", and a call of ``get_weather``

    The system text must forbid all tools, or this one by its name, in a sentence of its own. Reasoning counts up to
    600 characters, and only if the one declared tool that it names is not among those that its turn calls; or if it
    assigns another value to an argument of the first call (``replicas=10``), or has an id that is nearly one of the
    call.

    In 34,559 rows of more than 35 makers, 6,815 of them with calls: no finding.

    Source: When2Call (calls where none is wanted); IFEval-style checks of instructions.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        forbidden: str | None = None
        banned: set[str] = set()
        for turn in row.turns:
            if turn.role in SYSTEM_ROLES:
                text = row.own_words(turn)
                if (match := _FORBIDS.search(text)) is not None:
                    forbidden = match[0].strip(" .!?:;\n")
                banned.update(match["name"] for match in _BANS.finditer(text))
            if not turn.calls:
                continue
            if forbidden is not None:
                yield self.finding(row, turn.calls[0].pointer, f"a call, where the system text says {shown(forbidden)}")
                forbidden = None
            for call in turn.calls:
                if isinstance(call.name, str) and call.name in banned and len(call.name) >= MIN_NAME:
                    yield self.finding(row, call.pointer, f"a call of {call.name}, which the system text forbids")
                    banned.remove(call.name)
            message = _against_reasoning(row, turn)
            if message is not None:
                yield self.finding(
                    row, turn.calls[0].pointer, message, cause="a call that its reasoning decides against"
                )


def _against_reasoning(row: LintRow, turn: LintTurn) -> str | None:
    """What the reasoning of a turn says against its calls."""
    text = _reasoning(row, turn)
    if not text or len(text) > MAX_REASONING:
        return None
    match = _NOT_NEEDED.search(text)
    if match is not None:
        return f"a call, where the reasoning says {shown(match[0])}"
    only = turn.calls[0] if len(turn.calls) == 1 else None
    texts = {key: value for key, value in only.members.items() if isinstance(value, str)} if only is not None else {}
    for key, value in texts.items():
        near = nearly_given(value, text)
        if near is not None and near.casefold() not in map(str.casefold, texts.values()):
            return f"a call with {key} {shown(value)}, where the reasoning says {shown(near)}"
    if only is not None and only is row.calls[0] and (other := _other_value(only.members, text)) is not None:
        name, value, given = other
        return f"a call of {only.name} with {name} {shown(value)}, where the reasoning says {shown(given)}"
    named = [
        name
        for name in row.index.functions
        if len(name) >= MIN_NAME and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.ASCII)
    ]
    called = [call.name for call in turn.calls]
    if len(named) == 1 and named[0] not in called:
        return f"a call of {listed(dict.fromkeys(called))}, where the reasoning names {shown(named[0])}"
    return None


def _other_value(arguments: dict[str, Any], reasoning: str) -> tuple[str, Any, str] | None:
    """An argument to which the reasoning assigns one other value: its name, its value, and what the reasoning says."""
    for key, value in arguments.items():
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            continue  # which reasoning writes in another way
        stated = {
            match[1].rstrip(".,") for match in re.finditer(rf"(?<!\w){re.escape(key)}\s?=\s?['\"]?([\w.-]+)", reasoning)
        }
        if len(stated) == 1 and not _is_same(value, (given := stated.pop())):
            return key, value, given
    return None


def _is_same(value: str | float, given: str) -> bool:
    """Whether a value begins as the reasoning says, which ends at a space."""
    try:
        return as_float(value) == as_float(given)
    except ValueError:
        return str(value).casefold().startswith(given.casefold())


MIN_NAME: Final = 6
"""Shorter names of tools are words of prose."""


def _reasoning(row: LintRow, turn: LintTurn) -> str:
    """The reasoning of a turn, in a field or in its text."""
    message = row.messages[turn.message]
    found = next((message[key] for key in REASONING_KEYS if isinstance(message.get(key), str)), "")
    match = None if found else _THOUGHT.match(turn.raw_text)
    return found or (match[1] if match is not None else "")
