"""How parts in the order of a format become messages: which begin another one, what is kept, and what counts as lost."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import each
from toolconv.core.notes import Notes
from toolconv.layouts.message_builder import MessageBuilder, joined, result_text, text_in
from toolconv.layouts.nested_json import LayoutError

CALL = {"id": "a", "type": "function", "function": {"name": "ping", "arguments": {}}}
OTHER = {"id": "b", "type": "function", "function": {"name": "pong", "arguments": {}}}
Step = tuple[Any, ...]


def built(steps: list[Step], *, recorded: bool = False) -> tuple[list[str], MessageBuilder]:
    """The messages that the methods of a builder make, in short; each step counts as one item of the row."""
    builder = MessageBuilder(recorded=recorded)
    for at, (method, *given) in enumerate(steps):
        builder.place = at
        getattr(builder, method)(*given)
    builder.end()
    return [short(message) for message in builder.messages], builder


def short(message: dict[str, Any]) -> str:
    reasoning = f"({message['reasoning_content']})" if "reasoning_content" in message else ""
    calls = "".join(f" {call['function']['name']}:{call['id']}" for call in message.get("tool_calls", ()))
    own = {"role", "content", "reasoning_content", "tool_calls", "tool_call_id"}
    rest = "".join(f" {key}={value}" for key, value in message.items() if key not in own)
    answered = f" >{message['tool_call_id']}" if "tool_call_id" in message else ""
    return f"{message['role'][0]}{reasoning} {message['content']}{calls}{answered}{rest}"


CASES: list[tuple[str, list[Step], list[str], list[int]]] = [
    ("a text", [("text", "x")], ["a x"], [0]),
    ("texts of one message", [("text", "x"), ("text", "y")], ["a x\n\ny"], [0]),
    ("an empty text", [("text", "")], ["a "], [0]),
    ("another speaker", [("text", "x"), ("text", "y", "user")], ["a x", "u y"], [0, 1]),
    ("a part that is no text", [("text", "x"), ("text", {"type": "image"})], ["a [{'type': 'text', 'text': 'x'}, {'type': 'image'}]"], [0]),
    ("calls of one message", [("call", CALL), ("call", OTHER)], ["a  ping:a pong:b"], [0]),
    ("a call without an id", [("call", {"type": "function", "function": {"name": "ping", "arguments": {}}})], ["a  ping:None"], [0]),
    ("prose before a call", [("text", "x"), ("call", CALL)], ["a x ping:a"], [0]),
    ("text after a call", [("call", CALL), ("text", "x")], ["a  ping:a", "a x"], [0, 1]),
    ("a call after a question", [("text", "x", "user"), ("call", CALL)], ["u x", "a  ping:a"], [0, 1]),
    ("results follow their calls", [("call", CALL), ("result", "a", None, "1"), ("call", OTHER), ("result", "b", None, "2")],
     ["a  ping:a pong:b", "t 1 >a", "t 2 >b"], [0, 1, 3]),
    ("text after a result", [("call", CALL), ("result", "a", None, "1"), ("text", "x")], ["a  ping:a", "t 1 >a", "a x"], [0, 1, 2]),
    ("a result alone", [("result", None, "ping", "1")], ["t 1 name=ping"], [0]),
    ("the keys of a message that holds a result alone", [("begin", "user", {"n": 1}), ("result", "a", None, "1")],
     ["u  n=1", "t 1 >a"], [0, 1]),
    ("a result with keys", [("result", "a", "", "1", {"is_error": True})], ["t 1 >a is_error=True"], [0]),
    ("a marked result", [("result", "a", None, "1"), ("result", "b", None, "2"), ("mark", {"weight": 0, "role": "x"})],
     ["t 1 >a weight=0", "t 2 >b"], [0, 1]),
    ("reasoning before a text", [("reasoning", "so"), ("text", "x")], ["a(so) x"], [0]),
    ("reasoning after a text", [("text", "x"), ("reasoning", "so")], ["a(so) x"], [0]),
    ("reasoning after a call", [("call", CALL), ("reasoning", "so")], ["a  ping:a", "a(so) "], [0, 1]),
    ("two thoughts", [("reasoning", "so"), ("reasoning", "then")], ["a(so\n\nthen) "], [0]),
    ("a thought with more than text", [("reasoning", "so", {"signature": "s"})], ["a(so)  thinking_blocks=[{'signature': 's'}]"], [0]),
    ("a thought of a trace after text", [("text", "x"), ("reason", "so"), ("text", "y")], ["a x", "a(so) y"], [0, 1]),
    ("a thought of a trace after blanks", [("text", " "), ("reason", "so")], ["a(so)  "], [0]),
    ("no thought", [("reason", "")], [], []),
    ("what others say", [("say", "system", "S"), ("say", "user", ["x", {"type": "text", "text": "y"}])], ["s S", "u x\n\ny"], [0, 1]),
    ("nothing said", [("say", "user", None)], ["u "], [0]),
    ("a message without content", [("begin", "assistant"), ("begin", "user")], ["a ", "u "], [0, 1]),
    ("a message of results alone", [("begin", "assistant"), ("result", "a", None, "1")], ["t 1 >a"], [1]),
    ("keys of a message", [("begin", "assistant", {"name": "Ann"}), ("text", "x")], ["a x name=Ann"], [0]),
    ("keys that are kept", [("text", "x"), ("keep", {"name": "Ann"})], ["a x name=Ann"], [0]),
    ("an invoked call", [("invoke", "a", "ping", "{}")], ["a  ping:a"], [0]),
    ("written text", [("write", "x"), ("write", [{"type": "text", "text": "y", "n": 1, "m": None}])], ["a x\n\ny n=1"], [0]),
]  # fmt: skip


@each("what, steps, messages, starts", CASES)
def test_messages_of_parts(what: str, steps: list[Step], messages: list[str], starts: list[int]) -> None:
    found, builder = built(steps)
    assert found == messages, what
    assert builder.starts == starts, what
    assert set(builder.notes.losses) <= {"content_parts"}
    assert builder.notes.losses.count("content_parts") == sum(text.count("\n\n") for text in found if "(" not in text)


def test_marks_hold_for_all_messages_of_an_item() -> None:
    builder = MessageBuilder()
    builder.begin("assistant", {"weight": 0, "name": "Ann"})
    builder.call(CALL)
    builder.text("x")
    builder.place = 1
    builder.call(OTHER)
    builder.text("y")
    builder.end()
    assert [short(message) for message in builder.messages] == [
        "a  ping:a weight=0 name=Ann",
        "a x pong:b weight=0",
        "a y",
    ]


@each("value, losses", [("Ann", []), ("Bob", ["part_keys"]), (None, ["part_keys"])])
def test_a_key_with_another_value_is_lost(value: Any, losses: list[str]) -> None:
    _, builder = built([("text", "x"), ("keep", {"name": "Ann"}), ("keep", {"name": value})])
    assert builder.notes.losses == losses
    assert builder.messages[0]["name"] == "Ann"


def test_a_role_that_is_no_text_is_an_error() -> None:
    with pytest.raises(LayoutError, match="role is not text: 7"):
        MessageBuilder().say(7, "x")


PARTS: list[tuple[str, list[Any], list[str], list[str], list[str], list[str]]] = [
    ("texts", [{"type": "text", "text": "x"}], ["a x"], [], ["a x"], []),
    ("an empty text", [{"type": "text", "text": ""}], ["a "], [], [], []),
    ("a call", [{"type": "tool_use", "id": "a", "name": "ping", "input": {}}], ["a  ping:a"], [], ["a  ping:a"], []),
    ("a call and its result", [{"type": "tool_use", "id": "a", "name": "ping", "input": {}}, {"type": "tool_result", "tool_use_id": "a", "content": "1"}],
     ["a  ping:a", "t 1 >a"], [], ["a  ping:a", "t 1 >a"], []),
    ("a thought", [{"type": "thinking", "thinking": "so"}, {"type": "text", "text": "x"}], ["a(so) x"], [], ["a(so) x"], []),
    ("a thought after a text", [{"type": "text", "text": "x"}, {"type": "thinking", "thinking": "so"}], ["a(so) x"], [], ["a x", "a(so) "], []),
    ("hidden reasoning", [{"type": "thinking", "thinking": "", "signature": "s"}],
     ["a  thinking_blocks=[{'type': 'thinking', 'thinking': '', 'signature': 's'}]"], [], [], ["hidden_reasoning"]),
    ("an image", [{"type": "image_url", "image_url": {"url": "u"}}], ["a [{'type': 'image_url', 'image_url': {'url': 'u'}}]"], [],
     ["a [{'type': 'image_url', 'image_url': {'url': 'u'}}]"], []),
]  # fmt: skip


@each("what, parts, messages, losses, of_trace, of_trace_losses", PARTS)
def test_messages_of_content_parts(
    what: str, parts: list[Any], messages: list[str], losses: list[str], of_trace: list[str], of_trace_losses: list[str]
) -> None:
    for recorded, expected, lost in ((False, messages, losses), (True, of_trace, of_trace_losses)):
        found, builder = built([("part", part, "assistant") for part in parts], recorded=recorded)
        assert (found, builder.notes.losses) == (expected, lost), (what, recorded)


def test_a_result_of_a_trace_ends_the_message() -> None:
    parts = [
        {"type": "tool_use", "id": "a", "name": "ping", "input": {}},
        {"type": "tool_result", "tool_use_id": "a", "content": "1"},
        {"type": "tool_use", "id": "b", "name": "pong", "input": {}},
    ]
    steps = [("part", part, "assistant") for part in parts]
    assert built(steps, recorded=True)[0] == ["a  ping:a", "t 1 >a", "a  pong:b"]
    assert built(steps)[0] == ["a  ping:a pong:b", "t 1 >a"]


# ── contents ──


@each(
    "content, text, losses",
    [
        (None, "", 0), ("x", "x", 0), ({"a": 1}, '{"a": 1}', 0), (7, "7", 0), ([], "[]", 0), ([1], "[1]", 0),
        ([{"type": "text", "text": "x"}], "x", 0), ([{"type": "text", "text": "x"}, {"type": "text", "text": "y"}], "x\n\ny", 1),
        ([{"text": "x"}], '[{"text": "x"}]', 0), ([{"type": "text", "text": None}], [{"type": "text", "text": None}], 0),
        ([{"type": "image", "a": 1}], [{"type": "image", "a": 1}], 0), ([{"type": "odd"}], '[{"type": "odd"}]', 0),
        ([{"type": "image"}, "x"], '[{"type": "image"}, "x"]', 0),
    ],
)  # fmt: skip
def test_the_text_of_a_result(content: Any, text: Any, losses: int) -> None:
    notes = Notes()
    assert result_text(content, notes) == text
    assert notes.losses == ["content_parts"] * losses


# Sources: the API references of OpenAI, Anthropic and the Model Context Protocol; vercel/ai, ``content-part.ts``.
@each(
    "kind",
    [
        "text",
        "image",
        "image_url",
        "input_text",
        "input_image",
        "output_text",
        "audio",
        "document",
        "file",
        "media",
        "resource",
        "resource_link",
        "image-data",
        "image-url",
        "file-data",
        "file-url",
    ],
)
def test_a_part_that_a_result_may_hold(kind: str) -> None:
    assert result_text([{"type": kind}], Notes()) == [{"type": kind}]
    assert result_text([{"type": f"x-{kind}"}], Notes()) == f'[{{"type": "x-{kind}"}}]'


@each("part, text", [("x", "x"), ({"text": "x"}, "x"), ({"type": "text", "text": "x"}, "x"), ({"type": "image", "text": "x"}, None), ({"text": 7}, None), (7, None)])  # fmt: skip
def test_the_text_of_a_part(part: Any, text: str | None) -> None:
    assert text_in(part) == text


def test_texts_are_joined() -> None:
    def make(parts: list[Any]) -> Any:
        return joined(parts, Notes())

    assert make([]) == "" and make(["x"]) == "x" and make(["x", "y", "z"]) == "x\n\ny\n\nz"
    assert make(["x", {"a": 1}]) == [{"type": "text", "text": "x"}, {"a": 1}]
