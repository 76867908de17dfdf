"""The dialects by name: one file of ``formats/`` per wire format.

A dialect's file is named after it (``-`` becomes ``_``) and holds ``DIALECT``, or ``DIALECTS`` for formats that differ
in few facts. There is no other list of dialects. Other packages add theirs through the entry point group
``toolconv.dialects``, programs through :func:`register`. Files are loaded when they are asked for, so whatever makes up
a dialect can look up another one here by its name.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import replace
from functools import cache, lru_cache
from threading import RLock
from typing import TYPE_CHECKING, ClassVar, Final

from toolconv.core.errors import UnknownName, near_name
from toolconv.core.plugins import Plugin, plugins
from toolconv.dialects.chat import RESPONSE_ROLES

if TYPE_CHECKING:
    from toolconv.dialects.base import Dialect

ENTRY_POINTS: Final = "toolconv.dialects"
FORMATS: Final = "toolconv.dialects.formats"

# Where two dialects read and write a text alike, the one that more models write is named.
PREFERRED: Final = (
    "hermes",
    "qwen3_xml",
    "mistral",
    "deepseek_v3",
    "kimi_k2",
    "llama3_json",
    "harmony",
    "openai",
    "canonical",
    "step3p5",
    "hunyuan_a13b",
)

# Reads what any dialect writes: never the answer to which one a text is in.
CATCH_ALL: Final = ("generic",)

_loaded: dict[str, Dialect] = {}
_added: list[Dialect] = []
"""Those that other packages or programs registered."""
_lock = RLock()
"""Held to add dialects, so that all threads see the same ones."""


class UnknownDialect(UnknownName):
    """No dialect has the given name."""

    kind: ClassVar[str] = "dialect"


def rank(name: str) -> int:
    """The place of a dialect among :data:`PREFERRED`."""
    return PREFERRED.index(name) if name in PREFERRED else len(PREFERRED)


def register(dialect: Dialect) -> None:
    """Add a dialect under its name and its aliases. It replaces dialects that had them."""
    global _registered
    with _lock:
        for name in (dialect.name, *dialect.aliases):
            _loaded[_key(name)] = dialect
        _added.append(dialect)
        _registered = None


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


def names() -> list[str]:
    """The names of all dialects, without aliases, sorted."""
    return sorted({dialect.name for dialect in all_dialects()})


def all_dialects() -> list[Dialect]:
    """All dialects, by name."""
    return list(registered())


def registered() -> tuple[Dialect, ...]:
    """All dialects, by name; the same tuple until one is added."""
    _load_all()
    return _registered or _by_name()


def are_built_in() -> bool:
    """Whether there are no other dialects than the built-in ones."""
    return not _added and not _plugins()


def is_response_role(role: str) -> bool:
    """Whether results are fed back in turns of a role: in plain chats, or in those of any dialect."""
    return role in RESPONSE_ROLES or role in _response_roles(registered())


@lru_cache(maxsize=1)
def _response_roles(registered: tuple[Dialect, ...]) -> frozenset[str]:
    return frozenset(dialect.chat.response_role for dialect in registered) - {"user", "assistant", "system"}


class _Registered(tuple["Dialect", ...]):
    """All dialects. Caches look them up for each text, so they are compared by identity."""

    __slots__ = ()
    __hash__ = object.__hash__
    __eq__ = object.__eq__


_registered: _Registered | None = None


def _by_name() -> _Registered:
    global _registered
    with _lock:
        if _registered is None:
            _registered = _Registered(sorted(set(_loaded.values()), key=lambda dialect: dialect.name))
        return _registered


def _key(name: str) -> str:
    return name.strip().lower().replace("-", "_")


@cache
def modules() -> frozenset[str]:
    """The modules of ``formats``, a dialect or a few in each."""
    return frozenset(module.name for module in pkgutil.iter_modules(importlib.import_module(FORMATS).__path__))


def _load(module: str) -> None:
    global _registered
    if module in modules():
        found = importlib.import_module(f"{FORMATS}.{module}")
        with _lock:
            for dialect in getattr(found, "DIALECTS", None) or (found.DIALECT,):
                named = replace(dialect, module=found.__name__)
                for name in (dialect.name, *dialect.aliases):
                    _loaded.setdefault(_key(name), named)
            _registered = None


@cache
def _plugins() -> tuple[Plugin, ...]:
    """The dialects of other packages."""
    return tuple(plugins(ENTRY_POINTS))


@cache
def _load_all() -> None:
    for module in sorted(modules()):
        _load(module)
    for plugin in _plugins():
        register(replace(plugin.value, module=plugin.module))
