"""Tags as data: a tag is read by patterns made from its spelling.

A spelling is the text of a tag with its fields in braces: ``<invoke name="{name}">``. Any white space is accepted where
a spelling breaks a line, and between two tags. Unambiguous deviations (spaces inside the tag, other quotes or none,
ASCII bars, missing or additional attributes) are read as well and reported as repairs. Additional attributes are
ignored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from toolconv.core.lazy_re import lazy_re

MAX_NAME: Final = 256

_FIELDS: Final = {
    "name": rf"(?P<name>[^<>\n]{{1,{MAX_NAME}}}?)",
    "key": rf"(?P<key>(?:[^<\n]|<(?=\d)){{0,{MAX_NAME}}}?)",
    # a key that is the name of the tag; it must not be a name from the grammar
    "tag": r"(?P<key>(?!(?:invoke|parameters?|function_calls)\b)[A-Za-z_][\w.\-]{0,127})",
    "is_text": r"(?P<is_text>true|false)",
    "type": r"(?P<type>[a-z]{1,16})",
    "index": r"[0-9]{1,9}",
    "suffix": r"(?::\w{1,32})?",
}
# Bounded and possessive: backtracking into several runs of spaces would multiply.
_BLANKS: Final = r"[ \t]{0,99}+"
_SPACE: Final = r"\s{0,99}+"
_LOOSE_FIELDS: Final = {
    **_FIELDS,
    "name": rf"{_SPACE}(?P<name>[^<>\n\"']{{1,{MAX_NAME}}}?){_BLANKS}",
    "key": rf"{_SPACE}(?P<key>[^<>\n\"']{{1,{MAX_NAME}}}?){_SPACE}",
}
_LOOSE: Final = {
    "<": rf"<{_BLANKS}",
    "</": rf"<{_BLANKS}/{_BLANKS}",
    ">": rf"{_BLANKS}>",
    "=": rf"{_BLANKS}={_BLANKS}",
    '"': "[\"']?",
    "｜": "[｜|]",
    "▁": "[▁_]",
}
_MORE_ATTRIBUTES: Final = r"(?P<more>(?:[ \t]+[\w:]{1,40}=(?:\"[^\"<>\n]{0,200}\"|'[^'<>\n]{0,200}')){0,4})"

_CLOSING_TAG = r"(?<=\})</[^<>]*>"
_OTHER_ATTRIBUTE = r'(?<=") \w+="\{\w+\}"'
_PIECE = lazy_re(r"(?P<field>\{\w+\})|(?P<blank>\s+)|(?P<seam>><)|</|.", re.DOTALL)
_LOOSE_PIECE = lazy_re(
    rf"(?P<option>{_CLOSING_TAG}|{_OTHER_ATTRIBUTE})|(?P<quote>\"(?=\{{))|{_PIECE.pattern}", re.DOTALL
)
_OPENING_QUOTE: Final = "(?=\"[^\"<>\\n]{0,300}\"|'[^'<>\\n]{0,300}'|[^\"'])[\"']?"


class TagMatch(NamedTuple):
    """A tag that was read: its fields, where it ends, and the name of the repair, if any."""

    fields: dict[str, str]
    end: int
    repair: str


class Tag:
    """One kind of tag.

    Args:
        spellings: the spelling the family writes, then variants of the format.
        slips: spellings that models write by mistake, read as the repair ``slip``.

    Attributes:
        heads: patterns, without groups, of the spellings up to their first field, the longest first.
    """

    def __init__(self, spellings: Sequence[str], slips: Sequence[str] = (), slip: str = "") -> None:
        spellings = sorted((spelling.strip("\n") for spelling in spellings), key=_fields, reverse=True)
        slips = [spelling.strip("\n") for spelling in slips]
        self._patterns = [
            *((lazy_re(strict(spelling)), "") for spelling in spellings),
            *((lazy_re(loose(spelling)), "marker_spelling") for spelling in spellings),
            *((lazy_re(loose(spelling)), slip) for spelling in slips),
        ]
        heads = {_without_groups(loose(head(spelling))) for spelling in (*spellings, *slips)}
        self.heads = tuple(sorted(heads, key=len, reverse=True))

    def match(self, text: str, at: int) -> TagMatch | None:
        """Read the tag that begins at ``at``."""
        for pattern, repair in self._patterns:
            if (match := pattern.match(text, at)) is not None:
                fields = match.groupdict()
                return TagMatch(fields, match.end(), "extra_attribute" if fields.get("more") else repair)
        return None


def finder(kinds: Mapping[str, Sequence[str]]) -> re.Pattern[str]:
    """A pattern that finds any of several kinds; the name of the group that matches is the kind.

    A first character that all patterns share is put before the groups, which makes searches several times as fast.
    """
    patterns = [pattern for members in kinds.values() for pattern in members]
    first = patterns[0][0] if all(pattern[0] == patterns[0][0] and pattern[0] in "<]" for pattern in patterns) else ""
    groups = (
        f"(?P<{kind}>{'|'.join(pattern[len(first) :] for pattern in members)})"
        for kind, members in kinds.items()
        if members
    )
    return re.compile(f"{re.escape(first)}(?:{'|'.join(groups)})")


def strict(spelling: str) -> str:
    """The exact pattern of a spelling, apart from white space between its tags."""
    parts = []
    for piece in _PIECE.finditer(spelling):
        if piece["field"]:
            parts.append(_FIELDS[piece["field"][1:-1]])
        elif piece["blank"]:
            parts.append(r"\s*" if "\n" in piece["blank"] else re.escape(piece["blank"]))
        else:
            parts.append(r">\s*<" if piece["seam"] else re.escape(piece[0]))
    return "".join(parts) + _end(spelling)


def loose(spelling: str) -> str:
    """The pattern of a spelling and its unambiguous deviations."""
    parts = []
    for piece in _LOOSE_PIECE.finditer(spelling):
        if piece["option"]:
            parts.append(rf"(?:{loose(piece['option'])})?" + (_SPACE if piece["option"].startswith("<") else ""))
        elif piece["quote"]:
            parts.append(_OPENING_QUOTE)
        elif piece["field"]:
            parts.append(_LOOSE_FIELDS[piece["field"][1:-1]])
        elif piece["blank"]:
            parts.append(_SPACE if "\n" in piece["blank"] else _BLANKS)
        elif piece["seam"]:
            parts.append(rf"{_BLANKS}>{_SPACE}<{_BLANKS}")
        else:
            parts.append(_LOOSE.get(piece[0]) or re.escape(piece[0]))
    if spelling.endswith('">'):
        parts.insert(-1, _MORE_ATTRIBUTES)
    return "".join(parts) + _end(spelling)


def head(spelling: str) -> str:
    """A spelling up to its first field; the whole spelling when the field is the name of the tag."""
    return spelling if "{tag}" in spelling else re.split(r"\{(?!suffix)", spelling)[0]


def _fields(spelling: str) -> int:
    """How many fields a spelling has. More fields are tried first, since one field could match the text of two."""
    return spelling.count("{")


def _end(spelling: str) -> str:
    """What must follow a field at the end of a spelling: the end of the line or the next tag."""
    return rf"(?={_BLANKS}[\n<])" if spelling.endswith("}") else ""


def _without_groups(pattern: str) -> str:
    return re.sub(r"\(\?P<\w+>", "(?:", pattern)
