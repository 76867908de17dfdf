"""Guards: where they say no, the check finds nothing; and a rule with a guard is fast and fires."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from itertools import cycle
from random import Random
from typing import Any, ClassVar

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import FIXTURES, each, exhaustive, nightly
from tests.helpers.lint_rows import TOOL, row
from toolconv import dialects, layouts
from toolconv.core.rows import MISSHAPEN
from toolconv.dialects.base import RenderError
from toolconv.dialects.turn_reader import TurnReader
from toolconv.dialects.turns import render_turns
from toolconv.layouts.base import LayoutError
from toolconv.lint.engine import config, selection
from toolconv.lint.engine.linter import Linter
from toolconv.lint.engine.prefilter import Prefilter
from toolconv.lint.engine.selection import Selection, all_rules
from toolconv.lint.model.arguments import argument_problems
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.guards import Words
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import LintTurn
from toolconv.lint.rule import AssistantRule, DatasetRule, ToolRule, rule
from toolconv.lint.schema.metaschema import is_certainly_valid
from toolconv.lint.schema.parameters import Parameters
from toolconv.lint.schema.schema_check import compile_check
from toolconv.lint.schema.schemas import clean

CALL = '{"name": "get_weather", "arguments": {"city": "Rome"}}'
TEXTS = [
    "", " ", "system", "user", "assistant", "tool", "function", "call_0", "call_1", "get_weather", "functions.get_weather",
    "Rome", "<city>", "YOUR_KEY_HERE", "...", "a & b", "&amp; x", "\\n a \\n b", f"<tool_call>{CALL}</tool_call>", CALL,
    "<think>a</think>b", "</think>", "<|im_end|>", "{'a': True}", "[1]", "{}", "null", "3.0", "12345678901234567", "it's",
    f"<tools>[{json.dumps(TOOL)}]</tools>", f"You can call {json.dumps(TOOL)}", f"[TOOL_CALLS] [{CALL}]", "\ud83d",
    "Action: get_weather\nAction Input: {}", '"{\\"city\\": 1}"', '{"city": "a", "city": "b"}', '{"town": "x"}',
    '{"city": "Rome", "days": 3.0}', '{"city": "Rome", "days": "3"}', '{"city": null}', '{"city": "\\ud83d"}',
    '{"city": "Rome", "days": 9007199254740993}', "[" * 300 + "]" * 300, "x" * 70,
]  # fmt: skip
VALUES: list[Any] = [*TEXTS, None, True, 0, 3, 2.0, 2**53 + 1, 10**24, [], {}, ["a"], [None], {"a": 1}, [{}]]
KEYS = [
    "content", "role", "tool_calls", "function_call", "tool_call_id", "name", "id", "arguments", "parameters", "thinking",
    "reasoning_content", "description", "required", "properties", "type", "enum", "anyOf", "minimum", "tools", "functions",
    "system", "messages", "prompt", "city", "days", "function",
]  # fmt: skip


def rich() -> dict[str, Any]:
    """A row with parallel calls, of a tool with more than plain parameters."""
    value = copy.deepcopy(row(arguments={"city": "Rome", "days": None, "tags": ["a"], "where": {"lat": 1.5}}))
    value["tools"][0]["function"]["parameters"] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "city": {"type": "string", "enum": ["Paris", "Rome"]},
            "days": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "where": {"type": "object", "properties": {"lat": {"type": "number"}}, "required": ["lat"]},
        },
        "required": ["city"],
    }
    second = copy.deepcopy(value["messages"][1]["tool_calls"][0])
    second["id"], second["function"]["arguments"] = "call_1", '{"city": "Paris"}'
    value["messages"][1]["tool_calls"].append(second)
    value["messages"].insert(
        3, {"role": "tool", "tool_call_id": "call_1", "name": "get_weather", "content": '{"a": 1}'}
    )
    value["messages"].insert(0, {"role": "system", "content": "Be brief."})
    return value


ORDINARY = [row(), rich(), {"tools": [], "messages": [*row()["messages"][:1], {"role": "assistant", "content": "Hm."}]}]


def mutated(value: Any, random: Random) -> Any:
    """A copy of a row in which a few places were changed."""
    value = copy.deepcopy(value)
    for _ in range(random.choice((1, 1, 2, 3))):
        places = list(_places(value))
        if not places:
            break
        parent, key = random.choice(places)
        deed = random.randrange(6)
        if deed == 0:
            parent[key] = copy.deepcopy(random.choice(VALUES))
        elif deed == 1:
            del parent[key]
        elif deed == 2 and isinstance(parent, dict):
            parent[random.choice(KEYS)] = copy.deepcopy(random.choice(VALUES))
        elif deed == 3 and isinstance(parent, list):
            parent.insert(key, copy.deepcopy(random.choice(parent)))
        elif deed == 4 and isinstance(parent[key], str):
            parent[key] += random.choice(TEXTS)
        else:
            other, name = random.choice(places)
            parent[key] = copy.deepcopy(other[name])
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key, member in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield value, key
        yield from _places(member)


ALL = Linter(selections=[Selection(("ALL",))]).rules
DIALECTS = ("hermes", "qwen3_xml", "mistral", "pythonic", "harmony")
LAYOUTS = [name for name in layouts.names() if layouts.get(name).writable and name != "raw"]


def fixture_rows() -> list[dict[str, Any]]:
    """The rows of all cases of rules."""
    found: list[dict[str, Any]] = []
    for path in sorted((FIXTURES / "lint").glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            found += [each for each in json.loads(line).get("rows", []) if isinstance(each, dict)]
    return found


CASES = [*ORDINARY, *fixture_rows(), *(json.loads(layouts.get(name).sample) for name in LAYOUTS)]
CASES = list({json.dumps(value): value for value in CASES}.values())
POOL = [*ORDINARY * 20, *CASES]
"""The cases for random changes, in which ordinary rows are as likely as odd ones."""


def lint_row(value: dict[str, Any], layout: str | None = None, dialect: str | None = None) -> LintRow:
    known = layouts.get(layout) if layout else layouts.detect(value)
    return LintRow(
        "a.jsonl", 1, json.dumps(value).encode(), known, TurnReader(dialects.get(dialect)) if dialect else None
    )


def in_layout(value: dict[str, Any], name: str) -> dict[str, Any] | None:
    """A row in another layout; ``None`` where it can't be held."""
    own = layouts.detect(value)
    try:
        conversation = own.read(value) if own is not None else None
        if conversation is None:
            return None
        conversation.origin = None
        found = json.loads(json.dumps(layouts.get(name).write(conversation)))
        return found if isinstance(found, dict) else None
    except (LayoutError, *MISSHAPEN):
        return None


def in_dialect(value: dict[str, Any], name: str) -> dict[str, Any] | None:
    """A row with its calls spelled in its texts."""
    own = layouts.detect(value)
    try:
        conversation = own.read(copy.deepcopy(value)) if own is not None else None
        if conversation is None:
            return None
        render_turns(conversation, dialects.get(name))
        return conversation.row
    except (LayoutError, RenderError, *MISSHAPEN):
        return None


def assert_silent_where_guarded(row: LintRow) -> None:
    """The law of guards, for one row and all rules."""
    rules = [rule for rule in ALL if not isinstance(rule, DatasetRule)]
    concerned = {rule.code for rule in Prefilter(rules).concerned(row)}
    if row.overview is None and row.row is not None:
        assert concerned == {rule.code for rule in rules}
    whole = LintRow(row.file, row.line, row.raw, row.layout, row.reader)  # one for all rules, as in a run
    for found in rules:
        if found.code not in concerned:
            assert [finding.message for finding in found.find(whole)] == [], found.code
    if row.overview is not None:
        again = LintRow(row.file, row.line, row.raw, row.layout, row.reader)
        assert (row.read_as, row.counts) == (again.read_as, again.counts)
        exact = {type(call.written) for call in again.calls if isinstance(call.arguments, dict)} & {str, dict}
        assert all(map(row.may_write, exact))


@pytest.mark.parametrize(
    "raw",
    [
        b"", b" ", b"[", b"[1]", b'"x"', b"null", b"3", b"NaN", b'{"a": ', b'{"a": 1} x', b"{'a': 1}", b'{"a": NaN}',
        b'{"a": 1e999}', b'\xef\xbb\xbf{"a": 1}', b'{"a": "\0"}', b'{"a": "\xff"}', b'{"a": ' * 300 + b"1" + b"}" * 300,
        b'[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "<tool_call>{}</tool_call>"}]',
        b'{"_toolconv": {"ignore": ["TC101"]}, "messages": [', b'{"a": ' + b"9" * 5000 + b"}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("layout", [None, "openai", "raw"])
def test_where_guards_say_no_rules_find_nothing_in_lines_that_are_no_objects(raw: bytes, layout: str | None) -> None:
    line = LintRow("a.jsonl", 1, raw, layouts.get(layout) if layout else None, TurnReader(dialects.get("hermes")))
    assert line.row is None
    assert_silent_where_guarded(line)


def test_where_guards_say_no_rules_find_nothing_in_rows_with_a_key_twice() -> None:
    text = json.dumps(rich())
    walked = 0
    for key, first in zip(re.finditer(r'"\w+": ', text), cycle(('"x"', "[]", '{"city": 1}', "9" * 20)), strict=False):
        raw = f"{text[: key.start()]}{key[0]}{first}, {text[key.start() :]}".encode()
        line = LintRow("a.jsonl", 1, raw, layouts.get("openai"), None)
        assert line.row == rich()
        assert_silent_where_guarded(line)
        walked += line.overview is not None
    assert walked > 40


@pytest.mark.parametrize("key", ["system", "system_prompt"])
def test_where_guards_say_no_rules_find_nothing_in_rows_with_a_system_text_beside_the_messages(key: str) -> None:
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]
    line = lint_row({"messages": messages, key: "You are brief."}, "openai")
    assert_silent_where_guarded(line)
    assert line.counts.turns == 3


@pytest.mark.sweep(every=24)
@pytest.mark.parametrize(
    ("name", "step"),
    [
        pytest.param("as it is", 1, marks=exhaustive),
        *((name, 8) for name in LAYOUTS),
        *(pytest.param(name, 1, marks=nightly) for name in LAYOUTS),
    ],
)
def test_where_guards_say_no_rules_find_nothing_in_the_cases(name: str, step: int) -> None:
    seen = 0
    for value in CASES[len(name) % step :: step]:
        row = value if name == "as it is" else in_layout(value, name)
        if row is not None:
            assert_silent_where_guarded(lint_row(row, None if name == "as it is" else name))
            seen += 1
    assert seen


@pytest.mark.exhaustive
@pytest.mark.parametrize("step", [24, pytest.param(1, marks=nightly)])
@pytest.mark.parametrize("name", DIALECTS)
def test_where_guards_say_no_rules_find_nothing_in_calls_in_text(name: str, step: int) -> None:
    for value in CASES[len(name) % step :: step]:
        row = in_dialect(value, name)
        if row is not None:
            assert_silent_where_guarded(lint_row(row, "chat", name))


@pytest.mark.exhaustive
@given(
    st.sampled_from(POOL),
    st.randoms(use_true_random=False),
    st.sampled_from([None, None, *LAYOUTS]),
    st.sampled_from([None, None, None, *DIALECTS]),
)
@settings(max_examples=400, deadline=None)
def test_where_guards_say_no_rules_find_nothing(
    value: dict[str, Any], random: Random, name: str | None, dialect: str | None
) -> None:
    if dialect is not None and random.random() < 0.7:
        row: Any = in_dialect(value, dialect)
    else:
        row = value if name is None else in_layout(value, name)
    row = mutated(row, random) if row is not None else None
    if isinstance(row, dict):
        assert_silent_where_guarded(lint_row(row, None, dialect))


@pytest.mark.parametrize("name", ["openai", "canonical", "sharegpt", "anthropic", "responses", "gemini", *DIALECTS[:2]])
@pytest.mark.parametrize("value", ORDINARY)
def test_an_ordinary_row_concerns_no_default_rule(value: dict[str, Any], name: str) -> None:
    dialect = name if name in DIALECTS else None
    row = in_layout(value, name) if dialect is None else in_dialect(value, name)
    assert row is not None
    linter = Linter()
    assert linter._prefilter.concerned(lint_row(row, "chat" if dialect else name, dialect)) == ()
    assert linter.check(lint_row(row, "chat" if dialect else name, dialect)).findings == []


@rule("TC391", "apology", "info", guards=(Words("assistant", ("I'm sorry",)),))
class Apology(AssistantRule):
    """As CONTRIBUTING says."""

    visits: ClassVar[list[str]] = []

    def check(self, row: LintRow, turn: LintTurn) -> Iterator[Finding]:
        self.visits.append(turn.text)
        if turn.text.startswith("I'm sorry"):
            yield self.finding(row, row.text_pointer(turn.message), "apologises")


class UnguardedApology(Apology):
    """Without a guard."""

    guards: ClassVar[Any] = ()


@pytest.mark.parametrize(("rule", "visits"), [(Apology, ["I'm sorry, no."]), (UnguardedApology, None)])
def test_a_new_rule_fires(rule: type[Apology], visits: list[str] | None, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {**all_rules(), rule.code: rule}
    for module in (selection, config):
        monkeypatch.setattr(module, "all_rules", lambda: known)
    monkeypatch.setattr("toolconv.lint.engine.linter.all_rules", lambda: known)
    rule.visits.clear()
    linter = Linter()
    question = {"role": "user", "content": "Please."}
    for text in ("Hello!", "I'm sorry, no.", "Sorry, no."):
        row = {"messages": [question, {"role": "assistant", "content": text}], "tools": []}
        found = linter.check(lint_row(row, "openai")).findings
        assert [finding.code for finding in found] == (["TC391"] if text.startswith("I'm") else [])
    assert rule.visits == (visits or ["Hello!", "I'm sorry, no.", "Sorry, no."])


def test_only_rules_about_the_target_or_opt_in_rules_have_no_guard() -> None:
    without = {
        code
        for code, rule in all_rules().items()
        if not issubclass(rule, DatasetRule | ToolRule) and rule.default and not rule.guards
    }
    assert without == set()


SCALARS = st.none() | st.booleans() | st.integers(-3, 9) | st.sampled_from([0.5, 2.0]) | st.sampled_from(["", "a", "b"])
DATA = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner))
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null"])
SCHEMA = st.recursive(
    st.fixed_dictionaries({"type": TYPES | st.lists(TYPES, min_size=1, unique=True)}, optional={"title": st.just("T")})
    | st.fixed_dictionaries(
        {"type": st.just("integer")},
        optional={"minimum": st.integers(0, 3), "maximum": st.just(5), "exclusiveMaximum": st.integers(2, 5)},
    )
    | st.fixed_dictionaries(
        {"type": st.just("string")},
        optional={"minLength": st.just(1), "maxLength": st.integers(0, 1), "pattern": st.sampled_from(["a", "^b?$"])},
    )
    | st.fixed_dictionaries({"enum": st.just(["a", "b"])}, optional={"type": st.just("string")})
    | st.sampled_from([{"enum": [1, "a", None]}, {"const": True}, {"type": "integer", "multipleOf": 2}, {}])
    | st.sampled_from([{"type": "string", "nullable": True}, {"enum": ["a"], "nullable": True}]),
    lambda inner: (
        st.fixed_dictionaries(
            {"properties": st.dictionaries(st.sampled_from("ab"), inner)},
            optional={
                "type": st.just("object"),
                "required": st.lists(st.sampled_from("ab"), unique=True),
                "additionalProperties": st.booleans() | inner,
                "minProperties": st.just(1),
            },
        )
        | st.fixed_dictionaries(
            {"type": st.just("array"), "items": inner}, optional={"maxItems": st.just(1), "uniqueItems": st.booleans()}
        )
        | st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)})
        | st.fixed_dictionaries({"oneOf": st.lists(inner, min_size=1, max_size=2)})
        | st.fixed_dictionaries({"$defs": st.fixed_dictionaries({"x": inner}), "$ref": st.just("#/$defs/x")})
    ),
    max_leaves=6,
)


@given(SCHEMA, DATA)
def test_what_a_check_lets_pass_a_validator_does(schema: Any, value: Any) -> None:
    check = compile_check(schema)
    if check is not None and check(value):
        jsonschema.Draft202012Validator(clean(schema)).validate(value)


@given(st.fixed_dictionaries({"type": st.just("object"), "properties": st.dictionaries(st.sampled_from("ab"), SCHEMA)}),
       st.dictionaries(st.sampled_from("ab"), DATA))  # fmt: skip
def test_what_a_check_lets_pass_has_no_problems(schema: Any, arguments: Any) -> None:
    check = compile_check(schema)
    if check is not None and check(arguments):
        known = Parameters(schema, json.dumps(schema).encode())
        known.fits = None
        assert argument_problems("f", known, arguments) == []


KEYWORDS = [
    "type", "properties", "required", "items", "enum", "anyOf", "allOf", "minimum", "maxLength", "pattern", "description",
    "additionalProperties", "uniqueItems", "$ref", "$schema", "default", "x-own", "not", "format", "if", "const",
]  # fmt: skip
PART = st.recursive(
    SCALARS | TYPES | st.sampled_from(["(", "date", "https://json-schema.org/draft/2020-12/schema"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.exhaustive
@given(st.dictionaries(st.sampled_from(KEYWORDS), PART, max_size=4) | SCHEMA | PART)
@settings(max_examples=500)
def test_a_schema_that_is_certainly_valid_meets_the_metaschema(schema: Any) -> None:
    if is_certainly_valid(schema):
        checker = jsonschema.FormatChecker(formats=["regex"])
        jsonschema.Draft202012Validator(jsonschema.Draft202012Validator.META_SCHEMA, format_checker=checker).validate(
            schema
        )


@given(SCHEMA)
def test_most_schemas_are_known_to_be_valid_at_once(schema: Any) -> None:
    text = json.dumps(schema)
    assert is_certainly_valid(schema) or '"pattern"' in text


@each(
    "schema, fits, fails",
    [
        ({"enum": [1, "a", None]}, None, True),
        ({"const": True}, True, 1),
        ({"type": "integer", "nullable": True, "minimum": 2}, None, 1),
        ({"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}, ["a"], [1]),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"a": 1}, {"a": "1"}),
        ({"$ref": "#/$defs/unit", "$defs": {"unit": {"enum": ["C", "F"]}}}, "C", "K"),
        ({"type": ["string", "null"], "minLength": 1}, None, ""),
    ],
)
def test_common_schemas_are_compiled(schema: Any, fits: Any, fails: Any) -> None:
    check = compile_check(schema)
    assert check is not None
    assert check(fits)
    assert not check(fails)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"properties": {"a": {"$ref": "#/properties/a"}}},
        {"oneOf": [{"type": "integer"}, {"type": "number"}]},
        {"anyOf": [{"const": 1}], "nullable": True},
        {"$defs": {str(n): {"anyOf": [{"$ref": f"#/$defs/{n + 1}"}] * 2} for n in range(40)}, "$ref": "#/$defs/0"},
    ],
)
def test_circular_multiplying_and_ambiguous_schemas_are_left_to_a_validator(schema: Any) -> None:
    assert compile_check(schema) is None


@pytest.mark.parametrize("keyword", ["minLength", "$ref", "if", "not", "exclusiveMinimum"])
def test_schemas_that_say_more_are_left_to_a_validator(keyword: str) -> None:
    assert compile_check({"type": "string", keyword: "x"}) is None
    assert compile_check({"type": "string", "$schema": "http://json-schema.org/draft-00/schema#"}) is None
    assert compile_check({"type": "string", "$schema": "http://json-schema.org/draft-07/schema#"}) is not None
    assert compile_check({"type": "object", "properties": {"a": {"type": "string", keyword: "x"}}}) is None


@pytest.mark.parametrize("pattern", ["(", "(a+)+$"])
def test_patterns_that_are_not_run_are_left_to_a_validator(pattern: str) -> None:
    check = compile_check({"type": "string", "pattern": pattern})
    assert check is not None
    assert not check("a" * 50)


@each(
    "keyword, fits, fits_not",
    [("minLength", "ab", "a"), ("maxLength", "ab", "abc"), ("minItems", [1, 2], [1]), ("maxItems", [1, 2], [1, 2, 3]),
     ("minProperties", {"a": 1, "b": 1}, {"a": 1}), ("maxProperties", {"a": 1, "b": 1}, {"a": 1, "b": 1, "c": 1})],
)  # fmt: skip
def test_a_bound_of_a_length_is_part_of_what_fits(keyword: str, fits: Any, fits_not: Any) -> None:
    check = compile_check({keyword: 2})
    assert check is not None and check(fits) and not check(fits_not)
    if keyword.startswith("max"):
        assert check(type(fits)())
