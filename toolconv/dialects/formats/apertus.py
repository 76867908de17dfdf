"""Apertus: one list between ``<|tools_prefix|>`` and ``<|tools_suffix|>`` of objects whose only key is the tool's name.

Reasoning is between ``<|inner_prefix|>`` and ``<|inner_suffix|>``. Calls inside it are calls; the text around them
there is prose from the first call on. Results follow in the same turn as a list of raw texts, so one text may hold the
calls and results of a whole loop; all of its calls are read. In chat rows each result is a turn with its own list,
since the items of a list of several raw texts can't be separated. Objects with ``name`` and ``arguments`` are read too.
Tools are declared as TypeScript, which holds less than a schema does.

Source: swiss-ai/Apertus-8B-Instruct-2509 chat template; vLLM ``apertus``, SGLang ``apertus2509``.
"""

from __future__ import annotations

from typing import Any

from toolconv.core.call_keys import NAME_KEYS
from toolconv.core.calls import NotACall, arguments_from, declared_name
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.declarations.typescript_tools import TypeScriptTools
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Parsed, Reasoning, TurnParser

TOOLS = TypeScriptTools(between="\n", last="")


class Apertus(JsonBlocks):
    """Call objects whose only key is the tool's name."""

    def call(self, value: Any, tools: ToolIndex, repairs: list[str]) -> list[ToolCall]:
        if type(value) is dict and len(value) == 1:
            ((name, arguments),) = value.items()
            if type(arguments) is dict and name and "." not in name:
                return [ToolCall(name, arguments)]
        if not isinstance(value, dict) or self._has_usual_keys(value):
            calls = super().call(value, tools, repairs)
            repairs.append("alternative_key")
            return calls
        if not value or "" in value:
            raise NotACall("no name")
        if len(value) > 1:
            repairs.append("several_objects")
        return [
            ToolCall(declared_name(name, tools, repairs), arguments_from(arguments, repairs))
            for name, arguments in value.items()
        ]

    @staticmethod
    def _has_usual_keys(value: dict[str, Any]) -> bool:
        """Whether a call object has keys for name and arguments. In the family's own form, all values are objects."""
        return value.get("type") == "function" or any(isinstance(value.get(key), str) for key in NAME_KEYS)

    def shaped(self, parser: TurnParser, value: Any) -> bool:
        if isinstance(value, dict) and len(value) == 1:
            return all(name in parser.tools and isinstance(arguments, dict) for name, arguments in value.items())
        return super().shaped(parser, value)

    def parse_exact(self, text: str, tools: ToolIndex) -> Parsed | None:
        parsed = super().parse_exact(text, tools)
        holds_calls = parsed is not None and parsed.reasoning is not None and self.all_opens[0] in parsed.reasoning
        return None if holds_calls else parsed

    def _reasoning(self, parser: TurnParser, opened: bool | None) -> str | None:
        start = parser.at
        reasoning = super()._reasoning(parser, opened)
        end = parser.at
        call = parser.text.find(self.all_opens[0], start, end)
        if reasoning is None or call < 0:
            return reasoning
        close = parser.text.rfind(self.reasoning.close, call, end)
        if close >= 0:
            parser.accept(close, end)
        parser.at = call
        return reasoning.partition(self.all_opens[0])[0].strip("\n") or None


DIALECT = Apertus(
    name="apertus",
    aliases=("apertus2509",),
    models=("Apertus-8B-Instruct", "Apertus-70B-Instruct"),
    sample='<|tools_prefix|>[{"get_weather": {"city": "Tokyo"}}, {"ping": {}}]<|tools_suffix|>',
    calls=CallTemplate("{{name|json}: {args}}", before="<|tools_prefix|>[", between=", ", after="]<|tools_suffix|>"),
    reasoning=Reasoning("<|inner_prefix|>", "<|inner_suffix|>", "<|inner_prefix|>", "<|inner_suffix|>"),
    turn_tokens=(*TURN_TOKENS, "<|assistant_end|>"),
    listed=True,
    chat=ChatFormat(
        tools_open="Tool Capabilities:\n",
        tools_between=TOOLS.between,
        tools_close="",
        tool=TOOLS.write,
        read=TOOLS.read,
        response_role="tool",
        response="[{content}]",
        one_turn=False,
    ),
)
