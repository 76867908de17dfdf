"""What is right for a turn: calls with accepted values, no call, or any call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from toolconv.core.conversation import Message, Row, calls_of
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


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """A call that is right.

    Attributes:
        name: the tool's name.
        arguments: the accepted values of each argument.
        listed: whether a benchmark lists the accepted values; an argument that it doesn't list is wrong then.
        first: the call with the first accepted value of each argument, as a gold call or a layout gives it.
    """

    name: str
    arguments: Mapping[str, Accepted]
    listed: bool
    first: Call


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


def expected_call(call: Call, tools: ToolIndex) -> ExpectedCall:
    """A gold call as an expected one: each argument has one accepted value."""
    schema = tools.parameters(call.name) or {}
    properties = _properties(schema)
    given = call.arguments if isinstance(call.arguments, dict) else {}
    accepted = {
        name: Accepted.only(value, kind_of(properties.get(name), schema, value)) for name, value in given.items()
    }
    return ExpectedCall(call.name, accepted, listed=False, first=call)


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
            found.append(ExpectedCall(name, accepted, listed=True, first=call))
    return found


def _first(accepted: Mapping[str, Accepted]) -> Arguments:
    return {key: values.values[0] for key, values in accepted.items() if values.values and not values.optional}


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}
