"""The tools of a row, and what is known about each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final, Literal

from toolconv.core.tools import ToolIndex
from toolconv.lint.model.arguments import argument_problems
from toolconv.lint.model.tools import LintTool
from toolconv.lint.names import NAME
from toolconv.lint.parameters import parameters_of
from toolconv.lint.schema_check import Check

NOTHING: Final = frozenset[str]()


class KnownTool:
    """What is known about a declaration: little memory for each, so that those of many rows can be remembered.

    Args:
        tool: the declaration.
        concerned: codes of the rules for tools that report findings in it.

    Attributes:
        name: its name; ``None`` if it has none.
        has_schema: it has a schema for its arguments.
        signature, words: those of its parameters.
    """

    __slots__ = ("concerned", "has_schema", "is_well_named", "name", "signature", "words")

    def __init__(self, tool: LintTool, concerned: frozenset[str] = NOTHING) -> None:
        self.name = tool.name if isinstance(tool.name, str) else None
        self.is_well_named = self.name is None or NAME.fullmatch(self.name) is not None
        self.has_schema = tool.has_schema
        self.signature = tool.known.signature
        self.words = tool.known.words
        self.concerned = concerned


class Toolset:
    """The tools of a row.

    Args:
        known: what is known about them.
        index: the tools by name, for checking calls.
        tools: gives the declarations, unchanged.
        declared: whether there are declarations outside the texts.
        functions: the function objects by name; ``None`` for those of ``index``.

    Attributes:
        checked: what is known about the declarations with a schema to check.
        facts: possible problems with the names.
        checks: cached checks, by the name of a call.
        concerned: codes of the rules for tools that report findings in the declarations.
    """

    def __init__(
        self,
        known: Sequence[KnownTool],
        index: ToolIndex,
        tools: Callable[[], list[LintTool]],
        *,
        declared: bool = True,
        functions: dict[str, dict[str, Any]] | None = None,
    ) -> None:
        self.index = index
        self.declared = declared
        self.checked = [tool for tool in known if tool.has_schema]
        self.facts: list[Literal["names_repeat", "names_differ"]] = []
        self.concerned = NOTHING
        self.checks: dict[Any, Check] = {}
        self._tools = tools
        self._functions = functions
        names = set()
        for tool in known:
            if tool.name in names and tool.name is not None and "names_repeat" not in self.facts:
                self.facts.append("names_repeat")
            names.add(tool.name)
            if not tool.is_well_named and "names_differ" not in self.facts:
                self.facts.append("names_differ")
            if tool.concerned:
                self.concerned |= tool.concerned

    def __bool__(self) -> bool:
        """Whether a tool with a name is declared."""
        return bool(self.functions)

    @property
    def functions(self) -> dict[str, dict[str, Any]]:
        """The function objects by name, as in the index, without building it."""
        return self.index.functions if self._functions is None else self._functions

    @cached_property
    def tools(self) -> list[LintTool]:
        """The declarations, unchanged."""
        return self._tools()

    def check(self, name: Any) -> Check:
        """The check that arguments of a call to this tool are certainly valid; it fails if the name isn't."""
        check = self.checks.get(name)
        if check is None:
            check = self.checks[name] = self._make_check(name)
        return check

    def _make_check(self, name: str) -> Check:
        function = self.functions.get(name)
        if function is None or not NAME.fullmatch(name):
            return _never
        parameters = function.get("parameters")
        if not isinstance(parameters, dict):
            return _always
        known = parameters_of(parameters)
        return known.fits or (lambda arguments: not argument_problems(name, known, arguments))


def _always(arguments: Any) -> bool:
    return True


def _never(arguments: Any) -> bool:
    return False
