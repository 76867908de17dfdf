"""OpenAI's JSON ``tool_calls``: a list of call objects whose ``arguments`` are JSON text.

The list, a single object of it, a whole assistant message with ``tool_calls``, and the older message with
``function_call`` are read; ``arguments`` may be objects. Calls are written as a compact list. Tools are declared as
plain JSON, since the API takes them as structure. For the same reason markup of other dialects stays text: it counts as
dropped calls. vLLM's ``openai`` is the format of gpt-oss, so a text in Harmony's messages (the dialect ``harmony``) is
read under this name as well.

Source: OpenAI API reference, chat completions.
"""

from __future__ import annotations

from typing import Any, Final

from toolconv.core.call_keys import NO_CONTENT
from toolconv.core.calls import NotACall
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.formats import harmony
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.markers import begins_calls
from toolconv.dialects.reading.turn_parser import Parsed, TurnParser

FUNCTION = '"type":"function","function":{"name":{name|json},"arguments":{args|compact|json}}'
"""The members of a call object after its id."""


MESSAGE_KEYS: Final = NO_CONTENT | {"content", "tool_calls", "function_call", "name"}
"""The keys of a message of calls."""
_JSON: Final = lazy_re(r"\s{0,20}+(?:```[a-z]{0,9}\s{0,20}+)?[\[{]\s{0,20}+[\[{\"'\]}]")
"""The beginning of a JSON object or list, perhaps in a code block."""


class OpenAIJson(JsonBlocks):
    """Bare JSON in OpenAI's envelope."""

    def parse(self, text: str, tools: ToolIndex = NO_TOOLS, *, in_reasoning: bool | None = None) -> Parsed:
        if "<|" in text and not text.lstrip().startswith(("{", "[")):
            parsed = harmony.DIALECT.parse(text, tools, in_reasoning=in_reasoning)
            if parsed.calls or parsed.dropped or any(marker in text for marker in harmony.DIALECT.markers):
                return parsed
        if begins_calls(text) and _JSON.match(text) is None:
            return Parsed(text)
        return super().parse(text, tools, in_reasoning=in_reasoning)

    def call(self, value: Any, tools: ToolIndex, repairs: list[str]) -> list[ToolCall]:
        made: list[str] = []
        calls = super().call(value, tools, made)
        repairs.extend(name for name in made if name not in ("openai_envelope", "arguments_string"))
        return calls

    def bare_calls(self, parser: TurnParser, value: Any, repairs: list[str]) -> tuple[list[ToolCall], str]:
        if not isinstance(value, dict) or "role" not in value:
            return super().bare_calls(parser, value, repairs)
        if value["role"] != "assistant" or any(member for key, member in value.items() if key not in MESSAGE_KEYS):
            return [], ""  # a text has no place for the rest of it: the layout message reads it
        items = value.get("tool_calls") or [value.get("function_call")]
        try:
            calls = [call for item in items if item is not None for call in self.call(item, parser.tools, repairs)]
        except (NotACall, TypeError):
            return [], ""
        content = value.get("content")
        return calls, content if isinstance(content, str) else ""


DIALECT = OpenAIJson(
    name="openai",
    aliases=("oai",),
    models=("OpenAI and compatible APIs",),
    sample='[{"type":"function","function":{"name":"get_weather","arguments":"{\\"city\\":\\"Tokyo\\"}"}}]',
    calls=CallTemplate(
        f'{{"id":{{id|json}},{FUNCTION}}}', without_id=f"{{{FUNCTION}}}", before="[", between=",", after="]"
    ),
    separator="\n",
    alone=True,
    carries_ids=True,
    bare="always",
    listed=True,
)
