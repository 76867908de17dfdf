"""Nemotron post-training rows: OpenAI messages, with the tools inside ``metadata``.

This is the shape of nvidia/Nemotron-Post-Training-Dataset-v1: ``uuid``, ``license``, ``generator``, ``version``,
``category``, ``reasoning`` (``on`` or ``off``), ``messages`` with ``tool_calls``, and ``metadata``, JSON text (or an
object) whose ``tools`` are declarations. Nulls and empty lists in a message, Parquet's padding, are left out.
``metadata`` stays as it is. Nemotron-Agentic-v1 has ``tools`` next to its messages: that is the layout ``openai``. Rows
are only read.

Source: data card of nvidia/Nemotron-Post-Training-Dataset-v1.
"""

from __future__ import annotations

from typing import Any, ClassVar

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row
from toolconv.core.notes import Notes
from toolconv.core.pairing import number_calls
from toolconv.core.row_fields import RowField
from toolconv.core.rows import insert_before
from toolconv.layouts.base import Layout, value_of
from toolconv.layouts.formats.openai import messages_in, read_server_message, required_messages
from toolconv.layouts.tool_schema import read_tools

COLUMNS = {"messages", "generator", "category", "reasoning"}


class NemotronRows(Layout):
    """Messages, and tools in their metadata."""

    name: ClassVar[str] = "nemotron"
    sample: ClassVar[str] = (
        '{"uuid":"1","generator":"Qwen3-235B-A22B","category":"tool","reasoning":"on","messages":[{"role":"user",'
        '"content":"Ping it.","tool_calls":[]},{"role":"assistant","content":"","tool_calls":[{"id":"call_1","type":'
        '"function","function":{"name":"ping","arguments":"{}"}}]}],"metadata":"{\\"tools\\": [{\\"type\\": '
        '\\"function\\", \\"function\\": {\\"name\\": \\"ping\\"}}]}"}'
    )

    def matches(self, row: Row) -> bool:
        if not ("generator" in row or "metadata" in row) or "tools" in row or messages_in(row) is None:
            return False
        return row.keys() >= COLUMNS or isinstance(_metadata(row).get("tools"), list | str)

    def decode(self, row: Row) -> Conversation:
        source = required_messages(row)
        notes = Notes()
        messages = [read_server_message(message, notes) for message in source]
        number_calls(messages)
        tools = read_tools(_metadata(row).get("tools"), notes)
        canonical: Row = {**row, "messages": messages}
        if isinstance(tools, list):
            canonical = insert_before(canonical, "messages", "tools", tools)
        return Conversation(canonical, notes, fields=(RowField("/messages", len(source), source),))


def _metadata(row: Row) -> Row:
    metadata: Any = row.get("metadata")
    if isinstance(metadata, str) and '"tools"' in metadata:
        metadata = value_of(metadata)
    return metadata if isinstance(metadata, dict) else {}


LAYOUT = NemotronRows()
