"""What to type instead of a name of the wrong kind: ``--to qwen3`` names a template, not a dialect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from toolconv import dialects, layouts, templates, trainers
from toolconv.core.errors import UnknownName
from toolconv.dialects.models import dialect_name

KINDS: Final[dict[str, tuple[Callable[[str], Any], str]]] = {
    "template": (templates.get, "--template {name} writes its texts, --from-template {name} reads them"),
    "layout": (layouts.get, "--to-layout {name} writes it, --from-layout {name} reads it"),
    "trainer": (trainers.get, "--trainer {name}"),
    "dialect": (dialects.get, "--to {name} writes it, --from {name} reads it"),
}
"""How to find a name of each kind, and the options that take it."""

FILES: Final = {"template": "--chat-template {name}", "dialect": "--dialect-file {name} defines dialects"}
"""The options that take a file instead of a name."""


def explained(error: UnknownName) -> str:
    """The message for a name that is not of the kind that an option takes, but perhaps of another kind."""
    if error.kind == "topic":
        return str(error)
    if error.kind in FILES and Path(error.name).is_file():
        return (
            f"unknown {error.kind} {error.name!r}: {error.name} is a file: {FILES[error.kind].format(name=error.name)}"
        )
    found = {kind: name for kind in KINDS if kind != error.kind and (name := _name(kind, error.name)) is not None}
    if found:
        what = " and ".join(f"a {kind}" for kind in found)
        hints = [f"{KINDS[kind][1].format(name=name)}" for kind, name in found.items()]
        if error.kind == "template" and (family := _family(error.name)):
            hints.append(f"templates of the family: {', '.join(family)}")
        return f"unknown {error.kind} {error.name!r}: {error.name} is {what}: {'; '.join(hints)}"
    is_model = error.near is None or "/" in error.name
    if is_model and error.kind in ("template", "target") and (near := _template_of(error.name)) is not None:
        return f"unknown {error.kind} {error.name!r}: the template of this family is {near}"
    if (dialect := dialect_name(error.name)) != "generic" and is_model:
        return (
            f"unknown {error.kind} {error.name!r}: {error.name} looks like a model, and the dialect it writes is "
            f"{dialect}; 'toolconv {error.kind}s' lists the {error.kind}s"
        )
    return str(error)


def _template_of(model: str) -> str | None:
    """The template whose name is a part of a model's name (``Qwen/Qwen3-8B``): the longest one."""
    name = model.rsplit("/", 1)[-1].lower().replace("_", "-")
    return max((known for known in templates.names() if name.startswith(known)), key=len, default=None)


def _family(name: str) -> list[str]:
    """The templates whose names begin with a name, whatever is between its letters and digits."""
    begin = _letters(name)
    return [known for known in templates.names() if _letters(known).startswith(begin)]


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


def _name(kind: str, name: str) -> str | None:
    try:
        return str(KINDS[kind][0](name).name)
    except UnknownName:
        return None
