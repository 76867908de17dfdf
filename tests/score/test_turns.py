"""Which turn of a row is scored, which output stands for it, and which call for which."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import each
from tests.score.test_score import QUESTION, TOOLS, answer, row
from toolconv import score_rows
from toolconv.core.conversation import Conversation
from toolconv.core.errors import FileError
from toolconv.core.tools import ToolIndex
from toolconv.score.answers import read_answers
from toolconv.score.calls import Judge
from toolconv.score.expected import ANY_CALL, NO_CALL, Call, ExpectedCall, turn_of
from toolconv.score.gold import GoldRow, gold_row
from toolconv.score.history import digests, first_of_last_segment, segments
from toolconv.score.levels import NAMES
from toolconv.score.outputs import key_of
from toolconv.score.run import ScoreOptions
from toolconv.score.verdicts import judge_turn

A, B, C, REST = ("walk", {"to": "a"}), ("walk", {"to": "b"}), ("walk", {"to": "c"}), ("rest", {})
LOUD_A, LOOSE_A, FLY = ("walk", {"to": "A"}), ("walk", {"to": "a:"}), ("fly", {})
"""Calls that are right for ``A`` at the levels ``ast`` and ``lenient``; one of no tool."""


def gold_of(messages: list[Any], keys: dict[str, Any], by: str = "category", tools: Any = TOOLS) -> GoldRow:
    """What is right in a row."""
    return gold_row(Conversation({"tools": tools, "messages": messages, **keys}), by)


def verdicts(gold: list[Any], outputs: list[Any], **options: Any) -> list[dict[str, Any]]:
    """The verdicts on outputs, without a process of their own."""
    return [scored.as_json() for scored in score_rows(gold, outputs, ScoreOptions(**options))]


# ── a turn ──

TURNS: list[tuple[list[Any], list[Any], str, bool, str, str | None, list[tuple[int | None, int | None]]]] = [
    # gold calls, calls, level, ordered, verdict, strictest level at which it is right, pairs
    ([A], [A], "ast", False, "right", "exact", [(0, 0)]),
    ([A], [LOUD_A], "ast", False, "right", "ast", [(0, 0)]),
    ([A], [LOUD_A], "exact", False, "wrong_arguments", "ast", [(0, 0)]),
    ([A], [LOOSE_A], "lenient", False, "right", "lenient", [(0, 0)]),
    ([A], [B], "ast", False, "wrong_arguments", None, [(0, 0)]),
    ([A], [], "ast", False, "should_have_called", None, []),
    ([A], [FLY], "ast", False, "undeclared_tool", None, [(0, 0)]),
    ([A], [REST], "ast", False, "wrong_name", None, [(0, 0)]),
    ([A], [("walk", {})], "ast", False, "schema_break", None, [(0, 0)]),
    ([A], [A, B], "ast", False, "extra_call", None, [(0, 0), (None, 1)]),
    ([A], [B, A], "ast", False, "extra_call", None, [(0, 1), (None, 0)]),
    ([A], [A, FLY], "ast", False, "undeclared_tool", None, [(0, 0), (None, 1)]),
    ([A, B], [B], "ast", False, "missing_call", None, [(1, 0), (0, None)]),
    ([A, B], [B, A], "ast", False, "right", "exact", [(0, 1), (1, 0)]),
    ([A, B], [B, A], "ast", True, "wrong_arguments", None, [(0, 0), (1, 1)]),
    ([A, B], [A, B], "ast", True, "right", "exact", [(0, 0), (1, 1)]),
    ([A, B], [A], "ast", True, "missing_call", None, [(0, 0), (1, None)]),
    ([A], [A, B], "ast", True, "extra_call", None, [(0, 0), (None, 1)]),
    ([A, B], [A, LOUD_A], "ast", False, "wrong_arguments", None, [(0, 0), (1, 1)]),
    ([A, A], [LOUD_A, A], "ast", False, "right", "ast", [(0, 1), (1, 0)]),
    ([A, B], [LOUD_A, B], "ast", False, "right", "ast", [(0, 0), (1, 1)]),
    ([A, B], [LOUD_A, LOOSE_A], "ast", False, "wrong_arguments", None, [(0, 0), (1, 1)]),
    ([A, REST], [REST, B], "ast", False, "wrong_arguments", None, [(0, 1), (1, 0)]),
    ([A, REST], [FLY, B], "ast", False, "undeclared_tool", None, [(0, 1), (1, 0)]),
    ([A, ("walk", {"to": "b", "km": 1})], [("walk", {"to": "c", "km": 1}), C], "ast", False, "wrong_arguments", None,
     [(0, 1), (1, 0)]),  # as few differences as possible
]  # fmt: skip


@each("gold, calls, level, ordered, verdict, strictest, pairs", TURNS)
def test_the_calls_of_a_turn(
    gold: list[Any],
    calls: list[Any],
    level: str,
    ordered: bool,
    verdict: str,
    strictest: str | None,
    pairs: list[tuple[int | None, int | None]],
) -> None:
    judge = Judge(ToolIndex(TOOLS))
    expected = turn_of([ExpectedCall(Call(*each), tools=judge.tools) for each in gold])
    found = judge_turn(expected, [Call(*each) for each in calls], judge, NAMES[level], ordered=ordered)
    assert (found.verdict, found.as_json()["level"]) == (verdict, strictest)
    assert [(pair.gold, pair.output) for pair in found.pairs] == pairs


def test_calls_that_change_places_so_that_all_are_right() -> None:
    judge = Judge(ToolIndex(TOOLS))
    listed = [[["a", "b", "c"], ["a", "b"], ["a"]], [["a"], ["a", "b"], ["a", "b", "c"]]]
    for accepted in listed:
        truth = [{"walk": {"to": values}} for values in accepted]
        gold = gold_of([QUESTION], {"ground_truth": truth}).turns[0].expected
        for names in ("abc", "bca", "cab", "cba"):
            found = judge_turn(gold, [Call("walk", {"to": name}) for name in names], judge, NAMES["ast"])
            assert found.verdict == "right"
        found = judge_turn(gold, [Call("walk", {"to": name}) for name in "acc"], judge, NAMES["ast"])
        wrong = [pair for pair in found.pairs if pair.match is not None and not pair.match.levels]
        assert (found.verdict, len(wrong)) == ("wrong_arguments", 1)


@each(
    "expected, calls, verdict",
    [
        (NO_CALL, [], "right"),
        (NO_CALL, [A], "should_have_abstained"),
        (ANY_CALL, [FLY], "right"),
        (ANY_CALL, [], "should_have_called"),
    ],
)
def test_turns_of_no_call_and_of_any(expected: Any, calls: list[Any], verdict: str) -> None:
    found = judge_turn(expected, [Call(*each) for each in calls], Judge(ToolIndex(TOOLS)), NAMES["ast"])
    assert (found.verdict, len(found.calls)) == (verdict, len(calls))


# ── gold rows ──

SAID = {"role": "assistant", "content": "."}
SYSTEM = {"role": "system", "content": "Be short."}
RESULT = {"role": "tool", "tool_call_id": "call_0", "content": "there"}
TRUTH = [{"walk": {"to": ["a"]}}]
SEGMENTS: list[tuple[list[Any], list[tuple[list[int], int]]]] = [
    ([], [([], 0)]),
    ([QUESTION], [([], 1)]),
    ([SYSTEM, QUESTION, SAID], [([2], 3)]),
    ([QUESTION, QUESTION, SAID], [([2], 3)]),
    ([QUESTION, SAID, RESULT, SAID, QUESTION, SAID], [([1, 3], 4), ([5], 6)]),
    ([QUESTION, SAID, QUESTION], [([1], 2), ([], 3)]),
    ([SAID, QUESTION, SAID], [([0, 2], 3)]),  # a greeting answers nothing
]  # fmt: skip


@each("messages, found", SEGMENTS)
def test_a_conversation_is_divided_at_questions(messages: list[Any], found: list[tuple[list[int], int]]) -> None:
    assert [tuple(each) for each in segments(messages)] == found


@each("numbers, first", [([], 0), ([0], 0), ([0, 0], 0), ([0, 1], 1), ([0, 1, 1], 1), ([1, 1, 1], 0)])
def test_the_first_turn_of_the_last_question(numbers: list[int], first: int) -> None:
    assert first_of_last_segment(numbers) == first


def test_digests_of_messages_are_those_of_what_they_say() -> None:
    padded = {"role": "user", "content": " Go. "}
    parts = {"role": "user", "content": [{"type": "text", "text": "Go."}]}
    said = {"role": "assistant", "content": "Go."}
    assert len({*digests([QUESTION]), *digests([padded]), *digests([parts]), *digests([SYSTEM])}) == 2
    assert digests([said])[1] != digests([QUESTION])[1] == digests([SYSTEM, QUESTION])[2]
    assert digests([answer(A)])[1] != digests([answer(B)])[1]
    assert digests([QUESTION, answer(A)])[:2] == digests([QUESTION])


GOLD: list[tuple[list[Any], dict[str, Any], list[tuple[int, str, int]], int]] = [
    # messages, keys of the row, turns (place of the answer, kind, calls), number of the next turn
    ([QUESTION, answer(A)], {}, [(1, "calls", 1)], 0),
    ([QUESTION, SAID], {}, [(1, "none", 0)], 0),
    ([QUESTION], {}, [], 0),
    ([QUESTION], {"expect": "call"}, [(1, "any", 0)], 0),
    ([QUESTION], {"expect": "no call"}, [], 0),
    ([QUESTION, SAID], {"expect": "call"}, [(1, "any", 0)], 0),
    ([QUESTION, answer(A)], {"expect": "call"}, [(1, "calls", 1)], 0),
    ([QUESTION], {"category": "live_relevance"}, [(1, "any", 0)], 0),
    ([QUESTION], {"category": "relevance"}, [(1, "any", 0)], 0),
    ([QUESTION], {"id": "live_relevance_3-3-0"}, [(1, "any", 0)], 0),
    ([QUESTION], {"category": "live_irrelevance"}, [(1, "none", 0)], 0),
    ([QUESTION], {"id": "irrelevance_7"}, [(1, "none", 0)], 0),
    ([QUESTION], {"ground_truth": TRUTH}, [(1, "calls", 1)], 0),
    ([QUESTION], {"possible_answer": TRUTH}, [(1, "calls", 1)], 0),
    ([QUESTION], {"ground_truth": []}, [(1, "none", 0)], 0),
    ([QUESTION], {"ground_truth": ["walk(to='a')"]}, [], 0),
    ([QUESTION, answer(A), RESULT, SAID], {}, [(1, "calls", 1), (3, "none", 0)], 0),
    ([QUESTION, answer(A), RESULT, SAID], {"ground_truth": TRUTH}, [(1, "calls", 1)], 0),
    ([QUESTION, answer(A)], {"ground_truth": []}, [(1, "calls", 1)], 0),
    ([QUESTION, SAID, QUESTION], {"ground_truth": TRUTH}, [(1, "none", 0), (3, "calls", 1)], 1),
    ([QUESTION, SAID, QUESTION], {"ground_truth": [TRUTH, [*TRUTH, {"rest": {}}]]}, [(1, "calls", 1), (3, "calls", 2)], 1),
    ([QUESTION, SAID, QUESTION], {"ground_truth": [TRUTH]}, [(1, "none", 0)], 0),
    ([QUESTION, SAID, QUESTION], {"expect": "call"}, [(1, "none", 0), (3, "any", 0)], 1),
    ([QUESTION, SAID, QUESTION, answer(A), answer(B)], {}, [(1, "none", 0), (3, "calls", 1), (4, "calls", 1)], 1),
]  # fmt: skip


@each("messages, keys, turns, following", GOLD)
def test_what_is_right_in_a_row(
    messages: list[Any], keys: dict[str, Any], turns: list[tuple[int, str, int]], following: int
) -> None:
    found = gold_of(messages, keys)
    assert [(turn.at, turn.expected.kind, len(turn.expected.calls)) for turn in found.turns] == turns
    assert [turn.number for turn in found.turns] == list(range(len(turns)))
    assert (found.next, found.size, found.conversation) == (following, len(messages), None)


@each(
    "keys, by, category",
    [
        ({"category": "hard"}, "category", "hard"),
        ({"category": 5}, "category", "5"),
        ({"id": "simple_python_12"}, "category", "simple_python"),
        ({"id": "live_simple_3-4-5"}, "category", "live_simple"),
        ({"id": "simple_python"}, "category", ""),
        ({"id": 12}, "category", ""),
        ({"id": "simple_12", "source": "web"}, "source", "web"),
        ({"id": "simple_12", "category": "hard"}, "source", ""),
        ({"category": ["hard"]}, "category", ""),
    ],
)
def test_the_category_of_a_row(keys: dict[str, Any], by: str, category: str) -> None:
    assert gold_of([QUESTION], keys, by).category == category


@each(
    "calls, invalid",
    [([A], ()), ([FLY], ("fly",)), ([FLY, FLY], ("fly",)), ([("walk", {})], ("walk",)), ([("rest", {"x": 1})], ())],
)
def test_gold_calls_that_break_their_schema(calls: list[Any], invalid: tuple[str, ...]) -> None:
    assert gold_of([QUESTION, answer(*calls)], {}).invalid == invalid
    assert gold_of([QUESTION, answer(*calls)], {}, tools=[]).invalid == ()  # nothing is declared


@each("value, key", [("a", "a"), (5, "5"), (True, None), (1.5, None), (None, None), (["a"], None)])
def test_what_pairs_rows(value: Any, key: str | None) -> None:
    assert key_of(value) == key


def test_a_file_of_answers(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": 1, "ground_truth": []}\n\n{"id": "b", "possible_answer": [{"rest": {}}]}\n')
    assert read_answers(str(path)) == {"1": [], "b": [{"rest": {}}]}
    for text, message in {
        '{"id": 1, "ground_truth": []}\n{"id": "1", "ground_truth": []}': "answers.jsonl:2: a second answer for '1'",
        '{"id": 1, "ground_truth": []}\n\n{"ground_truth": []}': "answers.jsonl:3: no answer",
        '{"id": 1}': "answers.jsonl:1: no answer",
        "[]": "answers.jsonl:1: no answer",
        "x": "answers.jsonl:1: no answer",
    }.items():
        path.write_text(text)
        with pytest.raises(FileError, match=message):
            read_answers(str(path))


# ── outputs ──

TWICE = {"id": "1", "tools": TOOLS, "messages": [QUESTION, answer(A), RESULT, answer(B), QUESTION, answer(C)]}
"""A gold row of three turns, for two questions."""


def ran(*calls: Any, **keys: Any) -> dict[str, Any]:
    """An output with a turn for each call, after one question."""
    return {"id": "1", "messages": [QUESTION, *map(answer, calls)], **keys}


OUTPUTS: list[tuple[dict[str, Any], str, list[tuple[int | None, str]]]] = [
    # an output, --turns, the turns that it stands for, each with its verdict
    (TWICE, "auto", [(None, "right")]),
    (TWICE, "whole", [(None, "right")]),
    (TWICE, "each", [(0, "right"), (1, "right"), (2, "right")]),
    (ran(A), "auto", [(0, "right")]),  # its history is that of the first turn
    (ran(C), "auto", [(0, "wrong_arguments")]),
    ({**ran(C), "messages": [*TWICE["messages"][:5], answer(C)], "turn": 2}, "auto", [(2, "right")]),
    (ran(B, turn=1), "auto", [(1, "right")]),
    (ran(C, turn=2), "auto", [(2, "right")]),
    (ran(C, turn=3), "auto", [(2, "right")]),  # there is no such turn: the next one
    (ran(C, turn=-1), "auto", [(2, "right")]),
    (ran(A, turn=True), "auto", [(0, "right")]),
    (ran(B, turn=1), "each", [(1, "right"), (0, "no_output"), (2, "no_output")]),
    ({"id": "1", "messages": [{"role": "user", "content": "Else."}, answer(C)]}, "auto", [(2, "right")]),
    (ran(A, turn=0), "whole", [(None, "should_have_called")]),
    ({"id": "1", "messages": [QUESTION]}, "auto", [(2, "no_output")]),
    ({"id": "2", "messages": [QUESTION]}, "auto", [(2, "no_output")]),  # of the gold row; the output has none
]  # fmt: skip


@each("output, turns, found", OUTPUTS)
def test_what_an_output_stands_for(output: dict[str, Any], turns: str, found: list[tuple[int | None, str]]) -> None:
    assert [(each["turn"], each["verdict"]) for each in verdicts([TWICE], [output], turns=turns)] == found


def messages(*segments: list[list[Any]]) -> list[Any]:
    """A conversation: a question, and turns with these calls, for each segment."""
    return [each for turns in segments for each in (QUESTION, *(answer(*calls) for calls in turns))]


WHOLE: list[tuple[list[Any], list[Any], str, list[str], list[int | None], int]] = [
    # gold, output, verdict, flags, the gold calls that its differences are of, calls before the first other one
    (messages([[A], [B]]), messages([[A, B]]), "right", ["merged_turns"], [], 2),
    (messages([[A, B]]), messages([[A], [B]]), "right", ["merged_turns"], [], 2),
    (messages([[A], [B]]), messages([[A], [B]]), "right", [], [], 2),
    (messages([[A], [B]]), messages([[B], [A]]), "wrong_arguments", [], [None], 0),
    (messages([[A, B]]), messages([[B, A]]), "right", [], [], 0),
    (messages([[A, B], [C]]), messages([[B], [A, C]]), "right", [], [], 0),
    (messages([[A, B], [C]]), messages([[B], [C], [A]]), "wrong_arguments", [], [None], 0),
    (messages([[A]], [[B]]), messages([[A]], [[C]]), "wrong_arguments", [], [1], 1),
    (messages([[A]], [[B]]), messages([[A]]), "should_have_called", [], [], 1),
    (messages([[A]]), messages([[A]], [[B]]), "should_have_abstained", [], [], 1),
    (messages([[A]], [[B, C]]), messages([[A]], [[C, B]]), "right", [], [], 1),
    (messages([[A]], [[B]]), messages([[LOUD_A]], [[B]]), "right", [], [0], 2),
    (messages([[A]], [[]]), messages([[A]], [[]]), "right", [], [], 1),
]  # fmt: skip


@each("gold, output, verdict, flags, differences, prefix", WHOLE)
def test_whole_runs(
    gold: list[Any], output: list[Any], verdict: str, flags: list[str], differences: list[int | None], prefix: int
) -> None:
    both = ({"id": "1", "messages": each, "tools": TOOLS} for each in (gold, output))
    (scored,) = score_rows(*([each] for each in both), ScoreOptions(turns="whole"))
    assert (scored.judged.verdict, list(scored.flags)) == (verdict, flags)
    assert [each.call for each in scored.judged.differences] == differences
    assert scored.judged.prefix == prefix
    strictest = None if verdict != "right" else "ast" if differences else "exact"
    assert scored.judged.as_json()["level"] == strictest
    for pair in scored.judged.pairs:  # counted over all turns
        assert pair.gold is None or pair.gold < len(scored.judged.expected.calls)
        assert pair.output is None or pair.output < len(scored.judged.calls)


def test_flags_of_outputs() -> None:
    gold = [row(FLY, id="1"), row(A, id="2"), row(A, id="3")]
    quoted = "<tool_call>{'name': 'walk', 'arguments': {'to': 'a'}}</tool_call>"
    outputs = [row(A, id="1"), {"id": "2", "completion": quoted}, {"id": "3", "completion": quoted}]
    found = verdicts(gold, outputs[:2], dialect="hermes")
    assert [(each["verdict"], each["flags"]) for each in found] == [
        ("wrong_name", ["gold_invalid"]),
        ("right", ["repaired"]),
        ("no_output", []),
    ]
    (*_, last) = verdicts(gold, outputs, dialect="mistral")
    assert last["flags"] == ["repaired", "other_dialect"]
    assert [each["sample"] for each in verdicts(gold[1:2], [outputs[1]] * 3)] == [0, 1, 2]


@each(
    "names, verdict",
    [("exact", "undeclared_tool"), ("api", "right")],
)
def test_names_as_apis_write_them(names: str, verdict: str) -> None:
    tool = {"type": "function", "function": {"name": "trip.go", "parameters": {"type": "object", "properties": {}}}}
    gold = {**row(("trip.go", {}), id="1"), "tools": [tool]}
    (found,) = verdicts([gold], [row(("trip_go", {}), id="1")], api_names=names == "api")
    assert found["verdict"] == verdict
