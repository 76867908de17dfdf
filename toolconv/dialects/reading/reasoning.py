"""The reasoning of a turn: at its beginning, and between its prose where the family goes on after results."""

from __future__ import annotations

from typing import Final, Protocol

from toolconv.dialects.reading.turn_parser import Reasoning, TurnParser

QUOTING: Final = frozenset(" `'\"()")
"""What is on both sides of a marker that is mentioned in a sentence."""

ENDS: Final = (".", "!", "?", "…", "。", "！", "？")
"""What a sentence ends with."""


class FindsCalls(Protocol):
    """A dialect, as far as its reasoning depends on it."""

    @property
    def reasoning(self) -> Reasoning: ...
    @property
    def markers(self) -> tuple[str, ...]: ...
    @property
    def call_starts(self) -> tuple[str, ...]: ...
    def find_calls(self, parser: TurnParser) -> None: ...


def leading_reasoning(dialect: FindsCalls, parser: TurnParser, opened: bool | None) -> str | None:
    """Split leading reasoning off the text and move ``parser.at`` past it."""
    text, mark = parser.text, dialect.reasoning
    start, close = text.find(mark.open), text.find(mark.close)
    first_call = -1
    if start >= 0 and (start == 0 or text[:start].isspace()):
        start += len(mark.open)
        close, first_call = _end_of_reasoning(dialect, parser, start)
    elif opened:
        start = 0
    elif opened is None and _orphan(dialect, text, start, close) and not _in_call(dialect, parser, close):
        start = 0
        parser.repair("unopened_reasoning")
    else:
        return None
    if close < 0:
        calls = [place for marker in dialect.markers if (place := text.find(marker, start)) >= 0]
        close = end = min(calls, default=len(text) if first_call < 0 else first_call)
        parser.repair("unclosed_reasoning")
    else:
        end = close + len(mark.close)
        while text.startswith("\n", end):
            end += 1
    parser.at = end
    return text[start:close].strip("\n") or None


def cut_later_reasoning(mark: Reasoning, parser: TurnParser) -> None:
    """Cut out the reasoning between the prose of a turn."""
    for start, end in parser.gaps():
        opened = parser.text.find(mark.open, start, end)
        while opened >= 0:
            close = parser.text.find(mark.close, opened, end)
            if close < 0:
                break
            reasoning = parser.text[opened + len(mark.open) : close].strip("\n")
            parser.accept_reasoning(opened, close + len(mark.close), reasoning)
            opened = parser.text.find(mark.open, parser.at, end)


def _end_of_reasoning(dialect: FindsCalls, parser: TurnParser, start: int) -> tuple[int, int]:
    """Where reasoning is closed that begins at ``start``, and where the first call begins that holds its mark.

    A mark inside of a call that needs no repair is part of a value. Both are -1 if there is none.
    """
    text, mark = parser.text, dialect.reasoning.close
    close, first_call = text.find(mark, start), -1
    if close < 0 or not any(text.find(each, start, close) >= 0 for each in dialect.call_starts):
        return close, first_call
    other = TurnParser(text, parser.tools)
    other.at = other.prose_from = start
    dialect.find_calls(other)
    if other.repairs or other.has_dropped:
        return close, first_call
    for begin, end in other.cut_places():
        if begin < close < end:
            first_call = begin if first_call < 0 else first_call
            close = text.find(mark, end)
    return close, first_call


def _orphan(dialect: FindsCalls, text: str, open_at: int, close_at: int) -> bool:
    """Whether a closing marker ends reasoning that the prompt opened, and is not just mentioned."""
    if not dialect.reasoning.own_close or close_at < 0 or 0 <= open_at < close_at or text.startswith(dialect.markers):
        return False
    after = close_at + len(dialect.reasoning.close)
    if after >= len(text) or text[after] in "\r\n" or text.startswith(dialect.markers, after):
        return True
    is_quoted = QUOTING.issuperset((text[close_at - 1 : close_at], text[after]))
    return not is_quoted or text.endswith(ENDS, 0, close_at - 1)


def _in_call(dialect: FindsCalls, parser: TurnParser, place: int) -> bool:
    """Whether ``place`` is inside a call when the text is read without reasoning."""
    if not any(0 <= parser.find(start, parser.at) < place for start in dialect.call_starts):
        return False
    other = TurnParser(parser.text, parser.tools)
    dialect.find_calls(other)
    return any(start < place < end for start, end in other.cut_places())
