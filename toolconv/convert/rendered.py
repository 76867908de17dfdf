"""Rendered texts become conversations: the layout knows where a row has its text, templates know how to read it."""

from __future__ import annotations

from functools import partial

from toolconv.core.conversation import Conversation
from toolconv.layouts.formats import rendered


def _read(
    text: str, answer: str | None = None, *, template: str | None = None, infer: bool = True
) -> Conversation | None:
    from toolconv.templates.reading.recognition import read_text

    return read_text(text, template, infer=infer, answer=answer)


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
