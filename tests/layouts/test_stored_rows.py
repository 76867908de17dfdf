"""Rows in the forms of stores: typed values, tables, columns, keys that are paths, numbered keys, links, chains."""

from __future__ import annotations

from typing import Any

from tests.conftest import each
from toolconv.layouts.nested_json import opened, python_value
from toolconv.layouts.stored_rows import as_objects, meant_row, table_rows

TURNS = [{"role": "user", "content": "Up?"}, {"role": "assistant", "content": "Yes."}]
ROW = {"id": 3, "messages": TURNS}


def dynamodb(value: Any) -> Any:
    """A value with its types. Source: Amazon DynamoDB, low-level API, data type descriptors."""
    if value is None:
        return {"NULL": True}
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, int | float):
        return {"N": str(value)}
    if isinstance(value, str):
        return {"S": value}
    if isinstance(value, list):
        return {"L": [dynamodb(item) for item in value]}
    return {"M": {key: dynamodb(member) for key, member in value.items()}}


def firestore(value: Any) -> Any:
    """A value with its types. Source: Cloud Firestore, REST, ``Value``."""
    if value is None:
        return {"nullValue": None}
    if isinstance(value, bool):
        return {"booleanValue": value}
    if isinstance(value, int):
        return {"integerValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [firestore(item) for item in value]} if value else {}}
    return {"mapValue": {"fields": {key: firestore(member) for key, member in value.items()}} if value else {}}


VALUES = [None, True, False, 0, 7, -3, "", "a", [], [1, "a", None], {"a": {"b": [True]}}, TURNS]


@each("value", [*VALUES, 1.5])
def test_values_with_their_types(value: Any) -> None:
    for typed, holder in ((dynamodb, "Item"), (firestore, "fields")):
        row = {"x": value, "id": 3}
        stored = {key: typed(member) for key, member in row.items()}
        found, inside = meant_row(stored), meant_row({holder: stored, "name": "n"})
        assert found is not None and found.row == row and found.places is None
        assert inside is not None and inside.row == {**row, "name": "n"}
        assert list(map(type, found.row.values())) == list(map(type, row.values()))
        assert meant_row({**stored, "y": {"zz": 1}}) is None, "not all values have types"


def flat(value: Any, join: str, path: str = "") -> dict[str, Any]:
    """A value under keys that are paths."""
    if not isinstance(value, dict | list):
        return {path: value}
    members = value.items() if isinstance(value, dict) else enumerate(value)
    found: dict[str, Any] = {}
    for key, member in members:
        found |= flat(member, join, join.format(path, key) if path else str(key))
    return found


@each("join", ["{}.{}", "{}/{}", "{}__{}", "{}_{}"])
def test_keys_that_are_paths(join: str) -> None:
    found = meant_row(flat({"id": 3, "messages": TURNS}, join))
    assert found is not None and found.row == ROW
    assert meant_row(flat({"id": 3, "messages": TURNS[0]}, join)) is None
    gap = {key: value for key, value in flat(ROW, join).items() if "0" not in key}
    left = meant_row(gap)
    assert left is None or left.row != ROW


def test_keys_with_brackets() -> None:
    row = {"id": 3, **{f"messages[{at}].{key}": text for at, turn in enumerate(TURNS) for key, text in turn.items()}}
    found = meant_row(row)
    assert found is not None and found.row == ROW
    assert meant_row({"messages[0].role": "user", "messages[0]": "x"}) is None, "two values in one place"


@each("mark", ["", "_", ".", "-"])
def test_objects_under_numbered_keys(mark: str) -> None:
    for first in (0, 1):
        row = {"id": 3, **{f"turn{mark}{at}": turn for at, turn in enumerate(TURNS, first)}}
        found = meant_row(row)
        assert found is not None and found.row == {"id": 3, "turn": TURNS}, row
    assert meant_row({"turn2": TURNS[0], "turn3": TURNS[1]}) is None
    assert meant_row({"turn1": TURNS[0], "turn3": TURNS[1]}) is None
    assert meant_row({"turn1": TURNS[0]}) is None
    assert meant_row({"turn1": TURNS[0], "turn2": TURNS[1], "turn": 1}) is None
    bare = meant_row({"0": TURNS[0], "1": TURNS[1]})
    assert bare is not None and bare.row == {"messages": TURNS}


# Source: pandas, ``DataFrame.to_dict``, its orients.
SPLIT = {"index": [0, 1], "columns": ["role", "content"], "data": [["user", "Up?"], ["assistant", "Yes."]]}
TABLES = {
    "split": SPLIT,
    "tight": {"columns": SPLIT["columns"], "data": SPLIT["data"]},
    "header and rows": {"header": SPLIT["columns"], "rows": SPLIT["data"]},
    "fields and values": {"fields": SPLIT["columns"], "values": SPLIT["data"]},
    "list": {"role": ["user", "assistant"], "content": ["Up?", "Yes."]},
    "dict": {"role": {"0": "user", "1": "assistant"}, "content": {"0": "Up?", "1": "Yes."}},
    "lines": [SPLIT["columns"], *SPLIT["data"]],
    "links": {
        "a": {"parent": None, "role": "user", "content": "Up?"},
        "b": {"parent": "a", "role": "assistant", "content": "Yes."},
    },
    "chain": {**TURNS[0], "next": TURNS[1]},
    "chain of lists": {**TURNS[0], "children": [TURNS[1]]},
}


@each("name, value", TABLES.items())
def test_a_value_that_means_a_list_of_turns(name: str, value: Any) -> None:
    found = as_objects(value)
    keys = ("role", "content")
    assert found is not None
    assert [{key: turn[key] for key in keys} for turn in found] == TURNS
    assert name == "links" or found == TURNS
    stored = meant_row({"id": 3, "talk": value})
    assert stored is not None and stored.row == {"id": 3, "talk": found}
    assert stored.places == {"/talk": ("/talk", [None])}
    deep = meant_row({"id": 3, "a": {"b": {"c": {"d": {"talk": value}}}}})
    assert deep is not None and deep.row == {"id": 3, "a": {"b": {"c": {"d": {"talk": found}}}}}
    assert meant_row({"id": 3, "a": {"b": {"c": {"d": {"e": {"talk": value}}}}}}) is None
    assert meant_row({"id": 3, "tools": value}) is None, "tools by name look like a table"


NO_TABLES: list[Any] = [
    None, 3, "a", [], {}, [["role", "content"]], [["role", "role"], ["a", "b"]], [["role", "content"], ["user"]],
    [["role", 3], ["user", "Up?"]], {"columns": ["role"], "data": []}, {"columns": [], "data": [[]]},
    {"columns": ["role", "content"], "data": [["user"]]}, {**SPLIT, "more": 1},    {"role": ["user"], "content": ["Up?"]}, {"role": ["user", "assistant"], "content": ["Up?"]}, {"role": ["user", "assistant"]},
    {"role": {"0": "user"}, "content": {"1": "Up?"}}, {"role": {"a": "user"}, "content": {"a": "Up?"}},
    {"a": {"parent": None, "role": "user"}, "b": {"parent": None, "role": "assistant"}},  # two first ones
    {"a": {"parent": "b", "role": "user"}, "b": {"parent": "a", "role": "assistant"}},  # a circle
    {"a": {"parent": None, "role": "user"}, "b": {"parent": "c", "role": "assistant"}},  # after none of them
    {**TURNS[0], "children": TURNS}, {"a": {"b": "c"}}, {**TURNS[0], "next": {"x": "y"}}, TURNS[0],
    {"tools": {"a": 1}, **TABLES["list"]},
]  # fmt: skip


@each("value", NO_TABLES)
def test_other_values_mean_themselves(value: Any) -> None:
    assert as_objects(value) is None


def test_lines_of_a_table_keep_their_empty_cells() -> None:
    table = {"columns": ["role", "content", "name"], "data": [["user", None, None]]}
    assert table_rows(table) == [{"role": "user", "content": None, "name": None}]
    assert as_objects(table) == [{"role": "user", "content": None}], "a text that is null stays"
    assert table_rows(SPLIT) == TURNS and table_rows({**SPLIT, "index": [1, 2]}) is None


@each("parent", ["parent", "parent_id", "parentId", "parent_uuid", "parentUuid"])
def test_turns_that_say_what_they_follow(parent: str) -> None:
    nodes = {
        "b": {parent: "a", "message": TURNS[1]},
        "r": {parent: None, "id": "r", "message": None, "children": ["a"]},
        "a": {parent: "r", "message": TURNS[0]},
    }
    found = as_objects(nodes)
    assert found is not None
    assert [(turn["role"], turn["content"]) for turn in found] == [("user", "Up?"), ("assistant", "Yes.")]
    assert as_objects({**nodes, "c": {parent: "a", "message": TURNS[1]}}) is None, "a branch"
    assert as_objects({**nodes, "r": {parent: None, "message": None, "text": "Hm."}}) is None, "the first one says more"
    assert as_objects({**nodes, "r": {parent: None, "message": "Hm."}}) is None


@each(
    "row, meant",
    [
        ({"columns": ["id", "text"], "data": [[3, "Hi"]]}, {"id": 3, "text": "Hi"}),
        ({"columns": ["id", "text"], "data": [3, "Hi"]}, {"id": 3, "text": "Hi"}),
        ({"header": ["id", "text"], "rows": [[3, "Hi"]], "n": 1}, {"id": 3, "text": "Hi", "n": 1}),
        ({"columns": ["id", "text"], "index": [0], "data": [[3, "Hi"]]}, {"id": 3, "text": "Hi"}),
        ({"columns": ["id", "text"], "index": [1], "data": [[3, "Hi"]]}, None),
        ({"columns": ["id", "text"], "data": [[3]]}, None),
        ({"columns": ["id", "text"], "data": [[3, "Hi"]], "id": 4}, None),
    ],
)
def test_a_table_of_one_line_is_a_row(row: Any, meant: Any) -> None:
    found = meant_row(row)
    assert (None if found is None else found.row) == meant


@each(
    "text, value",
    [
        ("[{'a': 1}]", [{"a": 1}]),
        ("{'a': None}", {"a": None}),
        (" [{'a': 1}\n {'a': 2}] ", [{"a": 1}, {"a": 2}]),
        ("[{'a': (1,)}]", [{"a": (1,)}]),
        ("[1]", None),
        ("[{'a': 1]", None),
        ("[{'a': f(1)}]", None),
        ("[{'a': {1}}]", None),
        ("", None),
    ],
)
def test_lists_in_python_as_text(text: str, value: Any) -> None:
    assert python_value(text) == value
    assert python_value(f"{text}{' ' * (1 << 20)}") == value
    assert value is None or opened(text.strip()) == value
    for length, is_read in ((1 << 20, True), ((1 << 20) + 1, False)):
        assert (python_value("[{'a': '" + "x" * (length - 11) + "'}]") is not None) is is_read


def test_a_table_has_at_least_one_line_below_its_names() -> None:
    assert as_objects([["role", "content"], ["user", "Is it up?"]]) == [{"role": "user", "content": "Is it up?"}]
    assert as_objects([["role", "content"]]) is None
