"""TC1xx: values of arguments against what the request says: another choice, count, day, name or half of the day."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import SYSTEM_ROLES
from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.guards import has_calls
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import LintTurn, request_before
from toolconv.lint.names import shown, without_accents, words_in
from toolconv.lint.rule import RowRule, rule
from toolconv.lint.values.altered import nearly_given
from toolconv.lint.values.amounts import (
    CURRENCIES,
    amounts_in,
    as_float,
    begins_amount,
    is_conversion,
    is_slip,
    names,
    unit_of,
)
from toolconv.lint.values.asked_days import asked_day, called_day, says_a_day, stated_day, today_in
from toolconv.lint.values.counted import descriptions, stated_count
from toolconv.lint.values.described_forms import choices_in
from toolconv.lint.values.given import Given, given, is_address, is_code, unused
from toolconv.lint.values.grounding import facts, plain
from toolconv.lint.values.near_misses import near_misses
from toolconv.lint.values.origins import Kind, TracedValue, origins
from toolconv.lint.values.words import MONTHS, WEEKDAYS


@rule("TC130", "other-than-asked", "warning", preview=True, guards=(has_calls,))
class OtherThanAsked(RowRule):
    """An argument that differs from the request: another choice, count, day or half of the day.

    Anti-pattern: "in celsius" and ``{"unit": "fahrenheit"}``; "for 4 nights" and ``{"nights": 6}``; "tomorrow" and the
    day after; "at 8:15 pm" and ``"08:15"``.

    Why it hurts: the call is well formed and does something else, and the model learns to be careless with the request.

    Best practice: correct the call, or drop the row.

    Bad: user: "A table for 4 guests", call: ``{"guests": 6}``

    Good: user: "A table for 4 guests", call: ``{"guests": 4}``

    A choice of two letters or more counts if the last request has exactly one other value of the parameter's enum (or
    another color, size, scale or currency) as a word, a sign or in the plural, and no turn has the one that was called;
    a count, if it has exactly one number with the parameter's name, or with what the description says is counted
    ("Number of people"). An id, a path or an address counts if the request has exactly one that is nearly the same and
    that no call has; so do a name of which one word is another, a Chinese text with one other sign, and an item of a
    list, where the request says all the others; and so does the one number or id that follows the argument's name in
    the request ("agência 0423"). A date or a time counts if it is the only one in the call, and the
    requests have exactly one other, in figures or words; for "tomorrow", the system text must have today's date. A name
    counts if nothing has it, and the request has one that no call has; so does a number, a day, an id, a version, a
    mail address or a text in quotation marks where it is the only one of its kind in the calls that nothing says, and
    the request has one that they don't have, unless the request is longer than 600 characters. An amount counts if the
    argument's name or description says another unit, and it was not converted. The last item of a list counts if the
    request has it after all the others, and no call does. A value that TC127 reports counts for that rule alone.

    In 34,559 rows of more than 35 makers, 6,815 of them with calls: 17 findings of 8 values, 15 right and 2 arguable
    (another name than the one that was misspelled). All were read; 11 more, of 4 causes, were wrong, and no longer come
    since these were mended (an ending of a verb, a list, an adjective before what is counted, an amount in another
    unit). This was before the latest checks. With them, in 2,215 rows of 12 publishers, against which they were
    developed, so that this is no independent measure: 5 findings of 4 values, 4 right and 1 arguable (another word for
    a vegetable).

    Source: BFCL's and tau-bench's comparisons of arguments; APIGen's semantic check.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        traced: dict[int, list[TracedValue]] = {}
        for each in origins(row):
            traced.setdefault(each.call.message, []).append(each)
        missed = {id(each) for each, _ in near_misses(row)}  # TC127 reports these
        for at, values in traced.items():
            request = request_before(row.turns, at)
            if request is None:
                continue
            reported = set(missed)
            for each in values:
                if id(each) in reported:
                    continue
                asked = (
                    _other_choice(each, values, request)
                    or _other_count(each, values, request)
                    or _other_half(each, values, request)
                    or _other_amount(each, values, request)
                    or _other_labelled(row, each, request)
                )
                if asked is not None:
                    reported.add(id(each))
                    yield self._unlike(row, each, asked)
            for each in values:
                if id(each) not in reported and (near := _near_part(row, each, request)) is not None:
                    reported.add(id(each))
                    yield self._unlike(row, each, near)
            yield from self._other_name(row, at, [each for each in values if id(each) not in reported])
            for each, others in _other_item(row, values):
                if id(each) in reported:
                    continue
                reported.add(id(each))
                message = f"{each.name} is {shown(each.value)}, which nothing says, where the request says {others}"
                yield self.finding(row, each.place, message, cause="an item from nowhere")
            for call, key, missing in _left_out(row, at, request):
                what = f"argument {key} of {call.name} leaves out {shown(missing)}"
                message = f"{what}, which the request lists with the others"
                yield self.finding(row, call.arguments_pointer, message, cause="an item left out")
            found = list(self._other_day(row, at, [each for each in values if id(each) not in missed], request))
            yield from found
            for each, stands in () if found else _left_over(row, at, values, request):
                if id(each) not in reported:
                    message = f"{each.name} is {shown(each.value)}, and the request has {shown(stands)}"
                    cause = f"{each.name} is not what the request says"
                    yield self.finding(row, each.place, f"{message}, which no call has", cause=cause)

    def _other_name(self, row: LintRow, at: int, values: Sequence[TracedValue]) -> Iterator[Finding]:
        """The one name in the calls of a turn that comes from nowhere, where the request's one name is in no call."""
        yield from self._lone_name(row, at, values)
        strange = [each for each in values if each.kind == "name" and each.origin == "nowhere" and _is_name(each.value)]
        if len(strange) != 1 or sum(turn.role == "user" for turn in row.turns[:at]) != 1:
            return
        request = request_before(row.turns, at) or ""
        names = dict.fromkeys(match[1] for match in _NAMED.finditer(request))
        called = "\n".join(jsontext.compact(call.arguments) for call in row.calls).casefold()
        unused = [
            name for name in names if not any(word.casefold() in called for word in name.split() if word[-1] != ".")
        ]
        if len(names) == len(unused) == 1 and unused[0].lower() not in _CALENDAR and _DERIVED.search(request) is None:
            what = f"{strange[0].name} is {shown(strange[0].value)}, which nothing says"
            message = f"{what}, and the request has {shown(unused[0])}, which no call has"
            cause = "a name from nowhere, where the request has another"
            yield self.finding(row, strange[0].place, message, cause=cause)

    def _lone_name(self, row: LintRow, at: int, values: Sequence[TracedValue]) -> Iterator[Finding]:
        """The one Chinese name in a call that nothing says, where the request says all its other names."""
        request = request_before(row.turns, at) or ""
        if _ASKS_FOR.search(request) or any(turn.calls or turn.responses for turn in row.turns[:at]):
            return
        names = [each for each in values if each.kind == "name" and _CHINESE.fullmatch(str(each.value))]
        strange = [each for each in names if each.origin == "nowhere"]
        given_ = [each for each in names if each.origin == "request"]
        if len(strange) == 1 and given_ and strange[0].call is given_[0].call and strange[0].is_required:
            what = f"{strange[0].name} is {shown(strange[0].value)}"
            message = f"{what}, which nothing says, where the request says the other names of the call"
            yield self.finding(row, strange[0].place, message, cause="a name from nowhere")

    def _unlike(self, row: LintRow, each: TracedValue, asked: str) -> Finding:
        message = f"{each.name} is {shown(each.value)}, where the request says {shown(asked)}"
        return self.finding(row, each.place, message, cause=f"{each.name} is not what the request says")

    def _other_day(self, row: LintRow, at: int, values: Sequence[TracedValue], request: str) -> Iterator[Finding]:
        dated = [(each, day) for each in values if (day := _day_of(each)) is not None]
        asked_text = "\n".join(turn.text for turn in row.turns[:at] if turn.role == "user")
        texts_before = "\n".join(turn.text for turn in row.turns[:at] if turn.role in ("user", *SYSTEM_ROLES))
        today = today_in(texts_before) if dated else None
        if today is not None and _YEAR.search(asked_text) is None:
            for each, called in dated:
                if abs(called.year - today.year) > 1 and called.isoformat()[5:] in _days_in(asked_text):
                    yield self._unlike(row, each, f"{called.isoformat()[5:]}, and today is {today}")
                    return
        if len(dated) != 1 or dated[0][0].stands(dated[0][0].value) or _END.search(dated[0][0].key):
            return
        each, called = dated[0]
        stated = stated_day(asked_text)
        if stated is not None:
            if not called.isoformat().endswith(stated):
                yield self._unlike(row, each, stated)
            return
        asked = asked_day(request, today)
        if asked is None or each.origin != "nowhere":
            return
        if asked.date not in (None, called) or (asked.weekday is not None and asked.weekday != called.weekday()):
            yield self._unlike(row, each, asked.words if asked.date is None else f"{asked.words} ({asked.date})")


def _days_in(text: str) -> set[str]:
    """The days in a text that has no years: month and day."""
    return {str(fact.value) for fact in facts(text) if fact.kind == "date"}


_YEAR = lazy_re(
    r"\b(?:19|20)\d\d\b|\b(?:last|next|this|coming) year\b|\bago\b|\b\d+ years?\b|\bborn\b"
    r"|birth|去年|明年|今年|前年|生日|出生",
    re.I,
)
"""Words for a year, or for a day long ago."""

_NAMED = lazy_re(
    r"\b(?:in|for|at|of|about|from|to|on|with|near) "
    r"((?:(?:Dr|Mr|Ms|Mrs|Prof)\.? )?(?!I\b)[A-Z][a-zà-ÿ]{2,20}(?: [A-Z][a-zà-ÿ]{2,20}){0,2})"
)
_DERIVED = lazy_re(
    r"\b(?:capitals?|largest|biggest|nearest|closest|country|currency|where|hometown|birthplace|whose|who|which|author|founder"
    r"|president|ceo|made by|convert|translate|time ?zone|symbol|ticker|language)\b",
    re.I,
)
"""Words that ask for something other than the name after them."""


_CHINESE = lazy_re(r"[\u4e00-\u9fff]{2,10}")
_ASKS_FOR = lazy_re(r"首都|最|附近|哪|什么|谁|推荐|作者|导演|演员|所在|属于|翻译|相关|类型|风格|随便|任意|合适")
"""Signs of a request for something that it doesn't name."""

_CALENDAR: Final = frozenset({*MONTHS, *WEEKDAYS, "christmas", "easter"})


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value[:1].isupper() and value.isascii()


_DAY = lazy_re(r"\d{4}-\d{2}-\d{2}|\d{1,2}[./-]\d{1,2}[./-]\d{4}$")
_END = lazy_re(
    r"end|until|return|due|expir|check_?out|deadline|(?:^|_)(?:to|bis|fin|fim|até|hasta|volta|vuelta|retour)(?:_|$)|rück|rueck",
    re.I,
)
"""Names of arguments for a day that follows from another."""


def _day_of(each: TracedValue) -> datetime.date | None:
    """The date that a value means; ``None`` if it is not a date."""
    if not isinstance(each.value, str) or _DAY.match(each.value) is None:
        return None
    return called_day(each.value, each.description)


_CLOCK = lazy_re(r"(?:\d{4}-\d{2}-\d{2}[T ])?([01]\d|2[0-3]):([0-5]\d)(?::00)?")
_HALF = lazy_re(r"(?<![\d:])(\d{1,2})(?::(\d{2}))? ?([ap])\.?m\b", re.I)
_COMMON: Final = frozenset(
    {
        "all", "any", "none", "other", "new", "open", "yes", "no", "true", "false", "low", "down", "off",
        "auto", "default", "normal", "standard", "name", "date", "time", "text", "user", "item", "list", "search",
        "get", "high", "first", "last", "best", "top", "latest", "the", "and", "for", "with", "current", "general",
        "basic", "full",
    }
)  # fmt: skip
"""Values of enums that a request may well have as words with another meaning."""


def _other_choice(each: TracedValue, values: Sequence[TracedValue], request: str) -> str | None:
    """The other value of an enum that a request has as a word."""
    listed = list(choices_in(each.description)) if "enum" not in each.schema else None
    choices = each.schema.get("enum") or listed or next((kind for kind in _CLASSES if each.value in kind), None)
    if each.pointer.count("/") > 1:
        return None  # one of a list
    if each.origin not in ("declaration", "nowhere", "known") or not isinstance(choices, list):
        return None
    if len(choices) > MAX_CHOICES and choices[0] not in CURRENCIES:
        return None
    texts = [choice for choice in choices if isinstance(choice, str) and len(choice) >= MIN_CHOICE]
    if not isinstance(each.value, str) or len(texts) != len(choices) or each.value not in texts:
        return None
    key = words_in(each.key)[-1:]
    named = [
        text
        for text in texts
        if (text.casefold() not in _COMMON and names(request, text))
        or (key and re.search(rf"\b{re.escape(text)} {re.escape(key[0])}\b", request, re.I))
    ]
    if len(named) != 1 or named[0] == each.value or any(names(text, each.value) for text in each.before.values()):
        return None
    is_taken = any(other.call is each.call and other.value == named[0] for other in values)
    return None if is_taken else named[0]


_CLASSES: Final = (
    ["red", "blue", "green", "yellow", "black", "white", "orange", "purple", "pink", "brown", "grey", "gray"],
    ["small", "medium", "large"],
    ["celsius", "fahrenheit", "kelvin"],
    ["north", "south", "east", "west"],
    list(CURRENCIES),
)
"""Words of which a value is one, where its schema has no enum."""

MIN_CHOICE: Final = 2
"""A choice of one letter is hardly ever meant by a letter in a request."""

MAX_CHOICES: Final = 12
"""A longer list of choices has words that a request has with another meaning."""


def _other_count(each: TracedValue, values: Sequence[TracedValue], request: str) -> str | None:
    """What a request says of the number that an argument is, if that is another one."""
    if type(each.value) is not int or sum(other.key == each.key for other in values) > 1:
        return None
    is_elsewhere = each.origin not in ("nowhere", "declaration")
    stated = stated_count(each.key, *descriptions(each.function, each.key), request, is_elsewhere)
    return stated[1] if stated is not None and stated[0] != each.value else None


def _near_part(row: LintRow, each: TracedValue, request: str) -> str | None:
    """The part of a request that an argument nearly is, if no call has it."""
    if not isinstance(each.value, str) or each.kind in ("code", "query", "enum") or len(request) > LONGEST_REQUEST:
        return None
    near = nearly_given(each.value, request, each.kind in ("name", "id")) if not each.stands(each.value) else None
    if near is None or any(near.casefold() in jsontext.compact(call.arguments).casefold() for call in row.calls):
        return None
    return near


def _other_item(row: LintRow, values: Sequence[TracedValue]) -> Iterator[tuple[TracedValue, str]]:
    """The one text of a list that nothing says, where the request says all the others."""
    lists: dict[tuple[int, str], list[TracedValue]] = {}
    for each in values:
        if isinstance(each.value, str) and each.pointer.rpartition("/")[2].isdecimal():
            lists.setdefault((id(each.call), each.pointer.rpartition("/")[0]), []).append(each)
    for items in lists.values():
        strange = [each for each in items if each.origin == "nowhere" and each.kind in ("name", "id")]
        others = [each for each in items if each.origin == "request"]
        if len(strange) == 1 and len(others) == len(items) - 1 >= MIN_OTHERS:
            yield strange[0], "the other items of the list"


def _left_out(row: LintRow, at: int, request: str) -> Iterator[tuple[LintCall, str, str]]:
    """The last of three or more items that a request lists, where a list of a call has all the others."""
    called = "\n".join(jsontext.compact(call.arguments) for call in row.calls).casefold()
    for call in row.calls if len(request) <= LONGEST_REQUEST else ():
        for key, value in call.members.items() if call.message == at else ():
            if (
                not isinstance(value, list)
                or len(value) < MIN_OTHERS
                or not all(isinstance(item, str) for item in value)
            ):
                continue
            items = r"(?:,|，|、)\s?".join(re.escape(item) for item in value if item)
            last = r"(?:,? (?:and|und|y|et) |，?[和与及])(?P<last>[^\W\d]{2,30}?)(?=\s|[.,;!?。，；！？]|加|放|到|$)"
            match = re.search(items + last, request, re.I)
            if match is not None and match["last"].casefold() not in called:
                yield call, key, match["last"]


def _other_labelled(row: LintRow, each: TracedValue, request: str) -> str | None:
    """The one number or id that a request names by an argument's name, if no call has it."""
    word = without_accents((words_in(each.key) or [""])[0])
    if each.kind not in ("id", "name") or not isinstance(each.value, str):
        return None
    folded = without_accents(request)
    found = [
        match
        for match in _LABELLED.finditer(folded)
        if match["label"].casefold() == word and not begins_amount(folded, match.start("value"))
    ]
    called = plain("".join(jsontext.compact(call.arguments) for call in row.calls))
    if len(found) != 1 or len(request) > LONGEST_REQUEST or plain(found[0]["value"]) in called:
        return None
    return found[0][0]


_LABELLED = lazy_re(
    r"(?<!\w)(?P<label>[^\W\d_]{4,20})(?: (?:number|no\.?|nr\.?|id|numero|nummer|code))?[ :#]{1,2}"
    r"(?P<value>(?=[A-Z-]*\d)[A-Z\d][A-Z\d-]{2,20})(?![\w.,:/-]{0,20}\d)",
    re.I | re.ASCII,
)
"""A number or an id with the word for what it is before it."""

MIN_OTHERS: Final = 2
"""How many other items of a list the request says, where it would say all of them."""


def _other_half(each: TracedValue, values: Sequence[TracedValue], request: str) -> str | None:
    """The time in a request that is the called one in the other half of the day, or the only one and another."""
    match = _CLOCK.fullmatch(each.value) if isinstance(each.value, str) else None
    if match is None or each.stands(each.value):
        return None
    hour, minute = int(match[1]), int(match[2])
    halves = {half[3].lower(): half[0] for half in _HALF.finditer(request) if _is_time(half, hour, minute)}
    other = "p" if hour < 12 else "a"
    if halves:
        return halves[other] if set(halves) == {other} else None
    times = {fact.value: fact.text for fact in reversed(facts(request)) if fact.kind == "time"}
    opposite = times.get(f"{(hour + 12) % 24:02}:{match[2]}", "")
    if not opposite.isascii():
        return opposite
    if f"{hour:02}:{match[2]}" in times:
        return None
    clocks = sum(isinstance(other.value, str) and _CLOCK.fullmatch(other.value) is not None for other in values)
    if each.origin != "nowhere" or len(times) != 1 or clocks != 1 or _SHIFTED.search(request) or _END.search(each.key):
        return None
    return next(iter(times.values()))


def _other_amount(each: TracedValue, values: Sequence[TracedValue], request: str) -> str | None:
    """The one amount in a request that an argument has in another unit than its own, or a thousand times."""
    if not isinstance(each.value, int | float) or not each.value:
        return None
    unit = unit_of(each.key, each.description)
    if unit is None or sum(other.key == each.key for other in values) > 1:
        return None
    dimension, factor = unit
    found = [amount for amount in amounts_in(request) if amount.dimension == dimension]
    if len(found) != 1 or not is_slip(each.value, found[0], factor):
        return None
    return found[0].text


_COMPUTED = lazy_re(
    r"\b(?:twice|double|half|total|sum|average|mean|each|every|per|times|plus|minus|add|subtract|more|less|than|between|"
    r"over|under|least|most|about|around|range|convert|calculate|compute|if)\b|[×+*/=^~<>]"
    r"|\d\s?(?:-|to)\s?\d|每|共|至少|最多|左右|计算|换算",
    re.I,
)
"""Signs of numbers with which a call computes, or that bound others."""

_TAKEN: Final[Mapping[Kind, Given]] = {
    "id": "code",
    "number": "number",
    "date": "day",
    "text": "quote",
    "name": "quote",
}
"""What a request gives for the kinds of arguments."""


def _left_over(row: LintRow, at: int, values: Sequence[TracedValue], request: str) -> Iterator[tuple[TracedValue, str]]:
    """The one value of a kind in the calls of a turn that is from nowhere, and the one in the request that no call has.

    Only the first calls after a request count: later ones go on from responses.
    """
    if len(request) > LONGEST_REQUEST or any(turn.responses or turn.calls for turn in _since_request(row, at)):
        return
    has_results = any(turn.responses for turn in row.turns[:at])
    strange: dict[Given, list[TracedValue]] = {}
    for each in values:
        is_strange = each.origin == "nowhere" or (each.kind == "number" and each.origin == "declaration")
        if is_strange and each.kind in _TAKEN:
            kind: Given = _TAKEN[each.kind]
            if each.kind in ("name", "id", "text") and (is_code(str(each.value)) or is_address(str(each.value))):
                kind = "address" if is_address(str(each.value)) else "code"
            strange.setdefault(kind, []).append(each)
    gives = given(request) if strange else {}
    for kind, odd in strange.items():
        found = gives[kind]
        if len(odd) != 1 or not found or (kind == "day" and not _may_be_day(odd[0].key, found, request)):
            continue
        if kind == "number" and (has_results or _is_chosen(odd[0]) or _is_computed(odd[0].value, request)):
            continue
        text = "\n".join(jsontext.compact(call.arguments) for call in row.calls)
        left = unused(found, kind, [each.value for each in values], text)
        if kind == "number" and left and not _may_count(odd[0].key, left[0], request):
            continue
        if len(left) == 1 and (kind != "quote" or odd[0].kind == "name" or _are_alike(str(odd[0].value), left[0])):
            yield odd[0], left[0]


def _may_be_day(key: str, found: Mapping[str, str], request: str) -> bool:
    """Whether a day in a request may be meant for an argument: the last of a range only if the request says so."""
    if says_a_day(request):
        return False
    words = [word for word in words_in(key) if len(word) > 2 and word != "date"]
    return _END.search(key) is None or len(found) > 1 or any(names(request, word) for word in words)


def _may_count(key: str, number: str, request: str) -> bool:
    """Whether a number in a request may be meant for an argument: not if it counts something else, such as people."""
    words = words_in(key)
    counted = re.search(rf"(?<![\d.,]){re.escape(number)} ([a-z]{{3,20}})\b", request, re.I)
    if counted is None or not words or not words[-1].endswith("s"):
        return True
    return any(word.removesuffix("s") == counted[1].lower().removesuffix("s") for word in words)


LONGEST_REQUEST: Final = 600
"""A longer request holds other dialogues, documents or data."""


def _is_computed(value: float, request: str) -> bool:
    """Whether a number may be computed from those in a request, or is an amount of it in another unit."""
    return _COMPUTED.search(request) is not None or any(
        is_conversion(as_float(value), amount) for amount in amounts_in(request)
    )


def _since_request(row: LintRow, at: int) -> Sequence[LintTurn]:
    """The turns between the last request and a turn."""
    last = max(number for number, turn in enumerate(row.turns[:at]) if turn.role == "user")
    return row.turns[last:at]


def _is_chosen(each: TracedValue) -> bool:
    """Whether a number is one that the declaration gives: a default, an example, a choice."""
    return each.value == each.schema.get("default") or each.schema.get("enum") is not None


def _are_alike(value: str, quoted: str) -> bool:
    """Whether a text may be meant for another one: about as long, with some of its words."""
    if "xxx" in quoted.lower() or "..." in quoted:
        return False  # to be filled in
    words, others = set(words_in(value)), set(words_in(quoted))
    return len(value) <= 2 * len(quoted) and len(quoted) <= 2 * len(value) and not words.isdisjoint(others)


_SHIFTED = lazy_re(
    r"\b(?:before|after|until|till|by|earlier|later|hours?|minutes?|mins?|time ?zone|utc|gmt|[ecmp][sd]t|cest?|ist|bst"
    r"|around|about)\b|之前|之后|小时|分钟|时区",
    re.I,
)
"""Words that make another time of the one in a request."""


def _is_time(half: re.Match[str], hour: int, minute: int) -> bool:
    return int(half[1]) % 12 == hour % 12 and int(half[2] or 0) == minute
