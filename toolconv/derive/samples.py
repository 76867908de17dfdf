"""Random conversations, the same for the same seed, that a dialect is checked with."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from toolconv.core.errors import ToolconvError
from toolconv.core.messages import Tool
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.derive.turns import NoCalls, TemplateTurns, tool

SEED: Final = 20
NAMES: Final = ("get_weather", "search_web", "send_mail2", "lookUp", "a_b_c")
KEYS: Final = ("city", "days", "query", "max_results", "opts", "Flag", "ids")
PROSE: Final = ("", "", "Let me look.", "I'll check that:\n1. one", "Zürich & 東京, at 10%?")
THOUGHTS: Final = ("", "", "The user wants the weather.", "First this,\nthen that.")
VALUES: Final[dict[str, tuple[Any, ...]]] = {
    "string": (
        "Oslo", "Zürich", "a b", "it's", 'say "hi"', "line1\nline2", "x<y", "100%", "東京", "C:\\dir", "true", "42", "",
        "{a}", "a, b", "[1]", "null", "https://x.org/?a=1&b=2", "02139",
    ),
    "integer": (0, 3, -7, 99, 2**53 + 1),
    "number": (0.5, -2.25, 3.5),
    "boolean": (True, False),
    "array": (["a", "b"], [1, 2], [], [{"k": "v"}], [True, "it's"]),
    "object": ({"k": 1}, {"a": {"b": [True, 2]}}, {"k": "v"}, {}),
}  # fmt: skip
"""The values of each type; easy and hard ones."""


class Sample(NamedTuple):
    """An assistant turn, and what a template writes for it.

    Attributes:
        tools: the tools that the conversation declares.
        text: what the template writes.
        has_ids: whether the text holds the ids of the calls.
    """

    tools: ToolIndex
    prose: str
    reasoning: str
    calls: list[ToolCall]
    text: str
    has_ids: bool

    @property
    def features(self) -> list[str]:
        """What the turn holds that a dialect may fail at."""
        kinds = {type(value).__name__ for call in self.calls for value in call.arguments.values()}
        found = {
            "reasoning": bool(self.reasoning),
            "prose": bool(self.prose),
            "parallel calls": len(self.calls) > 1,
            "no arguments": any(not call.arguments for call in self.calls),
            "no calls": not self.calls,
            **{f"{word} arguments": kind in kinds for kind, word in KINDS.items()},
        }
        return [name for name, holds in found.items() if holds]


KINDS: Final = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array",
                "dict": "object"}  # fmt: skip


def samples(turns: TemplateTurns, count: int) -> Iterator[Sample]:
    """Conversations as a template writes them; without those that it raises an error for.

    They hold only what the template keeps: parallel calls, prose with calls, reasoning.
    """
    chance = random.Random(SEED)
    for number in range(count):
        types: dict[str, dict[str, str]] = {}
        calls: list[ToolCall] = []
        most = 3 if turns.writes_parallel_calls else 1
        for index in range(chance.randint(1, most)):
            name = chance.choice(NAMES)
            if name not in types:
                types[name] = {key: chance.choice(tuple(VALUES)) for key in chance.sample(KEYS, chance.randint(1, 4))}
            keys = chance.sample(list(types[name]), chance.randint(min(1, number % 6), len(types[name])))
            arguments = {key: chance.choice(VALUES[types[name][key]]) for key in keys}
            calls.append(ToolCall(name, arguments, turns.call_id(name, index)))
        prose, thought = chance.choice(PROSE), chance.choice(THOUGHTS)
        if number % 10 == 9:
            calls, prose = [], prose or PROSE[2]
        elif not turns.writes_prose_with_calls:
            prose = ""
        tools: list[Tool] = [tool(name, kinds) for name, kinds in types.items()]
        reasoning = thought if turns.reasoning is not None else ""
        try:
            text = turns.turn(calls, tools, prose, reasoning)
            if reasoning and reasoning not in text:  # left out, as templates do in some turns
                reasoning, text = "", turns.turn(calls, tools, prose)
        except (ToolconvError, NoCalls):
            continue
        yield Sample(ToolIndex(tools), prose, reasoning, calls, text, turns.writes_ids)
