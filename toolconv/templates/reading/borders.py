"""The borders of a template: what it writes between the texts of a conversation, learned from what it writes.

A template is a program that writes. To read what it wrote, one needs to know which text is between any two texts of a
conversation: between a question and its answer, between a call and its response, before the first text and after the
last. So the template writes some small conversations of known words, with and without tools; the text between two of
these words is a border. The parts of it that depend on the conversation are wildcards: the declared tools, a name, an
id, a number, the date.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from toolconv.core.lazy_re import lazy_re
from toolconv.templates.base import ChatView, Template
from toolconv.templates.reading.probes import VALUE, FoundText, Place, WrittenExample, examples
from toolconv.templates.writer import SpanWriter

WildcardName = Literal["tools", "name", "id", "last_name", "last_id", "number", "date", "system"]
"""What fills a wildcard. ``name`` and ``id`` belong to the response after the border, ``last_…`` to the one before.

``system`` is the system text where a template writes it a second time.
"""

MIN_STRONG: Final = 3
"""A border has at least so many characters other than whitespace; any text may hold a shorter one."""

_TOKEN = lazy_re(r"<[^<>\s]{2,60}>|\[/?[A-Z_]{3,40}\]|\]~b\]|\[e~\[")
_NUMBER = lazy_re(r"[0-9]+")
_LAST: Final[dict[WildcardName, WildcardName]] = {"name": "last_name", "id": "last_id"}
_CLOSING = lazy_re(r"[<\[][^<>\[\]]*[>\]]\s*\Z")


class Wildcard(NamedTuple):
    """A part of a border that depends on the conversation; ``lead`` is how its text begins, before the wildcard."""

    name: WildcardName
    lead: str = ""


class Border(NamedTuple):
    """What a template writes between two texts.

    Attributes:
        to: what follows.
        pieces: literals and wildcards in turn; the first one is a literal.
        preceded_by: the end of the text before it; empty unless any text may hold the border itself.
        encoded: a result follows that is not written as it is: its dialect reads it.
        weak: any text may hold the border; it ends a result that is a JSON value, or else the first one counts.
    """

    to: Place
    pieces: tuple[str | Wildcard, ...]
    preceded_by: str = ""
    encoded: bool = False
    weak: bool = False


@dataclass(frozen=True)
class Borders:
    """What is known of a template's texts.

    Attributes:
        after: the borders after each place.
        tokens: the tokens that open turns or end them, which no text of a conversation holds.
    """

    after: Mapping[Place, Sequence[Border]]
    tokens: tuple[str, ...]


@lru_cache(maxsize=256)
def borders_of(template: Template) -> Borders:
    """The borders of a template, learned once."""
    found: dict[Place, dict[Border, None]] = {}
    answers: set[str] = set()
    for writer in (template, *template.also_read):
        for example in examples(writer):
            answers.update(example.page.text[one.start : one.end] for one in example.texts if one.place == "assistant")
            for before, border in _borders(writer, example):
                found.setdefault(before, {})[border] = None
    written = "\n".join(answers)
    after = {place: _merged(list(borders), place) for place, borders in found.items()}
    after["assistant"] = [border for border in after.get("assistant", []) if not _is_inside(border, written)]
    after["start"] = _without_defaults(_starts(after.get("start", []), template.begin), after.get("system", []))
    after = {place: _ended(borders) for place, borders in after.items()}
    return Borders(after, _tokens(after, set(_TOKEN.findall(written))))


# ── what the template writes ──


def _borders(template: Template, example: WrittenExample) -> Iterator[tuple[Place, Border]]:
    """The borders in an example, each with what is before it."""
    chat, page, texts = example
    text = page.text
    fills = _fills(template, chat, page)
    before: Place = "start"
    at, last = 0, None
    for one in texts:
        yield before, _border(text, at, one.start, one.place, fills, last, encoded=one.encoded)
        before, at, last = one.place, one.end, one
    yield before, _border(text, at, len(text), "end", fills, last)


def _border(
    text: str,
    start: int,
    end: int,
    to: Place,
    fills: Sequence[tuple[str, WildcardName, int | None]],
    last: FoundText | None,
    *,
    encoded: bool = False,
) -> Border:
    if last is not None and last.place == "tool":
        named = [(fill, _LAST.get(name, name) if of == last.message else name) for fill, name, of in fills]
    else:
        named = [(fill, name) for fill, name, _ in fills]
    pieces = _with_lead(_pieces(text[start:end], named), named)
    preceded_by = ""
    if to != "end" and last is not None and last.calls and is_weak(pieces):
        closing = _CLOSING.search(text, max(text.rfind(VALUE, last.start, start), last.start), start)
        preceded_by = closing[0] if closing else ""
    return Border(to, pieces, preceded_by, encoded)


def _fills(template: Template, chat: ChatView, page: SpanWriter) -> list[tuple[str, WildcardName, int | None]]:
    """What fills wildcards in the borders of a conversation, the longest first, with the index of its message."""
    fills: list[tuple[str, WildcardName, int | None]] = [(form, "date", None) for form in dates(chat.date())]
    if chat.tools:
        listing = template.dialect.chat.write_list(chat.tools)
        if listing not in page.text:
            listing = "".join([part for part, kind, *_ in page.segments if kind == "tools"])
        fills.append((listing, "tools", None))
    for index, message in enumerate(chat.messages):
        if message["role"] == "system":
            fills.append((message["content"], "system", None))
        if message["role"] == "tool":
            fills.append((str(message.get("tool_call_id") or ""), "id", index))
            fills.append((str(message["name"]), "name", index))
    return sorted({fill for fill in fills if len(fill[0]) >= MIN_STRONG}, key=lambda fill: -len(fill[0]))


@lru_cache(maxsize=4)
def dates(day: date) -> tuple[str, ...]:
    """A date in the forms that templates print."""
    in_chinese = f"{day.isoformat()} 00:00:00 星期{'一二三四五六日'[day.weekday()]}"
    forms = ("%d %b %Y", "%d %B %Y", "%B %d, %Y", "%Y/%m/%d")
    return (in_chinese, day.isoformat(), *(day.strftime(form) for form in forms))


def _pieces(text: str, fills: Sequence[tuple[str, WildcardName]]) -> tuple[str | Wildcard, ...]:
    """A border as literals and wildcards."""
    pieces: list[str | Wildcard] = [text]
    for fill, name in fills:
        if fill not in text:
            continue
        split: list[str | Wildcard] = []
        for piece in pieces:
            if isinstance(piece, Wildcard):
                split.append(piece)
                continue
            parts = piece.split(fill)
            for number, part in enumerate(parts):
                split += [Wildcard(name), part] if number else [part]
        pieces = split
    return tuple(piece for piece in pieces if piece)


def _with_lead(
    pieces: tuple[str | Wildcard, ...], fills: Sequence[tuple[str, WildcardName]]
) -> tuple[str | Wildcard, ...]:
    """A border that begins with little else than the tools, with the first key of these as a part of its beginning."""
    at = 0 if pieces[:1] == (Wildcard("tools"),) else 1
    if not is_weak(pieces) or pieces[at : at + 1] != (Wildcard("tools"),):
        return pieces
    listing = next(fill for fill, name in fills if name == "tools")
    lead = listing[: listing.find('"', listing.find('"') + 1) + 1]
    return ("".join(map(str, pieces[:at])) + lead, Wildcard("tools", lead), *pieces[at + 1 :])


# ── what follows from it ──


def is_weak(pieces: Sequence[str | Wildcard]) -> bool:
    """Whether any text may hold such a border."""
    return not pieces or isinstance(pieces[0], Wildcard) or len("".join(pieces[0].split())) < MIN_STRONG


def _is_inside(border: Border, answers: str) -> bool:
    """Whether a border between answers is also inside of one, such as between two calls."""
    return border.to == "assistant" and len(border.pieces) == 1 and str(border.pieces[0]) in answers


def _merged(borders: list[Border], place: Place) -> list[Border]:
    """Borders that can be found; of those that differ in a number, one with a wildcard for it."""
    alike: dict[tuple[Any, ...], list[Border]] = {}
    is_encoded = any(border.encoded for border in borders)
    for border in borders:
        if border.to != "end" and is_weak(border.pieces) and not border.preceded_by:
            mark = border.pieces[0] if len(border.pieces) == 1 else ""
            ends_result = place == "tool" and border.to in ("tool", "assistant") and not is_encoded
            if not ends_result or not isinstance(mark, str) or not mark.strip():
                continue
            border = border._replace(weak=True)
        key = tuple(_NUMBER.sub("\0", piece) if isinstance(piece, str) else piece for piece in border.pieces)
        alike.setdefault((border.to, border.preceded_by, border.encoded, key), []).append(border)
    merged: list[Border] = []
    for group in alike.values():
        first = group[0]
        if len(group) == 1:
            merged.append(first)
            continue
        pieces: list[str | Wildcard] = []
        for number, piece in enumerate(first.pieces):
            if isinstance(piece, Wildcard):
                pieces.append(piece)
                continue
            texts = [_NUMBER.split(str(other.pieces[number])) for other in group]
            numbers = [_NUMBER.findall(str(other.pieces[number])) for other in group]
            literal = texts[0][0]
            for count, after in enumerate(texts[0][1:]):
                values = {each[count] for each in numbers}
                if len(values) > 1:
                    pieces += [literal, Wildcard("number")]
                    literal = after
                else:
                    literal += values.pop() + after
            pieces.append(literal)
        merged.append(first._replace(pieces=tuple(piece for piece in pieces if piece)))
    return merged


def _starts(borders: Sequence[Border], begin: str) -> list[Border]:
    """The borders at the start, also without the token that begins a text, which many rows don't have."""
    starts = dict.fromkeys(borders)
    for border in borders:
        if begin and border.pieces and isinstance(border.pieces[0], str) and border.pieces[0].startswith(begin):
            rest = border.pieces[0].removeprefix(begin).lstrip("\n")
            pieces = (rest, *border.pieces[1:]) if rest else border.pieces[1:]
            if pieces and not is_weak(pieces):
                starts[border._replace(pieces=pieces)] = None
    return list(starts)


def _without_defaults(starts: Sequence[Border], after_system: Sequence[Border]) -> list[Border]:
    """The borders at the start without those that hold a default system text: it is read as a given one.

    Given, it is written where the default is, so that the text is the same. A default that is only written with tools
    belongs to their declaration, and is no system text. What also precedes a given text is not a default.
    """
    openings = [border.pieces for border in starts if border.to == "system"]

    def default_in(border: Border) -> str:
        beginnings = [opening for opening in openings if _begins(border.pieces, opening)]
        if not beginnings or border.to in ("system", "end"):
            return ""
        before = max(beginnings, key=lambda pieces: (len(pieces), len(pieces[-1])))
        at = len(before) - 1
        rest = str(border.pieces[at])[len(before[at]) :]
        defaults = [
            text.strip()
            for other in after_system
            if other.to == border.to and other.pieces and other.pieces[1:] == border.pieces[at + 1 :]
            if isinstance(end := other.pieces[0], str)
            and rest.endswith(end)
            and (text := rest.removesuffix(end)).strip()
            and not any(text in str(opening[-1]) for opening in openings)
        ]
        return min(defaults, key=len, default="")

    defaults = [(border, default_in(border)) for border in starts]
    usual = {default for border, default in defaults if Wildcard("tools") not in border.pieces}
    return [border for border, default in defaults if not default or default not in usual]


def _begins(pieces: Sequence[str | Wildcard], opening: Sequence[str | Wildcard]) -> bool:
    """Whether a border begins with all of another, which ends in a literal."""
    last = len(opening) - 1
    return (
        0 <= last < len(pieces)
        and pieces[:last] == opening[:last]
        and isinstance(end := opening[last], str)
        and isinstance(piece := pieces[last], str)
        and piece.startswith(end)
    )


def _ended(borders: Sequence[Border]) -> list[Border]:
    """Borders with ends that have no whitespace at the end, which many rows have stripped."""
    ended = dict.fromkeys(borders)
    for border in borders:
        if border.to == "end" and border.pieces and isinstance(border.pieces[-1], str):
            ended[border._replace(pieces=(*border.pieces[:-1], border.pieces[-1].rstrip()))] = None
    return list(ended)


def _tokens(after: Mapping[Place, Sequence[Border]], answers: set[str]) -> tuple[str, ...]:
    """The tokens in all borders before user texts, and in all between these and answers, but not in ``answers``."""
    found: set[str] = set()
    to_user = [
        border for place, borders in after.items() if place != "start" for border in borders if border.to == "user"
    ]
    to_answer = [border for border in after.get("user", ()) if border.to == "assistant"]
    for borders in (to_user, to_answer):
        common = [
            set(_TOKEN.findall("".join(piece for piece in border.pieces if isinstance(piece, str))))
            for border in borders
        ]
        found |= set.intersection(*common) if common else set()
    return tuple(sorted(found - answers))
