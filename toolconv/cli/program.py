"""A description of the program for manual pages and completions: commands, options and their values."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final, NamedTuple, Protocol, TypeVar

import click

from toolconv import dialects, layouts, templates, topics, trainers
from toolconv.cli.group import cli
from toolconv.cli.lazy import NAMES
from toolconv.cli.options import Command, Kind
from toolconv.cli.page import module_text
from toolconv.lint.engine.selection import all_rules
from toolconv.topics import names

ROWS: Final = ("jsonl", "ndjson", "json", "gz", "zst", "parquet")
"""The endings of files with rows."""


class Value(NamedTuple):
    """A value of an option.

    Attributes:
        word: the value as typed.
        about: a short description.
        also: it is an alias or a prefix, and is offered only once a letter is typed.
    """

    word: str
    about: str = ""
    also: bool = False


class Values(NamedTuple):
    """The values of an option.

    Attributes:
        own: the values.
        other: keys of :data:`VALUES` with further values; ``files`` stands for any file.
    """

    own: list[Value]
    other: tuple[str, ...] = ()


def context(name: str = "") -> click.Context:
    """The click context for the help of a command; without a name, of the program."""
    top = cli.make_context("toolconv", [], resilient_parsing=True)
    return click.Context(commands()[name], info_name=name, parent=top) if name else top


@cache
def commands() -> dict[str, Command]:
    """The commands by name, in the order of the help."""
    found = {name: cli.get_command(click.Context(cli), name) for name in NAMES}
    return {name: command for name, command in found.items() if isinstance(command, Command)}


def options(command: str) -> list[click.Option]:
    """The options of a command, in the order of the help; ``""`` stands for the program."""
    here = context(command)
    return [param for param in here.command.get_params(here) if isinstance(param, click.Option)]


def flags(option: click.Option) -> list[str]:
    """The names of an option, the short one first."""
    return sorted(option.opts, key=len)


def arguments(command: str) -> list[click.Argument]:
    """The positional arguments of a command; if there are several, all are of one kind."""
    return [param for param in commands()[command].params if isinstance(param, click.Argument)]


def summary(command: str) -> str:
    """The first sentence of a command's help."""
    return first_sentence(commands()[command].help or "")


def offers(param: click.Parameter) -> str | list[str]:
    """What completion offers for a value: words, ``files``, ``rows``, a key of :data:`VALUES`; ``""`` for nothing."""
    if isinstance(param.type, click.Choice):
        return list(param.type.choices)
    return param.type.offers if isinstance(param.type, Kind) else ""


def plain(text: str) -> str:
    """The first line of a docstring, without markup."""
    return text.partition("\n")[0].replace("``", "").rstrip(".")


def first_sentence(text: str) -> str:
    """The first sentence or clause of a help text."""
    return re.split(r"(?<=[^.])\. |; |  \[", text.replace("\n", " "), maxsplit=1)[0].rstrip(".")


class _Aliased(Protocol):
    """Something with a name, and others that it is also known by."""

    @property
    def name(self) -> str: ...

    @property
    def aliases(self) -> Sequence[str]: ...


N = TypeVar("N", bound=_Aliased)


def _named(known: Sequence[N], about: Callable[[N], str]) -> Values:
    names = [Value(each.name, about(each)) for each in known]
    return Values(names + [Value(alias, f"= {each.name}", True) for each in known for alias in each.aliases])


def _layouts(*, written: bool) -> Values:
    known = [layout for layout in map(layouts.get, layouts.names()) if layout.writable or not written]
    return _named(known, lambda layout: plain(module_text(type(layout).__module__)))


def _rules() -> Values:
    rules = all_rules().values()
    codes = [Value(rule.code, rule.name) for rule in rules]
    return Values(codes + [Value(rule.name, f"= {rule.code}", True) for rule in rules])


def _rule_words() -> Values:
    families = sorted({code[:3] for code in all_rules()})
    prefixes = [Value(family, f"all of {family}xx", True) for family in families]
    return Values([Value("ALL", "all rules"), *prefixes], ("rules",))


def _names() -> Values:
    pages = [Value(name, topics.title(name)) for name in topics.NAMES]
    counted = [Value(name, f"a {kinds[0]}", True) for name, kinds in names.names().items() if name not in topics.NAMES]
    return Values(pages + counted, ("dialects", "layouts", "templates", "trainers", "rules"))


VALUES: Final[dict[str, Callable[[], Values]]] = {
    "dialects": lambda: _named(dialects.all_dialects(), lambda dialect: ", ".join(dialect.models)),
    "sources": lambda: Values([Value("auto", "look at the texts")], ("dialects", "files")),
    "layouts": lambda: _layouts(written=False),
    "writable_layouts": lambda: _layouts(written=True),
    "templates": lambda: _named(templates.all_templates(), lambda template: ", ".join(template.models)),
    "trainers": lambda: _named(trainers.all_trainers(), lambda trainer: plain(module_text(trainer.module))),
    "names": _names,
    "targets": lambda: Values([Value("openai", "OpenAI"), Value("anthropic", "Anthropic")], ("templates", "files")),
    "rules": _rules,
    "rule_words": _rule_words,
}
"""The lists of values for completion; several ``rule_words`` can be joined with commas."""
