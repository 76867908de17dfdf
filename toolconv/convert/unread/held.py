"""What a conversation has: its calls, its texts and who says something, with which values of its row are compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolconv.convert.unread.carried import layout_of
from toolconv.convert.unread.signs import is_answered, texts_below
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import SYSTEM_ROLES, Message, Row, calls_of, text_of
from toolconv.core.pairing import is_numbered
from toolconv.core.tool_call import ToolCall
from toolconv.layouts.content_parts import CALL_IDS

WORK: Final = 1 << 25
"""How many characters are searched for pieces of texts, so that a row of many pieces costs no more than its length."""
PHRASE: Final = 3
"""How many words that follow each other are compared; values of fewer words are compared as a whole."""
MISSING: Final = 4
"""So many words that follow each other, and are nowhere in the row, are more than markup. So is most of one line."""
PLAIN: Final = 8
"""One of so many words of a text without markup may be elsewhere."""
MARKED: Final = lazy_re(r"[<>{}\[\]|=:*#`\\]")
"""The characters of markup, and of the labels of a text that is taken apart."""
_WORD: Final = lazy_re(r"\\[nrtbf]|\w+")
ONE_TEXT: Final = 2
"""How many keys a message has that says nothing but one text."""


class Held:
    """What a conversation has.

    Attributes:
        conversation: the conversation, whose texts have been parsed.
        messages: the messages of all its answers.
        layout: the layout that it was read in.
        answered: it ends with an answer, or its layout has none.
        spoken: it ends with an answer other than a call.
        roles: the roles of messages that say something.
        unasked: it begins with a call, or nobody but the assistant speaks.
        dropped: the texts of dropped calls.
    """

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.messages = conversation.all_messages
        self.layout = layout_of(conversation)
        self.answered = "answer" in self.layout.lacks or is_answered(self.messages)
        self.spoken = self.answered and not (self.messages and self.messages[-1].get("tool_calls"))
        speaking = [message for message in self.messages if message.get("content") or len(message) > ONE_TEXT]
        self.roles = {role for message in speaking if type(role := message.get("role")) is str}
        first = next((message for message in speaking if message.get("role") not in SYSTEM_ROLES), {})
        alone = self.roles <= {"assistant", *SYSTEM_ROLES}
        self.unasked = first.get("role") == "assistant" and (alone or "tool_calls" in first)
        self.dropped = {dropped.text for dropped in conversation.notes.dropped}
        self._calls: dict[str, set[str]] | None = None
        self._texts: set[str] | None = None
        self._arguments: set[Any] | None = None
        self._lines: set[str] | None = None
        self._phrases: set[tuple[str, ...]] | None = None
        self._whole = ""
        self._work = WORK

    @property
    def calls(self) -> dict[str, set[str]]:
        """The calls of the conversation, each with its ids; several may be the same except for these."""
        if self._calls is None:
            self._calls = {}
            for message in self.messages:
                for call in calls_in(message):
                    self._calls.setdefault(signature(call), set()).add(call.id or "")
        return self._calls

    def has_call(self, call: ToolCall, *written: Row) -> bool:
        """Whether a call is one of the conversation's. It is another if it has an id, and theirs came with others.

        ``written`` are the objects that the call is read from.
        """
        ids = self.calls.get(signature(call))
        if ids is None:
            return False
        given = {each[key] for each in written for key in CALL_IDS if type(each.get(key)) is str}
        return not given or not given.isdisjoint(ids) or any(map(is_numbered, ids))

    @property
    def unanswered(self) -> set[str]:
        """The ids of calls without a response."""
        made = {call["id"] for message in self.messages for call in calls_of(message) if type(call.get("id")) is str}
        return made - {given for message in self.messages if type(given := message.get("tool_call_id")) is str}

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

    @property
    def kept(self) -> list[str]:
        """The texts in the canonical row and in its other answers, and those that were parsed."""
        return [text for _, text in texts_below(self._row, ("",))]

    @property
    def _row(self) -> Row:
        """The canonical row with all its answers, and with the contents that were parsed."""
        unparsed = [self.conversation.unparsed]
        if self.conversation.answers is not None:
            unparsed += [other.unparsed for other in self.conversation.answers.others]
        return {**self.conversation.row, "messages": self.messages, "": unparsed}

    def makes(self, call: ToolCall) -> bool:
        """Whether a call of the conversation has the same arguments: records may name it otherwise."""
        arguments = call.arguments.get("input") if call.arguments.keys() == {"input"} else None
        wanted = {jsontext.dumps_sorted(call.arguments), jsontext.dumps_sorted(jsontext.opened(arguments))}
        if self._arguments is None:
            made = [call for message in self.messages for call in calls_in(message)]
            self._arguments = {jsontext.dumps_sorted(call.arguments) for call in made}
        return not wanted.isdisjoint(self._arguments)

    def holds(self, text: str) -> bool:
        """Whether a text is in the canonical row: its lines are, or the words of all that is no markup.

        A layout may have taken it apart: then its words are in several values.
        """
        if self._lines is None:
            self._lines = {line.strip() for text in self.kept for line in text.splitlines()}
        lines = [line for line in map(str.strip, text.splitlines()) if line]
        if all(line in self._lines for line in lines):
            return True
        if self._work > 0:
            self._whole = self._whole or "\n".join(self.kept)
            self._work -= len(self._whole)
            if text.strip() in self._whole:  # a piece of a text, as in a stream
                return True
        if self._phrases is None:
            self._phrases = set(_phrases(_words(jsontext.dumps(self._row).decode())))
            contents = [message.get("content") for message in self.messages]
            for kept in (*self.kept, *(content for content in contents if type(content) is str)):
                if len(words := _words(kept)) < PHRASE:
                    self._phrases.add(tuple(words))
        words = _words(text)
        if len(words) < PHRASE:
            return tuple(words) in self._phrases or any(line in self._lines for line in lines)
        since = lost = 0
        for at in range(len(words)):
            held = any(
                tuple(words[start : start + size]) in self._phrases
                for size in range(1, PHRASE + 1)
                for start in range(max(at - size + 1, 0), at + 1)
            )
            since = 0 if held else since + 1
            lost += not held
            if since == MISSING:
                return False
        allowed = len(words) // (2 if MARKED.search(text) else PLAIN)
        return lost <= allowed or any(line in self._lines for line in lines)

    def has_argument(self, text: str) -> bool:
        """Whether a call of the conversation has a text as an argument, as one that gives the final answer."""
        return any(
            text == argument
            for message in self.messages
            for call in calls_in(message)
            for _, argument in texts_below(call.arguments, ("",))
        )

    def ends_with(self, *roles: str) -> bool:
        return bool(self.messages) and self.messages[-1].get("role") in roles


def calls_in(message: Message) -> list[ToolCall]:
    """The calls of a canonical message."""
    calls = []
    for item in calls_of(message):
        try:
            calls.append(ToolCall.from_openai(item))
        except ValueError:  # which was counted when it was read
            continue
    return calls


def signature(call: ToolCall) -> str:
    """A call without its id, for comparison."""
    return f"{call.name} {jsontext.dumps_sorted(call.arguments)!r}"


def _words(text: str) -> list[str]:
    """The words of a text, which may be JSON."""
    return [word for word in _WORD.findall(text) if word[0] != "\\"]


def _phrases(words: list[str]) -> Iterator[tuple[str, ...]]:
    """All words that follow each other, as many as are compared."""
    return zip(*(words[start:] for start in range(PHRASE)), strict=False)
