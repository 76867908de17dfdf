"""The pages of ``toolconv help NAME``: every name that the program prints or takes has at least one.

A name may be of several kinds (``mistral`` is a dialect and a trainer); each has a page.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from typing import Any, Final, NamedTuple

import click

from toolconv import dialects, layouts, templates, topics, trainers
from toolconv.cli import program
from toolconv.cli.page import module_text
from toolconv.core.errors import UnknownName, near_name
from toolconv.topics import names

WIDTH: Final = 100
"""The width of what is written here; texts from elsewhere have their own lines."""


KINDS: Final = {
    "repair": "repair",
    "change": "repair for a trainer",
    "loss": "loss",
    "effect": "loss in training",
    "removal": "loss for a trainer",
    "unread": "unread part of a row",
    "redacted": "kind of secret",
    "fact": "fact for select",
    "verdict": "verdict of score",
    "dropped": "reason of a dropped call",
}
"""What the kinds of names are called in headings."""

HAPPEN: Final = frozenset(KINDS) - {"redacted", "fact"}
"""The kinds whose names say that something happened."""


class Page(NamedTuple):
    """A page: the kind of thing that it is about, and its text."""

    kind: str
    text: str


def pages(name: str) -> list[Page]:
    """The pages of a name, or of a reason why a call was dropped, the most general first; empty if it is not known.

    An option without its dashes has pages if nothing else has the name.
    """
    spellings = (name.strip(), _plain(name), _first(name))
    return next((found for each in spellings if (found := list(_pages(each)) or list(_options(each)))), [])


def nearest(name: str) -> list[str]:
    """The known names that a wrong one is most like, the nearest first."""
    wrong = _plain(name)
    found: list[str] = []
    known = {_plain(each): each for each in all_names()}
    while len(found) < 3 and (near := near_name(wrong, known)) is not None:
        found.append(known.pop(near))
    return found


def all_names() -> Iterator[str]:
    """All names that have a page."""
    from toolconv.lint.engine.selection import all_rules

    yield from topics.NAMES
    yield from program.commands()
    for rule in all_rules().values():
        yield from (rule.code, rule.name)
    for known in (dialects.all_dialects(), templates.all_templates(), trainers.all_trainers()):
        for each in known:
            yield from (each.name, *each.aliases)
    for layout in map(layouts.get, layouts.names()):
        yield from (layout.name, *layout.aliases)
    yield from names.names()
    for command in program.commands():
        for option in program.options(command):
            yield from (*option.opts, *option.secondary_opts)
            yield from _choices(option)


def _plain(name: str) -> str:
    """A name as it is most often meant: in lower case, without quotes and a count after it."""
    return re.sub(r"\s+[\d,]+$", "", name.strip().strip("'\"`;:,.()").lower())


def _first(name: str) -> str:
    """The name in a phrase of the summary, such as ``1 repair (trailing_comma 1)``."""
    found = re.search(r"\(?\b([a-z]\w*_\w+)\b", name)
    return found[1] if found else name


def _pages(name: str) -> Iterator[Page]:
    if name in topics.NAMES:
        yield Page("topic", topics.plain(name).rstrip("\n"))
    if (command := program.commands().get(name)) is not None:
        yield Page("command", command.get_help(program.context(name)))
    for kind, find in FINDERS.items():
        try:
            yield Page(kind, find(name))
        except UnknownName:
            continue
    for meaning in names.meanings(name):
        yield Page(KINDS[meaning.kind], _meaning(meaning))
    if (kind := name.removesuffix("s")) in names.KINDS and name not in topics.NAMES:
        yield Page("list", _list(kind))
    yield from _rules(name)
    if " " in name and (reason := names.reason(name)) is not None:
        yield Page(KINDS[reason.kind], _meaning(reason))
    if "/" in name and (dialect := _dialect_of(name)) is not None:
        yield Page("model", f"{name} looks like a model; the dialect of its calls is {dialect}.")


def _page_of(kind: str, get: Callable[[str], Any], name: str) -> str:
    page: str = import_module(f"toolconv.cli.{kind}s").page(get(name))
    return page


FINDERS: Final = {
    kind: partial(_page_of, kind, registry.get)
    for kind, registry in (("dialect", dialects), ("layout", layouts), ("template", templates), ("trainer", trainers))
}
"""The page of a name of each kind; they raise ``UnknownName``."""


def _rules(name: str) -> Iterator[Page]:
    """The page of a rule, by code or name, or of a family of rules, such as ``TC1``."""
    from toolconv.cli.rules import page, summary
    from toolconv.lint.engine.selection import all_rules

    rules = all_rules().values()
    yield from (Page("rule", page(rule)) for rule in rules if name.lower() in (rule.code.lower(), rule.name))
    family = re.fullmatch(r"(TC\d)(?:XX)?", name.upper())
    if family and (members := [rule for rule in rules if rule.code.startswith(family[1])]):
        title = module_text(members[0].__module__).partition("\n")[0]
        lines = [f"{rule.code}  {rule.level:8} {rule.name:30} {summary(rule)}" for rule in members]
        yield Page("family of rules", "\n".join([title, "", *lines]))


def _options(name: str) -> Iterator[Page]:
    """The page of an option, or of a value that some options take, over all commands."""
    spelled = {name, f"--{name}"} if not name.startswith("-") else {name, name.partition("=")[0]}
    uses: dict[str, list[str]] = {}
    values: dict[str, list[str]] = {}
    for command, option, text in _all_options():
        if not spelled.isdisjoint((*option.opts, *option.secondary_opts)):
            uses.setdefault(text, []).append(command)
        elif name in _choices(option):
            values.setdefault(text, []).append(command)
    for kind, found in (("option", uses), ("value of an option", values)):
        if found:
            parts = [f"{text}\n\n    Of: {', '.join(commands)}" for text, commands in found.items()]
            yield Page(kind, "\n\n".join(parts))


@cache
def _all_options() -> list[tuple[str, click.Option, str]]:
    """All options that help shows: the command, the option, and its help."""
    found = []
    for command in program.commands():
        context = program.context(command)
        for option in program.options(command):
            if (record := option.get_help_record(context)) is not None:
                text = textwrap.indent(textwrap.fill(record[1], WIDTH - 4), "    ")
                found.append((command, option, f"{record[0]}\n{text}"))
    return found


def _choices(option: click.Option) -> tuple[str, ...]:
    return tuple(map(str, option.type.choices)) if isinstance(option.type, click.Choice) else ()


def _meaning(meaning: names.Meaning) -> str:
    """The page of a name that a run prints. An example is not indented, so that it can be copied."""
    what = f"What happened: {meaning.what}" if meaning.kind in HAPPEN else meaning.what
    parts = [meaning.name + "\n" + textwrap.fill(f"{meaning.about[0].upper()}{meaning.about[1:]}.", WIDTH)]
    parts.append(textwrap.fill(what, WIDTH))
    if meaning.example:
        parts.append(f"Example:\n\n$ printf '%s' {shlex.quote(meaning.example)} | toolconv {meaning.run}")
    return "\n\n".join([*parts, textwrap.fill(f"What to do: {meaning.do}", WIDTH)])


def _list(kind: str) -> str:
    """All names of a kind, each with its meaning."""
    known = [name for name, kinds in names.names().items() if kind in kinds]
    found = [meaning for name in known for meaning in names.meanings(name) if meaning.kind == kind]
    about = f"{found[0].about[0].upper()}{found[0].about[1:]}:"
    indent = " " * 28
    lines = [textwrap.fill(f"{each.name:27} {each.what}", WIDTH, subsequent_indent=indent) for each in found]
    return "\n".join([textwrap.fill(about, WIDTH), "", *lines, "", f"'toolconv help NAME' explains a {kind}."])


def _dialect_of(model: str) -> str | None:
    from toolconv.dialects.models import dialect_name

    found = dialect_name(model)
    return None if found == "generic" else found
