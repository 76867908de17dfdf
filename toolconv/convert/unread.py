"""What of a row nobody read: answers, messages and calls among the values that a conversation carries along.

A layout says what it uses; every other value of a row stays where it is, in the canonical row or in a message. Those
values are looked at once, when the conversation is complete. What the conversation holds as well is a copy, and fine.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from re import DOTALL
from shlex import quote
from typing import Any, Final

from toolconv import layouts
from toolconv.convert.unread_signs import (
    CONTENTS,
    RESULTS,
    SPEAKING,
    SYSTEM_WORDS,
    TURN_TEXTS,
    TURN_KEYS,
    are_columns,
    are_plain,
    declares,
    is_known_part,
    is_messages,
    is_prose,
    is_said,
    is_question,
    is_short,
    is_system,
    is_text_part,
    is_turn,
    members_of,
    objects_in,
    speaker_of,
    texts_below,
    turn_text,
)
from toolconv.core import jsontext
from toolconv.core.call_keys import RARE_NAME_KEYS, argument_key, unread_key
from toolconv.core.calls import NotACall, call_from, declares_tools, is_call
from toolconv.core.conversation import Conversation, Message, Row, ToolCall, Unread, UnreadKind, calls_of, text_of
from toolconv.core.declarations import are_canonical, declarations
from toolconv.core.key_words import (
    ANSWER_WORDS,
    CALL_WORDS,
    FACT_WORDS,
    NO_ANSWER,
    OUTPUTS,
    QUESTIONS,
    REFERENCE_WORDS,
    SYSTEMS,
    TEXT_NAMES,
    words_of,
)
from toolconv.core.lazy_re import lazy_re
from toolconv.core.rows import AUGMENTED
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.lexing.markers import may_show_calls
from toolconv.dialects.turn_reader import TurnReader
from toolconv.dialects.turns import SYSTEM_ROLES
from toolconv.layouts.base import Layout
from toolconv.layouts.content_parts import part_in
from toolconv.layouts.found_turns import turns_in
from toolconv.layouts.other_keys import MESSAGE_KEYS
from toolconv.layouts.speakers import meaning_of
from toolconv.layouts.tool_places import TOOL_KEYS

RUN_BY_PROVIDER: Final = ("server_tool_use", "mcp_tool_use", "mcp_call")
"""The types of calls that the provider answers in the same turn: they are content. Source: API references."""
TEXT_WORDS: Final = SYSTEM_WORDS | QUESTIONS
"""Words in the keys of system texts and of questions."""
SEARCHES: Final = 32
"""How many texts are looked for inside the lines of a conversation."""
TURN_MARKS: Final = frozenset({"tool_calls", "tool_call_id"})
"""Keys by which an object with a role is a message, whether it has a text or not."""
ONE_TEXT: Final = 2
"""How many keys a message has that says nothing but one text."""
NEAR: Final = 3
"""In so many objects, a text is something else than the answer, whatever it is."""
NO_ANSWER_NAMES: Final = QUESTIONS | SYSTEMS

BLOCKS: Final = ("```", '[{"', "[[{", '{"role"', '{"tool_calls"', '{"content"')
"""The beginnings of texts that may be nothing but calls, or messages."""
SHORT: Final = 7
"""How many characters are too few for a call."""
NAMING: Final = frozenset(RARE_NAME_KEYS)
SAYING: Final = CONTENTS | RESULTS
"""Keys of texts and of results in the parts of a turn."""
NESTED: Final = (dict, list)

_BLOCK: Final = lazy_re(r"\s*```(?:json)?\s*(\[.*\])\s*```\s*", DOTALL)
_NESTED: Final = lazy_re(r'"(?:role|type|source|from|speaker|name|function|tool_calls?|function_call)"\s*:')


def find_unread(conversation: Conversation, reader: TurnReader | None) -> list[Unread]:
    """What nobody read of a conversation whose texts have been parsed.

    Args:
        conversation: the conversation; it is not changed.
        reader: reads texts; ``None`` to leave them alone.
    """
    return _UnreadSearch(conversation, reader).run()


def may_hold_unread(row: Row, layout: Layout) -> bool:
    """Whether a row carries anything along next to messages and tools, or a message does next to what is read of it.

    Or its layout leaves out what it does not know.
    """
    if layout.leaves_out or layout.known_keys:
        return True
    messages = row["messages"]
    for message in messages:
        for key in message:
            if key not in MESSAGE_KEYS:
                return True
        if "tool_calls" in message and not are_plain(message["tool_calls"]):
            return True
        if "content" in message:
            content = message["content"]
            if content.__class__ is not str:
                if content:
                    return True
            elif content.startswith(BLOCKS):
                return True
    tools = row.get("tools")
    if tools and not (tools.__class__ is list and are_canonical(tools)):
        return True
    keys = _carried(tuple(row))
    spoken = bool(keys) and _is_answered(messages) and not messages[-1].get("tool_calls")
    spoken = spoken and any(message.get("role") == "user" for message in messages)
    for key in keys:
        value = row[key]
        if value and (value.__class__ in NESTED or (value.__class__ is str and _may_say(key, value, spoken))):
            return True
    return False


def _is_answered(messages: list[Message]) -> bool:
    """Whether a conversation ends with an answer."""
    last = messages[-1] if messages else {}
    if last.get("role") != "assistant":
        return False
    return bool(last.get("content") or last.get("tool_calls") or last.get("reasoning_content"))


def _may_say(key: str, text: str, spoken: bool) -> bool:
    """Whether a text that a row carries along may belong to its conversation."""
    if len(text) > SHORT and may_show_calls(text):
        return True
    return not spoken or key.lower() in TEXT_NAMES or not words_of(key).isdisjoint(TEXT_WORDS)


def _carries(message: Message) -> bool:
    """Whether a message has other keys than those that are read, or a content in parts, or one that may be calls."""
    content = message.get("content")
    if "tool_calls" in message and not are_plain(message["tool_calls"]):
        return True
    return not MESSAGE_KEYS.issuperset(message) or type(content) is not str or content.startswith(BLOCKS)


@lru_cache(maxsize=256)
def _carried(keys: tuple[str, ...]) -> tuple[str, ...]:
    """The keys of a row that are carried along."""
    return tuple(key for key in keys if key not in ("messages", "tools", "id", AUGMENTED) and key not in TOOL_KEYS)


class _UnreadSearch:
    """The search through one conversation."""

    def __init__(self, conversation: Conversation, reader: TurnReader | None) -> None:
        self.conversation = conversation
        self.messages = conversation.all_messages
        self.reader = None if reader is None else TurnReader(infer=reader.infer)
        self.found: list[Unread] = []
        self.dropped = {dropped.text for dropped in conversation.notes.dropped}
        self._calls: set[str] | None = None
        self._texts: set[str] | None = None
        self._pointers: list[str] | None = None
        self.layout = layout_of(conversation)
        self.answered = "answer" in self.layout.lacks or _is_answered(self.messages)
        self.spoken = self.answered and not (self.messages and self.messages[-1].get("tool_calls"))
        self._lines: set[str] | None = None
        self._whole = ""
        self._searches = 0
        self._arguments: set[Any] | None = None
        said = [message for message in self.messages if message.get("content") or len(message) > ONE_TEXT]
        self.roles = {role for message in said if type(role := message.get("role")) is str}

    def run(self) -> list[Unread]:
        """All that is found."""
        row, records = self.conversation.row, self.layout.run_records
        if row.get("tools"):
            self._in_tools(row["tools"])
        for key in _carried(tuple(row)):
            value = row[key]
            if (
                value
                and records.get(key, records) is not None
                and (type(value) is str or type(value) is dict or type(value) is list)
            ):
                self._in_row(key, value)
        for at, message in enumerate(self.messages):
            if _carries(message):
                self._in_message(at, message)
        if self.conversation.origin is not None:
            if self.layout.leaves_out:
                self._in_left_out(self.conversation.origin[1])
            if self.layout.known_keys:
                self._in_unknown_keys(self.conversation.origin[1], self.layout.known_keys)
        return self.found

    # ── places ──

    def _in_tools(self, tools: Any) -> None:
        """Add the declarations that have no name, or that are no list."""
        found = list(declarations(tools))
        if not found and type(jsontext.opened(tools)) is str:
            self._add(("", "tools"), "tools", "declarations that are no list")
        if len(found) == 1 and found[0].tool is tools and type(tools) is dict and found[0].named is None:
            self._add(("", "tools"), "tools", "declarations that are no list")
            return
        for each in found:
            tool = each.tool
            if each.named is not None or type(tool) is not dict or tool.get("type", "function") != "function":
                continue  # one of the provider's own, known by its type
            if (
                each.function is not None
                or "type" in tool
                or "description" in tool
                or any(map(declares, tool.values()))
            ):
                self._add(("", "tools", *each.pointer.split("/")[1:]), "tools", "a declaration without a name")

    def _in_row(self, key: str, value: Any) -> None:
        if value == self.conversation.prompt:
            return
        if self._ends_with("user") and self.conversation.declared and self._names_tools(value):
            self._add(("", key), "calls", "calls in a notation of its own")
            return
        if self.answered and not words_of(key).isdisjoint(REFERENCE_WORDS):
            turns = None if "user" in self.roles else turns_in(jsontext.opened(value))
            if turns is None:
                return  # what the answer is compared with
        before = len(self.found)
        self._look(value, ("", key))
        if len(self.found) > before:
            return
        for path, text in texts_below(value, ("", key)):
            if text.strip() and text not in self.texts and self._said(path, text):
                return

    def _said(self, path: tuple[str, ...], text: str) -> bool:
        """Add a text that belongs to the conversation by its keys, or by what the conversation lacks; whether it does.

        Keys say so: a system text where the conversation has none, a question, an answer.
        """
        names = [key for key in path[1:] if not key.isdecimal()]
        prose = is_prose(text)
        words = prose or " " in text.strip()
        if self.roles.isdisjoint(SYSTEM_ROLES) and any(is_system(name, words, len(names) == 1) for name in names):
            self._add(path, "system", "a system text")
        elif "user" not in self.roles and (
            any(is_question(name, words) for name in names) or self._may_ask(names, prose)
        ):
            self._add(path, "question", "a question", f"--prompt-key {_dotted(path)}")
        elif self._answers(names, prose) and not self._is_argument(text):
            self._add(path, "answer", "an answer", self._text_key(path))
        else:
            return False
        return True

    def _in_message(self, at: int, message: Message) -> None:
        pointer = self._pointer(at)
        empty = not message.get("content")
        for key, value in message.items():
            if key == "content":
                if type(value) is str:
                    self._look_into_block(value, message.get("role"), (pointer, key))
                elif type(value) is list:
                    for place, part in enumerate(value):
                        self._in_part(part, (pointer, key, str(place)))
                    if (text := text_of(value)[0]).startswith(BLOCKS):
                        self._look_into_block(text, message.get("role"), (pointer, key))
                elif value:
                    self._in_part([value], (pointer, key))
            elif key == "reasoning_content" and type(value) is not str:
                self._in_part(value, (pointer, key))
            elif key == "tool_calls":
                self._in_calls(value, (pointer, key))
            elif key not in MESSAGE_KEYS and value and (type(value) in (str, dict, list)):
                before = len(self.found)
                self._look(value, (pointer, key))
                if len(self.found) > before:
                    continue
                copied = type(value) is list and all(jsontext.dumps(item).decode() in self.dropped for item in value)
                if empty and not copied and self._add_words(message, value, (pointer, key)):
                    continue
                answers = "tool_calls" in message or (message.get("role") == "assistant" and type(value) is not str)
                if answers and words_of(key) & RESULTS and self._is_new_below(value):
                    self._add((pointer, key), "messages", "the result of a call")

    def _in_part(self, part: Any, path: tuple[str, ...]) -> None:
        """Add what a part of a message's content holds, or a text in a part of no known kind."""
        if is_text_part(part):
            return
        if is_turn(part):
            self._add(path, "messages", "a message")
            return
        before = len(self.found)
        self._look(part, path)
        if len(self.found) > before or is_known_part(part) or jsontext.dumps(part).decode() in self.dropped:
            return
        for place, text in texts_below(part, path):
            if (
                words_of(place[-1]).isdisjoint(FACT_WORDS)
                and any(map(str.isalpha, text))
                and text.strip() not in self.texts
            ):
                self._add(place, "messages", "the text of a part of no known kind")
                return

    def _in_calls(self, calls: Any, path: tuple[str, ...]) -> None:
        """Add the calls that are none, and what calls hold that no conversation has a place for."""
        for at, call in enumerate(calls if type(calls) is list else [calls]):
            function = call.get("function") if type(call) is dict else None
            if type(function) is not dict or type(function.get("name")) is not str or not function["name"]:
                if type(call) is dict and call.get("type", "function") == "function":
                    self._add((*path, str(at)), "calls", "a call without a name")
                continue
            for holder, place in ((call, (*path, str(at))), (function, (*path, str(at), "function"))):
                for key in RESULTS.intersection(holder):
                    if holder[key]:
                        self._add((*place, key), "messages", "the result of a call")
                other = {key: value for key, value in holder.items() if key != "arguments"}
                if not function.get("arguments") and (key := unread_key(other)) is not None:
                    self._add((*place, key), "calls", "what may be the arguments of a call")
            if type(jsontext.opened(function.get("arguments"))) is dict is not type(function.get("arguments")):
                self._add((*path, str(at), "function", "arguments"), "calls", "the arguments of a call as a text")

    def _is_new_below(self, value: Any) -> bool:
        """Whether a value has a text that no message has."""
        return any(text.strip() and text.strip() not in self.texts for _, text in texts_below(value, ("",)))

    def _in_left_out(self, source: Row) -> None:
        """Add the calls and the texts of turns in a row that its conversation does not hold anywhere.

        Records of the run are no turns; values that the conversation carries along were looked at.
        """
        carried, records = self.conversation.row, self.layout.run_records
        waiting: list[tuple[Any, tuple[str, ...]]] = [
            (value, ("", key))
            for key, value in reversed(source.items())
            if carried.get(key) is not value and key not in TOOL_KEYS and records.get(key, records) is not None
        ]
        while waiting:
            value, path = waiting.pop()
            value = jsontext.opened(value)
            if type(value) is dict:
                kinds = [(value.get(key), values) for key, values in records.items() if values]
                if any(type(kind) in (str, bool) and kind in values for kind, values in kinds):
                    continue
                if (call := self._call(value, path)) is not None and not declares_tools([value]):
                    if not self._makes(call) and jsontext.dumps(value).decode() not in self.dropped:
                        self._add(path, "calls", "a call")
                        continue
                    function = value.get("function")
                    value = {**value, **function} if type(function) is dict else value
                    read = argument_key(value)
                    value = {key: member for key, member in value.items() if key not in (read, "function")}
                if (read := part_in(value)) is not None and read[0].kind == "result":
                    words = read[0].get(read[1])
                    if type(words) is str and words.strip() and words[:1] not in "{[" and not self._holds(words):
                        self._add(path, "messages", "a text")
                        continue
                key = turn_text(value)
                if key is None and path[-1].isdecimal() and speaker_of(value):
                    self._in_other_keys(value, path)
                elif key is not None and type(text := value[key]) is str and is_short(text) and not self._holds(text):
                    self._add((*path, key), "messages", "a text")
                waiting += [
                    member for member in members_of(value, path) if records.get(member[1][-1], records) is not None
                ]
            elif type(value) is list:
                waiting += members_of(value, path)
            elif type(value) is str and value[:1] == "{" and (lines := objects_in(value)):
                waiting += members_of(lines, path)
            elif type(value) is str and is_said(value) and not self._holds(value):
                self._add(path, "messages", "a text")

    def _in_unknown_keys(self, source: Row, known: Mapping[str, bool]) -> None:
        """Add the first text under each key of a row that its layout does not know."""
        carried = self.conversation.row
        waiting: list[tuple[Any, tuple[str, ...], bool]] = [
            (value, ("", key), False) for key, value in reversed(source.items()) if carried.get(key) is not value
        ]
        seen: set[str] = set()
        while waiting:
            value, path, unknown = waiting.pop()
            if type(value) is dict:
                for key, member in value.items():
                    if known.get(key, True) and key not in seen:
                        waiting.append((member, (*path, key), unknown or key not in known))
            elif type(value) is list:
                waiting += [(member, (*path, str(at)), unknown) for at, member in enumerate(value)]
            elif unknown and type(value) is str and any(map(str.isalpha, value)):
                name = next(key for key in path[1:] if key not in known and not key.isdecimal())
                if name not in seen and (is_said(value) or not SPEAKING.isdisjoint(path)):
                    seen.add(name)
                    self._add(path, "messages", "a text under a key that is not known")

    def _in_other_keys(self, turn: Row, path: tuple[str, ...]) -> None:
        """Add the prose of a turn that has no text under a usual key."""
        for key, text in turn.items():
            if type(text) is not str or key in self.layout.run_records or not words_of(key).isdisjoint(FACT_WORDS):
                continue
            if is_prose(text) and not self._holds(text):
                self._add((*path, key), "messages", "a text")

    def _makes(self, call: ToolCall) -> bool:
        """Whether a call of the conversation has the same arguments: records may name it otherwise."""
        arguments = call.arguments.get("input") if call.arguments.keys() == {"input"} else None
        wanted = {jsontext.dumps_sorted(call.arguments), jsontext.dumps_sorted(jsontext.opened(arguments))}
        if self._arguments is None:
            made = [call for message in self.messages for call in _calls_of(message)]
            self._arguments = {jsontext.dumps_sorted(call.arguments) for call in made}
        return not wanted.isdisjoint(self._arguments)

    def _holds(self, text: str) -> bool:
        """Whether the first or the last line of a text is a line of any text in the canonical row."""
        if self._lines is None:
            values = ({**self.conversation.row, "messages": self.messages}, ("",))
            texts = [text for _, text in texts_below(*values)]
            self._lines = {line.strip() for text in texts for line in text.splitlines()}
            self._whole = "\n".join(texts)
        lines = [line for line in map(str.strip, text.splitlines()) if line]
        if any(line in self._lines for line in (*lines[:2], *lines[-2:])):  # the first or last may be markup
            return True
        self._searches += 1  # so that a row of many texts costs no more than its length
        return self._searches <= SEARCHES and text in self._whole

    def _add_words(self, message: Message, value: Any, path: tuple[str, ...]) -> bool:
        """Add the first text under a key of a message that says nothing else; whether there is one."""
        for place, text in texts_below(value, path):
            words = frozenset().union(*map(words_of, place[1:]))
            if not words.isdisjoint(FACT_WORDS - {"error"}) or text.strip() in self.texts:
                continue
            if is_prose(text) or not (message.get("tool_calls") or message.get("reasoning_content")):
                kind: UnreadKind = "answer" if message.get("role") == "assistant" else "messages"
                self._add(place, kind, "the text of a message that has no other")
                return True
        return False

    def _is_answer(self, key: str) -> bool:
        """Whether the key of a value says that it is an answer, other than the one that was read."""
        if key.lower() in OUTPUTS:
            return True
        words = words_of(key)
        return not self.spoken and not words.isdisjoint(ANSWER_WORDS) and words.isdisjoint(NO_ANSWER)

    def _may_ask(self, names: list[str], prose: bool) -> bool:
        """Whether a text may be the question of a conversation that begins with the answer to it."""
        if not prose or len(names) >= NEAR or not self.roles <= {"assistant", *SYSTEM_ROLES}:
            return False
        return all(words_of(name).isdisjoint(NO_ANSWER | ANSWER_WORDS) for name in names) and self.answered

    def _is_argument(self, text: str) -> bool:
        """Whether a call of the conversation has a text as an argument, as one that gives the final answer."""
        return any(
            text == argument
            for message in self.messages
            for call in _calls_of(message)
            for _, argument in texts_below(call.arguments, ("",))
        )

    def _answers(self, names: list[str], prose: bool) -> bool:
        """Whether the keys of a text say that it is an answer, or there is none and it may be one."""
        if self._is_answer(names[0]) if len(names) == 1 else self._is_answer_below(names, prose):
            return True
        return not self.answered and self._may_answer(names, prose)

    def _is_answer_below(self, names: list[str], prose: bool) -> bool:
        """Whether a text in an object, under a key that says that it is an answer, is its text."""
        if not self._is_answer(names[0]) or any(not words_of(name).isdisjoint(FACT_WORDS) for name in names):
            return False
        return prose or names[-1] in TURN_TEXTS

    def _may_answer(self, names: list[str], prose: bool) -> bool:
        """Whether a text may answer a conversation that ends with a question: it is prose, or its keys say so."""
        if any(name.lower() in NO_ANSWER_NAMES or not words_of(name).isdisjoint(NO_ANSWER) for name in names):
            return False
        said = any(not words_of(name).isdisjoint(ANSWER_WORDS) for name in names)
        prose = prose and (names[-1] in TURN_TEXTS or (len(names) < NEAR and not self.layout.leaves_out))
        return (said or prose) and self._ends_with("user", "tool")

    def _ends_with(self, *roles: str) -> bool:
        return bool(self.messages) and self.messages[-1].get("role") in roles

    # ── values ──

    def _look(self, value: Any, path: tuple[str, ...]) -> None:
        """Add what a value at a path holds."""
        waiting: list[tuple[Any, tuple[str, ...]]] = [(value, path)]
        while waiting:
            value, path = waiting.pop()
            kind = type(value)
            if kind is str:
                opened = value
                if value[:1] in ("{", "[") and _NESTED.search(value):
                    opened = jsontext.opened(value)
                if type(opened) is str:
                    self._look_into_text(value, path)
                elif not self._structure(opened, path):
                    waiting += members_of(opened, path)
            elif (kind is dict or kind is list) and not self._structure(value, path):
                waiting += members_of(value, path)

    def _structure(self, value: Any, path: tuple[str, ...]) -> bool:
        """Add a list of turns, a message or a call; whether the value is one of these."""
        if type(value) is list:
            turns = turns_in(value)
            if turns is not None:
                return self._messages(turns.items, turns.text, path)
            if value and all(map(turn_text, value)):
                return self._messages(value, str(turn_text(value[0])), path)
            if path[-1] in TURN_KEYS and all(type(item) is dict and not CONTENTS.isdisjoint(item) for item in value):
                self._add(path, "messages", "turns without a speaker")
                return True
            if not any(declares(item) and self._is_undeclared(item) for item in value):
                return False
            self._add(
                path, "tools", _many(len(value), "declaration"), "" if path[0] else f"--tools-key {_dotted(path)}"
            )
            return True
        if path[-1] in TOOL_KEYS and not path[0]:
            if declares_tools(value) and self._is_undeclared(value):
                self._add(path, "tools", "declarations", f"--tools-key {_dotted(path)}")
            return True
        if (call := self._call(value, path)) is not None:
            if _signature(call) not in self.calls and jsontext.dumps(value).decode() not in self.dropped:
                self._add(path, "calls", "a call", self._text_key(path))
            return True
        if are_columns(value):
            self._add(path, "messages", "turns as one list a column")
            return True
        if (text := turn_text(value)) is not None:
            return self._messages([value], text, path)
        role = value.get("role")
        if type(role) is str and not TURN_MARKS.isdisjoint(value) and meaning_of(role) is not None:
            return self._messages([value], "content", path)
        return False

    def _is_call(self, value: Row) -> bool:
        """Whether an object is a call; one with a rare key of the name is, if it names a declared tool."""
        if is_call(value, NO_TOOLS):
            return True
        if any(type(value.get(key)) is str and not words_of(key).isdisjoint(CALL_WORDS) for key in RARE_NAME_KEYS):
            return type(jsontext.opened(value.get("arguments"))) is dict
        return not NAMING.isdisjoint(value) and is_call(value, self.conversation.declared)

    def _is_undeclared(self, tools: Any) -> bool:
        """Whether any of some declarations names a tool that the conversation does not declare."""
        named = (each.named for each in declarations(tools if type(tools) is dict and "tools" in tools else [tools]))
        return any(function["name"] not in self.conversation.declared for function in named if function is not None)

    def _call(self, value: Row, path: tuple[str, ...]) -> ToolCall | None:
        """The call that an object is; ``None`` for anything else that has a name, such as a model or a declaration."""
        if "toolCallId" in value and "input" in value:  # the AI SDK's, whose type has the name
            return ToolCall(str(value.get("toolName") or value.get("type")), {"input": value["input"]})
        if not self._is_call(value) or value.get("type") in RUN_BY_PROVIDER:
            return None
        inner = value.get("function")
        function = inner if isinstance(inner, dict) else value
        if "arguments" not in function:
            if "description" in function:
                return None
            kind, name = value.get("type"), function.get("name")
            said = [each for each in (kind, argument_key(function)) if isinstance(each, str)]
            said += [key for key in RARE_NAME_KEYS if key in function]
            words = frozenset().union(*map(words_of, (*path[1:], *said)))
            if words.isdisjoint(CALL_WORDS) and name not in self.conversation.declared and "args" not in function:
                return None
        rare = next((key for key in RARE_NAME_KEYS if type(function.get(key)) is str), None)
        if rare is not None and type(jsontext.opened(function.get("arguments"))) is dict:
            return ToolCall(function[rare], jsontext.opened(function["arguments"]))
        try:
            call = call_from(value, "arguments", NO_TOOLS, [])
        except NotACall:
            return None
        return None if call.arguments.get("type") == "object" else call  # a declaration with its schema

    def _messages(self, items: list[Row], text: str, path: tuple[str, ...]) -> bool:
        """Add messages, unless the conversation has them; whether all that they hold is looked at."""
        calls = [call for item in items for call in _calls_of(item) if _signature(call) not in self.calls]
        new = [item for item in items if self._is_new(item.get(text) or [item])]
        if not calls and not new:
            return all(
                type(item.get(text)) is str and not any(type(value) in NESTED for value in item.values())
                for item in items
            )
        marked = len(calls) + sum(len(self._in_text(text_of(item.get(text))[0])[0]) for item in new)
        kind: UnreadKind = "calls" if marked else "messages"
        what, option = _many(len(items), "message"), f"--messages-key {_dotted(path)}"
        if len(items) == 1 and (self._is_answer(path[1]) or meaning_of(speaker_of(items[0])) == "assistant"):
            kind, what, option = "calls" if marked else "answer", "an answer", f"--text-key {_dotted(path)}"
        if marked:
            what += f" with {_many(marked, 'call')}"
        self._add(path, kind, what, "" if path[0] else option)
        return True

    def _is_new(self, content: Any) -> bool:
        """Whether the content of a turn has a text that the conversation does not have."""
        if type(content) is str or type(content) is not list:
            words = text_of(content)[0].strip()
            return bool(words) and words not in self.texts
        return any(
            text.strip() not in self.texts
            and (
                path[-1] in SAYING
                or path[-1].isdecimal()
                or (words_of(path[-1]).isdisjoint(FACT_WORDS) and not self._holds(text))
            )
            for path, text in texts_below(content, ("",))
            if text.strip()
        )

    def _look_into_text(self, text: str, path: tuple[str, ...]) -> None:
        """Add the calls in a text."""
        calls, dialect = self._in_text(text)
        if calls:
            self._add(path, "calls", _many(len(calls), f"{dialect} call".strip()), self._text_key(path))

    def _look_into_block(self, text: str, role: Any, path: tuple[str, ...]) -> None:
        """Add the calls of a text that is nothing but a list of calls.

        The assistant's is in a block of code, since others were read; a result is one if no call was made before it.
        """
        if role != "tool" and text[:1] in ("{", "[") and is_messages(text):
            self._add(path, "messages", "the JSON of messages as a text")
            return
        block = _BLOCK.fullmatch(text) if role == "assistant" else None
        if block is None and (role != "tool" or self.calls):
            return
        calls = jsontext.opened(text if block is None else block[1])
        if type(calls) is list and calls and all(is_call(item, NO_TOOLS) for item in calls):
            self._add(path, "calls", f"nothing but {_many(len(calls), 'call')}")

    def _names_tools(self, value: Any) -> bool:
        """Whether objects or texts in a value name declared tools, with what may be their arguments."""
        waiting = [value]
        while waiting:
            value = jsontext.opened(waiting.pop())
            if type(value) is dict:
                for key, member in value.items():
                    if type(member) in NESTED and (key in self.conversation.declared or self._is_counted(key)):
                        return True
                waiting += value.values()
            elif type(value) is list:
                waiting += value
            elif type(value) is str and "(" in value and value.partition("(")[0] in self.conversation.declared:
                return True
        return False

    def _is_counted(self, key: str) -> bool:
        """Whether a key is the name of a declared tool with a number."""
        name, _, number = key.rpartition("_")
        return number.isdecimal() and name in self.conversation.declared

    def _in_text(self, text: str) -> tuple[list[str], str]:
        """The calls in a text that the conversation does not have, and their dialect."""
        if self.reader is None or len(text) <= SHORT or not may_show_calls(text) or text in self.texts:
            return [], ""
        declared: ToolIndex = self.conversation.declared
        parsed = self.reader.read(text, declared)
        calls = [_signature(call) for call in parsed.calls]
        return [call for call in calls if call not in self.calls], parsed.dialect or ""

    # ── what the conversation has ──

    @property
    def calls(self) -> set[str]:
        """The calls of the conversation."""
        if self._calls is None:
            self._calls = {_signature(call) for message in self.messages for call in _calls_of(message)}
        return self._calls

    @property
    def texts(self) -> set[str]:
        """The texts of the conversation."""
        if self._texts is None:
            self._texts = set()
            for message in self.messages:
                for key in ("content", "reasoning_content"):
                    text = text_of(message.get(key))[0]
                    self._texts |= {text, text.strip()}
        return self._texts

    # ── the result ──

    def _add(self, path: tuple[str, ...], kind: UnreadKind, what: str, option: str = "") -> None:
        pointer = path[0] + "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in path[1:])
        self.found.append(Unread(pointer, kind, what, option))

    def _text_key(self, path: tuple[str, ...]) -> str:
        return "" if path[0] else f"--text-key {_dotted(path)}"

    def _pointer(self, at: int) -> str:
        """The place of a message in the row."""
        if self._pointers is None:
            self._pointers = [pointer for field in self.conversation.fields for pointer in field.pointers()]
        return self._pointers[at] if len(self._pointers) == len(self.messages) else f"/messages/{at}"


def layout_of(conversation: Conversation) -> Layout:
    """The layout that a conversation was read in; of one made by a program, the canonical one."""
    name = conversation.read_as or (conversation.origin[0] if conversation.origin is not None else "canonical")
    return layouts.get(name)


def _calls_of(message: Message) -> list[ToolCall]:
    """The calls of a canonical message."""
    calls = []
    for item in calls_of(message):
        try:
            calls.append(ToolCall.from_openai(item))
        except ValueError:  # which was counted when it was read
            continue
    return calls


def _signature(call: ToolCall) -> str:
    """A call without its id, for comparison."""
    return f"{call.name} {jsontext.dumps_sorted(call.arguments)!r}"


def _dotted(path: tuple[str, ...]) -> str:
    """A path in the row as it is typed in a shell."""
    return quote(".".join(path[1:]))


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}" if count != 1 else f"a {what}"
