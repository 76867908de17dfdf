"""Benchmark rows: ``question``, ``function`` and ``ground_truth``, of BFCL and of ACEBench.

- ``question`` is a list of turns, each a list of messages (BFCL), or a list of messages, or a dialogue as text whose
  lines begin with ``user:`` and ``system:``, the latter being the assistant (ACEBench).
- ``function`` holds bare declarations, with the schema under ``parameters`` or ``arguments``. Type names of Python,
  Java and JavaScript (``dict``, ``float``, ``tuple``, ``HashMap``) become JSON Schema's.
- ``ground_truth`` holds calls ``{"name": {"argument": [accepted values]}}``, or Python calls as text, for each turn in
  multi-turn rows, or one object of calls by name, numbered (``name_1``) if a tool is called twice (ACEBench).

The calls are read as an assistant turn after their question. Each argument has the first accepted value that the
declared type allows, or else the first one, such as the name of a variable. An argument that may be left out (``""``
comes first) is left out. ``ground_truth`` stays in the row, since other values are accepted too. A truth without calls
(none, an answer, a list of missing parameters) gives no turn. A call that can't be read counts as dropped. Rows are
only read.

Source: ShishirPatil/gorilla, berkeley-function-call-leaderboard; ACEBench/ACEBench.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Dropped, Notes
from toolconv.core.pairing import number_calls
from toolconv.core.row_fields import RowField
from toolconv.core.schema_types import types_of
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.core.type_names import ANY, NAMES, type_of
from toolconv.layouts.base import Layout, LayoutError, maybe_json
from toolconv.layouts.nested_json import opened
from toolconv.layouts.tool_schema import read_tools

SPEAKER = lazy_re(r"^(user|system): ?", re.MULTILINE)
NUMBERED = lazy_re(r"_[0-9]+$")
LEFT_OUT = object()


class Bfcl(Layout):
    """Questions with the calls that answer them."""

    name = "bfcl"
    aliases = ("acebench",)
    lacks = frozenset({"responses", "answer"})
    sample = (
        '{"id":"simple_1","question":[[{"role":"user","content":"Weather in Tokyo?"}]],"function":[{"name":'
        '"get_weather","parameters":{"type":"dict","properties":{"city":{"type":"string"}}}}],"ground_truth":[{'
        '"get_weather":{"city":["Tokyo","Tokyo, JP"]}}]}'
    )

    def matches(self, row: Row) -> bool:
        functions = row.get("function")
        written = isinstance(functions, str) and functions.lstrip().startswith(("[", "{"))
        return "question" in row and (written or isinstance(functions, list | dict))

    def decode(self, row: Row) -> Conversation:
        turns = list(_turns(row.get("question")))
        if not turns or "function" not in row:
            raise LayoutError("no question and functions")
        notes = Notes()
        functions = maybe_json(row["function"])
        functions = functions if isinstance(functions, list) else [functions]
        tools = read_tools(_typed(functions), notes)
        reader = _TruthReader(ToolIndex(tools), notes)
        truths = list(_truths(row.get("ground_truth"), len(turns)))
        messages: list[Message] = []
        for number, turn in enumerate(turns):
            messages.extend(reader.spoken(message) for message in turn)
            if number < len(truths) and (calls := reader.calls(truths[number])):
                messages.append({"role": "assistant", "content": "", "tool_calls": calls})
        for truth in truths[len(turns) :]:
            notes.dropped += [Dropped("a truth of no turn", jsontext.compact(truth))] * bool(reader.calls(truth))
        number_calls(messages)
        renamed = {"question": ("messages", messages), "function": ("tools", tools)}
        canonical = dict(renamed.get(key, (key, value)) for key, value in row.items())
        return Conversation(canonical, notes, fields=(RowField("", len(messages)),))


def _turns(question: Any) -> Iterator[list[Message]]:
    """The messages of a question, turn by turn."""
    if isinstance(question, str):
        marks = list(SPEAKER.finditer(question))
        if not marks:
            yield [{"role": "user", "content": question}]
        else:
            ends = [*(mark.start() for mark in marks[1:]), len(question)]
            roles = {"user": "user", "system": "assistant"}
            yield [
                {"role": roles[mark[1]], "content": question[mark.end() : end].removesuffix("\n")}
                for mark, end in zip(marks, ends, strict=True)
            ]
    elif isinstance(question, list):
        is_one = bool(question) and all(isinstance(message, dict) for message in question)
        for turn in [question] if is_one else question:
            while isinstance(turn, list) and turn and all(isinstance(item, list) for item in turn):
                turn = [message for item in turn for message in item]
            if turn and not (isinstance(turn, list) and all(isinstance(message, dict) for message in turn)):
                raise LayoutError("a turn of the question is no list of messages")
            yield [dict(message) for message in turn or ()]


def _truths(truth: Any, turns: int) -> Iterator[Any]:
    """The truth of each turn. One that is not divided by turns belongs to the last turn."""
    if isinstance(truth, list) and truth and all(isinstance(calls, list) for calls in truth):
        yield from truth
    else:
        yield from [None] * (turns - 1)
        yield truth


def _typed(schema: Any) -> Any:
    """Declarations with JSON Schema's names of types."""
    if isinstance(schema, list):
        return [_typed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result: Row = {}
    for key, value in schema.items():
        if key != "type" or not isinstance(value, str):
            result[key] = _typed(value) if key not in ("default", "enum", "const") else value
            continue
        name = NAMES.get(value.strip().lower(), value)
        if name != ANY:
            result[key] = name
    return result


class _TruthReader:
    """Reads calls as benchmarks write them."""

    def __init__(self, tools: ToolIndex, notes: Notes) -> None:
        self.tools = tools
        self.notes = notes

    def spoken(self, message: Message) -> Message:
        """A message of the question. If it is only a list of calls, they are read (ACEBench)."""
        content = message.get("content")
        if message.get("role") != "assistant" or not isinstance(content, str) or not content.startswith("["):
            return message
        try:
            calls = [call.to_canonical() for call in self.python(content)]
        except ValueError:
            return message
        return {**message, "content": "", "tool_calls": calls}

    def calls(self, truth: Any) -> list[Row]:
        """The calls of a truth, as canonical items."""
        found: list[ToolCall] = []
        if isinstance(truth, dict):
            found.extend(self.in_object(truth, self.accepted if self._lists_accepted(truth) else self.by_number))
        for item in truth if isinstance(truth, list) else ():
            if isinstance(item, dict):
                found.extend(self.in_object(item, self.accepted))
            elif isinstance(item, str):
                try:
                    found.extend(self.python(item))
                except ValueError as error:
                    self.notes.dropped.append(Dropped(str(error), item))
            elif item:
                self.notes.dropped.append(Dropped("neither calls nor texts of calls", jsontext.compact(item)))
        return [call.to_canonical() for call in found]

    def _lists_accepted(self, truth: Row) -> bool:
        """Whether the arguments of an object by name are lists of accepted values: one is declared as no list."""
        return any(
            isinstance(value, list) and not _fits(value, (self.tools.properties(self.bare(name)) or {}).get(key), None)
            for name, arguments in truth.items()
            if isinstance(arguments, dict) and all(isinstance(value, list) for value in arguments.values())
            for key, value in arguments.items()
        )

    def in_object(self, truth: Row, read: Callable[[str, Row], ToolCall]) -> Iterator[ToolCall]:
        """The calls in an object of arguments, which may be texts, by the names of tools."""
        for name, value in truth.items():
            arguments = opened(value)
            if isinstance(arguments, dict):
                yield read(name, arguments)
            elif isinstance(value, str) and self.bare(name) in self.tools:
                self.notes.dropped.append(Dropped(f"call of {name!r}: arguments that are no object", value))

    def bare(self, name: str) -> str:
        """A name without its number, if that is a tool's."""
        bare = NUMBERED.sub("", name)
        return bare if name not in self.tools and bare in self.tools else name

    def by_number(self, name: str, arguments: Row) -> ToolCall:
        return ToolCall(self.bare(name), arguments)

    def accepted(self, name: str, arguments: Row) -> ToolCall:
        name = self.bare(name)
        schema = self.tools.parameters(name) or {}
        return ToolCall(name, _members(arguments, schema, schema))

    def python(self, text: str) -> Iterator[ToolCall]:
        """The calls of a Python expression: a call or a list of calls.

        Raises:
            ValueError: it is something else.
        """
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            raise ValueError("no Python call") from None
        nodes = tree.elts if isinstance(tree, ast.List) else [tree]
        if not nodes or not all(isinstance(node, ast.Call) for node in nodes):
            raise ValueError("no Python call")
        for node in nodes:
            assert isinstance(node, ast.Call)
            name = ast.unparse(node.func)
            given = list(self.tools.properties(name) or ())
            if len(node.args) > len(given) or any(keyword.arg is None for keyword in node.keywords):
                raise ValueError("arguments without a name")
            values = [*zip(given, node.args, strict=False), *((str(word.arg), word.value) for word in node.keywords)]
            try:
                arguments = {key: _plain(ast.literal_eval(value)) for key, value in values}
            except ValueError:  # whose message has the address of an object
                raise ValueError(f"call of {name!r}: arguments that are no literals") from None
            yield ToolCall(name, arguments)


def _plain(value: Any) -> Any:
    """A Python literal as a JSON value."""
    if isinstance(value, set):
        value = sorted(value, key=repr)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, bytes | complex) or value is ...:
        raise ValueError("a literal that JSON does not have")
    return value


def _members(values: Row, schema: Any, root: Any) -> Row:
    """An object of lists of accepted values, reduced to one value each."""
    declared = schema.get("properties") if isinstance(schema, dict) else None
    declared = declared if isinstance(declared, dict) else {}
    taken = {key: _taken(value, declared.get(key), root) for key, value in values.items()}
    return {key: value for key, value in taken.items() if value is not LEFT_OUT}


def _taken(accepted: Any, schema: Any, root: Any) -> Any:
    """The first of the accepted values, which may be JSON text, that the schema allows, or else the first one."""
    accepted = opened(accepted)
    if not isinstance(accepted, list):
        return accepted
    if not accepted or accepted[0] == "":
        return LEFT_OUT
    values = [value for value in accepted if value != ""]
    value = next((value for value in values if _fits(value, schema, root)), values[0])
    if isinstance(value, dict):
        return _members(value, schema, root)
    if isinstance(value, list):
        items = schema.get("items") if isinstance(schema, dict) else None
        return [_members(item, items, root) if isinstance(item, dict) else item for item in value]
    return value


def _fits(value: Any, schema: Any, root: Any) -> bool:
    allowed = types_of(schema, root)
    kind = type_of(value)
    return allowed is None or kind in allowed or (kind == "integer" and "number" in allowed)


LAYOUT = Bfcl()
