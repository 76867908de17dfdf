"""Anthropic Messages rows: ``system`` and ``messages`` whose content is blocks, tools with ``input_schema``.

A turn holds text or blocks: ``text``, ``thinking``, ``tool_use``, and ``tool_result`` in the user turn after the
calls, one for each call. Each result is read as a ``tool`` message, with ``is_error`` if it is true; false is the
default and left out. ``thinking`` is ``reasoning_content``, and signed blocks are kept under ``thinking_blocks``.
Server tools (``server_tool_use``, ``mcp_tool_use`` and their results) have already run. They pass through as content
parts, and so do declarations without an ``input_schema``. Plain text is written as a string, and all
results of a turn share one user turn with the user's text after them.

An ``image`` or a PDF ``document`` whose ``source`` is base64 or an address is read in OpenAI's form where that says as
much, and media of any API are written so. Audio, video and files of other types are losses (``content_parts``), and so
is the ``detail`` of an image.

Lost: the order of text after a call (``block_order``), the role ``developer`` (``role``), the tool name of a result if
it is not its call's (``response_keys``). Several leading system messages become blocks of one (``turns_merged``).

Source: Anthropic API reference, Messages.
"""

from __future__ import annotations

from typing import Any

from toolconv.core.messages import Message, Row
from toolconv.layouts.call_items import call_extras, extras
from toolconv.layouts.content_blocks import Blocks
from toolconv.layouts.content_parts import Part, Parts
from toolconv.layouts.part_forms import ANTHROPIC
from toolconv.layouts.tool_schema import flat_tool, with_schema

OURS = ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use")


class Anthropic(Blocks):
    """Blocks with a ``type``."""

    name = "anthropic"
    aliases = ("claude", "messages-api")
    runs = frozenset(("anthropic",))
    own_result_keys = frozenset({"type", "tool_use_id"})
    sample = (
        '{"tools":[{"name":"get_weather","input_schema":{"type":"object","properties":{"city":{"type":"string"}}}}],'
        '"messages":[{"role":"user","content":"Weather in Tokyo?"},{"role":"assistant","content":[{"type":"tool_use",'
        '"id":"toolu_1","name":"get_weather","input":{"city":"Tokyo"}}]},{"role":"user","content":[{"type":'
        '"tool_result","tool_use_id":"toolu_1","content":"Sunny"}]}]}'
    )

    form = ANTHROPIC
    kinds = Parts(
        {
            "thinking": Part("reasoning", ("thinking",)),
            "redacted_thinking": Part("reasoning"),
            "tool_use": Part("call", ("input",)),
            "tool_result": Part("result", ("content",), ("tool_use_id",)),
        },
        empty=True,
        others=False,
    )

    def matches(self, row: Row) -> bool:
        turns = self.turns(row)
        if turns is None or any("tool_calls" in turn or turn.get("role") == "tool" for turn in turns):
            return False
        tools = row.get("tools")
        blocks = [block for turn in turns if isinstance(turn.get("content"), list) for block in turn["content"]]
        return (
            any(isinstance(block, dict) and block.get("type") in OURS for block in blocks)
            or (isinstance(tools, list) and any(isinstance(tool, dict) and "input_schema" in tool for tool in tools))
            or (isinstance(row.get("system"), list) and bool(blocks))
            or ("system" in row and "max_tokens" in row)  # which no other API has together
        )

    def read_fact(self, key: str, value: Any) -> Row:
        return {} if (key, value) == ("is_error", False) else {key: value}

    def write_reasoning(self, text: str) -> Any:
        return {"type": "thinking", "thinking": text}

    def write_text(self, text: str) -> Any:
        return text

    def write_system(self, content: Any) -> Any:
        return content

    def write_call(self, call: dict[str, Any]) -> Any:
        function = call["function"]
        block = {"type": "tool_use", "id": call["id"], "name": function["name"], "input": function["arguments"]}
        return {**call_extras(call), **block}

    def write_response(self, message: Message, name: str | None) -> Any:
        tied = {"tool_use_id": message["tool_call_id"]} if "tool_call_id" in message else {}
        content = message.get("content")
        content = self.form.write_all(content, None) if isinstance(content, list) else content
        block = {"type": "tool_result", **tied, "content": content}
        return {**block, **extras(message, "role", "tool_call_id", "content")}

    def write_tools(self, tools: list[Any], row: Row) -> Row:
        flat = [(tool, flat_tool(tool, parameters="input_schema")) for tool in tools]
        return {"tools": [tool if new is None else with_schema(new, "input_schema") for tool, new in flat]}


LAYOUT = Anthropic()
