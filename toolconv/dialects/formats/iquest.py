"""IQuest-Q1 (``iquest_q1``) and IQuest-Coder V2 (``iquest_coder_v2``): GLM-4.7's pairs in a tag of their own.

No white space is written between tags; it is read there. Values are verbatim: strings as they are, everything else as
JSON. Without a schema, a string that spells a number, a literal, a list or an object can't be distinguished from one.
IQuest-Coder V1 writes ``qwen3_xml`` or ``hermes``.

Source: SGLang 0.5.23 ``iquest_q1``; ``iquest_coder_v2_tool_parser.py`` of a vLLM branch.
"""

from dataclasses import replace

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning


def template(tag: str) -> CallTemplate:
    """The calls of a model, given the name of its tag."""
    return CallTemplate(
        f"<{tag}>{{name}}{{params}}</{tag}>", param="<arg_key>{key}</arg_key><arg_value>{value}</arg_value>"
    )


Q1 = XmlParameters(
    name="iquest_q1",
    models=("IQuest-Q1",),
    sample="<iquest_tool_call>get_weather<arg_key>city</arg_key><arg_value>Tokyo</arg_value></iquest_tool_call>",
    calls=template("iquest_tool_call"),
    reasoning=Reasoning(before="<think>", after="</think>"),
    turn_tokens=("<|iquest_end|>", *TURN_TOKENS),
)
CODER_V2 = replace(
    Q1,
    name="iquest_coder_v2",
    models=("IQuest-Coder V2",),
    sample=Q1.sample.replace("iquest_tool_call", "iquestcoder_tool_call"),
    calls=template("iquestcoder_tool_call"),
)
DIALECTS = (Q1, CODER_V2)
