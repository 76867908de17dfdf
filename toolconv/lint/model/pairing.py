"""Pairs the tool responses of a row with its calls, once for several rules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from toolconv.core import jsontext
from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.turns import LintResponse, LintTurn

STRICT = ("openai", "openai-ft", "canonical")
"""Layouts in which responses directly follow the message with the calls, one for each call."""

AT_ONCE = (*STRICT, "anthropic", "bedrock")
"""Layouts of APIs that refuse another turn between a call and its response."""


class Answer(NamedTuple):
    """A response to one of a round's calls.

    Attributes:
        how: what matched them: their ids, else the name, the order, or only that both were left over.
    """

    call: LintCall
    response: LintResponse
    how: str


class Round:
    """The calls of a turn and their responses.

    Attributes:
        calls, answers: in their order.
        ended: the turn that follows; ``None`` at the end of the row.
    """

    def __init__(self) -> None:
        self.calls: list[LintCall] = []
        self.answers: list[Answer] = []
        self.ended: LintTurn | None = None
        self._waiting: dict[int, LintCall] = {}

    @property
    def waiting(self) -> Collection[LintCall]:
        """Calls without an answer yet."""
        return self._waiting.values()

    def call(self, calls: Iterable[LintCall]) -> None:
        """Add calls that wait for an answer."""
        for call in calls:
            self.calls.append(call)
            self._waiting[id(call)] = call

    def answer(self, call: LintCall, response: LintResponse, how: str) -> None:
        """Record a call's answer."""
        self.answers.append(Answer(call, response, how))
        del self._waiting[id(call)]


class Pairing:
    """All rounds of a row, the responses that answer no call, and those with another turn before them."""

    def __init__(self) -> None:
        self.rounds: list[Round] = []
        self.orphans: list[tuple[LintResponse, str]] = []
        self.late: list[tuple[LintResponse, LintTurn]] = []


def pair(turns: Sequence[LintTurn], *, strict: bool) -> Pairing:
    """Pair the responses of a row with its calls.

    Args:
        turns: the row's turns.
        strict: responses directly follow the turn of their calls, and each response answers one call.
    """
    result = Pairing()
    current: Round | None = None
    by_id: dict[str, Round] = {}
    for at, turn in enumerate(turns):
        if turn.calls:
            if current is not None and not strict and not current.answers and not current.ended:
                current.call(turn.calls)
            else:
                if current is not None and current.ended is None:
                    current.ended = turn
                current = Round()
                current.call(turn.calls)
                result.rounds.append(current)
            by_id.update((call.id, current) for call in turn.calls if isinstance(call.id, str))
        elif turn.responses:
            alone = len(turn.responses) == 1 and not any(each.responses for each in turns[at + 1 : at + 2])
            for response in turn.responses:
                if alone and not strict and current is not None and _answers_all(current, response):
                    shared = LintResponse(None, None, response.content, response.pointer)
                    for call in list(current.waiting):
                        current.answer(call, shared, "order")
                else:
                    _answer(result, current, by_id, response)
        elif current is not None and current.ended is None:
            current.ended = turn
    return result


def _answers_all(current: Round, response: LintResponse) -> bool:
    """Whether a response, or its JSON text, is the list of all results of its round, and not of content blocks."""
    value = response.content
    if current.answers or len(current.calls) < 2:
        return False
    if isinstance(value, str):
        value = jsontext.opened(value) if value.lstrip()[:1] == "[" else None
    if not isinstance(value, list) or len(value) != len(current.calls):
        return False
    are_blocks = any(isinstance(each, dict) and isinstance(each.get("type"), str) for each in value)
    return isinstance(response.content, str) or not are_blocks


def _answer(result: Pairing, current: Round | None, by_id: dict[str, Round], response: LintResponse) -> None:
    if isinstance(response.id, str):
        own = by_id.get(response.id)
        if own is not None:
            call = next((call for call in own.waiting if call.id == response.id), None)
            if call is None:
                result.orphans.append((response, f"a second response to {response.id!r}"))
            else:
                own.answer(call, response, "id")
                if own.ended is not None:
                    result.late.append((response, own.ended))
            return
    first = next(iter(current.waiting), None) if current is not None and current.ended is None else None
    if first is None or current is None:
        who = f" with the id {response.id!r}" if response.id else f" of {response.name!r}" if response.name else ""
        result.orphans.append((response, f"a tool response{who}, and no call waits for one"))
        return
    named = None
    if response.name is not None:
        named = next((call for call in current.waiting if call.name == response.name), None)
    how = "name" if named else "order" if response.name is None else "rest"
    if isinstance(response.id, str) and any(call.id is not None for call in current.waiting):
        how = "wrong id"
    current.answer(named or first, response, how)
