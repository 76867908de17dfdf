"""Exact JSON in and out, as tables and laws."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import each, json_values
from toolconv.core import jsontext

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


@each("text", EXACT)
def test_what_went_in_comes_out(text: str) -> None:
    written = jsontext.dumps(jsontext.loads(text)).decode()
    assert written == text.replace("\\u2028", "\u2028")


@pytest.mark.whole
@pytest.mark.parametrize("number", ["1e-400", "3e-324", "2.5e-308", "0.10000000000000000555", "18446744073709551616"])
@pytest.mark.parametrize("form", ["%s", "[%s]", '{"a": %s}', '{"a": [1, %s , 2]}', '{"a": %s\n}'])
def test_no_reader_rounds(form: str, number: str) -> None:
    text = form % number
    for value in (jsontext.loads(text), jsontext.loads(text.encode()), jsontext.loads_row(text.encode())[0]):
        assert number in jsontext.dumps(value).decode()
    for safe in (False, True):
        with contextlib.suppress(ValueError):
            assert number in jsontext.dumps(jsontext.loads_plain(text, safe=safe)).decode()
    with contextlib.suppress(ValueError):
        assert jsontext.dumps(jsontext.loads_each_plain(["{}", text])).decode().count(number) == 1


@pytest.mark.parametrize(
    "texts",
    [["{}"], ['{"a": 1}', '{"b": [1, {"c": "x y"}]}'], ['{"a": 1.50}', "[]"], ['{"a": "\\u00e9"}', '{\n"a": 1\n}']],
)
def test_several_texts_at_once(texts: list[str]) -> None:
    assert jsontext.loads_each_plain(texts) == list(map(json.loads, texts))


@each(
    "texts",
    [
        ['{"a": 1}', '{"a": 1, "a": 2}'],
        ['{"a": "b', 'c"}'],
        ['{"a": [1', "2]}"],
        ['{"a": [{"b": 1}', '{"c": 2}]}, {"d": 3}'],
        ["1, 2", "3"],
        ["{}", ""],
        ["[" * 300 + "]" * 300, "1"],
    ],
)
def test_texts_that_are_no_json_one_by_one(texts: list[str]) -> None:
    with pytest.raises(ValueError, match=r".*"):
        jsontext.loads_each_plain(texts)


@pytest.mark.parametrize("text", ["0e-400", "1e-300", '"a3e-4123-9c4e-4"', '{"id": "1e-400-9"}'])
def test_what_looks_like_a_number_close_to_0(text: str) -> None:
    assert jsontext.loads(text) == json.loads(text)
    assert not isinstance(jsontext.loads(text), jsontext.ExactFloat)


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


@each("text", ["NaN", "Infinity", "[-Infinity]", "1e999", "", "[1,]", "{'a':1}", "[" * 100_000])
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


@given(json_values)
def test_round_trip(value: object) -> None:
    again = jsontext.loads(jsontext.dumps(value))
    assert jsontext.dumps(again) == jsontext.dumps(value)


@pytest.mark.parametrize("write", [jsontext.dumps, jsontext.dumps_sorted, jsontext.dumps_line, jsontext.dumps_indented])
def test_tuples_are_lists_whatever_they_hold(write: Callable[[object], bytes]) -> None:
    for value in ("a", "\ud800", 2**70):
        assert write([("f", {"b": value, "a": 1})]) == write([["f", {"b": value, "a": 1}]])


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

LISTS = st.lists(LONG | st.fixed_dictionaries({"role": st.just("user"), "content": LONG}), max_size=3)


@given(st.dictionaries(st.text("abé", max_size=3), LONG | json_values | LISTS), st.booleans())
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
