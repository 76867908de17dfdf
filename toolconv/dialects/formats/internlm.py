"""InternLM 2, 2.5, 3 and Intern-S1: ``<|action_start|><|plugin|>``, a JSON object, ``<|action_end|>``.

Each call has a block; blocks follow each other directly. Intern-S1 has a line break before ``<|action_end|>`` and
between blocks, and some detokenizers put a space between the two opening tokens. All of these are read, as are the keys
``parameters`` and ``arguments``. ``<|action_start|><|interpreter|>`` opens code, not a call, and stays in the text.
``<tool_call>`` tags are read as ``hermes``. Tools are declared in the wording of Intern-S1's template; InternLM 2 has a
separate turn for them.

Source: internlm/internlm2_5-7b-chat and internlm/Intern-S1 chat templates; vLLM ``internlm``, SGLang ``interns1``.
"""

from __future__ import annotations

import json

from toolconv.core.messages import Tool
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks

TOOLS_OPEN = """\
Your response should consist of a reasoning step (**thought**) followed immediately by a function call in valid JSON \
format. Wrap each function call using the `<|action_start|><|plugin|>` and `<|action_end|>` tags.

**Format example:**

```
(Your thought goes here...)

<|action_start|><|plugin|>
{
    "name": "tool_name",
    "parameters": {
        "parameter1": "value1",
        "parameter2": "value2"
    }
}
<|action_end|>
```

# External Tools
You have access to these tools:
[
  """


def declare(tool: Tool) -> str:
    """An item of a list that is indented by two spaces."""
    return json.dumps(tool, ensure_ascii=False, indent=2).replace("\n", "\n  ")


DIALECT = JsonBlocks(
    name="internlm",
    aliases=("internlm2", "internlm2_plugin", "interns1", "intern-s1"),
    models=("InternLM2", "InternLM2.5", "InternLM3", "Intern-S1"),
    sample='<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": {"city": "Tokyo"}}<|action_end|>',
    calls=CallTemplate('<|action_start|><|plugin|>\n{"name": {name|json}, "parameters": {args}}<|action_end|>'),
    fallback_dialects=("hermes",),
    opens=("<|action_start|> <|plugin|>",),
    argument_key="parameters",
    other_keys=("arguments",),
    chat=ChatFormat(
        tools_open=TOOLS_OPEN,
        tools_between=",\n  ",
        tools_close="\n]",
        tool=declare,
        response_role="environment",
        response="{content}",
        one_turn=False,
    ),
)
