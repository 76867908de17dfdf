"""The keys under which models and frameworks write the name and arguments of a call: one table for texts and rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolconv.core.key_words import says_arguments

NAME_KEYS: Final = ("name", "tool_name", "function")
ARGUMENT_KEYS: Final = ("arguments", "parameters", "input", "args")
RARE_ARGUMENT_KEYS: Final = (
    "params", "kwargs", "argument", "parameter", "inputs", "tool_input", "tool_args", "tool_arguments", "tool_kwargs",
    "tool_parameters", "function_args", "function_arguments", "function_parameters", "action_input",
)  # fmt: skip
"""Keys under which arguments are found as well, if they are an object there."""
TOOL_NAME_KEYS: Final = ("tool", "function_name", "recipient_name", "toolName", "func", "fn", "func_name")
"""Keys that say that the name is a tool's. They count if an object is under a key for arguments."""
RARE_NAME_KEYS: Final = (*TOOL_NAME_KEYS, "action", "call")
"""Keys of a name that other objects have, too. They count if the name is a declared tool's, or if the arguments are
under a key that begins alike, as in LangChain's ``{"action": …, "action_input": …}``."""
CALLS_KEYS: Final = (
    "tool_calls", "tool_uses", "tool_call", "function_call", "function_calls", "calls", "toolCalls", "toolCall",
    "functionCall",
)  # fmt: skip
"""The keys of an object around calls that hold them, or one."""
CALL_KEYS: Final = ("tool", "call", "action")
"""Keys that hold a call, with its name and arguments, in an object that says nothing else."""
PROSE_KEYS: Final = ("content", "thought", "thoughts", "reasoning")
"""The keys of such an object under which the model speaks."""
NO_CONTENT: Final = frozenset({"role", "id", "type", "object", "index"})
"""The keys that say what such an object is, not what it holds."""
ENVELOPE_KEYS: Final = frozenset(
    {
        "call_id",
        "content",
        "description",
        "error",
        "id",
        "index",
        "output",
        "reasoning",
        "response",
        "result",
        "results",
    }
    | {"role", "status", "strict", "thought", "thoughts", "tool_call_id", "tool_calls", "type"}
)
"""Keys of a call that don't hold arguments, unless the tool declares a parameter of that name."""

_NOT_ARGUMENTS: Final = ENVELOPE_KEYS | {
    *("cache_control", "caller", "extra_content", "function", "metadata", "provider_specific_fields")
}


def argument_key(members: Mapping[str, Any]) -> str | None:
    """The key of the arguments of a call in a row; ``None`` without one.

    It is one that holds an object, or the only one whose words say so, whatever it holds, or else a usual one.
    """
    for key in ARGUMENT_KEYS:
        if key in members and holds_object(members[key]):
            return key
    if (rare := rare_argument_key(members)) is not None:
        return rare
    saying = [key for key in members if says_arguments(key)]
    return saying[0] if len(saying) == 1 else next((key for key in ARGUMENT_KEYS if key in members), None)


def rare_argument_key(members: Mapping[str, Any]) -> str | None:
    """The only one of :data:`RARE_ARGUMENT_KEYS` that holds an object, also as JSON text; ``None`` if it is not one.

    A usual key that is misspelt counts as a rare one.
    """
    found = [key for key in RARE_ARGUMENT_KEYS if key in members and holds_object(members[key])]
    if not found:
        found = [key for key in members if is_misspelt(key) and holds_object(members[key])]
    return found[0] if len(found) == 1 else None


def unread_key(members: Mapping[str, Any]) -> str | None:
    """The key of an object in a call without arguments that may be its arguments; ``None`` if there is none."""
    if any(key in members for key in ARGUMENT_KEYS):
        return None
    for key, value in members.items():
        if value and key not in _NOT_ARGUMENTS and holds_object(value):
            return key
    return None


def is_flattened(key: str) -> bool:
    """Whether a key is a path below a usual key of arguments, as ``args.city`` and ``arguments_city`` are."""
    above, mark, below = key.partition(next((mark for mark in key if mark in "./_"), "."))
    return bool(below) and above in (("args", "arguments") if mark == "_" else ARGUMENT_KEYS)


def is_misspelt(key: str) -> bool:
    """Whether a key is a usual one for arguments with one character that is wrong, missing or additional."""
    for word in ("arguments", "parameters"):
        same = next(
            (place for place, (one, other) in enumerate(zip(key, word, strict=False)) if one != other), len(key)
        )
        rest, wanted = key[same:], word[same:]
        if key != word and (rest[1:] == wanted[1:] or rest == wanted[1:] or rest[1:] == wanted):
            return True
    return False


def holds_object(value: Any) -> bool:
    """Whether a value is an object, or seems to be its JSON text."""
    return isinstance(value, dict) or (isinstance(value, str) and value.lstrip().startswith("{"))
