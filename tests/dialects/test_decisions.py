"""Each known slip, and each criterion by which readings are compared, decides what is read in a case of ``fixtures/``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.conftest import each, exhaustive, tables
from tests.dialects import test_field, test_reader
from toolconv import dialects
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.choice import best_reading, known_slips
from toolconv.dialects.choice.known_slips import SLIPS, KnownSlip
from toolconv.dialects.lexing.markers import may_hold_markup
from toolconv.dialects.turn_reader import TurnReader

CRITERIA = ("whole", "unread", "calls", "unknown", "repairs", "named", "written", "own")
"""What ``best_reading.score_of`` compares, in its order."""
UNDECIDED = ("unknown", "own")
"""Those that decide no case."""
WEIGHTS: dict[str, Callable[..., Any]] = {
    "_is_wrapped": lambda call: False,
    "_is_foreign": lambda dialect, text: False,
}
"""What else counts as repairs, each with what leaves it out."""

Text = tuple[str, str | None, ToolIndex]
"""A text, the dialect named for it, and the declared tools."""


def texts() -> Iterator[Text]:
    for name, cases in tables("reading").items():
        for case in cases:
            tools = test_field.TOOLS if name == "field" else test_reader.TOOLS if "tools" in case else NO_TOOLS
            yield case["text"], case.get("from"), tools
    for name, cases in tables("dialects").items():
        for case in cases:
            yield case["text"], name, ToolIndex(case["tools"]) if "tools" in case else NO_TOOLS


TEXTS = list(texts())


def reading(text: str, name: str | None, tools: ToolIndex) -> object:
    reader = TurnReader(dialects.get(name)) if name else TurnReader(default=dialects.get("hermes"))
    parsed = reader.read(text, tools)
    calls = [(call.name, json.dumps(call.arguments)) for call in parsed.calls]
    return calls, parsed.content, parsed.reasoning, parsed.repairs, len(parsed.dropped)


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: f"{slip.sign}-{slip.repair}")
def test_a_case_needs_it(slip: KnownSlip, monkeypatch: pytest.MonkeyPatch) -> None:
    concerned = [case for case in TEXTS if slip.sign in case[0]]
    known = known_slips.SLIPS
    for case in concerned:
        monkeypatch.setattr(known_slips, "SLIPS", known)
        with_it = reading(*case)
        monkeypatch.setattr(known_slips, "SLIPS", tuple(case for case in known if case is not slip))
        if reading(*case) != with_it:
            return
    pytest.fail(f"no case reads otherwise without it, of {len(concerned)} with {slip.sign!r}")


@each("slip", SLIPS)
def test_a_text_with_it_holds_what_slips_begin_with(slip: KnownSlip) -> None:
    begins_with_tag = slip.pattern.pattern.startswith(("<", "(<"))
    assert begins_with_tag or any(sign in slip.sign for sign in known_slips._ANY_BEGINNINGS)


@each("tag", sorted(known_slips.TAGS))
def test_a_sign_that_is_a_tag_is_only_in_texts_that_may_hold_markup(tag: str) -> None:
    assert may_hold_markup(tag)


@pytest.fixture(scope="module")
def decided() -> list[tuple[Text, object]]:
    """The texts whose readings are compared, each with what is read of it."""
    asked = []

    def noting(function: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*given: Any) -> Any:
            asked.append(function)
            return function(*given)

        return noted

    found = []
    with pytest.MonkeyPatch.context() as patch:
        for name in ("score_of", *WEIGHTS):
            patch.setattr(best_reading, name, noting(getattr(best_reading, name)))
        for each in TEXTS:
            asked.clear()
            read = reading(*each)
            if asked:
                found.append((each, read))
    return found


@exhaustive
@pytest.mark.parametrize("criterion", [each for each in CRITERIA if each not in UNDECIDED])
def test_a_case_needs_the_criterion(
    criterion: str, decided: list[tuple[Text, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    score, at = best_reading.score_of, CRITERIA.index(criterion)

    def without(*given: Any) -> tuple[int, ...]:
        found = score(*given)
        assert len(found) == len(CRITERIA)
        return (*found[:at], 0, *found[at + 1 :])

    monkeypatch.setattr(best_reading, "score_of", without)
    assert any(reading(*each) != known for each, known in decided)


@exhaustive
@pytest.mark.parametrize("name", WEIGHTS)
def test_a_case_needs_the_weight(
    name: str, decided: list[tuple[Text, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(best_reading, name, WEIGHTS[name])
    assert any(reading(*each) != known for each, known in decided)
