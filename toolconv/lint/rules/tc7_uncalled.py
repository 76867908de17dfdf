"""TC7xx: answers where a call should be: refusals, facts from nowhere, claims."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import SYSTEM_ROLES
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.guards import Words, matching
from toolconv.lint.model.overview import Overview
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import LintTurn, request_before
from toolconv.lint.names import listed, shown
from toolconv.lint.rule import RowRule, rule
from toolconv.lint.texts.claims import CLAIM_SIGNS, FAILED_CALL, Claim, claims, claims_in, own_acts
from toolconv.lint.texts.outcomes import (
    asks,
    computes,
    refusal_in,
    refuses,
)
from toolconv.lint.texts.tool_words import (
    acts_in,
    asked_code,
    asks_about_code,
    described_tool,
    fitting_tool,
    is_about_one_thing,
    is_like_call,
    looks_up,
    needed_tool,
    words_of,
)
from toolconv.lint.values.grounding import Sources

_DIGIT = lazy_re(r"\d")


def _may_claim(overview: Overview) -> bool:
    """Whether an answer may claim that something was done."""
    return any(map(claims, overview.assistant))


def _may_refuse(overview: Overview) -> bool:
    """A guard: the first answer may refuse something, in a row with tools."""
    return bool(overview.toolset.names) and any(map(refuses, overview.assistant[:1]))


def _may_state_facts(overview: Overview) -> bool:
    """A guard: an answer in a row with tools and without calls may state a number, a date or a code,
    or tell about one.
    """
    return (
        not overview.arguments
        and bool(overview.toolset.names)
        and (any(map(_DIGIT.search, overview.assistant)) or any(map(asks_about_code, overview.input)))
    )


_TOOLS = lazy_re(r"\b(?:function|tool)s?\b|工具|函数|함수|도구", re.I)
"""Words for the tools that are declared."""


@rule("TC705", "refusal-with-tool", "warning", default=False, guards=(_may_refuse,))
class RefusalWithTool(RowRule):
    """A refusal of a request that a declared tool fits by name.

    Anti-pattern: refusals of a model without tools, combined with tools that were declared later.

    Why it hurts: the model learns to refuse what its tools can do.

    Best practice: drop the row, or answer it with a call.

    Bad: "What is the weather in Rome?", "I'm sorry, I don't have access to weather data.", ``get_weather`` is declared

    Good: "What is the weather in Rome?" and a call of ``get_weather``

    Only the first answer counts: later on, it may well be a policy that refuses. The request must contain all words of
    the tool's name, except for verbs such as ``get`` and ``search``, or two words of its description that the refusal
    has, too; and no word for an act, such as ``book``, that neither of them has.

    An answer that speaks of functions or tools is left out: no model without tools writes it.

    In When2Call's test set, whose labels say what would be right, 96 of 105 findings should be a call or a question. In
    outputs of models of 18 makers to requests that no declared tool serves, and in policies of a shop, which no tool
    can change, 38 findings were all wrong. That is 96 of 143, less than 80 %, so the rule is off.

    Source: Nemotron's filters; When2Call.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        first = next((turn for turn in row.turns if turn.role == "assistant"), None)
        if first is None:
            return
        request = next((turn for turn in reversed(row.turns[: first.message]) if turn.role == "user"), None)
        if request is None or first.calls or not refuses(first.text) or asks(first.text):
            return
        if _TOOLS.search(first.text) is not None:
            return  # which no model without tools says
        tool = fitting_tool(row.index.functions, request.text)
        if tool is None:
            tool = described_tool(row.index.functions, request.text, refusal_in(first.text))
        if tool is not None and not (acts_in(request.text) - words_of(tool, row.index.functions[tool])):
            message = f"the answer {shown(first.text)} refuses a request that {tool} fits by name"
            yield self.finding(row, row.text_pointer(first.message), message)


@rule("TC707", "should-have-called", "warning", default=False, guards=(_may_state_facts,))
class ShouldHaveCalled(RowRule):
    """An answer without a call that states what only a tool could know.

    Anti-pattern: answers of a model without tools, combined with tools that were declared later.

    Why it hurts: the model learns to make up prices, weather and balances instead of looking them up.

    Best practice: drop the row, or answer it with a call.

    Bad: "What is the price of AAPL?", "AAPL trades at 189.50 dollars.", ``get_stock_price`` is declared

    Good: "What is the price of AAPL?" and a call of ``get_stock_price``

    The first answer to a request is reported if the request has all words of a tool's name, verbs such as ``get``
    left out, or the request and the answer have two words of its description in common, or the request has one word of
    its name and a code; and the answer states a number, date, time or code that nothing before it says. For an answer
    of up to 200 characters, one word of the name of five letters is enough, in the plural or in a compound
    (``strompreis`` and "Strom"), or a code that the answer repeats, if the tool takes one. The request must be about
    one thing, not about things in general: it has a number, a code or something quoted that the declaration doesn't
    have, or a name in capitals that the answer repeats, or that a short answer with two such facts is about. It must
    not ask why, how or what something means.

    An answer in words alone counts if a request of up to 200 characters is a question about a code, the tool takes one,
    and the answer does not ask, promise or say that something is missing.

    Not found are other answers that state only names or words, and requests in words that the declaration doesn't have.

    An answer that has the tool's name, or begins as data does, is not reported: it is a damaged call, or shows how one
    is written.

    In When2Call's test set: 72 findings in answers without a call, all made up; 59 should be a call or a question by
    the labels, and of 13 no declared tool fits. In outputs of models of 18 makers to requests that no declared tool
    serves (31,215 rows): 10 different findings, all wrong: what everybody knows. That is 59 of 82, less than 80 %, so
    the rule is off. 54 of one publisher, calls written as requests of HTTP, count no more. Of 42 planted cases it finds
    26, and it reports 3 of 42 sound rows like them.

    Source: the seed's validator of this project; When2Call.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if any(turn.calls or turn.responses for turn in row.turns):
            return
        sources, request = Sources(derived=False), None
        for turn in row.turns:
            is_answer = turn.role == "assistant" and not (asks(turn.text) or refuses(turn.text) or computes(turn.text))
            if is_answer and request is not None:
                tool = needed_tool(row.index.functions, request.text, turn.text)
                if tool is not None and is_like_call({tool}, turn.text):
                    return  # a damaged call, or how one is written
                found = sources.unexplained(turn.text) if tool is not None else []
                declared = words_of(tool, row.index.functions[tool]) if tool is not None and found else set()
                if found and is_about_one_thing(request.text, turn.text, declared, len(found)):
                    what = listed(dict.fromkeys(fact.text for fact in found))
                    message = f"the answer states {what} without a call, where {tool} fits the request"
                    yield self.finding(row, row.text_pointer(turn.message), message)
                    return
                code = asked_code(request.text, row.index.functions[tool]) if tool is not None and not found else None
                if code is not None and not claims(turn.text):
                    message = f"the answer tells about {shown(code)} without a call, where {tool} fits the request"
                    yield self.finding(row, row.text_pointer(turn.message), message)
                    return
            request = turn if turn.role == "user" else None
            sources.add(turn.raw_text)


_CLAIMS = (
    Words("assistant", CLAIM_SIGNS, _may_claim),
    Words("assistant", ("tool ", "Tool ", "function ", "Function "), matching("assistant", FAILED_CALL)),
)


@rule("TC713", "claimed-act", "warning", preview=True, guards=_CLAIMS)
class ClaimedAct(RowRule):
    """An answer that says that something was done, for which a tool is declared and was not called.

    Anti-pattern: "I have also booked a table for you", written by a model that never called ``book_table``.

    Why it hurts: the model learns to say that it did what it didn't, which is worse than any wrong call.

    Best practice: add the call and its response, or leave the sentence out.

    Bad: "I've sent the email.", ``send_email`` is declared, and the row has no call of it

    Good: "I've sent the email." after a call of ``send_email``

    The assistant must say that it did it ("I have booked", "I sent", "has been booked", "已为您预订"), a declared
    tool must have the verb in its name, and no call, response or turn of the user before it may have it. Where
    it says "I", it counts, too, that no declared tool does such a thing. Other verbs count if a declared tool
    has them in its name, or among the first four words of its description; in French, Italian, Portuguese and Spanish
    ("He enviado", "Criei"), if its name has the infinitive. An answer that says that a tool's execution failed counts
    in a row with tools if no call was made before it, and the user doesn't speak of a failure.

    In 34,559 rows of more than 35 makers: no finding. In 7,098 rows of 16 other publishers on GitHub: 4 findings of 3
    publishers, all wrong, since the call before the answer did it; this was mended, and the rows then had none.

    The latest checks were made with 30 planted cases in English, Chinese and German, of which it finds 27; of 12 others
    that were written afterwards it finds 9, and it reports none of 84 sound rows like them.

    Source: tau-bench's checks of the database that the tools change.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        claimed: set[str] = set()
        if (failed := _failed_without_call(row)) is not None:
            message = f"{shown(failed[1])}, but no tool was called"
            yield self.finding(row, row.text_pointer(failed[0].message), message, cause="a failure without a call")
        for turn in row.turns:
            for claim in claims_in(turn.text) if turn.role == "assistant" and not turn.calls else ():
                if claim.verb in claimed:
                    continue
                claimed.add(claim.verb)
                request = request_before(row.turns, turn.message) or ""
                tool = next((name for name in row.index.functions if claim.is_done_by(name, request)), None)
                is_possible = (
                    tool is not None or not claim.is_own or any(map(claim.may_be_done_by, row.index.functions))
                )
                if (
                    row.index
                    and (tool or not is_possible)
                    and not self._is_done(row.turns[: turn.message], claim, tool)
                ):
                    why = f"without a call of {tool}, which is declared" if tool else "which no declared tool can do"
                    message = f"{shown(claim.text)}, {why}"
                    yield self.finding(row, row.text_pointer(turn.message), message, cause="an act without its call")
            act = self._own_act(row, turn) if turn.role == "assistant" and not turn.calls and not claimed else None
            if act is not None:
                message = f"{shown(act[0])}, without a call of {act[1]}, which is declared"
                yield self.finding(row, row.text_pointer(turn.message), message, cause="an act without its call")

    @staticmethod
    def _own_act(row: LintRow, turn: LintTurn) -> tuple[str, str] | None:
        """An act in other words that a turn claims, and the declared tool for it, which no turn calls."""
        before = row.turns[: turn.message]
        called = {str(call.name) for each in before for call in each.calls}
        for act in own_acts(turn.text):
            if act.verb is None:
                tool = described_tool(row.index.functions, act.text)
            elif any(act.is_told_in(each.raw_text) for each in before if each.role not in SYSTEM_ROLES):
                continue
            else:
                tool = next((name for name, own in row.index.functions.items() if act.is_done_by(name, own)), None)
                if any(act.is_done_by(name, row.index.functions.get(name, {})) for name in called):
                    continue
            if tool is not None and tool not in called:
                return act.text, tool
        return None

    @staticmethod
    def _is_done(turns: Sequence[LintTurn], claim: Claim, tool: str | None) -> bool:
        """Whether a call may have done what an answer claims, or an earlier turn tells of it."""
        called = (call.name for turn in turns for call in turn.calls if isinstance(call.name, str))
        if any(claim.may_be_done_by(name, tool is not None) for name in called):
            return True
        if tool is None and any(claim.is_about(call.members.values()) for turn in turns for call in turn.calls):
            return True
        texts = (turn.raw_text if turn.role == "tool" else turn.text for turn in turns if turn.role != "system")
        if any(claim.is_told_in(text) for text in texts):
            return True
        return tool is None and not all(map(looks_up, _called_since(turns, len(turns))))


def _failed_without_call(row: LintRow) -> tuple[LintTurn, str] | None:
    """The first answer that says that a call failed, with these words, where there was none before it."""
    asked = ""
    for turn in row.turns if row.index else ():
        if turn.calls or turn.responses:
            break
        if turn.role != "assistant":
            asked += turn.text.casefold() if turn.role == "user" else ""
        elif (match := FAILED_CALL.search(turn.text)) is not None and match[1].casefold()[:4] not in asked:
            return turn, match[0]
    return None


def _called_since(turns: Sequence[LintTurn], at: int) -> Iterator[str]:
    """The names of the tools that were called between the request before a turn and that turn."""
    for turn in reversed(turns[:at]):
        if turn.role == "user":
            return
        yield from (call.name for call in turn.calls if isinstance(call.name, str))
