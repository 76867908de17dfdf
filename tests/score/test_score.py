"""``toolconv score``: outputs compared with gold calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES, Run, each, json_values, toolconv
from toolconv import Options, convert_rows, score_rows
from toolconv.core.tools import ToolIndex
from toolconv.score.calls import RIGHT, Judge
from toolconv.score.expected import Call, ExpectedCall, turn_of
from toolconv.score.levels import Levels, strictest
from toolconv.score.statistics import mcnemar, newcombe, pass_all, pass_at, wilson
from toolconv.score.verdicts import judge_turn

SCORE = FIXTURES / "score"
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "walk",
            "parameters": {
                "type": "object",
                "properties": {
                    "to": {"type": "string"},
                    "km": {"type": "number"},
                    "stops": {"type": "integer"},
                    "dogs": {"type": "array", "items": {"type": "string"}},
                    "mode": {"type": "string", "default": "slow"},
                    "plan": {"type": "object"},
                },
                "required": ["to"],
            },
        },
    },
    {"type": "function", "function": {"name": "rest", "parameters": {"type": "object", "properties": {}}}},
]
QUESTION = {"role": "user", "content": "Go."}


def answer(*calls: tuple[str, Any]) -> dict[str, Any]:
    """A turn of the assistant."""
    items = [{"type": "function", "function": {"name": name, "arguments": arguments}} for name, arguments in calls]
    return {"role": "assistant", "content": "", "tool_calls": items} if items else {"role": "assistant", "content": "."}


def row(*calls: tuple[str, Any], **more: Any) -> dict[str, Any]:
    return {"messages": [QUESTION, answer(*calls)], "tools": TOOLS, **more}


def score(folder: Path, gold: list[Any], outputs: list[Any], *options: str, other: list[Any] | None = None) -> Run:
    """Score rows; a text is a line as it is."""
    names = []
    for name, rows in (("gold", gold), ("outputs", outputs), ("other", other)):
        if rows is not None:
            lines = (each if isinstance(each, str) else json.dumps(each) for each in rows)
            (folder / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines))
            names.append(f"{name}.jsonl")
    return toolconv("score", "-q", *names, *options, cwd=folder)


def verdicts(folder: Path, gold: list[Any], outputs: list[Any], *options: str) -> list[dict[str, Any]]:
    score(folder, gold, outputs, "-o", "verdicts.jsonl", *options)
    return [json.loads(line) for line in (folder / "verdicts.jsonl").read_text().splitlines()]


CASES = [json.loads(line) for line in (SCORE / "pitfalls.jsonl").read_text().splitlines()]


@each("case", CASES)
def test_pitfalls(case: dict[str, Any]) -> None:
    if "truth" in case:
        gold = {"messages": [QUESTION], "tools": TOOLS, "ground_truth": case["truth"]}
    else:
        gold = row(*map(tuple, case["gold"]))
    (found,) = (each.as_json() for each in score_rows([gold], [row(*map(tuple, case["output"]))]))
    assert (found["level"], found["verdict"]) == (case["level"], case["verdict"])
    assert case.get("needed") in (None, found["needed"])


def test_samples_count_once_in_intervals_and_give_pass_at_k(tmp_path: Path) -> None:
    right, wrong = ("walk", {"to": "a"}), ("walk", {"to": "b"})
    gold = [row(right, id="1"), row(right, id="2")]
    outputs = [row(right, id="1"), row(wrong, id="1"), row(wrong, id="2"), row(wrong, id="2")]
    figures = json.loads(score(tmp_path, gold, outputs, "--json", "--k", "1,2,3").out)["figures"]
    assert figures["rows"]["ast"]["n"] == 4
    assert figures["samples"] == {
        "turns": 2,
        "majority": figures["samples"]["majority"],
        "pass_at": {"1": 0.25, "2": 0.5, "3": None},
        "pass_all": {"1": 0.25, "2": 0.0, "3": None},
    }
    lines = score(tmp_path, gold, outputs, "--k", "1,2,3").out.splitlines()[4:7]
    assert lines == [
        "  pass@1, pass^1  25.0%, 25.0%", "  pass@2, pass^2  50.0%, 0.0%", "  pass@3, pass^3  a turn has fewer samples"
    ]  # fmt: skip
    assert figures["samples"]["majority"]["right"] == 0  # of two samples that differ, none has a majority
    interval = wilson(0.5, 2)
    assert interval is not None
    assert (figures["rows"]["ast"]["low"], figures["rows"]["ast"]["high"]) == pytest.approx(interval)


def test_rows_without_partner(tmp_path: Path) -> None:
    right = ("walk", {"to": "a"})
    gold = [row(right, id="1"), row(right, id="2"), row(right, id="2")]
    run = score(tmp_path, gold, [row(right, id="3"), row(right, id="1")], "--json")
    found = json.loads(run.out)
    assert run.status == 1
    assert (found["repeated"], found["unpaired"]) == (["2"], [{"file": "outputs.jsonl", "line": 1, "id": "3"}])
    assert found["figures"]["verdicts"]["no_output"] == 1  # of the second row; the third is no row of its own
    skipped = json.loads(score(tmp_path, gold, [row(right, id="1")], "--json", "--missing", "skip").out)
    assert skipped["figures"]["rows"]["ast"]["n"] == 1


def test_folders_are_scored_as_the_files_in_them(tmp_path: Path) -> None:
    right, question = ("walk", {"to": "a"}), {"messages": [QUESTION], "tools": TOOLS}
    for path, held in {
        "gold/a/easy.jsonl": row(right, id="1"),
        "gold/b/hard.jsonl": {**question, "id": "2"},
        "answers/hard.jsonl": {"id": "2", "ground_truth": [{"walk": {"to": ["a"]}}]},
        "outputs/1.jsonl": row(right, id="2"),
        "outputs/2.jsonl": row(right, id="7"),
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(json.dumps(held) + "\n")
    run = toolconv("score", "gold", "outputs", "--answers", "answers", "--json", cwd=tmp_path)
    found = json.loads(run.out)
    assert found["figures"]["verdicts"]["right"] == found["figures"]["verdicts"]["no_output"] == 1
    assert found["unpaired"] == [{"file": "outputs/2.jsonl", "line": 1, "id": "7"}]
    assert "outputs/2.jsonl:1: no gold row for 7" in run.err


def test_each_of_several_answers_in_a_row_is_a_sample(tmp_path: Path) -> None:
    right, wrong, cut = (f'<tool_call>{{"name": "walk", "arguments": {{"to": "{to}"}}}}</tool_call>' for to in "abc")
    gold = [row(("walk", {"to": "a"}), id="1"), row(("walk", {"to": "b"}), id="2")]
    outputs = [{"id": "1", "completions": [right, wrong]}, {"id": "2", "completions": [wrong, cut[:-20]]}]
    found = json.loads(score(tmp_path, gold, outputs, "--json", "--k", "2").out)["figures"]
    verdicts = [found["verdicts"][name] for name in ("right", "wrong_arguments", "unreadable")]
    assert verdicts == [2, 1, 1]
    assert found["samples"]["pass_at"]["2"] == 1.0 and found["samples"]["pass_all"]["2"] == 0.0
    pair = {"id": "1", "prompt": [QUESTION], "chosen": right, "rejected": wrong}
    assert score(tmp_path, gold[:1], [pair]).out.startswith("1 of 1 right")


def test_answers_of_a_batch_are_paired_by_the_id_of_their_request(tmp_path: Path) -> None:
    gold = [row(("walk", {"to": to}), id=to) for to in "ab"]
    call = {"id": "c", "type": "function", "function": {"name": "walk", "arguments": '{"to": "b"}'}}
    choice = {"index": 0, "message": {"role": "assistant", "content": None, "tool_calls": [call]}}
    outputs = [
        {"id": f"batch_req_{to}", "custom_id": to, "response": {"status_code": 200, "body": {"choices": [choice]}}}
        for to in "ba"
    ]
    run = score(tmp_path, gold, outputs)
    assert run.out.startswith("1 of 2 right, ") and "paired by id" in run.out


def test_answers_in_a_folder_of_the_questions_are_no_questions(tmp_path: Path) -> None:
    for path, held in {
        "gold/1.jsonl": {"messages": [QUESTION], "tools": TOOLS, "id": "1"},
        "gold/answers/1.jsonl": {"id": "1", "ground_truth": [{"walk": {"to": ["a"]}}]},
        "outputs.jsonl": row(("walk", {"to": "a"}), id="1"),
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(json.dumps(held) + "\n")
    run = toolconv("score", "gold", "outputs.jsonl", "--answers", "gold/answers", cwd=tmp_path)
    assert run.status == 0 and run.out.startswith("1 of 1 right")


def test_why_an_output_is_unreadable_is_said(tmp_path: Path) -> None:
    right, wrong = row(("walk", {"to": "a"}), id="1"), {"id": "1", "zz": {"a": "b"}}
    for name, held in (("right", right), ("wrong", wrong)):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(held) + "\n")
    run = toolconv("score", "right.jsonl", "wrong.jsonl", cwd=tmp_path)
    assert "wrong: unreadable 1" in run.out and "wrong.jsonl:1: unreadable: " in run.err
    alone = toolconv("score", "wrong.jsonl", "right.jsonl", cwd=tmp_path)
    assert alone.status == 2 and "wrong.jsonl:1: " in alone.err


def test_rows_of_several_files_have_their_file_in_verdicts_by_position(tmp_path: Path) -> None:
    for path in ("gold/a.jsonl", "gold/b.jsonl", "outputs/a.jsonl", "outputs/b.jsonl"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(json.dumps(row(("walk", {"to": path[-7]}))) + "\n")
    run = toolconv("score", "gold", "outputs", "-o", "verdicts.jsonl", "--level", "exact", cwd=tmp_path)
    assert (run.status, run.err.count("gold/")) == (0, 2)
    rows = [json.loads(line) for line in (tmp_path / "verdicts.jsonl").read_text().splitlines()]
    assert [each["id"] for each in rows] == ["gold/a.jsonl:1", "gold/b.jsonl:1"]


def test_positions_need_the_same_number_of_rows(tmp_path: Path) -> None:
    right = ("walk", {"to": "a"})
    run = score(tmp_path, [row(right), row(right)], [row(right)])
    assert run.status == 2
    assert "2 gold rows and 1 output," in run.err


def test_a_gold_row_that_says_nothing_is_listed(tmp_path: Path) -> None:
    gold = [{"id": "1", "messages": [QUESTION], "tools": TOOLS}, row(("rest", {}), id="2")]
    run = score(tmp_path, gold, [row(("rest", {}), id="1"), row(("rest", {}), id="2")], "--json")
    assert run.status == 1
    found = json.loads(run.out)
    assert [each["line"] for each in found["unscorable"]] == [1]
    assert found["figures"]["rows"]["exact"]["n"] == 1


def test_an_unreadable_output_is_no_abstention(tmp_path: Path) -> None:
    gold = [row(id="1"), row(id="2"), row(id="3")]
    broken = '<tool_call>{"name": "walk", "arguments": {"to": </tool_call>'
    outputs = [{"id": "1", "completion": "No."}, {"id": "2", "completion": broken}, '{"id": "3", "completion": 5}']
    found = verdicts(tmp_path, gold, outputs, "--to", "hermes")
    assert [each["verdict"] for each in found] == ["right", "unreadable", "unreadable"]
    assert [each["right"] for each in found] == [True, False, False]


def test_next_turn_by_history_and_whole_runs(tmp_path: Path) -> None:
    first, second = answer(("walk", {"to": "a"})), answer(("rest", {}))
    result = {"role": "tool", "tool_call_id": "call_0", "content": "there"}
    gold = {"id": "1", "messages": [QUESTION, first, result, second], "tools": TOOLS}
    merged = row(("walk", {"to": "a"}), ("rest", {}), id="1")
    swapped = {**gold, "messages": [QUESTION, second, result, first]}
    assert [each["verdict"] for each in verdicts(tmp_path, [gold], [row(("walk", {"to": "a"}), id="1")])] == ["right"]
    assert [each["verdict"] for each in verdicts(tmp_path, [gold], [gold])] == ["right"]
    assert [each["verdict"] for each in verdicts(tmp_path, [gold], [merged], "--turns", "whole")] == ["right"]
    (found,) = verdicts(tmp_path, [gold], [swapped])
    assert (found["verdict"], found["differences"][0]["kind"]) == ("wrong_arguments", "order")
    each = verdicts(tmp_path, [gold], [{**row(("rest", {}), id="1"), "turn": 1}], "--turns", "each")
    assert [(one["turn"], one["verdict"]) for one in each] == [(1, "right"), (0, "no_output")]


def test_two_runs(tmp_path: Path) -> None:
    gold = [row(("walk", {"to": "a"}), id=str(at)) for at in range(6)]
    wrong = [row(("walk", {"to": "b"}), id=str(at)) for at in range(6)]
    run = score(tmp_path, gold, gold, "--json", "--fail-if-worse", other=wrong)
    found = json.loads(run.out)["comparison"]
    assert run.status == 1
    assert (found["only_outputs"], found["difference"], found["p"]) == (6, -1.0, 2 / 64)
    mirrored = json.loads(score(tmp_path, gold, wrong, "--json", other=gold).out)["comparison"]
    assert (mirrored["won"], mirrored["difference"], mirrored["p"]) == (found["lost"], 1.0, found["p"])
    few = score(tmp_path, gold[:5], gold[:5], "--fail-if-worse", other=wrong[:5])
    assert few.status == 0
    assert "p = 0.0625: not distinguishable on these 5 turns" in few.out


@pytest.mark.parametrize(
    ("limit", "status"),
    [("rows.ast.rate=1", 0), ("rows.ast.low=0.9", 1), ("abstain.rate=0", 2), ("rows.best=1", 2), ("rows.ast.rate", 2)],
)
def test_limits(limit: str, status: int, tmp_path: Path) -> None:
    gold = [row(("rest", {}))]
    assert score(tmp_path, gold, gold, "--fail-under", limit).status == status


def test_the_table_is_short_and_a_total_abstainer_shows(tmp_path: Path) -> None:
    gold = [row(("rest", {}), id="1"), row(id="2")]
    run = score(tmp_path, gold, [row(id="1"), row(id="2")])
    assert "calls if it should  0 of 1 right" in run.out
    assert "abstain         1 of 1 right" in run.out
    assert len(run.out.splitlines()) <= 25


# Tables: Newcombe (1998), Statistics in Medicine 17, p. 857 ff. (81 of 263, 0 of 20, 1 of 29); binomial tails.
@pytest.mark.parametrize(
    ("right", "n", "low", "high"), [(81, 263, 0.2553, 0.3662), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
)
def test_wilson(right: int, n: int, low: float, high: float) -> None:
    assert wilson(right, n) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("one", "other", "p"), [(5, 0, 0.0625), (0, 0, 1.0), (6, 0, 0.03125), (3, 3, 1.0)])
def test_mcnemar(one: int, other: int, p: float) -> None:
    assert mcnemar(one, other) == mcnemar(other, one) == p


def test_newcombe_mirrors() -> None:
    one, other = newcombe(5, 3, 1, 2), newcombe(5, 1, 3, 2)
    assert one is not None and other is not None
    assert one == pytest.approx((-other.high, -other.low))


def test_estimates() -> None:
    assert pass_at(2, 4, 2) == pytest.approx(1 - 1 / 6)
    assert pass_all(2, 4, 2) == pytest.approx(1 / 6)
    assert pass_at(5, 4, 2) is None


# ── what outputs are read with, and how rows are paired ──


def test_values_get_the_types_that_the_gold_row_declares(tmp_path: Path) -> None:
    gold = [row(("walk", {"to": "7", "km": 7}), id="1"), {**row(("rest", {}), id="2"), "tools": TOOLS[1:]}]
    text = "<tool_call>\n<function=walk>\n<parameter=to>\n7\n</parameter>\n<parameter=km>\n7\n</parameter>\n</function>\n</tool_call>"
    outputs = [{"id": "1", "completion": text}, {"id": "2", "completion": "No."}]
    found = verdicts(tmp_path, gold, outputs, "--to", "qwen3_xml")
    assert found[0]["output"] == [{"name": "walk", "arguments": {"to": "7", "km": 7}}]
    assert found[0]["level"] == "exact"


def test_rows_without_ids_are_paired_by_prompt(tmp_path: Path) -> None:
    gold = [{**row(("walk", {"to": each})), "messages": [{"role": "user", "content": each}, answer(("walk", {"to": each}))]}
            for each in "abc"]  # fmt: skip
    run = score(tmp_path, gold, gold[::-1], "--json")
    found = json.loads(run.out)
    assert (found["options"]["pairing"], found["figures"]["rows"]["exact"]["right"]) == ("prompt", 3)
    assert "paired by prompt" in score(tmp_path, gold, gold[::-1]).out


def test_answers_in_a_file_of_their_own(tmp_path: Path) -> None:
    question = {"id": "q_1", "question": [[QUESTION]], "function": [each["function"] for each in TOOLS]}
    truth = [{"walk": {"to": ["a", "b"]}}]
    (tmp_path / "answers.jsonl").write_text(json.dumps({"id": "q_1", "ground_truth": truth}) + "\n")
    right = [row(("walk", {"to": "B"}), id="q_1")]
    (found,) = verdicts(tmp_path, [question], right, "--answers", "answers.jsonl")
    assert (found["level"], found["gold"]) == ("ast", [{"name": "walk", "arguments": {"to": "a"}}])
    (found,) = verdicts(tmp_path, [{**question, "possible_answer": truth}], right)
    assert found["level"] == "ast"
    (tmp_path / "answers.jsonl").write_text('{"id": "q_1"}\n')
    run = score(tmp_path, [question], right, "--answers", "answers.jsonl")
    assert run.status == 2 and "answers.jsonl:1: no answer" in run.err


def test_outputs_in_bfcls_result_files(tmp_path: Path) -> None:
    gold = [row(("walk", {"to": "a"}), ("rest", {}), id=f"simple_python_{at}") for at in range(3)]
    results: list[Any] = ["[walk(to='a'), rest()]", [{"walk": '{"to": "a"}'}, {"rest": "{}"}], [{"walk": {"to": "b"}}]]
    outputs = [
        {"id": f"simple_python_{at}", "result": result, "input_token_count": 9, "output_token_count": 9, "latency": 1.5}
        for at, result in enumerate(results)
    ]
    assert [each["verdict"] for each in verdicts(tmp_path, gold, outputs)] == ["right", "right", "missing_call"]


def test_tools_of_outputs_count_if_gold_has_none(tmp_path: Path) -> None:
    gold = {key: value for key, value in row(("walk", {"to": "a"}), id="1").items() if key != "tools"}
    run = score(tmp_path, [gold], [row(("walk", {"to": "a", "mode": "slow"}), id="1")], "--json")
    found = json.loads(run.out)
    assert found["notable"]["own_tools"] == 1
    assert found["figures"]["rows"]["ast"]["right"] == 1  # the default of the output's own declaration


# ── what is notable ──


def test_odd_inputs_are_named(tmp_path: Path) -> None:
    gold = [row(("walk", {"to": "a"}), id="1")]
    swapped = [{**row(id="1"), "ground_truth": [{"walk": {"to": ["a"]}}], "tools": TOOLS[:1]}]
    assert "1 output is the gold row, word for word" in score(tmp_path, gold, gold).out
    out = score(tmp_path, gold, swapped).out
    assert "are GOLD and OUTPUTS swapped?" in out and "1 output declares other tools than the gold row" in out


def test_gold_that_breaks_its_own_schema_is_named_and_scored(tmp_path: Path) -> None:
    gold = [row(("walk", {"km": 1}), id="1"), row(("fly", {}), id="2"), row(("walk", {"to": "a"}), id="3")]
    run = score(tmp_path, gold, gold, "--json")
    assert [each["id"] for each in json.loads(run.out)["gold_invalid"]] == ["1", "2"]
    assert "2 gold rows break their own tools' schemas" in score(tmp_path, gold, gold).out


def test_flags(tmp_path: Path) -> None:
    call = '<tool_call>{"name": "walk", "arguments": {"to": "a"}}</tool_call>'
    gold = [row(id="1"), row(("walk", {"to": "a"}), id="2")]
    outputs = [
        {"id": "1", "completion": f"<think>So {call}</think>No."},
        {"id": "2", "completion": '[TOOL_CALLS][{"name": "walk", "arguments": {"to": "a"}}]'},
    ]
    first, second = verdicts(tmp_path, gold, outputs, "--to", "hermes")
    assert (first["verdict"], first["flags"]) == ("right", ["calls_in_reasoning"])
    assert (second["verdict"], "other_dialect" in second["flags"]) == ("right", True)
    early = {"messages": [QUESTION, answer(("walk", {"to": "a"})), QUESTION, answer(("rest", {}))], "tools": TOOLS}
    both = [{**row(("walk", {"to": "a"}), ("rest", {}), id="1"), "turn": 0}]
    found = verdicts(tmp_path, [{**early, "id": "1"}], both, "--turns", "each")[0]
    assert (found["verdict"], found["flags"]) == ("extra_call", ["early"])
    (merged,) = verdicts(tmp_path, [{"id": "1", "tools": TOOLS, "messages": [
        QUESTION, answer(("walk", {"to": "a"})), answer(("rest", {}))]}], both[:1], "--turns", "whole")  # fmt: skip
    assert (merged["verdict"], merged["flags"]) == ("right", ["merged_turns"])


def test_whole_runs_have_figures_of_their_own(tmp_path: Path) -> None:
    calls = [answer(("walk", {"to": each})) for each in "abcd"]
    gold = {"id": "1", "tools": TOOLS, "messages": [QUESTION, *calls]}
    other = {**gold, "messages": [QUESTION, *calls[:2], answer(("rest", {})), *calls[2:]]}
    figures = json.loads(score(tmp_path, [gold], [other], "--turns", "whole", "--json").out)["figures"]
    assert (figures["whole"]["sequence"]["right"], figures["whole"]["prefix"]["rate"]) == (0, 0.5)
    assert figures["calls"]["f1"] == pytest.approx(8 / 9)


def test_unreadable_abstentions_count_as_bfcl_does_in_a_figure_of_their_own(tmp_path: Path) -> None:
    broken = {"id": "1", "completion": '<tool_call>{"name": "walk", "arguments": {"to": </tool_call>'}
    figures = json.loads(score(tmp_path, [row(id="1")], [broken], "--to", "hermes", "--json").out)["figures"]
    assert (figures["abstain"]["right"], figures["abstain_as_bfcl"]["right"]) == (0, 1)


def test_calls_are_checked_against_their_schemas_without_gold(tmp_path: Path) -> None:
    gold = [row(("walk", {"to": "a"}), id=str(at)) for at in range(4)]
    outputs = [("walk", {"to": "b"}), ("walk", {"to": 5}), ("walk", {}), ("fly", {})]
    figures = json.loads(
        score(tmp_path, gold, [row(each, id=str(at)) for at, each in enumerate(outputs)], "--json").out
    )
    assert (figures["figures"]["schema"]["right"], figures["figures"]["schema"]["n"]) == (1, 4)


# ── laws ──


def test_no_order_counts(tmp_path: Path) -> None:
    gold = [row(("walk", {"to": "a", "km": at}), ("walk", {"to": "b", "km": 1}), id=str(at)) for at in range(4)]
    outputs = [row(("walk", {"km": 1, "to": "b"}), ("walk", {"to": "A", "km": 2}), id=str(at)) for at in range(4)]
    turned = [{**each, "messages": [QUESTION, {**each["messages"][1], "tool_calls": each["messages"][1]["tool_calls"][::-1]}]}
              for each in outputs[::-1]]  # fmt: skip
    figures = [json.loads(score(tmp_path, gold, each, "--json").out)["figures"] for each in (outputs, turned)]
    assert figures[0] == figures[1]


KINDS = ("string", "integer", "number", "boolean", "array", "object", "null")
properties = st.dictionaries(
    st.sampled_from("abcd"),
    st.just({}) | st.fixed_dictionaries({"type": st.sampled_from(KINDS)}) | st.just({"$ref": "#/$defs/one"}),
)
arguments = st.dictionaries(st.sampled_from("abcd"), json_values)


def judge_of(declared: dict[str, Any]) -> Judge:
    """A judge of calls of ``f``, which takes arguments of the declared types, and others."""
    schema = {"type": "object", "properties": declared, "additionalProperties": True}
    return Judge(ToolIndex([{"type": "function", "function": {"name": "f", "parameters": schema}}]))


@given(properties, arguments)
def test_a_call_equal_to_gold_is_right_at_every_level(declared: dict[str, Any], given: dict[str, Any]) -> None:
    judge = judge_of(declared)
    gold = ExpectedCall(Call("f", given), tools=judge.tools)
    assert judge.is_equal(gold, Call("f", json.loads(json.dumps(given))))
    assert judge.match(gold, Call("f", given)) == RIGHT
    assert RIGHT.levels == Levels.ALL
    turned = dict(reversed(given.items()))  # compared argument by argument
    assert judge.match(gold, Call("f", turned)) == RIGHT


@given(properties, arguments, arguments)
def test_an_argument_equal_to_golds_makes_no_difference(
    declared: dict[str, Any], given: dict[str, Any], changed: dict[str, Any]
) -> None:
    judge = judge_of(declared)
    gold = ExpectedCall(Call("f", given), tools=judge.tools)
    found = judge.match(gold, Call("f", {**given, **changed}))
    assert {difference.path for difference in found.differences} <= changed.keys()
    if any(json.dumps(given.get(key, "")) != json.dumps(value) for key, value in changed.items() if key in given):
        assert not found.levels & Levels.EXACT


@given(properties, st.lists(arguments, max_size=4).flatmap(lambda few: st.tuples(st.just(few), st.permutations(few))))
def test_equal_turns_are_right_in_any_order(declared: dict[str, Any], turns: tuple[list[Any], list[Any]]) -> None:
    """A turn that is equal place by place is answered at once: as one in another order, which is paired call by call."""
    judge = judge_of(declared)
    gold = turn_of([ExpectedCall(Call("f", each), tools=judge.tools) for each in turns[0]])
    for order in turns:
        judged = judge_turn(gold, [Call("f", each) for each in order], judge, Levels.AST)
        assert (judged.verdict, judged.levels, judged.differences) == ("right", Levels.ALL, ())
        assert len(judged.pairs) == len(turns[0])
        assert all(turns[0][pair.gold] == order[pair.output] for pair in judged.pairs)


def test_verdicts_counted_again_give_the_figures(tmp_path: Path) -> None:
    gold, outputs = (
        [json.loads(line) for line in (SCORE / f"{name}.jsonl").read_text().splitlines()]
        for name in ("gold", "outputs")
    )
    run = score(tmp_path, gold, outputs, "--json", "-o", "verdicts.jsonl")
    found = [json.loads(line) for line in (tmp_path / "verdicts.jsonl").read_text().splitlines()]
    figures = json.loads(run.out)["figures"]
    for name, share in figures["rows"].items():
        levels = ["exact", "ast", "lenient"]
        reached = sum(each["level"] in levels[: levels.index(name) + 1] for each in found)
        assert share["right"] == reached
    for verdict, count in figures["verdicts"].items():
        assert sum(each["verdict"] == verdict for each in found) == count


@pytest.mark.parametrize("path", ["conversations.jsonl", "loop/sessions.jsonl", "loop/eval.jsonl", "score/gold.jsonl"])
@pytest.mark.parametrize("turns", ["auto", "whole", "each"])
def test_gold_is_right(path: str, turns: str, tmp_path: Path) -> None:
    run = toolconv("score", "-q", str(FIXTURES / path), str(FIXTURES / path), "--json", "--turns", turns)
    rows = json.loads(run.out)["figures"]["rows"]["exact"]
    gaps = 3 if path == "score/gold.jsonl" else 0  # accepted values, and a truth without an answer
    assert rows["n"] - rows["right"] <= gaps


# ── pages, schemas, pairs ──


def test_the_figures_fit_their_schema(tmp_path: Path) -> None:
    import jsonschema

    from toolconv.score.report import schema

    fits = jsonschema.Draft202012Validator(schema()).is_valid
    gold = [json.loads(line) for line in (SCORE / "gold.jsonl").read_text().splitlines()]
    for other in (None, gold):
        found = json.loads(score(tmp_path, gold, gold, "--json", "--k", "1", other=other).out)
        assert fits(found)
        assert not fits({key: value for key, value in found.items() if key != "by"})
        assert not fits({**found, "more": 1})


def test_a_page_shows_wrong_rows_first(tmp_path: Path) -> None:
    gold = [row(("walk", {"to": "a"}), id="1"), row(("walk", {"to": "<b>"}), id="2", category="hard")]
    outputs = [row(("walk", {"to": "a"}), id="1"), row(("walk", {"to": "c"}), id="2")]
    score(tmp_path, gold, outputs, "--html", "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.index("wrong_arguments: 1") < page.index("right: 1")
    assert "<mark>  to = &quot;&lt;b&gt;&quot;</mark>" in page and "<option>hard</option>" in page
    assert ("http" not in page and "<b>" in page.split("<style>")[0]) or "<b>2</b>" in page


def pairs(folder: Path, gold: list[Any], outputs: list[Any]) -> list[dict[str, Any]]:
    score(folder, gold, outputs, "--pairs", "pairs.jsonl")
    return [json.loads(line) for line in (folder / "pairs.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(
    ("gold", "output", "difference"),
    [
        ([("walk", {"to": "a"})], [("walk", {"to": "b"})], ("value", "to", '"a"', '"b"')),
        ([("walk", {"to": "a"})], [("walk", {"to": "a", "dogs": []})], ("extra", "dogs", "", "[]")),
        ([("walk", {"to": "a"})], [], ("missing_call", "", '{"name":"walk","arguments":{"to":"a"}}', "")),
        ([], [("rest", {})], ("extra_call", "", "", '{"name":"rest","arguments":{}}')),
        ([("walk", {"to": "a"}), ("rest", {})], [("walk", {"to": "b"}), ("rest", {})], ("value", "to", '"a"', '"b"')),
        ([("rest", {})], [("walk", {"to": "b"})], ("call", "", '{"name":"rest","arguments":{}}',
                                                    '{"name":"walk","arguments":{"to":"b"}}')),
        ([("walk", {"to": "a"})], [("walk", {"to": "A "})], None),  # right at the level lenient
        ([("walk", {"to": "a"})], [("walk", {"to": "a", "mode": "slow"})], None),
        ([("walk", {"to": "a"}), ("rest", {})], [("walk", {"to": "b"})], None),  # two calls differ
    ],
)  # fmt: skip
def test_pairs(gold: Any, output: Any, difference: Any, tmp_path: Path) -> None:
    found = pairs(tmp_path, [row(*gold, id="1")], [row(*output, id="1")])
    if difference is None:
        assert found == []
        return
    (pair,) = found
    assert pair["prompt"] == [QUESTION] and pair["tools"] == TOOLS
    assert tuple(pair["difference"][key] for key in ("kind", "argument", "gold", "output")) == difference
    called = [
        [(call["function"]["name"], call["function"]["arguments"]) for call in pair[side][0].get("tool_calls", ())]
        for side in ("chosen", "rejected")
    ]
    assert called == [gold, output]
    chosen = {"id": "1", "messages": [*pair["prompt"], *pair["chosen"]], "tools": TOOLS}
    assert verdicts(tmp_path, [row(*gold, id="1")], [chosen])[0]["level"] == "exact"


@pytest.mark.parametrize("trainer", ["trl", "llamafactory", "ms-swift", "axolotl", "openai"])
def test_pairs_go_to_every_trainer_of_preferences(trainer: str, tmp_path: Path) -> None:
    pairs(tmp_path, [row(("walk", {"to": "a"}), id="1")], [row(("walk", {"to": "b"}), id="1")])
    run = toolconv("convert", "-q", "pairs.jsonl", "--trainer", trainer, cwd=tmp_path)
    refused = trainer == "axolotl"  # it finds answers by their text, and these are calls alone
    assert run.status == refused, run.err
    assert run.out.count('"a') and run.out.count('"b')
    assert toolconv("lint", "-q", "pairs.jsonl", "--ignore", "TC4,TC5", cwd=tmp_path).status == 0


def test_pairs_of_accepted_values_take_the_first_ones(tmp_path: Path) -> None:
    gold = {
        "id": "1",
        "messages": [QUESTION],
        "tools": TOOLS,
        "ground_truth": [{"walk": {"to": ["a", "b"], "km": [""]}}],
    }
    (pair,) = pairs(tmp_path, [gold], [row(("walk", {"to": "c"}), id="1")])
    assert pair["id"] == "1"
    assert pair["chosen"][0]["tool_calls"][0]["function"] == {"name": "walk", "arguments": {"to": "a"}}
    assert pair["difference"]["verdict"] == "wrong_arguments"


def test_score_rows() -> None:
    gold = [row(("walk", {"to": "a"}), id="1"), row(("rest", {}), id="2")]
    found = list(score_rows(gold, [row(("walk", {"to": "A"}), id="1")]))
    assert [(each.key, each.judged.verdict) for each in found] == [("1", "right"), ("2", "no_output")]


@each("dialect", ["hermes", "qwen3_xml", "mistral", "kimi_k2", "glm45", "pythonic", "llama3_json"])
def test_a_dialect_changes_no_verdict(dialect: str) -> None:
    calls = [
        ("walk", {"to": "02139", "km": 3, "stops": 7}),
        ("walk", {"to": "true", "km": 1.5, "dogs": ["5", "a"], "plan": {"x": "7"}}),
        ("walk", {"to": "null"}),
    ]
    gold = [row(each, id=str(at)) for at, each in enumerate(calls)]
    written = convert_rows(gold, Options(target=dialect))
    outputs = [{"id": each["id"], "completion": each["messages"][-1]["content"]} for each in written]
    scored = score_rows(gold, outputs, output_options=Options(source=dialect))
    assert [strictest(each.judged.levels) for each in scored] == ["exact"] * 3


def test_why_outputs_are_not_scored(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps(row(("walk", {}), id="1")) + "\n")
    outputs = (
        json.dumps(each) for each in (row(("walk", {}), id="1"), row(("walk", {}), id="9"), {"completion": "."}, [])
    )
    run = toolconv("score", path, "-", stdin="\n".join(outputs))
    assert run.status == 1
    assert run.err.splitlines()[-3:] == [
        "<stdin>:2: no gold row for 9",
        "<stdin>:3: no key",
        "<stdin>:4: rejected: not a JSON object (a row must be an object)",
    ]


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (("--by", "kind"), 0, "--by kind: no gold row has this key"),
        (("--key", "number"), 0, "--key number: not in the rows of both files, which are paired by prompt"),
        (("--by", "id", "--key", "id"), 0, ""),
        (("--key", "prompt", "--ignore", "walk.to"), 0, ""),
        (("--ignore", "walk"), 2, "--ignore walk: give a tool and its argument, such as get_weather.days"),
        (("--ignore", "walk."), 2, "--ignore walk.: give a tool and its argument, such as get_weather.days"),
    ],
)
def test_names_that_no_row_has_are_said(options: tuple[str, ...], status: int, said: str, tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps(row(("walk", {"to": "a"}), id="1")) + "\n")
    run = toolconv("score", path, path, *options)
    assert run.status == status
    assert said in run.err and (said or "--" not in run.err)
