"""Literals as Python reads them, and what models write beside Python, with the repairs that say so."""

from __future__ import annotations

import ast
import json
from typing import Any

from tests.conftest import each
from toolconv.core.lenient_json import Unreadable
from toolconv.dialects.values.python_values import (
    Expression,
    Name,
    Undecided,
    key_of,
    spell_double,
    spell_double_json_objects,
    spell_single,
    spell_single_json_objects,
)


def read(text: str, follow: str = ",)") -> tuple[Any, list[str]]:
    """The value that a text is up to what follows it, and the repairs."""
    expression = Expression(f"{text},")
    value = expression.value(0, follow)
    assert expression.blanks(expression.at) == len(text)
    return value, expression.named_repairs()


def as_json(value: Any) -> Any:
    """A literal of Python as JSON has it: tuples and sets are lists, keys are texts."""
    if isinstance(value, dict):
        return {key if isinstance(key, str) else json.dumps(key): as_json(member) for key, member in value.items()}
    if isinstance(value, list | tuple | set):
        return [as_json(item) for item in value]
    return value


LITERALS = [
    "1", "-1", "+1", "0", "00", "1_000", "1_000.5", "0x1F", "0X1f", "-0xff", "0o17", "0O7", "0b101", "0B1", "1.5", "1.", ".5",
    "-.5", "1e5", "1E5", "1e-5", "1.5e+3", "1_0e1", "True", "False", "None", "''", '""', "'a'", '"a"', "'a b'",
    r"'a\'b'", r'"a\"b"', r"'a\nb'", r"'\t\r\a\b\f\v'", r"'\\'", r"'\x41'", r"'\u00e9'", r"'\U0001f600'", r"'\101'", r"'\0'",
    r"'\7x'", r"'\N{DEGREE SIGN}'", r"'\N{LATIN SMALL LETTER E WITH ACUTE}x'", r"r'\d\w'", r"R'\n'", "u'é'",
    "U'a'", r"r'a\'b'", "'''a'b\"c'''", '"""a"b"""', "'''a\nb'''", "'a' 'b'", "'a' \"b\"", "'a'\n 'b'", "'a\\\nb'", "[]", "[1]",
    "[1, 2]", "[1, 2,]", "[ 1 , 2 ]", "()", "(1,)", "(1)", "(1, 2)", "((1, 2), 3)", "[[1], [2, [3]]]", "{}", "{'a': 1}",
    "{'a': 1,}", "{'a': {'b': [1, (2,)]}}", "{2: 'a', 1.5: 'b', None: 'c', True: 'd'}", "{1}", "{'a', }", "[None, True]",
    "[\n1, # one\n2]", "{ 'a' : 1 , 'b' : 2 }", "('a' 'b')", "(('a'))", "['a' 'b', 'c']",
]  # fmt: skip


@each("text", LITERALS)
def test_a_literal_is_what_python_reads(text: str) -> None:
    for written in (text, f" {text} ", f"[{text}]", f"({text}, 1)", f"{{'k': {text}}}"):
        value = as_json(ast.literal_eval(f"({written})"))
        assert json.dumps(read(written)[0]) == json.dumps(value), written


REPAIRED = [
    ("true", True, []),
    ("false", False, []),
    ("null", None, []),
    ("007", 7, ["leading_zero"]),
    ("-08", -8, ["leading_zero"]),
    ("“a”", "a", ["smart_quotes"]),
    ("‘a’", "a", ["smart_quotes"]),
    ("'a' 'b'", "ab", ["joined_strings"]),
    ("'a\nb'", "a\nb", ["unescaped_newline"]),
    ("'a\rb'", "a\rb", ["unescaped_newline"]),
    ("'a\\\nb'", "ab", []),
    ("[1, # one\n2]", [1, 2], ["comment"]),
    ("{a: 1}", {"a": 1}, ["unquoted_key"]),
    ("{a : 1, 'b': 2}", {"a": 1, "b": 2}, ["unquoted_key"]),
    ('{"a": true, "b": null}', {"a": True, "b": None}, []),
    ("f'a'", "a", []),
    ("f'{{a}}'", "{a}", []),
    ("F'a{{'", "a{", []),
    ("fr'a'", "a", []),
    ("rf'\\n'", "\\n", []),
    ("'\\q'", "\\q", []),
    ("'\\N{no such name}'", "\\N{no such name}", []),
    ("'\\U00110000'", "\\U00110000", []),
    ("'\\U0010ffff'", "\U0010ffff", []),
    ("'\\ud83d\\ude00'", "\U0001f600", []),
]


@each("text, value, repairs", REPAIRED)
def test_what_models_write_beside_python(text: str, value: Any, repairs: list[str]) -> None:
    found, made = read(text)
    assert json.dumps(found) == json.dumps(value)
    assert made == repairs


UNREADABLE = [
    "", "ping()", "a", "a.b", "1/6", "1 + 2", "1.2.3", "1__0", "0x", "0b2", "--1", "'a", '"a', "'''a'", "“a", "[1", "[1 2]",
    "[1,,2]", "{'a' 1}", "{'a': }", "{[1]: 2}", "{1, 'a': 2}", "b'a'", "x'a'", "ur'a'", "f'{x}'", "f'{{{x}}}'", "@", "1e999e",
    "True1", "(1", "(,)", "1_",
]  # fmt: skip


@each("text", UNREADABLE)
def test_other_text_has_no_reading(text: str) -> None:
    try:
        found = read(text)
    except (Unreadable, Undecided, AssertionError):
        return
    raise AssertionError(f"{text!r} was read as {found}")


def test_nesting_has_a_limit() -> None:
    assert read("[" * 40 + "]" * 40)[0] is not None
    for text in ("[" * 500 + "]" * 500, "{'a':" * 500 + "1" + "}" * 500):
        try:
            Expression(text).value(0, "")
        except Unreadable as error:
            assert "nested more than" in error.reason
        else:
            raise AssertionError("it was read")


def test_a_quote_in_a_string_leaves_open_where_it_ends() -> None:
    text = "'it's here', 'b')"
    try:
        Expression(text).value(0, ",)")
    except Undecided as undecided:
        assert (undecided.start, undecided.ends) == (0, [10, 15])
    assert Expression(text, quotes={0: 10}).value(0, ",)") == "it's here"


ARGUMENTS = [
    ("a=1, b='x')", [("a", 1), ("b", "x")]),
    (")", []),
    ("1, 'x')", [(None, 1), (None, "x")]),
    ("a = 1 ,)", [("a", 1)]),
    ("a=1, # one\nb=2)", [("a", 1), ("b", 2)]),
    ("**{'a': 1})", [("**", {"a": 1})]),
    ("a\\_b=1)", [("a_b", 1)]),
    ("a=x.y)", [("a", Name("x.y"))]),
    ("a=x)", [("a", Name("x"))]),
    ("a=None, b=true)", [("a", None), ("b", True)]),
    ("a-b=1)", [("a-b", 1)]),
    ("a=[1, 2], b={'c': (3,)})", [("a", [1, 2]), ("b", {"c": [3]})]),
]


@each("text, arguments", ARGUMENTS)
def test_arguments_of_a_call(text: str, arguments: list[tuple[str | None, Any]]) -> None:
    expression = Expression(f"{text} + 1")
    assert [tuple(each) for each in expression.arguments(0)] == arguments
    assert expression.at == len(text)


@each("text", ["a=1 b=2)", "a=1", "a=)", "a=1,,)", "a=1]", "=1)", "a==1)", "a=b())", "'x' 1)"])
def test_other_arguments_have_no_reading(text: str) -> None:
    try:
        found = Expression(text).arguments(0)
    except (Unreadable, Undecided):
        return
    raise AssertionError(f"{text!r} was read as {found}")


def test_arguments_end_where_the_call_s_markup_does() -> None:
    expression = Expression("a=1</call>", stops=("</call>",))
    assert [tuple(each) for each in expression.arguments(0)] == [("a", 1)]
    assert (expression.at, expression.named_repairs()) == (3, ["missing_bracket"])
    try:
        Expression("</call>", stops=("</call>",)).arguments(0)
    except Unreadable as error:
        assert error.reason == "the text ends inside the arguments"
    else:
        raise AssertionError("nothing was said of the missing bracket")


@each("value, key", [("a", "a"), (1, "1"), (1.5, "1.5"), (None, "null"), (True, "true"), ("", "")])
def test_a_key_of_an_object(value: Any, key: str) -> None:
    assert key_of(value, 0) == key


VALUES = [
    None, True, 1, -1.5, "", "a", "it's", 'say "a"', "a\nb\tc\rd", "\\", "\x00\x1f\x7f", "é", "日本", [], [1, [2]], {},
    {"a": None}, {"it's": {"b": [True, "c"]}}, [{"a": "b"}],
]  # fmt: skip


@each("value", VALUES)
def test_what_is_written_is_read_by_python(value: Any) -> None:
    for spell in (spell_single, spell_double):
        assert ast.literal_eval(spell(value).replace("\\u007f", "\\x7f")) == value
    for spell in (spell_single_json_objects, spell_double_json_objects):
        text = spell(value)
        assert (json.loads(text) if isinstance(value, dict) else ast.literal_eval(text)) == value
    for spell in (spell_single, spell_double, spell_single_json_objects, spell_double_json_objects):
        assert json.dumps(read(spell(value))[0]) == json.dumps(value)
    assert spell_single("it's") == r"'it\'s'"
    assert spell_single("a\x1f\x7f") == r"'a\x1f\x7f'"
