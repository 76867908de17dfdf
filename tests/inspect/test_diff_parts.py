"""What diff shows of two rows, without a command: each part and each change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.conftest import each
from tests.inspect.test_stats import WEATHER, call, turn
from toolconv.convert.result import Reading
from toolconv.core.conversation import Conversation
from toolconv.inspect.diff.changes import Difference, differences
from toolconv.inspect.diff.report import Report, as_json, kind


def reading(*messages: Any, **keys: Any) -> Reading:
    return Reading("a", 1, Conversation({"messages": list(messages), **keys}))


USER = {"role": "user", "content": "Hi."}


@each(
    "one, other, found",
    [
        ([USER], [USER], []),
        ([USER], [USER, turn("tool")], [("message", "added", 1, ())]),
        ([USER, turn("tool")], [turn("tool")], [("message", "missing", 0, ())]),
        ([USER], [{**USER, "content": "Hi .\n"}], [("text", "white space", 0, ())]),
        ([USER], [{**USER, "content": ""}], [("text", "missing", 0, ())]),
        ([{**USER, "content": None}], [USER], [("text", "added", 0, ())]),
        ([USER], [{**USER, "content": ["Hi."]}], [("text", "type", 0, ())]),
        ([USER], [{**USER, "x": {"y": [1]}}], [("key", "added", 0, ("x",))]),
        ([{**USER, "x": {"y": [1]}}], [{**USER, "x": {"y": [2]}}], [("key", "value", 0, ("x", "y", 0))]),
        ([{**USER, "x": {"y": [1]}}], [{**USER, "x": {"y": [1, 2]}}], [("key", "value", 0, ("x", "y"))]),
        ([{**USER, "x": 1}], [{**USER, "x": 1.0}], [("key", "type", 0, ("x",))]),
        ([{"role": "assistant", "content": "a"}], [{"role": "assistant", "content": "b"}], [("prose", "value", 0, ())]),
        ([{"role": "tool", "content": "a"}], [{"role": "tool", "content": "b"}], [("response", "value", 0, ())]),
        ([{"role": "system", "content": "a"}], [{"role": "user", "content": "a"}], [("role", "value", 0, ())]),
        (
            [{"role": "assistant", "reasoning_content": "a"}],
            [{"role": "assistant", "reasoning_content": ""}],
            [("reasoning", "missing", 0, ())],
        ),
        ([turn("assistant", call("f"))], [turn("assistant", call("g"))], [("call name", "value", 0, ())]),
        ([turn("assistant", call("f"))], [turn("assistant", call("f"), call("g"))], [("call", "added", 0, ())]),
        ([turn("assistant", call("f", a=1))], [turn("assistant", call("f", a=2))], [("argument", "value", 0, ("a",))]),
        (
            [turn("assistant", {**call("f"), "index": 1})],
            [turn("assistant", {**call("f"), "index": 2, "type": "x", "id": "y"})],
            [("key", "value", 0, ("index",))],
        ),
    ],
)
def test_a_difference_is_named_by_its_part(one: list[Any], other: list[Any], found: list[Any]) -> None:
    differing = differences(reading(*one), reading(*other))
    assert [(each.part, each.change, each.message, each.path) for each in differing] == found


@each(
    "one, other, found",
    [
        ({"tools": [WEATHER]}, {"tools": [WEATHER]}, []),
        ({"tools": [WEATHER]}, {}, [("tool", "missing", ("weather",))]),
        ({}, {"tools": [WEATHER]}, [("tool", "added", ("weather",))]),
        ({"tools": [WEATHER]}, {"tools": [WEATHER, WEATHER]}, [("tool", "added", ("weather",))]),
        ({"tools": [{"name": "a"}, {"name": "b"}]}, {"tools": [{"name": "b"}, {"name": "a"}]}, []),
        ({"tools": [{"name": "a"}]}, {"tools": [{"name": "a", "x": 1}]}, [("tool", "added", ("a", "x"))]),
        ({"x": 1}, {"x": None}, [("key", "type", ("x",))]),
        ({"x": {"a": 1, "b": 2}}, {"x": {"b": 2, "a": 1}}, []),
    ],
)
def test_differences_outside_of_messages(one: dict[str, Any], other: dict[str, Any], found: list[Any]) -> None:
    differing = differences(reading(USER, **one), reading(USER, **other))
    assert [(each.part, each.change, each.path) for each in differing] == found


def test_the_order_of_keys_is_a_difference_if_asked_for() -> None:
    one, other = reading(USER, x={"a": 1, "b": 2, "c": 3}), reading(USER, x={"b": 2, "a": 1})
    (order, missing) = differences(one, other, key_order=True)
    assert (order.part, order.change, order.before, order.after, order.path) == ("key", "key order", ["a", "b", "c"], ["b", "a"], ("x",))  # fmt: skip
    assert (missing.change, missing.before, missing.path) == ("missing", 3, ("x", "c"))


@each(
    "answers, found",
    [
        (("p", "q"), []),
        (("q", "p"), ["answered call", "answered call"]),
        (("p", "z"), ["answered call"]),
    ],
)
def test_which_call_a_result_answers(answers: tuple[str, str], found: list[str]) -> None:
    def row(ids: Sequence[str], answered: Sequence[str]) -> Reading:
        calls = [{**call(name), "id": number} for name, number in zip("fg", ids, strict=True)]
        results = [{"role": "tool", "tool_call_id": number, "content": "1"} for number in answered]
        return reading(turn("assistant", *calls), *results)

    differing = differences(row(("1", "2"), ("1", "2")), row(("p", "q"), answers))
    assert [each.part for each in differing if each.part != "key"] == found


def test_rows_that_cant_be_compared() -> None:
    bad = Reading("a", 2, None, "not JSON")
    assert list(differences(reading(USER), None)) == [Difference("row", "missing")]
    assert list(differences(None, reading(USER))) == [Difference("row", "added")]
    assert list(differences(bad, None)) == [Difference("row", "unreadable")]
    assert as_json(bad, None, Difference("row", "unreadable")) == {
        "part": "row", "change": "unreadable", "a": {"file": "a", "line": 2}, "b": None, "message": None, "call": None,
        "path": [], "reason": "not JSON",
    }  # fmt: skip


@each(
    "difference, line",
    [
        (Difference("row", "missing"), "a:1: not in right"),
        (Difference("row", "unreadable"), "a:1: unreadable: "),
        (Difference("message", "missing", before={"a": 1}, message=2), 'a:1 message 2 missing: <31>{"a":1}</>'),
        (Difference("call", "added", after=1, message=2, call=0), "a:1 message 2 call 0 added: <32>1</>"),
        (
            Difference("argument", "type", 1, "1", ("a", 0, "b c", "d"), 2, 0),
            'a:1 message 2 call 0 argument \'a[0]["b c"].d\': <31>1</> -> <32>"1"</> (integer became string)',
        ),
        (Difference("call name", "value", "f", "g", (), 0, 1), 'a:1 message 0 call 1 name: <31>"f"</> -> <32>"g"</>'),
        (
            Difference("text", "white space", "a", "a ", (), 0),
            'a:1 message 0 text: <31>"a"</> -> <32>"a "</> (white space)',
        ),
        (Difference("key", "missing", before="x" * 59, path=("k",)), f"a:1 key 'k' missing: <31>\"{'x' * 59}…</>"),
        (Difference("key", "missing", before="x" * 58, path=("k",)), f"a:1 key 'k' missing: <31>\"{'x' * 58}\"</>"),
    ],
)
def test_a_difference_as_a_line(difference: Difference, line: str) -> None:
    plain = Report("left", "right", colour=False).line(reading(USER), None, difference)
    coloured = Report("left", "right", colour=True).line(reading(USER), None, difference)
    assert plain == line.replace("<31>", "").replace("<32>", "").replace("</>", "")
    assert coloured == line.replace("<31>", "\x1b[31m").replace("<32>", "\x1b[32m").replace("</>", "\x1b[0m")
    assert kind(Difference("argument", "type")) == "argument type" and kind(Difference("role", "value")) == "role"


def test_a_row_that_only_the_second_file_has() -> None:
    report = Report("left", "right", colour=False)
    assert report.line(None, reading(USER), Difference("row", "added")) == "a:1: not in left"
    assert report.summary() == "0 rows compared, no difference"
    report.count([])
    assert report.summary() == "1 row compared, no difference"
    report.count([Difference("role", "value"), Difference("role", "value"), Difference("row", "added")])
    assert report.summary() == "2 rows compared, 1 differs: role 2, row added 1"


def test_values_that_are_nested_too_deeply_to_write() -> None:
    deep: Any = 1
    for _ in range(2000):
        deep = [deep]
    found = as_json(None, None, Difference("key", "value", deep, [1]))
    assert found["before"].startswith("(nested more than ") and found["after"] == [1]
