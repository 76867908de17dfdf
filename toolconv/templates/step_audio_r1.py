"""Step-Audio R1.1: the speaker's name in each turn, a turn of tools as JSON, results under the name of their tool.

Reasoning is left out; the generation prompt opens it. A conversation without a system turn gets the family's default.

Source: chat template of stepfun-ai/Step-Audio-R1.1.
"""

from __future__ import annotations

from toolconv.dialects.formats.step_audio import R1
from toolconv.templates.base import ChatView, Template, TextWriter


class StepAudioTemplate(Template):
    """The turn that declares the tools, and the names of results."""

    def declare(self, chat: ChatView, out: TextWriter, system: str, message: int | None) -> None:
        out.enclosed("system", self.headers["system"], system, self.ending, message)
        out.enclosed("tools", self.headers["tool_json_schemas"], self.block(chat), self.ending)

    def response(self, chat: ChatView, index: int) -> str:
        named = {**chat.messages[index], "name": chat.response_name(index)}
        return self.dialect.chat.write_response(named, self.content(chat, index))


TEMPLATE = StepAudioTemplate(
    name="step-audio-r1.1",
    dialect=R1,
    models=("Step-Audio-R1.1",),
    open="<|BOT|>{role}\n",
    roles={"user": "human"},
    stop="<|EOT|>",
    close="",
    opens_thought=True,
    default_system="You are a helpful assistant. Please think step by step and provide your reasoning process within "
    "<think> </think> tags, followed by your final answer. Format: <think>your reasoning here</think>your final answer",
)
