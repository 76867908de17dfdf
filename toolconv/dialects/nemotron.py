"""Nemotron Nano v2 and Llama-Nemotron: one JSON list in ``<TOOLCALL>`` tags.

``<TOOLCALL>[]</TOOLCALL>`` says that nothing is called. Nemotron-Mini's ``<toolcall> {…} </toolcall>`` is read too.
Nemotron 3 writes ``qwen3_xml``.

Source: nvidia/NVIDIA-Nemotron-Nano-9B-v2 chat template and its vLLM plug-in ``nemotron_json``.
"""

from toolconv.dialects.chatform import ChatForm
from toolconv.dialects.cores.json_blocks import JsonBlocks

DIALECT = JsonBlocks(
    name="nemotron",
    aliases=("nemotron_json", "nemotron_nano_v2"),
    models=("Nemotron-Nano-9B-v2", "Nemotron-Nano-12B-v2", "Llama-3.3-Nemotron-Super-49B", "Nemotron-Mini"),
    sample='<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Tokyo"}}]</TOOLCALL>',
    opens=("<TOOLCALL>", "<toolcall>"),
    closes=("</TOOLCALL>", "</toolcall>"),
    listed=True,
    before="<TOOLCALL>[",
    between=", ",
    after="]</TOOLCALL>",
    chat=ChatForm(
        tools_open="You can use the following tools to assist the user if required:\n<AVAILABLE_TOOLS>[",
        tools_between=", ",
        tools_close="]</AVAILABLE_TOOLS>\n\nIf you decide to call any tool(s), use the following format:\n"
        '<TOOLCALL>[{"name": "tool_name1", "arguments": "tool_args1"}, '
        '{"name": "tool_name2", "arguments": "tool_args2"}]</TOOLCALL>',
        bare_tools=True,
        response="{content}",
        responses_open="<TOOL_RESPONSE>[",
        responses_between=", ",
        responses_close="]</TOOL_RESPONSE>",
    ),
)
