"""Messages in OpenAI's form with calls, reasoning or a result among the parts of content, as other APIs have them.

They become what they are in OpenAI's messages: ``tool_calls``, ``reasoning_content``, a message of a tool.
"""

from __future__ import annotations

from typing import Any

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.key_words import is_key_of_calls
from toolconv.core.messages import Message, text_of
from toolconv.core.notes import Notes
from toolconv.core.pairing import number_calls
from toolconv.core.row_fields import RowField
from toolconv.layouts.call_forms import PART_CALLS, looks_like_call, read_form
from toolconv.layouts.content_parts import ALL_PARTS, SPOKEN, THINKING, ReadPart, kind_of
from toolconv.layouts.message_builder import result_text
from toolconv.layouts.open_webui import OPENING, split_calls


def with_parts(message: Message, notes: Notes) -> Message:
    """A message whose content is a list of parts; as it is if these are content, or can't all be read."""
    parts = message["content"]
    if _are_texts(parts):
        return message
    if message.get("role") == "assistant":
        return _with_calls(_with_reasoning(message), notes)
    read = _read(parts[0]) if len(parts) == 1 and kind_of(parts[0]) == "result" else None
    return message if read is None else _result(message, read, notes)


def with_parts_in_text(message: Message, notes: Notes) -> Message:
    """A message of the assistant with the calls and the reasoning in a content that is the JSON text of parts.

    As it is if these hold neither, or nothing but calls, which are a text of the model's.
    """
    parts = jsontext.opened(message["content"])
    kinds = set(map(kind_of, parts)) if type(parts) is list else {None}
    if message.get("tool_calls") or None in kinds or not kinds & SPOKEN or not kinds & {"text", "reasoning"}:
        return message
    return with_parts({**message, "content": parts}, notes)


def has_parts(message: Message) -> bool:
    """Whether calls, reasoning or a result are among the parts of a message's content."""
    parts = message["content"]
    if _are_texts(parts):
        return False
    if message.get("role") == "assistant":
        return any(kind_of(part) in SPOKEN or _is_call(part) for part in parts)
    return len(parts) == 1 and kind_of(parts[0]) == "result"


def split_messages(conversation: Conversation) -> None:
    """Move what a message holds, other than its own words, to messages of their own.

    Results among other parts of a message of the user or a tool come before it; calls in the markup of Open WebUI, and
    their results, are between the words of the assistant.
    """
    size = 0
    fields: list[RowField] = []
    messages: list[Message] = []
    before = conversation.messages
    if sum(field.size for field in conversation.fields) != len(before):
        return
    for field in conversation.fields:
        starts: list[int] = []
        for at, message in enumerate(before[size : size + field.size]):
            split = _split(message, conversation.notes)
            messages += split
            starts += [at if field.starts is None else field.starts[at]] * len(split)
        size += field.size
        fields.append(field._replace(size=len(starts), starts=None if len(starts) == field.size else starts))
    kept = set(map(id, messages))
    if apart := [message.get("content") for message in before if id(message) not in kept]:
        conversation.unparsed = [content for content in apart if isinstance(content, str)]
        conversation.fields = fields
        conversation.row = {**conversation.row, "messages": messages}
        number_calls(messages)


def _split(message: Message, notes: Notes) -> list[Message]:
    parts = message.get("content")
    if isinstance(parts, str):
        shown = OPENING in parts and message.get("role") == "assistant" and not message.get("tool_calls")
        return split_calls(message, notes) if shown else [message]
    if message.get("role") not in ("user", "tool") or not isinstance(parts, list) or len(parts) < 2:
        return [message]
    kinds = [kind_of(part) for part in parts]
    read = [_read(part) for part, kind in zip(parts, kinds, strict=True) if kind == "result"]
    if not read:
        return [message]
    if kinds != sorted(kinds, key=lambda kind: kind != "result"):
        notes.losses.append("block_order")
    results = [_result({"role": "tool"}, each, notes) for each in read if each is not None]
    rest = [part for part, kind in zip(parts, kinds, strict=True) if kind != "result"]
    if rest:
        return [*results, {**message, "role": "user", "content": _content(rest)}]
    return [{**message, **results[0]}, *results[1:]]


def _read(part: Any) -> ReadPart | None:
    """What a part says, with all its other keys."""
    read = ALL_PARTS.read(part)
    found = ALL_PARTS.find(part)
    if read is None or found is None:
        return read
    entry, inner = found
    return read._replace(rest=ALL_PARTS.read_as(entry._replace(kept=None), inner, part).rest)


def _are_texts(parts: list[Any]) -> bool:
    """Whether parts are all text, as most are."""
    return not [part for part in parts if part.__class__ is not dict or "type" not in part or part["type"] != "text"]


def _with_calls(message: Message, notes: Notes) -> Message:
    """A message of the assistant without calls elsewhere, with those among its parts."""
    parts = message["content"]
    found = [part for part in parts if _is_call(part)] if isinstance(parts, list) else []
    if not found or message.get("tool_calls"):
        return message
    calls = [item for part in found if (item := read_form(part, notes)) is not None]
    if len(calls) < len(found):
        return message
    return {**message, "content": _content([part for part in parts if part not in found]), "tool_calls": calls}


def _is_call(part: Any) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(kind, str):
        return isinstance(part, dict) and not PART_CALLS.isdisjoint(part)
    return kind in PART_CALLS or (is_key_of_calls(kind) and looks_like_call(part))


def _with_reasoning(message: Message) -> Message:
    """A message of the assistant without reasoning elsewhere, with that among its parts."""
    parts = message["content"]
    kinds = [kind_of(part) for part in parts]
    if "reasoning" not in kinds or message.get("reasoning_content"):
        return message
    read = [_read(part) for part, kind in zip(parts, kinds, strict=True) if kind == "reasoning"]
    found = [each for each in read if each is not None and each.value]
    if len(found) < len(read):
        return message
    rest = [part for part, kind in zip(parts, kinds, strict=True) if kind != "reasoning"]
    signed = [each.came for each in found if each.rest]
    reasoning = "\n\n".join(each.value for each in found)
    message = {**message, "content": _content(rest), "reasoning_content": reasoning}
    return {**message, THINKING: signed} if signed else message


def _content(parts: list[Any]) -> Any:
    """What is left of a content: parts that are all text, and say nothing else, become a text."""
    text, whole = text_of(parts)
    plain = whole and all(isinstance(part, str) or part.keys() <= {"type", "text"} for part in parts)
    return text if plain or not parts else parts


def _result(message: Message, read: ReadPart, notes: Notes) -> Message:
    """The message of a tool for a message that is nothing but a result."""
    named = {"tool_call_id": read.id, "name": read.name if isinstance(read.name, str) else None}
    named = {key: value for key, value in named.items() if value is not None and not message.get(key)}
    rest = {key: value for key, value in message.items() if key != "content"}
    return {**rest, "role": "tool", **named, "content": result_text(read.value, notes), **read.rest}
