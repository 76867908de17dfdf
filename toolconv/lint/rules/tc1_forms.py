"""TC1xx: values of arguments against the name and the description of their own parameter."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from toolconv.core.lazy_re import lazy_re
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.guards import Declaring, Words, has_calls, matching
from toolconv.lint.model.row import LintRow
from toolconv.lint.names import shown
from toolconv.lint.rule import RowRule, rule
from toolconv.lint.values.check_digits import wrong_number
from toolconv.lint.values.confusables import ODD, confusable_in
from toolconv.lint.values.described_forms import forms_in
from toolconv.lint.values.origins import arguments, origins

_LONG = lazy_re(r"(?:[ -]?\d){7}|[A-Z0-9]{11}|\\u")


@rule("TC128", "described-form", "warning", preview=True, guards=(Declaring(attrgetter("may_ask"), has_calls),))
class DescribedForm(RowRule):
    """A value that is not what the description of its parameter asks for.

    Anti-pattern: ``"half past seven"`` for "Time as HH:MM", ``"dollars"`` for "three-letter ISO 4217 code", 45 for
    "between 1 and 30".

    Why it hurts: the tool refuses the value or misreads it, and the model learns to leave descriptions unread.

    Best practice: write the value as the description asks; better, put the form into the schema (``format``, ``enum``,
    ``minimum``), where TC104, TC105 and TC124 check it.

    Bad: ``{"date": "4 March 2025"}``, described as "The day, as YYYY-MM-DD"

    Good: ``{"date": "2025-03-04"}``

    A description counts where it says one of these and no "or", "such as" or "e.g." with it: a date or a time as
    ``YYYY``, ``MM``, ``DD``, ``HH``, ``SS``; a code of two to four letters, ISO 4217, alpha-2, alpha-3; a range of
    numbers, the least or the most; a choice after "one of", "either", "allowed values"; a mail address, upper or
    lower case, E.164, a color in hexadecimal, UUID, IPv4, latitude and longitude; a number of letters and digits,
    two names with a sign between them; commas, where a value is two names joined by "and". What the description itself
    names is always right.

    Judged in nine rounds, most of them on rows that the checks had not seen: 108 of 129 findings were right, in 101,000
    rows of more than 80 makers and publishers. The causes of 20 of the others (a ``T`` between day and hour, ranges of
    choices and of days, tools that check addresses, codes of airlines, parts of a URL) were mended.

    Source: descriptions in the Berkeley leaderboard and glaive; linters of schemas, which ask for ``format``.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for each in arguments(row):
            kind, described = str(each.schema.get("type")), each.description
            is_named = str(each.value).casefold() in described.casefold()  # so is an empty text
            if is_named or isinstance(each.value, str) != (kind == "string") or _CHECKS.search(each.call.name):
                continue
            if isinstance(each.value, str) and _URL.match(each.value):
                continue  # a description of a URL tells of its parts
            asked = next((form.asked for form in forms_in(described, kind) if not form.fits(each.value)), None)
            if asked is not None:
                message = f"{each.name} is {shown(each.value)}, where its description asks for {shown(asked)}"
                yield self.finding(row, each.place, message, cause=f"{each.name} is not what its description asks for")


_URL = lazy_re(r"(?i:https?)://")


_CHECKS = lazy_re(
    r"(?:^|_)(?:is|check|verif\w*|valid\w*)(?:_|$)|[a-z](?:Check|Verif|Valid)|^(?:is|check|valid|verif)[A-Z]"
)
"""Names of tools that say whether a value is right, so that they take wrong ones."""


@rule("TC129", "wrong-check-digits", "warning", preview=True, guards=(matching("arguments", _LONG),))
class WrongCheckDigits(RowRule):
    """The number of a card, an account, a book or a product, whose check digits are wrong.

    Anti-pattern: numbers that a generator made up: ``DE12345678901234567890`` as an IBAN.

    Why it hurts: a real tool refuses the call, and the model learns that any digits will do.

    Best practice: make up numbers with right check digits, or take those that are published for tests.

    Bad: ``{"iban": "DE89370400440532013001"}``

    Good: ``{"iban": "DE89370400440532013000"}``

    The name or the description of the argument must say what it is: card number, IBAN, ISBN, EAN or GTIN, IMEI,
    container number, VIN of North America; and the value must have that number's form. It doesn't matter whether the
    user gives the same number.

    In 15,600 rows of more than 20 makers: 4 findings, all right (two numbers, one in three renderings).

    In 10,012 rows of 12 further publishers on GitHub: 2 different findings of one, both right.

    Source: ISO/IEC 7812-1, ISO 13616, ISO 2108, ISO 6346, 49 CFR 565, GS1; modelbrew-cleaner's typed detectors.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for each in arguments(row):
            if isinstance(each.value, str) and (
                what := wrong_number(each.value, each.key.replace("_", " "), each.description)
            ):
                yield self.finding(row, each.place, f"{each.name} is the number of {what}, with wrong check digits")


@rule("TC132", "confusable-letters", "warning", guards=(Words("arguments", (*ODD, "\\u")), Words("assistant", ODD)))
class ConfusableLetters(RowRule):
    """A letter of another alphabet that looks like one of English, or a character that nobody sees, in an English word.

    Anti-pattern: ``"Оslo"`` with a Cyrillic О, from keyboards, from web pages, from attacks on filters.

    Why it hurts: the tool finds no such city, and nobody sees why.

    Best practice: write the word in one alphabet.

    Bad: ``"Оslo"`` (the first letter is Cyrillic)

    Good: ``"Oslo"``

    Arguments and answers are looked at. All other letters of the word must be ASCII. Formulas, such as ``Δx``, have no
    letters that look like English ones.

    In 9,722 rows of 46 public files: no finding. A word in two alphabets is a fact, so the rule is on.

    In 10,012 rows of 12 further publishers on GitHub: 1 finding, right (a Cyrillic letter in a model's answer).

    Source: Unicode Technical Standard 39, confusables.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for each in origins(row):
            found = confusable_in(each.value) if isinstance(each.value, str) else None
            if found is not None:
                word, letter = found
                message = f"{each.name} has {shown(word)} with {letter}"
                yield self.finding(row, each.place, message, cause="a letter of another alphabet in an English word")
        for turn in row.turns:
            found = confusable_in(turn.text) if turn.role == "assistant" else None
            if found is not None:
                word, letter = found
                message = f"the answer has {shown(word)} with {letter}"
                yield self.finding(row, row.text_pointer(turn.message), message)
