"""Chat templates of files (``--chat-template``), against what transformers' own rules make of real ones."""

from __future__ import annotations

import copy
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import FIXTURES, exhaustive, rows, shared, toolconv
from tests.templates.test_templates import PINNED
from toolconv import dialects, layouts
from toolconv.core.conversation import Conversation
from toolconv.core.errors import FileError, MissingExtra
from toolconv.dialects.turns import RenderError
from toolconv.templates import jinja
from toolconv.templates.base import ChatView
from toolconv.templates.jinja import sandbox
from toolconv.templates.jinja.child import Child, OutOfTime
from toolconv.templates.jinja.template import JinjaTemplate
from toolconv.templates.writer import SpanWriter

OWN = FIXTURES / "chat_templates"
REAL = Path(os.environ.get("TOOLCONV_CHAT_TEMPLATES", "/nowhere"))
REAL_NAMES = sorted(path.stem for path in REAL.glob("*.jinja")) or ["absent"]

BOS = {
    "<s>": ("apertus", "devstral-2", "minicpm5", "mistral-7b-v0.3", "mistral-large-3", "mistral-nemo"),
    "<｜begin▁of▁sentence｜>": ("deepseek-v3", "deepseek-v3.1", "step-3.5"),
    "<bos>": ("functiongemma", "gemma-4"),
    "<|begin_of_text|>": ("hermes", "llama-3.1", "llama-3.2", "llama-4", "xlam-2"),
    "<|startoftext|>": ("lfm2.5",),
    "<seed:bos>": ("seed-oss",),
}
EOS = {
    "</s>": ("devstral-2", "mistral-7b-v0.3", "mistral-large-3", "mistral-nemo"),
    "<|im_end|>": ("olmo-3",),
}
"""The models' own tokens, which their tokenizer configs hold."""

RESPELLED = ("unicode_escaped_args", "compact_json_args")
"""Conversations whose arguments were JSON text in another spelling than ``json.dumps``; objects don't keep that."""

AMBIGUOUS = {("lfm2.5", "hard_strings")}
"""Calls that the template writes in a way that nobody can read: quotes in quotes, without an escape."""

WEATHER = {
    "type": "function",
    "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
}


def tokens(name: str) -> dict[str, str]:
    return {
        key: token
        for key, known in (("bos_token", BOS), ("eos_token", EOS))
        for token, names in known.items()
        if name in names
    }


def real(name: str, **options: Any) -> JinjaTemplate:
    if name == "absent":
        pytest.skip("third-party templates are not in the repository: TOOLCONV_CHAT_TEMPLATES names no folder of them")
    return jinja.load(str(REAL / f"{name}.jinja"), variables=tokens(name), **options)


def write(template: JinjaTemplate, row: dict[str, Any], **options: Any) -> tuple[Conversation, ChatView, SpanWriter]:
    conversation = layouts.get("openai").read(copy.deepcopy(row))
    chat = ChatView(conversation, template.dialect, **options)
    page = SpanWriter()
    template.write(chat, page)
    return conversation, chat, page


def inline(tmp_path: Path, source: str, **options: Any) -> JinjaTemplate:
    path = tmp_path / "chat_template.jinja"
    path.write_text(source, "utf-8")
    return jinja.load(str(path), **options)


def user(text: str = "hi") -> dict[str, Any]:
    return {"role": "user", "content": text}


def calling(*cities: str, content: str | None = None, **more: Any) -> dict[str, Any]:
    """A turn that calls ``get_weather`` for each city."""
    calls = [
        {
            "id": f"call-{city}",
            "type": "function",
            "function": {"name": "get_weather", "arguments": json.dumps({"city": city})},
        }
        for city in cities
    ]
    return {"role": "assistant", "content": content, **more, "tool_calls": calls}


def result(city: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"call-{city}", "content": text}


def spoken(page: SpanWriter, *kinds: str) -> list[str]:
    text = page.text
    return [text[span["start"] : span["end"]] for span in page.spans() if span["kind"] in kinds]


# ── against real templates ──


@pytest.mark.parametrize("name", REAL_NAMES)
def test_every_golden_row_byte_for_byte(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", PINNED)
    template = real(name)
    given = {row["id"]: row for row in rows(shared("golden/conversations.jsonl"))}
    texts = template.usual.form.taken.arguments == "string"
    for row in rows(shared(f"golden/{name}.jsonl")):
        options = {"generate": row["add_generation_prompt"], "variables": row.get("kwargs")}
        if row["error"] is not None:
            with pytest.raises(RenderError):
                write(template, given[row["conversation"]], **options)
        elif not (texts and row["conversation"] in RESPELLED):
            _, _, page = write(template, given[row["conversation"]], **options)
            assert page.text == row["text"], row["conversation"]


@pytest.mark.parametrize("name", REAL_NAMES)
def test_what_the_probe_chooses_is_what_golden_rows_were_given(name: str) -> None:
    taken = real(name).usual.form.taken
    for row in rows(shared(f"golden/{name}.jsonl")):
        assert row["arguments_as"] in (None, {"object": "dict"}.get(taken.arguments, taken.arguments))
        assert row.get("reasoning_as") in (None, taken.reasoning)
        if row["content_null_as"] == "empty":
            assert taken.content == ""
        if row["ids_as"] == "nine":
            assert taken.ids == "nine"


@pytest.mark.parametrize("name", REAL_NAMES)
def test_spans_of_real_templates(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spans tile the text, train only what the model says, and those of calls say the calls."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", PINNED)
    plain, template = real(name), real(name, spans=True)
    dialect = dialects.get(json.loads(shared("golden/index.json").read_text("utf-8"))[name]["dialects"][0])
    for row in rows(shared("golden/conversations.jsonl")):
        try:
            text = write(plain, row)[2].text
        except RenderError:
            continue
        conversation, chat, page = write(template, row)
        assert page.text == text
        said: dict[int, str] = {}
        at = 0
        for span in page.spans():
            assert span["start"] == at < span["end"]
            at = span["end"]
            if span["kind"] == "call":
                assert span["train"]
                said[span["message"]] = said.get(span["message"], "") + text[span["start"] : at]
            if span["train"]:
                assert conversation.messages[span["message"]]["role"] == "assistant"
        assert at == len(text)
        last = chat.assistant_before(len(chat.messages))
        if last == len(chat.messages) - 1 and not {"calls", "content"} & set(conversation.notes.losses):
            assert 0 < template.prompt_end(chat, page, None) < len(text)
        if {"calls", "parallel_calls", "call_name"} & set(conversation.notes.losses) or (name, row["id"]) in AMBIGUOUS:
            continue
        names = {index: [call.name for call in dialect.parse(calls).calls] for index, calls in said.items()}
        turns = enumerate(conversation.messages)
        assert names == {
            index: [call["function"]["name"] for call in turn["tool_calls"]]
            for index, turn in turns
            if turn.get("tool_calls")
        }, row["id"]


# ── what a template takes, and what it leaves out ──


def test_a_template_that_takes_everything() -> None:
    template = jinja.load(str(OWN / "chatml.jinja"))
    row = {"messages": [user(), calling("Rome", content="Well.", reasoning_content="Hm."), result("Rome", "sunny")]}
    conversation, _, page = write(template, row, generate=True)
    assert page.text == (
        '<|user|>hi<|end|>\n<|assistant|><think>Hm.</think>Well.<call id=call-Rome>{"name": "get_weather", "arguments": '
        '{"city": "Rome"}}</call><|end|>\n<|tool|>sunny<|end|>\n<|assistant|>'
    )
    assert conversation.notes.losses == []
    assert template.notices == (
        "chatml.jinja: expects arguments as object, ids unchanged, missing content as null, reasoning as reasoning_content",
    )


def test_a_template_that_takes_texts_only() -> None:
    template = jinja.load(str(OWN / "strings.jinja"))
    conversation, _, page = write(
        template,
        {
            "messages": [
                user(),
                calling("Rome", reasoning_content="Lost."),
                result("Rome", "sunny"),
                {"role": "assistant", "content": "Sunny.", "reasoning_content": "Kept."},
            ]
        },
    )
    assert page.text == '[user]hi\n[assistant]!get_weather{"city": "Rome"}\n[tool]sunny\n[assistant](Kept.)Sunny.\n'
    assert conversation.notes.losses == ["call_id", "reasoning"]
    assert template.notices == (
        "strings.jinja: expects arguments as string, ids unchanged, missing content as an empty string, reasoning as thinking; "
        "leaves out declared tools, ids of calls",
    )


def test_a_template_that_leaves_things_out_and_refuses_others() -> None:
    template = jinja.load(str(OWN / "strict.jinja"))
    assert template.notices == (
        "strict.jinja: expects arguments as object, ids of nine characters, missing content as null, "
        "reasoning as reasoning_content; leaves out system texts, declared tools, prose in turns with calls, reasoning; "
        "refuses parallel calls after the first",
    )
    system = {"role": "system", "content": "Be brief."}
    messages = [system, user(), calling("Rome", content="Well."), result("Rome", "sunny")]
    conversation, _, page = write(template, {"tools": [WEATHER], "messages": messages})
    call = '{"name": "get_weather", "arguments": {"city": "Rome"}, "id": "0callRome"}'
    assert page.text == f"[INST]hi[/INST][CALL]{call}</s>[RESULT]0callRome:sunny[/RESULT]"
    assert sorted(conversation.notes.losses) == ["content_with_call", "system", "tools"]


def test_a_template_that_raises_says_why() -> None:
    template = jinja.load(str(OWN / "strict.jinja"))
    with pytest.raises(RenderError, match="the chat template raises: one call at a time"):
        write(template, {"messages": [user(), calling("Rome", "Oslo")]})


def test_the_date_is_pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", PINNED)
    template = inline(tmp_path, "{{ strftime_now('%d %b %Y') }}: {{ messages[0].content }}")
    assert write(template, {"messages": [user()]})[2].text == "02 Jan 2025: hi"


def test_json_is_not_escaped_for_html(tmp_path: Path) -> None:
    template = inline(tmp_path, "{{ messages[0].content | tojson }}")
    assert write(template, {"messages": [user("<é> & 'x'")]})[2].text == "\"<é> & 'x'\""


# ── spans ──


def test_spans_of_a_conversation() -> None:
    template = jinja.load(str(OWN / "chatml.jinja"), spans=True)
    messages = [
        user("  hi <|end|>"),
        calling("Rome", "Oslo", content="Well.", reasoning_content="Hm."),
        result("Rome", "sunny"),
        result("Oslo", "sunny"),
        {"role": "assistant", "content": "Both sunny."},
    ]
    _, chat, page = write(template, {"tools": [WEATHER], "messages": messages})
    assert spoken(page, "user") == ["  hi <|end|>"]
    assert spoken(page, "tools") == ["# Tools\n" + json.dumps([WEATHER]) + "\n"]
    assert spoken(page, "reasoning") == ["<think>Hm.</think>"]
    assert spoken(page, "prose") == ["Well.", "Both sunny."]
    assert spoken(page, "response") == ["sunny", "sunny"]
    assert spoken(page, "call") == [
        '<call id=call-Rome>{"name": "get_weather", "arguments": {"city": "Rome"}}</call>',
        '<call id=call-Oslo>{"name": "get_weather", "arguments": {"city": "Oslo"}}</call>',
    ]
    trained = "".join(page.text[span["start"] : span["end"]] for span in page.spans() if span["train"])
    assert trained.startswith("<think>") and trained.count("<|end|>") == 2 and "\n" not in trained
    assert page.text[template.prompt_end(chat, page, None) :] == "Both sunny.<|end|>\n"
    assert template.generation(chat) == "<|assistant|>"


AS_TEXT = "{{ m.content }}"
AS_PARTS = (
    "{% if m.content is string %}{{ m.content }}{% else %}"
    "{% for p in m.content %}{{ p.text if p.type == 'text' else '<img>' }}{% endfor %}{% endif %}"
)


@pytest.mark.parametrize("content", [AS_TEXT, AS_PARTS, AS_PARTS.replace("p.text", "(p.text | trim)")])
def test_the_parts_of_a_turn_are_trained(content: str, tmp_path: Path) -> None:
    template = inline(tmp_path, "{% for m in messages %}<{{ m.role }}>" + content + "<E>{% endfor %}", spans=True)
    parts = [[{"type": "text", "text": text} for text in texts] for texts in (("One", "Two"), ("q", "r"), ("Three",))]
    if content != AS_TEXT:
        parts[0].insert(1, {"type": "image", "image": "a.png"})
    roles = ("user", "assistant", "user", "assistant")
    row = {"messages": [{"role": role, "content": text} for role, text in zip(roles, ("q", *parts), strict=True)]}
    _, _, page = write(template, row)
    trained = [page.text[span["start"] : span["end"]] for span in page.spans() if span["train"]]
    assert trained == ["OneTwo" if content == AS_TEXT else "One<img>Two", "<E>", "Three", "<E>"]
    assert "".join(page.text[span["start"] : span["end"]] for span in page.spans()) == page.text


def test_spans_where_ids_are_looked_up_and_json_is_escaped(tmp_path: Path) -> None:
    source = (
        "{% set n = namespace(id='') %}{% for m in messages %}"
        "{% if m.role == 'tool' %}{{ '=' if m.tool_call_id == n.id else '?' }}{{ m.content }}\n"
        "{% elif m.tool_calls %}{% set c = m.tool_calls[0] %}{% set n.id = c.id %}"
        "[{{ c.id }} {{ c.function.name }} {{ c.function.arguments | tojson(ensure_ascii=true) }}]</s>"
        "{% else %}{{ m.role }}: {{ m.content }}</s>{% endif %}{% endfor %}"
    )
    _, _, page = write(
        inline(tmp_path, source, spans=True), {"messages": [user(), calling("Łódź"), result("Łódź", "ok")]}
    )
    assert page.text == 'user: hi</s>[call-Łódź get_weather {"city": "\\u0141\\u00f3d\\u017a"}]</s>=ok\n'
    assert spoken(page, "call") == ['[call-Łódź get_weather {"city": "\\u0141\\u00f3d\\u017a"}]']
    assert spoken(page, "response") == ["ok"]


def test_a_text_whose_parts_cannot_be_told_is_written_without_them_only(tmp_path: Path) -> None:
    source = "{% for m in messages %}{{ m.content[:4] }}{% endfor %}"
    row = {"messages": [user("a long question"), {"role": "assistant", "content": "a long answer"}]}
    assert write(inline(tmp_path, source), row)[2].text == "a loa lo"
    with pytest.raises(RenderError, match="spans can't be found"):
        write(inline(tmp_path, source, spans=True), row)


def test_the_cut_where_earlier_turns_are_written_another_way_later(tmp_path: Path) -> None:
    """A template that marks the last message: the text before it is no beginning of the whole."""
    template = inline(
        tmp_path, "{% for m in messages %}<{{ m.role }}>{{ '*' if loop.last }}{{ m.content }}</s>{% endfor %}"
    )
    _, chat, page = write(template, {"messages": [user(), {"role": "assistant", "content": "Hello."}]})
    assert page.text == "<user>hi</s><assistant>*Hello.</s>"
    assert page.text[template.prompt_end(chat, page, None) :] == "Hello.</s>"


# ── files ──


def test_named_templates_and_special_tokens() -> None:
    path = str(OWN / "named" / "tokenizer_config.json")
    template = jinja.load(path)
    assert write(template, {"messages": [user()]})[2].text == "<s>hi</s>"
    assert write(template, {"tools": [WEATHER], "messages": [user()]})[2].text == f"<s>{json.dumps([WEATHER])}hi"
    assert [line.split(":")[0] for line in template.notices] == [
        "tokenizer_config.json, template 'default'",
        "tokenizer_config.json, template 'tool_use'",
    ]
    assert write(jinja.load(path, name="loud"), {"messages": [user()]})[2].text == "<a><b>HI"
    assert write(jinja.load(path, variables={"bos_token": "!"}), {"messages": [user()]})[2].text == "!hi</s>"
    with pytest.raises(FileError, match="no template 'quiet'; the file has 'default', 'tool_use', 'loud'"):
        jinja.load(path, name="quiet")


def test_special_tokens_beside_a_template() -> None:
    template = jinja.load(str(OWN / "beside" / "chat_template.jinja"))
    assert write(template, {"messages": [user()]})[2].text == "<of-the-config>hi</of-the-map>"


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("a.json", "{", "not JSON"),
        ("a.json", "[]", "not a JSON object"),
        ("a.json", '{"bos_token": "<s>"}', "has no 'chat_template'"),
        ("a.jinja", "{% for %}", "not a chat template: line 1"),
        ("a.jinja", "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}", "not a chat template: line 1: .* nested too deeply"),
    ],
)
def test_files_that_hold_no_template(tmp_path: Path, name: str, text: str, why: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FileError, match=why):
        jinja.load(str(tmp_path / name))


def test_a_variable_that_the_file_does_not_have_is_named(tmp_path: Path) -> None:
    (tmp_path / "t.jinja").write_text(
        "{% set own = 1 %}{{ bos_token }}{{ messages | length }}{{ tools }}{% if thinking is defined %}{{ own }}{% endif %}"
    )
    file = FIXTURES / "conversations.jsonl"
    given = {"thinking": 1, "thinkng": 1, "own": 1, "bos_token": "<s>", "tools": []}
    command = ["render", file, "--chat-template", "t.jinja", "--template-kwargs", json.dumps(given)]
    run = toolconv(*command, cwd=tmp_path)
    message = "template t.jinja has no variable {!r}: it has bos_token, thinking"
    unknown = [message.format(name) for name in ("thinkng", "own", "tools")]
    assert [line for line in run.err.splitlines() if "has no variable" in line] == unknown


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="No such file"):
        jinja.load(str(tmp_path / "absent.jinja"))


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jinja, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"toolconv\[jinja\]"):
        jinja.load(str(OWN / "chatml.jinja"))


# ── hostile templates ──


@pytest.mark.parametrize(
    "expression",
    [
        "''.__class__.__mro__",
        "messages.append(1)",
        "messages[0].update({'content': 'x'})",
        "cycler.__init__.__globals__",
        "namespace(_x=1)",
        "('' | attr('__class__'))()",
    ],
)
def test_the_sandbox_holds(tmp_path: Path, expression: str) -> None:
    template = inline(tmp_path, f"{{{{ {expression} }}}}")
    with pytest.raises(RenderError, match="raises"):
        write(template, {"messages": [user()]})


LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
TWICE = "{% macro m(n) %}{% if n %}{{ m(n - 1) ~ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}"


DOUBLED = (
    "{% set all = namespace(text='ab') %}{% for n in range(40) %}{% set all.text = all.text + all.text %}{% endfor %}"
)


@pytest.mark.parametrize(
    ("source", "limit"),
    [
        (LOOP, "more than 0.05 seconds of processor time"),
        (TWICE, "more than 0.05 seconds of processor time"),
        ("{{ 'x' * 10**9 }}", "more than 1,000 characters"),
        ("{{ 10**(10**9) }}", "more than 4096 bits"),
        ("{{ 2**2049 }}", "more than 4096 bits"),
        ("{{ ('x' * 1001) | length }}", "more than 1,000 characters"),
        ("{{ 'a' | center(3000000000) | length }}", "more than 256 MB of memory"),
        ("{{ '\\t'.expandtabs(1500000000) | length }}", "more than 256 MB of memory"),
        (DOUBLED, "more than 256 MB of memory"),
        (
            "{% for n in range(9999) %}{% set texts = ([1] * 999) | map('string') | list %}{% endfor %}",
            "more than 0.05 seconds of processor time",
        ),
        ("{% for a in range(2000) %}x{% endfor %}", "more than 1,000 characters"),
    ],
)
def test_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, limit: str) -> None:
    monkeypatch.setattr(sandbox, "SECONDS", 0.05 if "seconds" in limit else 60)
    monkeypatch.setattr(sandbox, "MEMORY", 1 << 28)
    monkeypatch.setattr(sandbox, "CHARACTERS", 1000)
    with pytest.raises(FileError, match=limit):
        inline(tmp_path, source)
    template = inline(tmp_path, f"{{% if messages[0].content == 'go' %}}{source}{{% endif %}}")
    with pytest.raises(RenderError, match=limit):
        write(template, {"messages": [user("go")]})


def test_what_is_just_within_the_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "CHARACTERS", 1000)
    template = inline(tmp_path, "{{ messages[0].content }} {{ 2**2048 > 1 }} {{ ('x' * 1000) | length }}")
    assert write(template, {"messages": [user("go")]})[2].text == "go True 1000"


def spin(request: float) -> str:
    """Use as much processor time as is asked for."""
    end = time.process_time() + request
    while time.process_time() < end:
        pass
    return "done"


@pytest.mark.exhaustive
def test_renders_that_belong_together_share_one_limit() -> None:
    child = Child(spin, seconds=0.4, memory=1 << 28)
    try:
        assert [child.ask(0.15) for _ in range(4)] == ["done"] * 4
        with pytest.raises(OutOfTime), child.together():
            for _ in range(4):
                child.ask(0.15)
        with child.together():
            assert child.ask(0.15) == "done"
    finally:
        child.end()


def test_ids_that_a_template_demands_in_nine_characters_are_a_repair(tmp_path: Path) -> None:
    """As Mistral's templates raise at other ids."""
    source = (
        "{% for m in messages %}[{{ m.role }}]{{ m.content or '' }}"
        "{% for c in m.tool_calls or [] %}{% if c.id|length != 9 %}{{ raise_exception('Tool call IDs must be 9') }}"
        "{% endif %}[CALL]{{ c.id }}{{ c.function.name }}{{ c.function.arguments|tojson }}{% endfor %}"
        "{% if m.role == 'tool' %}{{ m.tool_call_id }}{% endif %}[END]{% endfor %}{% if tools %}{{ tools|tojson }}{% endif %}"
    )
    file = tmp_path / "chat_template.jinja"
    file.write_text(source, encoding="utf-8")
    rows = []
    for given in ("call_0", "abcdefgh1"):
        call = {"id": given, "type": "function", "function": {"name": "f", "arguments": {}}}
        result = {"role": "tool", "tool_call_id": given, "content": "r"}  # of no call
        for said in ({"role": "assistant", "content": "", "tool_calls": [call]}, result):
            rows.append({"messages": [{"role": "user", "content": "q"}, said]})
    run = toolconv("render", "--chat-template", file, stdin="".join(json.dumps(row) + "\n" for row in rows))
    assert len(run.rows) == 4 and "call_id_format 2" in run.err, run.err
    assert ["abcdefgh1" in row["text"] for row in run.rows] == [False, False, True, True]


@exhaustive
def test_keys_of_a_call_stay_in_their_order(tmp_path: Path) -> None:
    """In a template that writes whole calls, as Granite's does; and rows of one form don't teach each other's order."""
    file = tmp_path / "chat_template.jinja"
    file.write_text("{% for m in messages %}{{ m.tool_calls | tojson if m.tool_calls else m.content }}{% endfor %}")
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": {"a": "x"}}},
        {"type": "function", "function": {"arguments": {"a": "y"}, "name": "g"}, "id": "c2"},
        {"function": {"name": "h", "arguments": {"a": "z"}}, "id": "c3", "type": "function"},
    ]
    rows_in = [
        {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "", "tool_calls": [call]}]}
        for call in calls * 3
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows_in)
    run = toolconv("render", "--from-layout", "canonical", "--chat-template", str(file), stdin=text)
    assert [row["text"] for row in run.rows] == [f"q[{json.dumps(call)}]" for call in calls * 3]


@pytest.mark.parametrize(
    ("keys", "text"), [({"reasoning_content": ""}, "[]a."), ({"reasoning_content": "Hm"}, "[Hm]a."), ({}, "a.")]
)
def test_empty_reasoning_is_reasoning_to_a_template_that_asks_for_the_key(
    tmp_path: Path, keys: dict[str, str], text: str
) -> None:
    file = tmp_path / "t.jinja"
    file.write_text(
        "{% for m in messages %}{% if m.reasoning_content is defined %}[{{ m.reasoning_content }}]{% endif %}"
        "{{ m.content }}.{% endfor %}",
        encoding="utf-8",
    )
    row = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a", **keys}]}
    assert toolconv("render", "--chat-template", file, stdin=json.dumps(row) + "\n").rows[0]["text"] == f"q.{text}"
