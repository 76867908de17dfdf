"""Reads one assistant turn while it is written: chunks of text in, events out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolconv.core.errors import ToolconvError
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.live.turn import LiveTurn, StreamEvent
from toolconv.dialects.registry import get
from toolconv.dialects.turn_reader import TurnReader


class StreamClosed(ToolconvError, ValueError):
    """Text was fed to a reader that was closed."""


class StreamReader:
    """Reads one assistant turn in chunks, while a model writes it.

    >>> reader = StreamReader("hermes", in_reasoning=False)
    >>> chunks = "Let me look.\\n<tool", '_call>\\n{"name": "ping", "arguments": {"ho', 'st": "a"}}\\n</tool_call>'
    >>> for chunk in chunks:
    ...     for event in reader.feed(chunk):
    ...         print(event.kind, event.call or event.text)
    prose Let me look.
    call_began ping
    arguments {"ho
    arguments st": "a"}
    call_done ToolCall(name='ping', arguments={'host': 'a'}, id=None, extra=None, untyped=0)
    >>> reader.close()
    []

    However a text is cut into chunks, the events add up to what :func:`toolconv.parse` reads in the whole text: the
    joined texts of ``prose`` and ``reasoning`` are its content and reasoning, and the other events give its calls,
    repairs and dropped calls. No prose, reasoning or finished call is ever taken back: what may still turn into
    something else waits. Words that only a repair makes part of a call, such as a name whose marker is lost, don't
    wait: they are in the prose as well. Repairs and dropped calls come from :meth:`close`; so does everything after a
    block that is not as its family writes it, all prose and calls of formats that mark prose, too, and the end of all
    calls of formats without a closing marker.

    Args:
        dialect: the name or an alias of the dialect, or ``auto``: then the whole text decides and all events come from
            :meth:`close`.
        tools: the declared tools, as for :func:`toolconv.parse`.
        in_reasoning: whether the prompt ends inside an opened reasoning block. Say so if it is known. With ``None``
            the text decides, as a ``</think>`` makes reasoning of what precedes it: a turn that begins neither with
            reasoning nor with a call waits until it is over.

    Raises:
        toolconv.dialects.UnknownDialect: no dialect has that name.
    """

    def __init__(
        self,
        dialect: str = "auto",
        tools: Sequence[Mapping[str, Any]] | None = None,
        *,
        in_reasoning: bool | None = None,
    ) -> None:
        named = None if dialect == "auto" else get(dialect)
        self._tools = ToolIndex([dict(tool) for tool in tools]) if tools else NO_TOOLS
        self._in_reasoning = in_reasoning
        self._reader = TurnReader(named)
        self._chunks: list[str] = []
        self._closed = False
        self._begin()

    def _begin(self) -> None:
        self._turn = LiveTurn(self._reader, self._tools, self._in_reasoning)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_turn"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Read again what was fed before the reader was pickled."""
        vars(self).update(state)
        self._begin()
        if self._reader.named is not None:
            self._turn.feed("".join(self._chunks))
            self._turn.take_events()

    def feed(self, chunk: str) -> list[StreamEvent]:
        """The events that are certain once ``chunk`` is added to the text.

        Raises:
            StreamClosed: the reader is closed.
        """
        if self._closed:
            raise StreamClosed("the stream reader is closed; make a new one for each turn")
        self._chunks.append(chunk)
        if self._reader.named is None:
            return []
        self._turn.feed(chunk)
        return self._turn.take_events()

    def close(self) -> list[StreamEvent]:
        """The events of what is left; nothing is left once the reader is closed."""
        if self._closed:
            return []
        self._closed = True
        parsed = self._reader.read("".join(self._chunks), self._tools, in_reasoning=self._in_reasoning)
        self._turn.finish(parsed)
        return self._turn.take_events()
