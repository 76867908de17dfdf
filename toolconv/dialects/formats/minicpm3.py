"""MiniCPM3: a thought, then Python calls in a fence between tokens, values as JSON.

``<|tool_call_start|>⏎```python⏎get_weather(city="Paris",days=2)⏎ping()⏎```⏎<|tool_call_end|>``. The template writes a
turn's prose as the thought before its calls. So a thought is read as the turn's prose if the turn has no other, and as
reasoning if it has. Text after the end token is prose. LFM2 has the same tokens and no fence.

Tools are declared as Python stubs, which hold less than a schema does.

Lost: reasoning in a turn with calls and no prose (it is read as prose); a name that holds a bracket; nesting deeper
than 200.

Source: openbmb/MiniCPM3-4B chat template, quoted in BFCL's ``minicpm_fc`` handler.
"""

from __future__ import annotations

from collections.abc import Sequence

from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.declarations.pydantic_stubs import read_stubs, write_stub
from toolconv.dialects.grammars.python_calls import PythonCalls
from toolconv.dialects.reading.turn_parser import Parsed, Reasoning

OPEN, CLOSE = "<|tool_call_start|>", "<|tool_call_end|>"
THOUGHT = Reasoning("<|thought_start|>", "<|thought_end|>", "<|thought_start|>\n", "\n<|thought_end|>\n")


class MiniCPM3(PythonCalls):
    """Fenced calls, and the thought that holds a turn's prose."""

    def rearranged(self, parsed: Parsed) -> Parsed:
        if parsed.calls and parsed.reasoning and not parsed.content:
            parsed.content, parsed.reasoning = parsed.reasoning, None
            thoughts = [part for part in parsed.parts or () if part.kind == "reasoning"]
            for part in thoughts:
                part.kind = "prose"
        return parsed

    def parse_exact(self, text: str, tools: ToolIndex) -> Parsed | None:
        parsed = super().parse_exact(text, tools)
        if parsed is not None and parsed.content != parsed.content.strip("\n"):
            return None  # the tolerant reader strips the lines around a thought
        return parsed

    def render_turn(self, content: str, reasoning: str | None, calls: Sequence[ToolCall]) -> str:
        if not calls:
            return super().render_turn(content, reasoning, calls)
        if reasoning and content:
            return self.reasoning.render(reasoning) + self.render(calls) + content
        thought = content or reasoning
        return (self.reasoning.render(thought) if thought else "") + self.render(calls)


DIALECT = MiniCPM3(
    name="minicpm3",
    aliases=("minicpm",),
    models=("MiniCPM3-4B",),
    sample='<|tool_call_start|>\n```python\nget_weather(city="Tokyo",days=2)\nping()\n```\n<|tool_call_end|>\n',
    calls=CallTemplate(
        "{name}({params})",
        before=f"{OPEN}\n```python\n",
        between="\n",
        after=f"\n```\n{CLOSE}\n",
        param="{key}={value|json}",
        param_between=",",
        turn="<|thought_start|>\n{prose}\n<|thought_end|>\n{calls}",
        odd_param="**{{key|json}: {value|json}}",
    ),
    reasoning=THOUGHT,
    leads_with_reasoning=False,
    listed=False,
    fenced=True,
    chat=ChatFormat(
        tools_open="""
# Functions
Here is a list of functions that you can invoke:
```python
from enum import Enum
from typing import List, Dict, Optional
from pydantic import BaseModel, Field

""",
        tools_between="",
        tools_close="""
```

# Function Call Rule and Output Format
- If the user's question can be answered without calling any function, please answer the user's question directly. In \
this situation, you should return your thought and answer the user's question directly.
- If the user cannot be answered without calling any function, and the user does not provide enough information to \
call functions, please ask the user for more information. In this situation, you should return your thought and ask \
the user for more information.
- If the user's question cannot be answered without calling any function, and the user has provided enough \
information to call functions to solve it, you should call the functions. In this situation, the assistant should \
return your thought and call the functions.
- Use default parameters unless the user has specified otherwise.
- You should answer in the following format:

<|thought_start|>
{explain why the user's question can be answered without calling a function or why you should ask the user for more \
information or why you should call one or more functions and your plan to solve the user's question.}
<|thought_end|>
<|tool_call_start|>
```python
func1(params_name=params_value, params_name2=params_value2...)
func2(params)
```
<|tool_call_end|>
{answer the user's question directly or ask the user for more information}""",
        tools_apart="",
        tool=write_stub,
        read=read_stubs,
        response_role="tool",
        response="{content}",
        one_turn=False,
    ),
)
