"""What trainers whose templates are their own write or train otherwise than the student's template, row by row.

The names are those of what the packages made of these rows: llamafactory 0.9.5 and ms-swift 4.6.0.
"""

import json

import pytest

from tests.conftest import toolconv

ASKED, ANSWERED = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}
EMPTY = {"role": "system", "content": ""}
TOOL = {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}}
BOTH = ("llamafactory", "ms-swift")


def answer(content="a", **more):
    return {"role": "assistant", "content": content, **more}


def converted(trainer, student, messages, tools=()):
    """The run that converts a row."""
    row = {"messages": messages, **({"tools": list(tools)} if tools else {})}
    options = ("convert", "--from-layout", "canonical", "--trainer", trainer, "--template", student)
    return toolconv(*options, stdin=json.dumps(row) + "\n")


@pytest.mark.parametrize(
    ("trainers", "student", "messages", "tools", "name", "named"),
    [
        (BOTH, "qwen3", [EMPTY, ASKED, ANSWERED], [], "text_differs", True),
        (BOTH, "qwen3", [EMPTY, ASKED, ANSWERED], [TOOL], "text_differs", False),
        (BOTH[:1], "qwen2.5", [EMPTY, ASKED, ANSWERED], [TOOL], "text_differs", True),
        (BOTH[1:], "qwen2.5", [EMPTY, ASKED, ANSWERED], [TOOL], "text_differs", False),
        (BOTH, "qwen2.5", [ASKED, ANSWERED], [TOOL], "text_differs", False),
        (BOTH[:1], "qwen3", [ASKED, answer("see </think> b")], [], "text_differs", True),
        (BOTH[:1], "qwen3", [ASKED, answer("see think b")], [], "text_differs", False),
        (BOTH[1:], "qwen3", [ASKED, answer("see </think> b")], [], "text_differs", False),
        (BOTH, "qwen3", [ASKED, answer(reasoning_content="\nr\n")], [], "text_differs", True),
        (BOTH, "qwen3", [ASKED, answer(reasoning_content="r\n\nr")], [], "text_differs", False),
        (BOTH[:1], "qwen2.5", [{**ASKED, "content": "{{idx}}"}, ANSWERED], [], "placeholder_in_text", True),
        (BOTH[:1], "qwen2.5", [ASKED, answer("{{idx}}")], [], "placeholder_in_text", False),
        (BOTH[1:], "qwen2.5", [{**ASKED, "content": "{{idx}}"}, ANSWERED], [], "placeholder_in_text", False),
        (BOTH, "qwen2.5", [ASKED, ANSWERED], [{"google_search": {}}], "tool_wrapped", True),
        (BOTH[:1], "qwen2.5", [ASKED, ANSWERED], [{"type": "web_search"}], "tool_wrapped", True),
        (BOTH[1:], "qwen2.5", [ASKED, ANSWERED], [{"type": "web_search"}], "tool_wrapped", False),
        (BOTH, "qwen2.5", [ASKED, ANSWERED], [TOOL], "tool_wrapped", False),
        (BOTH[1:], "qwen2.5", [ASKED, answer(""), ASKED, ANSWERED], [], "answer_untrained", True),
        (BOTH[1:], "qwen2.5", [ASKED, ANSWERED, ASKED, answer("")], [], "answer_untrained", False),
        (BOTH[1:], "qwen3", [ASKED, answer(""), ASKED, ANSWERED], [], "answer_untrained", False),
        (BOTH[:1], "qwen2.5", [ASKED, answer(""), ASKED, ANSWERED], [], "answer_untrained", False),
        (BOTH[1:], "qwen2.5", [ASKED, {"role": "critic", "content": "x"}, ANSWERED], [], "role_refused", True),
        (BOTH[1:], "qwen2.5", [{"role": "developer", "content": "x"}, ASKED, ANSWERED], [], "role_refused", False),
    ],
)  # fmt: skip
def test_what_arrives_otherwise_is_named(trainers, student, messages, tools, name, named):
    for trainer in trainers:
        run = converted(trainer, student, messages, tools)
        assert (f"{name} 1" in run.err, name in run.err) == (named, named), (trainer, run.err)


@pytest.mark.parametrize("trainer", BOTH)
@pytest.mark.parametrize("second", ["system", "developer"])
def test_system_texts_that_follow_each_other_are_one(trainer, second):
    """LLaMA-Factory reads only the last one otherwise; ms-swift raises."""
    texts = [{"role": "system", "content": "s"}, {"role": second, "content": "t"}]
    run = converted(trainer, "qwen2.5", [*texts, ASKED, ANSWERED])
    row = run.rows[0]
    assert (row["system"] if trainer == "llamafactory" else row["messages"][0]["content"]) == "s\n\nt"
    assert "neighbours_joined 1" in run.err and "loss" not in run.err
    later = converted(trainer, "qwen2.5", [texts[0], ASKED, ANSWERED, texts[1], ASKED, ANSWERED])
    assert "neighbours_joined" not in later.err and later.status == 1


@pytest.mark.parametrize("trainer", BOTH)
def test_empty_reasoning_is_left_out_where_the_student_writes_none(trainer):
    for student, left_out in (("qwen2.5", True), ("qwen3", True), ("deepseek-v3.1", False)):
        run = converted(trainer, student, [ASKED, answer(reasoning_content="")])
        assert ("empty_reasoning_removed 1" in run.err) == left_out == ("<think>" not in json.dumps(run.rows)), run.err
    assert "empty_reasoning" not in converted(trainer, "qwen2.5", [ASKED, answer(reasoning_content="r")]).err


@pytest.mark.parametrize("given", [("a", "b"), ("b", "a")])
def test_results_that_are_one_turn_keep_the_order_that_the_student_writes(given):
    calls = [{"id": each, "type": "function", "function": {"name": "f", "arguments": {}}} for each in ("a", "b")]
    results = [{"role": "tool", "tool_call_id": each, "content": f"r{each}"} for each in given]
    messages = [ASKED, answer("", tool_calls=calls), *results, ANSWERED]
    value = converted("llamafactory", "qwen2.5", messages, [TOOL]).rows[0]["conversations"][2]["value"]
    row = json.dumps({"messages": messages, "tools": [TOOL]}) + "\n"
    text = toolconv("render", "-q", "--from-layout", "canonical", "--template", "qwen2.5", stdin=row).rows[0]["text"]
    assert f"<tool_response>\n{value}\n</tool_response><|im_end|>" in text
