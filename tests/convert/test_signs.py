"""The signs by which parts of a row are known: both sides of what is prose, a turn or a declaration."""

from __future__ import annotations

from typing import Any

from tests.conftest import each, words
from toolconv import Options, Receipt, convert_rows
from toolconv.convert.unread.gone import _builds, _is_fact
from toolconv.convert.unread.signs import (
    are_plain,
    are_written_calls,
    declares,
    is_known_part,
    is_messages,
    is_prose,
    is_short,
    is_text_part,
    is_words,
    objects_in,
    speaker_of,
    turn_text,
)
from toolconv.core import jsontext

Row = dict[str, Any]


ASKED = {"role": "user", "content": "Is the host up?"}
ANSWERED = {"role": "assistant", "content": "It is up today."}
TEXT = "The quick answer differs from all that was said."


def unread(row: Row) -> dict[str, int]:
    """What nobody reads of a row, by kind."""
    receipt = Receipt()
    list(convert_rows([row], Options(to_layout="openai"), receipt=receipt))
    return dict(receipt.unread)


# ── texts ──


@each(
    "text, prose",
    [
        ("one two three four", True), ("one two three", False), ("Yes.", True), ("Yes!", True), ("Yes?", True), ("Yes…", True),
        ("是。", True), ("是！", True), ("是？", True), ("Yes. ", True), ("Yes", False), ("12.", False), ("...", False), ("", False),
        ("一二三四五六七", False), ("一二三四五六七八", True), ("éééééééé", False), ("x" * 32 + "一二三四五六七八", False),
        ("x" * 24 + "一二三四五六七八", True),
    ],
)  # fmt: skip
def test_prose(text: str, prose: bool) -> None:
    assert is_prose(text) is prose


@each("text, some", [("two words", True), ("one", False), ("Yes.", True), ("data:image/png;base64,AAAA", True), ("x" * 100 + ";base64,", False)])  # fmt: skip
def test_words(text: str, some: bool) -> None:
    assert is_words(text) is some


@each("text, short", [("yes", True), ("two words", True), ("yes1", False), ("one two three four", False), ("{a b", False), ("[a b", False), (" x1 ", False)])  # fmt: skip
def test_a_short_text(text: str, short: bool) -> None:
    assert is_short(text) is short


# ── turns, parts and calls ──


@each(
    "turn, name",
    [
        ({"role": "user"}, "user"), ({"who": "human"}, "human"), ({"author": {"role": "user"}}, "user"),
        ({"speaker": {"role": "user"}}, "user"), ({"other": {"role": "user"}}, ""), ({"text": "user"}, ""),
        ({"content": "user"}, ""), ({"x": "nobody", "y": "gpt"}, "gpt"), ({"x": 7}, ""), ({}, ""),
    ],
)  # fmt: skip
def test_the_speaker_of_a_turn(turn: Row, name: str) -> None:
    assert speaker_of(turn) == name


@each(
    "value, key",
    [
        ({"role": "user", "content": "a"}, "content"), ({"role": "user", "text": "a"}, "text"),
        ({"role": "user", "blocks": ["a"]}, "blocks"), ({"role": "user", "contents": ["a"]}, "contents"),
        ({"role": "user", "content": ""}, None), ({"role": "user", "content": {"a": 1}}, "content"), ({"content": "a"}, None),
        ({"role": "nobody", "content": "a"}, None), ("a", None),
    ],
)  # fmt: skip
def test_the_text_of_a_turn(value: Any, key: str | None) -> None:
    assert turn_text(value) == key


@each(
    "text, found",
    [
        ('{"role": "user", "content": "a"}', True), ('{"role": "user", "parts": []}', True),
        ('{"role": "assistant", "tool_calls": []}', True), ('{"role": "user"}', False), ('{"role": 7, "content": "a"}', False),
        ('[{"role": "user", "content": "a"}]', True), ('[{"role": "user"}]', False), ("[]", False), ('["a b c d"]', True),
        ('["a"]', False), ('[1, {"role": "user", "content": "a"}]', False),
        ('[{"index": 0, "text": "a"}]', True), ('[{"index": 0, "message": {}}]', True), ('[{"type": "text", "text": "a"}]', True),
        ('[{"text": "a"}]', False), ('[{"index": 0}]', False), ('{"role": "user", "content": "a"}\n{"b": 1}', True),
        ("plain", False),
    ],
)  # fmt: skip
def test_the_json_of_messages(text: str, found: bool) -> None:
    assert is_messages(text) is found


PARAMETERS = {"type": "object", "properties": {"host": {"type": "string"}}}


@each(
    "value, found",
    [
        ({"type": "function", "function": {"name": "f"}}, True),
        ({"type": "function", "function": {"parameters": {}}}, True),
        ({"type": "function", "function": {"name": "f", "arguments": "{}"}}, False),
        ({"name": "f", "parameters": PARAMETERS}, True),
        ({"name": "f", "description": "d", "params": {"a": 1}}, True),
        ({"api_name": "f", "api_description": "d", "parameters": {"a": 1}}, True),
        ({"tool_name": "f", "tool_description": "d", "parameters": {"a": 1}}, True),
        ({"name": "f", "description": "d"}, False), ({"name": "f", "params": {"a": 1}}, False),
        ({"toolSpec": {"name": "f"}}, True), ({"toolSpec": 7}, False), ({"x": 1}, False), ([], False), ("f", False),
        ([{"name": "f", "parameters": PARAMETERS}], True),
        ({"functionDeclarations": [{"name": "f", "parameters": PARAMETERS}]}, True),
        ({"function_declarations": [{"name": "f", "parameters": PARAMETERS}]}, True),
    ],
)  # fmt: skip
def test_a_declaration(value: Any, found: bool) -> None:
    assert declares(value) is found


CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}


@each(
    "calls, plain",
    [
        (None, True), ([], True), ({}, True), ({"a": 1}, False), ([CALL], True), ([{"function": CALL["function"]}], True),
        ([{"name": "f"}], False), ([{"function": {"name": "f"}}], False), ([{"function": {"name": "", "arguments": "{}"}}], False),
        ([{"function": {"arguments": "{}"}}], False), ([{**CALL, "index": 0}], True), ([{**CALL, "note": "It is up now."}], False),
        ([{**CALL, "more": {}}], False), ([{**CALL, "thought": "x"}], False), ([{**CALL, "result": "x"}], False),
        ([{**CALL, "function": {"name": "f", "arguments": "", "index": 0}}], False),
        ([{**CALL, "function": {"name": "f", "arguments": "{}", "output": 1}}], False), ([7], False),
    ],
)  # fmt: skip
def test_calls_that_say_nothing_more(calls: Any, plain: bool) -> None:
    assert are_plain(calls) is plain


@each(
    "key, value, found",
    [
        ("x", ["f(a=1)"], True), ("x", ["f(a=1)", "g(b='x')"], True), ("x", ["f()"], False), ("x", ["f(a=1"], False),
        ("x", ["a b(a=1)"], False), ("x", ["f(a=1)", 7], False), ("x", [], False), ("x", "f(a=1)", False),
        ("x", [{"f": {"a": 1}}], True), ("summary", [{"f": {"a": 1}}], False), ("summary", ["f(a=1)"], True),
        ("x", [{"f": {}}], False), ("x", [{"f": 1}], False), ("x", [{"f": {"a": 1}, "g": {"b": 1}}], False),
        ("x", [{"f g": {"a": 1}}], False), ("x", [{"image_url": {"url": "u"}}], False),
    ],
)  # fmt: skip
def test_calls_in_the_notation_of_programs(key: str, value: Any, found: bool) -> None:
    assert are_written_calls(key, value) is found


@each("part, plain", [("a", True), ({"type": "text", "text": "a"}, True), ({"type": "text"}, False), ({"type": "image", "text": "a"}, False)])  # fmt: skip
def test_a_part_that_is_a_text(part: Any, plain: bool) -> None:
    assert is_text_part(part) is plain


@each("word", words("result results server mcp"))
def test_a_word_for_what_a_provider_runs(word: str) -> None:
    assert is_known_part({"type": f"x_{word}"}) and is_known_part({"block_type": f"x_{word}"})
    assert not is_known_part({"type": f"x{word}"})


@each(
    "key",
    words(
        "source data url uri path file file_id file_url file_data fileUri input_audio value base64 bytes image_id content "
        "text audio cachePoint citationsContent codeExecutionResult document executableCode guardContent image image_url "
        "searchResult video"
    ),
)
def test_a_key_of_what_media_are(key: str) -> None:
    assert is_known_part({"type": "image", key: "x"})
    assert not is_known_part({"type": "image", f"my_{key}": "x"})


@each("text, count", [('{"a": 1}\n{"b": 2}', 2), ('{"a": 1}', 0), ('{"a": 1}\n[2]', 0), ("a\nb", 0)])
def test_objects_one_a_line(text: str, count: int) -> None:
    assert len(objects_in(text)) == count


# ── what calls and messages hold beside what is read ──


def beside(call: Row | None = None, message: Row | None = None, **row: Any) -> dict[str, int]:
    """What nobody reads of a row with further keys in its call, in the turn of the call, or of its own."""
    turn = {"role": "assistant", "content": None, "tool_calls": [{**CALL, **(call or {})}], **(message or {})}
    result = {"role": "tool", "tool_call_id": "a", "content": "1"}
    return unread({"messages": [ASKED, turn, result, ANSWERED], **row})


@each("key", words("result results output response observation outcome returned"))
def test_a_result_in_a_call(key: str) -> None:
    assert beside({key: "It is up, by all signs."}) == {"messages": 1}
    assert beside({"function": {**CALL["function"], key: 7}}) == {"messages": 1}  # type: ignore[dict-item]
    assert beside({f"{key}_no": 7}) == {}


@each("key", words("reasoning thinking thought thoughts rationale"))
def test_reasoning_in_a_call(key: str) -> None:
    assert beside({key: "so"}) == {"messages": 1}
    assert beside({f"{key}_no": "so"}) in ({}, {"messages": 1})
    assert beside({f"{key}no": "so"}) == {}


@each("word", words("train trained trainable training loss mask masked learn"))
def test_a_flag_that_may_say_whether_to_train(word: str) -> None:
    for key in (f"is_{word}_ok", f"{word}Ok"):
        assert beside(message={key: True}) == {"mark": 1}, key
    assert beside(message={f"{word}ok": True}) == {}


@each(
    "word",
    words(
        "type kind id uuid index null bool encrypted protected signature thought mime step created jsonrpc object format key "
        "name source event state status model version date stop count reason"
    ),
)
def test_a_word_in_the_key_of_how_a_row_is_built(word: str) -> None:
    assert _builds(("", f"my_{word}")) and _builds(("", f"my_{word}", "0"))
    assert not _builds(("", f"my{word}")) and not _builds(("", f"my_{word}", "x"))


@each("word", words("time timestamp timeout metadata usage tokens"))
def test_a_word_in_the_key_of_a_measure_of_a_run(word: str) -> None:
    assert _is_fact(7, ("", "a", f"my_{word}")) and _is_fact(7, ("", f"my_{word}", "a", "b"))
    assert not _is_fact(7, ("", f"my_{word}", "a", "b", "c")) and not _is_fact(7, ("", f"my{word}"))


def test_numbers_keep_their_digits_in_json_with_spaces() -> None:
    exact = jsontext.loads('{"a": 0.10000000000000000555, "b": [1.5, "x"]}')
    assert jsontext.spaced(exact) == '{"a": 0.10000000000000000555, "b": [1.5, "x"]}'
    assert jsontext.spaced({"a": 1.5, "b": ["é", None, True]}) == '{"a": 1.5, "b": ["é", null, true]}'
    assert jsontext.spaced([]) == "[]" and jsontext.spaced("x") == '"x"'
