"""The reading of a turn by the dialects that its text shows: by their markers, by other tags, or by its shape."""

from __future__ import annotations

import re
from typing import Final

from toolconv.core.calls import lists_calls
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect, mendings_of_all
from toolconv.dialects.choice.best_reading import (
    DialectReading,
    best_reading,
    exact_reading,
    tolerant_reading,
)
from toolconv.dialects.choice.readings import Readings
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.call_signs import unread_calls
from toolconv.dialects.lexing.damaged_markup import names_in
from toolconv.dialects.lexing.markers import (
    marked_dialects,
    markerless_dialects,
    plain_dialect,
    reasoning_dialect,
    tagged_dialects,
)
from toolconv.dialects.lexing.mentions import ends_in_object
from toolconv.dialects.lexing.plain_text import may_hold_object, may_hold_python
from toolconv.dialects.lexing.unmarked_calls import may_hold_arguments
from toolconv.dialects.reading.mending import best_mended, shows_no, taken_back
from toolconv.dialects.reading.turn_parser import Parsed
from toolconv.dialects.registry import registered


def detected(text: str, readings: Readings, named: Dialect | None = None) -> DialectReading | None:
    """The best reading by the dialects that the text shows and the ``named`` one, with its markup mended if need be.

    ``None`` if it shows none.
    """
    tools, is_opened = readings.tools, readings.opened(text)
    marked = marked_dialects(text)
    if named is not None:
        marked = tuple(dict.fromkeys((named, *(marked or tagged_dialects(text)))))
    if not is_opened and (exact := exact_reading(text, tools, marked)) is not None:
        return exact
    mendings = mendings_of_all(registered())
    if not is_opened and (turn := mendings.spelt(text)) is not None:
        exact = exact_reading(turn.text, tools, marked_dialects(turn.text))
        if exact is not None and shows_no(turn.markers, exact.parsed):
            return exact._replace(parsed=taken_back(exact.parsed, len(text), turn, turn.repairs), exact=False)
    best = _detected_as_is(text, readings, tolerant_reading(text, readings, marked, named), named)
    tried = {} if best is None else {id(best.parsed): best}

    def read(mended: str) -> Parsed:
        others = Readings(mended, tools, readings.in_reasoning)
        found = _detected_as_is(mended, others, best_reading(mended, others, marked_dialects(mended)))
        if found is None:
            return Parsed(mended)
        tried[id(found.parsed)] = found
        return found.parsed

    parsed = Parsed(text) if best is None else best.parsed
    parsed = best_mended(parsed, len(text), mendings.of(text, parsed), tools, read)
    return tried.get(id(parsed))


def _detected_as_is(
    text: str, readings: Readings, marked: DialectReading | None, named: Dialect | None = None
) -> DialectReading | None:
    """The best reading of a text as it stands: ``marked``, by the dialects whose markers it has, if there is one.

    Otherwise by those that write calls without a marker, or that have some other tag in it.
    """
    if marked is not None and (
        marked.parsed.calls or named is None or (marked_dialects(text) and ends_in_object(text))
    ):
        return marked
    tools, best, bare = readings.tools, None, None
    if not tools and lists_calls(text, tools):
        return best_reading(text, readings, (plain_dialect(),))
    is_list = _LIST_OF_CALLS.match(text) is not None and text.rstrip().endswith(")]")
    is_named = bool(names_in(text, tools))
    if is_list or is_named:
        bare = best_reading(text, readings, _bare_dialects(text, tools))
    if bare is not None and is_list and _fills(bare.parsed):
        return bare
    if bare is not None and not (is_named and _is_plausible(bare, text, tools)):
        bare = None
    if bare is not None and _is_clear(bare.parsed) and not unread_calls(bare.parsed.content, tools):
        return bare
    if unread_calls(text, tools):
        best = best_reading(text, readings, tagged_dialects(text))
    if bare is not None and (best is None or len(bare.parsed.calls) > len(best.parsed.calls)):
        return bare
    if best is not None and best.parsed.calls:
        return best
    dialect = None if readings.in_reasoning else reasoning_dialect(text)
    return None if dialect is None else DialectReading(dialect, dialect.parse_own(text, tools))


def _bare_dialects(text: str, tools: ToolIndex) -> list[Dialect]:
    """The dialects that write calls without a marker as they may be in a text: as objects, or in Python."""
    is_json = text.lstrip().startswith(("{", "["))
    may_be_damaged = may_hold_arguments(text) and _LINE_OF_JSON.search(text) is not None
    objects = "{" in text and (is_json or may_be_damaged or may_hold_object(text, tools))
    return markerless_dialects("{" * objects + "(" * may_hold_python(text, tools))


_LINE_OF_JSON: Final = lazy_re(r"^[ \t]*[\[{]", re.MULTILINE)


_LIST_OF_CALLS: Final = lazy_re(r"\s*\[\s*[^\W\d][\w.]{0,127}\((?:[^\W\d]\w{0,63}\s?=(?!=)|\))")
"""A list that begins with a call in Python whose arguments have names."""


def _fills(parsed: Parsed) -> bool:
    """Whether a reading of a turn in Python leaves nothing but its calls, and needs no repair for them."""
    return bool(parsed.calls) and not parsed.content and all(name == "python_literal" for name in parsed.repairs)


def _is_clear(parsed: Parsed) -> bool:
    return bool(parsed.calls) and not parsed.repairs and not parsed.dropped


def _is_plausible(best: DialectReading, text: str, tools: ToolIndex) -> bool:
    """Whether calls without a marker are calls: of declared tools, and not a line of code in a sentence."""
    if not all(call.name in tools for call in best.parsed.calls):
        return False
    if best.exact or not best.parsed.content or isinstance(best.dialect, JsonBlocks):
        return True
    if text.lstrip().startswith(("[", "{")) and text.rstrip().endswith(("]", "}")):
        return True
    first = re.escape(best.parsed.calls[0].name) if best.parsed.calls else ""
    if text.rstrip().endswith(")]") and re.search(rf"\w:? \[{first}\(", text) is not None:
        return True  # words lead to a list that ends the turn
    return re.search(rf"(?:^|>)[ \t\[]*+{first}[(\n]", text, re.MULTILINE) is not None
