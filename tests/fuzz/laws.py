"""What holds for any input, however broken: what the fuzzers and ``tests/convert/test_hostile.py`` check."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from toolconv import dialects, layouts
from toolconv.convert.converter import Converter
from toolconv.convert.options import Options
from toolconv.convert.result import Reading, Result
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, calls_of
from toolconv.core.rows import same
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.reading.turn_parser import Parsed
from toolconv.dialects.turn_reader import TurnReader
from toolconv.dialects.turns import RenderError, parse_turns, render_turns
from toolconv.inspect.diff.changes import differences
from toolconv.inspect.diff.report import Report, as_json
from toolconv.inspect.stats.counts import DatasetCounts
from toolconv.inspect.stats.html import html_page
from toolconv.inspect.stats.table import Table
from toolconv.lint.engine.config import Config
from toolconv.lint.engine.linter import Linter
from toolconv.lint.engine.selection import Selection
from toolconv.lint.model.row import LintRow
from toolconv.templates.output import TextOptions

TOKEN = re.compile("q[0-9]{4}z")
"""Words that stand in a text once, so that one that is missing behind the parser was lost."""

REMOVES = {"duplicate_key", "comment", "content_type", "extra_attribute", "fence_language", "item_name"}
"""Repairs that leave out what they name."""

NAME = re.compile(r"\w+")
CALL_LOSSES = {"call", "argument_key", "argument_null", "argument_order", "argument_type", "argument_value"}

LAYOUTS = ("openai", "completion", "hermes", "sharegpt", "anthropic", "gemini", "responses", "xlam", "glaive", "bfcl")
CONVERSATIONS = tuple(name for name in LAYOUTS if name != "completion")
TARGETS = ("kimi_k2", "qwen3_xml", "pythonic", "anthropic_xml", "deepseek_v31")
TEMPLATES = ("qwen3", "mistral-nemo", "gpt-oss", "llama-3.1", "glm-4.6", "gemma-4", "deepseek-v3.1", "kimi-k3")


def lost(text: str, dialect: Dialect, tools: ToolIndex = NO_TOOLS, *, in_reasoning: bool = False) -> set[str]:
    """The words of a text that neither its calls nor its prose nor its reasoning hold, without a repair saying so."""
    parsed = dialect.parse(text, tools, in_reasoning=in_reasoning)
    if REMOVES & set(parsed.repairs):
        return set()
    calls = [[call.name, call.arguments, call.id, call.extra] for call in parsed.calls]
    kept = json.dumps(calls, default=str) + parsed.content + (parsed.reasoning or "")
    return set(TOKEN.findall(text)) - set(TOKEN.findall(kept))


def parts(message: Message) -> tuple[str, str, list[list[Any]]]:
    """Prose, reasoning and calls of a turn, without outer white space."""
    functions = [call["function"] for call in message.get("tool_calls", [])]
    calls = [[function["name"], function["arguments"]] for function in functions]
    return message["content"].strip(), (message.get("reasoning_content") or "").strip(), calls


def comes_back(dialect: Dialect, turn: Message, declared: list[Any]) -> None:
    """Render a turn and read it again: it comes back, but for what is counted. What can't be rendered is left alone."""
    row: dict[str, Any] = {"messages": [copy.deepcopy(turn)]}
    spoken = Conversation({**row, "tools": declared} if declared else row)
    try:
        render_turns(spoken, dialect)
    except RenderError:
        return
    written = {"role": "assistant", "content": spoken.messages[-1]["content"]}
    back = Conversation({"messages": [written], "tools": declared} if declared else {"messages": [written]})
    parse_turns(back, TurnReader(named=dialect))
    (content, reasoning, calls), (content_back, reasoning_back, calls_back) = parts(turn), parts(back.messages[0])
    counted = set(spoken.notes.losses)
    if not same(calls, calls_back):
        assert counted & CALL_LOSSES, "calls"
    if content != content_back:
        assert counted & {"prose", "call", "reasoning_becomes_content"}, "prose"
    if reasoning != reasoning_back:
        assert counted & {"reasoning", "reasoning_becomes_content"}, "reasoning"
    if same([content, reasoning, calls], [content_back, reasoning_back, calls_back]):
        assert not counted - {"call_id", "tool_schema"}, "a loss that did not happen"
    if not counted - {"call_id", "tool_schema"} and not back.notes.dropped:  # a lone marker in prose is a dropped call
        values = [value for _, arguments in calls for value in arguments.values()]
        names = [name for called, arguments in calls for name in (called, *arguments)]
        named = {"markup_in_value"} if any("<" in str(each) for each in values) else set()
        named |= set() if all(map(NAME.fullmatch, names)) else {"odd_name"}
        unmade = set(back.notes.repairs) - named
        assert not unmade, f"repairs {sorted(unmade)}"


def is_counted(parsed: Parsed, calls: int) -> bool:
    """Whether so many calls are read or dropped, or a repair says that something was amiss."""
    return len(parsed.calls) + len(parsed.dropped) >= calls or bool(parsed.repairs)


@cache
def converter(
    layout: str, source: str | None, target: str | None = None, template: str | None = None, only_read: bool = False
) -> Converter:
    """The way of a row from a layout to a dialect, to a template's text, or to canonical rows."""
    text = TextOptions(template=template, spans=True) if template else None
    options = Options(source="auto" if source else None, target=target, text=text, only_read=only_read)
    return Converter(options, layouts.get(layout), dialects.get(source) if source else None)


def convert(lines: Sequence[bytes], layout: str, source: str | None, target: str | None) -> Result:
    """Convert lines, and hold the account against what came out."""
    result = written(converter(layout, source, target), lines)
    if target is None:
        turns = [message for line in result.output for message in json.loads(line)["messages"]]
        calls = [call for turn in turns if turn.get("role") == "assistant" for call in calls_of(turn)]
        assert len(calls) == result.receipt.tool_calls.total()
    return result


def render(lines: Sequence[bytes], layout: str, source: str | None, template: str) -> None:
    """Render lines, and hold the spans of each text against it."""
    for line in written(converter(layout, source, template=template), lines).output:
        row = json.loads(line)
        places = [(span["start"], span["end"]) for span in row["spans"]]
        assert all(0 <= start <= end <= len(row["text"]) for start, end in places)
        assert places == sorted(places)


def readings(lines: Sequence[bytes], layout: str, source: str | None) -> Result:
    """The rows of some lines as they are read."""
    result = converter(layout, source, only_read=True).lines("fuzz", 1, lines)
    assert len(result.readings) == result.receipt.rows_in
    return result


def count(lines: Sequence[bytes], layout: str, source: str | None) -> None:
    """Count what lines hold, show it in every form, and hold it against the account of the reading."""
    tally = DatasetCounts()
    result = readings(lines, layout, source)
    tally.receipt.add(result.receipt)
    for reading in result.readings:
        if reading.conversation is not None:
            tally.add(reading.conversation)
    assert sum(tool.calls for tool in tally.tools.values()) == result.receipt.tool_calls.total()
    assert sum(tally.layouts.values()) == result.receipt.rows_out
    json.dumps(tally.as_json("1", ["fuzz"]))
    assert all(map(str.isprintable, Table(80, plain=False).lines(tally)))
    html_page(tally, "1", ["fuzz"])


def compare(one: bytes, other: bytes, layout: str, source: str | None) -> None:
    """Compare two lines, and each with itself."""
    a, b = (readings([line], layout, source).readings for line in (one, other))
    for mine, theirs in ((a, b), (a, a), (b, b)):
        found = _compared(mine[0] if mine else None, theirs[0] if theirs else None)
        assert mine is not theirs or not mine or mine[0].conversation is None or not found


def _compared(mine: Reading | None, theirs: Reading | None) -> int:
    """How many differences there are, each shown in both forms."""
    report = Report("a", "b", colour=False)
    found = list(differences(mine, theirs, key_order=True)) if mine or theirs else []
    for difference in found:
        json.dumps(as_json(mine, theirs, difference))
        assert report.line(mine, theirs, difference).isprintable()
    return len(found)


def written(converter: Converter, lines: Sequence[bytes]) -> Result:
    """What is written of lines: each is a row, or a reject with a reason."""
    result = converter.lines("fuzz", 1, lines)
    receipt = result.receipt
    given = [line for line in lines if line and not line.isspace()]
    assert receipt.rows_in == len(given) == receipt.rows_out + receipt.rejects
    assert receipt.rows_out == len(result.output)
    assert receipt.rejects == len(result.rejects)
    assert all(line.endswith(b"\n") and line[:-1] in given for line in result.rejects)
    for place in receipt.reject_places:
        assert "internal error" not in place.reason, place
    for line in result.output:
        assert line.endswith(b"\n") and line.count(b"\n") == 1
        json.loads(line)
    return result


@cache
def _linter() -> Linter:
    return Linter(Config(), [Selection(None, ("ALL",), ())], {}, None, frozenset(("safe", "unsafe")))


def lint(line: bytes, layout: str | None, dialect: str | None) -> None:
    """Check and fix a row with all rules: none of them fails."""
    known = layouts.get(layout) if layout else None
    row = LintRow("fuzz", 1, line, known, TurnReader(dialects.get(dialect)) if dialect else None)
    _linter().check(row)
