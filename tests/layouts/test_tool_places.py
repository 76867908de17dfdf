"""Where a row declares its tools, and BFCL's values that several answers may have.

Sources: RFC 6901 for pointers, OpenAI's Responses API for ``additional_tools``; BFCL's ``ast_checker``, which takes an integer
for a float, and ``""`` for an argument that may be left out.
"""

from __future__ import annotations

import copy
from typing import Any

from tests.conftest import each
from toolconv import layouts
from toolconv.core.json_pointer import pointer_to
from toolconv.layouts.tool_places import put_back, tool_values, value_at

TOOL = {"type": "function", "function": {"name": "go", "parameters": {"type": "object", "properties": {}}}}


@each("place, pointer", [(("tools",), "/tools"), (("a/b", "~c", "0"), "/a~1b/~0c/0"), ((), "")])
def test_the_pointer_of_a_place(place: tuple[str, ...], pointer: str) -> None:
    assert pointer_to(place) == pointer


ROW = {"a": {"b": [1, {"c": 2}], "d": '{"e": [3]}'}, "f": "x"}


@each(
    "place, value",
    [
        (("f",), "x"),
        (("a", "b", "0"), 1),
        (("a", "b", "1", "c"), 2),
        (("a", "b", "2"), None),
        (("a", "b", "x"), None),
        (("a", "d", "e"), [3]),
        (("a", "d", "e", "0"), 3),
        (("a", "x"), None),
        (("x", "y"), None),
        (("f", "g"), None),
    ],
)
def test_the_value_at_a_place(place: tuple[str, ...], value: Any) -> None:
    assert value_at(ROW, place) == value


@each(
    "row, places",
    [
        ({"tools": [TOOL]}, ["/tools"]),
        ({"tools": []}, []),
        ({"tools": None, "messages": [{"role": "system", "tools": [TOOL]}]}, ["/messages/0/tools"]),
        ({"tools": [TOOL], "messages": [{"tools": [TOOL]}]}, ["/tools", "/messages/0/tools"]),
        ({"messages": [{"tools": []}]}, []),
        ({"messages": [{}, {"tools": [TOOL]}]}, []),
        ({"messages": []}, []),
    ],
)
def test_where_a_row_declares_tools(row: dict[str, Any], places: list[str]) -> None:
    assert [pointer_to(place) for place, _ in tool_values(row)] == places


SYSTEM = {"role": "system", "content": "Be brief."}
AT = ("messages", "0", "tools")


def test_tools_come_back_to_the_place_that_they_had() -> None:
    origin = {"messages": [{**SYSTEM, "tools": [TOOL]}], "id": 7}
    row = {"id": 7, "tools": [TOOL], "messages": [{**SYSTEM, "tools": [TOOL]}]}
    assert put_back(row, origin, AT, "/messages/0") == origin
    assert list(put_back(row, origin, AT, "/messages/0")) == ["messages", "id"]
    without = {"id": 7, "tools": [TOOL], "messages": [SYSTEM]}
    assert put_back(without, origin, AT, "/messages/0") == without, "the message has none, so the row keeps them"
    gone = {"id": 7, "tools": [TOOL], "messages": []}
    assert put_back(gone, origin, AT, "/messages/0") == gone
    outer = {"meta": {"tools": [TOOL]}, "tools": None, "messages": []}
    moved = {"meta": {}, "tools": [TOOL], "messages": []}
    assert put_back(moved, outer, ("meta", "tools"), "/messages/0") == outer


# What BFCL accepts for an argument, its type there, and the value of the call that is made of it.
ACCEPTED: list[tuple[list[Any], str, Any]] = [
    ([3], "integer", 3),
    (["3", 3], "integer", 3),
    ([3], "float", 3),
    (["3", 3], "float", 3),
    (["3", 3.5], "float", 3.5),
    ([3.5, 3], "integer", 3),
    (["a", "b"], "string", "a"),
    ([1, "a"], "string", "a"),
    ([1, 2], "string", 1),  # none fits: the first
    ([True], "boolean", True),
    (["true", True], "boolean", True),
    ([[1, 2], [2, 1]], "array", [1, 2]),
    (["a", ""], "string", "a"),
]


@each("accepted, kind, value", ACCEPTED)
def test_a_value_of_several_that_bfcl_accepts(accepted: list[Any], kind: str, value: Any) -> None:
    schema = {"type": kind, "items": {"type": "integer"}} if kind == "array" else {"type": kind}
    row = {
        "id": "simple_0",
        "question": [[{"role": "user", "content": "Go."}]],
        "function": [
            {
                "name": "go",
                "description": "Goes.",
                "parameters": {"type": "dict", "properties": {"a": schema}, "required": []},
            }
        ],
        "ground_truth": [{"go": {"a": accepted}}],
    }
    conversation = layouts.get("bfcl").decoded(copy.deepcopy(row))
    (call,) = conversation.messages[-1]["tool_calls"]
    assert call["function"]["arguments"] == {"a": value}
    row["ground_truth"] = [{"go": {"a": ["", *accepted]}}]
    (call,) = layouts.get("bfcl").decoded(row).messages[-1]["tool_calls"]
    assert call["function"]["arguments"] == {}, "it may be left out"
