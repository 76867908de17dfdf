"""Declarations of tools that were read and checked before: most rows of a dataset share some, to the byte."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

import orjson

from toolconv.convert.plans.plain_values import JsonText, is_without_signs, read_json
from toolconv.core import lenient_json
from toolconv.core.declarations import are_canonical
from toolconv.core.remembered import Remembered
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.base import Dialect

MOST_TOOLS: Final = 8_192
ROOM: Final = 1 << 20
"""How many declarations are remembered, and their bytes: what is made of them takes about four times as much."""
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
"""A name that every notation writes as it is."""
_BETWEEN: Final = (b'}, {"type": "function", ', b'},{"type":"function",')
"""What is between two tools, as ``json.dumps`` and orjson write it."""


def kinds(arguments: dict[str, Any]) -> Iterable[tuple[str, type]]:
    """The names and types of arguments."""
    return zip(arguments, map(type, arguments.values()))  # noqa: B905 (they are as many, and asking costs half)


class CheckedTool:
    """A declaration that was checked.

    Attributes:
        name: of the function.
        envelope: all of it, as JSON.
        index: the tool by itself, as readers of its calls look it up.
        arguments: the names and types of arguments with which calls are plain.
        depth: how many objects and lists it has.
        written: its bytes in lines, by the function that writes them.
    """

    __slots__ = ("_is_plain_text", "arguments", "depth", "envelope", "index", "name", "written")

    def __init__(self, envelope: JsonText) -> None:
        self.name: str = envelope.value["function"]["name"]
        self.envelope = envelope
        self.index = ToolIndex([envelope.value])
        self.arguments: set[tuple[str, type]] = set()
        self.depth = envelope.compact.count(b"{") + envelope.compact.count(b"[")
        self._is_plain_text: bool | None = None
        self.written: dict[Callable[[CheckedTool], bytes], bytes] = {}

    def knows(self, arguments: dict[str, Any]) -> bool:
        """Whether calls with the names and types of some arguments are known to be plain."""
        return bool(self.arguments) and self.arguments.issuperset(kinds(arguments))

    @property
    def is_plain_text(self) -> bool:
        """Whether it has nothing of markup, so that a text may hold it."""
        if self._is_plain_text is None:
            self._is_plain_text = is_without_signs(self.envelope.spaced.decode("latin-1"))
        return self._is_plain_text

    @property
    def function(self) -> JsonText:
        """The function in it."""
        return read_json(orjson.dumps(self.envelope.value["function"]))


def by_name(tools: list[CheckedTool]) -> dict[str, CheckedTool] | None:
    """The tools of a row; ``None`` if two have the same name, or they nest deeper than readers go."""
    found = {tool.name: tool for tool in tools}
    if len(found) < len(tools) or sum([tool.depth for tool in tools]) > lenient_json.MAX_TEXT_DEPTH:
        return None
    return found


class KnownTools:
    """The declarations and names that were read for an output in a dialect.

    Attributes:
        read: how many declarations were new.
    """

    def __init__(self, dialect: Dialect) -> None:
        self.read = 0
        self._dialect = dialect
        self._tools: Remembered[bytes, CheckedTool] = Remembered(MOST_TOOLS, ROOM)
        self._names: Remembered[str, bool] = Remembered(4_096)

    def declared(self, text: bytes) -> dict[str, CheckedTool] | None:
        """The tools in a JSON list, whose first character is a bracket; ``None`` if one is not plain."""
        between = _BETWEEN[0] if text.find(b'": ') > 0 else _BETWEEN[1]
        pieces = text[1:-1].split(between)
        last = len(pieces) - 1
        found: dict[str, CheckedTool] = {}
        depth = 0
        for at, piece in enumerate(pieces):
            if at:
                piece = between[between.find(b"{") :] + piece
            if at < last:
                piece += b"}"
            tool = self._tools.get(piece) or self._read(piece)
            if tool is None or tool.name in found:
                return None
            found[tool.name] = tool
            depth += tool.depth
        return found if depth <= lenient_json.MAX_TEXT_DEPTH else None

    def known(self, piece: bytes) -> CheckedTool | None:
        """The tool of a declaration; ``None`` if it is not plain."""
        return self._tools.get(piece) or self._read(piece)

    def _read(self, piece: bytes) -> CheckedTool | None:
        """Read a declaration that is new: with a description and parameters, and nothing else."""
        self.read += 1
        try:
            envelope = read_json(piece)
        except ValueError:
            return None
        tool = envelope.value
        if type(tool) is not dict or tuple(tool) != ("type", "function") or not are_canonical([tool]):
            return None
        function = tool["function"]
        if tuple(function) != ("name", "description", "parameters") or not self.is_plain_name(function["name"]):
            return None
        description, parameters = function["description"], function["parameters"]
        if type(description) is not str or not description or type(parameters) is not dict:
            return None
        properties = parameters.get("properties")
        if parameters.get("type") != "object" or type(properties) is not dict or not properties:
            return None
        if envelope.compact.find(b":null") >= 0:
            return None
        return self._tools.add(piece, CheckedTool(envelope), len(piece))

    def is_plain_name(self, name: Any) -> bool:
        """Whether calls with a name are certainly read back, and it is a plain word."""
        if type(name) is not str:
            return False
        found = self._names.get(name)
        if found is None:
            call = ToolCall(name, {})
            found = _NAME.fullmatch(name) is not None and self._dialect.certainly_round_trips_call(call, NO_TOOLS)
            self._names.add(name, found, len(name))
        return found
