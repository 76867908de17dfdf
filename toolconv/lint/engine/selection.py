"""The available rules, and which of them are enabled."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from toolconv.core.errors import ToolconvError, near_name
from toolconv.core.facts import Facts
from toolconv.core.lazy_re import lazy_re
from toolconv.core.plugins import plugins
from toolconv.lint import rules as home
from toolconv.lint.rule import Rule
from toolconv.lint.rules.tc0_failed import RuleFailed


class UnknownRule(ToolconvError, LookupError):
    """A code, prefix or name that no rule has; the message suggests the nearest."""

    def __str__(self) -> str:
        return str(self.args[0])


ENTRY_POINTS: Final = "toolconv.rules"
"""The group of entry points under which installed packages offer rules, each a class."""

_CODE = lazy_re(r"([A-Z]+)[0-9]{0,3}")


@lru_cache(maxsize=1)
def all_rules() -> dict[str, type[Rule]]:
    """The rules by code, in the order of the codes: every class with a code in the files of ``rules/``, and those that
    installed packages offer.

    Raises:
        ToolconvError: a package offers a rule whose code or name is taken, or something that is not a rule.
    """
    found: dict[str, type[Rule]] = {}
    for module in pkgutil.iter_modules(home.__path__):
        members = vars(importlib.import_module(f"{home.__name__}.{module.name}"))
        for item in list(members.values()):
            if isinstance(item, type) and issubclass(item, Rule) and "code" in vars(item):
                found[item.code] = item
    names = {rule.name for rule in found.values()}
    for rule, origin in plugins(ENTRY_POINTS):
        if not isinstance(rule, type) or not issubclass(rule, Rule) or not _CODE.fullmatch(rule.code):
            raise ToolconvError(f"{origin}: {rule!r} is not a rule with a code such as ACME101")
        if rule.code in found or rule.name in names:
            raise ToolconvError(f"{origin}: there is a rule {rule.code} or {rule.name!r} already")
        found[rule.code] = rule
        names.add(rule.name)
    return dict(sorted(found.items()))


def find(word: str) -> list[str]:
    """The codes of the rules that a code, a prefix of codes, a name or ``ALL`` selects.

    Raises:
        UnknownRule: it selects none.
    """
    rules = all_rules()
    code = word.strip().upper()
    if code == "ALL":
        return list(rules)
    by_name = [rule.code for rule in rules.values() if rule.name == word.strip().lower().replace("_", "-")]
    if by_name:
        return by_name
    found = [each for each in rules if each.startswith(code)] if _is_prefix(code) else []
    if not found:
        raise UnknownRule(f"unknown rule {word!r}{_nearest(word)}; 'toolconv rules' lists all rules")
    return found


def _is_prefix(code: str) -> bool:
    """Whether a word is a code, or a prefix of codes that includes all their letters."""
    match = _CODE.fullmatch(code)
    return match is not None and any(_CODE.fullmatch(each)[1] == match[1] for each in all_rules())  # type: ignore[index]


def get(word: str) -> type[Rule]:
    """The rule of a code or name.

    Raises:
        UnknownRule: there is no such rule.
    """
    codes = find(word)
    if len(codes) != 1:
        raise UnknownRule(f"{word!r} is {len(codes)} rules: {', '.join(codes)}")
    return all_rules()[codes[0]]


def _nearest(word: str) -> str:
    rules = all_rules()
    code = word.strip().upper()
    if re.fullmatch(r"TC\w{1,4}", code) and rules:
        rule = rules[min(rules, key=lambda known: sum(a != b for a, b in zip(known, code.ljust(5), strict=False)))]
    else:
        names = {rule.name: rule for rule in rules.values()}
        near = near_name(word.strip().lower(), names, cutoff=0.5)
        if near is None:
            return ""
        rule = names[near]
    return f"; did you mean {rule.code} ({rule.name})?"


class Selection(Facts, kw_only=False):
    """The rules that one source (a file, the command line) selects.

    Attributes:
        select: only these; ``None`` to keep the previous selection.
        extend_select: also these.
        ignore: not these.
    """

    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    @property
    def named_words(self) -> tuple[str, ...]:
        """The words that turn rules on."""
        return (*(self.select or ()), *self.extend_select)


def named(words: Iterable[str]) -> frozenset[str]:
    """The codes of the rules that words name by themselves, by the whole code or the name; prefixes name none."""
    return frozenset(
        code
        for word in words
        for code, rule in all_rules().items()
        if word.strip().upper() == code or word.strip().lower().replace("_", "-") == rule.name
    )


def selected(selections: Iterable[Selection], *, preview: bool = False) -> list[str]:
    """The codes of the enabled rules, in order: the default ones, changed by each selection in turn.

    With ``preview``, the rules of the preview tier are default ones, too.

    Within one selection, the most specific word wins: ``--select TC101 --ignore TC1`` leaves TC101 enabled. A rule
    brings those that report what it can't check, and that it failed, unless they are ignored.

    Raises:
        UnknownRule: a word that selects no rule.
    """
    on = {code for code, rule in all_rules().items() if rule.default or (preview and rule.preview)}
    for selection in selections:
        if selection.select is not None:
            on = set()
        votes: dict[str, tuple[int, bool]] = {}
        words = [(word, True) for word in (*(selection.select or ()), *selection.extend_select)]
        words += [(word, False) for word in selection.ignore]
        for word, wanted in words:
            exactness = _exactness(word)
            for code in find(word):
                if (exactness, not wanted) >= (votes[code][0], not votes[code][1]) if code in votes else True:
                    votes[code] = exactness, wanted
        for code, (_, wanted) in votes.items():
            (on.add if wanted else on.discard)(code)
            if wanted:
                on.update(other for other in (*all_rules()[code].gaps, RuleFailed.code) if other not in votes)
    return sorted(on)


def _exactness(word: str) -> int:
    """How specific a word is: 0 for ``ALL``, more for longer prefixes, most for a name."""
    word = word.strip().upper()
    return 0 if word == "ALL" else len(word) if _is_prefix(word) else max(map(len, all_rules()))


def by_rule(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values given for codes, prefixes or names, by code; the most specific word wins.

    Raises:
        UnknownRule: a word that selects no rule.
    """
    words = sorted(values, key=_exactness)
    return {code: values[word] for word in words for code in find(word)}
