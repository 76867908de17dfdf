"""The form that the description of a parameter asks for: dates and times, codes of some letters, a range, a choice.

A description is prose: only what it says in set phrases is taken for a rule, and nothing of one that allows for more
("or", "such as", "etc.").
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

from toolconv.core.lazy_re import lazy_re
from toolconv.lint.values.words import ANY_NUMBER, NUMBERS


class WantedForm(NamedTuple):
    """A form of values.

    Attributes:
        asked: what the description asks for, as it says so.
        fits: whether a value, a text or a number, has that form.
        choices: the values that fit, where the description lists them.
    """

    asked: str
    fits: Callable[[Any], bool]
    choices: tuple[str, ...] = ()


MAX_CHOICES: Final = 40
"""A longer list is no choice but data."""

_TEMPLATE = lazy_re(
    r"(?<![A-Za-z0-9_%])(?:YYYY|yyyy|YY|MM|DD|dd|HH|hh|TT|JJ|JJJJ|AAAA)"
    r"(?:(?:[-/.: ]|'?T'?)(?:YYYY|yyyy|JJJJ|AAAA|YY|MM|mm|DD|dd|TT|JJ|HH|hh|SS|ss)){1,5}"
    r"(?![A-Za-z\[(]|[:/.-][A-Za-z\[(])"
)
_ISO = lazy_re(r"\bISO[ -]?8601\b", re.I)
_ISO_VALUE = lazy_re(r"\d{4}-?\d{2}|\d{2}:?\d{2}|^-?P(?=.*\d)|^[Rr]\d*/")
_OTHERWISE = lazy_re(r"\bor\b|\brelative\b|\bnatural\b|或", re.I)
_PART = lazy_re(r"YYYY|yyyy|JJJJ|AAAA|([YMmDdHhSsTJ])\1")
_OPEN = lazy_re(
    r"\bor\b|\betc\b|\be\.?g\.|\bi\.e\.|\bsuch as\b|\blike\b|\bexamples?\b|\bincluding\b|\boptional|\brelative\b"
    r"|\bdefaults?\b|\.\.\.|…|例如|比如|或|等",
    re.I,
)
_LETTERS = lazy_re(r"\b(?P<count>two|three|four|2|3|4)[- ](?:letters?\b|letter|char(?:acter)?)\b", re.I)
_STANDARDS: Final = (
    (lazy_re(r"\bISO[- ]?4217\b", re.I), "three letters (ISO 4217)", 3),
    (lazy_re(r"\balpha-?2\b", re.I), "two letters (alpha-2)", 2),
    (lazy_re(r"\balpha-?3\b", re.I), "three letters (alpha-3)", 3),
    (
        lazy_re(r"\b(?:airline|carrier)s?\b.{0,20}\bIATA\b|\bIATA\b.{0,20}\b(?:airline|carrier)", re.I),
        "two signs (IATA)",
        2,
    ),
    (lazy_re(r"\bIATA\b(?=.{0,20}\bcode)", re.I), "three letters (IATA)", 3),
)
_RANGE = lazy_re(
    r"\b(?:between|from)\s(?P<a>-?\d{1,9}(?:\.\d{1,9})?)\s(?:and|to)\s(?P<b>-?\d{1,9}(?:\.\d{1,9})?)(?![\w.%]*\d)"
    r"|\bfrom\s(?P<g>\d{1,9})\s\([^)]{1,20}\)\sto\s(?P<h>\d{1,9})\s\("
    r"|[(\[](?:range:?\s)?(?P<c>-?\d{1,9}(?:\.\d{1,9})?)\s?(?:[-–—]|to)\s?(?P<d>\d{1,9}(?:\.\d{1,9})?)[)\]]"
    r"|(?P<e>\d{1,9})\s?(?:到|至|~)\s?(?P<f>\d{1,9})\s?之间",
    re.I,
)
_CHOICE = lazy_re(
    r"(?:\b(?:must be |is |should be )?(?:either|one of)(?: the following)?"
    r"(?: [a-z]{3,20}(?=\s?[:：])| values| options)?"
    r"|\b(?:possible|allowed|valid|accepted|supported) (?:values|options|choices)(?: are)?"
    r"|\b(?:options|choices)(?: are)?|可选值?|可选项|取值为?|必须是)(?:\s?[:：]\s?|\s)(?P<list>[^.;；。()\n]{3,400})"
    r"|: (?P<last>[\w-]{2,20}(?:, [\w-]{2,20}){1,10},? or [\w-]{2,20})\.?\s?\Z",
    re.I,
)
_QUOTED = lazy_re(r"['\"`‘“「]([^'\"`’”」\n]{1,40})['\"`’”」]")
_BETWEEN = lazy_re(r"[,/|、，或]|\bor\b|\band\b")


@lru_cache(maxsize=1024)
def forms_in(description: str, type_: str) -> tuple[WantedForm, ...]:
    """The forms that a description asks for, for values of a JSON type: all of them hold.

    Args:
        description: the description of a parameter.
        type_: ``string``, ``number`` or ``integer``; else nothing is asked for.
    """
    if _NUMBERED.search(description) is not None:
        return ()
    if type_ == "string":
        found = (
            _dated(description),
            _code(description),
            _composed(description),
            _written(description),
            _choice(description),
        )
        return tuple(form for form in found if form)
    if type_ in ("number", "integer") and (form := _range(description) or _bound(description) or _named(description)):
        return (form,)
    return ()


_NUMBERED = lazy_re(r"\b1[.)] ?[A-Za-z][^\n]{0,200}\n? ?2[.)] ?[A-Za-z]")
"""The beginning of a numbered list of forms, any of which will do."""

_RANGES: Final = (
    (lazy_re(r"\blatitude\b|纬度", re.I), "a latitude, -90 to 90", 90.0),
    (lazy_re(r"\blongitude\b|经度", re.I), "a longitude, -180 to 180", 180.0),
)
"""Numbers whose name says the range."""

_WRITTEN: Final = (
    (lazy_re(r"\bE\.?164\b", re.I), "a phone number as E.164", lazy_re(r"\+[1-9]\d{6,14}")),
    (
        lazy_re(r"\bhex(?:adecimal)? (?:colou?r|code)|#RRGGBB", re.I),
        "a color in hexadecimal",
        lazy_re(r"#?[0-9a-f]{3,8}", re.I),
    ),
    (
        lazy_re(r"\be-?mail address\b|邮箱", re.I),
        "a mail address",
        lazy_re(r"[^@\s]+@[^@\s.]+(?:\.[^@\s.]+)+|[^@<]*<[^@\s>]+@[^@\s>]+>"),
    ),
    (lazy_re(r"\bupper ?case\b", re.I), "upper case", lazy_re(r"[^a-z]+")),
    (lazy_re(r"\blower ?case\b", re.I), "lower case", lazy_re(r"[^A-Z]+")),
    (lazy_re(r"\bISO date\b", re.I), "a date", lazy_re(r"\d{4}-?\d{2}-?\d{2}.*")),
    (
        lazy_re(r"(?<!\bto )(?<!\bto a )(?<!\bto its )\bUUID\b"),
        "a UUID",
        lazy_re(r"[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", re.I),
    ),
    (
        lazy_re(r"\bcomma[- ]separated\b", re.I),
        "a list with commas",
        lazy_re(r"(?![A-Z][\w-]* (?:and|und|y|et) [A-Z][\w-]*\Z).*", re.DOTALL),
    ),
    (lazy_re(r"\bIPv4\b"), "an IPv4 address", lazy_re(r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?")),
)
"""What a description names a form by, how a finding names it, and the form.

Source: ITU-T E.164, CSS Color, RFC 9562."""


def _written(description: str) -> WantedForm | None:
    """A form that has a name: phone numbers as E.164, colors in hexadecimal."""
    for label, asked, form in _WRITTEN:
        if label.search(description) is not None and _PART_OF.search(description) is None:
            return WantedForm(asked, partial(_is_whole, form))
    return None


_PART_OF = lazy_re(r"\bor\b|\brelative\b|\bnatural\b|\bdomain\b|或", re.I)
"""Signs of another form, or of a part of the one that is named."""


def _is_whole(form: re.Pattern[str], value: str) -> bool:
    return form.fullmatch(value.strip()) is not None


_LEAST_MOST = lazy_re(
    r"(?P<most>\b(?:at most|no more than|up to|max(?:imum)?(?: of| is|:)?)|最多|不超过|最大(?:值)?为?)"
    r"\s?(?P<a>\d{1,9}(?:\.\d{1,9})?)"
    r"(?![\w.,]{0,20}\d|\s?%)"
    r"|(?P<least>\b(?:at least|no less than|min(?:imum)?(?: of| is|:)?)|最少|至少|不少于|最小(?:值)?为?)"
    r"\s?(?P<b>\d{1,9}(?:\.\d{1,9})?)"
    r"(?![\w.,]{0,20}\d|\s?%)"
    r"|(?P<over>\b(?P<c>\d{1,9})(?: [a-z]+)? (?:or|and) (?:older|over|above|higher|more)\b)",
    re.I,
)


def _bound(description: str) -> WantedForm | None:
    """The least or the most that a description allows."""
    found = list(_LEAST_MOST.finditer(description))
    if (
        not found
        or _LENGTH.search(description)
        or re.search(r"\bor\b|item|element|word|per page|或", _LEAST_MOST.sub("", description), re.I)
    ):
        return None
    most = min((float(match["a"]) for match in found if match["a"]), default=float("inf"))
    least = max((float(match["b"] or match["c"]) for match in found if match["b"] or match["c"]), default=float("-inf"))
    return WantedForm(found[0][0], lambda value: least <= value <= most) if least < most else None


def _dated(description: str) -> WantedForm | None:
    templates = dict.fromkeys(match[0] for match in _TEMPLATE.finditer(description))
    if not templates and (match := _ISO.search(description)) is not None and _OTHERWISE.search(description) is None:
        return WantedForm(match[0], lambda value: _ISO_VALUE.search(value) is not None)
    if not templates or _OPEN.search(description.replace("'T'", "T")):
        return None
    plain = [template.replace("'", "") for template in templates]  # Java quotes the letters that stay
    patterns = [re.compile(_PART.sub(_digits, re.escape(template))) for template in plain]
    return WantedForm(" or ".join(templates), lambda value: any(pattern.search(value) for pattern in patterns))


def _digits(part: re.Match[str]) -> str:
    return r"\d{4}" if len(part[0]) == 4 else r"\d{2}"


def _code(description: str) -> WantedForm | None:
    match = _LETTERS.search(description)
    if match is not None and "code" in description.lower():
        count = NUMBERS.get(match["count"].lower()) or int(match["count"])
        asked = match[0]
    else:
        found = next(((asked, count) for sign, asked, count in _STANDARDS if sign.search(description)), None)
        if found is None:
            return None
        asked, count = found
    if re.search(r"\bor\b|或|comma|list|逗号|pair|digits", description, re.I):
        return None
    return WantedForm(asked, lambda value: len(value.strip()) == count)


_COMPOSED = lazy_re(
    rf"\b(?P<a>{ANY_NUMBER}|\d{{1,2}}) (?P<one>letters|digits)(?: and|,? followed by|,? then|,) "
    rf"(?P<b>{ANY_NUMBER}|\d{{1,2}}) (?P<other>letters|digits)\b",
    re.I,
)
_CLASSES: Final = {"letters": "[A-Za-z]", "digits": r"\d"}
_PAIR = lazy_re(r"\bas `?[a-z]{3,12}([/:@])[a-z]{3,12}`?(?![\w/:@])")


def _composed(description: str) -> WantedForm | None:
    """A form that a description puts together: two letters and eight digits; two names with a sign between them."""
    if _OPEN.search(description):
        return None
    if (pair := _PAIR.search(description)) is not None:
        return WantedForm(pair[0], lambda value: pair[1] in value)
    match = _COMPOSED.search(description)
    if match is None:
        return None
    parts = [
        f"{_CLASSES[match[name].lower()]}{{{NUMBERS.get(match[count].lower()) or int(match[count])}}}"
        for count, name in (("a", "one"), ("b", "other"))
    ]
    return WantedForm(match[0], partial(_is_whole, re.compile("[- ]?".join(parts))))


def range_in(description: str) -> tuple[float, float] | None:
    """The range of numbers that a description states."""
    match = _RANGE.search(description)
    if match is None or _LENGTH.search(description):
        return None
    low, high = (float(part) for part in match.groups() if part is not None)
    return (low, high) if low < high else None


_LENGTH = lazy_re(r"\bchar|\bdefault|\bletters|\bdigits|字符|默认", re.I)


def _range(description: str) -> WantedForm | None:
    bounds = range_in(description)
    if bounds is None:
        return None
    low, high = bounds
    return WantedForm(f"{low:g} to {high:g}", lambda value: low <= value <= high)


def _named(description: str) -> WantedForm | None:
    """The range of a number whose name says it."""
    found = [(asked, most) for label, asked, most in _RANGES if label.search(description)]
    if len(found) != 1 or re.search(r"radian|microdegree|E7|弧度", description, re.I):
        return None
    asked, most = found[0]
    return WantedForm(asked, lambda value: -most <= value <= most)


def _choice(description: str) -> WantedForm | None:
    match = _CHOICE.search(description)
    if match is None or re.search(
        r"\betc\b|\be\.?g\.|\bsuch as\b|\.\.\.|…|\band more\b|\bany\b|\binclud|\brange\b|例如|等|周.{0,2}到.{0,2}周",
        description,
        re.I,
    ):
        return None
    listed = match["list"] or match["last"]
    choices = _QUOTED.findall(listed) or [part.strip("'\"` *\t[]") for part in _BETWEEN.split(listed)]
    choices = [choice.casefold() for choice in choices if choice]
    if not 2 <= len(choices) <= MAX_CHOICES or any(len(choice.split()) > 2 for choice in choices):
        return None
    known = frozenset(choices)
    return WantedForm(match[0].strip(), lambda value: value.strip().casefold() in known, tuple(choices))


def choices_in(description: str) -> tuple[str, ...]:
    """The values that a description lists as the only ones, without case; empty if it lists none."""
    form = _choice(description)
    return form.choices if form is not None else ()
