"""What rows need not have, by what they are for: as published datasets, harnesses and recorded runs are."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import each, exhaustive, shared, toolconv
from toolconv.lint.model.purposes import absent_from

ASKED = [{"role": "user", "content": "What is 6 times 7?"}]

# A row as the dataset card, or the page of the harness, shows it, with its own keys.
COMPARED: dict[str, dict[str, Any]] = {
    "gsm8k": {"question": "What is 6 times 7?", "answer": "#### 42"},
    "verl": {"data_source": "openai/gsm8k", "prompt": ASKED, "reward_model": {"style": "rule", "ground_truth": "42"}},
    "NeMo Gym": {"responses_create_params": {"input": ASKED}, "verifier_metadata": {"answer_id": 7}},
    "SQuAD": {"context": "It is 42.", "question": "What is it?", "answers": {"text": ["42"], "answer_start": [6]}},
    "APPS": {"question": "Print 42.", "solutions": '["print(42)"]', "input_output": "{}"},
    "HumanEval": {"prompt": "def it():", "canonical_solution": " return 42", "test": "assert it() == 42"},
    "DeepCoder": {"problem": "Print 42.", "tests": "[]", "starter_code": ""},
    "NuminaMath-TIR": {"problem": "What is 6 times 7?", "solution": "42", "messages": ASKED},
    "OpenMathReasoning": {"problem": "What is 6 times 7?", "expected_answer": "42"},
    "natural_reasoning": {"question": "What is 6 times 7?", "reference_answer": "42"},
    "Ragas": {"user_input": "What is 6 times 7?", "reference": "42"},
    "Ragas 0.0": {"question": "What is 6 times 7?", "ground_truths": ["42"]},
    "Ragas 0.1": {"question": "What is 6 times 7?", "ground_truth": "42"},
    "DeepEval": {"input": "What is 6 times 7?", "expected_output": "42"},
    "BIG-Bench Hard": {"input": "What is 6 times 7?", "target": "42"},
    "FLAN": {"inputs": "What is 6 times 7?", "targets": "42"},
    "PopQA": {"question": "Who wrote it?", "possible_answers": '["Ann"]'},
    "HealthBench": {"prompt": ASKED, "rubrics": [{"criterion": "States 42", "points": 5}]},
    "RaR-Medicine": {"question": "What is it?", "rubric": "[]"},
    "KTO": {"prompt": ASKED, "label": True},
}  # fmt: skip
RECORDED: dict[str, dict[str, Any]] = {
    "tau-bench": {"task_id": 0, "traj": ASKED, "trial": 0},
    "tau-bench, its reward": {"task_id": 0, "reward": 1.0, "messages": ASKED},
    "tau2-bench": {"task_id": "0", "messages": ASKED, "termination_reason": "user_stop"},
    "SWE-bench": {"instance_id": "django__django-1", "messages": ASKED},
    "SWE-agent": {"trajectory": [], "info": {}},
    "mini-SWE-agent": {"messages": ASKED, "exit_status": "Submitted"},
    "NeMo Gym": {"responses_create_params": {"input": ASKED}, "response": {}, "_ng_rollout_index": 0},
    "NeMo Gym, without its numbers": {"responses_create_params": {"input": ASKED}, "response": {}},
    "LangSmith": {"trace_id": "0b8e", "messages": ASKED},
    "Azure OpenAI, an evaluation": {"run_id": "0b8e", "messages": ASKED},
    "verifiers": {"prompt": ASKED, "completion": [], "reward": 1.0},
    "verl, its rollouts": {"input": "What is 6 times 7?", "output": "42", "score": 1.0, "step": 3},
}


@each("row", COMPARED.values())
def test_a_row_with_what_an_answer_is_compared_with_needs_none(row: dict[str, Any]) -> None:
    assert absent_from(row, None, None) == {"answer"}
    assert absent_from(row, None, "sft") == set() == absent_from({"messages": ASKED}, None, None)


@each("row", RECORDED.values())
def test_a_row_that_a_harness_wrote_needs_neither_tools_nor_an_answer(row: dict[str, Any]) -> None:
    assert absent_from(row, None, None) == {"tools", "answer", "request", "every response"}
    assert absent_from(row, None, "sft") == set()


TRACES = (
    "atif", "inspect-ai", "langfuse", "langsmith", "litellm", "openhands", "openinference", "otel-genai", "smolagents",
    "swe-agent", "tau2-bench",
)  # fmt: skip


@exhaustive
@pytest.mark.parametrize("folder", TRACES)
def test_a_trace_of_a_framework_may_lack_tools_an_answer_and_a_request(folder: str) -> None:
    files = [path for path in shared("traces", folder).glob("*.*") if ".expected" not in path.name]
    asked = ("lint", "--isolated", "--select", "TC211,TC414", "--output-format", "jsonl")
    found = [finding for path in files for finding in toolconv(*asked, path).rows]
    assert files and [finding for finding in found if finding["level"] == "error"] == []
