"""What the changes for a trainer do to a row: one row that each changes, and one that it leaves alone."""

from __future__ import annotations

import copy
from typing import Any

from tests.conftest import each
from toolconv import templates, trainers
from toolconv.core.conversation import Conversation
from toolconv.trainers.template_checks import deviation_name
from toolconv.trainers.tools_for import rewrite_tools

ASKED, SAID = {"role": "user", "content": "Go."}, {"role": "assistant", "content": "Done."}
MARKED = {**SAID, "weight": 0}
CALLS = [{"id": f"c{at}", "type": "function", "function": {"name": "f", "arguments": {"x": at}}} for at in (1, 2)]
CALLED = {"role": "assistant", "content": "So:", "tool_calls": CALLS}
ONE, TWO = ({"role": "tool", "tool_call_id": f"c{at}", "content": at * "a"} for at in (1, 2))
IMAGE = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
UNTOLD = {**TOOL, "function": {"name": "f", "description": None, "parameters": {"type": "object"}}}


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"messages": [ASKED, {**CALLED, "content": text}, *more.get("results", ()), SAID]}


CHANGES: list[tuple[str, str, str | None, dict[str, Any], int, dict[str, Any]]] = [
    # trainer, the change, the student's template, a row, how often it was made, the row after it
    ("llamafactory", "results_joined", "qwen3", said("", results=[ONE, TWO]), 1,
     said("", results=[{**ONE, "content": "a\n</tool_response>\n<tool_response>\naa"}])),
    ("llamafactory", "results_joined", "qwen3", said("", results=[ONE]), 0, said("", results=[ONE])),
    ("llamafactory", "results_joined", "mistral-nemo", said("", results=[ONE, TWO]), 0, said("", results=[ONE, TWO])),
    ("llamafactory", "results_joined", None, said("", results=[ONE, TWO]), 0, said("", results=[ONE, TWO])),
    ("ms-swift", "separator_added", "qwen3", said("So:"), 1, said("So:\n")),
    ("ms-swift", "separator_added", "qwen3", said(""), 0, said("")),
    ("ms-swift", "separator_added", None, said("So:"), 0, said("So:")),
    ("together", "marks_completed", None, {"messages": [ASKED, MARKED, ASKED, SAID]}, 3,
     {"messages": [{**ASKED, "weight": 0}, MARKED, {**ASKED, "weight": 0}, {**SAID, "weight": 1}]}),
    ("together", "marks_completed", None, {"messages": [ASKED, SAID]}, 0, {"messages": [ASKED, SAID]}),
    ("together", "text_as_parts", None, {"messages": [IMAGE, SAID]}, 1,
     {"messages": [IMAGE, {**SAID, "content": [{"type": "text", "text": "Done."}]}]}),
    ("together", "text_as_parts", None, {"messages": [ASKED, SAID]}, 0, {"messages": [ASKED, SAID]}),
    ("gemini", "null_description_removed", None, {"tools": [UNTOLD, TOOL]}, 1, {"tools": [TOOL, TOOL]}),
    ("gemini", "null_description_removed", None, {"tools": [TOOL]}, 0, {"tools": [TOOL]}),
]  # fmt: skip


@each("trainer, change, template, row, count, changed", CHANGES)
def test_a_change_of_a_row(
    trainer: str, change: str, template: str | None, row: dict[str, Any], count: int, changed: dict[str, Any]
) -> None:
    conversation = Conversation(copy.deepcopy(row))
    student = None if template is None else templates.get(template)
    assert trainers.get(trainer).repairs[change](conversation, student) == count
    assert conversation.row == changed


@each(
    "effect, part, name",
    [
        ("leaves out calls", "calls", "template_leaves_out_calls"),
        ("writes only the first call", "calls", "template_leaves_out_calls"),
        ("keeps only texts", "prose", "template_leaves_out_prose"),
        ("writes words as reasoning", "prose", "template_changes_prose"),
        ("leaves out results", "results", "template_leaves_out_results"),
        ("writes two turns as one", "turns", "template_changes_turns"),
        ("leaves out the system text", "system", "template_leaves_out_system"),
        ("leaves out tools", "tools", "template_leaves_out_tools"),
        ("refuses two calls", "calls", "template_refuses"),
        ("recurses without end", "calls", "template_refuses"),
        ("refuses two calls (some models)", "calls", "template_changes_calls"),
    ],
)
def test_the_name_of_what_an_original_template_does(effect: str, part: Any, name: str) -> None:
    assert deviation_name(effect, part) == name


EITHER = {"type": "object", "properties": {"a": {"oneOf": [{"type": "string"}, {"type": "integer"}]}}}
CLOSED = {"required": ["a"], "additionalProperties": False}


@each(
    "target, schema, repairs, losses",
    [
        ("openai-strict", {**EITHER, **CLOSED}, ["schema_rewritten"], []),
        ("openai-strict", {**EITHER, "properties": {"a": {"type": "string"}}, **CLOSED}, [], []),
        (
            "openai-strict",
            {**EITHER, "properties": {"a": {"type": "string"}}, "required": ["a"]},
            [],
            ["schema_narrowed"],
        ),
        ("gemini", EITHER, ["schema_rewritten"], []),
    ],
)
def test_a_schema_that_is_written_otherwise(
    target: str, schema: dict[str, Any], repairs: list[str], losses: list[str]
) -> None:
    conversation = Conversation({"tools": [{"type": "function", "function": {"name": "f", "parameters": schema}}]})
    rewrite_tools(conversation, target)
    assert (conversation.notes.repairs, conversation.notes.losses) == (repairs, losses)
