"""Turns of several steps: a call, its response, and what follows, all written as one turn of the assistant's."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from toolconv.core.messages import Message
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.base import Dialect
from toolconv.dialects.lexing.other_turns import words_of
from toolconv.dialects.reading.parts import KEPT
from toolconv.dialects.reading.turn_parser import Parsed
from toolconv.dialects.responses import responses_by_markup

STEPS = "response_in_turn"
"""The repair: a response in the text of a turn is a message of its own."""


@dataclass(slots=True)
class Step:
    """What the assistant says up to a response, or up to the end of its turn.

    Attributes:
        words: its prose, as pieces.
        calls: the calls it makes.
        before: the responses that precede it.
    """

    words: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    before: list[Message] = field(default_factory=list)

    @property
    def content(self) -> str:
        return "\n".join(filter(None, (words.strip("\n") for words in self.words)))

    def first_of(self, parsed: Parsed) -> Parsed:
        """A reading of the whole turn without what stands after this, its first step."""
        left = tuple(name for name in parsed.displaced if name not in ("other_turn", "prose_after_call"))
        moved = len(parsed.displaced) - len(left) > 0
        repairs = [*parsed.repairs, *([STEPS] if moved else [])]
        return replace(parsed, content=self.content, calls=self.calls, repairs=repairs, displaced=left)

    def messages(self) -> list[Message]:
        """The responses and the assistant's turn, if it says anything."""
        turn: Message = {"role": "assistant", "content": self.content}
        if self.calls:
            turn["tool_calls"] = [call.to_canonical() for call in self.calls]
        return [*self.before, turn] if self.content or self.calls else list(self.before)


def steps_of(parsed: Parsed, dialect: Dialect, *, answered: bool) -> list[Step]:
    """The steps of a turn in which each response follows a call; none for any other turn.

    Args:
        parsed: the turn.
        dialect: the dialect that responses are written in, if it has its own way.
        answered: whether a response follows the turn: then the calls of its last step have their answers.
    """
    steps = [Step()]
    for part in parsed.parts or ():
        if part.kind == "other_turn":
            responses = _responses(part.text, dialect)
            if not responses or not (steps[-1].calls or (steps[-1].before and not steps[-1].words)):
                return []
            if steps[-1].calls:
                steps.append(Step())
            steps[-1].before += responses
        elif part.call is not None:
            steps[-1].calls.append(part.call)
            steps[-1].words += [part.text] if part.text else []
        elif part.kind in KEPT:
            steps[-1].words.append(part.text)
    if len(steps) == 1 or (answered and not steps[-1].calls):
        return []
    return steps


def _responses(text: str, dialect: Dialect) -> list[Message] | None:
    """The responses in what another role says, as messages; ``None`` if it says anything else."""
    return responses_by_markup(words_of(text), dialect)
