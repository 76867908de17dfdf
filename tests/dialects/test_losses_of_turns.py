"""What a dialect's text can not hold of a conversation is a loss, and what it holds comes back."""

from __future__ import annotations

import json
import re

import pytest

from tests.layouts.test_losses_of_turns import converted, said
from tests.templates.test_losses_of_turns import conversation
from toolconv import Options, Receipt, convert_rows, dialects

NAMES = [dialect.name for dialect in dialects.all_dialects()]  # before other tests add some


@pytest.mark.whole
@pytest.mark.parametrize("turns", ["uptauh", "urtrth", "ubtta"])
def test_what_a_text_can_not_hold_is_lost_by_name_and_the_rest_comes_back(turns: str) -> None:
    given = conversation(turns)
    words = dict.fromkeys(re.findall(r"[A-Z][a-z]+\d+z", str(given["messages"])))
    ((wanted, _),) = converted([given], "openai")
    whole = 0
    for name in NAMES:
        receipt = Receipt()
        (row,) = convert_rows([given], Options(target=name), receipt=receipt)
        text = json.dumps(row, ensure_ascii=False)
        missing = [word for word in words if word not in text]
        assert receipt.losses or not missing, (name, missing)
        (back,) = convert_rows([row], Options(source=name, to_layout="openai"))
        again = json.dumps(back, ensure_ascii=False)
        assert all(word in again for word in words if word not in missing), name
        if receipt.losses.keys() <= {"call_id"}:
            assert said(back) == said(wanted), name
            whole += 1
    assert whole > len(NAMES) * 0.9
