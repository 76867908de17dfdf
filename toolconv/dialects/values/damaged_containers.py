"""Objects and lists that a model wrote as damaged JSON."""

from __future__ import annotations

from toolconv.core import lenient_json
from toolconv.core.inner_quotes import read_inner_quotes
from toolconv.core.one_slip import read_one_slip


def mended_container(text: str, kinds: tuple[type, ...]) -> lenient_json.LenientValue | None:
    """A container written as damaged JSON, with the repairs; ``None`` if it is of another type, or can't be read.

    Args:
        text: a value that is no container of these types as it stands.
        kinds: the types it may be of.
    """
    bare = text.strip()
    if bare[:1] not in ("{", "["):
        return None
    for read in (lenient_json.read, _one_slip, read_inner_quotes):
        try:
            reading = read(bare)
        except lenient_json.Unreadable:
            continue
        if reading.end == len(bare):
            return reading if isinstance(reading.value, kinds) else None
    return None


def _one_slip(text: str) -> lenient_json.LenientValue:
    return read_one_slip(text, lambda value: isinstance(value, dict | list))
