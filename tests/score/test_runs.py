"""How rows are paired and what a run writes of each verdict, without a command."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import each
from tests.score.test_figures import HERE, THERE
from tests.score.test_score import QUESTION, TOOLS, answer, row
from toolconv.convert.options import Options
from toolconv.convert.pipeline import conversations
from toolconv.convert.receipt import Receipt
from toolconv.score.comparison import RunComparison
from toolconv.score.run import PROMPT, Gold, NotPaired, Scored, ScoreOptions, Scores
from toolconv.score.table import HINTS, lines

REST = ("rest", {})


def run_of(folder: Path, gold: list[Any], outputs: list[Any], **options: Any) -> tuple[Scores, list[Scored]]:
    """A run, and its verdicts."""
    given = ScoreOptions(**options)
    for name, rows in (("gold", gold), ("outputs", outputs)):
        lines = (each if isinstance(each, str) else json.dumps(each) for each in rows)
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    known = Gold.read(conversations([str(folder / "gold")], Options(), Receipt()), given)
    scores = Scores(known, given)
    read = Options(tools_of=partial(known.tools_of, key=given.key))
    return scores, list(scores.score(conversations([str(folder / "outputs")], read, Receipt())))


def asked(question: str, *calls: tuple[str, Any], **more: Any) -> dict[str, Any]:
    return {**row(*calls, **more), "messages": [{"role": "user", "content": question}, answer(*calls)]}


def test_what_a_run_writes_of_a_turn(tmp_path: Path) -> None:
    gold = [row(("walk", {"to": "a", "km": 1.0}), id="x", category="c"), row(REST, id=7)]
    outputs = [row(("walk", {"to": "A", "km": 1}), id="x"), row(("walk", {"to": "b"}), id="x")]
    _, found = run_of(tmp_path, gold, outputs)
    call = {"name": "walk", "arguments": {"to": "a", "km": 1.0}}
    assert [each.as_json() for each in found] == [
        {
            "id": "x", "turn": 0, "sample": 0, "right": True, "level": "ast", "verdict": "right",
            "differences": found[0].as_json()["differences"],
            "needed": ["case", "number_form"], "expect": "calls", "gold": [call],
            "output": [{"name": "walk", "arguments": {"to": "A", "km": 1}}], "flags": [], "category": "c",
        },
        {
            "id": "x", "turn": 0, "sample": 1, "right": False, "level": None, "verdict": "wrong_arguments",
            "differences": found[1].as_json()["differences"],
            "needed": [], "expect": "calls", "gold": [call],
            "output": [{"name": "walk", "arguments": {"to": "b"}}], "flags": [], "category": "c",
        },
        {
            "id": "7", "turn": 0, "sample": 0, "right": False, "level": None, "verdict": "no_output", "differences": [],
            "needed": [], "expect": "calls", "gold": [{"name": "rest", "arguments": {}}], "output": [], "flags": [],
            "category": "",
        },
    ]  # fmt: skip
    assert {each["path"]: (each["gold"], each["output"]) for each in found[0].as_json()["differences"]} == {
        "to": ("a", "A"),
        "km": (1.0, 1),
    }
    (missing,) = [each for each in found[1].as_json()["differences"] if each["path"] == "km"]
    assert "output" not in missing and missing["gold"] == 1.0 and missing["call"] == 0


@each(
    "gold, outputs, options, pairing, verdicts",
    [
        ([row(HERE, id=1), row(REST, id=2)], [row(REST, id=2), row(HERE, id=1)], {}, "key", [("2", "right"), ("1", "right")]),
        ([row(HERE), row(REST)], [row(HERE), row(THERE)], {}, "position", [("1", "right"), ("2", "undeclared_tool")]),
        ([row(HERE, id=1), row(REST)], [row(HERE, id=1), row(REST)], {}, "position", [("1", "right"), ("2", "right")]),
        ([asked("a", HERE), asked("b", REST)], [asked("b", REST), asked("a", HERE)], {}, "prompt", [("2", "right"), ("1", "right")]),
        ([asked("a", HERE, id=1), asked("b", REST, id=2)], [asked("b", REST)], {}, "prompt", [("2", "right"), ("1", "no_output")]),
        ([asked("a", HERE, id=1)], [asked("a", HERE, id=2)], {"key": PROMPT}, "prompt", None),
        ([row(HERE, k="x")], [row(HERE, k="x")], {"key": "k"}, "key", [("x", "right")]),
        ([row(HERE, id=1)], [], {}, "key", [("1", "no_output")]),
        ([row(HERE, id=1)], [], {"skip_missing": True}, "key", []),
        ([row(HERE, id=1), row(REST, id=1)], [row(HERE, id=1)], {}, "key", [("1", "right")]),  # the first of the key
        ([row(HERE, id=1), row(HERE, id=2)], ['{"id": 2, "messages": 7}', row(HERE, id=1)], {}, "key", [("2", "unreadable"), ("1", "right")]),
    ],
)  # fmt: skip
def test_what_pairs_rows(
    gold: list[Any],
    outputs: list[Any],
    options: dict[str, Any],
    pairing: str,
    verdicts: list[tuple[str, str]] | None,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    scores, found = run_of(tmp_path_factory.mktemp("pairs"), gold, outputs, **options)
    assert scores.pairing == pairing
    shown = [
        (each.key, "undeclared_tool" if each.judged.verdict == "wrong_name" else each.judged.verdict) for each in found
    ]
    if verdicts is None:
        assert [verdict for _, verdict in shown] == ["right"]
    else:
        assert shown == verdicts


def test_positions_need_as_many_rows(tmp_path: Path) -> None:
    for outputs in ([row(HERE)], [row(HERE)] * 3):
        with pytest.raises(NotPaired, match=rf"^2 gold rows and {len(outputs)} outputs?, and no key to pair them by: "):
            run_of(tmp_path, [row(HERE), row(HERE)], outputs)


def turns(*calls: tuple[str, Any] | None) -> list[dict[str, Any]]:
    """A conversation with a question before each turn."""
    return [each for at, call in enumerate(calls) for each in ({"role": "user", "content": f"{at}"}, answer(*([call] if call else [])))]  # fmt: skip


@each(
    "outputs, options, found",
    [
        ([{"id": 1, "messages": turns(HERE, REST)}], {}, [(None, "right", 2)]),
        ([{"id": 1, "messages": turns(HERE, HERE)}], {}, [(None, "wrong_name", 1)]),
        ([{"id": 1, "messages": turns(HERE, REST)}], {"turns": "each"}, [(0, "right", None), (1, "right", None)]),
        ([{"id": 1, "messages": turns(HERE, HERE)}], {"turns": "each"}, [(0, "right", None), (1, "wrong_name", None)]),
        ([{"id": 1, "turn": 0, "messages": turns(HERE)}], {}, [(0, "right", None)]),
        ([{"id": 1, "turn": 0, "messages": turns(HERE)}], {"turns": "each"}, [(0, "right", None), (1, "no_output", None)]),
        ([{"id": 1, "turn": 9, "messages": turns(REST)}], {}, [(1, "right", None)]),  # no such turn: the next one
        ([], {}, [(1, "no_output", None)]),
        ([], {"turns": "each"}, [(0, "no_output", None), (1, "no_output", None)]),
        ([{"id": 1, "messages": turns(HERE)}], {"turns": "whole"}, [(None, "should_have_called", 1)]),
    ],
)  # fmt: skip
def test_which_turns_an_output_stands_for(
    outputs: list[Any],
    options: dict[str, Any],
    found: list[tuple[int | None, str, int | None]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    gold = [{"id": 1, "messages": turns(HERE, REST), "tools": TOOLS}]
    _, scored = run_of(tmp_path_factory.mktemp("turns"), gold, outputs, **options)
    assert [(each.turn, each.judged.verdict, each.judged.prefix) for each in scored] == found


def test_figures_of_whole_runs(tmp_path: Path) -> None:
    gold = [{"id": number, "messages": turns(HERE, REST), "tools": TOOLS} for number in range(4)]
    outputs = [turns(HERE, REST), turns(HERE, HERE), turns(HERE, REST, REST), turns(REST, HERE)]
    rows = [{"id": number, "messages": messages} for number, messages in enumerate(outputs)]
    scores, found = run_of(tmp_path, gold, rows, turns="whole")
    assert [each.judged.prefix for each in found] == [2, 1, 2, 0]
    assert (scores.figures.sequence.right, scores.figures.sequence.n) == (1, 4)
    assert (scores.figures.prefix.right, scores.figures.prefix.n) == (5, 8)


def test_a_prompt_of_two_gold_rows_is_repeated(tmp_path: Path) -> None:
    scores, _ = run_of(tmp_path, [asked("a", HERE), asked("a", REST), asked("b", REST)], [], key=PROMPT)
    assert len(scores.gold.repeated) == 1 and sorted(scores.gold.by_prompt.values()) == [-1, 2]
    plain, _ = run_of(tmp_path, [asked("a", HERE, id=1), asked("a", REST, id=2)], [])
    assert plain.gold.repeated == []


def test_a_call_that_comes_a_turn_too_early(tmp_path: Path) -> None:
    gold = [{"id": 1, "messages": turns(HERE, REST), "tools": TOOLS}]
    for extra, flags in ((REST, ("early",)), (THERE, ())):
        messages = [{"role": "user", "content": "0"}, answer(HERE, extra)]
        _, found = run_of(tmp_path, gold, [{"id": 1, "turn": 0, "messages": messages}])
        assert [(each.judged.verdict, each.flags) for each in found] == [("extra_call", flags)]


def test_types_come_from_the_gold_row_of_the_key_or_of_the_prompt_or_from_the_only_tools(tmp_path: Path) -> None:
    text = "<tool_call>\n<function=walk>\n<parameter=to>\n7\n</parameter>\n</function>\n</tool_call>"
    said = {"role": "assistant", "content": text}
    right = row(("walk", {"to": "7"}))
    other = {**asked("b", ("walk", {"to": 7}), id=2), "tools": []}
    for gold, output in (
        ([{**right, "id": 1}, other], {"id": 1, "messages": [QUESTION, said]}),
        ([{**right, "id": 1}, other], {"messages": [QUESTION, said]}),
        ([{**right, "id": 1}], {"id": 1, "completion": text}),
    ):
        _, found = run_of(tmp_path, gold, [output], skip_missing=True)
        assert [each.judged.verdict for each in found] == ["right"], output


def test_the_tools_of_a_run_have_a_hash_that_no_order_changes(tmp_path: Path) -> None:
    one, _ = run_of(tmp_path, [row(HERE, id=1)], [])
    other, _ = run_of(
        tmp_path, [{**row(HERE, id=1), "tools": TOOLS[::-1]}, {**row(HERE, id=2), "tools": TOOLS[:1]}], []
    )
    less, _ = run_of(tmp_path, [{**row(HERE, id=1), "tools": TOOLS[:1]}], [])
    assert one.gold.tools_sha256 == other.gold.tools_sha256 != less.gold.tools_sha256


def test_the_ten_worst_arguments_are_listed(tmp_path: Path) -> None:
    named = {f"a{at:02}": at for at in range(12)}
    calls = [("rest", named)]
    scores, _ = run_of(tmp_path, [row(*calls, id=1)], [row(("rest", dict.fromkeys(named, -1)), id=1)])
    found = scores.figures.as_json()["wrong_arguments"]
    assert list(found.items()) == [(f"rest.a{at:02}", 1) for at in range(10)]


def test_a_table_has_so_many_hints_and_no_more(tmp_path: Path) -> None:
    scores, _ = run_of(tmp_path, [row(HERE, id=1)], [row(HERE, id=1)])
    hints = {
        "equal": "1 output is the gold row, word for word: is OUTPUTS the right file?",
        "truth": "2 outputs have a ground_truth: are GOLD and OUTPUTS swapped?",
        "tools": "1 output declares other tools than the gold row, whose tools count",
        "own_tools": "2 gold rows declare no tools: those of the outputs count",
        "language": "1 row has literals of Java or JavaScript, which are compared as text",
    }
    for name, words in hints.items():
        scores.notable.clear()
        scores.notable[name] = int(words[0])
        assert [line for line in lines(scores, None) if line.startswith("hint")] == [f"hint: {words}"]
    scores.notable.update(dict.fromkeys(hints, 1))
    scores.figures.dotted = scores.figures.blurred = 1
    assert sum(line.startswith("hint") for line in lines(scores, None)) == HINTS == 6
    scores.notable.clear()
    scores.figures.needed["bfcl_rule"] = 1
    assert list(lines(scores, None))[-1] == "hint: bfcl_rule counts what only BFCL forgives: see 'toolconv help score'"
    assert "hint: 1 wrong name differs only in '.' and '_': --names api" in lines(scores, None)


def test_what_is_odd_about_outputs_is_counted(tmp_path: Path) -> None:
    odd = [
        row(HERE, id="simple_java_1"),
        {**row(HERE, id="2"), "tools": []},
        row(HERE, id="3"),
        row(HERE, id="4"),
    ]
    outputs = [
        row(THERE, id="simple_java_1"),
        row(THERE, id="2"),
        {**row(THERE, id="3"), "tools": TOOLS[:1]},
        {**row(THERE, id="4"), "ground_truth": []},
    ]
    scores, _ = run_of(tmp_path, odd, outputs)
    assert scores.notable == {"language": 1, "own_tools": 1, "tools": 1, "truth": 1}


def test_more_than_chance_is_said_of_a_comparison(tmp_path: Path) -> None:
    scores, _ = run_of(tmp_path, [row(HERE, id=1)], [row(HERE, id=1)])
    better = RunComparison(both=1, second=20, neither=2)
    line, counts = list(lines(scores, better))[-2:]
    assert line.startswith("OTHER - OUTPUTS: +87.0% (") and line.endswith(", p = 1.91e-06")
    assert counts == "  both right 1, only OUTPUTS 0, only OTHER 20, neither 2"
    assert not better.is_worse and RunComparison(first=20).is_worse and not RunComparison(first=5).is_worse
