"""The exact reader: reads a turn that is what its family's call template writes, and nothing else.

Nearly all turns of a dataset are: reasoning, prose and calls, each optional, separated by the template's own literals.
The reader splits at the literals and reads what fills the holes. It returns ``None`` wherever it could be wrong, and
the tolerant grammar reads the turn. A reading is certain because:

- the text is what the template writes for it, except for whitespace between the tokens of JSON and the order of the
  keys of a call object;
- names and keys are plain, and no value outside of JSON strings holds a character that markup begins with;
- prose holds no character or word that the grammar stops at;
- values nest no deeper than the grammar reads.
"""

from __future__ import annotations

from collections.abc import Iterable

from toolconv.core import jsontext
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_readers.base import LONG, MAX_DEPTH, CallReader
from toolconv.dialects.call_template import CallTemplate


def starts_of(markers: Iterable[str]) -> tuple[str, ...]:
    """The first characters of ``markers``, whole words: a text without any of these holds no marker."""
    texts = {marker.strip() or marker for marker in markers if marker}
    starts = sorted({text if text[0].isalnum() else text[0] for text in texts})
    return tuple(start for start in starts if not any(other in start for other in starts if other != start))


class ExactReader:
    """Splits a turn into prose and calls at the template's literals.

    Args:
        template: what the family writes.
        calls: becomes an attribute.
        separator: the text between prose and calls if the template has none.
        prose_stoppers: markers; prose holds none of the characters they begin with.
        more_stoppers: further markers that a turn without calls must not hold.

    Attributes:
        calls: reads the calls.
    """

    def __init__(
        self,
        template: CallTemplate,
        calls: CallReader,
        separator: str,
        prose_stoppers: Iterable[str],
        more_stoppers: Iterable[str],
    ) -> None:
        self.calls = calls
        before_calls, after_calls = template.around_calls
        before, between, after = template.around_prose(separator)
        answer, _, end_of_answer = template.turn_without_calls.partition("{prose}")
        opening = calls.opening.lstrip()
        blanks = calls.opening.removesuffix(opening)
        self._openings = tuple(dict.fromkeys((opening + calls.start, f"{before_calls}{blanks}{opening}{calls.start}")))
        self._overlap = len(calls.start)
        self._before, self._between = before, f"{between}{blanks}{opening}{calls.start}"
        self._close_alone, self._close = calls.closing + after_calls, calls.closing + after
        self._answer = answer, end_of_answer
        self._prose_openings = tuple({text for text in (before, answer) if text and text.startswith(self._openings)})
        self._marks_answers = bool(answer or end_of_answer)
        prose_stoppers = list(prose_stoppers)
        self._stoppers = starts_of(prose_stoppers)
        self._all_stoppers = starts_of([*prose_stoppers, *more_stoppers])
        marks = {marker.strip().encode() for marker in prose_stoppers if '"' not in marker}
        self._argument_marks = tuple(mark for mark in marks if len(mark) > 2)
        self._argument_starts = tuple({mark[:1] for mark in self._argument_marks})
        searched = () if before or self._marks_answers else self._stoppers  # by the search for the end of prose
        self._answer_stoppers = tuple(stopper for stopper in self._all_stoppers if stopper not in searched)
        places = [place for stopper in self._stoppers if (place := self._between.find(stopper)) >= 0]
        self._stopped_at = min(places, default=0)
        self._room = LONG + len(template.between)

    def certainly_round_trips_prose(self, prose: str, before_calls: bool) -> bool:
        """Whether prose, alone or before calls, is certainly read back: it holds nothing that the grammar stops at."""
        for stopper in self._stoppers if before_calls else self._all_stoppers:
            if stopper in prose:
                return False
        return not prose.isspace()

    def certainly_round_trips_arguments(self, call: ToolCall) -> bool:
        """Whether the arguments of a call hold no marker of a turn."""
        if self.calls.checks_values or not call.arguments:
            return True
        text = jsontext.dumps(call.arguments)
        for start in self._argument_starts:
            if start in text:
                return not any(mark in text for mark in self._argument_marks)
        return True

    def may_hold_calls(self, text: str) -> bool:
        """Whether a text ends as turns with calls do, and holds what begins these."""
        return text.endswith((self._close, self._close_alone)) and self._openings[0] in text

    def read(self, text: str, tools: ToolIndex) -> tuple[str, list[ToolCall]] | None:
        """Prose and calls of a turn without reasoning; ``None`` if it may not be what the template writes."""
        prose, close = "", self._close_alone
        first, alone = self._openings[0], self._openings[-1]
        has_prose = text.startswith(self._prose_openings)
        if first and not has_prose and text.startswith(first):
            start = len(first)
        elif first and not has_prose and text.startswith(alone):
            start = len(alone)
        else:
            end = self._end_of_prose(text)
            if end >= 0 and end < len(text):
                prose, close = text[len(self._before) : end], self._close
                start = end + len(self._between)
            elif end == len(text) or (self._marks_answers and (first or has_prose)):
                return self._prose_only(text)
            elif first:
                return None
            else:  # no literal precedes the first name
                start = 0
        start -= self._overlap
        if prose.isspace() or not text.endswith(close, start):
            return None
        end = len(text) - len(close)
        try:
            calls = self.calls.read(text[start:end], tools)
        except ValueError:
            return None
        if not calls:
            return None
        if end - start > self._room * len(calls) and jsontext.any_deeper_than(
            MAX_DEPTH, [call.arguments for call in calls]
        ):
            return None  # the tolerant grammar may refuse them
        return prose, calls

    def _end_of_prose(self, text: str) -> int:
        """Where the prose before calls ends: at the first stopper, at the end of a text without any; -1 if unknown."""
        start, stop = len(self._before), len(text)
        for stopper in self._stoppers:
            place = text.find(stopper, start, stop)
            if place >= 0:
                stop = place
        if stop == len(text):
            return stop
        end = stop - self._stopped_at
        return end if end > start and text.startswith(self._between, end) and text.startswith(self._before) else -1

    def _prose_only(self, text: str) -> tuple[str, list[ToolCall]] | None:
        before, after = self._answer
        if before or after:
            if not (text.startswith(before) and text.endswith(after, len(before))):
                return None
            text = text[len(before) : len(text) - len(after)]
            if text != text.strip("\n") or text.isspace():
                return None
        for stopper in self._answer_stoppers:
            if stopper in text:
                return None
        return text, []
