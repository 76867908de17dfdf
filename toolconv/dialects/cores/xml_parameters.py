"""A tag that names the tool, then one pair of tags per argument: ``<function=f><parameter=k>v</parameter></function>``.

Values are text; :mod:`toolconv.dialects.values` gives them types. A value ends at a closing tag after which the grammar
goes on, so closing and opening tags inside a value are read as text where that is the only reading.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from toolconv import jsontext
from toolconv.conversation import ToolCall
from toolconv.dialects import callshape
from toolconv.dialects.base import Dialect, Scan
from toolconv.dialects.callshape import NotACall
from toolconv.dialects.cores.json_blocks import JsonBlocks
from toolconv.dialects.values import spell_json, typed

MAX_NAME = 256


@dataclass(frozen=True, kw_only=True, eq=False)
class XmlParameters(Dialect):
    """Calls spelled as tags.

    Attributes:
        wrapper: opening and closing tag around a call, or around all calls of a turn.
        wrap_all: one wrapper holds all calls.
        function, parameter: what stands before and after the name in the opening tag, and the closing tag.
        own_lines: a value stands on lines of its own: one newline at each end is layout.
        after_wrapper, after_function, after_parameter: layout the family writes behind its opening tags.
        between: what stands between two calls.
        spell: how a value is written.
    """

    wrapper: tuple[str, str] = ("<tool_call>", "</tool_call>")
    wrap_all: bool = False
    function: tuple[str, str, str] = ("<function=", ">", "</function>")
    parameter: tuple[str, str, str] = ("<parameter=", ">", "</parameter>")
    own_lines: bool = True
    after_wrapper: str = "\n"
    after_function: str = "\n"
    after_parameter: str = "\n"
    between: str = "\n"
    spell: Callable[[Any], str] = spell_json

    @property
    def markers(self) -> tuple[str, ...]:
        return (self.function[0], self.wrapper[0])

    @cached_property
    def _json(self) -> JsonBlocks:
        """The JSON body that models put into the same wrapper."""
        return JsonBlocks(name=self.name, opens=(self.wrapper[0],), closes=(self.wrapper[1],), bare="never")

    # ── writing ──

    def render(self, calls: Sequence[ToolCall]) -> str:
        open_, close = self.wrapper
        written = [self.write_call(call) for call in calls]
        if self.wrap_all:
            return f"{open_}{self.after_wrapper}{self.between.join(written)}{self.after_wrapper}{close}"
        return self.between.join(f"{open_}{self.after_wrapper}{call}{self.after_wrapper}{close}" for call in written)

    def write_call(self, call: ToolCall) -> str:
        """One call without its wrapper."""
        open_, end, close = self.function
        parameters = "".join(self.write_parameter(key, value) for key, value in call.arguments.items())
        return f"{open_}{call.name}{end}{self.after_function}{parameters}{close}"

    def write_parameter(self, key: str, value: Any) -> str:
        open_, end, close = self.parameter
        line = "\n" if self.own_lines else ""
        return f"{open_}{key}{end}{line}{self.spell(value)}{line}{close}{self.after_parameter}"

    # ── reading ──

    def scan(self, scan: Scan) -> None:
        text = scan.text
        open_ = self.wrapper[0]
        while (found := scan.first((open_, self.function[0]), scan.at)) is not None:
            start, marker = found
            at = start + len(marker)
            if marker == open_:
                inner = skip_blanks(text, at)
                if text.startswith(self.function[0], inner):
                    at = inner + len(self.function[0])
                else:
                    self._other_body(scan, start, at, inner)
                    continue
            self._calls(scan, start, at, wrapped=marker == open_)

    def _other_body(self, scan: Scan, start: int, at: int, inner: int) -> None:
        """A wrapper that holds no function tag: nothing, JSON, or prose that mentions the tag."""
        text = scan.text
        if text.startswith(self.wrapper[1], inner):
            scan.take(start, inner + len(self.wrapper[1]))
            scan.repair("empty_block")
        elif text.startswith(("{", "["), inner):
            self._json.read_block(scan, start, at)
            scan.at = max(scan.at, at)
            if scan.calls:
                scan.repair("json_body")
        else:
            scan.at = at

    def _calls(self, scan: Scan, start: int, at: int, *, wrapped: bool) -> None:
        """The calls of one wrapper, the first of which has its name at ``at``."""
        text = scan.text
        close = self.wrapper[1]
        while True:
            repairs: list[str] = []
            try:
                call, end = self._call(scan, at, repairs)
            except (NotACall, jsontext.Unreadable) as error:
                self._broken(scan, start, at, error)
                return
            if call is None:  # the tag is only mentioned
                scan.at = at
                return
            after = skip_blanks(text, end)
            more = text.startswith(self.function[0], after)
            if not more:
                if text.startswith(close, after):
                    end = after + len(close)
                    if not wrapped:
                        repairs.append("missing_open_tag")
                elif wrapped:
                    repairs.append("missing_close_tag")
                else:
                    repairs.append("missing_tags")
            scan.take(start, end, (call,))
            scan.repairs.extend(repairs)
            if not more or not wrapped:
                return
            if not self.wrap_all:
                scan.repair("several_objects")
            start, at = after, after + len(self.function[0])

    def _broken(self, scan: Scan, start: int, at: int, error: NotACall | jsontext.Unreadable) -> None:
        """Drop a call that can't be read: up to the next wrapper, its closing tag, or the end."""
        scan.spend(getattr(error, "at", at) - start)
        found = scan.first(self.wrapper, at)
        end = len(scan.text) if found is None else found[0]
        if found is not None and found[1] == self.wrapper[1]:
            end += len(found[1])
        scan.drop(start, end, str(error))

    def _call(self, scan: Scan, at: int, repairs: list[str]) -> tuple[ToolCall | None, int]:
        """Read one call from its name on; the call and where it ends, or no call where the tag is only mentioned."""
        text = scan.text
        name, at = self.name_at(text, at, self.function[1])
        if name is None:
            return None, at
        name = callshape.declared_name(name, scan.tools, repairs)
        schema = scan.tools.parameters(name)
        arguments: dict[str, Any] = {}
        while True:
            at = skip_blanks(text, at)
            if text.startswith(self.parameter[0], at):
                key, value_at = self.name_at(text, at + len(self.parameter[0]), self.parameter[1])
                if key is None:
                    raise jsontext.Unreadable("a parameter tag that is never closed", at)
                value, at = self._value(scan, value_at, schema, repairs)
                if key in arguments:
                    repairs.append("duplicate_key")
                arguments[key] = self.type_of(key, value, schema, repairs)
            elif text.startswith(self.function[2], at):
                return ToolCall(name, arguments), at + len(self.function[2])
            elif at >= len(text):
                repairs.append("truncated")
                return ToolCall(name, arguments), at
            elif text.startswith((self.wrapper[1], self.wrapper[0], self.function[0]), at):
                repairs.append("missing_function_end")
                return ToolCall(name, arguments), at
            elif text[at] == "{" and not arguments:
                reading = jsontext.read(text, at, stops=(self.function[2], *self.wrapper))
                arguments = callshape.arguments_from(reading.value, repairs)
                repairs.extend([*reading.repairs, "json_body"])
                at = reading.end
            elif not arguments and self.function[2] not in text[at : at + 4096]:
                return None, at
            else:
                raise jsontext.Unreadable("text between the parameters", at)

    def name_at(self, text: str, at: int, end: str) -> tuple[str | None, int]:
        """The name that stands at ``at`` in a tag, and the place behind the tag; ``None`` when there is none."""
        close = text.find(end, at, at + MAX_NAME + len(end))
        name = text[at:close].strip().strip("\"'") if close >= 0 else ""
        return (name, close + len(end)) if name and "\n" not in name and "<" not in name else (None, at)

    def type_of(self, key: str, value: str, schema: dict[str, Any] | None, repairs: list[str]) -> Any:
        """A value with its type."""
        properties = (schema or {}).get("properties")
        declared = properties.get(key) if isinstance(properties, dict) else None
        return typed(value, declared, schema, repairs)

    def _value(self, scan: Scan, at: int, schema: dict[str, Any] | None, repairs: list[str]) -> tuple[str, int]:
        """The text of a value that begins at ``at``, and the place behind its closing tag."""
        text = scan.text
        close = self.parameter[2]
        place = scan.find(close, at)
        while place >= 0:
            after = skip_blanks(text, place + len(close))
            if after >= len(text) or text.startswith((self.parameter[0], self.function[2], *self.wrapper), after):
                break
            if not scan.spend(0):
                raise NotACall("gave up: too much broken markup in one text")
            place = scan.find(close, place + 1)
        opened = self._next_parameter(text, at, place, schema)
        if opened is not None:
            repairs.append("missing_parameter_end")
            return self.trimmed(text[at:opened]), opened
        if place < 0:
            end = scan.find(self.function[2], at)
            if end < 0 or end - at > 100_000:
                raise jsontext.Unreadable("the text ends inside a value", at)
            repairs.append("missing_parameter_end")
            return self.trimmed(text[at:end]), end
        if self._swallows_a_call(text, at, place):
            raise jsontext.Unreadable("a value that is never closed", place)
        return self.trimmed(text[at:place]), place + len(close)

    def _next_parameter(self, text: str, at: int, until: int, schema: dict[str, Any] | None) -> int | None:
        """The opening tag of another parameter on a line of its own before ``until``: this value was never closed."""
        properties = (schema or {}).get("properties")
        opening = "\n" + self.parameter[0]
        place = text.find(opening, at, until if until >= 0 else len(text))
        if place < 0:
            return None
        key, end = self.name_at(text, place + len(opening), self.parameter[1])
        if key is None or (self.own_lines and not text.startswith("\n", end)):
            return None
        if isinstance(properties, dict) and properties and key not in properties:
            return None
        return place + 1

    def _swallows_a_call(self, text: str, at: int, end: int) -> bool:
        """Whether ``text[at:end]`` runs over the beginning of another call, so that its own end must be missing."""
        begin = text.find(self.wrapper[0], at, end)
        if begin < 0:
            return False
        inner = skip_blanks(text, begin + len(self.wrapper[0]))
        return text.startswith(self.function[0], inner) and text.find(self.wrapper[1], begin, end) < 0

    def trimmed(self, value: str) -> str:
        """A value without the newlines that its layout adds."""
        if not self.own_lines:
            return value
        return value.removeprefix("\n").removesuffix("\n")


def skip_blanks(text: str, at: int) -> int:
    """The first place from ``at`` on that holds no white space."""
    end = len(text)
    while at < end and text[at] in " \t\r\n":
        at += 1
    return at
