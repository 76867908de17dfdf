"""The registry of dialects: one file of ``formats/`` per wire format.

A dialect's file is named after it (``-`` becomes ``_``) and holds ``DIALECT``, or ``DIALECTS`` for formats that differ
in few facts. There is no other list of dialects. Other packages add theirs through the entry point group
``toolconv.dialects``, programs through :func:`register`.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, ClassVar, Final

from toolconv.core.errors import ToolconvError, UnknownName, near_name
from toolconv.core.plugins import plugins
from toolconv.dialects import formats
from toolconv.dialects.base import Dialect
from toolconv.dialects.chat import RESPONSE_ROLES

if TYPE_CHECKING:
    from toolconv.dialects.detection import Detection

ENTRY_POINTS: Final = "toolconv.dialects"

_loaded: dict[str, Dialect] = {}


class UnknownDialect(UnknownName):
    """No dialect has the given name."""

    kind: ClassVar[str] = "dialect"


class DialectFileError(ToolconvError, ValueError):
    """A file does not describe a dialect. The message names the file and what to fix."""


def register(dialect: Dialect) -> None:
    """Add a dialect under its name and its aliases. It replaces dialects that had them."""
    for name in (dialect.name, *dialect.aliases):
        _loaded[_key(name)] = dialect
    _by_name.cache_clear()


def register_file(path: str) -> Dialect:
    """Add the dialect that a file describes: TOML or a response template; see :mod:`toolconv.dialects.dialect_file`.

    Raises:
        DialectFileError: the file does not describe one.
    """
    from toolconv.dialects.dialect_file import load

    dialect = load(path)
    register(dialect)
    return dialect


def get(name: str) -> Dialect:
    """The dialect with a name or an alias, in any case, with ``-`` or ``_``.

    Raises:
        UnknownDialect: there is none.
    """
    key = _key(name)
    if key not in _loaded:
        _load(key)
    if key not in _loaded:
        _load_all()
    if key not in _loaded:
        known = names()
        near = near_name(key, _loaded)
        raise UnknownDialect(name, _loaded[near].name if near else None, known)
    return _loaded[key]


def detect(text: str) -> Detection:
    """Which dialect a text is in, with what certainty, and which dialects are next."""
    from toolconv.dialects import detection

    return detection.detect(text)


def for_model(model: str) -> Dialect:
    """The dialect that a model writes, by its name (``Qwen/Qwen3-Coder-30B-A3B-Instruct``)."""
    from toolconv.dialects.models import dialect_name

    return get(dialect_name(model))


def names() -> list[str]:
    """The names of all dialects, without aliases, sorted."""
    return sorted({dialect.name for dialect in all_dialects()})


def all_dialects() -> list[Dialect]:
    """All dialects, by name."""
    return list(registered())


def registered() -> tuple[Dialect, ...]:
    """All dialects, by name; the same tuple until one is added."""
    _load_all()
    return _by_name()


def is_response_role(role: str) -> bool:
    """Whether results are fed back in turns of a role: in plain chats, or in those of any dialect."""
    return role in RESPONSE_ROLES or role in _response_roles(registered())


@lru_cache(maxsize=1)
def _response_roles(registered: tuple[Dialect, ...]) -> frozenset[str]:
    return frozenset(dialect.chat.response_role for dialect in registered) - {"user", "assistant", "system"}


class _Registered(tuple[Dialect, ...]):
    """All dialects. Caches look them up for each text, so they are compared by identity."""

    __slots__ = ()
    __hash__ = object.__hash__
    __eq__ = object.__eq__


@cache
def _by_name() -> tuple[Dialect, ...]:
    return _Registered(sorted(set(_loaded.values()), key=lambda dialect: dialect.name))


def _key(name: str) -> str:
    return name.strip().lower().replace("-", "_")


@cache
def _modules() -> frozenset[str]:
    """The modules of ``formats``, a dialect or a few in each."""
    return frozenset(module.name for module in pkgutil.iter_modules(formats.__path__))


def _load(module: str) -> None:
    if module in _modules():
        found = importlib.import_module(f"{formats.__name__}.{module}")
        for dialect in getattr(found, "DIALECTS", None) or (found.DIALECT,):
            named = replace(dialect, module=found.__name__)
            for name in (dialect.name, *dialect.aliases):
                _loaded.setdefault(_key(name), named)
        _by_name.cache_clear()


@cache
def _load_all() -> None:
    for module in sorted(_modules()):
        _load(module)
    for plugin in plugins(ENTRY_POINTS):
        register(replace(plugin.value, module=plugin.module))
