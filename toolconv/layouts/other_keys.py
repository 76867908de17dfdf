"""Calls and texts under other keys of their message than ``tool_calls`` and ``content``: ``actions``, ``utterance``."""

from __future__ import annotations

from itertools import chain
from operator import is_not
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.marks import MARK_KEYS
from toolconv.core.messages import Message
from toolconv.core.notes import Notes
from toolconv.core.pairing import number_calls
from toolconv.core.rows import replace_key
from toolconv.layouts.speakers import meaning_of

TEXT_REPAIR: Final = "text_key"
"""The repair of the text of a message under a key that its layout does not give it."""
TEXT_KEYS: Final = frozenset({"text", "value", "message", "utterance", "body", "msg"})
"""Keys of a message's text other than ``content``."""
RESULTS: Final = (
    "observation", "observations", "result", "output", "tool_output", "tool_result", "tool_response", "response",
    "tool_return", "toolOutput",
)  # fmt: skip
"""Keys of what a call gave."""
REFUSAL: Final = "refusal"
"""The key, in OpenAI's APIs, of an answer that refuses; no chat template knows it."""
PART_TEXTS: Final = ("content", "value")
"""Keys of the text of a part of content that is text, other than ``text``."""
PARTS_KEYS: Final = ("parts", "contents", "blocks")
"""Keys of the parts of a message's content other than ``content``."""
CHATGPT: Final = "content_type"
"""The key of the type of a content in ChatGPT's exports."""
DOTNET: Final = "$type"
"""The key of the type of an object in .NET. Source: dotnet/extensions, ``AIContent.cs``."""
ANY_TYPE: Final = "message"
"""What a message says that it is, in the APIs of OpenAI and Anthropic, which loses nothing with it."""
DETAILS: Final = "<details "
"""The beginning of a call in the texts of Open WebUI."""
JSON_PARTS: Final = '[{"'
"""The beginning of a content that is the JSON text of parts, as tables hold it."""
MESSAGE_KEYS: Final = frozenset(
    {"role", "content", "reasoning_content", "tool_calls", "tool_call_id", "name", "id", *MARK_KEYS}
)
"""Keys of messages that are read, or that hold nothing to read."""


def settle_keys(conversation: Conversation) -> None:
    """Give messages the calls, or the text, under another of their keys that says so, if only one does."""
    messages = conversation.messages
    found = mixed = False
    for at, message in enumerate(messages):
        content = message.get("content")
        if type(content) is str:
            mixed = mixed or DETAILS in content
            if content.startswith(JSON_PARTS) and message.get("role") == "assistant":
                from toolconv.layouts.parts_of_messages import with_parts_in_text

                messages[at] = message = with_parts_in_text(message, conversation.notes)
                if message["content"] is not content:
                    conversation.notes.repairs.append(TEXT_REPAIR)
                    found = True
        elif content:
            messages[at] = message = _with_texts(message, content, conversation.notes)
            if type(content) is list and len(content) > 1 and message.get("role") != "assistant":
                mixed = mixed or _hold_result(content)
        if "tool_calls" in message and _has_flat_calls(message["tool_calls"]):
            from toolconv.layouts.call_forms import read_calls

            messages[at] = message = {**message, "tool_calls": read_calls(message["tool_calls"], conversation.notes)}
            found = True
        if MESSAGE_KEYS.issuperset(message):
            continue
        if (called := with_other_calls(message, conversation.notes)) is not None:
            messages[at] = called
            found = True
        elif (key := key_of_text(message)) is not None:
            rest = {name: value for name, value in message.items() if name != "content"}
            text = message[key]
            messages[at] = replace_key(rest, key, "content", text if type(text) is str else jsontext.spaced(text))
            conversation.notes.repairs.append(TEXT_REPAIR)
        elif (key := _key_of_parts(message)) is not None:
            from toolconv.layouts.parts_of_messages import with_parts

            rest = {name: value for name, value in message.items() if name != "content"}
            message = _with_texts(replace_key(rest, key, "content", message[key]), message[key], conversation.notes)
            messages[at] = with_parts(message, conversation.notes)
            conversation.notes.repairs.append(TEXT_REPAIR)
            found = mixed = True
    if found:
        number_calls(messages)
    if mixed:
        from toolconv.layouts.parts_of_messages import split_messages

        split_messages(conversation)


def drop_taken_keys(conversation: Conversation, own: frozenset[str], own_of_results: frozenset[str]) -> None:
    """Leave out what messages have under keys that mean something else where they are written: those of a layout."""
    if not (own | own_of_results).intersection(chain.from_iterable(conversation.messages)):
        return
    kept: list[Message] = []
    losses = 0
    for message in conversation.messages:
        taken = (own_of_results if message.get("role") == "tool" else own).intersection(message)
        losses += sum(message[key] != ANY_TYPE for key in taken)
        kept.append({key: value for key, value in message.items() if key not in taken} if taken else message)
    if any(map(is_not, kept, conversation.messages)):
        conversation.row = {**conversation.row, "messages": kept}
        conversation.notes.losses += ["message_keys"] * losses


def _has_flat_calls(calls: Any) -> bool:
    """Whether the calls of a message are in a form that its layout did not read: ``{"name": …, "arguments": …}``."""
    if type(calls) is not list or not calls or type(calls[0]) is not dict or "function" in calls[0]:
        return False
    from toolconv.layouts.call_forms import looks_like_call

    return all(type(call) is dict and looks_like_call(call) for call in calls)


def with_other_calls(message: Message, notes: Notes) -> Message | None:
    """A message of the assistant with the calls under its other keys; ``None`` if it has calls, or no such key."""
    if message.get("role") != "assistant" or message.get("tool_calls"):
        return None
    from toolconv.layouts.call_forms import with_calls

    return with_calls(message, MESSAGE_KEYS, notes)


def _hold_result(parts: list[Any]) -> bool:
    """Whether parts of a content may hold a result: one that is not a text has the type or the key of one."""
    others = [part for part in parts if type(part) is dict and ("type" not in part or part["type"] != "text")]
    if not others:
        return False
    from toolconv.layouts.content_parts import RESULT_NAMES

    for part in others:
        kind = part.get("type")
        if (type(kind) is str and kind in RESULT_NAMES) or not RESULT_NAMES.isdisjoint(part):
            return True
    return False


def _with_texts(message: Message, content: Any, notes: Notes) -> Message:
    """A message whose texts are under the keys that they have in content: an object with a text is that text."""
    if type(content) is dict and len(content) == 1 and type(text := content.get(key := next(iter(content)))) is str:
        if key != "content" and key not in TEXT_KEYS:
            return message
        notes.repairs.append(TEXT_REPAIR)
        return {**message, "content": text}
    if type(content) is dict and CHATGPT in content:
        parts = content.get("parts", [content.get("text")])
        if type(parts) is not list or not all(type(part) is str for part in parts):
            return message
        notes.repairs.append(TEXT_REPAIR)
        text = parts[0] if len(parts) == 1 else [{"type": "text", "text": part} for part in parts]
        rest = {key: value for key, value in content.items() if key not in ("parts", "text") and key not in message}
        return {**message, "content": text, **rest}
    if type(content) is not list:
        return message
    refusal = content[0].get(REFUSAL) if len(content) == 1 and type(content[0]) is dict else None
    if type(refusal) is str and content[0].get("type") == REFUSAL and not message.get("tool_calls"):
        notes.repairs.append(TEXT_REPAIR)
        return {**message, "content": refusal}
    parts = [part if (named := _with_text(part)) is None else named for part in content]
    changed = sum(part is not came for part, came in zip(parts, content, strict=True))
    notes.repairs += [TEXT_REPAIR] * changed
    return {**message, "content": parts} if changed else message


def _key_of_parts(message: Message) -> str | None:
    """The only other key of a message without a content that holds the parts of one; ``None`` without such a key."""
    if message.get("content") or message.get("tool_calls"):
        return None
    found = [key for key in PARTS_KEYS if type(parts := message.get(key)) is list and _are_parts(parts)]
    return found[0] if len(found) == 1 else None


def _are_parts(values: list[Any]) -> bool:
    """Whether values are parts of a content: all have a type, and one a known type."""
    from toolconv.layouts.content_parts import PARTS

    types = [value.get("type", value.get(DOTNET)) if type(value) is dict else None for value in values]
    return all(type(kind) is str for kind in types) and not PARTS.keys().isdisjoint(types)


def _with_text(part: Any) -> Any:
    """A part with its type under ``type``, and its text under ``text``; ``None`` if it has them there, or no text.

    The text may be in an object, with annotations, as in the threads of OpenAI's Assistants API.
    """
    if type(part) is not dict:
        return None
    if DOTNET in part and "type" not in part:
        return replace_key(part, DOTNET, "type", part[DOTNET])
    if part.keys() == {"type", "data"} and type(data := part["data"]) is dict:
        return {**data, "type": part["type"]}
    if part.get("type") == "TEXT":
        return {**part, "type": "text"}
    if part.get("type") != "text":
        return None
    holder = part.get("text", part)
    keys = [key for key in PART_TEXTS if type(holder.get(key)) is str] if type(holder) is dict else []
    if len(keys) != 1:
        return None
    if holder is part:
        return replace_key(part, keys[0], "text", part[keys[0]])
    rest = {key: value for key, value in holder.items() if key != keys[0] and value}
    return {**part, "text": holder[keys[0]], **rest}


def key_of_text(message: Message) -> str | None:
    """The only other key of a message that holds its text; ``None`` if it says something, or has no such key."""
    if message.get("content"):
        return None
    if type(refusal := message.get(REFUSAL)) is str and refusal.strip() and not message.get("tool_calls"):
        return REFUSAL
    if meaning_of(str(message.get("role"))) == "tool":
        given = [key for key in RESULTS if message.get(key) not in (None, "", [], {})]
        if len(given) == 1:
            return given[0]
    keys = [key for key in TEXT_KEYS.intersection(message) if type(text := message[key]) is str and text.strip()]
    return keys[0] if len(keys) == 1 else None
