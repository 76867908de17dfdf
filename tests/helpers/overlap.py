"""Whether matching a regular expression can take more than linear time, found from its text alone.

Python's engine tries every way in which a text can match before it gives up. The number of ways grows with the text in
three cases, which the literature (Weber & Seidl 1991; Weideman et al. 2016; the tool recheck) calls ambiguity:

- a repetition can read the same text in two ways, as in ``(a+)+b``: exponential;
- two repetitions that follow each other can share a text in many ways, as in ``a*a*b``: quadratic;
- a search begins at every character, and each beginning reads on to the end, as in ``a+b``: quadratic. A search is a
  match with ``.*`` before it, so this is the second case.

The pattern becomes an automaton: one state for each of its characters, in Glushkov's construction. The product of the
automaton with itself says whether one text leads from a state back to itself in two ways (the first case), or from one
loop to itself, from there to a later loop, and from that to itself (the second). What can't be taken back, possessive
repetitions and atomic groups, is checked by itself and has one way outside. A way that can't fail counts for nothing.
"""

from __future__ import annotations

import re
import re._constants as sre
import re._parser as parser
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from itertools import product
from typing import Any, NamedTuple

BOUNDED = 300
"""A repetition with at most so many turns takes a constant factor; one with more counts as if it had no end."""
COPIES = 2
"""How many turns of a bounded repetition the automaton has."""
PROBES = "azAZ059_ \n\r\t\v\x00\x1f\x7f\x85\u00a0é中¼'\"`<>[]{}()|:;,.!?-+*/\\=&#@$%^~\ud800\ufeff\u2028"
"""One character of each kind that classes tell apart."""

Edge = tuple[int, frozenset[str], frozenset[str]]
"""A following state, the characters that may come before it, and those that may follow."""


Sides = list[tuple[frozenset[str], frozenset[str]]]
"""What may stand before and after a place, in one of several ways."""


class Fragment(NamedTuple):
    """A part of a pattern: the states it may begin and end with, and whether it may be empty.

    A state stands with what must precede and follow it where the part begins or ends.
    """

    first: list[Edge]
    last: list[Edge]
    empty: bool


def _both(sides: Sides, others: Sides) -> Sides:
    """What meets two conditions."""
    return [(before & left, after & right) for before, after in sides for left, right in others]


def _after(edges: list[Edge], sides: Sides) -> list[Edge]:
    """Edges to the states that follow a place with conditions."""
    return [(state, *side) for state, *own in edges for side in _both([(own[0], own[1])], sides)]


class Automaton:
    """The automaton of one pattern.

    Args:
        tree: the parsed pattern.
        flags: its flags.
        search: whether a match may begin anywhere.
        whole: whether it must reach the end of the text.
    """

    def __init__(
        self, tree: Any, flags: int, *, search: bool, whole: bool, groups: dict[int, Any] | None = None
    ) -> None:
        self.flags = flags
        self.alphabet = frozenset(PROBES) | frozenset(_characters(tree))
        self.reads: list[frozenset[str]] = []
        self.committed: list[int] = []
        self.edges: dict[int, list[Edge]] = defaultdict(list)
        self.parts: list[Any] = []
        self.scans: set[int] = set()  # states of lookaheads, which cost time even where they match
        self.groups = {} if groups is None else groups
        self.depth = 0
        self.known: dict[tuple[int, str, str], list[int]] = {}
        anywhere = [(self._state(self.alphabet), self.alphabet, self.alphabet)] if search else []
        body = self._sequence(tree)
        self._join(anywhere, [*anywhere, *body.first])
        self.free = set() if whole else {state for state, _, after in body.last if after == self.alphabet}

    # Building

    def _state(self, characters: frozenset[str]) -> int:
        self.reads.append(characters)
        self.committed.append(self.depth)
        return len(self.reads) - 1

    def _join(self, last: list[Edge], first: list[Edge]) -> None:
        for state, before, after in last:
            self.edges[state] += _after(first, [(before, after)])

    def _sequence(self, items: Iterable[Any]) -> Fragment:
        anywhere = [(self.alphabet, self.alphabet)]
        first: list[Edge] = []
        last: list[Edge] = []
        empty = True
        sides = anywhere  # what conditions at the beginning demand before and after it
        for op, argument in items:
            condition = self._condition(op, argument)
            if condition is not None:
                if empty:
                    sides = _both(sides, condition)
                last = [(state, *side) for state, before, after in last for side in _both([(before, after)], condition)]
                if op in (sre.ASSERT, sre.ASSERT_NOT) and argument[0] > 0:
                    self._look_ahead(argument[1], last, first, sides if empty else [])
                continue
            part = self._part(op, argument)
            self._join(last, part.first)
            first += _after(part.first, sides if empty else [])
            last = [*part.last, *(last if part.empty else [])]
            empty = empty and part.empty
        return Fragment(first, last, empty)

    def _look_ahead(self, tree: Any, last: list[Edge], first: list[Edge], sides: Sides) -> None:
        """A lookahead is a way that ends in nothing; and what it reads, a match reads again."""
        begun = len(self.reads)
        part = self._once(tree)
        self.scans.update(range(begun, len(self.reads)))
        self._join(last, part.first)
        first += _after(part.first, sides)

    def _condition(self, op: Any, argument: Any) -> Sides | None:
        """What may stand before and after a place where a condition holds; ``None`` for what reads characters."""
        everything, nothing = self.alphabet, frozenset[str]()
        if op is sre.AT:
            line = frozenset("\n")
            if argument in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING):
                lines = self.flags & re.MULTILINE and argument is sre.AT_BEGINNING
                return [(line if lines else nothing, everything)]
            if argument in (sre.AT_END, sre.AT_END_STRING):
                return [(everything, line if argument is sre.AT_END else nothing)]
            word = frozenset(char for char in everything if re.match(r"\w", char, self.flags & re.ASCII))
            other = everything - word
            return [(word, other), (other, word)] if argument is sre.AT_BOUNDARY else [(word, word), (other, other)]
        if op in (sre.ASSERT, sre.ASSERT_NOT):
            direction, tree = argument
            single = self._single(tree)
            if single is None:
                return [(everything, everything)]
            allowed = single if op is sre.ASSERT else everything - single
            return [(everything, allowed) if direction > 0 else (allowed, everything)]
        return None

    def _single(self, tree: Any) -> frozenset[str] | None:
        """The characters of a lookaround, if it is about one character."""
        items = list(tree)
        if len(items) != 1:
            return None
        op, argument = items[0]
        if op is sre.SUBPATTERN:
            return self._single(argument[3])
        if op is sre.BRANCH:
            parts = [self._single(part) for part in argument[1]]
            return None if None in parts else frozenset().union(*(part for part in parts if part is not None))
        return self._class(op, argument)

    def _class(self, op: Any, argument: Any) -> frozenset[str] | None:
        """The characters that one element reads; ``None`` for what is no single character."""
        if op is sre.ANY:
            return self.alphabet if self.flags & re.DOTALL else self.alphabet - {"\n"}
        if op in (sre.LITERAL, sre.NOT_LITERAL):
            same = self._folded({chr(argument)})
            return same if op is sre.LITERAL else self.alphabet - same
        if op is sre.IN:
            negated = argument[0][0] is sre.NEGATE
            found = self._folded(
                char for char in self.alphabet if any(_holds(item, char, self.flags) for item in argument)
            )
            return self.alphabet - found if negated else found
        return None

    def _folded(self, characters: Iterable[str]) -> frozenset[str]:
        found = frozenset(characters)
        if self.flags & re.IGNORECASE:
            cases = {case(char) for char in found for case in (str.lower, str.upper)}
            found = frozenset(char for char in self.alphabet if char.lower() in cases or char.upper() in cases)
        return found

    def _part(self, op: Any, argument: Any) -> Fragment:
        characters = self._class(op, argument)
        if characters is not None:
            state = self._state(characters)
            return Fragment([(state, self.alphabet, self.alphabet)], [(state, self.alphabet, self.alphabet)], False)
        if op is sre.SUBPATTERN:
            group, added, removed, tree = argument
            self.groups[group] = tree
            kept = self.flags
            self.flags = (self.flags | added) & ~removed
            try:
                return self._sequence(tree)
            finally:
                self.flags = kept
        if op is sre.BRANCH:
            parts = [self._sequence(tree) for tree in argument[1]]
            return Fragment(
                [edge for part in parts for edge in part.first],
                [edge for part in parts for edge in part.last],
                any(part.empty for part in parts),
            )
        if op is sre.GROUPREF:
            return self._sequence(self.groups.get(argument, []))
        if op is sre.ATOMIC_GROUP:
            return self._once(argument)
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            return self._repeated(*argument)
        if op is sre.POSSESSIVE_REPEAT:
            return self._once(argument[2], argument[:2])
        raise NotImplementedError(op)

    def _once(self, tree: Any, turns: tuple[int, int] = (1, 1)) -> Fragment:
        """What matches in one way only: it is looked at by itself, too."""
        self.depth += 1
        self.parts.append(tree)
        try:
            return self._repeated(*turns, tree)
        finally:
            self.depth -= 1

    def _repeated(self, least: int, most: int, tree: Any) -> Fragment:
        if most > BOUNDED:
            turn = self._sequence(tree)
            self._join(turn.last, turn.first)
            return Fragment(turn.first, turn.last, least == 0 or turn.empty)
        first: list[Edge] = []
        last: list[Edge] = []
        empty = True
        for number in range(min(most, COPIES)):
            turn = self._sequence(tree)
            self._join(last, turn.first)
            if empty:
                first += turn.first
            optional = turn.empty or number >= least
            last = [*turn.last, *(last if optional else [])]
            empty = empty and optional
        return Fragment(first, last, empty)

    # Looking for two ways

    def steps(self, state: int, read: str, char: str) -> list[int]:
        """The states after ``state``, which read ``read``, that read ``char``; one for each way there."""
        key = state, read, char
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = [
                following
                for following, before, after in self.edges[state]
                if read in before and char in after and char in self.reads[following]
            ]
        return found

    def kinds(self) -> list[str]:
        """One of each kind of characters that all states and conditions treat alike."""
        sets = {*self.reads, *(each for edges in self.edges.values() for _, *both in edges for each in both)}
        kinds = {tuple(char in each for each in sets): char for char in sorted(self.alphabet, reverse=True)}
        return sorted(kinds.values())

    def loops(self) -> list[set[int]]:
        """The sets of states that lead to each other."""
        reached: dict[int, set[int]] = {}
        for state in range(len(self.reads)):
            found: set[int] = set()
            queue = [state]
            while queue:
                for following, _, _ in self.edges[queue.pop()]:
                    if following not in found:
                        found.add(following)
                        queue.append(following)
            reached[state] = found
        self.reached = reached
        loops: list[set[int]] = []
        for state in range(len(self.reads)):
            if state in reached[state] and not any(state in loop for loop in loops):
                loops.append({other for other in reached[state] if state in reached[other]} | {state})
        return loops

    def fault(self) -> str | None:
        """How the automaton can take more than linear time; ``None`` if it can't."""
        loops, kinds = self.loops(), self.kinds()
        for loop in loops:
            if all(not self.committed[state] for state in loop) and self._two_ways(loop, kinds):
                return "exponential: a repetition reads the same text in two ways"
        for one, other in product(loops, loops):
            begin, end = min(one), min(other)
            if one is other or end not in self.reached[begin] or all(self.committed[state] for state in one):
                continue
            if not self.scans.isdisjoint(one) or (other & self.free and self.scans.isdisjoint(other)):
                continue
            if self._shared(one, other, kinds):
                return "quadratic: two repetitions share a text, or a search reads on from each of its beginnings"
        return None

    def moves(self, states: set[int], kinds: list[str]) -> Callable[[int, str], dict[str, list[int]]]:
        """What can be read after a state and what it read, and the states among ``states`` that read it."""

        @cache
        def after(state: int, read: str) -> dict[str, list[int]]:
            ways = {char: [each for each in self.steps(state, read, char) if each in states] for char in kinds}
            return {char: found for char, found in ways.items() if found}

        return after

    def starts(self, states: set[int], kinds: list[str]) -> list[tuple[int, str]]:
        """Each state with each kind of characters that it reads."""
        return [(state, char) for state in states for char in kinds if char in self.reads[state]]

    def _two_ways(self, loop: set[int], kinds: list[str]) -> bool:
        moves = self.moves(loop, kinds)
        if all(len(ways) == 1 for place in self.starts(loop, kinds) for ways in moves(*place).values()):
            return False  # there is one way on from each place
        for start, begun in self.starts(loop, kinds):
            if start in self.free:
                continue
            seen: set[tuple[int, int, str, bool]] = set()
            queue = [(start, start, begun, False)]
            while queue:
                left, right, read, apart = queue.pop()
                others = moves(right, read)
                for char, lefts in moves(left, read).items():
                    doubled = left == right and len(set(lefts)) < len(lefts)
                    for a, b in product(set(lefts), set(others.get(char, ()))):
                        many = apart or a != b or (doubled and lefts.count(a) > 1)
                        if a == b == start and char == begun and many:
                            return True
                        pair = (min(a, b), max(a, b), char, many)
                        if pair not in seen:
                            seen.add(pair)
                            queue.append(pair)
        return False

    def _shared(self, one: set[int], other: set[int], kinds: list[str]) -> bool:
        leads = {state for state in range(len(self.reads)) if not other.isdisjoint(self.reached[state])} | other
        middle = leads & set[int]().union(*(self.reached[a] for a in one)) | one
        ones, others, middles = self.moves(one, kinds), self.moves(other, kinds), self.moves(middle, kinds)

        @cache
        def both(a: int, c: int, read: str) -> dict[str, list[tuple[int, int]]]:
            firsts, lasts = ones(a, read), others(c, read)
            return {char: [*product(set(firsts[char]), set(lasts[char]))] for char in firsts.keys() & lasts.keys()}

        for (begin, begun), (end, ended) in product(self.starts(one, kinds), self.starts(other, kinds)):
            if begun != ended:
                continue
            seen: set[tuple[int, int, int, str]] = set()
            queue = [(begin, begin, end, begun)]
            while queue:
                a, b, c, read = queue.pop()
                pairs, ways = both(a, c, read), middles(b, read)
                for char in pairs.keys() & ways.keys():
                    for (first, last), way in product(pairs[char], set(ways[char])):
                        found = first, way, last, char
                        if found == (begin, end, end, begun):
                            return True
                        if found not in seen:
                            seen.add(found)
                            queue.append(found)
        return False


def _holds(item: tuple[Any, Any], char: str, flags: int) -> bool:
    """Whether a part of a class holds a character."""
    op, argument = item
    if op is sre.LITERAL:
        return ord(char) == argument
    if op is sre.RANGE:
        return bool(argument[0] <= ord(char) <= argument[1])
    if op is sre.CATEGORY:
        escape = str(argument).removeprefix("CATEGORY_")
        letter = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[escape.removeprefix("NOT_")]
        letter = letter.upper() if escape.startswith("NOT_") else letter
        return re.match(rf"\{letter}", char, flags & re.ASCII) is not None
    return False


def _characters(tree: Any) -> Iterable[str]:
    """The characters that a parsed pattern names, and the neighbours of its ranges."""
    if isinstance(tree, tuple) and len(tree) == 2 and tree[0] in (sre.LITERAL, sre.NOT_LITERAL):
        yield from {chr(tree[1]), chr(tree[1]).lower()[:1], chr(tree[1]).upper()[:1]}
    elif isinstance(tree, tuple) and len(tree) == 2 and tree[0] is sre.RANGE:
        low, high = tree[1]
        yield from (chr(code) for code in (low - 1, low, high, high + 1) if 0 <= code < 0x110000)
    elif isinstance(tree, list | tuple | parser.SubPattern):
        for item in tree:
            yield from _characters(item)


def fault(pattern: str | bytes, flags: int = 0, *, search: bool = True, whole: bool = False) -> str | None:
    """How matching a pattern can take more than linear time; ``None`` if it can't.

    Args:
        pattern: its text.
        flags: its flags.
        search: whether a match may begin anywhere: ``search``, ``sub``, ``split``, ``finditer``.
        whole: whether it must reach the end of the text: ``fullmatch``.
    """
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    if isinstance(pattern, bytes):
        flags |= re.ASCII
    tree = parser.parse(text, flags & ~re.DEBUG)
    flags = tree.state.flags
    groups: dict[int, Any] = {}
    automaton = Automaton(tree, flags, search=search, whole=whole, groups=groups)
    found = automaton.fault()
    inner = list(automaton.parts)
    while found is None and inner:
        part = Automaton(inner.pop(), flags, search=False, whole=False, groups=groups)
        found = part.fault()
        inner += part.parts
    return found
