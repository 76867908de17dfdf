"""InternLM 2, 2.5, 3 and Intern-S1: ``<|action_start|><|plugin|>``, a JSON object, ``<|action_end|>``.

One block a call, end to end. Intern-S1 has a line break before ``<|action_end|>`` and between blocks, and some
detokenizers a blank between the two opening tokens: read alike, as are the keys ``parameters`` and ``arguments``.
``<|action_start|><|interpreter|>`` opens code, no call, and stays in the text. ``<tool_call>`` tags are read as
``hermes``.

Source: internlm/internlm2_5-7b-chat and internlm/Intern-S1 chat templates; vLLM ``internlm``, SGLang ``interns1``.
"""

from toolconv.dialects.chatform import ChatForm
from toolconv.dialects.cores.json_blocks import JsonBlocks

DIALECT = JsonBlocks(
    name="internlm",
    aliases=("internlm2", "internlm2_plugin", "interns1", "intern-s1"),
    models=("InternLM2", "InternLM2.5", "InternLM3", "Intern-S1"),
    sample='<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": {"city": "Tokyo"}}<|action_end|>',
    reads=("hermes",),
    opens=("<|action_start|><|plugin|>", "<|action_start|> <|plugin|>"),
    closes=("<|action_end|>",),
    argument_key="parameters",
    other_keys=("arguments",),
    item_before="<|action_start|><|plugin|>\n",
    item_after="<|action_end|>",
    chat=ChatForm(
        tools_open="# Tools\n\n[",
        tools_between=", ",
        tools_close="]",
        bare_tools=True,
        response_role="environment",
        response="{content}",
        one_turn=False,
    ),
)
