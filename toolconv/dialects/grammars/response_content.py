"""The content of a response template's field: read as a value, and written as JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.calls import NotACall, read_text
from toolconv.dialects.values.by_schema import typed_as

SCALARS: Final = {"int": frozenset({"integer"}), "float": frozenset({"number"}), "bool": frozenset({"boolean"})}
"""Content that is one value, with the JSON type that it must have."""
PYTHON_CALLS: Final = "python-call-list"
CONTENTS: Final = ("text", "json", *SCALARS, "xml-inline", "kv-lines", PYTHON_CALLS)


def check_content(kind: Any, options: Any) -> None:
    """Check the ``content`` and the ``content_args`` of a field.

    Raises:
        ValueError: they say nothing that can be read.
    """
    if kind not in CONTENTS:
        raise ValueError(f"a response template with the unknown content {kind!r}: known are {', '.join(CONTENTS)}")
    if not isinstance(options, dict):
        raise ValueError("the options of a response template's content must be an object")
    pairs = options.get("string_delims", [])
    if not isinstance(pairs, list) or not all(map(_is_pair, pairs)):
        raise ValueError("the 'string_delims' of a response template must be pairs of texts")
    if kind == "xml-inline":
        try:
            groups = re.compile(options.get("tag_pattern", "")).groupindex
        except (re.error, TypeError) as error:
            raise ValueError(f"the 'tag_pattern' of a response template is not a valid pattern: {error}") from None
        if "key" not in groups:
            raise ValueError("the 'tag_pattern' of a response template needs a group 'key'")
    if kind in ("xml-inline", "kv-lines"):
        if not isinstance(options.get("value_parser", {}), dict):
            raise ValueError("the 'value_parser' of a response template must be an object")
        inner, arguments = _value_parser(options)
        if inner == PYTHON_CALLS:
            raise ValueError("the 'value_parser' of a response template can't read calls")
        check_content(inner, arguments)


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list) and [*map(type, pair)] == [str, str] and all(pair)


def _value_parser(options: dict[str, Any]) -> tuple[Any, Any]:
    """The content and the options of the values in tags or lines; without any, they are texts as they stand."""
    parser = options.get("value_parser", {"args": {"strip": False}})
    return parser.get("name", "text"), parser.get("args", {})


def _delimited(pairs: list[tuple[str, str]]) -> str:
    """The pattern of strings between delimiters; each pair has a group for what is between."""
    return "|".join(f"{re.escape(opens)}(.*?){re.escape(closes)}" for opens, closes in pairs)


def parsed(text: str, kind: str, options: dict[str, Any], repairs: list[str]) -> Any:
    """The value of a field's text.

    Raises:
        ValueError: it can't be read.
    """
    if kind == "json":
        return _json(text, options, repairs)
    if kind == "xml-inline":
        return _members(_tags(text, options), options, repairs)
    if kind == "kv-lines":
        return _members(_lines(text, options), options, repairs)
    if kind == "text":
        return text.strip() if options.get("strip", True) else text
    bare = text.strip()
    if kind == "bool":
        bare = {"1": "true", "0": "false"}.get(bare, bare)
    return typed_as(bare, SCALARS[kind], str, repairs)


def _json(text: str, options: dict[str, Any], repairs: list[str]) -> Any:
    made: list[str] = []
    try:
        value = read_text(with_quotes(text, options), made)
    except NotACall:
        if options.get("allow_non_json"):
            return text.strip()
        raise
    repairs += not_allowed(made, options)
    return value


def not_allowed(repairs: list[str], options: dict[str, Any]) -> list[str]:
    """The repairs of a JSON value without those that are right by the template's options."""
    return [name for name in repairs if name != "unquoted_key" or not options.get("unquoted_keys")]


def _members(pairs: Iterator[tuple[str, str]], options: dict[str, Any], repairs: list[str]) -> dict[str, Any]:
    """The values of tags or lines by their keys."""
    kind, inner = _value_parser(options)
    found: dict[str, list[Any]] = {}
    for key, text in pairs:
        found.setdefault(key, []).append(parsed(text, kind, inner, repairs))
    if options.get("merge_duplicates"):
        return {key: values if len(values) > 1 else values[0] for key, values in found.items()}
    repairs += ["duplicate_key" for values in found.values() for _ in values[1:]]
    return {key: values[-1] for key, values in found.items()}


def with_quotes(text: str, options: dict[str, Any]) -> str:
    """``text`` with delimited strings replaced by JSON strings."""
    pairs = options.get("string_delims")
    if not pairs:
        return text

    def quoted(match: re.Match[str]) -> str:
        return jsontext.compact(next(string for string in match.groups() if string is not None))

    return re.sub(_delimited(pairs), quoted, text, flags=re.DOTALL)


def _tags(text: str, options: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Keys and values of ``xml-inline`` content."""
    for match in re.finditer(options["tag_pattern"], text, re.DOTALL):
        if match["key"] is None:
            raise ValueError("a tag without a key")
        yield match["key"], match.groupdict().get("value") or ""


def between_tags(text: str, options: dict[str, Any]) -> str:
    """What is around the tags of ``xml-inline`` content."""
    return re.sub(options["tag_pattern"], "", text, flags=re.DOTALL)


def _lines(text: str, options: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Keys and values of ``kv-lines`` content."""
    strip: Callable[[str], str] = str.strip if options.get("strip", True) else str
    for line in text.split(options.get("line_sep", "\n")):
        key, separator, value = line.partition(options.get("kv_sep", ":"))
        if separator:
            yield strip(key), strip(value)


def spelled(value: Any, options: dict[str, Any]) -> str:
    """Content as JSON, with the template's delimiters and bare keys."""
    pairs, bare_keys = options.get("string_delims"), options.get("unquoted_keys")
    if not pairs and not bare_keys:
        return jsontext.spaced(value)
    if isinstance(value, str) and pairs:
        opens, closes = pairs[0]
        return f"{opens}{value}{closes}"
    if isinstance(value, dict):
        members = (
            f"{key if bare_keys and key.isidentifier() else spelled(key, options)}:{spelled(member, options)}"
            for key, member in value.items()
        )
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(spelled(item, options) for item in value) + "]"
    return jsontext.compact(value)
