"""The model that all layouts and dialects share: a conversation, its messages and its tool calls.

A conversation is stored as its *canonical row*, plain JSON data: the OpenAI chat row with ``arguments`` as objects and
``content`` always text (or a list of content parts). Plain data keeps unknown row keys and message keys, and their
order, without extra code. :class:`ToolCall` is the typed form that dialects read and write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from toolconv.core import jsontext
from toolconv.core.call_keys import unread_key
from toolconv.core.lazy_re import lazy_re
from toolconv.core.marks import MARK_KEYS
from toolconv.core.tools import NO_TOOLS, ToolIndex

if TYPE_CHECKING:
    from toolconv.core.answers import Answers

Row = dict[str, Any]
"""A JSON object: one row of a dataset."""

Message = dict[str, Any]
"""A message of a canonical row: ``role``, ``content``, ``reasoning_content``, ``tool_calls``, ``tool_call_id``, …"""

Tool = dict[str, Any]
"""A declared tool, ``{"type": "function", "function": {"name", "description", "parameters"}}``."""


@dataclass(slots=True)
class ToolCall:
    """One tool call.

    Attributes:
        name: the tool's name as written.
        arguments: an object. In dialects without types, the tool's schema gives its values their types.
        id: the id in the text or row, or ``None``.
        extra: other keys of the call, kept for the row; no dialect writes them.
        untyped: how many of its values got their types by their looks.
        dialect: the dialect it was read in, where that is another than that of the turn.
    """

    name: str
    arguments: dict[str, Any]
    id: str | None = None
    extra: dict[str, Any] | None = None
    untyped: int = field(default=0, compare=False)
    dialect: str | None = field(default=None, compare=False, repr=False)

    def to_openai(self) -> dict[str, Any]:
        """The call as an OpenAI ``tool_calls`` item: ``arguments`` as JSON text, ``id`` if the call has one."""
        item: dict[str, Any] = {} if self.id is None else {"id": self.id}
        item["type"] = "function"
        item["function"] = {"name": self.name, "arguments": jsontext.spaced(self.arguments)}
        return item

    def to_canonical(self) -> dict[str, Any]:
        """The call as an item of a canonical row: like :meth:`to_openai`, with ``arguments`` as an object."""
        item = {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.arguments}}
        return {**self.extra, **item} if self.extra else item

    @classmethod
    def from_openai(cls, call: Any) -> ToolCall:
        """Read an OpenAI or canonical call.

        Args:
            call: a mapping, an object with the same attributes (``call.function.name``), as the openai client and
                vLLM return, or a bare ``{"name", "arguments"}``. ``arguments`` may be JSON text or an object.

        Raises:
            ValueError: there is no name, the arguments are not a JSON object, or there is an object under another key.
        """
        if type(call) is dict and len(call) == 3 and type(function := call.get("function")) is dict:
            name, arguments, call_id = function.get("name"), function.get("arguments"), call.get("id")
            if type(arguments) is dict and type(name) is str and name and type(call_id) is str and "type" in call:
                return cls(name, arguments, call_id)  # a canonical call
        function = _get(call, "function")
        if function is None:
            function = call
        name = _get(function, "name")
        if not isinstance(name, str) or not name:
            raise ValueError("a call without a name")
        arguments = _get(function, "arguments")
        if arguments is None and isinstance(function, Mapping) and (unread := unread_key(function)) is not None:
            raise ValueError(f"no arguments of {name!r}, but {unread!r}")
        if arguments is None or arguments == "":
            arguments = {}
        elif isinstance(arguments, str):
            try:
                arguments = jsontext.loads(arguments)
            except ValueError as error:
                raise ValueError(f"arguments of {name!r} are not JSON ({error})") from None
        if not isinstance(arguments, Mapping):
            raise ValueError(f"arguments of {name!r} are not a JSON object")
        call_id = _get(call, "id")
        extra = None
        if isinstance(call, Mapping):
            known = {"type", "function"} if "function" in call else {"type", "name", "arguments"}
            if call_id is None or isinstance(call_id, str):
                known.add("id")
            extra = {key: value for key, value in call.items() if key not in known} or None
        return cls(name, dict(arguments), call_id if isinstance(call_id, str) else None, extra)


def _get(item: Any, key: str) -> Any:
    return item.get(key) if isinstance(item, Mapping) else getattr(item, key, None)


class Dropped(NamedTuple):
    """A call that could not be read. Its text stays in the row."""

    reason: str
    text: str


UnreadKind = Literal["calls", "messages", "answer", "question", "system", "tools"]
"""What a part of a row seems to be that nobody read."""


class Unread(NamedTuple):
    """A part of a row that nobody read, though it seems to belong to the conversation. It stays where it is.

    Attributes:
        pointer: where it is in the row.
        kind: what it seems to be.
        what: the same in words, such as ``2 hermes calls``.
        option: the option that reads it; empty if there is none.
    """

    pointer: str
    kind: UnreadKind
    what: str
    option: str = ""

    def __str__(self) -> str:
        return f"{self.pointer} holds {self.what}" + (f"; {self.option} reads it" if self.option else "")


class Notes:
    """What happened to a row.

    Attributes:
        repairs, losses: names, one entry for each occurrence.
        dropped: the calls that could not be read.
        unread: the parts that seem to belong to the conversation, and that nobody read.
        changes: what differs between the original row and the written one, for the receipt.
        reasons: why something was lost: the name of the loss and a sentence, where there is one.
        refused: why the trainer that the row is written for will not train on it.
        text_dialects: the dialect of each call that was read from text.
        assumed: the turns with calls that were read in the dialect of their input's first rows, having no markers.
        untyped: how many values of calls got their types by their looks.
        redacted: how many secrets were replaced, by kind.
        given_tools: whether the row declares no tools and got those that the user declares.
        windows: how the row was cut into pieces: counts, for the receipt.
        not_read_back: assistant turns whose losses are not known: a chat template wrote them in an unknown way.
    """

    __slots__ = (
        "assumed",
        "changes",
        "dropped",
        "given_tools",
        "losses",
        "not_read_back",
        "reasons",
        "redacted",
        "refused",
        "repairs",
        "text_dialects",
        "unread",
        "untyped",
        "windows",
    )

    def __init__(self) -> None:
        self.repairs: list[str] = []
        self.dropped: list[Dropped] = []
        self.losses: list[str] = []
        self.unread: list[Unread] = []
        self.changes: Mapping[str, int] = {}
        self.reasons: list[tuple[str, str]] = []
        self.refused: list[str] = []
        self.text_dialects: list[str] = []
        self.assumed = 0
        self.untyped = 0
        self.redacted: Mapping[str, int] = {}
        self.given_tools = False
        self.not_read_back = 0
        self.windows: Mapping[str, int] = {}

    def copy(self) -> Notes:
        """Notes that say the same."""
        copy = Notes()
        copy.add(self, Notes(), "")
        return copy

    def add(self, other: Notes, but: Notes, where: str) -> None:
        """Add what another answer's notes say, without what those of its prompt (``but``) say: that is noted already.

        ``where`` is the place of the answer, which the reasons of its dropped calls name.
        """
        self.repairs += (Counter(other.repairs) - Counter(but.repairs)).elements()
        self.losses += (Counter(other.losses) - Counter(but.losses)).elements()
        self.reasons += (Counter(other.reasons) - Counter(but.reasons)).elements()
        self.text_dialects += (Counter(other.text_dialects) - Counter(but.text_dialects)).elements()
        dropped = Counter(other.dropped) - Counter(but.dropped)
        self.dropped += [
            Dropped(f"{each.reason} (in {where})" if where else each.reason, each.text) for each in dropped.elements()
        ]
        self.assumed += max(other.assumed - but.assumed, 0)
        self.untyped += max(other.untyped - but.untyped, 0)
        self.not_read_back += max(other.not_read_back - but.not_read_back, 0)


class Unit(NamedTuple):
    """The smallest part of a row that holds whole messages: some pieces, and the messages in them."""

    messages: list[Message]
    pieces: list[Any]


class RowField(NamedTuple):
    """A field of a row that holds messages, and the mapping between its pieces and these messages.

    Attributes:
        pointer: JSON pointer of the field; ``""``, the whole row, if the messages are not separate values in it.
        size: how many messages it holds.
        pieces: the items of its list; ``None`` for a field in one piece, such as a system text.
        starts: for each message, the index of the first piece that holds it; messages with the same start share a
            unit. ``None`` if each piece holds one message.
    """

    pointer: str
    size: int
    pieces: Sequence[Any] | None = None
    starts: Sequence[int] | None = None

    def pointers(self) -> list[str]:
        """The pointer of each message."""
        if self.pieces is None:
            return [self.pointer] * self.size
        prefix = f"{self.pointer}/"
        starts = range(self.size) if self.starts is None else self.starts[: self.size]
        return [prefix + str(start) for start in starts]

    def pieces_of(self, message: int) -> list[str]:
        """The pointers of all pieces of the unit of a message, given by its index in the field."""
        if self.pieces is None:
            return [self.pointer]
        starts = range(self.size) if self.starts is None else self.starts
        start = starts[message]
        end = next((later for later in starts[message:] if later > start), len(self.pieces))
        return [f"{self.pointer}/{at}" for at in range(start, end)]

    def units(self, messages: list[Message]) -> list[Unit]:
        """The units of a field with pieces, given its messages."""
        pieces = list(self.pieces or ())
        if self.starts is None:
            return [Unit([message], [piece]) for message, piece in zip(messages, pieces, strict=True)]
        starts = self.starts
        first = [at for at in range(self.size) if at == 0 or starts[at] != starts[at - 1]]
        ends = [*(starts[at] for at in first[1:]), len(pieces)]
        return [
            Unit(messages[at:after], pieces[starts[at] : end])
            for (at, after), end in zip(pairwise([*first, self.size]), ends, strict=True)
        ]


@dataclass(slots=True)
class Conversation:
    """A conversation while it is converted.

    Attributes:
        row: the canonical row. Keys keep their places.
        notes: what has happened to it so far.
        text_key: the key of the text of a ``completion`` row; ``None`` for other layouts.
        origin: the name of the layout it was read from, and the row itself, so that unchanged parts are written back
            verbatim.
        fields: the fields of that row that the messages were read from, in the order of the messages.
        prompt: the text that the output of a ``completion`` row answers; ``None`` if it is not a text, or not there.
        answers: its other answers, if it has several; the messages end with the first, the one to prefer.
        read_as: the layout that read it, where that layout's rows are wrapped or have other keys in this row.
    """

    row: Row
    notes: Notes = field(default_factory=Notes)
    text_key: str | None = None
    origin: tuple[str, Row] | None = None
    fields: Sequence[RowField] = ()
    prompt: str | None = None
    answers: Answers | None = None
    read_as: str | None = None
    _declared: ToolIndex = NO_TOOLS

    def _repr_html_(self) -> str:
        """The turns as markup, for notebooks."""
        from toolconv.core.transcript import markup, turns_of

        return markup(turns_of(self.all_messages), {})

    @property
    def messages(self) -> list[Message]:
        """The messages, in order."""
        messages: list[Message] = self.row["messages"]
        return messages

    @property
    def source(self) -> Row:
        """The row that it was read from; the canonical one if it was read from none."""
        if self.answers is not None:
            return self.answers.row
        return self.row if self.origin is None else self.origin[1]

    @property
    def all_messages(self) -> list[Message]:
        """The messages, followed by those of each other answer: its prompt is not repeated."""
        if self.answers is None:
            return self.messages
        start = self.answers.shared
        return self.messages + [message for other in self.answers.others for message in other.messages[start:]]

    @property
    def tools(self) -> list[Tool]:
        """The declared tools; empty when none are declared."""
        tools = self.row.get("tools")
        return tools if type(tools) is list else []

    @property
    def declared(self) -> ToolIndex:
        """The declared tools by name; the same object until other tools are declared."""
        tools = self.row.get("tools")
        if not tools or type(tools) is not list:
            return NO_TOOLS
        if self._declared.tools is not tools:
            self._declared = ToolIndex(tools)
        return self._declared


TEXT_PARTS = ("text", "input_text", "output_text", None)
"""The types of content parts that are text, in the APIs of OpenAI and those who copy it."""


def text_of(content: Any, between: str = "") -> tuple[str, bool]:
    """The text of a content, and whether that is all of it.

    The texts of content parts are joined by ``between``: nothing, as the providers do. Parts that are not text,
    such as images, are left out. Anything else than text and parts becomes JSON.
    """
    if isinstance(content, str):
        return content, True
    if content is None:
        return "", True
    if not isinstance(content, list):
        return jsontext.spaced(content), False
    texts = text_parts(content)
    return between.join(texts), len(texts) == len(content) > 0


def text_parts(parts: Sequence[Any]) -> list[str]:
    """The texts of those content parts that are text."""
    texts = []
    for part in parts:
        if isinstance(part, dict) and part.get("type") in TEXT_PARTS:
            part = part.get("text")
        if isinstance(part, str):
            texts.append(part)
    return texts


WRITTEN_KEYS = frozenset({"role", "content", "reasoning_content", "tool_calls", "tool_call_id"})
"""The keys of messages whose values texts hold."""
RESULT_KEYS = WRITTEN_KEYS | {"name"}


def unwritten_keys(message: Message) -> list[str]:
    """The keys of a message that a text has no place for. Empty ones, and training marks, don't count."""
    if WRITTEN_KEYS.issuperset(message):
        return []
    known = RESULT_KEYS if message.get("role") == "tool" else WRITTEN_KEYS
    reasoning = message.get("reasoning_content")
    return [
        key
        for key, value in message.items()
        if key not in known and key not in MARK_KEYS and value not in (None, "", [], {}) and value != reasoning
    ]


def number_calls(messages: Sequence[Message]) -> None:
    """Give calls without an id the ids ``call_0``, ``call_1``, … and pair each tool response with its call.

    A response with the id of a call is left alone. One without an id is paired with the first open call of its name, or
    else with the first open call. Ids that are already taken are skipped.
    """
    calls: list[dict[str, Any]] = []
    answers = False
    for message in messages:
        if "tool_calls" in message:
            calls += calls_of(message)
        elif message.get("role") == "tool":
            answers = True
    if not calls:
        return
    count = 0
    taken: set[str] | None = None
    for call in calls:
        if call.get("id") is None:
            if taken is None:
                taken = {each["id"] for each in calls if type(each.get("id")) is str}
            while (call_id := f"call_{count}") in taken:
                count += 1
            call["id"] = call_id
            count += 1
    if answers:
        waiting = _OpenCalls()
        answered = True
        for message in messages:
            if "tool_calls" in message:
                waiting = _OpenCalls() if answered else waiting  # one turn may be several messages
                waiting.add(calls_of(message))
                answered = False
                continue
            answered = True
            if message.get("role") == "tool":
                _tie(message, waiting)


def complete(messages: Sequence[Message]) -> None:
    """Like :func:`number_calls`, with the keys of tool responses in canonical order: role, id, name, then the others.

    For layouts whose rows have no ids: their readers build messages from scratch and call this at the end.
    """
    number_calls(messages)
    for message in messages:
        if message.get("role") == "tool":
            rest = dict(message)
            message.clear()
            message["role"] = rest.pop("role")
            for key in ("tool_call_id", "name"):
                if key in rest:
                    message[key] = rest.pop(key)
            message.update(rest)


def is_numbered(call_id: str) -> bool:
    """Whether an id is one that :func:`number_calls` gives."""
    return _NUMBERED.fullmatch(call_id) is not None


_NUMBERED = lazy_re(r"call_[0-9]+")


class _OpenCalls:
    """The calls of a turn that have no response yet, in order."""

    __slots__ = ("_by_id", "_by_name", "_calls", "_made", "_next")

    def __init__(self) -> None:
        self._calls: dict[int, dict[str, Any]] = {}
        self._made = self._next = 0
        self._by_id: dict[Any, list[int]] | None = None
        self._by_name: dict[Any, list[int]] | None = None

    def add(self, calls: Iterable[dict[str, Any]]) -> None:
        """Add calls of the same turn, before any of its responses."""
        for call in calls:
            self._calls[self._made] = call
            self._made += 1

    def take(self, response: Message) -> dict[str, Any] | None:
        """The call that a response answers, which is open no more: by its id, by its name, or else the first one."""
        wanted, name = response.get("tool_call_id"), response.get("name")
        calls = self._calls
        while self._next not in calls:
            if not calls:
                return None
            self._next += 1
        first = self._next
        number = None
        if wanted is None and name is None:
            number = first
        if wanted is not None:
            if wanted == calls[first].get("id"):  # responses mostly come in order
                return calls.pop(first)
            if self._by_id is None:
                self._by_id = self._numbers(call.get("id") for call in calls.values())
            number = self._first(self._by_id, wanted)
        if number is None and name is not None:
            if self._by_name is None:
                self._by_name = self._numbers(call["function"].get("name") for call in calls.values())
            number = self._first(self._by_name, name)
        return None if number is None else calls.pop(number)

    def _numbers(self, values: Iterable[Any]) -> dict[Any, list[int]]:
        """The numbers of the calls by a value that each of them has."""
        found: dict[Any, list[int]] = {}
        for number, value in zip(self._calls, values, strict=True):
            found.setdefault(_hashable(value), []).append(number)
        return found

    def _first(self, numbers: dict[Any, list[int]], value: Any) -> int | None:
        found = numbers.get(_hashable(value), [])
        while found and found[0] not in self._calls:
            del found[0]
        return found[0] if found else None


def _hashable(value: Any) -> Any:
    return value if type(value) is str else repr(value)


def _tie(response: Message, waiting: _OpenCalls) -> None:
    """Pair a tool response with the call it answers, which waits no more."""
    call = waiting.take(response)
    if call is None:
        return
    if response.get("tool_call_id") is None:
        response["tool_call_id"] = call["id"]
    if response.get("name") is None and isinstance(call["function"].get("name"), str):
        response["name"] = call["function"]["name"]


def calls_of(message: Message) -> list[dict[str, Any]]:
    """The well-formed call items of a canonical message."""
    calls = message.get("tool_calls")
    if not calls or type(calls) is not list:
        return []
    for call in calls:
        if type(call) is not dict or type(call.get("function")) is not dict:
            return [call for call in calls if isinstance(call, dict) and isinstance(call.get("function"), dict)]
    return calls
