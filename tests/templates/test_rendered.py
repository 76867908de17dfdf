"""Rendered text: every template reads what it wrote, and what is lost is known by name."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests.conftest import FIXTURES, SHARED, each, exhaustive, nightly, rows, shared, toolconv
from tests.templates.test_templates import DEVIATIONS, golden_file
from toolconv import layouts, templates
from toolconv.core.conversation import Conversation
from toolconv.core.messages import text_of
from toolconv.layouts.formats.rendered import OPENINGS
from toolconv.templates.base import ChatView, Template
from toolconv.templates.jinja import load
from toolconv.templates.reading.recognition import read_text
from toolconv.templates.reading.split import split

NAMES = templates.names()
ROWS = FIXTURES / "conversations.jsonl"

SAYS = {
    "argument_null": {"calls"},
    "argument_order": {"calls"},
    "argument_type": {"calls"},
    "call": {"calls", "prose", "pairs"},
    "content_becomes_reasoning": {"prose", "reasoning"},
    "content_with_call": {"prose"},
    "reasoning": {"reasoning"},
    "response_borders": {"turns", "results", "pairs"},
    "system": {"system"},
    "tool_schema": {"tools"},
    "tools": {"tools"},
    "prose": {"prose", "turns", "calls", "reasoning"},
    "turns_merged": {"turns", "prose", "calls"},
}
"""What the losses that are counted when a text is written change in the conversation that is read from it."""

BLANKS = {"system blanks", "prose blanks"}
CHANGES = {
    "apertus": {"turns", "prose", "results", "pairs"},
    "devstral-2": {"default system"},
    "exaone-4.5": {"prose blanks"},
    "functiongemma": {
        "system blanks",
        "prose blanks",
        "turns",
        "users",
        "prose",
        "reasoning",
        "calls",
    },
    "diffusiongemma": {"system blanks"},
    "gemma-4": {"system blanks"},
    "gemma-4-e4b": {"system blanks"},
    "gemma-4-e4b-first": {"system blanks"},
    "gemma-4-first": {"system blanks"},
    "glm-4.6": {"prose blanks"},
    "glm-4.6v": {"prose blanks"},
    "glm-4.7": {"prose blanks"},
    "glm-5.1": {"prose blanks"},
    "glm-5.2": {"prose blanks"},
    "glm-5.3": {"prose blanks"},
    "granite-4": {"default system"},
    "ling-3": {"default system"},
    "laguna-s-2.1": {"default system", "system blanks"},
    "llama-3.1": {"system blanks"},
    "llama-3.2": {"system blanks"},
    "llama-4": {"system blanks"},
    "hermes-4": {"default system"},
    "hyperclovax-think-14b": {"prose blanks"},
    "kimi-k2-thinking": {"default system"},
    "midm-2.0": {"system blanks", "prose blanks"},
    "mimo-v2-flash": {"default system"},
    "mimo-v2.5": {"default system"},
    "minimax-m2": {"default system"},
    "minimax-m2.1": {"default system"},
    "minimax-m2.5": {"default system"},
    "minimax-m2.7": {"default system"},
    "minimax-m3": {"default system"},
    "ministral-3-14b": {"default system"},
    "ministral-3-3b": {"default system"},
    "ministral-3-8b": {"default system"},
    "ministral-3-reasoning": {"default system"},
    "mistral-7b-v0.3": {"system", "users"},
    "mistral-large-3": {"default system"},
    "mistral-medium-3.5": {"default system"},
    "mistral-nemo": {"system", "users"},
    "mistral-small-4": {"default system"},
    "nemotron-3": {"prose blanks"},
    "nemotron-3-ultra": {"prose blanks"},
    "nemotron-labs-diffusion": {"prose blanks"},
    "nemotron-nano-v2": {"system blanks", "prose blanks"},
    "olmo-3": {"default system"},
    "ornith-1.0-35b": {"system blanks", "prose blanks", "results blanks"},
    "ornith-1.0-9b": {"system blanks", "prose blanks", "results blanks"},
    "phi4-mini": {"default system", "system blanks"},
    "qwen2.5": {"default system"},
    "qwen3-coder": {"prose blanks"},
    "qwen3-coder-earlier": {"prose blanks"},
    "qwen3-coder-next": {"prose blanks"},
    "qwen3.5": {"system blanks", "prose blanks", "results blanks"},
    "qwen3.5-small": {"system blanks", "prose blanks", "results blanks"},
    "qwen3.6": {"system blanks", "prose blanks", "results blanks"},
    "qwen3.8": {"system blanks", "prose blanks", "results blanks"},
    "seed-oss": {"prose blanks"},
    "step-audio-r1.1": {"default system"},
    "trinity-large": {"prose blanks"},
    "xlam-2": {"default system", "system blanks"},
    "zaya-applescript": {"prose blanks"},
}
"""What else changes when a conversation is written and read again.

Default system texts are read as given ones, but for those that are only written beside tools. Where a family strips texts, blanks around them are lost. FunctionGemma does not mark who speaks after results:
it is the model. Apertus does not mark where a result ends that is no JSON. Mistral's first models write the system text
into the last question.
"""

OTHER_TEXTS = {
    ("diffusiongemma", "preface_call"): "prose after results is a turn of its own, which opens after them",
    ("diffusiongemma", "preface_multiline_call"): "the same",
    ("diffusiongemma", "reasoning_preface_call_final"): "the same",
    ("diffusiongemma", "two"): "the same",
    ("exaone-4.0", "tool_result_parts"): "a list of parts becomes a text",
    ("functiongemma", "tool_result_parts"): "parts of a result are written as several results",
    ("gemma-4", "reasoning_preface_call_final"): "reasoning between the prose of two turns is read as before both",
    ("gemma-4-e4b", "reasoning_preface_call_final"): "the same",
    ("gpt-oss", "reasoning_preface_call_final"): "prose is commentary only beside reasoning, which was left out",
    ("gpt-oss", "tool_result_parts"): "a list of parts becomes a text",
    ("gpt-oss", "two"): "prose is commentary only beside reasoning, which was left out",
    ("gpt-oss-safeguard", "reasoning_preface_call_final"): "the same as of gpt-oss",
    ("gpt-oss-safeguard", "tool_result_parts"): "the same as of gpt-oss",
    ("gpt-oss-safeguard", "two"): "the same as of gpt-oss",
    ("hyperclovax-think-32b", "tool_result_no_name"): "a result gets the name of its call",
    ("llm-jp-4", "reasoning_preface_call_final"): "the same as of gpt-oss",
    ("llm-jp-4", "tool_result_parts"): "the same as of gpt-oss",
    ("llm-jp-4", "two"): "the same as of gpt-oss",
    ("llama-3.1", "tool_result_parts"): "a list of parts becomes a text",
    ("llama-3.2", "tool_result_parts"): "a list of parts becomes a text",
    ("llama-4", "tool_result_parts"): "a list of parts becomes a text",
    ("longcat-flash", "tool_result_no_name"): "a result gets the name of its call",
    ("nemotron-3", "reasoning_earlier_turn"): "a line break marks that reasoning was left out",
    ("nemotron-labs-diffusion", "reasoning_earlier_turn"): "a line break marks that reasoning was left out",
}
"""Texts that are not written again as they were, and why. Others are not if a call lost something (``argument_type``)."""


def conversations() -> list[dict[str, Any]]:
    """Conversations with every turn there is; those of ``../shared/golden`` where that is present."""
    golden = SHARED / "golden" / "conversations.jsonl"
    return rows(ROWS) + (rows(golden) if golden.exists() else [])


def written(template: Template, row: dict[str, Any], **options: Any) -> tuple[Conversation, str]:
    """A row in the layout ``openai``, and its text."""
    conversation = layouts.get("openai").read(copy.deepcopy(row))
    return conversation, template.written(ChatView(conversation, template.dialect, **options)).text


def read(template: Template, text: str) -> Conversation:
    found = split(template, text)
    assert found is not None, text
    return found.conversation(sure=True)


def aspects(row: dict[str, Any]) -> dict[str, Any]:
    """The parts of a conversation."""
    messages = row["messages"]
    turns = [message for message in messages if message["role"] not in ("system", "developer")]
    spoken = [message for message in turns if message["role"] == "assistant"]
    calls = [[call["function"] for call in message.get("tool_calls", ())] for message in spoken]
    places = {
        call["id"]: place for place, call in enumerate(call for each in spoken for call in each.get("tool_calls", ()))
    }
    return {
        "tools": row.get("tools") or [],
        "system": [text_of(message["content"])[0] for message in messages if message not in turns],
        "turns": [message["role"] for message in turns],
        "users": [text_of(message["content"])[0] for message in turns if message["role"] == "user"],
        "prose": [text_of(message.get("content"))[0] for message in spoken],
        "reasoning": [message.get("reasoning_content") or "" for message in spoken],
        "calls": [[(call["name"], json.dumps(call["arguments"])) for call in each] for each in calls],
        "results": [text_of(message["content"])[0] for message in turns if message["role"] == "tool"],
        "pairs": [places.get(message.get("tool_call_id")) for message in turns if message["role"] == "tool"],
    }


def without_empty(row: dict[str, Any]) -> dict[str, Any]:
    """A row without empty system turns, which only some templates write for none."""
    kept = [message for message in row["messages"] if message["role"] != "system" or message["content"]]
    return {**row, "messages": kept}


def changes(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """The names of the parts that differ."""
    old, new = aspects(before), aspects(after)
    for name, value in old.items():
        if name == "system" and not value and new[name]:
            yield "default system"
        elif value != new[name]:
            blanks = name in ("system", "prose", "results") and [v.strip() for v in value] == [
                v.strip() for v in new[name]
            ]
            yield f"{name} blanks" if blanks else name


class Reading(NamedTuple):
    """A row, the conversation it is, its text, and what is read from that."""

    row: dict[str, Any]
    conversation: Conversation
    text: str
    back: Conversation


@pytest.fixture(scope="module", params=NAMES)
def readings(request: pytest.FixtureRequest) -> tuple[Template, list[Reading]]:
    """A template, and what it writes and reads. The tests of one template follow each other: to learn one takes long."""
    template, found = templates.get(request.param), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1735776000")
        for row in conversations():
            conversation, text = written(template, row)
            found.append(Reading(row, conversation, text, read(template, text)))
    return template, found


@pytest.mark.sweep(every=16)
def test_a_conversation_is_read_back_but_for_known_losses(readings: tuple[Template, list[Reading]]) -> None:
    template, found = readings
    changed = set()
    for row, conversation, _, back in found:
        if any(isinstance(message["content"], list) for message in row["messages"]):
            continue  # a text has no parts
        counted = set[str]().union(*(SAYS.get(loss, ()) for loss in conversation.notes.losses))
        more = set(changes(conversation.row, back.row)) - counted
        assert more <= CHANGES.get(template.name, set()), row.get("id")
        assert not back.notes.dropped or "call" in conversation.notes.losses, row.get("id")
        changed |= more
    if (SHARED / "golden").exists():
        assert changed == CHANGES.get(template.name, set()), "changes that no conversation shows"


CALL = {"id": "call_0", "type": "function", "function": {"name": "f", "arguments": {"a": "x"}}}
ANSWERS: dict[str, dict[str, Any]] = {
    "call": {"role": "assistant", "content": "", "tool_calls": [CALL]},
    "prose": {"role": "assistant", "content": "Done."},
}


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_turns_of_the_assistant_that_follow_each_other_are_read_apart_or_counted(name: str) -> None:
    """A call without a result, for example, may be followed by the next answer."""
    template = templates.get(name)
    for first in ANSWERS.values():
        for second in ANSWERS.values():
            row = {"messages": [{"role": "user", "content": "Go."}, copy.deepcopy(first), copy.deepcopy(second)]}
            conversation, text = written(template, row)
            same = aspects(conversation.row)["turns"] == aspects(read(template, text).row)["turns"]
            assert same == ("turns_merged" not in conversation.notes.losses)


@pytest.mark.sweep(every=16)
def test_a_text_is_written_again_as_it_was(
    readings: tuple[Template, list[Reading]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1735776000")
    template, found = readings
    differ = set()
    for row, conversation, text, back in found:
        again = template.written(ChatView(Conversation(copy.deepcopy(back.row)), template.dialect)).text
        if again != text and "argument_type" not in conversation.notes.losses:
            differ.add(row["id"])
    known = {conversation for family, conversation in OTHER_TEXTS if family == template.name}
    assert differ == (known if (SHARED / "golden").exists() else known & {row["id"] for row in rows(ROWS)})


@pytest.mark.sweep(every=32)
def test_a_text_is_recognized(readings: tuple[Template, list[Reading]]) -> None:
    """Whichever template a text is taken for, it is read the same."""
    for row, _, text, back in readings[1]:
        assert text.startswith(OPENINGS)
        found = read_text(text)
        assert found is not None
        assert aspects(without_empty(found.row)) == aspects(without_empty(back.row)), row["id"]


@pytest.mark.parametrize("step", [pytest.param(6, marks=exhaustive), pytest.param(1, marks=nightly)])
@pytest.mark.parametrize("name", [name for name in NAMES if SHARED.joinpath(*golden_file(name)).exists()] or NAMES[:1])
def test_what_the_originals_wrote_is_read(name: str, step: int) -> None:
    """Texts of the families' own chat templates, also with a generation prompt and with other variables."""
    template = templates.get(name)
    for row in rows(shared(*golden_file(name)))[NAMES.index(name) % step :: step]:
        if row["text"]:
            found = read_text(row["text"])
            assert found is not None
            assert not found.notes.dropped or name in ("functiongemma", "lfm2.5"), row["conversation"]
            if row["conversation"] in DEVIATIONS.get(name, {}) and split(template, row["text"]) is None:
                continue  # where the original writes other borders
            own = read(template, row["text"])
            if "<think>" not in row["text"] or name != "deepseek-v4":  # which may be taken for V3.2, in another mode
                calls, own_calls = (aspects(one.row)["calls"] for one in (found, own))
                if row["conversation"] in DEVIATIONS.get(name, {}):  # where the original may end turns elsewhere
                    calls, own_calls = ([[*chain(*turns)]] for turns in (calls, own_calls))
                assert calls == own_calls, row["conversation"]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "name", ["qwen3", "llama-3.1", "deepseek-v3.2", "kimi-k2", "gpt-oss", "mistral-large-3", "gemma-4"]
)
def test_a_cut_text_has_no_call_of_its_own(name: str) -> None:
    cuts_of(name, 23)


@nightly
@pytest.mark.parametrize("name", NAMES)
def test_any_cut_text_has_no_call_of_its_own(name: str) -> None:
    cuts_of(name, 5)


def cuts_of(name: str, step: int) -> None:
    """Cut texts of a template everywhere: no declaration and no half of a call becomes a call."""
    template = templates.get(name)
    for row in rows(ROWS):
        _, text = written(template, row)
        whole = [call for turn in aspects(read(template, text).row)["calls"] for call in turn]
        for end in range(0, len(text), step):
            found = read_text(text[:end])
            if found is not None:
                calls = [call for turn in aspects(found.row)["calls"] for call in turn]
                assert all(call in whole for call in calls), text[:end]


# ── texts of other templates ──


@pytest.mark.parametrize("name", ["chatml", *(pytest.param(name, marks=exhaustive) for name in ("strings", "strict"))])
def test_a_template_file_reads_what_it_wrote(name: str, tmp_path: Path) -> None:
    file = FIXTURES / "chat_templates" / f"{name}.jinja"
    template = load(str(file), name=None, variables={}, spans=True)
    run = toolconv("render", ROWS, "--chat-template", file, "-q")
    texts = tmp_path / "texts.jsonl"
    texts.write_text(run.out)
    back = toolconv("parse", texts, "--from-template", file, "-q").rows
    given = {row["id"]: row for row in rows(ROWS)}
    assert template.notices
    assert back
    for row in back:
        turns = [message for message in given[row["id"]]["messages"] if name != "strict" or message["role"] != "system"]
        assert [message["role"] for message in row["messages"]] == [message["role"] for message in turns]
        for message, known in zip(row["messages"], turns, strict=True):
            if message["role"] != "assistant":
                assert message["content"] == known["content"]


OWN: Final = """\
{%- for turn in messages %}
{{- "<|role|>" + turn.role + "\\n" + (turn.content or "") }}
{%- for call in turn.tool_calls or [] %}
{{- "[[call]]" + call.function.name + "[[args]]" + (call.function.arguments | tojson) + "[[/call]]" }}
{%- endfor %}
{{- "<|stop|>\\n" }}
{%- endfor %}
"""
"""A template whose calls no dialect of toolconv's writes."""


def test_calls_of_a_template_file_are_read_in_the_dialect_that_it_writes(tmp_path: Path) -> None:
    file = tmp_path / "own.jinja"
    file.write_text(OWN)
    calls = [{"id": "c", "type": "function", "function": {"name": "ping", "arguments": {"host": "a", "n": 1}}}]
    row = {
        "messages": [{"role": "user", "content": "Ping it."}, {"role": "assistant", "content": "", "tool_calls": calls}]
    }
    texts = toolconv("convert", "--chat-template", file, stdin=json.dumps(row)).raw
    run = toolconv("parse", "--from-template", file, stdin=texts)
    assert [call["function"] for call in run.rows[0]["messages"][1]["tool_calls"]] == [calls[0]["function"]]
    assert "dropped" not in run.err
    assert "TC122" not in toolconv("lint", "--from-template", file, stdin=texts).out


@each("text", [
        "Hello.",
        "<|im_start|>assistant\nHello.<|im_end|>",
        "<tool_call>\n<|im_start|>user\n</tool_call>",
        "<s>[TOOL_CALLS] [{\"name\": \"ping\", \"arguments\": {}}]</s>",
        "<|start|>assistant<|channel|>final<|message|>Hello.<|return|>",
        "SYSTEM: all is well.",
        "<role>",
        "",
    ])  # fmt: skip
def test_an_answer_alone_is_no_conversation(text: str) -> None:
    assert read_text(text) is None


@pytest.mark.parametrize("name", ["gpt-oss", "apertus"])
def test_a_declaration_that_cant_be_read_stays_in_the_system_text(name: str) -> None:
    tool = {
        "type": "function",
        "function": {"name": "two words", "description": "A tool.", "parameters": {"type": "object"}},
    }
    row = {"tools": [tool], "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]}
    _, text = written(templates.get(name), row)
    found = read(templates.get(name), text)
    assert [message["role"] for message in found.messages] == ["system", "user"]
    assert found.messages[0]["content"].startswith("Be brief.\n\n")
    assert "two words" in found.messages[0]["content"]
    assert found.notes.losses == ["tools"]


def test_descriptions_of_hermes_are_read_without_their_signatures() -> None:
    """Hermes 2 Pro doesn't escape descriptions, and states what a function returns."""
    function = {
        "name": "look_up",
        "description": 'Finds "words" in a\nC:\\folder.',
        "parameters": {"type": "object", "properties": {"word": {"type": "string", "description": "The word."}}},
    }
    returns = [None, {"type": "string"}, {"type": "array", "description": "All places."}, {}]
    tools = [
        {
            "type": "function",
            "function": {**function, "name": f"look_up_{at}", **({} if each is None else {"return": each})},
        }
        for at, each in enumerate(returns)
    ]
    row = {"tools": tools, "messages": [{"role": "user", "content": "Hi"}]}
    template = templates.get("hermes")
    _, text = written(template, row)
    assert read(template, text).tools == tools


HELLO = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
BRIEF = {"role": "system", "content": "Be brief."}


@each(
    "text, messages",
    [
        ("<|im_start|>user\nHi<|im_end|><|im_start|>assistant\nHello<|im_end|>", HELLO),
        ("<|im_start|>human\nHi<|im_end|>\n<|im_start|>gpt\nHello<|im_end|>\n", HELLO),
        ("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n<|endoftext|>", HELLO),
        ("<s><|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n</s>", HELLO),
        ("<|user|>\nHi<|end|>\n<|assistant|>\nHello<|end|>\n", HELLO),
        ("<|system|>\nBe brief.</s>\n<|user|>\nHi</s>\n<|assistant|>\nHello</s>\n", [BRIEF, *HELLO]),
        ("<start_of_turn>user\nHi<end_of_turn>\n<start_of_turn>model\nHello<end_of_turn>\n<eos>", HELLO),
        ("<start_of_turn>human\nHi<end_of_turn><eos>\n<start_of_turn>model\nHello<end_of_turn><eos>", HELLO),
        (
            "<s>[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\nHi [/INST] Hello </s><s>[INST] Hi [/INST] Hello </s>",
            [BRIEF, *HELLO, *HELLO],
        ),
    ],
)
def test_turn_tokens_alone_are_read(text: str, messages: list[dict[str, Any]]) -> None:
    found = read_text(text)
    assert found is not None
    assert found.messages == messages
    assert not found.notes.repairs


@pytest.mark.parametrize(
    "name",
    ["hermes-4", "olmo-3", pytest.param("kimi-k2", marks=exhaustive), pytest.param("qwen3-coder", marks=exhaustive)],
)
def test_a_mark_in_an_argument_ends_no_reasoning(name: str) -> None:
    call = {"name": "write", "arguments": {"text": "x = 1  # </think>"}}
    messages = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": "On it.", "tool_calls": [{"id": "a", "type": "function", "function": call}]},
        {"role": "tool", "tool_call_id": "a", "name": "write", "content": "done"},
        {"role": "assistant", "content": "Written."},
    ]
    written = toolconv("render", "--template", name, "-q", stdin=json.dumps({"messages": messages}))
    (row,) = toolconv("parse", stdin=written.raw).rows
    answer = next(message for message in row["messages"] if message["role"] == "assistant")
    assert (answer["content"], answer.get("reasoning_content")) == ("On it.", None)
    assert answer["tool_calls"][0]["function"] == call


# ── the command ──


@exhaustive
@pytest.mark.parametrize("name", ["qwen3", "qwen2.5", "llama-3.1", "hermes-fc", "mistral-large-3"])
def test_diff_shows_what_a_template_loses(name: str) -> None:
    texts = toolconv("render", ROWS, "--template", name, "-q")
    run = toolconv("diff", "--json", ROWS, "-", stdin=texts.raw)
    found = {row["part"] for row in run.rows}
    lost = {"qwen3": {"reasoning"}, "qwen2.5": {"message", "reasoning"}, "llama-3.1": {"prose", "reasoning"}}
    assert found == {**lost, "hermes-fc": set(), "mistral-large-3": {"message"}}[name]


def test_the_example_in_a_prompt_is_no_call() -> None:
    texts = toolconv("render", ROWS, "--template", "qwen3", "-q")
    run = toolconv("parse", stdin=texts.raw)
    assert run.status == 0
    assert "3 rows in, 3 out; 3 calls (hermes 3)\n" in run.err
    assert [len(row["tools"]) for row in run.rows] == [1, 1, 2]
    assert toolconv("lint", stdin=texts.raw).status == 0


def test_a_file_of_one_text(tmp_path: Path) -> None:
    texts = toolconv("render", ROWS, "--template", "qwen3", "-q").rows
    file = tmp_path / "a.txt"
    file.write_text(texts[1]["text"])
    run = toolconv("parse", file)
    assert [message["role"] for message in run.rows[0]["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert run.rows == toolconv("parse", file, "--from-template", "qwen3").rows
    assert toolconv("lint", file).status == 0


def test_prompt_and_completion() -> None:
    split_texts = toolconv("render", ROWS, "--template", "hermes-fc", "--prompt-completion", "-q")
    whole = toolconv("render", ROWS, "--template", "hermes-fc", "-q")
    assert "prompt" in split_texts.rows[0]
    read = toolconv("parse", stdin=split_texts.raw).rows
    for row in read:  # only the completion is trained on
        *before, last = row["messages"]
        assert [turn.pop("weight", 1) for turn in before if turn["role"] == "assistant"] == [0] * sum(
            turn["role"] == "assistant" for turn in before
        )
        assert "weight" not in last
    assert read == toolconv("parse", stdin=whole.raw).rows


@pytest.mark.parametrize("options", [(), ("--from-template", "qwen3")])
def test_a_prompt_and_its_bare_answer(options: tuple[str, ...]) -> None:
    row = {"prompt": "<|im_start|>user\nHi<|im_end|>\n", "completion": "Hello"}
    assert toolconv("parse", *options, stdin=json.dumps(row)).rows == [{"messages": HELLO}]
    called = {**row, "completion": '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>'}
    run = toolconv("parse", *options, stdin=json.dumps(called))
    assert run.rows[0]["messages"][1]["tool_calls"][0]["function"]["name"] == "ping"
    fenced = {**row, "completion": '```\n[{"name": "ping", "arguments": {}}]\n```'}
    run = toolconv("parse", *options, stdin=json.dumps(fenced))
    assert run.rows[0]["messages"][1]["tool_calls"][0]["function"]["name"] == "ping"


def test_a_prompt_that_ends_with_an_answer_stays() -> None:
    asked = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n"
    found = toolconv("parse", stdin=json.dumps({"prompt": asked, "completion": "<|im_start|>user\nBye"})).rows
    assert found == [{"prompt": asked, "messages": [{"role": "assistant", "content": "<|im_start|>user\nBye"}]}]


def test_tools_in_a_question_are_declared_twice_in_a_target_that_declares_them() -> None:
    tool = {"name": "ping", "description": "Is it up?", "parameters": {"type": "object", "properties": {}}}
    asked = f"Call one of these tools, as JSON:\n{json.dumps([tool])}\n\nIs it up?"
    for prompt in (asked, f"<|im_start|>user\n{asked}<|im_end|>\n"):
        row = {"prompt": prompt, "completion": '[{"name": "ping", "arguments": {}}]'}
        run = toolconv("convert", "--template", "qwen3", stdin=json.dumps(row))
        assert "tools_declared_twice 1" in run.err and run.rows[0]["text"].count("Is it up?") == 3


def test_the_key_of_the_texts() -> None:
    row = {"body": "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n"}
    assert toolconv("parse", "--text-key", "body", stdin=json.dumps(row)).rows == [{"messages": HELLO}]


def test_another_template_in_one_command() -> None:
    texts = toolconv("render", ROWS, "--template", "qwen3", "-q")
    straight = toolconv("render", ROWS, "--template", "hunyuan-a13b", "-q").rows
    run = toolconv("convert", "--template", "hunyuan-a13b", stdin=texts.raw)
    assert [row["text"] for row in run.rows] == [row["text"] for row in straight]
    assert toolconv("convert", "--to-layout", "openai", stdin=texts.raw).rows[1]["messages"][1]["tool_calls"]


def test_the_named_template_must_fit() -> None:
    texts = toolconv("render", ROWS, "--template", "qwen3", "-q")
    run = toolconv("parse", "--from-template", "llama-3.1", stdin=texts.raw)
    assert run.status == 1
    assert "rejected: not a text of template llama-3.1: it begins with '<|im_start|>" in run.err
    assert toolconv("parse", "--from-template", "qwen33", stdin=texts.raw).status == 2
    assert toolconv("parse", "--from-template", "qwen3", "--from-layout", "openai", stdin=texts.raw).status == 2


@exhaustive
def test_neighbours_of_other_layouts(tmp_path: Path) -> None:
    texts = [json.loads(line) for line in toolconv("render", ROWS, "--template", "qwen3", "-q").out.splitlines()]
    answer = {"text": "<tool_call>\n<function=ping>\n<parameter=host>\na\n</parameter>\n</function>\n</tool_call>"}
    mixed = tmp_path / "a.jsonl"
    mixed.write_text("".join(json.dumps(row) + "\n" for row in (answer, texts[1], *rows(ROWS)[:1], texts[2], answer)))
    alone = [toolconv("parse", stdin=json.dumps(row)).rows[0] for row in (answer, texts[1], rows(ROWS)[0], texts[2])]
    assert toolconv("parse", mixed).rows == [*alone, alone[0]]


def test_fixes_leave_rendered_text_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps({"text": "<|im_start|>user\nPing.<|im_end|>\n<|im_start|>assistant\n<tool_call>\n"
                                '{"name": "ping", "arguments": {"n": 1,}}\n</tool_call><|im_end|>\n'}) + "\n")  # fmt: skip
    before = file.read_text()
    run = toolconv("lint", "--fix", "--unsafe-fixes", "--select", "TC122", file)
    assert file.read_text() == before
    assert "trailing_comma" in run.out
