"""Solar Open2: an empty pair of thought tokens in every turn without reasoning, and a line break after calls.

The reasoning before the last user turn is left out. The system text is under a heading. Results are in the order of
their calls. The generation prompt opens the thought; with the ``reasoning_effort`` ``low`` or ``minimal`` it is closed.

Source: chat template of upstage/Solar-Open2-250B.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.dialects.formats.solar_open2 import DIALECT
from toolconv.templates.base import ChatView, Template, TextWriter


class SolarOpen2Template(Template):
    """The heading of the system text, thoughts in every turn, and ordered results."""

    empty_thoughts: bool = True

    def system(self, chat: ChatView, given: str | None) -> str | None:
        return f"## System Prompt\n\n{given}" if given else None

    def shows_reasoning(self, chat: ChatView, index: int) -> bool:
        return index > chat.last_user

    def calls(self, chat: ChatView, out: TextWriter, index: int, prose: str = "") -> None:
        super().calls(chat, out, index, prose)
        if chat.calls(index):
            out.trained("turn", "\n", index)

    def responses(self, chat: ChatView, out: TextWriter, start: int, end: int) -> None:
        style = self.dialect.chat
        ordered = chat.in_call_order(start, end)
        for index in ordered:
            before = self.headers["tool"] if index == ordered[0] else style.responses_between
            after = style.responses_close + self.ending if index == ordered[-1] else ""
            out.enclosed("response", before, self.response(chat, index), after, index)

    def generation(self, chat: ChatView) -> str:
        return self.generation_prompt(thinks=chat.variables.get("reasoning_effort") not in ("low", "minimal"))


TEMPLATE = SolarOpen2Template(
    name="solar-open-2",
    dialect=replace(DIALECT, chat=replace(DIALECT.chat, responses_close="\n")),
    aliases=("solar-open2",),
    models=("Solar-Open2-250B", "Solar Pro 4"),
    variables=("reasoning_effort",),
    open="<|im:start|>{role}<|im:content|>",
    stop="<|im:end|>",
)
