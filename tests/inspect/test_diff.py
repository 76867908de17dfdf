"""``toolconv diff``: two files of rows, compared by what they say."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import FIXTURES, Run, each, toolconv
from toolconv.inspect.diff.report import BEFORE, SHOWN, _around

ROW: dict[str, Any] = {
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Weather in Oslo and Bergen?"},
        {
            "role": "assistant",
            "content": "Let me look.",
            "reasoning_content": "Two cities.",
            "tool_calls": [
                {
                    "id": "x",
                    "type": "function",
                    "function": {"name": "weather", "arguments": {"city": "Oslo", "days": 3}},
                },
                {"id": "y", "type": "function", "function": {"name": "weather", "arguments": {"city": "Bergen"}}},
            ],
        },
        {"role": "tool", "tool_call_id": "x", "name": "weather", "content": "sun"},
        {"role": "tool", "tool_call_id": "y", "name": "weather", "content": "rain"},
        {"role": "assistant", "content": "Sun, then rain."},
    ],
    "tools": [
        {
            "type": "function",
            "function": {"name": "weather", "parameters": {"properties": {"days": {"type": "integer"}}}},
        }
    ],
    "score": 1,
}


def changed(path: str, value: Any) -> dict[str, Any]:
    """The row with another value at a path."""
    row = copy.deepcopy(ROW)
    *keys, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    at: Any = row
    for key in keys:
        at = at[key]
    if value is ...:
        del at[last]
    elif isinstance(last, int) and last == len(at):
        at.append(value)
    else:
        at[last] = value
    return row


def compare(folder: Path, a: list[Any], b: list[Any], *options: str) -> Run:
    """Compare two lists of rows; a text is a line as it is."""
    for name, given in (("a.jsonl", a), ("b.jsonl", b)):
        lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in given)
        (folder / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return toolconv("diff", "-q", "a.jsonl", "b.jsonl", *options, cwd=folder)


CALL = "messages.2.tool_calls.0"
ARGUMENTS = f"{CALL}.function.arguments"
AT_CALL = "message 2 call 0 argument"


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (f"{ARGUMENTS}.days", "3", f"{AT_CALL} 'days': 3 -> \"3\" (integer became string)"),
        (f"{ARGUMENTS}.days", 3.0, f"{AT_CALL} 'days': 3 -> 3.0 (integer became number)"),
        (f"{ARGUMENTS}.days", True, f"{AT_CALL} 'days': 3 -> true (integer became boolean)"),
        (f"{ARGUMENTS}.days", None, f"{AT_CALL} 'days': 3 -> null (integer became null)"),
        (f"{ARGUMENTS}.days", 4, f"{AT_CALL} 'days': 3 -> 4"),
        (f"{ARGUMENTS}.days", {"n": 3}, f"{AT_CALL} 'days': 3 -> {{\"n\":3}} (integer became object)"),
        (f"{ARGUMENTS}.days", ..., f"{AT_CALL} 'days' missing: 3"),
        (f"{ARGUMENTS}.unit", None, f"{AT_CALL} 'unit' added: null"),
        (f"{ARGUMENTS}.city", "Oslo ", f'{AT_CALL} \'city\': "Oslo" -> "Oslo " (white space)'),
        (f"{CALL}.function.name", "wether", 'message 2 call 0 name: "weather" -> "wether"'),
        (CALL, ..., 'message 2 call 0 missing: {"name":"weather","arguments":{"city":"Oslo","days":3}}'),
        (
            "messages.2.tool_calls.2",
            {"id": "z", "type": "function", "function": {"name": "ping", "arguments": {}}},
            'message 2 call 2 added: {"name":"ping","arguments":{}}',
        ),
        ("messages.2.content", "Let me look.\n", 'message 2 prose: "Let me look." -> "Let me look.\\n" (white space)'),
        ("messages.2.content", "", 'message 2 prose missing: "Let me look."'),
        ("messages.2.reasoning_content", "Two.", 'message 2 reasoning: "Two cities." -> "Two."'),
        ("messages.2.reasoning_content", ..., 'message 2 reasoning missing: "Two cities."'),
        ("messages.1.content", "Weather?", 'message 1 text: "Weather in Oslo and Bergen?" -> "Weather?"'),
        ("messages.3.content", "", 'message 3 response missing: "sun"'),
        ("messages.0.role", "developer", 'message 0 role: "system" -> "developer"'),
        ("messages.0", ..., 'message 0 missing: {"role":"system","content":"Be brief."}'),
        ("messages.6", {"role": "user", "content": "Thanks."}, 'message 6 added: {"role":"user","content":"Thanks."}'),
        ("messages.5.weight", 0, "message 5 key 'weight' added: 0"),
        ("score", "1", "key 'score': 1 -> \"1\" (integer became string)"),
        ("score", ..., "key 'score' missing: 1"),
        (
            "tools.0.function.parameters.properties.days.type",
            "number",
            'tool \'weather.parameters.properties.days.type\': "integer" -> "number"',
        ),
        ("tools.0.function.name", "sky", None),
        (
            "messages.4.tool_call_id",
            "x",
            'message 4 answered call: "y" -> "x"',
        ),
    ],
)
def test_each_difference_is_said_where_it_is(path: str, value: Any, said: str | None, tmp_path: Path) -> None:
    run = compare(tmp_path, [ROW], [changed(path, value)])
    assert run.status == 1
    assert run.err == ""
    if said is not None:
        assert run.out == f"a.jsonl:1 {said}\n"
    else:
        assert [line.split(":")[1] for line in run.out.splitlines()] == [
            "1 tool 'weather' missing",
            "1 tool 'sky' added",
        ]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (ARGUMENTS, {"days": 3, "city": "Oslo"}),
        (f"{CALL}.id", "x"),
        ("messages.3.extra", ...),
        ("tools.0", {"function": ROW["tools"][0]["function"], "type": "function"}),
    ],
)
def test_what_means_the_same_is_no_difference(path: str, value: Any, tmp_path: Path) -> None:
    row = ROW if path.endswith("extra") else changed(path, value)
    run = compare(tmp_path, [ROW], [row])
    assert (run.status, run.out) == (0, "")


def test_ids_of_calls_are_none_but_what_is_answered_counts(tmp_path: Path) -> None:
    row = copy.deepcopy(ROW)
    for place, name in ((0, "call_0"), (1, "call_1")):
        row["messages"][2]["tool_calls"][place]["id"] = name
        row["messages"][3 + place]["tool_call_id"] = name
    assert compare(tmp_path, [ROW], [row]).status == 0


def test_the_order_of_keys_counts_when_asked_for(tmp_path: Path) -> None:
    run = compare(tmp_path, [ROW], [changed(ARGUMENTS, {"city": "Oslo", "at": 1, "days": 3})], "--key-order")
    assert "key order" not in run.out and "argument 'at'" in run.out
    run = compare(tmp_path, [ROW], [changed(ARGUMENTS, {"days": 3, "city": "Oslo"})], "--key-order")
    assert run.out == 'a.jsonl:1 message 2 call 0 argument: ["city","days"] -> ["days","city"] (key order)\n'


def test_numbers_are_compared_as_they_are_spelled(tmp_path: Path) -> None:
    before = '{"messages":[{"role":"user","content":""}],"p":3.14159265358979323846,"n":18446744073709551617,"z":-0.0}'
    after = '{"messages":[{"role":"user","content":""}],"p":3.14159265358979323847,"n":18446744073709551618,"z":0.0}'
    run = compare(tmp_path, [before], [after])
    assert run.out.splitlines() == [
        "a.jsonl:1 key 'p': 3.14159265358979323846 -> 3.14159265358979323847",
        "a.jsonl:1 key 'n': 18446744073709551617 -> 18446744073709551618",
        "a.jsonl:1 key 'z': -0.0 -> 0.0",
    ]


def test_long_texts_are_shown_around_their_first_difference(tmp_path: Path) -> None:
    run = compare(
        tmp_path, [changed("messages.5.content", "a" * 500 + "b")], [changed("messages.5.content", "a" * 500 + "c")]
    )
    assert run.out == f'a.jsonl:1 message 5 prose: …{"a" * 20}b" -> …{"a" * 20}c"\n'


def test_control_characters_are_spelled_out(tmp_path: Path) -> None:
    run = compare(tmp_path, [ROW], [changed(f"{ARGUMENTS}.a\u202e\x1b[2J", "\u009b\u202e")])
    assert run.out == "a.jsonl:1 message 2 call 0 argument 'a\\u202e\\x1b[2J' added: \"\\x9b\\u202e\"\n"


# ── rows ──


def named(row_id: Any, text: str = "Hi.") -> dict[str, Any]:
    row: dict[str, Any] = {"messages": [{"role": "user", "content": text}]}
    return row if row_id is None else {"id": row_id, **row}


def test_rows_without_an_id_belong_together_by_their_place(tmp_path: Path) -> None:
    run = compare(tmp_path, [named(None), named(None, "a"), named(None)], [named(None), named(None, "b")])
    assert run.out.splitlines() == ['a.jsonl:2 message 0 text: "a" -> "b"', "a.jsonl:3: not in b.jsonl"]


def test_rows_with_ids_belong_together_by_them(tmp_path: Path) -> None:
    a = [named(1), named(2), named(3, "a"), named(4)]
    b = [named(1), named(3, "b"), named(5), named(4)]
    run = compare(tmp_path, a, b)
    assert run.out.splitlines() == [
        'a.jsonl:3 message 0 text: "a" -> "b"',
        "a.jsonl:2: not in b.jsonl",
        "b.jsonl:3: not in a.jsonl",
    ]


def test_rows_in_another_order_are_equal_by_their_ids(tmp_path: Path) -> None:
    rows = [named(number, str(number)) for number in range(5)]
    assert compare(tmp_path, rows, rows[::-1]).status == 0


def test_an_id_that_changed_its_type_is_the_same_id(tmp_path: Path) -> None:
    run = compare(tmp_path, [named(1)], [named("1")])
    assert run.out == "a.jsonl:1 key 'id': 1 -> \"1\" (integer became string)\n"


def test_an_unreadable_row_has_no_partner(tmp_path: Path) -> None:
    run = compare(tmp_path, [named(None), "oops", named(None, "b")], [named(None), named(None, "b")])
    assert run.out == "a.jsonl:2: unreadable: not JSON (expecting value at byte 0)\n"
    assert run.status == 1


def test_empty_files_are_equal(tmp_path: Path) -> None:
    assert compare(tmp_path, [], []).status == 0


# ── a conversion, checked ──


def test_a_conversion_to_another_dialect_is_equal(tmp_path: Path) -> None:
    teacher = FIXTURES / "teacher.jsonl"
    student = tmp_path / "student.jsonl"
    assert toolconv("convert", teacher, "--from", "hermes", "--to", "qwen3_xml", "-o", student).status == 0
    run = toolconv("diff", teacher, student, "--from", "hermes", "--to", "qwen3_xml")
    assert (run.status, run.out) == (0, "")
    assert run.err == "4 rows compared, no difference\n"


def test_layouts_are_compared_by_what_they_hold(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(ROW) + "\n")
    layout = toolconv("render", "a.jsonl", "--to-layout", "anthropic", cwd=tmp_path)
    run = toolconv("diff", "-q", "a.jsonl", "-", cwd=tmp_path, stdin=layout.raw)
    assert run.status == 0, run.out


def test_what_a_dialect_without_types_can_not_carry_is_said(tmp_path: Path) -> None:
    text = '<tool_call>{"name":"f","arguments":{"version":"3"}}</tool_call>'
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": text}) + "\n")
    assert (
        toolconv("convert", "a.jsonl", "--from", "hermes", "--to", "qwen3_xml", "-o", "b.jsonl", cwd=tmp_path).status
        == 0
    )
    run = toolconv("diff", "-q", "a.jsonl", "b.jsonl", "--from", "hermes", "--to", "qwen3_xml", cwd=tmp_path)
    assert run.out == "a.jsonl:1 message 0 call 0 argument 'version': \"3\" -> 3 (string became integer)\n"


# ── the command ──


def test_json_lines(tmp_path: Path) -> None:
    run = compare(tmp_path, [ROW, named(None)], [changed(f"{ARGUMENTS}.days", "3")], "--json")
    place = {"file": "a.jsonl", "line": 1}
    assert run.rows == [
        {
            "part": "argument",
            "change": "type",
            "a": place,
            "b": {**place, "file": "b.jsonl"},
            "message": 2,
            "call": 0,
            "path": ["days"],
            "before": 3,
            "after": "3",
        },
        {
            "part": "row",
            "change": "missing",
            "a": {**place, "line": 2},
            "b": None,
            "message": None,
            "call": None,
            "path": [],
        },
    ]
    assert run.status == 1


def test_the_summary_counts_by_kind(tmp_path: Path) -> None:
    compare(tmp_path, [ROW, ROW, named(None)], [changed(f"{ARGUMENTS}.days", "3"), changed("messages.2.content", "")])
    run = toolconv("diff", "a.jsonl", "b.jsonl", "--from", "hermes", "--to", "hermes", cwd=tmp_path)
    assert run.err == "3 rows compared, 3 differ: argument type 1, prose missing 1, row missing 1\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a.jsonl", "gone.jsonl"), "gone.jsonl: No such file or directory"),
        (("-", "-"), "standard input can be read only once, and is named twice"),
        (("a.jsonl", "a.jsonl", "--to", "hermess"), "unknown dialect 'hermess'"),
        (("a.jsonl", "a.jsonl", "--from-layout", "opnai"), "unknown layout 'opnai'"),
        (("a.jsonl",), "Missing argument 'B'"),
    ],
)
def test_trouble_is_status_2(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(ROW) + "\n")
    run = toolconv("diff", *arguments, cwd=tmp_path)
    assert run.status == 2
    assert said in run.err
    assert "Traceback" not in run.err


@each(
    "old, new, shown",
    [
        ("a" * SHOWN, "b", ("a" * SHOWN, "b")),
        ("b" + "a" * SHOWN, "c", ("b" + "a" * (SHOWN - 1) + "…", "c")),
        ("a" * 30 + "b" * SHOWN, "a" * 30 + "c", ("…" + "a" * BEFORE + "b" * (SHOWN - BEFORE) + "…", "…" + "a" * BEFORE + "c")),
        ("a" * SHOWN, "a" * (SHOWN + 1), ("…" + "a" * BEFORE, "…" + "a" * (BEFORE + 1))),
    ],
)  # fmt: skip
def test_long_values_are_cut_around_their_first_difference(old: str, new: str, shown: tuple[str, str]) -> None:
    assert _around(old, new) == shown
