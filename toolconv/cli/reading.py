"""How commands that only read, such as ``stats``, read rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolconv.convert.converter import Options


def layout_in(layout: str | None, template: str | None) -> str | None:
    """The layout that the user names for the input: by its name, or by the template of its texts.

    Raises:
        UnknownLayout, UnknownTemplate, FileError: a name is unknown, or the template's file can't be read.
        UsageError: they don't go together.
    """
    from toolconv import layouts

    if template is None:
        return layout and layouts.get(layout).name
    from toolconv.convert.converter import UsageError
    from toolconv.templates.reading.recognition import named

    named(template)
    if layout not in (None, "rendered"):
        raise UsageError(f"--from-template reads rendered texts, and --from-layout {layout} reads other rows: give one")
    return "rendered"


def read_options(
    source: str,
    layout: str | None,
    text_key: str | None,
    max_line: int | None = None,
    *,
    template: str | None = None,
) -> Options:
    """Options for reading rows.

    Args:
        source: dialect of the texts; ``auto`` to detect it.
        layout: layout of the rows; ``None`` to detect it.
        text_key: dotted path of the text in a completion row.
        max_line: longest line to read, in bytes; ``None`` for the default.
        template: template of rendered texts; ``None`` to detect it.

    Raises:
        UnknownDialect, UnknownLayout, UnknownTemplate: a name is unknown.
    """
    from toolconv import dialects
    from toolconv.convert.converter import Options
    from toolconv.io.inputs import MAX_LINE_BYTES

    return Options(
        source=source if source == "auto" else dialects.get(source).name,
        from_layout=layout_in(layout, template),
        from_template=template,
        text_key=text_key,
        max_line=max_line or MAX_LINE_BYTES,
    )
