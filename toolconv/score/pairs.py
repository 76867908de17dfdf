"""Preference rows of wrong outputs: gold is chosen, the output rejected, and one call or argument differs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, Row, calls_of
from toolconv.score.calls import ABSENT
from toolconv.score.expected import ExpectedTurn
from toolconv.score.gold import GoldRow, GoldTurn
from toolconv.score.levels import Levels
from toolconv.score.run import Gold, Scored
from toolconv.score.verdicts import Judged

_TURN_KEYS = ("role", "content", "reasoning_content", "tool_calls")


def preference_row(scored: Scored, gold: Gold) -> Row | None:
    """The preference row of a verdict, in the canonical layout.

    Args:
        gold: the gold rows, which hold their conversations.

    Returns:
        ``None`` if the output is right at the level ``lenient``, so that it would teach style instead of substance, if
        it has no turn that was read, if more than one call differs, or if the gold row has no answer to prefer.
    """
    judged, own = scored.judged, scored.own
    row: GoldRow = gold.rows[scored.gold][2]
    if own is None or scored.turn is None or row.conversation is None or judged.verdict == "unreadable":
        return None
    if Levels.LENIENT in judged.levels or (difference := _one_difference(judged)) is None:
        return None
    turn = row.turns[scored.turn]
    chosen = _chosen(row.conversation, turn)
    if chosen is None:
        return None
    source = row.conversation.row
    found: Row = {"id": scored.key} if source.get("id") is not None or scored.sample else {}
    if row.conversation.tools:
        found["tools"] = row.conversation.tools
    found["prompt"] = row.conversation.messages[: turn.at]
    found["chosen"] = [chosen]
    found["rejected"] = [_turn(own.message)]
    found["difference"] = difference
    return found


def _one_difference(judged: Judged) -> dict[str, Any] | None:
    """What differs, if that is one call or one of its arguments; values are JSON text: the column has one type."""
    if judged.expected.kind == "any":
        return None
    outputs, expected = judged.calls, judged.expected.calls
    pairs = [(pair.gold, pair.output, pair.match) for pair in judged.pairs]
    if not pairs:  # only one side has calls
        pairs = [(at, None, None) for at in range(len(expected))] + [(None, at, None) for at in range(len(outputs))]
    wrong = [pair for pair in pairs if pair[2] is None or Levels.LENIENT not in pair[2].levels]
    if len(wrong) != 1:
        return None
    ((gold, output, match),) = wrong
    tool = expected[gold].name if gold is not None else outputs[output or 0].name
    mismatches = [] if match is None else [each for each in match.differences if Levels.LENIENT not in each.levels]
    one = mismatches[0] if len(mismatches) == 1 else None
    kind = one.kind if one else "call" if match else "missing_call" if output is None else "extra_call"
    return {
        "verdict": judged.verdict,
        "tool": tool,
        "kind": kind,
        "argument": one.path if one else "",
        "gold": _text(one.gold) if one else _calls(judged.expected, gold),
        "output": _text(one.output) if one else "" if output is None else jsontext.compact(outputs[output].as_json()),
    }


def _text(value: Any) -> str:
    return "" if value is ABSENT else jsontext.compact(value)


def _calls(expected: ExpectedTurn, at: int | None) -> str:
    return "" if at is None else jsontext.compact(expected.calls[at].first.as_json())


def _chosen(conversation: Conversation, turn: GoldTurn) -> Message | None:
    """The gold turn as a message: the gold row's own, or one of the first accepted values."""
    messages: Sequence[Message] = conversation.messages
    calls = turn.expected.calls
    own = messages[turn.at] if turn.at < len(messages) and messages[turn.at].get("role") == "assistant" else None
    if own is not None and len(calls_of(own)) == len(calls):
        return _turn(own)
    if not calls:
        return None
    items = [
        {"id": f"call_{at}", "type": "function", "function": {"name": call.name, "arguments": call.first.arguments}}
        for at, call in enumerate(calls)
    ]
    return {"role": "assistant", "content": "", "tool_calls": items}


def _turn(message: Message) -> Message:
    """What a message says and calls."""
    return {key: message[key] for key in _TURN_KEYS if key in message}
