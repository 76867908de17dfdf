"""What the original chat templates of built-in families lose or refuse, and toolconv writes: see ``originals.toml``.

A trainer or a server uses the original. So ``lint --target NAME`` answers for it, and ``toolconv templates NAME`` lists
these deviations. Everything else of a text is the same, byte for byte.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, calls_of
from toolconv.templates import shapes

Part = Literal["arguments", "calls", "content_parts", "prose", "reasoning", "results", "system", "tools", "turns"]
"""What of a conversation a template leaves out, changes or refuses."""


class Deviation(NamedTuple):
    """What an original does to some conversations.

    Attributes:
        part: what of a conversation it does that to.
        effect: what it does, for users.
        applies: whether it does that to a conversation.
    """

    part: Part
    effect: str
    applies: Callable[[Conversation], bool]


@cache
def _facts() -> dict[str, Any]:
    return tomllib.loads(files("toolconv.templates").joinpath("originals.toml").read_text(encoding="utf-8"))


@cache
def all_deviations() -> dict[str, tuple[Deviation, ...]]:
    """The deviations by the template's name; ``tests/templates/golden_deviations.toml`` has conversations."""
    known = {
        kind: Deviation(part, effect, getattr(shapes, shape))
        for kind, (part, effect, shape) in _facts()["deviations"].items()
    }
    return {
        name: tuple(known[kind] for kind in kinds.split())
        for names, kinds in _facts()["originals"].items()
        for name in names.split()
    }


@cache
def argument_effects() -> dict[str, tuple[type, str]]:
    """The type of arguments that an original does not expect, and what it does, by the name of the template."""
    return {
        name: (kind, effect)
        for key, kind in (("text", str), ("objects", dict))
        for effect, names in _facts()["arguments"][key].items()
        for name in names.split()
    }


def argument_types(messages: Iterable[Message]) -> set[type]:
    """The types of the arguments of the calls in messages, as a row spells them under OpenAI's keys."""
    calls = (call for message in messages for call in calls_of(message))
    return {type(call["function"].get("arguments")) for call in calls}


def argument_effect(name: str, types: set[type]) -> str | None:
    """What the original of a template does to arguments of some types; ``None`` if it reads them."""
    unexpected, effect = argument_effects().get(name, (None, None))
    return effect if unexpected in types else None


def deviations(name: str, conversation: Conversation) -> list[Deviation]:
    """What the original of a template does to a conversation."""
    return [each for each in all_deviations().get(name, ()) if each.applies(conversation)]


def effects(name: str) -> list[str]:
    """All that the original of a template does otherwise, for users."""
    _, arguments = argument_effects().get(name, (None, None))
    return [*(each.effect for each in all_deviations().get(name, ())), *([arguments] if arguments is not None else ())]
