"""Any model, any markup: the markers of all dialects, then JSON in fences, then bare JSON.

For output of unknown origin. A text with the markers of some dialect is read as that dialect reads it; where several
know the markers, the one that reads most calls with the fewest repairs counts. Without markers an object is a call if
it has a name (``name``, ``tool_name``, ``function``) and arguments (``arguments``, ``parameters``, ``input``, ``args``;
an object or JSON text), bare, in a list, in OpenAI's envelope or in a fence. When tools are declared, a reading that
names none of them is no reading, and its text stays prose. Written as ``hermes``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolconv.dialects import callshape
from toolconv.dialects.base import Dialect, Parsed, Scan
from toolconv.dialects.cores.json_blocks import JsonBlocks
from toolconv.toolindex import NO_TOOLS, ToolIndex

TRIED_CHARACTERS = 1_000_000
"""So much text is read in search of the best dialect: all candidates of a text of usual length, two of a huge one."""

COMMON = ("hermes", "qwen3_xml", "mistral")
"""Dialects that come first among those that share a marker."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Generic(JsonBlocks):
    """Whatever any dialect reads."""

    def parse(self, text: str, tools: ToolIndex = NO_TOOLS, *, in_reasoning: bool = False) -> Parsed:
        best: Parsed | None = None
        best_score = (0, 0, 0)
        for number, dialect in enumerate(self._candidates(text)):
            if number > 1 and number * len(text) > TRIED_CHARACTERS:
                break
            parsed = dialect.parse(text, tools, in_reasoning=in_reasoning)
            known = sum(not tools or call.name in tools for call in parsed.calls)
            score = (known, -len(parsed.dropped), -len(parsed.repairs))
            if known and (best is None or score > best_score):
                best, best_score = parsed, score
                if known == len(parsed.calls) and not parsed.repairs and not parsed.dropped:
                    break
        return best or super().parse(text, tools, in_reasoning=in_reasoning)

    def _candidates(self, text: str) -> Iterator[Dialect]:
        """Dialects whose markers are in ``text``: the first marker first, of two in one place the longer."""
        from toolconv.dialects import all_dialects

        found: list[tuple[int, int, int, str, Dialect]] = []
        for dialect in all_dialects():
            places = [(text.find(marker), -len(marker)) for marker in dialect.markers if telling(marker)]
            place = min((place for place in places if place[0] >= 0), default=None)
            if place is not None:
                rank = COMMON.index(dialect.name) if dialect.name in COMMON else len(COMMON)
                found.append((*place, rank, dialect.name, dialect))
        return (dialect for *_, dialect in sorted(found, key=lambda item: item[:4]))

    def shaped(self, scan: Scan, value: Any) -> bool:
        return callshape.is_call(value, scan.tools)


def telling(marker: str) -> bool:
    """Whether a marker says by itself that markup stands there: not ``[`` or ``>>>``, which prose has as well."""
    return len(marker) > 4 and not marker.isalnum()


DIALECT = Generic(
    name="generic",
    models=("any",),
    sample='```json\n{"name": "get_weather", "arguments": {"city": "Tokyo"}}\n```',
    separator="\n",
    bare="always",
    listed=True,
    native=("alternative_key", "arguments_string", "markdown_fence", "openai_envelope"),
    item_before="<tool_call>\n",
    item_after="\n</tool_call>",
    between="\n",
)
