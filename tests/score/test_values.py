"""How a value compares with accepted ones, at each level: both sides of each rule of BFCL's checker and of each leniency.

Source of what is right at the level ``ast``: BFCL's ``ast_checker.py`` (``toolconv/score/values.py`` names it).
"""

from __future__ import annotations

from typing import Any

from tests.conftest import each
from toolconv.core.jsontext import loads
from toolconv.core.tools import ToolIndex
from toolconv.score.calls import Judge, Mismatch
from toolconv.score.expected import Call, ExpectedCall, listed_calls
from toolconv.score.levels import NAMES, Levels, strictest
from toolconv.score.values import Accepted, kind_of, leniencies, levels_of

TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": {"type": "string"}}
OBJECTS = {"type": "array", "items": {"type": "object"}}
BFCL = "bfcl_rule"
"""What only BFCL forgives."""


def level_names(levels: Levels) -> str:
    """The first letters of the levels: ``eal``."""
    return "".join(name[0] for name, level in NAMES.items() if level in levels)


VALUES: list[tuple[Any, list[Any], Any, str, str]] = [
    # schema, accepted values, value, levels, what is forgiven
    (TEXT, ["a"], "a", "eal", ""),
    (TEXT, ["b", "a"], "a", "eal", ""),
    (TEXT, ["a"], "b", "", ""),
    (TEXT, ["a"], "A", "al", "case"),
    (TEXT, ["x"], "x ", "al", "white_space"),
    (TEXT, ["x"], "x\n", "l", "white_space"),
    *((TEXT, ["x"], f"x{mark}", "al", "punctuation") for mark in ",./-_*^"),
    (TEXT, ["x"], "x:", "l", "punctuation"),
    (TEXT, ["x"], "x+", "", ""),
    (TEXT, ["it's"], 'it"s', "al", "punctuation"),
    (TEXT, ["\uff21"], "A", "l", "unicode"),
    (TEXT, ["straße"], "STRASSE", "l", "case"),
    (TEXT, ["a b"], "A-B", "al", "case punctuation white_space"),
    (TEXT, ["A", "a-"], "a", "al", "case"),  # of two that need as much, the first
    (TEXT, ["A-", "A"], "a", "al", "case"),
    (TEXT, ["", "a"], "", "al", BFCL),  # the mark for "may be left out"
    (TEXT, ["", "a"], "a", "eal", ""),
    (TEXT, [5, "a"], "a", "eal", ""),
    (TEXT, [5], 5, "eal", ""),
    (TEXT, [5], "5", "", ""),
    ({}, ["a"], "A", "al", "case"),
    ({}, [5], 5, "eal", ""),
    ({}, [5], "5", "", ""),
    ({"type": "integer"}, [5], 5, "eal", ""),
    ({"type": "integer"}, [5], 6, "", ""),
    ({"type": "integer"}, [5], 5.0, "l", "number_form"),
    ({"type": "integer"}, [5.0], 5, "al", "number_form"),
    ({"type": "integer"}, [5], "5", "l", "number_as_text"),
    ({"type": "integer"}, [5], " 5 ", "l", "number_as_text"),
    ({"type": "integer"}, [-5], "-5", "l", "number_as_text"),
    ({"type": "integer"}, [5], "5.0", "l", "number_as_text"),
    ({"type": "integer"}, [5], "6", "", ""),
    ({"type": "integer"}, [5], "five", "", ""),
    ({"type": "integer"}, [2**53 + 1], str(2**53 + 1), "l", "number_as_text"),
    ({"type": "integer"}, [2**53 + 1], str(2**53), "", ""),
    ({"type": "integer"}, ["5"], 5, "l", "number_as_text"),
    ({"type": "integer"}, [1], True, "", ""),
    ({"type": "integer"}, [True], 1, "", ""),
    ({"type": "number"}, [5.0], 5, "al", "number_form"),
    ({"type": "number"}, [5], 5.0, "al", "number_form"),
    ({"type": "number"}, [5], 5, "eal", ""),
    ({"type": "number"}, [2.0**53], 2**53, "al", "number_form"),
    ({"type": "number"}, [2.0**53], 2**53 + 1, "", ""),
    ({"type": "number"}, [0.1], loads("0.1000000000000000055511151231257827"), "al", "number_form"),
    ({"type": "number"}, [loads("0.1000000000000000055511151231257827")], 0.1, "al", "number_form"),
    ({"type": "number"}, [0.5], "0.5", "l", "number_as_text"),
    ({"type": "number"}, [0.5], "5e-1", "l", "number_as_text"),
    ({"type": "number"}, [0.5], ".5", "", ""),
    ({"type": "number"}, [0.5], "0.50x", "", ""),
    ({"type": "number"}, ["5"], "5", "eal", ""),
    ({"type": "boolean"}, [True], True, "eal", ""),
    ({"type": "boolean"}, [True], False, "", ""),
    ({"type": "boolean"}, [True], "true", "l", "boolean_as_text"),
    ({"type": "boolean"}, [True], " True", "l", "boolean_as_text"),
    ({"type": "boolean"}, [False], "false", "l", "boolean_as_text"),
    ({"type": "boolean"}, [False], "true", "", ""),
    ({"type": "boolean"}, [True], "yes", "", ""),
    ({"type": "boolean"}, [True], 1, "", ""),
    (TEXT, [True], "true", "", ""),
    ({"type": "null"}, [None], None, "eal", ""),
    ({"type": ["integer", "null"]}, [5], 5, "eal", ""),
    ({"type": ["integer", "null"]}, [5], None, "", ""),
    ({"type": ["integer", "null"]}, [5], "5", "l", "number_as_text"),
    ({"type": ["string", "integer"]}, [5], "5", "l", "number_as_text"),
    ({"type": ["string", "boolean"]}, [True], "true", "l", "boolean_as_text"),
    (TEXTS, [["a", "b"]], ["a", "b"], "eal", ""),
    (TEXTS, [["a", "b"]], ["A", "b."], "al", "case punctuation"),
    (TEXTS, [["a", "b"]], ["b", "a"], "", ""),
    (TEXTS, [["a"]], ["a", "a"], "", ""),
    (TEXTS, [["x"], ["a"]], ["a"], "eal", ""),
    (TEXTS, [["x"], "ab"], ["a", "b"], "al", BFCL),  # a text that stands for a list is read letter by letter
    (TEXTS, ["ab"], "ab", "eal", ""),
    (TEXTS, ["ab"], ["a", "b"], "", ""),
    (TEXTS, [[1]], [1], "eal", ""),
    (TEXTS, [["a"]], [1], "", ""),
    ({"type": "array"}, [["a"]], ["A"], "al", "case"),
    ({"type": "array"}, [[[1]]], [[1.0]], "al", "number_form"),
    ({"type": "array"}, [[[True]]], [[1]], "", ""),
    ({"type": "array"}, [[{"a": 1}]], [{"a": 1.0}], "al", "number_form"),
    ({"type": "array"}, [[{"a": 1}]], [{"b": 1}], "", ""),
    ({"type": "array", "items": {"type": "integer"}}, [[1, 2]], [1, "2"], "", ""),
    ({"type": "array", "items": {"type": "integer"}}, [[1, 2]], [1, 2.0], "l", "number_form"),
    ({"type": "array", "items": {"type": "number"}}, [[1, 2]], [1, 2.0], "al", "number_form"),
    ({"type": "object"}, [{"x": [1, 2]}], {"x": 2}, "eal", ""),
    ({"type": "object"}, [{"x": [1, 2]}], {"x": 3}, "", ""),
    ({"type": "object"}, [{"x": 1}], {"x": 1}, "eal", ""),
    ({"type": "object"}, [{"x": [1]}, {"x": [2]}], {"x": 2}, "eal", ""),
    ({"type": "object"}, [{"x": ["a"]}], {"x": "A"}, "al", "case"),
    ({"type": "object"}, [{"x": ["a"]}], {"x": "\uff21"}, "l", "case unicode"),
    ({"type": "object"}, [{"x": [1], "y": ["", 3]}], {"x": 1}, "eal", ""),
    ({"type": "object"}, [{"x": [1], "y": [3]}], {"x": 1}, "", ""),
    ({"type": "object"}, [{"x": [1]}], {"x": 1, "y": 3}, "", ""),
    ({"type": "object"}, [{"x": [1]}], {}, "", ""),
    ({"type": "object"}, [{"x": [1]}], "x", "", ""),
    (OBJECTS, [[{"x": [1]}, {"x": [2]}]], [{"x": 1}, {"x": 2}], "eal", ""),
    (OBJECTS, [[{"x": [1]}, {"x": [2]}]], [{"x": 2}, {"x": 1}], "", ""),
    (OBJECTS, [[{"x": [1]}, {"x": [2]}]], [{"x": 1}], "", ""),
    (OBJECTS, [[{"x": ["a"]}]], [{"x": "a-"}], "al", "punctuation"),
    (OBJECTS, [[{"x": [1]}]], [5], "", ""),
    (OBJECTS, [[5], [{"x": [1]}]], [{"x": 1}], "eal", ""),
]


@each("schema, accepted, value, levels, forgiven", VALUES)
def test_the_levels_of_a_value(schema: Any, accepted: list[Any], value: Any, levels: str, forgiven: str) -> None:
    kind = kind_of(schema, schema, value)
    found = levels_of(value, Accepted(tuple(accepted)), kind)
    assert level_names(found) == levels
    if found and found != Levels.ALL:
        assert leniencies(value, Accepted(tuple(accepted)), kind) == set(forgiven.split())


def test_the_mark_for_left_out_is_a_value_of_a_gold_call() -> None:
    only = Accepted.only("", kind_of(TEXT, TEXT, ""))
    assert not only.optional
    assert level_names(levels_of("", only, kind_of(TEXT, TEXT, ""))) == "eal"


PLAN = {
    "type": "object",
    "properties": {
        "to": {"type": "string"},
        "km": {"type": "number", "default": 5},
        "stop": {"type": ["integer", "null"]},
        "inner": {"type": "object"},
    },
    "required": ["to", 5],
}
"""The parameters of ``go``: one that is required, and a name of one that is none."""
OPEN = {"type": "object", "properties": {"to": {"type": "string"}}, "additionalProperties": True}
PATTERN = {"type": "object", "properties": {"to": {"type": "string"}}, "patternProperties": {"^x": {}}}
TOOLS = ToolIndex(
    [
        {"type": "function", "function": {"name": name, "parameters": parameters}}
        for name, parameters in {"go": PLAN, "trip.go": PLAN, "open": OPEN, "pattern": PATTERN, "any": {}}.items()
    ]
)

Options = dict[str, Any]
CALLS: list[tuple[Any, Any, Any, Options, list[tuple[str, str, str]], str]] = [
    # tool, gold arguments, the output's call, options of the judge, differences (kind, path, levels), what is forgiven
    ("go", {"to": "a"}, ("go", {"to": "a"}), {}, [], ""),
    ("go", {"to": "a"}, ("functions.go", {"to": "a"}), {}, [("name", "", "l")], "tool_name"),
    ("go", {"to": "a"}, ("GO", {"to": "a"}), {}, [("name", "", "l")], "tool_name"),
    ("go", {"to": "a"}, ("goes", {"to": "a"}), {}, [("name", "", "")], ""),
    ("trip.go", {"to": "a"}, ("trip_go", {"to": "a"}), {}, [("name", "", "l")], "tool_name"),
    ("trip.go", {"to": "a"}, ("trip-go", {"to": "a"}), {}, [("name", "", "l")], "tool_name"),
    ("trip.go", {"to": "a"}, ("trip_go", {"to": "a"}), {"api_names": True}, [], ""),
    ("trip.go", {"to": "a"}, ("trip.go", {"to": "a"}), {"api_names": True}, [("name", "", "l")], "tool_name"),
    ("go", {"to": "a"}, ("go", {"to": "b"}), {}, [("value", "to", "")], ""),
    ("go", {"to": "a"}, ("go", {"to": "b"}), {"ignored": {"go.to"}}, [], ""),
    ("go", {"to": "a"}, ("go", {"to": "b"}), {"ignored": {"go.km"}}, [("value", "to", "")], ""),
    ("go", {"to": "a"}, ("go", {}), {}, [("required", "to", "")], ""),
    ("go", {"to": "a"}, ("go", {}), {"ignored": {"go.to"}}, [], ""),
    ("go", {}, ("go", {}), {}, [("required", "to", "")], ""),
    ("go", {}, ("go", {}), {"ignored": {"go.to"}}, [], ""),
    ("go", {"to": "a"}, ("go", {"to": 5}), {}, [("type", "to", "")], ""),
    ("go", {"to": "a", "km": 5}, ("go", {"to": "a"}), {}, [("missing", "km", "al")], "default"),
    ("go", {"to": "a", "km": 6}, ("go", {"to": "a"}), {}, [("missing", "km", "")], ""),
    ("go", {"to": "a", "stop": None}, ("go", {"to": "a"}), {}, [("missing", "stop", "l")], "null"),
    ("go", {"to": "a", "stop": 1}, ("go", {"to": "a"}), {}, [("missing", "stop", "")], ""),
    ("go", {"to": "a"}, ("go", {"to": "a", "km": 5}), {}, [("extra", "km", "al")], "default"),
    ("go", {"to": "a"}, ("go", {"to": "a", "km": 6}), {}, [("extra", "km", "")], ""),
    ("go", {"to": "a"}, ("go", {"to": "a", "stop": None}), {}, [("extra", "stop", "l")], "null"),
    ("go", {"km": 6}, ("go", {"to": None, "km": 6}), {}, [("extra", "to", "")], ""),
    ("go", {"to": "a", "km": 5}, ("go", {"to": "a", "km": None}), {}, [("type", "km", "l")], "null"),
    ("go", {"to": "a", "km": 6}, ("go", {"to": "a", "km": None}), {}, [("type", "km", "")], ""),
    ("go", {"to": "a"}, ("go", {"to": "a", "x": 1}), {}, [("undeclared", "x", "")], ""),
    ("go", {"to": "a", "x": 1}, ("go", {"to": "a", "x": 1}), {}, [("undeclared", "x", "")], ""),
    ("open", {"to": "a", "x": 1}, ("open", {"to": "a", "x": 1}), {}, [], ""),
    ("open", {"to": "a"}, ("open", {"to": "a", "x": 1}), {}, [("extra", "x", "")], ""),
    ("pattern", {"to": "a", "x": 1}, ("pattern", {"x": 1, "to": "a"}), {}, [], ""),
    ("any", {"x": 1}, ("any", {"x": 2}), {}, [("value", "x", "")], ""),
    ("any", {"x": 1}, ("any", {"x": "2"}), {}, [("value", "x", "")], ""),
    ("go", {"to": "A", "km": 5}, ("GO", {"to": "a"}), {},
     [("name", "", "l"), ("value", "to", "al"), ("missing", "km", "al")], "case default tool_name"),
    ("go", {"to": "A", "km": 6}, ("go", {"to": "a", "km": 7}), {}, [("value", "to", "al"), ("value", "km", "")], ""),
    ("go", {"to": "a"}, ("go", "to a"), {}, [("type", "", "")], ""),
    ("go", "to a", ("go", "to a"), {}, [], ""),
    ("go", "to a", ("go", {"to": "a"}), {}, [("extra", "to", "")], ""),
    ("go", {"to": "a", "inner": {"x": 1}}, ("go", {"to": "a", "inner": {"x": 1.0}}), {},
     [("value", "inner", "al")], "number_form"),
]  # fmt: skip


@each("tool, arguments, output, options, differences, forgiven", CALLS)
def test_the_differences_of_a_call(
    tool: str,
    arguments: Any,
    output: tuple[str, Any],
    options: Options,
    differences: list[tuple[str, str, str]],
    forgiven: str,
) -> None:
    judge = Judge(TOOLS, **options)
    found = judge.match(ExpectedCall(Call(tool, arguments), tools=TOOLS), Call(*output))
    assert [(each.kind, each.path, level_names(each.levels)) for each in found.differences] == differences
    assert found.needed == set(forgiven.split())
    assert found.wrong_arguments == sum(not levels for *_, levels in differences)
    expected = set.intersection(set("eal"), *(set(levels) for *_, levels in differences))
    assert set(level_names(found.levels)) == expected


LISTED: list[tuple[dict[str, Any], dict[str, Any], list[tuple[str, str, str]]]] = [
    # accepted values, the output's arguments, differences
    ({"to": ["a", "b"]}, {"to": "b"}, []),
    ({"to": ["a", "b"]}, {"to": "c"}, [("value", "to", "")]),
    ({"to": ["a"], "km": ["", 3]}, {"to": "a"}, []),
    ({"to": ["a"], "km": [3]}, {"to": "a"}, [("missing", "km", "")]),
    ({"to": ["a"], "km": [5]}, {"to": "a"}, [("missing", "km", "l")]),
    ({"to": ["a"], "stop": [1, None]}, {"to": "a"}, [("missing", "stop", "l")]),
    ({"to": ["a"]}, {"to": "a", "km": 5}, [("extra", "km", "l")]),
    ({"to": ["a"], "km": []}, {"to": "a", "km": 3}, [("value", "km", "")]),
    ({"to": ["a"]}, "a", [("type", "", "")]),
]  # fmt: skip


@each("accepted, arguments, differences", LISTED)
def test_the_differences_from_values_that_a_benchmark_lists(
    accepted: dict[str, list[Any]], arguments: Any, differences: list[tuple[str, str, str]]
) -> None:
    (gold,) = listed_calls([{"go": accepted}], []) or []
    found = Judge(TOOLS).match(gold, Call("go", arguments))
    assert [(each.kind, each.path, level_names(each.levels)) for each in found.differences] == differences


@each(
    "truth, calls",
    [
        ([{"go": {"to": ["a", "b"], "km": ["", 3]}}], [("go", {"to": "a"})]),
        ([{"go": {"to": ["a"]}, "any": {}}, {"go": {"km": []}}], [("go", {"to": "a"}), ("any", {}), ("go", {})]),
        ([], []),
        (None, None),
        ("go(to='a')", None),
        (["go(to='a')"], None),
        ([{"go": "a"}], None),
        ([{"go": {"to": "a"}}], None),
    ],
)
def test_what_a_benchmark_lists(truth: Any, calls: list[tuple[str, Any]] | None) -> None:
    found = listed_calls(truth, [])
    assert (found and [(each.first.name, each.first.arguments) for each in found]) == calls
    if calls:
        read = listed_calls(truth, [Call(calls[0][0], {"as": "read"})])
        assert read is not None and read[0].first.arguments == {"as": "read"}
        other = listed_calls(truth, [Call("other", {"as": "read"})])
        assert other is not None and other[0].first.arguments == calls[0][1]


VALID = [
    (("go", {"to": "a"}), True),
    (("go", {"to": "a", "km": 1}), True),
    (("go", {"to": "a", "km": 1.5, "stop": None}), True),
    (("go", {"to": "a", "km": loads("0.1000000000000000055511151231257827")}), True),
    (("go", {"to": "a", "stop": 1.5}), False),
    (("go", {"to": 5}), False),
    (("go", {"to": "a", "inner": []}), False),
    (("go", {}), False),
    (("go", {"to": "a", "x": 1}), False),
    (("go", "a"), False),
    (("open", {"x": 1}), True),
    (("any", {"x": [True]}), True),
    (("fly", {}), False),
]


@each("call, valid", VALID)
def test_a_call_fits_its_tool_or_not(call: tuple[str, Any], valid: bool) -> None:
    judge = Judge(TOOLS)
    assert judge.is_valid(Call(*call)) is valid
    assert judge.is_valid(Call(*call)) is valid  # what was looked at once is remembered


def test_levels_by_their_names() -> None:
    assert [strictest(levels) for levels in (Levels.ALL, Levels.AST | Levels.LENIENT, Levels.LENIENT)] == [*NAMES]
    assert strictest(Levels.NONE) is None
    assert (Mismatch("name").path, Mismatch("name").levels) == ("", Levels.NONE)
