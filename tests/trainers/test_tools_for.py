"""Schemas rewritten for an API accept what they did, or say what changed: shown by generated schemas and instances."""

import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import each, toolconv
from toolconv.trainers.tools_for import CHANGES, TARGETS, rewritten

NAMES = st.sampled_from(["a", "b", "c"])
SCALARS = st.sampled_from([None, True, 0, 1, 2, 1.5, "x", "y", ""])
LEAVES = st.one_of(
    st.fixed_dictionaries({"type": st.sampled_from(["string", "integer", "number", "boolean", "null"])}),
    st.fixed_dictionaries({"type": st.lists(st.sampled_from(["string", "integer", "boolean", "null"]), min_size=1,
                                            max_size=3, unique=True)}),
    st.fixed_dictionaries({"const": SCALARS}),
    st.fixed_dictionaries({"enum": st.lists(SCALARS, min_size=1, max_size=3, unique_by=repr)}),
    st.fixed_dictionaries({"type": st.just("integer"), "exclusiveMinimum": st.integers(-1, 1)}),
    st.fixed_dictionaries({"type": st.just("integer"), "multipleOf": st.just(2)}),
    st.fixed_dictionaries({"prefixItems": st.just([{"type": "string"}]), "items": st.sampled_from([False, {"type": "integer"}])}),
    st.fixed_dictionaries({"patternProperties": st.just({"^a": {"type": "string"}}), "additionalProperties": st.just(False)}),
    st.fixed_dictionaries({"type": st.just("array"), "items": st.booleans()}),
    st.sampled_from([{"$ref": "#/$defs/d"}, {"$ref": "#"}, {"$ref": "#/properties/a"}]),
    st.just({}),
)  # fmt: skip


def objects(inner):
    return st.builds(
        lambda members, needed, more: {"type": "object", "properties": members, **more,
                                       **({"required": sorted(needed & members.keys())} if needed & members.keys() else {})},
        st.dictionaries(NAMES, inner, max_size=3),
        st.sets(NAMES),
        st.sampled_from([{}, {"additionalProperties": False}]),
    )  # fmt: skip


SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        objects(inner),
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"oneOf": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"allOf": st.lists(inner, min_size=1, max_size=2)}),
    ),
    max_leaves=6,
)
DEFINED = st.sampled_from(
    [{"type": "string"}, {"type": ["integer", "null"]}, {"properties": {"a": {"$ref": "#/$defs/d"}}}]
)
CHOICES = st.fixed_dictionaries({"anyOf": st.lists(objects(LEAVES), min_size=2, max_size=2)})
UNTYPED = st.fixed_dictionaries({"properties": st.dictionaries(NAMES, LEAVES, max_size=2)})
ROOTS = st.builds(
    lambda root, defined: {**root, "properties": {"a": {}, **root.get("properties", {})}, "$defs": {"d": defined}},
    st.one_of(objects(SCHEMAS), CHOICES, UNTYPED),
    DEFINED,
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=4,
)
ARGUMENTS = st.dictionaries(NAMES, VALUES, max_size=3)


def plain(schema):
    """A schema of Gemini's as JSON Schema: ``nullable`` is another choice."""
    if isinstance(schema, list):
        return [plain(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: plain(value) for key, value in schema.items() if key != "nullable"}
    return {"anyOf": [found, {"type": "null"}]} if schema.get("nullable") is True else found


def accepts(schema, value):
    return jsonschema.Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize("target", TARGETS)
@given(schema=ROOTS, values=st.lists(ARGUMENTS, min_size=1, max_size=6))
def test_a_rewritten_schema_accepts_the_same_or_the_change_is_named(target, schema, values):
    found, changes = rewritten(schema, target)
    names = {name for name, _ in changes}
    assert names <= CHANGES.keys()
    for value in values:
        before, after = accepts(schema, value), accepts(plain(found), value)
        if before and not after:
            assert "schema_narrowed" in names, (schema, found, value)
        if after and not before:
            assert "schema_widened" in names or (target == "openai-strict" and "schema_narrowed" in names), (
                schema,
                found,
            )


@pytest.mark.parametrize("target", TARGETS)
@given(schema=ROOTS)
def test_a_rewritten_schema_has_only_what_the_api_knows(target, schema):
    text = json.dumps(rewritten(schema, target)[0])
    unknown = {"gemini": ("$ref", "$defs", "oneOf", "allOf", '"const"', '["'), "openai-strict": ("oneOf", "allOf")}
    assert all(
        each not in text.replace('"enum": ["', "").replace('"required": ["', "") for each in unknown.get(target, ())
    )
    if target == "openai-strict":
        found = json.loads(text)
        assert all(each["additionalProperties"] is False and each["required"] == list(each["properties"])
                   for each in closed(found))  # fmt: skip
        assert found["type"] == "object" and not found.keys() & {"anyOf", "$ref"}
    if target == "anthropic":
        found = json.loads(text)
        assert found["type"] == "object" and not found.keys() & {"anyOf", "oneOf", "allOf", "$ref"}


def closed(schema):
    """The objects in a schema."""
    if isinstance(schema, list):
        for each in schema:
            yield from closed(each)
    elif isinstance(schema, dict):
        if "properties" in schema and isinstance(schema.get("required"), list):
            yield schema
        for each in schema.values():
            yield from closed(each)


@each("target, given_schema, expected, names", [
        ("gemini", {"type": "object", "properties": {"a": {"$ref": "#/$defs/d"}}, "$defs": {"d": {"type": "string"}}},
         {"type": "object", "properties": {"a": {"type": "string"}}}, []),
        ("gemini", {"type": "object", "properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}},
         {"type": "object", "properties": {"a": {"type": "integer", "nullable": True}}}, []),
        ("gemini", {"type": "object", "properties": {"a": {"const": "x"}}},
         {"type": "object", "properties": {"a": {"type": "string", "enum": ["x"]}}}, []),
        ("gemini", {"type": "object", "properties": {"a": {"enum": [1, 2]}}},
         {"type": "object", "properties": {"a": {}}}, ["schema_widened"]),
        ("gemini", {"type": "object", "properties": {"a": {"$ref": "#/$defs/t"}},
                    "$defs": {"t": {"type": "object", "properties": {"next": {"$ref": "#/$defs/t"}}}}},
         {"type": "object", "properties": {"a": {"type": "object", "properties": {"next": {}}}}}, ["schema_widened"]),
        ("gemini", {"type": "object", "properties": {"a": {"type": "array", "prefixItems": [{"type": "string"}],
                                                           "items": {"type": "integer"}}}},
         {"type": "object", "properties": {"a": {"type": "array"}}}, ["schema_widened"]),
        ("gemini", {"type": "object", "properties": {"a": {"type": "array", "items": False}, "b": {"items": True}}},
         {"type": "object", "properties": {"a": {"type": "array", "maxItems": 0}, "b": {}}}, []),
        ("gemini", {"type": "object", "patternProperties": {"^a": {"type": "string"}}, "additionalProperties": False},
         {"type": "object"}, ["schema_widened"]),
        ("gemini", {"type": "object", "properties": {"a": {"allOf": [{"$ref": "#"}]}}},
         {"type": "object", "properties": {"a": {"type": "object", "properties": {"a": {}}}}}, ["schema_widened"]),
        ("gemini", {"type": "object", "allOf": [{"properties": {"a": {}}, "additionalProperties": False},
                                                {"properties": {"b": {}}}]},
         {"type": "object", "properties": {"a": {}, "b": {}}, "additionalProperties": False}, ["schema_widened"]),
        ("openai-strict", {"type": "object", "properties": {"a": {"type": "string"}}},
         {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"],
          "additionalProperties": False}, ["schema_narrowed", "schema_narrowed"]),
        ("openai-strict", {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
                           "additionalProperties": False},
         {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
          "additionalProperties": False}, []),
        ("openai-strict", {"$ref": "#/$defs/d", "$defs": {"d": {"type": "object", "properties": {}}}},
         {"type": "object", "properties": {}, "required": [], "additionalProperties": False,
          "$defs": {"d": {"type": "object", "properties": {}, "required": [], "additionalProperties": False}}},
         ["schema_narrowed", "schema_narrowed"]),
        ("openai-strict", {"type": "object", "properties": {}, "patternProperties": {"^a": {}}, "additionalProperties": False},
         {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
         ["schema_widened", "schema_narrowed"]),
        ("openai-strict", {"type": "object", "properties": {"a": {"type": "array", "items": True}}, "required": ["a"],
                           "additionalProperties": False},
         {"type": "object", "properties": {"a": {"type": "array"}}, "required": ["a"], "additionalProperties": False}, []),
        ("openai-strict", {"type": "object", "properties": {"a": {"type": ["object", "integer"]}}, "required": ["a"],
                           "additionalProperties": False},
         {"type": "object", "properties": {"a": {"type": ["object", "integer"], "properties": {}, "required": [],
                                                 "additionalProperties": False}},
          "required": ["a"], "additionalProperties": False}, ["schema_narrowed"]),
        *((target, {"type": "array", "minItems": 1}, {"type": "object", "minItems": 1, **closed_}, ["schema_widened", *narrowed])
          for target, closed_, narrowed in (
              ("anthropic", {}, []),
              ("openai-strict", {"properties": {}, "required": [], "additionalProperties": False}, ["schema_narrowed"]))),
        *(("anthropic", {"type": kind}, {"type": "object"}, []) for kind in ("object", ["object", "null"])),
        ("anthropic", {"anyOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {}}}]},
         {"type": "object", "properties": {"a": {"type": "string"}, "b": {}}}, ["schema_widened", "schema_narrowed"]),
        ("anthropic", {"anyOf": [{"properties": {"a": {"type": "string"}}, "additionalProperties": False},
                                 {"properties": {"a": {}}}]},
         {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {}]}}}, ["schema_widened"]),
        ("anthropic", {"anyOf": [{"type": "object", "properties": {"a": {}}, "required": ["a"]},
                                 {"type": "object", "properties": {"b": {}}}]},
         {"type": "object", "properties": {"a": {}, "b": {}}}, ["schema_widened"]),
    ])  # fmt: skip
def test_schemas(target, given_schema, expected, names):
    found, changes = rewritten(given_schema, target)
    assert found == expected
    assert [name for name, _ in changes] == names


LIST = {"type": "array", "items": {"type": "string"}}


@each("target, given_schema, value, names", [
        # A whole schema without a type accepts a text, and so does a reference to it.
        ("anthropic", {"properties": {"a": {"$ref": "#"}}}, {"a": "x"}, []),
        ("anthropic", {"type": ["object", "null"], "properties": {"a": {"$ref": "#"}}}, {"a": None}, []),
        ("anthropic", {"properties": {"a": {"$ref": "#/allOf/0"}}, "allOf": [{"required": ["a"]}]}, {"a": {"a": 1}}, []),
        # A reference that leads to what is no longer there leads to a copy; there may be one of that name.
        ("openai-strict", {"type": "object", "properties": {"a": {"$ref": "#/allOf/0/items"}}, "required": ["a"],
                           "additionalProperties": False, "allOf": [{"items": LIST}], "$defs": {"copy": {}}},
         {"a": ["x"]}, []),
        ("openai-strict", {"type": "object", "properties": {"a": {"$ref": "#/$defs/a%20b"}}, "required": ["a"],
                           "additionalProperties": False, "$defs": {"a b": LIST}}, {"a": ["x"]}, []),
        # What one part of a schema closes, another one must not open.
        ("anthropic", {"type": "object", "allOf": [{"additionalProperties": False}, {"properties": {"a": LIST}}]},
         None, ["schema_widened"]),
        ("anthropic", {"type": "object", "allOf": [{"patternProperties": {"^c": LIST}}, {"additionalProperties": False}]},
         None, ["schema_widened"]),
        ("anthropic", {"type": "object", "allOf": [{"patternProperties": {"^c": LIST}}, {"minProperties": 1}]},
         {"c": ["x"]}, []),
        # Nothing is there.
        ("openai-strict", {"type": "object", "properties": {"a": {"$ref": "#/$defs/d"}}, "required": ["a"],
                           "additionalProperties": False}, None, ["schema_widened"]),
    ])  # fmt: skip
def test_references_and_parts(target, given_schema, value, names):
    """``value`` is accepted before and after; where a list of numbers is not, it is not after."""
    found, changes = rewritten(given_schema, target)
    assert [name for name, _ in changes] == names
    jsonschema.Draft202012Validator.check_schema(found)
    if value is not None:
        numbers = {key: [1] for key in value}
        assert accepts(given_schema, value) and accepts(found, value)
        assert accepts(given_schema, numbers) == accepts(found, numbers)


UNSOUND = [
    {"properties": {"a": {"type": "string", "enum": "x"}}},
    {"properties": {"a": {"enum": [1], "type": {"x": 1}}}},
    {"properties": {"a": {"type": ["string", {}]}}},
    {"properties": {"a": {"type": "integer", "exclusiveMinimum": 1, "minimum": "x"}}},
    {"properties": {"a": {"allOf": [{"required": [{}]}, {"required": ["a"]}]}}},
    {"properties": {"type": {"type": 5}}},
    {"anyOf": [{"properties": ["a"]}, 5]},
    {"anyOf": [{"properties": {"a": {}}, "required": 5}]},
    {"properties": {"a": {"$ref": "#/properties/b"}}, "$defs": 5},
    {"type": 5},
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("unsound", UNSOUND, ids=json.dumps)
def test_what_is_no_schema_is_left_out_and_named(target, unsound):
    before = json.dumps(unsound)
    found, changes = rewritten(unsound, target)
    jsonschema.Draft202012Validator.check_schema(found)
    assert any("has a value that JSON Schema does not know" in why for _, why in changes)
    assert json.dumps(unsound) == before


def test_a_parameter_may_be_called_as_a_keyword():
    schema = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("type", "required", "enum", "anyOf")},
    }
    assert rewritten(schema, "gemini") == (schema, [])


def test_references_that_multiply_are_cut():
    defs = {f"d{at}": {"type": "object", "properties": {"l": {"$ref": f"#/$defs/d{at + 1}"}, "r": {"$ref": f"#/$defs/d{at + 1}"}}}
            for at in range(40)} | {"d40": {"type": "string"}}  # fmt: skip
    found, changes = rewritten({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": defs}, "gemini")
    assert len(json.dumps(found)) < 1_000_000 and {name for name, _ in changes} == {"schema_widened"}


def test_the_command_rewrites_tools_and_names_what_changed():
    tool = {"type": "function", "function": {"name": "f", "parameters": {
        "type": "object", "properties": {"a": {"enum": [1]}}}}}  # fmt: skip
    row = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}], "tools": [tool]}
    run = toolconv("convert", "--trainer", "gemini", "--tools-for", "gemini", "--receipt", "/dev/stderr",
                   stdin=json.dumps(row) + "\n")  # fmt: skip
    assert run.rows[0]["tools"] == [{"functionDeclarations": [{"name": "f", "parameters": {
        "type": "object", "properties": {"a": {}}}}]}]  # fmt: skip
    assert "schema_widened 1" in run.err and "f: 'enum' can only hold texts" in run.err
    strict = toolconv("convert", "--tools-for", "openai-strict", stdin=json.dumps(row) + "\n")
    assert strict.rows[0]["tools"][0]["function"]["strict"] is True
    assert toolconv("convert", "--tools-for", "openai-strict", "--strict", stdin=json.dumps(row) + "\n").status == 1
