"""What a mutant says in place of the code: each comparison, condition, branch, number, text and statement of a file.

A branch is never or always taken, or one part of an ``and`` or ``or`` is left out. ``tests/programs/mutants.py`` takes
branches only if it is asked for every mutant.
"""

from __future__ import annotations

import ast
import copy
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
COUNTING = ("loss", "lose", "dropped")
"""Parts of the names of what counts a loss or a dropped call."""
SWAPS: dict[type[ast.AST], type[Any]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
}


class Mutant(NamedTuple):
    """A node of a file's syntax tree, and what it says instead; None for a statement that is left out."""

    path: Path
    kind: str
    node: ast.expr | ast.stmt
    instead: ast.expr | None
    counts: bool

    def __str__(self) -> str:
        said = ast.unparse(self.node).replace("\n", " ")
        instead = ast.unparse(self.instead) if self.instead else "pass"
        return f"{self.path.relative_to(ROOT)}:{self.node.lineno}: {said:.100}  →  {instead:.100}"


def mutants_of(path: Path, tree: ast.AST) -> list[Mutant]:
    """All mutants of a file, in the order of its syntax tree."""
    found: list[Mutant] = []

    def look(node: ast.AST, counts: bool) -> None:
        def add(kind: str, node: ast.expr | ast.stmt, instead: ast.expr | None, counts: bool = counts) -> None:
            found.append(Mutant(path, kind, node, copy.deepcopy(instead), counts))

        def condition(test: ast.expr, counts: bool = counts, endless: bool = False) -> None:
            if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant):
                add("condition", test, ast.UnaryOp(ast.Not(), test), counts)
            if not (isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or)):  # its parts are left out one by one
                add("branch", test, ast.BoolOp(ast.And(), [test, ast.Constant(False)]), counts)
            if not (endless or (isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And))):
                add("branch", test, ast.BoolOp(ast.Or(), [test, ast.Constant(True)]), counts)

        skipped = {"annotation", "returns", "decorator_list"}
        match node:
            case ast.Expr(ast.Constant()) | ast.JoinedStr() | ast.MatchValue():
                return  # a docstring; what must be constant
            case ast.Subscript(ast.Name("Literal")) | ast.If(ast.Name("TYPE_CHECKING")):
                return
            case ast.Call(ast.Name("cast"), [_, value]):
                look(value, counts)
                return
            case ast.Call(ast.Name("zip")):
                skipped = {"keywords"}  # ``strict`` changes nothing where the lengths are the same
            case ast.MatchMapping():
                skipped = {"keys"}
            case ast.Expr(ast.Call()) | ast.AugAssign():
                counts = any(word in ast.unparse(node) for word in COUNTING)
                add("statement", node, None, counts)
            case ast.Compare(left, [op, *ops], comparators):
                add("comparison", node, ast.Compare(left, [SWAPS[type(op)](), *ops], comparators))
            case ast.BoolOp(op, values):
                add("condition", node, ast.BoolOp(SWAPS[type(op)](), values))
                for at in range(len(values)):
                    add("branch", node, without(node, at))
            case ast.UnaryOp(ast.Not(), operand):
                add("condition", node, operand)
            case ast.BinOp(left, ast.Add() | ast.Sub() as op, right):
                add("number", node, ast.BinOp(left, SWAPS[type(op)](), right))
            case ast.Constant(bool(value)):
                add("condition", node, ast.Constant(not value))
            case ast.Constant(int(value)):
                add("number", node, ast.Constant(value + 1))
            case ast.Constant(str(value)):
                add("text", node, ast.Constant(f"XX{value}XX"))
            case ast.Return(ast.expr() as value) if not isinstance(value, ast.Constant):
                add("statement", value, ast.Constant(None))
            case ast.If(test, [ast.Expr(ast.Call()) | ast.AugAssign() as only, *_]):
                counts = any(word in ast.unparse(only) for word in COUNTING)
                condition(test, counts)
                look(test, counts)
                skipped = {"test"}
                counts = False
            case ast.If(test) | ast.While(test) | ast.IfExp(test):
                condition(test, endless=isinstance(node, ast.While))
            case ast.comprehension(ifs=ifs):
                for test in ifs:
                    condition(test)
        for name, field in ast.iter_fields(node):
            if name not in skipped:
                for child in field if isinstance(field, list) else [field]:
                    if isinstance(child, ast.AST):
                        look(child, counts and not isinstance(child, ast.stmt))

    look(tree, False)
    return found


def without(node: ast.BoolOp, at: int) -> ast.expr:
    """An ``and`` or ``or`` without one of its parts, which still binds what it binds."""
    values = [*node.values]
    if any(isinstance(part, ast.NamedExpr) for part in ast.walk(values[at])):
        neutral = isinstance(node.op, ast.And)
        values[at] = ast.BoolOp(ast.Or() if neutral else ast.And(), [values[at], ast.Constant(neutral)])
    else:
        del values[at]
    return values[0] if len(values) == 1 else ast.BoolOp(node.op, values)
