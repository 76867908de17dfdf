"""Python call expressions: ``[get_weather(city='Paris', days=2), ping()]`` and its many relatives.

Written by hand, since what models write is not Python: names are free text in some data, literals are Python's and
JSON's in one value, prose surrounds the calls. Only literals are read: a value that would have to be computed (a
name, a nested call, a comprehension) has no reading, and its call is dropped with its text kept. The exception is a
bare name where the declared parameter takes text.

Between markers everything is read. Without markers a call counts if it is plausible: its tool is declared, or it is in
a list on separate lines, or the text holds nothing but calls.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final, Literal

from toolconv.core.lazy_re import end_of, lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.base import Dialect
from toolconv.dialects.call_template import CallTemplate, with_first
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.python_run import SEPARATORS, Run
from toolconv.dialects.reading.turn_parser import GAVE_UP, TurnParser
from toolconv.dialects.values.python_values import BLANKS

MAX_INDENT: Final = 80
FENCED = "```python"
LINE_END = lazy_re(r"[^\S\n]*(?:\n|\Z)")
START = lazy_re(r"\[|```|(?<![\w.\-`/$\\])[^\W\d](?:\w|\\_)*+(?:[.\-](?:\w|\\_)++)*+[ \t]?\(")
JSON_BODY = lazy_re(r"\s*(?:```\w*\s*)?(?:\[\s*)?\{")


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
        if not parser.calls and not parser.has_dropped:
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
        parser.accept_around(start, end, kept, [(place, self.call(call, opening)) for place, _, call in run.calls])

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
            named = any(
                name in parser.tools and ("=" in text[begin:end] or not text[max(0, begin - 1) : begin].strip())
                for begin, end, name, _ in run.broken
            )
            whole = whole and (run.listed or not parser.tools)
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
