"""Laws of all fixes: what parsed before parses after, fixing twice is fixing once, and no fix makes an error."""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.helpers.lint_rows import row
from tests.lint.test_guards import lint_row
from toolconv.lint.engine.linter import Linter
from toolconv.lint.engine.selection import Selection
from toolconv.lint.model import fixes, pointers
from toolconv.lint.model.finding import Edit

JSON = [
    '{"q": "he said \\u0022hi\\u0022"}', '{"path": "C:\\\\new\\\\names\\\\note"}', '{"html": "a &amp; &quot;b&quot;"}',
    '["caf\\u00e9", "\\ud83d\\ude00"]', '{"lines": "a\\nb\\nc"}', '"one \\u0022word\\u0022 of text"', '{"a": {"b": "\\u005cd+"}}',
    '{"n": 1.0, "big": 12345678901234567890, "none": null}', '[1, 2, {"x": "&lt;b&gt;"}]', "\n{\"t\": \"\\u201cq\\u201d\"}\n",
]  # fmt: skip
"""Texts that are JSON."""

PYTHON = [
    'print("a\\nb\\nc\\n")',
    "re.sub('\\\\u00e9', 'e', text)",
    "x = 'caf\\u00e9' if a else 'b'",
    "s = '\\n\\n'.join(x)",
]
"""Texts that are programs in Python, by and large."""

OTHERS = [
    "sed -i 's/\\u03C90/x/' notes.txt", "grep '\\u00e9\\d+$' *.txt", "^\\d{3}-\\u0041+\\n\\n$", "C:\\new\\names\\note",
    "\\nabla f \\neq \\nu and \\nabla g", "$\\nu$ or \\nu and \\ne", "echo 'Tom &amp; Jerry' | sed 's/&amp;/x/'",
    "[^\\u0000-\\u007F]+\\u00e9", "/\\u00e9(?=\\n)\\n/g", "printf 'a\\nb\\n' > out",
    "awk '{print \"\\u00e9\"}' f", "\\\\server\\notes\\new", "s/\\n/\\u0041/g", 'git commit -m "a\\n\\nb"', "say 'a\\n\\nb' twice",
    "SELECT a FROM t WHERE b LIKE '\\u0025x' AND c > 1", 'Result: {"q": "a \\u0022b\\u0022"} ok', 'It is {"q": "a &quot;b&quot;"} now',
    'key: "caf\\u00e9 \\u0022x\\u0022"\nb: 2', "key: 'it\\u0027s'\nb: 2", 'a,b\n"x \\u0022y\\u0022",2\n', 'key: "x\\u005c\\u00e9"',
]  # fmt: skip
"""Commands, patterns, paths and formulas, in which escapes stand for themselves."""

PLAIN = [
    "Tom &amp; Jerry",
    "caf\\u00e9 in Rome",
    "It's here:\\n\\nin Rome",
    "&quot;Yes&quot;, she said",
    "It\\u0027s Tom's",
    "I&#39;m &quot;in&quot; Tom's",
]
"""Texts that fixes may change."""

PLACES: dict[str, tuple[Any, ...]] = {
    "question": ("messages", 0, "content"),
    "answer": ("messages", 3, "content"),
    "response": ("messages", 2, "content"),
    "description": ("tools", 0, "function", "description"),
    "parameter": ("tools", 0, "function", "parameters", "properties", "city", "description"),
}
ARGUMENT = "an argument"


def put(text: str, place: str) -> dict[str, Any]:
    if place == ARGUMENT:
        return row(arguments={"city": text})
    value: Any = copy.deepcopy(row())
    inner = value
    for key in PLACES[place][:-1]:
        inner = inner[key]
    inner[PLACES[place][-1]] = text
    return value  # type: ignore[no-any-return]


def at(value: Any, place: str) -> Any:
    if place == ARGUMENT:
        written = value["messages"][1]["tool_calls"][0]["function"]["arguments"]
        return json.loads(written)["city"]
    for key in PLACES[place]:
        value = value[key]
    return value


def fixed(value: dict[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """The row with all fixes, and the codes of the errors that are left."""
    linter = Linter(selections=[Selection(("ALL",))], fix=frozenset({"safe", "unsafe"}))
    checked = linter.check(lint_row(value))
    return json.loads(checked.row.raw), {each.code for each in checked.findings if each.level == "error"}


def errors(value: dict[str, Any]) -> set[str]:
    found = Linter(selections=[Selection(("ALL",))]).check(lint_row(value)).findings
    return {each.code for each in found if each.level == "error"}


def every() -> Iterator[Any]:
    for kind, texts in (("json", JSON), ("python", PYTHON), ("other", OTHERS), ("plain", PLAIN)):
        for place in (*PLACES, ARGUMENT):
            for number, text in enumerate(texts):
                yield pytest.param(kind, text, place, id=f"{kind}-{number}-{place}")


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


@pytest.mark.sweep
@pytest.mark.parametrize(("kind", "text", "place"), list(every()))
def test_fixes_break_nothing(kind: str, text: str, place: str) -> None:
    value = put(text, place)
    after, left = fixed(value)
    assert fixed(after)[0] == after
    assert left <= errors(value)
    now = at(after, place)
    if kind == "json":
        assert json.loads(now) == json.loads(text)
    elif kind == "python":
        assert parses(now) >= parses(text)
    if kind != "plain":
        assert now == text


@pytest.mark.parametrize("text", PLAIN)
@pytest.mark.parametrize("place", ["answer", ARGUMENT])
def test_escapes_in_plain_text_are_decoded(text: str, place: str) -> None:
    assert at(fixed(put(text, place))[0], place) != text


def test_fix_that_fails_keeps_no_other_from_being_made() -> None:
    tool = {
        "type": "function",
        "function": {"name": "book", "parameters": {"type": "object", "properties": {"guests": {"type": "integer"}}}},
    }
    text = json.dumps('{"guests": "3"}')  # no edit leads into text that is encoded twice
    call = {"id": "c1", "type": "function", "function": {"name": "book", "arguments": text}}
    value = {
        "tools": [tool],
        "messages": [{"role": "user", "content": "For three."}, {"role": "assistant", "tool_calls": [call]}],
    }
    assert fixed(value)[0]["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"guests": 3}'


def booking(arguments: list[str]) -> dict[str, Any]:
    """A row with a call for each of some arguments, whose tool takes numbers of guests."""
    guests = {f"guests_{number}": {"type": "integer"} for number in range(len(arguments[0]))}
    tool = {"type": "function", "function": {"name": "book", "parameters": {"type": "object", "properties": guests}}}
    calls = [
        {"id": f"c{number}", "type": "function", "function": {"name": "book", "arguments": text}}
        for number, text in enumerate(arguments)
    ]
    return {"tools": [tool], "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": calls}]}


@pytest.mark.parametrize(
    ("arguments", "fixed_ones", "rounds"),
    [
        (
            [json.dumps({f"guests_{number}": "3" for number in range(30)})],
            [{f"guests_{number}": 3 for number in range(30)}],
            1,
        ),
        ([json.dumps(json.dumps({"guests_0": "3"}))] * 30, [{"guests_0": 3}] * 30, 2),
    ],
    ids=["many in one text", "many that can only be made after others"],
)
def test_many_fixes_take_few_rounds(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], fixed_ones: list[Any], rounds: int
) -> None:
    written: list[int] = []
    monkeypatch.setattr(
        fixes, "apply", lambda text, edits, own=fixes.apply: written.append(len(edits)) or own(text, edits)
    )
    calls = fixed(booking(arguments))[0]["messages"][1]["tool_calls"]
    assert [json.loads(call["function"]["arguments"]) for call in calls] == fixed_ones
    assert len(written) == rounds


def test_several_edits_of_one_text_are_made_together() -> None:
    value = {"x": json.dumps({"a": [1, 2, 3, 4], "b": json.dumps({"c": 1, "d": 2}), "/": 5})}
    edits = [
        Edit("/x/a/1", remove=True), Edit("/x/a/3", remove=True), Edit("/x/a/0", 9), Edit("/x/a/-", 7),
        Edit("/x/b/c", remove=True), Edit("/x/b/e", 3), Edit("/x/~1", 6),
    ]  # fmt: skip
    assert all(pointers.leads_to(value, edit) for edit in edits)
    (edit,) = pointers.outside_texts(value, edits)
    assert edit.pointer == "/x"
    assert json.loads(edit.value) == {"a": [9, 3, 7], "b": '{"d": 2, "e": 3}', "/": 6}


@pytest.mark.parametrize(
    "edit",
    [
        Edit("", 1),
        Edit("/x", remove=True),
        Edit("/a/2", 1),
        Edit("/a/2", remove=True),
        Edit("/a/x/y", 1),
        Edit("/t/b", remove=True),
        Edit("/n/b", 1),
    ],
)
def test_edits_that_lead_nowhere_are_known(edit: Edit) -> None:
    assert not pointers.leads_to({"a": [1, 2], "t": '{"a": 1}', "n": "no JSON"}, edit)
