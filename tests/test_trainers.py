"""Trainers: what they lose is named, and nothing else is lost.

``tests/trainers.json`` records what the trainers' own packages made of the rows of ``fixtures/trainers.jsonl``.
"""

import importlib.util
import json

import pytest

from tests.conftest import toolconv
from tests.real_trainers import REAL, RECORD, arguments_of, conversations, written
from toolconv import trainers
from toolconv.trainers.arrow import changed_numbers

RECORDED = json.loads(RECORD.read_text(encoding="utf-8"))
CASES = {row["case"]: row for row in conversations()}
MODULES = {"google-genai": "google.genai", "mistral-common": "mistral_common"}


def is_installed(package):
    try:
        return importlib.util.find_spec(MODULES.get(package, package)) is not None
    except ModuleNotFoundError:
        return False


def effects(trainer):
    """The effects that are named for each case, after conversion."""
    rows = "".join(json.dumps(row) + "\n" for row in written(trainer))
    layout = trainers.get(trainer).layout
    run = toolconv("lint", "-q", "--isolated", "--from-layout", layout, "--trainer", trainer, "--select", "TC6",
                   "--output-format", "jsonl", stdin=rows)  # fmt: skip
    names = list(CASES)
    found = {name: set() for name in names}
    for finding in run.rows:
        found[names[finding["line"] - 1]].add(finding["code"])
    return found


@pytest.mark.parametrize("trainer", REAL)
def test_the_record_is_what_the_package_gives(trainer):
    package, read = REAL[trainer]
    if not is_installed(package):
        pytest.skip(f"{package} is not installed; tests/trainers.json records what it gives")
    assert dict(zip(CASES, read(written(trainer)), strict=True)) == RECORDED[trainer]["gives"]


def test_llamafactory_skips_what_is_named():
    gives = RECORDED["llamafactory"]["gives"]
    assert {case for case, texts in gives.items() if texts is None} == {
        case for case, codes in effects("llamafactory").items() if "TC602" in codes
    }


def test_llamafactory_trains_on_the_text_of_the_family():
    texts = RECORDED["llamafactory"]["gives"]
    assert texts["prose_and_reasoning"][1] == (
        "<think>\nLook it up.\n</think>\n\nLet me look.\n"
        '<tool_call>\n{"name": "w", "arguments": {"c": "Rome"}}\n</tool_call>'
    )
    assert texts["parallel"][2] == "<tool_response>\nrain\n</tool_response>\n<tool_response>\nsun\n</tool_response>"


@pytest.mark.parametrize("trainer", ["trl", "axolotl"])
def test_arguments_that_loading_changes_are_named(trainer):
    rows = dict(zip(CASES, written(trainer), strict=True))
    changed = {case for case, row in rows.items() if arguments_of(row) != RECORDED[trainer]["gives"][case]}
    assert changed == {case for case, codes in effects(trainer).items() if "TC604" in codes}
    assert changed == ({"numbers"} if trainer == "trl" else set())


@pytest.mark.parametrize("trainer", ["gemini", "anthropic", "openai", "mistral"])
def test_what_an_upload_refuses_is_named(trainer):
    named = effects(trainer)
    gives = RECORDED[trainer]["gives"]
    assert [case for case, accepted in gives.items() if not accepted and "TC602" not in named[case]] == []
    assert gives["one_call"] and not named["one_call"]


def test_numbers_change_as_datasets_changes_them():
    loaded = {"a": [0.7, 1e-12, 0.5, 3, -0.57], "b": {"c": 10**20}}
    assert list(changed_numbers(loaded)) == [
        "0.7 becomes 0.7000000000000001",
        "1e-12 becomes 0.0",
        "-0.57 becomes -0.5700000000000001",
        "100000000000000000000 does not load",
    ]


@pytest.mark.parametrize("trainer", trainers.names())
def test_strict_rejects_what_a_trainer_would_lose(trainer):
    row = {"messages": CASES["begins_with_call"]["messages"][-1:]}
    found = toolconv("convert", "--strict", "--trainer", trainer, stdin=json.dumps(row) + "\n")
    refuses = trainer in ("anthropic", "bedrock", "gemini", "llamafactory", "mistral")
    assert (not found.out) == refuses
    assert ("would be lost" in found.err) == refuses


@pytest.mark.parametrize("trainer", trainers.names())
def test_each_trainer_has_its_page(trainer):
    page = toolconv("trainers", trainer).out
    for part in ("Rows: toolconv convert", "Load: ", "checked", "Reads"):
        assert part in page.replace("``", ""), part


def test_texts_for_a_tokenizer():
    row = (
        json.dumps({"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}) + "\n"
    )
    whole = toolconv("render", "--template", "qwen3", stdin=row).rows[0]["text"]
    assert toolconv("render", "--template", "qwen3", "--end-at-eos", stdin=row).rows[0]["text"] == whole[:-1]
    first = toolconv("render", "--template", "llama-3.1", stdin=row).rows[0]["text"]
    cut = toolconv("render", "--template", "llama-3.1", "--no-bos", "--spans", stdin=row).rows[0]
    assert "<|begin_of_text|>" + cut["text"] == first
    assert [cut["spans"][0]["start"], cut["spans"][-1]["end"]] == [0, len(cut["text"])]
    assert "<|begin_of_text|>" not in toolconv("convert", "--trainer", "trl", "--template", "llama-3.1", stdin=row).out


def test_a_trainer_chooses_the_layout():
    run = toolconv("convert", "--trainer", "trl", "--to-layout", "openai", stdin="{}")
    assert run.status == 2
    assert "--trainer chooses the layout" in run.err


def test_columns_of_dataset_info_are_those_of_the_file(tmp_path):
    file = tmp_path / "train.jsonl"
    file.write_text('{"conversations": [{"from": "human", "value": "Hi"}], "tools": "[]"}\n')
    columns = json.loads(toolconv("layouts", "llamafactory", "--dataset-info", file).out)["train"]["columns"]
    assert columns == {"messages": "conversations", "tools": "tools"}
