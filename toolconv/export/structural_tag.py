"""Structural tags: what makes an inference engine write only declared calls, in a dialect's own markup.

The format is xgrammar's, which vLLM and SGLang accept as ``response_format``: free text until a trigger, then one of
the tags, each ``begin``, arguments that fit a schema, ``end``. Arguments are JSON or in one of the parameter tags that
xgrammar knows. Like its grammars do, a tag asks for the arguments in the order in which the tool declares them.

The text around the arguments comes from the dialect's call template. A dialect without such tags, or whose calls begin
as its prose may, has no structural tag.

Source: xgrammar 0.2, ``xgrammar.structural_tag`` and the tags it has built in for models.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from toolconv.core.errors import ToolconvError
from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.base import Dialect
from toolconv.dialects.call_template import CallTemplate, Hole, Piece, pieces_of
from toolconv.schema.tools import Signature

PROBE: Final = "toolconv-probe"
COUNTED: Final = "\ufdd0"  # a noncharacter: no dialect writes it
_COUNTED = lazy_re(f"({COUNTED}+)")

STYLES: Final = {
    "<parameter={key}>{value}</parameter>": "qwen_xml",
    '<parameter name="{key}">{value}</parameter>': "minimax_xml",
    "]<]minimax[>[<{key}>{value}]<]minimax[>[</{key}>": "minimax_m3_xml",
    '<｜DSML｜parameter name="{key}" string="{is_text}">{value}</｜DSML｜parameter>': "deepseek_xml",
    '<｜DSML｜ parameter name="{key}" string="{is_text}">{value}</｜DSML｜ parameter>': "deepseek_v4_1_xml",
    "<arg_key>{key}</arg_key><arg_value>{value}</arg_value>": "glm_xml",
    '<|open|>argument key="{key}" type="{type}"<|sep|>{value}<|close|>argument<|sep|>': "kimi_k3_xml",
}
"""xgrammar's styles of arguments, by the line of one argument without its line breaks."""


class NoStructuralTag(ToolconvError, ValueError):
    """A dialect that no structural tag can force; the message says why."""


class CallFormat(NamedTuple):
    """The text around the arguments of a call.

    Attributes:
        begin, end: the text before and after; :data:`COUNTED` for each character of a counter or an id.
        style: xgrammar's name for the way in which the arguments are written.
    """

    begin: str
    end: str
    style: str


def structural_tag(dialect: Dialect, tools: Sequence[Signature]) -> dict[str, Any]:
    """The structural tag that lets a model write prose and, in a dialect, calls of some tools.

    Args:
        dialect: how calls are written.
        tools: the ways to call them, by name.

    Raises:
        NoStructuralTag: the dialect can't be forced.
    """
    template = dialect.calls
    if template is None:
        raise NoStructuralTag(f"no structural tag can force dialect {dialect.name!r}: it can only be read")
    opening, between = template.before.lstrip(), template.between
    wrapped = bool(opening)
    head = ""
    trigger = _trigger(dialect, template)
    if wrapped and not opening.startswith(trigger):  # a bare list: its first call's beginning is the trigger
        head = trigger.removeprefix(opening)
        opening, between = trigger, between + head
    tags = []
    for name, ways in groupby(tools, key=lambda tool: tool.name):
        call = call_format(dialect.name, template, name)
        begin = call.begin.removeprefix(head) if wrapped else call.begin.lstrip()
        tags.append(_tag(begin, [_schema(way, call.style) for way in ways], call.end))
    if wrapped:
        calls = {"type": "tags_with_separator", "tags": tags, "separator": between, "at_least_one": True}
        tags = [{"type": "tag", "begin": opening, "content": calls, "end": template.after}]
    return {"type": "structural_tag", "format": {"type": "triggered_tags", "triggers": [trigger], "tags": tags}}


def call_format(dialect: str, template: CallTemplate, name: str) -> CallFormat:
    """What a call template writes around the arguments of a call of the tool ``name``.

    Raises:
        NoStructuralTag: xgrammar has no style for its arguments.
    """
    pieces = template.pieces if not template.without_id else pieces_of(template.without_id)
    place = next(at for at, piece in enumerate(pieces) if isinstance(piece, Hole) and piece.word in ("args", "params"))
    counted = COUNTED * (template.id_length or 1)
    call_id = template.id.replace("{name}", name).replace("{index}", COUNTED) or counted
    fill = {"name": name, "id": call_id, "index": COUNTED}

    def filled(parts: Sequence[Piece]) -> str:
        texts = (
            part
            if isinstance(part, str)
            else template.spelling(part)(fill[part.word])
            if part.spellings
            else fill[part.word]
            for part in parts
        )
        return "".join(texts)

    style = style_of(template, pieces[place])
    if style is None:
        line = (template.param or template.call).strip()
        raise NoStructuralTag(
            f"no structural tag can force dialect {dialect!r}: its arguments are neither plain JSON nor in parameter "
            f"tags that xgrammar knows: {line!r}"
        )
    end = filled(pieces[place + 1 :])
    return CallFormat(filled(pieces[:place]), end if style == "json" else end.lstrip(), style)  # tags hold whitespace


def style_of(template: CallTemplate, hole: Piece) -> str | None:
    """Xgrammar's name for the way in which a template writes arguments; ``None`` if it has none."""
    assert isinstance(hole, Hole)
    if hole.word == "args":
        return None if {"delimited", "json"} & set(hole.spellings) else "json"
    line = re.sub(r"\{(\w+)\|[a-z_|]+\}", r"{\1}", template.param)
    return STYLES.get(line.replace("\n", ""))


def _trigger(dialect: Dialect, template: CallTemplate) -> str:
    """The shortest text that begins calls and nothing else.

    Raises:
        NoStructuralTag: there is none.
    """
    text = (template.before + call_format(dialect.name, template, PROBE).begin).lstrip()
    before_name = re.split(f"{PROBE}|{COUNTED}", text)[0]
    answer = dialect.render_turn("prose", "reasoning", ())
    markers = sorted((marker for marker in dialect.markers if before_name.startswith(marker)), key=len)
    for trigger in (*markers, before_name):
        if trigger.strip() and trigger not in answer:
            return trigger
    raise NoStructuralTag(
        f"no structural tag can force dialect {dialect.name!r}: its calls begin as its prose may: {text!r}"
    )


def _tag(begin: str, arguments: Sequence[dict[str, Any]], end: str) -> dict[str, Any]:
    """A tag around arguments of one schema of several."""
    content = arguments[0] if len(arguments) == 1 else {"type": "or", "elements": list(arguments)}
    begin, *before = _COUNTED.split(begin)
    *after, end = _COUNTED.split(end)
    if before or after:
        content = {"type": "sequence", "elements": [*map(_text, before), content, *map(_text, after)]}
    return {"type": "tag", "begin": begin, "content": content, "end": end}


def _text(text: str) -> dict[str, Any]:
    """A literal text; for a counter, any number; for an id of fixed length, any id of that length."""
    if not text.startswith(COUNTED):
        return {"type": "const_string", "value": text}
    return {"type": "regex", "pattern": r"\d+" if len(text) == 1 else f"[A-Za-z0-9]{{{len(text)}}}"}


def _schema(tool: Signature, style: str) -> dict[str, Any]:
    content = {"type": "json_schema", "json_schema": tool.arguments}
    return content if style == "json" else {**content, "style": style}
