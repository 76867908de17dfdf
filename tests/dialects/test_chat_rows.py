"""``render --to`` through the real command for every dialect, and what of the chat row is read back."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import toolconv
from tests.dialects.test_dialects import NAMES
from tests.layouts.test_layouts import renumber
from toolconv import Receipt, convert_rows, dialects, layouts
from toolconv.convert.converter import Converter
from toolconv.convert.options import Options
from toolconv.convert.result import Result


def tool(name: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(properties)[:1]}
    return {"type": "function", "function": {"name": name, "description": f"Does {name}.", "parameters": parameters}}


def call(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


ROW: dict[str, Any] = {
    "id": "row 1",
    "tools": [
        tool("get_weather", city={"type": "string", "description": "The city."}, days={"type": "integer"}),
        tool("search", query={"type": "string"}, tags={"type": "array", "items": {"type": "string"}}),
    ],
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Weather in Paris, and news?"},
        {
            "role": "assistant",
            "content": "Let me look.",
            "reasoning_content": "Two tools are needed.",
            "tool_calls": [
                call("call_a1", "get_weather", city="Paris", days=2),
                call("call_b2", "search", query='"Paris" news', tags=["a", "b"]),
            ],
        },
        {"role": "tool", "tool_call_id": "call_a1", "name": "get_weather", "content": '{"sky": "clear"}'},
        {"role": "tool", "tool_call_id": "call_b2", "name": "search", "content": "Nothing new."},
        {"role": "assistant", "content": "Clear sky, no news."},
        {"role": "user", "content": "Thanks!"},
        {"role": "assistant", "content": "You're welcome.", "reasoning_content": "They are done."},
    ],
}

LOST = {
    "canonical": set(),
    "openai": set(),
    "apertus": {"call_id", "tool_schema"},
    "functionary_v2": {"call_id", "tool_schema"},
    "functionary_v32": {"call_id", "tool_schema"},
    "harmony": {"call_id", "tool_schema"},
    "seed_oss": {"call_id", "tool_schema"},
    "nemotron": {"call_id", "response_borders"},
    "use_mcp_tool": {"call_id", "response_role"},
    "xlam": {"call_id", "reasoning_becomes_content"},
}  # fmt: skip
"""What does not come back of the row; of all other dialects, only the ids."""


def without(row: dict[str, Any], losses: set[str]) -> dict[str, Any]:
    """A row without what was said to be lost."""
    row = copy.deepcopy(row)
    if "response_borders" in losses:
        row["messages"] = [message for message in row["messages"] if message["role"] != "tool"]
    if "response_role" in losses:
        for message in row["messages"]:
            if message["role"] == "tool":
                message["role"] = "user"
                message.pop("tool_call_id")
                message.pop("name")
    if "reasoning_becomes_content" in losses:
        for message in row["messages"]:
            reasoning = message.pop("reasoning_content", None)
            message["content"] = f"{reasoning}\n\n{message['content']}" if reasoning else message["content"]
    if "tool_schema" in losses:
        row["tools"] = [tool["function"]["name"] for tool in row["tools"]]
    if "call_id" in losses:
        renumber(row["messages"])
    return row


def through(row: dict[str, Any], **options: Any) -> Result:
    """What becomes of a row of the layout ``openai``."""
    chosen = Options(**options)
    result = Result()
    source = dialects.get(chosen.source) if chosen.source else None
    Converter(chosen, layouts.get("openai"), source).one("row", 1, json.dumps(row).encode(), result)
    assert not result.rejects, result.receipt.reject_places
    return result


def same(row: dict[str, Any], losses: set[str]) -> None:
    """Check a row that came back but for ``losses``."""
    assert without(row, losses) == without(ROW, losses)
    order = [list(call["function"]["arguments"]) for call in row["messages"][2]["tool_calls"]]
    assert order == [["city", "days"], ["query", "tags"]]


@pytest.mark.parametrize("name", NAMES)
def test_a_chat_row_comes_back_but_for_what_is_said_to_be_lost(name: str) -> None:
    spoken = through(ROW, source=None, target=name)
    losses = set(spoken.receipt.losses)
    assert losses == LOST.get(name, {"call_id"})
    back = through(json.loads(spoken.output[0]), source=name, strict=True)
    same(json.loads(back.output[0]), losses)


@pytest.mark.parametrize("name", ["harmony", "kimi_k2", "qwen3_xml"])
def test_it_does_so_through_the_real_command(name: str, tmp_path: Path) -> None:
    account = tmp_path / "receipt.json"
    spoken = toolconv("render", "--to", name, "--receipt", account, stdin=json.dumps(ROW) + "\n")
    assert spoken.status == 0, spoken.err
    losses = set(json.loads(account.read_bytes())["function_calling"]["losses"])
    back = toolconv("parse", "--strict", "--from", name, stdin=spoken.out)
    assert back.status == 0, back.err
    same(back.rows[0], losses)


def test_a_response_template_that_has_no_inverse_is_named(tmp_path: Path) -> None:
    field = {
        "open": "<f>",
        "close": "</f>",
        "content": "xml-inline",
        "content_args": {"tag_pattern": "<(?P<key>[a-z]+)"},
    }
    template = tmp_path / "tokenizer_config.json"
    template.write_text(json.dumps({"response_template": {"fields": {"tool_calls": field}}}))
    run = toolconv("render", "--to", "hf", "--dialect-file", template, stdin=json.dumps(ROW) + "\n")
    assert run.status == 1
    assert "rejected: the response template of 'hf' can only be read, not written" in run.err


@pytest.mark.parametrize(
    ("more", "inner", "losses"),
    [({}, {}, {}), ({"cached": True}, {}, {"call_keys": 1}), ({}, {"strict": True}, {"call_keys": 1})],
    ids=["none", "of the call", "of its function"],
)
def test_keys_of_calls_that_a_text_has_no_place_for(
    more: dict[str, Any], inner: dict[str, Any], losses: dict[str, int]
) -> None:
    made = {"id": "call_0", "type": "function", **more, "function": {"name": "ping", "arguments": {}, **inner}}
    row = {"messages": [{"role": "user", "content": "Up?"}, {"role": "assistant", "content": "", "tool_calls": [made]}]}
    receipt = Receipt()
    list(convert_rows([row], Options(target="hermes"), receipt=receipt))
    assert dict(receipt.losses) == losses
