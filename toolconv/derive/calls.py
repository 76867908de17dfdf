"""The call template in turns of known words: each word becomes a hole, and two calls show what stands between them.

A turn of two calls is ``before`` + call + ``between`` + call + ``after``. The borders lie where the texts around the
two calls agree, moved to the nearest end of a tag.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.errors import ToolconvError
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.derive.turns import NoCalls, TemplateTurns, tool
from toolconv.dialects.call_readers.json_calls import json_object
from toolconv.dialects.call_template import SPELLINGS
from toolconv.templates.jinja.read_back import common_start

NAMES: Final = ("qzfirst", "qzsecond")
KEYS: Final = ("qzkeyb", "qzkeya")
VALUES: Final = (("qzvaluea", "qzvalueb"), ("qzvaluec", "qzvalued"))

NAME, ID, INDEX, ARGS, PARAMS = (chr(0xE010 + place) for place in range(5))
"""What stands for a hole while texts are compared: characters for private use."""

HOLES: Final = {NAME: "{name}", ID: "{id}", INDEX: "{index}", PARAMS: "{params}"}
HOLE: Final = lazy_re(f"[{NAME}-{PARAMS}]")
WORD_HOLE: Final = lazy_re(f"[{NAME}{ID}{ARGS}{PARAMS}]")


class Arguments(NamedTuple):
    """How a template writes all arguments of a call: the hole, and what spells them."""

    hole: str
    spell: Callable[[Any], str]
    delimiter: str = ""


@dataclass(frozen=True)
class CallShape:
    """What a template writes for calls, as the fields of a call template.

    Attributes:
        grammar: the name of the grammar that reads such calls.
        fields: of :class:`~toolconv.dialects.call_template.CallTemplate`.
        values: the spellings that ``{value}`` may have, for calls with a text for each argument.
    """

    grammar: str
    fields: Mapping[str, str | int]
    values: tuple[str, ...] = field(default=())


def shape_of(turns: TemplateTurns) -> CallShape:
    """The shape of the calls that a template writes.

    Raises:
        NoCalls: it can't be found; the message says why.
    """
    tools = [tool(name, dict.fromkeys(KEYS, "string")) for name in NAMES]
    calls = [
        ToolCall(name, dict(zip(KEYS, values, strict=True)), turns.call_id(name, index))
        for index, (name, values) in enumerate(zip(NAMES, VALUES, strict=True))
    ]
    try:
        one = turns.turn(calls[:1], tools)
        two = turns.turn(calls, tools) if turns.writes_parallel_calls else ""
    except ToolconvError as error:
        raise NoCalls(str(error)) from None
    if VALUES[0][0] not in one:
        raise NoCalls("the calls of the last turn are left out")
    if VALUES[1][1] not in two:
        two = ""
    for arguments in _spelled(one):
        marked = _marked(one, calls, arguments), _marked(two, calls, arguments)
        if marked[0].count(ARGS) == 1:
            return _with_arguments(turns, *marked, arguments)
    return _with_params(turns, one, two, calls)


# ── all arguments in one object ──


def _indented(value: Any, margin: str) -> str:
    return jsontext.pretty(value).replace("\n", "\n" + margin)


def _spelled(text: str) -> Iterator[Arguments]:
    """The ways to spell arguments that are tried, the usual ones first."""
    sort = SPELLINGS["sorted"]
    plain: list[Arguments] = [
        Arguments("{args}", jsontext.spaced),
        Arguments("{args|compact}", jsontext.compact),
        Arguments("{args|sorted}", lambda value: jsontext.spaced(sort(value))),
        Arguments("{args|sorted|compact}", lambda value: jsontext.compact(sort(value))),
    ]
    yield from plain
    for margin in ("", "    ", "        ", "  "):
        yield Arguments("{args|pretty}", partial(_indented, margin=margin))
    for hole, spell, _ in plain:
        names = hole.strip("{}") if "|" in hole else "args|spaced"
        yield Arguments(f"{{{names}|json}}", lambda value, spell=spell: jsontext.spaced(spell(value)))  # type: ignore[misc]
    found = re.search(rf"\{{{KEYS[1]}:(\S{{1,20}}?){VALUES[0][1]}\1,{KEYS[0]}:\1{VALUES[0][0]}\1\}}", text)
    if found is not None:
        yield Arguments("{args|delimited}", partial(_delimited, delimiter=found[1]), found[1])


def _delimited(value: Mapping[str, str], delimiter: str) -> str:
    return "{" + ",".join(f"{key}:{delimiter}{value[key]}{delimiter}" for key in sorted(value)) + "}"


def _marked(text: str, calls: Sequence[ToolCall], arguments: Arguments | None) -> str:
    """A text with holes in place of the arguments, the ids and the names of calls."""
    for call in calls:
        if arguments is not None:
            text = text.replace(arguments.spell(call.arguments), ARGS)
        text = text.replace(str(call.id), ID).replace(call.name, NAME)
    return text


def _with_arguments(turns: TemplateTurns, one: str, two: str, arguments: Arguments) -> CallShape:
    pieces = _divided(one, two)
    call = _call_text(pieces.call, arguments.hole)
    fields = _fields(turns, pieces, call)
    if arguments.delimiter:
        return CallShape("delimited_values", {**fields, "delimiter": arguments.delimiter})
    return CallShape("json_blocks" if json_object(call) is not None else "name_then_json", fields)


def _call_text(marked: str, args: str) -> str:
    """A call with holes in braces: names and ids in quotes are JSON where the whole call is."""
    text = marked.replace(ARGS, args)
    if f'"{NAME}"' in text or f'"{ID}"' in text:
        spelled = text.replace(f'"{NAME}"', "{name|json}").replace(f'"{ID}"', "{id|json}")
        for mark, hole in HOLES.items():
            spelled = spelled.replace(mark, hole)
        if json_object(re.sub(r"\{index\}", "0", spelled)) is not None:
            return spelled
    for mark, hole in HOLES.items():
        text = text.replace(mark, hole)
    return text


def _fields(turns: TemplateTurns, pieces: Pieces, call: str) -> dict[str, str | int]:
    """The fields of a call template, without those that are empty."""
    around = {"before": pieces.before, "between": pieces.between, "after": pieces.after}
    fields: dict[str, str | int] = {"call": call, **{key: text for key, text in around.items() if text}}
    if "{id" in call:
        if turns.ids_hold_names:
            fields["id"] = "functions.{name}:{index}"
        elif turns.short_ids:
            fields["id_length"] = 9
    if pieces.first_index:
        fields["first_index"] = pieces.first_index
    return fields


# ── where calls begin and end ──


class Pieces(NamedTuple):
    """A turn of calls, divided; holes are marks."""

    before: str
    call: str
    between: str
    after: str
    first_index: int = 0


def _divided(one: str, two: str) -> Pieces:
    """Divide turns of one call and of two.

    Raises:
        NoCalls: the turns have nothing in common.
    """
    core = _core(one)
    count = len(WORD_HOLE.findall(core))
    if not two:
        return Pieces("", one, "", "")
    places = [match.span() for match in WORD_HOLE.finditer(two)]
    if len(places) != 2 * count:
        raise NoCalls("a second call is written in another way than the first")
    begin, (_, middle) = places[0][0], places[count - 1]
    again, (_, last) = places[count][0], places[-1]
    pre, joint, post = two[:begin], two[middle:again], two[last:]
    first, second = two[begin:middle], two[again:last]
    index = 0
    if first != second:
        first, second, index = _counted(first, second)
    if first != second:
        raise NoCalls("a second call is written in another way than the first")
    length = common_end(pre, joint)
    while length and _is_inside_tag(pre[: len(pre) - length]):
        length -= 1
    lead, before, rest = pre[len(pre) - length :], pre[: len(pre) - length], joint[: len(joint) - length]
    if before and rest and before[-1:].isdigit() and rest[-1:].isdigit() and int(rest[-1]) == int(before[-1]) + 1:
        index = int(before[-1])  # a number before the name
        counted = before[:-1], rest[:-1]
        more = common_end(*counted)
        while more and _is_inside_tag(counted[0][: len(counted[0]) - more]):
            more -= 1
        lead = counted[0][len(counted[0]) - more :] + INDEX + lead
        before, rest = counted[0][: len(counted[0]) - more], counted[1][: len(counted[1]) - more]
    common = common_start(rest, post)
    while common and _is_inside_tag(rest[:common]):
        common -= 1
    tail, between, after = post[:common], rest[common:], post[common:]
    if before:
        blanks = lead[: len(lead) - len(lead.lstrip())]
        before, lead, between = before + blanks, lead[len(blanks) :], between + blanks
    if after:
        blanks = tail[len(tail.rstrip()) :]
        tail, between, after = tail.rstrip(), blanks + between, blanks + after
    return Pieces(before, lead + first + tail, between, after, index)


def _core(text: str) -> str:
    """A text from its first hole to its last."""
    found = [match.span() for match in WORD_HOLE.finditer(text)]
    if not found or (NAME not in text and ID not in text):
        raise NoCalls("the name of the tool isn't written as it is")
    return text[found[0][0] : found[-1][1]]


def _counted(first: str, second: str) -> tuple[str, str, int]:
    """Two calls that may differ by a number, with a hole for it, and the first number."""
    place = common_start(first, second)
    one, other = first[place : place + 1], second[place : place + 1]
    if one.isdigit() and other.isdigit() and int(other) == int(one) + 1:
        counted = first[:place] + INDEX + first[place + 1 :]
        return counted, second[:place] + INDEX + second[place + 1 :], int(one)
    return first, second, 0


def _is_inside_tag(text: str) -> bool:
    """Whether a text ends inside a tag or a word."""
    opened = max(text.rfind("<"), text.rfind("[/"))
    return opened >= 0 and not re.search(r"[>\]\s]", text[opened:]) and opened > text.rfind(">")


# ── a text for each argument ──


def _with_params(turns: TemplateTurns, one: str, two: str, calls: Sequence[ToolCall]) -> CallShape:
    places = [one.find(word) for pair in zip(KEYS, VALUES[0], strict=True) for word in pair]
    keys, values = KEYS, VALUES[0]
    is_sorted = min(places) >= 0 and places[2] < places[0]
    if is_sorted:
        keys, values = KEYS[::-1], VALUES[0][::-1]
        places = places[2:] + places[:2]
    if min(places) < 0 or sorted(places) != places:
        raise NoCalls("the arguments are not written one after the other")
    first_key, first_value, second_key, second_value = places
    to_value = one[first_key + len(keys[0]) : first_value]
    apart = one[first_value + len(values[0]) : second_key]
    if one[second_key + len(keys[1]) : second_value] != to_value:
        raise NoCalls("the arguments are not written alike")
    head, tail = one[:first_key], one[second_value + len(values[1]) :]
    length = common_end(head, apart)
    while length and (_is_inside_tag(head[: len(head) - length]) or not _opens(head[len(head) - length :])):
        length -= 1
    opening, apart = head[len(head) - length :], apart[: len(apart) - length]
    blanks = opening[: len(opening) - len(opening.lstrip())].rfind("\n") + 1  # an indentation belongs to the argument
    opening, apart = opening[blanks:], apart + opening[:blanks]
    common = common_start(apart, tail)
    while common and _is_inside_tag(apart[:common]) and not apart[:common].endswith(">"):
        common -= 1
    closing, between = apart[:common], apart[common:]
    quote = to_value[-1:] if to_value[-1:] in ("'", '"') and closing[:1] == to_value[-1:] else ""
    if quote:
        to_value, closing = to_value[:-1], closing[1:]
    region_start = first_key - len(opening)
    region_end = second_value + len(values[1]) + len(quote) + len(closing)
    region = one[region_start:region_end]
    body = one[:region_start] + PARAMS + one[region_end:]
    marked_one = _marked(body, calls, None)
    marked_two = ""
    if two:
        other = region
        for old, new in zip(VALUES[0], VALUES[1], strict=True):
            other = other.replace(old, new)
        if region not in two or other not in two:
            raise NoCalls("the arguments of a second call are written in another way")
        marked_two = _marked(two.replace(region, PARAMS).replace(other, PARAMS), calls, None)
    pieces = _divided(marked_one, marked_two)
    call = pieces.call.replace(PARAMS, "{params|sorted}" if is_sorted else "{params}")
    for mark, hole in HOLES.items():
        call = call.replace(mark, hole)
    attributed = _attribute(turns, to_value)
    fields = _fields(turns, pieces, call)
    fields["param"] = f"{opening}{{key}}{attributed}{{value}}{closing}"
    if between:
        fields["param_between"] = between
    is_python = re.search(r"\{name\}\s*\(\s*\{params", call) is not None and "=" in to_value
    if is_python and quote:
        double, single = ("python_double", "python_double_json_objects", "json"), ("python", "python_json_objects")
        return CallShape("python_calls", fields, (*double, *single) if quote == '"' else single)
    if not re.search(r"[<\[|\]✿]", str(fields["param"])):
        raise NoCalls(f"the arguments are neither JSON nor in tags: {one}")
    spellings = ("json", "compact") if quote else ("text", "string", "str", "cdata", "compact")
    return CallShape("xml_parameters", fields, spellings)


def _opens(text: str) -> bool:
    """Whether a text is empty or begins as a tag does."""
    return not text.strip() or text.lstrip()[0] in "<[|✿]" or text.lstrip()[0].isalpha()


def _attribute(turns: TemplateTurns, to_value: str) -> str:
    """What stands between a key and its value, with a hole for what depends on the value's type."""
    texts: dict[str, str] = {}
    for kind, value in (("integer", 73), ("boolean", True)):
        tools = [tool(NAMES[0], {KEYS[0]: kind})]
        try:
            turn = turns.turn([ToolCall(NAMES[0], {KEYS[0]: value}, turns.call_id(NAMES[0], 0))], tools)
        except ToolconvError:
            return to_value
        texts[kind] = turn.partition(KEYS[0])[2]
    for word, of_integer, of_boolean, hole in (
        ("string", "integer", "boolean", "type"),
        ("string", "number", "boolean", "type"),
        ("true", "false", "false", "is_text"),
    ):
        at = to_value.find(word)
        while at >= 0:
            before, after = to_value[:at], to_value[at + len(word) :]
            if texts["integer"].startswith(f"{before}{of_integer}{after}") and texts["boolean"].startswith(
                f"{before}{of_boolean}{after}"
            ):
                return f"{before}{{{hole}}}{after}"
            at = to_value.find(word, at + 1)
    return to_value


def with_value_spelling(shape: CallShape, spelling: str) -> CallShape:
    """The shape with a spelling of ``{value}``."""
    if spelling == "text":
        return shape
    param = str(shape.fields["param"]).replace("{value}", f"{{value|{spelling}}}")
    return replace(shape, fields={**shape.fields, "param": param})


def common_end(one: str, other: str) -> int:
    """How many characters two texts have in common at their ends."""
    return common_start(one[::-1], other[::-1])
