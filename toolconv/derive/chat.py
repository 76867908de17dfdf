"""How a template declares tools and feeds results back, as the table ``[chat]`` of a dialect file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Any

from toolconv.core.errors import ToolconvError
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message, Tool
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import function_of
from toolconv.derive import toml
from toolconv.derive.turns import PROSE, USER, NoCalls, TemplateTurns, tool
from toolconv.dialects.dialect_file import TOOL_NOTATIONS, from_toml

SYSTEM, VALUE, RESULTS = "qzsystem", "qzvalue", ("qzresulta", "qzresultb")
NAMES = ("qzfirst", "qzsecond")
DATE = lazy_re(r"\d{4}-\d{2}-\d{2}|\d{1,2} [A-Z][a-z]{2,8},? \d{4}|[A-Z][a-z]{2,8} \d{1,2},? \d{4}")
Table = dict[str, Any]


def chat_of(turns: TemplateTurns) -> tuple[Table, list[str]]:
    """The fields of ``[chat]``, and what a dialect file can't say of the template's chat."""
    table: Table = {}
    missing = []
    for what, learn in (("declarations", _declarations), ("results", _results)):
        try:
            learned = learn(turns)
            if _holds_borders(turns, learned):
                raise NoCalls("they are in turns of their own")
            table |= learned
        except (ToolconvError, NoCalls, ValueError):
            missing.append(what)
    return table, missing


def _holds_borders(turns: TemplateTurns, table: Table) -> bool:
    """Whether a text of ``[chat]`` holds what opens or ends turns, or a word of these conversations."""
    header, _ = _user_turn(turns)
    borders = [token for token in turns.ends if token != turns.call_end.strip()]
    borders += [part for part in (header.strip(), header.strip().partition("user")[0]) if len(part) > 3]
    words = [*NAMES, *RESULTS, SYSTEM, USER, *borders]
    return any(word in text for text in table.values() if isinstance(text, str) for word in words)


def _declarations(turns: TemplateTurns) -> Table:
    tools = [tool(name, {"city": "string", "days": "integer"}) for name in NAMES]
    messages: list[Message] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}]
    before, _, after = turns.text(messages, {}, []).partition(SYSTEM)
    text = turns.text(messages, {}, tools)
    if not (text.startswith(before) and text.endswith(after)) or text.count(SYSTEM) != 1:
        raise NoCalls("tools are declared outside of the system turn")
    declared = text[len(before) : len(text) - len(after)]
    table: Table = {}
    if declared.startswith(SYSTEM):
        block = declared[len(SYSTEM) :]
        apart = block[: len(block) - len(block.lstrip())]
        block = block[len(apart) :]
    elif declared.endswith(SYSTEM):
        block = declared[: -len(SYSTEM)]
        apart = block[len(block.rstrip()) :]
        block = block.rstrip()
        table["tools_first"] = True
    else:
        raise NoCalls("the system text is inside of the declarations")
    if apart != "\n\n":
        table["tools_apart"] = apart
    table |= _listing(block, tools)
    texts = [text for text in table.values() if isinstance(text, str)]
    if any(str(date.today().year) in found for text in texts for found in DATE.findall(text)):
        raise NoCalls("they hold the date of today")
    _check_declarations(turns, table, before, after)
    return table


def _check_declarations(turns: TemplateTurns, table: Table, before: str, after: str) -> None:
    """Check that other tools are declared likewise.

    Raises:
        NoCalls: they aren't.
    """
    chat = from_toml(toml.document({"grammar": "json_blocks", "name": "chat", "chat": table})).chat
    others = [
        tool("get_weather", {"city": "string"}),
        tool("ping", {}),
        tool("send", {"to": "array", "all": "boolean"}),
    ]
    messages: list[Message] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": USER}]
    for tools in (others[:1], others):
        declared = before + chat.declare("Be brief.", tools) + after
        if declared != turns.text(messages, {}, tools):
            raise NoCalls("other tools are declared in another way")


def _listing(block: str, tools: Sequence[Tool]) -> Table:
    """The text around the tools and between them, and their notation."""
    for name, notation in TOOL_NOTATIONS.items():
        for bare in (True,) if notation.bare else (False, True):
            first, second = (notation.write((function_of(each) or each) if bare else each) for each in tools)
            start, again = block.find(first), block.find(second)
            if start < 0 or again < start:
                continue
            table: Table = {"tools_open": block[:start], "tools_close": block[again + len(second) :]}
            between = block[start + len(first) : again]
            if between != notation.between:
                table["tools_between"] = between
            if name != "json":
                table["tool"] = name
            if bare and not notation.bare:
                table["bare_tools"] = True
            return table
    raise NoCalls("tools are declared in a notation of their own")


def _results(turns: TemplateTurns) -> Table:
    tools = [tool(name, {"city": "string"}) for name in NAMES]
    count = 2 if turns.writes_parallel_calls else 1
    calls = [ToolCall(name, {"city": VALUE}, turns.call_id(name, index)) for index, name in enumerate(NAMES[:count])]
    asked: list[Message] = [{"role": "user", "content": USER}, {"role": "assistant", "content": ""}]
    answers: list[Message] = [
        {"role": "tool", "name": call.name, "tool_call_id": call.id, "content": result}
        for call, result in zip(calls, RESULTS, strict=False)
    ]
    without = turns.text(asked, {1: calls}, tools)
    text = turns.text([*asked, *answers], {1: calls}, tools)
    header, end = _user_turn(turns)
    gap = _after_calls(without, text.partition(RESULTS[0])[0])
    role, opening = _role(header, gap)
    if opening == gap.lstrip() and turns.call_end:  # no turn begins there: what seemed to end the calls opens results
        opening = turns.call_end.strip() + opening
    table: Table = {} if role == "tool" else {"response_role": role}
    tail = text.rpartition(RESULTS[count - 1])[2].rstrip()
    closing = tail.removesuffix(end.rstrip())
    if count == 2:
        first_closing, second_opening = _of_other(closing, calls[::-1]), _of_other(opening, calls)
        between = text[text.index(RESULTS[0]) + len(RESULTS[0]) : text.index(RESULTS[1])]
        if not (between.startswith(first_closing) and between.endswith(second_opening)):
            raise NoCalls("results that share a turn are written in another way than one")
        apart = between[len(first_closing) : len(between) - len(second_opening)]
        if header.strip() not in apart and role not in apart:
            table["one_turn"] = True
            if apart != "\n":
                table["responses_between"] = apart
    response = _with_holes(opening, calls[0]) + "{content}" + _with_holes(closing, calls[-1])
    if response != "{content}":
        table["response"] = response
    _check_result(turns, response)
    return table


def _check_result(turns: TemplateTurns, response: str) -> None:
    """Check that another result is written likewise.

    Raises:
        NoCalls: it isn't.
    """
    tools, call = [tool("ping", {"city": "string"})], ToolCall("ping", {"city": "b"}, turns.call_id("ping", 3))
    answer: Message = {"role": "tool", "name": "ping", "tool_call_id": call.id, "content": '{"a": 1}\nb'}
    asked: list[Message] = [{"role": "user", "content": USER}, {"role": "assistant", "content": ""}, answer]
    filled = (
        response.replace("{id}", str(call.id)).replace("{name}", "ping").replace("{content}", str(answer["content"]))
    )
    if filled not in turns.text(asked, {1: [call]}, tools):
        raise NoCalls("another result is written in another way")


def _user_turn(turns: TemplateTurns) -> tuple[str, str]:
    """What the template writes before a user text after an answer, and after a user text."""
    asked: list[Message] = [{"role": "user", "content": USER}, {"role": "assistant", "content": PROSE}]
    answer_end = turns.text(asked, {}, []).rpartition(PROSE)[2]
    again: Message = {"role": "user", "content": "qzagain"}
    between = turns.text([*asked, again], {}, []).partition(PROSE)[2]
    header, _, end = between.partition("qzagain")
    return header.removeprefix(answer_end), end


def _after_calls(alone: str, answered: str) -> str:
    """What precedes the first result after the end of a turn with calls, given that turn ``alone`` and ``answered``.

    The beginning of the turn may differ: some templates write an empty block of reasoning in the last turn only.
    """
    end = alone[alone.rindex(VALUE) :].rstrip()
    start = answered.rfind(end)
    if start < 0:
        raise NoCalls("the turn with calls is written in another way when results follow")
    blanks = alone[len(alone.rstrip()) :]
    return answered[start + len(end) :].removeprefix(blanks)


def _role(header: str, gap: str) -> tuple[str, str]:
    """The role of a turn with results, and the text between its header and the first result."""
    bare = header.lstrip()
    if bare.strip() and gap.lstrip().startswith(bare):
        return "user", gap.lstrip()[len(bare) :]
    if "user" in bare:
        begin, _, end = bare.partition("user")
        match = (
            re.match(rf"{re.escape(begin)}(\w{{2,20}})(?:{re.escape(end)})?", gap.lstrip()) if begin.strip() else None
        )
        if match is not None:
            return match[1], gap.lstrip()[match.end() :]
    return "tool", gap.lstrip()


def _of_other(text: str, calls: Sequence[ToolCall]) -> str:
    """A text with the id and the name of the second call in place of those of the first."""
    first, second = calls
    return text.replace(str(first.id), str(second.id)).replace(first.name, second.name)


def _with_holes(response: str, call: ToolCall) -> str:
    for value, hole in ((str(call.id), "{id}"), (call.name, "{name}")):
        response = response.replace(value, hole)
    return response
