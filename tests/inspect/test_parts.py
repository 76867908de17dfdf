"""What stats and view show, without a command: whole texts of small data, and both sides of each limit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.conftest import each
from tests.inspect.test_stats import ROWS, call, lines, turn
from toolconv.convert.options import Options
from toolconv.convert.result import Reading
from toolconv.core.conversation import Conversation
from toolconv.core.notes import Dropped, Unread
from toolconv.core.transcript import Note, Piece, Turn, markup, note_markup, turns_of
from toolconv.inspect.stats import card, html, table
from toolconv.inspect.stats.counts import ArgumentCounts, DatasetCounts, ToolCounts
from toolconv.inspect.stats.lengths import Distribution, short_names
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
    assert tool.note == note


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
    assert argument.note == note


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


def test_a_call_that_is_dropped_is_no_call_in_any_count(tmp_path: Path) -> None:
    broken = {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"a": 1'}}
    row = {"messages": [turn("user"), {"role": "assistant", "content": None, "tool_calls": [broken]}]}
    counts = counted(tmp_path, a=lines(row))
    assert counts.receipt.dropped_calls == 1 and counts.turns_by_calls["no call"] == 1
    assert counts.behaviours == {"without tools": 1} and counts.called == []


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
