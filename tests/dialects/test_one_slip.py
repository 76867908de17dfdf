"""One structural character of JSON missing or doubled: what can be recovered, and what is left alone."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import any_text, each, json_values, nightly
from toolconv import dialects
from toolconv.core.lenient_json import Unreadable
from toolconv.core.one_slip import Ambiguous, read_one_slip
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.turn_reader import TurnReader

BODIES = [
    {"name": "get_weather", "arguments": {"city": "Oslo", "days": 3}},
    {"name": "send_mail", "arguments": {"to": ["ann@x.org", "bob@y.org"], "subject": "Hi, there: [1]", "urgent": True}},
    {"name": "book", "arguments": {"options": {"seat": "12A", "meal": None}, "days": 3, "tags": ["a"]}},
    {"name": "search", "arguments": {"query": "best, {cheap}", "filters": {"stars": [4, 5], "price": {"max": 200.5}}}},
    {
        "name": "run",
        "arguments": {"code": 'if (a[0] == "x") {\n  print(y)\n}', "empty": "", "url": "http://x.y/?a=1,2"},
    },
    {"arguments": {"q": "x"}, "name": "find"},
    {"name": "ping", "arguments": {}},
]

MENDED = [
    ('{"a": 1 "b": 2}', {"a": 1, "b": 2}, "missing_comma"),
    ('["a" "b"]', ["a", "b"], "missing_comma"),
    ('{"a" 1}', {"a": 1}, "missing_colon"),
    ('{"a": 1,, "b": 2}', {"a": 1, "b": 2}, "extra_comma"),
    ('{"a":: 1}', {"a": 1}, "extra_colon"),
    ('{"a: "x"}', {"a": "x"}, "missing_quote"),
    ('{a": "x"}', {"a": "x"}, "missing_quote"),
    ('{"a": x", "b": "y"}', {"a": "x", "b": "y"}, "missing_quote"),
    ('{"a": "Oslo, Norway, "b": "y"}', {"a": "Oslo, Norway", "b": "y"}, "missing_quote"),
    ('{""a": "x"}', {"a": "x"}, "extra_quote"),
    ('{"a": "x""}', {"a": "x"}, "extra_quote"),
    ('{"a": ["x", "y"}', {"a": ["x", "y"]}, "missing_bracket"),
    ('{"a": {"b": 1}', {"a": {"b": 1}}, "missing_bracket"),
    ('{{"a": 1}', {"a": 1}, "extra_bracket"),
]

LEFT_ALONE = [
    ('{"a": [["x", "y"]}', "which bracket of the list is the wrong one"),
    ('{"a": {"b": {"c": 1, "d": 2}, "e": 3}', "which object lacks its end"),
    ('["a, 1, "b"]', "where the string ends"),
    ('{"a":"x", "b": y"}', "whether the whitespace belongs to the string"),
    ('{"a": "5" tall", "b": 1}', "a quote inside of a string"),
    ('{"a": "x}', "a string that is cut off"),
    ('{"a" 1 "b" 2}', "more than one character"),
    ('{"a": 1}', "nothing is wrong"),
    ("", "nothing at all"),
]


def anything(_: object) -> int:
    return 1


@each("text, value, repair", MENDED)
def test_what_can_only_mean_one_thing_is_read(text: str, value: object, repair: str) -> None:
    reading = read_one_slip(text, anything)
    assert (reading.value, reading.repairs, reading.end) == (value, [repair], len(text))


@each("text, why", LEFT_ALONE)
def test_what_can_mean_more_than_one_thing_is_not_read(text: str, why: str) -> None:
    with pytest.raises(Unreadable):
        read_one_slip(text, anything)


def test_a_text_that_may_go_on_is_not_completed() -> None:
    assert read_one_slip('{"a": 1', anything).value == {"a": 1}
    with pytest.raises(Unreadable):
        read_one_slip('{"a": 1', anything, ends_here=False)


def structural(body: str) -> Iterator[int]:
    """The places of the characters that are JSON's own."""
    in_string = escaped = False
    for place, char in enumerate(body):
        if char == '"' and not escaped:
            in_string = not in_string
            yield place
        elif not in_string and char in "{}[],:":
            yield place
        escaped = in_string and char == "\\" and not escaped


def slips(body: str) -> Iterator[str]:
    for place in structural(body):
        yield body[:place] + body[place + 1 :]
        yield body[:place] + body[place:][0] + body[place:]


def readings(body: dict[str, Any], tools: ToolIndex) -> list[bool]:
    """For each slip, whether the call is read; one that is not must be noted as dropped."""
    right = []
    for text in slips(json.dumps(body)):
        parsed = dialects.get("hermes").parse(f"<tool_call>\n{text}\n</tool_call>", tools)
        found = [{"name": call.name, "arguments": call.arguments} for call in parsed.calls]
        assert found == [body] or (not found and parsed.dropped), text
        if found and parsed.calls[0].extra is None:
            assert parsed.repairs
        right.append(bool(found))
    return right


def test_most_slips_in_a_call_are_mended_and_none_is_misread() -> None:
    """A general-purpose repairer of JSON reads 8 of 10 such texts as they were meant, and most others otherwise."""
    right = [each for body in BODIES for each in readings(body, ToolIndex())]
    assert sum(right) > 0.9 * len(right)


@nightly
def test_a_slip_is_misread_in_no_dialect_whether_or_not_it_is_named() -> None:
    """Where one dialect finds several readings of the arguments, no other picks one of them."""
    for dialect in dialects.all_dialects():
        for body in BODIES[2:3] if dialect.calls is not None else ():
            call = ToolCall(body["name"], body["arguments"])
            call.id = dialect.call_id(call, 0)
            text, wanted = dialect.render([call]), (call.name, call.arguments)
            spelled = [json.dumps(call.arguments), json.dumps(call.arguments, separators=(",", ":"))]
            given = next((each for each in spelled if each in text and len(each) > 2), None)
            for slip in slips(given) if given else ():
                for reader in (TurnReader(named=dialect), TurnReader()):
                    read = reader.read(text.replace(given or "", slip)).calls if not _is_json(slip) else []
                    assert [(each.name, each.arguments) for each in read] in ([], [wanted]), slip


@pytest.mark.exhaustive
def test_no_other_dialect_picks_a_reading() -> None:
    for body in BODIES:
        for text in slips(json.dumps(body)):
            read = TurnReader().read(f"<tool_call>\n{text}\n</tool_call>").calls
            assert [{"name": each.name, "arguments": each.arguments} for each in read] in ([], [body]), text


def test_a_schema_decides_between_readings() -> None:
    body = BODIES[1]
    schema = {"to": {"type": "array", "items": {"type": "string"}}, "subject": {}, "urgent": {}}
    tool = {"type": "function", "function": {"name": "send_mail", "parameters": {"properties": schema}}}
    assert sum(readings(body, ToolIndex([tool]))) > sum(readings(body, ToolIndex()))


@given(st.dictionaries(any_text(max_size=6), json_values, max_size=3), st.data())
def test_no_call_with_a_slip_is_misread(arguments: dict[str, object], data: st.DataObject) -> None:
    body = json.dumps({"name": "f", "arguments": arguments})
    text = data.draw(st.sampled_from([text for text in slips(body) if not _is_json(text)]))
    try:
        value = read_one_slip(
            text, lambda value: isinstance(value, dict) and value.keys() == {"name", "arguments"}
        ).value
    except Unreadable:
        return
    assert json.dumps(value) == body


def _is_json(text: str) -> bool:
    """Whether a slip goes unseen: a comma between the digits of two numbers, for example."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "text", ['{"a":' * 50_000, '["a" ' * 50_000, '{"a": "' + "x, " * 100_000, '{"a": [' + "[1], " * 50_000 + "]}"]
)
def test_a_hostile_text_is_given_up_in_time(text: str) -> None:
    start = time.process_time()
    with pytest.raises(Unreadable):
        read_one_slip(text, anything)
    assert time.process_time() - start < 2


def test_too_many_places_are_ambiguous() -> None:
    with pytest.raises(Ambiguous):
        read_one_slip('{"a": [' + "[1], " * 500 + "[1]}", anything)
