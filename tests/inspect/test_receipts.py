"""``toolconv receipts``, and what the receipts of all commands have in common."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run, each, toolconv
from toolconv.inspect.receipts.chain import Chain
from toolconv.inspect.receipts.documents import Document


def tool(name: str, about: str = "Looks things up by a word.") -> dict[str, Any]:
    word = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
    return {"type": "function", "function": {"name": name, "description": about, "parameters": word}}


def row(number: int, *tools: dict[str, Any], word: str = "find") -> dict[str, Any]:
    function = {"name": "find", "arguments": json.dumps({"word": f"w{number}"})}
    return {
        "id": f"r{number}",
        "tools": list(tools or (tool("find"),)),
        "messages": [
            {"role": "user", "content": f"Please {word} everything about {'abcdefghij'[number % 10] * 9} number."},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c1", "type": "function", "function": function}],
            },
        ],
    }


def write(path: Path, *rows: dict[str, Any]) -> None:
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "rows.jsonl", *(row(number) for number in range(10)))
    write(tmp_path / "gold.jsonl", row(2, word="translate"), row(3, word="translate"))
    return tmp_path


def run(folder: Path, line: str) -> dict[str, Any]:
    """Run a command with a receipt, which is returned."""
    done = toolconv(*line.split(), "--receipt", "receipt.json", cwd=folder)
    assert done.status in (0, 1), done.err
    found: dict[str, Any] = json.loads((folder / "receipt.json").read_text())
    return found


def receipts(folder: Path, *lines: str) -> Run:
    """The checks of the receipts of these commands, which run one after another."""
    names = [f"{number}.json" for number in range(len(lines))]
    for name, line in zip(names, lines, strict=True):
        run(folder, line)
        (folder / "receipt.json").rename(folder / name)
    return toolconv("receipts", *names, cwd=folder)


COMMANDS = {
    "parse rows.jsonl -o out.jsonl": ("rows.jsonl", "out.jsonl"),
    "convert rows.jsonl --to-layout openai -o out.jsonl": ("rows.jsonl", "out.jsonl"),
    "render rows.jsonl --template qwen3 -o out.jsonl": ("rows.jsonl", "out.jsonl"),
    "lint rows.jsonl --filter -o out.jsonl": ("rows.jsonl", "out.jsonl"),
    "lint rows.jsonl": ("rows.jsonl", None),
    "select rows.jsonl --limit 3 -o out.jsonl": ("rows.jsonl", "out.jsonl"),
    "score gold.jsonl rows.jsonl --key id": ("gold.jsonl", None),
}


@pytest.mark.parametrize("line", COMMANDS)
def test_all_receipts_have_the_same_head(line: str, folder: Path) -> None:
    receipt = run(folder, line)
    assert list(receipt)[:8] == [
        "toolconv", "command", "options", "options_sha256", "inputs", "option_files", "outputs", "files",
    ]  # fmt: skip
    assert receipt["command"] == line.split()[0]
    read, written = COMMANDS[line]
    for files, name in ((receipt["inputs"], read), (receipt["outputs"], written)):
        if name is None:
            assert files == {}
        else:
            assert files[name] == hashlib.sha256((folder / name).read_bytes()).hexdigest()
    assert run(folder, line)["options_sha256"] == receipt["options_sha256"]
    if "select" not in line:
        declared = json.dumps(tool("find")["function"], separators=(",", ":"))
        assert receipt["function_calling"]["tools"] == {"find": [hashlib.sha256(declared.encode()).hexdigest()]}


def test_other_options_have_another_hash(folder: Path) -> None:
    one, other = (run(folder, f"select rows.jsonl --seed {seed} -o out.jsonl") for seed in (1, 2))
    assert one["options_sha256"] != other["options_sha256"]


def test_a_file_that_is_replaced_is_input_and_output(folder: Path) -> None:
    write(folder / "wrong.jsonl", row(1, tool("search")))
    receipt = run(folder, "lint wrong.jsonl --mark TC101")
    assert receipt["inputs"].keys() == receipt["outputs"].keys() == {"wrong.jsonl"}
    assert receipt["inputs"] != receipt["outputs"]
    now = hashlib.sha256((folder / "wrong.jsonl").read_bytes()).hexdigest()
    assert receipt["outputs"]["wrong.jsonl"] == now


def test_files_of_options_are_hashed(folder: Path) -> None:
    receipt = run(folder, "lint rows.jsonl --eval gold.jsonl")
    assert receipt["option_files"] == {"gold.jsonl": hashlib.sha256((folder / "gold.jsonl").read_bytes()).hexdigest()}


# ── the chain ──

CHOOSE = "select rows.jsonl -o chosen.jsonl"
CONVERT = "convert chosen.jsonl --trainer trl -o train.jsonl"
SCORE = "score gold.jsonl outputs.jsonl"


def test_a_chain_is_shown_and_checked(folder: Path) -> None:
    write(folder / "outputs.jsonl", row(2), row(3))
    done = receipts(folder, CHOOSE, CONVERT, SCORE)
    assert done.status == 0, done.out
    assert "1.json: convert, 10 rows in, 10 out\n  read chosen.jsonl, written by select (0.json)\n" in done.out
    about = "ok: gold.jsonl and train.jsonl:"
    assert f"{about} no prompt of the gold rows is in the 10 rows of the training set\n" in done.out
    assert f"{about} the same tools: 1 tool of the gold rows, as in the training set\n" in done.out
    assert done.out.endswith("7 ok, 0 wrong, 0 can't be checked\n")
    as_json = json.loads(toolconv("receipts", "0.json", "1.json", "--json", cwd=folder).out)
    assert [each["command"] for each in as_json["runs"]] == ["select", "convert"]
    assert as_json["runs"][1]["inputs"] == {"chosen.jsonl": "0.json"}
    assert {each["status"] for each in as_json["checks"]} == {"ok"}


def receipt(name: str, command: str, inputs: dict[str, str], outputs: dict[str, str]) -> Document:
    return Document(name, {"command": command, "inputs": inputs, "outputs": outputs})


@each(
    "others, writer",
    [
        ([receipt("1", "select", {}, {"a": "A"})], "1"),
        ([receipt("1", "select", {}, {"b": "A"})], "1"),
        ([receipt("1", "select", {}, {"b": "A"}), receipt("2", "select", {}, {"a": "A"})], "2"),
        ([receipt("1", "select", {}, {"b": "A"}), receipt("2", "select", {}, {"c": "A"})], "1"),
        ([receipt("1", "select", {}, {"a": "B"})], None),
        ([], None),
    ],
)
def test_which_run_wrote_what_another_read(others: list[Document], writer: str | None) -> None:
    read = receipt("0", "lint", {"a": "A"}, {"a": "A"})
    ((name, found),) = Chain([read, *others]).sources(read)
    assert (name, found.name if found is not None else None) == ("a", writer)


@pytest.mark.parametrize(("command", "sets"), [("convert", ["a"]), ("score", [])])
def test_what_score_writes_is_no_training_set(command: str, sets: list[str]) -> None:
    chain = Chain([receipt("0", command, {"i": "I"}, {"a": "A", "b": "B"}), receipt("1", "score", {"b": "B"}, {})])
    assert [name for name, _, _ in chain.training_sets()] == sets


def test_a_training_set_that_lint_has_seen_is_one_still() -> None:
    made = receipt("0", "convert", {"i": "I"}, {"a": "A"})
    for others, sets in (
        ([receipt("1", "lint", {"a": "A"}, {})], ["a"]),
        ([receipt("1", "lint", {"a": "A"}, {"a": "B"})], ["a"]),  # --fix: the old rows are none any more
        ([receipt("1", "select", {"a": "A"}, {"c": "C"})], ["c"]),
    ):
        assert [name for name, _, _ in Chain([made, *others]).training_sets()] == sets


def test_a_stream_is_no_file_that_could_be_here(folder: Path) -> None:
    toolconv("select", "--receipt", "0.json", stdin='{"messages": [{"role": "user", "content": "Hi"}]}', cwd=folder)
    done = toolconv("receipts", "0.json", cwd=folder)
    assert (done.status, done.out) == (0, "0.json: select, 1 row in, 1 out\n  read <stdin>\n  wrote <stdout>\n"
        "0 ok, 0 wrong, 0 can't be checked\n")  # fmt: skip


def test_a_shared_prompt_is_wrong(folder: Path) -> None:
    write(folder / "gold.jsonl", row(2))
    write(folder / "outputs.jsonl", row(2))
    done = receipts(folder, CHOOSE, CONVERT, SCORE)
    assert done.status == 1
    assert "wrong: gold.jsonl and train.jsonl: a prompt of the gold rows is in 1 row of the training set\n" in done.out


def test_gold_rows_that_were_trained_on_are_wrong_without_the_files(folder: Path) -> None:
    write(folder / "outputs.jsonl", row(2))
    lines = (CHOOSE, CONVERT, "score chosen.jsonl outputs.jsonl")
    receipts(folder, *lines)
    for name in ("rows", "chosen", "train"):
        (folder / f"{name}.jsonl").unlink()
    done = toolconv("receipts", "0.json", "1.json", "2.json", cwd=folder)
    assert done.status == 1
    assert (
        "wrong: chosen.jsonl and train.jsonl: the gold rows are those that the training set was made from" in done.out
    )


@pytest.mark.parametrize(
    ("tools", "reason"),
    [
        ([tool("find", "Finds.")], "it declares 'find' in another way"),
        ([tool("find"), tool("other")], "the training set has no 'other'"),
    ],
)
def test_other_tools_are_wrong(tools: list[dict[str, Any]], reason: str, folder: Path) -> None:
    write(folder / "gold.jsonl", row(2, *tools, word="translate"))
    write(folder / "outputs.jsonl", row(2))
    done = receipts(folder, CHOOSE, CONVERT, SCORE)
    assert done.status == 1
    assert f"wrong: gold.jsonl and train.jsonl: other tools: {reason}\n" in done.out


def test_without_the_files_a_split_proves_that_prompts_differ(folder: Path) -> None:
    lines = (
        "select rows.jsonl --split train=0.5,eval=0.5 -o parts",
        "parse parts/train.jsonl -o canonical.jsonl",
        "convert canonical.jsonl --trainer trl -o train.jsonl",
        "score parts/eval.jsonl parts/eval.jsonl",
    )
    done = receipts(folder, *lines[:3])
    assert "train.jsonl" in done.out
    run(folder, lines[3])
    (folder / "receipt.json").rename(folder / "3.json")
    names = [f"{number}.json" for number in range(4)]
    whole = toolconv("receipts", *names, cwd=folder)
    assert whole.status == 0 and "no prompt of the gold rows is in the" in whole.out
    (folder / "train.jsonl").unlink()
    done = toolconv("receipts", *names, cwd=folder)
    assert done.status == 0
    reason = "made from parts/eval.jsonl and parts/train.jsonl, parts of one split, which share no prompt"
    assert f"ok: parts/eval.jsonl and train.jsonl: {reason}\n" in done.out
    assert "unknown: train.jsonl: the file is not here\n" in done.out
    done = toolconv("receipts", *names[1:], cwd=folder)
    assert "unknown: parts/eval.jsonl and train.jsonl: whether they share prompts can't be checked" in done.out


@pytest.mark.parametrize("shared", [False, True])
def test_without_the_files_the_linter_proves_that_prompts_differ(folder: Path, shared: bool) -> None:
    write(folder / "outputs.jsonl", row(2))
    if shared:
        write(folder / "gold.jsonl", row(2))
    receipts(folder, "lint rows.jsonl --eval gold.jsonl", "convert rows.jsonl --trainer trl -o train.jsonl", SCORE)
    (folder / "train.jsonl").unlink()
    done = toolconv("receipts", "0.json", "1.json", "2.json", cwd=folder)
    proved = "ok: gold.jsonl and train.jsonl: lint --eval found no prompt of the gold rows (0.json)\n" in done.out
    unknown = "unknown: gold.jsonl and train.jsonl: whether they share prompts can't be checked" in done.out
    assert (proved, unknown) == (not shared, shared)


def test_a_file_that_changed_is_wrong(folder: Path) -> None:
    receipts(folder, CHOOSE, CONVERT)
    write(folder / "chosen.jsonl", row(1))
    done = toolconv("receipts", "0.json", "1.json", cwd=folder)
    assert done.status == 1
    assert "wrong: chosen.jsonl: the file has changed since\n" in done.out


def test_a_run_that_read_something_else_is_wrong(folder: Path) -> None:
    run(folder, CHOOSE)
    (folder / "receipt.json").rename(folder / "0.json")
    write(folder / "chosen.jsonl", row(1))
    run(folder, CONVERT)
    done = toolconv("receipts", "0.json", "receipt.json", cwd=folder)
    assert done.status == 1
    assert "wrong: chosen.jsonl: convert read other contents than were written\n" in done.out


def test_without_a_training_set_that_is_said(folder: Path) -> None:
    write(folder / "outputs.jsonl", row(2))
    done = receipts(folder, SCORE)
    assert "unknown: 0.json: no receipt of a training set: nothing to compare the score with\n" in done.out
    assert done.status == 0


# ── shards ──


def test_the_receipts_of_shards_add_up_to_that_of_the_whole_run(folder: Path) -> None:
    """Law: the sum is the receipt of the run without shards, except for the names of outputs."""
    rows = [row(number, tool("find"), *([tool("other")] if number % 3 else [])) for number in range(30)]
    broken = {"id": "x", "text": '<tool_call>{"name": "find", "arguments": {'}
    write(folder / "rows.jsonl", *rows[:9], broken, *rows[9:], {"messages": 3})
    line = "parse rows.jsonl --from hermes"
    whole = run(folder, f"{line} -o whole.jsonl")
    for number in (3, 1, 2):
        run(folder, f"{line} --shard {number}/3 -o part-{number}.jsonl")
        (folder / "receipt.json").rename(folder / f"{number}.json")
    done = toolconv("receipts", "3.json", "1.json", "2.json", "-o", "sum.json", cwd=folder)
    assert done.status == 0
    assert done.out.startswith("1.json … 3.json: parse (3 shards), 32 rows in, 31 out\n  read rows.jsonl\n")
    added = json.loads((folder / "sum.json").read_text())
    places = [account["function_calling"][kind].pop("places") for account in (added, whole)
              for kind in ("dropped_calls", "rejects", "unread")]  # fmt: skip
    assert sum(map(len, places[:3])) == sum(map(len, places[3:])) > 0
    assert added["function_calling"] == whole["function_calling"]
    assert added["options"] == whole["options"] and added["inputs"] == whole["inputs"]
    assert set(added["outputs"]) == {f"part-{number}.jsonl" for number in (1, 2, 3)}
    done = toolconv("receipts", "3.json", "1.json", cwd=folder)
    assert done.status == 1
    assert "wrong: 1.json … 3.json: the receipts of shards 2 are missing: the sum is of the others\n" in done.out
    twice = toolconv("receipts", "3.json", "3.json", cwd=folder)
    assert twice.status == 2 and "3.json and 3.json: both are of shard 3/3" in twice.err


def test_what_is_no_receipt_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[]")
    done = toolconv("receipts", "a.json", cwd=tmp_path)
    assert done.status == 2 and "a.json: not a receipt: --receipt FILE writes one" in done.err


def test_a_folder_of_receipts(folder: Path) -> None:
    (folder / "runs").mkdir()
    toolconv(*CHOOSE.split(), "--receipt", "runs/1.json", cwd=folder)
    (folder / "runs" / "other.json").write_text("{}")
    assert toolconv("receipts", "runs", cwd=folder).out.startswith("runs/1.json: select, 10 rows in, 10 out\n")
    refused = toolconv("receipts", "runs", "-o", "sum.json", cwd=folder)
    assert refused.status == 2 and "-o takes the receipts of the shards of one run" in refused.err
