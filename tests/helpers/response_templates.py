"""Response templates with a field of calls in each form, and how a turn is read by one."""

from __future__ import annotations

from typing import Any

from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.grammars.response_template import from_template

FUNCTION: Any = {"type": "function", "function": "{content}"}
NAMED = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
JSON = {"open": "<c>", "close": "</c>", "content": "json", "repeats": True, "transform": FUNCTION}
THINKING = {"open": "<think>", "close": "</think>"}
XML: dict[str, Any] = {
    "open_pattern": r"<c>\s*<f=(?P<name>\w+)>", "close": "</c>", "content": "xml-inline", "repeats": True,
    "content_args": {"tag_pattern": r"<p=(?P<key>\w+)>\s*(?P<value>.*?)\s*</p>"}, "transform": NAMED,
}  # fmt: skip
LINES = {"open_pattern": r"@(?P<name>\w+)\n?", "close": "@@", "content": "kv-lines", "transform": NAMED}
HEADER = {
    "open_pattern": r"<ch>commentary to=functions\.(?P<name>\w+).*?<msg>", "close": "<call>", "content": "json",
    "repeats": True, "transform": NAMED,
}  # fmt: skip
LIST = {
    "open": "<act>", "close": "</act>", "content": "json", "transform_each": True,
    "transform": {"type": "function", "function": {"name": "{tool_name}", "arguments": "{parameters}"}},
}  # fmt: skip
PYTHON = {
    "open": "<c>", "close": "</c>", "content": "python-call-list", "transform_each": True,
    "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{arguments}"}},
}  # fmt: skip
QUOTED = {
    "open_pattern": r"<c>(?P<name>\w+)(?=\{)", "close": "</c>", "content": "json", "repeats": True,
    "content_args": {"unquoted_keys": True, "string_delims": [['<|"|>', '<|"|>'], ["«", "»"]]}, "transform": NAMED,
}  # fmt: skip


def described(**fields: Any) -> dict[str, Any]:
    return {"start_anchor": "<a>", "fields": fields}


def changed(field: dict[str, Any], **others: Any) -> dict[str, Any]:
    """A template of a field of calls with other values; ``None`` takes a key out."""
    return described(tool_calls={key: value for key, value in {**field, **others}.items() if value is not None})


def read(template: dict[str, Any], text: str, tools: ToolIndex = NO_TOOLS) -> list[Any]:
    """The calls, content, reasoning, repairs of a text, and what is dropped of it, each with the reason."""
    parsed = from_template(template).parse(text, tools)
    calls = [[call.name, call.arguments, *([call.id] if call.id else [])] for call in parsed.calls]
    return [
        calls,
        parsed.content,
        parsed.reasoning,
        parsed.repairs,
        [[drop.reason, drop.text] for drop in parsed.dropped],
    ]
