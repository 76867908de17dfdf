"""Markers around JSON call objects: ``<tool_call>{"name": …, "arguments": …}</tool_call>`` and its many relatives.

The block may hold one object, several, or a list; the closing marker may not exist at all. Formats whose calls stand
bare in the text (Llama 3, xLAM) are the case without a marker.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from toolconv import jsontext
from toolconv.conversation import ToolCall
from toolconv.dialects import callshape
from toolconv.dialects.base import Dialect, Scan
from toolconv.dialects.callshape import NotACall

SEPARATORS = re.compile(r"[ \t\r\n,;]*")
FENCE = re.compile(r"```[ \t]*\w*[ \t]*\n?")
NAME_LINE = re.compile(r"([A-Za-z_][\w.\-]{0,127})[ \t]*\r?\n\s*(?=\{)")
GAVE_UP = "gave up: too much broken markup in one text"


@dataclass(frozen=True, kw_only=True, eq=False)
class JsonBlocks(Dialect):
    """Calls as JSON objects, between markers or bare.

    Attributes:
        opens: opening markers; the first is what the family writes, the others are read as well.
        closes: closing markers, likewise; empty when the JSON's end is the call's end.
        argument_key: the key the family writes for arguments.
        bare: whether calls may stand in the text without any marker: ``always`` where that is the format, ``repair``
            where it is a model's slip, ``never``.
        listed: several objects in one block, or a list of them, are the format and no repair.
        before, between, after: what is written around all calls and between two.
        item_before, item_after: what is written around each call.
        write: how the JSON is spelled.
    """

    opens: tuple[str, ...] = ()
    closes: tuple[str, ...] = ()
    argument_key: str = "arguments"
    bare: Literal["always", "repair", "never"] = "repair"
    listed: bool = False
    before: str = ""
    between: str = ""
    after: str = ""
    item_before: str = ""
    item_after: str = ""
    write: Callable[[Any], str] = jsontext.spaced

    @property
    def markers(self) -> tuple[str, ...]:
        return self.opens

    # ── writing ──

    def call_object(self, call: ToolCall) -> Any:
        """The JSON value that stands for a call."""
        return {"name": call.name, self.argument_key: call.arguments}

    def render(self, calls: Sequence[ToolCall]) -> str:
        items = [f"{self.item_before}{self.write(self.call_object(call))}{self.item_after}" for call in calls]
        return self.before + self.between.join(items) + self.after

    # ── reading ──

    def scan(self, scan: Scan) -> None:
        found = scan.first(self.opens, scan.at)
        if found is None:
            self._unopened(scan, len(scan.text))
            if not scan.calls and self.bare != "never":
                self._bare(scan)
            return
        while found is not None:
            start, opening = found
            self._unopened(scan, start)
            if not self._strict(scan, start, start + len(opening)):
                self.read_block(scan, start, start + len(opening))
            found = scan.first(self.opens, scan.at)
        self._unopened(scan, len(scan.text))

    def call(self, scan: Scan, value: Any, repairs: list[str]) -> list[ToolCall]:
        """The calls that one JSON value says; names of repairs are added to ``repairs``.

        Raises:
            NotACall: it says none.
        """
        return [callshape.call_from(value, self.argument_key, scan.tools, repairs)]

    def _strict(self, scan: Scan, start: int, at: int) -> bool:
        """The common case: one strict JSON object up to the closing marker. False when it is not that."""
        if not self.closes:
            return False
        end = scan.find(self.closes[0], at)
        if end < 0:
            return False
        body = scan.text[at:end]
        repairs: list[str] = []
        try:
            value = jsontext.loads(body)
            if type(value) is not dict or jsontext.repeated_keys(body, value):
                return False
            calls = self.call(scan, value, repairs)
        except ValueError:
            return False
        scan.take(start, end + len(self.closes[0]), calls)
        scan.repairs.extend(repairs)
        return True

    def read_block(self, scan: Scan, start: int, at: int) -> None:
        """Read whatever stands behind an opening marker: calls in any state, or prose that mentions the marker."""
        text = scan.text
        block = Block(scan, at, (*self.closes, *self.opens, *self.turn_tokens))
        close = next((marker for marker in self.closes if text.startswith(marker, block.end)), "")
        end = block.end + len(close)
        if not block.values and block.error is None:
            self._without_value(scan, start, at, end, bool(close), block)
            return
        calls: list[ToolCall] = []
        repairs = block.repairs
        kept = list(block.words)
        reason = str(block.error) if block.error else ""
        for value_start, value_end, value in block.values:
            made: list[str] = []
            try:
                calls.extend(self.call(scan, value, made))
                repairs.extend(made)
            except NotACall as error:
                kept.append((value_start, value_end))
                if len(block.values) > 1 or block.error:
                    scan.drop(value_start, value_end, str(error))
                else:
                    reason = str(error)
        if not calls:
            scan.drop(start, end, reason)
            return
        if block.error:
            kept.append((block.error_at, block.end))
            scan.drop(block.error_at, block.end, reason)
        if len(block.values) > 1 and not self.listed:
            repairs.append("list_in_block" if block.listed else "several_objects")
        if self.closes and not close:
            repairs.append("missing_close_tag")
        for kept_start, kept_end in sorted(kept):
            if kept_start > start:
                scan.take(start, kept_start)
            start = kept_end
        scan.take(start, end, calls)
        scan.repairs.extend(repairs)

    def _without_value(self, scan: Scan, start: int, at: int, end: int, closed: bool, block: Block) -> None:
        """A marker with no value behind it: an empty block, a marker too many, or a marker that prose mentions."""
        if block.words:
            scan.at = at
        elif closed or (end >= len(scan.text) and not scan.calls):
            scan.drop(start, end, "an empty block" if closed else "the text ends behind the opening marker")
        else:  # another opening marker, or one that stands for a closing one
            scan.take(start, at)
            scan.repair("extra_open_tag")

    def _unopened(self, scan: Scan, until: int) -> None:
        """Closing markers that no opening marker announced, up to ``until``."""
        while self.closes and (found := scan.first(self.closes, scan.at)) is not None:
            close, marker = found
            if close >= until:
                return
            end = close + len(marker)
            before = scan.text[scan.at : close]
            if not before.strip():
                if scan.calls:
                    scan.take(close, end)
                    scan.repair("extra_close_tag")
                else:
                    scan.at = end
                continue
            brace = scan.text.find("{", scan.at, close)
            block = (
                Block(scan, brace, (*self.closes, *self.opens)) if brace >= 0 and scan.spend(close - brace) else None
            )
            repairs: list[str] = []
            if block is not None and block.values and not block.words and not block.error and block.end == close:
                try:
                    calls = [call for *_, value in block.values for call in self.call(scan, value, repairs)]
                except NotACall:
                    calls = []
                if calls:
                    scan.take(brace, end, calls)
                    scan.repairs.extend([*block.repairs, *repairs, "missing_open_tag"])
                    continue
            scan.at = end

    def _bare(self, scan: Scan) -> None:
        """Calls that stand in the text without any marker."""
        text = scan.text
        start = scan.at
        while (brace := text.find("{", start)) >= 0 and scan.spend(0):
            try:
                reading = jsontext.read(text, brace, stops=self.turn_tokens)
            except jsontext.Unreadable as error:
                scan.spend(error.at - brace)
                start = brace + 1
                continue
            repairs = list(reading.repairs)
            calls, prose = self.bare_calls(scan, reading.value, repairs)
            if not calls and not prose:
                start = reading.end
                continue
            if self.bare == "repair":
                repairs.append("missing_tags")
            start, end = around(text, brace, reading.end, scan.at)
            if text.startswith("```", start) and "markdown_fence" not in scan.repairs:
                repairs.append("markdown_fence")
            scan.take(start, end, calls, prose)
            scan.repairs.extend(repairs)
            start = end

    def bare_calls(self, scan: Scan, value: Any, repairs: list[str]) -> tuple[list[ToolCall], str]:
        """The calls, and prose, that a value without a marker says; neither when it has not the shape of a call."""
        if not callshape.is_call(value, scan.tools):
            return [], ""
        try:
            return self.call(scan, value, repairs), ""
        except NotACall:
            return [], ""


class Block:
    """What stands between an opening marker and whatever ends the block.

    Attributes:
        values: places and values of the JSON objects in it, lists taken apart.
        words: places of text that is neither JSON nor punctuation.
        error, error_at: the first thing that could not be read, and where it begins.
        listed: whether the objects stood in a list.
        repairs: what had to be repaired.
        end: where the marker that ends the block stands, or the end of the text.
    """

    __slots__ = ("end", "error", "error_at", "listed", "repairs", "values", "words")

    def __init__(self, scan: Scan, at: int, stops: tuple[str, ...]) -> None:
        self.values: list[tuple[int, int, Any]] = []
        self.words: list[tuple[int, int]] = []
        self.repairs: list[str] = []
        self.error: Exception | None = None
        self.error_at = at
        self.listed = False
        text = scan.text
        name: str | None = None
        while True:
            at = end_of(SEPARATORS, text, at)
            if at >= len(text) or text.startswith(stops, at):
                break
            char = text[at]
            if char == "{":
                try:
                    reading = jsontext.read(text, at, stops=stops)
                except jsontext.Unreadable as error:
                    reason: Exception = error if scan.spend(error.at - at) else ValueError(GAVE_UP)
                    self.error, self.error_at = reason, at
                    found = scan.first(stops, at)
                    at = found[0] if found else len(text)
                    break
                value = reading.value if name is None else {"name": name, "arguments": reading.value}
                self.values.append((at, reading.end, value))
                self.repairs.extend(reading.repairs)
                at, name = reading.end, None
            elif char == "[":
                self.listed = True
                at += 1
            elif char in "]}":
                if char == "}" or not self.listed:
                    self.repairs.append("extra_bracket")
                at += 1
            elif text.startswith("```", at):
                self.repairs.append("markdown_fence") if "markdown_fence" not in self.repairs else None
                at = end_of(FENCE, text, at)
            elif match := NAME_LINE.match(text, at):
                name = match[1]
                self.repairs.append("name_line")
                at = match.end()
            else:
                found = scan.first(stops, at)
                end = found[0] if found else len(text)
                self.words.append((at, at + len(text[at:end].rstrip())))
                at = end
                break
        self.end = at


def end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where a match of ``pattern`` at ``at`` ends; ``at`` if there is none."""
    match = pattern.match(text, at)
    return match.end() if match else at


_LEAD = re.compile(r"(?:```[ \t]*\w*[ \t]*\n\s*)?(?:\[\s*)?$")
_TAIL = re.compile(r"\s*(?:[;,]\s*(?=\{)|\]\s*;?)?(?:\s*```)?")


def around(text: str, start: int, end: int, floor: int) -> tuple[int, int]:
    """Widen a bare call to the punctuation that only holds calls together: list brackets, separators, a fence."""
    lead = _LEAD.search(text, max(floor, start - 40), start)
    if lead is not None:
        start = lead.start()
    tail = _TAIL.match(text, end)
    if tail is not None and tail[0].strip():
        end = tail.end()
    return start, end
