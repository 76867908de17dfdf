"""The writers that templates write to: one collects the text, the other also records its spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

SpanKind = Literal["system", "tools", "user", "reasoning", "prose", "call", "response", "turn"]
"""The kind of a span; ``turn`` is everything between the others: turn tokens, role names, line breaks."""

Segment = tuple[str, SpanKind, bool, int | None, int | None]
"""Text, kind, whether it is trained on, the index of its message, the index of its call in that message."""


class TextWriter:
    """Collects the text of a conversation, segment by segment. Callers pass each segment's kind, which is ignored here.

    ``message`` is the index of the message that a segment belongs to, ``call`` the index of the call in that message.
    """

    __slots__ = ("_texts",)

    def __init__(self) -> None:
        self._texts: list[str] = []

    def add(
        self, kind: SpanKind, text: str, message: int | None = None, call: int | None = None, train: bool = False
    ) -> None:
        """Write ``text``; ``train`` marks text that the model generates."""
        self._texts.append(text)

    def trained(self, kind: SpanKind, text: str, message: int) -> None:
        """Write text that the model generates."""
        self._texts.append(text)

    def turn(self, text: str, message: int | None = None) -> None:
        """Write separators that the model does not generate: turn tokens, role names, line breaks."""
        self._texts.append(text)

    def enclosed(self, kind: SpanKind, before: str, text: str, after: str, message: int | None = None) -> None:
        """Write ``text`` between the separators ``before`` and ``after``; the model generates none of it."""
        self._texts += (before, text, after)

    def calls(self, texts: Sequence[str], message: int) -> None:
        """Write the calls of a turn; ``texts`` holds one text per call."""
        self._texts += texts

    def end(self, stop: str, close: str, message: int) -> None:
        """Write the end of an assistant turn: ``stop``, which the model generates, and ``close``, which it does not."""
        self._texts += (stop, close)

    @property
    def text(self) -> str:
        """The text written so far."""
        return "".join(self._texts)

    def trim(self, before: int, after: int) -> None:
        """Cut characters from both ends of the text."""
        text = self.text
        self._texts = [text[before : len(text) - after]]


class SpanWriter(TextWriter):
    """A writer that also records the kind of each segment."""

    __slots__ = ("segments",)

    def __init__(self) -> None:
        self.segments: list[Segment] = []

    def add(
        self, kind: SpanKind, text: str, message: int | None = None, call: int | None = None, train: bool = False
    ) -> None:
        if text:
            self.segments.append((text, kind, train, message, call))

    def trained(self, kind: SpanKind, text: str, message: int) -> None:
        if text:
            self.segments.append((text, kind, True, message, None))

    def turn(self, text: str, message: int | None = None) -> None:
        if text:
            self.segments.append((text, "turn", False, message, None))

    def enclosed(self, kind: SpanKind, before: str, text: str, after: str, message: int | None = None) -> None:
        self.turn(before, message)
        self.add(kind, text, message)
        self.turn(after, message)

    def calls(self, texts: Sequence[str], message: int) -> None:
        for place, text in enumerate(texts):
            self.add("call", text, message, place, train=True)

    def end(self, stop: str, close: str, message: int) -> None:
        self.trained("turn", stop, message)
        self.turn(close, message)

    @property
    def text(self) -> str:
        return "".join([segment[0] for segment in self.segments])

    def trim(self, before: int, after: int) -> None:
        segments, at, end = list[Segment](), 0, len(self.text) - after
        for text, *what in self.segments:
            if kept := text[max(before - at, 0) : max(end - at, 0)]:
                segments.append((kept, *what))  # type: ignore[arg-type]
            at += len(text)
        self.segments = segments

    def weighed_spans(self, weights: Mapping[int, float]) -> list[dict[str, Any]]:
        """The spans with what training marks say.

        Args:
            weights: by the index of a message; nothing of one with 0 is trained. Of a message that the model does not
                generate, only the texts are. Trained spans with a weight other than 1 have it under ``weight``.
        """
        if weights:
            self.segments = [_weighed(segment, weights) for segment in self.segments]
        spans = self.spans()
        for span in spans if weights else ():
            if span["train"] and (weight := weights.get(span["message"], 1)) != 1:
                span["weight"] = weight
        return spans

    def spans(self) -> list[dict[str, Any]]:
        """The spans: ``start``, ``end`` (in characters), ``kind``, ``train``, ``message``, ``call``.

        They cover the text without gaps; adjacent segments that differ only in their text become one span.
        """
        spans: list[dict[str, Any]] = []
        at = 0
        before: tuple[Any, ...] = ()
        for text, *what in self.segments:
            end = at + len(text)
            if tuple(what) == before:
                spans[-1]["end"] = end
            else:
                kind, train, message, call = before = tuple(what)
                spans.append({"start": at, "end": end, "kind": kind, "train": train, "message": message, "call": call})
            at = end
        return spans


def _weighed(segment: Segment, weights: Mapping[int, float]) -> Segment:
    """A segment, trained as the weight of its message says."""
    text, kind, train, message, call = segment
    if message is None or message not in weights:
        return segment
    return text, kind, weights[message] > 0 and (train or kind != "turn"), message, call
