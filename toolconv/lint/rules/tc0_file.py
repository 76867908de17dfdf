"""TC0xx: problems with the file itself, whatever its rows contain."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, Self

from toolconv import layouts
from toolconv.convert.detect import BOM
from toolconv.core import jsontext
from toolconv.layouts.base import Layout
from toolconv.layouts.turn_shapes import as_row
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.guards import InLayouts
from toolconv.lint.model.overview import Overview, RowSignature
from toolconv.lint.model.row import LintRow
from toolconv.lint.names import listed, shown
from toolconv.lint.rule import ComparingRule, RowRule, SignatureRule, rule


def unread(row: LintRow) -> ValueError | None:
    """Why a line is not JSON; ``None`` if it is JSON."""
    return row.json if isinstance(row.json, ValueError) else None


def is_cut(row: LintRow) -> bool:
    """Whether a line is invalid JSON only because the file ends in the middle of it."""
    error = unread(row)
    if not row.cut or not isinstance(error, json.JSONDecodeError):
        return False
    text = row.raw.decode("utf-8", "replace").rstrip()
    return error.msg.startswith("Unterminated string") or error.pos >= len(text) or text[error.pos :] in "truefalsenull"


def constants(row: LintRow) -> Any:
    """The value of a line that is JSON except for ``NaN``, ``Infinity`` or a number too large for a double."""
    error = unread(row)
    if error is None or isinstance(error, jsontext.BeyondLimit):
        return None
    try:
        return json.loads(row.raw)
    except (ValueError, RecursionError):
        return None


@rule("TC001", "invalid-json", "error", guards=("unreadable",))
class InvalidJson(RowRule):
    """A line that is not JSON.

    Anti-pattern: concatenated objects, a trailing comma, single quotes, a row broken over several lines.

    Why it hurts: loaders stop at the line or skip it silently; either way, part of the data is not trained on.

    Best practice: write rows with a JSON library, one per line; never join strings.

    Bad: ``{'messages': []}``

    Good: ``{"messages": []}``

    Source: JSON Lines (jsonlines.org); ``datasets`` raises ``ArrowInvalid`` for such files.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        error = unread(row)
        if error is None or isinstance(error, UnicodeDecodeError) or row.raw.startswith(BOM) or b"\0" in row.raw:
            return
        if is_cut(row) or constants(row) is not None or row.raw.strip() in (b"[", b"]"):
            return
        if isinstance(error, json.JSONDecodeError):
            at = len(error.doc[: error.pos].encode("utf-8", "surrogatepass"))
            message = f"{error.msg[:1].lower()}{error.msg[1:]} at byte {at}"
        else:
            message = str(error)
        if isinstance(error, jsontext.BeyondLimit):
            yield self.finding(row, "", f"{message}: more than toolconv and most readers take")
        else:
            yield self.finding(row, "", f"not JSON ({message}): a line holds one JSON object")


@rule("TC002", "not-an-object", "error", guards=("unreadable",))
class NotAnObject(RowRule):
    """A line that is JSON but not an object. The elements of a file that is one JSON array are rows.

    Anti-pattern: bare lists and strings as lines.

    Why it hurts: line-by-line readers find no rows; some trainers read a list as a conversation without tools.

    Best practice: one object per line (``jq -c '.[]' rows.json > rows.jsonl``).

    Bad: a line ``[{"messages": []}, {"messages": []}]`` among other lines

    Good: two lines, each ``{"messages": []}``

    Source: JSON Lines (jsonlines.org).
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        value = row.json
        if row.raw.strip() == b"[" and row.line == 1:
            yield self.finding(row, "", "the file is one JSON array: write one object a line (jq -c '.[]')")
        elif not isinstance(value, dict | ValueError):
            kind = "text" if isinstance(value, str) else "a list" if isinstance(value, list) else shown(value)
            if as_row(value) is not value:
                yield self.finding(row, "", f"the {len(value):,} messages of a conversation, where a row is an object: "
                                   "write {\"messages\": […]} (jq -c '{messages: .}')")  # fmt: skip
                return
            if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
                kind = f"a JSON array of {len(value):,} objects"
            yield self.finding(row, "", f"{kind}, where a row is an object: write one object a line (jq -c '.[]')")


def _is_raw(layout: Layout) -> bool:
    return layout.name == "raw"


def _is_bare_text(overview: Overview) -> bool:
    """Whether a text that was taken for the output of a model has neither a call nor reasoning."""
    return not overview.reasoning and all(not parsed.calls for _, parsed in overview.parsed_texts)


@rule("TC003", "unknown-layout", "error", guards=("unreadable", InLayouts(_is_raw, _is_bare_text)))
class RowOfUnknownLayout(RowRule):
    """A row whose layout is unknown, or a text without a call that nothing shows to be the output of a model.

    ``--from-layout raw`` says that a text is one. A row whose request failed has a layout and no conversation.

    Anti-pattern: turns or texts under a custom key that no tool looks for.

    Why it hurts: nothing in the row can be checked or converted, and a trainer needs custom code to read it.

    Best practice: the OpenAI chat row (``messages`` and ``tools``), which every trainer reads.

    Rows of a file with the same keys are reported once, with their number; ``--filter`` leaves out each.

    Bad: ``{"chat_history": [["user", "Hi"]]}``

    Good: ``{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello!"}]}``

    Source: ``toolconv layouts`` lists the layouts.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        seen = row.overview
        if seen is not None and not row.fixed and _is_raw(seen.layout) and _is_bare_text(seen):
            text = "".join(seen.assistant)
            yield self.finding(row, "", f"{shown(text)} is text without a call, expected a row")
        elif row.row is not None and row.conversation is None:
            keys = f"the keys {listed(row.row, 12)}" if row.row else "no keys"
            message = f"{row.why_unread or 'no known layout has this shape'}; the row has {keys}"
            yield self.finding(row, "", message, cause=message, once="its kind")


@rule("TC004", "invalid-encoding", "error", guards=("unreadable",))
class InvalidEncoding(RowRule):
    """A line that is not UTF-8, or contains a byte order mark or a NUL.

    Anti-pattern: files saved as Latin-1 or UTF-16, or with the byte order mark that some Windows editors add.

    Why it hurts: strict readers stop; lenient ones keep replacement characters, or the mark in the first key.

    Best practice: UTF-8 without a byte order mark.

    Bad: the bytes ``EF BB BF 7B 7D``

    Good: the bytes ``7B 7D``

    Source: RFC 8259, section 8.1.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.raw.startswith(BOM):
            yield self.finding(row, "", "a byte order mark before the row: save the file as UTF-8 without one")
        if b"\0" in row.raw:
            yield self.finding(row, "", f"a NUL at byte {row.raw.index(0)}: the file is damaged, or not UTF-8")
            return
        if isinstance(unread(row), UnicodeDecodeError) or not row.raw.isascii():
            try:
                row.raw.decode("utf-8")
            except UnicodeDecodeError as error:
                byte = row.raw[error.start]
                yield self.finding(row, "", f"not UTF-8: byte 0x{byte:02X} at byte {error.start}")


@rule("TC008", "truncated-last-line", "error", guards=("unreadable",))
class TruncatedLastLine(RowRule):
    """The file ends in the middle of a row.

    Anti-pattern: an interrupted copy, a full disk, a writer that was killed.

    Why it hurts: the last row is lost, and probably many more that should follow it.

    Best practice: write to a temporary file, rename it when complete, and check sizes or hashes after copying.

    Bad: ``{"messages": [{"role": "user", "con``

    Good: a file that ends with a complete row and a newline.

    Source: seen in interrupted downloads and generation runs.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if is_cut(row):
            yield self.finding(row, "", f"the file ends inside this row, after {len(row.raw):,} bytes of it")


_ALIKE = dict.fromkeys(("canonical", "chat", "openai-ft"), "openai")
"""Layouts that readers treat as another layout; a training mark makes a row of OpenAI one of its uploads."""


_PLAIN: Final = "messages"
"""Rows of OpenAI's layout without a call, which are rows of any layout of ``messages`` as well."""


@rule("TC009", "mixed-layouts", "error")
class MixedLayouts(SignatureRule, ComparingRule):
    """Rows of different layouts in one file.

    Anti-pattern: datasets concatenated without conversion, such as ShareGPT rows after OpenAI rows.

    Why it hurts: a trainer reads one layout; the other rows fail or silently become empty conversations.

    Best practice: convert first (``toolconv convert --to openai``), then concatenate.

    Bad: a row with ``messages``, then a row with ``conversations``

    Good: all rows with ``messages``

    Source: ``datasets`` merges the columns and fills gaps with null; trainers use the first column they know.
    """

    def start(self) -> None:
        self.layouts: dict[str, dict[str, int]] = {}
        self.mixed: dict[str, int] = {}

    def is_alike(self, first: Any, later: Any) -> bool:
        return bool(first == later)

    def count_rows(self, signature: RowSignature, line: int, rows: int) -> None:
        file, layout = signature.file, signature.layout
        if layout is None:
            return
        name = _ALIKE.get(layout.name, layout.name)
        if name == "openai" and not signature.counts.calls:
            name = _PLAIN
        counts = self.layouts.setdefault(file, {})
        if name in counts:
            counts[name] += rows
            return
        counts[name] = rows
        if self.firsts.setdefault(file, name) != name:
            self.mixed.setdefault(file, line)

    def merge(self, later: Self) -> None:
        for file, counts in later.layouts.items():
            mine = self.layouts.setdefault(file, {})
            for name, count in counts.items():
                mine[name] = mine.get(name, 0) + count
        self.mixed = later.mixed | self.mixed

    def finish(self) -> Iterator[Finding]:
        for file, counts in self.layouts.items():
            if plain := counts.pop(_PLAIN, 0):
                name = next(filter(_has_messages, counts), "openai")
                counts[name] = counts.get(name, 0) + plain
            if len(counts) > 1:
                message = ", ".join(f"{name} ({count:,})" for name, count in Counter(counts).most_common())
                yield self.finding_in(file, f"rows of {len(counts)} layouts in one file: {message}", self.mixed[file])


def _has_messages(layout: str) -> bool:
    """Whether the turns of a layout are ``messages`` with a ``content``: one without a call looks like OpenAI's."""
    row = jsontext.opened(layouts.get(layout).sample)
    turns = row.get(_PLAIN) if isinstance(row, dict) else None
    return isinstance(turns, list) and {"role", "content"} <= turns[0].keys()
