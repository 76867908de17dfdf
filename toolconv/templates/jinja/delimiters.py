"""Learn what a chat template writes around texts, by rendering small conversations.

What opens and closes a call, the stop token, the generation prompt: :class:`TurnDelimiters`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Tool
from toolconv.dialects.turns import RenderError
from toolconv.templates.base import SpanKind
from toolconv.templates.jinja.adapter import Adapter, Turns
from toolconv.templates.jinja.marks import Slot, SpansNotFound, read
from toolconv.templates.jinja.probe import PROSE, REASONING, TOOLS, TWICE, asked, call
from toolconv.templates.jinja.sandbox import Stopped

_ENDS: Final = lazy_re(r".*[>\]\n]", re.DOTALL)
_OPENS: Final = lazy_re(r"[<\[{]")


@dataclass(frozen=True)
class TurnDelimiters:
    """The text that a template writes around the texts of assistant turns.

    Attributes:
        headers: the text before an assistant turn: the generation prompt, and the parts of it that occur before other
            assistant turns; longest first.
        opens: how the model starts reasoning, and the first call of a turn.
        between: how it starts each further call.
        close: how it ends the last call of a turn, after the arguments.
        stops: how it ends a turn.
    """

    headers: tuple[str, ...]
    opens: dict[SpanKind, str]
    between: str
    close: str
    stops: tuple[str, ...]

    @classmethod
    def of(cls, adapter: Adapter, *, ids: bool) -> TurnDelimiters:
        """Learn a template's delimiters."""

        def gaps(turns: Turns, *, asked_again: bool = False) -> _Gaps:
            question = asked().messages[:1] if asked_again else []
            return _gaps(adapter, Turns([*turns.messages, *question], turns.calls), ids)

        prose, one = asked(content=PROSE), asked(call())
        plain, calling = gaps(prose), gaps(one)
        thinking = gaps(asked(content=PROSE, reasoning=REASONING))
        thought_out = gaps(asked(call(), reasoning=REASONING))
        both = gaps(asked(call(), content=PROSE))
        before_prose, before_call = ("", both.between) if both.last == "call" else (both.between, "")
        headers = _headers(
            _prompt(adapter), [plain.before, calling.before, thinking.before, gaps(prose, asked_again=True).before]
        )
        first = _after_header(calling.before, headers)
        if header_end(calling.before, headers) is None:  # then the gap includes the end of the user turn
            first = _from_token(common_end([first, _gaps(adapter, TWICE, ids, 3).before]), first) or first
        opening = _from_token(common_end([first, *filter(None, (before_call, thought_out.between))]), first)
        further = _from_token(common_end([opening, gaps(asked(call(), call(1))).between]), opening)
        stop = plain.after.rstrip()
        ends = (calling, gaps(asked(call(1, {"key": 7}))), gaps(asked(call(2, {}))))
        end = common_end([gap.after for gap in ends if gap.after]).rstrip().removesuffix(stop)
        elsewhere = (gaps(asked(call(), answered=True)).after, gaps(one, asked_again=True).after, before_prose)
        close = _common_start(end, list(filter(None, elsewhere)))
        return cls(
            headers=headers,
            opens={"reasoning": _after_header(thinking.before, headers), "call": opening},
            between=further,
            close=close,
            stops=tuple(dict.fromkeys(filter(None, (stop, _middle_stop(adapter, headers, ids), end[len(close) :])))),
        )

    def opening(self, gap: str, slot: Slot, *, further: bool = False) -> int | None:
        """Where the delimiter that opens ``slot`` starts in ``gap``, the text before the slot; ``None`` if unknown.

        ``further`` is set for a call after another call.
        """
        first = self.opens.get(slot.kind, "")
        known = (self.between,) if further else (first, self.between) if slot.kind == "call" else (first,)
        return next((len(gap) - len(opening) for opening in known if opening and gap.endswith(opening)), None)


class _Gaps(NamedTuple):
    """The text before, between and after the texts of an assistant turn, and the kind of the last text."""

    before: str = ""
    between: str = ""
    after: str = ""
    last: SpanKind = "turn"


def _gaps(adapter: Adapter, turns: Turns, ids: bool, index: int = 1) -> _Gaps:
    """The gaps around an assistant turn of a small conversation; empty if the template raises an error."""
    try:
        text, found, _ = read(adapter, turns, TOOLS, ids=ids)
    except Stopped:
        raise
    except (RenderError, SpansNotFound):
        return _Gaps()
    numbers = [number for number, one in enumerate(found) if one.slot.message == index]
    if not numbers:
        return _Gaps()
    first, last = numbers[0], numbers[-1]
    before = text[found[first - 1].end if first else 0 : found[first].start]
    between = text[found[first].end : found[last].start] if last > first else ""
    return _Gaps(before, between, text[found[last].end :], found[last].slot.kind)


def prompt_of(adapter: Adapter, turns: Turns, tools: Sequence[Tool], variables: Mapping[str, Any] | None = None) -> str:
    """The generation prompt after some turns: the text that ``add_generation_prompt`` adds.

    Raises:
        RenderError: the template raises an error.
    """
    plain = adapter.render(turns, tools, variables=variables)
    prompted = adapter.render(turns, tools, generate=True, variables=variables)
    if prompted.startswith(plain):
        return prompted[len(plain) :]
    same = next((at for at, letters in enumerate(zip(plain, prompted, strict=False)) if len(set(letters)) == 2), 0)
    return prompted[len(_whole_tokens(prompted[:same])) :]


def _prompt(adapter: Adapter) -> str:
    """The generation prompt after a user turn; empty if the template raises an error."""
    try:
        return prompt_of(adapter, asked().until(1), TOOLS)
    except Stopped:
        raise
    except RenderError:
        return ""


def _headers(prompt: str, gaps: Sequence[str]) -> tuple[str, ...]:
    """The parts of the generation prompt that occur before assistant turns; without a prompt, the first gap."""
    shared = {prompt, *(_shared(prompt, gap) for gap in gaps)} if prompt else {gaps[0]}
    return tuple(sorted(filter(None, shared), key=len, reverse=True))


def _after_header(gap: str, headers: Sequence[str]) -> str:
    return gap[header_end(gap, headers) or 0 :]


def _from_token(text: str, whole: str) -> str:
    """``text``, a suffix of ``whole``, from the first token that starts in it."""
    begins = _OPENS.search(text)
    return text if text == whole else text[begins.start() :] if begins else ""


def _middle_stop(adapter: Adapter, headers: tuple[str, ...], ids: bool) -> str:
    """How an assistant turn ends if another assistant turn follows it."""
    try:
        text, found, _ = read(adapter, asked(content=PROSE, final=PROSE), TOOLS, ids=ids)
    except Stopped:
        raise
    except (RenderError, SpansNotFound):
        return ""
    if [one.slot.message for one in found] != [0, 1, 2]:
        return ""
    gap = text[found[1].end : found[2].start]
    end = next((gap.find(header) for header in headers if header in gap), 0)
    return gap[:end].rstrip()


def _shared(prompt: str, gap: str) -> str:
    """The longest start of the generation prompt that occurs in ``gap``, cut at the end of a token."""
    for length in range(len(prompt), 0, -1):
        if prompt[:length] in gap:
            return prompt if length == len(prompt) else _whole_tokens(prompt[:length])
    return ""


def _whole_tokens(text: str) -> str:
    """``text`` up to the end of the last complete token in it."""
    whole = _ENDS.match(text)
    return whole[0] if whole else ""


def _common_start(text: str, others: Sequence[str]) -> str:
    """The longest start of ``text`` that occurs in all ``others``, cut at the end of a token."""
    for length in range(len(text), 0, -1):
        if all(text[:length] in other for other in others):
            return text if length == len(text) else _whole_tokens(text[:length])
    return ""


def common_end(texts: Sequence[str]) -> str:
    """The longest common suffix of ``texts``."""
    shortest = min(texts, key=len, default="")
    for length in range(len(shortest), 0, -1):
        if all(text.endswith(shortest[-length:]) for text in texts):
            return shortest[-length:]
    return ""


def header_end(gap: str, headers: Sequence[str]) -> int | None:
    """Where the header of an assistant turn ends in ``gap``; ``None`` if there is no header."""
    for header in headers:
        at = gap.rfind(header)
        if at >= 0:
            return at + len(header)
    return None
