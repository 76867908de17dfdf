"""What a layout can not hold of a conversation is a loss, and what it holds comes back: each thought by its own count."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.templates.test_losses_of_turns import TURNS, conversation
from toolconv import Options, Receipt, convert_rows, layouts

NAMES = [name for name in layouts.names() if layouts.get(name).writable and name not in ("chat", "completion", "raw")]
"""Layouts of structured turns; the others need a dialect."""


def said(row: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Who says what: role, text, reasoning, and the names and arguments of calls."""
    return [
        (
            message["role"],
            message.get("content") or "",
            message.get("reasoning_content", ""),
            *((call["function"]["name"], json.loads(call["function"]["arguments"])) for call in message.get("tool_calls", ())),
        )
        for message in row["messages"]
    ]  # fmt: skip


@pytest.mark.whole
@pytest.mark.parametrize("turns", TURNS)
def test_what_a_row_can_not_hold_is_lost_by_name_and_the_rest_comes_back(turns: str) -> None:
    given = conversation(turns)
    words = dict.fromkeys(re.findall(r"[A-Z][a-z]+\d+z", str(given["messages"])))
    ((wanted, _),) = converted([given], "openai")
    whole = 0
    for name in NAMES:
        ((row, losses),) = converted([given], name)
        text = json.dumps(row)
        missing = [word for word in words if word not in text]
        thoughts = [word for word in missing if word.startswith("Thought")]
        assert losses.get("reasoning", 0) == len(thoughts), (name, losses, thoughts)
        assert losses or not missing, (name, missing)
        ((back, _),) = converted([row], "openai", name)
        again = json.dumps(back)
        assert all(word in again for word in words if word not in missing), name
        if "reasoning" not in losses:
            assert said(back) == said(wanted), name
            whole += 1
    assert whole > len(NAMES) * 0.7


def converted(
    rows: list[dict[str, Any]], to_layout: str, layout: str | None = None
) -> list[tuple[dict[str, Any], dict[str, int]]]:
    """Rows in another layout, each with the losses of all."""
    receipt = Receipt()
    made = list(convert_rows(rows, Options(to_layout=to_layout, from_layout=layout), receipt=receipt))
    return [(row, dict(receipt.losses)) for row in made]
