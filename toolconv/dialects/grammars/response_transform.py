"""The transforms of a response template: they make calls of a field's content, and content of calls."""

from __future__ import annotations

from typing import Any, Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall

PLACEHOLDER: Final = lazy_re(r"\{([A-Za-z_][\w.\-]*)\}")
NO_VALUE: Final = object()


def transformed(transform: Any, each: bool, content: Any, captures: dict[str, Any]) -> list[Any]:
    """The values that a field's ``transform`` makes from its content, or from each item of it."""
    made: list[Any] = []
    for item in content if each and isinstance(content, list) else [content]:
        value = filled(transform, {**captures, **(item if each and isinstance(item, dict) else {"content": item})})
        made += value if isinstance(value, list) else [value]
    return made


def filled(transform: Any, values: dict[str, Any]) -> Any:
    """A transform with its placeholders filled in; members whose placeholder has no value are left out."""
    if isinstance(transform, dict):
        members = {key: filled(member, values) for key, member in transform.items()}
        return {key: member for key, member in members.items() if member is not NO_VALUE}
    if isinstance(transform, list):
        return [filled(item, values) for item in transform]
    if not isinstance(transform, str) or (match := PLACEHOLDER.fullmatch(transform)) is None:
        return transform
    value: Any = values
    for key in match[1].split("."):
        if not isinstance(value, dict) or key not in value:
            return NO_VALUE
        value = value[key]
    return value


def untransformed(transform: Any, call: ToolCall) -> tuple[Any, dict[str, str]]:
    """The content and the captures from which a transform makes ``call``."""
    function = {"name": call.name, "arguments": call.arguments}
    content: Any = {}
    captures: dict[str, str] = {}

    def undo(transform: Any, value: Any) -> None:
        nonlocal content
        if isinstance(transform, dict):
            for key, member in transform.items():
                if key in value:
                    undo(member, value[key])
        elif isinstance(transform, str) and (match := PLACEHOLDER.fullmatch(transform)) is not None:
            first, *path = match[1].split(".")
            if first != "content":
                captures[first] = str(value)
            elif not path:
                content = value
            else:
                inner = content
                for key in path[:-1]:
                    inner = inner.setdefault(key, {})
                inner[path[-1]] = value

    undo(transform, function if isinstance(transform, str) else {"function": function, **function})
    return content, captures


def check_transform(transform: Any) -> None:
    """Check a transform.

    Raises:
        ValueError: a text in it mixes a placeholder and other text.
    """
    if isinstance(transform, dict | list):
        for member in transform.values() if isinstance(transform, dict) else transform:
            check_transform(member)
    elif isinstance(transform, str) and PLACEHOLDER.search(transform) and not PLACEHOLDER.fullmatch(transform):
        raise ValueError(f"{transform!r} in a response template mixes a placeholder and text")
