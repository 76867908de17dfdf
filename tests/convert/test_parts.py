"""The small parts of a conversion, both sides of what each decides."""

from __future__ import annotations

from collections import UserList
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import each
from toolconv.convert.client_answers import as_data, parsed_answer
from toolconv.convert.decoding import MAX_LAYERS, layers
from toolconv.convert.loss_reasons import MAX_SENTENCES, OTHERS, LossReasons, add_reasons, count_reasons
from toolconv.convert.options import Options, UsageError
from toolconv.convert.row_checks import Rejected, check_read, check_written
from toolconv.convert.shards import WHOLE, Shard
from toolconv.convert.trial import is_read_at, read_with, typed
from toolconv.core.notes import Dropped, Notes, Reason, Unread
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS
from toolconv.core.work import TOO_MUCH_WORK
from toolconv.io.inputs import ByteRange

ROW: dict[str, Any] = {"messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]}

# ── decoded texts ──


@each(
    "text, decoded",
    [
        ("plain", []),
        (r"a\u0040b", ["a@b"]),
        (r"a\u{1F600}b", ["a😀b"]),
        (r"\x41", ["A"]),
        (r"a\/b\"c\\d\n", ['a/b"c\\d\n']),
        (r"\b\f\r\t\'", ["\b\f\r\t'"]),
        ("a%40b", ["a@b"]),
        ("%C3%A9", ["é"]),
        ("%C3", ["\ufffd"]),
        ("100%", []),
        ("&amp;&#64;&#x40;", ["&@@"]),
        ("&nothing_known;", []),
        (r"\\u0040", [r"\u0040", "@"]),  # JSON in a string of JSON
        ("a\u200bb", ["ab"]),
        ("a\\u\u200b0040", ["a\\u0040", "a@"]),  # what has no width goes first
    ],
)
def test_the_layers_of_a_text(text: str, decoded: list[str]) -> None:
    assert [layer.text for layer in layers(text)] == decoded


def test_so_many_layers_are_decoded() -> None:
    text = "\\" * 2 ** (MAX_LAYERS + 2) + "u0040"
    assert len(list(layers(text))) == MAX_LAYERS == 8


@each(
    "text, part, place",
    [
        (r"x\u0040yz", "x", "x"),
        (r"x\u0040yz", "@", r"\u0040"),
        (r"x\u0040yz", "yz", "yz"),
        (r"x\u0040yz", "x@y", r"x\u0040y"),
        (r"\u0040\u0041b%42", "A", r"\u0041"),
        (r"\u0040\u0041b%42", "bB", "b%42"),
        ("a&amp;b&lt;c", "<c", "&lt;c"),
        ("a\u200bb", "b", "b"),
        ("%C3%A9x", "é", "%C3%A9"),
    ],
)
def test_where_a_part_of_a_decoded_text_is_written(text: str, part: str, place: str) -> None:
    (layer,) = layers(text)
    start = layer.text.index(part)
    begin, end = layer.place(start, start + len(part))
    assert text[begin:end] == place


# ── shards ──


@pytest.mark.whole
@pytest.mark.parametrize("sizes", [(10,), (10, 0, 7), (1, 1, 1), (0, 0), (100, 1)])
@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_shards_cover_each_byte_once(sizes: tuple[int, ...], count: int, tmp_path: Path) -> None:
    names = []
    for at, size in enumerate(sizes):
        (tmp_path / f"{at}").write_bytes(b"x" * size)
        names.append(str(tmp_path / f"{at}"))
    parts = [Shard(number, count).parts(names) for number in range(1, count + 1)]
    if count == 1:
        assert parts == [[None] * len(sizes)] == [WHOLE.parts(names)]
        return
    for at, size in enumerate(sizes):
        ranges = [shard[at] for shard in parts]
        assert all(isinstance(each, ByteRange) for each in ranges)
        places = [place for each in ranges if each is not None for place in range(each.start, each.stop)]
        assert places == list(range(size))
    held = [sum(each.stop - each.start for each in shard if each is not None) for shard in parts]
    assert max(held) - min(held) <= 1
    assert [each.label for each in parts[-1] if each is not None] == [f"{count}/{count}"] * len(sizes)


@each("name", ["-", "a.gz", "a.zst", "a.parquet"])
def test_what_has_no_shards(name: str) -> None:
    with pytest.raises(UsageError, match=rf"^{name}: --shard needs uncompressed files with one row per line$"):
        Shard(1, 2).parts([name])
    assert Shard(1, 1).parts([name]) == [None]


# ── reasons of losses ──


def test_reasons_are_counted_with_their_first_places() -> None:
    found: LossReasons = {}
    for line in range(1, 6):
        count_reasons(found, [Reason("a", "Why."), Reason("a", "Why.")], "f", line)
    places = [{"file": "f", "line": line} for line in (1, 2, 3)]
    assert found == {"a": {"Why.": {"count": 10, "places": places}}}
    add_reasons(found, {"a": {"Why.": {"count": 2, "places": [{"file": "g", "line": 1}]}}, "b": {"So.": {"count": 1, "places": []}}})  # fmt: skip
    assert found["a"]["Why."] == {"count": 12, "places": places}
    assert found["b"] == {"So.": {"count": 1, "places": []}}


def test_a_loss_lists_so_many_sentences() -> None:
    found: LossReasons = {}
    for number in range(MAX_SENTENCES + 3):
        count_reasons(found, [Reason("a", f"S{number}.")], "f", number)
    count_reasons(found, [Reason("a", "S0.")], "f", 99)
    assert list(found["a"]) == [*(f"S{number}." for number in range(20)), OTHERS]
    assert found["a"][OTHERS]["count"] == 3 and found["a"]["S0."]["count"] == 2


# ── what is rejected ──


def notes(**more: Any) -> Notes:
    found = Notes()
    for name, value in more.items():
        setattr(found, name, value)
    return found


CUT = {"dropped": [Dropped("cut off", ""), Dropped("odd", "")]}
CALLS = {"unread": [Unread("/x", "calls", "2 calls")]}
WORDS = {"unread": [Unread("/x", "text", "words")]}
ANSWER = {"unread": [Unread("/x", "answer", "an answer")]}


@each(
    "noted, options, reason",
    [
        ({}, {"strict": True}, None),
        (CUT, {"on_error": "reject"}, "unreadable call: cut off"),
        (CUT, {"on_error": "keep"}, None),
        ({"dropped": [Dropped("odd", ""), Dropped(TOO_MUCH_WORK, "")]}, {"on_error": "keep"}, TOO_MUCH_WORK),
        (CALLS, {"on_error": "reject"}, "unread: /x holds 2 calls"),
        (CALLS, {"on_error": "keep"}, None),
        (CALLS, {"on_error": "keep", "strict": True}, "unread: /x holds 2 calls"),
        (WORDS, {"strict": True}, None),
        (ANSWER, {}, None),
        (ANSWER, {"strict": True}, "unread: /x holds an answer"),
        ({"repairs": ["a", "b", "a"]}, {}, None),
        ({"repairs": ["a", "b", "a"]}, {"strict": True}, "needs repairs: a, b"),
    ],
)
def test_which_rows_are_not_read(noted: dict[str, Any], options: dict[str, Any], reason: str | None) -> None:
    check = lambda: check_read(notes(**noted), Options(**options))  # noqa: E731
    if reason is None:
        check()
        return
    with pytest.raises(Rejected) as raised:
        check()
    assert str(raised.value) == reason


def test_which_rows_are_not_written() -> None:
    check_written(notes(losses=["a"], repairs=["b"]), Options())
    check_written(notes(), Options(strict=True))
    for noted, reason in (
        (notes(losses=["a", "c", "a"]), "would be lost: a, c"),
        (notes(losses=["a"], repairs=["b"]), "needs repairs: b"),
    ):
        with pytest.raises(Rejected, match=rf"^{reason}$"):
            check_written(noted, Options(strict=True))


# ── options that are tried ──


def test_an_option_is_tried_on_a_row() -> None:
    row = {"chat": {"turns": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]}, "n": 1}
    found = read_with(row, {"messages_key": "chat.turns"})
    assert found is not None and [message["role"] for message in found.messages] == ["user", "assistant"]
    assert is_read_at(found, ("chat", "turns")) and is_read_at(found, ("chat",))
    assert not is_read_at(found, ("n",)) and not is_read_at(found, ("cha",))
    assert read_with(row, {"messages_key": "nothing"}) is None
    assert read_with(row, {}) is None
    declared = {**ROW, "kit": [{"type": "function", "function": {"name": "f", "parameters": {}}}]}
    found = read_with(declared, {"messages_key": "messages", "tools_key": "kit"})
    assert found is not None and list(found.declared.functions) == ["f"]
    found = read_with({"q": "Hi.", "a": "Hello."}, {"prompt_key": "q", "text_key": "a"})
    assert found is not None and found.messages[-1]["content"] == "Hello."
    assert typed({"messages_key": "a b", "text_key": "c"}) == "--messages-key 'a b' --text-key c"


# ── answers of a client ──


class Model:
    """An object as pydantic's are."""

    def __init__(self, **data: Any) -> None:
        self._data = data

    def model_dump(self) -> dict[str, Any]:
        return self._data


class Slots:
    __slots__ = ("content", "role")

    def __init__(self) -> None:
        self.role, self.content = "assistant", "Hi."


@each(
    "value, data",
    [
        (None, None),
        ({"a": (1, [True])}, {"a": [1, [True]]}),
        (Model(a=Model(b=1)), {"a": {"b": 1}}),
        (SimpleNamespace(a=1, _b=2), {"a": 1}),
        (Slots(), {"role": "assistant", "content": "Hi."}),
        (UserList([1]), [1]),
        (date(2026, 1, 2), date(2026, 1, 2)),
        (b"x", b"x"),
    ],
)
def test_an_answer_as_plain_data(value: Any, data: Any) -> None:
    assert as_data(value) == data


CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
TEXT = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'


@each(
    "answer, text, content, reasoning, calls",
    [
        ({"content": "Hi."}, "Hi.", "Hi.", None, []),
        ({"content": None, "tool_calls": [CALL]}, "", "", None, [ToolCall("f", {"a": 1}, "1")]),
        ({"content": TEXT, "tool_calls": [CALL]}, TEXT, TEXT, None, [ToolCall("f", {"a": 1}, "1")]),
        ({"content": TEXT}, TEXT, "", None, [ToolCall("f", {"a": 1})]),
        ({"role": "assistant", "content": "Hi.", "reasoning_content": "Hm."}, "Hi.", "Hi.", "Hm.", []),
        ({"content": f"<think>Hm.</think>{TEXT}"}, f"<think>Hm.</think>{TEXT}", "", "Hm.", [ToolCall("f", {"a": 1})]),
        ({"choices": [{"message": {"role": "assistant", "content": "Hi."}}]}, "Hi.", "Hi.", None, []),
        (SimpleNamespace(content="Hi.", tool_calls=None), "Hi.", "Hi.", None, []),
        ({"role": "assistant", "content": ""}, "", "", None, []),
        ([{"role": "user", "content": "Up?"}, {"role": "assistant", "content": "Yes."}], "Yes.", "Yes.", None, []),
        ({"content": {"a": 1}, "role": "assistant"}, '{"a": 1}', '{"a": 1}', None, []),
        (
            {"output": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
                        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi."}]},
                        {"type": "function_call", "call_id": "1", "name": "f", "arguments": '{"a": 1}'}]},
            "Hi.", "Hi.", "Hm.", [ToolCall("f", {"a": 1}, "1")],
        ),
        (
            {"instructions": "Be brief.", "text": {"format": {"type": "text"}}, "tools": [], "output": [
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi."}]}]},
            "Hi.", "Hi.", None, [],
        ),
        (
            {"candidates": [{"content": {"role": "model", "parts": [
                {"text": "Hi."}, {"function_call": {"name": "f", "args": {"a": 1}}}]}}]},
            "Hi.", "Hi.", None, [ToolCall("f", {"a": 1})],
        ),
        ({"candidates": [{"content": {"role": "model", "parts": [{"text": "H"}, {"text": "i."}]}}]}, "Hi.", "Hi.", None, []),
        (
            {"lc": 1, "id": ["langchain", "AIMessage"], "kwargs": {"content": "Hi.", "tool_calls": [
                {"id": "1", "name": "f", "args": {"a": 1}}]}},
            "Hi.", "Hi.", None, [ToolCall("f", {"a": 1}, "1")],
        ),
        (
            {"text": "Hi.", "toolCalls": [{"toolCallId": "1", "toolName": "f", "args": {"a": 1}}]},
            "Hi.", "Hi.", None, [ToolCall("f", {"a": 1}, "1")],
        ),
    ],
)  # fmt: skip
def test_an_answer_of_a_client(
    answer: Any, text: str, content: str, reasoning: str | None, calls: list[ToolCall]
) -> None:
    parsed, found = parsed_answer(answer, None, NO_TOOLS)
    assert (found, parsed.content, parsed.reasoning, parsed.calls) == (text, content, reasoning, calls)


@each(
    "content, lost",
    [
        ([{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}], ["content_parts"]),
        ([{"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}}, {"type": "text", "text": "a"}],
         ["prose_after_call"]),
    ],
)  # fmt: skip
def test_what_an_answer_has_no_place_for(content: Any, lost: list[str]) -> None:
    parsed, _ = parsed_answer({"role": "assistant", "content": content}, None, NO_TOOLS)
    assert (parsed.content, list(parsed.displaced)) == ("a", lost)


def test_what_is_no_answer() -> None:
    for value in (7, None, object()):
        with pytest.raises(TypeError, match=rf"^neither a text nor an answer: {type(value).__name__}$"):
            parsed_answer(value, None, NO_TOOLS)


def test_no_other_speaker_answers() -> None:
    said = {"role": "user", "content": TEXT}
    for value in (said, [{"role": "assistant", "content": "Hi."}, said]):
        with pytest.raises(TypeError, match=r"an answer: \w+, whose last message is of the role 'user'$"):
            parsed_answer(value, None, NO_TOOLS)
