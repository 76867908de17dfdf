"""What a dataset is for, and what its rows need not have because of that.

A row that only asks is useless to fine-tune on, and just what reinforcement learning and an evaluation need. Without
``--for``, each row's own layout and keys say what it is; a row that says nothing is taken for training data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

from toolconv.core.messages import Row
from toolconv.layouts.base import Layout, Part

Purpose = Literal["sft", "rl", "eval", "trace"]
"""Supervised fine-tuning, prompts for reinforcement learning, questions of an evaluation, recorded runs."""

PURPOSES: Final[tuple[Purpose, ...]] = get_args(Purpose)

Absent = Literal[Part, "request", "every response"]
"""A part that rows may do without: those of layouts; a request before the assistant's first turn; a response of its own
for each call of a turn."""

_NOTHING: Final[frozenset[Absent]] = frozenset()

ABSENT: Final[Mapping[Purpose, frozenset[Absent]]] = {
    "sft": _NOTHING,
    "rl": frozenset({"responses", "answer"}),
    "eval": frozenset({"responses", "answer"}),
    "trace": frozenset({"tools", "answer", "request", "every response"}),
}
"""What the rows of each purpose need not have."""

_TRACES: Final = frozenset(
    {"atif", "inspect-ai", "langfuse", "langsmith", "litellm", "openhands", "openhands-completion", "otel"}
    | {"smolagents", "swe-agent", "tau2-bench"}
)
"""Layouts of recorded runs, in addition to those that can't hold declarations."""

_RUN_KEYS: Final = frozenset(
    {"reward", "score", "trajectory", "traj", "trace_id", "run_id", "instance_id", "exit_status", "termination_reason"}
    | {"_ng_rollout_index"}
)
"""Keys of rows that a harness wrote about a run: NeMo Gym, tau-bench, SWE-agent, verl, LangSmith."""

_REFERENCE_KEYS: Final = frozenset(
    {"answer", "answers", "expected_answer", "expected_output", "ground_truth", "ground_truths", "possible_answers"}
    | {"label", "reference", "reference_answer", "reward_model", "solution", "solutions", "target", "targets"}
    | {"responses_create_params", "verifier_metadata", "rubric", "rubrics", "test", "tests"}
)
"""Keys next to a prompt that an answer is compared with: TRL, verl, NeMo Gym, Ragas, DeepEval, published benchmarks."""


def absent_from(row: Row | None, layout: Layout | None, purpose: Purpose | None) -> frozenset[Absent]:
    """What a row need not have.

    Args:
        row: the row; ``None`` for a line that is not one.
        layout: the layout it was read in.
        purpose: what the user says it is for; ``None`` to ask the row.
    """
    if purpose is not None:
        return ABSENT[purpose]
    found: frozenset[Absent] = layout.lacks if layout is not None else _NOTHING
    if (layout is not None and layout.name in _TRACES) or "tools" in found:
        return found | ABSENT["trace"]
    if row is not None:
        if is_run(row):
            return found | ABSENT["trace"]
        if not _REFERENCE_KEYS.isdisjoint(row):
            return found | {"answer"}
    return found


def is_run(row: Mapping[str, Any]) -> bool:
    """Whether the keys of a row say that it records a run."""
    return ("response" in row and "responses_create_params" in row) or not _RUN_KEYS.isdisjoint(row)
