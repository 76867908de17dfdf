"""Values in tags: where they end, and which types texts get that no schema settles."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import each, toolconv
from toolconv import dialects
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.call_template import Hole
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.values.python_values import (
    spell_double,
    spell_double_json_objects,
    spell_single,
    spell_single_json_objects,
)

TAGGED = [
    dialect for dialect in dialects.all_dialects() if isinstance(dialect, XmlParameters) or dialect.name == "beam"
]
each_tagged = pytest.mark.parametrize("dialect", TAGGED, ids=[dialect.name for dialect in TAGGED])


def declares(properties: dict[str, Any]) -> ToolIndex:
    return ToolIndex([{"function": {"name": "f", "parameters": {"type": "object", "properties": properties}}}])


UNSETTLED = [
    NO_TOOLS,
    declares({}),
    *(
        declares({"a": schema})
        for schema in (
            {},
            {"description": "zip"},
            {"pattern": "[0-9]+"},
            {"type": ["integer", "string"]},
            {"oneOf": [{"type": "number"}, {"type": "string"}, {"type": "array"}]},
        )
    ),
]
LOOKS = ["02139", "+14155550123", "1.10", "1e5", "-0", ".5", "5.", "(1, 2)", "TRUE", '["x" "y"]', "[01]", "[1.50]",
         '{"a":1, "b":2}', "NaN", "1_000", "0x1F", " 3", "none", "1e16", "{'a': 1}", "1２", "1²", "1e400"]  # fmt: skip
CANONICAL = ["3", "-7", "1.5", "true", "null", "[1, 2]", "[1,2]", '{"a": "\\u00e9"}', '{"a": {"b": null}}', "1e+16"]
texts = st.sampled_from(LOOKS + CANONICAL) | st.from_regex(r"[-+]?[0-9.eE]{1,8}", fullmatch=True)


def spellings(dialect: Dialect, value: Any) -> set[str]:
    """Every way in which the standard library writes a value, and the family's templates."""
    assert dialect.calls is not None
    ways = [dialect.calls.spells("value"), *((name,) for name in dialect.calls.also_spelled)]
    own = {dialect.calls.spelling(Hole("value", way))(value) for way in ways}
    separators = (None, (",", ":"))
    return own | {json.dumps(value, ensure_ascii=flag, separators=sep) for flag in (True, False) for sep in separators}


@each_tagged
@given(text=texts, tools=st.sampled_from(UNSETTLED))
def test_a_text_without_a_type_spells_back(dialect: Dialect, text: str, tools: ToolIndex) -> None:
    (call,) = dialect.parse(dialect.render([ToolCall("f", {"a": text})]), tools).calls
    value = call.arguments["a"]
    assert value == text or text in spellings(dialect, value)
    assert call.untyped == (type(value) is not str)
    as_text = ToolIndex(tools.tools, infer=False)
    (call,) = dialect.parse(dialect.render([ToolCall("f", {"a": text})]), as_text).calls
    assert call.arguments == {"a": text} and not call.untyped


@pytest.mark.parametrize("text", [*LOOKS, pytest.param("9" * 4301, id="4301 digits")])
def test_what_does_not_spell_back_stays_text(text: str) -> None:
    for name in ("glm45", "qwen3_xml", "minimax_m2", "anthropic_xml", "minimax_m3"):
        (call,) = dialects.get(name).parse(dialects.get(name).render([ToolCall("f", {"a": text})])).calls
        assert call.arguments == {"a": text}


@pytest.mark.whole
@pytest.mark.parametrize("text", [*CANONICAL, '["\\u00e9"]', pytest.param("9" * 4300, id="4300 digits")])
def test_what_spells_back_is_the_value(text: str) -> None:
    for name in ("glm45", "qwen3_xml", "minimax_m2", "anthropic_xml", "minimax_m3"):
        (call,) = dialects.get(name).parse(dialects.get(name).render([ToolCall("f", {"a": text})])).calls
        assert call.arguments == {"a": json.loads(text)}


TYPED: list[tuple[Any, str, Any, list[str]]] = [
    ("integer", "7", 7, []),
    ("integer", " +7 ", 7, []),
    ("integer", "9" * 4300, 10**4300 - 1, []),
    ("integer", "9" * 4301, "9" * 4301, ["type_mismatch"]),
    ("integer", "3.0", 3.0, []),
    ("integer", "3.5", "3.5", ["type_mismatch"]),
    ("integer", "1２", "1２", ["type_mismatch"]),
    ("integer", "x", "x", ["type_mismatch"]),
    ("number", "3.5", 3.5, []),
    ("number", ".5", 0.5, []),
    ("number", "1e400", "1e400", ["type_mismatch"]),
    (["integer", "string"], "3", 3, []),
    (["integer", "string"], "3.0", 3.0, []),
    (["integer", "string"], "3.5", "3.5", []),
    (["number", "string"], "3.5", 3.5, []),
    ("object", '{"a": 1}', {"a": 1}, []),
    ("object", "{'a': 1}", {"a": 1}, []),
    ("object", '{"a": 1,}', {"a": 1}, ["trailing_comma"]),
    ("object", "", "", ["type_mismatch"]),
    ("object", "[1]", "[1]", ["type_mismatch"]),
    ("object", "[1,]", "[1,]", ["type_mismatch"]),
    ("array", "[1]", [1], []),
    ("array", "(1, 2)", [1, 2], []),
    ("array", '{"a": 1}', '{"a": 1}', ["type_mismatch"]),
    (["array", "object"], "[1,]", [1], ["trailing_comma"]),
]
"""Types that a parameter may have, a text, and what it is."""


@each("kind, text, value, repairs", TYPED)
def test_a_text_is_a_value_of_its_type(kind: Any, text: str, value: Any, repairs: list[str]) -> None:
    parsed = dialects.get("glm45").parse(
        dialects.get("glm45").render([ToolCall("f", {"a": text})]), declares({"a": {"type": kind}})
    )
    assert [call.arguments for call in parsed.calls] == [{"a": value}]
    assert type(parsed.calls[0].arguments["a"]) is type(value) and parsed.repairs == repairs


@pytest.mark.parametrize(("name", "python"), [("qwen3_xml", True), ("step3", True), ("glm45", False)])
def test_words_of_python_count_where_the_family_writes_them(name: str, python: bool) -> None:
    (call,) = dialects.get(name).parse(dialects.get(name).render([ToolCall("f", {"a": "True", "b": "true"})])).calls
    assert call.arguments == {"a": True if python else "True", "b": True}


def closing_of(dialect: Dialect) -> str:
    """The closing tag of the argument ``a``, with the line break before it."""
    assert dialect.calls is not None
    pieces = dialect.calls.param_pieces
    value = next(at for at, piece in enumerate(pieces) if isinstance(piece, Hole) and piece.word == "value")
    return "".join(piece if isinstance(piece, str) else "a" for piece in pieces[value + 1 :]).rstrip("\n")


def after_the_first_argument(dialect: Dialect, put_in: str) -> str:
    """A call whose first argument is followed by something that has no place there."""
    text = dialect.render([ToolCall("f", {"a": "Oslo", "b": 3})])
    closing = closing_of(dialect)
    at = text.index(closing, text.index("Oslo")) + len(closing)
    return text[:at] + put_in.replace("CLOSE", closing) + text[at:]


TYPES = declares({"a": {"type": "string"}, "b": {"type": "integer"}})


@each("dialect", TAGGED)
@each("tools", [NO_TOOLS, TYPES])
@each(
    "put_in, repair",
    [
        ("\nand then\n", "prose_in_call"),
        (" and then ", "prose_in_call"),
        ("CLOSE", "extra_close_tag"),
        ("<|im_end|>", "leaked_token"),
        ("\n<|im_end|>\n", "leaked_token"),
    ],
)
def test_what_has_no_place_between_arguments_costs_none(
    dialect: Dialect, tools: ToolIndex, put_in: str, repair: str
) -> None:
    token = next((token for token in dialect.turn_tokens if token not in getattr(dialect, "ends", ())), "<|im_end|>")
    parsed = dialect.parse(after_the_first_argument(dialect, put_in.replace("<|im_end|>", token)), tools)
    assert [call.arguments for call in parsed.calls] == [{"a": "Oslo", "b": 3}]
    assert parsed.repairs == [repair] and not parsed.dropped
    assert ("and then" in parsed.content) == ("and then" in put_in)


@pytest.mark.parametrize("dialect", [d for d in TAGGED if d.name != "minimax_m3"], ids=lambda dialect: dialect.name)
@given(data=st.data())
def test_a_value_that_holds_a_closing_tag_is_read_whole(dialect: Dialect, data: st.DataObject) -> None:
    closing = closing_of(dialect).strip()
    word = st.sampled_from(["see", "x = 1", "a b"])
    value = f"{data.draw(word)} {closing} {data.draw(word)}"
    parsed = dialect.parse(dialect.render([ToolCall("f", {"a": value, "b": 3})]), TYPES)
    assert [call.arguments for call in parsed.calls] == [{"a": value, "b": 3}]
    assert not parsed.repairs  # the dialect itself writes this text for this value


def test_what_was_typed_by_its_looks_is_counted() -> None:
    text = dialects.get("glm45").render([ToolCall("f", {"a": 1, "b": "02139", "c": [1]})])
    run = toolconv("parse", "--from", "glm45", "--strict", "--receipt", "/dev/stderr", "-q", stdin=text)
    assert run.status == 0 and '"untyped_values": 2' in run.err
    assert run.rows[0]["messages"][0]["tool_calls"][0]["function"]["arguments"] == {"a": 1, "b": "02139", "c": [1]}
    run = toolconv("parse", "--from", "glm45", "--untyped", "text", stdin=text)
    assert run.rows[0]["messages"][0]["tool_calls"][0]["function"]["arguments"] == {"a": "1", "b": "02139", "c": "[1]"}


PYTHON = [
    r"'\101\x41\u0041\N{BULLET}'", "'a\\\nb'", "u'x'", r"r'\n'", "{1, 2}", "(1, 'a')", "(1,)", "()", "(1)",
    "'''a\nb'''", "0o17", "0x1F", "1_000", "1e5", "-3", "+3", "[[[1]]]", "True", "None", "{'a': {'b': ['c']}}",
    "{1: 'a', None: 'c', 2.5: 'd'}", "[1,  2 ]", '"it\'s"', "''",
]  # fmt: skip
"""Literals of Python: the standard library says what they mean."""
TOLERATED = [
    ("[1, # one\n 2]", [1, 2], "comment"),
    ("'a' 'b'", "ab", "joined_strings"),
    ("'a' u'b'", "ab", "joined_strings"),
    ("'a'b'c'", "a'b'c", "inner_quotes"),
    ("'a\nb'", "a\nb", "unescaped_newline"),
    ("'a\rb'", "a\rb", "unescaped_newline"),
    ("007", 7, "leading_zero"),
    ("{a: 1}", {"a": 1}, "unquoted_key"),
    ("{'a': 1, 'a': 2}", {"a": 2}, "duplicate_key"),
    ("f'{{x}}'", "{x}", None),
    ("f'x}}'", "x}", None),
    (r"'\ud83d\ude00'", "\U0001f600", None),
    (r"'\U00110000'", r"\U00110000", None),
    (r"'\N{NO SUCH NAME}'", r"\N{NO SUCH NAME}", None),
    (r"'\q'", r"\q", None),
    ("true", True, None),
]
NO_VALUES = [
    "b'x'",
    "f'{x}'",
    "{(1, 2): 3}",
    "1j",
    "...",
    "{'a', 'b': 1}",
    "{'b': 1, 'a'}",
    "{'b': 1, 2}",
    "{'a' 1}",
    "x.y",
    "nan",
]


def as_json(value: Any) -> Any:
    """A value of Python as JSON has it: tuples and sets are lists, keys are texts."""
    if isinstance(value, dict):
        return {key if isinstance(key, str) else json.dumps(key): as_json(item) for key, item in value.items()}
    return [as_json(item) for item in value] if isinstance(value, tuple | set | list) else value


@each("literal", PYTHON)
def test_literals_of_python(literal: str) -> None:
    parsed = dialects.get("pythonic").parse(f"[f(a={literal})]")
    assert [call.arguments for call in parsed.calls] == [{"a": as_json(ast.literal_eval(literal))}]
    assert parsed.repairs == []


@each("literal, value, repair", TOLERATED)
def test_what_is_almost_a_literal_of_python(literal: str, value: Any, repair: str | None) -> None:
    parsed = dialects.get("pythonic").parse(f"[f(a={literal})]")
    assert [call.arguments for call in parsed.calls] == [{"a": value}]
    assert parsed.repairs == ([repair] if repair else [])


@each("literal", NO_VALUES)
def test_what_is_no_value_in_python_drops_its_call(literal: str) -> None:
    parsed = dialects.get("pythonic").parse(f"[f(a={literal})]")
    assert not parsed.calls and len(parsed.dropped) == 1


@pytest.mark.parametrize(("more", "is_read"), [(31, True), (32, False)])
def test_as_many_ways_to_end_a_string_are_tried_as_all_of_them(more: int, is_read: bool) -> None:
    tools = declares({"a": {"type": "string"}, "b": {"type": "string"}})
    quotes = "'," * more
    parsed = dialects.get("pythonic").parse(f"""[f('it's', "{quotes}")]""", tools)
    assert [call.arguments for call in parsed.calls] == ([{"a": "it's", "b": quotes}] if is_read else [])
    assert parsed.repairs == ["positional_argument", "inner_quotes"] * is_read and len(parsed.dropped) == (not is_read)


WRITTEN = ["it's", "a\\b", "a\nb\r\t", "\x01\x7f", 'say "x"', "é", {"a": ["b'", None, True]}, [1, 2.5, {"c": {}}], ""]


@each("value", WRITTEN)
def test_python_reads_what_is_written_as_python(value: Any) -> None:
    assert ast.literal_eval(spell_single(value)) == value
    assert ast.literal_eval(spell_double(value)) == value
    is_object = isinstance(value, dict)
    assert spell_single_json_objects(value) == (json.dumps(value) if is_object else spell_single(value))
    assert spell_double_json_objects(value) == (json.dumps(value) if is_object else spell_double(value))


@pytest.mark.parametrize(("depth", "is_read"), [(200, True), (201, False), (100_000, False)])
def test_how_deep_a_value_may_nest(depth: int, is_read: bool) -> None:
    text = "[" * depth + "'x'" + "]" * depth
    parsed = dialects.get("pythonic").parse(f"[f(a={text})]")
    assert [each.reason for each in parsed.dropped] == ([] if is_read else ["nested more than 200 deep"])
    assert len(parsed.calls) == is_read
    dialect, tools = dialects.get("qwen3_xml"), declares({"a": {"type": "array"}})
    parsed = dialect.parse(dialect.render([ToolCall("f", {"a": text})]), tools)
    assert parsed.repairs == ([] if is_read else ["type_mismatch"])
    assert (parsed.calls[0].arguments["a"] == text) != is_read


@pytest.mark.parametrize("name", ["gemma4", "functiongemma"])
def test_delimited_values(name: str) -> None:
    dialect = dialects.get(name)
    assert dialect.calls is not None
    mark = dialect.calls.delimiter
    (call,) = dialect.parse(dialect.render([ToolCall("f", {"a": "Oslo", "b": 3})]).replace(":3", ":1.10")).calls
    assert call.arguments == {"a": "Oslo", "b": "1.10"}
    parsed = dialect.parse(dialect.render([ToolCall("f", {"note": f"see {mark}<|im_end|> there", "opts": [1]})]))
    assert not parsed.calls and len(parsed.dropped) == 1  # nothing says which delimiter ends the string
    leaked = dialect.render([ToolCall("f", {"a": "Oslo", "b": 3})]).replace(f"Oslo{mark}", f"Oslo{mark}<|im_end|>")
    parsed = dialect.parse(leaked)
    assert parsed.calls[0].arguments == {"a": "Oslo", "b": 3} and parsed.repairs == ["leaked_token"]


def test_a_string_never_goes_on_in_the_next_argument() -> None:
    parsed = dialects.get("pythonic").parse("[f(a='Ann'', b='hi', c='x'), g(q='y')]")
    assert [(call.name, call.arguments) for call in parsed.calls] == [("g", {"q": "y"})] and len(parsed.dropped) == 1


def test_no_call_is_made_out_of_a_string() -> None:
    call = ToolCall("g", {"a": "<|python_tag|>f(a=1)", "b": '"'})
    dialect = dialects.get("llama4_pythonic")
    assert dialect.parse(dialect.render([call])).calls == [call]


def test_a_value_that_ends_before_it_fits_its_type_is_dropped() -> None:
    dialect = dialects.get("step3")
    text = dialect.render([ToolCall("f", {"b": 3187, "flag": "on"})])
    text = text.replace("3187</steptml:parameter>", "3187</steptml:parameter> so that ")
    assert [call.arguments for call in dialect.parse(text, TYPES).calls] == [{"b": 3187, "flag": "on"}]
    whole = {"b": {"html": '</steptml:parameter><steptml:parameter name="c">'}, "c": "x"}
    tools = declares({"b": {"type": "object"}, "c": {"type": "string"}})
    parsed = dialect.parse(dialect.render([ToolCall("f", whole)]), tools)
    assert not parsed.calls and len(parsed.dropped) == 1  # the text reads as a part of an object, and further arguments
