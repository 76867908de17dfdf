"""Each known slip decides what is read in a case of ``fixtures/``: one that no case needs is not mended."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.conftest import tables
from tests.dialects import test_field, test_reader
from toolconv import dialects
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.choice import known_slips
from toolconv.dialects.choice.known_slips import SLIPS, KnownSlip
from toolconv.dialects.turn_reader import TurnReader

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
    concerned = [each for each in TEXTS if slip.sign in each[0]]
    known = known_slips._BY_SIGN
    for each in concerned:
        monkeypatch.setattr(known_slips, "_BY_SIGN", known)
        with_it = reading(*each)
        monkeypatch.setattr(known_slips, "_BY_SIGN", [pair for pair in known if pair[1] is not slip])
        if reading(*each) != with_it:
            return
    pytest.fail(f"no case reads otherwise without it, of {len(concerned)} with {slip.sign!r}")
