"""DeepSeek-V2.5 and the distilled R1 models: V3's sections, and ``<｜Assistant｜>`` before each answer to a user.

The originals write calls only in turns whose content is null, close the section of calls only after a second call, and
neither open the section of a later round nor close the results before it. Here every section is opened and closed, and
prose precedes it. Sections that stay open are read, too. The prompt of the distilled models opens the thought.

Source: chat templates of deepseek-ai/DeepSeek-V2.5-1210 and DeepSeek-R1-Distill-Qwen-32B.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.dialects.formats.deepseek_v3 import DEEPSEEK_CALLS, DIALECT
from toolconv.templates.base import ChatView, TextWriter
from toolconv.templates.deepseek import ASSISTANT, DeepSeekV31Template, role_before


class DeepSeekV25Template(DeepSeekV31Template):
    """Only an answer to results has no assistant token.

    Attributes:
        prompt: what follows the assistant token in the generation prompt.
    """

    thoughtless: str = ""
    prompt: str = ""

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if role_before(chat, index) not in ("user", "tool"):
            out.turn(ASSISTANT, index)
        super().assistant(chat, out, index)

    def generation(self, chat: ChatView) -> str:
        return "" if role_before(chat, len(chat.messages)) == "tool" else ASSISTANT + self.prompt


class OpenEndedTemplate(DeepSeekV25Template):
    """The end of a turn with one call as the originals write it: none."""

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if len(chat.calls(index)) != 1:
            super().assistant(chat, out, index)
            return
        out.turn(ASSISTANT if role_before(chat, index) != "tool" else "", index)
        out.calls(OPEN_ENDED.render_each(chat.calls(index)), index)


OPEN_ENDED = replace(DIALECT, calls=replace(DEEPSEEK_CALLS, after=""))

V2_5 = DeepSeekV25Template(
    name="deepseek-v2.5",
    dialect=DIALECT,
    models=("DeepSeek-V2.5", "DeepSeek-V2.5-1210"),
    also_read=(OpenEndedTemplate(name="deepseek-v2.5", dialect=DIALECT),),
)
R1_DISTILL = replace(
    V2_5,
    name="deepseek-r1-distill",
    models=("DeepSeek-R1-Distill-Qwen (1.5B to 32B)", "DeepSeek-R1-Distill-Llama (8B, 70B)"),
    prompt="<think>\n",
    also_read=(OpenEndedTemplate(name="deepseek-r1-distill", dialect=DIALECT, prompt="<think>\n"),),
)
TEMPLATES = (R1_DISTILL, V2_5)
