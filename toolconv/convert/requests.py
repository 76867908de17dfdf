"""Joins the answers of a batch to the questions in its request file, by ``custom_id`` (Gemini: ``key``).

Providers take a file of requests and give a file of answers, in any order, without the questions. Of the request file
only the ids and their places are held in memory, about a hundred bytes a request; a request is read when its answer
comes.

Source: the batch API references of OpenAI, Anthropic and Gemini; vLLM's ``run-batch``, whose files are OpenAI's.
"""

from __future__ import annotations

from collections.abc import Container
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.errors import FileError, reason_of, too_long
from toolconv.core.messages import Row
from toolconv.io.inputs import MAX_LINE_BYTES
from toolconv.layouts.formats.chat_completion import GEMINI

IDS: Final = ("custom_id", "key")
"""The keys of the id that a request and its answer share."""
BODIES: Final = ("body", "params", "request")
"""The keys of what was asked: OpenAI's, Anthropic's, Gemini's."""


class NotJoined(ValueError):
    """An answer without its request, or a request that failed; the message says which."""


class Requests:
    """The requests of a batch.

    Args:
        name: the request file, one JSON object a line.

    Raises:
        FileError: it can't be read, or is no such file.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._places: dict[str, int] = {}
        self._answered: set[str] = set()
        place = number = 0
        try:
            with Path(name).open("rb") as file:
                while line := file.readline(MAX_LINE_BYTES + 1):
                    number += 1
                    if len(line) > MAX_LINE_BYTES:
                        raise FileError(f"{name}:{number}: {too_long('a line', MAX_LINE_BYTES)}")
                    if not line.isspace():
                        self._add(line, number, place)
                    place += len(line)
        except OSError as error:
            raise FileError(f"{name}: {reason_of(error)}") from None

    def _add(self, line: bytes, number: int, place: int) -> None:
        try:
            request = jsontext.loads(line)
        except ValueError:
            request = None
        known = _id_of(request)
        if known is None or _body_of(request) is None:
            raise FileError(
                f"{self.name}:{number}: no request of a batch: a custom_id, and what was asked under "
                "body, params or request"
            )
        if known in self._places:
            raise FileError(f"{self.name}:{number}: the custom_id {known!r} a second time")
        self._places[known] = place

    def joined(self, answer: Row) -> Row:
        """A row of a request and its answer, as the layouts of logs have them.

        Raises:
            NotJoined: there is no such request, or it failed.
        """
        known = _id_of(answer)
        if known is None:
            raise NotJoined("no custom_id, by which --requests finds the question")
        place = self._places.get(known)
        if place is None:
            raise NotJoined(f"no request with the custom_id {known!r} in {self.name}")
        self._answered.add(known)
        held, response = _response_of(answer)
        with Path(self.name).open("rb") as file:
            file.seek(place)
            request = jsontext.loads(file.readline())
        asked = _body_of(request) or {}
        sent = {key: value for key, value in request.items() if key not in IDS and value is not asked}
        rest = {key: value for key, value in answer.items() if key not in ("response", "result")}
        response = {**held, **response}
        if "output" in response and "input" in asked:
            return {
                **rest,
                **({"request": sent} if sent else {}),
                "responses_create_params": asked,
                "response": response,
            }
        return {**rest, "request": {**sent, **asked}, "response": response}

    def answered_since(self) -> set[str]:
        """The ids of the requests with an answer, also a failed one, since this was last asked."""
        answered, self._answered = self._answered, set()
        return answered

    def without_answer(self, answered: Container[str]) -> list[str]:
        """The ids of the requests without an answer, by the ids of those that have one."""
        return [known for known in self._places if known not in answered]


@lru_cache(maxsize=4)
def requests_in(name: str) -> Requests:
    """The requests in a file, which is read once in each process."""
    return Requests(name)


def lacks_question(line: bytes) -> bool:
    """Whether a line is an answer of a batch, whose question is in the request file."""
    try:
        row = jsontext.loads(line)
    except ValueError:
        return False
    if _id_of(row) is None or _body_of(row) is not None or not any(row.get(key) for key in ("response", "result")):
        return False
    return "custom_id" in row or row.keys() <= GEMINI


def _id_of(row: Any) -> str | None:
    if not isinstance(row, dict):
        return None
    return next((row[key] for key in IDS if isinstance(row.get(key), str)), None)


def _body_of(request: Any) -> Row | None:
    return next((request[key] for key in BODIES if isinstance(request.get(key), dict)), None)


def _response_of(answer: Row) -> tuple[Row, Row]:
    """What a line of an answer file says of the answer, such as its status, and the API's own answer.

    Raises:
        NotJoined: the request failed.
    """
    error = answer.get("error")
    holder = answer.get("response") or answer.get("result") or {}
    if isinstance(holder, dict) and not error:
        found = holder.get("body") or holder.get("message") or holder
        error = found.get("error") or holder.get("error")
        if not error and found and holder.get("type", "succeeded") == "succeeded":
            return {key: value for key, value in holder.items() if value is not found and found is not holder}, found
        error = error or holder.get("type")
    message = error.get("message", error) if isinstance(error, dict) else error
    raise NotJoined(f"the request failed: {message or 'no answer'}")
