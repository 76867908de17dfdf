"""TC012: parts of a row that no layout reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolconv.convert.detect import reader_in
from toolconv.convert.unread.carried import may_lack
from toolconv.core.key_words import REFERENCE_WORDS, words_of
from toolconv.core.notes import Unread
from toolconv.core.rows import MISSHAPEN
from toolconv.dialects.turns import parse_turns
from toolconv.layouts.base import LayoutError
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import RowRule, rule


@rule("TC012", "unread-part", "warning", guards=("carries",))
class UnreadPart(RowRule):
    """A part of a row that seems to belong to the conversation, under a key that nobody reads.

    Anti-pattern: the teacher's answer, its calls or a second conversation under a key of its own.

    Why it hurts: trainers read the messages and skip everything else, so the answer or the call is not trained on.

    Best practice: put answers and calls into ``messages``. ``toolconv convert`` reads them from other places if
    ``--text-key`` or ``--messages-key`` names these. Not reported is what an answer is compared with: expected calls,
    those of the task, those that a reward was given for.

    Bad: ``{"messages": [{"role": "user", "content": "Is it up?"}], "raw": "<tool_call>…</tool_call>"}``

    Good: ``{"messages": [{"role": "user", "content": "Is it up?"}, {"role": "assistant", "tool_calls": […]}]}``

    Source: TRL and LLaMA-Factory read the columns that they know and ignore all others.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        is_prompt = row.lacks("answer") and not any(message.get("role") == "assistant" for message in row.messages)
        lists: set[str] = set()
        for unread in unread_parts(row):
            place, _, item = unread.pointer.rpartition("/")
            if unread.kind == "text" or (item.isdecimal() and place in lists):
                continue  # which is carried along, and may be about the conversation; or one more of a list
            if (unread.kind in ("answer", "calls") and is_prompt) or _is_compared(place):
                continue  # what answers are compared with
            lists.add(place)
            yield self.finding(row, row.place(unread.pointer), str(unread))


_COMPARING: Final = REFERENCE_WORDS | {"task", "criteria", "evaluation", "reward", "rubric"}
"""Words in the keys of what an answer is compared with."""


def _is_compared(place: str) -> bool:
    """Whether a part of a row is what an answer is compared with."""
    return any(not words_of(key).isdisjoint(_COMPARING) for key in place.split("/"))


def unread_parts(row: LintRow) -> list[Unread]:
    """The parts of a row that seem to belong to the conversation, under keys that nobody reads."""
    layout, read = row.reading
    if layout is None or read is None or row.row is None or not may_lack(read, layout):
        return []
    from toolconv.convert.unread.find import find_unread  # which most rows don't need

    try:
        conversation = layout.read(row.row)  # since its messages are about to change
    except (LayoutError, *MISSHAPEN):
        return []
    reader = reader_in(row.reader, layout)
    if reader is not None:
        parse_turns(conversation, reader)
    return list(find_unread(conversation, reader))


def has_unread_calls(row: LintRow) -> bool:
    """Whether a row has calls in a place that nobody reads: TC012 reports them."""
    return _carries(row) and any(part.kind == "calls" for part in unread_parts(row))


def has_unread_responses(row: LintRow) -> bool:
    """Whether a tool's turn has the responses in a place that nobody reads: TC012 reports them."""
    if not _carries(row):
        return False
    places = tuple(f"{row.message_pointer(turn.message)}/" for turn in row.turns if turn.role == "tool")
    return any(part.pointer.startswith(places) for part in unread_parts(row))


def _carries(row: LintRow) -> bool:
    return row.overview is None or "carries" in row.overview.facts
