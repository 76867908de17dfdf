"""Each spelling of the core's tables, where it is read: names of types, keys of calls, words of keys, odd delimiters."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import each
from toolconv import dialects
from toolconv.core import jsontext, lenient_json
from toolconv.core.call_keys import argument_key, rare_argument_key, unread_key
from toolconv.core.key_words import is_key_of_calls, says_arguments
from toolconv.core.lenient_json import Unreadable
from toolconv.core.tools import ToolIndex
from toolconv.core.type_names import TYPES, meant, type_of


def words(text: str) -> list[str]:
    """The words of a table."""
    return text.split()


# ── names of types ──

# Sources: the types of Python, Java, JavaScript, SQL and Go, as the tools of xLAM, ToolACE, API-Bank, BFCL and ACEBench
# have them.
NAMES = {
    "string": "string str text char character varchar date datetime time timestamp url uri email path uuid bytes enum",
    "integer": "integer int long short int32 int64 uint bigint byte",
    "number": "number float double decimal numeric float32 float64 real complex",
    "boolean": "boolean bool",
    "object": "object dict map hashmap hashtable mapping json struct record",
    "array": "array list arr arraylist tuple set sequence iterable vector stack queue",
    "null": "null none nonetype nil undefined",
}


@each("kind, names", NAMES.items())
def test_names_of_a_type(kind: str, names: str) -> None:
    for name in names.split():
        for spelled in (name, name.upper(), f" {name.capitalize()} ", f"{name}, optional", f"{name} (required)"):
            assert meant(spelled) == {"type": kind}, spelled
        assert meant(f"{name}[]") == {"type": "array", "items": {"type": kind}}
        assert meant(f"Optional[{name}]") == {"type": [kind, "null"]}
        assert meant(f"x{name}") is None


@each("name", ["any", "mixed", "unknown", "union"])
def test_names_of_any_type(name: str) -> None:
    assert meant(name) == {}
    assert meant(f"{name}[]") == {"type": "array"}


@each(
    "name, schema",
    [
        ("Dict[str, List[int]]", {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}}),
        ("Map<String, Map<String, Integer>>", {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "integer"}}}),
        ("dict(str, tuple(int, int))", {"type": "object", "additionalProperties": {"type": "array"}}),
        ("Union[Tuple[int, int], str]", {"type": ["array", "string"]}),
        ("Union[str, Dict[str, int]]", {}),
        ("Literal['a', \"b\"]", {"type": "string"}),
        ("Literal['a', 2]", {}),
        ("int[5]", None),
        ("str, default 'a, b'", {"type": "string"}),
    ],
)  # fmt: skip
def test_names_of_types_in_types(name: str, schema: dict[str, Any] | None) -> None:
    assert meant(name) == schema


@each("value, kind", [(None, "null"), (1, "integer"), (1.0, "number"), (True, "boolean"), ({}, "object"), ([], "array"), ("", "string"), ((), "tuple")])  # fmt: skip
def test_the_type_of_a_value(value: Any, kind: str) -> None:
    assert type_of(value) == kind
    assert kind in TYPES or kind == "tuple"


# ── keys of calls ──

PING = {"name": "ping", "parameters": {"type": "object", "properties": {"host": {"type": "string"}}}}
TOOLS = ToolIndex([{"type": "function", "function": PING}])


def names_in(text: str) -> list[Any]:
    """The calls that a text of no known model holds."""
    turn = dialects.get("generic").parse(text, TOOLS)
    return [[call.name, call.arguments] for call in turn.calls]


CALL = ["ping", {"host": "a"}]
ARGUMENTS = (
    "arguments parameters input args params kwargs argument parameter inputs tool_input tool_args tool_arguments tool_kwargs "
    "tool_parameters function_args function_arguments function_parameters action_input"
)


@each("key", ARGUMENTS.split())
def test_a_key_of_arguments(key: str) -> None:
    assert names_in(json.dumps({"name": "ping", key: {"host": "a"}})) == [CALL]
    assert argument_key({"name": "ping", key: {"host": "a"}, "note": {"b": 1}}) == key
    assert argument_key({"name": "ping", key: '{"host": "a"}', "note": {"b": 1}}) == key
    if key not in ("arguments", "parameters", "input", "args"):
        assert rare_argument_key({"name": "ping", key: {"host": "a"}}) == key
        assert rare_argument_key({"name": "ping", key: "a"}) is None


@each("key", words("name tool_name function tool function_name recipient_name toolName func fn action call"))
def test_a_key_of_a_tool_s_name(key: str) -> None:
    assert names_in(json.dumps({key: "ping", "arguments": {"host": "a"}})) == [CALL]


@each(
    "key",
    words("tool_calls tool_uses tool_call function_call function_calls calls toolCalls toolCall functionCall"),
)
def test_a_key_of_calls_of_an_object(key: str) -> None:
    call = {"name": "ping", "arguments": {"host": "a"}}
    assert names_in(json.dumps({key: [call]})) == [CALL]
    assert names_in(json.dumps({"content": "Wait.", key: [call]})) == [CALL]


@each("key", ["tool", "call", "action"])
def test_a_key_of_one_call(key: str) -> None:
    assert names_in(json.dumps({key: {"name": "ping", "arguments": {"host": "a"}}})) == [CALL]


@each("key", ["content", "thought", "thoughts", "reasoning"])
def test_a_key_of_words_beside_a_call(key: str) -> None:
    for beside in ("tool_calls", "function_call"):
        assert names_in(json.dumps({key: "Wait.", beside: [{"name": "ping", "arguments": {"host": "a"}}]})) == [CALL]


# Keys of calls in the APIs of OpenAI, Anthropic, Gemini, LiteLLM and LangChain, none of which holds arguments.
@each(
    "key",
    words(
        "call_id content description error id index output reasoning response result results role status strict thought thoughts "
        "tool_call_id tool_calls type cache_control caller extra_content function metadata provider_specific_fields"
    ),
)
def test_a_key_of_a_call_that_holds_no_arguments(key: str) -> None:
    assert unread_key({"name": "ping", key: {"host": "a"}}) is None
    assert unread_key({"name": "ping", f"my_{key}": {"host": "a"}}) == f"my_{key}"


# ── words of keys ──


@each("word", words("call calls tool tools function functions action actions use uses invoke invocation invocations"))
def test_a_word_for_calls(word: str) -> None:
    assert is_key_of_calls(word) and is_key_of_calls(word.upper())
    for beside in ("api", "model", "assistant", "parallel", "raw", "request", "requests"):
        assert is_key_of_calls(f"{beside}_{word}"), beside
        assert not is_key_of_calls(beside)
    assert not is_key_of_calls(f"{word}_count")


@each("word", words("input inputs args arguments kwargs params parameters"))
def test_a_word_for_arguments(word: str) -> None:
    assert says_arguments(f"tool_{word}") and says_arguments(f"function{word.capitalize()}")
    assert says_arguments(f"{word}_as_json") and says_arguments(f"{word}_json")
    assert not says_arguments(word) and not says_arguments(f"my_{word}")


# ── odd delimiters of JSON ──

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
        with pytest.raises(Unreadable):
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
