"""``<tool_use>``: name and JSON in tags of their own, for models without tools of their own.

The prompt of Cherry Studio, which other clients have taken over. Results are turns of the user, each in
``<tool_use_result>`` with the name of its tool. Call ids are lost.

Source: ``src/renderer/src/utils/prompt.ts`` of CherryHQ/cherry-studio.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.name_then_json import NameThenJson

DIALECT = NameThenJson(
    name="cherry_studio",
    models=("Cherry Studio",),
    sample='<tool_use>\n  <name>get_weather</name>\n  <arguments>{"city": "Tokyo"}</arguments>\n</tool_use>',
    calls=CallTemplate("<tool_use>\n  <name>{name}</name>\n  <arguments>{args}</arguments>\n</tool_use>", between="\n"),
    separator="\n",
    closes=("</arguments></tool_use>", "</arguments>\n  </tool_use>", "</tool_use>", "</arguments>"),
    chat=ChatFormat(
        response_role="user",
        response="<tool_use_result>\n  <name>{name}</name>\n  <result>{content}</result>\n</tool_use_result>",
    ),
)
