"""What nobody read next to the messages of a row, by its keys or by what the conversation lacks."""

from __future__ import annotations

from typing import Any, Final

from toolconv.convert.unread.carried import DECLARED
from toolconv.convert.unread.signs import (
    NESTED,
    TURN_TEXTS,
    are_written_calls,
    declares,
    is_known_part,
    is_prose,
    is_question,
    is_short,
    is_system,
    is_words,
    result_keys,
    speaker_of,
    texts_below,
)
from toolconv.convert.unread.values import Seeming, ValueSearch
from toolconv.core import jsontext
from toolconv.core.declarations import declarations
from toolconv.core.key_words import (
    ANSWER_WORDS,
    ARGUMENT_WORDS,
    CALL_WORDS,
    DESCRIBING,
    DETAILS,
    FACT_WORDS,
    MARK_WORDS,
    NO_ANSWER,
    QUESTIONS,
    REFERENCE_WORDS,
    SYSTEMS,
    words_of,
)
from toolconv.core.messages import SYSTEM_ROLES, Row
from toolconv.dialects.prompts.stated_tools import may_state_tools, stated_tools
from toolconv.layouts.content_parts import ALL_PARTS, kind_of
from toolconv.layouts.found_turns import find_turns
from toolconv.layouts.nested_json import opened
from toolconv.layouts.speakers import CALL, meaning_of

NEAR: Final = 3
"""In so many objects, a text is something else than the answer, whatever it is."""
SAID_PARTS: Final = frozenset({"text", "reasoning", "result"})
"""The kinds of parts that say something; calls are known by themselves."""
ENCLOSING: Final = frozenset({"events", "attributes"})
"""Keys of OpenTelemetry that say nothing of what is below them."""
BELONGING: Final = DETAILS | QUESTIONS - {"user"}
"""Words in the keys of what may belong to a question, also to one that was read."""
NO_ANSWER_NAMES: Final = QUESTIONS | SYSTEMS
WRITTEN: Final = frozenset(
    {
        "label", "labels", "title", "summary", "caption", "review", "critique", "correction", "corrections", "feedback",
        "rationale", "patch", "diff", "test", "tests",
    }
)  # fmt: skip
"""Words in the keys of what a request may ask for, which name the answer to it."""
ABOUT: Final = DESCRIBING - WRITTEN
"""Words in the keys of texts that are no answers, whatever they are."""
DECLARING: Final = frozenset({"function", "functions", "tool", "tools"})
"""Words in the keys of declarations, next to one of :data:`SCHEMAS`, or alone."""
SCHEMAS: Final = frozenset(
    {"available", "declarations", "definitions", "descriptions", "list", "schemas", "signatures", "specs"}
)


def look_into_tools(search: ValueSearch, key: str, tools: Any) -> None:
    """Add the declarations that have no name, or that are no list."""
    found = list(declarations(tools))
    if not found and type(jsontext.opened(tools)) is str:
        search.add(("", key), "tools", "declarations that are no list")
    if len(found) == 1 and found[0].tool is tools and type(tools) is dict and found[0].named is None:
        search.add(("", key), "tools", "declarations that are no list")
        return
    for each in found:
        tool = each.tool
        called = None if type(tool) is not dict else search.call_in(tool, ("", key))
        if called is not None and (results := result_keys(tool)):
            if search.held.has_call(called, tool) and not search.is_new_below([tool[each] for each in results]):
                continue  # a copy
            search.add(("", key, *each.pointer.split("/")[1:]), "calls", "a call with its result, no declaration")
            continue
        if each.named is not None or type(tool) is not dict or tool.get("type", "function") != "function":
            continue  # one of the provider's own, known by its type
        if each.function is not None or "type" in tool or "description" in tool or any(map(declares, tool.values())):
            search.add(("", key, *each.pointer.split("/")[1:]), "tools", "a declaration without a name")


def look_into_row(search: ValueSearch, key: str, value: Any) -> None:
    """Add what the value of a key of the row holds that nobody read."""
    inner = opened(value)
    if value == search.held.conversation.prompt and type(inner) is str:  # an answer does not go on from JSON
        return
    if (placed := _by_place(search, key, inner)) is not None:
        search.add(("", key), *placed)
    elif _is_compared(search, key, inner):
        return
    elif search.look(value, ("", key)):
        search.add_beside_calls(value, ("", key))
    elif not search.held.calls and are_written_calls(key, inner):
        search.add(("", key), "calls", "what may be calls")
    elif not _add_texts(search, key, value, inner):
        search.add_unsaid(value, ("", key))


def _is_compared(search: ValueSearch, key: str, value: Any) -> bool:
    """Whether a value is what the answer is compared with: words and calls, but no other turns or results."""
    if not search.held.answered or words_of(key).isdisjoint(REFERENCE_WORDS):
        return False
    items = value if type(value) is list else [value]
    turns = [item for item in items if type(item) is dict and search.call_in(item, ("", key)) is None]
    places = (place for item in items if type(item) is dict for place in find_turns(item))
    turns += [turn for place in places for turn in place.turns.items]
    spoken = {meaning_of(name) for turn in turns if (name := speaker_of(turn))}
    return spoken <= {"assistant", CALL} and not any(kind_of(item) == "result" for item in items)


def _by_place(search: ValueSearch, key: str, value: Any) -> Seeming | None:
    """What a value is by its key, or by the names and ids in it, if the conversation lacks such: kind, and words."""
    held = search.held
    if held.ends_with("user") and held.conversation.declared and _names_tools(search, {_last_step(key): value}):
        return "calls", "calls in a notation of its own"
    if _are_marks(key, value, len(held.messages)):
        return "mark", "marks that may say which messages to train on"
    if type(value) is dict and not held.calls and _are_arguments(key, held.conversation.row):
        return "calls", "the arguments of a call"
    if not (unanswered := held.unanswered):
        return None
    if type(value) is dict and not value.keys().isdisjoint(unanswered):
        return "messages", "results by the ids of their calls"
    if meaning_of(key) == "tool" and type(value) is str and is_words(value):
        return "messages", "the result of a call"
    return None


def _add_texts(search: ValueSearch, key: str, value: Any, inner: Any) -> bool:
    """Add a text of a value that is in its place there, or parts of a message; whether there are any."""
    held = search.held
    several = type(inner) is list and len(inner) > 1 and all(type(item) is str for item in inner)
    texts = list(texts_below(value, ("", key)))
    known = any(text in held.texts or held.has_argument(text) for _, text in texts)
    if type(value) is str is not type(inner) and not known and _add_by_key(search, ("", key), value, several=False):
        return True
    for path, text in texts:
        place = ("", key) if several else path
        if text.strip() and text not in held.texts and _add_by_key(search, place, text, several=several):
            return True
    items = inner if type(inner) is list else [inner]
    parts = [ALL_PARTS.read(item) for item in items if type(item) is dict and "type" in item]
    words = [part.value for part in parts if part is not None and part.entry.kind in SAID_PARTS]
    if (words and len(words) == len(items) and search.is_new_below(words)) or (
        items and all(map(is_known_part, items))
    ):
        search.add(("", key), "messages", "parts of a message")
        return True
    return False


def _are_arguments(key: str, row: Row) -> bool:
    """Whether a key of a row, such as ``tool_input``, is that of arguments, and another holds the name of a tool."""
    if CALL_WORDS.isdisjoint(words_of(key)) or ARGUMENT_WORDS.isdisjoint(words_of(key)):
        return False
    names = (name for name, value in row.items() if type(value) is str and len(value.split()) == 1)
    return any(not CALL_WORDS.isdisjoint(words_of(name)) for name in names)


def _are_marks(key: str, value: Any, size: int) -> bool:
    """Whether a list is a flag for each of so many messages, or their indexes, and its key is one of marks."""
    if type(value) is not list or not 0 < len(value) <= size or words_of(key).isdisjoint(MARK_WORDS):
        return False
    return {bool, int, float}.issuperset(map(type, value))


def _add_by_key(search: ValueSearch, path: tuple[str, ...], text: str, *, several: bool) -> bool:
    """Add a text that belongs to the conversation by its keys, or by what the conversation lacks; whether it does.

    Keys say so: a system text where the conversation has none, a question, an answer. ``several`` texts are in a list.
    """
    names = [key for key in path[1:] if not key.isdecimal()]
    if not names or not DECLARED.isdisjoint(names):  # under numbers alone, nothing says what it is
        return False
    own = [name for name in names if name not in TURN_TEXTS]
    words = is_words(text)
    prose = is_prose(text) or (words and not names[-1].isascii())  # a key in another script says nothing
    asked = search.held.roles.isdisjoint(SYSTEM_ROLES) and not any("user" in words_of(name) for name in names)
    if asked and any(is_system(name, words, len(own) < 2) for name in names):
        search.add(path, "system", "a system text")
    elif not search.held.conversation.declared and may_state_tools(text) and stated_tools(text) is not None:
        search.add(path, "tools", "a text that declares tools")
    elif several and not search.held.conversation.declared and any(_declares(name) for name in names):
        search.add(path, "tools", "what may declare tools")
    elif ("user" not in search.held.roles and any(is_question(name, words) for name in names)) or _may_ask(
        search, names, prose
    ):
        search.add(path, "question", "a question", "prompt_key")
    elif (len(names) == 1 or search.held.unasked) and _is_detail(search, names[-1], text, words):
        search.add(path, "question", "what may belong to a question")
    elif _answers(search, names, prose) and not search.held.has_argument(text):
        search.add(path, "answer", "answers" if several else "an answer", "text_key")
    else:
        return False
    return True


def _declares(key: str) -> bool:
    """Whether a key says that it holds declarations in a notation of their own: ``function_schemas``."""
    return not words_of(key).isdisjoint(DECLARING) and words_of(key) <= DECLARING | SCHEMAS


def _may_ask(search: ValueSearch, names: list[str], prose: bool) -> bool:
    """Whether a text may be the question of a conversation that begins with the answer to it."""
    names = [name for name in names if name not in ENCLOSING]
    if not prose or len(names) >= NEAR or not search.held.unasked:
        return False
    return all(words_of(name).isdisjoint(NO_ANSWER | ANSWER_WORDS) for name in names)


def _is_detail(search: ValueSearch, key: str, text: str, words: bool) -> bool:
    """Whether a text may belong to a question by its key: it is words, or the conversation begins with the answer."""
    if words_of(key).isdisjoint(BELONGING) or not words_of(key).isdisjoint(NO_ANSWER | ANSWER_WORDS):
        return False
    return (words or (search.held.unasked and is_short(text))) and not search.held.says(text)


def _answers(search: ValueSearch, names: list[str], prose: bool) -> bool:
    """Whether the keys of a text say that it is an answer, or there is none and it may be one."""
    if search.is_answer(names[0]) if len(names) == 1 else _is_answer_below(search, names, prose):
        return True
    return not search.held.answered and _may_answer(search, names, prose)


def _is_answer_below(search: ValueSearch, names: list[str], prose: bool) -> bool:
    """Whether a text in an object, under a key that says that it is an answer, is its text."""
    if not search.is_answer(names[0]) or any(not words_of(name).isdisjoint(FACT_WORDS) for name in names):
        return False
    return prose or names[-1].lower() in TURN_TEXTS


def _may_answer(search: ValueSearch, names: list[str], prose: bool) -> bool:
    """Whether a text may answer a conversation that ends with a question: it is prose, or its keys say so."""
    if any(name.lower() in NO_ANSWER_NAMES or not words_of(name).isdisjoint(NO_ANSWER) for name in names):
        return False
    own = [name for name in names if name not in TURN_TEXTS][-1:]  # in an object of an answer, most texts are facts
    named = bool(own) and not words_of(own[0]).isdisjoint(ANSWER_WORDS)
    records = search.held.layout.leaves_out and names[-1].isascii()  # none has a key in another script
    beside = len(names) > 1 and "assistant" in search.held.roles  # plans and notes next to what is answered elsewhere
    prose = prose and (names[-1].lower() in TURN_TEXTS or (len(names) < NEAR and not records and not beside))
    prose = prose and all(words_of(name).isdisjoint(ABOUT) for name in names)
    return (named or prose) and search.held.ends_with("user", "tool")


def _names_tools(search: ValueSearch, value: Any) -> bool:
    """Whether objects or texts in a value name declared tools, with what may be their arguments."""
    waiting = [value]
    while waiting:
        value = opened(waiting.pop())
        if type(value) is dict:
            for key, member in value.items():
                if type(member) in NESTED and (key in search.held.conversation.declared or _is_counted(search, key)):
                    return True
            waiting += value.values()
        elif type(value) is list:
            waiting += value
        elif type(value) is str and "(" in value and value.partition("(")[0] in search.held.conversation.declared:
            return True
    return False


def _last_step(key: str) -> str:
    """The last key on the path that a key may be."""
    return key.replace("/", ".").rpartition(".")[2]


def _is_counted(search: ValueSearch, key: str) -> bool:
    """Whether a key is the name of a declared tool with a number."""
    name, _, number = key.rpartition("_")
    return number.isdecimal() and name in search.held.conversation.declared
