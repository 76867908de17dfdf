"""Why something was lost: the sentences for the names of losses, each with its count and its first places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from toolconv.core.errors import shortened
from toolconv.core.notes import Reason

MAX_SENTENCES: Final = 20
"""How many sentences a loss lists; those that name values of the data may be many."""
MAX_PLACES: Final = 3
OTHERS: Final = "other reasons"

LossReasons = dict[str, dict[str, dict[str, Any]]]
"""By the name of a loss and by sentence: ``count``, and ``places`` of ``file`` and ``line``. It is plain data."""


def count_reasons(found: LossReasons, reasons: Iterable[Reason], file: str, line: int) -> None:
    """Count the reasons of a row."""
    for reason in reasons:
        _add(found, reason.loss, shortened(reason.sentence), 1, [{"file": file, "line": line}])


def add_reasons(found: LossReasons, later: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> None:
    """Add the reasons of later rows."""
    for loss, sentences in later.items():
        for sentence, counted in sentences.items():
            _add(found, loss, sentence, counted["count"], counted["places"])


def _add(found: LossReasons, loss: str, sentence: str, count: int, places: Iterable[Any]) -> None:
    sentences = found.setdefault(loss, {})
    if sentence not in sentences and len(sentences) >= MAX_SENTENCES:
        sentence = OTHERS
    counted = sentences.setdefault(sentence, {"count": 0, "places": []})
    counted["count"] += count
    kept = counted["places"]
    kept += [place for place in places if place not in kept][: MAX_PLACES - len(kept)]
