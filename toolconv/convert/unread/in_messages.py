"""What nobody read in messages: parts of their content, their other keys, and what calls have next to arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolconv.convert.unread.carried import is_json_with_calls
from toolconv.convert.unread.signs import (
    BLOCKS,
    NESTED,
    READ_IN_CALLS,
    REASONING,
    RESULTS,
    TURN_TEXTS,
    are_of_no_kind,
    are_plain,
    are_written_calls,
    is_alone,
    is_known_part,
    is_prose,
    is_reasoning,
    is_system,
    is_text_part,
    is_words,
    result_keys,
    texts_below,
)
from toolconv.convert.unread.values import Place, Seeming, ValueSearch
from toolconv.core import jsontext
from toolconv.core.call_keys import (
    ARGUMENT_KEYS,
    RARE_ARGUMENT_KEYS,
    argument_key,
    holds_object,
    is_flattened,
    is_misspelt,
    unread_key,
)
from toolconv.core.key_words import (
    ARGUMENT_WORDS,
    CALL_WORDS,
    FACT_WORDS,
    MARK_WORDS,
    OTHER_ANSWERS,
    is_key_of_calls,
    words_of,
)
from toolconv.core.lazy_re import lazy_re
from toolconv.core.marks import MARK_KEYS
from toolconv.core.messages import SYSTEM_ROLES, Message, text_of
from toolconv.core.notes import UnreadKind
from toolconv.layouts.call_forms import NOTHING
from toolconv.layouts.content_parts import kind_of
from toolconv.layouts.nested_json import opened
from toolconv.layouts.other_keys import MESSAGE_KEYS
from toolconv.layouts.part_forms import text_in
from toolconv.layouts.speakers import meaning_of
from toolconv.layouts.tool_places import TOOL_KEYS
from toolconv.layouts.worded_turns import speakers_in

FURTHER_ANSWERS = OTHER_ANSWERS | {"samples", "candidates", "completions"}
"""Words in the key of texts of other answers of the assistant."""
CALLED = CALL_WORDS | {"api"}
"""Words in the key of the arguments of a call, next to one that says that they are arguments."""


_USAGE: Final = lazy_re(r"\nUsage:\n<(\w+)>")
_RESULT: Final = lazy_re(r"\[(\w++)[^\]\n]*+\] Result:")
"""How Cline, Roo Code and Kilo Code show that a tool is called by an element of its name, and begin its result."""


def elements_in(messages: list[Message]) -> Iterator[int]:
    """Which messages have a call as an element of a tool's name, which the system text or the call's result names."""
    texts = [text_of(message.get("content"))[0] for message in messages]
    named = set(_USAGE.findall(texts[0])) if texts and messages[0].get("role") in SYSTEM_ROLES else set()
    for at, text in enumerate(texts):
        result = _RESULT.match(texts[at + 1]) if at + 1 < len(texts) else None
        names = named if result is None else {*named, result[1]}
        if messages[at].get("role") == "assistant" and any(
            f"<{name}>" in text and f"</{name}>" in text for name in names
        ):
            yield at


def look_into_message(search: ValueSearch, pointer: str, message: Message, *, called: bool) -> None:
    """Add what a message at a pointer holds that nobody read. ``called`` means that a result follows it."""
    for key, value in message.items():
        if key == "content":
            if type(value) is str:
                if is_alone(search.held.messages) and (names := speakers_in(value)):
                    search.add((pointer, key), "messages", f"turns of {' and '.join(sorted(names))}")
                if called and message.get("role") not in ("assistant", "tool"):
                    search.look_into_text(value, (pointer, key), is_part=True)
                search.look_into_block(value, message.get("role"), (pointer, key))
                if is_json_with_calls(message):
                    for _, text in texts_below(value, ("",)):
                        search.look_into_text(text, (pointer, key), is_part=True)
            elif type(value) is list:
                for place, part in enumerate(value):
                    _in_part(search, part, (pointer, key, str(place)), message.get("role"))
                    if message.get("role") == "assistant" and (words := text_in(part)) is not None:
                        search.look_into_text(words[0], (pointer, key, str(place)), is_part=True)
                if (text := text_of(value)[0]).startswith(BLOCKS):
                    search.look_into_block(text, message.get("role"), (pointer, key))
            elif value:
                _in_part(search, value, (pointer, key), message.get("role"))
        elif key == "reasoning_content" and type(value) is not str:
            _in_part(search, value, (pointer, key))
        elif key == "tool_calls":
            if value and message.get("role") != "assistant":
                search.add((pointer, key), "calls", "calls of another than the assistant")
            _in_calls(search, value, (pointer, key))
        elif key not in MESSAGE_KEYS and type(value) is bool:
            if not words_of(key).isdisjoint(MARK_WORDS) and key not in MARK_KEYS:
                search.add((pointer, key), "mark", "a flag that may say whether to train on the message")
        elif key not in MESSAGE_KEYS and value and (type(value) in (str, dict, list)):
            _in_key(search, message, key, (pointer, key), called=called)


def _in_key(search: ValueSearch, message: Message, key: str, path: tuple[str, ...], *, called: bool) -> None:
    """Add what a message has under a key that nobody reads."""
    value, content = message[key], message.get("content")
    empty = not content or (type(content) is str and content.isspace())
    silent = message.get("role") == "assistant" and not message.get("tool_calls")
    if key == "recipient" and silent and called:  # Harmony's, and that of ChatGPT's exports
        search.add(path, "calls", "what may be the name of a called tool")
        return
    search.copies = not (silent and (empty or called))
    found = search.look(value, path)
    search.copies = True
    if found:
        return
    if (placed := _by_place(search, message, key, path)) is not None:
        search.add(path, *placed)
        return
    copied = type(value) is list and not _left_of(search, value)
    if empty and not copied and _add_words(search, message, value, path):
        return
    thinks = message.get("role") == "assistant" and not message.get("reasoning_content")
    words = text_of(message.get("content"))[0]
    if thinks and search.add_text(
        value,
        path,
        ("messages", "reasoning"),
        lambda place, text: _is_thought(place, text) and text.strip() not in words,
    ):
        return
    search.add_unsaid(value, path)


def _by_place(search: ValueSearch, message: Message, key: str, path: tuple[str, ...]) -> Seeming | None:
    """What a value of a message is by its key, if the message or the conversation lacks such: kind, and words."""
    value, words = message[key], words_of(key)
    asked = type(value) is str and search.held.roles.isdisjoint(SYSTEM_ROLES)
    if asked and is_system(key, " " in value.strip(), alone=False):
        return "system", "a system text"
    speaks = message.get("role") == "assistant"
    silent = speaks and not message.get("tool_calls")
    if speaks and key == "type" and type(value) is str and meaning_of(value) == "tool":  # Coze's
        return "messages", "a role that is not the message's: its text may be the result of a call"
    if type(value) is str and key.lower() in TURN_TEXTS and not search.held.says(value):
        return "text", "a text that no message has"
    if silent and type(jsontext.opened(value)) in NESTED and words & CALLED and words & ARGUMENT_WORDS:
        return "calls", "what may be the arguments of a call"
    if message.get("role") == "tool" and words & RESULTS and type(opened(value)) in NESTED:
        unsaid = any(not search.held.says(text) for _, text in texts_below(value, path) if text.strip())
        return ("messages", "the result of a call") if unsaid else None
    uncalled = message.get("role") == "tool" and "tool_call_id" not in message
    if uncalled and type(opened(value)) is dict and are_of_no_kind((key,)):
        return "calls", "what may be the arguments of a call"
    if are_written_calls(key, _left_of(search, value)) or (
        _names_calls(key) and _are_unknown_calls(search, value, path)
    ):
        return "calls", "what may be calls"
    texts = value if speaks and type(value) is list and not words.isdisjoint(FURTHER_ANSWERS) else []
    if texts and all(type(text) is str for text in texts) and search.is_new_below(texts):
        return "answer", "other answers"
    answers = "tool_calls" in message or (speaks and type(value) is not str)
    if answers and words & RESULTS and search.is_new_below(value):
        return "messages", "the result of a call"
    return None


def _names_calls(key: str) -> bool:
    """Whether a key says that it holds calls."""
    return "calls" in words_of(key) or (is_key_of_calls(key) and key not in TOOL_KEYS)


def _are_unknown_calls(search: ValueSearch, value: Any, path: tuple[str, ...]) -> bool:
    """Whether objects or texts, under a key that says that they are calls, are calls in no form that is known."""
    items = value if type(value) is list else [value]
    return any(
        (type(item) is dict and any(item.values()) and search.call_in(item, path) is None)
        or (type(item) is str and "(" in item and type(value) is list)
        for item in _left_of(search, items)
    )


def _left_of(search: ValueSearch, value: Any) -> Any:
    """A list without the calls that were dropped; any other value as it is."""
    if type(value) is not list or not search.held.dropped:
        return value
    dropped = search.held.dropped
    return [item for item in value if (item if type(item) is str else jsontext.dumps(item).decode()) not in dropped]


def _is_thought(place: Place, text: str) -> bool:
    """Whether the keys of a text say that it is reasoning, and it is words."""
    words = frozenset().union(*map(words_of, place[1:]))
    says = is_reasoning(place[-1]) or place[-1] in TURN_TEXTS
    return bool(words & REASONING) and (is_prose(text) or (is_words(text) and says))


def _in_part(search: ValueSearch, part: Any, path: tuple[str, ...], role: Any = None) -> None:
    """Add what a part of a message's content holds, or a text in a part of no known kind. ``role`` is the message's."""
    if is_text_part(part):
        inner = opened(text_of([part])[0])
        if type(inner) is dict and kind_of(inner) == "call":
            search.look(inner, path if type(part) is str else (*path, "text"))
        for key in TURN_TEXTS.intersection(part) if type(part) is dict else ():
            if type(text := part[key]) is str and text not in part["text"] and text.strip() not in search.held.texts:
                search.add((*path, key), "text", "a text that no message has")
        return
    if search.look(part, path) or is_known_part(part) or search.held.drops(part):
        return
    if role == "tool" and not (type(part) is dict and "type" in part):
        return  # data
    search.add_text(
        part,
        path,
        ("messages", "the text of a part of no known kind"),
        lambda place, text: (
            words_of(place[-1]).isdisjoint(FACT_WORDS)
            and any(map(str.isalpha, text))
            and text.strip() not in search.held.texts
        ),
    )


def _in_calls(search: ValueSearch, calls: Any, path: tuple[str, ...]) -> None:
    """Add the calls that are none, and what calls hold that no conversation has a place for."""
    for at, call in enumerate(calls if type(calls) is list else [calls]):
        function = call.get("function") if type(call) is dict else None
        if type(function) is not dict or type(function.get("name")) is not str or not function["name"]:
            if not _left_of(search, [call]):
                continue
            if type(call) is dict and call.get("type", "function") == "function":
                search.add((*path, str(at)), "calls", "a call without a name")
            elif type(call) is str:
                search.add((*path, str(at)), "calls", "what may be a call")
            continue
        if are_plain([call]):
            continue
        for holder, place in ((call, (*path, str(at))), (function, (*path, str(at), "function"))):
            results = result_keys(holder)
            for key in results:
                search.add((*place, key), "messages", "the result of a call")
            for key, value in holder.items():
                if is_reasoning(key) and any(text.strip() for _, text in texts_below(value, ("",))):
                    search.add((*place, key), "messages", "reasoning")
            for key, value in holder.items():
                if key in results or key in READ_IN_CALLS or is_reasoning(key):
                    continue
                if type(value) is dict and opened(value.get("arguments")) not in (*NOTHING, function.get("arguments")):
                    search.add((*place, key), "calls", "what may be the arguments of a call")
                elif not _add_calls(search, value, (*place, key)):
                    search.add_unsaid(value, (*place, key))
            if function.get("arguments"):
                continue
            others = {key: value for key, value in holder.items() if key != "arguments"}
            held = (
                key
                for key, value in others.items()
                if is_misspelt(key) or is_flattened(key) or _may_be_arguments(key, value)
            )
            if (unread := unread_key(others) or next(held, None)) is not None:
                search.add((*place, unread), "calls", "what may be the arguments of a call")


def _may_be_arguments(key: str, value: Any) -> bool:
    """Whether a call without arguments has them as a text or a list under another key, or in another object of it."""
    if type(value) is dict:
        inner = argument_key(value) if key != "function" else None
        return inner is not None and holds_object(value[inner])
    named = key in RARE_ARGUMENT_KEYS or (key in ARGUMENT_KEYS and type(value) is list)
    return named and type(value) in (str, list) and bool(value) and value not in NOTHING


def _add_calls(search: ValueSearch, value: Any, path: tuple[str, ...]) -> bool:
    """Add the calls, or the declarations, in a value that a call carries along; whether there are any."""
    if are_written_calls(path[-1], _left_of(search, value)):
        search.add(path, "calls", "what may be calls")
        return True
    if type(value) not in NESTED or not (_names_calls(path[-1]) or path[-1] in TOOL_KEYS):
        return False
    if search.look(value, path) or path[-1] in TOOL_KEYS:
        return True
    if unknown := _are_unknown_calls(search, value, path):
        search.add(path, "calls", "what may be calls")
    return unknown


def _add_words(search: ValueSearch, message: Message, value: Any, path: tuple[str, ...]) -> bool:
    """Add the first text under a key of a message that says nothing else, except for reasoning; whether there is one.

    What another message says is no copy of it.
    """
    reasoning = text_of(message.get("reasoning_content"))[0]
    kind: UnreadKind = "answer" if message.get("role") == "assistant" else "messages"
    content = value.get("content") if type(value) is dict else None
    if content and text_of(content)[1] and text_of(content)[0].strip() not in reasoning:
        search.add((*path, "content"), kind, "the text of a message that has no other")
        return True
    few = not (message.get("tool_calls") or reasoning)

    def is_said(place: Place, text: str) -> bool:
        words = frozenset().union(*map(words_of, place[-1:] if place[-1] in TURN_TEXTS else place[1:]))
        return (
            words.isdisjoint(FACT_WORDS - {"error"})
            and text.strip() not in reasoning
            and (
                few or is_prose(text) or not all(map(str.isascii, place[1:]))  # a key in another script says nothing
            )
        )

    return search.add_text(value, path, (kind, "the text of a message that has no other"), is_said)
