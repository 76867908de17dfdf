"""Hermes 2 Pro (``hermes``), and the ChatML format of Hermes' function-calling data (``hermes-fc``).

Hermes 2 Pro declares tools in a separate system turn before the given one. Each description contains a Python
signature, quoted but not escaped. Prose in turns with calls and reasoning are left out. Types that the original can't
print are written as ``Any``; a conversation without tools, which it can't print either, is plain ChatML.

``hermes-fc`` declares one JSON schema per line after the given system text and keeps prose and reasoning. Results are
written as they are, which in the data is ``{"name": …, "content": …}``.

Source: chat template ``tool_use`` of NousResearch/Hermes-2-Pro-Llama-3-8B; rows of
NousResearch/hermes-function-calling-v1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from toolconv.core import jsontext, lenient_json
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Tool
from toolconv.core.tools import function_of
from toolconv.dialects.chat import HERMES_DATA_WORDING, HERMES_PRO_WORDING, QWEN_RESPONSE, ChatFormat
from toolconv.dialects.declarations.schemas import mapping
from toolconv.dialects.formats.hermes import DIALECT
from toolconv.templates.base import ChatView, Template, TextWriter

# ── tools with signatures ──

OPENING: Final = '{"type": "function", "function": '
"""The start of a tool; the original never closes the brace."""

PARAMETERS: Final = '", "parameters": '
_NAMED: Final = lazy_re(r'\{"name": "([^"\\]*)", "description": "')

_ARROW: Final = lazy_re(r" -> (\S+) - ")
RETURNS: Final = "\n    Returns:\n        "

NO_PARAMETERS: Final = {"type": "object", "properties": {}}
TYPES: Final = {"string": "str", "number": "float", "integer": "int", "boolean": "bool"}
RETURNED: Final[dict[str, dict[str, Any]]] = {
    **{written: {"type": kind} for kind, written in TYPES.items()},
    "dict": {"type": "object"},
    "list[Union[]]": {"type": "array"},
    "Union[]": {},
}
"""What a function returns, by the type that is written for it."""


def write_signed(function: Mapping[str, Any]) -> str:
    """A function object with its signature in the description, which is not escaped."""
    before, after = around_description(function)
    parameters = function.get("parameters")
    written = jsontext.spaced(parameters) if properties_of(function) else "{}"
    description = f"{before}{function.get('description') or ''}{after}"
    return f'{OPENING}{{"name": "{function.get("name", "")}", "description": "{description}", "parameters": {written}}}'


def read_signed(text: str) -> list[Tool]:
    """Read tools written by :func:`write_signed`; returns none if one can't be read."""
    tools: list[Tool] = []
    for part in text.split(OPENING)[1:]:
        function = _function_in(part)
        if function is None:
            return []
        before, after = around_description(function)
        description = str(function.get("description", "")).removeprefix(before).removesuffix(after)
        parameters = function.get("parameters") or NO_PARAMETERS
        tools.append(
            {"type": "function", "function": {**function, "description": description, "parameters": parameters}}
        )
    return tools


def _function_in(part: str) -> Mapping[str, Any] | None:
    """The function object in a tool; its description is read as it is written, without escapes."""
    match = _NAMED.match(part)
    end = part.rfind(PARAMETERS)
    try:
        if match is None or end < match.end():
            return function_of(lenient_json.read(part).value)
        parameters = lenient_json.read(part, end + len(PARAMETERS)).value
    except lenient_json.Unreadable:
        return None
    description = part[match.end() : end]
    function = {"name": match[1], "description": description, "parameters": parameters}
    returned = _returned(description.removeprefix(around_description(function)[0].removesuffix(" - ")))
    return function if returned is None else {**function, "return": returned}


def _returned(text: str) -> dict[str, Any] | None:
    """What a function returns, by the text after its signature; ``None`` if that does not tell."""
    arrow = _ARROW.match(text)
    if arrow is None or arrow[1] not in RETURNED:
        return None
    _, found, described = text.rpartition(RETURNS)
    return {**RETURNED[arrow[1]], **({"description": described} if found else {})}


def around_description(function: Mapping[str, Any]) -> tuple[str, str]:
    """The text before a description, with the signature, and after it, with the parameters one by one."""
    types = {name: python_type(fields) for name, fields in properties_of(function).items()}
    signature = ", ".join(f"{name}: {kind}" for name, kind in types.items())
    described = [
        f"        {name}({types[name]}): {str(mapping(fields).get('description', '')).strip()}"
        for name, fields in properties_of(function).items()
    ]
    arguments = "    Args:\n" + "".join(described) if described else ""
    arrow = f" -> {python_type(function['return'])}" if "return" in function else ""
    returned = mapping(function.get("return")).get("description")
    result = "" if returned is None else f"{RETURNS}{returned}"
    return f"{function.get('name', '')}({signature}){arrow} - ", f"\n\n{arguments}{result}"


def properties_of(function: Mapping[str, Any]) -> Mapping[str, Any]:
    """The parameters' schemas by name."""
    return mapping(mapping(function.get("parameters")).get("properties"))


def python_type(schema: Any) -> str:
    """A type as Hermes 2 Pro prints it; it never prints the item type of a list."""
    kind = mapping(schema).get("type")
    if kind is None:
        return "Union[]"
    if kind == "array":
        return "list[Union[]]"
    if kind == "object":
        return (
            f"dict[str, {python_type(schema['additionalProperties'])}]" if "additionalProperties" in schema else "dict"
        )
    if isinstance(kind, list):
        return f"Union[{','.join(python_type({'type': one}) for one in kind)}]"
    return TYPES.get(kind, "Any") if isinstance(kind, str) else "Any"


# ── the templates ──

PRO_CHAT = ChatFormat(
    tools_open=HERMES_PRO_WORDING[0],
    tools_close=HERMES_PRO_WORDING[1],
    tool=write_signed,
    read=read_signed,
    bare_tools=True,
    response_role="tool",
    response=QWEN_RESPONSE,
    one_turn=True,
)
FC_CHAT = ChatFormat(
    tools_open=HERMES_DATA_WORDING[0],
    tools_close=HERMES_DATA_WORDING[1],
    response_role="tool",
    response=QWEN_RESPONSE,
    one_turn=True,
)


class HermesProTemplate(Template):
    """Hermes 2 Pro's tools before the given system turn, and the ends of its result turns."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        if chat.tools:
            self.declare(chat, out, "", None)
        return 0

    def responses(self, chat: ChatView, out: TextWriter, start: int, end: int) -> None:
        out.turn(self.headers["tool"], start)
        for index in range(start, end):
            out.add("response", self.response(chat, index), index)
            if index < len(chat.messages) - 1:
                out.turn("\n", index)
        out.turn(self.stop, end - 1)


class HermesFCTemplate(Template):
    """Keeps all reasoning, like the data."""

    def shows_reasoning(self, chat: ChatView, index: int) -> bool:
        return True


TEMPLATES = (
    HermesProTemplate(
        name="hermes",
        dialect=replace(DIALECT, chat=PRO_CHAT),
        models=("Hermes 2 Pro", "Hermes 3"),
        begin="<|begin_of_text|>",
        keeps_prose=False,
    ),
    HermesFCTemplate(
        name="hermes-fc",
        dialect=replace(DIALECT, chat=FC_CHAT),
        models=("models tuned on hermes-function-calling-v1",),
    ),
)
