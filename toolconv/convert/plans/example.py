"""The row of a shape that is written to see what its plan is: a word of its own stands for each part of a value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, Final

from toolconv.convert.plans import TEXT_KEYS
from toolconv.convert.plans.marked_rows import MARKED, PROSE
from toolconv.convert.plans.plain_rows import RowShape
from toolconv.core import jsontext

MARKS: Final = (b"Xq", b"70000")
"""What is part of each value of a row of :func:`words`."""

_SPELLINGS: Final[dict[str, Callable[[Any], Any]]] = {"spaced": jsontext.spaced, "compact": jsontext.compact, "": list}


def words() -> Iterator[str]:
    """Words that no row has, and that none of them holds another."""
    return (f"Xq{number}zX" for number in count(1))


def longer_words() -> Iterator[str]:
    """Others, of many lengths, which are still short enough for names."""
    return (f"Jk{'v' * (number % 40)}{number}Zx" for number in count(101))


def example(shape: RowShape, words: Iterator[str], has_arguments: bool) -> dict[str, Any]:
    """A row of a shape whose values have one of the words in each part.

    Args:
        shape: the shape.
        words: the words.
        has_arguments: whether calls have arguments if the shape doesn't say it.
    """
    messages: list[dict[str, Any]] = []
    ids: list[str] = []
    names: list[str] = []
    first = 0
    listed = sum(kind for key, kind, *_ in shape.fields if key == "tools")
    stated = sum(turn[3] for turn in shape.turns if turn[0] == "stated")
    declared = [_tool(words, _odd) for _ in range(listed)] or [_tool(words, _prose) for _ in range(stated)]
    for form, *more in shape.turns:
        if form == "text":
            messages.append({"role": more[0], "content": _prose(next(words))})
        elif form == "result":
            keys, at, kind = more
            content = _prose(next(words)) if kind == "prose" else _SPELLINGS[kind](_object(words))
            known = {"role": "tool", "content": content, "tool_call_id": ids[first + at], "name": names[first + at]}
            messages.append({key: known[key] for key in keys})
        elif form in MARKED:
            role, *pieces = more
            messages.append({"role": role, "content": _marked(pieces, words, has_arguments)})
        elif form == "stated":
            speaker, before, _, after = more
            lines = "".join(f"\n{jsontext.spaced(tool)}" for tool in declared)
            messages.append({"role": speaker, "content": before + lines + after})
        else:
            keys, content, *kinds = more
            content = _prose(next(words)) if content == "text" else content
            calls = []
            first = len(ids)
            for given, is_filled in zip(kinds[::2], kinds[1::2], strict=True):
                ids.append(_id(given, next(words)))
                names.append(next(words))
                text = jsontext.spaced(_arguments(is_filled, has_arguments, words))
                function = {"name": names[-1], "arguments": text}
                calls.append({"id": ids[-1], "type": "function", "function": function})
            known = {"role": "assistant", "content": content, "tool_calls": calls}
            messages.append({key: known[key] for key in keys})
    row: dict[str, Any] = {}
    for key, kind, *value in shape.fields:
        if key == "tools":
            row[key] = _SPELLINGS[value[0]](declared)
        elif type(kind) is tuple:
            row[key] = (
                messages if kind == TEXT_KEYS else [dict(zip(kind, each.values(), strict=True)) for each in messages]
            )
        elif value:
            row[key] = value[0]
        else:
            row[key] = _prose(next(words)) if kind is str else 70_000_000 + len(next(words))
    return row


def _marked(pieces: list[Any], words: Iterator[str], has_arguments: bool) -> str:
    """A text of lines of markup, with JSON and prose between them."""
    lines: list[str] = []
    for piece in pieces:
        if type(piece) is str:
            lines.append(piece)
        elif piece == PROSE:
            lines.append(_prose(next(words)))
        else:
            _, is_spaced, *call = piece
            spell = jsontext.spaced if is_spaced else jsontext.compact
            if not call:
                lines.append(spell(_object(words)))
                continue
            lines.append(spell({"name": next(words), "arguments": _arguments(call[0], has_arguments, words)}))
    return "\n".join(lines)


def _id(form: str | int, word: str) -> str:
    """The id of a call: a numbered one, or one of some length, which ends as no other."""
    return (
        f"call_70000{''.join(filter(str.isdecimal, word))}" if type(form) is str else (word * int(form))[-int(form) :]
    )


def _prose(word: str) -> str:
    return f"{word}, it's so: 1 of 2, é 東."


def _arguments(is_filled: bool | None, otherwise: bool, words: Iterator[str]) -> dict[str, Any]:
    return _object(words) if (otherwise if is_filled is None else is_filled) else {}


def _object(words: Iterator[str]) -> dict[str, Any]:
    return {
        next(words): f"{next(words)}, it's (é 東) a = b & c.",
        next(words): [1, -2.5, True, next(words), [], {}],
        next(words): {next(words): ["", {next(words): 0}]},
    }


def _odd(word: str) -> str:
    """A text with all that notations may escape."""
    return f"<b>{word}</b> & 'é' \"東\" \\ /\n."


def _tool(words: Iterator[str], describe: Callable[[str], str]) -> dict[str, Any]:
    """A tool whose schema has all that notations may order or leave out."""
    properties = {
        next(words): {"type": "string", "description": describe(next(words)), "enum": [next(words)]},
        next(words): {"type": ["integer", "boolean"], "default": 1.5, "minimum": 0, "title": next(words)},
        next(words): {"type": "object", "required": [], "properties": {next(words): {"type": "array", "items": {}}}},
        next(words): {"anyOf": [{"type": "number"}, {"$ref": next(words)}], "x": False},
    }
    parameters = {"type": "object", "properties": properties, "required": [next(words)], "additionalProperties": False}
    function = {"name": next(words), "description": describe(next(words)), "parameters": parameters}
    return {"type": "function", "function": function}
