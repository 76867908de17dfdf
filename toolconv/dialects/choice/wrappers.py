"""Markers of one format around calls of another: ``<function_call><invoke name="get_weather">…``.

A turn in which something stays unread is read again without them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.lexing.mentions import TAG, kind_of
from toolconv.dialects.reading.mending import Mending, edited
from toolconv.dialects.reading.turn_parser import Parsed

_INNER: Final = lazy_re(
    r"\s{0,20}+(?:```\w{0,12}\s{0,20}+)?(?:<|\[[A-Z]|Action: ?\S|(?P<tool_call>\[?\s{0,20}+\{)"
    r"|(?P<function_calls>\[?[^\W\d][\w.]{0,127}+\())"
)
"""What begins a call after a marker: a marker of its own, or what usually stands between those of the name."""
_SIDE: Final = lazy_re(r"start|begin|end|[\W_]")
_FENCE: Final = lazy_re(r"```\w*")
_WORDS: Final = lazy_re(r"[^\W_]{2}")


def unwrapped(turn: Mending) -> Mending | None:
    """A turn without the markers of another format around its calls; ``None`` if there are none."""
    wrappers = sorted(_wrappers(turn.text))
    return edited(turn, wrappers, ["other_wrapper"]) if wrappers else None


def leaves_words(parsed: Parsed, text: str) -> bool:
    """Whether a reading leaves words between the markers around calls, which may be those of a call that is lost."""
    wrappers = sorted(_wrappers(text))
    if not wrappers:
        return False
    start, end = wrappers[0][1], wrappers[-1][0]
    return any(
        part.kind == "prose" and start <= part.start < end and _WORDS.search(_FENCE.sub("", part.text)) is not None
        for part in parsed.parts or ()
    )


def _wrappers(text: str) -> Iterator[tuple[int, int, str]]:
    """The markers around calls that are not of their format, each with those that such calls have.

    Calls with markers of their own need no others. A marker that nothing closes is one, too, where these follow it.
    """
    opened: defaultdict[str, list[tuple[re.Match[str], str | None]]] = defaultdict(list)
    for tag in TAG.finditer(text):
        kind = kind_of(tag[0])
        if kind == "open":
            inner = _INNER.match(text, tag.end()) if "=" not in tag[0] else None
            opened[_name_of(tag[0])].append((tag, None if inner is None else inner.lastgroup or ""))
        elif kind == "close" and (same := opened[_name_of(tag[0])]):
            opening, form = same.pop()
            before, after = (f"<{form}>", f"</{form}>") if form else ("", "")
            if form is not None and opening[0] != before:
                yield (*opening.span(), before)
                yield (*tag.span(), after)
    for opening, form in chain.from_iterable(opened.values()):
        if form == "":
            yield (*opening.span(), "")


def _name_of(tag: str) -> str:
    """What the opening and the closing marker of a pair have in common."""
    return tag[0] + _SIDE.sub("", tag.lower())
