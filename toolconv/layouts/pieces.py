"""The places in the events of a stream at which something is read, and the pieces of an event that are at none.

Sources: the streaming references of OpenAI (Chat Completions, Responses), Anthropic, Gemini, Cohere and Ollama; vLLM's
OpenAI-compatible server; OpenRouter's and LiteLLM's chunks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from toolconv.core.key_words import is_key_of_calls
from toolconv.core.messages import Row

Places = Mapping[str, "Places | Sequence[Places] | bool"]
"""The keys of an object: ``True`` for a text that is joined, ``False`` for what is read or kept as a whole.

A list with the places of its items stands for a list.
"""


class StreamedPiece(NamedTuple):
    """A value in a stream, by its path in the row.

    Attributes:
        read: whether it is at a place where it is read; only texts and lists of parts that are joined are given then.
    """

    path: tuple[str, ...]
    value: Any
    read: bool


class Streamed(NamedTuple):
    """The pieces of a stream, and the only key of the row that they are of; empty if all other keys are kept."""

    key: str
    pieces: Iterator[StreamedPiece]


def whole(*keys: str) -> dict[str, bool]:
    """Places of values that are read or kept as a whole."""
    return dict.fromkeys(keys, False)


def joined(*keys: str) -> dict[str, bool]:
    """Places of texts that are joined."""
    return dict.fromkeys(keys, True)


FACTS: Final = frozenset(
    {
        "usage", "usageMetadata", "usage_metadata", "logprobs", "logprobsResult", "logprobs_result", "annotations",
        "annotation", "citations", "citation", "citationMetadata", "citation_metadata", "groundingMetadata",
        "grounding_metadata", "urlContextMetadata", "url_context_metadata", "safetyRatings", "safety_ratings",
        "promptFeedback", "prompt_feedback", "error", "caller", "obfuscation", "p", "provider", "native_finish_reason",
        "service_tier", "system_fingerprint", "prompt_filter_results", "content_filter_results",
        "provider_specific_fields", "encrypted_content", "container", "context_management", "sdkHttpResponse",
        "sdk_http_response", "billed_units", "metadata", "x_groq",
    }
)  # fmt: skip
"""Keys of facts that no conversation has a place for, wherever they are."""


def pieces_in(chunks: Sequence[Row], places: Places, key: str) -> Iterator[StreamedPiece]:
    """The pieces of chunks that are under a key of a row, or the row itself."""
    for at, chunk in enumerate(chunks):
        yield from _pieces_of(chunk, places, (key, str(at)) if key else ())


def _pieces_of(event: Row, places: Places, path: tuple[str, ...]) -> Iterator[StreamedPiece]:
    """The texts of an event that are joined, and all values that are at no place where anything is read."""
    waiting: list[tuple[Any, Any, tuple[str, ...]]] = [(event, places, path)]
    while waiting:
        value, place, path = waiting.pop()
        if place is True:
            yield StreamedPiece(path, value, read=True)
        elif type(place) is dict and type(value) is dict:
            for key, member in value.items():
                inner = place.get(key)
                if not (member or member == 0) or key in FACTS or inner is False:
                    continue
                if inner is None and is_key_of_calls(key):
                    inner = place.get("tool_calls")
                if inner is None:
                    yield StreamedPiece((*path, key), member, read=False)
                else:
                    waiting.append((member, inner, (*path, key)))
        elif type(place) is list and type(value) is list:
            waiting += [(item, place[0], (*path, str(at))) for at, item in enumerate(value)]
        else:
            yield StreamedPiece(path, value, read=False)
