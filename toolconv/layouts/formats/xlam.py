"""xLAM rows: ``query``, ``answers`` and ``tools``, a question and the calls that answer it.

- ``answers`` and ``tools`` are JSON text (or the values): ``{"name", "arguments"}`` calls, and bare functions.
- ``parameters`` are not JSON Schema. They are one object per parameter, with Python's types: ``{"city": {"type": "str,
  optional", "description": …, "default": …}}``. They are read as a schema: ``str`` becomes ``string``, ``List[int]`` an
  array of integers, and a parameter without ``optional`` is required. In rows that mark parameters with ``required:
  true``, or list them beside ``parameters``, those are required. A type without a JSON Schema equivalent is kept under
  ``x-type``. Types are written as Python's. A schema that can't be expressed so (``additionalProperties``, ``$defs``)
  is written as it is, and JSON Schema under ``parameters`` is read as such.
- In Hammer's test sets, ``query`` may be a list of messages: ``user``, ``agent`` (the model's text), ``assistant`` (its
  calls, a JSON list in a code fence) and ``tool``. Calls may have the keys ``tool`` and ``parameters``.

``query`` is written as text if the conversation is one user message and calls, otherwise as such a list. Lost: call ids
and other keys of calls, responses that answer calls out of order, keys of the last message, the order of ``required``.

Source: dataset card of Salesforce/xlam-function-calling-60k; MadeAgents/Hammer, data.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from toolconv.core.conversation import Conversation
from toolconv.core.declarations import declarations
from toolconv.core.flat_parameters import flattened, is_flat, schema_of
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message, Row, calls_of
from toolconv.core.notes import Notes
from toolconv.core.pairing import complete
from toolconv.core.row_fields import RowField, Unit
from toolconv.core.rows import put_in_place, replace_key, same, without
from toolconv.core.tools import function_of
from toolconv.layouts.bare_calls import call_values, read_calls
from toolconv.layouts.base import Layout, LayoutError, Original, as_text, listed, maybe_json, row_for
from toolconv.layouts.speakers import CALL
from toolconv.layouts.tool_schema import bare, opened_tools, read_tool
from toolconv.layouts.turn_list import TurnList, kept_units

FENCED = lazy_re(r"\s*```(?:json)?\s*(\[.*\])\s*```\s*", re.DOTALL)


class HammerQuery(TurnList):
    """Hammer's list of messages under ``query``."""

    name = "xlam"
    flat_parameters = True
    sample = ""
    columns = ("query",)
    keys = ("role", "content")
    names: ClassVar[dict[str, str]] = {
        "system": "system", "user": "user", "agent": "assistant", "assistant": CALL, "tool": "tool",
    }  # fmt: skip
    own: ClassVar[dict[str, str]] = {meaning: name for name, meaning in names.items()}

    def meaning(self, turn: dict[str, Any]) -> str:
        meaning = super().meaning(turn)
        if meaning == CALL and not (isinstance(turn["content"], str) and FENCED.fullmatch(turn["content"])):
            return "assistant"
        return meaning

    def calls_in(self, text: Any) -> Any:
        match = FENCED.fullmatch(text)
        return match[1] if match else text

    def call_text(self, value: Any) -> str:
        return f"```{as_text(value if isinstance(value, list) else [value])}```"


QUERY = HammerQuery()


class XLAM(Layout):
    """A question, its calls, and tools with Python's types."""

    name = "xlam"
    flat_parameters = True
    sample = (
        '{"query":"Weather in Tokyo?",'
        '"answers":"[{\\"name\\": \\"get_weather\\", \\"arguments\\": {\\"city\\": \\"Tokyo\\"}}]",'
        '"tools":"[{\\"name\\": \\"get_weather\\", \\"parameters\\": {\\"city\\": {\\"type\\": \\"str\\"}}}]"}'
    )

    def matches(self, row: Row) -> bool:
        if "query" not in row or "answers" not in row:
            return False
        query = row["query"]
        if not isinstance(query, str) and QUERY.find(row) is None:
            return False
        return _answers(row["answers"]) is not None

    def decode(self, row: Row) -> Conversation:
        notes = Notes()
        query = row.get("query")
        if QUERY.find(row) is not None:
            asked = QUERY.decode({"query": query})
            messages, field = asked.messages, asked.fields[0]
        elif isinstance(query, str):
            messages, field = [{"role": "user", "content": query}], RowField("/query", 1)
        else:
            raise LayoutError("no text and no list of messages under 'query'")
        fields = [field]
        answers = _answers(row.get("answers"))
        if answers is None and "answers" in row:
            raise LayoutError("no list of calls under 'answers'")
        if answers is not None:
            try:
                calls = read_calls([_openai_keys(answer) for answer in answers], notes) if answers else []
            except ValueError as error:
                raise LayoutError(f"'answers' holds something that is no call: {error}") from None
            if not messages or messages[-1]["role"] != "assistant" or messages[-1].get("tool_calls"):
                messages.append({"role": "assistant", "content": ""})
            else:
                fields = [field._replace(size=field.size - 1)]
            fields.append(RowField("/answers", 1))
            if calls:
                messages[-1]["tool_calls"] = calls
        canonical = replace_key(without(row, ("answers",)), "query", "messages", messages)
        if "tools" in row:
            canonical["tools"] = read_flat_tools(row["tools"], notes)
        complete(messages)
        return Conversation(canonical, notes, fields=fields)

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        messages, answers = self._divided(conversation.messages, conversation.notes)
        units = QUERY.write_units(messages, QUERY.own, conversation.notes)
        if original is None:
            return self._row(conversation, _query(units), answers)
        came, read = original
        before, _ = self._divided(read.messages, Notes())
        field = read.fields[0]
        if field.pieces is None:
            query = _query(units)
        else:
            old = field._replace(size=len(before)).units(before) if len(before) == len(field.starts or ()) else []
            query = [turn for unit in kept_units(units, old) for turn in unit.pieces]
        came_answers = _answers(came.get("answers"))
        if answers and came_answers and all({"tool", "parameters"} <= answer.keys() for answer in came_answers):
            answers = [{"tool": answer["name"], "parameters": answer["arguments"]} for answer in answers]
        row = self._row(conversation, query, answers)
        if "answers" in row and "answers" in came:
            if not isinstance(came["answers"], str):
                row["answers"] = maybe_json(row["answers"])
            if same(conversation.messages[-1:], read.messages[-1:]):
                row["answers"] = came["answers"]
        if "tools" in row and not isinstance(came.get("tools", ""), str):
            row["tools"] = maybe_json(row["tools"])
        return row

    def _divided(self, messages: list[Message], notes: Notes) -> tuple[list[Message], list[Any] | None]:
        """The messages of the query, and the calls that answer it: those of the last message, from the assistant."""
        messages, answers = list(messages), None
        if messages and messages[-1].get("role") == "assistant":
            last = messages.pop()
            answers = call_values(calls_of(last), notes)
            if last.get("content") or last.get("reasoning_content"):
                messages.append({key: value for key, value in last.items() if key != "tool_calls"})
            else:
                if not last.keys() <= {"role", "content", "tool_calls", "reasoning_content"}:
                    notes.losses.append("message_keys")
                if messages and messages[-1].get("role") == "assistant" and not calls_of(messages[-1]):
                    notes.losses.append("turns_merged")
        return messages, answers

    def _row(self, conversation: Conversation, query: Any, answers: list[Any] | None) -> Row:
        found = {"query": query} if answers is None else {"query": query, "answers": as_text(answers)}
        row = put_in_place(row_for(conversation, "query", "answers"), "messages", found)
        if "tools" in row:
            row["tools"] = as_text(flat_tools(row["tools"], conversation.notes))
        return row


def _query(units: list[Unit]) -> Any:
    """The text of the only message if it is the user's, otherwise the turns."""
    turns = [turn for unit in units for turn in unit.pieces]
    alone = len(turns) == 1 and turns[0].keys() == {"role", "content"} and turns[0]["role"] == "user"
    return turns[0]["content"] if alone and isinstance(turns[0]["content"], str) else turns


def _answers(value: Any) -> list[dict[str, Any]] | None:
    if value == [] or (isinstance(value, str) and value.strip() == "[]"):
        return []
    return listed(value)


def _openai_keys(answer: dict[str, Any]) -> dict[str, Any]:
    """A call with the keys ``name`` and ``arguments``."""
    if "name" in answer or "tool" not in answer or "parameters" not in answer:
        return answer
    return {{"tool": "name", "parameters": "arguments"}.get(key, key): value for key, value in answer.items()}


# ── tools ──


def read_flat_tools(value: Any, notes: Notes) -> Any:
    """The value of ``tools``, with flat parameters, as canonical tools."""
    tools = opened_tools(value)
    found = list(declarations(tools)) if isinstance(tools, list | dict) else []
    if not isinstance(tools, list) and not any(each.named for each in found):
        return tools
    tools = [each.tool for each in found]
    functions = [function_of(tool) for tool in tools]
    marked = any(
        isinstance(definition, dict) and isinstance(definition.get("required"), bool)
        for function in functions
        if function is not None and is_flat(function.get("parameters"))
        for definition in function["parameters"].values()
    )
    return [
        tool if function is None else read_tool(_with_schema(tool, function, marked), notes)
        for tool, function in zip(tools, functions, strict=True)
    ]


def _with_schema(tool: dict[str, Any], function: dict[str, Any], marked: bool) -> dict[str, Any]:
    if not is_flat(function.get("parameters")):
        return tool
    named = function.get("required")
    given = named if isinstance(named, list) else None
    schema = schema_of(function["parameters"], marked=marked, given=given)
    function = {key: schema if key == "parameters" else value for key, value in function.items()}
    if given is not None:
        del function["required"]
    return {**tool, "function": function} if "function" in tool else function


def flat_tools(value: Any, notes: Notes) -> Any:
    """Canonical tools as bare functions with flat parameters. Schemas that can't be flat stay."""
    if not isinstance(value, list):
        return value
    result = []
    for tool in bare(value):
        function = function_of(tool) or {}
        parameters = function.get("parameters")
        flat = flattened(parameters, notes) if isinstance(parameters, dict) else parameters
        if flat is parameters:
            result.append(tool)
        elif function is tool:
            result.append({**function, "parameters": flat})
        else:
            result.append({**tool, "function": {**function, "parameters": flat}})
    return result


LAYOUT = XLAM()
