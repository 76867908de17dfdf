"""What a layout, or a dialect's text, can not hold of a conversation is a loss, and what it holds comes back."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import toolconv
from tests.templates.test_losses_of_turns import TURNS, conversation
from toolconv import Options, Receipt, convert_rows, dialects, layouts, templates

LAYOUTS = [name for name in layouts.names() if layouts.get(name).writable and name not in ("chat", "completion", "raw")]
"""Those of structured turns; the others need a dialect."""
DIALECTS = [dialect.name for dialect in dialects.all_dialects()]  # before other tests add some

HOLDERS: dict[str, tuple[list[str], str, str, float]] = {
    "layout": (LAYOUTS, "to_layout", "from_layout", 0.7),
    "dialect": (DIALECTS, "target", "source", 0.9),
}
"""Names, the options that write and read them, and which part of them holds a conversation as it was."""


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
@pytest.mark.parametrize(
    "kind, turns",
    [*(("layout", turns) for turns in TURNS), *(("dialect", turns) for turns in ("uptauh", "urtrth", "ubtta"))],
)
def test_what_is_not_held_is_lost_by_name_and_the_rest_comes_back(kind: str, turns: str) -> None:
    names, to, source, most = HOLDERS[kind]
    given = conversation(turns)
    words = dict.fromkeys(re.findall(r"[A-Z][a-z]+\d+z", str(given["messages"])))
    (wanted,) = convert_rows([given], Options(to_layout="openai"))
    whole = 0
    for name in names:
        receipt = Receipt()
        (row,) = convert_rows([given], Options(**{to: name}), receipt=receipt)  # type: ignore[arg-type]
        text = json.dumps(row, ensure_ascii=False)
        missing = [word for word in words if word not in text]
        assert receipt.losses["reasoning"] == sum(word.startswith("Thought") for word in missing), (name, missing)
        assert receipt.losses or not missing, (name, missing)
        (back,) = convert_rows([row], Options(to_layout="openai", **{source: name}))  # type: ignore[arg-type]
        again = json.dumps(back, ensure_ascii=False)
        assert all(word in again for word in words if word not in missing), name
        if "reasoning" not in receipt.losses if kind == "layout" else receipt.losses.keys() <= {"call_id"}:
            assert said(back) == said(wanted), name
            whole += 1
    assert whole > len(names) * most


def answered(row: dict[str, Any]) -> dict[str, str]:
    """The result of each call, by the argument of the call."""
    (asked,) = (message["tool_calls"] for message in row["messages"] if message.get("tool_calls"))
    hosts = {call["id"]: json.loads(call["function"]["arguments"])["host"] for call in asked}
    results = [message for message in row["messages"] if message["role"] == "tool"]
    return {hosts[each["tool_call_id"]]: re.findall(r"Result\dz", each["content"])[0] for each in results}


@pytest.mark.parametrize("name", [*DIALECTS, *(name for name in LAYOUTS if name != "openai-ft")])
@pytest.mark.sweep
def test_results_in_another_order_than_their_calls_still_answer_them(name: str) -> None:
    given = conversation("ubtta")
    given["messages"][2:4] = given["messages"][3:1:-1]
    (wanted,) = convert_rows([given], Options(to_layout="openai"))
    _, to, source, _ = HOLDERS["dialect" if name in DIALECTS else "layout"]
    receipt = Receipt()
    (row,) = convert_rows([given], Options(**{to: name}), receipt=receipt)  # type: ignore[arg-type]
    (back,) = convert_rows([row], Options(to_layout="openai", **{source: name}))  # type: ignore[arg-type]
    if receipt.losses.keys().isdisjoint(("response_role", "response_borders")):
        assert answered(back) == answered(wanted)


@pytest.mark.parametrize("name", templates.names())
@pytest.mark.sweep
def test_results_in_another_order_are_written_after_their_calls(name: str) -> None:
    """In the text of a template without ids; one with names may keep the order of results of different tools."""
    given = conversation("ubtta")
    given["messages"][2:4] = given["messages"][3:1:-1]
    rendered = toolconv.render(given, name)
    carried = templates.get(name).dialect.carries_ids
    found = re.findall(r"Result\dz", rendered.text)
    assert found in ([], ["Result3z", "Result2z"] if carried else ["Result2z", "Result3z"])
    assert ("response_order" in rendered.losses) is not carried
