"""Python call expressions: ``[get_weather(city='Paris', days=2), ping()]`` and its many relatives.

Written by hand, since what models write is not Python: names are free text in some data, literals are Python's and
JSON's in one value, prose surrounds the calls. Only literals are read: a value that would have to be computed (a
name, a nested call, a comprehension) has no reading, and its call is dropped with its text kept. The exception is a
bare name where the declared parameter takes text.

Between markers everything is read. Without markers a call counts if it is plausible: its tool is declared, or it is in
a list on separate lines, or the text holds nothing but calls.
"""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import Final, Literal

from toolconv.core.blanks import after_blanks
from toolconv.core.jsontext import is_object
from toolconv.core.lazy_re import end_of, lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.grammars.fences import OBJECT_BODY
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.marked_calls import MarkedCalls
from toolconv.dialects.grammars.python_run import SEPARATORS, Run
from toolconv.dialects.lexing.turn_tokens import end_without
from toolconv.dialects.reading.turn_parser import TurnParser

MAX_INDENT: Final = 80
FENCED = "```python"
LINE_END = lazy_re(r"[^\S\n]*(?:\n|\Z)")
START = lazy_re(r"\[|```|(?<![\w.\-`/$\\])[^\W\d](?:\w|\\_)*+(?>(?:[.\-](?:\w|\\_)++)*)[ \t]?\(")


class PythonCalls(MarkedCalls):
    """Calls as Python expressions, between markers or bare.

    Attributes:
        closing: whether the closing marker is missed where it is not there.
        bare: whether calls stand without markers: ``always`` where that is the format, ``repair`` where it is a slip.
        listed: the family writes its calls in a list.
        fenced: the family writes its calls in a fence.
        json: what reads a JSON body between the markers.
    """

    calls: CallTemplate = field()
    closing: bool = True
    bare: Literal["always", "repair"] = "repair"
    listed: bool = True
    fenced: bool = False
    json: JsonBlocks | None = None
    losses: tuple[str, ...] = ("call",)

    @cached_property
    def written_markers(self) -> tuple[str, str]:
        return self.calls.marker.removesuffix(FENCED).rstrip(), self.calls.closing.removeprefix("```").lstrip()

    @property
    def prose_stoppers(self) -> tuple[str, ...]:
        return (*super().prose_stoppers, *(("[", "(", "`") if self.bare == "always" else ()))

    @property
    def bare_starts(self) -> tuple[str, ...]:
        return ("{", "(")

    # ── reading ──

    def find_calls(self, parser: TurnParser) -> None:
        start = parser.at
        super().find_calls(parser)
        if not parser.calls and not parser.has_dropped:
            parser.at = start
            self._bare(parser)

    def call(self, call: ToolCall, opening: str) -> ToolCall:
        """The meaning of a call after the marker ``opening`` (``""``: without a marker)."""
        return call

    def in_list(self, opening: str) -> bool:
        """Whether calls after the marker ``opening`` belong in a list."""
        return self.listed

    def read_block(self, parser: TurnParser, start: int, at: int) -> None:
        text = parser.text
        opening = text[start:at].strip()
        if self.json is not None and OBJECT_BODY.match(text, at):
            self.json.read_block(parser, start, at)
            parser.at = max(parser.at, at)
            return
        if not parser.charge(0):
            parser.at = at
            return
        run = Run(parser, text, at, self.stops, block=True)
        after = after_blanks(text, run.end)
        close = self.closer_at(text, after)
        words = 0
        if not close and self.all_closes and run.calls and after < len(text):
            place, marker = parser.first(self.stops, after) or (after, "")
            if marker in self.all_closes:  # words after the calls
                words, after, close = after, place, marker
        if run.calls or run.broken:
            repairs = []
            if not close and self.all_closes and self.closing and opening == self.all_opens[0]:
                repairs.append("missing_close_tag")
            end = after + len(close) if close else run.end
            self._take(parser, run, start, end, opening, repairs, words=(words, after) if words else None)
        elif close and not text[at:after].strip("[] \t\r\n`"):
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

    def read_unopened(self, parser: TurnParser, close: int, end: int) -> bool:
        text, at = parser.text, parser.at
        while (match := START.search(text, at, close)) is not None and parser.charge(0):
            run = Run(parser, text, match.start(), self.stops)
            if run.calls and not run.broken and after_blanks(text, run.end) == close:
                calls = [call for *_, call in run.calls]
                if calls == parser.calls[-len(calls) :]:  # a repeated body counts once
                    parser.accept(match.start(), end)
                    parser.repair("extra_close_tag")
                else:
                    self._take(parser, run, match.start(), end, "", ["missing_open_tag"])
                return True
            at = max(run.end, match.end())
        return False

    def read_before(self, parser: TurnParser, until: int) -> None:
        """Read the list of calls that holds the marker at ``until`` in one of its strings."""
        text = parser.text
        start = after_blanks(text, parser.at)
        if self.bare != "always" or not start < until < len(text) or not text.startswith("[", start):
            return
        if not parser.charge(0):
            return
        run = Run(parser, text, start, self.stops)
        if run.end <= until or not run.calls or run.broken:
            parser.charge(run.end - start)
        else:
            self._take(parser, run, start, run.end, "", [])

    def _bare(self, parser: TurnParser) -> None:
        """Calls in the text without any marker; one that is a JSON object is data, whatever its strings spell."""
        text = parser.text
        if is_object(text):
            return
        first = after_blanks(text, parser.at)
        at = parser.at
        while (match := START.search(text, at)) is not None and parser.charge(0):
            start = match.start()
            run = Run(parser, text, start, self.stops)
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
        return end_of(SEPARATORS, text, at) >= end_without(self.turn_tokens, text)
