"""Tools as Command R declares them: as its chat template writes them, and read back as far as they are said."""

from __future__ import annotations

from typing import Any

import pytest

from toolconv import dialects
from toolconv.dialects.declarations.cohere_stubs import read_stubs, write_stub

# What the template of CohereForAI/c4ai-command-r-plus writes; it has Union[] for List[int]'s item.
STUB = '''```python
def find(grid: List[int], word: Optional[Union[str,float]] = None, seen: Optional[Dict[str, bool]] = None) -> List[Dict]:
    """Finds things.

    Args:
        grid (List[int]): Where
        word (Optional[Union[str,float]]): What (one of)
        seen (Optional[Dict[str, bool]]): Two
lines
    """
    pass
```'''
PING_STUB = '```python\ndef ping() -> List[Dict]:\n    """Pings.\n    """\n    pass\n```'
SCHEMA = {
    "type": "object",
    "properties": {
        "grid": {"type": "array", "items": {"type": "integer"}, "description": "Where"},
        "word": {"type": ["string", "number"], "description": "What (one of)"},
        "seen": {"type": "object", "additionalProperties": {"type": "boolean"}, "description": "Two\nlines"},
    },
    "required": ["grid"],
}
FIND = {"type": "function", "function": {"name": "find", "description": "Finds things.", "parameters": SCHEMA}}
PING = {
    "type": "function",
    "function": {"name": "ping", "description": "Pings.", "parameters": {"type": "object", "properties": {}}},
}


def test_written_and_read_back() -> None:
    assert write_stub(FIND) == STUB
    assert write_stub(PING) == PING_STUB
    assert read_stubs(f"{STUB}\n\n{PING_STUB}") == [FIND, PING]


def test_a_system_text_gives_its_tools_back() -> None:
    form = dialects.get("command_r").chat
    assert form.read_declaration(form.declare("Be brief.", [FIND, PING])) == ("Be brief.", [FIND, PING])
    assert form.keeps([FIND, PING])


@pytest.mark.parametrize(
    "parameter", [{"type": "string", "enum": ["a"]}, {"type": ["object", "array"]}, {"minimum": 1}]
)
def test_what_a_stub_does_not_say_is_known(parameter: dict[str, Any]) -> None:
    function = {"name": "f", "description": "", "parameters": {"type": "object", "properties": {"a": parameter}}}
    assert not dialects.get("command_r").chat.keeps([{"type": "function", "function": function}])


@pytest.mark.parametrize("text", ["", "def f():", f"{PING_STUB}\n\nmore", STUB.replace("(List[int])", "(Grid)")])
def test_what_is_no_stub_gives_no_tools(text: str) -> None:
    assert read_stubs(text) == []
