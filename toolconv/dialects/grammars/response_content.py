"""The content of a response template's field: read as a value, and written as JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from toolconv.core import jsontext, lenient_json
from toolconv.core.calls import NotACall, read_text


def string_delimiters(options: dict[str, Any]) -> list[tuple[str, str]]:
    """The pairs of delimiters that strings have instead of quotes."""
    pairs = options.get("string_delims")
    return [(pair[0], pair[1]) for pair in pairs] if isinstance(pairs, list) else []


def _number(text: str, kind: str) -> int | float:
    """The number in a text, as Python reads it.

    Raises:
        ValueError: the text isn't a number, or is one that JSON doesn't have.
    """
    try:
        value = int(text) if kind == "int" else float(text)
        keeps_kind = kind == "float" and not {".", "e", "E"}.isdisjoint(text)
        return lenient_json.number(text if keeps_kind else repr(value))
    except ValueError:
        raise ValueError(f"{text[:40]!r} is no {kind}") from None


def parsed(text: str, kind: str, options: dict[str, Any], repairs: list[str]) -> Any:
    """The value of a field's text.

    Raises:
        ValueError: it can't be read.
    """
    bare = text.strip()
    if kind == "json":
        try:
            return read_text(with_quotes(text, string_delimiters(options)), repairs)
        except NotACall:
            if options.get("allow_non_json"):
                return bare
            raise
        finally:
            if options.get("unquoted_keys") and "unquoted_key" in repairs:
                repairs.remove("unquoted_key")
    if kind in ("int", "float"):
        return _number(bare, kind)
    if kind == "bool":
        return bare.lower() in ("true", "1")
    if kind in ("xml-inline", "kv-lines"):
        pairs = tags(text, options) if kind == "xml-inline" else lines(text, options)
        result: dict[str, Any] = {}
        inner = options.get("value_parser")
        for key, value in pairs:
            if isinstance(inner, dict):
                value = parsed(value, str(inner.get("name", "text")), inner.get("args") or {}, repairs)
            if key in result and options.get("merge_duplicates"):
                before = result[key]
                result[key] = [*(before if isinstance(before, list) else [before]), value]
            else:
                result[key] = value
        return result
    return bare if options.get("strip", True) else text


def with_quotes(text: str, delimiters: list[tuple[str, str]]) -> str:
    """``text`` with delimited strings replaced by JSON strings."""
    if not delimiters:
        return text
    pattern = "|".join(f"{re.escape(opens)}(.*?){re.escape(closes)}" for opens, closes in delimiters)
    return re.sub(
        pattern, lambda match: jsontext.compact(next(s for s in match.groups() if s is not None)), text, flags=re.DOTALL
    )


def tags(text: str, options: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Keys and values of ``xml-inline`` content."""
    for match in re.finditer(str(options.get("tag_pattern")), text, re.DOTALL):
        groups = match.groupdict()
        if groups.get("key") is None:
            raise ValueError("a tag without a key")
        yield groups["key"], groups.get("value") or ""


def lines(text: str, options: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Keys and values of ``kv-lines`` content."""
    strip: Callable[[str], str] = str.strip if options.get("strip", True) else str
    for line in text.split(options.get("line_sep", "\n")):
        key, separator, value = line.partition(options.get("kv_sep", ":"))
        if separator and key.strip():
            yield strip(key), strip(value)


def spelled(value: Any, options: dict[str, Any]) -> str:
    """Content as JSON, with the template's delimiters and bare keys."""
    pairs = string_delimiters(options)
    if not pairs and not options.get("unquoted_keys"):
        return jsontext.spaced(value)
    opens, closes = pairs[0] if pairs else ('"', '"')
    if isinstance(value, str):
        return f"{opens}{value}{closes}" if pairs else jsontext.spaced(value)
    if isinstance(value, dict):
        members = (
            f"{key if options.get('unquoted_keys') and key.isidentifier() else spelled(key, options)}:"
            f"{spelled(member, options)}"
            for key, member in value.items()
        )
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(spelled(item, options) for item in value) + "]"
    return jsontext.compact(value)
