"""The loop from a teacher's outputs to a score, as one script over the rows in fixtures/loop, through the real commands."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import FIXTURES, ROOT, exhaustive
from tests.helpers.command import TIMEOUT
from tests.helpers.console_blocks import add_programs
from toolconv.augment.augmenter import restored


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the script has run; what it printed is in ``printed.txt``."""
    folder = tmp_path_factory.mktemp("loop")
    (folder / "fixtures").symlink_to(FIXTURES)
    add_programs(folder)
    env = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    script = ["bash", "fixtures/loop/loop.sh"]
    done = subprocess.run(script, cwd=folder, env=env, capture_output=True, timeout=TIMEOUT, check=False)
    (folder / "printed.txt").write_bytes(done.stdout)
    assert done.returncode == 0, done.stderr.decode()
    return folder


def rows(path: Path) -> dict[str, dict[str, Any]]:
    return {each["id"]: each for each in map(json.loads, path.read_text().splitlines())}


@pytest.mark.exhaustive
def test_outputs_of_all_dialects_are_read_and_the_cut_one_is_kept_apart(folder: Path) -> None:
    asked = rows(FIXTURES / "loop" / "teacher.jsonl")
    assert set(rows(folder / "outputs.jsonl")) == set(asked) - {"t06"}
    assert (folder / "rejected.jsonl").read_text() == json.dumps(asked["t06"]) + "\n"


@exhaustive
def test_rows_with_errors_and_those_of_the_evaluation_set_are_left_out(folder: Path) -> None:
    asked, clean = (rows(path) for path in (FIXTURES / "loop" / "teacher.jsonl", folder / "clean.jsonl"))
    undeclared, incomplete, contaminated = "t08", "t09", "t12"
    assert set(clean) == set(asked) - {"t06", undeclared, incomplete, contaminated}
    (call,) = clean["t10"]["messages"][1]["tool_calls"]
    assert call["function"]["arguments"] == {"train": "EC 57", "seats": 1, "class": "first"}  # it was the text "1"


def test_the_wrong_call_of_a_session_is_not_trained_on(folder: Path) -> None:
    asked = rows(FIXTURES / "loop" / "sessions.jsonl")["s01"]["messages"]
    session = rows(folder / "sessions.jsonl")["s01"]["messages"]
    assert [message["role"] for message in session] == [message["role"] for message in asked]
    marked = [message for message in session if message.get("weight") == 0]
    assert [call["function"]["name"] for message in marked for call in message["tool_calls"]] == ["get_weather"]
    pieces = [row for row in rows(folder / "train.jsonl").values() if row.get("window", {}).get("from") == "s01"]
    trained = [row["text"][span["start"] : span["end"]] for row in pieces for span in row["spans"] if span["train"]]
    assert any("get_weather" in row["text"] for row in pieces)
    assert not any("get_weather" in each for each in trained)
    assert [each.count("get_forecast") for each in trained if "get_forecast" in each] == [1]


def test_the_choice_has_no_repetition_and_keeps_to_its_limits(folder: Path) -> None:
    clean, chosen = (rows(folder / f"{name}.jsonl") for name in ("clean", "chosen"))
    assert "t11" in clean and "t11" not in chosen  # t01 on another day
    called = [
        {call["function"]["name"] for message in row["messages"] for call in message.get("tool_calls", ())}
        for row in chosen.values()
    ]
    counts = {name: sum(name in names for names in called) for name in ("find_trains", "book_seat", "get_forecast")}
    assert counts == {"find_trains": 4, "book_seat": 3, "get_forecast": 5}
    assert called.count(set()) == 2
    assert set(rows(folder / "augmented.jsonl")) >= set(chosen)


def test_augmented_rows_turn_back_into_their_sources(folder: Path) -> None:
    chosen, augmented = (rows(folder / f"{name}.jsonl") for name in ("chosen", "augmented"))
    kinds: set[str] = set()
    for row in augmented.values():
        if "augmented" in row:
            kinds.update(row["augmented"]["kinds"])
            assert restored(row) == chosen[row["augmented"]["from"]["id"]]
    assert kinds == {"shuffled", "masked", "renamed", "irrelevance"}


def test_no_text_is_longer_than_the_window_and_none_is_lost(folder: Path) -> None:
    texts = rows(folder / "train.jsonl")
    assert max(len(row["text"]) for row in texts.values()) <= 2300
    sources = {row.get("window", {"from": name})["from"] for name, row in texts.items()}
    assert sources == set(rows(folder / "augmented.jsonl"))
    assert len(texts) > len(sources)


def test_the_pairs_prefer_gold(folder: Path) -> None:
    pairs = rows(folder / "pairs.jsonl")
    wrong = [line.split(" ")[0] for line in (folder / "figures.txt").read_text().splitlines() if "right" in line][:1]
    assert wrong == ["2"]  # of six; the pair of one with two wrong calls is left out
    assert {pair["difference"]["kind"] for pair in pairs.values()} <= {"value", "missing_call", "extra_call", "missing"}
    assert set(rows(folder / "preferences.jsonl")) == set(pairs) and len(pairs) == 3


def test_the_students_are_scored(folder: Path) -> None:
    verdicts = rows(folder / "verdicts.jsonl")
    assert {name: each["right"] for name, each in verdicts.items()} == {
        "g1": True, "g2": True, "g3": True, "g4": True, "g5": False, "g6": True,
    }  # fmt: skip
    figures = json.loads((folder / "receipts" / "11-score.json").read_text())["score"]["figures"]
    assert figures["rows"]["ast"]["rate"] == pytest.approx(5 / 6)
    assert "OTHER - OUTPUTS: +50.0%" in (folder / "printed.txt").read_text()  # the first student has two right


def test_the_chain_is_whole(folder: Path) -> None:
    printed = (folder / "printed.txt").read_text().splitlines()
    count = len((folder / "train.jsonl").read_text().splitlines())
    assert printed[-1].endswith(" ok, 0 wrong, 0 can't be checked")
    assert any(f"no prompt of the gold rows is in the {count} rows of the training set" in line for line in printed)
    assert any("the same tools: 3 tools of the gold rows, as in the training set" in line for line in printed)
    written = sum("written by" in line for line in printed)
    assert written == 9  # of all files that a step reads, but those in fixtures
