"""Bedrock Converse rows: blocks named by their only key (``text``, ``toolUse``, ``toolResult``), ``toolConfig``.

This is the shape of the Converse API and, with ``schemaVersion``, of Bedrock's fine-tuning files. Results are in the
user turn after the calls. Each result is read as a ``tool`` message. ``json`` content becomes its JSON text, and
``status`` ``"error"`` becomes ``is_error``; ``"success"`` is the default and left out. ``reasoningContent`` is
``reasoning_content``, and signed blocks are kept under ``thinking_blocks``. Server tools (``toolUse`` of type
``server_tool_use`` and its result, ``systemTool``), images and cache points pass through unchanged. ``toolConfig``
keeps its other keys. Results are written as ``text``.

Lost: as in ``anthropic``; also, system messages after the first turn become user turns (``role``).

Source: Amazon Bedrock API reference, Converse; Bedrock user guide, preparing data for fine-tuning.
"""

from __future__ import annotations

from typing import Any, ClassVar

from toolconv.core import jsontext
from toolconv.core.conversation import Message, Notes, Row
from toolconv.core.marks import NO_MARKS, MarkStyle
from toolconv.layouts.base import maybe_json
from toolconv.layouts.call_items import call_extras, call_item, extras
from toolconv.layouts.content_blocks import Blocks, ReadBlock, is_text
from toolconv.layouts.tool_schema import flat_tool, read_tools

OURS = {"toolUse", "toolResult", "reasoningContent", "cachePoint", "guardContent"}


class Bedrock(Blocks):
    """Blocks of one key each."""

    name: ClassVar[str] = "bedrock"
    aliases: ClassVar[tuple[str, ...]] = ("converse", "bedrock-converse")
    mark_style: ClassVar[MarkStyle | None] = NO_MARKS
    sample: ClassVar[str] = (
        '{"messages":[{"role":"user","content":[{"text":"Weather in Tokyo?"}]},{"role":"assistant","content":[{'
        '"toolUse":{"toolUseId":"t1","name":"get_weather","input":{"city":"Tokyo"}}}]}],"toolConfig":{"tools":[{'
        '"toolSpec":{"name":"get_weather","inputSchema":{"json":{"type":"object","properties":{"city":{}}}}}}]}}'
    )
    tools_keys: ClassVar[tuple[str, ...]] = ("toolConfig",)
    only_turns: ClassVar[bool] = True

    def matches(self, row: Row) -> bool:
        turns = self.turns(row)
        if turns is None:
            return False
        blocks = [block for turn in turns if isinstance(turn.get("content"), list) for block in turn["content"]]
        config = row.get("toolConfig")
        return (
            row.get("schemaVersion") == "bedrock-conversation-2024"
            or (isinstance(config, dict) and "tools" in config)
            or any(isinstance(block, dict) and len(block) == 1 and block.keys() <= OURS for block in blocks)
            or (
                bool(blocks)
                and all(isinstance(block, dict) and block.keys() == {"text"} for block in blocks)
                and not any("tool_calls" in turn for turn in turns)
            )  # calls are blocks
        )

    def read_block(self, block: Any, role: str, notes: Notes) -> ReadBlock:
        if not isinstance(block, dict):
            return "part", block
        if is_text(block) and "type" not in block:
            return "part", {"type": "text", **block}
        use, result = block.get("toolUse"), block.get("toolResult")
        if role == "assistant" and isinstance(use, dict) and use.get("type", "tool_use") == "tool_use":
            extra = extras(use, "type", "toolUseId", "name", "input") | extras(block, "toolUse")
            return "call", call_item(use.get("toolUseId"), use.get("name"), use.get("input"), extra, notes)
        if role == "assistant" and (text := self.reasoning_text(block)) is not None:
            return "reasoning", (text, block)
        if role == "user" and isinstance(result, dict):
            return "response", self._read_result(result, notes) | extras(block, "toolResult")
        return "part", block

    def _read_result(self, result: Row, notes: Notes) -> Message:
        message: Message = {"role": "tool"}
        for key, value in result.items():
            if key == "toolUseId":
                message["tool_call_id"] = value
            elif key == "content":
                message["content"] = self.content(self.parts(value or [], notes))
            elif key == "status" and value in ("success", "error"):
                message.update({"is_error": True} if value == "error" else {})
            else:
                message[key] = value
        content = message.setdefault("content", "")
        if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict) and "json" in content[0]:
            message["content"] = jsontext.spaced(content[0]["json"])
        return message

    def reasoning_text(self, block: Any) -> str | None:
        content = block.get("reasoningContent") if isinstance(block, dict) else None
        if not isinstance(content, dict):
            return None
        text = content.get("reasoningText")
        text = text.get("text") if isinstance(text, dict) else None
        return text if isinstance(text, str) else ""

    def write_reasoning(self, text: str) -> Any:
        return {"reasoningContent": {"reasoningText": {"text": text}}}

    def write_part(self, part: Any) -> Any:
        return extras(part, "type") if is_text(part) and part.get("type") == "text" else part

    def write_call(self, call: dict[str, Any]) -> Any:
        function = call["function"]
        use = {"toolUseId": call["id"], "name": function["name"], "input": function["arguments"]}
        return {"toolUse": {**call_extras(call), **use}}

    def write_response(self, message: Message, name: str | None) -> Any:
        result = {
            **({"toolUseId": message["tool_call_id"]} if "tool_call_id" in message else {}),
            "content": self.write_content(message.get("content")),
            **extras(message, "role", "tool_call_id", "content", "is_error"),
        }
        if message.get("is_error") is True:
            result["status"] = "error"
        return {"toolResult": result}

    def read_tools(self, value: Any, notes: Notes) -> Row:
        tools = maybe_json(value.get("tools")) if isinstance(value, dict) else None
        if not isinstance(tools, list):
            return {"toolConfig": value}
        rest = extras(value, "tools")
        return {"tools": read_tools(tools, notes), **({"toolConfig": rest} if rest else {})}

    def write_tools(self, tools: list[Any], row: Row) -> Row:
        rest = row.get("toolConfig")
        specs = [self._write_tool(tool) for tool in tools]
        return {"toolConfig": {"tools": specs, **(rest if isinstance(rest, dict) else {})}}

    def _write_tool(self, tool: Any) -> Any:
        spec = flat_tool(tool, parameters="inputSchema")
        if spec is None:
            return tool
        if "inputSchema" in spec:
            spec["inputSchema"] = {"json": spec["inputSchema"]}
        return {"toolSpec": spec}


LAYOUT = Bedrock()
