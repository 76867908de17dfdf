"""BFCL's record of native function calling: a JSON list whose items have a tool's name as their only key.

``[{"get_weather": "{\\"city\\": \\"Tokyo\\"}"}, {"ping": "{}"}]``: the value is the arguments as JSON text, or an
object. The Berkeley leaderboard stores in this form what hosted models called through their APIs. Texts between the
items are the model's prose. The whole text must be that list, and if any tools are declared, its names must be among
them.

BFCL passes the tools to those APIs as structure and has no prompt for them, so they are declared as plain JSON.

Lost: call ids. Source: bfcl_eval's result files of function-calling models, and its ``openai_completion`` handler.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from toolconv.core import jsontext
from toolconv.core.calls import NotACall, arguments_from
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.base import Dialect
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.reading.turn_parser import TurnParser

HEAD = lazy_re(r"\{\s*\"([^\"\\\n]{1,256})\"\s*:\s*(\"\{(?=\\?[\"}])|[\"{])")
"""The beginning of an item."""


class BfclRecord(Dialect):
    """Items whose only key is the tool's name."""

    exact = None

    @property
    def markers(self) -> tuple[str, ...]:
        return ()

    def find_calls(self, parser: TurnParser) -> None:
        text = parser.text[parser.at :].strip()
        if text[:1] != "[":
            return
        try:
            items = jsontext.loads(text)
        except ValueError as error:
            _drop_declared(parser, str(error))
            return
        calls: list[ToolCall] = []
        prose: list[str] = []
        repairs: list[str] = []
        for item in items:
            if isinstance(item, str):
                prose.append(item)
                continue
            call = _call(item, parser, repairs)
            if call is None:
                _drop_declared(parser, "not all items are calls of declared tools")
                return
            calls.append(call)
        if calls:
            text_items = "".join(prose)
            parser.accept(parser.at, len(parser.text), calls, "" if text_items.isspace() else text_items)
            parser.repairs.extend(["duplicate_key"] * len(jsontext.repeated_keys(text, items)) + repairs)

    def render_turn(self, content: str, reasoning: str | None, calls: Sequence[ToolCall]) -> str:
        if not calls or not content:
            return super().render_turn(content, reasoning, calls)
        prose, items = jsontext.spaced(content), self.render(calls)
        return (self.reasoning.render(reasoning) if reasoning else "") + f"[{prose}, {items[1:]}"


def _drop_declared(parser: TurnParser, reason: str) -> None:
    """Drop texts that begin like calls, of declared tools if there are any, in a list that can't be read."""
    heads = HEAD.finditer(parser.text, parser.at)
    starts = [head.start() for head in heads if (head[1] in parser.tools if parser.tools else len(head[2]) > 1)]
    for start, end in pairwise([*starts, len(parser.text)]):
        parser.reject(start, start + len(parser.text[start:end].rstrip(" \t\r\n,")), reason)


def _call(item: Any, parser: TurnParser, repairs: list[str]) -> ToolCall | None:
    """The call in an item; ``None`` if it is not a call."""
    if not isinstance(item, dict) or len(item) != 1:
        return None
    ((name, value),) = item.items()
    if not name or (parser.tools and name not in parser.tools):
        return None
    if isinstance(value, dict):
        return ToolCall(name, value)
    if not isinstance(value, str):
        return None
    made: list[str] = []
    try:
        arguments = arguments_from(value, made)
    except NotACall:
        return None
    repairs.extend(made[:-1])  # the last is for arguments as text, which are part of this format
    return ToolCall(name, arguments)


DIALECT = BfclRecord(
    name="bfcl_fc",
    models=("hosted models on BFCL, called through their APIs",),
    sample='[{"get_weather": "{\\"city\\": \\"Tokyo\\"}"}, {"ping": "{}"}]',
    calls=CallTemplate("{{name|json}: {args|spaced|json}}", before="[", between=", ", after="]"),
)
