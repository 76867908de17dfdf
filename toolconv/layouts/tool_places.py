"""The places other than the key ``tools`` where a row may declare tools, and the tools moved from there.

Sources: verifiers and prime-rl (``tool_defs``, ``info.oai_tools``), LiteLLM (``model_parameters``), OpenHands
(``kwargs``), LangSmith (``extra.invocation_params``), ATIF (``agent.tool_definitions``), Langfuse
(``toolDefinitions``), Toucan (``available_tools``), Nemotron (``metadata``), Bedrock (``toolConfig``), Google's SDK
(``config``), logged requests, DeepSeek V3.2 (a key of the system message).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolconv.core.conversation import Conversation
from toolconv.core.declarations import declarations
from toolconv.core.messages import Row
from toolconv.core.notes import Notes
from toolconv.core.rows import insert_before, ordered_like, replace_key, same, without
from toolconv.layouts.nested_json import LayoutError, opened
from toolconv.layouts.tool_schema import opened_tools, read_tools

Place = tuple[str, ...]
"""The keys and indexes that lead to a value in a row."""

PLACES: Final[tuple[Place, ...]] = tuple(
    tuple(path.split("."))
    for path in (
        "functions", "function", "available_tools", "tool_defs", "tool_definitions", "toolDefinitions",
        "toolConfig.tools", "config.tools", "kwargs.tools", "model_parameters.tools", "request.tools",
        "request.body.tools", "body.tools", "responses_create_params.tools", "invocation_params.tools",
        "extra.invocation_params.tools", "agent.tool_definitions", "info.oai_tools", "metadata.tools",
        "chat_template_kwargs.xml_tools", "chat_template_kwargs.python_tools",
    )
)  # fmt: skip
ADDING: Final = ("additional_tools", "tool_search_output")
"""Items of OpenAI's Responses API that add tools: by the program, and as the result of a search."""

TURNS: Final = ("messages", "prompt", "conversations", "conversation")
"""Keys of conversations whose first message may declare tools."""

OUTER_KEYS: Final = frozenset(place[0] for place in PLACES)
"""The keys of a row that hold these places."""

CONFIG_KEYS: Final = frozenset({"toolConfig", "config"})
"""Keys of objects that hold tools and settings."""
TOOL_KEYS: Final = frozenset({"tools", *CONFIG_KEYS, *(place[0] for place in PLACES if len(place) == 1)})
"""Keys of a row that hold tools and little else."""


def value_at(row: Any, place: Place) -> Any:
    """The value at a place, decoding JSON texts on the way; ``None`` if there is none."""
    for step in place:
        if row.__class__ is dict:
            row = row.get(step)
            continue
        if isinstance(row, str):
            row = opened(row) if place[-1] in row or place[-1].isdigit() else None
        if isinstance(row, list):
            row = row[int(step)] if step.isdigit() and int(step) < len(row) else None
        else:
            row = row.get(step) if isinstance(row, dict) else None
    return row


def tool_values(row: Row) -> Iterator[tuple[Place, Any]]:
    """The values at all places of a row that may declare tools, ``tools`` first; absent and empty ones are left out."""
    if row.get("tools"):
        yield ("tools",), row["tools"]
    if not OUTER_KEYS.isdisjoint(row):
        for place in PLACES:
            if place[0] in row and (value := value_at(row, place)):
                yield place, value
    for key in TURNS:
        if key in row and (value := value_at(row, (key, "0", "tools"))):
            yield (key, "0", "tools"), value


def item_tools(row: Row) -> Iterator[tuple[Place, list[Any]]]:
    """The tools that items of OpenAI's Responses API add in the middle of a conversation."""
    body = row.get("responses_create_params")
    for place, holder in ((("responses_create_params",), body), ((), row)):
        items = holder.get("input") if isinstance(holder, dict) else None
        for at, item in enumerate(items) if isinstance(items, list) else ():
            if isinstance(item, dict) and item.get("type") in ADDING and isinstance(item.get("tools"), list):
                yield (*place, "input", str(at), "tools"), item["tools"]


def count_others(value: Any, tools: Any, notes: Notes) -> None:
    """Count a loss if a value declares tools, and others than these."""
    try:
        others = read_tools(value, Notes()) if value else tools
    except LayoutError:
        others = None
    if others != [] and not same(others, tools):
        notes.losses.append("tools_declared_twice")


def take_tools(conversation: Conversation) -> Place | None:
    """Move tools that a canonical row declares elsewhere to ``tools``; the place they were at, if there is one.

    If ``tools`` declares others, these are kept, and those elsewhere stay there: a loss, ``tools_declared_twice``.
    """
    row = conversation.row
    messages = row["messages"]
    if OUTER_KEYS.isdisjoint(row) and not (messages and type(messages[0]) is dict and "tools" in messages[0]):
        return None
    for place, value in tool_values(row):
        if place == ("tools",):
            continue
        notes = conversation.notes
        repairs = len(notes.repairs)
        try:
            found = list(declarations(opened_tools(value)))
            if not any(each.named for each in found) or not all(isinstance(each.tool, dict) for each in found):
                continue
            tools = read_tools(value, notes)
        except LayoutError:
            continue
        if not row.get("tools"):
            conversation.row = _moved(row, place, tools)
            return place
        del notes.repairs[repairs:]
        count_others(value, row["tools"], notes)
        return None
    return None


def put_back(row: Row, origin: Row, place: Place, first: str) -> Row:
    """A row with the tools in the place that they had in the row it came from.

    Args:
        row: the row, with the unchanged tools under ``tools``.
        origin: the row it came from.
        place: where :func:`take_tools` found the tools.
        first: the pointer of the first message.
    """
    row = dict(row)
    if place[0] == "messages":
        message = value_at(row, tuple(first.split("/")[1:]))
        if not isinstance(message, dict) or "tools" not in message:
            return row
    else:
        row[place[0]] = origin[place[0]]
    del row["tools"]
    if "tools" in origin:
        row["tools"] = origin["tools"]
    return ordered_like(row, origin)


def _moved(row: Row, place: Place, tools: Any) -> Row:
    """A copy of ``row`` with ``tools`` moved from a place."""
    if place[0] == "messages":
        messages = row["messages"]
        messages[0] = {key: value for key, value in messages[0].items() if key != "tools"}
    elif "tools" not in row and len(place) == 1:
        return replace_key(row, place[0], "tools", tools)
    else:
        row = without(row, place)
    return {**row, "tools": tools} if "tools" in row else insert_before(row, "messages", "tools", tools)
