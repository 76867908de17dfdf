"""Which JSON document is data, and where a text only shows calls."""

from __future__ import annotations

import json
from typing import Any

from tests.conftest import each
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.lexing.sentences import calls_in_sentences, is_document, shown_calls

PING = {
    "type": "function",
    "function": {"name": "ping", "parameters": {"type": "object", "properties": {"host": {"type": "string"}}}},
}
TOOLS = ToolIndex([PING])
CALL = {"name": "ping", "arguments": {"host": "a"}}

# Whether a document is data, without declared tools, and with the declaration of ``ping``. Calls are written so by OpenAI
# (``name`` and ``arguments``, in ``function``, in ``tool_calls``), Llama 3 (``parameters``) and LangChain's agents
# (``action`` and ``action_input``, ``tool`` and ``args``), declarations by OpenAI and Anthropic; an object of the API's
# has ``content`` or ``choices``.
DOCUMENTS: list[tuple[Any, bool, bool]] = [
    (CALL, False, False),
    ([CALL], False, False),
    ({"name": "ping", "parameters": {}}, False, False),
    ({"tool": "ping", "args": {}}, False, False),
    ({"action": "ping", "action_input": {}}, False, False),
    ({"name": "pong", "arguments": {}}, False, False),
    ({"ping": {"host": "a"}}, True, False),
    ({"weather": {"host": "a"}}, True, True),
    ({"a": 1, "b": 2}, True, True),
    ({}, True, True),
    ([], False, False),
    ([1, 2], True, True),
    (["a", "b"], True, True),
    (["ping()"], False, False),
    ([[CALL]], False, False),
    ([{"a": 1, "b": 2}], True, True),
    ([{"a": 1, "b": 2}, CALL], False, False),
    ({"tool_calls": [CALL]}, False, False),
    ({"function": CALL}, False, False),
    ({"content": "Hi", "a": 1, "b": 2}, False, False),
    ({"content": 3, "a": 1, "b": 2}, True, True),
    ({"choices": [], "a": 1, "b": 2}, False, False),
    ({**CALL, "id": "a", "type": "function", "index": 0, "role": "x", "status": "y"}, False, False),
    ({**PING["function"], "description": "Pings."}, True, True),  # type: ignore[dict-item]
    ({"name": "f", "description": "d", "input_schema": {"properties": {}}}, True, True),
    ({"name": "f", "description": "d", "parameters": {"host": "a"}}, False, False),
]

# Where no page decides: these values are ours, and say only that a change of them is meant. An object that names a declared
# tool may have one member that calls don't have, any other none; a declaration is data only with a description.
OURS: list[tuple[Any, bool, bool]] = [
    ({"name": "ping"}, False, False),
    ({"name": "Ann"}, False, True),
    ({"pings": {"host": "a"}}, True, True),
    ([CALL, 1], True, True),
    ({"type": "function", "x": CALL}, True, True),
    ({"type": "function", "x": {"name": "ping"}}, True, True),
    ({**CALL, "a": 1}, True, False),
    ({**CALL, "a": 1, "b": 2}, True, True),
    ({"name": "pong", "arguments": {}, "a": 1, "b": 2}, True, True),
    (PING, False, False),
    (PING["function"], False, False),
    ({"name": "It is a very long sentence that names nothing", "arguments": {}}, True, True),
    ({"name": "ping", "x": 1, "y": 2}, True, True),
    ({"name": "ping", "x": 1}, True, False),
    ({"name": "ping", "x": 1, "host": "a"}, True, True),
    ({"name": "ping", "x": {"host": "a"}, "y": 2}, True, True),
    ({"who": "ping", "with": {"host": "a"}}, True, True),
    ({"who": "ping", "with": "a"}, True, True),
]


@each("value, undeclared, declared", [*DOCUMENTS, *OURS])
def test_whether_a_document_is_data(value: Any, undeclared: bool, declared: bool) -> None:
    assert is_document(value, NO_TOOLS) is undeclared
    assert is_document(value, TOOLS) is declared


JSON = json.dumps(CALL)
PYTHON = 'ping(host="a")'
RECORD = '{"city": "Rome", "days": 2, "name": "x", "arguments": {}}'

# Texts around a call, and whether they show it: a call that a sentence goes on around, that a prompt, an assignment or words
# introduce in Python, a signature. No page decides a lead without a colon before JSON at the end: that is a call to us.
SENTENCES: list[tuple[str, str, str, bool]] = [
    ("", JSON, "", False),
    ("", JSON, "\nIt is up.", False),
    ("It is up.\n", JSON, "", False),
    ("I send ", JSON, "", True),
    ("I send: ", JSON, "", False),
    ("I send", JSON, "", False),
    ("我来调用", JSON, "", False),
    ("我来调用 ", JSON, "", True),
    ("I send ", JSON, " to it.", True),
    ("The call ", JSON, " is it.", True),
    (">>> ", JSON, "\n", True),
    ("x = 1\n", JSON, "\n", True),
    ("", f"{JSON}\n{JSON}", "", False),
    ("Use ", f"{JSON}, {JSON}", " then.", True),
    ("", f"[{PYTHON}]", "", False),
    ("", PYTHON, "", False),
    ("Write ", PYTHON, " there.", True),
    ("Write ", PYTHON, "", True),
    ("", "ping(host)", "", True),  # a signature
    ("", "ping(host: str, port: int)", "", True),
    ("", "ping(True)", "", False),
    ("", "ping()", "", False),
    ("Write ", "pong(1)", " there.", False),  # no declared tool: no call, shown or not
    ("It has ", RECORD, " in it.", True),
]


@each("lead, call, tail, shown", SENTENCES)
def test_where_a_text_shows_a_call(lead: str, call: str, tail: str, shown: bool) -> None:
    found = shown_calls(lead + call + tail, TOOLS)
    assert bool(found) is shown
    if shown:
        start, end = len(lead), len(lead) + len(call)
        assert found == [(start, end)]


def test_a_document_is_shown_whole() -> None:
    for value in ({"a": 1, "b": 2}, [1, {"name": "ping", "arguments": {}}], {"weather": [CALL], "n": 2}):
        text = f" {json.dumps(value)}\n"
        assert shown_calls(text, TOOLS) == [(0, len(text))], value
    lines = '{"a": 1, "b": 2}\n{"a": 3, "b": 4}'
    assert shown_calls(lines, TOOLS) == [(0, len(lines))]
    assert shown_calls(f"{JSON}\n{JSON}", TOOLS) == []
    assert shown_calls("Up?", TOOLS) == []


TAGGED = f"<tool_call>{JSON}</tool_call>"


@each(
    "text, count",
    [
        (TAGGED, 0),
        (f"It is up.\n{TAGGED}", 0),
        (f"Write {TAGGED} there.", 1),
        (f"Write {TAGGED}", 0),
        (f"Write {TAGGED} and {TAGGED} there.", 2),
        (f"Write {TAGGED} there. Then: {TAGGED}", 0),  # the line makes a call
        (f"Write {TAGGED} there.\n{TAGGED}", 1),
        (f"Write {TAGGED} there.\nThen {TAGGED}", 1),
        ("Write </tool_call> there.", 0),
        ("Write <b>it</b> there.", 0),
    ],
)
def test_calls_with_markers_in_a_sentence(text: str, count: int) -> None:
    found = calls_in_sentences(text)
    assert len(found) == count
    assert all(
        text[start:end].startswith("<tool_call>") and text[start:end].endswith("</tool_call>") for start, end in found
    )
