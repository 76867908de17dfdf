"""TC5xx: rows with several answers to one prompt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolconv.core import jsontext
from toolconv.core.messages import Message, calls_of
from toolconv.core.rows import same
from toolconv.core.tool_call import ToolCall
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import RowRule, rule


@rule("TC515", "same-answers", "warning", guards=("several_answers",))
class SameAnswers(RowRule):
    """Two answers to a prompt that say the same.

    Anti-pattern: chosen = rejected; or a pair of the same calls in which only markup, whitespace or ids differ.

    Why it hurts: a preference for one of two equal answers teaches nothing; a preference for one of two spellings
    teaches the spelling, and the model unlearns the other one's tokens, which are mostly those of the first.

    Best practice: leave such pairs out, or sample other answers. Convert the rest to the student's dialect, which
    ``toolconv convert`` does for both.

    Bad: chosen ``<tool_call>{"name": "ping", "arguments": {}}</tool_call>``, rejected ``[TOOL_CALLS]ping[ARGS]{}``

    Good: rejected answers that do something else

    Source: Rafailov and others, Direct Preference Optimization (2023): the gradient of such a pair is zero.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        answers = row.conversation.answers if row.conversation is not None else None
        if row.conversation is None or answers is None:
            return
        messages = [each.messages[answers.shared :] for each in (row.conversation, *answers.others)]
        meanings = [[_meaning(row, message) for message in answer] for answer in messages]
        for at in range(1, len(messages)):
            before = next((other for other in range(at) if meanings[other] == meanings[at]), None)
            if before is None:
                continue
            how = "say the same" if same(messages[before], messages[at]) else "differ in nothing but their markup"
            one, other = answers.places[before], answers.places[at]
            yield self.finding(row, other, f"the answers under {one} and {other} {how}", cause=f"two answers {how}")


def _meaning(row: LintRow, message: Message) -> bytes:
    """What a message of an answer says, without its markup."""
    content, calls = message.get("content"), [_call(call) for call in calls_of(message)]
    reasoning = message.get("reasoning_content")
    if message.get("role") == "assistant" and isinstance(content, str) and not calls:
        parsed = row.parse(content, row.index)
        content, reasoning = parsed.content, parsed.reasoning or reasoning
        calls = [(call.name, call.arguments) for call in parsed.calls]
    text = content.strip() if isinstance(content, str) else content
    return jsontext.dumps([message.get("role"), text or "", (reasoning or "") and str(reasoning).strip(), calls])


def _call(call: dict[str, Any]) -> tuple[Any, Any]:
    try:
        read = ToolCall.from_openai(call)
    except ValueError:
        return call["function"].get("name"), call["function"].get("arguments")
    return read.name, read.arguments
