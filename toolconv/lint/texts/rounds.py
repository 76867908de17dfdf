"""Answers after tool responses: the turns before each, and what there was to know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from toolconv.core import jsontext
from toolconv.core.messages import SYSTEM_ROLES
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import LintResponse, LintTurn
from toolconv.lint.values.grounding import Sources
from toolconv.lint.values.origins import stated_in


def content_of(response: LintResponse) -> str:
    """The text of a response."""
    return response.content if isinstance(response.content, str) else jsontext.compact(response.content)


def rounds(turns: Sequence[LintTurn]) -> Iterator[tuple[list[LintTurn], LintTurn]]:
    """Each answer after tool responses, with the turns of the responses that directly precede it.

    A turn that a response follows made a call, even if nobody can read it.
    """
    before: list[LintTurn] = []
    for turn, following in zip_longest(turns, turns[1:]):
        if turn.responses:
            before.append(turn)
        else:
            made = turn.calls or (following is not None and following.responses)
            if before and turn.role == "assistant" and turn.text.strip() and not made:
                yield before, turn
            before = []


class Known:
    """What is there before a turn: the turns before it, their calls and responses.

    Args:
        row: the row.
    """

    def __init__(self, row: LintRow) -> None:
        self._row = row
        self._sources = Sources(stated=stated_in(row))
        self._added = 0

    def before(self, turn: LintTurn) -> Sources:
        """What is there before a turn, which must not be one before the turn asked for last."""
        row, sources = self._row, self._sources
        while row.turns[self._added] is not turn:
            earlier = row.turns[self._added]
            sources.add(row.own_words(earlier) if earlier.role in SYSTEM_ROLES else earlier.raw_text)
            for response in earlier.responses:
                sources.add(content_of(response))
            for call in earlier.calls:
                sources.add(jsontext.compact(call.arguments))
            self._added += 1
        return sources


def grounded(row: LintRow) -> Iterator[tuple[list[LintTurn], LintTurn, Sources]]:
    """The rounds of a row, each with its sources: what is there before the answer."""
    known = Known(row)
    for before, turn in rounds(row.turns):
        yield before, turn, known.before(turn)
