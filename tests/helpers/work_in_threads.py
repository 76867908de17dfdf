"""What the public functions give for a file, for :mod:`tests.test_threads`: a module that a new process can import."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from toolconv import Options, Receipt, StreamReader, convert_rows, detect, lint_rows, parse, read, render
from toolconv.core.errors import ToolconvError


def outcome(function: Callable[[], Any]) -> str:
    """What a function gives, or its error."""
    try:
        return repr(function())
    except ToolconvError as error:
        return f"{type(error).__name__}: {error}"


def outcomes(file: str, template: str, first: int | None = None) -> list[str]:
    """What each public function gives for the rows of a file, or for its ``first``; ``template`` is a chat template."""
    rows = file if first is None else first_rows(file, first)
    conversations = outcome_of_reading(rows)
    done = [
        outcome(lambda: detect(rows)),
        outcome(lambda: list(lint_rows(rows))),
        outcome(lambda: list(convert_rows(rows, Options(to_layout="openai"), receipt=Receipt()))),
        outcome(lambda: list(convert_rows(rows, Options(target="hermes")))),
    ]
    for conversation in conversations:
        done.append(repr(conversation.row))
        done += [outcome(partial(render, conversation, name)) for name in ("qwen3", "mistral-v3", Path(template))]
        done += list(map(turn, texts(conversation.messages)))
    return done


def first_rows(file: str, most: int | None) -> list[dict[str, Any]]:
    """The first rows of a file, or all; of a line that describes a case, the row of the case."""
    found: list[dict[str, Any]] = []
    with Path(file).open(encoding="utf-8") as lines, suppress(ValueError):  # some fixtures are no JSON
        found += (json.loads(line) for line in islice(lines, most) if line.startswith("{"))
    return [case["row"] if isinstance(case.get("row"), dict) else case for case in found]


def outcome_of_reading(rows: str | list[dict[str, Any]]) -> list[Any]:
    """The conversations of a file or of rows; none if they can't be read."""
    try:
        return list(read(rows, receipt=Receipt()))
    except ToolconvError:
        return []


def texts(messages: Iterable[dict[str, Any]]) -> list[str]:
    """The texts of the assistant."""
    return [each["content"] for each in messages if each["role"] == "assistant" and isinstance(each["content"], str)]


def turn(text: str) -> str:
    """A turn, whole and as a stream."""
    reader = StreamReader("hermes")
    return repr((parse(text), reader.feed(text), reader.close()))


def refused(row: dict[str, Any]) -> list[Any]:
    """Convert a row, which raises an error if it can't be read."""
    return list(convert_rows([row]))
