"""K2 Horizon: ``<ifm|tool_call>`` with the name and ``<ifm|arg_key>``, ``<ifm|arg_value>`` pairs, in one group.

A variable of the template chooses among three layouts. The plain one is written. The other two are read as well:
``xml_typed``, which states the type of each value in ``<ifm|arg_type>``, and ``json``, with a JSON object in each
``<ifm|tool_call>``. A type tag counts if there is no schema, or if it picks one of several allowed types. Values are
verbatim: strings as they are, everything else as JSON. Without a schema and a type tag, a string that spells a
number, a literal, a list or an object can't be distinguished from one. Keys can't hold ``<`` or a line break.

Source: IFM K2-V3 chat template as vLLM's ``k2_horizon`` reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolconv.core.schema_types import types_of
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import QWEN_TOOLS, ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning
from toolconv.dialects.values.by_schema import Shape, typed_as


class K2Horizon(XmlParameters):
    """Arguments as pairs of a key tag and a value tag, with an optional type tag."""

    def type_of(self, tag: Mapping[str, str], value: str, shape: Shape, repairs: list[str]) -> Any:
        if "type" in tag:
            stated, allowed = types_of({"type": tag["type"]}, None), shape.allowed
            if stated is not None and (allowed is None or stated <= allowed):
                return typed_as(value, stated, shape.untyped, repairs)
            if tag["type"] == "any" and allowed is None:
                return value
        return shape.typed(value, repairs)


DIALECT = K2Horizon(
    name="k2_horizon",
    aliases=("k2_v3",),
    models=("K2 Horizon", "K2-V3"),
    sample="<ifm|tool_calls>\n<ifm|tool_call>get_weather\n<ifm|arg_key>city</ifm|arg_key>\n"
    "<ifm|arg_value>Tokyo</ifm|arg_value>\n</ifm|tool_call>\n</ifm|tool_calls>",
    calls=CallTemplate(
        "<ifm|tool_call>{name}\n{params}</ifm|tool_call>",
        before="<ifm|tool_calls>\n",
        between="\n",
        after="\n</ifm|tool_calls>",
        param="<ifm|arg_key>{key}</ifm|arg_key>\n<ifm|arg_value>{value}</ifm|arg_value>\n",
    ),
    separator="\n",
    reasoning=Reasoning("<ifm|think>", "</ifm|think>", "<ifm|think>\n", "\n</ifm|think>\n"),
    reasoning_name=r"ifm\|think_fast(?:er)?",
    turn_tokens=("<|ifm|im_end|>", *TURN_TOKENS),
    parameters=(
        (
            "<ifm|arg_key>{key}</ifm|arg_key>\n<ifm|arg_type>{type}</ifm|arg_type>\n<ifm|arg_value>",
            "</ifm|arg_value>\n",
        ),
    ),
    json=JsonBlocks(name="k2_horizon", opens=("<ifm|tool_call>",), closes=("</ifm|tool_call>",), bare="never"),
    chat=ChatFormat(
        tools_open=QWEN_TOOLS,
        tools_close="\n</tools>\n\nFor each function call, output the function name and arguments within the following "
        "XML format:\n<ifm|tool_calls>\n<ifm|tool_call>{function-name}\n<ifm|arg_key>{arg-key-1}</ifm|arg_key>\n"
        "<ifm|arg_value>{arg-value-1}</ifm|arg_value>\n...\n</ifm|tool_call>\n</ifm|tool_calls>",
        response_role="tool",
        response="{content}",
        one_turn=False,
    ),
)
