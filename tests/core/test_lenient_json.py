"""The tolerant reader of what models write, as tables and laws."""

from __future__ import annotations

import contextlib
import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import any_text, each, json_values
from toolconv.core import jsontext, lenient_json

REPAIRED = [
    ('{"a": 1,}', {"a": 1}, ["trailing_comma"]),
    ("[1, 2, ]", [1, 2], ["trailing_comma"]),
    ("{'a': 'x'}", {"a": "x"}, ["single_quotes"]),
    ("""{"a": 'x', 'b': "y"}""", {"a": "x", "b": "y"}, ["single_quotes"]),
    ('{“a”: “it’s "x"”}', {"a": 'it’s "x"'}, ["smart_quotes"]),
    ('{"a": True, "b": None, "c": False}', {"a": True, "b": None, "c": False}, ["python_literal"]),
    ('{"a": "x\ny\tz"}', {"a": "x\ny\tz"}, ["unescaped_newline", "unescaped_tab"]),
    ('{"a": 1, // one\n "b": 2 /* two */}', {"a": 1, "b": 2}, ["comment"]),
    ('{"a": "x"</end>', {"a": "x"}, ["missing_bracket"]),
    ('{a: "x"}', {"a": "x"}, ["unquoted_key"]),
    ('{"a": 0x10, "b": 1_000, "c": .5}', {"a": 16, "b": 1000, "c": 0.5}, ["python_number"]),
    (r'{"a": "it\'s \d"}', {"a": "it's \\d"}, ["invalid_escape"]),
    (r'{"a": "C:\Users\new\test 1.txt"}', {"a": r"C:\Users\new\test 1.txt"}, ["invalid_escape"]),
    (r'{"a": "\\srv\share\new"}', {"a": r"\\srv\share\new"}, ["invalid_escape"]),
    (r'{"a": "C:\\Users\new\d"}', {"a": "C:\\Users\new\\d"}, ["invalid_escape"]),
    (r'{"a": "C:\Users: a\nb"}', {"a": "C:\\Users: a\nb"}, ["invalid_escape"]),
    (r"{'a': 'C:\Users\new'}", {"a": r"C:\Users\new"}, ["single_quotes"]),
    ("{'a': 'it\\'s \\x41\\u00e9'}", {"a": "it's Aé"}, ["single_quotes"]),
    (r'{"a": "caf\u00e9",}', {"a": "café"}, ["trailing_comma"]),
    (r"{'a': '\U0010ffff \U00110000'}", {"a": "\U0010ffff \\U00110000"}, ["single_quotes"]),
    (r'{"a": "\x41 \U0010ffff",}', {"a": r"\x41 \U0010ffff"}, ["invalid_escape", "trailing_comma"]),
    ("{'a': 'x\\\ny'}", {"a": "xy"}, ["single_quotes"]),
    ('{"a": "x\\\ny"}', {"a": "x\\\ny"}, ["invalid_escape"]),
    ('{“a”: “x "y" z”}', {"a": 'x "y" z'}, ["smart_quotes"]),
    (r"""{'a': '\ud83d\ude00'}""", {"a": "😀"}, ["single_quotes"]),
    ('{"a": 1, "a": 2, }', {"a": 2}, ["duplicate_key", "trailing_comma"]),
    ('{"a": 123456789012345678901234567890,}', {"a": 123456789012345678901234567890}, ["trailing_comma"]),
]


@each("text, value, repairs", REPAIRED)
def test_repairs_are_named(text: str, value: object, repairs: list[str]) -> None:
    reading = lenient_json.read(text, stops=("</end>",))
    assert reading.value == value
    assert sorted(reading.repairs) == sorted(repairs)


UNREADABLE = [
    ("{'name': 'ATP (Men's Singles)'}", "an apostrophe that may or may not end the string"),
    ('{"p": 1/6}', "a fraction is no value"),
    ('{"city": "Par', "cut inside a string"),
    ('{"city": "Par\\', "cut inside an escape"),
    ('{"days": 1', "cut after a digit: the number may go on"),
    ('{"da', "cut inside a key"),
    ('{"days":', "cut before a value"),
    ('{"f": JSON.stringify(x)}', "an expression"),
    ('{"a": b}', "a name"),
    ('{"a": NaN}', "no JSON value"),
    ('{"a" "b"}', "no colon"),
    ('{"a": 1 "b": 2}', "no comma"),
    ('{"a": "say "hi""}', "quotes inside quotes"),
    ('{"a": {"b": "x"}', "cut before the end of an object"),
    ('{"a": ["x"', "cut before the end of a list"),
    ('{"a": ["x",', "cut after a comma"),
    ("[" * 300, "nested too deeply"),
    ("", "nothing"),
]


@each("text, why", UNREADABLE)
def test_nothing_is_invented(text: str, why: str) -> None:
    with pytest.raises(lenient_json.Unreadable):
        lenient_json.read(text)


@pytest.mark.parametrize(
    ("text", "value", "unclosed"),
    [
        ('{"a": {"b": "x"}', {"a": {"b": "x"}}, [{"a": {"b": "x"}}]),
        ('{"a": ["x",', {"a": ["x"]}, [{"a": ["x"]}, ["x"]]),
        ('{"a": {', {"a": {}}, [{"a": {}}, {}]),
    ],
)
def test_what_a_cut_leaves_open_is_listed(text: str, value: object, unclosed: list[object]) -> None:
    reading = lenient_json.read(text, cut=True)
    assert (reading.value, reading.unclosed) == (value, unclosed)
    assert "truncated" in reading.repairs


@pytest.mark.parametrize("text", ['{"a": {</end>', '{"a": ["x",</end>'])
def test_no_object_or_list_is_made_up_before_a_marker(text: str) -> None:
    with pytest.raises(lenient_json.Unreadable):
        lenient_json.read(text, stops=("</end>",))


@each(
    "python, written",
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
    value = lenient_json.read(f"[{python}]").value
    assert jsontext.dumps(value).decode() == f"[{written}]"
    assert json.loads(jsontext.dumps(value)) == [float(python)]


@given(st.dictionaries(any_text(max_size=8), json_values, min_size=1), any_text(max_size=5))
def test_the_tolerant_reader_agrees_with_the_strict_one(value: dict[str, object], after: str) -> None:
    text = json.dumps(value)
    reading = lenient_json.read(text + after)
    assert json.dumps(reading.value) == text
    assert reading.end == len(text)
    assert reading.repairs == []


@given(st.text(alphabet="{}[]\"'“”,: \\ntTrue1.5eE-/#*\n", max_size=60))
def test_reading_is_total(text: str) -> None:
    try:
        reading = lenient_json.read(text)
    except lenient_json.Unreadable as error:
        assert str(error)
    else:
        assert 0 < reading.end <= len(text)


@pytest.mark.parametrize("text", ['{"a":' * 200_000, "[" * 1_000_000, '"' * 1_000_000, "{'" * 500_000, "#" * 1_000_000])
def test_a_hostile_megabyte_is_read_in_linear_time(text: str) -> None:
    start = time.process_time()
    with contextlib.suppress(lenient_json.Unreadable):
        lenient_json.read(text)
    assert time.process_time() - start < 2


# ── odd delimiters and escapes ──

BLANKS = "\u00a0\u2002\u2003\u2009\u202f\u3000\u200b\u200c\u200d\u2060\ufeff"


@each("blank", BLANKS)
def test_an_odd_blank_between_tokens(blank: str) -> None:
    reading = lenient_json.read(f'{{{blank}"a"{blank}:{blank}1,{blank}"b":{blank}"x{blank}y"{blank}}}')
    assert reading.value == {"a": 1, "b": f"x{blank}y"}
    assert set(reading.repairs) <= {"odd_blank"}
    assert reading.repairs or blank in "\u00a0\ufeff"


@each("odd, plain", zip("：，、；｛｝［］", ":,,;{}[]", strict=True))
def test_a_delimiter_of_full_width(odd: str, plain: str) -> None:
    text = '{"a": [1, 2], "b": "x：，、；｛｝［］y"}'
    if plain == ";":
        with pytest.raises(lenient_json.Unreadable):
            lenient_json.read('{"a": 1；"b": 2}')
        return
    outside = text.replace(plain, odd)
    reading = lenient_json.read(outside)
    assert reading.value == {"a": [1, 2], "b": "x：，、；｛｝［］y"}
    assert reading.repairs == ["full_width"]


@each("opening, closing", ["“”", "„“", "„”", "‟”", "«»", "＂＂", "‘’"])
def test_quotation_marks_of_print(opening: str, closing: str) -> None:
    reading = lenient_json.read(f"{{{opening}a{closing}: {opening}x y{closing}, {opening}b{closing}: 1}}")
    assert reading.value == {"a": "x y", "b": 1}
    assert "smart_quotes" in reading.repairs


# RFC 8259, section 7; Python's language reference, "Escape sequences".
ESCAPES = {'\\"': '"', "\\\\": "\\", "\\/": "/", "\\b": "\b", "\\f": "\f", "\\n": "\n", "\\r": "\r", "\\t": "\t"}
PYTHON_ESCAPES = {"\\'": "'", "\\a": "\a", "\\v": "\v", "\\0": "\0", "\\x41": "A", "\\u0041": "A", "\\U0001F600": "😀"}


@each("written, char", ESCAPES.items())
def test_an_escape_of_json(written: str, char: str) -> None:
    reading = lenient_json.read(f'["x{written}y",]')
    assert (reading.value, reading.repairs) == ([f"x{char}y"], ["trailing_comma"])


@each("written, char", PYTHON_ESCAPES.items())
def test_an_escape_of_python(written: str, char: str) -> None:
    assert lenient_json.read(f"['x{written}y']").value == [f"x{char}y"]


@each(
    "text, value, repairs",
    [
        ("[0x1F]", [31], ["python_number"]), ("[+7]", [7], ["python_number"]), ("[1_000.5]", [1000.5], ["python_number"]),
        ("[7.]", [7.0], ["python_number"]), ("[.5e2]", [50.0], ["python_number"]), ("[-0.5E-1, ]", [-0.05], ["trailing_comma"]),
        ("[True, False, None]", [True, False, None], ["python_literal"]), ("[true, false, null, ]", [True, False, None], ["trailing_comma"]),
        ("{$a_1: 1}", {"$a_1": 1}, ["unquoted_key"]), ("[1, # one\n 2]", [1, 2], ["comment"]),
    ],
)  # fmt: skip
def test_what_programs_write_for_json(text: str, value: Any, repairs: list[str]) -> None:
    reading = lenient_json.read(text)
    assert jsontext.dumps(reading.value) == jsontext.dumps(value)
    assert reading.repairs == repairs
