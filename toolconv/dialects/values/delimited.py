"""JSON whose strings stand raw between two delimiters, and whose keys, numbers and words are bare: ``{city:~Paris~}``.

A string ends at the first delimiter: nothing in it is escaped. But one that holds a whole call, as a text about calls
does, ends after that. A bare number that JSON spells otherwise, such as
``1.10``, may be a text, which the schema says. Everything else is read as :mod:`toolconv.core.lenient_json` reads it.
"""

from __future__ import annotations

from typing import Any, Final

from toolconv.core import lenient_json
from toolconv.core.blanks import after_blanks
from toolconv.core.lazy_re import lazy_re
from toolconv.core.lenient_json import WORDS, LenientParser, LenientValue, Unreadable
from toolconv.dialects.values.by_schema import Shape, TypingNotes

BARE_KEY: Final = lazy_re(r"[^\s/{}\[\]\"':,<>|][^{}\[\]\"':,<>|\n]{0,255}")
BARE_WORDS: Final = lazy_re(r"[^{}\[\],<>\n]+(?>(?:,(?!\s*[\w.\-\"]+\s*:)[^{}\[\],<>\n]*)*)")
NUMBER: Final = lazy_re(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?=\s*+[,}\])<])")
WORD: Final = lazy_re(rf"(?:{'|'.join(WORDS)})(?=\s*+[,}}\])<])")


NAMED: Final = lazy_re(r"\s*call:[^\s{}()\[\]\"',<>|]{1,256}(?=\{)")
"""What follows the marker of a call, up to its arguments."""


class Delimited(str):
    """A string that stood between delimiters; what that says about its type, the schema says."""

    __slots__ = ()


class BareNumber(str):
    """A bare number that JSON spells otherwise."""

    __slots__ = ()


def read_members(text: str, at: int, delimiter: str, stops: tuple[str, ...] = ()) -> LenientValue:
    """Read the object whose bracket, which may be a parenthesis, is at ``text[at]``.

    Args:
        text: the text that holds it.
        at: where it begins.
        delimiter: what stands on both sides of a string.
        stops: markers that end it.

    Raises:
        Unreadable: it can't be read.
    """
    parser = DelimitedParser(text, delimiter, stops)
    try:
        value = parser.object(at, 0, "}" if text[at] == "{" else ")")
    except Unreadable as error:
        error.at = max(error.at, parser.far)
        raise
    return LenientValue(value, parser.at, list(parser.repairs))


class DelimitedParser(LenientParser):
    """Reads values with delimited strings."""

    __slots__ = ("delimiter", "is_inner")

    def __init__(self, text: str, delimiter: str, stops: tuple[str, ...], *, is_inner: bool = False) -> None:
        super().__init__(text, stops, cut=False)
        self.delimiter = delimiter
        self.is_inner = is_inner

    def skip_blanks(self, at: int) -> int:
        return after_blanks(self.text, at)

    def close_early(self, container: Any, at: int, *, more: bool) -> None:
        if isinstance(container, list):
            raise Unreadable("the text ends inside a list", at)  # its last item may be cut: bare words show no end
        super().close_early(container, at, more=False)

    def value(self, at: int, depth: int) -> Any:
        at = after_blanks(self.text, at)
        if self.text.startswith((self.delimiter, '"', "'"), at):
            return self.string(at)
        return super().value(at, depth) if self.text.startswith(("{", "["), at) else self.scalar(at)

    def key(self, at: int) -> str:
        if self.text.startswith((self.delimiter, '"', "'"), at):
            return str(self.string(at))
        match = BARE_KEY.match(self.text, at)
        if match is None:
            raise Unreadable(f"{self.text[at]!r} where a key should begin", at)
        self.at = match.end()
        return match[0].rstrip()

    def string(self, at: int) -> str:
        text, delimiter = self.text, self.delimiter
        if not text.startswith(delimiter, at):
            self.repairs["json_body"] = None
            return super().string(at)
        start = at + len(delimiter)
        close = text.find(delimiter, start)
        begin = start
        while close >= 0 and (inner := self._end_of_call(begin, close)) is not None:
            self.repairs["markup_in_value"] = None
            begin, close = inner, text.find(delimiter, inner)
        if close < 0:
            self.far = len(text)
            raise Unreadable("a string that is never closed", at)
        self.at = close + len(delimiter)
        return Delimited(text[start:close])

    def _end_of_call(self, start: int, end: int) -> int | None:
        """Where a whole call ends that begins in ``text[start:end]``, the part of a string up to a delimiter."""
        if self.is_inner:
            return None
        text = self.text
        marked = ((place, stop) for stop in self.stops if (place := text.rfind(stop, start, end)) >= 0)
        place, marker = max(marked, default=(0, ""))
        named = NAMED.match(text, place + len(marker), end) if marker else None
        if named is None:
            return None
        inner = DelimitedParser(text, self.delimiter, self.stops, is_inner=True)
        try:
            inner.object(named.end(), 0, "}")
        except Unreadable:
            return None
        return inner.at if text.startswith(self.stops, inner.at) else None

    def scalar(self, at: int) -> Any:
        text = self.text
        self.far = max(self.far, at)
        if (word := WORD.match(text, at)) is not None:
            self.at = word.end()
            return WORDS[word[0]]
        if (number := NUMBER.match(text, at)) is not None:
            self.at = number.end()
            value = lenient_json.number(number[0], at)
            return value if repr(value) == number[0] else BareNumber(number[0])
        words = BARE_WORDS.match(text, at)
        if words is None or words.end() >= len(text):
            raise Unreadable("the text ends inside a value", at)
        self.at = words.end()
        written = words[0].strip()
        quoted = written[0] in "“„«＂" and written[-1] in "”“»＂" and len(written) > 1
        self.repairs["smart_quotes" if quoted else "unquoted_string"] = None
        return written[1:-1] if quoted else written


def plain(value: Any, shape: Shape, notes: TypingNotes) -> Any:
    """A value with plain strings for delimited ones, and with text for odd numbers where the schema asks for none."""
    if isinstance(value, Delimited):
        return str(value)
    if isinstance(value, BareNumber):
        if shape.allowed is not None and "string" not in shape.allowed:
            return notes.typed(str(value), shape)
        notes.repairs.append("unquoted_string")
        return str(value)
    if isinstance(value, dict):
        return {key: plain(member, shape[key], notes) for key, member in value.items()}
    return [plain(item, shape.item, notes) for item in value] if isinstance(value, list) else value
