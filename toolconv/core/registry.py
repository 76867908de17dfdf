"""Find what the files of a folder define, by name: one file per template or trainer, and more by other packages."""

from __future__ import annotations

import importlib
import pkgutil
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
        self._found: dict[str, T] | None = None
        self._lock = RLock()

    def register(self, item: T) -> None:
        """Add an object under its name and its aliases. It replaces those that had them."""
        self._by_name.update(dict.fromkeys((item.name, *item.aliases), item))

    def get(self, name: str) -> T:
        """The object with a name or an alias, in any case.

        Raises:
            UnknownName: there is none.
        """
        found = self._by_name.get(name.strip().lower())
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
        found: dict[str, T] = {}

        def add(item: T, module: str) -> None:
            named = replace(item, module=module)  # type: ignore[type-var]
            found.update(dict.fromkeys((named.name, *named.aliases), named))

        for file in pkgutil.iter_modules(self._path):
            if file.name not in self._shared:
                module = importlib.import_module(f"{self._package}.{file.name}")
                for item in getattr(module, f"{self._what.upper()}S", None) or (getattr(module, self._what.upper()),):
                    add(item, module.__name__)
        for plugin in plugins(self._group):
            add(plugin.value, plugin.module)
        return found
