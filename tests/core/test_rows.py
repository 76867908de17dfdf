"""Rows key by key, messages and their marks, and which call each response answers."""

from __future__ import annotations

import copy
from collections.abc import Callable
from operator import getitem
from typing import Any

import pytest

from tests.conftest import each
from toolconv.core.key_words import is_key_of_calls, words_of
from toolconv.core.marks import NO_MARKS, WEIGHT, InvalidMark, MarkStyle, idle_marks, spell_marks, weight_of, weights_of
from toolconv.core.messages import calls_of, text_of
from toolconv.core.pairing import complete, is_numbered, number_calls
from toolconv.core.rows import (
    MISSHAPEN,
    found_at,
    insert_before,
    keys_of,
    misshapen,
    moved,
    ordered_like,
    put_at,
    replace_key,
    same,
    unchanged,
    without,
)

# ── rows ──


@each(
    "read, says",
    [
        (lambda: (1.5).get, "a field is a number that can't be there"),
        (lambda: getitem(None, "a"), "a field is null that can't be there"),
        (lambda: len(True), "a field is a boolean that can't be there"),
        (lambda: list(3), "a field is a number that can't be there"),
        (lambda: getitem({}, {}), "a field is an object that can't be there"),
        (lambda: "".join([{}]), "a field is an object that can't be there"),
        (lambda: getitem([], "a"), "a field is a list that can't be there"),
        (lambda: getitem("a", "a"), "a field is text that can't be there"),
        (lambda: getitem({}, "a"), "an object has no key 'a'"),
        (lambda: getitem([], 0), "a field has another shape than it should"),
    ],
)
def test_what_is_wrong_with_data_is_said_without_the_words_of_python(read: Callable[[], Any], says: str) -> None:
    with pytest.raises(MISSHAPEN) as caught:
        read()
    assert misshapen(caught.value) == says


@each(
    "one, other, equal",
    [(1, 1, True), (1, 1.0, False), (1, True, False), ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False), ([1], [1], True),
     ({"a": [1.0]}, {"a": [1]}, False), ("a", "a", True), (None, None, True)],
)  # fmt: skip
def test_values_with_the_same_text(one: Any, other: Any, equal: bool) -> None:
    assert same(one, copy.deepcopy(other)) is equal


@each(
    "new, old, found",
    [
        ("abc", "abc", [0, 1, 2]),
        ("axc", "abc", [0, None, 2]),
        ("bca", "abc", [None, None, None]),
        ("ac", "abc", [0, 2]),
        ("abxc", "abc", [0, 1, None, 2]),
        ("xabc", "abc", [None, 0, 1, 2]),
        ("abcx", "abc", [0, 1, 2, None]),
        ("bc", "abc", [1, 2]),
        ("ab", "abc", [0, 1]),
        ("aa", "a", [None, 0]),  # the end is looked at first
        ("a", "aa", [1]),
        ("", "abc", []),
        ("ab", "", [None, None]),
    ],
)
def test_values_that_are_unchanged(new: str, old: str, found: list[int | None]) -> None:
    assert unchanged(list(new), list(old)) == found


ROW = {"a": 1, "b": {"c": [1, {"d": 2}]}, "e": '{"f": {"g": 3}}'}


@each("path, value", [("a", 1), ("b.c.0", 1), ("b.c.1.d", 2), ("b.c.2", None), ("b.c.x", None), ("b.x", None),
                      ("a.x", None), ("e.f", None), ("x", None)])  # fmt: skip
def test_what_is_at_a_path(path: str, value: Any) -> None:
    assert found_at(ROW, path.split(".")) == value


@each(
    "path, row",
    [
        ("a", {**ROW, "a": 0}),
        ("b.c.0", {**ROW, "b": {"c": [0, {"d": 2}]}}),
        ("b.c.1.d", {**ROW, "b": {"c": [1, {"d": 0}]}}),
        ("e.f.g", {**ROW, "e": {"f": {"g": 0}}}),
    ],
)
def test_a_value_is_put_at_a_path(path: str, row: Any) -> None:
    before = copy.deepcopy(ROW)
    assert put_at(ROW, path.split("."), 0) == row
    assert before == ROW


@each(
    "paths, row",
    [
        ("a", {"b": ROW["b"], "e": ROW["e"]}),
        ("a b e", {}),
        ("b.c.0", {**ROW, "b": {"c": [{"d": 2}]}}),
        ("b.c.1.d", {**ROW, "b": {"c": [1]}}),
        ("b.c.0 b.c.1", {"a": 1, "e": ROW["e"]}),
        ("b.c.1 b.c.0", {"a": 1, "e": ROW["e"]}),
        ("b.c.2", ROW),
        ("b.c.x", ROW),
        ("e.f.g", {"a": 1, "b": ROW["b"]}),
        ("e.f.h", ROW),
        ("x", ROW),
        ("a.x", ROW),
    ],
)
def test_a_row_without_what_is_at_some_paths(paths: str, row: Any) -> None:
    before = copy.deepcopy(ROW)
    assert without(ROW, *(path.split(".") for path in paths.split())) == row
    assert before == ROW


def test_of_many_indices_the_last_goes_first() -> None:
    row = {"a": list(range(12))}
    assert without(row, ("a", "2"), ("a", "10")) == {"a": [0, 1, 3, 4, 5, 6, 7, 8, 9, 11]}


def test_keys_keep_their_places() -> None:
    row = {"a": 1, "b": 2, "c": 3}
    assert list(replace_key(row, "b", "x", 0).items()) == [("a", 1), ("x", 0), ("c", 3)]
    assert list(replace_key(row, "z", "x", 0).items()) == [("a", 1), ("b", 2), ("c", 3), ("x", 0)]
    assert list(insert_before(row, "b", "x", 0)) == ["a", "x", "b", "c"]
    assert list(insert_before(row, "z", "x", 0)) == ["a", "b", "c"]
    assert list(ordered_like({"c": 1, "x": 2, "a": 3}, row)) == ["a", "x", "c"]
    assert ordered_like(row, row) == row and ordered_like(row, row) is not row
    assert list(moved({"a": {"p": 1, "q": 2}, "b": 3}, {"x": 1}, {("a", "p"): "x"}).items()) == [
        ("x", 1), ("a", {"q": 2}), ("b", 3),
    ]  # fmt: skip
    assert moved({"a": {"p": 1}, "b": 3}, {"x": 1}, {("a", "p"): "x", ("b",): ""}) == {"x": 1}
    assert (keys_of({}), keys_of({"a": 1, "b": 2})) == ("none", "'a', 'b'")
    assert keys_of(dict.fromkeys("abcdefghijkl")).endswith("'l'") and keys_of(dict.fromkeys("abcdefghijklm")).endswith(
        "'l', …"
    )


@each("key, words", [("modelOutput", "model output"), ("model_output", "model output"), ("HTTPAnswer2", "http answer 2"),
                     ("gold-calls", "gold calls"), ("", "")])  # fmt: skip
def test_the_words_of_a_key(key: str, words: str) -> None:
    assert words_of(key) == set(words.split())


@each("key, calls", [("tool_calls", True), ("apiCalls", True), ("function", True), ("tool_results", False),
                     ("api", False), ("calls_made", False), ("", False)])  # fmt: skip
def test_keys_of_calls(key: str, calls: bool) -> None:
    assert is_key_of_calls(key) is calls


# ── messages ──

IMAGE = {"type": "image_url", "image_url": {"url": "x"}}


@each(
    "content, text, whole",
    [
        ("a", "a", True),
        (None, "", True),
        ([{"type": "text", "text": "a"}, {"type": "output_text", "text": "b"}], "a|b", True),
        ([{"text": "a"}, "b"], "a|b", True),
        ([{"type": "text", "text": "a"}, IMAGE], "a", False),
        ([{"type": "text", "text": None}], "", False),
        ([IMAGE], "", False),
        ([], "", False),
        ({"a": 1}, '{"a": 1}', False),
        (5, "5", False),
    ],
)
def test_the_text_of_a_content(content: Any, text: str, whole: bool) -> None:
    assert text_of(content, "|") == (text, whole)


def call(name: str = "f", call_id: Any = None) -> dict[str, Any]:
    return {**({} if call_id is None else {"id": call_id}), "type": "function", "function": {"name": name}}


@each(
    "calls, count",
    [([], 0), ([call()], 1), ([call(), 5], 1), ([call(), {}], 1), ([{"function": "f"}], 0), ({}, 0), (None, 0),
     ([call(), call()], 2), ("f", 0)],
)  # fmt: skip
def test_the_calls_of_a_message(calls: Any, count: int) -> None:
    assert len(calls_of({"tool_calls": calls})) == count
    assert calls_of({}) == []


PAIRED: list[tuple[str, str]] = [
    # calls and responses, by their names and ids; the ids of all
    ("C f | R", "call_0 call_0"),
    ("C f g | R R", "call_0 call_1 call_0 call_1"),
    ("C f g | R:g R:f", "call_0 call_1 call_1 call_0"),
    ("C f g | R:g R", "call_0 call_1 call_1 call_0"),
    ("C f f | R:f R:f", "call_0 call_1 call_0 call_1"),
    ("C f | R:g", "call_0 -"),
    ("C f | R R", "call_0 call_0 -"),
    ("C f#a g | R#a R", "a call_0 a call_0"),
    ("C f#a g | R R#a", "a call_0 a a"),
    ("C f#call_0 g | R R", "call_0 call_1 call_0 call_1"),
    ("C f g#call_0 | R R", "call_1 call_0 call_1 call_0"),
    ("C f g | R#x:g R", "call_0 call_1 x call_0"),
    ("C f | R | C g | R", "call_0 call_0 call_1 call_1"),
    ("C f | C g | R R", "call_0 call_1 call_0 call_1"),  # one turn of two messages
    ("C f | U | C g | R:f", "call_0 call_1 -"),
    ("R | C f", "- call_0"),
    ("C f#7 f#7 | R#7 R#7", "7 7 7 7"),
]


def conversation(text: str) -> list[dict[str, Any]]:
    """Messages out of a line: ``C`` with calls, ``R`` a response for each word, ``U`` a user's turn."""
    found: list[dict[str, Any]] = []
    for part in text.split(" | "):
        if part == "U":
            found.append({"role": "user", "content": "."})
        elif part[0] == "C":
            made = [each.partition("#") for each in part.split()[1:]]
            found.append(
                {"role": "assistant", "tool_calls": [call(name, call_id or None) for name, _, call_id in made]}
            )
        else:
            for word in part.split():
                head, _, name = word.partition(":")
                response = {"content": ".", "role": "tool", "name": name, "tool_call_id": head.partition("#")[2]}
                found.append({key: value for key, value in response.items() if value})
    return found


@each("text, ids", PAIRED)
def test_responses_are_paired_with_calls(text: str, ids: str) -> None:
    messages = conversation(text)
    number_calls(messages)
    found = [
        each_id
        for message in messages
        for each_id in [*(made["id"] for made in calls_of(message)), message.get("tool_call_id", "-")]
        if "tool_calls" not in message or each_id != "-"
        if message["role"] != "user"
    ]
    assert " ".join(found) == ids


def test_a_paired_response_has_the_name_of_its_call() -> None:
    messages = conversation("C f | R")
    complete(messages)
    assert list(messages[1].items()) == [("role", "tool"), ("tool_call_id", "call_0"), ("name", "f"), ("content", ".")]
    nameless = conversation("C f | R")
    nameless[0]["tool_calls"][0]["function"]["name"] = 5
    complete(nameless)
    assert "name" not in nameless[1]


@each("call_id, numbered", [("call_0", True), ("call_12", True), ("call_", False), ("call_a", False), ("xcall_0", False),
                            ("call_0x", False)])  # fmt: skip
def test_ids_that_are_numbers(call_id: str, numbered: bool) -> None:
    assert is_numbered(call_id) is numbered


# ── marks ──

MARKS: list[tuple[dict[str, Any], Any]] = [
    # marks, the weight, or a part of the message
    ({}, None),
    ({"weight": None}, None),
    ({"train_detail": [1]}, None),
    ({"weight": 0}, 0),
    ({"weight": 0.5}, 0.5),
    ({"weight": 1.0}, 1),
    ({"weight": True}, 1),
    ({"train": False}, 0),
    ({"loss": 0.5}, 0.5),
    ({"masked": True}, 0),
    ({"masked": False}, 1),
    ({"masked": 1}, 0),
    ({"masked": 0}, 1),
    ({"train": True, "weight": 1}, 1),
    ({"train": True, "weight": 0}, "'train' and 'weight' contradict each other"),
    ({"loss": True, "loss_scale": 0.5}, 0.5),
    ({"loss": False, "loss_scale": 0.5}, 0),
    ({"weight": -1}, "'weight' is -1, expected a weight from 0 up"),
    ({"weight": float("inf")}, "'weight' is inf, expected a weight"),
    ({"weight": "1"}, "'weight' is '1', expected a weight"),
    ({"train": "yes"}, "'train' is 'yes', expected true or false"),
    ({"masked": 0.5}, "'masked' is 0.5, expected true or false"),
]


@each("marks, weight", MARKS)
def test_the_weight_of_a_message(marks: dict[str, Any], weight: Any) -> None:
    if not isinstance(weight, str):
        assert weight_of(marks) == weight
        return
    with pytest.raises(InvalidMark, match=weight):
        weight_of(marks)


@each(
    "role, marks, weights, losses",
    [
        ("assistant", {"weight": 1}, {}, []),
        ("assistant", {"weight": 0}, {0: 0}, []),
        ("user", {"weight": 0}, {}, []),
        ("user", {"weight": 1}, {0: 1}, []),
        ("user", {"weight": "x"}, {}, ["invalid_mark"]),
        ("assistant", {"train_detail": [1]}, {}, ["training_mark"]),
        ("assistant", {"train_detail": []}, {}, []),
        ("assistant", {}, {}, []),
    ],
)
def test_weights_that_differ_from_those_without_marks(
    role: str, marks: dict[str, Any], weights: dict[int, Any], losses: list[str]
) -> None:
    found: list[str] = []
    assert (weights_of([{"role": role, **marks}], found), found) == (weights, losses)


FLAG, SCALED = MarkStyle("loss", flag=True), MarkStyle("train", flag=True, scale="weight", others=True)


@each(
    "style, role, marks, spelled, losses",
    [
        (WEIGHT, "assistant", {"train": False}, {"weight": 0}, []),
        (WEIGHT, "user", {"train": True}, {"weight": 1}, []),
        (WEIGHT, "assistant", {"training_detail": [1]}, {"train_detail": [1]}, []),
        (FLAG, "assistant", {"weight": 0}, {"loss": False}, []),
        (FLAG, "assistant", {"weight": 1}, {"loss": True}, []),
        (FLAG, "assistant", {"weight": 0.5}, {}, ["training_mark"]),
        (FLAG, "user", {"weight": 0}, {}, []),
        (FLAG, "user", {"weight": 1}, {}, ["training_mark"]),
        (FLAG, "assistant", {"train_detail": [1]}, {}, ["training_mark"]),
        (FLAG, "assistant", {"weight": "x"}, {}, ["invalid_mark"]),
        (SCALED, "assistant", {"weight": 0.5}, {"weight": 0.5}, []),
        (SCALED, "user", {"weight": 1}, {"train": True}, []),
        (NO_MARKS, "assistant", {"weight": 1}, {}, []),
        (NO_MARKS, "assistant", {"weight": 0}, {}, ["training_mark"]),
        (NO_MARKS, "user", {"weight": 0}, {}, []),
    ],
)
def test_marks_in_a_targets_words(
    style: MarkStyle, role: str, marks: dict[str, Any], spelled: dict[str, Any], losses: list[str]
) -> None:
    found: list[str] = []
    (message,) = spell_marks([{"role": role, **marks, "content": "."}], style, found)
    assert (message, found) == ({"role": role, "content": ".", **spelled}, losses)
    assert spell_marks([message], style, [])[0] is message or not spelled


def test_marks_of_a_prompt_that_change_nothing() -> None:
    prompt = [{"role": "assistant", "weight": weight} for weight in (0, 0, 1, "x", 0.5)]
    assert (idle_marks(prompt, NO_MARKS), idle_marks(prompt, WEIGHT)) == (2, 0)
