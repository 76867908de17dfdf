"""The places in the events of a stream at which something is read, and the pieces of an event that are at none.

Sources: the streaming references of OpenAI (Chat Completions, Responses), Anthropic, Gemini, Cohere and Ollama; vLLM's
OpenAI-compatible server; OpenRouter's and LiteLLM's chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from toolconv.core.key_words import is_key_of_calls

Places = Mapping[str, "Places | PlacesIn | Sequence[Places | PlacesIn] | None"]
"""The places in an object by key: those in its value, in each item of a list, or ``None`` where all of it is read."""
PlacesIn = Callable[[Any], Places]
"""Gives the places in an object whose keys mean one thing or another."""
ARGUMENTS: Final[Places] = {}
"""The place of a piece of the JSON text of arguments, which the conversation has as values."""
ANY_CALLS: Final = ""
"""Stands for all keys that say that they hold calls."""
MISSING: Final = object()
"""No place."""
FACTS: Final = frozenset(
    {
        "usage", "usageMetadata", "usage_metadata", "logprobs", "logprobsResult", "logprobs_result", "annotations",
        "annotation", "citations", "citation", "citationMetadata", "citation_metadata", "groundingMetadata",
        "grounding_metadata", "urlContextMetadata", "url_context_metadata", "safetyRatings", "safety_ratings",
        "promptFeedback", "prompt_feedback", "error", "caller", "obfuscation", "p", "provider", "native_finish_reason",
        "service_tier", "system_fingerprint", "prompt_filter_results", "content_filter_results",
        "provider_specific_fields", "encrypted_content", "container", "context_management", "sdkHttpResponse",
        "sdk_http_response", "billed_units", "metadata", "x_groq", "role", "finish_reason", "finishReason", "done",
        "finish_message", "finishMessage", "stop_sequence", "sequence_number", "avgLogprobs", "done_reason",
        "total_duration", "load_duration", "prompt_eval_duration", "eval_duration",
    }
)  # fmt: skip
"""Keys of facts, wherever they are: no conversation needs to have them."""


def pieces_in(
    value: Any, places: Places | PlacesIn | Sequence[Places | PlacesIn] | None, path: tuple[str, ...]
) -> Iterator[tuple[Any, tuple[str, ...], bool]]:
    """The values in a stream that are at a place where all is read, and those that are at none, the last one first.

    Each has its path, and whether it is read.
    """
    waiting: list[Any] = [(value, places, path)]
    while waiting:
        value, places, path = waiting.pop()
        if callable(places):
            places = places(value)
        if type(places) is dict and type(value) is dict:
            for key, member in value.items():
                inner = places.get(key, places.get(ANY_CALLS, MISSING) if is_key_of_calls(key) else MISSING)
                if inner is not MISSING or key not in FACTS:
                    waiting.append((member, inner, (*path, key)))
        elif type(places) is list and type(value) is list:
            waiting += [(item, places[0], (*path, str(at))) for at, item in enumerate(value)]
        elif places is not ARGUMENTS:
            yield value, path, places is None


def all_of(*keys: str) -> Places:
    """Places where all is read."""
    return dict.fromkeys(keys)
