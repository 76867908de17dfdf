"""Chooses the rules that check a row, by evaluating the guards of all enabled rules together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from operator import attrgetter
from typing import NamedTuple

from toolconv.layouts.base import Layout
from toolconv.lint.engine.walk import Walker
from toolconv.lint.model.guards import Declaring, InLayouts, Words, any_word, key_of
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
        for texts_of, search in searches:
            if (texts := texts_of(overview)) and (
                found := search.found_in(texts[0] if len(texts) == 1 else "\n".join(texts))
            ):
                codes |= search.codes(overview, texts, found)
        return [rule for rule in self.rules if rule.code in codes] if codes else ()

    def _plan(self, layout: Layout) -> _Plan:
        """The guards to evaluate for rows of a layout: functions, and one search per list of texts.

        They are prepared for the first such row, since they need all dialects.
        """
        functions: dict[Callable[[Overview], bool], set[str]] = defaultdict(set)
        found: dict[Texts, dict[Words, set[str]]] = defaultdict(lambda: defaultdict(set))
        for rule in self.rules:
            for guard in type(rule).guards:
                if isinstance(guard, Words):
                    if guard.kind != "expected_prose" or not layout.calls_in_text:
                        kind: Texts = "assistant" if guard.kind in ("expected_prose", "prose") else guard.kind
                        found[kind][guard].add(rule.code)
                elif isinstance(guard, InLayouts):
                    if guard.includes(layout):
                        functions[guard.guard].add(rule.code)
                elif isinstance(guard, Declaring):
                    functions[partial(_declares, rule.code, guard)].add(rule.code)
                elif not isinstance(guard, str):
                    functions[guard].add(rule.code)
        plan = self._plans[layout] = _Plan(
            list(functions.items()),
            [(attrgetter(kind), _search_of(guards)) for kind, guards in found.items()],
        )
        return plan


def _declares(code: str, guard: Declaring, overview: Overview) -> bool:
    """Whether a guard of a rule about declarations is true for a row."""
    return code in overview.toolset.hints and guard.guard(overview)


_TextsOf = Callable[[Overview], list[str]]


class _Plan(NamedTuple):
    """What is evaluated for the rows of a layout: functions, and the search in each kind of texts."""

    functions: list[tuple[Callable[[Overview], bool], set[str]]]
    searches: list[tuple[_TextsOf, _Search]]


def _search_of(guards: Mapping[Words, set[str]]) -> _Search:
    """The search for the words of guards, each with the codes of its rules: linters with the same ones share it."""
    return _search(tuple((guard, frozenset(codes), guard.listed()) for guard, codes in guards.items()))


@lru_cache(maxsize=32)
def _search(guards: tuple[tuple[Words, frozenset[str], frozenset[str]], ...]) -> _Search:
    return _Search(guards)


class _Search:
    """A search for the words of all guards that read one list of texts, or a part of it.

    Args:
        guards: the guards, with the codes of their rules and their words.
    """

    def __init__(self, guards: Iterable[tuple[Words, frozenset[str], frozenset[str]]]) -> None:
        self._codes = {guard: codes for guard, codes, _ in guards}
        self._guards: dict[str, list[Words]] = defaultdict(list)
        listed = {guard: words for guard, _, words in guards}
        for guard, words in listed.items():
            for key in {key_of(word) for word in words}:
                self._guards[key].append(guard)
        self.found_in = any_word(frozenset[str]().union(*listed.values())).found_in

    def codes(self, overview: Overview, texts: list[str], found: list[str]) -> set[str]:
        """The codes of the rules whose guards are true, of which the texts have some words."""
        codes: set[str] = set()
        asked: set[Words] = set()
        for key in found:
            for guard in self._guards[key]:
                if guard in asked:
                    continue
                own = getattr(overview, guard.kind)
                if own is texts or any(key in text for text in own):
                    asked.add(guard)
                    if guard.also is None or guard.also(overview):
                        codes |= self._codes[guard]
        return codes
