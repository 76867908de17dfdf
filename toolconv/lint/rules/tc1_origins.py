"""TC1xx: values of arguments against what was asked: their form, near misses, and arguments in a wrapper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar, Final
from urllib.parse import unquote

from toolconv.core.lazy_re import lazy_re
from toolconv.lint.guards import Guard
from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.finding import Finding, Level
from toolconv.lint.model.overview import Overview
from toolconv.lint.model.row import LintRow
from toolconv.lint.names import argument, listed, shown
from toolconv.lint.origins import Origin, TracedValue, origins
from toolconv.lint.rule import CallRule, RowRule


def _has_calls(overview: Overview) -> bool:
    """A guard: there are arguments."""
    return bool(overview.arguments)


_NONE: Final = frozenset({"None", "null", "NULL", "undefined", "nil", "NaN"})
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`"}
_FENCED = lazy_re(r"\s*```[a-z0-9_+-]*\n(?P<inner>.*)```\s*", re.I | re.DOTALL)
_NOISE = lazy_re(r"-?\d+\.\d*?(?:0{6,}|9{6,})\d{1,3}")

MAX_LISTED: Final = 12
"""A longer list is data, in which an item may come again."""

EXACT_DIGITS: Final = 16
"""Computing with floats leaves as many digits as they have; people write fewer."""


class MisshapenValue(RowRule):
    """A value in a form that nobody asked for: quotes or whitespace around it, ``None`` as text, an item twice.

    Anti-pattern: ``"  Oslo\\n"``, ``"'Oslo'"``, ``"None"``, ``300.00000000000006``, from string templates, from
    ``str()`` of an absent value, from computing with floats.

    Why it hurts: the tool looks for a city with quotation marks in its name, and the model learns to write it so.

    Best practice: pass the bare value, and leave out what is absent.

    Bad: ``{"city": "'Oslo'"}``

    Good: ``{"city": "Oslo"}``

    Not reported are code, search texts, paths and prose (except for a code fence around all of it), what the user or a
    response writes the same way, and values that the declaration names.

    Judged: 4 findings in 3,549 rows of 12 sources (Hammer's tests, ToolRL, glaive, ToolACE, tau-bench, outputs on the
    Berkeley leaderboard and others): 1 right; 2 arguable, and 1 wrong, of kinds that are no longer reported.

    Source: rows of ToolACE, glaive and recorded agents.
    """

    code: ClassVar[str] = "TC125"
    name: ClassVar[str] = "misshapen-value"
    level: ClassVar[Level] = "warning"
    default: ClassVar[bool] = False
    preview: ClassVar[bool] = True
    guards: ClassVar[tuple[Guard, ...]] = (_has_calls,)

    def check(self, row: LintRow) -> Iterator[Finding]:
        for each in origins(row):
            if (what := _misshapen(each)) is not None:
                message = f"{argument(each.pointer, each.call.name)} is {shown(each.value)}: {what}"
                yield self.finding(row, each.place, message, cause=what)
        for call in row.calls:
            for key, value in call.arguments.items() if isinstance(call.arguments, dict) else ():
                again = _repeated(value)
                if again is not None and not any(turn.text.count(again) > 1 for turn in row.turns[: call.message]):
                    where = call.arguments_pointer + (f"/{key}" if call.placed else "")
                    message = f"argument {key} of {call.name} has the item {shown(again)} twice"
                    yield self.finding(row, where, message, cause="an item twice in a list")


def _repeated(value: Any) -> str | None:
    """The first text that a list of texts has twice; ``None`` if there is none, or the list is one of data."""
    if not isinstance(value, list) or len(value) > MAX_LISTED or not all(isinstance(item, str) for item in value):
        return None
    return next((item for at, item in enumerate(value) if len(item) > 2 and item in value[:at]), None)


def _misshapen(each: TracedValue) -> str | None:
    """What is wrong with the form of a value."""
    value = each.value
    if isinstance(value, float):
        noisy = _NOISE.fullmatch(repr(value)) and sum(map(str.isdigit, repr(value))) >= EXACT_DIGITS
        return "the noise of computing with floats" if noisy else None
    if not isinstance(value, str) or len(value) < 2:
        return None
    fenced = _FENCED.fullmatch(value) if "```" in value else None
    if fenced is not None and not each.stands(value) and (each.kind == "code" or each.stands(fenced["inner"].strip())):
        return "a code fence around the value"
    if each.kind in ("code", "query", "path", "text"):
        return None
    bare = value.strip()
    if "%" in value and (plain := unquote(value)) != value and each.stands(plain):
        return None if each.stands(value) else "encoded as in an address"
    if value in _NONE and each.origin != "declaration":
        known = any(re.search(rf"\b{value.lower()}\b", text) for text in each.before.values())
        return None if known else "the word for no value, as text"
    if bare != value and len(bare) > 1 and each.stands(bare):
        return None if each.stands(value) else "whitespace around the value"
    if "sql" in each.call.name.lower():
        return None  # whose values are quoted
    if len(bare) > 2 and _QUOTES.get(bare[0]) == bare[-1] and bare.count(bare[0]) == 1 + (bare[0] == bare[-1]):
        return "quotation marks around the value" if each.stands(bare[1:-1]) and not each.stands(bare) else None
    return None


class WrappedArguments(CallRule):
    """The arguments inside one more object, under a key that the tool does not declare.

    Anti-pattern: ``{"arguments": {"city": "Rome"}}`` or ``{"params": {…}}`` as the arguments of ``get_weather``.

    Why it hurts: the tool gets an argument that it doesn't know and misses those that it requires.

    Best practice: put the arguments at the top.

    Bad: ``{"params": {"city": "Rome"}}``

    Good: ``{"city": "Rome"}``

    Reported if the key is not declared and all keys inside it are. TC102 and TC103 report what is missing and unknown.
    In 3,549 rows of 12 sources: 3 findings, all right.

    Source: outputs of Llama 3 on the Berkeley leaderboard (``params``); vLLM issues on nested ``arguments``.
    """

    code: ClassVar[str] = "TC126"
    name: ClassVar[str] = "wrapped-arguments"
    level: ClassVar[Level] = "error"
    guards: ClassVar[tuple[Guard, ...]] = ("unfit",)

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        if not isinstance(call.arguments, dict) or len(call.arguments) != 1 or not isinstance(call.name, str):
            return
        ((key, inner),) = call.arguments.items()
        parameters = row.index.parameters(call.name)
        declared = parameters.get("properties") if isinstance(parameters, dict) else None
        if not isinstance(declared, dict) or key in declared or not isinstance(inner, dict) or not inner:
            return
        if all(name in declared for name in inner):
            message = f"the arguments of {call.name} are inside {key!r}, expected {listed(inner)} at the top"
            yield self.finding(row, call.arguments_pointer, message)


_DAY = lazy_re(r"(\d{4})-(\d{2})-(\d{2})")
_GIVING: Final[tuple[Origin, ...]] = ("request", "response", "earlier")
_TAIL = lazy_re(r"(.*?)(\d{2,9})")
_CODES = lazy_re(r"(?<![\w-])[a-z]{0,6}[-_#]?\d{3,12}(?![\w-])")


class NearMiss(RowRule):
    """An id, a number or a date that is nearly one that the user or a response gives, and that nothing gives.

    Anti-pattern: ``2025-04-03`` for 4 March 2025, ``order_1042`` for ``order_1043``: day and month exchanged, counted
    one too far, a digit lost.

    Why it hurts: the call is well formed and does the wrong thing to somebody else's order, and the model learns that
    ids need not be copied exactly.

    Best practice: copy ids as they are; write dates from the request.

    Bad: user: "Cancel A-1042", call: ``{"order_id": "A-1043"}``

    Good: user: "Cancel A-1042", call: ``{"order_id": "A-1042"}``

    A date counts if only day and month are exchanged; an id if its letters are those of one that was given, with the
    number one higher or lower or two neighbouring digits exchanged.

    In 3,549 rows of 12 sources: no finding.

    Source: BFCL's and tau-bench's comparisons of arguments.
    """

    code: ClassVar[str] = "TC127"
    name: ClassVar[str] = "near-miss-value"
    level: ClassVar[Level] = "warning"
    default: ClassVar[bool] = False
    preview: ClassVar[bool] = True
    guards: ClassVar[tuple[Guard, ...]] = (_has_calls,)

    def check(self, row: LintRow) -> Iterator[Finding]:
        for each in origins(row):
            if each.origin != "nowhere" or each.kind not in ("id", "date", "number"):
                continue
            near = _near_date(each) if each.kind == "date" else _near_code(each)
            if near is not None:
                message = f"{argument(each.pointer, each.call.name)} is {shown(each.value)}, where {near} was given"
                yield self.finding(row, each.place, message, cause="nearly a value that was given")


def _near_date(each: TracedValue) -> str | None:
    """The date that was given, of which only day and month are exchanged."""
    match = _DAY.match(str(each.value))
    if match is None or match[2] == match[3] or int(match[3]) > 12:
        return None
    swapped = f"{match[1]}-{match[3]}-{match[2]}"
    return swapped if each.is_given(swapped) else None


def _near_code(each: TracedValue) -> str | None:
    """The id that was given, from which an id differs in one step."""
    text = str(each.value).strip().casefold()
    mine = _TAIL.fullmatch(text)
    if mine is None or len(mine[2]) < 3 or (each.kind == "number" and len(mine[2]) < 5):
        return None
    for origin in _GIVING:
        for given in dict.fromkeys(_CODES.findall(each.before.get(origin, ""))):
            theirs = _TAIL.fullmatch(given)
            if theirs is not None and theirs[1] == mine[1] and _is_one_step(mine[2], theirs[2]):
                return shown(given)
    return None


def _is_one_step(one: str, other: str) -> bool:
    """Whether two numbers differ by one, or in the order of two neighbouring digits."""
    if len(one) != len(other):
        return False
    differ = [at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if len(differ) == 2 and differ[1] == differ[0] + 1:
        a, b = differ
        if one[a] == other[b] and one[b] == other[a]:
            return True
    return abs(int(one) - int(other)) == 1
