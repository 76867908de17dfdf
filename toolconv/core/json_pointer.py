"""JSON pointers (RFC 6901): how they spell a path, and what a reference inside a schema leads to."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

_LONGEST_INDEX: Final = 6
"""How many digits the index of a list has at most."""


def escaped(step: str) -> str:
    """A key as a pointer spells it."""
    return step.replace("~", "~0").replace("/", "~1") if "~" in step or "/" in step else step


@lru_cache(maxsize=1024)
def pointer_to(path: tuple[str | int, ...]) -> str:
    """A path as a pointer: ``/filters/0/name``; ``""`` for the value itself. Cached: rows have the same ones."""
    return "".join("/" + escaped(str(step)) for step in path)


@lru_cache(maxsize=1024)
def steps_of(pointer: str) -> tuple[str, ...]:
    """The keys and indices of a pointer."""
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def target_of(root: Any, reference: str) -> Any:
    """What a ``$ref`` inside a schema leads to; ``None`` if that is nothing, or outside."""
    if reference != "#" and not reference.startswith("#/"):
        return None
    if "%" in reference:
        from urllib.parse import unquote

        reference = unquote(reference)
    found = root
    for step in steps_of(reference):
        if isinstance(found, list):
            is_index = step.isdecimal() and len(step) <= _LONGEST_INDEX and int(step) < len(found)
            found = found[int(step)] if is_index else None
        else:
            found = found.get(step) if isinstance(found, dict) else None
    return found
