"""The part of a Hugging Face dataset card that counts can fill: metadata, tables, and lines to complete by hand.

Source: huggingface.co/docs/hub/datasets-cards; ``datasetcard.md`` in huggingface/hub-docs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolconv.core.plural import percent, plural
from toolconv.core.terminal import escape
from toolconv.inspect.stats.counts import DatasetCounts

MOST_TOOLS: Final = 20
"""How many tools the card lists; the others are only counted."""

_SIZES: Final = ("1K", "10K", "100K", "1M", "10M", "100M", "1B", "10B", "100B", "1T")

TO_FILL_IN: Final = """\
## To complete by hand

- Licence: of the conversations, of the tools, and of the outputs of the model that wrote them
- Source: where prompts, tools and tool results come from
- Models: which model wrote the turns of the assistant
- Cleaning: what was filtered, repaired or removed, and whether personal data may be left
"""


def card(counts: DatasetCounts, version: str) -> str:
    """The section of a dataset card."""
    return "\n".join([*_metadata(counts), "", *_rows(counts), "", *_behaviour(counts), "", *_tools(counts, version)])


def size_category(rows: int) -> str:
    """The ``size_categories`` value for a number of rows."""
    at = next((at for at in range(len(_SIZES)) if rows < 1000 * 10**at), None)
    if at is None:
        return f"n>{_SIZES[-1]}"
    return f"{_SIZES[at - 1]}<n<{_SIZES[at]}" if at else f"n<{_SIZES[0]}"


def _metadata(counts: DatasetCounts) -> list[str]:
    return [
        "---",
        "# license: to fill in, see https://huggingface.co/docs/hub/repositories-licenses",
        "# language: to fill in, such as en",
        "task_categories:",
        "- text-generation",
        "tags:",
        "- function-calling",
        "- tool-use",
        "size_categories:",
        f"- {size_category(counts.receipt.rows_out)}",
        "---",
    ]


def _rows(counts: DatasetCounts) -> Iterator[str]:
    receipt = counts.receipt
    declared = sum(bool(tool.rows) for tool in counts.tools.values())
    yield "## Contents"
    yield ""
    facts = [
        ("rows", f"{receipt.rows_out:,}"),
        ("layout", ", ".join(f"{name} {count:,}" for name, count in counts.layouts.most_common())),
        ("turns", ", ".join(f"{name} {count:,}" for name, count in counts.roles.most_common())),
        ("calls", f"{counts.calls:,}"),
        ("calls in texts", ", ".join(f"{name} {count:,}" for name, count in counts.dialects.most_common())),
        ("tools declared", f"{declared:,}"),
        ("tools called", f"{len(counts.called):,}"),
        ("calls of undeclared tools", f"{sum(tool.undeclared for tool in counts.tools.values()):,}"),
    ]
    yield from _table(("fact", "value"), [(name, _text(value)) for name, value in facts if value])


def _behaviour(counts: DatasetCounts) -> Iterator[str]:
    total = counts.receipt.assistant_turns
    yield "## Behaviour"
    yield ""
    rows = [
        (f"assistant turns with {name}" if name != "no call" else "assistant turns without calls", count, total)
        for name, count in counts.turns_by_calls.items()
    ]
    rows.append(("rows without calls", counts.receipt.rows_out - counts.with_calls, counts.receipt.rows_out))
    yield from _table(
        ("behaviour", "count", "share"),
        [(name, f"{count:,}", percent(count, of) if of else "") for name, count, of in rows],
    )


def _tools(counts: DatasetCounts, version: str) -> Iterator[str]:
    called = counts.called
    if called:
        yield "## Tools"
        yield ""
        rows = [
            (_code(name), f"{tool.calls:,}", percent(tool.calls, counts.calls), f"{tool.rows:,}")
            for name, tool in called[:MOST_TOOLS]
        ]
        yield from _table(("tool", "calls", "share of calls", "rows that declare it"), rows)
        yield ""
        if len(called) > MOST_TOOLS:
            yield f"And {plural(len(called) - MOST_TOOLS, 'tool')} with fewer calls."
            yield ""
    yield TO_FILL_IN
    yield f"Counted by toolconv {version}."
    yield ""


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _text(text: str) -> str:
    """A text in a cell of a table; roles and layouts may have any characters."""
    return "".join(f"\\{char}" if char in "\\`*_[]<>|&" else char for char in escape(text))


def _code(text: str) -> str:
    """A name as code in a cell of a table."""
    mark = "``" if "`" in text else "`"
    inner = escape(text).replace("|", "\\|")
    return f"{mark} {inner} {mark}" if mark == "``" else f"{mark}{inner}{mark}"
