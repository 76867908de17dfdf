"""TC0xx: problems with the file itself, whatever its rows contain."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any, ClassVar, Self

from toolconv.convert.detect import BOM
from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.layouts.base import Layout
from toolconv.layouts.found_turns import as_row
from toolconv.lint.guards import Guard, InLayouts
from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.finding import Finding, Level, Safety
from toolconv.lint.model.overview import Overview, RowSignature
from toolconv.lint.model.pointers import walk
from toolconv.lint.model.row import BIG_NUMBER, SURROGATE_ESCAPE, LintRow
from toolconv.lint.names import listed, shown
from toolconv.lint.rule import OWN_KEY, ComparingRule, RowRule, SignatureRule
from toolconv.lint.selection import UnknownRule, find

MAX_EXACT = 2**53
_SURROGATE = lazy_re("[\ud800-\udfff]")


def unread(row: LintRow) -> ValueError | None:
    """Why a line is not JSON; ``None`` if it is JSON."""
    return row.json if isinstance(row.json, ValueError) else None


def is_cut(row: LintRow) -> bool:
    """Whether a line is invalid JSON only because the file ends in the middle of it."""
    error = unread(row)
    if error is None or not row.cut or isinstance(error, UnicodeDecodeError):
        return False
    text = row.raw.decode("utf-8", "replace").rstrip()
    if not isinstance(error, json.JSONDecodeError):
        return False
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


class InvalidJson(RowRule):
    """A line that is not JSON.

    Anti-pattern: concatenated objects, a trailing comma, single quotes, a row broken over several lines.

    Why it hurts: loaders stop at the line or skip it silently; either way, part of the data is not trained on.

    Best practice: write rows with a JSON library, one per line; never join strings.

    Bad: ``{'messages': []}``

    Good: ``{"messages": []}``

    Source: JSON Lines (jsonlines.org); ``datasets`` raises ``ArrowInvalid`` for such files.
    """

    code: ClassVar[str] = "TC001"
    name: ClassVar[str] = "invalid-json"
    level: ClassVar[Level] = "error"
    guards: ClassVar[tuple[Guard, ...]] = ("unreadable",)

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


class NotAnObject(RowRule):
    """A line that is JSON but not an object. The elements of a file that is one JSON array are rows.

    Anti-pattern: bare lists and strings as lines.

    Why it hurts: line-by-line readers find no rows; some trainers read a list as a conversation without tools.

    Best practice: one object per line (``jq -c '.[]' rows.json > rows.jsonl``).

    Bad: a line ``[{"messages": []}, {"messages": []}]`` among other lines

    Good: two lines, each ``{"messages": []}``

    Source: JSON Lines (jsonlines.org).
    """

    code: ClassVar[str] = "TC002"
    name: ClassVar[str] = "not-an-object"
    level: ClassVar[Level] = "error"
    guards: ClassVar[tuple[Guard, ...]] = ("unreadable",)

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


class RowOfUnknownLayout(RowRule):
    """A row whose layout is unknown, or a text without a call that nothing shows to be the output of a model.

    ``--from-layout raw`` says that a text is one.

    Anti-pattern: turns or texts under a custom key that no tool looks for.

    Why it hurts: nothing in the row can be checked or converted, and a trainer needs custom code to read it.

    Best practice: the OpenAI chat row (``messages`` and ``tools``), which every trainer reads.

    Bad: ``{"chat_history": [["user", "Hi"]]}``

    Good: ``{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello!"}]}``

    Source: ``toolconv layouts`` lists the layouts.
    """

    code: ClassVar[str] = "TC003"
    name: ClassVar[str] = "unknown-layout"
    level: ClassVar[Level] = "error"
    guards: ClassVar[tuple[Guard, ...]] = ("unreadable", InLayouts(_is_raw, _is_bare_text))

    def check(self, row: LintRow) -> Iterator[Finding]:
        seen = row.overview
        if seen is not None and not row.fixed and _is_raw(seen.layout) and _is_bare_text(seen):
            text = "".join(seen.assistant)
            yield self.finding(row, "", f"{shown(text)} is text without a call, expected a row")
        elif row.row is not None and row.conversation is None:
            keys = f"the keys {listed(row.row, 12)}" if row.row else "no keys"
            yield self.finding(row, "", f"no known layout has this shape; the row has {keys}")


class InvalidEncoding(RowRule):
    """A line that is not UTF-8, or contains a byte order mark or a NUL.

    Anti-pattern: files saved as Latin-1 or UTF-16, or with the byte order mark that some Windows editors add.

    Why it hurts: strict readers stop; lenient ones keep replacement characters, or the mark in the first key.

    Best practice: UTF-8 without a byte order mark.

    Bad: the bytes ``EF BB BF 7B 7D``

    Good: the bytes ``7B 7D``

    Source: RFC 8259, section 8.1.
    """

    code: ClassVar[str] = "TC004"
    name: ClassVar[str] = "invalid-encoding"
    level: ClassVar[Level] = "error"
    guards: ClassVar[tuple[Guard, ...]] = ("unreadable",)

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


class DuplicateKey(RowRule):
    """A key that occurs twice in one object.

    Anti-pattern: rows or arguments assembled from strings, so that a key is written twice.

    Why it hurts: most JSON readers silently keep only the last value, so an argument is lost; a model that is trained
    on such text learns to repeat keys.

    Best practice: build the object first, then serialise it.

    Bad: ``{"city": "Rome", "city": "Paris"}``

    Good: ``{"city": "Paris"}``

    Source: RFC 8259, section 4: names within an object should be unique.
    """

    code: ClassVar[str] = "TC005"
    name: ClassVar[str] = "duplicate-json-key"
    level: ClassVar[Level] = "error"
    guards: ClassVar[tuple[Guard, ...]] = ("inexact",)

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.row is None:
            return
        if jsontext.repeated_keys(row.raw, row.row):
            for pointer, keys in _repeats(row.raw.decode("utf-8", "replace")):
                yield self._repeated(row, pointer, keys)
        for call in row.calls:
            if isinstance(call.written, str) and ":" in call.written:
                try:
                    value = jsontext.loads(call.written)
                except ValueError:
                    continue
                if keys := jsontext.repeated_keys(call.written, value):
                    yield self._repeated(row, call.arguments_pointer, keys)

    def _repeated(self, row: LintRow, pointer: str, keys: list[str]) -> Finding:
        return self.finding(row, pointer, f"{listed(keys)} twice in one object: only the last would count")


class _Pairs(dict[str, Any]):
    """An object that remembers which of its keys were repeated."""

    def __init__(self, items: list[tuple[str, Any]]) -> None:
        super().__init__(items)
        counts = Counter(key for key, _ in items) if len(self) < len(items) else Counter()
        self.repeated = [key for key, count in counts.items() if count > 1]


def _repeats(text: str) -> Iterator[tuple[str, list[str]]]:
    """Objects of a JSON text in which keys occur twice: pointer and keys."""
    stack: list[tuple[str, Any]] = [("", json.loads(text, object_pairs_hook=_Pairs))]
    while stack:
        pointer, value = stack.pop()
        if isinstance(value, _Pairs):
            if value.repeated:
                yield pointer, value.repeated
            named = [(key.replace("~", "~0").replace("/", "~1"), member) for key, member in value.items()]
            stack.extend((f"{pointer}/{key}", member) for key, member in reversed(named))
        elif isinstance(value, list):
            stack.extend((f"{pointer}/{index}", value[index]) for index in range(len(value) - 1, -1, -1))


class UnsafeNumber(RowRule):
    """A number that some readers change: an integer past 2^53, NaN, Infinity, or more digits than a double has.

    Anti-pattern: ids written as numbers, NaN for a missing value, digits copied from a decimal type.

    Why it hurts: pandas, JavaScript and jq round it silently, so the model is trained on a different call; NaN and
    Infinity are not valid JSON, and strict readers reject the row.

    Best practice: write ids as strings, missing values as null, and numbers that fit in a double.

    Bad: ``{"order_id": 12345678901234567890}``

    Good: ``{"order_id": "12345678901234567890"}``

    Source: RFC 7493 (I-JSON), section 2.2.
    """

    code: ClassVar[str] = "TC006"
    name: ClassVar[str] = "unsafe-number"
    level: ClassVar[Level] = "warning"
    guards: ClassVar[tuple[Guard, ...]] = ("inexact",)

    def check(self, row: LintRow) -> Iterator[Finding]:
        refused = constants(row)
        if refused is not None:
            for pointer, value in walk(refused):
                if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
                    what = "NaN" if value != value else "Infinity, or a number past every double,"
                    message = f"{what} at {pointer or 'the top'} is no JSON value: strict readers refuse the row"
                    yield self.finding(row, "", message, level="error")
            return
        if row.row is None or not BIG_NUMBER.search(row.raw):
            return
        yield from self._in(row, row.row, "", None)
        for call in row.calls:
            if isinstance(call.written, str) and not isinstance(call.arguments, str):
                yield from self._in(row, call.arguments, "", call)

    def _in(self, row: LintRow, value: Any, pointer: str, call: LintCall | None) -> Iterator[Finding]:
        for inner, number in walk(value, pointer):
            message = ""
            if isinstance(number, int) and abs(number) > MAX_EXACT:
                message = f"the integer {str(number)[:40]} is past 2^53: readers with doubles round it"
            elif isinstance(number, jsontext.ExactFloat):
                message = (
                    f"{number.text[:40]} has more digits than a double keeps: readers make {float(number)!r} of it"
                )
            if message:
                where = f" (argument {inner[1:]})" if call else ""
                yield self.finding(row, call.arguments_pointer if call else inner, message + where)


class LoneSurrogate(RowRule):
    r"""Half of a surrogate pair, such as ``\ud83d`` alone.

    Anti-pattern: text cut in the middle of an emoji by code that counts UTF-16 units.

    Why it hurts: it can't be encoded as UTF-8, so tokenizers and ``datasets`` fail on the row or insert a replacement
    character, long after the mistake was made.

    Best practice: cut text at character boundaries; delete the lone half.

    Bad: ``{"content": "Great \ud83d"}``

    Good: ``{"content": "Great 😀"}``

    Source: RFC 8259, section 8.2.
    """

    code: ClassVar[str] = "TC007"
    name: ClassVar[str] = "lone-surrogate"
    level: ClassVar[Level] = "error"
    guards: ClassVar[tuple[Guard, ...]] = ("inexact",)

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.row is None or not SURROGATE_ESCAPE.search(row.raw):
            return
        values = [(pointer, text) for pointer, text in walk(row.row)]
        for call in row.calls:
            if isinstance(call.written, str) and isinstance(call.arguments, dict):
                values += [(call.arguments_pointer, text) for _, text in walk(call.arguments)]
        seen = set()
        for pointer, text in values:
            if isinstance(text, str) and not text.isascii() and (half := _SURROGATE.search(text)):
                if pointer not in seen:
                    yield self.finding(row, pointer, f"\\u{ord(half[0]):04x} alone: half a character, no UTF-8")
                seen.add(pointer)


class TruncatedLastLine(RowRule):
    """The file ends in the middle of a row.

    Anti-pattern: an interrupted copy, a full disk, a writer that was killed.

    Why it hurts: the last row is lost, and probably many more that should follow it.

    Best practice: write to a temporary file, rename it when complete, and check sizes or hashes after copying.

    Bad: ``{"messages": [{"role": "user", "con``

    Good: a file that ends with a complete row and a newline.

    Source: seen in interrupted downloads and generation runs.
    """

    code: ClassVar[str] = "TC008"
    name: ClassVar[str] = "truncated-last-line"
    level: ClassVar[Level] = "error"
    guards: ClassVar[tuple[Guard, ...]] = ("unreadable",)

    def check(self, row: LintRow) -> Iterator[Finding]:
        if is_cut(row):
            yield self.finding(row, "", f"the file ends inside this row, after {len(row.raw):,} bytes of it")


_ALIKE = dict.fromkeys(("canonical", "chat", "openai-ft"), "openai")
"""Layouts that readers treat as another layout; a training mark makes a row of OpenAI one of its uploads."""


class MixedLayouts(SignatureRule, ComparingRule):
    """Rows of different layouts in one file.

    Anti-pattern: datasets concatenated without conversion, such as ShareGPT rows after OpenAI rows.

    Why it hurts: a trainer reads one layout; the other rows fail or silently become empty conversations.

    Best practice: convert first (``toolconv convert --to openai``), then concatenate.

    Bad: a row with ``messages``, then a row with ``conversations``

    Good: all rows with ``messages``

    Source: ``datasets`` merges the columns and fills gaps with null; trainers use the first column they know.
    """

    code: ClassVar[str] = "TC009"
    name: ClassVar[str] = "mixed-layouts"
    level: ClassVar[Level] = "error"

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
            if len(counts) > 1:
                message = ", ".join(f"{name} ({count:,})" for name, count in Counter(counts).most_common())
                yield self.finding_in(file, f"rows of {len(counts)} layouts in one file: {message}", self.mixed[file])


def _has_own_key(overview: Overview) -> bool:
    """A guard: the row has settings of its own."""
    return OWN_KEY in overview.value


class InvalidIgnore(RowRule):
    """A row's own list of rules to ignore that has no effect, in whole or in part.

    Anti-pattern: ``"ignore": "TC101"`` instead of a list; a code with a typo; a rule that no longer exists.

    Why it hurts: the findings stay, or a filter drops a row that was meant to be kept.

    Best practice: a list of codes, prefixes of codes or names, as for ``--ignore``.

    Bad: ``{"_toolconv": {"ignore": "TC101"}}``

    Good: ``{"_toolconv": {"ignore": ["TC101"]}}``

    Source: toolconv; ruff's RUF102 does the same for ``noqa``.
    """

    code: ClassVar[str] = "TC010"
    name: ClassVar[str] = "invalid-ignore"
    level: ClassVar[Level] = "warning"
    guards: ClassVar[tuple[Guard, ...]] = (_has_own_key,)

    def check(self, row: LintRow) -> Iterator[Finding]:
        own = row.row.get(OWN_KEY) if row.row is not None else None
        if not isinstance(own, dict) or "ignore" not in own:
            return
        words, pointer = own["ignore"], f"/{OWN_KEY}/ignore"
        if not isinstance(words, list):
            yield self.finding(row, pointer, f"the rules to ignore are {shown(words)}, expected a list of codes")
            return
        for at, word in enumerate(words):
            try:
                find(word if isinstance(word, str) else str(word))
            except UnknownRule as error:
                yield self.finding(row, f"{pointer}/{at}", str(error).rpartition(";")[0])


class UnusedIgnore(RowRule):
    """A row's own list of rules to ignore with a rule that finds nothing there.

    Anti-pattern: a fault was mended, and the list that hid it stayed.

    Why it hurts: the next fault of that kind stays hidden.

    Best practice: remove the rule from the list.

    Only rules that are enabled and look at rows are named, not those that compare rows or count over a dataset.

    Bad: ``{"_toolconv": {"ignore": ["TC101"]}}`` in a row whose calls are all declared

    Good: the row without that key

    Fix: takes the rule out of the list, and the list and its key if nothing is left in them.

    Source: toolconv; ruff's RUF100 does the same for ``noqa``.
    """

    code: ClassVar[str] = "TC013"
    name: ClassVar[str] = "unused-ignore"
    level: ClassVar[Level] = "warning"
    guards: ClassVar[tuple[Guard, ...]] = (_has_own_key,)
    fix: ClassVar[Safety | None] = "safe"

    def check(self, row: LintRow) -> Iterator[Finding]:
        return iter(())  # what the other rules find decides: see unused()

    def unused(
        self, row: LintRow, quiet: Collection[str], known: Collection[str], others: Collection[str]
    ) -> Iterator[Finding]:
        """The findings about words that select enabled rules, none of which finds anything.

        Args:
            row: the row.
            quiet: the codes of the rules that find something in it.
            known: the codes of the enabled rules that look at rows.
            others: those of the other enabled rules, of which it is not known yet what they find.
        """
        own = row.row.get(OWN_KEY) if row.row is not None else None
        words = own.get("ignore") if isinstance(own, dict) else None
        unused = []
        for word in words if isinstance(words, list) else ():
            try:
                codes = find(word) if isinstance(word, str) else []
            except UnknownRule:
                continue  # reported by TC010
            if any(code in known for code in codes) and not any(code in quiet or code in others for code in codes):
                unused.append(word)
        if unused and isinstance(own, dict) and isinstance(words, list):
            left = [word for word in words if word not in unused]
            edit = (
                row.edit(f"/{OWN_KEY}/ignore", left)
                if left
                else row.edit(f"/{OWN_KEY}/ignore", remove=True)
                if len(own) > 1
                else row.edit(f"/{OWN_KEY}", remove=True)
            )
            message = f"the row ignores {listed(unused)}, which would report nothing"
            yield self.finding(row, f"/{OWN_KEY}/ignore", message, edit)
