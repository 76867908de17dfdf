"""Toucan-1.5M: trajectories over real MCP servers, every column text.

- ``messages`` and ``available_tools`` (``tools`` in the config SFT) are JSON text. ``subset_name``, ``question``,
  ``target_tools`` (names with commas) and the quality columns are kept as they are.
- The configs Kimi-K2, OSS and Qwen3 have ``function_call`` in assistant turns, and the role ``function``. Calls in
  consecutive assistant turns are one turn with parallel calls. Their system turn declares the tools again in Kimi's
  markup, which is removed.
- The config SFT has ``tool_call`` and ``tool_response`` turns. A call is a Python dict with its arguments as JSON text.

Calls have no ids: responses are paired by name and order. Rows are only read.

Source: Agent-Ark/Toucan-1.5M, data card.
"""

from __future__ import annotations

import re
from typing import Any

from toolconv.core import jsontext
from toolconv.core.calls import NotACall
from toolconv.core.conversation import Conversation
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Dropped, Notes
from toolconv.core.pairing import number_calls
from toolconv.core.row_fields import RowField
from toolconv.layouts.bare_calls import read_calls
from toolconv.layouts.base import Layout
from toolconv.layouts.formats.openai import read_server_message, required_messages
from toolconv.layouts.tool_schema import read_tools

CONVENTIONS = {"single_quotes", "python_literal", "arguments_string"}
"""The deviations from JSON in the calls of this dataset."""

END = "<|im_end|>"
DECLARED = lazy_re(r"<\|im_system\|>tool_declare<\|im_middle\|>(.*?)<\|im_end\|>", re.DOTALL)
TOOLS = ("available_tools", "tools")


class Toucan(Layout):
    """Calls in separate turns, tools in a column."""

    name = "toucan"
    sample = (
        '{"uuid":"1","subset_name":"single-turn-original","messages":"[{\\"role\\":\\"user\\",\\"content\\":\\"Ping.\\"},'
        '{\\"role\\":\\"assistant\\",\\"content\\":\\"\\",\\"function_call\\":{\\"name\\":\\"ping\\",\\"arguments\\":'
        '\\"{}\\"}}]","available_tools":"[]","target_tools":"ping"}'
    )

    def matches(self, row: Row) -> bool:
        return (
            ("target_tools" in row and "available_tools" in row)
            or ("subset_name" in row and not row.keys().isdisjoint(TOOLS))
        ) and "messages" in row

    def decode(self, row: Row) -> Conversation:
        source = required_messages(row)
        notes = Notes()
        messages: list[Message] = []
        starts: list[int] = []
        for at, message in enumerate(source):
            _read(message, messages, notes)
            starts += [at] * (len(messages) - len(starts))
        column = next((key for key in TOOLS if key in row), None)
        tools = read_tools(row[column], notes) if column else None
        tools = _undeclared(messages, tools, notes)
        starts = starts[len(starts) - len(messages) :]
        number_calls(messages)
        canonical: Row = {} if column or not tools else {"tools": tools}
        found = {"messages": messages, column: tools}
        canonical |= {"tools" if key == column else key: found.get(key, value) for key, value in row.items()}
        return Conversation(canonical, notes, fields=(RowField("/messages", len(messages), source, starts),))


def _read(source: Message, messages: list[Message], notes: Notes) -> None:
    """Add a turn to the messages before it."""
    role = source.get("role")
    if role == "tool_response":
        messages.append(read_server_message({**source, "role": "tool"}, notes))
        return
    if role != "tool_call":
        message = read_server_message(source, notes)
        calls = message.get("tool_calls", [])
    else:
        message = {**source, "role": "assistant"}
        try:
            calls = _calls_in(source.get("content"))
        except NotACall as error:
            notes.dropped.append(Dropped(str(error), str(source.get("content"))))
            messages.append(message)
            return
        message.update(content="", tool_calls=calls)
    last = messages[-1] if messages else {}
    if calls and not message["content"] and last.get("role") == "assistant":
        last["tool_calls"] = [*last.get("tool_calls", []), *calls]
        last.update((key, value) for key, value in message.items() if key not in last)
    else:
        messages.append(message)


def _calls_in(text: Any) -> list[Row]:
    """The calls in a turn of its own, as this dataset writes them.

    Raises:
        NotACall: it holds something else.
    """
    found = Notes()
    calls = read_calls(text, found)
    if not set(found.repairs) <= CONVENTIONS:
        raise NotACall(f"needs repairs: {', '.join(dict.fromkeys(found.repairs))}")
    return calls


def _undeclared(messages: list[Message], tools: Any, notes: Notes) -> Any:
    """Remove the declarations from the system turn. They are the tools if there are no others."""
    content = messages[0].get("content") if messages and messages[0].get("role") == "system" else None
    declared = DECLARED.search(content, 0, content.rfind(END) + len(END)) if isinstance(content, str) else None
    if content is None or declared is None:
        return tools
    try:
        stated = read_tools(jsontext.loads(declared[1]), Notes())
    except ValueError:
        return tools
    if tools and stated != tools:
        notes.losses.append("tools_declared_twice")
    rest = content[: declared.start()] + content[declared.end() :].lstrip()
    if rest.strip():
        messages[0]["content"] = rest
    else:
        del messages[0]
    return tools or stated


LAYOUT = Toucan()
