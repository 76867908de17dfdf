"""What original chat templates lose: known for exactly the golden conversations that show it."""

import json
import tomllib
from pathlib import Path

import pytest

from toolconv import layouts, templates
from toolconv.templates.originals import DEVIATIONS, deviations

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT.parent / "shared" / "golden" / "conversations.jsonl"
SHOWN = tomllib.loads((ROOT / "tests" / "golden_deviations.toml").read_text(encoding="utf-8"))
OTHERWISE = (
    "copies arguments as they were spelled",
    "recurses without end",
    "in thinking mode",
    "knows it from the call",
)
"""Reasons that lie in how a conversation was handed over to the original, or in a variable."""


def test_there_is_a_template_of_each_name():
    assert set(DEVIATIONS) <= set(templates.names())


@pytest.mark.skipif(not GOLDEN.exists(), reason="needs ../shared")
@pytest.mark.parametrize("name", sorted(set(DEVIATIONS) | set(SHOWN)))
def test_golden_conversations_show_the_deviations(name):
    rows = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    found = {row["id"] for row in rows if deviations(name, layouts.get("openai").read(row))}
    reasons, last = {}, ""
    for conversation, reason in SHOWN.get(name, {}).items():
        last = last if reason == "the same" else reason
        reasons[conversation] = last
    expected = {each for each, reason in reasons.items() if not any(word in reason for word in OTHERWISE)}
    assert expected <= found
    assert found <= set(reasons)
