"""What the options of a conversion are for a trainer: its layout, its spelling of fields, its texts."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from toolconv.convert.options import Options, UsageError

EXACT: Final = "exact rows need a trainer that takes them, and the student's template as text"


def for_trainer(options: Options) -> Options:
    """Options with what their trainer reads, where they don't say it: ``toolconv convert --trainer`` writes the same.

    Raises:
        UnknownName: there is no such trainer.
        UsageError: exact rows are asked for without a trainer that takes them, or without the student's template.
    """
    if options.trainer is None:
        if options.exact:
            raise UsageError(EXACT)
        return options
    from toolconv import trainers

    trainer, text = trainers.get(options.trainer), options.text
    if trainer.own_models and (text or options.student):
        raise UsageError(f"{trainer.name} writes the texts of its own models: a template has no part in its rows")
    if options.exact:
        if trainer.exact is None or text is None:
            raise UsageError(EXACT)
        text = replace(text, spans=True)
        return replace(options, text=text, student=text)
    given = {key: value for key, value in options.style._asdict().items() if value is not None}
    options = replace(options, style=trainer.style._replace(**given))
    if text is not None and trainer.reads_text and options.to_layout is None:
        text = replace(text, no_bos=text.no_bos or trainer.adds_bos, end_at_eos=text.end_at_eos or trainer.adds_end)
        return replace(options, text=text, student=text)
    return replace(options, to_layout=options.to_layout or trainer.layout, text=None, student=text or options.student)
