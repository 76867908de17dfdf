"""Which dialect a text is in: by its markers, by how well each dialect reads it, and by what it would write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from toolconv.dialects import all_dialects
from toolconv.dialects.base import Dialect
from toolconv.toolindex import NO_TOOLS, ToolIndex

# Where two dialects read and write a text alike, the one that more models write is named.
PREFERRED: Final = ("hermes", "qwen3_xml", "mistral", "deepseek_v3", "kimi_k2", "llama3_json", "openai", "canonical")


class Detection(NamedTuple):
    """What a text is.

    Attributes:
        name: the dialect, or ``None`` when the text holds no call that any of them reads.
        confidence: from 0 to 1: how much better the text fits this dialect than the next.
        runner_up: the next, or ``None``.
    """

    name: str | None
    confidence: float
    runner_up: str | None


NOTHING = Detection(None, 0.0, None)


def detect(text: str, tools: ToolIndex = NO_TOOLS) -> Detection:
    """Say which dialect ``text`` is in."""
    return detect_all([(text, tools)])


def detect_all(texts: Iterable[tuple[str, ToolIndex]]) -> Detection:
    """Say which dialect most of ``texts`` are in; texts without calls have no say."""
    votes: Counter[str] = Counter()
    everyone = all_dialects()
    for text, tools in texts:
        votes.update(_scores(text, tools, everyone))
    if not votes:
        return NOTHING
    ranked = sorted(votes, key=lambda name: (-votes[name], _rank(name), name))
    best, *others = ranked
    runner_up = others[0] if others else None
    share = votes[best] / (votes[best] + votes[runner_up]) if runner_up else 1.0
    return Detection(best, round(share, 2), runner_up)


def _rank(name: str) -> int:
    return PREFERRED.index(name) if name in PREFERRED else len(PREFERRED)


def _scores(text: str, tools: ToolIndex, everyone: list[Dialect]) -> dict[str, int]:
    """Points by dialect: reads a call, without repair, would write the very same."""
    marked = [dialect for dialect in everyone if any(marker in text for marker in dialect.markers)]
    points = _read_all(text, tools, marked)
    if not points:
        points = _read_all(text, tools, [dialect for dialect in everyone if dialect not in marked])
    best = max(points.values(), default=0)
    return {name: score for name, score in points.items() if score > best - 4}


def _read_all(text: str, tools: ToolIndex, candidates: list[Dialect]) -> dict[str, int]:
    points: dict[str, int] = {}
    for dialect in candidates:
        parsed = dialect.parse(text, tools)
        if not parsed.calls:
            continue
        score = 4
        if not parsed.dropped:
            score += 1 if parsed.repairs else 4
        if dialect.render_turn(parsed.content, parsed.reasoning, parsed.calls) == text:
            score += 4
        points[dialect.name] = score
    return points
