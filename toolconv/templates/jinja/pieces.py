"""Cut the text of a marked conversation into what the template writes itself and what the conversation says."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from toolconv.core import jsontext
from toolconv.templates.jinja.adapter import KeyOrder, Turns
from toolconv.templates.jinja.marks import CONTENT, MarkedText, Slot
from toolconv.templates.jinja.read_back import common_start

Spell = Callable[[Any], str]
"""Writes a value as a template does."""

MOST_NAMES: Final = 64
"""How many ids and names one of the template's own texts is searched for, at most."""


class TurnForm(NamedTuple):
    """The form of a message.

    Attributes:
        role: its role.
        texts: the keys of its texts, each with what :func:`_edges` says of the text; ``None`` for a null.
        calls: for each call, whether it has an id, whether it has arguments, and the order of its keys.
    """

    role: str
    texts: tuple[tuple[str, int | None], ...]
    calls: tuple[tuple[bool, bool, KeyOrder], ...]

    @property
    def values(self) -> int:
        """How many values it has."""
        return sum(edges is not None for _, edges in self.texts) + 3 * len(self.calls)


class ChatForm(NamedTuple):
    """A conversation.

    Attributes:
        turns: the forms of its messages.
        values: what it says: the texts of each message, then the name, the id and the arguments of each of its calls.
    """

    turns: tuple[TurnForm, ...]
    values: list[Any]


class Leaf(NamedTuple):
    """Where something belongs that a conversation says; ``slot`` is ``None`` for ids and names of responses."""

    slot: Slot | None
    message: int


class ValuePlace(NamedTuple):
    """A place in a text for something that a conversation says, which is given by its number."""

    number: int
    spell: Spell


class Declarations(NamedTuple):
    """How the template's own text with the declarations of tools begins and ends."""

    begins: str
    ends: str


class OutlineParts(NamedTuple):
    """A text in pieces.

    Attributes:
        pieces: in order.
        slots: each with the number of the piece that it begins with, and those of further ones that it may end with.
        missing: the slots that are left out.
    """

    pieces: list[Any]
    slots: list[tuple[Any, ...]]
    missing: list[Slot]


def form_of(turns: Turns) -> ChatForm | None:
    """The form of a conversation; ``None`` if there is something else than texts in it."""
    forms: list[TurnForm] = []
    values: list[Any] = []
    for index, message in enumerate(turns.messages):
        texts: list[tuple[str, int | None]] = []
        for name, value in message.items():
            if name == "role" or name == "tool_calls":
                continue
            if type(value) is str:
                texts.append((name, _edges(value)))
                values.append(value)
            elif value is None:
                texts.append((name, None))
            else:
                return None
        calls = []
        for call, order in zip(turns.calls.get(index, ()), turns.key_orders(index), strict=True):
            calls.append((call.id is not None, bool(call.arguments), order))
            values += (call.name, call.id or "", call.arguments)
        forms.append(TurnForm(str(message.get("role")), tuple(texts), tuple(calls)))
    return ChatForm(tuple(forms), values)


def _edges(text: str) -> int:
    """Whether a text is blank (0), has no white space at its edges (1), or has some (2)."""
    inner = text.strip()
    return 0 if not inner else 1 if len(inner) == len(text) else 2


def _leaves(turns: Sequence[TurnForm]) -> Iterator[Leaf]:
    """Where everything belongs that a conversation says, in that order."""
    for index, (role, texts, calls) in enumerate(turns):
        for key, edges in texts:
            if edges is not None:
                yield Leaf(_slot_of(key, role, index), index)
        for place in range(len(calls)):
            yield from (Leaf(Slot("call", index, place), index),) * 3


def _slot_of(key: str, role: str, index: int) -> Slot | None:
    if key == "content":
        return Slot(CONTENT.get(role, "user"), index)
    return Slot("reasoning", index) if key == "reasoning_content" and role == "assistant" else None


def parts_of(marked: MarkedText, form: ChatForm, styles: Iterable[Spell]) -> OutlineParts | None:
    """A text in pieces; ``None`` if something in it is written in a way that is not known.

    Args:
        marked: the text, and the texts of the conversation found in it.
        form: the conversation.
        styles: how arguments may be written.
    """
    text, found, values = marked.text, marked.found, form.values
    pieces: list[Any] = []
    slots: list[tuple[Any, ...]] = []
    own = dict[Slot, list[int]]()
    named = [list[ValuePlace]() for _ in form.turns]
    for number, leaf in enumerate(_leaves(form.turns)):
        if leaf.slot is not None:
            own.setdefault(leaf.slot, []).append(number)
        elif values[number].strip():
            named[leaf.message].append(ValuePlace(number, str))
    starts = [*(one.start for one in found), len(text)]
    messages = [0, *(one.slot.message for one in found), len(named)]
    for number, start in enumerate(starts):
        near = [piece for some in named[messages[number] : messages[number + 1] + 1] for piece in some]
        if number == 0:
            pieces += _split(text[:start], near, values)
            continue
        one = found[number - 1]
        places, first = own[one.slot], len(pieces)
        if one.slot.kind == "call":
            cut = _call(text[one.start : start], places, near, values, styles)
            if cut is None or type(cut[0]) is not ValuePlace:
                return None
            slots.append((one.slot, *_ends(cut, first, places, values, one.end - one.start)))
            pieces += cut
        else:
            written, value = text[one.start : one.end], values[places[0]]
            as_is = next((spell for spell in (str, str.strip, _inside_json) if spell(value) == written), None)
            if as_is is None:
                return None
            slots.append((one.slot, first))
            pieces += (ValuePlace(places[0], as_is), *_split(text[one.end : start], near, values))
    return OutlineParts(pieces, slots, marked.missing)


def _ends(cut: Sequence[Any], first: int, places: Sequence[int], values: Sequence[Any], size: int) -> Iterator[int]:
    """The numbers of the pieces that a call may end with: its name and id, up to ``size``, and its arguments."""
    at = 0
    for number, piece in enumerate(cut, first):
        if type(piece) is not ValuePlace:
            at += len(piece)
            continue
        if piece.number == places[2] or (piece.number in places and at < size):
            yield number
        at += len(piece.spell(values[piece.number]))


def _call(
    text: str, places: Sequence[int], near: Sequence[ValuePlace], values: Sequence[Any], styles: Iterable[Spell]
) -> list[Any] | None:
    """A call, and the text after it, in pieces; ``None`` if its arguments are not found.

    Args:
        text: the text.
        places: the numbers of the call's leaves: its name, its id and its arguments.
        near: the ids and names of responses that may be in the text.
        values: what the conversation says.
        styles: how arguments may be written.
    """
    names = [ValuePlace(number, str) for number in places[:2]]
    arguments = values[places[2]]
    if not arguments:
        return _split(text, [*names, *near], values)
    for style in styles:
        try:
            before, written, after = text.partition(style(arguments))
        except KeyError:  # a style of the template that is not known for all values
            continue
        if written:
            piece = ValuePlace(places[2], style)
            return [*_split(before, names, values), piece, *_split(after, [*names, *near], values)]
    return None


def _inside_json(text: str) -> str:
    """A text inside of a JSON string."""
    return jsontext.spaced(text)[1:-1]


def as_text(value: Any) -> str:
    """JSON as a JSON string."""
    return jsontext.spaced(jsontext.spaced(value))


def _split(text: str, places: Sequence[ValuePlace], values: Sequence[Any]) -> list[Any]:
    """The template's own text, cut at ids and names."""
    named = {values[piece.number]: piece for piece in reversed(places) if values[piece.number] in text}
    named.pop("", None)
    if not 0 < len(named) <= MOST_NAMES:
        return [text] if text else []
    words = "|".join(map(re.escape, sorted(named, key=len, reverse=True)))
    cut = re.split(rf"(?<!\w)({words})(?!\w)", text)
    return [named[part] if number % 2 else part for number, part in enumerate(cut) if part]


def merged(one: OutlineParts, other: OutlineParts, names: Collection[str]) -> OutlineParts | None:
    """What two texts have in common, if only one text of the template's own differs: that with the declarations.

    It has the names of all tools that the other one declares, of which there are some.
    """
    if not names or len(one.pieces) != len(other.pieces) or one[1:] != other[1:]:
        return None
    differing = [at for at, (left, right) in enumerate(zip(one.pieces, other.pieces, strict=True)) if left != right]
    if len(differing) != 1:
        return None
    at = differing[0]
    left, right = one.pieces[at], other.pieces[at]
    if type(left) is ValuePlace or type(right) is ValuePlace or not all(name in right for name in names):
        return None
    return one._replace(pieces=[*one.pieces[:at], _common(left, right), *one.pieces[at + 1 :]])


def _common(left: str | Declarations, right: str) -> Declarations:
    """How two texts begin and end: with whole lines, if there are some."""
    known = left if type(left) is Declarations else Declarations(str(left), str(left))
    begins = right[: common_start(known.begins, right)]
    begins = begins[: begins.rfind("\n") + 1] or begins
    ends = right[len(right) - common_start(known.ends[::-1], right[::-1]) :]
    room = min(len(each) for each in (left, right) if type(each) is str) - len(begins)
    ends = ends[max(len(ends) - room, 0) :]
    return Declarations(begins, ends[max(ends.find("\n"), 0) :])
