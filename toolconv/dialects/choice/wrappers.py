"""Markers around calls that are not of their format: ``<function_call><invoke name="get_weather">…``.

They are those of another format, or of none that is known: ``<|fn_start|>{"name": …}<|fn_end|>``. A turn in which
something of them stays unread is read again without them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing.lexer import key_of
from toolconv.dialects.lexing.mentions import TAG, TOKEN, closes, holds_no_call, kind_of
from toolconv.dialects.lexing.trie import WordSet
from toolconv.dialects.reading.mending import Mending, edited, places_of
from toolconv.dialects.reading.turn_parser import Parsed
from toolconv.dialects.vocabulary import Vocabulary, of_vocabulary

_INNER: Final = lazy_re(
    r"\s{0,20}+(?:```\w{0,12}\s{0,20}+)?(?:(?P<marker><|\[(?=[A-Z])|Action: ?\S)|(?P<tool_call>\[?\s{0,20}+\{)"
    r"|(?P<function_calls>\[?[^\W\d][\w.]{0,127}+\())"
)
"""What begins a call after a marker: a marker of its own, or what usually stands between those of the name."""
_SHOWS: Final = lazy_re(r"[\[<](?:code|quote|pre)\b", re.IGNORECASE)
"""The tags of a forum, or of HTML, which show what they hold."""
_SIDE: Final = lazy_re(r"start|begin|end|[\W_]")
_FENCE: Final = lazy_re(r"```\w*")
_WORDS: Final = lazy_re(r"[^\W_]{2}")
_LEFT: Final = WordSet(("|>", "[/"))


def may_be_wrapped(parsed: Parsed) -> bool:
    """Whether a reading may leave markers around calls: a cheap check that is true for all that do."""
    left = parsed.content
    if parsed.dropped or _LEFT.are_in(left):
        return True
    return (bool(parsed.calls) or "{" in left) and "<" in left and "</" in left


def unwrapped(turn: Mending, tools: ToolIndex, shown: Sequence[bool]) -> Mending | None:
    """A turn without the markers of another format around its calls; ``None`` if there are none.

    What markers of no format hold is only taken for a call because of them if tools are declared that it may call.
    Those of a format around a call that the turn only shows, as :func:`shown_in` says, stay.
    """
    wrappers = sorted(_wrappers(turn.text, is_declared=bool(tools)))
    if shown:
        wrappers = [each for each in wrappers if not (shown[each[0]] and kind_of(turn.text[slice(*each[:2])]))]
    return edited(turn, wrappers, ["other_wrapper"]) if wrappers else None


def leaves_words(parsed: Parsed, text: str, bare: Mending) -> bool:
    """Whether a reading of ``text`` leaves words between the markers around calls that ``bare`` lacks.

    They may be those of a call that is lost.
    """
    *before, wrappers = bare.edits
    places = places_of(len(text), before)
    start, end = places[wrappers[0][1]], places[wrappers[-1][0]]
    return any(
        part.kind == "prose" and start <= part.start < end and _WORDS.search(_FENCE.sub("", part.text)) is not None
        for part in parsed.parts or ()
    )


def shown_in(parsed: Parsed, length: int, turn: Mending) -> list[bool]:
    """Whether each character of a turn is in what a reading of the text before, of some ``length``, only shows."""
    shown = bytearray(length + 1)
    for part in parsed.parts or ():
        if part.kind == "shown" and not part.reason:
            shown[part.start : part.end] = b"\1" * (part.end - part.start)
    return [bool(shown[place]) for place in places_of(length, turn.edits)] if any(shown) else []


def _wrappers(text: str, *, is_declared: bool) -> Iterator[tuple[int, int, str]]:
    """The markers around calls that are not of their format, each with those that such calls have.

    Calls with markers of their own need no others. A marker that nothing closes is one, too, where these follow it.
    """
    opened: defaultdict[str, list[tuple[re.Match[str], str | None]]] = defaultdict(list)
    kinds: dict[str, tuple[str, bool]] = {}
    ended, known = 0, _known()
    for tag in TAG.finditer(text):
        if tag[0] not in kinds:
            kind = kind_of(tag[0])
            is_made_up = not kind and not (holds_no_call(tag[0]) or _SHOWS.match(tag[0]) or key_of(tag[0]) in known)
            kinds[tag[0]] = ("close" if closes(tag[0]) else "open") if is_made_up else kind, is_made_up
        kind, is_made_up = kinds[tag[0]]
        if kind == "open":
            inner = _INNER.match(text, tag.end()) if "=" not in tag[0] else None
            form = None if inner is None else "" if inner["marker"] else inner.lastgroup
            if is_made_up:
                is_inside = text[ended : tag.start()].rstrip().endswith(">")  # of another element, or after one
                if inner is None or is_inside or not _holds_call(tag[0], form, text, inner.start("marker")):
                    continue
                form = form if is_declared or form == "function_calls" else ""
            opened[_name_of(tag[0])].append((tag, form))
        elif kind == "close" and (same := opened[_name_of(tag[0])]):
            opening, form = same.pop()
            before, after = (f"<{form}>", f"</{form}>") if form else ("", "")
            if form is not None and opening[0] != before:
                yield (*opening.span(), before)
                yield (*tag.span(), after)
                ended = tag.end()
    for opening, form in chain.from_iterable(opened.values()):
        if form == "" if kind_of(opening[0]) else TOKEN.fullmatch(opening[0]):
            yield (*opening.span(), "")


def _holds_call(wrapper: str, form: str | None, text: str, at: int) -> bool:
    """Whether a call follows a marker of no family, with a marker of its own from ``at`` on if it has no form.

    A call in Python may be code that a tag shows.
    """
    if form:
        return form == "tool_call" or TOKEN.fullmatch(wrapper) is not None
    tag = TAG.match(text, at)
    return text.startswith("Action:", at) if tag is None else kind_of(tag[0]) == "open" or key_of(tag[0]) in _known()


@of_vocabulary
def _known(vocabulary: Vocabulary) -> frozenset[str]:
    """What dialects write around calls, reasoning and turns."""
    return frozenset(map(key_of, vocabulary.around_prose))


@lru_cache(maxsize=1024)
def _name_of(tag: str) -> str:
    """What the opening and the closing marker of a pair have in common."""
    return tag[0] + _SIDE.sub("", tag.lower())
