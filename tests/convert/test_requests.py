"""Batches: answers are joined to their questions by id, and nothing of either is lost.

The lines are those of the batch API references of OpenAI, Anthropic and Gemini, and of vLLM's ``run-batch``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.command import toolconv
from toolconv.convert.requests import NotJoined, Requests
from toolconv.core.messages import Row

ASKED = [{"role": "user", "content": "Is it up?"}]
CHOICES = [{"index": at, "message": {"role": "assistant", "content": text}} for at, text in enumerate(("Yes.", "No."))]
CONTENTS = [{"role": "user", "parts": [{"text": "Is it up?"}]}]
CANDIDATES = [{"content": {"role": "model", "parts": [{"text": text}]}} for text in ("Yes.", "No.")]
BATCHES: dict[str, tuple[Row, Row]] = {
    "openai": (
        {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "m", "messages": ASKED}},
        {
            "id": "b1",
            "custom_id": "a",
            "response": {"status_code": 200, "request_id": "r1", "body": {"id": "c1", "choices": CHOICES}},
            "error": None,
        },
    ),
    "responses": (
        {"custom_id": "a", "method": "POST", "url": "/v1/responses", "body": {"model": "m", "input": "Is it up?"}},
        {
            "custom_id": "a",
            "response": {
                "status_code": 200,
                "body": {"output": [{"type": "message", "role": "assistant", "content": "Yes."}]},
            },
        },
    ),
    "anthropic": (
        {"custom_id": "a", "params": {"model": "m", "max_tokens": 9, "messages": ASKED}},
        {
            "custom_id": "a",
            "result": {
                "type": "succeeded",
                "message": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Yes."}]},
            },
        },
    ),
    "gemini": (
        {"key": "a", "request": {"contents": CONTENTS}},
        {"key": "a", "response": {"candidates": CANDIDATES, "modelVersion": "m"}},
    ),
}
FAILED: dict[str, Row] = {
    "openai": {"custom_id": "a", "response": {"status_code": 429, "body": {"error": {"message": "Slow."}}}},
    "vllm": {"custom_id": "a", "response": None, "error": {"message": "Slow.", "code": 429}},
    "anthropic": {"custom_id": "a", "result": {"type": "errored", "error": {"type": "x", "message": "Slow."}}},
    "expired": {"custom_id": "a", "result": {"type": "expired"}},
    "gemini": {"key": "a", "error": {"code": 8, "message": "Slow."}},
    "vertex": {"status": "Slow.", "processed_time": "2026-01-01", "request": {"contents": CONTENTS}, "response": {}},
}


def leaves(value: Any) -> Iterator[Any]:
    """The values in a value that are neither objects nor lists."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)
    else:
        yield value


@pytest.fixture
def requests(tmp_path: Path, maker: str) -> Requests:
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps(BATCHES[maker][0]) + "\n")
    return Requests(str(path))


@pytest.mark.parametrize("maker", BATCHES)
def test_a_question_and_its_answer_are_joined_whole(requests: Requests, maker: str) -> None:
    asked, answered = BATCHES[maker]
    before = json.dumps(answered)
    kept = list(leaves(requests.joined(answered)))
    said = [*leaves({**asked, "custom_id": None, "key": None}), *leaves(answered)]
    assert [leaf for leaf in said if leaf not in (None, "succeeded") and kept.count(leaf) < said.count(leaf)] == []
    assert json.dumps(answered) == before


@pytest.mark.parametrize("maker", BATCHES)
def test_who_gives_answers_alone_is_told_where_the_questions_are(requests: Requests, maker: str) -> None:
    asked, answered = (json.dumps(row) + "\n" for row in BATCHES[maker])
    told = "answers of a batch, without their questions: --requests FILE joins these"
    assert told in toolconv("parse", stdin=answered).err
    assert told not in toolconv("parse", "--requests", requests.name, stdin=answered).err
    assert told not in toolconv("parse", stdin=asked).err


@pytest.mark.parametrize("maker", ["openai", "gemini"])
def test_each_of_several_answers_is_read(requests: Requests, maker: str) -> None:
    (row,) = toolconv("parse", "--requests", requests.name, stdin=json.dumps(BATCHES[maker][1]) + "\n").rows
    assert row["prompt"] == ASKED
    assert [answer[0]["content"] for answer in row["completions"]] == ["Yes.", "No."]


@pytest.mark.parametrize(("failed", "maker"), [(name, "openai") for name in FAILED])
def test_a_failed_request_is_no_row(requests: Requests, failed: str, maker: str) -> None:
    row = FAILED[failed]
    if failed != "vertex":  # whose answers have their questions beside them
        with pytest.raises(NotJoined, match=r"the request failed: (Slow|expired)"):
            requests.joined({**row, "custom_id": "a"})
    run = toolconv("parse", stdin=json.dumps(row) + "\n")
    assert run.rows == [] and "the request failed: " in run.err and "--text-key" not in run.err


def test_a_logged_request_that_failed_is_no_row_and_lint_says_so() -> None:
    row = {"request": {"messages": ASKED}, "response": None, "error": "Slow."}
    run = toolconv("parse", stdin=json.dumps(row) + "\n")
    assert run.rows == [] and "rejected: the request failed: Slow. (" in run.err
    assert "TC003 unknown-layout: the request failed: Slow.; the row" in toolconv("lint", stdin=json.dumps(row)).out
    assert toolconv("parse", stdin=json.dumps({**row, "error": None}) + "\n").rows != []


@pytest.mark.parametrize(
    "row",
    [
        {"key": "a", "status": "ok", "messages": ASKED},
        {"custom_id": "a", "error": "none seen", "messages": ASKED},
        {"key": "a", "error": "E7", "prompt": "Is it up?", "completion": "Yes."},
    ],
)
def test_other_rows_with_such_keys_are_rows(row: Row) -> None:
    assert len(toolconv("parse", stdin=json.dumps(row) + "\n").rows) == 1
