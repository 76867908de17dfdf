"""The tools declared for a conversation, looked up by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolconv.core.declarations import are_canonical, declarations, declared, is_canonical


class ToolIndex:
    """Declared tools by name.

    Args:
        tools: declarations in any shape that :mod:`toolconv.core.declarations` reads; other items are ignored.
        infer: whether texts whose type nothing settles get one by their looks; otherwise they stay texts.
        functions: what :attr:`functions` gives, where that is known.

    Attributes:
        readers: what readers of values remember about these tools.
    """

    __slots__ = ("_functions", "infer", "readers", "tools")

    def __init__(
        self, tools: Sequence[Any] = (), *, infer: bool = True, functions: dict[str, dict[str, Any]] | None = None
    ) -> None:
        self.tools = tools
        self.infer = infer
        self._functions = functions
        self.readers: dict[Any, Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """The tools alone: what is remembered about them are functions, which can't be pickled."""
        return _index, (self.tools, self.infer)

    @property
    def functions(self) -> dict[str, dict[str, Any]]:
        """The function objects (``name``, ``description``, ``parameters``) by name; the first one of each name."""
        found = self._functions
        if found is None:
            found = self._functions = _functions(self.tools)
        return found

    def __bool__(self) -> bool:
        return bool(self.tools) and bool(self._functions or self.functions)

    def __contains__(self, name: object) -> bool:
        return name in (self._functions or self.functions)

    def parameters(self, name: str) -> dict[str, Any] | None:
        """The JSON Schema of a tool's arguments, or ``None`` when the tool or its schema is not declared."""
        function = self.functions.get(name)
        parameters = None if function is None else function.get("parameters")
        return parameters if isinstance(parameters, dict) else None

    def properties(self, name: str) -> dict[str, Any] | None:
        """The schemas of a tool's arguments by their names, or ``None`` when the tool declares none."""
        parameters = self.parameters(name)
        properties = None if parameters is None else parameters.get("properties")
        return properties if isinstance(properties, dict) else None


def _index(tools: Sequence[Any], infer: bool) -> ToolIndex:
    return ToolIndex(tools, infer=infer)


def _functions(tools: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """The function objects of tools by name; the first one of each name."""
    if type(tools) is list and are_canonical(tools):
        found = [tool["function"] for tool in tools]
    else:
        found = [function for each in declarations(list(tools)) if (function := each.named) is not None]
    functions: dict[str, dict[str, Any]] = {}
    for function in found:
        functions.setdefault(function["name"], function)
    return functions


def function_of(tool: Any) -> dict[str, Any] | None:
    """The function object of a tool declaration, or ``None`` if it is malformed or has no name."""
    if is_canonical(tool):
        function: dict[str, Any] = tool["function"]
        return function
    return declared(tool).named if isinstance(tool, dict) else None


NO_TOOLS = ToolIndex()
"""No tools declared."""
