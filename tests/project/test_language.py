"""Docstrings, comments and help are plain English, and a class name means one thing in the whole tree."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import each

ROOT = Path(__file__).parents[2]
MODULES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "toolconv").rglob("*.py"))

SHARED_NAMES = {"Block"}
"""Class names that still mean several things; delete an entry when its classes are renamed."""

BANNED = {
    r"\banew\b": "again",
    r"\bas (?:it|they) (?:came|comes?)\b": "unchanged, original",
    r"\bas long as nothing else\b": "unless",
    r"\bas much of\b": "the longest part of",
    r"\bbehind\b": "after",
    r"\bbeside\b(?! it\b| them\b)": "next to, with",
    r"\bblanks\b": "whitespace",
    r"\bbut for\b": "except",
    r"\b(?:for|to) people\b": "readable, for users",
    r"\b(?<!there )is (?-i:none)\b": "is not one",
    r"\b(?:is|are) no (?:JSON|text|object|row|call|value|number)\b": "is not a …",
    r"\bsaid\b": "written, named, reported",
    r"\bsooner than\b": "faster than",
    r"\bspelled\b": "written",
    r"\bstands? (?:there|alone|apart|behind|beside|before|in|where|at|under)\b": "is in, follows, precedes",
    r"\bthe same of\b": "like …, for …",
    r"\btakes? (?:it |them )?in\b": "read, accept",
    r"\btold\b": "reported, known",
    r"\bwhat becomes of\b": "the result of",
    r"\bwhat there is\b": "everything, the available …",
}
"""Wordings that read like a translation, each with plain ones."""

ANY_BANNED = re.compile("|".join(BANNED), re.IGNORECASE)

COMMENT = re.compile(r"(?:^|(?<=\s))# .*", re.MULTILINE)

HELP = ("environment", "epilog", "examples", "files", "help", "statuses")
"""The arguments of commands and options that hold help texts."""


def texts(module: str) -> Iterator[tuple[int, str]]:
    """The docstrings, comments and help texts of a module, each with its line; none if no banned wording is anywhere."""
    source = (ROOT / module).read_text(encoding="utf-8")
    if not ANY_BANNED.search(source):
        return
    for comment in COMMENT.finditer(source):
        yield source.count("\n", 0, comment.start()) + 1, comment[0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value
        elif isinstance(node, ast.keyword) and node.arg in HELP:
            yield from ((part.lineno, part.value) for part in ast.walk(node.value)
                        if isinstance(part, ast.Constant) and isinstance(part.value, str))  # fmt: skip


def oddities(module: str) -> list[str]:
    """The banned wordings of a module: place, wording and plain ones. Code in double backquotes doesn't count."""
    return [
        f"{module}:{line + text[: match.start()].count(chr(10))}: {match[0]!r}: write {plain!r}"
        for line, text in ((line, re.sub(r"``.*?``", "", text)) for line, text in texts(module))
        if ANY_BANNED.search(text)
        for pattern, plain in BANNED.items()
        for match in re.finditer(pattern, text, re.IGNORECASE)
    ]


@pytest.mark.exhaustive  # it parses all of the code
@each("module", MODULES)
def test_wording_is_plain(module: str) -> None:
    assert oddities(module) == []


@pytest.mark.exhaustive
def test_class_names_mean_one_thing() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for module in MODULES:
        for node in ast.walk(ast.parse((ROOT / module).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(module)
    shared = {name: modules for name, modules in homes.items() if len(modules) > 1}
    assert {name: modules for name, modules in shared.items() if name not in SHARED_NAMES} == {}, "rename one of each"
    assert not SHARED_NAMES - shared.keys(), "unique now: delete them from SHARED_NAMES"
