"""What the dialects read in one turn: each is asked about a text once."""

from __future__ import annotations

from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.reading.turn_parser import Parsed


class Readings:
    """The readings of a turn, and of parts of it, by the dialects that were asked.

    Args:
        turn: the whole turn.
        tools: the tools declared to the model.
        in_reasoning: whether the prompt ended inside an opened reasoning block; with ``None`` the text decides.
    """

    __slots__ = ("_known", "in_reasoning", "tools", "turn")

    def __init__(self, turn: str, tools: ToolIndex, in_reasoning: bool | None) -> None:
        self.turn, self.tools, self.in_reasoning = turn, tools, in_reasoning
        self._known: dict[tuple[Dialect, str], Parsed] = {}

    def of(self, dialect: Dialect, text: str) -> Parsed:
        """The reading of the turn, or a part of it, by one dialect; it may be changed."""
        known = self._known.get((dialect, text))
        if known is None:
            known = self._known[dialect, text] = dialect.parse_own(text, self.tools, self.opened(text), mend=False)
        calls = [ToolCall(each.name, each.arguments, each.id, each.extra, each.untyped) for each in known.calls]
        parsed = Parsed(known.content, known.reasoning, calls, list(known.repairs), list(known.dropped))
        if known.parts is not None:
            copies = iter(calls)
            parsed.parts = [part if part.call is None else part.of_call(next(copies)) for part in known.parts]
        return parsed

    def parse(self, dialect: Dialect) -> Parsed:
        """The reading of the turn by :meth:`Dialect.parse`, which is also the dialect's own, unless it has another."""
        parsed = dialect.parse(self.turn, self.tools, in_reasoning=self.in_reasoning)
        if type(dialect).parse is Dialect.parse and not dialect.fallback_dialects:
            self._known[dialect, self.turn] = parsed
        return parsed

    def opened(self, text: str) -> bool | None:
        """Whether the prompt opened the reasoning that ``text`` begins in: in no part of the turn but the whole."""
        return self.in_reasoning if text is self.turn else False
