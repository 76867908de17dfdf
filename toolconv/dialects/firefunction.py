"""Firefunction v1 and v2: a blank, the word ``functools``, one JSON list, and no closing marker.

Their prompts show ``arguments`` as an object or as JSON text; both are read.

Source: fireworks-ai/llama-3-firefunction-v2 chat template.
"""

from toolconv import jsontext
from toolconv.dialects.chatform import ChatForm
from toolconv.dialects.cores.json_blocks import JsonBlocks

DIALECT = JsonBlocks(
    name="firefunction",
    aliases=("firefunction_v1", "firefunction_v2"),
    models=("firefunction-v1", "firefunction-v2"),
    sample=' functools[{"name": "get_weather", "arguments": {"city": "Tokyo"}}, {"name": "ping", "arguments": {}}]',
    opens=("functools[",),
    listed=True,
    native=("arguments_string",),
    before=" functools[",
    between=", ",
    after="]",
    chat=ChatForm(
        tools_open="You have access to these functions:\n",
        tools_close="",
        tool=jsontext.pretty,
        bare_tools=True,
        response_role="tool",
        response="{content}",
        one_turn=False,
    ),
)
