"""The newer trainers: each row arrives as the student's text and mask, or what happens to it is named, and nothing else is.

``tests/programs/newer.json`` records what the trainers' own code made of the rows of ``fixtures/trainers.jsonl``.
"""

import json
import re

import pytest

from tests.conftest import toolconv
from tests.programs.real_newer import NEWER, RECORD, digest
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
