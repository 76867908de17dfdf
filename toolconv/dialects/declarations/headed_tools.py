"""Tools declared under headings: the name, the description, and the parameters as JSON.

Other keys of a function are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from toolconv.core import jsontext, lenient_json
from toolconv.core.facts import Facts
from toolconv.core.messages import Tool


class HeadedTools(Facts, kw_only=False):
    """One family's headings.

    Attributes:
        spelling: the text of one tool, with ``{name}``, ``{description}`` and ``{parameters}`` in this order.
        json: writes the parameters.
    """

    spelling: str
    json: Callable[[Any], str] = jsontext.spaced

    def __post_init__(self) -> None:
        if re.findall(r"\{(name|description|parameters)\}", self.spelling) != ["name", "description", "parameters"]:
            raise ValueError(f"{self.spelling!r} needs {{name}}, {{description}} and {{parameters}}, in this order")

    def write(self, function: Mapping[str, Any]) -> str:
        """One function object."""
        before, then, last, after = self._parts
        name, description = function.get("name"), function.get("description", "")
        return f"{before}{name}{then}{description}{last}{self.json(function.get('parameters', {}))}{after}"

    def read(self, text: str) -> list[Tool]:
        """The tools that ``text`` declares; none unless all of it has the form that :meth:`write` gives it."""
        tools: list[Tool] = []
        at = 0
        while at < len(text):
            head = self._head.match(text, at) or self._head_after_blanks.match(text, at)
            found = self._parameters(text, head.end()) if head is not None else None
            if head is None or found is None:
                return []
            start, parameters, at = found
            function = {"name": head[1], "description": text[head.end() : start], "parameters": parameters}
            tools.append({"type": "function", "function": function})
        return tools

    def _parameters(self, text: str, at: int) -> tuple[int, Any, int] | None:
        """The parameters after a description that begins at ``at``.

        Returns:
            The end of the description, the value of the parameters, and the end of the tool.
        """
        _, _, last, after = self._parts
        while (at := text.find(last, at)) >= 0:
            try:
                reading = lenient_json.read(text, at + len(last))
            except lenient_json.Unreadable:
                pass
            else:
                if text.startswith(after, reading.end):
                    return at, reading.value, reading.end + len(after)
            at += 1
        return None

    @cached_property
    def _parts(self) -> tuple[str, str, str, str]:
        before, then, last, after = re.split(r"\{(?:name|description|parameters)\}", self.spelling)
        return before, then, last, after

    @cached_property
    def _head(self) -> re.Pattern[str]:
        before, then, *_ = self._parts
        return re.compile(rf"{re.escape(before)}([^\n]*){re.escape(then)}")

    @cached_property
    def _head_after_blanks(self) -> re.Pattern[str]:
        return re.compile(r"\s*+" + self._head.pattern)
