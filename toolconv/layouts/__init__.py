"""The registry of layouts: one file of ``formats/`` per row shape, each holding ``LAYOUT``.

The other files of this folder are what layouts share.

Other packages add theirs through the entry point group ``toolconv.layouts``, programs through :func:`register`.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from typing import Any, ClassVar, Final

from toolconv.core.conversation import Row
from toolconv.core.errors import UnknownName, near_name
from toolconv.core.plugins import plugins
from toolconv.layouts import formats
from toolconv.layouts.base import Layout
from toolconv.layouts.signature import SIGNATURES, Signature, signature_of

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

_loaded: dict[str, Layout] = {}
_detected: dict[Signature, Layout | None] = {}
_added: dict[str, Layout] = {}


class UnknownLayout(UnknownName):
    """No layout has the given name."""

    kind: ClassVar[str] = "layout"


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
        raise UnknownLayout(name, near_name(key, names()), names())
    return _loaded[key]


def names() -> list[str]:
    """The names of all layouts, without aliases, sorted."""
    return sorted(layout.name for layout in _in_order())


def detect(row: Row) -> Layout | None:
    """The layout of a row, by its keys; ``None`` if no layout matches.

    The answers for the last :data:`SIGNATURES` kinds of rows are kept.
    """
    signature = None if _added else signature_of(row)
    if signature is None:
        return _detect(row)
    try:
        return _detected[signature]
    except KeyError:
        if len(_detected) >= SIGNATURES:
            _detected.clear()
        return _detected.setdefault(signature, _detect(row))


def _detect(row: Row) -> Layout | None:
    return next((layout for layout in _in_order() if layout.fits(row)), None)


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
