"""The summary of a conversion on stderr: rejects, dropped calls and one line of counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from toolconv.core.plural import plural

if TYPE_CHECKING:
    from toolconv.convert.receipt import Place, Receipt

LINES = 5
"""How many further lines with the same reason are named."""

SHOWN = 20
"""How many rejects, and how many dropped calls, are listed on stderr; the receipt lists more."""


def report_plain_tools(target: str) -> None:
    """Tell that the target's family has no known wording for tool declarations, if so."""
    from toolconv import dialects
    from toolconv.cli.messages import log
    from toolconv.dialects.chat import PLAIN_CHAT

    dialect = dialects.get(target)
    if dialect.chat is PLAIN_CHAT:
        log(f"{dialect.name} has no wording for tool declarations: tools are written as plain JSON")


def report_trainer(layout: str, receipt: Receipt) -> None:
    """Name the option that repairs rows for the only trainer that reads a layout, if this trainer loses something."""
    from toolconv import layouts
    from toolconv.cli.messages import log
    from toolconv.trainers.base import EFFECTS

    trainer = layouts.get(layout).trainer
    if trainer and not EFFECTS.keys().isdisjoint(receipt.losses):
        log(f"{trainer} will not train on all of it: --trainer {trainer} repairs what it can, in place of --to-layout")


def _report_exact(name: str, receipt: Receipt) -> None:
    """Name the option that writes rows which a trainer takes unchanged, if it refuses some for how it writes them."""
    from toolconv import trainers
    from toolconv.cli.messages import log
    from toolconv.trainers.base import AS_WRITTEN

    trainer = trainers.get(name)
    if trainer.exact is not None and not AS_WRITTEN.isdisjoint(receipt.losses):
        log(
            f"--exact, with the student's --template, writes rows that {name} takes whole: see toolconv trainers {name}"
        )


def report(receipt: Receipt, trainer: str = "") -> None:
    """List rejects and dropped calls, and sum up the run in one line.

    Args:
        receipt: the account of the run.
        trainer: the trainer that the rows are for, unless they are exact.
    """
    from toolconv.cli.messages import log

    for kind, places, count in (
        ("rejected", receipt.reject_places, receipt.rejects),
        ("call dropped, its text kept", receipt.dropped_places, receipt.dropped_calls),
        ("unread", receipt.unread_places, receipt.unread.total()),
        ("refused by the trainer", receipt.refused_places, receipt.refused),
        ("internal error, please report", receipt.fault_places, len(receipt.fault_places)),
    ):
        shown = 0
        for first, others in _by_reason(places)[:SHOWN]:
            shown += 1 + len(others)
            log(f"{first.file}:{first.line}: {kind}: {first.reason}{_same(others)}")
        if count > shown:
            log(f"… and {count - shown:,} more {kind.split(',')[0]}; --receipt lists them")
    if trainer and receipt.refused:
        _report_exact(trainer, receipt)
    for known in receipt.unanswered[:SHOWN]:
        log(f"the request with the custom_id {known!r} has no answer")
    if len(receipt.unanswered) > SHOWN:
        log(f"… and {len(receipt.unanswered) - SHOWN:,} more requests; --receipt lists them")
    parts = [f"{plural(receipt.rows_in, 'row')} in, {receipt.rows_out:,} out"]
    if receipt.rejects:
        parts.append(f"{receipt.rejects:,} rejected")
    if receipt.rows_given_tools:
        parts.append(f"tools declared for {plural(receipt.rows_given_tools, 'row')}")
    parts.append(plural(receipt.tool_calls.total(), "call") + _counts(receipt.calls_by_source))
    if receipt.dropped_calls:
        parts.append(f"{plural(receipt.dropped_calls, 'call')} dropped")
    if receipt.assumed_turns:
        parts.append(f"{plural(receipt.assumed_turns, 'turn')} without markers, read like the first rows")
    for one, many, counts in (("repair", "repairs", receipt.repairs), ("loss", "losses", receipt.losses)):
        if counts:
            parts.append(plural(counts.total(), one, many) + _counts(counts))
    if receipt.unread:
        parts.append(f"{receipt.unread.total():,} unread" + _counts(receipt.unread))
    if receipt.records_left_out:
        parts.append(f"{plural(receipt.records_left_out, 'record')} left out")
    if receipt.unanswered:
        parts.append(f"{plural(len(receipt.unanswered), 'request')} without an answer")
    if receipt.windows:
        parts.append("window" + _counts(receipt.windows))
    if receipt.turns_not_read_back:
        parts.append(f"{plural(receipt.turns_not_read_back, 'turn')} not read back")
    if receipt.redacted:
        parts.append(f"{receipt.redacted.total():,} redacted" + _counts(receipt.redacted))
    log("; ".join(parts))


def _by_reason(places: Sequence[Place]) -> list[tuple[Place, list[int]]]:
    """The first place of each file and reason, with the lines of the others."""
    found: dict[tuple[str, str], tuple[Place, list[int]]] = {}
    for place in places:
        key = place.file, place.reason
        if key in found:
            found[key][1].append(place.line)
        else:
            found[key] = place, []
    return list(found.values())


def _same(lines: Sequence[int]) -> str:
    """The further lines with the same reason, in brackets."""
    if not lines:
        return ""
    shown = ", ".join(map(str, lines[:LINES]))
    return f" (also in line{'s' if len(lines) > 1 else ''} {shown}{', …' if len(lines) > LINES else ''})"


def _counts(counts: Mapping[str, int]) -> str:
    """What was counted, in brackets, the most frequent first; empty if nothing was."""
    listed = sorted(counts.items(), key=lambda item: -item[1])
    return f" ({', '.join(f'{name} {count:,}' for name, count in listed)})" if listed else ""
