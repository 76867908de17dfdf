"""Turns broken in any place, in every dialect: no word of them is lost, and no call, without a word said about it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import few_examples
from tests.fuzz import laws
from toolconv import dialects
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.turn_reader import TurnReader

ALL = dialects.all_dialects()
each_dialect = pytest.mark.parametrize("dialect", ALL, ids=[dialect.name for dialect in ALL])

AS_ONE = frozenset({"bfcl_fc"})
"""All calls of a turn are one JSON value: broken in one place, none can be read."""
NAMED_FIRST = frozenset({"chatglm3", "functionary_v32"})
"""The name of a call precedes its marker, or follows one that prose may hold as well."""


class Words:
    """Words that are told apart from all else and from each other."""

    def __init__(self) -> None:
        self.numbers = iter(range(1000, 9999))

    def __call__(self) -> str:
        return f"q{next(self.numbers)}z"

    def value(self, kind: int) -> Any:
        return [self, lambda: {self(): self()}, lambda: [self(), self()], lambda: 5, lambda: None][kind]()

    def calls(self, shapes: list[list[int]]) -> list[ToolCall]:
        """A call for each shape: the kinds of its arguments."""
        return [ToolCall(self(), {self(): self.value(kind) for kind in shape}) for shape in shapes]


def shapes(least: int) -> st.SearchStrategy[list[list[int]]]:
    """Shapes of one to three calls, with so many arguments at least."""
    return st.lists(st.lists(st.integers(0, 4 if not least else 3), min_size=least, max_size=3), min_size=1, max_size=3)


def tools_for(calls: list[ToolCall]) -> ToolIndex:
    return ToolIndex([{"type": "function", "function": {"name": call.name}} for call in calls])


# ── words ──


@st.composite
def broken(draw: st.DrawFn, dialect: Dialect) -> tuple[str, ToolIndex]:
    """A turn as the template writes it, broken in one to three places, and tools that may be declared."""
    words = Words()

    def turn(each: Dialect) -> tuple[str, list[ToolCall]]:
        calls = words.calls(draw(shapes(0)))
        prose, reasoning = draw(st.booleans()), draw(st.booleans())
        return each.render_turn(words() if prose else "", words() if reasoning else None, calls), calls

    def markup(each: Dialect) -> Iterator[str]:
        """Some of a format's own markup, each piece whole or cut, with or without words behind it."""
        pieces = [piece for piece in laws.TOKEN.split(turn(each)[0]) if piece]
        for _ in range(draw(st.integers(1, 4))):
            piece = draw(st.sampled_from(pieces))
            start = draw(st.just(0) | st.integers(0, len(piece)))
            yield piece[start : draw(st.just(len(piece)) | st.integers(start, len(piece)))]
            yield draw(st.sampled_from(["", words(), f" {words()} "]))

    text, calls = turn(dialect)
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(text)))
        other = draw(st.just(dialect) | st.sampled_from(ALL))
        match draw(st.sampled_from(["cut", "hole", "nested", "garbled", "marker", "spliced", "joined"])):
            case "cut":
                text = text[:place]
            case "hole":
                text = text[:place] + text[place + draw(st.integers(1, 12)) :]
            case "nested":
                text = text[:place] + "".join(markup(other)) + text[place:]
            case "garbled":
                text = text[:place] + "".join(markup(other))
            case "marker":
                text = text[:place] + draw(st.sampled_from(other.markers or ("{",))) + text[place:]
            case "spliced":
                more, _ = turn(other)
                text = text[:place] + more[draw(st.integers(0, len(more))) :]
            case _:
                text += turn(other)[0]
    return text, tools_for(calls) if draw(st.booleans()) else NO_TOOLS


@pytest.mark.sweep
@each_dialect
@few_examples
@given(data=st.data(), in_reasoning=st.sampled_from([False, False, False, True]))
def test_every_word_is_in_a_call_or_in_the_prose(dialect: Dialect, data: st.DataObject, in_reasoning: bool) -> None:
    text, tools = data.draw(broken(dialect))
    assert not laws.lost(text, dialect, tools, in_reasoning=in_reasoning)


# ── calls ──


def said(calls: list[ToolCall]) -> str:
    return json.dumps([[call.name, call.arguments] for call in calls], sort_keys=True)


@pytest.mark.sweep
@each_dialect
@few_examples
@given(data=st.data())
def test_a_call_that_breaks_off_is_noted_and_swallows_no_other(dialect: Dialect, data: st.DataObject) -> None:
    """Calls of declared tools, one of them with a hole behind its first key, or the text cut there.

    All before it are read as they are. It is itself read or noted as dropped, and so are all behind it that are still
    there, unless a repair says that something was amiss.
    """
    calls = Words().calls(data.draw(shapes(1)))
    pieces = dialect.render_each(calls)
    text = "".join(pieces)
    broken_one = data.draw(st.integers(0, len(calls) - 1))
    start = sum(map(len, pieces[:broken_one]))
    end = start + len(pieces[broken_one])
    key = min(calls[broken_one].arguments, key=lambda key: text.index(key, start))
    place = data.draw(st.integers(text.index(key, start) + len(key), end - 1))
    rest = data.draw(st.sampled_from(["", text[min(end, place + data.draw(st.integers(1, 12))) :]]))
    text = text[:place] + rest
    parsed = TurnReader(dialect).read(text, tools_for(calls))
    if dialect.name not in AS_ONE:
        assert said(parsed.calls[:broken_one]) == said(calls[:broken_one])
    accounted = len(parsed.calls) + len(parsed.dropped)
    assert accounted > broken_one
    assert accounted >= len(calls) or not rest or parsed.repairs


@pytest.mark.parametrize("dialect", [each for each in ALL if each.name not in AS_ONE], ids=lambda each: each.name)
@few_examples
@given(data=st.data())
def test_a_cut_text_gives_the_calls_before_the_cut(dialect: Dialect, data: st.DataObject) -> None:
    """Of calls that are cut anywhere, those that were whole are read, and the cut one only if nothing of it is missing.

    Otherwise it is noted as dropped once its marker and its name are there.
    """
    calls = Words().calls(data.draw(shapes(1)))
    pieces = dialect.render_each(calls)
    text = "".join(pieces)
    cut = data.draw(st.integers(0, len(text)))
    whole = sum(sum(map(len, pieces[: index + 1])) <= cut for index in range(len(pieces)))
    tools = tools_for(calls) if data.draw(st.booleans()) else NO_TOOLS
    parsed = dialect.parse(text[:cut], tools)
    if tools or dialect.markers:
        assert said(parsed.calls) in (said(calls[:whole]), said(calls[: whole + 1]))
    else:  # without a marker, not everything that looks like a call is believed to be one
        assert all(said([call]) in map(said, ([each] for each in calls)) for call in parsed.calls)
    begun = sum(text.index(call.name) + len(call.name) <= cut for call in calls)
    if dialect.name not in NAMED_FIRST and any(marker in text[:cut] for marker in dialect.markers):
        assert len(parsed.calls) + len(parsed.dropped) >= begun


@each_dialect
def test_a_call_that_ends_in_its_head_is_dropped_once(dialect: Dialect) -> None:
    text = dialect.render([ToolCall("get_weather", {"city": "Oslo"})])
    name = text.index("get_weather")
    for cut in range(1, name + len("get_weather") + 3):
        parsed = dialect.parse(text[:cut])
        begun = cut > name and dialect.name not in NAMED_FIRST and any(each in text[:cut] for each in dialect.markers)
        assert parsed.calls == []
        assert begun <= len(parsed.dropped) <= 1, text[:cut]
