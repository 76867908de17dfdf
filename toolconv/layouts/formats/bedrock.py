"""Bedrock Converse rows: blocks named by their only key (``text``, ``toolUse``, ``toolResult``), ``toolConfig``.

This is the shape of the Converse API and, with ``schemaVersion``, of Bedrock's fine-tuning files. Results are in the
user turn after the calls. Each result is read as a ``tool`` message. ``json`` content becomes its JSON text, and
``status`` ``"error"`` becomes ``is_error``; ``"success"`` is the default and left out. ``reasoningContent`` is
``reasoning_content``, and signed blocks are kept under ``thinking_blocks``. Server tools (``toolUse`` of type
``server_tool_use`` and its result, ``systemTool``) and cache points pass through unchanged; images and documents of any
API are written as Bedrock's, if they are Base64 or in S3. ``toolConfig``
keeps its other keys. Results are written as ``text``.

Lost: as in ``anthropic``; also, system messages after the first turn become user turns (``role``).

Source: Amazon Bedrock API reference, Converse; Bedrock user guide, preparing data for fine-tuning.
"""

from __future__ import annotations

from typing import Any

from toolconv.core import jsontext
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Notes
from toolconv.layouts.base import maybe_json
from toolconv.layouts.call_items import call_extras, extras
from toolconv.layouts.content_blocks import Blocks
from toolconv.layouts.content_parts import Part, Parts
from toolconv.layouts.part_forms import BEDROCK
from toolconv.layouts.tool_schema import flat_tool, read_tools, with_schema

OURS = {"toolUse", "toolResult", "reasoningContent", "cachePoint", "guardContent"}


class BedrockParts(Parts):
    """Blocks of one key each; a call of a server tool has run, and is content."""

    def find(self, part: Any) -> tuple[Part, Row] | None:
        found = super().find(part)
        ran = found is not None and found[0].kind == "call" and found[1].get("type", "tool_use") != "tool_use"
        return None if ran else found


class Bedrock(Blocks):
    """Blocks of one key each."""

    name = "bedrock"
    aliases = ("converse", "bedrock-converse")
    runs = frozenset(("bedrock",))
    own_result_keys = frozenset({"toolUseId"})
    sample = (
        '{"messages":[{"role":"user","content":[{"text":"Weather in Tokyo?"}]},{"role":"assistant","content":[{'
        '"toolUse":{"toolUseId":"t1","name":"get_weather","input":{"city":"Tokyo"}}}]}],"toolConfig":{"tools":[{'
        '"toolSpec":{"name":"get_weather","inputSchema":{"json":{"type":"object","properties":{"city":{}}}}}}]}}'
    )
    tools_keys = ("toolConfig",)
    only_turns = True
    form = BEDROCK
    kinds = BedrockParts(
        {
            "reasoningContent": Part("reasoning", ("reasoningText",)),
            "toolUse": Part("call", ("input",), ("toolUseId",)),
            "toolResult": Part("result", ("content",), ("toolUseId",)),
        },
        type_key=None,
        empty=True,
        others=False,
    )
    typed = False

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

    def read_response(self, result: Row, notes: Notes) -> Message:
        message = super().read_response(result, notes)
        content = message["content"]
        if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict) and "json" in content[0]:
            message["content"] = jsontext.spaced(content[0]["json"])
        return message

    def read_fact(self, key: str, value: Any) -> Row:
        if key == "status" and value in ("success", "error"):
            return {"is_error": True} if value == "error" else {}
        return {key: value}

    def write_reasoning(self, text: str) -> Any:
        return {"reasoningContent": {"reasoningText": {"text": text}}}

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
        spec = with_schema(spec, "inputSchema")
        return {"toolSpec": {**spec, "inputSchema": {"json": spec["inputSchema"]}}}


LAYOUT = Bedrock()
