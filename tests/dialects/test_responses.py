"""A user's turn that is the result of a call becomes the message of the tool, whatever family's markup it is in."""

from __future__ import annotations

import json
from typing import Any, Final

from tests.conftest import each
from toolconv import Options, Receipt, convert_rows, dialects

RESULT: Final = '{"temp": 3}'
CALLS: Final = {
    "hermes": '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
    "mistral": '[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}',
    "llama3_json": '{"name": "get_weather", "parameters": {"city": "Oslo"}}',
    "pythonic": '[get_weather(city="Oslo")]',
    "react": 'Thought: I look.\nAction: get_weather\nAction Input: {"city": "Oslo"}',
}
TOOLS: Final = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
        },
    }
]
TAGGED: Final = (
    "<tool_response>\n{}\n</tool_response>",
    "<tool_response>{}</tool_response>",
    '<tool_response name="get_weather">\n{}\n</tool_response>',
    "<tool_result>\n{}\n</tool_result>",
    "<tool_output>{}</tool_output>",
    "<tool_call_result>{}</tool_call_result>",
    "<function_response>\n{}\n</function_response>",
    "<function_result>{}</function_result>",
    "<observation>{}</observation>",
    "```tool_output\n{}\n```",
)
OF_FAMILIES: Final = (
    "anthropic_xml",
    "glaive",
    "hermes",
    "kimi_k2",
    "lfm2",
    "longcat_tags",
    "mistral",
    "react",
    "zaya",
)


def converted(call: str | None, *turns: str, role: str = "user") -> tuple[list[dict[str, Any]], Receipt]:
    """The messages of a row in OpenAI's layout; with no call in a text, it is a structured one."""
    made = {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
    asked = (
        {"role": "assistant", "content": call} if call else {"role": "assistant", "content": "", "tool_calls": [made]}
    )
    messages = [{"role": "user", "content": "Weather in Oslo?"}, asked]
    messages += [{"role": role, "content": turn} for turn in turns]
    row = {"messages": [*messages, {"role": "assistant", "content": "Three degrees."}], "tools": TOOLS}
    receipt = Receipt()
    (written,) = convert_rows([row], Options(to_layout="openai"), receipt=receipt)
    return written["messages"], receipt


def results(messages: list[dict[str, Any]]) -> list[Any]:
    return [message["content"] for message in messages if message["role"] == "tool"]


@each("call,form", [(call, form) for call in (None, *CALLS.values()) for form in TAGGED])
def test_a_result_in_tags(call: str | None, form: str) -> None:
    messages, receipt = converted(call, form.replace("{}", RESULT))
    assert results(messages) == [RESULT]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "assistant"]
    assert receipt.repairs["response_in_turn"] == (form not in TAGGED[:2] or call not in (None, CALLS["hermes"]))


@each("call,name", [(call, name) for call in (None, *CALLS.values()) for name in OF_FAMILIES])
def test_a_result_as_a_family_writes_it(call: str | None, name: str) -> None:
    chat = dialects.get(name).chat
    (turn,) = chat.write_responses([{"role": "tool", "tool_call_id": "c1", "name": "get_weather", "content": RESULT}])
    messages, _ = converted(call, turn["content"])
    assert [json.loads(content) for content in results(messages)] == [json.loads(RESULT)]


def test_two_results_in_one_turn_or_in_two() -> None:
    one, two = (f"<tool_result>{number}</tool_result>" for number in (1, 2))
    call = CALLS["mistral"]
    assert results(converted(call, f"{one}\n{two}")[0]) == ["1", "2"]
    assert results(converted(call, one, two)[0]) == ["1", "2"]


@each(
    "text",
    [
        "<tool_result>1</tool_result> What does it say?",
        "<tool_result>1",
        "(see) above",
        "[1] is no answer.",
        '{"output": 3}',
        "Tool results are below.",
    ],
)
def test_other_turns_stay_the_users(text: str) -> None:
    messages, receipt = converted(CALLS["hermes"], text)
    assert [message["role"] for message in messages] == ["user", "assistant", "user", "assistant"]
    assert messages[2]["content"] == text
    assert not receipt.repairs["response_in_turn"]


def test_what_follows_no_call_stays() -> None:
    messages, _ = converted("Which tags do you mean?", "<tool_result>1</tool_result>")
    assert [message["role"] for message in messages] == ["user", "assistant", "user", "assistant"]


def test_what_a_tool_itself_says_keeps_its_tags() -> None:
    text = "<results>\n<row>1</row>\n</results>"
    assert results(converted(CALLS["hermes"], text, role="tool")[0]) == [text]


@each("words", ("Tool result: ", "TOOL RESULT:\n", "Tool Result: ", "tool result: ", "Tool get_weather returned: "))
def test_a_result_in_json_after_words(words: str) -> None:
    for call in (None, *CALLS.values()):
        messages, receipt = converted(call, f"{words}{RESULT}\n")
        assert results(messages) == [RESULT]
        assert receipt.repairs["response_in_turn"] == 1


@each(
    "text",
    (
        f"Tool result: {RESULT}\nContinue.", "Tool result: three degrees", f"The tool result: {RESULT}", "Tool result: {",
        f"Tool get weather returned: {RESULT}", f"Tool results are: {RESULT}", "Tool result: 3",
    ),
)  # fmt: skip
def test_words_before_anything_else_stay_the_user_s(text: str) -> None:
    messages, receipt = converted(None, text)
    assert not results(messages) and not receipt.repairs["response_in_turn"]
    assert messages[2] == {"role": "user", "content": text}


@each(
    "text, result",
    [
        ('{"content": "x"}', {"content": "x"}),
        ('{"name": "f", "content": ["x"]}', {"name": "f", "content": ["x"]}),
        ('{"content": "x", "y": 1}', None),
        ('{"name": "f"}', None),
        ('{"content": 7}', None),
        ("[1]", None),
        ("x", None),
    ],
)
def test_a_result_of_longcat_is_an_object_with_a_content(text: str, result: dict[str, Any] | None) -> None:
    found = dialects.get("longcat").chat.read_responses("tool", text)
    assert found == (None if result is None else [{"role": "tool", **result}])
