"""Rendered texts become conversations: the layout knows where a row has its text, templates know how to read it."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path

from toolconv.core.conversation import Conversation
from toolconv.dialects.base import Dialect
from toolconv.layouts.formats import rendered


def _read(
    text: str, answer: str | None = None, *, template: str | None = None, infer: bool = True
) -> Conversation | None:
    from toolconv.templates.reading.recognition import read_text

    return read_text(text, template, infer=infer, answer=answer, shown=_dialect_of(template) if template else None)


@lru_cache(maxsize=16)
def _dialect_of(template: str) -> Dialect | None:
    """The dialect of a template file, which is registered; ``None`` for a name, or if none reads what it writes."""
    from toolconv.derive import NotDerived
    from toolconv.derive.files import register_file

    try:
        return register_file(template) if Path(template).is_file() else None
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
