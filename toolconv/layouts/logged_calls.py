"""The core of layouts of logged model calls: a request and its answer under keys of a record, messages of any API.

A layout is a table of where a record holds what. :class:`~toolconv.layouts.any_messages.Logged` reads the messages, and
:mod:`~toolconv.layouts.traces` finds the calls of a trace that are rows.
"""

from __future__ import annotations

from typing import Any, ClassVar

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row
from toolconv.layouts.any_messages import INSTRUCTIONS, Logged
from toolconv.layouts.base import Layout, LayoutError
from toolconv.layouts.call_items import extras
from toolconv.layouts.tool_places import Place, value_at
from toolconv.layouts.traces import CONTEXT, EARLIER, EARLIER_TURNS, Traces


class LoggedCall(Layout):
    """A record of a model call.

    Attributes:
        asked, answered: the keys of the request and of the answer.
        tools_at: the places of tools that are not in the request; the first that are there count.
        used: further keys whose content is in the messages and the tools.
        pointer: where errors in messages are reported: the JSON pointer of the request.
    """

    leaves_out: ClassVar[bool] = True
    asked: ClassVar[str]
    answered: ClassVar[str]
    tools_at: ClassVar[tuple[Place, ...]] = ()
    used: ClassVar[tuple[str, ...]] = ()
    pointer: ClassVar[str] = ""

    def decode(self, row: Row) -> Conversation:
        logged = Logged()
        for call in row.get(EARLIER) or ():
            logged.request(call.get(self.asked))
            logged.answer(call.get(self.answered))
        logged.request(row.get(self.asked))
        if logged.continues():
            logged.notes.losses.append(EARLIER_TURNS)
        if (answer := jsontext.opened(row.get(self.answered))) or isinstance(answer, str):
            logged.answer(answer)
        if not logged.messages:
            raise LayoutError("the record has neither messages nor an answer")
        for place in self.tools_at:
            logged.declare(value_at(row, place))
        logged.supplement(row.get(CONTEXT))
        return logged.conversation(logged.keys(self.kept(row)), self.pointer)

    def kept(self, row: Row) -> Row:
        """The keys of the record that stay."""
        return extras(row, self.asked, self.answered, *self.used, EARLIER, CONTEXT)


class LoggedTraces(LoggedCall, Traces):
    """Records of traces, of which some are model calls.

    Attributes:
        instructions_at: the places of the system text in a record around model calls, other than its request.
        trace, span, parent, time: the keys of the ids of the trace, of the record and of the one around it, and of the
            time when it began; of several, the first that is there.
    """

    instructions_at: ClassVar[tuple[Place, ...]] = ()
    trace: ClassVar[tuple[str, ...]]
    span: ClassVar[tuple[str, ...]] = ("id",)
    parent: ClassVar[tuple[str, ...]]
    time: ClassVar[tuple[str, ...]]

    def trace_of(self, record: Row) -> Any:
        return _first(record, self.trace)

    def span_of(self, record: Row) -> tuple[Any, Any]:
        return _first(record, self.span), _first(record, self.parent)

    def time_of(self, record: Row) -> Any:
        return _first(record, self.time)

    def context_of(self, record: Row) -> Row:
        asked = jsontext.opened(record.get(self.asked))
        asked = asked if isinstance(asked, dict) else {}
        tools = (asked.get("tools"), *(value_at(record, place) for place in self.tools_at))
        texts = (*map(asked.get, INSTRUCTIONS), *(value_at(record, place) for place in self.instructions_at))
        return {"instructions": next(filter(None, texts), None), "tools": next(filter(None, tools), None)}


def _first(record: Row, keys: tuple[str, ...]) -> Any:
    return next((record[key] for key in keys if record.get(key)), None)
