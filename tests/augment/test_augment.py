"""``toolconv augment``: each augmented row says how it was made, turns back into its source, and is as clean."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import FIXTURES, SHARED, exhaustive, nightly, toolconv
from toolconv.augment.augmenter import Augmenter, AugmentOptions, NotAugmented, restored
from toolconv.augment.run import AugmentRun, canonical_row
from toolconv.convert.options import Options
from toolconv.convert.pipeline import conversations
from toolconv.convert.receipt import Receipt
from toolconv.dataset import lint_rows

ALL = AugmentOptions(shuffle=0.8, distractors=2, mask=0.5, rename=0.5, drop_descriptions=0.5, irrelevance=0.7, seed=1)
OWN = [
    *(FIXTURES / f"{name}.jsonl" for name in ("conversations", "glaive", "kimi", "teacher", "trainers", "originals")),
    *(FIXTURES / "loop" / f"{name}.jsonl" for name in ("eval", "sessions")),
]
REAL = sorted((SHARED / "real").glob("*/*.jsonl"))
FIRST = 25
"""How many conversations of each of these files count."""

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather; call find_city first. Give `city` or 'zip'.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Of the place."},
                "start_date": {"type": "string", "description": "Not before end_date."},
                "zip": {"type": "string"},
            },
            "required": ["city"],
        },
    },
}
SEARCH = {
    "type": "function",
    "function": {"name": "search", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}},
}
CALL = {"id": "functions.get_weather:0", "type": "function",
        "function": {"name": "get_weather", "arguments": {"city": "Rome", "start_date": "2026-01-01"}}}  # fmt: skip
ROW = {
    "id": "r1",
    "tools": [WEATHER, SEARCH],
    "messages": [
        {"role": "user", "content": "Use get_weather, not search, for the city of Rome; start_date is today."},
        {"role": "assistant", "content": "I search with `get_weather`.", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "functions.get_weather:0", "name": "get_weather", "content": "{'city': 1}"},
        {"role": "assistant", "content": "get_weather says: no `city`. I could search(query=...), or ?city=."},
    ],
    "ground_truth": [{"get_weather": {"city": ["Rome"], "start_date": [""]}}],
    "expected": [{"name": "get_weather", "arguments": {"city": "Rome", "start_date": "2026-01-01"}}],
}


def made(path: Path, options: AugmentOptions, first: int | None = None) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The augmented rows of a file, or of its ``first`` conversations, each with its source."""
    found = []
    source: dict[str, Any] = {}
    for row in AugmentRun(options).rows(islice(conversations([str(path)], Options(), Receipt()), first)):
        if "augmented" in row:
            found.append((row, source))
        else:
            source = row
    return found


def augment(folder: Path, rows: list[dict[str, Any]], *options: str) -> list[dict[str, Any]]:
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = toolconv("augment", "-q", "rows.jsonl", *options, cwd=folder)
    assert run.status == 0, run.err
    return [json.loads(line) for line in run.out.splitlines()]


def check(path: Path, options: AugmentOptions, first: int | None = None) -> int:
    pairs = made(path, options, first)
    last: dict[str, Any] | None = None
    for row, source in pairs:
        assert json.dumps(restored(row)) == json.dumps(source)
        assert json.dumps(row["messages"] if "messages" in row else row["chosen"])
        if source is not last:  # several rows are made of one
            last, known = source, {each.code for each in lint_rows([source]) if not each.code.startswith("TC5")}
        new = [finding for finding in lint_rows([row]) if not finding.code.startswith("TC5")]
        assert {finding.code for finding in new} <= known, [finding.message for finding in new]
    return len(pairs)


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_rows_turn_back_and_lint_finds_nothing_new(path: Path) -> None:
    assert check(path, ALL)


@pytest.mark.parametrize(
    ("path", "seed", "first"),
    [
        *(pytest.param(path, 2, FIRST, marks=exhaustive, id=path.stem) for path in REAL[::4]),
        *(pytest.param(path, 3, None, marks=nightly, id=f"{path.stem}-all") for path in REAL),
    ],
)
def test_real_rows_turn_back_and_lint_finds_nothing_new(path: Path, seed: int, first: int | None) -> None:
    check(path, AugmentOptions(0.7, 2, 0.5, 0.5, 0.5, 0.6, seed=seed), first)


def test_names_change_alike_everywhere() -> None:
    for seed in range(50):  # until it draws the style that changes all names
        (row,) = Augmenter(AugmentOptions(rename=1, replace=True, seed=seed), []).rows(ROW, {})
        names = {old: new for each in json.loads(row["augmented"]["undo"])[0][1] for old, new in each}
        if "search" in names:
            break
    weather, search, start = names["get_weather"], names["search"], names["start_date"]
    assert {weather, start} == {"GetWeather", "startDate"}
    assert search == "Search" and names.keys() == {"get_weather", "search", "start_date"}
    assert [tool["function"]["name"] for tool in row["tools"]] == [weather, search]
    assert list(row["tools"][0]["function"]["parameters"]["properties"]) == ["city", start, "zip"]
    asked, answer, result, last = row["messages"]
    assert asked["content"] == f"Use {weather}, not search, for the city of Rome; {start} is today."
    (call,) = answer["tool_calls"]
    assert (call["id"], result["tool_call_id"], result["name"]) == (*[f"functions.{weather}:0"] * 2, weather)
    assert call["function"] == {"name": weather, "arguments": {"city": "Rome", start: "2026-01-01"}}
    assert last["content"] == f"{weather} says: no `city`. I could {search}(query=...), or ?city=."
    assert row["ground_truth"] == [{weather: {"city": ["Rome"], start: [""]}}]
    assert row["expected"] == [{"name": weather, "arguments": {"city": "Rome", start: "2026-01-01"}}]


@exhaustive
def test_masks_leave_nothing_of_the_names(tmp_path: Path) -> None:
    (row,) = augment(tmp_path, [ROW], "--mask", "1", "--replace")
    text = json.dumps({key: value for key, value in row.items() if key != "augmented"})
    assert "get_weather" not in text and "start_date" not in text and "`city`" not in text and "'zip'" not in text
    assert "the city of Rome" in text and "I search with" in text and "?city=" in text  # words, not names
    assert "query=" not in text


@exhaustive
@pytest.mark.parametrize(
    "change",
    [
        {"arguments": {"city": "get_weather"}},  # a value is a name
        {"arguments": {"city": "see start_date"}},  # a value mentions one
    ],
)
def test_a_row_whose_values_hold_names_keeps_them(change: dict[str, Any], tmp_path: Path) -> None:
    row = json.loads(json.dumps(ROW))
    row["messages"][1]["tool_calls"][0]["function"].update(change)
    (found,) = augment(tmp_path, [row], "--mask", "1", "--rename", "1")
    assert found == row


def test_names_that_a_schema_has_elsewhere_stay(tmp_path: Path) -> None:
    row = json.loads(json.dumps(ROW))
    row["tools"][0]["function"]["parameters"]["anyOf"] = [{"required": ["city"]}, {"required": ["zip"]}]
    assert augment(tmp_path, [row], "--mask", "1") == [row]


def test_irrelevance_takes_the_called_tool_out_and_declines(tmp_path: Path) -> None:
    row = {key: value for key, value in ROW.items() if key != "ground_truth"}
    assert augment(tmp_path, [row], "--irrelevance", "1") == [row]  # the user names the tool
    row["messages"] = [{"role": "user", "content": "Rome?"}, *row["messages"][1:]]
    (tmp_path / "declines.txt").write_text('No tool for it.\n"No\\ntool."\n')
    source, found = augment(tmp_path, [row], "--irrelevance", "1", "--declines", "declines.txt")
    assert source == row
    assert [tool["function"]["name"] for tool in found["tools"]] == ["search"]
    assert found["messages"][0] == row["messages"][0] and len(found["messages"]) == 2
    assert found["messages"][1]["content"] in ("No tool for it.", "No\ntool.")
    assert found["id"] == "r1-irrelevance" and found["expected"] == []
    assert found["augmented"]["from"] == {"id": "r1", "file": "rows.jsonl", "line": 1}


def test_an_english_answer_declines_no_request_in_another_script(tmp_path: Path) -> None:
    row = {**ROW, "messages": [{"role": "user", "content": "罗马今天的天气怎么样?"}, *ROW["messages"][1:]]}
    del row["ground_truth"]
    assert augment(tmp_path, [row], "--irrelevance", "1") == [row]
    (tmp_path / "declines.txt").write_text("没有合适的工具。\n")
    assert len(augment(tmp_path, [row], "--irrelevance", "1", "--declines", "declines.txt")) == 2


def test_distractors_come_from_other_rows_or_a_file(tmp_path: Path) -> None:
    other = {"id": "r2", "messages": [{"role": "user", "content": "?"}], "tools": [
        {"type": "function", "function": {"name": "tell_time", "description": "Tells the time in a zone.",
         "parameters": {"type": "object", "properties": {"zone": {"type": "string", "description": "Zone."}}}}}]}  # fmt: skip
    first, second = augment(tmp_path, [ROW, other], "--distractors", "3", "--replace")
    assert sorted(tool["function"]["name"] for tool in first["tools"]) == ["get_weather", "search", "tell_time"]
    assert [tool["function"]["name"] for tool in second["tools"] if tool != other["tools"][0]] == [
        "get_weather"
    ]  # search has no description
    (tmp_path / "tools.json").write_text(json.dumps(other["tools"]))
    (first,) = augment(tmp_path, [ROW], "--distractors", "1", "--tools", "tools.json", "--replace")
    assert len(first["tools"]) == 3


@exhaustive
def test_the_seed_decides_and_pipes_undo(tmp_path: Path) -> None:
    options = ("--shuffle", "1", "--mask", "0.5", "--rename", "0.5", "--drop-descriptions", "0.5", "--replace")
    rows = [{**ROW, "id": number} for number in range(20)]
    one = augment(tmp_path, rows, *options, "--seed", "5")
    assert augment(tmp_path, rows, *options, "--seed", "5") == one != augment(tmp_path, rows, *options, "--seed", "6")
    assert augment(tmp_path, rows[::-1], *options, "--seed", "5")[::-1] != one  # lines are in the record
    masked = sum("masked" in row["augmented"]["kinds"] for row in one)
    assert 4 <= masked <= 16
    again = augment(tmp_path, one, *options)
    assert augment(tmp_path, augment(tmp_path, again, "--undo"), "--undo") == rows


@pytest.mark.parametrize("options", [("--irrelevance", "1"), ("--shuffle", "1", "--irrelevance", "1", "--replace")])
def test_undo_writes_a_source_once_and_equal_sources_each(options: tuple[str, ...], tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "Is it warm?"}, {"role": "assistant", "content": "", "tool_calls": [CALL]}]
    rows = [{"id": number, "tools": ROW["tools"], "messages": turns} for number in (1, 2, 2, 3)]
    one = augment(tmp_path, rows, *options)
    assert len(one) == 8
    assert augment(tmp_path, one, "--undo") == rows
    run = toolconv("augment", "--undo", "rows.jsonl", cwd=tmp_path)
    assert run.err.splitlines()[-1] == "8 rows in, 4 out; 4 rows of the source before"


def test_a_record_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(NotAugmented):
        restored({"messages": [], "augmented": {"undo": '[["shuffled", [0, 1]]]'}})


def test_a_row_keeps_what_it_is_without_a_record() -> None:
    reading = next(conversations([str(FIXTURES / "kimi.jsonl")], Options(), Receipt()))
    assert reading.conversation is not None
    row = canonical_row(reading.conversation)
    assert restored(row) is row


def test_a_command_without_a_kind_is_refused() -> None:
    assert toolconv("augment", str(FIXTURES / "kimi.jsonl")).status == 2
    assert toolconv("augment", "--undo", "--mask", "1", str(FIXTURES / "kimi.jsonl")).status == 2


@pytest.mark.parametrize("options", [("--undo",), ("--shuffle", "1", "--replace")])
def test_rejects_are_counted_whatever_is_written(options: tuple[str, ...]) -> None:
    run = toolconv("augment", *options, stdin=f"{json.dumps(ROW)}\n{{\n")
    assert run.status == 1
    assert run.err.splitlines()[-1].startswith("2 rows in, 1 out; 1 rejected")


def test_the_receipt_counts_kinds(tmp_path: Path) -> None:
    augment(tmp_path, [ROW], "--mask", "1", "--shuffle", "1", "--receipt", "receipt.json")
    account = json.loads((tmp_path / "receipt.json").read_text())
    assert account["augmentation"] == {"rows_out": 2, "made": {"masked": 1, "shuffled": 1}, "unchanged": {}}
    assert account["command"] == "augment" and account["options"]["mask"] == 1


@pytest.mark.parametrize(("tool", "parameter"), [("f", ""), ("", "a"), ("", "")])
def test_empty_names_are_mentioned_nowhere(tool: str, parameter: str, tmp_path: Path) -> None:
    parameters = {"type": "object", "properties": {parameter: {"type": "string"}}}
    function = {"name": tool, "description": "Look it up for them.", "parameters": parameters}
    call = {"id": f"functions.{tool}:0", "type": "function"} | {
        "function": {"name": tool, "arguments": {parameter: "x"}}
    }
    turns = [{"role": "user", "content": "Is it x?"}, {"role": "assistant", "content": "", "tool_calls": [call]}]
    row = {"tools": [{"type": "function", "function": function}], "messages": turns}
    for found in augment(tmp_path, [row], "--mask", "1", "--rename", "1", "--irrelevance", "1"):
        assert restored(found)["messages"] == turns
