"""Structural tags hold what the dialect writes around arguments; tests/schema/test_schema.py asks xgrammar, if it is there."""

from __future__ import annotations

import re
from typing import Any

from tests.conftest import each
from tests.schema.test_schema import FORCED, RIGHT, TOOLS
from toolconv.core import jsontext
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.base import Dialect
from toolconv.export.structural_tag import structural_tag
from toolconv.schema.tools import signatures

SIGNATURES = signatures([jsontext.compact(tool) for tool in TOOLS])


def pattern(part: dict[str, Any]) -> str:
    """The texts of calls that a part of a structural tag takes, whatever their arguments."""
    match part:
        case {"type": "json_schema", "style": _}:
            return ".*"
        case {"type": "json_schema"}:
            return r"\{.*\}"
        case {"type": "const_string", "value": value}:
            return re.escape(value)
        case {"type": "regex", "pattern": own}:
            return f"(?:{own})"
        case {"type": "sequence", "elements": elements}:
            return "".join(map(pattern, elements))
        case {"type": "tag", "begin": begin, "content": content, "end": end}:
            return re.escape(begin) + pattern(content) + re.escape(end)
        case {"type": "tags_with_separator", "tags": tags, "separator": separator, "at_least_one": True}:
            one = f"(?:{'|'.join(map(pattern, tags))})"
            return f"{one}(?:{re.escape(separator)}{one})*"
        case {"type": "triggered_tags", "tags": tags}:
            return rf"(?:\s*(?:{'|'.join(map(pattern, tags))}))+\s*"
    raise AssertionError(part)


@each("dialect", FORCED)
def test_a_tag_holds_what_the_dialect_writes_around_arguments(dialect: Dialect) -> None:
    tag = structural_tag(dialect, SIGNATURES)["format"]
    assert dialect.calls is not None
    (trigger,) = tag["triggers"]
    assert trigger.strip()
    assert trigger not in dialect.render_turn("Only prose.", "Thinking.", ())
    assert all(each["begin"].startswith(trigger) for each in tag["tags"])
    after = "" if tag["tags"][0]["content"]["type"] == "tags_with_separator" else dialect.calls.after
    for calls in RIGHT:
        text = dialect.render(calls).removesuffix(after)  # where nothing holds the calls together, that is free text
        assert re.fullmatch(pattern(tag), text, re.DOTALL), (pattern(tag), text)
        undeclared = [ToolCall(f"x_{call.name}", call.arguments, call.id) for call in calls]
        assert not re.fullmatch(pattern(tag), dialect.render(undeclared), re.DOTALL)
