"""The tags around calls and their arguments: those that a family writes, and those that models write instead."""

from __future__ import annotations

import re
from dataclasses import field
from functools import cached_property
from typing import NamedTuple

from toolconv.core.blanks import after_blanks
from toolconv.core.lazy_re import lazy_re
from toolconv.core.remembered import Remembered
from toolconv.dialects.base import Dialect
from toolconv.dialects.call_template import CallTemplate, Hole, TemplateError
from toolconv.dialects.grammars.fences import JSON_BODY
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.tags import Tag, finder, head

SPELLED_HOLE = lazy_re(r"\{(\w+)\|[a-z_|]+\}")
"""A hole of a call template that names its spellings."""
PARAM_HOLES = lazy_re("key (?:(?:type|is_text) )?value(?: key)*")
"""The holes of an argument, in order; the last is in a closing tag."""
MAX_TAG = 96
TagPair = tuple[str, str]
"""The spellings of an opening and its closing tag, with the line breaks the family writes inside them."""


class TagSet(NamedTuple):
    """The tags of a format, by what they enclose. The first pair of each kind is the one the family writes."""

    wrappers: tuple[TagPair, ...]
    functions: tuple[TagPair, ...]
    parameters: tuple[TagPair, ...]


def tags_of(template: CallTemplate) -> TagSet:
    """The tags a template writes: around a call or around all of them, around one call, and around an argument.

    If each call has its own wrapper, two opening tags precede its arguments; the second names the tool.

    Raises:
        TemplateError: the template writes no parameter tags, or has holes that such tags can't have.
    """
    if not template.param or any(isinstance(piece, Hole) and piece.word == "id" for piece in template.pieces):
        raise TemplateError(f"calls with parameter tags need {{params}}, and hold no {{id}}: {template.call!r}")
    words = [piece.word for piece in template.param_pieces if isinstance(piece, Hole)]
    if PARAM_HOLES.fullmatch(" ".join(words)) is None:
        holes = "{key}, then {type} or {is_text} if any, then {value}"
        raise TemplateError(f"the tags of an argument hold {holes}: {template.param!r}")
    opening, _, closing = SPELLED_HOLE.sub(r"{\1}", template.call).partition("{params}")
    before, _, after = SPELLED_HOLE.sub(r"{\1}", template.param).partition("{value}")
    wrapper = template.before, template.after
    if "{name}" not in opening:
        raise TemplateError(f"{{name}} must precede {{params}}: {template.call!r}")
    start = opening.rfind(before.strip()[:1], 0, opening.rindex("{name}"))
    if not template.before and start > 0:
        end = closing.find(">") + 1
        wrapper, opening, closing = (opening[:start], closing[end:]), opening[start:], closing[:end]
    return TagSet((wrapper,) if any(wrapper) else (), ((opening, closing),), ((before, after),))


class ParameterTags(Dialect):
    """The tags of calls with an element for each argument.

    Attributes:
        wrappers: further tags around a call, or around all calls of a turn.
        functions: further tags around one call, with ``{name}``.
        parameters: further tags around one value, with ``{key}``.
        function_slips: tags around one call that models write by mistake.
        stays_open: the wrapper's closing tag is the family's stop sequence and may be missing.
        json: blocks of JSON calls that are a variant of the format; JSON inside the wrapper is read in any case.
        json_slips: the blocks in which models write JSON by mistake, if these differ from the wrapper.
        reasoning_name: a pattern of the names of the reasoning tags, if there are several.
        markup: patterns of other markup around prose and calls; :meth:`read_markup` reads it.
    """

    calls: CallTemplate = field()
    wrappers: tuple[TagPair, ...] = ()
    functions: tuple[TagPair, ...] = ()
    parameters: tuple[TagPair, ...] = ()
    function_slips: tuple[TagPair, ...] = ()
    stays_open: bool = False
    json: JsonBlocks | None = None
    json_slips: JsonBlocks | None = None
    reasoning_name: str = ""
    markup: tuple[str, ...] = ()
    losses: tuple[str, ...] = ("argument_key", "argument_type", "argument_value", "call")

    def __post_init__(self) -> None:
        for what, pairs in zip(("several calls", "a call", "an argument"), self.tags, strict=True):
            for pair in pairs:
                if not all(head(spelling).strip() for spelling in pair):
                    raise TemplateError(
                        f"text that is not white space must open and close {what}: {' … '.join(pair)!r}"
                    )

    @cached_property
    def written_tags(self) -> TagSet:
        """The tags that the family writes."""
        return tags_of(self.calls)

    @cached_property
    def tags(self) -> TagSet:
        """All tags that are read: those that the family writes, then the others."""
        pairs = zip(self.written_tags, (self.wrappers, self.functions, self.parameters), strict=True)
        return TagSet(*(tuple(dict.fromkeys((*written, *others))) for written, others in pairs))

    @property
    def wraps_all(self) -> bool:
        """Whether one wrapper holds all calls of a turn."""
        return bool(self.calls.before)

    @property
    def markers(self) -> tuple[str, ...]:
        return self._opening_marks

    @cached_property
    def _opening_marks(self) -> tuple[str, ...]:
        wrappers, functions, _ = self.tags
        pairs = (*wrappers, *functions) if self.wraps_all else (*functions, *wrappers)
        more = self.json.all_opens if self.json else ()
        return tuple(dict.fromkeys([*(re.split(r"[{\n]", open_)[0] for open_, _ in pairs), *more]))

    @cached_property
    def function(self) -> Tag:
        """The tag that opens a call."""
        slips = [open_ for open_, _ in self.function_slips]
        return Tag([open_ for open_, _ in self.tags.functions], slips, "missing_open_tag")

    @cached_property
    def parameter(self) -> Tag:
        """The tag that opens an argument."""
        return Tag([open_ for open_, _ in self.tags.parameters])

    @cached_property
    def _parameter_head(self) -> re.Pattern[str]:
        return finder({"head": self.parameter.heads})

    @cached_property
    def _first_parameter(self) -> re.Pattern[str]:
        return finder({"head": Tag([self.tags.parameters[0][0]]).heads})

    @cached_property
    def _function_end(self) -> Tag:
        slips = [close for _, close in self.function_slips]
        return Tag([close for _, close in self.tags.functions], slips, "missing_close_tag")

    @cached_property
    def _wrapper(self) -> Tag:
        return Tag([open_ for open_, _ in self.tags.wrappers])

    @cached_property
    def _wrapper_end(self) -> Tag:
        return Tag([close for _, close in self.tags.wrappers])

    @cached_property
    def _structure(self) -> re.Pattern[str]:
        """Any markup outside of calls."""
        kinds = {
            "call": self.function.heads,
            "open": self._wrapper.heads,
            "close": self._wrapper_end.heads,
            "json": tuple(map(re.escape, self._json_opens)),
            "markup": self.markup,
        }
        return finder(kinds)

    @cached_property
    def _after_call(self) -> re.Pattern[str]:
        """What may follow a call."""
        over = (*self._wrapper_end.heads, *map(re.escape, self.turn_tokens), r"\Z")
        return finder({"open": self._wrapper.heads, "call": self.function.heads, "over": over})

    def _call_may_end(self, text: str, at: int) -> bool:
        """Whether the text at ``at`` may follow a call."""
        at = after_blanks(text, at)
        found = self._after_call.match(text, at)
        if found is not None and found.lastgroup == "open":
            return self._begins_call(text, after_blanks(text, found.end()))
        return found is not None and (found.lastgroup == "over" or self._begins_call(text, at))

    def _value_may_end(self, text: str, at: int) -> bool:
        """Whether the text at ``at`` may follow an argument."""
        at = after_blanks(text, at)
        if self.parameter.match(text, at) is not None or self._function_end.match(text, at) is not None:
            return True
        if self._call_may_end(text, at) or self._cut_tag(text, at) is not None:
            return True
        return self._parameter_head.match(text, at) is not None

    def value_ends(self, text: str, at: int, key: str) -> tuple[str, ...]:
        """Patterns of the closing tag of a value that begins at ``at``."""
        return tuple(end.replace("KEY", re.escape(key)) for end in self._parameter_end.heads)

    @cached_property
    def _parameter_end(self) -> Tag:
        return Tag([close.replace("{tag}", "KEY") for _, close in self.tags.parameters])

    @cached_property
    def _value_finders(self) -> Remembered[tuple[str, ...], re.Pattern[str]]:
        return Remembered(100)

    def _inside_value(self, ends: tuple[str, ...]) -> re.Pattern[str]:
        """The markup to look for inside a value: its end, and the beginnings and ends of calls."""
        known = self._value_finders
        return known.get(ends) or known.add(
            ends, finder({"end": ends, "call": self.function.heads, "call_end": self._function_end.heads})
        )

    @cached_property
    def _json(self) -> tuple[JsonBlocks | None, JsonBlocks]:
        """Blocks of JSON calls: those that are a variant of the format, and those that models write by mistake."""
        if self.json_slips is not None:
            return self.json, self.json_slips
        pairs = (*self.tags.wrappers, *self.tags.functions)
        opens = tuple(plain_tag(open_) for open_, _ in self.tags.wrappers or self.tags.functions)
        closes = tuple(dict.fromkeys(plain_tag(close) for _, close in pairs))
        return self.json, JsonBlocks(name=self.name, opens=opens, closes=closes, bare="never")

    @cached_property
    def _json_opens(self) -> tuple[str, ...]:
        return tuple(open_ for blocks in self._json if blocks is not None for open_ in blocks.all_opens)

    def _begins_call(self, text: str, at: int) -> bool:
        """Whether a call begins at ``at``, in tags or as JSON."""
        if self.function.match(text, at) is not None:
            return True
        return any(
            text.startswith(open_, at) and JSON_BODY.match(text, at + len(open_)) is not None
            for open_ in self._json_opens
        )

    @cached_property
    def _stops(self) -> re.Pattern[str]:
        """The latest end of a call that can't be read: at a closing tag, or before the next opening tag."""
        ends = self._wrapper_end.heads or self._function_end.heads
        return finder({"stop": ends, "call": self.function.heads, "open": self._wrapper.heads})

    def _cut_tag(self, text: str, at: int) -> str | None:
        """Which tag at ``at`` is cut off by the end of the text: ``end`` for one that ends the call, ``other``."""
        rest = text[at : at + MAX_TAG]
        if at + MAX_TAG < len(text):
            return None
        if any(plain_tag(open_).startswith(rest) for open_, _ in (*self.tags.parameters, *self.tags.functions)):
            return "other"
        ends = [close for _, close in (*self.tags.functions, *self.tags.wrappers)]
        is_cut = len(rest) > 1 and any(tag.startswith(rest) and tag != rest for tag in map(plain_tag, ends))
        return "end" if is_cut else None


def plain_tag(spelling: str) -> str:
    """A tag's text up to its first field, without layout."""
    return re.split(r"\{", spelling.replace("{suffix}", ""))[0].strip("\n")
