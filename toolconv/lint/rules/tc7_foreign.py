"""TC7xx: responses that are about something other than their calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.guards import has_responses, has_several_calls
from toolconv.lint.model.pairing import Answer
from toolconv.lint.model.pointers import walk
from toolconv.lint.model.row import LintRow
from toolconv.lint.names import listed, shown, without_accents
from toolconv.lint.rule import RowRule, rule
from toolconv.lint.schema.schemas import properties_of
from toolconv.lint.texts.rounds import content_of
from toolconv.lint.texts.tool_words import stems
from toolconv.lint.values.origins import kind_of, schema_at

MAX_ANSWERS = 20
"""How many responses of a round are compared with each other."""


@rule("TC706", "swapped-responses", "warning", preview=True, guards=(has_several_calls,))
class SwappedResponses(RowRule):
    """Two responses to calls of one tool that belong to each other's calls.

    Anti-pattern: responses of parallel calls collected in the order in which they arrived.

    Why it hurts: the model learns that a response need not belong to its call.

    Best practice: store each response with the id of its call.

    Bad: ``get_weather(city="Oslo")`` is answered with ``{"city": "Rome"}``, ``get_weather(city="Rome")`` with Oslo's

    Good: each call with its own response

    Each of the two responses must hold a value that only the other call has, and none that only its own has.

    In 9,722 rows of 46 public files, 1,091 of them with responses: no finding.

    Source: APIGen's semantic check.
    """

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
    if first is second or first.call.name != second.call.name:
        return False
    ours, theirs = _values(first.call.members), _values(second.call.members)
    ours, theirs = ours - theirs, theirs - ours
    if not ours or not theirs:
        return False
    a, b = content_of(first.response).casefold(), content_of(second.response).casefold()
    return (
        any(value in b for value in ours)
        and any(value in a for value in theirs)
        and not any(value in a for value in ours)
        and not any(value in b for value in theirs)
    )


def _values(arguments: dict[str, Any]) -> set[str]:
    """The texts in arguments, without keys."""
    texts = (value for pointer, value in walk(arguments) if pointer.rpartition("/")[2] != value)
    return {text.casefold() for text in texts if isinstance(text, str) and len(text) > 2}


@rule("TC712", "foreign-response", "warning", preview=True, guards=(has_responses,))
class ForeignResponse(RowRule):
    """A response about something else than its call, or one that another tool gives.

    Anti-pattern: responses of a simulator that lost the call; results that were stored in the wrong order.

    Why it hurts: the model learns that a response need not belong to its call, and answers about the wrong thing.

    Best practice: simulate or record the response again.

    Bad: ``get_weather(city="Oslo")`` is answered with ``{"city": "Lima", "temperature": 12}``

    Good: ``{"city": "Oslo", "temperature": 12}``

    Reported where the response has an argument of its call by name, with another name or id in it, and the argument's
    value nowhere; or where none of its keys is a word of its own tool, no value is one of the call's, and two or more
    keys are those of another declared tool, an argument's name among them.

    In 9,722 rows of 46 public files, 1,091 of them with responses: no finding. In 45 Korean dialogues of one publisher
    (FunctionChat-Bench): 2, both wrong, at a search that returns what another tool creates, which was mended. What its
    precision is remains unknown.

    In 10,012 rows of 12 further publishers on GitHub: 1 finding, arguable (a name where the response has the id).

    Source: APIGen's semantic check.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for each in row.pairing.rounds:
            for answer in each.answers:
                call, found = answer.call, _result(answer.response.content)
                if (
                    not isinstance(found, dict)
                    or not isinstance(call.arguments, dict)
                    or not isinstance(call.name, str)
                ):
                    continue
                if any(_are_swapped(answer, other) for other in each.answers[:MAX_ANSWERS]):
                    continue  # TC706 reports it
                message = _other_entity(call, row.index.parameters(call.name), found) or _other_tool(row, call, found)
                if message is not None:
                    cause = f"a response about something else than {call.name} was called for"
                    yield self.finding(row, answer.response.pointer, message, cause=cause)


def _result(content: Any) -> Any:
    """The result in a response, without the wrappers of Hermes and Gemini."""
    value = jsontext.opened(content)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    for key in ("content", "result", "output", "data"):
        inner = jsontext.opened(value.get(key)) if isinstance(value, dict) and len(value) <= len(WRAPPER_KEYS) else None
        if isinstance(inner, list) and len(inner) == 1:
            inner = inner[0]
        if isinstance(inner, dict) and value.keys() <= WRAPPER_KEYS:
            value = inner
    return value


WRAPPER_KEYS: Final = frozenset({"name", "content", "tool_call_id", "result", "output", "data", "status", "success"})
"""Keys around a result."""

_STATES: Final = frozenset(
    {"status", "state", "message", "result", "type", "kind", "action", "mode", "format", "error"}
)
"""Keys under which a response has what the call did, not what it was about."""

_ALIASES: Final = frozenset(
    {"me", "self", "current", "latest", "last", "default", "random", "any", "all", "null", "none"}
)
"""Values that stand for another one."""


def _other_entity(call: LintCall, parameters: Any, found: dict[str, Any]) -> str | None:
    """That a response has the name or the id of something else than its call, and nothing of the call."""
    text = jsontext.compact(found).casefold()
    message = None
    own = stems(str(call.name).replace("_", " "))
    for key, value in call.arguments.items():
        got, schema = found.get(key), schema_at(parameters, f"/{key}")
        if not isinstance(value, str) or len(value.split()) > MAX_NAME or kind_of(key, value, schema) not in _NAMING:
            continue
        mine = value.strip().casefold()
        if mine in text:
            return None
        got = str(got) if type(got) is int and value.strip().isdecimal() else got
        if message is None and isinstance(got, str) and key.lower() not in _STATES and mine not in _ALIASES:
            theirs = got.strip().casefold()
            are_long = all(len(each) >= (MIN_NAME if each.isascii() else 2) for each in (mine, theirs))
            if stems(theirs) & own:
                continue  # the name of the tool
            if are_long and _is_latin(mine) == _is_latin(theirs) and not _share(mine, theirs):
                message = (
                    f"the response is about {key} {shown(got)}, expected {shown(value)} as in the call of {call.name}"
                )
    return message


_NAMING: Final = frozenset({"name", "id", "text"})
MAX_NAME: Final = 4
"""A text of more words is no name."""

MIN_NAME: Final = 3
"""Shorter names may be written in many ways."""


def _is_latin(text: str) -> bool:
    """Whether a text has Latin letters only."""
    return all(char < "\u0370" for char in text)


def _shape(text: str) -> str:
    """An id with all its digits alike."""
    return re.sub(r"\d", "0", text)


_EXONYMS: Final[Mapping[str, int]] = {
    name: place
    for place, names in enumerate(
        (
            "wien vienna vienne viena", "köln cologne colonia", "firenze florence florenz florencia",
            "torino turin turín", "københavn copenhagen kopenhagen", "beograd belgrade belgrad",
            "kyiv kiev kiew", "beijing peking pekín", "mumbai bombay", "kolkata calcutta", "chennai madras",
            "deutschland germany allemagne alemania alemanha", "österreich austria autriche",
            "schweiz switzerland suisse",
            "magyarország hungary ungarn", "suomi finland finnland", "nippon japan", "hellas greece griechenland",
        )
    )
    for name in names.split()
}  # fmt: skip
"""Names of one place in several languages that begin with other letters."""


def _share(one: str, other: str) -> bool:
    """Whether two names may be the same thing: a part, a word, or the first letters in common, or two languages'."""
    if one in _EXONYMS and _EXONYMS[one] == _EXONYMS.get(other):
        return True
    one, other = without_accents(one), without_accents(other)
    if one != other and _shape(one) == _shape(other) != one:
        return False
    words, others = set(re.findall(r"\w+", one)), set(re.findall(r"\w+", other))
    initials = (
        "".join(word[0] for word in re.findall(r"\w+", one)),
        "".join(word[0] for word in re.findall(r"\w+", other)),
    )
    return (
        one in other
        or other in one
        or not words.isdisjoint(others)
        or initials[0] == other
        or initials[1] == one
        or (one[:3] == other[:3] and not one[:3].isdigit())
    )


def _other_tool(row: LintRow, call: LintCall, found: dict[str, Any]) -> str | None:
    """That the keys of a response are those of another declared tool."""
    own = row.index.functions.get(call.name)
    keys = [key for key in found if isinstance(key, str)]
    if own is None or len(keys) > MAX_KEYS:
        return None
    text = jsontext.compact(found).casefold()
    if any(isinstance(value, str) and len(value) > 1 and value.casefold() in text for value in call.arguments.values()):
        return None  # it is about what the call is about
    known: set[str] | None = None
    for name, other in row.index.functions.items():
        taken = properties_of(other.get("parameters")).keys()
        if name == call.name or taken.isdisjoint(keys) or taken >= set(keys):  # it may take what this one gives
            continue
        if known is None:
            known = _vocabulary(own) | stems(jsontext.compact(call.arguments))
            if any(_key_stems(key) & known for key in keys):
                return None
        about = _vocabulary(other)
        named = [key for key in keys if _key_stems(key) & about]
        if len(named) == len(keys):
            return f"the response has the keys {listed(keys)}, which are about {name}, expected those of {call.name}"
    return None


MAX_KEYS: Final = 12
"""A response with more keys is about many things."""


def _vocabulary(function: dict[str, Any]) -> set[str]:
    """The words of a tool's declaration, without endings."""
    names = " ".join([str(function.get("name")), *properties_of(function.get("parameters"))])
    return stems(re.sub(r"[_\W]|(?<=[a-z])(?=[A-Z])", " ", f"{names} {function.get('description')}"))


def _key_stems(key: str) -> set[str]:
    return stems(re.sub(r"[_\W]|(?<=[a-z])(?=[A-Z])", " ", key))
