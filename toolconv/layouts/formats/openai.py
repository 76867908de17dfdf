"""OpenAI chat rows: ``messages`` with ``tool_calls`` whose arguments are JSON text, and ``tools``.

``content`` is null if a turn has calls and no prose. The older ``function_call`` and the role ``function`` are read.
``tools`` and ``messages`` may be JSON text, and so may ``tool_calls`` and each call in it. Arguments are written like
``json.dumps``. Calls are also read from ``additional_kwargs``. The reasoning of an assistant turn is
``reasoning_content``; Ollama's ``thinking``, OpenRouter's and vLLM's ``reasoning`` and Cohere's ``tool_plan`` are read
as well, and written back under their own keys. Calls, reasoning and results among the parts of content are read in the
form of any API, and media of any API are written as ``image_url``, ``input_audio``, ``file`` and, as vLLM takes them,
``audio_url`` and ``video_url``. Lost: the place of a result after another part of its message (``block_order``); parts
that OpenAI has no form for stay as they are (``content_parts``), as do media in messages other than the user's.

Tools are written in OpenAI's envelope, ``{"type": "function", "function": {…}}``. They are read in the shape of any
maker (MCP, Anthropic, Gemini, Bedrock, Responses), and also from ``functions``, ``tool_defs``, ``kwargs.tools``,
``model_parameters.tools``, a key of the system message and other places, as in every layout. So is a system text of
several words next to the messages, under ``system`` or ``system_prompt``: it is the first message if none is one.

Source: OpenAI API reference, chat completions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

from toolconv.core import jsontext
from toolconv.core.call_keys import argument_key, unread_key
from toolconv.core.conversation import Conversation
from toolconv.core.key_words import ELSEWHERE
from toolconv.core.marks import WEIGHT
from toolconv.core.messages import Message, Row, calls_of
from toolconv.core.notes import Dropped, Notes
from toolconv.core.row_fields import RowField
from toolconv.core.rows import replace_key, unchanged
from toolconv.layouts.answers import AnswersForm, Pair, Samples
from toolconv.layouts.base import Layout, LayoutError, Original, as_text
from toolconv.layouts.nested_json import read_arguments, value_of
from toolconv.layouts.tool_schema import has_envelopes

if TYPE_CHECKING:
    from toolconv.layouts.part_forms import PartForm


class OpenAI(Layout):
    """Messages with structured calls.

    Attributes:
        tools_as_text: the declarations of a row may be one JSON text, which the programs that read such rows open.
    """

    tools_as_text: ClassVar[bool] = False
    name = "openai"
    mark_style = WEIGHT
    runs: ClassVar[frozenset[str] | None] = frozenset(("custom",))
    sample = (
        '{"messages":[{"role":"user","content":"Weather?"},{"role":"assistant","content":null,"tool_calls":[{"id":'
        '"call_0","type":"function","function":{"name":"get_weather","arguments":"{\\"city\\": \\"Tokyo\\"}"}}]}]}'
    )

    answers: Sequence[AnswersForm] = (
        Pair(),
        Pair(prompt="messages"),
        Samples(("completions",), "messages", texts=False),
    )

    def matches(self, row: Row) -> bool:
        messages = messages_in(row)
        return messages is not None and (
            "tools" in row
            or "functions" in row
            or any(
                "tool_calls" in message or "function_call" in message or message.get("role") in ("tool", "function")
                for message in messages
            )
        )

    def decode(self, row: Row) -> Conversation:
        source = required_messages(row)
        notes = Notes()
        canonical = {**row, "messages": [read_message(message, notes) for message in source]}
        return Conversation(canonical, notes, fields=(RowField("/messages", len(source), source),))

    def decodes_like(self, other: Layout) -> bool:
        return type(self).decode is OpenAI.decode is type(other).decode

    def owns_tools(self, row: Row, place: tuple[str, ...] | None) -> bool:
        tools = row.get("tools")
        if not self.calls_in_text and place is not None:
            return False
        if type(tools) is str and not (self.calls_in_text or self.tools_as_text) and jsontext.opened(tools):
            return False
        return has_envelopes(tools)

    def owns_messages(self, read: Conversation) -> bool:
        for came, message in zip(read.fields[0].pieces or (), read.messages, strict=False):
            if "tool_calls" in message and has_own_calls(message) and not self.is_own(came):
                return False
        return True

    def is_own(self, message: Message) -> bool:
        """Whether the calls of a message, if it has some, are as this layout has them."""
        return has_own_calls(message)

    def form(self, *, came: bool) -> PartForm | None:
        """The form of the parts of a content; ``None`` to leave them as they are. ``came``: in a row of this layout."""
        return part_forms().OPENAI  # type: ignore[no-any-return]

    def write_one(self, conversation: Conversation) -> Row:
        for message in conversation.messages:
            if "content" in message and message["content"].__class__ is list:
                conversation = self._in_form(conversation)
                break
        return super().write_one(conversation)

    def _in_form(self, conversation: Conversation) -> Conversation:
        """A conversation with its content parts in the form of the layout. In a row of the layout, others may stay."""
        came = conversation.origin is not None and conversation.origin[0] == self.name
        notes = None if came else conversation.notes
        if (form := self.form(came=came)) is None:
            return conversation
        messages = [
            message
            if (content := message.get("content")).__class__ is not list
            else {**message, "content": as_text(content) if _is_value(message) else form.write_all(content, notes)}
            for message in conversation.messages
        ]
        if notes is not None and form in (part_forms().OPENAI, part_forms().UPLOAD):
            notes.losses += ["content_parts"] * sum(map(_media_out_of_place, messages))
        return replace(conversation, row={**conversation.row, "messages": messages})

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        messages = self.write_messages(conversation.messages, original)
        return {**conversation.row, "messages": messages}

    def write_messages(self, messages: list[Message], original: Original | None) -> Any:
        """The value of ``messages``, in which unchanged messages stay verbatim."""
        if original is None:
            return [self.write_message(message) for message in messages]
        field, before = original.read.fields[0], original.read.messages
        return restored(field, messages, before, lambda at: self.write_message(messages[at]), self.is_own)

    def write_message(self, message: Message) -> Message:
        """A canonical message as it is written."""
        return write_message(message)


_PLAIN = frozenset({"role", "content", "name", "tool_call_id"})
"""Keys whose values are the same in canonical messages."""

REASONING_KEYS = frozenset({"thinking", "reasoning", "tool_plan"})
"""Keys of the reasoning of an assistant turn: Ollama's, that of OpenRouter and vLLM, Cohere's."""


def restored(
    field: RowField,
    messages: list[Message],
    before: list[Message],
    write: Callable[[int], Message],
    is_own: Callable[[Message], bool] | None = None,
) -> list[Message]:
    """The items of a field with one item per message: the original ones of unchanged messages, others written.

    Args:
        field: as it was read.
        messages, before: its messages now, and as they were read.
        write: gives the item for the message at an index.
        is_own: whether an item is in the form of the layout that is written; :func:`has_own_calls` without it.
    """
    is_own = is_own or has_own_calls
    came = field.pieces or ()
    key = next((key for message in came if (key := reasoning_key(message)) is not None and is_own(message)), None)
    items = []
    for at, old in enumerate(unchanged(messages, before)):
        if old is not None and not is_own(came[old]) and has_own_calls(messages[at]):
            old = None
        item = write(at) if old is None else came[old]
        if old is None and key is not None and key not in item and "reasoning_content" in item:
            item = replace_key(item, "reasoning_content", key, item["reasoning_content"])
        items.append(item)
    return items


def _media_out_of_place(message: Message) -> int:
    """How many parts of a message in OpenAI's form are media, which only messages of the user may hold."""
    content = message.get("content")
    if content.__class__ is not list or message.get("role") == "user":
        return 0
    return sum(part.__class__ is dict and part.get("type") in part_forms().MEDIA_TYPES for part in content)


def _is_value(message: Message) -> bool:
    """Whether the content of a message is what a tool gave, a list of values, of which none may be a part."""
    from toolconv.layouts.media import UNTYPED

    keys = {"type", "text", *UNTYPED}
    return message.get("role") == "tool" and not any(
        part.__class__ is str or (part.__class__ is dict and not keys.isdisjoint(part)) for part in message["content"]
    )


def has_own_calls(message: Message) -> bool:
    """Whether the calls of a message, if it has some, are a list of calls in OpenAI's form."""
    content = message.get("content")
    if content.__class__ is list and not message.get("tool_calls") and _parts().has_parts(message):
        return False
    if "tool_calls" not in message:
        return "additional_kwargs" not in message or type(message["additional_kwargs"]) is not dict
    calls = message["tool_calls"]
    if type(calls) is not list:
        return not calls
    for call in calls:
        if type(call) is not dict or type(call.get("function")) is not dict or "name" not in call["function"]:
            return False
    return True


def reasoning_key(message: Message) -> str | None:
    """The key of the reasoning of an assistant turn that has no ``reasoning_content``, in the words of another API."""
    if REASONING_KEYS.isdisjoint(message) or message.get("role") != "assistant" or message.get("reasoning_content"):
        return None
    keys = [
        key for key in REASONING_KEYS.intersection(message) if isinstance(message[key], str) and message[key].strip()
    ]
    return min(keys, key=("thinking", "reasoning", "tool_plan").index, default=None)


def messages_in(row: Row) -> list[Message] | None:
    """The messages of a row, which may be JSON text; ``None`` if they are not objects with roles."""
    messages: Any = row.get("messages")
    if isinstance(messages, str):
        messages = value_of(messages)
    if not isinstance(messages, list) or not messages:
        return None
    for message in messages:
        if not isinstance(message, dict) or "role" not in message:
            return None
    return messages


def required_messages(row: Row) -> list[Message]:
    """The messages of a row, as :func:`messages_in` gives them.

    Raises:
        LayoutError: there are none.
    """
    messages = messages_in(row)
    if messages is None:
        raise LayoutError("no list of messages with roles under 'messages'")
    return messages


def read_message(message: Message, notes: Notes) -> Message:
    """A canonical message: content is text, ``function_call`` becomes ``tool_calls``, arguments are objects."""
    message = dict(message)
    content = message.get("content")
    if content is None:
        message["content"] = ""
    elif content.__class__ is list:
        message = _parts().with_parts(message, notes)
    if _PLAIN.issuperset(message) and message["role"] != "function":
        return message
    if "function_call" in message and isinstance(message["function_call"], dict) and "tool_calls" not in message:
        legacy = [{"type": "function", "function": message["function_call"]}]
        message = replace_key(message, "function_call", "tool_calls", legacy)
    if message.get("role") == "function":
        message["role"] = "tool"
    if not REASONING_KEYS.isdisjoint(message) and (key := reasoning_key(message)) is not None:
        message.pop("reasoning_content", None)
        message = replace_key(message, key, "reasoning_content", message[key])
    if "additional_kwargs" in message and not message.get("tool_calls"):
        message = _with_additional_calls(message)
    if "tool_calls" in message:
        if not message["tool_calls"]:
            del message["tool_calls"]
            notes.repairs.append("empty_tool_calls")
        elif isinstance(message["tool_calls"], list):
            message["tool_calls"] = [read_call(call, notes) for call in message["tool_calls"]]
        elif isinstance(message["tool_calls"], str | dict):
            message["tool_calls"] = _forms().read_calls(message["tool_calls"], notes) or message["tool_calls"]
        else:
            notes.dropped.append(Dropped("tool_calls is not a list of calls", jsontext.spaced(message["tool_calls"])))
    elif len(message) > 2 and not ELSEWHERE.isdisjoint(message):
        _forms().drop_unread({key: message[key] for key in ELSEWHERE & message.keys()}, notes)
    return message


def _with_additional_calls(message: Message) -> Message:
    """A message with the calls in its ``additional_kwargs``, where LangChain and LlamaIndex keep OpenAI's."""
    more = message["additional_kwargs"]
    if not isinstance(more, dict) or not isinstance(more.get("tool_calls"), list) or not more["tool_calls"]:
        return message
    rest = {key: value for key, value in more.items() if key != "tool_calls"}
    message = {key: value for key, value in message.items() if key != "tool_calls"}
    message = replace_key(message, "additional_kwargs", "tool_calls", more["tool_calls"])
    return {**message, "additional_kwargs": rest} if rest else message


def read_server_message(message: Message, notes: Notes) -> Message:
    """A canonical message from a server or a Parquet file, which have nulls and empty lists for absent keys."""
    message = {key: value for key, value in message.items() if value is not None and value != []}
    if isinstance(message.get("reasoning"), str) and message.get("reasoning_content") in (None, message["reasoning"]):
        message.pop("reasoning_content", None)
        message = {("reasoning_content" if key == "reasoning" else key): value for key, value in message.items()}
    if message.get("reasoning_content") == "":
        del message["reasoning_content"]
    message.setdefault("content", "")
    return read_message(message, notes)


def read_call(call: Any, notes: Notes) -> Any:
    """A call item with its arguments as an object. A call in another form is read too; anything else is unchanged."""
    if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
        return _forms().read_form(call, notes) or call
    function = dict(call["function"])
    if "arguments" not in function and argument_key(function) is None and (key := argument_key(call)) is not None:
        call = dict(call)
        function["arguments"] = call.pop(key)
        notes.repairs.append("alternative_key")
    read_arguments(function, notes)
    return {**call, "function": function}


def write_message(message: Message) -> Message:
    """A canonical message in OpenAI's form: arguments are JSON text, empty content next to calls is null."""
    if not calls_of(message):
        return message
    calls = [write_call(call) for call in message["tool_calls"]]
    content = message.get("content")
    return {**message, "content": None if content == "" else content, "tool_calls": calls}


def write_call(call: Any) -> Any:
    """A canonical call item with its arguments as JSON text."""
    if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
        return call
    arguments = call["function"].get("arguments")
    if isinstance(arguments, str) or unread_key(call["function"]) is not None:
        return call
    text = jsontext.spaced({} if arguments is None else arguments)
    written = {**call, "function": {**call["function"], "arguments": text}}
    return written if "type" in written else {"type": "function", **written}


def _parts() -> ModuleType:
    """The reader of parts that other APIs have; rows without lists of parts don't load it."""
    from toolconv.layouts import parts_of_messages

    return parts_of_messages


def part_forms() -> ModuleType:
    """The forms of parts, likewise."""
    from toolconv.layouts import part_forms

    return part_forms


def _forms() -> ModuleType:
    """The reader of other forms of calls; rows that have none don't load it."""
    from toolconv.layouts import call_forms

    return call_forms


LAYOUT = OpenAI()
