"""Command R and R+ of 2024: ``Action:`` and a fenced, pretty-printed list of ``{"tool_name": …, "parameters": {…}}``.

A ``Plan:`` or ``Reflection:`` before it is prose. The template for past turns breaks the line before the fence and
closes the fence on the bracket's line; both forms are read. ``directly_answer`` (also ``directly-answer``) without
parameters means that no tool is called; it is still read as a call. Tools are declared as Python stubs, which hold less
than their schemas.

Source: CohereForAI/c4ai-command-r-v01 chat template and model card.
"""

from toolconv.core import jsontext
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.declarations.cohere_stubs import read_stubs, write_stub
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS


def indented(value: object) -> str:
    """An item of a pretty-printed list."""
    return jsontext.pretty(value).replace("\n", "\n    ")


DIALECT = JsonBlocks(
    name="command_r",
    aliases=("command-r-plus",),
    models=("Command R", "Command R+", "Command R 08-2024"),
    sample='Action: ```json\n[\n    {\n        "tool_name": "get_weather",\n        "parameters": {\n'
    '            "city": "Tokyo"\n        }\n    }\n]\n```',
    calls=CallTemplate(
        '{\n        "tool_name": {name|json},\n        "parameters": {args|pretty}\n    }',
        before="Action: ```json\n[\n    ",
        between=",\n    ",
        after="\n]\n```",
    ),
    separator="\n",
    turn_tokens=(*TURN_TOKENS, "<|END_OF_TURN_TOKEN|>"),
    opens=("Action:\n```json", "Action:```json", "Action: ```\n", "Action:\n```\n"),
    name_key="tool_name",
    argument_key="parameters",
    listed=True,
    chat=ChatFormat(
        tools_open="## Available Tools\nHere is a list of tools that you have available to you:\n\n",
        tools_between="\n\n",
        tools_close="",
        tool=write_stub,
        read=read_stubs,
        response_role="tool",
        response="<results>\n{content}\n</results>",
        one_turn=True,
    ),
)
