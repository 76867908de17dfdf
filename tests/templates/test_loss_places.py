"""Each place of ``toolconv/templates/`` that counts a loss is reached by a conversation of ``fixtures/``.

See ``tests/layouts/test_loss_places.py``. The conversations are those that show what originals write otherwise, written with
every template, and the cases of ``fixtures/templates/losses.jsonl``. Templates in files, and rows of several answers, have
tests of their own (``test_chat_template_losses.py``, ``tests/convert/test_answers.py``).
"""

from __future__ import annotations

import ast
import copy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import toolconv
from tests.conftest import FIXTURES, each, exhaustive, rows, table
from tests.layouts.test_loss_places import Place, Recorded
from toolconv import templates
from toolconv.core import notes
from toolconv.dialects.base import RenderError
from toolconv.templates.base import ChatView

CASES = table("templates", "losses")


@each("case", CASES)
def test_what_is_lost_is_counted(case: dict[str, Any]) -> None:
    assert sorted(written(case["canonical"], case["template"], case.get("variables")).losses) == case["losses"]


def written(row: dict[str, Any], template: str, variables: dict[str, Any] | None = None) -> toolconv.RenderedText:
    return toolconv.render(copy.deepcopy(row), template, variables=variables)


def counting_places() -> Iterator[Place]:
    """The statements of the families' templates, and of what they share, that count a loss."""
    for path in sorted(Path(templates.__file__).parent.glob("*.py")):
        if path.name == "output.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Expr(ast.Call(ast.Attribute(attr="lose"))) | ast.AugAssign(ast.Attribute(attr="losses")):
                    yield str(path), node.lineno, node.end_lineno or node.lineno


@exhaustive
def test_each_place_that_counts_a_loss_is_reached_by_a_case(monkeypatch: pytest.MonkeyPatch) -> None:
    reached: set[tuple[str, int]] = set()
    init, lose = notes.Notes.__init__, ChatView.lose

    def recording(self: notes.Notes, *given: Any, **named: Any) -> None:
        init(self, *given, **named)
        self.losses = Recorded(self.losses)

    def lost(self: ChatView, kind: str) -> None:
        caller = sys._getframe(1)
        reached.add((caller.f_code.co_filename, caller.f_lineno))
        lose(self, kind)

    monkeypatch.setattr(notes.Notes, "__init__", recording)
    monkeypatch.setattr(ChatView, "lose", lost)
    monkeypatch.setattr(Recorded, "places", reached)
    for case in CASES:
        written(case["canonical"], case["template"], case.get("variables"))
    for row in rows(FIXTURES / "originals.jsonl"):
        for name in templates.names():
            try:
                written(row, name)
            except RenderError:
                continue
    unreached = [
        f"{Path(path).name}:{first}"
        for path, first, last in counting_places()
        if not any(path == file and first <= line <= last for file, line in reached)
    ]
    assert unreached == []
