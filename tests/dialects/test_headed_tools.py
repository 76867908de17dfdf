"""Tools declared under headings, as LongCat and DeepSeek-V3.1 do."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import any_text
from toolconv import dialects

NAMES = ["deepseek_v31", "longcat", "longcat_tags"]
PIECES = ["\n", "### ", "\n\nParameters: {}\n", "\n\nInputSchema: \n{}\n\n", "InputSchema: [", "**Note**", "a b", "é"]

descriptions = st.lists(st.sampled_from(PIECES), max_size=4).map("".join)
schemas = st.dictionaries(any_text(max_size=5), st.none() | st.integers() | descriptions, max_size=3)


def tool(name: str, description: str, parameters: dict[str, Any], **more: Any) -> dict[str, Any]:
    function = {"name": name, "description": description, "parameters": parameters, **more}
    return {"type": "function", "function": function}


@pytest.mark.parametrize("name", NAMES)
@given(some=st.lists(st.builds(tool, st.sampled_from(["f", "get-it", "a.b"]), descriptions, schemas), min_size=1))
def test_what_is_kept_is_read_back(name: str, some: list[dict[str, Any]]) -> None:
    form = dialects.get(name).chat
    if form.keeps(some):
        assert form.read_declaration(form.declare("Be brief.", some)) in (("Be brief.", some), None)


@pytest.mark.parametrize("name", NAMES)
def test_tools_are_read_back_and_what_is_not_is_a_loss(name: str) -> None:
    form = dialects.get(name).chat
    plain = [tool("f", "Two\n\nlines.", {"type": "object", "properties": {"q": {"type": "string"}}}), tool("g", "", {})]
    for system in ("", "Be brief."):
        assert form.read_declaration(form.declare(system, plain)) == (system, plain)
    assert form.keeps(plain)
    assert not form.keeps([tool("f", "", {}, strict=True)])
    assert not form.keeps([{"type": "function", "function": {"name": "f"}}])
