"""The row of a shape that is written to see what its plan is: a word of its own stands for each part of a value."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, Final

from toolconv.convert.plans.plain_rows import RowShape
from toolconv.core import jsontext

MARKS: Final = (b"Xq", b"70000")
"""What is part of each value of a row of :func:`words`."""


def words() -> Iterator[str]:
    """Words that no row has, and that none of them holds another."""
    return (f"Xq{number}zX" for number in count(1))


def longer_words() -> Iterator[str]:
    """Others, of many lengths, which are still short enough for names."""
    return (f"Jk{'v' * (number % 40)}{number}Zx" for number in count(101))


def example(shape: RowShape, words: Iterator[str]) -> dict[str, Any]:
    """A row of a shape whose values have one of the words in each part."""
    messages: list[dict[str, Any]] = []
    ids: list[str] = []
    names: list[str] = []
    for form, *more in shape.turns:
        if form == "text":
            messages.append({"role": more[0], "content": _prose(next(words))})
        elif form == "result":
            keys, at, kind = more
            value = {"spaced": jsontext.spaced, "compact": jsontext.compact}.get(kind)
            content = _prose(next(words)) if value is None else value(_object(words))
            known = {"role": "tool", "content": content, "tool_call_id": ids[at], "name": names[at]}
            messages.append({key: known[key] for key in keys})
        else:
            keys, content, *kinds = more
            content = _prose(next(words)) if content == "text" else content
            calls = []
            for given, arguments in zip(kinds[::2], kinds[1::2], strict=True):
                ids.append(_id(given, next(words)))
                names.append(next(words))
                text = "{}" if arguments is None else jsontext.spaced(_object(words))
                function = {"name": names[-1], "arguments": text}
                calls.append({"id": ids[-1], "type": "function", "function": function})
            known = {"role": "assistant", "content": content, "tool_calls": calls}
            messages.append({key: known[key] for key in keys})
    row: dict[str, Any] = {}
    for key, kind, *value in shape.fields:
        if key == "tools":
            row[key] = [_tool(words) for _ in range(kind)]
        elif key == "messages":
            row[key] = messages
        elif value:
            row[key] = value[0]
        else:
            row[key] = _prose(next(words)) if kind is str else 70_000_000 + len(next(words))
    return row


def _id(form: str | int, word: str) -> str:
    """The id of a call: a numbered one, or one of some length, which ends as no other."""
    return (
        f"call_70000{''.join(filter(str.isdecimal, word))}" if type(form) is str else (word * int(form))[-int(form) :]
    )


def _prose(word: str) -> str:
    return f"{word}, it's so: 1 of 2, é 東."


def _object(words: Iterator[str]) -> dict[str, Any]:
    return {
        next(words): f"{next(words)}, it's (é 東) a = b & c.",
        next(words): [1, -2.5, True, next(words), [], {}],
        next(words): {next(words): ["", {next(words): 0}]},
    }


def _tool(words: Iterator[str]) -> dict[str, Any]:
    """A tool whose description and schema have all that notations may escape, order or leave out."""

    def odd(word: str) -> str:
        return f"<b>{word}</b> & 'é' \"東\" \\ /\n."

    properties = {
        next(words): {"type": "string", "description": odd(next(words)), "enum": [next(words)]},
        next(words): {"type": ["integer", "boolean"], "default": 1.5, "minimum": 0, "title": next(words)},
        next(words): {"type": "object", "required": [], "properties": {next(words): {"type": "array", "items": {}}}},
        next(words): {"anyOf": [{"type": "number"}, {"$ref": next(words)}], "x": False},
    }
    parameters = {"type": "object", "properties": properties, "required": [next(words)], "additionalProperties": False}
    function = {"name": next(words), "description": odd(next(words)), "parameters": parameters}
    return {"type": "function", "function": function}
