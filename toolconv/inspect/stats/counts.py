"""Count layouts, dialects, turns, calls, and the arguments passed to each tool."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import islice
from typing import Any, Final, NamedTuple

from toolconv import layouts
from toolconv.convert.receipt import Receipt
from toolconv.convert.result import Reading
from toolconv.core.answers import conversations_of
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, read_calls_of
from toolconv.core.plural import plural
from toolconv.inspect.stats.lengths import FileCounts, Lengths
from toolconv.lint.model.markup import no_call_names
from toolconv.lint.model.turns import text_of
from toolconv.lint.schema.parameters import parameters_of
from toolconv.lint.texts.behaviour import BEHAVIOURS, Behaviour, Said, behaviours

NAMELESS = "(no name)"
MAX_SHAPES: Final = 100  # combinations of names that a tool remembers before it counts them

MAX_DECLARATIONS: Final = 1024
"""How many declarations are known at a time."""


class ParameterNames(NamedTuple):
    """The names of the parameters that a tool declares, ``None`` if it lists none, and of those that it requires."""

    properties: tuple[str, ...] | None
    required: tuple[str, ...]


_UNDECLARED: Final = ParameterNames(None, ())
_Shape = tuple[ParameterNames, tuple[str, ...]]


@dataclass(slots=True, repr=False, eq=False)
class ArgumentCounts:
    """Counts of a tool's calls with respect to one argument.

    Attributes:
        given: calls that pass the argument.
        declared: calls whose row declares it as a parameter.
        required: calls whose row requires it.
        missing: calls that omit it although their row requires it.
        undeclared: calls that pass it although their row declares the tool without it.
    """

    given: int = 0
    declared: int = 0
    required: int = 0
    missing: int = 0
    undeclared: int = 0

    @property
    def note(self) -> str:
        """Whether the argument is required, missing or undeclared; empty for an optional one."""
        if self.missing:
            return f"required, missing in {self.missing:,}"
        if self.undeclared:
            return "undeclared" if self.undeclared == self.given else f"undeclared in {self.undeclared:,}"
        return "required" if self.required else ""


@dataclass(slots=True, repr=False, eq=False)
class ToolCounts:
    """Counts for the tools of one name.

    Attributes:
        rows: rows that declare the tool.
        calls: calls of the tool.
        undeclared: calls in rows that don't declare it.
    """

    rows: int = 0
    calls: int = 0
    undeclared: int = 0
    _arguments: defaultdict[str, ArgumentCounts] = field(default_factory=lambda: defaultdict(ArgumentCounts))
    _shapes: dict[_Shape, int] = field(default_factory=dict)

    @property
    def note(self) -> str:
        """How often the tool is called, and how many of the calls are undeclared."""
        if not self.undeclared:
            return plural(self.calls, "call")
        some = f"{self.undeclared:,} in rows that don't declare it" if self.rows else "never declared"
        return f"{plural(self.calls, 'call')}, {some}"

    def add_call(self, names: ParameterNames, given: Iterable[str]) -> None:
        """Count the names of a call's arguments, once for each combination of names, since most calls repeat one.

        Args:
            names: those of the parameters that the row declares.
            given: those that the call passes.
        """
        shape = (names, tuple(given))
        self._shapes[shape] = self._shapes.get(shape, 0) + 1
        if len(self._shapes) >= MAX_SHAPES:
            self._settle()

    @property
    def arguments(self) -> dict[str, ArgumentCounts]:
        """Counts by argument name; declared arguments are in the order of the declaration."""
        self._settle()
        return self._arguments

    def merge(self, other: ToolCounts) -> None:
        """Add the counts of later rows."""
        self.rows += other.rows
        self.calls += other.calls
        self.undeclared += other.undeclared
        if other._arguments:
            self._settle()
        for name, counts in other._arguments.items():
            argument = self._arguments[name]
            argument.given += counts.given
            argument.declared += counts.declared
            argument.required += counts.required
            argument.missing += counts.missing
            argument.undeclared += counts.undeclared
        for shape, calls in other._shapes.items():
            self._shapes[shape] = self._shapes.get(shape, 0) + calls
        if len(self._shapes) >= MAX_SHAPES:
            self._settle()

    def _settle(self) -> None:
        """Count the arguments of the combinations."""
        for ((properties, required), given), calls in self._shapes.items():
            declared, needed, present = frozenset(properties or ()), frozenset(required), frozenset(given)
            for name in properties or ():
                argument = self._arguments[name]
                argument.declared += calls
                if name in needed:
                    argument.required += calls
                    argument.missing += 0 if name in present else calls
            for name in given:
                argument = self._arguments[name]
                argument.given += calls
                argument.undeclared += 0 if properties is None or name in declared else calls
        self._shapes.clear()


class DatasetCounts:
    """Counts over all rows of the inputs.

    Attributes:
        receipt: the receipt of reading: rows, turns, calls, repairs, rejects.
        layouts: rows by layout.
        dialects: calls read from text, by dialect; all other calls were structured.
        roles: turns by role.
        behaviours: turns of the assistant by what they do, and declined requests of layouts that hold only calls;
            ``requests``: those that directly follow the user.
        with_calls: rows with a call.
        tools: the declared or called tools, by name.
        lengths: how long rows are.
        files: what each input holds, by name.
    """

    def __init__(self) -> None:
        self.lengths = Lengths()
        self.files: dict[str, FileCounts] = {}
        self.receipt = Receipt()
        self.layouts: Counter[str] = Counter()
        self.dialects: Counter[str] = Counter()
        self.roles: Counter[str] = Counter()
        self.behaviours: Counter[Behaviour] = Counter()
        self.requests: Counter[Behaviour] = Counter()
        self.with_calls = 0
        self.tools: defaultdict[str, ToolCounts] = defaultdict(ToolCounts)

    def add_row(self, reading: Reading, count_tokens: Callable[[str], int] | None) -> None:
        """Count a row that was read or rejected. Whoever read it updates the receipt.

        Args:
            reading: the row, whose calls must be structured.
            count_tokens: counts the tokens of a text; ``None`` without a tokenizer.
        """
        file = self.files.setdefault(reading.file, FileCounts())
        file.rows += 1
        conversation = reading.conversation
        if conversation is None:
            file.rejects += 1
            return
        line = reading.text.decode("utf-8", "replace").strip()
        turns, called = self.add(conversation)
        file.with_calls += bool(called)
        file.calls += len(called)
        file.characters.add(len(line))
        numbers = {
            "characters": len(line),
            "turns": turns,
            "calls": len(called),
            "tools declared": len(conversation.declared.functions),
            "tools called": len(set(map(str, called))),
        }
        if count_tokens is not None:
            numbers["tokens"] = count_tokens(line)
        self.lengths.add(numbers)

    def add(self, conversation: Conversation) -> tuple[int, list[Any]]:
        """Count a conversation, whose calls must be structured. Whoever read it updates the receipt.

        Returns:
            How many turns it has, and the names of the tools that it calls, one for each call.
        """
        if conversation.origin is not None:
            self.layouts[conversation.origin[0]] += 1
        if conversation.notes.text_dialects:
            self.dialects.update(conversation.notes.text_dialects)
        declared = conversation.declared.functions
        for name in declared:
            self.tools[name].rows += 1
        called: list[Any] = []
        turns = [_said(message) for message in conversation.all_messages]
        for message, turn in zip(conversation.all_messages, turns, strict=True):
            self.roles[turn.role] += 1
            if turn.calls:
                for call in read_calls_of(message):
                    called.append(call["function"].get("name"))
                    self._call(call["function"], declared)
        self.with_calls += bool(called)
        answers, has_tools = conversation.answers, bool(declared)
        if answers is None:
            self._count_behaviours(conversation, turns, has_tools=has_tools)
        else:
            for each in conversations_of(conversation):
                own = [_said(message) for message in each.messages]
                self._count_behaviours(each, own, 0 if each is conversation else answers.shared, has_tools=has_tools)
        return len(turns), called

    def merge(self, other: DatasetCounts) -> None:
        """Add the counts of later rows, without their receipt."""
        self.layouts.update(other.layouts)
        self.dialects.update(other.dialects)
        self.roles.update(other.roles)
        self.behaviours.update(other.behaviours)
        self.requests.update(other.requests)
        self.with_calls += other.with_calls
        self.lengths.merge(other.lengths)
        for file, found in other.files.items():
            self.files.setdefault(file, FileCounts()).merge(found)
        for name, tool in other.tools.items():
            self.tools[name].merge(tool)

    def _count_behaviours(
        self, conversation: Conversation, turns: Sequence[Said], known: int = 0, *, has_tools: bool
    ) -> None:
        """Count what the assistant does in each of its turns after the first ``known`` messages."""
        known = sum(turn.role == "assistant" for turn in turns[:known])
        silent = conversation.origin is not None and _has_no_answers(conversation.origin[0])
        found = behaviours(turns, has_tools=has_tools, no_call=no_call_names(), silent=silent)
        for behaviour, is_first in islice(found, known, None):
            self.behaviours[behaviour] += 1
            if is_first:
                self.requests[behaviour] += 1

    def _call(self, function: Mapping[str, Any], declared: Mapping[str, Any]) -> None:
        name = function.get("name")
        tool = self.tools[name if isinstance(name, str) else NAMELESS]
        tool.calls += 1
        declaration = declared.get(name) if isinstance(name, str) else None
        tool.undeclared += declaration is None
        tool.add_call(_UNDECLARED if declaration is None else _names_in(declaration), function["arguments"])

    # ── results ──

    @property
    def calls(self) -> int:
        """The number of calls."""
        return self.receipt.tool_calls.total()

    @property
    def structured(self) -> int:
        """The number of calls that were structured in the input."""
        return self.calls - self.dialects.total()

    @property
    def turns_by_calls(self) -> dict[str, int]:
        """The assistant turns by their number of calls: none, one, several."""
        receipt = self.receipt
        return {
            "no call": receipt.assistant_turns - receipt.turns_with_calls,
            "one call": receipt.turns_with_calls - receipt.turns_with_several,
            "several calls": receipt.turns_with_several,
        }

    @property
    def called(self) -> list[tuple[str, ToolCounts]]:
        """The called tools, most calls first."""
        called = [(name, tool) for name, tool in self.tools.items() if tool.calls]
        return sorted(called, key=lambda item: (-item[1].calls, item[0]))

    @property
    def never_called(self) -> list[str]:
        """The tools that are declared but never called."""
        return sorted(name for name, tool in self.tools.items() if not tool.calls)

    def as_json(self, version: str, files: Sequence[str]) -> dict[str, Any]:
        """All counts as JSON data, with the receipt's keys where it has them."""
        receipt = self.receipt
        account = receipt.as_json(version, {}, {})["function_calling"]
        return {
            "toolconv": version,
            "files": list(files),
            "rows_in": receipt.rows_in,
            "rows_with_calls": self.with_calls,
            "rejects": account["rejects"],
            "layouts": dict(self.layouts.most_common()),
            "lengths": self.lengths.as_json(),
            "by_file": {name: found.as_json() for name, found in self.files.items()},
            "turns": dict(self.roles.most_common()),
            "assistant_turns": {key.replace(" ", "_"): count for key, count in self.turns_by_calls.items()},
            "behaviours": {name.replace(" ", "_"): self.behaviours[name] for name in BEHAVIOURS},
            "requests": {name.replace(" ", "_"): self.requests[name] for name in BEHAVIOURS if self.requests[name]},
            "no_call_ratio": account["no_call_ratio"],
            "parallel_ratio": account["parallel_ratio"],
            "n_tool_calls": self.calls,
            "structured_calls": self.structured,
            "calls_in_text": dict(self.dialects.most_common()),
            "dropped_calls": account["dropped_calls"],
            "repairs": account["repairs"],
            "losses": account["losses"],
            "tools": [_tool_as_json(name, tool) for name, tool in self.called],
            "never_called": {name: self.tools[name].rows for name in self.never_called},
        }


def _said(message: Message) -> Said:
    """A turn as its behaviour is judged."""
    role = str(message.get("role"))
    if role != "assistant":
        return _silent(role)
    names = tuple([str(call["function"].get("name")) for call in read_calls_of(message)])
    return Said(role, text_of(message.get("content")), names)


@lru_cache(maxsize=64)
def _silent(role: str) -> Said:
    """A turn of another role: nothing else of it is judged."""
    return Said(role, "")


@cache
def _has_no_answers(layout: str) -> bool:
    """Whether a layout has calls only, so that a last request without any is declined."""
    return "answer" in layouts.get(layout).lacks


def _tool_as_json(name: str, tool: ToolCounts) -> dict[str, Any]:
    return {
        "name": name,
        "calls": tool.calls,
        "rows_declaring": tool.rows,
        "undeclared_calls": tool.undeclared,
        "arguments": [
            {
                "name": parameter,
                "given": argument.given,
                "coverage": round(argument.given / tool.calls, 6),
                "declared": argument.declared,
                "required": argument.required,
                "missing": argument.missing,
                "undeclared": argument.undeclared,
            }
            for parameter, argument in tool.arguments.items()
        ],
    }


_known: dict[int, tuple[Mapping[str, Any], ParameterNames]] = {}
"""Declarations by their identity, with their names: many rows have the same object."""


def _names_in(declaration: Mapping[str, Any]) -> ParameterNames:
    """The names of a tool's parameters."""
    known = _known.get(id(declaration))
    if known is None or known[0] is not declaration:
        if len(_known) >= MAX_DECLARATIONS:
            _known.clear()
        known = _known[id(declaration)] = declaration, _read_names(declaration)
    return known[1]


def _read_names(declaration: Mapping[str, Any]) -> ParameterNames:
    if declaration.get("parameters") in (None, {}):
        return ParameterNames((), ())
    schema = parameters_of(declaration["parameters"]).schema
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        return _UNDECLARED
    return ParameterNames(_named(schema, "properties"), _named(schema, "required"))


def _named(schema: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """The property names under a key of a schema."""
    names = schema.get(key)
    if isinstance(names, list):
        return tuple([name for name in names if isinstance(name, str)])
    return tuple(names) if isinstance(names, dict) else ()
