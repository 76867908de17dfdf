"""The tools of a row, and what is known about each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final, Literal

from toolconv.core.messages import Row
from toolconv.core.remembered import Remembered
from toolconv.core.tools import ToolIndex
from toolconv.lint.model.arguments import argument_problems
from toolconv.lint.model.tools import LintTool
from toolconv.lint.names import NAME
from toolconv.lint.schema.parameters import parameters_of
from toolconv.lint.schema.schema_check import Check

NOTHING: Final = frozenset[str]()


class KnownTool:
    """What is known about a declaration: little memory for each, so that those of many rows can be remembered.

    Args:
        tool: the declaration.
        concerned: codes of the rules for tools that report findings in it.
        hints: codes of the rules for rows whose guard is true for its parameters.

    Attributes:
        name: its name; ``None`` if it has none.
        has_schema: it has a schema for its arguments.
        signature, words: those of its parameters.
    """

    __slots__ = ("concerned", "has_schema", "hints", "is_well_named", "name", "signature", "words")

    def __init__(self, tool: LintTool, concerned: frozenset[str] = NOTHING, hints: frozenset[str] = NOTHING) -> None:
        self.name = tool.name if isinstance(tool.name, str) else None
        self.is_well_named = self.name is None or NAME.fullmatch(self.name) is not None
        self.has_schema = tool.has_schema
        self.signature = tool.known.signature
        self.words = tool.known.words
        self.concerned = concerned
        self.hints = hints


class ConvertedTools:
    """The declarations of a row that had to be converted, or that are in a text.

    Args:
        index: the tools by name, for checking calls.
        tools: the declarations, unchanged.
    """

    __slots__ = ("_checks", "index", "tools")

    def __init__(self, index: ToolIndex, tools: list[LintTool]) -> None:
        self.index = index
        self.tools = tools
        self._checks: dict[str, Check] = {}

    def check(self, name: Any) -> Check:
        """The check that arguments of a call to this tool are certainly valid; it fails if the name isn't."""
        check = self._checks.get(name)
        if check is None:
            function = self.index.functions.get(name)
            if function is None:
                return accepts_nothing
            check, _ = _made_check(name, function)
            self._checks[name] = check
        return check


class Toolset:
    """The tools of a row. Rows with the same tools share it.

    Args:
        known: what is known about the tools.
        converted: the declarations; ``None`` if they are those under the key ``tools``, in the canonical form. These
            belong to each row, so that no row stays in memory.
        is_declared: whether there are declarations outside the texts.

    Attributes:
        checked: what is known about the declarations with a schema to check.
        names: the names of the tools.
        facts: possible problems with the names.
        concerned: codes of the rules for tools that report findings in the declarations.
        hints: codes of the rules for rows whose guard is true for the parameters of a declaration.
    """

    __slots__ = ("_known", "_places", "checked", "concerned", "converted", "facts", "hints", "is_declared", "names")

    def __init__(
        self, known: Sequence[KnownTool], converted: ConvertedTools | None = None, *, is_declared: bool = True
    ) -> None:
        self.converted = converted
        self.is_declared = is_declared
        self.checked = [tool for tool in known if tool.has_schema]
        self.facts: set[Literal["names_repeat", "names_differ"]] = set()
        self.concerned = NOTHING
        self.hints = NOTHING
        self._known = known
        self._places: dict[str, int] = {}
        for place, tool in enumerate(known):
            if tool.name in self._places:
                self.facts.add("names_repeat")
            elif tool.name is not None:
                self._places[tool.name] = place
            if not tool.is_well_named:
                self.facts.add("names_differ")
            if tool.concerned:
                self.concerned |= tool.concerned
            if tool.hints:
                self.hints |= tool.hints
        self.names: Collection[str] = self._places if converted is None else converted.index.functions

    def check(self, name: Any, row: Row) -> Check:
        """The check that arguments of a call to this tool are certainly valid; it fails if the name isn't.

        Args:
            name: the tool's name; may be any JSON value.
            row: a row with these tools.
        """
        if self.converted is not None:
            return self.converted.check(name)
        place = self._places.get(name)
        if place is None:
            return accepts_nothing
        tool = self._known[place]
        check = _checks.get(tool)
        if check is None:
            check, size = _made_check(name, row["tools"][place]["function"])
            _checks.add(tool, check, size)
        return check


_checks: Final[Remembered[KnownTool, Check]] = Remembered(1024, room=2 << 20)
"""The checks of tools, and how many bytes of JSON they are made of."""


def _made_check(name: str, function: dict[str, Any]) -> tuple[Check, int]:
    """The check for the calls of a tool, and the size of its parameters in bytes."""
    if not NAME.fullmatch(name):
        return accepts_nothing, 0
    parameters = function.get("parameters")
    if not isinstance(parameters, dict):
        return _always, 0
    known = parameters_of(parameters)
    return known.fits or (lambda arguments: not argument_problems(name, known, arguments)), known.size


def _always(arguments: Any) -> bool:
    return True


def accepts_nothing(arguments: Any) -> bool:
    """The check of calls whose name is not that of a declared tool, or not a valid one."""
    return False
