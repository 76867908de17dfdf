"""Declarations of tools in the forms of several makers; ``--declare`` reads each of them.

Source: as for :mod:`toolconv.core.declarations`; for TypeScript, the chat template of openai/gpt-oss-20b.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.messages import Tool
from toolconv.dialects.formats.harmony import TOOLS

Function = dict[str, Any]


def written(tools: Sequence[Tool], form: str) -> bytes:
    """Canonical declarations in a form, with a line end.

    Args:
        tools: declarations whose schemas are JSON Schema, and that fit the form: see :func:`fits`.
        form: a key of :data:`FORMS`.
    """
    functions = [tool["function"] for tool in tools]
    value = FORMS[form](functions)
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else jsontext.dumps_indented(value)


def fits(tool: Tool, form: str) -> bool:
    """Whether a form can hold the names of a tool and of its parameters; TypeScript has no place for some."""
    return form != "typescript" or _is_whole(tool["function"], TOOLS.read(_declaration(tool)))


def _openai(functions: list[Function]) -> Any:
    return [{"type": "function", "function": function} for function in functions]


def _anthropic(functions: list[Function]) -> Any:
    return [_renamed(function, "input_schema") for function in functions]


def _mcp(functions: list[Function]) -> Any:
    """The result of ``tools/list``."""
    return {"tools": [_renamed(function, "inputSchema") for function in functions]}


def _gemini(functions: list[Function]) -> Any:
    """With ``parametersJsonSchema``: the type names in capitals of ``parameters`` know no lists of types."""
    return [{"functionDeclarations": [_renamed(function, "parametersJsonSchema") for function in functions]}]


def _typescript(functions: list[Function]) -> str:
    """A namespace as gpt-oss reads it. Integers become numbers there, and some schemas ``any``."""
    texts = [_declaration({"type": "function", "function": function}) for function in functions]
    return "namespace functions {\n\n" + "\n\n".join(texts) + "\n\n} // namespace functions\n"


def _declaration(tool: Tool) -> str:
    return TOOLS.write(tool).removeprefix("// \n")  # no description


def _is_whole(function: Function, read: list[Tool]) -> bool:
    """Whether a function that was read back has the same name and parameters."""
    if len(read) != 1 or read[0]["function"]["name"] != function["name"]:
        return False
    before, after = function["parameters"], read[0]["function"]["parameters"]
    return _names(before) == _names(after) and set(before.get("required", ())) == set(after.get("required", ()))


def _names(schema: dict[str, Any]) -> list[str]:
    return list(schema.get("properties", ()))


def _renamed(function: Function, key: str) -> Function:
    """A function with its schema under another key."""
    return {(key if name == "parameters" else name): value for name, value in function.items()}


FORMS: Final[dict[str, Callable[[list[Function]], Any]]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "mcp": _mcp,
    "gemini": _gemini,
    "typescript": _typescript,
}
"""What writes the functions in each form: JSON data, or text."""
