"""Answers after tool responses: the turns before each, and what there was to know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolconv.core import jsontext
from toolconv.dialects.turns import SYSTEM_ROLES
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import LintResponse, LintTurn
from toolconv.lint.values.grounding import Sources


def content_of(response: LintResponse) -> str:
    """The text of a response."""
    return response.content if isinstance(response.content, str) else jsontext.compact(response.content)


def rounds(turns: Sequence[LintTurn]) -> Iterator[tuple[list[LintTurn], LintTurn]]:
    """Each answer after tool responses, with the turns of the responses that directly precede it."""
    before: list[LintTurn] = []
    for turn in turns:
        if turn.responses:
            before.append(turn)
        else:
            if before and turn.role == "assistant" and turn.text.strip() and not turn.calls:
                yield before, turn
            before = []


def grounded(row: LintRow) -> Iterator[tuple[list[LintTurn], LintTurn, Sources]]:
    """The rounds of a row, each with its sources: the turns before the answer, their calls and responses."""
    sources = Sources()
    added = 0
    for before, turn in rounds(row.turns):
        while row.turns[added] is not turn:
            earlier = row.turns[added]
            sources.add(row.own_words(earlier) if earlier.role in SYSTEM_ROLES else earlier.raw_text)
            for response in earlier.responses:
                sources.add(content_of(response))
            for call in earlier.calls:
                sources.add(jsontext.compact(call.arguments))
            added += 1
        yield before, turn, sources
