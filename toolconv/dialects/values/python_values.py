"""Python and JSON literals as models mix them, read at a position of a larger text, and written as Python spells them.

Written by hand, since what models write is not Python: literals are Python's and JSON's in one value. Only literals
are read: a value that would have to be computed (a nested call, ``1/6``) has no reading. A bare name is handed on as
:class:`Name`, for the caller to judge.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from toolconv.core import jsontext, lenient_json
from toolconv.core.blanks import after_blanks
from toolconv.core.lazy_re import end_of, lazy_re
from toolconv.core.lenient_json import WORDS, Unreadable

MAX_READINGS: Final = 32
"""Most ways that are tried to close the strings of a call that holds unescaped quotes."""
BLANKS_AND_COMMENTS = lazy_re(r"(?:\s|#[^\n]*)*+")
KEYWORD = lazy_re(r"([^\s\"'()\[\]{},=:*#]++)\s*+=(?!=)")
WORD = lazy_re(r"[^\W\d]\w*+")
DOTTED = lazy_re(r"[^\W\d]\w*+(?:\.[^\W\d]\w*+)*+(?=\s*+[,)])")
NUMBER = lazy_re(
    r"[+-]?(?:0[xX][0-9a-fA-F]++|0[oO][0-7]++|0[bB][01]++"
    r"|(?:[0-9]++(?>(?:_[0-9]++)*)(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?)(?![\w.])"
)
LEADING_ZERO = lazy_re(r"[+-]?0[0-9_]*[1-9]")
STRING = lazy_re(r"([A-Za-z]{0,2})('''|\"\"\"|'|\"|“|‘)")
CLOSING: Final = {"“": "”", "‘": "’"}
TO_QUOTE: Final = {
    "'": lazy_re(r"(?:[^'\\]++|\\.)*+", re.DOTALL),
    '"': lazy_re(r'(?:[^"\\]++|\\.)*+', re.DOTALL),
    "'''": lazy_re(r"(?>(?:[^'\\]++|\\.|'(?!''))*)", re.DOTALL),
    '"""': lazy_re(r'(?>(?:[^"\\]++|\\.|"(?!""))*)', re.DOTALL),
    "”": lazy_re(r"(?:[^”\\]++|\\.)*+", re.DOTALL),
    "’": lazy_re(r"(?:[^’\\]++|\\.)*+", re.DOTALL),
}
NEXT_PART = lazy_re(r"[\"'”’]\s*+(?:,\s*+[^\W\d]\w*+\s*+=(?!=)|\)\s*+[,;]\s*+[^\W\d][\w.]*+\()")
"""A quote and what follows it where another argument begins, or another call."""
ESCAPE = lazy_re(
    r"\\(?:\r?\n|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[\w \-]{1,80}\}|[0-7]{1,3}|[\\'\"abfnrtv])"
)
ESCAPES: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
SURROGATE = lazy_re("[\ud800-\udfff]")


class Name(str):
    """A bare name where a value should stand."""

    __slots__ = ()


class Undecided(Exception):
    """A string whose first closing quote can't be its last; ``ends`` are the quotes that can be."""

    def __init__(self, start: int, ends: list[int]) -> None:
        super().__init__("a quote inside a string that may or may not end it")
        self.start = start
        self.ends = ends


class PythonArgument(NamedTuple):
    """One argument: its ``key``, ``None`` for a positional value, ``**`` for a spread object."""

    key: str | None
    value: Any


class Expression:
    """Reads values and argument lists of one text. ``at`` moves forward only, so reading is linear."""

    __slots__ = ("at", "far", "quotes", "repairs", "stops", "text")

    def __init__(self, text: str, stops: tuple[str, ...] = (), quotes: dict[int, int] | None = None) -> None:
        self.text = text
        self.stops = stops
        self.quotes = quotes or {}  # where undecided strings are taken to end
        self.at = 0
        self.far = 0
        self.repairs: dict[str, int] = {}

    def repair(self, name: str) -> None:
        self.repairs[name] = self.repairs.get(name, 0) + 1

    def named_repairs(self) -> list[str]:
        """The repairs, each as often as it was made."""
        return [name for name, times in self.repairs.items() for _ in range(times)]

    def blanks(self, at: int) -> int:
        """The place after whitespace and comments at ``at``."""
        if at < len(self.text) and self.text[at] not in " \n\t\r#" and self.text[at].isascii():
            return at
        end = end_of(BLANKS_AND_COMMENTS, self.text, at)
        if "#" in self.text[at:end]:
            self.repairs["comment"] = 1
        return end

    def over(self, at: int) -> bool:
        """Whether the text, or what the call may use of it, ends at ``at``."""
        return at >= len(self.text) or (bool(self.stops) and self.text.startswith(self.stops, at))

    # ── arguments ──

    def arguments(self, at: int) -> list[PythonArgument]:
        """The arguments that begin after the bracket at ``at - 1``; ``self.at`` is then after the closing one."""
        text = self.text
        found: list[PythonArgument] = []
        at = self.blanks(at)
        while not text.startswith(")", at):
            if self.over(at):
                if not found or at >= len(text):
                    raise Unreadable("the text ends inside the arguments", at)
                self.repair("missing_bracket")
                self.at = at
                return found
            found.append(self.argument(at))
            at = self.blanks(self.at)
            if text.startswith(",", at):
                at = self.blanks(at + 1)
            elif not text.startswith(")", at) and not self.over(at):
                raise Unreadable(f"{text[at]!r} where a comma or ')' should stand", at)
        self.at = at + 1
        return found

    def argument(self, at: int) -> PythonArgument:
        text = self.text
        if text.startswith("**", at):
            return PythonArgument("**", self.value(at + 2, ",)"))
        match = KEYWORD.match(text, at)
        start = self.blanks(match.end()) if match else at
        if match is None:
            return PythonArgument(None, self.value(at, ",)"))
        key = match[1]
        if "\\_" in key:
            self.repairs["escaped_underscore"] = 1
            key = key.replace("\\_", "_")
        name = DOTTED.match(text, start)
        if name is not None and name[0] not in WORDS:
            self.at = name.end()
            return PythonArgument(key, Name(name[0]))
        return PythonArgument(key, self.value(start, ",)"))

    # ── values ──

    def value(self, at: int, follow: str, depth: int = 0) -> Any:
        """The value at ``at``; one of the characters of ``follow`` has to come after it."""
        at = self.blanks(at)
        text = self.text
        self.far = max(self.far, at)
        if self.over(at):
            raise Unreadable("the text ends where a value should begin", at)
        if depth > lenient_json.MAX_TEXT_DEPTH:
            raise Unreadable(f"nested more than {lenient_json.MAX_TEXT_DEPTH} deep", at)
        char = text[at]
        if char == "{":
            return self.braces(at, depth + 1)
        if char == "[":
            return self.sequence(at, "]", depth + 1)[0]
        if char == "(":
            items, many = self.sequence(at, ")", depth + 1)
            return items if many else items[0]
        if (start := STRING.match(text, at)) is not None:
            return self.strings(start, follow)
        if (word := WORD.match(text, at)) is not None:
            if word[0] not in WORDS:
                raise Unreadable(f"{word[0][:40]!r} is no literal", at)
            self.at = word.end()
            return WORDS[word[0]]
        try:
            return self.number(at)
        except OverflowError:
            raise Unreadable("a number too large", at) from None

    def sequence(self, at: int, close: str, depth: int) -> tuple[list[Any], bool]:
        """The items of a list, tuple or set; and whether it is one: ``(1)`` is not."""
        items: list[Any] = []
        comma = False
        at = self.blanks(at + 1)
        while not self.text.startswith(close, at):
            items.append(self.value(at, "," + close, depth))
            at, again = self.after(self.at, close)
            comma = comma or again
        self.at = at + 1
        return items, comma or not items

    def after(self, at: int, close: str) -> tuple[int, bool]:
        """Skip the comma after a member; the place of the next member or the bracket, and whether there was a comma."""
        at = self.blanks(at)
        text = self.text
        if text.startswith(",", at):
            return self.blanks(at + 1), True
        if not text.startswith(close, at):
            self.far = max(self.far, at)
            what = "the text ends" if self.over(at) else f"{text[at]!r} stands"
            raise Unreadable(f"{what} where a comma or {close!r} should stand", at)
        return at, False

    def braces(self, at: int, depth: int) -> Any:
        """An object, or a set, which is a list."""
        text = self.text
        result: dict[str, Any] = {}
        items: list[Any] = []
        at = self.blanks(at + 1)
        while not text.startswith("}", at):
            word = WORD.match(text, at)
            if word is not None and word[0] not in WORDS and text.startswith(":", self.blanks(word.end())):
                self.repairs["unquoted_key"] = 1
                key: Any = word[0]
                self.at = word.end()
            else:
                key = self.value(at, ":" if result else ":,}", depth)
            colon = self.blanks(self.at)
            if text.startswith(":", colon) and not items:
                name = key_of(key, at)
                if name in result:
                    self.repair("duplicate_key")
                result[name] = self.value(colon + 1, ",}", depth)
            elif result:
                raise Unreadable("a key without a colon after it", colon)
            else:
                items.append(key)
            at, _ = self.after(self.at, "}")
        self.at = at + 1
        return items or result

    def strings(self, start: re.Match[str] | None, follow: str) -> str:
        """A string, or several side by side, which are one."""
        text = self.text
        parts: list[str] = []
        while start is not None:
            last = start
            parts.append(self.string(last))
            after = self.blanks(self.at)
            start = STRING.match(text, after)
            if start is not None and start[1] and after == self.at:  # the letters belong to a word, not to a string
                start = None
            if start is not None and NEXT_PART.match(text, after) is not None:
                raise Unreadable("a doubled quote", after)
            if start is None and not self.over(after) and text[after] not in follow:
                raise Undecided(last.start(), self.ends(last, after, follow))
        if len(parts) > 1:
            self.repairs["joined_strings"] = 1
        result = "".join(parts)
        return lenient_json.join_surrogates(result) if not result.isascii() and SURROGATE.search(result) else result

    def string(self, start: re.Match[str]) -> str:
        text = self.text
        prefix = start[1].lower()
        quote = start[2]
        close = CLOSING.get(quote, quote)
        if quote in CLOSING:
            self.repairs["smart_quotes"] = 1
        end = self.quotes.get(start.start())
        if end is None:
            end = end_of(TO_QUOTE[close], text, start.end())
            self.far = max(self.far, end)
            if not text.startswith(close, end):
                raise Unreadable("a string that is never closed", start.start())
        body = text[start.end() : end]
        self.at = end + len(close)
        if len(close) == 1 and ("\n" in body or "\r" in body) and not re.search(r"(?<!\\)\\\r?\n", body):
            self.repairs["unescaped_newline"] = 1
        if prefix not in ("", "r", "u", "f", "rf", "fr"):
            raise Unreadable(f"a string with the prefix {start[1]!r}", start.start())
        if "f" in prefix and ("{" in body or "}" in body):
            if re.search(r"(?<!\{)(?:\{\{)*\{(?!\{)", body):
                raise Unreadable("a string with holes to fill", start.start())
            body = body.replace("{{", "{").replace("}}", "}")
        return body if "r" in prefix or "\\" not in body else ESCAPE.sub(unescaped, body)

    def ends(self, opening: re.Match[str], at: int, follow: str) -> list[int]:
        """The quotes from ``at`` on that can end the string at ``opening``: the text after them continues the call.

        No string goes on past a quote after which another argument begins, or another call. If there are more
        than are tried, the rest is left out.
        """
        text = self.text
        quote = CLOSING.get(opening[2], opening[2])
        found: list[int] = []
        at = text.find(quote, at - 1)
        crossed = NEXT_PART.search(text, opening.start() + 1)
        last = crossed.start() if crossed is not None else len(text)
        while 0 <= at <= last and len(found) <= MAX_READINGS:
            end = after_blanks(text, at + len(quote))
            if text[at - 1] != "\\" and end < len(text) and text[end] in follow:
                found.append(at)
            at = text.find(quote, at + 1)
        self.far = max(self.far, at if at >= 0 else len(text))
        return found

    def number(self, at: int) -> Any:
        match = NUMBER.match(self.text, at)
        if match is None:
            raise Unreadable(f"{self.text[at : at + 1]!r} where a value should begin", at)
        self.at = match.end()
        digits = match[0]
        if len(digits) > 1 and LEADING_ZERO.fullmatch(digits):
            self.repairs["leading_zero"] = 1
        return lenient_json.number(digits, at)


def key_of(value: Any, at: int) -> str:
    """The key that a literal becomes in JSON."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, int | float):
        return jsontext.compact(value)
    raise Unreadable("a key that is no literal", at)


def unescaped(match: re.Match[str]) -> str:
    """What an escape of a Python string stands for."""
    escape = match[0][1:]
    first = escape[0]
    if first in "xuU":
        code = int(escape[1:], 16)
        return chr(code) if code <= 0x10FFFF else match[0]
    if first == "N":
        return _named_character(escape[2:-1]) or match[0]
    if first.isdigit():
        return chr(int(escape, 8))
    return "" if first in "\r\n" else ESCAPES.get(first, first)


def _named_character(name: str) -> str:
    """The character, or the sequence of them, that has a name in Unicode; empty if none has."""
    import unicodedata  # which hardly any text needs

    try:
        return unicodedata.lookup(name)
    except KeyError:
        return ""


# ── writing ──


def python_literal(value: Any, quoted: Callable[[str], str]) -> str:
    """A JSON value as Python spells it, strings by ``quoted``."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        members = (f"{quoted(key)}: {python_literal(member, quoted)}" for key, member in value.items())
        return "{" + ", ".join(members) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(python_literal(item, quoted) for item in value) + "]"
    return str(value)


CONTROL = lazy_re("[\\\\'\x00-\x1f\x7f]")
NAMED: Final = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def single_quoted(text: str) -> str:
    """A Python string in single quotes."""
    return "'" + CONTROL.sub(lambda char: NAMED.get(char[0]) or f"\\x{ord(char[0]):02x}", text) + "'"


def spell_single(value: Any) -> str:
    """A value as Python spells it, strings in single quotes."""
    return python_literal(value, single_quoted)


def spell_double(value: Any) -> str:
    """A value as Python spells it, strings in double quotes, escaped as JSON's are."""
    return python_literal(value, jsontext.spaced)


def spell_single_json_objects(value: Any) -> str:
    """Objects as JSON, everything else as Python spells it, strings in single quotes."""
    return jsontext.spaced(value) if isinstance(value, dict) else spell_single(value)


def spell_double_json_objects(value: Any) -> str:
    """Objects as JSON, everything else as Python spells it, strings in double quotes."""
    return jsontext.spaced(value) if isinstance(value, dict) else spell_double(value)
