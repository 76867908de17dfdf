"""What original chat templates lose: known for exactly the golden conversations that show it."""

import json
import tomllib
from pathlib import Path

import pytest

from tests.conftest import NO_SHARED, each, toolconv
from tests.programs.probe_originals import RECORD, conversation_of, conversations
from toolconv import layouts, templates
from toolconv.templates.originals import all_deviations, argument_effect, argument_effects, argument_types, deviations

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT.parent / "shared" / "golden" / "conversations.jsonl"
SHOWN = tomllib.loads((ROOT / "tests" / "templates" / "golden_deviations.toml").read_text(encoding="utf-8"))
PROBED = json.loads(RECORD.read_text(encoding="utf-8"))
NOT_PROBED = ("deepseek-v3.2", "deepseek-v4", "hermes-fc", "hunyuan-a13b")
"""See ``tests/programs/probe_originals.py``."""
UNSHOWN = ("reads reasoning under", "(14B)", "it reads 'reasoning'")
"""Effects of keys that the golden conversations don't have, or of another model of the family."""
OTHERWISE = (
    "copies arguments as they were spelled",
    "in thinking mode",
    "knows it from the call",
)
"""Reasons that lie in how a conversation was handed over to the original, or in a variable."""


def test_there_is_a_template_of_each_name():
    assert set(all_deviations()) <= set(templates.names())


@pytest.mark.skipif(not GOLDEN.exists(), reason=NO_SHARED)
@pytest.mark.parametrize("name", sorted(set(all_deviations()) | set(SHOWN)))
def test_golden_conversations_show_the_deviations(name):
    rows = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    found = set()
    for row in rows:
        effects = [each.effect for each in deviations(name, layouts.get("openai").read(row))]
        if any(not any(part in effect for part in (*UNSHOWN, "is null")) for effect in effects):
            found.add(row["id"])
    reasons, last = {}, ""
    for conversation, reason in SHOWN.get(name, {}).items():
        last = last if reason == "the same" else reason
        reasons[conversation] = last
    expected = {each for each, reason in reasons.items() if not any(word in reason for word in OTHERWISE)}
    assert expected <= found
    assert found <= set(reasons)


@pytest.mark.parametrize(
    ("name", "arguments", "effect"),
    [
        ("qwen2.5", '{"a": 1}', "encodes arguments that are JSON text a second time"),
        ("qwen2.5", {"a": 1}, None),
        ("qwen3", '{"a": 1}', None),
        ("glm-4.7", '{"a": 1}', "refuses arguments that are JSON text"),
        ("trinity-large", '{"a": 1}', "leaves out arguments that are JSON text"),
        ("deepseek-v3", {"a": 1}, "refuses arguments that are objects"),
        ("deepseek-v3", '{"a": 1}', None),
    ],
)
def test_arguments_of_a_type_that_an_original_does_not_expect(name, arguments, effect):
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": arguments}}
    messages = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "", "tool_calls": [call]}]
    assert argument_effect(name, argument_types(messages)) == effect
    found = toolconv("lint", "--target", name, "--select", "TC311", stdin=json.dumps({"messages": messages}) + "\n").out
    assert [each for each in {each for _, each in argument_effects().values()} if each in found] == [effect] * bool(
        effect
    )


@each(
    "schema, refused",
    [
        ({"type": "string", "enum": ["a"], "default": None}, True),
        ({"enum": [1], "default": 1}, True),
        ({"oneOf": [{"type": "string"}], "default": None}, True),
        ({"type": "string", "enum": ["a"], "default": "a"}, False),
        ({"type": "string", "enum": ["a"]}, False),
        ({"type": "string", "enum": [], "default": None}, False),
        ({"type": "string", "default": None}, False),
        ({"oneOf": [{"type": "string", "default": None}]}, False),
        ("string", False),
    ],
)
def test_gpt_oss_refuses_defaults_that_are_no_text_beside_choices(schema, refused):
    """The original joins a text and the default there; elsewhere it writes the default as JSON."""
    function = {"name": "f", "description": "d", "parameters": {"type": "object", "properties": {"x": schema}}}
    row = {"messages": [{"role": "user", "content": "q"}], "tools": [{"type": "function", "function": function}]}
    effects = [each.effect for each in deviations("gpt-oss", layouts.get("canonical").read(row))]
    assert any("default" in effect for effect in effects) == refused


def test_what_originals_write_otherwise_is_named():
    """``tests/programs/originals.json`` records what Transformers wrote with each original: see ``tests/programs/probe_originals.py``."""
    unnamed, idle = [], []
    for name, probed in PROBED.items():
        never = {each.effect for each in all_deviations().get(name, ())}
        for row in conversations():
            effects = [each.effect for each in deviations(name, conversation_of(row))]
            if row["case"] in probed["otherwise"]:
                never.difference_update(effects)
                unnamed += [(name, row["case"])] * (not effects)
        idle += [(name, effect) for effect in never if not any(part in effect for part in UNSHOWN)]
    assert (unnamed, idle) == ([], [])
    assert {*PROBED, *NOT_PROBED} == set(templates.names())


def test_what_originals_do_to_arguments_that_are_text_is_named():
    words = {"encodes again": "a second time", "refuses": "refuses", "leaves out": "leaves out",
             "writes otherwise": "as they are", "same": "nothing"}  # fmt: skip
    for name, probed in PROBED.items():
        found = probed["arguments_as_text"]
        assert words.get(found, "nothing") in (argument_effect(name, {str}) or "nothing"), name
        assert ("objects" in found) == (argument_effect(name, {dict}) is not None), name
