"""Hermes 4: ChatML, Qwen's declaration in other words, no reasoning in past turns.

A conversation without a system turn gets the family's default.

Source: chat template of NousResearch/Hermes-4-14B.
"""

from dataclasses import replace

from toolconv.dialects.formats.hermes import DIALECT
from toolconv.templates.base import Template

CHAT = replace(
    DIALECT.chat,
    tools_open=DIALECT.chat.tools_open.replace("You may call", "You are a function calling AI model. You may call"),
    tools_close=DIALECT.chat.tools_close.replace("<function-name>", '"<function-name>"'),
)

TEMPLATE = Template(
    name="hermes-4",
    dialect=replace(DIALECT, chat=CHAT),
    models=("Hermes-4-14B", "Hermes-4-70B", "Hermes-4-405B"),
    default_system="You are Hermes, created by Nous Research.",
)
