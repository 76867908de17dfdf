"""``toolconv stats``: what a dataset holds, as a table, as JSON and as a page. The numbers are counted by hand."""

from __future__ import annotations

import json
import math
import random
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.conftest import FIXTURES, each, exhaustive, toolconv
from tests.helpers.pipes import interrupted
from toolconv.inspect.stats.counts import MAX_SHAPES, ArgumentCounts, ParameterNames, ToolCounts
from toolconv.inspect.stats.lengths import Distribution
from toolconv.inspect.stats.table import Table


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


def tool(name: str, *parameters: str, required: tuple[str, ...] = ()) -> dict[str, Any]:
    schema = {"type": "object", "properties": {key: {} for key in parameters}, "required": list(required)}
    return {"type": "function", "function": {"name": name, "parameters": schema}}


def turn(role: str, *calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "content": "", "tool_calls": list(calls)} if calls else {"role": role, "content": "text"}


WEATHER = tool("weather", "city", "days", required=("city",))
TWO_CALLS = turn("assistant", call("weather", city="Oslo", days=3), call("weather", city="Bergen"))
ROWS = [
    {
        "messages": [turn("user"), TWO_CALLS, turn("tool"), turn("tool"), turn("assistant")],
        "tools": [WEATHER, tool("ping"), tool("idle")],
    },
    {"messages": [turn("user"), turn("assistant", call("weather", days=1, unit="C"))], "tools": [WEATHER]},
    {"messages": [turn("user"), turn("assistant", call("ping"))]},
]


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


# ── JSON ──


def test_rows_are_numbered_and_counted_however_many_are_read_at_once() -> None:
    many = lines(*ROWS * 30)  # 90 lines, then a blank one
    [counts] = toolconv("stats", "--json", "-q", stdin=f"{many}\noops\n{many}").rows
    assert counts["rows_in"] == 181
    assert [place["line"] for place in counts["rejects"]["places"]] == [92]
    assert counts["n_tool_calls"] == 4 * 60


def test_json_holds_all_counts() -> None:
    run = toolconv("stats", "--json", "-q", stdin=lines(*ROWS) + "oops\n")
    [counts] = run.rows
    assert counts.pop("toolconv")
    assert counts == {
        "files": ["<stdin>"],
        "rows_in": 4,
        "rows_with_calls": 3,
        "rejects": {
            "count": 1,
            "places": [{"file": "<stdin>", "line": 4, "reason": "not JSON (expecting value at byte 0)"}],
        },
        "layouts": {"canonical": 3},
        "lengths": {
            "characters": counts["lengths"]["characters"],  # those of this file's rows: see below
            "turns": {"min": 2, "p50": 2, "p90": 5, "p99": 5, "max": 5},
            "calls": {"min": 1, "p50": 1, "p90": 2, "p99": 2, "max": 2},
            "tools_declared": {"min": 0, "p50": 1, "p90": 3, "p99": 3, "max": 3},
            "tools_called": {"min": 1, "p50": 1, "p90": 1, "p99": 1, "max": 1},
        },
        "by_file": {
            "<stdin>": {
                "rows_in": 4,
                "rejects": 1,
                "rows_with_calls": 3,
                "n_tool_calls": 4,
                "characters": counts["lengths"]["characters"],
            }
        },
        "turns": {"assistant": 4, "user": 3, "tool": 2},
        "assistant_turns": {"no_call": 1, "one_call": 2, "several_calls": 1},
        "behaviours": {"call": 3, "ask": 0, "decline": 0, "answer": 0, "after_response": 1, "without_tools": 0},
        "requests": {"call": 3},
        "no_call_ratio": 0.25,
        "parallel_ratio": 0.25,
        "n_tool_calls": 4,
        "structured_calls": 4,
        "calls_in_text": {},
        "dropped_calls": {"count": 0, "places": []},
        "repairs": {},
        "losses": {},
        "tools": [
            {
                "name": "weather",
                "calls": 3,
                "rows_declaring": 2,
                "undeclared_calls": 0,
                "arguments": [
                    argument("city", 2, 0.666667, declared=3, required=3, missing=1),
                    argument("days", 2, 0.666667, declared=3),
                    argument("unit", 1, 0.333333, undeclared=1),
                ],
            },
            {"name": "ping", "calls": 1, "rows_declaring": 1, "undeclared_calls": 1, "arguments": []},
        ],
        "never_called": {"idle": 1},
    }
    assert run.err == ""
    assert run.status == 1


def argument(
    name: str,
    given: int,
    coverage: float,
    *,
    declared: int = 0,
    required: int = 0,
    missing: int = 0,
    undeclared: int = 0,
) -> dict[str, Any]:
    return {
        "name": name, "given": given, "coverage": coverage, "declared": declared, "required": required,
        "missing": missing, "undeclared": undeclared,
    }  # fmt: skip


def test_calls_are_read_out_of_texts_as_parse_reads_them() -> None:
    run = toolconv("stats", "--json", "--from", "hermes", FIXTURES / "teacher.jsonl", FIXTURES / "cut.jsonl")
    [counts] = run.rows
    assert counts["calls_in_text"] == {"hermes": 5}
    assert counts["structured_calls"] == 0
    assert counts["repairs"] == {"missing_close_tag": 1, "single_quotes": 1, "trailing_comma": 1}
    assert counts["dropped_calls"]["count"] == counts["rejects"]["count"] == 1
    assert [(tool["name"], tool["calls"]) for tool in counts["tools"]] == [("get_weather", 5)]
    assert {each["name"]: each["given"] for each in counts["tools"][0]["arguments"]} == {"city": 5, "days": 2}
    assert run.status == 1


@pytest.mark.parametrize("option", ["--no-progress", "--json", "--card"])
def test_a_call_that_is_dropped_is_no_call(option: str) -> None:
    """Like the receipt: its tool was not called, and shares of no calls at all are not worked out."""
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": '}}
    row = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "", "tool_calls": [call]}]}
    run = toolconv("stats", option, stdin=lines(row))
    assert run.status == 1 and "internal error" not in run.err
    if option == "--json":
        (counts,) = run.rows
        assert (counts["rows_with_calls"], counts["n_tool_calls"], counts["tools"]) == (0, 0, [])


def test_each_text_counts_for_the_dialect_it_is_in() -> None:
    texts = [
        '<tool_call>{"name":"f","arguments":{}}</tool_call>',
        '<tool_call>{"name":"f","arguments":{}}</tool_call>',
        '[TOOL_CALLS]f[ARGS]{"a": 1}[TOOL_CALLS]f[ARGS]{"a": 1}',
    ]
    [counts] = toolconv("stats", "--json", stdin=lines(*({"text": text} for text in texts))).rows
    assert counts["calls_in_text"] == {"hermes": 2, "mistral": 2}
    assert counts["layouts"] == {"completion": 3}


def test_the_text_is_where_text_key_says() -> None:
    row = {"out": {"said": '<tool_call>{"name":"f","arguments":{}}</tool_call>'}}
    [counts] = toolconv("stats", "--json", "--text-key", "out.said", stdin=lines(row)).rows
    assert counts["n_tool_calls"] == 1


def test_a_tool_that_declares_no_list_of_parameters_has_none_undeclared() -> None:
    function = {"name": "f", "parameters": {"type": "object", "additionalProperties": True}}
    row = {"messages": [turn("assistant", call("f", a=1))], "tools": [{"type": "function", "function": function}]}
    [counts] = toolconv("stats", "--json", stdin=lines(row)).rows
    assert counts["tools"][0]["arguments"] == [argument("a", 1, 1.0)]


@exhaustive
def test_the_counts_are_the_same_for_any_number_of_processes(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"  # of several blocks, and of more combinations of arguments than a tool remembers
    with rows.open("w") as file:
        for number in range(3000):
            given = {f"a{bit}": bit for bit in range(12) if number >> bit & 1}
            call = {"type": "function", "function": {"name": f"f{number % 3}", "arguments": json.dumps(given)}}
            turns = [{"role": "user", "content": "x" * 500}, {"role": "assistant", "tool_calls": [{"id": "c", **call}]}]
            properties = {f"a{bit}": {"type": "integer"} for bit in range(number % 5, 12)}
            function = {"name": "f1", "parameters": {"type": "object", "properties": properties, "required": ["a3"]}}
            row = {"messages": turns, "tools": [{"type": "function", "function": function}]}
            file.write(json.dumps(row) + "\n")
    one, several = (toolconv("stats", "--json", "--jobs", jobs, rows, FIXTURES / "teacher.jsonl") for jobs in (1, 3))
    assert one.out == several.out
    assert json.loads(one.out)["n_tool_calls"] > 3000


def test_raw_text_is_one_row() -> None:
    [counts] = toolconv("stats", "--json", stdin='<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>').rows
    assert (counts["rows_in"], counts["layouts"], counts["calls_in_text"]) == (1, {"raw": 1}, {"hermes": 1})


def test_json_of_odd_names_is_json() -> None:
    row = (
        '{"messages":[{"role":"assistant","content":"","tool_calls":[{"function":{"name":"\\ud800","arguments":{}}}]}]}'
    )
    [counts] = toolconv("stats", "--json", stdin=row + "\n").rows
    assert counts["tools"][0]["name"] == "\ud800"


# ── the table ──

TABLE = """\
rows            3 (3 with calls)
layouts         canonical 3
calls           4 (structured 4)
tools           2 called, 1 only declared
repairs         0
dropped calls   0
rejected rows   0

a row has         min  median  90%  99%  max
  characters      174     361  808  808  808
  turns             2       2    5    5    5
  calls             1       1    2    2    2
  tools declared    0       1    3    3    3
  tools called      1       1    1    1    1

assistant turns: 4
  no call        ███████▌                        1   25.0%
  one call       ███████████████                 2   50.0%
  several calls  ███████▌                        1   25.0%

what they do: 4
  call            █████████████████████▊         3   75.0%
  after response  ███████▎                       1   25.0%

turns by role: 9
  assistant  ███████████████▏                    4   44.4%
  user       ███████████▍                        3   33.3%
  tool       ███████▌                            2   22.2%

calls per tool: 4
  weather  ████████████████████████████████████  3   75.0%
  ping     ████████████                          1   25.0%

arguments, and how many calls give them

weather (3 calls)
  city  ███████████▍       2   66.7%  required, missing in 1
  days  ███████████▍       2   66.7%
  unit  █████▋             1   33.3%  undeclared
"""


def test_the_table() -> None:
    run = toolconv("stats", stdin=lines(*ROWS), COLUMNS="60")
    assert run.out == TABLE
    assert run.status == 0


def test_the_table_is_plain_where_the_terminal_is() -> None:
    run = toolconv("stats", stdin=lines(*ROWS), COLUMNS="60", PYTHONIOENCODING="ascii")
    assert run.out.isascii()
    assert "  weather  ####################################  3   75.0%\n" in run.out


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_the_table_fits_the_width(columns: int) -> None:
    names = ["n" * 300, "東" * 50, "f"]
    row = {"messages": [turn("assistant", *(call(name, **{name: 1}) for name in names))]}
    run = toolconv("stats", "-q", stdin=lines(*[row] * 12), COLUMNS=str(columns))
    assert max(len(line) + line.count("東") for line in run.out.splitlines()) <= columns


def test_control_characters_of_names_are_spelled_out() -> None:
    run = toolconv("stats", stdin=lines({"messages": [turn("assistant", call("a\x1b[2J\u202e", **{"\x07": 1}))]}))
    assert "a\\x1b[2J\\u202e" in run.out
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", run.out)


def many_tools(count: int) -> str:
    return lines(*({"messages": [turn("assistant", call(f"tool_{number}", a=1))]} for number in range(count)))


def test_of_many_tools_the_first_are_shown_and_all_are_in_json(tmp_path: Path) -> None:
    run = toolconv("stats", "--html", "page.html", stdin=many_tools(500), cwd=tmp_path)
    assert "  … and 480 more tools with 480 calls\n" in run.out
    assert "and 470 more tools" in (tmp_path / "page.html").read_text()
    [counts] = toolconv("stats", "--json", stdin=many_tools(500)).rows
    assert len(counts["tools"]) == 500


def test_nothing_is_no_error() -> None:
    run = toolconv("stats")
    assert run.out.startswith("rows            0 (0 with calls)\n")
    assert run.status == 0


# ── the page ──


def page_of(folder: Path, stdin: str) -> tuple[str, ElementTree.Element]:
    """The page as text, and read as XML: every element is closed, every character escaped."""
    toolconv("stats", "-q", "--html", "page.html", stdin=stdin, cwd=folder)
    text = (folder / "page.html").read_text(encoding="utf-8")
    return text, ElementTree.fromstring(text)


def words(element: ElementTree.Element) -> str:
    return " ".join("".join(element.itertext()).split())


def first(page: ElementTree.Element, path: str) -> str:
    """The words of the first element of a path."""
    element = page.find(path)
    assert element is not None
    return words(element)


def test_the_page_shows_the_counts(tmp_path: Path) -> None:
    _, page = page_of(tmp_path, lines(*ROWS) + "oops\n")
    figures = [words(figure) for figure in page.iterfind(".//dl/div")]
    assert figures == [
        "Rows 4 3 with calls",
        "Calls 4 in 3 turns",
        "Tools called 2 1 only declared",
        "No-call share 25.0% of assistant turns",
        "Parallel share 25.0% of assistant turns",
        "Repairs 0",
        "Dropped calls 0",
        "Rejected rows 1",
    ]
    bars = [words(row) for row in page.iterfind(".//table[@class='bars']/tbody/tr")]
    assert bars == ["weather 3 75.0%", "ping 1 25.0%"]
    widths = [rect.get("width") for rect in page.iterfind(".//rect[@class='fill']")]
    assert widths == ["100.00%", "33.33%"]
    cells = [(cell.get("class"), words(cell)) for cell in page.iterfind(".//ul[@class='heat']/li")]
    assert cells == [
        ("heat-3 missing", "city 66.7% 2 of 3 required, missing in 1"),
        ("heat-3", "days 66.7% 2 of 3"),
        ("heat-2 undeclared", "unit 33.3% 1 of 3 undeclared"),
    ]
    assert first(page, ".//table[@class='places']") == "<stdin>:4 not JSON (expecting value at byte 0)"


def test_every_chart_has_a_title_and_its_numbers_beside_it(tmp_path: Path) -> None:
    _, page = page_of(tmp_path, lines(*ROWS))
    charts = list(page.iterfind(".//svg[@role='img']"))
    assert len(charts) == 5
    assert words(charts[0][0]) == "no call 25.0%, one call 50.0%, several calls 25.0%"
    assert all(chart[0].tag == "title" for chart in charts)
    assert len(list(page.iterfind(".//svg[@role='img']/../table"))) == 5
    others = [svg for svg in page.iter("svg") if svg.get("role") != "img"]
    assert all(svg.get("aria-hidden") == "true" for svg in others)


@pytest.mark.parametrize("stdin", ["", lines(*ROWS), many_tools(40)])
def test_the_page_needs_nothing_from_elsewhere(stdin: str, tmp_path: Path) -> None:
    text, page = page_of(tmp_path, stdin)
    assert not re.search(r"https?:|//|url\(|@import|src=|href=|<script|<link|<img", text)
    assert page.find("./head/title") is not None
    assert "prefers-color-scheme: dark" in text


def test_data_is_no_markup(tmp_path: Path) -> None:
    name = "<script>alert('&\"')</script>\x1b\u202e\ud800"
    text, page = page_of(tmp_path, lines({"messages": [turn("assistant", call(name, **{name: 1}))]}))
    assert "<script" not in text
    assert "\u202e" not in text
    shown = "<script>alert('&\"')</script>\\x1b\\u202e\\ud800"
    assert first(page, ".//table[@class='bars']/tbody/tr/th") == shown


# ── the command ──


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gone.jsonl",), "gone.jsonl: No such file or directory"),
        (("--from", "hermess"), "unknown dialect 'hermess'"),
        (("--from-layout", "opnai"), "unknown layout 'opnai'"),
        (("--html", "gone/page.html"), "gone/page.html: there is no folder gone"),
    ],
)
def test_trouble_is_status_2(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    run = toolconv("stats", *arguments, cwd=tmp_path)
    assert run.status == 2
    assert said in run.err
    assert "Traceback" not in run.err
    assert list(tmp_path.iterdir()) == []


def test_interrupt_is_status_130_and_leaves_no_page(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "toolconv", "stats", "--html", str(tmp_path / "page.html")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin
        assert process.stderr
        process.stdin.write(lines(*ROWS).encode())
        assert b"layout canonical" in process.stderr.readline()  # it reads on
        assert len(list(tmp_path.iterdir())) == 1
        assert interrupted(process) == 130
    assert list(tmp_path.iterdir()) == []


# ── lengths ──


def test_lengths_are_those_that_select_compares(tmp_path: Path) -> None:
    texts = ["short", "é" * 40, "x" * 2345]
    rows = [{"messages": [{"role": "user", "content": text}]} for text in texts]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows[:2]))
    (tmp_path / "b.jsonl").write_text(json.dumps(rows[2]) + "\n")
    lengths = [len(json.dumps(row, ensure_ascii=False)) for row in rows]
    files = (tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    [counts] = toolconv("stats", "--json", "-q", *files).rows
    shown = counts["lengths"]["characters"]
    assert (shown["min"], shown["max"]) == (lengths[0], lengths[2]) and shown["p50"] == lengths[1]
    assert [each["rows_in"] for each in counts["by_file"].values()] == [2, 1]
    chosen = toolconv("select", "-q", *files, "--where", f"characters = {lengths[1]}")
    assert chosen.rows == [rows[1]]
    table = toolconv("stats", *files).out
    assert re.search(r"^  b\.jsonl +1 +0 +0 +0 +2,\d{3}$", table, re.M)


def test_quantiles_are_exact_to_three_digits() -> None:
    numbers = [random.Random(7).randrange(10 ** (1 + at % 6)) for at in range(3_000)]
    whole, parts = Distribution(), [Distribution(), Distribution()]
    for at, number in enumerate(numbers):
        whole.add(number)
        parts[at % 2].add(number)
    parts[0].merge(parts[1])
    ordered = sorted(numbers)
    assert (whole.least, whole.most) == (ordered[0], ordered[-1])
    for share in (0.01, 0.5, 0.9, 0.99, 1):
        exact = ordered[max(0, math.ceil(share * len(ordered)) - 1)]
        assert abs(whole.at(share) - exact) <= exact / 100 and whole.at(share) == parts[0].at(share)


@each(
    "number, rounded",
    [(0, 0), (999, 999), (1_000, 1_000), (1_004, 1_000), (1_005, 1_010), (12_349, 12_300), (12_350, 12_400),
     (99_950, 100_000), (99_949, 99_900)],
)  # fmt: skip
def test_numbers_are_rounded_to_three_digits(number: int, rounded: int) -> None:
    lengths = Distribution()
    lengths.add(10**6)
    lengths.add(number)
    assert lengths.as_json() == {"min": number, "p50": max(number, rounded), "p90": 10**6, "p99": 10**6, "max": 10**6}
    assert (lengths.within(rounded - 1), lengths.within(rounded)) == (0, 1)


def test_counts_of_arguments_add_up() -> None:
    """A tool's counts, of two parts of which one has counted its combinations of names already."""
    first, second = ToolCounts(rows=1, calls=2, undeclared=3), ToolCounts(rows=10, calls=20, undeclared=30)
    first.add_call(ParameterNames(("a", "b"), ("a", "b")), ["a", "c"])
    second.add_call(ParameterNames(("a", "b"), ("b",)), ["a", "b"])
    second.add_call(ParameterNames(None, ()), ["c"])
    assert asdict(second.arguments["c"]) == asdict(ArgumentCounts(given=1))
    second.add_call(ParameterNames(("a", "b"), ("b",)), ["a", "b", "c"])
    first.merge(second)
    assert (first.rows, first.calls, first.undeclared) == (11, 22, 33)
    assert {name: asdict(counts) for name, counts in first.arguments.items()} == {
        "a": asdict(ArgumentCounts(given=3, declared=3, required=1)),
        "b": asdict(ArgumentCounts(given=2, declared=3, required=3, missing=1)),
        "c": asdict(ArgumentCounts(given=3, undeclared=2)),
    }


def test_tokens_are_counted_by_the_tokenizer(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    row = '{"messages": [{"role": "user", "content": "one two three"}]}'
    for jobs in (1, 2):
        options = ("--json", "-q", "--jobs", jobs, "--tokenizer", tmp_path / "tokenizer.json")
        [counts] = toolconv("stats", *options, stdin=row).rows
        assert counts["lengths"]["tokens"]["max"] == len(row.split())
    missing = toolconv("stats", "--tokenizer", "none.json", stdin=row)
    assert missing.status == 2 and "none.json" in missing.err


@each("width", [60, 40, 30])
def test_names_are_cut_to_what_numbers_leave(width: int) -> None:
    table = Table(width, plain=False)
    lines = [*table._numbers("tool", ["rows", "calls"], {"x" * 80: [1234567, 2], "y": [3, 4000000]})]
    room = max(width, 40) - 24  # for "  " and a number in each column
    assert lines == [
        "",
        f"{'tool':{room + 2}}       rows      calls",
        f"  {'x' * (room - 1)}…  1,234,567          2",
        f"  {'y':{room}}          3  4,000,000",
    ]


def test_a_column_that_does_not_fit_is_left_out_before_the_last() -> None:
    for width, heads in ((47, ["a", "b", "c"]), (46, ["a", "c"])):
        head = [*Table(width, plain=False)._numbers("tool", ["a", "b", "c"], {"y" * 9: [10**5, 10**6, 10**5]})][1]
        assert head.split() == ["tool", *heads]


def test_no_more_shapes_of_calls_are_kept_than_allowed() -> None:
    counts = ToolCounts()
    for number in range(MAX_SHAPES + 1):
        counts.add_call(ParameterNames((), ()), [f"a{number}"])
    assert len(counts._shapes) == 1 and len(counts.arguments) == MAX_SHAPES + 1
