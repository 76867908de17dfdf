"""Formats that a Transformers ``response_template`` describes: markers open and close the fields of a turn.

Source: Transformers' guide to response parsing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Final, NamedTuple

from toolconv.core import jsontext, lenient_json
from toolconv.core.blanks import after_blanks
from toolconv.core.calls import NotACall, call_from
from toolconv.core.facts import Facts
from toolconv.core.lazy_re import lazy_re
from toolconv.core.schema_types import types_of
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect, RenderError
from toolconv.dialects.call_template import CallTemplate, TemplateError
from toolconv.dialects.grammars.json_object import refuse_ambiguous
from toolconv.dialects.grammars.python_run import Run
from toolconv.dialects.grammars.response_content import (
    PYTHON_CALLS,
    between_tags,
    check_content,
    not_allowed,
    parsed,
    spelled,
)
from toolconv.dialects.grammars.response_transform import check_transform, transformed, untransformed
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.exact import ExactReader
from toolconv.dialects.reading.turn_parser import GAVE_UP, THINK, Reasoning, TurnParser
from toolconv.dialects.values.by_schema import typed_as

REASONING_FIELDS: Final = ("thinking", "reasoning_content", "reasoning")
GROUP: Final = lazy_re(r"\(\?P<(\w+)>[^()]*\)")
LITERAL: Final = lazy_re(r"(?:[^\\.^$*+?{}\[\]|()]|\\\W|\\n)*")
NAME, ARGS = "\ue000", "\ue001"  # from the private use area: they stand for a call's name and arguments
AT_THE_END: Final = "the text ends behind the opening marker"
ANCHOR: Final = ""
"""The name of the field for the template's start anchor, which some families repeat before each region."""


class Marker(NamedTuple):
    """Opens or closes a field.

    Attributes:
        pattern: what it is found by.
        written: the text to write, with ``{name}`` for the tool's name; ``None`` if the pattern matches several.
        literals: the texts that it is, if the template lists them.
    """

    pattern: re.Pattern[str]
    written: str | None
    literals: tuple[str, ...] = ()

    @classmethod
    def of(cls, field: dict[str, Any], key: str) -> Marker | None:
        """The marker under ``key`` or ``key_pattern`` of a field; ``None`` if there is none.

        Raises:
            ValueError: it isn't text, or isn't a valid pattern.
        """
        literal, pattern = field.get(key), field.get(f"{key}_pattern")
        if literal is not None:
            texts = [literal] if isinstance(literal, str) else literal
            if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
                raise ValueError(f"{key!r} of a response template must be text or a list of texts")
            ordered = sorted(texts, key=len, reverse=True)
            return cls(re.compile("|".join(map(re.escape, ordered))), texts[0], tuple(texts))
        if pattern is None:
            return None
        try:
            compiled = re.compile(pattern, re.DOTALL)
        except (re.error, TypeError) as error:
            raise ValueError(f"'{key}_pattern' of a response template is not a valid pattern: {error}") from None
        return cls(compiled, written(pattern))


def written(pattern: str) -> str | None:
    """The only text that a pattern matches, with ``{group}`` for named groups; ``None`` if it matches several."""
    pieces = []
    at = 0
    for group in [*GROUP.finditer(pattern), None]:
        literal = pattern[at : group.start() if group else len(pattern)]
        if not LITERAL.fullmatch(literal):
            return None
        pieces.append(re.sub(r"\\(.)", lambda char: "\n" if char[1] == "n" else char[1], literal))
        if group is not None:
            pieces.append(f"{{{group[1]}}}")
            at = group.end()
    return "".join(pieces)


class Field(Facts, kw_only=False):
    """A field of the template: its name, its markers, and how to read what is between them."""

    name: str
    open: Marker
    close: Marker | None
    content: str
    options: dict[str, Any]
    transform: Any
    transform_each: bool

    @property
    def shows_its_end(self) -> bool:
        """Whether the content itself shows where it ends."""
        return self.content == PYTHON_CALLS or (self.content == "json" and not self.options.get("string_delims"))

    @property
    def groups(self) -> set[str]:
        """The named groups of its markers."""
        return {name for marker in (self.open, self.close) if marker for name in marker.pattern.groupindex}


class ResponseTemplate(Dialect):
    """The format that a response template describes."""

    fields: tuple[Field, ...]

    @property
    def markers(self) -> tuple[str, ...]:
        return self._opening_marks

    @cached_property
    def _opening_marks(self) -> tuple[str, ...]:
        texts = (field.open.written or "" for field in self.fields if field.name == "tool_calls")
        return tuple(start for text in texts if (start := text.partition("{")[0]))

    @cached_property
    def exact(self) -> ExactReader | None:
        """The reader of what the template writes, if all its markers are literal and its JSON is plain."""
        is_literal = all(marker.literals for marker in self._all_markers())
        is_plain = not any(field.options for field in self.fields)
        return super().exact if is_literal and is_plain else None

    @property
    def prose_stoppers(self) -> tuple[str, ...]:
        return (*super().prose_stoppers, *(literal for marker in self._all_markers() for literal in marker.literals))

    def _all_markers(self) -> list[Marker]:
        """The openers and closers of all fields."""
        return [marker for field in self.fields for marker in (field.open, field.close) if marker is not None]

    # ── reading ──

    def find_calls(self, parser: TurnParser) -> None:
        text = parser.text
        openings = [(field, field.open.pattern.search(text, parser.at)) for field in self.fields]
        while parser.at <= len(text):
            openings = [
                (field, field.open.pattern.search(text, parser.at) if match and match.start() < parser.at else match)
                for field, match in openings
            ]
            found = [(field, match) for field, match in openings if match]
            if not found:
                return
            field, match = min(found, key=lambda pair: (pair[1].start(), -pair[1].end()))
            parser.at = match.end()
            self._region(parser, field, match)
            parser.at = max(parser.at, match.start() + 1)  # where an opener matches nothing

    def _region(self, parser: TurnParser, field: Field, opening: re.Match[str]) -> None:
        """Read the field that ``opening`` opens."""
        if field.name == "tool_calls":
            self._calls(parser, field, opening)
            return
        if field.name == ANCHOR:
            parser.accept(opening.start(), opening.end())
            return
        end, closing = self._end(parser.text, field, opening.end())
        after = closing.end() if closing else end
        if field.name in REASONING_FIELDS:
            if closing is not None:
                parser.accept_reasoning(opening.start(), after, parser.text[opening.end() : end].strip())
        elif field.name == "content":
            parser.accept(opening.start(), opening.end())
            if closing is not None:
                parser.accept(end, after)

    def _end(self, text: str, field: Field, at: int) -> tuple[int, re.Match[str] | None]:
        """Where the body of a field that begins at ``at`` ends, and its closer, which isn't in a delimited string."""
        if field.close is None:
            return len(text), None
        while (closing := field.close.pattern.search(text, at)) is not None:
            for opens, closes in field.options.get("string_delims", ()):
                start = text.find(opens, at, closing.start())
                if start >= 0:
                    until = text.find(closes, start + len(opens))
                    at = until + len(closes) if until >= 0 else len(text)
                    break
            else:
                return closing.start(), closing
        return len(text), None

    def _calls(self, parser: TurnParser, field: Field, opening: re.Match[str]) -> None:
        text, at = parser.text, opening.end()
        repairs: list[str] = []
        start = end = at
        closing: re.Match[str] | None = None
        try:
            if field.shows_its_end:
                first = after_blanks(text, at)
                if first == len(text):
                    raise NotACall(AT_THE_END)
                if not text.startswith(("{", "[", '"', "'"), first):
                    return  # the marker is only mentioned
                if not parser.charge(0):
                    raise NotACall(GAVE_UP)
                value, end = self._to_its_end(parser, field, first, repairs)
                if field.close is not None:
                    closing = field.close.pattern.match(text, after_blanks(text, end))
                    if closing is None and after_blanks(text, end) < len(text):
                        raise NotACall("text behind the call")
            else:
                end, closing = self._end(text, field, at)
                if closing is None and field.close is not None and not text[at:end].strip():
                    raise NotACall(AT_THE_END)
                if not parser.charge(end - start):
                    raise NotACall(GAVE_UP)
                body = text[at:end]
                if field.content == "xml-inline" and field.open.pattern.search(between_tags(body, field.options)):
                    raise NotACall("another call begins before this one ends")
                value = parsed(body, field.content, field.options, repairs)
            if closing is None and field.close is not None:
                repairs.append("missing_close_tag")
            captures = {**opening.groupdict(), **(closing.groupdict() if closing else {})}
            texts = field.content not in ("json", PYTHON_CALLS)
            items = transformed(field.transform, field.transform_each, value, captures)
            calls = [call_of(parser.tools, item, repairs, texts) for item in items]
        except (NotACall, ValueError) as error:
            if isinstance(error, lenient_json.Unreadable):
                parser.charge(error.at - start)
            following = field.open.pattern.search(text, at)
            until = following.start() if following is not None else len(text)
            end, closing = self._end(text[:until], field, at)
            parser.reject(opening.start(), closing.end() if closing else end, str(error))
            return
        parser.accept(opening.start(), closing.end() if closing else end, calls)
        parser.repairs.extend(repairs)

    def _to_its_end(self, parser: TurnParser, field: Field, at: int, repairs: list[str]) -> tuple[Any, int]:
        """JSON or a list of calls in Python that begins at ``at``, and where it ends.

        Raises:
            NotACall, Unreadable: it can't be read.
        """
        text, stops = parser.text, self._stops(field)
        if field.content == PYTHON_CALLS:
            run = Run(parser, text, at, stops, block=True)
            for *_, reason in run.broken:
                raise NotACall(reason)
            repairs += run.repairs
            return [{"name": call.name, "arguments": call.arguments} for *_, call in run.calls], run.end
        reading = lenient_json.read(text, at, stops=stops)
        if "missing_bracket" in reading.repairs:
            refuse_ambiguous(text[at : reading.end].rstrip(), lambda value: type(value) is dict)
        repairs += not_allowed(reading.repairs, field.options)
        return reading.value, reading.end

    def _stops(self, field: Field) -> tuple[str, ...]:
        """Literal markers that end a call wherever they are found outside a string."""
        return tuple(marker.written for marker in (field.open, field.close) if marker is not None and marker.written)

    # ── writing ──

    @property
    def template(self) -> CallTemplate:
        if self.calls is None:
            raise RenderError(f"the response template of {self.name!r} can only be read, not written")
        return self.calls


def call_of(tools: ToolIndex, value: Any, repairs: list[str], texts: bool) -> ToolCall:
    """The call in a transformed value; with ``texts`` its arguments are texts that the schema types.

    Raises:
        NotACall: it holds none.
    """
    if isinstance(value, dict) and value.get("type") == "function" and isinstance(value.get("function"), str):
        raise NotACall("a text where an object should be")
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        identity = {"id": value["id"]} if isinstance(value.get("id"), str) else {}
        value = {**value["function"], **identity}
    call = call_from(value, "arguments", tools, repairs)
    if not texts:
        return call
    schema = tools.parameters(call.name)
    properties = tools.properties(call.name) or {}
    for key, argument in call.arguments.items():
        allowed = types_of(properties.get(key), schema)
        if isinstance(argument, str) and "string" not in (allowed or {"string"}):
            call.arguments[key] = typed_as(argument, allowed, str, repairs)
    return call


def call_template(fields: Iterable[Field]) -> CallTemplate | None:
    """What the template writes for a call; ``None`` where it can only be read."""
    field = next((field for field in fields if field.name == "tool_calls"), None)
    if field is None or field.content != "json":
        return None
    opening, closing = field.open.written, field.close.written if field.close else ""
    if opening is None or closing is None:
        return None
    content, captures = untransformed(field.transform, ToolCall(NAME, {ARGS: ARGS}))
    if not field.groups <= {*captures, "id"}:
        return None
    for name, value in captures.items():
        opening, closing = opening.replace(f"{{{name}}}", value), closing.replace(f"{{{name}}}", value)
    line = "\n" if opening.endswith(">") and not captures and not field.options else ""
    spell = partial(spelled, options=field.options)
    text = f"{opening}{line}{spell(content)}{line}{closing}"
    text = text.replace(spell({ARGS: ARGS}), "{args|spelled}" if field.options else "{args}")
    text = text.replace(jsontext.spaced(NAME), "{name|json}").replace(NAME, "{name}")
    try:
        return CallTemplate(text, between="\n", spellings={"spelled": spell})
    except TemplateError:
        return None


def from_template(template: dict[str, Any], name: str = "hf") -> Dialect:
    """The dialect that a response template describes.

    Args:
        template: the ``response_template``, or a tokenizer configuration that holds one.
        name: the dialect's name.

    Raises:
        ValueError: it isn't a response template.
    """
    template = template.get("response_template", template)
    described = template.get("fields") if isinstance(template, dict) else None
    if not isinstance(described, dict) or not described:
        raise ValueError("a response template needs 'fields'")
    fields: list[Field] = []
    if (anchor := Marker.of(template, "start_anchor")) is not None:
        fields.append(Field(ANCHOR, anchor, None, "text", {}, None, False))
    tokens: list[str] = []
    reasoning: Reasoning = THINK
    for key, spec in described.items():
        if not isinstance(spec, dict):
            raise ValueError(f"the field {key!r} of a response template must be an object")
        content, options = spec.get("content", "text"), spec.get("content_args", {})
        check_content(content, options)
        transform = spec.get("transform") or "{content}"
        check_transform(transform)
        opening, closing = Marker.of(spec, "open"), Marker.of(spec, "close")
        if opening is None:
            if key == "content" and closing is not None:
                tokens += closing.literals
            continue
        fields.append(Field(key, opening, closing, content, options, transform, bool(spec.get("transform_each"))))
        if key in REASONING_FIELDS and opening.written and closing is not None and closing.written:
            before = opening.written.removesuffix("\n")
            reasoning = Reasoning(before, closing.written, f"{before}\n", f"\n{closing.written}\n\n")
    dialect = ResponseTemplate(
        name=name,
        models=("any model whose tokenizer has a response_template",),
        calls=call_template(fields),
        separator="\n",
        reasoning=reasoning,
        turn_tokens=(*TURN_TOKENS, *tokens),
        fields=tuple(fields),
    )
    try:
        return replace(dialect, sample=dialect.render([ToolCall("get_weather", {"city": "Tokyo"})]))
    except RenderError:
        return dialect
