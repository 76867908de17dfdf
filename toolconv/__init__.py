"""toolconv: tool-call dialect converter and function-calling dataset linter.

>>> from toolconv import parse_tool_calls, render_tool_calls
>>> calls = parse_tool_calls('<tool_call>{"name": "search", "arguments": {"query": "x"}}</tool_call>', "hermes")
>>> calls[0].name, calls[0].arguments
('search', {'query': 'x'})
>>> render_tool_calls(calls, "mistral")
'[TOOL_CALLS]search[ARGS]{"query": "x"}'
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolconv.api import parse, parse_tool_calls, render_tool_calls
    from toolconv.core.conversation import ToolCall
    from toolconv.dialects.live_turn import StreamEvent
    from toolconv.dialects.stream_reader import StreamReader
    from toolconv.dialects.turn_parser import Parsed
    from toolconv.lint.engine import validate_dataset

__all__ = [
    "Parsed",
    "StreamEvent",
    "StreamReader",
    "ToolCall",
    "parse",
    "parse_tool_calls",
    "render_tool_calls",
    "validate_dataset",
]

_HOMES = {
    "ToolCall": "toolconv.core.conversation",
    "Parsed": "toolconv.dialects.turn_parser",
    "StreamEvent": "toolconv.dialects.live_turn",
    "StreamReader": "toolconv.dialects.stream_reader",
    "validate_dataset": "toolconv.lint.engine",
}


def __getattr__(name: str) -> Any:
    """Import names lazily, so that ``toolconv --help`` imports none of them."""
    if name not in __all__:
        raise AttributeError(f"module 'toolconv' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "toolconv.api")), name)
