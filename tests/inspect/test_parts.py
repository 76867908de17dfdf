"""What stats, view, diff and receipts show, without a command: whole texts of small data, and both sides of each limit."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import each
from tests.inspect.test_receipts import receipt
from tests.inspect.test_stats import ROWS, WEATHER, call, lines, turn
from toolconv.convert.options import Options
from toolconv.convert.result import Reading
from toolconv.core.conversation import Conversation
from toolconv.core.errors import FileError
from toolconv.core.notes import Dropped, Unread
from toolconv.core.transcript import Note, Piece, Turn, markup, note_markup, turns_of
from toolconv.inspect.diff.changes import Difference, differences
from toolconv.inspect.diff.report import Report, as_json, kind
from toolconv.inspect.receipts.chain import Chain
from toolconv.inspect.receipts.documents import Document, NotShards, read_all, with_shards_added
from toolconv.inspect.receipts.scores import score_checks
from toolconv.inspect.stats import card, html, table
from toolconv.inspect.stats.counts import ArgumentCounts, DatasetCounts, ToolCounts
from toolconv.inspect.stats.lengths import Distribution, short_names
from toolconv.inspect.stats.notes import argument_note, tool_note
from toolconv.inspect.stats.run import count_rows
from toolconv.inspect.view.html import html_page
from toolconv.inspect.view.rows import ShownRow, shown
from toolconv.inspect.view.terminal import lines as row_lines
from toolconv.select.facts import SeenRow

# ── stats ──

HERMES = '<tool_call>{"name": "ping", "arguments": {}}</tool_call>'
CUT = '<tool_call>{"name": "ping"'


def counted(folder: Path, **files: str) -> DatasetCounts:
    """The counts of files, of which each has a text."""
    for name, text in files.items():
        (folder / f"{name}.jsonl").write_text(text)
    return count_rows([str(folder / f"{name}.jsonl") for name in files], Options())


def test_the_plain_table_of_two_files(tmp_path: Path) -> None:
    said = [{"messages": [turn("user"), {"role": "assistant", "content": text}]} for text in (HERMES, HERMES + CUT)]
    counts = counted(tmp_path, a=lines(*ROWS), b=lines(*said, "oops"))
    text = "\n".join(table.Table(60, plain=True).lines(counts)).replace(f"{tmp_path}/", "")
    lengths, _, rest = text.partition("\nfile  ")
    assert lengths.splitlines()[:11] == [
        "rows            6 (5 with calls)",
        "layouts         canonical 3, chat 2",
        "calls           6 (structured 4, hermes 2)",
        "tools           2 called, 1 only declared",
        "repairs         0",
        "dropped calls   1",
        "  b.jsonl:2: the text ends inside of an object or list",
        "rejected rows   1",
        "  b.jsonl:3: not a JSON object (a row must be an object)",
        "",
        "a row has         min  median  90%  99%  max",
    ]
    assert [line.split() for line in rest.splitlines() if line][:7] == [
        ["rows", "with", "calls", "calls", "characters"],  # the column before the last one does not fit
        ["a.jsonl", "3", "3", "4", "361"],
        ["b.jsonl", "3", "2", "2", str(len(json.dumps(said[0])))],
        ["assistant", "turns:", "6"],
        ["no", "call", "#####", "1", "16.7%"],
        ["one", "call", "#" * 20, "4", "66.7%"],
        ["several", "calls", "#####", "1", "16.7%"],
    ]


def test_the_bars_of_a_table() -> None:
    narrow = table.Table(0, plain=True)
    assert [narrow._bar(share, 10) for share in (0, 0.001, 0.5, 1)] == [
        " " * 10,
        "#".ljust(10),
        "##### ".ljust(10),
        "#" * 10,
    ]
    fine = table.Table(60, plain=False)
    assert [fine._bar(share, 2) for share in (0, 0.001, 0.25, 0.5, 15 / 16, 1)] == ["  ", "▏ ", "▌ ", "█ ", "█▉", "██"]
    assert narrow._fitted("x" * 40) == "x" * 40, "at least forty columns"
    assert narrow._fitted("x" * 41) == "x" * 37 + "..."
    assert fine._fitted("abcdef", 4) == "abc…"
    assert fine._fitted("東京", 5) == "東京 "
    assert fine._fitted("東京", 3) == "東…"
    bars = {"a": [table.Bar(f"b{n}", n, 40) for n in range(31)], "none": []}
    found = list(fine._bars(bars))
    assert found[:2] == ["", "a"] and len(found) == 2 + 30 + 1
    assert found[-1] == "  … and 1 more"
    assert list(fine._bars({"a": bars["a"][:30]}))[-1].split()[0] == "b29"
    assert list(fine._bars({"none": []})) == []


def test_what_a_table_leaves_out() -> None:
    counts = DatasetCounts()
    counts.receipt.rejects = 6
    found = list(table.Table(60, plain=False).lines(counts))
    assert found == [
        "rows            0 (0 with calls)",
        "calls           0",
        "tools           0 called",
        "repairs         0",
        "dropped calls   0",
        "rejected rows   6",
        "  … and 1 more; --json lists them",
    ]
    counts.receipt.rejects = 5
    assert list(table.Table(60, plain=False).lines(counts))[-1] == "rejected rows   5"


def test_many_files_are_named_up_to_a_limit(tmp_path: Path) -> None:
    row = lines({"messages": [turn("user"), turn("assistant")]})
    for many, more in ((20, ""), (21, "1 more file")):
        counts = counted(tmp_path, **{f"f{n:02}": row for n in range(many)})
        text = "\n".join(table.Table(80, plain=False).lines(counts))
        assert "  f19.jsonl" in text and "f20.jsonl" not in text
        assert (f"  … and {more}; --json lists them" in text) is bool(more)
        page = html.html_page(counts, "1.2", [*counts.files])
        assert ("and 1 more; --json lists all" in page) is bool(more)
        assert ("f19.jsonl</th>" in page, "f20.jsonl</th>" in page) == (True, False)
        assert "f00.jsonl, f01.jsonl, f02.jsonl and " in page


@each(
    "tool, note",
    [
        (ToolCounts(rows=1, calls=1), "1 call"),
        (ToolCounts(rows=1, calls=1200, undeclared=1), "1,200 calls, 1 in rows that don't declare it"),
        (ToolCounts(calls=2, undeclared=2), "2 calls, never declared"),
    ],
)
def test_the_note_on_a_tool(tool: ToolCounts, note: str) -> None:
    assert tool_note(tool) == note


@each(
    "argument, note",
    [
        (ArgumentCounts(given=3, declared=3), ""),
        (ArgumentCounts(given=3, declared=3, required=3), "required"),
        (ArgumentCounts(given=3, declared=4, required=4, missing=1), "required, missing in 1"),
        (ArgumentCounts(given=3, undeclared=3), "undeclared"),
        (ArgumentCounts(given=3, declared=1, undeclared=2, required=1), "undeclared in 2"),
    ],
)
def test_the_note_on_an_argument(argument: ArgumentCounts, note: str) -> None:
    assert argument_note(argument) == note


@each(
    "argument, calls, classes",
    [
        (ArgumentCounts(), 4, "heat-0"),
        (ArgumentCounts(given=1), 100, "heat-1"),
        (ArgumentCounts(given=24), 100, "heat-1"),
        (ArgumentCounts(given=25), 100, "heat-2"),
        (ArgumentCounts(given=50), 100, "heat-3"),
        (ArgumentCounts(given=99), 100, "heat-4"),
        (ArgumentCounts(given=100), 100, "heat-5"),
        (ArgumentCounts(given=1, missing=3, required=4, undeclared=1), 4, "heat-2 missing"),
        (ArgumentCounts(given=4, undeclared=1), 4, "heat-5 undeclared"),
    ],
)
def test_the_cell_of_an_argument(argument: ArgumentCounts, calls: int, classes: str) -> None:
    assert html._cell("a", argument, calls).startswith(f'<li class="{classes}"><span class="name">a</span>')


def test_a_stacked_bar_has_at_most_six_parts() -> None:
    six = html._shares({f"k{n}": 1 for n in range(6)})
    assert 'class="series-5"' in six and "others" not in six and "series-6" not in six
    seven = html._shares({f"k{n}": n + 1 for n in range(7)}, "order")
    assert "2 others: 13 (46.4%)" in seven and "order-6" not in seven
    assert 'x="3.571%" width="7.143%"' in seven.replace('class="order-1" ', ""), seven[:400]
    assert html._shares({"a": 0}) == '<p class="soft">none</p>\n'


def test_a_distribution_is_drawn_in_columns() -> None:
    one = Distribution()
    one.add(7)
    assert html._spread(one).count("<rect") == 1
    assert 'x="0.00%" width="43.00%" y="0.0%" height="100.0%"' in html._spread(one)
    many = Distribution()
    for number in [*range(100), 1000]:
        many.add(number)
    drawn = html._spread(many)
    assert drawn.count("<rect") == html.STEPS
    assert 'x="95.83%" width="3.58%"' in drawn


@each(
    "names, short",
    [
        (["a/b/c", "a/b/d"], ["c", "d"]),
        (["a/b/c", "a/d"], ["b/c", "d"]),
        (["a", "b/c"], ["a", "b/c"]),
        (["/x/a"], ["a"]),
        (["-"], ["-"]),
        ([], []),
    ],
)
def test_names_of_files_without_their_common_folder(names: list[str], short: list[str]) -> None:
    assert short_names(names) == short


def test_a_whole_card(tmp_path: Path) -> None:
    counts = counted(tmp_path, a=lines(*ROWS, {"messages": [turn("user"), {"role": "assistant", "content": HERMES}]}))
    text = card.card(counts, "1.2")
    layouts = ", ".join(f"{name} {count}" for name, count in counts.layouts.most_common())
    assert (
        text.partition("\n---\n\n")[2]
        == f"""\
## Contents

| fact | value |
|---|---|
| rows | 4 |
| layout | {layouts} |
| turns | assistant 5, user 4, tool 2 |
| calls | 5 |
| calls in texts | hermes 1 |
| tools declared | 3 |
| tools called | 2 |
| calls of undeclared tools | 2 |

## Behaviour

| behaviour | count | share |
|---|---|---|
| assistant turns without calls | 1 | 20.0% |
| assistant turns with one call | 3 | 60.0% |
| assistant turns with several calls | 1 | 20.0% |
| rows without calls | 0 | 0.0% |

## Tools

| tool | calls | share of calls | rows that declare it |
|---|---|---|---|
| `weather` | 3 | 60.0% | 2 |
| `ping` | 2 | 40.0% | 1 |

{card.TO_FILL_IN}
Counted by toolconv 1.2.
"""
    )
    empty = card.card(DatasetCounts(), "1.2")
    assert "## Tools" not in empty and "| rows without calls | 0 |  |" in empty and "| layout" not in empty


def test_counts_as_json(tmp_path: Path) -> None:
    counts = counted(tmp_path, a=lines(*ROWS, "oops"))
    found = counts.as_json("1.2", ["a"])
    assert found["assistant_turns"] == {"no_call": 1, "one_call": 2, "several_calls": 1}
    assert found["behaviours"] == {name: {"call": 3, "after_response": 1}.get(name, 0) for name in found["behaviours"]}
    assert found["requests"] == {"call": 3} and found["never_called"] == {"idle": 1}
    assert (found["n_tool_calls"], found["structured_calls"], found["calls_in_text"]) == (4, 4, {})
    assert (found["rows_in"], found["rows_with_calls"], found["rejects"]["count"]) == (4, 3, 1)
    assert list(found["lengths"]) == ["characters", "turns", "calls", "tools_declared", "tools_called"]


def test_a_request_without_calls_is_declined_where_rows_hold_no_answers(tmp_path: Path) -> None:
    question = {"id": "irrelevance_1", "question": [[{"role": "user", "content": "Hi."}]]}
    bfcl = question | {
        "function": [{"name": "f", "parameters": {"type": "dict", "properties": {}}}],
        "ground_truth": [],
    }
    for row, found in ((bfcl, {"decline": 1}), ({"messages": [turn("user")]}, {})):
        assert {name: count for name, count in counted(tmp_path, a=lines(row)).behaviours.items() if count} == found


def test_exactly_as_many_tools_as_a_card_lists(tmp_path: Path) -> None:
    rows = lines({"messages": [turn("user"), turn("assistant", *(call(f"t{n:02}") for n in range(20)))]})
    assert "fewer calls" not in card.card(counted(tmp_path, a=rows), "1")
    rows = lines({"messages": [turn("user"), turn("assistant", *(call(f"t{n:02}") for n in range(21)))]})
    text = card.card(counted(tmp_path, a=rows), "1")
    assert "And 1 tool with fewer calls." in text and "`t19`" in text and "`t20`" not in text


# ── view ──


def test_a_row_as_lines() -> None:
    row = ShownRow(
        "a.jsonl:3",
        ["id x", "no tools"],
        [
            Turn("user", "", [Piece("text", "Up?\n\x07\n")]),
            Turn("assistant", "", [Piece("reasoning", "Look.\nThere."), Piece("call", '{\n  "a": 1\n}', "ping")]),
            Turn("tool", "ping", [Piece("result", "1")]),
        ],
        {1: [Note("error", "TC1", "Bad."), Note("info", "TC2", "Hm.")]},
        [Note("warning", "loss", "x")],
    )
    plain = [
        "── a.jsonl:3 id x; no tools",
        "user",
        "  Up?",
        "  \\x07",
        "assistant",
        "  ~ Look.",
        "    There.",
        "  → ping {",
        '      "a": 1',
        "    }",
        "  ! TC1: Bad.",
        "  · TC2: Hm.",
        "tool ping",
        "  ← 1",
        "· loss: x",
        "",
    ]
    assert list(row_lines(row, colour=False)) == plain
    coloured = list(row_lines(row, colour=True))
    colours = ["1", "1", None, None, "34", "2;3", "2;3", "36", "36", "36", "31", "2", "32", "32", "33"]
    for line, text, number in list(zip(coloured, plain, colours))[1:]:  # noqa: B905 - the last line is empty
        assert line == (text if number is None else f"\x1b[{number}m{text}\x1b[0m")
    assert coloured[0] == "\x1b[1m── a.jsonl:3\x1b[0m \x1b[2mid x; no tools\x1b[0m"
    assert coloured[-1] == ""
    bare = ShownRow("a", [], [Turn("narrator", "", [])], {}, [])
    assert list(row_lines(bare, colour=True)) == ["\x1b[1m── a\x1b[0m ", "narrator", ""]


def test_what_is_shown_of_a_row() -> None:
    conversation = Conversation(
        {"messages": [{"role": "user", "content": "Up?"}], "tools": [{"type": "function", "function": {"name": "a"}}, {"name": "b"}, 7]},
        origin=("openai", {"id": 0}),
    )  # fmt: skip
    notes = conversation.notes
    notes.text_dialects = ["hermes", "kimi_k2", "hermes"]
    notes.dropped = [Dropped("cut off", "<tool_call>")]
    notes.unread = [Unread("/x", "calls", "2 hermes calls"), Unread("/y", "text", "words")]
    notes.losses = ["a_loss"] * 1200
    notes.repairs = ["a_repair"]
    found = shown(SeenRow(Reading("f", 3, conversation), conversation))
    assert found == ShownRow(
        "f:3",
        ["id 0", "layout openai", "hermes call", "kimi_k2 call", "2 tools: a, b"],
        [Turn("user", "", [Piece("text", "Up?")])],
        {},
        [
            Note("error", "dropped", "cut off"),
            Note("error", "unread", "/x holds 2 hermes calls"),
            Note("warning", "unread", "/y holds words"),
            Note("warning", "loss", "a_loss (1,200 times)"),
            Note("info", "repair", "a_repair"),
        ],
    )
    bare = Conversation({"messages": []})
    assert shown(SeenRow(Reading("f", 1, bare), bare)).facts == ["no tools"]


@each(
    "message, turn",
    [
        ({"role": "user", "content": "a"}, Turn("user", "", [Piece("text", "a")])),
        ({"role": "user", "content": " \n"}, Turn("user", "", [])),
        ({"role": "user"}, Turn("user", "", [])),
        ({"role": "tool", "name": "t", "content": {"a": 1}}, Turn("tool", "t", [Piece("result", '{"a": 1}')])),
        (
            {"role": "user", "content": ["x", {"type": "image"}, {"text": "b"}, {"text": 1}]},
            Turn("user", "", [Piece("text", "x\n[image]\nb\n[part]")]),
        ),
        (
            {"role": "assistant", "reasoning_content": "r", "tool_calls": [call("f", a=1), call("g")]},
            Turn("assistant", "", [Piece("reasoning", "r"), Piece("call", '{"a": 1}', "f"), Piece("call", "{}", "g")]),
        ),
    ],
)
def test_a_turn_as_people_read_it(message: dict[str, Any], turn: Turn) -> None:
    assert turns_of([message]) == [turn]


def test_long_arguments_are_on_several_lines() -> None:
    for size in (91, 92):  # with nine more characters they are a hundred, and a hundred and one
        (long,) = turns_of([{"role": "assistant", "tool_calls": [call("f", a="x" * size)]}])
        assert ("\n" in long.pieces[0].text) is (size == 92)
    raw = {"type": "function", "function": {"name": "f", "arguments": "y" * 200}}
    assert turns_of([{"role": "assistant", "tool_calls": [raw]}])[0].pieces == [Piece("call", "y" * 200, "f")]


def test_turns_as_markup() -> None:
    turns = [Turn("user", "", [Piece("text", "a<\nb")]), Turn("narrator", "x", [Piece("call", "{}", "f")])]
    assert markup(turns, {1: [Note("error", "TC1", "no")]}) == (
        '<div class="turn by-user"><b>user</b>\n<pre class="text">a&lt;\nb</pre>\n</div>\n'
        '<div class="turn  marked"><b>narrator x</b>\n<pre class="call"><b>f</b> {}</pre>\n'
        '<p class="note"><span class="level error">TC1</span>\n no</p>\n</div>\n'
    )
    assert note_markup(Note("info", "a", "<")) == '<p class="note"><span class="level info">a</span>\n &lt;</p>\n'


def test_the_page_of_rows() -> None:
    row = ShownRow(
        "f:1", ["a", "b"], [Turn("user", "", [])], {0: [Note("info", "n", "of a turn")]}, [Note("error", "m", "x")]
    )
    page = html_page([row, row], ["p", "q", "r", "s"], "1.2")
    assert "<h1>p, q, r and 1 more</h1>" in page and '<p class="soft">2 rows</p>' in page
    assert page.count("<h2>f:1 <small>a; b</small>\n</h2>") == 2
    assert page.count("of a turn") == page.count('level error">m</span>') == 2
    assert "<footer>Shown by toolconv 1.2.</footer>" in page
    assert "<title>p, q, r and 1 more – toolconv view</title>" in page
    assert "<h1>p, q, r</h1>" in html_page([], ["p", "q", "r"], "1")


# ── diff ──


def reading(*messages: Any, **keys: Any) -> Reading:
    return Reading("a", 1, Conversation({"messages": list(messages), **keys}))


USER = {"role": "user", "content": "Hi."}


@each(
    "one, other, found",
    [
        ([USER], [USER], []),
        ([USER], [USER, turn("tool")], [("message", "added", 1, ())]),
        ([USER, turn("tool")], [turn("tool")], [("message", "missing", 0, ())]),
        ([USER], [{**USER, "content": "Hi .\n"}], [("text", "white space", 0, ())]),
        ([USER], [{**USER, "content": ""}], [("text", "missing", 0, ())]),
        ([{**USER, "content": None}], [USER], [("text", "added", 0, ())]),
        ([USER], [{**USER, "content": ["Hi."]}], [("text", "type", 0, ())]),
        ([USER], [{**USER, "x": {"y": [1]}}], [("key", "added", 0, ("x",))]),
        ([{**USER, "x": {"y": [1]}}], [{**USER, "x": {"y": [2]}}], [("key", "value", 0, ("x", "y", 0))]),
        ([{**USER, "x": {"y": [1]}}], [{**USER, "x": {"y": [1, 2]}}], [("key", "value", 0, ("x", "y"))]),
        ([{**USER, "x": 1}], [{**USER, "x": 1.0}], [("key", "type", 0, ("x",))]),
        ([{"role": "assistant", "content": "a"}], [{"role": "assistant", "content": "b"}], [("prose", "value", 0, ())]),
        ([{"role": "tool", "content": "a"}], [{"role": "tool", "content": "b"}], [("response", "value", 0, ())]),
        ([{"role": "system", "content": "a"}], [{"role": "user", "content": "a"}], [("role", "value", 0, ())]),
        (
            [{"role": "assistant", "reasoning_content": "a"}],
            [{"role": "assistant", "reasoning_content": ""}],
            [("reasoning", "missing", 0, ())],
        ),
        ([turn("assistant", call("f"))], [turn("assistant", call("g"))], [("call name", "value", 0, ())]),
        ([turn("assistant", call("f"))], [turn("assistant", call("f"), call("g"))], [("call", "added", 0, ())]),
        ([turn("assistant", call("f", a=1))], [turn("assistant", call("f", a=2))], [("argument", "value", 0, ("a",))]),
        (
            [turn("assistant", {**call("f"), "index": 1})],
            [turn("assistant", {**call("f"), "index": 2, "type": "x", "id": "y"})],
            [("key", "value", 0, ("index",))],
        ),
    ],
)
def test_a_difference_is_named_by_its_part(one: list[Any], other: list[Any], found: list[Any]) -> None:
    differing = differences(reading(*one), reading(*other))
    assert [(each.part, each.change, each.message, each.path) for each in differing] == found


@each(
    "one, other, found",
    [
        ({"tools": [WEATHER]}, {"tools": [WEATHER]}, []),
        ({"tools": [WEATHER]}, {}, [("tool", "missing", ("weather",))]),
        ({}, {"tools": [WEATHER]}, [("tool", "added", ("weather",))]),
        ({"tools": [WEATHER]}, {"tools": [WEATHER, WEATHER]}, [("tool", "added", ("weather",))]),
        ({"tools": [{"name": "a"}, {"name": "b"}]}, {"tools": [{"name": "b"}, {"name": "a"}]}, []),
        ({"tools": [{"name": "a"}]}, {"tools": [{"name": "a", "x": 1}]}, [("tool", "added", ("a", "x"))]),
        ({"x": 1}, {"x": None}, [("key", "type", ("x",))]),
        ({"x": {"a": 1, "b": 2}}, {"x": {"b": 2, "a": 1}}, []),
    ],
)
def test_differences_outside_of_messages(one: dict[str, Any], other: dict[str, Any], found: list[Any]) -> None:
    differing = differences(reading(USER, **one), reading(USER, **other))
    assert [(each.part, each.change, each.path) for each in differing] == found


def test_the_order_of_keys_is_a_difference_if_asked_for() -> None:
    one, other = reading(USER, x={"a": 1, "b": 2, "c": 3}), reading(USER, x={"b": 2, "a": 1})
    (order, missing) = differences(one, other, key_order=True)
    assert (order.part, order.change, order.before, order.after, order.path) == ("key", "key order", ["a", "b", "c"], ["b", "a"], ("x",))  # fmt: skip
    assert (missing.change, missing.before, missing.path) == ("missing", 3, ("x", "c"))


@each(
    "answers, found",
    [
        (("p", "q"), []),
        (("q", "p"), ["answered call", "answered call"]),
        (("p", "z"), ["answered call"]),
    ],
)
def test_which_call_a_result_answers(answers: tuple[str, str], found: list[str]) -> None:
    def row(ids: Sequence[str], answered: Sequence[str]) -> Reading:
        calls = [{**call(name), "id": number} for name, number in zip("fg", ids, strict=True)]
        results = [{"role": "tool", "tool_call_id": number, "content": "1"} for number in answered]
        return reading(turn("assistant", *calls), *results)

    differing = differences(row(("1", "2"), ("1", "2")), row(("p", "q"), answers))
    assert [each.part for each in differing if each.part != "key"] == found


def test_rows_that_cant_be_compared() -> None:
    bad = Reading("a", 2, None, "not JSON")
    assert list(differences(reading(USER), None)) == [Difference("row", "missing")]
    assert list(differences(None, reading(USER))) == [Difference("row", "added")]
    assert list(differences(bad, None)) == [Difference("row", "unreadable")]
    assert as_json(bad, None, Difference("row", "unreadable")) == {
        "part": "row", "change": "unreadable", "a": {"file": "a", "line": 2}, "b": None, "message": None, "call": None,
        "path": [], "reason": "not JSON",
    }  # fmt: skip


@each(
    "difference, line",
    [
        (Difference("row", "missing"), "a:1: not in right"),
        (Difference("row", "unreadable"), "a:1: unreadable: "),
        (Difference("message", "missing", before={"a": 1}, message=2), 'a:1 message 2 missing: <31>{"a":1}</>'),
        (Difference("call", "added", after=1, message=2, call=0), "a:1 message 2 call 0 added: <32>1</>"),
        (
            Difference("argument", "type", 1, "1", ("a", 0, "b c", "d"), 2, 0),
            'a:1 message 2 call 0 argument \'a[0]["b c"].d\': <31>1</> -> <32>"1"</> (integer became string)',
        ),
        (Difference("call name", "value", "f", "g", (), 0, 1), 'a:1 message 0 call 1 name: <31>"f"</> -> <32>"g"</>'),
        (
            Difference("text", "white space", "a", "a ", (), 0),
            'a:1 message 0 text: <31>"a"</> -> <32>"a "</> (white space)',
        ),
        (Difference("key", "missing", before="x" * 59, path=("k",)), f"a:1 key 'k' missing: <31>\"{'x' * 59}…</>"),
        (Difference("key", "missing", before="x" * 58, path=("k",)), f"a:1 key 'k' missing: <31>\"{'x' * 58}\"</>"),
    ],
)
def test_a_difference_as_a_line(difference: Difference, line: str) -> None:
    plain = Report("left", "right", colour=False).line(reading(USER), None, difference)
    coloured = Report("left", "right", colour=True).line(reading(USER), None, difference)
    assert plain == line.replace("<31>", "").replace("<32>", "").replace("</>", "")
    assert coloured == line.replace("<31>", "\x1b[31m").replace("<32>", "\x1b[32m").replace("</>", "\x1b[0m")
    assert kind(Difference("argument", "type")) == "argument type" and kind(Difference("role", "value")) == "role"


def test_a_row_that_only_the_second_file_has() -> None:
    report = Report("left", "right", colour=False)
    assert report.line(None, reading(USER), Difference("row", "added")) == "a:1: not in left"
    assert report.summary() == "0 rows compared, no difference"
    report.count([])
    assert report.summary() == "1 row compared, no difference"
    report.count([Difference("role", "value"), Difference("role", "value"), Difference("row", "added")])
    assert report.summary() == "2 rows compared, 1 differ: role 2, row added 1"


def test_values_that_are_nested_too_deeply_to_write() -> None:
    deep: Any = 1
    for _ in range(2000):
        deep = [deep]
    found = as_json(None, None, Difference("key", "value", deep, [1]))
    assert found["before"].startswith("(nested more than ") and found["after"] == [1]


# ── receipts ──


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
