"""The conditions of ``--where``: comparisons, joined by ``and``, ``or``, ``not`` and parentheses.

::

    condition  = all { "or" all }
    all        = one { "and" one }
    one        = "not" one | "(" condition ")" | name [ operator value ]
    operator   = "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "~"

A name is a fact (:data:`toolconv.select.facts.FACTS`) or a key of the row, with dots between the keys of nested objects
and the indices of lists; after a leading dot, and in quotes, it is always a key. A value is a number, ``true``,
``false``, ``null`` or a text, with quotes if it holds spaces or operators.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.errors import ToolconvError
from toolconv.core.lazy_re import lazy_re

MAX_DEPTH: Final = 100
"""How deeply parentheses and ``not`` may be nested."""

MISSING: Final = object()
"""The value of a key that a row doesn't have."""

OPERATORS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": lambda value, wanted: bool(value < wanted),
    "<=": lambda value, wanted: bool(value <= wanted),
    ">": lambda value, wanted: bool(value > wanted),
    ">=": lambda value, wanted: bool(value >= wanted),
    "=": lambda value, wanted: bool(value == wanted),
}

_TOKEN = lazy_re(
    r"""\s*(?:(?P<text>"(?:[^"\\]|\\.)*"|'[^']*')|(?P<sign>[!<>=]=|[<>=~()])|(?P<word>[^\s()=!<>~"']+))""", re.DOTALL
)
_NUMBER = lazy_re(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_WORDS: Final = {"true": True, "false": False, "null": None}


class ExpressionError(ToolconvError):
    """A condition that can't be read; the message shows it, with a caret at the place."""

    def __init__(self, what: str, expression: str, at: int, option: str = "--where") -> None:
        shown = re.sub(r"\s", " ", expression)
        super().__init__(f"{option}: {what}\n  {shown}\n  {' ' * at}^")


class Operand(NamedTuple):
    """What a comparison looks at.

    Attributes:
        shown: as typed.
        fact: the fact; ``None`` for a key of the row.
        path: the keys that lead to a value of the row.
    """

    shown: str
    fact: str | None
    path: tuple[str, ...] = ()


Look = Callable[[Operand], Any]
"""Gives the value of a name in a row; :data:`MISSING` for a key that the row doesn't have."""


@dataclass(eq=False)
class Comparison:
    """One comparison of a condition, with counts of what it met.

    Attributes:
        name: what is compared.
        operator: of :data:`OPERATORS`, ``!=`` or ``~``; ``""`` for a name alone.
        value: what it is compared with.
        asked: for how many rows it was looked at.
        found: how many of them had a value.
        other_type: in how many rows the value had another type, so that it could not be compared.
    """

    name: Operand
    operator: str = ""
    value: Any = None
    asked: int = 0
    found: int = 0
    other_type: int = 0

    def holds(self, look: Look) -> bool:
        """Whether it holds for a row."""
        value = look(self.name)
        self.asked += 1
        self.found += value is not MISSING
        if not self.operator:
            return value is not MISSING and bool(value)
        if self.operator == "!=":
            return not self._compare("=", value)
        return self._compare(self.operator, value)

    def _compare(self, operator: str, value: Any) -> bool:
        wanted = self.value
        if value is MISSING or value is None or wanted is None:
            return operator == "=" and wanted is None and (value is None or value is MISSING)
        if isinstance(value, dict | list | tuple):
            if _is_number(wanted):
                return operator != "~" and OPERATORS[operator](len(value), wanted)
            return any(_comparable(item, wanted) and _matches(operator, item, wanted) for item in value)
        if operator == "~" and isinstance(value, str):
            return str(wanted) in value
        if not _comparable(value, wanted):
            self.other_type += 1
            return False
        return _matches(operator, value, wanted)


def _matches(operator: str, value: Any, wanted: Any) -> bool:
    if operator == "~":
        return isinstance(value, str) and wanted in value
    return OPERATORS[operator](value, wanted)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _comparable(value: Any, wanted: Any) -> bool:
    return (_is_number(value) and _is_number(wanted)) or (type(value) is type(wanted) and isinstance(value, str | bool))


@dataclass
class Condition:
    """A condition that rows have to meet.

    Attributes:
        shown: as the user typed it, for the account.
        holds: whether it holds for a row.
        comparisons: its comparisons, in order.
    """

    shown: str
    holds: Callable[[Look], bool]
    comparisons: list[Comparison] = field(default_factory=list)


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


def parse(expression: str, facts: Collection[str], shown: str | None = None) -> Condition:
    """Read a condition.

    Args:
        facts: the names that are facts, not keys of the row.
        shown: how to show it; as it is, without it.

    Raises:
        ExpressionError: it can't be read.
    """
    reader = _Reader(expression, facts)
    return Condition(shown or expression.strip(), reader.whole(), reader.comparisons)


def parse_name(name: str, facts: Collection[str], option: str) -> Operand:
    """Read the name of a fact or a key, which an option takes.

    Raises:
        ExpressionError: it can't be read.
    """
    reader = _Reader(name, facts, option)
    operand = reader._name()
    if reader.tokens[reader.next].kind != "end":
        raise reader._error("expected one name", reader.tokens[reader.next].at)
    return operand


class _Reader:
    """Reads a condition by recursive descent."""

    def __init__(self, expression: str, facts: Collection[str], option: str = "--where") -> None:
        self.option = option
        self.expression = expression
        self.facts = facts
        self.tokens = list(self._tokens())
        self.next = 0
        self.comparisons: list[Comparison] = []

    def _tokens(self) -> Iterator[_Token]:
        at, end = 0, len(self.expression.rstrip())
        while at < end:
            found = _TOKEN.match(self.expression, at, end)
            if found is None:
                at += len(self.expression[at:]) - len(self.expression[at:].lstrip())
                quote = self.expression[at] in "\"'"
                raise self._error("a quote that is never closed" if quote else "not an operator", at)
            kind = str(found.lastgroup)
            yield _Token(kind, found[kind], found.start(kind))
            at = found.end()
        yield _Token("end", "", len(self.expression.rstrip()))

    def _error(self, what: str, at: int) -> ExpressionError:
        return ExpressionError(what, self.expression, at, self.option)

    def _is(self, *texts: str) -> bool:
        token = self.tokens[self.next]
        return token.kind in ("word", "sign") and token.text in texts

    def _take(self) -> _Token:
        token = self.tokens[self.next]
        self.next += token.kind != "end"
        return token

    def whole(self) -> Callable[[Look], bool]:
        test = self._any(0)
        token = self.tokens[self.next]
        if token.kind != "end":
            raise self._error(f"expected 'and', 'or' or the end, not {token.text!r}", token.at)
        return test

    def _any(self, depth: int) -> Callable[[Look], bool]:
        tests = [self._all(depth)]
        while self._is("or"):
            self._take()
            tests.append(self._all(depth))
        return tests[0] if len(tests) == 1 else lambda look: any(test(look) for test in tests)

    def _all(self, depth: int) -> Callable[[Look], bool]:
        tests = [self._one(depth)]
        while self._is("and"):
            self._take()
            tests.append(self._one(depth))
        return tests[0] if len(tests) == 1 else lambda look: all(test(look) for test in tests)

    def _one(self, depth: int) -> Callable[[Look], bool]:
        if depth > MAX_DEPTH:
            raise self._error("nested too deeply", self.tokens[self.next].at)
        if self._is("not"):
            self._take()
            test = self._one(depth + 1)
            return lambda look: not test(look)
        if self._is("("):
            opened = self._take()
            test = self._any(depth + 1)
            if not self._is(")"):
                raise self._error("a parenthesis that is never closed", opened.at)
            self._take()
            return test
        comparison = Comparison(self._name())
        token = self.tokens[self.next]
        if token.kind == "sign" and token.text not in "()":
            self._take()
            comparison.operator = "=" if token.text == "==" else token.text
            comparison.value = self._value(token)
        self.comparisons.append(comparison)
        return comparison.holds

    def _name(self) -> Operand:
        token = self._take()
        if token.kind == "text":
            return Operand(token.text, None, (self._text(token),))
        if token.kind != "word" or token.text in ("and", "or"):
            found = repr(token.text) if token.text else "the end"
            raise self._error(f"expected a name, not {found}", token.at)
        if token.text in self.facts:
            return Operand(token.text, token.text)
        path = tuple(token.text.removeprefix(".").split("."))
        if "" in path:
            raise self._error(f"a key without a name in {token.text!r}", token.at)
        return Operand(token.text, None, path)

    def _value(self, operator: _Token) -> Any:
        token = self._take()
        if token.kind == "text":
            return self._text(token)
        if token.kind != "word":
            raise self._error(f"expected a value after {operator.text!r}", token.at)
        if operator.text == "~":
            return token.text
        if token.text in _WORDS:
            return _WORDS[token.text]
        if not _NUMBER.fullmatch(token.text):
            return token.text
        try:
            return jsontext.loads(token.text)
        except ValueError as error:
            raise self._error(str(error), token.at) from None

    def _text(self, token: _Token) -> str:
        if token.text[0] == "'":
            return token.text[1:-1]
        try:
            return str(jsontext.loads(token.text))
        except ValueError:
            raise self._error("not a JSON string", token.at) from None
