"""What is settled of a text that goes on: where markup may begin in it, and where JSON ends."""

from __future__ import annotations

import pickle

import pytest

from tests.conftest import each
from toolconv import dialects
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.dialect_file import from_toml
from toolconv.dialects.live.arguments import JsonEnd
from toolconv.dialects.live.markup import CODE_LENGTH, LOOKAHEAD, markup_of
from toolconv.dialects.live.turn import is_live
from toolconv.dialects.stream_reader import StreamReader

PING = {"type": "function", "function": {"name": "ping", "parameters": {"properties": {"host": {"type": "string"}}}}}
CALL = '<tool_call>\n{"name": "ping", "arguments": {"host": "a"}}\n</tool_call>'


@each(
    "text, length",
    [
        # a sign, and what follows it
        ("<", None),
        ("<" + " " * (LOOKAHEAD - 2), None),
        ("<" + " " * (LOOKAHEAD - 1), 0),
        ("< 3", None),
        ("<today> a", 1),
        ("<tool_call>", 0),
        ("<TOOL_CALL>", 0),
        ("<tool_cal>", 0),
        ("<|im_end|>", 0),
        ("{ 1 }", 0),
        ("{ }", 1),
        ("[1]", 1),
        ('["a"]', 0),
        # code
        ("`", None),
        ("`a", None),
        ("`a`", None),
        ("`a` ", 3),
        ("`a``", 0),
        ("`` ", 0),
        ("`a<b` ", 0),
        ("`a\n", 1),
        ("`" + "a" * (CODE_LENGTH - 2), None),
        ("`" + "a" * (CODE_LENGTH - 1), 0),
        # the name of a declared tool
        ("ping", None),
        ("ping ", None),
        ("ping:0", None),
        ("ping now", 4),
        ("ping(", 0),
        ('ping {"host"', 0),
        ("ping:0<", 0),
        ("pin", None),
    ],
)
def test_how_much_of_a_text_is_plain(text: str, length: int | None) -> None:
    assert markup_of(dialects.get("hermes"), ToolIndex([PING])).plain_length(text) == length


@each(
    "texts, ends",
    [
        (["}"], [1]),
        (['"a": {"b": [1]}} x'], [16]),
        (['"a": "}"}'], [9]),
        (['"a": "\\"}"}'], [11]),
        (['"a": "\\', '"}"}'], [-1, 4]),
        (['\\n"a": 1}'], [9]),
        (['"a": [', "]", "}"], [-1, -1, 1]),
    ],
)
def test_where_the_object_of_the_arguments_ends(texts: list[str], ends: list[int]) -> None:
    json_end = JsonEnd()
    assert [json_end.find(text) for text in texts] == ends


QUILL = """grammar = "json_blocks"
name = "quill"
calls = '<quill>{"name": {name|json}, "arguments": {args}}</quill>'
"""


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", True),
        ('separator = "\\n"', True),
        ('separator = "\\n--\\n"', False),  # which only a call after it tells from prose
        ("leads_with_reasoning = false", False),
    ],
)
def test_which_dialects_are_read_live(more: str, expected: bool) -> None:
    assert is_live(from_toml(f"{QUILL}{more}\n")) is expected


def test_a_call_whose_name_was_mended_has_a_number_of_its_own() -> None:
    reader = StreamReader("hermes", [PING], in_reasoning=False)
    events = [*reader.feed(CALL.replace('"ping"', '"ping_0"')), *reader.close()]
    assert [(event.kind, event.text, event.index) for event in events] == [
        ("call_began", "ping_0", 0),
        ("arguments", '{"host": "a"}', 0),
        ("call_began", "ping", 1),
        ("arguments", '{"host": "a"}', 1),
        ("call_done", "", 1),
        ("repair", "decorated_name", None),
    ]
    assert events[4].call == ToolCall("ping", {"host": "a"})


def test_without_a_dialect_all_comes_when_the_text_is_over() -> None:
    reader = StreamReader(tools=[PING])
    assert reader.feed("Hi.\n") == []
    again = pickle.loads(pickle.dumps(reader))
    for one in (reader, again):
        assert one.feed(CALL) == []
        assert [(event.kind, event.text) for event in one.close()] == [
            ("prose", "Hi."),
            ("call_began", "ping"),
            ("arguments", '{"host": "a"}'),
            ("call_done", ""),
        ]


def test_a_tools_name_in_prose_waits_for_what_follows() -> None:
    reader = StreamReader("hermes", [PING], in_reasoning=False)
    found = [reader.feed(chunk) for chunk in ("I use ping", " now, then pi", "ng(", "host) and more.")]
    assert [[(event.kind, event.text) for event in events] for events in found] == [
        [("prose", "I use")],
        [("prose", " ping now, then")],
        [],
        [],
    ]
    assert [(event.kind, event.text) for event in reader.close()] == [("prose", " ping(host) and more.")]
