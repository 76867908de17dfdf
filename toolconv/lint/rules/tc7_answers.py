"""TC7xx: what the assistant makes of requests and responses. The rules judge meaning by words, so they are off."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.turns import SYSTEM_ROLES
from toolconv.lint.guards import Guard
from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.finding import Finding, Level
from toolconv.lint.model.overview import Overview
from toolconv.lint.model.pairing import Answer
from toolconv.lint.model.pointers import walk
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import LintResponse, LintTurn
from toolconv.lint.names import listed, shown
from toolconv.lint.outcomes import admits, asks, fault_of, promise_in, promises, refuses
from toolconv.lint.rule import RowRule

if TYPE_CHECKING:
    from toolconv.lint.grounding import Sources

_PARTS = lazy_re(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_DIGIT = lazy_re(r"\d")
MAX_ANSWERS = 20
"""How many responses of a round are compared with each other."""

_ASIDE = frozenset(
    {"get", "find", "search", "list", "show", "fetch", "check", "retrieve", "query", "lookup", "look", "calculate"}
    | {"run", "call", "use", "tool", "api", "function", "data", "info", "information", "details", "item", "items"}
    | {"by", "for", "the", "and", "from", "with", "into", "all", "value", "new"}
)
"""Words of tool names that do not show what a tool is about."""


def _has_response(overview: Overview) -> bool:
    """A guard: an answer may follow a response."""
    return bool(overview.responses)


def _has_calls(overview: Overview) -> bool:
    """A guard: there may be two calls to compare."""
    return len(overview.arguments) > 1


def _may_promise(overview: Overview) -> bool:
    """A guard: an answer may promise something."""
    return any(promises(text) for text in overview.assistant)


def _may_refuse(overview: Overview) -> bool:
    """A guard: an answer may refuse something."""
    return any(refuses(text, None) for text in overview.assistant)


def _may_state_facts(overview: Overview) -> bool:
    """A guard: an answer in a row with tools and without calls may state a number, a date or a code."""
    return not overview.arguments and bool(overview.toolset.names) and any(map(_DIGIT.search, overview.assistant))


_MIDWAY = lazy_re(r"(?:,|\b(?:the|a|an|and|or|of|to|with|for|from|is|are|your|in|at|by))\s*\Z")
CUT_LENGTH = 80
"""A shorter answer may well be no sentence."""


def _is_cut(text: str) -> bool:
    """Whether a text ends in the middle of a sentence."""
    return len(text) >= CUT_LENGTH and _MIDWAY.search(text, len(text) - 20) is not None


def _may_be_cut(overview: Overview) -> bool:
    """A guard: an answer ends in the middle of a sentence."""
    return any(map(_is_cut, overview.assistant))


def content_of(response: LintResponse) -> str:
    """The text of a response."""
    return response.content if isinstance(response.content, str) else jsontext.compact(response.content)


def rounds(turns: Sequence[LintTurn]) -> Iterator[tuple[list[LintTurn], LintTurn]]:
    """Each answer after tool responses, with the turns of the responses that directly precede it."""
    before: list[LintTurn] = []
    for turn in turns:
        if turn.responses:
            before.append(turn)
        else:
            if before and turn.role == "assistant" and turn.text.strip() and not turn.calls:
                yield before, turn
            before = []


def topics(name: str) -> set[str]:
    """The words of a tool's name that show what it is about, without endings."""
    return {_stem(word.lower()) for word in _PARTS.findall(name) if word.lower() not in _ASIDE and len(word) > 2}


def stems(text: str) -> set[str]:
    """The words of a text, without endings."""
    return {_stem(word) for word in re.findall(r"[a-z]{3,}", text.lower())}


def _stem(word: str) -> str:
    return re.sub(r"(?:ies|ing|ions?|ed|es|s|e|y)$", "", word) if len(word) > 4 else word


class IgnoredFailure(RowRule):
    """An error, a page of HTML, or a cut or empty response, followed by an answer that takes no notice.

    Anti-pattern: simulated conversations in which a tool fails and the answer was written without looking.

    Why it hurts: the model learns to invent results when a tool fails.

    Best practice: drop the row, or have the answer say what happened.

    Bad: response ``{"error": "timeout"}``, answer "It is 21 degrees in Rome."

    Good: response ``{"error": "timeout"}``, answer "I could not get the weather: the service timed out."

    An empty response is only reported if the answer states numbers, dates or codes that nothing before it has. Measured
    on 197 rows with responses (tau-bench, glaive, ToolACE, ToolBench, API-Bank and recorded exchanges with APIs): no
    finding.

    Source: APIGen's execution check; Toucan's filters.
    """

    code: ClassVar[str] = "TC701"
    name: ClassVar[str] = "ignored-failure"
    level: ClassVar[Level] = "warning"
    default: ClassVar[bool] = False
    guards: ClassVar[tuple[Guard, ...]] = (_has_response,)

    def check(self, row: LintRow) -> Iterator[Finding]:
        answers = [answer for each in row.pairing.rounds for answer in each.answers]
        names = {each.response.pointer: each.call.name for each in answers if isinstance(each.call.name, str)}
        for before, turn, sources in grounded(row):
            faults = [
                fault_of(response.content, names.get(response.pointer))
                for each in before
                for response in each.responses
            ]
            if not all(faults) or admits(turn.text) or asks(turn.text):
                continue
            if "empty" in faults and not sources.unexplained(turn.text):
                continue
            what = " and ".join(dict.fromkeys(str(fault) for fault in faults))
            message = f"the answer {shown(turn.text)} takes no notice of the response before it: {what}"
            yield self.finding(row, row.text_pointer(turn.message), message)


def grounded(row: LintRow) -> Iterator[tuple[list[LintTurn], LintTurn, Sources]]:
    """The rounds of a row, each with its sources: the turns before the answer, their calls and responses."""
    from toolconv.lint.grounding import Sources

    sources = Sources()
    added = 0
    for before, turn in rounds(row.turns):
        while row.turns[added] is not turn:
            earlier = row.turns[added]
            sources.add(earlier.raw_text)
            for response in earlier.responses:
                sources.add(content_of(response))
            for call in earlier.calls:
                sources.add(jsontext.compact(call.arguments))
            added += 1
        yield before, turn, sources


class UngroundedAnswer(RowRule):
    """A number, date, time, code or address in an answer that no turn, response or argument before it explains.

    Anti-pattern: answers written by a model that did not read the response, or changed after the response was.

    Why it hurts: the model learns to make up results instead of reading them.

    Best practice: write the answer from the response; drop rows in which the two differ.

    Bad: response ``{"temperature": 12}``, answer "It is 25 degrees."

    Good: response ``{"temperature": 12}``, answer "It is 12 degrees."

    Facts are compared by meaning: ``3 pm`` is ``15:00``, ``1,250.00`` is ``1250``. Not reported are numbers up to 10,
    numbers that follow from two others, from rounding or from a change of unit, and numbers after more than 40 others.
    Judged: 15 of 44 findings in 15,217 rows of 38 makers: 6 right, 5 arguable, 4 wrong (formulas, what the model knew).

    Source: APIGen's semantic check.
    """

    code: ClassVar[str] = "TC702"
    name: ClassVar[str] = "ungrounded-answer"
    level: ClassVar[Level] = "info"
    default: ClassVar[bool] = False
    guards: ClassVar[tuple[Guard, ...]] = (_has_response,)

    def check(self, row: LintRow) -> Iterator[Finding]:
        for _, turn, sources in grounded(row):
            found = sources.unexplained(turn.text)
            if found:
                what = listed(dict.fromkeys(fact.text for fact in found))
                message = f"the answer states {what}, which no earlier turn or response explains"
                yield self.finding(row, row.text_pointer(turn.message), message)


class RepeatedCall(RowRule):
    """The same call again, after it was answered, with the same response.

    Anti-pattern: agents in a loop; conversations that were merged.

    Why it hurts: the model learns to repeat a call instead of using its response.

    Best practice: leave out the second call and its response.

    Bad: ``get_weather(city="Rome")``, its response, and ``get_weather(city="Rome")`` again

    Good: ``get_weather(city="Rome")``, its response, and the answer

    A call after another request of the user, after other calls (tests run again after an edit), after an error, or with
    another response (a status that changes) is not reported. Before other calls counted, 9 of 25 findings in the rows
    of 38 makers were right.

    Source: Toucan's and Nemotron's filters.
    """

    code: ClassVar[str] = "TC703"
    name: ClassVar[str] = "repeated-call"
    level: ClassVar[Level] = "warning"
    default: ClassVar[bool] = False
    guards: ClassVar[tuple[Guard, ...]] = (_has_calls,)

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
                if first is not None and response is not None and self._is_same(answers.get(id(first)), response):
                    message = f"the same call of {call.name} as in turn {first.message}, with the same response"
                    yield self.finding(row, call.pointer, message)
                made.setdefault(key, call)
            if turn.calls:
                seen = made

    @staticmethod
    def _is_same(first: LintResponse | None, second: LintResponse) -> bool:
        return first is not None and first.content == second.content and fault_of(first.content) != "error"


class PromiseWithoutCall(RowRule):
    """An answer that promises to use a tool, and doesn't.

    Anti-pattern: call and announcement separated, and the call lost; a conversation cut after the announcement.

    Why it hurts: the model learns to announce calls and then to wait for the user.

    Best practice: put the call into the turn that announces it.

    Bad: "Let me check the weather in Rome." and no call, where ``get_weather`` is declared

    Good: "Let me check the weather in Rome." with the call of ``get_weather``

    The words of the promise must name what a declared tool is about, and the turn must end the row or be followed by
    the user. Measured on 124 rows of tau-bench, glaive and ToolACE: no finding.

    Source: Nemotron's filters.
    """

    code: ClassVar[str] = "TC704"
    name: ClassVar[str] = "promise-without-call"
    level: ClassVar[Level] = "warning"
    default: ClassVar[bool] = False
    guards: ClassVar[tuple[Guard, ...]] = (_may_promise,)

    def check(self, row: LintRow) -> Iterator[Finding]:
        turns = row.turns
        for at, turn in enumerate(turns):
            if turn.role != "assistant" or turn.calls or not row.index:
                continue
            if at + 1 < len(turns) and turns[at + 1].role != "user":
                continue
            promise = promise_in(turn.text)
            words = stems(promise) if promise is not None else set()
            tool = next((name for name in row.index.functions if topics(name) & words), None)
            if tool is not None:
                message = f"{shown(promise)} is a promise without a call, where {tool} is declared"
                yield self.finding(row, row.text_pointer(turn.message), message)


class RefusalWithTool(RowRule):
    """A refusal of a request that a declared tool fits by name.

    Anti-pattern: refusals of a model without tools, combined with tools that were declared later.

    Why it hurts: the model learns to refuse what its tools can do.

    Best practice: drop the row, or answer it with a call.

    Bad: "What is the weather in Rome?", "I'm sorry, I don't have access to weather data.", ``get_weather`` is declared

    Good: "What is the weather in Rome?" and a call of ``get_weather``

    The request must contain all words of the tool's name, except for verbs such as ``get`` and ``search``.
    Judged: both findings in 15,217 rows of 38 makers, and both wrong (asked to book, the tool describes).

    Source: Nemotron's filters; When2Call.
    """

    code: ClassVar[str] = "TC705"
    name: ClassVar[str] = "refusal-with-tool"
    level: ClassVar[Level] = "warning"
    default: ClassVar[bool] = False
    guards: ClassVar[tuple[Guard, ...]] = (_may_refuse,)

    def check(self, row: LintRow) -> Iterator[Finding]:
        request: LintTurn | None = None
        for turn in row.turns:
            if turn.role == "user":
                request = turn
            elif turn.role != "assistant" or turn.calls or turn.responses:
                request = None
            elif request is not None and refuses(turn.text) and not asks(turn.text):
                words = stems(request.text)
                tool = next((name for name in row.index.functions if (about := topics(name)) and about <= words), None)
                if tool is not None:
                    message = f"the answer {shown(turn.text)} refuses a request that {tool} fits by name"
                    yield self.finding(row, row.text_pointer(turn.message), message)


class SwappedResponses(RowRule):
    """Two responses to calls of one tool that belong to each other's calls.

    Anti-pattern: responses of parallel calls collected in the order in which they arrived.

    Why it hurts: the model learns that a response need not belong to its call.

    Best practice: store each response with the id of its call.

    Bad: ``get_weather(city="Oslo")`` is answered with ``{"city": "Rome"}``, ``get_weather(city="Rome")`` with Oslo's

    Good: each call with its own response

    Each of the two responses must hold a value that only the other call has, and none that only its own has. Measured
    on 197 rows with responses: no finding.

    Source: APIGen's semantic check.
    """

    code: ClassVar[str] = "TC706"
    name: ClassVar[str] = "swapped-responses"
    level: ClassVar[Level] = "warning"
    default: ClassVar[bool] = False
    guards: ClassVar[tuple[Guard, ...]] = (_has_calls,)

    def check(self, row: LintRow) -> Iterator[Finding]:
        for each in row.pairing.rounds:
            answers = each.answers[:MAX_ANSWERS]
            for at, second in enumerate(answers):
                first = next((first for first in answers[:at] if _are_swapped(first, second)), None)
                if first is not None:
                    other = f"call {first.call.index} of {first.call.name}"
                    message = f"the response to {other}, which has the response to this one"
                    yield self.finding(row, second.response.pointer, message)


def _are_swapped(first: Answer, second: Answer) -> bool:
    """Whether two responses hold only the values of each other's calls."""
    if first.call.name != second.call.name:
        return False
    ours, theirs = _values(first.call.arguments), _values(second.call.arguments)
    ours, theirs = ours - theirs, theirs - ours
    a, b = content_of(first.response).casefold(), content_of(second.response).casefold()
    return bool(
        ours
        and theirs
        and any(value in b for value in ours)
        and any(value in a for value in theirs)
        and not any(value in a for value in ours)
        and not any(value in b for value in theirs)
    )


def _values(arguments: Any) -> set[str]:
    """The texts in arguments, without keys."""
    found = walk(arguments) if isinstance(arguments, dict) else ()
    texts = (value for pointer, value in found if isinstance(value, str) and pointer.rpartition("/")[2] != value)
    return {text.casefold() for text in texts if len(text) > 2}


class ShouldHaveCalled(RowRule):
    """An answer without a call that states what only a tool could know.

    Anti-pattern: answers of a model without tools, combined with tools that were declared later.

    Why it hurts: the model learns to make up prices, weather and balances instead of looking them up.

    Best practice: drop the row, or answer it with a call.

    Bad: "What is the price of AAPL?", "AAPL trades at 189.50 dollars.", ``get_stock_price`` is declared

    Good: "What is the price of AAPL?" and a call of ``get_stock_price``

    The first answer to a request is reported if the request has all words of a tool's name, verbs such as ``get`` left
    out, and the answer states a number, date, time or code that nothing before it says. In 20,400 rows of 14 sources: 5
    findings, 4 right; the wrong one counts letters in words.

    Source: the seed's validator of this project; When2Call.
    """

    code: ClassVar[str] = "TC707"
    name: ClassVar[str] = "should-have-called"
    level: ClassVar[Level] = "warning"
    default: ClassVar[bool] = False
    preview: ClassVar[bool] = True
    guards: ClassVar[tuple[Guard, ...]] = (_may_state_facts,)

    def check(self, row: LintRow) -> Iterator[Finding]:
        from toolconv.lint.grounding import Sources

        if any(turn.calls or turn.responses for turn in row.turns):
            return
        sources, request = Sources(), None
        for turn in row.turns:
            if turn.role == "assistant" and request is not None and not asks(turn.text) and not refuses(turn.text):
                words = stems(request.text)
                tool = next((name for name in row.index.functions if (about := topics(name)) and about <= words), None)
                found = sources.unexplained(turn.text) if tool is not None else []
                if found:
                    what = listed(dict.fromkeys(fact.text for fact in found))
                    message = f"the answer states {what} without a call, where {tool} fits the request by name"
                    yield self.finding(row, row.text_pointer(turn.message), message)
                    return
            request = turn if turn.role == "user" else None
            sources.add(turn.raw_text)


class ResponseAsAnswer(RowRule):
    """An answer that is the tool's response itself, as JSON.

    Anti-pattern: the last response stored once more as the assistant's answer.

    Why it hurts: the model learns to show users data in place of an answer.

    Best practice: answer in words, from the response.

    Bad: response ``{"temp": 12}``, answer ``{"temp": 12}``

    Good: response ``{"temp": 12}``, answer "It is 12 degrees."

    Not reported where the user or the system text asks for JSON. In 20,400 rows of 14 sources: no finding.

    Source: simulated conversations.
    """

    code: ClassVar[str] = "TC708"
    name: ClassVar[str] = "response-as-answer"
    level: ClassVar[Level] = "warning"
    default: ClassVar[bool] = False
    preview: ClassVar[bool] = True
    guards: ClassVar[tuple[Guard, ...]] = (_has_response,)

    def check(self, row: LintRow) -> Iterator[Finding]:
        for before, turn in rounds(row.turns):
            text = turn.text.strip()
            if text[:1] not in ("{", "["):
                continue
            if any("json" in each.text.lower() for each in row.turns if each.role in _ASKING):
                continue
            value = jsontext.opened(text)
            responses = [jsontext.opened(response.content) for each in before for response in each.responses]
            if isinstance(value, dict | list) and value and value in responses:
                message = "the answer is the response itself, expected words"
                yield self.finding(row, row.text_pointer(turn.message), message)


_ASKING = ("user", *SYSTEM_ROLES)


class ToolNameInAnswer(RowRule):
    """The exact name of a tool in an answer to a user who did not write it.

    Anti-pattern: "I used get_stock_price to look this up."

    Why it hurts: the model learns to show users names of the program around it.

    Best practice: say what was done in words.

    Bad: "get_stock_price says 189.50 dollars."

    Good: "AAPL trades at 189.50 dollars."

    Only names that are no ordinary words count: those with ``_``, a digit, or capitals inside. Texts with code are left
    out, and rows whose user or system text tells the assistant about the tool by name. In 3,584 rows of 13 sources:
    2 findings, both right.

    Source: simulated conversations.
    """

    code: ClassVar[str] = "TC709"
    name: ClassVar[str] = "tool-name-in-answer"
    level: ClassVar[Level] = "info"
    default: ClassVar[bool] = False
    preview: ClassVar[bool] = True
    guards: ClassVar[tuple[Guard, ...]] = (_has_response,)

    def check(self, row: LintRow) -> Iterator[Finding]:
        names = [name for name in row.index.functions if _CODED.search(name)]
        asked = "\n".join(turn.text for turn in row.turns if turn.role in _ASKING)
        names = [name for name in names if name not in asked]
        for _, turn in rounds(row.turns) if names else ():
            found = [] if "```" in turn.text else [name for name in names if _names(name, turn.text)]
            if found:
                message = f"the answer holds {listed(found)}: the name of a tool, not what it did"
                yield self.finding(row, row.text_pointer(turn.message), message)


_CODED = lazy_re(r"[a-zA-Z][_]\w|[a-z][A-Z]|[a-zA-Z]\d")


def _names(name: str, text: str) -> bool:
    """Whether a text has a name as a word of its own."""
    return name in text and re.search(rf"(?<![\w./]){re.escape(name)}(?![\w/])", text) is not None


class CutAnswer(RowRule):
    """A last answer that ends in the middle of a sentence.

    Anti-pattern: answers cut at a token limit and kept.

    Why it hurts: the model learns to stop anywhere.

    Best practice: drop the row, or generate it again with a higher limit.

    Bad: "The flight leaves at 12:40 from terminal 2, and the"

    Good: "The flight leaves at 12:40 from terminal 2."

    Reported if an answer of 80 characters or more ends with a comma or a word that can't end a sentence. In 3,549 rows
    of 12 sources: no finding.

    Source: generation runs with ``max_tokens``.
    """

    code: ClassVar[str] = "TC710"
    name: ClassVar[str] = "cut-answer"
    level: ClassVar[Level] = "warning"
    default: ClassVar[bool] = False
    preview: ClassVar[bool] = True
    guards: ClassVar[tuple[Guard, ...]] = (_may_be_cut,)

    def check(self, row: LintRow) -> Iterator[Finding]:
        last = row.turns[-1] if row.turns else None
        if last is not None and last.role == "assistant" and not last.calls and _is_cut(last.text):
            message = f"the answer ends in the middle of a sentence: {shown(last.text[-40:])}"
            yield self.finding(row, row.text_pointer(last.message), message)


class EchoedResponse(RowRule):
    """A response that is nothing but the call it answers.

    Anti-pattern: simulated tools that return their arguments.

    Why it hurts: the model learns that calling a tool tells it nothing, and makes up the result.

    Best practice: simulate or record what the tool returns.

    Bad: ``get_weather(city="Rome")`` is answered with ``{"city": "Rome"}``

    Good: ``{"city": "Rome", "temperature": 12}``

    Reported if all calls of a turn have such responses. In NeMo Gym's examples: 10 findings, all of a tool that clicks
    and may well return no more. So it is off.

    Source: APIGen's execution check.
    """

    code: ClassVar[str] = "TC711"
    name: ClassVar[str] = "echoed-response"
    level: ClassVar[Level] = "warning"
    default: ClassVar[bool] = False
    guards: ClassVar[tuple[Guard, ...]] = (_has_response,)

    def check(self, row: LintRow) -> Iterator[Finding]:
        for each in row.pairing.rounds:
            if each.answers and all(map(_is_echo, each.answers)):
                message = f"the response of {each.answers[0].call.name} is its call again, and nothing else"
                yield self.finding(row, each.answers[0].response.pointer, message)


def _is_echo(answer: Answer) -> bool:
    """Whether a response is the arguments of its call, or the whole call."""
    arguments, response = answer.call.arguments, jsontext.opened(answer.response.content)
    if not isinstance(arguments, dict) or not isinstance(response, dict):
        return False
    call = {"name": answer.call.name, "arguments": arguments}
    return response == call or (bool(arguments) and response == arguments)
