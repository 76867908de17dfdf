"""Turns of dialects that a ``response_template`` of Transformers describes.

The expected values are those of Transformers' guide to response parsing; where a text is damaged, a call is mended by
name or dropped, as in any dialect.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.response_templates import (
    FUNCTION,
    HEADER,
    JSON,
    LINES,
    LIST,
    PYTHON,
    QUOTED,
    THINKING,
    XML,
    changed,
    described,
    read,
)

OSLO = ["f", {"city": "Oslo"}]

TURNS: dict[str, tuple[dict[str, Any], str, list[Any]]] = {
    "markers": (
        described(thinking=THINKING, tool_calls=JSON, content={"close": "<end>"}),
        '<think>\nHm.\n</think>\n\nLook:\n<c>{"name": "f", "arguments": {"city": "Oslo"}}</c><end>',
        [[OSLO], "Look:", "Hm.", ["leaked_token"], []],
    ),
    "the end of a turn has several spellings": (
        described(tool_calls=JSON, content={"close": ["<end>", "<stop>"]}),
        "Hello.<stop>",
        [[], "Hello.", None, ["leaked_token"], []],
    ),
    "an end of another field": (
        described(tool_calls=JSON, answer={"close": "<end>"}),
        "Hello.<end>",
        [[], "Hello.<end>", None, [], []],
    ),
    "no end and no anchor": (
        {"fields": {"tool_calls": JSON, "content": {}}},
        'Hello.<c>{"name": "f", "arguments": {}}</c>',
        [[["f", {}]], "Hello.", None, [], []],
    ),
    "reasoning by a pattern before a call as it is written": (
        described(thinking={"open_pattern": r"\[t\d?\]", "close_pattern": r"\[/t\d?\]"}, tool_calls=JSON),
        '[t]Hm.[/t]\n<c>\n{"name": "f", "arguments": {"city": "Oslo"}}\n</c>',
        [[OSLO], "", "Hm.", [], []],
    ),
    "unclosed reasoning, and a name before the calls": (
        described(thinking=THINKING, tool_calls={**HEADER, "open_pattern": r"(?P<name>\w+)=>"}),
        "<think>Hm.",
        [[], "", "Hm.", ["unclosed_reasoning"], []],
    ),
    "unclosed reasoning, and a pattern before the calls": (
        described(thinking=THINKING, tool_calls=XML),
        "<think>Hm.",
        [[], "", "Hm.", ["unclosed_reasoning"], []],
    ),
    "calls as they are written": (
        described(tool_calls=JSON),
        'Look:\n<c>\n{"name": "f", "arguments": {"city": "Oslo"}}\n</c>\n<c>\n{"name": "g", "arguments": {}}\n</c>',
        [[OSLO, ["g", {}]], "Look:", None, [], []],
    ),
    "another opener before a call as it is written": (
        changed(JSON, open=["<c>", "[d]"]),
        '[d]{"name": "g", "arguments": {}}</c>\n<c>\n{"name": "f", "arguments": {"city": "Oslo"}}\n</c>',
        [[["g", {}], OSLO], "", None, [], []],
    ),
    "several openers, of which one begins another": (
        changed(JSON, open=["<c", "<c>", "<d>"]),
        '<d>{"name": "f", "arguments": {}}</c><c>{"name": "g", "arguments": {}}</c>',
        [[["f", {}], ["g", {}]], "", None, [], []],
    ),
    "reasoning and content in channels": (
        described(
            thinking={"open_pattern": "<ch>analysis<msg>", "close": "<end>"},
            content={"open": "<ch>final<msg>", "close": "<end>"},
            tool_calls=HEADER,
        ),
        "<ch>analysis<msg>Hm.<end><ch>commentary to=functions.f json<msg>"
        '{"city": "Oslo"}<call><ch>final<msg>Done.<end>',
        [[OSLO], "Done.", "Hm.", [], []],
    ),
    "reasoning that nothing closes": (
        described(thinking={"open": "<ch>analysis<msg>", "close": "<end>"}, tool_calls=JSON),
        "<ch>analysis<msg>Hm.",
        [[], "", "Hm.", ["unclosed_reasoning"], []],
    ),
    "reasoning in the middle": (
        described(thinking={"open_pattern": "<ch>think(?:ing)?<msg>", "close": "<end>"}, tool_calls=JSON),
        "Hello.<ch>think<msg> Hm. <end> <ch>thinking<msg>And so",
        [[], "Hello.\n <ch>thinking<msg>And so", "Hm.", [], []],
    ),
    "content that nothing closes": (
        described(content={"open": "<ch>final<msg>", "close": "<end>"}, tool_calls=JSON),
        "<ch>final<msg>Done.",
        [[], "Done.", None, [], []],
    ),
    "a call in content that nothing closes": (
        described(content={"open": "<ch>final<msg>", "close": "<end>"}, tool_calls=JSON),
        '<ch>final<msg>Look:\n<c>{"name": "f", "arguments": {}}</c>',
        [[["f", {}]], "Look:", None, [], []],
    ),
    "another field stays in the text": (
        described(tool_calls=JSON, plan={"open": "<plan>", "close": "</plan>"}),
        "<plan>Look</plan>Hello.",
        [[], "<plan>Look</plan>Hello.", None, [], []],
    ),
    "an anchor before each region": (
        described(tool_calls=JSON),
        '<a><c>{"name": "f", "arguments": {"city": "Oslo"}}</c><a>',
        [[OSLO], "", None, [], []],
    ),
    "an opener that may match nothing": (
        described(tool_calls=JSON, content={"open_pattern": "(?:<say>)?", "close": "</say>"}),
        '<say>Hi.</say><c>{"name": "f", "arguments": {}}</c>',
        [[["f", {}]], "Hi.", None, [], []],
    ),
    # JSON
    "a closer in a string": (
        changed(JSON),
        '<c>{"name": "f", "arguments": {"city": "</c>"}}</c>',
        [[["f", {"city": "</c>"}]], "", None, [], []],
    ),
    "a list of calls": (
        changed(JSON, transform=None),
        '<c>[{"name": "f", "arguments": {"city": "Oslo"}}, {"name": "g", "arguments": {}}]</c>',
        [[OSLO, ["g", {}]], "", None, [], []],
    ),
    "no transform": (
        changed(JSON, transform=None),
        '<c>{"name": "f", "arguments": {"city": "Oslo"}}</c>',
        [[OSLO], "", None, [], []],
    ),
    "a name before the JSON": (
        changed(HEADER, open_pattern=r"(?P<name>\w+)=>", close=None),
        'Look: f=>{"city": "Oslo"}',
        [[OSLO], "Look: ", None, [], []],
    ),
    "the whole content as an argument": (
        changed(JSON, transform={"function": {"name": "f", "arguments": {"items": "{content}"}}}),
        "<c>[1, 2]</c>",
        [[["f", {"items": [1, 2]}]], "", None, [], []],
    ),
    "no transform, and the name as the function": (
        changed(JSON, transform=None),
        '<c>{"function": "f", "arguments": {"city": "Oslo"}}</c>',
        [[OSLO], "", None, ["alternative_key"], []],
    ),
    "no transform, and a text": (
        changed(JSON, transform=None),
        '<c>"f"</c>',
        [[], '<c>"f"</c>', None, [], [["text where a call object should stand", '<c>"f"</c>']]],
    ),
    "a text with the keys of the transform": (
        changed(JSON, transform={"function": {"name": "{content.name}", "arguments": "{content.args}"}}),
        '<c>"the name and args"</c>',
        [[], '<c>"the name and args"</c>', None, [], [["no name", '<c>"the name and args"</c>']]],
    ),
    "an id in the content": (
        changed(JSON, transform={"id": "{content.id}", "function": {"name": "{content.n}", "arguments": "{content.a}"}}),
        '<c>{"id": "x1", "n": "f", "a": {"city": "Oslo"}}</c><c>{"n": "f", "a": {"city": "Oslo"}}</c>'
        '<c>{"id": 3, "n": "f", "a": {"city": "Oslo"}}</c>',
        [[[*OSLO, "x1"], OSLO, OSLO], "", None, [], []],
    ),
    "a list of transforms with constants": (
        changed(JSON, transform=[{"index": 0, "function": "{content}"}, {"function": {"name": "g", "arguments": {}}}]),
        '<c>{"name": "f", "arguments": {"city": "Oslo"}}</c>',
        [[OSLO, ["g", {}]], "", None, [], []],
    ),
    "arguments that the content lacks": (
        changed(JSON, transform={"function": {"name": "{content.name}", "arguments": "{content.args}"}}),
        '<c>{"name": "ping"}</c>',
        [[["ping", {}]], "", None, ["missing_arguments"], []],
    ),
    "content without the keys of the transform": (
        changed(JSON, transform={"function": {"name": "{content.name}", "arguments": "{content.args}"}}),
        "<c>[3]</c>",
        [[], "<c>[3]</c>", None, [], [["no name", "<c>[3]</c>"]]],
    ),
    "a text as a call": (
        changed(JSON),
        '<c>"get_weather"</c>',
        [[], '<c>"get_weather"</c>', None, [], [["a text where an object should be", '<c>"get_weather"</c>']]],
    ),
    "a marker that is only mentioned": (
        changed(JSON),
        "Calls stand in <c> and </c> tags.",
        [[], "Calls stand in <c> and </c> tags.", None, [], []],
    ),
    "no closer": (
        changed(JSON),
        '<c>{"name": "f", "arguments": {"city": "Oslo"}}',
        [[OSLO], "", None, ["missing_close_tag"], []],
    ),
    "a marker at the end": (
        changed(JSON),
        "Look: <c>\n",
        [[], "Look: <c>\n", None, [], [["the text ends behind the opening marker", "<c>\n"]]],
    ),
    "no closer in the template": (
        changed(JSON, close=None),
        '<c>{"name": "f", "arguments": {"city": "Oslo"}}<c>{"name": "g", "arguments": {}}',
        [[OSLO, ["g", {}]], "", None, [], []],
    ),
    "text behind the JSON": (
        changed(JSON),
        '<c>{"name": "f", "arguments": {}} and so on</c><c>{"name": "g", "arguments": {}}</c>',
        [[["g", {}]], '<c>{"name": "f", "arguments": {}} and so on</c>', None, [], [["text behind the call", '<c>{"name": "f", "arguments": {}} and so on</c>']]],
    ),
    "a pattern as the closer": (
        changed(JSON, close=None, close_pattern=r"</c(?P<n>\d)>"),
        '<c>{"name": "f", "arguments": {"city": "Oslo"}} </c1>',
        [[OSLO], "", None, [], []],
    ),
    "a group of the closer": (
        changed(JSON, close=None, close_pattern=r"</c id=(?P<id>\w+)>", transform={"id": "{id}", **FUNCTION}),
        '<c>{"name": "f", "arguments": {"city": "Oslo"}}</c id=x1>',
        [[[*OSLO, "x1"]], "", None, [], []],
    ),
    "a bracket too few": (
        changed(JSON),
        '<c>{"name": "f", "arguments": {"city": "Oslo"}</c>',
        [[OSLO], "", None, ["missing_bracket"], []],
    ),
    "a bracket too few behind a pattern": (
        changed(HEADER),
        '<ch>commentary to=functions.f json<msg>{"city": "Oslo"<call>',
        [[OSLO], "", None, ["missing_bracket"], []],
    ),
    "a bracket too few, and two places for it": (
        changed(JSON),
        '<c>{"name": "f", "arguments": {"a": {"b": 1}, "c": 2}</c>',
        [
            [],
            '<c>{"name": "f", "arguments": {"a": {"b": 1}, "c": 2}</c>',
            None,
            [],
            [["missing_bracket in more than one place", '<c>{"name": "f", "arguments": {"a": {"b": 1}, "c": 2}</c>']],
        ],
    ),
    # each item of a list
    "each item": (
        described(tool_calls=LIST),
        '<act>[{"tool_name": "f", "parameters": {"city": "Oslo"}}, {"tool_name": "g", "parameters": {}}]</act>',
        [[OSLO, ["g", {}]], "", None, [], []],
    ),
    "one object where the list should be": (
        described(tool_calls=LIST),
        '<act>{"tool_name": "f", "parameters": {"city": "Oslo"}}</act>',
        [[OSLO], "", None, [], []],
    ),
    "an item that is no object": (
        described(tool_calls=LIST),
        '<act>["tool_name"]</act>',
        [[], '<act>["tool_name"]</act>', None, [], [["no name", '<act>["tool_name"]</act>']]],
    ),
    # calls in Python
    "a list of calls in Python": (
        described(tool_calls=PYTHON),
        "Look: <c>[f(city='Oslo', days=[3, None]), g(ok=True)]</c>",
        [[["f", {"city": "Oslo", "days": [3, None]}], ["g", {"ok": True}]], "Look: ", None, [], []],
    ),
    "a closer in a string of Python": (
        described(tool_calls=PYTHON),
        '<c>[f(city="</c>")]</c> <c>[g()]</c>',
        [[["f", {"city": "</c>"}], ["g", {}]], "", None, [], []],
    ),
    "a list of calls that is cut off": (
        described(tool_calls=PYTHON),
        "<c>[f(city='Oslo'), g(",
        [
            [],
            "<c>[f(city='Oslo'), g(",
            None,
            [],
            [["the text ends inside the arguments", "<c>[f(city='Oslo'), g("]],
        ],
    ),
    "words behind calls in Python": (
        described(tool_calls=PYTHON),
        "<c>[f(city='Oslo')] it is</c>",
        [
            [],
            "<c>[f(city='Oslo')] it is</c>",
            None,
            [],
            [["text behind the call", "<c>[f(city='Oslo')] it is</c>"]],
        ],
    ),
    "no call in Python": (described(tool_calls=PYTHON), "Say <c> and </c>.", [[], "Say <c> and </c>.", None, [], []]),
    # bare keys and delimited strings
    "bare keys and delimited strings": (
        changed(QUOTED),
        '<c>f{city:<|"|>Oslo<|"|>,at:«"10" o\'clock»,days:3,"x y":null}</c>',
        [[["f", {"city": "Oslo", "at": "\"10\" o'clock", "days": 3, "x y": None}]], "", None, [], []],
    ),
    "closers in delimited strings": (
        changed(QUOTED),
        '<c>f{city:<|"|>a</c>b<|"|>,to:«</c>»}</c><c>g{}</c>',
        [[["f", {"city": "a</c>b", "to": "</c>"}], ["g", {}]], "", None, [], []],
    ),
    "a delimited string that nothing closes": (
        changed(QUOTED),
        "<c>f{city:«Oslo}</c>",
        [[], "<c>f{city:«Oslo}</c>", None, [], [["unreadable arguments: '«' where a value should begin", "<c>f{city:«Oslo}</c>"]]],
    ),
    "delimiters in a string with quotes": (
        changed(JSON, content_args={"string_delims": [["«", "»"]]}),
        '<c>{«name»:«f»,«arguments»:{"city": "«Oslo»"}}</c>',
        [
            [],
            '<c>{«name»:«f»,«arguments»:{"city": "«Oslo»"}}</c>',
            None,
            [],
            [["unreadable arguments: 'O' where a comma or '}' should stand", '<c>{«name»:«f»,«arguments»:{"city": "«Oslo»"}}</c>']],
        ],
    ),
    "a bare key that the template has no word for": (
        changed(JSON),
        '<c>{name: "f", "arguments": {"city": "Oslo"}}</c>',
        [[OSLO], "", None, ["unquoted_key"], []],
    ),
    "another repair beside a bare key": (
        changed(JSON, content_args={"string_delims": [["«", "»"]], "unquoted_keys": True}),
        "<c>{name: «f», arguments: {city: «Oslo»,}}</c>",
        [[OSLO], "", None, ["trailing_comma"], []],
    ),
    "delimited strings and a bare key that the template has no word for": (
        changed(JSON, content_args={"string_delims": [["«", "»"]]}),
        "<c>{name: «f», «arguments»: {«city»: «Oslo»}}</c>",
        [[OSLO], "", None, ["unquoted_key"], []],
    ),
    # tags
    "tags": (
        described(tool_calls=XML),
        "<c>\n<f=f>\n<p=city>\nOslo\n</p>\n</f></c><c><f=g></c>",
        [[OSLO, ["g", {}]], "", None, [], []],
    ),
    "tags that nothing closes": (
        described(tool_calls=XML),
        "<c><f=f><p=city>Oslo</p>",
        [[OSLO], "", None, ["missing_close_tag"], []],
    ),
    "an opener in a tag": (
        described(tool_calls=XML),
        "<c><f=f><p=city><c><f=g></p></c>",
        [[["f", {"city": "<c><f=g>"}]], "", None, [], []],
    ),
    "no closer before the next call": (
        described(tool_calls=XML),
        "<c><f=f><p=city>Rome</p><c><f=g><p=city>Oslo</p></c>",
        [
            [["g", {"city": "Oslo"}]],
            "<c><f=f><p=city>Rome</p>",
            None,
            [],
            [["another call begins before this one ends", "<c><f=f><p=city>Rome</p>"]],
        ],
    ),
    "an opener at the end": (
        described(tool_calls=XML),
        "<c><f=f>\n",
        [[], "<c><f=f>\n", None, [], [["the text ends behind the opening marker", "<c><f=f>\n"]]],
    ),
    "tags that the end closes": (changed(XML, close=None, close_pattern=r"\Z"), "<c><f=f>", [[["f", {}]], "", None, [], []]),
    "the last of two tags": (
        described(tool_calls=XML),
        "<c><f=f><p=city>Rome</p><p=city>Oslo</p></c>",
        [[OSLO], "", None, ["duplicate_key"], []],
    ),
    "tags of a key are merged": (
        changed(XML, content_args={**XML["content_args"], "merge_duplicates": True, "value_parser": {"name": "json"}}),
        "<c><f=f><p=a>[1]</p><p=a>2</p><p=b>3</p></c>",
        [[["f", {"a": [[1], 2], "b": 3}]], "", None, [], []],
    ),
    "a tag without a value": (
        changed(XML, content_args={"tag_pattern": r"<p=(?P<key>\w+)(?:/>|>(?P<value>.*?)</p>)"}),
        "<c><f=f><p=a/></c>",
        [[["f", {"a": ""}]], "", None, [], []],
    ),
    "a pattern without a value": (
        changed(XML, content_args={"tag_pattern": r"-(?P<key>\w+)"}),
        "<c><f=f>-a -b</c>",
        [[["f", {"a": "", "b": ""}]], "", None, [], []],
    ),
    "a tag without a key": (
        changed(XML, content_args={"tag_pattern": r"<p(?:=(?P<key>\w+))?>(?P<value>.*?)</p>"}),
        "<c><f=f><p>Oslo</p></c>",
        [[], "<c><f=f><p>Oslo</p></c>", None, [], [["a tag without a key", "<c><f=f><p>Oslo</p></c>"]]],
    ),
    # lines
    "lines": (
        described(tool_calls=LINES),
        "@f\ncity: Oslo\n\n at : 10:30\n@@",
        [[["f", {"city": "Oslo", "at": "10:30"}]], "", None, [], []],
    ),
    "lines with other separators": (
        changed(LINES, content_args={"line_sep": ";", "kv_sep": "=", "strip": False}),
        "@f\na= 1; b=x:y@@",
        [[["f", {"a": " 1", " b": "x:y"}]], "", None, [], []],
    ),
    "lines to the end": (
        changed(LINES, close=None),
        "@ping\n",
        [[["ping", {}]], "", None, [], []],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("template", "text", "expected"), TURNS.values(), ids=TURNS)
def test_a_turn_is_read_by_its_template(template: dict[str, Any], text: str, expected: list[Any]) -> None:
    assert read(template, text) == expected
