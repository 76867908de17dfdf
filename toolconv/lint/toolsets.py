"""The tools of the rows of a dataset. What is known about a tool is remembered, whichever tools a row has beside it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.declarations import are_canonical, declarations
from toolconv.core.tools import ToolIndex
from toolconv.layouts.base import Layout
from toolconv.lint.digests import digest_of
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.tools import LintTool
from toolconv.lint.model.toolset import KnownTool, Toolset
from toolconv.lint.rule import ToolRule

MAX_TOOLSETS: Final = 256
MAX_TOOLS: Final = 8192
"""How many lists of tools, and single tools, are remembered; then all are dropped."""


class Toolsets:
    """Gives the toolsets of rows: the same object for the same declarations.

    Args:
        rules: the enabled rules for tools.
    """

    def __init__(self, rules: Sequence[ToolRule]) -> None:
        self._rules = rules
        self._toolsets: dict[tuple[Any, ...], Toolset] = {}
        self._known: dict[tuple[Any, ...], KnownTool] = {}

    def known(self, row: LintRow, layout: Layout, tools: list[Any]) -> tuple[KnownTool, ...] | None:
        """What is known about the tools of a row that declares them under ``tools`` only: the key of its toolset.

        Args:
            row, layout: the row.
            tools: the value of ``tools``.

        Returns:
            ``None`` if a declaration is not in the canonical form, or may have null padding.
        """
        found = []
        for tool in tools:
            text = jsontext.dumps(tool)
            key = layout.name, digest_of(text)
            known = self._known.get(key)
            if known is None:
                if text.find(b":null") >= 0 or not are_canonical([tool]):
                    return None
                known = self._remember(key, row, LintTool(next(declarations([tool], "/tools"))))
            found.append(known)
        return tuple(found)

    def listed(self, key: tuple[KnownTool, ...], tools: list[Any]) -> Toolset:
        """The toolset of a row with these tools under ``tools``; remembered."""
        functions = {tool["function"]["name"]: tool["function"] for tool in reversed(tools)}
        toolset = Toolset(key, ToolIndex(tools), partial(_listed, tools), functions=functions)
        self._add(key, toolset)
        return toolset

    def get(self, key: tuple[Any, ...]) -> Toolset | None:
        """The remembered toolset of a key."""
        return self._toolsets.get(key)

    def read(self, key: tuple[Any, ...], row: LintRow, layout: Layout) -> Toolset:
        """The toolset of a row as its layout reads it; remembered under a key, which must contain all that it is read
        from.
        """
        tools = row.declared or row.stated
        found = []
        for tool in tools:
            name = layout.name, tool.stated is not None, tool.is_nested, digest_of(jsontext.dumps(tool.function))
            found.append(self._known.get(name) or self._remember(name, row, tool))
        toolset = Toolset(found, row.index, lambda: tools, declared=any(not tool.stated for tool in tools))
        self._add(key, toolset)
        return toolset

    def _remember(self, key: tuple[Any, ...], row: LintRow, tool: LintTool) -> KnownTool:
        rules = self._rules if tool.has_schema else ()
        codes = [rule.code for rule in rules if next(iter(rule.check(row, tool)), None) is not None]
        if len(self._known) >= MAX_TOOLS:
            self._known.clear()
        known = self._known[key] = KnownTool(tool, frozenset(codes))
        return known

    def _add(self, key: tuple[Any, ...], toolset: Toolset) -> None:
        if len(self._toolsets) >= MAX_TOOLSETS:
            self._toolsets.clear()
        self._toolsets[key] = toolset


def _listed(tools: list[Any]) -> list[LintTool]:
    return [LintTool(each) for each in declarations(tools, "/tools")]
