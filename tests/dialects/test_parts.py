"""A reading is a partition of its text: the parts cover it, and what is read is what the parts say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import each, exhaustive, nightly, rows, shared, shared_files
from toolconv import dialects
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.reading.parts import TurnPart, split
from toolconv.dialects.reading.turn_parser import Parsed, parts_of
from toolconv.dialects.turn_reader import TurnReader

FIXTURES = Path(__file__).parents[2] / "fixtures"
TOOLS = ToolIndex(json.loads((FIXTURES / "conformance" / "tools.json").read_text("utf-8")))
SAMPLES = [dialect for dialect in dialects.all_dialects() if dialect.sample]
TABLES = sorted([*(FIXTURES / "dialects").glob("*.jsonl"), *(FIXTURES / "conformance").glob("*.jsonl")])
BEHIND = "\nThat is it.<|im_end|>\n<|im_start|>user\nAnd `<tool_call>`?"


def fault_in(parts: Sequence[TurnPart], text: str) -> str:
    """What is wrong with the parts of a text: they leave a gap, overlap or end elsewhere; an empty text if nothing."""
    at = 0
    for part in parts:
        if part.start != at or part.end < part.start:
            return f"{part.kind} at {part.start}:{part.end}, expected at {at}"
        at = part.end
    return "" if at == len(text) else f"the parts end at {at} of {len(text)}"


def check(parsed: Parsed, text: str) -> None:
    """The law: no gap, no overlap; the calls, the dropped calls and the prose are those of the parts."""
    parts = parts_of(parsed, text)
    assert fault_in(parts, text) == ""
    assert [id(part.call) for part in parts if part.kind == "call"] == [id(call) for call in parsed.calls]
    dropped = [(part.reason, part.text) for part in parts if part.kind == "dropped"]
    assert sorted(dropped) == sorted((each.reason, each.text) for each in parsed.dropped)
    at = 0
    for part in parts:
        if part.kind in ("prose", "shown"):
            place = parsed.content.find(part.text, at)
            assert place >= 0, part
            at = place + len(part.text)


def dialect_of(path: Path) -> Dialect | None:
    return next((dialect for dialect in dialects.all_dialects() if dialect.name == path.stem), None)


@pytest.mark.parametrize("all_ways", [pytest.param(False, marks=exhaustive), pytest.param(True, marks=nightly)])
@each("path", TABLES)
def test_the_parts_of_all_cases(path: Path, all_ways: bool) -> None:
    named = dialect_of(path)
    for number, case in enumerate(rows(path)[:: 1 if all_ways else 5]):
        if len(case["text"]) < 4000:
            tools = case.get("tools")
            known = ToolIndex(tools) if isinstance(tools, list) else TOOLS
            for dialect in {None, named} if all_ways else [(None, named)[number % 2]]:  # each table has both ways
                check(TurnReader(dialect).read(case["text"], known), case["text"])


@pytest.mark.exhaustive
@each("path", shared_files("real/raw"))
def test_the_parts_of_real_texts(path: str) -> None:
    for row in rows(shared("real", "raw", path)):
        check(TurnReader().read(row["text"], TOOLS), row["text"])


@given(st.sampled_from(SAMPLES), st.data())
def test_the_parts_of_damaged_turns(dialect: Dialect, data: st.DataObject) -> None:
    text = dialect.sample + data.draw(st.sampled_from(["", BEHIND]))
    start = data.draw(st.integers(0, len(text) - 1))
    length = data.draw(st.integers(0, 3))
    text = text[:start] + data.draw(st.sampled_from(["", '"', "<", "}", "\n", "<|im_end|>"])) + text[start + length :]
    tools = data.draw(st.sampled_from([TOOLS, NO_TOOLS]))
    for reader in (TurnReader(None), TurnReader(dialect)):
        check(reader.read(text, tools), text)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12), st.sampled_from(["dropped", "markup"]))))
def test_what_lies_in_prose_parts_it(spans: list[tuple[int, int, Any]]) -> None:
    inner = sorted((TurnPart(start, max(start, end), kind) for start, end, kind in spans), key=lambda part: part.start)
    parts = list(split(TurnPart(2, 10, "prose", "abcdefgh"), inner))
    assert fault_in([TurnPart(0, 2, "markup"), *parts], " " * 10) == ""
    assert sum(part.kind == "dropped" for part in parts) == sum(part.kind == "dropped" for part in inner)


def test_a_fault_is_named() -> None:
    assert fault_in([TurnPart(0, 2, "prose"), TurnPart(3, 4, "call")], "abcd") == "call at 3:4, expected at 2"
    assert fault_in([TurnPart(0, 2, "prose"), TurnPart(1, 4, "call")], "abcd") == "call at 1:4, expected at 2"
    assert fault_in([TurnPart(0, 2, "prose")], "abcd") == "the parts end at 2 of 4"


JSON_CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'


@pytest.mark.parametrize(
    ("name", "text", "calls", "content"),
    [
        ("hermes", f"Hi.\n```json\n{JSON_CALL}\n```\nAnd\n```json\n{JSON_CALL}\n```\nBye.", 2, "Hi.\nAnd\nBye."),
        (
            "qwen3_xml",
            "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n```\n</function>\n</tool_call>\n```\nBye.",
            1,
            "Bye.",
        ),
    ],
    ids=["around two calls", "begun in a call"],
)
def test_code_blocks_without_code_are_markup(name: str, text: str, calls: int, content: str) -> None:
    parsed = dialects.get(name).parse(text)
    check(parsed, text)
    assert (len(parsed.calls), parsed.content, parsed.dropped) == (calls, content, [])
    assert "".join(part.text for part in parts_of(parsed, text) if part.kind == "prose") == content


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"<think>\nHm.\n</think>\n\nHi.\n{JSON_CALL}",
            [("reasoning", "<think>\nHm."), ("markup", "\n</think>\n\n"), ("prose", "Hi."), ("call", f"\n{JSON_CALL}")],
        ),
        ('Hi.\n[TOOL_CALLS]f[ARGS]{"a": }', [("prose", "Hi.\n"), ("dropped", '[TOOL_CALLS]f[ARGS]{"a": }')]),
    ],
    ids=["what the dialect writes", "a call of another dialect that can't be read"],
)
def test_the_parts_of_a_turn(text: str, expected: list[tuple[str, str]]) -> None:
    parsed = TurnReader(dialects.get("hermes")).read(text)
    check(parsed, text)
    assert [(part.kind, text[part.start : part.end]) for part in parts_of(parsed, text)] == expected
