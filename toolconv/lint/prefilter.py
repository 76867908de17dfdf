"""Chooses the rules that check a row, by evaluating the guards of all enabled rules together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from operator import attrgetter

from toolconv.lint.guards import AnyWord, Words, any_word
from toolconv.lint.model.overview import Overview, Texts
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import Rule, ToolRule
from toolconv.lint.walk import Walker


class Prefilter:
    """Evaluates the guards of rules after one walk over each row.

    Args:
        rules: the enabled rules for rows and their parts, in the order of their codes.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules
        self._built: dict[bool, _Searches] = {}
        self._walker = Walker([rule for rule in rules if isinstance(rule, ToolRule)])
        self._unguarded = frozenset(rule.code for rule in rules if not rule.guards and not isinstance(rule, ToolRule))
        self._by_fact: dict[str, set[str]] = defaultdict(set)
        self._by_function: dict[Callable[[Overview], bool], set[str]] = defaultdict(set)
        for rule in rules:
            for guard in type(rule).guards:
                if isinstance(guard, str):
                    self._by_fact[guard].add(rule.code)
                elif not isinstance(guard, Words):
                    self._by_function[guard].add(rule.code)

    def concerned(self, row: LintRow) -> Sequence[Rule]:
        """The rules that may find something in a row, in order."""
        overview = self._walker.walk(row)
        if overview is None:
            return self.rules
        codes = overview.toolset.concerned | self._unguarded
        for fact in overview.facts:
            codes |= self._by_fact[fact]
        for guard, guarded in self._by_function.items():
            if guard(overview):
                codes |= guarded
        for texts_of, words, search in self._searches(calls_in_text=overview.layout.calls_in_text):
            texts = texts_of(overview)
            if texts and words.is_in(texts[0] if len(texts) == 1 else "\n".join(texts)):
                codes |= search.codes(overview)
        return [rule for rule in self.rules if rule.code in codes] if codes else ()

    def _searches(self, *, calls_in_text: bool) -> _Searches:
        """The searches for words, for layouts with calls as structure or for those with calls in texts.

        They are built for the first such row, since they need all dialects.
        """
        found = self._built.get(calls_in_text)
        if found is None:
            found = self._built[calls_in_text] = self._searches_for(calls_in_text=calls_in_text)
        return found

    def _searches_for(self, *, calls_in_text: bool) -> _Searches:
        """One search per list of texts: the list, a search for any word, and a search per guard."""
        found: dict[Texts, _Search] = defaultdict(_Search)
        for rule in self.rules:
            for guard in type(rule).guards:
                if isinstance(guard, Words) and not (guard.kind == "expected_prose" and calls_in_text):
                    found["assistant" if guard.kind in ("expected_prose", "prose") else guard.kind].add(
                        guard, rule.code
                    )
        return [(attrgetter(texts), search.any_word(), search) for texts, search in found.items()]


_TextsOf = Callable[[Overview], list[str]]
_Searches = list[tuple[_TextsOf, AnyWord, "_Search"]]


class _Search:
    """A search for the words of all guards that read one list of texts, or a part of it."""

    def __init__(self) -> None:
        self._guards: dict[Words, tuple[_TextsOf, AnyWord, set[str]]] = {}

    def add(self, guard: Words, code: str) -> None:
        """Add a guard of a rule."""
        _, _, codes = self._guards.setdefault(guard, (attrgetter(guard.kind), any_word(guard.listed()), set()))
        codes.add(code)

    def any_word(self) -> AnyWord:
        """The words of all guards."""
        return any_word(frozenset[str]().union(*(guard.listed() for guard in self._guards)))

    def codes(self, overview: Overview) -> set[str]:
        """The codes of the rules whose guards are true."""
        found: set[str] = set()
        joined: dict[Texts, str] = {}
        for guard, (texts_of, words, codes) in self._guards.items():
            text = joined.get(guard.kind)
            if text is None:
                text = joined[guard.kind] = "\n".join(texts_of(overview))
            if text and words.is_in(text) and (guard.also is None or guard.also(overview)):
                found |= codes
        return found
