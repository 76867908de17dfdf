"""The keys in the chunks of streams: what answers are made of, and facts that no conversation has a place for.

Source: the streaming references of OpenAI (Chat Completions, Responses), Anthropic, Gemini, Cohere and Ollama; vLLM's
OpenAI-compatible server; OpenRouter's and LiteLLM's chunks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

WALKED: Final = (
    # OpenAI's chat completions, and what servers add
    "chunks", "choices", "delta", "message", "index", "role", "content", "text", "refusal", "tool_calls",
    "function", "name", "id", "type", "function_call", "object", "model", "finish_reason", "reasoning",
    "reasoning_content", "reasoning_details", "summary", "format",
    # Responses
    "item", "item_id", "output_index", "content_index", "summary_index", "sequence_number", "part", "status", "call_id",
    # Anthropic
    "content_block", "partial_json", "thinking", "signature", "stop_reason", "stop_sequence",
    # Gemini
    "candidates", "parts", "functionCall", "willContinue", "thought", "thoughtSignature", "thought_signature",
    "partialArgs", "partial_args", "jsonPath", "nullValue", "numberValue", "stringValue", "boolValue",
    "finishReason", "finishMessage", "modelVersion", "responseId", "createTime",
    # Cohere and Ollama
    "tool_plan", "created_at", "done_reason", "tool_name", "context",
)  # fmt: skip
"""Keys whose values are looked into, or that are texts which are read."""

FACTS: Final = (
    "usage", "usageMetadata", "usage_metadata", "logprobs", "logprobsResult", "annotations", "citations", "citation",
    "citationMetadata", "groundingMetadata", "urlContextMetadata", "safetyRatings", "promptFeedback", "error", "caller",
    "obfuscation", "provider", "native_finish_reason", "service_tier", "system_fingerprint", "prompt_filter_results",
    "content_filter_results", "provider_specific_fields", "encrypted_content", "data", "response", "input", "arguments",
    "args", "container", "context_management", "sdkHttpResponse",
    "executableCode", "codeExecutionResult", "inlineData", "billed_units", "metadata", "x_groq", "done",
)  # fmt: skip
"""Keys whose values hold facts, or what is read as a whole."""

KNOWN_KEYS: Final[Mapping[str, bool]] = {**dict.fromkeys(WALKED, True), **dict.fromkeys(FACTS, False)}
"""All keys, and whether they are looked into."""
