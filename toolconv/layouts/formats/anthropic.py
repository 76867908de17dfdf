"""Anthropic Messages rows: ``system`` and ``messages`` whose content is blocks, tools with ``input_schema``.

A turn holds text or blocks: ``text``, ``thinking``, ``tool_use``, and ``tool_result`` in the user turn after the
calls, one for each call. Each result is read as a ``tool`` message, with ``is_error`` if it is true; false is the
default and left out. ``thinking`` is ``reasoning_content``, and signed blocks are kept under ``thinking_blocks``.
Server tools (``server_tool_use``, ``mcp_tool_use`` and their results) have already run. They pass through as content
parts, and so do declarations without an ``input_schema``. Plain text is written as a string, and all
results of a turn share one user turn with the user's text after them.

An ``image`` whose ``source`` is base64 or an address is read as OpenAI's ``image_url``, and that is written so. Other
parts of OpenAI's that are not text are losses (``content_parts``), and so is the ``detail`` of an image.

Lost: the order of text after a call (``block_order``), the role ``developer`` (``role``), the tool name of a result if
it is not its call's (``response_keys``). Several leading system messages become blocks of one (``turns_merged``).

Source: Anthropic API reference, Messages.
"""

from __future__ import annotations

from typing import Any, ClassVar

from toolconv.core.marks import NO_MARKS, MarkStyle
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Notes
from toolconv.layouts.call_items import call_extras, extras
from toolconv.layouts.content_blocks import Blocks
from toolconv.layouts.content_parts import Part, Parts
from toolconv.layouts.tool_schema import flat_tool, read_tools

OURS = ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use")


class Anthropic(Blocks):
    """Blocks with a ``type``."""

    name: ClassVar[str] = "anthropic"
    aliases: ClassVar[tuple[str, ...]] = ("claude", "messages-api")
    mark_style: ClassVar[MarkStyle | None] = NO_MARKS
    sample: ClassVar[str] = (
        '{"tools":[{"name":"get_weather","input_schema":{"type":"object","properties":{"city":{"type":"string"}}}}],'
        '"messages":[{"role":"user","content":"Weather in Tokyo?"},{"role":"assistant","content":[{"type":"tool_use",'
        '"id":"toolu_1","name":"get_weather","input":{"city":"Tokyo"}}]},{"role":"user","content":[{"type":'
        '"tool_result","tool_use_id":"toolu_1","content":"Sunny"}]}]}'
    )

    kinds: ClassVar[Parts] = Parts(
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

    def read_part(self, block: Any) -> Any:
        return _read_image(block) if isinstance(block, dict) and block.get("type") == "image" else block

    def read_fact(self, key: str, value: Any) -> Row:
        return {} if (key, value) == ("is_error", False) else {key: value}

    def write_reasoning(self, text: str) -> Any:
        return {"type": "thinking", "thinking": text}

    def write_part(self, part: Any) -> Any:
        image = part.get("image_url") if isinstance(part, dict) and part.get("type") == "image_url" else None
        url = image.get("url") if isinstance(image, dict) else None
        if not isinstance(url, str):
            return part
        head, comma, data = url.partition(",")
        if head.startswith("data:") and head.endswith(";base64") and comma:
            media = head.removeprefix("data:").removesuffix(";base64")
            source = {"type": "base64", "media_type": media, "data": data}
        else:
            source = {"type": "url", "url": url}
        return {"type": "image", "source": source, **extras(part, "type", "image_url")}

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
        content = [self.write_part(part) for part in content] if isinstance(content, list) else content
        block = {"type": "tool_result", **tied, "content": content}
        return {**block, **extras(message, "role", "tool_call_id", "content")}

    def read_tools(self, value: Any, notes: Notes) -> Row:
        return {"tools": read_tools(value, notes)}

    def write_tools(self, tools: list[Any], row: Row) -> Row:
        return {"tools": [flat_tool(tool, parameters="input_schema") or tool for tool in tools]}


def _read_image(block: Row) -> Row:
    """An image as OpenAI's part; one in another form, such as a file on Anthropic's server, as it is."""
    source = block.get("source")
    if not isinstance(source, dict):
        return block
    keys = source.keys()
    if keys == {"type", "media_type", "data"} and source["type"] == "base64":
        url = f"data:{source['media_type']};base64,{source['data']}"
    elif keys == {"type", "url"} and source["type"] == "url":
        url = source["url"]
    else:
        return block
    return {"type": "image_url", "image_url": {"url": url}, **extras(block, "type", "source")}


LAYOUT = Anthropic()
