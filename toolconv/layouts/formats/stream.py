"""Recorded streams: events of OpenAI chat and text completions, OpenAI Responses, Anthropic, Gemini and Cohere.

The events are ``data:`` lines of server-sent events, JSON lines, or the elements of an array. First of all, those of an
answer are joined to a row ``{"chunks": […], "done": true}``; such rows are read too. They end with ``[DONE]`` or where
another answer begins. The events are put together to what the API answers without streaming, which the layouts
``chat-completion``, ``responses``, ``anthropic``, ``gemini`` and ``cohere`` read. Recorded streams of Ollama have the
layout ``ollama``.

- Calls go on by their ``index``. A second name at the same index begins another call, as some gateways write them so;
  ids are only hints, as gateways change them.
- Fragments are deltas, or the whole text so far (repair ``cumulative_stream``).
- A stream that says neither why nor that it ended was cut off: repair ``stream_cut_off``, and ``"finish_reason": null``
  in the message. A call that was cut off keeps its text and counts as dropped.
- A stream that broke off with an error is rejected. Each of several answers to a request is one.

Rows are only read.

Source: OpenAI, Anthropic, Gemini and Cohere API references, streaming; vLLM's OpenAI-compatible server.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row
from toolconv.core.notes import Dropped
from toolconv.core.row_fields import RowField
from toolconv.core.rows import MISSHAPEN, Line
from toolconv.io import sse
from toolconv.layouts.answers import AnswersForm, Apart
from toolconv.layouts.base import Layout, LayoutError, NoConversation, value_of
from toolconv.layouts.pieces import Places
from toolconv.layouts.streams import api_of, error_of
from toolconv.layouts.streams.base import Api, Boundary
from toolconv.layouts.streams.openai_chunks import is_chunk


class StreamedAnswers(AnswersForm):
    """The answers of a request for several, whose chunks have an index each."""

    def apart(self, row: Row) -> Apart | None:
        chunks = _chunks(row)
        api = _api(chunks)
        each = [] if api is None else api.apart(list(filter(_is_object, chunks)))
        if len(each) < 2 or not all(map(_is_object, chunks)):
            return None
        rows = [{**row, "chunks": own} if "chunks" in row else own[0] for own in each]
        return Apart(rows, [""] * len(rows), ranked=False, column="")


class Stream(Layout):
    """The events of one answer."""

    name: ClassVar[str] = "stream"
    aliases: ClassVar[tuple[str, ...]] = ("sse", "chunks")
    sample: ClassVar[str] = (
        'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant",'
        '"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"ping","arguments":""}}]}}]}\n\n'
        'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{'
        '"index":0,"function":{"arguments":"{}"}}]},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]'
    )

    answers: Sequence[AnswersForm] = (StreamedAnswers(),)
    answer_keys: frozenset[str] = frozenset({"chunks", "choices"})

    def joins(self, document: Any) -> bool:
        return api_of(document) is not None

    def gather(self, lines: Iterator[Line], *, each_call: bool = False) -> Iterator[Line]:
        """A row for each answer: up to ``[DONE]``, an error, or an event that begins another one."""
        held = _Held()
        for number, text in lines:
            data = sse.payload(text)
            if not data:
                continue
            if data == sse.DONE:
                if held.texts:
                    yield held.row(done=True)
                held = _Held()
                continue
            event = value_of(data)
            error = error_of(event)
            api = None if error else held.api_of(event)
            if held.texts and api is not None and held.is_another(api, event):
                yield held.row(done=False)
                held = _Held()
            held.add(number, data, event, api)
            if error:
                yield held.row(done=False)
                held = _Held()
        if held.texts:
            yield held.row(done=False)

    def matches(self, row: Row) -> bool:
        chunks = row.get("chunks")
        if isinstance(chunks, list) and chunks:
            return any(api_of(chunk) is not None for chunk in chunks)
        return is_chunk(row)

    def streamed(self, row: Row) -> Places:
        api = _api(_chunks(row))
        if api is None:
            return {}
        return api.places_in(row) if is_chunk(row) else {"chunks": [api.places_in], "done": None}

    def decode(self, row: Row) -> Conversation:
        chunks = _chunks(row)
        if not chunks:
            raise LayoutError("no chunks of a stream")
        api = _api(chunks)
        for chunk in chunks:
            if error := error_of(chunk):
                raise NoConversation(f"the stream broke off with an error: {jsontext.compact(error)[:200]}")
            if api is None or not isinstance(chunk, dict) or not api.continues(chunk):
                raise LayoutError(_no_event(chunk))
        assert api is not None
        answer = api.assemble(chunks)
        conversation = api.layout.decode(answer.row)
        notes = conversation.notes
        notes.repairs.extend(answer.repairs)
        if not all(isinstance(message.get("role"), str) for message in conversation.messages):
            raise LayoutError("a role in the stream is not text")
        message = _last_answer(conversation)
        cut_off = not answer.ended and not row.get("done")
        if cut_off:
            notes.repairs.append("stream_cut_off")
            message["finish_reason"] = None
        if (cut_off or answer.cut_short) and answer.open_call and message.get("tool_calls"):
            function = message["tool_calls"][-1]["function"]
            function["arguments"] = ""
            if "empty_arguments" in notes.repairs:
                notes.repairs.remove("empty_arguments")
            notes.dropped.append(Dropped(f"call of {function['name']!r}: cut off before its arguments", ""))
        if not is_chunk(row):
            kept = {key: value for key, value in row.items() if key not in ("chunks", "done")}
            conversation.row = {**kept, **conversation.row}
        conversation.fields = (RowField("", len(conversation.messages)),)
        return conversation


def _chunks(row: Row) -> list[Any]:
    """The chunks in a row, which may be one itself."""
    chunks = row.get("chunks")
    if isinstance(chunks, list):
        return chunks
    return [row] if is_chunk(row) else []


def _api(chunks: list[Any]) -> Api | None:
    return next((found for chunk in chunks if (found := api_of(chunk)) is not None), None)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _last_answer(conversation: Conversation) -> Row:
    """The assistant's last message; if the stream was cut off before it, an empty one is added."""
    messages = conversation.messages
    if not messages or messages[-1].get("role") != "assistant":
        messages.append({"role": "assistant", "content": ""})
    return messages[-1]


def _no_event(value: Any) -> str:
    if isinstance(value, str):
        return f"a line of the stream is no JSON: {value[:80]!r}"
    return "a line of the stream is no event of its API"


class _Held:
    """The events of an answer, until it is complete."""

    def __init__(self) -> None:
        self.number = 0
        self.texts: list[bytes] = []
        self._api: Api | None = None
        self._boundary: Boundary | None = None

    def api_of(self, event: Any) -> Api | None:
        """The API of an event; ``None`` if it belongs to no API and can't follow those held."""
        found = api_of(event)
        if found is None and self._api is not None and isinstance(event, dict) and self._api.continues(event):
            return self._api
        return found

    def add(self, number: int, data: bytes, event: Any, api: Api | None) -> None:
        """Add a line with its event; one that is no event (without ``api``) makes the answer a reject."""
        self.number = self.number or number
        self.texts.append(data if event is not None else jsontext.dumps(data.decode("utf-8", "replace")))
        if api is not None:
            if self._boundary is None:
                self._api, self._boundary = api, api.boundary()
            try:
                self._boundary.add(event)
            except MISSHAPEN:  # reading the row says what is wrong
                return

    def is_another(self, api: Api, event: Row) -> bool:
        """Whether an event begins another answer."""
        if self._boundary is None:
            return False
        if api is not self._api:
            return True
        try:
            return self._boundary.is_another(event)
        except MISSHAPEN:
            return False

    def row(self, *, done: bool) -> Line:
        """The row of the events held."""
        end = b"true}" if done else b"false}"
        return Line(self.number, b'{"chunks":[' + b",".join(self.texts) + b'],"done":' + end)


LAYOUT = Stream()
