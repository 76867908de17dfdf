"""Markers in the wrong case, with spaces at their brackets, or with ASCII characters for a family's own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from toolconv.core.lazy_re import lazy_re

_SEAM = lazy_re(r"[<>\[\]|｜/]+")
_LOOSE: Final = {"｜": "[｜|]", "|": "[｜|]", "▁": "[▁_ ]", "_": "[▁_]"}


class MarkerSpelling:
    """The markers of a format, found in any case and with spaces next to their brackets.

    Args:
        markers: the markers as the family writes them. Those that are only words are left alone.
    """

    def __init__(self, markers: Iterable[str]) -> None:
        self._written = frozenset(markers := tuple(markers))
        self._markers = {_plain(marker): marker for marker in markers if _SEAM.search(marker)}
        longest_first = sorted(self._markers.values(), key=len, reverse=True)
        self._pattern = re.compile("|".join(map(_loose, longest_first)), re.IGNORECASE) if longest_first else None

    def misspelt(self, text: str) -> list[tuple[int, int, str]]:
        """The places of the markers that are not as the family writes them, each with the marker."""
        found = []
        for match in self._pattern.finditer(text) if self._pattern is not None else ():
            if match[0] not in self._written:
                marker = self._markers.get(_plain(match[0]), match[0])
                if marker != match[0]:
                    found.append((*match.span(), marker))
        return found


def _plain(marker: str) -> str:
    """A marker without what may be different in it."""
    return re.sub(r"[ \t]", "", marker.replace("▁", "_").replace("｜", "|")).lower()


def _loose(marker: str) -> str:
    """The pattern of a marker and its other spellings."""
    parts = []
    for piece in filter(None, re.split(f"({_SEAM.pattern})", marker)):
        spaces = r"[ \t]{0,2}" if _SEAM.fullmatch(piece) else ""
        parts.append(spaces.join(_LOOSE.get(char) or re.escape(char) for char in piece))
    return r"[ \t]{0,2}".join(parts)
