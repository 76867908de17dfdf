"""The strict and the tolerant reader, as tables."""

from __future__ import annotations

import contextlib
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolconv import jsonlike, jsontext

EXACT = [
    "18446744073709551616",
    "-9223372036854775809",
    "123456789012345678901234567890",
    "100000000000000000000",
    "1.0",
    "1e-7",
    "3.14159265358979323846264338327950288",
    "0.1",
    "1e-400",
    "-3E-0324",
    "[2.5e-308,1e-999999999999999999999999,0.0]",
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


@pytest.mark.parametrize("number", ["1e-400", "3e-324", "2.5e-308", "0.10000000000000000555", "18446744073709551616"])
@pytest.mark.parametrize("form", ["%s", "[%s]", '{"a": %s}', '{"a": [1, %s , 2]}', '{"a": %s\n}'])
def test_no_reader_rounds(form: str, number: str) -> None:
    text = form % number
    for value in (jsontext.loads(text), jsontext.loads(text.encode()), jsontext.loads_row(text.encode())[0]):
        assert number in jsontext.dumps(value).decode()
    for safe in (False, True):
        with contextlib.suppress(ValueError):
            assert number in jsontext.dumps(jsontext.loads_plain(text, safe=safe)).decode()


@pytest.mark.parametrize("text", ["0e-400", "1e-300", '"a3e-4123-9c4e-4"', '{"id": "1e-400-9"}'])
def test_what_looks_like_a_number_close_to_0(text: str) -> None:
    assert jsontext.loads(text) == json.loads(text)
    assert not isinstance(jsontext.loads(text), jsontext.ExactFloat)


@pytest.mark.parametrize(
    ("python", "written"),
    [
        (".12345678901234567890", "0.12345678901234567890"),
        ("+1.12345678901234567890", "1.12345678901234567890"),
        ("12345678901234567890.", "12345678901234567890.0"),
        ("1_0.12345678901234567890", "10.12345678901234567890"),
        ("-007.12345678901234567890", "-7.12345678901234567890"),
        ("-.5e-400", "-0.5e-400"),
        ("+1e-400", "1.0e-400"),
        ("-0.5", "-0.5"),
    ],
)
def test_a_number_of_python_is_written_as_json(python: str, written: str) -> None:
    value = jsonlike.read(f"[{python}]").value
    assert jsontext.dumps(value).decode() == f"[{written}]"
    assert json.loads(jsontext.dumps(value)) == [float(python)]


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
    reading = jsonlike.read(text, stops=("</end>",))
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
    with pytest.raises(jsonlike.Unreadable):
        jsonlike.read(text)


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
    reading = jsonlike.read(text + after)
    assert json.dumps(reading.value) == text
    assert reading.end == len(text)
    assert reading.repairs == []


@given(st.text(alphabet="{}[]\"'“”,: \\ntTrue1.5eE-/#*\n", max_size=60))
def test_reading_is_total(text: str) -> None:
    try:
        reading = jsonlike.read(text)
    except jsonlike.Unreadable as error:
        assert str(error)
    else:
        assert 0 < reading.end <= len(text)


@pytest.mark.parametrize("text", ['{"a":' * 200_000, "[" * 1_000_000, '"' * 1_000_000, "{'" * 500_000, "#" * 1_000_000])
def test_a_hostile_megabyte_is_read_in_linear_time(text: str) -> None:
    start = time.process_time()
    with contextlib.suppress(jsonlike.Unreadable):
        jsonlike.read(text)
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


@pytest.mark.parametrize("pad", ["", "x" * 5_000])
@pytest.mark.parametrize("row", [r'{"a":1,"a":2,"b":"\\u003a","p":"P"}', '{"a": 1,  "a":2,"c": 3, "p":"P"}'])
def test_what_stands_elsewhere_hides_no_repeated_key(row: str, pad: str) -> None:
    line = row.replace("P", pad)
    assert jsontext.loads_row(line.encode())[1] == ["a"]
    assert jsontext.repeated_keys(line, json.loads(line)) == ["a"]
    with pytest.raises(ValueError, match="twice"):
        jsontext.loads_plain(line)


LONG = st.text(alphabet=st.sampled_from('a"\\\\\n: ,é😀{}'), min_size=1, max_size=3).map(lambda text: text * 700)


@given(st.dictionaries(st.text("abé", max_size=3), LONG | json_values | st.lists(LONG, max_size=3)), st.booleans())
def test_long_lines_are_read_like_short_ones(value: dict[str, object], ascii_only: bool) -> None:
    line = json.dumps({**value, "end": "x" * 4000}, ensure_ascii=ascii_only)
    for twice in (line, f'{{"p": "{"y" * 1500}", "end": 2, {line[1:]}'):
        try:
            read = jsontext.loads_row(twice.encode())
        except UnicodeEncodeError:
            return
        assert jsontext.dumps(read[0]) == jsontext.dumps(jsontext.loads(twice))
        assert read[1] == ([] if twice is line else ["end"])


@pytest.mark.parametrize("start", range(4))
def test_a_long_number_is_seen_wherever_it_begins(start: int) -> None:
    line = json.dumps({"a": "\xe9" + "x" * start})[:-1] + ', "n": 0.1000000000000000055}'
    assert jsontext.dumps(jsontext.loads_row(line.encode())[0]).endswith(b'"n":0.1000000000000000055}')
    with pytest.raises(ValueError, match="beyond"):
        jsontext.loads_plain(line)


def test_loads_row_keeps_numbers_whole() -> None:
    line = '{"pad": "%s", "n": 18446744073709551616, "f": 0.12345678901234567890}' % ("x" * 5000)
    assert jsontext.dumps(jsontext.loads_row(line.encode())[0]).endswith(
        b',"n":18446744073709551616,"f":0.12345678901234567890}'
    )
