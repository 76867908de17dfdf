"""Rows whose turns are named in words, as before chat templates; through the real command."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import toolconv
from toolconv.core import jsontext


def lines(*rows: Any) -> str:
    return "".join(jsontext.dumps(row).decode() + "\n" for row in rows)


TASK = "Below is an instruction that describes a task. Write a response that appropriately completes the request."
CHAT = "A chat between a curious user and an artificial intelligence assistant."


def turns(*texts: str) -> list[dict[str, Any]]:
    """Messages of a system text, which may be empty, and of user and assistant in turn."""
    spoken = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts[1:])]
    return [{"role": "system", "content": texts[0]}, *spoken] if texts[0] else spoken


WORDED: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
    (
        {"text": f"{TASK}\n\n### Instruction:\nTranslate.\n\n### Input:\nGuten Tag\n\n### Response:\nGood day</s>"},
        turns(TASK, "Translate.\nGuten Tag", "Good day"),
    ),
    (
        {"prompt": f"{TASK}\n\n### Instruction:\nIs it up?\n\n### Response:", "completion": "Yes."},
        turns(TASK, "Is it up?", "Yes."),
    ),
    (
        {"text": "### Human: Is it up?### Assistant: Yes.### Human: Now?### Assistant: No."},
        turns("", "Is it up?", "Yes.", "Now?", "No."),
    ),
    (
        {"text": f"{CHAT} USER: Is it up? ASSISTANT: Yes.</s>USER: Now? ASSISTANT: No.</s>"},
        turns(CHAT, "Is it up?", "Yes.", "Now?", "No."),
    ),
    (
        {"instruction": f"{CHAT} USER: Is it up? ASSISTANT: Yes. USER: Now? ASSISTANT:", "output": "No."},
        turns(CHAT, "Is it up?", "Yes.", "Now?", "No."),
    ),
    ({"text": "\n\nHuman: Is it up?\n\nAssistant: Yes."}, turns("", "Is it up?", "Yes.")),
    ({"system": "Be kind.", "prompt": "User: Up?\nAssistant:", "response": "Yes."}, turns("Be kind.", "Up?", "Yes.")),
    ({"prompt": "\n\nHuman: Up?\n\nAssistant:", "completion": " Yes.\nHuman: X"}, turns("", "Up?", " Yes.\nHuman: X")),
    ({"text": "USER: Up?\nNow?\nAGENT: Yes.\nUSER: Sure?\nAGENT: No."}, turns("", "Up?\nNow?", "Yes.", "Sure?", "No.")),
    ({"dialog": "Customer: Up?\nAgent: Yes."}, turns("", "Up?", "Yes.")),
    ({"chat": "**User**: Up?\n**Bot**: Yes."}, turns("", "Up?", "Yes.")),
    ({"text": "## User\nUp?\n\n## Assistant\nYes."}, turns("", "Up?", "Yes.")),
    ({"id": 1, "messages": "USER: Up?\n\nAGENT: Yes."}, turns("", "Up?", "Yes.")),
]
"""Rows with turns in words, and these turns."""


def test_turns_in_words() -> None:
    rows_in = lines(*(row for row, _ in WORDED))
    run = toolconv("parse", stdin=rows_in)
    assert [row["messages"] for row in run.rows] == [messages for _, messages in WORDED]
    assert f"{len(WORDED)} repairs (worded_turns {len(WORDED)})" in run.err
    strict = toolconv("parse", "--strict", stdin=rows_in)
    assert not strict.rows and "needs repairs: worded_turns" in strict.err
    assert toolconv("convert", "--to", "hermes", stdin=lines(WORDED[1][0])).rows == [WORDED[1][0]]


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": "Who says 'USER: x ASSISTANT:'? Answer:", "completion": "Vicuna."},
        {"prompt": "Human: one\nHuman: two\nAssistant:", "completion": "x"},
        {"prompt": "Go on.\nHuman: Hi\nAssistant:", "completion": "Hello"},
        {"prompt": "# Notes\n#### Instruction: x\n### Response:", "completion": "Hello"},
        {"prompt": "Human: Hi\nAssistant: Hello", "completion": "Bye"},
        {"instruction": "Human: Hi\nAssistant:", "input": "More", "output": "Bye"},
    ],
)
def test_words_that_may_be_anything_stay_a_prompt(row: dict[str, Any]) -> None:
    run = toolconv("parse", stdin=lines(row))
    asked = next(iter(row.values())) + ("\nMore" if "input" in row else "")
    assert [message["content"] for message in run.rows[0]["messages"]] == [asked, list(row.values())[-1]]
    assert "repair" not in run.err


def test_a_text_that_does_not_alternate_is_one_output() -> None:
    row = {"text": "User: one\nUser: two\nAssistant: three"}
    assert toolconv("parse", stdin=lines(row)).rows == [{"messages": [{"role": "assistant", "content": row["text"]}]}]


def test_llama_2_and_prompts_with_tokens_under_any_key() -> None:
    llama = {"prompt": "<s>[INST] <<SYS>>\nBe kind.\n<</SYS>>\n\nUp? [/INST]", "completion": "Yes. </s>"}
    assert toolconv("parse", stdin=lines(llama)).rows == [{"messages": turns("Be kind.", "Up?", "Yes.")}]
    asked = "<|im_start|>user\nUp?<|im_end|>\n<|im_start|>assistant\n"
    keyed = {"id": 3, "request": {"q": asked}, "out": "Yes."}
    run = toolconv("parse", "--prompt-key", "request.q", "--text-key", "out", stdin=lines(keyed))
    assert run.rows == [{"id": 3, "messages": turns("", "Up?", "Yes.")}]
    assert toolconv("parse", stdin=lines({"input": asked, "output": "Yes."})).rows[0]["messages"] == turns(
        "", "Up?", "Yes."
    )


@pytest.mark.parametrize(
    "text",
    [
        "USER: Up?\nUSER: Hello?\nAGENT: Yes.",
        "AGENT: Hi.\nUSER: Up?",
        "[12:01] user: Up?\n[12:02] bot: Yes.",
        "### User\nUp?\n### Notes\nYes.\n### Assistant\nYes.\n### Assistant\nNo.",
        "<user> Up?\n<assistant> Yes.",
    ],
)
def test_a_text_of_several_speakers_that_stays_whole_is_named(text: str) -> None:
    run = toolconv("parse", stdin=lines({"text": text}))
    assert [row["messages"] for row in run.rows] == [[{"role": "assistant", "content": text}]]
    assert "unread: /text holds turns of" in run.err and run.status == 0


@pytest.mark.parametrize(
    "row",
    [
        {"text": "Note: Up?\nHint: Yes."},
        {"text": "Answer: Yes.\nResponse: No."},
        {"text": "User: me"},
        {"prompt": "Why?", "text": "USER: a\nAGENT: b"},
    ],
)
def test_other_texts_are_one_turn(row: dict[str, Any]) -> None:
    run = toolconv("parse", stdin=lines(row))
    assert run.rows[0]["messages"][-1]["content"] == row["text"]
    assert "unread" not in run.err
