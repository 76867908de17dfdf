"""The usual keys of rows with one output: each says what it holds, in any case."""

from __future__ import annotations

from typing import Any

from tests.conftest import each
from toolconv import convert_rows, layouts
from toolconv.convert.options import Options

# Keys of public instruction data sets, of samplers and of evaluations: Alpaca, Dolly, OpenHermes, vLLM's
# ``RequestOutput``, lm-evaluation-harness, OpenAI's evals, BIG-bench.
ALONE = ["completion", "output", "response", "generated_text", "raw_output", "text"]
BESIDE_A_PROMPT = [
    "model_output",
    "model_response",
    "generation",
    "solution",
    "answer",
    "outputs",
    "target",
    "targets",
    "assistant",
    "reply",
    "responses",
    "completions",
    "generations",
    "answers",
    "assistant_message",
    "response_message",
    "final_answer",
    "final_response",
    "ideal",
    "content",
]
PROMPTS = ["prompt", "instruction", "question", "query", "problem", "input", "inputs", "user", "user_input"]
DETAILS = ["input", "context"]
SYSTEMS = ["system", "system_prompt", "system_message"]


def messages(row: dict[str, Any]) -> list[tuple[str, str]] | None:
    """Who says what in a row; ``None`` if it is no row with one output."""
    layout = layouts.get("completion")
    if not layout.matches(row):
        return None
    return [(message["role"], message["content"]) for message in layout.decoded(row).messages]


@each("key", ALONE)
def test_an_output_may_stand_alone(key: str) -> None:
    assert messages({"id": 1, key: "It is up."}) == [("assistant", "It is up.")]
    assert messages({"id": 1, key.title(): "It is up."}) == [("assistant", "It is up.")]


def test_outputs_may_stand_alone() -> None:
    (row,) = convert_rows([{"id": "a", "completions": ["Yes.", "No."]}], Options(to_layout="canonical"))
    assert [each[0]["content"] for each in row["completions"]] == ["Yes.", "No."]
    assert layouts.detect({"id": "a", "completions": ["Yes.", "No."]}) is layouts.get("completion")


@each("key", BESIDE_A_PROMPT)
def test_an_answer_needs_a_prompt(key: str) -> None:
    assert messages({"id": 1, key: "It is up."}) is None
    asked = [("user", "Is it up?"), ("assistant", "It is up.")]
    assert messages({"prompt": "Is it up?", key: "It is up."}) == asked
    assert messages({"Prompt": "Is it up?", key.upper(): "It is up."}) == asked


@each("key", PROMPTS)
def test_a_prompt_is_what_the_user_says(key: str) -> None:
    assert messages({key: "Is it up?", "output": "It is up."}) == [("user", "Is it up?"), ("assistant", "It is up.")]
    assert messages({key: "  ", "output": "It is up."}) == [("assistant", "It is up.")]


@each("key", DETAILS)
def test_what_belongs_to_a_prompt_follows_it_unless_it_is_there(key: str) -> None:
    def asked(prompt: str, detail: str) -> str:
        return (messages({"instruction": prompt, key: detail, "output": "Up."}) or [("", "")])[0][1]

    assert asked("Is it up?", "Port 80.") == "Is it up?\nPort 80."
    assert asked("Is it up? Port 80.", "Port 80.") == "Is it up? Port 80."
    assert asked("Is it up?", " ") == "Is it up?"


@each("key", SYSTEMS)
def test_a_system_text_comes_first(key: str) -> None:
    row = {"prompt": "Is it up?", key: "Be brief.", "completion": "Yes."}
    assert messages(row) == [("system", "Be brief."), ("user", "Is it up?"), ("assistant", "Yes.")]
    assert messages({**row, key: " "}) == [("user", "Is it up?"), ("assistant", "Yes.")]


def test_turns_before_the_prompt_are_pairs_of_texts() -> None:
    row = {"prompt": "Now?", "history": [["Up?", "Yes."]], "completion": "Yes."}
    before = [("user", "Up?"), ("assistant", "Yes.")]
    assert messages(row) == [*before, ("user", "Now?"), ("assistant", "Yes.")]
    for history in ([["Up?"]], [["Up?", 1]], [["Up?", "Yes.", "Hm."]], [["Up?", "Yes."], "Hm."], {"Up?": "Yes."}):
        assert messages({**row, "history": history}) == [("user", "Now?"), ("assistant", "Yes.")]


HI, HELLO, UP = (
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello."},
    {"role": "user", "content": "Up?"},
)
NO = [
    {"role": "assistant", "content": "No."},
    {"role": "user", "content": "Sure?"},
    {"role": "assistant", "content": "Yes."},
]
IM = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello.<|im_end|>\n<|im_start|>user\nUp?<|im_end|>\n"


@each(
    "row",
    [
        {"prompt": [HI, HELLO, UP], "completion": NO},
        {"prompt": [HI, HELLO, UP], "completion": NO, "label": True},
        {"prompt": [HI, HELLO, UP], "completion": "No."},
        {"messages": [HI, HELLO, UP], "response": "No."},
        {"prompt": "USER: Hi\nASSISTANT: Hello.\nUSER: Up?\nASSISTANT:", "completion": "No."},
        {"prompt": f"{IM}<|im_start|>assistant\n", "completion": "No.<|im_end|>"},
    ],
)
def test_where_the_answer_begins_is_kept(row: dict[str, Any]) -> None:
    (apart,) = convert_rows([row], Options(to_layout="prompt-completion"))
    assert (apart["prompt"], apart["completion"]) in (
        ([HI, HELLO, UP], NO),
        ([HI, HELLO, UP], NO[:1]),
        ([HI, HELLO, UP], "No."),
    )
    (whole,) = convert_rows([row], Options(to_layout="canonical"))
    assert [turn.get("weight") for turn in whole["messages"]][:3] == [None, 0, None]
    assert not any("weight" in turn for turn in whole["messages"][3:])


def test_the_answers_of_a_history_are_trained_on() -> None:
    """As in LLaMA-Factory's data/README.md and ms-swift's Custom-dataset.md."""
    row = {"history": [["Hi", "Hello."]], "instruction": "Up?", "output": "No."}
    (whole,) = convert_rows([row], Options(to_layout="canonical"))
    assert whole["messages"] == [HI, HELLO, UP, NO[0]]
