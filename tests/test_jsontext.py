"""The strict and the tolerant reader, as tables."""

from __future__ import annotations

import contextlib
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolconv import jsontext

EXACT = [
    "18446744073709551616",
    "-9223372036854775809",
    "123456789012345678901234567890",
    "100000000000000000000",
    "1.0",
    "1e-7",
    "3.14159265358979323846264338327950288",
    "0.1",
    '{"b":1,"a":2}',
    '"\\ud800"',
    '{"\\udfff":"\\ud800x"}',
    '["\\u2028","é","😀"]',
    "[[],{},null,true,false]",
]


@pytest.mark.parametrize("text", EXACT)
def test_what_went_in_comes_out(text: str) -> None:
    written = jsontext.dumps(jsontext.loads(text)).decode()
    assert written == text.replace("\\u2028", "\u2028")


@pytest.mark.parametrize(
    ("text", "spaced"),
    [
        ('{"a":[0.10000000000000000555,{}],"b":"é"}', '{"a": [0.10000000000000000555, {}], "b": "é"}'),
        (
            "[[3.14159265358979323846264338327950288,null,true]]",
            "[[3.14159265358979323846264338327950288, null, true]]",
        ),
    ],
)
def test_every_spelling_keeps_all_digits(text: str, spaced: str) -> None:
    value = jsontext.loads(text)
    assert jsontext.spaced(value) == spaced
    assert jsontext.compact(value) == text
    assert jsontext.dumps(jsontext.loads(jsontext.pretty(value))).decode() == text
    assert str([jsontext.loads("0.10000000000000000555")]) == "[0.10000000000000000555]"


@pytest.mark.parametrize("text", ["NaN", "Infinity", "[-Infinity]", "1e999", "", "[1,]", "{'a':1}", "[" * 100_000])
def test_strict_refuses(text: str) -> None:
    with pytest.raises(ValueError):
        jsontext.loads(text)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('{"a":1,"a":2}', ["a"]),
        ('{"x":{"a":":","a" : "b:c"},"y":[{"b":1,"b":1}]}', ["a", "b"]),
        ('{"a":"\\"a\\":1","b":2}', []),
        ('{"url":"http://x:80/","t":"12:30"}', []),
    ],
)
def test_repeated_keys(text: str, keys: list[str]) -> None:
    assert jsontext.repeated_keys(text, json.loads(text)) == keys
    assert jsontext.repeated_keys(text.encode(), json.loads(text)) == keys


REPAIRED = [
    ('{"a": 1,}', {"a": 1}, ["trailing_comma"]),
    ("[1, 2, ]", [1, 2], ["trailing_comma"]),
    ("{'a': 'x'}", {"a": "x"}, ["single_quotes"]),
    ("""{"a": 'x', 'b': "y"}""", {"a": "x", "b": "y"}, ["single_quotes"]),
    ('{“a”: “it’s "x"”}', {"a": 'it’s "x"'}, ["smart_quotes"]),
    ('{"a": True, "b": None, "c": False}', {"a": True, "b": None, "c": False}, ["python_literal"]),
    ('{"a": "x\ny\tz"}', {"a": "x\ny\tz"}, ["unescaped_newline", "unescaped_tab"]),
    ('{"a": 1, // one\n "b": 2 /* two */}', {"a": 1, "b": 2}, ["comment"]),
    ('{"a": {"b": "x"}', {"a": {"b": "x"}}, ["truncated"]),
    ('{"a": ["x"', {"a": ["x"]}, ["truncated"]),
    ('{"a": "x"</end>', {"a": "x"}, ["missing_bracket"]),
    ('{a: "x"}', {"a": "x"}, ["unquoted_key"]),
    ('{"a": 0x10, "b": 1_000, "c": .5}', {"a": 16, "b": 1000, "c": 0.5}, ["python_number"]),
    (r'{"a": "it\'s \d"}', {"a": "it's \\d"}, ["invalid_escape"]),
    ("{'a': 'it\\'s \\x41\\u00e9'}", {"a": "it's Aé"}, ["single_quotes"]),
    (r"""{'a': '\ud83d\ude00'}""", {"a": "😀"}, ["single_quotes"]),
    ('{"a": 1, "a": 2, }', {"a": 2}, ["duplicate_key", "trailing_comma"]),
    ('{"a": 123456789012345678901234567890,}', {"a": 123456789012345678901234567890}, ["trailing_comma"]),
]


@pytest.mark.parametrize(("text", "value", "repairs"), REPAIRED, ids=[case[0][:30] for case in REPAIRED])
def test_repairs_are_named(text: str, value: object, repairs: list[str]) -> None:
    reading = jsontext.read(text, stops=("</end>",))
    assert reading.value == value
    assert sorted(reading.repairs) == sorted(repairs)


UNREADABLE = [
    ("{'name': 'ATP (Men's Singles)'}", "an apostrophe that may or may not end the string"),
    ('{"p": 1/6}', "a fraction is no value"),
    ('{"city": "Par', "cut inside a string"),
    ('{"days": 1', "cut after a digit: the number may go on"),
    ('{"da', "cut inside a key"),
    ('{"days":', "cut before a value"),
    ('{"f": JSON.stringify(x)}', "an expression"),
    ('{"a": b}', "a name"),
    ('{"a": NaN}', "no JSON value"),
    ('{"a" "b"}', "no colon"),
    ('{"a": 1 "b": 2}', "no comma"),
    ('{"a": "say "hi""}', "quotes inside quotes"),
    ("[" * 300, "nested too deeply"),
    ("", "nothing"),
]


@pytest.mark.parametrize(("text", "why"), UNREADABLE, ids=[case[1] for case in UNREADABLE])
def test_nothing_is_invented(text: str, why: str) -> None:
    with pytest.raises(jsontext.Unreadable):
        jsontext.read(text)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_round_trip(value: object) -> None:
    again = jsontext.loads(jsontext.dumps(value))
    assert jsontext.dumps(again) == jsontext.dumps(value)


@given(st.dictionaries(st.text(max_size=8), json_values, min_size=1), st.text(max_size=5))
def test_the_tolerant_reader_agrees_with_the_strict_one(value: dict[str, object], after: str) -> None:
    text = json.dumps(value)
    reading = jsontext.read(text + after)
    assert json.dumps(reading.value) == text
    assert reading.end == len(text)
    assert reading.repairs == []


@given(st.text(alphabet="{}[]\"'“”,: \\ntTrue1.5eE-/#*\n", max_size=60))
def test_reading_is_total(text: str) -> None:
    try:
        reading = jsontext.read(text)
    except jsontext.Unreadable as error:
        assert str(error)
    else:
        assert 0 < reading.end <= len(text)


@pytest.mark.parametrize("text", ['{"a":' * 200_000, "[" * 1_000_000, '"' * 1_000_000, "{'" * 500_000, "#" * 1_000_000])
def test_a_hostile_megabyte_is_read_in_linear_time(text: str) -> None:
    start = time.process_time()
    with contextlib.suppress(jsontext.Unreadable):
        jsontext.read(text)
    assert time.process_time() - start < 2


@given(json_values, st.booleans(), st.booleans())
def test_loads_row_is_loads_and_repeated_keys(value: object, spaced: bool, ascii_only: bool) -> None:
    long = {"pad": "x" * 4000, "value": value}
    for row in ({"value": value}, long):
        text = json.dumps(row, ensure_ascii=ascii_only, separators=(", ", ": ") if spaced else (",", ":"))
        line = text.encode("utf-8", "surrogatepass")
        assert jsontext.dumps(jsontext.loads_row(line)[0]) == jsontext.dumps(jsontext.loads(line))
        assert jsontext.loads_row(line)[1] == []


@pytest.mark.parametrize("pad", ["", "x" * 5000])
@pytest.mark.parametrize("line", ['{"a": 1, "b": {"c": "p", "c": "p"}, "p": "P"}', '{"a":1,"b":{"c":2,"c":2},"p":"P"}'])
def test_loads_row_reports_repeated_keys(line: str, pad: str) -> None:
    assert jsontext.loads_row(line.replace("P", pad).encode())[1] == ["c"]


def test_loads_row_keeps_numbers_whole() -> None:
    line = '{"pad": "%s", "n": 18446744073709551616, "f": 0.12345678901234567890}' % ("x" * 5000)
    assert jsontext.dumps(jsontext.loads_row(line.encode())[0]).endswith(
        b',"n":18446744073709551616,"f":0.12345678901234567890}'
    )
