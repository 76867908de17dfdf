"""TC1xx: the form of values and arguments: misshapen values, arguments in a wrapper."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import unquote_plus

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.guards import matching
from toolconv.lint.model.row import LintRow
from toolconv.lint.names import listed, shown
from toolconv.lint.rule import CallRule, RowRule, rule
from toolconv.lint.texts.placeholders import placeholder_in
from toolconv.lint.values.origins import MAX_WORDS, TracedValue, origins
from toolconv.lint.values.words import ANY_NUMBER, CHINESE_NUMBERS

_NONE: Final = frozenset({"None", "none", "null", "NULL", "undefined", "nil", "NaN", "N/A", "n/a"})
_NONE_IN_WORDS: Final = frozenset({"无", "なし", "없음"})
"""What other languages have for "none"; some write it where a text is required."""
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`"}
_FENCED = lazy_re(r"\s*```[a-z0-9_+-]*\n(?P<inner>.*)```\s*", re.I | re.DOTALL)
_NOISE = lazy_re(r"-?\d+\.\d*?(?:0{6,}|9{6,})\d{1,3}")

MAX_LISTED: Final = 12
"""A longer list is data, in which an item may come again."""

EXACT_DIGITS: Final = 16
"""Computing with floats leaves as many digits as they have; people write fewer."""


_ODD = lazy_re(
    r"[:,\[]\s?\"(?:\"|(?:None|none|null|NULL|undefined|nil|NaN|N/A|n/a|无|なし|없음)\"|\s|\\[ntr]|[\[({<*~;:'“„«「‘`]|\\\"|b'"
    r"|\w{1,40}[:=]|[A-Z]\w*_)"
    r"|(?:\s|\\[ntr]|[\])}>*~,;:?…'’”`]|\\\"|\.\.\.)\"\s?[,\]}]"
    r"|[^\W\d][,，、;] ?[^\W\d]|[”“»」]|\\\"[^\"]*\\\""
    r"|-(?:02-(?:29|3\d)|(?:0[469]|11)-31|\d\d-(?:00|3[2-9])|(?:00|1[3-9])-\d\d)"
    r"|```|\\[tu]|\w\s{2,}\w|%[0-9A-Fa-f]{2}|\w\+\w|\d\.\d*(?:0{6}|9{6})|\[\s*\"[^\"]*\",|\[\s*\"[^\",]+,[^\",]+,[^\"]+\"\s*\]"
    r"|(?P<again>\w{3,20})[ ,]{1,3}(?P=again)"
)
"""Signs of values in an odd form, in arguments as JSON."""


@rule("TC125", "misshapen-value", "warning", preview=True, guards=(matching("arguments", _ODD),))
class MisshapenValue(RowRule):
    """A value in a form that nobody asked for: quotes or whitespace around it, ``None`` as text, an item twice.

    Anti-pattern: ``"  Oslo\\n"``, ``"'Oslo'"``, ``"None"``, ``300.00000000000006``, from string templates, from
    ``str()`` of an absent value, from computing with floats.

    Why it hurts: the tool looks for a city with quotation marks in its name, and the model learns to write it so.

    Best practice: pass the bare value, and leave out what is absent.

    Bad: ``{"city": "'Oslo'"}``

    Good: ``{"city": "Oslo"}``

    Brackets, commas, tags, tabs, tokens of a template, and a name with a colon before a value that was given without
    them count, too; so does a list in one text, from three items on; so do dots in place of the end of a value, a
    typesetter's quotation marks, the whole request in place of the text in quotation marks in it, and two names of the
    request in place of one; so does a day that the calendar doesn't have. An empty text counts for a name, an id or a
    date that the tool requires, unless the description says when it may be empty. Not reported are code, search texts,
    paths and prose (except for a code fence around all of it), what the user or a response writes the same way, and
    values that the declaration names.

    Judged in nine rounds, most of them on rows that the checks had not seen: 200 of 234 different findings were right,
    19 arguable and 15 wrong, in 120,000 rows of more than 100 makers and publishers. Most of the right ones are empty
    texts that the tool requires, and lists in one text. The causes of most wrong ones (choices of the schema, forms
    that a description asks for, parts of a query, conditions, names of variables, a second line of an address, votes)
    were mended, not that of code for a file of Markdown.

    Source: rows of ToolACE, glaive and recorded agents.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for each in origins(row):
            if (what := _misshapen(each)) is not None:
                yield self.finding(row, each.place, f"{each.name} is {shown(each.value)}: {what}", cause=what)
        for call in row.calls:
            for key, value in call.members.items():
                where = call.place_of(f"/{key}")
                if joined := _joined(value):
                    earlier = "\n".join(turn.text for turn in row.turns[: call.message])
                    is_copied = value[0] in earlier and any(part[:1].isupper() for part in joined)  # a place
                    if not is_copied and all(part.casefold() in earlier.casefold() for part in joined):
                        message = f"argument {key} of {call.name} has {listed(joined)} in one text"
                        yield self.finding(row, where, message, cause="a list in one text")
                again = _repeated(value)
                before = [turn.text for turn in row.turns[: call.message]] if again is not None else []
                if again is not None and not any(text.count(again) > 1 or _is_several(again, text) for text in before):
                    message = f"argument {key} of {call.name} has the item {shown(again)} twice"
                    yield self.finding(row, where, message, cause="an item twice in a list")


def _joined(value: Any) -> list[str]:
    """The parts of the only text in a list, if it is itself a list."""
    if not isinstance(value, list) or len(value) != 1 or not isinstance(value[0], str):
        return []
    parts = [part.strip() for part in value[0].split(",")]
    return parts if len(parts) >= MIN_PARTS and all(parts) else []


MIN_PARTS: Final = 3
"""A text with one comma is a place, a name, or a phrase."""


def _is_several(item: str, text: str) -> bool:
    """Whether a text asks for more than one of an item: "two arepas"."""
    number = rf"(?:\b(?:\d{{1,2}}|{ANY_NUMBER}|{_TWO_OR_THREE})\b|[\d{''.join(CHINESE_NUMBERS)}]\w?)"
    return re.search(rf"{number}\W{{0,2}}(?:\w+ )?{re.escape(item[:FIRST_LETTERS])}", text, re.I) is not None


_TWO_OR_THREE: Final = "zwei|drei|dos|tres|deux|trois|due|tre|dois|duas|três"
"""So many of an item are asked for in other languages."""

FIRST_LETTERS: Final = 4
"""So much of an item stays in its plural."""


def _repeated(value: Any) -> str | None:
    """The one text that a list of texts has again; ``None`` if there is none, or the list is one of data."""
    if not isinstance(value, list) or len(value) > MAX_LISTED or not all(isinstance(item, str) for item in value):
        return None
    again = {item.casefold(): item for item in value if sum(other.casefold() == item.casefold() for other in value) > 1}
    item = next(iter(again.values())) if len(again) == 1 else ""  # several are answers, or votes
    return item if len(item) > 2 or not item.isascii() else None


def _misshapen(each: TracedValue) -> str | None:
    """What is wrong with the form of a value."""
    value = each.value
    if isinstance(value, float):
        noisy = _NOISE.fullmatch(repr(value)) and sum(map(str.isdigit, repr(value))) >= EXACT_DIGITS
        return "the noise of computing with floats" if noisy else None
    if value == "":
        if each.pointer.rpartition("/")[2].isdecimal() and each.kind in _ITEMS:
            return "an empty item of a list"
        return "empty, though the tool requires it" if _is_missed(each) else None
    if not isinstance(value, str):
        return None
    if value.casefold() in _NONE_IN_WORDS and each.kind != "text" and not each.is_required:
        return None if each.origin != "nowhere" else "the word for no value, as text"
    fenced = _FENCED.fullmatch(value) if "```" in value else None
    if fenced is not None and not each.stands(value) and (each.kind == "code" or each.stands(fenced["inner"].strip())):
        return "a code fence around the value"
    bare = value.strip()
    if value in _NONE and each.origin != "declaration" and each.kind not in ("code", "query"):
        others = [other for other in each.call.members.values() if isinstance(other, str) and other != value]
        known = any(re.search(rf"\b{value}\b", text, re.I) for text in (*each.before.values(), *others))
        return None if known else "the word for no value, as text"
    if (what := _too_much(each, bare)) is not None:
        return what
    if (day := _DAY.match(value)) is not None and each.kind not in ("code", "query"):
        return None if _is_day(day[1]) or each.stands(day[1]) else "a day that the calendar doesn't have"
    is_prose = each.kind == "text" and _TITLE.search(each.key) is None
    if each.kind in ("code", "query", "path") or is_prose or "\n" in bare or len(bare.split()) > MAX_WORDS:
        return None
    if ("%" in value or "+" in value) and each.stands(unquote_plus(value)):
        return None if each.stands(value) else "encoded as in an address"
    only = _only_member(bare) if bare[:1] == "{" else None
    if only is not None and each.stands(only) and not each.stands(bare):
        return "JSON around the value"
    if bare != value and len(bare) > 1 and each.stands(bare):
        return None if each.is_quoted(value) else "whitespace around the value"
    if (again := _AGAIN.fullmatch(bare)) is not None and each.stands(again[1]) and not each.stands(bare):
        return "the same words again and again"
    if "sql" in each.call.name.lower():
        return None  # whose values are quoted
    if len(bare) > 2 and _QUOTES.get(bare[0]) == bare[-1] and bare.count(bare[0]) == 1 + (bare[0] == bare[-1]):
        inner = bare[1:-1]
        return "quotation marks around the value" if each.stands(inner) and not each.is_quoted(inner) else None
    return _with_more(each, bare)


_DAY = lazy_re(r"(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}.{0,20})?\Z", re.ASCII)


def _is_day(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _with_more(each: TracedValue, bare: str) -> str | None:
    """What a value has around or between the words that were given."""
    if each.stands(each.value):
        return None
    if each.stands(" ".join(bare.split())):
        return "a tab or more spaces between the words than were given"
    if each.kind == "enum" or placeholder_in(bare, each.key) is not None:
        return None  # TC116 reports placeholders
    if bare.casefold() in jsontext.compact(each.function).casefold():
        return None
    if bare[0].isupper() and each.kind == "name" and each.stands(bare.replace("_", " ")):
        return "underscores between the words"
    if bare.endswith(("...", "…")) and _goes_on(each, bare.rstrip(".…")):
        return "cut, with dots at its end"
    core = _core(bare)
    if len(core) <= 2 or not each.stands(core):
        return None
    label = bare.partition(core)[0].casefold()
    is_other = label.endswith("=") and label[:-1].strip() != each.key.casefold()
    if is_other or (label and label in jsontext.compact(each.function).casefold()):
        return None  # the tool asks for it
    return f"more than {shown(core)}, which was given"


def _goes_on(each: TracedValue, text: str) -> bool:
    """Whether a text is only given with more letters after it."""
    found = [
        match[1]
        for before in each.before.values()
        for match in re.finditer(rf"{re.escape(text.casefold())}(\w?)", before)
    ]
    return bool(found) and all(found)


def _too_much(each: TracedValue, bare: str) -> str | None:
    """What a text has of the request that was not meant: its quotation marks, all of it, two names in place of one."""
    request = each.before.get("request", "").strip()
    if (
        bare[:1] in _TYPESET
        and bare[-1:] == _TYPESET[bare[0]]
        and bare.casefold() in request
        and bare.count(bare[0]) == 1
    ):
        return "the quotation marks of the request around the value"
    if each.kind == "text" and bare.casefold() == request and len(_QUOTED.findall(request)) == 1:
        return "the whole request, which has the text in quotation marks"
    names = [name.strip() for name in _LIST.split(bare)] if each.kind == "name" else []
    if len(names) != 2 or not all(names) or _SEVERAL.search(f"{each.key} {each.schema.get('description')}"):
        return None
    one, other = (re.escape(name.casefold()) for name in names)
    both = re.search(rf"{one}\s?(?:\b(?:and|und|y|et|e)\b|[和与跟及、])\s?{other}", request) is not None
    return "two names in one text" if both and bare.casefold() not in request else None


_TYPESET: Final = {"“": "”", "„": "“", "«": "»", "「": "」"}
_QUOTED = lazy_re(r"[“„«「\"][^“”„«»「」\"]{2,200}[”“»」\"]")
_LIST = lazy_re(r",|，|、|;")
_SEVERAL = lazy_re(r"s(?:\b|_)|list|comma|multiple|several|separated|or more|多个|列表|逗号|分隔|、", re.I)
"""Signs of an argument that takes several values in one text."""

_ITEMS: Final = frozenset({"name", "id", "date", "text"})
"""Kinds of texts of which an empty one in a list says nothing."""

_AROUND = '[](){}<>,;:*~\\"?…，；：？'
_TAGS = lazy_re(r"<(\w+)>(.*)</\1>", re.DOTALL)
_BYTES = lazy_re(r"b(['\"])(.*)\1")


def _core(text: str) -> str:
    """A text without brackets and commas around it, its argument's name before it, or the mark of Python's bytes."""
    if (match := _BYTES.fullmatch(text) or _TAGS.fullmatch(text)) is not None:
        return match[2]
    if (named := _LABEL.match(text)) is not None:
        text = text[named.end() :].strip().strip("'\"")
    return _TOKEN.sub("", text).strip(_AROUND)


_LABEL = lazy_re(r"[A-Za-z_]{2,20}\s?:\s?(?!/)|[a-z_]{2,20}\s?=\s?")
"""A name before a value: the argument's own, or a role's."""

_TOKEN = lazy_re(r"<\|[\w-]{2,30}\|>")

_TITLE = lazy_re(r"title|name|subject|label", re.I)
"""Names of arguments for short texts that the request gives."""


def _only_member(text: str) -> str | None:
    """The text in a JSON object with one member; ``None`` if it is no such object."""
    value = jsontext.opened(text)
    only = next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else None
    return only if isinstance(only, str) and only else None


_AGAIN = lazy_re(r"(\w[\w ]{2,40})(?:[ ,]{1,3}\1){2,}")


_SECOND = lazy_re(r"(?:address|street|line)_?2|second_?line|middle_?name|suffix", re.I)
"""Parts of addresses and names that many don't have, so that forms leave them empty."""


def _is_missed(each: TracedValue) -> bool:
    """Whether an empty text stands for a name, an id or a day that a tool requires."""
    parameters = each.schema.get("enum"), each.schema.get("default"), each.schema.get("description")
    if each.kind not in ("name", "id", "date") or each.pointer.count("/") != 1 or parameters[:2] != (None, None):
        return False
    if _SECOND.search(each.key) is not None:
        return False
    described = str(parameters[2] or "")
    return (
        each.is_required
        and re.search(r"empty|blank|optional|\bif\b|default|none|空|可选|默认", described, re.I) is None
    )


@rule("TC126", "wrapped-arguments", "error", guards=("unfit",))
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

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        if len(call.members) != 1 or not isinstance(call.name, str):
            return
        ((key, inner),) = call.members.items()
        declared = row.index.properties(call.name)
        if declared is None or key in declared or not isinstance(inner, dict) or not inner:
            return
        if all(name in declared for name in inner):
            message = f"the arguments of {call.name} are inside {key!r}, expected {listed(inner)} at the top"
            yield self.finding(row, call.arguments_pointer, message)
