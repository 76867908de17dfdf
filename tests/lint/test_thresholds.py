"""Each threshold of a rule has a case on either side: where it is moved by a step, a case of the rule fails.

A threshold is a number that is a constant of a module of rules, or of what they look at, or an option of a rule, or one
from 3 that a value is compared with. Its cases are those of the rules of its module and of the modules that import it, in
``fixtures/lint``.
"""

from __future__ import annotations

import ast
import copy
import gc
import importlib
import pkgutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

import pytest

import toolconv.lint.datasets
import toolconv.lint.rules
import toolconv.lint.texts
import toolconv.lint.values
from tests.conftest import exhaustive
from tests.lint.test_rules import RULES, cases, found
from toolconv.lint.engine import recording, walk
from toolconv.lint.model import overview

FOLDERS: Final = (toolconv.lint.rules, toolconv.lint.values, toolconv.lint.texts, toolconv.lint.datasets)
STEPS: Final = {"near_misses.FIRST_NEAR": 11}
"""Steps other than 1: no number from 100 to 109 has a number that it is near."""
NO_THRESHOLDS: Final = {
    "altered.LONGEST": "bounds the time of a check",
    "grounding.MAX_COLUMNS": "bounds the time of a check",
    "tc3_prose.LOOP_SAMPLE": "a guard's, which decides how many rows are looked at",
    "tc3_prose.MAX_LOOP_WORDS": "bounds the time of a check",
    "tc4_tools.MAX_FIRSTS": "bounds what is remembered",
    "tc5_duplicates.EXACT_BYTES": "the size of a digest",
    "tc7_foreign.MAX_ANSWERS": "bounds the time of a check",
    "tc3_prose.194": "the bytes of UTF-8",
    "tc3_prose.244": "the bytes of UTF-8",
    "tc3_prose.128": "the bytes of UTF-8",
    "tc3_prose.191": "the bytes of UTF-8",
    "tc3_prose.255": "the end of Latin-1",
    "origins.12": "the months",
    "check_digits.9": "the digits",
    "grounding.MINUTES_A_DAY": "the minutes of a day",
    "grounding.DAYS_A_YEAR": "the days of a year",
    "grounding.5": "the length of a date without its year",
    "tc5_tools.3": "bounds what is remembered",
    **dict.fromkeys(
        [
            "grounding.1900",
            "grounding.2100",
            "grounding.16",
            "origins.3",
            "outcomes.400",
            "outcomes.600",
            "tool_words.4",
        ],
        "test_values.py has both sides",
    ),
    "recording.MAX_COMPARED": "bounds the time of a check",
    "walk.MAX_KINDS": "bounds what is remembered",
    "digests.DIGEST_BYTES": "the size of a digest",
    "digests._NAME": "the place of a name in a digest",
    "digesting.PLACE_BYTES": "the size of a place",
    "digesting.FILE_BITS": "the size of a place",
    "ngrams.WORDS": "decides how sketches are made",
    "ngrams.BANDS": "decides how sketches are made",
    "ngrams.SLOTS": "decides how sketches are made",
    "ngrams._BITS": "a mask",
    "ngrams._SPREAD": "a factor of a hash",
    "ngrams._NONE": "stands for no hash",
    "TC514.max-tokens": "needs a tokenizer: test_target.py has both sides",
}
CASES: Final = [(code, case) for code, case in (each.values for each in cases()) if case["case"] != "fix"]


def modules() -> Iterator[ModuleType]:
    for folder in FOLDERS:
        for each in pkgutil.iter_modules(folder.__path__, f"{folder.__name__}."):
            yield importlib.import_module(each.name)


@cache
def tree_of(module: ModuleType) -> ast.Module:
    return ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))


def assigned(module: ModuleType) -> Iterator[str]:
    """The names that a module assigns."""
    for node in tree_of(module).body:
        for target in node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]:
            if isinstance(target, ast.Name):
                yield target.id


@cache
def nodes_of(module: ModuleType) -> list[ast.ImportFrom | ast.Compare]:
    """The imports and comparisons of a module."""
    return [node for node in ast.walk(tree_of(module)) if isinstance(node, ast.ImportFrom | ast.Compare)]


def imported(module: ModuleType) -> Iterator[tuple[str, str]]:
    """The modules that a module imports from, and the names."""
    for node in nodes_of(module):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", name.name) for name in node.names)


MODULES: Final = [*modules(), overview, recording, walk]
IMPORTED: Final = {module.__name__: set(imported(module)) for module in MODULES}
THRESHOLDS: Final = [
    (module.__name__, name)
    for module in MODULES
    for name in assigned(module)
    if type(getattr(module, name)) in (int, float) and name.isupper()
]
COMPARED: Final = [
    (module.__name__, node.lineno, node.col_offset, node.value)
    for module in MODULES
    for comparison in nodes_of(module)
    if isinstance(comparison, ast.Compare) and isinstance(comparison.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE)
    for node in (comparison.left, *comparison.comparators)
    if isinstance(node, ast.Constant) and type(node.value) is int and node.value > 2
]
OPTIONS: Final = [
    (code, name) for code, rule in RULES.items() for name, value in rule.options.items() if type(value) in (int, float)
]


def users(name: str) -> list[str]:
    """A module, and the modules that import from it or from one that does, the nearest first."""
    found = [name]
    while more := [
        each
        for each, names in IMPORTED.items()
        if each not in found and not {module for module, _ in names}.isdisjoint(found)
    ]:
        found += more
    return found


def concerned(name: str) -> list[str]:
    """The rules of a module and of its users, the nearest first: they are the first to find something else."""
    modules = users(name)
    return sorted(
        (code for code in RULES if RULES[code].__module__ in modules),
        key=lambda code: modules.index(RULES[code].__module__),
    )


Outcome = list[tuple[Any, ...]]


def outcome(code: str, case: dict[str, Any]) -> Outcome:
    """What a rule finds in a case."""
    return sorted((each.line, each.pointer, each.message) for each in found(code, case))


def usual(codes: list[str]) -> list[tuple[str, dict[str, Any], Outcome]]:
    """The cases of rules, and what these find in them; to be asked before anything is moved."""
    return [each for code in codes for each in _usual(code)]


@cache
def _usual(code: str) -> list[tuple[str, dict[str, Any], Outcome]]:
    forget()
    return [(code, case, outcome(code, case)) for each, case in CASES if each == code]


def forget() -> None:
    """Empty the caches of what is moved, which hold what was found before."""
    for module in MODULES:
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def differs(cases: list[tuple[str, dict[str, Any], Outcome]]) -> bool:
    """Whether a rule now finds something else in one of its cases."""
    forget()
    return any(outcome(code, case) != known for code, case, known in cases)


def short(module: str, name: str) -> str:
    return f"{module.rpartition('.')[2]}.{name}"


def test_all_thresholds_are_known() -> None:
    assert {*NO_THRESHOLDS, *STEPS} <= {
        *(short(*each) for each in THRESHOLDS), *(short(each[0], str(each[3])) for each in COMPARED), *map(".".join, OPTIONS)
    }  # fmt: skip


@exhaustive
@pytest.mark.parametrize(
    ("module", "name"),
    [each for each in THRESHOLDS if short(*each) not in NO_THRESHOLDS],
    ids=lambda value: value.rpartition(".")[2],
)
def test_a_constant_has_cases_on_both_sides(module: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = concerned(module)
    cases = usual(codes)
    value = getattr(sys.modules[module], name)
    for moved in moves(value, STEPS.get(short(module, name), 1)):
        for each, names in IMPORTED.items():
            if each == module or (module, name) in names:
                monkeypatch.setattr(sys.modules[each], name, moved)
        assert differs(cases), f"no case of {', '.join(codes)} tells {name} = {moved} from {value}"


@exhaustive
@pytest.mark.parametrize(
    ("module", "line", "column", "value"),
    [each for each in COMPARED if short(each[0], str(each[3])) not in NO_THRESHOLDS],
    ids=lambda value: str(value).rpartition(".")[2],
)
def test_a_number_that_is_compared_with_has_cases_on_both_sides(
    module: str, line: int, column: int, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = concerned(module)
    cases = usual(codes)
    gc.unfreeze()  # get_objects leaves out what is frozen
    functions = [each for each in gc.get_objects() if isinstance(each, FunctionType) and each.__module__ == module]
    for moved in moves(value):
        tree = copy.deepcopy(tree_of(sys.modules[module]))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and (node.lineno, node.col_offset) == (line, column):
                node.value = moved
        compiled = {(each.co_qualname, each.co_firstlineno): each for each in codes_in(compile(tree, module, "exec"))}
        for function in functions:
            code = function.__code__
            monkeypatch.setattr(function, "__code__", compiled.get((code.co_qualname, code.co_firstlineno), code))
        assert differs(cases), f"no case of {', '.join(codes)} tells {moved} from {value} in line {line}"


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """A code object, and those in it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from codes_in(each)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("code", "option"),
    [each for each in OPTIONS if ".".join(each) not in NO_THRESHOLDS],
)
def test_an_option_has_cases_on_both_sides(code: str, option: str) -> None:
    concerned = [case for each, case in CASES if each == code]
    named = [case for case in concerned if option in case.get("options", {})]
    for at, direction in enumerate(("higher", "lower")):
        for case in named or concerned:
            given = case.get("options", {})
            moved = moves(given.get(option, RULES[code].options[option]))[at]
            if outcome(code, {**case, "options": {**given, option: moved}}) != outcome(code, case):
                break
        else:
            pytest.fail(f"no case of {code} tells when {option} is {direction}")


def moves(value: float, step: int = 1) -> tuple[float, float]:
    """A value that is moved up and down: by a step, or a share by a fifth."""
    return (value + step, max(value - step, 0)) if isinstance(value, int) else (value * 1.2, value * 0.8)
