"""The tree of errors in the docstring of ``toolconv/core/errors.py`` is the one that there is."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import textwrap
from collections.abc import Iterator

import toolconv
from tests.conftest import exhaustive
from toolconv.core import errors

OPTIONAL = ("toolconv.ray", "toolconv.vllm", "toolconv.__main__", "toolconv.manual.__main__")


def drawn(kind: type[Exception], depth: int = 0) -> Iterator[str]:
    yield "    " * depth + kind.__name__
    for each in sorted(kind.__subclasses__(), key=lambda each: each.__name__):
        if each.__module__.startswith("toolconv."):
            yield from drawn(each, depth + 1)


@exhaustive
def test_all_errors_are_drawn() -> None:
    for module in pkgutil.walk_packages(toolconv.__path__, "toolconv."):
        if not module.name.startswith(OPTIONAL):
            importlib.import_module(module.name)
    tree = textwrap.indent("\n".join(drawn(errors.ToolconvError)), "    ")
    assert f"\n\n{tree}\n\n" in (inspect.getdoc(errors) or "")
