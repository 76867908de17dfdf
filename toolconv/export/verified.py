"""The response template of a chat template, checked with what the chat template writes."""

from __future__ import annotations

from typing import Any

from toolconv.derive.check import misreading
from toolconv.derive.derivation import CONVERSATIONS, shown
from toolconv.derive.samples import samples
from toolconv.derive.turns import TemplateTurns
from toolconv.dialects.base import Dialect
from toolconv.dialects.grammars.response_template import from_template
from toolconv.export.response_template import NoResponseTemplate, response_template


def checked_response_template(path: str, dialect: Dialect) -> dict[str, Any]:
    """The response template of a dialect that a chat template writes; it reads all that the chat template writes.

    Args:
        path: a ``chat_template.jinja``, a ``tokenizer_config.json``, or a folder that holds one of them.
        dialect: the dialect that it writes.

    Raises:
        NoResponseTemplate: there is none that reads all.
    """
    turns = TemplateTurns(path)
    described = response_template(dialect, turns.opening, turns.ends)
    if turns.reasoning is None and dialect.reasoning.close.strip() not in turns.source:
        described["fields"].pop("reasoning_content", None)  # the dialect reads such marks; this model has none
    reader = from_template(described)
    for sample in samples(turns, CONVERSATIONS):
        read = misreading(reader, sample, reader.parse(sample.text, sample.tools))
        if read is not None:
            raise NoResponseTemplate(
                f"no response template can describe {dialect.name!r}: it reads {shown(sample.text)} as {read}"
            )
    return described
