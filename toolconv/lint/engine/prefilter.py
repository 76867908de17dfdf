"""Chooses the rules that check a row, by evaluating the guards of all enabled rules together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from toolconv.layouts.base import Layout
from toolconv.lint.engine.walk import Walker
from toolconv.lint.model.guards import AnyWord, Declaring, InLayouts, Words, any_word
from toolconv.lint.model.overview import Overview, Texts
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import Rule, ToolRule


class Prefilter:
    """Evaluates the guards of rules after one walk over each row.

    Args:
        rules: the enabled rules for rows and their parts, in the order of their codes.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules
        tests = [(rule.code, guard.test) for rule in rules for guard in rule.guards if isinstance(guard, Declaring)]
        self._walker = Walker([rule for rule in rules if isinstance(rule, ToolRule)], tests)
        self.load = self._walker.load
        self.walk = self._walker.walk
        self._unguarded = frozenset(rule.code for rule in rules if not rule.guards and not isinstance(rule, ToolRule))
        self._by_fact: dict[str, set[str]] = defaultdict(set)
        self._plans: dict[Layout, _Plan] = {}
        for rule in rules:
            for guard in rule.guards:
                if isinstance(guard, str):
                    self._by_fact[guard].add(rule.code)
        codes = self._unguarded | self._by_fact["unreadable"]
        self._for_unreadable = [rule for rule in rules if rule.code in codes]

    def concerned(self, row: LintRow) -> Sequence[Rule]:
        """The rules that may find something in a row, in order."""
        self.walk(row)
        return self.concerned_by(row)

    def concerned_by(self, row: LintRow) -> Sequence[Rule]:
        """The rules that may find something in a row after the walk over it."""
        overview = row.overview
        if overview is None:
            return self.rules if row.row is not None else self._for_unreadable
        codes = self._unguarded | overview.toolset.concerned
        for fact in overview.facts:
            codes |= self._by_fact[fact]
        functions, searches = self._plans.get(overview.layout) or self._plan(overview.layout)
        for guard, guarded in functions:
            if guard(overview):
                codes |= guarded
        for texts_of, words, search in searches:
            texts = texts_of(overview)
            if texts and words.is_in(texts[0] if len(texts) == 1 else "\n".join(texts)):
                codes |= search.codes(overview)
        return [rule for rule in self.rules if rule.code in codes] if codes else ()

    def _plan(self, layout: Layout) -> _Plan:
        """The guards to evaluate for rows of a layout: functions, and one search per list of texts.

        They are prepared for the first such row, since they need all dialects.
        """
        functions: dict[Callable[[Overview], bool], set[str]] = defaultdict(set)
        found: dict[Texts, _Search] = defaultdict(_Search)
        for rule in self.rules:
            for guard in type(rule).guards:
                if isinstance(guard, Words):
                    if guard.kind != "expected_prose" or not layout.calls_in_text:
                        kind: Texts = "assistant" if guard.kind in ("expected_prose", "prose") else guard.kind
                        found[kind].add(guard, rule.code)
                elif isinstance(guard, InLayouts):
                    if guard.includes(layout):
                        functions[guard.guard].add(rule.code)
                elif isinstance(guard, Declaring):
                    functions[partial(_declares, rule.code, guard)].add(rule.code)
                elif not isinstance(guard, str):
                    functions[guard].add(rule.code)
        plan = self._plans[layout] = _Plan(
            list(functions.items()),
            [(attrgetter(texts), search.any_word(), search) for texts, search in found.items()],
        )
        return plan


def _declares(code: str, guard: Declaring, overview: Overview) -> bool:
    """Whether a guard of a rule about declarations is true for a row."""
    return code in overview.toolset.hints and guard.guard(overview)


_TextsOf = Callable[[Overview], list[str]]


class _Plan(NamedTuple):
    """What is evaluated for the rows of a layout: functions, and searches for any word, each with what it is for."""

    functions: list[tuple[Callable[[Overview], bool], set[str]]]
    searches: list[tuple[_TextsOf, AnyWord, _Search]]


class _Search:
    """A search for the words of all guards that read one list of texts, or a part of it."""

    def __init__(self) -> None:
        self._codes: dict[Words, set[str]] = defaultdict(set)
        self._searches: list[tuple[_TextsOf, AnyWord, Words, set[str]]] | None = None

    def add(self, guard: Words, code: str) -> None:
        """Add a guard of a rule."""
        self._codes[guard].add(code)

    def any_word(self) -> AnyWord:
        """The words of all guards."""
        return any_word(frozenset[str]().union(*(guard.listed() for guard in self._codes)))

    def codes(self, overview: Overview) -> set[str]:
        """The codes of the rules whose guards are true."""
        if self._searches is None:
            self._searches = [
                (attrgetter(guard.kind), any_word(guard.listed()), guard, codes) for guard, codes in self._codes.items()
            ]
        found: set[str] = set()
        joined: dict[Texts, str] = {}
        for texts_of, words, guard, codes in self._searches:
            text = joined.get(guard.kind)
            if text is None:
                text = joined[guard.kind] = "\n".join(texts_of(overview))
            if text and words.is_in(text) and (guard.also is None or guard.also(overview)):
                found |= codes
        return found
