"""Mends damaged names of tools and of arguments where the declarations make certain what they were."""

from __future__ import annotations

from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Parsed


def as_declared(parsed: Parsed, tools: ToolIndex) -> Parsed:
    """A reading without the damage in names of tools and of arguments that the declarations make certain."""
    if not tools:
        return parsed
    for call in parsed.calls:
        if "<" in call.name and call.name not in tools and (bare := _bare(call.name)) in tools:
            call.name = bare
            parsed.repairs.append("leaked_token")
        for key in call.arguments:
            if not key.isidentifier():
                break
        else:
            continue
        declared = (tools.parameters(call.name) or {}).get("properties")
        if not isinstance(declared, dict):
            continue
        mended = {}
        for key, value in call.arguments.items():
            bare = key if key in declared else _bare(key)
            if bare != key and bare in declared and bare not in call.arguments and bare not in mended:
                leaked = any(token in key for token in TURN_TOKENS)
                parsed.repairs.append("leaked_token" if leaked else "marker_spelling")
                mended[bare] = value
            else:
                mended[key] = value
        call.arguments = mended
    return parsed


def _bare(name: str) -> str:
    """A name without the turn tokens in it, and without what is left of a tag around it."""
    for token in TURN_TOKENS:
        name = name.replace(token, "")
    return name.strip("<>|=\"'")
