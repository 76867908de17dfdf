"""What is right for a turn: calls with accepted values, no call, or any call."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from toolconv.core.messages import Message, Row, calls_of
from toolconv.core.rows import same
from toolconv.core.tools import ToolIndex
from toolconv.score.values import Accepted, kind_of

Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a model: the tool's name and its arguments, an object unless the model wrote something else."""

    name: str
    arguments: Any

    def as_json(self) -> Row:
        """The call as plain data."""
        return {"name": self.name, "arguments": self.arguments}


class ExpectedCall:
    """A call that is right.

    Args:
        first: the call with the first accepted value of each argument, as a gold call or a layout gives it.
        accepted: the accepted values of each argument, as a benchmark lists them; ``None`` for a gold call.
        tools: what a gold call's tool declares.

    Attributes:
        name: the tool's name.
        listed: whether a benchmark lists the accepted values; an argument that it doesn't list is wrong then.
        first: see above.
    """

    __slots__ = ("_accepted", "_tools", "first", "listed", "name")

    def __init__(
        self, first: Call, accepted: Mapping[str, Accepted] | None = None, tools: ToolIndex | None = None
    ) -> None:
        self.name = first.name
        self.first = first
        self.listed = accepted is not None
        self._accepted = accepted
        self._tools = tools

    @property
    def keys(self) -> Collection[str]:
        """The names of its arguments."""
        if self._accepted is not None:
            return self._accepted.keys()
        return self.first.arguments.keys() if isinstance(self.first.arguments, dict) else ()

    def has(self, key: str, given: Arguments) -> bool:
        """Whether an argument of a call is the one value that a gold call gives it, which is right at every level."""
        if self.listed or key not in given or key not in self.keys:
            return False
        return same(self.first.arguments[key], given[key])

    @property
    def arguments(self) -> Mapping[str, Accepted]:
        """The accepted values of each argument. Those of a gold call are made when they are asked for: most are not."""
        if self._accepted is None:
            schema = (self._tools.parameters(self.name) if self._tools is not None else None) or {}
            properties = _properties(schema)
            given = self.first.arguments if isinstance(self.first.arguments, dict) else {}
            self._accepted = {
                name: Accepted.only(value, kind_of(properties.get(name), schema, value))
                for name, value in given.items()
            }
        return self._accepted


@dataclass(frozen=True, slots=True)
class ExpectedTurn:
    """What is right for a turn.

    Attributes:
        kind: ``calls``: these calls; ``none``: no call; ``any``: at least one call, whichever.
        calls: the calls, for ``calls``.
    """

    kind: Literal["calls", "none", "any"]
    calls: tuple[ExpectedCall, ...] = field(default=())


NO_CALL = ExpectedTurn("none")
ANY_CALL = ExpectedTurn("any")


def turn_of(calls: Sequence[ExpectedCall]) -> ExpectedTurn:
    """The turn in which these calls are right; without calls, one in which none is."""
    return ExpectedTurn("calls", tuple(calls)) if calls else NO_CALL


def calls_in(message: Message) -> list[Call]:
    """The calls of a message of a canonical row."""
    return [Call(str(call["function"].get("name")), call["function"].get("arguments")) for call in calls_of(message)]


def listed_calls(truth: Any, first: Sequence[Call]) -> list[ExpectedCall] | None:
    """The calls of a turn of ``ground_truth`` in BFCL's shape ``[{name: {argument: [values]}}]``.

    Args:
        truth: the turn.
        first: the calls that the layout read from it, with the first accepted values.

    Returns:
        The calls; ``None`` if the truth has another shape.
    """
    if not isinstance(truth, list):
        return None
    found: list[ExpectedCall] = []
    for item in truth:
        if not isinstance(item, dict):
            return None
        for name, arguments in item.items():
            if not isinstance(arguments, dict) or not all(isinstance(values, list) for values in arguments.values()):
                return None
            accepted = {key: Accepted(tuple(values)) for key, values in arguments.items()}
            number = len(found)
            call = first[number] if number < len(first) and first[number].name == name else Call(name, _first(accepted))
            found.append(ExpectedCall(call, accepted))
    return found


def _first(accepted: Mapping[str, Accepted]) -> Arguments:
    return {key: values.values[0] for key, values in accepted.items() if values.values and not values.optional}


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}
