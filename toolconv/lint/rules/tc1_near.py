"""TC1xx: values that are nearly those that were given."""

from __future__ import annotations

from collections.abc import Iterator

from toolconv.lint.model.finding import Finding
from toolconv.lint.model.guards import has_calls
from toolconv.lint.model.row import LintRow
from toolconv.lint.names import shown
from toolconv.lint.rule import RowRule, rule
from toolconv.lint.values.near_misses import near_misses


@rule("TC127", "near-miss-value", "warning", preview=True, guards=(has_calls,))
class NearMiss(RowRule):
    """An id, a number or a date that is nearly one that the user or a response gives, and that nothing gives.

    Anti-pattern: ``2025-04-03`` for 4 March 2025, ``order_1042`` for ``order_1043``: day and month exchanged, counted
    one too far, a digit lost.

    Why it hurts: the call is well formed and does the wrong thing to somebody else's order, and the model learns that
    ids need not be copied exactly.

    Best practice: copy ids as they are; write dates from the request.

    Bad: user: "Cancel A-1042", call: ``{"order_id": "A-1043"}``

    Good: user: "Cancel A-1042", call: ``{"order_id": "A-1042"}``

    A date counts if only day and month are exchanged; an id or a number of the request if two neighbouring digits are
    exchanged; an id if it is one higher or lower than one that was given, or, with six digits or more, has one
    character more, less or other; a number if it is ten times one of the request, or a tenth of it; a mail address if
    only the part after the ``@`` differs, or only signs; a number with decimals, of five characters or more, if only
    that with the other sign was given, or a place on the map with two digits exchanged; a price or a count below zero;
    an amount of money whose thousands were read as decimals; an id from nowhere, where the responses before it have
    exactly one other under the argument's name, and no call takes that; a symbol if its letters are in another order; a
    text of two words or more if it ends within a word.

    In 34,559 rows of more than 35 makers, 6,815 of them with calls: 2 findings, both right (one address in two copies).
    In 8,989 others of 15 publishers: 1 finding, the same address. In 751 Korean rows of one publisher: 1 finding, wrong
    (a particle after the value), which was mended. In 15,396 rows with outputs of models of 18 makers: none.

    In 7,098 rows of 16 other publishers on GitHub: 98 different findings were read, 97 right and 1 wrong (a user who
    corrects an id by one digit). 96 are of one publisher, whose speech models of four makers mishear digits; for the
    others the rule stays in preview.

    In 11,908 rows of 27 further publishers on GitHub: 3 different findings of one, all wrong, whose one cause (ten
    times a number, where ten was given, too) was mended; after that, none.

    In 10,012 rows of 12 further publishers on GitHub: 4 different findings of 2, all wrong, whose causes (items
    that are counted on, a quantity that goes down, the number of an id) were mended. In 23,132 rows of 30 further ones:
    2 different findings of 2, 1 right (an address) and 1 wrong, whose cause (a text with other capitals) was mended.

    Source: BFCL's and tau-bench's comparisons of arguments.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for each, given in near_misses(row):
            how = "which ends in the middle of a word that was given" if given is None else f"where {given} was given"
            cause = "cut in the middle of a word" if given is None else "nearly a value that was given"
            yield self.finding(row, each.place, f"{each.name} is {shown(each.value)}, {how}", cause=cause)
