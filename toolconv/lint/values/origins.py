"""Where the value of each argument comes from: one table per row, which several rules read.

A value is looked for in what was there before its call: the request, the system text, tool responses, earlier turns
and calls; then in the declaration of its tool. It may be there as it is, or in another notation: dates, times and
numbers are compared by meaning (:mod:`.grounding`), joined values part by part. Code, search texts, paths and prose are
the model's own work and need no source.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, Literal

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.memo import once_per_row
from toolconv.lint.model.pointers import walk
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import LintTurn
from toolconv.lint.names import argument, shown
from toolconv.lint.values.grounding import Fact, Sources, Stated, facts, is_number_in
from toolconv.lint.values.words import MONTHS

Kind = Literal["code", "query", "path", "text", "enum", "date", "number", "id", "name"]
"""What an argument holds: the first four are the model's own work."""

Origin = Literal["request", "system", "response", "earlier", "declaration", "known", "nowhere"]
"""Where a value comes from: the user's turns, the system text, a tool response, other turns and calls before it, the
declaration of its tool; or what needs no source, such as ``true``, a small number, or the code of an airport."""

OWN_WORK: Final[frozenset[Kind]] = frozenset({"code", "query", "path", "text"})

MAX_WORDS: Final = 4
MAX_SIGNS: Final = 12
"""Texts with more words are the model's own prose; in scripts without spaces, those with more characters."""

MIN_TEXT: Final = 3
"""How many characters a text has that is in a request on purpose."""

_SPACELESS = lazy_re(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts without spaces: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""

_CODE = lazy_re(
    r"(?:^|_)(?:code|script|command|cmd|sql|statement|regex|pattern|expr|expression|formula|equation|function|html|css"
    r"|xml|json|yaml|keystrokes|diff|patch|old_str|new_str|snippet|program|template|payload|body|schema|filter|condition|var|variable)s?(?:_|$)"
    r"|^(?:old|new|find|insert|replace(?:ment)?)$",
    re.I,
)
_QUERY = lazy_re(
    r"(?:^|_)(?:query|queries|search|q|keyword|prompt|question|term|topic|instruction|goal|task)s?(?:_|$)", re.I
)
_PATH = lazy_re(
    r"(?:^|_)(?:url|uri|link|path|file|filename|dir|directory|folder|cwd|endpoint|image|selector|xpath)s?(?:_|$)", re.I
)
_TEXT = lazy_re(
    r"(?:^|_)(?:text|content|message|msg|comment|note|description|summary|title|subject|reason|thought|answer|reply"
    r"|response|caption|label|memo|feedback|review|explanation|goal|subgoal|memory|context|plan|step|status|purpose|intent"
    r"|mode|model|format)s?(?:_|$)",
    re.I,
)
_ID = lazy_re(
    r"(?:^|_)(?:id|ids|uuid|no|number|code|isbn|iban|account|ticket|order|token|key|sku|pin|vin|phone)(?:_|$)", re.I
)
_NUMBERED = lazy_re(r"[A-Za-z]{0,6}[-_]?\d{4,20}", re.ASCII)
"""An id, whatever its argument is called."""

_COORDINATE = lazy_re(r"(?:^|_)(?:lat|lon|lng|latitude|longitude)(?:_|$)", re.I)
_SETTING = lazy_re(
    r"(?:^|_)(?:limit|size|page|per_page|offset|timeout|duration|wait|max|min|top|tolerance|precision|decimals|depth"
    r"|width|height|length|radius|x|y|bbox\w*|color|threshold|temperature|seed|retries|batch|start|end|index|line)s?(?:_|$)",
    re.I,
)
"""Names of numbers that a caller chooses."""

_FILE = lazy_re(r"[\w-]+\.[a-z]{2,4}", re.I)
_MIDNIGHT: Final = frozenset({"00:00", "23:59"})
_CAPITALS = lazy_re(r"[A-Z]{2,5}")
_HUMP = lazy_re(r"(?<=[a-z0-9])(?=[A-Z])")
_JOINED = lazy_re(r"[,;|/]")
_URL = lazy_re(r"[a-z][a-z0-9+.-]*://|[~./\\][\w./\\-]+$|[\w.-]+/[\w./-]+$", re.I)


@dataclass(slots=True, repr=False, eq=False)
class Argument:
    """A value in a call's arguments.

    Attributes:
        call: the call.
        pointer: the value's place in the arguments.
        key: the nearest key.
        value: a text or a number.
        function: the declaration of its tool; empty if there is none.
        schema: what that says of the value; empty if nothing.
    """

    call: LintCall
    pointer: str
    key: str
    value: Any
    function: Mapping[str, Any]
    schema: Mapping[str, Any]

    @property
    def place(self) -> str:
        """The value's place in the row."""
        return self.call.place_of(self.pointer)

    @property
    def name(self) -> str:
        """The argument in words, with its tool."""
        return argument(self.pointer, self.call.name)

    @property
    def description(self) -> str:
        """What the declaration says of the value; empty if it says nothing."""
        described = self.schema.get("description")
        return described if isinstance(described, str) else ""


@dataclass(slots=True, repr=False, eq=False)
class TracedValue(Argument):
    """A value in a call's arguments, with its origin.

    Attributes:
        kind: what it holds.
        origin: where it comes from.
        before: the texts before its call, without case, by where they come from.
        is_given: one of these texts has it, as it is or in another notation; of what is known, asked of numbers alone.
        swapped: the same date with day and month exchanged, if that is given and this one isn't.
    """

    kind: Kind
    origin: Origin
    before: Mapping[Origin, str]
    is_given: bool
    swapped: str | None

    def place_in(self, request: str) -> int | None:
        """The place of the value in a request, if it is there once; shorter texts are there by chance."""
        text = str(self.value)
        if isinstance(self.value, str) and len(text) < MIN_TEXT:
            return None
        found = [match.start() for match in re.finditer(rf"(?<![\w.]){re.escape(text)}(?!\w|\.\d)", request, re.I)]
        return found[0] if len(found) == 1 else None

    def stands(self, text: str) -> bool:
        """Whether a text is in the texts before the call, whatever its case."""
        return any(text.casefold() in before for before in self.before.values())

    @property
    def is_required(self) -> bool:
        """Whether the tool requires the value: an argument at the top."""
        parameters = self.function.get("parameters")
        required = parameters.get("required") if isinstance(parameters, dict) else None
        return isinstance(required, list) and self.pointer[1:] in required

    def is_quoted(self, text: str) -> bool:
        """Whether a text is in the texts before the call with a quotation mark on each side, whatever its case."""
        quoted = [f"{mark}{jsontext.compact(text)[1:-1]}{mark}".casefold() for mark in "\"'`"]
        return any(each in before for before in self.before.values() for each in quoted)


def arguments(row: LintRow) -> Iterator[Argument]:
    """The texts and numbers in the arguments of a row's calls, with what their declarations say of them."""
    return (each for call in row.calls for each in _arguments_of(row, call))


def _arguments_of(row: LintRow, call: LintCall) -> Iterator[Argument]:
    """The texts and numbers in the arguments of a call."""
    function = row.index.functions.get(call.name, {}) if isinstance(call.name, str) else {}
    for pointer, value in walk(call.members) if isinstance(call.name, str) else ():
        key = next((part for part in reversed(pointer.split("/")) if not part.isdecimal()), "")
        if key != value and _is_compared(value):
            schema = schema_at(function.get("parameters"), pointer)
            yield Argument(call, pointer, key, value, function, schema)


def _is_compared(value: Any) -> bool:
    """Whether a value is a text, or a number that can be compared with others; TC006 reports any that can't."""
    return isinstance(value, str) or (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and -sys.float_info.max < value < sys.float_info.max
    )


class Before:
    """What was there before a call, apart by where they come from.

    Args:
        stated: what is known of texts, for the sources to share.
    """

    def __init__(self, stated: dict[str, Stated] | None = None) -> None:
        self.by: dict[Origin, Sources] = {}
        self._stated = {} if stated is None else stated

    def add(self, origin: Origin, text: str) -> None:
        """Add a text."""
        if text:
            if origin not in self.by:
                self.by[origin] = Sources(derived=False, stated=self._stated)
            self.by[origin].add(text)

    def origin_of(self, value: Any) -> Origin | None:
        """Where a value is, unchanged or in another notation; ``None`` if it is nowhere."""
        sought = _Text(value) if isinstance(value, str) else _number(value)
        return next((origin for origin, source in self.by.items() if _stands_in(sought, source)), None)

    def texts(self) -> Mapping[Origin, str]:
        """What was added so far."""
        return {origin: source.text for origin, source in self.by.items()}


@once_per_row
def origins(row: LintRow) -> list[TracedValue]:
    """The texts and numbers in the arguments of a row's calls, with their origins."""
    return list(_origins(row))


def _origins(row: LintRow) -> Iterator[TracedValue]:
    before = Before(stated_in(row))
    asked = False
    for turn in row.turns:
        texts = before.texts() if turn.calls else {}
        for call in turn.calls if asked else ():
            for each in _arguments_of(row, call):
                key, value, function, schema = each.key, each.value, each.function, each.schema
                is_known = _is_known(key, value)
                given = before.origin_of(value) if not is_known or isinstance(value, float) else None
                known: Origin | None = "known" if is_known else given
                origin = known or _declared(jsontext.compact(function)).origin_of(value) or "nowhere"
                kind = kind_of(key, value, schema)
                swapped = _swapped(value) if kind == "date" and origin == "nowhere" else None
                if swapped is not None and before.origin_of(swapped) is None:
                    swapped = None
                is_given = given is not None
                yield TracedValue(
                    call, each.pointer, key, value, function, schema, kind, origin, texts, is_given, swapped
                )
        asked = asked or turn.role == "user"
        for origin, text in texts_of(row, turn):
            before.add(origin, text)


def texts_of(row: LintRow, turn: LintTurn) -> Iterator[tuple[Origin, str]]:
    """What a turn says, its responses and its calls, each with where a value comes from that has it from there."""
    who: Origin = "request" if turn.role == "user" else "system" if turn.role == "system" else "earlier"
    yield who, row.own_words(turn)
    for response in turn.responses:
        yield "response", shown(response.content, 10**9)
    for call in turn.calls:
        yield "earlier", jsontext.compact(call.arguments)


@once_per_row
def stated_in(row: LintRow) -> dict[str, Stated]:
    """What is known of the texts of a row: each is read once, whoever asks."""
    return {}


@lru_cache(maxsize=128)
def _declared(function: str) -> Before:
    """A declaration to look for values in, read: many rows have calls of the same tools."""
    declared = Before()
    declared.add("declaration", function)
    declared.by["declaration"].read()
    return declared


def _swapped(value: str) -> str | None:
    """A date with day and month exchanged; ``None`` if that is the same, or in no such form."""
    match = _DAY.match(value)
    return None if match is None or match[2] == match[3] else f"{match[1]}-{match[3]}-{match[2]}"


_DAY = lazy_re(r"(\d{4})-(\d{2})-(\d{2})")


def schema_at(parameters: Any, pointer: str) -> Mapping[str, Any]:
    """The schema of a value in a call's arguments, through plain objects and arrays; empty if there is none."""
    schema = parameters
    for part in pointer.split("/")[1:]:
        inner = schema.get("properties") if isinstance(schema, dict) else None
        if isinstance(inner, dict):
            schema = inner.get(part)
        else:
            schema = schema.get("items") if isinstance(schema, dict) and part.isdecimal() else None
    return schema if isinstance(schema, dict) else {}


def schema_of(row: LintRow, call: LintCall, key: str) -> Mapping[str, Any]:
    """What the declaration of its tool says of an argument; empty if nothing."""
    return schema_at(row.index.parameters(call.name) if isinstance(call.name, str) else None, f"/{key}")


def kind_of(key: str, value: Any, schema: Mapping[str, Any]) -> Kind:
    """What an argument holds, by its schema, its name and its value."""
    if schema.get("enum"):
        return "enum"
    if not isinstance(value, str):
        return "number"
    named = _kinds_by_name(key)
    text = value.strip()
    if _NUMBERED.fullmatch(text) and "text" not in named:
        return "id"
    if "\n" in text or "```" in text or "code" in named:
        return "code"
    if "query" in named:
        return "query"
    if "path" in named or _URL.match(text) or _FILE.fullmatch(text):
        return "path"
    if len(text.split()) > MAX_WORDS or (len(text) > MAX_SIGNS and _SPACELESS.search(text)) or "text" in named:
        return "text"
    found = facts(value)
    if found and not re.sub(r"[\W\dTZ]", "", value) and any(fact.kind in ("date", "time") for fact in found):
        return "date"
    if "id" in named or any(fact.kind == "code" for fact in found):
        return "id"
    return "name"


@lru_cache(maxsize=1024)
def _kinds_by_name(key: str) -> frozenset[str]:
    """The kinds of texts that a name may stand for, and ``chosen`` for one of a number that a caller chooses."""
    name = _HUMP.sub("_", key)
    signs = {"code": (_CODE,), "query": (_QUERY,), "path": (_PATH,), "text": (_TEXT,), "id": (_ID,)}
    chosen = {"chosen": (_COORDINATE, _SETTING)}
    return frozenset(kind for kind, found in (signs | chosen).items() if any(each.search(name) for each in found))


def _is_known(key: str, value: Any) -> bool:
    """Whether a value needs no source: a count, a place on the map, the code of a currency or an airport."""
    if not isinstance(value, str):
        return value in (0, 1, -1) or "chosen" in _kinds_by_name(key)
    return (len(value.strip()) < 3 and value.isascii()) or _CAPITALS.fullmatch(value) is not None


class _Text:
    """A text to look for: as it is, in its parts, in its facts, or in its words."""

    def __init__(self, value: str) -> None:
        self.value = value
        self.folded = value.strip().casefold()

    @cached_property
    def parts(self) -> list[str]:
        """The texts that are joined in it; none if there are no two."""
        parts = [part for part in map(str.strip, _JOINED.split(self.folded)) if part]
        return parts if len(parts) > 1 else []

    @cached_property
    def exact(self) -> list[Fact] | None:
        """Its facts, if it is nothing but dates, times and numbers; midnight means a whole day."""
        found = facts(self.value)
        if not found or re.sub(r"[\W\dTZ]", "", self.value):
            return None
        return [fact for fact in found if fact.value not in _MIDNIGHT]

    @cached_property
    def addressed(self) -> tuple[Fact, ...]:
        """Its facts, if an address is one."""
        found = facts(self.value)
        return found if any(fact.kind == "address" for fact in found) else ()

    @cached_property
    def words(self) -> list[str]:
        """Its words and numbers, without short words."""
        return [word for word in re.split(r"[\W_]+", self.folded) if len(word) > 2 or word.isdecimal()]


def _number(value: float) -> Fact:
    """A number to look for."""
    return Fact("number", str(value), float(value), len(f"{value}".partition(".")[2]))


def _stands_in(sought: _Text | Fact, source: Sources) -> bool:
    """Whether a value is in a source, as it is, by its meaning, or part by part."""
    if isinstance(sought, Fact):
        return source.explain(sought)
    if _has(source.text, sought.folded):
        return True
    if sought.parts and all(part in source.text for part in sought.parts):
        return True
    if sought.exact is not None:
        return all(source.explain(fact) or _is_end_of(fact, source) for fact in sought.exact)
    if sought.addressed:
        return all(map(source.explain, sought.addressed))
    return bool(sought.words) and all(_has(source.text, word) for word in sought.words)


def _has(text: str, part: str) -> bool:
    """Whether a text has a part; one that begins or ends with a digit, not within a longer number."""
    if not part or not (part[0].isdecimal() or part[-1].isdecimal()):
        return part in text
    return is_number_in(part, text)


def _is_end_of(fact: Fact, source: Sources) -> bool:
    """Whether a date is the first or the last day of a month or a year that a source names."""
    if fact.kind != "date" or not isinstance(fact.value, str):
        return False
    year, month, day = fact.value[:-6], int(fact.value[-5:-3]), int(fact.value[-2:])
    if day not in (1, 28, 29, 30, 31) or not 1 <= month <= 12:
        return False
    return MONTHS[month - 1] in source.text or (
        bool(year) and (month, day) in ((1, 1), (12, 31)) and year in source.text
    )
