"""Chunks of OpenAI's chat and text completions, as many servers and gateways write them.

- Choices go on by their ``index``. An ``id`` tells answers apart only where it stays the same in the chunks of one, as
  some gateways change it with every chunk.
- Calls, also under another key that says so, go on by their ``index``: a fragment without a name continues the call at
  that index, whatever its ``id``.
- Texts are deltas or, from some gateways, the whole text so far (repair ``cumulative_stream``): each fragment then
  begins with the one before it, in all texts of the answer, and one of at least :data:`LONG` letters is repeated.
- Lists are appended, objects merged.

Source: OpenAI API reference, chat completion chunks, completions; vLLM's OpenAI-compatible server; BerriAI/litellm#1571
and #28223; OpenRouter, reasoning tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Final

from toolconv.core import jsontext
from toolconv.core.call_keys import ARGUMENT_KEYS, RARE_ARGUMENT_KEYS
from toolconv.core.key_words import is_key_of_calls
from toolconv.core.messages import Row
from toolconv.layouts.base import Layout, LayoutError
from toolconv.layouts.call_forms import REPAIR as CALLS_KEY
from toolconv.layouts.formats.chat_completion import LAYOUT as CHAT_COMPLETION
from toolconv.layouts.pieces import ANY_CALLS, Places, all_of
from toolconv.layouts.streams.base import SINGLE, Api, Boundary, StreamedAnswer, indexed, is_json, merged, objects

LONG: Final = 8
CHAT: Final = "chat.completion.chunk"
TEXT: Final = "text_completion"
FUNCTION: Final = all_of("name", *ARGUMENT_KEYS, *RARE_ARGUMENT_KEYS)
DELTA: Final[Places] = {
    **all_of("content", "refusal", "reasoning", "reasoning_content", "reasoning_details", "name", "audio"),
    "function_call": FUNCTION,
    ANY_CALLS: [{"extra_content": None, "function": FUNCTION}],
}
"""The places in a piece of a message."""


class OpenAIChunks(Api):
    """Chunks of ``choices``."""

    layout: ClassVar[Layout] = CHAT_COMPLETION
    several: ClassVar[str] = "choices"
    places: ClassVar[Places] = {"choices": [{"text": None, "delta": DELTA}]}

    def is_event(self, value: Row) -> bool:
        return is_chunk(value) or value.get("choices") == []

    def continues(self, value: Row) -> bool:
        return isinstance(value.get("choices"), list)

    def boundary(self) -> Boundary:
        return _Ids()

    def assemble(self, events: Sequence[Row]) -> StreamedAnswer:
        head: Row = {}
        choices: dict[int, _Choice] = {}
        for chunk in events:
            for key, value in chunk.items():
                if key not in ("choices", "object") and not head.get(key):
                    head[key] = value
            for at, choice in indexed(chunk["choices"]):
                choices.setdefault(at, _Choice()).add(choice)
        if not choices:
            raise LayoutError("a stream without an answer")
        repairs: list[str] = []
        whole = [{"index": at, **choices[at].whole(repairs)} for at in sorted(choices)]
        row = {**{key: value for key, value in head.items() if value is not None}, "choices": whole}
        finish = whole[0].get("finish_reason")
        calls = choices[min(choices)].calls
        open_call = bool(calls) and not any(calls[-1].arguments)
        return StreamedAnswer(row, finish is not None, finish == "length", open_call, repairs=repairs)


def is_chunk(value: Any) -> bool:
    """Whether a value is a chunk of a chat or text completion stream."""
    if not isinstance(value, dict) or not isinstance(value.get("choices"), list):
        return False
    kind = value.get("object")
    if kind == TEXT:
        return all(isinstance(choice, dict) and "text" in choice for choice in value["choices"])
    return kind == CHAT or any(isinstance(choice.get("delta"), dict) for choice in objects(value["choices"]))


def _delta(choice: Row) -> Row:
    """What a choice adds to the message."""
    delta = choice.get("delta")
    if isinstance(delta, dict):
        return delta
    return {"content": choice["text"]} if isinstance(choice.get("text"), str) else {}


class _Ids(Boundary):
    """Tells answers apart by their ids, where these are stable, by their ends, and by the role of a first delta."""

    def __init__(self) -> None:
        self._id: Any = None
        self._chunks = 0
        self._stable = self._has_role = False
        self._finished: set[int] = set()

    def is_another(self, event: Row) -> bool:
        chunk_id = event.get("id")
        if chunk_id and chunk_id == self._id:
            return False
        choices = [(at, choice) for at, choice in indexed(event.get("choices")) if any(_delta(choice).values())]
        if not choices:
            return False
        begins = any(_delta(choice).get("role") for _, choice in choices)
        if all(at in self._finished for at, _ in choices):
            return begins or bool(chunk_id and self._id) or any("text" in choice for _, choice in choices)
        if not (chunk_id and self._id):
            return False
        return (begins or not self._has_role) if self._stable else (begins and self._chunks == 1)

    def add(self, event: Row) -> None:
        if event.get("id"):
            self._stable = self._stable or event["id"] == self._id
            self._id = event["id"]
        choices = indexed(event.get("choices"))
        self._chunks += bool(choices)
        for at, choice in choices:
            self._has_role = self._has_role or bool(_delta(choice).get("role"))
            if choice.get("finish_reason"):
                self._finished.add(at)


class _Choice:
    """One of the answers of a stream."""

    def __init__(self) -> None:
        self.keys: Row = {}
        self.pieces: dict[str, list[Any]] = {}
        self.calls: list[_Call] = []
        self.legacy: _Call | None = None
        self.is_renamed = False

    def add(self, choice: Row) -> None:
        for key, value in choice.items():
            if key not in ("index", "delta", "text") and value is not None:
                old = self.keys.get(key)
                self.keys[key] = value if isinstance(value, str) else merged(old, value, key)
        for key, value in _delta(choice).items():
            if value is None:
                continue
            if isinstance(value, list) and is_key_of_calls(key):
                self.is_renamed = self.is_renamed or key != "tool_calls"
                for fragment in objects(value):
                    self.call(fragment).add(fragment)
            elif key == "function_call" and isinstance(value, dict):
                self.legacy = self.legacy or _Call(0)
                self.legacy.add({"function": value})
            else:
                self.pieces.setdefault(key, []).append(value)

    def call(self, fragment: Row) -> _Call:
        """The call that a fragment belongs to."""
        at, call_id = fragment.get("index"), fragment.get("id")
        same = [call for call in self.calls if at is None or call.index == at]
        if at is None and call_id:
            same = [call for call in same if call.item.get("id") == call_id] or same
        if same and not same[-1].is_followed_by(fragment):
            return same[-1]
        self.calls.append(_Call(at))
        return self.calls[-1]

    def whole(self, repairs: list[str]) -> Row:
        texts = {key: value for key, value in self.pieces.items() if _is_text(key, value)}
        cumulative = _are_cumulative(texts.values())
        message: Row = {"role": "assistant"}
        message.update({key: _joined(key, value) for key, value in self.pieces.items() if key not in texts})
        for key, fragments in texts.items():
            grown = _growing(fragments) if cumulative else []
            if len(grown) > 1:
                repairs.append("cumulative_stream")
            message[key] = grown[-1] if len(grown) > 1 else "".join(fragments)
        if self.legacy is not None:
            message["function_call"] = self.legacy.whole(repairs)["function"]
        repairs += [CALLS_KEY] * self.is_renamed
        if self.calls:
            message["tool_calls"] = [call.whole(repairs) for call in self.calls]
        return {"message": message, **self.keys}


class _Call:
    """A call, assembled from fragments."""

    def __init__(self, index: Any) -> None:
        self.index = index
        self.item: Row = {}
        self.function: Row = {}
        self.arguments: list[str] = []
        self.keys: set[str] = set()

    def is_followed_by(self, fragment: Row) -> bool:
        """Whether a fragment at the same index begins another call.

        Only a fragment with a name does. A name may also come in pieces, or again with each fragment.
        """
        function = fragment.get("function")
        function = function if isinstance(function, dict) else {}
        name, known = function.get("name"), self.function.get("name")
        if not name or not known or not isinstance(name, str):
            return False
        held_id, call_id = self.item.get("id"), fragment.get("id")
        if held_id and call_id and held_id == call_id:
            return False
        begun = "".join(self.arguments)
        if name.startswith(known):  # the same call again, or the name so far
            added = function.get("arguments")
            return bool(added) and is_json(begun) and not (isinstance(added, str) and added.startswith(begun))
        return bool(begun or call_id)

    def add(self, fragment: Row) -> None:
        function = fragment.get("function")
        for key, value in fragment.items():
            if key not in ("index", "function") and value not in (None, "") and not (key == "id" and "id" in self.item):
                self.item[key] = value
        for key, value in function.items() if isinstance(function, dict) else ():
            if key in ARGUMENT_KEYS or key in RARE_ARGUMENT_KEYS:
                self.keys.add(key)
                if value is not None:
                    self.arguments.append(value if isinstance(value, str) else jsontext.spaced(value))
            elif key == "name" and isinstance(value, str):
                known = self.function.get("name", "")
                self.function["name"] = value if value.startswith(known) else known + value
            elif value is not None:
                self.function[key] = value

    def whole(self, repairs: list[str]) -> Row:
        repairs += ["alternative_key"] * bool(self.keys - {"arguments"})
        arguments = "".join(self.arguments)
        if not is_json(arguments) and len(grown := _growing(self.arguments)) > 1:
            repairs.append("cumulative_stream")
            arguments = grown[-1]
        function = {"name": "", **self.function, "arguments": arguments}
        return {**self.item, "type": self.item.get("type", "function"), "function": function}


def _is_text(key: str, pieces: list[Any]) -> bool:
    return key not in SINGLE and all(isinstance(piece, str) for piece in pieces)


def _joined(key: str, pieces: list[Any]) -> Any:
    """The value of a key whose pieces are not all text: where there are lists, or texts and objects, each is a part."""
    kinds = set(map(type, filter(None, pieces)))
    mixed = list in kinds or kinds >= {str, dict}
    value: Any = None
    for piece in pieces:
        part = piece
        if mixed and piece and not isinstance(piece, list):
            part = [{"type": "text", "text": piece} if isinstance(piece, str) else piece]
        value = value if mixed and piece == "" else merged(value, part, key)
    return value


def _are_cumulative(texts: Iterable[Sequence[str]]) -> bool:
    """Whether fragments are whole texts so far: all of them grow, and a long one is repeated."""
    grown = [(_growing(fragments), fragments) for fragments in texts]
    if any(not each and any(fragments) for each, fragments in grown):
        return False
    return any(len(each) > 1 and len(each[-2]) >= LONG for each, _ in grown)


def _growing(fragments: Sequence[str]) -> list[str]:
    """The fragments, each once, if every one begins with the one before it; otherwise none."""
    grown: list[str] = []
    for fragment in fragments:
        if not fragment:
            continue
        if grown and not fragment.startswith(grown[-1]):
            return []
        if not grown or fragment != grown[-1]:
            grown.append(fragment)
    return grown
