"""What an input looks like that is neither rows nor the output of a model, and which option reads it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from toolconv import dialects, layouts
from toolconv.convert.detect import Detector
from toolconv.convert.proposals import proposal
from toolconv.core.calls import declares_tools, is_call
from toolconv.core.errors import FileError
from toolconv.core.lazy_re import lazy_re
from toolconv.core.rows import keys_of
from toolconv.core.tools import NO_TOOLS
from toolconv.dialects.lexing.call_signs import unread_calls
from toolconv.dialects.turn_reader import TurnReader
from toolconv.io import sse, tables
from toolconv.io.inputs import STDIN, Input
from toolconv.layouts.base import value_of

KINDS: Final = {
    dict: "an object",
    list: "a list",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}

DOCUMENTS: Final = {
    ".log": "a log",
    **dict.fromkeys((".md", ".markdown", ".mdx"), "a Markdown document"),
    ".rst": "a reStructuredText document",
    **dict.fromkeys((".html", ".htm"), "an HTML document"),
    ".xml": "an XML document",
    **dict.fromkeys((".yaml", ".yml"), "a YAML document"),
    **dict.fromkeys((".toml", ".ini", ".cfg"), "a configuration file"),
    **dict.fromkeys((".py", ".js", ".ts", ".sh", ".jinja"), "source code"),
    **dict.fromkeys((".pdf", ".docx", ".xlsx", ".zip", ".tar", ".bz2", ".xz", ".7z"), "a file of another kind"),
}
"""Endings of files that are not the output of a model, each with what they hold."""

LOG_LINE: Final = lazy_re(
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL)\b"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d "
)
REASONING: Final = lazy_re(r"</?(?:\w+:)?think(?:ing)?>|\[/?THINK\]")
ROW_START: Final = lazy_re(rb"^\{", re.MULTILINE)
EXAMINED: Final = 100
"""How many lines are examined."""

EITHER: Final = "--lines reads each line as one output, --from-layout raw the whole text as one"


class NotRows(FileError):
    """An input is neither rows nor the output of a model; the message says what it looks like."""


def unknown_document(text: bytes, value: Any, detector: Detector) -> str | None:
    """What an input that is one text looks like if it is a stream that is not known, declarations of tools, or a
    JSON document without calls.

    ``None`` for any other text.

    Args:
        text: the input.
        value: its value; ``None`` if it is not JSON.
        detector: detects the calls in it.
    """
    if value is None and (event := sse.first_payload(text)) is not None:
        first = value_of(event)
        what = (
            f"has the keys {keys_of(first)}"
            if isinstance(first, dict)
            else f"is {event[:60].decode(errors='replace')!r}"
        )
        return (
            f"server-sent events of no API that toolconv knows: the first one {what}; "
            "--from-layout raw reads them as the text of one answer"
        )
    if declares_tools(value):
        return (
            "declarations of tools, not rows: --declare gives them to rows that have none, "
            "and --from-layout raw reads them as the text of one answer"
        )
    if not value or not isinstance(value, dict | list) or _is_calls(value, text.decode("utf-8", "replace"), detector):
        return None
    if isinstance(value, dict):
        what = f"an object with the keys {keys_of(value)}"
    elif all(isinstance(item, dict) for item in value):
        what = f"a list of objects with the keys {keys_of(value[0])}"
    else:
        what = f"a list whose first item is {KINDS.get(type(value[0]), 'a text')}"
    return (
        f"a JSON document that no layout knows: {what}; --from-layout names its layout, "
        "and --from-layout raw reads it as the text of one answer"
    )


def check_output(source: Input, text: bytes, detector: Detector) -> None:
    """Check that an input without rows may be the output of a model.

    That is any text on standard input, and a file with a call, with reasoning, or of one line, unless it looks like a
    table, a log or a document.

    Args:
        source: the input.
        text: all of it.
        detector: detects the calls in it.

    Raises:
        NotRows: it is something else; the message names the option that reads it.
    """
    reason = _other_than_output(source, text, detector)
    if reason is not None:
        raise NotRows(f"{source.label}: {reason}")


def _other_than_output(source: Input, text: bytes, detector: Detector) -> str | None:
    if b"\0" in text:
        return "binary data; --null reads outputs that null characters separate"
    name = source.name.removesuffix(".gz").removesuffix(".zst").lower()
    if source.name != STDIN:
        for ending, what in DOCUMENTS.items():
            if name.endswith(ending):
                return f"{what}, not rows; {EITHER}"
        if name.endswith(".json") and value_of(text) is None and text.lstrip()[:1] in (b"{", b"["):
            return "not JSON: the file is cut off or malformed; --from-layout raw reads it as the text of one answer"
    if (found := _row_inside(text)) is not None:
        line, layout = found
        return (
            f"line {line} is a row (layout {layout}), but the text before it is not JSON; take that out, or give the "
            "file the ending .jsonl to have it rejected"
        )
    decoded = text.decode("utf-8", "replace")
    lines = [line for line in decoded.splitlines() if line.strip()]
    if len(lines) > 2 and sum(LOG_LINE.match(line) is not None for line in lines[:EXAMINED]) > 0.6 * len(
        lines[:EXAMINED]
    ):
        return f"a log, not rows; {EITHER}"
    if (table := tables.columns_of(decoded.removeprefix("\ufeff"))) is not None:
        columns = ", ".join(map(repr, table[1][:12]))
        option = proposal(dict(zip(table[1], table[2], strict=False))) or "--text-key names the one with the outputs"
        return f"a table with the columns {columns}, none of which is known; {option}"
    if not source.is_file or len(lines) < 2 or REASONING.search(decoded) or _shows_calls(decoded, detector):
        return None
    return f"{len(lines):,} lines of text without a call, not rows; {EITHER}"


def _is_calls(value: Any, text: str, detector: Detector) -> bool:
    """Whether a JSON document is the output of a model: calls, and nothing else."""
    items = value if isinstance(value, list) else [value]
    if all(is_call(item, NO_TOOLS) for item in items):
        return True
    dialect = None if detector.dialect in ("auto", None) else dialects.get(detector.dialect)
    parsed = TurnReader(dialect).read(text)
    return bool(parsed.calls) and not parsed.dropped and not parsed.content.strip()


def _shows_calls(text: str, detector: Detector) -> bool:
    """Whether a text has a call in any dialect, or what looks like one."""
    if replace(detector, dialect="auto").of_text(text).dialect is not None:
        return True
    if unread_calls(text, NO_TOOLS):
        return True
    return detector.dialect not in ("auto", None) and detector.reads_calls(text)


def _row_inside(text: bytes) -> tuple[int, str] | None:
    """The line and the layout of the first row of a text that begins otherwise; ``None`` if it has no row."""
    for found, match in enumerate(ROW_START.finditer(text)):
        if found == EXAMINED:
            break
        row = value_of(text[match.start() :].partition(b"\n")[0])
        if isinstance(row, dict) and any(isinstance(row.get(key), list) for key in ("messages", "conversations")):
            layout = layouts.detect(row)
            if layout is not None:
                return text.count(b"\n", 0, match.start()) + 1, layout.name
    return None
