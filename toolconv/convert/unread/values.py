"""What a value holds that its conversation does not have: turns, calls and declarations."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from re import DOTALL
from typing import Any, Final, NamedTuple

from toolconv.convert.trial import KeyOption
from toolconv.convert.unread.held import Held, calls_in, signature
from toolconv.convert.unread.signs import (
    CONTENTS,
    JSON_TEXTS,
    NESTED,
    READ_IN_CALLS,
    RESULTS,
    SHORT,
    are_of_no_kind,
    declares,
    is_messages,
    is_prose,
    is_reasoning,
    is_short,
    is_words,
    members_of,
    objects_in,
    speaker_of,
    texts_below,
    turn_text,
)
from toolconv.core import jsontext
from toolconv.core.call_keys import RARE_NAME_KEYS, TOOL_NAME_KEYS, argument_key, is_flattened, unread_key
from toolconv.core.calls import NotACall, call_from, declares_tools, is_call
from toolconv.core.declarations import declarations
from toolconv.core.key_words import (
    ANSWER_WORDS,
    CALL_WORDS,
    FACT_WORDS,
    NO_ANSWER,
    OUTPUTS,
    in_snake_case,
    is_key_of_calls,
    words_of,
)
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Row, text_of
from toolconv.core.notes import Notes, UnreadKind
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.lexing.markers import may_show_calls
from toolconv.dialects.turn_reader import TurnReader
from toolconv.layouts.call_forms import CALL_IDS, calls_among, looks_like_call, name_key, read_calls
from toolconv.layouts.content_parts import ALL_PARTS, kind_of
from toolconv.layouts.found_turns import SPEAKER_KEYS, find_turns, turns_in
from toolconv.layouts.nested_json import opened
from toolconv.layouts.speakers import meaning_of
from toolconv.layouts.stored_rows import as_objects, of_type
from toolconv.layouts.tool_places import CONFIG_KEYS, TOOL_KEYS
from toolconv.layouts.turn_shapes import TURN_KEYS, turns_of

RUN_BY_PROVIDER: Final = ("server_tool_use", "mcp_tool_use", "mcp_call")
"""The types of calls that the provider answers in the same turn: they are content. Source: API references."""
TURN_MARKS: Final = frozenset({"tool_calls", "tool_call_id"})
"""Keys by which an object with a role is a message, whether it has a text or not."""
CALL_ALONE: Final = 2
"""How many keys an object has that is nothing but the name of a tool and its input."""
SERVICES: Final = ("method", "endpoint")
"""Keys of what a call of a service calls."""
CONTINUING: Final = frozenset({"prefix", "suffix", "continuation", "continued", "remainder"})
"""Words in the keys of a piece of a text that begins or goes on elsewhere."""
FURTHER: Final = frozenset({"extra", "more", "additional", "further"})
"""Words in the key of one more text."""
PIECES: Final = CONTENTS | {"part"}
"""The word next to a number in the key of a piece of a text."""
NAMING: Final = frozenset(RARE_NAME_KEYS)
SAYING: Final = CONTENTS | RESULTS
"""Keys of texts and of results in the parts of a turn."""
SPEAKING_ROLES: Final = ("user", "assistant", "system")
_BLOCK: Final = lazy_re(r"\s*```(?:json)?\s*(\[.*\])\s*```\s*", DOTALL)


Place = tuple[str, ...]
"""The keys on the way to a value."""
Seeming = tuple[UnreadKind, str]
"""What a value seems to be: its kind, and in words."""


class FoundValue(NamedTuple):
    """What nobody read, by its path in the conversation; see :meth:`ValueSearch.add`."""

    path: tuple[str, ...]
    kind: UnreadKind
    what: str
    option: KeyOption | None


class ValueSearch:
    """A search through values of one row.

    Attributes:
        held: what the conversation has.
        found: what nobody read.
        copies: a call that the conversation makes elsewhere is a copy, and is fine.
    """

    def __init__(self, held: Held, reader: TurnReader | None) -> None:
        self.held = held
        self.found: list[FoundValue] = []
        self.copies = True
        self._places: set[str] = set()
        self._reader = None if reader is None else TurnReader(infer=reader.infer)

    def look(self, value: Any, path: tuple[str, ...]) -> bool:
        """Add what a value at a path holds, by its form; whether there is anything."""
        before = len(self.found)
        waiting: list[tuple[Any, tuple[str, ...]]] = [(value, path)]
        while waiting:
            value, path = waiting.pop()
            value = of_type(value) if type(value) is dict and len(value) == 1 else value
            kind = type(value)
            if kind is str:
                inner = opened(value)
                if type(inner) is str and value[:1] == "{" and (lines := objects_in(value)):
                    waiting += members_of(lines, path)
                elif type(inner) is str:
                    self.look_into_text(value, path)
                elif not self._structure(inner, path):
                    waiting += members_of(inner, path)
            elif (kind is dict or kind is list) and not self._structure(value, path):
                waiting += members_of(value, path)
        return len(self.found) > before

    def _structure(self, value: Any, path: tuple[str, ...]) -> bool:
        """Add a list of turns, a message or a call; whether the value is one of these."""
        if type(value) is list:
            turns = turns_in(value)
            if turns is not None:
                return self._messages(turns.items, turns.text, path)
            if value and all(map(turn_text, value)):
                return self._messages(value, str(turn_text(value[0])), path)
            if path[-1].lower() in TURN_KEYS and all(type(item) is dict and _may_be_turn(item) for item in value):
                self.add(path, "messages", "turns without a usual speaker or text")
                return True
            if len(value) > 1 and self._are_items(value) and self.is_new_below(value):
                self.add(path, "messages", many(len(value), "message"), "messages_key")
                return True
            if value and all(map(_is_spoken, value)) and self.is_new_below(value):
                self.add(path, "messages", "turns without a usual speaker or text")
                return True
            return self.add_tools(value, path) or self._shaped(value, path)
        if path[-1] in TOOL_KEYS and not path[0]:
            each = [tool for member in value.values() if type(tool := opened(member)) is dict]
            by_id = any(map(declares, each))
            if (declares_tools(value) or by_id) and self._is_undeclared(each if by_id else value):
                self.add(path, "tools", "declarations", "tools_key")
            return path[-1] not in CONFIG_KEYS
        if self.add_tools(value, path):
            return True
        if (call := self.call_in(value, path)) is not None:
            function = value.get("function")
            made = self.copies and self.held.has_call(call, value, function if type(function) is dict else {})
            if made:
                given = argument_key(value)
                beside = {key: member for key, member in value.items() if key not in (*READ_IN_CALLS, given)}
                for member, place in members_of(beside, path):
                    if type(opened(member)) in NESTED:
                        self.look(member, place)
            elif not self.held.drops(value):
                self.add(path, "calls", "a call", "text_key")
            return True
        if self.is_lost_result(value):
            self.add(path, "messages", "the result of a call")
            return True
        if (text := turn_text(value)) is not None:
            return self._messages([value], text, path)
        role = value.get("role")
        if type(role) is str and not TURN_MARKS.isdisjoint(value) and meaning_of(role) is not None:
            return self._messages([value], "content", path)
        flat = type(role) is str and not any(type(member) in NESTED for member in value.values())
        if flat and _is_spoken(value) and self.is_new_below(value):
            self.add(path, "messages", "a message without a usual text")
            return True
        return self._shaped(value, path)

    @staticmethod
    def _are_items(value: list[Any]) -> bool:
        """Whether objects are turns and, between these, items with a type, such as calls, as in the Responses API."""
        turns = [type(item) is dict and turn_text(item) is not None for item in value]
        return any(turns) and all(
            turn or (type(item) is dict and type(item.get("type")) is str)
            for item, turn in zip(value, turns, strict=True)
        )

    def _shaped(self, value: Any, path: tuple[str, ...]) -> bool:
        """Add turns in another shape than a list of objects; whether the value is such."""
        shaped = turns_of(value, path[-1])
        turns = turns_in(as_objects(value) if shaped is None else [turn.item for turn in shaped])
        return turns is not None and self._messages(turns.items, turns.text, path)

    def _messages(self, items: list[Row], text: str, path: tuple[str, ...]) -> bool:
        """Add messages, unless the conversation has them; whether all that they hold is looked at."""
        made = [call for item in items for call in _calls_of(item)]
        calls = [call for call in made if not self.held.has_call(call, {"id": call.id})]
        new = [item for item in items if self._answers(item, path) or self._is_new(item.get(text) or [item])]
        if not calls and not new:
            return all(
                type(item.get(text)) is str and not any(type(value) in NESTED for value in item.values())
                for item in items
            )
        marked = len(calls) + sum(len(self._in_text(text_of(item.get(text))[0])[0]) for item in new)
        kind: UnreadKind = "calls" if marked else "messages"
        option: KeyOption = "messages_key"
        what = many(len(items), "message")
        if len(items) == 1 and (self.is_answer(path[1]) or meaning_of(speaker_of(items[0])) == "assistant"):
            kind, what, option = "calls" if marked else "answer", "an answer", "text_key"
        if marked:
            what += f" with {many(marked, 'call')}"
        self.add(path, kind, what, option)
        return True

    def _answers(self, item: Row, path: tuple[str, ...]) -> bool:
        """Whether a turn is the assistant's, where the conversation has no answer: it may repeat a result.

        One that a message carries along is a record of this message. Or it is a result, where a call has none.
        """
        if self.held.unanswered and (
            str(item.get("tool_call_id")) in self.held.unanswered
            or any(kind_of(part) == "result" for part in item.get("parts") or ())
        ):
            return True
        return not path[0] and not self.held.answered and meaning_of(speaker_of(item)) == "assistant"

    def is_lost_result(self, value: Row) -> bool:
        """Whether a value is the result of a call that has none."""
        if not self.held.unanswered or kind_of(value) != "result":
            return False
        part = ALL_PARTS.read(value)
        return part is not None and str(part.id) in self.held.unanswered

    def call_in(self, value: Row, path: tuple[str, ...]) -> ToolCall | None:
        """The call that an object is; ``None`` for anything else that has a name, such as a model or a declaration."""
        if type(value.get("function")) is str:
            value = {**value, "function": opened(value["function"])}
        if any(key[:1].isupper() for key in value):  # .NET's
            value = {in_snake_case(key): member for key, member in value.items()}
        typed = "type" in value
        part = ALL_PARTS.read(value) if kind_of(value) == "call" and (typed or "role" not in value) else None
        if part is not None and type(given := jsontext.opened(part.value)) is dict:
            name = part.name if typed or part.name is not None or not given else ""  # Gemini's, without its name
            if type(name) is str and (typed or not name or not given):
                return ToolCall(name, given)
        if "toolCallId" in value and "input" in value:  # the AI SDK's, whose type has the name
            return ToolCall(str(value.get("toolName") or value.get("type")), {"input": value["input"]})
        flat = {key: member for key, member in value.items() if is_flattened(key)}
        if flat and type(value.get("name")) is str:
            return ToolCall(value["name"], flat)
        if value.keys() - CALL_IDS == {"name", "input"} != value.keys() and type(value["input"]) is dict:
            return ToolCall(str(value["name"]), value["input"])  # Anthropic's, without its type
        alone = next((key for key in TOOL_NAME_KEYS if type(value.get(key)) is str), None)
        input_key = argument_key(value)
        if alone is not None and len(value) == CALL_ALONE:
            ((beside, member),) = ((key, member) for key, member in value.items() if key != alone)
            if type(member) is dict and member and are_of_no_kind((beside,)):
                return ToolCall(value[alone], member)
            if type(member) is str and beside == input_key:
                return ToolCall(value[alone], {beside: member})
        state = value.get("state")
        if type(value.get("tool")) is str and type(state) is dict and type(state.get("input")) is dict:  # OpenCode's
            return ToolCall(value["tool"], state["input"])
        function = value.get("function")
        holder = function if type(function) is dict else value
        if (
            "arguments" in holder
            and {"function", "description", "type"}.isdisjoint(holder)
            and name_key(holder) is None
        ):
            texts = (text for key, text in holder.items() if type(text) is str and key not in (*CALL_IDS, "arguments"))
            if type(given := jsontext.opened(holder["arguments"])) is dict and (text := next(texts, None)) is not None:
                return ToolCall(text, given)
        service = next((value[key] for key in SERVICES if type(value.get(key)) is str), None)
        if service is not None and not words_of(path[-1]).isdisjoint(CALL_WORDS):
            given = jsontext.opened(value.get(argument_key(value) or "arguments"))
            return ToolCall(service, given) if type(given) is dict else None
        if not self._is_call(value, path) or value.get("type") in RUN_BY_PROVIDER:
            return None
        inner = value.get("function")
        function = inner if isinstance(inner, dict) else value
        if "arguments" not in function:
            if function.get("description"):
                return None
            kind, name = value.get("type"), function.get("name")
            keys = [each for each in (kind, argument_key(function)) if isinstance(each, str)]
            keys += [key for key in RARE_NAME_KEYS if key in function]
            words = frozenset().union(*map(words_of, (*path[1:], *keys)))
            if words.isdisjoint(CALL_WORDS) and name not in self.held.conversation.declared and "args" not in function:
                return None
        given = _by_name(jsontext.opened(function.get(argument_key(function) or "arguments")))
        if given is None and (other := unread_key(function)) is not None:
            given = jsontext.opened(function[other])
            return ToolCall(str(function.get("name")), given) if type(given) is dict else None
        named = name_key(function)
        if type(given) is dict and named is not None and ("arguments" in function or looks_like_call(value)):
            call = ToolCall(function[named], given)
        else:
            try:
                call = call_from(value, "arguments", NO_TOOLS, [])
            except NotACall:
                return (
                    ToolCall(str(function.get("name")), {"arguments": given}) if type(given) is list and given else None
                )
        return None if call.arguments.get("type") == "object" else call  # a declaration with its schema

    def _is_call(self, value: Row, path: tuple[str, ...]) -> bool:
        """Whether an object is a call; one with a rare key of the name is, if it names a declared tool.

        So is one with a key of a tool's name, below a key for calls.
        """
        if is_call(value, NO_TOOLS):
            return True
        inner = value.get("function")
        function = inner if type(inner) is dict else value
        below = any(not words_of(key).isdisjoint(CALL_WORDS) for key in path[1:])
        if below and looks_like_call(value) and argument_key(function) is not None:
            return True
        if name_key(function) is not None and any(map(is_key_of_calls, path[-2:])) and TOOL_KEYS.isdisjoint(path):
            return unread_key(function) is not None and "description" not in function
        if NAMING.isdisjoint(value):
            return False
        if any(type(value.get(key)) is str and not words_of(key).isdisjoint(CALL_WORDS) for key in RARE_NAME_KEYS):
            return type(jsontext.opened(value.get(argument_key(value) or "arguments"))) is dict
        return is_call(value, self.held.conversation.declared)

    def _declares(self, value: Any) -> bool:
        """Whether a value declares a tool that the conversation does not declare, without being a row with turns."""
        return declares(value) and self._is_undeclared(value) and not (type(value) is dict and find_turns(value))

    def add_tools(self, value: Any, path: tuple[str, ...]) -> bool:
        """Add a list in which tools are declared, or a declaration; whether it is one that the conversation lacks."""
        if not (any(map(self._declares, value)) if type(value) is list else self._declares(value)):
            return False
        count = len(value) if type(value) is list else sum(1 for _ in declarations(value))
        self.add(path, "tools", many(count, "declaration"), "tools_key")
        return True

    def _is_undeclared(self, tools: Any) -> bool:
        """Whether any of some declarations is of a tool that the conversation does not declare."""
        named = (each.named for each in declarations(tools if type(tools) is dict and "tools" in tools else [tools]))
        return any(function is None or function["name"] not in self.held.conversation.declared for function in named)

    def is_answer(self, key: str) -> bool:
        """Whether the key of a value says that it is an answer, other than the one that was read."""
        if key.lower() in OUTPUTS:
            return True
        words = words_of(key)
        if self.held.spoken or in_snake_case(key).endswith("_model"):  # teacher_model, which wrote it
            return False
        return not words.isdisjoint(ANSWER_WORDS) and words.isdisjoint(NO_ANSWER)

    def _is_new(self, content: Any) -> bool:
        """Whether the content of a turn has a text that the conversation does not have."""
        if type(content) not in NESTED:
            words = text_of(content)[0].strip()
            return bool(words) and words not in self.held.texts
        return any(
            text.strip() not in self.held.texts
            and (
                path[-1] in SAYING
                or path[-1].isdecimal()
                or (words_of(path[-1]).isdisjoint(FACT_WORDS) and not self.held.says(text))
            )
            for path, text in texts_below(content, ("",))
            if text.strip()
        )

    def is_new_below(self, value: Any) -> bool:
        """Whether a value has a text that no message has."""
        return any(text.strip() and text.strip() not in self.held.texts for _, text in texts_below(value, ("",)))

    def add_text(self, value: Any, path: tuple[str, ...], what: Seeming, belongs: Callable[[Place, str], Any]) -> bool:
        """Add the text in a value that belongs to the conversation by its place and words; whether any does.

        Of several, what holds them all is added.
        """
        found = [place for place, text in texts_below(value, path) if text.strip() and belongs(place, text)]
        if found:
            self.add(_shared(found), *what)
        return bool(found)

    def add_unsaid(self, value: Any, path: tuple[str, ...]) -> None:
        """Add the first text in a value that is words which no message says, under keys that say nothing of it."""

        def is_unsaid(place: Place, text: str) -> bool:
            says = is_prose(text) or (" " in text.strip() and place[-1] == "content")
            speaks = says and are_of_no_kind(place[len(path) - 1 :])
            if self.held.silent:  # it may be the text of a message that has none
                speaks = is_prose(text) or (is_words(text) and are_of_no_kind(place[len(path) - 1 :]))
            return (speaks or _goes_on(place[-1])) and not self.held.says(text)

        self.add_text(value, path, ("text", "a text that no message has"), is_unsaid)

    def add_beside_calls(self, value: Any, path: tuple[str, ...]) -> None:
        """Add the words and the reasoning that a value holds next to the calls that were found in it just now."""
        last = takewhile(lambda each: each.path[: len(path)] == path, reversed(self.found))
        found = {each.path: each.kind for each in last}
        if "calls" not in found.values():
            return

        def is_beside(place: Place, text: str) -> bool:
            keys = place[len(path) :]
            if any(place[:size] in found for size in range(len(path), len(place) + 1)):
                return False
            thinks = any(map(is_reasoning, keys)) or are_of_no_kind(keys)
            return thinks and is_prose(text) and not self.held.says(text)

        self.add_text(value, path, ("text", "a text that no message has"), is_beside)

    def look_into_text(self, text: str, path: tuple[str, ...], *, is_part: bool = False) -> None:
        """Add the calls in a text, which may be a part of a message."""
        calls, dialect = self._in_text(text, is_part=is_part)
        if calls:
            self.add(path, "calls", many(len(calls), f"{dialect} call".strip()), "text_key")

    def look_into_block(self, text: str, role: Any, path: tuple[str, ...]) -> None:
        """Add the calls of a text that is nothing but a list of calls.

        The assistant's is in a block of code, since others were read; a result is one if no call was made before it.
        """
        if text.startswith('["'):
            for item in filter(lambda item: type(item) is str, opened(text)):
                self.look_into_text(item, path)
            return
        if role != "tool" and text[:1] in JSON_TEXTS and is_messages(text):
            self.add(path, "messages", "the JSON of messages as a text")
            return
        block = _BLOCK.fullmatch(text) if role == "assistant" else None
        if block is None and (role != "tool" or self.held.calls):
            return
        calls = jsontext.opened(text if block is None else block[1])
        tools = NO_TOOLS
        if type(calls) is dict and (tools := self.held.conversation.declared):
            calls = [calls]
        if type(calls) is list and calls and all(is_call(item, tools) for item in calls):
            self.add(path, "calls", f"nothing but {many(len(calls), 'call')}")

    def _in_text(self, text: str, *, is_part: bool = False) -> tuple[list[str], str]:
        """The calls in a text that the conversation does not have, and their dialect."""
        if self._reader is None or len(text) <= SHORT or not may_show_calls(text):
            return [], ""
        if not is_part and text in self.held.texts:
            return [], ""
        declared: ToolIndex = self.held.conversation.declared
        parsed = self._reader.read(text, declared)
        calls = [signature(call) for call in parsed.calls]
        return [call for call in calls if call not in self.held.calls], parsed.dialect or ""

    def add(self, path: tuple[str, ...], kind: UnreadKind, what: str, option: KeyOption | None = None) -> None:
        """Add what is at a path: the pointer of a message, or ``""``, and the keys below it.

        ``option`` may read it.
        """
        place = "/".join(path)  # a message's path begins with its pointer, and a row's with its first key
        if place in self._places:
            return
        self._places.add(place)
        self.found.append(FoundValue(path, kind, what, option))


def _shared(places: list[Place]) -> Place:
    """The place of the only one of some values, or else of what holds all."""
    first, last = min(places), max(places)
    size = next((at for at, keys in enumerate(zip(first, last, strict=False)) if keys[0] != keys[1]), len(first))
    return first[:size]


def _calls_of(turn: Row) -> list[ToolCall]:
    """The calls of a turn, under any key that says so."""
    found = None if "tool_calls" in turn else calls_among(turn)
    return calls_in(turn if found is None else {"tool_calls": read_calls(found[0], Notes())})


def _goes_on(key: str) -> bool:
    """Whether a text goes on under a key: it says so, or is that of one more text: ``content_2``, ``extra_text``."""
    words = words_of(key)
    named = {word for word in words if not word.isdecimal() and word not in FURTHER}
    if not words.isdisjoint(CONTINUING):
        return are_of_no_kind((key,))
    return len(named) == 1 < len(words) and named <= PIECES


def _by_name(given: Any) -> Any:
    """Arguments that are a list of names and values, as Bedrock's agents log them, as an object; others as they are."""
    if type(given) is not list or not all(type(item) is dict and {"name", "value"} <= item.keys() for item in given):
        return given
    return {str(item["name"]): item["value"] for item in given}


def _may_be_turn(item: Row) -> bool:
    return not CONTENTS.isdisjoint(item) or bool(speaker_of(item))


def _is_spoken(item: Any) -> bool:
    """Whether an item of a list has a known speaker, and a content of any kind."""
    if type(item) is not dict or meaning_of(speaker_of(item)) is None:
        return False
    if not CONTENTS.isdisjoint(item):
        return True
    texts = (text for path, text in texts_below(item, ("",)) if path[-1] not in SPEAKER_KEYS)
    return meaning_of(speaker_of(item)) in SPEAKING_ROLES and any(is_prose(text) or is_short(text) for text in texts)


def many(count: int, what: str) -> str:
    """Some things in words: ``a call``, ``2 calls``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}" if count != 1 else f"a {what}"
