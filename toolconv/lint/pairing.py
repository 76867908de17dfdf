"""Which tool response answers which call of a row: worked out once, told by several rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from toolconv import jsontext
from toolconv.lint.rows import LintCall, LintResponse, LintRow, LintTurn

STRICT = ("openai", "canonical")
"""Layouts in which the responses come right after the message of the calls."""


class Answer(NamedTuple):
    """A response to one of a round's calls.

    Attributes:
        how: what tied them: their ids, else the name, the order, or nothing but that both were left.
    """

    call: LintCall
    response: LintResponse
    how: str


@dataclass
class Round:
    """The calls of a turn and what answers them; ``ended`` by a turn that goes on, unless the row ends."""

    calls: list[LintCall]
    answers: list[Answer] = field(default_factory=list)
    ended: LintTurn | None = None

    @property
    def waiting(self) -> list[LintCall]:
        """Calls without an answer so far."""
        answered = {id(answer.call) for answer in self.answers}
        return [call for call in self.calls if id(call) not in answered]


@dataclass
class Pairing:
    """All rounds of a row, and the responses that answer no call."""

    rounds: list[Round] = field(default_factory=list)
    orphans: list[tuple[LintResponse, str]] = field(default_factory=list)


def pairing(row: LintRow) -> Pairing:
    """The pairing of a row."""
    found: Pairing | None = row.memo.get("pairing")
    if found is None:
        found = row.memo["pairing"] = _pair(row)
    return found


def _pair(row: LintRow) -> Pairing:
    strict = row.read_as is not None and row.read_as.name in STRICT
    result = Pairing()
    current: Round | None = None
    by_id: dict[str, Round] = {}
    for turn in row.turns:
        if turn.calls:
            if current is not None and not strict and not current.answers and not current.ended:
                current.calls += turn.calls
            else:
                if current is not None and current.ended is None:
                    current.ended = turn
                current = Round(list(turn.calls))
                result.rounds.append(current)
            by_id.update((call.id, current) for call in turn.calls if isinstance(call.id, str))
        elif turn.responses:
            for response in turn.responses:
                if not strict and current is not None and _answers_all(current, response):
                    shared = LintResponse(None, None, response.content, response.pointer)
                    current.answers += [Answer(call, shared, "order") for call in current.waiting]
                else:
                    _answer(result, current, by_id, response)
        elif current is not None and current.ended is None:
            current.ended = turn
    return result


def _answers_all(current: Round, response: LintResponse) -> bool:
    """Whether a response is the list of the results of all calls of its round."""
    text = response.content
    if current.answers or len(current.calls) < 2 or not isinstance(text, str) or text.lstrip()[:1] != "[":
        return False
    try:
        value = jsontext.loads(text)
    except ValueError:
        return False
    return isinstance(value, list) and len(value) == len(current.calls)


def _answer(result: Pairing, current: Round | None, by_id: dict[str, Round], response: LintResponse) -> None:
    waiting = current.waiting if current is not None and current.ended is None else []
    if isinstance(response.id, str):
        own = by_id.get(response.id)
        if own is not None:
            call = next((call for call in own.waiting if call.id == response.id), None)
            if call is None:
                result.orphans.append((response, f"a second response to {response.id!r}"))
            else:
                own.answers.append(Answer(call, response, "id"))
            return
    if not waiting or current is None:
        who = f" with the id {response.id!r}" if response.id else f" of {response.name!r}" if response.name else ""
        result.orphans.append((response, f"a tool response{who}, and no call waits for one"))
        return
    named = [call for call in waiting if response.name is not None and call.name == response.name]
    how = "name" if named else "order" if response.name is None else "rest"
    if isinstance(response.id, str) and any(call.id is not None for call in waiting):
        how = "wrong id"
    current.answers.append(Answer((named or waiting)[0], response, how))
