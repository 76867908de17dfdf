"""Templates against what the real chat templates wrote (../shared/golden), and the laws of their spans."""

from __future__ import annotations

import copy
import datetime
import json
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES, SHARED, exhaustive, rows, shared, toolconv
from toolconv import layouts, templates
from toolconv.core.conversation import Conversation
from toolconv.dialects.turns import RenderError
from toolconv.templates.base import ChatView, Template
from toolconv.templates.writer import SpanKind, SpanWriter

DEVIATIONS = tomllib.loads((Path(__file__).parent / "golden_deviations.toml").read_text())
PINNED = str(int(datetime.datetime(2025, 1, 2, tzinfo=datetime.UTC).timestamp()))


GOLDEN = {
    "gemma-4": "gemma-4-26b-a4b",
    "gemma-4-e4b-first": "gemma-4-e4b-earlier",
    "gemma-4-first": "gemma-4",
    "qwen3-coder": "qwen3-coder-30b",
    "qwen3-coder-earlier": "qwen3-coder",
}
"""The golden rows of templates whose names are not those of their files."""


def golden_file(name: str) -> tuple[str, ...]:
    """The golden rows of a template, as a path in ``../shared``; those of ``families`` are of newer models."""
    file = f"{GOLDEN.get(name, name)}.jsonl"
    newer = ("families", "golden", file)
    return newer if SHARED.joinpath(*newer).exists() else ("golden", file)


def golden() -> list[str]:
    """The built-in templates that golden rows exist for; all of them where ``../shared`` is absent."""
    there = (SHARED / "golden").exists()
    return [name for name in templates.names() if not there or SHARED.joinpath(*golden_file(name)).exists()]


def conversations() -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in rows(shared("golden/conversations.jsonl"))}


def written(template: Template, row: dict[str, Any], **options: Any) -> tuple[Conversation, SpanWriter]:
    """A row in the layout ``openai``, written on both kinds of page."""
    conversation, again = (layouts.get("openai").read(copy.deepcopy(row)) for _ in range(2))
    page = template.written(ChatView(conversation, template.dialect, **options), spans=True)
    plain = template.written(ChatView(again, template.dialect, **options))
    assert isinstance(page, SpanWriter)
    assert (plain.text, again.notes.losses) == (page.text, conversation.notes.losses)
    return conversation, page


def differing(name: str, part: slice) -> set[str]:
    """The conversations of the golden rows that a template writes otherwise, of those that it has a reason for.

    Raises:
        AssertionError: it writes another one otherwise.
    """
    template = templates.get(name)
    reasons = DEVIATIONS.get(name, {})
    asked = conversations()
    found: set[str] = set()
    for row in rows(shared(*golden_file(name)))[part]:
        options = {"generate": row["add_generation_prompt"], "variables": row.get("kwargs")}
        _, page = written(template, asked[row["conversation"]], **options)
        text = row["text"]
        if template.dialect.name == "kimi_k2":
            text = with_ids_that_name(asked[row["conversation"]], text)
        if row["conversation"] in reasons:
            found |= {row["conversation"]} if page.text != text else set()
        else:
            assert row["error"] is None, f"{row['conversation']}: the original raises, which needs a reason"
            assert page.text == text, row["conversation"]
    return found


@exhaustive
@pytest.mark.parametrize("name", golden())
def test_every_golden_row_byte_for_byte(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", PINNED)
    assert differing(name, slice(None)) == set(DEVIATIONS.get(name, {})), "deviations that are none"


def test_a_part_of_the_golden_rows_of_each_template(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another eighth of the rows for each, so that all of them are there as often."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", PINNED)
    for place, name in enumerate(golden()):
        differing(name, slice(place % 8, None, 8))


def with_ids_that_name(row: dict[str, Any], text: str) -> str:
    """Kimi K2's text with ids that name the tool: the original prints those given, and no name besides."""
    calls = [call for message in row["messages"] for call in message.get("tool_calls", ())]
    for count, call in enumerate(calls):
        text = text.replace(call["id"], f"functions.{call['function']['name']}:{count}")
    return text


def test_nemotron_nano_differs_in_how_the_last_answer_begins_alone() -> None:
    """The original opens a thought before it that it never closes; otherwise the text is the same."""
    template, asked, header = templates.get("nemotron-nano-v2"), conversations(), "<SPECIAL_11>Assistant\n"
    compared = 0
    for row in rows(shared(*golden_file(template.name))):
        given = asked[row["conversation"]]
        last = given["messages"][-1]
        if last["role"] == "assistant" and not last.keys() & {"tool_calls", "reasoning_content"}:
            _, page = written(template, given)
            before, _, answer = row["text"].rpartition(f"{header}<think>\n")
            if row["conversation"] != "tool_result_parts":
                assert page.text == f"{before}{header}<think></think>{answer}"
                compared += 1
    assert compared


@pytest.mark.sweep
@pytest.mark.parametrize("name", golden())
def test_calls_of_golden_conversations_are_read_back_from_their_spans(name: str) -> None:
    template = templates.get(name)
    for row in conversations().values():
        conversation, page = written(template, row)
        check_spans(template, conversation, page)


def check_spans(template: Template, conversation: Conversation, page: SpanWriter) -> None:
    """Spans tile the text, and those of calls say the calls."""
    text, at = page.text, 0
    said: dict[int, str] = {}
    for span in page.spans():
        assert span["start"] == at < span["end"]
        at = span["end"]
        if span["kind"] == "call":
            assert span["train"]
            said[span["message"]] = said.get(span["message"], "") + text[span["start"] : span["end"]]
        if span["train"]:
            assert conversation.messages[span["message"]]["role"] == "assistant"
    assert at == len(text)
    calling = {index: one["tool_calls"] for index, one in enumerate(conversation.messages) if one.get("tool_calls")}
    assert said.keys() == calling.keys()
    if "call" in conversation.notes.losses:
        return  # said to be unreadable
    names = {index: [call.name for call in template.dialect.parse(calls).calls] for index, calls in said.items()}
    assert names == {index: [call["function"]["name"] for call in calls] for index, calls in calling.items()}


# ── laws ──

words = st.text("abcdefghijklmnopqrstuvwxyzäß東", min_size=1, max_size=8)


@st.composite
def chats(draw: st.DrawFn) -> dict[str, Any]:
    """A row whose every text is a word of its own: prose, reasoning, arguments, responses."""
    taken: Counter[str] = Counter()

    def word(mark: str) -> str:
        taken[mark] += 1
        return f"{mark}{taken[mark]}{draw(words)}"

    names = ["get_weather", "find", "ping"]
    tools = [
        {"type": "function", "function": {"name": name, "description": word("T"), "parameters": {
            "type": "object", "properties": {"q": {"type": "string", "description": word("T")}}}}}
        for name in names
    ]  # fmt: skip
    messages: list[dict[str, Any]] = [{"role": "system", "content": word("S")}] if draw(st.booleans()) else []
    for _ in range(draw(st.integers(1, 3))):
        messages.append({"role": "user", "content": word("U")})
        for calling in draw(st.lists(st.integers(1, 3), max_size=2)):
            turn: dict[str, Any] = {"role": "assistant", "content": word("A") if draw(st.booleans()) else None}
            if draw(st.booleans()):
                turn["reasoning_content"] = word("R")
            asked = [(draw(st.sampled_from(names)), f"call_{taken['C']}_{at}") for at in range(calling)]
            turn["tool_calls"] = [
                {"id": call_id, "type": "function",
                 "function": {"name": name, "arguments": json.dumps({"q": word("C")}, ensure_ascii=False)}}
                for name, call_id in asked
            ]  # fmt: skip
            messages.append(turn)
            messages.extend(
                {"role": "tool", "tool_call_id": call_id, "name": name, "content": word("O")} for name, call_id in asked
            )
        answer: dict[str, Any] = {"role": "assistant", "content": word("A")}
        if draw(st.booleans()):
            answer["reasoning_content"] = word("R")
        messages.append(answer)
    return {"tools": tools, "messages": messages}


SPEAKERS: dict[str, set[str | None]] = {"system": {"system", None}, "user": {"user"}, "response": {"tool"}}
SPEAKERS |= {kind: {"assistant"} for kind in ("prose", "reasoning", "call")}
"""Whose message a span of each kind belongs to; a system text that the template adds is none's."""


@pytest.mark.sweep
@pytest.mark.parametrize("name", templates.names())
@given(row=chats())
def test_trained_text_is_what_the_assistant_said(name: str, row: dict[str, Any]) -> None:
    template = templates.get(name)
    conversation, page = written(template, row)
    check_spans(template, conversation, page)
    for _, kind, _, place, _ in page.segments:
        assert kind in get_args(SpanKind)
        role = None if place is None else conversation.messages[place]["role"]
        assert role in SPEAKERS.get(kind, {role}), f"{kind} of a message of the role {role}"
    for index, message in enumerate(conversation.messages):
        own = {
            kind: "".join(p[0] for p in page.segments if p[3] == index and p[1] == kind) for kind in ("prose", "call")
        }
        trained = "".join(part[0] for part in page.segments if part[2] and part[3] == index)
        if message["role"] != "assistant":
            assert trained == ""
            continue
        assert own["prose"] in ("", message["content"]) and own["prose"] in trained
        if not own["prose"] and message["content"]:
            assert {"content_with_call", "content_becomes_reasoning"} & set(conversation.notes.losses)
        for call in message.get("tool_calls", ()):
            assert call["function"]["arguments"]["q"] in own["call"]
    told = "".join(part[0] for part in page.segments if not part[2])
    for message in conversation.messages:
        if message["role"] != "assistant":
            assert message["content"] in told or message["role"] in conversation.notes.losses  # "system" is a loss
    kept = sum(message.get("reasoning_content", "\0") in page.text for message in conversation.messages)
    reasoned = sum("reasoning_content" in message for message in conversation.messages)
    assert conversation.notes.losses.count("reasoning") == reasoned - kept


NO_GENERATION_PROMPT = {
    "command-a", "deepseek-v3", "deepseek-v3.2", "deepseek-v4", "devstral-2", "hunyuan-a13b", "mistral-7b-v0.3",
    "mistral-large-3", "mistral-medium-3.5", "mistral-nemo", "mistral-small-4", "ministral-3-14b", "ministral-3-3b", "ministral-3-8b",
    "ministral-3-reasoning", "phi4-mini",
}  # fmt: skip
"""Templates whose turns begin without a header, or whose texts always end in one."""

GOES_ON = {
    "deepseek-r1-distill",
    "deepseek-v2.5",
    "deepseek-v3.1",
    "deepseek-v3.1-terminus",
    "diffusiongemma",
    "functiongemma",
    "gemma-4",
    "gemma-4-e4b",
    "gemma-4-e4b-first",
    "gemma-4-first",
}
"""Templates whose turns begin without a header behind tool responses."""


@pytest.mark.parametrize("name", templates.names())
def test_a_generation_prompt_begins_what_the_model_goes_on_with(name: str) -> None:
    template = templates.get(name)
    for row in rows(FIXTURES / "conversations.jsonl"):
        row["messages"] = row["messages"][:-1]
        _, before = written(template, row)
        _, opened = written(template, row, generate=True)
        assert opened.text.startswith(before.text)
        goes_on = name in GOES_ON and row["messages"][-1]["role"] == "tool"
        assert (opened.text == before.text) == (name in NO_GENERATION_PROMPT or goes_on)
        assert not any(part[2] for part in opened.segments[len(before.segments) :])


# ── the command ──


def test_text_spans_and_prompt_completion() -> None:
    file = FIXTURES / "conversations.jsonl"
    texts = toolconv("convert", file, "--template", "qwen3").rows
    spans = toolconv("convert", file, "--template", "qwen3", "--spans").rows
    cut = toolconv("convert", file, "--template", "qwen3", "--prompt-completion").rows
    opened = toolconv("render", file, "--template", "qwen3", "--add-generation-prompt").rows
    assert [list(row) for row in (*texts[:1], *spans[:1], *cut[:1])] == [
        ["id", "text"],
        ["id", "text", "spans"],
        ["id", "prompt", "completion"],
    ]
    for text, spanned, parted, open_ in zip(texts, spans, cut, opened, strict=True):
        assert text["text"] == spanned["text"] == parted["prompt"] + parted["completion"]
        assert parted["prompt"].endswith("<|im_start|>assistant\n")
        assert open_["text"] == text["text"] + "<|im_start|>assistant\n"
        tiles = [spanned["text"][span["start"] : span["end"]] for span in spanned["spans"]]
        assert "".join(tiles) == text["text"]
    assert cut[2]["completion"] == "<think>\n\n</think>\n\nYou are welcome.<|im_end|>\n"


def test_what_a_template_leaves_out_is_counted_and_an_error_with_strict(tmp_path: Path) -> None:
    file, receipt = FIXTURES / "conversations.jsonl", tmp_path / "receipt.json"
    run = toolconv("convert", file, "--template", "qwen3", "--receipt", receipt)
    account = json.loads(receipt.read_text())["function_calling"]
    assert run.status == 0 and account["template"] == "qwen3" and account["losses"] == {"reasoning": 1}
    strict = toolconv("convert", file, "--template", "qwen3", "--strict")
    assert strict.status == 1 and [row["id"] for row in strict.rows] == ["hello", "tokyo"]
    assert "conversations.jsonl:3: rejected: would be lost: reasoning" in strict.err


def test_turns_behind_the_completion_are_a_loss_and_no_completion_a_reject() -> None:
    ask = {"role": "user", "content": "Hi"}
    lines = [
        {"messages": [ask, {"role": "assistant", "content": "Hello"}, ask]},
        {"messages": [ask]},
    ]  # fmt: skip
    stdin = "".join(json.dumps(line) + "\n" for line in lines)
    run = toolconv("render", "--template", "qwen3", "--prompt-completion", stdin=stdin)
    assert [row["completion"] for row in run.rows] == ["<think>\n\n</think>\n\nHello<|im_end|>\n"]
    assert run.status == 1 and "no assistant turn to be the completion" in run.err
    assert "turns_after_completion 1" in run.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--template", "qwen33"], "did you mean 'qwen3'?"),
        (["--template", "qwen3", "--to", "hermes"], "can't be used with --to"),
        (["--template", "qwen3", "--arguments", "string"], "can't be used with --arguments"),
        (["--template", "qwen3", "--empty-content", "null"], "can't be used with --empty-content"),
        (["--spans", "--to", "hermes"], "--spans needs --template"),
        (["--template", "qwen3", "--spans", "--prompt-completion"], "not both"),
        (["--template", "qwen3", "--end-at-eos", "--add-generation-prompt"], "not both"),
        (["--template", "qwen3", "--template-kwargs", "{"], "--template-kwargs: not JSON"),
    ],
)
def test_wrong_options_are_named(options: list[str], message: str) -> None:
    run = toolconv("render", FIXTURES / "conversations.jsonl", *options)
    assert run.status == 2 and message in run.err and run.out == ""


def test_variables_and_processes_make_the_same_text() -> None:
    file = FIXTURES / "conversations.jsonl"
    options = ["--template", "qwen3", "--add-generation-prompt", "--template-kwargs", '{"enable_thinking": false}']
    one, two = (toolconv("render", file, *options, "--jobs", jobs) for jobs in (1, 2))
    assert one.raw == two.raw and one.rows[0]["text"].endswith("assistant\n<think>\n\n</think>\n\n")


XHIGH = """<|im_start|>system
Reasoning effort is set to xhigh. Please think carefully through the task, validate key assumptions, consider plausible \
alternatives, and prioritize correctness, consistency, and clarity in the final answer."""
LOW = """<|im_start|>system
Reasoning effort is set to low. Keep your thinking brief and focused, moving directly to the conclusion without \
unnecessary elaboration."""


@pytest.mark.parametrize(
    ("variables", "begin", "earlier"),
    [
        ({}, XHIGH, "<think>\nA\n</think>\n\nOne"),
        ({"reasoning_effort": "low"}, LOW, "<think>\nA\n</think>\n\nOne"),
        ({"reasoning_effort": "medium"}, "", "<think>\nA\n</think>\n\nOne"),
        ({"reasoning_effort": "low", "enable_thinking": False}, "", "<think>\nA\n</think>\n\nOne"),
        ({"preserve_thinking": False}, XHIGH, "One"),
    ],
)
def test_qwen3_8_says_how_much_to_think(variables: dict[str, Any], begin: str, earlier: str) -> None:
    """Chat template of Qwen/Qwen3.8-2.4T-A95B, 9d060ae8."""
    turns = ("user", "1"), ("assistant", "One"), ("user", "2"), ("assistant", "Two")
    messages = [{"role": role, "content": text} for role, text in turns]
    messages[1]["reasoning_content"] = "A"
    _, page = written(templates.get("qwen3.8"), {"messages": messages}, variables=variables)
    rest = f"<|im_start|>user\n1<|im_end|>\n<|im_start|>assistant\n{earlier}<|im_end|>\n<|im_start|>user\n2<|im_end|>\n"
    last = "<|im_start|>assistant\n<think>\n\n</think>\n\nTwo<|im_end|>\n"
    assert page.text == (f"{begin}<|im_end|>\n" if begin else "") + rest + last


@pytest.mark.parametrize(
    ("variables", "effort", "earlier"),
    [
        ({}, "Max", "<think>A</think>"),
        ({"reasoning_effort": "low"}, "Low", "<think>A</think>"),
        ({"reasoning_effort": "medium"}, "Max", "<think>A</think>"),
        ({"enable_thinking": False}, "Max", "<think>A</think>"),
        ({"clear_thinking": True}, "Max", "<think></think>"),
    ],
)
def test_glm_5_3_always_thinks_and_orders_results(variables: dict[str, Any], effort: str, earlier: str) -> None:
    """Chat template of zai-org/GLM-5.3-Flash."""
    calls = [{"id": name, "type": "function", "function": {"name": name, "arguments": {}}} for name in "fg"]
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "1"},
        {"role": "assistant", "content": None, "reasoning_content": "A", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "g", "content": "G"},
        {"role": "tool", "tool_call_id": "f", "content": "F"},
        {"role": "user", "content": "2"},
    ]
    _, page = written(templates.get("glm-5.3"), {"messages": messages}, variables=variables, generate=True)
    assert page.text == (
        f"[gMASK]<sop><|system|>Reasoning Effort: {effort}<|user|>1<|assistant|>{earlier}"
        "<tool_call>f</tool_call><tool_call>g</tool_call>"
        "<|observation|><tool_response>F</tool_response><tool_response>G</tool_response><|user|>2<|assistant|><think>"
    )


def test_an_effort_that_qwen3_8_refuses_is_refused() -> None:
    row = {"messages": [{"role": "user", "content": "1"}]}
    with pytest.raises(
        RenderError, match="unexpected reasoning_effort 'high'; the template knows xhigh, medium and low"
    ):
        written(templates.get("qwen3.8"), row, variables={"reasoning_effort": "high"})


HERMES_FC = """<|im_start|>system
Be brief.

You are a function calling AI model. You are provided with function signatures within <tools> </tools> XML tags. \
You may call one or more functions to assist with the user query. \
Don't make assumptions about what values to plug into functions.
<tools>
{"type": "function", "function": {"name": "f", "parameters": {}}}
{"type": "function", "function": {"name": "g", "parameters": {}}}
</tools>
For each function call return a json object with function name and arguments within <tool_call> </tool_call> tags with \
the following schema:
<tool_call>
{"name": <function-name>, "arguments": <args-dict>}
</tool_call><|im_end|>
<|im_start|>user
Hi<|im_end|>
<|im_start|>assistant
<think>
Both.
</think>

Sure.
<tool_call>
{"name": "f", "arguments": {}}
</tool_call>
<tool_call>
{"name": "g", "arguments": {"x": 1}}
</tool_call><|im_end|>
<|im_start|>tool
<tool_response>
{"name": "f", "content": "ok"}
</tool_response>
<tool_response>
fine
</tool_response><|im_end|>
<|im_start|>assistant
"""


def test_hermes_fc_is_the_wording_of_its_data_in_chatml() -> None:
    """There is no golden text of this one: its wording is that of NousResearch/hermes-function-calling-v1."""
    calls = [{"id": f"call_{at}", "function": {"name": name, "arguments": text}} for at, (name, text) in enumerate(
        [("f", "{}"), ("g", '{"x": 1}')])]  # fmt: skip
    row = {
        "tools": [{"type": "function", "function": {"name": name, "parameters": {}}} for name in "fg"],
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Sure.", "reasoning_content": "Both.", "tool_calls": calls},
            {"role": "tool", "tool_call_id": "call_0", "content": '{"name": "f", "content": "ok"}'},
            {"role": "tool", "tool_call_id": "call_1", "content": "fine"},
        ],
    }
    conversation, page = written(templates.get("hermes-fc"), row, generate=True)
    assert page.text == HERMES_FC
    assert conversation.notes.losses == []


HERMES_PROMPT = (
    "You are a function calling AI model. You are provided with function signatures within <tools> </tools> XML tags. "
    "You may call one or more functions to assist with the user query. Don't make assumptions about what values to plug "
    "into functions.\n<tools>\n[{'type': 'function', 'function': {'name': 'ping', 'description': 'Ping.', 'parameters': "
    "{'type': 'object', 'properties': {}}}}]\n</tools>\nFor each function call return a json object with function name "
    "and arguments within <tool_call> </tool_call> tags with the following schema:\n<tool_call>\n{'arguments': "
    "<args-dict>, 'name': <function-name>}\n</tool_call>\n"
)


@pytest.mark.parametrize(("more", "system"), [("", None), ("Be kind.\n\n", "Be kind.")])
def test_tools_declared_as_in_hermes_data_are_declared_once(more: str, system: str | None) -> None:
    ask = {"from": "human", "value": "Ping!"}
    answer = {"from": "gpt", "value": "<tool_call>\n{'name': 'ping', 'arguments': {}}\n</tool_call>"}
    row = {"conversations": [{"from": "system", "value": more + HERMES_PROMPT}, ask, answer]}
    clean = [*([{"role": "system", "content": system}] if system else []), {"role": "user", "content": "Ping!"}]
    call = {"id": "call_0", "type": "function", "function": {"name": "ping", "arguments": "{}"}}
    tool = {"name": "ping", "description": "Ping.", "parameters": {"type": "object", "properties": {}}}
    same = {
        "messages": [*clean, {"role": "assistant", "content": None, "tool_calls": [call]}],
        "tools": [{"type": "function", "function": tool}],
    }
    for options in (["--template", "qwen3"], ["--to", "kimi_k2"]):
        run = toolconv("convert", "--from", "hermes", *options, stdin=json.dumps(row))
        assert "loss" not in run.err
        assert run.rows == toolconv("convert", *options, stdin=json.dumps(same)).rows


def test_tools_declared_in_other_words_are_declared_once() -> None:
    tool = {"type": "function", "function": {"name": "ping", "parameters": {"type": "object", "properties": {}}}}
    system = f"Use what helps:\n<tools>\n{json.dumps(tool)}\n</tools>"
    row = {"messages": [{"role": "system", "content": system}, {"role": "user", "content": "Hi"}], "tools": [tool]}
    run = toolconv("render", "--template", "qwen3", stdin=json.dumps(row))
    assert run.rows[0]["text"].count('"ping"') == 1 and "loss" not in run.err
    assert "Use what helps" not in run.rows[0]["text"]
    run = toolconv("render", "--template", "qwen3", "--keep-prompt", stdin=json.dumps(row))
    assert run.rows[0]["text"].count('"ping"') == 2 and "tools_declared_twice 1" in run.err


def test_a_variable_that_a_template_does_not_know_is_passed_over_and_said() -> None:
    file = FIXTURES / "conversations.jsonl"
    run = toolconv("render", file, "--template", "qwen3", "--template-kwargs", '{"thinking": true}')
    assert run.status == 0 and run.raw == toolconv("render", file, "--template", "qwen3").raw
    assert "template qwen3 has no variable 'thinking': it has enable_thinking\n" in run.err


@pytest.mark.parametrize(
    ("weights", "last", "lost"),
    [((1, 0), "assistant", 0), ((0, 0), "assistant", 1), ((0, 1), "assistant", 0), ((None, None), "user", 1)],
)
def test_a_text_of_which_no_span_is_trained_on_is_named(
    weights: tuple[int | None, int | None], last: str, lost: int
) -> None:
    turns = [{"role": "user", "content": "Is it up?"}, {"role": last, "content": "It is."}] * 2
    turns[1:4:2] = [
        turn if weight is None else {**turn, "weight": weight}
        for turn, weight in zip(turns[1:4:2], weights, strict=True)
    ]
    row = json.dumps({"messages": turns}) + "\n"
    run = toolconv("convert", "--template", "qwen3", "--spans", "--strict", stdin=row)
    assert len(run.rows) == 1 - lost and run.err.count("nothing_trained") >= lost
    assert "nothing_trained" not in toolconv("convert", "--template", "qwen3", stdin=row).err
