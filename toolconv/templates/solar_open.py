"""Solar Open: a provider's system text with the date, reasoning, prose and calls as turns of their own.

The reasoning before the last user turn is left out; ``think_render_option`` may be ``all``, for all of it. Turns with
calls hold no prose. The given system text is under a heading after the provider's, which is left out if
``default_system_prompt`` is false. With the ``reasoning_effort`` ``low`` or ``minimal``, the generation prompt holds an
empty thought.

Source: chat template of upstage/Solar-Open-100B.
"""

from __future__ import annotations

from dataclasses import fields, replace

from toolconv.core.tool_call import ToolCall
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.formats.solar_open import DIALECT, NEXT
from toolconv.templates.base import ChatView, Template, TextWriter

PROVIDER = (
    "## Provider System Prompt\n\nYou are Solar Open 100B, a large language model trained by Upstage AI, a Korean "
    "startup. Your knowledge cutoff is 2025-07. The current date is {date}."
)
HEADING = "## System Prompt\n\n"


class GivenIds(CallTemplate):
    """Ids of any length, as the original writes them; only missing ones are made."""

    def id_of(self, call: ToolCall, index: int) -> str | None:
        return call.id or super().id_of(call, index)


assert DIALECT.calls is not None
FIELDS = {field.name: getattr(DIALECT.calls, field.name) for field in fields(DIALECT.calls)}
GIVEN_IDS = replace(DIALECT, calls=GivenIds(**FIELDS))


class SolarOpenTemplate(Template):
    """The two system texts, and turns that begin with what they hold."""

    @property
    def stops(self) -> tuple[str, ...]:
        return (self.stop, "<|calls|>")

    def head(self, chat: ChatView, out: TextWriter) -> int:
        given = chat.roles[0] == "system"
        message = 0 if given else None
        provider = PROVIDER.replace("{date}", chat.date().isoformat())
        parts = [provider] if chat.variables.get("default_system_prompt", True) else []
        parts += [HEADING + self.content(chat, 0)] if given else []
        system = "\n\n".join(parts)
        if system or chat.tools:
            out.turn(self.headers["system"], message)
            out.add("system", system, message)
            if chat.tools:
                out.add("tools", ("\n\n" if system else "") + self.block(chat))
            out.turn(self.ending, message)
        return int(given)

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        out.turn(self.headers["assistant"], index)
        self.body(chat, out, index)
        out.end("" if chat.calls(index) else self.stop, self.close, index)

    def joins(self, chat: ChatView, index: int) -> bool:
        return True

    def body(self, chat: ChatView, out: TextWriter, index: int) -> None:
        self.reasoning(chat, out, index)
        prose = self.prose(chat, index)
        if not chat.calls(index):
            out.trained("turn", "<|content|>", index)
            out.trained("prose", prose, index)
        self.calls(chat, out, index)

    def shows_reasoning(self, chat: ChatView, index: int) -> bool:
        return index > chat.last_user or chat.variables.get("think_render_option") == "all"

    def response(self, chat: ChatView, index: int) -> str:
        named = {**chat.messages[index], "name": chat.response_name(index)}
        return self.dialect.chat.write_response(named, self.content(chat, index))

    def generation(self, chat: ChatView) -> str:
        quick = chat.variables.get("reasoning_effort") in ("low", "minimal")
        return self.headers["assistant"] + (f"<|think|>{NEXT}" if quick else "")

    def header(self, role: str) -> str:
        return f"<|begin|>{role}" if role in ("assistant", "tool") else super().header(role)


TEMPLATE = SolarOpenTemplate(
    name="solar-open-100b",
    dialect=GIVEN_IDS,
    models=("Solar-Open-100B",),
    variables=("default_system_prompt", "reasoning_effort", "think_render_option"),
    open="<|begin|>{role}<|content|>",
    stop="<|end|>",
    close="",
    keeps_prose=False,
)
