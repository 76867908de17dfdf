"""Trainers: what they lose is named, and nothing else is lost.

``tests/programs/trainers.json`` records what the trainers' own packages made of the rows of ``fixtures/trainers.jsonl``.
"""

import json
import re
from operator import attrgetter
from pathlib import Path

import pytest

from tests.conftest import each, exhaustive, nightly, toolconv
from tests.helpers.converting import converted
from tests.programs.real_texts import TEXTS
from tests.programs.real_trainers import (
    LAYOUTS,
    OPTIONS,
    OTHER_STUDENTS,
    RECORD,
    STUDENT,
    conversations,
    given,
    is_installed,
    lines,
    odd,
    odd_cases,
    unrepaired,
    written,
)
from tests.programs.real_uploads import UPLOADS
from toolconv import layouts, templates, trainers
from toolconv.cli.convert import render
from toolconv.convert.detect import Detector
from toolconv.lint.model.row import LintRow
from toolconv.lint.rules.tc6_trainers import DroppedByTrainer
from toolconv.templates.originals import argument_effect, argument_types, deviations
from toolconv.trainers.arrow import changed_numbers
from toolconv.trainers.template_checks import template_deviates

ROOT = Path(__file__).parents[2]
RECORDED = json.loads(RECORD.read_text(encoding="utf-8"))
CASES = {row["case"]: row for row in conversations()}

ARRIVES_OTHERWISE = {
    "trl": {"numbers": "number_changed"},
    "unsloth": {"numbers": "number_changed"},
    "unsloth-studio": {},
    "axolotl": {},
    "ms-swift": {
        "begins_with_call": "turn_added",
        "ends_on_result": "tail_cut",
    },
    "llamafactory": {
        "markup_in_arguments": "prose_beside_call",
        "ends_on_result": "tail_cut",
    },
}
"""The cases whose text isn't what Qwen3's chat template writes, and the repair or the loss that names it."""

MASKED_OTHERWISE = {
    "llamafactory": {"call_then_answer": "header_trained", "begins_with_call": "first_answer_untrained"},
    "ms-swift": {"call_then_answer": "header_trained"},
}
"""The cases whose text is the same, and what is trained of it is not."""

EMPTY_THINKING = "<think>\n\n</think>\n\n"
"""TRL's training template writes it in all turns; Qwen3's own template in the last one."""

TOOLS_ALONE = "<|im_start|>system\n\n\n# Tools"
"""What LLaMA-Factory and ms-swift write before tools where there is no system text, unlike Qwen3's own template."""


CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": {}}}
ASKED, ANSWERED = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}
CALLED = [ASKED, {"role": "assistant", "content": "", "tool_calls": [CALL]},
          {"role": "tool", "tool_call_id": "a", "content": "r"}, ANSWERED]  # fmt: skip


def declared(**more):
    return [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}, **more}}]


def findings(rows, layout, trainer, names=tuple(CASES)):
    """The codes that lint gives for each case."""
    text = "".join(json.dumps(row) + "\n" for row in rows)
    run = toolconv("lint", "-q", "--isolated", "--from-layout", layout, "--trainer", trainer, "--select", "TC6",
                   "--output-format", "jsonl", stdin=text)  # fmt: skip
    found = {name: set() for name in names}
    for finding in run.rows:
        found[names[finding["line"] - 1]].add(finding["code"])
    return found


def without_thinking(text):
    return text.replace(EMPTY_THINKING, "")


def without_breaks(parts):
    """What is trained, without the line break after an end token, on which trainers differ, and empty thinking."""
    return [part.rstrip("\n") for part in map(without_thinking, parts) if part.strip()]


def spans_of(student="qwen3"):
    """The text of each case, and what is trained of it."""
    found = {}
    rows = toolconv("render", "-q", "--template", student, "--spans", stdin=lines(CASES.values())).rows
    for name, row in zip(CASES, rows, strict=True):
        trained = "".join(row["text"][span["start"] : span["end"]] if span["train"] else "\0" for span in row["spans"])
        found[name] = {"text": row["text"], "trained": re.findall(r"[^\0]+", trained)}
    return found


@pytest.mark.parametrize("trainer", [*TEXTS, *UPLOADS])
def test_the_record_is_what_the_package_gives(trainer):
    if not is_installed(trainer):
        pytest.skip(
            f"{RECORDED[trainer]['package']} is not installed; tests/programs/trainers.json records what it gives"
        )
    made = given(trainer)
    assert made == {key: RECORDED[trainer][key] for key in made}


@pytest.mark.parametrize("trainer", TEXTS)
def test_text_and_mask_arrive_or_are_named(trainer):
    expected, gives = spans_of(), RECORDED[trainer]["gives"]
    compared = without_thinking if trainer == "trl" else str
    otherwise = {
        case for case, got in gives.items() if got is None or compared(got["text"]) != compared(expected[case]["text"])
    }
    assert otherwise == set(ARRIVES_OTHERWISE[trainer])
    masked = MASKED_OTHERWISE.get(trainer, {})
    for case, name in {**ARRIVES_OTHERWISE[trainer], **masked}.items():
        run = toolconv("convert", "--trainer", trainer, *OPTIONS.get(trainer, ()), stdin=lines([CASES[case]]))
        assert f"{name} 1" in run.err, case
    for case in set(gives) - otherwise:
        mask = [gives[case]["text"]] if trainer.startswith("unsloth") else expected[case]["trained"]
        same = without_breaks(gives[case]["trained"]) == without_breaks(mask)
        assert same == (case not in masked), case


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("trainer", "student"), [(trainer, student) for trainer, students in OTHER_STUDENTS.items() for student in students]
)
def test_text_and_mask_of_other_students_arrive_or_are_named(trainer, student):
    expected = spans_of(student)
    same = 0
    for case, got in RECORDED[trainer]["students"][student].items():
        run = toolconv("convert", "--trainer", trainer, "--template", student, stdin=lines([CASES[case]]))
        named = {*re.findall(r"([a-z_]+) \d", run.err.splitlines()[-1])} - {"call_id", "call_keys"}
        arrived = got is not None and got["text"].rstrip("\n") == expected[case]["text"].rstrip("\n")
        trained = [part.rstrip("\n") for part in expected[case]["trained"]]
        arrived = arrived and [part.rstrip("\n") for part in got["trained"]] == trained
        assert arrived or named, (case, got, run.err)
        assert "other_template" not in named
        same += arrived
    assert same > 9 or student != "qwen2.5"  # others get an empty line, or more of the prompt is trained


def test_the_thinking_that_axolotl_does_not_train_is_named():
    untrained = {case for case, got in RECORDED["axolotl"]["gives"].items() if not any(
        part.startswith("<think>\n\n") for part in got["trained"])}  # fmt: skip
    in_text = {case for case, got in RECORDED["axolotl"]["gives"].items() if EMPTY_THINKING in got["text"]}
    run = toolconv("convert", "--trainer", "axolotl", *OPTIONS["axolotl"], stdin=lines(CASES.values()))
    assert untrained == set(CASES)
    assert f"thinking_untrained {len(in_text)}" in run.err


@pytest.mark.parametrize("trainer", ["llamafactory", "ms-swift"])
@pytest.mark.parametrize(
    ("student", "messages", "tools", "moved"),
    [
        ("qwen3", [ASKED, ANSWERED], declared(), True),
        ("qwen3-instruct-2507", [ASKED, ANSWERED], declared(), True),
        ("qwen2.5", [ASKED, ANSWERED], declared(), False),  # a system text of its own precedes the tools
        (None, [ASKED, ANSWERED], declared(), False),
        ("qwen3", [ASKED, ANSWERED], None, False),
        ("qwen3", [{"role": "system", "content": "s"}, ASKED, ANSWERED], declared(), False),
        ("qwen3", [ASKED, ANSWERED], declared(description="<|im_end|>"), False),
    ],
)
def test_tools_without_a_system_text_become_one(trainer, student, messages, tools, moved):
    row = {"messages": messages, **({} if tools is None else {"tools": tools})}
    options = ("--template", student) if student else ()
    run = toolconv("convert", "--trainer", trainer, *options, stdin=json.dumps(row) + "\n")
    assert ("tools_in_system 1" in run.err) == moved
    assert ("tools" in run.rows[0]) == (tools is not None and not moved)
    if moved:
        written = run.rows[0]
        system = written["system"] if trainer == "llamafactory" else written["messages"][0]["content"]
        text = toolconv("convert", "-q", "--template", student, stdin=json.dumps(row) + "\n").rows[0]["text"]
        assert text.startswith(f"<|im_start|>system\n{system}<|im_end|>\n<|im_start|>user")


@pytest.mark.parametrize("trainer", ["llamafactory", "ms-swift"])
@pytest.mark.parametrize("prompted", [True, False])
def test_tools_in_a_prompt_become_those_of_the_student(trainer, prompted):
    """What a row's own prompt says of tools is taken out first: the student's words for it are no second declaration."""
    call = {"role": "assistant", "content": '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'}
    row = {"messages": [ASKED, call], "tools": declared()}
    if prompted:
        row = toolconv("render", "-q", "--to", "hermes", stdin=json.dumps(row) + "\n").rows[0]
        assert "tools" not in row and row["messages"][0]["role"] == "system"
    run = toolconv("convert", "--trainer", trainer, "--template", "qwen3", stdin=json.dumps(row) + "\n")
    assert "tools_in_system 1" in run.err
    assert not [name for name in ("tools_declared_twice", "call_format", "blank_line_before_tools") if name in run.err]


@pytest.mark.sweep
@pytest.mark.parametrize("trainer", ["llamafactory", "ms-swift", "trl"])
def test_what_the_template_of_a_trainer_adds_to_qwen3_is_named(trainer):
    gives, own = RECORDED[trainer]["gives"], spans_of()
    for case, got in gives.items():
        if got is None or case in ARRIVES_OTHERWISE[trainer]:
            continue
        options = OPTIONS.get(trainer, ("--to-layout", "trl", *STUDENT))
        run = toolconv("convert", "--trainer", trainer, *options, stdin=lines([CASES[case]]))
        added = got["text"].count(EMPTY_THINKING) - own[case]["text"].count(EMPTY_THINKING)
        assert (f"empty_thinking_added {added}" in run.err) == bool(added), case
        assert ("blank_line_before_tools 1" in run.err) == (TOOLS_ALONE in got["text"]), case


def test_the_opening_of_reasoning_that_ms_swift_trains_is_named():
    """As ms-swift 4.6.0 does with its template qwen3_5, whose labels begin at <think>."""
    turns = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}
    for template, named in (("qwen3.5", True), ("qwen3", False)):
        run = toolconv("convert", "--trainer", "ms-swift", "--template", template, stdin=json.dumps(turns) + "\n")
        assert ("think_trained 1" in run.err) == named, template


def test_end_tokens_that_marks_leave_out_are_named_where_a_trainer_trains_them():
    """As the labels of axolotl 0.19.0 and ms-swift 4.6.0 show."""
    marked = {"role": "user", "content": "q", "weight": 1}
    skipped = {"role": "assistant", "content": "b", "weight": 0}
    for trainer, messages, named in (
        ("axolotl", [marked, ANSWERED], True),
        ("axolotl", [ASKED, ANSWERED, ASKED, skipped], False),
        ("ms-swift", [ASKED, ANSWERED, ASKED, skipped], True),
        ("ms-swift", [ASKED, skipped, ASKED, ANSWERED], False),
    ):
        row = json.dumps({"messages": messages}) + "\n"
        run = toolconv("convert", "--trainer", trainer, "--template", "qwen3", stdin=row)
        assert ("end_trained 1" in run.err) == named, (trainer, run.err)


def between(text):
    """What a text of Qwen's has between the beginning of a turn of the user and the answer to it."""
    return re.findall(r"(?s)<\|im_start\|>user\n(.*?)<\|im_end\|>\n<\|im_start\|>assistant\n", text)


@pytest.mark.parametrize(
    ("turns", "joined"),
    [
        (("user", "user"), 1),
        (("user", "user", "user"), 2),
        (("user", "assistant", "user", "user"), 1),
        (("user", "call", "tool", "user"), 1),
        (("user", "call", "tool", "user", "user"), 2),
        (("user", "call", "tool"), 0),
    ],
)
@pytest.mark.parametrize("trainer", ["llamafactory", "ms-swift"])
@pytest.mark.parametrize("student", ["qwen2.5", pytest.param("qwen3", marks=pytest.mark.exhaustive)])
def test_turns_that_follow_the_wrong_ones_are_one_with_the_text_of_the_student(trainer, student, turns, joined):
    """As the packages write such a turn: see the cases ``two_users`` and ``user_after_result`` of the record."""
    made = {"call": CALLED[1], "tool": CALLED[2]}
    messages = [made.get(each, {"role": each, "content": f"{each} {at}"}) for at, each in enumerate(turns)]
    row = json.dumps({"messages": [*messages, ANSWERED], "tools": declared(description="Does it.")}) + "\n"
    run = toolconv("convert", "--trainer", trainer, "--template", student, stdin=row)
    assert ("turns_in_one" in run.err, f"turns_in_one {joined}" in run.err) == (bool(joined), bool(joined)), run.err
    assert "turn_order" not in run.err and "turn_token_in_text" not in run.err
    found = run.rows[0].get("conversations") or run.rows[0]["messages"]
    questions = [turn.get("value", turn.get("content")) for turn in found if {"human", "user"} & {*turn.values()}]
    text = toolconv("render", "-q", "--template", student, stdin=row).rows[0]["text"]
    assert {*questions} <= {*between(text)} and len(questions) == turns.count("user") - joined + (
        "tool" in turns and joined > 0
    )


def test_lint_names_what_convert_would_lose_on_the_way():
    """Of rows in another layout: TC603 of lint, and the losses of convert."""
    neighbours = {"messages": [ASKED, ANSWERED, {"role": "assistant", "content": "b"}]}
    odd = {"messages": [ASKED, ANSWERED], "tools": declared(description="Does it.", note="x")}
    for trainer, row, words in (("llamafactory", neighbours, "header"), ("bedrock", odd, "a key of a function")):
        lint = toolconv("lint", "-q", "--isolated", "--from-layout", "canonical", "--trainer", trainer, "--target",
                        "qwen2.5", "--select", "TC603", stdin=json.dumps(row) + "\n")  # fmt: skip
        assert lint.status == 1 and words in lint.out, lint.out


def test_turns_of_each_answer_are_one():
    pair = {"prompt": [ASKED, {"role": "user", "content": "r"}], "chosen": [ANSWERED],
            "rejected": [ANSWERED, {"role": "assistant", "content": "b"}]}  # fmt: skip
    run = toolconv("convert", "--trainer", "llamafactory", "--template", "qwen2.5", stdin=json.dumps(pair) + "\n")
    assert run.rows[0]["rejected"]["value"] == "a<|im_end|>\n<|im_start|>assistant\nb"
    assert "1 repair (turns_in_one 1); 1 loss (header_trained 1)" in run.err


def test_a_first_turn_stays_where_no_other_would_be_trained():
    row = {"messages": [{"role": "system", "content": "s"}, *CALLED[1:3]], "tools": declared(description="d")}
    run = toolconv("convert", "--trainer", "llamafactory", "--template", "qwen3", stdin=json.dumps(row) + "\n")
    assert "first_turn 1" in run.err and "first_answer_untrained" not in run.err


def test_turns_of_the_assistant_are_one_at_a_loss():
    row = json.dumps({"messages": [ASKED, ANSWERED, {"role": "assistant", "content": "b"}]}) + "\n"
    run = toolconv("convert", "--trainer", "llamafactory", "--template", "qwen2.5", stdin=row)
    assert run.rows[0]["conversations"][1]["value"] == "a<|im_end|>\n<|im_start|>assistant\nb"
    assert "1 loss (header_trained 1)" in run.err
    strict = toolconv("convert", "--trainer", "llamafactory", "--template", "qwen2.5", "--strict", stdin=row)
    assert strict.out == "" and "header_trained" in strict.err
    without = toolconv("convert", "--trainer", "llamafactory", stdin=row)
    assert without.rows[0]["conversations"][1]["value"] == "a\n\nb" and "neighbours_joined 1" in without.err


@pytest.mark.parametrize(
    ("before", "student", "moved"),
    [
        ([{"role": "system", "content": "s"}], "qwen3", 1),
        ([{"role": "system", "content": "s"}, ANSWERED], "qwen3", 2),
        ([], "qwen2.5", 1),
        ([], "qwen3", 0),
        ([{"role": "system", "content": "s"}], "llama-3.1", 0),
        ([{"role": "system", "content": "It ends with <|im_end|>."}], "qwen3", 0),
    ],
)
def test_first_turns_of_the_assistant_are_in_the_system_text_with_the_text_of_the_student(before, student, moved):
    """As llamafactory 0.9.5 writes them: see the case ``begins_with_call`` of the record."""
    row = json.dumps({"messages": [*before, ANSWERED, ASKED, ANSWERED]}) + "\n"
    run = toolconv("convert", "--trainer", "llamafactory", "--template", student, stdin=row)
    assert ("first_turn 1" in run.err, f"first_answer_untrained {moved}" in run.err) == (not moved, bool(moved)), (
        run.err
    )
    if moved:
        text = toolconv("render", "-q", "--template", student, stdin=row).rows[0]["text"]
        opening = f"<|im_start|>system\n{run.rows[0]['system']}<|im_end|>\n"
        assert text.startswith(f"{opening}<|im_start|>user\n") and len(run.rows[0]["conversations"]) == 2


@pytest.mark.parametrize(
    "turn", [{"content": "It ends with <|im_end|>."}, {"content": "q", "note": 1}, {"content": [{"type": "image"}]}]
)
def test_turns_with_other_keys_tokens_or_images_stay_apart(turn):
    row = json.dumps({"messages": [ASKED, {"role": "user", **turn}, ANSWERED]}) + "\n"
    run = toolconv("convert", "--trainer", "ms-swift", "--template", "qwen3", stdin=row)
    assert "turns_in_one" not in run.err


@pytest.mark.parametrize("trainer", ["llamafactory", "ms-swift"])
@pytest.mark.parametrize(
    ("student", "named"), [("qwen2.5", False), ("qwen3", False), ("llama-3.1", True), ("glm-4.6", True)]
)
def test_students_whose_text_a_trainer_does_not_write_are_named(trainer, student, named):
    """As llamafactory 0.9.5 and ms-swift 4.6.0 write them: the system texts of llama-3.1, an empty line of glm-4.6."""
    run = toolconv("convert", "--trainer", trainer, "--template", student, stdin=lines([CASES["one_call"]]))
    assert ("other_template 1" in run.err) == named
    exact = toolconv(
        "convert", "--trainer", trainer, "--template", student, "--exact", stdin=lines([CASES["one_call"]])
    )
    assert "other_template" not in exact.err


@pytest.mark.parametrize(
    ("parameters", "named"), [(None, True), ({"type": "object"}, True), ({"properties": {}}, False)]
)
def test_a_tool_without_properties_is_named_where_llamafactory_raises_at_it(parameters, named):
    """As ``DefaultToolUtils`` of llamafactory 0.9.5 does with its template gpt_oss, not with qwen3."""
    function = {"name": "f", "description": "d", **({} if parameters is None else {"parameters": parameters})}
    row = json.dumps({"messages": [ASKED, ANSWERED], "tools": [{"type": "function", "function": function}]}) + "\n"
    for student in ("gpt-oss", "qwen3"):
        run = toolconv("convert", "--trainer", "llamafactory", "--template", student, stdin=row)
        assert ("key_refused 1" in run.err) == (named and student == "gpt-oss"), run.err


def test_a_result_after_an_answer_is_read_by_ms_swift():
    """As ms-swift 4.6.0 does; one after the system text ends the run."""
    result = {"role": "tool", "tool_call_id": "a", "content": "r"}
    for messages, named in (([ASKED, ANSWERED, result, ANSWERED], False), ([result, ANSWERED], True)):
        run = toolconv("convert", "--from-layout", "canonical", "--trainer", "ms-swift", "--template", "qwen2.5",
                       stdin=json.dumps({"messages": messages}) + "\n")  # fmt: skip
        assert ("result_without_call 1" in run.err) == named, run.err


@pytest.mark.parametrize(
    ("student", "case", "name"),
    [
        ("qwen3", "one_call", "text_repeated 1"),
        ("qwen3", "prose_and_reasoning", ""),
        ("qwen3", "two_users", "text_repeated 1"),
        ("qwen2.5", "one_call", ""),
        ("qwen2.5", "parallel", "text_repeated 1"),
        ("qwen3", "begins_with_call", "prompt_trained 1"),
    ],
)
def test_what_nemo_rl_makes_of_templates_that_write_earlier_turns_otherwise_is_named(student, case, name):
    """As ``get_formatted_message_log`` of NeMo RL's code of August 2026 gave it for these cases and Qwen3."""
    options = ("convert", "--trainer", "nemo-rl", "--to-layout", "trl", "--template", student)
    run = toolconv(*options, stdin=lines([CASES[case]]))
    assert name in run.err and ("text_repeated" in run.err) == ("text_repeated" in name), run.err


@pytest.mark.parametrize(
    ("student", "case", "named"),
    [("qwen3", "one_call", True), ("qwen3", "prose_and_reasoning", False), ("qwen2.5", "one_call", False),
     ("qwen2.5", "parallel", False), ("qwen3", "two_users", False)],
)  # fmt: skip
def test_turns_that_a_template_writes_otherwise_later_are_named_where_automodel_stops(student, case, named):
    """As ``_build_multiturn_assistant_mask`` of nemo-automodel 0.7.0 raises."""
    run = toolconv("convert", "--trainer", "automodel", "--template", student, stdin=lines([CASES[case]]))
    assert ("turn_rewritten 1" in run.err) == named, run.err


def test_the_end_of_answers_that_axolotl_does_not_train_is_named():
    """As the labels of axolotl 0.19.0 show for GLM-4.6, whose answers end with the token that opens the next turn."""
    row = json.dumps({"messages": [ASKED, ANSWERED, ASKED, ANSWERED]}) + "\n"
    for student, named in (("glm-4.6", True), ("qwen3", False)):
        run = toolconv("convert", "--trainer", "axolotl", "--template", student, stdin=row)
        assert ("end_untrained 1" in run.err) == named, run.err


@pytest.mark.parametrize(
    ("student", "messages", "name"),
    [
        ("glm-4.6", "CALLED", "calls_removed 1"),
        ("glm-4.6", "ANSWERED", ""),
        ("qwen3", "CALLED", ""),
        ("gemma-4-first", "CALLED", "template_changes_results 1"),
    ],
)
def test_keys_that_axolotl_does_not_find_in_a_template_are_named(student, messages, name):
    """As the texts of axolotl 0.19.0 show for GLM-4.6, and its analysis of the originals for the others."""
    row = {"messages": CALLED if messages == "CALLED" else [ASKED, ANSWERED], "tools": declared(description="Does it.")}
    run = toolconv("convert", "--trainer", "axolotl", "--template", student, stdin=json.dumps(row) + "\n")
    assert name in run.err and ("calls_removed" in run.err) == ("calls_removed" in name), run.err


@pytest.mark.parametrize(
    ("student", "messages", "name"),
    [
        ("qwen2.5", CALLED, "mask_differs 1"),
        ("gpt-oss", [ASKED, ANSWERED], "mask_differs 1"),
        ("qwen3-instruct-2507", CALLED, ""),
        ("nemotron-3", CALLED, ""),
        ("glm-4.6", CALLED, "other_template 1"),
        ("glm-4.6", [ASKED, ANSWERED, ASKED], ""),
        ("glm-4.6", CALLED[:2], "other_template 1"),
    ],
)
def test_what_the_training_templates_of_trl_write_or_train_otherwise_is_named(student, messages, name):
    """As the datasets of TRL 1.16.0 with ``assistant_only_loss`` show, with its own copies of the originals."""
    row = json.dumps({"messages": messages, "tools": declared(description="Does it.")}) + "\n"
    run = toolconv("convert", "--trainer", "trl", "--to-layout", "trl", "--template", student, stdin=row)
    assert name in run.err, run.err
    assert ("mask_differs" in run.err, "other_template" in run.err) == ("mask" in name, "other" in name), run.err
    other = toolconv("convert", "--trainer", "unsloth", "--to-layout", "trl", "--template", student, stdin=row)
    assert "mask_differs" not in other.err and "other_template" not in other.err


def test_llamafactory_skips_what_is_named():
    skipped = {case for case, got in RECORDED["llamafactory"]["gives"].items() if got is None}
    found = findings(written("llamafactory"), "llamafactory", "llamafactory")
    assert skipped == {case for case, codes in found.items() if "TC602" in codes}


@pytest.mark.parametrize("trainer", UPLOADS)
def test_what_an_upload_refuses_is_named(trainer):
    recorded = RECORDED[trainer]
    named = findings(written(trainer), trainers.get(trainer).layout, trainer)
    assert [case for case, accepted in recorded["gives"].items() if not accepted and "TC602" not in named[case]] == []
    assert recorded["gives"]["one_call"] and not named["one_call"]
    unchanged = findings(unrepaired(trainer), LAYOUTS.get(trainer, trainer), trainer)
    refused = {case for case, accepted in recorded["unrepaired"].items() if not accepted}
    assert refused <= {case for case, codes in unchanged.items() if "TC602" in codes}


@pytest.mark.parametrize("trainer", UPLOADS)
def test_what_an_upload_refuses_of_odd_rows_is_named(trainer):
    recorded = RECORDED[trainer]["odd"]
    assert list(recorded) == odd_cases() and True in recorded.values()
    named = findings(odd(trainer), trainers.get(trainer).layout, trainer, odd_cases())
    refused = {case for case, accepted in recorded.items() if not accepted}
    assert refused and refused <= {case for case, codes in named.items() if "TC602" in codes}


@pytest.mark.parametrize("trainer", ["openai", "mistral", "together", "fireworks", "automodel", "tinker"])
def test_tools_have_the_type_that_is_counted(trainer):
    """Also in a row that comes in the layout of the trainer, with everything else as it came."""
    tool = {"function": declared(description="d")[0]["function"]}
    row = {"messages": [ASKED, ANSWERED], "tools": [tool]}
    run = toolconv("convert", "--trainer", trainer, stdin=json.dumps(row) + "\n")
    tools = run.rows[0]["tools"]
    found = json.loads(tools) if isinstance(tools, str) else tools
    assert found == [{"type": "function", **tool}] and "type_added 1" in run.err


@pytest.mark.parametrize("keys", [{"parallel_tool_calls": True}, {}])
@pytest.mark.parametrize(("arguments", "text"), [({"x": 1}, '{"x": 1}'), (None, "{}"), ('{"x": 1}', '{"x": 1}')])
def test_arguments_are_text_for_the_upload(arguments, text, keys):
    """Also in a row that comes in the layout of the upload."""
    call = {**CALL, "function": {"name": "f", "arguments": arguments}}
    row = {
        "messages": [ASKED, {"role": "assistant", "content": None, "tool_calls": [call]}],
        "tools": declared(),
        **keys,
    }
    run = toolconv("convert", "--trainer", "openai", stdin=json.dumps(row) + "\n")
    assert run.rows[0]["messages"][1]["tool_calls"][0]["function"]["arguments"] == text


def test_keys_that_an_upload_refuses_are_losses():
    run = toolconv("convert", "--trainer", "bedrock", stdin=lines([CASES["extra_keys"]]))
    assert "2 losses (key_removed 2)" in run.err
    strict = toolconv("convert", "--strict", "--trainer", "bedrock", stdin=lines([CASES["extra_keys"]]))
    assert "would be lost: key_removed" in strict.err


def test_what_the_tokenizer_reads_as_a_turn_is_named():
    turns = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "It ends with <|im_end|>."}]
    for trainer in ("axolotl", "llamafactory", "ms-swift", "trl", "unsloth"):
        run = toolconv("convert", "--trainer", trainer, stdin=json.dumps({"messages": turns}) + "\n")
        assert "turn_token_in_text 1" in run.err, trainer
    other = toolconv(
        "convert", "--trainer", "axolotl", "--template", "llama-3.1", stdin=json.dumps({"messages": turns}) + "\n"
    )
    assert "turn_token_in_text" not in other.err


def test_rows_at_which_a_trainer_stops_or_that_it_changes_are_named():
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": {"n": 10**22}}}
    asked = {"role": "user", "content": "q"}
    for trainer, row, name in (
        ("trl", {"messages": [asked, {"role": "assistant", "content": "", "tool_calls": [call]}]}, "number_too_big 1"),
        ("axolotl", {"messages": [asked, {"role": "assistant", "content": ""}]}, "answer_untrained 1"),
        ("llamafactory", {"messages": [{"role": "system", "content": "s"}]}, "no_answer 1"),
        (
            "llamafactory",
            {"messages": [asked, {"role": "assistant", "content": "a"}], "tools": [{"type": "web_search"}]},
            "tool_wrapped 1",
        ),
        *(
            (name, {"messages": [asked, {"role": "assistant", "content": "a"}], "system": "s"}, "text_differs 1")
            for name in ("axolotl", "ms-swift")
        ),
        (
            "trl",
            {"messages": [asked, {"role": "assistant", "content": "a"}], "tools": [{"name": "f", "parameters": {}}]},
            "type_added 1",
        ),
        (
            "llamafactory",
            {"messages": [asked, {"role": "assistant", "content": "a"}], "tools": []},
            "empty_tools_removed 1",
        ),
    ):
        receipt = converted(row, "--from-layout", "canonical", "--trainer", trainer)
        kind, _, count = name.partition(" ")
        found = (receipt.losses + receipt.repairs)[kind]
        assert found == int(count) if count else found, (trainer, receipt)


@pytest.mark.parametrize(
    ("trainers_of_case", "extra", "name"),
    [
        (("openai", "mistral", "anthropic", "gemini", "bedrock"), {"tools": [{"type": "web_search"}]}, "tool_type 1"),
        (
            ("mistral", "anthropic", "bedrock"),
            {"tools": [{"type": "function", "function": {"name": "f"}}]},
            "parameters_added 1",
        ),
        (("bedrock",), {"tools": []}, "empty_tools_removed 1"),
        (("mistral", "gemini", "bedrock"), {"name": "ann"}, "key_removed 1"),
        (
            ("bedrock",),
            {"content": [{"type": "image_url", "image_url": {"url": "https://x/y.png"}}]},
            "content_part_refused 1",
        ),
    ],
)
def test_what_uploads_refuse_of_odd_rows_is_named(trainers_of_case, extra, name):
    """As the types of the packages of ``tests/programs/trainers.json`` refuse them."""
    tools = {"tools": extra["tools"]} if "tools" in extra else {}
    asked = {"role": "user", "content": "q", **{key: value for key, value in extra.items() if key != "tools"}}
    row = {"messages": [asked, {"role": "assistant", "content": "a"}], **tools}
    for trainer in trainers_of_case:
        receipt = converted(row, "--from-layout", "canonical", "--trainer", trainer)
        kind, _, count = name.partition(" ")
        found = (receipt.losses + receipt.repairs)[kind]
        assert found == int(count) if count else found, (trainer, receipt)


def image(*urls, **keys):
    """A message with a text and images."""
    parts = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return {"role": "user", "content": [{"type": "text", "text": "q"}, *parts], **keys}


def with_id(name):
    """A call with an id, and its result."""
    return [ASKED, {**CALLED[1], "tool_calls": [{**CALL, "id": name}]}, {**CALLED[2], "tool_call_id": name}, ANSWERED]


REFUSED = [
    ("bedrock", CALLED, None, "tools_missing 1"),
    ("bedrock", CALLED, declared(description=""), "description_removed 1"),
    ("bedrock", CALLED, declared(**{"return": {}}), "tool_key_removed 1"),
    ("bedrock", [{"role": "user", "content": " "}, ANSWERED], None, "content_part_refused 1"),
    ("bedrock", [image("data:image/png;base64,AA==", role="system"), ASKED, ANSWERED], None, "content_part_refused 1"),
    *((name, [ASKED, ANSWERED], [{**declared(description="d")[0], "cache_control": {}}], "tool_key_removed 1")
      for name in ("bedrock", "gemini")),
    ("bedrock", [ASKED, {"role": "system", "content": "s"}, ANSWERED], None, "system_turn_late 1"),
    ("anthropic", [ASKED, {**ANSWERED, "reasoning_content": "why"}], None, "unsigned_reasoning_removed 1"),
    ("anthropic", [ASKED, {**ANSWERED, "thinking_blocks": [{"type": "reasoning", "summary": []}]}], None,
     "unsigned_reasoning_removed 1"),
    ("anthropic", [ASKED, {"role": "assistant", "content": ""}], None, "empty_turn 1"),
    ("anthropic", [ASKED, ANSWERED], [{"googleSearch": {}}], "tool_type 1"),
    ("gemini", [ASKED, {"role": "assistant", "content": ""}, ASKED, ANSWERED], None, "empty_turn 1"),
    ("openai", [ASKED, {"role": "assistant", "tool_calls": [{key: CALL[key] for key in ("id", "function")}]}],
     None, "type_added 1"),
    ("openai", [ASKED, ANSWERED], [], "empty_tools_removed 1"),
    ("openai", [ASKED, {"role": "assistant", "content": "", "tool_calls": [{key: CALL[key] for key in ("type", "function")}]}],
     None, "key_refused 1"),
    ("mistral", [{"role": "user", "content": [{"type": "file", "file": {}}]}, ANSWERED], None, "content_part_refused 1"),
    ("openai", [{"role": "user", "content": [{"type": "image_url", "image_url": "https://x/y.png"}]}, ANSWERED], None,
     "content_part_refused 1"),
    ("openai", [{"role": "user", "content": 5}, ANSWERED], None, "value_refused 1"),
    ("mistral", [{"role": "user", "content": [{"type": "text", "text": "q", "note": 1}]}, ANSWERED], None, "key_removed 1"),
    ("mistral", [ASKED, ANSWERED], declared(parameters={"type": "object", "required": "a"}), "schema_key 1"),
    ("mistral", [ASKED, ANSWERED], declared(), "description_added 1"),
    ("mistral", [{"role": "system", "content": "s"}] * 2 + [ASKED, ANSWERED], None, "system_turn_late 1"),
    ("mistral", [ASKED, ANSWERED, {"role": "system", "content": "s"}, ANSWERED], None, "system_turn_late 1"),
    ("mistral", [{"role": "system", "content": [{"type": "text", "text": "s"}]}, ASKED, ANSWERED], None,
     "parts_joined 1"),
    ("mistral", CALLED[1:], declared(), "first_turn 1"),
    ("mistral", [ANSWERED], None, "first_turn 1"),
    ("openai", [{"role": "user", "content": [{"type": "text", "text": "q", "note": 1}]}, ANSWERED], None, "key_removed 1"),
    ("openai", [ASKED, {"role": "assistant", "content": [], "tool_calls": [CALL]}], None, "value_refused 1"),
    ("openai", [{"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]}, ANSWERED], None,
     "content_part_refused 1"),
    ("openai", [{"role": "developer", "content": "d"}, ASKED, ANSWERED], None, "developer_as_system 1"),
    ("openai", [ASKED, ANSWERED], declared(parameters=None), "parameters_added 1"),
    ("openai", [ASKED, {"role": "assistant", "content": "", "tool_calls": [{**CALL, "function": {"name": "a.b", "arguments": {}}}]}],
     None, "tool_name 1"),
    *((name, [ASKED, {"role": "critic", "content": "r"}, ANSWERED], None, "role_refused 1")
      for name in ("openai", "mistral", "anthropic", "gemini", "bedrock")),
    *((name, [ASKED, ANSWERED], declared(description=5), "value_refused 1")
      for name in ("openai", "mistral", "anthropic", "gemini", "bedrock")),
    *((name, [ASKED, ANSWERED], [{"type": "function", "function": {"description": "d", "parameters": {}}}], "key_refused 1")
      for name in ("openai", "mistral", "anthropic", "gemini", "bedrock")),
    ("gemini", [ASKED, ANSWERED], declared(parameters={"type": "object", "properties": {"a": True}}), "schema_key 1"),
    ("gemini", [ASKED, ANSWERED], declared(parameters={"type": "object", "properties": []}), "schema_key 1"),
    ("gemini", [ASKED, ANSWERED], declared(parameters={"type": "object", "required": True}), "schema_key 1"),
    ("openai", [ASKED, ANSWERED], declared(parameters=True), "value_refused 1"),
    ("openai", [ASKED, ANSWERED], declared() * 129, "value_refused 1"),
    ("openai", [ASKED, ANSWERED], declared() * 128, "value_refused 0"),
    ("openai", [{**ASKED, "name": "a b"}, ANSWERED], None, "value_refused 1"),
    ("openai", with_id("a" * 41), declared(), "value_refused 2"),
    *((name, [ASKED, ANSWERED], declared() * 2, "value_refused 1") for name in ("anthropic", "bedrock", "gemini")),
    *((name, with_id(7), declared(), "value_refused 2") for name in ("anthropic", "bedrock", "gemini")),
    ("anthropic", with_id("functions.f:0"), declared(), "call_id_format 1"),
    ("bedrock", with_id("a b"), declared(), "call_id_format 1"),
    ("bedrock", with_id("a" * 65), declared(), "call_id_format 1"),
    ("anthropic", [ASKED, CALLED[1], {**CALLED[2], "content": 5}, ANSWERED], declared(), "content_part_refused 1"),
    ("anthropic", [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/bmp;base64,AA=="}}]},
                   ANSWERED], None, "content_part_refused 1"),
    ("together", [image("https://x/y.png"), ANSWERED], None, "content_part_refused 1"),
    ("together", [image("data:image/gif;base64,AA=="), ANSWERED], None, "content_part_refused 1"),
    ("together", [ASKED, image("data:image/png;base64,AA==", role="assistant")], None, "content_part_refused 1"),
    ("together", [image(*["data:image/png;base64,AA=="] * 11), ANSWERED], None, "content_part_refused 1"),
    ("together", [image("data:image/png;base64," + "A" * (4 * (10 << 20) // 3 + 2)), ANSWERED], None,
     "content_part_refused 1"),
    ("together", [image("data:image/png;base64,AA==", weight=1), ANSWERED], None, "value_refused 1"),
    ("together", [{**ASKED, "content": 5}, ANSWERED], None, "value_refused 1"),
    ("together", [ASKED, {"role": "critic", "content": "c"}, ANSWERED], None, "role_refused 1"),
    ("together", [ASKED], None, "no_answer 1"),
    ("fireworks", [ASKED, {"role": "critic", "content": "c"}, ANSWERED], None, "role_refused 1"),
    ("fireworks", [{"role": "user", "content": [{"type": "file", "file": {}}]}, ANSWERED], None,
     "content_part_refused 1"),
]  # fmt: skip
"""Uploads, messages and tools, and what is counted."""


@each("trainer, messages, tools, name", REFUSED)
def test_what_the_types_of_an_upload_refuse_is_named(trainer, messages, tools, name):
    row = {"messages": messages, **({} if tools is None else {"tools": tools})}
    receipt = converted(row, "--from-layout", "canonical", "--trainer", trainer, command=render)
    kind, count = name.split()
    assert (receipt.losses + receipt.repairs)[kind] == int(count), name


@pytest.mark.parametrize(
    ("trainer", "ids", "expected"),
    [
        ("anthropic", ["functions.f:0", "b"], ["functions_f_0", "b"]),
        ("anthropic", ["a.b", "a:b"], ["a.b", "a:b"]),  # they would be the same
        ("bedrock", ["functions.f:0", "b"], ["functions.f:0", "b"]),
    ],
)
def test_ids_of_calls_fit_the_upload_and_stay_different(trainer, ids, expected):
    calls = [{**CALL, "id": each} for each in ids]
    results = [{**CALLED[2], "tool_call_id": each} for each in ids]
    row = {
        "messages": [ASKED, {**CALLED[1], "tool_calls": calls}, *results, ANSWERED],
        "tools": declared(description="d"),
    }
    found = toolconv("convert", "-q", "--trainer", trainer, stdin=json.dumps(row) + "\n").out
    assert re.findall(r'"(?:id|toolUseId|tool_use_id)":"([^"]*)"', found) == [*expected, *expected]


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "system", "content": "s"}, image(*["data:image/png;base64,AA=="] * 10), ANSWERED],
        pytest.param([image("data:image/webp;base64," + "A" * (4 * (10 << 20) // 3)), ANSWERED], marks=exhaustive),
        [image("data:image/jpeg;base64,AA==", weight=0), ANSWERED],
        [{"role": "user", "content": [{"type": "text", "text": "q"}]}, ANSWERED],
    ],
)
def test_rows_that_together_takes_have_one_form_of_content(messages):
    """Each at the limit that its check of files has; texts beside images are parts, and parts that are texts are texts."""
    row = {"id": "r1", "messages": messages}
    run = toolconv("convert", "--from-layout", "canonical", "--trainer", "together", stdin=json.dumps(row) + "\n")
    assert "refused" not in run.err and "row_key_removed 1" in run.err, run.err
    written_row = run.rows[0]
    assert written_row.keys() == {"messages"}
    parts = any("image_url" in json.dumps(message["content"]) for message in messages)
    assert {type(message["content"]) for message in written_row["messages"]} == {list if parts else str}


PAIR = {"chosen": [{"role": "assistant", "content": "Yes."}], "rejected": [{"role": "assistant", "content": "No."}]}
WHOLE = {key: [ASKED, *answer] for key, answer in PAIR.items()}
OPENAI_PAIR = {
    "input": {"messages": [ASKED]},
    "preferred_output": PAIR["chosen"],
    "non_preferred_output": PAIR["rejected"],
}
SPOKEN = {"chosen": {"from": "gpt", "value": "Yes."}, "rejected": {"from": "gpt", "value": "No."}}
FIRST = {"messages": [ASKED, *PAIR["chosen"]]}


@pytest.mark.parametrize(
    ("trainers_of_case", "expected"),
    [
        (("trl", "unsloth", "openrlhf"), {"prompt": [ASKED], **PAIR}),
        (("torchtune", "open-instruct"), WHOLE),
        (("openai", "together", "fireworks"), OPENAI_PAIR),
        (("mistral", "automodel", "mlx-lm", "nemo-rl", "prime-rl", "skyrl", "slime", "tinker", "verl"), FIRST),
        (("unsloth-studio",), FIRST),
    ],
)
def test_pairs_are_written_as_the_trainer_reads_them(trainers_of_case, expected):
    """By the code of ``preprocess_data`` of OpenRLHF 0.11, ``ChosenRejectedToMessages`` of torchtune 0.6 and
    ``preference_tokenize_v1`` of open-instruct, and the documentation of TRL and of the uploads. All others read
    ``messages`` alone: they get the chosen answer, and the loss is named."""
    for trainer in trainers_of_case:
        line = json.dumps({"prompt": [ASKED], **PAIR}) + "\n"
        run = toolconv("convert", "--trainer", trainer, stdin=line)
        assert run.rows == [expected], trainer
        if expected is WHOLE:
            assert toolconv("convert", "--trainer", trainer, stdin=json.dumps(WHOLE) + "\n").rows == [WHOLE]
        assert ("other_answers 1" in run.err) == (expected is FIRST), (trainer, run.err)
        assert run.status == 0


@pytest.mark.parametrize(
    "trainer", ["trl", "together", "fireworks", "tinker", "torchtune", "automodel", "prime-rl", "verl"]
)
def test_samples_are_one_answer_where_the_trainer_reads_no_more(trainer):
    line = json.dumps({"prompt": "q", "samples": ["Yes.", "No.", "Maybe."]}) + "\n"
    run = toolconv("convert", "--trainer", trainer, stdin=line)
    assert [message["content"] for message in run.rows[0]["messages"]] == ["q", "Yes."]
    assert "other_answers 2" in run.err


@pytest.mark.parametrize("trainer", ["together", "fireworks"])
def test_answers_of_several_turns_are_no_pair_of_an_upload(trainer):
    more = [{"role": "user", "content": "Sure?"}, {"role": "assistant", "content": "Yes."}]
    row = {"prompt": [ASKED], "chosen": [*PAIR["chosen"], *more], "rejected": PAIR["rejected"]}
    run = toolconv("convert", "--trainer", trainer, stdin=json.dumps(row) + "\n")
    assert run.rows == [{"messages": [ASKED, *row["chosen"]]}] and "other_answers 1" in run.err


def test_lint_names_answers_that_the_trainer_does_not_read():
    line = json.dumps({"prompt": [ASKED], **PAIR}) + "\n"
    for trainer, named in (("verl", 1), ("openrlhf", 0), ("trl", 0), ("together", 0)):
        layout = "openai" if trainer == "together" else "trl"
        run = toolconv("lint", "--trainer", trainer, "--from-layout", layout, "--select", "TC602", stdin=line)
        found = run.out.count("does not read several answers")
        assert found == (1 if trainer == "together" else named), (trainer, run.out)


@pytest.mark.parametrize(
    ("trainer", "row", "foretold"),
    [
        ("gemini", {"prompt": [ASKED], **PAIR}, 1),
        ("mistral", {"prompt": [ASKED], **PAIR}, 1),
        ("together", {"prompt": [ASKED], **PAIR}, 0),
        ("together", {"prompt": [ASKED], **PAIR, "rejected": [*PAIR["rejected"], ASKED, *PAIR["chosen"]]}, 1),
        ("trl", {"conversations": [{"from": "human", "value": "q"}], **SPOKEN}, 0),
        ("verl", {"conversations": [{"from": "human", "value": "q"}], **SPOKEN}, 1),
        ("llamafactory", {"prompt": [ASKED], "completions": [PAIR["chosen"], PAIR["rejected"]]}, 1),
    ],
)
def test_lint_foretells_which_answers_are_written(trainer, row, foretold):
    line = json.dumps(row) + "\n"
    run = toolconv("lint", "--trainer", trainer, "--select", "TC603", stdin=line)
    assert run.out.count("counts other_answers") == foretold, run.out
    assert toolconv("convert", "--trainer", trainer, stdin=line).err.count("other_answers 1") == foretold


def test_what_a_trainer_does_to_pairs_is_named_of_pairs_alone():
    """axolotl's DPO reads no calls, but of an answer of several turns a row with one answer is written: it has them."""
    for chosen, named in (([CALLED[1]], True), ([*CALLED[1:3], ANSWERED], False)):
        row = {"prompt": [ASKED], **PAIR, "chosen": chosen, "tools": declared(description="d")}
        run = toolconv("convert", "--trainer", "axolotl", stdin=json.dumps(row) + "\n")
        assert ("calls_removed" in run.err) == named and ("other_answers" in run.err) != named
    row = {"conversations": [{"from": "human", "value": "q"}], **SPOKEN}
    row["chosen"] = {"from": "function_call", "value": '{"name": "f", "arguments": {}}'}
    lint = toolconv("lint", "--trainer", "axolotl", "--select", "TC604", stdin=json.dumps(row) + "\n")
    assert "reads neither calls nor tools in preference rows" in lint.out


@pytest.mark.parametrize(("content", "named"), [("", "empty_answer 1"), (None, "empty_answer 1"), ("a", "")])
def test_axolotl_stops_at_an_answer_without_text_in_a_pair(content, named):
    """axolotl 0.19 looks for the content in the text that the chat template writes, so ``None`` raises an error."""
    row = {"prompt": [ASKED], **PAIR, "rejected": [{"role": "assistant", "content": content}]}
    run = toolconv("convert", "--trainer", "axolotl", stdin=json.dumps(row) + "\n")
    assert (named in run.err) and ("refused by the trainer" in run.err) == bool(named)


@pytest.mark.parametrize(
    ("prompt", "chosen", "rejected", "named"),
    [
        ({}, {}, {}, 0),
        ({}, {"weight": 1}, {"weight": 1}, 0),
        ({}, {"weight": 0}, {}, 1),
        ({}, {}, {"weight": 0}, 1),
        ({"weight": 1}, {"weight": 0}, {"weight": 0}, 3),
        ({"weight": 0}, {}, {}, 0),
    ],
)
def test_axolotl_reads_no_marks_in_pairs(prompt, chosen, rejected, named):
    """By the code of ``prompt_strategies/dpo/chat_template.py``, which reads the role and the content."""
    row = {
        "prompt": [{**ASKED, **prompt}, {**ANSWERED, "weight": 0}, ASKED],
        "chosen": [{**PAIR["chosen"][0], **chosen}],
        "rejected": [{**PAIR["rejected"][0], **rejected}],
    }
    run = toolconv("convert", "--trainer", "axolotl", stdin=json.dumps(row) + "\n")
    assert (f"mark_ignored {named}" if named else "0 calls\n") in run.err and "end_trained" not in run.err


@pytest.mark.parametrize(
    ("weights", "trainer", "lost"),
    [
        ((0, 1, 1), "llamafactory", 0),
        ((0, 0, 1), "llamafactory", 1),
        ((0, 1, 0), "trl", 1),
        ((0, 1, 1), "trl", 0),
        ((0.5, 1, 1), "trl", 1),
        ((0, 1, 1), "verl", 1),  # which reads one answer, and trains the turns before it
        ((0, 1, 1), "mistral", 0),
    ],
)
def test_a_mark_of_a_prompt_is_lost_only_where_it_would_change_what_is_trained(weights, trainer, lost):
    """Of a row with several answers, trainers train these alone."""
    asked, chosen, rejected = ({**ANSWERED, "weight": weight} for weight in weights)
    prompt = [ASKED, asked, {"role": "user", "content": "r"}]
    row = {"prompt": prompt, "chosen": [chosen], "rejected": [rejected]}
    run = toolconv("convert", "--trainer", trainer, stdin=json.dumps(row) + "\n")
    assert (f"training_mark {lost}" in run.err) == bool(lost) and run.err.count("training_mark") == bool(lost), run.err


LAYOUT_ROWS = [
    json.loads(line)["row"]
    for path in sorted((ROOT / "fixtures/layouts").glob("*.jsonl"))
    for line in path.read_text("utf-8").splitlines()
]
MARKED_ROWS = [
    {"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a", "weight": 0}]},
    {"input": {"messages": [ASKED, {**ANSWERED, "weight": 0}, ASKED]}, "preferred_output": PAIR["chosen"],
     "non_preferred_output": PAIR["rejected"]},
    {"messages": [ASKED, {**ANSWERED, "weight": 0}, ASKED, ANSWERED], "conversations": "x", "system": "s"},
    {"messages": [{"role": "user", "content": [{"type": "text", "text": "q"}]}, {**ANSWERED, "weight": 2}],
     "tools": [{"name": "f", "input_schema": {"type": "object"}}], "note": 1},
]  # fmt: skip


def losses_of(run):
    """The names of the losses that a run of one row counts; the row is the only reject if it is not written."""
    if "1 rejected" in run.err:
        return {"row_rejected"}
    counted = re.search(r"\d loss(?:es)? \((.*?)\)", run.err)
    return {*re.findall(r"(\w+) [\d,]+", counted[1])} if counted else set()


def check_foretold(trainer, rows, target):
    """Check that lint foretells the losses that convert counts, of rows that the trainer doesn't read as they are."""
    rule, checked = DroppedByTrainer({"trainer": trainer.name, "target": target}), 0
    options = ("--to-layout", trainer.layout, "--template", target) if target else ()
    for row in rows:
        line = json.dumps(row)
        detector = Detector(None, "auto")
        given = LintRow("rows", 1, line.encode(), *detector.layout_and_reader(detector.of_rows([line.encode()])))
        if given.read_as is not None and given.read_as.name not in trainer.reads:
            run = toolconv("convert", "--trainer", trainer.name, *options, stdin=line + "\n")
            assert {effect.name for effect in rule.effects(given)} == losses_of(run), (line, run.err)
            checked += 1
    return checked


@pytest.mark.sweep
@pytest.mark.parametrize("trainer", trainers.all_trainers(), ids=attrgetter("name"))
def test_lint_foretells_what_convert_loses(trainer):
    few = LAYOUT_ROWS[sum(map(ord, trainer.name)) % 60 :: 60]
    assert check_foretold(trainer, [*MARKED_ROWS, *few], "") > 1


@pytest.mark.nightly
@pytest.mark.parametrize("target", ["", "qwen3"])
@pytest.mark.parametrize("trainer", trainers.all_trainers(), ids=attrgetter("name"))
def test_lint_foretells_what_convert_loses_of_any_row(trainer, target):
    if target and trainer.own_models:
        pytest.skip("it takes no template")
    check_foretold(trainer, LAYOUT_ROWS, target)


@pytest.mark.parametrize(
    ("trainer", "keys", "left_out"),
    [
        ("trl", {"prompt": "p", "completion": "c"}, 2),
        ("trl", {"images": [], "image": None}, 2),
        ("trl", {"images": ["a.png"], "id": "1", "text": "t"}, 0),
        ("trl", {"labels": [1], "input_ids": [1], "conversations": "x"}, 3),
        ("unsloth", {"prompt": "p"}, 1),
        ("mlx-lm", {"prompt": "p", "completion": "c"}, 1),
        ("axolotl", {"system": "", "prompt": "p"}, 1),
        ("axolotl", {"system": "s"}, 0),
        ("verl", {"images": [], "videos": []}, 2),
        ("verl", {"images": ["a.png"]}, 0),
        ("slime", {"metadata": "m"}, 1),
        ("slime", {"metadata": {"source": "s"}}, 0),
        ("unsloth-studio", {"instruction": "i", "output": "o"}, 1),
        ("ms-swift", {"images": [], "prompt": "p"}, 0),
        ("ms-swift", {"objects": {}}, 1),
        ("ms-swift", {"objects": {"ref": ["dog"], "bbox": [[1, 2, 3]]}}, 1),
        ("ms-swift", {"objects": {"ref": ["dog"], "bbox": [[1, 2, 3, 4], [1, 2]]}}, 0),
    ],
)
def test_keys_that_a_trainer_reads_as_something_else_are_left_out(trainer, keys, left_out):
    """As the labels of trl 1.16.0 and axolotl 0.19.0 show, and by the code of the others: see their pages."""
    row = {**keys, "messages": [ASKED, ANSWERED]}
    run = toolconv("convert", "--trainer", trainer, stdin=json.dumps(row) + "\n")
    assert (f"row_key_removed {left_out}" in run.err) == bool(left_out), run.err
    assert len(run.rows[0]) == len(row) - left_out
    if trainer == "axolotl":
        exact = toolconv(
            "convert", "--trainer", trainer, "--template", "qwen3", "--exact", stdin=json.dumps(row) + "\n"
        )
        assert exact.rows[0].keys() - {"segments"} == run.rows[0].keys() - {"messages"}


@pytest.mark.parametrize(
    "row", [{"prompt": [ASKED], **PAIR}, {"prompt": "q", "completion": "a"}, {"text": "q", "id": 1}]
)
def test_keys_that_are_a_part_of_the_conversation_stay(row):
    line = json.dumps(row) + "\n"
    for trainer in ("trl", "mlx-lm", "openrlhf"):
        run = toolconv("convert", "--trainer", trainer, stdin=line)
        assert "row_key_removed" not in run.err, run.err
        lint = toolconv("lint", "--isolated", "--trainer", trainer, "--select", "TC602", stdin=line)
        assert "read as something else" not in lint.out


@pytest.mark.parametrize("trainer", ["trl", "unsloth"])
def test_rows_with_a_flag_keep_their_prompt_and_completion(trainer):
    """As ``KTOTrainer`` reads them. Source: TRL documentation, dataset formats, unpaired preference."""
    messages = {"prompt": [ASKED], "completion": [ANSWERED]}
    for came, kept in (
        ({**messages, "label": False}, True),
        ({"prompt": ASKED["content"], "completion": ANSWERED["content"], "label": True}, True),
        ({**messages, "label": "spam"}, False),
        (messages, False),
        ({"messages": [ASKED, ANSWERED], "label": False}, False),
    ):
        (row,) = toolconv("convert", "-q", "--trainer", trainer, stdin=json.dumps(came) + "\n").rows
        flag = {"label": came["label"]} if "label" in came else {}
        assert row == ({**messages, **flag} if kept else {"messages": [ASKED, ANSWERED], **flag})


def test_a_text_beside_messages_is_no_text_row():
    line = json.dumps({"text": "t", "messages": [ASKED, ANSWERED]}) + "\n"
    run = toolconv("convert", "--trainer", "openrlhf", stdin=line)
    assert run.status == 0 and "nothing_trained" not in run.err
    for key in ("text", "completion"):  # LLaMA-Factory's turns have another key
        line = json.dumps({key: "t", "messages": [ASKED, ANSWERED]}) + "\n"
        run = toolconv("convert", "--trainer", "llamafactory", "--template", "glm-4.6", stdin=line)
        assert "other_template 1" in run.err, run.err
    bare = json.dumps({"text": "t", "messages": [ASKED]}) + "\n"
    assert "no_answer 1" in toolconv("convert", "--trainer", "trl", stdin=bare).err


def test_a_removed_key_of_a_row_is_counted_once_whatever_its_answers():
    for answers in ({**PAIR}, {"completions": [PAIR["chosen"], PAIR["rejected"], PAIR["chosen"]]}):
        row = {"source": "s", "prompt": [ASKED], **answers}
        assert "row_key_removed 1" in toolconv("convert", "--trainer", "together", stdin=json.dumps(row) + "\n").err


def test_pairs_for_ms_swift_have_one_form():
    """Of a file that has both, ms-swift 4.6 leaves out the rows without ``rejected_response``."""
    other = {"prompt": [ASKED], **PAIR, "rejected": [*PAIR["rejected"], ASKED, *PAIR["chosen"]]}
    given = "".join(json.dumps(row) + "\n" for row in ({"prompt": [ASKED], **PAIR}, other))
    rows = toolconv("convert", "--trainer", "ms-swift", stdin=given).rows
    assert [row["rejected_messages"] for row in rows] == [[ASKED, *PAIR["rejected"]], [ASKED, *other["rejected"]]]
    assert all("rejected_response" not in row for row in rows)


@pytest.mark.sweep
@pytest.mark.parametrize("trainer", trainers.names())
def test_the_page_says_which_marks_and_answers_are_written(trainer):
    row = {"messages": [ASKED, {**ANSWERED, "weight": 0}, ASKED, ANSWERED]}
    run = toolconv("convert", "--trainer", trainer, stdin=json.dumps(row) + "\n")
    facts = toolconv("trainers", trainer, "--json").rows[0]
    assert ("training_mark 1" in run.err) == (not facts["marks"])
    assert not facts["marks"] or facts["marks"][0] in run.out
    run = toolconv("convert", "--trainer", trainer, stdin=json.dumps({"prompt": [ASKED], **PAIR}) + "\n")
    assert ("other_answers 1" in run.err) != facts["several_answers"]


@pytest.mark.parametrize("trainer", ["bedrock", "anthropic", "gemini", "openai"])
def test_a_row_with_a_call_and_its_result_is_taken(trainer):
    row = {"messages": CALLED, "tools": declared(description="Does it.")}
    run = toolconv("convert", "--trainer", trainer, stdin=json.dumps(row) + "\n")
    assert run.status == 0 and "refused" not in run.err, run.err


def test_reasoning_before_a_call_is_named_where_llamafactory_raises_at_it():
    """As ``FunctionFormatter`` of llamafactory 0.9.5 does with its templates gemma4, gpt_oss and seed_oss, not qwen3."""
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": {}}}
    turn = {"role": "assistant", "content": "", "reasoning_content": "why", "tool_calls": [call]}
    row = json.dumps({"messages": [{"role": "user", "content": "q"}, turn]}) + "\n"
    for template, named in (("gpt-oss", True), ("gemma-4", True), ("seed-oss", True), ("qwen3", False)):
        run = toolconv("convert", "--trainer", "llamafactory", "--template", template, stdin=row)
        assert ("reasoning_with_calls 1" in run.err) == named, template


def test_numbers_change_as_datasets_changes_them():
    loaded = {"a": [0.7, 1e-12, 0.5, 3, -0.57, -0.0], "b": {"c": 10**20}}
    assert list(changed_numbers(loaded)) == [
        "0.7 becomes 0.7000000000000001",
        "1e-12 becomes 0.0",
        "-0.57 becomes -0.5700000000000001",
        "-0.0 becomes 0.0",
    ]


@pytest.mark.parametrize("trainer", trainers.names())
def test_strict_rejects_what_a_trainer_would_lose(trainer):
    row = {"messages": CASES["begins_with_call"]["messages"][-1:]}
    found = toolconv("convert", "--strict", "--trainer", trainer, stdin=json.dumps(row) + "\n")
    refuses = trainer in (
        "anthropic",
        "automodel",
        "bedrock",
        "gemini",
        "llamafactory",
        "mistral",
        "mlx-lm",
        "ms-swift",
        "nemo-rl",
        "open-instruct",
        "skyrl",
        "slime",
        "together",
        "torchtune",
        "verl",
    )
    assert (not found.out) == refuses
    assert ("would be lost" in found.err) == refuses


@pytest.mark.parametrize("trainer", trainers.names())
def test_each_trainer_has_its_page(trainer):
    page = toolconv("trainers", trainer).out
    for part in ("Rows: toolconv convert", "Load: ", "checked", "Reads"):
        assert part in page.replace("``", ""), part


def test_texts_for_a_tokenizer():
    row = (
        json.dumps({"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}) + "\n"
    )
    whole = toolconv("render", "--template", "qwen3", stdin=row).rows[0]["text"]
    assert toolconv("render", "--template", "qwen3", "--end-at-eos", stdin=row).rows[0]["text"] == whole[:-1]
    first = toolconv("render", "--template", "llama-3.1", stdin=row).rows[0]["text"]
    cut = toolconv("render", "--template", "llama-3.1", "--no-bos", "--spans", stdin=row).rows[0]
    assert "<|begin_of_text|>" + cut["text"] == first
    assert [cut["spans"][0]["start"], cut["spans"][-1]["end"]] == [0, len(cut["text"])]
    assert "<|begin_of_text|>" not in toolconv("convert", "--trainer", "trl", "--template", "llama-3.1", stdin=row).out


def test_rows_for_trl_are_checked_against_the_template_of_the_student():
    row = {"messages": [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "a", "reasoning_content": "because"},
        {"role": "user", "content": "r"},
        {"role": "assistant", "content": "b"},
    ]}  # fmt: skip
    options = ("--trainer", "trl", "--to-layout", "trl", "--template")
    run = toolconv("convert", *options, "qwen3", stdin=json.dumps(row) + "\n")
    assert run.rows[0]["messages"] == row["messages"] and "1 loss (template_leaves_out_reasoning 1)" in run.err
    strict = toolconv("convert", *options, "qwen2.5", "--strict", stdin=json.dumps(row) + "\n")
    assert "would be lost: template_leaves_out_reasoning" in strict.err
    lint = toolconv("lint", "-q", "--isolated", "--from-layout", "trl", "--trainer", "trl", "--template", "qwen3",
                    "--select", "TC603", stdin=json.dumps(row) + "\n")  # fmt: skip
    assert "qwen3 leaves out reasoning" in lint.out


def test_a_trainer_chooses_the_layout():
    run = toolconv("convert", "--trainer", "trl", "--to-layout", "openai", stdin="{}")
    assert run.status == 2
    assert "--trainer chooses the layout" in run.err


@exhaustive
def test_only_texts_are_written_as_parquet(tmp_path):
    row = lines([CASES["one_call"]])
    for trainer in trainers.names():
        run = toolconv("convert", "-q", "--trainer", trainer, "-o", tmp_path / f"{trainer}.parquet", stdin=row)
        assert (run.status, "write .jsonl" in run.err) == (2, True), run.err
    texts = toolconv("convert", "-q", "--trainer", "trl", "--template", "qwen3", "--prompt-completion",
                     "-o", tmp_path / "texts.parquet", stdin=row)  # fmt: skip
    assert texts.status == 0


def test_the_layout_of_one_trainer_counts_what_that_trainer_would_lose(tmp_path):
    row = lines([CASES["begins_with_call"]])
    hint = "--trainer llamafactory repairs what it can"
    run = toolconv("convert", "--to-layout", "llamafactory", stdin=row)
    assert (run.rows != [], "first_turn 1" in run.err, hint in run.err) == (True, True, True), run.err
    assert hint not in toolconv("convert", "--to-layout", "llamafactory", stdin=lines([CASES["one_call"]])).err
    assert toolconv("convert", "--to-layout", "llamafactory", "--strict", stdin=row).out == ""
    run = toolconv("convert", "--to-layout", "trl", "-o", tmp_path / "a.parquet", stdin=row)
    assert (run.status, "write .jsonl" in run.err) == (2, True), run.err


def test_columns_of_dataset_info_are_those_of_the_file(tmp_path):
    file = tmp_path / "train.jsonl"
    file.write_text('{"conversations": [{"from": "human", "value": "Hi"}], "tools": "[]"}\n')
    columns = json.loads(toolconv("layouts", "llamafactory", "--dataset-info", file).out)["train"]["columns"]
    assert columns == {"messages": "conversations", "tools": "tools"}


@pytest.mark.parametrize(
    ("template", "step"),
    [
        *(pytest.param(name, 5, marks=exhaustive) for name in templates.names()[::8]),
        *(pytest.param(name, 1, marks=nightly) for name in templates.names()),
    ],
)
def test_every_template_works_with_every_trainer(template, step):
    rows, count = lines(CASES.values()), len(CASES)
    names = [name for name in trainers.names() if not trainers.get(name).own_models]
    for trainer in names[templates.names().index(template) % step :: step]:
        run = toolconv("convert", "--trainer", trainer, "--template", template, stdin=rows)
        assert run.status in (0, 1) and len(run.rows) == count, run.err
        lint = toolconv("lint", "-q", "--isolated", "--from-layout", "canonical", "--trainer", trainer,
                        "--target", template, "--select", "TC6", "--output-format", "jsonl", stdin=rows)  # fmt: skip
        assert lint.status in (0, 1), lint.err
        deviating = {found["line"] for found in lint.rows if f"{template}: the original template" in found["message"]}
        if template_deviates in trainers.get(trainer).checks:
            assert deviating == {
                line for line, case in enumerate(CASES.values(), 1)
                if deviations(template, layouts.get("canonical").read({key: case[key] for key in ("messages", "tools")}))
                or argument_effect(template, argument_types(case["messages"]))
            }  # fmt: skip


def test_what_the_original_template_leaves_out_is_named_where_the_trainer_uses_it():
    calls = [{"id": name, "type": "function", "function": {"name": "f", "arguments": {}}} for name in "ab"]
    row = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "", "tool_calls": calls}]}
    for trainer in ("axolotl", "trl", "unsloth"):
        lint = toolconv("lint", "-q", "--isolated", "--from-layout", "canonical", "--trainer", trainer,
                        "--target", "gpt-oss", "--select", "TC604", stdin=json.dumps(row) + "\n")  # fmt: skip
        assert "gpt-oss: the original template writes only the first of parallel calls" in lint.out
    texts = toolconv("convert", "--trainer", "trl", "--template", "gpt-oss", stdin=json.dumps(row) + "\n")
    assert "template_" not in texts.err


@exhaustive
def test_a_text_that_gets_tokens_twice_is_named():
    turns = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}
    for template, words in (("qwen3", "an end token is added"), ("llama-3.1", "the tokenizer may add")):
        text = toolconv("render", "-q", "--template", template, stdin=json.dumps(turns) + "\n").out
        assert words in toolconv("lint", "-q", "--isolated", "--trainer", "trl", "--select", "TC6", stdin=text).out
        ready = toolconv(
            "convert", "-q", "--trainer", "trl", "--template", template, stdin=json.dumps(turns) + "\n"
        ).out
        assert toolconv("lint", "-q", "--isolated", "--trainer", "trl", "--select", "TC6", stdin=ready).status == 0


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1])
@pytest.mark.parametrize(("trainer", "converted"), [("ms-swift", "number_too_big"), ("trl", ""), ("axolotl", "")])
def test_an_integer_in_tools_that_ends_the_run_is_named(number, trainer, converted):
    parameters = {"type": "object", "properties": {"a": {"type": "integer", "enum": [number]}}}
    tool = {"type": "function", "function": {"name": "f", "description": "Does it.", "parameters": parameters}}
    row = {"tools": [tool], "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}
    line = json.dumps(row)
    run = toolconv(
        "lint", "--isolated", "--trainer", trainer, "--select", "TC602", "--output-format", "jsonl", stdin=line
    )
    assert [str(number) in finding["message"] for finding in run.rows] == [True]
    assert ("writes tools as text" in run.rows[0]["message"]) == (not converted)
    assert converted in toolconv("convert", "--trainer", trainer, stdin=line).err
    within = line.replace(str(number), str(number + (1 if number < 0 else -1)))
    assert not toolconv("lint", "--isolated", "--trainer", trainer, "--select", "TC602", stdin=within).status


def test_a_way_out_is_named_where_a_trainer_stops_or_leaves_out_a_row():
    """As the trainers' own code showed: none of 60 such rows stops Automodel then, and 1 of 80 is left out."""
    thought = [ASKED, {**ANSWERED, "reasoning_content": "t"}, ASKED, ANSWERED]
    for trainer, turns, way in (
        ("automodel", thought, "A chat_template with {% generation %} prevents that"),
        ("open-instruct", thought, "Its last_turn_… transform does not"),
        ("torchtune", CALLED, "toolconv convert --to hermes"),
    ):
        run = toolconv(
            "convert", "--trainer", trainer, "--template", "qwen3", stdin=json.dumps({"messages": turns}) + "\n"
        )
        assert way in run.err, run.err


@pytest.mark.parametrize(("trainer", "key"), [("trl", "images"), ("trl", "image"), ("ms-swift", "audios")])
def test_media_beside_messages_are_named(trainer, key):
    """As trl 1.16 (images) and ms-swift 4.6 (audios) showed, with a model for text."""
    for media in (["a.png"], []):
        run = toolconv("convert", "--trainer", trainer, stdin=json.dumps({"messages": CALLED, key: media}) + "\n")
        assert ("content_parts 1" in run.err) == bool(media), run.err


@pytest.mark.parametrize("trainer", ["llamafactory", "ms-swift"])
def test_line_breaks_before_an_answer_are_named(trainer):
    """ms-swift 4.6 and llamafactory 0.9.5 write them; Qwen3's template leaves them out, Qwen2.5's does not."""
    line = json.dumps({"messages": [ASKED, {"role": "assistant", "content": "\n a"}]}) + "\n"
    for student, named in (("qwen3", True), ("qwen2.5", False)):
        run = toolconv("convert", "--trainer", trainer, "--template", student, stdin=line)
        assert ("text_differs 1" in run.err) == named, run.err


def test_the_entry_of_a_kto_file_says_for_which_stage_it_is(tmp_path):
    file = tmp_path / "train.jsonl"
    turns = [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]
    for more, said in (({"label": True}, True), ({}, False)):
        file.write_text(json.dumps({"conversations": turns, "tools": "[]", **more}) + "\n", encoding="utf-8")
        run = toolconv("layouts", "llamafactory", "--dataset-info", file)
        assert run.status == 0 and ("stage: sft skips" in run.err) == said
        assert ("kto_tag" in json.loads(run.out)["train"]["columns"]) == said


def test_keys_of_another_api_in_the_tool_config_are_named_for_bedrock():
    """botocore 1.44.8 refuses them."""
    row = {"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}, "messages": CALLED}
    run = toolconv("convert", "--trainer", "bedrock", "--from-layout", "canonical", stdin=json.dumps(row) + "\n")
    assert "key_refused 1" in run.err and "functionCallingConfig" in run.err, run.err
