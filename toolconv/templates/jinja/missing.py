"""Find the variables that a chat template writes and nobody gave: Jinja writes nothing for them.

A variable that the template asks about first, as in ``{% if x is defined %}``, ``{% if x %}`` or ``x | default(…)``, is
not missing, nor is one that it sets. So the template is followed as it runs without the variable: branches that are
never taken then are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from jinja2 import nodes

DEFAULTS: Final = frozenset({"default", "d"})
"""The filters that replace a missing value."""

UNDEFINED_IS: Final = {"undefined": True, "iterable": True, "sequence": True}
"""Tests of Jinja that hold for a missing value; ``defined`` and most others don't."""

COMPARED: Final = {"eq": False, "ne": True, "in": False, "notin": True}
"""What comparing a missing value with something else gives; other comparisons raise an error."""


class MissingVariables(NamedTuple):
    """The variables that a template writes and nobody gave.

    Attributes:
        names: all of them.
        needed: those without which the template raises an error, as in ``x + eos_token``.
    """

    names: frozenset[str] = frozenset()
    needed: frozenset[str] = frozenset()

    @property
    def tokens(self) -> frozenset[str]:
        """Those that are special tokens."""
        return frozenset(name for name in self.names if name.endswith("_token"))

    def joined(self, other: MissingVariables) -> MissingVariables:
        """The missing variables of two templates."""
        return MissingVariables(self.names | other.names, self.needed | other.needed)

    def message(self, path: str) -> str:
        """The variables of a template in a file, and how to give them."""
        names = sorted(self.names)
        several = len(names) > 1
        example = ", ".join(f'"{name}": "…"' for name in names[:3])
        beside = "" if path.endswith(".json") else "put the model's tokenizer_config.json beside it, or "
        return (
            f"{path}: the template writes {', '.join(names)}, which {'are' if several else 'is'} not defined: "
            f"{beside if self.tokens else ''}give {'them' if several else 'it'} with --template-kwargs '{{{example}}}'"
        )


def missing_variables(template: nodes.Template, absent: Iterable[str]) -> MissingVariables:
    """The variables that a template writes, of those that have no value."""
    assigned = {name.name for name in template.find_all(nodes.Name) if name.ctx == "store"}
    run = _Run(set(absent), assigned)
    run.visit_all(template.body)
    return MissingVariables(frozenset(run.written | run.needed), frozenset(run.needed))


class _Run:
    """Follows a template that runs without some variables.

    Args:
        absent: the variables without a value at the place that is visited.
        assigned: the names that the template sets anywhere.
    """

    def __init__(self, absent: set[str], assigned: set[str]) -> None:
        self.absent = absent
        self.assigned = assigned
        self.written: set[str] = set()
        self.needed: set[str] = set()

    def visit_all(self, found: Iterable[nodes.Node]) -> None:
        """Visit statements or expressions, in order."""
        for node in found:
            self.visit(node)

    def visit(self, node: nodes.Node) -> None:
        """Visit a statement, or an expression whose value is used."""
        match node:
            case nodes.Name():
                self._name(node)
            case nodes.If():
                self._branches(node)
            case nodes.CondExpr():
                holds = self.truth(node.test)
                self.visit_all(
                    part for part, taken in ((node.expr1, holds is not False), (node.expr2, holds is not True))
                    if taken and part is not None
                )  # fmt: skip
            case nodes.And() | nodes.Or() | nodes.Not() | nodes.Test() | nodes.Compare():
                self.truth(node)
            case nodes.Filter() if node.name in DEFAULTS and self._is_absent(node.node):
                self.visit_all(node.args)
            case nodes.Assign():
                self.visit(node.node)
                self.visit(node.target)
            case nodes.AssignBlock():
                with self._scope():
                    self.visit_all(node.body)
                self.visit(node.target)
            case nodes.For() | nodes.With() | nodes.CallBlock() | nodes.FilterBlock() | nodes.Macro():
                if isinstance(node, nodes.Macro):
                    self.absent.discard(node.name)
                with self._scope():
                    self._block(node)
            case _:
                if isinstance(node, nodes.BinExpr):
                    self._need(node.left, node.right)
                elif isinstance(node, nodes.Getattr | nodes.Getitem | nodes.Call):
                    self._need(node.node)
                self.visit_all(node.iter_child_nodes())

    def truth(self, test: nodes.Node) -> bool | None:
        """Whether a condition holds; ``None`` if that depends on other values."""
        match test:
            case nodes.Const():
                return bool(test.value)
            case nodes.Name() if self._is_absent(test):
                return False
            case nodes.Not():
                holds = self.truth(test.node)
                return None if holds is None else not holds
            case nodes.And() | nodes.Or():
                settles = isinstance(test, nodes.Or)
                first = self.truth(test.left)
                if first is settles:
                    return settles
                second = self.truth(test.right)
                return second if second is settles or first is not None else None
            case nodes.Test() if self._is_absent(test.node):
                return UNDEFINED_IS.get(test.name, False)
            case nodes.Compare() if len(test.ops) == 1:
                return self._compared(test.expr, test.ops[0])
            case nodes.Test():
                self.visit_all(test.iter_child_nodes())
            case _:
                self.visit(test) if not isinstance(test, nodes.Compare) else self.visit_all(test.iter_child_nodes())
        return None

    def _compared(self, left: nodes.Node, operand: nodes.Operand) -> bool | None:
        absent = [self._is_absent(side) for side in (left, operand.expr)]
        if operand.op not in COMPARED:
            self._need(left, operand.expr)
        elif any(absent):
            self.visit_all(side for side, is_absent in zip((left, operand.expr), absent, strict=True) if not is_absent)
            return None if all(absent) else COMPARED[operand.op]
        self.visit_all((left, operand.expr))
        return None

    def _branches(self, node: nodes.If) -> None:
        for branch in (node, *node.elif_):
            holds = self.truth(branch.test)
            if holds is not False:
                self.visit_all(branch.body)
            if holds:
                return
        self.visit_all(node.else_)

    def _block(self, node: nodes.Node) -> None:
        """A statement with names of its own."""
        match node:
            case nodes.For():
                self.visit(node.iter)
                self.absent -= {"loop", *(name.name for name in node.target.find_all(nodes.Name))}
                self.visit(node.target)
                if node.test is None or self.truth(node.test) is not False:
                    self.visit_all(node.body)
                self.visit_all(node.else_)
            case nodes.With():
                self.visit_all(node.values)
                self.visit_all((*node.targets, *node.body))
            case nodes.Macro() | nodes.CallBlock():
                if isinstance(node, nodes.CallBlock):
                    self.visit(node.call)
                else:
                    self.absent -= self.assigned  # it is called later, from anywhere
                self.visit_all(node.defaults)
                self.absent -= {"caller", "varargs", "kwargs", *(name.name for name in node.args)}
                self.visit_all(node.body)
            case _:
                self.visit_all(node.iter_child_nodes())

    def _name(self, node: nodes.Name) -> None:
        if node.ctx != "load":
            self.absent.discard(node.name)
        elif node.name in self.absent:
            self.written.add(node.name)

    def _need(self, *found: nodes.Node) -> None:
        self.needed.update(node.name for node in found if isinstance(node, nodes.Name) and self._is_absent(node))

    def _is_absent(self, node: nodes.Node | None) -> bool:
        return isinstance(node, nodes.Name) and node.ctx == "load" and node.name in self.absent

    @contextmanager
    def _scope(self) -> Iterator[None]:
        """What is set in a block is not set after it."""
        before = set(self.absent)
        yield
        self.absent = before
