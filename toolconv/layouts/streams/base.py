"""The contract of an API whose streams are read: its events, where an answer ends, and what its events add up to.

The events of one answer add up to the object that the API answers without streaming, so that the calls in it are read
in one place, by that object's layout.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from toolconv.core import jsontext
from toolconv.core.messages import Row
from toolconv.layouts.base import Layout
from toolconv.layouts.pieces import Places

LONGEST = 9
"""How many digits an index has at most, and one more."""
SINGLE = frozenset({"role", "name", "id", "type", "index", "finish_reason", "stop_reason", "model"})
"""Keys whose texts are repeated, not continued, from event to event."""


@dataclass(repr=False, eq=False)
class StreamedAnswer:
    """What the events of one answer add up to.

    Attributes:
        row: the answer, as a row of the API's layout.
        ended: whether the events say why it ended; otherwise it was cut off.
        cut_short: whether its length was limited: its last call may be incomplete.
        open_call: whether its last call has a name, and its arguments have not begun.
        repairs: names of repairs.
    """

    row: Row
    ended: bool
    cut_short: bool = False
    open_call: bool = False
    repairs: list[str] = field(default_factory=list)


class Boundary(ABC):
    """Finds where the events of one answer end and those of another begin."""

    @abstractmethod
    def is_another(self, event: Row) -> bool:
        """Whether an event begins another answer than the events that were added."""

    @abstractmethod
    def add(self, event: Row) -> None:
        """Add an event of this answer."""


class FirstEvent(Boundary):
    """An answer begins with an event of one type."""

    def __init__(self, begins: str) -> None:
        self._begins = begins
        self._has_begun = False

    def is_another(self, event: Row) -> bool:
        return self._has_begun and event.get("type") == self._begins

    def add(self, event: Row) -> None:
        self._has_begun = self._has_begun or event.get("type") != "ping"


class Api(ABC):
    """An API whose streams are read.

    Attributes:
        layout: that of its answers.
        places: where something is read in an event.
        several: the key, in an event, of the pieces of several answers to one request; empty if it gives one answer.
    """

    layout: ClassVar[Layout]
    places: ClassVar[Places]
    several: ClassVar[str] = ""

    def places_in(self, event: Any) -> Places:
        """Where something is read in one event; ``event`` may be anything."""
        return self.places

    @abstractmethod
    def is_event(self, value: Row) -> bool:
        """Whether an object is an event of this API and of no other. It may fail as ``Layout.matches`` may."""

    def continues(self, value: Row) -> bool:
        """Whether an object may follow events of this API; weaker than :meth:`is_event`."""
        return self.is_event(value)

    @abstractmethod
    def boundary(self) -> Boundary:
        """What finds the end of an answer."""

    def apart(self, events: Sequence[Row]) -> list[list[Row]]:
        """The events of each answer to a request: those with a piece of it, and those with a piece of none."""
        listed = [indexed(event.get(self.several)) for event in events]
        each: dict[int, list[Row]] = {index: [] for index in sorted({at for pieces in listed for at, _ in pieces})}
        if len(each) < 2:
            return [list(events)]
        for event, pieces in zip(events, listed, strict=True):
            own: dict[int, list[Row]] = {}
            for at, piece in pieces:
                own.setdefault(at, []).append(piece)
            for index in own or each:
                each[index].append({**event, self.several: own[index]} if own else event)
        return list(each.values())

    @abstractmethod
    def assemble(self, events: Sequence[Row]) -> StreamedAnswer:
        """What the events of one answer add up to; of several answers, the first.

        Raises:
            LayoutError: they hold no answer.
        """


class TypedEvents(Api):
    """An API whose events have a ``type``, and whose answers begin with an event of one type."""

    begins: ClassVar[str]

    def continues(self, value: Row) -> bool:
        return isinstance(value.get("type"), str)

    def boundary(self) -> Boundary:
        return FirstEvent(self.begins)


def merged(old: Any, new: Any, key: str = "") -> Any:
    """A value continued by another one: texts and lists are appended, objects merged; other values are replaced."""
    if isinstance(old, str) and isinstance(new, str) and key not in SINGLE:
        return old + new
    if isinstance(old, list) and isinstance(new, list):
        return [*old, *new]
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{name: merged(old.get(name), value, name) for name, value in new.items()}}
    return old if new is None else new


def present(value: Row, *but: str) -> Row:
    """The keys of an object that have a value, other than ``but``."""
    return {key: item for key, item in value.items() if item is not None and key not in but}


def is_json(text: str) -> bool:
    """Whether a text is JSON."""
    try:
        jsontext.loads(text)
    except ValueError:
        return False
    return True


def objects(value: Any) -> list[Row]:
    """The objects in a list; none for any other value."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def indexed(value: Any) -> list[tuple[int, Row]]:
    """The objects in a list, each with its index, a number or its text.

    Without one, or with a null as Google's SDK has, it is its place.
    """
    given = ((at, str(piece.get("index")), piece) for at, piece in enumerate(objects(value)))
    return [(int(index) if index.isdecimal() and len(index) < LONGEST else at, piece) for at, index, piece in given]


def object_at(value: Any, *keys: str) -> Row:
    """The object at a path; an empty one if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}
