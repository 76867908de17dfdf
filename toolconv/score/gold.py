"""Gold rows: the turns to score in a conversation, each with what is right for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message
from toolconv.core.tools import ToolIndex
from toolconv.score.calls import Judge
from toolconv.score.expected import (
    ANY_CALL,
    NO_CALL,
    ExpectedCall,
    ExpectedTurn,
    calls_in,
    listed_calls,
    turn_of,
)
from toolconv.score.history import digests, first_of_last_segment, segments

ANY_CALL_CATEGORIES: Final = ("live_relevance", "relevance")
"""BFCL's categories of questions for which any call is right."""

NO_CALL_CATEGORIES: Final = ("live_irrelevance", "irrelevance")
"""BFCL's categories of questions for which no call is right."""


@dataclass(frozen=True, slots=True)
class GoldTurn:
    """A turn to score.

    Attributes:
        number: its number among the turns of the row, from 0.
        segment: the number of the user's turn that it answers, from 0.
        history: a digest of the messages before it.
        expected: what is right.
        at: the place of the message that answers, or would.
    """

    number: int
    segment: int
    history: bytes
    expected: ExpectedTurn
    at: int


@dataclass(frozen=True, slots=True)
class GoldRow:
    """A row to score.

    Attributes:
        tools: the tools that it declares.
        turns: the turns to score; none for a row that doesn't say what is right.
        next: the turn that is scored when an output is the next turn only: the first one that answers the last
            message of the user.
        category: its category, for figures by category; empty if it names none.
        invalid: the names of gold calls that break their own tool's schema, or call a tool that is not declared.
        size: how many messages it has.
        whole: a digest of them.
        conversation: it, if it was to be held.
    """

    tools: ToolIndex
    turns: tuple[GoldTurn, ...]
    next: int = 0
    category: str = ""
    invalid: tuple[str, ...] = ()
    size: int = 0
    whole: bytes = b""
    conversation: Conversation | None = None


def gold_row(
    conversation: Conversation, by: str = "category", judge: Judge | None = None, *, hold: bool = False
) -> GoldRow:
    """The turns to score in a conversation whose calls were read.

    What is right is ``ground_truth`` in BFCL's shape, else the calls of the assistant's turns. A row with ``"expect":
    "call"``, or of one of BFCL's :data:`ANY_CALL_CATEGORIES`, takes any call after its last question.

    Args:
        by: the key of its category.
        judge: of calls of the tools that the row declares; rows with the same declarations may share one.
        hold: keep the conversation.
    """
    row = conversation.row
    judge = judge or Judge(conversation.declared)
    named = _category(row, "category")
    unanswered = None
    if row.get("expect") == "call" or named in ANY_CALL_CATEGORIES:
        unanswered = ANY_CALL
    elif named in NO_CALL_CATEGORIES:
        unanswered = NO_CALL
    before = digests(conversation.messages)
    turns = list(_turns(conversation.messages, before, truth_of(row), judge.tools, unanswered))
    if unanswered is ANY_CALL and turns and not turns[-1].expected.calls:
        turns[-1] = replace(turns[-1], expected=ANY_CALL)
    following = first_of_last_segment([turn.segment for turn in turns])
    invalid = tuple(dict.fromkeys(_invalid(turns, judge)))
    category = named if by == "category" else _category(row, by)
    held = conversation if hold else None
    return GoldRow(judge.tools, tuple(turns), following, category, invalid, len(before) - 1, before[-1], held)


def truth_of(row: dict[str, Any]) -> Any:
    """What a row says is right, next to its conversation: BFCL's ``ground_truth``, or ``possible_answer``."""
    return row["ground_truth"] if "ground_truth" in row else row.get("possible_answer")


def _category(row: dict[str, Any], key: str) -> str:
    """A row's category: the value of a key, or the part without the number in one of BFCL's ids."""
    value = row.get(key)
    if isinstance(value, str | int):
        return str(value)
    row_id = row.get("id")
    if key != "category" or not isinstance(row_id, str):
        return ""
    name, _, number = row_id.rpartition("_")
    return name if number.replace("-", "").isdigit() else ""


def _turns(
    messages: Sequence[Message], before: Sequence[bytes], truth: Any, tools: ToolIndex, unanswered: ExpectedTurn | None
) -> Iterator[GoldTurn]:
    """The turns of the assistant, and one for a question without an answer, if the row says what is right there.

    Args:
        before: a digest of the messages before each.
        truth: ``ground_truth``: the calls of the last question, or a list of them for each question.
        unanswered: what is right after a last question that has neither an answer nor a truth.
    """
    parts = segments(messages)
    truths = _truths(truth, len(parts))
    number = 0
    for segment, (answers, end) in enumerate(parts):
        if (own := truths[segment]) is not None:
            first = [call for at in answers for call in calls_in(messages[at])]
            listed = listed_calls(own, first)
            if listed is not None and (listed or not first):
                at = answers[0] if answers else end
                yield GoldTurn(number, segment, before[at], turn_of(listed), at)
                number += 1
                continue
        for at in answers:
            expected = turn_of([ExpectedCall(call, tools=tools) for call in calls_in(messages[at])])
            yield GoldTurn(number, segment, before[at], expected, at)
            number += 1
        if not answers and segment == len(parts) - 1 and unanswered is not None:
            yield GoldTurn(number, segment, before[end], unanswered, end)


def _truths(truth: Any, count: int) -> list[Any]:
    """The truth of each question; ``None`` for one without."""
    if not isinstance(truth, list):
        return [None] * count
    if truth and all(isinstance(each, list) for each in truth):
        return truth if len(truth) == count else [None] * count
    return [None] * (count - 1) + [truth]


def _invalid(turns: Sequence[GoldTurn], judge: Judge) -> list[str]:
    tools = judge.tools or None
    return [
        call.name
        for turn in turns
        for call in turn.expected.calls
        if (tools is not None and call.name not in tools) or not judge.match(call, call.first).levels
    ]
