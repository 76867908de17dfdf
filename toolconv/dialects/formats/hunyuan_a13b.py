"""Hunyuan-A13B: one JSON list in ``<tool_calls>`` tags; the dense Hunyuan models: a name and a fence per call.

An answer without calls begins with ``助手：``. With reasoning, answer and calls are in ``<answer>`` tags. Both are
removed when reading and added when writing. ``hunyuan_dense`` is the body of the 0.5B to 7B models, read under either
name: ``<tool_calls><tool_call>name``, the arguments in a JSON fence, ``</tool_call></tool_calls>``. ``<tool_call>``
tags around JSON are read as ``hermes``.

Source: tencent/Hunyuan-A13B-Instruct and tencent/Hunyuan-7B-Instruct chat templates; vLLM ``hunyuan_a13b``.
"""

from __future__ import annotations

from collections.abc import Sequence

from toolconv.core.tool_call import ToolCall
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import QWEN_TOOLS, ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.name_then_json import NameThenJson
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning

ASSISTANT = "助手："
ANSWER = ("<answer>\n", "\n</answer>")
EXAMPLE = (
    '<tool_calls>[{"name": "func_name1", "arguments": {"argument1": "value1", "argument2": "value2"}},...]</tool_calls>'
)
EXPERT = (
    "你是一位函数组合专家。你会得到一个问题和一组可能的函数。根据问题，你需要进行一个或多个函数/工具调用以实现目的。\n"
    "如果没有一个函数可以使用，请直接使用自然语言回复用户，以助手：开头。\n"
    "如果给定的问题缺少函数所需的参数，请使用自然语言进行提问，向用户询问必要信息，以助手：开头。\n"
    "如果调用结果已经足够回答用户问题，请对历史结果进行总结，使用自然语言回复用户，以助手：开头。\n"
    "你应该只在工具调用部分返回函数调用。如果你决定调用任何函数，你必须将其格式化为"
    f"{EXAMPLE}。你不应该在回复中包含任何其他文本。以下是你可以调用的函数列表，格式为JSON。"
)
"""The text before the tools: what to do with them, and when to answer in words."""
CALL_RULE = f"如果你决定返回函数调用，请将其格式化为{EXAMPLE}，不得包含其他文本。"
FORMAT_RULE = "如果额外要求里有格式要求，请忽略，以此处为准。"
"""What the template adds to it after a system text."""
ANSWER_RULE = "否则，请参考开头说的三种情况，以助手：开头进行回复。"
RULES = f"{CALL_RULE}\n{ANSWER_RULE}"
"""The text after the tools."""
SYSTEM_APART = "\n\n额外要求：\n"
HUNYUAN_THINK = Reasoning(after="\n</think>\n")
HUNYUAN_TOKENS = (*TURN_TOKENS, "<|eos|>", "<|extra_0|>")


class HunyuanA13B(JsonBlocks):
    """The list, with the texts that begin an answer."""

    def render_turn(self, content: str, reasoning: str | None, calls: Sequence[ToolCall]) -> str:
        if reasoning:
            body = content + self.render(calls)
            return self.reasoning.render(reasoning) + ANSWER[0] + body + ANSWER[1]
        return super().render_turn(content, None, calls) if content or calls else ""


A13B = HunyuanA13B(
    name="hunyuan_a13b",
    models=("Hunyuan-A13B-Instruct",),
    sample='<tool_calls>[{"name": "get_weather", "arguments": {"city": "Tokyo"}}]</tool_calls>',
    reasoning=HUNYUAN_THINK,
    turn_tokens=HUNYUAN_TOKENS,
    calls=CallTemplate(
        '{"name": {name|json}, "arguments": {args}}',
        before="<tool_calls>[",
        between=", ",
        after="]</tool_calls>",
        turn_without_calls=f"{ASSISTANT}{{prose}}",
    ),
    fallback_dialects=("hunyuan_dense", "hermes"),
    listed=True,
    prose_tags=(ANSWER, ("<answer>", "</answer>"), (ASSISTANT, "")),
    chat=ChatFormat(
        tools_open=f"{EXPERT}\n\n[",
        tools_between=", ",
        tools_close=f"]\n\n{RULES}",
        words=(FORMAT_RULE, ANSWER_RULE),
        tools_first=True,
        tools_apart=SYSTEM_APART,
        response_role="tool",
        response="<tool_response>{content}</tool_response>",
        one_turn=False,
    ),
)

DENSE = NameThenJson(
    name="hunyuan_dense",
    models=("Hunyuan-0.5B, 1.8B, 4B, 7B-Instruct",),
    sample='<tool_calls><tool_call>get_weather\n```json\n{"city": "Tokyo"}\n```</tool_call></tool_calls>',
    reasoning=HUNYUAN_THINK,
    turn_tokens=HUNYUAN_TOKENS,
    calls=CallTemplate(
        "<tool_call>{name}\n```json\n{args}\n```</tool_call>",
        before="<tool_calls>",
        between="\n",
        after="</tool_calls>",
    ),
    fences=True,
    chat=ChatFormat(
        tools_open=QWEN_TOOLS,
        tools_close="\n</tools>\n\nFor function call returns, you should first print <tool_calls>"
        "For each function call, you should return object like:\n<tool_call>function_name\n```json\n"
        "function_arguments_in_json_format\n```</tool_call>"
        "At the end of function call returns, you should print </tool_calls>",
        response_role="tool",
        response="<tool_response>{content}</tool_response>",
        responses_open="<tool_responses>",
        responses_close="</tool_responses>",
        one_turn=True,
    ),
)

DIALECTS = (A13B, DENSE)
