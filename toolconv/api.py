"""The library interface: parse calls from text, and render calls as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolconv import dialects
from toolconv.core.notes import Dropped
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.reading.turn_parser import Parsed


def parse(
    text: str | Mapping[str, Any] | Any,
    dialect: str = "auto",
    tools: Sequence[Mapping[str, Any]] | None = None,
    *,
    strict: bool = False,
    in_reasoning: bool | None = None,
) -> Parsed:
    """Parse one assistant turn. No text makes this raise. :class:`toolconv.StreamReader` reads one as it is written.

    Args:
        text: the model's output, or an answer of a chat API: a message, a whole answer (OpenAI's, Gemini's,
            Anthropic's), or a list of calls, each as plain data or as an object of the provider's client.
        dialect: the name or an alias of the dialect, or ``auto`` to detect it.
        tools: the declared tools, as OpenAI envelopes or bare function objects. They give dialects without types the
            types of values, and dialects without markers the names of tools.
        strict: don't read a turn that needs a repair, or that says something after its calls, shows or thinks a call.
        in_reasoning: whether the prompt ends inside an opened reasoning block; with ``None`` the text decides.

    Returns:
        The prose, reasoning and calls, the repairs made, the calls dropped, and what a row has no place for.

    Raises:
        toolconv.dialects.UnknownDialect: no dialect has that name.
        TypeError: this is neither a text nor an answer of the assistant.
    """
    index = ToolIndex([dict(tool) for tool in tools]) if tools else NO_TOOLS
    if not isinstance(text, str):
        from toolconv.convert.client_answers import parsed_answer

        parsed, text = parsed_answer(text, None if dialect == "auto" else dialects.get(dialect), index)
        return _unless_strict(parsed, text) if strict else parsed
    from toolconv.dialects.turn_reader import TurnReader

    parsed = TurnReader(None if dialect == "auto" else dialects.get(dialect)).read(
        text, index, in_reasoning=in_reasoning
    )
    return _unless_strict(parsed, text) if strict else parsed


def _unless_strict(parsed: Parsed, text: str) -> Parsed:
    """What was read, or, if that needs a repair or loses anything, the text."""
    if not parsed.repairs and not parsed.displaced:
        return parsed
    needed = f"needs repairs: {', '.join(dict.fromkeys(parsed.repairs))}"
    reason = needed if parsed.repairs else f"would be lost: {', '.join(dict.fromkeys(parsed.displaced))}"
    return Parsed(text, dropped=[*parsed.dropped, Dropped(reason, text)])


def parse_tool_calls(
    text: str | Mapping[str, Any] | Any,
    dialect: str = "auto",
    tools: Sequence[Mapping[str, Any]] | None = None,
    *,
    strict: bool = False,
) -> list[ToolCall]:
    """The calls of one assistant turn; takes the arguments of :func:`parse`, which returns more."""
    return parse(text, dialect, tools, strict=strict).calls


def render_tool_calls(calls: Iterable[ToolCall | Mapping[str, Any] | Any], dialect: str) -> str:
    """Write calls in a dialect.

    Args:
        calls: :class:`~toolconv.ToolCall`, or anything :meth:`ToolCall.from_openai` reads.
        dialect: the name or an alias of the dialect.

    Raises:
        toolconv.dialects.UnknownDialect: no dialect has that name.
        ValueError: an item is not a call.
    """
    return dialects.get(dialect).render(
        [call if isinstance(call, ToolCall) else ToolCall.from_openai(call) for call in calls]
    )
