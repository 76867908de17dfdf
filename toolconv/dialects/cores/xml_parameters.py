"""A tag that names the tool, then tags around each argument: ``<function=f><parameter=k>v</parameter></function>``.

``<invoke name="f"><parameter name="k">`` is the same grammar, and so is
``<tool_call>f<arg_key>k</arg_key><arg_value>``: they differ in the spelling of the tags. Values are text;
:mod:`toolconv.dialects.values` gives them types. A value ends at a closing tag after which the grammar goes on, so
closing and opening tags inside a value, even whole calls, are read as text where that is the only reading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from toolconv import jsonlike
from toolconv.conversation import ToolCall
from toolconv.dialects import callshape
from toolconv.dialects.base import GAVE_UP, Dialect, Scan, is_plain_name, joined
from toolconv.dialects.callshape import NotACall
from toolconv.dialects.cores.json_blocks import JsonBlocks
from toolconv.dialects.cores.tags import Found, Tag, finder
from toolconv.dialects.values import MISFIT, readers_of, spell_json, typed
from toolconv.toolindex import ToolIndex

Pair = tuple[str, str]
"""The spellings of an opening and its closing tag, with the line breaks the family writes around what is inside."""

BLANKS = re.compile(r"\s*")
JSON_BODY = re.compile(r"\s*(?:```\w*\s*)?[\[{]")
CUT_NAME = re.compile(r"[\"']?[\w.\-:/]*(?:[\"'](?:\s\w*(?:=[\"']?\w*[\"']?)?)?)?[/>]?(?:<\|?\w*)?")
MAX_TAG = 96
WRITTEN_NAME = r"((?!functions\.)[A-Za-z_][\w.\-]{0,127})"
WRITTEN_KEY = r"([A-Za-z_][\w.\-]{0,127})"
ATTRIBUTE = re.compile(r"(.*?)(?:\{(\w+)\}(.*))?", re.DOTALL)
"""Of what stands behind a key: what says something of the value, with what stands on both sides of it."""
ANY_KIND: tuple[Any, ...] = (None, True, 1, 0.5, "", [], {})
"""A value of each kind."""
SHORT_VALUE = 400
"""How far a value is read in a text that was read in vain too often."""


@dataclass(frozen=True, kw_only=True, eq=False)
class XmlParameters(Dialect):
    """Calls spelled as tags. Of several pairs of tags the first is what the family writes.

    Attributes:
        wrappers: tags around a call, or around all calls of a turn; none where calls stand by themselves.
        wrap_all: one wrapper holds all calls.
        functions: tags around one call, with ``{name}``.
        parameters: tags around one value, with ``{key}``. When the opening tag ends with a line break, one line break
            at each end of a value is layout; otherwise values are verbatim.
        function_slips: tags around one call that models write by mistake.
        between: what stands between two calls.
        between_parameters: what stands between two arguments, if not all of it belongs to the tags.
        stays_open: the wrapper's closing tag is the family's stop sequence and may be missing.
        always_apart: the separator is written before the first call even without prose.
        json: blocks of JSON calls that are a variant of the format; in the wrapper they are read in any case.
        json_slips: the blocks in which models write JSON by mistake, where these are not the wrapper's.
        reasoning_name: a pattern of the names the reasoning tags go by, where there are several.
        markup: patterns of what else stands around prose and calls; :meth:`read_markup` reads it.
        spell: how a value is written.
        suffix: what is written for ``{suffix}`` in tags.
    """

    wrappers: tuple[Pair, ...] = (("<tool_call>\n", "\n</tool_call>"),)
    wrap_all: bool = False
    functions: tuple[Pair, ...] = (("<function={name}>\n", "</function>"),)
    function_slips: tuple[Pair, ...] = ()
    parameters: tuple[Pair, ...] = (("<parameter={key}>\n", "\n</parameter>\n"),)
    between: str = "\n"
    between_parameters: str = ""
    stays_open: bool = False
    always_apart: bool = False
    json: JsonBlocks | None = None
    json_slips: JsonBlocks | None = None
    reasoning_name: str = ""
    markup: tuple[str, ...] = ()
    spell: Callable[[Any], str] = spell_json
    suffix: str = ""
    losses: tuple[str, ...] = ("argument_key", "argument_type", "argument_value", "call")

    @property
    def markers(self) -> tuple[str, ...]:
        pairs = (*self.wrappers, *self.functions) if self.wrap_all else (*self.functions, *self.wrappers)
        opening = [spelling for spelling, _ in pairs]
        more = self.json.opens if self.json else ()
        return tuple(dict.fromkeys([*(re.split(r"[{\n]", spelling)[0] for spelling in opening), *more]))

    # ── writing ──

    def render_turn(self, content: str, reasoning: str | None, calls: Sequence[ToolCall]) -> str:
        text = super().render_turn(content, reasoning, calls)
        if calls and not content and self.always_apart:
            text = (self.reasoning.render(reasoning) if reasoning else "") + self.separator + self.render(calls)
        return text

    def render_each(self, calls: Sequence[ToolCall]) -> list[str]:
        open_, close = self._wrapper_tags
        written = map(self.write_call, calls, range(len(calls)))
        if self.wrap_all:
            return joined(open_, written, self.between, close)
        return joined("", (f"{open_}{call}{close}" for call in written), self.between, "")

    def write_call(self, call: ToolCall, index: int) -> str:
        """One call without its wrapper; ``index`` counts the calls of the turn from 0."""
        before, after, close = self._function_parts
        if "{" in after:
            after = after.format(index=index + 1)
        parameters = self.between_parameters.join([self.write_parameter(*item) for item in call.arguments.items()])
        return f"{before}{call.name}{after}{parameters}{close}"

    def write_parameter(self, key: str, value: Any) -> str:
        """One argument."""
        before, after, close = self._parameter_parts
        if "{" in after:
            after = after.format(**self.attributes(value))
        return f"{before}{key}{after}{value if type(value) is str else self.spell(value)}{close}"

    @cached_property
    def _wrapper_tags(self) -> Pair:
        """The wrapper's tags as they are written."""
        open_, close = (self.wrappers or (("", ""),))[0]
        return open_.replace("{suffix}", self.suffix), close.replace("{suffix}", self.suffix)

    @cached_property
    def _function_parts(self) -> tuple[str, str, str]:
        return self._parts(self.functions[0], "{name}")

    @cached_property
    def _parameter_parts(self) -> tuple[str, str, str]:
        return self._parts(self.parameters[0], "{key}")

    def _parts(self, pair: Pair, field: str) -> tuple[str, str, str]:
        """Of a pair of tags as they are written: what stands before ``field``, what behind it, and the closing tag."""
        open_, close = (tag.replace("{suffix}", self.suffix) for tag in pair)
        before, _, after = open_.partition(field)
        return before, after, close

    def attributes(self, value: Any) -> dict[str, str]:
        """What the opening tag of an argument says of its value, for families that say something."""
        return {}

    def doubtful(self, call: ToolCall, tools: ToolIndex) -> bool:
        readers = readers_of(call.name, tools)
        for key, value in call.arguments.items():
            if not is_plain_name(key) or self._doubtful(value, readers[key]):
                return True
        return super().doubtful(call, tools)

    def _doubtful(self, value: Any, read: Callable[[str], Any]) -> bool:
        """Whether the text of a value may be read as markup, or as another value."""
        text = value if type(value) is str else self.spell(value)
        if self._tag_start.search(text) is not None:
            return True
        again = read(text)
        if again is MISFIT:
            again = text
        return again is not value and (type(again) is not type(value) or repr(again) != repr(value))

    @cached_property
    def _tag_start(self) -> re.Pattern[str]:
        """The characters that tags begin with."""
        return re.compile("|".join(map(re.escape, self._tag_starts)))

    @cached_property
    def _tag_starts(self) -> set[str]:
        pairs = (*self.wrappers, *self.functions, *self.parameters)
        return {tag.strip()[0] for pair in pairs for tag in pair if tag.strip()}

    # ── the grammar ──

    @cached_property
    def function(self) -> Tag:
        """The tag that opens a call."""
        slips = [open_ for open_, _ in self.function_slips]
        return Tag([open_ for open_, _ in self.functions], slips, "missing_open_tag")

    @cached_property
    def parameter(self) -> Tag:
        """The tag that opens an argument."""
        return Tag([open_ for open_, _ in self.parameters])

    @cached_property
    def _parameter_head(self) -> re.Pattern[str]:
        return finder({"head": self.parameter.heads})

    @cached_property
    def _first_parameter(self) -> re.Pattern[str]:
        return finder({"head": Tag([self.parameters[0][0]]).heads})

    @cached_property
    def _function_end(self) -> Tag:
        slips = [close for _, close in self.function_slips]
        return Tag([close for _, close in self.functions], slips, "missing_close_tag")

    @cached_property
    def _wrapper(self) -> Tag:
        return Tag([open_ for open_, _ in self.wrappers])

    @cached_property
    def _wrapper_end(self) -> Tag:
        return Tag([close for _, close in self.wrappers])

    @cached_property
    def _structure(self) -> re.Pattern[str]:
        """Whatever begins or ends something outside of a call."""
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
        """Whether something stands at ``at`` that may follow a call."""
        at = skip_blanks(text, at)
        found = self._after_call.match(text, at)
        if found is not None and found.lastgroup == "open":
            return self._begins_call(text, skip_blanks(text, found.end()))
        return found is not None and (found.lastgroup == "over" or self._begins_call(text, at))

    def _value_may_end(self, text: str, at: int) -> bool:
        """Whether something stands at ``at`` that may follow an argument."""
        at = skip_blanks(text, at)
        if self.parameter.match(text, at) is not None or self._function_end.match(text, at) is not None:
            return True
        return self._call_may_end(text, at) or self._cut_tag(text, at) is not None

    def value_ends(self, text: str, at: int, key: str) -> tuple[str, ...]:
        """Patterns of the closing tag of a value that begins at ``at``."""
        return tuple(end.replace("KEY", re.escape(key)) for end in self._parameter_end.heads)

    @cached_property
    def _parameter_end(self) -> Tag:
        return Tag([close.replace("{tag}", "KEY") for _, close in self.parameters])

    @cached_property
    def _value_finders(self) -> dict[tuple[str, ...], re.Pattern[str]]:
        return {}

    def _inside_value(self, ends: tuple[str, ...]) -> re.Pattern[str]:
        """What counts inside a value: its end, and the beginnings and ends of calls."""
        known = self._value_finders
        if ends not in known:
            if len(known) > 100:
                known.clear()
            known[ends] = finder({"end": ends, "call": self.function.heads, "call_end": self._function_end.heads})
        return known[ends]

    @cached_property
    def _json(self) -> tuple[JsonBlocks | None, JsonBlocks]:
        """Blocks of JSON calls: the variants of the format, and the body that models put into the wrong tags."""
        if self.json_slips is not None:
            return self.json, self.json_slips
        pairs = [(open_.strip("\n"), close.strip("\n")) for open_, close in self.wrappers or self.functions]
        opens = tuple(re.split(r"\{(?!suffix)", open_)[0].replace("{suffix}", "") for open_, _ in pairs)
        closes = tuple(close.replace("{suffix}", "") for _, close in pairs)
        return self.json, JsonBlocks(name=self.name, opens=opens, closes=closes, bare="never")

    @cached_property
    def _json_opens(self) -> tuple[str, ...]:
        return tuple(open_ for blocks in self._json if blocks is not None for open_ in blocks.opens)

    # ── reading what the template writes ──

    def places(self, text: str) -> list[tuple[int, int]]:
        before, _, close = self._function_parts
        places = []
        at = 0
        while (start := text.find(before, at)) >= 0 and (end := text.find(close, start)) >= 0:
            places.append((start + len(before), end))
            at = end
        return places

    def read_written(self, body: str, between: str, tools: ToolIndex) -> list[ToolCall] | None:
        if self._written is None:
            return None
        head, argument, said, length = self._written
        calls = []
        repairs: list[str] = []
        for item in body.split(between):
            opened = head.match(item)
            if opened is None:
                return None
            name, at = opened[1], opened.end()
            arguments: dict[str, Any] = {}
            found = argument.findall(item, at)
            readers = readers_of(name, tools)
            for key, attribute, value in found:
                at += length + len(key) + len(attribute) + len(value)
                if self._typed_by_schema:
                    arguments[key] = typed = readers[key](value)
                    if typed is MISFIT:
                        return None
                else:
                    tag = {said: attribute} if said else {}
                    arguments[key] = self.type_of(tag, value, readers.properties.get(key), readers.schema, repairs)
            if found:
                at -= len(self.between_parameters)
            if at != len(item) or len(arguments) != len(found):
                return None
            calls.append(ToolCall(name, arguments))
        return None if repairs else calls

    @cached_property
    def _typed_by_schema(self) -> bool:
        """Whether it is the schema alone that gives values their types."""
        return type(self).type_of is XmlParameters.type_of

    @cached_property
    def _written(self) -> tuple[re.Pattern[str], re.Pattern[str], str, int] | None:
        """What the family writes of a call between its tags, as long as nothing in it looks like a tag.

        Patterns of its name with what follows, and of an argument (key, attribute and value); the attribute's name; and
        how long an argument is without these three.
        """
        _, behind_name, _ = self._function_parts
        before, behind, close = self._parameter_parts
        attributes = ATTRIBUTE.fullmatch(behind)
        if len(self._tag_starts) > 1 or "{" in close or attributes is None:
            return None
        behind_key, said, behind_said = attributes.groups("")
        key = f"{re.escape(before)}{WRITTEN_KEY}{re.escape(behind_key)}"
        kinds = {self.attributes(value)[said] for value in ANY_KIND} if said else {""}
        attribute = f"({'|'.join(sorted(kinds))}){re.escape(behind_said)}"
        value = f"([^{re.escape(*self._tag_starts)}]*){re.escape(close)}"
        return (
            re.compile(WRITTEN_NAME + re.escape(behind_name).replace(r"\{index\}", "[0-9]{1,9}")),
            re.compile(f"{key}{attribute}{value}(?:{re.escape(self.between_parameters)}|\\Z)"),
            said,
            len(before + behind_key + behind_said + close + self.between_parameters),
        )

    # ── reading ──

    def scan(self, scan: Scan) -> None:
        text = scan.text
        start = -1  # where a wrapper begins that no call was cut out with yet
        inside = not self.wrappers
        while (found := self._structure.search(text, scan.at)) is not None:
            kind, place, at = found.lastgroup, found.start(), found.end()
            after = skip_blanks(text, at)
            if kind == "markup":
                self.read_markup(scan, found)
            elif kind == "close":
                self._close(scan, place, at, inside=inside)
                inside = not self.wrappers
            elif JSON_BODY.match(text, at):
                self._json_body(scan, start if start >= 0 else place, at, found[0])
            elif kind == "call" and (head := self.function.match(text, place)) is not None:
                inside = self._call(scan, start if start >= 0 else place, head, inside=inside)
            elif kind == "open" and self._begins_call(text, after):
                start, inside = place, True
                scan.at = after
                continue
            elif kind == "open" and (end := self._end_of(self._wrapper_end, text, after)) is not None:
                scan.take(place, end)
                scan.repair("empty_block")
            elif kind != "json" and (after >= len(text) or self._cut(kind or "", text, at, after)):
                scan.drop(place, len(text), "the text ends behind the opening tag")
            else:  # the tag is only mentioned
                scan.at = at
            start = -1

    def read_markup(self, scan: Scan, found: re.Match[str]) -> None:
        """Read what :attr:`markup` found."""
        scan.take(found.start(), found.end())

    def _begins_call(self, text: str, at: int) -> bool:
        """Whether a call begins at ``at``, in tags or as JSON."""
        if self.function.match(text, at) is not None:
            return True
        return any(
            text.startswith(open_, at) and JSON_BODY.match(text, at + len(open_)) is not None
            for open_ in self._json_opens
        )

    def _cut(self, kind: str, text: str, at: int, after: int) -> bool:
        """Whether the text ends inside a name that begins at ``at``, or inside the tag behind a wrapper's."""
        if len(text) - at > MAX_TAG:
            return False
        return CUT_NAME.fullmatch(text, at) is not None if kind == "call" else self._cut_tag(text, after) == "other"

    def _json_body(self, scan: Scan, start: int, at: int, opening: str) -> None:
        """A call as JSON behind ``opening``."""
        before = len(scan.calls)
        variant, slips = self._json
        native = variant is not None and opening in variant.opens
        if native and not self.separator.startswith("\n") and scan.text.startswith("\n", max(start - 1, scan.at)):
            start -= 1  # JSON stands on lines of its own, whatever the tags do
        if scan.work <= 0:
            scan.drop(start, at, GAVE_UP)
            return
        (variant if variant is not None and native else slips).read_block(scan, start, at)
        scan.at = max(scan.at, at)
        if len(scan.calls) == before:
            scan.spend(SHORT_VALUE)
        elif not native:
            scan.repair("json_body")

    def _reasoning(self, scan: Scan, opened: bool) -> str | None:
        if self.reasoning_name and (found := re.search(rf"</?({self.reasoning_name})>", scan.text)) is not None:
            mark = replace(self.reasoning, open=f"<{found[1]}>", close=f"</{found[1]}>")
            return replace(self, reasoning=mark, reasoning_name="")._reasoning(scan, opened)
        return super()._reasoning(scan, opened)

    def _close(self, scan: Scan, place: int, at: int, *, inside: bool) -> None:
        """The closing tag of a wrapper, apart from any call."""
        if inside and self.wrappers and scan.calls:
            scan.take(place, at)
        elif scan.cuts and not scan.text[scan.at : place].strip():
            scan.take(place, at)
            scan.repair("extra_close_tag")
        else:
            scan.at = at

    def _call(self, scan: Scan, start: int, head: Found, *, inside: bool) -> bool:
        """Read the call whose opening tag is ``head``; whether its wrapper goes on behind it."""
        text = scan.text
        repairs = [head.repair] if head.repair else []
        wrapped = inside and bool(self.wrappers)
        try:
            call, end = self._read(scan, head, repairs, wrapped=wrapped)
        except (NotACall, jsonlike.Unreadable) as error:
            scan.spend(4 * (getattr(error, "at", head.end) - start))  # many short values are as much work as a long one
            stop = self._stops.search(text, head.end)
            end = len(text) if stop is None else stop.end() if stop.lastgroup == "stop" else stop.start()
            scan.drop(start, end, str(error))
            return inside and (stop is None or stop.lastgroup == "call" or not self.wrappers)
        if call is None:
            scan.at = head.end
            return not self.wrappers
        after = skip_blanks(text, end)
        closing = self._end_of(self._wrapper_end, text, after) if self.wrappers else None
        if closing is not None:
            end = closing
            if not wrapped:
                repairs.append("missing_open_tag")
            wrapped = False
        elif not wrapped and self.wrappers:
            repairs.append("missing_tags")
        elif wrapped and self.function.match(text, after) is not None:
            if not self.wrap_all:
                repairs.append("several_objects")
        elif wrapped and not (self.wrap_all and self._closed_later(scan, after)):
            if "truncated" not in repairs and not self.stays_open:
                repairs.append("missing_close_tag")
            wrapped = False
        scan.take(start, end, (call,))
        scan.repairs.extend(repairs)
        return wrapped or not self.wrappers

    @cached_property
    def _stops(self) -> re.Pattern[str]:
        """Where a call that can't be read is over at the latest: a closing tag, or before whatever opens another."""
        ends = self._wrapper_end.heads or self._function_end.heads
        return finder({"stop": ends, "call": self.function.heads, "open": self._wrapper.heads})

    def _closed_later(self, scan: Scan, at: int) -> bool:
        """Whether the wrapper that a call stands in is closed behind prose: before another one is opened."""
        found = self._structure.search(scan.text, at)
        return found is not None and found.lastgroup in ("close", "call")

    def _read(self, scan: Scan, head: Found, repairs: list[str], *, wrapped: bool) -> tuple[ToolCall | None, int]:
        """Read one call; the call and where it ends, or no call where its tag is only mentioned."""
        text = scan.text
        written = head.fields["name"]
        if text.startswith("/>", head.end - 2) or written.endswith("/"):
            if written.endswith("/"):
                repairs.append("marker_spelling")
            return ToolCall(self.named(written.rstrip("/"), scan, repairs), {}), head.end
        name = self.named(written, scan, repairs)
        schema = scan.tools.parameters(name)
        arguments: dict[str, Any] = {}
        at = self.read_arguments(scan, head.end, arguments, schema, repairs)
        at = skip_blanks(text, at)
        found = self._function_end.match(text, at)
        if found is not None:
            if not arguments and written != written.strip(" \t") and name not in scan.tools:
                return None, at  # ``between <tool_call> and </tool_call>``
            if found.repair:
                repairs.append(found.repair)
            return ToolCall(name, arguments), found.end
        cut = "end" if at >= len(text) else self._cut_tag(text, at)
        whole = bool(arguments) or (schema is not None and not schema.get("properties"))
        if cut == "end" and whole:
            repairs.append("truncated")
            return ToolCall(name, arguments), len(text)
        if whole and not cut and self._call_may_end(text, at):
            repairs.append("missing_close_tag")
            return ToolCall(name, arguments), at
        if not arguments and not wrapped and not cut and not text.startswith("<", at):
            return None, at  # prose goes on: the tag is only mentioned
        raise jsonlike.Unreadable("the text ends inside the call" if cut else "text between the arguments", at)

    def named(self, name: str, scan: Scan, repairs: list[str]) -> str:
        """The tool's name, given the one in the tag."""
        bare = unquoted(name.strip())
        if bare != name.strip() and name not in scan.tools:
            repairs.append("marker_spelling")
            name = bare
        return callshape.declared_name(name.strip(), scan.tools, repairs)

    def read_arguments(
        self, scan: Scan, at: int, arguments: dict[str, Any], schema: dict[str, Any] | None, repairs: list[str]
    ) -> int:
        """Read arguments from ``at`` on into ``arguments``; where they end."""
        text = scan.text
        properties = (schema or {}).get("properties")
        properties = properties if isinstance(properties, dict) else {}
        begin = at
        while True:
            if scan.work <= 0 and at > begin + SHORT_VALUE:
                raise NotACall(GAVE_UP)
            at = skip_blanks(text, at)
            head = self.parameter.match(text, at)
            if head is not None:
                key = self.key_of(head)
                if key not in properties and (bare := unquoted(key.strip())) != key:
                    repairs.append("marker_spelling")
                    key = bare
                elif head.repair:
                    repairs.append(head.repair)
                value, at = self._value(scan, head.end, key, {*arguments, key}, properties, repairs)
                if key in arguments:
                    repairs.append("duplicate_key")
                arguments[key] = self.type_of(head.fields, value, properties.get(key), schema, repairs)
            elif text.startswith("{", at) and not arguments:
                reading = jsonlike.read(text, at)
                arguments.update(callshape.arguments_from(reading.value, repairs))
                repairs.extend([*reading.repairs, "json_body"])
                return reading.end
            elif at < len(text) and (cut := self._parameter_head.match(text, at)) is not None:
                raise jsonlike.Unreadable("an argument's tag that is never closed", cut.end())
            else:
                return at

    def key_of(self, head: Found) -> str:
        """The key that an opening tag says."""
        return head.fields["key"]

    def type_of(
        self, tag: Mapping[str, str], value: str, declared: Any, schema: dict[str, Any] | None, repairs: list[str]
    ) -> Any:
        """A value with its type; ``tag`` is what the opening tag says, ``declared`` the schema of the parameter."""
        return typed(value, declared, schema, repairs)

    # ── values ──

    @property
    def own_lines(self) -> bool:
        """Whether values stand on lines of their own."""
        return self.parameters[0][0].endswith("\n")

    def _value(
        self, scan: Scan, at: int, key: str, given: set[str], properties: dict[str, Any], repairs: list[str]
    ) -> tuple[str, int]:
        """The text of a value that begins at ``at``, and the place behind its closing tag."""
        text = scan.text
        close, first_call, skipped = self._close_of(scan, at, self.value_ends(text, at, key))
        until = close.start() if close is not None else len(text)
        if not skipped:
            opened = self._never_closed(text, at, min(until, first_call), given, properties)
            if opened is not None:
                repairs.append("missing_close_tag")
                return self.trimmed(text[at:opened], closed=False), opened
        if close is None:
            raise jsonlike.Unreadable("the text ends inside a value", len(text))
        if close.lastgroup != "end":
            repairs.append("missing_close_tag")
            return self.trimmed(text[at:until], closed=False), until
        return self.trimmed(text[at:until]), close.end()

    def _close_of(self, scan: Scan, at: int, ends: tuple[str, ...]) -> tuple[re.Match[str] | None, int, bool]:
        """What ends a value that begins at ``at``: its closing tag, or the end of a call whose value has none.

        The first closing tag counts after which the grammar goes on and not another closing tag comes before anything
        is opened; with calls opened inside the value and not closed again only if there is no better one. The other
        results are where the first call is opened inside the value, and whether closing tags were passed over.
        """
        text = scan.text
        depth, first_call, skipped = 0, len(text), False
        doubtful: re.Match[str] | None = None
        call_end: re.Match[str] | None = None
        pattern = self._inside_value(ends)
        begin = at
        until = len(text) if scan.work > 0 else min(len(text), at + SHORT_VALUE)
        while (found := pattern.search(text, at, until)) is not None:
            at = found.end()
            if found.lastgroup == "call":
                depth += self._goes_on(text, found.start())
                first_call = min(first_call, found.start())
            elif found.lastgroup == "call_end":
                if depth:
                    depth -= 1
                elif call_end is None and self._call_may_end(text, at):
                    call_end = found
            elif self._value_may_end(text, at):
                if not depth and not self._closes_again(text, at, pattern):
                    return found, first_call, skipped
                doubtful = doubtful or found
            else:
                skipped = True
        if not scan.spend(until - begin) and doubtful is None and until < len(text):
            raise NotACall(GAVE_UP)
        if doubtful is None or (call_end is not None and call_end.start() < doubtful.start()):
            return call_end, first_call, skipped
        return doubtful, first_call, skipped

    def _goes_on(self, text: str, at: int) -> bool:
        """Whether the tag at ``at`` opens a call, by what follows it, and is not just a part of some text."""
        head = self.function.match(text, at)
        if head is None:
            return False
        after = skip_blanks(text, head.end)
        tags = (self.parameter, self._function_end)
        return after >= len(text) or any(tag.match(text, after) is not None for tag in tags)

    def _cut_tag(self, text: str, at: int) -> str | None:
        """Inside which tag the text ends that begins at ``at``: the one that ends the call, or another."""
        rest = text[at : at + MAX_TAG]
        if not rest or at + MAX_TAG < len(text):
            return None
        if len(rest) > 1 and any(_plain(close).startswith(rest) for _, close in (*self.functions, *self.wrappers)):
            return "end"
        others = [open_ for open_, _ in (*self.parameters, *self.functions)]
        return "other" if any(_plain(open_).startswith(rest) for open_ in others) else None

    def _closes_again(self, text: str, at: int, pattern: re.Pattern[str]) -> bool:
        """Whether a call ends at ``at`` only for another value to end next: then both ends belong to the value."""
        end = at
        for tag in (self._function_end, self._wrapper_end) if self.wrappers else (self._function_end,):
            end = self._end_of(tag, text, skip_blanks(text, end)) or end
        found = pattern.search(text, end) if end > at else None
        return found is not None and found.lastgroup == "end" and self._value_may_end(text, found.end())

    def _never_closed(self, text: str, at: int, until: int, given: set[str], properties: dict[str, Any]) -> int | None:
        """Where the next argument is opened before this value was closed.

        That is believed of a tag on a line of its own, unless the tool is known to have no such parameter, and within
        a line of a tag that names another parameter the tool has.
        """
        found = self._first_parameter.search(text, at, until)
        head = self.parameter.match(text, found.start()) if found is not None else None
        if found is None or head is None or (key := head.fields["key"].strip()) in given:
            return None
        before = text[at : found.start()].rstrip(" \t")
        if before.endswith("\n"):
            believed = not properties or key in properties
            return found.start() if believed and (not self.own_lines or text.startswith("\n", head.end)) else None
        return found.start() if key in properties and not before.endswith(("'", '"', "`")) else None

    def trimmed(self, value: str, *, closed: bool = True) -> str:
        """A value without the line breaks of its layout; one that was never closed ends with its last line."""
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
    """The first place from ``at`` on that holds no white space."""
    match = BLANKS.match(text, at)
    return match.end() if match else at
