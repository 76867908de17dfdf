"""What the names mean that a run prints: repairs, losses, unread parts, replaced secrets, reasons of dropped calls.

The texts are in ``names.toml``. Losses of dialects and of schemas for an API, effects of trainers and kinds of secrets
are described where they are defined; their examples, and what to do, are in the file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

KINDS: Final = ("repair", "change", "loss", "effect", "removal", "unread", "redacted", "fact", "verdict")
"""The kinds of names, in the order in which the pages of one name are shown."""


class Meaning(NamedTuple):
    """What a name means.

    Attributes:
        name: the name, or the reason why a call was dropped.
        kind: one of :data:`KINDS`, or ``dropped``.
        about: what that kind is, as the rest of a sentence.
        what: what happened.
        do: what to do about it.
        example: what ``toolconv`` reads so that it prints the name; empty if there is none.
        run: the command that reads it.
    """

    name: str
    kind: str
    about: str
    what: str
    do: str
    example: str = ""
    run: str = "parse"


def names() -> dict[str, list[str]]:
    """The kinds of each name that has a meaning."""
    found: dict[str, list[str]] = {}
    for kind in KINDS:
        for name in _entries(kind):
            found.setdefault(name, []).append(kind)
    return found


def meanings(name: str) -> Iterator[Meaning]:
    """The meanings of a name, one for each kind that it is of; none if it is not known."""
    for kind in names().get(name, ()):
        yield _meaning(name, kind, _entries(kind)[name])


def reason(text: str) -> Meaning | None:
    """The meaning of a reason why a call was dropped, as a run prints it; ``None`` if no reason is like it."""
    for entry in _file()["dropped"]:
        if re.search(entry["reason"], text):
            return _meaning(text, "dropped", entry)
    return None


def _meaning(name: str, kind: str, entry: Mapping[str, str]) -> Meaning:
    of_all = _file()["kind"][entry.get("of", kind)]
    rest = entry.get("example", ""), entry.get("run", "parse")
    return Meaning(name, kind, of_all["is"], entry["what"], entry.get("do", of_all["do"]), *rest)


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads(files("toolconv.topics").joinpath("names.toml").read_text(encoding="utf-8"))


@cache
def _entries(kind: str) -> dict[str, dict[str, str]]:
    """The entries of a kind: those of the file, and what is described elsewhere."""
    found = dict(_file().get(kind, {}))
    for name, what in _described(kind).items():
        found[name] = {"what": f"{what[0].upper()}{what[1:]}.", **found.get(name, {})}
    return found


def _described(kind: str) -> Mapping[str, str]:
    """The meanings of the names of a kind that are not in the file."""
    if kind == "loss":
        from toolconv.dialects.losses import LOSSES
        from toolconv.trainers.tools_for import CHANGES

        return {**LOSSES, **CHANGES}
    if kind == "effect":
        from toolconv.trainers.base import EFFECTS

        return {name: meaning for name, (_, meaning) in EFFECTS.items()}
    if kind == "removal":
        from toolconv.trainers.base import REMOVALS

        return REMOVALS
    if kind == "redacted":
        from toolconv.convert.secrets import PREFIXED

        return {rule.kind: f"a text that begins like one, such as with {rule.prefixes[0]}" for rule in PREFIXED}
    return {}
