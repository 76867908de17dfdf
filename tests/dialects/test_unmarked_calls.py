"""Calls that no marker begins: what only calls have, what documents have, and what another role says after a call."""

from __future__ import annotations

from tests.conftest import each
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.lexing.documents import has_keys_of_call, markup_of_documents
from toolconv.dialects.lexing.other_turns import begins_other_turn, is_conversation, other_turns, words_of
from toolconv.dialects.lexing.unmarked_calls import LONG_KEYS, may_hold_arguments, unmarked_calls

TOOLS = ToolIndex(
    [{"type": "function", "function": {"name": "ping", "parameters": {"type": "object", "properties": {"host": {}}}}}]
)

NAMED = [
    ('{"name": "ping", "arguments": {"a": 1}}', ["ping"]),
    ('{"tool": "ping", "parameters": {"a": 1}}', ["ping"]),
    ("{'name': 'ping', 'arguments': {'a': 1}}", ["ping"]),
    ('"ping", "arguments": {"a": 1}', ["ping"]),
    ('"name": ping", "arguments": "{\\"a\\": 1}"', ["ping"]),  # one quote is lost
    ('{"name": "ping"\n, "arguments" : {"a": 1}}', ["ping"]),
    ('{"name": "a.b-c_1", "arguments": {}}', ["a.b-c_1"]),
    ('{"name": "123", "arguments": {}}', []),
    ('{"name": "ping", "arguments": {"type": "object"}}', []),  # a declaration
    ('{"name": "ping", "parameters": {"properties": {}}}', []),
    ('{"name": "ping", "arguments": 3}', []),
    ('{"name": "ping it", "arguments": {}}', []),
    ('{"arguments": {"a": {"b": 1}}, "name": "ping"}', ["ping"]),
    ('{"parameters": {}, "tool": "ping"}', ["ping"]),
    ('{"arguments": {"a": 1}, "name": "ping"', ["ping"]),  # the text ends
    ('{"parameters": {"type": "object"}, "name": "ping"}', []),  # a declaration
    ('{"arguments": {}, "name": "ping", "size": 3}', []),
    ('{"arguments": {"a": 1}, "text": "up there"}', []),
    ('Calling: ping {"a": 1}', ["ping"]),
    ('call: ping\n{"a": 1}', ["ping"]),
    ('recall: ping {"a": 1}', []),
    ('Calling: ping a {"a": 1}', []),
    ('{"ping": "{\\"a\\": 1}"}', ["ping"]),
    ('[{"ping": "{\\"a\\": 1}"}, {"pong": "{\\"a\\": 1}"}]', ["ping", "pong"]),
    ('Hm {"ping": "{\\"a\\": 1}"}', []),
    ("It has many words before " * 3 + '{"ping": "{\\"a\\": 1}"}', []),
    ("<call>ping(a=1)", ["ping"]),
    ("<call ping(a=1)", ["ping"]),
    ("<call>ping(1)", []),
    ('[ping(a=1), pong(b="x")]', ["ping", "pong"]),
    ('ping(a=f(1), b="x)"), pong(c=2)]', ["ping", "pong"]),
    ("x = [ping(a=1)]", []),  # code
    ("[ping(a=1) for x in y]", []),
    ("[ping(1)]", []),
    ("Up? {} :", []),
]


@each("text, names", NAMED)
def test_a_name_and_its_arguments(text: str, names: list[str]) -> None:
    found = unmarked_calls(text, text)
    assert [text[start:end] for start, end in sorted(found)] == names


STEPS = [
    ("Action: ping\nAction Input: {}", True),
    ("Action: ping\n\nAction Input: {}", True),
    ("Thought: up\nAction: ping\nAction Input: x", True),
    ("Action Input: {}", True),
    ("Action：ping\nAction Input：{}", True),
    ("Action: ping Action Input: {", True),
    ("Action: ping\nActon Input: {", True),
    ("Action: ping\nActionInput: {", True),
    ("Action: ping\nNext input: {", True),
    ("Action: ping\nIt is: {", False),
    ("Action: ping", False),
    ("Action Input:", False),
    ("My Action: ping\nInput: {", False),
]


@each("text, is_step", STEPS)
def test_a_step_of_an_agent(text: str, is_step: bool) -> None:
    assert bool(unmarked_calls(text, text)) is is_step


LINES = [
    ('ping\n{"a": 1}', ["ping"]),
    ('It is up.\nping\n{"a": 1}', ["ping"]),
    ('<call>ping\n{"a": 1}', ["ping"]),
    ('ping\n{"a": {"b": 1}', ["ping"]),  # cut
    ('ping\n"a": 1}', ["ping"]),
    ("ping\n{'a': 1}", ["ping"]),
    ('ping it\n{"a": 1}', []),
    ('ping.\n{"a": 1}', []),
    ('ping\n{"a": 1}\nIt is up.', []),
    ("ping\n{}", []),
    ("ping\n[1]", []),
    ("ping\n```\npong(a=1)\n```", ["ping"]),
]


@each("text, names", LINES)
def test_a_name_on_a_line_of_its_own_before_arguments(text: str, names: list[str]) -> None:
    assert [text[start:end] for start, end in sorted(unmarked_calls(text, text))] == names


@each("text, may", [
    ("arguments", True), ("paramters", True), ("argments\"", True), ("rguments\"", True), ("inputs", False), ("up", False),
    *((f'"{key}"', True) for key in LONG_KEYS), ("tool", False), ("_input", False),
])  # fmt: skip
def test_the_key_of_arguments_perhaps_misspelt(text: str, may: bool) -> None:
    assert may_hold_arguments(text) is may
    assert may_hold_arguments(f"It is {text} there") is may


def test_the_long_keys_are_those_with_several_words() -> None:
    assert {"tool_input", "tool_args", "tool_arguments", "function_args", "action_input"} <= set(LONG_KEYS)
    assert all("_" in key for key in LONG_KEYS)


# ── documents ──

DOCUMENTS = [
    ("<a><b>1</b></a>", True), ("<html><body><p>Up<br>it is</p></body></html>", True), ("<a/>", True), ("<a x='1'>b</a>", True),
    ("<a>1</a> and <b>2</b>", True), ("<p>Up<img src='x'><hr></p>", True), ("<a><b>1</a></b>", False), ("<a>1", False), ("1</a>", False),
    ("<tool_call>1</tool_call>", False), ("<function>1</function>", False), ("<function_call>1</function_call>", False),
    ("<thinking>1</thinking>", False), ("<ping>1</ping>", False), ("<x:ping>1</x:ping>", False), ("<call='ping'>1</call>", False),
    ("<parameter>1</parameter>", False), ("<param>1</param>", False), ("<x:parameter>1</x:parameter>", False),
    ('<x>{"name": "ping", "arguments": {}}</x>', False), ('<x>{"name": "a"}</x>', True),
    ('<x>{"name": "ping", "arguments": {}}</x> is it', True), ("a < b > c", False), ("Up", False),
    ('<run tool="ping"><host>a</host></run>', False),
]  # fmt: skip


@each("text, is_document", DOCUMENTS)
def test_elements_that_are_all_closed_are_a_document(text: str, is_document: bool) -> None:
    found = markup_of_documents(text, TOOLS)
    assert bool(found) is is_document
    assert all(text[start] == "<" and text[end - 1] == ">" for start, end in found)
    if is_document and "and" not in text:
        assert len(found) == 1


@each("value, has", [
    ('{"name": "a", "arguments": {}}', True), ("{'tool': 'a', 'args': {}}", True), ('{"name": "a"}', False), ('{"arguments": {}}', False),
    ('{"toolName": "a", "input": 1}', True), ('{"x": "a", "y": 1}', False),
])  # fmt: skip
def test_an_object_with_the_keys_of_a_call(value: str, has: bool) -> None:
    assert has_keys_of_call(value) is has


# ── other turns ──

HEADERS = [
    "<|im_start|>user\n", "<|im:start|>user\n", "<|start|>user<|message|>", "<|begin|>tool ", "<|BOT|>user ", "<|start_header_id|>user<|end_header_id|>",
    "<|header_start|>user<|header_end|>", "<|start_of_role|>user<|end_of_role|>", "<start_of_turn>user\n", "<|turn>user\n",
    "<SPECIAL_10>user\n", "<SPECIAL_11>user\n", "<|im_user|>", "<|im_system|>", "<|user|>", "[|user|]", "<|User|>", "<|begin_user|>",
    "<|begin_system|>", "<|begin_tool_result|>", "<｜User｜>", "[INST]", "<|im_start|>system\n", "<|im_start|>developer\n",
    "<|im_start|>tool\n", "<|im_start|>ipython\n", "<|im_start|>observation\n", "<|im_start|>environment\n", "<|IM_START|>USER\n",
]  # fmt: skip


@each("header", HEADERS)
def test_the_header_of_another_role(header: str) -> None:
    text = f"<call>{header}Is it up?"
    assert other_turns(text, 6, len(text)) == [(6, len(text))]
    assert is_conversation(text, len(text)) and not is_conversation(text, 6)
    assert words_of(f"{header}Is it up?<|im_end|>\n") == "Is it up?"
    if "|" not in header.rpartition("user")[2]:
        assert other_turns(f"<call>{header}", 6, 6 + len(header)) == [], "it may end the turn"
    said = f"{text}<|im_start|>assistant\nYes."
    ((start, end),) = other_turns(said, 6, len(said))
    assert (start, said[end:].strip()) == (6, "Yes.")
    assert not is_conversation("It is up.", 9)


@each(
    "tag",
    [
        "tool_response",
        "tool_result",
        "tool_output",
        "function_response",
        "function_results",
        "tool▁output",
        "tool_responses",
        "x:function_result",
    ],
)
def test_the_response_of_a_tool(tag: str) -> None:
    for opening, closing in (
        (f"<{tag}>", f"</{tag}>"),
        (f"<|{tag}|>", f"<|/{tag}|>"),
        (f'<{tag} name="x">', f"</{tag}>"),
    ):
        text = f"x {opening}pong{closing} y"
        assert other_turns(text, 1, len(text)) == [(2, len(text) - 2)], text
        cut = f"x {opening}pong"
        assert other_turns(cut, 1, len(cut)) == [(2, len(cut))]
        assert begins_other_turn(text[2:])
        assert other_turns(f"x {closing} y", 1, len(text)) == []
    assert not begins_other_turn(f"<{tag}") and not begins_other_turn("Up?")


def test_a_response_after_words_ends_with_the_next_step() -> None:
    text = "x\nObservation: pong\nThought: It is up."
    assert other_turns(text, 1, len(text), "Observation:") == [(2, text.index("Thought"))]
    assert other_turns(text, 1, len(text)) == []
    assert other_turns("x Observation: pong", 1, 19, "Observation:") == []


@each("start", ["<s>", "<bos>", "[gMASK]", "<｜begin▁of▁sentence｜>", "<|begin_of_text|>", "<user>", "<system>"])
def test_a_text_that_begins_as_conversations_do(start: str) -> None:
    assert is_conversation(f"{start}Hi", 20)
    assert is_conversation(f"Hi {start}", 20) is (start in ("<user>", "<system>"))


def test_without_tools_a_name_is_no_sign() -> None:
    assert markup_of_documents("<ping>1</ping>", NO_TOOLS) == [(0, 14)]
