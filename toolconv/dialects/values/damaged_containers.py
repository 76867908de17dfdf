"""Objects and lists that a model wrote as damaged JSON, in a code block or as a JSON text."""

from __future__ import annotations

from typing import Final

from toolconv.core import jsontext, lenient_json
from toolconv.core.inner_quotes import read_inner_quotes
from toolconv.core.lazy_re import lazy_re
from toolconv.core.one_slip import read_one_slip


def mended_container(text: str, kinds: tuple[type, ...]) -> lenient_json.LenientValue | None:
    """A container written as damaged JSON, with the repairs; ``None`` if it is whole, or can't be read.

    Args:
        text: a whole value.
        kinds: the types it may be of.
    """
    bare = text.strip()
    if bare[:1] in ("`", '"') or bare[1:2] == "\\":
        inner, repair = _unpacked(bare)
        if inner is None:
            return None
        try:
            value = jsontext.loads(inner)
        except ValueError:
            found = mended_container(inner, kinds)
            if found is not None:
                found.repairs.insert(0, repair)
            return found
        return lenient_json.LenientValue(value, len(bare), [repair]) if isinstance(value, kinds) else None
    if bare[:1] not in ("{", "["):
        return None
    for read in (lenient_json.read, _one_slip, read_inner_quotes):
        try:
            reading = read(bare)
        except lenient_json.Unreadable:
            continue
        if reading.end == len(bare):
            return reading if reading.repairs and isinstance(reading.value, kinds) else None
    return None


def _unpacked(text: str) -> tuple[str | None, str]:
    """The container in a code block, or in a JSON text with or without its quotes, and the repair; ``None`` if none."""
    if (block := _BLOCK.fullmatch(text)) is not None:
        return block[1].strip(), "markdown_fence"
    try:
        inner = jsontext.loads(text if text[0] == '"' else f'"{text}"')
    except ValueError:
        return None, ""
    return inner.strip() if isinstance(inner, str) and inner.strip()[:1] in ("{", "[") else None, "arguments_string"


_BLOCK: Final = lazy_re(r"```\w*[ \t]*\n([^`]*)```")


def _one_slip(text: str) -> lenient_json.LenientValue:
    return read_one_slip(text, lambda value: isinstance(value, dict | list))
