"""The tool declarations of a row: under its keys, or in its texts."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Any, Final, Literal

from toolconv.core.declarations import SCHEMA_KEYS, Declaration, are_canonical, declarations, declared
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Row, Tool
from toolconv.dialects.base import Dialect
from toolconv.dialects.prompts.stated_tools import stated_tools
from toolconv.layouts.tool_places import Place, item_tools, tool_values
from toolconv.lint.schema.parameters import Parameters, parameters_of

StatedIn = Literal["system", "question"]
"""The text that states tools: the system text, or the first question."""

_CALLABLE: Final = (None, "function")
_VERSION: Final = lazy_re(r"_(?:preview(?:_[0-9_]{1,64})?|[0-9_]{8,64})$")


class LintTool:
    """A tool declaration.

    Args:
        found: the declaration.
        stated: the pointer of the text that has it; ``None`` for one outside the texts.
        place: what that text is.

    Attributes:
        pointer: the place of the function object (deep), or of the system text.
        function: that object in OpenAI's form: its schema under ``parameters``.
        name, parameters: those of the tool.
        parameters_pointer: the place of the parameters, even if they are missing.
        stated: the text that has the declaration; ``None`` for one outside the texts.
    """

    def __init__(self, found: Declaration, stated: str | None = None, place: StatedIn = "system") -> None:
        self.pointer = found.pointer if stated is None else stated
        self.function = found.function or {}
        self.name = self.function.get("name")
        self.parameters = self.function.get("parameters")
        self.parameters_pointer = found.schema_pointer if stated is None else stated
        self.stated: StatedIn | None = None if stated is None else place

    @property
    def openai(self) -> Tool:
        """The declaration in OpenAI's format."""
        return {"type": "function", "function": {**self.function, "parameters": self.parameters}}

    @property
    def has_schema(self) -> bool:
        """Whether the tool has a schema for its arguments; tools that a provider runs itself have none."""
        return self.function.get("type") in _CALLABLE or any(key in self.function for key in SCHEMA_KEYS)

    @property
    def is_nested(self) -> bool:
        """Whether it is in one of Gemini's lists of declarations."""
        return "eclarations/" in self.pointer

    @cached_property
    def known(self) -> Parameters:
        """The knowledge about its parameters."""
        return parameters_of(self.parameters)


def structured(row: Row) -> list[LintTool]:
    """The declarations under the keys of a row, in the first place that has any, and those that its items add."""
    found = next((tools for place, value in tool_values(row) if (tools := _at(place, value))), [])
    return [*found, *added(row, {tool.name for tool in found if isinstance(tool.name, str)})]


def canonical(tool: Tool, at: int) -> LintTool:
    """The declaration of an item of ``tools`` that needs no conversion, by its index."""
    function, pointer = tool["function"], f"/tools/{at}/function"
    if type(function.get("parameters")) is not dict:
        return LintTool(declared(tool, f"/tools/{at}"))
    return LintTool(Declaration(tool, function, pointer, f"{pointer}/parameters"))


def added(row: Row, declared: Collection[str]) -> list[LintTool]:
    """The declarations that items of the conversation add to those of the row, whose names are given."""
    more: dict[str, LintTool] = {}
    for place, value in item_tools(row):
        for tool in _at(place, value):
            if isinstance(tool.name, str):
                more.setdefault(tool.name, tool)
    return [tool for name, tool in more.items() if name not in declared]


def _at(place: Place, value: Any) -> list[LintTool]:
    pointer = "".join(f"/{step}" for step in place)
    return [LintTool(each) for each in declarations(value, pointer) if each.function is not None]


def stated(texts: Iterable[tuple[str, str]], dialect: Dialect | None) -> list[LintTool]:
    """The declarations in the first of some texts that has any.

    Args:
        texts: each with its pointer.
        dialect: the dialect of the row's texts.
    """
    for pointer, text in texts:
        if found := stated_tools(text, dialect):
            return [LintTool(each, pointer) for each in declarations(found.tools) if each.function is not None]
    return []


def asked(question: tuple[str, str] | None) -> list[LintTool]:
    """The declarations before the first question, given with its pointer, as Llama's templates write them."""
    if question is None:
        return []
    found = stated_tools(question[1], is_question=True)
    return [
        LintTool(each, question[0], "question")
        for each in (declarations(found.tools) if found is not None else ())
        if each.function is not None
    ]


CODE_TOOLS: Final = frozenset({"python", "ipython", "code_interpreter", "code_execution"})
"""Built-in tools whose arguments are code, not JSON: those of OpenAI, Gemini, Llama 3.1, functionary and harmony."""

_OWN_CALLS = frozenset({"function_call", "custom_tool_call", "mcp_call"})
"""Items of the Responses API that are calls of declared tools; all others call what the provider runs itself."""


def built_in(row: Row) -> frozenset[str]:
    """The names of tools that a provider runs itself: their types without a version, or Gemini's keys for them."""
    names: set[str] = set()
    for _, value in tool_values(row):
        if type(value) is list and are_canonical(value):
            continue
        for each in declarations(value):
            if each.function is None and isinstance(each.tool, dict):
                names |= _names_of(each.tool)
    for item in row["input"] if isinstance(row.get("input"), list) else ():
        kind = item.get("type") if isinstance(item, dict) else None
        if isinstance(kind, str) and kind.endswith("_call") and kind not in _OWN_CALLS:
            names.add(kind.removesuffix("_call"))
    return frozenset(names)


def _names_of(tool: dict[str, Any]) -> set[str]:
    kind = tool.get("type")
    names = {kind, _VERSION.sub("", kind)} if isinstance(kind, str) else set(tool)
    return names if names.isdisjoint(CODE_TOOLS) else names | CODE_TOOLS
