"""Qwen2.5 and QwQ: ChatML, tools in the system turn; past turns have no reasoning.

A conversation without a system turn gets Qwen's default. Also for Qwen3's instruct models of July 2025, which have no
default system text. Nor has QwQ, whose generation prompt opens the reasoning; it writes a blank line before the tools
also where no system text precedes them.

Source: chat templates of Qwen/Qwen2.5-7B-Instruct, Qwen/QwQ-32B and Qwen/Qwen3-4B-Instruct-2507.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.dialects.formats.hermes import DIALECT
from toolconv.templates.base import Template

QWEN2_5 = Template(
    name="qwen2.5",
    dialect=DIALECT,
    models=("Qwen2.5-Instruct", "Qwen2.5-Coder-Instruct"),
    default_system="You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
)
QWEN3_INSTRUCT = replace(
    QWEN2_5,
    name="qwen3-instruct-2507",
    models=("Qwen3-4B-Instruct-2507", "Qwen3-30B-A3B-Instruct-2507", "Qwen3-235B-A22B-Instruct-2507"),
    default_system=None,
)
QWQ = Template(name="qwq-32b", dialect=DIALECT, models=("QwQ-32B",), tools_always_apart=True, opens_thought=True)
TEMPLATES = (QWEN2_5, QWEN3_INSTRUCT, QWQ)
