"""Compare the ``{% generation %}`` marks of a chat template, by which trainers make loss masks, with spans.

A mark may enclose the generation prompt, which the model never writes, or leave out a stop token, which it has to.
Whitespace is not compared: a line break after a stop token is neither written by the model nor harmful.

Source: transformers, ``return_assistant_tokens_mask``; TRL, ``assistant_only_loss``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.templates.jinja.sandbox import GENERATED

_MARK: Final = lazy_re("|".join(GENERATED))
SHOWN: Final = 60
"""How many characters of a part are shown."""


def differences(marked: str, segments: Sequence[tuple[str, bool]]) -> list[str]:
    """What the marks train otherwise than the spans, each part once, for users.

    Args:
        marked: the text with marks; without any, nothing is compared.
        segments: the same text, in parts, each with whether the spans train it.
    """
    if GENERATED[0] not in marked or _MARK.sub("", marked) != "".join(text for text, _ in segments):
        return []
    found = dict.fromkeys(
        f"the marks {'train' if train else 'leave out'} {text.strip()[:SHOWN]!r}"
        for text, train, generated in _parts(marked, segments)
        if train != generated and text.strip()
    )
    return list(found)


def _parts(marked: str, segments: Sequence[tuple[str, bool]]) -> Iterator[tuple[str, bool, bool]]:
    """The text in parts: whether the marks train each, and whether the spans do. Equal neighbours are one part."""
    text, train, generated = "", False, False
    for part, one, other in _cut(marked, segments):
        if (one, other) != (train, generated):
            yield text, train, generated
            text, train, generated = "", one, other
        text += part
    yield text, train, generated


def _cut(marked: str, segments: Sequence[tuple[str, bool]]) -> Iterator[tuple[str, bool, bool]]:
    """The text, cut at all marks and all ends of segments."""
    pieces = _pieces(marked)
    piece, train = next(pieces, ("", False))
    for rest, generated in segments:
        while rest:
            while not piece:
                piece, train = next(pieces)
            size = min(len(piece), len(rest))
            yield rest[:size], train, generated
            piece, rest = piece[size:], rest[size:]


def _pieces(marked: str) -> Iterator[tuple[str, bool]]:
    """The text between marks, each with whether it is in them; a mark may be inside another."""
    depth = at = 0
    for mark in _MARK.finditer(marked):
        yield marked[at : mark.start()], depth > 0
        depth += 1 if mark[0] == GENERATED[0] else -1
        at = mark.end()
    yield marked[at:], depth > 0
