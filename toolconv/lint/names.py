"""Parts of messages: values in short form, similar names, and names without leaked markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from heapq import nlargest
from itertools import pairwise
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.errors import near_name
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import ToolIndex

NAME: Final = lazy_re(r"[a-zA-Z0-9_-]{1,64}")
"""A tool's name that every provider accepts."""

_TOKEN = lazy_re(r"<[|｜].*", re.DOTALL)
_NAMESPACE = lazy_re(r"^(?:functions?|tools?|default_api|multi_tool_use)\.")
_COUNTER = lazy_re(r":[0-9]+$")


def shown(value: Any, most: int = 60) -> str:
    """A value as JSON, shortened if it is long; text in single quotes."""
    text = repr(value) if isinstance(value, str) else jsontext.compact(value)
    return text if len(text) <= most else f"{text[: most - 15]}…{text[-14:]}"


def a(kind: str) -> str:
    """A type's name with its article: ``an integer``."""
    return kind if kind == "null" else f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"


def argument(pointer: str, tool: object) -> str:
    """Describes an argument, given its pointer in the arguments of a call."""
    return f"argument {pointer[1:].replace('/', '.')} of {tool}"


def listed(names: Iterable[Any], most: int = 8) -> str:
    """The first few names or values, as a list."""
    names = list(names)
    rest = f", … ({len(names)} in all)" if len(names) > most else ""
    return ", ".join(shown(name, 40) for name in names[:most]) + rest


MOST_COMPARED: Final = 64
"""How many characters of a name are compared with other names: no provider accepts more."""

MOST_KNOWN: Final = 1_000
"""How many names a name is compared with."""

_CANDIDATES: Final = 5
"""How many names, those that share most characters and pairs of characters with a name, are compared at length."""


@lru_cache(maxsize=1024)
def nearest(name: str, known: tuple[str, ...]) -> str | None:
    """The known name that ``name`` was most likely meant to be, of the first :data:`MOST_KNOWN`."""
    plain = _plain(name)
    same = next((each for each in known if _plain(each) == plain), None)
    if same is not None:
        return same
    known = known[:MOST_KNOWN]
    name, low, parts = name[:MOST_COMPARED], name.lower(), _parts(name)
    likely = nlargest(_CANDIDATES, known, key=lambda each: len(parts & _parts(each)) / (len(parts) + len(_parts(each))))
    short = {each[:MOST_COMPARED]: each for each in reversed(likely)}
    if near := near_name(name, short):
        return short[near]
    within = [each for each in known if len(low) > 2 and (low in each.lower() or each.lower() in low)]
    return min(within, key=len) if within else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``; did you mean …?``, or nothing."""
    names = tuple(each for each in known if each)
    near = nearest(name, names)
    if near:
        return f"; did you mean {near!r}?"
    return f"; compared with the first {MOST_KNOWN:,} names only" if len(names) > MOST_KNOWN else ""


def bare_name(name: Any, tools: ToolIndex) -> str | None:
    """A called name without namespace, counter and tokens; ``None`` if it has no such leaked parts."""
    if not isinstance(name, str) or name in tools:
        return None
    bare = _COUNTER.sub("", _NAMESPACE.sub("", _TOKEN.sub("", name))).strip()
    if not bare or bare == name or (tools and bare not in tools and not _TOKEN.search(name)):
        return None
    return bare


@lru_cache(maxsize=4 * MOST_KNOWN)
def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


@lru_cache(maxsize=4 * MOST_KNOWN)
def _parts(name: str) -> frozenset[str]:
    """The characters of a name and its pairs of characters; never empty."""
    low = name[:MOST_COMPARED].lower()
    return frozenset((*low, *map("".join, pairwise(low)), ""))
