"""Exact rows: the student's text and mask in every trainer that takes them.

``tests/programs/exact.json`` records which text and mask the trainers' own packages made of these rows, for each student.
"""

import json
from itertools import groupby

import pytest

from tests.conftest import exhaustive, toolconv
from tests.programs.real_exact import (
    EXACT,
    RECORD,
    STUDENTS,
    digests,
    expected,
    is_installed,
    lines_of_cases,
    tokenizer,
)
from toolconv import templates, trainers
from toolconv.layouts.formats.llamafactory import COLUMNS, LABELS, PAIR
from toolconv.trainers.forms import TURNS, TextForm

RECORDED = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
TAKES = [trainer for trainer in trainers.all_trainers() if trainer.exact is not None]


FEW = ("llama-3.1", "mistral-nemo", "qwen3-coder")
"""The students that a plain run looks at."""


def runs(row, names):
    """The runs of a row, read back from its form."""
    if "segments" in row:
        return [(each["text"], each["label"]) for each in row["segments"]]
    if "conversations" in row:
        return [(each["value"], each["from"] == "gpt") for each in row["conversations"]]
    if "messages" in row:
        return [(each["content"], each.get("loss", False)) for each in row["messages"]]
    trained = row.get("assistant_masks") or row.get("loss_mask") or [label != -100 for label in row["labels"]]
    assert len(trained) == len(row["input_ids"])
    if "labels" in row:
        assert row["attention_mask"] == [1] * len(trained)
        assert all(label in (-100, token) for label, token in zip(row["labels"], row["input_ids"], strict=True))
    # A token is a byte, so a run is decoded whole: a letter of several bytes has several tokens.
    alike = groupby(zip(row["input_ids"], trained, strict=True), key=lambda pair: bool(pair[1]))
    return [(names.decode([token for token, _ in pairs], skip_special_tokens=False), mask) for mask, pairs in alike]


def joined(parts):
    """Neighbours that are trained or not as one; empty ones left out."""
    found = []
    for text, train in parts:
        if found and found[-1][1] == train:
            found[-1] = (found[-1][0] + text, train)
        elif text:
            found.append((text, train))
    return found


def spans_of(template, *options, given=None):
    rows = toolconv("convert", "-q", "--template", template, "--spans", *options, stdin=given or lines_of_cases()).rows
    return [joined((row["text"][s["start"] : s["end"]], s["train"]) for s in row["spans"]) for row in rows]


def check_rows(trainer, template, names, file, wholes):
    """Check that a trainer's exact rows are the runs ``wholes``; ``names`` is the tokenizer in ``file``."""
    more = () if isinstance(trainer.exact, TextForm) else ("--tokenizer", file)
    options = ("convert", "--trainer", trainer.name, "--template", template, "--exact", *more)
    run = toolconv(*options, stdin=lines_of_cases())
    assert len(run.rows) == len(wholes), run.err
    assert not any(name in run.err for name in ("text_normalized", "token_parted", "turn_token_in_text"))
    for row, whole in zip(run.rows, wholes, strict=True):
        assert joined(runs(row, names)) == whole, trainer.name


def check_template(template, takers, file):
    names = tokenizer(template, file)
    wholes = spans_of(template)
    for trainer in takers:
        check_rows(trainer, template, names, file, wholes)


@pytest.mark.parametrize(
    "template",
    [
        name if name in FEW else pytest.param(name, marks=pytest.mark.nightly if at % 8 else pytest.mark.exhaustive)
        for at, name in enumerate(templates.names())
    ],
)
def test_text_and_mask_are_those_of_the_spans(template, tmp_path):
    one_of_each_form = {id(trainer.exact): trainer for trainer in TAKES}.values()
    check_template(template, one_of_each_form, tmp_path / "tokenizer.json")


@exhaustive
@pytest.mark.parametrize("template", ["qwen3", pytest.param("gpt-oss", marks=pytest.mark.exhaustive)])
def test_every_trainer_takes_them(template, tmp_path):
    check_template(template, TAKES, tmp_path / "tokenizer.json")


@pytest.mark.sweep
@pytest.mark.parametrize("trainer", EXACT)
@pytest.mark.parametrize("student", STUDENTS)
def test_what_the_packages_made_of_the_rows_is_the_text_and_the_mask(trainer, student):
    assert RECORDED[trainer][student] == expected(trainer, student)


@pytest.mark.nightly
@pytest.mark.parametrize("trainer", EXACT)
def test_the_record_is_what_the_packages_give(trainer):
    if not is_installed(trainer):
        pytest.skip(
            f"{RECORDED['packages'][trainer]} is not installed; tests/programs/exact.json records what it gives"
        )
    for student in STUDENTS:
        assert digests(trainer, student) == RECORDED[trainer][student], student


def test_what_follows_the_last_trained_text_stays():
    """As the packages read it: LLaMA-Factory skips a row that doesn't end on ``gpt``, but not one that ends on nothing."""
    turns = [
        {"role": "assistant", "content": "First."},
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "a"},
        {"role": "user", "content": "and then?"},
    ]
    row = json.dumps({"messages": turns}) + "\n"
    whole = spans_of("qwen3", given=row)[0]
    for trainer in ("llamafactory", "ms-swift", "axolotl"):
        run = toolconv("convert", "--trainer", trainer, "--template", "qwen3", "--exact", stdin=row)
        assert joined(runs(run.rows[0], None)) == whole and "and then?" in whole[-1][0], trainer
        assert run.err.endswith("1 row in, 1 out; 0 calls\n"), run.err
    turns = toolconv("convert", "--trainer", "llamafactory", "--template", "qwen3", "--exact", stdin=row).rows[0]
    assert [turn["from"] for turn in turns["conversations"]] == ["observation", "gpt"] * 3
    assert turns["conversations"][-1]["value"] == ""


def test_marks_are_in_the_mask_and_weights_are_named():
    turns = [
        {"role": "user", "content": "q", "weight": 1},
        {"role": "assistant", "content": "a", "weight": 0},
        {"role": "user", "content": "r"},
        {"role": "assistant", "content": "b", "weight": 0.5},
    ]
    options = ("convert", "--trainer", "axolotl", "--template", "qwen3", "--exact")
    run = toolconv(*options, stdin=json.dumps({"messages": turns}) + "\n")
    trained = [each["text"] for each in run.rows[0]["segments"] if each["label"]]
    assert trained == ["q", "<think>\n\n</think>\n\nb<|im_end|>"]
    assert "training_mark 1" in run.err


def test_what_may_arrive_otherwise_is_named():
    asked = {"role": "user", "content": "q <|im_end|>"}
    row = json.dumps({"messages": [asked, {"role": "assistant", "content": "a"}]}) + "\n"
    run = toolconv("convert", "--trainer", "llamafactory", "--template", "qwen3", "--exact", stdin=row)
    assert "turn_token_in_text 1" in run.err
    nothing = json.dumps({"messages": [{"role": "user", "content": "q"}]}) + "\n"
    for trainer in ("axolotl", "llamafactory", "ms-swift"):
        run = toolconv("convert", "--trainer", trainer, "--template", "qwen3", "--exact", stdin=nothing)
        assert (run.status, len(run.rows)) == (1, 1) and "nothing in the row is trained on" in run.err
    pair = {"prompt": [{"role": "user", "content": "q"}], "chosen": [{"role": "assistant", "content": "a"}],
            "rejected": [{"role": "assistant", "content": "b"}]}  # fmt: skip
    run = toolconv("convert", "--trainer", "axolotl", "--template", "qwen3", "--exact", stdin=json.dumps(pair) + "\n")
    assert run.status == 1 and "several answers" in run.err


def test_a_token_across_a_border_is_parted_and_named(tmp_path):
    from tokenizers import Tokenizer

    tokenizer("qwen3", tmp_path / "t.json")
    model = json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))
    model["model"]["vocab"]["ĊĊ"] = max(model["model"]["vocab"].values()) + 1000
    model["model"]["merges"] = [["Ċ", "Ċ"]]
    (tmp_path / "t.json").write_text(json.dumps(model), encoding="utf-8")
    turns = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "\na"}]
    options = ("convert", "--trainer", "skyrl", "--template", "qwen2.5", "--exact", "--tokenizer", tmp_path / "t.json")
    run = toolconv(*options, stdin=json.dumps({"messages": turns}) + "\n")
    assert "token_parted 1" in run.err
    row = run.rows[0]
    names = Tokenizer.from_file(str(tmp_path / "t.json"))
    assert joined(runs(row, names)) == spans_of("qwen2.5", given=json.dumps({"messages": turns}) + "\n")[0]
    inside = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a\n\nb"}]
    assert "token_parted" not in toolconv(*options, stdin=json.dumps({"messages": inside}) + "\n").err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--trainer", "axolotl"), "--exact needs --trainer, and the student's --template"),
        (("--template", "qwen3"), "--exact needs --trainer"),
        (("--trainer", "openai", "--template", "qwen3"), "openai writes the texts itself"),
        (("--trainer", "trl", "--template", "qwen3"), "trl takes token ids"),
        (("--trainer", "axolotl", "--template", "qwen3", "--tokenizer", "pyproject.toml"), "leave out --tokenizer"),
        (("--trainer", "axolotl", "--template", "qwen3", "--spans"), "can't be used with --spans"),
        (("--trainer", "axolotl", "--template", "qwen3", "--to-layout", "axolotl"), "with --to-layout"),
    ],
)
def test_options_that_do_not_go_together(options, words):
    run = toolconv("convert", "--exact", *options, stdin="{}")
    assert run.status == 2 and words in run.err
    assert toolconv("convert", "--tokenizer", "pyproject.toml", stdin="{}").status == 2


def test_the_tokenizer_of_another_model_is_refused(tmp_path):
    tokenizer("qwen3", tmp_path / "t.json")
    run = toolconv("convert", "--trainer", "trl", "--template", "llama-3.1", "--exact", "--tokenizer",
                   tmp_path / "t.json", stdin=lines_of_cases())  # fmt: skip
    assert run.status == 2 and "no token '<|eot_id|>'" in run.err


@exhaustive
def test_parquet_of_ids_has_the_columns_that_together_takes(tmp_path):
    from pyarrow import parquet

    tokenizer("qwen3", tmp_path / "t.json")
    given = "".join(json.dumps({**json.loads(line), "source": "x"}) + "\n" for line in lines_of_cases().splitlines())
    run = toolconv("convert", "--trainer", "together", "--template", "qwen3", "--exact", "--tokenizer",
                   tmp_path / "t.json", "-o", tmp_path / "train.parquet", stdin=given)  # fmt: skip
    table = parquet.read_table(tmp_path / "train.parquet")
    assert table.schema.names == ["input_ids", "labels", "attention_mask"]
    assert {str(each.type) for each in table.schema} == {"list<element: int64>"}
    assert f"row_key_removed {len(given.splitlines())}" in run.err


@pytest.mark.parametrize(
    ("trainer", "keys"),
    [
        ("llamafactory", {"system": "s", "label": True, "kto_tag": False}),
        ("ms-swift", {"images": ["a.png"], "video": "v.mp4", "audios": ["a.mp3"], "objects": {}}),
        ("trl", {"images": ["a.png"], "labels": [1], "prompt": "p"}),
        ("axolotl", {}),
    ],
)
def test_keys_that_a_trainer_would_read_beside_the_text_are_left_out(trainer, keys, tmp_path):
    """As the packages showed: each of these keys changed the text, left out the row or stopped the run."""
    turns = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    file = tmp_path / "tokenizer.json"
    if trainer == "trl":
        tokenizer("qwen3", file)
    options = (
        "convert",
        "--trainer",
        trainer,
        "--template",
        "qwen3",
        "--exact",
        *(["--tokenizer", file] * (trainer == "trl")),
    )
    run = toolconv(*options, stdin=json.dumps({"messages": turns, "source": "web", **keys}) + "\n")
    assert run.rows[0].keys() - set(trainers.get(trainer).exact.columns) == {"source"}
    assert (f"row_key_removed {len(keys)}" in run.err) == bool(keys), run.err


def test_llamafactory_reads_no_more_of_exact_rows_than_their_turns():
    assert {*COLUMNS.values(), *PAIR.values(), *LABELS} == {*TURNS.columns, *TURNS.read}
