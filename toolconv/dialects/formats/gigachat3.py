"""GigaChat 3 and 3.1: a call object as a separate message with the role ``function call``.

GigaChat 3 ends the prose with ``<|message_sep|>`` and opens a message ``function call<|role_sep|>``. 3.1 writes
``<|function_call|>`` instead, which is read as well. The format has one call per turn, and its templates write only the
first. Several calls are read, and written as one message each. ``<function=name>{…}</function>`` is read under this
name too.

Source: ai-sage/GigaChat3-10B-A1.8B chat template; vLLM and SGLang ``gigachat3``.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS

END = "<|message_sep|>"

DIALECT = JsonBlocks(
    name="gigachat3",
    aliases=("gigachat",),
    models=("GigaChat3-10B-A1.8B", "GigaChat3-702B-A36B", "GigaChat 3.1"),
    sample=f'{END}\n\nfunction call<|role_sep|>\n{{"name": "get_weather", "arguments": {{"city": "Tokyo"}}}}',
    calls=CallTemplate(f'{END}\n\nfunction call<|role_sep|>\n{{"name": {{name|json}}, "arguments": {{args}}}}'),
    fallback_dialects=("llama3_custom",),
    turn_tokens=(END, *TURN_TOKENS),
    opens=(
        "<|function_call|>",
        f"{END}\nfunction call<|role_sep|>",
        f"{END}function call<|role_sep|>",
        "function call<|role_sep|>",
    ),
)
