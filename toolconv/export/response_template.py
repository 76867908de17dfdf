"""Transformers' ``response_template`` of a dialect, with which ``tokenizer.parse_response`` reads its turns.

A response template has a field for the calls: what opens and closes a call, and how the text between becomes its name
and arguments. So a call must begin with a marker, and hold JSON or one element for each argument. Values in elements
are texts, which Transformers casts by the schemas of the tools that it is given.

Source: Transformers' guide to response parsing; ``transformers.utils.chat_parsing`` 5.23.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from toolconv.core.errors import ToolconvError
from toolconv.dialects.base import Dialect
from toolconv.dialects.call_readers.base import SLOT
from toolconv.dialects.call_readers.json_calls import header_pattern, json_object
from toolconv.dialects.call_template import CallTemplate, Hole, Piece

NAME: Final = r"[A-Za-z_][\w.\-]*"
KEY: Final = r"[^<>\"'=\s]+?"
FUNCTION: Final = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
TYPED_TEXTS: Final = {("text",), ("string",)}
"""Spellings of values that Transformers' casts read."""


class NoResponseTemplate(ToolconvError, ValueError):
    """A dialect that no response template describes; the message says why."""


def response_template(dialect: Dialect, anchor: str, ends: Sequence[str]) -> dict[str, Any]:
    """The response template of a dialect.

    Args:
        dialect: how calls and reasoning are written.
        anchor: the text that opens an assistant turn.
        ends: the tokens that end a turn.

    Raises:
        NoResponseTemplate: there is none.
    """
    template = dialect.calls
    if template is None:
        raise NoResponseTemplate(f"no response template can describe {dialect.name!r}: it can only be read")
    if template.turn or template.turn_without_calls != "{prose}":
        raise _impossible(dialect, "it marks prose")
    fields: dict[str, Any] = {}
    mark = dialect.reasoning
    if mark.open.strip() and mark.close.strip():
        fields["reasoning_content"] = {"open": mark.open.strip(), "close": mark.close.strip(), "content": "text"}
    fields["tool_calls"] = _calls(dialect, template, ends)
    closing = list(dict.fromkeys(ends))
    fields["content"] = {"content": "text", "repeats": True, "join": "", **({"close": closing} if closing else {})}
    return {"version": 1, "start_anchor": anchor, "defaults": {"role": "assistant"}, "fields": fields}


def _calls(dialect: Dialect, template: CallTemplate, ends: Sequence[str]) -> dict[str, Any]:
    """The field of calls."""
    spelled = {name for hole in _holes(template) for name in hole.spellings if name in template.spellings}
    if spelled:
        raise _impossible(dialect, f"it spells values in its own way ({', '.join(sorted(spelled))})")
    found = json_object(template.call)
    if found is not None:
        return _objects(dialect, template, *found, ends)
    if template.param:
        return _elements(dialect, template, ends)
    return _named_json(dialect, template, ends)


def _objects(
    dialect: Dialect, template: CallTemplate, before: str, shape: Any, after: str, ends: Sequence[str]
) -> dict[str, Any]:
    """The field of calls that are JSON objects, each between markers, or in one list between markers."""
    paths = {word: _path(shape, word) for word in ("name", "args", "id")}
    if paths["name"] is None or paths["args"] is None:
        raise _impossible(dialect, "its objects have the tool's name as a key, or arguments as text")
    is_list = template.before.rstrip().endswith("[") and template.between.strip() == ","
    prefix = "" if is_list else "content."
    filled = {word: f"{{{prefix}{path}}}" for word, path in paths.items() if path is not None}
    transform: dict[str, Any] = {
        "type": "function",
        "function": {"name": filled["name"], "arguments": filled["args"]},
    }
    if "id" in filled and not template.without_id:
        transform = {"id": filled["id"], **transform}
    if is_list:
        opening = template.before.rstrip().removesuffix("[")
        closing = template.after.lstrip().removeprefix("]")
        field = {"content": "json", "transform_each": True, "transform": transform}
        return {**_markers(dialect, opening, closing, "", ends), **field}
    field = {"content": "json", "transform": transform, "repeats": True}
    return {**_region(dialect, template, before, after, ends), **field}


def _named_json(dialect: Dialect, template: CallTemplate, ends: Sequence[str]) -> dict[str, Any]:
    """The field of calls that are a name, then the arguments as JSON."""
    start, *header, before_args, args, tail = template.pieces
    options = _json_options(dialect, template, args)
    pattern = header_pattern([*header, before_args], template.id, NAME, _literal) + r"(?=\{)"
    transform = {"id": "{id}", **FUNCTION} if "(?P<id>" in pattern else FUNCTION
    field = {"content": "json", **options, "transform": transform, "repeats": True}
    return {**_region(dialect, template, str(start), str(tail), ends, pattern), **field}


def _json_options(dialect: Dialect, template: CallTemplate, args: Piece) -> dict[str, Any]:
    """The options of the JSON parser."""
    assert isinstance(args, Hole)
    if "json" in args.spellings[1:] or args.spellings == ("json",):
        raise _impossible(dialect, "its arguments are JSON text in JSON")
    if "delimited" not in args.spellings:
        return {}
    if template.null != "null":
        raise _impossible(dialect, f"it writes {template.null!r} for null")
    delimiters = [[template.delimiter, template.delimiter]]
    return {"content_args": {"unquoted_keys": True, "string_delims": delimiters}}


def _elements(dialect: Dialect, template: CallTemplate, ends: Sequence[str]) -> dict[str, Any]:
    """The field of calls that are a name, then an element for each argument."""
    start, *header, before_params, params, tail = template.pieces
    assert isinstance(params, Hole)
    spelling = template.spells("value")
    if spelling not in TYPED_TEXTS and spelling not in {("json",), ("spaced",), ("compact",)}:
        raise _impossible(dialect, f"its values are spelled as {'|'.join(spelling)}")
    line = template.param_pieces
    if not str(line[0]).strip() or not str(line[-1]).strip():
        raise _impossible(dialect, "its arguments have no markers on both sides")
    pattern = "".join(_element_part(piece) for piece in line).strip()
    options: dict[str, Any] = {"tag_pattern": re.sub(r"^(?:\\s\*)+|(?:\\s\*)+$", "", pattern)}
    if spelling not in TYPED_TEXTS:
        options["value_parser"] = {"name": "json"}
    opening = header_pattern([*header, str(before_params).rstrip()], template.id, NAME, _literal)
    field = {"content": "xml-inline", "content_args": options, "transform": FUNCTION, "repeats": True}
    return {**_region(dialect, template, str(start), str(tail), ends, opening), **field}


def _element_part(piece: Piece) -> str:
    if isinstance(piece, str):
        return _literal(piece)
    groups = {"key": rf"(?P<key>{KEY})", "value": "(?P<value>.*?)"}
    return groups.pop(piece.word, r"[\w]+")


def _region(
    dialect: Dialect, template: CallTemplate, before: str, after: str, ends: Sequence[str], header: str = ""
) -> dict[str, Any]:
    """What opens and closes the region of one call; what stands around all calls belongs to the first and the last.

    Args:
        dialect: names the dialect in errors.
        template: what the dialect writes.
        before, after: the literals around a call.
        ends: the tokens that end a turn.
        header: the pattern of what follows ``before`` and belongs to the opener.
    """
    around = template.before.strip(), template.after.strip()
    if not (around[0] or around[1] or header):
        return _markers(dialect, before, after, _next(template, before), ends)
    opening = rf"(?:{_literal(around[0])}\s*)?" if around[0] else ""
    opening += _literal(before.lstrip() if header else before.strip()) + header
    if not (before.strip() or around[0]):
        raise _impossible(dialect, "nothing marks where a call begins")
    if not before.strip() and not header:
        raise _impossible(dialect, "nothing marks where a second call begins")
    closing = _literal(after.strip()) if after.strip() else _open_end(_next(template, before), ends)
    if around[1]:
        closing = rf"(?:{closing})(?:\s*{_literal(around[1])})?"
    return {"open_pattern": opening, "close_pattern": closing}


def _markers(dialect: Dialect, opening: str, closing: str, following: str, ends: Sequence[str]) -> dict[str, Any]:
    """Markers that are literals."""
    if not opening.strip():
        raise _impossible(dialect, "nothing marks where a call begins")
    if closing.strip():
        return {"open": opening.strip(), "close": closing.strip()}
    return {"open": opening.strip(), "close_pattern": _open_end(following, ends)}


def _open_end(following: str, ends: Sequence[str]) -> str:
    """The pattern of what ends a call without a closing marker: the next call, or the end of the turn."""
    return "|".join([*([following] if following else []), *(f"(?={_literal(end)})" for end in ends), r"\Z"])


def _next(template: CallTemplate, before: str) -> str:
    """The pattern of what precedes the next call, for calls without a closing marker."""
    marker = (template.between + before).strip()
    return f"(?={_literal(marker)})" if marker else ""


def _path(shape: Any, word: str) -> str | None:
    """The dotted path of a hole in the object of a call; ``None`` if there is none, or it isn't filled with a value."""
    if not isinstance(shape, dict):
        return None
    for key, value in shape.items():
        if key.startswith(SLOT):
            return None
        if isinstance(value, str) and value.startswith(f"{SLOT}{word}"):
            return None if word == "args" and value.endswith("|json") else key
        if (inner := _path(value, word)) is not None:
            return f"{key}.{inner}"
    return None


def _holes(template: CallTemplate) -> Iterable[Hole]:
    return (piece for piece in (*template.pieces, *template.param_pieces) if isinstance(piece, Hole))


def _literal(text: str) -> str:
    """The pattern of a literal, with any white space where it has some."""
    return "".join(r"\s*" if part.isspace() else re.escape(part) for part in re.findall(r"\s+|\S+", text))


def _impossible(dialect: Dialect, why: str) -> NoResponseTemplate:
    return NoResponseTemplate(f"no response template can describe {dialect.name!r}: {why}")
