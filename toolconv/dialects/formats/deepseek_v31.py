"""DeepSeek-V3.1: the token sections of V3 with a shorter body, ``name<｜tool▁sep｜>{…}``, no fence, calls end to end.

The same variants of the tokens are read as in ``deepseek_v3``, and so is V3's body. The prompt ends in ``<think>`` or
``</think>``, so the text begins with reasoning or without any.

The models' own chat template declares no tools. The wording is that of their model card and of vLLM's template.

Source: deepseek-ai/DeepSeek-V3.1 chat template and model card; vLLM and SGLang ``deepseek_v31``.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.declarations.headed_tools import HeadedTools
from toolconv.dialects.formats.deepseek_v3 import DeepSeek, variants
from toolconv.dialects.reading.turn_parser import Reasoning

TOOLS = HeadedTools("\n### {name}\nDescription: {description}\n\nParameters: {parameters}\n")

DIALECT = DeepSeek(
    name="deepseek_v31",
    aliases=("deepseekv31", "deepseek-v3.1"),
    models=("DeepSeek-V3.1", "DeepSeek-V3.1-Terminus"),
    sample="<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>"
    '{"city": "Tokyo"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    calls=CallTemplate(
        "<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{args}<｜tool▁call▁end｜>",
        before="<｜tool▁calls▁begin｜>",
        after="<｜tool▁calls▁end｜>",
    ),
    fallback_dialects=("hermes",),
    reasoning=Reasoning(before="<think>", after="</think>"),
    section_opens=variants("<｜tool▁calls▁begin｜>"),
    section_closes=variants("<｜tool▁calls▁end｜>"),
    opens=variants("<｜tool▁call▁begin｜>"),
    closes=variants("<｜tool▁call▁end｜>"),
    chat=ChatFormat(
        tools_open="## Tools\nYou have access to the following tools:\n",
        tools_between="",
        tools_close="\nIMPORTANT: ALWAYS adhere to this exact format for tool use:\n<｜tool▁calls▁begin｜>"
        "<｜tool▁call▁begin｜>tool_call_name<｜tool▁sep｜>tool_call_arguments<｜tool▁call▁end｜>"
        "{{additional_tool_calls}}<｜tool▁calls▁end｜>\n\nWhere:\n\n"
        "- `tool_call_name` must be an exact match to one of the available tools\n"
        "- `tool_call_arguments` must be valid JSON that strictly follows the tool's Parameters Schema\n"
        "- For multiple tool calls, chain them directly without separators or spaces\n",
        tool=TOOLS.write,
        read=TOOLS.read,
        bare_tools=True,
        response_role="tool",
        response="<｜tool▁output▁begin｜>{content}<｜tool▁output▁end｜>",
        responses_between="",
        one_turn=True,
    ),
)
