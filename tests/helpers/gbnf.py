"""Whether a GBNF grammar takes a text: a small reader of llama.cpp's grammars."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|\{\d+(?:,\d*)?\}|[A-Za-z][\w-]*|[()|*+?]')


class Grammar:
    """A grammar.

    Args:
        text: rules, one on a line; the first is ``root``.
    """

    def __init__(self, text: str) -> None:
        self.rules: dict[str, Any] = {}
        for line in text.splitlines():
            name, found, rule = line.partition(" ::= ")
            assert found and name not in self.rules, line
            tokens = TOKEN.findall(rule)
            assert "".join(tokens).replace(" ", "") == re.sub(r"\s+", "", rule) or '"' in rule or "[" in rule, line
            self.rules[name], end = self._alternatives(tokens, 0)
            assert end == len(tokens), line

    def _alternatives(self, tokens: list[str], at: int) -> tuple[Any, int]:
        alternatives: list[Any] = [[]]
        while at < len(tokens) and tokens[at] != ")":
            token = tokens[at]
            at += 1
            if token == "|":
                alternatives.append([])
                continue
            if token == "(":
                item, at = self._alternatives(tokens, at)
                at += 1
            elif token[0] == '"':
                item = re.escape(
                    re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t", "r": "\r"}.get(m[1], m[1]), token[1:-1])
                )
            elif token[0] == "[":
                item = token
            else:
                item = ("rule", token)
            low, high = 1, 1
            if at < len(tokens) and tokens[at][0] in "*+?{":
                mark = tokens[at]
                at += 1
                low, high = {"*": (0, 10**6), "+": (1, 10**6), "?": (0, 1)}.get(mark, (0, 0))
                if mark[0] == "{":
                    first, comma, last = mark[1:-1].partition(",")
                    low, high = int(first), int(last or (10**6 if comma else first))
            alternatives[-1].append((item, low, high))
        return ("any", alternatives), at

    def takes(self, text: str) -> bool:
        """Whether the whole text fits the grammar."""
        return any(end == len(text) for end in self._ends(self.rules["root"], text, 0))

    def _ends(self, node: Any, text: str, at: int) -> Iterator[int]:
        """Where the matches of a node that begin at a place end."""
        if isinstance(node, str):
            match = re.compile(node, re.DOTALL).match(text, at)
            if match is not None:
                yield match.end()
        elif node[0] == "rule":
            yield from self._ends(self.rules[node[1]], text, at)
        else:
            for sequence in node[1]:
                yield from self._sequence(sequence, 0, text, at)

    def _sequence(self, items: list[Any], index: int, text: str, at: int) -> Iterator[int]:
        ends = {at}
        for item, low, high in items:
            ends = {end for start in ends for end in self._repeated(item, low, high, text, start)}
        yield from ends

    def _repeated(self, item: Any, low: int, high: int, text: str, at: int) -> set[int]:
        found: set[int] = {at} if low == 0 else set()
        ends, count = {at}, 0
        while ends and count < high:
            ends = {end for start in ends for end in self._ends(item, text, start)} - found
            count += 1
            if count >= low:
                found |= ends
        return found
