"""How commands that only read, such as ``stats``, read rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from toolconv.cli import options as cli

if TYPE_CHECKING:
    from toolconv.convert.options import Options


OFF = "off"
"""What ``--from`` names to leave texts alone."""


def layout_in(layout: str | None, template: str | None) -> str | None:
    """The layout that the user names for the input: by its name, or by the template of its texts.

    Raises:
        UnknownLayout, UnknownTemplate, FileError: a name is unknown, or the template's file can't be read.
        UsageError: they don't go together.
    """
    from toolconv import layouts

    if template is None:
        return layout and layouts.get(layout).name
    from toolconv.convert.options import UsageError
    from toolconv.templates.reading.recognition import named

    named(template)
    if layout not in (None, "rendered"):
        raise UsageError(f"--from-template reads rendered texts, and --from-layout {layout} reads other rows: give one")
    return "rendered"


def source_name(source: str) -> str:
    """The name of the dialect that ``--from`` gives: a name, or a file that describes a dialect.

    Raises:
        UnknownDialect, DialectFileError, FileError, NotDerived: there is no such dialect.
    """
    from toolconv import dialects

    if source == "auto":
        return source
    from toolconv.core.errors import FileError
    from toolconv.derive.files import ENDINGS, is_file_name, register_file
    from toolconv.dialects.models import dialect_name

    if not is_file_name(source):
        return dialects.get(source).name
    if not (source.endswith(ENDINGS) or Path(source).exists()) and (dialect := dialect_name(source)) != "generic":
        raise FileError(f"{source}: no such file; it looks like a model, and the dialect it writes is {dialect}")
    return register_file(source).name


def dialect_files(source: str | None) -> tuple[str, ...]:
    """The file that ``--from`` gives, which other processes read again; none if it is a name."""
    from toolconv.derive.files import is_file_name

    return (source,) if source is not None and is_file_name(source) else ()


class Places(TypedDict):
    """Where a conversation is in a row, and who speaks."""

    messages_key: str | None
    tools_key: str | None
    roles: tuple[tuple[str, str], ...]


def places_of(given: Mapping[str, Any], *, isolated: bool = False) -> Places:
    """Where the options, or else the settings (``[input]``), say that a conversation is.

    Args:
        given: the options of the command.
        isolated: read no settings.

    Raises:
        ConfigError: the settings can't be read or are invalid.
        UsageError: ``--roles`` is malformed.
    """
    from toolconv.core.settings import checked, known, settings

    found = None if isolated or given.get("lines") or given.get("null") else settings("input")
    table: dict[str, Any] = {}
    if found is not None:
        table = found.table
        known(found.file, table, ("messages-key", "tools-key", "roles"), "input.")
        for key, value in table.items():
            checked(found.file, key, value, dict if key == "roles" else str)
    roles = given.get("roles")
    return {
        "messages_key": given.get("messages_key") or table.get("messages-key"),
        "tools_key": given.get("tools_key") or table.get("tools-key"),
        "roles": _roles(dict(_pair(item) for item in roles.split(",")) if roles else table.get("roles", {})),
    }


def _pair(text: str) -> tuple[str, str]:
    name, _, role = text.rpartition("=")
    return name.strip(), role.strip()


def _roles(names: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Names of speakers, each with its role.

    Raises:
        UsageError: a name is missing, or there is no such role.
    """
    from toolconv.convert.options import UsageError
    from toolconv.layouts.speakers import ROLES

    for name, role in names.items():
        if not name or role not in ROLES:
            given = f"{name}={role}" if name else role
            raise UsageError(f"--roles {given}: write NAME=ROLE, with a role of {', '.join(sorted(ROLES))}")
    return tuple((name, str(role)) for name, role in names.items())


def declared_in(given: Mapping[str, Any]) -> str:
    """The tools of ``--declare``, as text: worker processes can't read a pipe again."""
    from toolconv.convert.declared_tools import read_declared

    return read_declared(given["declare"]) if given.get("declare") else ""


def read_options(source: str, layout: str | None, given: Mapping[str, Any]) -> Options:
    """Options for reading rows.

    Args:
        source: dialect of the texts, its name or file; ``auto`` to detect it.
        layout: layout of the rows; ``None`` to detect it.
        given: the options of the command, of which ``from_template``, ``text_key``, ``prompt_key``, ``lines``,
            ``null``, ``each_call``, ``declare`` and ``max_line`` say how to read; a command need not have all of them.

    Raises:
        UnknownDialect, UnknownLayout, UnknownTemplate: a name is unknown.
    """
    from toolconv.convert.options import Options
    from toolconv.io.inputs import MAX_LINE_BYTES

    return Options(
        source=None if source == OFF else source_name(source),
        dialect_files=dialect_files(source),
        from_layout=layout_in(layout, given.get("from_template")),
        from_template=given.get("from_template"),
        each_call=bool(given.get("each_call")),
        text_key=given.get("text_key"),
        prompt_key=given.get("prompt_key"),
        **places_of(given),
        records=cli.records_of(given),
        declared=declared_in(given),
        max_line=given.get("max_line") or MAX_LINE_BYTES,
    )
