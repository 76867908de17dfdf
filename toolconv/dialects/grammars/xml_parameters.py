"""A tag that names the tool, then tags around each argument: ``<function=f><parameter=k>v</parameter></function>``.

``<invoke name="f"><parameter name="k">`` is the same grammar, and so is
``<tool_call>f<arg_key>k</arg_key><arg_value>``: only the spelling of the tags differs. Values are text;
:mod:`toolconv.dialects.values.by_schema` gives them types.
"""

from __future__ import annotations

import re
from dataclasses import replace

from toolconv.core import lenient_json
from toolconv.core.blanks import after_blanks
from toolconv.core.calls import NotACall, arguments_from, declared_name
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.grammars.fences import JSON_BODY
from toolconv.dialects.grammars.json_object import ObjectReader, arguments_of
from toolconv.dialects.grammars.parameter_tags import MAX_TAG
from toolconv.dialects.grammars.parameter_values import SHORT_VALUE, ParameterValues, TaggedArgument
from toolconv.dialects.grammars.tags import TagMatch
from toolconv.dialects.reading.turn_parser import GAVE_UP, TurnParser
from toolconv.dialects.values.by_schema import shape_of

CUT_NAME = lazy_re(r"[\"']?[\w.\-:/]*(?:[\"'](?:\s\w*(?:=[\"']?\w*[\"']?)?)?)?[/>]?(?:<\|?\w*)?")
"""The rest of an opening tag, from its name on, in a text that ends inside the tag."""


class XmlParameters(ParameterValues):
    """Calls as tags: those the call template writes, and those that models write instead."""

    def find_calls(self, parser: TurnParser) -> None:
        text = parser.text
        start = -1  # where the open wrapper begins, until its first call is cut out with it
        inside = not self.tags.wrappers
        while (found := self._structure.search(text, parser.at)) is not None:
            kind, place, at = found.lastgroup, found.start(), found.end()
            after = after_blanks(text, at)
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
            elif kind != "json" and (after >= len(text) or self._cut(kind or "", text, at, after)):
                parser.reject(place, len(text), "the text ends behind the opening tag")
            else:  # the tag is only mentioned
                parser.at = at
            start = -1

    def read_markup(self, parser: TurnParser, found: re.Match[str]) -> None:
        """Read what :attr:`markup` found."""
        parser.accept(found.start(), found.end())

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
        if inside and parser.calls:
            parser.accept(place, at)
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
        after = after_blanks(text, end)
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

    def is_final(self, following: str) -> bool | None:
        """The last value of a call may hold what closes the call, unless another call comes next."""
        at = after_blanks(following, 0)
        wrapper = self._wrapper.match(following, at) if self.tags.wrappers else None
        if self.function.match(following, at if wrapper is None else after_blanks(following, wrapper.end)) is not None:
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
            end = self._end_of(self._function_end, text, after_blanks(text, head.end))
            return ToolCall(self.named(written.rstrip("/"), parser, repairs), {}), head.end if end is None else end
        begin = head.end
        bare, brace, _ = written.partition("{")
        if brace and not any(map(str.isalnum, bare)):
            raise NotACall("an object where the name should be")
        if brace:  # JSON follows the name, with no tag between
            written, begin = bare.rstrip(), text.rindex(written, 0, head.end) + len(bare)
        name = self.named(written, parser, repairs)
        schema = parser.tools.parameters(name)
        call = ToolCall(name, {})
        arguments = call.arguments
        at = self.read_arguments(parser, begin, call, repairs)
        at = after_blanks(text, at)
        found = self._function_end.match(text, at)
        if found is not None:
            if not arguments and name not in parser.tools and written != unquoted(written).strip(" \t"):
                return None, at  # ``between <tool_call> and </tool_call>``, or a JSON text
            if found.repair:
                repairs.append(found.repair)
            return call, found.end
        cut = "end" if at >= len(text) else self._cut_tag(text, at)
        properties = parser.tools.properties(name)
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
        if bare != name.strip():
            repairs.append("marker_spelling")
            name = bare
        return declared_name(name.strip(), parser.tools, repairs)

    def read_arguments(self, parser: TurnParser, at: int, call: ToolCall, repairs: list[str]) -> int:
        """Read arguments from ``at`` on into ``call``; return where they end."""
        text = parser.text
        shape = shape_of(call.name, parser.tools, self.calls.looks)
        arguments = call.arguments
        begin = at
        while True:
            if parser.budget <= 0 and at > begin + SHORT_VALUE:
                raise NotACall(GAVE_UP)
            at = after_blanks(text, at)
            head = self.parameter.match(text, at)
            if head is not None:
                key = self.key_of(head)
                if key not in shape.properties and (bare := unquoted(key.strip())) != key:
                    repairs.append("marker_spelling")
                    key = bare
                elif head.repair:
                    repairs.append(head.repair)
                argument = TaggedArgument(key, {*arguments, key}, shape.properties)
                made: list[str] = []
                begin_value = skip_doubled(text, text[at : head.end].strip(), head.end)
                if begin_value > head.end:
                    made.append("extra_open_tag")
                value, at = self._value(parser, begin_value, argument, made)
                if key in arguments:
                    made.append("duplicate_key")
                member = shape[key]
                arguments[key] = typed = self.type_of(head.fields, value, member, made)
                if "type_mismatch" in made and "markup_in_value" in made:
                    raise lenient_json.Unreadable("a closing tag that may be part of a value", at)
                repairs += made
                states_type = head.fields.get("is_text") or head.fields.get("type")
                call.untyped += type(typed) is not str and not states_type and not member.settled
            elif text.startswith("{", at) and not arguments:
                reading = ObjectReader(parser, self._json[1].all_closes, arguments_of(call.name), True).read(at)
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


def unquoted(name: str) -> str:
    """``name`` without quotes around it."""
    return name[1:-1].strip() if len(name) > 2 and name[0] == name[-1] and name[0] in "\"'`" else name


def skip_doubled(text: str, opening: str, at: int) -> int:
    """The place after a second ``opening``, or a second one of its last tag, at ``at``; ``at`` if there is none."""
    again = after_blanks(text, at)
    for tag in (opening, opening[opening.rfind("<") :]):
        if text.startswith(tag, again):
            return again + len(tag)
    return at
