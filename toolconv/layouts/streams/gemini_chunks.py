"""Chunks of Gemini's API: each is a response whose candidates hold further parts; lines, events, or an array.

Neighbouring texts are joined, unless one has a signature, which belongs to its part alone. A call whose arguments are
streamed (``partialArgs``, with ``willContinue``) goes on in calls without a name.

Source: Gemini API reference, streamGenerateContent; Vertex AI, streaming function call arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Row
from toolconv.layouts.base import Layout, LayoutError
from toolconv.layouts.content_parts import first_of
from toolconv.layouts.formats.gemini import CALLS
from toolconv.layouts.formats.gemini import LAYOUT as GEMINI
from toolconv.layouts.pieces import Places, all_of
from toolconv.layouts.streams.base import Api, Boundary, StreamedAnswer, indexed, merged, object_at, objects, present

PARTIAL: Final = ("partialArgs", "partial_args")
CONTINUES: Final = ("willContinue", "will_continue")
FINISH: Final = ("finishReason", "finish_reason")
IDS: Final = ("responseId", "response_id")
VALUES: Final = ("stringValue", "numberValue", "boolValue", "string_value", "number_value", "bool_value")
STEP: Final = lazy_re(r"""\.([^.\[\]]+)|\[(\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]""")
"""A step of a JSON path: a key, an index, or a quoted key."""

PARTIAL_ARGUMENT: Final = all_of("jsonPath", "json_path", *VALUES, *CONTINUES)
"""The places in a piece of the arguments."""
CALL: Final[Places] = {**all_of("name", "args", *CONTINUES), **{key: [PARTIAL_ARGUMENT] for key in PARTIAL}}
"""The places in a call."""
PART: Final[Places] = {
    **all_of("text", "inlineData", "inline_data", "fileData", "file_data", "functionResponse", "function_response"),
    **all_of("executableCode", "executable_code", "codeExecutionResult", "code_execution_result", "videoMetadata"),
    **dict.fromkeys(CALLS, CALL),
}
"""The places in a part."""


class GeminiChunks(Api):
    """Chunks, up to one with a ``finishReason``."""

    layout: ClassVar[Layout] = GEMINI
    several: ClassVar[str] = "candidates"
    places: ClassVar[Places] = {"candidates": [{"content": {"parts": [PART]}}]}

    def is_event(self, value: Row) -> bool:
        if not ("candidates" in value or "promptFeedback" in value or "usageMetadata" in value):
            return False
        if "contents" in value or "messages" in value:
            return False
        candidates = value.get("candidates")
        if isinstance(candidates, list) and candidates:
            return all(
                isinstance(each, dict)
                and (isinstance(object_at(each, "content").get("parts"), list) or first_of(each, FINISH))
                for each in candidates
            )
        return not candidates and ("promptFeedback" in value or {"usageMetadata", "modelVersion"} <= value.keys())

    def continues(self, value: Row) -> bool:
        return "usageMetadata" in value or value.get("candidates") == [] or self.is_event(value)

    def boundary(self) -> Boundary:
        return _Finish()

    def assemble(self, events: Sequence[Row]) -> StreamedAnswer:
        head: Row = {}
        first: _Candidate | None = None
        for event in self.apart(events)[0]:
            head.update(present(event, "candidates"))
            for _, each in indexed(event.get("candidates")):
                first = first or _Candidate()
                first.add(each)
        if first is None:
            raise LayoutError(f"a stream without an answer: {', '.join(head)}")
        row = {**first.rest, **head, "contents": [{"role": "model", "parts": first.parts}]}
        finish = first_of(first.rest, FINISH)
        return StreamedAnswer(row, bool(finish), finish == "MAX_TOKENS", first.is_open_call())


class _Finish(Boundary):
    """A ``finishReason`` ends an answer, for all chunks but those with the same id."""

    def __init__(self) -> None:
        self._finished: set[Any] = set()
        self._id: Any = None

    def is_another(self, event: Row) -> bool:
        response_id = first_of(event, IDS)
        if response_id is not None and response_id == self._id:
            return False
        return any(at in self._finished for at, _ in indexed(event.get("candidates")))

    def add(self, event: Row) -> None:
        self._id = first_of(event, IDS) or self._id
        self._finished.update(at for at, each in indexed(event.get("candidates")) if first_of(each, FINISH))


class _Candidate:
    """An answer, assembled from chunks."""

    def __init__(self) -> None:
        self.parts: list[Any] = []
        self.rest: Row = {}
        self.open: Row | None = None

    def add(self, candidate: Row) -> None:
        self.rest = {**self.rest, **present(candidate, "content", "index")}
        parts = object_at(candidate, "content").get("parts")
        for part in parts if isinstance(parts, list) else ():
            self.add_part(part)

    def add_part(self, part: Any) -> None:
        key = next((key for key in CALLS if isinstance(part, dict) and isinstance(part.get(key), dict)), None)
        if key is not None:
            self.add_call(part, key)
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            last = self.parts[-1] if self.parts else None
            if _joinable(part) and isinstance(last, dict) and _joinable(last) and _thought(last) == _thought(part):
                self.parts[-1] = {**last, "text": last["text"] + part["text"]}
            elif part["text"] or not _joinable(part):
                self.parts.append(part)
        else:
            self.parts.append(part)

    def add_call(self, part: Row, key: str) -> None:
        call = part[key]
        if self.open is None or call.get("name"):
            held = {name: value for name, value in call.items() if name not in (*PARTIAL, *CONTINUES)}
            self.parts.append({**part, key: held})
            self.open = held
        else:
            held = self.open
            held.update(present(call, "name", "args", *PARTIAL, *CONTINUES))
            if isinstance(call.get("args"), dict):
                held["args"] = merged(object_at(held, "args"), call["args"])
        for piece in objects(first_of(call, PARTIAL)):
            held["args"] = _put(
                held.get("args"), _steps(str(first_of(piece, ("jsonPath", "json_path")))), first_of(piece, VALUES)
            )
        if not first_of(call, CONTINUES):
            self.open = None

    def is_open_call(self) -> bool:
        return self.open is not None and not self.open.get("args")


def _joinable(part: Row) -> bool:
    return isinstance(part.get("text"), str) and part.keys() <= {"text", "thought"}


def _thought(part: Row) -> bool:
    return part.get("thought") is True


def _steps(path: str) -> list[str | int]:
    """The keys and indices of a path such as ``$.places[0].city``."""
    steps: list[str | int] = []
    for key, index, *quoted in STEP.findall(path):
        steps.append(int(index) if index else key or "".join(quoted))
    return steps


def _put(holder: Any, steps: Sequence[str | int], value: Any) -> Any:
    """A copy of ``holder`` in which the value at a path is continued by ``value``."""
    if not steps:
        return merged(holder, value)
    step, *rest = steps
    if isinstance(step, int):
        items = list(holder) if isinstance(holder, list) else []
        if step >= len(items):
            return [*items, _put(None, rest, value)]
        return [*items[:step], _put(items[step], rest, value), *items[step + 1 :]]
    known = holder if isinstance(holder, dict) else {}
    return {**known, step: _put(known.get(step), rest, value)}
