"""What the linter computes of a row's text: loops, a member that only one has, hashes of a baseline, schemas as they count.

Loops follow the page of TC317 and its limits, schemas JSON Schema 2020-12 and OpenAPI 3.0, hashes ``b2sum -l 96``.
"""

from __future__ import annotations

from typing import Any

from tests.conftest import each
from toolconv.lint.engine.baseline import content_hash
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.spans import _sole_member
from toolconv.lint.model.tools import CODE_TOOLS, built_in
from toolconv.lint.rules.tc3_prose import LOOPS, MIN_LOOP_CHARACTERS, _loop_in, _loop_of_characters
from toolconv.lint.schema.parameters import _signature
from toolconv.lint.schema.schemas import clean

LEAD = "The parcel left Rome on Monday and is on its way to Oslo by train, as the carrier says: "
REST = "which the carrier will confirm by Tuesday, when the train has come to the depot in Oslo and all is unloaded."

# A text, and the loop in it: 5 times in a row, and at least 60 characters.
LOOPS_IN_TEXTS: list[tuple[str, tuple[int, str] | None]] = [
    (LEAD, None),
    (LEAD + "abcdefghijklmno" * 5, (5, "abcdefghijklmno")),
    (LEAD + "abcdefghijklmno" * 4, None),
    (LEAD + "abcdefghijklmno" * 9, (9, "abcdefghijklmno")),
    (LEAD + "xyz" * 20, (20, "xyz")),  # 60 characters
    (LEAD + "xyz" * 19, None),
    ("abcdefghijklmno" * 5, (5, "abcdefghijklmno")),  # from the beginning
    (LEAD + "123456789012345" * 5, None),  # no letter
    (LEAD + "a" * 60, (60, "a")),
    (LEAD + "a" * 59, None),
    (LEAD + "abcdefghijklmno" * 6 + "The rest of the text goes on for 40 sign", (6, "abcdefghijklmno")),
]


@each("text, loop", LOOPS_IN_TEXTS)
def test_a_loop_of_characters(text: str, loop: tuple[int, str] | None) -> None:
    assert (LOOPS, MIN_LOOP_CHARACTERS) == (5, 60)
    found = _loop_of_characters(text)
    assert (found is None) == (loop is None)
    if found is not None and loop is not None:
        assert (found[0], sorted(found[1])) == (loop[0], sorted(loop[1]))


LOOPS_IN_WORDS: list[tuple[list[str], tuple[int, str] | None]] = [
    (["no"] * 12, (12, "no")),
    (["no"] * 11, None),
    (["go", "on"] * 5, (5, "go on")),
    (["go", "on"] * 4, None),
    (["so", *["go", "on"] * 7, "then"], (7, "go on")),
    (["1"] * 12, None),
    (["-", "1"] * 6, None),
    (list("abcdefgh"), None),
    ([], None),
]


@each("words, loop", LOOPS_IN_WORDS)
def test_a_loop_of_words(words: list[str], loop: tuple[int, str] | None) -> None:
    assert _loop_in(words) == loop
    if loop is not None:
        assert _loop_in([*LEAD.split(), *words, *REST.split()]) == loop


TEXT = '{"type": "function", "function": {"name": "f"}}'


@each(
    "text, key, member",
    [
        (TEXT, "function", (21, 33)),
        (TEXT, "type", (1, 9)),
        (TEXT, "name", (34, 42)),
        (TEXT, "id", None),
        ('{"a": 1, "a": 2}', "a", None),
        ('{"a": {"a": 2}}', "a", None),
        ('{"b": "a"}', "a", None),
        ('{"a" : 1}', "a", (1, 7)),
    ],
)
def test_a_member_that_only_one_has(text: str, key: str, member: tuple[int, int] | None) -> None:
    assert _sole_member(text, 0, len(text), key) == member


def test_a_member_between_two_places() -> None:
    text = '{"a": 1} {"a": 2}'
    assert _sole_member(text, 0, 8, "a") == (1, 6)
    assert _sole_member(text, 8, len(text), "a") == (10, 15)


def test_the_hash_of_a_row_stays_that_of_older_baselines() -> None:
    finding = Finding("data/train.jsonl", 1, None, "", "TC101", "unknown-tool", "error", "A message.")
    assert content_hash(finding, b' {"a": 1}\n') == "ec4644dfa7b63e651a5463fb"
    assert content_hash(finding, None) == "1b576304cab4e1d5492dd350"


# A schema with faults, and what is left of it.
CLEANED: list[tuple[Any, Any]] = [
    ({"type": "string"}, {"type": "string"}),
    ({"type": "text"}, {}),
    ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
    ({"type": ["string", "text"]}, {}),
    ({"type": ["string", 1]}, {}),
    ({"type": []}, {}),
    ({"type": None, "minimum": 1}, {"minimum": 1}),
    ({"minimum": True}, {}),
    ({"minimum": "1"}, {}),
    ({"minLength": -1, "maxLength": 2.0}, {"maxLength": 2.0}),
    ({"minItems": 1.5, "uniqueItems": "yes", "multipleOf": 0, "maxProperties": True}, {}),
    ({"description": 7, "title": None, "format": 3, "examples": "a", "dependentRequired": {"a": 1}}, {}),
    ({"enum": [], "pattern": r"\p{L}"}, {"enum": [], "pattern": r"\p{L}"}),
    ({"type": ["string", "string"], "required": ["a", "a"]}, {"type": ["string"], "required": ["a"]}),
    ({"required": True}, {}),
    ({"required": ["a", 1]}, {"required": ["a"]}),
    ({"properties": {"a": None, "b": {"type": "text"}, "c": True}}, {"properties": {"b": {}, "c": True}}),
    ({"anyOf": [None, {"type": "string"}]}, {"anyOf": [{"type": "string"}]}),
    ({"anyOf": [None]}, {}),
    ({"items": {"type": "text"}}, {"items": {}}),
    ({"items": True}, {"items": True}),
    ({"default": {"type": "text"}, "enum": [None]}, {"default": {"type": "text"}, "enum": [None]}),
    ({"type": "string", "nullable": True}, {"type": ["string", "null"], "nullable": True}),
    ({"type": ["string", "null"], "nullable": True}, {"type": ["string", "null"], "nullable": True}),
    ({"type": "string", "nullable": False}, {"type": "string", "nullable": False}),
    ({"enum": ["a"], "nullable": True}, {"enum": ["a", None], "nullable": True}),
    ({"enum": ["a", None], "nullable": True}, {"enum": ["a", None], "nullable": True}),
    (True, True),
    (None, {}),
    ([], {}),
]


@each("schema, left", CLEANED)
def test_what_is_left_of_a_schema_with_faults(schema: Any, left: Any) -> None:
    assert clean(schema) == left


WHOLE = {
    "type": "object",
    "properties": {"a": {"type": "string", "description": "A city."}, "b": {"anyOf": [{"type": "integer"}]}},
    "required": ["b", "a"],
}

# What changes nothing for a call, and what does.
SAME: list[tuple[dict[str, Any], bool]] = [
    ({"description": "Another."}, True),
    ({"required": ["a", "b"]}, True),
    ({"required": ["a"]}, False),
    ({"required": []}, False),
    ({"properties": {**WHOLE["properties"], "a": {"type": "string", "description": "A town."}}}, True),  # type: ignore[dict-item]
    ({"properties": {**WHOLE["properties"], "a": {"type": "integer", "description": "A city."}}}, False),  # type: ignore[dict-item]
    ({"properties": {**WHOLE["properties"], "b": {"anyOf": [{"type": "integer", "description": "N."}]}}}, True),  # type: ignore[dict-item]
    ({"properties": {**WHOLE["properties"], "b": {"anyOf": [{"type": "number"}]}}}, False),  # type: ignore[dict-item]
    ({"properties": {**WHOLE["properties"], "b": {"anyOf": []}}}, False),  # type: ignore[dict-item]
]


@each("change, same", SAME)
def test_what_matters_of_a_schema_for_a_call(change: dict[str, Any], same: bool) -> None:
    assert (_signature({**WHOLE, **change}) == _signature(WHOLE)) is same


# Source: the tools of Gemini, Anthropic and OpenAI that the provider runs.
BUILT_IN: list[tuple[list[Any], set[str]]] = [
    ([{"google_search": {}}], {"google_search"}),
    ([{"code_execution": {}}], {"code_execution", *CODE_TOOLS}),
    ([{"type": "code_interpreter", "container": {"type": "auto"}}], {"code_interpreter", *CODE_TOOLS}),
    ([{"type": "web_search_20250305"}], {"web_search_20250305", "web_search"}),
]


@each("given, names", BUILT_IN)
def test_tools_that_a_provider_runs(given: list[Any], names: set[str]) -> None:
    assert built_in({"tools": given}) == names
