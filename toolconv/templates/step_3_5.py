"""Step 3.5: ChatML, tools after the system text, results in turns with the role ``tool_response``.

Assistant turns after the last user turn have a ``<think>`` block, which may be empty; in earlier turns reasoning is
left out. The generation prompt opens the block.

Source: chat template of stepfun-ai/Step-3.5-Flash.
"""

from __future__ import annotations

from toolconv.dialects.formats.step3p5 import STEP3P5
from toolconv.templates.base import ChatView, Template, TextWriter


class Step35Template(Template):
    """Reasoning since the last user turn."""

    opens_thought: bool = True

    def reasoning(self, chat: ChatView, out: TextWriter, index: int) -> None:
        reasoning = chat.reasoning(index)
        if index > chat.last_query:
            self.marked_reasoning(chat, out, index, reasoning)
        elif reasoning:
            chat.lose("reasoning")


TEMPLATE = Step35Template(
    name="step-3.5",
    dialect=STEP3P5,
    models=("Step-3.5-Flash",),
    begin="<｜begin▁of▁sentence｜>",
)
