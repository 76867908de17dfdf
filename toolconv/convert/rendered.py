"""Rendered texts become conversations: the layout knows where a row has its text, templates know how to read it."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from toolconv.core.conversation import Conversation
from toolconv.dialects.base import Dialect
from toolconv.layouts.formats import rendered

if TYPE_CHECKING:
    from toolconv.templates.jinja.source import Version


def _read(
    text: str, answer: str | None = None, *, template: str | None = None, infer: bool = True
) -> Conversation | None:
    from toolconv.templates.jinja.source import version
    from toolconv.templates.reading.recognition import read_text

    shown = _dialect_of(template, version(template)) if template and Path(template).is_file() else None
    return read_text(text, template, infer=infer, answer=answer, shown=shown)


@lru_cache(maxsize=16)
def _dialect_of(file: str, _: Version) -> Dialect | None:
    """The dialect of a version of a template file, which is registered; ``None`` if none reads what it writes."""
    from toolconv.derive import NotDerived
    from toolconv.derive.files import register_file

    try:
        return register_file(file)
    except NotDerived:
        return None


def rendered_by(
    template: str | None, text_key: str | None, prompt_key: str | None, *, infer: bool = True
) -> rendered.Rendered:
    """The layout of texts that a template wrote.

    Args:
        template: the name of a built-in one, or the path of a file; ``None`` to find it for each text.
        text_key, prompt_key: the keys of texts and prompts; ``None`` for the usual ones.
        infer: whether values whose type nothing settles get one by their looks.
    """
    return rendered.Rendered(partial(_read, template=template, infer=infer), template, text_key, prompt_key)


rendered.LAYOUT.reads = _read
