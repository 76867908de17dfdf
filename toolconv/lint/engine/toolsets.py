"""The tools of the rows of a dataset. What is known about a tool is remembered, whichever tools a row has beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.declarations import are_canonical
from toolconv.core.messages import Tool
from toolconv.core.remembered import Remembered
from toolconv.layouts.base import Layout
from toolconv.lint.datasets.digests import digest_of
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.tools import LintTool, canonical
from toolconv.lint.model.toolset import NOTHING, ConvertedTools, KnownTool, Toolset
from toolconv.lint.rule import ToolRule, Visits
from toolconv.lint.schema.parameters import Parameters

MAX_TOOLS: Final = 8192
"""How many single tools are remembered."""

MAX_BYTES: Final = 1 << 20
"""How much JSON the remembered lists of tools have together, where a layout's tools had to be converted."""

MAX_TEXT: Final = 1024
"""A longer declaration is remembered by its digest."""


class Toolsets:
    """Gives the toolsets of rows: the same object for the same declarations.

    Args:
        rules: the enabled rules for tools.
        tests: the tests of parameters that other enabled rules have as guards, each with the code of its rule.
    """

    def __init__(self, rules: Sequence[ToolRule], tests: Sequence[tuple[str, Callable[[Parameters], bool]]]) -> None:
        self._rules: defaultdict[Visits, list[ToolRule]] = defaultdict(list)
        for rule in rules:
            self._rules[rule.visits].append(rule)
        self._tests = tests
        self._toolsets: Remembered[tuple[Any, ...], Toolset] = Remembered(256, room=MAX_BYTES)
        self._known: Remembered[tuple[Any, ...], KnownTool] = Remembered(MAX_TOOLS)
        self._listed: defaultdict[str, Remembered[bytes, KnownTool]]  # by layout and JSON text
        self._listed = defaultdict(lambda: Remembered(MAX_TOOLS))

    def listed(
        self, row: LintRow, layout: Layout, tools: list[Any], check: Callable[[Tool], None] | None
    ) -> Toolset | None:
        """The toolset of a row that declares its tools under ``tools`` only.

        Args:
            row, layout: the row.
            tools: the value of ``tools``.
            check: called with each tool before it is remembered, if given.

        Returns:
            ``None`` if a declaration is not in the canonical form, or may have null padding.
        """
        found = []
        remembered = self._listed[layout.name]
        for tool in tools:
            text = jsontext.dumps(tool)
            key = text if len(text) <= MAX_TEXT else digest_of(text)
            known = remembered.get(key)
            if known is None:
                if text.find(b":null") >= 0 or not are_canonical([tool]):
                    return None
                if check is not None:
                    check(tool)
                known = self._looked_at(row, canonical(tool, 0))
                remembered.add(jsontext.trimmed(key), known)
            found.append(known)
        whole = tuple(found)
        toolset = self._toolsets.get(whole)
        if toolset is None:
            toolset = self._toolsets.add(whole, Toolset(whole))
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
            known = self._known.get(name)
            if known is None:
                known = self._known.add(name, self._looked_at(row, tool))
            found.append(known)
        is_declared = any(not tool.stated for tool in tools)
        toolset = Toolset(found, ConvertedTools(row.index, tools), is_declared=is_declared)
        return self._toolsets.add(key, toolset, sum(len(part) for part in key if isinstance(part, bytes | str)))

    def _looked_at(self, row: LintRow, tool: LintTool) -> KnownTool:
        """What is known about a declaration after a first look at it."""
        codes = []
        if tool.has_schema:
            parameters = tool.known
            for visits, rules in self._rules.items():
                if visits == "all" or getattr(parameters, visits):
                    codes += [rule.code for rule in rules if next(iter(rule.check(row, tool)), None) is not None]
        hints = frozenset(code for code, test in self._tests if test(tool.known)) if self._tests else NOTHING
        return KnownTool(tool, frozenset(codes) if codes else NOTHING, hints)
