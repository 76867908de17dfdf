"""The steps of a selection, without its command line: which rows stay, what the account and the notices say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import each
from tests.select.test_select import ROWS, call, lines, row
from toolconv.convert.options import Options
from toolconv.lint.engine.linter import Linter
from toolconv.select.expression import MISSING, ExpressionError, parse, parse_name
from toolconv.select.facts import FACTS, SeenRow, text_for_lint
from toolconv.select.groups import GroupLimits, Limits, groups_of
from toolconv.select.run import SelectRun
from toolconv.select.sampling import balanced, shares_of


def selected(
    files: Mapping[str, list[Any]], folder: Path, where: str = "", sort: str = "", by: str = "", **options: Any
) -> tuple[SelectRun, dict[int, list[Any]]]:
    """A run over files of rows, and the rows of each part."""
    names = []
    for name, rows in files.items():
        (folder / name).write_text(lines(*rows))
        names.append(str(folder / name))
    if where:
        options["conditions"] = [parse(each, FACTS) for each in where.split(" / ")]
    if sort:
        options["sort"] = [(parse_name(each.strip("-"), FACTS, "--sort"), each[0] == "-") for each in sort.split()]
    if by:
        options["by"] = parse_name(by, FACTS, "--by")
    run = SelectRun(options=Options(), **options)
    parts: dict[int, list[Any]] = {}
    run.run(names, lambda part, text: parts.setdefault(part, []).append(json.loads(text)))
    return run, parts


HELD = GroupLimits(None, Limits(1))

STEPS: list[tuple[dict[str, Any], str, dict[str, int]]] = [
    ({}, "none one two seq text", {}),
    ({"where": "reward >= 1"}, "one two", {"reward >= 1": 3}),
    ({"where": "calls = 2 / reward"}, "two", {"calls = 2": 3, "reward": 1}),
    ({"where": "calls", "limit": 2}, "one two", {"calls": 1}),
    ({"where": "calls", "limit": 0}, "", {"calls": 0}),
    ({"dedupe": "exact"}, "none one two seq text", {"duplicates": 0}),
    ({"sort": "-line"}, "text seq two one none", {}),
    ({"sort": "calls -line"}, "none text one seq two", {}),
    ({"sort": "meta -line"}, "one text seq two none", {}),
    ({"sort": "line", "by": "flag", "limits": GroupLimits(None, Limits(1))}, "none two seq", {"over the cap": 2, "not needed for a quota": 0}),
    ({"sort": "line", "by": "flag", "limits": GroupLimits(Limits(None, {"true": 1, "null": 2}), None)}, "none one two", {"over the cap": 0, "not needed for a quota": 2}),
    ({"sort": "line", "by": "calls", "limits": GroupLimits(Limits(1), Limits(2))}, "none one two", {"over the cap": 0, "not needed for a quota": 2}),
    ({"no_call": 0.5}, None, {"to balance": 3}),  # as many rows with calls as without: one of each
    ({"no_call": 0.2}, "none one two seq text", {"to balance": 0}),
    ({"sample": 9}, "none one two seq text", {"not in the sample": 0}),
    ({"sample": 2}, None, {"not in the sample": 3}),
    ({"weights": [1.0]}, "none one two seq text", {"to mix": 0}),
    ({"weights": [1.0], "sample": 3}, None, {"to mix": 2}),
]  # fmt: skip


@each("options, chosen, left_out", STEPS)
def test_which_rows_a_step_leaves(
    options: dict[str, Any], chosen: str | None, left_out: dict[str, int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    run, parts = selected({"a.jsonl": list(ROWS.values())}, tmp_path_factory.mktemp("steps"), **options)
    written = [name for name, value in ROWS.items() for found in parts.get(0, []) if found == value]
    if chosen is not None:
        assert parts.get(0, []) == [ROWS[name] for name in chosen.split()]
    assert run.left_out == left_out
    assert len(written) == run.rows_out == len(ROWS) - sum(left_out.values()) or "limit" in options
    assert run.written == [len(written)]


def test_the_account_of_a_selection(tmp_path: Path) -> None:
    files = {"a.jsonl": [ROWS["none"], "{", ROWS["one"]], "b.jsonl": [ROWS["one"], "[]"]}
    digests: dict[str, str] = {}
    run, parts = selected(files, tmp_path, dedupe="exact", by="calls", limits=GroupLimits(None, Limits(3)), digests=digests)  # fmt: skip
    account = run.account({"x.jsonl": 2})
    places = account["rejects"]
    assert isinstance(places, dict)
    assert [(Path(place["file"]).name, place["line"]) for place in places["places"]] == [("a.jsonl", 2), ("b.jsonl", 2)]
    assert all(place["reason"] for place in places["places"])
    assert account == {
        "rows_in": 5,
        "rows_out": 2,
        "rejects": {"count": 2, "places": places["places"]},
        "left_out": {"duplicates": 1, "over the cap": 0, "not needed for a quota": 0},
        "losses": {},
        "outputs": {"x.jsonl": 2},
        "groups": {"null": {"rows": 1, "taken": 1}, "ping": {"rows": 1, "taken": 1}},
    }
    assert parts == {0: [ROWS["none"], ROWS["one"]]}
    assert [Path(name).name for name in digests] == ["a.jsonl", "b.jsonl"]
    plain, _ = selected({"a.jsonl": [ROWS["one"]]}, tmp_path)
    assert plain.account({}) == {
        "rows_in": 1, "rows_out": 1, "rejects": {"count": 0, "places": []}, "left_out": {}, "losses": {}, "outputs": {},
    }  # fmt: skip


def test_the_file_in_which_the_limit_ends_has_a_digest(tmp_path: Path) -> None:
    digests: dict[str, str] = {}
    selected({"a.jsonl": [ROWS["one"]], "b.jsonl": [ROWS["two"]]}, tmp_path, limit=1, digests=digests)
    assert [Path(name).name for name in digests] == ["a.jsonl"]


def test_duplicates_are_rows_of_the_same_bytes_or_the_same_words(tmp_path: Path) -> None:
    rows = [row("Hi 1.", n=1), row("HI  2", n=2), row("Hi 1.", n=1), f" {json.dumps(row('Hi 1.', n=1))} "]
    rows += [row("No.")]
    run, parts = selected({"a.jsonl": rows}, tmp_path, dedupe="exact")
    assert [value.get("n") for value in parts[0]] == [1, 2, None]
    assert run.left_out == {"duplicates": 2}
    run, parts = selected({"a.jsonl": rows}, tmp_path, dedupe="near")
    assert [value.get("n") for value in parts[0]] == [1, None]
    assert run.left_out == {"near-duplicates": 3}


NOTICES: list[tuple[str, list[str]]] = [
    ("parralel > 1", ["parralel > 1: none of the 5 rows has the key 'parralel'; did you mean the fact 'parallel'?"]),
    ("score > 1", ["score > 1: none of the 5 rows has the key 'score'"]),
    ("calls > 9 and score", []),
    ("reward > 1", ["reward > 1: 'reward' is not a number in 1 row"]),
    ("reward = true", ["reward = true: 'reward' is not a boolean in 4 rows"]),
    ("flag = x", ["flag = x: 'flag' is not text in 2 rows"]),
    ("calls = 1", []),
    ("parallel = x", ["parallel = x: 'parallel' is not text in 5 rows"]),
]


@each("where, notices", NOTICES)
def test_what_is_odd_is_noticed(where: str, notices: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    run, _ = selected({"a.jsonl": list(ROWS.values())}, tmp_path_factory.mktemp("odd"), where=where)
    assert run.notices() == notices


def test_keys_that_no_row_has_are_noticed_in_other_options_too(tmp_path: Path) -> None:
    rows = {"a.jsonl": list(ROWS.values())}
    missing = "none of the 5 rows has the key"
    run, _ = selected(rows, tmp_path, sort="-charcters reward messages")
    assert run.notices() == [f"--sort charcters: {missing} 'charcters'; did you mean the fact 'characters'?"]
    run, _ = selected(rows, tmp_path, by="kind", limits=GroupLimits(None, Limits(1, {})))
    assert run.notices() == [f"--by kind: {missing} 'kind'"]


def test_parts_and_quotas_without_enough_rows_are_noticed(tmp_path: Path) -> None:
    rows = {"a.jsonl": [ROWS["one"]]}
    run, parts = selected(rows, tmp_path, shares=[1 - 1e-9, 1e-9])
    assert (run.written, list(parts)) == ([1, 0], [0])
    assert run.notices() == ["a part is empty: shares are approximate if there are few rows; another --seed may do"]
    assert selected(rows, tmp_path, shares=[1e-9, 1 - 1e-9])[1] == {1: [ROWS["one"]]}
    assert selected(rows, tmp_path, shares=[0.5, 0.5], where="calls = 0")[0].notices() == []
    for more, ending in ((10, ""), (12, ", and 2 more")):
        quota = Limits(None, {"ping": 1, **{f"t{n}": 1000 for n in range(more)}})
        run, _ = selected(rows, tmp_path, by="calls", limits=GroupLimits(quota, None))
        shown = ", ".join(f"t{n} 0 of 1,000" for n in range(10))
        assert run.notices() == [f"fewer rows than the quota: {shown}{ending}"]


def test_parts_hold_rows_of_a_prompt_together_and_follow_the_seed(tmp_path: Path) -> None:
    rows = [
        row(turn, prompt=f"What is the weather in the city of {'abcdefghij'[n % 10] * (n // 10 + 1)}?", n=n)
        for n in range(100)
        for turn in ("Yes.", ["ping"])
    ]
    rows += [{"messages": [{"role": "assistant", "content": f"Hi {'x' * n}."}], "n": n + 100} for n in range(100)]
    _, parts = selected({"a.jsonl": rows}, tmp_path, shares=[0.7, 0.2, 0.1])
    homes: dict[int, set[int]] = {}
    for part, found in parts.items():
        for value in found:
            homes.setdefault(value["n"], set()).add(part)
    assert all(len(home) == 1 for home in homes.values())
    for start in (0, 100):  # rows without a prompt are spread by their words
        counts = [sum(homes[n] == {part} for n in range(start, start + 100)) for part in range(3)]
        assert 50 < counts[0] < 90 and 5 < counts[1] < 40 and counts[2] < 30, counts
    assert selected({"a.jsonl": rows}, tmp_path, shares=[0.7, 0.2, 0.1], seed=1)[1] != parts


# ── facts ──


def test_each_fact_of_a_row(tmp_path: Path) -> None:
    functions = [{"name": "ping", "parameters": {}}, {"name": "search", "parameters": {}}]
    value = {
        "tools": [{"type": "function", "function": functions[0]}, {"type": "function", "function": functions[1]}],
        "messages": [
            {"role": "user", "content": "Hello."},
            {"role": "assistant", "content": None, "reasoning_content": "Two.", "tool_calls": [call("ping"), call("nope")]},
            {"role": "tool", "tool_call_id": "id_ping", "name": "ping", "content": "1"},
            {"role": "tool", "tool_call_id": "id_nope", "name": "nope", "content": "2"},
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": "Done. é"},
        ],
    }  # fmt: skip
    (tmp_path / "a.jsonl").write_text(lines("", value))
    rows = SelectRun(options=Options(), linter=Linter(), count_tokens=lambda text: text.count(" ")).meeting(
        [str(tmp_path / "a.jsonl")]
    )
    (seen,) = rows
    found = {name: look(seen) for name, look in FACTS.items()}
    text = json.dumps(value)
    assert "TC101" in found["errors"], "a call of a tool that is not declared"
    assert set(found["errors"]) <= set(found["findings"])
    assert {name: fact for name, fact in found.items() if name not in ("findings", "errors")} == {
        "calls": ["ping", "nope"],
        "parallel": 2,
        "tools": ["ping", "search"],
        "messages": ["user", "assistant", "tool", "tool", "user", "assistant"],
        "user_turns": 2,
        "assistant_turns": 2,
        "reasoning": 1,
        "characters": len(text),
        "chars": len(text),
        "tokens": text.count(" "),
        "repairs": [],
        "drops": [],
        "dialects": [],
        "layout": "openai",
        "file": str(tmp_path / "a.jsonl"),
        "line": 2,
    }
    bare = SeenRow(seen.reading, seen.conversation)
    assert FACTS["tokens"](bare) is MISSING
    assert FACTS["findings"](bare) == FACTS["errors"](bare) == []


@each(
    "name, value",
    [("list.0", "a"), ("list.1", None), ("list.2", MISSING), ("list.x", MISSING), ("list.0.b", MISSING), ("in.x.y", 1)],
)
def test_the_value_of_a_key(name: str, value: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("keys") / "a.jsonl"
    path.write_text(lines(row("Hi.", list=["a", None], **{"in": {"x": {"y": 1}}})))
    (seen,) = SelectRun(options=Options()).meeting([str(path)])
    found = seen.look(parse_name(name, FACTS, "--by"))
    assert found is value if value is MISSING else found == value


def test_the_text_of_a_row_for_the_linter() -> None:
    assert text_for_lint(b'{"a": 1}', raw=False) == b'{"a": 1}'
    assert json.loads(text_for_lint(b"<tool_call>\xff", raw=True)) == {"text": "<tool_call>\ufffd"}


# ── conditions ──


@each(
    "condition, message, at",
    [
        ("reward >=", "expected a value after '>='", 9),
        ("reward > = 1", "expected a value after '>'", 9),
        ("reward >= 1 calls", "expected 'and', 'or' or the end, not 'calls'", 12),
        ("a && b", "expected 'and', 'or' or the end, not '&&'", 2),
        ("(a = 1", "a parenthesis that is never closed", 0),
        ("b and (a = 1 ", "a parenthesis that is never closed", 6),
        ("a = 1)", "expected 'and', 'or' or the end, not ')'", 5),
        ("a = 'x", "a quote that is never closed", 4),
        ('a =   "x', "a quote that is never closed", 6),
        ("a = 1 and", "expected a name, not the end", 9),
        ("or a", "expected a name, not 'or'", 0),
        ("and", "expected a name, not 'and'", 0),
        ("", "expected a name, not the end", 0),
        ("= 1", "expected a name, not '='", 0),
        ("a..b = 1", "a key without a name in 'a..b'", 0),
        (r'a = "\x"', "not a JSON string", 4),
        ("a ! b", "not an operator", 2),
        ("a\t\n! b", "not an operator", 3),
        ("a > 1e400", "1e400 is too large for a JSON number", 4),
        ("not " * 500 + "a", "nested too deeply", 404),
        ("(" * 500 + "a", "nested too deeply", 101),
    ],
)
def test_where_a_condition_cant_be_read(condition: str, message: str, at: int) -> None:
    with pytest.raises(ExpressionError) as raised:
        parse(condition, FACTS)
    shown = condition.replace("\t", " ").replace("\n", " ")
    assert str(raised.value) == f"--where: {message}\n  {shown}\n  {' ' * at}^"


def test_a_hundred_levels_are_read() -> None:
    assert parse("not " * 100 + "a", ()).holds(lambda name: 1)
    assert parse("(" * 100 + "a" + ")" * 100, ()).holds(lambda name: 1)
    with pytest.raises(ExpressionError):
        parse("not " * 101 + "a", ())


def test_the_name_that_an_option_takes() -> None:
    assert parse_name("'a b'", FACTS, "--sort").path == ("a b",)
    assert parse_name("calls", FACTS, "--sort").fact == "calls"
    with pytest.raises(ExpressionError, match=r"^--sort: expected one name\n  a b\n    \^$"):
        parse_name("a b", FACTS, "--sort")


@each(
    "condition, value, holds",
    [
        ("a = 'and'", "and", True),
        ("a = and", "and", True),  # after an operator there is a value
        ("a = '('", "(", True),
        ("a ~ 1", "x1", True),
        ("a ~ 1", 1, False),
        ("a ~ true", "is true", True),
        ("a ~ 'b c'", "a b c d", True),
        ("a ~ b", ["abc"], True),
        ("a ~ b", ["ac", 1], False),
        ("a = 1", True, False),
        ("a = true", 1, False),
        ("a = 2", (1, 2), True),  # a list counts as its length when it is compared with a number
        ("a = 007", "007", True),
        ("a = 1.5", 1.5, True),
        ("a < b", "a", True),
        ("a < b", "b", False),
        ("a <= b", "b", True),
        ("a != null", MISSING, False),
        ("a > null", None, False),
        ("a == null", MISSING, True),
    ],
)
def test_a_comparison(condition: str, value: Any, holds: bool) -> None:
    assert parse(condition, ()).holds(lambda name: value) is holds


# ── groups and shares ──


@each(
    "value, groups",
    [
        ("a", ("a",)),
        (None, ("null",)),
        ([], ("null",)),
        (["b", "a", "b"], ("b", "a")),
        (("a", None), ("a", "null")),
        (True, ("true",)),
        (2, ("2",)),
        ({"a": 1}, ('{"a":1}',)),
    ],
)
def test_the_groups_of_a_value(value: Any, groups: tuple[str, ...]) -> None:
    assert groups_of(value) == groups


def test_quotas_that_were_not_reached() -> None:
    limits = GroupLimits(Limits(2, {"b": 1, "z": 5}), None)
    assert [limits.takes(groups) for groups in (["a"], ["b"], ["b"], ["c", "a"], ["c"], ["c"])] == [
        True, True, False, True, True, False,
    ]  # fmt: skip
    assert limits.short() == ["z 0 of 5"]
    assert (limits.over, limits.unneeded) == (0, 2)
    assert GroupLimits(Limits(2), None).short() == []
    assert GroupLimits(None, Limits(1)).short() == []
    short = GroupLimits(Limits(2000), None)
    short.takes(["b"])
    short.takes(["a"])
    assert short.short() == ["a 1 of 2,000", "b 1 of 2,000"]


@each(
    "counts, weights, size, taken",
    [
        ([70, 20, 30], [7, 2, 1], None, [70, 20, 10]),
        ([30, 10], [3, 1], 20, [15, 5]),
        ([5, 5, 5], [1, 1, 1], 10, [4, 3, 3]),
        ([5, 5], [1, 1], 3, [2, 1]),
        ([3, 3, 9], [1, 1, 2], 7, [2, 2, 3]),  # shares of 1.75, 1.75 and 3.5: the largest remainders round up
        ([0, 9], [1, 1], None, [0, 0]),
        ([10, 10], [0.1, 0.2], None, [5, 10]),
    ],
)
def test_how_many_rows_of_each_source(
    counts: list[int], weights: list[float], size: int | None, taken: list[int]
) -> None:
    assert shares_of(counts, weights, size) == taken


def test_a_balance_rounds_to_the_nearest_number_of_rows() -> None:
    assert balanced(10, 1, 0.3, None) == (2, 1)
    assert balanced(10, 10, 0.25, 7) == (5, 2)
