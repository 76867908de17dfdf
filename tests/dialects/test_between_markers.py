"""A call is read in any usual form between any usual markers, and none of these is left or counted as another call."""

from __future__ import annotations

from typing import Any, Final

import pytest

from toolconv import dialects
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.turn_reader import TurnReader

TOOLS: Final = ToolIndex(
    [
        {
            "type": "function",
            "function": {
                "name": "get_weather",
                "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
            },
        }
    ]
)
CALL: Final = ("get_weather", {"city": "Oslo"})
ARGUMENTS: Final = '{"city": "Oslo"}'
PLAIN: Final = f'{{"name": "get_weather", "arguments": {ARGUMENTS}}}'
WRAPPED: Final = f'{{"type": "function", "function": {PLAIN}}}'
JSON: Final = {
    "plain": PLAIN,
    "comma": PLAIN.replace("}}", ",}}"),
    "python": PLAIN.replace('"', "'"),
    "arguments first": f'{{"arguments": {ARGUMENTS}, "name": "get_weather"}}',
    "text": PLAIN.replace(ARGUMENTS, '"{\\"city\\": \\"Oslo\\"}"'),
    "function": WRAPPED,
    "function, comma": WRAPPED.replace("}}}", ",}}}"),
    "function, python": WRAPPED.replace('"', "'"),
    "function, id": WRAPPED.replace('{"type"', '{"index": 0, "id": "c1", "type"', 1),
    "function, lines": WRAPPED.replace(", ", ",\n  ").replace("{", "{\n  "),
    "list": f"[{PLAIN}]",
    "list of functions": f"[{WRAPPED}]",
    "tool_calls": f'{{"tool_calls": [{WRAPPED}]}}',
    "tool_calls, plain": f'{{"tool_calls": [{PLAIN}]}}',
    "message": f'{{"role": "assistant", "content": null, "tool_calls": [{WRAPPED}]}}',
    "function_call": f'{{"function_call": {PLAIN}}}',
    "calls": f'{{"calls": [{PLAIN}]}}',
    "tool": f'{{"tool": {PLAIN}}}',
    "call": f'{{"call": {PLAIN}}}',
    "action": f'{{"action": {PLAIN}}}',
    "thought": PLAIN.replace('{"name"', '{"thought": "I look.", "name"'),
}
OF_DECLARED: Final = {
    "tool_use": f'{{"type": "tool_use", "id": "t1", "name": "get_weather", "input": {ARGUMENTS}}}',
    "parameters": PLAIN.replace("arguments", "parameters"),
    "flat": '{"name": "get_weather", "city": "Oslo"}',
    "flat tool": '{"tool": "get_weather", "city": "Oslo"}',
    "kwargs": f'{{"tool": "get_weather", "kwargs": {ARGUMENTS}}}',
    "action_input": f'{{"action": "get_weather", "action_input": {ARGUMENTS}}}',
}
TAGGED: Final = {
    "qwen": "<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>",
    "qwen, a line": "<function=get_weather><parameter=city>Oslo</parameter></function>",
    "invoke": '<invoke name="get_weather">\n<parameter name="city">Oslo</parameter>\n</invoke>',
    "function, JSON": f"<function=get_weather>{ARGUMENTS}</function>",
    "function name, JSON": f'<function name="get_weather">{ARGUMENTS}</function>',
    "react": f"Action: get_weather\nAction Input: {ARGUMENTS}",
}
MARKED: Final = {
    "hermes": f"<tool_call>\n{PLAIN}\n</tool_call>",
    "mistral": f"[TOOL_CALLS]get_weather[ARGS]{ARGUMENTS}",
    "harmony": f"<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{ARGUMENTS}<|call|>",
    **{
        name: dialects.get(name).render_turn("", None, [ToolCall(*CALL, "functions.get_weather:0")])
        for name in ("kimi_k2", "deepseek_v31", "gemma4", "glm45")
    },
}
PYTHON: Final = {
    "python": 'get_weather(city="Oslo")',
    "python list": '[get_weather(city="Oslo")]',
    "python, object": f"get_weather({ARGUMENTS})",
}
TAGS: Final = (
    "<tool_call>\n{}\n</tool_call>",
    "<tool_call>{}</tool_call>",
    "<tool_calls>\n{}\n</tool_calls>",
    "<tool_calls>\n<tool_call>\n{}\n</tool_call>\n</tool_calls>",
    "<function_call>\n{}\n</function_call>",
    "<function_calls>\n{}\n</function_calls>",
    "<toolcall>{}</toolcall>",
    "<tool_use>\n{}\n</tool_use>",
    "<minimax:tool_call>\n{}\n</minimax:tool_call>",
    "<|tool_call|>{}<|/tool_call|>",
    "<|tool_call|>{}<|end_tool_call|>",
    "[TOOL_CALL]{}[/TOOL_CALL]",
    "[TOOL_REQUEST]{}[END_TOOL_REQUEST]",  # of LM Studio, for models without a format of their own
    "<|tool_calls_section_begin|>{}<|tool_calls_section_end|>",
    "<start_function_call>{}<end_function_call>",
    "<|fn_start|>{}<|fn_end|>",  # of StarfleetAI/function-calling; like what follows, no family has it
    "<|begin_fn|>\n{}\n<|end_fn|>",
    "<|action|>{}<|/action|>",
    *(MADE_UP := ("<my_call>\n{}\n</my_call>", "[CALL]{}[/CALL]")),
)
IN_CODE: Final = ("<tool_call>\n```json\n{}\n```\n</tool_call>", "```\n{}\n```", "```json\n{}\n```")
OPENERS: Final = ("<functioncall> {}", "<|tool_call|>{}", "[TOOL_CALLS]{}", "<|fn|>{}")
BARE: Final = ("{}", "\n{}\n", "Sure.\n{}")
LEFT: Final = {"Sure.\n{}": "Sure."}
PARTS: Final = 7
"""Each test has every seventh of the texts: with other frames and other forms in each."""


def read(text: str, tools: ToolIndex, named: str | None) -> tuple[list[tuple[str, Any]], int, str]:
    found = TurnReader(named=None if named is None else dialects.get(named)).read(text, tools)
    return [(call.name, call.arguments) for call in found.calls], len(found.dropped), found.content.strip()


FRAMED: Final = [
    *((frame, form) for frame in (*TAGS, *OPENERS) for form in (*JSON.values(), *TAGGED.values(), *MARKED.values())),
    *((frame, form) for frame in TAGS if frame not in MADE_UP for form in PYTHON.values()),
    *((frame, form) for frame in BARE for form in (*TAGGED.values(), *MARKED.values())),
]
OF_TOOLS: Final = [
    *((frame, form) for frame in (*BARE, *IN_CODE) for form in (*JSON.values(), *PYTHON.values())),
    *((frame, form) for frame in IN_CODE for form in (*TAGGED.values(), *MARKED.values())),
    *((frame, form) for frame in (*TAGS, *OPENERS, *BARE, *IN_CODE) for form in OF_DECLARED.values()),
    *((frame, f'{{"get_weather": {ARGUMENTS}}}') for frame in TAGS),
]


def unread(cases: list[tuple[str, str]], tools: ToolIndex, named: str | None) -> list[str]:
    """The texts whose call is not read, or not alone."""
    texts = {frame.replace("{}", form): LEFT.get(frame, "") for frame, form in cases}
    return [text for text, left in texts.items() if read(text, tools, named) != ([CALL], 0, left)]


@pytest.mark.sweep(every=16)
@pytest.mark.parametrize("tools", [NO_TOOLS, TOOLS], ids=["", "tools"])
@pytest.mark.parametrize("named", [None, "hermes"])
@pytest.mark.parametrize("part", range(PARTS))
def test_a_call_is_read(part: int, named: str | None, tools: ToolIndex) -> None:
    assert unread(FRAMED[part::PARTS], tools, named) == []


@pytest.mark.sweep
@pytest.mark.parametrize("named", [None, "hermes"])
@pytest.mark.parametrize("part", range(PARTS))
def test_a_call_of_a_declared_tool_is_read(part: int, named: str | None) -> None:
    assert unread(OF_TOOLS[part::PARTS], TOOLS, named) == []
