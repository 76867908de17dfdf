"""The values of arguments in tags: where each ends, and its type.

A value ends at the first closing tag after which the call goes on: with an argument or the end of the call, at once or
after what has no place there (prose, a second closing tag, a turn token), which is left out. It goes on past a closing
tag inside of a whole call. A value that holds closing tags is read as the repair ``markup_in_value``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from toolconv.core import lenient_json
from toolconv.core.blanks import after_blanks
from toolconv.core.calls import NotACall
from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.grammars.parameter_tags import MAX_TAG, ParameterTags
from toolconv.dialects.grammars.tags import Tag, TagMatch, finder
from toolconv.dialects.reading.turn_parser import GAVE_UP, TurnParser
from toolconv.dialects.values.by_schema import Shape
from toolconv.dialects.values.stated_types import READ_TYPED

DAMAGED_TAG = lazy_re(r"(?:<[^<>\s]*|>)\s*\Z")
"""What remains of a damaged tag at the end of a text."""
OPENING_TAG = lazy_re(r"<(?!/)\S")
SHORT_VALUE = 400
"""How far a value is read once the parser's budget is used up."""


class ValueEnd(NamedTuple):
    """Where a value ends.

    Attributes:
        close: its closing tag, or the end of its call where that tag is missing; ``None`` if there is neither.
        first_call: where the first call opens inside the value.
        holds_tags: whether closing tags were passed over.
    """

    close: re.Match[str] | None
    first_call: int
    holds_tags: bool


class InnerElements:
    """The elements in the value that begins at ``start``, as far as they have closing tags like those of values.

    They are asked for in order, so all answers take one pass.
    """

    __slots__ = ("_open", "_start", "_text")

    def __init__(self, text: str, start: int) -> None:
        self._text, self._start = text, start
        self._open: dict[str, tuple[int, int]] = {}

    def close(self, tag: str, at: int) -> bool:
        """Whether the closing ``tag`` at ``at`` closes an element that is opened in the value."""
        count, start = self._open.get(tag, (0, self._start))
        opening = "<" + tag.strip("</>")
        count += sum(self._text.count(opening + char, start, at) for char in _AFTER_NAME)
        self._open[tag] = max(0, count - 1), at
        return count > 0


_AFTER_NAME = (">", "=", " ", "\n")
"""What follows the name in an opening tag."""


class Gap(NamedTuple):
    """What has no place between an argument and the next part of its call.

    Attributes:
        end: where it ends.
        repairs: names of the repairs that leave it out.
        words: the prose in it.
    """

    end: int
    repairs: tuple[str, ...]
    words: tuple[str, ...]


@dataclass(slots=True, repr=False, eq=False)
class TaggedArgument:
    """An argument whose value is read.

    Attributes:
        key: its key.
        given: the keys up to here, its own too.
        properties: the declared parameters.
    """

    key: str
    given: set[str]
    properties: dict[str, Any]


class ParameterValues(ParameterTags):
    """Reads the values between the tags of arguments.

    When the opening tag of an argument ends with a line break, one line break at each end of a value is layout;
    otherwise values are verbatim.
    """

    def key_of(self, head: TagMatch) -> str:
        """The key in an opening tag."""
        return head.fields["key"]

    def type_of(self, fields: Mapping[str, str], text: str, shape: Shape, repairs: list[str]) -> Any:
        """The value of an argument with its type, given the fields of its opening tag."""
        attribute = self.calls.attribute
        return READ_TYPED[attribute](fields.get(attribute), text, shape, repairs)

    @property
    def own_lines(self) -> bool:
        """Whether values are on separate lines."""
        return self.tags.parameters[0][0].endswith("\n")

    def _value(self, parser: TurnParser, at: int, argument: TaggedArgument, repairs: list[str]) -> tuple[str, int]:
        """The text of the value that begins at ``at``, and the place after its closing tag."""
        text = parser.text
        end = self._end_of_value(parser, at, argument)
        close = end.close
        until = close.start() if close is not None else len(text)
        if not end.holds_tags:
            opened = self._never_closed(text, at, min(until, end.first_call), argument)
            if opened is not None:
                return self._without_end(text, at, opened, repairs), opened
        if close is None:
            raise lenient_json.Unreadable("the text ends inside a value", len(text))
        if end.holds_tags or self._holds_tag(text, at, until):
            repairs.append("markup_in_value")
        if close.lastgroup != "end":
            return self._without_end(text, at, until, repairs), until
        if self._holds_half(text, at, min(until, end.first_call)):
            raise lenient_json.Unreadable("an opening tag that can't be read", at)
        return self.trimmed(text[at:until]), close.end()

    def _holds_tag(self, text: str, start: int, end: int) -> bool:
        """Whether a value holds the opening tag of an argument, or ends with the beginning of its own closing tag."""
        if text.find("<", start, end) < 0:
            return False
        if self._first_parameter.search(text, start, end) is not None:
            return True
        close = self._own_close
        return any(text.endswith(close[:length], start, end) for length in range(1, len(close)))

    def _holds_half(self, text: str, start: int, end: int) -> bool:
        """Whether a value holds its closing tag and, after that, a tag that should open the next argument.

        It follows at once, or it is the second tag of an argument that has two. An element in the value, such as an
        argument of another family, has a closing tag of its own.
        """
        opening, close = self.written_tags[2][0]
        close = close.partition("{")[0].strip()
        second = "".join(re.findall(r"<[^<>/]+>", opening.rpartition("}")[2])[-1:])
        closed = text.find(close, start, end)
        if (
            closed < 0
            or InnerElements(text, start).close(close, closed)
            or self._first_parameter.search(text, closed, end) is not None
        ):
            return False
        after = after_blanks(text, closed + len(close))
        if OPENING_TAG.match(text, after, end) is not None:
            return True
        return second not in close and text.find(second, closed, end) >= 0

    def _without_end(self, text: str, at: int, until: int, repairs: list[str]) -> str:
        """The value at ``at``, whose closing tag is missing before ``until``: the line breaks there are layout.

        Raises:
            Unreadable: a damaged tag may have closed it.
        """
        if DAMAGED_TAG.search(text[max(at, until - MAX_TAG) : until]) is not None:
            raise lenient_json.Unreadable("a closing tag that can't be read", until)
        repairs.append("missing_close_tag")
        return self.trimmed(text[at:until].rstrip("\n"))

    def _end_of_value(self, parser: TurnParser, at: int, argument: TaggedArgument) -> ValueEnd:
        """What ends the value that begins at ``at``.

        It is the first closing tag after which the call goes on, outside of calls that open inside the value; or the
        end of the call, where no closing tag precedes it after which another call may go on.

        Raises:
            NotACall: the parser's budget is used up.
        """
        text = parser.text
        depth, first_call, inner = 0, len(text), len(text)
        holds_tags = False
        call_end: re.Match[str] | None = None
        pattern = self._inside_value(self.value_ends(text, at, argument.key))
        begin = at
        elements = InnerElements(text, at)
        until = len(text) if parser.budget > 0 else min(len(text), at + SHORT_VALUE)
        while (found := pattern.search(text, at, until)) is not None:
            at = found.end()
            if found.lastgroup == "call":
                depth += self._opens_call(text, found.start())
                first_call = min(first_call, found.start())
            elif found.lastgroup == "call_end":
                if depth:
                    depth -= 1
                elif call_end is None and self._call_may_end(text, at):
                    call_end = found
            else:
                inside = elements.close(found[0], found.start())
                goes_on = self._value_may_end(text, at) and not (inside and found[0] != self._own_close)
                if not depth and (goes_on or (not inside and self._gap(text, at) is not None)):
                    return ValueEnd(found, first_call, holds_tags)
                holds_tags = True
                inner = min(inner, found.start()) if goes_on else inner
        if not parser.charge(until - begin) and inner == len(text) and until < len(text):
            raise NotACall(GAVE_UP)
        if call_end is not None and call_end.start() > inner:
            call_end = None
        return ValueEnd(call_end, first_call, holds_tags)

    def _gap(self, text: str, at: int) -> Gap | None:
        """What has no place after an argument that ends at ``at``, if an argument or the end of the call follows it.

        Turn tokens, closing tags and words are left out; but no words after a turn token, since another turn begins
        there, and no closing tag after words.
        """
        repairs: list[str] = []
        words: list[str] = []
        while True:
            at = after_blanks(text, at)
            if self.parameter.match(text, at) is not None:
                return Gap(at, tuple(repairs), tuple(words))
            if (end := self._end_of(self._function_end, text, at)) is not None:
                return Gap(at, tuple(repairs), tuple(words)) if self._call_may_end(text, end) else None
            found = self._in_gap.search(text, at)
            if found is None:
                return None
            if found.start() > at:
                if "leaked_token" in repairs:
                    return None
                words.append(text[at : found.start()].strip())
                repairs.append("prose_in_call")
            elif found.lastgroup == "token":
                repairs.append("leaked_token")
                at = found.end()
                continue
            elif found.lastgroup == "end" and not words:
                repairs.append("extra_close_tag")
                at = found.end()
                continue
            else:
                return None
            at = found.start()

    @cached_property
    def _own_close(self) -> str:
        """The closing tag of a value that the family writes."""
        return self.written_tags[2][0][1].strip()

    @cached_property
    def _in_gap(self) -> re.Pattern[str]:
        """The markup that may end, or go on, what has no place between arguments."""
        kinds = {
            "parameter": self.parameter.heads,
            "call_end": self._function_end.heads,
            "call": (*self.function.heads, *self._wrapper.heads, *self._wrapper_end.heads),
            "end": tuple(end.replace("KEY", r"[A-Za-z_][\w.\-]{0,127}") for end in self._parameter_end.heads),
            "token": tuple(map(re.escape, self.turn_tokens)),
        }
        return finder(kinds)

    def _opens_call(self, text: str, at: int) -> bool:
        """Whether the tag at ``at`` opens a call, judged by what follows it, or is part of a text."""
        head = self.function.match(text, at)
        if head is None:
            return False
        after = after_blanks(text, head.end)
        tags = (self.parameter, self._function_end)
        return any(tag.match(text, after) is not None for tag in tags)

    def _never_closed(self, text: str, at: int, until: int, argument: TaggedArgument) -> int | None:
        """Where the next argument opens if this value has no closing tag.

        An opening tag counts in these places; anywhere else it is text:

        - at the start of a line, unless the tool is declared without such a parameter;
        - within a line, if it names another parameter that the tool is declared with; if none are declared, where no
          space is before it.
        """
        found = self._first_parameter.search(text, at, until)
        head = self.parameter.match(text, found.start()) if found is not None else None
        if found is None or head is None:
            return None
        if (key := head.fields["key"].strip()) in argument.given:
            return None
        properties = argument.properties
        before = text[at : found.start()].rstrip(" \t")
        if before.endswith("\n"):
            believed = not properties or key in properties
            plain = not self.own_lines or key in properties or text.startswith("\n", head.end)
            return found.start() if believed and plain else None
        believed = key in properties or (not properties and not text[found.start() - 1].isspace())
        return found.start() if believed and not before.endswith(("'", '"', "`")) else None

    def trimmed(self, value: str) -> str:
        """A value without the line breaks that are layout."""
        if not self.own_lines:
            return value
        if value.startswith("\r\n"):
            return value.removeprefix("\r\n").removesuffix("\n").removesuffix("\r")
        return value.removeprefix("\n").removesuffix("\n")

    @staticmethod
    def _end_of(tag: Tag, text: str, at: int) -> int | None:
        found = tag.match(text, at)
        return None if found is None else found.end
