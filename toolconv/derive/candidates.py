"""The dialect files that may describe a template, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from toolconv.core.errors import ToolconvError
from toolconv.core.tool_call import ToolCall
from toolconv.derive.calls import CallShape, shape_of, with_value_spelling
from toolconv.derive.turns import PROSE, NoCalls, TemplateTurns, tool
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS

Table = dict[str, Any]

CALL: Final = ToolCall("qzname", {"qzkey": "qzvalue"})


def candidates(turns: TemplateTurns, name: str) -> Iterator[Table]:
    """The contents of dialect files, without ``[chat]``.

    Args:
        turns: the template.
        name: the dialect's name.

    Raises:
        NoCalls: the template writes no calls, or their form can't be found.
    """
    shape = shape_of(turns)
    lead = _before_calls(turns)
    for around in _around_prose(turns):
        around = {**around, **lead}
        fields = {key: value for key, value in around.items() if key.startswith("turn")}
        rest = {key: value for key, value in around.items() if key not in fields}
        for spelling in shape.values or ("text",):
            spelled = with_value_spelling(shape, spelling) if shape.values else shape
            spelled = replace(spelled, fields={**spelled.fields, **fields})
            yield {
                "grammar": shape.grammar,
                "name": name,
                **_grammar(spelled),
                **_calls(spelled),
                **rest,
                **_turn_tokens(turns),
                **_reasoning(turns),
            }


def _calls(shape: CallShape) -> Table:
    fields = dict(shape.fields)
    carried: Table = {"carries_ids": True} if "{id" in str(fields["call"]) else {}
    return {**carried, "calls": fields["call"] if list(fields) == ["call"] else fields}


def _grammar(shape: CallShape) -> Table:
    """The fields of a grammar that follow from what the template writes."""
    if shape.grammar != "json_blocks":
        return {"fences": True} if shape.grammar == "name_then_json" and "```" in str(shape.fields["call"]) else {}
    template = CallTemplate(**shape.fields)  # type: ignore[arg-type]
    table = _keys(template)
    if not template.closing:
        table["closing"] = "never"
    table["bare"] = "never" if template.marker else "always"
    if template.between and (template.before.endswith("[") or "," in template.between):
        table["listed"] = True
    return table


def _keys(template: CallTemplate) -> Table:
    """The keys of a call object where they are not the usual ones."""
    table: Table = {}
    for field, hole, usual in (
        ("name_key", "name", "name"),
        ("argument_key", "args", "arguments"),
        ("id_key", "id", "id"),
    ):
        match = re.search(rf'"(\w+)":\s*\{{{hole}[|}}]', template.call)
        if match is not None and match[1] != usual:
            table[field] = match[1]
    return table


def _turn_tokens(turns: TemplateTurns) -> Table:
    own = [token for token in turns.ends if token not in TURN_TOKENS]
    return {"turn_tokens": own} if own else {}


def _reasoning(turns: TemplateTurns) -> Table:
    if turns.reasoning is None:
        return {}
    before, after = turns.reasoning
    table = {"open": before.strip(), "close": after.strip()}
    if before != before.strip():
        table["before"] = before.lstrip()
    if after != after.strip():
        table["after"] = after
    return {} if (before, after) == ("<think>\n", "\n</think>\n\n") else {"reasoning": table}


def _around_prose(turns: TemplateTurns) -> list[Table]:
    """What stands between prose and calls: a separator, or the text of a turn where prose follows the calls."""
    tools = [tool(CALL.name, {"qzkey": "string"})]
    calls = [ToolCall(CALL.name, CALL.arguments, turns.call_id(CALL.name, 0))]
    try:
        alone, both = turns.turn(calls, tools), turns.turn(calls, tools, PROSE)
    except (ToolconvError, NoCalls):
        return [{}]
    before, found, after = both.partition(PROSE)
    if not found or not alone:
        return [{}]
    if after.endswith(alone) and not before.strip():
        return [_separator(after[: -len(alone)])]
    if both.startswith(alone):
        return [{"turn": "{calls}" + both[len(alone) :].replace(PROSE, "{prose}")}]
    at = both.find(alone)
    if at > 0:  # something precedes the prose, or follows the calls
        return [{"turn": both[:at].replace(PROSE, "{prose}") + "{calls}" + both[at + len(alone) :]}]
    return [{}]


def _before_calls(turns: TemplateTurns) -> Table:
    try:
        before = turns.before_calls
    except (ToolconvError, NoCalls):
        return {}
    return {"turn_without_prose": before + "{calls}"} if before else {}


def _separator(text: str) -> Table:
    return {"separator": text} if text else {}
