"""The core of layouts of logged model calls: a request and its answer under keys of a record, messages of any API.

A layout is a table of where a record holds what. :class:`~toolconv.layouts.any_messages.Logged` reads the messages, and
:mod:`~toolconv.layouts.traces` finds the calls of a trace that are rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, ClassVar

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row, calls_of, text_of
from toolconv.core.rows import MISSHAPEN
from toolconv.layouts.any_messages import INSTRUCTIONS, Logged
from toolconv.layouts.base import Layout, LayoutError
from toolconv.layouts.call_items import extras
from toolconv.layouts.found_answers import messages_of
from toolconv.layouts.tool_places import Place, value_at
from toolconv.layouts.traces import CONTEXT, EARLIER, EARLIER_TURNS, GATHERED, LOST, LOST_CALLS, Traces


class LoggedCall(Layout):
    """A record of a model call.

    Attributes:
        asked, answered: the keys of the request and of the answer.
        tools_at: the places of tools that are not in the request; the first that are there count.
        used: further keys whose content is in the messages and the tools.
        pointer: where errors in messages are reported: the JSON pointer of the request.
    """

    leaves_out = True
    asked: ClassVar[str]
    answered: ClassVar[str]
    tools_at: ClassVar[tuple[Place, ...]] = ()
    used: ClassVar[tuple[str, ...]] = ()
    pointer: ClassVar[str] = ""

    def decode(self, row: Row) -> Conversation:
        logged = Logged()
        self.begin(logged, row)
        for call in (*(row.get(EARLIER) or ()), row):
            logged.request(self.request_of(call))
            if call is row and logged.continues():
                logged.notes.losses.append(EARLIER_TURNS)
            _add_answer(logged, jsontext.opened(self.answer_of(call)))
        if not logged.messages:
            raise LayoutError("the record has neither messages nor an answer")
        for place in self.tools_at:
            logged.declare(value_at(row, place))
        logged.supplement(row.get(CONTEXT))
        logged.notes.losses += [LOST_CALLS] * row.get(LOST, 0)
        return logged.conversation(logged.keys(self.kept(row)), self.pointer)

    def begin(self, logged: Logged, row: Row) -> None:
        """Add what a record says before its request."""

    def request_of(self, record: Row) -> Any:
        """What was sent."""
        return record.get(self.asked)

    def answer_of(self, record: Row) -> Any:
        """What came back; ``None`` if it was not recorded."""
        return record.get(self.answered)

    def kept(self, row: Row) -> Row:
        """The keys of the record that stay."""
        return extras(row, self.asked, self.answered, *self.used, *GATHERED)


def _add_answer(logged: Logged, value: Any) -> None:
    """What came back: a message or several, an answer of an API, a text."""
    logged.end()
    if isinstance(value, dict) and isinstance(value.get("output"), list):  # of Responses, which repeats its request
        logged.instruct(value.get("instructions"))
        logged.declare(value.get("tools"))
    messages = messages_of(value, logged.notes)
    if value and not messages and not isinstance(value, dict):  # what an object holds is looked at when all is read
        raise LayoutError("the answer has no known form")
    for message in messages:
        logged.message(message)
    logged.end()


def _signature(call: Row) -> bytes:
    """A call without its id."""
    return jsontext.dumps_sorted(call["function"])


class LoggedTraces(LoggedCall, Traces):
    """Records of traces, of which some are model calls.

    Attributes:
        instructions_at: the places of the system text in a record around model calls, other than its request.
    """

    instructions_at: ClassVar[tuple[Place, ...]] = ()

    def lost(self, whole: Conversation, records: Iterable[Row]) -> int:
        texts, calls = {""}, set[bytes]()
        for message in whole.messages:
            texts.add(text_of(message.get("content"))[0].strip())
            calls.update(map(_signature, calls_of(message)))
        lost = 0
        for record in records:
            answered = Logged()
            with suppress(LayoutError, *MISSHAPEN):  # then it is no answer
                _add_answer(answered, jsontext.opened(self.answer_of(record)))
            lost += any(
                text_of(message.get("content"))[0].strip() not in texts
                or not calls.issuperset(map(_signature, calls_of(message)))
                for message in answered.messages
            )
        return lost

    def context_of(self, record: Row) -> Row:
        asked = jsontext.opened(record.get(self.asked))
        asked = asked if isinstance(asked, dict) else {}
        tools = (asked.get("tools"), *(value_at(record, place) for place in self.tools_at))
        texts = (*map(asked.get, INSTRUCTIONS), *(value_at(record, place) for place in self.instructions_at))
        return {"instructions": next(filter(None, texts), None), "tools": next(filter(None, tools), None)}
