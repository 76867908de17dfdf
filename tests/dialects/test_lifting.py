"""What a system text says about tools is taken out for another target; the user's own text stays byte for byte."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES, NO_SHARED, each, exhaustive, nightly, toolconv
from toolconv import dialects, templates
from toolconv.convert.converter import Converter
from toolconv.convert.options import Options
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Tool
from toolconv.dialects.chat import PLAIN_CHAT
from toolconv.dialects.prompts.tool_prompt import without_prompt
from toolconv.dialects.prompts.words import sentences_of
from toolconv.templates.base import ChatView, Template
from toolconv.templates.output import TextOptions

GOLDEN = Path(__file__).parents[3] / "shared" / "golden"
TOOLS: list[Tool] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"{name} does it.",
            "parameters": {
                "type": "object",
                "properties": {"key": {"type": "string", "description": "The key"}},
                "required": ["key"],
            },
        },
    }
    for name in ("find_place", "ping")
]
OWN = (
    'You are Bob.\n\n- Be brief; quote <b>prices</b> as {"eur": 3}.\n- Only call tools when the user has agreed.\n\n'
    "If a function fails, explain it in the format 'Sorry: …'."
)
ASK, ANSWER = {"role": "user", "content": "Hi, who are you?"}, {"role": "assistant", "content": "I am Bob."}
WORDED = [name for name in dialects.names() if dialects.get(name).chat != PLAIN_CHAT]
CASES = [json.loads(line) for line in (FIXTURES / "prompts.jsonl").read_text(encoding="utf-8").splitlines()]


def converted(row: dict[str, Any], options: Options, layout: str = "openai") -> tuple[dict[str, Any], dict[str, int]]:
    """A row, converted in this process, and its losses."""
    source = None if options.source in (None, "auto") else dialects.get(options.source)
    own = options.detector.layout_of(layout)
    result = Converter(options, own, source).lines("x", 1, [json.dumps(row).encode()])
    assert not result.rejects
    return json.loads(result.output[0]), dict(result.receipt.losses)


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    prompt = without_prompt(case["text"])
    if "own" not in case:
        assert prompt is None
        return
    assert prompt is not None
    names = [tool["function"]["name"] if "function" in tool else tool["name"] for tool in prompt.tools]
    assert (prompt.own, names) == (case["own"], case.get("tools", []))
    assert (prompt.declares, bool(prompt.markup)) == (case.get("declares", False), case.get("markup", False))


# ── every dialect, every template ──


@pytest.mark.parametrize("name", WORDED)
def test_a_declaration_is_taken_out_wherever_it_is(name: str) -> None:
    chat = dialects.get(name).chat
    block = chat.block(TOOLS).strip()
    for text, own in (
        (chat.declare(OWN, TOOLS), OWN),
        (chat.block(TOOLS), ""),
        (f"{OWN}\n\n{block}\n", OWN),
        (f"{OWN}\n\n{block}\n\nSign with Bob.", f"{OWN}\n\nSign with Bob."),
    ):
        prompt = without_prompt(text)
        assert prompt is not None
        assert (prompt.own, prompt.declares, prompt.markup) == (own, False, ())


ASKED_TO_CALL = [
    {"role": "user", "content": "Is a up?"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": "call_0", "type": "function", "function": {"name": "ping", "arguments": {"key": "a"}}},
        ],
    },
    {"role": "tool", "tool_call_id": "call_0", "name": "ping", "content": "pong"},
    ANSWER,
]


LAYOUTS = [Options(to_layout=name) for name in ("canonical", "openai", "trl", "anthropic", "gemini")]
ALL = [
    *(Options(target=name, to_layout="chat") for name in dialects.names() if name not in ("canonical", "openai")),
    *(Options(text=TextOptions(template=name)) for name in templates.names()),
    *LAYOUTS,
]
SOME = [
    *(Options(target=name, to_layout="chat") for name in ("hermes", "granite4", "llama3_json", "harmony")),
    *(Options(text=TextOptions(template=name)) for name in ("qwen3", "llama-3.1", "deepseek-v3.2")),
    LAYOUTS[1],
]


def check_targets(name: str, column: bool, targets: list[Options]) -> None:
    """A system text in a dialect's words gives in each target what structured tools give."""
    chat = dialects.get(name).chat
    structured = {"messages": [{"role": "system", "content": OWN}, ASK, ANSWER], "tools": TOOLS}
    system = {"role": "system", "content": chat.declare(OWN, TOOLS)}
    row: dict[str, Any] = {"messages": [system, ASK, ANSWER]} | ({"tools": TOOLS} if column else {})
    for target in targets:
        written, losses = converted(row, replace(target, source=name), "openai" if column else "chat")
        if column or json.dumps(chat.read(chat.write_list(TOOLS))) == json.dumps(TOOLS):
            expected, _ = converted(structured, replace(target, source=None))
            same = target.target and dialects.get(target.target).chat.tools_open == chat.tools_open
            assert written == expected or same
        assert "tools_declared_twice" not in losses and "call_format" not in losses


@exhaustive
@each("name", WORDED)
@each("column", [False, True])
def test_some_targets_hold_no_words_of_the_source(name: str, column: bool) -> None:
    check_targets(name, column, SOME)


@nightly
@pytest.mark.parametrize("name", WORDED)
@pytest.mark.parametrize("column", [False, True], ids=["text", "text-and-column"])
def test_no_target_holds_words_of_the_source(name: str, column: bool) -> None:
    check_targets(name, column, ALL)


def declaring_words(template: Template, row: dict[str, Any]) -> tuple[str, set[str]]:
    """A row as a template writes it, and the sentences of the template's own that it only writes beside tools."""
    plain = {"messages": [message for message in row["messages"] if message["role"] in ("system", "user")]}
    without, text = (
        template.written(ChatView(Conversation(copy.deepcopy(each)), template.dialect)).text for each in (plain, row)
    )
    shown = re.sub(r"<[^<>\s]{2,60}>|\[/?[A-Z_]{3,40}\]|\]~b\]|\[e~\[", "\n", text)
    found = {shown[start:end] for start, end, _ in sentences_of(shown, [])}
    facts = json.dumps(row)
    named = ("ping", "find_place", "properties")
    return text, {
        sentence
        for sentence in found
        if len(sentence) >= 12 and sentence not in without and sentence not in facts
        if not any(name in sentence for name in named)
    }


def check_templates(name: str, targets: list[Options]) -> None:
    """No target holds a sentence with which a template declared tools, unless it is the target's own, or counted."""
    for system in ([], [{"role": "system", "content": OWN}]):
        row = {"tools": TOOLS, "messages": [*system, *ASKED_TO_CALL]}
        text, words = declaring_words(templates.get(name), row)
        for target in targets:
            for named in (name, None):
                written, losses = converted({"text": text}, replace(target, from_template=named), "rendered")
                own, _ = converted(row, replace(target, source=None))
                held = {word for word in words if word in strings(written) and word not in strings(own)}
                assert not held or "call_format" in losses, (target, held)


def strings(row: dict[str, Any]) -> str:
    """The texts of a row's messages, or its whole text."""
    contents = [message["content"] for message in row.get("messages", ()) if isinstance(message["content"], str)]
    return "\n".join([row.get("text", ""), *contents])


@pytest.mark.sweep(every=24)
@pytest.mark.parametrize(("number", "name"), list(enumerate(templates.names())), ids=templates.names())
def test_some_targets_hold_no_words_of_a_template(number: int, name: str) -> None:
    check_templates(name, SOME[number % 8 :: 8])


@nightly
@pytest.mark.parametrize("name", templates.names())
def test_no_target_holds_words_of_a_template(name: str) -> None:
    check_templates(name, ALL)


@pytest.mark.parametrize("name", templates.names())
def test_golden_system_turns_are_left_with_their_own_text(name: str) -> None:
    """Of what real chat templates write: the turn that has the given system text and declares tools."""
    if not GOLDEN.exists():
        pytest.skip(NO_SHARED)
    file = GOLDEN / f"{name}.jsonl"
    if not file.exists():
        pytest.skip("no golden texts of this template")
    template = templates.get(name)
    lines = (GOLDEN / "conversations.jsonl").read_text(encoding="utf-8").splitlines()
    rows = {row["id"]: row for row in map(json.loads, lines)}
    opening, ending = template.headers["system"], template.ending.strip()
    if opening.strip() == "" or not ending:
        pytest.skip("its turns have no borders")
    for line in file.read_text(encoding="utf-8").splitlines():
        golden = json.loads(line)
        row = rows[golden["conversation"]]
        first = row["messages"][0]
        if not golden.get("text") or not row.get("tools") or first["role"] != "system":
            continue
        for turn in golden["text"].split(opening)[1:]:
            text = turn.partition(ending)[0]
            if first["content"] in text and '"parameters"' in text:
                prompt = without_prompt(text)
                assert prompt is not None
                assert first["content"].strip() in prompt.own
                assert (prompt.declares, prompt.markup) == (False, ())


# ── laws ──

WORDS = st.sampled_from(
    ["Be", "kind", "tools", "function", "call", "format", "JSON", "the", "user", "agrees", "<b>", "{", "}", "[x]", "\n"]
)
TEXTS = st.lists(st.one_of(WORDS, st.text(st.characters(exclude_categories=["C"]), min_size=1))).map(
    lambda words: " ".join(words).strip()
)


@given(own=TEXTS, name=st.sampled_from([name for name in WORDED if dialects.get(name).chat.keeps(TOOLS)]))
def test_any_text_of_the_user_stays(own: str, name: str) -> None:
    prompt = without_prompt(dialects.get(name).chat.declare(own, TOOLS))
    assert prompt is not None
    assert prompt.own == own


# ── the command ──

QWEN = dialects.get("hermes").chat.block(TOOLS)
ROW = {"messages": [{"role": "system", "content": f"{OWN}\n\n{QWEN}"}, ASK, ANSWER]}


@pytest.mark.parametrize("to", [["--to-layout", "openai"], ["--template", "llama-3.1"], ["--to", "granite"]])
def test_keep_prompt(to: list[str]) -> None:
    lifted = toolconv("convert", *to, stdin=json.dumps(ROW))
    kept = toolconv("convert", *to, "--keep-prompt", stdin=json.dumps(ROW))
    assert "function signatures within" not in lifted.out and "loss" not in lifted.err
    assert json.dumps(QWEN)[1:-1] in kept.out and "tools_declared_twice 1" in kept.err


def test_tools_that_only_the_text_declares_are_not_lost() -> None:
    row = {"tools": TOOLS[:1], "messages": [{"role": "system", "content": QWEN}, ASK, ANSWER]}
    run = toolconv("convert", "--to-layout", "openai", stdin=json.dumps(row))
    assert run.rows[0]["messages"][0]["content"] == QWEN
    assert "tools_declared_twice 1" in run.err


@pytest.mark.parametrize("written", ["<function=ping>\n<parameter=key>a</parameter>\n</function>", "I can't."])
def test_instructions_without_tools_stay_and_are_counted_if_calls_change_their_form(written: str) -> None:
    system = "Call a function like this: <function=name><parameter=p>1</parameter></function>"
    row = {"messages": [{"role": "system", "content": system}, ASK, {"role": "assistant", "content": written}]}
    result, losses = converted(row, Options(source="qwen3_xml", to_layout="openai"), "chat")
    assert result["messages"][0]["content"] == system
    assert losses == ({"call_format": 1} if "<" in written else {})
