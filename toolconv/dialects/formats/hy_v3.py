"""Hunyuan 3 and 4 (``hy_v3``, ``hy_v4``): GLM's pairs of ``<arg_key>`` and ``<arg_value>`` in ``<tool_calls>``.

One block holds all calls. Hy3 writes ``<tool_sep>`` after the name and a line break after every tag. Hy4 has no
``<tool_sep>`` and writes no white space. The tags of released models end in a suffix that their vocabulary fixes
(``<tool_call:opensource>``, ``<tool_call:6124c78e>``). Every suffix is read; a suffix is written only by the template
``hy3``, Hy3's own text. Values are verbatim: strings as they are, everything else as JSON. Without a schema, a string
that spells a number, a literal, a list or an object can't be distinguished from one. Keys can't hold ``<`` or a
line break.

Source: tencent/Hy3-preview and Hy3 chat templates; vLLM ``hy_v3``, ``hy_v4``.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import QWEN_TOOLS, ChatFormat
from toolconv.dialects.grammars.parameter_tags import TagSet
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning

TAG_NAME = lazy_re(r"(</?\w+)(?::\w+)?>")


def chat(suffix: str) -> ChatFormat:
    """Hy3's system text and results, with a suffix in every tag."""
    return ChatFormat(
        tools_open=QWEN_TOOLS,
        tools_close=f"\n</tools>\n\nFor function call returns, you should first print <tool_calls{suffix}>\n"
        f"For each function call, you should return object like:\n<tool_call{suffix}>{{function-name}}"
        f"<tool_sep{suffix}>\n<arg_key{suffix}>{{arg-key-1}}</arg_key{suffix}>\n"
        f"<arg_value{suffix}>{{arg-value-1}}</arg_value{suffix}>\n"
        f"<arg_key{suffix}>{{arg-key-2}}</arg_key{suffix}>\n"
        f"<arg_value{suffix}>{{arg-value-2}}</arg_value{suffix}>\n...\n</tool_call{suffix}>\n"
        f"At the end of function call returns, you should print </tool_calls{suffix}>",
        response_role="tool",
        response=f"<tool_response{suffix}>\n{{content}}\n</tool_response{suffix}>",
        responses_open=f"<tool_responses{suffix}>\n",
        responses_close=f"\n</tool_responses{suffix}>",
        one_turn=True,
    )


class HunyuanV3(XmlParameters):
    """Tags that may end in any suffix."""

    @cached_property
    def tags(self) -> TagSet:
        kinds = (((any_suffix(open_), any_suffix(close)) for open_, close in pairs) for pairs in super().tags)
        return TagSet(*(tuple(dict.fromkeys(pairs)) for pairs in kinds))


def any_suffix(tag: str) -> str:
    """The pattern of a tag with any suffix."""
    return TAG_NAME.sub(r"\1{suffix}>", tag)


def call_template(suffix: str) -> CallTemplate:
    """The calls of Hy3, with a suffix in every tag."""
    return CallTemplate(
        f"<tool_call{suffix}>{{name}}<tool_sep{suffix}>\n{{params}}</tool_call{suffix}>",
        before=f"<tool_calls{suffix}>\n",
        between="\n",
        after=f"\n</tool_calls{suffix}>",
        param=f"<arg_key{suffix}>{{key}}</arg_key{suffix}>\n<arg_value{suffix}>{{value}}</arg_value{suffix}>\n",
    )


HY3 = HunyuanV3(
    name="hy_v3",
    aliases=("hunyuan", "hy3"),
    models=("Hy3-preview", "Hy3", "Hy-MT2"),
    sample="<tool_calls>\n<tool_call>get_weather<tool_sep>\n<arg_key>city</arg_key>\n<arg_value>Tokyo</arg_value>\n"
    "</tool_call>\n</tool_calls>",
    reasoning=Reasoning(before="<think>", after="</think>"),
    reasoning_name=r"think:\w{1,32}",
    turn_tokens=("<｜hy_eos｜>", "<｜hy_eos:opensource｜>", *TURN_TOKENS),
    calls=call_template(""),
    function_slips=(("<tool_call{suffix}>{name}\n", "</tool_call{suffix}>"),),
    chat=chat(""),
)

HY3_RELEASED = replace(
    HY3,
    calls=call_template(":opensource"),
    reasoning=Reasoning("<think:opensource>", "</think:opensource>", "<think:opensource>", "</think:opensource>"),
    chat=chat(":opensource"),
)
"""The tags of the released Hy3."""

HY4 = replace(
    HY3,
    name="hy_v4",
    aliases=("hy4",),
    models=("Hy4",),
    sample="<tool_calls><tool_call>get_weather<arg_key>city</arg_key><arg_value>Tokyo</arg_value></tool_call>"
    "</tool_calls>",
    calls=CallTemplate(
        "<tool_call>{name}{params}</tool_call>",
        before="<tool_calls>",
        after="</tool_calls>",
        param="<arg_key>{key}</arg_key><arg_value>{value}</arg_value>",
    ),
    functions=(("<tool_call>{name}<tool_sep>", "</tool_call>"),),
    function_slips=(),
    chat=replace(
        HY3.chat,
        tools_close="\n</tools>\n\nFor each function call, output the function name and arguments within the following "
        "format:\n<tool_calls><tool_call>{function-name}<arg_key>{arg-key-1}</arg_key>"
        "<arg_value>{arg-value-1}</arg_value>...</tool_call></tool_calls>",
    ),
)

DIALECTS = (HY3, HY4)
