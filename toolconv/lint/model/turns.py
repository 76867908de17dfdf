"""The turns of a row, with their calls and responses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.messages import SYSTEM_ROLES, Message
from toolconv.lint.model.calls import LintCall, move_to_pieces, own_calls, structured_calls

if TYPE_CHECKING:
    from toolconv.lint.model.row import LintRow

REASONING_KEYS: Final = ("reasoning_content", "reasoning", "thinking")


TOOL_ROLES: Final = ("tool", "ipython")
"""Roles of tool responses in messages: Llama 3.1's template takes both."""

ROLES: Final = (*SYSTEM_ROLES, "user", "assistant", "tool")


class LintResponse(NamedTuple):
    """A tool response: the id and name of the call it answers, as written in it, and its place."""

    id: Any
    name: Any
    content: Any
    pointer: str


def name_in(content: Any) -> str | None:
    """The name of the tool in a response ``{"name": …, "content": …}``, as Hermes writes it into its text."""
    if not isinstance(content, str) or '"name"' not in content[:200] or '"content"' not in content:
        return None
    try:
        value = jsontext.loads(content)
    except ValueError:
        return None
    if not isinstance(value, dict) or not {"name", "content"} <= value.keys() <= {"name", "content", "tool_call_id"}:
        return None
    return value["name"] if isinstance(value["name"], str) else None


class LintTurn:
    """A message: its role (``tool`` for a message with tool responses), its calls and its responses.

    Attributes:
        message: its index in the conversation.
        role: its role in the conversation.
        pointer: the message's place.
        text: its prose, without the calls that were read from it.
        raw_text: its unchanged text, including calls.
    """

    __slots__ = ("calls", "message", "pointer", "raw_text", "responses", "role", "text")

    def __init__(self, message: int, role: str, pointer: str, text: str, raw_text: str) -> None:
        self.message = message
        self.role = role
        self.pointer = pointer
        self.text = text
        self.raw_text = raw_text
        self.calls: list[LintCall] = []
        self.responses: list[LintResponse] = []


def turn_of(row: LintRow, at: int, message: Message, pointer: str) -> LintTurn:
    """A message of a row with its calls and responses."""
    is_own = row.overview is not None and row.overview.is_plain
    role, content = message.get("role"), message.get("content")
    if content is None and is_own:
        content = ""
    text = content if type(content) is str else text_of(content)
    turn = LintTurn(at, role if isinstance(role, str) else "", pointer, text, text)
    if role == "assistant":
        parsed = row.parsed.get(at)
        if parsed is not None and parsed.calls:
            place = row.text_pointer(at)
            turn.text = parsed.content
            turn.calls = [
                LintCall(at, index, call.name, call.arguments, call.id, place, place, place, None, True, False)
                for index, call in enumerate(parsed.calls)
            ]
        elif is_own and message.get("tool_calls"):
            turn.calls = own_calls(at, message, pointer)
        elif message.get("tool_calls"):
            turn.calls = list(structured_calls(row.row, at, message, pointer))
            if any(not call.placed for call in turn.calls) and len(pieces := row.pieces_of(at)) > 1:
                move_to_pieces(row.row, turn.calls, pieces)
    elif role in TOOL_ROLES:
        turn.responses = [LintResponse(message.get("tool_call_id"), message.get("name"), content, pointer)]
    if (turn.role == "user" or row.dialect is not None) and (found := row.responses_in(message, turn.role, content)):
        turn.responses = [
            LintResponse(
                item.get("tool_call_id"), item.get("name") or name_in(item.get("content")), item["content"], pointer
            )
            for item in found
        ]
    if turn.responses:
        turn.role = "tool"
    return turn


def request_before(turns: Sequence[LintTurn], at: int) -> str | None:
    """The text of the last user turn before a turn; ``None`` if there is none."""
    return next((turn.text for turn in reversed(turns[:at]) if turn.role == "user"), None)


def text_of(content: Any) -> str:
    """The text of a message's content; for a list of parts, the text parts."""
    return content if isinstance(content, str) else "\n".join(text for _, text in texts_in(content))


def texts_in(content: Any) -> Iterator[tuple[str, str]]:
    """The text of a message's content, or those of its parts, each with its place in the content."""
    if isinstance(content, str):
        yield "", content
    for at, part in enumerate(content) if isinstance(content, list) else ():
        key = next((key for key in ("text", "value") if part.get(key)), "") if isinstance(part, dict) else ""
        if key and isinstance(part[key], str):
            yield f"/{at}/{key}", part[key]
