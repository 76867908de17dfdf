"""Find out what a chat template accepts and what it leaves out, by rendering small conversations of known words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final, get_args

from toolconv.core.messages import Message, Tool
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.turns import RenderError
from toolconv.templates.jinja.adapter import Adapter, Arguments, Ids, InputConvention, Turns
from toolconv.templates.jinja.sandbox import Program, Stopped

SYSTEM, USER, PROSE, REASONING, RESPONSE, VALUE, OTHER, TOOL = (
    f"q{word}z" for word in ("system", "user", "prose", "reasoning", "response", "value", "other", "tool")
)
"""Words that no template writes on its own."""

TOOLS: Final[list[Tool]] = [
    {
        "type": "function",
        "function": {
            "name": TOOL,
            "description": "A tool.",
            "parameters": {
                "type": "object",
                "properties": {"key": {"type": "string", "description": "A key."}},
                "required": ["key"],
            },
        },
    }
]

LOSSES: Final = {
    "system": "system texts",
    "tools": "declared tools",
    "calls": "calls",
    "call_name": "names of calls (unless their ids contain them)",
    "call_id": "ids of calls",
    "response": "tool responses",
    "content_with_call": "prose in turns with calls",
    "calls_with_content": "calls in turns with prose",
    "parallel_calls": "parallel calls after the first",
    "reasoning": "reasoning",
}
"""What a template may leave out, with the wording for messages."""

CHOICES: Final = [
    InputConvention(arguments, ids, content)
    for arguments, ids, content in product(get_args(Arguments), get_args(Ids), (None, ""))
]
"""The possible conventions, in order of preference; the key of the reasoning is determined later."""


@dataclass(frozen=True)
class TemplateProfile:
    """What a template accepts, leaves out and refuses.

    Attributes:
        convention: the form of messages that it expects.
        drops: what it leaves out, as keys of :data:`LOSSES`.
        refuses: what it raises an error for, as keys of :data:`LOSSES`.
        writes_ids: it writes the ids of calls, and accepts any id.
    """

    convention: InputConvention
    drops: tuple[str, ...]
    refuses: tuple[str, ...]
    writes_ids: bool

    def __str__(self) -> str:
        clauses = [f"expects {self.convention}"]
        for verb, kinds in (("leaves out", self.drops), ("refuses", self.refuses)):
            if kinds:
                clauses.append(f"{verb} {', '.join(LOSSES[kind] for kind in kinds)}")
        return "; ".join(clauses)


def call(number: int = 0, arguments: Mapping[str, Any] | None = None, name: str = TOOL) -> ToolCall:
    """A call of the probe's tool."""
    return ToolCall(
        name, dict({"key": (VALUE, OTHER)[number]} if arguments is None else arguments), f"qid{'abc'[number]}"
    )


def asked(*calls: ToolCall, content: str = "", reasoning: str = "", answered: bool = False, final: str = "") -> Turns:
    """A user turn and an assistant turn; ``answered`` adds responses to its calls, ``final`` another assistant turn."""
    words = content or (None if calls else "")
    messages: list[Message] = [{"role": "user", "content": USER}, {"role": "assistant", "content": words}]
    if reasoning:
        messages[1]["reasoning_content"] = reasoning
    if answered:
        messages.extend(
            {"role": "tool", "tool_call_id": one.id, "name": one.name, "content": RESPONSE} for one in calls
        )
    if final:
        messages.append({"role": "assistant", "content": final})
    return Turns(messages, {1: calls})


ONCE: Final = asked(call(), answered=True, final=PROSE)
TWICE: Final = Turns(
    [*asked(call(), answered=True).messages, {"role": "assistant", "content": None}], {1: [call()], 3: [call(1)]}
)
WITH_SYSTEM: Final = Turns([{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}], {})
THOUGHT: Final = (
    asked(call(), reasoning=REASONING, answered=True),
    asked(content=PROSE, reasoning=REASONING),
)
"""Turns with reasoning; every template that supports reasoning writes it in at least one of them."""

CHECKED: Final = (
    (WITH_SYSTEM, {"system": SYSTEM, "tools": TOOL}),
    (ONCE, {"calls": VALUE, "call_id": str(call().id), "response": RESPONSE}),
    (asked(call(), content=PROSE, answered=True), {"content_with_call": PROSE, "calls_with_content": VALUE}),
    (asked(call(), call(1), answered=True), {"parallel_calls": OTHER}),
)
"""Conversations, each with the words that show a loss if they are missing from its text."""


def profile_of(program: Program, variables: Mapping[str, Any]) -> TemplateProfile:
    """Find out what a template accepts and what it leaves out.

    Raises:
        Stopped: the template exceeds a limit even on a few words.
    """
    convention = max(CHOICES, key=lambda choice: _worth(Adapter(program, variables, choice)))
    if not _thinks(Adapter(program, variables, convention)):
        thinking = replace(convention, reasoning="thinking")
        convention = thinking if _thinks(Adapter(program, variables, thinking)) else convention
    with_parts = replace(convention, parts=True)
    convention = with_parts if _writes_parts(Adapter(program, variables, with_parts)) else convention
    adapter = Adapter(program, variables, convention)
    drops: list[str] = []
    refuses: list[str] = []
    for turns, words in CHECKED:
        text = _text(adapter, turns)
        if text is None:
            refuses.append(next(iter(words)))
        else:
            drops.extend(loss for loss, word in words.items() if word not in text)
    if "calls" in drops:
        drops = [loss for loss in drops if loss not in ("call_id", "calls_with_content", "parallel_calls")]
    elif "qname" not in (_text(adapter, asked(call(name="qname"))) or "qname"):
        drops.append("call_name")
    if not _thinks(adapter):
        drops.append("reasoning")
    writes_ids = convention.ids == "given" and str(call().id) in (_text(adapter, asked(call())) or "")
    return TemplateProfile(convention, tuple(drops), tuple(refuses), writes_ids)


def _worth(adapter: Adapter) -> tuple[int, int]:
    """How many of the words a template writes, and (negated) how many nulls and dicts it prints in Python syntax."""
    text = _text(adapter, ONCE)
    if text is None:
        return -1, 0
    flaws = text.count("None") + text.count("null") + text.count(str(call().arguments))
    return sum(word in text for word in (VALUE, RESPONSE, PROSE)), -flaws


def _thinks(adapter: Adapter) -> bool:
    return any(REASONING in (_text(adapter, turns) or "") for turns in THOUGHT)


def _writes_parts(adapter: Adapter) -> bool:
    """Whether a template writes the texts of content parts, and not the parts in Python syntax."""
    part = {"type": "text", "text": PROSE}
    messages = [{"role": role, "content": [part]} for role in ("user", "assistant")]
    text = _text(adapter, Turns(messages, {})) or ""
    return text.count(PROSE) == len(messages) and "'text'" not in text


def _text(adapter: Adapter, turns: Turns) -> str | None:
    """The text of a conversation; ``None`` if the template raises an error."""
    try:
        return adapter.render(turns, TOOLS)
    except Stopped:
        raise
    except RenderError:
        return None
