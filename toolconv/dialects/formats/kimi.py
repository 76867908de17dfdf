"""The simplified Kimi form: a heading ``## Calling: name`` and the arguments as JSON on the next line.

Calls are written compact, with a blank line between them. There is no end marker: a call ends where its JSON ends. The
tooletta tools call this format ``kimi``; the real format of Kimi K2 is ``kimi_k2``.
"""

from __future__ import annotations

from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.grammars.name_then_json import NameThenJson

HEADER = lazy_re(r"[ \t]*(\S[^\n]{0,127}?)[ \t]*\r?\n\s*")


class Kimi(NameThenJson):
    """One heading per call."""

    def header(self, text: str) -> tuple[str, str | None] | None:
        match = HEADER.fullmatch(text)
        return (match[1], None) if match else None


DIALECT = Kimi(
    name="kimi",
    aliases=("moonshot",),
    models=("Kimi traces as tooletta stores them",),
    sample='## Calling: get_weather\n{"city":"Tokyo"}',
    calls=CallTemplate("## Calling: {name}\n{args|compact}", between="\n\n"),
    separator="\n\n",
)
