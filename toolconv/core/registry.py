"""Find what the files of a folder define, by name: one file per template or trainer, and more by other packages."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from threading import RLock
from typing import Generic, Protocol, TypeVar

from toolconv.core.errors import UnknownName, near_name
from toolconv.core.plugins import plugins


class Named(Protocol):
    """What a registry holds: a dataclass whose docstring, its page, is that of the module."""

    @property
    def name(self) -> str: ...

    @property
    def aliases(self) -> tuple[str, ...]: ...

    @property
    def module(self) -> str: ...


T = TypeVar("T", bound=Named)


class Registry(Generic[T]):
    """The objects that the files of a package define, and those that other packages add.

    Args:
        what: what an object is, in one word: a file holds ``WORD``, or ``WORDS`` for several, in capitals.
        package: the package; ``path`` is its ``__path__``.
        shared: its files that define none.
        group: the entry point group through which other packages add theirs.
        error: what is raised for an unknown name.
    """

    def __init__(
        self,
        what: str,
        package: str,
        path: Iterable[str],
        *,
        shared: Collection[str],
        group: str,
        error: type[UnknownName],
    ) -> None:
        self._what = what
        self._package = package
        self._path = path
        self._shared = shared
        self._group = group
        self._error = error
        self._in_files: dict[str, list[T]] = {}
        self._found: dict[str, T] | None = None
        self._lock = RLock()

    def register(self, item: T) -> None:
        """Add an object under its name and its aliases. It replaces those that had them."""
        self._by_name.update(dict.fromkeys((item.name, *item.aliases), item))

    def get(self, name: str) -> T:
        """The object with a name or an alias, in any case. Only its own file is loaded, if that has its name.

        Raises:
            UnknownName: there is none.
        """
        key = name.strip().lower()
        found = (self._in_own_file(key) if self._found is None else None) or self._by_name.get(key)
        if found is None:
            near = near_name(name.lower(), self._by_name)
            known = [each.name for each in self.all()]
            raise self._error(name, self._by_name[near].name if near else None, known)
        return found

    def all(self) -> list[T]:
        """All objects, by name."""
        return sorted({each.name: each for each in self._by_name.values()}.values(), key=lambda each: each.name)

    @property
    def _by_name(self) -> dict[str, T]:
        if self._found is None:
            with self._lock:  # else two threads would have other objects
                if self._found is None:
                    self._found = self._find()
        return self._found

    def _find(self) -> dict[str, T]:
        items = [item for file in self._files() for item in self._in_file(file)]
        items += [_in_module(plugin.value, plugin.module) for plugin in plugins(self._group)]
        return {name: item for item in items for name in (item.name, *item.aliases)}

    def _files(self) -> list[str]:
        return [file.name for file in pkgutil.iter_modules(self._path) if file.name not in self._shared]

    def _in_own_file(self, name: str) -> T | None:
        """The object with a name that the file of this name defines, unless another package may replace it."""
        file = re.sub(r"\W", "_", name)
        if file not in self._files() or plugins(self._group):
            return None
        return next((item for item in self._in_file(file) if name in (item.name, *item.aliases)), None)

    def _in_file(self, file: str) -> list[T]:
        """What a file defines; the same objects each time."""
        with self._lock:  # else two threads would have other objects
            if file not in self._in_files:
                module = importlib.import_module(f"{self._package}.{file}")
                items = getattr(module, f"{self._what.upper()}S", None) or (getattr(module, self._what.upper()),)
                self._in_files[file] = [_in_module(item, module.__name__) for item in items]
            return self._in_files[file]


def _in_module(item: T, module: str) -> T:
    """An object that knows its module."""
    return replace(item, module=module)  # type: ignore[type-var]
