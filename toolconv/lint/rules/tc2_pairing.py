"""TC2xx: tool responses and the calls they answer: by id, by name, in order, in time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Row
from toolconv.core.tool_call import ToolCall
from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.finding import Edit, Finding
from toolconv.lint.model.guards import InLayouts
from toolconv.lint.model.overview import Overview
from toolconv.lint.model.pairing import AT_ONCE
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import ROLES
from toolconv.lint.names import a, did_you_mean, listed, shown
from toolconv.lint.rule import RowRule, rule
from toolconv.lint.rules.tc0_unread import has_unread_calls, has_unread_responses
from toolconv.lint.target import TargetRule


@rule("TC201", "orphan-tool-response", "error", guards=("unpaired",))
class OrphanResponse(RowRule):
    """A tool response to a call that was never made.

    Anti-pattern: a call was filtered out without its response, or a response occurs twice.

    Why it hurts: the model learns that results appear without calls; templates and APIs reject the row.

    Best practice: drop a call and its response together.

    Bad: user, tool, assistant

    Good: user, assistant with the call, tool, assistant

    Not reported in rows that have calls in a place that nobody reads, which TC012 reports, nor after a turn with a call
    that can't be read, which TC122 reports.

    In 34,559 rows of more than 35 makers: 20 findings, all right.

    Source: glaive-function-calling-v2 (observations after a plain answer); OpenAI's API rejects such rows.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        orphans = row.pairing.orphans
        dropped = _after_dropped(row) if orphans else set()
        for response, message in orphans if orphans and not has_unread_calls(row) else ():
            if response.pointer in dropped:
                continue
            if isinstance(response.id, str) and any(call.id == response.id for call in row.calls):
                message = message if "second" in message else f"a response to {response.id!r}, before its call"
            elif isinstance(response.id, str) and _stands_elsewhere(row, response.id):
                continue  # the id of something other than a function call, such as a provider's built-in search
            yield self.finding(row, response.pointer, message)


def _after_dropped(row: LintRow) -> set[str]:
    """The places of the responses after turns with calls that can't be read."""
    return {
        response.pointer
        for before, turn in pairwise(row.turns)
        if (parsed := row.parsed.get(before.message)) is not None and parsed.dropped
        for response in turn.responses
    }


def _stands_elsewhere(row: LintRow, name: str) -> bool:
    """Whether an id occurs in the row outside its responses."""
    responses = sum(response.id == name for turn in row.turns for response in turn.responses)
    return bool(row.raw.count(jsontext.dumps(name)) > responses)


@rule("TC202", "tool-call-id-mismatch", "error", guards=("unpaired",))
class IdMismatch(RowRule):
    """A response whose id matches no unanswered call.

    Anti-pattern: ids regenerated on one side only.

    Why it hurts: APIs reject the row; templates that look up the call by its id fail, or omit the name.

    Best practice: change ids on both sides or not at all.

    Bad: the call has ``call_1``, its response ``call_a``

    Good: both have ``call_1``

    Source: OpenAI API reference, ``tool_call_id``.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for each in row.pairing.rounds:
            ids = [call.id for call in each.calls]
            texts = [one for one in ids if isinstance(one, str)]
            for answer in each.answers:
                if answer.how == "wrong id":
                    near = did_you_mean(str(answer.response.id), texts)
                    message = f"the response's id is {shown(answer.response.id)}, those of the calls are {listed(ids)}"
                    yield self.finding(row, answer.response.pointer, message + near)


_RESULT = lazy_re(
    r"\s*(?:```|<)?(?:observation|(?:tool|function|execution|command|api)[ _]?(?:result|response|output))s?\s?[:>\n]",
    re.I,
)
"""How a user's turn begins in which a harness reports what a call gave."""


@rule("TC203", "unanswered-call", "error", guards=("unpaired",))
class UnansweredCall(RowRule):
    """A turn with calls, after which the conversation continues without a response.

    Anti-pattern: tool messages were dropped, or the assistant states a result that it never received.

    Why it hurts: the model learns to make up results; APIs reject the row.

    Best practice: keep the responses; without any, end the row at the calls.

    Bad: user, assistant with a call, assistant "It is 12 degrees."

    Good: user, assistant with a call, tool, assistant "It is 12 degrees."

    A user's turn that begins with "OBSERVATION:" or "Tool result:" is the response, as SWE-agent's harness writes it;
    so is one with a fence or a tag of such a name. A turn of an unknown role may be one: TC210 reports the role.

    Source: OpenAI's API rejects such rows; seen in datasets whose tool turns were filtered out.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.lacks("responses"):
            return
        for each in row.pairing.rounds:
            if each.ended is None or each.answers or each.ended.role not in ROLES:
                continue
            if not _RESULT.match(each.ended.text):
                names = listed(call.name for call in each.calls)
                message = f"no response to {names}: a turn of {each.ended.role} comes next, expected tool"
                yield self.finding(row, each.calls[0].pointer, message)


@rule("TC204", "partial-parallel-answers", "error", guards=("unpaired",))
class PartialAnswers(RowRule):
    """A turn with some calls answered and others not.

    Anti-pattern: parallel calls whose responses were merged, cut or lost.

    Why it hurts: the model learns that some calls have no result; APIs reject the row.

    Best practice: one response per call. In recorded runs (``--for trace``), whose program answers all calls of a turn
    at once, it is a warning, reported once a file.

    Bad: two calls, one response

    Good: two calls, two responses

    Source: OpenAI's API: every ``tool_call_id`` must be responded to.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for each in () if row.lacks("responses") else row.pairing.rounds:
            missing = list(each.waiting)
            if each.answers and missing and not has_unread_responses(row):
                names = listed(call.id if isinstance(call.id, str) else call.name for call in missing)
                message = f"{len(each.answers)} of {len(each.calls)} calls are answered, without response: {names}"
                if row.lacks("every response"):
                    cause = "a harness that answers a turn's calls once"
                    yield self.finding(row, missing[0].pointer, message, level="warning", cause=cause, once="its kind")
                else:
                    yield self.finding(row, missing[0].pointer, message)


@rule("TC205", "response-order-differs", "warning", default=False, fix="safe")
class ResponseOrder(RowRule):
    """Responses in a different order from the calls.

    Anti-pattern: responses stored in order of arrival.

    Why it hurts: dialects without ids match responses to calls by order alone, so they answer the wrong calls.

    Best practice: store responses in the order of the calls.

    Bad: calls ``a``, ``b``; responses to ``b``, ``a``

    Good: calls ``a``, ``b``; responses to ``a``, ``b``

    Fix: puts the responses in the order of the calls, if each is a message of its own.

    Source: Hermes, Qwen and Gemini templates have no ids.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for each in row.pairing.rounds:
            tied = [answer for answer in each.answers if answer.how in ("id", "name")]
            places = {id(call): place for place, call in enumerate(each.calls)}
            order = [places[id(answer.call)] for answer in tied]
            if order == sorted(order) or len(tied) < len(each.answers):
                continue
            pointers = [answer.response.pointer for answer in tied]
            wanted = [tied[order.index(place)].response.pointer for place in sorted(order)]
            edits: tuple[Edit, ...] = ()
            if len(set(pointers)) == len(pointers) and all(isinstance(row.look(p), dict) for p in pointers):
                changes = [(to, row.look(came)) for to, came in zip(pointers, wanted, strict=True) if to != came]
                edits = tuple(Edit(to, value) for to, value in changes)
            names = listed(answer.call.id or answer.call.name for answer in tied)
            message = f"responses in the order {names}, expected the order of the calls"
            yield self.finding(row, pointers[0], message, *edits)


@rule("TC206", "duplicate-call-id", "error", guards=("unpaired",))
class DuplicateCallId(RowRule):
    """One id shared by several calls of a row.

    Anti-pattern: counters that restart in each turn; ids copied with a call.

    Why it hurts: a response with that id is ambiguous; templates that look up calls by id find the first.

    Best practice: use ids that are unique in the row.

    Bad: ``call_0`` in turn 1 and in turn 3

    Good: ``call_0`` and ``call_1``

    Source: generators that number calls per turn.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        seen: dict[str, str] = {}
        for call in row.calls:
            if not isinstance(call.id, str) or not call.id:
                continue
            if call.id in seen:
                message = (
                    f"the id {call.id!r} is that of the call at {row.place(seen[call.id])} too, expected a new one"
                )
                yield self.finding(row, call.pointer, message)
            else:
                seen[call.id] = call.pointer


@rule("TC208", "response-name-mismatch", "warning", guards=("unpaired",))
class ResponseName(RowRule):
    """A response whose name differs from its call's.

    Anti-pattern: tools renamed only in the calls, or swapped responses.

    Why it hurts: templates that write the name show the model a response from another tool.

    Best practice: use the name of the call, or no name.

    Bad: called ``get_weather``, answered by ``weather``

    Good: called ``get_weather``, answered by ``get_weather``

    Source: Mistral's, Gemini's and harmony's templates write the name.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for each in row.pairing.rounds:
            for answer in each.answers:
                name = answer.response.name
                if name is not None and name != answer.call.name and answer.how != "wrong id":
                    message = f"the response is named {shown(name)}, its call {shown(answer.call.name)}"
                    yield self.finding(row, answer.response.pointer, message)


@rule("TC214", "late-tool-response", "error", guards=("unpaired",))
class LateResponse(RowRule):
    """Another turn between a call and its response.

    Anti-pattern: messages of a user who wrote while the tool ran, stored in order of arrival.

    Why it hurts: OpenAI's and Anthropic's APIs reject the row; templates that look back for the call don't find it.

    Best practice: put the responses directly after the turn with the calls, and the user's message after them.

    Bad: user, assistant with a call, user, tool, assistant

    Good: user, assistant with a call, tool, user, assistant

    Source: OpenAI API reference, Chat Completions; Anthropic, Handle tool calls (results follow the call immediately).
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.read_as is None or row.read_as.name not in AT_ONCE:
            return
        for response, turn in row.pairing.late:
            message = f"a turn of {turn.role or 'nobody'} comes between the call and its response"
            yield self.finding(row, response.pointer, message)


def _before_results(row: Row) -> Iterator[tuple[str, str]]:
    """The first block of each of Anthropic's user turns that comes before a result: its pointer and its type."""
    for at, turn in enumerate(row["messages"]):
        blocks = turn.get("content") if isinstance(turn, dict) and turn.get("role") == "user" else None
        if not isinstance(blocks, list) or len(blocks) < 2:
            continue
        kinds = [block.get("type") if isinstance(block, dict) else None for block in blocks]
        if "tool_result" in kinds:
            first = next((place for place, kind in enumerate(kinds) if kind != "tool_result"), len(kinds))
            if "tool_result" in kinds[first:]:
                yield f"/messages/{at}/content/{first}", str(kinds[first])


def _has_late_result(overview: Overview) -> bool:
    return any(_before_results(overview.value))


_LATE_RESULTS: Final = (InLayouts(lambda layout: layout.name == "anthropic", _has_late_result),)


@rule("TC215", "tool-result-not-first", "error", guards=_LATE_RESULTS)
class ResultNotFirst(RowRule):
    """Text before a tool result in one turn of Anthropic's format.

    Anti-pattern: a note such as "Here are the results:" before the results.

    Why it hurts: the API refuses the row; converted to other formats, the text moves after the results.

    Best practice: results first, then text.

    Bad: ``[{"type": "text", …}, {"type": "tool_result", …}]``

    Good: ``[{"type": "tool_result", …}, {"type": "text", …}]``

    Source: Anthropic, Handle tool calls: tool_result blocks come first in the content array.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.row is None or row.read_as is None or row.read_as.name != "anthropic":
            return
        for pointer, kind in _before_results(row.row):
            yield self.finding(row, pointer, f"{a(kind)} block before a tool_result block, which must come first")


@rule("TC207", "call-id-format", "warning", fix="safe")
class CallIdFormat(TargetRule, RowRule):
    """A call id that the target can't write unchanged.

    Anti-pattern: OpenAI's ids in rows for a model with its own id format.

    Why it hurts: Mistral's templates reject ids that are not nine letters and digits; Kimi's models learn the
    tool's name from the id. Ids changed during rendering no longer match the rest of the pipeline.

    Best practice: use ids in the target's format (option ``target``, ``--target``; the rule does nothing without it).

    Bad: ``call_Zk3hV0``, for Mistral

    Good: ``kZk3hV0ab``; for Kimi K2 ``functions.get_weather:0``

    Fix: gives the call and its responses the id, if all ids of the row stay apart.

    Source: mistral-common's id check; Kimi K2's tool-call guide.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if self.template is None or not self.template.dialect.carries_ids:
            return
        dialect = self.template.dialect
        calls = [call for turn in row.turns for call in turn.calls if isinstance(call.id, str)]
        wanted = []
        for index, call in enumerate(calls):
            wanted.append(dialect.call_id(ToolCall(str(call.name), call.members, call.id), index) or call.id)
        one_each = len(set(wanted)) == len(calls) == len({call.id for call in calls})
        for call, better in zip(calls, wanted, strict=True):
            if better != call.id:
                message = f"the id {shown(call.id)}, expected {shown(better)} for {self.target}"
                yield self.finding(row, call.pointer, message, *(_renamed(row, call, better) if one_each else ()))


def _renamed(row: LintRow, call: LintCall, better: str) -> list[Edit]:
    """The edits that give a call and its responses another id; none if not all of them have the old one."""
    answers = [answer for each in row.pairing.rounds for answer in each.answers if answer.call is call]
    places = [f"{call.pointer}/id"]
    places += [f"{answer.response.pointer}/tool_call_id" for answer in answers if answer.response.id is not None]
    if any(row.at(pointer) != call.id for pointer in places):
        return []
    return [Edit(pointer, better) for pointer in places]
