"""Values that are nearly what was given: each case follows the page of TC127, both sides of each of its limits."""

from __future__ import annotations

from typing import Any

from tests.conftest import each
from tests.helpers.lint_rows import found_in_call

# A request, a value that is in it or follows from it, and one that is nearly that.
NEAR: list[tuple[str, str, Any, Any]] = [
    ("Move it to 2025-03-04.", "date", "2025-03-04", "2025-04-03"),
    ("Cancel A-1042.", "order_id", "A-1042", "A-1043"),
    ("Cancel A-1042.", "order_id", "A-1042", "A-1041"),
    ("Cancel A-1042.", "order_id", "A-1042", "A-1024"),
    ("A-1042 and B-7731, please.", "order_id", "A-1042", "A-1043"),
    ("Where is parcel 58213?", "parcel_number", "58213", "58231"),
    ("Where is parcel 58213?", "parcel_number", "58213", "58214"),
    ("Track tk-9044175 please.", "tracking_id", "tk-9044175", "tk-904417"),
    ("Track tk-904417 please.", "tracking_id", "tk-904417", "tk-9044171"),
    ("Track tk-904417 please.", "tracking_id", "tk-904417", "tk-904817"),
    ("Pay 4200 to her.", "amount", 4200, 420),
    ("Pay 4200 to her.", "amount", 4200, 42000),
    ("Pay 4271 to her.", "amount", 4271, 4721),
    ("Dial 58213 for me.", "extension", 58213, 58214),
    ("Mail ann@example.com.", "email", "ann@example.com", "ann@example.org"),
    ("Mail ann.lee@example.com.", "email", "ann.lee@example.com", "annlee@example.com"),
    ("The map of 48.8566 and 2.3522.", "latitude", 48.8566, -48.8566),
    ("A table, budget 120.", "budget", 120, -120),
    ("Buy aapl now.", "ticker", "AAPL", "APAL"),
    ("Book the Grand Budapest Hotel.", "hotel", "Grand Budapest", "Grand Budap"),
]


@each("request, key, right, near", NEAR)
def test_a_value_that_is_nearly_given(request: str, key: str, right: Any, near: Any) -> None:
    assert found_in_call("TC127", {key: right}, request) == []
    assert len(found_in_call("TC127", {key: near}, request)) == 1
    assert found_in_call("TC127", {key: near}, f"{request} Or {near}.") == [], "that was given, too"
    assert found_in_call("TC127", {key: near}, "Do it.") == [], "nothing like it was given"


# A request, and a value that is another one's neighbour by its sense, or by chance.
FAR: list[tuple[str, str, Any]] = [
    ("Move it to 2025-03-04.", "date", "2025-03-05"),
    ("Move it to 2025-03-03.", "date", "2025-03-03"),
    ("Cancel A-1042.", "order_id", "A-1044"),
    ("Cancel A-1042.", "order_id", "A-2401"),
    ("Cancel A-42.", "order_id", "A-24"),  # two digits
    ("Give me the order after A-1042, the next one.", "order_id", "A-1043"),
    ("Where is parcel 5821?", "parcel_number", "5822"),  # may be counted on, such as a year
    ("Track tk-90441 please.", "tracking_id", "tk-90841"),  # five digits
    ("Track tk-904417 please.", "tracking_id", "tk-904188"),
    ("Pay 42 to her.", "amount", 24),
    ("Pay 30 to her.", "amount", 300),
    ("Dial 5821 for me.", "extension", 5822),
    ("Mail ann@example.com.", "email", "bob@example.com"),
    ("Up by 2.5 today.", "change", -2.5),  # three signs
    ("It is -48.8566 there.", "latitude", -48.8566),
    ("48.8566 south of it.", "latitude", -48.8566),
    ("Buy aapl now.", "ticker", "MSFT"),
    ("Book the Grand Budapest Hotel.", "hotel", "Grand"),
    ("Two tickets for the Grand Hotels.", "hotel", "Grand Hotel"),
    ("Take 5 off the shelf.", "quantity_change", -5),
    ("The order 1043, not #A1042.", "order_id", "#A1043"),  # its number was given
]


@each("request, key, value", FAR)
def test_a_value_that_is_near_by_chance_or_for_a_reason(request: str, key: str, value: Any) -> None:
    assert found_in_call("TC127", {key: value}, request) == []
