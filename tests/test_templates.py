"""Templates against what the real chat templates wrote (../shared/golden), and the laws of their spans."""

from __future__ import annotations

import copy
import datetime
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SHARED, rows, shared
from toolconv import layouts, templates
from toolconv.conversation import Conversation
from toolconv.templates.base import Chat, Page, Template

DEVIATIONS = tomllib.loads((Path(__file__).parent / "golden_deviations.toml").read_text())
PINNED = str(int(datetime.datetime(2025, 1, 2, tzinfo=datetime.UTC).timestamp()))


def golden() -> list[str]:
    """The built-in templates that golden rows exist for; all of them where ``../shared`` is absent."""
    folder = SHARED / "golden"
    return [name for name in templates.names() if not folder.exists() or (folder / f"{name}.jsonl").exists()]


def conversations() -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in rows(shared("golden/conversations.jsonl"))}


def written(template: Template, row: dict[str, Any], **options: Any) -> tuple[Conversation, Page]:
    """A row in the layout ``openai``, written."""
    conversation = layouts.get("openai").read(copy.deepcopy(row))
    page = Page()
    template.write(Chat(conversation, template.dialect, **options), page)
    return conversation, page


@pytest.mark.parametrize("name", golden())
def test_every_golden_row_byte_for_byte(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", PINNED)
    template = templates.get(name)
    reasons = DEVIATIONS.get(name, {})
    given = conversations()
    differing: Counter[str] = Counter()
    for row in rows(shared(f"golden/{name}.jsonl")):
        options = {"generate": row["add_generation_prompt"], "variables": row.get("kwargs")}
        _, page = written(template, given[row["conversation"]], **options)
        if row["conversation"] in reasons:
            differing[row["conversation"]] += page.text != row["text"]
        else:
            assert row["error"] is None, f"{row['conversation']}: the original raises, which needs a reason"
            assert page.text == row["text"], row["conversation"]
    assert {reason for reason in reasons if not differing[reason]} == set(), "deviations that are none"


@pytest.mark.parametrize("name", golden())
def test_calls_of_golden_conversations_are_read_back_from_their_spans(name: str) -> None:
    template = templates.get(name)
    for row in conversations().values():
        conversation, page = written(template, row)
        check_spans(template, conversation, page)


def check_spans(template: Template, conversation: Conversation, page: Page) -> None:
    """Spans tile the text, and those of calls say the calls."""
    text, at = page.text, 0
    said: dict[int, str] = {}
    for span in page.spans():
        assert span["start"] == at < span["end"]
        at = span["end"]
        if span["kind"] == "call":
            assert span["train"]
            said[span["message"]] = said.get(span["message"], "") + text[span["start"] : span["end"]]
        if span["train"]:
            assert conversation.messages[span["message"]]["role"] == "assistant"
    assert at == len(text)
    calling = {index: one["tool_calls"] for index, one in enumerate(conversation.messages) if one.get("tool_calls")}
    assert said.keys() == calling.keys()
    names = {index: [call.name for call in template.dialect.parse(calls).calls] for index, calls in said.items()}
    assert names == {index: [call["function"]["name"] for call in calls] for index, calls in calling.items()}
