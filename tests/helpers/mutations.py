"""Rows changed in ways that datasets differ in: keys, forms of turns, texts, speakers, calls and declarations.

Each mutation gives the changed rows of a row. None takes anything away: what the row says, the changed one says too.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from toolconv.layouts.speakers import meaning_of

Row = dict[str, Any]
Path = tuple[Any, ...]

SPEAKER_KEYS: Final = ("role", "from", "speaker", "source", "type")
TEXT_KEYS: Final = ("content", "value", "text", "message", "parts")
OPAQUE: Final = frozenset(
    {"arguments", "args", "input", "parameters", "tools", "functions", "function", "events", "chunks"}
)
"""Keys whose values have keys of the user's own, declare tools, or are records or pieces."""


class Turns(NamedTuple):
    """A list of turns in a row: the keys that lead there, and those of the speakers and of the texts."""

    path: Path
    items: list[Row]
    speaker: str
    text: str


def turns_of(value: Any, path: Path = ()) -> Iterator[Turns]:
    """The lists of turns in a row."""
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        for speaker in SPEAKER_KEYS:
            names = [item.get(speaker) for item in value]
            texts = [key for key in TEXT_KEYS if any(key in item for item in value)]
            if texts and all(isinstance(name, str) and meaning_of(name) for name in names):
                yield Turns(path, value, speaker, texts[0])
                return
    for key, member in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(member, dict | list) and key not in OPAQUE:
            yield from turns_of(member, (*path, key))


def replaced(row: Row, path: Path, value: Any) -> Row:
    """A row with another value at a path."""
    changed: Any = copy.deepcopy(row)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return changed  # type: ignore[no-any-return]


def renamed(item: Row, old: str, new: str) -> Row:
    """An object with another name of a key."""
    return {new if key == old else key: value for key, value in item.items()}


def text_keys(row: Row) -> Iterator[Row]:
    """The texts of turns under another key, those of all turns or of the first."""
    for turns in turns_of(row):
        for key in ("utterance", "zz_say", "body"):
            if not any(key in item for item in turns.items):
                yield replaced(row, turns.path, [renamed(item, turns.text, key) for item in turns.items])
                first = renamed(turns.items[0], turns.text, key)
                yield replaced(row, turns.path, [first, *turns.items[1:]])


PARTS: Final[dict[str, Callable[[str], Any]]] = {
    "typed": lambda text: [{"type": "text", "text": text}],
    "untyped": lambda text: [{"text": text}],
    "texts": lambda text: [text],
    "object": lambda text: {"text": text},
    "content": lambda text: [{"type": "text", "content": text}],
    "value": lambda text: {"value": text},
    "other": lambda text: {"question": {"is": text}},
    "unknown": lambda text: [{"type": "zz_part", "zz_text": text}],
    "nested": lambda text: {"content_type": "text", "parts": [text]},
}
"""Forms of a content that is no text."""


def parts(row: Row) -> Iterator[Row]:
    """The texts of turns in parts of all forms."""
    for turns in turns_of(row):
        for form in PARTS.values():
            items = [
                {**item, turns.text: form(item[turns.text])}
                if isinstance(item.get(turns.text), str) and item[turns.text].strip()
                else item
                for item in turns.items
            ]
            yield replaced(row, turns.path, items)


def speakers(row: Row) -> Iterator[Row]:
    """Speakers of other names, without one, and under other keys."""
    for turns in turns_of(row):
        for name in ("Alice", "", None):
            items = [
                {**item, turns.speaker: name} if meaning_of(item[turns.speaker]) in ("user", "assistant") else item
                for item in turns.items
            ]
            yield replaced(row, turns.path, items)
        for key in ("speaker", "who", "author", "spoken_by"):
            if key != turns.speaker:
                yield replaced(row, turns.path, [renamed(item, turns.speaker, key) for item in turns.items])
        author = [
            {**renamed(item, turns.speaker, "author"), "author": {"role": item[turns.speaker]}} for item in turns.items
        ]
        yield replaced(row, turns.path, author)


def forms_of_turns(row: Row) -> Iterator[Row]:
    """Turns in other containers."""
    for turns in turns_of(row):
        items = turns.items
        if not turns.path:
            continue
        yield replaced(row, turns.path, [{"message": item} for item in items])
        yield replaced(row, turns.path, [{"id": at, "data": item} for at, item in enumerate(items)])
        yield replaced(row, turns.path, [[item] for item in items])
        yield replaced(row, turns.path, {"turns": items})
        yield replaced(row, turns.path, {str(at): item for at, item in enumerate(items)})
        yield replaced(row, turns.path, json.dumps(items))


def moved_turns(row: Row) -> Iterator[Row]:
    """The last turns under a key of their own."""
    for turns in turns_of(row):
        if len(turns.items) < 2 or not turns.path:
            continue
        for key in ("response", "zz_turns", "target"):
            if key in row:
                continue
            last = turns.items[-1]
            for form in (last, [last], json.dumps(last)):
                yield {**replaced(row, turns.path, turns.items[:-1]), key: form}


def calls(row: Row) -> Iterator[Row]:
    """The calls of messages in other forms and under other keys."""
    for turns in turns_of(row):
        for at, item in enumerate(turns.items):
            found = item.get("tool_calls")
            if not isinstance(found, list) or not all(isinstance(call, dict) for call in found):
                continue
            functions = [call.get("function") for call in found]
            if not all(isinstance(function, dict) and {"name", "arguments"} == {*function} for function in functions):
                continue
            named = [(function["name"], function["arguments"]) for function in functions]
            others: list[Row] = [
                {"tool_calls": [{"name": name, "params": arguments} for name, arguments in named]},
                {"tool_calls": [{"function_name": name, "arguments": arguments} for name, arguments in named]},
                {"tool_calls": [{"call": call} for call in found]},
                {"tool_calls": json.dumps(found)},
                {"tool_calls": [{**call, "function": renamed(call["function"], "name", "zz")} for call in found]},
                {"tool_calls": [{**call, "function": renamed(call["function"], "arguments", "zz")} for call in found]},
                {"zz_calls": found},
                {"metadata": {"invocations": found}},
            ]
            rest = {key: value for key, value in item.items() if key != "tool_calls"}
            for other in others:
                yield replaced(row, (*turns.path, at), {**rest, **other})


def tools(row: Row) -> Iterator[Row]:
    """Declarations in other forms and under other keys."""
    declared = row.get("tools")
    if isinstance(declared, list) and all(isinstance(tool, dict) for tool in declared):
        rest = {key: value for key, value in row.items() if key != "tools"}
        yield {**rest, "tools": json.dumps(declared)}
        yield {**rest, "tools": [json.dumps(tool) for tool in declared]}
        yield {**rest, "tools": {f"tool {at}": tool for at, tool in enumerate(declared)}}
        yield {**rest, "tools": {"items": declared}}


def wrapped(row: Row) -> Iterator[Row]:
    """The row in another object."""
    yield {"data": row}
    yield {"id": 1, "sample": {"x": row}}
    yield {"row": json.dumps(row)}
    yield {"row": json.dumps(json.dumps(row))}
    yield {"rows": [{"row_idx": 0, "row": row}]}


MUTATIONS: Final[dict[str, Callable[[Row], Iterator[Row]]]] = {
    "text keys": text_keys,
    "parts": parts,
    "speakers": speakers,
    "forms of turns": forms_of_turns,
    "moved turns": moved_turns,
    "calls": calls,
    "tools": tools,
    "wrapped": wrapped,
}
