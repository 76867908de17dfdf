"""Any model, any markup: the markers of all dialects, then JSON in fences, then bare JSON.

Use it for output of unknown origin. A text with the markers of a dialect is read in that dialect. If several dialects
have the markers, the one that reads most calls with the fewest repairs wins. Without markers, an object is a call if it
has a name (``name``, ``tool_name``, ``function``) and arguments (``arguments``, ``parameters``, ``input``, ``args``; an
object or JSON text), bare, in a list, in OpenAI's envelope or in a fence. If tools are declared and a reading names
none of them, it is discarded and its text stays prose. Calls are written as in ``hermes``.
"""

from __future__ import annotations

from typing import Any

from toolconv.core.calls import is_call
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.chat import HERMES_CHAT
from toolconv.dialects.formats.hermes import HERMES_CALLS
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.reading.turn_parser import Parsed, TurnParser


class Generic(JsonBlocks):
    """Everything that any dialect reads. It has no markers except those of other dialects."""

    all_opens = ()
    all_closes = ()
    exact = None

    def parse(self, text: str, tools: ToolIndex = NO_TOOLS, *, in_reasoning: bool | None = None) -> Parsed:
        from toolconv.dialects.lexing.markers import marked_dialects
        from toolconv.dialects.turn_reader import TurnReader

        marked = TurnReader().read(text, tools, in_reasoning=in_reasoning) if marked_dialects(text) else None
        if marked is not None and any(not tools or call.name in tools for call in marked.calls):
            return marked
        parsed = super().parse(text, tools, in_reasoning=in_reasoning)
        return marked if marked is not None and not marked.calls and not parsed.calls else parsed

    def shaped(self, parser: TurnParser, value: Any) -> bool:
        return is_call(value, parser.tools)


DIALECT = Generic(
    name="generic",
    models=("any",),
    sample='```json\n{"name": "get_weather", "arguments": {"city": "Tokyo"}}\n```',
    calls=HERMES_CALLS,
    separator="\n",
    bare="always",
    listed=True,
    native=("alternative_key", "arguments_string", "markdown_fence", "openai_envelope"),
    chat=HERMES_CHAT,
)
