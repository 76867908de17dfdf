"""``select``: conditions, duplicates, balance, samples, parts; the original lines, and an account that adds up."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES, ROOT, SHARED, any_text, each, exhaustive, json_values, toolconv
from toolconv import layouts
from toolconv.convert.options import Options
from toolconv.lint.engine.linter import Linter
from toolconv.select.expression import MISSING, Condition, ExpressionError, Operand, parse
from toolconv.select.facts import FACTS, SeenRow
from toolconv.select.groups import GroupLimits, Limits, groups_of
from toolconv.select.held import HeldRows
from toolconv.select.run import SelectRun
from toolconv.select.sampling import BalancedSample, Drawn, Reservoir, balanced


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"id": f"id_{name}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def row(*turns: list[str] | str, prompt: str = "Hello.", **keys: Any) -> dict[str, Any]:
    """A row with a turn of the assistant for each of ``turns``: its text, or the tools that it calls."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
    for turn in turns:
        calls = [call(name) for name in turn] if isinstance(turn, list) else []
        content = None if calls else turn
        messages.append({"role": "assistant", "content": content} | ({"tool_calls": calls} if calls else {}))
    return {"messages": messages, **keys}


def lines(*rows: Any) -> str:
    return "".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in rows)


ROWS = {
    "none": row("Hi.", reward=0.5, tags=["a"]),
    "one": row(["ping"], "Done.", reward=1, meta={"score": 3}, when="2025-03-01"),
    "two": row(["ping", "search"], reward=2, tags=["a", "b"], flag=True, calls="mine"),
    "seq": row(["search"], ["search"], "Ok.", reward=None, flag=False, when="2024-12-31", **{"odd key": "x y"}),
    "text": row("Sure. <tool_call>{'name': 'ping', 'arguments': {}}</tool_call>", reward="2"),
}

CONDITIONS: list[tuple[str, str]] = [
    ("calls = 0", "none"),
    ("calls", "one two seq text"),
    ("not calls", "none"),
    ("calls >= 2", "two seq"),
    ("parallel >= 2", "two"),
    ("calls = search", "two seq"),
    ("calls != search", "none one text"),
    ("calls ~ sea", "two seq"),
    ("calls = ping and calls = search", "two"),
    ("calls = ping and not calls = search", "one text"),
    ("calls = 0 or parallel=2", "none two"),
    ("(calls = 0 or parallel = 2) and reward > 1", "two"),
    ("calls = 0 or parallel = 2 and reward > 1", "none two"),
    ("reward>=1", "one two"),
    ("reward < 1", "none"),
    ("reward = 1", "one"),
    ("reward == 1.0", "one"),
    ("reward != 1", "none two seq text"),
    ("reward = null", "seq"),
    ("reward != null", "none one two text"),
    ("absent = null", "none one two seq text"),
    ("absent", ""),
    ("absent != 1", "none one two seq text"),
    ("reward = '2'", "text"),
    ('reward = "2"', "text"),
    ("tags = a", "none two"),
    ("tags = 2", "two"),
    ("tags.1 = b", "two"),
    ("flag", "two"),
    ("flag = false", "seq"),
    ("when >= 2025-01-01", "one"),
    ("when ~ 2024", "seq"),
    ("meta.score > 2", "one"),
    ("meta = 1", "one"),
    (".calls = mine", "two"),
    ("'odd key' = 'x y'", "seq"),
    ("messages = 2", "none two text"),
    ("messages = assistant", "none one two seq text"),
    ("assistant_turns >= 3", "seq"),
    ("user_turns = 1", "none one two seq text"),
    ("repairs", "text"),
    ("repairs = single_quotes", "text"),
    ("dialects = hermes", "text"),
    ("drops = 0", "none one two seq text"),
    ("line > 3", "seq text"),
    ("when != 007 and line < 2", "none"),
    ("line >= -1e3 and file ~ rows", "none one two seq text"),
    ("findings = 0 or findings", "none one two seq text"),
]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> list[SeenRow]:
    """The rows as conditions see them, with the linter's findings."""
    file = tmp_path_factory.mktemp("select") / "rows.jsonl"
    file.write_text(lines(*ROWS.values()))
    return list(SelectRun(options=Options(), linter=Linter()).meeting([str(file)]))


@each("condition, chosen", CONDITIONS)
def test_conditions(condition: str, chosen: str, seen: list[SeenRow]) -> None:
    test = parse(condition, FACTS)
    assert [name for name, row in zip(ROWS, seen, strict=True) if test.holds(row.look)] == chosen.split()
    assert test.shown == condition


@pytest.mark.parametrize(("condition", "chosen"), CONDITIONS[::12])
def test_where(condition: str, chosen: str) -> None:
    run = toolconv("select", "--where", condition, stdin=lines(*ROWS.values()))
    assert run.rows == [ROWS[name] for name in chosen.split()]
    assert run.status == 0


COUNTED: list[tuple[str, list[tuple[int, int, int]]]] = [
    # condition, of each comparison: rows for which it was looked at, that have a value, and of another type
    ("reward > 1", [(5, 5, 1)]),
    ("reward = 'a'", [(5, 5, 3)]),
    ("absent > 1", [(5, 0, 0)]),
    ("tags = 2", [(5, 2, 0)]),
    ("tags = true", [(5, 2, 0)]),
    ("flag = true", [(5, 2, 0)]),
    ("flag = 1", [(5, 2, 2)]),
    ("calls = 0 and meta", [(5, 5, 0), (1, 0, 0)]),
    ("calls = 0 or meta", [(5, 5, 0), (4, 1, 0)]),
]


@each("condition, counts", COUNTED)
def test_comparisons_count_what_they_meet(
    condition: str, counts: list[tuple[int, int, int]], seen: list[SeenRow]
) -> None:
    test = parse(condition, FACTS)
    for row in seen:
        test.holds(row.look)
    assert [(each.asked, each.found, each.other_type) for each in test.comparisons] == counts


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        (["--tool", "search"], "two seq"),
        (["--tool", "ping", "--tool", "search"], "one two seq text"),
        (["--calls", "0"], "none"),
        (["--calls", "1"], "one text"),
        (["--calls", "1.."], "one two seq text"),
        (["--calls", "2..2", "--tool", "ping"], "two"),
        (["--where", "reward >= 1", "--where", "calls = 2"], "two"),
        (["--limit", "2"], "none one"),
        (["--limit", "0"], ""),
        (["--limit", "1", "--where", "reward > 1"], "two"),
    ],
)
def test_options(options: list[str], chosen: str) -> None:
    run = toolconv("select", *options, stdin=lines(*ROWS.values()))
    assert run.rows == [ROWS[name] for name in chosen.split()]


def test_a_condition_that_cant_be_read_is_shown_with_a_caret() -> None:
    run = toolconv("select", "--where", "reward > = 1", stdin=lines(*ROWS.values()))
    assert (run.status, run.out) == (2, "")
    assert run.err == f"Error: --where: expected a value after '>'\n  reward > = 1\n  {' ' * 9}^\n"


@given(any_text(max_size=30), json_values)
def test_any_text_is_a_condition_or_an_error(text: str, value: Any) -> None:
    try:
        condition = parse(text, FACTS)
    except ExpressionError as error:
        assert str(error).endswith("^")
        return
    assert condition.holds(lambda name: value) in (True, False)
    assert condition.holds(lambda name: MISSING) in (True, False)


@given(st.sampled_from(["=", "<", "<=", ">", ">=", "~"]), json_values, st.integers() | st.text("abc", min_size=1))
def test_not_equal_and_not_are_opposites(operator: str, value: Any, wanted: Any) -> None:
    def test(text: str) -> Condition:
        return parse(text, ())

    quoted = json.dumps(wanted)
    holds = test(f"key {operator} {quoted}").holds(lambda name: value)
    assert test(f"not key {operator} {quoted}").holds(lambda name: value) is not holds
    if operator == "=":
        assert test(f"key != {quoted}").holds(lambda name: value) is not holds


def test_names_of_keys_with_dots_are_given_in_quotes() -> None:
    seen: list[Operand] = []
    parse("'a.b' = 1 or a.b = 1", ()).holds(lambda name: seen.append(name) or MISSING)
    assert [name.path for name in seen] == [("a.b",), ("a", "b")]


# ── the original lines ──


TRACES = ("langfuse", "langsmith", "otel")
"""Layouts whose rows are made of several records; those lines are JSON that toolconv writes."""


@pytest.mark.sweep
@pytest.mark.parametrize("name", [name for name in layouts.names() if name not in ("raw", "stream", *TRACES)])
def test_lines_of_every_layout_come_out_unchanged(name: str, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    sample = layouts.get(name).sample.rstrip("\n")
    odd = sample.replace('":', '" :  ', 1)
    file.write_text(f"\n{odd}\r\n  \n{sample}\n{odd}")
    run = toolconv("select", file)
    assert run.raw.decode() == f"{odd}\r\n{sample}\n{odd}\n"
    assert run.status == 0


@pytest.mark.parametrize("name", TRACES)
def test_rows_of_several_records_mean_the_same(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(layouts.get(name).sample)
    assert toolconv("select", "a.jsonl", "-o", "b.jsonl", cwd=tmp_path).err.endswith("1 row in, 1 out\n")
    one, other = (toolconv("parse", file, cwd=tmp_path).out for file in ("a.jsonl", "b.jsonl"))
    assert one == other != ""


@pytest.mark.parametrize("path", sorted((SHARED / "real" / "datasets").glob("*.jsonl")), ids=lambda path: path.stem)
def test_real_rows_come_out_unchanged(path: Path) -> None:
    assert toolconv("select", path).raw == path.read_bytes()


def test_bytes_that_json_writers_change_stay() -> None:
    odd = '{"messages": [{"role": "user", "content": "\\u00e9 1"}], "n": 1.0e5, "big": 12345678901234567890123, "n": 2}'
    assert toolconv("select", "--where", "n", stdin=odd).out == odd + "\n"


def test_elements_of_an_array_are_written_as_lines() -> None:
    run = toolconv("select", "--calls", "1..", stdin=json.dumps(list(ROWS.values()), indent=1))
    assert run.rows == [ROWS[name] for name in ("one", "two", "seq", "text")]


def test_inputs_of_different_layouts_are_merged(tmp_path: Path) -> None:
    a, b = FIXTURES / "glaive.jsonl", FIXTURES / "kimi.jsonl"
    out = tmp_path / "out.jsonl"
    assert toolconv("select", a, b, "-o", out).err.endswith("9 rows in, 9 out\n")
    assert out.read_bytes() == a.read_bytes() + b.read_bytes()


def test_a_row_that_cant_be_read_is_reported() -> None:
    run = toolconv("select", "--calls", "0", stdin=lines(ROWS["none"], '{"messages": [', ROWS["one"]))
    assert run.status == 1
    assert run.rows == [ROWS["none"]]
    assert "<stdin>:2: rejected: not JSON" in run.err
    assert run.err.endswith("3 rows in, 1 out; 1 rejected; 1 left out (--calls 0: 1)\n")


# ── findings ──


@exhaustive
def test_findings_are_those_of_lint() -> None:
    file = FIXTURES / "glaive.jsonl"
    original = file.read_text().splitlines()
    found = toolconv("lint", file, "--output-format", "jsonl", "--isolated").rows
    for code in {finding["code"] for finding in found}:
        expected = [original[line - 1] for line in sorted({each["line"] for each in found if each["code"] == code})]
        assert toolconv("select", file, "--where", f"findings = {code}").out.splitlines() == expected
    kept = toolconv("lint", file, "--filter", "-q", "--isolated").out
    assert toolconv("select", file, "--where", "errors = 0").out == kept


def test_rules_are_known_by_name_and_turned_on_when_named() -> None:
    rows = lines(row("Hi.", n=1), row("HI!", n=2), row("Bye.", n=3))
    assert [each["n"] for each in toolconv("select", "--where", "findings = near-duplicate-row", stdin=rows).rows] == [
        2
    ]
    assert [each["n"] for each in toolconv("select", "--where", "findings != TC509", stdin=rows).rows] == [1, 3]
    run = toolconv("select", "--where", "findings = TC999", stdin=rows)
    assert (run.status, run.out) == (2, "")
    assert "unknown rule 'TC999'" in run.err


# ── the account ──


def test_the_account_adds_up(tmp_path: Path) -> None:
    rows = [row(*([["ping"]] if n % 3 else ["No."]), prompt=f"{n * 'x'}", reward=n % 2) for n in range(60)]
    (tmp_path / "a.jsonl").write_text(lines(*rows, *rows[:10], "broken"))
    options = ["--where", "reward = 1", "--dedupe", "exact", "--balance", "no-call=0.5", "--sample", "6"]
    options += ["--split", "train=0.5,eval=0.5", "-o", "parts", "--receipt", "r.json"]
    run = toolconv("select", "a.jsonl", *options, cwd=tmp_path)
    account = json.loads((tmp_path / "r.json").read_text())["selection"]
    assert account["rows_in"] == 71
    assert account["rejects"]["count"] == 1
    assert account["left_out"] == {"reward = 1": 35, "duplicates": 5, "to balance": 24}
    parts = {name: (tmp_path / name).read_text().splitlines() for name in ("parts/train.jsonl", "parts/eval.jsonl")}
    assert account["outputs"] == {name: len(part) for name, part in parts.items()}
    assert account["rows_out"] == sum(map(len, parts.values())) == 6
    written = [json.loads(line) for part in parts.values() for line in part]
    assert sum(len(each["messages"][1].get("tool_calls", ())) for each in written) == 3
    shown = ", ".join(f"{name[6:-6]} {len(part)}" for name, part in parts.items())
    left = "64 left out (reward = 1: 35, duplicates: 5, to balance: 24)"
    assert run.err.splitlines()[-1] == f"71 rows in, 6 out ({shown}); 1 rejected; {left}"


def test_odd_conditions_are_noticed() -> None:
    run = toolconv("select", "--where", "score > 1", "--where", "calls", stdin=lines(*ROWS.values()))
    assert "score > 1: none of the 5 rows has the key 'score'\n" in run.err


def test_an_empty_part_is_noticed(tmp_path: Path) -> None:
    run = toolconv("select", "--split", "train=0.999,eval=0.001", "-o", tmp_path, stdin=lines(ROWS["one"]))
    assert "a part is empty" in run.err
    assert run.err.endswith("1 row in, 1 out (train 1, eval 0)\n")
    assert (tmp_path / "eval.jsonl").read_bytes() == b""


def test_reading_stops_at_the_limit() -> None:
    def endless() -> Any:
        for n in range(10_000_000):
            yield (json.dumps(row("Hi.", n=n)) + "\n").encode()

    run = toolconv("select", "--limit", "3", stdin=endless())
    assert [each["n"] for each in run.rows] == [0, 1, 2]
    assert run.err.endswith("3 rows in, 3 out; stopped at the limit\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--split", "train=0.9,eval=0.2", "-o", "x"], "the shares of --split add up to 1.1, not to 1"),
        (["--split", "train=0.5,train=0.5", "-o", "x"], "two parts of --split have the same name"),
        (["--split", "train=0.5,eval=0.5"], "--split needs -o FOLDER, for one file for each part"),
        (["--split", "train", "-o", "x"], "'train' is not NAME=SHARE with a share between 0 and 1"),
        (["--split", "../a=0.5,b=0.5", "-o", "x"], "'../a=0.5' is not NAME=SHARE with a share between 0 and 1"),
        (["--balance", "calls=0.5"], "--balance takes no-call=SHARE, the share of rows without calls"),
        (["--balance", "no-call=nan"], "'no-call=nan' is not NAME=SHARE with a share between 0 and 1"),
        (["--limit", "1", "--sample", "1"], "--limit takes the first rows: with a random choice, use --sample"),
        (["--cap", "2", "--limit", "1"], "--limit takes the first rows: with a random choice, use --sample"),
        (["--by", "calls"], "--by names the groups of --quota or --cap: give one of them"),
        (["--cap", "a=b"], "'a=b' is not N or GROUP=N"),
        (["--cap", "1,2"], "'1,2' gives a group two numbers"),
        (["--mix", "1,2", "-"], "--mix needs a weight for each file, and each file once: 2 for 1"),
        (["--mix", "0", "-"], "'0' is not a list of numbers above 0, such as 7,2,1"),
        (["--mix", "1", "-", "--cap", "1"], "--mix decides how many rows there are of each file"),
        (["--sort", "a b"], "--sort: expected one name"),
        (["--where", "tokens > 5"], "name its tokenizer.json with --tokenizer"),
        (["--tokenizer", "x"], "--tokenizer counts the fact tokens"),
        (["--calls", "1-2"], "'1-2' is not a number or a range, such as 0, 1.. or 2..4"),
    ],
)
def test_wrong_usage(options: list[str], message: str, tmp_path: Path) -> None:
    run = toolconv("select", *options, stdin=lines(ROWS["one"]), cwd=tmp_path)
    assert run.status == 2
    assert message in run.err
    assert list(tmp_path.iterdir()) == []


# ── duplicates, balance, samples, parts ──


def test_duplicates_are_left_out_after_the_first() -> None:
    rows = [row("Hi 1.", n=1), row("HI  2", n=2), row("Hi 1.", n=1), row("Bye.", n=3)]
    run = toolconv("select", "--dedupe", "exact", stdin=lines(*rows))
    assert [each["n"] for each in run.rows] == [1, 2, 3]
    run = toolconv("select", "--dedupe", "near", stdin=lines(*rows))
    assert [each["n"] for each in run.rows] == [1, 3]
    assert run.err.endswith("4 rows in, 2 out; 2 left out (near-duplicates: 2)\n")


@each(
    "calls, no_calls, share, size, expected",
    [
        (90, 90, 0.1, None, (90, 10)),
        (90, 5, 0.1, None, (45, 5)),
        (90, 90, 0.5, None, (90, 90)),
        (90, 90, 0.1, 20, (18, 2)),
        (90, 0, 0.1, None, (0, 0)),
        (0, 9, 0.1, None, (0, 0)),
        (90, 90, 0.1, 1000, (90, 10)),
    ],
)
def test_balance(calls: int, no_calls: int, share: float, size: int | None, expected: tuple[int, int]) -> None:
    assert balanced(calls, no_calls, share, size) == expected
    sample = BalancedSample(share, size, 0)
    rows = [Drawn(str(n).encode(), 0, n < calls) for n in range(calls + no_calls)]
    random.Random(0).shuffle(rows)
    for added in rows:
        sample.add(added)
    drawn = list(sample.rows())
    sample.close()
    assert (sum(each.has_calls for each in drawn), sum(not each.has_calls for each in drawn)) == expected
    assert drawn == [each for each in rows if each in set(drawn)]


def test_each_row_is_as_likely_as_any_other() -> None:
    rows = [Drawn(str(n).encode(), 0, True) for n in range(20)]
    counts: Counter[Drawn] = Counter()
    for seed in range(2000):
        sample = Reservoir(5, seed)
        for added in rows:
            sample.add(added)
        drawn = list(sample.rows())
        assert len(set(drawn)) == 5
        assert drawn == sorted(drawn, key=rows.index)
        counts.update(drawn)
    assert all(400 < counts[each] < 600 for each in rows)  # 500 expected, with a standard deviation below 20


@exhaustive
def test_a_full_disk_is_an_error_that_names_the_folder(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(lines(*(row("x" * 1000, n=n) for n in range(3000))))
    program = f"{sys.executable} -m toolconv"
    command = f"ulimit -f 1000; exec {program} select {tmp_path / 'rows.jsonl'} --balance no-call=0.5"
    done = subprocess.run(["bash", "-c", command], capture_output=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.endswith(f"Error: a temporary file in {tempfile.gettempdir()}: File too large\n".encode())


def test_samples_depend_on_the_seed_alone() -> None:
    rows = lines(*(row("Hi.", n=n) for n in range(100)))
    samples = [toolconv("select", "--sample", 10, "--seed", seed, stdin=rows).rows for seed in (1, 1, 2)]
    assert samples[0] == samples[1] != samples[2]
    assert len(samples[0]) == 10
    assert toolconv("select", "--sample", 200, stdin=rows).out == rows


@exhaustive
def test_parts_keep_rows_of_a_prompt_together(tmp_path: Path) -> None:
    prompts = [f"What is the weather in city {'abcdefghij'[n % 10]} number {n}?" for n in range(50)]
    rows = [row(turn, prompt=prompt, n=n) for n, prompt in enumerate(prompts) for turn in ("Sunny.", ["ping"], "Rain.")]
    rows += [row(f"Answer {'x' * n}", prompt="Hi", n=n) for n in range(1000)]
    shares = ["--split", "train=0.8,dev=0.1,eval=0.1"]
    run = toolconv("select", *shares, "-o", "parts", stdin=lines(*rows), cwd=tmp_path)
    assert run.status == 0
    parts = {
        path.stem: [json.loads(line) for line in path.read_text().splitlines()]
        for path in (tmp_path / "parts").iterdir()
    }
    assert sum(map(len, parts.values())) == len(rows)
    assert 0.75 < len([each for each in parts["train"] if each["messages"][0]["content"] == "Hi"]) / 1000 < 0.85
    homes: dict[str, set[str]] = {}
    for name, part in parts.items():
        for placed in part:
            prompt = placed["messages"][0]["content"]
            if prompt != "Hi":
                homes.setdefault(prompt.split(" number")[0], set()).add(name)
    assert {len(home) for home in homes.values()} == {1}
    lint = ["lint", "--isolated", "parts/train.jsonl", "--eval", "parts/eval.jsonl", "--select", "TC510"]
    found = toolconv(*lint, "--output-format", "jsonl", cwd=tmp_path).rows
    rows_of_train = (tmp_path / "parts" / "train.jsonl").read_text().splitlines()
    asked = {json.loads(rows_of_train[each["line"] - 1])["messages"][0]["content"] for each in found}
    assert asked == {"Hi"}, "only a greeting, of which there are too many for one part, is in both"

    # the same rows, in another order and with more of them, go to the same parts
    more = [*reversed(rows), *(row("New.", prompt=f"Another question about {'y' * n}") for n in range(20))]
    toolconv("select", *shares, "-o", "again", stdin=lines(*more), cwd=tmp_path)
    for name, part in parts.items():
        again = [json.loads(line) for line in (tmp_path / "again" / f"{name}.jsonl").read_text().splitlines()]
        assert all(each in again for each in part)


def test_every_fact_is_in_the_help() -> None:
    text = toolconv("select", "--help").out
    assert [name for name in FACTS if name not in text] == []


# ── groups, order, mixtures, lengths ──

MANY = [row([name], n=n, kind=kind) for n, (name, kind) in enumerate([("a", "x")] * 6 + [("b", "y")] * 3)]
MANY += [row(["a", "b"], n=9, kind="x"), row("No.", n=10, kind=None)]


def called(rows: list[dict[str, Any]]) -> Counter[str]:
    """How many rows call each tool."""
    return Counter(
        name
        for each in rows
        for name in {c["function"]["name"] for m in each["messages"] for c in m.get("tool_calls", ())} or {"null"}
    )


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--cap 2", {"a": 2, "b": 2, "null": 1}),
        ("--cap 100", {"a": 7, "b": 4, "null": 1}),
        ("--cap a=1", {"a": 1, "b": 3, "null": 1}),
        ("--cap a=1,null=0", {"a": 1, "b": 3}),
        ("--cap 3,a=1", {"a": 1, "b": 3, "null": 1}),
        ("--quota null=1", {"null": 1}),
        ("--quota 2 --cap 2", {"a": 2, "b": 2, "null": 1}),
        ("--quota 7", {"a": 7, "b": 4, "null": 1}),
        ("--quota null=1,b=4 --cap a=0", {"b": 3, "null": 1}),
    ],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_quotas_and_caps(options: str, expected: dict[str, int], seed: int) -> None:
    exact = {
        "--cap 3,a=1",
        "--cap a=1",
        "--cap a=1,null=0",
    }  # whether the row of both tools is drawn is left to the seed
    run = toolconv("select", *options.split(), "--seed", seed, stdin=lines(*MANY))
    found = called(run.rows)
    if options in exact:
        assert found["a"] <= expected["a"] and found["null"] == expected.get("null", 0) and found["b"] >= 3
    else:
        assert found == expected
    numbers = [each["n"] for each in run.rows]
    assert numbers == sorted(numbers)
    assert run.out == toolconv("select", *options.split(), "--seed", seed, stdin=lines(*MANY)).out


def test_groups_are_those_of_a_key_and_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines(*MANY))
    options = ["--by", "kind", "--quota", "x=2,y=4", "--receipt", "r.json"]
    run = toolconv("select", "a.jsonl", *options, cwd=tmp_path)
    assert Counter(each["kind"] for each in run.rows) == {"x": 2, "y": 3}
    assert "fewer rows than the quota: y 3 of 4\n" in run.err
    assert run.err.endswith("11 rows in, 5 out; 6 left out (not needed for a quota: 6)\n")
    account = json.loads((tmp_path / "r.json").read_text())["selection"]
    assert account["groups"] == {
        "null": {"rows": 1, "taken": 0}, "x": {"rows": 7, "taken": 2}, "y": {"rows": 3, "taken": 3},
    }  # fmt: skip


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=3), max_size=30), st.integers(0, 5), st.integers(1, 5))
def test_limits_of_groups_hold(rows: list[list[str]], quota: int, cap: int) -> None:
    """Law: no group is over its cap; no quota is missed by a row that was left out although no cap is in its way."""
    limits = GroupLimits(Limits(quota), Limits(cap))
    left = [groups for groups in map(groups_of, rows) if not limits.takes(groups)]
    assert all(count <= cap for count in limits.taken.values())
    assert len(left) == limits.over + limits.unneeded
    for groups in left:
        assert any(limits.taken[each] >= cap for each in groups) or all(limits.taken[each] >= quota for each in groups)


SORTED = {
    "score": ["one", "two", "three", "text", "none", "null"],
    "-score": ["text", "three", "two", "one", "none", "null"],
    "calls": ["one", "three", "none", "null", "two", "text"],
    "-tags": ["three", "one", "two", "text", "none", "null"],
}


@pytest.mark.parametrize("name", SORTED)
def test_rows_are_sorted(name: str) -> None:
    rows = [
        row("Hi.", name="one", score=-1, tags=["a"]),
        row(["a"], name="two", score=2, tags=[]),
        row("Hi.", name="three", score=3.5, tags=["a", "b"]),
        row(["a"], name="text", score="1", tags=[]),
        row("Hi.", name="none"),
        row("Hi.", name="null", score=None),
    ]
    run = toolconv("select", "--sort", name, stdin=lines(*rows))
    assert [each["name"] for each in run.rows] == SORTED[name]


def test_the_first_key_counts_first_and_equal_rows_stay_in_order() -> None:
    rows = [row("Hi.", a=n % 2, b=n % 3, n=n) for n in range(12)]
    run = toolconv("select", "--sort", "-a", "--sort", "b", stdin=lines(*rows))
    assert [each["n"] for each in run.rows] == [3, 9, 1, 7, 5, 11, 0, 6, 4, 10, 2, 8]


def test_the_first_rows_of_an_order_are_taken() -> None:
    run = toolconv("select", "--sort", "-n", "--limit", "2", stdin=lines(*MANY))
    assert [each["n"] for each in run.rows] == [10, 9]
    run = toolconv("select", "--sort", "-n", "--by", "kind", "--cap", "1", stdin=lines(*MANY))
    assert [each["n"] for each in run.rows] == [10, 9, 8]
    assert run.err.endswith("11 rows in, 3 out; 8 left out (over the cap: 8)\n")


@pytest.mark.parametrize(
    ("sizes", "options", "expected"),
    [
        ((70, 20, 30), ["--mix", "7,2,1"], (70, 20, 10)),
        ((30, 30), ["--mix", "0.5,0.25"], (30, 15)),
        ((30, 10), ["--mix", "3,1", "--sample", "20"], (15, 5)),
        ((30, 10), ["--mix", "1,1", "--sample", "100"], (10, 10)),
        ((5, 5, 5), ["--mix", "1,1,1", "--sample", "10"], (4, 3, 3)),
        ((0, 9), ["--mix", "1,1"], (0, 0)),
        ((1, 100), ["--mix", "1,99", "--where", "n < 50"], (1, 49)),
    ],
)
def test_inputs_are_mixed_in_proportion(
    sizes: tuple[int, ...], options: list[str], expected: tuple[int, ...], tmp_path: Path
) -> None:
    for source, size in enumerate(sizes):
        (tmp_path / f"{source}.jsonl").write_text(lines(*(row("Hi.", file=source, n=n) for n in range(size))))
    files = [f"{source}.jsonl" for source in range(len(sizes))]
    runs = [toolconv("select", *files, *options, "--seed", seed, cwd=tmp_path) for seed in (1, 1, 2)]
    assert tuple(Counter(each["file"] for each in runs[0].rows)[source] for source in range(len(sizes))) == expected
    assert runs[0].out == runs[1].out
    for source in range(len(sizes)):
        numbers = [each["n"] for each in runs[0].rows if each["file"] == source]
        assert numbers == sorted(set(numbers))
    if min(expected) > 10:
        assert runs[0].out != runs[2].out
        assert sum(a["file"] != b["file"] for a, b in pairwise(runs[0].rows)) > 3


def test_each_mixture_is_as_likely_as_any_other() -> None:
    counts: Counter[str] = Counter()
    for seed in range(600):
        held = HeldRows()
        for text in ("a", "b", "c", "D"):
            held.add(Drawn(text.encode(), 0, True, source=text.isupper()))
        counts["".join(each.text.decode() for each in held.rows(held.mixed([1, 1], None, seed)))] += 1
        held.close()
    assert set(counts) == {f"{x}D" for x in "abc"} | {f"D{x}" for x in "abc"}
    assert all(60 < count < 140 for count in counts.values())  # 100 expected, with a standard deviation of 9


def test_lengths_are_facts(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    model = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    model.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    model.save(str(tmp_path / "tokenizer.json"))
    rows = [row("word " * n, n=n) for n in range(5)]
    (tmp_path / "a.jsonl").write_text(lines(*rows))
    options = ["--tokenizer", "tokenizer.json", "--sort", "-tokens"]
    limit = len(json.dumps(rows[3]).split())
    run = toolconv("select", "a.jsonl", *options, "--where", f"tokens <= {limit}", cwd=tmp_path)
    assert [each["n"] for each in run.rows] == [3, 2, 1, 0]
    for name in ("characters", "chars"):
        run = toolconv("select", "a.jsonl", "--where", f"{name} = {len(json.dumps(rows[2]))}", cwd=tmp_path)
        assert [each["n"] for each in run.rows] == [2]
