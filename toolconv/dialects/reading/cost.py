"""What a reading makes of its turn, and what speaks against it: by this the readings of mended texts are compared."""

from __future__ import annotations

from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.reading.turn_parser import Parsed

_INDENTED: Final = lazy_re(r"(?:    .*\n)+    \Z")
"""A value that is indented like the tags around it."""


def worth_of(parsed: Parsed, tools: ToolIndex) -> tuple[int, int, int]:
    """How much a reading makes of its turn: higher is better, compared from left to right.

    Arguments that are not there make no call.
    """
    return (
        len(parsed.calls) - parsed.repairs.count("empty_arguments"),
        -len(parsed.dropped),
        -sum(odd_parts(call, tools) for call in parsed.calls),
    )


def odd_parts(call: ToolCall, tools: ToolIndex) -> int:
    """How many parts of a call are hardly meant: an undeclared name or key, a key or a value with markup in it."""
    keys = tools.properties(call.name) or {}
    odd = int(bool(tools) and call.name not in tools)
    for key, value in call.arguments.items():
        odd += key not in keys and (bool(keys) or key in ("think", "thinking") or '"' in key)
        odd += isinstance(value, str) and (_is_cut_from_tags(value) or _INDENTED.match(value) is not None)
    return odd


def _is_cut_from_tags(value: str) -> bool:
    """Whether a value closes more arguments than it opens, so that it may have swallowed some."""
    return value.count("</parameter>") > value.count("<parameter")
