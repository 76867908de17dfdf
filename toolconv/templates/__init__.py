"""The registry of templates: one file of this folder per model family.

A family's file is named after it and holds ``TEMPLATE``, or ``TEMPLATES`` for models that differ by a fact or two. No
other registration is needed. Other packages add theirs through the entry point group ``toolconv.templates``, programs
through :func:`register`.
"""

from __future__ import annotations

from typing import ClassVar, Final

from toolconv.core.errors import UnknownName
from toolconv.core.registry import Registry
from toolconv.templates.base import Template

ENTRY_POINTS: Final = "toolconv.templates"


class UnknownTemplate(UnknownName):
    """No template has the given name."""

    kind: ClassVar[str] = "template"


_TEMPLATES: Final = Registry[Template](
    "template",
    __name__,
    __path__,
    shared=("base", "chat_view", "jinja", "originals", "output", "reading", "shapes", "writer"),
    group=ENTRY_POINTS,
    error=UnknownTemplate,
)

register = _TEMPLATES.register
get = _TEMPLATES.get
all_templates = _TEMPLATES.all


def names() -> list[str]:
    """The names of all templates, without aliases, sorted."""
    return [template.name for template in all_templates()]
