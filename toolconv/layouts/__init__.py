"""The registry of layouts: one file of ``formats/`` per row shape, each holding ``LAYOUT``.

The other files of this folder are what layouts share.

Other packages add theirs through the entry point group ``toolconv.layouts``, programs through :func:`register`.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Hashable, Iterator
from functools import cache
from typing import Any, Final

from toolconv.core.conversation import Row
from toolconv.core.errors import ToolconvError
from toolconv.core.plugins import plugins
from toolconv.layouts import formats
from toolconv.layouts.base import Layout
from toolconv.layouts.formats.rendered import OPENINGS

ENTRY_POINTS: Final = "toolconv.layouts"

# In the order of detection: the first layout that matches a row is taken.
_BUILT_IN: Final = (
    "atif",
    "langchain",
    "pydantic-ai",
    "autogen",
    "llama-index",
    "ai-sdk-ui",
    "ai-sdk",
    "smolagents-memory",
    "ollama",
    "cohere",
    "tau2-bench",
    "inspect-ai",
    "verifiers",
    "swe-agent",
    "openhands",
    "openhands-completion",
    "claude-code",
    "codex",
    "gemini-cli",
    "opencode",
    "langfuse",
    "langsmith",
    "litellm",
    "otel",
    "gemini",
    "bedrock",
    "responses",
    "anthropic",
    "chat-completion",
    "stream",
    "toucan",
    "nemotron",
    "smolagents",
    "bfcl",
    "llamafactory-v1",
    "ms-swift",
    "openai-ft",
    "axolotl",
    "trl",
    "prompt-completion",
    "messages-completion",
    "canonical",
    "openai",
    "chat",
    "toolbench",
    "hermes",
    "apigen-mt",
    "llamafactory",
    "toolace",
    "sharegpt",
    "xlam",
    "glaive",
    "api-bank",
    "rendered",
    "completion",
    "raw",
)

SIGNATURES: Final = 256
Signature = tuple[Hashable, ...]
_MAYBE_JSON: Final = ("", "[", "{", " ", "\t", "\n", "\r")
_TEXT: Final = (str, type(None))
_SCHEMAS: Final = frozenset({"tools", "functions"})
"""Keys of tools: how the first one's parameters are stored is all that a layout is known by."""

_loaded: dict[str, Layout] = {}
_detected: dict[Signature, Layout | None] = {}
_added: dict[str, Layout] = {}


class UnknownLayout(ToolconvError, LookupError):
    """No layout has the given name. The message suggests the nearest name and lists all."""


def register(layout: Layout) -> None:
    """Add a layout. It replaces one of the same name.

    Detection asks added layouts before the built-in ones, the last added first. So ``matches`` should look for keys
    that only rows of this layout have.
    """
    _loaded[layout.name] = _added[layout.name] = layout


def get(name: str) -> Layout:
    """The layout with a name or an alias, in any case, with ``-`` or ``_``.

    Raises:
        UnknownLayout: there is none.
    """
    key = name.strip().lower().replace("_", "-")
    if key not in _loaded:
        if key in _BUILT_IN:
            return _load(key)
        for layout in _in_order():
            if key == layout.name or key in layout.aliases:
                return layout
        near = difflib.get_close_matches(key, names(), n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise UnknownLayout(f"unknown layout {name!r}{hint}\nknown layouts: {', '.join(names())}")
    return _loaded[key]


def names() -> list[str]:
    """The names of all layouts, without aliases, sorted."""
    return sorted(layout.name for layout in _in_order())


def detect(row: Row) -> Layout | None:
    """The layout of a row, by its keys; ``None`` if no layout matches.

    The answers for the last :data:`SIGNATURES` kinds of rows are kept.
    """
    signature = None if _added else _signature(row)
    if signature is None:
        return _detect(row)
    if signature not in _detected:
        if len(_detected) >= SIGNATURES:
            _detected.clear()
        _detected[signature] = _detect(row)
    return _detected[signature]


def _detect(row: Row) -> Layout | None:
    return next((layout for layout in _in_order() if layout.fits(row)), None)


def _signature(row: Row) -> Signature | None:
    """All that the built-in layouts know plain rows by; ``None`` for rows that need a closer look.

    A row is plain if its content is text, numbers, and messages of text or of content blocks: their keys, roles and
    types decide.
    """
    parts: list[Hashable] = []
    for key, value in row.items():
        kind: Any = value.__class__
        if kind is str:
            if value[:1] in _MAYBE_JSON or value.startswith(OPENINGS):  # also the empty text
                return None
        elif kind is list or kind is dict:
            if key == "messages":
                kind = _kind_of_messages(value)
                if kind is None:
                    return None
            elif key not in _SCHEMAS:
                return None
            elif kind is list and value:
                function = value[0].get("function", value[0]) if value[0].__class__ is dict else None
                kind = function.get("parameters").__class__ if function.__class__ is dict else None
                kind = kind, any("input_schema" in tool for tool in value if tool.__class__ is dict)
        parts += key, kind
    return tuple(parts)


def _kind_of_messages(messages: Any) -> tuple[frozenset[tuple[Any, ...]], str] | None:
    """The roles, keys and types of messages of text or of content blocks, and the last role; ``None`` for others."""
    try:
        kinds = {(message["role"], message.get("content").__class__, *message) for message in messages}
        for role, content, *_ in kinds:
            if (content not in _TEXT and content is not list) or role.__class__ is not str:
                return None
        for message in messages:
            if message.get("content").__class__ is list:
                for block in message["content"]:
                    types = [member.__class__ for member in block.values()]
                    kinds.add((message["role"], block.get("type"), *block, *types))
            if message.get("tool_calls"):
                for call in message["tool_calls"]:
                    kinds.add((call["function"]["arguments"].__class__,))
    except (AttributeError, KeyError, TypeError):  # a type that is a list, too
        return None
    return (frozenset(kinds), messages[-1]["role"]) if kinds else None


def gathering(document: Any) -> Layout | None:
    """The layout that makes rows of an input that begins with this document; ``None`` if documents are rows."""
    return next((layout for layout in _in_order() if layout.gathers(document)), None)


def _in_order() -> Iterator[Layout]:
    """All layouts, in the order of detection, each loaded when its turn comes."""
    _load_added()
    yield from reversed(_added.values())
    for name in _BUILT_IN:
        if name not in _added:
            yield _load(name)


def _load(name: str) -> Layout:
    if name not in _loaded:
        module = importlib.import_module(f"{formats.__name__}.{name.replace('-', '_')}")
        _loaded[name] = module.LAYOUT
    return _loaded[name]


@cache
def _load_added() -> None:
    for plugin in plugins(ENTRY_POINTS):
        register(plugin.value)
