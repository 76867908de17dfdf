"""Python call expressions: ``[get_weather(city='Paris', days=2), ping()]`` and its many relatives.

Written by hand, since what models write is not Python: names are free text in some data, literals are Python's and
JSON's in one value, prose surrounds the calls. Only literals are read: a value that would have to be computed (a
name, a nested call, a comprehension) has no reading, and its call is dropped with its text kept. The exception is a
bare name where the declared parameter takes text.

Between markers everything is read. Without markers a call counts if it is plausible: its tool is declared, or it is in
a list on separate lines, or the text holds nothing but calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal

from toolconv.core.calls import declared_name
from toolconv.core.conversation import ToolCall
from toolconv.core.lenient_json import Unreadable
from toolconv.core.schema_types import types_of
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect, end_of, with_first
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.grammars.fences import OPENING, language_repairs
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.python_values import (
    BLANKS,
    MAX_READINGS,
    STRING,
    Argument,
    Expression,
    Name,
    Undecided,
)
from toolconv.dialects.turn_parser import GAVE_UP, TurnParser

MAX_INDENT: Final = 80
SEPARATORS = re.compile(r"[\s,;]*")
FENCE = re.compile(rf"{OPENING}(?:\n|\Z)")
FENCE_END = re.compile(r"[ \t]*```")
FENCED = "```python"
LINE_END = re.compile(r"[^\S\n]*(?:\n|\Z)")
SEMICOLON = re.compile(r"[ \t]*;")
NAME = re.compile(r"[^\W\d](?:\w|\\_)*+(?:[.\-](?:\w|\\_)++)*+[ \t]*+\(")
FOLLOWING = re.compile(rf"(?<=[\s,;]){NAME.pattern}")
NEXT_CALL = re.compile(r"[\"']\s*\)\s*[,;\s]\s*([^\W\d][\w.\-]*)\(")
NEXT_PART_INSIDE = re.compile(
    r",\s*+[^\W\d]\w*+\s*+=\s*+[\"'\[{\d\-]|\)\s*+[,;\n]\s*+[^\W\d][\w.]*+\((?:[^\W\d]\w*+\s*+=|\s*+\))"
)
"""Another argument, or another call, in what may be a string with quotes in it."""
FREE_NAME = re.compile(r"[^\s()\[\]{}\"'=,;:`<>|](?:[^()\[\]{}\"'=,;:`<>|\n]{0,200}+)\(")
START = re.compile(r"\[|```|(?<![\w.\-`/$\\])[^\W\d](?:\w|\\_)*+(?:[.\-](?:\w|\\_)++)*+[ \t]?\(")
QUOTED_CALL = re.compile(r"[\"'](?=\s*+[^\s()\[\]{}\"'=,;:`<>][^()\[\]{}\"'=,;:`<>\n]{0,200}+\()")
JSON_BODY = re.compile(r"\s*(?:```\w*\s*)?(?:\[\s*)?\{")
BRACKETS = re.compile(r"[()\[\]{}\"']")
TO_LINE_END: Final = {
    '"': re.compile(r"(?:[^\"\\\n]++|\\.)*+", re.DOTALL),
    "'": re.compile(r"(?:[^'\\\n]++|\\.)*+", re.DOTALL),
}
"""The rest of a string up to its closing quote, or up to the end of the line where it has none."""


# ── one call ────────────────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class ReadCall:
    """A call that was read: where it ends, what was repaired, and what the strings are that were undecided."""

    call: ToolCall
    end: int
    repairs: list[str]
    undecided: list[str] = field(default_factory=list)


def read_call(parser: TurnParser, text: str, name: str, at: int, stops: tuple[str, ...] = ()) -> ReadCall:
    """Read the call of ``name`` whose arguments begin at ``text[at]``, after the bracket.

    Args:
        parser: what declares the tools, and accounts for the work.
        text: the text, or the value of a string in it.
        name: the name, as written.
        at: where the arguments begin.
        stops: markers at which the call ends at the latest.

    Raises:
        Unreadable: no certain reading.
    """
    repairs: list[str] = []
    name = declared_name(name, parser.tools, repairs)
    reader = Expression(text, stops)
    try:
        arguments = assemble(name, reader.arguments(at), parser.tools, reader.repair, at)
    except Unreadable as error:
        parser.charge(max(error.at, reader.far) - at)
        raise
    except Undecided as undecided:
        parser.charge(reader.far - at)
        read = decide(parser, text, name, at, stops, undecided)
        read.repairs[:0] = repairs
        return read
    if reader.repairs:
        repairs += reader.named_repairs()
    return ReadCall(ToolCall(name, arguments), reader.at, repairs)


def decide(parser: TurnParser, text: str, name: str, at: int, stops: tuple[str, ...], first: Undecided) -> ReadCall:
    """Read a call with unescaped quotes in its strings: every way to end them is tried, and one has to be left.

    No string holds another argument or call.

    Raises:
        Unreadable: none is left, or several are.
    """
    readings: list[ReadCall] = []
    ways = [{first.start: end} for end in reversed(first.ends)]
    for _ in range(MAX_READINGS):
        if not ways:
            break
        quotes = ways.pop()
        reader = Expression(text, stops, quotes)
        try:
            arguments = assemble(name, reader.arguments(at), parser.tools, reader.repair, at)
            if ends_call(text, reader):
                strings = [text[start:end] for start, end in quotes.items()]
                made = [*reader.named_repairs(), *("inner_quotes" for _ in quotes)]
                readings.append(ReadCall(ToolCall(name, arguments), reader.at, made, strings))
        except Unreadable:
            pass
        except Undecided as undecided:
            ways.extend({**quotes, undecided.start: end} for end in reversed(undecided.ends))
        if not parser.charge(reader.far - at):
            break
    readings = [reading for reading in readings if not any(goes_on(string, stops) for string in reading.undecided)]
    if len(readings) > 1:
        readings = most_plausible(readings, parser.tools)
    if len(readings) != 1 or ways:
        raise Unreadable(str(first), first.start)
    return readings[0]


def goes_on(string: str, stops: tuple[str, ...]) -> bool:
    """Whether an undecided string would hold another argument or call, or a marker."""
    return NEXT_PART_INSIDE.search(string) is not None or any(stop in string for stop in stops)


def ends_call(text: str, reader: Expression) -> bool:
    """Whether the text after a call with undecided strings shows that the call ends there."""
    after = reader.blanks(reader.at)
    return reader.over(after) or text[after] in ",;])`" or "\n" in text[reader.at : after]


def most_plausible(readings: list[ReadCall], tools: ToolIndex) -> list[ReadCall]:
    """Of several readings of one call those in which declared parameters and calls are no string's text."""
    readings = [
        reading
        for reading in readings
        if not any(name in tools for string in reading.undecided for name in NEXT_CALL.findall(string))
    ]
    known = (tools.parameters(readings[0].call.name) or {}).get("properties") if readings else None
    if isinstance(known, dict):
        readings = [reading for reading in readings if reading.call.arguments.keys() <= known.keys()]
        most = max((len(reading.call.arguments) for reading in readings), default=0)
        readings = [reading for reading in readings if len(reading.call.arguments) == most]
    return readings


def assemble(
    name: str, found: list[Argument], tools: ToolIndex, repair: Callable[[str], None], at: int
) -> dict[str, Any]:
    """The arguments as an object: positional values get the names of the declared parameters, in their order."""
    plain = {argument.key: argument.value for argument in found if argument.key and type(argument.value) is not Name}
    if len(plain) == len(found) and "**" not in plain:
        return plain
    schema = tools.parameters(name)
    properties = (schema or {}).get("properties")
    known: dict[str, Any] = properties if isinstance(properties, dict) else {}
    positional = [argument.value for argument in found if argument.key is None]
    result: dict[str, Any] = {}
    if positional:
        if any(argument.key is not None for argument in found[: len(positional)]):
            raise Unreadable("a positional value behind a named one", at)
        repair("positional_argument")
        if len(found) == 1 and isinstance(positional[0], dict) and holds_all(positional[0], known, schema):
            return positional[0]
        if len(positional) > len(known):
            raise Unreadable("a positional value for no declared parameter", at)
        result.update(zip(known, positional, strict=False))
    for argument in found[len(positional) :]:
        if argument.key == "**":
            if not isinstance(argument.value, dict):
                raise Unreadable("what is spread out is no object", at)
            members = argument.value
        else:
            members = {str(argument.key): argument.value}
        for key, value in members.items():
            if key in result:
                if positional and key in list(known)[: len(positional)]:
                    raise Unreadable(f"two values for {key!r}", at)
                repair("duplicate_key")
            result[key] = value
    for key, value in result.items():
        if isinstance(value, Name):
            allowed = types_of(known[key], schema) if key in known else frozenset()
            if allowed is not None and allowed.isdisjoint({"string", "array", "object"}):
                raise Unreadable(f"{str(value)[:40]!r} is a name, no value", at)
            repair("unquoted_string")
            if allowed is not None and "string" not in allowed:
                repair("type_mismatch")
            result[key] = str(value)
    return result


def holds_all(value: dict[str, Any], known: dict[str, Any], schema: Any) -> bool:
    """Whether the only, positional, value of a call is an object that holds all arguments."""
    if not known or value.keys() <= known.keys():
        return True
    allowed = types_of(next(iter(known.values())), schema)
    return allowed is not None and "object" not in allowed


# ── a stretch of calls ──────────────────────────────────────────────────────────────────────────


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
                name = NAME.match(text, at) or (FREE_NAME.match(text, at) if self._depth or block else None)
                if name is None:
                    open_ = self._depth or (block and (not self.calls or self._between(text, at)))
                    if open_ and (cut := CUT_NAME.match(text, at)) is not None:
                        self.broken.append((at, len(text), cut[0], "the text ends before the arguments"))
                        at = self.end = len(text)
                    break
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
        after = end_of(BLANKS, text, match.end())
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
            end = past_bracket(text, match.end())
            found = parser.first(stops, match.end()) if text is parser.text else None
            self._gave_up = not parser.charge((end if end >= 0 else len(text)) - match.end())
            if end < 0:
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
        after = end_of(BLANKS, text, run.end)
        over = text.startswith((*stops, "```"), after)
        if run.repairs == ["extra_bracket"]:
            over = not text.startswith((")", "]", "}"), after)
        elif run.repairs:
            over = False
        if run.calls and not run.broken and over:
            return match.start()
        at = match.end() if run.broken else max(match.end(), run.end)
    return None


def past_bracket(text: str, at: int) -> int:
    """The place after the bracket that closes the one at ``at - 1``, strings skipped; -1 if there is none."""
    depth = 1
    unclosed = {'"': at, "'": at}  # up to here, no such quote opens a string that is closed
    while (match := BRACKETS.search(text, at)) is not None:
        char, at = match[0], match.end()
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if not depth:
                return at
        elif at > unclosed[char]:
            rest = TO_LINE_END[char].match(text, at)
            end = rest.end() if rest is not None else at
            if text.startswith(char, end):
                at = end + 1
            else:
                unclosed[char] = end
    return -1


CUT_NAME = re.compile(r"[A-Za-z_][\w.\-]*\s*\Z")
"""A name at the end of a text."""

# ── the dialect ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, kw_only=True, eq=False)
class PythonCalls(Dialect):
    """Calls as Python expressions, between markers or bare.

    Attributes:
        opens, closes: markers that are read in place of those that the family writes.
        closing: whether the closing marker is missed where it is not there.
        bare: whether calls stand without markers: ``always`` where that is the format, ``repair`` where it is a slip.
        listed: the family writes its calls in a list.
        fenced: the family writes its calls in a fence.
        json: what reads a JSON body between the markers.
    """

    calls: CallTemplate
    opens: tuple[str, ...] = ()
    closes: tuple[str, ...] = ()
    closing: bool = True
    bare: Literal["always", "repair"] = "repair"
    listed: bool = True
    fenced: bool = False
    json: JsonBlocks | None = None
    losses: tuple[str, ...] = ("call",)

    @property
    def markers(self) -> tuple[str, ...]:
        return self.all_opens

    @cached_property
    def all_opens(self) -> tuple[str, ...]:
        """The opening markers; what the family writes first."""
        return with_first(self.calls.marker.removesuffix(FENCED).rstrip(), self.opens)

    @cached_property
    def all_closes(self) -> tuple[str, ...]:
        """The closing markers, likewise."""
        return with_first(self.calls.closing.removeprefix("```").lstrip(), self.closes)

    @property
    def all_markers(self) -> tuple[str, ...]:
        return (*self.all_opens, *self.all_closes)

    @property
    def prose_stoppers(self) -> tuple[str, ...]:
        return (*super().prose_stoppers, *self.all_closes, *(("[", "(", "`") if self.bare == "always" else ()))

    @property
    def bare_starts(self) -> tuple[str, ...]:
        return ("{", "(")

    # ── reading ──

    def find_calls(self, parser: TurnParser) -> None:
        start = parser.at
        while (found := parser.first(self.all_opens, parser.at)) is not None:
            place, opening = found
            if parser.budget <= 0:
                parser.reject(place, len(parser.text), GAVE_UP)
                break
            if self.bare == "always" and self._bare_around(parser, place):
                continue
            self._unopened(parser, place)
            self.read_block(parser, place, place + len(opening), opening)
        self._unopened(parser, len(parser.text))
        if not parser.calls and not parser.dropped:
            parser.at = start
            self._bare(parser)

    def call(self, call: ToolCall, opening: str) -> ToolCall:
        """The meaning of a call after the marker ``opening`` (``""``: without a marker)."""
        return call

    def in_list(self, opening: str) -> bool:
        """Whether calls after the marker ``opening`` belong in a list."""
        return self.listed

    @cached_property
    def _stops(self) -> tuple[str, ...]:
        return (*self.all_closes, *self.all_opens, *self.turn_tokens)

    def read_block(self, parser: TurnParser, start: int, at: int, opening: str) -> None:
        """Read the text after an opening marker: calls in any state, or prose that mentions the marker."""
        text = parser.text
        if self.json is not None and JSON_BODY.match(text, at):
            self.json.read_block(parser, start, at)
            parser.at = max(parser.at, at)
            return
        if not parser.charge(0):
            parser.at = at
            return
        run = Run(parser, text, at, self._stops, block=True)
        after = end_of(BLANKS, text, run.end)
        close = next((marker for marker in self.all_closes if text.startswith(marker, after)), "")
        words = 0
        if not close and self.all_closes and (run.calls or run.broken) and after < len(text):
            place, marker = parser.first(self._stops, after) or (after, "")
            if marker in self.all_closes:  # words after the calls
                words, after, close = after, place, marker
        if run.calls or run.broken:
            repairs = []
            if not close and self.all_closes and self.closing and opening == self.all_opens[0]:
                repairs.append("missing_close_tag")
            end = after + len(close) if close else run.end
            self._take(parser, run, start, end, opening, repairs, words=(words, after) if words else None)
        elif close and (after == at or not text[at:after].strip("[] \t\r\n`")):
            parser.accept(start, after + len(close))
            parser.repair("empty_block")
        else:
            parser.at = at

    def _take(
        self,
        parser: TurnParser,
        run: Run,
        start: int,
        end: int,
        opening: str,
        repairs: list[str],
        words: tuple[int, int] | None = None,
    ) -> None:
        """Cut the calls of a run out of the text; what can't be read, and ``words``, stay."""
        kept = [place[:2] for place in run.broken]
        for broken, until, _, reason in run.broken:
            parser.reject(broken, until, reason)
        parser.at = end
        if not run.calls:
            return
        if words is not None:
            kept.append(words)
        if self.in_list(opening) and not run.listed:
            repairs.append("missing_bracket")
        parser.repairs.extend(name for name in run.repairs if not (self.fenced and name == "markdown_fence"))
        parser.repairs.extend(repairs)
        calls = [self.call(call, opening) for *_, call in run.calls]
        for kept_start, kept_end in kept:
            parser.accept(start, kept_start)
            start = kept_end
        parser.accept(start, end, calls)

    def _unopened(self, parser: TurnParser, until: int) -> None:
        """Closing markers without an opening one, up to ``until``; a repeated body counts once."""
        text = parser.text
        while self.all_closes and (found := parser.first(self.all_closes, parser.at)) is not None and found[0] < until:
            close, marker = found
            end = close + len(marker)
            if parser.calls and not text[parser.at : close].strip():
                parser.accept(close, end)
                parser.repair("extra_close_tag")
                continue
            at = parser.at
            while (match := START.search(text, at, close)) is not None and parser.charge(0):
                run = Run(parser, text, match.start(), self._stops)
                if run.calls and not run.broken and end_of(BLANKS, text, run.end) == close:
                    calls = [call for *_, call in run.calls]
                    if calls == parser.calls[-len(calls) :]:
                        parser.accept(match.start(), end)
                        parser.repair("extra_close_tag")
                    else:
                        self._take(parser, run, match.start(), end, "", ["missing_open_tag"])
                    break
                at = max(run.end, match.end())
            parser.at = end

    def _bare_around(self, parser: TurnParser, place: int) -> bool:
        """Read the list of calls, without a marker, that holds the marker at ``place`` in one of its strings."""
        text = parser.text
        start = end_of(BLANKS, text, parser.at)
        if start >= place or not text.startswith("[", start) or not parser.charge(0):
            return False
        run = Run(parser, text, start, self._stops)
        if run.end <= place or not run.calls or run.broken:
            parser.charge(run.end - start)
            return False
        self._take(parser, run, start, run.end, "", [])
        return True

    def _bare(self, parser: TurnParser) -> None:
        """Calls in the text without any marker."""
        text = parser.text
        first = end_of(BLANKS, text, parser.at)
        at = parser.at
        while (match := START.search(text, at)) is not None and parser.charge(0):
            start = match.start()
            run = Run(parser, text, start, self._stops)
            if self._plausible(parser, run, start, first):
                repairs = ["missing_tags"] if self.bare == "repair" else []
                self._take(parser, run, start, run.end, "", repairs)
                at = run.end
            else:
                at = max(run.end, start + 1)

    def _plausible(self, parser: TurnParser, run: Run, start: int, first: int) -> bool:
        """Whether a run without markers is meant: ``first`` is where the text's first word stands."""
        text = parser.text
        before = text[max(0, start - MAX_INDENT) : start].rstrip(" \t")
        alone = before.endswith("\n") or (not before and start <= MAX_INDENT)
        alone = alone and LINE_END.match(text, run.end) is not None
        whole = start <= first and self._over(text, run.end)
        if not run.calls:  # is it worth a word that they can't be read?
            named = any(name in parser.tools for *_, name, _ in run.broken)
            return bool(run.broken) and (named or whole or (alone and run.listed))
        if any(call.name in parser.tools and (call.arguments or alone or run.listed) for *_, call in run.calls):
            return True
        return whole or (alone and run.listed and not run.broken)

    def _over(self, text: str, at: int) -> bool:
        """Whether only whitespace and turn tokens follow from ``at`` on."""
        at = end_of(SEPARATORS, text, at)
        while (token := next((token for token in self.turn_tokens if text.startswith(token, at)), "")) != "":
            at = end_of(BLANKS, text, at + len(token))
        return at >= len(text)
