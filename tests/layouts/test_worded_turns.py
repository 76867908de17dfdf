"""Rows whose turns are named in words, as before chat templates; through the real command."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import each, toolconv
from toolconv import layouts
from toolconv.core import jsontext
from toolconv.layouts.worded_turns import may_end_in_words, spoken, worded_turns


def lines(*rows: Any) -> str:
    return "".join(jsontext.dumps(row).decode() + "\n" for row in rows)


TASK = "Below is an instruction that describes a task. Write a response that appropriately completes the request."
CHAT = "A chat between a curious user and an artificial intelligence assistant."


def turns(*texts: str) -> list[dict[str, Any]]:
    """Messages of a system text, which may be empty, and of user and assistant in turn."""
    spoken = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts[1:])]
    return [{"role": "system", "content": texts[0]}, *spoken] if texts[0] else spoken


def unlearned(*texts: str) -> list[dict[str, Any]]:
    """The same turns, of which only the last answer is trained on."""
    *before, answer = turns(*texts)
    return [*({**turn, "weight": 0} if turn["role"] == "assistant" else turn for turn in before), answer]


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
        unlearned(CHAT, "Is it up?", "Yes.", "Now?", "No."),
    ),
    ({"text": "\n\nHuman: Is it up?\n\nAssistant: Yes."}, turns("", "Is it up?", "Yes.")),
    ({"system": "Be kind.", "prompt": "User: Up?\nAssistant:", "response": "Yes."}, turns("Be kind.", "Up?", "Yes.")),
    ({"prompt": "\n\nHuman: Up?\n\nAssistant:", "completion": " Yes.\nHuman: X"}, turns("", "Up?", " Yes.\nHuman: X")),
    ({"text": "USER: Up?\nNow?\nAGENT: Yes.\nUSER: Sure?\nAGENT: No."}, turns("", "Up?\nNow?", "Yes.", "Sure?", "No.")),
    ({"dialog": "Customer: Up?\nAgent: Yes."}, turns("", "Up?", "Yes.")),
    ({"chat": "**User**: Up?\n**Bot**: Yes."}, turns("", "Up?", "Yes.")),
    ({"text": "SYSTEM: Be kind. USER: Up? ASSISTANT: Yes."}, turns("Be kind.", "Up?", "Yes.")),  # not LongCat's
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


@each(
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


# Who speaks in each style, a user and an assistant. Sources: the docstring of toolconv/layouts/worded_turns.py.
STYLES = [
    *((f"### {user}:", f"### {answer}:") for user in ("Instruction", "Human", "User", "Question")
      for answer in ("Response", "Assistant", "Answer")),
    ("###Human:", "###Assistant:"), ("USER:", "ASSISTANT:"), ("Human:", "Assistant:"), ("User:", "AI:"),
    ("HUMAN:", "AGENT:"), ("CUSTOMER:", "BOT:"), ("Customer:", "Agent:"), ("Client:", "Bot:"), ("user:", "assistant:"),
    ("human:", "gpt:"), ("customer:", "agent:"), ("**User**:", "**Bot**:"), ("**User:**", "**Bot:**"),
    ("**Human**:", "**AI**:"), ("**Customer**:", "**Agent**:"), ("# User", "# Assistant"), ("## User", "## Assistant"),
    ("### User", "### Assistant"), ("# Human", "# AI"), ("## Human", "## AI"), ("# User:", "# Bot:"),
]  # fmt: skip


@each("user, answer", STYLES)
def test_the_headers_of_a_user_and_an_assistant(user: str, answer: str) -> None:
    text = f"{user}\nIs it up?\n{answer}\nYes.\n{user}\nNow?\n{answer}\nNo."
    assert worded_turns(text) == turns("", "Is it up?", "Yes.", "Now?", "No.")
    assert worded_turns(f"{text}\n{user}") is None  # nobody answers, and nothing was said
    assert worded_turns(f"Hm.\n{text}") is None
    assert layouts.get("rendered").matches({"text": text}), "how it begins is known"
    assert worded_turns(f"{user}\nIs it up?\n{answer}\n") is None or answer.startswith("#")


SYSTEM_STYLES = [
    ("SYSTEM:", "USER:", "ASSISTANT:"), ("System:", "User:", "Assistant:"), ("### System:", "### User:", "### Assistant:"),
    ("# System", "# User", "# Assistant"), ("## System", "## User", "## Assistant"),
    ("### System", "### User", "### Assistant"),
]  # fmt: skip


@each("system, user, answer", SYSTEM_STYLES)
def test_a_system_text_comes_first(system: str, user: str, answer: str) -> None:
    text = f"{system}\nBe kind.\n{user}\nUp?\n{answer}\nYes."
    assert worded_turns(text) == turns("Be kind.", "Up?", "Yes.")
    assert worded_turns(f"{user}\nUp?\n{system}\nBe kind.\n{answer}\nYes.") is None
    assert layouts.get("rendered").matches({"text": text})


BEFORE = [
    "A chat between a curious user and an AI.", "Below is an instruction that describes a task.",
    "Below is a conversation between a user and an AI.", "The following is a conversation between a user and an AI.",
]  # fmt: skip


@each("words", BEFORE)
def test_a_known_sentence_before_the_turns_is_the_system_text(words: str) -> None:
    text = f"{words}\n\nUSER: Up? ASSISTANT: Yes."
    assert worded_turns(text) == turns(words, "Up?", "Yes.")
    assert layouts.get("rendered").matches({"text": text})
    assert worded_turns(f"{words.lower()}\n\nUSER: Up? ASSISTANT: Yes.") is None


@each("end", ["</s>", "<|endoftext|>", "<eos>"])
def test_the_token_that_ends_an_answer_is_none_of_it(end: str) -> None:
    assert worded_turns(f"USER: Up? ASSISTANT: Yes.{end}") == turns("", "Up?", "Yes.")


@each("header", ["Response:", "Assistant:", "ASSISTANT:", "Answer:", "AI:"])
def test_a_prompt_ends_with_the_header_of_the_answer(header: str) -> None:
    user = "USER" if header.isupper() and len(header) > 3 else "Human"
    lead = "### " if header in ("Response:", "Answer:") else ""
    prompt = f"{lead}{user}: Up?\n{lead}{header}"
    for blanks in ("", " ", "\n"):
        assert may_end_in_words(prompt + blanks)
        assert worded_turns(prompt + blanks, is_prompt=True) == turns("", "Up?")
    assert not may_end_in_words(f"{prompt} Yes")
    assert worded_turns(f"{prompt} Yes", is_prompt=True) is None
    assert not may_end_in_words("Up?")


SPOKEN = [
    ("user: Up?", "user", "Up?"), ("<user> Up?", "user", "Up?"), ("**user**: Up?", "user", "Up?"),
    ("[Bot]\nYes.", "Bot", "Yes."), ("(agent) Yes.", "agent", "Yes."), ("Human:\n Up?", "Human", "Up?"), ("AI:", "AI", ""),
]  # fmt: skip


@each("text, name, content", SPOKEN)
def test_a_text_with_its_speaker_before_it_is_one_turn(text: str, name: str, content: str) -> None:
    assert spoken(text) == {"role": name, "content": content}


@each("text", ["Note: Up?", "user Up?", "user:Up?", "Hm, user: Up?", "Up?", "", ": Up?"])
def test_other_text_has_no_speaker_before_it(text: str) -> None:
    assert spoken(text) is None


CALL = '{"name": "ping", "arguments": {}}'


@each(
    "lines, roles",
    [
        ((f"function_call: {CALL}", "tool: pong", "agent: Up."), ["function_call", "tool", "assistant"]),
        ((f"call: {CALL}", "agent: Up."), ["assistant"]),  # no name of a speaker
        (
            (f"function call: {CALL}", "result: pong", "result: pong", "agent: Up."),
            ["function_call", "tool", "tool", "assistant"],
        ),
        (("agent: Up.", "tool: pong", "agent: Yes."), None),  # no result without a call: two answers
        (("tool_call: ping", "observation: pong", "agent: Up."), ["function_call", "tool", "assistant"]),
        (("tool use: a word", "agent: Up."), ["assistant"]),
    ],
)
def test_calls_and_results_among_the_turns(lines: tuple[str, ...], roles: list[str] | None) -> None:
    found = worded_turns("\n".join(["user: Is it up?", *lines]))
    assert (found and [message["role"] for message in found[1:]]) == roles
