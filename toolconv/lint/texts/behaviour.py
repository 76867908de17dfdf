"""What the assistant does in each of its turns: the classes of When2Call.

Source: When2Call (Ross et al. 2025): call, ask for what is missing, say that no tool fits, or answer directly; Hammer
(Lin et al. 2024) for rows in which no tool fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple, get_args

from toolconv.lint.texts.outcomes import asks, refuses

Behaviour = Literal["call", "ask", "decline", "answer", "after response", "without tools"]
"""What a turn of the assistant is:

- ``call``: it calls a tool.
- ``ask``: no call; it asks the user for something.
- ``decline``: no call; it says that it can't, or that no tool fits.
- ``answer``: no call, though tools are declared and none has responded to this request.
- ``after response``: an answer to the request after a tool's response.
- ``without tools``: a turn in a row that declares no tools.
"""

BEHAVIOURS: Final[tuple[Behaviour, ...]] = get_args(Behaviour)


class Said(NamedTuple):
    """A turn: its role, its text, and the names of its calls."""

    role: str
    text: str
    calls: tuple[str, ...] = ()


def behaviours(
    turns: Iterable[Said], *, has_tools: bool, no_call: frozenset[str], silent: bool = False
) -> Iterator[tuple[Behaviour, bool]]:
    """What each turn of the assistant does, and whether it directly follows the user.

    Args:
        turns: all turns of a row; responses have the role ``tool``.
        has_tools: the row declares tools.
        no_call: names that models call to say that no tool fits.
        silent: the layout has calls only, so that a last request without any is declined.
    """
    responded, before = False, ""
    for turn in turns:
        if turn.role == "assistant":
            yield _behaviour(turn, responded, has_tools, no_call), before == "user"
        elif turn.role in ("user", "tool"):
            responded = turn.role == "tool"
        before = turn.role
    if silent and before == "user":
        yield "decline" if has_tools else "without tools", True


def _behaviour(turn: Said, responded: bool, has_tools: bool, no_call: frozenset[str]) -> Behaviour:
    if not no_call.issuperset(turn.calls):
        return "call"
    if turn.calls:
        return "decline"
    if not has_tools:
        return "without tools"
    if responded:
        return "after response"
    if refuses(turn.text):
        return "decline"
    return "ask" if asks(turn.text) else "answer"
