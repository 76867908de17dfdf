"""DeepSeek-V3.2, V4 and V4.1: ``<｜DSML｜invoke name="…">`` with typed parameters, all calls in one block.

The bars are U+FF5C; ASCII bars are read as well. The block follows a blank line, with or without prose.
``string="true"`` marks a value as text, ``"false"`` as JSON, so no schema is needed. Only if the schema admits no
string is a text read as the type in the schema. The three formats differ in the block's name (``function_calls``,
``tool_calls``, ``calls``) and in the space that V4.1 writes after the second bar. The self-closing
``<｜DSML｜invoke name="ping"/>`` and the block's other names in V4's output are read.

The formats lose only a string that looks like the other type its schema demands. Keys can't hold ``<`` or a line break.

Source: encoding_dsv32.py and encoding_dsv4.py of deepseek-ai/DeepSeek-V3.2 and V4; vLLM ``deepseek_v32``,
``deepseek_v4``, ``deepseek_v41``.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.parameter_tags import TagPair
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.reading.turn_parser import Reasoning


def template(block: str, blank: str = "") -> CallTemplate:
    """The calls of a version, given the name of its block and the space between bar and name."""
    tag = f"｜DSML｜{blank}"
    return CallTemplate(
        f'<{tag}invoke name="{{name}}">\n{{params}}\n</{tag}invoke>',
        before=f"<{tag}{block}>\n",
        between="\n",
        after=f"\n</{tag}{block}>",
        param=f'<{tag}parameter name="{{key}}" string="{{is_text}}">{{value}}</{tag}parameter>',
        param_between="\n",
        turn_without_prose="\n\n{calls}",
    )


def variant(block: str) -> TagPair:
    """The tags of a block under another name."""
    return (f"<｜DSML｜{block}>\n", f"\n</｜DSML｜{block}>")


def closed(blank: str = "") -> tuple[TagPair, ...]:
    """The tag of a call that closes itself; its closing tag is always missing."""
    return ((f'<｜DSML｜{blank}invoke name="{{name}}"/>', f"\n</｜DSML｜{blank}invoke>"),)


def call_format(block: str, blank: str = "", name: str = "$TOOL_NAME") -> str:
    """The example of a block in the system text."""
    tag = f"｜DSML｜{blank}"
    return (
        f'<{tag}{block}>\n<{tag}invoke name="{name}">\n'
        f'<{tag}parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</{tag}parameter>\n...\n'
        f'</{tag}invoke>\n<{tag}invoke name="{name}2">\n...\n</{tag}invoke>\n</{tag}{block}>'
    )


def v4_chat(block: str, blank: str = "") -> ChatFormat:
    """V4's system text and results."""
    return ChatFormat(
        tools_open="## Tools\n\nYou have access to a set of tools to help answer the user's question. You can invoke "
        f'tools by writing a "<｜DSML｜{blank}{block}>" block like the following:\n\n{call_format(block, blank)}\n\n'
        'String parameters should be specified as is and set `string="true"`. For all other types (numbers, booleans, '
        'arrays, objects), pass the value in JSON format and set `string="false"`.\n\nIf thinking_mode is enabled '
        "(triggered by <think>), you MUST output your complete reasoning inside <think>...</think> BEFORE any tool "
        "calls or final response.\n\nOtherwise, output directly after </think> with tool calls or final response.\n\n"
        "### Available Tool Schemas\n\n",
        tools_close="\n\nYou MUST strictly follow the above defined tool name and parameter schemas to invoke tool "
        "calls.\n",
        bare_tools=True,
        response="<tool_result>{content}</tool_result>",
        responses_between="\n\n",
        response_role="user",
        one_turn=True,
    )


V32 = XmlParameters(
    name="deepseek_v32",
    aliases=("deepseekv32",),
    models=("DeepSeek-V3.2", "DeepSeek-V3.2-Exp", "DeepSeek-V3.2-Speciale"),
    sample='\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" '
    'string="true">Tokyo</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    calls=template("function_calls"),
    separator="\n\n",
    reasoning=Reasoning(before="<think>", after="</think>"),
    functions=closed(),
    chat=ChatFormat(
        tools_open="## Tools\nYou have access to a set of tools you can use to answer the user's question.\n"
        'You can invoke functions by writing a "<｜DSML｜function_calls>" block like the following as part of your '
        f"reply to the user:\n{call_format('function_calls', name='$FUNCTION_NAME')}\n"
        "String and scalar parameters should be specified as is without any escaping or quotes, while lists and "
        'objects should use JSON format. The "string" attribute should be set to "true" for string type parameters '
        'and "false" for other types (numbers, booleans, arrays, objects).\n'
        "If the thinking_mode is enabled, then after function results you should strongly consider outputting a "
        "thinking block. Here is an example:\n<｜DSML｜function_calls>\n...\n</｜DSML｜function_calls>\n"
        "<function_results>\n...\n</function_results>\n<think>...thinking about results</think>\n"
        "Here are the functions available in JSONSchema format:\n<functions>\n",
        tools_close="\n</functions>\n",
        tools_first=True,
        tools_apart="",
        bare_tools=True,
        response_role="tool",
        response="<result>{content}</result>",
        responses_open="<function_results>\n",
        responses_close="\n</function_results>",
        one_turn=True,
    ),
)

V4 = replace(
    V32,
    name="deepseek_v4",
    aliases=("deepseekv4",),
    models=("DeepSeek-V4", "DeepSeek-V4-Flash"),
    sample=V32.sample.replace("function_calls", "tool_calls"),
    chat=v4_chat("tool_calls"),
    calls=template("tool_calls"),
    wrappers=(variant("toolcalls"), variant("tool")),
)

V41 = replace(
    V32,
    name="deepseek_v41",
    aliases=("deepseekv41",),
    models=("DeepSeek-V4.1", "DeepSeek-V4.1-Flash"),
    sample=V32.sample.replace("function_calls", "calls").replace("DSML｜", "DSML｜ "),
    chat=v4_chat("calls", " "),
    calls=template("calls", " "),
    functions=closed(" "),
)

DIALECTS = (V32, V4, V41)
