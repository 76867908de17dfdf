"""What the walk records of a turn: its text and reasoning, its calls, and the responses to these."""

from __future__ import annotations

from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.messages import Message
from toolconv.core.tool_call import ToolCall
from toolconv.lint.model.markup import no_call_names
from toolconv.lint.model.overview import MIN_REPEATED, Overview
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.toolset import accepts_nothing
from toolconv.lint.model.turns import REASONING_KEYS, name_in, text_of

MAX_COMPARED: Final = 50
"""How many calls of a turn are compared with each other."""


class Unclear(ValueError):
    """A row that the walk can't interpret; every rule checks it."""


def record_reasoning(overview: Overview, message: Message, text: str) -> None:
    """Record the fields of a turn that hold reasoning."""
    for key in REASONING_KEYS:
        reasoning = message.get(key)
        if type(reasoning) is str:
            overview.reasoning.append(reasoning)
            if len(reasoning) >= MIN_REPEATED and reasoning.strip() in text:
                overview.facts.add("repeats_reasoning")


def record_text(row: LintRow, overview: Overview, at: int, text: str, *, is_parsed: bool) -> int:
    """Record a text that may contain calls; their number without those that only say that no tool fits."""
    prose = text
    calls: list[ToolCall] = []
    reasoning = None
    if is_parsed:
        parsed = row.parsed[at] = row.parse(text, overview.index)
        calls, reasoning = parsed.calls, parsed.reasoning
        overview.parsed_texts.append((text, parsed))
        if parsed.dropped or parsed.repairs:
            overview.facts.add("malformed")
        for call in calls:
            overview.arguments.append(jsontext.dumps(call.arguments).decode())
            _record_call(overview, call.name, call.arguments, call.id)
        if calls:
            prose = parsed.content
            _compare_calls(overview, [(call.name, call.arguments) for call in calls])
    if not calls:
        overview.prose.append(text)
    if reasoning:
        overview.reasoning.append(reasoning)
    elif "<think>" in text:
        overview.reasoning.append(text)
    for opening in getattr(row.dialect, "all_opens", ()):
        if opening in prose:
            overview.facts.add("unfit")  # possibly an empty block
    return sum(call.name not in no_call_names() for call in calls)


def record_calls(overview: Overview, calls: Any) -> int:
    """Record structured calls; their number."""
    if type(calls) is not list or not calls:
        raise Unclear
    made: list[tuple[Any, Any]] = []
    for call in calls:
        function = call["function"]
        name, arguments = function["name"], function["arguments"]
        if len(function) > 2:
            overview.is_plain = False
        if type(arguments) is str and not overview.converted:
            overview.text_arguments = True
            overview.arguments.append(arguments)
            try:
                arguments = jsontext.loads_plain(arguments, safe=True)
            except ValueError:
                arguments = None
        else:
            overview.object_arguments = True
            overview.arguments.append(jsontext.dumps(arguments).decode())
            if overview.converted and not arguments:
                overview.facts.add("unfit")  # possibly missing in the row
        _record_call(overview, name, arguments, call.get("id"))
        made.append((name, arguments))
    if len(made) > 1:
        _compare_calls(overview, made)
    return len(made)


def _record_call(overview: Overview, name: Any, arguments: Any, call_id: Any) -> None:
    """Record a call."""
    check = overview.toolset.check(name, overview.value)
    if type(arguments) is not dict:  # no object, or one that was not read exactly
        overview.facts.update(("unfit", "inexact", "malformed"))
        overview.is_plain = False
    elif not check(arguments):
        overview.facts.add("unfit")
    if check is accepts_nothing:
        overview.facts.add("undeclared")
    made = name, len(overview.arguments) - 1
    if call_id is None or call_id == "":
        overview.waiting[object()] = made
    elif type(call_id) is not str or call_id in overview.call_ids:
        overview.facts.add("unpaired")
    else:
        overview.call_ids.add(call_id)
        overview.waiting[call_id] = made


def _compare_calls(overview: Overview, made: list[tuple[Any, Any]]) -> None:
    """Compare the calls of a turn, each given as name and arguments."""
    if len(made) > MAX_COMPARED:
        overview.facts.add("repeated")
        return
    for at in range(1, len(made)):  # faster than any()
        if made[at] in made[:at]:
            overview.facts.add("repeated")
            return


def record_response(overview: Overview, response: Message) -> None:
    """Record a tool response, in a message or in a text."""
    waiting = overview.waiting
    content = response.get("content")
    if type(content) is str:
        overview.responses.append(content)
        if len(waiting) > 1 and content.lstrip()[:1] == "[":
            overview.facts.add("unpaired")  # possibly the responses to all calls of a turn
    else:
        overview.responses.append(jsontext.compact(content) if type(content) is dict else text_of(content))
    name, call_id = response.get("name") or name_in(content), response.get("tool_call_id")
    if call_id is None:
        call_id = next((key for key, (called, _) in waiting.items() if name is None or name == called), None)
    called, at = waiting.pop(call_id, (None, -1))
    if called is None or (name is not None and name != called):
        overview.facts.add("unpaired")
    else:
        overview.answered.append((at, len(overview.responses) - 1))
