"""The tools declared for a conversation, looked up by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolconv.conversation import Tool


class ToolIndex:
    """Declared tools by name.

    Args:
        tools: OpenAI envelopes (``{"type": "function", "function": {…}}``) or bare function objects; anything else in
            the list is passed over.
    """

    __slots__ = ("_functions", "tools")

    def __init__(self, tools: Sequence[Tool] = ()) -> None:
        self.tools = tools
        self._functions: dict[str, dict[str, Any]] | None = None

    @property
    def functions(self) -> dict[str, dict[str, Any]]:
        """The function objects (``name``, ``description``, ``parameters``) by name; the first of a name counts."""
        if self._functions is None:
            self._functions = {}
            for tool in self.tools:
                function = function_of(tool)
                if function is not None:
                    self._functions.setdefault(function["name"], function)
        return self._functions

    def __bool__(self) -> bool:
        return bool(self.tools) and bool(self.functions)

    def __contains__(self, name: object) -> bool:
        return name in self.functions

    def parameters(self, name: str) -> dict[str, Any] | None:
        """The JSON Schema of a tool's arguments, or ``None`` when the tool or its schema is not declared."""
        function = self.functions.get(name)
        parameters = None if function is None else function.get("parameters")
        return parameters if isinstance(parameters, dict) else None


def function_of(tool: Any) -> dict[str, Any] | None:
    """The named function object of a tool declaration, or ``None`` if it is none."""
    function = tool.get("function", tool) if isinstance(tool, dict) else None
    return function if isinstance(function, dict) and isinstance(function.get("name"), str) else None


NO_TOOLS = ToolIndex()
"""No tools declared."""
