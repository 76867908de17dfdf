"""The signs by which parts of a row are known: prose, turns, declarations, results, and keys that say what is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.call_keys import argument_key, unread_key
from toolconv.core.calls import declares_tools
from toolconv.core.declarations import SCHEMA_KEYS
from toolconv.core.key_words import DESCRIBING, QUESTIONS, SYSTEMS, words_of
from toolconv.core.messages import TEXT_PARTS, Message, Row
from toolconv.layouts.content_parts import PARTS, kind_of
from toolconv.layouts.found_turns import TEXT_KEYS, turns_in
from toolconv.layouts.nested_json import PYTHON_STARTS, opened, values_of
from toolconv.layouts.speakers import OTHER_KEYS, meaning_of
from toolconv.layouts.tool_schema import BUILT_IN

PROSE: Final = 4
"""The words of a text that is taken for an answer, whatever its key, where a conversation has none."""
SCRIPTS: Final = "\u3040"
"""The first letter of the scripts of Japanese, Chinese and Korean."""
REASONING: Final = frozenset({"reasoning", "thinking", "thought", "thoughts", "rationale"})
"""Words in the keys of reasoning."""
_TEXT_WORDS: Final = frozenset({"content", "text"})
JSON_TEXTS: Final = ("{", "[", '"')
"""The first characters of JSON texts."""
SENTENCE_ENDS: Final = frozenset(".!?。！？…")
"""The last characters of a text that is a sentence."""
SYSTEM_NAMES: Final = frozenset({"system", "sys"})
SYSTEM_WORDS: Final = SYSTEM_NAMES | {"instructions", "persona", "preamble"}
"""Words in the keys of system texts: in any object, and in those of a row."""
LONGEST: Final = 32
"""How long the name of a speaker is at most."""
CONTENT_KEYS: Final = (*TEXT_KEYS, "blocks", "contents")
CONTENTS: Final = frozenset(CONTENT_KEYS)
JOINED: Final = CONTENTS | {"data", "delta", "thinking", "reasoning"}
"""Keys of texts that are joined with others, so that they may be pieces of the text that is kept."""
TURN_TEXTS: Final = frozenset(TEXT_KEYS)
"""Keys of the text of a turn."""
SHARES: Final = frozenset({"text", "message"})
"""Keys of the text of a part, and of the message of one of several answers."""
SPOKEN: Final = frozenset({"content", "parts", "tool_calls"})
"""Keys of which a message has one."""
DECLARING: Final = frozenset(
    {"name", "api_name", "tool_name", "function", "custom", "toolSpec", "functionDeclarations", "function_declarations"}
)
"""Keys of which a declaration has one."""
SCHEMAS: Final = frozenset(SCHEMA_KEYS)
"""Keys of the schema of a declaration."""
BLOCKS: Final = (
    "```", "[\n", "{\n", *PYTHON_STARTS,
    '[{"', '["', "[[{", '{"role"', '{"tool_calls"', '{"content"', '{"model"', '"[{', '"{\\"',
)  # fmt: skip
"""The beginnings of texts that may be nothing but calls, or messages."""
SHORT: Final = 7
"""How many characters are too few for a call."""
NESTED: Final = (dict, list)
READ_IN_CALLS: Final = frozenset({"id", "type", "name", "function", "arguments"})
"""The keys of a call, and of its function, that are read."""
TYPED_PARTS: Final = frozenset(
    {
        "audio", "audio_url", "citation", "container_upload", "cache_point", "image_file", "refusal", "search_result",
        "media", "video", "video_url", "compaction", "reasoning_text", "web_search_call", "file_search_call",
        "code_interpreter_call", "image_generation_call", "computer_call", "computer_call_output", "local_shell_call",
        "tool_search_call", "tool_search_output", "additional_tools",
    }
)  # fmt: skip
"""Types of parts of APIs that hold media, or are written back unchanged. Sources: API references."""
KEYED_PARTS: Final = frozenset(
    {
        "audio", "cachePoint", "citationsContent", "codeExecutionResult", "document", "executableCode",
        "guardContent", "image", "image_url", "searchResult", "video",
    }
)  # fmt: skip
"""The keys of such parts without a type: Bedrock's and Gemini's."""
MEDIA_KEYS: Final = KEYED_PARTS | {
    "source", "data", "url", "uri", "path", "file", "file_id", "file_url", "file_data", "fileUri", "input_audio",
    "value", "base64", "bytes", "image_id", "content", "text",
}  # fmt: skip
"""The keys of what a part of a type for media holds. Sources: API references."""
DONE_BY_PROVIDER: Final = frozenset({"result", "results", "server", "mcp"})
"""Words in the types of parts for tools that the provider runs: they are content."""
RESULTS: Final = frozenset({"result", "results", "output", "response", "observation", "outcome", "returned"})
"""Keys of a call that hold its result."""


def is_prose(text: str) -> bool:
    """Whether a text is words that someone says, rather than a name or a number: four of them, or a sentence."""
    if len(text.split(maxsplit=PROSE)) >= PROSE:
        return True
    if not text.isascii() and sum(letter >= SCRIPTS for letter in text[:LONGEST]) >= 2 * PROSE:
        return True  # no spaces between words
    return text.rstrip()[-1:] in SENTENCE_ENDS and any(map(str.isalpha, text))


def are_of_no_kind(keys: Sequence[str]) -> bool:
    """Whether none of some keys says that it describes a conversation, and one of them is a name."""
    return all(words_of(key).isdisjoint(DESCRIBING) for key in keys) and not all(map(str.isdecimal, keys))


def are_written_calls(key: str, value: Any) -> bool:
    """Whether a value is a list of calls, each in the notation of programs, or an object of its name and arguments.

    The first is ``ping(host='a')``, the other ``{"ping": {"host": "a"}}``, under a key that says nothing else of it.
    """
    items = [item for item in value if item] if type(value) is list else []
    if not items:
        return False
    if all(map(_is_written_call, items)):
        return True
    return are_of_no_kind((key,)) and all(map(_is_named_object, items))


def _is_written_call(item: Any) -> bool:
    return type(item) is str and item.endswith(")") and "=" in item and item.partition("(")[0].isidentifier()


def _is_named_object(item: Any) -> bool:
    """Whether an item is an object of one key, a name, that holds an object; no content part."""
    if type(item) is not dict or len(item) != 1 or is_known_part(item) or kind_of(item) is not None:
        return False
    ((name, members),) = item.items()
    return name.isidentifier() and type(members := opened(members)) is dict and len(members) > 0


def is_words(text: str) -> bool:
    """Whether a text is more than a name or a number: words, or the data of an image."""
    return len(text.split(maxsplit=1)) > 1 or ";base64," in text[:100] or is_prose(text)


def is_short(text: str) -> bool:
    """Whether a text is one or a few words, but no prose."""
    return not is_prose(text) and text[:1] not in ("{", "[") and (text.isalpha() or " " in text.strip())


def is_system(key: str, words: bool, alone: bool) -> bool:
    """Whether a text is a system text by a key: a usual one of the row, or, of words, one that says so."""
    words_in_key = words_of(key)
    if (alone and key.lower() in SYSTEMS) or (not key.isascii() and meaning_of(key) == "system"):
        return True
    named = SYSTEM_WORDS if alone else SYSTEM_NAMES
    return words and (not words_in_key.isdisjoint(named) or words_in_key == {"instructions"})


def is_question(key: str, words: bool) -> bool:
    """Whether a text is a question by a key: a usual one, or, of words, one that says so."""
    return key.lower() in QUESTIONS or (words and not words_of(key).isdisjoint(QUESTIONS))


def texts_below(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The texts in a value, which may be JSON text, in order, each with its path."""
    waiting = [(value, path)]
    while waiting:
        value, path = waiting.pop()
        value = opened(value)
        if type(value) is str:
            yield path, value
        elif type(value) is dict or type(value) is list:
            waiting += members_of(value, path)


def members_of(value: Any, path: tuple[str, ...]) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """The members of a list or an object, the last one first, each with its path."""
    if type(value) is dict:
        return ((member, (*path, key)) for key, member in reversed(value.items()))
    return ((value[at], (*path, str(at))) for at in range(len(value) - 1, -1, -1))


def turn_text(value: Any) -> str | None:
    """The key of the text of a turn, whose speaker may be under any key; ``None`` for anything else."""
    if type(value) is not dict or CONTENTS.isdisjoint(value) or not speaker_of(value):
        return None
    texts = (key for key in CONTENT_KEYS if value.get(key) and type(value[key]) in (str, list))
    return next(texts, "content" if type(value.get("content")) is dict and value["content"] else None)


def speaker_of(turn: Row) -> str:
    """The name of a turn's speaker, under any key; empty if it has none."""
    names = (
        name.get("role") if type(name) is dict and key in OTHER_KEYS else name
        for key, name in turn.items()
        if key not in TURN_TEXTS
    )
    named = (name for name in names if type(name) is str and len(name) < LONGEST)
    return next((name for name in named if meaning_of(name) is not None), "")


def is_messages(text: str) -> bool:
    """Whether a text is the JSON of messages, also of one a line, or of the parts of one."""
    value = opened(text)
    if type(value) is str and "\n" in text:
        value = jsontext.opened(text.partition("\n")[0])
    if type(value) is dict:
        value = inner if type(inner := value.get("message")) is dict else value  # of an answer, or a piece of it
        return type(value.get("role")) is str and not SPOKEN.isdisjoint(value)
    if type(value) is not list or not value:
        return False
    if all(type(item) is str for item in value):
        return any(map(is_prose, value))
    if not all(type(item) is dict for item in value):
        return all(map(turns_in, value))
    if all(not SHARES.isdisjoint(item) for item in value) and (
        any(item.get("thought") is True for item in value)
        or all("index" in item or item.get("type") == "text" for item in value)
    ):
        return True
    return any(type(item.get("role")) is str and not SPOKEN.isdisjoint(item) for item in value)


def declares(value: Any) -> bool:
    """Whether a value is the declaration of a tool, also one with a flat list of its parameters."""
    if type(value) is not dict:
        return type(value) is list and declares_tools([value])
    if value.get("type") == "function" and type(value.get("name")) is str:
        typed = not SCHEMAS.isdisjoint(value) or (argument_key(value) or unread_key(value)) is None
        return "content" not in value and typed
    if DECLARING.isdisjoint(value):
        described = type(value.get("description")) is str and type(value.get("parameters")) is dict
        if described and value.get("type", "function") == "function":  # else one of the provider's own
            return True
        return len(value) == 1 and declares_tools(value)  # of a larger object, the list in it is looked at
    function = value.get("function")
    if value.get("type") == "function" and type(function) is dict and not {"name", "parameters"}.isdisjoint(function):
        return "arguments" not in function
    if (
        declares_tools([value])
        or type(value.get("toolSpec")) is dict
        or (type(value.get("type")) is str and BUILT_IN.fullmatch(value["type"]))
    ):
        return True
    for name in ("name", "api_name", "tool_name"):
        if type(value.get(name)) is str and type(given := value.get("parameters", value.get("params"))) is dict:
            if type(value.get(name.replace("name", "description"))) is str:
                return True
            return bool(given) and all(type(each) is dict and type(each.get("type")) is str for each in given.values())
    return False


def objects_in(text: str) -> list[Row]:
    """The objects in a text of several lines that is the JSON of one a line, such as the chunks of a stream."""
    values = values_of(text)
    return values if len(values) > 1 and all(type(value) is dict for value in values) else []


def is_text_part(part: Any) -> bool:
    """Whether a part of a message's content is a text, with nothing else to read."""
    return type(part) is str or (
        type(part) is dict and part.get("type") in TEXT_PARTS and type(part.get("text")) is str
    )


def is_known_part(part: Any) -> bool:
    """Whether a part of a message's content is of a kind that APIs have: media, or what the provider's tools did."""
    if type(part) is not dict:
        return False
    kind = part.get("type", part.get("block_type"))
    if type(kind) is not str:
        given = {key: value for key, value in part.items() if value is not None}
        return kind_of(given) == "media" or not KEYED_PARTS.isdisjoint(given)
    if (found := PARTS.get(kind)) is not None:
        return found.kind == "media" and not MEDIA_KEYS.isdisjoint(part)
    return kind in TYPED_PARTS or not words_of(kind).isdisjoint(DONE_BY_PROVIDER)


def calls_plainly(message: Message) -> bool:
    """Whether a message with ``tool_calls`` has none, or is the assistant's and says nothing else in them."""
    calls = message["tool_calls"]
    return not calls or (message.get("role") == "assistant" and are_plain(calls))


def are_plain(calls: Any) -> bool:
    """Whether calls have a function with a name and arguments, and nothing else that says anything."""
    if type(calls) is not list:
        return not calls
    for call in calls:
        if type(call) is not dict or type(function := call.get("function")) is not dict:
            return False
        if "arguments" not in function or type(function.get("name")) is not str or not function["name"]:
            return False
        more = not (READ_IN_CALLS.issuperset(call) and READ_IN_CALLS.issuperset(function))
        if more and (not function["arguments"] or any(map(_says_more, (call, function)))):
            return False
    return True


def _says_more(holder: Row) -> bool:
    """Whether a call, or its function, holds its result or words under a key that calls don't have."""
    others = [(key, value) for key, value in holder.items() if key not in READ_IN_CALLS]
    return bool(result_keys(holder)) or any(
        type(value) in NESTED or (type(value) is str and (is_prose(value) or is_reasoning(key)))
        for key, value in others
    )


def is_reasoning(key: str) -> bool:
    """Whether a key says nothing but that its text is reasoning: not its signature, nor its effort."""
    words = words_of(key)
    return not words.isdisjoint(REASONING) and words <= REASONING | _TEXT_WORDS


def result_keys(holder: Row) -> list[str]:
    """The keys of a call, or of its function, that hold its result: usual ones, or those of words that say so."""
    worded = {key for key, value in holder.items() if type(value) is str and _ends_call(key, value)}
    return [key for key, value in holder.items() if value and (key in RESULTS or key in worded)]


def _ends_call(key: str, text: str) -> bool:
    """Whether a text is the result of a call, or its error, by the words of its key."""
    return is_words(text) and not words_of(key).isdisjoint(RESULTS | {"error"})


def is_answered(messages: list[Message]) -> bool:
    """Whether a conversation ends with an answer."""
    last = messages[-1] if messages else {}
    if last.get("role") != "assistant":
        return False
    return bool(last.get("content") or last.get("tool_calls") or last.get("reasoning_content"))


def is_silent(message: Message) -> bool:
    """Whether a message says nothing, other than a result, which may be empty."""
    if message.get("content") or message.get("role") == "tool":
        return False
    return not (message.get("tool_calls") or message.get("reasoning_content"))


def is_alone(messages: list[Message]) -> bool:
    """Whether messages are one text, which may be a conversation in words."""
    return len(messages) == 1 and type(text := messages[0].get("content")) is str and "\n" in text
