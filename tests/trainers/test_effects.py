"""What a trainer does to a row, and what is repaired for it: the row that has it, and the nearest one that has not."""

import json

import pytest

from tests.conftest import toolconv
from tests.helpers.converting import converted

ASKED, ANSWERED = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}
TOOL = {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}


def calling(*ids, content="", arguments=None):
    calls = [
        {"id": each, "type": "function", "function": {"name": "f", "arguments": {} if arguments is None else arguments}}
        for each in ids
    ]
    return {"role": "assistant", "content": content, "tool_calls": calls}


def result(call):
    return {"role": "tool", "tool_call_id": call, "name": "f", "content": "r"}


ONE = [ASKED, calling("a"), result("a"), ANSWERED]
TWO = [ASKED, calling("a", "b"), result("a"), result("b"), ANSWERED]
CHOSEN = {"prompt": [ASKED], "rejected": [ANSWERED]}


def of_type(name):
    return {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": name}}}


HAPPENS = [
    ("llamafactory", "", "results_as_list", {"messages": TWO}, {"messages": ONE}),
    ("llamafactory", "qwen3", "results_joined", {"messages": TWO}, {"messages": ONE}),
    ("llamafactory", "qwen2.5", "reasoning_kept",
     {"messages": [ASKED, {**ANSWERED, "reasoning_content": "r"}]}, {"messages": [ASKED, ANSWERED]}),
    ("ms-swift", "qwen2.5", "separator_added",
     {"messages": [ASKED, calling("a", content="p"), *ONE[2:]]}, {"messages": ONE}),
    ("skyrl", "qwen3", "results_apart", {"messages": TWO}, {"messages": ONE}),
    ("nemo-rl", "glm-4.6", "end_added", {"messages": [ASKED, ANSWERED]}, None),
    ("nemo-rl", "qwen3", "end_added", None, {"messages": [ASKED, ANSWERED]}),
    ("mistral", "", "prose_with_calls",
     {"messages": [ASKED, calling("a", content="p"), *ONE[2:]]}, {"messages": ONE}),
    ("anthropic", "", "call_without_result", {"messages": [*ONE[:2], ASKED, ANSWERED]}, {"messages": ONE}),
    ("together", "", "marks_completed",
     {"messages": [ASKED, {**ANSWERED, "weight": 0}, ASKED, ANSWERED]}, {"messages": [ASKED, ANSWERED]}),
    ("together", "", "text_as_parts",
     {"messages": [{"role": "user", "content": [IMAGE]}, ANSWERED]}, {"messages": [ASKED, ANSWERED]}),
    ("axolotl", "", "call_not_read", {**CHOSEN, "chosen": [calling("a")]}, {**CHOSEN, "chosen": [ANSWERED]}),
    ("openai", "", "schema_type",
     {"messages": ONE, "tools": [of_type("dict")]}, {"messages": ONE, "tools": [of_type("object")]}),
    ("gemini", "", "nullable_type", {"messages": ONE, "tools": [of_type(["object", "null"])]}, {"messages": ONE}),
    ("axolotl", "glm-4.6", "thinking_untrained",
     {"messages": [ASKED, ANSWERED, {"role": "system", "content": "s"}]}, {"messages": [ASKED]}),
]  # fmt: skip
"""Trainers, students, and what is counted of the first row and not of the second."""


@pytest.mark.parametrize(("trainer", "student", "name", "row", "other"), HAPPENS)
def test_what_happens_to_a_row_is_counted_by_its_name(trainer, student, name, row, other):
    """As the sources on each trainer's page say, and its package showed."""
    arguments = ("--trainer", trainer, *(("--template", student) if student else ()))
    for given, named in ((row, True), (other, False)):
        if given is not None:
            tools = {} if "messages" not in given else {"tools": [TOOL]}
            receipt = converted({**tools, **given}, *arguments)
            assert (name in receipt.losses + receipt.repairs) == named, receipt


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"text": "<s>[INST] q [/INST] a</s>"}, "begins with the token that the tokenizer may add"),
        ({"text": "[INST] q [/INST] a</s>"}, ""),
        ({"text": "<|im_start|>assistant\na<|im_end|>\n"}, "an end token is added after the closing line break"),
        ({"text": "<|im_start|>assistant\na<|im_end|>"}, ""),
        ({"messages": [ASKED, calling("a", arguments='{"x": 1}'), *ONE[2:]], "tools": [TOOL]}, "encode again"),
        ({"messages": [ASKED, calling("a", arguments={"x": 1}), *ONE[2:]], "tools": [TOOL]}, ""),
    ],
)
def test_what_trl_does_to_rows_that_it_reads_is_found(row, words):
    run = toolconv("lint", "-q", "--isolated", "--trainer", "trl", "--select", "TC6", stdin=json.dumps(row) + "\n")
    assert words in run.out and bool(run.out) == bool(words), run.out
