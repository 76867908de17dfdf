"""What receipts show and check, without a command: chains, scores, shards, both sides of each check."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import each
from tests.inspect.test_receipts import receipt
from toolconv.core.errors import FileError
from toolconv.inspect.receipts.chain import Chain
from toolconv.inspect.receipts.documents import Document, NotShards, read_all, with_shards_added
from toolconv.inspect.receipts.scores import score_checks


def full(name: str, command: str = "convert", **content: Any) -> Document:
    keys = {"toolconv": "1", "command": command, "options": {}, "inputs": {}, "outputs": {}}
    return Document(name, keys | content)


def test_a_line_of_files_ends_where_rows_come_in() -> None:
    chain = Chain(
        [
            receipt("1", "convert", {"a": "A"}, {"b": "B"}),
            receipt("2", "select", {"b": "B"}, {"c": "C"}),
            receipt("3", "select", {"c": "C", "x": "X"}, {"d": "D"}),
            receipt("4", "lint", {"e": "E"}, {"e": "E"}),
        ]
    )
    assert chain.line("C") == ["C", "B", "A"]
    assert chain.line("D") == ["D"]
    assert chain.line("E") == ["E"]
    assert [name for name, _, _ in chain.training_sets()] == ["d"]


def test_what_is_checked_of_receipts(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").write_bytes(b"changed")
    good, bad, gone = f"{tmp_path}/a", f"{tmp_path}/b", f"{tmp_path}/c"
    digest = hashlib.sha256(b"a").hexdigest()
    first = full("1", inputs={good: digest, "<stdin>": "S"}, outputs={bad: "B", "<stdout>": "T"})
    second = full("2", "lint", inputs={bad: "X", gone: "C"}, option_files={good: digest})
    assert [tuple(check) for check in Chain([first, second]).checks()] == [
        ("wrong", bad, "lint read other contents than were written"),
        ("ok", good, "the file is as the receipt says"),
        ("wrong", bad, "the file has changed since"),
        ("unknown", gone, "the file is not here"),
    ]
    replaced = full("3", "fix", inputs={bad: "Q"}, outputs={bad: "X"})
    assert [check.status for check in Chain([replaced, second]).checks() if "read other" in check.message] == []
    missing = Document("s", first.content, 2, (1, 3))
    assert next(iter(Chain([missing]).checks())) == (
        "wrong", "s", "the receipts of shards 1, 3 are missing: the sum is of the others",
    )  # fmt: skip


def tools(**digests: list[str]) -> dict[str, Any]:
    return {"function_calling": {"tools": digests}}


@each(
    "gold, train, status, message",
    [
        (tools(a=["1"]), tools(a=["1", "2"]), "ok", "the same tools: 1 tool of the gold rows, as in the training set"),
        (tools(a=["1"]), tools(b=["1"]), "wrong", "other tools: the training set has no 'a'"),
        (tools(a=["1"]), tools(a=["2"]), "wrong", "other tools: it declares 'a' in another way"),
        (tools(a=["1"], b=["1"]), tools(a=["2"]), "wrong", "other tools: the training set has no 'b'; it declares 'a' in another way"),
        (tools(), tools(a=["1"]), "unknown", "the gold rows declare no tools"),
        ({}, tools(a=["1"]), "unknown", "whether they have the same tools can't be checked: a receipt doesn't name them"),
        (tools(a=["1"]), {}, "unknown", "whether they have the same tools can't be checked: a receipt doesn't name them"),
    ],
)  # fmt: skip
def test_whether_a_score_is_of_the_same_tools(
    gold: dict[str, Any], train: dict[str, Any], status: str, message: str
) -> None:
    chain = Chain([full("0", outputs={"no/train": "T"}, **train), full("1", "score", inputs={"no/gold": "G"}, **gold)])
    prompts, found = score_checks(chain)
    assert tuple(found) == (status, "no/gold and no/train", message)
    assert prompts.status == "unknown"
    assert prompts.message == "whether they share prompts can't be checked: not all files are here and readable"


def test_a_score_without_training_set() -> None:
    (found,) = score_checks(Chain([full("1", "score", inputs={"g": "G"})]))
    assert tuple(found) == ("unknown", "1", "no receipt of a training set: nothing to compare the score with")


SPLIT = full("0", "select", options={"split": "x"}, inputs={"all": "A"}, outputs={"no/train": "T", "no/gold": "G"})
SEARCHED = {"option_files": {"no/gold": "G"}, "inputs": {"no/train": "T"}}


@each(
    "others, status, message",
    [
        ([SPLIT, full("2", outputs={"x": "X"}, inputs={"no/train": "T"})], "ok", "made from no/gold and no/train, parts of one split, which share no prompt"),
        ([full("2", inputs={"no/gold": "G"}, outputs={"x": "X"})], "wrong", "the gold rows are those that the training set was made from"),
        ([full("2", outputs={"x": "T"}), full("3", "lint", **SEARCHED, function_calling={"validator_issues_by_rule": {}})], "ok", "lint --eval found no prompt of the gold rows (3)"),
        ([full("2", outputs={"x": "T"}), full("3", "lint", **SEARCHED, function_calling={"validator_issues_by_rule": {"TC510": 1}})], "unknown", None),
        ([full("2", outputs={"x": "T"}), full("3", "lint", **SEARCHED)], "unknown", None),
        ([full("2", outputs={"x": "T"}), full("3", "fix", **SEARCHED, function_calling={"validator_issues_by_rule": {}})], "unknown", None),
    ],
)  # fmt: skip
def test_whether_prompts_are_shared_by_what_runs_did(others: list[Document], status: str, message: str | None) -> None:
    chain = Chain([*others, full("1", "score", inputs={"no/gold": "G"})])
    checks = [check for check in score_checks(chain) if "tools" not in check.message]
    assert [check.status for check in checks] == [status]
    if message is not None:
        assert checks[0].message == message


SUMMED = {
    "assistant_turns": 4, "turns_with_calls": 1, "turns_with_several": 1, "rows_in": 3, "rows_out": 2,
    "tools": {"f": ["1"]}, "places": [{"line": 1}], "ratio": None,
}  # fmt: skip


def shard(number: int, count: int = 2, **content: Any) -> Document:
    account = SUMMED | content.pop("account", {})
    options = {"to": "x", "shard": f"{number}/{count}"} | content.pop("options", {})
    keys = {"inputs": {f"in[{number}/{count}]": "I"}, "outputs": {f"o{number}": "O"}, "options_sha256": "?"}
    return full(f"r{number}", options=options, function_calling=account, **(keys | content))


def test_receipts_of_shards_are_added_up() -> None:
    more = {"tools": {"f": ["2", "1"], "g": ["3"]}, "places": [{"line": 9}], "ratio": 0.5, "turns_with_calls": 2}
    other = full("w", outputs={"w": "W"})
    first, last = with_shards_added([shard(2, account=more), other, shard(1)])
    assert last is other
    assert (first.name, first.shards, first.missing) == ("r1 … r2", 2, ())
    assert first.inputs == {"in": "I"} and first.outputs == {"o1": "O", "o2": "O"}
    assert first.content["files"] == {"in": "I", "o1": "O", "o2": "O"}
    assert first.content["options"] == {"to": "x", "shard": None}
    assert "options_sha256" not in first.content
    account = dict(first.content["function_calling"])
    assert account.pop("tool_schema_hash")
    assert account == {
        "assistant_turns": 8, "turns_with_calls": 3, "turns_with_several": 2, "rows_in": 6, "rows_out": 4,
        "tools": {"f": ["1", "2"], "g": ["3"]}, "places": [{"line": 1}, {"line": 9}], "ratio": 0.5,
        "n_tools_declared": 3, "no_call_ratio": 0.625, "parallel_ratio": 0.25,
    }  # fmt: skip
    assert first.rows == "6 rows in, 4 out"


def test_shards_that_are_missing_alone_or_of_another_run() -> None:
    (alone,) = with_shards_added([shard(2, 3, account={"assistant_turns": 0})])
    assert (alone.name, alone.shards, alone.missing) == ("r2", 1, (1, 3))
    assert (
        alone.content["function_calling"]["no_call_ratio"]
        is alone.content["function_calling"]["parallel_ratio"]
        is None
    )
    assert len(with_shards_added([shard(1), shard(2, options={"to": "y"})])) == 2
    assert len(with_shards_added([shard(1), shard(2, 3)])) == 2
    assert len(with_shards_added([shard(1), shard(2, inputs={"other": "I"})])) == 2
    assert len(with_shards_added([shard(1), shard(2, command="parse")])) == 2
    assert len(with_shards_added([shard(1), shard(2, toolconv="2")])) == 2
    with pytest.raises(NotShards, match=r"^r1 and r1: both are of shard 1/2$"):
        with_shards_added([shard(1), shard(1)])


@each(
    "content, message",
    [
        (b"{", "not JSON ("),
        (b"[]", "not a receipt: --receipt FILE writes one"),
        *(
            (json.dumps(full("a").content | {key: 3}).encode(), f"the receipt is damaged: {key!r} is no object")
            for key in ("options", "inputs", "outputs", "option_files", "function_calling", "selection")
        ),
        (b'{"toolconv": 1}', "not a receipt: --receipt FILE writes one"),
        (b'{"options": {}}', "not a receipt: --receipt FILE writes one"),
        (b'{"toolconv": 1, "options": {}}', "the receipt of another version of toolconv: it has no 'command'"),
        (b'{"toolconv": 1, "options": {}, "command": 1, "inputs": 1}', "the receipt of another version of toolconv: it has no 'outputs'"),
        (None, "No such file or directory"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_receipt(
    content: bytes | None, message: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("receipts") / "r.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FileError) as raised:
        read_all([str(path)])
    assert str(raised.value).startswith(f"{path}: {message}")


def test_the_receipts_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{")
    (tmp_path / "y.txt").write_text("{}")
    with pytest.raises(FileError, match=r"no receipts in this folder$"):
        read_all([str(tmp_path)])
    (tmp_path / "b.json").write_text(json.dumps(full("b").content))
    (tmp_path / "a.json").write_text(json.dumps(full("a").content))
    found = read_all([str(tmp_path), str(tmp_path / "b.json")])
    assert [Path(each.name).name for each in found] == ["a.json", "b.json", "b.json"]
    assert (found[0].option_files, found[0].tools, found[0].rows) == ({}, None, "")
    selection = full("s", selection={"rows_in": 1, "rows_out": 1234})
    assert selection.rows == "1 row in, 1,234 out"
