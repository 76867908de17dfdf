"""What conditions can ask about a row, in addition to its own keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolconv.convert.result import Reading
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import calls_of
from toolconv.core.tools import function_of
from toolconv.select.expression import MISSING, Operand

if TYPE_CHECKING:
    from toolconv.lint.model.finding import Finding
    from toolconv.lint.model.row import LintRow


class SeenRow(NamedTuple):
    """A row that was read, and checked if a condition asks for findings.

    Attributes:
        reading: the row.
        conversation: its content, with structured calls.
        findings: of the linter.
        count_tokens: counts the tokens of a text; ``None`` without a tokenizer.
        checked: the row as the linter checked it.
    """

    reading: Reading
    conversation: Conversation
    findings: Sequence[Finding] = ()
    count_tokens: Callable[[str], int] | None = None
    checked: LintRow | None = None

    @property
    def line(self) -> str:
        """The text of the row."""
        return self.reading.text.decode("utf-8", "replace").strip()

    @property
    def calls(self) -> list[str]:
        """The names of the tools called, one for each call."""
        return [
            str(call["function"].get("name"))
            for message in self.conversation.all_messages
            if "tool_calls" in message
            for call in calls_of(message)
        ]

    @property
    def makes_calls(self) -> bool:
        """Whether any tool is called."""
        return any(map(calls_of, self.conversation.all_messages))

    def look(self, name: Operand) -> Any:
        """The value of a name in a condition; ``MISSING`` for a key that the row doesn't have."""
        if name.fact is not None:
            return FACTS[name.fact](self)
        value: Any = self.conversation.source
        for key in name.path:
            if isinstance(value, dict) and key in value:
                value = value[key]
            elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
                value = value[int(key)]
            else:
                return MISSING
        return value


def _turns(row: SeenRow, role: str) -> int:
    return sum(message.get("role") == role for message in row.conversation.all_messages)


def _declared(row: SeenRow) -> list[str]:
    return [str((function_of(tool) or tool).get("name")) for tool in row.conversation.tools if isinstance(tool, dict)]


FACTS: Final[Mapping[str, Callable[[SeenRow], Any]]] = {
    "calls": lambda row: row.calls,
    "parallel": lambda row: max((len(calls_of(message)) for message in row.conversation.all_messages), default=0),
    "tools": _declared,
    "messages": lambda row: [str(message.get("role")) for message in row.conversation.all_messages],
    "user_turns": lambda row: _turns(row, "user"),
    "assistant_turns": lambda row: _turns(row, "assistant"),
    "reasoning": lambda row: sum(bool(message.get("reasoning_content")) for message in row.conversation.all_messages),
    "characters": lambda row: len(row.line),
    "chars": lambda row: len(row.line),
    "tokens": lambda row: MISSING if row.count_tokens is None else row.count_tokens(row.line),
    "repairs": lambda row: row.conversation.notes.repairs,
    "drops": lambda row: [dropped.reason for dropped in row.conversation.notes.dropped],
    "dialects": lambda row: row.conversation.notes.text_dialects,
    "layout": lambda row: row.conversation.origin[0] if row.conversation.origin else None,
    "findings": lambda row: [finding.code for finding in row.findings],
    "errors": lambda row: [finding.code for finding in row.findings if finding.level == "error"],
    "file": lambda row: row.reading.file,
    "line": lambda row: row.reading.line,
}
"""The facts by name. A list counts as its length when it is compared with a number."""

TOKENS: Final = "tokens"
"""The fact that needs a tokenizer."""

LINTED: Final = ("findings", "errors")
"""The facts that need the linter."""


def text_for_lint(text: bytes, *, raw: bool) -> bytes:
    """The line of a row as rules see it; a raw text is a row with that ``text``."""
    return jsontext.dumps({"text": text.decode("utf-8", "replace")}) if raw else text
