"""The core of layouts with content blocks: a turn is a list of text, reasoning, call and result blocks.

Anthropic, Bedrock and Gemini differ in the form of a block, in the keys of system text and tools, and in little else.
All results are in the user turn after the calls, and become one ``tool`` message each.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Literal

from toolconv.core.conversation import Conversation
from toolconv.core.messages import SYSTEM_ROLES, Message, Row
from toolconv.core.notes import Notes
from toolconv.core.pairing import number_calls
from toolconv.core.row_fields import RowField
from toolconv.core.rows import same
from toolconv.layouts.base import Layout, LayoutError, Original, listed, maybe_json
from toolconv.layouts.call_forms import read_form
from toolconv.layouts.call_items import CalledNames, call_item, checked, numbered
from toolconv.layouts.content_parts import THINKING, Parts, kept_reasoning, own_reasoning
from toolconv.layouts.part_forms import PartForm
from toolconv.layouts.speakers import with_role
from toolconv.layouts.tool_schema import read_tools

ReadBlock = tuple[Literal["reasoning", "response", "part", "call"], Any]
"""A block by kind: ``(text, block)`` of reasoning, a ``tool`` message, a content part or a call item."""

WHOSE = {"reasoning": ("assistant",), "call": ("assistant",), "result": ("user", "tool")}
"""In whose turns a kind of block stands; elsewhere it is content."""

RESULT_IDS = ("tool_use_id", "toolUseId")

ORDER = {"reasoning": 0, "response": 1, "part": 2, "call": 3}
"""The order in which a message keeps its blocks."""


class Blocks(Layout):
    """Turns of content blocks.

    Attributes:
        turns_key, blocks_key: the key of the turns in a row, and of the blocks in a turn.
        system_keys: the keys that the system text may have; the first is written.
        roles: the layout's names of roles, if they differ from the canonical ones; of several names of a role, the last
            is written.
        carries_names: a response has the name of its tool.
        only_turns: there are only user and assistant turns.
        kinds: the table of blocks.
        form: the form of the blocks that are content.
        typed: a block of text has a type, too.
    """

    kinds: ClassVar[Parts]
    form: ClassVar[PartForm]
    typed: ClassVar[bool] = True

    turns_key: ClassVar[str] = "messages"
    blocks_key: ClassVar[str] = "content"
    system_keys: ClassVar[tuple[str, ...]] = ("system",)
    roles: ClassVar[dict[str, str]] = {}
    carries_names: ClassVar[bool] = False
    only_turns: ClassVar[bool] = False
    object_arguments = True

    # ── one block ──

    def read_block(self, block: Any, role: str, notes: Notes) -> ReadBlock:
        """Read a block of a turn with a role."""
        found = self.kinds.find(block)
        if found is None or role not in WHOSE.get(found[0].kind, ()):
            return "part", self.read_part(block)
        if found[0].kind == "result":
            rest = {} if found[1] is block else {key: kept for key, kept in block.items() if kept is not found[1]}
            return "response", self.read_response(found[1], notes) | rest
        read = self.kinds.read_as(*found, block)
        if found[0].kind == "call" and (not read.name or not isinstance(read.name, str)):
            call = read_form(block, notes)  # under another key, or dropped
            return ("part", self.read_part(block)) if call is None else ("call", call)
        if found[0].kind == "call":
            return "call", call_item(read.id, read.name, read.value, read.rest, notes)
        return "reasoning", (read.value, block)

    def read_part(self, block: Any) -> Any:
        """A block that is content, as a content part."""
        if not self.typed and is_text(block) and "type" not in block:
            return {"type": "text", **block}
        return self.form.read(block)

    def read_response(self, result: Row, notes: Notes) -> Message:
        """The ``tool`` message for the object of a result."""
        message: Message = {"role": "tool"}
        for key, value in result.items():
            if key in RESULT_IDS:
                message["tool_call_id"] = value
            elif key == "content":
                message["content"] = value if isinstance(value, str) else self.content(self.parts(value or [], notes))
            elif key != "type" or not self.typed:
                message.update(self.read_fact(key, value))
        message.setdefault("content", "")
        return message

    def read_fact(self, key: str, value: Any) -> Row:
        """Another key of a result, as keys of its message."""
        return {key: value}

    def reasoning_text(self, block: Any) -> str | None:
        """The text of a reasoning block; ``None`` for anything else."""
        read = self.kinds.read(block) if self.kinds.kind(block) == "reasoning" else None
        return None if read is None else read.value

    @abstractmethod
    def write_reasoning(self, text: str) -> Any:
        """A reasoning block."""

    @abstractmethod
    def write_call(self, call: dict[str, Any]) -> Any:
        """A call item as a block; its arguments are an object."""

    @abstractmethod
    def write_response(self, message: Message, name: str | None) -> Any:
        """A tool response as a block; ``name`` is that of its call."""

    # ── the row around the turns ──

    def read_tools(self, value: Any, notes: Notes) -> Row:
        """The canonical keys for the value of :attr:`tools_keys`."""
        return {"tools": read_tools(value, notes)}

    @abstractmethod
    def write_tools(self, tools: list[Any], row: Row) -> Row:
        """The keys for the tools of the canonical ``row``."""

    def read_system(self, value: Any, notes: Notes) -> list[Message]:
        """The system messages for the value of one of :attr:`system_keys`."""
        if value is None or value == []:
            return []
        content = value if isinstance(value, str) else self.content(self.parts(value, notes))
        return [{"role": "system", "content": content}]

    def write_system(self, content: Any) -> Any:
        """System text, or a list of parts, as the value of :attr:`system_keys`."""
        return self.write_content(content)

    def write_content(self, content: Any, notes: Notes | None = None) -> list[Any]:
        """Text or content parts as blocks. A list that would be read back as text is a loss."""
        if isinstance(content, list):
            if notes is not None and not isinstance(self.content(content), list):
                notes.losses.append("content_parts")
            return self.form.write_all(content, notes)
        return [self.form.write({"type": "text", "text": content})[0]] if content else []

    def write_text(self, text: str) -> Any:
        """The blocks of a turn that is only text."""
        return self.write_content(text)

    # ── reading ──

    def turns(self, row: Row) -> list[Row] | None:
        """The turns of a row; ``None`` if it has no turns of this shape."""
        return listed(row.get(self.turns_key))

    def decode(self, row: Row) -> Conversation:
        turns = self.turns(row)
        if turns is None:
            raise LayoutError(f"no list of turns with {self.blocks_key!r} under {self.turns_key!r}")
        notes = Notes()
        messages: list[Message] = []
        fields: list[RowField] = []
        for key in self.system_keys:
            if key in row and (system := self.read_system(row[key], notes)):
                messages += system
                fields.append(RowField(f"/{key}", len(system)))
        starts: list[int] = []
        for at, turn in enumerate(turns):
            read = self.read_turn(turn, notes)
            messages += read
            starts += [at] * len(read)
        fields.append(RowField(f"/{self.turns_key}", len(starts), turns, starts))
        number_calls(messages)
        canonical: Row = {}
        for key, value in row.items():
            if key == self.turns_key:
                canonical["messages"] = messages
            elif key == self.tools_keys[0]:
                canonical.update(self.read_tools(maybe_json(value), notes))
            elif key not in self.system_keys:
                canonical[key] = value
        return Conversation(canonical, notes, fields=fields)

    def parts(self, blocks: Any, notes: Notes) -> list[Any]:
        """Blocks that can hold neither calls nor results, as content parts."""
        if not isinstance(blocks, list):
            blocks = [blocks]
        return [self.read_block(block, "system", notes)[1] for block in blocks]

    @staticmethod
    def content(parts: list[Any]) -> Any:
        """Content parts as content: text if there is nothing else."""
        if not parts:
            return ""
        return parts[0]["text"] if len(parts) == 1 and is_plain(parts[0]) else parts

    def read_turn(self, turn: Row, notes: Notes) -> list[Message]:
        """The messages of a turn: first its results, then a message with everything else."""
        if self.blocks_key == "content" or len(turn) > 1:  # Gemini's turns of nothing but parts are the user's
            turn = with_role(turn, notes)
        role = turn.get("role") or "user"
        role = self.roles.get(role, role)
        blocks = turn.get(self.blocks_key)
        if isinstance(blocks, str):
            return [{**turn, "role": role}]
        if isinstance(blocks, dict):
            blocks = [blocks]
        reasonings: list[tuple[str | None, Any]] = []
        responses: list[Message] = []
        parts: list[Any] = []
        calls: list[Any] = []
        found: tuple[list[Any], ...] = reasonings, responses, parts, calls
        last = 0
        ordered = True
        for block in blocks or ():
            kind, value = self.read_block(block, role, notes)
            place = ORDER[kind]
            found[place].append(value)
            ordered = ordered and last <= place
            last = place
        if not ordered:
            notes.losses.append("block_order")
        if responses and not parts:
            kept = {key: value for key, value in turn.items() if key != "role" and key != self.blocks_key}
            return [{**responses[0], **kept}, *responses[1:]]
        message: Message = {} if "role" in turn else {"role": role}
        for key, value in turn.items():
            if key == "role":
                message["role"] = role
            elif key == self.blocks_key:
                message["content"] = self.content(parts)
                if reasonings:
                    message.update(kept_reasoning(reasonings, self.write_reasoning))
                if calls:
                    message["tool_calls"] = calls
            else:
                message[key] = value
        message.setdefault("content", "")
        return [*responses, message]

    # ── writing ──

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        messages, names = self.prepared(conversation.messages)
        notes = conversation.notes
        leading = 0
        while leading < len(messages) and messages[leading].get("role") in SYSTEM_ROLES:
            leading += 1
        row: Row = {}
        for key, value in conversation.row.items():
            if key == "messages":
                if leading:
                    row[self.system_keys[0]] = self._system(messages[:leading], notes)
                row[self.turns_key] = self.write_turns(messages[leading:], names[leading:], notes)
            elif key == "tools" and isinstance(value, list):
                row.update(self.write_tools(value, conversation.row))
            elif key in (self.turns_key, *self.system_keys):
                notes.losses.append("row_keys")
            elif key not in row:
                row[key] = value
        if original is not None:
            self._restore(row, conversation.messages, (messages, names), original)
        return row

    def _restore(
        self, row: Row, now: list[Message], prepared: tuple[list[Message], CalledNames], original: Original
    ) -> None:
        """Put the system text and the turns that are unchanged ``now`` back into ``row`` verbatim."""
        came, read = original
        before, turns = read.messages, read.fields[-1]
        start = len(before) - turns.size
        if same(now[:start], before[:start]):
            for key in self.system_keys:
                row.pop(key, None)
            row.update((key, came[key]) for key in self.system_keys if key in came)
        if len(now) == len(before):
            messages, names = prepared[0][start:], prepared[1][start:]
            pieces = kept_pieces(
                turns,
                now[start:],
                before[start:],
                lambda first, end: self.write_turns(messages[first:end], names[first:end], Notes()),
            )
            row[self.turns_key] = pieces

    def write_one(self, conversation: Conversation) -> Row:
        row = super().write_one(conversation)
        if conversation.origin is not None and row is conversation.origin[1]:
            conversation.notes.losses = [loss for loss in conversation.notes.losses if loss != "block_order"]
        return row

    def prepared(self, messages: Iterable[Message]) -> tuple[list[Message], CalledNames]:
        """The result of :func:`numbered`, for layouts that write other ids."""
        return numbered(messages)

    def _system(self, messages: list[Message], notes: Notes) -> Any:
        for message in messages:
            if message["role"] != "system":
                notes.losses.append("role")
            if not message.keys() <= {"role", "content"}:
                notes.losses.append("message_keys")
        if len(messages) == 1:
            self.write_content(messages[0].get("content"), notes)
            written = self.write_system(messages[0].get("content"))
            if not self.read_system(written, Notes()):
                notes.losses.append("empty_system")
            return written
        notes.losses.extend(["turns_merged"] * (len(messages) - 1))
        parts: list[Any] = []
        for message in messages:
            content = message.get("content")
            parts.extend(content if isinstance(content, list) else [{"type": "text", "text": content or ""}])
        return self.write_system(parts)

    def write_turns(self, messages: Iterable[Message], names: CalledNames, notes: Notes) -> list[Row]:
        """Messages as turns. Responses and the plain user message after them share a turn."""
        turns: list[Row] = []
        responses: list[Any] = []
        for message, name in zip(messages, names, strict=True):
            role = message.get("role")
            if role == "tool":
                responses.append(self._response(message, name, notes))
                continue
            if responses:
                joined = role == "user" and message.keys() <= {"role", "content"} and message.get("content")
                blocks = responses + (self.write_content(message["content"], notes) if joined else [])
                turns.append(self._turn({"role": "user"}, blocks))
                responses = []
                if joined:
                    continue
            turns.append(self._write_message(message, notes))
        if responses:
            turns.append(self._turn({"role": "user"}, responses))
        return turns

    def _response(self, message: Message, name: str | None, notes: Notes) -> Any:
        if "name" in message and message["name"] != name:
            name = message["name"]
            if not self.carries_names:
                notes.losses.append("response_keys")
        self.write_content(message.get("content"), notes)
        return self.write_response({key: value for key, value in message.items() if key != "name"}, name)

    def _write_message(self, message: Message, notes: Notes) -> Row:
        """A message other than a tool response, as a turn."""
        content = message.get("content")
        kept = {key: value for key, value in message.items() if key not in ("content", "reasoning_content")}
        if self.only_turns and message.get("role") in SYSTEM_ROLES:
            notes.losses.append("role")
            kept["role"] = "user"
        if message.get("role") != "assistant":
            return self._turn(kept, content if isinstance(content, str) else self.write_content(content, notes))
        reasoning = message.get("reasoning_content")
        blocks: list[Any] = []
        if own := own_reasoning(message, self.reasoning_text):
            blocks.extend(own)
            del kept[THINKING]
        elif isinstance(reasoning, str) and reasoning:
            blocks.append(self.write_reasoning(reasoning))
        calls = kept.pop("tool_calls", None) or []
        if not blocks and not calls and isinstance(content, str):
            return self._turn(kept, content)
        blocks.extend(self.write_content(content, notes))
        blocks.extend(self.write_call(checked(call)) for call in calls)
        return self._turn(kept, blocks)

    def _turn(self, keys: Message, blocks: Any) -> Row:
        """A turn with the keys of a message, and its blocks after its role."""
        names = {role: name for name, role in self.roles.items()}
        turn: Row = {}
        for key, value in keys.items():
            if key != "role":
                turn[key] = value
                continue
            turn["role"] = names.get(value, value)
            turn[self.blocks_key] = self.write_text(blocks) if isinstance(blocks, str) else blocks
        return turn


# ── helpers ──


def is_plain(part: Any) -> bool:
    """Whether a content part is only text."""
    if not isinstance(part, dict) or len(part) != 2 or part.get("type") != "text":
        return False
    return isinstance(part.get("text"), str)


def is_text(part: Any) -> bool:
    """Whether a content part holds text."""
    return isinstance(part, dict) and isinstance(part.get("text"), str)


def rewritten(messages: list[Message], original: Original | None, write: Callable[[int, int], list[Any]]) -> list[Any]:
    """The pieces of the only field of a row: the original ones of unchanged units if there are as many messages.

    Args:
        original: the row as it was read, if it was read from the layout.
        write: gives the pieces for the messages from one index to another.
    """
    if original is None or len(messages) != len(original.read.messages):
        return write(0, len(messages))
    return kept_pieces(original.read.fields[0], messages, original.read.messages, write)


def kept_pieces(
    field: RowField, messages: list[Message], before: list[Message], write: Callable[[int, int], list[Any]]
) -> list[Any]:
    """The pieces of a field with as many messages as before: the original ones of unchanged units, others written."""
    pieces: list[Any] = []
    at = 0
    for unit in field.units(before):
        end = at + len(unit.messages)
        pieces += unit.pieces if same(messages[at:end], unit.messages) else write(at, end)
        at = end
    return pieces
