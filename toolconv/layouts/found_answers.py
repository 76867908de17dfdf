"""An answer under a key of its own, in the form of any API, as the messages that continue a conversation."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.call_keys import argument_key, holds_object
from toolconv.core.calls import is_call
from toolconv.core.key_words import ANSWER_WORDS, NO_ANSWER, OTHER_ANSWERS, words_of
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Notes
from toolconv.core.tools import NO_TOOLS
from toolconv.layouts.answers import ANSWERS
from toolconv.layouts.any_messages import REASONING_KEYS, assembled
from toolconv.layouts.call_forms import read_calls
from toolconv.layouts.content_parts import kind_of
from toolconv.layouts.found_turns import turns_in
from toolconv.layouts.speakers import OTHER_KEYS, meaning_of
from toolconv.layouts.turn_shapes import turns_of

ALTERNATIVES: Final = ("choices", "candidates", "generations")
"""Keys of an API's list of answers to one request."""
INSIDE: Final = (
    "message", "messages", "content", "text", "generated_text", "output", "completion", "response", "body",
    "outputBodyJson",
)  # fmt: skip
"""Keys of the answer in an object around it; the last ones are those of HTTP and of Bedrock's log of invocations."""


def answer_beside(row: Row, turns: str, *, texts: bool) -> str | None:
    """The key of what answers the turns under another key of a row; ``None`` if there is nothing.

    Args:
        turns: the key of the turns, or of the object that holds them.
        texts: a text under a usual key is an answer, too.
    """
    lower = {key.lower(): key for key in row if key != turns}
    for name in ANSWERS:
        if (key := lower.get(name)) is not None:
            value = jsontext.opened(row[key])
            if (texts and type(value) is str and value.strip()) or (type(value) in (dict, list) and value):
                return key
    found = [key for key in lower.values() if is_answer(row[key]) or _are_answers(key, row[key])]
    return found[0] if len(found) == 1 else None


def _are_answers(key: str, value: Any) -> bool:
    """Whether a key says that its value answers, and that is a list or an object of messages of the assistant."""
    if words_of(key).isdisjoint(ANSWER_WORDS) or not words_of(key).isdisjoint(NO_ANSWER | OTHER_ANSWERS):
        return False
    values = [value.get("message")] if type(value) is dict else value
    return type(values) is list and bool(values) and all(map(is_answer, values))


def is_answer(value: Any) -> bool:
    """Whether an object is an answer of an API, whatever its key: a message of the assistant, or a list of choices."""
    if type(value) is not dict:
        return False
    role = value.get("role")
    if type(role) is str:
        return meaning_of(role) == "assistant" and not {"content", "tool_calls", "parts"}.isdisjoint(value)
    return any(type(value.get(key)) is list and value[key] for key in ("choices", "candidates", "tool_calls"))


def is_plain_call(value: Any) -> bool:
    """Whether a value is an object that names a tool and has an object of arguments."""
    if not is_call(value, NO_TOOLS):
        return False
    inner = value.get("function")
    holder = inner if type(inner) is dict else value
    key = argument_key(holder)
    return key is not None and holds_object(holder[key])


def messages_of(value: Any, notes: Notes) -> list[Message]:
    """The messages of an answer; none if it is not one. Further answers to the same request are losses (``choices``).

    They are in the form in which they came, which may be that of any API.
    """
    return answer_in(value, notes)[0]


class AnswerShape(NamedTuple):
    """What an answer is at first sight.

    Attributes:
        messages: its messages, if it is one answer with nothing around it; empty for what is no answer.
        key: the key of what holds it; empty for a list.
        several: the answers to one request, of which each may be in objects of its own.
    """

    messages: list[Message] | None = None
    key: str = ""
    several: list[Any] | None = None


def _shape(value: Any, notes: Notes) -> AnswerShape:
    """The shape of an answer; ``value`` is not a JSON text."""
    if type(value) is str:
        return AnswerShape([{"role": "assistant", "content": value}] if value.strip() else [])
    if type(value) is list:
        messages = _one_in_list(value, notes)
        return AnswerShape(messages, several=value if messages is None else None)
    if type(value) is not dict or not value:
        return AnswerShape([])
    if type(value.get("role")) is str or "lc" in value:
        return AnswerShape([value])
    if type(calls := value.get("toolCalls")) is list:  # the AI SDK's
        parts = [value.get("text") or "", *calls]
        return AnswerShape([{"role": "assistant", "content": parts, "reasoning": value.get("reasoning")}])
    if (turns := _spoken([value])) is not None:
        return AnswerShape(turns)
    for key in ALTERNATIVES:
        if type(value.get(key)) is list and value[key]:
            return AnswerShape(key=key, several=value[key])
    is_message = type(value.get("tool_calls")) is list or "function_call" in value or type(value.get("content")) is list
    text = next((key for key in ("content", "text") if key in value), None)
    if is_message or (text is not None and any(key in value for key in REASONING_KEYS)):
        members = {"content" if key == text else key: member for key, member in value.items()}
        return AnswerShape([{"role": "assistant", **members}])
    if is_call(value, NO_TOOLS):
        return AnswerShape(_of_calls([value], notes))
    holding = (key for key in INSIDE if value.get(key) and not (key == "text" and type(value[key]) is dict))
    key = next(holding, "")  # the text of Responses' answers is an object that says how texts are formatted
    return AnswerShape(key=key) if key else AnswerShape([])


def answer_in(value: Any, notes: Notes) -> tuple[list[Message], Any]:
    """The messages of an answer, as :func:`messages_of` gives them, and what else is in the objects around them."""
    value = jsontext.opened(value)
    messages, key, several = _shape(value, notes)
    if messages is not None:
        return messages, value if type(value) is dict and value and not messages else None
    if several is None:
        messages, rest = answer_in(value[key], notes)
        return messages, _rest(value, key, rest)
    notes.losses += ["choices"] * (len(several) - 1)
    messages, rest = answer_in(several[0], notes)
    left = [rest] if rest else None
    return messages, _rest(value, key, left) if key else left


def _says(message: Row) -> str:
    """What a message of the assistant says: of several alike, each is an answer, and none continues another."""
    if message.get("tool_calls"):
        return "calls"
    return "text" if type(message.get("content")) is str and message["content"] else ""


def _rest(value: Row, key: str, inner: Any) -> Row:
    """An object without what was read under a key, of which ``inner`` is left."""
    rest = {name: inner if name == key else member for name, member in value.items()}
    return rest if inner else {name: member for name, member in rest.items() if name != key}


def _one_in_list(value: list[Any], notes: Notes) -> list[Message] | None:
    """The messages of a list of messages, of calls, of parts of a content; ``None`` if it is a list of answers."""
    if not value:
        return []
    if (chunks := assembled(value, notes)) is not None:
        return chunks
    if all(type(item) is dict for item in value):
        if all(type(item.get("role")) is str for item in value):
            assistant = all(meaning_of(item["role"]) == "assistant" for item in value)
            alike = set(map(_says, value)) in ({"calls"}, {"text"})
            several = len(value) > 1 and (alike or all("finish_reason" in item for item in value))
            return None if assistant and several else value
        if (spoken := _spoken(value)) is not None:
            return spoken
        if all(is_call(item, NO_TOOLS) for item in value) and not any(item.get("type") == "tool_use" for item in value):
            return _of_calls(value, notes)
        if all(type(item.get("type")) is str for item in value) and any(map(kind_of, value)):
            items = any("role" in item for item in value)  # of Responses
            return value if items else [{"role": "assistant", "content": value}]
    elif (turns := turns_of(value, "")) is not None:
        return [turn.item for turn in turns]
    if len(value) > 1 and type(value[0]) is str and meaning_of(value[0]) is not None:
        return []  # the speaker of what follows
    return None


def each_alone(value: Any) -> list[tuple[str, Any]]:
    """A value with each of the answers in it alone, of which :func:`answer_in` reads the first.

    Returns:
        For each answer its pointer in the value, and the value without the other answers.
    """
    from toolconv.layouts.streams import answers_in

    opened = jsontext.opened(value)
    if type(opened) is list and len(answers := answers_in(opened)) > 1:
        return [("", chunks) for chunks in answers]
    messages, key, several = _shape(opened, Notes())
    if messages is not None:
        return [("", value)]
    if several is None:
        return [(f"/{key}{place}", {**opened, key: alone}) for place, alone in each_alone(opened[key])]
    above = f"/{key}" if key else ""
    each = [(f"{above}/{at}{inner}", [alone]) for at, item in enumerate(several) for inner, alone in each_alone(item)]
    return [(place, {**opened, key: alone}) for place, alone in each] if key else each


def _spoken(items: list[Row]) -> list[Message] | None:
    """Turns of a speaker and a text under other keys as messages; ``None`` if they are none."""
    turns = turns_in(items)
    if turns is None or turns.speaker not in OTHER_KEYS:
        return None
    names = {turns.speaker: "role", turns.text: "content"}
    return [{names.get(key, key): value for key, value in item.items()} for item in items]


def _of_calls(calls: list[Row], notes: Notes) -> list[Message]:
    return [{"role": "assistant", "content": "", "tool_calls": read_calls(calls, notes)}]
