"""Pass a conversation to a chat template in the form that the template expects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from toolconv.core import jsontext
from toolconv.core.messages import Message, Tool, calls_of, text_of
from toolconv.core.tool_call import ToolCall
from toolconv.templates.chat_view import ChatView
from toolconv.templates.jinja.sandbox import Program

Arguments = Literal["object", "string"]
Ids = Literal["given", "nine"]


@dataclass(frozen=True)
class InputConvention:
    """The form in which a template expects messages.

    Attributes:
        arguments: objects or JSON text.
        ids: unchanged, or nine characters long, which Mistral's templates require.
        content: the content of a message that has calls but no prose.
        reasoning: the key of the reasoning.
        parts: content parts stay a list; otherwise their texts are joined.
    """

    arguments: Arguments = "object"
    ids: Ids = "given"
    content: str | None = None
    reasoning: Literal["reasoning_content", "thinking"] = "reasoning_content"
    parts: bool = False

    def __str__(self) -> str:
        content = "null" if self.content is None else "an empty string"
        ids = "unchanged" if self.ids == "given" else "of nine characters"
        return f"arguments as {self.arguments}, ids {ids}, missing content as {content}, reasoning as {self.reasoning}"


KeyOrder = tuple[tuple[str, ...], tuple[str, ...]]
"""The keys of a call and of its function, in their order; there may be others."""
USUAL_ORDER: Final[KeyOrder] = (("id", "type", "function"), ("name", "arguments"))


class Turns(NamedTuple):
    """The turns of a conversation, and the calls of each assistant turn by its index."""

    messages: Sequence[Message]
    calls: Mapping[int, Sequence[ToolCall]]

    @classmethod
    def of(cls, chat: ChatView) -> Turns:
        """The turns of ``chat``."""
        return cls(chat.messages, {index: chat.calls(index) for index in range(len(chat.messages))})

    def with_joined_parts(self) -> Turns:
        """The turns with the texts of content parts as one text each."""
        if not any(isinstance(message.get("content"), list | dict) for message in self.messages):
            return self
        messages = [
            {**message, "content": text_of(content)[0]}
            if isinstance(content := message.get("content"), list | dict)
            else message
            for message in self.messages
        ]
        return Turns(messages, self.calls)

    def until(self, end: int) -> Turns:
        """The turns before ``end``."""
        return Turns(self.messages[:end], self.calls)

    def key_orders(self, index: int) -> list[KeyOrder]:
        """The order of the keys of each call of a message, which a template shows that writes whole calls."""
        items = calls_of(self.messages[index])
        count = len(self.calls.get(index, ()))
        if len(items) != count:
            return [USUAL_ORDER] * count
        return [((*item,), (*item["function"],)) for item in items]


CONVERSATION: Final = ("messages", "tools", "documents", "add_generation_prompt")
"""The variables that hold the conversation."""


class Adapter:
    """A compiled template together with its input convention.

    Args:
        program: the compiled template.
        variables: the variables in addition to the conversation: special tokens and the user's variables.
        convention: the form of messages that the template expects.
    """

    def __init__(self, program: Program, variables: Mapping[str, Any], convention: InputConvention) -> None:
        self.program = program
        self.variables = variables
        self.convention = convention

    def render(
        self,
        turns: Turns,
        tools: Sequence[Tool],
        *,
        generate: bool = False,
        variables: Mapping[str, Any] | None = None,
        generated: bool = False,
    ) -> str:
        """Render a conversation; ``generated`` as in :meth:`Program.render`.

        Raises:
            RenderError: the template raises an error or exceeds a limit.
        """
        return self.program.render(
            self.given(turns, tools, generate=generate, variables=variables), generated=generated
        )

    def given(
        self, turns: Turns, tools: Sequence[Tool], *, generate: bool, variables: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """The variables of the template for a conversation."""
        return {
            **self.variables,
            **(variables or {}),
            "messages": [self._message(index, turns) for index in range(len(turns.messages))],
            "tools": list(tools) or None,
            "documents": None,
            "add_generation_prompt": generate,
        }

    def _message(self, index: int, turns: Turns) -> Message:
        message = dict(turns.messages[index])
        content = message.get("content")
        if isinstance(content, dict) or (isinstance(content, list) and not self.convention.parts):
            message["content"] = text_of(content)[0]
        if "tool_call_id" in message:
            message["tool_call_id"] = self._id(message["tool_call_id"])
        reasoning = message.pop("reasoning_content", None)
        if reasoning is not None:  # templates may ask whether there is a key
            message[self.convention.reasoning] = reasoning
        calls = turns.calls.get(index)
        if calls:
            if message.get("content") is None:
                message["content"] = self.convention.content
            message["tool_calls"] = [*map(self._call, calls, turns.key_orders(index))]
        return message

    def _call(self, call: ToolCall, order: KeyOrder) -> dict[str, Any]:
        arguments = call.arguments if self.convention.arguments == "object" else jsontext.spaced(call.arguments)
        function = {"name": call.name, "arguments": arguments}
        found = {"id": self._id(call.id), "type": "function", "function": _ordered(function, order[1])}
        return _ordered(found, order[0])

    def changed_ids(self, turns: Turns) -> int:
        """How many ids of calls, and of results that no call waits for, are written in another form."""
        ids = {call.id for calls in turns.calls.values() for call in calls}
        ids.update(given for message in turns.messages if isinstance(given := message.get("tool_call_id"), str))
        return sum(self._id(given) != given for given in ids)

    def _id(self, given: Any) -> Any:
        """An id in the template's form; ids of nine characters are the last nine letters and digits."""
        if self.convention.ids == "given" or not isinstance(given, str):
            return given
        return "".join(letter for letter in given if letter.isascii() and letter.isalnum())[-9:].zfill(9)


def _ordered(found: dict[str, Any], order: tuple[str, ...]) -> dict[str, Any]:
    """An object with its keys in an order; those that are not in it stand last."""
    if order == (*found,):
        return found
    return {key: found[key] for key in (*order, *found) if key in found}
