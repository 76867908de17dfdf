"""The registry of layouts: one file of ``formats/`` per row shape, each holding ``LAYOUT``.

The other files of this folder are what layouts share.

Other packages add theirs through the entry point group ``toolconv.layouts``, programs through :func:`register`.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from typing import Any, ClassVar, Final

from toolconv.core.errors import UnknownName, near_name
from toolconv.core.messages import Row
from toolconv.core.plugins import plugins
from toolconv.core.remembered import Remembered
from toolconv.layouts import formats
from toolconv.layouts.base import Layout
from toolconv.layouts.signature import SIGNATURES, Signature, signature_of

ENTRY_POINTS: Final = "toolconv.layouts"

# In the order of detection: the first layout that matches a row is taken. After each name, keys: a row of the layout,
# or an object that holds rows, has at least one of them, so other rows don't load it. Without keys, any may match.
_BUILT_IN: Final = {
    "atif": "steps subagent_trajectories",
    "langchain": "messages",
    "pydantic-ai": "messages",
    "autogen": "messages",
    "llama-index": "messages",
    "ai-sdk-ui": "messages",
    "ai-sdk": "messages message",
    "smolagents-memory": "original_question steps messages",
    "ollama": "chunks response message request messages",
    "cohere": "message response request messages",
    "tau2-bench": "task_id simulations",
    "inspect-ai": "epoch eval",
    "swe-agent": "history messages trajectory",
    "openhands": "history",
    "openhands-completion": "kwargs",
    "claude-code": "lines sessionId session_id uuid leafUuid messageId message",
    "codex": "lines type instructions git",
    "pi": "lines type",
    "copilot": "lines data",
    "goose": "working_dir",
    "kimi-cli": "lines role",
    "gemini-cli": "sessionId",
    "opencode": "info",
    "langfuse": "traceId trace_id observations",
    "langsmith": "run_type post patch outputs",
    "litellm": "model_parameters",
    "otel": "",
    "gemini": "contents",
    "bedrock": "messages",
    "responses": "responses_create_params response input output",
    "anthropic": "messages",
    "request-answer": "messages contents conversation conversations prompt request body payload req input inputs "
    "params choices response completion",
    "chat-completion": "messages body request choices response completion custom_id error key processed_time",
    "stream": "chunks choices type candidates promptFeedback usageMetadata",
    "toucan": "target_tools subset_name",
    "smolagents": "original_question",
    "bfcl": "function question",
    "bfcl-result": "result",
    "llamafactory-v1": "messages chosen_messages",
    "ms-swift": "messages",
    "openai-ft": "input messages",
    "axolotl": "messages",
    "trl": "chat_template_kwargs completion chosen",
    "prompt-completion": "prompt",
    "messages-completion": "messages",
    "canonical": "messages completions",
    "openai": "messages",
    "chat": "messages",
    "toolbench": "train_messages conversations",
    "hermes": "conversations",
    "apigen-mt": "system",
    "llamafactory": "conversations",
    "toolace": "conversations",
    "sharegpt": "conversations conversation",
    "xlam": "query",
    "glaive": "chat example",
    "api-bank": "dialogue",
    "rendered": "",
    "message": "tool_calls function_call content",
    "any-keys": "",
    "completion": "",
    "raw": "",
}
KEYS: Final = {name: frozenset(keys.split()) for name, keys in _BUILT_IN.items()}
"""The keys of each built-in layout: a row without any of them is not one of its rows."""

_loaded: dict[str, Layout] = {}
_detected: Remembered[Signature, Layout | None] = Remembered(SIGNATURES)
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


def are_built_in() -> bool:
    """Whether there are no other layouts than the built-in ones."""
    _load_added()
    return not _added


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
        return _detected.add(signature, _detect(row))


def detect_by_keys(row: Row) -> Layout | None:
    """The layout of a row that has keys of its own; ``None`` if only ``any-keys`` matches, or none does."""
    return next((layout for layout in _in_order(row) if not layout.any_shape and layout.fits(row)), None)


def _detect(row: Row) -> Layout | None:
    return next((layout for layout in _in_order(row) if layout.fits(row)), None)


def gathering(document: Any, but: Layout | None = None) -> Layout | None:
    """The layout that makes rows of an input that begins with this document; ``None`` if documents are rows.

    A layout that asks for the others leaves itself out: ``but``.
    """
    return next((each for each in _in_order(document) if each is not but and each.gathers(document)), None)


def _in_order(document: Any = None) -> Iterator[Layout]:
    """The layouts in the order of detection, each loaded when its turn comes: all, or those that an object may have."""
    _load_added()
    yield from reversed(_added.values())
    for name, keys in KEYS.items():
        if name not in _added and not (keys and type(document) is dict and keys.isdisjoint(document)):
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
