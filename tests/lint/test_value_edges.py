"""The edges of how values are compared: facts and their sources, ways of a pattern, turns of the assistant, failures."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.conftest import each
from toolconv.lint.engine.failures import Failures
from toolconv.lint.schema.patterns import MAX_WAYS, _choices, _tree, _ways
from toolconv.lint.texts.behaviour import Said, behaviours
from toolconv.lint.values.grounding import Sources, facts
from toolconv.lint.values.origins import Before, schema_at

# ── facts and their sources ──


@each(
    "text, found",
    [
        ("It is 3 pm.", [("time", "15:00")]), ("It is 12 am.", [("time", "00:00")]), ("It is 12:30 p.m.", [("time", "12:30")]),
        ("It is 9:05.", [("time", "09:05")]), ("下午3点半", [("time", "15:30")]), ("早上8点", [("time", "08:00")]), ("15時30分", [("time", "15:30")]),
        ("May 20, 2024", [("date", "2024-05-20")]), ("20 May 2024", [("date", "2024-05-20")]), ("20th of May", [("date", "05-20")]),
        ("2024/5/2", [("date", "2024-05-02")]), ("2.5.2024", [("date", "2024-05-02")]), ("2024年5月2日", [("date", "2024-05-02")]),
        ("5月2日", [("date", "05-02")]), ("am 3. März 2024", [("date", "2024-03-03")]), ("3 de abril de 2024", [("date", "2024-04-03")]),
        ("1er février", [("date", "02-01")]), ("Sept 4", [("date", "09-04")]), ("1,250.00", [("number", 1250.0)]),
        ("-7", [("number", -7.0)]), ("3e2", [("number", 300.0)]), ("https://a.org/x", [("address", "https://a.org/x")]),
        ("ann@example.com", [("address", "ann@example.com")]), ("1) one", []),
    ],
)  # fmt: skip
def test_a_fact_in_a_text(text: str, found: list[tuple[str, Any]]) -> None:
    assert [(fact.kind, fact.value) for fact in facts(text)] == found


def explains(source: str, text: str, *, derived: bool = True) -> bool:
    """Whether the one fact of a text may come from a source."""
    sources = Sources(derived=derived)
    sources.add(source)
    (fact,) = facts(text)
    return sources.explain(fact)


@each(
    "source, text, derived, explained",
    [
        ("At 3:30.", "15:30", False, True), ("At 15:30.", "3:30", False, True), ("At 3:31.", "15:30", False, False),
        ("At 3 it is.", "15:00", False, True), ("At 15 it is.", "15:00", False, True), ("At 4 it is.", "15:00", False, False),
        ("At 3 it is.", "15:01", False, False), ("On 5 May 2024.", "2024-05-05", False, True), ("On 5 May.", "2024-05-05", False, True),
        ("On 5 May 2023.", "2024-05-05", False, False), ("On 5 May 2024.", "2024-05-06", True, True),
        ("On 5 May 2024.", "2024-05-04", True, True), ("On 5 May 2024.", "2024-05-07", True, False),
        ("On 5 May 2024.", "2024-05-06", False, False), ("On 29 Feb.", "Mar 1", True, True), ("On 28 Feb.", "Mar 1", True, True),
        ("On 27 Feb.", "Mar 1", True, False), ("See https://a.org/x", "https://a.org/x/", False, True),
        ("See https://a.org/x", "https://a.org/y", False, False), ("The 90s.", "1990", False, True), ("The 91s.", "1990", False, False),
        ("It is 1287.", "1300", True, True), ("It is 1287.", "1300", False, False), ("It is 1287.", "1280", True, False),
        ("It is 0.125.", "12.5", False, True), ("It is 125.", "0.125", False, True), ("It took 90.", "1.5", False, True),
        ("It is 7 and 50.", "57", True, True), ("It is 7 and 50.", "43", True, True), ("It is 7 and 50.", "350", True, True),
        ("It is 7 and 50.", "3.5", True, True), ("It is 7 and 50.", "53.5", True, True), ("It is 7 and 50.", "46.5", True, True),
        ("It is 7 and 50.", "14", True, True), ("It is 7 and 50.", "57", False, False), ("It is 7 and 50.", "61", True, False),
        ("It is up.", "10", True, True), ("It is up.", "11", True, False), ("It is up.", "10", False, False), ("It is up.", "9.5", True, False),
    ],
)  # fmt: skip
def test_what_explains_a_fact(source: str, text: str, derived: bool, explained: bool) -> None:
    assert explains(source, text, derived=derived) is explained


@each(
    "source, value, known",
    [
        ("in May", "2026-05-01", True), ("in May", "2026-05-31", True), ("in May", "2026-05-15", False), ("in May", "2026-06-01", False),
        ("in 2026", "2026-01-01", True), ("in 2026", "2026-12-31", True), ("in 2026", "2026-06-01", False), ("in 2025", "2026-01-01", False),
        ("on 2026-05-02", "2026-05-02T00:00", True), ("on 2026-05-02", "2026-05-02T23:59", True), ("on 2026-05-02", "2026-05-02T12:00", False),
        ("Ann and Bob", "ann, bob", True), ("Ann and Bob", "ann; bob", True), ("Ann and Bob", "ann/bob", True), ("Ann", "ann,bob", False),
        ("room 12", "2", False), ("room 12", "12", True), ("room twelve", "room_twelve", True), ("the harbour", "HARBOUR", True),
        ("costs 7.50", 7.5, True), ("costs 7.50", 8, False), ("", "x", False),
    ],
)  # fmt: skip
def test_where_a_value_comes_from(source: str, value: Any, known: bool) -> None:
    before = Before()
    before.add("request", source)
    assert (before.origin_of(value) == "request") is known


def test_the_schema_of_a_value_in_objects_and_lists() -> None:
    inner = {"type": "string", "description": "d"}
    lists = {"type": "array", "items": {"type": "object", "properties": {"b": inner}}}
    parameters = {"type": "object", "properties": {"a": lists, "1": inner}}
    assert schema_at(parameters, "/a/0/b") == inner == schema_at(parameters, "/1")
    assert schema_at(parameters, "/a") == lists
    for pointer in ("/a/x/b", "/b", "/a/0/c", "/1/0"):
        assert schema_at(parameters, pointer) == {}
    assert schema_at(None, "/a") == {} == schema_at({"properties": {"a": True}}, "/a")


# ── patterns ──


@each(
    "pattern, length, ways",
    [
        ("abc", 9, 1), ("ab|cd", 9, 2), ("(?:ab|cd)(?:ef|gh|ij)", 9, 6), ("[ab]", 9, 1), ("a?", 9, 2), ("a*", 9, 10), ("a+", 9, 9),
        ("a{2}", 9, 1), ("a{2,5}", 9, 4), ("a{2,}", 9, 8), ("a*b*", 9, 100), ("(a)", 9, 1), ("(ab|cd){2}", 9, 4),
        ("(?=ab|cd)e", 9, 2), ("(?:ab|cd)?", 9, 3), ("(?:ab|cd){0,3}", 9, 27), ("(?:a*)*", 3, 8), ("(?:ab|cd)*", 2, 9),
    ],
)  # fmt: skip
def test_in_how_many_ways_a_pattern_may_match(pattern: str, length: int, ways: int) -> None:
    assert _ways(_tree(pattern), length) == ways


@each(
    "pattern, count",
    [("abc", 0), ("[ab]", 0), ("a?", 1), ("a{2}", 0), ("a*b*", 2), ("(?:a*)*", 2), ("ab|cd", 2), ("ab*|cd", 3), ("(ab?|cd)+", 4), ("(?=a*)b", 1)],
)  # fmt: skip
def test_where_a_pattern_can_go_on_in_more_than_one_way(pattern: str, count: int) -> None:
    assert _choices(_tree(pattern)) == count


def test_very_many_ways_are_more_than_are_tried() -> None:
    assert _ways(_tree("(?:ab|cd)*"), 40) > MAX_WAYS


# ── turns of the assistant ──


@each(
    "turns, has_tools, found",
    [
        ("u a", True, ["answer 1"]), ("u a", False, ["without tools 1"]), ("u c", True, ["call 1"]), ("u c", False, ["call 1"]),
        ("u n", True, ["decline 1"]), ("u r", True, ["decline 1"]), ("u q", True, ["ask 1"]), ("u c t a", True, ["call 1", "after response 0"]),
        ("u c t r", True, ["call 1", "after response 0"]), ("u c t c", True, ["call 1", "call 0"]), ("u c t a u a", True, ["call 1", "after response 0", "answer 1"]),
        ("a u", True, ["answer 0"]), ("s a", True, ["answer 0"]), ("u s a", True, ["answer 0"]), ("t s a", True, ["after response 0"]), ("", True, []),
    ],
)  # fmt: skip
def test_what_the_assistant_does(turns: str, has_tools: bool, found: list[str]) -> None:
    said = {
        "u": Said("user", "Is it up?"), "a": Said("assistant", "It is up."), "c": Said("assistant", "", ("ping",)),
        "n": Said("assistant", "", ("no_tool",)), "r": Said("assistant", "I'm sorry, I can't."), "t": Said("tool", "1"),
        "q": Said("assistant", "Which host?"), "s": Said("system", "S"),
    }  # fmt: skip
    made = behaviours([said[turn] for turn in turns.split()], has_tools=has_tools, no_call=frozenset({"no_tool"}))
    assert [f"{behaviour} {after_user:d}" for behaviour, after_user in made] == found


@pytest.mark.parametrize(("last", "found"), [("user", [("decline", True)]), ("tool", []), ("assistant", [])])
def test_a_last_request_of_a_layout_that_has_calls_only(last: str, found: list[tuple[str, bool]]) -> None:
    made = list(behaviours([Said(last, "x")], has_tools=True, no_call=frozenset(), silent=True))
    assert made[0 if last != "assistant" else 1 :] == found
    assert list(behaviours([Said("user", "x")], has_tools=True, no_call=frozenset())) == []
    assert list(behaviours([Said("user", "x")], has_tools=False, no_call=frozenset(), silent=True)) == [
        ("without tools", True)
    ]


# ── rules that fail ──


@each("count, names", [(1, "TC0"), (8, "TC0, TC1, TC2, TC3, TC4, TC5, TC6, TC7"), (9, "TC0, TC1, TC2, TC3, TC4, TC5, TC6, TC7 and 1 more rules"), (10, "TC0, TC1, TC2, TC3, TC4, TC5, TC6, TC7 and 2 more rules")])  # fmt: skip
def test_rules_with_the_same_error_are_one_finding(count: int, names: str) -> None:
    failures, more = Failures(), Failures()
    for at in range(count):
        for each_ in (failures, more):
            each_.add(cast(Any, SimpleNamespace(code=f"TC{at}")), ValueError("a\n b"))
    failures.update(more)
    (finding,) = failures.in_file("a.jsonl")
    assert finding.message == f"the dataset was not checked by {names}: ValueError: a b"
    failures.add(cast(Any, SimpleNamespace(code="TC0")), KeyError("c"))
    assert [found.message.partition(": ")[2] for found in failures.in_file("a")] == ["ValueError: a b", "KeyError: 'c'"]
