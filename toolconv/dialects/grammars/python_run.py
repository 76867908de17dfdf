"""A stretch of calls in Python, with the brackets, separators, fences and quotes that hold them together."""

from __future__ import annotations

import re

from toolconv.core.blanks import after_blanks
from toolconv.core.lazy_re import end_of, lazy_re
from toolconv.core.lenient_json import Unreadable
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.grammars.fences import OPENING, language_repairs
from toolconv.dialects.grammars.python_call import read_call
from toolconv.dialects.lexing.mentions import Brackets
from toolconv.dialects.reading.turn_parser import TurnParser
from toolconv.dialects.values.python_values import (
    STRING,
    Expression,
    Undecided,
)

SEPARATORS = lazy_re(r"[\s,;]*")
FENCE = lazy_re(rf"{OPENING}(?:\n|\Z)")
FENCE_END = lazy_re(r"[ \t]*```")
SEMICOLON = lazy_re(r"[ \t]*;")
NAME = lazy_re(r"[^\W\d](?:\w|\\_)*+(?>(?:[.\-](?:\w|\\_)++)*)[ \t]*+\(")
FOLLOWING = lazy_re(rf"(?<=[\s,;]){NAME.pattern}")
FREE_NAME = lazy_re(r"[^\s()\[\]{}\"'=,;:`<>|](?:[^()\[\]{}\"'=,;:`<>|\n]{0,200}+)\(")
QUOTED_CALL = lazy_re(r"[\"'](?=\s*+[^\s()\[\]{}\"'=,;:`<>][^()\[\]{}\"'=,;:`<>\n]{0,200}+\()")


class Run:
    """A stretch of text that holds calls and what holds calls together: brackets, separators, fences, quotes.

    Attributes:
        calls: place and reading of each call.
        broken: place, name and reason of each call that can't be read.
        repairs: what had to be repaired.
        listed: whether calls stood in a list.
        end: where the last call or bracket ends; where there are no calls, the first word.
    """

    __slots__ = ("_depth", "_fenced", "_gave_up", "_quote", "_whole", "broken", "calls", "end", "listed", "repairs")

    def __init__(
        self,
        parser: TurnParser,
        text: str,
        at: int,
        stops: tuple[str, ...] = (),
        *,
        block: bool = False,
        whole: bool = False,
    ) -> None:
        """Read the run that begins at ``text[at]``; one that has to be ``whole`` ends where a call can't be read."""
        self.calls: list[tuple[int, int, ToolCall]] = []
        self.broken: list[tuple[int, int, str, str]] = []
        self.repairs: list[str] = []
        self.listed = False
        self.end = at
        self._depth = 0
        self._fenced = False
        self._gave_up = False
        self._whole = whole
        self._quote = ""
        lists = 0
        while not self._gave_up:
            at = end_of(SEPARATORS, text, at)
            if at >= len(text) or (stops and text.startswith(stops, at)):
                break
            char = text[at]
            if char == "[":
                lists += self._depth == 0
                self._depth += 1
                at += 1
                continue  # a bracket counts once something follows it
            if char == "]" and (self._depth or block):
                if self._depth:
                    self.listed = True
                    self._depth -= 1
                else:
                    self.repairs.append("extra_bracket")
                at += 1
            elif char == "`" and (fence := self._fence(text, at)) is not None:
                at = fence
                if self._fenced:
                    continue
            elif char == self._quote:
                self._quote = ""
                at += 1
            elif (self._depth or block) and QUOTED_CALL.match(text, at):
                at = self._quoted(parser, text, at, stops)
            else:
                name = NAME.match(text, at)
                if self._depth or block:
                    name = _declared(parser.tools, text, at) or name or FREE_NAME.match(text, at)
                if name is None:
                    open_ = self._depth or (block and (not self.calls or self._between(text, at)))
                    if open_ and (cut := CUT_NAME.match(text, at)) is not None:
                        self.broken.append((at, len(text), cut[0], "the text ends before the arguments"))
                        at = self.end = len(text)
                    if not open_ or (lost := LOST_BRACKET.match(text, at)) is None:
                        break
                    self.broken.append((at, lost.end(), lost["name"], "no bracket opens the arguments"))
                    at = self.end = lost.end()
                    continue
                at = self._call(parser, text, name, stops, sure=block or self._depth > 0)
            self.end = at
        if self.calls or self.broken:
            self.end = end_of(SEMICOLON, text, self.end)
            if lists > 1:
                self.repairs.append("several_objects")
            if self._depth and not self.broken:
                self.repairs.append("truncated" if self.end >= len(text) else "missing_bracket")
            self.listed = self.listed or self._depth > 0
        else:
            self.end = at  # nothing but punctuation up to there

    def _between(self, text: str, at: int) -> bool:
        """Whether a separator or a line break precedes ``at``, after the last call."""
        return bool(text[self.end : at].strip(" \t"))

    def _fence(self, text: str, at: int) -> int | None:
        """Skip a fence that opens before calls, or closes after them."""
        if self._fenced:
            self._fenced = False
            return end_of(FENCE_END, text, at)
        match = FENCE.match(text, at)
        if match is None:
            return None
        after = after_blanks(text, match.end())
        if not (text.startswith("[", after) or NAME.match(text, after)):
            return None
        self._fenced = True
        self.repairs.extend(["markdown_fence", *language_repairs(match)])
        return match.end()

    def _call(self, parser: TurnParser, text: str, match: re.Match[str], stops: tuple[str, ...], *, sure: bool) -> int:
        """Read the call whose name is ``match``; where it ends."""
        name = self._plain(match[0][:-1].strip())
        try:
            read = read_call(parser, text, name, match.end(), stops)
        except Unreadable as error:
            closed = Brackets(text).end(match.end() - 1)
            end = len(text) if closed is None else closed
            found = parser.first(stops, match.end()) if text is parser.text else None
            self._gave_up = not parser.charge(end - match.end())
            if closed is None:
                end = found[0] if found else len(text)
                if not sure and name not in parser.tools:
                    end = max(text.find("\n", match.end(), end), match.end())
            elif found is not None:
                end = min(end, found[0])
            if self._whole:
                self._gave_up = True
            elif sure and text is parser.text and (rest := rest_of(parser, match.end(), stops)) is not None:
                end = match.start() + len(text[match.start() : rest].rstrip(" \t\r\n,;"))
            self.broken.append((match.start(), end, name, str(error)))
            return end
        self.calls.append((match.start(), read.end, read.call))
        self.repairs.extend(read.repairs)
        return read.end

    def _plain(self, name: str) -> str:
        """A name without the backslashes with which Markdown writes underscores."""
        if "\\_" not in name:
            return name
        self.repairs.append("escaped_underscore")
        return name.replace("\\_", "_")

    def _quoted(self, parser: TurnParser, text: str, at: int, stops: tuple[str, ...]) -> int:
        """Read an item that is a string which spells calls; where it ends, or where its text begins."""
        reader = Expression(text, stops)
        self.repairs.append("quoted_call")
        try:
            body = reader.strings(STRING.match(text, at), ",]")
        except (Unreadable, Undecided):
            parser.charge(reader.far - at)
        else:
            inner = Run(parser, body, 0, block=True)
            if inner.calls and not inner.broken and inner.end >= len(body.rstrip()):
                self.calls.extend((at, reader.at, call) for *_, call in inner.calls)
                self.repairs.extend([*reader.repairs, *inner.repairs])
                return reader.at
            parser.charge(reader.at - at)
        self._quote = text[at]  # its quotes are not escaped: read the text unchanged
        return at + 1


def _declared(tools: ToolIndex, text: str, at: int) -> re.Match[str] | None:
    """The declared name at a place that no pattern of a name finds the end of, with its bracket: ``Weather (EU)(``."""
    pattern = tools.readers.get(_declared, ...)
    if pattern is ...:
        names = [name for name in tools.functions if FREE_NAME.fullmatch(f"{name}(") is None and name.strip()]
        longest = sorted(map(re.escape, names), key=len, reverse=True)
        pattern = re.compile(rf"(?:{'|'.join(longest)})[ \t]*+\(") if names else None
        tools.readers[_declared] = pattern
    return None if pattern is None else pattern.match(text, at)


def rest_of(parser: TurnParser, at: int, stops: tuple[str, ...]) -> int | None:
    """Where the calls begin that follow one with arguments at ``at`` that can't be read.

    They are believed where nothing but calls stands from there on up to the end of their list, fence or block: what is
    written inside of the broken one is not over there.
    """
    text = parser.text
    found = parser.first(stops, at)
    until = found[0] if found is not None else len(text)
    while parser.charge(0) and (match := FOLLOWING.search(text, at, until)) is not None:
        run = Run(parser, text, match.start(), stops, block=True, whole=True)
        parser.charge(run.end - match.start())
        after = after_blanks(text, run.end)
        over = text.startswith((*stops, "```"), after)
        if run.repairs == ["extra_bracket"]:
            over = not text.startswith((")", "]", "}"), after)
        elif run.repairs:
            over = False
        if run.calls and not run.broken and over:
            return match.start()
        at = match.end() if run.broken else max(match.end(), run.end)
    return None


LOST_BRACKET = lazy_re(r"(?P<name>[^\W\d][\w.\-]{0,127})(?:=[^()\[\]\n]{0,400})?\)")
"""A call without the bracket that opens its arguments."""
CUT_NAME = lazy_re(r"[^\W\d][\w.\-]*\s*\Z")
"""A name at the end of a text."""
