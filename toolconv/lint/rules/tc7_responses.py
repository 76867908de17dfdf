"""TC7xx: what the assistant makes of tool responses: ignored failures, repeated calls, echoes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.guards import Words
from toolconv.lint.model.overview import Overview
from toolconv.lint.model.pairing import Answer
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import LintResponse, LintTurn
from toolconv.lint.names import shown
from toolconv.lint.rule import RowRule, rule
from toolconv.lint.rules.tc0_unread import has_unread_responses
from toolconv.lint.texts.outcomes import admits, asks, fault_of, has_known_words, may_be_faults, says_nothing
from toolconv.lint.texts.rounds import Known, rounds
from toolconv.lint.texts.tool_words import looks_up


def _may_fail(overview: Overview) -> bool:
    """A guard: a response may be a failure, empty or cut, and there is an answer."""
    return bool(overview.assistant and overview.responses) and may_be_faults(overview.responses)


def _may_repeat(overview: Overview) -> bool:
    """A guard: two calls have the same arguments."""
    arguments = overview.arguments
    return len(arguments) > 1 and len({"".join(text.split()) for text in arguments}) < len(arguments)


def _may_echo(overview: Overview) -> bool:
    """A guard: a response may be the arguments of its call, and little else; or it may be another call's."""
    if "unpaired" in overview.facts:
        return True
    for at, answer in overview.answered:
        text, arguments = overview.responses[answer], overview.arguments[at]
        first = arguments[arguments.find('"') : arguments.find(":")]
        if first and first in text and "".join(arguments.split())[1:-1] in "".join(text.split()):
            return True
    return False


@rule("TC701", "ignored-failure", "warning", guards=(_may_fail,))
class IgnoredFailure(RowRule):
    """An error, a page of HTML, or a cut or empty response, followed by an answer that takes no notice.

    Anti-pattern: simulated conversations in which a tool fails and the answer was written without looking.

    Why it hurts: the model learns to invent results when a tool fails.

    Best practice: drop the row, or have the answer say what happened.

    Bad: response ``{"error": "timeout"}``, answer "It is 21 degrees in Rome."

    Good: response ``{"error": "timeout"}``, answer "I could not get the weather: the service timed out."

    A response that is a placeholder, such as ``<result>`` or ``[object Object]``, counts, too. An empty response is
    only reported if the tool looks something up, by its name, and the response says that there is nothing (``[]``,
    ``null``, a list of results without one) and the answer has 25 characters or more, or if the answer states numbers,
    dates or codes that nothing before it has. So must an answer to a failure in a language other than English and
    Chinese, whose words for it are not known.

    In 34,559 rows of more than 35 makers, 1,391 of them with responses: no finding.

    The latest checks were made with 30 planted cases in English, Chinese and German, of which it finds 26; of 12 others
    that were written afterwards it finds 12, and it reports 1 of 84 sound rows like them.

    Source: APIGen's execution check; Toucan's filters.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        answers = [answer for each in row.pairing.rounds for answer in each.answers]
        names = {each.response.pointer: each.call.name for each in answers if isinstance(each.call.name, str)}
        known = Known(row)
        for before, turn in rounds(row.turns):
            faults = [
                fault_of(response.content, names.get(response.pointer))
                for each in before
                for response in each.responses
            ]
            if not all(faults) or admits(turn.text) or asks(turn.text):
                continue
            may_admit = not has_known_words(turn.text) and "cut" not in faults
            if may_admit and not known.before(turn).unexplained(turn.text):
                continue
            if "empty" in faults:
                responses = [response for each in before for response in each.responses]
                tells_nothing = all(
                    says_nothing(each.content) and looks_up(names.get(each.pointer, "")) for each in responses
                )
                may_state = len(turn.text) >= MIN_STATEMENT and tells_nothing
                if not may_state and not known.before(turn).unexplained(turn.text):
                    continue
            if "empty" in faults and has_unread_responses(row):
                return
            what = " and ".join(dict.fromkeys(str(fault) for fault in faults))
            message = f"the answer {shown(turn.text)} takes no notice of the response before it: {what}"
            yield self.finding(row, row.text_pointer(turn.message), message)


MIN_STATEMENT = 25
"""A shorter answer after an empty response may say no more than that it is done."""


@rule("TC703", "repeated-call", "warning", preview=True, guards=(_may_repeat,))
class RepeatedCall(RowRule):
    """The same call again, after it was answered, with the same response.

    Anti-pattern: agents in a loop; conversations that were merged.

    Why it hurts: the model learns to repeat a call instead of using its response.

    Best practice: leave out the second call and its response.

    Bad: ``get_weather(city="Rome")``, its response, and ``get_weather(city="Rome")`` again

    Good: ``get_weather(city="Rome")``, its response, and the answer

    A call after another request of the user, after other calls (tests run again after an edit), after an error or a
    response that is cut, or with another response (a status that changes) is not reported.

    Judged in six rounds, most of them on rows that the checks had not seen: 95 of 108 findings of more than 8
    publishers were right, 3 arguable (an experiment or a folder that is made again) and 10 wrong; the causes of 9 of
    these (retries after an error in Python's words, responses that nobody reads) were mended. Responses that are cut
    need not be the same, and count no more, as 77 of one publisher did.

    Source: Toucan's and Nemotron's filters.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        answers = {id(answer.call): answer.response for each in row.pairing.rounds for answer in each.answers}
        seen: dict[tuple[Any, bytes], LintCall] = {}
        for turn in row.turns:
            if turn.role == "user":
                seen.clear()
            made: dict[tuple[Any, bytes], LintCall] = {}
            for call in turn.calls:
                if not isinstance(call.name, str):
                    continue
                key = call.name, jsontext.dumps(call.arguments)
                first, response = seen.get(key), answers.get(id(call))
                same = first is not None and response is not None and self._is_same(answers.get(id(first)), response)
                if first is not None and same and not has_unread_responses(row):
                    message = f"the same call of {call.name} as in turn {first.message}, with the same response"
                    yield self.finding(row, call.pointer, message)
                made.setdefault(key, call)
            if turn.calls:
                seen = made

    @staticmethod
    def _is_same(first: LintResponse | None, second: LintResponse) -> bool:
        return first is not None and first.content == second.content and fault_of(first.content) not in ("error", "cut")


_ECHOES: Final = (
    Words("responses", ('"arguments"', '"properties"')),
    _may_echo,
)


@rule("TC711", "echoed-response", "warning", guards=_ECHOES)
class EchoedResponse(RowRule):
    """A response that is nothing but the call it answers.

    Anti-pattern: simulated tools that return their arguments.

    Why it hurts: the model learns that calling a tool tells it nothing, and makes up the result.

    Best practice: simulate or record what the tool returns.

    Bad: ``get_weather(city="Rome")`` is answered with ``{"city": "Rome"}``

    Good: ``{"city": "Rome", "temperature": 12}``

    So is a response that has nothing but a state, such as ``"status": "success"``, next to the arguments, or has them
    in another object, or is the schema of an object. Reported if all calls of a turn have such responses, of tools
    whose names say that they look something up (``get``, ``search``, ``convert``), or with an answer that states
    numbers, dates or codes that nothing before it has: an act, such as a click, may well return no more.

    In 15,600 rows of more than 20 makers: no finding.

    The latest checks were made with 30 planted cases in English, Chinese and German, of which it finds 24; of 12 others
    that were written afterwards it finds 10, and it reports none of 84 sound rows like them.

    Source: APIGen's execution check.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for each in row.pairing.rounds:
            if not each.answers or not all(map(_is_echo, each.answers)):
                continue
            if all(looks_up(str(call.name)) for call in each.calls) or self._is_made_up(row, each.ended):
                what = "a schema" if _is_schema(jsontext.opened(each.answers[0].response.content)) else "its call again"
                message = f"the response of {each.answers[0].call.name} is {what}, and nothing else"
                yield self.finding(row, each.answers[0].response.pointer, message)

    @staticmethod
    def _is_made_up(row: LintRow, end: LintTurn | None) -> bool:
        """Whether an answer states what nothing before it says."""
        return end is not None and end.role == "assistant" and bool(Known(row).before(end).unexplained(end.text))


def _is_schema(response: Any) -> bool:
    """Whether a response is the schema of an object."""
    if not isinstance(response, dict) or not isinstance(response.get("properties"), dict):
        return False
    return response.get("type") == "object" and response.keys() <= _SCHEMA_KEYS


_SCHEMA_KEYS = frozenset({"type", "properties", "required", "additionalProperties", "title", "description"})


def _is_echo(answer: Answer) -> bool:
    """Whether a response is the arguments of its call, the whole call, or a schema."""
    arguments, response = answer.call.arguments, jsontext.opened(answer.response.content)
    if not isinstance(arguments, dict) or not isinstance(response, dict):
        return False
    inner = next(iter(response.values()), None)
    if len(response) == 1 and isinstance(inner, dict) and response.keys().isdisjoint(arguments):
        response = inner
    call = {"name": answer.call.name, "arguments": arguments}
    rest = {key: value for key, value in response.items() if key in arguments or str(value).lower() not in _SERVED}
    return _is_schema(response) or response == call or (bool(arguments) and rest == arguments)


_SERVED: Final = frozenset({"success", "ok", "true"})
"""What a response says of a call that was served."""
