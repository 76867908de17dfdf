"""The registry of templates: one file of this folder per model family.

A family's file is named after it and holds ``TEMPLATE``, or ``TEMPLATES`` for models that differ by a fact or two. No
other registration is needed. Other packages add theirs through the entry point group ``toolconv.templates``, programs
through :func:`register`.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from dataclasses import replace
from functools import cache
from typing import ClassVar, Final

from toolconv.core.errors import UnknownName
from toolconv.core.plugins import plugins
from toolconv.templates.base import Template

ENTRY_POINTS: Final = "toolconv.templates"
_NOT_TEMPLATES: Final = {"base", "jinja", "originals", "output", "reading", "writer"}


class UnknownTemplate(UnknownName):
    """No template has the given name."""

    kind: ClassVar[str] = "template"


def register(template: Template) -> None:
    """Add a template under its name and its aliases. It replaces those that had them."""
    _by_name().update(dict.fromkeys((template.name, *template.aliases), template))


def get(name: str) -> Template:
    """The template with a name or an alias, in any case.

    Raises:
        UnknownTemplate: there is none.
    """
    templates = _by_name()
    found = templates.get(name.strip().lower())
    if found is None:
        near = difflib.get_close_matches(name.lower(), templates, n=1)
        raise UnknownTemplate(name, templates[near[0]].name if near else None, names())
    return found


def names() -> list[str]:
    """The names of all templates, without aliases, sorted."""
    return [template.name for template in all_templates()]


def all_templates() -> list[Template]:
    """All templates, by name."""
    return sorted(set(_by_name().values()), key=lambda template: template.name)


@cache
def _by_name() -> dict[str, Template]:
    found: dict[str, Template] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name not in _NOT_TEMPLATES:
            family = importlib.import_module(f"{__name__}.{module.name}")
            for template in getattr(family, "TEMPLATES", None) or (family.TEMPLATE,):
                named = replace(template, module=family.__name__)
                found.update(dict.fromkeys((template.name, *template.aliases), named))
    for plugin in plugins(ENTRY_POINTS):
        template = replace(plugin.value, module=plugin.module)
        found.update(dict.fromkeys((template.name, *template.aliases), template))
    return found
