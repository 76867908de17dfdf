"""The settings file: ``toolconv.toml``, or ``[tool.toolconv]`` of ``pyproject.toml``.

The nearest folder that has either file is used, starting with the current one; ``toolconv.toml`` has precedence. There
is a table for each part of the program: ``lint`` and ``input``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from toolconv.core.errors import ToolconvError, near_name, reason_of

FILE: Final = "toolconv.toml"
PROJECT: Final = "pyproject.toml"
TABLES: Final = ("lint", "input")


class ConfigError(ToolconvError, ValueError):
    """Settings that can't be read or are invalid; the message names the file and the key."""


class Settings(NamedTuple):
    """A table of a settings file."""

    file: Path
    table: dict[str, Any]


def settings(table: str, path: str | None = None, *, start: Path | None = None) -> Settings | None:
    """A table of the settings, empty if the file does not have it; ``None`` if there is no file.

    Args:
        table: one of :data:`TABLES`.
        path: the file; ``None`` to search ``start`` and the folders above it.
        start: the folder to begin at; ``None`` for the current one.

    Raises:
        ConfigError: the file can't be read, or has an unknown table.
    """
    if path is not None:
        file = Path(path)
        return Settings(file, _table(file, table, wanted=True) or {})
    folder = (start or Path.cwd()).resolve()
    for parent in (folder, *folder.parents):
        for name in (FILE, PROJECT):
            file = parent / name
            if file.is_file() and (found := _table(file, table)) is not None:
                return Settings(file, found)
    return None


def _table(file: Path, name: str, *, wanted: bool = False) -> dict[str, Any] | None:
    """A table of a file; ``None`` if a ``pyproject.toml`` has no settings."""
    try:
        document = parsed(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # no UTF-8, or no TOML
        raise ConfigError(f"{file}: {reason_of(error)}") from None
    if file.name == PROJECT:
        tools: dict[str, Any] = checked(file, "tool", document.get("tool", {}), dict)
        if "toolconv" not in tools and not wanted:
            return None
        document = checked(file, "tool.toolconv", tools.get("toolconv", {}), dict)
    known(file, document, TABLES, "tool.toolconv." if file.name == PROJECT else "")
    table: dict[str, Any] = checked(file, name, document.get(name, {}), dict)
    return table


@lru_cache(maxsize=4)
def parsed(text: str) -> dict[str, Any]:
    """The TOML document of a settings file, which nobody changes: each table of it is asked for on its own."""
    import tomllib

    return tomllib.loads(text)


def known(file: Path, table: Mapping[str, Any], keys: Iterable[str], where: str, hint: str = "") -> None:
    """Check that a table has no unknown key.

    Raises:
        ConfigError: it has one; the message names the nearest known key, or says ``hint``.
    """
    for key in table:
        if key not in keys:
            near = near_name(key, keys)
            proposed = f"; did you mean {near!r}?" if near else f"; known are {', '.join(keys)}"
            raise ConfigError(f"{file}: unknown key {where}{key}{hint or proposed}")


def checked(file: Path, key: str, value: Any, kind: type) -> Any:
    """A value, if it has the type that it must have.

    Raises:
        ConfigError: it has another.
    """
    if not isinstance(value, kind):
        names: dict[Any, str] = {list: "a list", dict: "a table", str: "text", bool: "true or false"}
        raise ConfigError(f"{file}: {key} must be {names[kind]}")
    return value
