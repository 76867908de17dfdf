"""Glaive v2 rows: ``system`` and ``chat`` as flat text.

- ``system`` is ``SYSTEM: `` and a text that declares functions as JSON objects.
- ``chat`` has turns that begin with ``USER: ``, ``ASSISTANT: `` and ``FUNCTION RESPONSE: `` and end with blank lines.
  ``<|endoftext|>`` ends the assistant's text.
- Calls are in the dialect ``glaive``: ``<functioncall> {"name": …, "arguments": '{…}'}``, arguments in single quotes,
  one call per turn.

The same flat text as a whole under ``example``, including ``SYSTEM: `` and a code fence around it, is read too.

Lost: white space around a turn's text, call ids and other keys of messages, content parts that are not text.

Source: dataset card of glaiveai/glaive-function-calling-v2.
"""

from __future__ import annotations

from toolconv.core.conversation import Conversation
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message, Row, one_text
from toolconv.core.notes import Notes
from toolconv.core.row_fields import RowField, Unit
from toolconv.core.rows import put_in_place, replace_key
from toolconv.layouts.base import Layout, LayoutError, Original, as_text, row_for
from toolconv.layouts.turn_list import kept_units
from toolconv.layouts.worded_turns import speakers_in

NAMES = {"SYSTEM": "system", "USER": "user", "ASSISTANT": "assistant", "FUNCTION RESPONSE": "tool"}
OWN = {role: name for name, role in NAMES.items()}
TURN = lazy_re(rf"(?:\A|(?<=\n))(?P<name>{'|'.join(NAMES)}):[ \n]?")
END = "<|endoftext|>"
FENCE = "```"


class FlatText(Layout):
    """Flat text in two columns."""

    name = "glaive"
    sample = (
        '{"system":"SYSTEM: You are a helpful assistant with access to the following functions. Use them if required'
        ' -\\n{\\n    \\"name\\": \\"ping\\"\\n}\\n","chat":"USER: Ping it.\\n\\n\\n'
        'ASSISTANT: <functioncall> {\\"name\\": \\"ping\\", \\"arguments\\": \'{}\'} <|endoftext|>\\n\\n\\n"}'
    )
    calls_in_text = True
    dialect = "glaive"
    response_role = "tool"

    def matches(self, row: Row) -> bool:
        return _column(row) is not None

    def decode(self, row: Row) -> Conversation:
        column = _column(row)
        if column is None:
            raise LayoutError("no text with turns 'USER: …' and 'ASSISTANT: …' under 'chat' or 'example'")
        notes = Notes()
        before, units, _ = split(row[column])
        messages = [message for unit in units for message in unit.messages]
        canonical = replace_key(row, column, "messages", messages)
        if column == "chat" and (row.get("system") is None or isinstance(row["system"], str)):
            system = canonical.pop("system", None)
            if system:
                messages.insert(0, {"role": "system", "content": system.removeprefix("SYSTEM: ")})
        fields = [RowField("", len(messages))]
        if before.strip() in ("", FENCE):  # all of the text is turns
            fields.insert(0, RowField(f"/{column}", 0))
        return Conversation(canonical, notes, fields=fields)

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        messages, notes = conversation.messages, conversation.notes
        column = (original and _column(original.row)) or "chat"
        before, old, after = ("", [], "") if original is None else split(original.row[column])
        text: Row = {}
        first = messages[0] if messages else {}
        if column == "chat" and first.get("role") == "system" and isinstance(first.get("content"), str):
            text["system"], messages = "SYSTEM: " + first["content"], messages[1:]
        units = [Unit([message], [_written(message, notes)]) for message in messages]
        if len(units) == len(old):
            units = [_spaced_like(unit, came) for unit, came in zip(units, old, strict=True)]
        text[column] = before + "".join(unit.pieces[0] for unit in kept_units(units, old)) + after
        used = (column, "system") if column == "chat" else (column,)
        row = put_in_place(row_for(conversation, *used), "messages", text)
        if "tools" in row:
            row["tools"] = as_text(row["tools"])
        if original is not None:
            if "tools" in original.row:
                row["tools"] = original.row["tools"]
            if "system" in original.row:
                row.setdefault("system", original.row["system"])
        return row


def _column(row: Row) -> str | None:
    """The column of the flat text."""
    for column in ("chat", "example"):
        text = row.get(column)
        if not isinstance(text, str):
            continue
        names = {match["name"] for match in TURN.finditer(text)}
        if "ASSISTANT" in names or ("USER" in names and speakers_in(text) <= NAMES.keys()):
            return column
    return None


def split(text: str) -> tuple[str, list[Unit], str]:
    """The turns of a flat text, with the text before and after them. Joined, the three are the whole text."""
    starts = [match.start() for match in TURN.finditer(text)]
    end = len(text)
    before = text[: starts[0]] if starts else text
    if before.strip() == FENCE and text.rstrip().endswith(FENCE):
        end = len(text.rstrip()[: -len(FENCE)])
    units: list[Unit] = []
    for match, stop in zip(TURN.finditer(text), [*starts[1:], end], strict=True):
        content = text[match.end() : stop].strip().removesuffix(END).rstrip()
        units.append(Unit([{"role": NAMES[match["name"]], "content": content}], [text[match.start() : stop]]))
    return before, units, text[end:]


def _written(message: Message, notes: Notes) -> str:
    """A turn of the flat text.

    Raises:
        LayoutError: the text has no name for the role, or the message would be read back as several turns.
    """
    role, content = message.get("role"), message.get("content")
    if role not in OWN:
        raise LayoutError(f"the flat text has no turn for the role {role!r}")
    if not message.keys() <= {"role", "content"}:
        notes.losses.append("response_keys" if role == "tool" else "message_keys")
    text = one_text(content, notes)[0]
    if role == "tool":
        text = text.removeprefix(f"{OWN[role]}: ")  # the dialect has written it, and the end
    elif role == "assistant":
        text = text.removesuffix(f" {END}")
    written = f"{OWN[role]}: {text}{' ' + END if role == 'assistant' else ''}\n\n\n"
    read = split(written)[1]
    if len(read) != 1:
        raise LayoutError(f"a turn of role {role!r} holds a line that begins another turn ({TURN.findall(text)[0]}:)")
    if read[0].messages[0]["content"] != text:
        notes.losses.append("blanks")
    return written


def _spaced_like(unit: Unit, came: Unit) -> Unit:
    """A turn with the white space that it came with around its text."""
    text, before = unit.messages[0].get("content"), came.messages[0]["content"]
    if not before or not isinstance(text, str) or unit.messages[0].get("role") != came.messages[0]["role"]:
        return unit
    written = came.pieces[0].replace(before, text, 1)
    read = split(written)[1]
    return Unit(unit.messages, [written]) if len(read) == 1 and read[0].messages == unit.messages else unit


LAYOUT = FlatText()
