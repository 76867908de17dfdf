"""Write manual pages in roff, with the macros of man(7), from docstrings.

Docstrings are light reST: paragraphs, bullet lists, literal blocks (after ``::`` or a ``code-block`` directive),
doctests, ``code``, *emphasis*, **strong**, and roles, of which only the text is kept. Options, and commands in single
quotes ('toolconv rules'), become bold.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from toolconv.core.lazy_re import lazy_re

WIDTH = 78
"""The longest line of source, unless a word is longer."""

_MARKUP = lazy_re(
    r"``(?P<code>.+?)``(?=[\s'\")\]}>/:.,;!?-]|$)"
    r"|:\w+:`[.~]*(?P<role>[^`]+)`"
    r"|\*\*(?P<strong>\S[^*]*)\*\*"
    r"|(?<![\w*])\*(?P<emphasis>\w[^*]*)\*(?!\w)"
    r"|'(?P<command>(?:python3? -m )?(?:toolconv|man|pip)\b[^']*)'"
    r"|(?<![\w-])(?P<option>--?[A-Za-z][\w-]*)",
    re.S,
)
_SENTENCE_END = lazy_re(r"(?:(?<=[.?!])|(?<=[.?!][)\"])) ")
_GLYPHS = {"\\": r"\e", "^": r"\(ha", "~": r"\(ti", "`": r"\(ga"}
_LITERAL_GLYPHS = {**_GLYPHS, "-": r"\-", "'": r"\(aq"}


class ManPage:
    """A manual page.

    Args:
        name, section: the name and section number of the page.
        date: the date of the page, such as ``2026-01-31``.
        source: the program and its version.
        manual: the title of the manual.
    """

    def __init__(self, name: str, section: int, date: str, source: str, manual: str) -> None:
        self._lines = [
            f'.TH "{literal(name.upper())}" "{section}" "{date}" "{source}" "{manual}"',
            ".nr HY 0",
            ".nh",
            ".ad l",
        ]
        self._begun = False  # .PP must not follow a heading directly

    def __str__(self) -> str:
        return "\n".join(self._lines) + "\n"

    def heading(self, title: str) -> None:
        """Start a section."""
        self._lines.append(f".SH {title.upper()}")
        self._begun = False

    def subheading(self, title: str) -> None:
        """Start a subsection."""
        self._lines.append(f".SS {literal(title)}")
        self._begun = False

    def raw(self, *lines: str) -> None:
        """Add a paragraph of roff."""
        self._paragraph()
        self._lines.extend(lines)

    def prose(self, text: str) -> None:
        """Add text in docstring markup."""
        for kind, block in _blocks(text):
            if kind == "literal":
                self.example(block)
            elif kind == "bullet":
                self._lines += [r".IP \(bu 2", *_filled(block)]
                self._begun = True
            else:
                self.raw(*_filled(block))

    def item(self, term: str, text: str) -> None:
        """Add a term, in roff, with its explanation in docstring markup."""
        first, *further = _blocks(text)
        self._lines += [".TP", term, *_filled(first[1])]
        for _, block in further:
            self._lines += [".IP", *_filled(block)]
        self._begun = True

    def example(self, text: str) -> None:
        """Add indented literal text."""
        lines = (literal(line.rstrip()) for line in text.strip("\n").expandtabs(4).split("\n"))
        self._paragraph()
        self._lines += [".RS 4", ".EX", *map(_guarded, lines), ".EE", ".RE"]

    def _paragraph(self) -> None:
        if self._begun:
            self._lines.append(".PP")
        self._begun = True


def literal(text: str) -> str:
    """Literal text: hyphens become minus signs, quotes stay straight."""
    return "".join(_glyph(char, _LITERAL_GLYPHS) for char in text)


def bold(text: str) -> str:
    """Literal text in bold."""
    return f"\\fB{literal(text)}\\fR"


def italic(text: str) -> str:
    """Literal text in italics, for placeholders."""
    return f"\\fI{literal(text)}\\fR"


def inline(text: str) -> str:
    """Convert the inline markup of a paragraph to roff."""
    parts, end = [], 0
    for found in _MARKUP.finditer(text):
        parts.append(_prose(text[end : found.start()]))
        end = found.end()
        kind, inner = found.lastgroup, " ".join(found[found.lastgroup or 0].split())
        if kind == "role":
            parts.append(_prose(inner))
        elif kind in ("emphasis", "strong"):
            parts.append(f"\\f{'I' if kind == 'emphasis' else 'B'}{_prose(inner)}\\fR")
        else:
            parts.append(_breakable(inner))
    return "".join(parts) + _prose(text[end:])


def _breakable(text: str) -> str:
    """Text in bold; long words may break after punctuation."""
    words = (re.sub(r"([,:)}/|])(?=[^,:)}/|])", "\\1\0", word) if len(word) > 30 else word for word in text.split(" "))
    return bold(" ".join(words)).replace("\0", r"\:")


def _prose(text: str) -> str:
    return "".join(_glyph(char, _GLYPHS) for char in text)


def _glyph(char: str, glyphs: dict[str, str]) -> str:
    return glyphs.get(char) or (char if char.isascii() else f"\\[u{ord(char):04X}]")


def _filled(text: str) -> list[str]:
    """A paragraph as lines; each sentence starts a new line, as roff expects."""
    lines = []
    for sentence in _SENTENCE_END.split(inline(" ".join(text.split()))):
        lines += textwrap.wrap(sentence, WIDTH, break_long_words=False, break_on_hyphens=False)
    return [_guarded(line) for line in lines]


def _guarded(line: str) -> str:
    """A line of text, escaped if roff would read it as a request."""
    return rf"\&{line}" if line.startswith((".", "'")) else line


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Paragraphs (``text``), bullets and literal blocks in order, each with its kind."""
    for part in re.split(r"\n\s*\n(?=\S)", text.strip()):  # indented blocks stay with the paragraph above them
        if part.startswith(">>> "):
            yield "literal", part
            continue
        head, _, indented = part.partition("\n\n")
        for piece in re.split(r"\n(?=- )", head.removesuffix(":") if head.endswith("::") else head):
            if piece.startswith("- "):
                yield "bullet", piece[2:]
            elif not piece.startswith(".. code-block::"):
                yield "text", piece
        if indented:
            yield "literal", textwrap.dedent(indented)
