"""What a written turn loses: it is read back with the same dialect and tools, and the differences are counted.

Most turns hold nothing that the dialect reads as markup. These are certain, and are not read.
"""

from __future__ import annotations

from collections.abc import Sequence

from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.lexing.call_signs import unread_calls
from toolconv.dialects.lexing.mentions import opens_code
from toolconv.dialects.losses import lost_of
from toolconv.dialects.turn_reader import TurnReader


def certainly_round_trips(
    dialect: Dialect, content: str, reasoning: str | None, calls: Sequence[ToolCall], tools: ToolIndex
) -> bool:
    """Whether a turn is certainly read back as it is. False negatives are allowed, false positives are not."""
    if not dialect.certainly_round_trips(content, reasoning, calls, tools) or (
        content and unread_calls(content, tools)
    ):
        return False
    return not ((calls and opens_code(content)) or (reasoning and opens_code(reasoning)))  # it may hide what follows


def lost_in(
    text: str,
    dialect: Dialect,
    content: str,
    reasoning: str | None,
    calls: Sequence[ToolCall],
    tools: ToolIndex,
    *,
    in_reasoning: bool | None = None,
) -> list[str]:
    """The names of what is lost when ``text``, a turn written in ``dialect``, is read back.

    Outer white space of prose and reasoning does not count. What stays in the prose of a lost call is not a second
    loss.
    """
    read = TurnReader(named=dialect).read(text, tools, in_reasoning=in_reasoning)
    null = "argument_null" if "argument_null" in dialect.losses else "argument_key"
    lost = lost_of(calls, read.calls, null=null)
    prose, given_reasoning = content.strip(), (reasoning or "").strip()
    prose_back, reasoning_back = read.content.strip(), (read.reasoning or "").strip()
    if given_reasoning and not reasoning_back and prose_back.replace(given_reasoning, "", 1).strip() == prose:
        return [*lost, "reasoning_becomes_content"]
    if prose_back != prose and (prose or lost != ["call"]):
        lost.append("prose")
    if reasoning_back != given_reasoning:
        lost.append("reasoning")
    return lost
