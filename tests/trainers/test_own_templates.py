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
        (BOTH, "qwen3", [ASKED, answer("see </think> b")], [], "text_differs", False),
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
        (BOTH[1:], "qwen3", [ASKED, answer(""), ASKED, ANSWERED], [], "answer_untrained", True),
        (BOTH[1:], "qwen3", [ASKED, ANSWERED, ASKED, answer("")], [], "answer_untrained", False),
        (BOTH[1:], "qwen3.5", [ASKED, answer(""), ASKED, ANSWERED], [], "answer_untrained", False),
        (BOTH[1:], "qwen3.5", [ASKED, ANSWERED, ASKED, ANSWERED], [], "empty_thinking_added", True),
        (BOTH, "qwen3", [ASKED, ANSWERED, ASKED, ANSWERED], [], "empty_thinking_added", False),
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


CALLED = answer("", tool_calls=[{"id": "a", "type": "function", "function": {"name": "f", "arguments": {}}}])
RESULT = {"role": "tool", "tool_call_id": "a", "content": "r"}
THOUGHT = "<think>\n\n</think>\n\n"


@pytest.mark.parametrize("trainer", BOTH)
@pytest.mark.parametrize(
    ("student", "messages", "placed", "blocks"),
    [
        # Qwen3's template writes a block in the last turn, and in turns after the last question that have reasoning
        ("qwen3", [ASKED, answer()], 1, 1),
        ("qwen3", [ASKED, answer(reasoning_content="")], 0, 1),
        ("qwen3", [ASKED, answer(reasoning_content=None)], 1, 1),
        ("qwen3", [ASKED, answer(reasoning_content="r")], 0, 0),
        ("qwen3", [ASKED, answer(), ASKED, answer()], 1, 1),
        ("qwen3", [ASKED, answer(reasoning_content=""), ASKED, answer()], 2, 1),
        ("qwen3", [ASKED, CALLED, RESULT, answer()], 1, 1),
        ("qwen3", [ASKED, CALLED], 1, 1),
        ("qwen3", [ASKED, answer(), RESULT, CALLED], 1, 1),
        ("qwen3", [ASKED, answer("see </think> b")], 1, 1),
        ("qwen3", [ASKED, answer(), ASKED], 1, 1),  # the question is cut off
        # the turns become one, whose text holds the block already
        ("qwen3", [ASKED, answer(), answer("b")], 0, 1),
        ("qwen3", [ASKED, answer(reasoning_content="r"), answer("b")], 0, 1),
        # these templates write none
        ("qwen2.5", [ASKED, answer()], 0, 0),
        ("qwen2.5", [ASKED, answer(reasoning_content="")], 1, 0),
        ("qwen2.5", [ASKED, answer(reasoning_content=None)], 0, 0),
        ("qwen2.5", [ASKED, answer(reasoning_content="r")], 0, 0),
        ("qwen3-instruct-2507", [ASKED, answer(reasoning_content="")], 1, 0),
        # the trainer's own template is not known to leave answers as they are
        ("deepseek-v3.1", [ASKED, answer()], 0, 0),
        ("deepseek-v3.1", [ASKED, answer(reasoning_content="")], 0, 1),
    ],
)  # fmt: skip
def test_empty_thinking_is_where_the_student_writes_it(trainer, student, messages, placed, blocks):
    run = converted(trainer, student, messages, [TOOL])
    assert (f"empty_thinking_placed {placed}" in run.err) == ("empty_thinking_placed" in run.err) == bool(placed)
    turns = run.rows[0]["conversations" if trainer == "llamafactory" else "messages"]
    assert sum(str(text).count(THOUGHT) for turn in turns for text in turn.values()) == blocks
    checked = toolconv("lint", "-q", "--isolated", "--from-layout", trainer, "--trainer", trainer, "--target", student,
                       "--select", "TC6", "--output-format", "concise", stdin=json.dumps(run.rows[0]) + "\n")  # fmt: skip
    assert "<think> blocks" not in checked.out


@pytest.mark.parametrize("trainer", BOTH)
@pytest.mark.parametrize(("content", "named"), [("a", True), (f"{THOUGHT}a", False)])
def test_a_row_without_the_empty_thinking_of_its_student_is_found(trainer, content, named):
    key, name, text = (
        ("conversations", "from", "value") if trainer == "llamafactory" else ("messages", "role", "content")
    )
    asked, answered = ("human", "gpt") if trainer == "llamafactory" else ("user", "assistant")
    row = {key: [{name: asked, text: "q"}, {name: answered, text: content}]}
    for student, found in (("qwen3", named), ("qwen2.5", not named), ("deepseek-v3.1", False)):
        run = toolconv("lint", "-q", "--isolated", "--from-layout", trainer, "--trainer", trainer, "--target", student,
                       "--select", "TC6", "--output-format", "concise", stdin=json.dumps(row) + "\n")  # fmt: skip
        assert ("the empty <think> blocks are not those" in run.out) == found, (student, run.out)


@pytest.mark.parametrize("given", [("a", "b"), ("b", "a")])
def test_results_that_are_one_turn_keep_the_order_that_the_student_writes(given):
    calls = [{"id": each, "type": "function", "function": {"name": "f", "arguments": {}}} for each in ("a", "b")]
    results = [{"role": "tool", "tool_call_id": each, "content": f"r{each}"} for each in given]
    messages = [ASKED, answer("", tool_calls=calls), *results, ANSWERED]
    value = converted("llamafactory", "qwen2.5", messages, [TOOL]).rows[0]["conversations"][2]["value"]
    row = json.dumps({"messages": messages, "tools": [TOOL]}) + "\n"
    text = toolconv("render", "-q", "--from-layout", "canonical", "--template", "qwen2.5", stdin=row).rows[0]["text"]
    assert f"<tool_response>\n{value}\n</tool_response><|im_end|>" in text
