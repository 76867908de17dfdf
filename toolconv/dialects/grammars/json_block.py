"""What stands between the markers of a call block: JSON objects in any state, and what holds them together."""

from __future__ import annotations

from typing import Any

from toolconv.core import lenient_json
from toolconv.core.blanks import after_blanks
from toolconv.core.lazy_re import end_of, lazy_re
from toolconv.dialects.grammars.fences import OPENING, language_repairs
from toolconv.dialects.grammars.json_object import SEPARATORS, CallsIn, ObjectReader, arguments_of
from toolconv.dialects.reading.turn_parser import TurnParser

BRACKETS = lazy_re(r"\[+")
FENCE = lazy_re(rf"{OPENING}\n?")
FENCE_END = lazy_re(r"```[ \t]*\n?")
NAME_LINE = lazy_re(r"([^\W\d][\w.\-]{0,127})[ \t]*\r?\n\s*(?=\{)")


class Block:
    """What stands between an opening marker and whatever ends the block.

    Args:
        parser: the reading it belongs to.
        at: where it begins.
        stops: markers that end it.
        calls_in: the calls in a value, as :meth:`JsonBlocks.call` reads them.
        opening: the marker before it.

    Attributes:
        values: places and values of the JSON objects in it, lists taken apart.
        words: places of text that is neither JSON nor punctuation.
        broken: places of what could not be read, and why.
        listed: whether the objects stood in a list.
        emptied: whether they were in a list that opens, closes and holds nothing.
        repairs: what had to be repaired.
        end: where the marker that ends the block stands, or the end of the text.
    """

    __slots__ = ("broken", "emptied", "end", "listed", "repairs", "values", "words")

    def __init__(
        self, parser: TurnParser, at: int, stops: tuple[str, ...], calls_in: CallsIn, opening: str = ""
    ) -> None:
        reader = ObjectReader(parser, stops, calls_in)
        self.values: list[tuple[int, int, Any]] = []
        self.words: list[tuple[int, int]] = []
        self.repairs: list[str] = []
        self.broken: list[tuple[int, int, Exception]] = []
        lists = int(opening.endswith("["))  # how many are open
        fence = "```" in opening  # part of the markup, or a model's slip
        fenced = fence
        self.listed = lists > 0
        text = parser.text
        name: str | None = None
        name_at = at
        while True:
            at = end_of(SEPARATORS, text, at)
            if at >= len(text) or text.startswith(stops, at):
                break
            char = text[at]
            if char == "{":
                start = at if name is None else name_at
                try:
                    objects = (
                        reader if name is None else reader._replace(calls_in=arguments_of(name), is_arguments=True)
                    )
                    reading = objects.read(at, in_list=lists > 0)
                except lenient_json.Unreadable as error:
                    found = parser.first(stops, at)
                    end = found[0] if found else len(text)
                    at = reader.rest(at, end)
                    self.broken.append((start, start + len(text[start:at].rstrip(" \t\r\n,;")), error))
                else:
                    value = reading.value if name is None else {"name": name, "arguments": reading.value}
                    self.values.append((at, reading.end, value))
                    self.repairs.extend(reading.repairs)
                    at = reading.end
                name = None
            elif char == "[" and not text.startswith("[/", at):
                end = end_of(BRACKETS, text, at)
                self.listed = True
                lists += end - at
                at = end
            elif char in "]}":
                if char == "}" or lists == 0:
                    self.repairs.append("extra_bracket")
                else:
                    lists -= 1
                at += 1
            elif (edge := (FENCE_END if fenced else FENCE).match(text, at)) is not None and (fenced or not self.values):
                if not fenced:
                    self.repairs.extend(language_repairs(edge))
                at = edge.end()
                fenced = not fenced
                if fence:
                    break
                if "markdown_fence" not in self.repairs:
                    self.repairs.append("markdown_fence")
            elif match := NAME_LINE.match(text, at):
                name, name_at = match[1], at
                self.repairs.append("name_line")
                at = match.end()
            else:
                found = parser.first(stops, at)
                end = found[0] if found else len(text)
                self.words.append((at, at + len(text[at:end].rstrip())))
                at = end
                break
        self.end = at
        self.emptied = self.listed and lists == 0 and not self.values
        if lists > 0 and self.values and not self.broken:
            self.repairs.append("truncated" if at >= len(text) else "missing_bracket")
        if fence and fenced and self.values and not self.broken:
            self.repairs.append("missing_close_tag")


def cut_around(parser: TurnParser, opening: str, closing: str) -> None:
    """Cut out a tag directly before the first call and one directly after the last."""
    text, at = parser.text, parser.at
    first, last = min(parser.places), max(parser.places)
    before = text[:first].rstrip()
    if before.endswith(opening):
        parser.accept(len(before) - len(opening), first)
    end = max(end for start, end in parser.cut_places() if start == last)
    after = after_blanks(text, end)
    if text.startswith(closing, after):
        parser.accept(end, after + len(closing))
    parser.at = max(at, parser.at)
