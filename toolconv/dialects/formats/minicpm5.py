"""MiniCPM5: XML without a wrapper, ``<function name="f"><param name="k">v</param></function>``.

A line break separates calls from each other and from prose. A text that holds ``<``, ``&`` or a line break is in a
CDATA section. Entities are decoded in values that are well-formed XML and left unchanged in others. Values are written
as in Python (``True``, ``None``, ``{'a': 1}``); JSON is read as well. Without a schema, a string that spells a
number, a literal, a list or an object can't be distinguished from one. Keys can't hold ``<`` or a line break.

Source: openbmb/MiniCPM5-1B chat template; vLLM ``minicpm5``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import QWEN_RESPONSE, QWEN_TOOLS, ChatFormat
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.values.by_schema import Shape

CDATA = "<![CDATA["
ESCAPED = lazy_re(r"(?:[^<&]|&(?:lt|gt|amp|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)*")


class MiniCpm5(XmlParameters):
    """Values in CDATA sections or with entities."""

    def value_ends(self, text: str, at: int, key: str) -> tuple[str, ...]:
        ends = super().value_ends(text, at, key)
        return tuple(rf"\]\]>\s*(?:{end})" for end in ends) if text.startswith(CDATA, at) else ends

    def type_of(self, tag: Mapping[str, str], value: str, shape: Shape, repairs: list[str]) -> Any:
        if value.startswith(CDATA):
            value = value[len(CDATA) :]
        elif "&" in value and ESCAPED.fullmatch(value) and value.lstrip()[:1] not in ("{", "["):
            import html

            value = html.unescape(value)
        return shape.typed(value, repairs)


DIALECT = MiniCpm5(
    name="minicpm5",
    aliases=("minicpm4_xml",),
    models=("MiniCPM5",),
    sample='<function name="get_weather"><param name="city">Tokyo</param></function>',
    calls=CallTemplate(
        '<function name="{name}">{params}</function>',
        between="\n",
        param='<param name="{key}">{value|cdata}</param>',
    ),
    separator="\n",
    chat=ChatFormat(
        tools_open=QWEN_TOOLS.replace("You may call one or more functions to assist with the user query.\n\n", ""),
        tools_close="""
</tools>

Tool usage guidelines:
- You may call zero or more functions. If no function calls are needed, just answer normally and do not include any \
<function ... </function>.
- When calling a function, return an XML object within <function ... </function> using:
<function name="function-name"><param name="param-name">param-value</param></function>
- param-value may be multi-line. If it contains <, & or newline characters, wrap it in a CDATA block: \
<param name="param-name"><![CDATA[...multi-line value...]]></param>""",
        response_role="user",
        response=QWEN_RESPONSE,
        one_turn=True,
    ),
)
