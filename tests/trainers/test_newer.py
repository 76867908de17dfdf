"""The newer trainers: each row arrives as the student's text and mask, or what happens to it is named, and nothing else is.

``tests/programs/newer.json`` records what the trainers' own code made of the rows of ``fixtures/trainers.jsonl``.
"""

import json
import re

import pytest

from tests.conftest import toolconv
from tests.programs.real_newer import EXACT, NEWER, RECORD, digest, digests, is_there
from tests.programs.real_trainers import conversations, lines
from toolconv.trainers.base import EFFECTS

RECORDED = json.loads(RECORD.read_text(encoding="utf-8"))
CASES = conversations()
OF_KEYS = {"call_id", "call_keys", "message_keys", "response_keys", "structured"}
"""What the last line of a run names, and does not change what arrives."""
OF_THE_FILE = {"null_added", "number_changed", "only_last_trained", "other_template", "key_removed", "tools_removed"}
OF_THE_FILE |= {"tail_cut", "tool_key_removed", "reasoning_removed", "template_leaves_out_reasoning", "calls_removed"}
"""What may be named of a row that arrives whole: it depends on other rows, or the student's template does the same."""


def expected(student):
    """The digest of each case's text and mask, as the student's template has them."""
    rows = toolconv("convert", "-q", "--template", student, "--spans", stdin=lines(CASES)).rows
    found = []
    for row in rows:
        marked = "".join(row["text"][each["start"] : each["end"]] if each["train"] else "\0" for each in row["spans"])
        found.append(digest(row["text"], re.findall(r"[^\0]+", marked)))
    return found


def named(trainer, student, case):
    """What toolconv names of a row."""
    options = ("convert", "--trainer", trainer, "--template", student, *NEWER[trainer].options)
    run = toolconv(*options, stdin=lines([case]))
    summary = run.err.strip().rpartition("\n")[2]
    return {*re.findall(r"([a-z_]+) \d", summary)} - OF_KEYS


@pytest.mark.nightly
@pytest.mark.parametrize("trainer", NEWER)
def test_the_record_is_what_the_trainer_gives(trainer):
    if not is_there(trainer):
        pytest.skip(f"{RECORDED['packages'][trainer]}: not there; tests/programs/newer.json records what it gives")
    assert {student: digests(trainer, student) for student in RECORDED[trainer]} == RECORDED[trainer]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("trainer", "student"), [(trainer, student) for trainer in NEWER for student in RECORDED[trainer]]
)
def test_text_and_mask_arrive_or_are_named(trainer, student):
    for case, got, own in zip(CASES, RECORDED[trainer][student], expected(student), strict=True):
        names = named(trainer, student, case)
        if got == own:
            assert names <= OF_THE_FILE, case["case"]
        else:
            assert names, case["case"]
        if not got and "other_template" not in names:  # a student of which nothing is known
            assert any(EFFECTS[name][0] == "drops" for name in names if name in EFFECTS), (case["case"], names)


@pytest.mark.parametrize(("trainer", "student"), [(name, each) for name in EXACT for each in RECORDED["exact"][name]])
def test_exact_rows_of_ids_arrive_with_the_text_and_the_mask_of_the_student(trainer, student):
    assert RECORDED["exact"][trainer][student] == expected(student)


ASKED, ANSWERED = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}
FUNCTION = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}


DESCRIBED = {"name": "f", "description": "é", "parameters": {"type": "object", "properties": {}}}
EMPTY = {"role": "system", "content": ""}


def calling(value, content=""):
    """A turn that calls a tool with a value."""
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": {"x": value}}}
    return {"role": "assistant", "content": content, "tool_calls": [call]}


LOSS = "template_changes_reasoning"


@pytest.mark.parametrize(
    ("trainer", "row", "name"),
    [
        ("prime-rl", {"messages": [ASKED, ANSWERED], "tools": [{"type": "web_search"}]}, "tool_wrapped 1"),
        ("tinker", {"messages": [ASKED, ANSWERED], "tools": [FUNCTION]}, "tool_keys_moved 1"),
        (
            "tinker",
            {"messages": [ASKED, {**ANSWERED, "reasoning_content": "r"}, ASKED, ANSWERED]},
            "reasoning_removed 1",
        ),
        ("tinker", {"messages": [ASKED, {**ANSWERED, "reasoning_content": "r"}]}, ""),
        ("tinker", {"messages": [ASKED, calling("é")]}, "text_differs 1"),
        ("tinker", {"messages": [ASKED, ANSWERED], "tools": [{**FUNCTION, "function": DESCRIBED}]}, "text_differs 1"),
        ("tinker", {"messages": [EMPTY, ASKED, ANSWERED], "tools": [FUNCTION]}, "text_differs 1"),
        ("tinker", {"messages": [ASKED, {**calling("e"), "reasoning_content": "r"}]}, "text_differs 1"),
        ("tinker", {"messages": [ASKED, calling("e", "<think>r</think>\n")]}, "text_differs 1"),
        ("tinker", {"messages": [ASKED, calling("e", "<think>r</think>\nwords")]}, ""),
        *(
            (trainer, {"messages": [ASKED, {**ANSWERED, "content": "see </think> here"}]}, f"{name} 1")
            for trainer, name in (("tinker", "text_differs"), ("slime", LOSS), ("prime-rl", LOSS))
        ),
        ("slime", {"messages": [ASKED, {**ANSWERED, "content": "see think here"}]}, ""),
        ("tinker", {"messages": [ASKED, {**ANSWERED, "content": "see <think> here"}]}, "text_differs 1"),
        ("tinker", {"messages": [ASKED, {**ANSWERED, "content": "see <thinks> here"}]}, ""),
        ("tinker", {"messages": [ASKED, ANSWERED, {**ASKED, "content": "see <think> here"}]}, ""),
        ("tinker", {"messages": [ASKED, ANSWERED, {**ASKED, "content": "see </think> here"}]}, ""),
        ("tinker", {"messages": [ASKED, {**calling("e", "words"), "reasoning_content": "r"}]}, ""),
        ("tinker", {"messages": [ASKED, ANSWERED], "tools": [{"search": {}}]}, "tools_removed 1"),
        ("prime-rl", {"messages": [ASKED, ANSWERED], "tools": [{"search": {}}]}, "tool_wrapped 1"),
        *(
            (name, {"messages": [{"role": "developer", "content": "d"}, ASKED, ANSWERED]}, "developer_as_system 1")
            for name in ("slime", "tinker", "prime-rl", "torchtune", "verl")
        ),
        ("verl", {"messages": [ASKED, calling(1), ASKED, calling("a")]}, "not_in_columns 1"),
        ("verl", {"messages": [ASKED, calling({}), ANSWERED]}, "not_in_columns 1"),
        ("torchtune", {"messages": [ASKED]}, "no_answer 1"),
        (
            "torchtune",
            {"messages": [{**ASKED, "content": [{"type": "file", "file": {"file_id": "f"}}]}, ANSWERED]},
            "content_parts 1",
        ),
        ("mlx-lm", {"messages": [{"role": "system", "content": "s"}, ASKED]}, "prompt_trained 1"),
        ("mlx-lm", {"messages": [ANSWERED]}, "first_turn 1"),
        ("openrlhf", {"messages": [ASKED, ANSWERED]}, "nothing_trained 1"),
        ("torchtune", {"messages": [ASKED, ASKED, ANSWERED]}, "turn_order 1"),
        ("skyrl", {"messages": [ASKED, ANSWERED, {"role": "system", "content": "s"}, ANSWERED]}, "system_turn_late 1"),
    ],
)
def test_what_a_trainer_does_to_other_rows_is_named(trainer, row, name):
    """As the trainers' own code did: see ``tests/programs/real_newer.py`` for the versions."""
    given = json.dumps(row) + "\n"
    run = toolconv("convert", "--from-layout", "canonical", "--trainer", trainer, "--template", "qwen3", stdin=given)
    assert name in run.err and (name or "loss" not in run.err), run.err


def test_a_renderer_of_prime_rl_gets_an_empty_content_and_no_null():
    """GLM's renderer of renderers 0.1.12 writes ``None`` where the content is null."""
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": {}}}
    row = {"messages": [ASKED, {"role": "assistant", "content": None, "tool_calls": [call]}]}
    run = toolconv("convert", "-q", "--trainer", "prime-rl", stdin=json.dumps(row) + "\n")
    assert run.rows[0]["messages"][1]["content"] == ""


def test_a_long_row_costs_as_much_as_its_parts(monkeypatch):
    """Trainers that write turn by turn are worked out by a few texts for a kind of turn, or by one for each turn."""
    from toolconv import layouts, templates, trainers
    from toolconv.trainers.turn_by_turn import StudentTexts

    written = []
    own = StudentTexts.text
    monkeypatch.setattr(
        StudentTexts, "text", lambda *args, **more: written.append(len(own(*args, **more))) or own(*args, **more)
    )
    sizes = {}
    for turns in (10, 20, 40):
        conversation = layouts.get("canonical").read({"messages": [ASKED, ANSWERED] * turns})
        for name in ("verl", "slime", "skyrl", "open-instruct", "openrlhf", "nemo-rl"):
            written.clear()
            [*trainers.get(name).effects(conversation, conversation.row, "canonical", templates.get("qwen3"))]
            sizes.setdefault(name, []).append(sum(written))
    assert all(sizes[name][2] - sizes[name][1] <= 2.2 * (sizes[name][1] - sizes[name][0]) for name in sizes), sizes
