"""TC3xx: numbers of people and accounts, known by their check digits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolconv.core.lazy_re import lazy_re
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.guards import matching
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import RowRule, rule
from toolconv.lint.values.check_digits import IBAN_LENGTHS, is_iban, is_luhn

_DIGITS = lazy_re(r"\d{4}")
_CARD = lazy_re(r"(?<![\w-])(?:4\d{3}|5[1-5]\d{2}|6011|3[47]\d{2})(?:[ -]?\d{4}){2}(?:[ -]?\d{3,4})(?![\w-]|\.\d)")
_IBAN = lazy_re(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?!\w)")

_ABOUT_CARDS = lazy_re(r"card|visa|amex|express|credit|debit|paym|\bcc\b|卡", re.I)

NEAR = 60
"""How far from a number, in characters, the word must be that says it is a card's."""

_TEST_CARDS = frozenset(
    {"4111111111111111", "4242424242424242", "4012888888881881", "5555555555554444", "5105105105105100"}
    | {"378282246310005", "371449635398431", "6011111111111117", "6011000990139424", "4000056655665556"}
)
"""Numbers that payment services publish for tests."""

_SAMPLE_ACCOUNTS = frozenset(
    {"AT611904300234573201", "BE68539007547034", "CH9300762011623852957", "CZ6508000000192000145399"}
    | {"DE89370400440532013000", "DK5000400440116243", "ES9121000418450200051332", "FI2112345600000785"}
    | {"FR1420041010050500013M02606", "GB29NWBK60161331926819", "IE29AIBK93115212345678", "IT60X0542811101000000123456"}
    | {"NL91ABNA0417164300", "NO9386011117947", "PL61109010140000071219812874", "PT50000201231234567890154"}
    | {"SE4550000000058398257466", "TR330006100519786457841326"}
)
"""The examples of the register of ISO 13616."""


_NUMBERED = (matching("input", _DIGITS), matching("assistant", _DIGITS), matching("arguments", _DIGITS))


@rule("TC322", "personal-number", "warning", preview=True, guards=_NUMBERED)
class PersonalNumber(RowRule):
    """The number of a payment card or a bank account, whose check digits are right.

    Anti-pattern: logs of real customers used as training data.

    Why it hurts: the model may repeat somebody's card or account to somebody else, and the dataset can't be passed on.

    Best practice: replace the numbers (``toolconv convert --redact``), or use those that payment services and
    the register of IBANs publish as examples, which are not reported.

    Bad: "My card is 4539 5787 6362 1486."

    Good: "My card is 4111 1111 1111 1111."

    The number itself is not in the message. A card's number counts only near a word for cards or payments, since one in
    ten numbers of its form has right check digits by chance: in tables of measurements, 14 of 14 were no cards.

    Source: ISO/IEC 7812-1 (Luhn), ISO 13616 (IBAN); Presidio's recognizers.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for turn in row.turns:
            if what := _number_in(turn.raw_text):
                message = f"the number of a {what}, with the right check digits"
                yield self.finding(row, row.text_pointer(turn.message), message)
            for call in turn.calls:
                if not call.in_text and (what := _number_in(str(call.arguments))):
                    message = f"the number of a {what}, with the right check digits, in the arguments of {call.name}"
                    yield self.finding(row, call.arguments_pointer, message)


def _number_in(text: str) -> str:
    """What kind of number a text holds; empty if it holds none."""
    if _DIGITS.search(text) is None:
        return ""
    for match in _CARD.finditer(text):
        digits = "".join(filter(str.isdigit, match[0]))
        around = text[max(match.start() - NEAR, 0) : match.end() + NEAR]
        if digits not in _TEST_CARDS and is_luhn(digits) and _ABOUT_CARDS.search(around):
            return "payment card"
    for match in _IBAN.finditer(text):
        account = match[0].replace(" ", "")
        if account not in _SAMPLE_ACCOUNTS and len(account) == IBAN_LENGTHS.get(account[:2]) and is_iban(account):
            return "bank account"
    return ""
