"""ChatGLM3: the tool's name on a line, then ``tool_call(city='Paris')`` in a fence; a turn each.

The name line, a fence of ``python``, in it one call of ``tool_call``; several calls with ``<|assistant|>`` between
them, prose as a turn of its own before. The arguments are Python's (JSON's words are read too). ``interpreter`` with
other code in the fence is no tool call and stays prose.

Lost: a name that holds a line break; nesting deeper than 200.

Source: THUDM/chatglm3-6b tool-use guide and reference code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from toolconv.conversation import ToolCall
from toolconv.dialects import callshape
from toolconv.dialects.base import Scan, end_of, joined
from toolconv.dialects.chatform import ChatForm
from toolconv.dialects.cores.python_calls import PythonCalls, Run

ASSISTANT = "<|assistant|>"
CALL = "tool_call("
MAX_HEADER = 300
HEADER = re.compile(
    r"(?:\A|\n|<\|assistant\|>)[ \t]*([^\s`<>][^\n`<>]{0,127})\n[ \t]*```[ \t]*(?:python)?[ \t]*\n[ \t]*\Z"
)
FENCE_END = re.compile(r"\s*```")
TURN = re.compile(r"\s*<\|assistant\|>\s*")


@dataclass(frozen=True, kw_only=True, eq=False)
class ChatGlm3(PythonCalls):
    """A name line before each fence; in the fence one call of ``tool_call``."""

    @property
    def markers(self) -> tuple[str, ...]:
        return (CALL,)

    def render_each(self, calls: Sequence[ToolCall]) -> list[str]:
        bodies = (self.write_call(ToolCall("tool_call", call.arguments)) for call in calls)
        items = (f"{call.name}\n```python\n{body}\n```" for call, body in zip(calls, bodies, strict=True))
        return joined("", items, ASSISTANT, "")

    def scan(self, scan: Scan) -> None:
        text = scan.text
        floor = scan.at
        while (place := scan.find(CALL, scan.at)) >= 0:
            from_ = max(floor, place - MAX_HEADER)
            before = text[from_:place]
            header = HEADER.search(before) if before.rstrip().endswith(("```", "```python")) else None
            if header is None or not scan.spend(0):
                scan.at = place + len(CALL)
                continue
            start = from_ + header.start()
            run = Run(scan, text, place, (ASSISTANT, "```", *self.turn_tokens))
            if not run.calls:
                scan.drop(start, max(run.end, place + len(CALL)), run.broken[0][3] if run.broken else "no call")
                continue
            repairs = list(run.repairs)
            end = end_of(FENCE_END, text, run.end)
            if end == run.end:
                repairs.append("markdown_fence")
            name = callshape.declared_name(header[1].strip(), scan.tools, repairs)
            end = end_of(TURN, text, end) if text.find(CALL, end, end + MAX_HEADER) >= 0 else end
            scan.take(start, end, [ToolCall(name, call.arguments) for *_, call in run.calls])
            scan.repairs.extend(repairs)
            floor = end


DIALECT = ChatGlm3(
    name="chatglm3",
    aliases=("glm3",),
    models=("ChatGLM3-6B",),
    sample="get_weather\n```python\ntool_call(city='Tokyo')\n```",
    separator=ASSISTANT,
    listed=False,
    losses=(),
    chat=ChatForm(
        tools_open="Answer the following questions as best as you can. You have access to the following tools:\n[",
        tools_between=",",
        tools_close="]",
        response_role="observation",
        response="{content}",
        one_turn=False,
    ),
)
