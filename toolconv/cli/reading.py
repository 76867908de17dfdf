"""How commands that only read, such as ``stats``, read rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolconv.cli import options as cli

if TYPE_CHECKING:
    from toolconv.convert.converter import Options


def read_options(source: str, layout: str | None, given: Mapping[str, Any]) -> Options:
    """Options for reading rows.

    Args:
        source: dialect of the texts; ``auto`` to detect it.
        layout: layout of the rows; ``None`` to detect it.
        given: the options of the command, of which ``text_key``, ``prompt_key``, ``lines``, ``null``, ``each_call`` and
            ``max_line`` say how to read; a command need not have all of them.

    Raises:
        UnknownDialect, UnknownLayout: a name is unknown.
    """
    from toolconv import dialects, layouts
    from toolconv.convert.converter import Options
    from toolconv.io.inputs import MAX_LINE_BYTES

    return Options(
        source=source if source == "auto" else dialects.get(source).name,
        from_layout=layout and layouts.get(layout).name,
        each_call=bool(given.get("each_call")),
        text_key=given.get("text_key"),
        prompt_key=given.get("prompt_key"),
        records=cli.records_of(given),
        max_line=given.get("max_line") or MAX_LINE_BYTES,
    )
