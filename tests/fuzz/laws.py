"""What holds for any input, however broken: what the fuzzers and ``tests/test_hostile.py`` check."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache

from toolconv import dialects, layouts
from toolconv.converter import Converter, Options, Result
from toolconv.dialects.base import Dialect
from toolconv.lint.config import Config
from toolconv.lint.engine import Linter
from toolconv.lint.rows import LintRow
from toolconv.lint.selection import Selection
from toolconv.toolindex import NO_TOOLS, ToolIndex

TOKEN = re.compile("q[0-9]{4}z")
"""Words that stand in a text once, so that one that is missing behind the parser was lost."""

REMOVES = {"duplicate_key", "comment", "content_type", "extra_attribute", "fence_language", "item_name"}
"""Repairs that leave out what they name."""

LAYOUTS = ("openai", "completion", "hermes", "sharegpt", "anthropic", "gemini", "responses", "xlam", "glaive", "bfcl")
TARGETS = ("kimi_k2", "qwen3_xml", "pythonic", "anthropic_xml", "deepseek_v31")


def lost(text: str, dialect: Dialect, tools: ToolIndex = NO_TOOLS, *, in_reasoning: bool = False) -> set[str]:
    """The words of a text that neither its calls nor its prose nor its reasoning hold, without a repair saying so."""
    parsed = dialect.parse(text, tools, in_reasoning=in_reasoning)
    if REMOVES & set(parsed.repairs):
        return set()
    calls = [[call.name, call.arguments, call.id, call.extra] for call in parsed.calls]
    kept = json.dumps(calls, default=str) + parsed.content + (parsed.reasoning or "")
    return set(TOKEN.findall(text)) - set(TOKEN.findall(kept))


@cache
def converter(layout: str, source: str | None, target: str | None) -> Converter:
    """The way of a row from a layout to a dialect, or to canonical rows."""
    options = Options(source="auto" if source else None, target=target)
    return Converter(options, layouts.get(layout), dialects.get(source) if source else None)


def convert(lines: Sequence[bytes], layout: str, source: str | None, target: str | None) -> Result:
    """Convert lines, and hold the account against what came out."""
    result = converter(layout, source, target).lines("fuzz", 1, lines)
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
    row = LintRow("fuzz", 1, line, known, dialects.get(dialect) if dialect else None)
    _linter().check(row)
