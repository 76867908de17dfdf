"""Counts the calls that a reading leaves in its prose as dropped ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from toolconv.core.calls import lists_calls
from toolconv.core.lazy_re import end_of, lazy_re
from toolconv.core.notes import Dropped
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.lexing.call_signs import CallSign, call_objects, unread_calls
from toolconv.dialects.lexing.damaged_markup import names_in, python_calls
from toolconv.dialects.lexing.masking import unmasked
from toolconv.dialects.reading.parts import TurnPart, with_dropped
from toolconv.dialects.reading.turn_parser import Parsed, parts_of

UNREAD: Final = "call markup that no dialect reads"
"""Why a call is dropped whose marker, or whose tool's name, is all that could be read of it."""

_CLOSED: Final = lazy_re(r"[>\]]*[ \t\r\n]{0,80}[\[(]?")
_BLOCK: Final = lazy_re(r"^```\w*+\n(?P<inside>\s*+(?:\[\s*+)?\{\s*+\"[^`]*+)```", re.MULTILINE)
"""A code block of JSON, which may be a call."""

MAX_COMPARED: Final = 200
"""More dropped calls of a turn than this are compared by number with what its prose shows, not one by one."""


def accounted(parsed: Parsed, tools: ToolIndex) -> Parsed:
    """A reading in which each call that its prose still shows is a dropped one."""
    content = parsed.content
    hits = list(unread_calls(content, tools))
    hits += list(_next_calls(content, hits, tools))
    if len(parsed.dropped) > MAX_COMPARED:
        return _with_unread(parsed, [(hit.start, hit.end) for hit in hits[len(parsed.dropped) :]])
    spans, at = [], 0
    for each in parsed.dropped:
        place = content.find(each.text, at)
        if place >= 0:
            at = place + 1
            spans.append((place, place + len(each.text)))
    bare = unmasked(content)  # objects that a text only shows by themselves are calls in a list that is dropped
    for start, end in _joined(spans):
        known = {hit for hit in hits if start <= hit.start < end}  # a tag and the name after it are one call
        written = [CallSign(*span) for span in (*python_calls(content, start, end), *call_objects(bare, start, end))]
        unknown = [sign for sign in written if sign not in known]
        hits += unknown[len(unknown) - max(0, len(written) - len(known)) :]
    unplaced = len(parsed.dropped) - len(spans)
    hits = sorted(set(hits))
    unread = []
    for hit, until in zip(hits, ends_of(hits, len(content)), strict=True):
        stop = end_of(_CLOSED, content, hit.end)  # an opening tag belongs to the call right after it
        own = next((span for span in reversed(spans) if span[0] <= stop and hit.start < span[1]), None)
        if own is not None:
            spans.remove(own)
        elif unplaced:
            unplaced -= 1
        else:
            unread.append((hit.start, hit.start + len(content[hit.start : until].rstrip())))
    return _with_unread(parsed, unread) if unread else parsed


def in_blocks(parsed: Parsed, text: str, tools: ToolIndex) -> Parsed:
    """A reading of a text that found nothing, in which calls that blocks of JSON may be are dropped ones.

    Among words, only those of declared tools may be. A whole text that is a call of another tool is dropped, too.
    """
    content = parsed.content
    if tools and lists_calls(content, NO_TOOLS):
        return _with_unread(parsed, [(0, len(content))])
    blocks = list(_BLOCK.finditer(content)) if "```" in content else []
    is_all = len(blocks) == 1 and not _BLOCK.sub("", content).strip()
    spans = []
    for block in blocks:
        at, inside = block.start("inside"), block["inside"]
        hits = unread_calls(inside, tools)
        for hit, end in zip(hits, ends_of(hits, len(inside)), strict=True):
            if is_all or names_in(inside[hit.start : hit.end], tools):
                spans.append((at + hit.start, at + end))
    if not spans:
        return parsed
    parsed.parts = parts_of(parsed, text)
    return _with_unread(parsed, spans)


def _with_unread(parsed: Parsed, spans: list[tuple[int, int]]) -> Parsed:
    """A reading with further dropped calls at some places of its prose, in order."""
    content = parsed.content
    parsed.dropped += [Dropped(UNREAD, content[start:end]) for start, end in spans]
    if parsed.parts is not None:
        more = [TurnPart(start, end, "dropped", content[start:end], None, UNREAD) for start, end in spans]
        parsed.parts = with_dropped(parsed.parts, content, more)
    return parsed


def _next_calls(content: str, hits: list[CallSign], tools: ToolIndex) -> Iterator[CallSign]:
    """The calls in Python, of declared tools, that follow one of ``hits`` which is another such call."""
    for hit, until in zip(hits, ends_of(hits, len(content)), strict=True):
        if content.startswith("(", hit.end):
            for start, end in python_calls(content, hit.end, until):
                if content[start:end] in tools:
                    yield CallSign(start, end)


def ends_of(hits: Sequence[CallSign], end: int) -> list[int]:
    """Where the text of each call ends whose sign is in ``hits``, in order: where the next begins, or at ``end``."""
    return [*(hit.start for hit in hits[1:]), end][: len(hits)]


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, those that overlap as one: so no character is searched twice."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined
