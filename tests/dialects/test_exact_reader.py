"""The exact reader agrees with the grammar where a text is at the edge of what it reads."""

from __future__ import annotations

import pytest

from toolconv import dialects
from toolconv.core.tools import NO_TOOLS
from toolconv.dialects.base import Dialect
from toolconv.dialects.dialect_file import from_toml

MARKED = [
    dialect
    for dialect in dialects.all_dialects()
    if dialect.calls is not None and dialect.calls.turn_without_calls != "{prose}"
]
"""Dialects that write something around an answer without calls."""


@pytest.mark.whole
@pytest.mark.parametrize("dialect", MARKED, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("prose", ["Hi.", "Hi.\n", "\nHi.", " ", "\n"])
def test_the_prose_of_an_answer_without_calls(dialect: Dialect, prose: str) -> None:
    text = dialect.render_turn(prose, None, [])
    exact = dialect.parse_exact(text, NO_TOOLS)
    assert exact is None or exact == dialect.parse_own(text, NO_TOOLS)
    assert dialect.parse(text).content.strip() == prose.strip()


def test_an_answer_that_only_its_end_marks() -> None:
    dialect = from_toml(
        """
        grammar = "json_blocks"
        name = "quill"
        [calls]
        call = '<quill>{"name": {name|json}, "arguments": {args}}</quill>'
        turn_without_calls = "{prose}<|done|>"
        """
    )
    parsed = dialect.parse("Hi.<|done|>")
    assert (parsed.content, parsed.calls, parsed.repairs, parsed.dropped) == ("Hi.", [], [], [])


@pytest.mark.parametrize(("depth", "is_read"), [(198, True), (199, True), (200, False), (250, False)])
def test_how_deep_arguments_may_nest(depth: int, is_read: bool) -> None:
    value = "[" * (depth - 1) + "1" + "]" * (depth - 1)  # in the object of the arguments, and that in the call's
    text = f'<tool_call>\n{{"name": "f", "arguments": {{"a": {value}}}}}\n</tool_call>'
    parsed = dialects.get("hermes").parse(text)
    assert (len(parsed.calls), len(parsed.dropped)) == (is_read, not is_read)
    assert parsed.repairs == [] and parsed.content == ("" if is_read else text)
