"""The names that servers give to reasoning parsers, and the marks that they split texts at.

Most are those of the family's tool parser. Sources: the registries of vLLM 0.33 (``vllm/reasoning/__init__.py``) and of
SGLang 0.5.23 (``sglang/srt/parser/reasoning_parser.py``); ``kolibri1`` is of Aleph Alpha's plugin for vLLM,
``aleph-alpha-inference`` 1.0.0.
"""

from __future__ import annotations

from typing import Final

from toolconv.core.errors import ToolconvError, near_name
from toolconv.dialects.reading.turn_parser import THINK, Reasoning
from toolconv.dialects.registry import UnknownDialect, get, names

OWN_NAMES: Final = {
    "deepseek_r1": THINK,
    "deepseek_v3": THINK,
    "granite_thinking_parser": THINK,
    "holo2": THINK,
    "kimi": Reasoning("◁think▷", "◁/think▷", "◁think▷", "◁/think▷"),
    "kolibri1": THINK,
    "minicpmv": THINK,
    "minimax": THINK,
    "minimax_append_think": THINK,
    "minimax_m2_append_think": THINK,
    "nemotron_3": THINK,
    "nemotron_v3": THINK,
    "openai_gptoss": None,
    "qwen3": THINK,
    "qwen3_thinking": THINK,
    "response_template": None,
}
"""Reasoning parsers that no dialect has the name of; ``None`` for those whose dialect reads the reasoning itself."""
OFF: Final = "off"


class UnknownReasoningParser(ToolconvError, ValueError):
    """No server has a reasoning parser of that name; the message names the nearest."""


def reasoning_of(name: str) -> Reasoning | None:
    """The mark that a reasoning parser splits texts at.

    Args:
        name: of a reasoning parser of vLLM or SGLang, in any case, with ``-`` or ``_``; or ``off``.

    Returns:
        ``None`` where the dialect itself says what is reasoning.

    Raises:
        UnknownReasoningParser: there is none.
    """
    key = name.strip().lower().replace("-", "_")
    if key == OFF:
        return None
    if key in OWN_NAMES:
        return OWN_NAMES[key]
    try:
        mark = get(key).reasoning
    except UnknownDialect:
        near = near_name(key, (*OWN_NAMES, *names()))
        hint = f"; did you mean {near!r}?" if near else ""
        raise UnknownReasoningParser(f"no reasoning parser has the name {name!r}{hint}") from None
    return mark if mark.open and mark.own_close else None
