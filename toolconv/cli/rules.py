"""``rules``: list the rules of the linter, or describe one."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import click

from toolconv.cli import listing
from toolconv.cli import options as cli
from toolconv.cli import page as pages

if TYPE_CHECKING:
    from toolconv.lint.rule import Rule


@cli.command(
    examples=(
        ("List all rules with level, default and fix", "toolconv rules"),
        ("Describe one rule", "toolconv rules TC101"),
        ("List them for a script", "toolconv rules --json"),
    ),
    see=("toolconv-rules(7)",),
)
@click.argument("rule", required=False, type=cli.RULE)
@listing.as_json
def rules(rule: str | None, as_json: bool) -> None:
    """List the lint rules, or describe RULE, given as a code or a name."""
    from toolconv.lint.engine.selection import all_rules, get

    def line(rule: type[Rule]) -> str:
        on = "on" if rule.default else "preview" if rule.preview else "--"
        return f"{rule.code}  {rule.level:8} {on:7} {rule.fix or '':7} {rule.name:30} {summary(rule)}"

    listing.show(rule, as_json, lambda: all_rules().values(), get, line, facts, page)


def facts(rule: type[Rule]) -> dict[str, Any]:
    """What ``--json`` says of a rule."""
    return {
        "code": rule.code,
        "name": rule.name,
        "level": rule.level,
        "default": rule.default,
        "fix": rule.fix,
        "options": dict(rule.options),
        "summary": summary(rule),
    }


def page(rule: type[Rule]) -> str:
    """A rule's page: facts and docstring."""
    facts = {
        "code": rule.code,
        "name": rule.name,
        "level": rule.level,
        "default": default_of(rule),
        "fix": {"safe": "--fix", "unsafe": "--fix --unsafe-fixes"}.get(rule.fix or "", ""),
        "options": ", ".join(f"{name} = {value!r}" for name, value in rule.options.items()),
    }
    return pages.page(facts.items(), inspect.getdoc(rule) or "")


def default_of(rule: type[Rule]) -> str:
    """Whether a rule is enabled by default, and the option that enables it."""
    if rule.default:
        return "on"
    return f"off ({'--preview or ' if rule.preview else ''}--extend-select {rule.code})"


def summary(rule: type[Rule]) -> str:
    """The first line of a rule's docstring."""
    return (inspect.getdoc(rule) or "").partition("\n")[0]
