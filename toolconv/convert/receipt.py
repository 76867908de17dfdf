"""The account of a run: what was read, written, repaired, dropped and lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, NamedTuple

from toolconv.convert.loss_reasons import LossReasons, add_reasons, count_reasons
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.errors import shortened
from toolconv.core.messages import Row, read_calls_of
from toolconv.core.notes import DUPLICATE_KEY, PADDING
from toolconv.core.tools import function_of

MAX_PLACES = 100
"""How many rejects and dropped calls a receipt lists with their places; all are counted."""


class Place(NamedTuple):
    """Where something was rejected or dropped, and why."""

    file: str
    line: int
    reason: str


@dataclass(slots=True)
class Receipt:
    """Counts over rows. The receipts of parts of a run are added up with :meth:`add`, in order."""

    rows_in: int = 0
    rows_out: int = 0
    rejects: int = 0
    assistant_turns: int = 0
    turns_with_calls: int = 0
    turns_with_several: int = 0
    tool_calls: Counter[str] = field(default_factory=Counter)
    dialects: Counter[str] = field(default_factory=Counter)
    """Calls read from texts, by dialect."""
    assumed_turns: int = 0
    """Turns with calls whose text shows no dialect: they were read in the one that their input's first rows show."""
    layouts: Counter[str] = field(default_factory=Counter)
    """Rows by layout."""
    repairs: Counter[str] = field(default_factory=Counter)
    losses: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)
    """Parts of rows that seem to belong to the conversation and that nobody read, by kind."""
    redacted: Counter[str] = field(default_factory=Counter)
    """Secrets that were replaced, by kind."""
    changes: Counter[str] = field(default_factory=Counter)
    """What differs between original rows and written ones, by kind and place; only for a written receipt."""
    windows: Counter[str] = field(default_factory=Counter)
    """With ``--window``: the rows that were cut, their pieces, and those that are too long nevertheless."""
    answered: Counter[str] = field(default_factory=Counter)
    """The ids of requests of a batch that have an answer among the rows."""
    unanswered: list[str] = field(default_factory=list)
    """The ids of those that have none, once the run ends."""
    untyped_values: int = 0
    """Values of calls whose type nothing but their looks settles."""
    rows_given_tools: int = 0
    """Rows that declare no tools and got those of ``--declare``."""
    records_left_out: int = 0
    """Records of runs, such as spans and events, that are no part of a conversation, or that another one repeats."""
    turns_not_read_back: int = 0
    """Assistant turns in the text of a chat template that could not be read back to find what they lose."""
    dropped_calls: int = 0
    dropped_places: list[Place] = field(default_factory=list)
    reject_places: list[Place] = field(default_factory=list)
    refused: int = 0
    """Rows that the trainer they are written for will not train on."""
    refused_places: list[Place] = field(default_factory=list)
    unread_places: list[Place] = field(default_factory=list)
    fault_places: list[Place] = field(default_factory=list)
    """Rows for which a plan and the ordinary path disagree: a bug in toolconv."""
    reasons: LossReasons = field(default_factory=dict)
    """Why something was lost, as far as it is known."""
    tools: dict[str, str] = field(default_factory=dict)
    declares_tools: bool = False
    """Whether a conversation, not only a text, declares tools: they are written in the words of a dialect."""
    issues: Counter[str] | None = None
    """Findings of the linter by rule; ``None`` if it did not run."""
    full: bool = False
    """Whether to count tool declarations, which costs time and only a written receipt shows."""

    def add(self, other: Receipt) -> None:
        """Add the account of a later part of the run."""
        for name in SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in COUNTS:
            if found := getattr(other, name):
                getattr(self, name).update(found)
        for name in PLACES:
            places = getattr(self, name)
            places.extend(getattr(other, name)[: MAX_PLACES - len(places)])
        add_reasons(self.reasons, other.reasons)
        self.tools.update(other.tools)
        self.declares_tools = self.declares_tools or other.declares_tools

    def add_changes(self, changes: Mapping[str, int]) -> None:
        """Count what a file of columns holds and JSON lines don't: see :class:`toolconv.io.parquet.ArrowRows`.

        Null members that stand for absent ones, and keys that are there twice, are repairs; everything else is a loss.
        """
        for name, count in changes.items():
            if count:
                (self.repairs if name in (PADDING, DUPLICATE_KEY) else self.losses)[name] += count

    def count_written(self, row: Row, conversation: Conversation, file: str, line: int) -> None:
        """Count a conversation that is written; ``row`` is its canonical form."""
        notes = conversation.notes
        if notes.repairs:
            self.repairs.update(notes.repairs)
        if notes.losses:
            self.losses.update(notes.losses)
        if notes.reasons:
            count_reasons(self.reasons, notes.reasons, file, line)
        if notes.redacted:
            self.redacted.update(notes.redacted)
        if notes.text_dialects:
            for dialect in notes.text_dialects:
                self.dialects[dialect] += 1
            self.assumed_turns += notes.assumed
            self.untyped_values += notes.untyped
        if conversation.origin is not None:
            layout = conversation.origin[0]
            self.layouts[layout] = self.layouts.get(layout, 0) + 1
        if notes.dropped:
            self.dropped_calls += len(notes.dropped)
            room = MAX_PLACES - len(self.dropped_places)
            self.dropped_places += [Place(file, line, shortened(dropped.reason)) for dropped in notes.dropped[:room]]
        if notes.unread:
            self.unread.update(unread.kind for unread in notes.unread)
            room = MAX_PLACES - len(self.unread_places)
            self.unread_places += [Place(file, line, shortened(str(unread))) for unread in notes.unread[:room]]
        if notes.changes:
            self.changes.update(notes.changes)
        if notes.refused:
            self.refused += 1
            if len(self.refused_places) < MAX_PLACES:
                self.refused_places.append(Place(file, line, shortened(notes.refused[0])))
        if notes.windows:
            self.windows.update(notes.windows)
        self.rows_given_tools += notes.given_tools
        self.records_left_out += notes.records_left_out
        self.turns_not_read_back += notes.not_read_back
        if conversation.text_key is None and row.get("tools"):
            self.declares_tools = True
        self.count(row)

    def count(self, row: Row) -> None:
        """Count the turns, calls and tools of a canonical row; one without an object as arguments is a dropped call."""
        counts = self.tool_calls
        turns = 0
        for message in row["messages"]:
            if message.get("role") == "assistant":
                turns += 1
                if "tool_calls" not in message:
                    continue
                calls = read_calls_of(message)
                if calls:
                    self.turns_with_calls += 1
                    if len(calls) > 1:
                        self.turns_with_several += 1
                    for call in calls:
                        name = str(call["function"].get("name"))
                        counts[name] = counts.get(name, 0) + 1
        self.assistant_turns += turns
        if self.full:
            self._count_tools(row.get("tools"))

    def _count_tools(self, tools: Any) -> None:
        """Count the tools that a row declares."""
        if not isinstance(tools, list):
            return
        for tool in tools:
            text = jsontext.compact(function_of(tool) or tool)
            if text not in self.tools:
                import hashlib

                self.tools[text] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def state(self) -> dict[str, Any]:
        """The receipt as plain data, from which :meth:`from_state` restores it in another process."""
        state: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(self)}
        for name in PLACES:
            state[name] = [list(place) for place in state[name]]
        return state

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Receipt:
        """The receipt that :meth:`state` describes."""
        receipt = cls(**state)
        for name in COUNTS:
            setattr(receipt, name, Counter(state[name]))
        receipt.issues = None if receipt.issues is None else Counter(receipt.issues)
        for name in PLACES:
            setattr(receipt, name, [Place(*place) for place in state[name]])
        return receipt

    @property
    def clean(self) -> bool:
        """Whether no row was rejected, or is refused by its trainer, and no call was dropped or left unread."""
        faults = self.rejects or self.refused or self.dropped_calls or self.unread["calls"] or self.fault_places
        return not faults

    def as_json(self, version: str, options: Mapping[str, Any], files: Mapping[str, Any]) -> dict[str, Any]:
        """The receipt as a JSON document; ``design.md`` describes the keys.

        Args:
            version: toolconv's version.
            options: the options of the run that affect its output.
            files: SHA-256 of each input and output, by name.
        """
        turns = self.assistant_turns
        return {
            "toolconv": version,
            "options": dict(options),
            "files": dict(files),
            "function_calling": {
                "template": options.get("template") or options.get("chat_template") or options.get("to"),
                "n_tools_declared": len(self.tools),
                "tool_schema_hash": self.tool_schema_hash,
                "tools": self.tools_by_name,
                "rows_given_tools": self.rows_given_tools,
                "n_tool_calls": self.tool_calls.total(),
                "n_tool_calls_by_tool": dict(sorted(self.tool_calls.items())),
                "n_tool_calls_by_source": self.calls_by_source,
                "assumed_turns": self.assumed_turns,
                "assistant_turns": self.assistant_turns,
                "turns_with_calls": self.turns_with_calls,
                "turns_with_several": self.turns_with_several,
                "layouts": dict(sorted(self.layouts.items())),
                "train_examples": self.rows_out,
                "no_call_ratio": round((turns - self.turns_with_calls) / turns, 6) if turns else None,
                "parallel_ratio": round(self.turns_with_several / turns, 6) if turns else None,
                "validator_issues": None if self.issues is None else self.issues.total(),
                "validator_issues_by_rule": None if self.issues is None else dict(sorted(self.issues.items())),
                "untyped_values": self.untyped_values,
                "repairs": dict(sorted(self.repairs.items())),
                "dropped_calls": {"count": self.dropped_calls, "places": [p._asdict() for p in self.dropped_places]},
                "losses": dict(sorted(self.losses.items())),
                "losses_by_reason": dict(sorted(self.reasons.items())),
                "unread": {
                    "count": dict(sorted(self.unread.items())),
                    "places": [place._asdict() for place in self.unread_places],
                },
                "records_left_out": self.records_left_out,
                "refused": {"count": self.refused, "places": [p._asdict() for p in self.refused_places]},
                "changes": dict(self.changes.most_common(MAX_PLACES)),
                "windows": dict(sorted(self.windows.items())),
                "unanswered_requests": {"count": len(self.unanswered), "ids": self.unanswered[:MAX_PLACES]},
                "turns_not_read_back": self.turns_not_read_back,
                "redacted": dict(sorted(self.redacted.items())),
                "rows_in": self.rows_in,
                "rows_out": self.rows_out,
                "rejects": {"count": self.rejects, "places": [p._asdict() for p in self.reject_places]},
            },
        }

    def _repr_html_(self) -> str:
        """The counts as a table, for notebooks."""
        from html import escape

        counts: dict[str, int | Mapping[str, int]] = {
            "rows in": self.rows_in, "rows out": self.rows_out, "rejected": self.rejects,
            "calls": self.calls_by_source, "dropped calls": self.dropped_calls, "repairs": self.repairs,
            "losses": self.losses, "unread": self.unread, "refused by the trainer": self.refused,
        }  # fmt: skip
        lines = []
        for name, count in counts.items():
            named = {} if isinstance(count, int) else dict(count)
            total = count if isinstance(count, int) else sum(named.values())
            details = ", ".join(f"{escape(key)} {times:,}" for key, times in named.items())
            if total or name.startswith("rows"):
                lines.append(f"<tr><th>{name}</th><td>{total:,}</td><td>{details}</td></tr>")
        return f"<table>{''.join(lines)}</table>"

    @property
    def calls_by_source(self) -> dict[str, int]:
        """The number of calls that came as structure, under ``structured``, and of those in texts, by dialect."""
        structured = self.tool_calls.total() - self.dialects.total()
        counts = {"structured": structured} if structured > 0 else {}
        return counts | dict(sorted(self.dialects.items()))

    @property
    def tools_by_name(self) -> dict[str, list[str]]:
        """The SHA-256 of each distinct declaration, by the name of its tool."""
        found: dict[str, list[str]] = {}
        for text, digest in self.tools.items():
            value = jsontext.loads(text)
            name = value.get("name") if isinstance(value, dict) else None
            found.setdefault(str(name), []).append(digest)
        return {name: sorted(found[name]) for name in sorted(found)}

    @property
    def tool_schema_hash(self) -> str | None:
        """SHA-256 over the distinct tool declarations, in any order; ``None`` if there are none."""
        return schema_hash(self.tools.values())


def _fields_of(kind: str) -> tuple[str, ...]:
    """The names of the fields of a type; what is added up follows from it."""
    return tuple(each.name for each in fields(Receipt) if each.type == kind)


SUMS: Final = _fields_of("int")
COUNTS: Final = _fields_of("Counter[str]")
PLACES: Final = _fields_of("list[Place]")


def schema_hash(digests: Iterable[str]) -> str | None:
    """SHA-256 over those of distinct tool declarations, in any order; ``None`` if there are none."""
    import hashlib

    joined = "".join(sorted(digests))
    return hashlib.sha256(joined.encode()).hexdigest() if joined else None
