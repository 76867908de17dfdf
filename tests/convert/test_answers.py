"""Rows with several answers, and training marks: no target may lose one without saying so."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import cases, exhaustive, toolconv
from toolconv import layouts
from toolconv.convert.options import Options
from toolconv.convert.receipt import Receipt
from toolconv.core import jsontext
from toolconv.core.answers import conversations_of
from toolconv.core.conversation import Conversation
from toolconv.core.marks import MARK_KEYS, InvalidMark, default_weight, weight_of
from toolconv.core.messages import calls_of
from toolconv.dataset import convert_rows, read
from toolconv.layouts.field_style import FieldStyle
from toolconv.layouts.formats.llamafactory import dataset_info
from toolconv.templates.output import TextOptions

Turn = dict[str, Any]
USER = {"role": "user", "content": "w?"}
TOOLS = [{"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}}]
STRUCTURED = [name for name in layouts.names() if layouts.get(name).writable and not layouts.get(name).calls_in_text]
TARGETS = [
    *(pytest.param(Options(to_layout=name), id=name) for name in STRUCTURED),
    *(pytest.param(Options(target=name), id=f"to-{name}") for name in ("hermes", "qwen3_xml", "mistral", "kimi_k2")),
    *(
        pytest.param(Options(trainer=name, to_layout=layout), id=f"trainer-{name}")
        for name, layout in (("trl", "trl"), ("axolotl", "axolotl"), ("ms-swift", "ms-swift"), ("openai", "openai-ft"))
    ),
]


def hermes(number: int) -> str:
    return f'<tool_call>\n{{"name": "f", "arguments": {{"a": {number}}}}}\n</tool_call>'


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **more}


def answered(*texts: str) -> list[dict[str, Any]]:
    """Rows with answers of these texts, the first of which is preferred, in the forms that rows have."""
    turns = [[said(text)] for text in texts]
    spoken = [{"from": "gpt", "value": text} for text in texts]
    return [
        {"prompt": [USER], "chosen": turns[0], "rejected": turns[1], "tools": TOOLS},
        {"chosen": [USER, *turns[0]], "rejected": [USER, *turns[1]]},
        {"prompt": "w?", "chosen": texts[0], "rejected": texts[1]},
        {"prompt": "w?", "chosen": [USER, *turns[0]], "rejected": [USER, *turns[1]], "messages": [USER, *turns[0]]},
        {"instruction": "w?", "input": "", "chosen": texts[0], "rejected": texts[1]},
        {"messages": [USER], "chosen": turns[0][0], "rejected": turns[1][0]},
        {"messages": [USER, *turns[0]], "rejected_response": texts[1]},
        {"messages": [USER, *turns[0]], "rejected_messages": [USER, *turns[1]]},
        {"input": {"messages": [USER], "tools": TOOLS}, "preferred_output": turns[0], "non_preferred_output": turns[1]},
        {"conversations": [{"from": "human", "value": "w?"}], "chosen": spoken[0], "rejected": spoken[1]},
        {"prompt": [USER], "completions": turns},
        {"prompt": "w?", "responses": list(texts)},
        {"prompt": "w?", "outputs": [{"text": text} for text in texts]},
        {"messages": [USER], "responses": list(texts)},
        {"messages": [USER], "choices": [{"index": at, "message": turn[0]} for at, turn in enumerate(turns)]},
    ]


ANSWERED = answered(hermes(1), hermes(2))


def calls_in_answers(conversation: Conversation) -> list[list[Any]]:
    """The names and arguments of the calls of each answer."""
    return [
        [
            (call["function"]["name"], jsontext.dumps(call["function"]["arguments"]))
            for message in each.messages
            for call in calls_of(message)
        ]
        for each in conversations_of(conversation)
    ]


@pytest.mark.parametrize("row", ANSWERED, ids=lambda row: " ".join(row))
def test_calls_in_the_texts_of_each_answer_are_read(row: dict[str, Any]) -> None:
    (conversation,) = read([row])
    assert calls_in_answers(conversation) == [[("f", b'{"a":1}')], [("f", b'{"a":2}')]]
    assert conversation.answers is not None and conversation.answers.shared == 1
    assert [message["role"] for message in conversation.all_messages] == ["user", "assistant", "assistant"]


@pytest.mark.sweep
@pytest.mark.parametrize("options", TARGETS)
def test_each_answer_is_written_or_named(options: Options) -> None:
    for row in ANSWERED:
        receipt = Receipt()
        (written,) = convert_rows([row], options, receipt=receipt)
        (before,), (after,) = read([row]), read([written], Options(declared=""))
        if receipt.losses["other_answers"]:
            assert calls_in_answers(after) == calls_in_answers(before)[:1], row
        else:
            assert calls_in_answers(after) == calls_in_answers(before), (row, written)


@pytest.mark.sweep
@pytest.mark.parametrize("options", TARGETS)
def test_a_row_in_its_own_form_comes_back_unchanged(options: Options) -> None:
    for row in ANSWERED:
        written = next(convert_rows([row], options))
        for_once = next(convert_rows([written], options))
        assert jsontext.dumps(for_once) == jsontext.dumps(written)


@pytest.mark.parametrize("row", ANSWERED, ids=lambda row: " ".join(row))
def test_a_template_writes_the_prompt_and_each_answer(row: dict[str, Any]) -> None:
    (written,) = convert_rows([row], Options(text=TextOptions(template="qwen3")))
    texts = [written["chosen"], written["rejected"]] if "chosen" in written else written["completions"]
    assert written["prompt"].endswith("<|im_start|>user\nw?<|im_end|>\n<|im_start|>assistant\n")
    assert texts == [f"<think>\n\n</think>\n\n{hermes(number)}<|im_end|>\n" for number in (1, 2)]


FORMS: list[Callable[[Turn, Turn], dict[str, Any]]] = [
    lambda chosen, rejected: {"prompt": [USER], "chosen": [chosen], "rejected": [rejected]},
    lambda chosen, rejected: {"prompt": USER, "chosen": [chosen], "rejected": rejected},
    lambda chosen, rejected: {
        "prompt": jsontext.spaced([USER]),
        "chosen": jsontext.spaced([chosen]),
        "rejected": [rejected],
    },
    lambda chosen, rejected: {"prompt": jsontext.compact([USER]), "chosen": [chosen], "rejected": [rejected]},
    lambda chosen, rejected: {"chosen": [USER, chosen], "rejected": [USER, rejected]},
    lambda chosen, rejected: {"chosen": [USER, chosen], "rejected": [USER, rejected], "messages": [USER, chosen]},
    lambda chosen, rejected: {"messages": [USER], "chosen": chosen, "rejected": rejected},
    *(
        lambda chosen, rejected, key=key, prompt=prompt, begins=begins: {
            key: prompt,
            "chosen": [*begins, chosen],
            "rejected": [*begins, rejected],
        }
        for key in ("prompt", "question")
        for prompt, begins in (("w?", []), ("w?", [USER]), ("Other.", [USER]))
    ),
]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: " ".join(form({}, {})))
def test_a_pair_whose_answers_change_keeps_its_form(form: Callable[[Turn, Turn], dict[str, Any]]) -> None:
    (conversation,) = read([form(said(hermes(1)), said(hermes(2)))], Options(from_layout="trl"))
    calls = [
        {"id": "call_0", "type": "function", "function": {"name": "f", "arguments": {"a": number}}} for number in (1, 2)
    ]
    expected = form(*(said("", tool_calls=[call]) for call in calls))
    assert jsontext.spaced(layouts.get("trl").write(conversation)) == jsontext.spaced(expected)


def test_all_answers_are_written_in_the_style_that_is_asked_for() -> None:
    calls = [{"id": "a", "type": "function", "function": {"name": "f", "arguments": {"x": 1}}}]
    answers = [{"role": "assistant", "content": "", "tool_calls": calls}, {"role": "assistant", "content": "No."}]
    for first, second in (answers, answers[::-1]):
        row = {"prompt": [USER], "chosen": [first], "rejected": [second], "tools": TOOLS}
        style = FieldStyle(arguments="string", tools="string", empty_content="null")
        (written,) = convert_rows([row], Options(style=style))
        called = {**answers[0], "content": None}
        called["tool_calls"] = [{**calls[0], "function": {"name": "f", "arguments": '{"x": 1}'}}]
        assert written["chosen"] == [called if first is answers[0] else first]
        assert written["rejected"] == [called if second is answers[0] else second]
        assert written["tools"] == json.dumps(TOOLS)


def test_what_an_answer_needs_is_counted_once_for_its_prompt() -> None:
    broken = hermes(1).replace('{"a": 1}', "{'a': 1}")
    row = {"prompt": [USER, said(broken), USER], "chosen": [said(broken)], "rejected": [said(broken)], "tools": TOOLS}
    receipt = Receipt()
    list(convert_rows([row], Options(account=True), receipt=receipt))
    assert receipt.repairs == {"single_quotes": 3}
    assert receipt.tool_calls == {"f": 3} and receipt.dialects == {"hermes": 3}


def test_what_a_layout_repairs_in_any_answer_is_counted() -> None:
    plain, odd = {"role": "assistant", "content": "Yes."}, {"role": "assistant", "content": {"text": "No."}}
    for chosen, rejected in ((plain, odd), (odd, plain)):
        row = {"prompt": [USER], "chosen": [chosen], "rejected": [rejected]}
        assert layouts.get("trl").read(row).notes.repairs == ["text_key"]


def test_a_call_that_can_not_be_read_is_named_with_its_answer() -> None:
    row = {"prompt": [USER], "chosen": [said("Yes.")], "rejected": [said(hermes(1)[:30])], "tools": TOOLS}
    (conversation,) = read([row])
    assert ["(in /rejected)" in dropped.reason for dropped in conversation.notes.dropped] == [True]


def test_secrets_of_every_answer_are_replaced_and_those_of_the_prompt_counted_once() -> None:
    token = "hf_" + "kXwQpLmZrTvBnYcJdFhGsAoEuIyWqRtKzP"
    pair = {
        "prompt": [{"role": "user", "content": f"Use {token}"}],
        "chosen": [{"role": "assistant", "content": "I wrote to ann@corp.io"}],
        "rejected": [{"role": "assistant", "content": f"Is it {token}?"}],
    }
    receipt = Receipt()
    (row,) = convert_rows([pair], Options(to_layout="trl", redact=True), receipt=receipt)
    text = json.dumps(row)
    assert token not in text and "ann@corp.io" not in text
    assert dict(receipt.redacted) == {"huggingface_token": 2, "email": 1}


@pytest.mark.exhaustive
def test_strict_names_the_answers_that_a_target_leaves_out() -> None:
    row = {"prompt": [USER], "chosen": [said("Yes.")], "rejected": [said("No.")]}
    run = toolconv("convert", "--to-layout", "anthropic", "--strict", stdin=json.dumps(row))
    assert run.status == 1 and "would be lost: other_answers" in run.err


@pytest.mark.exhaustive
def test_each_answer_is_linted_counted_and_selected() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "g", "arguments": {}}}
    row = {"prompt": [USER], "chosen": [said("Yes.")], "rejected": [said("", tool_calls=[call])], "tools": TOOLS}
    run = toolconv("lint", "--select", "TC101", "--output-format", "concise", stdin=json.dumps(row))
    assert "/rejected/0/tool_calls/0: TC101" in run.out
    assert len(toolconv("select", "--where", "calls = 1", stdin=json.dumps(row)).rows) == 1
    assert toolconv("stats", "--json", stdin=json.dumps(row)).rows[0]["n_tool_calls"] == 1


def test_the_entry_of_a_preference_dataset_has_its_columns() -> None:
    entry = dataset_info("d", "d.jsonl", ("conversations", "chosen", "rejected"))["d"]
    assert entry["ranking"] is True
    assert entry["columns"] == {"messages": "conversations", "chosen": "chosen", "rejected": "rejected"}
    assert dataset_info("d", "d.jsonl", ("conversations", "label"))["d"]["columns"]["kto_tag"] == "label"


# ── marks ──

MARKS = [(key, value) for key in sorted(MARK_KEYS) for value in (True, False, 0, 1, 0.5, None, "no")]


@pytest.mark.sweep
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=exhaustive)])
@pytest.mark.parametrize("options", TARGETS)
def test_each_mark_is_written_or_named(options: Options, step: int) -> None:
    for key, value in MARKS[::step]:
        for at in (0, 1):
            messages = [{**USER}, said("a"), {**USER}, said("b")]
            messages[at][key] = value
            receipt = Receipt()
            (written,) = convert_rows([{"messages": messages, "tools": TOOLS}], options, receipt=receipt)
            named = receipt.losses["training_mark"] + receipt.losses["invalid_mark"]
            if not named and "detail" not in key:
                assert weights(next(read([written])).messages) == weights(messages), (key, value, written)


def weights(messages: list[dict[str, Any]]) -> list[Any]:
    """The weight of each message; of invalid marks, the messages themselves."""
    found = []
    for message in messages:
        if message["role"] == "system":
            continue
        try:
            weight = weight_of(message)
        except InvalidMark:
            weight = repr({key: message[key] for key in message if key in MARK_KEYS})
        found.append(default_weight(message) if weight is None else weight)
    return found


@exhaustive
@given(st.lists(st.sampled_from([0, 1, 0.5, None]), min_size=1, max_size=4))
def test_spans_train_what_the_marks_say(marks: list[float | None]) -> None:
    messages = [turn for at, mark in enumerate(marks) for turn in (USER, said(f"t{at}", weight=mark))]
    (row,) = convert_rows([{"messages": messages}], Options(text=TextOptions(template="qwen2.5", spans=True)))
    trained = {span["message"]: span.get("weight", 1) for span in row["spans"] if span["train"]}
    assert trained == {2 * at + 1: 1 if mark is None else mark for at, mark in enumerate(marks) if mark != 0}


def test_a_trainer_that_does_not_read_a_mark_is_named() -> None:
    row = {"messages": [USER, said("a", weight=0)]}
    run = toolconv("lint", "--trainer", "trl", "--select", "TC604", "--output-format", "concise", stdin=json.dumps(row))
    assert "/messages/1: TC604" in run.out and "doesn't read 'weight'" in run.out


@pytest.mark.parametrize(
    ("name", "case"),
    [
        each
        for each in cases("layouts")
        if "chosen" in each.values[1]["canonical"] and each.values[0] != "llamafactory-v1"
    ],
)
def test_pairs_of_all_layouts_keep_their_answers_in_canonical_rows(name: str, case: dict[str, Any]) -> None:
    (written,) = convert_rows([case["row"]], Options(from_layout=name, source=None))
    assert written["chosen"] == case["canonical"]["chosen"] and written["rejected"] == case["canonical"]["rejected"]


def test_two_texts_beside_declared_tools_stay_two() -> None:
    row = {"prompt": "w?", "tools": TOOLS, "chosen": "Yes.", "rejected": "No."}
    assert toolconv("convert", "-q", "--to", "hermes", stdin=json.dumps(row) + "\n").rows == [row]
