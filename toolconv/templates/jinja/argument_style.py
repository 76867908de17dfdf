"""How a template writes the arguments of a call one by one, learnt from a small conversation of known words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from toolconv.core import jsontext
from toolconv.dialects.turns import RenderError
from toolconv.templates.jinja.adapter import Adapter
from toolconv.templates.jinja.pieces import Spell
from toolconv.templates.jinja.probe import OTHER, TOOLS, VALUE, asked, call
from toolconv.templates.jinja.sandbox import Stopped

SHOWN: Final = {
    "qkeyaz": VALUE,
    "qkeybz": True,
    "qkeycz": 70707,
    "qkeydz": ["qitemz", 7],
    "qkeyez": None,
    "qkeyfz": OTHER,
}
"""Arguments with a value of each kind, the first and the last of which is a text."""
_ALIKE: Final = ((int, float), (list, dict))
"""Types of which the second is written like the first."""
_OF_TEXTS: Final[tuple[Spell, ...]] = (jsontext.spaced, str)
_OF_VALUES: Final[tuple[Spell, ...]] = (jsontext.spaced, jsontext.compact, str)


class ValueKind(NamedTuple):
    """How values of a kind are written: what is before and after them, and the value."""

    before: str
    spell: Spell
    after: str


class ArgumentStyle:
    """Writes arguments one by one.

    Args:
        between: what is between two arguments.
        kinds: how values are written, by their type.
    """

    def __init__(self, between: str, kinds: Mapping[type, ValueKind]) -> None:
        self._between = between
        self._kinds = kinds

    def __call__(self, arguments: Mapping[str, Any]) -> str:
        """The arguments of a call; raises :class:`KeyError` if a value is of a kind that is not known."""
        written = []
        for key, value in arguments.items():
            before, spell, after = self._kinds[type(value)]
            written.append(f"{key}{before}{spell(value)}{after}")
        return self._between.join(written)


def style_of(adapter: Adapter) -> ArgumentStyle | None:
    """How a template writes arguments one by one; ``None`` if it doesn't.

    Raises:
        Stopped: the template exceeds a limit.
    """
    try:
        text = adapter.render(asked(call(0, SHOWN)), TOOLS)
    except Stopped:
        raise
    except RenderError:
        return None
    found: list[tuple[type, str, Spell, str]] = []
    at = text.find(next(iter(SHOWN)))
    for key, following in zip(SHOWN, [*SHOWN][1:], strict=False):
        begins, ends = at + len(key), text.find(following)
        piece = text[begins:ends]
        places = _places(piece, SHOWN[key])
        if at < 0 or ends < begins:
            return None
        if places:
            start, size, spell = min(places, key=lambda place: (place[0], -place[1]))
            found.append((type(SHOWN[key]), piece[:start], spell, piece[start + size :]))
        at = ends
    between = next((after for kind, _, _, after in found if kind is int), None)
    if between is None:
        return None
    kinds = {
        kind: ValueKind(before, spell, after.removesuffix(between))
        for kind, before, spell, after in found
        if after.endswith(between)
    }
    return ArgumentStyle(between, {**kinds, **{alike: kinds[kind] for kind, alike in _ALIKE if kind in kinds}})


def _places(text: str, value: Any) -> list[tuple[int, int, Spell]]:
    """Where a value may be in a text, how long it is there, and how it is written."""
    spellings = _OF_TEXTS if type(value) is str else _OF_VALUES
    spelled = [(spell, spell(value)) for spell in spellings]
    return [(text.find(written), len(written), spell) for spell, written in spelled if written in text]
