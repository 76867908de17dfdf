"""``lint --mark``: turns with findings are not trained on; nothing else of the row changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import exhaustive, toolconv
from toolconv import layouts
from toolconv.convert.converter import Options
from toolconv.dataset import convert_rows, read

CONCISE = ("--output-format", "concise")
TOOL = {
    "type": "function",
    "function": {
        "name": "find",
        "description": "Finds files by a word in their names.",
        "parameters": {
            "type": "object",
            "properties": {"word": {"type": "string", "description": "The word to look for."}},
            "required": ["word"],
        },
    },
}


def call(name: str, number: int = 0, **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": f"call_{number}", "type": "function", "function": function}


def said(text: str | None, *calls: dict[str, Any], **keys: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text} | ({"tool_calls": list(calls)} if calls else {}) | keys


def row(*turns: dict[str, Any], **keys: Any) -> dict[str, Any]:
    return {"tools": [TOOL], "messages": [{"role": "user", "content": "Where are the cats?"}, *turns], **keys}


def answer(number: int, text: str = "cats.txt") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"call_{number}", "content": text}


WRONG = row(said(None, call("fnd", word="cats")), answer(0), said("They are in cats.txt."))
GOOD = row(said(None, call("find", word="cats")), answer(0), said("They are in cats.txt."))


def marked(*rows: Any, codes: str = "TC101", options: tuple[str, ...] = ()) -> tuple[list[Any], str]:
    """The rows that come out, and what is said."""
    run = toolconv("lint", "--mark", codes, *CONCISE, *options, stdin="".join(json.dumps(each) + "\n" for each in rows))
    return run.rows, run.err.splitlines()[-1]


def weights(row: dict[str, Any], key: str = "weight") -> list[Any]:
    return [message.get(key) for message in row["messages"] if message["role"] == "assistant"]


CASES: list[tuple[str, dict[str, Any], dict[str, Any] | None]] = [
    ("a new mark", said(None, call("fnd", word="a")), {"weight": 0}),
    ("no finding", said(None, call("find", word="a")), None),
    ("its own mark", said(None, call("fnd", word="a"), train=True), {"train": False}),
    ("its own weight", said(None, call("fnd", word="a"), weight=1), {"weight": 0}),
    ("another weight", said(None, call("fnd", word="a"), weight=0.5), {"weight": 0}),
    ("a flag that is a number", said(None, call("fnd", word="a"), loss=1), {"loss": 0}),
    ("an inverted flag", said(None, call("fnd", word="a"), masked=False), {"masked": True}),
    ("two marks", said(None, call("fnd", word="a"), loss=True, loss_scale=2), {"loss": False, "loss_scale": 0}),
    ("a null is no mark", said(None, call("fnd", word="a"), masked=None), {"masked": None, "weight": 0}),
    ("not trained already", said(None, call("fnd", word="a"), weight=0), None),
]


@pytest.mark.parametrize(("turn", "mark"), [pytest.param(*case[1:], id=case[0]) for case in CASES])
def test_a_turn_is_marked_in_its_own_words(turn: dict[str, Any], mark: dict[str, Any] | None) -> None:
    (new,), _ = marked(row(turn, said("Done.")))
    assert new == row(turn | (mark or {}), said("Done."))


def test_details_of_a_turn_that_is_not_trained_on_go() -> None:
    detail = [{"begin_offset": 0, "end_offset": 1, "train": True}]
    (new,), _ = marked(row(said("", call("fnd", word="a"), train=True, train_detail=detail)))
    assert new == row(said("", call("fnd", word="a"), train=False))


def test_the_text_of_the_row_stays_byte_for_byte() -> None:
    odd = json.dumps(WRONG, indent=None, separators=(" ,", "  :")).replace("cats.txt", "\\u0063ats.txt")
    run = toolconv("lint", "--mark", "TC101", stdin=odd)
    assert run.out.replace(', "weight": 0', "").replace(',"weight": 0', "") == odd
    assert run.out != odd


def test_other_findings_and_rows_stay() -> None:
    vague = row(said("Hi."))
    vague["tools"] = [{"type": "function", "function": {"name": "f", "description": "f", "parameters": {}}}]
    rows, said_last = marked(WRONG, vague, GOOD)
    assert [weights(each) for each in rows] == [[0, None], [None], [None, None]]
    assert said_last.startswith("Marked 1 turn in 1 row. Found 1 error, ")
    assert rows[1:] == [vague, GOOD]


@pytest.mark.parametrize("spelled", [json.dumps, dict], ids=["texts", "objects"])
def test_marked_rows_have_the_same_findings(spelled: Callable[[Any], Any]) -> None:
    """Law: though marks make OpenAI's rows those of its uploads, they are checked alike."""
    many = row(
        *(said(None, call(name, at, word="cats")) for at, name in enumerate(("fnd", "find", "fnd"))),
        answer(2),
        said("Done."),
    )
    rows = json.loads(json.dumps([WRONG, GOOD, many]))
    for each in (each for row in rows for message in row["messages"] for each in message.get("tool_calls", ())):
        each["function"]["arguments"] = spelled(json.loads(each["function"]["arguments"]))
    before = "".join(json.dumps(each) + "\n" for each in rows)
    after = toolconv("lint", "--mark", "ALL", stdin=before).out
    found = [toolconv("lint", "--output-format", "jsonl", stdin=text).rows for text in (before, after)]
    assert found[0] == found[1] and found[0]
    assert toolconv("lint", "--mark", "ALL", stdin=after).out == after != before


@exhaustive
def test_several_processes_mark_alike(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    text = "".join(json.dumps({**each, "n": n}) + "\n" for n in range(400) for each in (WRONG, GOOD))
    file.write_text(text)
    only = ("--mark", "TC1", "--select", "TC101", "--statistics")
    run = toolconv("lint", *only, "--jobs", 2, file)
    assert run.err == "Marked 400 turns in 400 rows. Found 400 errors in 800 rows.\n"
    assert file.read_text() == toolconv("lint", *only, stdin=text).out != text


def test_a_file_is_replaced_and_a_diff_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps(WRONG) + "\n")
    shown = toolconv("lint", "--mark", "TC101", "--diff", file)
    assert json.loads(file.read_text()) == WRONG
    assert shown.err.startswith("Would mark 1 turn in 1 row. ") and shown.out.count('"weight": 0') == 1
    assert shown.status == 1
    toolconv("lint", "--mark", "TC101", file)
    assert weights(json.loads(file.read_text())) == [0, None]


def test_fixes_come_first() -> None:
    twice = row(said(None, {**call("find"), "function": {"name": "find", "arguments": '"{\\"word\\": \\"a\\"}"'}}))
    rows, last = marked(twice, WRONG, codes="TC1", options=("--fix",))
    assert [weights(each) for each in rows] == [[None], [0, None]]
    assert last.startswith("Fixed 1. Marked 1 turn in 1 row. Found 1 error")


def test_a_rule_that_is_off_is_turned_on_by_its_name() -> None:
    refusal = row(said("I'm sorry, I don't have access to files."))
    refusal["tools"] = [{**TOOL, "function": {**TOOL["function"], "name": "find_cats"}}]
    assert marked(refusal, codes="TC7")[0] == [refusal]
    for code in ("TC705", "refusal-with-tool"):
        rows, _ = marked(refusal, codes=code)
        assert weights(rows[0]) == [0]


@pytest.mark.parametrize(
    ("what", "rows", "codes", "note"),
    [
        ("tools", row(said("Hi.")) | {"tools": [TOOL, TOOL]}, "TC4", "1 finding in no turn that is trained on"),
        ("a user's turn", row({"role": "user", "content": ""}, said("Hi.")), "TC2", "in no turn that is trained on"),
        ("nothing left", row(said("", call("fnd"))), "TC101", "1 row with no turn left to train on (TC516)"),
        (
            "a layout without marks",
            {"text": '<tool_call>{"name": "fnd", "arguments": {}}</tool_call>', "tools": [TOOL]},
            "TC101",
            "1 finding in rows whose layout has no place for a mark",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
def test_what_cant_be_marked_is_said(what: str, rows: dict[str, Any], codes: str, note: str) -> None:
    run = toolconv("lint", "--mark", codes, *CONCISE, stdin=json.dumps(rows) + "\n")
    assert note in run.err, what


def test_each_answer_is_marked() -> None:
    pair = row(said(None, call("find", word="cats")))
    pair["rejected_messages"] = WRONG["messages"][:2]
    (new,), _ = marked(pair)
    prompt, turn = pair["rejected_messages"]
    assert new == pair | {"rejected_messages": [prompt, turn | {"loss": False}]}


def test_messages_that_are_json_text_are_marked() -> None:
    text = {**WRONG, "messages": json.dumps(WRONG["messages"])}
    (new,), _ = marked(text)
    assert weights({"messages": json.loads(new["messages"])}) == [0, None]
    assert (
        json.dumps([{k: v for k, v in each.items() if k != "weight"} for each in json.loads(new["messages"])])
        == (text["messages"])
    )


@pytest.mark.sweep
@pytest.mark.parametrize("name", [name for name in layouts.names() if layouts.get(name).writable])
def test_in_every_layout_the_mark_is_read_or_missing_with_a_word(name: str) -> None:
    """Law: in every layout, the turn is trained on no longer, the others are as before; else it is said."""
    in_text = layouts.get(name).calls_in_text and layouts.get(name).dialect is None
    (written,) = convert_rows([WRONG], Options(to_layout=name, target="hermes" if in_text else None))
    run = toolconv("lint", "--mark", "TC101", "--isolated", *CONCISE, stdin=json.dumps(written) + "\n")
    if "TC101" not in run.out + run.err:  # the layout has no tools, or texts that the linter doesn't parse
        assert run.rows == [written]
        return
    before, after = (next(iter(read(each))).messages for each in ([written], run.rows))
    if "no place" in run.err or "nothing to mark" in run.err:
        assert run.rows == [written]
        return
    assert run.err.splitlines()[-1].startswith("Marked 1 turn in 1 row.")
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert [{key: new[key] for key in new if key not in old} for old, new in changed] in (
        [{key: value}] for key, value in (("weight", 0), ("loss", False), ("train", False), ("loss_weight", 0))
    )


def test_a_turn_that_shares_a_message_with_another_is_not_marked() -> None:
    """The AI SDK's message of the assistant holds the call, its result and the answer."""
    (written,) = convert_rows([WRONG], Options(to_layout="ai-sdk-ui"))
    run = toolconv("lint", "--mark", "TC101", "--isolated", *CONCISE, stdin=json.dumps(written) + "\n")
    assert run.rows == [written]
    assert "no place" in run.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--mark", "TC101", "--filter"], "use only one of --mark and --filter"),
        (["--mark", "TC101", "--write-baseline", "b.json"], "use only one of --mark and --write-baseline"),
        (["--mark", "TC9"], "unknown rule 'TC9'"),
    ],
)
def test_wrong_usage(options: list[str], message: str) -> None:
    run = toolconv("lint", *options, stdin="")
    assert run.status == 2 and message in run.err


def test_the_trained_spans_leave_marked_turns_out() -> None:
    def trained(rows: str) -> list[str]:
        run = toolconv("convert", "-q", "--template", "qwen3", "--spans", stdin=rows)
        return [
            each["text"][span["start"] : span["end"]] for each in run.rows for span in each["spans"] if span["train"]
        ]

    whole = json.dumps(WRONG) + "\n"
    spans = [trained(text) for text in (whole, toolconv("lint", "-q", "--mark", "TC101", stdin=whole).out)]
    assert any("fnd" in text for text in spans[0])
    assert spans[1] and spans[1] == spans[0][-len(spans[1]) :] and not any("fnd" in text for text in spans[1])
