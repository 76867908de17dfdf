"""A tag that names the tool, then tags around each argument: ``<function=f><parameter=k>v</parameter></function>``.

``<invoke name="f"><parameter name="k">`` is the same grammar, and so is
``<tool_call>f<arg_key>k</arg_key><arg_value>``: only the spelling of the tags differs. Values are text;
:mod:`toolconv.dialects.reading.values` gives them types.

A value ends at the first closing tag after which the call goes on: with an argument or the end of the call, at once or
after what has no place there (prose, a second closing tag, a turn token), which is left out. It goes on past a closing
tag where the text up to there does not fit the declared type but a longer one does, where only a further closing tag
follows the words after it, and inside of a whole call. A value that holds closing tags is read as the repair
``markup_in_value``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

from toolconv.core import jsontext, lenient_json
from toolconv.core.calls import NotACall, arguments_from, declared_name
from toolconv.core.conversation import ToolCall
from toolconv.core.schema_types import types_of
from toolconv.dialects.base import Dialect
from toolconv.dialects.call_template import CallTemplate, Hole, TemplateError
from toolconv.dialects.grammars.json_block import refuse_ambiguous
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.tags import Tag, TagMatch, finder, misspelt
from toolconv.dialects.reading.turn_parser import GAVE_UP, TurnParser
from toolconv.dialects.reading.values import Readers, is_settled, reader_of_untyped, typed_as

BLANKS = re.compile(r"\s*")
EXTRA_BRACKET = re.compile(r"\s*\}")
JSON_BODY = re.compile(r"\s*(?:```\w*\s*)?[\[{]")
SPELLED_HOLE = re.compile(r"\{(\w+)\|[a-z_|]+\}")
"""A hole of a call template that names its spellings."""
PARAM_HOLES = re.compile("key (?:(?:type|is_text) )?value(?: key)*")
"""The holes of an argument, in order; the last is in a closing tag."""
DAMAGED_TAG = re.compile(r"(?:<[^<>\s]*|>)\s*\Z")
"""What remains of a damaged tag at the end of a text."""
CUT_NAME = re.compile(r"[\"']?[\w.\-:/]*(?:[\"'](?:\s\w*(?:=[\"']?\w*[\"']?)?)?)?[/>]?(?:<\|?\w*)?")
"""The rest of an opening tag, from its name on, in a text that ends inside the tag."""
MAX_TAG = 96
MAX_UNFIT = 4
"""How many closing tags are tried for a value that must fit a type."""
SHORT_VALUE = 400
"""How far a value is read once the parser's budget is used up."""


class ValueEnd(NamedTuple):
    """Where a value ends.

    Attributes:
        close: its closing tag, or the end of its call where that tag is missing; ``None`` if there is neither.
        first_call: where the first call opens inside the value.
        passed: whether closing tags were passed over that no grammar follows.
        holds_markup: whether the value holds closing tags.
    """

    close: re.Match[str] | None
    first_call: int
    passed: bool
    holds_markup: bool


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
    start = opening.rfind(before.strip()[0], 0, opening.rindex("{name}"))
    if not template.before and start > 0:
        end = closing.index(">") + 1
        wrapper, opening, closing = (opening[:start], closing[end:]), opening[start:], closing[:end]
    return TagSet((wrapper,) if any(wrapper) else (), ((opening, closing),), ((before, after),))


ReadTyped = Callable[[str | None, str, str, Readers, list[str]], Any]
"""Gives a value its type, from the attribute of its tag, its key, its text and the schema's types; adds repairs."""


def typed_by_schema(attribute: str | None, key: str, text: str, readers: Readers, repairs: list[str]) -> Any:
    """A value whose tag has no attribute for its type."""
    return readers.typed(key, text, repairs)


def typed_by_flag(is_text: str | None, key: str, text: str, readers: Readers, repairs: list[str]) -> Any:
    """A value whose tag states whether it is text; if the schema contradicts the tag, the schema decides."""
    if is_text == "true":
        allowed = readers.types(key)
        if allowed is None or "string" in allowed:
            return text
    elif is_text == "false":
        try:
            return jsontext.loads(text)
        except ValueError:
            pass
    return readers.typed(key, text, repairs)


def typed_by_name(json_type: str | None, key: str, text: str, readers: Readers, repairs: list[str]) -> Any:
    """A value whose tag states its JSON type; without one it is a string."""
    if json_type is None or json_type == "string":
        return text
    try:
        return jsontext.loads(text)
    except ValueError:
        repairs.append("type_mismatch")
        return typed_as(text, types_of({"type": json_type}, None), str, [])


READ_TYPED: Final[dict[str, ReadTyped]] = {"is_text": typed_by_flag, "type": typed_by_name}
"""How values get their types, by the hole in the template's opening tag of an argument."""


@dataclass(slots=True)
class TaggedArgument:
    """An argument whose value is read.

    Attributes:
        key: its key.
        fields: the fields of its opening tag.
        readers: the types of the tool's parameters.
        given: the keys up to here, its own too.
    """

    key: str
    fields: Mapping[str, str]
    readers: Readers
    given: set[str]

    @property
    def states_type(self) -> bool:
        """Whether its tag states its type."""
        return bool(self.fields.get("is_text") or self.fields.get("type"))

    @property
    def has_type(self) -> bool:
        """Whether it has to be of a type that not every text fits."""
        if self.states_type:
            return self.fields.get("is_text") == "false" or self.fields.get("type", "string") != "string"
        allowed = self.readers.types(self.key)
        return allowed is not None and is_settled(allowed) and "string" not in allowed


@dataclass(frozen=True, kw_only=True, eq=False)
class XmlParameters(Dialect):
    """Calls as tags: those the call template writes, and those that models write instead.

    When the opening tag of an argument ends with a line break, one line break at each end of a value is layout;
    otherwise values are verbatim.

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
        self.written_tags  # a template without parameter tags raises here  # noqa: B018

    # ── the tags ──

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
        wrappers, functions, _ = self.tags
        pairs = (*wrappers, *functions) if self.wraps_all else (*functions, *wrappers)
        more = self.json.all_opens if self.json else ()
        return tuple(dict.fromkeys([*(re.split(r"[{\n]", open_)[0] for open_, _ in pairs), *more]))

    # ── the grammar ──

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
        at = skip_blanks(text, at)
        found = self._after_call.match(text, at)
        if found is not None and found.lastgroup == "open":
            return self._begins_call(text, skip_blanks(text, found.end()))
        return found is not None and (found.lastgroup == "over" or self._begins_call(text, at))

    def _value_may_end(self, text: str, at: int) -> bool:
        """Whether the text at ``at`` may follow an argument."""
        at = skip_blanks(text, at)
        if self.parameter.match(text, at) is not None or self._function_end.match(text, at) is not None:
            return True
        if self._call_may_end(text, at) or self._cut_tag(text, at) is not None:
            return True
        if self._misspelt_end(text, at) is not None or self._parameter_head.match(text, at) is not None:
            return True
        return self._misspelt["parameter"].match(text, at) is not None

    @cached_property
    def _misspelt(self) -> dict[str, re.Pattern[str]]:
        """Patterns of misspellings of the tags that the family writes, opening tags up to the name or key."""
        ((function, function_end),), ((parameter, parameter_end),) = self.written_tags[1:]
        tags = {
            "function": function.partition("{name}")[0],
            "function_end": function_end,
            "parameter": parameter.partition("{key}")[0],
            "parameter_end": parameter_end,
        }
        return {kind: misspelt(tag) for kind, tag in tags.items()}

    def _begins_misspelt(self, text: str, at: int) -> bool:
        """Whether the tag that opens a call is misspelt at ``at``, in a wrapper that is opened there or not."""
        if (wrapper := self._wrapper.match(text, at)) is not None:
            at = skip_blanks(text, wrapper.end)
        return self._misspelt["function"].match(text, at) is not None

    def _holds_argument(self, text: str, at: int) -> bool:
        """Whether an argument opens after ``at``, before any call does."""
        stop = self._stops.search(text, at)
        return self._first_parameter.search(text, at, stop.start() if stop is not None else len(text)) is not None

    def _misspelt_end(self, text: str, at: int) -> int | None:
        """Where a misspelt closing tag of a call at ``at`` ends; ``None`` if what follows can't follow a call."""
        found = self._misspelt["function_end"].match(text, at)
        return found.end() if found is not None and self._call_may_end(text, found.end()) else None

    def value_ends(self, text: str, at: int, key: str) -> tuple[str, ...]:
        """Patterns of the closing tag of a value that begins at ``at``."""
        return tuple(end.replace("KEY", re.escape(key)) for end in self._parameter_end.heads)

    @cached_property
    def _parameter_end(self) -> Tag:
        return Tag([close.replace("{tag}", "KEY") for _, close in self.tags.parameters])

    @cached_property
    def _value_finders(self) -> dict[tuple[str, ...], re.Pattern[str]]:
        return {}

    def _inside_value(self, ends: tuple[str, ...]) -> re.Pattern[str]:
        """The markup to look for inside a value: its end, and the beginnings and ends of calls."""
        known = self._value_finders
        if ends not in known:
            if len(known) > 100:
                known.clear()
            known[ends] = finder({"end": ends, "call": self.function.heads, "call_end": self._function_end.heads})
        return known[ends]

    @cached_property
    def _json(self) -> tuple[JsonBlocks | None, JsonBlocks]:
        """Blocks of JSON calls: those that are a variant of the format, and those that models write by mistake."""
        if self.json_slips is not None:
            return self.json, self.json_slips
        pairs = (*self.tags.wrappers, *self.tags.functions)
        opens = tuple(_plain(open_) for open_, _ in self.tags.wrappers or self.tags.functions)
        closes = tuple(dict.fromkeys(_plain(close) for _, close in pairs))
        return self.json, JsonBlocks(name=self.name, opens=opens, closes=closes, bare="never")

    @cached_property
    def _json_opens(self) -> tuple[str, ...]:
        return tuple(open_ for blocks in self._json if blocks is not None for open_ in blocks.all_opens)

    # ── reading ──

    def find_calls(self, parser: TurnParser) -> None:
        text = parser.text
        start = -1  # where the open wrapper begins, until its first call is cut out with it
        inside = not self.tags.wrappers
        while (found := self._structure.search(text, parser.at)) is not None:
            kind, place, at = found.lastgroup, found.start(), found.end()
            after = skip_blanks(text, at)
            if parser.budget_exhausted():
                parser.reject(place, len(text), GAVE_UP)
                return
            if kind == "markup":
                self.read_markup(parser, found)
            elif kind == "close":
                self._close(parser, place, at, inside=inside)
                inside = not self.tags.wrappers
            elif JSON_BODY.match(text, at):
                self._json_body(parser, start if start >= 0 else place, at, found[0])
            elif kind == "call" and (head := self.function.match(text, place)) is not None:
                inside = self._call(parser, start if start >= 0 else place, head, inside=inside)
            elif kind == "open" and self._begins_call(text, after):
                start, inside = place, True
                parser.at = after
                continue
            elif kind == "open" and (end := self._end_of(self._wrapper_end, text, after)) is not None:
                parser.accept(place, end)
                parser.repair("empty_block")
            elif kind in ("open", "call") and (self._begins_misspelt(text, after) or self._holds_argument(text, after)):
                self._drop(parser, place, after, "a call's tag that can't be read")
            elif kind != "json" and (after >= len(text) or self._cut(kind or "", text, at, after)):
                parser.reject(place, len(text), "the text ends behind the opening tag")
            else:  # the tag is only mentioned
                parser.at = at
            start = -1

    def read_markup(self, parser: TurnParser, found: re.Match[str]) -> None:
        """Read what :attr:`markup` found."""
        parser.accept(found.start(), found.end())

    def _begins_call(self, text: str, at: int) -> bool:
        """Whether a call begins at ``at``, in tags or as JSON."""
        if self.function.match(text, at) is not None:
            return True
        return any(
            text.startswith(open_, at) and JSON_BODY.match(text, at + len(open_)) is not None
            for open_ in self._json_opens
        )

    def _cut(self, kind: str, text: str, at: int, after: int) -> bool:
        """Whether the text ends inside a name that begins at ``at``, or inside the tag after a wrapper's."""
        if len(text) - at > MAX_TAG:
            return False
        return CUT_NAME.fullmatch(text, at) is not None if kind == "call" else self._cut_tag(text, after) == "other"

    def _json_body(self, parser: TurnParser, start: int, at: int, opening: str) -> None:
        """Read a call as JSON after the marker ``opening``."""
        before = len(parser.calls)
        variant, slips = self._json
        native = variant is not None and opening in variant.all_opens
        if native and not self.separator.startswith("\n") and parser.text.startswith("\n", max(start - 1, parser.at)):
            start -= 1  # JSON is on separate lines, whatever the tags do
        if parser.budget <= 0:
            parser.reject(start, at, GAVE_UP)
            return
        (variant if variant is not None and native else slips).read_block(parser, start, at)
        parser.at = max(parser.at, at)
        if len(parser.calls) == before:
            parser.charge(SHORT_VALUE)
        elif not native:
            parser.repair("json_body")

    def _reasoning(self, parser: TurnParser, opened: bool | None) -> str | None:
        if self.reasoning_name and (found := re.search(rf"</?({self.reasoning_name})>", parser.text)) is not None:
            mark = replace(self.reasoning, open=f"<{found[1]}>", close=f"</{found[1]}>")
            return replace(self, reasoning=mark, reasoning_name="")._reasoning(parser, opened)
        return super()._reasoning(parser, opened)

    def _close(self, parser: TurnParser, place: int, at: int, *, inside: bool) -> None:
        """Read the closing tag of a wrapper that does not directly follow a call."""
        if inside and self.tags.wrappers and parser.calls:
            parser.accept(place, at)
        elif parser.cuts and not parser.text[parser.at : place].strip():
            parser.accept(place, at)
            parser.repair("extra_close_tag")
        else:
            parser.at = at

    def _call(self, parser: TurnParser, start: int, head: TagMatch, *, inside: bool) -> bool:
        """Read the call whose opening tag is ``head``; return whether its wrapper is still open after it."""
        text = parser.text
        repairs = [head.repair] if head.repair else []
        wrapped = inside and bool(self.tags.wrappers)
        try:
            call, end = self._read(parser, head, repairs, wrapped=wrapped)
        except (NotACall, lenient_json.Unreadable) as error:
            parser.charge(4 * (getattr(error, "at", head.end) - start))  # many short values cost as much as a long one
            stop = self._drop(parser, start, head.end, str(error))
            return inside and (stop in ("", "call") or not self.tags.wrappers)
        if call is None:
            parser.at = head.end
            return not self.tags.wrappers
        after = skip_blanks(text, end)
        closing = self._end_of(self._wrapper_end, text, after) if self.tags.wrappers else None
        if closing is not None:
            end = closing
            if not wrapped:
                repairs.append("missing_open_tag")
            wrapped = False
        elif not wrapped and self.tags.wrappers:
            repairs.append("missing_tags")
        elif wrapped and self.function.match(text, after) is not None:
            if not self.wraps_all:
                repairs.append("several_objects")
        elif wrapped and not (self.wraps_all and self._wrapper_closes_later(parser, after)):
            if "truncated" not in repairs and not self.stays_open:
                repairs.append("missing_close_tag")
            wrapped = False
        parser.accept(start, end, (call,))
        parser.repairs.extend(repairs)
        return wrapped or not self.tags.wrappers

    def _drop(self, parser: TurnParser, start: int, at: int, reason: str) -> str:
        """Drop the call that begins at ``start`` and extends at least to ``at``.

        Returns:
            the kind of markup that ends it (see :attr:`_stops`); an empty text if the text ends first.
        """
        stop = self._stops.search(parser.text, at)
        end = len(parser.text) if stop is None else stop.end() if stop.lastgroup == "stop" else stop.start()
        parser.reject(start, end, reason)
        return (stop is not None and stop.lastgroup) or ""

    @cached_property
    def _stops(self) -> re.Pattern[str]:
        """The latest end of a call that can't be read: at a closing tag, or before the next opening tag."""
        ends = self._wrapper_end.heads or self._function_end.heads
        return finder({"stop": ends, "call": self.function.heads, "open": self._wrapper.heads})

    def is_final(self, following: str) -> bool | None:
        """The last value of a call may hold what closes the call, unless another call comes next."""
        at = skip_blanks(following, 0)
        wrapper = self._wrapper.match(following, at) if self.tags.wrappers else None
        if self.function.match(following, at if wrapper is None else skip_blanks(following, wrapper.end)) is not None:
            return True
        return None if len(following) < MAX_TAG else False

    def _wrapper_closes_later(self, parser: TurnParser, at: int) -> bool:
        """Whether the wrapper around a call is closed after some prose, before another one opens."""
        found = self._structure.search(parser.text, at)
        return found is not None and found.lastgroup in ("close", "call")

    def _read(
        self, parser: TurnParser, head: TagMatch, repairs: list[str], *, wrapped: bool
    ) -> tuple[ToolCall | None, int]:
        """Read one call; return it and where it ends, or no call if its tag is only mentioned."""
        text = parser.text
        written = head.fields["name"]
        if text.startswith("/>", head.end - 2) or written.endswith("/"):
            if written.endswith("/"):
                repairs.append("marker_spelling")
            return ToolCall(self.named(written.rstrip("/"), parser, repairs), {}), head.end
        begin = head.end
        bare, brace, _ = written.partition("{")
        if brace and bare.strip() and written not in parser.tools:  # JSON follows the name, with no tag between
            written, begin = bare.rstrip(), text.rindex(written, 0, head.end) + len(bare)
        name = self.named(written, parser, repairs)
        schema = parser.tools.parameters(name)
        call = ToolCall(name, {})
        arguments = call.arguments
        at = self.read_arguments(parser, begin, call, schema, repairs)
        at = skip_blanks(text, at)
        found = self._function_end.match(text, at)
        if found is not None:
            if not arguments and name not in parser.tools and written != unquoted(written).strip(" \t"):
                return None, at  # ``between <tool_call> and </tool_call>``, or a JSON text
            if found.repair:
                repairs.append(found.repair)
            return call, found.end
        cut = "end" if at >= len(text) else self._cut_tag(text, at)
        if not cut and (arguments or wrapped) and (misspelt_end := self._misspelt_end(text, at)) is not None:
            repairs.append("marker_spelling")
            return call, misspelt_end
        properties = (schema or {}).get("properties")
        whole = bool(arguments) or (schema is not None and not properties)
        if at >= len(text):  # more may have followed, unless nothing is left to follow
            whole = whole and schema is not None and arguments.keys() >= (properties or {}).keys()
        if cut == "end" and whole:
            repairs.append("truncated")
            return call, len(text)
        if whole and not cut and self._call_may_end(text, at):
            repairs.append("missing_close_tag")
            return call, at
        if not arguments and not wrapped and not cut and not text.startswith("<", at):
            return None, at  # the prose continues: the tag is only mentioned
        raise lenient_json.Unreadable("the text ends inside the call" if cut else "text between the arguments", at)

    def named(self, name: str, parser: TurnParser, repairs: list[str]) -> str:
        """The name of the tool, given the one in the tag."""
        bare = unquoted(name.strip())
        if bare != name.strip() and name not in parser.tools:
            repairs.append("marker_spelling")
            name = bare
        return declared_name(name.strip(), parser.tools, repairs)

    def read_arguments(
        self, parser: TurnParser, at: int, call: ToolCall, schema: dict[str, Any] | None, repairs: list[str]
    ) -> int:
        """Read arguments from ``at`` on into ``call``; return where they end."""
        text = parser.text
        readers = Readers(schema, reader_of_untyped(parser.tools, self.calls.looks))
        arguments = call.arguments
        begin = at
        while True:
            if parser.budget <= 0 and at > begin + SHORT_VALUE:
                raise NotACall(GAVE_UP)
            at = skip_blanks(text, at)
            head = self.parameter.match(text, at)
            if head is not None:
                key = self.key_of(head)
                if key not in readers.properties and (bare := unquoted(key.strip())) != key:
                    repairs.append("marker_spelling")
                    key = bare
                elif head.repair:
                    repairs.append(head.repair)
                argument = TaggedArgument(key, head.fields, readers, {*arguments, key})
                begin_value = skip_doubled(text, text[at : head.end].strip(), head.end)
                if begin_value > head.end:
                    repairs.append("extra_open_tag")
                value, at = self._value(parser, begin_value, argument, repairs)
                if key in arguments:
                    repairs.append("duplicate_key")
                arguments[key] = typed = self.type_of(head.fields, key, value, readers, repairs)
                call.untyped += type(typed) is not str and not argument.states_type and not readers.settles(key)
            elif text.startswith("{", at) and not arguments:
                reading = lenient_json.read(text, at)
                extra = EXTRA_BRACKET.match(text, reading.end)
                if "missing_bracket" in reading.repairs or extra is not None:
                    body = text[at : extra.end() if extra is not None else reading.end].rstrip()
                    refuse_ambiguous(body, lambda value: type(value) is dict)
                arguments.update(arguments_from(reading.value, repairs))
                repairs.extend([*reading.repairs, "json_body"])
                return reading.end
            elif at < len(text) and (cut := self._parameter_head.match(text, at)) is not None:
                raise lenient_json.Unreadable("an argument's tag that is never closed", cut.end())
            elif arguments and (gap := self._gap(text, at)) is not None and gap.end > at:
                at = gap.end
                repairs += gap.repairs
                parser.keep(gap.words)
            else:
                return at

    def key_of(self, head: TagMatch) -> str:
        """The key in an opening tag."""
        return head.fields["key"]

    def type_of(self, fields: Mapping[str, str], key: str, text: str, readers: Readers, repairs: list[str]) -> Any:
        """The value of an argument with its type, given the fields of its opening tag."""
        return self._read_typed(fields.get(self._attribute), key, text, readers, repairs)

    @cached_property
    def _attribute(self) -> str:
        """The hole for the type of a value in the opening tag of an argument; empty if the family has none."""
        return self.calls.attribute

    @cached_property
    def _read_typed(self) -> ReadTyped:
        return READ_TYPED.get(self._attribute, typed_by_schema)

    # ── values ──

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
        if not end.passed:
            opened = self._never_closed(text, at, min(until, end.first_call), argument)
            if opened is not None:
                return self._without_end(text, at, opened, repairs), opened
        if close is None:
            raise lenient_json.Unreadable("the text ends inside a value", len(text))
        if end.holds_markup or self._holds_tag(text, at, until):
            repairs.append("markup_in_value")
        if close.lastgroup != "end":
            return self._without_end(text, at, until, repairs), until
        return self.trimmed(text[at:until]), close.end()

    def _holds_tag(self, text: str, start: int, end: int) -> bool:
        """Whether a value holds the opening tag of an argument, or ends with the beginning of its own closing tag."""
        if text.find("<", start, end) < 0:
            return False
        if self._first_parameter.search(text, start, end) is not None:
            return True
        close = self.written_tags[2][0][1].strip()
        return any(text.endswith(close[:length], start, end) for length in range(1, len(close)))

    def _fits(self, text: str, argument: TaggedArgument) -> bool:
        """Whether the text of a value is of the type that its tag states, or its schema."""
        repairs: list[str] = []
        value = self.type_of(argument.fields, argument.key, self.trimmed(text), argument.readers, repairs)
        return type(value) is not str and "type_mismatch" not in repairs

    def _without_end(self, text: str, at: int, until: int, repairs: list[str]) -> str:
        """The value at ``at``, whose closing tag is missing before ``until``, or misspelt there."""
        end = self._misspelt_close(text, at, until)
        repairs.append("missing_close_tag" if end is None else "marker_spelling")
        return self.trimmed(text[at : until if end is None else end], closed=end is not None)

    def _misspelt_close(self, text: str, at: int, until: int) -> int | None:
        """Where the closing tag of an argument begins that is misspelt right before ``until``.

        It begins with a letter of markup, or otherwise as late as possible: the letters before it belong to the value.
        """
        until = at + len(text[at:until].rstrip())
        pattern = self._misspelt["parameter_end"]
        starts = [
            start
            for start in range(max(at, until - MAX_TAG), until)
            if pattern.fullmatch(text, start, until) is not None
        ]
        markup = self.written_tags[2][0][1].strip()[:2]
        return next((start for start in starts if text[start] in markup), starts[-1] if starts else None)

    def _end_of_value(self, parser: TurnParser, at: int, argument: TaggedArgument) -> ValueEnd:
        """What ends the value that begins at ``at``: its closing tag, or the end of its call where that tag is missing.

        The first of these that exists:

        1. the first closing tag after which the call goes on, outside of calls that open inside the value, unless
           another closing tag ends a value right after it (:meth:`_closes_again`), and unless the value has to be of a
           type that only a longer text fits;
        2. the end of the call, if no closing tag after which the grammar continues precedes it;
        3. the first closing tag after which the grammar does not continue, if no call opens before it;
        4. the first of the closing tags that 1 leaves out.

        Raises:
            NotACall: the parser's budget is used up.
            Unreadable: only 4 is left, and a damaged tag before the first call may have closed the value.
        """
        text = parser.text
        depth, first_call = 0, len(text)
        skipped: re.Match[str] | None = None
        doubtful: re.Match[str] | None = None
        call_end: re.Match[str] | None = None
        misfits: list[re.Match[str]] = []
        pattern = self._inside_value(self.value_ends(text, at, argument.key))
        begin = at
        until = len(text) if parser.budget > 0 else min(len(text), at + SHORT_VALUE)
        while (found := pattern.search(text, at, until)) is not None:
            at = found.end()
            if found.lastgroup == "call":
                depth += self._opens_call(text, found.start())
                first_call = min(first_call, found.start())
                if skipped is not None and parser.budget <= 0:
                    break
            elif found.lastgroup == "call_end":
                if depth:
                    depth -= 1
                elif call_end is None and self._call_may_end(text, at):
                    call_end = found
            elif self._value_may_end(text, at):
                if not depth and not self._closes_again(text, at, pattern):
                    if not argument.has_type or self._fits(text[begin : found.start()], argument):
                        passed = skipped is not None
                        return ValueEnd(found, first_call, passed, passed or doubtful is not None or bool(misfits))
                    misfits.append(found)
                else:
                    doubtful = doubtful or found
            elif not depth and self._goes_on(text, begin, found, argument):
                return ValueEnd(found, first_call, skipped is not None, skipped is not None or doubtful is not None)
            else:
                skipped = skipped or found
            if misfits and (call_end is not None or len(misfits) == MAX_UNFIT):
                break
        if misfits:
            before = skipped is not None and skipped.start() < misfits[0].start()
            return ValueEnd(misfits[0], first_call, before, before)
        if not parser.charge(until - begin) and doubtful is None and until < len(text):
            raise NotACall(GAVE_UP)
        if doubtful is None or (call_end is not None and call_end.start() < doubtful.start()):
            return ValueEnd(call_end, first_call, skipped is not None, skipped is not None)
        if skipped is not None and skipped.start() < first_call:
            return ValueEnd(skipped, first_call, True, False)
        if DAMAGED_TAG.search(self._before_call(text, begin, first_call)) is not None:
            raise lenient_json.Unreadable("a closing tag that can't be read", first_call)
        return ValueEnd(doubtful, first_call, skipped is not None, skipped is not None)

    def _goes_on(self, text: str, begin: int, close: re.Match[str], argument: TaggedArgument) -> bool:
        """Whether the call goes on after a value's closing tag, past what has no place there."""
        if argument.has_type and not self._fits(text[begin : close.start()], argument):
            return False
        gap = self._gap(text, close.end(), past_closing_tags=argument.has_type)
        if gap is None:
            return False
        if argument.has_type:
            return True
        alone = text[begin : close.start()].endswith("\n")
        if gap.words:
            head = self.parameter.match(text, gap.end)
            return head is None or self._is_believed(text, close.end(), gap.end, head, argument, alone=alone)
        if self.own_lines and not alone and "extra_close_tag" in gap.repairs:
            return not text[close.end() : gap.end].startswith(
                "\n"
            )  # the next closing tag is where the family writes it
        return True

    def _is_believed(
        self, text: str, at: int, opened: int, head: TagMatch, argument: TaggedArgument, *, alone: bool
    ) -> bool:
        """Whether the tag that opens at ``opened`` opens an argument, and is not part of the text from ``at`` on.

        ``alone`` is whether the closing tag before it is on a line of its own.
        """
        key, properties = head.fields["key"].strip(), argument.readers.properties
        if key in argument.given or (properties and key not in properties):
            return False
        before = text[at:opened].rstrip(" \t")
        if self.own_lines and not alone and not (before.endswith("\n") and text.startswith("\n", head.end)):
            return False
        return not before.endswith(("'", '"', "`"))

    def _gap(self, text: str, at: int, *, past_closing_tags: bool = False) -> Gap | None:
        """What has no place after an argument that ends at ``at``, if an argument or the end of the call follows it.

        Turn tokens, closing tags and words are left out; but no words after a turn token, since another turn begins
        there, and no closing tag after words, unless ``past_closing_tags``.
        """
        repairs: list[str] = []
        words: list[str] = []
        while True:
            at = skip_blanks(text, at)
            if self.parameter.match(text, at) is not None:
                return Gap(at, tuple(repairs), tuple(words))
            if (end := self._end_of(self._function_end, text, at)) is not None:
                return Gap(at, tuple(repairs), tuple(words)) if self._call_may_end(text, end) else None
            found = self._in_gap.search(text, at)
            if found is None:
                return None
            if found.start() > at:
                if "leaked_token" in repairs or self._misspelt_close(text, at, found.start()) is not None:
                    return None
                words.append(text[at : found.start()].strip())
                repairs.append("prose_in_call")
            elif found.lastgroup == "token":
                repairs.append("leaked_token")
                at = found.end()
                continue
            elif found.lastgroup == "end" and (past_closing_tags or not words):
                repairs.append("extra_close_tag")
                at = found.end()
                continue
            else:
                return None
            at = found.start()

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

    def _before_call(self, text: str, at: int, call: int) -> str:
        """The end of the text before the call at ``call`` and its wrapper's opening tag."""
        before = text[max(at, call - MAX_TAG) : call].rstrip()
        opening = next((open_ for open_, _ in self.tags.wrappers if before.endswith(_plain(open_))), "")
        return before.removesuffix(_plain(opening))

    def _opens_call(self, text: str, at: int) -> bool:
        """Whether the tag at ``at`` opens a call, judged by what follows it, or is part of a text."""
        head = self.function.match(text, at)
        if head is None:
            return False
        after = skip_blanks(text, head.end)
        tags = (self.parameter, self._function_end)
        return after >= len(text) or any(tag.match(text, after) is not None for tag in tags)

    def _cut_tag(self, text: str, at: int) -> str | None:
        """Which tag at ``at`` is cut off by the end of the text: ``end`` for one that ends the call, ``other``."""
        rest = text[at : at + MAX_TAG]
        if not rest or at + MAX_TAG < len(text):
            return None
        if any(_plain(open_).startswith(rest) for open_, _ in (*self.tags.parameters, *self.tags.functions)):
            return "other"
        ends = [close for _, close in (*self.tags.functions, *self.tags.wrappers)]
        return "end" if len(rest) > 1 and any(_plain(close).startswith(rest) for close in ends) else None

    def _closes_again(self, text: str, at: int, pattern: re.Pattern[str]) -> bool:
        """Whether a call ends at ``at`` and the next markup ends a value: then both ends are text of the value."""
        end = at
        for tag in (self._function_end, self._wrapper_end) if self.tags.wrappers else (self._function_end,):
            end = self._end_of(tag, text, skip_blanks(text, end)) or end
        if end == at or self._begins_misspelt(text, skip_blanks(text, end)):
            return False
        found = pattern.search(text, end)
        if found is None or found.lastgroup != "end" or skip_blanks(text, found.end()) >= len(text):
            return False
        if self._first_parameter.search(text, end, found.start()) is not None:  # of a call whose own tag is damaged
            return False
        return self._value_may_end(text, found.end())

    def _never_closed(self, text: str, at: int, until: int, argument: TaggedArgument) -> int | None:
        """Where the next argument opens if this value has no closing tag.

        An opening tag counts in these places; anywhere else it is text:

        - after a misspelt closing tag;
        - at the start of a line, unless the tool is declared without such a parameter;
        - within a line, if it names another parameter that the tool is declared with.
        """
        found = self._first_parameter.search(text, at, until)
        head = self.parameter.match(text, found.start()) if found is not None else None
        if found is None or head is None:
            return None
        if self._misspelt_close(text, at, found.start()) is not None:
            return found.start()
        if (key := head.fields["key"].strip()) in argument.given:
            return None
        properties = argument.readers.properties
        before = text[at : found.start()].rstrip(" \t")
        if before.endswith("\n"):
            believed = not properties or key in properties
            plain = not self.own_lines or key in properties or text.startswith("\n", head.end)
            return found.start() if believed and plain else None
        return found.start() if key in properties and not before.endswith(("'", '"', "`")) else None

    def trimmed(self, value: str, *, closed: bool = True) -> str:
        """A value without the line breaks that are layout: all at the end, if the closing tag is missing."""
        if not closed:
            value = value.rstrip("\n")
        return value.removeprefix("\n").removesuffix("\n") if self.own_lines else value

    @staticmethod
    def _end_of(tag: Tag, text: str, at: int) -> int | None:
        found = tag.match(text, at)
        return None if found is None else found.end


def _plain(spelling: str) -> str:
    """A tag's text up to its first field, without layout."""
    return re.split(r"\{", spelling.replace("{suffix}", ""))[0].strip("\n")


def unquoted(name: str) -> str:
    """``name`` without quotes around it."""
    return name[1:-1].strip() if len(name) > 2 and name[0] == name[-1] and name[0] in "\"'`" else name


def skip_blanks(text: str, at: int) -> int:
    """The first place from ``at`` on without white space."""
    match = BLANKS.match(text, at)
    return match.end() if match else at


def skip_doubled(text: str, opening: str, at: int) -> int:
    """The place after a second ``opening``, or a second one of its last tag, at ``at``; ``at`` if there is none."""
    again = skip_blanks(text, at)
    for tag in (opening, opening[opening.rfind("<") :]):
        if tag and text.startswith(tag, again):
            return again + len(tag)
    return at
