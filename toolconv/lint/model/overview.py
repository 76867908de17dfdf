"""The results of one walk over a row's conversation: the facts that rules' guards test."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple

from toolconv.core.messages import SYSTEM_ROLES, Row
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.reading.turn_parser import Parsed
from toolconv.layouts.base import Layout
from toolconv.lint.model.toolset import Toolset

MIN_REPEATED: Final = 8
"""Shorter reasoning may well be in the content, too."""

Texts = Literal["assistant", "expected_prose", "prose", "input", "system", "responses", "reasoning", "arguments"]
"""The kinds of texts of a row:

- ``assistant``: the assistant's turns, unchanged; ``expected_prose``: the same in layouts that have calls as structure,
  otherwise none; ``prose``: those without a call.
- ``input``: all other turns; ``system``: the system texts among them; ``responses``: tool responses.
- ``reasoning``: reasoning in fields, and texts that may contain some.
- ``arguments``: the arguments of calls as JSON text.
"""


class TurnCounts(NamedTuple):
    """How many turns a conversation has.

    Attributes:
        turns: all turns.
        plain, single, several: assistant turns without a call, with one, with more.
        called, uncalled: first turns of the assistant after a user turn, with a call and without.
        orderly: the order of the turns is certainly valid for a chat.
    """

    turns: int
    plain: int
    single: int
    several: int
    called: int
    uncalled: int
    orderly: bool

    @property
    def calls(self) -> int:
        """Assistant turns with a call."""
        return self.single + self.several


_USUAL: Final = frozenset({"user", "assistant", "tool"})


@lru_cache(maxsize=512)
def turn_counts(turns: tuple[str | int, ...]) -> TurnCounts:
    """The counts of turns, each given as its number of calls for the assistant, else as its role."""
    calls = [each for each in turns if isinstance(each, int)]
    plain, single = calls.count(0), calls.count(1)
    several = len(calls) - plain - single
    roles = ["assistant" if isinstance(each, int) else each for each in turns]
    first = [after for role, after in zip(roles, turns[1:], strict=False) if role == "user" and isinstance(after, int)]
    uncalled = first.count(0)
    return TurnCounts(len(turns), plain, single, several, len(first) - uncalled, uncalled, _are_orderly(roles))


def _are_orderly(roles: list[str]) -> bool:
    if roles and roles[0] in SYSTEM_ROLES:
        del roles[0]
    return (
        "assistant" in roles
        and roles[0] != "assistant"
        and roles[-1] != "user"
        and _USUAL.issuperset(roles)
        and ("user", "user") not in pairwise(roles)
    )


Fact = Literal[
    "unreadable", "inexact", "undeclared", "unfit", "repeated", "unpaired", "disorderly", "silent", "states_tools",
    "repeats_reasoning", "malformed", "names_repeat", "names_differ",
    "several_answers", "marked", "carries",
]  # fmt: skip
"""What may be wrong with a row. False positives are allowed, false negatives are not.

- ``unreadable``: the line is not a JSON object, or has no known layout. Such a row has no overview.
- ``inexact``: some readers may lose numbers, keys or characters of the line or of arguments.
- ``undeclared``: a call's name may not be that of a declared tool, or not a valid one; it is ``unfit``, too.
- ``unfit``: a call may have a problem with its arguments, or their encoding.
- ``repeated``: a turn may make the same call twice.
- ``unpaired``: calls, responses and their ids or names may not match.
- ``disorderly``: roles may be unknown or in an unusual order.
- ``silent``: an assistant turn may be empty.
- ``states_tools``: a system text may declare tools.
- ``repeats_reasoning``: reasoning may be both in the content and in a field.
- ``malformed``: a text may contain a call that can't be read without repairs.
- ``marked``: a message has a training mark.
- ``several_answers``: the row has several answers to a prompt, which may be the same.
- ``names_repeat``, ``names_differ``: a tool's name is declared twice, or is not valid for every provider.
- ``carries``: a part of the row may hold an answer, messages or calls that no layout reads.
"""


class RowSignature(NamedTuple):
    """What a row has in common with many others; a dataset has many rows and few signatures.

    Attributes:
        file: the row's file.
        layout: its layout; ``None`` if it can't be read.
        has_tools: a tool with a name is declared.
        counts: its numbers of turns.
    """

    file: str
    layout: Layout | None
    has_tools: bool
    counts: TurnCounts


class Overview:
    """The results of a walk.

    Args:
        value: the row.
        layout: the row's layout.
        dialect: the dialect of its texts.
        toolset: the declared tools.
        converted: the walk uses canonical messages instead of those of the row.

    Attributes:
        is_ascii: all texts of the row certainly are.
        is_plain: a reading of the row changes nothing in its messages but how arguments are written.
        facts: the possible problems.
        counts: the numbers of turns.
        text_arguments, object_arguments: the messages have structured calls with arguments as JSON text, as objects.
        assistant, expected_prose, prose, input, system, responses, reasoning, arguments: the texts of each kind.
        parsed_texts: texts of the assistant, each with its parsed form.
        call_ids: the ids of calls.
        waiting: the calls without a response, by id: the name of the tool, and the place of its arguments.
        answered: the calls with a response: the places of the arguments and of the response.
    """

    __slots__ = (
        "_index", "answered", "arguments", "assistant", "call_ids", "converted", "counts", "dialect", "expected_prose",
        "facts", "input", "is_ascii", "is_plain", "layout", "object_arguments", "parsed_texts", "prose", "reasoning",
        "responses", "system", "text_arguments", "toolset", "value", "waiting",
    )  # fmt: skip
    counts: TurnCounts

    def __init__(self, value: Row, layout: Layout, dialect: Dialect | None, toolset: Toolset, converted: bool) -> None:
        self.value = value
        self.layout = layout
        self.converted = converted
        self.is_ascii = self.is_plain = False
        self.dialect = dialect
        self.toolset = toolset
        self._index: ToolIndex | None = None
        self.facts: set[Fact] = set(toolset.facts)
        self.text_arguments = self.object_arguments = False
        self.assistant: list[str] = []
        self.expected_prose: list[str] = [] if layout.calls_in_text else self.assistant
        self.prose: list[str] = self.assistant if dialect is None else []
        self.input: list[str] = []
        self.system: list[str] = []
        self.responses: list[str] = []
        self.reasoning: list[str] = []
        self.arguments: list[str] = []
        self.parsed_texts: list[tuple[str, Parsed]] = []
        self.call_ids: set[str] = set()
        self.waiting: dict[Any, tuple[Any, int]] = {}
        self.answered: list[tuple[int, int]] = []

    @property
    def index(self) -> ToolIndex:
        """The declared tools by name."""
        converted = self.toolset.converted
        if converted is not None:
            return converted.index
        if self._index is None:
            self._index = ToolIndex(self.value["tools"])
        return self._index
