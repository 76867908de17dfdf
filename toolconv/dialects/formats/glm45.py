"""GLM-4.5 and 4.6 (``glm45``), GLM-4.7 and 5 (``glm47``): the name, then alternating ``<arg_key>`` and ``<arg_value>``.

Each call has one ``<tool_call>``. GLM-4.5 and 4.6 put every key and value on a separate line and a line break before
each call, with or without prose. GLM-4.7 and later write no white space at all. Either layout is read under both names,
and so is what some tools call ``glm45``: JSON in ``<tool_call>`` or after ``<|tool_call|>``. Values are verbatim:
strings as they are, everything else as JSON. Without a schema, a string that spells a number, a literal, a list or
an object can't be distinguished from one. Keys can't hold ``<`` or a line break.

Source: zai-org/GLM-4.5, GLM-4.6 and GLM-4.7 chat templates; vLLM ``glm45``, ``glm47``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toolconv.core.tool_call import ToolCall
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import QWEN_RESPONSE, ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning

TOOLS_OPEN = (
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n"
)
CALL_FORMAT = (
    "\n</tools>\n\nFor each function call, output the function name and arguments within the following XML format:\n"
)


class Glm(XmlParameters):
    """Arguments as pairs of a key tag and a value tag."""

    def render_turn(self, content: str, reasoning: str | None, calls: Sequence[ToolCall]) -> str:
        if reasoning and calls and not content:  # reasoning already separates the calls
            return self.reasoning.render(reasoning) + self.render(calls)
        return super().render_turn(content, reasoning, calls)


GLM45 = Glm(
    name="glm45",
    aliases=("glm", "glm4_moe", "hyperclovax_seed_think"),
    models=("GLM-4.5", "GLM-4.5-Air", "GLM-4.5V", "GLM-4.6", "GLM-4.6V", "HyperCLOVA X SEED Think 32B"),
    sample="\n<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Tokyo</arg_value>\n</tool_call>",
    separator="\n",
    calls=CallTemplate(
        "<tool_call>{name}\n{params}</tool_call>",
        param="<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n",
        between="\n",
        turn_without_prose="\n{calls}",
    ),
    reasoning=Reasoning(before="<think>", after="</think>\n"),
    turn_tokens=("<|observation|>", "<|user|>", *TURN_TOKENS),
    fallback_dialects=("qwen3_xml",),
    json=JsonBlocks(
        name="glm45",
        opens=("<tool_call>", "<|tool_call|>"),
        closes=("</tool_call>",),
        closing="optional",
        closed=("<tool_call>",),
        bare="never",
    ),
    chat=ChatFormat(
        tools_open=TOOLS_OPEN,
        tools_close=CALL_FORMAT
        + "<tool_call>{function-name}\n<arg_key>{arg-key-1}</arg_key>\n<arg_value>{arg-value-1}</arg_value>\n"
        "<arg_key>{arg-key-2}</arg_key>\n<arg_value>{arg-value-2}</arg_value>\n...\n</tool_call>",
        tools_first=True,
        response_role="observation",
        response=QWEN_RESPONSE,
        one_turn=True,
    ),
)

GLM47 = replace(
    GLM45,
    name="glm47",
    aliases=("glm5", "spark25", "spark3"),
    models=("GLM-4.7", "GLM-4.7-Flash", "GLM-5", "GLM-5.1", "GLM-5.2", "GLM-5.3", "Macaron V1", "Spark 2.5"),
    sample="<tool_call>get_weather<arg_key>city</arg_key><arg_value>Tokyo</arg_value></tool_call>",
    separator="",
    calls=CallTemplate(
        "<tool_call>{name}{params}</tool_call>", param="<arg_key>{key}</arg_key><arg_value>{value}</arg_value>"
    ),
    reasoning=Reasoning(before="<think>", after="</think>"),
    chat=ChatFormat(
        tools_open=TOOLS_OPEN,
        tools_close=CALL_FORMAT
        + "<tool_call>{function-name}<arg_key>{arg-key-1}</arg_key><arg_value>{arg-value-1}</arg_value>"
        "<arg_key>{arg-key-2}</arg_key><arg_value>{arg-value-2}</arg_value>...</tool_call>",
        tools_first=True,
        response_role="observation",
        response="<tool_response>{content}</tool_response>",
        responses_between="",
        one_turn=True,
    ),
)

DIALECTS = (GLM45, GLM47)
