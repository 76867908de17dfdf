"""Divide the text that a chat template wrote into spans.

:mod:`~toolconv.templates.jinja.marks` finds the texts of the conversation. The text between two of them is the
template's own; it is divided by the :mod:`~toolconv.templates.jinja.delimiters` that the template uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolconv.templates.base import SpanKind, TextWriter
from toolconv.templates.jinja.delimiters import TurnDelimiters, common_end, header_end
from toolconv.templates.jinja.marks import MarkedText, Slot, SpansNotFound
from toolconv.templates.writer import Segment


def write(
    out: TextWriter,
    marked: MarkedText,
    delimiters: TurnDelimiters,
    undeclared: Mapping[int, str],
    roles: Sequence[str],
) -> None:
    """Write a text span by span.

    Args:
        out: the writer.
        marked: the text, and the texts of the conversation found in it.
        delimiters: what the template writes around texts.
        undeclared: the template's own text without tools, as :func:`undeclared_in` gives it.
        roles: the role of each message.

    Raises:
        SpansNotFound: the start or end of a call is unclear.
    """
    text, found = marked.text, marked.found
    declared = _declared(marked, undeclared)
    at = 0
    for number, (before, after) in enumerate(zip([None, *found], [*found, None], strict=True)):
        end = after.start if after else len(text)
        for part, kind, train, message, call in _split(
            text[at:end], before and before.slot, after and after.slot, delimiters, roles
        ):
            if train or kind != "turn":
                out.add(kind, part, message, call, train=train)
            else:
                start, stop = declared.get(number, (0, 0))
                start, stop = max(start - at, 0), max(stop - at, 0)
                out.turn(part[:start], message)
                out.add("tools", part[start:stop])
                out.turn(part[max(start, stop) :], message)
            at += len(part)
        if after:
            slot = after.slot
            out.add(slot.kind, text[after.start : after.end], slot.message, slot.call, train=_is_generated(slot, roles))
            at = after.end


def _is_generated(slot: Slot | None, roles: Sequence[str]) -> bool:
    return slot is not None and roles[slot.message] == "assistant"


def _split(
    gap: str, before: Slot | None, after: Slot | None, delimiters: TurnDelimiters, roles: Sequence[str]
) -> Iterator[Segment]:
    """Split the gap between two slots into segments."""
    if before and after and before.message == after.message and _is_generated(before, roles):
        yield from _split_in_turn(gap, before, after, delimiters)
        return
    if before and _is_generated(before, roles):
        ended = 0
        for segment in _turn_end(gap, before, delimiters):
            yield segment
            ended += len(segment[0])
        gap = gap[ended:]
    if after is None or not _is_generated(after, roles):
        yield gap, "turn", False, None, None
        return
    start = header_end(gap, delimiters.headers)
    opens = delimiters.opening(gap, after)
    if start is None or (opens is not None and opens < start):
        if opens is None and after.kind == "call":
            raise SpansNotFound("the beginning of a call can't be found")
        start = len(gap) if opens is None else opens
    if opens is None:
        opens = len(gap) if after.kind == "prose" else start
    yield gap[:start], "turn", False, None, None
    yield gap[start:opens], "turn", True, after.message, None
    yield gap[opens:], after.kind, True, after.message, after.call


def _split_in_turn(gap: str, before: Slot, after: Slot, delimiters: TurnDelimiters) -> Iterator[Segment]:
    """Split the gap between two texts of one assistant turn."""
    message, call = before.message, before.call
    kind: SpanKind = "turn" if before.kind == "prose" else before.kind
    if before.kind == "call" and after.kind != "call":
        closed = _call_end(gap, delimiters)
        yield gap[:closed], "call", True, message, call
        yield gap[closed:], "turn", True, message, None
        return
    start = delimiters.opening(gap, after, further=before.kind == "call")
    if start is None:
        start = len(gap)
        if after.kind == "call" and before.kind == "prose":
            start -= len(gap.lstrip())
        elif after.kind == "call" and before.kind == "reasoning":
            raise SpansNotFound("the beginning of a call can't be found")
    yield gap[:start], kind, True, message, call
    yield gap[start:], after.kind, True, message, after.call


def _turn_end(gap: str, before: Slot, delimiters: TurnDelimiters) -> Iterator[Segment]:
    """The end of an assistant turn, after its last text."""
    closed = 0
    if before.kind == "call":
        closed = _call_end(gap, delimiters)
        yield gap[:closed], "call", True, before.message, before.call
    next_turn = min((at for header in delimiters.headers if (at := gap.find(header, closed)) >= 0), default=len(gap))
    stops = [(at, stop) for stop in delimiters.stops if (at := gap.find(stop, closed, next_turn)) >= 0]
    if stops:
        at, stop = min(stops)
        if before.kind != "reasoning" and gap[closed:at].strip():
            return  # this stop belongs to another turn
        yield gap[closed:at], "reasoning" if before.kind == "reasoning" else "turn", True, before.message, None
        yield stop, "turn", True, before.message, None


def _call_end(gap: str, delimiters: TurnDelimiters) -> int:
    """Where a call ends in the gap after its arguments."""
    for stop in (*delimiters.stops, ""):
        at = gap.find(delimiters.close + stop)
        if at >= 0 and delimiters.close + stop:
            return at + len(delimiters.close)
    raise SpansNotFound("the end of a call can't be found")


def undeclared_in(without: MarkedText | None, marked: MarkedText) -> dict[int, str]:
    """What a template writes between texts without tools, by the number of the gap, where that is less than with tools.

    Args:
        without: the same conversation rendered without tools; ``None`` if its texts can't be found then.
        marked: the conversation with tools.
    """
    if without is None or [one.slot for one in without.found] != [one.slot for one in marked.found]:
        return {}
    gaps = zip(_gaps(marked), _gaps(without), strict=True)
    return {number: plain for number, ((_, gap), (_, plain)) in enumerate(gaps) if len(gap) > len(plain)}


def _declared(marked: MarkedText, undeclared: Mapping[int, str]) -> dict[int, tuple[int, int]]:
    """Where tools are declared, by the number of the gap: the text that is missing without tools."""
    declared: dict[int, tuple[int, int]] = {}
    gaps = _gaps(marked) if undeclared else []
    for number, plain in undeclared.items():
        start, gap = gaps[number]
        end = len(common_end([gap, plain]))
        same = 0
        while same < len(plain) - end and gap[same] == plain[same]:
            same += 1
        end = len(gap) - end
        while end < len(gap) and gap[same] == gap[end] and gap[:same] and gap[same - 1] not in ">]\n":
            same, end = same + 1, end + 1  # shift the range so that it starts with a token
        declared[number] = start + same, start + end
    return declared


def _gaps(marked: MarkedText) -> list[tuple[int, str]]:
    """The gaps between the texts that were found, each with its start."""
    starts = [0, *(one.end for one in marked.found)]
    ends = [*(one.start for one in marked.found), len(marked.text)]
    return [(start, marked.text[start:end]) for start, end in zip(starts, ends, strict=True)]
